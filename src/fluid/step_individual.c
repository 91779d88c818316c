// SPDX-License-Identifier: MIT
// A step of the fluid with individual time steps, which particles divide as their levels say (levels.c).
//
// Each particle makes the steps of step.c with a length dt_i of its own: half a kick, a drift by dt_i, and after the
// evaluation at its end the other half. That is v(t+½dt_i) = v(t−½dt_i') + ½(dt_i' + dt_i) a(t), the leap-frog with
// velocities at half steps, for steps that change. From one end of a step to the next one
//
//     1. those whose step has ended begin another one with half a kick, and wake neighbours that are too slow;
//     2. all particles drift to the next end of a step: from where their step began, along a straight line. Those that
//        end there are led past walls and solids by the mover, once for their whole step;
//     3. those that have ended are evaluated, and end their step with the other half of the kick.
//
// A step that is one of each particle is made as with global steps. The last evaluation, of all particles, is left to
// whoever comes next, as there: gravity may change, and the state may be written, before it. If memory runs out within
// the step, or a particle is where no search can find it, the fluid is as it was before it.

#include <string.h>

#include "base/vector.h"
#include "fluid/drift.h"
#include "fluid/internal.h"
#include "fluid/peek.h"

// ------------------------------------------------------------------------------------------------- the state before

static size_t saved_bytes(const mote_fluid *fluid)
{
    size_t bytes = 0;
    for (size_t k = 0; k < fluid->particles.field_count; ++k)
        bytes += mote_bytes(fluid->particles.count, mote_particle_bytes(&fluid->particles.fields[k]));
    return bytes;
}

// Copies all arrays of the particles to the saved state, or back.
static void copy_arrays(mote_fluid *fluid, bool is_back)
{
    char *saved = fluid->levels.saved.data;
    for (size_t k = 0; k < fluid->particles.field_count; ++k) {
        const size_t bytes = fluid->particles.count * mote_particle_bytes(&fluid->particles.fields[k]);
        void *array = fluid->particles.arrays[k].data;
        if (bytes > 0) memcpy(is_back ? array : saved, is_back ? saved : array, bytes);
        saved += bytes;
    }
}

static mote_result prepare(mote_fluid *fluid, mote_error *error)
{
    mote_result result = mote_steps_reserve(fluid);
    if (result == MOTE_OK) result = mote_buffer_reserve(fluid->context, &fluid->levels.saved, saved_bytes(fluid), 0);
    if (result != MOTE_OK) return mote_fluid_out_of_memory(fluid, "individual steps", error);
    copy_arrays(fluid, false);
    return fluid->has_rows ? MOTE_OK : fluid->solver->restore_records(fluid, error);
}

// ------------------------------------------------------------------------------------------------------------- motion

typedef struct drift_task {
    mote_fluid *fluid;
    mote_fluid_mover *mover;
    void *user_data;
} drift_task;

// Moves a block to the present tick; stores the index of its first particle whose position is not finite, or
// UINT32_MAX.
static void drift_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const drift_task *task = data;
    mote_fluid *fluid = task->fluid;
    const fluid_levels *levels = &fluid->levels;
    const uint32_t *begins = levels->begins.data, *ends = levels->ends.data;
    const double *origins = levels->origins.data, *spans = mote_fluid_doubles(fluid, FLUID_SPAN);
    fluid_drift drift = mote_fluid_drift(fluid, task->mover, task->user_data);
    const float *shift[3];
    for (int k = 0; k < 3; ++k) shift[k] = mote_fluid_floats(fluid, fluid->solver->shift + k);
    for (size_t i = begin; i < end; ++i) {
        const bool has_ended = ends[i] == levels->now;
        const double time = has_ended ? spans[i] : levels->dt * (levels->now - begins[i]) / LEVEL_TICKS;
        const double *from = origins + 3 * i;
        double to[3], v[3];
        for (int k = 0; k < 3; ++k) {
            v[k] = (double)drift.velocity[k][i];
            to[k] = from[k] + time * (v[k] + (double)shift[k][i]);
        }
        mote_fluid_put(&drift, i, from, to, v, has_ended);
    }
    ((uint32_t *)fluid->partial.data)[begin / FLUID_BLOCK] = drift.bad;
}

bool mote_fluid_is_divided(const mote_fluid *fluid)
{
    return fluid->levels.is_divided;
}

typedef struct change_task {
    mote_fluid *fluid;
    mote_fluid_changer *changer;
    const void *user_data;
} change_task;

static void change_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const change_task *task = data;
    const mote_fluid *fluid = task->fluid;
    float *vx = mote_fluid_floats(fluid, FLUID_VX), *vy = mote_fluid_floats(fluid, FLUID_VY);
    float *vz = mote_fluid_floats(fluid, FLUID_VZ);
    for (size_t i = begin; i < end; ++i) {
        const mote_vec3 at = {mote_fluid_doubles(fluid, FLUID_X)[i], mote_fluid_doubles(fluid, FLUID_Y)[i],
                              mote_fluid_doubles(fluid, FLUID_Z)[i]};
        mote_vec3 v = {(double)vx[i], (double)vy[i], (double)vz[i]};
        task->changer(task->user_data, at, &v);
        vx[i] = (float)v.x, vy[i] = (float)v.y, vz[i] = (float)v.z;
    }
}

void mote_fluid_change_velocities(mote_fluid *fluid, mote_fluid_changer *changer, const void *user_data)
{
    change_task task = {fluid, changer, user_data};
    mote_parallel_for(fluid->context, fluid->particles.count, FLUID_BLOCK, change_block, &task);
}

// Lists those whose step ends now.
static void find_awake(mote_fluid *fluid)
{
    fluid_levels *levels = &fluid->levels;
    const uint32_t *ends = levels->ends.data;
    uint32_t *awake = levels->awake.data;
    const size_t n = fluid->particles.count;
    levels->awake_count = levels->row_count = 0;
    for (size_t i = 0; i < n; ++i) {
        levels->awake_count += ends[i] == levels->now;
        if (levels->evaluates_all || ends[i] == levels->now) awake[levels->row_count++] = (uint32_t)i;
    }
    levels->has_sleepers = levels->awake_count < n;
}

// What follows from gravity in the weak solver is found in each evaluation.
static mote_result evaluate_now(mote_fluid *fluid, mote_error *error)
{
    const fluid_levels *levels = &fluid->levels;
    const mote_vec3 before = fluid->def.gravity;
    if (levels->has_next_gravity)
        fluid->def.gravity = mote_vec3_add_scaled(before, mote_vec3_sub(levels->next_gravity, before),
                                                  (double)levels->now / LEVEL_TICKS);
    const mote_result result = fluid->solver->evaluate(fluid, error);
    fluid->def.gravity = before;
    return result;
}

mote_result mote_fluid_advance_individually(mote_fluid *fluid, double dt, mote_fluid_mover *mover, void *user_data,
                                            mote_error *error)
{
    fluid_levels *levels = &fluid->levels;
    drift_task task = {fluid, mover, user_data};
    const uint64_t particle_steps = fluid->counters.particle_steps;
    const double previous = fluid->previous_dt;
    const fluid_limits limits = fluid->limits;
    mote_result result = prepare(fluid, error);
    if (result != MOTE_OK) return result;
    levels->dt = dt;
    levels->now = 0;
    levels->has_sleepers = false;
    levels->is_within = true;
    uint32_t bad = UINT32_MAX;
    while (levels->now < LEVEL_TICKS && bad == UINT32_MAX) {
        mote_steps_begin_steps(fluid);
        levels->now = mote_steps_next(fluid);
        mote_parallel_for(fluid->context, fluid->particles.count, FLUID_BLOCK, drift_block, &task);
        bad = mote_fluid_first_bad(fluid);
        find_awake(fluid);
        fluid->counters.particle_steps += levels->awake_count;
        if (levels->now == LEVEL_TICKS || bad != UINT32_MAX) break;
        fluid->previous_dt = dt;
        result = evaluate_now(fluid, error);
        if (result != MOTE_OK) break;
    }
    levels->is_within = levels->has_sleepers = false;
    if (result != MOTE_OK) {
        copy_arrays(fluid, true);
        fluid->counters.particle_steps = particle_steps;
        fluid->previous_dt = previous;
        fluid->limits = limits;
        fluid->evaluated = true;
        fluid->has_rows = fluid->has_densities = false;
        return result;
    }
    fluid->counters.particle_steps -= fluid->particles.count;  // those of the last end are counted below
    return mote_fluid_end_step(fluid, dt, bad, error);
}
