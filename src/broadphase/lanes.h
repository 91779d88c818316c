// SPDX-License-Identifier: MIT
// broadphase/lanes.h: the loops that are compiled once for each instruction set (base/wide.h): a table for each form.
// All forms give the same results.
#ifndef MOTE_BROADPHASE_LANES_H
#define MOTE_BROADPHASE_LANES_H

#include "broadphase/box_lanes.h"
#include "broadphase/bvh8_lanes.h"

typedef struct broadphase_lanes {
    const box_lanes *boxes;  // for box_join's tree
    bvh_visit *visit;        // for bvh8's tree
    bvh_meet_within *meet_within;
} broadphase_lanes;

// The table of a form; NULL if this build does not have it.
const broadphase_lanes *mote_broadphase_lanes(mote_simd form);
// The form that the objects of this context use.
const broadphase_lanes *mote_broadphase_lanes_choose(const mote_context *context);

#endif
