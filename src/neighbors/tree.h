// SPDX-License-Identifier: MIT
// neighbors/tree.h: a kd-tree over a point store: balanced, without pointers, with tight boxes, searched exactly.
//
// Nodes are numbered as in a heap: the root is 1, the children of k are 2k and 2k + 1, and all leaves are on the
// last level. Leaf i holds the points from n·i/2^levels on, contiguous in leaf order. Every node has the box around
// its points. Its distance from a query is computed with the operations of the distance test in the points' own
// precision; as their rounding is monotone, it never exceeds the tested distance of a point inside, so no neighbour
// is lost to rounding.
#ifndef MOTE_NEIGHBORS_TREE_H
#define MOTE_NEIGHBORS_TREE_H

#include <math.h>

#include "neighbors/points.h"

enum {
    KD_LEAF = 16,       // most points of a leaf
    KD_MAX_LEVELS = 30  // more than 2^32 points would need
};

// Where the points below an inner node are divided: those of the left child are not beyond it, those of the right
// child not before it.
typedef struct kd_split {
    double at;
    int axis;
} kd_split;

typedef struct kd_tree {
    mote_buffer memory, items;  // memory of the tree; of the next build, kept from the last one
    bool is_f64;
    uint32_t count;
    int levels;              // levels below the root
    float *f32[3];           // coordinates in leaf order, followed by KD_LEAF readable elements; NULL for double points
    double *f64[3];          // NULL for float points
    uint32_t *index;         // the points in leaf order; ascending within a leaf
    float *boxes_f32;        // low[3], high[3] of every node
    double *boxes_f64;
    uint32_t *least;         // smallest index below every node
    kd_split *splits;        // of every inner node
    double *radius;          // largest radius below every node; NULL if points have no radii
} kd_tree;

// Builds the tree in parallel; it is the same for any number of threads. Cost O(n log n) for any points.
// @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY; then the tree is empty
mote_result mote_kd_build(const mote_context *context, kd_tree *tree, const point_store *points);
void mote_kd_release(const mote_context *context, kd_tree *tree);
size_t mote_kd_byte_count(const kd_tree *tree);

// Checks all invariants against the points that the tree was built from.
mote_result mote_kd_validate(const kd_tree *tree, const point_store *points, mote_error *error);

static inline uint32_t mote_kd_leaf_count(const kd_tree *tree)
{
    return (uint32_t)1 << tree->levels;
}

// Returns where the points of a leaf begin; those of the last leaf end where leaf mote_kd_leaf_count would begin.
static inline uint32_t mote_kd_leaf_begin(const kd_tree *tree, uint32_t leaf)
{
    return (uint32_t)(((uint64_t)tree->count * leaf) >> tree->levels);
}

// Returns the leaf that holds the point at this place of the leaf order.
static inline uint32_t mote_kd_leaf_of(const kd_tree *tree, uint32_t place)
{
    uint32_t leaf = (uint32_t)(((uint64_t)place << tree->levels) / tree->count);
    while (mote_kd_leaf_begin(tree, leaf + 1) <= place) ++leaf;
    return leaf;
}

// A query point, or the box of several, in both precisions.
typedef struct kd_query {
    float low_f32[3], high_f32[3];
    double low[3], high[3];
} kd_query;

static inline kd_query mote_kd_query_point(const double at[3])
{
    kd_query query;
    for (int k = 0; k < 3; ++k) {
        query.low[k] = query.high[k] = at[k];
        query.low_f32[k] = query.high_f32[k] = (float)at[k];
    }
    return query;
}

// Returns the squared distance of the query to a node's box: a lower bound of every tested distance between their
// points. Gaps may overflow. If the query is inside the box, both gaps may overflow; they are then −∞ and count as
// no gap.
MOTE_INLINE double mote_kd_bound(const kd_tree *tree, uint32_t node, const kd_query *query, bool is_f64)
{
    if (is_f64) {
        const double *box = tree->boxes_f64 + 6 * (size_t)node;
        double d[3];
        for (int k = 0; k < 3; ++k) {
            double above = box[k] - query->high[k], below = query->low[k] - box[3 + k];
            double gap = above > below ? above : below;
            d[k] = gap > 0 ? gap : 0;
        }
        return (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    }
    const float *box = tree->boxes_f32 + 6 * (size_t)node;
    float d[3];
    for (int k = 0; k < 3; ++k) {
        float above = box[k] - query->high_f32[k], below = query->low_f32[k] - box[3 + k];
        float gap = above > below ? above : below;
        d[k] = gap > 0 ? gap : 0;
    }
    return (double)((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]);
}

// Walks the leaves of a tree of doubles around a point, nearer ones first as far as the tree's boxes show.
typedef struct kd_walk {
    const kd_tree *tree;
    kd_query query;
    int depth;
    struct {
        uint32_t node;
        double bound;
    } stack[KD_MAX_LEVELS + 2];
} kd_walk;

static inline void mote_kd_walk_begin(kd_walk *walk, const kd_tree *tree, const double at[3])
{
    walk->tree = tree;
    walk->query = mote_kd_query_point(at);
    walk->depth = 1;
    walk->stack[0].node = 1;
    walk->stack[0].bound = mote_kd_bound(tree, 1, &walk->query, true);
}

// Tells whether nothing below the node can come before a neighbour at `limit` (squared) with index `last`: subtrees
// at exactly that distance can, if they contain a smaller index.
MOTE_INLINE bool mote_kd_is_beyond(const kd_tree *tree, uint32_t node, double bound, double limit, uint32_t last)
{
    return bound > limit || (bound == limit && tree->least[node] > last);
}

// Finds the next leaf that may hold a point before (limit, last), which may decrease from call to call.
MOTE_INLINE bool mote_kd_walk_next(kd_walk *walk, double limit, uint32_t last, uint32_t *leaf)
{
    const kd_tree *tree = walk->tree;
    const uint32_t first_leaf = mote_kd_leaf_count(tree);
    while (walk->depth > 0) {
        --walk->depth;
        uint32_t node = walk->stack[walk->depth].node;
        double bound = walk->stack[walk->depth].bound;
        bool is_beyond = mote_kd_is_beyond(tree, node, bound, limit, last);
        while (!is_beyond && node < first_leaf) {
            uint32_t near = 2 * node, far = near + 1;
            double near_bound = mote_kd_bound(tree, near, &walk->query, true);
            double far_bound = mote_kd_bound(tree, far, &walk->query, true);
            if (far_bound < near_bound || (far_bound == near_bound && tree->least[far] < tree->least[near])) {
                double swap = near_bound;
                near_bound = far_bound, far_bound = swap;
                near = far, far = 2 * node;
            }
            if (!mote_kd_is_beyond(tree, far, far_bound, limit, last)) {
                walk->stack[walk->depth].node = far;
                walk->stack[walk->depth++].bound = far_bound;
            }
            node = near, bound = near_bound;
            is_beyond = mote_kd_is_beyond(tree, node, bound, limit, last);
        }
        if (is_beyond) continue;
        *leaf = node - first_leaf;
        return true;
    }
    return false;
}

#endif
