// SPDX-License-Identifier: MIT
// The points whose rows are wanted, in the order of cells.
//
// Neighbours of points that lie together are found together, so rows are found in the order of cells, whatever the
// order in which they are asked for.

#include "neighbors/grid_source.h"

#include <stdatomic.h>
#include <string.h>

#include "neighbors/lanes.h"

row_source mote_source_all(const cell_sort *sort)
{
    return (row_source){.points = mote_sorted_columns(sort), .count = sort->count};
}

// -------------------------------------------------------------------------------------------------------- subsets

enum {
    BLOCK = 16384,
    PIECE = 256,  // places looked through together
    FEW = 16      // a subset of less than one point in this many is sorted by place
};
#define NO_ROW UINT32_MAX

typedef struct subset_task {
    const cell_sort *sort;
    const scan_lanes *lanes;
    const uint32_t *place_of;
    const uint32_t *wanted;     // indices of points
    uint64_t *keys;             // the place of each row's point
    _Atomic(uint32_t) *row_at;  // the row of the point at each place, or NO_ROW
    uint32_t *begins;           // the number of rows of each block of places, then of those before it
    uint32_t *places;
    point_columns to;
    size_t count;  // rows
} subset_task;

static inline void put_point(const subset_task *task, size_t k, uint32_t place)
{
    const cell_sort *sort = task->sort;
    task->places[k] = place;
    task->to.x[k] = sort->x[place];
    task->to.y[k] = sort->y[place];
    task->to.z[k] = sort->z[place];
}

static void find_places(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const subset_task *task = data;
    for (size_t k = begin; k < end; ++k) {
        task->keys[k] = task->place_of[task->wanted[k]];
        task->to.index[k] = (uint32_t)k;
    }
}

static void put_sorted(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const subset_task *task = data;
    for (size_t k = begin; k < end; ++k) put_point(task, k, (uint32_t)task->keys[k]);
}

static void clear_places(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const subset_task *task = data;
    memset((void *)(task->row_at + begin), 0xFF, (end - begin) * sizeof *task->row_at);
}

// If a point is wanted repeatedly, one of its rows remains.
static void mark_places(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const subset_task *task = data;
    for (size_t k = begin; k < end; ++k) {
        const uint32_t place = task->place_of[task->wanted[k]];
        atomic_store_explicit(task->row_at + place, (uint32_t)k, memory_order_relaxed);
    }
}

// Copies the rows of some places, with what a vector may read behind them.
static size_t get_rows(const subset_task *task, size_t first, size_t end, uint32_t rows[PIECE + MOTE_WIDE_MOST])
{
    const size_t count = MOTE_MIN((size_t)PIECE, end - first);
    memcpy(rows, (const void *)(task->row_at + first), count * sizeof *rows);
    return count;
}

static void count_marked(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const subset_task *task = data;
    uint32_t rows[PIECE + MOTE_WIDE_MOST], count = 0;
    for (size_t first = begin; first < end; first += PIECE) {
        const size_t places = get_rows(task, first, end, rows);
        for (size_t p = 0; p < places; ++p) count += rows[p] != NO_ROW;
    }
    task->begins[begin / BLOCK] = count;
}

static inline point_columns columns_at(point_columns columns, size_t at)
{
    return (point_columns){columns.x + at, columns.y + at, columns.z + at, columns.index + at};
}

// Copies the points of a block's marked places: the last ones to a piece of its own first, as what is copied together
// overlaps the next block.
static void put_marked(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const subset_task *task = data;
    const point_columns to = task->to, from = mote_sorted_columns(task->sort);
    float x[PIECE + MOTE_WIDE_MOST], y[PIECE + MOTE_WIDE_MOST], z[PIECE + MOTE_WIDE_MOST];
    uint32_t rows[PIECE + MOTE_WIDE_MOST] = {0}, index[PIECE + MOTE_WIDE_MOST], places[PIECE + MOTE_WIDE_MOST];
    const size_t next = end < task->sort->count ? task->begins[end / BLOCK] : task->count;
    size_t at = task->begins[begin / BLOCK];
    for (size_t first = begin; first < end; first += PIECE) {
        const size_t wanted = get_rows(task, first, end, rows);
        if (at + PIECE + MOTE_WIDE_MOST <= next) {
            at += task->lanes->pick(from, first, rows, wanted, columns_at(to, at), task->places + at);
            continue;
        }
        const size_t count = task->lanes->pick(from, first, rows, wanted, (point_columns){x, y, z, index}, places);
        memcpy(to.x + at, x, count * sizeof *x);
        memcpy(to.y + at, y, count * sizeof *y);
        memcpy(to.z + at, z, count * sizeof *z);
        memcpy(to.index + at, index, count * sizeof *index);
        memcpy(task->places + at, places, count * sizeof *places);
        at += count;
    }
}

// Reserves the columns of the source's points, and `more` bytes that `*rest` points to.
static mote_result reserve_columns(const mote_context *context, mote_buffer *memory, size_t count, size_t more,
                                   subset_task *task, void **rest)
{
    const size_t room = count + CELL_PADDING, each = 2 * sizeof(uint32_t) + 3 * sizeof(float);
    const size_t columns = mote_bytes((room + 1) / 2 * 2, each);
    if (columns == SIZE_MAX || more > SIZE_MAX - columns) return MOTE_ERROR_OUT_OF_MEMORY;
    const mote_result result = mote_buffer_reserve(context, memory, columns + more, 0);
    if (result != MOTE_OK) return result;
    float *x = memory->data;
    uint32_t *index = (uint32_t *)(void *)(x + 3 * room);
    task->to = (point_columns){x, x + room, x + 2 * room, index};
    task->places = index + room;
    *rest = (char *)memory->data + columns;
    return MOTE_OK;
}

// Sorts the rows by place.
static mote_result sort_rows(const mote_context *context, mote_buffer *memory, size_t count, subset_task *task)
{
    void *rest;
    const size_t more = mote_bytes(count, 2 * sizeof(uint64_t) + sizeof(uint32_t));
    mote_result result = reserve_columns(context, memory, count, more, task, &rest);
    if (result != MOTE_OK) return result;
    task->keys = rest;
    uint64_t *keys_spare = task->keys + count;
    uint32_t *numbers_spare = (uint32_t *)(void *)(keys_spare + count);
    mote_parallel_for(context, count, BLOCK, find_places, task);
    result = mote_sort_u64(context, task->keys, task->to.index, keys_spare, numbers_spare, count);
    if (result == MOTE_OK) mote_parallel_for(context, count, BLOCK, put_sorted, task);
    return result;
}

// Marks the wanted places and lists them in order, which is faster if they are many. `*found` is false if a point is
// wanted repeatedly.
static mote_result mark_rows(const mote_context *context, mote_buffer *memory, size_t count, subset_task *task,
                             bool *found)
{
    void *rest;
    const size_t places = task->sort->count, blocks = mote_block_count(places, BLOCK);
    const size_t more = mote_bytes(places + blocks, sizeof(uint32_t));
    const mote_result result = reserve_columns(context, memory, count, more, task, &rest);
    *found = false;
    if (result != MOTE_OK) return result;
    task->begins = rest;
    task->row_at = (void *)(task->begins + blocks);
    mote_parallel_for(context, places, BLOCK, clear_places, task);
    mote_parallel_for(context, count, BLOCK, mark_places, task);
    mote_parallel_for(context, places, BLOCK, count_marked, task);
    *found = mote_prefix_sum_u32(task->begins, blocks) == count;
    if (*found) mote_parallel_for(context, places, BLOCK, put_marked, task);
    return result;
}

mote_result mote_source_subset(const mote_context *context, source_memory *memory, const cell_sort *sort,
                               const uint32_t *place_of, const uint32_t *points, size_t count, row_source *source)
{
    subset_task task = {.sort = sort, .place_of = place_of, .wanted = points, .count = count};
    task.lanes = mote_neighbors_lanes_choose(context)->scan;
    bool found = false;
    mote_result result = MOTE_OK;
    if (count >= sort->count / FEW && count <= sort->count)
        result = mark_rows(context, &memory->subset, count, &task, &found);
    if (result == MOTE_OK && !found) result = sort_rows(context, &memory->subset, count, &task);
    *source = (row_source){.points = task.to, .count = count, .places = task.places};
    return result;
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
