// SPDX-License-Identifier: MIT
// fluid/state_lanes.h: what a step does with each particle for itself, many particles at a time.
#ifndef MOTE_FLUID_STATE_LANES_H
#define MOTE_FLUID_STATE_LANES_H

#include "base/internal.h"
#include "fluid/row.h"

// The arrays of the particles, and their records.
typedef struct fluid_state {
    fluid_place *places;
    fluid_motion *motions;
    float *excess, *density, *pressure, *rate, *bend[3];
    const float *velocity[3], *acceleration[3];
} fluid_state;

// What the records in the middle of a step are made from.
typedef struct fluid_middle {
    float half_step, rest_volume, diffusivity, least_excess;
    float drift[3];  // diffusivity times g/c²
} fluid_middle;

// What densities by continuity are made from, in the words of onderik_densities.c.
typedef struct fluid_advance {
    double factor, half_step, rest_volume, rest_density;
    double stiffness;  // ρ0 c², or ρ0 c²/7
    float trend, onward, kinematic, hyper;
    bool moves;            // there was a step; else densities stay as they are
    bool is_linear, may_be_negative;  // the equation of state, and its pressures
} fluid_advance;

// Results of a block of particles: maxima that limit the time step.
typedef struct fluid_limits {
    float max_speed_squared, max_acceleration_squared;
} fluid_limits;

// Particles whose accelerations were found: velocities get those of half a step, and what is not NaN raises the limits.
typedef struct fluid_kick {
    const fluid_motion *found;
    float *velocity[3], *acceleration[3];
    float half_step;
} fluid_kick;

// Particles that may move without being asked about walls: those that go to a place in a box, and whose ways are all
// beyond one side of each of some bodies' boxes.
enum { FLUID_BODIES = 4 };
typedef struct fluid_free_drift {
    double *position[3];
    float *velocity[3];
    const float *acceleration[3], *shift[3];  // `shift`: NULL if nothing shifts them
    double low[3], high[3], dt;
    double body_low[FLUID_BODIES][3], body_high[FLUID_BODIES][3];
    int body_count;
    float half_step;
} fluid_free_drift;

// One table for each instruction set. `begin` … `end` are a multiple of `width` particles.
typedef struct fluid_state_lanes {
    size_t width;
    // Records in the middle of the last step; `of` has the places at its end.
    void (*middle)(const fluid_middle *constants, const fluid_state *of, size_t begin, size_t end,
                   fluid_place *places, fluid_motion *motions);
    // Densities, pressures and records after the last step. The motions hold the bends.
    // @param among  of each particle from `begin` on, what its neighbours and walls add to its rate of density
    void (*advance)(const fluid_advance *constants, const fluid_state *of, size_t begin, size_t end,
                    const double *among);
    void (*kick)(const fluid_kick *kick, size_t begin, size_t end, fluid_limits *limits);
    // Moves particles, up to the first vector with one that may not move freely. Returns where that begins, or `end`.
    size_t (*drift)(const fluid_free_drift *drift, size_t begin, size_t end);
    // Neighbours by phase: whether all of a row are of one, and up to `most` of one from *at on, which moves on. The
    // second returns how many. Up to three bytes behind the phase of the last record are read.
    bool (*all_of)(const uint8_t *phases, fluid_row row, uint32_t phase);
    uint32_t (*choose)(const uint8_t *phases, fluid_row row, uint32_t phase, uint32_t *at, uint32_t most,
                       uint32_t *chosen);
} fluid_state_lanes;

extern const fluid_state_lanes mote_state_lanes_plain, mote_state_lanes_avx2, mote_state_lanes_128;
const fluid_state_lanes *mote_state_lanes_of(mote_simd form);

// The end of the whole vectors from `begin` on.
static inline size_t mote_state_whole(const fluid_state_lanes *lanes, size_t begin, size_t end)
{
    return end - (end - begin) % lanes->width;
}

#endif
