// SPDX-License-Identifier: MIT
// The kd-tree and the k nearest: against all pairs, feature by feature, and in periodic boxes.

#include <float.h>

#include "base/tested.h"
#include "mote/neighbors.h"
#include "neighbors/tested.h"
#include "support/points.h"
#include "support/test.h"

enum { SOME = SANITIZED ? 120 : 300 };

// -------------------------------------------------------------------------------------------------------- comparing

static void check_same_rows(const mote_lists *a, const mote_lists *b, const char *what)
{
    CHECK(a->count == b->count && a->total == b->total, "%s: %zu rows, %llu neighbours, expected %zu and %llu", what,
          b->count, (unsigned long long)b->total, a->count, (unsigned long long)a->total);
    for (uint32_t i = 0; i < a->count; ++i) {
        mote_row x = mote_lists_row(a, i), y = mote_lists_row(b, i);
        CHECK(x.count == y.count, "%s: row %u has %u neighbours, expected %u", what, i, y.count, x.count);
        for (uint32_t k = 0; k < x.count; ++k) {
            CHECK(x.indices[k] == y.indices[k], "%s: row %u at %u: %u, expected %u", what, i, k, y.indices[k],
                  x.indices[k]);
            if (x.squared) CHECK(x.squared[k] == y.squared[k], "%s: row %u at %u: distance", what, i, k);
            if (x.squared_f64) CHECK(x.squared_f64[k] == y.squared_f64[k], "%s: row %u at %u: distance", what, i, k);
            for (uint32_t c = 3 * k; c < 3 * k + 3; ++c) {
                if (x.differences) CHECK(x.differences[c] == y.differences[c], "%s: row %u: difference", what, i);
                if (x.differences_f64)
                    CHECK(x.differences_f64[c] == y.differences_f64[c], "%s: row %u: difference", what, i);
                if (x.shifts)
                    CHECK(x.shifts[c] == y.shifts[c], "%s: row %u at %u: shift %d, expected %d", what, i, k,
                          x.shifts[c], y.shifts[c]);
            }
        }
    }
}

static mote_neighbors *make_search(const mote_neighbors_def *def, const char *method)
{
    mote_neighbors_def own = *def;
    own.method = method;
    mote_neighbors *search;
    CHECK_OK(mote_neighbors_create(NULL, &own, &search, NULL));
    return search;
}

// The k nearest of every method that offers them against all pairs: own points, many queries, and a few.
static void check_nearest(mote_points points, uint32_t columns, uint32_t k, const char *what)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = 1;
    def.features = MOTE_NEIGHBORS_NEAREST | MOTE_NEIGHBORS_QUERY | columns;
    if (points.scalar == MOTE_F64) def.features |= MOTE_NEIGHBORS_F64;
    const size_t query_counts[] = {points.count / 3, points.count / 40};
    mote_points queries = points;
    mote_neighbors *oracle = make_search(&def, "all_pairs");
    CHECK_OK(mote_neighbors_update(oracle, points, NULL));
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
        if (def.features & ~info->features) continue;
        mote_neighbors *search = make_search(&def, info->name);
        mote_lists expected, found;
        CHECK_OK(mote_neighbors_update(search, points, NULL));
        CHECK_OK(mote_neighbors_nearest(oracle, NULL, k, &expected, NULL));
        CHECK_OK(mote_neighbors_nearest(search, NULL, k, &found, NULL));
        check_same_rows(&expected, &found, what);
        for (int q = 0; q < 2; ++q) {
            queries.count = query_counts[q];
            CHECK_OK(mote_neighbors_nearest(oracle, &queries, k, &expected, NULL));
            CHECK_OK(mote_neighbors_nearest(search, &queries, k, &found, NULL));
            check_same_rows(&expected, &found, what);
        }
        mote_neighbors_destroy(search);
    }
    mote_neighbors_destroy(oracle);
}

static void check_counts(mote_points points, const char *what)
{
    const uint32_t columns = MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES | MOTE_NEIGHBORS_PERIODIC;
    const uint32_t counts[] = {1, 8, 40, (uint32_t)points.count + 5};
    for (int c = SEEKS_RACES; c < 4; c += 1 + SEEKS_RACES) check_nearest(points, 0, counts[c], what);
    if (points.scalar == MOTE_F64) {
        check_nearest(points, columns, 32, what);
        return;
    }
    double *xyz = calloc(3 * points.count + 1, sizeof *xyz);  // the same as doubles
    for (size_t i = 0; i < 3 * points.count; ++i) xyz[i] = mote_points_get(&points, i / 3, (int)(i % 3));
    mote_points doubles = mote_points_xyz_f64(xyz, points.count);
    doubles.dimensions = points.dimensions;
    check_nearest(doubles, columns, 7, what);
    check_nearest(doubles, 0, 32, what);
    free(xyz);
}

// -------------------------------------------------------------------------------------------------------- k nearest

static void nearest_of_random_points(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(1, SOME, 3, 1);
    check_counts(mote_points_xyz(xyz, SOME), "uniform");
    for (int d = 0; d < 3; ++d) {
        xyz[3 * d] = d % 2 ? 1e9f : -1e18f;
        check_counts(mote_points_xyz(xyz, SOME), "far outliers");
    }
    free(xyz);
    xyz = test_points_clustered(2, SOME);
    check_counts(mote_points_xyz(xyz, SOME), "clusters");
    free(xyz);
}

static void nearest_in_one_and_two_dimensions(void **state)
{
    (void)state;
    for (int dimensions = 1; dimensions <= 2; ++dimensions) {
        float *x = test_points_uniform(3, SOME, dimensions, 1);
        mote_points points = mote_points_xyz(x, SOME);
        points.dimensions = dimensions;
        points.stride = dimensions * (ptrdiff_t)sizeof(float);
        check_counts(points, "1D or 2D");
        free(x);
    }
}

// Most distances tie: rows must fall by index.
static void nearest_on_a_lattice(void **state)
{
    (void)state;
    mote_random random = {4};
    enum { SIDE = SANITIZED ? 5 : 8, MANY = SIDE * SIDE * SIDE };
    float xyz[3 * MANY];
    for (int i = 0; i < MANY; ++i) {
        int at = (i * 37) % MANY;  // not in lattice order
        xyz[3 * at] = (float)(i % SIDE);
        xyz[3 * at + 1] = (float)(i / SIDE % SIDE);
        xyz[3 * at + 2] = (float)(i / (SIDE * SIDE));
    }
    check_counts(mote_points_xyz(xyz, MANY), "lattice");
    for (int i = 0; i < 3 * MANY; ++i) xyz[i] = (float)mote_random_below(&random, 3);
    check_counts(mote_points_xyz(xyz, MANY), "few places");
}

static void nearest_of_coincident_points(void **state)
{
    (void)state;
    float *xyz = calloc(3 * SOME, sizeof *xyz);
    check_counts(mote_points_xyz(xyz, SOME), "all coincident");
    check_counts(mote_points_xyz(xyz, 1), "one point");
    check_counts(mote_points_xyz(xyz, 2), "two points");
    check_counts(mote_points_xyz(NULL, 0), "no point");
    free(xyz);
}

// A hundred thousand points at one place cost no more than others: each row prunes by index.
static void check_coincident(bool is_f64)
{
    const size_t count = SANITIZED ? 20000 : 100000;
    void *xyz = calloc(3 * count, sizeof(double));
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = 1;
    def.features = MOTE_NEIGHBORS_NEAREST | (is_f64 ? MOTE_NEIGHBORS_F64 : 0);
    const mote_points points = is_f64 ? mote_points_xyz_f64(xyz, count) : mote_points_xyz(xyz, count);
    mote_neighbors *search = make_search(&def, "kd_tree");
    mote_lists lists;
    CHECK_OK(mote_neighbors_update(search, points, NULL));
    CHECK_OK(mote_neighbors_nearest(search, NULL, 4, &lists, NULL));
    for (uint32_t i = 0; i < count; ++i) {
        mote_row row = mote_lists_row(&lists, i);
        for (uint32_t k = 0; k < 4; ++k) CHECK(row.indices[k] == k + (i <= k), "row %u at %u", i, k);
    }
    // On the way to the root a query meets a leaf of 16 points a level at most, each with smaller indices.
    CHECK(mote_neighbors_get_counters(search).candidates < 16 * 17 * count, "%llu candidates",
          (unsigned long long)mote_neighbors_get_counters(search).candidates);
    mote_neighbors_destroy(search);
    free(xyz);
}

static void many_coincident_points_are_no_cliff(void **state)
{
    (void)state;
    check_coincident(false);
    check_coincident(true);
}

// Squares that overflow or underflow: distances that tie at infinity or 0.
static void nearest_over_all_magnitudes(void **state)
{
    (void)state;
    mote_random random = {5};
    float *xyz = malloc(3 * SOME * sizeof *xyz);
    for (int i = 0; i < 3 * SOME; ++i) {
        float x = ldexpf((float)mote_random_unit(&random) + 0.5f, (int)mote_random_below(&random, 250) - 125);
        xyz[i] = mote_random_below(&random, 2) ? x : -x;
    }
    check_counts(mote_points_xyz(xyz, SOME), "all magnitudes");
    for (int i = 0; i < 3 * SOME; ++i) xyz[i] = ldexpf((float)mote_random_unit(&random), -80);
    check_counts(mote_points_xyz(xyz, SOME), "squares below the smallest number");
    free(xyz);
}

// Differences that floats do not see, far from the origin.
static void nearest_of_double_points(void **state)
{
    (void)state;
    mote_random random = {6};
    double *xyz = malloc(3 * SOME * sizeof *xyz);
    for (int i = 0; i < 3 * SOME; ++i) xyz[i] = 1e6 + 1e-6 * mote_random_unit(&random);
    check_counts(mote_points_xyz_f64(xyz, SOME), "double points");
    free(xyz);
}

// Queries of the same number as the points are sorted by leaf.
static mote_result find_nearest_twice(mote_context *context, void *data)
{
    const char *method = data;
    float *xyz = test_points_uniform(7, SOME, 3, 1);
    const mote_points points = mote_points_xyz(xyz, SOME);
    mote_neighbors_def def = mote_neighbors_default_def();
    def.method = method;
    def.radius = 0.1;
    def.features = MOTE_NEIGHBORS_NEAREST | MOTE_NEIGHBORS_QUERY;
    mote_neighbors *search = NULL;
    mote_lists lists;
    mote_result result = mote_neighbors_create(context, &def, &search, NULL);
    for (int round = 0; round < 2 && result == MOTE_OK; ++round) {
        result = mote_neighbors_update(search, points, NULL);
        if (result == MOTE_OK) result = mote_neighbors_nearest(search, NULL, 60, &lists, NULL);
        if (result == MOTE_OK) result = mote_neighbors_nearest(search, &points, 8, &lists, NULL);
        if (result != MOTE_OK) CHECK_OK(mote_neighbors_validate(search, NULL));
    }
    mote_neighbors_destroy(search);
    free(xyz);
    return result;
}

static void nearest_without_memory(void **state)
{
    (void)state;
    test_failing_allocations(find_nearest_twice, (void *)(uintptr_t) "kd_tree");
    test_failing_allocations(find_nearest_twice, (void *)(uintptr_t) "cell_grid");
}

// The tree is the first member of the method's state.
static void check_groups(bool is_f64)
{
    static nearest_group plain, wide;
    uint32_t found = 0, tried = 0;
    float *xyz = malloc(3 * SOME * sizeof *xyz);
    double *doubles = malloc(3 * SOME * sizeof *doubles);
    mote_random random = {8};
    for (int i = 0; i < 3 * SOME; ++i)
        doubles[i] = xyz[i] = (float)mote_random_below(&random, 12);  // many are equally far
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = 1;
    def.features = is_f64 ? MOTE_NEIGHBORS_F64 : 0;
    mote_neighbors *search = make_search(&def, "kd_tree");
    const mote_points points = is_f64 ? mote_points_xyz_f64(doubles, SOME) : mote_points_xyz(xyz, SOME);
    CHECK_OK(mote_neighbors_update(search, points, NULL));
    plain.tree = search->state;
    for (mote_simd form = MOTE_SIMD_AVX2; form <= MOTE_SIMD_128; ++form)
        for (uint32_t n = 0; mote_cpu_has(form) && n < 4 * NEAREST_FEW; ++n) {
            const uint32_t leaf = mote_random_below(&random, mote_kd_leaf_count(plain.tree));
            plain.wanted = 1 + n % NEAREST_FEW, plain.count = 1 + n % NEAREST_GROUP, plain.candidates = 0;
            for (uint32_t q = 0; q < plain.count; ++q) {
                plain.self[q] = plain.tree->index[mote_kd_leaf_begin(plain.tree, leaf) + q % 4];
                mote_point_store_get(&search->points, plain.self[q], plain.at[q]);
            }
            wide = plain;
            mote_neighbors_lanes(MOTE_SIMD_PLAIN)->nearest(&plain, leaf);
            mote_neighbors_lanes(form)->nearest(&wide, leaf);
            CHECK(plain.candidates == wide.candidates, "%llu and %llu candidates",
                  (unsigned long long)plain.candidates, (unsigned long long)wide.candidates);
            for (uint32_t q = 0; q < plain.count; ++q) {
                CHECK(plain.is_found[q] == wide.is_found[q], "only one form finds query %u", q);
                tried += 1;
                if (!plain.is_found[q]) continue;
                found += 1;
                assert_memory_equal(plain.index[q], wide.index[q], plain.wanted * sizeof(uint32_t));
                assert_memory_equal(plain.squared[q], wide.squared[q], plain.wanted * sizeof(double));
            }
        }
    CHECK(2 * found >= tried, "groups find %u of %u queries", found, tried);
    mote_neighbors_destroy(search);
    free(doubles);
    free(xyz);
}

// Groups find the same, and test as many points, in every form.
static void groups_are_the_same_in_all_forms(void **state)
{
    (void)state;
    check_groups(false);
    check_groups(true);
}

// The k nearest of each point by the tree alone, against all pairs.
static void check_own_nearest(mote_points points, uint32_t k, const char *what)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = 1;
    def.features = MOTE_NEIGHBORS_NEAREST | MOTE_NEIGHBORS_DISTANCES;
    if (points.scalar == MOTE_F64) def.features |= MOTE_NEIGHBORS_F64;
    mote_neighbors *search[] = {make_search(&def, "all_pairs"), make_search(&def, "kd_tree")};
    mote_lists lists[2];
    for (int s = 0; s < 2; ++s) {
        CHECK_OK(mote_neighbors_update(search[s], points, NULL));
        CHECK_OK(mote_neighbors_nearest(search[s], NULL, k, &lists[s], NULL));
    }
    check_same_rows(&lists[0], &lists[1], what);
    for (int s = 0; s < 2; ++s) mote_neighbors_destroy(search[s]);
}

// Crowds that groups cannot gather, a hundred points at a place, and sparse points, side by side, for numbers at which
// groups do something else.
static void crowds_are_left_by_groups(void **state)
{
    (void)state;
    enum { COUNT = SANITIZED ? 900 : 2000 };
    static const uint32_t numbers[] = {9, 10, 19, 20, 32};
    float *xyz = test_points_uniform(6, COUNT, 3, 1);
    double *doubles = malloc(3 * COUNT * sizeof *doubles);
    mote_random random = {9};
    for (int i = COUNT / 3; i < COUNT; ++i)
        for (int k = 0; k < 3; ++k)
            xyz[3 * i + k] = i < COUNT * 2 / 3 ? 0.5f + 0.01f * (float)mote_random_unit(&random)
                                               : (float)(i / 100) / 32;
    for (int i = 0; i < 3 * COUNT; ++i) doubles[i] = xyz[i];
    for (size_t n = SEEKS_RACES * 4; n < sizeof numbers / sizeof *numbers; ++n) {
        check_own_nearest(mote_points_xyz(xyz, COUNT), numbers[n], "crowds of floats");
        check_own_nearest(mote_points_xyz_f64(doubles, COUNT), numbers[n], "crowds of doubles");
    }
    free(doubles);
    free(xyz);
}

// ---------------------------------------------------------------------------------------------------- periodic boxes

// The k nearest by the tree in a periodic box, whatever the methods offer, against all pairs.
static void check_nearest_in_box(const mote_neighbors_def *def, mote_points points, mote_points queries, uint32_t k,
                                 const char *what)
{
    neighbors_method by_tree = mote_neighbors_all_pairs;
    by_tree.find_nearest = mote_nearest_find;
    mote_neighbors *oracle = make_search(def, "all_pairs"), *search = make_search(def, "all_pairs");
    search->method = &by_tree;
    mote_lists expected, found;
    CHECK_OK(mote_neighbors_update(oracle, points, NULL));
    CHECK_OK(mote_neighbors_update(search, points, NULL));
    CHECK_OK(mote_neighbors_nearest(oracle, NULL, k, &expected, NULL));
    CHECK_OK(mote_neighbors_nearest(search, NULL, k, &found, NULL));
    check_same_rows(&expected, &found, what);
    CHECK_OK(mote_neighbors_nearest(oracle, &queries, k, &expected, NULL));
    CHECK_OK(mote_neighbors_nearest(search, &queries, k, &found, NULL));
    check_same_rows(&expected, &found, what);
    mote_neighbors_destroy(oracle);
    mote_neighbors_destroy(search);
}

static mote_neighbors_def box_def(void)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = 1;
    def.features = MOTE_NEIGHBORS_NEAREST | MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_DISTANCES |
                   MOTE_NEIGHBORS_DIFFERENCES;
    return def;
}

// Slanted boxes with one to three periods, points anywhere, in float and in double.
static void nearest_in_random_boxes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (SEEKS_RACES ? 2 : SANITIZED ? 4 : 12); ++seed) {
        mote_random random = {seed};
        mote_neighbors_def def = box_def();
        double *edges = &def.period[0].x;
        for (int e = 0; e < 9; ++e) edges[e] = 0.6 * mote_random_unit(&random) - 0.3;
        for (int a = 0; a < 3; ++a) {
            edges[4 * a] += 1;
            if (mote_random_below(&random, 3) == 0 && a > 0) memset(edges + 3 * a, 0, 3 * sizeof *edges);
        }
        def.period_origin = (mote_vec3){mote_random_unit(&random), -3, 0};
        double spread = mote_random_below(&random, 2) ? 1 : 9;
        size_t count = 1 + mote_random_below(&random, 60);
        float xyz[3 * 60];
        double xyz64[3 * 60];
        for (int i = 0; i < 3 * 60; ++i) xyz[i] = (float)(xyz64[i] = spread * (mote_random_unit(&random) - 0.5));
        char what[64];
        snprintf(what, sizeof what, "box of seed %d", (int)seed);
        for (uint32_t k = 1; k <= 50; k += 7)
            check_nearest_in_box(&def, mote_points_xyz(xyz, count), mote_points_xyz(xyz + 90, 20), k, what);
        def.features |= MOTE_NEIGHBORS_F64;
        check_nearest_in_box(&def, mote_points_xyz_f64(xyz64, count), mote_points_xyz_f64(xyz64 + 90, 20), 9, what);
    }
}

// Far off along an open axis the test rounds away whole periods: many images tie, of which indices and shifts decide.
static void nearest_from_far_away(void **state)
{
    (void)state;
    enum { COUNT = 30 };
    mote_random random = {77};
    float xyz[3 * COUNT], far[3 * 6];
    double xyz64[3 * COUNT], far64[3 * 6];
    for (int slant = 0; slant < 2; ++slant)
        for (int both = 0; both < 2; ++both) {
            mote_neighbors_def def = box_def();
            def.period[0] = (mote_vec3){1, slant ? 0.3 : 0, 0};
            if (both) def.period[1] = (mote_vec3){slant ? -0.2 : 0, 0.7, slant ? 0.1 : 0};
            for (int i = 0; i < COUNT; ++i)
                for (int k = 0; k < 3; ++k) xyz64[3 * i + k] = 3 * mote_random_unit(&random);  // in the box or not
            const double away = both ? 1e4 : 3e5, sign[2] = {1, -1};
            for (int q = 0; q < 6; ++q)
                for (int k = 0; k < 3; ++k)
                    far64[3 * q + k] = k == 2 ? sign[q % 2] * away * (1 + q / 2) : 5 * mote_random_unit(&random);
            for (int i = 0; i < 3 * COUNT; ++i) xyz[i] = (float)xyz64[i];
            for (int i = 0; i < 3 * 6; ++i) far[i] = (float)far64[i];
            const size_t queries = SANITIZED ? 2 : 6;
            for (uint32_t k = 1; k <= 50; k += 49)
                check_nearest_in_box(&def, mote_points_xyz(xyz, COUNT), mote_points_xyz(far, queries), k, "far off");
            def.features |= MOTE_NEIGHBORS_F64;
            check_nearest_in_box(&def, mote_points_xyz_f64(xyz64, COUNT), mote_points_xyz_f64(far64, queries), 9,
                                 "far off in double");
        }
}

// Every distance ties with many others: shifts decide.
static void nearest_on_a_periodic_lattice(void **state)
{
    (void)state;
    mote_neighbors_def def = box_def();
    def.period[0].x = def.period[1].y = def.period[2].z = 4;
    float xyz[3 * 64];
    for (int i = 0; i < 64; ++i) {
        xyz[3 * i] = (float)(i % 4);
        xyz[3 * i + 1] = (float)(i / 4 % 4) - 8;  // outside of the box
        xyz[3 * i + 2] = (float)(i / 16) + 400;
    }
    for (uint32_t k = 1; k < 140; k += 23)
        check_nearest_in_box(&def, mote_points_xyz(xyz, 64), mote_points_xyz(xyz, 10), k, "periodic lattice");
    check_nearest_in_box(&def, mote_points_xyz(xyz, 1), mote_points_xyz(xyz, 10), 50, "images of one point");
    memset(def.period, 0, sizeof def.period);
    check_nearest_in_box(&def, mote_points_xyz(xyz, 64), mote_points_xyz(xyz, 10), 80, "no period at all");
    def.period[1].y = 4;
    check_nearest_in_box(&def, mote_points_xyz(xyz, 0), mote_points_xyz(xyz, 10), 3, "no points");
}

// A thin box, and points far away along the open axis.
static void nearest_in_a_flat_box(void **state)
{
    (void)state;
    mote_neighbors_def def = box_def();
    def.period[0].x = 20;
    def.period[1].y = 0.5;
    float *xyz = test_points_uniform(9, 100, 3, 1);
    xyz[2] = 300;
    xyz[5] = -1e4f;
    check_nearest_in_box(&def, mote_points_xyz(xyz, 100), mote_points_xyz(xyz, 30), 12, "flat box");
    free(xyz);
}

// ---------------------------------------------------------------------------------------------- rows within a radius

static void check_features(const mote_neighbors_def *def, mote_points points, const void *radii, const char *what)
{
    ptrdiff_t stride = points.scalar == MOTE_F64 ? sizeof(double) : sizeof(float);
    mote_neighbors *oracle = make_search(def, "all_pairs"), *search = make_search(def, "kd_tree");
    mote_neighbors *searches[] = {oracle, search};
    mote_points queries = points;
    queries.count = points.count / 4;
    uint32_t subset[50];
    for (uint32_t k = 0; k < 50; ++k) subset[k] = (k * 71) % (uint32_t)points.count;
    mote_lists lists[2];
    for (int s = 0; s < 2; ++s) {
        if (radii)
            CHECK_OK(mote_neighbors_update_radii(searches[s], points, radii, stride, NULL));
        else
            CHECK_OK(mote_neighbors_update(searches[s], points, NULL));
        CHECK_OK(mote_neighbors_validate(searches[s], NULL));
        CHECK_OK(mote_neighbors_lists(searches[s], &lists[s], NULL));
    }
    check_same_rows(&lists[0], &lists[1], what);
    for (int s = 0; s < 2; ++s) CHECK_OK(mote_neighbors_subset(searches[s], subset, 50, &lists[s], NULL));
    check_same_rows(&lists[0], &lists[1], what);
    for (int s = 0; s < 2; ++s) {
        if (radii)
            CHECK_OK(mote_neighbors_query_radii(searches[s], queries, radii, stride, &lists[s], NULL));
        else
            CHECK_OK(mote_neighbors_query(searches[s], queries, &lists[s], NULL));
    }
    check_same_rows(&lists[0], &lists[1], what);
    mote_neighbors_destroy(oracle);
    mote_neighbors_destroy(search);
}

static void rows_with_all_features(void **state)
{
    (void)state;
    const uint32_t always = MOTE_NEIGHBORS_ASCENDING | MOTE_NEIGHBORS_SUBSET | MOTE_NEIGHBORS_QUERY;
    const uint32_t columns = MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES;
    float *xyz = test_points_clustered(10, SOME), *radii = malloc(SOME * sizeof *radii);
    double *xyz64 = malloc(3 * SOME * sizeof *xyz64), *radii64 = malloc(SOME * sizeof *radii64);
    mote_random random = {11};
    for (int i = 0; i < 3 * SOME; ++i) xyz64[i] = 1e5 + (double)xyz[i];
    for (int i = 0; i < SOME; ++i) radii[i] = (float)(radii64[i] = pow(10, -3 * mote_random_unit(&random)));
    for (uint32_t features = 0; features < 16; ++features) {
        mote_neighbors_def def = mote_neighbors_default_def();
        def.radius = 0.07;
        def.features = always | (features & 1 ? columns : 0) | (features & 2 ? MOTE_NEIGHBORS_HALF : 0);
        mote_points points = mote_points_xyz(xyz, SOME);
        if (features & 4) {
            def.features |= MOTE_NEIGHBORS_F64;
            points = mote_points_xyz_f64(xyz64, SOME);
        }
        if (!(features & 8)) {
            check_features(&def, points, NULL, "one radius");
            continue;
        }
        def.features |= MOTE_NEIGHBORS_RADII;
        for (def.radius_rule = MOTE_RADIUS_MINE; def.radius_rule <= MOTE_RADIUS_SUM; ++def.radius_rule) {
            if (def.radius_rule == MOTE_RADIUS_MINE && (features & 2)) continue;
            check_features(&def, points, features & 4 ? (void *)radii64 : (void *)radii, "a radius each");
        }
    }
    free(xyz);
    free(xyz64);
    free(radii);
    free(radii64);
}

// Rows come by leaf, then by index, plain or not, of one point or of all.
static void order_does_not_depend_on_features(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(12, SOME, 3, 1);
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = 0.2;
    mote_neighbors *plain = make_search(&def, "kd_tree");
    def.features = MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_QUERY;
    mote_neighbors *rich = make_search(&def, "kd_tree");
    mote_lists a, b;
    CHECK_OK(mote_neighbors_update(plain, mote_points_xyz(xyz, SOME), NULL));
    CHECK_OK(mote_neighbors_update(rich, mote_points_xyz(xyz, SOME), NULL));
    CHECK_OK(mote_neighbors_lists(plain, &a, NULL));
    CHECK_OK(mote_neighbors_lists(rich, &b, NULL));
    b.squared = NULL;
    check_same_rows(&a, &b, "order");
    mote_neighbors_destroy(plain);
    mote_neighbors_destroy(rich);
    free(xyz);
}

static void broken_trees_are_found(void **state)
{
    mote_error error = {0};
    (void)state;
    float *xyz = test_points_uniform(13, SOME, 3, 1);
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = 0.2;
    mote_neighbors *search = make_search(&def, "kd_tree");
    CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, SOME), &error));
    CHECK_OK(mote_neighbors_validate(search, &error));
    kd_tree *tree = search->state;  // the first member
    float x = tree->f32[0][7];
    tree->f32[0][7] = 2;
    assert_int_equal(mote_neighbors_validate(search, &error), MOTE_ERROR_STATE);
    tree->f32[0][7] = x;
    tree->boxes_f32[6 * 1 + 3] = 0.5f;  // the root's largest x
    assert_int_equal(mote_neighbors_validate(search, &error), MOTE_ERROR_STATE);
    assert_string_equal(error.text, "kd_tree: node 1 does not hold its child's box");
    tree->boxes_f32[6 * 1 + 3] = 1;
    tree->splits[3].at = 2;
    assert_int_equal(mote_neighbors_validate(search, &error), MOTE_ERROR_STATE);
    assert_string_equal(error.text, "kd_tree: node 3 has a point on the wrong side of its split");
    mote_neighbors_destroy(search);
    free(xyz);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_of_random_points),
        cmocka_unit_test(nearest_in_one_and_two_dimensions),
        cmocka_unit_test(nearest_on_a_lattice),
        cmocka_unit_test(nearest_of_coincident_points),
        cmocka_unit_test(many_coincident_points_are_no_cliff),
        cmocka_unit_test(nearest_over_all_magnitudes),
        cmocka_unit_test(nearest_of_double_points),
        cmocka_unit_test(nearest_without_memory),
        cmocka_unit_test(groups_are_the_same_in_all_forms),
        cmocka_unit_test(crowds_are_left_by_groups),
        cmocka_unit_test(nearest_in_random_boxes),
        cmocka_unit_test(nearest_from_far_away),
        cmocka_unit_test(nearest_on_a_periodic_lattice),
        cmocka_unit_test(nearest_in_a_flat_box),
        cmocka_unit_test(rows_with_all_features),
        cmocka_unit_test(order_does_not_depend_on_features),
        cmocka_unit_test(broken_trees_are_found),
    };
    RUN_TESTS(tests, argc, argv);
}
