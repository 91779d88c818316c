// SPDX-License-Identifier: MIT
// Box queries of box_join, which `auto` takes: finds the boxes of a tree that overlap each of many query boxes.
//
// Queries are sorted by cells, and the queries of a cell are a group. The tree is searched once for the box around
// the group; the boxes found are sorted by index, so that all rows ascend. While many boxes remain, the group is
// split and the boxes are filtered for each part. Finally every query is tested against the remaining boxes, eight
// at a time.
//
// Groups that meet too much of the tree, because queries are few or far apart or some are huge, are split before
// they search. Rows go to one shared buffer, from which workers take chunks. When it is full the workers only count;
// then the buffer grows and the search runs again.

#include "broadphase/box_search.h"

#include <stdatomic.h>

enum {
    GROUP = 512,         // queries in a group; fewer are chosen
    BOXES = 256,         // so that no more boxes than these are expected around the group
    PART = 32,           // queries in a part of a group
    FEW_QUERIES = 16,    // no filter pays off for so few queries
    FEW_VECTORS = 3,     // vectors of boxes: no filter pays off for so few
    BLOCKS_PER_QUERY = 2,  // a group may meet this many blocks of a level per query,
    BLOCKS_MORE = 16,      // and this many more
    RANGES = 4,          // ranges in a block of work
    CHUNK = 16384,       // ids that a worker takes at a time
    FIRST_GUESS = 8      // ids per row
};

static const double large_in_cells = 2;

typedef struct search_worker {
    box_gatherer gatherer;
    mote_buffer spare_records, spare_ids;
    box_row_target target;
    uint64_t row_tests;
    char pad[64];
} search_worker;

typedef struct search_task {
    const mote_context *context;
    const box_tree *tree;
    const box_sort *sort;
    search_worker *workers;
    uint32_t *ids;
    uint64_t capacity;
    atomic_uint_least64_t used;
    atomic_bool overflowed;
} search_task;

static mote_bounds box_of(const box_bounds *bounds)
{
    return (mote_bounds){{bounds->low[0], bounds->low[1], bounds->low[2]},
                     {bounds->high[0], bounds->high[1], bounds->high[2]}};
}

// Gives the worker room for a row of at least `room` ids: in the shared buffer, or in a buffer of its own for rows
// that are only counted. Returns false if memory ran out.
static bool take_chunk(search_task *task, search_worker *worker, size_t room)
{
    const uint64_t size = MOTE_MAX(4 * room, (size_t)CHUNK);
    const uint64_t start = atomic_fetch_add(&task->used, size);
    if (start <= task->capacity && size <= task->capacity - start) {
        worker->target.cursor = task->ids + start;
    } else {
        atomic_store(&task->overflowed, true);
        mote_buffer *spare = &worker->spare_ids;
        if (mote_buffer_reserve(task->context, spare, mote_bytes((size_t)size, sizeof(uint32_t)), 0) != MOTE_OK) {
            worker->gatherer.out_of_memory = true;
            worker->target.cursor = worker->target.end = NULL;  // the old contents are lost
            return false;
        }
        worker->target.cursor = spare->data;
    }
    worker->target.end = worker->target.cursor + size;
    return true;
}

static void write_rows(search_task *task, search_worker *worker, const box_record *records, size_t count,
                       const box_columns *columns)
{
    const size_t vectors = (columns->count + BOX_LANES - 1) / BOX_LANES;
    worker->row_tests += count * vectors;
    for (size_t done = 0;;) {
        done += task->tree->lanes->rows(records + done, count - done, columns, &worker->target);
        if (done == count || !take_chunk(task, worker, (vectors + 2) * BOX_LANES)) return;
    }
}

// Finds the rows of a group from columns that hold all boxes it meets. `other` has room for as many records.
static void refine(search_task *task, search_worker *worker, box_record *records, box_record *other, size_t count,
                   const box_bounds *bounds, const box_columns *columns, int depth)
{
    const box_lanes *lanes = task->tree->lanes;
    if (columns->count <= FEW_VECTORS * BOX_LANES || count <= FEW_QUERIES || depth == BOX_FILTERS) {
        write_rows(task, worker, records, count, columns);
        return;
    }
    size_t starts[BOX_PARTS + BOX_BINS + 1];
    const size_t parts = mote_box_split(lanes, records, count, bounds, PART, other, starts);
    for (size_t p = 0; p < parts && !worker->gatherer.out_of_memory; ++p) {
        const size_t begin = starts[p], part = starts[p + 1] - begin;
        if (part == 0) continue;
        const box_bounds inner = lanes->bound(other + begin, part);
        const mote_bounds box = box_of(&inner);
        const box_columns inside = mote_box_filter(&worker->gatherer, lanes, columns, &box);
        refine(task, worker, other + begin, records + begin, part, &inner, &inside,
               part <= 2 * PART ? BOX_FILTERS : depth + 1);
    }
}

static void find_group(search_task *task, search_worker *worker, box_record *records, box_record *other, size_t count);

// Splits a group that meets too much of the tree, by halves if necessary.
static void find_parts(search_task *task, search_worker *worker, box_record *records, box_record *other, size_t count,
                       const box_bounds *bounds)
{
    enum { PARTS = 8 };
    size_t starts[BOX_PARTS + BOX_BINS + 1];
    const size_t target = MOTE_MAX((count + PARTS - 1) / PARTS, (size_t)1);
    const size_t parts = mote_box_split(task->tree->lanes, records, count, bounds,
                                        count > PARTS * GROUP ? GROUP : target, other, starts);
    for (size_t p = 0; p < parts && !worker->gatherer.out_of_memory; ++p) {
        const size_t begin = starts[p], part = starts[p + 1] - begin;
        if (part == count) {
            find_group(task, worker, other, records, count / 2);
            find_group(task, worker, other + count / 2, records + count / 2, count - count / 2);
        } else if (part) {
            find_group(task, worker, other + begin, records + begin, part);
        }
    }
}

static void find_group(search_task *task, search_worker *worker, box_record *records, box_record *other, size_t count)
{
    const box_tree *tree = task->tree;
    box_gatherer *gatherer = &worker->gatherer;
    const box_bounds bounds = tree->lanes->bound(records, count);
    const size_t limit = count == 1 ? SIZE_MAX : count > 8 * GROUP ? 0 : BLOCKS_PER_QUERY * count + BLOCKS_MORE;
    const mote_bounds box = box_of(&bounds);
    box_columns columns;
    if (limit && mote_box_gather_by_index(gatherer, tree, &box, limit, &columns))
        refine(task, worker, records, other, count, &bounds, &columns, 0);
    else if (!gatherer->out_of_memory)
        find_parts(task, worker, records, other, count, &bounds);
}

static void find_ranges(void *data, size_t begin, size_t end, uint32_t number)
{
    search_task *task = data;
    search_worker *worker = task->workers + number;
    for (size_t r = begin; r < end && !worker->gatherer.out_of_memory; ++r) {
        const box_range range = task->sort->ranges[r];
        find_group(task, worker, task->sort->records + range.begin, worker->spare_records.data, range.count);
    }
}

static mote_result reserve(const mote_context *context, box_search *search, size_t count, search_task *task)
{
    const uint32_t workers = mote_context_worker_count(context);
    mote_result result = mote_buffer_reserve(context, &search->first, mote_bytes(count, sizeof(uint64_t)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &search->counts, mote_bytes(count, sizeof(uint32_t)), 0);
    if (result == MOTE_OK) result = mote_buffer_reserve_workers(context, &search->workers, sizeof(search_worker));
    if (result != MOTE_OK) return result;
    size_t largest = 0;
    for (size_t r = 0; r < search->sort.range_count; ++r) largest = MOTE_MAX(largest, search->sort.ranges[r].count);
    task->workers = search->workers.data;
    for (uint32_t w = 0; w < workers && result == MOTE_OK; ++w) {
        search_worker *worker = task->workers + w;
        worker->gatherer.context = context;
        worker->gatherer.out_of_memory = false;
        result = mote_buffer_reserve(context, &worker->spare_records, largest * sizeof(box_record), 0);
    }
    return result;
}

// Makes one pass over all groups. Returns false if a worker ran out of memory.
static bool run_pass(search_task *task, box_search *search, uint32_t workers)
{
    task->ids = search->ids.data;
    task->capacity = search->ids.bytes / sizeof(uint32_t);
    atomic_store(&task->used, 0);
    atomic_store(&task->overflowed, false);
    for (uint32_t w = 0; w < workers; ++w) {
        search_worker *worker = task->workers + w;
        worker->target = (box_row_target){.indices = task->ids, .first = search->first.data};
        worker->target.counts = search->counts.data;
        worker->gatherer.tested = worker->row_tests = 0;
    }
    mote_parallel_for(task->context, search->sort.range_count, RANGES, find_ranges, task);
    bool failed = false;
    for (uint32_t w = 0; w < workers; ++w) failed |= task->workers[w].gatherer.out_of_memory;
    return !failed;
}

// The rows for a tree without boxes.
static mote_result find_nothing(const mote_context *context, box_search *search, size_t count, box_rows *rows)
{
    mote_result result = mote_buffer_reserve(context, &search->first, mote_bytes(count, sizeof(uint64_t)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &search->counts, mote_bytes(count, sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return result;
    memset(search->first.data, 0, count * sizeof(uint64_t));
    memset(search->counts.data, 0, count * sizeof(uint32_t));
    *rows = (box_rows){.first = search->first.data, .counts = search->counts.data, .count = count};
    return MOTE_OK;
}

mote_result mote_box_search_run(const mote_context *context, box_search *search, const box_tree *tree,
                                const mote_bounds *boxes, size_t count, box_rows *rows)
{
    *rows = (box_rows){.count = 0};
    if (count == 0) return MOTE_OK;
    if (tree->level_count == 0) return find_nothing(context, search, count, rows);
    search_task task = {.context = context, .tree = tree, .sort = &search->sort};
    const uint32_t workers = mote_context_worker_count(context);
    uint64_t room = (uint64_t)count * FIRST_GUESS + (uint64_t)workers * CHUNK;
    const uint64_t fitting = (uint64_t)count * BOXES / MOTE_MAX(tree->count, (size_t)1);
    const size_t group = (size_t)MOTE_MAX(MOTE_MIN(fitting, (uint64_t)GROUP), (uint64_t)1);
    do {
        // A pass leaves the sorted queries rearranged.
        mote_result result =
            mote_box_sort_build(context, &search->sort, tree->lanes, boxes, count, group, large_in_cells);
        if (result == MOTE_OK) result = reserve(context, search, count, &task);
        if (result == MOTE_OK)
            result = mote_buffer_reserve(context, &search->ids, mote_bytes((size_t)room, sizeof(uint32_t)), 0);
        if (result != MOTE_OK || !run_pass(&task, search, workers)) return MOTE_ERROR_OUT_OF_MEMORY;
        room = atomic_load(&task.used);
    } while (atomic_load(&task.overflowed));
    uint32_t *counts = search->counts.data;
    for (size_t i = 0; i < search->sort.empty; ++i) {
        const uint32_t index = search->sort.records[search->sort.filled + i].index;
        counts[index] = 0;
        ((uint64_t *)search->first.data)[index] = 0;
    }
    rows->first = search->first.data;
    rows->counts = counts;
    rows->ids = search->ids.data;
    rows->count = count;
    for (size_t i = 0; i < count; ++i) rows->total += counts[i];
    for (uint32_t w = 0; w < workers; ++w) {
        rows->tested += task.workers[w].gatherer.tested;
        rows->row_tests += task.workers[w].row_tests;
    }
    return MOTE_OK;
}

void mote_box_search_release(const mote_context *context, box_search *search)
{
    search_worker *workers = search->workers.data;
    for (size_t w = 0; w < search->workers.bytes / sizeof *workers; ++w) {
        mote_box_gatherer_release(&workers[w].gatherer);
        mote_buffer_release(context, &workers[w].spare_records);
        mote_buffer_release(context, &workers[w].spare_ids);
    }
    mote_box_sort_release(context, &search->sort);
    mote_buffer *buffers[] = {&search->first, &search->counts, &search->ids, &search->workers};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) mote_buffer_release(context, buffers[k]);
}

size_t mote_box_search_byte_count(const box_search *search)
{
    const search_worker *workers = search->workers.data;
    size_t bytes = mote_box_sort_byte_count(&search->sort) + search->first.bytes + search->counts.bytes +
                   search->ids.bytes + search->workers.bytes;
    for (size_t w = 0; w < search->workers.bytes / sizeof *workers; ++w)
        bytes += mote_box_gatherer_byte_count(&workers[w].gatherer) + workers[w].spare_records.bytes +
                 workers[w].spare_ids.bytes;
    return bytes;
}
