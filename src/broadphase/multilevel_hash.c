// SPDX-License-Identifier: MIT
// multilevel_hash: cells of many sizes, powers of two; each object lies in cells of about its own size (Eitz & Lixu
// 2007, as described in Pouchol et al. 2009, section 2.2, eq. 2 and 3).
//
// Classes are found in a preprocessing pass or as objects are added. If they are fixed, an object goes to the next
// larger class; an object above the largest goes into all cells of that class that it covers, and if these are very
// many it is kept apart.

#include "broadphase/cell_levels.h"
#include "broadphase/size_classes.h"

typedef struct multilevel_hash {
    cell_levels levels;    // one per class, then a list of the objects kept apart; must be first, see cell_levels.h
    size_classes classes;  // the classes that objects may lie in
    bool grows;            // classes may be added
    uint32_t built;        // number of objects when classes were chosen
} multilevel_hash;

// The class in use where an object goes; the largest one if none is large enough.
static uint32_t place_of(void *state, const mote_bounds *box)
{
    multilevel_hash *hash = state;
    bool *in_use = hash->classes.in_use;
    for (uint32_t number = mote_class_of(&hash->classes, box); number < CLASSES; ++number) {
        if ((!in_use[number] && !hash->grows) || !mote_class_suits(number, box)) continue;
        in_use[number] = true;
        return number;
    }
    uint32_t largest = CLASSES - 1;
    while (largest > 0 && !in_use[largest]) --largest;
    return largest;
}

static mote_result update(mote_broadphase *broad, bool rebuild, mote_error *error)
{
    (void)error;
    multilevel_hash *hash = broad->state;
    const bool all = rebuild || (!broad->def.fixed_classes &&
                                mote_classes_are_outgrown(broad, &hash->classes, hash->built));
    if (all) {
        mote_levels_reset(&hash->levels, CLASSES + 1);
        for (int k = 0; k < CLASSES; ++k) {
            hash->levels.levels[k].inverse_edge = mote_class_inverse_edge((uint32_t)k);
            hash->levels.levels[k].class_number = CLASS_MIN + k;
        }
        hash->levels.levels[CLASSES].class_number = CLASS_MAX + 1;
        mote_classes_choose(broad, &hash->classes);
        hash->grows = !broad->def.fixed_classes && broad->def.classes == 0;
        hash->built = broad->store.alive;
        broad->counters.rebuilds += 1;
    }
    return mote_levels_update(broad, all, place_of);
}

static void explain(const mote_broadphase *broad, char *text, size_t size)
{
    const multilevel_hash *hash = broad->state;
    const cell_levels *levels = &hash->levels;
    uint32_t cell_count = 0, classes = levels->active_count;
    for (uint32_t k = 0; k < levels->active_count; ++k) cell_count += levels->levels[levels->active[k]].cell_count;
    const uint32_t apart = levels->levels[CLASSES].objects;
    if (apart) --classes, --cell_count;
    const double finest = classes ? 1 / levels->levels[levels->active[0]].inverse_edge : 0;
    const double coarsest = classes ? 1 / levels->levels[levels->active[classes - 1]].inverse_edge : 0;
    mote_print(text, size, "%u cells on %u levels, edges from %g to %g, with %u entries for %u objects; %u larger "
               "objects in a list",
               cell_count, classes, finest, coarsest, levels->pool.used, broad->store.alive, apart);
}

const broadphase_method mote_broadphase_multilevel_hash = {
    .info = {"multilevel_hash", "Eitz & Lixu 2007; Pouchol et al. 2009, eq. 2, 3",
             "hash table of cells of sizes 2^c; an object is in up to eight cells of about its size"},
    .state_bytes = sizeof(multilevel_hash),
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
