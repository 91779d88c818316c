// SPDX-License-Identifier: MIT
// Individual time steps: equal to global ones where all are alike, to those of all rows, to themselves with any number
// of threads and after reading; of second order; woken by what comes; bad input.

#include <float.h>

#include "fluid/tested.h"
#include "mote/fluid.h"
#include "mote/opening.h"
#include "mote/simulation.h"
#include "mote/tension.h"
#include "support/test.h"
#include "support/water.h"
#include "support/weak.h"

// What a context, a def and phases make of a block: heavy below, light above, if there are two.
typedef struct mixture {
    mote_context *context;
    mote_fluid_def def;
    int n;
    double ratio;  // of densities; 0: a single phase
    bool has_walls, has_tension, is_periodic;
} mixture;

static mixture mixture_of(int dimensions, int n, double ratio)
{
    mixture of = {.def = def_of(dimensions, 0.1), .n = n, .ratio = ratio};
    of.def.steps = MOTE_STEPS_INDIVIDUAL;
    return of;
}

static void add_floor(mote_fluid *fluid, const mixture *of)
{
    const double d = of->def.spacing;
    for (int k = 0; k < 3; ++k)
        for (int i = -3; i < of->n + 3; ++i) {
            const double at[3] = {(i + 0.5) * d, 0, -(k + 0.5) * d}, volume = 1;
            CHECK_OK(mote_fluid_add_walls(fluid, at, &volume, 1, NULL));
        }
}

static mote_fluid *make(const mixture *of)
{
    mote_fluid *fluid;
    CHECK_OK(mote_fluid_create(of->context, &of->def, &fluid, NULL));
    CHECK_OK(add_water(fluid, 10, NULL));
    if (of->ratio > 0) {
        mote_phase_def light = mote_phase_default_def();
        uint32_t number;
        light.rest_density = 1000 / of->ratio;
        CHECK_OK(mote_fluid_add_phase(fluid, &light, &number, NULL));
    }
    if (of->has_tension) {
        mote_tension_def tension = mote_tension_default_def();
        tension.sigma = 1;
        CHECK_OK(mote_fluid_set_tension(fluid, 0, 1, &tension, NULL));
    }
    if (of->is_periodic) {
        mote_period_def period = mote_period_default_def();
        period.x = true;
        period.min = (mote_vec3){0, 0, 0};
        period.max = (mote_vec3){of->n * of->def.spacing, 0, 0};
        mote_error error = {.text = ""};
        CHECK(mote_fluid_set_period(fluid, &period, &error) == MOTE_OK, "%s", error.text);
    }
    if (of->has_walls) add_floor(fluid, of);
    cloud block = block_of(of->def.dimensions, of->n, of->def.spacing, 0.2);
    const size_t lower = block.count / 2;
    CHECK_OK(mote_fluid_add(fluid, 0, block.x, block.v, lower, NULL));
    CHECK_OK(mote_fluid_add(fluid, of->ratio > 0, block.x + 3 * lower, block.v + 3 * lower, block.count - lower, NULL));
    set_random_pressures(fluid, block.count);
    free(block.x);
    return fluid;
}

static void advance_freely(mote_fluid *fluid, int steps)
{
    for (int k = 0; k < steps; ++k) {
        double dt;
        CHECK_OK(mote_fluid_time_step(fluid, &dt, NULL));
        CHECK_OK(mote_fluid_advance(fluid, dt, NULL, NULL, NULL));
    }
}

static void check_same(mote_fluid *first, mote_fluid *second, const char *what)
{
    mote_fluid_view views[2];
    CHECK_OK(mote_fluid_get_view(first, &views[0], NULL));
    CHECK_OK(mote_fluid_get_view(second, &views[1], NULL));
    CHECK(views[0].count == views[1].count, "%s", what);
    for (size_t i = 0; i < views[0].count; ++i)
        CHECK(views[0].id[i] == views[1].id[i] && views[0].x[i] == views[1].x[i] && views[0].z[i] == views[1].z[i] &&
                  views[0].vx[i] == views[1].vx[i] && views[0].vz[i] == views[1].vz[i] &&
                  views[0].density[i] == views[1].density[i] && views[0].ax[i] == views[1].ax[i],
              "%s: particle %zu, (%.17g, %.17g) and (%.17g, %.17g)", what, i, views[0].x[i], views[0].z[i],
              views[1].x[i], views[1].z[i]);
    CHECK_OK(mote_fluid_validate(first, NULL));
}

// ------------------------------------------------------------------------------------------------------------- oracles

// Whether the fluid's step is one step of each particle, or two. Particles are sorted every eight steps of the fluid,
// which would change the order of sums: this ends before.
static void equal_levels_are_global_steps(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
        for (int parts = 1; parts <= 2; parts *= 2) {
            mixture of = mixture_of(dimensions, dimensions == 3 ? 8 : 20, 0);
            of.def.force_limit = 1;  // the speed of sound decides
            of.has_walls = dimensions == 2;
            mote_fluid *individual = make(&of);
            of.def.steps = MOTE_STEPS_GLOBAL;
            mote_fluid *global = make(&of);
            double dt;
            CHECK_OK(mote_fluid_time_step(global, &dt, NULL));
            dt *= 0.9;
            for (int k = 0; k < 3; ++k) {
                CHECK_OK(mote_fluid_advance(individual, parts * dt, NULL, NULL, NULL));
                for (int p = 0; p < parts; ++p) CHECK_OK(mote_fluid_advance(global, dt, NULL, NULL, NULL));
            }
            check_same(individual, global, parts > 1 ? "two" : "one");
            CHECK(mote_fluid_get_counters(individual).particle_steps == mote_fluid_get_counters(global).particle_steps,
                  "%d parts", parts);
            mote_fluid_destroy(individual), mote_fluid_destroy(global);
        }
}

enum { VARIANTS = 5 };

static mixture variant_of(int k)
{
    mixture of = mixture_of(k == 3 ? 3 : 2, k == 3 ? 8 : 20, 100);
    if (k == 4) of.def.steps = MOTE_STEPS_POSITIONS;
    of.has_walls = k == 1, of.has_tension = k == 1 || k == 2, of.is_periodic = k == 2;
    return of;
}

// Rows of all particles at every end of a step, of which only those that end theirs are used.
static void rows_of_some_are_those_of_all(void **state)
{
    (void)state;
    for (int k = 0; k < VARIANTS; k += SEEKS_RACES ? 2 : 1) {
        const mixture of = variant_of(k);
        mote_fluid *some = make(&of), *all = make(&of);
        all->levels.evaluates_all = true;
        advance_freely(some, 4), advance_freely(all, 4);
        const mote_fluid_counters counters = mote_fluid_get_counters(some);
        double dt;
        CHECK_OK(mote_fluid_time_step(some, &dt, NULL));
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(some, &view, NULL));
        CHECK(counters.particle_steps > 4 * view.count * 2 && counters.particle_steps < 4 * view.count * 16,
              "variant %d: %g steps a particle", k, (double)counters.particle_steps / (double)view.count / 4);
        check_same(some, all, "rows");
        mote_fluid_destroy(some), mote_fluid_destroy(all);
    }
}

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    for (int k = 0; k < VARIANTS; k += k < 2 && !SEEKS_RACES ? 1 : 2) {
        mixture of = variant_of(k);
        of.n = 30;
        static const uint32_t threads[] = {1, 2, 5};
        mote_fluid *fluids[3];
        mote_context *contexts[3];
        for (int t = SEEKS_RACES; t < 3; ++t) {
            of.context = contexts[t] = test_context_with_threads(threads[t]);
            fluids[t] = make(&of);
            advance_freely(fluids[t], 3);
            if (t > SEEKS_RACES) check_same(fluids[SEEKS_RACES], fluids[t], "threads");
        }
        for (int t = SEEKS_RACES; t < 3; ++t) mote_fluid_destroy(fluids[t]), mote_context_destroy(contexts[t]);
    }
}

// Particles that a drain takes change the numbers of those that stay.
static void drains_take_particles_between_steps(void **state)
{
    (void)state;
    mixture of = variant_of(0);
    mote_drain drain = mote_drain_default();
    drain.min = (mote_vec3){0.5, 0, 0.4}, drain.max = (mote_vec3){0.9, 0, 1.6};
    mote_fluid *fluids[3];
    mote_context *contexts[3];
    for (int k = 0; k < 3; ++k) {
        uint32_t number;
        of.context = contexts[k] = test_context_with_threads(k == 2 ? 2 : 1);
        fluids[k] = make(&of);
        fluids[k]->levels.evaluates_all = k == 1;
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(fluids[k], &view, NULL));
        const size_t start = view.count;
        CHECK_OK(mote_fluid_add_drain(fluids[k], &drain, &number, NULL));
        advance_freely(fluids[k], 9);
        CHECK_OK(mote_fluid_get_view(fluids[k], &view, NULL));
        const mote_flow_count gone = mote_fluid_drain_count(fluids[k], number);
        CHECK(gone.out > 40 && view.count + gone.out == start, "%zu, %llu gone", view.count,
              (unsigned long long)gone.out);
        if (k > 0) check_same(fluids[0], fluids[k], k == 1 ? "all rows" : "two threads");
    }
    for (int k = 0; k < 3; ++k) mote_fluid_destroy(fluids[k]), mote_context_destroy(contexts[k]);
}

// Light particles that fly into heavy ones at rest: wherever they come, steps of neighbours are at most two levels
// apart, and sleepers are woken, so that all goes as with global steps.
static void a_blow_wakes_sleepers(void **state)
{
    (void)state;
    mote_fluid *fluids[2];
    mote_fluid_view views[2];
    for (int k = 0; k < 2; ++k) {
        mixture of = mixture_of(2, 12, 400);
        of.def.steps = k ? MOTE_STEPS_GLOBAL : MOTE_STEPS_INDIVIDUAL;
        mote_fluid_def *def = &of.def;
        def->shifting = MOTE_SHIFTING_NONE;
        fluids[k] = make(&of);
        cloud block = block_of(2, 5, def->spacing, 0.1);
        for (size_t i = 0; i < block.count; ++i) {
            block.x[3 * i] += 1.8;
            block.v[3 * i] = -40, block.v[3 * i + 2] = 0;
        }
        CHECK_OK(mote_fluid_add(fluids[k], 1, block.x, block.v, block.count, NULL));
        free(block.x);
        double t = 0, step;
        while (t < 0.03) {
            CHECK_OK(mote_fluid_time_step(fluids[k], &step, NULL));
            step = fmin(step, 0.03 - t);
            CHECK_OK(mote_fluid_advance(fluids[k], step, NULL, NULL, NULL));
            t = 0.03 - t - step < 1e-12 ? 0.03 : t + step;
        }
        CHECK_OK(mote_fluid_get_view(fluids[k], &views[k], NULL));
    }
    const mote_fluid_view *view = &views[0];
    const float *limits = mote_fluid_floats(fluids[0], FLUID_LIMIT);
    const double h = mote_fluid_resolved_def(fluids[0]).support;
    double difference = 0;
    for (size_t i = 0; i < view->count; ++i)
        for (size_t j = 0; j < view->count; ++j) {
            const double far = hypot(view->x[j] - view->x[i], view->z[j] - view->z[i]);
            CHECK(far > h * (1 - 1e-6) || limits[i] <= 4.001f * limits[j], "limits %g, %g", (double)limits[i],
                  (double)limits[j]);
            if (views[1].id[j] == view->id[i])
                difference = fmax(difference, hypot(views[1].x[j] - view->x[i], views[1].z[j] - view->z[i]));
        }
    CHECK(difference < 0.005, "places differ by %g", difference);
    const double share = (double)mote_fluid_get_counters(fluids[0]).particle_steps /
                         (double)mote_fluid_get_counters(fluids[1]).particle_steps;
    CHECK(share < 0.8, "%g of the steps, places differ by %g", share, difference);
    for (int k = 0; k < 2; ++k) mote_fluid_destroy(fluids[k]);
}

// ------------------------------------------------------------------------------------------------------------- resumed

static void resumed_runs_have_the_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * VARIANTS; ++k) {
        const mixture of = variant_of(k / 2);
        mote_fluid *fluid = make(&of), *other = make(&of);
        bytes_taken file = {0};
        mote_fluid_view view;
        advance_freely(fluid, 9);
        if (k % 2) CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
        CHECK_OK(mote_fluid_write(fluid, take, &file, NULL));
        CHECK_OK(mote_fluid_read(other, file.bytes, file.count, NULL));
        advance_freely(fluid, 3), advance_freely(other, 3);
        check_same(fluid, other, k % 2 ? "read after an evaluation" : "read before an evaluation");
        free(file.bytes);
        mote_fluid_destroy(fluid), mote_fluid_destroy(other);
    }
}

// A bubble in a tank, through whose steps of many lengths every frame is reached; interrupted at a frame, it goes on to
// the same bits.
static mote_simulation *bubble_in(mote_context *context, int32_t steps, double radius)
{
    mote_simulation_def def = mote_simulation_default_def();
    CHECK_OK(mote_fluid_choose_preset(&def.fluid, MOTE_PRESET_ENGINEERING, NULL));
    def.fluid.dimensions = 2;
    def.fluid.spacing = 1.0 / 16;
    def.fluid.steps = steps;
    mote_named_phase fluids[2] = {{.name = "liquid", .phase = mote_phase_default_def()},
                                  {.name = "gas", .phase = mote_phase_default_def()}};
    fluids[0].phase.viscosity = 10;
    fluids[1].phase.rest_density = 1;
    def.fluids = fluids, def.fluid_count = 2;
    def.has_tank = true;
    def.tank.min = (mote_vec3){0, 0, 0}, def.tank.max = (mote_vec3){1, 0, 1};
    const mote_block_def blocks[2] = {
        {.fluid = "liquid", .max = {1, 0, 1}},
        {.fluid = "gas", .shape = MOTE_SHAPE_BALL, .center = {0.5, 0, 0.5}, .radius = radius}};
    def.blocks = blocks, def.block_count = 2;
    mote_simulation *simulation;
    mote_error error = {.text = ""};
    CHECK(mote_simulation_create(context, &def, &simulation, &error) == MOTE_OK, "%s", error.text);
    return simulation;
}

static mote_simulation *bubble_of(int32_t steps)
{
    return bubble_in(NULL, steps, 0.2);
}

static void bubbles_rise_as_with_global_steps(void **state)
{
    (void)state;
    mote_simulation *runs[3];
    bytes_taken file = {0};
    for (int k = 0; k < 3; ++k) runs[k] = bubble_of(k == 1 ? MOTE_STEPS_GLOBAL : MOTE_STEPS_INDIVIDUAL);
    CHECK_OK(mote_simulation_run_until(runs[0], 0.01, NULL, NULL, NULL));
    CHECK_OK(mote_simulation_write(runs[0], take, &file, NULL));
    CHECK_OK(mote_simulation_read(runs[2], file.bytes, file.count, NULL));
    for (int k = 0; k < 3; ++k) CHECK_OK(mote_simulation_run_until(runs[k], 0.03, NULL, NULL, NULL));
    check_same(mote_simulation_fluid(runs[0]), mote_simulation_fluid(runs[2]), "resumed at a frame");
    mote_fluid_view views[2];
    double difference = 0, steps[2];
    for (int k = 0; k < 2; ++k) {
        CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(runs[k]), &views[k], NULL));
        steps[k] = (double)mote_simulation_get_counters(runs[k]).particle_steps;
    }
    for (size_t i = 0; i < views[0].count; ++i)
        for (size_t j = 0; j < views[0].count; ++j)
            if (views[0].id[i] == views[1].id[j])
                difference = fmax(difference, hypot(views[0].x[i] - views[1].x[j], views[0].z[i] - views[1].z[j]));
    CHECK(difference < 1e-3, "places differ by %g", difference);
    CHECK(steps[0] < 0.4 * steps[1], "%g and %g particle-steps", steps[0], steps[1]);
    for (int k = 0; k < 3; ++k) mote_simulation_destroy(runs[k]);
    free(file.bytes);
}

// Two layers with a tension between them, resumed at their start.
static void layers_go_on_from_their_start(void **state)
{
    (void)state;
    mote_simulation_def def = mote_simulation_default_def();
    CHECK_OK(mote_fluid_choose_preset(&def.fluid, MOTE_PRESET_ENGINEERING, NULL));
    def.fluid.dimensions = 2, def.fluid.spacing = 0.05, def.fluid.steps = MOTE_STEPS_INDIVIDUAL;
    mote_named_phase fluids[2] = {{.name = "water", .phase = mote_phase_default_def()},
                                  {.name = "air", .phase = mote_phase_default_def()}};
    fluids[1].phase.rest_density = 100;
    def.fluids = fluids, def.fluid_count = 2;
    mote_named_tension tension = {.between = {"water", "air"}, .tension = mote_tension_default_def()};
    tension.tension.sigma = 0.07;
    def.tensions = &tension, def.tension_count = 1;
    def.has_tank = true;
    def.tank.min = (mote_vec3){0, 0, 0}, def.tank.max = (mote_vec3){1, 0, 0.6};
    const mote_block_def blocks[2] = {{.fluid = "water", .max = {1, 0, 0.3}},
                                      {.fluid = "air", .min = {0, 0, 0.3}, .max = {1, 0, 0.6}}};
    def.blocks = blocks, def.block_count = 2;
    mote_simulation *runs[2];
    bytes_taken file = {0};
    for (int k = 0; k < 2; ++k) CHECK_OK(mote_simulation_create(NULL, &def, &runs[k], NULL));
    CHECK_OK(mote_simulation_write(runs[0], take, &file, NULL));
    CHECK_OK(mote_simulation_read(runs[1], file.bytes, file.count, NULL));
    for (int step = 0; step < 3; ++step) {
        for (int k = 0; k < 2; ++k) CHECK_OK(mote_simulation_step(runs[k], 1, NULL, NULL));
        check_same(mote_simulation_fluid(runs[0]), mote_simulation_fluid(runs[1]), "resumed at the start");
    }
    for (int k = 0; k < 2; ++k) mote_simulation_destroy(runs[k]);
    free(file.bytes);
}

// Whether many particles are awake, or a few, or now these and now those.
static void warm_steps_allocate_nothing(void **state)
{
    (void)state;
    static const double radii[] = {0.05, 0.1, 0.15, 0.2};
    for (int k = 0; k < 4; ++k) {
        mote_context *context = test_context_with_threads(1);
        mote_simulation *simulation = bubble_in(context, MOTE_STEPS_INDIVIDUAL, radii[k]);
        CHECK_OK(mote_simulation_run_until(simulation, 0.02, NULL, NULL, NULL));
        const uint64_t warm = mote_context_allocation_count(context);
        CHECK_OK(mote_simulation_run_until(simulation, 0.04, NULL, NULL, NULL));
        const uint64_t more = mote_context_allocation_count(context) - warm;
        CHECK(more == 0, "radius %g: %llu allocations", radii[k], (unsigned long long)more);
        mote_simulation_destroy(simulation);
        mote_context_destroy(context);
    }
}

// A particle's step may become too short where the slowest ones notice nothing of it.
static void the_shortest_step_is_watched(void **state)
{
    (void)state;
    mote_simulation *simulation = bubble_of(MOTE_STEPS_INDIVIDUAL);
    mote_error error = {.text = ""};
    CHECK_OK(mote_simulation_run_until(simulation, 0.002, NULL, NULL, NULL));
    CHECK_OK(mote_simulation_watch(simulation, NULL));
    mote_fluid_floats(mote_simulation_fluid(simulation), FLUID_LIMIT)[7] = 1e-9f;
    CHECK(mote_simulation_watch(simulation, &error) == MOTE_ERROR_UNSTABLE, "%s", error.text);
    CHECK(strstr(error.text, ", step 1e-09 s by "), "%s", error.text);
    mote_simulation_destroy(simulation);
}

// --------------------------------------------------------------------------------- damping and gravity that changes

// Squares of water and air, far apart, which move to the right.
typedef struct two_squares {
    mote_simulation_def def;
    mote_named_phase fluids[2];
    mote_block_def blocks[2];
} two_squares;

static void fill_two_squares(two_squares *made, int32_t steps, double speed)
{
    *made = (two_squares){.def = mote_simulation_default_def()};
    mote_simulation_def *def = &made->def;
    CHECK_OK(mote_fluid_choose_preset(&def->fluid, MOTE_PRESET_ENGINEERING, NULL));
    def->fluid.dimensions = 2, def->fluid.spacing = 0.05, def->fluid.steps = steps;
    for (int k = 0; k < 2; ++k) {
        made->fluids[k] = (mote_named_phase){.name = k == 0 ? "water" : "air", .phase = mote_phase_default_def()};
        made->blocks[k] = mote_block_default_def();
        made->blocks[k].fluid = made->fluids[k].name;
        made->blocks[k].min = (mote_vec3){k, 0, 0}, made->blocks[k].max = (mote_vec3){k + 0.2, 0, 0.2};
        made->blocks[k].velocity.x = speed;
    }
    made->fluids[0].phase.sound_speed = 10, made->fluids[1].phase.rest_density = 1;
    def->fluids = made->fluids, def->fluid_count = 2;
    def->blocks = made->blocks, def->block_count = 2;
}

// The same in a box that damps everything.
static void move_apart(int32_t steps, const char *gravity, double strength, double speed, double means[2])
{
    two_squares made;
    fill_two_squares(&made, steps, speed);
    made.def.fluid.gravity = (mote_vec3){0, 0, 0};
    made.def.fluid.gravity_text[0] = gravity;
    mote_damping_def damping = mote_damping_default_def();
    damping.min = (mote_vec3){-5, -1, -5}, damping.max = (mote_vec3){5, 1, 5}, damping.strength = strength;
    made.def.damping = &damping, made.def.damping_count = strength > 0;
    mote_simulation *simulation;
    mote_error error = {.text = ""};
    CHECK(mote_simulation_create(NULL, &made.def, &simulation, &error) == MOTE_OK, "%s", error.text);
    CHECK(mote_simulation_run_until(simulation, 0.05, NULL, NULL, &error) == MOTE_OK, "%s", error.text);
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
    means[0] = means[1] = 0;
    for (size_t i = 0; i < view.count; ++i) means[view.phase[i]] += 2 * (double)view.vx[i] / (double)view.count;
    const mote_simulation_counters counters = mote_simulation_get_counters(simulation);
    CHECK(steps == MOTE_STEPS_GLOBAL || counters.particle_steps > 2 * counters.steps * view.count, "%llu of %llu",
          (unsigned long long)counters.particle_steps, (unsigned long long)(counters.steps * view.count));
    mote_simulation_destroy(simulation);
}

// With the length of the fluid's step, however many steps a particle makes in it.
static void damping_acts_once_in_a_step(void **state)
{
    (void)state;
    double global[2], individual[2];
    move_apart(MOTE_STEPS_GLOBAL, NULL, 10, 1, global);
    move_apart(MOTE_STEPS_INDIVIDUAL, NULL, 10, 1, individual);
    for (int k = 0; k < 2; ++k)
        CHECK(fabs(individual[k] - global[k]) < 0.02, "phase %d: %g, with global steps %g", k, individual[k],
              global[k]);
}

// Both kinds see gravity between the ends of the fluid's steps: 100 t gives 50 t².
static void gravity_changes_within_a_step(void **state)
{
    (void)state;
    for (int32_t kind = MOTE_STEPS_GLOBAL; kind <= MOTE_STEPS_POSITIONS; ++kind) {
        double means[2];
        move_apart(kind, "100*t", 0, 0, means);
        for (int k = 0; k < 2; ++k)
            CHECK(fabs(means[k] - 0.125) < 1e-5, "steps %d, phase %d: %.7f, exactly 0.125", (int)kind, k, means[k]);
    }
}

// --------------------------------------------------------------------------------------------------------------- order

// Two fluids of 16 : 1 swing, with pressures of either sign, while the fluid's steps alternate 1 : 3. With the steps
// the limits become shorter, so that levels are the same, and change in every step.
enum { SWING = 12 };

static void swing(int32_t kind, int steps, double *places)
{
    const double time = 0.06;
    mote_fluid_def def = def_of(2, 0.02);
    def.steps = kind;
    def.state_equation = MOTE_STATE_IDEAL_GAS;
    def.negative_pressure = true;
    def.shifting = MOTE_SHIFTING_NONE;
    def.courant = 0.15 * 16 / steps;
    def.force_limit = def.viscous_limit = 1;
    mote_fluid *fluid;
    CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
    CHECK_OK(add_water(fluid, 2, NULL));
    mote_phase_def light = mote_phase_default_def();
    uint32_t number;
    light.rest_density = 1000.0 / 16;
    CHECK_OK(mote_fluid_add_phase(fluid, &light, &number, NULL));
    for (int z = 0; z < SWING; ++z)
        for (int x = 0; x < SWING; ++x) {
            const double at[3] = {0.02 * x, 0, 0.02 * z}, v[3] = {0.2 * sin(0.5 * z), 0, 0.2 * sin(0.4 * x)};
            CHECK_OK(mote_fluid_add(fluid, x >= SWING / 2, at, v, 1, NULL));
        }
    for (int k = 0; k < steps; ++k)
        CHECK_OK(mote_fluid_advance(fluid, (k % 2 ? 1.5 : 0.5) * time / steps, NULL, NULL, NULL));
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    for (size_t i = 0; i < view.count; ++i)
        places[2 * view.id[i]] = view.x[i], places[2 * view.id[i] + 1] = view.z[i];
    const double each = (double)mote_fluid_get_counters(fluid).particle_steps / ((double)view.count * (double)steps);
    CHECK(kind == MOTE_STEPS_GLOBAL || each > 1.3, "%d steps: %g of a particle", steps, each);
    mote_fluid_destroy(fluid);
}

static double distance(const double *first, const double *second)
{
    double sum = 0;
    for (int k = 0; k < 2 * SWING * SWING; ++k) sum += (first[k] - second[k]) * (first[k] - second[k]);
    return sqrt(sum / (SWING * SWING));
}

static void steps_of_two_groups_are_of_order_two(void **state)
{
    (void)state;
    static double exact[2 * SWING * SWING], places[2 * SWING * SWING];
    double error[3];
    swing(MOTE_STEPS_INDIVIDUAL, 256, exact);
    for (int32_t kind = MOTE_STEPS_INDIVIDUAL; kind <= MOTE_STEPS_POSITIONS; ++kind) {
        for (int k = 0; k < 3; ++k) {
            swing(kind, 8 << k, places);
            error[k] = distance(places, exact);
        }
        for (int k = 0; k < 2; ++k) {
            const double order = log2(error[k] / error[k + 1]);
            CHECK(order > 1.8 && order < 2.3, "kind %d: errors %g, %g: order %.2f", (int)kind, error[k], error[k + 1],
                  order);
        }
    }
    swing(MOTE_STEPS_GLOBAL, 64, places);  // the same end
    CHECK(distance(places, exact) < 1e-6, "%g", distance(places, exact));
}

// ----------------------------------------------------------------------------------------------------- forces on walls

// Water in a tank and air in a second part of it, which a drop of water falls into; with walls between them they do not
// meet, so that all pairs have the same steps.
static mote_simulation *pools(mote_context *context, bool are_apart)
{
    mote_simulation_def def = mote_simulation_default_def();
    CHECK_OK(mote_fluid_choose_preset(&def.fluid, MOTE_PRESET_ENGINEERING, NULL));
    def.fluid.dimensions = 2, def.fluid.spacing = 0.05;
    def.fluid.shifting = MOTE_SHIFTING_NONE;
    def.fluid.force_limit = 1;
    def.fluid.steps = MOTE_STEPS_INDIVIDUAL;
    mote_named_phase fluids[2] = {{.name = "water", .phase = mote_phase_default_def()},
                                  {.name = "air", .phase = mote_phase_default_def()}};
    fluids[0].phase.sound_speed = 20, fluids[1].phase.rest_density = 1;
    def.fluids = fluids, def.fluid_count = 2;
    def.has_tank = true, def.tank.min = (mote_vec3){0, 0, 0}, def.tank.max = (mote_vec3){2, 0, 1};
    def.tank.restitution = 0.2, def.tank.friction = 0.1;
    mote_block_def blocks[2] = {mote_block_default_def(), mote_block_default_def()};
    for (int k = 0; k < 2; ++k) {
        blocks[k].fluid = fluids[k].name;
        blocks[k].min = (mote_vec3){k, 0, 0}, blocks[k].max = (mote_vec3){are_apart ? k + 0.5 : k + 1, 0, 0.4};
    }
    blocks[0].min.z += are_apart ? 0.03 : 0;
    def.blocks = blocks, def.block_count = 2;
    mote_simulation *simulation;
    mote_error error = {.text = ""};
    CHECK(mote_simulation_create(context, &def, &simulation, &error) == MOTE_OK, "%s", error.text);
    return simulation;
}

static mote_vec3 force_on_all(mote_fluid *fluid)
{
    mote_vec3 sum = {0, 0, 0}, force;
    for (uint32_t b = 0; mote_fluid_boundary_force(fluid, b, &force, NULL, NULL) == MOTE_OK; ++b)
        sum.x += force.x, sum.z += force.z;
    return sum;
}

// What is missing from Σ forces + d(momentum)/dt − weight = 0 in a time, as a share of the weight; and the greatest
// force of a step, likewise.
static double imbalance(mote_simulation *simulation, double time, double *greatest)
{
    mote_fluid *fluid = mote_simulation_fluid(simulation);
    mote_fluid_totals before, after;
    double x = 0, z = 0, dt, t = 0;
    *greatest = 0;
    force_on_all(fluid);
    CHECK_OK(mote_fluid_get_totals(fluid, &before, NULL));
    const double weight = before.mass * 9.81;
    for (; t < time; t += dt) {
        CHECK_OK(mote_simulation_step(simulation, time, &dt, NULL));
        const mote_vec3 force = force_on_all(fluid);
        x += dt * force.x, z += dt * force.z;
        *greatest = fmax(*greatest, fabs(force.z) / weight);
    }
    CHECK_OK(mote_fluid_get_totals(fluid, &after, NULL));
    x += after.momentum.x - before.momentum.x;
    z += after.momentum.z - before.momentum.z + weight * t;
    return hypot(x, z) / (weight * t);
}

static void forces_on_walls_balance_momentum(void **state)
{
    (void)state;
    for (int are_apart = SEEKS_RACES; are_apart < 2; ++are_apart) {
        mote_simulation *simulation = pools(NULL, are_apart);
        double greatest;
        const double missing = imbalance(simulation, 0.12, &greatest);
        const mote_simulation_counters counters = mote_simulation_get_counters(simulation);
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
        const double each = (double)counters.particle_steps / (double)counters.steps / (double)view.count;
        CHECK(missing < (are_apart ? 1e-5 : 2e-3), "%d: %g of the weight is missing", are_apart, missing);
        CHECK(greatest > 0.9 && each > 3, "%d: %g of the weight, %g steps", are_apart, greatest, each);
        mote_simulation_destroy(simulation);
    }
}

// With any number of threads; and after reading.
static void forces_have_the_same_bits(void **state)
{
    (void)state;
    mote_vec3 forces[3], moments[3];
    const uint32_t least = SEEKS_RACES;  // with one thread there are no races
    for (uint32_t k = least; k < 3; ++k) {
        mote_context *context = test_context_with_threads(1 + 2 * k);
        mote_simulation *simulation = pools(context, false);
        for (uint32_t b = 0; b < 3; ++b)
            CHECK_OK(mote_fluid_boundary_force(mote_simulation_fluid(simulation), b, NULL, NULL, NULL));
        CHECK_OK(mote_simulation_run_until(simulation, SANITIZED ? 0.008 : 0.02, NULL, NULL, NULL));
        if (k == 2) {
            bytes_taken file = {0};
            CHECK_OK(mote_simulation_watch(simulation, NULL));
            CHECK_OK(mote_simulation_write(simulation, take, &file, NULL));
            mote_simulation_destroy(simulation);
            simulation = pools(context, false);
            CHECK_OK(mote_fluid_boundary_force(mote_simulation_fluid(simulation), 1, NULL, NULL, NULL));
            CHECK_OK(mote_simulation_read(simulation, file.bytes, file.count, NULL));
            free(file.bytes);
        }
        CHECK_OK(mote_simulation_step(simulation, 1, NULL, NULL));
        mote_fluid *fluid = mote_simulation_fluid(simulation);
        CHECK_OK(mote_fluid_boundary_force(fluid, 5, &forces[k], &moments[k], NULL));
        CHECK(memcmp(&forces[least], &forces[k], sizeof *forces) == 0, "%u: %.17g, %.17g", k, forces[least].z,
              forces[k].z);
        CHECK(memcmp(&moments[least], &moments[k], sizeof *moments) == 0, "%u: %.17g, %.17g", k, moments[least].y,
              moments[k].y);
        CHECK(forces[k].z < -100, "%g", forces[k].z);
        mote_simulation_destroy(simulation);
        mote_context_destroy(context);
    }
}

// ----------------------------------------------------------------------------------------------------------- refusals

static void expect(const mote_fluid_def *def, const char *words)
{
    mote_fluid *fluid;
    mote_error error = {.text = ""};
    CHECK(mote_fluid_create(NULL, def, &fluid, &error) == MOTE_ERROR_UNSUPPORTED, "%s", words);
    CHECK(strstr(error.text, words), "%s", error.text);
}

static void refuses_what_needs_one_instant(void **state)
{
    (void)state;
    const mote_fluid_def plain = mixture_of(2, 4, 0).def;
    mote_fluid_def def = plain;
    def.shifting = MOTE_SHIFTING_TRANSPORT;
    expect(&def, "shifting is \"transport\", expected \"free_surface\" or \"none\" with steps \"individual\"");
    def = plain, def.consistent_shifting = true;
    expect(&def, "consistent_shifting is true");
    def = plain, def.diffusion_model = MOTE_DIFFUSION_ANTUONO;
    expect(&def, "diffusion_model is \"antuono\"");
    def = plain, def.xsph = 0.1;
    expect(&def, "xsph is above 0, expected 0");
    CHECK_OK(mote_fluid_choose_preset(&def, MOTE_PRESET_DOCUMENT, NULL));
    expect(&def, "steps is \"individual\", expected \"global\" unless the solver is \"weak\"");
    mixture of = mixture_of(2, 4, 0);
    of.def.steps = MOTE_STEPS_POSITIONS;
    mote_fluid *fluid = make(&of);
    mote_opening opening = mote_opening_default();
    uint32_t number;
    opening.face.normal = (mote_vec3){1, 0, 0}, opening.face.width = 1;
    assert_int_equal(mote_fluid_add_opening(fluid, &opening, &number, NULL), MOTE_ERROR_UNSUPPORTED);
    mote_fluid_destroy(fluid);
}

static double sum_of(const mote_fluid_view *view)
{
    double sum = 0;
    for (size_t i = 0; i < view->count; ++i) sum += view->x[i] + (double)view->vz[i];
    return sum;
}

// A fluid is as it was when memory runs out in a step, and goes on from there as one that always had enough.
// @param data  2 numbers: sums after each step; 0 as long as they are not known
static mote_result step_with_little_memory(mote_context *context, void *data)
{
    double *expected = data;
    mixture of = variant_of(1);
    mote_fluid *fluid;
    of.def.spacing = 0.1;
    mote_result result = mote_fluid_create(context, &of.def, &fluid, NULL);
    if (result != MOTE_OK) return result;
    mote_phase_def phase = mote_phase_default_def();
    uint32_t number;
    for (int k = 0; k < 2; ++k) {
        phase.sound_speed = k ? NAN : 10, phase.rest_density = k ? 10 : 1000;
        CHECK_OK(mote_fluid_add_phase(fluid, &phase, &number, NULL));
    }
    cloud block = block_of(2, 8, 0.1, 0.2);
    result = mote_fluid_add(fluid, 0, block.x, block.v, 32, NULL);
    if (result == MOTE_OK) result = mote_fluid_add(fluid, 1, block.x + 96, block.v + 96, 32, NULL);
    for (int k = 0; k < 2 && result == MOTE_OK; ++k) {
        mote_fluid_view view;
        result = mote_fluid_get_view(fluid, &view, NULL);
        if (result != MOTE_OK) break;
        const double before = sum_of(&view);
        result = mote_fluid_advance(fluid, 4e-3, NULL, NULL, NULL);
        const bool has_failed = result == MOTE_ERROR_OUT_OF_MEMORY;
        if (has_failed) {
            CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
            CHECK(before == sum_of(&view), "%.17g, %.17g", before, sum_of(&view));
            CHECK_OK(mote_fluid_advance(fluid, 4e-3, NULL, NULL, NULL));
        }
        if (result != MOTE_OK && !has_failed) break;
        if (mote_fluid_get_view(fluid, &view, NULL) != MOTE_OK) {
            result = MOTE_ERROR_OUT_OF_MEMORY;
            break;
        }
        if (expected[k] == 0) expected[k] = sum_of(&view);
        CHECK(expected[k] == sum_of(&view), "step %d: %.17g, %.17g", k, expected[k], sum_of(&view));
    }
    free(block.x);
    mote_fluid_destroy(fluid);
    return result;
}

// A state of other steps is no start.
static void starts_need_the_same_steps(void **state)
{
    (void)state;
    mote_block_def block = {.max = {1, 0, 0.5}};
    mote_simulation_def def = mote_simulation_default_def();
    CHECK_OK(mote_fluid_choose_preset(&def.fluid, MOTE_PRESET_ENGINEERING, NULL));
    def.fluid.dimensions = 2, def.fluid.spacing = 0.1;
    def.has_tank = true, def.tank.min = (mote_vec3){0, 0, 0}, def.tank.max = (mote_vec3){1, 0, 1};
    def.blocks = &block, def.block_count = 1;
    mote_simulation *simulations[3];
    bytes_taken files[3] = {{0}};
    for (int32_t k = MOTE_STEPS_GLOBAL; k <= MOTE_STEPS_POSITIONS; ++k) {
        def.fluid.steps = k;
        CHECK_OK(mote_simulation_create(NULL, &def, &simulations[k], NULL));
        CHECK_OK(mote_simulation_write(simulations[k], take, &files[k], NULL));
    }
    mote_error error = {.text = ""};
    for (int k = 0; k < 3; ++k)
        for (int to = 0; to < 3; ++to)
            CHECK(mote_simulation_read_start(simulations[to], files[k].bytes, files[k].count, NULL, &error) ==
                      (to == k ? MOTE_OK : MOTE_ERROR_FORMAT),
                  "%d to %d: %s", k, to, error.text);
    CHECK(strstr(error.text, "fluid: a state with steps \"individual_positions\", expected \"individual\""), "%s",
          error.text);
    for (int k = 0; k < 3; ++k) mote_simulation_destroy(simulations[k]), free(files[k].bytes);
}

// Sends whoever comes by farther than floats reach.
static void send_away(void *user_data, mote_vec3 from, mote_vec3 *position, mote_vec3 *velocity)
{
    (void)user_data, (void)from, (void)velocity;
    position->x = 1e40;
}

// A search that fails within a step: the step before and after it have the bits of a fluid that was never so.
static void fluids_are_as_before_errors(void **state)
{
    (void)state;
    for (int k = 0; k < VARIANTS; k += k ? 3 : 1) {
        const mixture of = variant_of(k);
        mote_fluid *fluid = make(&of), *other = make(&of);
        mote_vec3 forces[2];
        double dt;
        CHECK_OK(mote_fluid_boundary_force(fluid, 0, NULL, NULL, NULL));
        CHECK_OK(mote_fluid_boundary_force(other, 0, NULL, NULL, NULL));
        advance_freely(fluid, 2), advance_freely(other, 2);
        CHECK_OK(mote_fluid_time_step(fluid, &dt, NULL));
        CHECK_OK(mote_fluid_time_step(other, &dt, NULL));
        CHECK(mote_fluid_advance(fluid, dt, send_away, NULL, NULL) == MOTE_ERROR_NOT_FINITE, "variant %d", k);
        check_same(fluid, other, "at once");
        CHECK(mote_fluid_get_counters(fluid).particle_steps == mote_fluid_get_counters(other).particle_steps,
              "variant %d", k);
        advance_freely(fluid, 2), advance_freely(other, 2);
        check_same(fluid, other, "later");
        CHECK_OK(mote_fluid_boundary_force(fluid, 0, &forces[0], NULL, NULL));
        CHECK_OK(mote_fluid_boundary_force(other, 0, &forces[1], NULL, NULL));
        CHECK(memcmp(&forces[0], &forces[1], sizeof *forces) == 0 && (k != 1 || forces[0].z != 0), "%g, %g",
              forces[0].z, forces[1].z);
        mote_fluid_destroy(fluid), mote_fluid_destroy(other);
    }
}

// One that goes too far within a step is told as by the watch; the state, with what a gauge of flow has seen, is that
// before the step.
static void who_is_lost_within_a_step_is_told(void **state)
{
    (void)state;
    two_squares made;
    fill_two_squares(&made, MOTE_STEPS_INDIVIDUAL, 3);
    mote_gauge_def gauge = mote_gauge_default_def();
    gauge.name = "passed", gauge.kind = MOTE_GAUGE_FLOW, gauge.every = 1;
    gauge.min = (mote_vec3){1.275, 0, -1}, gauge.max = (mote_vec3){1.275, 0, 1};
    made.def.gauges = &gauge, made.def.gauge_count = 1;
    mote_simulation *simulation;
    mote_error error = {.text = ""};
    CHECK(mote_simulation_create(NULL, &made.def, &simulation, &error) == MOTE_OK, "%s", error.text);
    mote_fluid *fluid = mote_simulation_fluid(simulation);
    bytes_taken files[2] = {{0}};
    mote_fluid_view view;
    double dt;
    CHECK_OK(mote_simulation_step(simulation, 1, NULL, NULL));
    CHECK_OK(mote_simulation_watch(simulation, NULL));
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    CHECK_OK(mote_fluid_time_step(fluid, &dt, NULL));
    size_t lost = 0;
    while (view.phase[lost] == 0) ++lost;
    mote_fluid_floats(fluid, FLUID_AZ)[lost] = FLT_MAX;  // it leaves the reach of floats in its first step
    mote_fluid_doubles(fluid, FLUID_Z)[lost] = (double)FLT_MAX + 0x1.cp102;
    CHECK_OK(mote_simulation_write(simulation, take, &files[0], NULL));
    CHECK(mote_simulation_step(simulation, dt, NULL, &error) == MOTE_ERROR_UNSTABLE, "%s", error.text);
    CHECK(error.index == view.id[lost] && strstr(error.text, "simulation: unstable at t = ") &&
              strstr(error.text, ", then nowhere: ") && strstr(error.text, "; try "), "%s", error.text);
    mote_failure failure;
    CHECK(mote_simulation_get_failure(simulation, &failure) && failure.id == view.id[lost], "%g", failure.time);
    CHECK_OK(mote_simulation_write(simulation, take, &files[1], NULL));
    CHECK(files[0].count == files[1].count && memcmp(files[0].bytes, files[1].bytes, files[0].count) == 0,
          "%zu bytes", files[1].count);
    for (int k = 0; k < 2; ++k) free(files[k].bytes);
    mote_simulation_destroy(simulation);
}

static void fluids_are_as_before_without_memory(void **state)
{
    (void)state;
    double sums[2] = {0, 0};
    CHECK_OK(step_with_little_memory(NULL, sums));
    test_failing_allocations(step_with_little_memory, sums);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_levels_are_global_steps),  // one thread
        cmocka_unit_test(rows_of_some_are_those_of_all),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(drains_take_particles_between_steps),
        cmocka_unit_test(a_blow_wakes_sleepers),
        cmocka_unit_test(resumed_runs_have_the_same_bits),
        cmocka_unit_test(bubbles_rise_as_with_global_steps),
        cmocka_unit_test(layers_go_on_from_their_start),
        cmocka_unit_test(warm_steps_allocate_nothing),
        cmocka_unit_test(the_shortest_step_is_watched),
        cmocka_unit_test(damping_acts_once_in_a_step),
        cmocka_unit_test(gravity_changes_within_a_step),  // one thread
        cmocka_unit_test(steps_of_two_groups_are_of_order_two),
        cmocka_unit_test(forces_on_walls_balance_momentum),
        cmocka_unit_test(forces_have_the_same_bits),
        cmocka_unit_test(refuses_what_needs_one_instant),
        cmocka_unit_test(starts_need_the_same_steps),
        cmocka_unit_test(fluids_are_as_before_errors),
        cmocka_unit_test(who_is_lost_within_a_step_is_told),
        cmocka_unit_test(fluids_are_as_before_without_memory),
    };
    RUN_TESTS(tests, argc, argv);
}
