// SPDX-License-Identifier: MIT
// fluid/levels.h: individual time steps: how long the step of each particle is, and which particles end theirs now.
//
// A step of the fluid, from one call of mote_fluid_advance to the next, is divided into LEVEL_TICKS ticks. A particle
// of level n has steps of LEVEL_TICKS/2^n ticks (levels.c), which begin and end at multiples of their length. All end
// theirs at the end of the fluid's step. While some have ended their steps and others have not, those others sleep:
// they move on along straight lines, and are evaluated at the end of their own steps only (weak_levels.c).
#ifndef MOTE_FLUID_LEVELS_H
#define MOTE_FLUID_LEVELS_H

#include "base/internal.h"
#include "fluid/peek.h"
#include "fluid/row.h"
#include "mote/fluid.h"

enum { LEVELS_MOST = 12, LEVEL_TICKS = 1 << LEVELS_MOST };

// Elements in a block of parallel work over particles that are awake: their rows are summed.
enum { LEVEL_BLOCK = 64 };

enum { LEVEL_ROWS = 9 };  // kinds of rows: WEAK_MIRRORS

typedef struct fluid_levels {
    bool is_within;       // a step of the fluid has begun
    bool is_divided;      // the present step of the fluid, or the last one, is more than one step of some particle
    bool has_sleepers;    // not all particles are awake
    bool were_alike;      // the last evaluation was one for global steps, as all steps were alike
    bool evaluates_all;   // for tests: rows of sleepers are summed, too, but nothing is made of them
    double dt;            // of the fluid's step [s]
    uint32_t now;         // [ticks]
    bool has_next_gravity;    // gravity changes in the next step of the fluid,
    mote_vec3 next_gravity;   // and is this at its end
    size_t awake_count, row_count;
    mote_buffer awake;    // uint32_t: the numbers of particles that have rows: those that are awake, or all
    mote_buffer group;    // uint32_t: of those whose steps have the same length
    mote_buffer begins, ends, planned;  // uint32_t: of each particle's step, and its end before it was woken [ticks]
    mote_buffer tails;    // uint32_t: with positions at half steps the length of its last step, else 0 [ticks]
    mote_buffer origins;  // 3 doubles: where its step began
    mote_buffer leads;    // double: how long after the beginning of its step it has the velocity that is kept [s]
    mote_buffer limits;   // float: the longest step of each particle by itself [s]
    mote_buffer saved;    // all arrays of the particles, as they were at the beginning of the fluid's step
    mote_buffer saved_motions;  // fluid_boundary_motion, likewise
    mote_fluid_announcer *announcer;  // told of steps before particles move that are guarded; NULL: none
    mote_buffer seen;     // a byte for each particle: whether sums of this evaluation read it
    mote_buffer queries;  // fluid_place of particles that have rows
    mote_buffer indices, first[LEVEL_ROWS], counts[LEVEL_ROWS];  // rows by the number of the particle (weak_levels.c)
} fluid_levels;

static inline bool mote_steps_are_used(const mote_fluid_def *def)
{
    return def->steps != MOTE_STEPS_GLOBAL;
}

// Whether positions are those of half steps: they are evaluated in the middle of steps.
static inline bool mote_steps_have_middles(const mote_fluid_def *def)
{
    return def->steps == MOTE_STEPS_POSITIONS;
}

// How much of the fluid's step has passed: all, behind it.
static inline double mote_steps_share(const fluid_levels *levels)
{
    return levels->is_within ? (double)levels->now / LEVEL_TICKS : 1;
}

// Whether a particle does not end its step now.
static inline bool mote_steps_is_asleep(const fluid_levels *levels, size_t i)
{
    return levels->has_sleepers && ((const uint32_t *)levels->ends.data)[i] != levels->now;
}

void mote_steps_release(mote_fluid *fluid);
size_t mote_steps_byte_count(const mote_fluid *fluid);
// Room for all particles.
mote_result mote_steps_reserve(mote_fluid *fluid);

// Whether all particles end their steps now, and these had the same length, which is then the fluid's previous_dt: or
// there was none.
bool mote_steps_are_alike(mote_fluid *fluid);
// Takes the accelerations of those that are awake, as mote_fluid_take_accelerations.
void mote_steps_take_accelerations(mote_fluid *fluid, const fluid_motion *accelerations);
// The longest steps that particles may take: by their own limits, and no more than four times those of neighbours.
// @param wall_speed  of the fastest wall [m/s]
// @param wall_step   that walls allow [s]
void mote_steps_find_limits(mote_fluid *fluid, double wall_speed, double wall_step);
// The longest step of the fluid [s], in which the particle of the shortest step makes steps of `least`.
double mote_steps_time_step(const mote_fluid *fluid, double least);
// Whether a step of the fluid is more than one step of some particle. If not, it is that of each.
bool mote_steps_are_divided(mote_fluid *fluid, double dt);
// How long before the end of a particle's step it has the velocity that is kept [s].
double mote_steps_rest(const mote_fluid *fluid, size_t i);
// Lets those that are awake begin a step; wakes their neighbours earlier if they are too slow.
void mote_steps_begin_steps(mote_fluid *fluid);
// The next tick at which steps end.
uint32_t mote_steps_next(const mote_fluid *fluid);

// step_individual.c: advances by a step of the fluid.
mote_result mote_fluid_advance_individually(mote_fluid *fluid, double dt, mote_fluid_mover *mover, void *user_data,
                                            mote_error *error);

// weak_levels.c: rates, densities and accelerations of those that are awake.
mote_result mote_weak_evaluate_awake(mote_fluid *fluid, mote_error *error);
// Whether one of the row is awake.
bool mote_weak_has_awake(const mote_fluid *fluid, fluid_row row);
// weak_levels.c: what sums read of particles that sleep, and is not carried: to be found again where a state was read.
mote_result mote_weak_restore_records(mote_fluid *fluid, mote_error *error);
void mote_weak_restore_record(mote_fluid *fluid, uint32_t i, fluid_row row);  // of one, whose row has been found again

#endif
