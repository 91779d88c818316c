// SPDX-License-Identifier: MIT
// cell_index: what is particular to sorted keys: the mask, keys that run out of bits, the document's own mask.

#include "cells/tested.h"
#include "mote/neighbors.h"
#include "support/compare.h"
#include "support/points.h"
#include "support/test.h"

enum { FEW = SANITIZED ? 300 : 800 };

// -------------------------------------------------------------------------------------------- comparing with all_pairs

static mote_neighbors *make_search(const char *method, mote_neighbors_def def)
{
    mote_neighbors *search;
    def.method = method;
    CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
    return search;
}

// For every H.
static void check_set(mote_neighbors_def def, mote_points points, const void *radii, mote_points queries,
                      const void *query_radii, const char *name)
{
    test_case set = {points, queries, radii, query_radii, name};
    def.method = "cell_index";
    for (def.subdivision = 1; def.subdivision <= 4; ++def.subdivision) test_compare_with_all_pairs(def, &set);
}

static mote_neighbors_def radius_def(double radius, uint32_t features)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = radius;
    def.features = features;
    return def;
}

static void check_xyz(const float *xyz, size_t count, double radius, const char *set)
{
    mote_points points = mote_points_xyz(xyz, count);
    check_set(radius_def(radius, MOTE_NEIGHBORS_QUERY), points, NULL, points, NULL, set);
    check_set(radius_def(radius, MOTE_NEIGHBORS_HALF | MOTE_NEIGHBORS_DISTANCES), points, NULL, points, NULL, set);
}

// ---------------------------------------------------------------------------------------------------------- the mask

static void mask_has_as_many_cells_as_it_needs(void **state)
{
    (void)state;
    static const uint32_t expected[3][4] = {{3, 5, 7, 9}, {9, 25, 49, 77}, {27, 125, 311, 613}};
    for (int dimensions = 1; dimensions <= 3; ++dimensions)
        for (int h = 1; h <= 4; ++h) {
            double reach = h / (1 + 0x1p-18);
            int64_t steps = mote_mask_steps(reach), cells = 0;
            CHECK(steps == h, "H = %d: %lld steps", h, (long long)steps);
            int64_t steps_y = dimensions > 1 ? steps : 0, steps_z = dimensions > 2 ? steps : 0;
            for (int64_t z = -steps_z; z <= steps_z; ++z)
                for (int64_t y = -steps_y; y <= steps_y; ++y) {
                    int64_t width = mote_mask_width(reach, y, z);
                    if (width >= 0) cells += 2 * width + 1;
                }
            CHECK(cells == expected[dimensions - 1][h - 1], "%dD, H = %d: %lld cells", dimensions, h,
                  (long long)cells);
        }
}

static void every_h_finds_all(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(1, FEW, 3, 1);
    check_xyz(xyz, FEW, 0.11, "uniform");
    check_xyz(xyz, FEW, 10, "radius beyond all");
    for (int i = 0; i < 3 * FEW; ++i) xyz[i] = 0.05f * floorf(xyz[i] * 12);
    check_xyz(xyz, FEW, 0.1, "lattice");
    check_xyz(xyz, FEW, (double)nextafterf(0.1f, 0), "lattice, radius just below");
    for (int i = 0; i < 3 * FEW; ++i) xyz[i] += i % 3 == 0 ? 1e6f : -3e5f;
    check_xyz(xyz, FEW, 0.1, "lattice far away");
    free(xyz);
    for (int dimensions = 1; dimensions <= 2; ++dimensions) {
        float *x = test_points_uniform(2, FEW, dimensions, 1);
        mote_points points = mote_points_xyz(x, FEW);
        points.dimensions = dimensions;
        points.stride = dimensions * (ptrdiff_t)sizeof(float);
        mote_neighbors_def def = radius_def(dimensions == 1 ? 0.01 : 0.06, MOTE_NEIGHBORS_QUERY);
        check_set(def, points, NULL, points, NULL, "1D or 2D");
        free(x);
    }
}

static void double_points_are_compared_in_double(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(3, 3 * FEW, 3, 1);
    double *wide = malloc(9 * (size_t)FEW * sizeof *wide);
    for (int far = 0; far < 3; ++far) {
        for (int i = 0; i < 9 * FEW; ++i) wide[i] = far == 2 ? 1e3 * (double)xyz[i] : (double)xyz[i] + far * 1e7;
        mote_points points = mote_points_xyz_f64(wide, FEW), queries = mote_points_xyz_f64(wide + 3 * FEW, FEW);
        uint32_t features = MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_DISTANCES;
        check_set(radius_def(0.1, features), points, NULL, queries, NULL, "doubles");
        if (far == 2) {
            wide[4] = 1e300, wide[8] = -1e308;
            check_set(radius_def(50, features), points, NULL, queries, NULL, "doubles with outliers");
        }
    }
    free(wide);
    free(xyz);
}

// Radii over three orders of magnitude; queries with larger ones than any point has.
static void every_point_has_its_own_mask(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(4, 2 * FEW, 3, 1), *radii = test_points_uniform(5, 2 * FEW, 1, 1);
    for (int i = 0; i < 2 * FEW; ++i) radii[i] = 0.0003f / (0.001f + radii[i]) * (i < FEW ? 0.3f : 5.0f);
    radii[FEW] = 1e15f;
    for (mote_radius_rule rule = MOTE_RADIUS_MINE; rule <= MOTE_RADIUS_SUM; ++rule) {
        mote_neighbors_def def = radius_def(1, MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_QUERY);
        def.radius_rule = rule;
        check_set(def, mote_points_xyz(xyz, FEW), radii, mote_points_xyz(xyz + 3 * FEW, FEW), radii + FEW, "radii");
    }
    free(radii);
    free(xyz);
}

static void subsets_are_rows_of_the_set(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(6, FEW, 3, 1);
    mote_neighbors *search = make_search("cell_index", radius_def(0.1, MOTE_NEIGHBORS_SUBSET));
    CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, FEW), NULL));
    mote_lists all, some;
    CHECK_OK(mote_neighbors_lists(search, &all, NULL));
    uint64_t *offsets = malloc((FEW + 1) * sizeof *offsets);
    uint32_t *indices = malloc(all.total * sizeof *indices), subset[100];
    mote_lists_to_csr(&all, offsets, indices);
    for (uint32_t k = 0; k < 100; ++k) subset[k] = k * 7 % FEW;
    CHECK_OK(mote_neighbors_subset(search, subset, 100, &some, NULL));
    for (uint32_t k = 0; k < 100; ++k) {
        mote_row row = mote_lists_row(&some, k);
        uint32_t i = subset[k];
        CHECK(row.count == offsets[i + 1] - offsets[i], "row %u", k);
        assert_memory_equal(row.indices, indices + offsets[i], row.count * sizeof *indices);  // in the same order
    }
    free(offsets);
    free(indices);
    mote_neighbors_destroy(search);
    free(xyz);
}

// ------------------------------------------------------------------------------------------- keys that run out of bits

// Numbers never bring coordinates further apart, and keep their order.
static void numbers_of_slabs_keep_neighbours(void **state)
{
    (void)state;
    mote_random random = {7};
    for (int round = 0; round < 60; ++round) {
        enum { COUNT = 80 };
        uint64_t sorted[COUNT], spare[COUNT];
        slab_entry entries[COUNT];
        int scale = (int)mote_random_below(&random, 24);
        for (int i = 0; i < COUNT; ++i) {
            int64_t at = (int64_t)mote_random_below(&random, 8) << mote_random_below(&random, (uint32_t)scale + 1);
            sorted[i] = (uint64_t)((mote_random_below(&random, 2) ? at : -at) + ((int64_t)1 << 31));
        }
        CHECK_OK(mote_sort_u64(NULL, sorted, NULL, spare, NULL, COUNT));
        slab_axis axis = {entries, 0};
        mote_slabs_count(&axis, sorted, COUNT);
        uint32_t population = 1 + mote_random_below(&random, 10), gap = 2 + mote_random_below(&random, 4);
        uint64_t last = mote_slabs_last(&axis, population, gap);
        mote_slabs_number(&axis, population, gap);
        CHECK(entries[0].number == 0 && entries[axis.count - 1].number == last, "round %d", round);
        for (uint32_t m = 0; m < axis.count; ++m)
            CHECK(mote_slabs_find(&axis, entries[m].at) == entries[m].number, "round %d, entry %u", round, m);
        for (int probe = 0; probe < 200; ++probe) {
            int32_t reach = 1 << mote_random_below(&random, 8);
            int32_t near = (int32_t)(sorted[mote_random_below(&random, COUNT)] - ((uint64_t)1 << 31));
            int32_t a = near - (int32_t)mote_random_below(&random, (uint32_t)reach);
            int32_t b = near + (int32_t)mote_random_below(&random, (uint32_t)reach);
            int64_t apart = mote_slabs_find(&axis, b) - mote_slabs_find(&axis, a);
            CHECK(apart >= 0 && apart <= b - a, "round %d: %d and %d get numbers %lld apart", round, a, b,
                  (long long)apart);
        }
    }
}

// Extents of 30 bits an axis beside a dense cluster: cells are numbered anew, and the cluster still has cells enough.
static void keys_that_do_not_fit_are_numbered_anew(void **state)
{
    (void)state;
    mote_random random = {8};
    float *xyz = malloc(3 * 3 * (size_t)FEW * sizeof *xyz);
    for (int i = 0; i < 3 * 3 * FEW; ++i) {
        float unit = (float)mote_random_unit(&random);
        xyz[i] = i < 3 * 2 * FEW ? unit : (unit - 0.5f) * 1e8f;
    }
    memcpy(xyz + 3 * 2 * FEW, xyz + 3 * (2 * FEW + 1), 3 * sizeof *xyz);  // a pair out there
    check_xyz(xyz, 3 * (size_t)FEW, 0.1, "a cluster in a desert");

    mote_neighbors *search = make_search("cell_index", radius_def(0.1, 0));
    mote_lists lists;
    CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, 3 * (size_t)FEW), NULL));
    CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
    CHECK(strstr(mote_neighbors_explain(search), "renumbered"), "%s", mote_neighbors_explain(search));
    uint64_t candidates = mote_neighbors_get_counters(search).candidates;
    CHECK(candidates < (uint64_t)FEW * FEW / 2, "%llu candidates", (unsigned long long)candidates);
    xyz[0] = 3e30f;
    check_xyz(xyz, 3 * (size_t)FEW, 0.1, "with a far outlier");
    mote_neighbors_destroy(search);
    free(xyz);
}

static void radii_far_below_the_extent_cost_no_time(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(9, 20000, 3, 1);
    mote_neighbors *search = make_search("cell_index", radius_def(1e-9, MOTE_NEIGHBORS_QUERY));
    mote_lists lists;
    CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, 20000), NULL));
    CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
    CHECK(lists.total == 0, "%llu", (unsigned long long)lists.total);
    CHECK(mote_neighbors_get_counters(search).candidates < 100000, "%llu",
          (unsigned long long)mote_neighbors_get_counters(search).candidates);
    CHECK_OK(mote_neighbors_query(search, mote_points_xyz(xyz, 20000), &lists, NULL));
    CHECK(lists.total == 20000, "%llu", (unsigned long long)lists.total);
    mote_neighbors_destroy(search);
    free(xyz);
}

// ------------------------------------------------------------------------------------------------ the document's mask

static void the_documents_mask_misses_three_quarters(void **state)
{
    (void)state;
    enum { COUNT = SANITIZED ? 2000 : 6000 };
    float *xyz = test_points_uniform(10, COUNT, 3, 1);
    mote_neighbors_def def = radius_def(0.1, MOTE_NEIGHBORS_ASCENDING | MOTE_NEIGHBORS_QUERY);
    mote_neighbors *oracle = make_search("all_pairs", def);
    mote_lists truth, found;
    CHECK_OK(mote_neighbors_update(oracle, mote_points_xyz(xyz, COUNT), NULL));
    CHECK_OK(mote_neighbors_lists(oracle, &truth, NULL));
    for (def.subdivision = 1; def.subdivision <= 4; ++def.subdivision) {
        mote_neighbors *search = make_search("cell_index_approx", def);
        CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, COUNT), NULL));
        CHECK_OK(mote_neighbors_validate(search, NULL));
        CHECK_OK(mote_neighbors_lists(search, &found, NULL));
        for (uint32_t i = 0; i < COUNT; ++i) {
            mote_row a = mote_lists_row(&truth, i), b = mote_lists_row(&found, i);
            uint32_t at = 0;
            for (uint32_t k = 0; k < b.count; ++k, ++at) {
                while (at < a.count && a.indices[at] < b.indices[k]) ++at;
                CHECK(at < a.count && a.indices[at] == b.indices[k], "H = %d: row %u: %u is no neighbour",
                      def.subdivision, i, b.indices[k]);
            }
        }
        double missed = 1 - (double)found.total / (double)truth.total;
        CHECK(missed > 0.70 && missed < 0.82, "H = %d: %.3f missed", def.subdivision, missed);
        uint64_t total = found.total;
        CHECK_OK(mote_neighbors_query(search, mote_points_xyz(xyz, COUNT), &found, NULL));
        CHECK(found.total == total + COUNT, "queries find %llu", (unsigned long long)found.total);
        mote_neighbors_destroy(search);
    }
    mote_neighbors_destroy(oracle);
    free(xyz);
}

// --------------------------------------------------------------------------------------------------- failing memory

static mote_result search_in_a_desert(mote_context *context, void *data)
{
    (void)data;
    float *xyz = test_points_uniform(11, 500, 3, 1e8);
    mote_neighbors_def def = radius_def(0.1, MOTE_NEIGHBORS_QUERY);
    def.method = "cell_index";
    mote_neighbors *search = NULL;
    mote_lists lists;
    mote_result result = mote_neighbors_create(context, &def, &search, NULL);
    if (result == MOTE_OK) result = mote_neighbors_update(search, mote_points_xyz(xyz, 500), NULL);
    if (result == MOTE_OK) result = mote_neighbors_query(search, mote_points_xyz(xyz, 500), &lists, NULL);
    if (search) CHECK_OK(mote_neighbors_validate(search, NULL));
    mote_neighbors_destroy(search);
    free(xyz);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    test_failing_allocations(search_in_a_desert, NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mask_has_as_many_cells_as_it_needs),
        cmocka_unit_test(every_h_finds_all),
        cmocka_unit_test(double_points_are_compared_in_double),
        cmocka_unit_test(every_point_has_its_own_mask),
        cmocka_unit_test(subsets_are_rows_of_the_set),
        cmocka_unit_test(numbers_of_slabs_keep_neighbours),
        cmocka_unit_test(keys_that_do_not_fit_are_numbered_anew),
        cmocka_unit_test(radii_far_below_the_extent_cost_no_time),
        cmocka_unit_test(the_documents_mask_misses_three_quarters),
        cmocka_unit_test(failing_allocations),
    };
    RUN_TESTS(tests, argc, argv);
}
