// SPDX-License-Identifier: MIT
// neighbors/tree_nearest_box.h: the k nearest in a periodic box, over the tree of tree_nearest.h.
#ifndef MOTE_NEIGHBORS_TREE_NEAREST_BOX_H
#define MOTE_NEIGHBORS_TREE_NEAREST_BOX_H

#include "neighbors/best.h"

// A query next to the points in the tree.
typedef struct box_query {
    const mote_neighbors *search;
    const nearest_index *index;
    const row_query *query;
    image wrap;          // the periods that bring it there
    double at[3];        // where that is
    double fraction[3];  // there
    double moved[3];     // how far it and a point of the tree may be moved together
    double open;         // distance to the points along the open axes, or a little less
} box_query;

// The tree of a search's points, which lie in a periodic box.
mote_result mote_nearest_box_build(mote_neighbors *search, nearest_index *index);

box_query mote_box_query_make(const mote_neighbors *search, const nearest_index *index, const row_query *query);

// Whether no image of any point but those in the tree itself can come within a squared distance.
bool mote_box_query_is_inner(const box_query *query, double limit);

// Finds the nearest images. `has_own`: the best of those in the tree itself are there already.
void mote_box_query_find(const box_query *query, bool has_own, best_hits *best);

#endif
