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
    if (!fluid || (!densities && mote_fluid_own_count(fluid)))
        return mote_fail_null(error, "fluid", fluid ? "an argument" : "the object");
    mote_result result = mote_fluid_evaluate(fluid, error);
    return result == MOTE_OK ? fluid->solver->sum_densities(fluid, densities, error) : result;
}

typedef struct acceleration_task {
    mote_fluid *fluid;
    const fluid_motion *accelerations;
} acceleration_task;

static void take_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const acceleration_task *task = data;
    mote_fluid *fluid = task->fluid;
    fluid_kick kick = {.found = task->accelerations, .half_step = (float)(fluid->previous_dt / 2)};
    for (int k = 0; k < 3; ++k) {
        kick.velocity[k] = mote_fluid_floats(fluid, FLUID_VX + k);
        kick.acceleration[k] = mote_fluid_floats(fluid, FLUID_AX + k);
    }
    fluid_limits limits = {0, 0};
    const size_t whole = mote_state_whole(fluid->state_lanes, begin, end);
    fluid->state_lanes->kick(&kick, begin, whole, &limits);
    mote_state_lanes_plain.kick(&kick, whole, end, &limits);
    ((fluid_limits *)fluid->partial.data)[begin / FLUID_BLOCK] = limits;
}

void mote_fluid_join_limits(mote_fluid *fluid)
{
    const fluid_limits *partial = fluid->partial.data;
    fluid_limits all = {0, 0};
    for (size_t b = 0; b < mote_block_count(fluid->particles.count, FLUID_BLOCK); ++b) {
        all.max_speed_squared = MOTE_MAX(all.max_speed_squared, partial[b].max_speed_squared);
        all.max_acceleration_squared = MOTE_MAX(all.max_acceleration_squared, partial[b].max_acceleration_squared);
    }
    fluid->limits = all;
}

void mote_fluid_take_accelerations(mote_fluid *fluid, const fluid_motion *accelerations)
{
    acceleration_task task = {fluid, accelerations};
    mote_parallel_for(fluid->context, fluid->particles.count, FLUID_BLOCK, take_block, &task);
    mote_fluid_join_limits(fluid);
}

mote_result mote_fluid_put_in_order(mote_fluid *fluid)
{
    if (fluid->counters.steps % FLUID_ORDER_INTERVAL != 0 || fluid->ordered) return MOTE_OK;
    const particle_places places = {
        {mote_fluid_doubles(fluid, FLUID_X), mote_fluid_doubles(fluid, FLUID_Y), mote_fluid_doubles(fluid, FLUID_Z)},
        1};
    const double origin[3] = {fluid->origin.x, fluid->origin.y, fluid->origin.z};
    fluid->particles.unordered = fluid->open.held;
    const mote_result result = mote_particles_order(&fluid->particles, &places, origin, fluid->def.support);
    fluid->ordered = result == MOTE_OK;
    return result;
}
