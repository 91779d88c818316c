// SPDX-License-Identifier: MIT
// What neighbour search promises whatever is searched: the same rows for any number of threads and in any layout, and
// for many points; no allocation once warm, and what is there after one failed; structures that follow their points.

#if defined(__linux__)
#define _GNU_SOURCE  // sched_setaffinity
#include <sched.h>
#endif

#include "mote/neighbors.h"
#include "support/compare.h"
#include "support/points.h"
#include "support/test.h"

enum { FEW = SANITIZED ? 1000 : 4000, MANY = SANITIZED ? 3000 : 20000, DENSE = SANITIZED ? 1500 : 3000 };
// Where one point is far away, some methods have few cells and look at nearly all pairs.
enum { AND_ONE_AFAR = SANITIZED ? 2000 : 5000 };

static void same_rows_for_any_threads(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 5};
    float *xyz = test_points_uniform(25, MANY, 3, 1);
    xyz[1] = 1e7f;
    for (int sparse = 0; sparse < 2; ++sparse) {
        const float *first = sparse ? xyz : xyz + 3;
        const size_t count = sparse ? AND_ONE_AFAR : MANY - 1;
        const mote_neighbors_method_info *info;
        for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
            uint64_t checksum[3];
            for (int t = SEEKS_RACES; t < 3; ++t) {
                mote_context *context = test_context_with_threads(threads[t]);
                mote_neighbors *search = test_make_search(context, info->name, 0.06, 0);
                mote_lists lists;
                CHECK_OK(mote_neighbors_update(search, mote_points_xyz(first, count), NULL));
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
            CHECK((SEEKS_RACES || checksum[0] == checksum[1]) && checksum[1] == checksum[2],
                  "%s: rows depend on threads", info->name);
        }
    }
    free(xyz);
}

// Many points, for methods other than the default a tenth of them: sampled rows against brute force, and the sum
// over all pairs against a wider search, filtered.
static void many_points(void **state)
{
    (void)state;
    const size_t most = SEEKS_RACES ? 30000 : SANITIZED ? 100000 : getenv("MOTE_LONG_TESTS") ? 1000000 : 250000;
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
    float *xyz = test_points_uniform(28, DENSE, 3, 1);
    mote_neighbors_def def = mote_neighbors_default_def();
    def.method = method;
    def.radius = 0.2;
    mote_neighbors *search = NULL;
    mote_lists lists;
    mote_result result = mote_neighbors_create(context, &def, &search, NULL);
    for (int round = 0; round < 2 && result == MOTE_OK; ++round) {  // dense, then sparse
        if (round == 1) xyz[0] = 1e9f;
        result = mote_neighbors_update(search, mote_points_xyz(xyz, DENSE), NULL);
        if (result == MOTE_OK) result = mote_neighbors_lists(search, &lists, NULL);
        if (result != MOTE_OK) {  // the object is valid: it works once memory is back
            mote_result again = mote_neighbors_update(search, mote_points_xyz(xyz, DENSE), NULL);
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
    for (int round = 0; round < (SEEKS_RACES ? 12 : 30); ++round) {
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
        test_check_same_rows(&expected, &found, "cell_grid", "changing counts");
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
        test_check_same_rows(&expected, &found, "cell_grid", "sets that wander off");
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

// NULL if the processor lacks the form.
static mote_context *context_with_form(mote_simd form, uint32_t threads)
{
    mote_context_def def = mote_context_default_def();
    mote_context *context = NULL;
    def.thread_count = threads;
    def.simd = form;
    return mote_context_create(&def, &context, NULL) == MOTE_OK ? context : NULL;
}

// Rows of many points are found in another way than those of a few, and of points that are named repeatedly in a third
// one. All are those of the lists, with every instruction set, whether cells have a table or, as with a point far away,
// none.
static void rows_of_many_points_are_those_of_the_lists(void **state)
{
    (void)state;
    enum { COUNT = 40000, KINDS = 7 };
    static const uint32_t threads[KINDS] = {1, 2, 5, 1, 1, 1, 1}, features[2] = {0, MOTE_NEIGHBORS_DISTANCES};
    static const mote_simd forms[KINDS] = {[3] = MOTE_SIMD_PLAIN, MOTE_SIMD_AVX2, MOTE_SIMD_AVX512, MOTE_SIMD_128};
    float *xyz = test_points_uniform(10, COUNT, 3, 1);
    uint32_t *wanted = malloc(COUNT * sizeof *wanted);
    mote_random random = {11};
    for (int trial = 0; trial < 2 * KINDS * 4; trial += SANITIZED ? 3 : 1) {
        if (SEEKS_RACES && threads[trial / 8] == 1) continue;
        const int way = trial % 4, far = trial / 4 % 2;
        mote_context *context = context_with_form(forms[trial / 8], threads[trial / 8]);
        if (!context) continue;
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

// What orders all rows is of no use to a few: it is built when all are asked for.
static void subsets_build_no_second_structure(void **state)
{
    (void)state;
    enum { COUNT = 20000 };  // whose orders take far more than what a search keeps to find a row
    float *xyz = test_points_uniform(26, COUNT, 3, 1);
    const uint32_t some[5] = {7, 3, COUNT - 1, 7, 0};
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
        mote_context *context = test_context_with_threads(1);
        mote_neighbors *search = test_make_search(context, info->name, 0.03, MOTE_NEIGHBORS_SUBSET);
        mote_lists lists;
        CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, COUNT), NULL));
        const size_t before = mote_neighbors_byte_count(search, NULL);
        CHECK_OK(mote_neighbors_subset(search, some, 5, &lists, NULL));
        const size_t after = mote_neighbors_byte_count(search, NULL);
        CHECK(after < before + COUNT, "%s: %zu bytes, then %zu", info->name, before, after);
        mote_neighbors_destroy(search);
        mote_context_destroy(context);
    }
    free(xyz);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(isolated_points_get_larger_cells),
        cmocka_unit_test(a_subset_of_none_and_chunks_come_first),
        cmocka_unit_test(subsets_build_no_second_structure),
        cmocka_unit_test(rows_of_many_points_are_those_of_the_lists),
        cmocka_unit_test(same_rows_for_any_threads),
        cmocka_unit_test(many_points),
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
