// cell_grid: a uniform grid of cells as wide as the radius, points sorted by cell. The default.
//
// The uniform grid of Green 2008 (sorted points, cell starts) with the points around a cell copied side by side
// once for all points of the cell, so that each of them meets its candidates in one loop over memory that stays in the
// first-level cache. Work is cut into stretches of sorted points, never of cells: points that crowd into one cell are
// shared out too. Rows come by cell (z, y, x), then by index. That is the fast path, of plain searches; cell_rows.c
// finds all other rows, and those of subsets.

#include "cells/internal.h"
#include "neighbors/cell_rows.h"
#include "neighbors/scan.h"

enum {
    STRETCH = 512,  // points of a block of work
    AHEAD = 24      // points
};

// What a worker keeps: the candidates around the cell that it is at.
typedef struct grid_worker {
    candidate_block block;
    uint32_t hint[CELL_MAX_RUNS];
    char pad[64];
} grid_worker;

typedef struct cell_grid {
    cell_sort sort;
    mote_buffer workers;
    const scan_functions *functions;
    cell_rows general;     // what a search that is not plain, and a subset of points, are served by
    bool general_is_built;
} cell_grid;

static mote_result build(mote_neighbors *search, const mote_points *points)
{
    cell_grid *grid = search->state;
    grid->general_is_built = !search->is_plain;
    if (!search->is_plain) return mote_cell_rows_build(search, &grid->general);
    grid->functions = mote_scan_choose();
    double edge = mote_cell_edge(search->structure_radius);
    return mote_cell_sort_build(search->context, &grid->sort, points, edge, &search->error);
}

typedef struct find_task {
    mote_neighbors *search;
    const mote_points *queries;
    row_writer *writers;
} find_task;

// Finds the rows of a group of points that lie in cell `id`. `rows` holds their numbers, or is NULL where they count on
// from first_row. `self`: the group's first point among the sorted ones, or UINT32_MAX.
// Answers false, and the sink knows, when memory ran out.
static bool find_group(const find_task *task, uint32_t worker, cell_id id, const point_group *group,
                       const uint32_t *rows, uint32_t first_row, uint32_t self)
{
    mote_neighbors *search = task->search;
    cell_grid *grid = search->state;
    grid_worker *here = (grid_worker *)grid->workers.data + worker;
    row_writer *writer = task->writers + worker;
    candidate_block *block = &here->block;
    float radius_squared = search->radius_squared;

    cell_run runs[CELL_MAX_RUNS];
    int run_count = mote_cell_runs(&grid->sort, id, runs, here->hint);
    bool excludes_self = self != UINT32_MAX;
    if (mote_block_fill(search->context, grid->functions, block, &grid->sort, runs, run_count, group, radius_squared,
                        &self) != MOTE_OK) {
        atomic_store(&writer->sink->out_of_memory, true);
        return false;
    }
    for (uint32_t k = 0; k < group->count; ++k) {
        uint32_t *row = mote_row_begin(writer, (size_t)block->count + 8);
        if (!row) return false;
        const float point[3] = {group->x[k], group->y[k], group->z[k]};
        float self_x = excludes_self ? mote_block_take_out(block, self + k) : 0;
        uint32_t count = grid->functions->scan(block, point, radius_squared, row);
        if (excludes_self) mote_block_put_back(block, self + k, self_x);
        mote_row_end(writer, rows ? rows[k] : first_row + k, row, count);
    }
    writer->candidates += (uint64_t)group->count * block->count;
    return true;
}

// Sorted points into their own set. Those of a cell lie side by side in the block, too, as they all are near the group.
static void find_stretch(void *data, size_t begin, size_t end, uint32_t worker)
{
    const find_task *task = data;
    const cell_sort *sort = &((const cell_grid *)task->search->state)->sort;
    const row_writer *writer = task->writers + worker;
    uint32_t p = (uint32_t)begin, last = sort->count - 1;
    while (p < end) {
        cell_id id = mote_cell_of(sort, sort->x[p], sort->y[p], sort->z[p]);
        uint32_t cell_end = MOTE_MIN(mote_cell_end(sort, id), (uint32_t)end);
        // Rows of points in random order are scattered: their entries are fetched a little ahead.
        for (uint32_t k = p; k < cell_end; ++k) mote_row_prefetch(writer, sort->index[MOTE_MIN(k + AHEAD, last)]);
        point_group group = {sort->x + p, sort->y + p, sort->z + p, cell_end - p};
        if (!find_group(task, worker, id, &group, sort->index + p, 0, p)) return;
        p = cell_end;
    }
}

// Another set's points: those that follow each other in one cell go together.
static void find_for_queries(void *data, size_t begin, size_t end, uint32_t worker)
{
    const find_task *task = data;
    const cell_sort *sort = &((const cell_grid *)task->search->state)->sort;
    float coordinates[3][STRETCH];
    cell_id ids[STRETCH];
    for (size_t i = begin; i < end; ++i) {
        for (int k = 0; k < 3; ++k) coordinates[k][i - begin] = (float)mote_points_get(task->queries, i, k);
        ids[i - begin] =
            mote_cell_of(sort, coordinates[0][i - begin], coordinates[1][i - begin], coordinates[2][i - begin]);
    }
    for (size_t first = 0, last; first < end - begin; first = last) {
        for (last = first + 1; last < end - begin && mote_cell_id_equal(ids[last], ids[first]);) ++last;
        point_group group = {coordinates[0] + first, coordinates[1] + first, coordinates[2] + first,
                             (uint32_t)(last - first)};
        if (!find_group(task, worker, ids[first], &group, NULL, (uint32_t)(begin + first), UINT32_MAX)) return;
    }
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
    const mote_points *queries = request->queries;
    cell_grid *grid = search->state;
    if (!search->is_plain || request->subset) {
        find_general_rows(search, request, writers);
        return;
    }
    if (mote_workers_reserve(search->context, &grid->workers, sizeof(grid_worker)) != MOTE_OK) {
        atomic_store(&writers->sink->out_of_memory, true);
        return;
    }
    find_task task = {search, queries, writers};
    if (queries)
        mote_parallel_for(search->context, queries->count, STRETCH, find_for_queries, &task);
    else
        mote_parallel_for(search->context, search->count, STRETCH, find_stretch, &task);
}

static void release(mote_neighbors *search)
{
    cell_grid *grid = search->state;
    grid_worker *workers = grid->workers.data;
    for (size_t w = 0; w < grid->workers.bytes / sizeof *workers; ++w)
        mote_block_release(search->context, &workers[w].block);
    mote_buffer_release(search->context, &grid->workers);
    mote_cell_sort_release(search->context, &grid->sort);
    mote_cell_rows_release(search->context, &grid->general);
}

static size_t byte_count(const mote_neighbors *search)
{
    const cell_grid *grid = search->state;
    const grid_worker *workers = grid->workers.data;
    size_t bytes = mote_cell_sort_byte_count(&grid->sort) + grid->workers.bytes;
    bytes += mote_cell_rows_byte_count(&grid->general);
    for (size_t w = 0; w < grid->workers.bytes / sizeof *workers; ++w)
        bytes += workers[w].block.memory.bytes;
    return bytes;
}

static void count(const mote_neighbors *search, mote_neighbors_counters *counters)
{
    const cell_grid *grid = search->state;
    const cell_sort *sort = &grid->sort;
    if (!search->is_plain) counters->cells = grid->general.sort.cell_count;
    for (uint64_t c = 0; c < sort->cell_count; ++c) counters->cells += sort->start[c + 1] > sort->start[c];
}

static mote_result validate(mote_neighbors *search)
{
    const cell_grid *grid = search->state;
    if (grid->general_is_built) {
        mote_result result = mote_class_sort_validate(&grid->general.sort, &search->error);
        if (result != MOTE_OK || !search->is_plain) return result;
    }
    return mote_cell_sort_validate(&grid->sort, &search->error);
}

static const uint32_t *permutation(const mote_neighbors *search)
{
    const cell_grid *grid = search->state;
    return search->is_plain ? grid->sort.index : grid->general.sort.index;
}

const neighbors_method mote_neighbors_cell_grid = {
    .info = {"cell_grid", "Green 2008", "points sorted into cells as wide as the radius",
             MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_SUBSET | MOTE_NEIGHBORS_HALF |
                 MOTE_NEIGHBORS_ASCENDING | MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES |
                 MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_SKIN | MOTE_NEIGHBORS_PERMUTATION,
             true},
    .state_bytes = sizeof(cell_grid),
    .build = build,
    .find_rows = find_rows,
    .release = release,
    .byte_count = byte_count,
    .validate = validate,
    .count = count,
    .permutation = permutation,
};
