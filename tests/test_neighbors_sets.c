// SPDX-License-Identifier: MIT
// Several sets of points in one search: every pair of sets against brute force that knows nothing of the library
// (support/cloud.h), and against a search of its own for each pair; sets that come and go, stay as they are, or are
// empty.

#include "mote/neighbors.h"
#include "neighbors_sets/world.h"
#include "support/test.h"

enum { SEEDS = SEEKS_RACES ? 16 : SANITIZED ? 80 : 400, STEPS = 4, BUDGET = 1500 };  // pairs of points of two sets

// ------------------------------------------------------------------------------------------------------ the matrix

// Points, about as many as brute force can take with so many images; none at all now and then.
static size_t choose_count(const world *w, mote_random *random)
{
    double images = 1;
    for (int k = 0; k < w->dimensions && world_has(w, MOTE_NEIGHBORS_PERIODIC); ++k)
        if (w->def.period[k].x != 0 || w->def.period[k].y != 0 || w->def.period[k].z != 0) images *= 5;
    return mote_random_below(random, 5) == 0 ? 0 : (size_t)(2 * sqrt(BUDGET / images) * mote_random_unit(random));
}

// Another set in place of one, or the same with its points a little elsewhere.
static void change_set(world *w, mote_random *random, uint32_t s)
{
    cloud *set = &w->sets[s];
    w->changed[s] = true;
    if (set->xyz && mote_random_below(random, 2)) {
        for (size_t i = 0; i < 3 * set->count; ++i) set->xyz[i] += 0.05 * w->def.radius * mote_random_unit(random);
        cloud_refresh(set);
        return;
    }
    cloud_free(set);
    const double radius = w->def.radius / (world_has(w, MOTE_NEIGHBORS_RADII) ? 2 : 1);
    *set = cloud_random(random, world_scalar(w), w->dimensions, choose_count(w, random), radius);
    for (size_t i = 0; i < set->count; ++i) w->largest = fmax(w->largest, 2 * set->radii[i]);
}

static void check_seed(mote_context *context, const mote_neighbors_method_info *info, uint64_t seed)
{
    const uint32_t apart = MOTE_NEIGHBORS_GROUPS | MOTE_NEIGHBORS_NEAREST | MOTE_NEIGHBORS_SUBSET;
    mote_random random = {seed};
    world w = {.seed = seed, .def = mote_neighbors_default_def()};
    w.dimensions = 1 + (int)mote_random_below(&random, 3);
    w.def.method = info->name;
    w.def.features = MOTE_NEIGHBORS_QUERY;
    if (mote_random_below(&random, 4))  // else what most have: floats, one radius, indices
        w.def.features |= (uint32_t)mote_random_next(&random) & info->features & ~apart;
    w.def.radius_rule = (mote_radius_rule)mote_random_below(&random, 3);
    if (world_has(&w, MOTE_NEIGHBORS_HALF) && w.def.radius_rule == MOTE_RADIUS_MINE)
        w.def.radius_rule = MOTE_RADIUS_LARGER;
    if (world_has(&w, MOTE_NEIGHBORS_PERIODIC)) cloud_random_box(&random, w.dimensions, w.def.period);
    w.def.radius = (double)(float)((0.2 + mote_random_unit(&random)) * pow(40, -1.0 / w.dimensions));
    w.def.skin = 0.3 * w.def.radius;
    w.def.open_ball = mote_random_below(&random, 2);
    w.largest = w.def.radius;
    mote_neighbors *search;
    CHECK_OK(mote_neighbors_create(context, &w.def, &search, NULL));
    for (int step = 0; step < STEPS; ++step) {
        const uint32_t former = w.count;
        mote_error error = {.text = ""};
        w.count = 1 + mote_random_below(&random, MOST_SETS);
        for (uint32_t s = 0; s < w.count; ++s) {
            w.changed[s] = false;
            if (s >= former || mote_random_below(&random, 2)) change_set(&w, &random, s);
            if (s >= former) w.changed[s] = mote_random_below(&random, 2);  // no matter: it was not there
        }
        for (uint32_t p = 0; p < w.count * w.count; ++p) w.active[p] = mote_random_below(&random, 3) > 0;
        if (!world_has(&w, MOTE_NEIGHBORS_RADII) && mote_random_below(&random, 4) == 0) {
            w.def.radius = (double)(float)(w.def.radius * (0.7 + 0.6 * mote_random_unit(&random)));
            w.largest = fmax(w.largest, w.def.radius);
            CHECK_OK(mote_neighbors_set_radius(search, w.def.radius, NULL));  // builds all, whatever the flags say
        }
        const bool all = mote_random_below(&random, 4) == 0;
        const mote_result result = world_update(&w, search, all ? NULL : w.changed, &error);
        CHECK(result == MOTE_OK, "seed %d: %s", (int)seed, error.text);
        world_check(&w, context, search, all);
    }
    mote_neighbors_destroy(search);
    world_free(&w);
}

static void pairs_equal_brute_force(void **state)
{
    (void)state;
    mote_context *context = test_context_with_threads(1);
    const mote_neighbors_method_info *info;
    for (uint64_t seed = 1; seed <= SEEDS; ++seed)
        for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m)
            if (info->exact && (m == 0 || seed % 16 == m % 16)) check_seed(context, info, seed);
    mote_context_destroy(context);
}

// A point of each set, of two of them, or of one, so far away along all axes that coordinates of cells do not fit a
// key: they are numbered where the whole set is sorted, and compared axis by axis where some of its points are left
// out.
static void sets_reach_far_along_all_axes(void **state)
{
    (void)state;
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
        if (!info->exact || !(info->features & MOTE_NEIGHBORS_QUERY)) continue;
        for (uint32_t far = 1; far < 8; far += SEEKS_RACES ? 6 : SANITIZED ? 2 : 1) {
            world w = world_make_three(MOTE_NEIGHBORS_QUERY, SANITIZED ? 300 : 600, 50 + far);
            w.def.method = info->name;
            w.largest = w.def.radius;
            for (uint32_t s = 0; s < 3; ++s) {
                w.changed[s] = true;
                for (size_t k = 0; far >> s & 1 && k < 3; ++k)
                    w.sets[s].xyz[k] = (double)(s == 2 && k == 1 ? -1e30f : 1e30f);
                cloud_refresh(&w.sets[s]);
            }
            for (int p = 0; p < 9; ++p) w.active[p] = true;
            mote_neighbors *search;
            CHECK_OK(mote_neighbors_create(NULL, &w.def, &search, NULL));
            CHECK_OK(world_update(&w, search, NULL, NULL));
            world_check(&w, NULL, search, true);
            mote_neighbors_destroy(search);
            world_free(&w);
        }
    }
}

// The large set's rows are made from the small one's, in several blocks of work; either pair may be active alone.
static void large_sets_beside_small_ones(void **state)
{
    (void)state;
    static const uint32_t kinds[] = {0, MOTE_NEIGHBORS_ASCENDING, MOTE_NEIGHBORS_F64};
    static const uint32_t threads[] = {1, 2, 5};
    const size_t counts[2] = {40000, 9000};
    for (size_t k = 0; k < 9; ++k) {
        if (SEEKS_RACES && threads[k % 3] == 1) continue;
        mote_context *context = test_context_with_threads(threads[k % 3]);
        mote_random random = {k};
        mote_neighbors *search;
        world w = {.seed = k, .def = mote_neighbors_default_def(), .dimensions = 3, .count = 2};
        w.def.features = MOTE_NEIGHBORS_QUERY | kinds[k / 3];
        w.def.radius = 0.04;
        for (uint32_t s = 0; s < 2; ++s) {
            double *xyz = malloc(3 * counts[s] * sizeof *xyz), *radii = calloc(counts[s], sizeof *radii);
            for (size_t n = 0; n < 3 * counts[s]; ++n)
                xyz[n] = mote_random_unit(&random) * (s == 1 && n % 3 == 2 ? 0.3 : 1);
            w.sets[s] = cloud_make(world_scalar(&w), 3, counts[s], xyz, radii);
        }
        CHECK_OK(mote_neighbors_create(context, &w.def, &search, NULL));
        CHECK_OK(world_update(&w, search, NULL, NULL));
        for (uint32_t which = 1; which < 4; ++which) {
            const bool active[4] = {false, which & 1, which & 2, false};
            mote_lists lists[4];
            CHECK_OK(mote_neighbors_lists_of_sets(search, active, 4, lists, NULL));
            for (uint32_t p = 1; p < 3; ++p)
                if (active[p]) world_check_order(&w, context, p / 2, p % 2, &lists[p]);
            const uint64_t hits = lists[1].total + lists[2].total;
            CHECK(hits > 10000 && mote_neighbors_get_counters(search).hits == hits, "%llu hits",
                  (unsigned long long)hits);
        }
        mote_neighbors_destroy(search);
        mote_context_destroy(context);
        world_free(&w);
    }
}

// ---------------------------------------------------------------------------------------------- threads, memory

static uint64_t mix(uint64_t sum, uint64_t value)
{
    return (sum ^ value) * 0x9E3779B97F4A7C15u + (sum >> 29);
}

static uint64_t sum_lists(uint64_t sum, const mote_lists *lists)
{
    sum = mix(sum, lists->total);
    for (uint32_t i = 0; i < lists->count; ++i) {
        const mote_row row = mote_lists_row(lists, i);
        sum = mix(sum, row.count);
        for (uint32_t k = 0; k < row.count; ++k) {
            uint32_t bits = 0;
            if (row.squared) memcpy(&bits, &row.squared[k], sizeof bits);
            sum = mix(sum, row.indices[k] | (uint64_t)bits << 32);
        }
    }
    return sum;
}

static void same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    static const uint32_t kinds[] = {MOTE_NEIGHBORS_QUERY,
                                     MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_HALF,
                                     MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_ASCENDING};
    static const uint32_t threads[] = {1, 2, 5};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        uint64_t expected = 0;
        world w = world_make_three(kinds[k], SANITIZED ? 2000 : 8000, 5 + k);
        for (size_t n = 0; n < 3; ++n) {
            mote_context *context = test_context_with_threads(threads[n]);
            mote_neighbors *search;
            mote_lists lists[9], one;
            uint64_t sum = 0;
            CHECK_OK(mote_neighbors_create(context, &w.def, &search, NULL));
            CHECK_OK(world_update(&w, search, NULL, NULL));
            CHECK_OK(mote_neighbors_lists_of_sets(search, NULL, 9, lists, NULL));
            for (int p = 0; p < 9; ++p) sum = sum_lists(sum, &lists[p]);
            CHECK_OK(mote_neighbors_lists_as_one(search, NULL, 9, &one, NULL));
            sum = sum_lists(sum, &one);
            CHECK(one.total > 9 * 1000, "only %llu neighbours", (unsigned long long)one.total);
            if (n == 0) expected = sum;
            CHECK(sum == expected, "kind %zu: %u threads find others", k, threads[n]);
            mote_neighbors_destroy(search);
            mote_context_destroy(context);
        }
        world_free(&w);
    }
}

// A life of growing sets, for every place where memory can fail.
typedef struct growth {
    world steps[3];
    uint64_t expected[3];
    bool is_known;
} growth;

static mote_result live(mote_context *context, void *data)
{
    growth *g = data;
    const int steps = SANITIZED ? 2 : 3;
    mote_neighbors *search = NULL;
    mote_result result = mote_neighbors_create(context, &g->steps[0].def, &search, NULL);
    if (result != MOTE_OK) return result;
    for (int step = 0; step < steps; ++step) {
        const world *w = &g->steps[step];
        const bool changed[3] = {true, false, step % 2 == 0};  // set 1 stays; what was lost is built all the same
        mote_lists lists[9], one;
        const size_t pairs = (size_t)w->count * w->count;
        result = world_update(w, search, step ? changed : NULL, NULL);
        if (result == MOTE_ERROR_OUT_OF_MEMORY) {
            CHECK_OK(mote_neighbors_validate(search, NULL));
            CHECK(mote_neighbors_lists_of_sets(search, NULL, pairs, lists, NULL) == MOTE_ERROR_STATE, "lists of what "
                  "was lost");
            result = world_update(w, search, (const bool[3]){false, false, false}, NULL);
        }
        CHECK_OK(result);
        result = mote_neighbors_lists_of_sets(search, NULL, pairs, lists, NULL);
        if (result == MOTE_ERROR_OUT_OF_MEMORY) {
            for (size_t p = 0; p < pairs; ++p) CHECK(!lists[p].first && !lists[p].count, "lists after a failure");
            result = mote_neighbors_lists_of_sets(search, NULL, pairs, lists, NULL);
        }
        CHECK_OK(result);
        uint64_t sum = 0;
        for (size_t p = 0; p < pairs; ++p) sum = sum_lists(sum, &lists[p]);
        result = mote_neighbors_lists_as_one(search, NULL, pairs, &one, NULL);
        if (result == MOTE_ERROR_OUT_OF_MEMORY) {
            CHECK(!one.first && !one.count, "rows as one after a failure");
            result = mote_neighbors_lists_as_one(search, NULL, pairs, &one, NULL);
        }
        CHECK_OK(result);
        sum = sum_lists(sum, &one);
        if (!g->is_known) g->expected[step] = sum;
        CHECK(sum == g->expected[step], "step %d finds other rows", step);
    }
    mote_neighbors_destroy(search);
    return MOTE_OK;
}

static void memory_fails_anywhere(void **state)
{
    (void)state;
    static const uint32_t kinds[] = {MOTE_NEIGHBORS_QUERY, MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_F64 |
                                     MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES,
                                     MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_RADII, MOTE_NEIGHBORS_QUERY |
                                     MOTE_NEIGHBORS_PERIODIC, MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_SKIN};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k += SEEKS_RACES ? 2 : 1) {
        growth g = {.is_known = false};
        for (int step = 0; step < 3; ++step) {
            g.steps[step] = world_make_three(kinds[k], 60 + 40 * (size_t)step, 3);
            g.steps[step].count = step == 0 ? 2 : 3;
            g.steps[step].def.radius = 0.1 + 0.1 * step;
            g.steps[step].def.skin = 0.01;
            g.steps[step].def.period[0].x = 0.9;
            if (step == 0) continue;
            cloud_free(&g.steps[step].sets[1]);  // the set that stays
            const cloud *first = &g.steps[0].sets[1];
            double *xyz = malloc((3 * first->count + 1) * sizeof *xyz);
            double *radii = malloc((first->count + 1) * sizeof *radii);
            memcpy(xyz, first->xyz, 3 * first->count * sizeof *xyz);
            memcpy(radii, first->radii, first->count * sizeof *radii);
            g.steps[step].sets[1] = cloud_make(first->scalar, 3, first->count, xyz, radii);
        }
        mote_context *context = test_context_with_threads(1);
        CHECK_OK(live(context, &g));
        mote_context_destroy(context);
        g.is_known = true;
        test_failing_allocations(live, &g);
        for (int step = 0; step < 3; ++step) world_free(&g.steps[step]);
    }
}

static void warm_calls_allocate_nothing(void **state)
{
    (void)state;
    mote_context *context = test_context_with_threads(1);
    world w = world_make_three(MOTE_NEIGHBORS_QUERY, 3000, 11);
    mote_neighbors *search;
    mote_lists lists[9], one;
    CHECK_OK(mote_neighbors_create(context, &w.def, &search, NULL));
    uint64_t allocations = 0;
    size_t bytes = 0;
    for (uint32_t step = 0; step < 12; ++step) {
        bool active[9];
        for (uint32_t p = 0; p < 9; ++p) active[p] = step < 4 || (step + p) % 3 != 0;
        const bool changed[3] = {true, step % 2 == 0, step % 4 == 3};
        w.count = step % 5 == 4 ? 2 : 3;
        const size_t pairs = (size_t)w.count * w.count;
        CHECK_OK(world_update(&w, search, changed, NULL));
        CHECK_OK(mote_neighbors_lists_of_sets(search, step % 2 ? active : NULL, pairs, lists, NULL));
        CHECK_OK(mote_neighbors_lists_as_one(search, active, pairs, &one, NULL));
        if (step == 3) {
            allocations = mote_context_allocation_count(context);
            bytes = mote_context_byte_count(context);
        }
    }
    CHECK(mote_context_allocation_count(context) == allocations, "%llu allocations when warm",
          (unsigned long long)(mote_context_allocation_count(context) - allocations));
    // The search counts the bytes that the context gave it, but for those that round blocks up.
    size_t list_bytes, own = mote_neighbors_byte_count(search, &list_bytes);
    CHECK(mote_context_byte_count(context) == bytes, "%zu bytes when warm", mote_context_byte_count(context));
    mote_neighbors_destroy(search);
    const size_t held = bytes - mote_context_byte_count(context), counted = own + list_bytes;
    CHECK(counted <= held && held - counted < 64 * 64, "%zu bytes counted, %zu held", counted, held);
    world_free(&w);
    mote_context_destroy(context);
}

// --------------------------------------------------------------------------------------------------- inspection

static void unchanged_sets_keep_their_structure(void **state)
{
    (void)state;
    world w = world_make_three(MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_PERMUTATION, 1000, 3);
    mote_neighbors *search;
    mote_lists lists[9];
    const uint32_t *order;
    CHECK_OK(mote_neighbors_create(NULL, &w.def, &search, NULL));
    CHECK(!mote_neighbors_search_of_set(search, 0), "a set that is not there");
    CHECK_OK(world_update(&w, search, NULL, NULL));
    assert_int_equal(mote_neighbors_get_counters(search).rebuilds, 3);
    const bool first[3] = {true, false, false}, none[3] = {false, false, false};
    CHECK_OK(world_update(&w, search, first, NULL));
    assert_int_equal(mote_neighbors_get_counters(search).rebuilds, 4);
    CHECK_OK(world_update(&w, search, none, NULL));
    assert_int_equal(mote_neighbors_get_counters(search).rebuilds, 4);
    w.count = 2;
    CHECK_OK(world_update(&w, search, none, NULL));
    w.count = 3;  // the third is there again, and built whatever is said
    CHECK_OK(world_update(&w, search, none, NULL));
    assert_int_equal(mote_neighbors_get_counters(search).rebuilds, 5);
    CHECK_OK(mote_neighbors_lists_of_sets(search, NULL, 9, lists, NULL));
    const mote_neighbors_counters counters = mote_neighbors_get_counters(search);
    uint64_t total = 0;
    for (int p = 0; p < 9; ++p) total += lists[p].total;
    CHECK(counters.hits == total && counters.candidates >= total && counters.cells > 3, "counters");
    const char *text = mote_neighbors_explain(search);
    CHECK(strncmp(text, "3 sets; set 0: auto", 19) == 0, "says: %s", text);

    CHECK_OK(mote_neighbors_permutation_of_set(search, 2, &order, NULL));
    bool seen[1000] = {false};
    for (size_t k = 0; k < w.sets[2].count; ++k) {
        CHECK(order[k] < w.sets[2].count && !seen[order[k]], "no permutation");
        seen[order[k]] = true;
    }
    const mote_neighbors *inner = mote_neighbors_search_of_set(search, 2);
    CHECK(inner && mote_neighbors_get_counters(inner).rebuilds == 2, "the search of set 2");
    CHECK(!mote_neighbors_search_of_set(search, 3), "a set that is not there");
    mote_neighbors_destroy(search);
    world_free(&w);
}

static void lists_stay_valid_through_updates(void **state)
{
    (void)state;
    world w = world_make_three(MOTE_NEIGHBORS_QUERY, 600, 3), other = world_make_three(MOTE_NEIGHBORS_QUERY, 900, 4);
    mote_neighbors *search;
    mote_lists lists[9], more[9], own;
    CHECK_OK(mote_neighbors_create(NULL, &w.def, &search, NULL));
    w.count = 2;
    CHECK_OK(world_update(&w, search, NULL, NULL));
    CHECK_OK(mote_neighbors_lists_of_sets(search, NULL, 4, lists, NULL));
    uint64_t sum = 0, now = 0;
    for (int p = 0; p < 4; ++p) sum = sum_lists(sum, &lists[p]);
    CHECK_OK(world_update(&other, search, NULL, NULL));  // more and larger sets
    CHECK_OK(mote_neighbors_update(search, other.sets[0].points, NULL));
    CHECK_OK(mote_neighbors_lists(search, &own, NULL));
    CHECK_OK(world_update(&other, search, NULL, NULL));
    for (int p = 0; p < 4; ++p) now = sum_lists(now, &lists[p]);
    CHECK(now == sum && lists[0].total > 0, "the lists hold something else");
    CHECK_OK(mote_neighbors_lists_of_sets(search, NULL, 9, more, NULL));
    mote_neighbors_destroy(search);
    world_free(&w);
    world_free(&other);
}

static void points_and_sets_take_turns(void **state)
{
    (void)state;
    world w = world_make_three(MOTE_NEIGHBORS_QUERY, 200, 3);
    mote_neighbors *search;
    mote_lists lists[9], own;
    mote_error error = {.text = ""};
    const bool none[3] = {false, false, false};
    CHECK_OK(mote_neighbors_create(NULL, &w.def, &search, NULL));
    CHECK(mote_neighbors_lists_of_sets(search, NULL, 9, lists, &error) == MOTE_ERROR_STATE, "lists of no sets");
    assert_string_equal(error.text, "neighbors: no sets yet, expected mote_neighbors_update_sets before");
    CHECK_OK(world_update(&w, search, none, NULL));
    CHECK(mote_neighbors_lists(search, &own, &error) == MOTE_ERROR_STATE, "lists of points");
    assert_string_equal(error.text, "neighbors: the search holds 3 sets, expected a call for sets, or "
                                    "mote_neighbors_update before");
    CHECK_OK(mote_neighbors_update(search, w.sets[0].points, NULL));
    CHECK(mote_neighbors_lists_of_sets(search, NULL, 9, lists, NULL) == MOTE_ERROR_STATE, "lists of former sets");
    CHECK_OK(mote_neighbors_lists(search, &own, NULL));
    const uint64_t total = own.total;
    CHECK_OK(world_update(&w, search, none, NULL));  // all are built: they were forgotten
    CHECK_OK(mote_neighbors_lists_of_sets(search, NULL, 9, lists, NULL));
    CHECK(lists[0].total == total && total > 0, "%llu neighbours", (unsigned long long)lists[0].total);
    CHECK_OK(mote_neighbors_update_sets(search, NULL, 0, NULL, NULL));
    CHECK_OK(mote_neighbors_lists_of_sets(search, NULL, 0, NULL, NULL));
    CHECK_OK(mote_neighbors_lists_as_one(search, NULL, 0, &own, NULL));
    CHECK(own.count == 0 && own.total == 0, "rows of no sets");
    mote_neighbors_destroy(search);
    world_free(&w);
}

static void period_reaches_every_set(void **state)
{
    (void)state;
    mote_context *context = test_context_with_threads(1);
    world w = world_make_three(MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_PERIODIC, 30, 3);
    const bool none[3] = {false, false, false};
    mote_neighbors *search;
    mote_lists lists[9];
    w.def.period[0].x = w.def.period[1].y = 1;
    w.largest = w.def.radius;
    CHECK_OK(mote_neighbors_create(context, &w.def, &search, NULL));
    CHECK_OK(world_update(&w, search, NULL, NULL));
    world_check(&w, context, search, true);
    w.def.period[0].x = 0.7;
    w.def.period[2].z = 1.5;
    CHECK_OK(mote_neighbors_set_period(search, w.def.period, w.def.period_origin, NULL));
    CHECK(mote_neighbors_lists_of_sets(search, NULL, 9, lists, NULL) == MOTE_ERROR_STATE, "sets of another box");
    CHECK_OK(world_update(&w, search, none, NULL));
    world_check(&w, context, search, true);
    mote_neighbors_destroy(search);
    world_free(&w);
    mote_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_equal_brute_force),  // one thread
        cmocka_unit_test(sets_reach_far_along_all_axes),
        cmocka_unit_test(large_sets_beside_small_ones),
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(memory_fails_anywhere),  // one thread
        cmocka_unit_test(warm_calls_allocate_nothing),
        cmocka_unit_test(unchanged_sets_keep_their_structure),
        cmocka_unit_test(lists_stay_valid_through_updates),
        cmocka_unit_test(points_and_sets_take_turns),
        cmocka_unit_test(period_reaches_every_set),
        cmocka_unit_test(arguments_are_refused),
        cmocka_unit_test(queries_need_the_feature),
        cmocka_unit_test(bad_radii_are_refused),
        cmocka_unit_test(changed_sets_are_noticed),
        cmocka_unit_test(no_memory_for_more_sets_leaves_none),
    };
    RUN_TESTS(tests, argc, argv);
}
