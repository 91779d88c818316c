// SPDX-License-Identifier: MIT
// fluid/row.h: what sums over neighbours read: the row of a particle, and the records of all particles.
#ifndef MOTE_FLUID_ROW_H
#define MOTE_FLUID_ROW_H

#include "mote/rows.h"

// Two registers. A mote_row would be handed over in memory, where it is written in small parts and read in large ones:
// a processor then waits until all before is written, and the sums of two particles do not overlap.
typedef struct fluid_row {
    const uint32_t *indices;
    uint32_t count;
} fluid_row;

// The values of a particle or wall particle that sums read, as two records of 16 bytes, four to a cache line. Behind
// the last one stands a filling record that is so far away that it adds exactly 0.
typedef struct fluid_place {
    float x, y, z;  // relative to the fluid's origin [m]
    float volume;   // V = m/ρ [m³]; in units of d^D of wall particles of the solver onderik
} fluid_place;

typedef struct fluid_motion {
    float x, y, z;  // velocity [m/s], or what else the sum needs
    float scalar;
} fluid_motion;

// Coordinate of the filling record: no kernel reaches it, yet its squared distance is still finite.
#define MOTE_FAR_AWAY 1e18f

static inline fluid_row mote_fluid_row(const mote_lists *lists, uint32_t i)
{
    return (fluid_row){lists->indices + lists->first[i], lists->counts[i]};
}

#endif
