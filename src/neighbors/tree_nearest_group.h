// SPDX-License-Identifier: MIT
// neighbors/tree_nearest_group.h: the k nearest of several queries that are near each other, among double points in an
// open space.
#ifndef MOTE_NEIGHBORS_TREE_NEAREST_GROUP_H
#define MOTE_NEIGHBORS_TREE_NEAREST_GROUP_H

#include "neighbors/tree.h"

enum {
    NEAREST_GROUP = 16,  // most queries of a group
    NEAREST_FEW = 32,    // most neighbours that a group finds for a query
    NEAREST_ROOM = 1 + NEAREST_FEW + MOTE_WIDE_MOST
};

typedef struct nearest_group {
    const kd_tree *tree;
    uint32_t count;   // queries
    uint32_t wanted;  // 1 … NEAREST_FEW, and at most the points of the set besides the query
    double at[NEAREST_GROUP][3];
    uint32_t self[NEAREST_GROUP];
    // The best so far, ascending by squared distance, then index, from place 1 on. Place 0 comes before all.
    double squared[NEAREST_GROUP][NEAREST_ROOM];
    double index[NEAREST_GROUP][NEAREST_ROOM];
    uint64_t candidates;  // points tested, which are added up
} nearest_group;

// Finds the nearest points of every query of the group.
// @param leaf  one near the queries
// @return      false if the surroundings have too many leaves: then nothing was found
typedef bool nearest_lanes(nearest_group *group, uint32_t leaf);

#endif
