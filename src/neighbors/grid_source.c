// SPDX-License-Identifier: MIT
// The points whose rows are wanted, in the order of cells.
//
// Neighbours of points that lie together are found together, so rows are found in the order of cells, whatever the
// order in which they are asked for.

#include "neighbors/grid_source.h"

row_source mote_source_all(const cell_sort *sort)
{
    return (row_source){.points = mote_sorted_columns(sort), .count = sort->count};
}

// -------------------------------------------------------------------------------------------------------- subsets

uint32_t mote_source_place(const cell_sort *sort, const relative_frame *frame, const point_store *stored, uint32_t i)
{
    double at[3];
    float p[3];
    mote_point_store_get(stored, i, at);
    for (int k = 0; k < 3; ++k) p[k] = frame ? 0 : (float)at[k];
    for (int k = 0; k < sort->dimensions && frame; ++k) p[k] = mote_relative(frame, at[k], k);
    const uint64_t cell = mote_cell_number(sort, mote_cell_of(sort, p[0], p[1], p[2]));
    uint32_t low = sort->start[cell], high = sort->start[cell + 1] - 1;  // indices ascend in a cell
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (sort->index[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    MOTE_ASSERT(sort->index[low] == i);
    return low;
}

enum {
    BLOCK = 16384,
    FEW = 16  // of a subset of less than one point in this many, each is looked up in its cell
};

typedef struct subset_task {
    const cell_sort *sort;
    const relative_frame *frame;
    const point_store *stored;
    const uint32_t *wanted;  // indices of points
    uint32_t *place_of;      // of each point; NULL: they are looked up
    uint64_t *keys;          // places of the wanted points
    uint32_t *places;
    point_columns to;
} subset_task;

static void invert(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const subset_task *task = data;
    for (size_t p = begin; p < end; ++p) task->place_of[task->sort->index[p]] = (uint32_t)p;
}

static void find_places(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const subset_task *task = data;
    for (size_t k = begin; k < end; ++k) {
        const uint32_t i = task->wanted[k];
        task->keys[k] = task->place_of ? task->place_of[i]
                                       : mote_source_place(task->sort, task->frame, task->stored, i);
        task->to.index[k] = (uint32_t)k;
    }
}

static void fill_columns(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const subset_task *task = data;
    const cell_sort *sort = task->sort;
    for (size_t k = begin; k < end; ++k) {
        const uint32_t place = (uint32_t)task->keys[k];
        task->places[k] = place;
        task->to.x[k] = sort->x[place];
        task->to.y[k] = sort->y[place];
        task->to.z[k] = sort->z[place];
    }
}

mote_result mote_source_subset(const mote_context *context, source_memory *memory, const cell_sort *sort,
                               const relative_frame *frame, const point_store *stored, const uint32_t *points,
                               size_t count, row_source *source)
{
    const bool is_large = count >= sort->count / FEW;
    const size_t each = 2 * sizeof(uint64_t) + 3 * sizeof(uint32_t) + 3 * sizeof(float), room = count + CELL_PADDING;
    const size_t bytes = mote_bytes(room, each), more = is_large ? mote_bytes(sort->count, sizeof(uint32_t)) : 0;
    if (bytes > SIZE_MAX - more) return MOTE_ERROR_OUT_OF_MEMORY;
    mote_result result = mote_buffer_reserve(context, &memory->subset, bytes + more, 0);
    if (result != MOTE_OK) return result;
    uint64_t *keys = memory->subset.data, *spare = keys + room;
    uint32_t *numbers = (uint32_t *)(void *)(spare + room), *numbers_spare = numbers + room;
    uint32_t *places = numbers_spare + room;
    float *columns = (float *)(void *)(places + room);
    subset_task task = {sort, frame, stored, points, NULL, keys, places, {columns, columns + room, columns + 2 * room,
                                                                          numbers}};
    if (is_large) {
        task.place_of = (uint32_t *)(void *)(columns + 3 * room);
        mote_parallel_for(context, sort->count, BLOCK, invert, &task);
    }
    mote_parallel_for(context, count, BLOCK, find_places, &task);
    result = mote_sort_u64(context, keys, numbers, spare, numbers_spare, count);
    if (result != MOTE_OK) return result;
    mote_parallel_for(context, count, BLOCK, fill_columns, &task);
    *source = (row_source){.points = task.to, .count = count, .places = places};
    return MOTE_OK;
}

// -------------------------------------------------------------------------------------------------------- queries

mote_result mote_source_queries(const mote_context *context, source_memory *memory, const cell_sort *sort,
                                const relative_frame *frame, const mote_points *queries, const uint32_t *numbers,
                                row_source *source)
{
    mote_points relative = *queries;
    mote_result result = MOTE_OK;
    if (frame) result = mote_relative_points(context, frame, queries, &memory->relative, &relative);
    if (result == MOTE_OK) result = mote_cell_sort_guests(context, &memory->guests, &relative, sort);
    *source = mote_source_all(&memory->guests);
    source->cells = &memory->guests;
    for (size_t k = 0; k < source->count && numbers; ++k) source->points.index[k] = numbers[source->points.index[k]];
    return result;
}

void mote_source_release(const mote_context *context, source_memory *memory)
{
    mote_cell_sort_release(context, &memory->guests);
    mote_buffer_release(context, &memory->subset);
    mote_buffer_release(context, &memory->relative);
}

size_t mote_source_byte_count(const source_memory *memory)
{
    return mote_cell_sort_byte_count(&memory->guests) + memory->subset.bytes + memory->relative.bytes;
}
