// SPDX-License-Identifier: MIT
// neighbors/tree_nearest_box.h: the k nearest in a periodic box, over the tree of tree_nearest.h.
#ifndef MOTE_NEIGHBORS_TREE_NEAREST_BOX_H
#define MOTE_NEIGHBORS_TREE_NEAREST_BOX_H

#include "neighbors/best.h"

// A query, moved next to the points in the tree.
typedef struct box_query {
    const mote_neighbors *search;
    const nearest_index *index;
    const row_query *query;
    image wrap;          // the periods by which it is moved there
    double at[3];        // its position there
    double fraction[3];  // its fractions there
    double moved[3];     // bound of the sum of its own move and that of a point of the tree
    double open;         // distance to the points along the open axes, or slightly less
} box_query;

// Builds the tree of a search's points in a periodic box.
mote_result mote_nearest_box_build(mote_neighbors *search, nearest_index *index);

box_query mote_box_query_make(const mote_neighbors *search, const nearest_index *index, const row_query *query);

// Tells whether only the points in the tree itself, and no other image of any point, can be within a squared distance.
bool mote_box_query_is_inner(const box_query *query, double limit);

// Finds the nearest images. `has_own`: `best` already contains the best of the points in the tree itself.
void mote_box_query_find(const box_query *query, bool has_own, best_hits *best);

#endif
