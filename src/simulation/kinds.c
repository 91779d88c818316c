// SPDX-License-Identifier: MIT
// The kinds of objects; a new kind of boundary is a line here and a file like solids.c. Objects are checked, made and
// stepped in this order: obstacles come before the particles that meet them, openings before the fluid, whose speed of
// sound may follow from their velocities, and gauges after what they measure.

#include "simulation/internal.h"

const object_kind *const mote_object_kinds[] = {
    &mote_kind_tank,
    &mote_kind_solid,
    &mote_kind_damping,
    &mote_kind_opening,
    &mote_kind_drain,
    &mote_kind_fluid,
    &mote_kind_grains,
    &mote_kind_gauge,
};

const size_t mote_object_kind_count = sizeof mote_object_kinds / sizeof *mote_object_kinds;
