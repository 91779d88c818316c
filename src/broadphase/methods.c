// SPDX-License-Identifier: MIT
// The table of broad phases. The first is the default.

#include "broadphase/internal.h"

const broadphase_method *const mote_broadphase_method_table[] = {
    &mote_broadphase_auto,
    &mote_broadphase_brute_force,
    &mote_broadphase_uniform_hash,
    &mote_broadphase_multilevel_hash,
    &mote_broadphase_hierarchical_hash,
    &mote_broadphase_bvh8,
    &mote_broadphase_box_join,
};
const size_t mote_broadphase_method_count = sizeof mote_broadphase_method_table / sizeof *mote_broadphase_method_table;
