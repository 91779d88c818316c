// SPDX-License-Identifier: MIT
// The simulation: what a def is refused for, the start, solids in the water, stopping, memory.

#include "base/tested.h"
#include "mote/opening.h"
#include "mote/simulation.h"
#include "support/test.h"

static mote_simulation_def tank_def(int dimensions, double spacing, const mote_block_def *blocks, size_t count)
{
    mote_simulation_def def = mote_simulation_default_def();
    def.fluid.dimensions = dimensions;
    def.fluid.spacing = spacing;
    def.has_tank = true;
    def.tank.min = (mote_vec3){0, 0, 0};
    def.tank.max = (mote_vec3){1, 1, 1};
    def.tank.open_z_max = true;
    def.blocks = blocks;
    def.block_count = count;
    return def;
}

static mote_simulation *make(mote_context *context, const mote_simulation_def *def)
{
    mote_simulation *simulation;
    mote_error error = {0};
    mote_result result = mote_simulation_create(context, def, &simulation, &error);
    CHECK(result == MOTE_OK, "%s", error.text);
    return simulation;
}

// An icosahedron about a centre: closed, coarse, convex.
static mote_mesh *make_ball(mote_context *context, mote_vec3 centre, double radius)
{
    static const uint32_t triangles[60] = {0, 11, 5,  0, 5,  1, 0, 1, 7, 0, 7,  10, 0, 10, 11, 1, 5, 9, 5, 11,
                                           4, 11, 10, 2, 10, 7, 6, 7, 1, 8, 3,  9,  4, 3,  4,  2, 3, 2, 6, 3,
                                           6, 8,  3,  8, 9,  4, 9, 5, 2, 4, 11, 6,  2, 10, 8,  6, 7, 9, 8, 1};
    const double t = 1.618033988749895,
                 corners[12][3] = {{-1, t, 0},  {1, t, 0},  {-1, -t, 0}, {1, -t, 0}, {0, -1, t},  {0, 1, t},
                                   {0, -1, -t}, {0, 1, -t}, {t, 0, -1},  {t, 0, 1},  {-t, 0, -1}, {-t, 0, 1}};
    mote_vec3 vertices[12];
    double s = radius / sqrt(1 + t * t);
    for (int k = 0; k < 12; ++k)
        vertices[k] =
            (mote_vec3){centre.x + s * corners[k][0], centre.y + s * corners[k][1], centre.z + s * corners[k][2]};
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(context, vertices, 12, triangles, 20, &mesh, NULL));
    return mesh;
}

static void refuse(const mote_simulation_def *def, const char *word)
{
    mote_simulation *simulation;
    mote_error error = {0};
    mote_result result = mote_simulation_create(NULL, def, &simulation, &error);
    CHECK(result == MOTE_ERROR_ARGUMENT || result == MOTE_ERROR_UNSUPPORTED, "%s, for want of %s",
          mote_result_name(result), word);
    CHECK(strstr(error.text, word), "\"%s\" does not name %s", error.text, word);
}

static void bad_defs_are_refused(void **state)
{
    (void)state;
    mote_block_def blocks[2] = {{.min = {0, 0, 0}, .max = {0.5, 0.5, 0.5}},
                                {.min = {0.4, 0.4, 0.4}, .max = {0.8, 0.8, 0.8}}};
    mote_simulation_def def = tank_def(3, 0.1, blocks, 2);
    refuse(&def, "overlaps");
    blocks[1].min = (mote_vec3){0.5, 0, 0};
    blocks[1].max = (mote_vec3){1.2, 0.5, 0.5};
    refuse(&def, "inside the tank");
    blocks[1].max.x = 0.55;
    refuse(&def, "at least one spacing");
    def = tank_def(3, 0.1, blocks, 1);
    def.tank.max.x = -1;
    refuse(&def, "tank");
    def = tank_def(3, NAN, blocks, 1);
    refuse(&def, "spacing");
    def = tank_def(3, 0.1, blocks, 1);
    def.fluid.gravity = (mote_vec3){0, 0, 0};
    refuse(&def, "sound_speed");
    def = tank_def(2, 0.1, blocks, 1);
    blocks[0].velocity.y = 1;
    refuse(&def, "velocity");
    blocks[0].velocity.y = 0;
    mote_mesh *ball = make_ball(NULL, (mote_vec3){0.5, 0.5, 0.5}, 0.2);
    mote_solid_def solid = {.name = "ball", .mesh = ball, .placement = {1, {0, 0, 0}, {0, 0, 0}}};
    def.solids = &solid, def.solid_count = 1;
    refuse(&def, "2D");
    def.fluid.dimensions = 3;
    solid.mesh = NULL;
    refuse(&def, "mesh");
    solid.mesh = ball;
    ball->triangle_count -= 1;
    refuse(&def, "open");
    ball->triangle_count += 1;
    mote_mesh_destroy(ball);
}

// Many blocks are compared as fast as boxes are found; the first that overlaps is named, with the first that it does.
static void many_blocks_are_checked(void **state)
{
    (void)state;
    enum { SIDE = 170, COUNT = SIDE * SIDE + 1 };
    mote_block_def *blocks = calloc(COUNT, sizeof *blocks);
    assert_non_null(blocks);
    for (int i = 0; i < COUNT - 1; ++i) {
        const double x = 0.1 * (i % SIDE), z = 0.1 * (double)(i / SIDE);
        blocks[i] = (mote_block_def){.min = {x, 0, z}, .max = {x + 0.1, 0.1, z + 0.1}};
    }
    blocks[COUNT - 1] = (mote_block_def){.min = {0.05, 0, 0.35}, .max = {0.15, 0.1, 0.45}};
    mote_simulation_def def = tank_def(3, 0.1, blocks, COUNT);
    def.has_tank = false;
    char expected[80];
    snprintf(expected, sizeof expected, "blocks[%d]: overlaps blocks[%d],", COUNT - 1, 3 * SIDE);
    refuse(&def, expected);
    blocks[5].max.x += 0.1;
    refuse(&def, "blocks[6]: overlaps blocks[5],");
    free(blocks);
}

// At the start a block that fills its tank has the rest density everywhere but at the surface, whatever fits between
// the sides.
static void a_full_tank_starts_at_the_rest_density(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        mote_block_def block = {.min = {0, 0, 0}, .max = {1, 1, 0.7}};
        mote_simulation_def def = tank_def(dimensions, 0.1, &block, 1);
        def.fluid.density = MOTE_DENSITY_SUMMATION;
    mote_simulation *simulation = make(NULL, &def);
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
        assert_int_equal(view.count, dimensions == 3 ? 700 : 70);
        for (size_t i = 0; i < view.count; ++i)
            if (view.z[i] < 0.4)
                CHECK(fabs((double)view.density[i] - 1000) < 0.02, "(%g, %g, %g): %g", view.x[i], view.y[i], view.z[i],
                      (double)view.density[i]);
        const mote_phase_def fluid = mote_fluid_resolved_phase(mote_simulation_fluid(simulation), 0);
        CHECK(fabs(fluid.sound_speed - 10 * sqrt(9.81 * 0.7)) < 1e-9, "%g", fluid.sound_speed);
        mote_simulation_destroy(simulation);

        def.tank.max.x = def.tank.max.y = 0.97;
        block.max.x = block.max.y = 0.97;
        simulation = make(NULL, &def);
        mote_fluid_totals totals;
        CHECK_OK(mote_fluid_get_totals(mote_simulation_fluid(simulation), &totals, NULL));
        CHECK(totals.max_compression < 0.02, "%g", totals.max_compression);
        mote_simulation_destroy(simulation);
    }
}

// A block between two sides of its tank is stretched to fit them, and has the layers that its height is of spacings,
// where there is room above it: not under the top of the tank, and not under another block. One that stands free is not
// stretched.
static void a_block_fits_its_tank(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        mote_block_def block = {.min = {0, 0, 0}, .max = {0.97, 1, 0.6}, .pressure = "0"};
        mote_simulation_def def = tank_def(3, 0.1, &block, 1);
        def.tank.max.x = kind ? 1.2 : 0.97, def.tank.max.y = 1;
        mote_simulation *simulation = make(NULL, &def);
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
        const double pitch[3] = {kind ? 0.1 : 0.097, 0.1, kind ? 0.1 : 0.1 / 0.97};
        assert_int_equal(view.count, kind ? 9 * 10 * 6 : 10 * 10 * 6);
        for (size_t i = 0; i < view.count; ++i) {
            const double place[3] = {view.x[i], view.y[i], view.z[i]};
            for (int k = 0; k < 3; ++k) {
                double steps = place[k] / pitch[k] - 0.5;
                CHECK(fabs(steps - floor(steps + 0.5)) < 1e-9, "axis %d: %g", k, place[k]);
            }
        }
        mote_simulation_destroy(simulation);
    }
    for (int kind = 0; kind < 3; ++kind) {
        mote_block_def blocks[2] = {{.min = {0, 0, 0}, .max = {0.97, 0, 0.6}},
                                    {.min = {0, 0, 0.6}, .max = {0.97, 0, 0.7}}};
        mote_simulation_def def = tank_def(2, 0.1, blocks, kind == 2 ? 2 : 1);
        def.tank.max.x = 0.97;
        if (kind == 1) blocks[0].max.z = 0.58, def.tank.max.z = 0.6, def.tank.open_z_max = false;
        mote_simulation *simulation = make(NULL, &def);
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
        assert_int_equal(view.count, kind == 1 ? 50 : 60);
        mote_simulation_destroy(simulation);
    }
}

static void run_until_arrives_exactly(void **state)
{
    (void)state;
    mote_block_def block = {.min = {0, 0, 0}, .max = {0.5, 0, 0.5}};
    mote_simulation_def def = tank_def(2, 0.05, &block, 1);
    mote_simulation *simulation = make(NULL, &def);
    for (int k = 1; k <= 3; ++k) {
        CHECK_OK(mote_simulation_run_until(simulation, 0.017 * k, NULL, NULL, NULL));
        assert_true(mote_simulation_time(simulation) == 0.017 * k);
    }
    uint64_t steps = mote_fluid_get_counters(mote_simulation_fluid(simulation)).steps;
    CHECK_OK(mote_simulation_run_until(simulation, 0.03, NULL, NULL, NULL));  // past already
    assert_int_equal(mote_fluid_get_counters(mote_simulation_fluid(simulation)).steps, steps);
    double dt;
    CHECK_OK(mote_simulation_step(simulation, 1e-6, &dt, NULL));
    assert_true(dt == 1e-6);
    assert_int_equal(mote_simulation_step(simulation, -1, &dt, NULL), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_simulation_run_until(simulation, NAN, NULL, NULL, NULL), MOTE_ERROR_ARGUMENT);
    mote_simulation_destroy(simulation);
}

static bool stop_at_once(void *user_data, const mote_simulation *simulation)
{
    (void)simulation;
    ++*(int *)user_data;
    return true;
}

static void a_run_can_be_stopped(void **state)
{
    (void)state;
    mote_block_def block = {.min = {0, 0, 0}, .max = {0.5, 0, 0.5}};
    mote_simulation_def def = tank_def(2, 0.05, &block, 1);
    mote_simulation *simulation = make(NULL, &def);
    int asked = 0;
    CHECK_OK(mote_simulation_run_until(simulation, 1, stop_at_once, &asked, NULL));
    assert_int_equal(asked, 1);
    assert_int_equal(mote_fluid_get_counters(mote_simulation_fluid(simulation)).steps, 1);
    mote_simulation_destroy(simulation);
}

// Too long a step for its stiffness: the run ends with a result, not with nonsense.
static void a_run_that_blows_up_says_so(void **state)
{
    mote_error error = {0};
    (void)state;
    mote_block_def block = {.min = {0, 0, 0}, .max = {0.5, 0, 0.5}};
    mote_simulation_def def = tank_def(2, 0.05, &block, 1);
    def.has_tank = false;
    def.fluid.gravity = (mote_vec3){1e6, 0, 1e6};
    def.phase.sound_speed = 1e-3;
    def.fluid.courant = 1, def.fluid.force_limit = 1, def.fluid.viscous_limit = 1;
    mote_simulation *simulation = make(NULL, &def);
    mote_result result = mote_simulation_run_until(simulation, 1e3, NULL, NULL, &error);
    CHECK(result == MOTE_ERROR_UNSTABLE, "%s", mote_result_name(result));
    assert_true(strlen(error.text) > 0);
    mote_simulation_destroy(simulation);
}

// ------------------------------------------------------------------------------------------------------- solids

static void a_solid_in_the_water_displaces_it(void **state)
{
    (void)state;
    mote_block_def block = {.min = {0, 0, 0}, .max = {1, 1, 0.9}};
    mote_simulation_def def = tank_def(3, SANITIZED ? 0.1 : 0.05, &block, 1);
    mote_mesh *ball = make_ball(NULL, (mote_vec3){0.51, 0.52, 0.43}, 0.3);
    mote_solid_def solid = {.name = "ball", .mesh = ball, .placement = {1, {0, 0, 0}, {0, 0, 0}}};
    def.solids = &solid, def.solid_count = 1;
    mote_simulation *simulation = make(NULL, &def);
    mote_fluid *fluid = mote_simulation_fluid(simulation);
    mote_fluid_totals totals;
    CHECK_OK(mote_fluid_get_totals(fluid, &totals, NULL));
    CHECK(totals.max_compression <= 0.02, "%g", totals.max_compression);
    size_t inside, beyond;
    CHECK_OK(mote_simulation_count_escaped(simulation, &inside, &beyond, NULL));
    assert_true(inside == 0 && beyond == 0);
    double d = def.fluid.spacing, displaced = (double)mote_simulation_removed_count(simulation) * d * d * d;
    double volume = mote_mesh_volume(ball);
    CHECK(fabs(displaced / volume - 1) < 0.03, "removed %g, ball %g", displaced, volume);
    mote_simulation_destroy(simulation);
    mote_mesh_destroy(ball);
}

// Water and grains among a solid in a tank, looked at as objects: what there is of each, by which names, and that the
// counts follow what happens.
static void objects_are_looked_at_alike(void **state)
{
    (void)state;
    mote_mesh *ball = make_ball(NULL, (mote_vec3){0.5, 0.5, 0.4}, 0.2);
    const mote_block_def block = {.min = {0, 0, 0}, .max = {1, 1, 0.3}};
    const mote_solid_def solid = {.name = "ball", .mesh = ball, .restitution = 0.5};
    mote_simulation_def def = tank_def(3, 0.1, &block, 1);
    def.solids = &solid, def.solid_count = 1;
    def.has_grains = true;
    def.grains.count = 100, def.grains.duration = 0.01;
    def.grains.min = (mote_vec3){0.1, 0.1, 0.8}, def.grains.max = (mote_vec3){0.9, 0.9, 0.9};
    mote_simulation *simulation = make(NULL, &def);
    static const char *const kinds[] = {"tank", "solid", "fluid", "boundary", "grains"};
    static const char *const names[] = {"tank", "ball", "particles", "boundary", "grains"};
    assert_int_equal(mote_simulation_object_count(simulation), 5);
    mote_object_view view;
    for (size_t k = 0; k < 5; ++k) {
        CHECK_OK(mote_simulation_get_object(simulation, k, &view, NULL));
        assert_string_equal(view.kind, kinds[k]);
        assert_string_equal(view.name, names[k]);
        assert_true((view.mesh == ball) == (k == 1));
        assert_true((view.look != NULL) == (k == 1) && (k != 1 || view.look->opacity == solid.look.opacity));
        assert_true((view.array_count > 0) == (k >= 2));
        assert_true(view.is_fixed == (k == 3));
        assert_true((view.remark != NULL) == (k == 4));
        assert_int_equal(view.expected, k == 2 ? view.count : k == 4 ? 100 : 0);
    }
    assert_int_equal(view.count, 0);  // no grain has come
    const double sizes[] = {0, 0, 0.1, 0, def.grains.size};
    CHECK_OK(mote_simulation_run_until(simulation, 0.02, NULL, NULL, NULL));
    for (size_t k = 2; k < 5; ++k) {
        CHECK_OK(mote_simulation_get_object(simulation, k, &view, NULL));
        assert_true(view.count > 0 && view.particle_size == sizes[k]);
        assert_string_equal(view.arrays[0].name, "position");
        assert_string_equal(view.arrays[0].unit, "m");
        for (size_t i = 0; i < view.count && !view.is_fixed; ++i)
            for (int axis = 0; axis < 3; ++axis) {
                double x;
                memcpy(&x, (const char *)view.arrays[0].component[axis] + (ptrdiff_t)i * view.arrays[0].stride,
                       sizeof x);
                CHECK(x >= 0 && x <= 1, "%s %zu is at %g", names[k], i, x);
            }
    }
    assert_int_equal(view.count, 100);  // now they have
    CHECK_OK(mote_simulation_validate(simulation, NULL));
    CHECK(mote_simulation_byte_count(simulation) > mote_fluid_byte_count(mote_simulation_fluid(simulation)) +
                                                       mote_grains_byte_count(mote_simulation_grains(simulation)),
          "parts take more than the whole");
    assert_int_equal(mote_simulation_get_object(simulation, 5, &view, NULL), MOTE_ERROR_ARGUMENT);
    mote_simulation_destroy(simulation);
    mote_mesh_destroy(ball);
}

// The values that a simulation derives, told in its def; how long its steps will be, and are, with water and without.
static void derived_values_are_told(void **state)
{
    (void)state;
    const mote_block_def block = {.min = {0, 0, 0}, .max = {1, 1, 0.4}};
    mote_simulation_def def = tank_def(3, 0.1, &block, 1);
    def.has_grains = true;
    def.grains.min = (mote_vec3){0.1, 0.1, 0.8}, def.grains.max = (mote_vec3){0.9, 0.9, 0.9};
    def.grains.count = 10, def.grains.time_step = 0.125, def.grains.size = 0.02;
    mote_simulation *simulation = make(NULL, &def);
    mote_simulation_def resolved = def;
    mote_simulation_resolve_def(simulation, &resolved);
    const mote_fluid_def fluid = mote_fluid_resolved_def(mote_simulation_fluid(simulation));
    const double c = mote_fluid_resolved_phase(mote_simulation_fluid(simulation), 0).sound_speed;
    assert_true(resolved.phase.sound_speed == c && resolved.fluid.support == fluid.support);
    assert_true(resolved.blocks == def.blocks && resolved.grains.time_step == 0.125);
    const double reference = mote_simulation_reference_speed(simulation);
    assert_true(reference == sqrt(mote_vec3_length(fluid.gravity) * mote_simulation_depth(simulation)));
    assert_true(mote_simulation_usual_step(simulation) ==
                fluid.courant * fluid.support / (c + 2 * reference));
    mote_simulation_destroy(simulation);

    def.block_count = 0;
    def.fluid.spacing = NAN;
    simulation = make(NULL, &def);
    resolved = def;
    mote_simulation_resolve_def(simulation, &resolved);
    assert_true(resolved.fluid.spacing == 0.02);
    assert_true(mote_simulation_usual_step(simulation) == 0.125 && mote_simulation_reference_speed(simulation) == 0);
    double dt;
    CHECK_OK(mote_simulation_step(simulation, 10, &dt, NULL));
    assert_true(dt == 0.125);
    mote_simulation_destroy(simulation);
}

// A column falls on a ball that touches the floor: nobody gets into the ball, or out of the tank.
static void nobody_gets_through_in_a_splash(void **state)
{
    (void)state;
    mote_block_def block = {.min = {0, 0, 0.3}, .max = {0.5, 0.4, 1}, .velocity = {1, 0, -3}};
    mote_simulation_def def = tank_def(3, SANITIZED ? 0.1 : 0.05, &block, 1);
    def.tank.max.y = 0.4;
    def.tank.restitution = 0.3, def.tank.friction = 0.1;
    mote_mesh *ball = make_ball(NULL, (mote_vec3){0.4, 0.2, 0.1}, 0.15);
    mote_solid_def solid = {.name = "ball", .mesh = ball, .placement = {1, {0, 0, 0}, {0, 0, 0}}, .friction = 0.2};
    def.solids = &solid, def.solid_count = 1;
    def.phase.sound_speed = 50;  // jets would come near half of the one that is derived, which counts as unstable
    for (int density = 0; density < 2; ++density) {
        def.fluid.density = density;
        mote_simulation *simulation = make(NULL, &def);
        for (int frame = 1; frame <= 10; ++frame) {
            CHECK_OK(mote_simulation_run_until(simulation, 0.05 * frame, NULL, NULL, NULL));
            size_t inside, beyond;
            CHECK_OK(mote_simulation_count_escaped(simulation, &inside, &beyond, NULL));
            CHECK(inside == 0 && beyond == 0, "frame %d: %zu inside, %zu beyond", frame, inside, beyond);
            CHECK_OK(mote_fluid_validate(mote_simulation_fluid(simulation), NULL));
        }
        mote_simulation_destroy(simulation);
    }
    mote_mesh_destroy(ball);
}

// ------------------------------------------------------------------------------------- determinism and memory

static uint64_t splash_bits(uint32_t threads)
{
    mote_context *context = test_context_with_threads(threads);
    mote_block_def block = {.min = {0, 0, 0.3}, .max = {0.5, 0.4, 1}, .velocity = {1, 0, -3}};
    mote_simulation_def def = tank_def(3, 0.1, &block, 1);
    mote_mesh *ball = make_ball(context, (mote_vec3){0.4, 0.2, 0.1}, 0.15);
    mote_solid_def solid = {.name = "ball", .mesh = ball, .placement = {1, {0, 0, 0}, {0, 0, 0}}};
    def.solids = &solid, def.solid_count = 1;
    mote_simulation *simulation = make(context, &def);
    CHECK_OK(mote_simulation_run_until(simulation, 0.1, NULL, NULL, NULL));
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
    uint64_t bits = 0, word;
    for (size_t i = 0; i < view.count; ++i) {
        memcpy(&word, &view.x[i], 8);
        bits = (bits ^ word ^ view.id[i]) * 0x100000001B3u + (bits >> 31);
    }
    mote_simulation_destroy(simulation);
    mote_mesh_destroy(ball);
    mote_context_destroy(context);
    return bits;
}

static void same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    uint64_t one = splash_bits(1);
    assert_int_equal(one, splash_bits(2));
    assert_int_equal(one, splash_bits(5));
}

static mote_result splash_a_little(mote_context *context, void *data)
{
    const mote_simulation_def *def = data;
    mote_simulation *simulation = NULL;
    mote_result result = mote_simulation_create(context, def, &simulation, NULL);
    if (result == MOTE_OK) result = mote_simulation_run_until(simulation, 1e-3, NULL, NULL, NULL);
    size_t inside, beyond;
    if (result == MOTE_OK) result = mote_simulation_count_escaped(simulation, &inside, &beyond, NULL);
    mote_simulation_destroy(simulation);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    mote_block_def block = {.min = {0, 0, 0}, .max = {0.6, 0.6, 0.6}};
    mote_simulation_def def = tank_def(3, 0.2, &block, 1);
    mote_mesh *ball = make_ball(NULL, (mote_vec3){0.5, 0.5, 0.5}, 0.25);
    mote_solid_def solid = {.name = "ball", .mesh = ball, .placement = {1, {0, 0, 0}, {0, 0, 0}}};
    def.solids = &solid, def.solid_count = 1;
    def.fluid.density = MOTE_DENSITY_CONTINUITY;
    test_failing_allocations(splash_a_little, &def);
    mote_mesh_destroy(ball);
}

static void a_budget_is_kept(void **state)
{
    (void)state;
    mote_context_def context_def = mote_context_default_def();
    context_def.max_bytes = 1 << 20;
    mote_context *context;
    CHECK_OK(mote_context_create(&context_def, &context, NULL));
    mote_block_def block = {.min = {0, 0, 0}, .max = {1, 1, 1}};
    mote_simulation_def def = tank_def(3, 0.02, &block, 1);
    mote_simulation *simulation;
    mote_error error;
    size_t before = mote_context_byte_count(context);
    assert_int_equal(mote_simulation_create(context, &def, &simulation, &error), MOTE_ERROR_OUT_OF_MEMORY);
    assert_non_null(strstr(error.text, "memory"));
    assert_int_equal(mote_context_byte_count(context), before);
    mote_context_destroy(context);
}

// The particles that wait in the buffer of an inlet are not the fluid's yet.
static void steps_of_buffers_do_not_count(void **state)
{
    (void)state;
    mote_block_def block = {.min = {0, 0, 0}, .max = {1, 0, 1}, .velocity = {0.1, 0, 0}};
    mote_simulation_def def = tank_def(2, 0.1, &block, 1);
    CHECK_OK(mote_fluid_choose_preset(&def.fluid, MOTE_PRESET_ENGINEERING, NULL));
    def.fluid.dimensions = 2, def.fluid.spacing = 0.1;
    mote_open_end inlet = mote_open_end_default();
    inlet.name = "in", inlet.velocity = 0.1;
    inlet.face.center = (mote_vec3){0, 0, 0.5}, inlet.face.normal = (mote_vec3){1, 0, 0}, inlet.face.width = 1;
    def.inlets = &inlet, def.inlet_count = 1;
    mote_simulation *simulation = make(NULL, &def);
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
    CHECK_OK(mote_simulation_step(simulation, 1e-5, NULL, NULL));
    assert_int_equal(mote_simulation_get_counters(simulation).particle_steps, view.count);
    mote_simulation_destroy(simulation);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_defs_are_refused),
        cmocka_unit_test(many_blocks_are_checked),
        cmocka_unit_test(a_full_tank_starts_at_the_rest_density),
        cmocka_unit_test(a_block_fits_its_tank),
        cmocka_unit_test(run_until_arrives_exactly),
        cmocka_unit_test(a_run_can_be_stopped),
        cmocka_unit_test(a_run_that_blows_up_says_so),
        cmocka_unit_test(a_solid_in_the_water_displaces_it),
        cmocka_unit_test(objects_are_looked_at_alike),
        cmocka_unit_test(derived_values_are_told),
        cmocka_unit_test(nobody_gets_through_in_a_splash),
        cmocka_unit_test(same_bits_on_any_number_of_threads),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(a_budget_is_kept),
        cmocka_unit_test(steps_of_buffers_do_not_count),
    };
    RUN_TESTS(tests, argc, argv);
}
