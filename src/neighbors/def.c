// SPDX-License-Identifier: MIT
// The def: its fields, the features and their names, and the checks of all of them.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "neighbors/internal.h"

static const mote_neighbors_feature_info feature_table[] = {
    {MOTE_NEIGHBORS_F64, "f64", "double points, compared in double"},
    {MOTE_NEIGHBORS_QUERY, "query", "another set of points looks in"},
    {MOTE_NEIGHBORS_SUBSET, "subset", "rows of some of the points, rows in chunks"},
    {MOTE_NEIGHBORS_HALF, "half", "each pair once"},
    {MOTE_NEIGHBORS_ASCENDING, "ascending", "rows ascending by index"},
    {MOTE_NEIGHBORS_DISTANCES, "distances", "squared distances with the rows"},
    {MOTE_NEIGHBORS_DIFFERENCES, "differences", "difference vectors with the rows"},
    {MOTE_NEIGHBORS_RADII, "radii", "a radius per point"},
    {MOTE_NEIGHBORS_PERIODIC, "periodic", "periodic boxes"},
    {MOTE_NEIGHBORS_SKIN, "skin", "rebuilt only when a point has moved half the skin"},
    {MOTE_NEIGHBORS_PERMUTATION, "permutation", "the order that sorts points by cell"},
    {MOTE_NEIGHBORS_NEAREST, "nearest", "k nearest"},
    {MOTE_NEIGHBORS_GROUPS, "groups", "groups of points with their candidates"},
};
enum { FEATURES = sizeof feature_table / sizeof *feature_table };

const mote_neighbors_feature_info *mote_neighbors_feature_at(size_t index)
{
    return index < FEATURES ? &feature_table[index] : NULL;
}

enum { MOST_SUBDIVISIONS = 4, MOST_CLASSES = 16 };

#define FIELD(member, kind, of_unit) \
    .name = #member, .type = kind, .unit = of_unit, .offset = offsetof(mote_neighbors_def, member)
#define PERIOD_FIELD(axis, text)                                                     \
    {                                                                                \
        .name = "period_" #axis, .type = MOTE_FIELD_VECTOR, .unit = "m",             \
        .offset = offsetof(mote_neighbors_def, period) + (axis) * sizeof(mote_vec3), \
        .meaning = text " edge of the box"                                           \
    }

static const char *const radius_rules[] = {"mine", "larger", "sum", NULL};
static const char *const hashes[] = {"xor", "additive", NULL};
static const mote_field fields[] = {
    {FIELD(radius, MOTE_FIELD_NUMBER, "m"), .flags = MOTE_FIELD_REQUIRED,
     .meaning = "the support; not used where each point has its own radius"},
    {FIELD(open_ball, MOTE_FIELD_BOOL, ""), .meaning = "whether points at exactly the radius are left out"},
    {FIELD(half_either, MOTE_FIELD_BOOL, ""),
     .meaning = "with the feature half: whether a pair may be in the row of either point"},
    {FIELD(method, MOTE_FIELD_TEXT, ""), .meaning = "name of a method; null: auto"},
    {FIELD(features, MOTE_FIELD_INT, ""), .max = INT32_MAX, .meaning = "MOTE_NEIGHBORS_... bits that are wanted"},
    {FIELD(skin, MOTE_FIELD_NUMBER, "m"), .max = HUGE_VAL, .meaning = "with the feature skin: added to the radius"},
    {FIELD(radius_rule, MOTE_FIELD_CHOICE, ""), .choices = radius_rules,
     .meaning = "with the feature radii: whose radius counts"},
    PERIOD_FIELD(0, "with the feature periodic: first"),
    PERIOD_FIELD(1, "second"),
    PERIOD_FIELD(2, "third"),
    {FIELD(period_origin, MOTE_FIELD_VECTOR, "m"), .meaning = "a corner of that box"},
    {FIELD(hash, MOTE_FIELD_CHOICE, ""), .choices = hashes, .meaning = "hashing methods: how a cell becomes a bucket"},
    {FIELD(table_size, MOTE_FIELD_INT, ""), .max = INT32_MAX,
     .meaning = "hashing methods: buckets; 0: a prime near the number of points"},
    {FIELD(subdivision, MOTE_FIELD_INT, ""), .min = 1, .max = MOST_SUBDIVISIONS, .initial = {1},
     .meaning = "hashing methods, cell_index: cells along a radius"},
    {FIELD(classes, MOTE_FIELD_INT, ""), .min = 1, .max = MOST_CLASSES, .initial = {3},
     .meaning = "hierarchical_hash: nested sizes of cells"},
};

static const mote_field_table table = {"neighbors", "which points are near each other", fields,
                                       sizeof fields / sizeof *fields};

const mote_field_table *mote_neighbors_fields(void)
{
    return &table;
}

mote_neighbors_def mote_neighbors_default_def(void)
{
    mote_neighbors_def def = {0};
    mote_fields_set_defaults(&table, &def);
    def.cookie = MOTE_COOKIE;
    return def;
}

const mote_neighbors_method_info *mote_neighbors_method_at(size_t index)
{
    return index < mote_neighbors_method_count ? &mote_neighbors_method_table[index]->info : NULL;
}

// ---------------------------------------------------------------------------------------------------------- checks

static mote_result find_method(const char *name, const neighbors_method **method, mote_error *error)
{
    enum { MOST = 63 };  // most names to choose from
    const char *names[MOST + 1] = {NULL};
    *method = mote_neighbors_method_table[0];
    if (!name) return MOTE_OK;
    for (size_t k = 0; k < mote_neighbors_method_count; ++k) {
        *method = mote_neighbors_method_table[k];
        if (strcmp((*method)->info.name, name) == 0) return MOTE_OK;
        if (k < MOST) names[k] = (*method)->info.name;
    }
    return mote_fail_method(error, "neighbors", name, names);
}

// Names the features that a method lacks; bits that no feature uses are given as a number.
static mote_result refuse_features(const neighbors_method *method, uint32_t lacking, mote_error *error)
{
    char names[160] = "";
    size_t length = 0;
    for (size_t k = 0; k < FEATURES; ++k) {
        if (!(lacking & feature_table[k].feature)) continue;
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "",
                                   feature_table[k].name);
        lacking &= ~feature_table[k].feature;
    }
    if (lacking) snprintf(names + length, sizeof names - length, "%sbits 0x%x", length ? ", " : "", (unsigned)lacking);
    return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "neighbors: method %s does not offer %s", method->info.name,
                     names);
}

static mote_result check_lengths(const mote_neighbors_def *def, mote_error *error)
{
    const bool is_f64 = (def->features & MOTE_NEIGHBORS_F64) != 0;
    const bool radii = (def->features & MOTE_NEIGHBORS_RADII) != 0;
    const mote_scalar scalar = is_f64 ? MOTE_F64 : MOTE_F32;
    const char *range = is_f64 ? "2^-480 to 2^511 for double points" : "2^-50 to 2^63 for float points";
    if (!radii && !mote_radius_is_legal(def->radius, scalar, false))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "neighbors: radius is %g, expected %s", def->radius, range);
    if (!(def->features & MOTE_NEIGHBORS_SKIN)) return MOTE_OK;
    if (!mote_radius_is_legal(def->skin, scalar, true))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "neighbors: skin is %g, expected %s", def->skin,
                         is_f64 ? "2^-480 to 2^510 for double points" : "2^-50 to 2^62 for float points");
    if (!radii && !mote_radius_is_legal(def->radius + def->skin, scalar, false))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "neighbors: radius and skin make %g, expected %s",
                         def->radius + def->skin, range);
    return MOTE_OK;
}

static mote_result check_choices(const mote_neighbors_def *def, mote_error *error)
{
    const bool radii = (def->features & MOTE_NEIGHBORS_RADII) != 0;
    if (radii && !(def->radius_rule >= MOTE_RADIUS_MINE && def->radius_rule <= MOTE_RADIUS_SUM))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "neighbors: radius_rule is %d, expected MOTE_RADIUS_MINE, _LARGER or _SUM",
                         (int)def->radius_rule);
    if (radii && def->radius_rule == MOTE_RADIUS_MINE && (def->features & MOTE_NEIGHBORS_HALF))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "neighbors: half lists with MOTE_RADIUS_MINE, where a pair may hold one way alone: expected "
                         "MOTE_RADIUS_LARGER or MOTE_RADIUS_SUM");
    const uint32_t apart = MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_SKIN;
    if ((def->features & MOTE_NEIGHBORS_GROUPS) && (def->features & apart))
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0,
                         "neighbors: groups are of float points with one radius, expected no f64, radii, periodic or "
                         "skin beside");
    if (def->hash != MOTE_HASH_XOR && def->hash != MOTE_HASH_ADDITIVE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "neighbors: hash is %d, expected MOTE_HASH_XOR or MOTE_HASH_ADDITIVE", (int)def->hash);
    if (def->table_size > INT32_MAX)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "neighbors: table_size is %u, expected 0 to 2147483647",
                         (unsigned)def->table_size);
    if (def->subdivision < 1 || def->subdivision > MOST_SUBDIVISIONS)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "neighbors: subdivision is %d, expected 1 to 4",
                         def->subdivision);
    if (def->classes < 1 || def->classes > MOST_CLASSES)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "neighbors: classes is %d, expected 1 to 16", def->classes);
    return MOTE_OK;
}

mote_result mote_neighbors_def_check(const mote_neighbors_def *def, const neighbors_method **method, periodic_box *box,
                                     mote_error *error)
{
    if (!def || def->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "neighbors: no def, or one that mote_neighbors_default_def did not make");
    mote_result result = find_method(def->method, method, error);
    if (result == MOTE_OK) result = check_lengths(def, error);
    if (result == MOTE_OK) result = check_choices(def, error);
    if (result == MOTE_OK && (def->features & MOTE_NEIGHBORS_PERIODIC))
        result = mote_periodic_box_make(def->period, def->period_origin, box, error);
    if (result != MOTE_OK) return result;
    uint32_t lacking = def->features & ~(*method)->info.features;
    return lacking ? refuse_features(*method, lacking, error) : MOTE_OK;
}
