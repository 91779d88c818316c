// SPDX-License-Identifier: MIT
// States of simulations as bytes: a run that goes on from them has the same bits as one that was never interrupted;
// bytes that are damaged, cut short or of another simulation change nothing.

#include "base/tested.h"
#include "mote/simulation.h"
#include "support/shapes.h"
#include "support/simulation.h"
#include "support/test.h"

// A buffer for bytes that are written; takes no more than `most`.
typedef struct memory_file {
    char *bytes;
    size_t length, most;
} memory_file;

static bool take(void *user_data, const void *bytes, size_t length)
{
    memory_file *file = user_data;
    if (length > file->most - file->length) return false;
    file->bytes = realloc(file->bytes, file->length + length);
    memcpy(file->bytes + file->length, bytes, length);
    file->length += length;
    return true;
}

static memory_file write_all(const mote_simulation *simulation)
{
    memory_file file = {NULL, 0, SIZE_MAX};
    mote_error error = {0};
    const mote_result result = mote_simulation_write(simulation, take, &file, &error);
    CHECK(result == MOTE_OK, "%s", error.text);
    return file;
}

// The parts of a simulation's def that it does not copy.
typedef struct parts {
    mote_block_def block;
    mote_solid_def solid;
    mote_mesh *ball;
} parts;

// Water that falls beside a ball, in 2D without the ball, and grains in 3D.
static mote_simulation_def make_def(parts *of, int dimensions, int density)
{
    of->block = (mote_block_def){.min = {0, 0, 0}, .max = {0.3, 1, 0.5}};
    of->ball = shape_cube(NULL, 2);
    for (size_t v = 0; v < of->ball->vertex_count; ++v) {
        mote_vec3 *at = &of->ball->vertices[v];
        *at = (mote_vec3){0.6 + 0.2 * at->x, 0.4 + 0.2 * at->y, 0.1 + 0.2 * at->z};
    }
    of->solid = mote_solid_default_def();
    of->solid.name = "cube", of->solid.mesh = of->ball;
    mote_simulation_def def = mote_simulation_default_def();
    def.fluid.dimensions = dimensions;
    def.fluid.density = density;
    def.fluid.spacing = dimensions == 2 ? 0.04 : 0.1;
    def.has_tank = true;
    def.tank.min = (mote_vec3){0, 0, 0}, def.tank.max = (mote_vec3){1, 1, 1};
    def.blocks = &of->block, def.block_count = 1;
    if (dimensions == 2) return def;
    def.solids = &of->solid, def.solid_count = 1;
    def.has_grains = true;
    def.grains.count = 300, def.grains.duration = 0.08, def.grains.size = 0.02;
    def.grains.min = (mote_vec3){0.1, 0.1, 0.8}, def.grains.max = (mote_vec3){0.9, 0.9, 0.9};
    return def;
}

static void step(mote_simulation *simulation, int count)
{
    for (int k = 0; k < count; ++k) CHECK_OK(mote_simulation_step(simulation, 0.004, NULL, NULL));
}

static void check_same(const mote_simulation *a, const mote_simulation *b, const char *what)
{
    memory_file one = write_all(a), other = write_all(b);
    CHECK(one.length == other.length && memcmp(one.bytes, other.bytes, one.length) == 0, "%s: other bits", what);
    free(one.bytes);
    free(other.bytes);
}

// Interrupted after so many steps, before or after somebody looked at the particles, which evaluates the forces.
static void go_on_after(const mote_simulation_def *def, int steps, bool look)
{
    mote_context_def two = mote_context_default_def();
    two.thread_count = 2;
    mote_context *context;
    CHECK_OK(mote_context_create(&two, &context, NULL));
    mote_simulation *whole = make_simulation(NULL, def), *resumed = make_simulation(context, def);
    step(whole, steps);
    mote_object_view view;
    for (size_t k = 0; look && k < mote_simulation_object_count(whole); ++k)
        CHECK_OK(mote_simulation_get_object(whole, k, &view, NULL));
    memory_file file = write_all(whole);
    step(resumed, 3);  // whatever it did before does not matter
    mote_error error = {0};
    const mote_result result = mote_simulation_read(resumed, file.bytes, file.length, &error);
    CHECK(result == MOTE_OK, "%s", error.text);
    check_same(whole, resumed, "at once");
    assert_true(mote_simulation_time(whole) == mote_simulation_time(resumed));
    step(whole, 12);
    step(resumed, 12);
    check_same(whole, resumed, "after 12 steps");
    assert_true(mote_simulation_time(whole) == mote_simulation_time(resumed));
    CHECK_OK(mote_simulation_validate(resumed, NULL));
    free(file.bytes);
    mote_simulation_destroy(whole);
    mote_simulation_destroy(resumed);
    mote_context_destroy(context);
}

static void resumed_runs_have_the_same_bits(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
        for (int density = 0; density < 2; ++density) {
            parts of;
            const mote_simulation_def def = make_def(&of, dimensions, density);
            for (int steps = 0; steps <= 9; steps += 3)
                for (int look = 0; look < 2; ++look) go_on_after(&def, steps, look);
            mote_mesh_destroy(of.ball);
        }
}

enum { GAUGES = 4 };

// A gauge of each manner: a place, a wall, one with rows that are not due at each step, one that counts what passes.
static void add_gauges(mote_simulation_def *def, mote_gauge_def gauges[GAUGES])
{
    static const char *const names[GAUGES] = {"at", "wall", "rare", "gate"};
    static const int kinds[GAUGES] = {MOTE_GAUGE_PRESSURE, MOTE_GAUGE_WALL_PRESSURE, MOTE_GAUGE_EXTREMES,
                                      MOTE_GAUGE_FLOW};
    for (int k = 0; k < GAUGES; ++k) {
        gauges[k] = mote_gauge_default_def();
        gauges[k].name = names[k], gauges[k].kind = kinds[k];
    }
    gauges[0].at = (mote_vec3){0.2, 0.5, 0.2};
    gauges[1].at = (mote_vec3){0.2, 0.5, 0};
    gauges[2].every = 0.01;
    gauges[3].min = (mote_vec3){0.35, 0, 0}, gauges[3].max = (mote_vec3){0.35, 1, 1}, gauges[3].every = 0.007;
    def->gauges = gauges, def->gauge_count = GAUGES;
}

// All presets, in 2D and 3D, in a tank and in a box that repeats itself, with and without gauges.
static void all_presets_have_the_same_bits(void **state)
{
    (void)state;
    // Races are sought in each preset, with and without each of the rest.
    for (int variant = 0; variant < 3 * 2 * 2 * 2; variant += SEEKS_RACES ? 5 : 1) {
        const int preset = variant % 3, dimensions = 2 + variant / 3 % 2;
        const bool is_periodic = variant / 6 % 2, has_gauges = variant / 12;
        parts of;
        mote_gauge_def gauges[GAUGES];
        mote_simulation_def def = make_def(&of, dimensions, 0);
        CHECK_OK(mote_fluid_choose_preset(&def.fluid, preset, NULL));
        if (dimensions == 2) def.fluid.spacing = 0.05;
        if (has_gauges) add_gauges(&def, gauges);
        if (is_periodic) {
            def.has_grains = false, def.solid_count = 0;
            def.has_periodic = true;
            def.periodic = mote_period_default_def();
            def.periodic.min = def.tank.min, def.periodic.max = def.tank.max, def.periodic.x = true;
            def.tank.open_x_min = def.tank.open_x_max = true;
        }
        if (!is_periodic || def.fluid.solver == MOTE_SOLVER_WEAK) {
            go_on_after(&def, 7, false);
            go_on_after(&def, 9, true);
        }
        mote_mesh_destroy(of.ball);
    }
}

// Water that comes in, goes out and is swallowed, all with what the def points to.
typedef struct open_parts {
    mote_open_end inlet, outlet;
    mote_named_drain drain;
} open_parts;

static void add_open_ends(mote_simulation_def *def, open_parts *of)
{
    const double high = def->fluid.dimensions == 3 ? 1 : NAN;
    of->inlet = of->outlet = mote_open_end_default();
    of->inlet.name = "in", of->outlet.name = "out";
    of->inlet.face.center = (mote_vec3){0, 0.5, 0.25}, of->outlet.face.center = (mote_vec3){1, 0.5, 0.5};
    of->inlet.face.normal = of->outlet.face.normal = (mote_vec3){1, 0, 0};
    of->inlet.face.width = high == 1 ? 1 : 0.5, of->inlet.face.height = high / 2;
    of->outlet.face.width = 1, of->outlet.face.height = high;
    of->inlet.velocity_text = "3 - 40*t + 0.1*r";
    of->drain = (mote_named_drain){"hole", mote_drain_default()};
    of->drain.drain.center = (mote_vec3){0.3, 0.5, 0.1}, of->drain.drain.radius = 0.1;
    def->inlets = &of->inlet, def->inlet_count = 1, def->outlets = &of->outlet, def->outlet_count = 1;
    def->drains = &of->drain, def->drain_count = 1;
}

static void open_ends_have_the_same_bits(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        parts of;
        open_parts open;
        mote_simulation_def def = make_def(&of, dimensions, 0);
        CHECK_OK(mote_fluid_choose_preset(&def.fluid, MOTE_PRESET_ENGINEERING, NULL));
        add_open_ends(&def, &open);
        go_on_after(&def, 0, false);
        go_on_after(&def, 7, false);
        go_on_after(&def, 18, true);
        // Another simulation has the fluid, and buffers of its own.
        mote_simulation *one = make_simulation(NULL, &def), *other = make_simulation(NULL, &def);
        step(one, 15);
        const memory_file file = write_all(one);
        CHECK_OK(mote_simulation_read_start(other, file.bytes, file.length, NULL, NULL));
        mote_fluid_view here, there;
        CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(one), &here, NULL));
        CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(other), &there, NULL));
        const mote_flow_count count = mote_fluid_opening_count(mote_simulation_fluid(other), 0);
        CHECK(here.count == there.count && count.in == 0 && count.buffered > 0, "%zu, %zu", here.count, there.count);
        step(other, 5);
        CHECK_OK(mote_simulation_validate(other, NULL));
        def.drain_count = 0;
        mote_simulation *without = make_simulation(NULL, &def);
        CHECK(mote_simulation_read(without, file.bytes, file.length, NULL) == MOTE_ERROR_FORMAT, "without a drain");
        free(file.bytes);
        mote_simulation_destroy(one);
        mote_simulation_destroy(other);
        mote_simulation_destroy(without);
        mote_mesh_destroy(of.ball);
    }
}

static void refuse(mote_simulation *simulation, const char *bytes, size_t length, const char *what)
{
    mote_error error = {0};
    const memory_file before = write_all(simulation);
    const mote_result result = mote_simulation_read(simulation, bytes, length, &error);
    CHECK(result == MOTE_ERROR_FORMAT && error.text[0], "%s: %s, %s", what, mote_result_name(result), error.text);
    const memory_file after = write_all(simulation);
    CHECK(before.length == after.length && memcmp(before.bytes, after.bytes, before.length) == 0, "%s: changed", what);
    free(before.bytes);
    free(after.bytes);
}

static void damaged_bytes_change_nothing(void **state)
{
    (void)state;
    parts of, others;
    mote_simulation_def def = make_def(&of, 3, 0), flat = make_def(&others, 2, 0);
    mote_simulation *simulation = make_simulation(NULL, &def), *other = make_simulation(NULL, &flat);
    step(simulation, 2);
    memory_file file = write_all(simulation);
    step(simulation, 2);
    char *copy = malloc(file.length + 8);
    for (size_t at = 0; at < file.length; at += 1 + at / 16) {
        memcpy(copy, file.bytes, file.length);
        copy[at] = (char)(copy[at] ^ 0x10);
        refuse(simulation, copy, file.length, "a bit turned");
        refuse(simulation, file.bytes, at, "cut short");
    }
    memcpy(copy, file.bytes, file.length);
    memset(copy + file.length, 0, 8);
    refuse(simulation, copy, file.length + 8, "more bytes");
    refuse(other, file.bytes, file.length, "another simulation");
    free(copy);

    // Other spacings and numbers of grains are found by the fluid and the grains themselves.
    mote_simulation_def finer = def, fewer = def;
    finer.fluid.spacing = 0.09;
    fewer.grains.count = 299;
    mote_simulation *one = make_simulation(NULL, &finer);
    refuse(one, file.bytes, file.length, "another spacing");
    mote_simulation_destroy(one);
    one = make_simulation(NULL, &fewer);
    step(one, 4);
    refuse(one, file.bytes, file.length, "fewer grains: the fluid was read, and is put back");
    mote_simulation_destroy(one);
    free(file.bytes);
    mote_simulation_destroy(simulation);
    mote_simulation_destroy(other);
    mote_mesh_destroy(of.ball);
    mote_mesh_destroy(others.ball);
}

// Reads a state of more particles than there are, into one that was evaluated.
static mote_result write_and_read(mote_context *context, void *data)
{
    const mote_simulation_def *def = data;
    mote_simulation *simulation, *other;
    mote_result result = mote_simulation_create(context, def, &simulation, NULL);
    if (result != MOTE_OK) return result;
    const mote_block_def larger = {.min = {0, 0, 0}, .max = {0.8, 1, 0.9}};
    mote_simulation_def more = *def;
    more.fluid = mote_fluid_resolved_def(mote_simulation_fluid(simulation));
    more.phase = mote_fluid_resolved_phase(mote_simulation_fluid(simulation), 0);
    more.blocks = &larger;
    CHECK_OK(mote_simulation_create(NULL, &more, &other, NULL));
    step(other, 5);
    mote_object_view view;
    for (size_t k = 0; k < mote_simulation_object_count(simulation) && result == MOTE_OK; ++k)
        result = mote_simulation_get_object(simulation, k, &view, NULL);
    if (result != MOTE_OK) {
        mote_simulation_destroy(other);
        mote_simulation_destroy(simulation);
        return result;
    }
    const memory_file file = write_all(other), before = write_all(simulation);
    result = mote_simulation_read(simulation, file.bytes, file.length, NULL);
    const memory_file after = write_all(simulation), *expected = result == MOTE_OK ? &file : &before;
    CHECK(after.length == expected->length && memcmp(after.bytes, expected->bytes, after.length) == 0, "%s",
          mote_result_name(result));
    free(file.bytes);
    free(before.bytes);
    free(after.bytes);
    mote_simulation_destroy(other);
    if (result != MOTE_OK) (void)mote_simulation_step(simulation, 0.004, NULL, NULL);  // it still works
    mote_simulation_destroy(simulation);
    return result;
}

// ------------------------------------------------------------------------------------ the start of another simulation

static mote_fluid_view view_of(mote_simulation *simulation)
{
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
    return view;
}

// Another simulation has the same particles where they were, at its own time, and moves them by its own def.
static void a_state_starts_another_simulation(void **state)
{
    (void)state;
    static const char *const presets[] = {"document", "fast", "engineering"};
    for (int preset = 0; preset < 3; ++preset) {
        parts of;
        mote_simulation_def def = make_def(&of, 2, 0), wider = def;
        CHECK_OK(mote_fluid_choose_preset(&def.fluid, preset, NULL));
        wider.fluid = def.fluid;
        mote_gauge_def gauge = mote_gauge_default_def();
        gauge.name = "front", gauge.kind = MOTE_GAUGE_FRONT;
        wider.gauges = &gauge, wider.gauge_count = 1;
        wider.tank.max.x = 2;
        wider.fluid.gravity.z = -5;
        mote_simulation *one = make_simulation(NULL, &def);
        mote_simulation *other = make_simulation(NULL, &wider), *again = make_simulation(NULL, &wider);
        step(one, 20);
        const mote_fluid_view there = view_of(one);
        const memory_file file = write_all(one);
        step(again, 2);  // its particles are others, but what it is remains
        mote_simulation_origin origin;
        mote_error error = {0};
        const mote_result result = mote_simulation_read_start(other, file.bytes, file.length, &origin, &error);
        CHECK(result == MOTE_OK, "%s: %s", presets[preset], error.text);
        assert_true(origin.time == mote_simulation_time(one) && mote_simulation_time(other) == 0);
        assert_int_equal(origin.steps, 20);
        assert_int_equal(origin.particles, there.count);
        const mote_fluid_view here = view_of(other);
        assert_int_equal(here.count, there.count);
        size_t found = 0;
        for (size_t i = 0; i < there.count; ++i)
            for (size_t k = 0; k < here.count; ++k)
                if (here.id[k] == there.id[i])
                    found += here.x[k] == there.x[i] && here.z[k] == there.z[i] && here.vx[k] == there.vx[i];
        CHECK(found == there.count, "%s: %zu of %zu particles", presets[preset], found, there.count);
        mote_gauge_view row;
        CHECK_OK(mote_simulation_get_gauge(other, 0, &row, NULL));
        CHECK(row.row_count == 1 && row.time == 0 && row.values[0] > 0.25, "front at %g", row.values[0]);
        step(other, 30);
        CHECK_OK(mote_simulation_validate(other, NULL));
        free(file.bytes);
        mote_simulation_destroy(one);
        mote_simulation_destroy(other);
        mote_simulation_destroy(again);
        mote_mesh_destroy(of.ball);
    }
}

static void refuse_start(const mote_simulation_def *def, const memory_file *file, size_t length, const char *why)
{
    mote_error error = {0};
    mote_simulation *simulation = make_simulation(NULL, def);
    const memory_file before = write_all(simulation);
    const mote_result result = mote_simulation_read_start(simulation, file->bytes, length, NULL, &error);
    CHECK(result == MOTE_ERROR_FORMAT && strstr(error.text, why), "%s: %s, %s", why, mote_result_name(result),
          error.text);
    const memory_file after = write_all(simulation);
    CHECK(before.length == after.length && memcmp(before.bytes, after.bytes, before.length) == 0, "%s: changed", why);
    free(before.bytes);
    free(after.bytes);
    step(simulation, 2);
    mote_simulation_destroy(simulation);
}

static void what_cannot_start_is_refused(void **state)
{
    (void)state;
    parts of, flat_of;
    const mote_simulation_def def = make_def(&of, 3, 0), flat = make_def(&flat_of, 2, 0);
    mote_simulation *simulation = make_simulation(NULL, &def);
    step(simulation, 10);
    const memory_file file = write_all(simulation);
    mote_simulation_def other = def;
    refuse_start(&flat, &file, file.length, "a state in 3D, expected one in 2D");
    other.fluid.spacing = 0.09;
    refuse_start(&other, &file, file.length, "a spacing of 0.1 m, expected 0.09 m");
    other = def, other.phase.rest_density = 900;
    refuse_start(&other, &file, file.length, "particles of 0.990319 kg, expected 0.891288 kg");
    other = def, other.grains.count = 299;
    refuse_start(&other, &file, file.length, "of 300 grains, expected");
    other = def, other.tank.max.y = 0.9;
    const mote_block_def narrow = {.min = {0, 0, 0}, .max = {0.3, 0.9, 0.5}};
    other.blocks = &narrow, other.grains.max.y = def.grains.max.y - 0.1;
    refuse_start(&other, &file, file.length, "another def");
    other.has_grains = false;
    refuse_start(&other, &file, file.length, "beyond a wall, expected none");
    for (size_t length = 0; length < file.length; length += 1 + file.length / 7)
        refuse_start(&def, &file, length, "cut short");
    free(file.bytes);
    mote_simulation_destroy(simulation);
    mote_mesh_destroy(of.ball);
    mote_mesh_destroy(flat_of.ball);
}

// As write_and_read, but the state becomes the start.
static mote_result write_and_start(mote_context *context, void *data)
{
    const mote_simulation_def *def = data;
    mote_simulation *simulation, *other;
    mote_result result = mote_simulation_create(context, def, &simulation, NULL);
    if (result != MOTE_OK) return result;
    const mote_block_def larger = {.min = {0, 0, 0}, .max = {0.8, 1, 0.9}};
    mote_simulation_def more = *def;
    more.blocks = &larger;
    CHECK_OK(mote_simulation_create(NULL, &more, &other, NULL));
    step(other, 5);
    const memory_file file = write_all(other), before = write_all(simulation);
    result = mote_simulation_read_start(simulation, file.bytes, file.length, NULL, NULL);
    const memory_file after = write_all(simulation);
    if (result != MOTE_OK)
        CHECK(after.length == before.length && memcmp(after.bytes, before.bytes, after.length) == 0, "%s",
              mote_result_name(result));
    free(file.bytes);
    free(before.bytes);
    free(after.bytes);
    mote_simulation_destroy(other);
    mote_simulation_destroy(simulation);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    parts of;
    mote_simulation_def def = make_def(&of, 2, 0);
    def.fluid.spacing = 0.1;
    test_failing_allocations(write_and_read, &def);
    test_failing_allocations(write_and_start, &def);
    mote_mesh_destroy(of.ball);
}

static void expect_densities_of_what_is_read(mote_fluid *fluid, mote_fluid *fresh)
{
    mote_fluid_view view;
    memory_file file = {NULL, 0, SIZE_MAX};
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    CHECK_OK(mote_fluid_write(fluid, take, &file, NULL));
    CHECK_OK(mote_fluid_read(fresh, file.bytes, file.length, NULL));
    float *expected = malloc(view.count * sizeof *expected), *found = malloc(view.count * sizeof *found);
    CHECK_OK(mote_fluid_sum_densities(fluid, expected, NULL));
    CHECK_OK(mote_fluid_sum_densities(fresh, found, NULL));
    assert_memory_equal(expected, found, view.count * sizeof *found);
    free(expected);
    free(found);
    free(file.bytes);
}

// Sums of densities need rows, which are not written: they are found for what was read, also in a fluid that had fewer
// particles or was never evaluated.
static void densities_of_what_was_read(void **state)
{
    (void)state;
    parts of;
    const mote_simulation_def def = make_def(&of, 2, 0);
    mote_simulation *simulation = make_simulation(NULL, &def);
    step(simulation, 4);
    mote_fluid *fluid = mote_simulation_fluid(simulation), *fresh;
    const double *positions, *volumes;
    size_t walls;
    mote_fluid_get_walls(fluid, &positions, &volumes, &walls);
    const mote_fluid_def resolved = mote_fluid_resolved_def(fluid);
    const mote_phase_def water = mote_fluid_resolved_phase(fluid, 0);
    uint32_t phase;
    CHECK_OK(mote_fluid_create(NULL, &resolved, &fresh, NULL));
    CHECK_OK(mote_fluid_add_phase(fresh, &water, &phase, NULL));
    CHECK_OK(mote_fluid_add_walls(fresh, positions, volumes, walls, NULL));
    expect_densities_of_what_is_read(fluid, fresh);
    mote_fluid_destroy(fresh);
    mote_simulation_destroy(simulation);
    mote_mesh_destroy(of.ball);
}

// Two liquids by summation; or a fluid for them.
static mote_fluid *make_two_liquids(bool has_particles)
{
    enum { SIDE = 20 };
    mote_fluid_def def = mote_fluid_default_def();
    mote_fluid *fluid;
    CHECK_OK(mote_fluid_choose_preset(&def, MOTE_PRESET_DOCUMENT, NULL));
    def.dimensions = 2, def.spacing = 0.05;
    CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
    for (uint32_t k = 0; k < 2; ++k) {
        mote_phase_def liquid = mote_phase_default_def();
        uint32_t phase;
        liquid.rest_density = k ? 500 : 1000, liquid.sound_speed = 20;
        CHECK_OK(mote_fluid_add_phase(fluid, &liquid, &phase, NULL));
    }
    for (int i = 0; has_particles && i < SIDE * SIDE; ++i) {
        const double at[3] = {def.spacing * (i % SIDE), 0, def.spacing * (i / SIDE)};
        CHECK_OK(mote_fluid_add(fluid, i < SIDE * SIDE / 2 ? 0 : 1, at, NULL, 1, NULL));
    }
    return fluid;
}

// So it is where rows are read through phases, which are found again, too.
static void densities_of_liquids_that_were_read(void **state)
{
    (void)state;
    mote_fluid *fluid = make_two_liquids(true), *fresh = make_two_liquids(false);
    expect_densities_of_what_is_read(fluid, fresh);
    mote_fluid_destroy(fresh);
    mote_fluid_destroy(fluid);
}

// A fluid and grains on their own refuse what is not theirs, and are as they were.
static void parts_refuse_what_is_not_theirs(void **state)
{
    (void)state;
    parts of;
    const mote_simulation_def def = make_def(&of, 3, 0);
    mote_simulation *simulation = make_simulation(NULL, &def);
    step(simulation, 3);
    mote_fluid *fluid = mote_simulation_fluid(simulation);
    memory_file water = {NULL, 0, SIZE_MAX}, sand = {NULL, 0, SIZE_MAX};
    CHECK_OK(mote_fluid_write(fluid, take, &water, NULL));
    CHECK_OK(mote_grains_write(mote_simulation_grains(simulation), take, &sand, NULL));
    const mote_mesh *mesh = of.ball;
    mote_grains_def less = def.grains;
    mote_grains *grains, *same;
    CHECK_OK(mote_grains_create(NULL, &less, &mesh, 1, &same, NULL));
    less.count = 200;
    CHECK_OK(mote_grains_create(NULL, &less, &mesh, 1, &grains, NULL));
    mote_error error = {0};
    assert_int_equal(mote_fluid_read(fluid, sand.bytes, sand.length, &error), MOTE_ERROR_FORMAT);
    assert_int_equal(mote_grains_read(same, water.bytes, water.length, &error), MOTE_ERROR_FORMAT);
    assert_int_equal(mote_grains_read(grains, sand.bytes, sand.length, &error), MOTE_ERROR_FORMAT);
    CHECK(strstr(error.text, "of 300 grains, expected") != NULL, "%s", error.text);
    mote_grains *lighter;
    less.count = def.grains.count, less.gravity.z = -1;
    CHECK_OK(mote_grains_create(NULL, &less, &mesh, 1, &lighter, NULL));
    assert_int_equal(mote_grains_read(lighter, sand.bytes, sand.length, &error), MOTE_ERROR_FORMAT);
    mote_grains_destroy(lighter);
    CHECK_OK(mote_grains_read(same, sand.bytes, sand.length, &error));
    assert_int_equal(mote_grains_get_view(same).count,
                     mote_grains_get_view(mote_simulation_grains(simulation)).count);
    for (size_t length = 0; length < 600; length += 7) {
        assert_int_equal(mote_fluid_read(fluid, water.bytes, length, &error), MOTE_ERROR_FORMAT);
        assert_int_equal(mote_grains_read(same, sand.bytes, length, &error), MOTE_ERROR_FORMAT);
    }
    for (size_t most = 0; most < 2000; most += 333) {
        memory_file full = {NULL, 0, most};
        assert_int_equal(mote_simulation_write(simulation, take, &full, &error), MOTE_ERROR_FILE);
        free(full.bytes);
    }
    CHECK_OK(mote_fluid_validate(fluid, NULL));
    mote_grains_destroy(same);
    mote_grains_destroy(grains);
    free(water.bytes);
    free(sand.bytes);
    mote_simulation_destroy(simulation);
    mote_mesh_destroy(of.ball);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resumed_runs_have_the_same_bits),
        cmocka_unit_test(all_presets_have_the_same_bits),
        cmocka_unit_test(open_ends_have_the_same_bits),
        cmocka_unit_test(damaged_bytes_change_nothing),
        cmocka_unit_test(parts_refuse_what_is_not_theirs),
        cmocka_unit_test(densities_of_what_was_read),
        cmocka_unit_test(densities_of_liquids_that_were_read),
        cmocka_unit_test(a_state_starts_another_simulation),
        cmocka_unit_test(what_cannot_start_is_refused),
        cmocka_unit_test(failing_allocations),  // one thread
    };
    RUN_TESTS(tests, argc, argv);
}
