// SPDX-License-Identifier: MIT
// Steps down the tree, which compare the eight lanes of a node with a box.

#include "broadphase/bvh8_lanes.h"
#include "broadphase/wide_box.h"

_Static_assert((int)LANES == (int)EIGHT, "nodes are compared as eight boxes");

// The lanes whose boxes overlap a box.
static inline uint32_t overlap(const bvh_node *node, const mote_bounds *box)
{
    const wide_box wide = mote_widen_box(box->min, box->max);
    return mote_eight_met(node->min, node->max, &wide);
}

bool WIDE_NAME(mote_bvh_visit)(const bvh_tree *tree, uint32_t number, candidate_sink *sink)
{
    const bvh_node *node = tree->nodes + number;
    const uint32_t lanes = overlap(node, &sink->probe->reach);
    sink->lookups += 1;
    if (node->objects) {  // few nodes have any
        sink->candidates += mote_count_bits(node->objects);
        for (uint32_t left = lanes & node->objects; left; left &= left - 1)
            if (!mote_sink_meet(sink, node->child[mote_lowest_bit(left)])) return false;
    }
    for (uint32_t left = lanes & node->nodes; left; left &= left - 1)
        if (!WIDE_NAME(mote_bvh_visit)(tree, node->child[mote_lowest_bit(left)], sink)) return false;
    return true;
}

// The contents of a lane.
typedef struct bvh_branch {
    mote_bounds box;
    uint32_t child;
    bool is_object;
} bvh_branch;

static inline bvh_branch branch_of(const bvh_node *node, uint32_t lane)
{
    return (bvh_branch){mote_bvh_lane(node, lane), node->child[lane], (node->objects >> lane & 1) != 0};
}

// Finds the pairs of an object under one branch with one under the other whose boxes overlap. Both branches are opened
// together, or the one that is not an object.
static void meet(const bvh_tree *tree, const bvh_branch *a, const bvh_branch *b, pair_writer *writer)
{
    if (a->is_object && b->is_object) {
        if (mote_pair_may_meet(writer->store, a->child, b->child)) mote_pair_add(writer, a->child, b->child);
        return;
    }
    const bvh_branch *open = a->is_object ? b : a, *other = a->is_object ? a : b;
    const bvh_node *node = tree->nodes + open->child;
    writer->lookups += 1;
    for (uint32_t lanes = overlap(node, &other->box); lanes; lanes &= lanes - 1) {
        const bvh_branch inner = branch_of(node, mote_lowest_bit(lanes));
        writer->candidates += inner.is_object && other->is_object;
        if (other->is_object) {
            meet(tree, &inner, other, writer);
            continue;
        }
        const bvh_node *beside = tree->nodes + other->child;
        writer->lookups += 1;
        for (uint32_t left = overlap(beside, &inner.box); left; left &= left - 1) {
            const bvh_branch its = branch_of(beside, mote_lowest_bit(left));
            writer->candidates += inner.is_object && its.is_object;
            meet(tree, &inner, &its, writer);
        }
    }
}

void WIDE_NAME(mote_bvh_meet_within)(const bvh_tree *tree, uint32_t number, pair_writer *writer)
{
    const bvh_node *node = tree->nodes + number;
    for (uint32_t lane = 0; lane + 1 < LANES; ++lane) {
        if (!((node->objects | node->nodes) >> lane & 1)) continue;
        const bvh_branch a = branch_of(node, lane);
        for (uint32_t lanes = overlap(node, &a.box) & ~((2u << lane) - 1); lanes; lanes &= lanes - 1) {
            const bvh_branch b = branch_of(node, mote_lowest_bit(lanes));
            writer->candidates += a.is_object && b.is_object;
            meet(tree, &a, &b, writer);
        }
    }
}
