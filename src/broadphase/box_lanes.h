// SPDX-License-Identifier: MIT
// broadphase/box_lanes.h: boxes side by side in memory, eight at a time, and the innermost loops over them.
#ifndef MOTE_BROADPHASE_BOX_LANES_H
#define MOTE_BROADPHASE_BOX_LANES_H

#include "base/internal.h"
#include "mote/broadphase.h"

enum { BOX_LANES = 8 };

// Boxes are closed, and coordinates may be infinite. Two boxes meet where, on every axis, each one's low is no greater
// than the other's high; a box whose own low is greater than its high, or NaN, is empty.

// A box while it is sorted.
typedef struct box_record {
    float low[3];
    uint32_t index;
    float high[3];
    uint32_t cell;
} box_record;
_Static_assert(sizeof(box_record) == 32, "loaded as two halves of a vector (box_lanes.c)");

// Eight boxes. Empty lanes hold NaN, which meets nothing.
typedef struct box_block {
    float low[3][BOX_LANES], high[3][BOX_LANES];
} box_block;

// Any number of boxes, with their indices and, if `place` is not NULL, their places in a tree. They are followed by
// eight lanes that meet nothing, or that may be overwritten.
typedef struct box_columns {
    float *low[3], *high[3];
    uint32_t *index, *place;
    size_t count;
} box_columns;

// A grid of few cells for the centres of boxes: a centre outside the grid belongs to the nearest cell at its edge.
typedef struct box_cells {
    float origin[4], scale[4], most[4];  // coordinate = (low + high − origin) · scale, within 0 … most
    uint32_t stride[3];
    uint32_t cell_count;
    float large;  // boxes with a longer edge belong to no cell but to one of the classes behind the cells, each for
                  // edges up to four times as long
} box_cells;

enum {
    BOX_CLASSES = 16,
    BOX_BINS = BOX_CLASSES + 1  // the classes, followed by the bin of empty boxes
};

// The box around boxes, and the extent of their centres, doubled (low + high). The fourth numbers are unused.
typedef struct box_bounds {
    float low[4], high[4], centre_low[4], centre_high[4];
} box_bounds;

// The destination of rows: `indices` has room up to `end`; a box's row starts at indices + first[index].
typedef struct box_row_target {
    uint32_t *indices, *cursor, *end;
    uint64_t *first;
    uint32_t *counts;
} box_row_target;

// The destination of pairs, with the smaller index in the upper half.
typedef struct box_pair_target {
    uint64_t *cursor, *end;
} box_pair_target;

// The loops, the same in every form.
typedef struct box_lanes {
    // Finds the cell or class of every box, or that it is empty, and adds it to the histogram.
    void (*number_boxes)(const mote_bounds *boxes, size_t count, const box_cells *cells, uint32_t *numbers,
                         uint32_t *histogram);
    void (*number_records)(box_record *records, size_t count, const box_cells *cells, uint32_t *histogram);

    // Moves box i, whose index is first_index + i, to next[numbers[i]]++.
    void (*move_boxes)(const mote_bounds *boxes, size_t count, uint32_t first_index, const uint32_t *numbers,
                       uint32_t *next, box_record *to);

    box_bounds (*bound)(const box_record *records, size_t count);

    // Finds those boxes in the listed blocks of a level that meet `box`, and writes them as block numbers of the
    // level below, none below `least`. `next` needs room for eight numbers per block and eight more. Returns how many
    // it wrote.
    size_t (*expand)(const box_block *level, const uint32_t *list, size_t count, const mote_bounds *box, size_t least,
                     uint32_t *next);
    // The same for the last level, written as index << 32 | place.
    size_t (*collect)(const box_block *leaves, const uint32_t *indices, const uint32_t *list, size_t count,
                      const mote_bounds *box, uint64_t *keys);

    // Copies the columns that meet `box`, in order, to `to`, which has room for as many and sixteen. Returns how many
    // it copied.
    size_t (*filter)(const box_columns *from, const mote_bounds *box, const box_columns *to);

    // Writes for each record the indices of the columns that meet it, in their order. Stops where a row of all
    // columns and eight more might not fit; returns how many rows were written.
    size_t (*rows)(const box_record *records, size_t count, const box_columns *columns, box_row_target *target);

    // Writes the pairs of the boxes in lanes begin … end − 1 of a block, whose places start at `first_place`, with
    // those columns that meet them and have higher places. Stops where the pairs of a lane might not fit; returns the
    // next lane.
    size_t (*pairs)(const box_block *block, const uint32_t *indices, uint32_t first_place, size_t begin, size_t end,
                    const box_columns *columns, box_pair_target *target);
} box_lanes;

#endif
