// SPDX-License-Identifier: MIT
// Water in a tank: a column is let go, runs out over the floor and hits the far wall. Gauges measure where its front
// is, and how high it stands at the far wall.
//
// A simulation is made from plain structs: the fluid, the tank, blocks of water, gauges. It owns its particles; a view
// of an object shows them. In 2D everything lies in the plane y = 0, z is up, and amounts are those of a metre along y.
//
// Prints:
//     0.0 s: 160.0 kg/m of water, front at 0.40 m, 0.00 m high at the far wall, fastest 0.0 m/s
//     0.1 s: 160.0 kg/m of water, front at 0.49 m, 0.00 m high at the far wall, fastest 1.7 m/s
//     0.2 s: 160.0 kg/m of water, front at 0.72 m, 0.00 m high at the far wall, fastest 2.8 m/s
//     0.3 s: 160.0 kg/m of water, front at 1.02 m, 0.00 m high at the far wall, fastest 3.1 m/s
//     0.4 s: 160.0 kg/m of water, front at 1.20 m, 0.18 m high at the far wall, fastest 3.9 m/s
//     0.5 s: 160.0 kg/m of water, front at 1.20 m, 0.52 m high at the far wall, fastest 3.1 m/s
//     0.6 s: 160.0 kg/m of water, front at 1.20 m, 0.77 m high at the far wall, fastest 2.1 m/s

#include <stdio.h>
#include <string.h>

#include "mote/simulation.h"

static bool is_done(mote_result result, const mote_error *error)
{
    if (result != MOTE_OK) fprintf(stderr, "%s: %s\n", mote_result_name(result), error->text);
    return result == MOTE_OK;
}

static mote_result create(mote_simulation **simulation, mote_error *error)
{
    mote_simulation_def def = mote_simulation_default_def();
    def.fluid.dimensions = 2;
    def.fluid.spacing = 0.02;  // of the particles [m]
    mote_result result = mote_fluid_choose_preset(&def.fluid, MOTE_PRESET_ENGINEERING, error);
    if (result != MOTE_OK) return result;

    def.has_tank = true;
    def.tank.min = (mote_vec3){0, 0, 0}, def.tank.max = (mote_vec3){1.2, 0, 0.8};  // [m]
    def.tank.open_z_max = true;

    mote_block_def column = mote_block_default_def();
    column.min = (mote_vec3){0, 0, 0}, column.max = (mote_vec3){0.4, 0, 0.4};
    def.blocks = &column, def.block_count = 1;

    mote_gauge_def gauges[2] = {mote_gauge_default_def(), mote_gauge_default_def()};
    gauges[0].name = "front", gauges[0].kind = MOTE_GAUGE_FRONT;
    gauges[1].name = "far wall", gauges[1].kind = MOTE_GAUGE_HEIGHT, gauges[1].at = (mote_vec3){1.18, 0, 0};
    def.gauges = gauges, def.gauge_count = 2;
    return mote_simulation_create(NULL, &def, simulation, error);  // names are not copied
}

// What the gauges show, and what the fluid sums up to.
static bool print_state(mote_simulation *simulation, mote_error *error)
{
    mote_gauge_view front, height;
    mote_fluid_totals totals;
    if (!is_done(mote_simulation_get_gauge(simulation, 0, &front, error), error) ||
        !is_done(mote_simulation_get_gauge(simulation, 1, &height, error), error) ||
        !is_done(mote_fluid_get_totals(mote_simulation_fluid(simulation), &totals, error), error))
        return false;
    printf("%.1f s: %.1f kg/m of water, front at %.2f m, %.2f m high at the far wall, fastest %.1f m/s\n",
           mote_simulation_time(simulation), totals.mass, front.values[0], height.values[0], totals.max_speed);
    return true;
}

int main(void)
{
    enum { FRAMES = 6 };
    mote_error error = {0};
    mote_simulation *simulation;
    if (!is_done(create(&simulation, &error), &error)) return 1;
    bool goes_on = print_state(simulation, &error);
    for (int frame = 1; goes_on && frame <= FRAMES; ++frame)
        goes_on = is_done(mote_simulation_run_until(simulation, 0.1 * frame, NULL, NULL, &error), &error) &&
                  print_state(simulation, &error);
    mote_simulation_destroy(simulation);
    return goes_on ? 0 : 1;
}
