// SPDX-License-Identifier: MIT
// Open ends: what passes is what is missing, flows have the volume of their area, jets keep their momentum, drains
// swallow; ids, threads, states, memory and refusals.

#include "mote/simulation.h"
#include "support/simulation.h"
#include "support/test.h"
#include "support/water.h"

// A def with what it points to.
typedef struct stream {
    mote_simulation_def def;
    mote_block_def block;
    mote_open_end inlets[2], outlet;
    mote_named_drain drain;
} stream;

static mote_open_end face(const char *name, mote_vec3 center, mote_vec3 normal, double width)
{
    mote_open_end def = mote_open_end_default();
    def.name = name, def.face.center = center, def.face.normal = normal, def.face.width = width;
    return def;
}

// Water that fills a channel, 1 m by 0.4 m, in 2D, and goes through it along x.
static void make_stream(stream *of, double spacing, double speed)
{
    *of = (stream){.def = mote_simulation_default_def()};
    mote_simulation_def *def = &of->def;
    CHECK_OK(mote_fluid_choose_preset(&def->fluid, MOTE_PRESET_ENGINEERING, NULL));
    def->fluid.dimensions = 2, def->fluid.spacing = spacing;
    def->fluid.gravity = (mote_vec3){0, 0, 0};
    def->phase.sound_speed = 10;
    def->has_tank = true, def->tank.slip = true;
    def->tank.min = (mote_vec3){0, 0, 0}, def->tank.max = (mote_vec3){1, 0, 0.4};
    of->block = mote_block_default_def();
    of->block.min = (mote_vec3){0, 0, 0}, of->block.max = (mote_vec3){1, 0, 0.4}, of->block.velocity.x = speed;
    of->inlets[0] = face("in", (mote_vec3){0, 0, 0.2}, (mote_vec3){1, 0, 0}, 0.4);
    of->inlets[0].velocity = speed;
    of->outlet = face("out", (mote_vec3){1, 0, 0.2}, (mote_vec3){1, 0, 0}, 0.4);
    of->outlet.pressure = 0;
    def->blocks = &of->block, def->block_count = 1;
    def->inlets = of->inlets, def->inlet_count = 1;
    def->outlets = &of->outlet, def->outlet_count = 1;
}

static void run_until(mote_simulation *simulation, double time)
{
    mote_error error = {0};
    const mote_result result = mote_simulation_run_until(simulation, time, NULL, NULL, &error);
    CHECK(result == MOTE_OK, "%s", error.text);
}

static mote_fluid_view view_of(mote_simulation *simulation)
{
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
    return view;
}

static int compare_ids(const void *a, const void *b)
{
    const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return first < second ? -1 : first > second;
}

static void check_ids(const mote_fluid_view *view)
{
    uint64_t *ids = malloc((view->count + 1) * sizeof *ids);
    memcpy(ids, view->id, view->count * sizeof *ids);
    qsort(ids, view->count, sizeof *ids, compare_ids);
    for (size_t i = 1; i < view->count; ++i) CHECK(ids[i] != ids[i - 1], "id %llu twice", (unsigned long long)ids[i]);
    free(ids);
}

// -------------------------------------------------------------------------------------------------- streams and jets

// A stream at its outlet's pressure changes nowhere; the volume that passes is that of the area.
static void a_uniform_stream_stays_uniform(void **state)
{
    (void)state;
    stream of;
    const double d = 0.04, speed = 1, time = 1.5;
    make_stream(&of, d, speed);
    mote_simulation *simulation = make_simulation(NULL, &of.def);
    const size_t start = view_of(simulation).count;
    for (int k = 1; k <= 5; ++k) {
        run_until(simulation, time * k / 5);
        const mote_flow_count in = mote_fluid_opening_count(mote_simulation_fluid(simulation), 0);
        const mote_flow_count out = mote_fluid_opening_count(mote_simulation_fluid(simulation), 1);
        const mote_fluid_view view = view_of(simulation);
        CHECK(view.count == start + in.in - in.out + out.in - out.out, "%zu particles, %zu + %d", view.count, start,
              (int)(in.in + out.in) - (int)(in.out + out.out));
        const double expected = speed * 0.4 * time * k / 5 / (d * d), layer = 0.4 / d;
        CHECK(fabs((double)in.in - expected) <= layer, "%llu in, expected %g", (unsigned long long)in.in, expected);
        CHECK(fabs((double)out.out - expected) <= 2 * layer, "%llu out, expected %g", (unsigned long long)out.out,
              expected);
        CHECK(fabs(in.mass_in - 1000 * d * d * (double)in.in) < 1e-6, "%g kg", in.mass_in);
        check_ids(&view);
        for (size_t i = 0; i < view.count; ++i)
            CHECK(fabs((double)view.vx[i] - speed) < 0.02 * speed && fabs((double)view.pressure[i]) < 20,
                  "particle %zu: %g m/s, %g Pa", i, (double)view.vx[i], (double)view.pressure[i]);
    }
    CHECK_OK(mote_simulation_validate(simulation, NULL));
    mote_simulation_destroy(simulation);
}

// With the other presets as much comes in and goes out; with sums for densities the velocity says so at both ends.
static void streams_of_other_presets(void **state)
{
    (void)state;
    for (int preset = MOTE_PRESET_FAST; preset <= MOTE_PRESET_DOCUMENT; ++preset) {
        stream of;
        const double d = 0.04;
        make_stream(&of, d, 1);
        CHECK_OK(mote_fluid_choose_preset(&of.def.fluid, preset, NULL));
        if (preset == MOTE_PRESET_DOCUMENT) of.block.pressure = NULL, of.outlet.pressure = NAN, of.outlet.velocity = 1;
        mote_simulation *simulation = make_simulation(NULL, &of.def);
        const size_t start = view_of(simulation).count;
        run_until(simulation, 0.6);
        const mote_flow_count in = mote_fluid_opening_count(mote_simulation_fluid(simulation), 0);
        const mote_flow_count out = mote_fluid_opening_count(mote_simulation_fluid(simulation), 1);
        const mote_fluid_view view = view_of(simulation);
        const double expected = 0.4 * 0.6 / (d * d), net = (double)out.out - (double)out.in;
        CHECK(view.count == start + in.in - in.out + out.in - out.out, "preset %d: %zu particles", preset, view.count);
        CHECK(fabs((double)in.in - expected) <= 0.4 / d && fabs(net - expected) <= 3 * 0.4 / d,
              "preset %d: %d in, %g out, expected %g", preset, (int)in.in, net, expected);
        check_ids(&view);
        mote_simulation_destroy(simulation);
    }
}

// In the air nothing acts on a jet but gravity: it has the momentum with which it came, on both sides of its axis
// alike.
static void a_jet_keeps_its_momentum(void **state)
{
    (void)state;
    stream of;
    const double d = 0.02, speed = 2;
    make_stream(&of, d, speed);
    of.def.has_tank = false, of.def.block_count = 0, of.def.outlet_count = 0;
    of.inlets[0] = face("jet", (mote_vec3){0.3, 0, 0.7}, (mote_vec3){3, 0, 4}, 0.2);
    of.inlets[0].velocity = speed;
    mote_simulation *simulation = make_simulation(NULL, &of.def);
    run_until(simulation, 0.25);
    mote_fluid_totals totals;
    CHECK_OK(mote_fluid_get_totals(mote_simulation_fluid(simulation), &totals, NULL));
    const double mass = mote_fluid_opening_count(mote_simulation_fluid(simulation), 0).mass_in;
    CHECK(fabs(totals.mass - mass) < 1e-9 && fabs(mass - 1000 * 0.2 * speed * 0.25) < 1000 * 0.2 * d, "%g kg of %g",
          totals.mass, mass);
    CHECK(fabs(totals.momentum.x - 0.6 * speed * mass) < 0.01 * speed * mass &&
              fabs(totals.momentum.z - 0.8 * speed * mass) < 0.01 * speed * mass,
          "momentum %g, %g of %g kg", totals.momentum.x, totals.momentum.z, mass);
    const mote_fluid_view view = view_of(simulation);
    double aside = 0, farthest = 0;
    for (size_t i = 0; i < view.count; ++i) {
        const double off = 0.8 * (view.x[i] - 0.3) - 0.6 * (view.z[i] - 0.7);
        aside += off / (double)view.count;
        farthest = fmax(farthest, fabs(off));
    }
    CHECK(fabs(aside) < 0.01 * d && farthest < 0.1 + d, "%g m aside, %g m at most", aside, farthest);
    mote_simulation_destroy(simulation);
}

// Every shape of face, in directions of its own: as much comes in as area and velocity say.
static void faces_let_pass_what_their_area_says(void **state)
{
    (void)state;
    static const double star[] = {-0.3, -0.3, 0.3, -0.3, 0.1, 0, 0.3, 0.3, -0.3, 0.3};
    const double pi = 3.14159265358979323846, d = 0.1, time = 0.4;
    const double areas[] = {0.5 * 0.25, pi * 0.25 * 0.25, 0.36 - 0.5 * 0.6 * 0.2};
    for (int shape = 0; shape < 3; ++shape)
        for (int form = 0; form < 2; ++form) {  // a velocity, a flow rate
            stream of;
            make_stream(&of, d, 1);
            of.def.fluid.dimensions = 3;
            of.def.has_tank = false, of.def.block_count = 0, of.def.outlet_count = 0;
            of.inlets[0] = face("in", (mote_vec3){1, 2, 3}, (mote_vec3){1, -2, shape == 1 ? 2 : -7}, NAN);
            if (shape == 0) of.inlets[0].face.width = 0.5, of.inlets[0].face.height = 0.25;
            if (shape == 1) of.inlets[0].face.radius = 0.25;
            if (shape == 2) of.inlets[0].face.corners = (mote_corners){star, 5};
            of.inlets[0].velocity_text = form ? NULL : "1.5*(1 - t) + 0*(x + y + z + r)";
            of.inlets[0].flow_rate_text = form ? "1.2*t" : NULL;
            mote_simulation *simulation = make_simulation(NULL, &of.def);
            run_until(simulation, time);
            const double volume = form ? 0.6 * time * time : areas[shape] * 1.5 * (time - time * time / 2);
            const mote_flow_count count = mote_fluid_opening_count(mote_simulation_fluid(simulation), 0);
            const double found = (double)count.in * d * d * d, layer = areas[shape] * d;
            CHECK(fabs(found - volume) < layer, "shape %d: %g m3, expected %g", shape, found, volume);
            CHECK(view_of(simulation).count == count.in && count.buffered > 0, "%zu particles",
                  view_of(simulation).count);
            mote_simulation_destroy(simulation);
        }
}

// Water goes back and forth through an inlet and an outlet; what has left is gone.
static void a_face_takes_both_directions(void **state)
{
    (void)state;
    stream of;
    make_stream(&of, 0.04, 0);
    of.inlets[0].velocity_text = "0.3*sin(2*pi*t)";
    of.def.phase.sound_speed = 20, of.block.pressure = "3000", of.outlet.pressure = 3000;  // so that nothing is torn
    mote_simulation *simulation = make_simulation(NULL, &of.def);
    const size_t start = view_of(simulation).count;
    run_until(simulation, 1);
    const mote_flow_count in = mote_fluid_opening_count(mote_simulation_fluid(simulation), 0);
    const mote_flow_count out = mote_fluid_opening_count(mote_simulation_fluid(simulation), 1);
    const double volume = 0.3 / 3.14159265358979323846 * 0.4 / 0.0016;  // particles of half a period
    CHECK(in.in > 0 && in.out > 0 && out.in > 0 && out.out > 0, "%d in, %d out, %d in, %d out", (int)in.in, (int)in.out,
          (int)out.in, (int)out.out);
    CHECK(fabs((double)in.in - volume) < 10 && fabs((double)in.out - volume) < 10, "%g: %d in, %d out", volume,
          (int)in.in, (int)in.out);
    const double change = (double)view_of(simulation).count - (double)start;
    CHECK(change == (double)in.in - (double)in.out + (double)out.in - (double)out.out && fabs(change) < 25, "%g",
          change);
    mote_simulation_destroy(simulation);
}

// Particles that come back through an inlet go in again and lead to no more of them: what follows is of the inlet's
// fluid, and as much as its area says. Once oil is thrown against water that comes in, once it is sucked in first.
// It is thrown at 8 m/s, since at 4 m/s almost nothing passes: the three layers of oil are a drop in the open, which
// bounces off the water of the buffer before it reaches the face. All of it is near a surface, where nothing is
// shifted.
static void what_comes_back_leads_to_no_more(void **state)
{
    (void)state;
    for (int is_sucked = 0; is_sucked < 2; ++is_sucked) {
        stream of;
        const double d = 0.04, time = 0.6;
        make_stream(&of, d, 1);
        mote_named_phase fluids[2] = {{"water", of.def.phase}, {"oil", of.def.phase}};
        fluids[0].phase.sound_speed = fluids[1].phase.sound_speed = 30, fluids[1].phase.rest_density = 800;
        of.def.fluids = fluids, of.def.fluid_count = 2;
        of.def.has_tank = false, of.def.outlet_count = 0;
        of.inlets[0].fluid = "water", of.block.fluid = "oil";
        of.inlets[0].velocity_text = is_sucked ? "-1 + 8*t" : "1";
        if (!is_sucked) of.block.min = (mote_vec3){0, 0, 0.08}, of.block.max = (mote_vec3){0.12, 0, 0.32};
        of.block.velocity.x = is_sucked ? -1 : -8;
        mote_simulation *simulation = make_simulation(NULL, &of.def);
        const size_t oil = view_of(simulation).count;
        const size_t buffered = mote_fluid_opening_count(mote_simulation_fluid(simulation), 0).buffered;
        run_until(simulation, time);
        const mote_flow_count count = mote_fluid_opening_count(mote_simulation_fluid(simulation), 0);
        const mote_fluid_view view = view_of(simulation);
        const double volume = 0.4 * (is_sucked ? 4 * time * time - time : time) / (d * d);
        size_t still = 0;
        for (size_t i = 0; i < view.count; ++i) still += view.phase[i] == 1;
        CHECK(count.out > 5 && still == oil, "%d out, %zu of %zu of oil", (int)count.out, still, oil);
        CHECK(count.buffered == buffered, "%zu in the buffer, %zu at the start", count.buffered, buffered);
        CHECK(fabs((double)count.in - (double)count.out - volume) <= 12, "%d in, %d out, expected %g", (int)count.in,
              (int)count.out, volume);
        mote_simulation_destroy(simulation);
    }
}

// Oil that has left through an outlet comes back, and what follows it is water, which the outlet names.
static void what_follows_at_an_outlet_is_its_fluid(void **state)
{
    (void)state;
    stream of;
    make_stream(&of, 0.05, 0);
    of.inlets[0].velocity_text = "0.5 - 2*t";
    of.def.phase.sound_speed = 20, of.block.pressure = "3000", of.outlet.pressure = 3000;
    mote_named_phase fluids[2] = {{"water", of.def.phase}, {"oil", of.def.phase}};
    of.def.fluids = fluids, of.def.fluid_count = 2;
    of.inlets[0].fluid = of.outlet.fluid = of.block.fluid = "water";
    mote_block_def blocks[2] = {of.block, of.block};
    blocks[1].fluid = "oil", blocks[1].min.x = 0.9;
    of.def.blocks = blocks, of.def.block_count = 2;
    mote_simulation *simulation = make_simulation(NULL, &of.def);
    size_t oil[2] = {0};
    for (int k = 0; k < 2; ++k) {
        run_until(simulation, 0.9 * k);
        const mote_fluid_view view = view_of(simulation);
        for (size_t i = 0; i < view.count; ++i) oil[k] += view.phase[i];
    }
    const mote_flow_count count = mote_fluid_opening_count(mote_simulation_fluid(simulation), 1);
    CHECK(count.out > 5 && count.in > count.out + 20, "%d out, %d in", (int)count.out, (int)count.in);
    CHECK(oil[1] <= oil[0] && oil[1] > oil[0] / 2, "%zu of oil, %zu at the start", oil[1], oil[0]);
    mote_simulation_destroy(simulation);
}

// A fluid with a phase and without particles.
static mote_fluid *fluid_of_spacing(double spacing, int dimensions)
{
    mote_fluid_def def = mote_fluid_default_def();
    mote_fluid *fluid;
    CHECK_OK(mote_fluid_choose_preset(&def, MOTE_PRESET_ENGINEERING, NULL));
    def.spacing = spacing, def.dimensions = dimensions;
    CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
    CHECK_OK(add_water(fluid, 10, NULL));
    return fluid;
}

// A face along x, 0.6 m wide and high.
static mote_opening opening_at_origin(int dimensions)
{
    mote_opening opening = mote_opening_default();
    opening.face.normal = (mote_vec3){1, 0, 0}, opening.face.center = (mote_vec3){0, 0, 0};
    opening.face.width = 0.6;
    if (dimensions == 3) opening.face.height = 0.6;
    return opening;
}

// The buffer of an outlet starts where there is fluid at the mirrored place: as by looking at each particle.
static void a_buffer_starts_where_there_is_fluid(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        mote_fluid *fluid = fluid_of_spacing(0.1, dimensions);
        uint32_t number;
        enum { PARTICLES = 60 };
        double at[3 * PARTICLES];
        mote_random random = {7};
        for (int i = 0; i < 3 * PARTICLES; ++i) at[i] = 0.8 * mote_random_unit(&random) - (i % 3 ? 0.4 : 0.1);
        for (int i = 0; i < PARTICLES && dimensions == 2; ++i) at[3 * i + 1] = 0;
        CHECK_OK(mote_fluid_add(fluid, 0, at, NULL, PARTICLES, NULL));
        mote_opening opening = opening_at_origin(dimensions);
        opening.starts_full = false;
        CHECK_OK(mote_fluid_add_opening(fluid, &opening, &number, NULL));
        const int layers = (int)(mote_fluid_resolved_def(fluid).support / 0.1 + 0.999);
        size_t expected = 0;
        for (int k = 0; k < 6 * (dimensions == 3 ? 6 : 1) * layers; ++k) {
            const double place[3] = {(k % layers + 0.5) * 0.1, dimensions == 3 ? (k / layers / 6 + 0.5) * 0.1 - 0.3 : 0,
                                     (k / layers % 6 + 0.5) * 0.1 - 0.3};
            bool is_next = false;
            for (int i = 0; i < PARTICLES; ++i)
                is_next =
                    is_next || (at[3 * i] >= 0 && pow(at[3 * i] - place[0], 2) + pow(at[3 * i + 1] - place[1], 2) +
                                                          pow(at[3 * i + 2] - place[2], 2) <
                                                      0.09 * 0.09);
            expected += is_next;
        }
        const size_t found = mote_fluid_opening_count(fluid, number).buffered;
        CHECK(found == expected && found > 0, "%dD: %zu in the buffer, expected %zu", dimensions, found, expected);
        mote_fluid_destroy(fluid);
    }
}

// Far below the face within 0.2 m of its middle; none elsewhere.
static double hollow_level(void *user_data, mote_vec3 place, double r)
{
    (void)user_data;
    (void)place;
    return r < 0.2 ? -10 : NAN;
}

static void a_level_may_depend_on_the_distance_from_the_middle(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        mote_fluid *fluid = fluid_of_spacing(0.1, dimensions);
        uint32_t number;
        CHECK_OK(mote_fluid_add(fluid, 0, (const double[]){0.1, 0, 0}, NULL, 1, NULL));
        mote_opening opening = opening_at_origin(dimensions);
        opening.sets_pressure = opening.starts_full = true, opening.level_at = hollow_level;
        CHECK_OK(mote_fluid_add_opening(fluid, &opening, &number, NULL));
        const size_t layers = (size_t)(mote_fluid_resolved_def(fluid).support / 0.1 + 0.999);
        // Of six cells 4 are within 0.2 m of the middle, of 36 cells 12.
        const size_t found = mote_fluid_opening_count(fluid, number).buffered;
        const size_t expected = (dimensions == 3 ? 24 : 2) * layers;
        CHECK(found == expected, "%dD: %zu in the buffer, expected %zu", dimensions, found, expected);
        mote_fluid_destroy(fluid);
    }
}

// Water at rest between two ends with its level stays at rest, as long as one looks; and beside one, whose other side
// is a wall.
static void a_level_holds_water_at_rest(void **state)
{
    (void)state;
    for (int ends = 1; ends <= 2; ++ends) {
        stream of;
        make_stream(&of, 0.025, 0);
        of.def.fluid.gravity.z = -9.81, of.def.phase.sound_speed = 20;
        of.def.tank.open_z_max = true;
        of.block.max.z = 0.2;
        of.inlets[0].velocity = NAN, of.inlets[0].level = 0.2;
        of.outlet.pressure = NAN, of.outlet.level = 0.2;
        of.def.outlet_count = (size_t)ends - 1;
        mote_simulation *simulation = make_simulation(NULL, &of.def);
        const size_t start = view_of(simulation).count;
        for (int k = 1; k <= (SLOW_BUILD ? 2 : 6); ++k) {
            run_until(simulation, 0.5 * k);
            const mote_fluid_view view = view_of(simulation);
            mote_fluid_totals totals;
            CHECK_OK(mote_fluid_get_totals(mote_simulation_fluid(simulation), &totals, NULL));
            CHECK(view.count < start + 15 && view.count + 15 > start && totals.max_speed < 0.15,
                  "%d ends, %g s: %zu of %zu, %g m/s", ends, 0.5 * k, view.count, start, totals.max_speed);
        }
        mote_simulation_destroy(simulation);
    }
}

// Water between a wall and an end follows the level that the end's expression sets.
static void a_level_may_change(void **state)
{
    (void)state;
    stream of;
    make_stream(&of, 0.025, 0);
    of.def.fluid.gravity.z = -9.81, of.def.phase.sound_speed = 20;
    of.def.tank.open_z_max = true;
    of.block.max.z = 0.2;
    of.inlets[0].velocity = NAN, of.inlets[0].level_text = "0.2 - 0.05*min(t, 1)";
    of.def.outlet_count = 0;
    mote_simulation *simulation = make_simulation(NULL, &of.def);
    const size_t start = view_of(simulation).count;
    run_until(simulation, 1.5);
    const double share = (double)view_of(simulation).count / (double)start;
    CHECK(fabs(share - 0.75) < 0.05, "%.3f of the water is left", share);
    mote_simulation_destroy(simulation);
}

// ------------------------------------------------------------------------------------------------------------- drains

// Drains and boxes that damp may lie beyond the open sides of a tank: this is told, not refused.
static void what_lies_outside_the_tank_is_told(void **state)
{
    (void)state;
    for (int k = 0; k < 6; ++k) {
        stream of;
        make_stream(&of, 0.05, 1);
        of.drain = (mote_named_drain){"hole", mote_drain_default()};
        mote_damping_def damping = mote_damping_default_def();
        const double x = k % 3 == 0 ? 0.95 : k % 3 == 1 ? 1.01 : -0.3;  // the tank reaches from 0 to 1
        mote_drain *drain = &of.drain.drain;
        if (k < 3) drain->min = (mote_vec3){x, -9, 0}, drain->max = (mote_vec3){x + 0.2, -8, 0.1};
        else drain->center = (mote_vec3){x + 0.1, -9, 0.2}, drain->radius = 0.1;
        damping.min = (mote_vec3){x, -9, 0}, damping.max = (mote_vec3){x + 0.2, -8, 0.4};
        of.def.drains = &of.drain, of.def.drain_count = 1;
        of.def.damping = &damping, of.def.damping_count = 1;
        mote_simulation *simulation = make_simulation(NULL, &of.def);
        int told = 0;
        const int expected = x < 1 && x > 0 ? 0 : 2;
        for (size_t i = 0; i < mote_simulation_object_count(simulation); ++i) {
            mote_object_view view;
            CHECK_OK(mote_simulation_get_object(simulation, i, &view, NULL));
            if (!view.remark) continue;
            told += strcmp(view.remark, "drains[0] lies outside the tank") == 0;
            told += strcmp(view.remark, "damping[0] lies outside the tank") == 0;
        }
        CHECK(told == expected, "%d, drain and damping from %g on: %d remarks, expected %d", k, x, told, expected);
        mote_simulation_destroy(simulation);
    }
}

// Each shape swallows exactly what falls into it, with every solver.
static void drains_swallow(void **state)
{
    (void)state;
    for (int preset = 0; preset < 3; ++preset)
        for (int shape = 0; shape < 3; ++shape) {
            stream of;
            make_stream(&of, 0.02, 0);
            CHECK_OK(mote_fluid_choose_preset(&of.def.fluid, preset, NULL));
            of.def.fluid.gravity.z = -9.81;
            of.def.inlet_count = of.def.outlet_count = 0;
            of.block.min = (mote_vec3){0.4, 0, 0.1}, of.block.max = (mote_vec3){0.6, 0, 0.3};
            of.drain = (mote_named_drain){"hole", mote_drain_default()};
            mote_drain *drain = &of.drain.drain;
            if (shape == 0) drain->min = (mote_vec3){0.3, 0, 0}, drain->max = (mote_vec3){0.5, 0, 0.05};
            if (shape > 0) drain->center = (mote_vec3){0.4, 0, 0.02}, drain->radius = 0.1;
            if (shape == 2) drain->normal = (mote_vec3){0, 0, 2};
            of.def.drains = &of.drain, of.def.drain_count = 1;
            mote_simulation *simulation = make_simulation(NULL, &of.def);
            const size_t start = view_of(simulation).count;
            run_until(simulation, 0.2);
            const mote_flow_count count = mote_fluid_drain_count(mote_simulation_fluid(simulation), 0);
            const mote_fluid_view view = view_of(simulation);
            CHECK(view.count + count.out == start, "%zu + %d of %zu", view.count, (int)count.out, start);
            CHECK(count.out > start / 4 && count.out < start, "%d of %zu", (int)count.out, start);
            CHECK(count.in == 0 && count.mass_out > 0, "%d in", (int)count.in);
            check_ids(&view);
            mote_simulation_destroy(simulation);
        }
}

// -------------------------------------------------------------------------------------------------------------- bits

static bool add_up(void *user_data, const void *bytes, size_t length)
{
    uint64_t *sum = user_data;
    for (size_t i = 0; i < length; ++i) *sum = (*sum ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return true;
}

static void threads_have_the_same_bits(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 5};
    uint64_t first = 0;
    for (int k = 0; k < 3; ++k) {
        stream of;
        make_stream(&of, 0.02, 1);
        of.inlets[0].velocity_text = "1 - (r/0.3)^2 - 0.8*t";
        of.drain = (mote_named_drain){"hole", mote_drain_default()};
        of.drain.drain.center = (mote_vec3){0.5, 0, 0.2}, of.drain.drain.radius = 0.05;
        of.def.drains = &of.drain, of.def.drain_count = 1;
        mote_context *context = test_context_with_threads(threads[k]);
        mote_simulation *simulation = make_simulation(context, &of.def);
        for (int s = 0; s < (SLOW_BUILD ? 10 : 60); ++s) CHECK_OK(mote_simulation_step(simulation, 0.01, NULL, NULL));
        uint64_t sum = 0;
        CHECK_OK(mote_simulation_write(simulation, add_up, &sum, NULL));
        if (k == 0) first = sum;
        CHECK(sum == first, "%u threads: other bits", threads[k]);
        mote_simulation_destroy(simulation);
        mote_context_destroy(context);
    }
}

// ---------------------------------------------------------------------------------------------------- individual steps

// A ball of a light fluid goes with a stream of water. Its particles take steps of their own, buffers those of water.
typedef struct ball_stream {
    stream of;
    mote_named_phase fluids[2];
    mote_block_def blocks[2];
} ball_stream;

static void make_ball_stream(ball_stream *made, int32_t steps)
{
    make_stream(&made->of, 0.02, 1);
    mote_simulation_def *def = &made->of.def;
    def->fluid.steps = steps, def->fluid.background_pressure = 2000;
    for (int k = 0; k < 2; ++k) {
        made->fluids[k] = (mote_named_phase){k ? "gas" : "water", mote_phase_default_def()};
        made->fluids[k].phase.rest_density = k ? 4 : 1000, made->fluids[k].phase.sound_speed = k ? NAN : 10;
        made->blocks[k] = made->of.block;
        made->blocks[k].fluid = made->fluids[k].name;
    }
    made->blocks[1].shape = MOTE_SHAPE_BALL, made->blocks[1].radius = 0.08;
    made->blocks[1].center = (mote_vec3){0.3, 0, 0.2};
    made->of.inlets[0].fluid = made->of.outlet.fluid = "water";
    def->blocks = made->blocks, def->block_count = 2;
    def->fluids = made->fluids, def->fluid_count = 2;
}

static double middle_of_ball(const mote_fluid_view *view)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < view->count; ++i)
        if (view->phase[i] == 1) sum += view->x[i], ++count;
    return sum / count;
}

static void individual_steps_go_through(void **state)
{
    (void)state;
    double middles[2];
    uint64_t particle_steps[2];
    const double time = SLOW_BUILD ? 0.05 : 0.3;
    for (int k = 0; k < 2; ++k) {
        ball_stream made;
        make_ball_stream(&made, k ? MOTE_STEPS_INDIVIDUAL : MOTE_STEPS_GLOBAL);
        mote_simulation *simulation = make_simulation(NULL, &made.of.def);
        const mote_fluid *fluid = mote_simulation_fluid(simulation);
        run_until(simulation, time);
        const mote_fluid_view view = view_of(simulation);
        const mote_flow_count in = mote_fluid_opening_count(fluid, 0), out = mote_fluid_opening_count(fluid, 1);
        CHECK(fabs((double)in.in - 0.4 * time / 4e-4) <= 20, "%llu in", (unsigned long long)in.in);
        CHECK(fabs((double)out.out - 0.4 * time / 4e-4) <= 40, "%llu out", (unsigned long long)out.out);
        check_ids(&view);
        for (size_t i = 0; i < view.count; ++i)
            CHECK(fabs((double)view.vx[i] - 1) < 0.1, "particle %zu of %u: %g m/s", i, view.phase[i],
                  (double)view.vx[i]);
        middles[k] = middle_of_ball(&view);
        particle_steps[k] = mote_fluid_get_counters(fluid).particle_steps;
        CHECK_OK(mote_simulation_validate(simulation, NULL));
        mote_simulation_destroy(simulation);
    }
    CHECK(fabs(middles[0] - 0.3 - time) < 1e-3 && fabs(middles[1] - middles[0]) < 1e-4, "%.6f m, %.6f m", middles[0],
          middles[1]);
    CHECK(particle_steps[1] * 3 < particle_steps[0], "%llu and %llu particle-steps",
          (unsigned long long)particle_steps[0], (unsigned long long)particle_steps[1]);
}

typedef struct bytes {
    unsigned char *data;
    size_t length;
} bytes;

static bool keep_bytes(void *user_data, const void *from, size_t length)
{
    bytes *all = user_data;
    all->data = realloc(all->data, all->length + length);
    memcpy(all->data + all->length, from, length);
    all->length += length;
    return true;
}

// The state in the middle, read again, goes on with the same bits, with any number of threads.
static void individual_steps_have_the_same_bits(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 5};
    const double middle_time = SEEKS_RACES ? 0.01 : SANITIZED ? 0.02 : 0.04;
    const double end_time = SEEKS_RACES ? 0.025 : 2 * middle_time;  // water came in, and the rate fell
    uint64_t first = 0;
    for (int k = SEEKS_RACES; k < 3; ++k) {
        ball_stream made;
        make_ball_stream(&made, MOTE_STEPS_INDIVIDUAL);
        made.of.inlets[0].velocity_text = "1 - (r/0.3)^2 - 4*t";
        mote_context *context = test_context_with_threads(threads[k]);
        mote_simulation *simulations[2] = {make_simulation(context, &made.of.def),
                                           make_simulation(context, &made.of.def)};
        run_until(simulations[0], middle_time);
        bytes middle = {0};
        CHECK_OK(mote_simulation_write(simulations[0], keep_bytes, &middle, NULL));
        CHECK_OK(mote_simulation_read(simulations[1], middle.data, middle.length, NULL));
        for (int s = 0; s < 2; ++s) {
            uint64_t sum = 0;
            run_until(simulations[s], end_time);
            CHECK_OK(mote_simulation_write(simulations[s], add_up, &sum, NULL));
            if (first == 0) first = sum;
            CHECK(sum == first, "%u threads%s: other bits", threads[k], s ? ", resumed" : "");
            mote_simulation_destroy(simulations[s]);
        }
        free(middle.data);
        mote_context_destroy(context);
    }
}

// ------------------------------------------------------------------------------------------------------------ memory

typedef struct attempt {
    stream of;
    uint64_t sum;  // of the state at the end of a run without failures; 0: not yet known
} attempt;

// After a failure the same step works, to the bits of one that never failed.
static mote_result step_through(mote_context *context, void *data)
{
    attempt *self = data;
    mote_simulation *simulation;
    mote_result failed = MOTE_OK, result = mote_simulation_create(context, &self->of.def, &simulation, NULL);
    if (result != MOTE_OK) return result;
    for (int s = 0; s < 6 && result == MOTE_OK; ++s) {
        result = mote_simulation_step(simulation, 0.05, NULL, NULL);
        if (result != MOTE_ERROR_OUT_OF_MEMORY) continue;
        failed = result;
        result = mote_simulation_step(simulation, 0.05, NULL, NULL);
        CHECK(result == MOTE_OK, "a second time: %s", mote_result_name(result));
    }
    uint64_t sum = 0;
    if (result == MOTE_OK) CHECK_OK(mote_simulation_validate(simulation, NULL));
    if (result == MOTE_OK) result = mote_simulation_write(simulation, add_up, &sum, NULL);
    if (result == MOTE_OK && self->sum == 0) self->sum = sum;
    if (result == MOTE_OK) CHECK(sum == self->sum, "other bits after a failure");
    mote_simulation_destroy(simulation);
    return failed != MOTE_OK ? failed : result;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    attempt self = {.sum = 0};
    make_stream(&self.of, 0.1, 3);
    mote_context *context = test_context_with_threads(2);
    CHECK_OK(step_through(context, &self));
    mote_context_destroy(context);
    test_failing_allocations(step_through, &self);
}

// An opening that cannot be added leaves a fluid as it was.
static mote_result add_to_fluid(mote_context *context, void *data)
{
    (void)data;
    static const double corners[] = {-0.3, -0.3, 0.3, -0.3, 0, 0.3}, at[] = {0.1, 0.2, 0.3};
    mote_fluid_def def = mote_fluid_default_def();
    mote_fluid *fluid;
    uint32_t number;
    CHECK_OK(mote_fluid_choose_preset(&def, MOTE_PRESET_ENGINEERING, NULL));
    def.spacing = 0.1;
    mote_result result = mote_fluid_create(context, &def, &fluid, NULL);
    if (result != MOTE_OK) return result;
    result = add_water(fluid, 10, NULL);
    if (result == MOTE_OK) result = mote_fluid_add(fluid, 0, at, NULL, 1, NULL);
    mote_opening opening = mote_opening_default();
    opening.face.normal = (mote_vec3){0, 0, 1}, opening.face.corners = (mote_corners){corners, 3};
    if (result == MOTE_OK) {
        result = mote_fluid_add_opening(fluid, &opening, &number, NULL);
        const size_t buffered = mote_fluid_opening_count(fluid, 0).buffered;
        CHECK((buffered > 0) == (result == MOTE_OK), "%zu in the buffer", buffered);
    }
    // Particles that are added behind a buffer are the fluid's own.
    mote_fluid_view view;
    if (result == MOTE_OK) result = mote_fluid_add(fluid, 0, (const double[]){0.3, 0.2, 0.3}, NULL, 1, NULL);
    if (result == MOTE_OK) result = mote_fluid_get_view(fluid, &view, NULL);
    if (result == MOTE_OK) CHECK(view.count == 2 && fabs(view.z[0] - 0.3) + fabs(view.z[1] - 0.3) < 1e-9, "not own");
    if (result == MOTE_OK) result = mote_fluid_remove(fluid, (const bool[]){true, false}, NULL);
    if (result == MOTE_OK) result = mote_fluid_get_view(fluid, &view, NULL);
    if (result == MOTE_OK) CHECK(view.count == 1 && view.z[0] == 0.3, "%zu left", view.count);
    mote_fluid_destroy(fluid);
    return result;
}

static void openings_of_a_fluid(void **state)
{
    (void)state;
    test_failing_allocations(add_to_fluid, NULL);
}

// Once warm, a stream allocates nothing.
static void warm_steps_allocate_nothing(void **state)
{
    (void)state;
    stream of;
    make_stream(&of, 0.04, 1);
    mote_context *context = test_context_with_threads(2);
    mote_simulation *simulation = make_simulation(context, &of.def);
    run_until(simulation, 0.8);
    const uint64_t before = mote_context_allocation_count(context);
    run_until(simulation, 1.2);
    const uint64_t after = mote_context_allocation_count(context);
    CHECK(after == before, "%d allocations", (int)(after - before));
    mote_simulation_destroy(simulation);
    mote_context_destroy(context);
}

// ----------------------------------------------------------------------------------------------------------- refusals

static void refuse(const stream *of, const char *text)
{
    mote_simulation *simulation = NULL;
    mote_error error = {0};
    const mote_result result = mote_simulation_create(NULL, &of->def, &simulation, &error);
    CHECK(result != MOTE_OK, "taken: %s", text);
    CHECK(strstr(error.text, text) && strstr(error.text, "expected") && !strchr(error.text, '\n'),
          "\"%s\" is not in: %s", text, error.text);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    stream of;
    const double d = 0.04;
#define REFUSE(change, text)    \
    do {                        \
        make_stream(&of, d, 1); \
        change;                 \
        refuse(&of, text);      \
    } while (0)
    REFUSE(of.inlets[0].face.center.x = 0.1,
           "inlets[0] touches no side of the tank from outside: center (0.1, 0, 0.2)");
    REFUSE(of.outlet.face.normal.x = -1, "outlets[0] touches no side of the tank from outside");
    REFUSE((of.inlets[1] = of.inlets[0], of.def.inlet_count = 2), "inlets[1] overlaps the buffer of inlets[0]");
    REFUSE(of.inlets[0].velocity = NAN, "inlets[0] has nothing that drives it");
    REFUSE(of.inlets[0].flow_rate = 1, "inlets[0] has velocity and flow_rate");
    REFUSE(of.inlets[0].face.radius = 0.1, "inlets[0]: the number of shapes is 2");
    REFUSE(of.inlets[0].face.width = NAN, "inlets[0]: the number of shapes is 0");
    REFUSE(of.inlets[0].face.width = 0, "inlets[0]: width is 0");
    REFUSE(of.def.fluid.steps = MOTE_STEPS_POSITIONS, "inlets[0] in a scene whose fluid.steps are");
    REFUSE(of.inlets[0].face.width = 0.5 * d, "inlets[0]: its area is 0.02, expected room for particles");
    REFUSE(of.inlets[0].face.width = 0.01 * d, "inlets[0]: its area is 0.0004, expected room for particles");
    REFUSE((of.inlets[0].face.width = 1e6, of.def.has_tank = false), "inlets[0]: its face has 2.5e+07 cells");
    REFUSE((of.def.fluid.dimensions = 3, of.block.max.y = of.def.tank.max.y = 0.4, of.inlets[0].face.center.x = 9,
            of.inlets[0].face.width = of.inlets[0].face.height = 1e6),
           "touches no side of the tank");
    REFUSE(of.inlets[0].face.normal.x = 0, "inlets[0]: the length of normal is 0");
    REFUSE(of.inlets[0].face.normal.y = 1, "inlets[0]: normal y is 1");
    REFUSE(of.inlets[0].face.center.z = 0.1,
           "inlets[0] reaches beyond the tank, to -0.1 along z, expected at most half a spacing beyond its side at 0");
    REFUSE((of.inlets[0].face.normal.z = 0.5, of.inlets[0].face.width = 0.3),
           "inlets[0] reaches beyond the tank, to -0.067082 along x");
    REFUSE(of.outlet.face.center.z = 0.25, "outlets[0] reaches beyond the tank, to 0.45 along z");
    REFUSE((of.inlets[0].face.width = NAN, of.inlets[0].face.radius = 0.23), "inlets[0] reaches beyond the tank");
    REFUSE((of.inlets[0].velocity_text = "sqrt(0.1 - r)", of.def.phase.sound_speed = NAN),
           "inlets[0].velocity is nan at (0, 0, 0.38), t = 0 s, expected a finite number");
    REFUSE(of.inlets[0].fluid = "oil", "inlets[0].fluid is \"oil\"");
    REFUSE(of.inlets[0].velocity_text = "q + 1", "inlets[0].velocity is no expression: \"q\" at column 1");
    REFUSE(of.inlets[0].level_text = "x", "inlets[0].level is no expression: \"x\" at column 1");
    REFUSE(of.inlets[0].flow_rate_text = "x", "inlets[0] has velocity and flow_rate");
    REFUSE(CHECK_OK(mote_fluid_choose_preset(&of.def.fluid, MOTE_PRESET_DOCUMENT, NULL)),
           "outlets[0] has a pressure or level");
    REFUSE((mote_fluid_choose_preset(&of.def.fluid, MOTE_PRESET_DOCUMENT, NULL), of.outlet.pressure = NAN),
           "outlets[0] has no velocity");
    REFUSE((of.block.min.x = -0.5, of.def.tank.open_x_min = true), "expected");
    REFUSE((of.drain = (mote_named_drain){"hole", mote_drain_default()}, of.def.drains = &of.drain,
            of.def.drain_count = 1),
           "drains[0] has no whole shape");
    // At the start, also where the sound speed is given, which asks for no velocity.
    REFUSE(of.inlets[0].velocity_text = "sqrt(0.1 - r)",
           "inlets[0].velocity is nan at (0, 0, 0.38), t = 0 s, expected a finite number");
    REFUSE(of.outlet.pressure_text = "log(t - 1)",
           "outlets[0].pressure is nan at (1, 0, 0.02), t = 0 s, expected a finite number");
    REFUSE(of.outlet.name = "in", "outlets[0].name is \"in\", expected another name than that of inlets[0]");
    REFUSE((of.drain = (mote_named_drain){"out", mote_drain_default()}, of.drain.drain.center = (mote_vec3){0.5, 0, 0},
            of.drain.drain.radius = 0.1, of.def.drains = &of.drain, of.def.drain_count = 1),
           "drains[0].name is \"out\", expected another name than that of outlets[0]");
#undef REFUSE
}

// Two faces side by side are one wide face: their buffers do not overlap, however near they are.
static void faces_may_lie_side_by_side(void **state)
{
    (void)state;
    stream of;
    const double d = 0.04;
    make_stream(&of, d, 1);
    of.inlets[1] = of.inlets[0], of.inlets[1].name = "above", of.def.inlet_count = 2;
    of.inlets[0].face.width = of.inlets[1].face.width = 0.2;
    of.inlets[0].face.center.z = 0.1, of.inlets[1].face.center.z = 0.3;
    mote_simulation *simulation = make_simulation(NULL, &of.def);
    run_until(simulation, 0.2);
    const mote_fluid_view view = view_of(simulation);
    for (size_t i = 0; i < view.count; ++i)
        CHECK(fabs((double)view.vx[i] - 1) < 0.02, "particle %zu: %g m/s", i, (double)view.vx[i]);
    mote_simulation_destroy(simulation);
    of.inlets[1].face.center.z = 0.3 - 0.75 * d;
    refuse(&of, "inlets[1] overlaps the buffer of inlets[0]");
}

// A buffer along a periodic axis would lie in the fluid.
static void no_face_across_a_periodic_axis(void **state)
{
    (void)state;
    mote_fluid_def def = mote_fluid_default_def();
    mote_fluid *fluid;
    uint32_t number;
    CHECK_OK(mote_fluid_choose_preset(&def, MOTE_PRESET_ENGINEERING, NULL));
    def.spacing = 0.1;
    CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
    CHECK_OK(add_water(fluid, 10, NULL));
    mote_period_def period = mote_period_default_def();
    period.min = (mote_vec3){0, 0, 0}, period.max = (mote_vec3){2, 2, 2};
    period.x = period.z = false, period.y = true;
    CHECK_OK(mote_fluid_set_period(fluid, &period, NULL));
    mote_opening opening = mote_opening_default();
    mote_error error = {0};
    opening.face.center = (mote_vec3){1, 1, 1}, opening.face.radius = 0.4;
    opening.face.normal = (mote_vec3){0, 1, 0};
    CHECK(mote_fluid_add_opening(fluid, &opening, &number, &error) == MOTE_ERROR_ARGUMENT &&
              strstr(error.text, "expected none along a periodic axis"),
          "%s", error.text);
    opening.face.normal = (mote_vec3){1, 0, 0};
    CHECK_OK(mote_fluid_add_opening(fluid, &opening, &number, NULL));
    mote_fluid_destroy(fluid);
}

// An expression that has no value from some time on ends the run, and says where; so it does if it has none where the
// buffer is.
static void values_that_are_none(void **state)
{
    (void)state;
    static const char *const velocities[] = {"1 + 0*sqrt(0.02 - t)", "1", "1", "1 + 0*sqrt(0.13 + x)"};
    static const char *const pressures[] = {"0", "1000*sqrt(0.02 - t)", "sqrt(1.01 - x)", "0"};
    static const char *const texts[] = {"inlets[0].velocity is ", "outlets[0].pressure is ", "unstable",
                                        "in the buffer of an inlet or outlet goes nowhere"};
    for (int k = 0; k < 4; ++k) {
        stream of;
        mote_error error = {0};
        make_stream(&of, 0.04, 1);
        if (k == 3) of.block.min.x = 0.5;  // or what is next to the buffer is lost before
        of.inlets[0].velocity_text = velocities[k], of.outlet.pressure_text = pressures[k];
        mote_simulation *simulation = make_simulation(NULL, &of.def);
        const mote_result result = mote_simulation_run_until(simulation, 0.1, NULL, NULL, &error);
        CHECK(result == (k < 2 ? MOTE_ERROR_ARGUMENT : MOTE_ERROR_UNSTABLE) && strstr(error.text, texts[k]) &&
                  (k > 0 || strstr(error.text, "at (0, 0, ")),
              "%d: %d, %s", k, result, error.text);
        mote_simulation_destroy(simulation);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_uniform_stream_stays_uniform),
        cmocka_unit_test(streams_of_other_presets),
        cmocka_unit_test(a_jet_keeps_its_momentum),  // one thread
        cmocka_unit_test(faces_let_pass_what_their_area_says),
        cmocka_unit_test(a_face_takes_both_directions),
        cmocka_unit_test(what_comes_back_leads_to_no_more),  // one thread
        cmocka_unit_test(what_follows_at_an_outlet_is_its_fluid),
        cmocka_unit_test(a_buffer_starts_where_there_is_fluid),
        cmocka_unit_test(faces_may_lie_side_by_side),
        cmocka_unit_test(a_level_may_depend_on_the_distance_from_the_middle),
        cmocka_unit_test(a_level_holds_water_at_rest),
        cmocka_unit_test(a_level_may_change),
        cmocka_unit_test(what_lies_outside_the_tank_is_told),
        cmocka_unit_test(drains_swallow),
        cmocka_unit_test(threads_have_the_same_bits),
        cmocka_unit_test(individual_steps_go_through),
        cmocka_unit_test(individual_steps_have_the_same_bits),
        cmocka_unit_test(memory_may_run_out),  // one thread
        cmocka_unit_test(openings_of_a_fluid),
        cmocka_unit_test(warm_steps_allocate_nothing),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(no_face_across_a_periodic_axis),
        cmocka_unit_test(values_that_are_none),
    };
    RUN_TESTS(tests, argc, argv);
}
