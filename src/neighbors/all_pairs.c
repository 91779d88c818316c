// all_pairs: every point against every other. The oracle that all other methods are tested against: nothing here but
// the distance test that defines neighbours. Rows are ascending by index.

#include "cells/internal.h"
#include "neighbors/internal.h"

typedef struct all_pairs {
    mote_buffer coordinates;  // x of all points, then y, then z
    const float *x, *y, *z;
} all_pairs;

enum { BLOCK = 64 };

static mote_result build(mote_neighbors *search, const mote_points *points)
{
    all_pairs *state = search->state;
    size_t n = points->count;
    mote_box box;
    mote_result result = mote_points_bounds(search->context, points, &box, &search->error);
    if (result != MOTE_OK) return result;
    result = mote_buffer_reserve(search->context, &state->coordinates, mote_bytes(n, 3 * sizeof(float)), 0);
    if (result != MOTE_OK) return result;
    float *axis = state->coordinates.data;
    state->x = axis, state->y = axis + n, state->z = axis + 2 * n;
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < n; ++i) axis[(size_t)k * n + i] = (float)mote_points_get(points, i, k);

    return MOTE_OK;
}

typedef struct find_task {
    mote_neighbors *search;
    const mote_points *queries;
    row_writer *writers;
} find_task;

static void find_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    const find_task *task = data;
    const all_pairs *state = task->search->state;
    const float *x = state->x, *y = state->y, *z = state->z;
    const float radius_squared = task->search->radius_squared;
    uint32_t n = (uint32_t)task->search->count;
    row_writer *writer = task->writers + worker;

    for (size_t i = begin; i < end; ++i) {
        float p[3];
        for (int k = 0; k < 3; ++k)
            p[k] = task->queries ? (float)mote_points_get(task->queries, i, k) : k == 0 ? x[i] : k == 1 ? y[i] : z[i];
        uint32_t *row = mote_row_begin(writer, n);
        if (!row) return;
        uint32_t count = 0;
        for (uint32_t j = 0; j < n; ++j)
            if (mote_within(x[j] - p[0], y[j] - p[1], z[j] - p[2], radius_squared) && (task->queries || j != i))
                row[count++] = j;
        writer->candidates += n;
        mote_row_end(writer, (uint32_t)i, row, count);
    }
}

static void find_rows(mote_neighbors *search, const mote_points *queries, row_writer *writers)
{
    find_task task = {search, queries, writers};
    mote_parallel_for(search->context, queries ? queries->count : search->count, BLOCK, find_block, &task);
}

static void release(mote_neighbors *search)
{
    all_pairs *state = search->state;
    mote_buffer_release(search->context, &state->coordinates);
}

static size_t byte_count(const mote_neighbors *search)
{
    const all_pairs *state = search->state;
    return state->coordinates.bytes;
}

static mote_result validate(mote_neighbors *search)
{
    (void)search;  // a plain copy has no invariant beyond its size
    return MOTE_OK;
}

const neighbors_method mote_neighbors_all_pairs = {
    .info = {"all_pairs", "baseline", "every point against every other, O(n²): the oracle",
             MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_ASCENDING, true},
    .state_bytes = sizeof(all_pairs),
    .build = build,
    .find_rows = find_rows,
    .release = release,
    .byte_count = byte_count,
    .validate = validate,
};
