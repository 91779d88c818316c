// SPDX-License-Identifier: MIT
// neighbors/tree_nearest.h: the k nearest points by a kd-tree, for every method without its own way to find them.
#ifndef MOTE_NEIGHBORS_TREE_NEAREST_H
#define MOTE_NEIGHBORS_TREE_NEAREST_H

#include "mote/neighbors.h"
#include "neighbors/tree.h"

typedef struct row_request row_request;  // internal.h
typedef struct row_writer row_writer;    // rows.h

// A tree that is built when the k nearest are requested for the first time after an update. In a periodic box it
// holds the original positions if they span about one box; otherwise each point is moved by whole periods next to
// the middle points, in double. A few points that are far more periods away than the others are no part of the tree,
// because bounds of distances are as blurred as the farthest point's: each query tests them one by one.
typedef struct nearest_index {
    kd_tree tree;
    bool is_built;
    int32_t base[3];      // periods from the middle points to the box
    bool wraps;           // whether any point is moved; if so:
    mote_buffer wrapped;  // the positions to which they are moved,
    mote_buffer leaves;   // and, in leaf order, their own positions and the periods by which they are moved
    const double *own[3];
    const int32_t *shifts;  // three per point
    mote_buffer parts;      // the points of the tree, then the far ones, both ascending; not used if none is far:
    const uint32_t *far;
    uint32_t far_count;
    mote_buffer order;       // of sorted queries
    double most[3];          // the greatest lengths of these moves
    double low[3], high[3];  // range of the fractions of the box's edges of the tree's points
} nearest_index;

// The find_nearest of a method: searches the search's own points, in its periodic box if it has one.
void mote_nearest_find(mote_neighbors *search, const row_request *request, row_writer *writers);

// The same in an open space, with an existing tree.
void mote_nearest_in_tree(mote_neighbors *search, const kd_tree *tree, const row_request *request, row_writer *writers);

void mote_nearest_release(mote_neighbors *search);
size_t mote_nearest_byte_count(const mote_neighbors *search);

#endif
