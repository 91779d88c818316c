// SPDX-License-Identifier: MIT
// neighbors/tree_nearest_floats.h: the k nearest of float points in an open space.
#ifndef MOTE_NEIGHBORS_TREE_NEAREST_FLOATS_H
#define MOTE_NEIGHBORS_TREE_NEAREST_FLOATS_H

#include <string.h>

#include "neighbors/internal.h"

// Writes the `wanted` nearest points to `keys`, ascending. There must be that many points besides the query itself.
// A point's index is the low half of its key. The tree must be one of floats.
// @param leaf   the leaf that holds the query, or UINT32_MAX
// @return       number of points tested
uint64_t mote_nearest_keys_find(const kd_tree *tree, const row_query *query, uint32_t leaf, uint64_t *keys,
                                size_t wanted);

// The squared distance in a key.
static inline double mote_nearest_key_squared(uint64_t key)
{
    const uint32_t bits = (uint32_t)(key >> 32);
    float squared;
    memcpy(&squared, &bits, sizeof squared);
    return (double)squared;
}

#endif
