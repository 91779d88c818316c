// multilevel_hash: cells of many sizes, powers of two, each object in those of about its own (Eitz & Lixu 2007, as
// Pouchol et al. 2009, section 2.2, eq. 2 and 3, have it).
//
// The class of an object is the smallest size 2^c not below its longest edge. It covers at most eight cells, four in 2D:
// not always by eq. 2 (the box from 0.99999994 to 2 has an edge of 1 in float, and spans three cells of 1), so the
// class is raised until its range of cells says so. Coordinates are exact, for edges are powers of two; classes are so
// coarse that coordinates fit, which leaves them finer than the floats there.
//
// Classes are found in a preprocessing pass or as objects come. Where they are fixed, an object goes to the next larger
// class; above the largest it takes all cells of that one which it covers, and if those are very many it is kept apart.

#include <math.h>

#include "broadphase/cell_levels.h"

enum {
    CLASS_MIN = -149,  // of the smallest float
    CLASS_MAX = 129,   // of the longest edge, twice the largest float
    CLASSES = CLASS_MAX - CLASS_MIN + 1,
    COORDINATE_BITS = 29
};

typedef struct multilevel_hash {
    cell_levels levels;     // by class, then what is kept apart
    bool in_use[CLASSES];   // classes that objects may lie in
    bool grows;             // others may be added
    uint32_t finest;        // number of the finest
    uint32_t built;         // objects when classes were chosen
} multilevel_hash;

// The number of the smallest power of two that is not below `length`.
static uint32_t class_of_length(double length)
{
    if (!(length > 0)) return 0;
    int exponent;
    const double part = frexp(length, &exponent);  // 0.5 … 1
    exponent -= part == 0.5;
    return (uint32_t)(MOTE_MIN(MOTE_MAX(exponent, (int)CLASS_MIN), (int)CLASS_MAX) - CLASS_MIN);
}

// Eq. 2, and cells that are not too fine for where the box is.
static uint32_t class_of(const multilevel_hash *hash, const mote_bounds *box)
{
    double longest = 0, farthest = 0;
    for (int k = 0; k < 3; ++k) {
        longest = fmax(longest, (double)box->max[k] - (double)box->min[k]);
        farthest = fmax(farthest, fmax(fabs((double)box->min[k]), fabs((double)box->max[k])));
    }
    const uint32_t by_length = class_of_length(longest), by_place = class_of_length(ldexp(farthest, -COORDINATE_BITS));
    return MOTE_MAX(MOTE_MAX(by_length, by_place), hash->finest);
}

static bool spans_few_cells(const multilevel_hash *hash, uint32_t number, const mote_bounds *box)
{
    const grid_range range = mote_level_range(hash->levels.levels + number, box);
    bool few = true;
    for (int k = 0; k < 3; ++k) few &= range.high.at[k] - range.low.at[k] <= 1;
    return few;
}

// The class in use that an object goes to; the largest one where none is large enough.
static uint32_t place_of(multilevel_hash *hash, const mote_bounds *box)
{
    uint32_t number = class_of(hash, box), largest = number;
    for (; number < CLASSES; ++number) {
        if (!hash->in_use[number] && !hash->grows) continue;
        largest = number;
        if (!spans_few_cells(hash, number, box)) continue;
        hash->in_use[number] = true;
        return number;
    }
    for (largest = CLASSES - 1; largest > 0 && !hash->in_use[largest];) --largest;
    return largest;
}

// The preprocessing pass: which classes objects have; where that is too many, those of the fewest objects are joined to
// the next larger ones.
static void choose_classes(const mote_broadphase *broad, multilevel_hash *hash)
{
    const mote_broadphase_def *def = &broad->def;
    const object_store *store = &broad->store;
    uint32_t objects[CLASSES] = {0}, most = (uint32_t)def->classes, used = 0;
    for (uint32_t k = 0; k < CLASSES; ++k) hash->in_use[k] = false;
    hash->finest = class_of_length(def->finest > 0 ? def->finest
                                                   : (double)mote_store_spacing(store, def->dimensions) / 8);
    hash->grows = !def->fixed_classes && most == 0;
    if (def->finest > 0 && most > 0) {
        for (uint32_t k = 0; k < most && hash->finest + k < CLASSES; ++k) hash->in_use[hash->finest + k] = true;
        return;
    }
    for (uint32_t id = 0; id < store->end; ++id) {
        if (!mote_store_has(store, id)) continue;
        uint32_t number = class_of(hash, store->boxes + id);
        while (number + 1 < CLASSES && !spans_few_cells(hash, number, store->boxes + id)) ++number;
        used += objects[number]++ == 0;
    }
    for (; most > 0 && used > most; --used) {
        uint32_t rarest = CLASSES, top = CLASSES - 1;
        while (objects[top] == 0) --top;
        for (uint32_t k = 0; k < top; ++k)
            if (objects[k] && (rarest == CLASSES || objects[k] < objects[rarest])) rarest = k;
        uint32_t next = rarest + 1;
        while (objects[next] == 0) ++next;
        objects[next] += objects[rarest];
        objects[rarest] = 0;
    }
    for (uint32_t k = 0; k < CLASSES; ++k) hash->in_use[k] = objects[k] > 0;
    hash->in_use[hash->finest] |= used == 0;
}

static bool is_outgrown(const mote_broadphase *broad, uint32_t built)
{
    bool is_given = broad->def.fixed_classes || broad->def.finest > 0;
    return !is_given && (broad->store.alive / 4 > built || broad->store.alive < built / 8);
}

static mote_result update(mote_broadphase *broad, bool rebuild)
{
    multilevel_hash *hash = broad->state;
    const object_store *store = &broad->store;
    const bool all = rebuild || is_outgrown(broad, hash->built);
    if (all) {
        mote_levels_reset(&hash->levels, CLASSES + 1);
        for (int k = 0; k < CLASSES; ++k) {
            hash->levels.levels[k].inverse_edge = ldexp(1, -(CLASS_MIN + k));
            hash->levels.levels[k].class_number = CLASS_MIN + k;
        }
        hash->levels.levels[CLASSES].class_number = CLASS_MAX + 1;
        choose_classes(broad, hash);
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
