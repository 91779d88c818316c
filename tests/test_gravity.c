// SPDX-License-Identifier: MIT
// Gravity that is an expression of time: what moves falls as its integral says, all solvers and presets, constant
// expressions give the bits of numbers, runs go on from a state with the same bits, and what is refused.
#include "base/tested.h"
#include "mote/simulation.h"
#include "support/steps.h"
#include "support/test.h"

// Water in a tank of 1 m x 1 m in 2D, in the engineering preset or the usual one; shaken, unless the texts are removed.
typedef struct shaken {
    mote_block_def block;
    mote_simulation_def def;
} shaken;

static void fill(shaken *made, int32_t preset, const char *along_x)
{
    memset(made, 0, sizeof *made);
    made->block.max = (mote_vec3){1, 0, 0.4};
    made->def = mote_simulation_default_def();
    CHECK_OK(mote_fluid_choose_preset(&made->def.fluid, preset, NULL));
    made->def.fluid.preset = preset;
    made->def.fluid.dimensions = 2;
    made->def.fluid.spacing = 0.05;
    made->def.fluid.gravity_text[0] = along_x;
    made->def.has_tank = true;
    made->def.tank.min = (mote_vec3){0, 0, 0};
    made->def.tank.max = (mote_vec3){1, 0, 1};
    made->def.blocks = &made->block;
    made->def.block_count = 1;
}

static mote_simulation *make(mote_context *context, const mote_simulation_def *def)
{
    mote_simulation *simulation;
    mote_error error = {0};
    CHECK(mote_simulation_create(context, def, &simulation, &error) == MOTE_OK, "%s", error.text);
    return simulation;
}

typedef struct bytes {
    unsigned char *data;
    size_t length;
} bytes;

static bool append(void *to, const void *from, size_t length)
{
    bytes *all = to;
    all->data = realloc(all->data, all->length + length);
    if (!all->data) return false;
    memcpy(all->data + all->length, from, length);
    all->length += length;
    return true;
}

static bytes state_of(const mote_simulation *simulation)
{
    bytes all = {NULL, 0};
    CHECK_OK(mote_simulation_write(simulation, append, &all, NULL));
    return all;
}

// The particles, without the head that has the def's checksum.
static uint64_t checksum(mote_simulation *simulation)
{
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
    uint64_t sum = MOTE_CHECKSUM_START;
    sum = mote_checksum(sum, view.x, view.count * sizeof *view.x);
    sum = mote_checksum(sum, view.z, view.count * sizeof *view.z);
    return mote_checksum(sum, view.vx, view.count * sizeof *view.vx);
}

// ----------------------------------------------------------------------------------------------------------- motion

// A drop without walls, and a grain, move as the integrals of gravity say: v = 1 − cos(πt), x = t − sin(πt)/π.
static void what_is_free_follows_gravity(void **state)
{
    (void)state;
    for (int32_t preset = MOTE_PRESET_FAST; preset <= MOTE_PRESET_ENGINEERING; ++preset) {
        shaken made;
        fill(&made, preset, "pi*sin(pi*t)");
        made.def.has_tank = false;
        made.def.fluid.dimensions = 3;
        made.def.phase.sound_speed = 20;
        made.def.fluid.shifting = MOTE_SHIFTING_NONE;  // shifting does not keep the momentum
        made.def.fluid.gravity = (mote_vec3){NAN, 0, 0};  // the number does not count
        made.block.max = (mote_vec3){0.2, 0.2, 0.2};
        made.block.pressure = preset == MOTE_PRESET_DOCUMENT ? NULL : "0";
        made.def.has_grains = true;
        made.def.grains.count = 1;
        made.def.grains.min = made.def.grains.max = (mote_vec3){0, 0, 5};
        made.def.grains.time_step = 0.001;
        mote_simulation *simulation = make(NULL, &made.def);
        CHECK_OK(mote_simulation_run_until(simulation, 0.7, NULL, NULL, NULL));
        mote_fluid_totals totals;
        CHECK_OK(mote_fluid_get_totals(mote_simulation_fluid(simulation), &totals, NULL));
        const double speed = totals.momentum.x / totals.mass, expected = 1 - cos(3.14159265358979 * 0.7);
        CHECK(fabs(speed - expected) < 1e-4, "preset %d: %.9g m/s, expected %.9g", (int)preset, speed, expected);
        const mote_grains_view grains = mote_grains_get_view(mote_simulation_grains(simulation));
        const double x = grains.positions[0], place = 0.7 - sin(3.14159265358979 * 0.7) / 3.14159265358979;
        CHECK(fabs(x - place) < 0.02, "grain at %g, expected %g", x, place);
        const mote_vec3 now = mote_fluid_resolved_def(mote_simulation_fluid(simulation)).gravity;
        CHECK(fabs(now.x - 3.14159265358979 * sin(3.14159265358979 * 0.7)) < 1e-12, "%g m/s^2", now.x);
        mote_simulation_def resolved = made.def;
        mote_simulation_resolve_def(simulation, &resolved);
        assert_ptr_equal(resolved.fluid.gravity_text[0], made.def.fluid.gravity_text[0]);
        mote_simulation_destroy(simulation);
    }
}

// Expressions whose value never changes give the bits of numbers, also where only one component is an expression.
static void constant_expressions_are_numbers(void **state)
{
    (void)state;
    for (int32_t preset = MOTE_PRESET_FAST; preset <= MOTE_PRESET_ENGINEERING; ++preset) {
        uint64_t sums[3];
        for (int k = 0; k < 3; ++k) {
            shaken made;
            fill(&made, preset, k == 0 ? NULL : "0*t");
            if (k == 2) made.def.fluid.gravity_text[2] = "-9.81";
            mote_simulation *simulation = make(NULL, &made.def);
            CHECK(mote_simulation_depth(simulation) == 0.4, "depth");
            CHECK_OK(mote_simulation_run_until(simulation, 0.1, NULL, NULL, NULL));
            sums[k] = checksum(simulation);
            mote_simulation_destroy(simulation);
        }
        CHECK(sums[0] == sums[1] && sums[0] == sums[2], "preset %d", (int)preset);
    }
}

// Water in a tank that is shaken sways: its centre of mass follows the first push, and the bits do not depend on
// threads.
static void a_shaken_tank_sways(void **state)
{
    (void)state;
    for (int32_t preset = MOTE_PRESET_FAST; preset <= MOTE_PRESET_ENGINEERING; preset += 2) {
        uint64_t sums[2];
        for (uint32_t threads = 1; threads <= 2; ++threads) {
            mote_context *context = test_context_with_threads(3 * threads - 2);
            shaken made;
            fill(&made, preset, "1.5*sin(2*pi*t/1.2)");
            mote_simulation *simulation = make(context, &made.def);
            CHECK_OK(mote_simulation_run_until(simulation, 0.4, NULL, NULL, NULL));
            mote_fluid_totals totals;
            CHECK_OK(mote_fluid_get_totals(mote_simulation_fluid(simulation), &totals, NULL));
            CHECK(totals.momentum.x / totals.mass > 0.05, "%g m/s", totals.momentum.x / totals.mass);
            sums[threads - 1] = checksum(simulation);
            mote_simulation_destroy(simulation);
            mote_context_destroy(context);
        }
        assert_true(sums[0] == sums[1]);
    }
}

// ----------------------------------------------------------------------------------------------------------- states

static void states_go_on_with_the_same_bits(void **state)
{
    (void)state;
    for (int32_t preset = MOTE_PRESET_FAST; preset <= MOTE_PRESET_ENGINEERING; ++preset) {
        shaken made;
        fill(&made, preset, "3*sin(9*t)");
        mote_simulation *first = make(NULL, &made.def), *second = make(NULL, &made.def);
        for (int k = 0; k < 7; ++k) CHECK_OK(mote_simulation_step(first, 1, NULL, NULL));
        bytes middle = state_of(first);
        for (int k = 0; k < 7; ++k) CHECK_OK(mote_simulation_step(first, 1, NULL, NULL));
        CHECK_OK(mote_simulation_step(second, 1e-3, NULL, NULL));
        // Damaged bytes leave everything as it was.
        bytes before = state_of(second), after;
        middle.data[middle.length / 2] ^= 1;
        CHECK(mote_simulation_read(second, middle.data, middle.length, NULL) == MOTE_ERROR_FORMAT, "damaged");
        middle.data[middle.length / 2] ^= 1;
        after = state_of(second);
        assert_true(before.length == after.length && memcmp(before.data, after.data, after.length) == 0);
        mote_error error = {0};
        CHECK(mote_simulation_read(second, middle.data, middle.length, &error) == MOTE_OK, "%s", error.text);
        for (int k = 0; k < 7; ++k) CHECK_OK(mote_simulation_step(second, 1, NULL, NULL));
        CHECK(checksum(first) == checksum(second), "preset %d", (int)preset);
        CHECK_OK(mote_simulation_validate(second, NULL));
        // One with another gravity at that time takes them not, and is as it was.
        shaken other;
        fill(&other, preset, "3*sin(8*t)");
        mote_simulation *third = make(NULL, &other.def);
        CHECK_OK(mote_simulation_step(third, 1e-3, NULL, NULL));
        free(before.data), free(after.data);
        before = state_of(third);
        CHECK(mote_simulation_read(third, middle.data, middle.length, &error) == MOTE_ERROR_FORMAT, "another gravity");
        after = state_of(third);
        assert_true(mote_simulation_time(third) == 1e-3);
        mote_simulation *fourth = make(NULL, &other.def);
        CHECK_OK(mote_simulation_read(fourth, after.data, after.length, NULL));
        for (int k = 0; k < 3; ++k) {
            CHECK_OK(mote_simulation_step(third, 1, NULL, NULL));
            CHECK_OK(mote_simulation_step(fourth, 1, NULL, NULL));
        }
        CHECK(checksum(third) == checksum(fourth), "preset %d", (int)preset);
        free(before.data), free(after.data), free(middle.data);
        mote_simulation_destroy(first), mote_simulation_destroy(second);
        mote_simulation_destroy(third), mote_simulation_destroy(fourth);
    }
}

// --------------------------------------------------------------------------------------------------------- refusals

static void refuse(const mote_simulation_def *def, const char *text)
{
    mote_simulation *simulation;
    mote_error error = {0};
    CHECK(mote_simulation_create(NULL, def, &simulation, &error) == MOTE_ERROR_ARGUMENT, "taken, expected %s", text);
    CHECK(strcmp(error.text, text) == 0, "\"%s\", expected \"%s\"", error.text, text);
}

static void bad_gravity_is_refused(void **state)
{
    (void)state;
    shaken made;
    fill(&made, MOTE_PRESET_FAST, "sin(x)");
    refuse(&made.def, "fluid.gravity[0] is no expression: \"x\" at column 5, expected one of t, pi, sqrt, sin, cos, "
                      "tan, exp, log, cosh, sinh, tanh, abs, min, max");
    made.def.fluid.gravity_text[0] = "1/t";
    refuse(&made.def, "fluid.gravity[0] is inf at t = 0 s, expected a number from -1000000 to 1000000 [m/s^2]");
    made.def.fluid.gravity_text[0] = NULL;
    made.def.fluid.gravity_text[1] = "t + 1";
    refuse(&made.def, "fluid: gravity has y = 1 in 2D, expected 0");
    // Later on, the step that comes there says so.
    made.def.fluid.gravity_text[1] = NULL;
    made.def.fluid.gravity_text[0] = "sqrt(0.05 - t)";
    mote_simulation *simulation = make(NULL, &made.def);
    mote_error error = {0};
    CHECK(mote_simulation_run_until(simulation, 1, NULL, NULL, &error) == MOTE_ERROR_ARGUMENT, "went on");
    CHECK(strncmp(error.text, "fluid.gravity[0] is ", 20) == 0 && strstr(error.text, "nan at t = 0.05"), "%s",
          error.text);
    mote_simulation_destroy(simulation);
}

static void failing_allocations(void **state)
{
    (void)state;
    shaken made;
    fill(&made, MOTE_PRESET_ENGINEERING, "sin(9*t)");
    made.def.fluid.gravity_text[2] = "-9 - t";
    test_failing_allocations(test_create_and_step, &made.def);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_free_follows_gravity),
        cmocka_unit_test(constant_expressions_are_numbers),
        cmocka_unit_test(a_shaken_tank_sways),
        cmocka_unit_test(states_go_on_with_the_same_bits),
        cmocka_unit_test(bad_gravity_is_refused),
        cmocka_unit_test(failing_allocations),
    };
    RUN_TESTS(tests, argc, argv);
}
