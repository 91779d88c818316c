// SPDX-License-Identifier: MIT
// broadphase/box_tree.h: a tree of boxes, eight to a node.
#ifndef MOTE_BROADPHASE_BOX_TREE_H
#define MOTE_BROADPHASE_BOX_TREE_H

#include <math.h>

#include "broadphase/box_sort.h"

enum { BOX_LEVELS = 12 };

// A tree is rebuilt when its leaves have grown this much, on average.
#define BOX_GROWTH_LIMIT 1.1

// A number for each axis.
typedef struct box_size {
    float along[3];
} box_size;

// Level 0 holds the boxes, in the order of a sort; a block of every other level holds the boxes around eight blocks
// of the level below. The last level is one block. The sorted leaves are followed by spare ones, for boxes that are
// added one by one. Zeroed, the tree has no boxes.
typedef struct box_tree {
    const box_lanes *lanes;
    box_sort sort;
    mote_buffer block_memory, index_memory, leaf_memory, size_memory, scale_memory, worker_memory, place_memory;
    box_block *blocks;
    box_size *sizes;    // of leaves, at the time of the sort
    box_size *scales;   // units of growth, for each block of eight leaves
    uint32_t *indices;  // index of the box at each place of level 0; UINT32_MAX: none
    size_t count;       // boxes that were given
    size_t filled;      // how many of them are not empty
    size_t first_spare, next_spare;  // places: where the spare leaves begin, and the first one never used
    size_t placed;      // boxes whose places are known (place_memory), or 0
    uint64_t builds;    // so far
    int level_count;
    size_t level_begin[BOX_LEVELS], level_size[BOX_LEVELS];  // in blocks
    double growth;                    // of leaves since the sort, on average
} box_tree;

// Builds the tree over `count` boxes (no more than 2^32 − 2^24), of which it keeps copies. Empty boxes are left out.
// Returns MOTE_OK, or MOTE_ERROR_OUT_OF_MEMORY, after which the tree has no boxes.
mote_result mote_box_tree_build(const mote_context *context, box_tree *tree, const box_lanes *lanes,
                                const mote_bounds *boxes, size_t count);

// Updates the tree when boxes have moved since the last time; the same ones must be empty. Keeps their order as long
// as it is good enough, which is much faster.
mote_result mote_box_tree_update(const mote_context *context, box_tree *tree, const mote_bounds *boxes);

// Updates the tree when the boxes named in `ids`, each once, were added, removed (they are empty) or moved; `count`
// is the present number of boxes. A few changes take a time that does not depend on the number of other boxes.
mote_result mote_box_tree_change(const mote_context *context, box_tree *tree, const mote_bounds *boxes, size_t count,
                                 const uint32_t *ids, size_t id_count);

// Whether so few boxes have changed that naming them is faster than an update of all.
bool mote_box_tree_is_few(const box_tree *tree, size_t id_count);

// Returns whether to go on.
typedef bool box_visitor(void *data, uint32_t index);

// Passes the index of every box that meets `box` to the visitor until it returns false, and then returns false. The
// order is that of the tree. Allocates no memory; may be called from several threads at once.
bool mote_box_tree_visit(const box_tree *tree, const mote_bounds *box, box_visitor *visitor, void *data);

void mote_box_tree_release(const mote_context *context, box_tree *tree);
size_t mote_box_tree_byte_count(const box_tree *tree);

// Checks that every box has a place and lies inside the boxes above it. Returns MOTE_OK or MOTE_ERROR_STATE.
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

// Growth of a leaf, given the box around its boxes now: the ratio to its size when it was new, as the mean over the
// axes. Each axis is measured by the leaves nearby, so that boxes which are long on one axis do not hide changes on
// another. The growth is per leaf because a huge box must not hide changes of the others. Leaves that are or were
// empty have not grown.
static inline double mote_box_leaf_growth(const box_tree *tree, size_t leaf, const mote_bounds *box)
{
    const float *before = tree->sizes[leaf].along, *scale = tree->scales[leaf / BOX_LANES].along;
    float sum = 0;
    for (int k = 0; k < 3; ++k) {
        const float more = (box->max[k] - box->min[k]) - before[k];
        // An axis without a scale, where no leaf had a size, counts as doubled after any growth.
        sum += scale[k] > 0 ? more * scale[k] : more > 0 ? 1.0f / 3 : 0;
    }
    return sum > 0 ? 1 + (double)sum : 1;
}

#endif
