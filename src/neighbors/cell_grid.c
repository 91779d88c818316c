// SPDX-License-Identifier: MIT
// cell_grid: a uniform grid of cells, points sorted by cell. `auto`, the default, chooses it in most cases. Float
// points with one radius are sorted by grid_sort.c; grid_classes.c and grid_rows.c serve all other searches.
//
// It is the uniform grid of Green 2008 (sorted points, cell starts), processed cell by cell. The candidates of all
// points of a cell are gathered once: from the runs of points in the surrounding cells, those within the radius of
// the box around the cell's points are copied side by side into memory that stays in the first-level cache. Then
// each point is tested against the gathered candidates, and against the points of its own cell in place. A point
// that is alone in its cell is tested against the runs directly.
//
// Work is divided into stretches of sorted points, not of cells, so that points crowded into one cell are also
// divided. A row holds the points of the surrounding cells, ordered by z, then y, then x of their cells, and then
// those of its own cell. A row of a query holds all of them by z, y, x. Within a cell, points are ordered by index.
//
// This is the fast path, for float points with one radius in an open space; grid_rows.c finds all other rows, and
// those of subsets. Half lists are made by filtering. Squared distances are computed together with the hits. For
// differences, and for distances in ascending rows, the rows first hold places among the sorted points, where
// neighbours are close together in memory; the places are then converted to indices.

#include "base/order.h"
#include "cells/internal.h"
#include "neighbors/grid_rows.h"
#include "neighbors/lanes.h"

enum {
    // Sorted points in a block of work. A cell that the end of a block cuts is gathered twice, so large sets get
    // longer blocks.
    STRETCH = 512, MAX_STRETCH = 4096,
    STRETCHES = 512,  // desired number of stretches
    BATCH = 32        // rows found together
};

// The memory of one worker.
typedef struct grid_worker {
    candidate_block gathered;
    mote_buffer kept;  // hits of a point: bits, and squared distances
    uint32_t hint[CELL_MAX_RUNS];
    char pad[64];
} grid_worker;

typedef struct cell_grid {
    cell_sort sort;
    mote_buffer workers;
    const scan_lanes *lanes;
    mote_buffer places;    // 0, 1, 2, …: for rows of places
    cell_rows general;     // serves all other searches, and subsets of points
    bool general_is_built;
} cell_grid;

// Tells whether the fast path serves the search (apart from subsets).
static bool is_fast(const mote_neighbors *search)
{
    const uint32_t general =
        MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_SKIN;
    return !mote_search_has(search, general);
}

// Tells whether the rows must first hold places among the sorted points.
static bool wants_places(const mote_neighbors *search)
{
    if (mote_search_has(search, MOTE_NEIGHBORS_DIFFERENCES)) return true;
    return mote_search_has(search, MOTE_NEIGHBORS_DISTANCES) && mote_search_has(search, MOTE_NEIGHBORS_ASCENDING);
}

static mote_result build(mote_neighbors *search, const mote_points *points, mote_error *error)
{
    cell_grid *grid = search->state;
    grid->general_is_built = !is_fast(search);
    if (!is_fast(search)) return mote_cell_rows_build(search, &grid->general);
    grid->lanes = mote_neighbors_lanes_choose(search->context)->scan;
    double edge = mote_cell_edge(search->structure_radius, MOTE_MARGIN_EXACT);
    mote_result result = mote_cell_sort_build(search->context, &grid->sort, points, edge, error);
    if (result != MOTE_OK || !wants_places(search)) return result;
    size_t count = points->count + CELL_PADDING, known = grid->places.bytes / sizeof(uint32_t);
    result = mote_buffer_reserve(search->context, &grid->places, mote_bytes(count, sizeof(uint32_t)), 0);
    uint32_t *places = grid->places.data;
    if (result == MOTE_OK && count > known)
        for (size_t k = 0; k < grid->places.bytes / sizeof(uint32_t); ++k) places[k] = (uint32_t)k;
    return result;
}

typedef struct find_task {
    mote_neighbors *search;
    const mote_points *queries;
    row_writer *writers;
} find_task;

// The data that a block of work needs.
typedef struct find_block {
    const mote_context *context;
    const cell_sort *sort;
    const scan_lanes *lanes;
    grid_worker *here;
    row_writer *writer;
    float radius_squared;
    point_columns sorted;  // with places instead of indices if the rows must first hold places
    bool has_places, half;
} find_block;

static find_block start_block(const find_task *task, uint32_t worker)
{
    cell_grid *grid = task->search->state;
    find_block block = {.context = task->search->context, .sort = &grid->sort, .lanes = grid->lanes};
    block.here = (grid_worker *)grid->workers.data + worker;
    block.writer = task->writers + worker;
    block.radius_squared = task->search->radius_squared;
    block.sorted = mote_sorted_columns(&grid->sort);
    block.has_places = wants_places(task->search);
    if (block.has_places) block.sorted.index = grid->places.data;
    block.half = mote_search_has(task->search, MOTE_NEIGHBORS_HALF) && !task->queries;
    return block;
}

// ------------------------------------------------------------------------------------------------- cells of points

// Writes a row, given as places among the sorted points, with all the columns that are requested.
static void end_row_of_places(const find_block *block, const float point[3], uint32_t row_number, const uint32_t *row,
                              uint32_t count)
{
    const cell_sort *sort = block->sort;
    row_columns to;
    if (!mote_row_open(block->writer, count, &to)) return;
    float *squared = to.squared, *differences = to.differences;
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t place = row[k];
        const float dx = sort->x[place] - point[0], dy = sort->y[place] - point[1], dz = sort->z[place] - point[2];
        to.indices[k] = sort->index[place];
        if (squared) squared[k] = (dx * dx + dy * dy) + dz * dz;
        if (differences) differences[3 * k] = dx, differences[3 * k + 1] = dy, differences[3 * k + 2] = dz;
    }
    mote_row_close(block->writer, row_number, &to, count);
}

// Reserves room for the output of the scan: final rows, or rows of places.
static inline bool begin_row(const find_block *block, size_t room, hit_columns *to)
{
    if (!block->has_places) return mote_row_begin_columns(block->writer, room, &to->indices, &to->squared);
    *to = (hit_columns){mote_row_begin(block->writer, room), NULL};
    return to->indices != NULL;
}

// Ends a row that the scan has written. `self`: the point's index, or UINT32_MAX.
static inline void end_row(const find_block *block, const float point[3], uint32_t self, uint32_t row_number,
                           hit_columns row, uint32_t count)
{
    if (block->half) {
        const uint32_t *index = block->has_places ? block->sort->index : NULL;
        uint32_t kept = 0;
        for (uint32_t k = 0; k < count; ++k) {
            const uint32_t hit = row.indices[k];
            row.indices[kept] = hit;
            if (row.squared) row.squared[kept] = row.squared[k];
            kept += (index ? index[hit] : hit) > self;
        }
        count = kept;
    }
    if (block->has_places) {
        const row_sink *sink = block->writer->sink;
        if (sink->ascending) mote_row_ascend(sink->form, row.indices, count, block->sort->index);
        end_row_of_places(block, point, row_number, row.indices, count);
        return;
    }
    mote_row_end(block->writer, row_number, row.indices, count);
}

// Finds a row from the runs around a cell.
static bool find_point(const find_block *block, const cell_run *runs, int run_count, const float point[3], size_t self,
                       uint32_t row_number)
{
    size_t room = MOTE_WIDE_MOST;
    for (int r = 0; r < run_count; ++r) room += runs[r].end - runs[r].begin;
    hit_columns row;
    if (!begin_row(block, room, &row)) return false;
    point_scan scan = {.from = block->sorted, .runs = runs, .run_count = run_count};
    for (int k = 0; k < 3; ++k) scan.point[k] = point[k];
    scan.self = self;
    scan.radius_squared = block->radius_squared;
    uint32_t count = block->lanes->scan_point(&scan, row);
    end_row(block, point, self == SIZE_MAX ? UINT32_MAX : row_number, row_number, row, count);
    block->writer->candidates += room - MOTE_WIDE_MOST;
    return true;
}

// Gathers the candidates of the scan's group, which lies in one cell.
static bool gather(const find_block *block, group_scan *scan, const cell_runs *runs)
{
    candidate_block *gathered = &block->here->gathered;
    if (mote_block_reserve(block->context, gathered, runs->points + MOTE_WIDE_MOST) != MOTE_OK) return false;
    scan->gathered = gathered->at;
    scan->gathered_count = block->lanes->gather(gathered->at, scan, runs->at, runs->count);
    mote_buffer *kept = &block->here->kept;
    const size_t room = mote_kept_room(scan), bytes = mote_bytes(room, sizeof(uint32_t) + sizeof(float));
    if (mote_buffer_reserve(block->context, kept, bytes, 0) != MOTE_OK) return false;
    scan->kept.squared = kept->data;
    scan->kept.bits = (uint32_t *)(void *)(scan->kept.squared + room);
    return true;
}

// Finds the rows of the scan's group and stores them.
static bool store_group(const find_block *block, group_scan *scan)
{
    row_writer *writer = block->writer;
    const bool is_plain = !block->half && !block->has_places;
    const uint32_t *index = block->sort->index + scan->first;
    const size_t count = scan->count, room = mote_group_room(scan);
    for (size_t done = 0; done < count; done += scan->count, scan->first += scan->count) {
        uint32_t counts[BATCH];
        hit_columns row;
        if (!begin_row(block, room, &row)) return false;
        const size_t fitting = writer->in_scratch ? 1 : (size_t)(writer->end - row.indices) / room;
        scan->count = MOTE_MIN(MOTE_MIN(count - done, (size_t)BATCH), fitting);
        block->lanes->scan_group(scan, row, counts);
        if (is_plain) {
            mote_rows_end(writer, index + done, counts, scan->count, row.indices);
            continue;
        }
        for (size_t k = 0; k < scan->count; ++k) {
            const size_t place = scan->first + k;
            const float point[3] = {scan->sorted.x[place], scan->sorted.y[place], scan->sorted.z[place]};
            end_row(block, point, index[done + k], index[done + k], row, counts[k]);
            row.indices += counts[k];
            if (row.squared) row.squared += counts[k];
        }
    }
    writer->candidates += count * (room - MOTE_WIDE_MOST);
    return true;
}

// Passes up to BATCH rows to the visitor where they are; they are `stride` apart. All of them are assembled before
// the first one is copied: a copy that reads data just written in parts would have to wait for these writes.
static void hand_rows(row_writer *writer, const uint32_t *numbers, hit_columns rows, size_t stride,
                      const uint32_t *counts, size_t count)
{
    const row_sink *sink = writer->sink;
    mote_row handed[BATCH];
    for (size_t k = 0; k < count; ++k) {
        handed[k] = (mote_row){.index = numbers[k], .count = counts[k], .indices = rows.indices + k * stride};
        if (rows.squared) handed[k].squared = rows.squared + k * stride;
        writer->hit_count += counts[k];
    }
    for (size_t k = 0; k < count; ++k) sink->visitor(sink->user_data, handed[k], writer->worker);
}

// Like store_group, but for a visitor, which receives the rows where they were written, each at a place of its own.
static bool visit_group(const find_block *block, group_scan *scan)
{
    row_writer *writer = block->writer;
    const row_sink *sink = writer->sink;
    const bool is_plain = !block->half && !block->has_places && !sink->ascending;
    const uint32_t *index = block->sort->index + scan->first;
    const size_t count = scan->count, room = mote_group_room(scan), at_once = MOTE_MIN(count, (size_t)BATCH);
    hit_columns rows;
    if (!begin_row(block, at_once * room, &rows)) return false;
    scan->stride = room;
    for (size_t done = 0; done < count; done += scan->count, scan->first += scan->count) {
        uint32_t counts[BATCH];
        scan->count = MOTE_MIN(count - done, at_once);
        block->lanes->scan_group(scan, rows, counts);
        if (is_plain) {
            hand_rows(writer, index + done, rows, room, counts, scan->count);
            continue;
        }
        hit_columns row = rows;
        for (size_t k = 0; k < scan->count; ++k) {
            const size_t place = scan->first + k;
            const float point[3] = {scan->sorted.x[place], scan->sorted.y[place], scan->sorted.z[place]};
            end_row(block, point, index[done + k], index[done + k], row, counts[k]);
            row.indices += room;
            if (row.squared) row.squared += room;
        }
    }
    scan->stride = 0;
    writer->candidates += count * (room - MOTE_WIDE_MOST);
    return true;
}

// Finds the rows of sorted points in their own set, one cell at a time.
static void find_stretch(void *data, size_t begin, size_t end, uint32_t worker)
{
    const find_block block = start_block(data, worker);
    const cell_sort *sort = block.sort;
    const uint32_t *start = sort->start;
    group_scan scan = {.sorted = block.sorted, .radius_squared = block.radius_squared};
    const bool is_visited = block.writer->sink->visitor != NULL;
    uint64_t cell = mote_cell_number(sort, (uint32_t)begin);
    for (size_t p = begin; p < end;) {
        while (start[cell + 1] <= p) ++cell;
        const size_t group_end = MOTE_MIN(start[cell + 1], end);
        const bool is_alone = start[cell + 1] - start[cell] == 1;
        cell_runs runs;
        mote_cell_runs_around(sort, cell, !is_alone, &runs, block.here->hint);
        if (is_alone) {
            const float point[3] = {sort->x[p], sort->y[p], sort->z[p]};
            if (!find_point(&block, runs.at, runs.count, point, p, sort->index[p])) return;
        } else {
            scan.own_begin = start[cell], scan.own_end = start[cell + 1];
            scan.first = p, scan.count = group_end - p;
            if (!gather(&block, &scan, &runs)) {
                atomic_store(&block.writer->sink->out_of_memory, true);
                return;
            }
            if (!(is_visited ? visit_group(&block, &scan) : store_group(&block, &scan))) return;
        }
        p = group_end;
    }
}

// Finds the rows of another set's points. Consecutive points in the same cell share its runs.
static void find_for_queries(void *data, size_t begin, size_t end, uint32_t worker)
{
    const find_task *task = data;
    const find_block block = start_block(task, worker);
    cell_run runs[CELL_MAX_RUNS];
    int run_count = 0;
    cell_id cell = {{0, 0, 0}};
    for (size_t i = begin; i < end; ++i) {
        float point[3];
        for (int k = 0; k < 3; ++k) point[k] = (float)mote_points_get(task->queries, i, k);
        cell_id id = mote_cell_of(block.sort, point[0], point[1], point[2]);
        if (i == begin || !mote_cell_id_equal(id, cell))
            run_count = mote_cell_runs(block.sort, id, runs, block.here->hint);
        cell = id;
        if (!find_point(&block, runs, run_count, point, SIZE_MAX, (uint32_t)i)) return;
    }
}

static size_t stretch_of(size_t count)
{
    return MOTE_MIN(MOTE_MAX(count / STRETCHES, (size_t)STRETCH), (size_t)MAX_STRETCH);
}

// Gives every worker as much scratch memory as any of them has needed so far: see rows.c.
static mote_result level_workers(const mote_context *context, cell_grid *grid)
{
    mote_result result = mote_buffer_reserve_workers(context, &grid->workers, sizeof(grid_worker));
    grid_worker *workers = grid->workers.data;
    size_t count = grid->workers.bytes / sizeof *workers, most = 0, most_kept = 0;
    for (size_t w = 0; w < count; ++w) {
        most = MOTE_MAX(most, workers[w].gathered.capacity);
        most_kept = MOTE_MAX(most_kept, workers[w].kept.bytes);
    }
    for (size_t w = 0; w < count && result == MOTE_OK; ++w) {
        result = mote_buffer_level(context, &workers[w].kept, most_kept);
        if (result == MOTE_OK) result = mote_block_reserve(context, &workers[w].gathered, most);
    }
    return result;
}

static void find_general_rows(mote_neighbors *search, const row_request *request, row_writer *writers)
{
    cell_grid *grid = search->state;
    if (!grid->general_is_built && mote_cell_rows_build(search, &grid->general) != MOTE_OK) {
        atomic_store(&writers->sink->out_of_memory, true);
        return;
    }
    grid->general_is_built = true;
    mote_cell_rows_find(search, &grid->general, request, writers);
}

static void find_rows(mote_neighbors *search, const row_request *request, row_writer *writers)
{
    cell_grid *grid = search->state;
    if (!is_fast(search) || request->subset) {
        find_general_rows(search, request, writers);
        return;
    }
    if (level_workers(search->context, grid) != MOTE_OK) {
        atomic_store(&writers->sink->out_of_memory, true);
        return;
    }
    find_task task = {search, request->queries, writers};
    if (request->queries) {
        mote_parallel_for(search->context, request->count, stretch_of(request->count), find_for_queries, &task);
        return;
    }
    mote_rows_end_in_order(search, writers, grid->sort.index, search->count);
    mote_parallel_for(search->context, search->count, stretch_of(search->count), find_stretch, &task);
}

// ---------------------------------------------------------------------------------------------------------- groups

typedef struct groups_task {
    mote_neighbors *search;
    mote_neighbors_group_visitor *visitor;
    void *user_data;
    atomic_bool out_of_memory;
    atomic_uint_least64_t candidates;
} groups_task;

// Visits the groups in which rows are found: the points of a cell. The group's own points are gathered last.
static void visit_groups_of(void *data, size_t begin, size_t end, uint32_t worker)
{
    groups_task *task = data;
    cell_grid *grid = task->search->state;
    const cell_sort *sort = &grid->sort;
    grid_worker *here = (grid_worker *)grid->workers.data + worker;
    candidate_block *gathered = &here->gathered;
    group_scan scan = {.sorted = mote_sorted_columns(sort), .radius_squared = task->search->radius_squared};
    uint64_t cell = mote_cell_number(sort, (uint32_t)begin), candidates = 0;
    for (size_t p = begin; p < end; p += scan.count) {
        while (sort->start[cell + 1] <= p) ++cell;
        scan.first = p, scan.count = MOTE_MIN(sort->start[cell + 1], end) - p;
        cell_runs runs;
        mote_cell_runs_around(sort, cell, true, &runs, here->hint);
        const uint32_t first = (uint32_t)p, behind = (uint32_t)(p + scan.count);
        runs.at[runs.count++] = (cell_run){sort->start[cell], first};
        runs.at[runs.count++] = (cell_run){behind, sort->start[cell + 1]};
        runs.at[runs.count++] = (cell_run){first, behind};
        const size_t most = runs.points + (sort->start[cell + 1] - sort->start[cell]);
        if (mote_block_reserve(task->search->context, gathered, most + MOTE_WIDE_MOST) != MOTE_OK) {
            atomic_store(&task->out_of_memory, true);
            return;
        }
        const point_columns at = gathered->at;
        const uint32_t count = (uint32_t)grid->lanes->gather(at, &scan, runs.at, runs.count);
        const mote_group group = {at.x, at.y, at.z, at.index, count, count - (uint32_t)scan.count};
        candidates += scan.count * (uint64_t)count;
        task->visitor(task->user_data, &group, worker);
    }
    atomic_fetch_add(&task->candidates, candidates);
}

static mote_result visit_groups(mote_neighbors *search, mote_neighbors_group_visitor *visitor, void *user_data,
                                mote_error *error)
{
    (void)error;
    mote_result result = level_workers(search->context, search->state);
    if (result != MOTE_OK) return result;
    groups_task task = {search, visitor, user_data, false, 0};
    mote_parallel_for(search->context, search->count, stretch_of(search->count), visit_groups_of, &task);
    search->counters.candidates = atomic_load(&task.candidates);
    return atomic_load(&task.out_of_memory) ? MOTE_ERROR_OUT_OF_MEMORY : MOTE_OK;
}

// ------------------------------------------------------------------------------------------------------------ rest

static void release(mote_neighbors *search)
{
    cell_grid *grid = search->state;
    grid_worker *workers = grid->workers.data;
    for (size_t w = 0; w < grid->workers.bytes / sizeof *workers; ++w) {
        mote_buffer_release(search->context, &workers[w].gathered.memory);
        mote_buffer_release(search->context, &workers[w].kept);
    }
    mote_buffer_release(search->context, &grid->workers);
    mote_cell_sort_release(search->context, &grid->sort);
    mote_buffer_release(search->context, &grid->places);
    mote_cell_rows_release(search->context, &grid->general);
}

static size_t byte_count(const mote_neighbors *search)
{
    const cell_grid *grid = search->state;
    const grid_worker *workers = grid->workers.data;
    size_t bytes = mote_cell_sort_byte_count(&grid->sort) + grid->workers.bytes;
    bytes += grid->places.bytes + mote_cell_rows_byte_count(&grid->general);
    for (size_t w = 0; w < grid->workers.bytes / sizeof *workers; ++w)
        bytes += workers[w].gathered.memory.bytes + workers[w].kept.bytes;
    return bytes;
}

static void count(const mote_neighbors *search, mote_neighbors_counters *counters)
{
    const cell_grid *grid = search->state;
    const cell_sort *sort = &grid->sort;
    if (!is_fast(search)) counters->cells = grid->general.sort.cell_count;
    for (uint64_t c = 0; c < sort->cell_count; ++c) counters->cells += sort->start[c + 1] > sort->start[c];
}

// Describes the cells of the fast path, or of the general one.
static void explain(mote_neighbors *search, char *text, size_t size)
{
    const cell_grid *grid = search->state;
    const cell_sort *sort = &grid->sort;
    const class_sort *classes = &grid->general.sort;
    mote_neighbors_counters counters = {0};
    count(search, &counters);
    const unsigned long long cells = counters.cells;
    const double each = cells ? (double)search->count / (double)cells : 0;
    size_t length = mote_print(text, size, "%llu points in %llu occupied cells, %.3g per cell, ",
                               (unsigned long long)search->count, cells, each);
    if (length >= size) return;
    if (search->count == 0)
        length += mote_print(text + length, size - length, "nothing to sort");
    else if (!is_fast(search) && classes->class_count > 1)
        length += mote_print(text + length, size - length, "sorted by %u classes of radii, edges %.4g to %.4g",
                             classes->class_count, classes->classes[0].frame.edge,
                             classes->classes[classes->class_count - 1].frame.edge);
    else if (!is_fast(search))
        length += mote_print(text + length, size - length, "sorted, edge %.4g", classes->classes[0].frame.edge);
    else if (sort->dense)
        length += mote_print(text + length, size - length, "in a dense table of %llu cells of edge %.4g",
                             (unsigned long long)sort->cell_count, 1 / sort->inverse_edge);
    else
        length += mote_print(text + length, size - length, "sorted by cell (a table would be mostly empty), edge %.4g",
                             1 / sort->inverse_edge);
    if (length < size && mote_search_has(search, MOTE_NEIGHBORS_NEAREST))
        mote_print(text + length, size - length, "; k nearest by k-d tree");
}

static mote_result validate(mote_neighbors *search, mote_error *error)
{
    const cell_grid *grid = search->state;
    if (grid->general_is_built) {
        mote_result result = mote_class_sort_validate(&grid->general.sort, error);
        if (result != MOTE_OK || !is_fast(search)) return result;
    }
    return mote_cell_sort_validate(&grid->sort, error);
}

static const uint32_t *permutation(const mote_neighbors *search)
{
    const cell_grid *grid = search->state;
    return is_fast(search) ? grid->sort.index : grid->general.sort.index;
}

const neighbors_method mote_neighbors_cell_grid = {
    .info = {"cell_grid", "Green 2008", "grid of cells as wide as the radius, points sorted by cell",
             CELL_GRID_FEATURES, true},
    .state_bytes = sizeof(cell_grid),
    .build = build,
    .find_rows = find_rows,
    .visit_groups = visit_groups,
    .find_nearest = mote_nearest_find,
    .release = release,
    .byte_count = byte_count,
    .validate = validate,
    .count = count,
    .permutation = permutation,
    .explain = explain,
};
