// SPDX-License-Identifier: MIT
// spatial_hash: two lists, of buckets and particles (Teschner et al. 2003, in the form of Pouchol et al. 2009, eq.
// 1, and the grid-cell-hash text), over cells of the size that the H-mask needs (Onderik & Ďurikovič 2008, section
// 4.1).
//
// It is rebuilt on every update by a counting sort: the particles of a bucket are contiguous, ascending by index. If
// a bucket holds several cells, their particles are mixed. Rows are ordered by bucket, in the order in which their
// mask, by z, y and x, first meets the buckets, then by index. Build O(points + buckets), 32 bytes per point and 4
// per bucket; rows of all points take 24 bytes per point more.

#include <string.h>

#include "neighbors/spatial_hash.h"

enum { BLOCK = 8192 };

// ------------------------------------------------------------------------------------------------------- building

typedef struct build_task {
    const mote_neighbors *search;
    spatial_hash *hash;
} build_task;

static void hash_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const build_task *task = data;
    const hashed_space *space = &task->hash->space;
    uint32_t *buckets = task->hash->buckets.data;
    for (size_t i = begin; i < end; ++i)
        buckets[i] = mote_hash_cell(&space->hasher, mote_hashed_cell_of(task->search, &space->frame, (uint32_t)i));
}

static void place_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const build_task *task = data;
    placed_point *placed = task->hash->placed.data;
    grid_cell *cells = task->hash->cells.data;
    for (size_t k = begin; k < end; ++k) {
        const uint32_t i = placed[k].index;
        cells[k] = mote_hashed_cell_of(task->search, &task->hash->space.frame, i);
        placed[k] = mote_point_place(&task->search->points, i);
    }
}

static mote_result build(mote_neighbors *search, const mote_points *points, mote_error *error)
{
    (void)error;
    spatial_hash *hash = search->state;
    const size_t n = search->count;
    hash->order.points = NULL;
    if (n == 0) return MOTE_OK;
    hash->space = mote_hashed_space_make(search, points);
    const size_t size = hash->space.hasher.size;
    mote_result result = mote_buffer_reserve(search->context, &hash->first, mote_bytes(size + 1, sizeof(uint32_t)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(search->context, &hash->buckets, mote_bytes(n, sizeof(uint32_t)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(search->context, &hash->placed, mote_bytes(n, sizeof(placed_point)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(search->context, &hash->cells, mote_bytes(n, sizeof(grid_cell)), 0);
    if (result != MOTE_OK) return result;

    build_task task = {search, hash};
    mote_parallel_for(search->context, n, BLOCK, hash_block, &task);
    uint32_t *first = hash->first.data;
    const uint32_t *buckets = hash->buckets.data;
    placed_point *placed = hash->placed.data;
    uint32_t *next = first + 1;
    memset(first, 0, (size + 1) * sizeof *first);
    for (size_t i = 0; i < n; ++i) next[buckets[i]] += 1;
    mote_prefix_sum_u32(next, size);
    for (size_t i = 0; i < n; ++i) placed[next[buckets[i]]++].index = (uint32_t)i;
    MOTE_ASSERT(first[size] == n);
    mote_parallel_for(search->context, n, BLOCK, place_block, &task);
    return MOTE_OK;
}

// --------------------------------------------------------------------------------------------------------- looking

static void visit_new_bucket(void *data, grid_cell cell)
{
    bucket_walk *walk = data;
    const uint32_t bucket = mote_hash_cell(&walk->space->hasher, cell);
    if (!mote_bucket_set_add(&walk->seen, bucket)) return;
    const spatial_hash *hash = walk->search->state;
    const uint32_t *first = hash->first.data;
    const placed_point *placed = hash->placed.data;
    for (uint32_t k = first[bucket]; k < first[bucket + 1]; ++k)
        mote_collect_at(walk->collector, placed[k].index, placed[k].at);
}

static void visit_cell(void *data, grid_cell cell)
{
    bucket_walk *walk = data;
    const uint32_t bucket = mote_hash_cell(&walk->space->hasher, cell);
    const spatial_hash *hash = walk->search->state;
    const uint32_t *first = hash->first.data;
    const placed_point *placed = hash->placed.data;
    const grid_cell *cells = hash->cells.data;
    for (uint32_t k = first[bucket]; k < first[bucket + 1]; ++k)
        if (mote_cells_are_equal(cells[k], cell)) mote_collect_at(walk->collector, placed[k].index, placed[k].at);
}

static void candidates(const mote_neighbors *search, row_collector *collector)
{
    const spatial_hash *hash = search->state;
    mote_bucket_walk(search, &hash->space, collector, visit_new_bucket, visit_cell);
}

static void find_rows(mote_neighbors *search, const row_request *request, row_writer *writers)
{
    spatial_hash *hash = search->state;
    mote_near_order_find_rows(search, request, writers, &hash->space.frame, &hash->order);
}

// ------------------------------------------------------------------------------------------------------ inspection

static void release(mote_neighbors *search)
{
    spatial_hash *hash = search->state;
    mote_buffer_release(search->context, &hash->first);
    mote_buffer_release(search->context, &hash->placed);
    mote_buffer_release(search->context, &hash->cells);
    mote_buffer_release(search->context, &hash->buckets);
    mote_buffer_release(search->context, &hash->order.memory);
}

static size_t byte_count(const mote_neighbors *search)
{
    const spatial_hash *hash = search->state;
    return hash->first.bytes + hash->placed.bytes + hash->cells.bytes + hash->buckets.bytes + hash->order.memory.bytes;
}

// Counts the different cells among begin … end − 1: O(points · cells).
static uint64_t count_cells(const grid_cell *cells, uint32_t begin, uint32_t end)
{
    uint64_t found = 0;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t other = begin;
        while (!mote_cells_are_equal(cells[other], cells[k])) ++other;
        found += other == k;
    }
    return found;
}

static void count(const mote_neighbors *search, mote_neighbors_counters *counters)
{
    const spatial_hash *hash = search->state;
    const uint32_t *first = hash->first.data;
    for (uint32_t b = 0; search->count && b < hash->space.hasher.size; ++b) {
        uint64_t cells = count_cells(hash->cells.data, first[b], first[b + 1]);
        counters->cells += cells;
        counters->collisions += cells > 1 ? cells : 0;
    }
}

static mote_result validate(mote_neighbors *search, mote_error *error)
{
    const spatial_hash *hash = search->state;
    const uint32_t *first = hash->first.data;
    const placed_point *placed = hash->placed.data;
    const grid_cell *cells = hash->cells.data;
    if (search->count == 0) return MOTE_OK;
    const uint32_t size = hash->space.hasher.size;
    if (first[0] != 0 || first[size] != search->count)
        return mote_fail(error, MOTE_ERROR_STATE, 0, "spatial_hash: %u entries for %llu points", first[size],
                         (unsigned long long)search->count);
    for (uint32_t b = 0; b < size; ++b) {
        if (first[b] > first[b + 1])
            return mote_fail(error, MOTE_ERROR_STATE, b, "spatial_hash: bucket %u starts behind the next", b);
        for (uint32_t k = first[b]; k < first[b + 1]; ++k) {
            const uint32_t index = placed[k].index;
            if (index >= search->count || (k > first[b] && placed[k - 1].index >= index))
                return mote_fail(error, MOTE_ERROR_STATE, k, "spatial_hash: bucket %u does not ascend at %u", b, k);
            if (!mote_cells_are_equal(cells[k], mote_hashed_cell_of(search, &hash->space.frame, index)))
                return mote_fail(error, MOTE_ERROR_STATE, index, "spatial_hash: point %u is kept with another cell",
                                 index);
            if (mote_hash_cell(&hash->space.hasher, cells[k]) != b)
                return mote_fail(error, MOTE_ERROR_STATE, index, "spatial_hash: point %u is not in its bucket", index);
        }
    }
    return MOTE_OK;
}

const neighbors_method mote_neighbors_spatial_hash = {
    .info = {"spatial_hash", "Teschner et al. 2003; Pouchol et al. 2009, eq. 1; Onderik & Ďurikovič 2008, section 4.1",
             "points sorted by the hash of their cell; colliding cells share a bucket", MOTE_HASHED_FEATURES, true},
    .state_bytes = sizeof(spatial_hash),
    .keeps_points = true,
    .build = build,
    .candidates = candidates,
    .find_rows = find_rows,
    .release = release,
    .byte_count = byte_count,
    .validate = validate,
    .count = count,
};
