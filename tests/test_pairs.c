// SPDX-License-Identifier: MIT
// Lists as pairs, orders of points and arrays that are brought into them, against plain loops.

#include <math.h>

#include "mote/neighbors.h"
#include "support/cloud.h"
#include "support/points.h"
#include "support/test.h"

static const uint32_t thread_counts[] = {1, 2, 5};

// ----------------------------------------------------------------------------------------------------------- pairs

typedef struct pair_columns {
    uint64_t count;
    void *i, *j, *distances, *squared, *differences;
    int32_t *shifts;
    int64_t *shifts_64;
} pair_columns;

static void *filled(size_t bytes)
{
    void *memory = malloc(bytes + 8);
    memset(memory, 0x5A, bytes + 8);
    return memory;
}

static void make_room(const mote_lists *lists, pair_columns *columns, mote_pair_arrays *to)
{
    const size_t n = lists->total + 3;
    to->capacity = lists->total;
    to->i = columns->i = filled(8 * n);
    to->j = columns->j = filled(8 * n);
    columns->distances = filled(8 * n);
    columns->squared = filled(8 * n);
    columns->differences = filled(24 * n);
    columns->shifts = filled(12 * n);
    columns->shifts_64 = filled(24 * n);
    if (lists->squared || lists->squared_f64 || lists->differences || lists->differences_f64)
        to->distances = columns->distances, to->squared = columns->squared;
    if (lists->differences || lists->differences_f64) to->differences = columns->differences;
    if (lists->shifts) to->shifts = columns->shifts, to->shifts_64 = columns->shifts_64;
}

static void free_room(pair_columns *columns)
{
    free(columns->i);
    free(columns->j);
    free(columns->distances);
    free(columns->squared);
    free(columns->differences);
    free(columns->shifts);
    free(columns->shifts_64);
}

static bool is_kept(const mote_pair_arrays *to, const mote_row *row, size_t k)
{
    if (!to->half || row->indices[k] > row->index) return true;
    if (row->indices[k] < row->index || !row->shifts) return false;
    const int32_t *s = row->shifts + 3 * k;
    return s[0] != 0 ? s[0] > 0 : s[1] != 0 ? s[1] > 0 : s[2] > 0;
}

static double number_at(const void *f32, const void *f64, size_t k)
{
    return f32 ? (double)((const float *)f32)[k] : ((const double *)f64)[k];
}

// The squared distance of a neighbour: with the row, or that of its differences.
static double squared_at(const mote_row *row, size_t k)
{
    if (row->squared || row->squared_f64) return number_at(row->squared, row->squared_f64, k);
    if (row->differences_f64) {
        const double *d = row->differences_f64 + 3 * k;
        return (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    }
    const float *d = row->differences + 3 * k;
    return (double)((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]);
}

// Compares the columns with a loop over the rows.
static void check_pairs(const mote_lists *lists, const mote_pair_arrays *to, uint64_t count)
{
    const bool f32 = lists->squared || lists->differences;
    uint64_t at = 0;
    for (uint32_t r = 0; r < lists->count; ++r) {
        const mote_row row = mote_lists_row(lists, r);
        for (size_t k = 0; k < row.count; ++k) {
            if (!is_kept(to, &row, k)) continue;
            const uint64_t i = to->is_64 ? (uint64_t)((int64_t *)to->i)[at] : ((uint32_t *)to->i)[at];
            const uint64_t j = to->is_64 ? (uint64_t)((int64_t *)to->j)[at] : ((uint32_t *)to->j)[at];
            CHECK(i == r && j == row.indices[k], "pair %llu: %llu, %llu", (unsigned long long)at,
                  (unsigned long long)i, (unsigned long long)j);
            if (to->squared) {
                const double squared = squared_at(&row, k);
                const double root = f32 ? (double)sqrtf((float)squared) : sqrt(squared);
                assert_true(number_at(f32 ? to->squared : NULL, to->squared, at) == squared);
                assert_true(number_at(f32 ? to->distances : NULL, to->distances, at) == root);
            }
            for (size_t a = 0; a < 3 && to->differences; ++a)
                assert_true(number_at(f32 ? to->differences : NULL, to->differences, 3 * at + a) ==
                            number_at(row.differences, row.differences_f64, 3 * k + a));
            for (size_t a = 0; a < 3 && to->shifts; ++a) {
                assert_int_equal(to->shifts[3 * at + a], row.shifts[3 * k + a]);
                assert_int_equal(to->shifts_64[3 * at + a], row.shifts[3 * k + a]);
            }
            ++at;
        }
    }
    assert_int_equal(at, count);
    const size_t bytes = to->is_64 ? 8 : 4;  // nothing behind the last
    for (size_t b = 0; b < 8; ++b) assert_int_equal(((unsigned char *)to->i)[count * bytes + b], 0x5A);
}

// More than one block of rows, some of them empty.
static cloud make_points(mote_random *random, mote_scalar scalar, uint32_t count)
{
    double *xyz = malloc(3 * (size_t)count * sizeof *xyz), *radii = calloc(count, sizeof *radii);
    for (size_t k = 0; k < 3 * (size_t)count; ++k) xyz[k] = mote_random_unit(random);
    return cloud_make(scalar, 3, count, xyz, radii);
}

static void pairs_are_those_of_the_rows(void **state)
{
    (void)state;
    static const uint32_t kinds[] = {0,
                                     MOTE_NEIGHBORS_DISTANCES,
                                     MOTE_NEIGHBORS_DIFFERENCES,
                                     MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_DIFFERENCES | MOTE_NEIGHBORS_PERIODIC,
                                     MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES | MOTE_NEIGHBORS_PERIODIC,
                                     MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES,
                                     MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_PERIODIC,
                                     MOTE_NEIGHBORS_HALF | MOTE_NEIGHBORS_DISTANCES};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; ++kind)
        for (size_t t = 0; t < sizeof thread_counts / sizeof *thread_counts; ++t)
            for (int form = 0; form < 4; form += SEEKS_RACES ? 3 : 1) {
                mote_random random = {kind + 1};
                mote_context *context = test_context_with_threads(thread_counts[t]);
                const mote_scalar scalar = kinds[kind] & MOTE_NEIGHBORS_F64 ? MOTE_F64 : MOTE_F32;
                cloud set = make_points(&random, scalar, SEEKS_RACES ? 5000 : 9000);
                mote_neighbors_def def = mote_neighbors_default_def();
                def.features = kinds[kind];
                def.radius = 0.05;
                def.period[0].x = def.period[1].y = 1.01;
                mote_neighbors *search;
                mote_lists lists;
                CHECK_OK(mote_neighbors_create(context, &def, &search, NULL));
                CHECK_OK(mote_neighbors_update(search, set.points, NULL));
                CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
                assert_true(lists.total > 0);
                pair_columns columns;
                mote_pair_arrays to = {.is_64 = form % 2, .half = form / 2};
                uint64_t count, counted;
                CHECK_OK(mote_lists_to_pairs(context, &lists, &to, &counted, NULL));
                make_room(&lists, &columns, &to);
                to.capacity = counted;
                CHECK_OK(mote_lists_to_pairs(context, &lists, &to, &count, NULL));
                assert_int_equal(count, counted);
                check_pairs(&lists, &to, count);
                free_room(&columns);
                mote_neighbors_destroy(search);
                cloud_free(&set);
                mote_context_destroy(context);
            }
}

// The pairs of a search in a periodic box, with points outside of it, some of them too far for rows of codes; with any
// number of threads and every instruction set: what its lists have with one thread in plain C, to the last bit.
static void pairs_of_a_search(void **state)
{
    (void)state;
    enum { POINTS = SEEKS_RACES ? 2500 : 5000 };
    static const int beyond[] = {0, 1, 5};  // periods between the box and some of the points
    for (size_t b = 0; b < sizeof beyond / sizeof *beyond; ++b) {
        mote_random random = {b + 1};
        mote_neighbors_def def = mote_neighbors_default_def();
        def.features = MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_DIFFERENCES;
        def.radius = 0.1;
        def.period[0].x = def.period[1].y = def.period[2].z = 1;
        def.period[1].x = 0.25;
        cloud set = make_points(&random, MOTE_F64, POINTS);
        for (uint32_t k = 0; k < POINTS; k += 3) set.xyz[3 * (size_t)k] += beyond[b];
        cloud_refresh(&set);
        void *expected[5] = {NULL};
        static const size_t bytes[5] = {8, 8, 8, 24, 24};
        uint64_t total = 0;
        for (int simd = -1; simd <= MOTE_SIMD_128; ++simd)
            for (size_t t = 0; t < sizeof thread_counts / sizeof *thread_counts; ++t) {
                const mote_simd form = simd < 0 ? MOTE_SIMD_PLAIN : (mote_simd)simd;
                mote_context_def context_def = mote_context_default_def();
                context_def.thread_count = simd < 0 ? 1 : thread_counts[t];
                context_def.simd = form;
                if (simd < 0 && t > 0) continue;
                mote_context *context;
                mote_neighbors *search;
                mote_lists lists;
                uint64_t count;
                const mote_result made = mote_context_create(&context_def, &context, NULL);
                if (made == MOTE_ERROR_UNSUPPORTED) continue;
                CHECK_OK(made);
                CHECK_OK(mote_neighbors_create(context, &def, &search, NULL));
                CHECK_OK(mote_neighbors_update(search, set.points, NULL));
                if (simd < 0)
                    CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
                else
                    CHECK_OK(mote_neighbors_pairs(search, NULL, &count, NULL));
                if (simd < 0) total = count = lists.total;
                assert_int_equal(count, total);
                void *found[5];
                for (int c = 0; c < 5; ++c) found[c] = filled(bytes[c] * total);
                const mote_pair_arrays to = {.i = found[0], .j = found[1], .distances = found[2],
                                             .differences = found[3], .shifts_64 = found[4], .capacity = total,
                                             .is_64 = true};
                if (simd < 0)
                    CHECK_OK(mote_lists_to_pairs(context, &lists, &to, &count, NULL));
                else
                    CHECK_OK(mote_neighbors_pairs(search, &to, &count, NULL));
                assert_int_equal(count, total);
                for (int c = 0; c < 5; ++c) {
                    if (simd < 0) {
                        expected[c] = found[c];
                        continue;
                    }
                    CHECK(memcmp(found[c], expected[c], bytes[c] * total + 8) == 0, "%s, %u threads, column %d",
                          mote_simd_name(form), context_def.thread_count, c);
                    free(found[c]);
                }
                mote_neighbors_destroy(search);
                mote_context_destroy(context);
            }
        for (int c = 0; c < 5; ++c) free(expected[c]);
        cloud_free(&set);
    }
}

// Rows of codes are used where they can be: they take 4 bytes a pair where lists take 40 and more.
static void pairs_of_a_search_take_less_memory(void **state)
{
    (void)state;
    mote_random random = {4};
    mote_neighbors_def def = mote_neighbors_default_def();
    def.features = MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_DIFFERENCES;
    def.radius = 0.1;
    def.period[0].x = def.period[1].y = def.period[2].z = 1;
    cloud set = make_points(&random, MOTE_F64, 5000);
    mote_neighbors *by_lists, *by_pairs;
    mote_lists lists;
    uint64_t count;
    CHECK_OK(mote_neighbors_create(NULL, &def, &by_lists, NULL));
    CHECK_OK(mote_neighbors_create(NULL, &def, &by_pairs, NULL));
    CHECK_OK(mote_neighbors_update(by_lists, set.points, NULL));
    CHECK_OK(mote_neighbors_update(by_pairs, set.points, NULL));
    CHECK_OK(mote_neighbors_lists(by_lists, &lists, NULL));
    CHECK_OK(mote_neighbors_pairs(by_pairs, NULL, &count, NULL));
    assert_int_equal(count, lists.total);
    size_t of_lists, of_pairs;
    mote_neighbors_byte_count(by_lists, &of_lists);
    mote_neighbors_byte_count(by_pairs, &of_pairs);
    assert_true(of_pairs + 30 * count < of_lists);
    mote_neighbors_destroy(by_lists);
    mote_neighbors_destroy(by_pairs);
    cloud_free(&set);
}

// What is refused, and what becomes of the rows that were found.
static void calls_for_pairs_of_a_search(void **state)
{
    (void)state;
    mote_random random = {3};
    mote_error error;
    mote_neighbors_def def = mote_neighbors_default_def();
    def.features = MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_SUBSET;
    def.radius = 0.1;
    def.period[0].x = 1;
    cloud set = make_points(&random, MOTE_F64, 400);
    mote_neighbors *search;
    mote_lists lists;
    mote_kept_lists *kept;
    uint64_t count = 7, again;
    CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
    assert_int_equal(mote_neighbors_pairs(search, NULL, &count, &error), MOTE_ERROR_STATE);
    assert_int_equal(count, 7);
    CHECK_OK(mote_neighbors_update(search, set.points, NULL));
    CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
    const uint64_t total = lists.total;
    uint32_t *j = filled(4 * total);
    mote_pair_arrays to = {.differences = j, .capacity = total};
    assert_int_equal(mote_neighbors_pairs(search, &to, &count, &error), MOTE_ERROR_ARGUMENT);
    assert_string_equal(error.text, "pairs: differences, which the lists do not have, expected "
                        "MOTE_NEIGHBORS_DIFFERENCES in the def's features");
    to = (mote_pair_arrays){.j = j, .capacity = total - 1};
    assert_int_equal(mote_neighbors_pairs(search, &to, &count, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(count, total);
    for (size_t b = 0; b < 4 * total; ++b) assert_int_equal(((unsigned char *)j)[b], 0x5A);
    assert_int_equal(mote_neighbors_take_lists(search, &kept, &error), MOTE_ERROR_STATE);
    to.capacity = total;
    CHECK_OK(mote_neighbors_pairs(search, &to, &again, NULL));
    assert_int_equal(again, total);
    const mote_neighbors_counters work = mote_neighbors_get_counters(search);
    assert_int_equal(work.hits, total);
    const uint32_t half = 2;
    CHECK_OK(mote_neighbors_subset(search, &half, 1, &lists, NULL));  // in the same memory
    CHECK_OK(mote_neighbors_pairs(search, NULL, &count, NULL));
    assert_int_equal(count, total);
    set.points.count = 200;
    CHECK_OK(mote_neighbors_update(search, set.points, NULL));
    CHECK_OK(mote_neighbors_pairs(search, NULL, &count, NULL));
    assert_true(count > 0 && count < total);
    set.points.count = 0;
    CHECK_OK(mote_neighbors_update(search, set.points, NULL));
    CHECK_OK(mote_neighbors_pairs(search, &to, &count, NULL));
    assert_int_equal(count, 0);
    set.points.count = 400;
    free(j);
    mote_neighbors_destroy(search);
    cloud_free(&set);
}

typedef struct index_pair {
    uint32_t i, j;
} index_pair;

static int compare_index_pairs(const void *a, const void *b)
{
    const index_pair *x = a, *y = b;
    return x->i != y->i ? (x->i < y->i ? -1 : 1) : x->j < y->j ? -1 : x->j > y->j;
}

// The pairs i < j of a search, sorted; through the rows in the order in which they are found, or in that of the points.
static index_pair *find_sorted(mote_context *context, mote_neighbors *search, bool in_order, uint64_t *count)
{
    mote_lists lists;
    const uint32_t *order = NULL;
    if (in_order)
        CHECK_OK(mote_neighbors_lists_in_order(search, &lists, &order, NULL));
    else
        CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
    uint32_t *i = malloc(4 * (lists.total + 1)), *j = malloc(4 * (lists.total + 1));
    index_pair *pairs = malloc((lists.total + 1) * sizeof *pairs);
    const mote_pair_arrays to = {.i = i, .j = j, .points = order, .capacity = lists.total, .ordered = true};
    CHECK_OK(mote_lists_to_pairs(context, &lists, &to, count, NULL));
    for (uint64_t k = 0; k < *count; ++k) pairs[k] = (index_pair){i[k], j[k]};
    qsort(pairs, *count, sizeof *pairs, compare_index_pairs);
    free(i);
    free(j);
    return pairs;
}

// Each pair once, in the row of either point: the same pairs as in that of the smaller index, by every method; and the
// rows of a subset are those of the lists.
static void pairs_in_the_rows_of_either_point(void **state)
{
    (void)state;
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
        const bool all_pairs = strcmp(info->name, "all_pairs") == 0;  // slow, and the same code for any number
        const uint32_t all = all_pairs ? 1100 : SLOW_BUILD ? 2100 : 4000;
        for (uint32_t form = SEEKS_RACES ? 5 : 0; form < 16 && info->exact; form += SANITIZED ? 5 : 1) {
            mote_random random = {form + 1};
            mote_context *context = test_context_with_threads(thread_counts[form % 3]);
            mote_neighbors_def def = mote_neighbors_default_def();
            def.method = info->name;
            def.radius = form & 4 ? 0.004 : 0.05;  // with most points alone in their cells
            def.features = MOTE_NEIGHBORS_HALF | MOTE_NEIGHBORS_SUBSET;
            if (form & 1) def.features |= MOTE_NEIGHBORS_F64;
            if (form & 2) def.features |= MOTE_NEIGHBORS_DISTANCES;
            if (form & 8) def.features |= MOTE_NEIGHBORS_ASCENDING;
            cloud set = make_points(&random, form & 1 ? MOTE_F64 : MOTE_F32, all);
            mote_neighbors *smaller, *either;
            CHECK_OK(mote_neighbors_create(context, &def, &smaller, NULL));
            def.half_either = true;
            CHECK_OK(mote_neighbors_create(context, &def, &either, NULL));
            CHECK_OK(mote_neighbors_update(smaller, set.points, NULL));
            CHECK_OK(mote_neighbors_update(either, set.points, NULL));
            uint64_t count, found_count;
            index_pair *expected = find_sorted(context, smaller, false, &count);
            for (int in_order = 0; in_order < 2; ++in_order) {
                index_pair *found = find_sorted(context, either, in_order, &found_count);
                CHECK(found_count == count && memcmp(found, expected, count * sizeof *found) == 0,
                      "%s, form %u: %llu pairs, expected %llu", info->name, form, (unsigned long long)found_count,
                      (unsigned long long)count);
                free(found);
            }
            mote_lists lists, some;
            uint32_t points[1000];
            mote_kept_lists *kept;
            CHECK_OK(mote_neighbors_lists(either, &lists, NULL));
            CHECK_OK(mote_neighbors_take_lists(either, &kept, NULL));
            for (uint32_t k = 0; k < 1000; ++k) points[k] = mote_random_below(&random, all);
            CHECK_OK(mote_neighbors_subset(either, points, 1000, &some, NULL));
            for (uint32_t k = 0; k < 1000; ++k) {
                const mote_row row = mote_lists_row(&some, k), same = mote_lists_row(&lists, points[k]);
                assert_int_equal(row.count, same.count);
                assert_memory_equal(row.indices, same.indices, row.count * sizeof *row.indices);
            }
            mote_kept_lists_destroy(kept);
            free(expected);
            mote_neighbors_destroy(smaller);
            mote_neighbors_destroy(either);
            cloud_free(&set);
            mote_context_destroy(context);
        }
    }
}

// Lists with differences alone: distances have the bits that lists with distances give them, by every method.
static void distances_of_differences(void **state)
{
    (void)state;
    const mote_neighbors_method_info *info;
    const uint32_t both = MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m)
        for (uint32_t form = 0; form < 4; ++form) {
            mote_random random = {form + 1};
            mote_neighbors_def def = mote_neighbors_default_def();
            const uint32_t asked = (form & 1 ? MOTE_NEIGHBORS_F64 : 0) | (form & 2 ? MOTE_NEIGHBORS_PERIODIC : 0);
            if (!info->exact || ((asked | both) & ~info->features) != 0) continue;
            def.method = info->name;
            def.radius = 0.2;
            def.period[0].x = def.period[1].y = 1.01;
            cloud set = make_points(&random, form & 1 ? MOTE_F64 : MOTE_F32, 300);
            mote_neighbors *search[2];
            mote_lists lists[2];
            uint64_t count;
            for (int k = 0; k < 2; ++k) {
                def.features = asked | (k ? MOTE_NEIGHBORS_DIFFERENCES : both);
                CHECK_OK(mote_neighbors_create(NULL, &def, &search[k], NULL));
                CHECK_OK(mote_neighbors_update(search[k], set.points, NULL));
                CHECK_OK(mote_neighbors_lists(search[k], &lists[k], NULL));
            }
            assert_true(lists[0].total > 1000 && lists[0].total == lists[1].total);
            const size_t bytes = (form & 1 ? sizeof(double) : sizeof(float)) * lists[0].total;
            char *columns[2][2];
            for (int k = 0; k < 2; ++k) {
                columns[k][0] = filled(bytes), columns[k][1] = filled(bytes);
                const mote_pair_arrays to = {.distances = columns[k][0], .squared = columns[k][1],
                                             .capacity = lists[k].total};
                CHECK_OK(mote_lists_to_pairs(NULL, &lists[k], &to, &count, NULL));
            }
            for (int c = 0; c < 2; ++c)
                CHECK(memcmp(columns[0][c], columns[1][c], bytes) == 0, "%s, form %u, column %d", info->name, form, c);
            for (int k = 0; k < 2; ++k) {
                free(columns[k][0]);
                free(columns[k][1]);
                mote_neighbors_destroy(search[k]);
            }
            cloud_free(&set);
        }
}

// A pair in the row of its larger point: its other direction has the opposite difference and shift.
static void pairs_turn_round(void **state)
{
    (void)state;
    const uint64_t first[2] = {0, 0};
    const uint32_t counts[2] = {0, 1}, index = 0;
    const double difference[3] = {0.5, -0.25, 0};
    const int32_t shift[3] = {1, -2, 0};
    const mote_lists lists = {.count = 2, .first = first, .counts = counts, .indices = &index, .total = 1,
                              .differences_f64 = difference, .shifts = shift};
    for (int ordered = 0; ordered < 2; ++ordered) {
        int64_t i, j, shifts_64[3];
        int32_t shifts[3];
        double differences[3];
        uint64_t count;
        const mote_pair_arrays narrow = {.differences = differences, .shifts = shifts, .capacity = 1,
                                         .ordered = ordered};
        const mote_pair_arrays wide = {.i = &i, .j = &j, .shifts_64 = shifts_64, .capacity = 1, .is_64 = true,
                                       .ordered = ordered};
        CHECK_OK(mote_lists_to_pairs(NULL, &lists, &narrow, &count, NULL));
        CHECK_OK(mote_lists_to_pairs(NULL, &lists, &wide, &count, NULL));
        assert_int_equal(i, !ordered);
        assert_int_equal(j, ordered);
        const int sign = ordered ? -1 : 1;
        for (size_t a = 0; a < 3; ++a) {
            assert_true(differences[a] == sign * difference[a]);
            assert_int_equal(shifts[a], sign * shift[a]);
            assert_int_equal(shifts_64[a], sign * shift[a]);
        }
    }
}

// Asks for pairs in any order, with room for `capacity`, and compares them with those that are expected.
static void check_any_order(mote_neighbors *search, const pair_columns *expected, const mote_pair_arrays *kind,
                            uint64_t capacity, const char *what)
{
    const size_t size = kind->is_64 ? 8 : 4, bytes = (size_t)expected->count * size;
    pair_columns found = {.i = filled(size * (size_t)capacity), .j = filled(size * (size_t)capacity)};
    mote_pair_arrays to = *kind;
    to.i = found.i, to.j = found.j, to.capacity = capacity, to.any_order = true;
    const mote_result result = mote_neighbors_pairs(search, &to, &found.count, NULL);
    CHECK(found.count == expected->count, "%s: %llu pairs, expected %llu", what, (unsigned long long)found.count,
          (unsigned long long)expected->count);
    CHECK(result == (capacity < expected->count ? MOTE_ERROR_ARGUMENT : MOTE_OK), "%s: result %d", what, (int)result);
    CHECK(result != MOTE_OK || (memcmp(found.i, expected->i, bytes) == 0 && memcmp(found.j, expected->j, bytes) == 0),
          "%s: other pairs", what);
    for (int k = 0; k < 8; ++k) {
        assert_int_equal(((unsigned char *)found.i + size * (size_t)capacity)[k], 0x5A);
        assert_int_equal(((unsigned char *)found.j + size * (size_t)capacity)[k], 0x5A);
    }
    free_room(&found);
}

// Pairs in any order are those of the lists in the order of cells, whether they are written while rows are found, with
// too little room at first, or from rows that were found before.
static void pairs_in_any_order(void **state)
{
    (void)state;
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
        // All pairs are slow under sanitizers, and the same code for any number.
        const uint32_t all = SANITIZED && strcmp(info->name, "all_pairs") == 0 ? 300 : 1000;
        // From 32 on other points and threads. Every third has all combinations of the lower four bits.
        for (uint32_t form = 0; form < 48 && info->exact; form += SEEKS_RACES ? 5 : SANITIZED ? 3 : 1) {
            mote_random random = {form + 1};
            mote_context *context = test_context_with_threads(thread_counts[(form + form / 3) % 3]);
            mote_neighbors_def def = mote_neighbors_default_def();
            def.method = info->name;
            def.radius = form & 16 ? 0.01 : 0.1;
            def.features = form & 1 ? MOTE_NEIGHBORS_F64 : 0;
            if (form & 2) def.features |= MOTE_NEIGHBORS_HALF;
            def.half_either = form & 4;
            mote_pair_arrays kind = {.is_64 = form & 8, .ordered = form & 2 && form & 4};
            cloud set = make_points(&random, form & 1 ? MOTE_F64 : MOTE_F32, all);
            mote_neighbors *search;
            CHECK_OK(mote_neighbors_create(context, &def, &search, NULL));
            CHECK_OK(mote_neighbors_update(search, set.points, NULL));
            mote_lists lists;
            CHECK_OK(mote_neighbors_lists_in_order(search, &lists, &kind.points, NULL));
            pair_columns expected = {.i = filled(8 * lists.total), .j = filled(8 * lists.total)};
            mote_pair_arrays to = kind;
            to.i = expected.i, to.j = expected.j, to.capacity = lists.total;
            CHECK_OK(mote_lists_to_pairs(context, &lists, &to, &expected.count, NULL));
            kind.points = NULL;
            check_any_order(search, &expected, &kind, expected.count, info->name);
            check_any_order(search, &expected, &kind, expected.count + 2, info->name);  // from the rows
            CHECK_OK(mote_neighbors_update(search, set.points, NULL));
            check_any_order(search, &expected, &kind, expected.count + 50, info->name);
            CHECK_OK(mote_neighbors_update(search, set.points, NULL));
            check_any_order(search, &expected, &kind, expected.count / 2, info->name);
            check_any_order(search, &expected, &kind, expected.count, info->name);
            uint64_t count;
            CHECK_OK(mote_neighbors_pairs(search, NULL, &count, NULL));  // rows by point
            check_any_order(search, &expected, &kind, expected.count, info->name);
            to.points = expected.i, to.any_order = true;
            assert_int_equal(mote_neighbors_pairs(search, &to, &count, NULL), MOTE_ERROR_ARGUMENT);
            free_room(&expected);
            mote_neighbors_destroy(search);
            cloud_free(&set);
            mote_context_destroy(context);
        }
    }
}

static void bad_pairs(void **state)
{
    (void)state;
    const uint64_t first[2] = {0, 0};
    const uint32_t counts[2] = {2, 0}, indices[2] = {1, 1};
    mote_lists lists = {.count = 2, .first = first, .counts = counts, .indices = indices, .total = 2};
    uint32_t i[2] = {7, 7};
    float distances[2];
    uint64_t count = 9;
    mote_error error;
    mote_pair_arrays to = {.i = i, .capacity = 1};
    assert_int_equal(mote_lists_to_pairs(NULL, NULL, &to, &count, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_lists_to_pairs(NULL, &lists, NULL, &count, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_lists_to_pairs(NULL, &lists, &to, NULL, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_lists_to_pairs(NULL, &lists, &to, &count, &error), MOTE_ERROR_ARGUMENT);
    assert_string_equal(error.text, "pairs: room for 1, expected at least 2");
    assert_int_equal(count, 2);
    assert_int_equal(i[0], 7);
    to = (mote_pair_arrays){.i = i, .distances = distances, .capacity = 2};
    assert_int_equal(mote_lists_to_pairs(NULL, &lists, &to, &count, &error), MOTE_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "MOTE_NEIGHBORS_DISTANCES"));
    to = (mote_pair_arrays){.i = i, .differences = distances, .capacity = 2};
    assert_int_equal(mote_lists_to_pairs(NULL, &lists, &to, &count, &error), MOTE_ERROR_ARGUMENT);
    int32_t shifts[6];
    int64_t shifts_64[6];
    to = (mote_pair_arrays){.i = i, .shifts = shifts, .capacity = 2};
    assert_int_equal(mote_lists_to_pairs(NULL, &lists, &to, &count, &error), MOTE_ERROR_ARGUMENT);
    to = (mote_pair_arrays){.i = i, .shifts_64 = shifts_64, .capacity = 2};
    assert_int_equal(mote_lists_to_pairs(NULL, &lists, &to, &count, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(i[0], 7);
    to = (mote_pair_arrays){.i = i, .capacity = 2};
    CHECK_OK(mote_lists_to_pairs(NULL, &lists, &to, &count, &error));
    assert_int_equal(i[1], 0);
    lists.count = lists.total = 0;
    CHECK_OK(mote_lists_to_pairs(NULL, &lists, &to, &count, &error));
    assert_int_equal(count, 0);
}

// ---------------------------------------------------------------------------------------------------------- orders

static double cell_of(const cloud *set, size_t i, int axis, double edge)
{
    double low = (double)INFINITY;
    for (size_t k = 0; k < set->count; ++k) low = fmin(low, set->xyz[3 * k + (size_t)axis]);
    return floor((set->xyz[3 * i + (size_t)axis] - low) / edge);
}

static void orders_by_cell(void **state)
{
    (void)state;
    for (int dimensions = 1; dimensions <= 3; ++dimensions)
        for (int f64 = 0; f64 < 2; ++f64) {
            mote_random random = {(uint64_t)(10 * dimensions + f64)};
            const double edge = 0.125;
            cloud set = cloud_random(&random, f64 ? MOTE_F64 : MOTE_F32, dimensions, 300, 0.1);
            uint32_t *expected = NULL;
            for (size_t t = 0; t < sizeof thread_counts / sizeof *thread_counts; ++t) {
                mote_context *context = test_context_with_threads(thread_counts[t]);
                uint32_t *order = malloc(set.count * sizeof *order), *seen = calloc(set.count, sizeof *seen);
                CHECK_OK(mote_points_order_by_cell(context, set.points, edge, order, NULL));
                for (size_t k = 0; k < set.count; ++k) seen[order[k]] += 1;
                for (size_t k = 0; k < set.count; ++k) assert_int_equal(seen[k], 1);
                for (size_t k = 1; k < set.count; ++k) {
                    int compared = 0;
                    for (int a = dimensions - 1; a >= 0 && compared == 0; --a) {
                        const double before = cell_of(&set, order[k - 1], a, edge);
                        const double here = cell_of(&set, order[k], a, edge);
                        compared = before < here ? -1 : before > here;
                    }
                    CHECK(compared < 0 || (compared == 0 && order[k - 1] < order[k]), "%zu is out of order", k);
                }
                if (expected) assert_memory_equal(order, expected, set.count * sizeof *order);
                free(seen);
                if (expected)
                    free(order);
                else
                    expected = order;
                mote_context_destroy(context);
            }
            free(expected);
            cloud_free(&set);
        }
}

static void arrays_are_permuted(void **state)
{
    (void)state;
    enum { MANY = 40000 };
    static const size_t sizes[] = {1, 3, 4, 8, 12, 16, 24, 40};
    uint32_t *order = malloc(MANY * sizeof *order);
    mote_random random = {3};
    for (uint32_t k = 0; k < MANY; ++k) {
        const uint32_t other = mote_random_below(&random, k + 1);
        order[k] = order[other];
        order[other] = k;
    }
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
        for (size_t t = 0; t < sizeof thread_counts / sizeof *thread_counts; ++t) {
            const size_t size = sizes[s];
            mote_context *context = test_context_with_threads(thread_counts[t]);
            unsigned char *data = malloc(MANY * size), *before = malloc(MANY * size);
            for (size_t b = 0; b < MANY * size; ++b) before[b] = data[b] = (unsigned char)mote_random_next(&random);
            CHECK_OK(mote_permute(context, order, MANY, data, size, NULL));
            for (size_t k = 0; k < MANY; ++k) assert_memory_equal(data + size * k, before + size * order[k], size);
            free(data);
            free(before);
            mote_context_destroy(context);
        }
    free(order);
}

static void *no_memory(void *user_data, size_t bytes, size_t alignment)
{
    (void)bytes, (void)alignment;
    bool *fails = user_data;
    return *fails ? NULL : malloc(bytes);
}

static void release_memory(void *user_data, void *memory, size_t bytes)
{
    (void)user_data, (void)bytes;
    free(memory);
}

static void bad_orders(void **state)
{
    (void)state;
    float xyz[6] = {0, 0, 0, 1, 1, 1}, bad[3] = {(float)NAN, 0, 0};
    uint32_t order[2], twice[2] = {1, 1}, beyond[2] = {0, 2}, fine[2] = {1, 0};
    uint64_t data[2] = {5, 6}, count;
    mote_error error;
    assert_int_equal(mote_permute(NULL, twice, 2, data, 8, &error), MOTE_ERROR_ARGUMENT);
    assert_string_equal(error.text, "order: element 1 at place 1 for the second time");
    assert_int_equal(mote_permute(NULL, beyond, 2, data, 8, &error), MOTE_ERROR_ARGUMENT);
    assert_string_equal(error.text, "order: element 2 at place 1, expected one below 2");
    assert_int_equal(mote_permute(NULL, NULL, 2, data, 8, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_permute(NULL, fine, 2, NULL, 8, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(data[0], 5);
    CHECK_OK(mote_permute(NULL, NULL, 0, NULL, 8, &error));
    assert_int_equal(mote_points_order_by_cell(NULL, mote_points_xyz(xyz, 2), 0, order, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_points_order_by_cell(NULL, mote_points_xyz(bad, 1), 1, order, &error),
                     MOTE_ERROR_NOT_FINITE);
    assert_int_equal(mote_points_order_by_cell(NULL, mote_points_xyz(xyz, 2), 1, NULL, &error), MOTE_ERROR_ARGUMENT);
    CHECK_OK(mote_points_order_by_cell(NULL, mote_points_xyz(xyz, 0), 1, NULL, &error));

    bool fails = false;
    mote_context_def def = mote_context_default_def();
    mote_context *context;
    def.allocator = (mote_allocator){no_memory, release_memory, &fails};
    def.thread_count = 1;
    CHECK_OK(mote_context_create(&def, &context, NULL));
    fails = true;
    const mote_lists lists = {.count = 0};
    const mote_pair_arrays to = {.capacity = 0};
    assert_int_equal(mote_permute(context, fine, 2, data, 8, &error), MOTE_ERROR_OUT_OF_MEMORY);
    assert_int_equal(mote_points_order_by_cell(context, mote_points_xyz(xyz, 2), 1, order, &error),
                     MOTE_ERROR_OUT_OF_MEMORY);
    assert_int_equal(mote_lists_to_pairs(context, &lists, &to, &count, &error), MOTE_ERROR_OUT_OF_MEMORY);
    assert_int_equal(data[0], 5);
    fails = false;
    CHECK_OK(mote_permute(context, fine, 2, data, 8, &error));
    assert_int_equal(data[0], 6);
    mote_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_those_of_the_rows),
        cmocka_unit_test(pairs_of_a_search),
        cmocka_unit_test(pairs_of_a_search_take_less_memory),
        cmocka_unit_test(calls_for_pairs_of_a_search),
        cmocka_unit_test(pairs_in_the_rows_of_either_point),
        cmocka_unit_test(distances_of_differences),
        cmocka_unit_test(pairs_turn_round),
        cmocka_unit_test(pairs_in_any_order),
        cmocka_unit_test(bad_pairs),
        cmocka_unit_test(orders_by_cell),
        cmocka_unit_test(arrays_are_permuted),
        cmocka_unit_test(bad_orders),
    };
    RUN_TESTS(tests, argc, argv);
}
