// SPDX-License-Identifier: MIT
// Broad phases: bad input, which changes nothing; ids; memory that runs out; what there is to see.

#include "support/boxes.h"
#include "support/test.h"

static mote_broadphase *make(mote_context *context, const char *method)
{
    mote_broadphase_def def = mote_broadphase_default_def();
    def.method = method;
    mote_broadphase *broad = NULL;
    mote_error error = {0};
    CHECK(mote_broadphase_create(context, &def, &broad, &error) == MOTE_OK, "%s", error.text);
    return broad;
}

static void expect_text(const mote_error *error, const char *text)
{
    CHECK(strstr(error->text, text), "\"%s\" does not say \"%s\"", error->text, text);
}

static void bad_defs(void **state)
{
    (void)state;
    mote_broadphase *broad = NULL;
    mote_error error = {0};
    mote_broadphase_def def = {0};
    CHECK(mote_broadphase_create(NULL, &def, &broad, &error) == MOTE_ERROR_ARGUMENT, "no cookie");
    expect_text(&error, "mote_broadphase_default_def");
    def = mote_broadphase_default_def();
    def.method = "brute_forse";
    CHECK(mote_broadphase_create(NULL, &def, &broad, &error) == MOTE_ERROR_ARGUMENT, "method");
    expect_text(&error, "did you mean brute_force?");
    def.method = "octopus";
    CHECK(mote_broadphase_create(NULL, &def, &broad, &error) == MOTE_ERROR_ARGUMENT, "method");
    expect_text(&error, "broadphase: method is \"octopus\", expected one of auto, ");
    def = mote_broadphase_default_def();
    def.dimensions = 4;
    CHECK(mote_broadphase_create(NULL, &def, &broad, &error) == MOTE_ERROR_ARGUMENT, "dimensions");
    expect_text(&error, "broadphase.dimensions is 4");
    def = mote_broadphase_default_def();
    def.cell_size = -1;
    CHECK(mote_broadphase_create(NULL, &def, &broad, &error) == MOTE_ERROR_ARGUMENT, "cell_size");
    expect_text(&error, "cell_size");
    def = mote_broadphase_default_def();
    def.finest = NAN;
    CHECK(mote_broadphase_create(NULL, &def, &broad, &error) == MOTE_ERROR_ARGUMENT, "finest");
    CHECK(mote_broadphase_create(NULL, NULL, &broad, &error) == MOTE_ERROR_ARGUMENT, "no def");
    CHECK(broad == NULL, "made something");
    def = mote_broadphase_default_def();
    CHECK(mote_broadphase_create(NULL, &def, NULL, &error) == MOTE_ERROR_ARGUMENT, "nowhere");
}

static void bad_boxes_change_nothing(void **state)
{
    mote_error error = {0};
    (void)state;
    mote_broadphase *broad = make(NULL, NULL);
    mote_bounds good = {{0, 0, 0}, {1, 1, 1}}, boxes[3] = {good, good, good};
    uint32_t ids[3];
    CHECK_OK(mote_broadphase_add_many(broad, mote_boxes_bounds(boxes, 3, 3), MOTE_OBJECT_MOVING, mote_filter_all(), ids,
                                      &error));
    const float bad[] = {NAN, INFINITY, -INFINITY, 2};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        boxes[1].min[2] = bad[k];
        mote_boxes view = mote_boxes_bounds(boxes, 3, 3);
        mote_id_rows rows;
        CHECK(mote_broadphase_add_many(broad, view, MOTE_OBJECT_MOVING, mote_filter_all(), ids, &error) ==
                  MOTE_ERROR_ARGUMENT,
              "added");
        CHECK(error.index == 1, "index");
        expect_text(&error, "box 1");
        CHECK(mote_broadphase_move_many(broad, ids, view, &error) == MOTE_ERROR_ARGUMENT, "moved");
        CHECK(mote_broadphase_query_boxes(broad, view, mote_filter_all(), &rows, &error) == MOTE_ERROR_ARGUMENT,
              "asked");
        CHECK(error.index == 1, "index of the query");
        CHECK(mote_broadphase_count(broad) == 3, "%zu objects", mote_broadphase_count(broad));
    }
    mote_object object;
    for (uint32_t k = 0; k < 3; ++k) {
        CHECK(mote_broadphase_object(broad, ids[k], &object), "object %u", k);
        CHECK(memcmp(&object.box, &good, sizeof good) == 0, "box %u has changed", k);
    }
    boxes[1] = good;
    CHECK(mote_broadphase_add_many(broad, mote_boxes_bounds(boxes, 3, 2), MOTE_OBJECT_MOVING, mote_filter_all(), ids,
                                   &error) == MOTE_ERROR_ARGUMENT,
          "dimensions");
    mote_broadphase_destroy(broad);
}

static bool count_ids(void *user_data, uint32_t id)
{
    (void)id;
    *(uint32_t *)user_data += 1;
    return true;
}

static void bad_queries(void **state)
{
    (void)state;
    mote_broadphase *broad = make(NULL, NULL);
    const mote_bounds good = {{0, 0, 0}, {1, 1, 1}}, bad = {{0, 0, 0}, {1, -1, 1}};
    const float at[3] = {0, 0, 0}, nowhere[3] = {0, NAN, 0};
    const mote_filter all = mote_filter_all();
    uint32_t id, seen = 0;
    mote_closest_object closest;
    CHECK_OK(mote_broadphase_query_box(broad, &good, all, count_ids, &seen, NULL));  // of nothing
    CHECK_OK(mote_broadphase_closest(broad, at, INFINITY, all, &closest, NULL));
    CHECK(closest.id == MOTE_NO_OBJECT && seen == 0, "found something");
    CHECK_OK(mote_broadphase_add(broad, &good, MOTE_OBJECT_MOVING, all, &id, NULL));
    CHECK(mote_broadphase_query_point(broad, at, all, count_ids, &seen, NULL) == MOTE_ERROR_STATE, "no update yet");
    CHECK(mote_broadphase_closest(broad, at, 1, all, &closest, NULL) == MOTE_ERROR_STATE, "no update yet");
    CHECK_OK(mote_broadphase_update(broad, NULL));
    CHECK(mote_broadphase_query_box(broad, &bad, all, count_ids, &seen, NULL) == MOTE_ERROR_ARGUMENT, "box");
    CHECK(mote_broadphase_query_point(broad, nowhere, all, count_ids, &seen, NULL) == MOTE_ERROR_ARGUMENT, "point");
    CHECK(mote_broadphase_query_sphere(broad, at, -1, all, count_ids, &seen, NULL) == MOTE_ERROR_ARGUMENT, "radius");
    CHECK(mote_broadphase_query_sphere(broad, nowhere, 1, all, count_ids, &seen, NULL) == MOTE_ERROR_ARGUMENT,
          "sphere");
    CHECK(mote_broadphase_query_segment(broad, at, nowhere, all, count_ids, &seen, NULL) == MOTE_ERROR_ARGUMENT,
          "segment");
    CHECK(mote_broadphase_query_sweep(broad, &good, nowhere, all, count_ids, &seen, NULL) == MOTE_ERROR_ARGUMENT,
          "sweep");
    CHECK(mote_broadphase_query_point(broad, at, all, NULL, NULL, NULL) == MOTE_ERROR_ARGUMENT, "no visitor");
    CHECK(mote_broadphase_closest(broad, nowhere, 1, all, &closest, NULL) == MOTE_ERROR_ARGUMENT, "closest");
    CHECK(mote_broadphase_closest(broad, at, -1, all, &closest, NULL) == MOTE_ERROR_ARGUMENT, "distance");
    mote_id_rows rows;
    const float radius = -1;
    mote_points one = mote_points_xyz(at, 1), none = mote_points_xyz(nowhere, 1), flat = mote_points_xy(at, 1);
    CHECK(mote_broadphase_query_points(broad, none, all, &rows, NULL) == MOTE_ERROR_ARGUMENT, "points");
    CHECK(mote_broadphase_query_points(broad, flat, all, &rows, NULL) == MOTE_ERROR_ARGUMENT, "2D points");
    CHECK(mote_broadphase_query_spheres(broad, one, &radius, 0, all, &rows, NULL) == MOTE_ERROR_ARGUMENT, "radii");
    CHECK(mote_broadphase_query_segments(broad, one, none, all, &rows, NULL) == MOTE_ERROR_ARGUMENT, "segments");
    const mote_boxes one_box = mote_boxes_bounds(&good, 1, 3);
    mote_points two = mote_points_xyz(at, 1);
    two.count = 2;
    two.stride = 0;
    CHECK(mote_broadphase_query_sweeps(broad, one_box, none, all, &rows, NULL) == MOTE_ERROR_ARGUMENT, "motion");
    CHECK(mote_broadphase_query_sweeps(broad, one_box, two, all, &rows, NULL) == MOTE_ERROR_ARGUMENT, "two motions");
    CHECK(mote_broadphase_query_sweeps(broad, one_box, flat, all, &rows, NULL) == MOTE_ERROR_ARGUMENT, "2D motions");
    CHECK(seen == 0, "%u were found", seen);
    mote_broadphase_destroy(broad);
}

static void ids_and_changes(void **state)
{
    mote_error error = {0};
    (void)state;
    mote_broadphase *broad = make(NULL, NULL);
    mote_bounds box = {{0, 0, 0}, {1, 1, 1}};
    uint32_t ids[4];
    for (uint32_t k = 0; k < 4; ++k) {
        CHECK_OK(mote_broadphase_add(broad, &box, MOTE_OBJECT_MOVING, mote_filter_all(), &ids[k], &error));
        CHECK(ids[k] == k, "id %u", ids[k]);
    }
    const uint32_t twice[] = {1, 2, 1}, strange[] = {1, 9};
    CHECK(mote_broadphase_remove_many(broad, twice, 3, &error) == MOTE_ERROR_ARGUMENT, "removed twice");
    CHECK(mote_broadphase_remove_many(broad, strange, 2, &error) == MOTE_ERROR_ARGUMENT, "removed a stranger");
    CHECK(mote_broadphase_move(broad, 4, &box, &error) == MOTE_ERROR_ARGUMENT, "moved a stranger");
    CHECK(mote_broadphase_set_filter(broad, 4, mote_filter_all(), &error) == MOTE_ERROR_ARGUMENT, "filter");
    CHECK(mote_broadphase_set_kind(broad, 4, MOTE_OBJECT_STATIC, &error) == MOTE_ERROR_ARGUMENT, "kind");
    CHECK(mote_broadphase_set_kind(broad, 3, (mote_object_kind)7, &error) == MOTE_ERROR_ARGUMENT, "no kind");
    expect_text(&error, "kind is 7, expected MOTE_OBJECT_MOVING");
    CHECK(mote_broadphase_add(broad, &box, (mote_object_kind)7, mote_filter_all(), ids, &error) == MOTE_ERROR_ARGUMENT,
          "kind");
    CHECK(mote_broadphase_count(broad) == 4 && mote_broadphase_id_end(broad) == 4, "count");
    CHECK_OK(mote_broadphase_remove_many(broad, twice, 2, &error));
    CHECK(mote_broadphase_count(broad) == 2, "count");
    CHECK(!mote_broadphase_object(broad, 1, &(mote_object){0}), "1 is still there");
    uint32_t id;  // nobody was told of any pair: the id is free at once
    CHECK_OK(mote_broadphase_add(broad, &box, MOTE_OBJECT_STATIC, mote_filter_all(), &id, &error));
    CHECK(id < 3, "id %u", id);
    mote_pair_events events;
    CHECK_OK(mote_broadphase_events(broad, &events, &error));
    CHECK(events.begun.count == 3 && events.ended.count == 0, "%zu begun", events.begun.count);
    CHECK_OK(mote_broadphase_remove(broad, id, &error));
    CHECK_OK(mote_broadphase_add(broad, &box, MOTE_OBJECT_MOVING, mote_filter_all(), &ids[1], &error));
    CHECK(ids[1] != id, "id %u was given out before its end was told", id);
    CHECK_OK(mote_broadphase_events(broad, &events, &error));
    CHECK(events.ended.count == 2 && events.stayed.count == 1 && events.begun.count == 2, "%zu ended",
          events.ended.count);
    CHECK_OK(mote_broadphase_add(broad, &box, MOTE_OBJECT_MOVING, mote_filter_all(), &ids[2], &error));
    CHECK(ids[2] == id, "%u instead of %u", ids[2], id);
    mote_broadphase_destroy(broad);
}

// Boxes in every form that callers may have them in.
static void forms_of_boxes(void **state)
{
    (void)state;
    const float corners[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, flat[] = {0, 1, 2, 3, 4, 5, 6, 7};
    const float min[] = {0, 1, 2, 6, 7, 8}, max[] = {3, 4, 5, 9, 10, 11};
    mote_broadphase *broad = make(NULL, NULL);
    mote_object object;
    CHECK_OK(mote_broadphase_add_many(broad, mote_boxes_corners(corners, 2, 3), MOTE_OBJECT_MOVING, mote_filter_all(),
                                      NULL, NULL));
    CHECK_OK(mote_broadphase_add_many(broad, mote_boxes_min_max(min, max, 2, 3), MOTE_OBJECT_STATIC, mote_filter_all(),
                                      NULL, NULL));
    for (uint32_t id = 0; id < 4; ++id) {
        CHECK(mote_broadphase_object(broad, id, &object), "%u", id);
        CHECK(object.box.min[1] == (id & 1 ? 7 : 1) && object.box.max[2] == (id & 1 ? 11 : 5), "box %u", id);
        CHECK(object.kind == (id < 2 ? MOTE_OBJECT_MOVING : MOTE_OBJECT_STATIC), "kind of %u", id);
    }
    mote_broadphase_destroy(broad);
    mote_broadphase_def def = mote_broadphase_default_def();
    def.dimensions = 2;
    CHECK_OK(mote_broadphase_create(NULL, &def, &broad, NULL));
    CHECK_OK(mote_broadphase_add_many(broad, mote_boxes_corners(flat, 2, 2), MOTE_OBJECT_MOVING, mote_filter_all(),
                                      NULL, NULL));
    CHECK(mote_broadphase_object(broad, 1, &object), "1");
    CHECK(object.box.min[0] == 4 && object.box.max[1] == 7 && object.box.max[2] == 0, "box in 2D");
    mote_broadphase_destroy(broad);
}

// --------------------------------------------------------------------------------------------------------- memory

// All that a broad phase does, once; on any failure the object must be whole.
static mote_result go_through(mote_context *context, mote_broadphase *broad)
{
    (void)context;
    enum { COUNT = 60 };
    mote_random random = {4};
    mote_bounds boxes[COUNT];
    uint32_t ids[COUNT];
    mote_pairs pairs;
    mote_pair_events events;
    mote_id_rows rows;
    for (int k = 0; k < COUNT; ++k) boxes[k] = box_random(&random, BOXES_MIXED, 3);
    mote_result result = mote_broadphase_add_many(broad, mote_boxes_bounds(boxes, COUNT, 3), MOTE_OBJECT_MOVING,
                                                  mote_filter_all(), ids, NULL);
    if (result == MOTE_OK) result = mote_broadphase_pairs(broad, &pairs, NULL);
    if (result == MOTE_OK) result = mote_broadphase_events(broad, &events, NULL);
    for (int k = 0; k < COUNT; ++k) boxes[k] = box_random(&random, BOXES_UNIFORM, 3);
    if (result == MOTE_OK) result = mote_broadphase_move_many(broad, ids, mote_boxes_bounds(boxes, COUNT, 3), NULL);
    if (result == MOTE_OK) result = mote_broadphase_remove_many(broad, ids, COUNT / 3, NULL);
    if (result == MOTE_OK) result = mote_broadphase_events(broad, &events, NULL);
    if (result == MOTE_OK)
        result = mote_broadphase_query_boxes(broad, mote_boxes_bounds(boxes, COUNT, 3), mote_filter_all(), &rows, NULL);
    if (result == MOTE_OK) result = mote_broadphase_pairs_between(broad, broad, &pairs, NULL);
    return result;
}

static mote_result attempt(mote_context *context, void *data)
{
    mote_error error = {0};
    mote_broadphase_def def = mote_broadphase_default_def();
    mote_broadphase *broad;
    def.method = data;
    mote_result result = mote_broadphase_create(context, &def, &broad, &error);
    if (result != MOTE_OK) return result;
    result = go_through(context, broad);
    CHECK(mote_broadphase_validate(broad, &error) == MOTE_OK, "%s: %s", def.method, error.text);
    mote_broadphase_destroy(broad);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    for (size_t m = 0; mote_broadphase_method_at(m); ++m)
        test_failing_allocations(attempt, (void *)(uintptr_t)mote_broadphase_method_at(m)->name);
}

// A broken update or a broken events call is made good by the next: nothing is forgotten.
typedef struct scarcity {
    mote_context *context;
    bool is_scarce;
} scarcity;

static void *allocate(void *user_data, size_t bytes, size_t alignment)
{
    scarcity *memory = user_data;
    return memory->is_scarce ? NULL : aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void release(void *user_data, void *memory, size_t bytes)
{
    (void)user_data, (void)bytes;
    free(memory);
}

static void scarcity_passes(void **state)
{
    mote_error error = {0};
    (void)state;
    for (size_t m = 0; mote_broadphase_method_at(m); ++m) {
        scarcity memory = {0};
        mote_context_def context_def = mote_context_default_def();
        context_def.allocator.allocate = allocate;
        context_def.allocator.release = release;
        context_def.allocator.user_data = &memory;
        context_def.thread_count = 1;
        mote_context *context;
        CHECK_OK(mote_context_create(&context_def, &context, &error));
        mote_broadphase *broad = make(context, mote_broadphase_method_at(m)->name);
        mote_random random = {8};
        box_world *world = calloc(1, sizeof *world);
        world->dimensions = 3;
        int failures = 0;
        for (uint32_t round = 0; round < 3; ++round) {
            mote_bounds boxes[300];
            for (uint32_t k = 0; k < 300; ++k) {
                boxes[k] = box_random(&random, BOXES_MIXED, 3);
                world_put(world, 300 * round + k, &boxes[k], mote_filter_all(), false);
            }
            CHECK_OK(mote_broadphase_add_many(broad, mote_boxes_bounds(boxes, 300, 3), MOTE_OBJECT_MOVING,
                                              mote_filter_all(), NULL, &error));
            mote_pair_events events;
            memory.is_scarce = true;
            failures += mote_broadphase_events(broad, &events, &error) == MOTE_ERROR_OUT_OF_MEMORY;  // or it was warm
            CHECK(mote_broadphase_validate(broad, &error) == MOTE_OK, "%s", error.text);
            memory.is_scarce = false;
            CHECK_OK(mote_broadphase_events(broad, &events, &error));
            CHECK_OK(mote_broadphase_validate(broad, &error));
            size_t count;
            free(world_pairs(world, &count));
            CHECK(events.begun.count + events.stayed.count == count && events.ended.count == 0, "%zu of %zu",
                  events.begun.count + events.stayed.count, count);
        }
        CHECK(failures > 0, "memory never ran out");
        free(world);
        mote_broadphase_destroy(broad);
        mote_context_destroy(context);
    }
}

// ------------------------------------------------------------------------------------------------------ too many

static mote_context *context_with(size_t max_bytes, uint32_t threads)
{
    mote_context_def def = mote_context_default_def();
    def.max_bytes = max_bytes;
    def.thread_count = threads;
    mote_context *context;
    CHECK_OK(mote_context_create(&def, &context, NULL));
    return context;
}

// So many boxes in one place, and as many that lie apart.
static void add_coincident(mote_broadphase *broad, uint32_t count)
{
    const mote_bounds here = {{0, 0, 0}, {1, 1, 1}};
    uint32_t id;
    for (uint32_t k = 0; k < count; ++k) {
        const float x = 3 + 2 * (float)k;
        const mote_bounds apart = {{x, 0, 0}, {x + 1, 1, 1}};
        CHECK_OK(mote_broadphase_add(broad, &here, MOTE_OBJECT_MOVING, mote_filter_all(), &id, NULL));
        CHECK_OK(mote_broadphase_add(broad, &apart, MOTE_OBJECT_MOVING, mote_filter_all(), &id, NULL));
    }
}

// What the budget cannot hold is refused with its number, and what it can is found as soon as there is less.
static void pairs_beyond_the_budget_are_counted(void **state)
{
    mote_error error = {0};
    (void)state;
    enum { COUNT = 1500 };
    const uint32_t threads[] = {1, 2, 5};
    for (size_t m = 0; mote_broadphase_method_at(m); ++m)
        for (size_t t = 0; t < sizeof threads / sizeof *threads; ++t) {
            mote_context *context = context_with(6 << 20, threads[t]);
            mote_broadphase *broad = make(context, mote_broadphase_method_at(m)->name);
            add_coincident(broad, COUNT);
            mote_pairs pairs = {NULL, 1};
            mote_pair_events events;
            CHECK(mote_broadphase_pairs(broad, &pairs, &error) == MOTE_ERROR_OUT_OF_MEMORY && pairs.count == 0,
                  "accepted");
            expect_text(&error, "no memory for 1124250 pairs");
            expect_text(&error, "byte budget");
            CHECK(mote_broadphase_events(broad, &events, &error) == MOTE_ERROR_OUT_OF_MEMORY, "told all events");
            expect_text(&error, "no memory for 1124250 pairs");
            for (uint32_t id = 0; id < 2 * (COUNT - 10); ++id) CHECK_OK(mote_broadphase_remove(broad, id, &error));
            CHECK_OK(mote_broadphase_pairs(broad, &pairs, &error));
            CHECK(pairs.count == 45, "%zu pairs of ten", pairs.count);
            mote_broadphase_destroy(broad);
            mote_context_destroy(context);
        }
}

// Many pairs for each box, and many for the budget, which has room for them.
static void pairs_within_the_budget_are_found(void **state)
{
    (void)state;
    enum { COUNT = 400, PAIRS = COUNT * (COUNT - 1) / 2 };
    for (size_t m = 0; mote_broadphase_method_at(m); ++m)
        for (uint32_t threads = 1; threads < 3; ++threads) {
            mote_context *context = context_with(6 << 20, threads);
            mote_broadphase *broad = make(context, mote_broadphase_method_at(m)->name);
            add_coincident(broad, COUNT);
            mote_pairs pairs;
            CHECK_OK(mote_broadphase_pairs(broad, &pairs, NULL));
            CHECK(pairs.count == PAIRS, "%zu of %d pairs", pairs.count, PAIRS);
            size_t at = 0;
            for (uint32_t a = 0; a < 2 * COUNT; a += 2)
                for (uint32_t b = a + 2; b < 2 * COUNT; b += 2, ++at)
                    CHECK(pairs.pairs[at].a == a && pairs.pairs[at].b == b, "pair %zu", at);
            mote_broadphase_destroy(broad);
            mote_context_destroy(context);
        }
}

// ----------------------------------------------------------------------------------------------------- inspection

static void note_cell(void *user_data, const mote_broadphase_cell *cell)
{
    uint64_t *entries = user_data;
    *entries += cell->objects;
    CHECK(cell->min[0] <= cell->max[0], "cell from %g to %g", cell->min[0], cell->max[0]);
}

static void what_there_is_to_see(void **state)
{
    (void)state;
    for (size_t m = 0; mote_broadphase_method_at(m); ++m) {
        const mote_broadphase_method_info *info = mote_broadphase_method_at(m);
        CHECK(info->name && info->source && info->meaning, "method %zu", m);
        mote_broadphase *broad = make(NULL, info->name);
        CHECK(strncmp(mote_broadphase_explain(broad), info->name, strlen(info->name)) == 0, "%s",
              mote_broadphase_explain(broad));
        mote_random random = {2};
        for (int k = 0; k < 500; ++k) {
            mote_bounds box = box_random(&random, BOXES_MIXED, 3);
            uint32_t id;
            CHECK_OK(mote_broadphase_add(broad, &box, MOTE_OBJECT_MOVING, mote_filter_all(), &id, NULL));
        }
        CHECK(mote_broadphase_cells(broad, note_cell, NULL, NULL) == MOTE_ERROR_STATE, "cells before the update");
        CHECK_OK(mote_broadphase_update(broad, NULL));
        uint64_t entries = 0;
        CHECK_OK(mote_broadphase_cells(broad, note_cell, &entries, NULL));
        mote_broadphase_counters counters = mote_broadphase_get_counters(broad);
        CHECK(entries == counters.entries, "%s: %d entries, %d counted", info->name, (int)entries,
              (int)counters.entries);
        CHECK(strlen(mote_broadphase_explain(broad)) > strlen(info->name) + 10, "%s", mote_broadphase_explain(broad));
        size_t results, bytes = mote_broadphase_byte_count(broad, &results);
        CHECK(bytes > 500 * sizeof(mote_bounds), "%zu bytes", bytes);
        mote_broadphase_destroy(broad);
    }
    CHECK(strcmp(mote_broadphase_method_at(0)->name, "auto") == 0, "the default");
    CHECK(mote_fields_find(mote_broadphase_fields(), "finest") != NULL, "fields");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_defs),
        cmocka_unit_test(bad_boxes_change_nothing),
        cmocka_unit_test(bad_queries),
        cmocka_unit_test(ids_and_changes),
        cmocka_unit_test(forms_of_boxes),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(scarcity_passes),
        cmocka_unit_test(pairs_beyond_the_budget_are_counted),
        cmocka_unit_test(pairs_within_the_budget_are_found),
        cmocka_unit_test(what_there_is_to_see),
    };
    RUN_TESTS(tests, argc, argv);
}
