// SPDX-License-Identifier: MIT
// The cells of the hashing methods: their origin and size.

#include "neighbors/hash_space.h"

enum { BLOCK = 8192 };

static double radius_of_cells(const mote_neighbors *search)
{
    if (!mote_search_has(search, MOTE_NEIGHBORS_RADII)) return search->structure_radius;
    if (search->def.radius_rule == MOTE_RADIUS_MINE) return mote_point_store_radius_quantile(&search->points, 0.5);
    return mote_pair_reach(search, search->points.max_radius, search->points.max_radius);
}

hashed_space mote_hashed_space_make(const mote_neighbors *search, const mote_points *points)
{
    hashed_space space;
    space.frame = mote_frame_make(points, radius_of_cells(search), search->def.subdivision);
    space.hasher = mote_hasher_make(search->def.hash == MOTE_HASH_ADDITIVE, search->def.table_size, search->count);
    const mote_box *bounds = &search->points.bounds;
    const double low[3] = {bounds->min.x, bounds->min.y, bounds->min.z};
    const double high[3] = {bounds->max.x, bounds->max.y, bounds->max.z};
    space.occupied.low = mote_frame_cell(&space.frame, low);
    space.occupied.high = mote_frame_cell(&space.frame, high);
    return space;
}

typedef struct cells_task {
    const mote_neighbors *search;
    const cell_frame *frame;
    grid_cell *cells;
} cells_task;

static void find_cells_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const cells_task *task = data;
    for (size_t i = begin; i < end; ++i)
        task->cells[i] = mote_hashed_cell_of(task->search, task->frame, (uint32_t)i);
}

void mote_hashed_find_cells(const mote_neighbors *search, const cell_frame *frame, grid_cell *cells)
{
    cells_task task = {search, frame, cells};
    mote_parallel_for(search->context, search->count, BLOCK, find_cells_block, &task);
}

void mote_collect_every(const mote_neighbors *search, row_collector *collector)
{
    for (uint32_t j = 0; j < search->count; ++j) mote_collect(collector, j);
}
