// SPDX-License-Identifier: MIT
// spatial_hash_dynamic: the two lists of the spatial hash as chains that are built point by point (Ahmad's tutorial;
// Pouchol et al. 2009, section 4.3).
//
// A point is inserted at the head of its bucket's chain. The table is never cleared: a bucket whose time stamp is
// not that of the current update is empty. The stamps are reset only when they have wrapped around, once in 2^32
// updates, or when the table has grown. Rows are ordered by bucket, in the order in which their mask, by z, y and x,
// first meets the buckets, then descending by index. Update O(points), 28 bytes per point and 8 per bucket; rows of
// all points take 24 bytes per point more.

#include <string.h>

#include "neighbors/spatial_hash.h"

enum { BLOCK = 8192 };

static const uint32_t end_of_chain = UINT32_MAX;

static mote_result reserve(mote_neighbors *search, spatial_hash_dynamic *hash)
{
    const size_t n = search->count, bytes = hash->table.bytes;
    mote_result result = mote_buffer_reserve(search->context, &hash->table,
                                             mote_bytes(hash->space.hasher.size, sizeof(stamped_bucket)), 0);
    if (hash->table.bytes != bytes) hash->stamp = 0;
    if (result == MOTE_OK)
        result = mote_buffer_reserve(search->context, &hash->chain, mote_bytes(n, sizeof(chained_point)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(search->context, &hash->cells, mote_bytes(n, sizeof(grid_cell)), 0);
    return result;
}

static void place_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const mote_neighbors *search = data;
    const spatial_hash_dynamic *hash = search->state;
    chained_point *chain = hash->chain.data;
    for (size_t i = begin; i < end; ++i) {
        const placed_point point = mote_point_place(&search->points, (uint32_t)i);
        memcpy(chain[i].at, point.at, sizeof point.at);
    }
}

static mote_result build(mote_neighbors *search, const mote_points *points, mote_error *error)
{
    (void)error;
    spatial_hash_dynamic *hash = search->state;
    const uint32_t n = (uint32_t)search->count;
    hash->order.points = NULL;
    if (n == 0) return MOTE_OK;
    hash->space = mote_hashed_space_make(search, points);
    mote_result result = reserve(search, hash);
    if (result != MOTE_OK) return result;

    if (hash->stamp == 0 || hash->stamp == UINT32_MAX) {
        memset(hash->table.data, 0, hash->table.bytes);
        hash->stamp = 0;
    }
    hash->stamp += 1;
    stamped_bucket *table = hash->table.data;
    chained_point *chain = hash->chain.data;
    const grid_cell *cells = hash->cells.data;
    mote_hashed_find_cells(search, &hash->space.frame, hash->cells.data);
    mote_parallel_for(search->context, n, BLOCK, place_block, search);
    for (uint32_t i = 0; i < n; ++i) {
        stamped_bucket *bucket = table + mote_hash_cell(&hash->space.hasher, cells[i]);
        chain[i].next = bucket->stamp == hash->stamp ? bucket->head : end_of_chain;
        bucket->stamp = hash->stamp;
        bucket->head = i;
    }
    return MOTE_OK;
}

// --------------------------------------------------------------------------------------------------------- looking

MOTE_INLINE uint32_t head_of(const spatial_hash_dynamic *hash, uint32_t bucket)
{
    const stamped_bucket *table = hash->table.data;
    return table[bucket].stamp == hash->stamp ? table[bucket].head : end_of_chain;
}

static void visit_new_bucket(void *data, grid_cell cell)
{
    bucket_walk *walk = data;
    const uint32_t bucket = mote_hash_cell(&walk->space->hasher, cell);
    if (!mote_bucket_set_add(&walk->seen, bucket)) return;
    const spatial_hash_dynamic *hash = walk->search->state;
    const chained_point *chain = hash->chain.data;
    for (uint32_t j = head_of(hash, bucket); j != end_of_chain; j = chain[j].next)
        mote_collect_at(walk->collector, j, chain[j].at);
}

static void visit_cell(void *data, grid_cell cell)
{
    bucket_walk *walk = data;
    const spatial_hash_dynamic *hash = walk->search->state;
    const grid_cell *cells = hash->cells.data;
    const chained_point *chain = hash->chain.data;
    for (uint32_t j = head_of(hash, mote_hash_cell(&walk->space->hasher, cell)); j != end_of_chain; j = chain[j].next)
        if (mote_cells_are_equal(cells[j], cell)) mote_collect_at(walk->collector, j, chain[j].at);
}

static void candidates(const mote_neighbors *search, row_collector *collector)
{
    const spatial_hash_dynamic *hash = search->state;
    mote_bucket_walk(search, &hash->space, collector, visit_new_bucket, visit_cell);
}

static void find_rows(mote_neighbors *search, const row_request *request, row_writer *writers)
{
    spatial_hash_dynamic *hash = search->state;
    mote_near_order_find_rows(search, request, writers, &hash->space.frame, &hash->order);
}

// ------------------------------------------------------------------------------------------------------ inspection

static void release(mote_neighbors *search)
{
    spatial_hash_dynamic *hash = search->state;
    mote_buffer_release(search->context, &hash->table);
    mote_buffer_release(search->context, &hash->chain);
    mote_buffer_release(search->context, &hash->cells);
    mote_buffer_release(search->context, &hash->order.memory);
}

static size_t byte_count(const mote_neighbors *search)
{
    const spatial_hash_dynamic *hash = search->state;
    return hash->table.bytes + hash->chain.bytes + hash->cells.bytes + hash->order.memory.bytes;
}

// Counts the cells of a chain: O(points · cells).
static uint64_t count_cells(const spatial_hash_dynamic *hash, uint32_t head)
{
    const grid_cell *cells = hash->cells.data;
    const chained_point *chain = hash->chain.data;
    uint64_t found = 0;
    for (uint32_t j = head; j != end_of_chain; j = chain[j].next) {
        uint32_t other = head;
        while (!mote_cells_are_equal(cells[other], cells[j])) other = chain[other].next;
        found += other == j;
    }
    return found;
}

static void count(const mote_neighbors *search, mote_neighbors_counters *counters)
{
    const spatial_hash_dynamic *hash = search->state;
    for (uint32_t b = 0; search->count && b < hash->space.hasher.size; ++b) {
        uint64_t cells = count_cells(hash, head_of(hash, b));
        counters->cells += cells;
        counters->collisions += cells > 1 ? cells : 0;
    }
}

static mote_result validate(mote_neighbors *search, mote_error *error)
{
    const spatial_hash_dynamic *hash = search->state;
    const grid_cell *cells = hash->cells.data;
    const chained_point *chain = hash->chain.data;
    size_t found = 0;
    for (uint32_t b = 0; search->count && b < hash->space.hasher.size; ++b) {
        uint32_t last = (uint32_t)search->count;
        for (uint32_t j = head_of(hash, b); j != end_of_chain; last = j, j = chain[j].next, ++found) {
            if (j >= last)
                return mote_fail(error, MOTE_ERROR_STATE, b,
                                 "spatial_hash_dynamic: the chain of bucket %u does not descend", b);
            if (!mote_cells_are_equal(cells[j], mote_hashed_cell_of(search, &hash->space.frame, j)))
                return mote_fail(error, MOTE_ERROR_STATE, j, "spatial_hash_dynamic: point %u is kept with another cell",
                                 j);
            if (mote_hash_cell(&hash->space.hasher, cells[j]) != b)
                return mote_fail(error, MOTE_ERROR_STATE, j, "spatial_hash_dynamic: point %u is not in its bucket", j);
        }
    }
    if (found == search->count) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_STATE, 0, "spatial_hash_dynamic: %llu points in the chains of %llu",
                     (unsigned long long)found, (unsigned long long)search->count);
}

const neighbors_method mote_neighbors_spatial_hash_dynamic = {
    .info = {"spatial_hash_dynamic", "Ahmad's tutorial; Pouchol et al. 2009, eq. 1 and section 4.3",
             "linked list of points per bucket; time stamps instead of clearing", MOTE_HASHED_FEATURES,
             true},
    .state_bytes = sizeof(spatial_hash_dynamic),
    .keeps_points = true,
    .build = build,
    .candidates = candidates,
    .find_rows = find_rows,
    .release = release,
    .byte_count = byte_count,
    .validate = validate,
    .count = count,
};
