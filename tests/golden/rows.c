// SPDX-License-Identifier: MIT
// The rows that every method finds in several sets, with features and without: content, order, squared distances,
// differences and shifts to the last bit.

#include <stdio.h>
#include <stdlib.h>

#include "golden.h"

enum { COUNT = 1000 };

typedef struct point_set {
    const char *name;
    float radius;
    int dimensions;
    float xyz[3 * COUNT];
    double xyz_f64[3 * COUNT];
    double radii_f64[COUNT];
    float radii[COUNT];
} point_set;

// Coordinates of a random set, of a lattice whose points lie exactly at the radius, and of a dense heap far from the
// origin in a thin cloud.
static void fill(point_set *set, const char *name)
{
    mote_random random = {7};
    for (int i = 0; i < 3 * COUNT; ++i) {
        double u = mote_random_unit(&random);
        int step = i % 3 == 0 ? i / 3 % 10 : i % 3 == 1 ? i / 30 % 10 : i / 300;
        set->xyz_f64[i] = name[0] == 'u' ? u : name[0] == 'l' ? 0.1 * step : 1000 + (i % 2 ? u : 0.05 * u);
        set->xyz[i] = (float)set->xyz_f64[i];
    }
    for (int i = 0; i < COUNT; ++i) {
        set->radii_f64[i] = set->radius * (0.2 + mote_random_unit(&random));
        set->radii[i] = (float)set->radii_f64[i];
    }
}

static uint64_t checksum(const mote_lists *lists)
{
    uint64_t sum = GOLDEN_START;
    for (uint32_t i = 0; i < lists->count; ++i) {
        mote_row row = mote_lists_row(lists, i);
        size_t n = row.count;
        golden_mix(&sum, &row.count, sizeof row.count);
        golden_mix(&sum, row.indices, n * sizeof *row.indices);
        golden_mix(&sum, row.squared, n * sizeof *row.squared);
        golden_mix(&sum, row.squared_f64, n * sizeof *row.squared_f64);
        golden_mix(&sum, row.differences, 3 * n * sizeof *row.differences);
        golden_mix(&sum, row.differences_f64, 3 * n * sizeof *row.differences_f64);
        golden_mix(&sum, row.shifts, 3 * n * sizeof *row.shifts);
    }
    return sum;
}

static bool print_rows(mote_context *context, const point_set *set, const char *method, uint32_t features)
{
    mote_error error = {0};
    mote_neighbors_def def = mote_neighbors_default_def();
    def.method = method;
    def.radius = (double)set->radius;
    def.radius_rule = MOTE_RADIUS_LARGER;
    def.features = features;
    def.skin = 0.01;
    def.period[0] = (mote_vec3){1.1, 0, 0};
    def.period[1] = (mote_vec3){0.3, 1.2, 0};
    def.period[2] = (mote_vec3){0, 0.1, 1.3};
    mote_neighbors *search;
    mote_result result = mote_neighbors_create(context, &def, &search, &error);
    if (result == MOTE_ERROR_UNSUPPORTED) return true;
    if (result != MOTE_OK) return false;
    bool is_f64 = features & MOTE_NEIGHBORS_F64;
    mote_points points = is_f64 ? mote_points_xyz_f64(set->xyz_f64, COUNT) : mote_points_xyz(set->xyz, COUNT);
    points.dimensions = set->dimensions;
    if (!(features & MOTE_NEIGHBORS_RADII))
        result = mote_neighbors_update(search, points, &error);
    else if (is_f64)
        result = mote_neighbors_update_radii(search, points, set->radii_f64, sizeof *set->radii_f64, &error);
    else
        result = mote_neighbors_update_radii(search, points, set->radii, sizeof *set->radii, &error);
    mote_lists lists;
    if (result == MOTE_OK) result = mote_neighbors_lists(search, &lists, &error);
    char what[128];
    snprintf(what, sizeof what, "rows %s %dD %s %03x", set->name, set->dimensions, method, (unsigned)features);
    if (golden_is_ok(what, result, &error)) golden_print(what, (size_t)lists.total, checksum(&lists));
    mote_neighbors_destroy(search);
    return result == MOTE_OK;
}

// Of points elsewhere the rows, and their nearest.
static bool print_queries(mote_context *context, const point_set *set, const mote_neighbors_method_info *method)
{
    mote_error error = {0};
    enum { QUERIES = 200, NEAREST = 5 };
    char what[128];
    float queries[3 * QUERIES];
    mote_random random = {5};
    mote_neighbors_def def = mote_neighbors_default_def();
    mote_neighbors *search;
    mote_points points = mote_points_xyz(set->xyz, COUNT), others = mote_points_xyz(queries, QUERIES);
    points.dimensions = others.dimensions = set->dimensions;
    def.method = method->name;
    def.radius = (double)set->radius;
    def.features = method->features & (MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_NEAREST);
    if (!(def.features & MOTE_NEIGHBORS_QUERY)) return true;
    for (int i = 0; i < 3 * QUERIES; ++i)
        queries[i] = set->xyz[i] + set->radius * (float)(mote_random_unit(&random) - 0.5);
    mote_result result = mote_neighbors_create(context, &def, &search, &error);
    if (result != MOTE_OK) return false;
    mote_lists lists;
    result = mote_neighbors_update(search, points, &error);
    if (result == MOTE_OK) result = mote_neighbors_query(search, others, &lists, &error);
    snprintf(what, sizeof what, "rows of others %s %dD %s", set->name, set->dimensions, method->name);
    bool done = golden_is_ok(what, result, &error);
    if (done) golden_print(what, (size_t)lists.total, checksum(&lists));
    const bool has_nearest = def.features & MOTE_NEIGHBORS_NEAREST;
    if (done && has_nearest) result = mote_neighbors_nearest(search, &others, NEAREST, &lists, &error);
    snprintf(what, sizeof what, "nearest of others %s %dD %s", set->name, set->dimensions, method->name);
    done = done && golden_is_ok(what, result, &error);
    if (done && has_nearest) golden_print(what, (size_t)lists.total, checksum(&lists));
    mote_neighbors_destroy(search);
    return done;
}

static bool print_set(mote_context *context, const point_set *set)
{
    const uint32_t wanted[] = {
        0,
        MOTE_NEIGHBORS_ASCENDING,
        MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES,
        MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_DISTANCES,
        MOTE_NEIGHBORS_HALF | MOTE_NEIGHBORS_RADII,
        MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_DIFFERENCES,
        MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_DISTANCES,
        MOTE_NEIGHBORS_SKIN,
    };
    const mote_neighbors_method_info *method;
    for (size_t m = 0; (method = mote_neighbors_method_at(m)) != NULL; ++m) {
        if (!print_queries(context, set, method)) return false;
        for (size_t f = 0; f < sizeof wanted / sizeof *wanted; ++f) {
            bool in_box = wanted[f] & MOTE_NEIGHBORS_PERIODIC;
            if ((!in_box || set->dimensions == 3) && !print_rows(context, set, method->name, wanted[f])) return false;
        }
    }
    return true;
}

bool golden_rows(mote_context *context)
{
    const char *const names[] = {"uniform", "lattice", "heap"};
    point_set *set = calloc(1, sizeof *set);
    bool done = set != NULL;
    for (int n = 0; n < 3 && done; ++n) {
        for (set->dimensions = 2; set->dimensions <= 3 && done; ++set->dimensions) {
            set->name = names[n];
            set->radius = set->dimensions == 2 ? 0.02f : 0.1f;
            fill(set, names[n]);
            done = print_set(context, set);
        }
    }
    free(set);
    return done;
}
