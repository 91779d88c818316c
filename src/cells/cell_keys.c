// SPDX-License-Identifier: MIT
// Points as sorted 64-bit keys of cell and index.

#include "cells/cell_keys.h"

enum { BLOCK = 16384, KEY_BITS = 64, NUMBER_BITS = 32 };

// Returns the number of bits that hold 0 … last.
static int bits_of(uint64_t last)
{
    int bits = 0;
    for (; last; last >>= 1) ++bits;
    return bits;
}

typedef struct key_task {
    cell_keys *keys;
    const mote_points *points;
    int axis;
} key_task;

key_cell mote_cell_keys_locate(const cell_keys *keys, const double at[3])
{
    const grid_cell cell = mote_frame_cell(&keys->frame, at);
    key_cell numbers;
    for (int k = 0; k < 3; ++k)
        numbers.at[k] = keys->uses_slabs ? mote_slabs_find(&keys->axes[k], cell.at[k])
                                         : (int64_t)cell.at[k] - keys->low[k];
    return numbers;
}

static uint64_t cell_of(const cell_keys *keys, const double at[3])
{
    key_cell cell = mote_cell_keys_locate(keys, at);
    return mote_cell_keys_pack(keys, cell.at[0], cell.at[1], cell.at[2]);
}

static void make_keys(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const key_task *task = data;
    cell_keys *keys = task->keys;
    for (size_t i = begin; i < end; ++i) {
        double at[3];
        for (int k = 0; k < 3; ++k) at[k] = mote_points_get(task->points, i, k);
        uint64_t cell = cell_of(keys, at);
        keys->keys[i] = cell << keys->index_bits | i;
    }
}

// Makes the coordinates of an axis, with an offset so that unsigned order is their order.
static void make_coordinates(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const key_task *task = data;
    const cell_frame *frame = &task->keys->frame;
    const int axis = task->axis;
    for (size_t i = begin; i < end; ++i) {
        int64_t at = mote_frame_coordinate(frame, axis, mote_points_get(task->points, i, axis));
        task->keys->keys[i] = (uint64_t)(at + ((int64_t)1 << 31));
    }
}

// ------------------------------------------------------------------------------------------- sizes of the parts

// Lays out the parts of the key for numbers up to last[]; false if they do not fit.
static bool lay_out(cell_keys *keys)
{
    int bits[3], sum = 0;
    for (int k = 0; k < 3; ++k) {
        bits[k] = bits_of((uint64_t)keys->last[k]);
        keys->shift[k] = sum;
        sum += bits[k];
    }
    return sum + keys->index_bits <= KEY_BITS;
}

// The plain numbering: coordinates are counted from the lowest one.
static bool fits_plainly(cell_keys *keys, const mote_box *bounds)
{
    const double low[3] = {bounds->min.x, bounds->min.y, bounds->min.z};
    const double high[3] = {bounds->max.x, bounds->max.y, bounds->max.z};
    for (int k = 0; k < 3; ++k) {
        keys->low[k] = 0;
        keys->last[k] = 0;
        if (k >= keys->frame.dimensions) continue;
        keys->low[k] = mote_frame_coordinate(&keys->frame, k, low[k]);
        keys->last[k] = (int64_t)mote_frame_coordinate(&keys->frame, k, high[k]) - keys->low[k];
    }
    keys->uses_slabs = false;
    return lay_out(keys);
}

// Numbers the occupied coordinates of every axis; slabs are given more points until everything fits.
static mote_result number_slabs(const mote_context *context, cell_keys *keys, const mote_points *points, uint32_t gap)
{
    size_t n = points->count;
    mote_result result =
        mote_buffer_reserve(context, &keys->slab_memory, mote_bytes(n, 3 * sizeof(slab_entry)), 0);
    if (result != MOTE_OK) return result;
    for (int k = 0; k < 3; ++k) {
        key_task task = {keys, points, k};
        mote_parallel_for(context, n, BLOCK, make_coordinates, &task);
        result = mote_sort_u64(context, keys->keys, NULL, keys->spare.data, NULL, n);
        if (result != MOTE_OK) return result;
        keys->axes[k].entries = (slab_entry *)keys->slab_memory.data + (size_t)k * n;
        mote_slabs_count(&keys->axes[k], keys->keys, n);
    }
    uint32_t population = 1;
    for (;; population *= 2) {
        bool fits = true;
        for (int k = 0; k < 3; ++k) {
            keys->last[k] = (int64_t)mote_slabs_last(&keys->axes[k], population, gap);
            fits &= bits_of((uint64_t)keys->last[k]) <= NUMBER_BITS;
        }
        if (fits && lay_out(keys)) break;
    }
    for (int k = 0; k < 3; ++k) mote_slabs_number(&keys->axes[k], population, gap);
    keys->uses_slabs = true;
    return MOTE_OK;
}

// -------------------------------------------------------------------------------------------------------- build

// Finds where cells begin among the sorted keys. The sort's scratch memory holds the cells.
static void find_cells(cell_keys *keys)
{
    keys->cells = keys->spare.data;
    keys->first = keys->first_memory.data;
    uint32_t cells = 0;
    for (uint32_t k = 0; k < keys->count; ++k) {
        uint64_t cell = keys->keys[k] >> keys->index_bits;
        if (cells > 0 && keys->cells[cells - 1] == cell) continue;
        keys->cells[cells] = cell;
        keys->first[cells++] = k;
    }
    keys->first[cells] = keys->count;
    keys->cell_count = cells;
}

mote_result mote_cell_keys_build(const mote_context *context, cell_keys *keys, const mote_points *points,
                                 const cell_frame *frame, const mote_box *bounds, uint32_t gap)
{
    size_t n = points->count;
    keys->count = keys->cell_count = 0;
    keys->frame = *frame;
    if (n == 0) return MOTE_OK;
    keys->index_bits = bits_of(n - 1);
    mote_result result = mote_buffer_reserve(context, &keys->key_memory, mote_bytes(n, sizeof(uint64_t)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &keys->spare, mote_bytes(n, sizeof(uint64_t)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &keys->first_memory, mote_bytes(n + 1, sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return result;
    keys->keys = keys->key_memory.data;
    if (!fits_plainly(keys, bounds)) result = number_slabs(context, keys, points, gap);
    if (result != MOTE_OK) return result;

    key_task task = {keys, points, 0};
    mote_parallel_for(context, n, BLOCK, make_keys, &task);
    result = mote_sort_u64(context, keys->keys, NULL, keys->spare.data, NULL, n);
    if (result != MOTE_OK) return result;
    keys->count = (uint32_t)n;
    find_cells(keys);
    return MOTE_OK;
}

void mote_cell_keys_release(const mote_context *context, cell_keys *keys)
{
    mote_buffer_release(context, &keys->key_memory);
    mote_buffer_release(context, &keys->spare);
    mote_buffer_release(context, &keys->first_memory);
    mote_buffer_release(context, &keys->slab_memory);
}

size_t mote_cell_keys_byte_count(const cell_keys *keys)
{
    return keys->key_memory.bytes + keys->spare.bytes + keys->first_memory.bytes + keys->slab_memory.bytes;
}

// Checks that keys ascend strictly and that each contains the cell of its point: so every point has exactly one key.
mote_result mote_cell_keys_validate(const cell_keys *keys, cell_keys_position *position, const void *data,
                                    mote_error *error)
{
    uint32_t cell = 0;
    for (uint32_t k = 0; k < keys->count; ++k) {
        uint32_t i = mote_cell_keys_index(keys, k);
        if (k > 0 && keys->keys[k - 1] >= keys->keys[k])
            return mote_fail(error, MOTE_ERROR_STATE, k, "cell keys: key %u is not above the one before", k);
        if (i >= keys->count)
            return mote_fail(error, MOTE_ERROR_STATE, k, "cell keys: key %u names point %u of %u", k, i, keys->count);
        if (k == keys->first[cell + 1]) ++cell;
        double at[3];
        position(data, i, at);
        if (cell >= keys->cell_count || k < keys->first[cell] || keys->cells[cell] != cell_of(keys, at) ||
            keys->cells[cell] != keys->keys[k] >> keys->index_bits)
            return mote_fail(error, MOTE_ERROR_STATE, i, "cell keys: point %u stands in a wrong cell", i);
    }
    bool ends = keys->count == 0 || (cell + 1 == keys->cell_count && keys->first[cell + 1] == keys->count);
    return ends ? MOTE_OK : mote_fail(error, MOTE_ERROR_STATE, cell, "cell keys: cells do not end with the points");
}
