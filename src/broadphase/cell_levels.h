// SPDX-License-Identifier: MIT
// broadphase/cell_levels.h: objects in hashed cells of several sizes (Pouchol et al. 2009, sections 2.1 and 2.2).
//
// A level is an unbounded grid of one cell size. Its occupied cells are in an open-addressing table with exact keys,
// because with eq. 3 of Pouchol et al. cells of all classes with equal coordinates collide. An object lies in all
// cells of one level that its box covers. The last level has a single cell, all of space: it holds objects that
// would cover too many cells elsewhere, and every query searches it, too.
//
// Cell coordinates are floor(x/edge), computed in double, and x/edge is clamped to ±2^30 first. Rounding and
// clamping are monotone, so boxes that overlap have a cell in common for any edge.
#ifndef MOTE_BROADPHASE_CELL_LEVELS_H
#define MOTE_BROADPHASE_CELL_LEVELS_H

#include "base/table.h"
#include "broadphase/cell_entries.h"

typedef struct level_cell {
    int32_t at[3];
    cell_list list;
    uint32_t next, previous;  // occupied cells of the level; free cells are linked by `next`
} level_cell;

typedef struct cell_level {
    double inverse_edge;      // 0: a single cell
    int32_t class_number;     // the class number to show for it
    mote_buffer cell_memory;
    level_cell *cells;
    mote_table table;         // of the occupied cells
    uint32_t cell_end, free_cell, first_cell;
    uint32_t cell_count;      // number of occupied cells
    uint32_t objects;
    bool has_rim;             // objects lie, or lay, in cells at the edge of the grid
} cell_level;

enum { LEVELS_MOST = 320 };

typedef struct cell_levels {
    uint32_t level_count;
    uint32_t active_count;
    uint16_t active[LEVELS_MOST];  // levels with objects, finest first
    cell_level levels[LEVELS_MOST];
    entry_pool pool;
} cell_levels;

// The cells of a level that a box covers.
static inline grid_range mote_level_range(const cell_level *level, const mote_bounds *box)
{
    const cell_frame frame = {.dimensions = 3, .inverse_edge = level->inverse_edge};
    grid_range range;
    for (int k = 0; k < 3; ++k) {
        range.low.at[k] = mote_frame_coordinate(&frame, k, (double)box->min[k]);
        range.high.at[k] = mote_frame_coordinate(&frame, k, (double)box->max[k]);
    }
    return range;
}

// Removes all objects and keeps the memory. Then there are `level_count` levels, finest first. The caller sets their
// inverse edges and class numbers; the inverse edge of the last one is 0.
void mote_levels_reset(cell_levels *levels, uint32_t level_count);

// Puts an object into the cells of a level that its box covers, or into the last level if these are too many. On
// failure (MOTE_ERROR_OUT_OF_MEMORY) nothing changes. first_of must have room for the object.
mote_result mote_levels_insert(const mote_context *context, cell_levels *levels, uint32_t level, uint32_t id,
                               const mote_bounds *box);
// Whether an object is already stored exactly as insertion would store it.
bool mote_levels_hold(const cell_levels *levels, uint32_t level, uint32_t id, const mote_bounds *box);
// Removes an object if it is there.
void mote_levels_remove(cell_levels *levels, uint32_t id);

// The functions of the method table (internal.h) for methods whose state begins with its levels.
void mote_levels_candidates(const mote_broadphase *broad, candidate_sink *sink);
void mote_levels_pairs(const mote_broadphase *broad, pair_writer *writers);
void mote_levels_count(const mote_broadphase *broad, mote_broadphase_counters *counters);
void mote_levels_show(const mote_broadphase *broad, void (*visitor)(void *, const mote_broadphase_cell *), void *data);
mote_result mote_levels_validate(mote_broadphase *broad, mote_error *error);
void mote_levels_release(mote_broadphase *broad);
size_t mote_levels_byte_count(const mote_broadphase *broad);

// The update of these methods: applies the store's changes, or with `all` everything. `level_of` returns the level
// of a box.
typedef uint32_t level_chooser(void *state, const mote_bounds *box);
mote_result mote_levels_update(mote_broadphase *broad, bool all, level_chooser *level_of);

#endif
