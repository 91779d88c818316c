// SPDX-License-Identifier: MIT
// neighbors/spatial_hash.h: the two lists of the original spatial hash, buckets and particles, in two forms.
//
// A bucket holds the particles of every cell that the hash function sends there, and a row looks at all of them: what
// merely shares the bucket costs a distance. Their cells are asked only where a row's cells are too many to remember
// which buckets it has seen.
#ifndef MOTE_NEIGHBORS_SPATIAL_HASH_H
#define MOTE_NEIGHBORS_SPATIAL_HASH_H

#include "neighbors/hash_buckets.h"
#include "neighbors/hash_space.h"
#include "neighbors/hash_order.h"

// Contiguous lists: bucket b has the points first[b] … first[b + 1] − 1, ascending by index, and their cells.
typedef struct spatial_hash {
    hashed_space space;
    mote_buffer first, placed, cells, buckets;
    near_order order;  // in which rows are found
} spatial_hash;

// Chains: the head of a bucket's counts if the bucket's stamp is that of the last update; then chain[head].next and so
// on, descending by index, to UINT32_MAX.
typedef struct stamped_bucket {
    uint32_t stamp, head;
} stamped_bucket;

typedef struct spatial_hash_dynamic {
    hashed_space space;
    mote_buffer table;
    mote_buffer chain, cells;  // by the point's index
    near_order order;
    uint32_t stamp;  // of the last update; 0: the table's stamps mean nothing
} spatial_hash_dynamic;

// Walks the cells of a row's mask. Each form brings two visitors: one takes all of the cell's bucket unless that was
// seen before; the other takes what lies in the very cell, for masks with more cells than a bucket_set has room for.
// Masks with more cells than there are points are not walked: every point is taken.
typedef struct bucket_walk {
    const mote_neighbors *search;
    const hashed_space *space;
    row_collector *collector;
    hash_mask mask;
    bucket_set seen;
} bucket_walk;

MOTE_INLINE void mote_bucket_walk(const mote_neighbors *search, const hashed_space *space, row_collector *collector,
                                  void (*visit_new_bucket)(void *walk, grid_cell cell),
                                  void (*visit_cell)(void *walk, grid_cell cell))
{
    if (search->count == 0) return;
    bucket_walk walk;
    walk.search = search;
    walk.space = space;
    walk.collector = collector;
    walk.mask = mote_mask_make(search, space, &collector->query);
    const double cells = mote_range_cells(&walk.mask.range), points = (double)search->count;
    if (cells == 0) return;
    if (cells <= MOTE_BUCKET_SET_ROOM && cells <= points) {
        mote_bucket_set_clear(&walk.seen);
        mote_mask_visit(&walk.mask, visit_new_bucket, &walk);
    } else if (cells * (1 + points / space->hasher.size) <= points) {
        mote_mask_visit(&walk.mask, visit_cell, &walk);
    } else {
        mote_collect_every(search, collector);
    }
}

#endif
