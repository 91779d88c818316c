// multilevel_hash: cells of many sizes, powers of two, each object in those of about its own (Eitz & Lixu 2007, as
// Pouchol et al. 2009, section 2.2, eq. 2 and 3, have it).
//
// Classes are found in a preprocessing pass or as objects come. Where they are fixed, an object goes to the next larger
// class; above the largest it takes all cells of that one which it covers, and if those are very many it is kept apart.

#include "broadphase/cell_levels.h"
#include "broadphase/size_classes.h"

typedef struct multilevel_hash {
    cell_levels levels;    // by class, then what is kept apart
    size_classes classes;  // that objects may lie in
    bool grows;            // others may be added
    uint32_t built;        // objects when classes were chosen
} multilevel_hash;

// The class in use that an object goes to; the largest one where none is large enough.
static uint32_t place_of(multilevel_hash *hash, const mote_bounds *box)
{
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

static mote_result update(mote_broadphase *broad, bool rebuild)
{
    multilevel_hash *hash = broad->state;
    const object_store *store = &broad->store;
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
        hash->built = store->alive;
        broad->counters.rebuilds += 1;
    }
    const uint32_t count = all ? store->end : store->changed_count;
    mote_result result = MOTE_OK;
    for (uint32_t k = 0; k < count && result == MOTE_OK; ++k) {
        const uint32_t id = all ? k : store->changed[k];
        const mote_bounds *box = store->boxes + id;
        const uint32_t level = mote_store_has(store, id) ? place_of(hash, box) : CLASSES;
        if (mote_store_has(store, id) && mote_levels_hold(&hash->levels, level, id, box)) continue;
        mote_levels_remove(&hash->levels, id);
        if (mote_store_has(store, id)) result = mote_levels_insert(broad->context, &hash->levels, level, id, box);
    }
    return result;
}

static void candidates(const mote_broadphase *broad, candidate_sink *sink)
{
    const multilevel_hash *hash = broad->state;
    mote_levels_candidates(&hash->levels, sink);
}

static void pairs(const mote_broadphase *broad, pair_writer *writers)
{
    const multilevel_hash *hash = broad->state;
    mote_levels_pairs(&hash->levels, broad, writers);
}

static void release(mote_broadphase *broad)
{
    multilevel_hash *hash = broad->state;
    mote_levels_release(broad->context, &hash->levels);
}

static size_t byte_count(const mote_broadphase *broad)
{
    const multilevel_hash *hash = broad->state;
    return mote_levels_byte_count(&hash->levels);
}

static mote_result validate(mote_broadphase *broad)
{
    const multilevel_hash *hash = broad->state;
    return mote_levels_validate(&hash->levels, broad);
}

static void count(const mote_broadphase *broad, mote_broadphase_counters *counters)
{
    const multilevel_hash *hash = broad->state;
    mote_levels_count(&hash->levels, counters);
}

static void cells(const mote_broadphase *broad, void (*visitor)(void *, const mote_broadphase_cell *), void *data)
{
    const multilevel_hash *hash = broad->state;
    mote_levels_show(&hash->levels, visitor, data);
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
    mote_print(text, size, "%u cells in %u classes from %g to %g, with %u entries of %u objects; %u larger ones kept "
               "apart", cell_count, classes, finest, coarsest, levels->pool.used, broad->store.alive, apart);
}

const broadphase_method mote_broadphase_multilevel_hash = {
    .info = {"multilevel_hash", "Eitz & Lixu 2007; Pouchol et al. 2009, eq. 2, 3",
             "hashed cells of sizes 2^c, an object in at most eight of about its own size"},
    .state_bytes = sizeof(multilevel_hash),
    .update = update,
    .candidates = candidates,
    .pairs = pairs,
    .release = release,
    .byte_count = byte_count,
    .validate = validate,
    .count = count,
    .explain = explain,
    .cells = cells,
};
