// SPDX-License-Identifier: MIT
// Finds rows with all features: double points, radii, periodic boxes, half lists, distances, subsets, queries.
//
// Consecutive points that are close together form a group. All candidates of the group are gathered once, class by
// class and image by image: as runs of cells, culled against the group's box. Gathered candidates are stored as
// floats relative to the group, in units of its reach, so that one sieve in single precision (grid_sieve.h) serves
// all precisions and boxes. Only if the sieve cannot decide, within rounding of the reach, a candidate is passed to
// the exact test that defines neighbours.
//
// Margins: the sieve's shell and all boxes are widened by an upper bound of the rounding errors of the test itself,
// of positions wrapped into the box and of the floats (the documents' cells have no such margin, and lose neighbours).
// Points many periods away need wide margins and are classes of their own; each level of them has a segment of the
// candidates, with a shell of its own.
//
// If two points are so many periods apart, or so far away along an open axis with components in coordinates that
// periods change, that rounding destroys their places in the box, cells say nothing about them. Such pairs are tested
// one by one, unless the axes along which they are not so far apart keep them away from each other.

#include "neighbors/grid_rows.h"

#include <string.h>

#include "neighbors/grid_row_group.h"
#include "neighbors/lanes.h"

enum {
    STRETCH = 512,  // rows of a block of work
    SHARE = 16,     // a subset of at least one point in this many is sorted first
    MANY = 64       // from this many rows on, and this share of all pairs, it is said that pairs are tested one by one
};

// Returns the cell that contains the sorted point at a place.
static uint32_t find_cell(const class_sort *sort, uint32_t place)
{
    uint32_t low = 0, high = sort->cell_count;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sort->start[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void find_stretch(void *data, size_t begin, size_t end, uint32_t worker_id)
{
    const rows_task *task = data;
    rows_worker *worker = (rows_worker *)task->rows->workers.data + worker_id;
    row_writer *writer = task->writers + worker_id;
    const bool is_whole = !task->request->queries && !task->request->subset;
    uint32_t cell = is_whole ? find_cell(&task->rows->sort, (uint32_t)begin) : 0;
    row_group group;
    row_codes *codes = task->request->codes;
    for (size_t k = begin; k < end; k += group.count) {
        if (codes && atomic_load_explicit(&codes->is_unfit, memory_order_relaxed)) return;
        if (is_whole)
            mote_row_group_take_sorted(task, (uint32_t)k, (uint32_t)end, &cell, &group, writer);
        else if (task->subset)
            mote_row_group_take_subset(task, k, end, &group, writer);
        else
            mote_row_group_take_requested(task, k, end, &group);
        mote_row_group_close(task, &group);
        if (mote_row_group_find(task, &group, worker, writer)) continue;
        atomic_store(&writer->sink->out_of_memory, true);
        return;
    }
}

// Brings the rows of a subset into sorted order, by a counting sort.
static bool sort_subset(rows_task *task, mote_buffer *memory)
{
    const class_sort *sort = &task->rows->sort;
    const row_request *request = task->request;
    const size_t n = sort->count, count = request->count;
    const size_t bytes = mote_bytes(count, sizeof(subset_row)), more = mote_bytes(2 * n + 1, sizeof(uint32_t));
    if (bytes > SIZE_MAX - more) return false;
    if (mote_buffer_reserve(task->search->context, memory, bytes + more, 0) != MOTE_OK) return false;
    subset_row *rows = memory->data;
    uint32_t *place_of = (uint32_t *)(void *)(rows + count), *next = place_of + n;
    memset(next, 0, (n + 1) * sizeof *next);
    for (uint32_t p = 0; p < n; ++p) place_of[sort->index[p]] = p;
    for (size_t k = 0; k < count; ++k) next[place_of[request->subset[k]]] += 1;
    mote_prefix_sum_u32(next, n + 1);
    for (size_t k = 0; k < count; ++k) {
        const uint32_t place = place_of[request->subset[k]];
        rows[next[place]++] = (subset_row){(uint32_t)k, place};
    }
    MOTE_ASSERT(n == 0 || next[n - 1] == count);
    task->subset = rows;
    return true;
}

// What all rows of a request share.
static rows_task make_task(const mote_neighbors *search, const cell_rows *rows, const row_request *request,
                           row_writer *writers)
{
    const uint32_t columns = MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES | MOTE_NEIGHBORS_PERIODIC;
    rows_task task = {search, rows, request, writers, .lanes = mote_neighbors_lanes_choose(search->context)->sieve};
    task.periodic = mote_search_has(search, MOTE_NEIGHBORS_PERIODIC);
    task.half = mote_search_has(search, MOTE_NEIGHBORS_HALF) && !request->queries;
    task.indices_only = !mote_search_has(search, columns);
    const double most = search->points.max_radius;
    task.is_sharp = task.periodic && !request->queries &&
                    mote_margin_is_sharp(search, &rows->sort, mote_pair_reach(search, most, most));
    if (mote_search_has(search, MOTE_NEIGHBORS_RADII)) {
        if (search->def.radius_rule == MOTE_RADIUS_LARGER) task.rule = SIEVE_LARGER;
        if (search->def.radius_rule == MOTE_RADIUS_SUM) task.rule = SIEVE_SUM;
    }
    return task;
}

void mote_cell_rows_find_row(const mote_neighbors *search, const cell_rows *rows, const row_request *request,
                             row_writer *writer, mote_buffer *memory)
{
    const bool is_new = memory->bytes == 0;
    atomic_uint_least64_t blurred;
    atomic_init(&blurred, 0);
    bool done = mote_buffer_reserve(search->context, memory, sizeof(rows_worker), 0) == MOTE_OK;
    if (done) {
        rows_worker *worker = memory->data;
        if (is_new) memset(worker, 0, sizeof *worker);
        memset(&worker->shifts, 0, sizeof worker->shifts);
        memset(worker->hint, 0, sizeof worker->hint);  // of another search
        rows_task task = make_task(search, rows, request, writer);
        task.blurred = &blurred;
        row_group group;
        mote_row_group_take_requested(&task, 0, 1, &group);
        mote_row_group_close(&task, &group);
        done = mote_row_group_find(&task, &group, worker, writer);
    }
    if (!done) atomic_store(&writer->sink->out_of_memory, true);
}

static void release_worker(const mote_context *context, rows_worker *worker)
{
    mote_buffer_release(context, &worker->block.memory);
    mote_buffer_release(context, &worker->runs);
    mote_buffer_release(context, &worker->span_memory);
    mote_buffer_release(context, &worker->slots);
    mote_buffer_release(context, &worker->codes);
    mote_buffer_release(context, &worker->blurred);
}

void mote_cell_rows_release_memory(const mote_context *context, mote_buffer *memory)
{
    if (memory->data) release_worker(context, memory->data);
    mote_buffer_release(context, memory);
}

static size_t worker_bytes(const rows_worker *worker)
{
    return worker->block.memory.bytes + worker->runs.bytes + worker->span_memory.bytes + worker->slots.bytes +
           worker->codes.bytes + worker->blurred.bytes;
}

size_t mote_cell_rows_memory_bytes(const mote_buffer *memory)
{
    return memory->bytes + (memory->data ? worker_bytes(memory->data) : 0);
}

void mote_cell_rows_find(mote_neighbors *search, cell_rows *rows, const row_request *request, row_writer *writers)
{
    if (mote_buffer_reserve_workers(search->context, &rows->workers, sizeof(rows_worker)) != MOTE_OK) {
        atomic_store(&writers->sink->out_of_memory, true);
        return;
    }
    rows_worker *workers = rows->workers.data;  // the box may have changed
    for (size_t w = 0; w < rows->workers.bytes / sizeof *workers; ++w)
        memset(&workers[w].shifts, 0, sizeof workers[w].shifts);
    atomic_uint_least64_t blurred;
    atomic_init(&blurred, 0);
    rows_task task = make_task(search, rows, request, writers);
    task.blurred = &blurred;
    if (request->subset && request->count >= search->count / SHARE && !sort_subset(&task, &rows->subset)) {
        atomic_store(&writers->sink->out_of_memory, true);
        return;
    }
    mote_parallel_for(search->context, request->count, STRETCH, find_stretch, &task);
    const uint64_t all = (uint64_t)request->count * search->count;
    if (!rows->has_told && request->count >= MANY && atomic_load(&blurred) > all / MANY) {
        mote_log_message(search->context,
                         "neighbors: many points lie so many periods away that they are looked for one "
                         "by one, among all points: bring points into the box to be fast");
        rows->has_told = true;
    }
}

mote_result mote_cell_rows_build(const mote_neighbors *search, cell_rows *rows)
{
    return mote_class_sort_build(search, &rows->sort);
}

void mote_cell_rows_release(const mote_context *context, cell_rows *rows)
{
    rows_worker *workers = rows->workers.data;
    for (size_t w = 0; w < rows->workers.bytes / sizeof *workers; ++w) release_worker(context, workers + w);
    mote_buffer_release(context, &rows->workers);
    mote_buffer_release(context, &rows->subset);
    mote_class_sort_release(context, &rows->sort);
}

size_t mote_cell_rows_byte_count(const cell_rows *rows)
{
    const rows_worker *workers = rows->workers.data;
    size_t bytes = mote_class_sort_byte_count(&rows->sort) + rows->workers.bytes + rows->subset.bytes;
    for (size_t w = 0; w < rows->workers.bytes / sizeof *workers; ++w) bytes += worker_bytes(workers + w);
    return bytes;
}
