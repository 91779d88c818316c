// SPDX-License-Identifier: MIT
// fluid/peek.h: the particles of a fluid without an evaluation, for those who find out why it cannot be evaluated.
#ifndef MOTE_FLUID_PEEK_H
#define MOTE_FLUID_PEEK_H

#include "mote/fluid.h"

// The arrays as they are. After an evaluation they are those of mote_fluid_get_view; else densities, pressures and
// accelerations are older than positions, and velocities are those of half a step ago.
mote_fluid_view mote_fluid_peek(const mote_fluid *fluid);

#endif
