// SPDX-License-Identifier: MIT
// Memory that runs out in the middle of a search's life: results that grow from call to call, so that every buffer has
// to grow while it is in use. What was released is filled with a pattern and kept: nobody may write there. After every
// failure the next call that has memory gives what a new search gives. With MOTE_LONG_TESTS set, more points.

#include <stdatomic.h>

#include "mote/neighbors.h"
#include "support/cloud.h"
#include "support/graveyard.h"
#include "support/test.h"

enum { STEPS = 3, POINTS = SANITIZED ? 40 : 60, LONG_POINTS = 330 };

// A search's life: in every step more neighbours than in the one before.
typedef struct life {
    mote_neighbors_def def;
    cloud steps[STEPS];
} life;

static bool has(const life *l, uint32_t feature)
{
    return (l->def.features & feature) != 0;
}

static void sum_row(uint64_t *sum, mote_row row)
{
    *sum = grave_mix(*sum, row.count);
    for (uint32_t k = 0; k < row.count; ++k) *sum = grave_mix(*sum, row.indices[k]);
    for (size_t k = 0; k < 3 * (size_t)row.count && row.shifts; ++k) *sum = grave_mix(*sum, (uint32_t)row.shifts[k]);
}

static void sum_lists(uint64_t *sum, const mote_lists *lists)
{
    for (uint32_t i = 0; i < lists->count; ++i) sum_row(sum, mote_lists_row(lists, i));
}

static bool sum_chunk(void *data, const mote_lists *chunk, uint32_t first)
{
    (void)first;
    sum_lists(data, chunk);
    return true;
}

// Rows come in any order: their sums are added up.
static void sum_visited(void *data, mote_row row, uint32_t worker)
{
    (void)worker;
    uint64_t sum = row.index;
    sum_row(&sum, row);
    atomic_fetch_add((atomic_uint_least64_t *)data, sum);
}

static mote_result update(const life *l, mote_neighbors *search, int step)
{
    const cloud *set = &l->steps[step];
    if (!has(l, MOTE_NEIGHBORS_RADII)) return mote_neighbors_update(search, set->points, NULL);
    return mote_neighbors_update_radii(search, set->points, set->own_radii, cloud_radius_stride(set), NULL);
}

enum { LISTS, VISIT, SUBSET, CHUNKS, QUERY, NEAREST, SINGLE, PAIRS, CALLS };

// Rows one by one, of the points and where they are.
static mote_result find_single_rows(const life *l, mote_context *context, mote_neighbors *search, int step,
                                    uint64_t *sum)
{
    const cloud *set = &l->steps[step];
    mote_row_scratch *scratch = NULL;
    mote_row row;
    mote_result result = mote_row_scratch_create(context, &scratch, NULL);
    for (uint32_t i = 0; i < set->count && result == MOTE_OK; ++i) {
        const double radius = has(l, MOTE_NEIGHBORS_RADII) ? set->radii[i] : 0;
        result = mote_neighbors_row_of(search, i, scratch, &row, NULL);
        if (result == MOTE_OK) sum_row(sum, row);
        if (result == MOTE_OK)
            result = mote_neighbors_row_at(search, set->xyz + 3 * (size_t)i, radius, scratch, &row, NULL);
        if (result == MOTE_OK) sum_row(sum, row);
    }
    mote_row_scratch_destroy(scratch);
    return result;
}

// All pairs: counted, then written.
static mote_result find_pairs(const life *l, mote_neighbors *search, uint64_t *sum)
{
    uint64_t count, written = 0;
    mote_result result = mote_neighbors_pairs(search, NULL, &count, NULL);
    if (result != MOTE_OK) return result;
    int64_t *j = malloc((count + 1) * sizeof *j), *shifts = malloc((count + 1) * 3 * sizeof *shifts);
    mote_pair_arrays to = {.j = j, .capacity = count, .is_64 = true};
    if (has(l, MOTE_NEIGHBORS_PERIODIC)) to.shifts_64 = shifts;
    result = mote_neighbors_pairs(search, &to, &written, NULL);
    if (result == MOTE_OK) CHECK(written == count, "%llu pairs", (unsigned long long)written);
    for (uint64_t k = 0; k < count && result == MOTE_OK; ++k) *sum = grave_mix(*sum, (uint64_t)j[k]);
    for (uint64_t k = 0; k < 3 * count && result == MOTE_OK && to.shifts_64; ++k)
        *sum = grave_mix(*sum, (uint64_t)shifts[k]);
    free(j);
    free(shifts);
    return result;
}

// One call of a step: a sum of what it finds.
static mote_result call(const life *l, mote_context *context, mote_neighbors *search, int step, int what,
                        uint64_t *sum)
{
    const cloud *set = &l->steps[step];
    mote_lists lists = {0};
    mote_result result = MOTE_OK;
    uint32_t subset[LONG_POINTS];
    atomic_uint_least64_t visited;
    *sum = 0;
    atomic_init(&visited, 0);
    for (uint32_t i = 0; i < set->count; ++i) subset[i] = (uint32_t)set->count - 1 - i;
    if (what == LISTS) result = mote_neighbors_lists(search, &lists, NULL);
    if (what == VISIT) result = mote_neighbors_visit(search, sum_visited, &visited, NULL);
    if (what == SUBSET && has(l, MOTE_NEIGHBORS_SUBSET))
        result = mote_neighbors_subset(search, subset, set->count, &lists, NULL);
    if (what == CHUNKS && has(l, MOTE_NEIGHBORS_SUBSET))
        result = mote_neighbors_chunks(search, (size_t)1000 << (3 * step), sum_chunk, sum, NULL);
    if (what == QUERY && has(l, MOTE_NEIGHBORS_QUERY))
        result = has(l, MOTE_NEIGHBORS_RADII) ? mote_neighbors_query_radii(search, set->points, set->own_radii,
                                                                           cloud_radius_stride(set), &lists, NULL)
                                              : mote_neighbors_query(search, set->points, &lists, NULL);
    if (what == NEAREST && has(l, MOTE_NEIGHBORS_NEAREST))
        result = mote_neighbors_nearest(search, NULL, 3u << (2 * step), &lists, NULL);
    if (what == SINGLE && has(l, MOTE_NEIGHBORS_SUBSET) && has(l, MOTE_NEIGHBORS_QUERY))
        result = find_single_rows(l, context, search, step, sum);
    if (what == PAIRS) result = find_pairs(l, search, sum);
    if (result != MOTE_OK) return result;
    sum_lists(sum, &lists);
    *sum += atomic_load(&visited);
    return MOTE_OK;
}

// Lives through all steps, each call again if it failed.
static void live(mote_context *context, void *data, uint64_t *sums, long n)
{
    const life *l = data;
    mote_error error = {0};
    mote_neighbors *search = NULL;
    const char *method = l->def.method;
    mote_result result = mote_neighbors_create(context, &l->def, &search, &error);
    if (result == MOTE_ERROR_OUT_OF_MEMORY) result = mote_neighbors_create(context, &l->def, &search, &error);
    CHECK_OK(result);
    for (int step = 0; step < STEPS; ++step) {
        result = update(l, search, step);
        if (result == MOTE_ERROR_OUT_OF_MEMORY) result = update(l, search, step);
        CHECK_OK(result);
        for (int what = 0; what < CALLS; ++what) {
            uint64_t sum;
            result = call(l, context, search, step, what, &sum);
            if (result == MOTE_ERROR_OUT_OF_MEMORY) {
                CHECK_OK(mote_neighbors_validate(search, &error));
                result = call(l, context, search, step, what, &sum);
            }
            CHECK(result == MOTE_OK, "%s: allocation %ld fails: call %d of step %d: %s", method, n, what, step,
                  error.text);
            if (n == 0)
                sums[step * CALLS + what] = sum;
            else
                CHECK(sum == sums[step * CALLS + what], "%s: allocation %ld fails: call %d of step %d finds other "
                      "rows", method, n, what, step);
        }
    }
    mote_neighbors_destroy(search);
}

// Points that draw together, so that each has more neighbours from step to step.
static void make_steps(life *l, uint64_t seed)
{
    mote_random random = {seed};
    const mote_scalar scalar = has(l, MOTE_NEIGHBORS_F64) ? MOTE_F64 : MOTE_F32;
    const size_t most = test_is_long() ? LONG_POINTS : POINTS;
    for (int step = 0; step < STEPS; ++step) {
        const size_t count = most * (size_t)(step + 1) / STEPS;
        double *xyz = malloc((3 * count + 1) * sizeof *xyz), *radii = malloc((count + 1) * sizeof *radii);
        for (size_t k = 0; k < 3 * count; ++k) xyz[k] = mote_random_unit(&random) / (1 + step);
        for (size_t i = 0; i < count; ++i) radii[i] = 0.05 * (1 + mote_random_unit(&random)) * (1 + step);
        l->steps[step] = cloud_make(scalar, 3, count, xyz, radii);
    }
}

static void memory_fails_while_results_grow(void **state)
{
    (void)state;
    const uint32_t always = MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_SUBSET | MOTE_NEIGHBORS_NEAREST |
                            MOTE_NEIGHBORS_ASCENDING;
    static const uint32_t kinds[] = {0, MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES,
                                     MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_DISTANCES,
                                     MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_F64, MOTE_NEIGHBORS_PERIODIC,
                                     MOTE_NEIGHBORS_SKIN, MOTE_NEIGHBORS_SKIN | MOTE_NEIGHBORS_RADII,
                                     MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_DIFFERENCES};
    uint64_t sums[STEPS * CALLS];
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k += SANITIZED ? 2 : 1) {
            if ((info->features & kinds[k]) != kinds[k]) continue;
            life l = {.def = mote_neighbors_default_def()};
            l.def.method = info->name;
            l.def.features = kinds[k] | (always & info->features);
            if (has(&l, MOTE_NEIGHBORS_DIFFERENCES) && has(&l, MOTE_NEIGHBORS_PERIODIC))
                l.def.features &= ~(uint32_t)MOTE_NEIGHBORS_ASCENDING;  // so that pairs come from rows of codes
            l.def.radius = 0.2;
            l.def.skin = 0.02;
            l.def.radius_rule = MOTE_RADIUS_LARGER;
            l.def.period[0].x = l.def.period[2].z = 0.4;
            make_steps(&l, 7 + k);
            grave_fail_everywhere(live, &l, l.def.method, sums);
            for (int step = 0; step < STEPS; ++step) cloud_free(&l.steps[step]);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_fails_while_results_grow),
    };
    RUN_TESTS(tests, argc, argv);
}
