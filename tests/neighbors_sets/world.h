// SPDX-License-Identifier: MIT
// neighbors_sets/world.h: sets of points, of which some have changed and some look into each other, for the tests of
// several sets in one search.
#ifndef NEIGHBORS_SETS_WORLD_H
#define NEIGHBORS_SETS_WORLD_H

#include "mote/neighbors.h"
#include "support/cloud.h"

enum { MOST_SETS = 5 };

typedef struct world {
    uint64_t seed;
    mote_neighbors_def def;
    int dimensions;
    uint32_t count;  // sets
    cloud sets[MOST_SETS];
    bool changed[MOST_SETS], active[MOST_SETS * MOST_SETS];
    double largest;  // radius of any point
    brute_row brute, found;
} world;

static inline bool world_has(const world *w, uint32_t feature)
{
    return (w->def.features & feature) != 0;
}

static inline mote_scalar world_scalar(const world *w)
{
    return world_has(w, MOTE_NEIGHBORS_F64) ? MOTE_F64 : MOTE_F32;
}

bool world_pair_is_active(const world *w, uint32_t s, uint32_t t);
void world_free(world *w);
mote_result world_update(const world *w, mote_neighbors *search, const bool *changed, mote_error *error);

// Three sets of float points in the unit cube.
world world_make_three(uint32_t features, size_t count, uint64_t seed);

// Compares all pairs with brute force and with a search of their own, and rows as one and visited rows with both.
// @param all  whether all pairs are active
void world_check(world *w, mote_context *context, mote_neighbors *search, bool all);

// Compares a pair's rows, in order and bits, with those of a search that knows only these two sets.
void world_check_order(const world *w, mote_context *context, uint32_t s, uint32_t t, const mote_lists *lists);

// Cases of test_neighbors_sets.c that are in a file of their own, refusals.c.
void arguments_are_refused(void **state);
void queries_need_the_feature(void **state);
void bad_radii_are_refused(void **state);
void changed_sets_are_noticed(void **state);
void no_memory_for_more_sets_leaves_none(void **state);

#endif
