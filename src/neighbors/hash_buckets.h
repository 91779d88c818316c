// SPDX-License-Identifier: MIT
// neighbors/hash_buckets.h: the set of buckets that a row has already visited.
//
// Cells of one mask can share a bucket (in a table of 1,600, one row in eight has such a pair), but it must be
// visited only once. One bit per bucket identifies most unvisited buckets; if two buckets share the bit, the list of
// all visited ones decides.
#ifndef MOTE_NEIGHBORS_HASH_BUCKETS_H
#define MOTE_NEIGHBORS_HASH_BUCKETS_H

#include <string.h>

#include "base/internal.h"

enum { MOTE_BUCKET_SET_ROOM = 1024, MOTE_BUCKET_SET_BITS = 8192 };

typedef struct bucket_set {
    uint64_t bits[MOTE_BUCKET_SET_BITS / 64];
    uint32_t count;
    uint32_t buckets[MOTE_BUCKET_SET_ROOM];
} bucket_set;

static inline void mote_bucket_set_clear(bucket_set *set)
{
    memset(set->bits, 0, sizeof set->bits);
    set->count = 0;
}

// Adds a bucket to the set, which has room for MOTE_BUCKET_SET_ROOM buckets. Returns whether it is new.
MOTE_INLINE bool mote_bucket_set_add(bucket_set *set, uint32_t bucket)
{
    uint64_t *word = set->bits + bucket % MOTE_BUCKET_SET_BITS / 64, bit = UINT64_C(1) << bucket % 64;
    if (*word & bit)
        for (uint32_t k = 0; k < set->count; ++k)
            if (set->buckets[k] == bucket) return false;
    *word |= bit;
    set->buckets[set->count++] = bucket;
    return true;
}

#endif
