// SPDX-License-Identifier: MIT
// hits/motion_batch.h: many motions at a time: how they are loaded, and in which order they are looked at.
#ifndef MOTE_HITS_MOTION_BATCH_H
#define MOTE_HITS_MOTION_BATCH_H

#include "hits/motion_lanes.h"

// Motions in the order in which they are looked at: the caller's, or sorted copies of those that may meet something.
typedef struct hits_queue {
    mote_hits *hits;
    const mote_motions *motions;  // all, the caller's
    mote_points from, to;         // by their places in the queue
    const char *numbers;          // of each the caller's number, as many bytes apart as `from` are; NULL: the place
    size_t count;
} hits_queue;

// Those of a block that may meet something, and what they are picked from.
typedef struct hits_picked {
    double columns[6][HITS_ROOM];  // or floats
    hits_near_motions near;
    hits_march march;
} hits_picked;

// What a block found: a piece of its worker's list.
typedef struct hits_block {
    uint64_t first;  // in the worker's list; then in the final one
    uint32_t worker, count;
} hits_block;

static inline size_t mote_hits_queue_number(const hits_queue *queue, size_t place)
{
    uint32_t number;
    if (!queue->numbers) return place;
    memcpy(&number, queue->numbers + (ptrdiff_t)place * queue->from.stride, sizeof number);
    return number;
}

// Loads the motions at places begin … end - 1, at most HITS_MOTIONS, and picks.
void mote_hits_batch_pick(const hits_queue *queue, size_t begin, size_t end, hits_picked *picked);

// Whether it takes less time to look at all motions in the order of where they are. Told by counts of the mesh and the
// motions alone.
bool mote_hits_is_worth_sorting(const hits_queue *queue);
// Replaces a queue of all motions by copies of those that may meet something, box by box of cells. Each worker's
// scratch memory begins with a hits_picked.
// @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY
mote_result mote_hits_sort_queue(hits_queue *queue);
// Brings the hits of the queue's blocks into first->hits, ascending by particle.
// @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY
mote_result mote_hits_sort_hits(const hits_queue *queue, const hits_block *blocks, size_t hits);

#endif
