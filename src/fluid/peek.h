// SPDX-License-Identifier: MIT
// fluid/peek.h: what the simulation needs of a fluid besides mote/fluid.h: its particles without an evaluation, for
// those who find out why it cannot be evaluated; and a start with the particles of another fluid.
#ifndef MOTE_FLUID_PEEK_H
#define MOTE_FLUID_PEEK_H

#include "mote/fluid.h"

// The arrays as they are. After an evaluation they are those of mote_fluid_get_view; else densities, pressures and
// accelerations are older than positions, and velocities are those of half a step ago.
mote_fluid_view mote_fluid_peek(const mote_fluid *fluid);

// Replaces all particles by those of a state that another fluid wrote, as if they had been added here: the clock, the
// def and the walls remain. The fluids have to have the same dimensions, solver, spacing and mass of a particle.
// @param sound_speed  receives that of the other fluid [m/s]
// @return as mote_fluid_read
mote_result mote_fluid_take(mote_fluid *fluid, const void *bytes, size_t length, double *sound_speed,
                            mote_error *error);

#endif
