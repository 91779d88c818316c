// SPDX-License-Identifier: MIT
// Single rows: of every method and of any features, to the last bit and in the same order, the rows that lists and
// queries have; from several threads at once; with memory that runs out.

#include <math.h>
#include <pthread.h>

#include "mote/neighbors.h"
#include "support/cloud.h"
#include "support/test.h"

enum { SEEDS = SEEKS_RACES ? 20 : 60, THREADS = 4 };

typedef struct setting {
    mote_neighbors_def def;
    cloud set, queries;
    mote_neighbors *search;
    int seed;
} setting;

static bool has(const setting *s, uint32_t feature)
{
    return (s->def.features & feature) != 0;
}

static void compare(const setting *s, mote_row found, mote_row expected, const char *what)
{
    const size_t n = expected.count;
    bool same = found.count == n && memcmp(found.indices, expected.indices, n * sizeof *found.indices) == 0;
    same = same && !found.squared == !expected.squared && !found.squared_f64 == !expected.squared_f64;
    same = same && !found.shifts == !expected.shifts && !found.differences == !expected.differences;
    if (same && expected.squared) same = memcmp(found.squared, expected.squared, n * sizeof(float)) == 0;
    if (same && expected.squared_f64) same = memcmp(found.squared_f64, expected.squared_f64, n * sizeof(double)) == 0;
    if (same && expected.differences)
        same = memcmp(found.differences, expected.differences, 3 * n * sizeof(float)) == 0;
    if (same && expected.differences_f64)
        same = memcmp(found.differences_f64, expected.differences_f64, 3 * n * sizeof(double)) == 0;
    if (same && expected.shifts) same = memcmp(found.shifts, expected.shifts, 3 * n * sizeof(int32_t)) == 0;
    CHECK(same, "%s, features %x, seed %d: %s: row %u has %u neighbours, expected %u", s->def.method, s->def.features,
          s->seed, what, expected.index, found.count, expected.count);
}

static void update(setting *s)
{
    if (has(s, MOTE_NEIGHBORS_RADII))
        CHECK_OK(mote_neighbors_update_radii(s->search, s->set.points, s->set.own_radii, cloud_radius_stride(&s->set),
                                             NULL));
    else
        CHECK_OK(mote_neighbors_update(s->search, s->set.points, NULL));
}

// Finds the rows of queries.
static void find_around(const setting *s, const cloud *queries, mote_lists *lists)
{
    if (has(s, MOTE_NEIGHBORS_RADII))
        CHECK_OK(mote_neighbors_query_radii(s->search, queries->points, queries->own_radii,
                                            cloud_radius_stride(queries), lists, NULL));
    else
        CHECK_OK(mote_neighbors_query(s->search, queries->points, lists, NULL));
}

// Single rows first, so that nothing which lists build on their way can help.
static void check_rows(setting *s, mote_row_scratch *scratch, bool lists_first)
{
    mote_lists lists;
    mote_row row;
    const bool radii = has(s, MOTE_NEIGHBORS_RADII);
    if (!lists_first && s->set.count) CHECK_OK(mote_neighbors_row_of(s->search, 0, scratch, &row, NULL));
    CHECK_OK(mote_neighbors_lists(s->search, &lists, NULL));
    for (uint32_t i = 0; i < s->set.count; ++i) {
        CHECK_OK(mote_neighbors_row_of(s->search, i, scratch, &row, NULL));
        assert_int_equal(row.index, i);
        compare(s, row, mote_lists_row(&lists, i), "of a point");
    }
    find_around(s, &s->queries, &lists);
    for (uint32_t k = 0; k < s->queries.count; ++k) {
        CHECK_OK(mote_neighbors_row_at(s->search, s->queries.xyz + 3 * (size_t)k, radii ? s->queries.radii[k] : 0,
                                       scratch, &row, NULL));
        compare(s, row, mote_lists_row(&lists, k), "at a place");
    }
}

static setting make_setting(mote_context *context, const mote_neighbors_method_info *info, uint32_t features, int seed)
{
    mote_random random = {(uint64_t)seed};
    setting s = {.def = mote_neighbors_default_def(), .seed = seed};
    const int dimensions = 1 + (int)mote_random_below(&random, 3);
    const size_t count = seed % 9 ? mote_random_below(&random, 150) : 0;
    s.def.method = info->name;
    s.def.features = features | MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_SUBSET;
    s.def.radius_rule = (mote_radius_rule)mote_random_below(&random, 3);
    if (has(&s, MOTE_NEIGHBORS_HALF) && s.def.radius_rule == MOTE_RADIUS_MINE) s.def.radius_rule = MOTE_RADIUS_SUM;
    if (has(&s, MOTE_NEIGHBORS_PERIODIC)) cloud_random_box(&random, dimensions, s.def.period);
    s.def.radius = (double)(float)((0.3 + mote_random_unit(&random)) * pow((double)count + 1, -1.0 / dimensions));
    s.def.skin = 0.3 * s.def.radius;
    s.def.open_ball = seed % 2;
    CHECK_OK(mote_neighbors_create(context, &s.def, &s.search, NULL));
    const mote_scalar scalar = has(&s, MOTE_NEIGHBORS_F64) ? MOTE_F64 : MOTE_F32;
    const double radius = s.def.radius / (has(&s, MOTE_NEIGHBORS_RADII) ? 2 : 1);
    s.set = cloud_random(&random, scalar, dimensions, count, radius);
    s.queries = cloud_random(&random, scalar, dimensions, 40, radius);
    update(&s);
    return s;
}

static void release(setting *s)
{
    mote_neighbors_destroy(s->search);
    cloud_free(&s->set);
    cloud_free(&s->queries);
}

static void rows_that_lists_have(void **state)
{
    (void)state;
    mote_row_scratch *scratch;
    const mote_neighbors_method_info *info;
    CHECK_OK(mote_row_scratch_create(NULL, &scratch, NULL));
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
        const uint32_t needs = MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_SUBSET;
        for (int seed = 0; seed < SEEDS && (info->features & needs) == needs; ++seed) {
            mote_random random = {(uint64_t)(7 * seed + 1)};
            uint32_t features = (uint32_t)mote_random_next(&random) & info->features;
            features &= ~(uint32_t)(MOTE_NEIGHBORS_GROUPS | MOTE_NEIGHBORS_NEAREST);
            if (seed < 13) features = info->features & (uint32_t)1 << seed & ~(uint32_t)MOTE_NEIGHBORS_GROUPS;
            setting s = make_setting(NULL, info, features, seed);
            check_rows(&s, scratch, seed % 2);
            for (size_t i = 0; i < 3 * s.set.count; ++i)  // within the skin, if there is one
                s.set.xyz[i] += 0.02 * s.def.radius * mote_random_unit(&random);
            cloud_refresh(&s.set);
            update(&s);
            check_rows(&s, scratch, seed % 3);
            release(&s);
        }
    }
    mote_row_scratch_destroy(scratch);
}

// ------------------------------------------------------------------------------------------------------- threads

typedef struct reader {
    setting *setting;
    const mote_lists *lists, *around;  // the rows of the points, and of queries at them
    uint32_t first;
    uint64_t wrong;
} reader;

static bool has_indices(mote_row row, mote_row expected)
{
    const size_t bytes = expected.count * sizeof *expected.indices;
    return row.count == expected.count && (bytes == 0 || memcmp(row.indices, expected.indices, bytes) == 0);
}

static void *read_rows(void *data)
{
    reader *task = data;
    const setting *s = task->setting;
    mote_row_scratch *scratch;
    mote_row row;
    if (mote_row_scratch_create(NULL, &scratch, NULL) != MOTE_OK) return NULL;
    task->wrong = 0;
    for (uint32_t k = 0; k < 2 * s->set.count; ++k) {
        const uint32_t i = (task->first + k) % (uint32_t)s->set.count;
        const mote_row expected = mote_lists_row(task->lists, i);
        const bool radii = has(s, MOTE_NEIGHBORS_RADII);
        task->wrong += mote_neighbors_row_of(s->search, i, scratch, &row, NULL) != MOTE_OK;
        task->wrong += !has_indices(row, expected);
        task->wrong += mote_neighbors_row_at(s->search, s->set.xyz + 3 * (size_t)i, radii ? s->set.radii[i] : 0,
                                             scratch, &row, NULL) != MOTE_OK;
        task->wrong += !has_indices(row, mote_lists_row(task->around, i));
    }
    mote_row_scratch_destroy(scratch);
    return task;
}

static void several_threads_at_once(void **state)
{
    (void)state;
    static const uint32_t kinds[] = {0,
                                     MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_DISTANCES,
                                     MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_RADII,
                                     MOTE_NEIGHBORS_SKIN,
                                     MOTE_NEIGHBORS_ASCENDING};
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m)
        for (size_t f = 0; f < sizeof kinds / sizeof *kinds; ++f) {
            const uint32_t needs = kinds[f] | MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_SUBSET;
            if ((info->features & needs) != needs) continue;
            setting s = make_setting(NULL, info, kinds[f], 17);
            mote_lists lists, around;
            mote_kept_lists *kept;
            reader readers[THREADS];
            pthread_t threads[THREADS];
            assert_true(s.set.count > 0);
            CHECK_OK(mote_neighbors_lists(s.search, &lists, NULL));
            CHECK_OK(mote_neighbors_take_lists(s.search, &kept, NULL));
            find_around(&s, &s.set, &around);
            for (uint32_t t = 0; t < THREADS; ++t) {
                readers[t] = (reader){&s, &lists, &around, t * 11, 1};
                assert_int_equal(pthread_create(&threads[t], NULL, read_rows, &readers[t]), 0);
            }
            for (uint32_t t = 0; t < THREADS; ++t) {
                pthread_join(threads[t], NULL);
                CHECK(readers[t].wrong == 0, "%s, features %x: %llu rows are wrong", info->name, kinds[f],
                      (unsigned long long)readers[t].wrong);
            }
            mote_kept_lists_destroy(kept);
            release(&s);
        }
}

// --------------------------------------------------------------------------------------------------------- errors

static void bad_calls(void **state)
{
    (void)state;
    const mote_neighbors_method_info *grid = mote_neighbors_method_at(1);
    setting s = make_setting(NULL, grid, 0, 5), plain = make_setting(NULL, grid, MOTE_NEIGHBORS_RADII, 5);
    mote_row_scratch *scratch;
    mote_row row;
    mote_error error;
    const double at[3] = {0, 0, 0}, bad[3] = {(double)NAN, 0, 0}, large[3] = {1e300, 0, 0};
    CHECK_OK(mote_row_scratch_create(NULL, &scratch, NULL));
    assert_int_equal(mote_neighbors_row_of(s.search, (uint32_t)s.set.count, scratch, &row, &error),
                     MOTE_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "expected one below"));
    assert_int_equal(mote_neighbors_row_of(s.search, 0, NULL, &row, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_neighbors_row_of(NULL, 0, scratch, &row, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_neighbors_row_at(s.search, NULL, 0, scratch, &row, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_neighbors_row_at(s.search, bad, 0, scratch, &row, &error), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(mote_neighbors_row_at(s.search, large, 0, scratch, &row, &error), MOTE_ERROR_NOT_FINITE);
    assert_string_equal(error.text, "row: coordinate x is 1e+300, expected a finite float");
    assert_int_equal(mote_neighbors_row_at(s.search, at, 1, scratch, &row, &error), MOTE_ERROR_UNSUPPORTED);
    assert_int_equal(mote_neighbors_row_at(plain.search, at, 0, scratch, &row, &error), MOTE_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "radius is 0"));
    release(&plain);
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = 1;
    CHECK_OK(mote_neighbors_create(NULL, &def, &plain.search, NULL));
    assert_int_equal(mote_neighbors_row_at(plain.search, at, 0, scratch, &row, &error), MOTE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "MOTE_NEIGHBORS_QUERY"));
    assert_int_equal(mote_neighbors_row_of(plain.search, 0, scratch, &row, &error), MOTE_ERROR_UNSUPPORTED);
    mote_neighbors_destroy(plain.search);
    def.features = MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_SUBSET;
    CHECK_OK(mote_neighbors_create(NULL, &def, &plain.search, NULL));
    assert_int_equal(mote_neighbors_row_at(plain.search, at, 0, scratch, &row, &error), MOTE_ERROR_STATE);
    assert_int_equal(mote_neighbors_row_of(plain.search, 0, scratch, &row, &error), MOTE_ERROR_STATE);
    CHECK_OK(mote_neighbors_update_sets(plain.search, &s.set.points, 1, NULL, NULL));
    assert_int_equal(mote_neighbors_row_at(plain.search, at, 0, scratch, &row, &error), MOTE_ERROR_STATE);
    assert_non_null(strstr(error.text, "holds sets"));
    CHECK_OK(mote_neighbors_row_at(mote_neighbors_search_of_set(plain.search, 0), at, 0, scratch, &row, &error));
    mote_neighbors_destroy(plain.search);
    mote_row_scratch_destroy(scratch);
    mote_row_scratch_destroy(NULL);
    release(&s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_lists_have),
        cmocka_unit_test(several_threads_at_once),
        cmocka_unit_test(bad_calls),
    };
    RUN_TESTS(tests, argc, argv);
}
