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
    if (result == MOTE_OK) result = mote_steps_save_reactions(fluid);
    const size_t motions = fluid->boundary_count * sizeof(fluid_boundary_motion);
    if (result == MOTE_OK) result = mote_buffer_reserve(fluid->context, &fluid->levels.saved_motions, motions, 0);
    if (result != MOTE_OK) return mote_fluid_out_of_memory(fluid, "individual steps", error);
    copy_arrays(fluid, false);
    if (motions > 0) memcpy(fluid->levels.saved_motions.data, fluid->boundary_motions.data, motions);
    return fluid->has_rows ? MOTE_OK : fluid->solver->restore_records(fluid, error);
}

// ------------------------------------------------------------------------------------------------------------- motion

// Where walls move, guards have to know how long particles take: those that end their steps move by themselves, for
// each beginning that they have.
typedef enum drift_pass {
    PASS_ALL,
    PASS_SLEEPING,
    PASS_ENDING,
} drift_pass;

typedef struct drift_task {
    mote_fluid *fluid;
    mote_fluid_mover *mover;
    void *user_data;
    int phase;            // whose particles move; -1: all
    drift_pass pass;      // which of them
    uint32_t from;        // of PASS_ENDING: the beginning of their steps [ticks]
    mote_error *error;
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
        if (!mote_fluid_is_of_phase(fluid, i, task->phase)) continue;
        if (task->pass == PASS_SLEEPING && has_ended) continue;
        if (task->pass == PASS_ENDING && !(has_ended && begins[i] == task->from)) continue;
        const double time = has_ended ? spans[i] : levels->dt * (levels->now - begins[i]) / LEVEL_TICKS;
        const double *from = origins + 3 * i;
        double to[3], v[3];
        for (int k = 0; k < 3; ++k) {
            v[k] = (double)drift.velocity[k][i];
            to[k] = from[k] + time * (v[k] + (double)shift[k][i]);
        }
        mote_fluid_put(&drift, i, from, to, v, has_ended && mote_fluid_is_guarded(fluid, i, to));
    }
    ((uint32_t *)fluid->partial.data)[begin / FLUID_BLOCK] = drift.bad;
}

// Moves those of a pass to the present tick.
static uint32_t drift_some(drift_task *task, uint32_t bad)
{
    mote_fluid *fluid = task->fluid;
    for (uint32_t k = 0; k < mote_fluid_pass_count(fluid); ++k) {
        task->phase = mote_fluid_pass_phase(fluid, k);
        mote_parallel_for(fluid->context, fluid->particles.count, FLUID_BLOCK, drift_block, task);
        mote_fluid_count_guards(fluid, fluid->phases[k].mass);
        bad = MOTE_MIN(bad, mote_fluid_first_bad(fluid));
    }
    return bad;
}

// The last beginning, before a tick, of steps that end now; LEVEL_TICKS: there is none.
static uint32_t last_beginning(const fluid_levels *levels, size_t count, uint32_t before)
{
    const uint32_t *begins = levels->begins.data, *ends = levels->ends.data;
    uint32_t last = LEVEL_TICKS;
    for (size_t i = 0; i < count; ++i)
        if (ends[i] == levels->now && begins[i] < before && (last == LEVEL_TICKS || begins[i] > last)) last = begins[i];
    return last;
}

// Moves all to the present tick. `bad` receives the first whose position is not finite, or UINT32_MAX.
static mote_result drift_all(drift_task *task, uint32_t *bad)
{
    fluid_levels *levels = &task->fluid->levels;
    const double unit = 1.0 / LEVEL_TICKS;
    const bool announces = levels->announcer && task->mover;
    task->pass = announces ? PASS_SLEEPING : PASS_ALL;
    *bad = drift_some(task, UINT32_MAX);
    if (!announces) return MOTE_OK;
    const size_t count = task->fluid->particles.count;
    task->pass = PASS_ENDING;
    for (task->from = levels->now; (task->from = last_beginning(levels, count, task->from)) != LEVEL_TICKS;) {
        const double begin = task->from * unit, end = levels->now * unit;
        const mote_result result = levels->announcer(task->user_data, begin, end, task->error);
        if (result != MOTE_OK) return result;
        *bad = drift_some(task, *bad);
    }
    return MOTE_OK;
}

void mote_fluid_announce(mote_fluid *fluid, mote_fluid_announcer *announcer)
{
    fluid->levels.announcer = announcer;
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

// Tells whose position no search can find, as that of the error: floats do not reach it.
static mote_result tell_lost(const mote_fluid *fluid, mote_error *error)
{
    const double *x = mote_fluid_doubles(fluid, FLUID_X), *y = mote_fluid_doubles(fluid, FLUID_Y);
    const double *z = mote_fluid_doubles(fluid, FLUID_Z);
    size_t lost = 0;
    for (size_t i = fluid->particles.count; i-- > 0;) {
        const fluid_place at = mote_fluid_make_record(fluid, x[i], y[i], z[i], 0);
        if (!(at.x - at.x == 0 && at.y - at.y == 0 && at.z - at.z == 0)) lost = i;
    }
    const uint64_t id = mote_fluid_ids(fluid)[lost];
    return mote_fail(error, MOTE_ERROR_NOT_FINITE, id,
                     "fluid: particle %llu would be too far away within step %llu, at (%g, %g, %g)",
                     (unsigned long long)id, (unsigned long long)fluid->counters.steps + 1, x[lost], y[lost], z[lost]);
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
    return result == MOTE_ERROR_NOT_FINITE ? tell_lost(fluid, error) : result;
}

mote_result mote_fluid_advance_individually(mote_fluid *fluid, double dt, mote_fluid_mover *mover, void *user_data,
                                            mote_error *error)
{
    fluid_levels *levels = &fluid->levels;
    drift_task task = {.fluid = fluid, .mover = mover, .user_data = user_data, .error = error};
    const uint64_t particle_steps = fluid->counters.particle_steps;
    const double previous = fluid->previous_dt;
    const fluid_limits limits = fluid->limits;
    mote_result result = prepare(fluid, error);
    if (result != MOTE_OK) return result;
    levels->dt = dt;
    levels->now = 0;
    levels->has_sleepers = false;
    levels->is_within = true;
    mote_steps_start_reactions(fluid, dt);
    mote_fluid_begin_motions(fluid, dt);
    uint32_t bad = UINT32_MAX;
    while (levels->now < LEVEL_TICKS && bad == UINT32_MAX) {
        mote_steps_begin_steps(fluid);
        mote_steps_count_leads(fluid);
        levels->now = mote_steps_next(fluid);
        const double start = mote_clock_seconds();
        result = drift_all(&task, &bad);
        fluid->counters.move_seconds += mote_clock_seconds() - start;
        if (result != MOTE_OK) break;
        find_awake(fluid);
        fluid->counters.particle_steps += levels->awake_count;
        if (levels->now == LEVEL_TICKS || bad != UINT32_MAX) break;
        fluid->previous_dt = dt;
        mote_fluid_place_motions(fluid, mote_steps_share(levels));
        result = evaluate_now(fluid, error);
        if (result != MOTE_OK) break;
    }
    levels->is_within = levels->has_sleepers = false;
    if (result != MOTE_OK) {
        copy_arrays(fluid, true);
        mote_steps_undo_reactions(fluid);
        mote_fluid_restore_motions(fluid, levels->saved_motions.data);
        fluid->counters.particle_steps = particle_steps;
        fluid->previous_dt = previous;
        fluid->limits = limits;
        fluid->evaluated = true;
        fluid->has_rows = fluid->has_densities = false;
        return result;
    }
    mote_fluid_end_motions(fluid);
    fluid->counters.particle_steps -= fluid->particles.count;  // those of the last end are counted below
    return mote_fluid_end_step(fluid, dt, bad, error);
}
