// SPDX-License-Identifier: MIT
// hits/structure_tree.h: a tree of boxes over the clusters, for motions that pass many cells of the grid, for spheres,
// and for meshes that move.
//
// A node has eight children or fewer, nodes or clusters, with their boxes side by side: one motion is held against all
// of them at once. Its form is chosen once, when the object is made; vertices that move make new boxes for it. Lengths
// are those of mote_hits.
#ifndef MOTE_HITS_STRUCTURE_TREE_H
#define MOTE_HITS_STRUCTURE_TREE_H

#include "base/compress.h"
#include "hits/internal.h"

enum {
    HITS_TREE_FAN = 8,
    HITS_TREE_EVENLY = 40,  // levels of halves, after which halves are equal
    // What is left aside on the way down is at most seven children of each of 40 + 32 levels.
    HITS_TREE_STACK = 512
};

// A child that is a node; without the bit it is the number of a cluster.
#define HITS_TREE_NODE 0x80000000u

typedef struct hits_tree_node {
    float plane[6][HITS_TREE_FAN];  // of boxes, from the tree's origin, rounded outwards: low x, y, z, high x, y, z;
                                    // of children that are not there: low is infinite, high is less
    uint32_t child[HITS_TREE_FAN];
    uint32_t lowest[HITS_TREE_FAN];  // the lowest of the caller's numbers of its triangles
} hits_tree_node;

struct hits_tree {
    double origin[3];  // amid the mesh
    double half[3];    // from it no box reaches farther
    hits_tree_node *nodes;  // the root, then below each node those under it
    size_t node_count;
};

// Makes first->tree of the clusters, whose vertices are in place. MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY.
mote_result mote_hits_tree_build(mote_hits *hits);
// Makes a tree of the same form for another object of the same triangles, with other vertices.
mote_result mote_hits_tree_refit(const struct hits_tree *tree, mote_hits *made);
void mote_hits_tree_release(mote_hits *hits);
size_t mote_hits_tree_bytes(const mote_hits *hits);
mote_result mote_hits_tree_validate(const mote_hits *hits, mote_error *error);

#if MOTE_HAVE_AVX2
// The shares of a motion at which it crosses a plane of each child.
MOTE_TARGET_AVX2 static inline __m256 mote_hits_tree_share_lanes(const float plane[HITS_TREE_FAN], float from,
                                                                 float per_way)
{
    return _mm256_mul_ps(_mm256_sub_ps(_mm256_load_ps(plane), _mm256_set1_ps(from)), _mm256_set1_ps(per_way));
}
#endif

#endif
