// SPDX-License-Identifier: MIT
// hits/structure_tree.h: a tree of boxes over the clusters, for motions that pass many cells of the grid, for
// spheres, for meshes that move, and for closest points.
//
// A node has at most eight children, nodes or clusters, with their boxes in columns: a motion is tested against all
// of them at once. The tree's shape is chosen once, when the object is made; when vertices move, only its boxes are
// computed anew. Lengths are the internal ones of mote_hits.
#ifndef MOTE_HITS_STRUCTURE_TREE_H
#define MOTE_HITS_STRUCTURE_TREE_H

#include "hits/internal.h"

enum {
    HITS_TREE_FAN = 8,
    HITS_TREE_EVENLY = 40,  // after so many halvings, halves are equal
    // The stack holds at most seven children of each of 40 + 32 levels.
    HITS_TREE_STACK = 512
};

// Set if a child is a node; without this bit it is the number of a cluster.
#define HITS_TREE_NODE 0x80000000u

typedef struct hits_tree_node {
    float plane[6][HITS_TREE_FAN];  // of boxes, from the tree's origin, rounded outwards: low x, y, z, high x, y, z;
                                    // if there is no child, low is infinite and high is less
    uint32_t child[HITS_TREE_FAN];
    uint32_t lowest[HITS_TREE_FAN];  // the lowest of the caller's numbers of its triangles
} hits_tree_node;

// The triangles of a cluster in float: corner A, from the tree's origin, and the edges AB and AC. Each is rounded once.
// Corners of lanes without a triangle are NaN: nothing hits them.
typedef struct hits_faces {
    float corner[3][HITS_LANES], along[3][HITS_LANES], beside[3][HITS_LANES];
    float longest;  // no coordinate of an edge is larger
    float unused[7];
} hits_faces;

struct hits_tree {
    double origin[3];  // near the middle of the mesh
    double half[3];    // no box reaches farther from it
    hits_tree_node *nodes;  // the root, then below each node its descendants
    size_t node_count;
    hits_faces *faces;      // of each cluster; NULL if vertices move during the step
    size_t face_count;
};

// Makes hits->tree from the clusters, whose vertices are set. Returns MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY.
mote_result mote_hits_tree_build(mote_hits *hits);
// Makes a tree of the same shape for another object that has the same triangles and other vertices.
mote_result mote_hits_tree_refit(const struct hits_tree *tree, mote_hits *made);
void mote_hits_tree_free(const mote_context *context, struct hits_tree *tree);
size_t mote_hits_tree_bytes(const struct hits_tree *tree);
mote_result mote_hits_tree_validate(const mote_hits *hits, mote_error *error);

#endif
