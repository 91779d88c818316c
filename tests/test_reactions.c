// SPDX-License-Identifier: MIT
// Forces of the fluid on its walls: the balance of momentum in every ten steps, sums over all pairs, still water, bits.

#include "mote/simulation.h"
#include "support/shapes.h"
#include "support/test.h"
#include "support/water.h"

enum { TEN = 10 };

typedef struct choice {
    mote_fluid_preset preset;
    int dimensions;
    bool has_solid, is_calm;
    mote_shifting shifting;
    mote_tensile_model tensile;
    mote_boundary_kind boundary;  // of the cube
} choice;

// Of cubes that have what their solver has by default.
#define USUAL MOTE_TENSILE_EXCHANGE, MOTE_BOUNDARY_AUTO

// Water in a closed tank: it falls onto a cube that does not fit its lattice, or starts to slosh around one that does.
static mote_simulation *falling_water(mote_context *context, const choice *of, mote_mesh **mesh)
{
    const bool is_flat = of->dimensions == 2;
    mote_simulation_def def = mote_simulation_default_def();
    CHECK_OK(mote_fluid_choose_preset(&def.fluid, (int32_t)of->preset, NULL));
    def.fluid.dimensions = of->dimensions;
    def.fluid.spacing = is_flat ? 0.025 : 0.08;
    def.fluid.shifting = (int32_t)of->shifting, def.fluid.tensile_model = (int32_t)of->tensile;
    if (of->is_calm) def.fluid.gravity.x = 0.5;
    def.has_tank = true;
    def.tank.min = (mote_vec3){-0.1, 0, 0}, def.tank.max = (mote_vec3){0.9, 0.8, 1};
    def.tank.restitution = 0.2, def.tank.friction = 0.1;
    mote_block_def block = mote_block_default_def();
    block.min = (mote_vec3){-0.1, 0, 0.1}, block.max = (mote_vec3){0.5, 0.8, 0.7};
    if (of->is_calm) block.min.z = 0, block.max.x = 0.9;
    def.blocks = &block, def.block_count = 1;
    mote_solid_def solid = mote_solid_default_def();
    solid.name = "cube";
    if (of->has_solid) {
        *mesh = shape_cube(context, 1);
        const mote_placement small = {.scale = 0.15, .translate = {0.3, 0.4, 0.2}};
        const mote_placement large = {.scale = 0.24, .translate = {0.3, 0.4, 0.24}};
        mote_mesh_place(*mesh, of->is_calm ? &large : &small);
        solid.mesh = *mesh, solid.boundary = (int32_t)of->boundary;
        def.solids = &solid, def.solid_count = 1;
    }
    mote_simulation *simulation;
    mote_error error = {0};
    const mote_result result = mote_simulation_create(context, &def, &simulation, &error);
    CHECK(result == MOTE_OK, "%s", error.text);
    return simulation;
}

static void add_scaled(double to[3], mote_vec3 v, double by)
{
    to[0] += by * v.x, to[1] += by * v.y, to[2] += by * v.z;
}

// The forces on all boundaries, as the solver sees them.
static mote_vec3 force_on_all(mote_fluid *fluid)
{
    double sum[3] = {0};
    mote_vec3 force;
    for (uint32_t b = 0; mote_fluid_boundary_force(fluid, b, &force, NULL, NULL) == MOTE_OK; ++b)
        add_scaled(sum, force, 1);
    return (mote_vec3){sum[0], sum[1], sum[2]};
}

static uint32_t boundary_count(mote_fluid *fluid)
{
    uint32_t count = 0;
    mote_vec3 force;
    while (mote_fluid_boundary_force(fluid, count, &force, NULL, NULL) == MOTE_OK) ++count;
    return count;
}

static mote_fluid_totals totals_of(mote_fluid *fluid)
{
    mote_fluid_totals totals;
    CHECK_OK(mote_fluid_get_totals(fluid, &totals, NULL));
    return totals;
}

// What is missing from Σ forces + d(momentum)/dt − weight = 0, as a share of the weight: the greatest of all mean
// values over ten steps.
static double imbalance(mote_simulation *simulation, int steps)
{
    mote_fluid *fluid = mote_simulation_fluid(simulation);
    const mote_vec3 g = mote_fluid_resolved_def(fluid).gravity;
    mote_fluid_totals before = totals_of(fluid);
    const double weight = before.mass * sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
    double missing[TEN][4] = {{0}}, worst = 0;
    force_on_all(fluid);
    for (int step = 0; step < steps; ++step) {
        double dt, *now = missing[step % TEN], mean[4] = {0};
        CHECK_OK(mote_simulation_step(simulation, 1, &dt, NULL));
        const mote_fluid_totals after = totals_of(fluid);
        memset(now, 0, sizeof missing[0]);
        add_scaled(now, force_on_all(fluid), dt);
        add_scaled(now, after.momentum, 1);
        add_scaled(now, before.momentum, -1);
        add_scaled(now, g, -before.mass * dt);
        now[3] = dt;
        before = after;
        for (int k = 0; k < TEN; ++k)
            for (int c = 0; c < 4; ++c) mean[c] += missing[k][c];
        for (int c = 0; c < 3 && step >= TEN - 1; ++c) worst = fmax(worst, fabs(mean[c]) / mean[3] / weight);
    }
    return worst;
}

static void forces_on_walls_balance_momentum(void **state)
{
    (void)state;
    const choice choices[] = {
        {MOTE_PRESET_ENGINEERING, 2, false, false, MOTE_SHIFTING_NONE, USUAL},
        {MOTE_PRESET_ENGINEERING, 3, true, false, MOTE_SHIFTING_NONE, USUAL},
        {MOTE_PRESET_ENGINEERING, 2, false, true, MOTE_SHIFTING_FREE_SURFACE, USUAL},
        {MOTE_PRESET_ENGINEERING, 3, false, true, MOTE_SHIFTING_FREE_SURFACE, USUAL},
        {MOTE_PRESET_ENGINEERING, 3, true, true, MOTE_SHIFTING_FREE_SURFACE, USUAL},
        {MOTE_PRESET_FAST, 2, false, false, MOTE_SHIFTING_NONE, USUAL},
        {MOTE_PRESET_FAST, 3, true, false, MOTE_SHIFTING_NONE, USUAL},
        {MOTE_PRESET_DOCUMENT, 2, false, false, MOTE_SHIFTING_NONE, USUAL},
        {MOTE_PRESET_DOCUMENT, 3, true, false, MOTE_SHIFTING_NONE, USUAL},
        {MOTE_PRESET_FAST, 3, true, false, MOTE_SHIFTING_NONE, MOTE_TENSILE_EXCHANGE, MOTE_BOUNDARY_PLANES},
        {MOTE_PRESET_FAST, 3, true, false, MOTE_SHIFTING_NONE, MOTE_TENSILE_EXCHANGE, MOTE_BOUNDARY_PROXY_PLANES},
    };
    for (size_t k = 0; k < sizeof choices / sizeof *choices; ++k) {
        mote_mesh *mesh = NULL;
        mote_simulation *simulation = falling_water(NULL, &choices[k], &mesh);
        const int steps = SEEKS_RACES ? 30 : SANITIZED ? 80 : choices[k].dimensions == 2 ? 250 : 120;
        const double worst = imbalance(simulation, steps);
        CHECK(worst < 1e-5, "choice %zu: %g of the weight is missing", k, worst);
        const uint32_t last = boundary_count(mote_simulation_fluid(simulation)) - 1;  // the cube's
        mote_vec3 force;
        CHECK_OK(mote_fluid_boundary_force(mote_simulation_fluid(simulation), last, &force, NULL, NULL));
        CHECK(!choices[k].has_solid || force.z != 0, "choice %zu: no water is at the cube", k);
        mote_simulation_destroy(simulation);
        mote_mesh_destroy(mesh);
    }
}

// Where water splashes its pressure is below 0 in places. What keeps its particles apart there is exchanged between
// them by default, so that momentum balances; the switch of Sun et al. 2018 changes it by more than 1e-4 of the weight.
static void stretched_water_balances_momentum(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
        for (int model = MOTE_TENSILE_EXCHANGE; model <= MOTE_TENSILE_NONE; ++model) {
            const choice of = {MOTE_PRESET_ENGINEERING, dimensions, dimensions == 3, false, MOTE_SHIFTING_FREE_SURFACE,
                               (mote_tensile_model)model, MOTE_BOUNDARY_AUTO};
            mote_mesh *mesh = NULL;
            mote_simulation *simulation = falling_water(NULL, &of, &mesh);
            double worst = 0;
            size_t stretched = 0;
            for (int part = 0; part < (SANITIZED || SEEKS_RACES ? 2 : 30); ++part) {
                worst = fmax(worst, imbalance(simulation, SANITIZED && !SEEKS_RACES ? 50 : 20));
                stretched += count_stretched(mote_simulation_fluid(simulation));
            }
            if (model == MOTE_TENSILE_SWITCH && !SANITIZED && !SEEKS_RACES)
                CHECK(worst > 1e-4, "%dD: the switch keeps momentum to %g of the weight", dimensions, worst);
            if (model != MOTE_TENSILE_SWITCH)
                CHECK(worst < 1e-5, "%dD, model %d: %g of the weight is missing", dimensions, model, worst);
            CHECK(stretched > 0 || SANITIZED || SEEKS_RACES, "%dD, model %d: none", dimensions, model);
            mote_simulation_destroy(simulation);
            mote_mesh_destroy(mesh);
        }
}

// A drop of one particle that falls onto the floor stays there, and pushes it as it is pushed.
static void drops_do_not_bounce(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        const double d = 0.025, fall = 0.3;
        mote_simulation_def def = mote_simulation_default_def();
        CHECK_OK(mote_fluid_choose_preset(&def.fluid, MOTE_PRESET_ENGINEERING, NULL));
        def.fluid.dimensions = dimensions;
        def.fluid.spacing = d;
        def.has_tank = true;
        def.tank.min = (mote_vec3){0, 0, 0}, def.tank.max = (mote_vec3){0.5, 0.5, 0.5};
        def.tank.restitution = 1;
        mote_block_def block = mote_block_default_def();
        block.min = (mote_vec3){0.25, 0.25, fall}, block.max = (mote_vec3){0.25 + d, 0.25 + d, fall + d};
        def.blocks = &block, def.block_count = 1;
        mote_simulation *simulation;
        CHECK_OK(mote_simulation_create(NULL, &def, &simulation, NULL));
        mote_fluid *fluid = mote_simulation_fluid(simulation);
        const double landing = sqrt(2 * fall / 9.81);
        CHECK_OK(mote_simulation_run_until(simulation, 0.9 * landing, NULL, NULL, NULL));
        const double worst = imbalance(simulation, SEEKS_RACES ? 30 : 100);
        CHECK(worst < 1e-5, "%dD: %g of the weight is missing", dimensions, worst);
        CHECK_OK(mote_simulation_run_until(simulation, 1.6 * landing, NULL, NULL, NULL));
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
        CHECK(view.count == 1 && view.z[0] < 0.25 * fall, "%dD: %g m above the floor", dimensions, view.z[0]);
        mote_simulation_destroy(simulation);
    }
}

static void stop_at_place(void *user_data, mote_vec3 from, mote_vec3 *position, mote_vec3 *velocity)
{
    (void)velocity;
    *position = from;
    mote_fluid_add_impulse(user_data, 0, from, (mote_vec3){-2, 0, 0});
    mote_fluid_add_impulse(user_data, 99, from, (mote_vec3){-2, 0, 0});
}

// Forces, moments and what is counted of planes have the same bits with any number of threads, and do not change the
// run.
static void bits_are_those_of_one_thread(void **state)
{
    (void)state;
    const choice one = {MOTE_PRESET_ENGINEERING, 3, true, false, MOTE_SHIFTING_FREE_SURFACE, USUAL};
    mote_vec3 first[16] = {{0, 0, 0}};
    double place = 0;
    for (uint32_t threads = 1; threads <= (SEEKS_RACES ? 3 : 5); threads += 2) {
        mote_context *context = test_context_with_threads(threads);
        mote_mesh *mesh = NULL;
        mote_simulation *simulation = falling_water(context, &one, &mesh);
        mote_fluid *fluid = mote_simulation_fluid(simulation);
        mote_vec3 force, moment;
        if (threads < 5) CHECK_OK(mote_fluid_boundary_force(fluid, 0, NULL, NULL, NULL));
        const int steps = SEEKS_RACES ? 25 : SANITIZED ? 60 : 150;
        for (int k = 0; k < steps; ++k) CHECK_OK(mote_simulation_step(simulation, 1, NULL, NULL));
        for (uint32_t b = 0; threads < 5 && b < 8; ++b) {
            CHECK_OK(mote_fluid_boundary_force(fluid, b, &force, &moment, NULL));
            if (threads == 1) first[2 * b] = force, first[2 * b + 1] = moment;
            CHECK(memcmp(&first[2 * b], &force, sizeof force) == 0, "boundary %u: %g", b, force.z);
            CHECK(memcmp(&first[2 * b + 1], &moment, sizeof moment) == 0, "boundary %u: %g", b, moment.y);
        }
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
        if (threads == 1) place = view.z[7];
        CHECK(place == view.z[7], "%.17g, %.17g", place, view.z[7]);
        mote_simulation_destroy(simulation);
        mote_mesh_destroy(mesh);
        mote_context_destroy(context);
    }
    CHECK(first[14].z != 0, "no force on the cube");
}

// An impulse of a mover is in the force of that step, and in no other; with the mass of the particle's phase.
static void check_impulses(bool is_light, int32_t steps)
{
    mote_fluid_def def = mote_fluid_default_def();
    if (is_light) CHECK_OK(mote_fluid_choose_preset(&def, MOTE_PRESET_ENGINEERING, NULL));
    def.spacing = 0.1, def.gravity = (mote_vec3){0, 0, 0}, def.steps = steps;
    mote_fluid *fluid;
    CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
    CHECK_OK(add_water(fluid, 10, NULL));
    const double at[3] = {5, 6, 7};
    mote_phase_def light = mote_phase_default_def();
    uint32_t phase = 0;
    light.rest_density = 1;
    if (is_light) CHECK_OK(mote_fluid_add_phase(fluid, &light, &phase, NULL));
    CHECK_OK(mote_fluid_add(fluid, phase, at, NULL, 1, NULL));
    mote_vec3 force, moment;
    CHECK_OK(mote_fluid_boundary_force(fluid, 0, &force, &moment, NULL));
    CHECK(force.x == 0 && moment.z == 0, "%g", force.x);
    const double dt = 0.01, mass = mote_fluid_phase_mass(fluid, phase);
    for (int step = 0; step < 2; ++step) {
        CHECK_OK(mote_fluid_advance(fluid, dt, step == 0 ? stop_at_place : NULL, fluid, NULL));
        CHECK_OK(mote_fluid_boundary_force(fluid, 0, &force, &moment, NULL));
        const double times = (double)mote_fluid_get_counters(fluid).particle_steps;  // so often it has been stopped
        CHECK(times == step + 1 || steps, "%g steps", times);
        const double f = step == 0 ? 2 * mass * times / dt : 0;
        CHECK(fabs(force.x - f) < 1e-8 * (f + 1e-9) && force.y == 0, "%g, expected %g", force.x, f);
        CHECK(fabs(moment.y - 7 * f) < 1e-7 * (f + 1e-9) && fabs(moment.z + 6 * f) < 1e-7 * (f + 1e-9), "%g, %g",
              moment.y, moment.z);
    }
    mote_fluid_destroy(fluid);
}

static void impulses_are_counted(void **state)
{
    (void)state;
    check_impulses(false, MOTE_STEPS_GLOBAL);
    check_impulses(true, MOTE_STEPS_GLOBAL);
    check_impulses(true, MOTE_STEPS_INDIVIDUAL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_on_walls_balance_momentum),
        cmocka_unit_test(stretched_water_balances_momentum),
        cmocka_unit_test(drops_do_not_bounce),
        cmocka_unit_test(impulses_are_counted),
        cmocka_unit_test(bits_are_those_of_one_thread),
    };
    RUN_TESTS(tests, argc, argv);
}
