// SPDX-License-Identifier: MIT
// cells/cell_keys.h: points as 64-bit keys of cell and index, sorted (Onderik & Ďurikovič 2008, eq. 17).
//
// A key holds, from its highest bit down, the numbers of the cell in z, y and x and the index of the point. Each
// part has only as many bits as the data need: the 16 bits per part of Onderik & Ďurikovič would limit a set to 65,536
// points. If 64 bits are not enough for an extent, cells are renumbered (slabs.h) such that neighbours stay at least
// as near as before.
#ifndef MOTE_CELLS_CELL_KEYS_H
#define MOTE_CELLS_CELL_KEYS_H

#include "cells/frame.h"
#include "cells/slabs.h"

// The numbers of a cell. Those of occupied cells are 0 … last of each axis; those of other cells may be outside.
typedef struct key_cell {
    int64_t at[3];
} key_cell;

typedef struct cell_keys {
    cell_frame frame;
    uint32_t count;         // number of points
    int index_bits;
    int shift[3];           // shifts of the cell's numbers in a cell's key, which is a key without the index
    int64_t last[3];        // largest numbers of occupied cells
    int32_t low[3];         // the coordinates that have number 0, unless slabs are in use
    bool uses_slabs;
    slab_axis axes[3];
    uint64_t *keys;         // ascending
    uint32_t cell_count;    // occupied cells
    uint64_t *cells;        // their keys, ascending
    uint32_t *first;        // cell_count + 1: where their points start among the keys
    mote_buffer key_memory, spare, first_memory, slab_memory;
} cell_keys;

// Sorts points into cells of the frame. `gap`: the largest distance of neighbours in cells, plus one. Returns
// MOTE_OK, or MOTE_ERROR_OUT_OF_MEMORY, which leaves `keys` without points. Cost O(count · bits that differ / 8).
mote_result mote_cell_keys_build(const mote_context *context, cell_keys *keys, const mote_points *points,
                                 const cell_frame *frame, const mote_box *bounds, uint32_t gap);
void mote_cell_keys_release(const mote_context *context, cell_keys *keys);
size_t mote_cell_keys_byte_count(const cell_keys *keys);

// Checks everything against the positions from which the keys were built. `at` returns the position of a point.
typedef void cell_keys_position(const void *data, uint32_t i, double at[3]);
mote_result mote_cell_keys_validate(const cell_keys *keys, cell_keys_position *position, const void *data,
                                    mote_error *error);

// Returns the numbers of the cell that contains a position. There must be at least one point.
key_cell mote_cell_keys_locate(const cell_keys *keys, const double at[3]);

static inline uint64_t mote_cell_keys_pack(const cell_keys *keys, int64_t x, int64_t y, int64_t z)
{
    return (uint64_t)z << keys->shift[2] | (uint64_t)y << keys->shift[1] | (uint64_t)x << keys->shift[0];
}

static inline key_cell mote_cell_keys_unpack(const cell_keys *keys, uint64_t cell)
{
    key_cell numbers;
    for (int k = 2; k >= 0; --k) {
        numbers.at[k] = (int64_t)(cell >> keys->shift[k]);
        cell -= (uint64_t)numbers.at[k] << keys->shift[k];
    }
    return numbers;
}

// Returns the index of the k-th point.
static inline uint32_t mote_cell_keys_index(const cell_keys *keys, uint32_t k)
{
    return (uint32_t)(keys->keys[k] & (((uint64_t)1 << keys->index_bits) - 1));
}

// Returns the first occupied cell from `from` on whose key is not below `cell`. Cost O(log cells).
static inline uint32_t mote_cell_keys_lower(const cell_keys *keys, uint32_t from, uint64_t cell)
{
    uint32_t low = from, high = keys->cell_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (keys->cells[middle] < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
