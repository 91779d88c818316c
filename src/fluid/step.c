// SPDX-License-Identifier: MIT
// Time integration: leap-frog with a variable step (Onderik & Ďurikovič 2008, eq. 11 and 12), and the largest step.
//
// With velocities at half steps the kick is v(t+½dt) = v(t−½dt') + ½(dt' + dt)·a(t). It is of second order, while
// dt·a(t) is only of first order if dt and dt' differ (the paper's eq. 13 belongs to the form with positions at half
// steps; its eq. 11 has a misprint). The kick is made in two halves: the evaluation brings velocities to the instant
// of the positions with ½dt'·a, which are also the velocities that a user wants to see, and the step continues from
// there with ½dt·a. The first step has dt' = 0 and therefore starts with a half step without special code.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/drift.h"
#include "fluid/internal.h"

static const double wall_way = 0.2;  // of walls in a step, in spacings

double mote_fluid_wall_step(const mote_fluid *fluid)
{
    const double speed = mote_fluid_wall_speed(fluid);
    return speed > 0 ? wall_way * fluid->def.spacing / speed : HUGE_VAL;
}

double mote_fluid_step_limit(const mote_fluid *fluid, double kinematic)
{
    const mote_fluid_def *def = &fluid->def;
    const double h = def->support;
    const double speed = MOTE_MAX(sqrt((double)fluid->limits.max_speed_squared), mote_fluid_wall_speed(fluid));
    const double acceleration = sqrt((double)fluid->limits.max_acceleration_squared);
    double step = def->courant * h / (mote_fluid_most_sound_speed(fluid) + speed);
    if (acceleration > 0) step = MOTE_MIN(step, def->force_limit * sqrt(h / acceleration));
    step = MOTE_MIN(step, mote_fluid_wall_step(fluid));
    if (kinematic > 0) step = MOTE_MIN(step, def->viscous_limit * h * h / kinematic);
    return step;
}

mote_result mote_fluid_time_step(mote_fluid *fluid, double *dt, mote_error *error)
{
    if (!fluid || !dt) return mote_fail_null(error, "fluid", fluid ? "an argument" : "the object");
    mote_result result = mote_fluid_evaluate(fluid, error);
    if (result != MOTE_OK) return result;
    *dt = fluid->solver->time_step(fluid);
    if (mote_steps_are_used(&fluid->def)) *dt = mote_steps_time_step(fluid, *dt);
    return MOTE_OK;
}

typedef struct move_task {
    mote_fluid *fluid;
    double dt;
    int phase;          // whose particles move; -1: all
    mote_box free_box;  // where the mover has nothing to do, beside the fluid's bodies
    mote_fluid_mover *mover;
    void *user_data;
} move_task;

// Whether the mover has nothing to do with a particle: see mote_fluid_leave_alone.
static bool is_left_alone(const move_task *task, const double from[3], const double to[3])
{
    const mote_fluid *fluid = task->fluid;
    bool is_free = mote_box_contains(task->free_box, mote_vec3_make(to[0], to[1], to[2]));
    for (int b = 0; b < fluid->body_count && is_free; ++b) {
        const double *low = &fluid->bodies[b].min.x, *high = &fluid->bodies[b].max.x;
        is_free = false;
        for (int k = 0; k < 3; ++k)
            is_free |= (from[k] < low[k] && to[k] < low[k]) || (from[k] > high[k] && to[k] > high[k]);
    }
    return is_free;
}

// Kicks and drifts particles one by one, and asks the mover about those that it may have to do with.
static void move_each(const move_task *task, const fluid_free_drift *free, fluid_drift *drift, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i) {
        if (!mote_fluid_is_of_phase(task->fluid, i, task->phase)) continue;
        double from[3], to[3], v[3];
        for (int k = 0; k < 3; ++k) {
            from[k] = drift->position[k][i];
            v[k] = (double)(drift->velocity[k][i] + free->half_step * free->acceleration[k][i]);
            to[k] = from[k] + task->dt * (free->shift[k] ? v[k] + (double)free->shift[k][i] : v[k]);
        }
        if (!is_left_alone(task, from, to)) {
            mote_fluid_put(drift, i, from, to, v, mote_fluid_is_guarded(task->fluid, i, to));
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            drift->velocity[k][i] = (float)v[k];
            drift->position[k][i] = to[k];
        }
    }
}

// Kicks and drifts a block; stores the index of its first particle whose position is not finite, or UINT32_MAX.
static void move_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const move_task *task = data;
    mote_fluid *fluid = task->fluid;
    fluid_drift drift = mote_fluid_drift(fluid, task->mover, task->user_data);
    const mote_vec3 low = task->free_box.min, high = task->free_box.max;
    fluid_free_drift free = {.low = {low.x, low.y, low.z}, .high = {high.x, high.y, high.z}};
    free.dt = task->dt, free.half_step = (float)(task->dt / 2);
    free.body_count = fluid->body_count;
    for (int b = 0; b < fluid->body_count; ++b) {
        memcpy(free.body_low[b], &fluid->bodies[b].min, sizeof free.body_low[b]);
        memcpy(free.body_high[b], &fluid->bodies[b].max, sizeof free.body_high[b]);
    }
    for (int k = 0; k < 3; ++k) {
        free.position[k] = drift.position[k], free.velocity[k] = drift.velocity[k];
        free.acceleration[k] = mote_fluid_floats(fluid, FLUID_AX + k);
        if (fluid->solver->shift) free.shift[k] = mote_fluid_floats(fluid, fluid->solver->shift + k);
    }
    const fluid_state_lanes *lanes = fluid->state_lanes;
    const bool is_used = task->phase < 0 && low.x <= high.x;
    const size_t whole = is_used ? mote_state_whole(lanes, begin, end) : begin;
    for (size_t i = begin; i < whole;) {
        i = lanes->drift(&free, i, whole);
        const size_t next = MOTE_MIN(i + lanes->width, whole);
        move_each(task, &free, &drift, i, next);
        i = next;
    }
    move_each(task, &free, &drift, whole, end);
    ((uint32_t *)fluid->partial.data)[begin / FLUID_BLOCK] = drift.bad;
}

mote_result mote_fluid_end_step(mote_fluid *fluid, double dt, uint32_t bad, mote_error *error)
{
    fluid->earlier_dt = fluid->previous_dt;
    fluid->previous_dt = dt;
    fluid->evaluated = fluid->ordered = false;
    fluid->counters.steps += 1;
    fluid->counters.particle_steps += mote_fluid_own_count(fluid);
    if (bad == UINT32_MAX) return MOTE_OK;
    const uint64_t id = mote_fluid_ids(fluid)[bad];
    return mote_fail(error, MOTE_ERROR_UNSTABLE, id,
                     "fluid: the position of particle %llu is no longer finite after step %llu",
                     (unsigned long long)id, (unsigned long long)fluid->counters.steps);
}

static mote_result move_all(mote_fluid *fluid, double dt, bool has_free_box, mote_fluid_mover *mover, void *user_data,
                            mote_error *error)
{
    move_task task = {.fluid = fluid, .dt = dt, .mover = mover, .user_data = user_data};
    task.free_box = has_free_box ? fluid->free_box : mote_box_empty();
    uint32_t bad = UINT32_MAX;
    const double start = mote_clock_seconds();
    mote_fluid_start_reactions(fluid, dt);
    for (uint32_t k = 0; k < mote_fluid_pass_count(fluid); ++k) {
        task.phase = mote_fluid_pass_phase(fluid, k);
        mote_parallel_for(fluid->context, fluid->particles.count, FLUID_BLOCK, move_block, &task);
        mote_fluid_count_guards(fluid, fluid->phases[k].mass);
        bad = MOTE_MIN(bad, mote_fluid_first_bad(fluid));
    }
    mote_fluid_move_walls(fluid, dt);
    fluid->counters.move_seconds += mote_clock_seconds() - start;
    return mote_fluid_end_step(fluid, dt, bad, error);
}

mote_result mote_fluid_advance(mote_fluid *fluid, double dt, mote_fluid_mover *mover, void *user_data,
                               mote_error *error)
{
    if (!fluid) return mote_fail_null(error, "fluid", "the object");
    const bool has_free_box = fluid->has_free_box;
    fluid->has_free_box = false;  // it was told for this step, even if the step fails
    if (!(dt > 0 && dt <= 1e30))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "fluid: step of %g s, expected one above 0", dt);
    mote_result result = mote_fluid_evaluate(fluid, error);
    if (result != MOTE_OK) return result;
    result = mote_fluid_reserve_exchange(fluid, error);
    if (result != MOTE_OK) return result;
    double start = mote_clock_seconds();
    fluid->levels.is_divided = mote_steps_are_used(&fluid->def) && mote_steps_are_divided(fluid, dt);
    result = fluid->levels.is_divided ? mote_fluid_advance_individually(fluid, dt, mover, user_data, error)
                                      : move_all(fluid, dt, has_free_box, mover, user_data, error);
    fluid->levels.has_next_gravity = false;
    fluid->levels.announcer = NULL;
    if (result == MOTE_OK) mote_fluid_exchange(fluid);
    fluid->counters.total_seconds += mote_clock_seconds() - start;
    // Positions that are not finite, which would make all other checks fail, were reported above.
    MOTE_VALIDATE(result != MOTE_OK || mote_particles_validate(&fluid->particles, "fluid", NULL) == MOTE_OK);
    return result;
}

void mote_fluid_leave_alone(mote_fluid *fluid, mote_box box)
{
    fluid->free_box = box;
    fluid->body_count = 0;
    fluid->has_free_box = true;
}

// There is room for a few bodies: the last place is for all that are left, in one box around them.
void mote_fluid_leave_alone_beside(mote_fluid *fluid, mote_box body)
{
    if (fluid->body_count < FLUID_BODIES) fluid->bodies[fluid->body_count++] = body;
    else fluid->bodies[FLUID_BODIES - 1] = mote_box_union(fluid->bodies[FLUID_BODIES - 1], body);
}

mote_result mote_fluid_synchronise(mote_fluid *fluid, mote_error *error)
{
    if (fluid->previous_dt == 0) return MOTE_OK;
    mote_result result = mote_fluid_evaluate(fluid, error);
    if (result == MOTE_OK) fluid->previous_dt = 0;
    return result;
}
