// SPDX-License-Identifier: MIT
// Tanks whose sides are fields: on the lattice of the water they are what layers of wall particles are, in every edge
// and corner; and what holds of other tanks holds of them.

#include "fluid/tested.h"
#include "mote/simulation.h"
#include "simulation/tested.h"
#include "support/field.h"
#include "support/test.h"

static const double spacing = FIELD_SPACING;

// Water on an even lattice, under a pressure that is the same everywhere.
static void fill(field_boxes *made, int dimensions, int32_t preset, double support)
{
    memset(made, 0, sizeof *made);
    const double depth = dimensions == 3 ? 0.6 : 0;
    made->block = mote_block_default_def();
    made->block.min = (mote_vec3){0, 0, 0}, made->block.max = (mote_vec3){1, depth, 0.6};
    made->block.pressure = "500";
    made->def = mote_simulation_default_def();
    CHECK_OK(mote_fluid_choose_preset(&made->def.fluid, preset, NULL));
    made->def.fluid.dimensions = dimensions, made->def.fluid.spacing = spacing;
    made->def.fluid.support = support * spacing;
    made->def.fluid.gravity = (mote_vec3){0, 0, 0};
    made->def.phase.sound_speed = 20;
    made->def.has_tank = true;
    made->def.tank.min = (mote_vec3){0, 0, 0}, made->def.tank.max = (mote_vec3){1, depth, 0.6};
    made->def.blocks = &made->block, made->def.block_count = 1;
    made->def.solids = made->solids;
}

static mote_simulation *make_in(mote_context *context, const field_boxes *made, int32_t boundary)
{
    mote_simulation_def def = made->def;
    mote_simulation *simulation = NULL;
    mote_error error = {0};
    def.tank.boundary = boundary;
    CHECK(mote_simulation_create(context, &def, &simulation, &error) == MOTE_OK, "%s", error.text);
    return simulation;
}

static mote_simulation *make_of(const field_boxes *made, int32_t boundary)
{
    return make_in(NULL, made, boundary);
}

// Of water at rest under its weight, in an open tank.
static void let_rest(field_boxes *made)
{
    made->block.pressure = mote_block_default_def().pressure;
    made->def.fluid.support = mote_fluid_default_def().support;
    made->def.fluid.gravity = (mote_vec3){0, 0, -9.81};
    made->def.tank.open_z_max = true, made->def.tank.max.z = 1;
}

static void run(mote_simulation *simulation, double end)
{
    mote_error error = {0};
    size_t inside, beyond;
    CHECK(mote_simulation_run_until(simulation, end, NULL, NULL, &error) == MOTE_OK, "%s", error.text);
    CHECK_OK(mote_simulation_count_escaped(simulation, &inside, &beyond, NULL));
    CHECK(inside == 0 && beyond == 0, "%zu particles in solids, %zu beyond walls", inside, beyond);
}

// Compares every particle's density and acceleration in a tank of fields with those in one of layers.
static void check_like_layers(const field_boxes *made, const char *what)
{
    mote_simulation *both[2] = {make_of(made, MOTE_BOUNDARY_LAYERS), make_of(made, MOTE_BOUNDARY_FIELD)};
    mote_fluid *fluids[2] = {mote_simulation_fluid(both[0]), mote_simulation_fluid(both[1])};
    mote_fluid_view views[2];
    float *sums[2];
    for (int k = 0; k < 2; ++k) {
        CHECK_OK(mote_fluid_evaluate(fluids[k], NULL));
        CHECK_OK(mote_fluid_get_view(fluids[k], &views[k], NULL));
        sums[k] = malloc((views[k].count + 1) * sizeof **sums);
        CHECK(sums[k], "no memory");
        CHECK_OK(mote_fluid_sum_densities(fluids[k], sums[k], NULL));
    }
    CHECK(views[0].count == views[1].count && views[0].count > 100, "%zu and %zu particles", views[0].count,
          views[1].count);
    CHECK_OK(mote_fluid_validate(fluids[1], NULL));
    const bool is_weak = made->def.fluid.solver == MOTE_SOLVER_WEAK;
    const double unit = 500 / 1000.0 / spacing;  // p/(ρ d)
    for (size_t i = 0; i < views[0].count; ++i) {
        const double at[3] = {views[0].x[i], views[0].y[i], views[0].z[i]};
        CHECK(!is_weak || fabs((double)(sums[1][i] / sums[0][i]) - 1) < 1e-4,
              "%s, at (%g, %g, %g): density %g, of layers %g", what, at[0], at[1], at[2], (double)sums[1][i],
              (double)sums[0][i]);
        for (int c = 0; c < 3; ++c) {
            const double own = (double)mote_fluid_floats(fluids[1], FLUID_AX + c)[i];
            const double of_layers = (double)mote_fluid_floats(fluids[0], FLUID_AX + c)[i];
            CHECK(fabs(own - of_layers) < 1e-3 * unit, "%s, at (%g, %g, %g): acceleration %g along %d, by layers %g",
                  what, at[0], at[1], at[2], own, c, of_layers);
        }
    }
    for (int k = 0; k < 2; ++k) free(sums[k]), mote_simulation_destroy(both[k]);
}

static void sides_act_as_their_layers(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
        for (int k = 0; k < 4; ++k) {
            static const double supports[2][4] = {{4, 3.3, 3, 4}, {3, 3.46, 2, 3}};
            field_boxes made;
            char what[64];
            const int32_t preset = k == 2 ? MOTE_PRESET_FAST : MOTE_PRESET_ENGINEERING;
            fill(&made, dimensions, preset, supports[dimensions - 2][k]);
            made.def.tank.open_z_max = k == 1;
            if (k == 3) {  // a channel
                made.def.has_periodic = made.def.periodic.x = true;
                made.def.tank.open_x_min = made.def.tank.open_x_max = true;
                made.def.periodic.min = made.def.tank.min, made.def.periodic.max = made.def.tank.max;
            }
            snprintf(what, sizeof what, "%dD, support of %g spacings%s", dimensions, supports[dimensions - 2][k],
                     k == 3 ? ", periodic" : "");
            check_like_layers(&made, what);
        }
}

// The sides beside a piston go on behind it, those beside others end at the first one.
static void edges_beside_pistons_act_as_their_layers(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
        for (int side = 0; side < 6; side += SEEKS_RACES ? 5 : 1) {
            field_boxes made;
            char what[64];
            if (dimensions == 2 && side / 2 == 1) continue;
            fill(&made, dimensions, MOTE_PRESET_ENGINEERING, dimensions == 2 ? 4 : 3);
            made.def.tank.pistons[side].way = 2 * spacing;
            double *const ends = side % 2 ? &made.block.max.x : &made.block.min.x;
            ends[side / 2] += side % 2 ? -2 * spacing : 2 * spacing;
            snprintf(what, sizeof what, "%dD, piston %d", dimensions, side);
            check_like_layers(&made, what);
        }
}

// However large the tank is, its field has the same nodes.
static void parts_that_are_alike_share_nodes(void **state)
{
    (void)state;
    uint32_t nodes[2] = {0}, blocks[2] = {0};
    for (int k = 0; k < 2; ++k) {
        field_boxes made;
        fill(&made, 3, MOTE_PRESET_ENGINEERING, 3);
        made.def.tank.max = (mote_vec3){k ? 4.1 : 2.1, k ? 4.1 : 2.1, k ? 2 : 1};
        made.def.tank.open_z_max = true;
        mote_simulation *simulation = make_of(&made, MOTE_BOUNDARY_FIELD);
        const mote_fluid *fluid = mote_simulation_fluid(simulation);
        assert_int_equal(mote_fluid_field_count(fluid), 5);
        for (uint32_t f = 0; f < 5; ++f) {
            const wall_field *field = (const wall_field *)fluid->fields.data + f;
            nodes[k] += field->node_blocks, blocks[k] += field->block_count;
        }
        mote_simulation_destroy(simulation);
    }
    CHECK(nodes[0] == nodes[1] && nodes[0] < 1000, "%u and %u arrays of nodes", nodes[0], nodes[1]);
    CHECK(blocks[0] > 2 * nodes[0] && blocks[1] > 3 * blocks[0], "%u and %u blocks, %u arrays of nodes", blocks[0],
          blocks[1], nodes[0]);
}

// Water at rest: its pressures, what the floor and all sides carry, no way out.
static void tanks_hold_water(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        field_boxes made;
        const int dimensions = k % 2 ? 3 : 2;
        fill(&made, dimensions, k < 2 ? MOTE_PRESET_ENGINEERING : MOTE_PRESET_FAST, NAN);
        let_rest(&made);
        if (k % 2) made.block.max.x = made.def.tank.max.x = 0.63;  // no multiple of the spacing
        mote_gauge_def gauge = mote_gauge_default_def();
        gauge.name = "floor", gauge.kind = MOTE_GAUGE_FORCE, gauge.of = "z_min", gauge.every = 0.3;
        made.def.gauges = &gauge, made.def.gauge_count = 1;
        mote_simulation *simulation = make_of(&made, MOTE_BOUNDARY_FIELD);
        run(simulation, 0.601);
        mote_fluid_view view;
        mote_fluid_totals totals;
        mote_gauge_view floor;
        CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
        CHECK_OK(mote_fluid_get_totals(mote_simulation_fluid(simulation), &totals, NULL));
        CHECK_OK(mote_simulation_get_gauge(simulation, 0, &floor, NULL));
        double sum = 0, top = 0;
        size_t count = 0;
        for (size_t i = 0; i < view.count; ++i) top = fmax(top, view.z[i]);
        for (size_t i = 0; i < view.count; ++i) {
            const double depth = top + spacing / 2 - view.z[i];
            if (depth < 3 * spacing) continue;
            const double error = (double)view.pressure[i] / (9810 * 0.6) - depth / 0.6;
            sum += error * error, ++count;
        }
        CHECK(sqrt(sum / (double)count) < 0.03, "case %d: pressures are off by %g of the floor's", k,
              sqrt(sum / (double)count));
        const double speed = totals.max_speed / mote_simulation_reference_speed(simulation);
        CHECK(speed < 0.06, "case %d: %g sqrt(gH)", k, speed);
        const double weight = 9.81 * mote_fluid_particle_mass(mote_simulation_fluid(simulation)) * (double)view.count;
        CHECK(fabs(floor.values[2] / weight + 1) < 0.1, "case %d: the floor carries %g of %g N", k, -floor.values[2],
              weight);
        mote_simulation_destroy(simulation);
    }
}

// Beside a solid water starts as calm as in a tank of layers: sides that go on are no free surfaces.
static void water_starts_calm_beside_solids(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        field_boxes made;
        const int dimensions = k % 2 ? 3 : 2;
        double tops[2], speeds[2];
        fill(&made, dimensions, k < 2 ? MOTE_PRESET_ENGINEERING : MOTE_PRESET_FAST, NAN);
        let_rest(&made);
        made.solids[0] = mote_solid_default_def();
        made.solids[0].name = "body", made.solids[0].shape.kind = MOTE_SOLID_BOX;
        made.solids[0].shape.box = (mote_box){{0.35, 0, 0.2}, {0.65, 0, 0.4}};
        if (dimensions == 3) made.solids[0].shape.box.min.y = 0.2, made.solids[0].shape.box.max.y = 0.4;
        CHECK_OK(mote_mesh_create_shape(NULL, &made.solids[0].shape, dimensions, spacing, &made.meshes[0], NULL));
        made.solids[0].mesh = made.meshes[0];
        made.def.solid_count = 1;
        for (int f = 0; f < 2; ++f) {
            mote_simulation *simulation = make_of(&made, f ? MOTE_BOUNDARY_FIELD : MOTE_BOUNDARY_LAYERS);
            mote_fluid_view view;
            mote_fluid_totals totals;
            CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
            tops[f] = 0, speeds[f] = 0;
            for (size_t i = 0; i < view.count; ++i) tops[f] = fmax(tops[f], view.z[i]);
            for (int step = 1; step <= 5; ++step) {
                run(simulation, 0.02 * step);
                CHECK_OK(mote_fluid_get_totals(mote_simulation_fluid(simulation), &totals, NULL));
                speeds[f] = fmax(speeds[f], totals.max_speed / mote_simulation_reference_speed(simulation));
            }
            mote_simulation_destroy(simulation);
        }
        CHECK(tops[1] < tops[0] + 0.2 * spacing, "case %d: water up to %g m, with layers %g m", k, tops[1], tops[0]);
        CHECK(speeds[1] < 0.05, "case %d: %g sqrt(gH), with layers %g", k, speeds[1], speeds[0]);
        mote_mesh_destroy(made.meshes[0]);
    }
}

// Sides that move, run and slip, steps of particles' own: nothing gets out, and threads change no bit.
static void threads_give_the_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < 5; ++k) {
        static const uint32_t threads[] = {1, 2, 5};
        field_boxes made;
        uint64_t sums[3];
        fill(&made, k == 4 ? 3 : 2, k == 3 ? MOTE_PRESET_FAST : MOTE_PRESET_ENGINEERING, NAN);
        let_rest(&made);
        if (k == 0) made.def.tank.pistons[0].text = "0.1*(1 - cos(6*t))";
        if (k == 1) made.def.tank.belts[4].velocity.x = 0.5, made.def.tank.slip_x_min = true;
        if (k == 1) made.def.phase.viscosity = 1;
        if (k == 2) made.def.fluid.steps = MOTE_STEPS_INDIVIDUAL, made.block.max.x = 0.5;
        if (k == 3) made.block.max.x = 0.5;
        for (int t = SEEKS_RACES; t < 3; ++t) {
            mote_context *context = test_context_with_threads(threads[t]);
            mote_simulation *simulation = make_in(context, &made, MOTE_BOUNDARY_FIELD);
            mote_fluid_view view;
            run(simulation, (k == 4 ? 0.05 : 0.3) * (SANITIZED ? 0.3 : 1));
            CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
            sums[t] = mote_checksum(MOTE_CHECKSUM_START, view.x, view.count * sizeof *view.x);
            sums[t] = mote_checksum(sums[t], view.vz, view.count * sizeof *view.vz);
            mote_simulation_destroy(simulation);
            mote_context_destroy(context);
        }
        CHECK((SEEKS_RACES || sums[0] == sums[1]) && sums[1] == sums[2], "case %d: threads change bits", k);
    }
}

// A belt presses nothing, also at its ends: over a floor that runs, water at rest moves no faster than the floor.
static void belts_press_nothing(void **state)
{
    (void)state;
    field_boxes made;
    fill(&made, 2, MOTE_PRESET_ENGINEERING, NAN);
    let_rest(&made);
    made.def.tank.belts[4].velocity.x = 0.5;
    mote_simulation *simulation = make_of(&made, MOTE_BOUNDARY_FIELD);
    mote_fluid_totals totals;
    for (int step = 1; step <= 10; ++step) {
        run(simulation, 0.03 * step);
        CHECK_OK(mote_fluid_get_totals(mote_simulation_fluid(simulation), &totals, NULL));
        CHECK(totals.max_speed < 0.5, "%g m/s after %g s", totals.max_speed, 0.03 * step);
    }
    mote_simulation_destroy(simulation);
}

// A tank that moves as a whole takes its fields along: water that moves with it stays at rest in it.
static void fields_move_with_their_tank(void **state)
{
    (void)state;
    field_boxes made;
    fill(&made, 2, MOTE_PRESET_ENGINEERING, 4);
    made.block.pressure = "0";
    made.block.velocity = (mote_vec3){0.8, 0, 0};
    made.def.tank.motion.shift_text[0] = "0.8*t";
    mote_simulation *simulation = make_of(&made, MOTE_BOUNDARY_FIELD);
    run(simulation, 0.5);
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
    for (size_t i = 0; i < view.count; ++i)
        CHECK(view.x[i] > 0.4 && view.x[i] < 1.4 && fabs((double)view.vx[i] - 0.8) < 0.01,
              "particle %zu is at x = %g with %g m/s", i, view.x[i], (double)view.vx[i]);
    mote_simulation_destroy(simulation);
}

// A solid that moves into a side has layers, as two fields would push there; one that cannot keeps its field.
static void solids_that_leave_the_tank_have_layers(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        field_boxes made;
        fill(&made, 2, MOTE_PRESET_ENGINEERING, 4);
        made.block.max.x = 0.4;
        made.def.tank.open_x_max = made.def.tank.open_z_max = k == 1;
        mote_solid_def *solid = field_boxes_add(&made, (mote_box){{0.6, 0, 0.2}, {0.8, 0, 0.4}});
        solid->motion.shift_text[k ? 2 : 0] = k ? "0*t" : "0.1*t";
        if (k == 1) made.def.tank.open_z_min = true;
        mote_simulation *simulation = make_of(&made, MOTE_BOUNDARY_FIELD);
        mote_object_view view;
        for (size_t o = 0; o < mote_simulation_object_count(simulation); ++o) {
            CHECK_OK(mote_simulation_get_object(simulation, o, &view, NULL));
            if (strcmp(view.kind, "solid") != 0) continue;
            assert_string_equal(view.boundary, k ? "field" : "layers");
            if (!k) CHECK(view.remark && strstr(view.remark, "tank's sides"), "remark \"%s\"", view.remark);
        }
        mote_simulation_destroy(simulation);
        mote_mesh_destroy(made.meshes[0]);
    }
}

static void check_refused(const field_boxes *made, const char *text)
{
    mote_simulation *simulation = NULL;
    mote_error error = {0};
    CHECK(mote_simulation_create(NULL, &made->def, &simulation, &error) != MOTE_OK, "taken: %s", text);
    CHECK(strstr(error.text, text), "it says \"%s\", expected \"%s\"", error.text, text);
}

static void what_needs_wall_particles_is_refused(void **state)
{
    (void)state;
    field_boxes made;
    fill(&made, 2, MOTE_PRESET_ENGINEERING, 4);
    made.def.tank.boundary = MOTE_BOUNDARY_FIELD;
    mote_open_end inlet = mote_open_end_default();
    made.def.inlets = &inlet, made.def.inlet_count = 1;
    check_refused(&made, "tank.boundary is \"field\", expected \"layers\" or \"samples\" with inlets or outlets");
    made.def.inlet_count = 0;
    mote_named_tension tension = {.tension = mote_tension_default_def()};
    tension.tension.adhesion = 0.1;
    made.def.tensions = &tension, made.def.tension_count = 1;
    check_refused(&made, "tank.boundary is \"field\", expected \"layers\" or \"samples\" with tensions that have "
                         "adhesion");
    made.def.tension_count = 0;
    mote_gauge_def gauge = mote_gauge_default_def();
    gauge.name = "wall", gauge.kind = MOTE_GAUGE_WALL_PRESSURE, gauge.at = (mote_vec3){0, 0, 0.3};
    made.def.gauges = &gauge, made.def.gauge_count = 1;
    check_refused(&made, "gauges[0].at is [0, 0, 0.3], expected a place farther than 1.5 spacings from the sides of "
                         "the tank");
    made.def.gauge_count = 0;
    field_boxes_add(&made, (mote_box){{0.35, 0, 0.2}, {0.65, 0, 0.4}});
    made.def.tank.pistons[0].text = "0.1*t";
    check_refused(&made, "tank.boundary is \"field\", expected \"layers\" or \"samples\" where the tank or a side of "
                         "it moves and there are solids");
    made.def.tank.pistons[0].text = NULL, made.def.solid_count = 0;
    mote_mesh_destroy(made.meshes[0]);
    made.def.fluid.dimensions = 3, made.def.fluid.support = 5 * spacing;
    made.def.tank.max.y = made.block.max.y = 0.6;
    check_refused(&made, "expected at most 4 spacings");
}

static mote_result make_small(mote_context *context, void *made)
{
    mote_simulation *simulation = NULL;
    const mote_result result = mote_simulation_create(context, &((field_boxes *)made)->def, &simulation, NULL);
    mote_simulation_destroy(simulation);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    field_boxes made;
    fill(&made, 2, MOTE_PRESET_ENGINEERING, 4);
    made.def.tank.boundary = MOTE_BOUNDARY_FIELD;
    made.block.max.x = made.def.tank.max.x = 0.2;
    test_failing_allocations(make_small, &made);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sides_act_as_their_layers),
        cmocka_unit_test(edges_beside_pistons_act_as_their_layers),
        cmocka_unit_test(parts_that_are_alike_share_nodes),
        cmocka_unit_test(tanks_hold_water),
        cmocka_unit_test(water_starts_calm_beside_solids),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(belts_press_nothing),
        cmocka_unit_test(fields_move_with_their_tank),
        cmocka_unit_test(solids_that_leave_the_tank_have_layers),
        cmocka_unit_test(what_needs_wall_particles_is_refused),
        cmocka_unit_test(failing_allocations),
    };
    RUN_TESTS(tests, argc, argv);
}
