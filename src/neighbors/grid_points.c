// SPDX-License-Identifier: MIT
// The sorted points of a search, and what finding rows needs besides them: places, exact coordinates, the memory of
// workers.

#include "cells/internal.h"
#include "neighbors/grid_worker.h"

enum { ONE_CELL = 128 };  // points up to which `auto` has them in one cell

static mote_result number_places(const mote_context *context, grid_points *grid)
{
    const size_t count = grid->sort.count + (size_t)CELL_PADDING, known = grid->places.bytes / sizeof(uint32_t);
    mote_result result = mote_buffer_reserve(context, &grid->places, mote_bytes(count, sizeof(uint32_t)), 0);
    uint32_t *places = grid->places.data;
    if (result == MOTE_OK && count > known)
        for (size_t k = 0; k < grid->places.bytes / sizeof(uint32_t); ++k) places[k] = (uint32_t)k;
    return result;
}

mote_result mote_grid_number_rows(const mote_context *context, grid_points *grid, row_source *source)
{
    const mote_result result = number_places(context, grid);
    if (result == MOTE_OK) source->points.index = grid->places.data;
    return result;
}

typedef struct exact_task {
    const point_store *stored;
    const uint32_t *index;
    double *to;
} exact_task;

static void copy_exact(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const exact_task *task = data;
    for (size_t p = begin; p < end; ++p)
        mote_point_store_get(task->stored, task->index[p], task->to + 3 * p);
}

typedef struct place_task {
    const uint32_t *index;
    uint32_t *to;
} place_task;

static void note_places(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const place_task *task = data;
    for (size_t p = begin; p < end; ++p) task->to[task->index[p]] = (uint32_t)p;
}

// Places are noted when the first is wanted: the table takes as long as a third of the sort where points come in random
// order, and most subsets do without it.
enum place_state { NOT_NOTED, BEING_NOTED, NOTED };

const uint32_t *mote_grid_places(const mote_context *context, grid_points *grid)
{
    place_task task = {grid->sort.index, grid->place_of.data};
    if (atomic_load(&grid->place_state) != NOTED)
        mote_parallel_for(context, grid->sort.count, GRID_MAX_STRETCH, note_places, &task);
    atomic_store(&grid->place_state, NOTED);
    return task.to;
}

uint32_t mote_grid_place_of(const grid_points *grid, uint32_t point)
{
    place_task task = {grid->sort.index, grid->place_of.data};
    atomic_int *state = &((grid_points *)(uintptr_t)grid)->place_state;  // all that such calls change, with the table
    int found = atomic_load(state);
    if (found == NOT_NOTED && atomic_compare_exchange_strong(state, &found, BEING_NOTED)) {
        note_places(&task, 0, grid->sort.count, 0);
        atomic_store(state, NOTED);
        found = NOTED;
    }
    if (found == NOTED) return task.to[point];
    uint32_t place = 0;  // another thread is at it: nobody waits
    while (task.index[place] != point) ++place;
    return place;
}

// What rows need besides the sorted points.
static mote_result complete(mote_neighbors *search, grid_points *grid)
{
    const mote_context *context = search->context;
    const size_t count = grid->sort.count;
    mote_result result = MOTE_OK;
    if (mote_search_has(search, MOTE_NEIGHBORS_SUBSET)) {
        result = mote_buffer_reserve(context, &grid->place_of, mote_bytes(count + 1, sizeof(uint32_t)), 0);
        atomic_store(&grid->place_state, NOT_NOTED);
    }
    if (result == MOTE_OK && mote_grid_wants_places(search)) result = number_places(context, grid);
    if (result != MOTE_OK || !grid->is_relative || !mote_grid_wants_places(search)) return result;
    result = mote_buffer_reserve(context, &grid->exact, mote_bytes(count + 1, 3 * sizeof(double)), 0);
    exact_task task = {&search->points, grid->sort.index, grid->exact.data};
    if (result == MOTE_OK) mote_parallel_for(context, count, GRID_MAX_STRETCH, copy_exact, &task);
    return result;
}

mote_result mote_grid_build(mote_neighbors *search, grid_points *grid, const mote_points *points, bool *served,
                            mote_error *error)
{
    const mote_context *context = search->context;
    mote_points sorted = *points;
    mote_box box = {{0, 0, 0}, {0, 0, 0}};
    double radius = search->structure_radius;
    mote_result result = MOTE_OK;
    *served = true;
    grid->is_relative = search->scalar == MOTE_F64;
    if (grid->is_relative) {
        const mote_points stored = mote_point_store_view(&search->points);  // in columns, if they were not
        if (points->count) box = search->points.bounds;
        *served = mote_relative_frame_make(&box, radius, &grid->frame);
        if (!*served) return MOTE_OK;
        radius = grid->frame.radius;
        box = mote_relative_box(&grid->frame, &box);
        result = mote_relative_points(context, &grid->frame, &stored, true, &grid->relative, &sorted);
    }
    if (result == MOTE_OK)
        result = mote_cell_sort_build(context, &grid->sort, &sorted, grid->is_relative ? &box : NULL,
                                      mote_cell_edge(radius, MOTE_MARGIN_EXACT),
                                      search->chooser && points->count <= ONE_CELL, error);
    return result == MOTE_OK ? complete(search, grid) : result;
}

mote_result mote_grid_level_workers(const mote_context *context, grid_points *grid)
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

void mote_grid_release(const mote_context *context, grid_points *grid)
{
    grid_worker *workers = grid->workers.data;
    for (size_t w = 0; w < grid->workers.bytes / sizeof *workers; ++w) {
        mote_buffer_release(context, &workers[w].gathered.memory);
        mote_buffer_release(context, &workers[w].kept);
        mote_buffer_release(context, &workers[w].picked);
    }
    mote_buffer_release(context, &grid->workers);
    mote_buffer_release(context, &grid->places);
    mote_buffer_release(context, &grid->place_of);
    mote_buffer_release(context, &grid->relative);
    mote_buffer_release(context, &grid->exact);
    mote_cell_sort_release(context, &grid->sort);
}

size_t mote_grid_byte_count(const grid_points *grid)
{
    const grid_worker *workers = grid->workers.data;
    size_t bytes = mote_cell_sort_byte_count(&grid->sort) + grid->workers.bytes + grid->places.bytes;
    bytes += grid->place_of.bytes + grid->relative.bytes + grid->exact.bytes;
    for (size_t w = 0; w < grid->workers.bytes / sizeof *workers; ++w)
        bytes += workers[w].gathered.memory.bytes + workers[w].kept.bytes + workers[w].picked.bytes;
    return bytes;
}
