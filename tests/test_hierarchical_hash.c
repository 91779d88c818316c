// SPDX-License-Identifier: MIT
// hierarchical_hash: what is particular to it: classes, neighbours found on insertion, radii of many sizes.

#include "cells/tested.h"
#include "mote/neighbors.h"
#include "neighbors/tested.h"
#include "support/compare.h"
#include "support/points.h"
#include "support/test.h"

enum { FEW = SANITIZED ? 300 : 800 };

static mote_neighbors_def make_def(double radius, int classes, uint32_t features)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.method = "hierarchical_hash";
    def.radius = radius;
    def.classes = classes;
    def.features = features;
    return def;
}

// Neighbours found on insertion, and by walks: the sets are those of all_pairs, whatever the classes.
static void check_points(mote_points points, mote_points queries, double radius, uint32_t features, const char *name)
{
    static const int classes[] = {1, 2, 3, 5, 16};
    test_case set = {.points = points, .queries = queries, .name = name};
    for (int c = 0; c < 5; ++c) {
        test_compare_with_all_pairs(make_def(radius, classes[c], features), &set);
        test_compare_with_all_pairs(make_def(radius, classes[c], features | MOTE_NEIGHBORS_HALF), &set);
        test_compare_with_all_pairs(make_def(radius, classes[c], features | MOTE_NEIGHBORS_QUERY), &set);
    }
}

static void any_number_of_classes_finds_all(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(1, 2 * FEW, 3, 1);
    mote_points points = mote_points_xyz(xyz, FEW), queries = mote_points_xyz(xyz + 3 * FEW, FEW);
    check_points(points, queries, 0.12, 0, "uniform");
    check_points(points, queries, 3, 0, "radius beyond all");
    check_points(points, queries, 0.12, MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES, "with distances");
    for (int i = 0; i < 6 * FEW; ++i) xyz[i] = 0.1f * floorf(xyz[i] * 8) - (i % 3 ? 4e5f : 0.4f);
    check_points(points, queries, (double)0.1f, 0, "lattice");
    xyz[0] = 1e30f;
    xyz[7] = -1e12f;
    check_points(points, queries, (double)0.1f, 0, "lattice with outliers");
    free(xyz);
}

static void double_points_are_compared_in_double(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(2, FEW, 3, 1);
    double *wide = malloc(3 * (size_t)FEW * sizeof *wide);
    for (int i = 0; i < 3 * FEW; ++i) wide[i] = (double)xyz[i] * 1.1 + 1e7;
    mote_points points = mote_points_xyz_f64(wide, FEW);
    check_points(points, points, 0.12, MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_DISTANCES, "doubles");
    wide[1] = 1e308, wide[5] = -1e300;
    check_points(points, points, 0.12, MOTE_NEIGHBORS_F64, "doubles with outliers");
    free(wide);
    free(xyz);
}

// Radii over five orders of magnitude, powers of two among them; queries with larger ones than any point has.
static void points_lie_in_the_class_of_their_radius(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(3, 2 * FEW, 3, 1), *radii = test_points_uniform(4, 2 * FEW, 1, 1);
    for (int i = 0; i < 2 * FEW; ++i)
        radii[i] = i % 3 ? 0.3f * radii[i] * radii[i] * radii[i] + 1e-6f : ldexpf(1, -2 - i % 9);
    radii[FEW + 1] = 1e12f;
    for (mote_radius_rule rule = MOTE_RADIUS_MINE; rule <= MOTE_RADIUS_SUM; ++rule)
        for (int classes = 1; classes <= 16; classes += 5) {
            mote_neighbors_def def = make_def(1, classes, MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_QUERY);
            def.radius_rule = rule;
            test_case set = {mote_points_xyz(xyz, FEW), mote_points_xyz(xyz + 3 * FEW, FEW), radii, radii + FEW,
                             "radii of many sizes"};
            test_compare_with_all_pairs(def, &set);
            if (rule == MOTE_RADIUS_MINE) continue;
            def.features |= MOTE_NEIGHBORS_HALF;
            test_compare_with_all_pairs(def, &set);
        }
    free(radii);
    free(xyz);
}

// A lone tiny radius does not blow up the extent in cells.
static void one_tiny_radius_costs_nothing(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    float *xyz = test_points_uniform(5, COUNT, 3, 1), *radii = malloc(COUNT * sizeof *radii);
    for (int i = 0; i < COUNT; ++i) radii[i] = i == 7 ? 1e-14f : 0.05f;
    mote_neighbors_def def = make_def(1, 3, MOTE_NEIGHBORS_RADII);
    mote_neighbors *search;
    mote_lists lists;
    CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
    CHECK_OK(mote_neighbors_update_radii(search, mote_points_xyz(xyz, COUNT), radii, sizeof *radii, NULL));
    CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
    uint64_t candidates = mote_neighbors_get_counters(search).candidates;
    CHECK(candidates < 20 * lists.total, "%llu candidates for %llu pairs", (unsigned long long)candidates,
          (unsigned long long)lists.total);
    mote_neighbors_destroy(search);
    free(radii);
    free(xyz);
}

// Where each point stands in the order in which points go in, which is that of hash_order.h.
static uint32_t *find_ranks(const mote_neighbors *search, mote_points points)
{
    const cell_frame frame = mote_frame_make(&points, search->structure_radius, 1);
    near_order order = {.points = NULL};
    CHECK_OK(mote_near_order_make(search, &frame, &order));
    uint32_t *ranks = malloc(points.count * sizeof *ranks);
    for (uint32_t place = 0; place < points.count; ++place) ranks[order.points[place]] = place;
    mote_buffer_release(NULL, &order.memory);
    return ranks;
}

// Each pair is met once on insertion, by the later of the two: earlier points come first in a row.
static void pairs_are_met_once(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(6, FEW, 3, 1);
    mote_neighbors_def def = make_def(0.15, 3, 0);
    mote_neighbors *search;
    mote_lists lists;
    CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
    CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, FEW), NULL));
    CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
    uint32_t *ranks = find_ranks(search, mote_points_xyz(xyz, FEW));
    for (uint32_t i = 0; i < FEW; ++i) {
        mote_row row = mote_lists_row(&lists, i);
        bool later = false;
        for (uint32_t k = 0; k < row.count; ++k) {
            const uint32_t rank = ranks[row.indices[k]];
            CHECK(!later || (rank > ranks[i] && rank > ranks[row.indices[k - 1]]), "row %u, place %u", i, k);
            later = rank > ranks[i];
        }
    }
    free(ranks);
    uint64_t met = mote_neighbors_get_counters(search).candidates;
    mote_neighbors_destroy(search);

    def.features = MOTE_NEIGHBORS_QUERY;
    CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
    CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, FEW), NULL));
    CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
    uint64_t walked = mote_neighbors_get_counters(search).candidates;
    CHECK(walked == 2 * met + FEW, "%llu met on insertion, %llu by walks", (unsigned long long)met,
          (unsigned long long)walked);
    CHECK(strstr(mote_neighbors_explain(search), "3 levels of cells"), "%s", mote_neighbors_explain(search));
    mote_neighbors_destroy(search);
    free(xyz);
}

static void bad_class_counts_are_refused(void **state)
{
    (void)state;
    mote_neighbors *search;
    mote_neighbors_def none = make_def(1, 0, 0), many = make_def(1, 17, 0);
    CHECK(mote_neighbors_create(NULL, &none, &search, NULL) == MOTE_ERROR_ARGUMENT, "0 classes");
    CHECK(mote_neighbors_create(NULL, &many, &search, NULL) == MOTE_ERROR_ARGUMENT, "17 classes");
}

static mote_result search_with_radii(mote_context *context, void *data)
{
    (void)data;
    float *xyz = test_points_uniform(7, 500, 3, 1), *radii = test_points_uniform(8, 500, 1, 0.2);
    for (int i = 0; i < 500; ++i) radii[i] += 1e-3f;
    mote_neighbors_def def = make_def(1, 2, MOTE_NEIGHBORS_RADII);
    mote_neighbors *search = NULL;
    mote_lists lists;
    mote_result result = mote_neighbors_create(context, &def, &search, NULL);
    if (result == MOTE_OK)
        result = mote_neighbors_update_radii(search, mote_points_xyz(xyz, 500), radii, sizeof *radii, NULL);
    if (result == MOTE_OK) result = mote_neighbors_lists(search, &lists, NULL);
    if (search) CHECK_OK(mote_neighbors_validate(search, NULL));
    mote_neighbors_destroy(search);
    free(xyz);
    free(radii);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    test_failing_allocations(search_with_radii, NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_classes_finds_all),
        cmocka_unit_test(double_points_are_compared_in_double),
        cmocka_unit_test(points_lie_in_the_class_of_their_radius),
        cmocka_unit_test(one_tiny_radius_costs_nothing),
        cmocka_unit_test(pairs_are_met_once),
        cmocka_unit_test(bad_class_counts_are_refused),
        cmocka_unit_test(failing_allocations),
    };
    RUN_TESTS(tests, argc, argv);
}
