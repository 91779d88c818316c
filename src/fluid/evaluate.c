// SPDX-License-Identifier: MIT
// Densities, pressures and accelerations, by the fluid's solver, unless they are up to date.

#include "fluid/internal.h"

mote_result mote_fluid_evaluate(mote_fluid *fluid, mote_error *error)
{
    if (!fluid) return mote_fail_null(error, "fluid", "the object");
    if (fluid->evaluated) return MOTE_OK;
    double start = mote_clock_seconds();
    mote_result result = fluid->solver->evaluate(fluid, error);
    fluid->counters.total_seconds += mote_clock_seconds() - start;
    return result;
}

mote_result mote_fluid_sum_densities(mote_fluid *fluid, float *densities, mote_error *error)
{
    if (!fluid || (!densities && fluid->particles.count))
        return mote_fail_null(error, "fluid", fluid ? "an argument" : "the object");
    mote_result result = mote_fluid_evaluate(fluid, error);
    return result == MOTE_OK ? fluid->solver->sum_densities(fluid, densities, error) : result;
}

fluid_limits mote_fluid_join_limits(const mote_fluid *fluid)
{
    const fluid_limits *partial = fluid->partial.data;
    fluid_limits all = {0, 0};
    for (size_t b = 0; b < mote_block_count(fluid->particles.count, FLUID_BLOCK); ++b) {
        all.max_speed_squared = MOTE_MAX(all.max_speed_squared, partial[b].max_speed_squared);
        all.max_acceleration_squared = MOTE_MAX(all.max_acceleration_squared, partial[b].max_acceleration_squared);
    }
    return all;
}

mote_result mote_fluid_put_in_order(mote_fluid *fluid)
{
    if (fluid->counters.steps % FLUID_ORDER_INTERVAL != 0 || fluid->ordered) return MOTE_OK;
    const particle_places places = {
        {mote_fluid_doubles(fluid, FLUID_X), mote_fluid_doubles(fluid, FLUID_Y), mote_fluid_doubles(fluid, FLUID_Z)},
        1};
    const double origin[3] = {fluid->origin.x, fluid->origin.y, fluid->origin.z};
    const mote_result result = mote_particles_order(&fluid->particles, &places, origin, fluid->def.support);
    fluid->ordered = result == MOTE_OK;
    return result;
}
