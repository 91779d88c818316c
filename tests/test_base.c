// SPDX-License-Identifier: MIT
// The parts of base that everything else stands on: sorting, sums, random numbers, point sets and results.

#include "base/tested.h"
#include "support/test.h"

// ------------------------------------------------------------------------------------------------------ sorting

typedef struct pair {
    uint64_t key;
    uint32_t value;
} pair;

// The oracle: C's own sort, made stable by the values, which are the original places.
static int compare_pairs(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

// Key i of `count`; what the sort has to cope with.
typedef uint64_t key_maker(size_t i, size_t count, mote_random *random);

static uint64_t key_equal(size_t i, size_t count, mote_random *random)
{
    (void)i, (void)count, (void)random;
    return 0xDEADBEEFCAFEF00Du;
}

static uint64_t key_sorted(size_t i, size_t count, mote_random *random)
{
    (void)count, (void)random;
    return i / 3;
}

static uint64_t key_reversed(size_t i, size_t count, mote_random *random)
{
    (void)random;
    return (uint64_t)(count - i) << 20;
}

static uint64_t key_random(size_t i, size_t count, mote_random *random)
{
    (void)i, (void)count;
    return mote_random_next(random);
}

static uint64_t key_few(size_t i, size_t count, mote_random *random)
{
    (void)i, (void)count;
    return mote_random_below(random, 3);
}

// Seven bits each of x, y and z, as cells pack them: digits that straddle bytes, with gaps between.
static uint64_t key_cells(size_t i, size_t count, mote_random *random)
{
    (void)i, (void)count;
    uint64_t x = mote_random_below(random, 128), y = mote_random_below(random, 128), z = mote_random_below(random, 128);
    return (z + 1000000) << 42 | (y + 77) << 21 | (x + 3);
}

static uint64_t key_top_bit(size_t i, size_t count, mote_random *random)
{
    (void)i, (void)count;
    return mote_random_next(random) & 0x8000000000000001u;
}

// In order but for one key across a block's edge.
static uint64_t key_nearly_sorted(size_t i, size_t count, mote_random *random)
{
    (void)count, (void)random;
    return i == 16384 ? 16000 : i;
}

static void sort_and_compare(const char *name, key_maker *make, size_t count, uint32_t threads)
{
    size_t room = count ? count : 1;
    pair *expected = malloc(room * sizeof *expected);
    uint64_t *keys = malloc(room * sizeof *keys), *keys_spare = malloc(room * sizeof *keys);
    uint32_t *values = malloc(room * sizeof *values), *values_spare = malloc(room * sizeof *values);
    uint64_t *alone = malloc(room * sizeof *alone);
    mote_random random = {count};
    for (size_t i = 0; i < count; ++i) {
        alone[i] = keys[i] = make(i, count, &random);
        values[i] = (uint32_t)i;
        expected[i] = (pair){keys[i], (uint32_t)i};
    }
    qsort(expected, count, sizeof *expected, compare_pairs);

    mote_context *context = test_context_with_threads(threads);
    CHECK_OK(mote_sort_u64(context, keys, values, keys_spare, values_spare, count));
    CHECK_OK(mote_sort_u64(context, alone, NULL, keys_spare, NULL, count));
    mote_context_destroy(context);

    for (size_t i = 0; i < count; ++i) {
        CHECK(keys[i] == expected[i].key, "%s, %zu keys, %u threads: key %zu", name, count, threads, i);
        CHECK(values[i] == expected[i].value, "%s, %zu keys, %u threads: value %zu", name, count, threads, i);
        CHECK(alone[i] == expected[i].key, "%s, %zu keys, %u threads, no values: key %zu", name, count, threads, i);
    }
    free(expected), free(keys), free(keys_spare), free(values), free(values_spare), free(alone);
}

static void sort_matches_qsort(void **state)
{
    (void)state;
    const struct {
        const char *name;
        key_maker *make;
    } makers[] = {
        {"equal", key_equal},     {"sorted", key_sorted},   {"reversed", key_reversed},
        {"random", key_random},   {"few", key_few},         {"cells", key_cells},
        {"top bit", key_top_bit}, {"nearly sorted", key_nearly_sorted},
    };
    const size_t counts[] = {0, 1, 2, 3, 1000, 16384, 16385, 70000};
    const uint32_t threads[] = {1, 2, 5};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; m += SEEKS_RACES ? 3 : 1)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c)
            for (size_t t = SEEKS_RACES; t < 3; ++t)
                sort_and_compare(makers[m].name, makers[m].make, counts[c], threads[t]);
}

static void sort_of_a_million(void **state)
{
    (void)state;
    const size_t count = SANITIZED ? 200000 : 1000000;
    for (uint32_t threads = 1; threads <= 5; threads += 2) sort_and_compare("cells", key_cells, count, threads);
    sort_and_compare("random", key_random, count, 2);
}

static mote_result sort_something(mote_context *context, void *data)
{
    enum { COUNT = 40000 };
    uint64_t *keys = data;
    uint64_t *spare = keys + COUNT;
    for (size_t i = 0; i < COUNT; ++i) keys[i] = COUNT - i;
    mote_result result = mote_sort_u64(context, keys, NULL, spare, NULL, COUNT);
    CHECK(keys[0] == (result == MOTE_OK ? 1 : COUNT), "%s, yet the first key is %llu", mote_result_name(result),
          (unsigned long long)keys[0]);
    return result;
}

static void sort_without_memory_changes_nothing(void **state)
{
    (void)state;
    uint64_t *keys = malloc(2 * 40000 * sizeof *keys);
    test_failing_allocations(sort_something, keys);
    free(keys);
}

static void short_sorts_allocate_nothing(void **state)
{
    (void)state;
    enum { COUNT = 16384 };
    static uint64_t keys[COUNT], spare[COUNT];
    for (size_t i = 0; i < COUNT; ++i) keys[i] = COUNT - i;
    mote_context *context = test_context_with_threads(2);
    uint64_t before = mote_context_allocation_count(context);
    CHECK_OK(mote_sort_u64(context, keys, NULL, spare, NULL, COUNT));
    CHECK(mote_context_allocation_count(context) == before, "memory was asked for");
    CHECK(keys[0] == 1 && keys[COUNT - 1] == COUNT, "not sorted");
    mote_context_destroy(context);
}

// --------------------------------------------------------------------------------------------------------- sums

static void prefix_sums(void **state)
{
    (void)state;
    uint32_t counts[] = {3, 0, 5, UINT32_MAX - 8};
    assert_true(mote_prefix_sum_u32(counts, 4) == UINT32_MAX);
    const uint32_t expected[] = {0, 3, 3, 8};
    assert_memory_equal(counts, expected, sizeof counts);
    assert_true(mote_prefix_sum_u32(counts, 0) == 0);
    assert_true(mote_prefix_sum_u32(NULL, 0) == 0);

    uint64_t wide[] = {UINT32_MAX, UINT32_MAX, 7};
    const uint64_t wide_expected[] = {0, UINT32_MAX, 2 * (uint64_t)UINT32_MAX};
    assert_true(mote_prefix_sum_u64(wide, 3) == 2 * (uint64_t)UINT32_MAX + 7);
    assert_memory_equal(wide, wide_expected, sizeof wide);
    assert_true(mote_prefix_sum_u64(wide, 0) == 0);
}

static void prefix_sum_reports_what_32_bits_cannot_hold(void **state)
{
    (void)state;
    uint32_t counts[] = {UINT32_MAX, UINT32_MAX};
    assert_true(mote_prefix_sum_u32(counts, 2) == 2 * (uint64_t)UINT32_MAX);
}

// --------------------------------------------------------------------------------------------------- random numbers

static void random_is_splitmix64(void **state)
{
    (void)state;
    mote_random random = {0};
    const uint64_t published[] = {0xE220A8397B1DCDAFu, 0x6E789E6AA1B965F4u, 0x06C45D188009454Fu};
    for (int k = 0; k < 3; ++k) {
        uint64_t next = mote_random_next(&random);
        CHECK(next == published[k], "output %d is %llx", k, (unsigned long long)next);
    }
}

static void random_numbers_stay_in_range(void **state)
{
    (void)state;
    mote_random random = {42};
    double sum = 0, squares = 0;
    const int count = 100000;
    for (int k = 0; k < count; ++k) {
        double unit = mote_random_unit(&random);
        CHECK(unit >= 0 && unit < 1, "%g", unit);
        uint32_t below = mote_random_below(&random, 7);
        CHECK(below < 7, "%u", below);
        double gauss = mote_random_gauss(&random);
        sum += gauss;
        squares += gauss * gauss;
    }
    CHECK(mote_random_below(&random, 1) == 0, "below(1)");
    CHECK(fabs(sum / count) < 0.02 && fabs(squares / count - 1) < 0.02, "mean %g, variance %g", sum / count,
          squares / count);
}

// ------------------------------------------------------------------------------------------------------- point sets

static void check_point(mote_points points, size_t i, double x, double y, double z)
{
    const double expected[3] = {x, y, z};
    for (int k = 0; k < 3; ++k) {
        double found = mote_points_get(&points, i, k);
        CHECK(found == expected[k], "axis %d of point %zu is %g, expected %g", k, i, found, expected[k]);
    }
}

static void point_layouts(void **state)
{
    (void)state;
    const float xyz[] = {1, 2, 3, 4, 5, 6};
    const double wide[] = {1, 2, 3, 4, 5, 1e300};
    const float x[] = {1, 4}, y[] = {2, 5}, z[] = {3, 6};
    check_point(mote_points_xyz(xyz, 2), 1, 4, 5, 6);
    check_point(mote_points_xyz_f64(wide, 2), 1, 4, 5, 1e300);
    check_point(mote_points_xy(xyz, 3), 2, 5, 6, 0);
    check_point(mote_points_axes(x, y, z, 2), 1, 4, 5, 6);
    check_point(mote_points_axes(x, y, NULL, 2), 1, 4, 5, 0);
    check_point(mote_points_axes(x, NULL, NULL, 2), 1, 4, 0, 0);

    const double x_f64[] = {1, 4}, y_f64[] = {2, 1e300}, z_f64[] = {3, 6};
    check_point(mote_points_xy_f64(wide, 3), 2, 5, 1e300, 0);
    check_point(mote_points_axes_f64(x_f64, y_f64, z_f64, 2), 1, 4, 1e300, 6);
    check_point(mote_points_axes_f64(x_f64, y_f64, NULL, 2), 1, 4, 1e300, 0);
    check_point(mote_points_axes_f64(x_f64, NULL, NULL, 2), 1, 4, 0, 0);
    assert_int_equal(mote_points_xy_f64(wide, 3).dimensions, 2);
    assert_int_equal(mote_points_axes_f64(x_f64, NULL, NULL, 2).dimensions, 1);
    assert_int_equal(mote_points_axes_f64(x_f64, y_f64, NULL, 2).scalar, MOTE_F64);

    const struct {
        uint64_t id;
        float at[2];
        char padding[5];
    } records[] = {{1, {10, 20}, {0}}, {2, {30, 40}, {0}}};
    mote_points points = mote_points_xy(records[0].at, 2);
    points.stride = sizeof records[0];
    check_point(points, 1, 30, 40, 0);
    points.axis[0] = &records[1].at[0];
    points.axis[1] = &records[1].at[1];
    points.stride = -points.stride;
    check_point(points, 1, 10, 20, 0);
}

static void expect_refused(mote_points points, const char *word)
{
    mote_error error = {0};
    assert_int_equal(mote_points_check(points, "points", &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(error.result, MOTE_ERROR_ARGUMENT);
    CHECK(strstr(error.text, word), "\"%s\" does not name %s", error.text, word);
    assert_int_equal(mote_points_check(points, "points", NULL), MOTE_ERROR_ARGUMENT);
}

static void point_checks(void **state)
{
    (void)state;
    const float xyz[3] = {0};
    CHECK_OK(mote_points_check(mote_points_xyz(xyz, 1), "points", NULL));
    CHECK_OK(mote_points_check(mote_points_xyz(NULL, 0), "points", NULL));

    expect_refused(mote_points_xyz(NULL, 1), "axis[0]");
    mote_points points = mote_points_xyz(xyz, 1);
    points.axis[2] = NULL;
    expect_refused(points, "axis[2]");
    points = mote_points_xyz(xyz, 1);
    points.dimensions = 4;
    expect_refused(points, "dimensions is 4");
    points.dimensions = 0;
    expect_refused(points, "dimensions is 0");
    points = mote_points_xyz(xyz, 1);
    points.scalar = (mote_scalar)2;
    expect_refused(points, "scalar is 2");
    points = mote_points_xyz(xyz, UINT32_MAX);
    expect_refused(points, "4294967295");
}

// ---------------------------------------------------------------------------------------------------------- results

static void every_result_has_a_name_and_a_text(void **state)
{
    (void)state;
    for (int r = 0; r < MOTE_RESULT_COUNT; ++r) {
        CHECK(strncmp(mote_result_name((mote_result)r), "MOTE_", 5) == 0, "result %d", r);
        CHECK(strlen(mote_result_text((mote_result)r)) > 3, "result %d", r);
    }
    assert_string_equal(mote_result_name(MOTE_ERROR_FORMAT), "MOTE_ERROR_FORMAT");
    assert_string_equal(mote_result_name(MOTE_RESULT_COUNT), "unknown result");
    assert_string_equal(mote_result_text((mote_result)1000), "unknown result");
}

static void errors_carry_place_and_text(void **state)
{
    (void)state;
    mote_error error;
    assert_int_equal(mote_fail(&error, MOTE_ERROR_NOT_FINITE, 7, "point %d is %g", 7, 0.5), MOTE_ERROR_NOT_FINITE);
    assert_true(error.index == 7 && error.line == 0 && error.column == 0);
    assert_string_equal(error.text, "point 7 is 0.5");
    assert_int_equal(mote_fail_at(&error, MOTE_ERROR_FORMAT, 3, 14, "%s", "bad"), MOTE_ERROR_FORMAT);
    assert_true(error.index == 0 && error.line == 3 && error.column == 14);
    assert_int_equal(mote_fail(NULL, MOTE_ERROR_STATE, 0, "nobody listens"), MOTE_ERROR_STATE);

    char endless[1000];
    memset(endless, 'x', sizeof endless - 1);
    endless[sizeof endless - 1] = 0;
    mote_fail(&error, MOTE_ERROR_FORMAT, 0, "%s", endless);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
}

static void version_is_that_of_the_header(void **state)
{
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", MOTE_VERSION_MAJOR, MOTE_VERSION_MINOR, MOTE_VERSION_PATCH);
    assert_string_equal(text, MOTE_VERSION);
    assert_string_equal(mote_version(), MOTE_VERSION);
}

// Points on a lattice, whose coordinates differ in few bits: any change of a coordinate or of the order is noticed.
static void checksum_of_points_notices_changes(void **state)
{
    (void)state;
    enum { COUNT = 301 };
    double wide[3 * COUNT], apart[3][COUNT];
    float narrow[3 * COUNT];
    for (int k = 0; k < 3 * COUNT; ++k) apart[k % 3][k / 3] = wide[k] = narrow[k] = (float)((k * 7 + k / 3) % 5);
    for (int is_f64 = 0; is_f64 < 2; ++is_f64)
        for (int dimensions = 1; dimensions <= 3; ++dimensions) {
            mote_points points = is_f64 ? mote_points_xyz_f64(wide, COUNT) : mote_points_xyz(narrow, COUNT);
            points.dimensions = dimensions;
            const uint64_t sum = mote_points_checksum(points);
            assert_true(sum != 0 && sum == mote_points_checksum(points));
            for (int i = 0; i < COUNT - 1; ++i) {
                const size_t size = is_f64 ? sizeof(double) : sizeof(float);
                char *one = (char *)(is_f64 ? (void *)wide : narrow) + 3 * size * (size_t)i, kept[24];
                memcpy(kept, one, 3 * size);
                one[size * (size_t)(i % dimensions)] ^= 1;
                CHECK(mote_points_checksum(points) != sum, "a bit of point %d of %d dimensions", i, dimensions);
                memcpy(one, kept, 3 * size);
                char *other = one + 3 * size * (size_t)(1 + i % (COUNT - 1 - i > 4 ? 4 : 1));
                const bool is_same = memcmp(one, other, size * (size_t)dimensions) == 0;
                memcpy(one, other, 3 * size);
                memcpy(other, kept, 3 * size);
                CHECK((mote_points_checksum(points) == sum) == is_same, "point %d of %d dimensions and another", i,
                      dimensions);
                memcpy(other, one, 3 * size);
                memcpy(one, kept, 3 * size);
            }
            for (int n = 0; n < 2000 && is_f64; ++n) {  // signs of one coordinate, and low bits of the other
                double *one = wide + 3 * (n % (COUNT - 9)), *other = one + 3 * (1 + n % 8);
                const double kept[2] = {*one, *other};
                *one = -1 - *one, *other = -(*other + 1) * (1 + ldexp(1 + n % 5, -(n % 53)));
                const uint64_t changed = mote_points_checksum(points);
                *one = -*one, *other = -*other;
                CHECK(mote_points_checksum(points) != changed, "two signs, %d", n);
                *one = kept[0], *other = kept[1];
            }
            assert_true(mote_points_checksum(points) == sum);
            points.count = COUNT - 1;
            assert_true(mote_points_checksum(points) != sum);
        }
    const uint64_t sum = mote_points_checksum(mote_points_xyz_f64(wide, COUNT));
    assert_true(sum == mote_points_checksum(mote_points_axes_f64(apart[0], apart[1], apart[2], COUNT)));
    assert_true(mote_points_checksum(mote_points_xyz(NULL, 0)) == mote_points_checksum(mote_points_xyz(narrow, 0)));
    assert_int_equal(mote_points_checksum(mote_points_xyz(NULL, 3)), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sort_matches_qsort),
        cmocka_unit_test(sort_of_a_million),
        cmocka_unit_test(sort_without_memory_changes_nothing),
        cmocka_unit_test(short_sorts_allocate_nothing),
        cmocka_unit_test(prefix_sums),
        cmocka_unit_test(prefix_sum_reports_what_32_bits_cannot_hold),
        cmocka_unit_test(random_is_splitmix64),
        cmocka_unit_test(random_numbers_stay_in_range),
        cmocka_unit_test(point_layouts),
        cmocka_unit_test(point_checks),
        cmocka_unit_test(checksum_of_points_notices_changes),
        cmocka_unit_test(every_result_has_a_name_and_a_text),
        cmocka_unit_test(errors_carry_place_and_text),
        cmocka_unit_test(version_is_that_of_the_header),
    };
    RUN_TESTS(tests, argc, argv);
}
