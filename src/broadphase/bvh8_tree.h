// SPDX-License-Identifier: MIT
// broadphase/bvh8_tree.h: a tree of boxes whose nodes have eight lanes.
//
// A lane holds an object, with its own box; or a node below, with the box around its contents; or nothing, with a
// box that nothing overlaps. Nodes below come after their parents in the array.
#ifndef MOTE_BROADPHASE_BVH8_TREE_H
#define MOTE_BROADPHASE_BVH8_TREE_H

#include "broadphase/internal.h"

enum { LANES = 8 };
#define LANE_NONE UINT32_MAX

typedef struct bvh_node {
    float min[3][LANES], max[3][LANES];
    uint32_t child[LANES];  // id of an object, or number of a node
    uint32_t parent;        // its lane in the parent, node · 8 + lane; LANE_NONE: the root
    uint8_t objects, nodes; // masks of the lanes that hold an object, or a node
} bvh_node;

struct broadphase_lanes;

typedef struct bvh_tree {
    const struct broadphase_lanes *lanes;  // the loops that compare eight lanes, chosen by the update
    mote_buffer node_memory, place_memory;
    bvh_node *nodes;       // the first is the root
    uint32_t node_count;
    uint32_t *places;      // by id: the lane that holds the object, or LANE_NONE
    uint32_t place_count;
} bvh_tree;

MOTE_INLINE mote_bounds mote_bvh_lane(const bvh_node *node, uint32_t lane)
{
    mote_bounds box;
    for (int k = 0; k < 3; ++k) box.min[k] = node->min[k][lane], box.max[k] = node->max[k][lane];
    return box;
}

static inline void mote_bvh_set_lane(bvh_node *node, uint32_t lane, const mote_bounds *box)
{
    for (int k = 0; k < 3; ++k) node->min[k][lane] = box->min[k], node->max[k][lane] = box->max[k];
}

static inline mote_bounds mote_bounds_empty(void)
{
    const mote_bounds empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    return empty;
}

static inline mote_bounds mote_bounds_union(const mote_bounds *a, const mote_bounds *b)
{
    mote_bounds sum;
    for (int k = 0; k < 3; ++k) {
        sum.min[k] = a->min[k] < b->min[k] ? a->min[k] : b->min[k];
        sum.max[k] = a->max[k] > b->max[k] ? a->max[k] : b->max[k];
    }
    return sum;
}

// The box around all lanes of a node.
static inline mote_bounds mote_bvh_bounds(const bvh_node *node)
{
    mote_bounds box = mote_bvh_lane(node, 0);
    for (uint32_t lane = 1; lane < LANES; ++lane) {
        const mote_bounds its = mote_bvh_lane(node, lane);
        box = mote_bounds_union(&box, &its);
    }
    return box;
}

// Half the surface of a box, 0 if it has no extent.
static inline double mote_bounds_half_area(const mote_bounds *box)
{
    const double x = (double)box->max[0] - (double)box->min[0], y = (double)box->max[1] - (double)box->min[1];
    const double z = (double)box->max[2] - (double)box->min[2];
    return x * y + y * z + z * x;
}

static inline bvh_node mote_bvh_node_empty(uint32_t parent)
{
    bvh_node node = {.parent = parent};
    const mote_bounds empty = mote_bounds_empty();
    for (uint32_t lane = 0; lane < LANES; ++lane) mote_bvh_set_lane(&node, lane, &empty);
    return node;
}

// Rebuilds the tree of all objects (bvh8_build.c). After a failure (MOTE_ERROR_OUT_OF_MEMORY) it has no nodes.
mote_result mote_bvh_build(const mote_broadphase *broad, bvh_tree *tree);

// bvh8_walk.c
void mote_bvh_candidates(const bvh_tree *tree, candidate_sink *sink);
void mote_bvh_pairs(const bvh_tree *tree, const mote_context *context, pair_writer *writers);
void mote_bvh_closest(const bvh_tree *tree, const object_store *store, const double at[3], mote_filter filter,
                      mote_closest_object *closest);

#endif
