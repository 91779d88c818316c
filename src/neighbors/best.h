// SPDX-License-Identifier: MIT
// neighbors/best.h: the nearest hits so far, which become a row of the k nearest.
#ifndef MOTE_NEIGHBORS_BEST_H
#define MOTE_NEIGHBORS_BEST_H

#include "neighbors/collect.h"

// A heap with the farthest of the best hits at its root, in the writer's memory.
typedef struct best_hits {
    const mote_neighbors *search;
    row_writer *writer;
    row_hit *hits;
    size_t count, room, wanted;
    double limit;   // squared distance; hits beyond it are not needed
    uint32_t last;  // the largest index that is accepted at exactly that distance
    bool failed;
} best_hits;

// Starts with no hits. False when memory ran out (the sink has recorded this).
bool mote_best_begin(best_hits *best, const mote_neighbors *search, row_writer *writer, size_t wanted);

// Adds a hit if it is among the `wanted` best. A hit whose distance is NaN is ignored.
void mote_best_add(best_hits *best, const row_hit *hit);

// Returns the hits in order, when nothing failed. No more can be added then.
const row_hit *mote_best_sorted(best_hits *best);

// Passes the finished row on, in order. False when memory ran out.
bool mote_best_end(best_hits *best, uint32_t row);

// Finds the nearest hits by testing every point of the set and those of its images that matter: O(points), for any
// box and any query position. `best` has been begun and is empty.
void mote_best_of_all(best_hits *best, const row_query *query);

// Adds what is near among the images of some points, none of which was tested yet, when `best` is full: O(count).
void mote_best_of_points(best_hits *best, const row_query *query, const uint32_t *points, size_t count);

// Tells whether any image of some points is within a squared distance of the query.
bool mote_best_has_any(const mote_neighbors *search, const row_query *query, const uint32_t *points, size_t count,
                       double limit);

#endif
