// SPDX-License-Identifier: MIT
// The points whose rows are wanted, in the order of cells.
//
// Neighbours of points that lie together are found together, so rows are found in the order of cells, whatever the
// order in which they are asked for.

#include "neighbors/grid_source.h"

#include <stdatomic.h>
#include <string.h>

row_source mote_source_all(const cell_sort *sort)
{
    return (row_source){.points = mote_sorted_columns(sort), .count = sort->count};
}

// -------------------------------------------------------------------------------------------------------- subsets

enum {
    BLOCK = 16384,
    FEW = 16,  // a subset of less than one point in this many is sorted by place
    WORD = 32  // points of a mark
};

#define NO_ROW UINT32_MAX

typedef struct subset_task {
    const cell_sort *sort;
    const uint32_t *place_of;
    const uint32_t *wanted;     // indices of points
    uint64_t *keys;             // the place of each row's point
    wanted_points *marks;
    size_t mark_count;
    atomic_bool is_mixed;       // the indices do not ascend
    _Atomic(uint32_t) *row_of;  // then: the row of each point, or NO_ROW
    atomic_uint_least64_t marked;
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

static void check_order(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    subset_task *task = data;
    const uint32_t *wanted = task->wanted;
    uint32_t steps_back = 0;
    for (size_t k = begin + (begin == 0); k < end; ++k) steps_back += wanted[k - 1] >= wanted[k];
    if (steps_back > 0) atomic_store_explicit(&task->is_mixed, true, memory_order_relaxed);
}

// The first of the ascending indices that is not below a limit.
static size_t first_from(const uint32_t *wanted, size_t count, size_t limit)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (wanted[middle] < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Marks words of points whose indices ascend in the subset.
static void mark_ascending(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const subset_task *task = data;
    const uint32_t *wanted = task->wanted;
    size_t k = first_from(wanted, task->count, begin * WORD);
    for (size_t w = begin; w < end; ++w) {
        wanted_points mark = {0, (uint32_t)k};
        for (; k < task->count && wanted[k] / WORD == w; ++k) mark.bits |= UINT32_C(1) << wanted[k] % WORD;
        task->marks[w] = mark;
    }
}

static void clear_rows(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const subset_task *task = data;
    memset((void *)(task->row_of + begin), 0xFF, (end - begin) * sizeof *task->row_of);
}

// If a point is wanted repeatedly, one of its rows remains.
static void note_rows(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const subset_task *task = data;
    for (size_t k = begin; k < end; ++k)
        atomic_store_explicit(task->row_of + task->wanted[k], (uint32_t)k, memory_order_relaxed);
}

// Marks words of points that have rows.
static void mark_noted(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    subset_task *task = data;
    const uint32_t *rows = (const uint32_t *)(const void *)task->row_of;
    uint32_t count = 0;
    for (size_t w = begin; w < end; ++w) {
        uint32_t bits = 0;
        for (uint32_t k = 0; k < WORD; ++k) bits |= (uint32_t)(rows[w * WORD + k] != NO_ROW) << k;
        task->marks[w] = (wanted_points){bits, 0};
        count += mote_count_bits(bits);
    }
    atomic_fetch_add_explicit(&task->marked, count, memory_order_relaxed);
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

// Marks the wanted points, by index. Whoever goes through a part of all points picks those that are marked.
mote_result mote_source_many(const mote_context *context, source_memory *memory, const cell_sort *sort,
                             const uint32_t *points, size_t count, row_source *source, bool *served)
{
    subset_task task = {.sort = sort, .wanted = points, .count = count, .mark_count = sort->count / WORD + 1};
    *served = count >= sort->count / FEW && count <= sort->count;
    if (!*served) return MOTE_OK;
    atomic_init(&task.is_mixed, false);
    atomic_init(&task.marked, 0);
    mote_parallel_for(context, count, BLOCK, check_order, &task);
    const bool is_mixed = atomic_load(&task.is_mixed);
    const size_t each = sizeof *task.marks + (is_mixed ? WORD * sizeof *task.row_of : 0);
    const size_t bytes = mote_bytes(task.mark_count, each);
    const mote_result result = mote_buffer_reserve(context, &memory->subset, bytes, 0);
    if (result != MOTE_OK) return result;
    task.marks = memory->subset.data;
    if (is_mixed) {
        task.row_of = (void *)(task.marks + task.mark_count);
        mote_parallel_for(context, task.mark_count * WORD, BLOCK, clear_rows, &task);
        mote_parallel_for(context, count, BLOCK, note_rows, &task);
    }
    mote_parallel_for(context, task.mark_count, BLOCK / WORD, is_mixed ? mark_noted : mark_ascending, &task);
    *served = !is_mixed || atomic_load(&task.marked) == count;
    *source = (row_source){.count = sort->count, .wanted = task.marks,
                           .row_of = (const uint32_t *)(const void *)task.row_of};
    return MOTE_OK;
}

mote_result mote_source_subset(const mote_context *context, source_memory *memory, const cell_sort *sort,
                               const uint32_t *place_of, const uint32_t *points, size_t count, row_source *source)
{
    subset_task task = {.sort = sort, .place_of = place_of, .wanted = points, .count = count};
    const mote_result result = sort_rows(context, &memory->subset, count, &task);
    *source = (row_source){.points = task.to, .count = count, .places = task.places};
    return result;
}

void mote_source_pick(const row_source *from, const cell_sort *sort, const scan_lanes *lanes, size_t begin, size_t end,
                      uint32_t *memory, row_source *picked)
{
    const size_t room = mote_source_pick_room(end - begin);
    float *x = (float *)(void *)memory;
    const point_columns to = {x, x + room, x + 2 * room, memory + 3 * room};
    uint32_t *places = memory + 4 * room;
    const point_columns sorted = mote_sorted_columns(sort);
    const size_t count = lanes->pick(sorted, begin, end - begin, from->wanted, from->row_of, to, places);
    *picked = (row_source){.points = to, .count = count, .places = places};
}

// The row of the point at a place, or NO_ROW.
static uint32_t row_at(const row_source *source, const cell_sort *sort, size_t place)
{
    const uint32_t index = sort->index[place];
    if (source->row_of) return source->row_of[index];
    const wanted_points some = source->wanted[index / WORD];
    const uint32_t bit = index % WORD;
    return some.bits >> bit & 1 ? some.before + mote_count_bits(some.bits & ~(UINT32_MAX << bit)) : NO_ROW;
}

void mote_source_sample(const row_source *source, const cell_sort *sort, uint32_t *rows, size_t windows, size_t each)
{
    for (size_t w = 0; w < windows; ++w) {
        size_t found = 0;
        for (size_t p = source->count / windows * w; p < source->count && found < each; ++p) {
            const uint32_t row = row_at(source, sort, p);
            if (row != NO_ROW) rows[w * each + found++] = row;
        }
        for (; found < each; ++found) rows[w * each + found] = found ? rows[w * each] : 0;
    }
}

// -------------------------------------------------------------------------------------------------------- queries

mote_result mote_source_queries(const mote_context *context, source_memory *memory, const cell_sort *sort,
                                const relative_frame *frame, const mote_points *queries, const uint32_t *numbers,
                                row_source *source)
{
    mote_points relative = *queries;
    mote_result result = MOTE_OK;
    if (frame) result = mote_relative_points(context, frame, queries, false, &memory->relative, &relative);
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
