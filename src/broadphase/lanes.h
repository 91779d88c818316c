// SPDX-License-Identifier: MIT
// broadphase/lanes.h: the loops that exist in plain C and for AVX2: one table for each form, and the choice between
// them.
#ifndef MOTE_BROADPHASE_LANES_H
#define MOTE_BROADPHASE_LANES_H

#include "broadphase/box_lanes.h"
#include "broadphase/bvh8_lanes.h"

typedef struct broadphase_lanes {
    const box_lanes *boxes;  // for box_join's tree
    bvh_visit *visit;        // for bvh8's tree
    bvh_meet *meet;
} broadphase_lanes;

extern const broadphase_lanes mote_broadphase_lanes_plain;
// The form that the objects of this context use.
const broadphase_lanes *mote_broadphase_lanes_choose(const mote_context *context);

#endif
