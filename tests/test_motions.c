// SPDX-License-Identifier: MIT
// Tanks, their sides and solids that move by expressions of the time: what is equivalent agrees, water stays where it
// is kept, momentum balances, runs go on from a state with the same bits, and what is refused.
#include "base/tested.h"
#include "mote/simulation.h"
#include "support/steps.h"
#include "support/test.h"

// Water in a tank of 1 m x 1 m in 2D.
typedef struct moving {
    mote_block_def block;
    mote_gauge_def gauge;
    mote_simulation_def def;
} moving;

static const double depth = 0.4;

static void fill(moving *made, int dimensions)
{
    memset(made, 0, sizeof *made);
    made->block.max = (mote_vec3){1, dimensions == 3 ? 0.5 : 0, depth};
    made->def = mote_simulation_default_def();
    CHECK_OK(mote_fluid_choose_preset(&made->def.fluid, MOTE_PRESET_ENGINEERING, NULL));
    made->def.fluid.dimensions = dimensions;
    made->def.fluid.spacing = dimensions == 3 ? 0.1 : 0.05;
    made->def.has_tank = true;
    made->def.tank.min = (mote_vec3){0, 0, 0};
    made->def.tank.max = (mote_vec3){1, dimensions == 3 ? 0.5 : 0, 1};
    made->def.tank.slip = true;
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

static mote_simulation *run(const mote_simulation_def *def, double end)
{
    mote_simulation *simulation = make(NULL, def);
    mote_error error = {0};
    CHECK(mote_simulation_run_until(simulation, end, NULL, NULL, &error) == MOTE_OK, "%s", error.text);
    return simulation;
}

// The particles' mean place, in the frame of a tank that is so far away.
static mote_vec3 mean_place(mote_simulation *simulation, mote_vec3 tank)
{
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
    mote_vec3 mean = {-tank.x, -tank.y, -tank.z};
    for (size_t i = 0; i < view.count; ++i) {
        mean.x += view.x[i] / (double)view.count;
        mean.y += view.y[i] / (double)view.count;
        mean.z += view.z[i] / (double)view.count;
    }
    return mean;
}

static void check_all_inside(mote_simulation *simulation)
{
    size_t inside, beyond;
    CHECK_OK(mote_simulation_count_escaped(simulation, &inside, &beyond, NULL));
    CHECK(inside == 0 && beyond == 0, "%zu particles in solids, %zu beyond walls", inside, beyond);
}

// A tank that moves is the same as one at rest whose gravity has the opposite acceleration.
static void a_shaken_tank_is_the_same_in_both_frames(void **state)
{
    (void)state;
    moving made;
    const double end = 0.6, amplitude = 0.05, omega = 6;
    fill(&made, 2);
    made.def.tank.motion.shift_text[0] = "0.05*(1 - cos(6*t))";
    mote_simulation *moves = run(&made.def, end);
    fill(&made, 2);
    made.def.fluid.gravity_text[0] = "-0.05*36*cos(6*t)";
    mote_simulation *rests = run(&made.def, end);
    const mote_vec3 tank = {amplitude * (1 - cos(omega * end)), 0, 0}, origin = {0, 0, 0};
    const mote_vec3 a = mean_place(moves, tank), b = mean_place(rests, origin);
    CHECK(fabs(b.x - 0.5) > 0.005, "the water is at %g", b.x);
    CHECK(fabs(a.x - b.x) < 5e-4 && fabs(a.z - b.z) < 5e-4, "(%g, %g), at rest (%g, %g)", a.x, a.z, b.x, b.z);
    check_all_inside(moves);
    mote_simulation_destroy(moves);
    mote_simulation_destroy(rests);
}

// A tank that has turned by a right angle keeps its water as the other does that stands there.
static void a_turned_tank_holds_water(void **state)
{
    (void)state;
    moving made;
    fill(&made, 2);
    mote_simulation *rests = run(&made.def, 0.1);
    made.def.tank.motion.turn = 90;
    made.def.tank.motion.axis = (mote_vec3){0, 2, 0};
    made.def.tank.motion.center = (mote_vec3){0.5, 0, 0.5};
    mote_simulation *turned = run(&made.def, 0.1);
    const mote_vec3 origin = {0, 0, 0}, a = mean_place(turned, origin), b = mean_place(rests, origin);
    CHECK(fabs(a.x - b.x) < 1e-6 && fabs(a.z - b.z) < 1e-6, "(%g, %g), not turned (%g, %g)", a.x, a.z, b.x, b.z);
    mote_simulation_destroy(rests);
    mote_simulation_destroy(turned);
}

// Water in a tank that slowly tilts stays in it, and lies on the lower side.
// Pictures show what moves of the tank, as closed boxes.
static mote_box sides_seen(mote_simulation *simulation, size_t boxes)
{
    mote_object_view view;
    mote_mesh_report report;
    CHECK_OK(mote_simulation_get_object(simulation, 0, &view, NULL));
    CHECK(strcmp(view.kind, "tank") == 0 && view.mesh && view.mesh_moves, "no mesh");
    CHECK(view.mesh->triangle_count == 12 * boxes, "%zu triangles", view.mesh->triangle_count);
    CHECK_OK(mote_mesh_examine(view.mesh, &report, NULL));
    CHECK(report.closed && mote_mesh_volume(view.mesh) > 0, "not closed from outside");
    return mote_mesh_box(view.mesh);
}

static void a_tilting_tank_keeps_its_water(void **state)
{
    (void)state;
    moving made;
    fill(&made, 2);
    made.def.tank.motion.turn_text = "20*sin(3*t)";
    made.def.tank.motion.axis = (mote_vec3){0, 1, 0};
    made.def.tank.motion.center = (mote_vec3){0.5, 0, 0};
    mote_simulation *tilts = run(&made.def, 0.5);
    const mote_vec3 at = mean_place(tilts, (mote_vec3){0, 0, 0});
    CHECK(at.x > 0.55, "the water is at %g", at.x);
    check_all_inside(tilts);
    const mote_box box = sides_seen(tilts, 4);
    CHECK(box.min.z < -0.05 && box.max.z > 1, "the tank is seen from %g to %g", box.min.z, box.max.z);
    mote_simulation_destroy(tilts);
}

// What a piston does not leave room for rises.
static void a_piston_lifts_water(void **state)
{
    (void)state;
    moving made;
    fill(&made, 2);
    made.def.phase.viscosity = 20;
    made.gauge = mote_gauge_default_def();
    made.gauge.name = "height";
    made.gauge.kind = MOTE_GAUGE_HEIGHT;
    made.gauge.at = (mote_vec3){0.8, 0, 0};
    made.gauge.every = 0.1;
    made.def.gauges = &made.gauge;
    made.def.gauge_count = 1;
    made.def.tank.pistons[0].text = "0.1*(1 - cos(pi*min(t, 1)))";
    mote_simulation *simulation = run(&made.def, 1.5);
    mote_gauge_view view;
    CHECK_OK(mote_simulation_get_gauge(simulation, 0, &view, NULL));
    const double height = view.values[0];
    CHECK(fabs(height - depth / 0.8) < 0.05, "the water is %g m high, expected about %g m", height, depth / 0.8);
    check_all_inside(simulation);
    const mote_box box = sides_seen(simulation, 1);
    CHECK(fabs(box.max.x - 0.2) < 1e-9 && box.min.x < 0.2, "the piston is seen at %g", box.max.x);
    mote_simulation_destroy(simulation);
}

// A block of water that a piston pushes, without gravity, gets the momentum that the walls lose, step by step.
static void momentum_balances(void **state)
{
    (void)state;
    moving made;
    fill(&made, 2);
    made.def.fluid.gravity = (mote_vec3){0, 0, 0};
    made.def.phase.sound_speed = 20;
    made.def.fluid.shifting = MOTE_SHIFTING_NONE;
    made.def.fluid.negative_pressure = false;
    made.def.tank.motion.turn_text = "30*t^2";
    made.def.tank.motion.axis = (mote_vec3){0, 1, 0};
    made.def.tank.motion.shift_text[2] = "0.2*t^2";
    mote_simulation *simulation = make(NULL, &made.def);
    mote_fluid *fluid = mote_simulation_fluid(simulation);
    mote_vec3 given = {0, 0, 0}, scale = {0, 0, 0};
    mote_fluid_totals first, last;
    CHECK_OK(mote_fluid_boundary_force(fluid, 1, &scale, NULL, NULL));
    CHECK_OK(mote_fluid_get_totals(fluid, &first, NULL));
    for (int step = 0; step < 40; ++step) {
        double dt;
        CHECK_OK(mote_simulation_step(simulation, 1, &dt, NULL));
        for (uint32_t side = 1; side <= 6; ++side) {
            mote_vec3 force;
            CHECK_OK(mote_fluid_boundary_force(fluid, side, &force, NULL, NULL));
            given.x -= dt * force.x, given.z -= dt * force.z;
        }
    }
    CHECK_OK(mote_fluid_get_totals(fluid, &last, NULL));
    const double dx = last.momentum.x - first.momentum.x, dz = last.momentum.z - first.momentum.z;
    CHECK(fabs(dz) > 1, "no momentum was given: %g", dz);
    CHECK(fabs(dx - given.x) < 2e-3 * fabs(dz) && fabs(dz - given.z) < 2e-3 * fabs(dz),
          "the fluid has (%g, %g), the walls gave (%g, %g)", dx, dz, given.x, given.z);
    mote_simulation_destroy(simulation);
}

// Without walls, what the fluid has beyond its start and gravity is told; without tension and shifting, it is rounding.
static void drift_of_momentum_is_told(void **state)
{
    (void)state;
    double told[3];
    for (int k = 0; k < 3; ++k) {
        moving made;
        fill(&made, 2);
        made.def.has_tank = false;
        made.block.velocity_text[0] = "1 + sin(3*x)*cos(5*z)";
        made.def.fluid.shifting = k ? MOTE_SHIFTING_FREE_SURFACE : MOTE_SHIFTING_NONE;
        made.def.fluid.negative_pressure = k > 0;
        made.def.fluid.tensile_model = k == 2 ? MOTE_TENSILE_SWITCH : MOTE_TENSILE_EXCHANGE;
        mote_simulation *simulation = run(&made.def, 0.1);
        mote_quantity quantities[MOTE_OBJECT_QUANTITIES];
        size_t count;
        const mote_quantity *drift = NULL;
        CHECK_OK(mote_simulation_get_quantities(simulation, 0, quantities, &count, NULL));
        for (size_t q = 0; q < count; ++q)
            if (strcmp(quantities[q].name, "momentum_drift") == 0) drift = &quantities[q];
        CHECK(drift, "it is not told");
        told[k] = drift ? fabs(drift->value[0]) + fabs(drift->value[2]) : 0;
        mote_simulation_destroy(simulation);
    }
    for (int k = 0; k < 2; ++k)
        CHECK(told[k] < 4e-3, "case %d: the drift is %g kg m/s of about 400, expected rounding", k, told[k]);
    CHECK(told[2] > 3 * fmax(told[0], told[1]), "with the switch the drift is %g kg m/s, else %g and %g", told[2],
          told[0], told[1]);
}

// ------------------------------------------------------------------------------------------------------ solids

static mote_mesh *make_box(mote_vec3 min, mote_vec3 max)
{
    mote_vec3 vertices[8];
    for (int k = 0; k < 8; ++k)
        vertices[k] = (mote_vec3){k & 4 ? max.x : min.x, k & 2 ? max.y : min.y, k & 1 ? max.z : min.z};
    static const uint32_t triangles[] = {0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                                         2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(NULL, vertices, 8, triangles, 12, &mesh, NULL));
    return mesh;
}

// A box turns in water: none gets into it, and its wall particles and mesh are where the motion says.
static void a_solid_turns_in_water(void **state)
{
    (void)state;
    moving made;
    fill(&made, 3);
    mote_mesh *box = make_box((mote_vec3){0.3, 0.1, 0.1}, (mote_vec3){0.7, 0.4, 0.3});
    mote_solid_def solid = mote_solid_default_def();
    solid.name = "box";
    solid.mesh = box;
    solid.motion.turn_text = "200*t";
    solid.motion.shift_text[2] = "0.1*t";
    solid.motion.center = (mote_vec3){0.5, 0.25, 0.2};
    made.def.solids = &solid;
    made.def.solid_count = 1;
    mote_simulation *simulation = run(&made.def, 0.2);
    check_all_inside(simulation);
    bool is_found = false;
    for (size_t k = 0; k < mote_simulation_object_count(simulation); ++k) {
        mote_object_view view;
        CHECK_OK(mote_simulation_get_object(simulation, k, &view, NULL));
        if (!view.mesh) continue;
        is_found = true;
        // 40 degrees about y, and 0.02 m upwards.
        const double c = cos(40 * 3.14159265358979323846 / 180), s = sin(40 * 3.14159265358979323846 / 180);
        const mote_vec3 expected = {0.5 + c * -0.2 + s * -0.1, 0.1, 0.22 - s * -0.2 + c * -0.1};
        const mote_vec3 found = view.mesh->vertices[0];
        CHECK(view.mesh_moves && fabs(found.x - expected.x) < 1e-12 && fabs(found.z - expected.z) < 1e-12,
              "(%g, %g), expected (%g, %g)", found.x, found.z, expected.x, expected.z);
    }
    CHECK(is_found, "there is no mesh");
    mote_simulation_destroy(simulation);
    mote_mesh_destroy(box);
}

// A paddle goes through water under air, whose steps are up to eight times shorter, and nothing gets into it or out of
// the tank; all of it is where it is with global steps.
static void individual_steps_see_solids_move(void **state)
{
    (void)state;
    mote_vec3 means[2];
    double steps[2];
    for (int k = 0; k < 2; ++k) {
        moving made;
        fill(&made, 2);
        mote_named_phase fluids[2] = {{.name = "water", .phase = mote_phase_default_def()},
                                      {.name = "air", .phase = mote_phase_default_def()}};
        fluids[0].phase.sound_speed = 20, fluids[1].phase.rest_density = 10;
        mote_block_def blocks[2] = {made.block, made.block};
        blocks[0].fluid = "water", blocks[1].fluid = "air";
        blocks[1].min.z = depth, blocks[1].max.z = 0.6;
        mote_mesh *box = make_box((mote_vec3){0.3, -1, 0.1}, (mote_vec3){0.5, 1, 0.3});
        mote_solid_def paddle = mote_solid_default_def();
        paddle.name = "paddle", paddle.mesh = box;
        paddle.motion.shift_text[0] = "0.1*(1 - cos(12*t))", paddle.motion.turn_text = "100*t";
        paddle.motion.center = (mote_vec3){0.4, 0, 0.2}, paddle.motion.axis = (mote_vec3){0, 1, 0};
        made.def.fluids = fluids, made.def.fluid_count = 2;
        made.def.blocks = blocks, made.def.block_count = 2;
        made.def.solids = &paddle, made.def.solid_count = 1;
        made.def.fluid.steps = k ? MOTE_STEPS_INDIVIDUAL : MOTE_STEPS_GLOBAL;
        mote_simulation *simulation = run(&made.def, 0.15);
        check_all_inside(simulation);
        means[k] = mean_place(simulation, (mote_vec3){0, 0, 0});
        steps[k] = (double)mote_simulation_get_counters(simulation).particle_steps;
        mote_simulation_destroy(simulation);
        mote_mesh_destroy(box);
    }
    CHECK(fabs(means[1].x - means[0].x) < 1e-3 && fabs(means[1].z - means[0].z) < 1e-3, "(%g, %g) and (%g, %g)",
          means[0].x, means[0].z, means[1].x, means[1].z);
    CHECK(steps[1] < 0.8 * steps[0], "%g of %g particle-steps", steps[1], steps[0]);
}

// ------------------------------------------------------------------------------------------------------ tables

enum { TABLE_ROWS = 60 };

// Rows every 0.02 s from t = −0.2 s on: x = 0.05 (1 − cos 6t), the angle 4 sin 6t.
static void fill_table(double rows[TABLE_ROWS * MOTE_MOTION_COLUMNS])
{
    for (int i = 0; i < TABLE_ROWS; ++i) {
        double *row = rows + MOTE_MOTION_COLUMNS * i;
        row[0] = -0.2 + 0.02 * i;
        row[1] = 0.05 * (1 - cos(6 * row[0])), row[2] = row[3] = 0;
        row[4] = 4 * sin(6 * row[0]);
    }
}

// Tables of a motion are followed as the expressions that they have the numbers of.
static void tables_are_followed(void **state)
{
    (void)state;
    moving made;
    double rows[TABLE_ROWS * MOTE_MOTION_COLUMNS];
    const mote_vec3 origin = {0, 0, 0};
    fill_table(rows);
    fill(&made, 2);
    mote_motion *motion = &made.def.tank.motion;
    motion->axis = (mote_vec3){0, 1, 0};
    motion->shift_text[0] = "0.05*(1 - cos(6*t))", motion->turn_text = "4*sin(6*t)";
    mote_simulation *formula = run(&made.def, 0.5);
    motion->shift_text[0] = motion->turn_text = NULL;
    motion->table = rows, motion->table_count = TABLE_ROWS;
    mote_simulation *table = run(&made.def, 0.5);
    const mote_vec3 a = mean_place(table, origin), b = mean_place(formula, origin);
    CHECK(fabs(a.x - b.x) < 1e-4 && fabs(a.z - b.z) < 1e-4, "(%g, %g), by expressions (%g, %g)", a.x, a.z, b.x, b.z);
    check_all_inside(table);
    mote_simulation_destroy(formula);
    mote_simulation_destroy(table);
}

// Walls move in every step of a table, and rest where it has one row.
static void tables_move_walls(void **state)
{
    (void)state;
    moving made;
    double rows[TABLE_ROWS * MOTE_MOTION_COLUMNS];
    fill_table(rows);
    fill(&made, 2);
    mote_motion *motion = &made.def.tank.motion;
    motion->axis = (mote_vec3){0, 1, 0};
    motion->table = rows, motion->table_count = TABLE_ROWS;
    mote_simulation *simulation = make(NULL, &made.def);
    mote_fluid *fluid = mote_simulation_fluid(simulation);
    double before = 0, time = 0;
    for (int step = 0; step < 20; ++step) {
        double dt;
        CHECK_OK(mote_simulation_step(simulation, 0.013, &dt, NULL));
        time += dt;
        const double *at;
        size_t walls;
        mote_fluid_get_walls(fluid, &at, NULL, &walls);
        CHECK(at[0] != before, "the walls are at rest at t = %g s", time);
        before = at[0];
    }
    mote_simulation_destroy(simulation);
    // One row: at rest there.
    rows[1] = 0.3;
    motion->table_count = 1;
    simulation = run(&made.def, 0.02);
    const double x = mean_place(simulation, (mote_vec3){0, 0, 0}).x;
    CHECK(x > 0.3, "the water is at %g", x);
    mote_simulation_destroy(simulation);
}

// -------------------------------------------------------------------------------------------------------------- belts

// A fluid between a floor and a ceiling that runs along itself, periodic along x (and y).
static void fill_gap(moving *made, int dimensions, const char *speed)
{
    const bool is_deep = dimensions == 3;
    fill(made, dimensions);
    mote_simulation_def *def = &made->def;
    def->fluid.gravity = (mote_vec3){0, 0, 0};
    def->fluid.spacing = 0.05;
    def->fluid.shifting = MOTE_SHIFTING_TRANSPORT;
    def->fluid.viscosity_model = MOTE_VISCOSITY_LAPLACIAN;
    def->phase.sound_speed = 10, def->phase.viscosity = 500;
    def->has_periodic = true;
    def->periodic = mote_period_default_def();
    def->periodic.min = (mote_vec3){0, 0, 0};
    def->periodic.max = (mote_vec3){0.5, is_deep ? 0.5 : 0, 1};
    def->periodic.x = true, def->periodic.y = is_deep;
    def->tank.max = def->periodic.max;
    def->tank.slip = false;
    def->tank.open_x_min = def->tank.open_x_max = true;
    def->tank.open_y_min = def->tank.open_y_max = is_deep;
    def->tank.belts[5].text[0] = speed;
    made->block.max = def->periodic.max;
    made->block.pressure = "0";
}

// The velocity at a height of a fluid 1 m deep at rest, whose ceiling has the velocity a t since t = 0: the series of
// Couette's flow for a step of the ceiling's velocity, integrated over its steps a dt (Duhamel).
static double couette(double z, double t, double a, double kinematic)
{
    double u = a * t * z;
    for (int n = 1; n < 200; ++n) {
        const double k = n * 3.14159265358979, decay = kinematic * k * k;
        u += 2 * a * (n % 2 ? -1 : 1) / k * sin(k * z) * (1 - exp(-decay * t)) / decay;
    }
    return u;
}

// Against the series, with all kinds of steps.
static void a_belt_that_speeds_up_drags_fluid_along(void **state)
{
    (void)state;
    const double end = 0.3, a = 1.5;
    for (int steps = 0; steps < 2; ++steps)
        for (int dimensions = 2; dimensions <= (steps || SANITIZED ? 2 : 3); ++dimensions) {
            moving made;
            fill_gap(&made, dimensions, "1.5*t");
            made.def.fluid.steps = steps ? MOTE_STEPS_INDIVIDUAL : MOTE_STEPS_GLOBAL;
            if (steps) made.def.fluid.shifting = MOTE_SHIFTING_NONE;
            mote_simulation *simulation = run(&made.def, end);
            mote_fluid_view view;
            CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
            double sum = 0, fastest = 0;
            for (size_t i = 0; i < view.count; ++i) {
                const double off = (double)view.vx[i] - couette(view.z[i], end, a, 0.5);
                sum += off * off, fastest = fmax(fastest, (double)view.vx[i]);
            }
            const double error = sqrt(sum / (double)view.count);
            CHECK(error < 0.005 * a * end, "in %dD, steps %d: off by %g of %g m/s", dimensions, steps, error, a * end);
            CHECK(fastest > 0.9 * a * end && fastest < a * end, "fastest is %g", fastest);
            mote_simulation_destroy(simulation);
        }
}

// A belt whose expression does not change drags as one that is a number.
static void a_belt_by_an_expression_is_a_belt(void **state)
{
    (void)state;
    mote_vec3 seen[2];
    for (int k = 0; k < 2; ++k) {
        moving made;
        fill_gap(&made, 2, k ? "0.5" : NULL);
        if (k == 0) made.def.tank.belts[5].velocity.x = 0.5;
        mote_simulation *simulation = run(&made.def, 0.2);
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
        seen[k] = (mote_vec3){0, 0, 0};
        for (size_t i = 0; i < view.count; ++i) seen[k].x += (double)view.vx[i] / (double)view.count;
        mote_simulation_destroy(simulation);
    }
    CHECK(seen[0].x > 0.05 && fabs(seen[1].x - seen[0].x) < 1e-5 * seen[0].x, "%.9g and %.9g", seen[1].x, seen[0].x);
}

// Wall particles of a belt stay, and their file is written once; steps are as long as beside a wall at rest.
static void walls_of_belts_stay(void **state)
{
    (void)state;
    double steps[2];
    for (int k = 0; k < 2; ++k) {
        moving made;
        fill_gap(&made, 2, k ? "2 + t" : "0");
        made.def.phase.viscosity = 1;
        mote_simulation *simulation = make(NULL, &made.def);
        CHECK_OK(mote_simulation_step(simulation, 1, &steps[k], NULL));
        for (size_t o = 0; o < mote_simulation_object_count(simulation); ++o) {
            mote_object_view view;
            CHECK_OK(mote_simulation_get_object(simulation, o, &view, NULL));
            if (strcmp(view.kind, "boundary") == 0) CHECK(view.is_fixed, "the walls move");
        }
        mote_simulation_destroy(simulation);
    }
    CHECK(steps[0] == steps[1], "%g and %g", steps[0], steps[1]);
}

// Water in a tank with a free surface, whose floor runs along itself: where the floor ends at a side, what its belt
// speeds up by is no pressure. At t = 0 it is at rest.
static void belts_that_speed_up_press_nothing(void **state)
{
    (void)state;
    double pressures[2];
    for (int k = 0; k < 2; ++k) {
        moving made;
        fill(&made, 2);
        made.def.tank.slip = false;
        made.def.tank.belts[4].text[0] = k ? "5*sin(20*t)" : "0";
        made.gauge = mote_gauge_default_def();
        made.gauge.name = "corner", made.gauge.kind = MOTE_GAUGE_WALL_PRESSURE;
        made.gauge.at = (mote_vec3){0, 0, 0};
        made.def.gauges = &made.gauge, made.def.gauge_count = 1;
        mote_simulation *simulation = run(&made.def, 1e-7);
        mote_gauge_view view;
        CHECK_OK(mote_simulation_get_gauge(simulation, 0, &view, NULL));
        pressures[k] = view.values[0];
        mote_simulation_destroy(simulation);
    }
    CHECK(pressures[0] > 1000, "%g Pa without a belt", pressures[0]);
    CHECK(fabs(pressures[1] - pressures[0]) < 1e-3 * pressures[0], "%g and %g Pa", pressures[1], pressures[0]);
}

// On a side that slips, a belt changes no bit.
static void belts_that_slip_do_nothing(void **state)
{
    (void)state;
    float *places[3] = {NULL};
    size_t count = 0;
    for (int k = 0; k < 3; ++k) {
        moving made;
        fill(&made, 2);
        made.def.tank.slip = true;
        if (k == 1) made.def.tank.belts[4].velocity.x = 3;
        if (k == 2) made.def.tank.belts[4].text[0] = "3 + t";
        mote_simulation *simulation = run(&made.def, 0.05);
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
        count = view.count;
        places[k] = memcpy(malloc(count * sizeof *places[k]), view.vx, count * sizeof *places[k]);
        mote_simulation_destroy(simulation);
    }
    assert_memory_equal(places[1], places[0], count * sizeof **places);
    assert_memory_equal(places[2], places[0], count * sizeof **places);
    for (int k = 0; k < 3; ++k) free(places[k]);
}

// Momentum balances with a belt's force on its side.
static void belts_feel_what_they_drag(void **state)
{
    (void)state;
    moving made;
    fill_gap(&made, 2, "1.5*t");
    made.gauge = mote_gauge_default_def();
    made.gauge.name = "ceiling", made.gauge.kind = MOTE_GAUGE_FORCE, made.gauge.of = "z_max";
    made.def.gauges = &made.gauge, made.def.gauge_count = 1;
    mote_simulation *simulation = run(&made.def, 0.3);
    mote_gauge_view view;
    CHECK_OK(mote_simulation_get_gauge(simulation, 0, &view, NULL));
    // μ du/dz at the ceiling, times its length.
    const double slope = (1.5 * 0.3 - couette(0.99, 0.3, 1.5, 0.5)) / 0.01, drag = -500 * slope * 0.5;
    CHECK(fabs(view.values[0] - drag) < 0.1 * fabs(drag), "%g N/m, expected %g", view.values[0], drag);
    mote_simulation_destroy(simulation);
}

static void refuse(const mote_simulation_def *def, const char *expected);

static void bad_tables_are_refused(void **state)
{
    (void)state;
    moving made;
    fill(&made, 2);
    mote_motion *motion = &made.def.tank.motion;
    double rows[3 * MOTE_MOTION_COLUMNS] = {0, 0, 0, 0, 0, 0.1, 0.01, 0, 0, 0, 0.2, 0.02, 0, 0, 0};
    motion->axis = (mote_vec3){0, 1, 0};
    motion->table_file = "none.csv";
    refuse(&made.def, "tank.motion_table has no rows, expected at least one");
    motion->table = rows, motion->table_count = 3;
    motion->turn = 1;
    refuse(&made.def, "tank.turn is set, expected none beside motion_table");
    motion->turn = 0;
    rows[10] = 0.1;
    refuse(&made.def, "tank.motion_table: row 3: t is 0.1 s, expected more than 0.1 s, the time of the row before");
    rows[10] = 0.2, rows[6] = (double)NAN;
    refuse(&made.def, "tank.motion_table: row 2: x is nan m, expected a number from -1000000 to 1000000");
    rows[6] = 0.01, rows[7] = 1;
    refuse(&made.def, "tank.motion moves along y, expected 0 there in 2D");
    rows[7] = 0, rows[10] = 0.1 + 1e-6, rows[11] = 0.1;
    mote_simulation *simulation;
    mote_error error = {0};
    CHECK(mote_simulation_create(NULL, &made.def, &simulation, &error) == MOTE_ERROR_ARGUMENT, "a jump was taken");
    CHECK(strstr(error.text, "tank.motion_table jumps: from row 2 to row 3 by more than a spacing, 0.05 m"), "%s",
          error.text);
    CHECK(strstr(error.text, ", expected at most a spacing"), "%s", error.text);
    motion->table_file = NULL, motion->table = NULL, motion->table_count = 0;
    motion->shift_text[0] = "0.2*tanh(1e5*(t - 0.05))";
    simulation = make(NULL, &made.def);
    CHECK(mote_simulation_run_until(simulation, 0.1, NULL, NULL, &error) == MOTE_ERROR_ARGUMENT, "a jump was made");
    CHECK(strstr(error.text, "tank.motion jumps: by 0.4 m from t = "), "%s", error.text);
    mote_simulation_destroy(simulation);
}

// ------------------------------------------------------------------------------------------------- states, errors

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

static void check_goes_on(const mote_simulation_def *def)
{
    mote_simulation *whole = run(def, 0.05), *half = make(NULL, def);
    bytes middle = {NULL, 0}, ends[2] = {{NULL, 0}, {NULL, 0}};
    CHECK_OK(mote_simulation_write(whole, append, &middle, NULL));
    CHECK_OK(mote_simulation_read(half, middle.data, middle.length, NULL));
    CHECK_OK(mote_simulation_run_until(whole, 0.1, NULL, NULL, NULL));
    CHECK_OK(mote_simulation_run_until(half, 0.1, NULL, NULL, NULL));
    CHECK_OK(mote_simulation_write(whole, append, &ends[0], NULL));
    CHECK_OK(mote_simulation_write(half, append, &ends[1], NULL));
    CHECK(ends[0].length == ends[1].length, "%zu and %zu bytes", ends[0].length, ends[1].length);
    CHECK(memcmp(ends[0].data, ends[1].data, ends[0].length) == 0, "the states differ");
    free(middle.data), free(ends[0].data), free(ends[1].data);
    mote_simulation_destroy(whole);
    mote_simulation_destroy(half);
}

// A tank that turns, and a box in it that is a field, or a mesh with an octree.
static void states_go_on_with_the_same_bits(void **state)
{
    (void)state;
    moving made;
    fill(&made, 2);
    made.def.tank.motion.turn_text = "20*sin(3*t)";
    made.def.tank.motion.axis = (mote_vec3){0, 1, 0};
    check_goes_on(&made.def);
    for (int steps = 0; steps < 2; ++steps) {
        moving gap;
        fill(&gap, 2);
        gap.def.fluid.steps = steps ? MOTE_STEPS_INDIVIDUAL : MOTE_STEPS_GLOBAL;
        gap.def.tank.slip = false;
        gap.def.tank.belts[4].text[0] = "sin(20*t)";
        check_goes_on(&gap.def);
    }
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        fill(&made, dimensions);
        mote_solid_def solid = mote_solid_default_def();
        mote_mesh *mesh;
        solid.name = "box", solid.shape.kind = MOTE_SOLID_BOX;
        solid.shape.box = (mote_box){{0.3, 0.1, 0.1}, {0.7, 0.4, 0.3}};
        solid.boundary = dimensions == 2 ? MOTE_BOUNDARY_FIELD : MOTE_BOUNDARY_PROXY;
        solid.motion.shift_text[0] = "0.1*sin(9*t)", solid.motion.turn_text = "100*t";
        solid.motion.center = (mote_vec3){0.5, 0.25, 0.2};
        CHECK_OK(mote_mesh_create_shape(NULL, &solid.shape, dimensions, made.def.fluid.spacing, &mesh, NULL));
        solid.mesh = mesh;
        made.def.solids = &solid, made.def.solid_count = 1;
        check_goes_on(&made.def);
        mote_mesh_destroy(mesh);
    }
}

static void refuse(const mote_simulation_def *def, const char *expected)
{
    mote_simulation *simulation;
    mote_error error = {0};
    CHECK(mote_simulation_create(NULL, def, &simulation, &error) != MOTE_OK, "made in spite of %s", expected);
    CHECK(strcmp(error.text, expected) == 0, "%s\nexpected %s", error.text, expected);
}

static void bad_motions_are_refused(void **state)
{
    (void)state;
    moving made;
    fill(&made, 2);
    mote_tank_def *tank = &made.def.tank;
    tank->motion.shift_text[0] = "sqrt(t)";
    refuse(&made.def, "tank.motion[0] has the velocity inf at t = 0 s, expected a number from -1000000 to 1000000");
    tank->motion.shift_text[0] = "2*x";
    refuse(&made.def, "tank.motion[0] is no expression: \"x\" at column 3, expected one of t, pi, sqrt, sin, cos, tan, "
                      "exp, log, cosh, sinh, tanh, abs, min, max");
    tank->motion.shift_text[0] = NULL;
    tank->motion.shift_text[1] = "t";
    refuse(&made.def, "tank.motion moves along y, expected 0 there in 2D");
    tank->motion.shift_text[1] = NULL;
    tank->motion.turn = 3;
    tank->motion.axis.y = 0;
    refuse(&made.def, "tank.turn_axis is [0, 0, 0], expected a direction");
    tank->motion.axis.x = 1;
    refuse(&made.def, "tank.turn_axis is [1, 0, 0], expected [0, 1, 0] in 2D");
    tank->motion.axis = (mote_vec3){0, 1, 0};
    tank->pistons[1].way = 0.1;
    refuse(&made.def, "tank.motion_x_max is set, expected none in a tank that moves as a whole (tank.motion, "
                      "tank.turn)");
    tank->pistons[1].way = 0;
    tank->belts[0].text[2] = "t";
    refuse(&made.def, "tank.velocity_x_min is an expression, expected numbers in a tank that moves as a whole "
                      "(tank.motion, tank.turn)");
    tank->motion.turn = 0;
    tank->belts[0].text[2] = "1/t";
    refuse(&made.def, "tank.velocity_x_min[2] is inf at t = 0 s, expected a number from -1000000 to 1000000");
    tank->belts[0].text[2] = "2*x";
    refuse(&made.def, "tank.velocity_x_min[2] is no expression: \"x\" at column 3, expected one of t, pi, sqrt, sin, "
                      "cos, tan, exp, log, cosh, sinh, tanh, abs, min, max");
    tank->belts[0].text[2] = NULL, tank->belts[0].text[1] = "t";
    refuse(&made.def, "tank.velocity_x_min is an expression along y, expected 0 in 2D");
    tank->belts[0].text[1] = NULL, tank->belts[0].text[0] = "t";
    refuse(&made.def, "tank.velocity_x_min is an expression along x, expected 0: the side runs along itself; "
                      "motion_x_min moves it");
    tank->belts[0].text[0] = NULL, tank->belts[0].velocity.x = 2;
    refuse(&made.def, "tank.velocity_x_min is 2 along x, expected 0: the side runs along itself; motion_x_min moves "
                      "it");
    tank->belts[0].velocity.x = 0;
    tank->pistons[1].way = -0.1;
    refuse(&made.def, "tank.motion_x_max is -0.1, expected a number from 0 to 1000000 or an expression in t [m]");
    tank->pistons[1] = (mote_piston){0, "2 + t"};
    refuse(&made.def, "tank.motion_x_max is 2 m at t = 0 s, expected less than the room in the tank, 1 m");
    CHECK_OK(mote_fluid_choose_preset(&made.def.fluid, MOTE_PRESET_FAST, NULL));
    refuse(&made.def, "tank.motion_x_max is set, expected none with solver \"onderik\": walls that move need "
                      "fluid.preset \"engineering\"");
}

static void failing_allocations(void **state)
{
    (void)state;
    moving made;
    fill(&made, 2);
    const double rows[] = {0, 0, 0, 0, 0, 1, 0.01, 0, 0, 0};
    made.def.tank.motion.table = rows, made.def.tank.motion.table_count = 2;
    test_failing_allocations(test_create_and_step, &made.def);
    made.def.tank.motion.table = NULL, made.def.tank.motion.table_count = 0;
    made.def.tank.pistons[0].text = "0.01*t";
    made.def.tank.belts[4].text[0] = "0.1*t";
    test_failing_allocations(test_create_and_step, &made.def);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shaken_tank_is_the_same_in_both_frames),
        cmocka_unit_test(a_turned_tank_holds_water),
        cmocka_unit_test(a_tilting_tank_keeps_its_water),
        cmocka_unit_test(a_piston_lifts_water),
        cmocka_unit_test(momentum_balances),
        cmocka_unit_test(drift_of_momentum_is_told),
        cmocka_unit_test(a_solid_turns_in_water),
        cmocka_unit_test(individual_steps_see_solids_move),
        cmocka_unit_test(tables_are_followed),
        cmocka_unit_test(tables_move_walls),
        cmocka_unit_test(bad_tables_are_refused),
        cmocka_unit_test(states_go_on_with_the_same_bits),
        cmocka_unit_test(a_belt_that_speeds_up_drags_fluid_along),
        cmocka_unit_test(a_belt_by_an_expression_is_a_belt),
        cmocka_unit_test(walls_of_belts_stay),
        cmocka_unit_test(belts_that_speed_up_press_nothing),
        cmocka_unit_test(belts_that_slip_do_nothing),
        cmocka_unit_test(belts_feel_what_they_drag),
        cmocka_unit_test(bad_motions_are_refused),
        cmocka_unit_test(failing_allocations),
    };
    RUN_TESTS(tests, argc, argv);
}
