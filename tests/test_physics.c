// SPDX-License-Identifier: MIT
// Physics with numbers: still water, energy.

#include "mote/simulation.h"
#include "support/test.h"

enum { BINS = 10 };

// A tank that is filled to its depth H [m]; in 3D its floor is a square.
typedef struct filled_tank {
    int dimensions, n;  // n spacings to the metre
    double width, depth;
} filled_tank;

typedef struct still_water {
    double fastest;                       // over the last quarter of a second, over sqrt(g H)
    double top;                           // where the surface is
    double height[BINS], pressure[BINS];  // means over the same time, by height, away from the walls
} still_water;

static mote_simulation *fill(filled_tank tank, double alpha)
{
    mote_simulation_def def = mote_simulation_default_def();
    mote_block_def block = {.min = {0, 0, 0}, .max = {tank.width, tank.width, tank.depth}};
    def.fluid.dimensions = tank.dimensions;
    def.fluid.spacing = 1.0 / tank.n;
    def.fluid.viscosity_alpha = alpha;
    def.has_tank = true;
    def.tank.min = (mote_vec3){0, 0, 0};
    def.tank.max = (mote_vec3){tank.width, tank.width, 1.5 * tank.depth};
    def.tank.open_z_max = true;
    def.blocks = &block, def.block_count = 1;
    mote_simulation *simulation;
    mote_error error;
    mote_result result = mote_simulation_create(NULL, &def, &simulation, &error);
    CHECK(result == MOTE_OK, "%s", error.text);
    return simulation;
}

// Adds the particles as they are now to the profile; returns the height of the highest.
static double sample_profile(mote_fluid *fluid, filled_tank tank, still_water *water, double counts[BINS])
{
    mote_fluid_def def = mote_fluid_resolved_def(fluid);
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    double h = def.support, far = tank.width - h, top = 0;
    for (size_t i = 0; i < view.count; ++i) {
        top = fmax(top, view.z[i]);
        bool near = view.x[i] < h || view.x[i] > far || (def.dimensions == 3 && (view.y[i] < h || view.y[i] > far));
        int bin = (int)(view.z[i] / tank.depth * BINS);
        if (near || bin >= BINS) continue;
        water->height[bin] += view.z[i];
        water->pressure[bin] += (double)view.pressure[i];
        counts[bin] += 1;
    }
    return top;
}

static still_water watch(mote_simulation *simulation, filled_tank tank, double end)
{
    mote_fluid *fluid = mote_simulation_fluid(simulation);
    still_water water = {0};
    double counts[BINS] = {0};
    CHECK_OK(mote_simulation_run_until(simulation, end - 0.25, NULL, NULL, NULL));
    const int samples = 50;
    for (int k = 1; k <= samples; ++k) {
        CHECK_OK(mote_simulation_run_until(simulation, end - 0.25 + 0.25 * k / samples, NULL, NULL, NULL));
        mote_fluid_totals totals;
        CHECK_OK(mote_fluid_get_totals(fluid, &totals, NULL));
        water.fastest = fmax(water.fastest, totals.max_speed / sqrt(9.81 * tank.depth));
        water.top += sample_profile(fluid, tank, &water, counts) / samples;
    }
    water.top += mote_fluid_resolved_def(fluid).spacing / 2;
    for (int b = 0; b < BINS; ++b)
        if (counts[b] > 0) water.height[b] /= counts[b], water.pressure[b] /= counts[b];
    return water;
}

// After 5 s nobody is faster than 1 % of sqrt(gH), and pressure is ρ g h to 5 % of ρ g H, away from the first h at
// walls and surface: with the defaults.
static void expect_still(filled_tank tank)
{
    mote_simulation *simulation = fill(tank, mote_fluid_default_def().viscosity_alpha);
    double h = mote_fluid_resolved_def(mote_simulation_fluid(simulation)).support;
    still_water water = watch(simulation, tank, 5);
    CHECK(water.fastest < 0.01, "%dD, %g x %g m: %.4f sqrt(gH) after 5 s", tank.dimensions, tank.width, tank.depth,
          water.fastest);
    for (int b = 0; b < BINS; ++b) {
        if (water.height[b] < h || water.height[b] > water.top - h) continue;
        double expected = 1000 * 9.81 * (water.top - water.height[b]);
        CHECK(fabs(water.pressure[b] - expected) < 0.05 * 1000 * 9.81 * water.top,
              "%dD, %g x %g m, at %.3f m: %.0f Pa, expected %.0f", tank.dimensions, tank.width, tank.depth,
              water.height[b], water.pressure[b], expected);
    }
    mote_simulation_destroy(simulation);
}

static void a_filled_box_comes_to_rest_in_2d(void **state)
{
    (void)state;
    if (SLOW_BUILD) skip();  // 3,500 steps
    expect_still((filled_tank){2, 20, 1, 1});
    expect_still((filled_tank){2, 20, 1, 0.5});
}

static void a_filled_box_comes_to_rest_in_3d(void **state)
{
    (void)state;
    if (SLOW_BUILD) skip();  // 3,200 steps of 1,728 particles
    expect_still((filled_tank){3, 12, 1, 1});
    expect_still((filled_tank){3, 12, 1, 0.5});
}

// Widths between whole numbers of spacings, depths too.
static void a_tank_of_any_size_comes_to_rest(void **state)
{
    (void)state;
    if (SLOW_BUILD) skip();  // 3,500 steps
    expect_still((filled_tank){2, 20, 1.02, 1});
    expect_still((filled_tank){2, 20, 0.98, 0.93});
    expect_still((filled_tank){3, 12, 1.03, 0.57});
}

// A fluid so thick that its viscosity limits the step.
static void honey_stays_where_it_is(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        filled_tank tank = {dimensions, 10, 0.8, 0.8};
        mote_simulation *simulation = fill(tank, 50);
        CHECK_OK(mote_simulation_run_until(simulation, SANITIZED ? 0.1 : 0.5, NULL, NULL, NULL));
        mote_fluid_totals totals;
        CHECK_OK(mote_fluid_get_totals(mote_simulation_fluid(simulation), &totals, NULL));
        CHECK(totals.max_speed < 0.02 * sqrt(9.81 * tank.depth), "%dD: %g m/s", dimensions, totals.max_speed);
        mote_simulation_destroy(simulation);
    }
}

// Energy over its start never exceeds 2 %, relative to the tank's floor, by either way to density.
static void a_breaking_dam_gains_no_energy(void **state)
{
    (void)state;
    for (int density = 0; density < 2; ++density)
        for (int dimensions = 2; dimensions <= 3; ++dimensions) {
            mote_simulation_def def = mote_simulation_default_def();
            mote_block_def block = {.min = {0, 0, 0}, .max = {0.5, 0.5, 1}};
            def.fluid.dimensions = dimensions;
            def.fluid.spacing = dimensions == 2 && !SANITIZED ? 1 / 32.0 : 0.1;
            def.fluid.density = density;
            def.has_tank = true;
            def.tank.min = (mote_vec3){0, 0, 0};
            def.tank.max = (mote_vec3){2, 0.5, 1};
            def.tank.open_z_max = true;
            def.blocks = &block, def.block_count = 1;
            mote_simulation *simulation;
            CHECK_OK(mote_simulation_create(NULL, &def, &simulation, NULL));
            mote_fluid_totals totals;
            CHECK_OK(mote_fluid_get_totals(mote_simulation_fluid(simulation), &totals, NULL));
            double start = totals.potential_energy;
            for (int frame = 1; frame <= 40; ++frame) {
                CHECK_OK(mote_simulation_run_until(simulation, 0.05 * frame, NULL, NULL, NULL));
                CHECK_OK(mote_fluid_get_totals(mote_simulation_fluid(simulation), &totals, NULL));
                double energy = totals.kinetic_energy + totals.potential_energy;
                CHECK(energy < 1.02 * start, "%dD, density %d, t = %g s: %.4f of the start", dimensions, density,
                      0.05 * frame, energy / start);
                CHECK(totals.mean_compression < 0.03, "%dD, t = %g s: %g", dimensions, 0.05 * frame,
                      totals.mean_compression);
                CHECK(totals.max_speed < 4 * sqrt(9.81), "%dD, t = %g s: %g m/s", dimensions, 0.05 * frame,
                      totals.max_speed);
            }
            mote_simulation_destroy(simulation);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_filled_box_comes_to_rest_in_2d),
        cmocka_unit_test(a_filled_box_comes_to_rest_in_3d),
        cmocka_unit_test(a_tank_of_any_size_comes_to_rest),
        cmocka_unit_test(honey_stays_where_it_is),
        cmocka_unit_test(a_breaking_dam_gains_no_energy),
    };
    RUN_TESTS(tests, argc, argv);
}
