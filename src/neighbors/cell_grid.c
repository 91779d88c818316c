// cell_grid: a uniform grid of cells as wide as the radius, points sorted by cell. The default.
//
// The uniform grid of Green 2008 (sorted points, cell starts) with the points around a cell copied side by side
// once for all points of the cell, so that each of them meets its candidates in one loop over memory that stays in the
// first-level cache. Work is cut into stretches of sorted points, never of cells: points that crowd into one cell are
// shared out too. Rows come by cell (z, y, x), then by index.

#include <string.h>

#include "cells/internal.h"
#include "neighbors/internal.h"
#include "neighbors/scan.h"

enum { STRETCH = 512 };  // points of a block of work

// What a worker keeps: the candidates around the cell it was at last.
typedef struct grid_worker {
    candidate_block block;
    cell_run runs[CELL_MAX_RUNS];
    int run_count;
    uint32_t hint[CELL_MAX_RUNS];
    char pad[64];
} grid_worker;

typedef struct cell_grid {
    cell_sort sort;
    mote_buffer workers;
    scan_function *scan;
} cell_grid;

static mote_result build(mote_neighbors *search, const mote_points *points)
{
    cell_grid *grid = search->state;
    size_t bytes = mote_bytes(mote_context_worker_count(search->context), sizeof(grid_worker));
    if (!grid->workers.data) {
        mote_result result = mote_buffer_reserve(search->context, &grid->workers, bytes, 0);
        if (result != MOTE_OK) return result;
        memset(grid->workers.data, 0, grid->workers.bytes);
        grid->scan = mote_scan_choose();
    }
    double edge = mote_cell_edge((double)(float)search->def.radius);
    return mote_cell_sort_build(search->context, &grid->sort, points, edge, &search->error);
}

// Gathers what lies around a cell; false, and the sink knows, when memory ran out.
static bool enter_cell(mote_neighbors *search, grid_worker *here, row_writer *writer, cell_id id)
{
    cell_grid *grid = search->state;
    here->run_count = mote_cell_runs(&grid->sort, id, here->runs, here->hint);
    if (mote_block_gather(search->context, &here->block, &grid->sort, here->runs, here->run_count) == MOTE_OK)
        return true;
    atomic_store(&writer->sink->out_of_memory, true);
    return false;
}

typedef struct find_task {
    mote_neighbors *search;
    const mote_points *queries;
    row_writer *writers;
} find_task;

// Rows of sorted points begin … end − 1, which lie in one cell, into `search` itself.
static bool find_in_cell(mote_neighbors *search, grid_worker *here, row_writer *writer, uint32_t begin, uint32_t end)
{
    const cell_grid *grid = search->state;
    const cell_sort *sort = &grid->sort;
    uint32_t offset = 0;  // place of sorted point `begin` in the block
    for (int r = 0; r < here->run_count; ++r) {
        if (begin >= here->runs[r].begin && begin < here->runs[r].end) {
            offset += begin - here->runs[r].begin;
            break;
        }
        offset += here->runs[r].end - here->runs[r].begin;
    }
    for (uint32_t p = begin; p < end; ++p) {
        uint32_t *row = mote_row_begin(writer, (size_t)here->block.count + 8);
        if (!row) return false;
        const float point[3] = {sort->x[p], sort->y[p], sort->z[p]};
        uint32_t count = grid->scan(&here->block, point, search->radius_squared, offset + (p - begin), row);
        mote_row_end(writer, sort->index[p], row, count);
    }
    writer->candidates += (uint64_t)(end - begin) * here->block.count;
    return true;
}

static void find_stretch(void *data, size_t begin, size_t end, uint32_t worker)
{
    const find_task *task = data;
    cell_grid *grid = task->search->state;
    const cell_sort *sort = &grid->sort;
    grid_worker *here = (grid_worker *)grid->workers.data + worker;
    row_writer *writer = task->writers + worker;
    uint32_t p = (uint32_t)begin;
    while (p < end) {
        cell_id id = mote_cell_of(sort, sort->x[p], sort->y[p], sort->z[p]);
        uint32_t cell_end = MOTE_MIN(mote_cell_end(sort, id), (uint32_t)end);
        if (!enter_cell(task->search, here, writer, id)) return;
        if (!find_in_cell(task->search, here, writer, p, cell_end)) return;
        p = cell_end;
    }
}

static void find_for_queries(void *data, size_t begin, size_t end, uint32_t worker)
{
    const find_task *task = data;
    cell_grid *grid = task->search->state;
    grid_worker *here = (grid_worker *)grid->workers.data + worker;
    row_writer *writer = task->writers + worker;
    cell_id last = {{0, 0, 0}};
    for (size_t i = begin; i < end; ++i) {
        float point[3];
        for (int k = 0; k < 3; ++k) point[k] = (float)mote_points_get(task->queries, i, k);
        cell_id id = mote_cell_of(&grid->sort, point[0], point[1], point[2]);
        if ((i == begin || !mote_cell_id_equal(id, last)) && !enter_cell(task->search, here, writer, id)) return;
        last = id;
        uint32_t *row = mote_row_begin(writer, (size_t)here->block.count + 8);
        if (!row) return;
        uint32_t count = grid->scan(&here->block, point, task->search->radius_squared, UINT32_MAX, row);
        writer->candidates += here->block.count;
        mote_row_end(writer, (uint32_t)i, row, count);
    }
}

static void find_rows(mote_neighbors *search, const mote_points *queries, row_writer *writers)
{
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
    for (uint32_t w = 0; workers && w < mote_context_worker_count(search->context); ++w)
        mote_block_release(search->context, &workers[w].block);
    mote_buffer_release(search->context, &grid->workers);
    mote_cell_sort_release(search->context, &grid->sort);
}

static size_t byte_count(const mote_neighbors *search)
{
    const cell_grid *grid = search->state;
    const grid_worker *workers = grid->workers.data;
    size_t bytes = mote_cell_sort_byte_count(&grid->sort) + grid->workers.bytes;
    for (uint32_t w = 0; workers && w < mote_context_worker_count(search->context); ++w)
        bytes += workers[w].block.memory.bytes;
    return bytes;
}

static uint64_t cell_count(const mote_neighbors *search)
{
    const cell_grid *grid = search->state;
    const cell_sort *sort = &grid->sort;
    uint64_t occupied = 0;
    for (uint64_t c = 0; c < sort->cell_count; ++c) occupied += sort->start[c + 1] > sort->start[c];
    return occupied;
}

static mote_result validate(mote_neighbors *search)
{
    const cell_grid *grid = search->state;
    return mote_cell_sort_validate(&grid->sort, &search->error);
}

static const uint32_t *permutation(const mote_neighbors *search)
{
    const cell_grid *grid = search->state;
    return grid->sort.index;
}

const neighbors_method mote_neighbors_cell_grid = {
    .info = {"cell_grid", "Green 2008", "points sorted into cells as wide as the radius",
             MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_ASCENDING | MOTE_NEIGHBORS_PERMUTATION, true},
    .state_bytes = sizeof(cell_grid),
    .build = build,
    .find_rows = find_rows,
    .release = release,
    .byte_count = byte_count,
    .cell_count = cell_count,
    .validate = validate,
    .permutation = permutation,
};
