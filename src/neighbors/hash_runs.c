// SPDX-License-Identifier: MIT
// Sorts points by cell, and the cells by bucket.
//
// Both sorts are stable: two radix sorts for the points, least significant part first, and a counting sort for the
// cells.

#include "neighbors/hash_runs.h"

#include <string.h>

enum { BLOCK = 8192 };

typedef struct key_task {
    const grid_cell *cells;
    const uint32_t *order;  // NULL: in the given order
    uint64_t *keys;
    uint32_t *indices;  // filled if there is no order yet
} key_task;

// Converts a coordinate so that unsigned order equals the order of the coordinates.
static uint64_t biased(int32_t coordinate)
{
    return (uint32_t)coordinate ^ UINT32_C(0x80000000);
}

static void make_low_keys(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const key_task *task = data;
    for (size_t i = begin; i < end; ++i) {
        task->keys[i] = biased(task->cells[i].at[1]) << 32 | biased(task->cells[i].at[0]);
        task->indices[i] = (uint32_t)i;
    }
}

static void make_high_keys(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const key_task *task = data;
    for (size_t k = begin; k < end; ++k) task->keys[k] = biased(task->cells[task->order[k]].at[2]);
}

static mote_result sort_points(const mote_context *context, cell_runs *runs, const grid_cell *cells, size_t n)
{
    key_task task = {cells, NULL, runs->keys.data, runs->order.data};
    mote_parallel_for(context, n, BLOCK, make_low_keys, &task);
    mote_result result = mote_sort_u64(context, runs->keys.data, runs->order.data, runs->keys_spare.data,
                                       runs->order_spare.data, n);
    if (result != MOTE_OK) return result;
    task.order = runs->order.data;
    mote_parallel_for(context, n, BLOCK, make_high_keys, &task);
    return mote_sort_u64(context, runs->keys.data, runs->order.data, runs->keys_spare.data, runs->order_spare.data, n);
}

static uint32_t count_runs(const grid_cell *cells, const uint32_t *order, size_t n)
{
    uint32_t count = n > 0;
    for (size_t k = 1; k < n; ++k) count += !mote_cells_are_equal(cells[order[k - 1]], cells[order[k]]);
    return count;
}

static void list_runs(const grid_cell *cells, const uint32_t *order, size_t n, cell_run *run)
{
    for (size_t k = 0; k < n; ++run) {
        *run = (cell_run){.at = cells[order[k]], .first = (uint32_t)k};
        while (k < n && mote_cells_are_equal(cells[order[k]], run->at)) ++k;
        run->count = (uint32_t)k - run->first;
    }
}

static void sort_runs(cell_runs *runs, const cell_hasher *hasher)
{
    const cell_run *unsorted = runs->unsorted.data;
    cell_run *sorted = runs->runs.data;
    uint32_t *first = runs->bucket_first.data, *next = first + 1;
    memset(first, 0, ((size_t)hasher->size + 1) * sizeof *first);
    for (uint32_t r = 0; r < runs->count; ++r) next[mote_hash_cell(hasher, unsorted[r].at)] += 1;
    mote_prefix_sum_u32(next, hasher->size);
    for (uint32_t r = 0; r < runs->count; ++r) sorted[next[mote_hash_cell(hasher, unsorted[r].at)]++] = unsorted[r];
    MOTE_ASSERT(first[hasher->size] == runs->count);
}

static mote_result reserve(const mote_context *context, mote_buffer *buffer, size_t count, size_t size)
{
    return mote_buffer_reserve(context, buffer, mote_bytes(count, size), 0);
}

mote_result mote_cell_runs_make(const mote_context *context, cell_runs *runs, const grid_cell *cells, size_t n,
                                const cell_hasher *hasher)
{
    mote_result result = reserve(context, &runs->bucket_first, (size_t)hasher->size + 1, sizeof(uint32_t));
    if (result == MOTE_OK) result = reserve(context, &runs->order, n, sizeof(uint32_t));
    if (result == MOTE_OK) result = reserve(context, &runs->order_spare, n, sizeof(uint32_t));
    if (result == MOTE_OK) result = reserve(context, &runs->keys, n, sizeof(uint64_t));
    if (result == MOTE_OK) result = reserve(context, &runs->keys_spare, n, sizeof(uint64_t));
    if (result == MOTE_OK) result = sort_points(context, runs, cells, n);
    if (result != MOTE_OK) return result;

    runs->count = count_runs(cells, runs->order.data, n);
    result = reserve(context, &runs->unsorted, runs->count, sizeof(cell_run));
    if (result == MOTE_OK) result = reserve(context, &runs->runs, runs->count, sizeof(cell_run));
    if (result != MOTE_OK) return result;
    list_runs(cells, runs->order.data, n, runs->unsorted.data);
    sort_runs(runs, hasher);
    return MOTE_OK;
}

void mote_cell_runs_release(const mote_context *context, cell_runs *runs)
{
    mote_buffer_release(context, &runs->bucket_first);
    mote_buffer_release(context, &runs->runs);
    mote_buffer_release(context, &runs->order);
    mote_buffer_release(context, &runs->unsorted);
    mote_buffer_release(context, &runs->keys);
    mote_buffer_release(context, &runs->keys_spare);
    mote_buffer_release(context, &runs->order_spare);
    runs->count = 0;
}

size_t mote_cell_runs_byte_count(const cell_runs *runs)
{
    return runs->bucket_first.bytes + runs->runs.bytes + runs->order.bytes + runs->unsorted.bytes + runs->keys.bytes +
           runs->keys_spare.bytes + runs->order_spare.bytes;
}
