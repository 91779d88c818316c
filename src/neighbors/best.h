// SPDX-License-Identifier: MIT
// neighbors/best.h: the nearest hits so far, of which a row of the k nearest is made.
#ifndef MOTE_NEIGHBORS_BEST_H
#define MOTE_NEIGHBORS_BEST_H

#include "neighbors/collect.h"

// A heap with the worst of the best at its root, in the writer's memory.
typedef struct best_hits {
    const mote_neighbors *search;
    row_writer *writer;
    row_hit *hits;
    size_t count, room, wanted;
    double limit;   // squared distance beyond which nothing is wanted
    uint32_t last;  // at that distance: the largest index that may be
    bool failed;
} best_hits;

// Starts without any. False when memory ran out (the sink knows).
bool mote_best_begin(best_hits *best, const mote_neighbors *search, row_writer *writer, size_t wanted);

// Takes a hit in if it is among the `wanted` best. One whose distance is not a number is none.
void mote_best_add(best_hits *best, const row_hit *hit);

// Hands the row on, in order. False when memory ran out.
bool mote_best_end(best_hits *best, uint32_t row);

// Finds the nearest by looking at every point of the set and those of its images that matter: O(points), whatever the
// box and wherever the query. `best` has been begun and is empty.
void mote_best_of_all(best_hits *best, const row_query *query);

#endif
