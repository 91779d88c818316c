// SPDX-License-Identifier: MIT
// Rows as pairs: two parallel arrays of indices, and what the rows hold besides.
//
// Rows are divided into blocks. The pairs of each block are counted, their sum gives every block its place, and the
// blocks are written at the same time. What is written is as many bytes as the pairs have, once, one row after the
// other.

#include <math.h>
#include <string.h>

#include "neighbors/collect.h"

enum { ROWS = 4096 };  // rows of a block

typedef struct pairs_task {
    const mote_lists *lists;
    const mote_pair_arrays *to;
    uint64_t *first;  // of each block: the number of its pairs, then where they begin
} pairs_task;

static bool keeps(const mote_pair_arrays *to, const mote_row *row, size_t k)
{
    return mote_keeps_pair(to->half, row->index, row->indices[k], row->shifts ? row->shifts + 3 * k : NULL);
}

static uint64_t count_row(const mote_pair_arrays *to, const mote_row *row)
{
    if (!to->half) return row->count;
    uint64_t count = 0;
    for (size_t k = 0; k < row->count; ++k) count += keeps(to, row, k);
    return count;
}

static void count_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const pairs_task *task = data;
    uint64_t count = 0;
    for (size_t i = begin; i < end; ++i) {
        const mote_row row = mote_lists_row(task->lists, (uint32_t)i);
        count += count_row(task->to, &row);
    }
    task->first[begin / ROWS] = count;
}

static void put_indices(const mote_pair_arrays *to, uint64_t at, uint32_t i, const uint32_t *j, size_t count)
{
    if (to->is_64) {
        int64_t *const from = to->i ? (int64_t *)to->i + at : NULL, *const into = to->j ? (int64_t *)to->j + at : NULL;
        for (size_t k = 0; k < count && from; ++k) from[k] = i;
        for (size_t k = 0; k < count && into; ++k) into[k] = j[k];
        return;
    }
    uint32_t *const from = to->i ? (uint32_t *)to->i + at : NULL, *const into = to->j ? (uint32_t *)to->j + at : NULL;
    for (size_t k = 0; k < count && from; ++k) from[k] = i;
    for (size_t k = 0; k < count && into; ++k) into[k] = j[k];
}

static void put_roots(void *to, uint64_t at, const mote_row *row, size_t first, size_t count)
{
    for (size_t k = 0; k < count; ++k) {
        if (row->squared)
            ((float *)to)[at + k] = sqrtf(row->squared[first + k]);
        else
            ((double *)to)[at + k] = sqrt(row->squared_f64[first + k]);
    }
}

// Writes the pairs first … first + count − 1 of a row to place `at`.
static void put_pairs(const mote_pair_arrays *to, uint64_t at, const mote_row *row, size_t first, size_t count)
{
    const size_t scalar = row->squared || row->differences ? sizeof(float) : sizeof(double);
    const char *squared = row->squared ? (const void *)row->squared : row->squared_f64;
    const char *differences = row->differences ? (const void *)row->differences : row->differences_f64;
    put_indices(to, at, row->index, row->indices + first, count);
    if (to->distances) put_roots(to->distances, at, row, first, count);
    if (to->squared) memcpy((char *)to->squared + at * scalar, squared + first * scalar, count * scalar);
    if (to->differences)
        memcpy((char *)to->differences + 3 * at * scalar, differences + 3 * first * scalar, 3 * count * scalar);
    if (to->shifts) memcpy(to->shifts + 3 * at, row->shifts + 3 * first, 3 * count * sizeof *to->shifts);
}

static void fill_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const pairs_task *task = data;
    const mote_pair_arrays *to = task->to;
    uint64_t at = task->first[begin / ROWS];
    for (size_t i = begin; i < end; ++i) {
        const mote_row row = mote_lists_row(task->lists, (uint32_t)i);
        if (!to->half) {
            if (row.count) put_pairs(to, at, &row, 0, row.count);
            at += row.count;
            continue;
        }
        for (size_t k = 0; k < row.count; ++k)
            if (keeps(to, &row, k)) put_pairs(to, at++, &row, k, 1);
    }
}

static mote_result refuse_column(const char *column, const char *feature, mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "pairs: %s, which the lists do not have, expected %s in the def's "
                     "features", column, feature);
}

static mote_result check_columns(const mote_lists *lists, const mote_pair_arrays *to, mote_error *error)
{
    if (lists->total == 0) return MOTE_OK;
    if ((to->distances || to->squared) && !lists->squared && !lists->squared_f64)
        return refuse_column(to->distances ? "distances" : "squared distances", "MOTE_NEIGHBORS_DISTANCES", error);
    if (to->differences && !lists->differences && !lists->differences_f64)
        return refuse_column("differences", "MOTE_NEIGHBORS_DIFFERENCES", error);
    if (to->shifts && !lists->shifts) return refuse_column("shifts", "MOTE_NEIGHBORS_PERIODIC", error);
    return MOTE_OK;
}

mote_result mote_lists_to_pairs(mote_context *context, const mote_lists *lists, const mote_pair_arrays *to,
                                uint64_t *count, mote_error *error)
{
    if (!lists || !to || !count) return mote_fail_null(error, "pairs", !lists ? "lists" : !to ? "to" : "count");
    mote_result result = check_columns(lists, to, error);
    if (result != MOTE_OK) return result;
    const size_t blocks = mote_block_count(lists->count, ROWS), bytes = mote_bytes(blocks + 1, sizeof(uint64_t));
    pairs_task task = {lists, to, mote_allocate(context, bytes)};
    if (!task.first) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "pairs: no memory to count them");
    mote_parallel_for(context, lists->count, ROWS, count_block, &task);
    uint64_t sum = 0;
    for (size_t b = 0; b < blocks; ++b) {
        const uint64_t pairs = task.first[b];
        task.first[b] = sum;
        sum += pairs;
    }
    MOTE_ASSERT(to->half ? sum <= lists->total : sum == lists->total);
    *count = sum;
    const bool writes = to->i || to->j || to->distances || to->squared || to->differences || to->shifts;
    if (writes && sum > to->capacity)
        result = mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "pairs: room for %llu, expected at least %llu",
                           (unsigned long long)to->capacity, (unsigned long long)sum);
    else if (writes)
        mote_parallel_for(context, lists->count, ROWS, fill_block, &task);
    mote_release(context, task.first, bytes);
    return result;
}
