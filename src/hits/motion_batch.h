// SPDX-License-Identifier: MIT
// hits/motion_batch.h: many motions at a time: loading them, and the order in which they are processed.
#ifndef MOTE_HITS_MOTION_BATCH_H
#define MOTE_HITS_MOTION_BATCH_H

#include "hits/motion_lanes.h"

// Motions in the order of processing: the caller's order, or sorted copies of those that may hit something.
typedef struct hits_queue {
    mote_hits *hits;
    const mote_motions *motions;  // the caller's, all of them
    mote_points from, to;         // by place in the queue
    const char *numbers;          // the caller's number of each, with the byte stride of `from`; NULL: the place
    size_t count;
} hits_queue;

// The motions of a block that may hit something, and the columns that they are picked from.
typedef struct hits_picked {
    double columns[6][HITS_ROOM];  // or floats
    hits_near_motions near;
    hits_march march;
} hits_picked;

// The hits of a block: a range of its worker's list.
typedef struct hits_block {
    uint64_t first;  // index in the worker's list; later in the final one
    uint32_t worker, count;
} hits_block;

static inline size_t mote_hits_queue_number(const hits_queue *queue, size_t place)
{
    uint32_t number;
    if (!queue->numbers) return place;
    memcpy(&number, queue->numbers + (ptrdiff_t)place * queue->from.stride, sizeof number);
    return number;
}

// Loads the motions at places begin … end - 1, at most HITS_MOTIONS, and picks those that may hit something.
void mote_hits_batch_pick(const hits_queue *queue, size_t begin, size_t end, hits_picked *picked);

// Whether processing the motions in the order of their positions takes less time. The decision depends only on the
// sizes of the mesh and the batch, and on the motions.
bool mote_hits_is_worth_sorting(const hits_queue *queue);
// Replaces a queue of all motions by copies of those that may hit something, one box of cells after the other. Each
// worker's scratch memory begins with a hits_picked.
// @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY
mote_result mote_hits_sort_queue(hits_queue *queue);
// Copies the hits of the queue's blocks into hits->found, in ascending order of particles.
// @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY
mote_result mote_hits_sort_hits(const hits_queue *queue, const hits_block *blocks, size_t hits);

#endif
