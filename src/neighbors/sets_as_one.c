// SPDX-License-Identifier: MIT
// The rows of several sets as one: rows of all points, set after set, joined from the lists of all pairs of sets.

#include <string.h>

#include "neighbors/kept_lists.h"
#include "neighbors/sets_state.h"

enum { ROWS = 256 };  // rows of a block of work

typedef struct join_task {
    const neighbors_sets *sets;
    const bool *active;
    const mote_lists *pairs;
    const uint64_t *first_row;
    uint64_t *first;
    uint32_t *counts, *indices;
    void *squared, *differences;
    int32_t *shifts;
    size_t scalar;  // bytes
} join_task;

// Returns the set that a row belongs to.
static uint32_t find_set(const join_task *task, uint64_t row)
{
    uint32_t low = 0, high = task->sets->count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (task->first_row[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void count_rows(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const join_task *task = data;
    const uint32_t sets = task->sets->count;
    uint32_t s = find_set(task, begin);
    for (size_t row = begin; row < end; ++row) {
        uint64_t count = 0;
        while (row >= task->first_row[s + 1]) ++s;
        for (uint32_t t = 0; t < sets; ++t)
            if (mote_set_pair_is_active(task->sets, task->active, s, t))
                count += task->pairs[(size_t)s * sets + t].counts[row - task->first_row[s]];
        MOTE_ASSERT(count <= UINT32_MAX);
        task->counts[row] = (uint32_t)count;
        task->first[row] = count;
    }
}

// Copies a row of a pair behind the others; its points are numbered through all sets.
static uint64_t append_row(const join_task *task, uint64_t at, uint32_t t, mote_row row)
{
    const uint32_t offset = (uint32_t)task->first_row[t];
    const size_t count = row.count, scalar = task->scalar;
    if (!count) return at;
    for (size_t k = 0; k < count; ++k) task->indices[at + k] = row.indices[k] + offset;
    const void *squared = row.squared ? (const void *)row.squared : row.squared_f64;
    const void *differences = row.differences ? (const void *)row.differences : row.differences_f64;
    if (squared) memcpy((char *)task->squared + at * scalar, squared, count * scalar);
    if (differences) memcpy((char *)task->differences + 3 * at * scalar, differences, 3 * count * scalar);
    if (row.shifts) memcpy(task->shifts + 3 * at, row.shifts, 3 * count * sizeof(int32_t));
    return at + count;
}

static void join_rows(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const join_task *task = data;
    const uint32_t sets = task->sets->count;
    uint32_t s = find_set(task, begin);
    for (size_t row = begin; row < end; ++row) {
        uint64_t at = task->first[row];
        while (row >= task->first_row[s + 1]) ++s;
        const uint32_t i = (uint32_t)(row - task->first_row[s]);
        for (uint32_t t = 0; t < sets; ++t)
            if (mote_set_pair_is_active(task->sets, task->active, s, t))
                at = append_row(task, at, t, mote_lists_row(task->pairs + (size_t)s * sets + t, i));
        MOTE_ASSERT(at == task->first[row] + task->counts[row]);
    }
}

// Reserves what the rows as one need, in the memory of the search's own lists.
static mote_result reserve_joined(mote_neighbors *search, join_task *task, size_t rows, uint64_t total)
{
    list_memory *memory = &search->lists;
    if (total > SIZE_MAX / (3 * sizeof(double)) - 1) return MOTE_ERROR_OUT_OF_MEMORY;
    const size_t room = (size_t)total + 1;
    const struct {
        mote_buffer *buffer;
        bool is_wanted;
        size_t bytes;
    } columns[] = {
        {&memory->first, true, mote_bytes(rows + 1, sizeof(uint64_t))},
        {&memory->counts, true, mote_bytes(rows + 1, sizeof(uint32_t))},
        {&memory->indices, true, room * sizeof(uint32_t)},
        {&memory->squared, mote_search_has(search, MOTE_NEIGHBORS_DISTANCES), room * task->scalar},
        {&memory->differences, mote_search_has(search, MOTE_NEIGHBORS_DIFFERENCES), room * 3 * task->scalar},
        {&memory->shifts, mote_search_has(search, MOTE_NEIGHBORS_PERIODIC), room * 3 * sizeof(int32_t)},
    };
    for (size_t c = 0; c < sizeof columns / sizeof *columns; ++c)
        if (columns[c].is_wanted) {
            const mote_result result = mote_buffer_reserve(search->context, columns[c].buffer, columns[c].bytes, 0);
            if (result != MOTE_OK) return result;
        }
    task->first = memory->first.data;
    task->counts = memory->counts.data;
    task->indices = memory->indices.data;
    task->squared = memory->squared.data;
    task->differences = memory->differences.data;
    task->shifts = memory->shifts.data;
    return MOTE_OK;
}

// Numbers the rows of all sets; the error's index is the number of rows if there are too many.
static mote_result number_rows(mote_neighbors *search, uint64_t **first_row, mote_error *error)
{
    neighbors_sets *sets = search->sets;
    const size_t bytes = mote_bytes((size_t)sets->count + 1, sizeof(uint64_t));
    mote_result result = mote_buffer_reserve(search->context, &sets->first_row, bytes, 0);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "neighbors: rows as one");
    uint64_t rows = 0, *first = sets->first_row.data;
    for (uint32_t s = 0; s < sets->count; ++s) {
        first[s] = rows;
        rows += mote_set_get(sets, s)->search->count;
    }
    first[sets->count] = rows;
    *first_row = first;
    if (rows < UINT32_MAX) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_ARGUMENT, rows,
                     "neighbors: the sets have %llu points together, expected at most 2^32 - 2 for rows as one",
                     (unsigned long long)rows);
}

mote_result mote_neighbors_lists_as_one(mote_neighbors *search, const bool *active, size_t pair_count,
                                        mote_lists *lists, mote_error *error)
{
    if (!search || !lists) return mote_fail_null(error, "neighbors", search ? "lists" : "the object");
    memset(lists, 0, sizeof *lists);
    uint64_t *first_row = NULL;
    mote_result result = mote_sets_check_pairs(search, active, pair_count, error);
    if (result == MOTE_OK) result = number_rows(search, &first_row, error);
    if (result != MOTE_OK) return result;
    neighbors_sets *sets = search->sets;
    mote_latest_lists_forget(search);
    const size_t bytes = mote_bytes(pair_count + 1, sizeof(mote_lists));
    result = mote_buffer_reserve(search->context, &sets->pairs, bytes, 0);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "neighbors: rows as one");
    result = mote_sets_find_pairs(search, active, sets->pairs.data, error);
    if (result != MOTE_OK) return result;

    join_task task = {.sets = sets, .active = active, .pairs = sets->pairs.data, .first_row = first_row};
    task.scalar = search->scalar == MOTE_F64 ? sizeof(double) : sizeof(float);
    const size_t rows = (size_t)first_row[sets->count];
    uint64_t total = 0;
    for (size_t p = 0; p < pair_count; ++p) total += task.pairs[p].total;
    result = reserve_joined(search, &task, rows, total);
    if (result != MOTE_OK)
        return mote_fail(error, result, 0, "neighbors: no memory for the rows as one: %llu neighbours",
                         (unsigned long long)total);
    mote_parallel_for(search->context, rows, ROWS, count_rows, &task);
    const uint64_t sum = mote_prefix_sum_u64(task.first, rows);
    MOTE_ASSERT(sum == total);
    (void)sum;
    mote_parallel_for(search->context, rows, ROWS, join_rows, &task);

    mote_lists joined = {.count = rows, .first = task.first, .counts = task.counts, .indices = task.indices};
    const bool is_f64 = search->scalar == MOTE_F64;
    if (mote_search_has(search, MOTE_NEIGHBORS_DISTANCES) && is_f64) joined.squared_f64 = task.squared;
    if (mote_search_has(search, MOTE_NEIGHBORS_DISTANCES) && !is_f64) joined.squared = task.squared;
    if (mote_search_has(search, MOTE_NEIGHBORS_DIFFERENCES) && is_f64) joined.differences_f64 = task.differences;
    if (mote_search_has(search, MOTE_NEIGHBORS_DIFFERENCES) && !is_f64) joined.differences = task.differences;
    if (mote_search_has(search, MOTE_NEIGHBORS_PERIODIC)) joined.shifts = task.shifts;
    joined.total = total;
    *lists = joined;
    mote_latest_lists_note(search, lists);
    return MOTE_OK;
}
