// SPDX-License-Identifier: MIT
// fluid/row.h: the neighbours of a particle.
#ifndef MOTE_FLUID_ROW_H
#define MOTE_FLUID_ROW_H

#include "mote/rows.h"

// Two registers. A mote_row would be handed over in memory, where it is written in small parts and read in large ones:
// a processor then waits until all before is written, and the sums of two particles do not overlap.
typedef struct fluid_row {
    const uint32_t *indices;
    uint32_t count;
} fluid_row;

static inline fluid_row mote_fluid_row(const mote_lists *lists, uint32_t i)
{
    return (fluid_row){lists->indices + lists->first[i], lists->counts[i]};
}

#endif
