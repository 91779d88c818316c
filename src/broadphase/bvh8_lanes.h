// SPDX-License-Identifier: MIT
// broadphase/bvh8_lanes.h: steps down the tree that compare the eight lanes of a node, in plain C and with AVX2.
#ifndef MOTE_BROADPHASE_BVH8_LANES_H
#define MOTE_BROADPHASE_BVH8_LANES_H

#include "broadphase/bvh8_tree.h"

// The contents of a lane.
typedef struct bvh_branch {
    mote_bounds box;
    uint32_t child;
    bool is_object;
} bvh_branch;

static inline bvh_branch mote_bvh_branch(const bvh_node *node, uint32_t lane)
{
    bvh_branch branch = {mote_bvh_lane(node, lane), node->child[lane], (node->objects >> lane & 1) != 0};
    return branch;
}

// The lanes whose boxes overlap a box.
static inline uint32_t mote_bvh_overlap(const bvh_node *node, const mote_bounds *box)
{
    uint32_t lanes = 0;
    for (uint32_t lane = 0; lane < LANES; ++lane) {
        bool meet = true;
        for (int k = 0; k < 3; ++k) meet &= (node->min[k][lane] <= box->max[k]) & (box->min[k] <= node->max[k][lane]);
        lanes |= (uint32_t)meet << lane;
    }
    return lanes;
}

// Offers the objects below a node that overlap the sink's probe; returns false once the sink wants no more.
typedef bool bvh_visit(const bvh_tree *tree, uint32_t number, candidate_sink *sink);
bvh_visit mote_bvh_visit_plain, mote_bvh_visit_avx2;

// Finds the pairs of an object under one branch with one under the other whose boxes overlap. Both branches are
// opened together, or the one that is not an object.
typedef void bvh_meet(const bvh_tree *tree, const bvh_branch *a, const bvh_branch *b, pair_writer *writer);
bvh_meet mote_bvh_meet_plain, mote_bvh_meet_avx2;

#endif
