// SPDX-License-Identifier: MIT
// broadphase/box_tree.h: a tree of boxes, eight to a node.
#ifndef MOTE_BROADPHASE_BOX_TREE_H
#define MOTE_BROADPHASE_BOX_TREE_H

#include <math.h>

#include "broadphase/box_sort.h"

enum { BOX_LEVELS = 12 };

// A tree is built anew when its leaves have grown so much, on average.
#define BOX_GROWTH_LIMIT 1.1

// A number for each axis.
typedef struct box_size {
    float along[3];
} box_size;

// Level 0 holds the boxes, in the order of a sort; a block of every other level the boxes around eight blocks of the
// one below. The last level is one block. Behind the sorted leaves stand spare ones, for boxes that come one by one.
// Zeroed, it is of no boxes.
typedef struct box_tree {
    const box_lanes *lanes;
    box_sort sort;
    mote_buffer block_memory, index_memory, leaf_memory, size_memory, scale_memory, worker_memory, place_memory;
    box_block *blocks;
    box_size *sizes;    // of leaves, when they were sorted
    box_size *scales;   // of growth, for each block of eight leaves
    uint32_t *indices;  // of the boxes of level 0, a place each; UINT32_MAX: none
    size_t count;       // boxes that were given
    size_t filled;      // of them not empty
    size_t first_spare, next_spare;  // places: where the spare leaves begin, and the first that was never taken
    size_t placed;      // boxes whose places are known (place_memory), or 0
    uint64_t builds;    // so far
    int level_count;
    size_t level_begin[BOX_LEVELS], level_size[BOX_LEVELS];  // in blocks
    double growth;                    // of leaves since they were sorted, on average
} box_tree;

// Builds the tree over `count` boxes (no more than 2^32 − 2^24), of which it keeps copies. Empty ones are left out.
// MOTE_OK, or MOTE_ERROR_OUT_OF_MEMORY, after which it is of no boxes.
mote_result mote_box_tree_build(const mote_context *context, box_tree *tree, const box_lanes *lanes,
                                const mote_bounds *boxes, size_t count);

// The same when boxes have moved since the last time; the same ones must be empty. Keeps their order as long as that
// serves, which is much faster.
mote_result mote_box_tree_update(const mote_context *context, box_tree *tree, const mote_bounds *boxes);

// The same when of the `count` boxes there are now those of `ids` have come, gone (they are empty) or moved, each named
// once: a few of them in time that does not depend on how many others there are.
mote_result mote_box_tree_change(const mote_context *context, box_tree *tree, const mote_bounds *boxes, size_t count,
                                 const uint32_t *ids, size_t id_count);

// Whether so many boxes that have moved are better named than all taken in.
bool mote_box_tree_is_few(const box_tree *tree, size_t id_count);

// Answers whether to go on.
typedef bool box_visitor(void *data, uint32_t index);

// Hands the index of every box that meets `box` to the visitor until that has enough; false then. The order is the
// tree's. Asks for no memory; may be called from several threads at once.
bool mote_box_tree_visit(const box_tree *tree, const mote_bounds *box, box_visitor *visitor, void *data);

void mote_box_tree_release(const mote_context *context, box_tree *tree);
size_t mote_box_tree_byte_count(const box_tree *tree);

// Whether every box has a place and lies in those above it. MOTE_OK or MOTE_ERROR_STATE.
mote_result mote_box_tree_validate(const box_tree *tree);

static inline void mote_box_put_lane(box_block *block, size_t lane, const float low[3], const float high[3])
{
    for (int k = 0; k < 3; ++k) {
        block->low[k][lane] = low[k];
        block->high[k][lane] = high[k];
    }
}

static inline void mote_box_empty_lane(box_block *block, size_t lane)
{
    const float nowhere[3] = {NAN, NAN, NAN};
    mote_box_put_lane(block, lane, nowhere, nowhere);
}

// The box around a block's boxes, NaN if there are none.
static inline mote_bounds mote_box_around(const box_block *block)
{
    mote_bounds around;
    for (int k = 0; k < 3; ++k) {
        float low = INFINITY, high = -INFINITY;
        for (int lane = 0; lane < BOX_LANES; ++lane) {
            low = block->low[k][lane] < low ? block->low[k][lane] : low;
            high = block->high[k][lane] > high ? block->high[k][lane] : high;
        }
        around.min[k] = low <= high ? low : NAN;
        around.max[k] = low <= high ? high : NAN;
    }
    return around;
}

// How many times as large as when it was new a leaf is whose boxes this is around: the mean over the axes. Each is
// measured by the leaves nearby, so that boxes which are long on one axis do not hide what happens on another. Of each
// leaf apart: a huge box must not hide what becomes of the others. Leaves that are or were empty have not grown.
static inline double mote_box_leaf_growth(const box_tree *tree, size_t leaf, const mote_bounds *box)
{
    const float *before = tree->sizes[leaf].along, *scale = tree->scales[leaf / BOX_LANES].along;
    float sum = 0;
    for (int k = 0; k < 3; ++k) {
        const float more = (box->max[k] - box->min[k]) - before[k];
        // An axis without a scale, on which nothing has had a size, counts as doubled by any growth.
        sum += scale[k] > 0 ? more * scale[k] : more > 0 ? 1.0f / 3 : 0;
    }
    return sum > 0 ? 1 + (double)sum : 1;
}

#endif
