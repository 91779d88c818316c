// SPDX-License-Identifier: MIT
// all_pairs: tests every point against every other one. It is the reference for the tests of all other methods, so
// it contains only the distance test that defines neighbours, and the images of a pair that can be near in a
// periodic box (images.c). Rows are ascending by index, then by shift.

#include <math.h>

#include "neighbors/best.h"

enum { ROWS = 16 };  // rows of a block of work

typedef struct all_state {
    mote_buffer order;  // 0, 1, 2, …, if a permutation is requested
    mote_buffer group;
} all_state;

static mote_result build(mote_neighbors *search, const mote_points *points, mote_error *error)
{
    (void)error;
    all_state *state = search->state;
    if (!mote_search_has(search, MOTE_NEIGHBORS_PERMUTATION)) return MOTE_OK;  // the search's own copy is enough
    size_t bytes = mote_bytes(points->count + 1, sizeof(uint32_t));
    mote_result result = mote_buffer_reserve(search->context, &state->order, bytes, 0);
    uint32_t *order = state->order.data;
    for (size_t i = 0; result == MOTE_OK && i < points->count; ++i) order[i] = (uint32_t)i;
    return result;
}

static void candidates(const mote_neighbors *search, row_collector *collector)
{
    if (mote_search_has(search, MOTE_NEIGHBORS_PERIODIC)) {
        mote_collect_images(search, collector);
        return;
    }
    for (uint32_t j = 0; j < search->count; ++j) mote_collect(collector, j);
}

// ------------------------------------------------------------------------------------------------------- groups

// A single group of all points. All other points are its candidates.
static mote_result visit_groups(mote_neighbors *search, mote_neighbors_group_visitor *visitor, void *user_data,
                                mote_error *error)
{
    (void)error;
    enum { BEHIND = 8 };
    all_state *state = search->state;
    const size_t n = search->count, room = n + BEHIND;
    mote_result result = mote_buffer_reserve(search->context, &state->group, mote_bytes(room, 4 * sizeof(float)), 0);
    if (result != MOTE_OK || n == 0) return result;
    float *x = state->group.data, *y = x + room, *z = y + room;
    uint32_t *indices = (uint32_t *)(void *)(z + room);
    for (size_t i = 0; i < room; ++i) {
        double at[3] = {(double)INFINITY, 0, 0};
        if (i < n) mote_point_store_get(&search->points, (uint32_t)i, at);
        x[i] = (float)at[0], y[i] = (float)at[1], z[i] = (float)at[2];
        indices[i] = i < n ? (uint32_t)i : 0;
    }
    const mote_group group = {x, y, z, indices, .count = (uint32_t)n, .first = 0};
    visitor(user_data, &group, 0);
    search->counters.candidates = (uint64_t)n * n;
    return MOTE_OK;
}

// ---------------------------------------------------------------------------------------------------- k nearest

typedef struct nearest_task {
    mote_neighbors *search;
    const row_request *request;
    row_writer *writers;
} nearest_task;

static bool find_nearest_row(const nearest_task *task, const row_query *query, row_writer *writer)
{
    best_hits best;
    if (!mote_best_begin(&best, task->search, writer, task->request->nearest)) return false;
    mote_best_of_all(&best, query);
    return mote_best_end(&best, query->row);
}

static void find_nearest_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    const nearest_task *task = data;
    for (size_t k = begin; k < end; ++k) {
        row_query query = mote_request_get(task->search, task->request, k);
        if (!find_nearest_row(task, &query, task->writers + worker)) return;
    }
}

static void find_nearest(mote_neighbors *search, const row_request *request, row_writer *writers)
{
    nearest_task task = {search, request, writers};
    mote_parallel_for(search->context, request->count, ROWS, find_nearest_block, &task);
}

// ------------------------------------------------------------------------------------------------------- public

static void release(mote_neighbors *search)
{
    all_state *state = search->state;
    mote_buffer_release(search->context, &state->order);
    mote_buffer_release(search->context, &state->group);
}

static size_t byte_count(const mote_neighbors *search)
{
    const all_state *state = search->state;
    return state->order.bytes + state->group.bytes;
}

static const uint32_t *permutation(const mote_neighbors *search)
{
    return ((const all_state *)search->state)->order.data;
}

static mote_result validate(mote_neighbors *search, mote_error *error)
{
    if (search->points.count == search->count) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_STATE, 0, "all_pairs: %u points kept of %llu", search->points.count,
                     (unsigned long long)search->count);
}

const neighbors_method mote_neighbors_all_pairs = {
    .info = {"all_pairs", "baseline", "every point against every other, O(n²): the reference for tests",
             CELL_GRID_FEATURES, true},
    .state_bytes = sizeof(all_state),
    .keeps_points = true,
    .ignores_skin = true,
    .build = build,
    .candidates = candidates,
    .visit_groups = visit_groups,
    .find_nearest = find_nearest,
    .release = release,
    .byte_count = byte_count,
    .validate = validate,
    .permutation = permutation,
};
