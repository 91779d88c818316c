// SPDX-License-Identifier: MIT
// auto: what it chooses, from the points alone, and that it gives what its choice gives.

#include <math.h>
#include <stdio.h>

#include "mote/neighbors.h"
#include "neighbors/tested.h"
#include "support/points.h"
#include "support/test.h"

enum { MANY = SANITIZED ? 500 : 2000 };

static mote_neighbors *make_search(const char *method, uint32_t features)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.method = method;
    def.radius = 0.1;
    def.features = features;
    def.skin = 0.01;
    mote_neighbors *search;
    CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
    return search;
}

static void check_explains(mote_neighbors *search, const char *start)
{
    const char *text = mote_neighbors_explain(search);
    CHECK(strncmp(text, start, strlen(start)) == 0, "\"%s\", expected \"%s...\"", text, start);
}

static void it_is_the_default(void **state)
{
    (void)state;
    assert_string_equal(mote_neighbors_method_at(0)->name, "auto");
    assert_int_equal(mote_neighbors_auto.info.features, mote_neighbors_cell_grid.info.features);
    assert_int_equal(mote_neighbors_auto.info.features, mote_neighbors_all_pairs.info.features);
    mote_neighbors *search = make_search(NULL, 0);
    assert_string_equal(mote_neighbors_explain(search), mote_neighbors_method_at(0)->meaning);
    mote_neighbors_destroy(search);
}

static void few_points_meet_all_pairs(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(1, MANY, 3, 1);
    mote_neighbors *search = make_search(NULL, 0);
    CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, 5), NULL));
    check_explains(search, "auto: all_pairs, as 5 points");
    CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, MANY), NULL));
    check_explains(search, "auto: cell_grid, ");
    CHECK_OK(mote_neighbors_update(search, mote_points_xyz(NULL, 0), NULL));
    check_explains(search, "auto: all_pairs, as 0 points");
    mote_neighbors_destroy(search);
    free(xyz);
}

// all_pairs knows no cells: the order of so few points is that of their indices.
static void few_points_stay_in_order(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(2, 5, 3, 1);
    const uint32_t *order;
    mote_neighbors *search = make_search(NULL, MOTE_NEIGHBORS_PERMUTATION);
    CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, 5), NULL));
    check_explains(search, "auto: all_pairs");
    CHECK_OK(mote_neighbors_permutation(search, &order, NULL));
    for (uint32_t k = 0; k < 5; ++k) assert_int_equal(order[k], k);
    mote_neighbors_destroy(search);
    free(xyz);
}

// The rows, in the order of the method that was chosen, whatever was chosen before. Up to 128 points lie in one cell of
// cell_grid, where rows ascend as those of all_pairs do.
static void rows_are_those_of_the_choice(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 7, MANY, 3, MANY / 2, 24, 25, 128, 129};
    float *xyz = test_points_uniform(3, MANY, 3, 0.6);
    mote_neighbors *search = make_search(NULL, 0);
    mote_neighbors *grid = make_search("cell_grid", 0), *all = make_search("all_pairs", 0);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
        mote_points points = mote_points_xyz(xyz, counts[c]);
        mote_neighbors *same = counts[c] <= 128 ? all : grid;
        mote_lists expected, found;
        CHECK_OK(mote_neighbors_update(search, points, NULL));
        CHECK_OK(mote_neighbors_update(same, points, NULL));
        CHECK_OK(mote_neighbors_lists(search, &found, NULL));
        CHECK_OK(mote_neighbors_lists(same, &expected, NULL));
        CHECK_OK(mote_neighbors_validate(search, NULL));
        check_explains(search, counts[c] <= 24 ? "auto: all_pairs" : "auto: cell_grid");
        CHECK(found.total == expected.total, "%zu points: %llu pairs", counts[c], (unsigned long long)found.total);
        for (uint32_t i = 0; i < counts[c]; ++i) {
            mote_row a = mote_lists_row(&expected, i), b = mote_lists_row(&found, i);
            CHECK(a.count == b.count && (!a.count || !memcmp(a.indices, b.indices, a.count * sizeof *a.indices)),
                  "%zu points: row %u", counts[c], i);
        }
    }
    mote_neighbors_destroy(search);
    mote_neighbors_destroy(grid);
    mote_neighbors_destroy(all);
    free(xyz);
}

enum { LOTS = 20000 };

// Bad points are refused whatever is chosen for them, and the next good ones are taken.
static void bad_points_choose_nothing(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(4, MANY, 3, 1);
    mote_neighbors *search = make_search(NULL, 0);
    mote_lists lists;
    for (size_t count = 5; count <= MANY; count += MANY - 5) {
        xyz[3] = NAN;
        assert_int_equal(mote_neighbors_update(search, mote_points_xyz(xyz, count), NULL), MOTE_ERROR_NOT_FINITE);
        assert_int_equal(mote_neighbors_lists(search, &lists, NULL), MOTE_ERROR_STATE);
        xyz[3] = 0;
        CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, count), NULL));
        CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
    }
    mote_neighbors_destroy(search);
    free(xyz);
    // Of doubles, the box and the number of neighbours decide, which a NaN anywhere must not.
    xyz = test_points_uniform(4, LOTS, 3, 1);
    double *wide = malloc(3 * LOTS * sizeof *wide);
    assert_non_null(wide);
    search = make_search(NULL, MOTE_NEIGHBORS_F64);
    for (size_t k = 0; k < 3 * LOTS; ++k) wide[k] = (double)xyz[k];
    for (size_t at = 0; at < 3 * LOTS; at += 3 * LOTS / 2 - 1) {
        wide[at] = at == 0 ? INFINITY : NAN;
        assert_int_equal(mote_neighbors_update(search, mote_points_xyz_f64(wide, LOTS), NULL), MOTE_ERROR_NOT_FINITE);
        assert_int_equal(mote_neighbors_lists(search, &lists, NULL), MOTE_ERROR_STATE);
        wide[at] = 0;
        CHECK_OK(mote_neighbors_update(search, mote_points_xyz_f64(wide, LOTS), NULL));
        CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
    }
    mote_neighbors_destroy(search);
    free(wide);
    free(xyz);
}

static mote_result change_methods(mote_context *context, void *data)
{
    const float *xyz = data;
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = 0.1;
    mote_neighbors *search = NULL;
    mote_lists lists;
    mote_result result = mote_neighbors_create(context, &def, &search, NULL);
    for (int round = 0; round < 4 && result == MOTE_OK; ++round) {
        result = mote_neighbors_update(search, mote_points_xyz(xyz, round % 2 ? 5 : 500), NULL);
        if (result == MOTE_OK) result = mote_neighbors_lists(search, &lists, NULL);
        if (result != MOTE_OK) CHECK_OK(mote_neighbors_validate(search, NULL));
    }
    mote_neighbors_destroy(search);
    return result;
}

static void changing_without_memory(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(5, 500, 3, 1);
    test_failing_allocations(change_methods, xyz);
    free(xyz);
}

static mote_neighbors *make_with_radii(mote_radius_rule rule)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.features = MOTE_NEIGHBORS_RADII;
    def.radius_rule = rule;
    mote_neighbors *search;
    CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
    return search;
}

// What is chosen for points with these radii, by the rule "mine" and by the others.
static void check_choice(const float *xyz, const float *radii, const char *mine, const char *other)
{
    mote_points points = mote_points_xyz(xyz, MANY);
    for (int rule = MOTE_RADIUS_MINE; rule <= MOTE_RADIUS_SUM; ++rule) {
        mote_neighbors *search = make_with_radii((mote_radius_rule)rule);
        CHECK_OK(mote_neighbors_update_radii(search, points, radii, sizeof *radii, NULL));
        check_explains(search, rule == MOTE_RADIUS_MINE ? mine : other);
        mote_neighbors_destroy(search);
    }
}

static void radii_and_densities_choose(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(6, MANY, 3, 1), *radii = malloc(MANY * sizeof *radii);
    for (int i = 0; i < MANY; ++i) radii[i] = i == 3 ? 0.5f : 0.05f;
    check_choice(xyz, radii, "auto: cell_grid, as cells suit", "auto: cell_grid, as cells suit");
    mote_random random = {7};  // three decades, for less than a neighbour a point
    for (int i = 0; i < MANY; ++i) radii[i] = (float)(0.02 * pow(10, -3 * mote_random_unit(&random)));
    check_choice(xyz, radii, "auto: cell_grid, as cells suit", "auto: kd_tree, as cells would need 6 or more sizes");
    for (int i = 0; i < MANY; ++i) radii[i] *= 20;
    check_choice(xyz, radii, "auto: cell_grid, as cells suit", "auto: cell_grid, as cells suit");
    for (int i = 0; i < MANY; ++i) {  // radii that follow a density which grows towards the middle, over four decades
        float *at = xyz + 3 * i;
        const double length = sqrt((double)(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]));
        const double distance = pow(10, -4 * mote_random_unit(&random));
        for (int k = 0; k < 3; ++k) at[k] = (float)((double)at[k] / length * distance);
        radii[i] = (float)(0.5 * distance);
    }
    check_choice(xyz, radii, "auto: kd_tree, as radii or densities vary", "auto: cell_grid, as cells suit");
    radii[3] = NAN;
    mote_neighbors *search = make_with_radii(MOTE_RADIUS_MINE);
    assert_int_equal(mote_neighbors_update_radii(search, mote_points_xyz(xyz, MANY), radii, sizeof *radii, NULL),
                     MOTE_ERROR_ARGUMENT);
    mote_neighbors_destroy(search);
    free(xyz);
    free(radii);
}

typedef enum cloud { EVEN, SHEET, LINE, DECADES } cloud;

// Points in a unit cube: even, on a sheet or a line across it, or with distances from the middle over six decades.
static void make_cloud(cloud shape, const float *even, double *to)
{
    for (size_t i = 0; i < LOTS; ++i)
        for (size_t k = 0; k < 3; ++k) {
            const double x = (double)even[3 * i + (shape == LINE ? 0 : shape == SHEET && k == 2 ? 1 : k)] - 0.5;
            to[3 * i + k] = shape == DECADES ? x * exp(-13.8 * (double)i / LOTS) : x;
        }
}

static void check_choice_of(mote_points points, double radius, const char *expected)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = radius;
    def.features = points.scalar == MOTE_F64 ? MOTE_NEIGHBORS_F64 : 0;
    mote_neighbors *search;
    CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
    CHECK_OK(mote_neighbors_update(search, points, NULL));
    check_explains(search, expected);
    CHECK_OK(mote_neighbors_validate(search, NULL));
    mote_neighbors_destroy(search);
}

// Points with one radius have cells, however they are distributed: with many neighbours or hardly any, with an outlier
// along one axis or all. Doubles with hardly any, in a box too wide for floats, have cell_index.
static void one_radius_chooses_cells(void **state)
{
    (void)state;
    static const char cells[] = "auto: cell_grid, the fastest", keys[] = "auto: cell_index, as double points";
    static const struct {
        cloud shape;
        double outlier;
        double radius;
        const char *of_doubles;
    } cases[] = {
        {EVEN, 0, 0.01, cells},      {EVEN, 0, 1e-8, keys},       {SHEET, 0, 0.01, cells},
        {SHEET, 0, 1e-6, keys},      {LINE, 0, 1e-3, cells},      {LINE, 0, 1e-8, keys},
        {EVEN, 1e3, 0.01, keys},     {EVEN, 1e3, 0.05, cells},    {EVEN, -1e12, 0.01, keys},
        {EVEN, -1e12, 0.05, cells},  {DECADES, 0, 3e-6, cells},   {DECADES, 0, 1e-8, keys},
    };
    float *even = test_points_uniform(10, LOTS, 3, 1), *xyz = malloc(3 * LOTS * sizeof *xyz);
    double *wide = malloc(3 * LOTS * sizeof *wide);
    assert_true(xyz && wide);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c += SEEKS_RACES ? 4 : 1)
        for (size_t axes = cases[c].outlier == 0 ? 3 : 1; axes <= 3; ++axes) {
            make_cloud(cases[c].shape, even, wide);
            for (size_t k = 0; k < axes && cases[c].outlier != 0; ++k) wide[k] = cases[c].outlier;
            for (size_t k = 0; k < 3 * LOTS; ++k) xyz[k] = (float)wide[k];
            check_choice_of(mote_points_xyz(xyz, LOTS), cases[c].radius, cells);
            check_choice_of(mote_points_xyz_f64(wide, LOTS), cases[c].radius, cases[c].of_doubles);
        }
    free(even);
    free(wide);
    free(xyz);
}

// How cells are kept, and that nearest points have a tree of their own.
static void the_structure_is_told(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(8, MANY, 3, 1);
    mote_neighbors *search = make_search(NULL, MOTE_NEIGHBORS_NEAREST);
    CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, MANY), NULL));
    const char *text = mote_neighbors_explain(search);
    CHECK(strstr(text, "in a dense table of ") && strstr(text, "; k nearest by k-d tree"), "%s", text);
    char cells[64];
    snprintf(cells, sizeof cells, "; %d points in %llu occupied cells, ", MANY,
             (unsigned long long)mote_neighbors_get_counters(search).cells);
    CHECK(strstr(text, cells), "%s, expected %s", text, cells);
    xyz[0] = 1e6f;
    CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, MANY), NULL));
    CHECK(strstr(mote_neighbors_explain(search), "sorted by cell (a table"), "%s", mote_neighbors_explain(search));
    mote_neighbors_destroy(search);
    search = make_search("cell_grid", MOTE_NEIGHBORS_SKIN);
    CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, MANY), NULL));
    check_explains(search, "cell_grid: ");
    mote_neighbors_destroy(search);
    free(xyz);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_default),
        cmocka_unit_test(few_points_meet_all_pairs),
        cmocka_unit_test(few_points_stay_in_order),
        cmocka_unit_test(rows_are_those_of_the_choice),
        cmocka_unit_test(bad_points_choose_nothing),
        cmocka_unit_test(changing_without_memory),
        cmocka_unit_test(radii_and_densities_choose),
        cmocka_unit_test(one_radius_chooses_cells),
        cmocka_unit_test(the_structure_is_told),
    };
    RUN_TESTS(tests, argc, argv);
}
