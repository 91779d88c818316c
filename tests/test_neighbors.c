// SPDX-License-Identifier: MIT
// Neighbour search: every method of the table against all pairs, on sets made to break it.

#include <float.h>

#include "mote/neighbors.h"
#include "support/compare.h"
#include "support/points.h"
#include "support/test.h"

enum { FEW = SANITIZED ? 1000 : 4000, MANY = SANITIZED ? 3000 : 20000 };

// -------------------------------------------------------------------------------------------- comparing methods

// All other methods, with ascending rows, against all pairs.
static void check_methods(mote_points points, double radius, const char *set)
{
    mote_neighbors *oracle = test_make_search(NULL, "all_pairs", radius, MOTE_NEIGHBORS_ASCENDING);
    mote_lists expected, found;
    CHECK_OK(mote_neighbors_update(oracle, points, NULL));
    CHECK_OK(mote_neighbors_validate(oracle, NULL));
    CHECK_OK(mote_neighbors_lists(oracle, &expected, NULL));
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
        if (!info->exact || strcmp(info->name, "all_pairs") == 0) continue;
        mote_neighbors *search = test_make_search(NULL, info->name, radius, MOTE_NEIGHBORS_ASCENDING);
        CHECK_OK(mote_neighbors_update(search, points, NULL));
        CHECK_OK(mote_neighbors_validate(search, NULL));
        CHECK_OK(mote_neighbors_lists(search, &found, NULL));
        test_check_same_rows(&expected, &found, info->name, set);
        mote_neighbors_destroy(search);
    }
    mote_neighbors_destroy(oracle);
}

static void check_xyz(const float *xyz, size_t count, double radius, const char *set)
{
    check_methods(mote_points_xyz(xyz, count), radius, set);
}

// ------------------------------------------------------------------------------------------------ adversarial sets

static void empty_and_one(void **state)
{
    (void)state;
    float one[3] = {1, 2, 3};
    check_xyz(NULL, 0, 1, "empty");
    check_xyz(one, 1, 1, "one point");
}

static void coincident(void **state)
{
    (void)state;
    enum { COUNT = SEEKS_RACES ? 250 : 500 };
    float *xyz = calloc(3 * COUNT, sizeof *xyz);
    for (int i = 0; i < 3 * COUNT; ++i) xyz[i] = 0.25f;
    check_xyz(xyz, COUNT, 0.1, "all coincident");
    // In cells whose numbers take more than 32 bits.
    for (int i = 0; i < 3 * COUNT; ++i) xyz[i] = i % 2 ? 1e10f : -1e10f;
    check_xyz(xyz, COUNT, 1, "coincident, two by two, far away");
    for (int i = 0; i < 3 * COUNT; ++i) xyz[i] = 1e10f;
    check_xyz(xyz, COUNT, 1, "all coincident, far away");
    free(xyz);
}

static void lattice_at_the_radius(void **state)
{
    (void)state;
    static const double radii[] = {1, 2, 0.5};
    for (int r = 0; r < 3; ++r) {
        float xyz[3 * 512];
        for (int i = 0; i < 512; ++i) {
            xyz[3 * i] = (float)((i % 8) * radii[r]);
            xyz[3 * i + 1] = (float)((i / 8 % 8 - 4) * radii[r]);
            xyz[3 * i + 2] = (float)((i / 64) * radii[r]);
        }
        check_xyz(xyz, 512, radii[r], "lattice points exactly at the radius");
        check_xyz(xyz, 512, 2 * radii[r], "lattice points at twice the spacing");
    }
}

// Neighbours by the float test that lie in cells 0 and 2 of a grid with the radius for its edge.
static void a_rounding_apart(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; ++axis)
        for (int sign = -1; sign <= 1; sign += 2) {
            float xyz[6] = {0};
            xyz[axis] = (float)sign * 0.99999994f;
            xyz[3 + axis] = (float)sign * 2.0f;
            check_xyz(xyz, 2, 1, "0.99999994 and 2");
            mote_neighbors *search = test_make_search(NULL, NULL, 1, 0);
            mote_lists lists;
            CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, 2), NULL));
            CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
            CHECK(lists.total == 2, "axis %d: %llu directed pairs", axis, (unsigned long long)lists.total);
            mote_neighbors_destroy(search);
        }
}

// Points a rounding step or two around multiples of the radius, on both sides of zero.
static void on_cell_faces(void **state)
{
    (void)state;
    mote_random random = {7};
    float *xyz = malloc(3 * (size_t)FEW * sizeof *xyz);
    for (int i = 0; i < 3 * FEW; ++i) {
        float x = 0.1f * (float)((int)mote_random_below(&random, 11) - 5);
        for (uint32_t steps = mote_random_below(&random, 3); steps > 0; --steps) x = nextafterf(x, i % 2 ? 9.f : -9.f);
        xyz[i] = x;
    }
    check_xyz(xyz, FEW, (double)0.1f, "around cell faces");
    check_xyz(xyz, FEW, (double)nextafterf(0.1f, 0), "around cell faces, radius just below");
    free(xyz);
}

static void far_from_the_origin(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        float *xyz = test_points_uniform(11, FEW, 3, 12);
        for (int i = 0; i < 3 * FEW; ++i) xyz[i] += (float)sign * 1e6f;
        check_xyz(xyz, FEW, 1, "offset of 1e6");
        free(xyz);
    }
}

static void negative_coordinates(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(12, MANY, 3, 1);
    for (int i = 0; i < 3 * MANY; ++i) xyz[i] = 0.5f - xyz[i];
    check_xyz(xyz, MANY, 0.06, "negative coordinates");
    free(xyz);
}

static void far_outliers(void **state)
{
    (void)state;
    static const float distances[] = {1e3f, 1e6f, -1e6f, 1e12f, -1e30f, FLT_MAX};
    for (int d = 0; d < 6; ++d) {
        float *xyz = test_points_uniform(13, FEW, 3, 1);
        for (int k = 0; k < 3; ++k) xyz[3 * (FEW / 2) + k] = distances[d];
        check_xyz(xyz, FEW, 0.1, "one far outlier");
        xyz[0] = -distances[d];
        check_xyz(xyz, FEW, 0.1, "two far outliers");
        free(xyz);
    }
}

// Extents that no grid holds: coordinates over all magnitudes of float, many of them in pairs.
static void all_magnitudes(void **state)
{
    (void)state;
    mote_random random = {14};
    float *xyz = malloc(3 * (size_t)FEW * sizeof *xyz);
    for (int i = 0; i < 3 * FEW; ++i) {
        float x = ldexpf((float)mote_random_unit(&random) + 0.5f, (int)mote_random_below(&random, 240) - 120);
        xyz[i] = mote_random_below(&random, 2) ? x : -x;
        if (i >= 3 && (i / 3) % 2) xyz[i] = xyz[i - 3] + (float)mote_random_unit(&random);
    }
    check_xyz(xyz, FEW, 1, "all magnitudes");
    check_xyz(xyz, FEW, 1e-6, "all magnitudes, small radius");
    check_xyz(xyz, FEW, 1e9, "all magnitudes, large radius");
    free(xyz);
}

static void denormals(void **state)
{
    (void)state;
    mote_random random = {15};
    float xyz[3 * 300];
    for (int i = 0; i < 900; ++i)
        xyz[i] = (float)mote_random_unit(&random) * FLT_MIN * (mote_random_below(&random, 2) ? 1 : -1);
    check_xyz(xyz, 300, 1e-15, "denormals");
    check_xyz(xyz, 300, 1, "denormals in a large cell");
}

static void everything_in_one_cell(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(16, FEW / 3, 3, 1);
    check_xyz(xyz, FEW / 3, 0.9, "all in one cell or two");
    check_xyz(xyz, getenv("MOTE_LONG_TESTS") ? FEW / 3 : FEW / 6, 100, "a radius larger than everything");
    free(xyz);
}

static mote_neighbors *search_with(mote_context *context, const char *method, mote_points points, double radius)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    mote_neighbors *search;
    def.method = method;
    def.radius = radius;
    def.features = points.scalar == MOTE_F64 ? MOTE_NEIGHBORS_F64 : 0;
    CHECK_OK(mote_neighbors_create(context, &def, &search, NULL));
    CHECK_OK(mote_neighbors_update(search, points, NULL));
    return search;
}

static void check_rows_of_few(mote_context *context, mote_points points, double radius)
{
    mote_neighbors *search = search_with(context, "auto", points, radius);
    mote_neighbors *oracle = search_with(context, "all_pairs", points, radius);
    mote_lists found, right;
    CHECK_OK(mote_neighbors_lists(search, &found, NULL));
    CHECK_OK(mote_neighbors_lists(oracle, &right, NULL));
    for (uint32_t i = 0; i < points.count; ++i) {
        const mote_row a = mote_lists_row(&found, i), b = mote_lists_row(&right, i);
        if (a.count != b.count || (a.count && memcmp(a.indices, b.indices, a.count * sizeof *a.indices) != 0))
            fail_msg("%zu points, radius %g: row %u has %u neighbours, all_pairs' has %u, or others", points.count,
                     radius, i, a.count, b.count);
    }
    mote_neighbors_destroy(search);
    mote_neighbors_destroy(oracle);
}

// Up to 128 points lie in one cell and are their own only candidates: rows in the order of all_pairs, in every form. On
// a lattice of tenths, many pairs are as far apart as the radius but for rounding.
static void few_points_in_one_cell(void **state)
{
    (void)state;
    static const size_t counts[] = {2, 3, 8, 63, 64, 65, 100, 127, 128};
    static const double radii[] = {0.1, 0.2, 0.3, 5};
    float *floats = test_points_uniform(21, 128, 3, 1);
    double doubles[3 * 128];
    for (int i = 0; i < 128; ++i)
        for (int k = 0; k < 3; ++k) doubles[3 * i + k] = 0.1 * (double)(k == 0 ? i % 5 : k == 1 ? i / 5 % 5 : i / 25);
    for (mote_simd form = MOTE_SIMD_PLAIN; form <= MOTE_SIMD_128; ++form) {
        mote_context_def def = mote_context_default_def();
        mote_context *context;
        def.simd = form;
        if (mote_context_create(&def, &context, NULL) != MOTE_OK) continue;
        for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c)
            for (size_t r = 0; r < sizeof radii / sizeof *radii; ++r) {
                check_rows_of_few(context, mote_points_xyz(floats, counts[c]), radii[r]);
                check_rows_of_few(context, mote_points_xyz_f64(doubles, counts[c]), radii[r]);
            }
        mote_context_destroy(context);
    }
    free(floats);
}

static void clusters(void **state)
{
    (void)state;
    float *xyz = test_points_clustered(17, FEW);
    check_xyz(xyz, FEW, 0.01, "clusters");
    check_xyz(xyz, FEW, 0.001, "clusters, small radius");
    free(xyz);
}

static void one_and_two_dimensions(void **state)
{
    (void)state;
    for (int dimensions = 1; dimensions <= 2; ++dimensions) {
        float *x = test_points_uniform(18, MANY / 2, dimensions, 1);
        mote_points points = mote_points_xyz(x, MANY / 2);
        points.dimensions = dimensions;
        points.stride = dimensions * (ptrdiff_t)sizeof(float);
        check_methods(points, dimensions == 1 ? 0.001 : 0.02, "1D or 2D");
        x[5] = -1e9f;
        check_methods(points, dimensions == 1 ? 0.001 : 0.02, "1D or 2D with an outlier");
        free(x);
    }
}

static void random_shapes(void **state)
{
    (void)state;
    for (uint64_t seed = 100; seed < (SANITIZED ? 110 : 160); ++seed) {
        mote_random random = {seed};
        size_t count = mote_random_below(&random, 700);
        float *xyz = test_points_uniform(seed, count, 3, 1);
        float scale[3];
        for (int k = 0; k < 3; ++k) scale[k] = ldexpf(1, (int)mote_random_below(&random, 16) - 8);
        for (size_t i = 0; i < 3 * count; ++i) xyz[i] *= scale[i % 3];
        double radius = ldexp(0.2 + mote_random_unit(&random), (int)mote_random_below(&random, 10) - 7);
        char name[64];
        snprintf(name, sizeof name, "random shape of seed %d", (int)seed);
        check_xyz(xyz, count, radius, name);
        free(xyz);
    }
}

// ------------------------------------------------------------------------------------------------------- layouts

static void any_stride(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(19, FEW, 3, 1);
    float *spread = calloc((size_t)FEW * 7, sizeof *spread);
    float *axes = malloc(3 * (size_t)FEW * sizeof *axes);
    for (int i = 0; i < FEW; ++i)
        for (int k = 0; k < 3; ++k) spread[7 * i + 2 * k] = axes[k * FEW + i] = xyz[3 * i + k];
    mote_points wide = {{spread, spread + 2, spread + 4}, 7 * sizeof(float), FEW, MOTE_F32, 3};
    // Backwards, too: a negative stride from the last point.
    mote_points backwards = mote_points_xyz(xyz, FEW);
    for (int k = 0; k < 3; ++k) backwards.axis[k] = xyz + 3 * (FEW - 1) + k;
    backwards.stride = -3 * (ptrdiff_t)sizeof(float);
    check_methods(wide, 0.1, "wide stride");
    check_methods(mote_points_axes(axes, axes + FEW, axes + 2 * FEW, FEW), 0.1, "separate axes");
    check_methods(backwards, 0.1, "negative stride");
    free(axes);
    free(spread);
    free(xyz);
}

// ---------------------------------------------------------------------------------------------- the other entrances

static void another_set_looks_in(void **state)
{
    (void)state;
    float *set = test_points_uniform(20, FEW, 3, 1), *queries = test_points_uniform(21, 700, 3, 1);
    for (int i = 0; i < 2100; ++i) queries[i] = 3 * queries[i] - 1;  // inside, around and outside the set's box
    queries[0] = 1e9f;
    queries[4] = -FLT_MAX;
    memcpy(queries + 9, set, 300 * sizeof *set);  // some at the very same places
    for (int outlier = 0; outlier < 3; ++outlier) {
        if (outlier == 1) set[0] = 1e9f;
        if (outlier == 2)  // so far along all axes that coordinates of cells do not fit a key, but their numbers do
            for (int k = 0; k < 3; ++k) set[k] = queries[3 + k] = 1e30f;
        mote_neighbors *oracle = test_make_search(NULL, "all_pairs", 0.1,
                                                  MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_ASCENDING);
        mote_lists expected, found;
        CHECK_OK(mote_neighbors_update(oracle, mote_points_xyz(set, FEW), NULL));
        CHECK_OK(mote_neighbors_query(oracle, mote_points_xyz(queries, 700), &expected, NULL));
        CHECK(expected.total > 100, "%llu hits", (unsigned long long)expected.total);
        const mote_neighbors_method_info *info;
        for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
            uint32_t wanted = MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_ASCENDING;
            if (!info->exact || (info->features & wanted) != wanted) continue;
            mote_neighbors *search = test_make_search(NULL, info->name, 0.1, wanted);
            CHECK_OK(mote_neighbors_update(search, mote_points_xyz(set, FEW), NULL));
            CHECK_OK(mote_neighbors_query(search, mote_points_xyz(queries, 700), &found, NULL));
            test_check_same_rows(&expected, &found, info->name, "queries");
            mote_neighbors_destroy(search);
        }
        mote_neighbors_destroy(oracle);
    }
    free(set);
    free(queries);
}

typedef struct visited {
    const mote_lists *lists;
    unsigned char *seen;
} visited;

static void compare_row(void *data, mote_row row, uint32_t worker)
{
    (void)worker;
    visited *task = data;
    mote_row expected = mote_lists_row(task->lists, row.index);
    task->seen[row.index] += 1;
    if (expected.count != row.count ||
        (row.count && memcmp(expected.indices, row.indices, row.count * sizeof *row.indices) != 0))
        task->seen[row.index] = 100;
}

static void visitor_sees_the_lists(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(22, FEW, 3, 1);
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
        mote_neighbors *search = test_make_search(NULL, info->name, 0.1, 0);
        mote_lists lists;
        CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, FEW), NULL));
        CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
        visited task = {&lists, calloc(FEW, 1)};
        CHECK_OK(mote_neighbors_visit(search, compare_row, &task, NULL));
        for (int i = 0; i < FEW; ++i) CHECK(task.seen[i] == 1, "%s: row %d: %d", info->name, i, task.seen[i]);
        free(task.seen);
        mote_neighbors_destroy(search);
    }
    free(xyz);
}

// So many points in random order that the rows' places are put down later: they are what the visitor sees.
static void rows_that_end_in_random_order(void **state)
{
    (void)state;
    enum { SHUFFLED = 70001 };
    float *xyz = test_points_uniform(25, SHUFFLED, 3, 1);
    static const uint32_t features[] = {0, MOTE_NEIGHBORS_DISTANCES, MOTE_NEIGHBORS_ASCENDING, MOTE_NEIGHBORS_HALF};
    for (size_t f = 0; f < sizeof features / sizeof *features; f += SEEKS_RACES ? 3 : 1) {
        mote_context *context = test_context_with_threads(2);
        mote_neighbors *search = test_make_search(context, "cell_grid", 0.025, features[f]);
        mote_lists lists;
        for (size_t count = SHUFFLED; count > 66000; count -= 2000) {  // and fewer in memory that is there already
            CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, count), NULL));
            CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
            visited task = {&lists, calloc(SHUFFLED, 1)};
            CHECK_OK(mote_neighbors_visit(search, compare_row, &task, NULL));
            for (size_t i = 0; i < count; ++i) CHECK(task.seen[i] == 1, "row %zu: %d", i, task.seen[i]);
            free(task.seen);
        }
        mote_neighbors_destroy(search);
        mote_context_destroy(context);
    }
    free(xyz);
}

static void csr_copies_the_lists(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(23, FEW, 3, 1);
    mote_neighbors *search = test_make_search(NULL, NULL, 0.1, 0);
    mote_lists lists;
    CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, FEW), NULL));
    CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
    uint64_t *offsets = malloc((FEW + 1) * sizeof *offsets);
    uint32_t *indices = malloc(lists.total * sizeof *indices);
    mote_lists_to_csr(&lists, offsets, indices);
    CHECK(offsets[FEW] == lists.total, "%llu", (unsigned long long)offsets[FEW]);
    for (uint32_t i = 0; i < FEW; ++i) {
        mote_row row = mote_lists_row(&lists, i);
        CHECK(offsets[i + 1] - offsets[i] == row.count, "row %u", i);
        assert_memory_equal(indices + offsets[i], row.indices, row.count * sizeof *indices);
    }
    free(offsets);
    free(indices);
    free(xyz);
    mote_neighbors_destroy(search);
}

static void permutation_sorts_the_points(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(24, FEW, 3, 1);
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
        if (!(info->features & MOTE_NEIGHBORS_PERMUTATION)) continue;
        mote_neighbors *search = test_make_search(NULL, info->name, 0.1, MOTE_NEIGHBORS_PERMUTATION);
        CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, FEW), NULL));
        const uint32_t *order;
        CHECK_OK(mote_neighbors_permutation(search, &order, NULL));
        unsigned char *seen = calloc(FEW, 1);
        double highest = 0;
        for (int k = 0; k < FEW; ++k) {
            CHECK(order[k] < FEW && !seen[order[k]], "%s: order[%d]", info->name, k);
            seen[order[k]] = 1;
            if (strcmp(info->name, "all_pairs") == 0) CHECK(order[k] == (uint32_t)k, "all_pairs: order[%d]", k);
            if (strcmp(info->name, "all_pairs") == 0) continue;  // it has no cells
            double z = (double)xyz[3 * order[k] + 2];
            CHECK(z > highest - 0.1 * (1 + 0x1p-20), "%s: order[%d] goes back in z by a cell", info->name, k);
            highest = fmax(z, highest);
        }
        free(seen);
        mote_neighbors_destroy(search);
    }
    free(xyz);
}

// Sets that come in order are sorted from where they lie, others by way of records; keys are found in another way for
// every layout. All must come to the same rows.
static void in_order_or_not(void **state)
{
    (void)state;
    enum { COUNT = 40000, WIDE = 5 };
    float *xyz = test_points_uniform(29, COUNT, 3, 1), *ordered = malloc((size_t)COUNT * 3 * sizeof *ordered);
    float *wide = malloc((size_t)COUNT * WIDE * sizeof *wide), *axes = malloc((size_t)COUNT * 3 * sizeof *axes);
    mote_context *context = test_context_with_threads(2);
    const uint32_t features = MOTE_NEIGHBORS_ASCENDING | MOTE_NEIGHBORS_PERMUTATION;
    mote_neighbors *shuffled = test_make_search(context, "cell_grid", 0.03, features);
    mote_neighbors *search = test_make_search(context, "cell_grid", 0.03, features);
    const uint32_t *order;
    mote_lists expected, found;
    CHECK_OK(mote_neighbors_update(shuffled, mote_points_xyz(xyz, COUNT), NULL));
    CHECK_OK(mote_neighbors_lists(shuffled, &expected, NULL));
    CHECK_OK(mote_neighbors_validate(shuffled, NULL));
    CHECK_OK(mote_neighbors_permutation(shuffled, &order, NULL));
    for (size_t i = 0; i < COUNT; ++i)
        for (size_t k = 0; k < 3; ++k)
            ordered[3 * i + k] = wide[WIDE * i + k] = axes[COUNT * k + i] = xyz[3 * (size_t)order[i] + k];
    const mote_points layouts[] = {
        mote_points_xyz(ordered, COUNT),
        {{wide, wide + 1, wide + 2}, WIDE * sizeof(float), COUNT, MOTE_F32, 3},
        mote_points_axes(axes, axes + COUNT, axes + 2 * (size_t)COUNT, COUNT),
    };
    for (size_t layout = 0; layout < 3; ++layout) {
        CHECK_OK(mote_neighbors_update(search, layouts[layout], NULL));
        CHECK_OK(mote_neighbors_lists(search, &found, NULL));
        CHECK_OK(mote_neighbors_validate(search, NULL));
        CHECK(found.total == expected.total, "layout %zu: %llu", layout, (unsigned long long)found.total);
        for (uint32_t i = 0; i < COUNT; ++i) {
            const mote_row row = mote_lists_row(&found, i), other = mote_lists_row(&expected, order[i]);
            uint64_t sum = 0, other_sum = 0, mix = 0, other_mix = 0;
            for (uint32_t k = 0; k < row.count; ++k) sum += order[row.indices[k]], mix ^= order[row.indices[k]];
            for (uint32_t k = 0; k < other.count; ++k) other_sum += other.indices[k], other_mix ^= other.indices[k];
            CHECK(row.count == other.count && sum == other_sum && mix == other_mix, "layout %zu: row %u", layout, i);
        }
    }
    mote_neighbors_destroy(search);
    mote_neighbors_destroy(shuffled);
    mote_context_destroy(context);
    free(xyz);
    free(ordered);
    free(wide);
    free(axes);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_and_one),
        cmocka_unit_test(coincident),
        cmocka_unit_test(lattice_at_the_radius),
        cmocka_unit_test(a_rounding_apart),
        cmocka_unit_test(on_cell_faces),
        cmocka_unit_test(far_from_the_origin),
        cmocka_unit_test(negative_coordinates),
        cmocka_unit_test(far_outliers),
        cmocka_unit_test(all_magnitudes),
        cmocka_unit_test(denormals),
        cmocka_unit_test(everything_in_one_cell),
        cmocka_unit_test(few_points_in_one_cell),
        cmocka_unit_test(clusters),
        cmocka_unit_test(one_and_two_dimensions),
        cmocka_unit_test(random_shapes),
        cmocka_unit_test(any_stride),
        cmocka_unit_test(another_set_looks_in),
        cmocka_unit_test(visitor_sees_the_lists),
        cmocka_unit_test(rows_that_end_in_random_order),
        cmocka_unit_test(csr_copies_the_lists),
        cmocka_unit_test(permutation_sorts_the_points),
        cmocka_unit_test(in_order_or_not),
    };
    RUN_TESTS(tests, argc, argv);
}
