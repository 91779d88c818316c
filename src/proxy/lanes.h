// SPDX-License-Identifier: MIT
// proxy/lanes.h: the loops that exist in several forms, one for each instruction set: a table for each form, and the
// choice between them. All forms have the same results.
#ifndef MOTE_PROXY_LANES_H
#define MOTE_PROXY_LANES_H

#include "proxy/move.h"
#include "proxy/sight.h"

typedef struct proxy_lanes {
    mote_range_task *move, *find_hits;  // process blocks of particles, of a mote_move_task
    const sight_lanes *sight;
} proxy_lanes;

// The form that the objects of this context use.
const proxy_lanes *mote_proxy_lanes_choose(const mote_context *context);

#endif
