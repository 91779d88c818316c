// SPDX-License-Identifier: MIT
// The kinds of objects. They are made in this order, and step in it: what is met comes before who meets it.

#include "simulation/internal.h"

const object_kind *const mote_object_kinds[] = {
    &mote_kind_tank,
    &mote_kind_solid,
    &mote_kind_fluid,
    &mote_kind_grains,
};

const size_t mote_object_kind_count = sizeof mote_object_kinds / sizeof *mote_object_kinds;
