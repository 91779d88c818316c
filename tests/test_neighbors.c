// SPDX-License-Identifier: MIT
// Neighbour search: every method of the table against all pairs, on sets made to break it.

#if defined(__linux__)
#define _GNU_SOURCE  // sched_setaffinity
#include <sched.h>
#endif

#include <float.h>

#include "mote/neighbors.h"
#include "support/compare.h"
#include "support/points.h"
#include "support/test.h"

enum { FEW = SANITIZED ? 1000 : 4000, MANY = SANITIZED ? 3000 : 20000 };

// -------------------------------------------------------------------------------------------- comparing methods

static void check_same_sets(const mote_lists *a, const mote_lists *b, const char *method, const char *set)
{
    CHECK(a->count == b->count, "%s, %s: %zu rows", method, set, b->count);
    for (uint32_t i = 0; i < a->count; ++i) {
        mote_row x = mote_lists_row(a, i), y = mote_lists_row(b, i);
        CHECK(x.count == y.count, "%s, %s: point %u has %u neighbours, expected %u", method, set, i, y.count, x.count);
        for (uint32_t k = 0; k < x.count; ++k)
            CHECK(x.indices[k] == y.indices[k], "%s, %s: row %u differs at %u", method, set, i, k);
    }
    CHECK(a->total == b->total, "%s, %s: %llu pairs", method, set, (unsigned long long)b->total);
}

// All methods, with ascending rows, against all pairs.
static void check_methods(mote_points points, double radius, const char *set)
{
    mote_neighbors *oracle = test_make_search(NULL, "all_pairs", radius, MOTE_NEIGHBORS_ASCENDING);
    mote_lists expected, found;
    CHECK_OK(mote_neighbors_update(oracle, points, NULL));
    CHECK_OK(mote_neighbors_lists(oracle, &expected, NULL));
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
        if (!info->exact) continue;
        mote_neighbors *search = test_make_search(NULL, info->name, radius, MOTE_NEIGHBORS_ASCENDING);
        CHECK_OK(mote_neighbors_update(search, points, NULL));
        CHECK_OK(mote_neighbors_validate(search, NULL));
        CHECK_OK(mote_neighbors_lists(search, &found, NULL));
        check_same_sets(&expected, &found, info->name, set);
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
    float *xyz = calloc(3 * 500, sizeof *xyz);
    for (int i = 0; i < 1500; ++i) xyz[i] = 0.25f;
    check_xyz(xyz, 500, 0.1, "all coincident");
    for (int i = 0; i < 1500; ++i) xyz[i] = i % 2 ? 1e10f : -1e10f;  // in cells whose numbers take more than 32 bits
    check_xyz(xyz, 500, 1, "coincident, two by two, far away");
    for (int i = 0; i < 1500; ++i) xyz[i] = 1e10f;
    check_xyz(xyz, 500, 1, "all coincident, far away");
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
    float *xyz = test_points_uniform(16, FEW / 2, 3, 1);
    check_xyz(xyz, FEW / 2, 0.9, "all in one cell or two");
    check_xyz(xyz, FEW / 2, 100, "a radius larger than everything");
    free(xyz);
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
        float *x = test_points_uniform(18, MANY, dimensions, 1);
        mote_points points = mote_points_xyz(x, MANY);
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
    for (int outlier = 0; outlier < 2; ++outlier) {
        if (outlier) set[0] = 1e9f;
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
            check_same_sets(&expected, &found, info->name, "queries");
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
    for (size_t f = 0; f < sizeof features / sizeof *features; ++f) {
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

// ------------------------------------------------------------------------------------------------------ promises

static void same_rows_for_any_threads(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 5};
    float *xyz = test_points_uniform(25, MANY, 3, 1);
    xyz[1] = 1e7f;
    for (int sparse = 0; sparse < 2; ++sparse) {
        const float *first = sparse ? xyz : xyz + 3;
        const mote_neighbors_method_info *info;
        for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
            uint64_t checksum[3];
            for (int t = 0; t < 3; ++t) {
                mote_context *context = test_context_with_threads(threads[t]);
                mote_neighbors *search = test_make_search(context, info->name, 0.06, 0);
                mote_lists lists;
                CHECK_OK(mote_neighbors_update(search, mote_points_xyz(first, MANY - 1), NULL));
                CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
                checksum[t] = 0;  // of content and order
                for (uint32_t i = 0; i < lists.count; ++i) {
                    mote_row row = mote_lists_row(&lists, i);
                    for (uint32_t k = 0; k < row.count; ++k)
                        checksum[t] = checksum[t] * 0x9E3779B97F4A7C15u + row.indices[k] + 1;
                    checksum[t] = checksum[t] * 31 + row.count;
                }
                mote_neighbors_destroy(search);
                mote_context_destroy(context);
            }
            CHECK(checksum[0] == checksum[1] && checksum[1] == checksum[2], "%s: rows depend on threads", info->name);
        }
    }
    free(xyz);
}

// A million points, for methods other than the default a tenth of them: sampled rows against brute force, and the sum
// over all pairs against a wider search, filtered.
static void a_million_points(void **state)
{
    (void)state;
    const size_t most = SANITIZED ? 100000 : 1000000;
    float *xyz = test_points_uniform(1, most, 3, 1);
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
        if (!info->exact || strcmp(info->name, "all_pairs") == 0) continue;
        size_t count = m == 0 ? most : most / 10;
        double radius = 0.0194172226 * cbrt(1e6 / (double)count);
        mote_neighbors *search = test_make_search(NULL, info->name, radius, 0);
        mote_neighbors *wider = test_make_search(NULL, info->name, 1.3 * radius, 0);
        mote_lists lists, wide;
        CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, count), NULL));
        CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
        CHECK_OK(mote_neighbors_update(wider, mote_points_xyz(xyz, count), NULL));
        CHECK_OK(mote_neighbors_lists(wider, &wide, NULL));
        if (count == 1000000)
            CHECK(llabs((long long)lists.total - 30004212) < 50, "%llu", (unsigned long long)lists.total);
        uint64_t sum = 0, wide_sum = 0;
        for (uint32_t i = 0; i < count; ++i) {
            mote_row row = mote_lists_row(&lists, i);
            for (uint32_t k = 0; k < row.count; ++k) sum += test_pair_hash(i, row.indices[k]);
            row = mote_lists_row(&wide, i);
            for (uint32_t k = 0; k < row.count; ++k)
                if (test_is_near(xyz, i, row.indices[k], radius)) wide_sum += test_pair_hash(i, row.indices[k]);
        }
        CHECK(sum == wide_sum, "%s: another set of pairs than that of a wider search", info->name);
        mote_random random = {26};
        for (int s = 0; s < 50; ++s) {
            uint32_t i = mote_random_below(&random, (uint32_t)count), hits = 0, near = 0;
            mote_row row = mote_lists_row(&lists, i);
            for (uint32_t k = 0; k < row.count; ++k)
                hits += row.indices[k] != i && test_is_near(xyz, i, row.indices[k], radius);
            for (uint32_t j = 0; j < count; ++j) near += j != i && test_is_near(xyz, i, j, radius);
            CHECK(hits == row.count && near == row.count, "%s: row %u: %u of %u, expected %u", info->name, i, hits,
                  row.count, near);
        }
        mote_neighbors_destroy(search);
        mote_neighbors_destroy(wider);
    }
    free(xyz);
}

// Vertices as files and networks have them: a byte, then the numbers, one vertex right behind the other; also from the
// last one backwards.
static void packed_points_at_any_stride(void **state)
{
    (void)state;
    enum { COUNT = 500, WIDE = 1 + 4 * sizeof(double) };
    float *xyz = test_points_uniform(37, COUNT, 3, 1);
    unsigned char *packed = malloc(COUNT * WIDE + 1);
    for (uint32_t f64 = 0; f64 < 2; ++f64) {
        const size_t size = f64 ? sizeof(double) : sizeof(float);
        const ptrdiff_t stride = (ptrdiff_t)(1 + 4 * size);
        for (size_t i = 0; i < 4 * COUNT; ++i) {  // the fourth number is a radius
            const float number = i % 4 < 3 ? xyz[3 * (i / 4) + i % 4] : 0.1f;
            const double wide = (double)number;
            memcpy(packed + 1 + (ptrdiff_t)(i / 4) * stride + (ptrdiff_t)(i % 4 * size),
                   f64 ? (const void *)&wide : (const void *)&number, size);
        }
        mote_points points = {.stride = stride, .count = COUNT, .scalar = f64 ? MOTE_F64 : MOTE_F32, .dimensions = 3};
        mote_points backwards = points;
        backwards.stride = -stride;
        for (size_t k = 0; k < 3; ++k) {
            points.axis[k] = packed + 1 + k * size;
            backwards.axis[k] = packed + 1 + (COUNT - 1) * (size_t)stride + k * size;
        }
        const mote_neighbors_method_info *info;
        for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
            const uint32_t type = f64 ? MOTE_NEIGHBORS_F64 : 0, more = MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_QUERY;
            if (!info->exact || (info->features & (type | more)) != (type | more)) continue;
            mote_neighbors *search = test_make_search(NULL, info->name, 0.1, type);
            mote_neighbors *with_radii = test_make_search(NULL, info->name, 0.1, type | more);
            mote_lists lists, looking_in;
            CHECK_OK(mote_neighbors_update(search, points, NULL));
            CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
            const uint64_t total = lists.total;
            CHECK(total > COUNT && total < 5 * COUNT, "%s: %llu pairs", info->name, (unsigned long long)total);
            CHECK_OK(mote_neighbors_update(search, backwards, NULL));
            CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
            CHECK(lists.total == total, "%s: %llu pairs backwards", info->name, (unsigned long long)lists.total);
            const char *radii = (const char *)points.axis[2] + size;
            CHECK_OK(mote_neighbors_update_radii(with_radii, points, radii, stride, NULL));
            CHECK_OK(mote_neighbors_query_radii(with_radii, points, radii, stride, &looking_in, NULL));
            CHECK(looking_in.total == total + COUNT, "%s: %llu pairs of queries", info->name,
                  (unsigned long long)looking_in.total);
            mote_neighbors_destroy(search);
            mote_neighbors_destroy(with_radii);
        }
    }
    free(packed);
    free(xyz);
}

static mote_result search_twice(mote_context *context, void *data)
{
    const char *method = data;
    float *xyz = test_points_uniform(28, 3000, 3, 1);
    mote_neighbors_def def = mote_neighbors_default_def();
    def.method = method;
    def.radius = 0.2;
    mote_neighbors *search = NULL;
    mote_lists lists;
    mote_result result = mote_neighbors_create(context, &def, &search, NULL);
    for (int round = 0; round < 2 && result == MOTE_OK; ++round) {  // dense, then sparse
        if (round == 1) xyz[0] = 1e9f;
        result = mote_neighbors_update(search, mote_points_xyz(xyz, 3000), NULL);
        if (result == MOTE_OK) result = mote_neighbors_lists(search, &lists, NULL);
        if (result != MOTE_OK) {  // the object is valid: it works once memory is back
            mote_result again = mote_neighbors_update(search, mote_points_xyz(xyz, 3000), NULL);
            if (again == MOTE_OK) again = mote_neighbors_lists(search, &lists, NULL);
            CHECK(again == MOTE_OK || again == MOTE_ERROR_OUT_OF_MEMORY, "%s", mote_result_name(again));
            CHECK_OK(mote_neighbors_validate(search, NULL));
        }
    }
    mote_neighbors_destroy(search);
    free(xyz);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m)
        test_failing_allocations(search_twice, (void *)(uintptr_t)info->name);
}

static void a_warm_search_allocates_nothing(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(29, FEW, 3, 1);
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
        mote_context *context = test_context_with_threads(2);
        mote_neighbors *search = test_make_search(context, info->name, 0.1, 0);
        uint64_t allocations = 0;
        for (int round = 0; round < 4; ++round) {
            mote_lists lists;
            CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, FEW), NULL));
            CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
            if (round > 1)
                CHECK(mote_context_allocation_count(context) == allocations, "%s: round %d allocates", info->name,
                      round);
            allocations = mote_context_allocation_count(context);
        }
        size_t list_bytes, bytes = mote_neighbors_byte_count(search, &list_bytes);
        size_t held = mote_context_byte_count(context);
        CHECK(bytes + list_bytes <= held && bytes + list_bytes > held - 4096, "%s: %zu and %zu of %zu bytes",
              info->name, bytes, list_bytes, held);
        mote_neighbors_destroy(search);
        mote_context_destroy(context);
    }
    free(xyz);
}

static void counts_may_change(void **state)
{
    (void)state;
    mote_neighbors *search = test_make_search(NULL, NULL, 0.1, MOTE_NEIGHBORS_ASCENDING);
    mote_neighbors *oracle = test_make_search(NULL, "all_pairs", 0.1, MOTE_NEIGHBORS_ASCENDING);
    mote_random random = {30};
    for (int round = 0; round < 30; ++round) {
        size_t count = mote_random_below(&random, 3000);
        float *xyz = test_points_uniform((uint64_t)round, count, 3, 1);
        if (round % 3 == 0 && count) xyz[0] = 1e12f;
        mote_lists expected, found;
        CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, count), NULL));
        CHECK_OK(mote_neighbors_update(oracle, mote_points_xyz(xyz, count), NULL));
        free(xyz);  // read during the call only
        CHECK_OK(mote_neighbors_lists(search, &found, NULL));
        CHECK_OK(mote_neighbors_lists(oracle, &expected, NULL));
        CHECK_OK(mote_neighbors_validate(search, NULL));
        check_same_sets(&expected, &found, "cell_grid", "changing counts");
    }
    mote_neighbors_destroy(search);
    mote_neighbors_destroy(oracle);
}

// Sparse sets one after the other, each beyond all cells of those before, and smaller: what a look-up remembers of
// earlier cells says nothing of these.
static void sets_that_wander_off(void **state)
{
    (void)state;
    mote_neighbors *search = test_make_search(NULL, NULL, 1, MOTE_NEIGHBORS_ASCENDING);
    mote_neighbors *oracle = test_make_search(NULL, "all_pairs", 1, MOTE_NEIGHBORS_ASCENDING);
    float *xyz = calloc(3 * 1024, sizeof *xyz);
    size_t round = 0;
    for (size_t count = 1024; count > 0; count /= 2, ++round) {
        for (size_t i = 0; i < count; ++i)
            for (int k = 0; k < 3; ++k)
                xyz[3 * i + (size_t)k] = (float)round * 2e6f + (float)(i / 2) * 1000 + (float)(i % 2) * 0.5f;
        mote_lists expected, found;
        CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, count), NULL));
        CHECK_OK(mote_neighbors_update(oracle, mote_points_xyz(xyz, count), NULL));
        CHECK_OK(mote_neighbors_lists(search, &found, NULL));
        CHECK_OK(mote_neighbors_lists(oracle, &expected, NULL));
        check_same_sets(&expected, &found, "cell_grid", "sets that wander off");
    }
    mote_neighbors_destroy(search);
    mote_neighbors_destroy(oracle);
    free(xyz);
}

// Whoever looks into a set that has become empty finds nothing, not what was there before.
static void emptied_sets_are_empty(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(32, FEW, 3, 1);
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
        if (!(info->features & MOTE_NEIGHBORS_QUERY)) continue;
        mote_neighbors *search = test_make_search(NULL, info->name, 0.1, MOTE_NEIGHBORS_QUERY);
        for (int outlier = 0; outlier < 2; ++outlier) {
            if (outlier) xyz[0] = 1e9f;
            mote_lists lists;
            CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, FEW), NULL));
            CHECK_OK(mote_neighbors_query(search, mote_points_xyz(xyz, FEW), &lists, NULL));
            CHECK(lists.total > FEW, "%s: %llu hits", info->name, (unsigned long long)lists.total);
            CHECK_OK(mote_neighbors_update(search, mote_points_xyz(NULL, 0), NULL));
            CHECK_OK(mote_neighbors_validate(search, NULL));
            CHECK_OK(mote_neighbors_query(search, mote_points_xyz(xyz, FEW), &lists, NULL));
            CHECK(lists.total == 0, "%s: %llu hits in an empty set", info->name, (unsigned long long)lists.total);
        }
        mote_neighbors_destroy(search);
    }
    free(xyz);
}

// Without a context the workers are as many as the processors that the calling thread may use, which can change.
static void more_processors_than_before(void **state)
{
    (void)state;
#if defined(__linux__)
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
        if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
    float *xyz = test_points_uniform(31, FEW, 3, 1);
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
        mote_neighbors *search = test_make_search(NULL, info->name, 0.1, 0);
        mote_lists lists;
        assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
        CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, FEW), NULL));
        CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
        uint64_t total = lists.total;
        assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
        CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
        CHECK(lists.total == total, "%s: %llu pairs", info->name, (unsigned long long)lists.total);
        mote_neighbors_destroy(search);
    }
    free(xyz);
#else
    skip();
#endif
}

static bool count_chunk_rows(void *user_data, const mote_lists *lists, uint32_t first)
{
    size_t *rows = user_data;
    CHECK(first == *rows, "a chunk from %u on after %zu rows", first, *rows);
    *rows += lists->count;
    return true;
}

// On an object that has stored no rows yet, whose memory for them is as small as can be.
static void a_subset_of_none_and_chunks_come_first(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(8, 1000, 3, 1);
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
        if (!(info->features & MOTE_NEIGHBORS_SUBSET)) continue;
        for (int chunks = 0; chunks < 2; ++chunks) {
            mote_neighbors_def def = mote_neighbors_default_def();
            def.radius = 0.1;
            def.method = info->name;
            def.features = MOTE_NEIGHBORS_SUBSET;
            mote_neighbors *search;
            CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
            CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, 1000), NULL));
            mote_lists lists;
            size_t rows = 0;
            if (chunks)
                CHECK_OK(mote_neighbors_chunks(search, 1 << 12, count_chunk_rows, &rows, NULL));
            else
                CHECK_OK(mote_neighbors_subset(search, NULL, 0, &lists, NULL));
            CHECK(chunks ? rows == 1000 : lists.count == 0 && lists.total == 0, "%s", info->name);
            mote_neighbors_destroy(search);
        }
    }
    free(xyz);
}

// Rows of many points are found in another way than those of a few, and of points that are named repeatedly in a third
// one. All are those of the lists, whether cells have a table or, as with a point far away, none.
static void rows_of_many_points_are_those_of_the_lists(void **state)
{
    (void)state;
    enum { COUNT = 40000, THREADS = 3 };
    static const uint32_t threads[THREADS] = {1, 2, 5}, features[2] = {0, MOTE_NEIGHBORS_DISTANCES};
    float *xyz = test_points_uniform(10, COUNT, 3, 1);
    uint32_t *wanted = malloc(COUNT * sizeof *wanted);
    mote_random random = {11};
    for (int trial = 0; trial < 2 * THREADS * 4; ++trial) {
        const int way = trial % 4, far = trial / 4 % 2;
        mote_context *context = test_context_with_threads(threads[trial / 8]);
        mote_neighbors *plain = test_make_search(context, "cell_grid", 0.03, features[far]);
        mote_neighbors *search = test_make_search(context, "cell_grid", 0.03, features[far] | MOTE_NEIGHBORS_SUBSET);
        mote_lists all, some;
        xyz[0] = far ? 1e6f : 0.5f;
        size_t count = 0;
        for (uint32_t i = 0; i < COUNT; ++i)
            if (mote_random_below(&random, way == 0 ? 50 : 2) == 0) wanted[count++] = i;  // a few; or half of them
        for (uint32_t k = (uint32_t)count; way > 1 && k-- > 1;) {  // in any order
            const uint32_t other = mote_random_below(&random, k + 1), swap = wanted[k];
            wanted[k] = wanted[other];
            wanted[other] = swap;
        }
        if (way == 3) wanted[count / 2] = wanted[0];  // a point twice
        CHECK_OK(mote_neighbors_update(plain, mote_points_xyz(xyz, COUNT), NULL));
        CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, COUNT), NULL));
        CHECK_OK(mote_neighbors_lists(plain, &all, NULL));
        CHECK_OK(mote_neighbors_subset(search, wanted, count, &some, NULL));
        CHECK(some.count == count, "%llu rows of %zu", (unsigned long long)some.count, count);
        for (uint32_t k = 0; k < count; ++k) {
            const mote_row row = mote_lists_row(&some, k), right = mote_lists_row(&all, wanted[k]);
            CHECK(row.count == right.count, "trial %d, %u neighbours in row %u", trial, row.count, k);
            CHECK(!row.count || !memcmp(row.indices, right.indices, row.count * sizeof *row.indices),
                  "trial %d, row %u of point %u", trial, k, wanted[k]);
            CHECK(!row.squared || !row.count || !memcmp(row.squared, right.squared, row.count * sizeof *row.squared),
                  "trial %d, distances of row %u", trial, k);
        }
        mote_neighbors_destroy(plain);
        mote_neighbors_destroy(search);
        mote_context_destroy(context);
    }
    free(wanted);
    free(xyz);
}

// Points much farther apart than the radius get larger cells, but where a clump is among them.
static void isolated_points_get_larger_cells(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    float *xyz = test_points_uniform(9, COUNT, 3, 1);
    for (int clump = 0; clump < 2; ++clump) {
        for (size_t i = 0; clump && i < 3 * COUNT / 4; ++i) xyz[i] = 0.5f + 1e-3f * xyz[i];
        mote_neighbors_def def = mote_neighbors_default_def();
        def.radius = 1e-5;
        def.method = "cell_grid";
        mote_neighbors *search;
        mote_lists lists;
        CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
        CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, COUNT), NULL));
        CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
        CHECK_OK(mote_neighbors_validate(search, NULL));
        mote_neighbors_counters counters = mote_neighbors_get_counters(search);
        CHECK(counters.candidates < 30 * COUNT, "%llu candidates", (unsigned long long)counters.candidates);
        CHECK((counters.cells < COUNT * 3 / 4) == !clump, "%llu cells", (unsigned long long)counters.cells);
        mote_neighbors_destroy(search);
    }
    free(xyz);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(isolated_points_get_larger_cells),
        cmocka_unit_test(a_subset_of_none_and_chunks_come_first),
        cmocka_unit_test(rows_of_many_points_are_those_of_the_lists),
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
        cmocka_unit_test(same_rows_for_any_threads),
        cmocka_unit_test(a_million_points),
        cmocka_unit_test(packed_points_at_any_stride),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(a_warm_search_allocates_nothing),
        cmocka_unit_test(counts_may_change),
        cmocka_unit_test(sets_that_wander_off),
        cmocka_unit_test(emptied_sets_are_empty),
        cmocka_unit_test(more_processors_than_before),
    };
    RUN_TESTS(tests, argc, argv);
}
