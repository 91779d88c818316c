// SPDX-License-Identifier: MIT
// neighbors/tree_nearest_group.h: the k nearest of several queries that are near each other, in an open space.
#ifndef MOTE_NEIGHBORS_TREE_NEAREST_GROUP_H
#define MOTE_NEIGHBORS_TREE_NEAREST_GROUP_H

#include "neighbors/tree.h"

enum {
    NEAREST_GROUP = 16,  // most queries of a group
    NEAREST_FEW = 32     // most neighbours that a group finds for a query
};

typedef struct nearest_group {
    const kd_tree *tree;
    uint32_t count;   // queries
    uint32_t wanted;  // 1 … NEAREST_FEW, and at most the points of the set besides the query
    double at[NEAREST_GROUP][3];
    uint32_t self[NEAREST_GROUP];
    // The neighbours, ascending by squared distance, then index.
    double squared[NEAREST_GROUP][NEAREST_FEW];
    uint32_t index[NEAREST_GROUP][NEAREST_FEW];
    bool is_found[NEAREST_GROUP];
    uint64_t candidates;  // points tested, which are added up
} nearest_group;

// Finds the nearest points of the group's queries, except for those whose surroundings hold too many points, or are so
// small or large that floats do not tell distances: they are not `is_found`, and their rows hold anything.
// @param leaf  one near the queries
typedef void nearest_lanes(nearest_group *group, uint32_t leaf);

#endif
