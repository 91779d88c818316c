// SPDX-License-Identifier: MIT
// cell_hash: three lists, of buckets, cells and particles, built from scratch (the grid-cell-hash text).
//
// Points are sorted by cell; the occupied cells are then sorted by bucket. For a row, each cell of its mask is
// looked up among the few cells of its bucket, so points of other cells are never tested. Rows are ordered by the
// cell's z, y and x, then by index, for any hash. The build is O(points + buckets). It takes 4 bytes per bucket, 20
// per cell and 20 per point, and for sorting 32 per point and 20 per cell.

#include "neighbors/hash_runs.h"

enum { BLOCK = 8192 };

typedef struct cell_hash {
    hashed_space space;
    mote_buffer cells;   // cells of the points
    cell_runs runs;
    mote_buffer placed;  // the points in the order of the runs
} cell_hash;

static void place_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const mote_neighbors *search = data;
    const cell_hash *hash = search->state;
    const uint32_t *order = hash->runs.order.data;
    placed_point *placed = hash->placed.data;
    for (size_t k = begin; k < end; ++k) placed[k] = mote_point_place(&search->points, order[k]);
}

static mote_result build(mote_neighbors *search, const mote_points *points, mote_error *error)
{
    (void)error;
    cell_hash *hash = search->state;
    const size_t n = search->count;
    if (n == 0) return MOTE_OK;
    hash->space = mote_hashed_space_make(search, points);
    mote_result result =
        mote_buffer_reserve(search->context, &hash->cells, mote_bytes(n, sizeof(grid_cell)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(search->context, &hash->placed, mote_bytes(n, sizeof(placed_point)), 0);
    if (result != MOTE_OK) return result;
    mote_hashed_find_cells(search, &hash->space.frame, hash->cells.data);
    result = mote_cell_runs_make(search->context, &hash->runs, hash->cells.data, n, &hash->space.hasher);
    if (result == MOTE_OK) mote_parallel_for(search->context, n, BLOCK, place_block, search);
    return result;
}

typedef struct cell_walk {
    const cell_hash *hash;
    row_collector *collector;
} cell_walk;

static void visit_cell(void *data, grid_cell cell)
{
    const cell_walk *walk = data;
    const cell_runs *runs = &walk->hash->runs;
    const uint32_t *first = runs->bucket_first.data;
    const cell_run *run = runs->runs.data;
    const uint32_t bucket = mote_hash_cell(&walk->hash->space.hasher, cell);
    for (uint32_t r = first[bucket]; r < first[bucket + 1]; ++r) {
        if (!mote_cells_are_equal(run[r].at, cell)) continue;
        const placed_point *points = (const placed_point *)walk->hash->placed.data + run[r].first;
        for (uint32_t k = 0; k < run[r].count; ++k) mote_collect_at(walk->collector, points[k].index, points[k].at);
        return;
    }
}

static void candidates(const mote_neighbors *search, row_collector *collector)
{
    const cell_hash *hash = search->state;
    cell_walk walk = {hash, collector};
    if (search->count) mote_mask_walk(search, &hash->space, collector, visit_cell, &walk);
}

static void find_rows(mote_neighbors *search, const row_request *request, row_writer *writers)
{
    const cell_hash *hash = search->state;
    mote_rows_in_order(search, request, writers, hash->runs.order.data);
}

static void release(mote_neighbors *search)
{
    cell_hash *hash = search->state;
    mote_buffer_release(search->context, &hash->cells);
    mote_buffer_release(search->context, &hash->placed);
    mote_cell_runs_release(search->context, &hash->runs);
}

static size_t byte_count(const mote_neighbors *search)
{
    const cell_hash *hash = search->state;
    return hash->cells.bytes + hash->placed.bytes + mote_cell_runs_byte_count(&hash->runs);
}

static void count(const mote_neighbors *search, mote_neighbors_counters *counters)
{
    const cell_hash *hash = search->state;
    const uint32_t *first = hash->runs.bucket_first.data;
    if (search->count == 0) return;
    counters->cells = hash->runs.count;
    for (uint32_t b = 0; b < hash->space.hasher.size; ++b)
        if (first[b + 1] - first[b] > 1) counters->collisions += first[b + 1] - first[b];
}

// Checks a cell of a bucket: it must be in this bucket, after the previous cell, and hold its own points in
// ascending order.
static mote_result validate_run(mote_neighbors *search, uint32_t bucket, uint32_t r, bool is_first, mote_error *error)
{
    const cell_hash *hash = search->state;
    const cell_run *run = (const cell_run *)hash->runs.runs.data + r;
    const uint32_t *order = hash->runs.order.data;
    const char *fault = NULL;
    if (mote_hash_cell(&hash->space.hasher, run->at) != bucket) fault = "is not in its bucket";
    if (!is_first && !mote_cell_is_less(run[-1].at, run->at)) fault = "does not follow the one before it";
    if (run->count == 0) fault = "is empty";
    for (uint32_t k = run->first; k < run->first + run->count; ++k) {
        if (order[k] >= search->count || (k > run->first && order[k - 1] >= order[k])) fault = "does not ascend";
        if (!fault && !mote_cells_are_equal(mote_hashed_cell_of(search, &hash->space.frame, order[k]), run->at))
            fault = "has a point of another cell";
    }
    if (!fault) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_STATE, r, "cell_hash: cell (%d, %d, %d) of bucket %u %s", run->at.at[0],
                     run->at.at[1], run->at.at[2], bucket, fault);
}

static mote_result validate(mote_neighbors *search, mote_error *error)
{
    const cell_hash *hash = search->state;
    const uint32_t *first = hash->runs.bucket_first.data;
    const cell_run *run = hash->runs.runs.data;
    mote_result result = MOTE_OK;
    uint64_t points = 0;
    for (uint32_t b = 0; search->count && b < hash->space.hasher.size; ++b)
        for (uint32_t r = first[b]; r < first[b + 1] && result == MOTE_OK; ++r) {
            result = validate_run(search, b, r, r == first[b], error);
            points += run[r].count;
        }
    if (result != MOTE_OK || points == search->count) return result;
    return mote_fail(error, MOTE_ERROR_STATE, 0, "cell_hash: %llu points in the cells of %llu",
                     (unsigned long long)points, (unsigned long long)search->count);
}

const neighbors_method mote_neighbors_cell_hash = {
    .info = {"cell_hash", "the grid-cell-hash text",
             "points sorted by cell, cells sorted by hash; exact cells, no collisions",
             MOTE_HASHED_FEATURES, true},
    .state_bytes = sizeof(cell_hash),
    .keeps_points = true,
    .build = build,
    .candidates = candidates,
    .find_rows = find_rows,
    .release = release,
    .byte_count = byte_count,
    .validate = validate,
    .count = count,
};
