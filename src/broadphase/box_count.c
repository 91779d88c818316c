// SPDX-License-Identifier: MIT
// Counts the pairs of overlapping boxes in a tree without listing them.
//
// For each box the search for the boxes that it meets starts at the root. A node that lies completely inside the box
// adds the number of boxes below it, and these are not visited. That is fast where many boxes lie in one place and
// there are too many pairs to store.

#include "broadphase/box_count.h"

#include "broadphase/probe.h"

enum { LEAVES = 64 };  // leaves in a block of work

// Once the count is too large, counting stops after this many visited nodes (a few seconds of work).
static const uint64_t most_nodes = UINT64_C(1) << 29;

typedef struct count_task {
    const box_tree *tree;
    const uint32_t *before;  // per leaf: number of boxes in the leaves before it; one more entry for the total
    uint64_t most;
    atomic_uint_least64_t met, nodes;  // each pair is counted from both ends, and each box meets itself
} count_task;

typedef struct counter {
    const count_task *task;
    mote_bounds box;
    uint64_t met, nodes;
} counter;

static mote_bounds lane_box(const box_block *block, size_t lane)
{
    mote_bounds box;
    for (int k = 0; k < 3; ++k) box.min[k] = block->low[k][lane], box.max[k] = block->high[k][lane];
    return box;
}

// Whether a lane holds a box: a removed box leaves a lane that does not meet itself.
static bool has_box(const box_block *block, size_t lane)
{
    const mote_bounds box = lane_box(block, lane);
    return mote_bounds_overlap(&box, &box);
}

static bool is_within(const mote_bounds *inner, const mote_bounds *outer)
{
    bool within = true;
    for (int k = 0; k < 3; ++k) within &= inner->min[k] >= outer->min[k] && inner->max[k] <= outer->max[k];
    return within;
}

// The number of boxes below a block.
static uint32_t boxes_below(const count_task *task, int level, size_t block)
{
    const size_t leaves = task->tree->level_size[0];
    const size_t begin = block << 3 * level, end = (block + 1) << 3 * level;
    return task->before[MOTE_MIN(end, leaves)] - task->before[MOTE_MIN(begin, leaves)];
}

static void count_below(counter *self, int level, size_t block)
{
    const box_tree *tree = self->task->tree;
    const box_block *node = tree->blocks + tree->level_begin[level] + block;
    self->nodes += 1;
    for (size_t lane = 0; lane < BOX_LANES; ++lane) {
        const mote_bounds box = lane_box(node, lane);  // an empty lane holds NaN, which meets nothing
        if (!mote_bounds_overlap(&box, &self->box)) continue;
        const size_t below = block * BOX_LANES + lane;
        if (level == 0) self->met += 1;
        else if (is_within(&box, &self->box)) self->met += boxes_below(self->task, level - 1, below);
        else count_below(self, level - 1, below);
    }
}

static void count_leaves(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    count_task *task = data;
    const box_tree *tree = task->tree;
    counter self = {.task = task};
    const uint64_t met = atomic_load(&task->met) / 2;
    const bool is_enough = atomic_load(&task->nodes) > most_nodes && met > task->most + tree->count;
    for (size_t place = begin * BOX_LANES; place < end * BOX_LANES && !is_enough; ++place) {
        if (!has_box(tree->blocks + place / BOX_LANES, place % BOX_LANES)) continue;
        self.box = lane_box(tree->blocks + place / BOX_LANES, place % BOX_LANES);
        count_below(&self, tree->level_count - 1, 0);
    }
    atomic_fetch_add(&task->met, self.met);
    atomic_fetch_add(&task->nodes, self.nodes);
}

mote_result mote_box_pairs_count(const mote_context *context, const box_tree *tree, uint64_t most,
                                 pair_outcome *outcome)
{
    *outcome = (pair_outcome){0};
    if (tree->level_count == 0) return MOTE_OK;
    const size_t leaves = tree->level_size[0], bytes = mote_bytes(leaves + 1, sizeof(uint32_t));
    uint32_t *before = mote_allocate(context, bytes);
    if (!before) return MOTE_ERROR_OUT_OF_MEMORY;
    uint32_t sum = 0;
    for (size_t leaf = 0; leaf < leaves; ++leaf) {
        before[leaf] = sum;
        for (size_t lane = 0; lane < BOX_LANES; ++lane) sum += has_box(tree->blocks + leaf, lane);
    }
    before[leaves] = sum;
    count_task task = {.tree = tree, .before = before, .most = most};
    mote_parallel_for(context, leaves, LEAVES, count_leaves, &task);
    mote_release(context, before, bytes);
    const uint64_t met = atomic_load(&task.met);
    outcome->count = (met - MOTE_MIN(met, sum)) / 2;
    outcome->refused = outcome->count > most;
    outcome->has_more = outcome->refused && atomic_load(&task.nodes) > most_nodes;
    if (outcome->has_more) outcome->count = most;
    return MOTE_OK;
}
