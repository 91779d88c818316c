// SPDX-License-Identifier: MIT
// What calls for several sets refuse, and that the search is as it was.

#include "neighbors_sets/world.h"
#include "support/test.h"

// Expects a refusal with this text, after which the search holds what it held.
static void expect_refused(const world *w, mote_neighbors *search, const bool *changed, mote_result expected,
                           const char *text, uint64_t total)
{
    mote_error error = {.text = ""};
    mote_lists one;
    const mote_result result = world_update(w, search, changed, &error);
    CHECK(result == expected, "%s: %s", mote_result_name(result), error.text);
    assert_string_equal(error.text, text);
    CHECK_OK(mote_neighbors_lists_as_one(search, NULL, 9, &one, NULL));
    CHECK(one.total == total, "%llu neighbours after the refusal, expected %llu", (unsigned long long)one.total,
          (unsigned long long)total);
}

void arguments_are_refused(void **state)
{
    (void)state;
    world w = world_make_three(MOTE_NEIGHBORS_QUERY, 100, 3);
    const bool none[3] = {false, false, false};
    mote_neighbors *search;
    mote_lists one, lists[9];
    mote_error error;
    CHECK_OK(mote_neighbors_create(NULL, &w.def, &search, NULL));
    CHECK_OK(world_update(&w, search, NULL, NULL));
    CHECK_OK(mote_neighbors_lists_as_one(search, NULL, 9, &one, NULL));
    const uint64_t total = one.total;

    const mote_points kept = w.sets[1].points;
    w.sets[1].points.dimensions = 2;
    expect_refused(&w, search, NULL, MOTE_ERROR_ARGUMENT, "set 1: 2 dimensions, expected 3 as set 0 has", total);
    w.sets[1].points.dimensions = 7;
    expect_refused(&w, search, NULL, MOTE_ERROR_ARGUMENT, "set 1: dimensions is 7, expected 1, 2 or 3", total);
    w.sets[1].points = kept;
    w.sets[1].points.scalar = MOTE_F64;
    expect_refused(&w, search, NULL, MOTE_ERROR_UNSUPPORTED, "set 1: double coordinates, expected float ones", total);
    w.sets[1].points = kept;
    w.sets[1].points.axis[2] = NULL;
    expect_refused(&w, search, NULL, MOTE_ERROR_ARGUMENT, "set 1: axis[2] is NULL, expected an array", total);
    w.sets[1].points = kept;
    w.sets[1].points.count = 49;
    expect_refused(&w, search, none, MOTE_ERROR_ARGUMENT,
                   "set 1: said to be unchanged with 49 points, expected the 50 that it had", total);
    for (int s = 0; s < 3; ++s) w.sets[s].points.dimensions = 2;
    w.sets[1].points.count = 50;
    expect_refused(&w, search, none, MOTE_ERROR_ARGUMENT,
                   "set 0: said to be unchanged with 2 dimensions, expected the 3 that it had", total);
    for (int s = 0; s < 3; ++s) w.sets[s].points.dimensions = 3;
    w.def.features |= MOTE_NEIGHBORS_RADII;  // update gives radii
    expect_refused(&w, search, NULL, MOTE_ERROR_UNSUPPORTED,
                   "set 0: a radius each, expected MOTE_NEIGHBORS_RADII in the def's features", total);
    w.def.features &= ~(uint32_t)MOTE_NEIGHBORS_RADII;

    // An empty set has no dimension or type to disagree with.
    w.sets[1].points = (mote_points){.count = 0};
    CHECK_OK(world_update(&w, search, NULL, NULL));
    w.sets[1].points = kept;
    CHECK_OK(world_update(&w, search, NULL, NULL));

    CHECK(mote_neighbors_lists_of_sets(search, NULL, 4, lists, &error) == MOTE_ERROR_ARGUMENT, "a table of 4");
    assert_string_equal(error.text, "neighbors: a table of 4 pairs, expected 9 for 3 sets");
    CHECK(mote_neighbors_lists_as_one(search, NULL, 10, &one, &error) == MOTE_ERROR_ARGUMENT, "a table of 10");
    assert_string_equal(error.text, "neighbors: a table of 10 pairs, expected 9 for 3 sets");
    const uint32_t *order;
    CHECK(mote_neighbors_permutation_of_set(search, 3, &order, &error) == MOTE_ERROR_ARGUMENT, "set 3");
    assert_string_equal(error.text, "neighbors: set is 3, expected one below 3");

    // What is only found while a set is built leaves an empty search.
    ((float *)w.sets[2].coordinates)[4] = (float)INFINITY;
    CHECK(world_update(&w, search, NULL, &error) == MOTE_ERROR_NOT_FINITE, "infinite");
    CHECK(strncmp(error.text, "set 2: ", 7) == 0 && error.index == 1, "%s", error.text);
    CHECK(mote_neighbors_lists_of_sets(search, NULL, 9, lists, NULL) == MOTE_ERROR_STATE, "lists of no sets");
    CHECK(mote_neighbors_lists(search, &one, NULL) == MOTE_ERROR_STATE, "lists of no points");
    cloud_refresh(&w.sets[2]);
    CHECK_OK(world_update(&w, search, none, NULL));
    CHECK_OK(mote_neighbors_lists_as_one(search, NULL, 9, &one, NULL));
    CHECK(one.total == total, "%llu neighbours", (unsigned long long)one.total);
    mote_neighbors_destroy(search);
    world_free(&w);
}

void queries_need_the_feature(void **state)
{
    (void)state;
    world w = world_make_three(0, 100, 3);
    mote_neighbors *search;
    mote_lists lists[9];
    mote_error error;
    CHECK_OK(mote_neighbors_create(NULL, &w.def, &search, NULL));
    CHECK_OK(world_update(&w, search, NULL, NULL));
    const bool own[9] = {true, false, false, false, true, false, false, false, true};
    CHECK_OK(mote_neighbors_lists_of_sets(search, own, 9, lists, NULL));
    CHECK(lists[4].count == 50 && lists[5].count == 0, "%zu rows", lists[4].count);
    const bool more[9] = {true, false, false, false, true, true};
    CHECK(mote_neighbors_lists_of_sets(search, more, 9, lists, &error) == MOTE_ERROR_UNSUPPORTED, "a query");
    assert_string_equal(error.text, "neighbors: set 1 looks into set 2, expected MOTE_NEIGHBORS_QUERY in the def's "
                                    "features");
    mote_neighbors_destroy(search);
    world_free(&w);
}

void bad_radii_are_refused(void **state)
{
    (void)state;
    world w = world_make_three(MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_RADII, 100, 3);
    mote_neighbors *search;
    mote_lists one;
    mote_points sets[3];
    mote_error error;
    CHECK_OK(mote_neighbors_create(NULL, &w.def, &search, NULL));
    CHECK_OK(world_update(&w, search, NULL, NULL));
    CHECK_OK(mote_neighbors_lists_as_one(search, NULL, 9, &one, NULL));
    const uint64_t total = one.total;
    ((float *)w.sets[2].own_radii)[7] = -1;
    expect_refused(&w, search, NULL, MOTE_ERROR_ARGUMENT,
                   "radii of set 2: radius of point 7 is -1, expected 2^-50 to 2^62", total);
    cloud_refresh(&w.sets[2]);
    for (int s = 0; s < 3; ++s) sets[s] = w.sets[s].points;
    CHECK(mote_neighbors_update_sets(search, sets, 3, NULL, &error) == MOTE_ERROR_STATE, "no radii");
    assert_string_equal(error.text, "set 0: no radii, expected one for every point");
    const void *radii[3] = {w.sets[0].own_radii, NULL, w.sets[2].own_radii};
    CHECK(mote_neighbors_update_sets_radii(search, sets, radii, sizeof(float), 3, NULL, &error) ==
          MOTE_ERROR_ARGUMENT, "radii of two sets");
    assert_string_equal(error.text, "radii of set 1: NULL, expected an array of 50");
    const bool none[3] = {false, false, false};  // also those of sets that are said to be unchanged
    error.text[0] = 0;
    CHECK(mote_neighbors_update_sets_radii(search, sets, radii, sizeof(float), 3, none, &error) == MOTE_ERROR_ARGUMENT,
          "radii of two sets");
    assert_string_equal(error.text, "radii of set 1: NULL, expected an array of 50");
    radii[1] = w.sets[1].own_radii;
    CHECK_OK(mote_neighbors_update_sets_radii(search, sets, radii, sizeof(float), 3, none, &error));
    CHECK_OK(mote_neighbors_lists_as_one(search, NULL, 9, &one, NULL));
    CHECK(one.total == total, "%llu neighbours", (unsigned long long)one.total);
    mote_neighbors_destroy(search);
    world_free(&w);
}

// Only debug builds look.
void changed_sets_are_noticed(void **state)
{
    (void)state;
    world w = world_make_three(MOTE_NEIGHBORS_QUERY, 100, 3);
    const bool none[3] = {false, false, false};
    mote_neighbors *search;
    mote_lists one;
    CHECK_OK(mote_neighbors_create(NULL, &w.def, &search, NULL));
    CHECK_OK(world_update(&w, search, NULL, NULL));
    CHECK_OK(mote_neighbors_lists_as_one(search, NULL, 9, &one, NULL));
    const uint64_t total = one.total;
    w.sets[1].xyz[3] += 0.25;
    cloud_refresh(&w.sets[1]);
#if defined(MOTE_DEBUG)
    expect_refused(&w, search, none, MOTE_ERROR_ARGUMENT,
                   "set 1: said to be unchanged, but its 50 points are not those that it had", total);
#else
    CHECK_OK(world_update(&w, search, none, NULL));
    CHECK_OK(mote_neighbors_lists_as_one(search, NULL, 9, &one, NULL));
    CHECK(one.total == total, "%llu neighbours", (unsigned long long)one.total);
#endif
    CHECK_OK(world_update(&w, search, NULL, NULL));
    mote_neighbors_destroy(search);
    world_free(&w);
}

static void *allocate_unless_empty(void *user_data, size_t bytes, size_t alignment)
{
    return *(const bool *)user_data ? NULL : aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void release_to_library(void *user_data, void *memory, size_t bytes)
{
    (void)user_data, (void)bytes;
    free(memory);
}

// Whichever memory is lacking, the search is empty afterwards, and builds all sets, whatever is said of them.
void no_memory_for_more_sets_leaves_none(void **state)
{
    (void)state;
    bool is_empty = false;
    mote_context_def context_def = mote_context_default_def();
    context_def.allocator = (mote_allocator){allocate_unless_empty, release_to_library, &is_empty};
    context_def.thread_count = 1;
    mote_context *context;
    mote_neighbors *search;
    mote_lists one;
    mote_error error;
    const bool none[3] = {false, false, false};
    world w = world_make_three(MOTE_NEIGHBORS_QUERY, 100, 3);
    CHECK_OK(mote_context_create(&context_def, &context, NULL));
    CHECK_OK(mote_neighbors_create(context, &w.def, &search, NULL));
    w.count = 1;
    CHECK_OK(world_update(&w, search, NULL, NULL));
    CHECK_OK(mote_neighbors_lists_as_one(search, NULL, 1, &one, NULL));
    w.count = 3;
    for (size_t i = 0; i < 3 * w.sets[0].count; ++i) w.sets[0].xyz[i] *= 100;
    cloud_refresh(&w.sets[0]);
    is_empty = true;
    CHECK(world_update(&w, search, NULL, &error) == MOTE_ERROR_OUT_OF_MEMORY, "%s", error.text);
    is_empty = false;
    CHECK(mote_neighbors_lists_as_one(search, NULL, 1, &one, NULL) == MOTE_ERROR_STATE, "a set that was lost");
    CHECK_OK(world_update(&w, search, none, NULL));
    mote_lists lists[9];
    CHECK_OK(mote_neighbors_lists_of_sets(search, NULL, 9, lists, NULL));
    for (uint32_t p = 0; p < 9; ++p) world_check_order(&w, context, p / 3, p % 3, &lists[p]);
    mote_neighbors_destroy(search);
    mote_context_destroy(context);
    world_free(&w);
}
