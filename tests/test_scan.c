// SPDX-License-Identifier: MIT
// The innermost loops of cell_grid: their vector forms give what the scalar forms give, to the last index.

#include "base/tested.h"
#include "neighbors/tested.h"
#include "support/points.h"
#include "support/test.h"

enum { MOST = 128, FIRST = 30 };

typedef struct scan_results {
    float x[MOST], y[MOST], z[MOST];
    uint32_t index[MOST];
    size_t gathered;
    uint32_t rows[12 * 2 * MOST], counts[12], total, row[2 * MOST], count;
    float squared[12 * 2 * MOST], row_squared[2 * MOST];
    uint32_t doubts[12], row_doubt;
} scan_results;

static const float sure_squared = 0.03f;

// Tells whether a hit of the row is farther from the point than what is certain.
static bool has_far_hit(const cell_sort *sort, size_t point, const uint32_t *row, uint32_t count)
{
    uint32_t place_of[4 * MOST];
    bool is_far = false;
    for (uint32_t p = 0; p < sort->count; ++p) place_of[sort->index[p]] = p;
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t j = place_of[row[k]];
        const float x = sort->x[point] - sort->x[j], y = sort->y[point] - sort->y[j], z = sort->z[point] - sort->z[j];
        is_far |= (x * x + y * y) + z * z > sure_squared;
    }
    return is_far;
}

// Runs all loops of one form over `count` points around and as many in the run.
static void run_form(const scan_lanes *form, const cell_sort *sort, uint32_t count, bool with_squared, bool by_place,
                     scan_results *results)
{
    const float radius_squared = 0.04f;
    uint32_t kept[2 * MOST];
    float kept_squared[2 * MOST];
    uint32_t places[4 * MOST];
    group_scan scan = {.sorted = mote_sorted_columns(sort), .radius_squared = radius_squared};
    scan.points = scan.sorted;
    for (uint32_t p = 0; p < 4 * MOST; ++p) places[p] = p;
    if (by_place) scan.places = places;
    if (!with_squared) scan.sure_squared = sure_squared, scan.doubts = results->doubts;
    scan.kept = (kept_hits){kept, kept_squared};
    scan.stride = count % 2 ? 2 * MOST : 0;
    scan.own_begin = FIRST;
    scan.own_end = FIRST + count;
    scan.first = FIRST + count / 2;
    scan.count = MOTE_MIN(count - count / 2, 1 + count % 12);
    scan.gathered = (point_columns){results->x, results->y, results->z, results->index};
    const cell_run around[3] = {{3, 3 + count / 3}, {9, 9}, {20, 20 + (count - count / 3)}};
    if (scan.count > 0) results->gathered = form->gather(scan.gathered, &scan, around, 3, NULL);
    scan.gathered_count = results->gathered;
    const hit_columns rows = {results->rows, with_squared ? results->squared : NULL};
    form->scan_group(&scan, rows, results->counts);
    for (size_t k = 0; k < scan.count; ++k) {  // those with a stride close up
        const size_t from = scan.stride ? k * scan.stride : results->total, bytes = results->counts[k] * sizeof(float);
        memmove(results->rows + results->total, results->rows + from, bytes);
        memmove(results->squared + results->total, results->squared + from, bytes);
        results->total += results->counts[k];
    }

    cell_run runs[3] = {{0, count / 2}, {FIRST, FIRST + count}, {FIRST + count, FIRST + count + 3}};
    point_scan single = {.from = mote_sorted_columns(sort), .runs = runs, .run_count = 3, .self = FIRST + count / 2};
    single.point[0] = sort->x[single.self], single.point[1] = sort->y[single.self];
    single.point[2] = sort->z[single.self];
    single.radius_squared = radius_squared;
    if (!with_squared) single.sure_squared = sure_squared, single.doubts = &results->row_doubt;
    const hit_columns row = {results->row, with_squared ? results->row_squared : NULL};
    results->count = form->scan_point(&single, row);
    const uint32_t *next = results->rows;  // rows that a doubt concerns: others may be marked, too
    for (size_t k = 0; k < scan.count && !with_squared; next += results->counts[k++])
        if (has_far_hit(sort, scan.first + k, next, results->counts[k]))
            CHECK(results->doubts[k] == 1, "%u points, row %zu is doubtful", count, k);
    if (!with_squared && has_far_hit(sort, single.self, results->row, results->count))
        CHECK(results->row_doubt == 1, "%u points, the row of a single one is doubtful", count);
}

static void compare_with(mote_simd form)
{
    size_t gathered = 0, candidates = 0;
    for (uint32_t count = 0; count < 70; ++count) {
        float *xyz = test_points_uniform(count, count + 64, 3, 1);
        mote_points points = mote_points_xyz(xyz, count + 64);
        cell_sort sort = {0};
        CHECK_OK(mote_cell_sort_build(NULL, &sort, &points, NULL, 2, false, NULL));
        scan_results plain = {.gathered = 0}, vector = {.gathered = 0};
        run_form(mote_neighbors_lanes(MOTE_SIMD_PLAIN)->scan, &sort, count, count % 3 > 0, false, &plain);
        run_form(mote_neighbors_lanes(form)->scan, &sort, count, count % 3 > 0, count % 4 > 1, &vector);
        CHECK(plain.gathered == vector.gathered, "%u points: %zu and %zu", count, plain.gathered, vector.gathered);
        gathered += plain.gathered;
        candidates += count;
        assert_memory_equal(plain.index, vector.index, plain.gathered * sizeof *plain.index);
        assert_memory_equal(plain.x, vector.x, plain.gathered * sizeof *plain.x);
        assert_memory_equal(plain.counts, vector.counts, sizeof plain.counts);
        assert_memory_equal(plain.rows, vector.rows, plain.total * sizeof *plain.rows);
        CHECK(plain.count == vector.count, "%u points: %u and %u", count, plain.count, vector.count);
        assert_memory_equal(plain.row, vector.row, plain.count * sizeof *plain.row);
        assert_memory_equal(plain.squared, vector.squared, plain.total * sizeof *plain.squared);
        assert_memory_equal(plain.row_squared, vector.row_squared, plain.count * sizeof *plain.row_squared);
        mote_cell_sort_release(NULL, &sort);
        free(xyz);
    }
    CHECK(gathered > 0 && gathered < candidates, "%zu of %zu", gathered, candidates);
}

static void vector_forms_equal_scalar(void **state)
{
    (void)state;
    for (mote_simd form = MOTE_SIMD_AVX2; form <= MOTE_SIMD_128; ++form)
        if (mote_cpu_has(form)) compare_with(form);
}

// Gathers around all cells, once without saying where the rows of cells lie.
static void gather_with_rows(mote_simd form, const mote_points *points, float edge)
{
    static scan_results known, other;
    cell_sort sort = {0};
    CHECK_OK(mote_cell_sort_build(NULL, &sort, points, NULL, (double)edge, false, NULL));
    CHECK(sort.dense, "the points fill their box");
    const scan_lanes *lanes = mote_neighbors_lanes(form)->scan;
    group_scan scan = {.sorted = mote_sorted_columns(&sort), .radius_squared = edge * edge};
    scan.points = scan.sorted;
    size_t left_out = 0;
    for (uint64_t cell = 0; cell < sort.cell_count; ++cell) {
        scan.first = sort.start[cell];
        scan.count = sort.start[cell + 1] - scan.first;
        if (scan.count == 0) continue;
        cell_runs runs;
        uint32_t hint[CELL_MAX_RUNS] = {0};
        mote_cell_runs_around(&sort, cell, true, &runs, hint);
        CHECK(runs.row_of && runs.points + MOTE_WIDE_MOST <= MOST, "%zu points around cell %llu", runs.points,
              (unsigned long long)cell);
        const point_columns to = {known.x, known.y, known.z, known.index};
        const point_columns to_other = {other.x, other.y, other.z, other.index};
        known.gathered = lanes->gather(to, &scan, runs.at, runs.count, runs.row_of);
        other.gathered = lanes->gather(to_other, &scan, runs.at, runs.count, NULL);
        CHECK(known.gathered == other.gathered, "form %d: %zu of %zu", (int)form, known.gathered, other.gathered);
        assert_memory_equal(known.index, other.index, known.gathered * sizeof *known.index);
        assert_memory_equal(known.x, other.x, known.gathered * sizeof *known.x);
        left_out += runs.points - known.gathered;
    }
    CHECK(left_out > 0, "nothing is left out");
    mote_cell_sort_release(NULL, &sort);
}

// Points anywhere, and points on the faces of cells, in one to three dimensions.
static void rows_that_are_known_change_nothing(void **state)
{
    (void)state;
    enum { COUNT = 300 };
    const float edges[4] = {0, 0.04f, 0.1f, 0.2f};
    for (int d = 1; d <= 3; ++d)
        for (int on_faces = 0; on_faces < 2; ++on_faces) {
            float *xyz = test_points_uniform(7, COUNT, d, 1);
            for (size_t k = 0; k < (size_t)COUNT * (size_t)d && on_faces; ++k)
                xyz[k] = floorf(xyz[k] / edges[d] * 2) * edges[d] / 2;
            mote_points points = mote_points_xyz(xyz, COUNT);
            points.dimensions = d;
            points.stride = d * (ptrdiff_t)sizeof(float);
            for (mote_simd form = MOTE_SIMD_PLAIN; form <= MOTE_SIMD_128; ++form)
                if (mote_cpu_has(form)) gather_with_rows(form, &points, edges[d]);
            free(xyz);
        }
}

static void check_ascending(mote_simd form)
{
    enum { LONGEST = 600 };
    uint32_t row[LONGEST], keys[LONGEST] = {0}, sorted[LONGEST];
    mote_random random = {11};
    for (uint32_t count = 0; count <= LONGEST; count += 1 + count / 40) {
        for (uint32_t k = 0; k < count; ++k) {  // keys over all 32 bits, in random order; entries name them
            uint32_t other = mote_random_below(&random, k + 1);
            row[k] = row[other], row[other] = k;
            keys[k] = k * 7158278u + (k & 1) * 0x80000000u;
        }
        mote_row_ascend(form, row, count, keys);
        for (uint32_t k = 1; k < count; ++k) CHECK(keys[row[k - 1]] < keys[row[k]], "%u: %u", count, k);
        for (uint32_t k = 0; k < count; ++k) sorted[k] = keys[row[k]];
        memcpy(row, keys, count * sizeof *row);
        mote_row_ascend(form, row, count, NULL);
        assert_memory_equal(row, sorted, count * sizeof *row);
    }
}

static void rows_ascend(void **state)
{
    (void)state;
    for (mote_simd form = MOTE_SIMD_PLAIN; form <= MOTE_SIMD_128; ++form)
        if (mote_cpu_has(form)) check_ascending(form);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_forms_equal_scalar),
        cmocka_unit_test(rows_that_are_known_change_nothing),
        cmocka_unit_test(rows_ascend),
    };
    RUN_TESTS(tests, argc, argv);
}
