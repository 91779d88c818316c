// SPDX-License-Identifier: MIT
// Groups of points with all that can be near them, for visitors: the same groups in which grid_find.c finds rows.

#include "cells/internal.h"
#include "neighbors/grid_worker.h"
#include "neighbors/lanes.h"

typedef struct groups_task {
    mote_neighbors *search;
    grid_points *grid;
    const scan_lanes *lanes;
    mote_neighbors_group_visitor *visitor;
    void *user_data;
    atomic_bool out_of_memory;
    atomic_uint_least64_t candidates;
} groups_task;

// Visits the groups in which rows are found: the points of a cell. The group's own points are gathered last.
static void visit_groups_of(void *data, size_t begin, size_t end, uint32_t worker)
{
    groups_task *task = data;
    const cell_sort *sort = &task->grid->sort;
    grid_worker *here = (grid_worker *)task->grid->workers.data + worker;
    candidate_block *gathered = &here->gathered;
    const point_columns columns = mote_sorted_columns(sort);
    group_scan scan = {.sorted = columns, .points = columns, .radius_squared = task->search->radius_squared};
    uint64_t cell = mote_cell_number(sort, mote_cell_at(sort, (uint32_t)begin)), candidates = 0;
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
        const uint32_t count = (uint32_t)task->lanes->gather(at, &scan, runs.at, runs.count, runs.row_of);
        const mote_group group = {at.x, at.y, at.z, at.index, count, count - (uint32_t)scan.count};
        candidates += scan.count * (uint64_t)count;
        task->visitor(task->user_data, &group, worker);
    }
    atomic_fetch_add(&task->candidates, candidates);
}

mote_result mote_grid_visit_groups(mote_neighbors *search, grid_points *grid, mote_neighbors_group_visitor *visitor,
                                   void *user_data)
{
    mote_result result = mote_grid_level_workers(search->context, grid);
    if (result != MOTE_OK) return result;
    groups_task task = {search, grid, mote_neighbors_lanes_choose(search->context)->scan, visitor, user_data, false, 0};
    mote_parallel_for(search->context, search->count, mote_grid_stretch(search->count), visit_groups_of, &task);
    search->counters.candidates = atomic_load(&task.candidates);
    return atomic_load(&task.out_of_memory) ? MOTE_ERROR_OUT_OF_MEMORY : MOTE_OK;
}
