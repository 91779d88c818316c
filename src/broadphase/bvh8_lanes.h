// SPDX-License-Identifier: MIT
// broadphase/bvh8_lanes.h: steps down the tree that compare the eight lanes of a node.
#ifndef MOTE_BROADPHASE_BVH8_LANES_H
#define MOTE_BROADPHASE_BVH8_LANES_H

#include "broadphase/bvh8_tree.h"

// Offers the objects below a node that overlap the sink's probe; returns false once the sink wants no more.
typedef bool bvh_visit(const bvh_tree *tree, uint32_t number, candidate_sink *sink);

// Finds the pairs whose paths separate at this node: objects in two of its lanes, or below them, whose boxes overlap.
typedef void bvh_meet_within(const bvh_tree *tree, uint32_t number, pair_writer *writer);

#endif
