// SPDX-License-Identifier: MIT
// neighbors/tree_nearest.h: the k nearest points by a kd-tree, for every method that has no way of its own.
#ifndef MOTE_NEIGHBORS_TREE_NEAREST_H
#define MOTE_NEIGHBORS_TREE_NEAREST_H

#include "mote/neighbors.h"
#include "neighbors/tree.h"

typedef struct row_request row_request;  // internal.h
typedef struct row_writer row_writer;    // rows.h

// A tree that is built when the k nearest are asked for the first time after an update. In a periodic box it holds the
// points as they lie, if that is about one box; else each next to the middle ones, by whole periods, in double.
typedef struct nearest_index {
    kd_tree tree;
    bool is_built;
    int32_t base[3];         // periods from the middle points to the box
    bool wraps;              // whether any point is moved: then
    mote_buffer wrapped;     // the places that they are moved to,
    mote_buffer leaves;      // and, in leaf order, their own positions and the periods that they are moved by
    const double *own[3];
    const int32_t *shifts;   // three a point
    double most[3];          // the greatest lengths of these
    double low[3], high[3];  // of the fractions of the box's edges in the tree's points
} nearest_index;

// A method's find_nearest: over the search's own points, in its periodic box if it has one.
void mote_nearest_find(mote_neighbors *search, const row_request *request, row_writer *writers);

// The same in an open space, over a tree that is there.
void mote_nearest_in_tree(mote_neighbors *search, const kd_tree *tree, const row_request *request,
                          row_writer *writers);

void mote_nearest_release(mote_neighbors *search);
size_t mote_nearest_byte_count(const mote_neighbors *search);

#endif
