// SPDX-License-Identifier: MIT
// uniform_hash: cells of one size; an object lies in every cell that it covers (Pouchol et al. 2009, section 2.1).
//
// Section 2.2 of Pouchol et al. names its weakness: objects much larger than a cell cover thousands of cells. Objects
// with more than 512 cells are kept apart here, in a list that every query searches.

#include <math.h>

#include "base/order.h"
#include "broadphase/cell_levels.h"

typedef struct uniform_hash {
    cell_levels levels;  // the cells, and the objects kept apart; must be first, see cell_levels.h
    uint32_t built;      // number of objects when the cells were chosen
} uniform_hash;

enum { SAMPLE = 255 };

// Twice the median of the objects' longest edges, but at least half the distance between objects: smaller cells
// would be empty.
static double choose_edge(const mote_broadphase *broad)
{
    if (broad->def.cell_size > 0) return broad->def.cell_size;
    const object_store *store = &broad->store;
    double sample[SAMPLE];
    uint32_t count = 0;
    for (uint32_t id = 0, step = store->end / SAMPLE + 1; id < store->end; id += step) {
        if (!mote_store_has(store, id)) continue;
        const mote_bounds *box = store->boxes + id;
        float longest = 0;
        for (int k = 0; k < 3; ++k) longest = fmaxf(longest, box->max[k] / 2 - box->min[k] / 2);
        sample[count++] = (double)longest;
    }
    mote_sort_doubles(sample, count);
    double edge = fmax(count ? 4 * sample[count / 2] : 0,
                       (double)mote_store_spacing(store, broad->def.dimensions) / 2);
    return edge > 0 ? edge : 1;
}

// Cells that were chosen for far fewer or far more objects than there are now must be chosen again.
static bool is_outgrown(const mote_broadphase *broad, uint32_t built)
{
    return broad->def.cell_size == 0 && (broad->store.alive / 4 > built || broad->store.alive < built / 8);
}

static uint32_t place_of(void *state, const mote_bounds *box)
{
    (void)state, (void)box;
    return 0;
}

static mote_result update(mote_broadphase *broad, bool rebuild, mote_error *error)
{
    (void)error;
    uniform_hash *hash = broad->state;
    const bool all = rebuild || is_outgrown(broad, hash->built);
    if (all) {
        mote_levels_reset(&hash->levels, 2);
        hash->levels.levels[0].inverse_edge = 1 / choose_edge(broad);
        hash->built = broad->store.alive;
        broad->counters.rebuilds += 1;
    }
    return mote_levels_update(broad, all, place_of);
}

static void explain(const mote_broadphase *broad, char *text, size_t size)
{
    const uniform_hash *hash = broad->state;
    const cell_level *level = hash->levels.levels;
    mote_print(text, size, "%u cells of edge %g, %s, with %u entries for %u objects; %u larger objects in a list",
               level->cell_count, 1 / level->inverse_edge,
               broad->def.cell_size > 0 ? "as set" : "about twice a typical object", hash->levels.pool.used,
               level->objects, level[1].objects);
}

const broadphase_method mote_broadphase_uniform_hash = {
    .info = {"uniform_hash", "Pouchol et al. 2009, section 2.1",
             "hash table of equal cells; an object is in every cell that it overlaps"},
    .state_bytes = sizeof(uniform_hash),
    .update = update,
    .candidates = mote_levels_candidates,
    .pairs = mote_levels_pairs,
    .release = mote_levels_release,
    .byte_count = mote_levels_byte_count,
    .validate = mote_levels_validate,
    .count = mote_levels_count,
    .explain = explain,
    .cells = mote_levels_show,
};
