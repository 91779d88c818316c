// broadphase/box_tree.h: a tree of boxes, eight to a node.
#ifndef MOTE_BROADPHASE_BOX_TREE_H
#define MOTE_BROADPHASE_BOX_TREE_H

#include "broadphase/box_sort.h"

enum { BOX_LEVELS = 12 };

// Level 0 holds the boxes, in the order of a sort; a block of every other level the boxes around eight blocks of the
// one below. The last level is one block. Zeroed, it is of no boxes.
typedef struct box_tree {
    const box_functions *functions;
    box_sort sort;
    mote_buffer block_memory, index_memory, leaf_memory, girth_memory, worker_memory;
    box_block *blocks;
    uint32_t *indices;  // of the boxes of level 0, a place each; UINT32_MAX: none
    size_t count;       // boxes that were given
    int level_count;
    size_t level_begin[BOX_LEVELS], level_size[BOX_LEVELS];  // in blocks
    double growth;                    // of the girths of leaves since they were sorted, on average
} box_tree;

// Builds the tree over `count` boxes (no more than 2^32 − 2^24), of which it keeps copies. Empty ones are left out.
// MOTE_OK, or MOTE_ERROR_OUT_OF_MEMORY, after which it is of no boxes.
mote_result mote_box_tree_build(const mote_context *context, box_tree *tree, const box_functions *functions,
                                const mote_bounds *boxes, size_t count);

// The same when boxes have moved since the last time; the same ones must be empty. Keeps their order as long as that
// serves, which is much faster.
mote_result mote_box_tree_update(const mote_context *context, box_tree *tree, const mote_bounds *boxes);

// Answers whether to go on.
typedef bool box_visitor(void *data, uint32_t index);

// Hands the index of every box that meets `box` to the visitor until that has enough; false then. The order is the
// tree's. Asks for no memory; may be called from several threads at once.
bool mote_box_tree_visit(const box_tree *tree, const mote_bounds *box, box_visitor *visitor, void *data);

void mote_box_tree_release(const mote_context *context, box_tree *tree);
size_t mote_box_tree_byte_count(const box_tree *tree);

// Whether every box has a place and lies in those above it. MOTE_OK or MOTE_ERROR_STATE.
mote_result mote_box_tree_validate(const box_tree *tree);

#endif
