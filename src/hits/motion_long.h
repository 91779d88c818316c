// SPDX-License-Identifier: MIT
// hits/motion_long.h: the first hits of long motions of points with a mesh at rest.
#ifndef MOTE_HITS_MOTION_LONG_H
#define MOTE_HITS_MOTION_LONG_H

#include "hits/motion_batch.h"
#include "hits/motion_stream.h"

// A worker's memory for it.
typedef struct hits_long {
    hits_ways ways;
    hits_stream stream;
    hits_root root;
    hits_stream_candidates candidates;
    bool has_root;
} hits_long;
_Static_assert(sizeof(size_t) < 8 || (offsetof(hits_long, stream) % 64 == 0 && offsetof(hits_long, root) % 64 == 0),
               "whole lines of memory");

// Finds the hits of a block's long motions.
// @param begin    the place of the block's first motion in the queue
void mote_hits_long_run(const hits_walk *walk, const hits_queue *queue, size_t begin, hits_march *march,
                        hits_block_rays *rays, hits_long *scratch);

#endif
