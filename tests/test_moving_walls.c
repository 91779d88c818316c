// SPDX-License-Identifier: MIT
// Boundaries that move: a piston's momentum, a lid that drags as a belt does, walls in a frame that moves, states.

#include "mote/walls.h"
#include "support/test.h"
#include "support/water.h"

static mote_fluid *make_fluid_with(mote_context *context, int32_t steps, int dimensions, double spacing,
                                   double viscosity, mote_vec3 gravity)
{
    mote_fluid_def def = mote_fluid_default_def();
    CHECK_OK(mote_fluid_choose_preset(&def, MOTE_PRESET_ENGINEERING, NULL));
    def.dimensions = dimensions;
    def.spacing = spacing;
    def.gravity = gravity;
    def.steps = steps;
    def.shifting = MOTE_SHIFTING_NONE;
    mote_fluid *fluid;
    mote_error error;
    mote_phase_def liquid = mote_phase_default_def();
    uint32_t phase;
    liquid.sound_speed = 20, liquid.viscosity = viscosity;
    CHECK(mote_fluid_create(context, &def, &fluid, &error) == MOTE_OK, "%s", error.text);
    CHECK_OK(mote_fluid_add_phase(fluid, &liquid, &phase, NULL));
    return fluid;
}

static mote_fluid *make_fluid(mote_context *context, int dimensions, double spacing, double viscosity,
                              mote_vec3 gravity)
{
    return make_fluid_with(context, MOTE_STEPS_GLOBAL, dimensions, spacing, viscosity, gravity);
}

// Adds what lies on the lattice in the box: fluid, or walls of a boundary.
static void add_box(mote_fluid *fluid, double d, mote_vec3 min, mote_vec3 max, const mote_vec3 *velocity,
                    const uint32_t *boundary)
{
    const bool is_flat = mote_fluid_resolved_def(fluid).dimensions == 2;
    const int nx = (int)lround((max.x - min.x) / d), nz = (int)lround((max.z - min.z) / d);
    const int ny = is_flat ? 1 : (int)lround((max.y - min.y) / d);
    const size_t count = (size_t)nx * (size_t)ny * (size_t)nz;
    double *places = malloc(count * 7 * sizeof *places);
    double *velocities = places + 3 * count, *units = velocities + 3 * count;
    const mote_vec3 u = velocity ? *velocity : (mote_vec3){0, 0, 0};
    uint32_t *numbers = malloc(count * sizeof *numbers);
    size_t i = 0;
    for (int z = 0; z < nz; ++z)
        for (int y = 0; y < ny; ++y)
            for (int x = 0; x < nx; ++x, ++i) {
                const double aside = is_flat ? 0 : min.y + d * (y + 0.5), v[3] = {u.x, u.y, u.z};
                const double at[3] = {min.x + d * (x + 0.5), aside, min.z + d * (z + 0.5)};
                memcpy(places + 3 * i, at, sizeof at);
                memcpy(velocities + 3 * i, v, sizeof v);
                units[i] = 1, numbers[i] = boundary ? *boundary : 0;
            }
    if (boundary)
        CHECK_OK(mote_fluid_add_boundary_walls(fluid, places, units, numbers, count, NULL));
    else
        CHECK_OK(mote_fluid_add(fluid, 0, places, velocities, count, NULL));
    free(places);
    free(numbers);
}

static uint32_t add_boundary(mote_fluid *fluid, double velocity)
{
    mote_boundary_def def = mote_boundary_default_def();
    uint32_t boundary;
    def.velocity.x = velocity;
    CHECK_OK(mote_fluid_add_boundary(fluid, &def, &boundary, NULL));
    return boundary;
}

static void set_motion(mote_fluid *fluid, uint32_t boundary, double place, double velocity, double acceleration,
                       bool at_once)
{
    mote_boundary_motion motion = mote_boundary_motion_default();
    motion.place.x = place, motion.velocity.x = velocity, motion.acceleration.x = acceleration;
    motion.at_once = at_once;
    mote_error error;
    CHECK(mote_fluid_set_boundary_motion(fluid, boundary, &motion, &error) == MOTE_OK, "%s", error.text);
}

// A trough with a floor, a wall and a piston, which starts with a constant acceleration. A mixed one has a layer of a
// light fluid on the water.
typedef struct trough {
    mote_fluid *fluid;
    uint32_t floor, wall, piston;
    double time;
} trough;

static const double hurry = 2;  // of the piston [m/s²]

static void add_light(mote_fluid *fluid, double d, double depth)
{
    mote_phase_def light = mote_phase_default_def();
    uint32_t phase;
    light.rest_density = 10, light.sound_speed = 200, light.viscosity = 0.01;
    CHECK_OK(mote_fluid_add_phase(fluid, &light, &phase, NULL));
    for (int x = 0; x < 20; ++x)
        for (int z = 0; z < 4; ++z) {
            const double at[3] = {d * (x + 0.5), 0, depth + d * (z + 0.5)};
            CHECK_OK(mote_fluid_add(fluid, phase, at, NULL, 1, NULL));
        }
}

static trough make_mixed_trough(mote_context *context, int dimensions, int32_t steps, bool is_mixed)
{
    const double d = 0.05, length = 1, depth = dimensions == 2 ? 0.5 : 0.25, wide = 0.3, layers = 0.2;
    trough made = {.fluid = make_fluid_with(context, steps, dimensions, d, 1, (mote_vec3){0, 0, -9.81})};
    mote_fluid *fluid = made.fluid;
    made.floor = add_boundary(fluid, 0), made.wall = add_boundary(fluid, 0), made.piston = add_boundary(fluid, 0);
    if (dimensions == 3) {
        mote_period_def period = mote_period_default_def();
        period.min = (mote_vec3){0, 0, 0}, period.max = (mote_vec3){0, 2 * wide, 0}, period.y = true;
        CHECK_OK(mote_fluid_set_period(fluid, &period, NULL));
    }
    const double y = 2 * wide, top = depth + 0.3;
    if (is_mixed) add_light(fluid, d, depth);
    add_box(fluid, d, (mote_vec3){0, 0, 0}, (mote_vec3){length, y, depth}, NULL, NULL);
    add_box(fluid, d, (mote_vec3){-1, 0, -layers}, (mote_vec3){length + layers, y, 0}, NULL, &made.floor);
    add_box(fluid, d, (mote_vec3){length, 0, 0}, (mote_vec3){length + layers, y, top}, NULL, &made.wall);
    add_box(fluid, d, (mote_vec3){-layers, 0, 0}, (mote_vec3){0, y, top}, NULL, &made.piston);
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    double *pressures = malloc(view.count * sizeof *pressures);
    for (size_t i = 0; i < view.count; ++i) pressures[i] = fmax(9810 * (depth - view.z[i]), 0);
    CHECK_OK(mote_fluid_set_pressures(fluid, pressures, NULL));
    free(pressures);
    set_motion(fluid, made.piston, 0, 0, hurry, true);
    return made;
}

static trough make_trough(mote_context *context, int dimensions)
{
    return make_mixed_trough(context, dimensions, MOTE_STEPS_GLOBAL, false);
}

static double step_trough_by(trough *of, double most)
{
    double dt;
    CHECK_OK(mote_fluid_time_step(of->fluid, &dt, NULL));
    dt = fmin(dt, most);
    const double t = of->time + dt;
    set_motion(of->fluid, of->piston, hurry * t * t / 2, hurry * t, hurry, false);
    CHECK_OK(mote_fluid_advance(of->fluid, dt, NULL, NULL, NULL));
    of->time = t;
    return dt;
}

static double step_trough(trough *of)
{
    return step_trough_by(of, 1);
}

static mote_vec3 force_on(mote_fluid *fluid, uint32_t boundary)
{
    mote_vec3 force;
    CHECK_OK(mote_fluid_boundary_force(fluid, boundary, &force, NULL, NULL));
    return force;
}

// Σ forces + d(momentum)/dt − weight = 0, averaged over any ten steps, while a piston pushes water.
static void a_piston_balances_momentum(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        trough of = make_trough(NULL, dimensions);
        mote_fluid_totals before, after;
        CHECK_OK(mote_fluid_get_totals(of.fluid, &before, NULL));
        const double weight = before.mass * 9.81;
        force_on(of.fluid, 0);
        double missing[10][3] = {{0}}, pushed = 0, momentum = before.momentum.x;
        for (int step = 0; step < (SEEKS_RACES ? 30 : SANITIZED ? 60 : 120); ++step) {
            double *now = missing[step % 10], mean[3] = {0};
            const double dt = step_trough(&of);
            CHECK_OK(mote_fluid_get_totals(of.fluid, &after, NULL));
            mote_vec3 force = {0, 0, 0};
            for (uint32_t b = 1; b <= 3; ++b) {
                const mote_vec3 one = force_on(of.fluid, b);
                force.x += one.x, force.z += one.z;
            }
            now[0] = dt * force.x + after.momentum.x - before.momentum.x;
            now[1] = dt * (force.z + weight) + after.momentum.z - before.momentum.z;
            now[2] = dt;
            before = after;
            pushed -= dt * force_on(of.fluid, of.piston).x;
            for (int k = 0; k < 30; ++k) mean[k % 3] += missing[k / 3][k % 3];
            for (int c = 0; c < 2 && step >= 9; ++c)
                CHECK(fabs(mean[c]) < 1e-5 * weight * mean[2], "%dD, step %d: %g of the weight is missing", dimensions,
                      step, mean[c] / mean[2] / weight);
        }
        CHECK(pushed > 0 && after.momentum.x > momentum, "pushed by %g, momentum %g", pushed, after.momentum.x);
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(of.fluid, &view, NULL));
        const double piston = hurry * of.time * of.time / 2;
        for (size_t i = 0; i < view.count; ++i)
            CHECK(view.x[i] > piston && view.x[i] < 1 && view.z[i] > 0, "a particle at %g, %g, the piston at %g",
                  view.x[i], view.z[i], piston);
        mote_fluid_destroy(of.fluid);
    }
}

// Water and a light fluid, whose individual steps are up to eight times shorter, are where they are with global ones;
// and momentum is balanced but for what the two exchange.
static void individual_steps_see_walls_move(void **state)
{
    (void)state;
    const double time = 0.08;
    trough all[2];
    mote_fluid_view views[2];
    double pushed[2] = {0, 0}, steps[2];
    for (int k = 0; k < 2; ++k) {
        trough *of = &all[k];
        *of = make_mixed_trough(NULL, 2, k ? MOTE_STEPS_INDIVIDUAL : MOTE_STEPS_GLOBAL, true);
        mote_fluid_totals before, after;
        CHECK_OK(mote_fluid_get_totals(of->fluid, &before, NULL));
        const double weight = before.mass * 9.81;
        double missing[2] = {-before.momentum.x, weight * time - before.momentum.z};
        force_on(of->fluid, 0);
        while (of->time < time * (1 - 1e-9)) {
            const double dt = step_trough_by(of, time - of->time);
            for (uint32_t b = 1; b <= 3; ++b) {
                const mote_vec3 force = force_on(of->fluid, b);
                missing[0] += dt * force.x, missing[1] += dt * force.z;
            }
            pushed[k] -= dt * force_on(of->fluid, of->piston).x;
        }
        CHECK_OK(mote_fluid_get_totals(of->fluid, &after, NULL));
        missing[0] += after.momentum.x, missing[1] += after.momentum.z;
        const double share = hypot(missing[0], missing[1]) / (weight * time);
        CHECK(share < (k ? 1e-3 : 1e-5), "steps %d: %g of the weight is missing", k, share);
        CHECK_OK(mote_fluid_get_view(of->fluid, &views[k], NULL));
        steps[k] = (double)mote_fluid_get_counters(of->fluid).particle_steps;
    }
    double furthest = 0;
    for (size_t i = 0; i < views[0].count; ++i)
        for (size_t j = 0; j < views[1].count; ++j)
            if (views[0].id[i] == views[1].id[j] && views[0].phase[i] == 0)
                furthest = fmax(furthest, hypot(views[0].x[i] - views[1].x[j], views[0].z[i] - views[1].z[j]));
    CHECK(furthest < 0.005, "%g m apart", furthest);
    CHECK(pushed[0] > 5 && fabs(pushed[1] - pushed[0]) < 0.005 * pushed[0], "pushed by %g and %g", pushed[0],
          pushed[1]);
    CHECK(steps[1] < 0.6 * steps[0], "%g of %g particle-steps", steps[1], steps[0]);
    for (int k = 0; k < 2; ++k) mote_fluid_destroy(all[k].fluid);
}

// At the start a wall with the acceleration a feels and gives the pressure of a tank in a field of gravity g − a.
static void acceleration_enters_the_pressure(void **state)
{
    (void)state;
    double force[2];
    for (int moves = 0; moves < 2; ++moves) {
        const double d = 0.05, a = 3;
        mote_fluid *fluid = make_fluid(NULL, 2, d, 1, (mote_vec3){moves ? 0 : -a, 0, 0});
        const uint32_t wall = add_boundary(fluid, 0);
        add_box(fluid, d, (mote_vec3){0, 0, 0}, (mote_vec3){0.5, 0, 1}, NULL, NULL);
        add_box(fluid, d, (mote_vec3){-0.2, 0, 0}, (mote_vec3){0, 0, 1}, NULL, &wall);
        if (moves) set_motion(fluid, wall, 0, 0, a, true);
        double pressures[200];
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
        for (size_t i = 0; i < view.count; ++i) pressures[i] = 1000 * a * (0.5 - view.x[i]);
        CHECK_OK(mote_fluid_set_pressures(fluid, pressures, NULL));
        force[moves] = force_on(fluid, wall).x;
        mote_fluid_destroy(fluid);
    }
    CHECK(fabs(force[0] - force[1]) < 1e-6 * fabs(force[0]) && force[0] < 0, "%g and %g", force[0], force[1]);
}

// Couette's flow: a lid that moves drags the fluid as a belt does (the velocity of a boundary's def).
static void a_lid_drags_as_a_belt(void **state)
{
    (void)state;
    enum { N = 10 };
    const double d = 1.0 / N, speed = 1;
    double profile[2][N] = {{0}};
    for (int moves = 0; moves < 2; ++moves) {
        mote_fluid *fluid = make_fluid(NULL, 2, d, 50, (mote_vec3){0, 0, 0});
        mote_period_def period = mote_period_default_def();
        period.min = (mote_vec3){0, 0, 0}, period.max = (mote_vec3){2, 0, 0}, period.x = true;
        CHECK_OK(mote_fluid_set_period(fluid, &period, NULL));
        const uint32_t floor = add_boundary(fluid, 0), lid = add_boundary(fluid, moves ? 0 : speed);
        add_box(fluid, d, (mote_vec3){0, 0, 0}, (mote_vec3){2, 0, 1}, NULL, NULL);
        add_box(fluid, d, (mote_vec3){0, 0, -0.4}, (mote_vec3){2, 0, 0}, NULL, &floor);
        add_box(fluid, d, (mote_vec3){0, 0, 1}, (mote_vec3){2, 0, 1.4}, NULL, &lid);
        if (moves) set_motion(fluid, lid, 0, speed, 0, true);
        const double dt = 0.002;
        for (int step = 1; step <= 300; ++step) {
            if (moves) set_motion(fluid, lid, speed * dt * step, speed, 0, false);
            CHECK_OK(mote_fluid_advance(fluid, dt, NULL, NULL, NULL));
        }
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
        for (size_t i = 0; i < view.count; ++i) {
            const int layer = (int)(view.z[i] / d);
            profile[moves][layer] += (double)view.vx[i] * d / 2;
        }
        CHECK_OK(mote_fluid_validate(fluid, NULL));
        mote_fluid_destroy(fluid);
    }
    for (int k = 0; k < N; ++k)
        CHECK(fabs(profile[0][k] - profile[1][k]) < 0.005 * speed, "layer %d: %g with a belt, %g with a lid", k,
              profile[0][k], profile[1][k]);
    CHECK(profile[1][N - 1] > 0.4 * speed, "the lid drags at %g", profile[1][N - 1]);
}

// A body in a box that both move at the same speed: the same as at rest, seen from a frame that moves.
static void a_moving_frame_is_the_same(void **state)
{
    (void)state;
    enum { STEPS = 100 };
    const double d = 0.05, speed = 1.5, dt = 3e-4;
    double *places[2] = {NULL, NULL};
    size_t count = 0;
    for (int moves = 0; moves < 2; ++moves) {
        const mote_vec3 u = {moves ? speed : 0, 0, 0};
        mote_fluid *fluid = make_fluid(NULL, 2, d, 1, (mote_vec3){0, 0, -9.81});
        const uint32_t tank = add_boundary(fluid, 0), body = add_boundary(fluid, 0);
        add_box(fluid, d, (mote_vec3){0, 0, 0}, (mote_vec3){0.4, 0, 0.5}, &u, NULL);
        add_box(fluid, d, (mote_vec3){0.6, 0, 0}, (mote_vec3){1, 0, 0.2}, &u, NULL);
        add_box(fluid, d, (mote_vec3){0.4, 0, 0}, (mote_vec3){0.6, 0, 0.2}, NULL, &body);
        add_box(fluid, d, (mote_vec3){-0.2, 0, -0.2}, (mote_vec3){1.2, 0, 0}, NULL, &tank);
        add_box(fluid, d, (mote_vec3){-0.2, 0, 0}, (mote_vec3){0, 0, 1}, NULL, &tank);
        add_box(fluid, d, (mote_vec3){1, 0, 0}, (mote_vec3){1.2, 0, 1}, NULL, &tank);
        for (uint32_t b = 1; moves && b <= 2; ++b) set_motion(fluid, b, 0, speed, 0, true);
        for (int step = 1; step <= STEPS; ++step) {
            for (uint32_t b = 1; moves && b <= 2; ++b) set_motion(fluid, b, speed * dt * step, speed, 0, false);
            CHECK_OK(mote_fluid_advance(fluid, dt, NULL, NULL, NULL));
        }
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
        count = view.count;
        places[moves] = malloc(count * 2 * sizeof **places);
        for (size_t i = 0; i < count; ++i) {
            places[moves][2 * view.id[i]] = view.x[i] - u.x * dt * STEPS;
            places[moves][2 * view.id[i] + 1] = view.z[i];
        }
        mote_fluid_destroy(fluid);
    }
    double furthest = 0;
    for (size_t i = 0; i < 2 * count; ++i) furthest = fmax(furthest, fabs(places[0][i] - places[1][i]));
    CHECK(furthest < 0.001 * d, "particles are %g spacings apart", furthest / d);
    free(places[0]);
    free(places[1]);
}

typedef struct memory_file {
    char *bytes;
    size_t length;
} memory_file;

static bool take(void *user_data, const void *bytes, size_t length)
{
    memory_file *file = user_data;
    file->bytes = realloc(file->bytes, file->length + length);
    memcpy(file->bytes + file->length, bytes, length);
    file->length += length;
    return true;
}

static void check_same(mote_fluid *a, mote_fluid *b)
{
    mote_fluid_view one, other;
    CHECK_OK(mote_fluid_get_view(a, &one, NULL));
    CHECK_OK(mote_fluid_get_view(b, &other, NULL));
    assert_memory_equal(one.x, other.x, one.count * sizeof *one.x);
    assert_memory_equal(one.vz, other.vz, one.count * sizeof *one.vz);
    assert_memory_equal(one.pressure, other.pressure, one.count * sizeof *one.pressure);
    for (uint32_t boundary = 0; boundary < 4; ++boundary) {
        const mote_vec3 f = force_on(a, boundary), g = force_on(b, boundary);
        assert_memory_equal(&f, &g, sizeof f);
    }
}

// A state that was written goes on with the same bits, whatever the number of threads, also between a motion and its
// step.
static void check_states(int32_t steps)
{
    mote_context *five = test_context_with_threads(5);
    trough of = make_mixed_trough(NULL, 2, steps, steps), other = make_mixed_trough(five, 2, steps, steps);
    memory_file file = {NULL, 0};
    force_on(of.fluid, 0), force_on(other.fluid, 0);
    for (int step = 0; step < 20; ++step) step_trough(&of);
    for (int step = 0; step < 3; ++step) step_trough(&other);
    set_motion(of.fluid, of.piston, 0.1, 0.3, 0, false);
    CHECK_OK(mote_fluid_write(of.fluid, take, &file, NULL));
    mote_error error;
    CHECK(mote_fluid_read(other.fluid, file.bytes, file.length, &error) == MOTE_OK, "%s", error.text);
    CHECK_OK(mote_fluid_advance(of.fluid, 1e-3, NULL, NULL, NULL));
    CHECK_OK(mote_fluid_advance(other.fluid, 1e-3, NULL, NULL, NULL));
    check_same(of.fluid, other.fluid);
    other.time = of.time;
    for (int step = 0; step < 5; ++step) step_trough(&of), step_trough(&other);
    check_same(of.fluid, other.fluid);
    for (size_t k = 0; k < file.length; k += steps ? 1 + k : 1 + k / 40) {  // damaged
        file.bytes[k] ^= 0x10;
        CHECK(mote_fluid_read(other.fluid, file.bytes, file.length, &error) == MOTE_ERROR_FORMAT, "byte %zu", k);
        file.bytes[k] ^= 0x10;
    }
    CHECK(mote_fluid_read(other.fluid, file.bytes, file.length - 8, &error) == MOTE_ERROR_FORMAT, "cut short");
    check_same(of.fluid, other.fluid);
    free(file.bytes);
    mote_fluid_destroy(of.fluid);
    mote_fluid_destroy(other.fluid);
    mote_context_destroy(five);
}

static void states_have_motions(void **state)
{
    (void)state;
    check_states(MOTE_STEPS_GLOBAL);
    check_states(MOTE_STEPS_INDIVIDUAL);
}

static mote_result live_a_little(mote_context *context, void *data)
{
    mote_fluid_def def = mote_fluid_default_def();
    CHECK_OK(mote_fluid_choose_preset(&def, MOTE_PRESET_ENGINEERING, NULL));
    def.spacing = 0.1;
    if (data) def.steps = *(const int32_t *)data;
    mote_fluid *fluid = NULL;
    mote_error error = {0};
    mote_result result = mote_fluid_create(context, &def, &fluid, &error);
    if (result != MOTE_OK) return result;
    CHECK_OK(add_water(fluid, 10, NULL));
    const double at[6] = {0, 0, 0.1, 0.1, 0, 0.1}, wall[6] = {0, 0, 0, 0.1, 0, 0}, units[2] = {1, 1};
    const uint32_t numbers[2] = {1, 1};
    const mote_boundary_def boundary = mote_boundary_default_def();
    mote_boundary_motion motion = mote_boundary_motion_default();
    motion.place.z = 0.01, motion.velocity.z = 10;
    uint32_t number;
    result = mote_fluid_add_boundary(fluid, &boundary, &number, &error);
    mote_phase_def light = mote_phase_default_def();
    light.rest_density = 10, light.sound_speed = 100;
    uint32_t phase = 0;
    if (data) CHECK_OK(mote_fluid_add_phase(fluid, &light, &phase, NULL));
    if (result == MOTE_OK) result = mote_fluid_add(fluid, 0, at, NULL, 1, &error);
    if (result == MOTE_OK) result = mote_fluid_add(fluid, phase, at + 3, NULL, 1, &error);
    if (result == MOTE_OK) result = mote_fluid_add_boundary_walls(fluid, wall, units, numbers, 2, &error);
    if (result == MOTE_OK) result = mote_fluid_boundary_force(fluid, 1, NULL, NULL, &error);
    if (result == MOTE_OK) result = mote_fluid_set_boundary_motion(fluid, 1, &motion, &error);
    if (result == MOTE_OK) result = mote_fluid_advance(fluid, 1e-3, NULL, NULL, &error);
    if (result == MOTE_OK) result = mote_fluid_add_boundary_walls(fluid, wall, units, numbers, 1, &error);
    if (result == MOTE_OK) result = mote_fluid_add_boundary(fluid, &boundary, &number, &error);
    if (result == MOTE_OK) result = mote_fluid_boundary_force(fluid, number, NULL, NULL, &error);
    if (mote_fluid_validate(fluid, &error) != MOTE_OK) FAIL("%s", error.text);
    mote_fluid_destroy(fluid);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    int32_t steps = MOTE_STEPS_INDIVIDUAL;
    test_failing_allocations(live_a_little, NULL);
    test_failing_allocations(live_a_little, &steps);
}

static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    mote_context *context = test_context_with_threads(2);
    trough of = make_trough(context, 3);
    force_on(of.fluid, of.piston);
    for (int step = 0; step < 10; ++step) step_trough(&of);
    const uint64_t before = mote_context_allocation_count(context);
    for (int step = 0; step < 10; ++step) step_trough(&of), force_on(of.fluid, of.piston);
    assert_int_equal(mote_context_allocation_count(context), before);
    mote_fluid_destroy(of.fluid);
    mote_context_destroy(context);
}

static void limits_and_bad_input(void **state)
{
    (void)state;
    trough of = make_trough(NULL, 2);
    double slow, fast;
    CHECK_OK(mote_fluid_time_step(of.fluid, &slow, NULL));
    set_motion(of.fluid, of.piston, 0.1, 2, 0, false);
    CHECK_OK(mote_fluid_time_step(of.fluid, &fast, NULL));
    CHECK(fabs(fast / slow - 20.0 / 22) < 1e-6, "a step of %g, %g with a wall", slow, fast);  // c/(c + v)
    set_motion(of.fluid, of.piston, 0.1, 60, 0, false);
    CHECK_OK(mote_fluid_time_step(of.fluid, &fast, NULL));
    CHECK(fabs(60 * fast / 0.05 - 0.2) < 1e-6, "a step of %g, %g with a fast wall", slow, fast);  // 0.2 spacings
    mote_boundary_motion motion = mote_boundary_motion_default();
    mote_error error;
    motion.velocity.y = 1;
    assert_int_equal(mote_fluid_set_boundary_motion(of.fluid, 1, &motion, &error), MOTE_ERROR_ARGUMENT);
    CHECK(strstr(error.text, "the velocity of boundary 1 has y = 1 in 2D"), "%s", error.text);
    motion.velocity.y = 0, motion.place.x = NAN;
    assert_int_equal(mote_fluid_set_boundary_motion(of.fluid, 1, &motion, &error), MOTE_ERROR_NOT_FINITE);
    motion.place.x = 0;
    assert_int_equal(mote_fluid_set_boundary_motion(of.fluid, 9, &motion, &error), MOTE_ERROR_ARGUMENT);
    CHECK(strstr(error.text, "boundary 9, expected one below 4"), "%s", error.text);
    motion.cookie = 0;
    assert_int_equal(mote_fluid_set_boundary_motion(of.fluid, 1, &motion, &error), MOTE_ERROR_ARGUMENT);
    mote_fluid_destroy(of.fluid);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_piston_balances_momentum),
        cmocka_unit_test(individual_steps_see_walls_move),
        cmocka_unit_test(acceleration_enters_the_pressure),
        cmocka_unit_test(a_lid_drags_as_a_belt),  // one thread
        cmocka_unit_test(a_moving_frame_is_the_same),  // one thread
        cmocka_unit_test(states_have_motions),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(a_warm_step_allocates_nothing),
        cmocka_unit_test(limits_and_bad_input),
    };
    RUN_TESTS(tests, argc, argv);
}
