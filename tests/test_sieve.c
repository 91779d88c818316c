// SPDX-License-Identifier: MIT
// The loops of cell_grid's general path: their vector forms give what the scalar forms give, to the last bit, and what
// the sieve leaves open is asked for.

#include "base/tested.h"
#include "neighbors/tested.h"
#include "support/points.h"
#include "support/test.h"

enum { MOST = 200, ROOM = MOST + CLASS_PADDING };

// Sorted points, of one precision at a time.
typedef struct point_set {
    float f32[4][ROOM];
    double f64[4][ROOM];
    uint32_t index[ROOM];
    class_sort sort;
} point_set;

typedef struct sieve_results {
    candidate_set block;
    uint32_t row[3][ROOM], counts[3], asked;
} sieve_results;

static void make_points(point_set *set, uint64_t seed, bool f64)
{
    mote_random random = {seed};
    set->sort = (class_sort){.count = MOST, .index = set->index};
    for (uint32_t i = 0; i < ROOM; ++i) {
        set->index[i] = 1000 + i;
        for (int k = 0; k < 4; ++k) {
            double x = mote_random_unit(&random) * (k < 3 ? 1 : 0.1) + (k < 3 ? 100 : 0.05);
            set->f64[k][i] = x, set->f32[k][i] = (float)x;
        }
    }
    for (int k = 0; k < 3; ++k) {
        if (f64)
            set->sort.at.f64[k] = set->f64[k];
        else
            set->sort.at.f32[k] = set->f32[k];
    }
    if (f64)
        set->sort.radii.f64 = set->f64[3];
    else
        set->sort.radii.f32 = set->f32[3];
}

static bool is_near(const void *data, uint32_t slot)
{
    *(uint32_t *)(uintptr_t)data += 1;
    return slot % 2 == 0;
}

// Gathers two runs and sieves them by each rule, with a shell that some candidates fall into.
static void run_form(const sieve_lanes *form, const point_set *set, uint32_t count, sieve_results *results)
{
    const sieve_frame frame = {.center = {100.5, 100.25, 100.5}, .scale = 2, .half = {0.25f, 0.5f, 0.125f}};
    candidate_set *block = &results->block;
    CHECK_OK(mote_candidates_reserve(NULL, block, count));
    const sorted_run runs[3] = {{3, 3 + count / 3}, {35, 35}, {40, 40 + (count - count / 3)}};
    gather_span span = {.runs = runs, .run_count = 2, .limit = 0.4f, .wants_radius = true};
    form->gather(block, &set->sort, &frame, &span);
    span = (gather_span){.runs = runs + 1, .run_count = 2, .limit = 0.4f, .wants_radius = true};
    span.shift[0] = -0.25;
    form->gather(block, &set->sort, &frame, &span);
    mote_candidates_close(block);

    for (int rule = SIEVE_ALIKE; rule <= SIEVE_SUM; ++rule) {
        sieve_query query = {.radius = 0.3f, .grow = 1.2f, .shrink = 0.8f, .slack = 0.01f, .rule = (sieve_rule)rule};
        query.is_near = is_near, query.data = &results->asked;
        const uint32_t self = count / 4;
        for (int k = 0; k < 3 && self < block->count; ++k) query.u[k] = block->u[k][self];
        const uint32_t *tags = rule == SIEVE_SUM ? block->slot : block->index;
        const float hidden = mote_candidate_hide(block, self);
        results->counts[rule] = (uint32_t)form->sieve(block, &query, tags, results->row[rule]);
        mote_candidate_show(block, self, hidden);
        for (uint32_t n = 0; n < results->counts[rule] && self < block->count; ++n)
            CHECK(results->row[rule][n] != tags[self], "%u points: a point is its own neighbour", count);
    }
}

static void compare_forms(mote_simd form, const point_set *set, uint32_t count)
{
    sieve_results plain = {.asked = 0}, vector = {.asked = 0};
    run_form(mote_neighbors_lanes(MOTE_SIMD_PLAIN)->sieve, set, count, &plain);
    run_form(mote_neighbors_lanes(form)->sieve, set, count, &vector);
    const candidate_set *a = &plain.block, *b = &vector.block;
    CHECK(a->count == b->count, "%u points: %zu and %zu candidates", count, a->count, b->count);
    CHECK(count < 40 || (a->count > 0 && a->count < count), "%zu of %u", a->count, count);
    for (int k = 0; k < 3; ++k) assert_memory_equal(a->u[k], b->u[k], a->count * sizeof(float));
    assert_memory_equal(a->radius, b->radius, a->count * sizeof(float));
    assert_memory_equal(a->index, b->index, a->count * sizeof(uint32_t));
    assert_memory_equal(a->place, b->place, a->count * sizeof(uint32_t));
    CHECK(plain.asked == vector.asked, "%u points: %u and %u left open", count, plain.asked, vector.asked);
    CHECK(count < 100 || plain.asked > 0, "%u points: none left open", count);
    for (int rule = 0; rule < 3; ++rule) {
        CHECK(plain.counts[rule] == vector.counts[rule], "%u points, rule %d: %u and %u", count, rule,
              plain.counts[rule], vector.counts[rule]);
        assert_memory_equal(plain.row[rule], vector.row[rule], plain.counts[rule] * sizeof(uint32_t));
    }
    mote_buffer_release(NULL, &plain.block.memory);
    mote_buffer_release(NULL, &vector.block.memory);
}

static void vector_forms_equal_scalar(void **state)
{
    (void)state;
    static point_set set;
    for (uint32_t count = 0; count < 150; ++count)
        for (int f64 = 0; f64 < 2; ++f64) {
            make_points(&set, count, f64 != 0);
            for (mote_simd form = MOTE_SIMD_AVX2; form <= MOTE_SIMD_128; ++form)
                if (mote_cpu_has(form)) compare_forms(form, &set, count);
        }
}

// Reaches so small beside the frame's scale that their squares are lost: nothing is taken for sure, nothing dropped.
static void tiny_reaches_are_asked_for(void **state)
{
    (void)state;
    static point_set set;
    make_points(&set, 1, true);
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < ROOM; ++i) set.f64[k][i] = 0x1p-120 * (1 + i + k);
    for (mote_simd form = MOTE_SIMD_PLAIN; form <= MOTE_SIMD_128; ++form) {
        if (!mote_cpu_has(form)) continue;
        const sieve_lanes *loops = mote_neighbors_lanes(form)->sieve;
        const sieve_frame frame = {.scale = 1};
        const sorted_run run = {0, 50};
        const gather_span span = {.runs = &run, .run_count = 1, .limit = mote_sieve_outer(0x1p-110f)};
        candidate_set block = {.count = 0};
        uint32_t asked = 0, row[ROOM];
        CHECK_OK(mote_candidates_reserve(NULL, &block, 50));
        loops->gather(&block, &set.sort, &frame, &span);
        mote_candidates_close(&block);
        CHECK(block.count == 50, "%zu candidates", block.count);
        sieve_query query = {.radius = 0x1p-119f, .grow = 1, .shrink = 1, .is_near = is_near};
        query.data = &asked;
        size_t count = loops->sieve(&block, &query, block.slot, row);
        CHECK(count == 25 && asked == 50, "%zu near, %u asked for", count, asked);
        mote_buffer_release(NULL, &block.memory);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_forms_equal_scalar),
        cmocka_unit_test(tiny_reaches_are_asked_for),
    };
    RUN_TESTS(tests, argc, argv);
}
