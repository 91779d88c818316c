// SPDX-License-Identifier: MIT
// The box of most of many places, and what the camera of a run shows by it.

#include "app.h"
#include "base/tested.h"
#include "support/test.h"

enum { MOST = 9000 };
static const mote_box nothing = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};

// Places in a unit cube whose lowest corner is at (x, 0, 0).
static void fill(double *places, size_t count, double x)
{
    mote_random random = {7};
    for (size_t i = 0; i < 3 * count; ++i) places[i] = mote_random_unit(&random) + (i % 3 ? 0 : x);
}

static mote_box inner_of(const double *places, size_t count, size_t part)
{
    static app_spread spread;
    mote_box box;
    app_spread_begin(&spread, count);
    for (size_t i = 0; i < count; ++i) app_spread_add(&spread, places[3 * i], places[3 * i + 1], places[3 * i + 2]);
    CHECK(app_spread_inner(&spread, part, &box), "%zu places have no box", count);
    return box;
}

static void few_far_places_are_left_out(void **state)
{
    (void)state;
    static double places[3 * MOST];
    static app_spread spread;
    mote_box box;
    app_spread_begin(&spread, 0);
    CHECK(!app_spread_inner(&spread, 200, &box), "no places have a box");
    app_spread_add(&spread, NAN, 0, 0);
    CHECK(!app_spread_inner(&spread, 200, &box), "a place that is none has a box");
    const size_t counts[] = {199, 200, 1000, MOST};  // the last by a sample
    for (int k = 0; k < 4; ++k) {
        fill(places, counts[k], 0);
        places[2] = 50, places[4] = -50;
        box = inner_of(places, counts[k], 200);
        if (counts[k] < 200) CHECK(box.max.z == 50 && box.min.y == -50, "%g, %g", box.max.z, box.min.y);
        else CHECK(box.max.z < 1 && box.min.y > 0 && app_extent_of(box) > 0.9, "%zu: %g", counts[k], box.max.z);
    }
}

static void boxes_are_joined_up_to_what_there_is(void **state)
{
    (void)state;
    const mote_box inner = {{0, 0, 0}, {1, 1, 1}}, all = {{-0.1, -9, 0}, {1.1, 1, 9}};
    const mote_box first = app_join_within(nothing, inner, 0.5, all);
    const mote_box wanted = {{-0.1, -0.5, 0}, {1.1, 1, 1.5}};
    assert_memory_equal(&first, &wanted, sizeof wanted);
    const mote_box before = {{0, -2, 0}, {3, 1, 1}}, both = app_join_within(before, inner, 0.5, all);
    const mote_box wider = {{-0.1, -2, 0}, {3, 1, 1.5}};
    assert_memory_equal(&both, &wider, sizeof wider);
}

// What the camera shows of an object whose particles are of two groups, or of none.
static mote_box shown_of(double *places, size_t count, uint8_t *groups, bool is_fixed)
{
    app_object_frames object = {.size = 0.1, .count = count, .is_fixed = is_fixed, .group_count = groups ? 2 : 0};
    object.arrays[0].component[0] = places, object.groups.data = groups;
    mote_layer layer = mote_layer_default();
    layer.points = mote_points_xyz_f64(places, count);
    mote_picture picture = mote_picture_default();
    picture.layers = &layer, picture.layer_count = 1;
    const app_frames frames = {.objects = &object, .object_count = 1, .seen = nothing};
    return app_frames_widen(&frames, &picture);
}

static void a_drop_does_not_move_the_camera(void **state)
{
    (void)state;
    static double places[3 * MOST];
    static uint8_t groups[MOST];
    fill(places, 1000, 0);
    places[2] = 50;
    mote_box box = shown_of(places, 1000, NULL, false);
    CHECK(box.max.z > 0.95 && box.max.z < 1.1, "%g", box.max.z);
    box = shown_of(places, 150, NULL, false);
    CHECK(box.max.z == 50, "few particles: %g", box.max.z);
    box = shown_of(places, 1000, NULL, true);
    CHECK(box.max.z == 50, "particles that never move: %g", box.max.z);
    // A small group is shown though it is few of all particles; of the large one the drop is not.
    fill(places + 3000, 4, 20);
    for (int i = 1000; i < 1004; ++i) groups[i] = 1;
    box = shown_of(places, 1004, groups, false);
    CHECK(box.max.x > 20 && box.max.z < 1.1, "%g, %g", box.max.x, box.max.z);
    box = shown_of(places, 1004, NULL, false);
    CHECK(box.max.x < 1.1, "without groups: %g", box.max.x);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_far_places_are_left_out),
        cmocka_unit_test(boxes_are_joined_up_to_what_there_is),
        cmocka_unit_test(a_drop_does_not_move_the_camera),
    };
    RUN_TESTS(tests, argc, argv);
}
