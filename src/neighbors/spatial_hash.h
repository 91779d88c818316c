// SPDX-License-Identifier: MIT
// neighbors/spatial_hash.h: the two lists of the original spatial hash, buckets and particles, in two forms.
//
// A bucket holds the particles of every cell that the hash function maps to it, and a row tests all of them: a
// particle that merely shares the bucket costs a distance test. Cells are compared only if a row has too many cells
// to remember which buckets it has visited.
#ifndef MOTE_NEIGHBORS_SPATIAL_HASH_H
#define MOTE_NEIGHBORS_SPATIAL_HASH_H

#include "neighbors/hash_buckets.h"
#include "neighbors/hash_space.h"
#include "neighbors/hash_order.h"

// Contiguous lists: bucket b has the points first[b] … first[b + 1] − 1, ascending by index, and their cells.
typedef struct spatial_hash {
    hashed_space space;
    mote_buffer first, placed, cells, buckets;
    near_order order;  // the order in which rows are found
} spatial_hash;

// Chains: the head of a bucket is valid if the bucket's stamp is that of the last update; the chain continues with
// chain[head].next and so on, descending by index, to UINT32_MAX.
typedef struct stamped_bucket {
    uint32_t stamp, head;
} stamped_bucket;

typedef struct spatial_hash_dynamic {
    hashed_space space;
    mote_buffer table;
    mote_buffer chain, cells;  // indexed by point
    near_order order;
    uint32_t stamp;  // stamp of the last update; 0: the table's stamps are invalid
} spatial_hash_dynamic;

// Walks the cells of a row's mask. Each form has two visitors: one takes all particles of the cell's bucket unless
// the bucket was visited before; the other takes only the particles in that cell, for masks with more cells than fit
// a bucket_set. Masks with more cells than there are points are not walked: every point is taken.
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
