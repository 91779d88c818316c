// SPDX-License-Identifier: MIT
// fluid/drift.h: how a particle gets to the end of its step, whoever's step that is (step.c, step_individual.c).
#ifndef MOTE_FLUID_DRIFT_H
#define MOTE_FLUID_DRIFT_H

#include "fluid/internal.h"

typedef struct fluid_drift {
    double *position[3];
    float *velocity[3];
    mote_fluid_mover *mover;
    void *user_data;
    uint32_t bad;  // the first particle of the block whose position was not finite, or UINT32_MAX
} fluid_drift;

static inline fluid_drift mote_fluid_drift(mote_fluid *fluid, mote_fluid_mover *mover, void *user_data)
{
    fluid_drift drift = {.mover = mover, .user_data = user_data, .bad = UINT32_MAX};
    for (int k = 0; k < 3; ++k) {
        drift.position[k] = mote_fluid_doubles(fluid, FLUID_X + k);
        drift.velocity[k] = mote_fluid_floats(fluid, FLUID_VX + k);
    }
    return drift;
}

// Particles of several phases move one phase after the other where impulses of guards are counted, which do not know
// whose mass they have.
static inline uint32_t mote_fluid_pass_count(const mote_fluid *fluid)
{
    return fluid->reactions.are_wanted ? MOTE_MAX(fluid->phase_count, 1u) : 1;
}

static inline int mote_fluid_pass_phase(const mote_fluid *fluid, uint32_t pass)
{
    return mote_fluid_pass_count(fluid) > 1 ? (int)pass : -1;
}

static inline bool mote_fluid_is_of_phase(const mote_fluid *fluid, size_t i, int phase)
{
    return phase < 0 || mote_fluid_phase_numbers(fluid)[i] == phase;
}

// Moves particle i there with velocity v; past walls and solids, if it is guarded. It stays where it was last seen if
// that is no place.
static inline void mote_fluid_put(fluid_drift *drift, size_t i, const double from[3], double to[3], double v[3],
                                  bool is_guarded)
{
    if (drift->mover && is_guarded) {
        mote_vec3 p = {to[0], to[1], to[2]}, w = {v[0], v[1], v[2]};
        drift->mover(drift->user_data, (mote_vec3){from[0], from[1], from[2]}, &p, &w);
        to[0] = p.x, to[1] = p.y, to[2] = p.z;
        v[0] = w.x, v[1] = w.y, v[2] = w.z;
    }
    const bool is_finite = to[0] - to[0] == 0 && to[1] - to[1] == 0 && to[2] - to[2] == 0;
    if (!is_finite && drift->bad == UINT32_MAX) drift->bad = (uint32_t)i;
    for (int k = 0; k < 3; ++k) {
        drift->velocity[k][i] = (float)v[k];
        if (is_finite) drift->position[k][i] = to[k];
    }
}

// The first of all blocks' `bad`, which are in fluid->partial.
static inline uint32_t mote_fluid_first_bad(const mote_fluid *fluid)
{
    const uint32_t *bad = fluid->partial.data;
    uint32_t first = UINT32_MAX;
    for (size_t b = 0; b < mote_block_count(fluid->particles.count, FLUID_BLOCK); ++b)
        first = MOTE_MIN(first, bad[b]);
    return first;
}

#endif
