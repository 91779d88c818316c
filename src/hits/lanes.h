// SPDX-License-Identifier: MIT
// hits/lanes.h: the loops that are compiled once for each instruction set (base/wide.h): a table for each form, and the
// choice between them, made once per object. Clusters and nodes have eight lanes, so AVX-512 has forms of its own only
// for loops over motions.
#ifndef MOTE_HITS_LANES_H
#define MOTE_HITS_LANES_H

#include "hits/closest.h"
#include "hits/motion_lanes.h"

// least = min(least, a + gap, b + gap)
typedef void hits_lower(int16_t *restrict least, const int16_t *a, const int16_t *b, size_t count, int16_t gap);
hits_lower mote_hits_lower_plain, mote_hits_lower_avx2, mote_hits_lower_128;

typedef struct hits_lanes {
    const hits_motion_lanes *motion;
    const hits_closest_lanes *closest;
    hits_lower *lower;  // for the distance transform (structure_distances.c)
} hits_lanes;

extern const hits_lanes mote_hits_lanes_plain;
// The form that the objects of this context use.
const hits_lanes *mote_hits_lanes_choose(const mote_context *context);

#endif
