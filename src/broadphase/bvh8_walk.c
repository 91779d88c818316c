// SPDX-License-Identifier: MIT
// Walks through the tree: the objects that overlap a reach, all pairs by going down two branches at once, the
// closest box.
//
// Walks recurse: the depth of the tree is bounded (bvh8_build.c), and no memory needs to be allocated. The steps
// down that compare the eight lanes of a node are in bvh8_lanes.c.

#include "base/order.h"
#include "broadphase/lanes.h"

enum { NODES = 16 };  // nodes in a block of work

// ------------------------------------------------------------------------------------------------------ queries

void mote_bvh_candidates(const bvh_tree *tree, candidate_sink *sink)
{
    if (tree->node_count) tree->lanes->visit(tree, 0, sink);
}

// -------------------------------------------------------------------------------------------------------- pairs

typedef struct bvh_pairing {
    const bvh_tree *tree;
    pair_writer *writers;
} bvh_pairing;

static void pair_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    const bvh_pairing *task = data;
    pair_writer *writer = task->writers + worker;
    bvh_meet_within *meet_within = task->tree->lanes->meet_within;
    for (size_t k = begin; k < end && !writer->has_ended; ++k) meet_within(task->tree, (uint32_t)k, writer);
}

void mote_bvh_pairs(const bvh_tree *tree, const mote_context *context, pair_writer *writers)
{
    bvh_pairing task = {tree, writers};
    mote_parallel_for(context, tree->node_count, NODES, pair_block, &task);
}

// ------------------------------------------------------------------------------------------------------ closest

// Visits near lanes first. A lane farther than the best is skipped; one at the same distance is not, as its id may
// be lower.
static void approach(const bvh_tree *tree, uint32_t number, const object_store *store, const double at[3],
                     mote_filter filter, mote_closest_object *closest)
{
    const bvh_node *node = tree->nodes + number;
    double distances[LANES];
    uint32_t order[LANES], count = 0;
    for (uint32_t lane = 0; lane < LANES; ++lane) {
        if (!((node->objects | node->nodes) >> lane & 1)) continue;
        const mote_bounds box = mote_bvh_lane(node, lane);
        distances[lane] = mote_bounds_squared_distance(&box, at);
        if (!(distances[lane] <= closest->squared)) continue;  // also skips an empty node
        mote_insert_by_distance(order, count++, lane, distances);
    }
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t lane = order[k], child = node->child[lane];
        if (distances[lane] > closest->squared) return;
        if (node->nodes >> lane & 1) {
            approach(tree, child, store, at, filter, closest);
            continue;
        }
        const bool closer = distances[lane] < closest->squared || child < closest->id;
        if (closer && mote_filters_meet(filter, store->filters[child]))
            *closest = (mote_closest_object){child, distances[lane]};
    }
}

void mote_bvh_closest(const bvh_tree *tree, const object_store *store, const double at[3], mote_filter filter,
                      mote_closest_object *closest)
{
    if (tree->node_count) approach(tree, 0, store, at, filter, closest);
}
