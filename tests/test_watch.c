// SPDX-License-Identifier: MIT
// The blow-up watch: each of its limits ends a run in the step in which it is broken, with the particle and an advice;
// what surrounds the particle can be had; and a fluid that is sound goes on.

#include <math.h>

#include "mote/simulation.h"
#include "support/test.h"

static mote_simulation *make(const mote_simulation_def *def)
{
    mote_simulation *simulation;
    mote_error error = {0};
    const mote_result result = mote_simulation_create(NULL, def, &simulation, &error);
    CHECK(result == MOTE_OK, "%s", error.text);
    return simulation;
}

// Water of 0.5 m by 0.5 m at rest, without gravity or tank.
static mote_simulation_def still_def(mote_block_def *block)
{
    *block = (mote_block_def){.min = {0, 0, 0}, .max = {0.5, 0, 0.5}};
    mote_simulation_def def = mote_simulation_default_def();
    def.fluid.dimensions = 2;
    def.fluid.spacing = 0.05;
    def.phase.sound_speed = 10;
    def.fluid.gravity = (mote_vec3){0, 0, 0};
    def.blocks = block, def.block_count = 1;
    return def;
}

// What is done to a simulation that steps.
typedef void disturbance(mote_fluid *fluid);

static mote_fluid_view view_of(mote_fluid *fluid)
{
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    return view;
}

enum { VICTIM = 37 };  // id of the particle that is disturbed

static size_t find_victim(const mote_fluid_view *view)
{
    for (size_t i = 0; i < view->count; ++i)
        if (view->id[i] == VICTIM) return i;
    CHECK(false, "particle %d is gone", VICTIM);
    return 0;
}

// Tests write to arrays of a fluid that are its own.
static void set_speed(mote_fluid *fluid, float speed)
{
    const mote_fluid_view view = view_of(fluid);
    ((float *)(uintptr_t)view.vx)[find_victim(&view)] = speed;
}

static void just_under(mote_fluid *fluid) { set_speed(fluid, 4.99f); }
static void just_over(mote_fluid *fluid) { set_speed(fluid, 5.01f); }
static void no_number(mote_fluid *fluid) { set_speed(fluid, NAN); }
static void endless(mote_fluid *fluid) { set_speed(fluid, INFINITY); }

static void set_density(mote_fluid *fluid, float ratio)
{
    const mote_fluid_view view = view_of(fluid);
    ((float *)(uintptr_t)view.density)[find_victim(&view)] = 1000 * ratio;
}

static void dense(mote_fluid *fluid) { set_density(fluid, 1.51f); }
static void nearly_dense(mote_fluid *fluid) { set_density(fluid, 1.49f); }
static void empty(mote_fluid *fluid) { set_density(fluid, 0); }

static void all_by(mote_fluid *fluid, float ratio)
{
    const mote_fluid_view view = view_of(fluid);
    for (size_t i = 0; i < view.count; ++i) ((float *)(uintptr_t)view.density)[i] = 1000 * ratio;
    ((float *)(uintptr_t)view.density)[find_victim(&view)] *= 1.001f;
}

static void all_dense(mote_fluid *fluid) { all_by(fluid, 1.205f); }
static void all_nearly_dense(mote_fluid *fluid) { all_by(fluid, 1.195f); }

// One of the limits.
typedef struct watch_case {
    const char *name;
    disturbance *disturb;
    const char *told;  // NULL: the run goes on
} watch_case;

static void limits_are_watched(void **state)
{
    (void)state;
    static const watch_case cases[] = {
        {"just under c/2", just_under, NULL},
        {"just over c/2", just_over, "speed 5.01 m/s (limit 5), density "},
        {"not a number", no_number, "speed nan m/s (limit 5), density "},
        {"endless", endless, "speed inf m/s (limit 5), density "},
        {"compressed by 51 %", dense, "density 1510 kg/m^3 (limit 1500), step "},
        {"compressed by 49 %", nearly_dense, NULL},
        {"without density", empty, "density 0 kg/m^3, step "},
        {"all compressed by 20.5 %", all_dense, "kg/m^3 (limit 1200), step "},
        {"all compressed by 19.5 %", all_nearly_dense, NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const watch_case *one = &cases[k];
        mote_block_def block;
        const mote_simulation_def def = still_def(&block);
        mote_simulation *simulation = make(&def);
        mote_failure failure;
        for (int steps = 0; steps < 5; ++steps) CHECK_OK(mote_simulation_step(simulation, 1, NULL, NULL));
        CHECK_OK(mote_simulation_watch(simulation, NULL));
        assert_false(mote_simulation_get_failure(simulation, &failure));
        one->disturb(mote_simulation_fluid(simulation));
        mote_error error = {0};
        const mote_result result = mote_simulation_step(simulation, 1, NULL, &error);
        CHECK(result == (one->told ? MOTE_ERROR_UNSTABLE : MOTE_OK), "%s: %s", one->name, error.text);
        CHECK(mote_simulation_get_failure(simulation, &failure) == (one->told != NULL), "%s", one->name);
        if (one->told) {
            char start[80];
            snprintf(start, sizeof start, "simulation: unstable at t = %.5g s, step 5: particle %d at (",
                     mote_simulation_time(simulation), VICTIM);
            CHECK(strncmp(error.text, start, strlen(start)) == 0, "%s: %s", one->name, error.text);
            CHECK(strstr(error.text, one->told), "%s: %s", one->name, error.text);
            CHECK(strstr(error.text, "; try \"courant\": 0.15 (it is 0.3)"), "%s: %s", one->name, error.text);
            CHECK(error.index == VICTIM && failure.id == VICTIM, "%s: %zu", one->name, (size_t)error.index);
        }
        mote_simulation_destroy(simulation);
    }
}

// Which of the limits of the step is the lowest is told.
static void the_lowest_limit_is_told(void **state)
{
    (void)state;
    mote_block_def block;
    mote_simulation_def def = still_def(&block);
    def.fluid.gravity = (mote_vec3){1e6, 0, -1e6};
    def.phase.sound_speed = 1e-3;
    mote_simulation *simulation = make(&def);
    mote_error error = {0};
    assert_int_equal(mote_simulation_watch(simulation, &error), MOTE_ERROR_UNSTABLE);
    CHECK(strstr(error.text, " s by force; its pressure at the start needs \"sound_speed\""), "%s", error.text);
    mote_simulation_destroy(simulation);
}

// Where particles are too dense at the start, shorter steps change nothing: the advice is what does.
static void what_starts_too_dense_has_an_advice(void **state)
{
    (void)state;
    mote_block_def block[2];
    mote_simulation_def def = still_def(block);
    block->pressure = "1e6";
    mote_error error = {0};
    mote_simulation *simulation = make(&def);
    assert_int_equal(mote_simulation_watch(simulation, &error), MOTE_ERROR_UNSTABLE);
    CHECK(strstr(error.text, "; its pressure at the start needs \"sound_speed\": 316"), "%s", error.text);
    mote_simulation_destroy(simulation);
    def.phase.sound_speed = 316;
    simulation = make(&def);
    CHECK_OK(mote_simulation_watch(simulation, NULL));
    mote_simulation_destroy(simulation);

    // Water that a low speed of sound lets its own weight compress, a few steps later.
    def = still_def(block);
    CHECK_OK(mote_fluid_choose_preset(&def.fluid, MOTE_PRESET_ENGINEERING, NULL));
    def.fluid.gravity = (mote_vec3){0, 0, -9.81};
    def.has_tank = true;
    def.tank.min = (mote_vec3){0, 0, 0}, def.tank.max = (mote_vec3){0.5, 0, 1};
    def.phase.sound_speed = 3.6, block->pressure = "0";
    simulation = make(&def);
    mote_result result = MOTE_OK;
    for (int steps = 0; steps < 50 && result == MOTE_OK; ++steps)
        result = mote_simulation_step(simulation, 1, NULL, &error);
    CHECK(mote_simulation_get_counters(simulation).steps > 0, "%s", error.text);
    CHECK(strstr(error.text, "; try \"sound_speed\": 22.1"), "%s: %s", mote_result_name(result), error.text);
    mote_simulation_destroy(simulation);

    mote_named_phase fluids[2] = {{"water", mote_phase_default_def()}, {"air", mote_phase_default_def()}};
    fluids[0].phase.sound_speed = 10, fluids[1].phase.rest_density = 20;
    def = still_def(block);
    CHECK_OK(mote_fluid_choose_preset(&def.fluid, MOTE_PRESET_DOCUMENT, NULL));
    def.fluids = fluids, def.fluid_count = 2, def.block_count = 2;
    block[0].fluid = "water";
    block[1] = (mote_block_def){.min = {0.5, 0, 0}, .max = {1, 0, 0.5}, .fluid = "air"};
    simulation = make(&def);
    assert_int_equal(mote_simulation_watch(simulation, &error), MOTE_ERROR_UNSTABLE);
    CHECK(strstr(error.text, "; try \"density\": \"number\""), "%s", error.text);
    mote_simulation_destroy(simulation);
    def.fluid.density = MOTE_DENSITY_NUMBER;
    simulation = make(&def);
    CHECK_OK(mote_simulation_watch(simulation, NULL));
    mote_simulation_destroy(simulation);
}

// Each particle nearby, once, and the walls; nothing else.
static void surroundings_can_be_had(void **state)
{
    (void)state;
    mote_block_def block;
    mote_simulation_def def = still_def(&block);
    def.has_tank = true;
    def.tank.min = (mote_vec3){0, 0, 0}, def.tank.max = (mote_vec3){1, 0, 1};
    mote_simulation *simulation = make(&def);
    const mote_fluid_view view = view_of(mote_simulation_fluid(simulation));
    const mote_vec3 place = {view.x[0], view.y[0], view.z[0]};
    const double reach = 0.11;
    mote_surroundings near;
    CHECK_OK(mote_simulation_get_surroundings(simulation, place, reach, &near, NULL));
    size_t fluid = 0, walls = 0, expected = 0;
    const double *at = near.arrays[0].component[0];
    const unsigned char *is_wall = near.arrays[near.array_count - 1].component[0];
    assert_string_equal(near.arrays[0].name, "position");
    assert_string_equal(near.arrays[near.array_count - 1].name, "wall");
    for (size_t i = 0; i < near.count; ++i) {
        CHECK(hypot(at[3 * i] - place.x, at[3 * i + 2] - place.z) <= reach, "%g, %g", at[3 * i], at[3 * i + 2]);
        fluid += !is_wall[i], walls += is_wall[i];
    }
    for (size_t i = 0; i < view.count; ++i) expected += hypot(view.x[i] - place.x, view.z[i] - place.z) <= reach;
    assert_int_equal(fluid, expected);
    assert_true(fluid > 3 && walls > 3);
    mote_surroundings_release(&near);
    CHECK_OK(mote_simulation_get_surroundings(simulation, (mote_vec3){9, 0, 9}, reach, &near, NULL));
    assert_int_equal(near.count, 0);
    mote_surroundings_release(&near);
    mote_simulation_destroy(simulation);
}

static double quantity(mote_simulation *simulation, const char *name)
{
    mote_quantity told[MOTE_OBJECT_QUANTITIES];
    size_t count;
    CHECK_OK(mote_simulation_get_quantities(simulation, 0, told, &count, NULL));
    for (size_t k = 0; k < count; ++k)
        if (strcmp(told[k].name, name) == 0) return told[k].value[0];
    CHECK(false, "no %s", name);
    return 0;
}

// The greatest Mach number and compression of all steps, also of those that nobody looked at.
static void peaks_are_told(void **state)
{
    (void)state;
    mote_block_def block;
    const mote_simulation_def def = still_def(&block);
    mote_simulation *simulation = make(&def);
    mote_fluid *fluid = mote_simulation_fluid(simulation);
    CHECK_OK(mote_simulation_step(simulation, 1, NULL, NULL));
    assert_true(quantity(simulation, "peak_mach") < 0.01);
    just_under(fluid);
    for (int k = 0; k < 20; ++k) CHECK_OK(mote_simulation_step(simulation, 1, NULL, NULL));
    const double mach = quantity(simulation, "peak_mach"), compression = quantity(simulation, "peak_compression");
    CHECK(mach > 0.498 && mach < 0.5, "%g", mach);
    CHECK(compression >= quantity(simulation, "max_compression") && compression > 0, "%g", compression);
    CHECK(fabs(quantity(simulation, "needed_sound_speed") - 1000 * compression) < 1e-6 * compression, "%g",
          quantity(simulation, "needed_sound_speed"));
    mote_simulation_destroy(simulation);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_watched),
        cmocka_unit_test(the_lowest_limit_is_told),
        cmocka_unit_test(what_starts_too_dense_has_an_advice),
        cmocka_unit_test(surroundings_can_be_had),
        cmocka_unit_test(peaks_are_told),
    };
    RUN_TESTS(tests, argc, argv);
}
