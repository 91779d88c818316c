// SPDX-License-Identifier: MIT
// auto, the default: takes box_join (box_tree.c, queries in box_search.c), but brute_force for a few objects.

#include "broadphase/internal.h"

enum { FEW = 48 };

static const broadphase_method *choose(const mote_broadphase *broad, const char **reason)
{
    const bool few = broad->store.alive <= FEW;
    *reason = few ? "the fastest for few objects" : "the fastest for boxes of all sizes";
    return few ? &mote_broadphase_brute_force : &mote_broadphase_box_join;
}

const broadphase_method mote_broadphase_auto = {
    .info = {"auto", "mote", "chooses the fastest method for the objects"},
    .choose = choose,
};
