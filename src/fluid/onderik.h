// SPDX-License-Identifier: MIT
// fluid/onderik.h: what the files of the solver onderik (solver_onderik.c) share.
#ifndef MOTE_FLUID_ONDERIK_H
#define MOTE_FLUID_ONDERIK_H

#include "fluid/field_near.h"
#include "fluid/internal.h"
#include "fluid/wall_field.h"

// ------------------------------------------------------------------------------------------- what all look at

static inline mote_pair_set mote_onderik_set(const mote_fluid *fluid, const fluid_place *places,
                                             const fluid_motion *motions)
{
    return (mote_pair_set){places, motions, (uint32_t)fluid->particles.count};
}

static inline mote_pair_set mote_onderik_wall_set(const mote_fluid *fluid)
{
    return (mote_pair_set){fluid->wall_records.data, NULL, (uint32_t)fluid->wall_count};
}

// Asked for each particle, where most fluids have no fields.
static inline bool mote_onderik_is_near_fields(const mote_fluid *fluid, const fluid_place *own)
{
    return fluid->field_count > 0 && mote_field_reaches(fluid, own);
}

// The factors that extrapolate velocities and bends to the present instant.
typedef struct onderik_trend {
    const float *velocity[3], *acceleration[3];
    float half_step, onward;
} onderik_trend;

static inline onderik_trend mote_onderik_trend_of(const mote_fluid *fluid)
{
    onderik_trend trend = {.half_step = (float)(fluid->previous_dt / 2)};
    for (int k = 0; k < 3; ++k) {
        trend.velocity[k] = mote_fluid_floats(fluid, FLUID_VX + k);
        trend.acceleration[k] = mote_fluid_floats(fluid, FLUID_AX + k);
    }
    if (fluid->previous_dt > 0)
        trend.onward = (float)(fluid->previous_dt / (fluid->previous_dt + fluid->earlier_dt));
    return trend;
}

// v(t) ≈ v(t − ½dt) + ½dt·a(t − dt). This is second order, and a(t) cannot be used: it depends on v(t) by viscosity.
static inline float mote_onderik_velocity(const onderik_trend *trend, size_t i, int k)
{
    return trend->velocity[k][i] + trend->half_step * trend->acceleration[k][i];
}

// ------------------------------------------------------------------------------------------- what each file does

// onderik_densities.c: the records in the middle of the last step, for densities by continuity; then the sums of
// consecutive particles over fluid, which wait in the records; then density, pressure and the records of forces.
void mote_onderik_make_half_records(void *data, size_t begin, size_t end, uint32_t worker);
void mote_onderik_sum_among_fluid(mote_fluid *fluid, uint32_t first, const fluid_row *rows, uint32_t count);
void mote_onderik_find_densities(void *data, size_t begin, size_t end, uint32_t worker);
// ρ by summation, with a sum over fluid: the complete eq. 7.
double mote_onderik_density_by_sums(const mote_fluid *fluid, uint32_t i, float sum);

// onderik_walls.c: what walls add to the sum of a particle's rate of density in the middle of the last step; the same
// of fields for particles that have no other walls, where that was looked up.
double mote_onderik_rate_at_walls(const mote_fluid *fluid, uint32_t i, fluid_row walls);
void mote_onderik_add_known_rates(const mote_fluid *fluid, size_t begin, size_t end, double *sums);
// Adds what walls do to the acceleration of particle i; and finds that of all particles on which only fields act.
void mote_onderik_add_walls(const mote_fluid *fluid, uint32_t i, fluid_row walls, float a[3]);
void mote_onderik_push_near_fields(mote_fluid *fluid);
// Adds the forces of particle i on walls.
void mote_onderik_add_reactions(const mote_fluid *fluid, uint32_t i, double *sums);

// onderik_phases.c: several phases with the solver onderik. What the density of a particle is summed from, among fluid;
// accelerations of consecutive particles by pressure and viscosity of the fluid, at most FLUID_ROWS of them; and the
// greatest kinematic viscosity [m²/s].
float mote_onderik_sum_density(const mote_fluid *fluid, uint32_t i, fluid_row row, const mote_pair_set *set);
double mote_onderik_density_of(const mote_fluid *fluid, uint32_t i, float among_fluid, float among_walls);
void mote_onderik_accelerate(const mote_fluid *fluid, uint32_t first, const fluid_row *rows, uint32_t count,
                             const mote_pair_set *set, fluid_motion *accelerations);
double mote_onderik_most_viscous(const mote_fluid *fluid);

#endif
