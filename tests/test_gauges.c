// SPDX-License-Identifier: MIT
// Gauges of simulations: against sums over all particles, still water, lattices and uniform flows; rows, resumed runs,
// threads, memory, and what defs are refused for.

#include "mote/simulation.h"
#include "support/simulation.h"
#include "support/test.h"

enum { MOST = 16 };

// What a def points to.
typedef struct parts {
    mote_block_def blocks[2];
    mote_gauge_def gauges[MOST];
} parts;

static mote_gauge_def gauge_of(const char *name, mote_gauge_kind kind)
{
    mote_gauge_def gauge = mote_gauge_default_def();
    gauge.name = name;
    gauge.kind = (int32_t)kind;
    return gauge;
}

static mote_gauge_def gauge_at(const char *name, mote_gauge_kind kind, double x, double y, double z)
{
    mote_gauge_def gauge = gauge_of(name, kind);
    gauge.at = (mote_vec3){x, y, z};
    return gauge;
}

static mote_gauge_def gauge_in(const char *name, mote_gauge_kind kind, mote_vec3 min, mote_vec3 max)
{
    mote_gauge_def gauge = gauge_of(name, kind);
    gauge.min = min, gauge.max = max;
    return gauge;
}

static mote_gauge_view view_of(const mote_simulation *simulation, size_t gauge)
{
    mote_gauge_view view;
    CHECK_OK(mote_simulation_get_gauge(simulation, gauge, &view, NULL));
    return view;
}

static double value_of(const mote_simulation *simulation, size_t gauge, size_t value)
{
    return view_of(simulation, gauge).values[value];
}

static void check_near(double value, double expected, double tolerance, const char *what)
{
    CHECK(fabs(value - expected) <= tolerance, "%s is %.17g, expected %.17g ± %g", what, value, expected, tolerance);
}

// Water that stands in a tank, on a lattice that fits.
static mote_simulation_def still_water(parts *of, int dimensions, size_t gauges)
{
    mote_simulation_def def = mote_simulation_default_def();
    of->blocks[0] = (mote_block_def){.min = {0, 0, 0}, .max = {1, 1, 0.6}, .velocity = {0, 0, 0}};
    def.fluid.dimensions = dimensions;
    def.fluid.spacing = 0.05;
    def.has_tank = true;
    def.tank.min = (mote_vec3){0, 0, 0}, def.tank.max = (mote_vec3){1, 1, 1};
    def.tank.open_z_max = true;
    def.blocks = of->blocks, def.block_count = 1;
    def.gauges = of->gauges, def.gauge_count = gauges;
    return def;
}

static mote_fluid_view fluid_of(mote_simulation *simulation)
{
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
    return view;
}

// --------------------------------------------------------------------------------------------------------- still water

// On an even lattice, and compressed by its weight.
static void still_water_is_measured(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        const int dimensions = 2 + k % 2;
        const bool is_even = k < 2;
        parts of;
        of.gauges[0] = gauge_at("inside", MOTE_GAUGE_PRESSURE, 0.5, 0.5, 0.3);
        of.gauges[1] = gauge_at("floor", MOTE_GAUGE_WALL_PRESSURE, 0.5, 0.5, 0);
        of.gauges[2] = gauge_at("side", MOTE_GAUGE_WALL_PRESSURE, 1, 0.5, 0.3);
        of.gauges[3] = gauge_at("height", MOTE_GAUGE_HEIGHT, 0.43, 0.5, 0);
        of.gauges[4] = gauge_at("corner", MOTE_GAUGE_HEIGHT, 1, 1, 0);
        of.gauges[5] = gauge_of("front", MOTE_GAUGE_FRONT);
        of.gauges[5].direction = (mote_vec3){0, 0, 2};
        of.gauges[6] = gauge_at("air", MOTE_GAUGE_PRESSURE, 0.5, 0.5, 0.9);
        of.gauges[7] = gauge_at("wind", MOTE_GAUGE_VELOCITY, 0.5, 0.5, 0.9);
        of.gauges[8] = gauge_at("dry", MOTE_GAUGE_WALL_PRESSURE, 0, 0.5, 0.95);
        const mote_simulation_def def = still_water(&of, dimensions, 9);
        if (is_even) of.blocks[0].pressure = "9810*(0.6 - z)";
        mote_simulation *simulation = make_simulation(NULL, &def);
        const double whole = 1000 * 9.81 * 0.6;
        const double c = mote_fluid_resolved_phase(mote_simulation_fluid(simulation), 0).sound_speed;
        const double height = is_even ? 0.6 : 0.6 - 9.81 * 0.36 / (2 * c * c), within = is_even ? 1e-9 : 5e-4;
        check_near(value_of(simulation, 0, 0), whole / 2, 0.01 * whole, "pressure inside");
        check_near(value_of(simulation, 1, 0), whole, 0.01 * whole, "pressure at the floor");
        check_near(value_of(simulation, 2, 0), whole / 2, 0.01 * whole, "pressure at the side");
        check_near(value_of(simulation, 3, 0), height, within, "height");
        check_near(value_of(simulation, 4, 0), height, within, "height in a corner");
        check_near(value_of(simulation, 5, 0), height, within, "front");
        check_near(value_of(simulation, 6, 0), 0, 0, "pressure in air");
        CHECK(isnan(value_of(simulation, 7, 0)), "%g: no velocity in air", value_of(simulation, 7, 0));
        check_near(value_of(simulation, 8, 0), 0, 0, "pressure at a dry wall");
        mote_simulation_destroy(simulation);
    }
}

// The surface rises with the lattice, to within a small part of a spacing, and never jumps.
// The floor carries the weight (the wall particles in corners, which belong to sides, a part of it), and the sides
// ρ g H²/2, which turns them about their lower edge by ρ g H³/6.
static void still_water_weighs_on_the_floor(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
        for (int32_t preset = 0; preset <= MOTE_PRESET_ENGINEERING; preset += MOTE_PRESET_ENGINEERING) {
            parts of;
            of.gauges[0] = gauge_of("floor", MOTE_GAUGE_FORCE), of.gauges[0].of = "z_min";
            of.gauges[1] = gauge_of("left", MOTE_GAUGE_FORCE), of.gauges[1].of = "x_min";
            of.gauges[2] = gauge_of("right", MOTE_GAUGE_FORCE), of.gauges[2].of = "x_max";
            of.gauges[3] = gauge_of("left", MOTE_GAUGE_MOMENT), of.gauges[3].of = "x_min";
            of.gauges[4] = gauge_of("right", MOTE_GAUGE_MOMENT), of.gauges[4].of = "x_max";
            of.gauges[4].at = (mote_vec3){1, 0.5, 0};
            mote_simulation_def def = still_water(&of, dimensions, 5);
            CHECK_OK(mote_fluid_choose_preset(&def.fluid, preset, NULL));
            mote_simulation *simulation = make_simulation(NULL, &def);
            const double rho_g = 1000 * 9.81, weight = rho_g * 0.6, side = rho_g * 0.6 * 0.6 / 2;
            const double turn = rho_g * 0.6 * 0.6 * 0.6 / 6;
            for (int round = 0; round < 2; ++round) {  // at the start, and in the mean over the first step
                double carried = 0;
                for (size_t k = 0; k < 3; ++k) carried += value_of(simulation, k, 2);
                check_near(value_of(simulation, 0, 2), -weight, 0.1 * weight, "force on the floor");
                if (dimensions == 2) check_near(carried, -weight, 0.02 * weight, "force down on all");
                check_near(value_of(simulation, 0, 0), 0, 1e-3 * weight, "force along the floor");
                check_near(value_of(simulation, 1, 0), -side, 0.06 * side, "force on the left");
                check_near(value_of(simulation, 2, 0), side, 0.06 * side, "force on the right");
                check_near(value_of(simulation, 3, 1), -turn, 0.15 * turn, "moment on the left");
                check_near(value_of(simulation, 4, 1), turn, 0.15 * turn, "moment on the right");
                CHECK_OK(mote_simulation_step(simulation, 1, NULL, NULL));
            }
            mote_simulation_destroy(simulation);
        }
}

static void heights_follow_the_lattice(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
        for (int k = 0; k <= 20; ++k) {
            parts of;
            of.gauges[0] = gauge_at("height", MOTE_GAUGE_HEIGHT, 0.37 + 0.003 * k, 0.44, 0);
            mote_simulation_def def = still_water(&of, dimensions, 1);
            const double rise = 0.005 * k;
            of.blocks[0].min.z += rise, of.blocks[0].max.z += rise;
            of.blocks[0].pressure = "0";  // on an even lattice
            mote_simulation *simulation = make_simulation(NULL, &def);
            check_near(value_of(simulation, 0, 0), 0.6 + rise, 1e-9, "height");
            mote_simulation_destroy(simulation);
        }
    parts of;
    of.gauges[0] = gauge_at("dry", MOTE_GAUGE_HEIGHT, 0.9, 0.5, 0);
    mote_simulation_def def = still_water(&of, 2, 1);
    of.blocks[0].max.x = 0.5;
    mote_simulation *simulation = make_simulation(NULL, &def);
    check_near(value_of(simulation, 0, 0), 0, 0, "the floor");
    mote_simulation_destroy(simulation);
    def.has_tank = false;
    simulation = make_simulation(NULL, &def);
    CHECK(isnan(value_of(simulation, 0, 0)), "%g: no floor", value_of(simulation, 0, 0));
    mote_simulation_destroy(simulation);
}

// ------------------------------------------------------------------------------------------ against all the particles

static double wendland(double r, double h)
{
    const double q = r / h;
    return q < 1 ? pow(1 - q, 4) * (1 + 4 * q) : 0;
}

// Sums over all particles, as the headers define the means.
static void check_means(mote_simulation *simulation, mote_vec3 at, const double *velocity, double pressure)
{
    const mote_fluid_view view = fluid_of(simulation);
    const double h = mote_fluid_resolved_def(mote_simulation_fluid(simulation)).support;
    double weight = 0, sums[4] = {0};
    for (size_t i = 0; i < view.count; ++i) {
        const double r = sqrt(pow(view.x[i] - at.x, 2) + pow(view.y[i] - at.y, 2) + pow(view.z[i] - at.z, 2));
        const double w = wendland(r, h), of[4] = {(double)view.vx[i], (double)view.vy[i], (double)view.vz[i],
                                                  (double)view.pressure[i]};
        weight += w;
        for (int k = 0; k < 4; ++k) sums[k] += w * of[k];
    }
    for (int k = 0; k < 3; ++k) check_near(velocity[k], sums[k] / weight, 1e-12, "velocity");
    check_near(pressure, sums[3] / weight, 1e-9 * fabs(sums[3] / weight), "pressure");
}

// Adami et al. 2012, eq. 27, over all particles, and the mean over the wall particles around the place.
static double wall_pressure(mote_simulation *simulation, mote_vec3 at)
{
    mote_fluid *fluid = mote_simulation_fluid(simulation);
    const mote_fluid_view view = fluid_of(simulation);
    const mote_fluid_def def = mote_fluid_resolved_def(fluid);
    const double *walls, *volumes;
    size_t count, wet = 0;
    double sum = 0;
    mote_fluid_get_walls(fluid, &walls, &volumes, &count);
    for (size_t w = 0; w < count; ++w) {
        const double *x = walls + 3 * w;
        double top = 0, below = 0;
        if (sqrt(pow(x[0] - at.x, 2) + pow(x[1] - at.y, 2) + pow(x[2] - at.z, 2)) > 1.5 * def.spacing + 1e-6) continue;
        for (size_t i = 0; i < view.count; ++i) {
            const double r = sqrt(pow(x[0] - view.x[i], 2) + pow(x[1] - view.y[i], 2) + pow(x[2] - view.z[i], 2));
            const double rho = (double)view.density[i], weight = wendland(r, def.support) / rho;
            top += weight * ((double)view.pressure[i] + rho * def.gravity.z * (x[2] - view.z[i]));
            below += weight;
        }
        if (!(below > 0)) continue;
        sum += fmax(fmax(top / below, 0) + 1000 * def.gravity.z * (at.z - x[2]), 0);
        ++wet;
    }
    return wet ? sum / (double)wet : 0;
}

static void check_totals(mote_simulation *simulation, size_t energy, size_t extremes)
{
    mote_fluid *fluid = mote_simulation_fluid(simulation);
    const mote_fluid_view view = fluid_of(simulation);
    const double c = mote_fluid_resolved_phase(fluid, 0).sound_speed, c2 = c * c;
    double kinetic = 0, potential = 0, elastic = 0, fastest = 0, most = -1, least = 2;
    for (size_t i = 0; i < view.count; ++i) {
        const double v2 = pow((double)view.vx[i], 2) + pow((double)view.vy[i], 2) + pow((double)view.vz[i], 2);
        const double q = (double)view.density[i] / 1000;
        kinetic += 0.5 * v2;
        potential += 9.81 * view.z[i];
        for (int k = 0; k < 100 && q > 1; ++k) {  // the integral of P/ρ², by its definition
            const double s = 1 + (q - 1) * (k + 0.5) / 100;
            elastic += c2 / 7 * (pow(s, 7) - 1) / (s * s) * (q - 1) / 100;
        }
        fastest = fmax(fastest, sqrt(v2));
        most = fmax(most, q), least = fmin(least, q);
    }
    const double mass = mote_fluid_particle_mass(fluid);
    const mote_gauge_view energies = view_of(simulation, energy), ends = view_of(simulation, extremes);
    check_near(energies.values[0], mass * kinetic, 1e-11 * mass * kinetic, "kinetic energy");
    check_near(energies.values[1], mass * potential, 1e-11 * mass * potential, "potential energy");
    check_near(energies.values[2], mass * elastic, 1e-3 * mass * elastic, "elastic energy");
    check_near(energies.values[3], energies.values[0] + energies.values[1] + energies.values[2], 0, "total energy");
    check_near(ends.values[0], fastest, 1e-12, "speed");
    check_near(ends.values[1], fastest / c, 1e-12, "Mach number");
    check_near(ends.values[2], most - 1, 1e-12, "compression");
    check_near(ends.values[3], 1 - least, 1e-12, "expansion");
}

// A breaking dam, with most kinds of gauges.
static mote_simulation_def breaking_dam(parts *of, int dimensions)
{
    mote_simulation_def def = still_water(of, dimensions, 15);
    def.fluid.spacing = dimensions == 2 ? 0.02 : 0.05;
    of->blocks[0].max.x = 0.5;
    of->gauges[0] = gauge_at("p", MOTE_GAUGE_PRESSURE, 0.31, 0.5, 0.13);
    of->gauges[1] = gauge_at("v", MOTE_GAUGE_VELOCITY, 0.31, 0.5, 0.13);
    of->gauges[2] = gauge_at("w", MOTE_GAUGE_WALL_PRESSURE, 0.42, 0.4, 0);
    of->gauges[3] = gauge_of("E", MOTE_GAUGE_ENERGY);
    of->gauges[4] = gauge_of("most", MOTE_GAUGE_EXTREMES);
    of->gauges[5] = gauge_of("front", MOTE_GAUGE_FRONT);
    of->gauges[6] = gauge_at("h", MOTE_GAUGE_HEIGHT, 0.6, 0.5, 0);
    of->gauges[7] = gauge_in("gate", MOTE_GAUGE_FLOW, (mote_vec3){0.5, 0, 0}, (mote_vec3){0.5, 1, 1});
    of->gauges[7].every = 0.011;
    of->gauges[8] = gauge_in("part", MOTE_GAUGE_ENERGY, (mote_vec3){0.5, 0, 0}, (mote_vec3){1, 1, 1});
    of->gauges[8].every = 0.02;
    of->gauges[9] = gauge_at("corner", MOTE_GAUGE_WALL_PRESSURE, 0, 0.5, 0);
    of->gauges[10] = gauge_of("floor", MOTE_GAUGE_FORCE), of->gauges[10].of = "z_min";
    of->gauges[11] = gauge_of("floor.mean", MOTE_GAUGE_FORCE), of->gauges[11].of = "z_min";
    of->gauges[11].every = 0.01;
    of->gauges[12] = gauge_of("turn", MOTE_GAUGE_MOMENT), of->gauges[12].of = "x_min";
    of->gauges[12].every = 0.013;
    of->gauges[13] = gauge_at("p.moves", MOTE_GAUGE_PRESSURE, 0, 0.5, 0.13);
    of->gauges[13].at_text[0] = "0.31 + 0.5*t";
    of->gauges[14] = gauge_at("h.moves", MOTE_GAUGE_HEIGHT, 0, 0.5, 0);
    of->gauges[14].at_text[0] = "0.6 - 0.5*t", of->gauges[14].every = 0.012;
    return def;
}

static void sums_over_all_particles_agree(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        parts of;
        const mote_simulation_def def = breaking_dam(&of, dimensions);
        mote_simulation *simulation = make_simulation(NULL, &def);
        for (int round = 0; round < 4; ++round) {
            mote_vec3 at = of.gauges[0].at, wall = of.gauges[2].at, corner = of.gauges[9].at;
            if (dimensions == 2) at.y = wall.y = corner.y = 0;
            check_means(simulation, at, view_of(simulation, 1).values, value_of(simulation, 0, 0));
            const double expected = wall_pressure(simulation, wall);
            check_near(value_of(simulation, 2, 0), expected, 1e-9 * expected, "pressure at a wall");
            check_near(value_of(simulation, 9, 0), wall_pressure(simulation, corner), 1e-5, "pressure in a corner");
            check_totals(simulation, 3, 4);
            CHECK_OK(mote_simulation_run_until(simulation, 0.05 * (round + 1), NULL, NULL, NULL));
        }
        // What is beyond the gate has passed it.
        const mote_fluid_view view = fluid_of(simulation);
        size_t beyond = 0;
        for (size_t i = 0; i < view.count; ++i) beyond += view.x[i] >= 0.5;
        while (view_of(simulation, 7).time < mote_simulation_time(simulation))
            CHECK_OK(mote_simulation_step(simulation, 1, NULL, NULL));
        const mote_fluid_view later = fluid_of(simulation);
        beyond = 0;
        for (size_t i = 0; i < later.count; ++i) beyond += later.x[i] >= 0.5;
        const double volume = mote_fluid_particle_mass(mote_simulation_fluid(simulation)) / 1000;
        check_near(value_of(simulation, 7, 1), volume * (double)beyond, 1e-12, "volume beyond the gate");
        CHECK(beyond > 10, "%zu particles", beyond);
        mote_simulation_destroy(simulation);
    }
}

// --------------------------------------------------------------------------------------------------------- free flight

static mote_simulation_def flying_block(parts *of, int dimensions, size_t gauges)
{
    mote_simulation_def def = mote_simulation_default_def();
    of->blocks[0] = (mote_block_def){.min = {0, 0, 0}, .max = {0.5, 0.5, 0.5}, .velocity = {1, 0, 0.5}};
    def.fluid.dimensions = dimensions;
    def.fluid.spacing = 0.05;
    def.fluid.gravity = (mote_vec3){0, 0, 0};
    def.phase.sound_speed = 10;
    def.blocks = of->blocks, def.block_count = 1;
    def.gauges = of->gauges, def.gauge_count = gauges;
    return def;
}

// Water that flies by has the velocity, the front and the flow that it should, through all of a rectangle or a part.
static void uniform_flow_is_measured(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        parts of;
        of.gauges[0] = gauge_at("v", MOTE_GAUGE_VELOCITY, 0.5, 0.25, 0.4);
        of.gauges[1] = gauge_of("front", MOTE_GAUGE_FRONT);
        of.gauges[2] = gauge_in("all", MOTE_GAUGE_FLOW, (mote_vec3){0.51, -1, -1}, (mote_vec3){0.51, 1, 2});
        of.gauges[2].every = 0.1;
        of.gauges[3] = gauge_in("low", MOTE_GAUGE_FLOW, (mote_vec3){0.51, -1, -1}, (mote_vec3){0.51, 1, 0.301});
        of.gauges[4] = gauge_in("high", MOTE_GAUGE_FLOW, (mote_vec3){0.51, -1, 0.301}, (mote_vec3){0.51, 1, 2});
        of.gauges[5] = gauge_in("up", MOTE_GAUGE_FLOW, (mote_vec3){-1, -1, 0.26}, (mote_vec3){2, 1, 0.26});
        of.gauges[6] = gauge_of("slope", MOTE_GAUGE_FRONT);
        of.gauges[6].direction = (mote_vec3){-1, 0, 1};
        const mote_simulation_def def = flying_block(&of, dimensions, 7);
        mote_simulation *simulation = make_simulation(NULL, &def);
        CHECK_OK(mote_simulation_run_until(simulation, 0.2, NULL, NULL, NULL));
        const double area = dimensions == 2 ? 0.5 : 0.25, time = 0.2;
        check_near(value_of(simulation, 0, 0), 1, 1e-6, "velocity x");
        check_near(value_of(simulation, 0, 2), 0.5, 1e-6, "velocity z");
        check_near(value_of(simulation, 1, 0), 0.5 + time, 1e-6, "front");
        check_near(value_of(simulation, 6, 0), (0.475 - 0.025 + 0.5 * time - time) / sqrt(2) + 0.025, 1e-6, "slope");
        const double volume = mote_fluid_particle_mass(mote_simulation_fluid(simulation)) / 1000;
        // Columns at 0.475, 0.425, … pass the plane once they have gone the rest of the way: four, by 0.2.
        const double column = volume * (dimensions == 2 ? 10 : 100);
        check_near(value_of(simulation, 2, 1), 4 * column, 1e-12, "volume");
        check_near(value_of(simulation, 2, 0), 2 * column / 0.1, 1e-12 + 0.05 * area, "flow");
        check_near(value_of(simulation, 3, 1) + value_of(simulation, 4, 1), 4 * column, 1e-12, "two rectangles");
        CHECK(value_of(simulation, 3, 1) > 0 && value_of(simulation, 4, 1) > 0, "both have their share");
        check_near(value_of(simulation, 5, 1), 2 * column, 1e-12, "volume through a level");
        mote_simulation_destroy(simulation);
    }
}

// Drops of a few particles that fly ahead are no front; they are if they are near enough, or large enough.
static void fronts_have_no_drops(void **state)
{
    (void)state;
    static const struct {
        double begin, size, front;
    } cases[] = {{1.5, 0.15, 0.5}, {1.5, 0.45, 1.95}, {0.54, 0.1, 0.64},
                 {0.7, 0.1, 0.5},  {4, 0.1, 0.5},     {4, 0.45, 4.45}};
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
            const double a = cases[k].begin, s = cases[k].size;
            parts of;
            of.gauges[0] = gauge_of("front", MOTE_GAUGE_FRONT);
            mote_simulation_def def = flying_block(&of, dimensions, 1);
            of.blocks[1] = (mote_block_def){
                .min = {a, 0.02, 0.1}, .max = {a + s, 0.02 + s, 0.1 + s}, .velocity = {1, 0, 0.5}};
            def.block_count = 2;
            mote_simulation *simulation = make_simulation(NULL, &def);
            check_near(value_of(simulation, 0, 0), cases[k].front, 1e-9, "front");
            mote_simulation_destroy(simulation);
        }
    // All drops: there is no front.
    parts of;
    of.gauges[0] = gauge_of("front", MOTE_GAUGE_FRONT);
    mote_simulation_def def = flying_block(&of, 2, 1);
    of.blocks[0].max = (mote_vec3){0.15, 0.15, 0.15};
    mote_simulation *simulation = make_simulation(NULL, &def);
    CHECK(isnan(value_of(simulation, 0, 0)), "%g: no front", value_of(simulation, 0, 0));
    mote_simulation_destroy(simulation);
}

// Gauges see across the faces of periodic boxes.
static void periodic_fluids_are_measured(void **state)
{
    (void)state;
    parts of;
    mote_simulation_def def = mote_simulation_default_def();
    CHECK_OK(mote_fluid_choose_preset(&def.fluid, MOTE_PRESET_ENGINEERING, NULL));
    of.blocks[0] = (mote_block_def){.min = {0, 0, 0}, .max = {1, 0, 1}, .velocity = {1, 0, 0.5}};
    def.fluid.dimensions = 2, def.fluid.spacing = 0.05, def.phase.sound_speed = 10;
    def.fluid.gravity = (mote_vec3){0, 0, 0};
    def.fluid.shifting = MOTE_SHIFTING_NONE;
    def.has_periodic = true;
    def.periodic.min = (mote_vec3){0, 0, 0}, def.periodic.max = (mote_vec3){1, 0, 1};
    def.periodic.x = def.periodic.z = true;
    def.blocks = of.blocks, def.block_count = 1;
    of.gauges[0] = gauge_at("v", MOTE_GAUGE_VELOCITY, 0, 0, 1);
    of.gauges[1] = gauge_in("left", MOTE_GAUGE_FLOW, (mote_vec3){0, 0, 0}, (mote_vec3){0, 0, 1});
    of.gauges[2] = gauge_in("right", MOTE_GAUGE_FLOW, (mote_vec3){1, 0, 0}, (mote_vec3){1, 0, 1});
    of.gauges[3] = gauge_in("middle", MOTE_GAUGE_FLOW, (mote_vec3){0.51, 0, 0}, (mote_vec3){0.51, 0, 1});
    of.gauges[4] = gauge_at("height", MOTE_GAUGE_HEIGHT, 0, 0, 0);
    def.gauges = of.gauges, def.gauge_count = 5;
    mote_simulation *simulation = make_simulation(NULL, &def);
    check_near(value_of(simulation, 4, 0), 1, 1e-9, "height on a face");
    CHECK_OK(mote_simulation_run_until(simulation, 0.21, NULL, NULL, NULL));
    check_near(value_of(simulation, 0, 0), 1, 1e-4, "velocity at an edge");
    check_near(value_of(simulation, 0, 2), 0.5, 1e-4, "velocity at an edge");
    for (size_t k = 1; k < 4; ++k) check_near(value_of(simulation, k, 1), 0.2, 0.02, "volume through a face");
    check_near(value_of(simulation, 1, 1), value_of(simulation, 2, 1), 0, "the same face");
    mote_simulation_destroy(simulation);
}

// -------------------------------------------------------------------------------------------------------------- rows

static void rows_come_when_they_are_due(void **state)
{
    (void)state;
    parts of;
    of.gauges[0] = gauge_of("each", MOTE_GAUGE_ENERGY);
    of.gauges[1] = gauge_of("some", MOTE_GAUGE_ENERGY);
    of.gauges[1].every = 0.01;
    mote_simulation_def def = still_water(&of, 2, 2);
    mote_simulation *simulation = make_simulation(NULL, &def);
    assert_int_equal(mote_simulation_gauge_count(simulation), 2);
    assert_int_equal(view_of(simulation, 0).row_count, 1);
    assert_int_equal(view_of(simulation, 1).row_count, 1);
    uint64_t rows = 1;
    for (int k = 1; k <= 10; ++k) {
        CHECK_OK(mote_simulation_run_until(simulation, 0.01 * k, NULL, NULL, NULL));
        const mote_gauge_view view = view_of(simulation, 1);
        CHECK(view.row_count == ++rows, "%llu rows", (unsigned long long)view.row_count);
        CHECK(view.time == mote_simulation_time(simulation), "at %.17g", view.time);
    }
    assert_int_equal(view_of(simulation, 0).row_count, mote_simulation_get_counters(simulation).steps + 1);
    mote_gauge_view view;
    mote_error error = {0};
    assert_int_equal(mote_simulation_get_gauge(simulation, 2, &view, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_simulation_get_gauge(NULL, 0, &view, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_simulation_get_gauge(simulation, 0, NULL, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_simulation_gauge_count(NULL), 0);
    mote_simulation_destroy(simulation);
    const char *const *names = mote_fields_find(mote_gauge_fields(), "kind")->choices;
    size_t count = 0;
    for (; mote_gauge_kind_at(count); ++count) assert_string_equal(mote_gauge_kind_at(count)->name, names[count]);
    CHECK(!names[count] && count == MOTE_GAUGE_MOMENT + 1, "%zu kinds", count);
}

// A row of a force is the mean over the steps since the row before.
static void forces_are_means_since_the_last_row(void **state)
{
    (void)state;
    parts of;
    const mote_simulation_def def = breaking_dam(&of, 2);
    mote_simulation *simulation = make_simulation(NULL, &def);
    double impulse = 0, from = 0;
    uint64_t rows = view_of(simulation, 11).row_count;
    for (int step = 0; step < 90; ++step) {
        double dt;
        CHECK_OK(mote_simulation_step(simulation, 0.002, &dt, NULL));
        impulse += dt * value_of(simulation, 10, 2);
        const mote_gauge_view view = view_of(simulation, 11);
        if (view.row_count == rows) continue;
        const double mean = impulse / (view.time - from);
        check_near(view.values[2], mean, 1e-9 * fabs(mean), "mean force");
        rows = view.row_count, from = view.time, impulse = 0;
    }
    CHECK(rows > 5, "%llu rows", (unsigned long long)rows);
    mote_simulation_destroy(simulation);
}

// A simulation does the same steps with gauges as without.
static void gauges_change_nothing(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        parts of;
        mote_simulation_def def = breaking_dam(&of, dimensions);
        mote_simulation *with = make_simulation(NULL, &def);
        def.gauge_count = 0;
        mote_simulation *without = make_simulation(NULL, &def);
        const double time = SANITIZED ? 0.02 : 0.05;
        CHECK_OK(mote_simulation_run_until(with, time, NULL, NULL, NULL));
        CHECK_OK(mote_simulation_run_until(without, time, NULL, NULL, NULL));
        const mote_fluid_view a = fluid_of(with), b = fluid_of(without);
        assert_int_equal(a.count, b.count);
        assert_memory_equal(a.x, b.x, a.count * sizeof *a.x);
        assert_memory_equal(a.vz, b.vz, a.count * sizeof *a.vz);
        assert_memory_equal(a.pressure, b.pressure, a.count * sizeof *a.pressure);
        mote_simulation_destroy(with);
        mote_simulation_destroy(without);
    }
}

static void check_same(const mote_simulation *a, const mote_simulation *b)
{
    for (size_t k = 0; k < mote_simulation_gauge_count(a); ++k) {
        const mote_gauge_view one = view_of(a, k), other = view_of(b, k);
        CHECK(memcmp(one.values, other.values, sizeof one.values) == 0 && one.time == other.time &&
                  one.row_count == other.row_count,
              "gauge %s: %.17g at %.17g, row %llu; %.17g at %.17g, row %llu", one.name, one.values[0], one.time,
              (unsigned long long)one.row_count, other.values[0], other.time, (unsigned long long)other.row_count);
    }
}

static void any_number_of_threads_has_the_same_bits(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        parts of;
        mote_simulation_def def = breaking_dam(&of, dimensions);
        if (dimensions == 2) def.fluid.spacing = 0.005;  // several blocks of particles
        mote_context *contexts[3] = {test_context_with_threads(1), test_context_with_threads(2),
                                     test_context_with_threads(5)};
        mote_simulation *simulations[3];
        for (int k = 0; k < 3; ++k) simulations[k] = make_simulation(contexts[k], &def);
        for (int step = 0; step < (SEEKS_RACES ? 5 : SANITIZED ? 15 : 30); ++step)
            for (int k = SEEKS_RACES; k < 3; ++k) {
                CHECK_OK(mote_simulation_step(simulations[k], 0.002, NULL, NULL));
                check_same(simulations[SEEKS_RACES], simulations[k]);
            }
        for (int k = 0; k < 3; ++k) {
            mote_simulation_destroy(simulations[k]);
            mote_context_destroy(contexts[k]);
        }
    }
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

// Rows, counts and times of the next rows go on where they were.
static void resumed_runs_have_the_same_rows(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
        for (int steps = 0; steps < 50; steps += SEEKS_RACES ? 50 : SANITIZED ? 32 : 16) {
            parts of;
            const mote_simulation_def def = breaking_dam(&of, dimensions);
            mote_context *two = test_context_with_threads(2);
            mote_simulation *whole = make_simulation(NULL, &def), *resumed = make_simulation(two, &def);
            memory_file file = {NULL, 0};
            mote_error error = {0};
            for (int k = 0; k < steps; ++k) CHECK_OK(mote_simulation_step(whole, 0.004, NULL, NULL));
            for (int k = 0; k < 7; ++k) CHECK_OK(mote_simulation_step(resumed, 0.004, NULL, NULL));
            CHECK_OK(mote_simulation_write(whole, take, &file, NULL));
            const mote_result result = mote_simulation_read(resumed, file.bytes, file.length, &error);
            CHECK(result == MOTE_OK, "%s", error.text);
            check_same(whole, resumed);
            for (int k = 0; k < 30; ++k) {
                CHECK_OK(mote_simulation_step(whole, 0.004, NULL, NULL));
                CHECK_OK(mote_simulation_step(resumed, 0.004, NULL, NULL));
                check_same(whole, resumed);
            }
            free(file.bytes);
            mote_simulation_destroy(whole);
            mote_simulation_destroy(resumed);
            mote_context_destroy(two);
        }
}

// A gauge that moves reads what one reads that rests where it is just then. A height outside the tank is the floor's,
// and a place that becomes no number ends the run.
static void places_follow_the_time(void **state)
{
    (void)state;
    enum { KINDS = 4, STEPS = 24 };
    const mote_gauge_kind kinds[KINDS] = {MOTE_GAUGE_PRESSURE, MOTE_GAUGE_VELOCITY, MOTE_GAUGE_HEIGHT,
                                          MOTE_GAUGE_WALL_PRESSURE};
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        parts of;
        mote_simulation_def def = breaking_dam(&of, dimensions);
        double values[KINDS + 1][4], end = 0;
        def.gauge_count = KINDS + 1;
        for (int moves = 1; moves >= 0; --moves) {
            const double x = 0.2 + 0.5 * end, y = 0.5 + end;
            for (int k = 0; k < KINDS; ++k) {
                of.gauges[k] = gauge_at("g", kinds[k], x, y, kinds[k] == MOTE_GAUGE_WALL_PRESSURE ? 0 : 0.13);
                if (moves) of.gauges[k].at_text[0] = "0.2 + 0.5*t", of.gauges[k].at_text[1] = "0.5 + t";
            }
            of.gauges[KINDS] = gauge_of("turn", MOTE_GAUGE_MOMENT), of.gauges[KINDS].of = "x_min";
            of.gauges[KINDS].at = (mote_vec3){x, 0.5, 0};
            if (moves) of.gauges[KINDS].at_text[0] = "0.2 + 0.5*t";
            mote_simulation *simulation = make_simulation(NULL, &def);
            for (int k = 0; k < STEPS; ++k) CHECK_OK(mote_simulation_step(simulation, 0.004, NULL, NULL));
            end = mote_simulation_time(simulation);
            for (size_t k = 0; k <= KINDS; ++k) {
                const mote_gauge_view view = view_of(simulation, k);
                for (size_t v = 0; v < view.kind->value_count; ++v)
                    if (moves) values[k][v] = view.values[v];
                    else CHECK(view.values[v] == values[k][v], "%s.%s: %g at rest, %g moves", view.kind->name,
                               view.kind->values[v].name, view.values[v], values[k][v]);
            }
            mote_simulation_destroy(simulation);
        }
        CHECK(values[0][0] > 0 && values[1][0] > 0 && values[2][0] > 0.1 && values[3][0] > 0, "nothing is seen");
    }
    parts of;
    mote_error error = {0};
    mote_simulation_def def = breaking_dam(&of, 2);
    def.gauge_count = 1;
    of.gauges[0] = gauge_at("h", MOTE_GAUGE_HEIGHT, 0, 0, 0);
    of.gauges[0].at_text[0] = "0.2 - 100*t";
    mote_simulation *simulation = make_simulation(NULL, &def);
    CHECK_OK(mote_simulation_run_until(simulation, 0.01, NULL, NULL, NULL));
    check_near(value_of(simulation, 0, 0), 0, 0, "height outside");
    mote_simulation_destroy(simulation);
    of.gauges[0].at_text[0] = "sqrt(0.01 - t)";
    simulation = make_simulation(NULL, &def);
    CHECK(mote_simulation_run_until(simulation, 0.02, NULL, NULL, &error) == MOTE_ERROR_ARGUMENT, "no error");
    CHECK(strncmp(error.text, "gauges[0].at[0] is -nan at t = 0.01", 35) == 0 ||
              strncmp(error.text, "gauges[0].at[0] is nan at t = 0.01", 34) == 0, "%s", error.text);
    mote_simulation_destroy(simulation);
}

static mote_result make_and_step(mote_context *context, void *data)
{
    mote_simulation *simulation;
    mote_result result = mote_simulation_create(context, data, &simulation, NULL);
    if (result != MOTE_OK) return result;
    result = mote_simulation_run_until(simulation, 0.02, NULL, NULL, NULL);
    CHECK(mote_simulation_byte_count(simulation) > 0, "bytes");
    mote_simulation_destroy(simulation);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    parts of;
    mote_simulation_def def = breaking_dam(&of, 2);
    def.fluid.spacing = 0.1;
    test_failing_allocations(make_and_step, &def);
}

// ------------------------------------------------------------------------------------------------------------ refused

static void refuse(const mote_simulation_def *def, const char *expected)
{
    mote_simulation *simulation;
    mote_error error = {0};
    const mote_result result = mote_simulation_create(NULL, def, &simulation, &error);
    CHECK(result == MOTE_ERROR_ARGUMENT, "%s, for want of: %s", mote_result_name(result), expected);
    CHECK(strcmp(error.text, expected) == 0, "\"%s\" is not \"%s\"", error.text, expected);
}

// Beside a body that acts by a field there may be the wall particles of the floor, but not its own.
static void fields_have_no_wall_pressure(void **state)
{
    (void)state;
    parts of;
    mote_simulation_def def = still_water(&of, 2, 1);
    mote_solid_def solid = mote_solid_default_def();
    solid.name = "box", solid.shape.kind = MOTE_SOLID_BOX, solid.boundary = MOTE_BOUNDARY_FIELD;
    solid.shape.box = (mote_box){{0.3, 0, 0}, {0.6, 0, 0.4}};
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create_shape(NULL, &solid.shape, 2, def.fluid.spacing, &mesh, NULL));
    solid.mesh = mesh;
    def.solids = &solid, def.solid_count = 1;
    of.gauges[0] = gauge_at("p", MOTE_GAUGE_WALL_PRESSURE, 0.3, 0, 0.02);
    def.gauges = of.gauges, def.gauge_count = 1;
    mote_simulation *simulation;
    mote_error error = {0};
    CHECK(mote_simulation_create(NULL, &def, &simulation, &error) == MOTE_ERROR_UNSUPPORTED, "taken");
    assert_string_equal(error.text, "gauges[0].at is [0.3, 0, 0.02], expected a place farther than 1.5 spacings from "
                                    "solids[0], whose boundary \"field\" has no wall particles");
    of.gauges[0].at.x = 0.1, of.gauges[0].at.z = 0;
    simulation = make_simulation(NULL, &def);
    mote_simulation_destroy(simulation);
    // From the start on it may not be there, either, if it moves.
    of.gauges[0].at_text[0] = "0.3 + t";
    CHECK(mote_simulation_create(NULL, &def, &simulation, &error) == MOTE_ERROR_UNSUPPORTED, "taken: moves");
    // Planes have none, either.
    CHECK_OK(mote_fluid_choose_preset(&def.fluid, MOTE_PRESET_FAST, NULL));
    solid.boundary = MOTE_BOUNDARY_PLANES, of.gauges[0].at_text[0] = NULL, of.gauges[0].at.x = 0.3;
    of.gauges[0].at.z = 0.02;
    CHECK(mote_simulation_create(NULL, &def, &simulation, &error) == MOTE_ERROR_UNSUPPORTED, "taken");
    CHECK(strstr(error.text, "solids[0], whose boundary \"planes\" has no wall particles"), "%s", error.text);
    mote_mesh_destroy(mesh);
}

enum { ROUTES = 3 };

// Water that stands around a box that acts by a field, and three gauges that begin at the floor: one goes along the
// floor through the box, one up to the box, and one up through the water to a side and along it until that is dry.
static mote_simulation_def gauges_that_leave(parts *of, mote_solid_def *solid, mote_mesh **mesh)
{
    mote_simulation_def def = still_water(of, 2, ROUTES);
    *solid = mote_solid_default_def();
    solid->name = "box", solid->shape.kind = MOTE_SOLID_BOX, solid->boundary = MOTE_BOUNDARY_FIELD;
    solid->shape.box = (mote_box){{0.4, 0, 0}, {0.6, 0, 0.4}};
    CHECK_OK(mote_mesh_create_shape(NULL, &solid->shape, 2, def.fluid.spacing, mesh, NULL));
    solid->mesh = *mesh;
    def.solids = solid, def.solid_count = 1;
    static const char *const texts[ROUTES][2] = {{"0.1 + 16*t", NULL}, {"0.1 + 6*t", "3*t"}, {"0.1 - 2*t", "16*t"}};
    for (int k = 0; k < ROUTES; ++k) {
        of->gauges[k] = gauge_at("p", MOTE_GAUGE_WALL_PRESSURE, 0.1, 0, 0);
        of->gauges[k].at_text[0] = texts[k][0], of->gauges[k].at_text[2] = texts[k][1];
        of->gauges[k].every = k == 2 ? 0.004 : 0;
    }
    return def;
}

// Where one that rests would be refused, away from walls or beside a field, a gauge that moves reads NaN, and a
// pressure again beyond. A dry wall has a pressure of 0. Runs that are resumed have the same rows.
static void places_without_walls_have_no_pressure(void **state)
{
    (void)state;
    parts of;
    mote_solid_def solid;
    mote_mesh *mesh;
    mote_simulation_def def = gauges_that_leave(&of, &solid, &mesh);
    mote_simulation *moving = make_simulation(NULL, &def), *resumed = make_simulation(NULL, &def);
    const double near = 1.5 * def.fluid.spacing;
    int of_kind[ROUTES][2] = {{0}};
    while (mote_simulation_time(moving) < 0.05) {
        memory_file file = {NULL, 0};
        CHECK_OK(mote_simulation_write(moving, take, &file, NULL));
        CHECK_OK(mote_simulation_step(moving, 0.001, NULL, NULL));
        CHECK_OK(mote_simulation_read(resumed, file.bytes, file.length, NULL));
        CHECK_OK(mote_simulation_step(resumed, 0.001, NULL, NULL));
        check_same(moving, resumed);
        free(file.bytes);
        for (size_t k = 0; k < ROUTES; ++k) {
            const mote_gauge_view view = view_of(moving, k);
            const double t = view.time, x = k == 0 ? 0.1 + 16 * t : k == 1 ? 0.1 + 6 * t : 0.1 - 2 * t;
            const double z = k == 0 ? 0 : k == 1 ? 3 * t : 16 * t, p = view.values[0];
            const bool is_beside = x > 0.4 - near && x < 0.6 + near && z < 0.4 + near;
            const bool is_inside = x > 0.4 + near && x < 0.6 - near && z < 0.4 - near;
            const double apart = fmin(fmin(x, 1 - x), z);  // from the sides; the first wall particles are d/2 behind
            ++of_kind[k][isnan(p) != 0];
            if ((is_beside && !is_inside) || apart > near)
                CHECK(isnan(p), "%g Pa at x = %g, z = %g, beside nothing", p, x, z);
            else if (!is_beside && apart < near - 0.6 * def.fluid.spacing && x < 1)
                CHECK(z > 0.75 ? p == 0 : z < 0.5 ? p > 0 : p >= 0, "%g Pa at x = %g, z = %g", p, x, z);
        }
    }
    for (int k = 0; k < ROUTES; ++k)
        CHECK(of_kind[k][0] > 0 && of_kind[k][1] > 0, "route %d: %d pressures, %d without", k,
              of_kind[k][0], of_kind[k][1]);
    mote_simulation_destroy(moving);
    mote_simulation_destroy(resumed);
    mote_mesh_destroy(mesh);
}

// Water of any shape counts in what a gauge may see, in a tank and without one, whatever block comes after it.
static void water_of_any_shape_can_be_seen(void **state)
{
    (void)state;
    const double points[6] = {0.3, 0.5, 0.3, 0.35, 0.5, 0.3};
    const mote_block_def shapes[3] = {
        {.shape = MOTE_SHAPE_BALL, .center = {0.3, 0.5, 0.3}, .radius = 0.2},
        {.shape = MOTE_SHAPE_CYLINDER, .center = {0.3, 0.5, 0.3}, .radius = 0.2, .height = 0.3, .axis = {0, 0, 1}},
        {.shape = MOTE_SHAPE_POINTS, .points = points, .point_count = 2},
    };
    for (int k = 0; k < 12; ++k) {
        parts of;
        mote_simulation_def def = still_water(&of, 3, 1);
        def.phase.sound_speed = 20;
        def.has_tank = k & 1;
        def.tank.max = (mote_vec3){9, 1, 1};
        def.block_count = k & 2 ? 2 : 1;
        of.blocks[0] = shapes[k / 4];
        of.blocks[0].min = of.blocks[0].max = (mote_vec3){NAN, NAN, NAN};  // as in a scene without them
        of.blocks[1] = (mote_block_def){.min = {8, 0, 0}, .max = {9, 1, 0.2}};
        of.gauges[0] = gauge_at("p", MOTE_GAUGE_PRESSURE, 0.3, 0.5, 0.3);
        mote_simulation_destroy(make_simulation(NULL, &def));
        of.gauges[0].at.x = 500;
        mote_simulation *simulation;
        mote_error error = {0};
        const mote_result result = mote_simulation_create(NULL, &def, &simulation, &error);
        CHECK(result == MOTE_ERROR_ARGUMENT && strstr(error.text, "which is outside everything"),
              "shape %d, tank %d, blocks %zu: %s, \"%s\"", k / 4, k & 1, def.block_count, mote_result_name(result),
              error.text);
    }
}

static void bad_defs_are_refused(void **state)
{
    (void)state;
    parts of;
    mote_simulation_def def = still_water(&of, 3, 1);
    of.gauges[0] = gauge_of("p", MOTE_GAUGE_PRESSURE);
    refuse(&def, "gauges[0].at is missing, expected three numbers, each from -1000000 to 1000000, or expressions in t "
                 "[m], as kind \"pressure\" needs it");
    of.gauges[0] = gauge_at("p", MOTE_GAUGE_PRESSURE, 0.5, 0.5, 0.5);
    of.gauges[0].direction = (mote_vec3){1, 0, 0};
    refuse(&def, "gauges[0].direction is [1, 0, 0], expected no direction, as kind \"pressure\" does not use it");
    of.gauges[0] = gauge_at("p", MOTE_GAUGE_PRESSURE, 500, 0.5, 0.5);
    refuse(&def, "gauges[0].at is [500, 0.5, 0.5], which is outside everything, expected a place from -0.05 to 1.05 "
                 "along x");
    of.gauges[0].at_text[0] = "500 + t";
    refuse(&def, "gauges[0].at is [500, 0.5, 0.5], which is outside everything, expected a place from -0.05 to 1.05 "
                 "along x");
    of.gauges[0].at_text[0] = "0.5", of.gauges[0].at_text[2] = "1/t";
    refuse(&def, "gauges[0].at[2] is inf at t = 0 s, expected a number from -1000000 to 1000000 [m]");
    of.gauges[0].at_text[2] = "x";
    refuse(&def, "gauges[0].at[2] is no expression: \"x\" at column 1, expected one of t, pi, sqrt, sin, cos, tan, "
                 "exp, log, cosh, sinh, tanh, abs, min, max");
    of.gauges[0] = gauge_of("f", MOTE_GAUGE_FRONT), of.gauges[0].at_text[1] = "t";
    refuse(&def, "gauge.at is [null, \"t\", null], expected three numbers, each from -1000000 to 1000000, or "
                 "expressions in t [m]");
    of.gauges[0].at = (mote_vec3){0, 0, 0};
    refuse(&def, "gauges[0].at is [0, \"t\", 0], expected no at, as kind \"front\" does not use it");
    of.gauges[0] = gauge_at("p", MOTE_GAUGE_WALL_PRESSURE, 0.5, 0.5, 0.5);
    refuse(&def, "gauges[0].at is [0.5, 0.5, 0.5], expected a place within 1.5 spacings of wall particles");
    of.gauges[0] = gauge_in("q", MOTE_GAUGE_FLOW, (mote_vec3){0.5, 0, 0}, (mote_vec3){0.6, 1, 1});
    refuse(&def, "gauges[0].max is [0.6, 1, 1], expected a rectangle: equal to min along one axis, more along the "
                 "others");
    of.gauges[0] = gauge_in("q", MOTE_GAUGE_ENERGY, (mote_vec3){0.5, 0, 0}, (mote_vec3){0.4, 1, 1});
    refuse(&def, "gauges[0].max is [0.4, 1, 1], expected at least min along each axis");
    of.gauges[0].max = (mote_vec3){NAN, NAN, NAN};
    refuse(&def, "gauges[0].max is missing, expected min and max, or neither");
    of.gauges[0] = gauge_in("q", MOTE_GAUGE_FRONT, (mote_vec3){2, 0, 0}, (mote_vec3){3, 1, 1});
    refuse(&def, "gauges[0].min is [2, 0, 0], which is outside everything, expected a place from -0.05 to 1.05 along "
                 "x");
    of.gauges[0] = gauge_of("f", MOTE_GAUGE_FRONT);
    of.gauges[0].direction = (mote_vec3){0, 0, 0};
    refuse(&def, "gauges[0].direction is [0, 0, 0], expected one that is not 0");
    of.gauges[0] = gauge_of("f", MOTE_GAUGE_FORCE);
    of.gauges[0].of = "z_max";
    refuse(&def, "gauges[0].of is \"z_max\", expected a closed side of the tank, as \"x_min\", or the name of a solid");
    of.gauges[0] = gauge_of("e", MOTE_GAUGE_ENERGY);
    of.gauges[0].every = -1;
    refuse(&def, "gauge.every is -1, expected a number from 0 to 1000000000 [s]");
    of.gauges[0].every = 0, of.gauges[0].kind = 99;
    refuse(&def, "gauge.kind is 99, expected \"pressure\", \"wall_pressure\", \"velocity\", \"height\", \"front\", "
                 "\"flow\", \"energy\", \"extremes\", \"force\" or \"moment\"");
    of.gauges[0].kind = MOTE_GAUGE_ENERGY;
    def.block_count = 0, def.has_grains = true;
    def.grains.count = 1, def.grains.max = (mote_vec3){1, 1, 1}, def.grains.size = 0.01;
    refuse(&def, "gauges[0] has no fluid to measure, expected blocks, or no gauges");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(still_water_is_measured),
        cmocka_unit_test(still_water_weighs_on_the_floor),
        cmocka_unit_test(heights_follow_the_lattice),
        cmocka_unit_test(sums_over_all_particles_agree),
        cmocka_unit_test(uniform_flow_is_measured),
        cmocka_unit_test(fronts_have_no_drops),
        cmocka_unit_test(periodic_fluids_are_measured),
        cmocka_unit_test(rows_come_when_they_are_due),
        cmocka_unit_test(forces_are_means_since_the_last_row),
        cmocka_unit_test(gauges_change_nothing),
        cmocka_unit_test(any_number_of_threads_has_the_same_bits),
        cmocka_unit_test(resumed_runs_have_the_same_rows),
        cmocka_unit_test(places_follow_the_time),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(fields_have_no_wall_pressure),
        cmocka_unit_test(places_without_walls_have_no_pressure),
        cmocka_unit_test(water_of_any_shape_can_be_seen),
        cmocka_unit_test(bad_defs_are_refused),
    };
    RUN_TESTS(tests, argc, argv);
}
