// SPDX-License-Identifier: MIT
// The hashing methods: buckets and cells of every size, masks, time stamps, and lists that are kept up.

#include "cells/tested.h"
#include "mote/neighbors.h"
#include "neighbors/tested.h"
#include "support/points.h"
#include "support/test.h"

static const char *const methods[] = {"spatial_hash", "spatial_hash_dynamic", "cell_hash", "cell_hash_incremental"};
enum { METHODS = 4, FEW = SANITIZED ? 200 : 500, MAX_FEW = 1500 };

// Of one thread: these sets are small, and rows that do not depend on threads are test_neighbors' business.
static mote_context *one_thread;

static mote_neighbors_def make_def(const char *method, double radius, uint32_t features)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.method = method;
    def.radius = radius;
    def.features = features;
    return def;
}

static mote_neighbors *make_search(mote_neighbors_def def)
{
    mote_neighbors *search;
    CHECK_OK(mote_neighbors_create(one_thread, &def, &search, NULL));
    return search;
}

static void check_same_rows(mote_neighbors *a, mote_neighbors *b, const char *what)
{
    mote_lists x, y;
    CHECK_OK(mote_neighbors_validate(a, NULL));
    CHECK_OK(mote_neighbors_validate(b, NULL));
    CHECK_OK(mote_neighbors_lists(a, &x, NULL));
    CHECK_OK(mote_neighbors_lists(b, &y, NULL));
    CHECK(x.count == y.count, "%s: %zu rows, expected %zu", what, y.count, x.count);
    for (uint32_t i = 0; i < x.count; ++i) {
        mote_row left = mote_lists_row(&x, i), right = mote_lists_row(&y, i);
        CHECK(left.count == right.count, "%s: row %u: %u, expected %u", what, i, right.count, left.count);
        for (uint32_t k = 0; k < left.count; ++k)
            CHECK(left.indices[k] == right.indices[k], "%s: row %u differs at %u", what, i, k);
    }
}

// ----------------------------------------------------------------------------------------------------------- hashes

static void remainders_are_exact(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 7, 16, 17, 1600, 65537, 1u << 31, 4294967291u, UINT32_MAX};
    mote_random random = {1};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        cell_hasher hasher = mote_hasher_make(false, sizes[s], 0);
        for (int k = 0; k < 1000; ++k) {
            uint32_t value = k == 0 ? 0 : k == 1 ? UINT32_MAX : mote_random_below(&random, UINT32_MAX);
            uint32_t rest = value % sizes[s];
            CHECK(mote_hash_reduce(&hasher, value) == rest, "value %u, table of %u", value, sizes[s]);
        }
    }
}

static void hashes_of_known_cells(void **state)
{
    (void)state;
    cell_hasher exclusive = mote_hasher_make(false, 1009, 0), additive = mote_hasher_make(true, 1009, 0);
    const grid_cell cell = {{3, -2, 5}};
    const uint32_t x = 221568279u, y = 0u - 38699326u, z = 417463955u;
    assert_int_equal(mote_hash_cell(&exclusive, cell), (x ^ y ^ z) % 1009);
    assert_int_equal(mote_hash_cell(&additive, cell), (x + y + z) % 1009);
    assert_int_equal(mote_hash_table_size(0), 17);
    assert_int_equal(mote_hash_table_size(1000), 1031);
    assert_int_equal(mote_hash_table_size(1024), 1031);
    assert_int_equal(mote_hash_table_size(1025), 2053);
}

static void frames_hold_any_place(void **state)
{
    (void)state;
    double xyz[] = {1e300, -1e300, 0, 1e300, -1e300, 1, 1e300, 1e300, 2};
    mote_points points = mote_points_xyz_f64(xyz, 3);
    cell_frame frame = mote_frame_make(&points, 1, 1);
    for (int i = 0; i < 3; ++i) {
        grid_cell cell = mote_frame_cell(&frame, xyz + 3 * i);
        for (int k = 0; k < 3; ++k)
            CHECK(cell.at[k] >= -MOTE_CELL_LIMIT && cell.at[k] <= MOTE_CELL_LIMIT, "point %d: %d", i, cell.at[k]);
        CHECK(cell.at[2] >= i - 1 && cell.at[2] <= i, "point %d: %d", i, cell.at[2]);
    }
    const double far[3] = {-1e308, 1e308, -1e9};
    grid_cell cell = mote_frame_cell(&frame, far);
    assert_int_equal(cell.at[0], -MOTE_CELL_LIMIT);
    assert_int_equal(cell.at[1], MOTE_CELL_LIMIT);
}

// ------------------------------------------------------------------------------------------------------------ masks

static void count_cell(void *data, grid_cell cell)
{
    (void)cell;
    *(int *)data += 1;
}

static void masks_have_their_size(void **state)
{
    (void)state;
    static const int sizes[4][3] = {{3, 9, 27}, {5, 25, 125}, {7, 49, 311}, {9, 77, 613}};  // H, dimensions
    float xyz[3] = {0.5f, 0.5f, 0.5f};
    for (int h = 1; h <= 4; ++h)
        for (int dimensions = 1; dimensions <= 3; ++dimensions) {
            mote_points points = mote_points_xyz(xyz, 1);
            points.dimensions = dimensions;
            mote_neighbors_def def = make_def("spatial_hash", 0.7, 0);
            def.subdivision = h;
            mote_neighbors *search = make_search(def);
            CHECK_OK(mote_neighbors_update(search, points, NULL));
            hashed_space space = ((const spatial_hash *)search->state)->space;
            for (int k = 0; k < dimensions; ++k) space.occupied.low.at[k] = -100, space.occupied.high.at[k] = 100;
            row_query query = {.at = {0.5, 0.5, 0.5}, .radius = search->radius};
            hash_mask mask = mote_mask_make(search, &space, &query);
            int count = 0, expected = sizes[h - 1][dimensions - 1];
            mote_mask_visit(&mask, count_cell, &count);
            CHECK(count == expected, "H %d, %dD: %d cells, expected %d", h, dimensions, count, expected);
            mote_neighbors_destroy(search);
        }
}

static void every_subdivision_and_table(void **state)
{
    (void)state;
    static const uint32_t tables[] = {0, 1, 2, 7, 20011};
    float *xyz = test_points_uniform(2, FEW, 3, 1);
    memcpy(xyz, xyz + 30, 30 * sizeof *xyz);  // some coincide
    mote_neighbors *oracle = make_search(make_def("all_pairs", 0.15, MOTE_NEIGHBORS_ASCENDING));
    CHECK_OK(mote_neighbors_update(oracle, mote_points_xyz(xyz, FEW), NULL));
    for (int m = 0; m < METHODS; ++m)
        for (size_t t = 0; t < sizeof tables / sizeof *tables; ++t)
            for (int variant = 0; variant < 8; ++variant) {
                mote_neighbors_def def = make_def(methods[m], 0.15, MOTE_NEIGHBORS_ASCENDING);
                def.table_size = tables[t];
                def.subdivision = 1 + variant % 4;
                def.hash = variant < 4 ? MOTE_HASH_XOR : MOTE_HASH_ADDITIVE;
                mote_neighbors *search = make_search(def);
                CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, FEW), NULL));
                check_same_rows(oracle, search, methods[m]);
                mote_neighbors_destroy(search);
            }
    mote_neighbors_destroy(oracle);
    free(xyz);
}

// A row of points, one in every cell of a line: all cells and what they share is known.
static void collisions_are_counted(void **state)
{
    (void)state;
    float xyz[3 * 40] = {0};
    for (int i = 0; i < 40; ++i) xyz[3 * i] = (float)(i / 2) + 0.5f;  // 20 cells, two points each
    for (int m = 0; m < METHODS; ++m)
        for (uint32_t table = 1; table <= 7; ++table) {
            mote_neighbors_def def = make_def(methods[m], 0.99, 0);
            def.table_size = table;
            mote_neighbors *search = make_search(def);
            CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, 40), NULL));
            const cell_frame frame = mote_frame_make(&(mote_points){{xyz, xyz + 1, xyz + 2}, 12, 40, MOTE_F32, 3},
                                                     search->radius, 1);
            cell_hasher hasher = mote_hasher_make(false, table, 0);
            uint64_t in_bucket[7] = {0}, collisions = 0;
            for (int i = 0; i < 40; i += 2) {
                const double at[3] = {(double)xyz[3 * i], 0, 0};
                in_bucket[mote_hash_cell(&hasher, mote_frame_cell(&frame, at))] += 1;
            }
            for (int b = 0; b < 7; ++b) collisions += in_bucket[b] > 1 ? in_bucket[b] : 0;
            mote_neighbors_counters counters = mote_neighbors_get_counters(search);
            CHECK(counters.cells == 20, "%s: %d cells", methods[m], (int)counters.cells);
            CHECK(counters.collisions == collisions, "%s, table of %u: %d collisions, expected %d", methods[m], table,
                  (int)counters.collisions, (int)collisions);
            mote_neighbors_destroy(search);
        }
}

// ---------------------------------------------------------------------------------------------------- varying radii

static void every_radius_rule(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(3, FEW, 3, 1), radii[MAX_FEW];
    mote_random random = {4};
    for (int i = 0; i < FEW; ++i) radii[i] = (float)ldexp(0.01 + 0.01 * mote_random_unit(&random), i % 50 ? i % 4 : 7);
    for (int rule = MOTE_RADIUS_MINE; rule <= MOTE_RADIUS_SUM; ++rule)
        for (int m = 0; m < METHODS; ++m)
            for (int h = 1; h <= 4; ++h) {
                uint32_t features = MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_ASCENDING;
                mote_neighbors_def def = make_def("all_pairs", 1, features);
                def.radius_rule = (mote_radius_rule)rule;
                def.subdivision = h;
                mote_neighbors *oracle = make_search(def);
                def.method = methods[m];
                mote_neighbors *search = make_search(def);
                CHECK_OK(mote_neighbors_update_radii(oracle, mote_points_xyz(xyz, FEW), radii, sizeof *radii, NULL));
                CHECK_OK(mote_neighbors_update_radii(search, mote_points_xyz(xyz, FEW), radii, sizeof *radii, NULL));
                check_same_rows(oracle, search, methods[m]);
                mote_neighbors_destroy(oracle);
                mote_neighbors_destroy(search);
            }
    free(xyz);
}

// Rows that look into a mask of thousands of cells, cell by cell, or at all points.
static void queries_of_any_radius(void **state)
{
    (void)state;
    enum { COUNT = 4000, QUERIES = 8 };
    float *xyz = test_points_uniform(5, COUNT, 3, 1), *queries = test_points_uniform(6, QUERIES, 3, 1);
    static const float query_radii[QUERIES] = {1e-3f, 0.02f, 0.2f, 0.25f, 0.3f, 1, 1e6f, 1e18f};
    float radii[COUNT];
    for (int i = 0; i < COUNT; ++i) radii[i] = 0.04f;
    queries[3] = 1e20f;
    mote_neighbors *found[METHODS + 1];
    mote_lists lists[METHODS + 1];
    for (int m = 0; m <= METHODS; ++m) {
        found[m] = make_search(make_def(m ? methods[m - 1] : "all_pairs", 1,
                                        MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_ASCENDING | MOTE_NEIGHBORS_QUERY));
        CHECK_OK(mote_neighbors_update_radii(found[m], mote_points_xyz(xyz, COUNT), radii, sizeof *radii, NULL));
        CHECK_OK(mote_neighbors_query_radii(found[m], mote_points_xyz(queries, QUERIES), query_radii,
                                            sizeof *query_radii, &lists[m], NULL));
        CHECK(lists[m].total == lists[0].total, "%s: %d hits", methods[m - 1], (int)lists[m].total);
        for (uint32_t i = 0; i < QUERIES; ++i) {
            mote_row expected = mote_lists_row(&lists[0], i), row = mote_lists_row(&lists[m], i);
            CHECK(row.count == expected.count, "query %u: %u hits, expected %u", i, row.count, expected.count);
            assert_memory_equal(row.indices, expected.indices, row.count * sizeof *row.indices);
        }
    }
    for (int m = 0; m <= METHODS; ++m) mote_neighbors_destroy(found[m]);
    free(xyz);
    free(queries);
}

// ------------------------------------------------------------------------------------------------------- time stamps

static void stamps_wrap_round(void **state)
{
    (void)state;
    mote_neighbors_def def = make_def("spatial_hash_dynamic", 0.2, 0);
    mote_neighbors *kept = make_search(def);
    for (int round = 0; round < 6; ++round) {
        float *xyz = test_points_uniform((uint64_t)round, FEW, 3, 1 + round % 3);
        mote_neighbors *fresh = make_search(def);
        CHECK_OK(mote_neighbors_update(kept, mote_points_xyz(xyz, FEW), NULL));
        CHECK_OK(mote_neighbors_update(fresh, mote_points_xyz(xyz, FEW), NULL));
        check_same_rows(fresh, kept, "stamps");
        spatial_hash_dynamic *hash = kept->state;
        if (round == 0) hash->stamp = UINT32_MAX - 2;
        CHECK(round == 0 || hash->stamp == (round < 3 ? UINT32_MAX - 2 + (uint32_t)round : (uint32_t)round - 2),
              "round %d: stamp %u", round, hash->stamp);
        mote_neighbors_destroy(fresh);
        free(xyz);
    }
    mote_neighbors_destroy(kept);
}

// ---------------------------------------------------------------------------------------------------------- kept up

// One random operation on the points: some move a little or far, some come, some go. Returns the new count.
static int change_points(mote_random *random, float *xyz, float *radii, int count)
{
    int share = 1 << mote_random_below(random, 10);  // one in so many moves
    bool is_far = mote_random_below(random, 3) == 0;
    for (int i = 0; i < count; ++i) {
        if (mote_random_below(random, (uint32_t)share)) continue;
        for (int k = 0; k < 3; ++k)
            xyz[3 * i + k] = (is_far ? 0 : xyz[3 * i + k]) + (is_far ? 1 : 0.02f) * (float)mote_random_unit(random);
    }
    int more = (int)mote_random_below(random, 200), less = (int)mote_random_below(random, 200);
    switch (mote_random_below(random, 12)) {
    case 0: less = count; break;
    case 1: more = MAX_FEW; break;
    case 2: less = more = 0; break;
    default: break;
    }
    count = less < count ? count - less : 0;
    for (; more > 0 && count < MAX_FEW; --more, ++count) {
        for (int k = 0; k < 3; ++k) xyz[3 * count + k] = (float)mote_random_unit(random);
        radii[count] = 0.03f;
    }
    if (count && mote_random_below(random, 8) == 0) xyz[0] = 1e12f;
    if (mote_random_below(random, 8) == 0)  // many in one place
        for (int i = 0; i < 3 * MOTE_MIN(count, 200); ++i) xyz[i] = 0.5f;
    return count;
}

static void kept_up_as_from_scratch(void **state)
{
    (void)state;
    static float xyz[3 * MAX_FEW], radii[MAX_FEW];
    for (int m = 0; m < METHODS; ++m)
        for (uint64_t seed = 1; seed <= 4; ++seed) {
            mote_random random = {seed};
            mote_neighbors_def def = make_def(methods[m], 0.1, seed == 4 ? MOTE_NEIGHBORS_RADII : 0);
            def.table_size = seed == 2 ? 5 : 0;
            def.subdivision = seed == 3 ? 2 : 1;
            mote_neighbors *kept = make_search(def);
            int count = 0;
            for (int round = 0; round < (SANITIZED ? 10 : 30); ++round) {
                count = change_points(&random, xyz, radii, count);
                mote_points points = mote_points_xyz(xyz, (size_t)count);
                def.method = m == 3 ? "cell_hash" : methods[m];  // built from scratch by sorting
                mote_neighbors *fresh = make_search(def);
                if (seed == 4) {
                    CHECK_OK(mote_neighbors_update_radii(kept, points, radii, sizeof *radii, NULL));
                    CHECK_OK(mote_neighbors_update_radii(fresh, points, radii, sizeof *radii, NULL));
                } else {
                    CHECK_OK(mote_neighbors_update(kept, points, NULL));
                    CHECK_OK(mote_neighbors_update(fresh, points, NULL));
                }
                check_same_rows(fresh, kept, methods[m]);
                mote_neighbors_counters a = mote_neighbors_get_counters(fresh), b = mote_neighbors_get_counters(kept);
                CHECK(a.cells == b.cells && a.collisions == b.collisions && a.candidates == b.candidates,
                      "%s, seed %d, round %d: other counts", methods[m], (int)seed, round);
                mote_neighbors_destroy(fresh);
            }
            mote_neighbors_destroy(kept);
        }
}

static void only_movers_are_relocated(void **state)
{
    (void)state;
    float xyz[3 * 100];
    for (int i = 0; i < 300; ++i) xyz[i] = (float)(i / 3) + 0.5f;
    mote_neighbors *search = make_search(make_def("cell_hash_incremental", 0.9, 0));
    static const size_t counts[] = {100, 100, 100, 97, 99, 0, 99};
    static const uint64_t moved[] = {100, 0, 5, 3, 2, 99, 99};
    for (int round = 0; round < 7; ++round) {
        for (int i = 0; i < 5 && round == 2; ++i) xyz[30 * i] += 1.5f;
        CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, counts[round]), NULL));
        CHECK_OK(mote_neighbors_validate(search, NULL));
        CHECK(mote_neighbors_get_counters(search).moved == moved[round], "round %d: %d moved", round,
              (int)mote_neighbors_get_counters(search).moved);
    }
    mote_neighbors_destroy(search);
}

static mote_result update_often(mote_context *context, void *data)
{
    const char *method = data;
    float xyz[3 * MAX_FEW], radii[MAX_FEW];
    mote_random random = {9};
    mote_neighbors_def def = make_def(method, 0.1, 0);
    mote_neighbors *search = NULL;
    mote_result result = mote_neighbors_create(context, &def, &search, NULL);
    int count = 0;
    for (int round = 0; round < 8 && result == MOTE_OK; ++round) {
        count = change_points(&random, xyz, radii, count);
        result = mote_neighbors_update(search, mote_points_xyz(xyz, (size_t)count), NULL);
        if (result == MOTE_OK) continue;
        mote_result again = mote_neighbors_update(search, mote_points_xyz(xyz, (size_t)count), NULL);
        CHECK(again == MOTE_OK || again == MOTE_ERROR_OUT_OF_MEMORY, "%s", mote_result_name(again));
        CHECK_OK(mote_neighbors_validate(search, NULL));
    }
    mote_neighbors_destroy(search);
    return result;
}

static void failing_allocations_on_updates(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; ++m) test_failing_allocations(update_often, (void *)(uintptr_t)methods[m]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(remainders_are_exact),
        cmocka_unit_test(hashes_of_known_cells),
        cmocka_unit_test(frames_hold_any_place),
        cmocka_unit_test(masks_have_their_size),
        cmocka_unit_test(every_subdivision_and_table),
        cmocka_unit_test(collisions_are_counted),
        cmocka_unit_test(every_radius_rule),
        cmocka_unit_test(queries_of_any_radius),
        cmocka_unit_test(stamps_wrap_round),
        cmocka_unit_test(kept_up_as_from_scratch),
        cmocka_unit_test(only_movers_are_relocated),
        cmocka_unit_test(failing_allocations_on_updates),
    };
    one_thread = test_context_with_threads(1);
    RUN_TESTS(tests, argc, argv);
}
