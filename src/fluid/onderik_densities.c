// SPDX-License-Identifier: MIT
// Densities of the solver onderik, by sums over positions (eq. 7) or by the continuity equation.
//
// Densities by summation cannot keep water at rest. The density responds to a small displacement wave of wave number
// k with the transform of poly6, which in D dimensions is J_{D/2+3}(kh)/(kh)^{D/2+3}; the force responds with the
// transform of the spiky kernel. The first turns negative at kh = 7.59 (2D) and 8.18 (3D), the second never does.
// Shorter waves therefore grow at any viscosity, and a lattice has waves up to kh = 9.4 (2D, h = 3d). By default
// densities follow from the continuity equation, with the gradient of the forces but for their constant factor
// (packing_factor in solver_onderik.c):
//
//     dρi/dt = ρi Σj Vj ((vi − vj)·∇W_press + ψij),  ψij = δ h c (qj − qi − g·(xj − xi)/c²) |∇W_press|/r
//
// Forces and densities are then exact counterparts: compression returns what pressure takes from the motion, which is
// that factor times the elastic energy (2 % more in 3D). What is integrated is q = ρ/ρ0 − 1, the array `excess`. ψ
// diffuses it (Molteni & Colagrossi 2009; δ h c is their 2 δ h c, because h is the radius of the kernel here), except
// for the part that belongs to water at rest (Fourtakas et al. 2019), so that a surface does not rise.
// Since Vi Vj ψij is antisymmetric, it does not change the total volume. ψ is their term with three limits, each of
// them antisymmetric as well:
//
// - Only particles under pressure exchange density: q is not below 0 where P is not. Where there is no pressure,
//   nothing brings particles back to the packing that their densities state, so densities have to follow the
//   positions, as they do without ψ. With q of either sign the inside of a drop in free flight gives its density to the
//   spray, and its particles move together to 1.4 times the packing that their densities state. The rate Σj Vj |∇W|/r
//   of the exchange grows with the packing, until the explicit step is too long: densities then oscillate with growing
//   amplitude, some particles get a positive pressure, and the drop blows up.
// - The flow never has another sign than qj − qi, nor more than about twice its size, for any gravity. Elastic energy
//   changes by Σ (Pi − Pj) Vi Vj ψij over all pairs, and so can only decrease. Without this limit ψ stratifies water in
//   free fall as if it stood on a floor. The sign is that of Vi − Vj, where volumes are limited to the volume at ρ0 if
//   q is not below 0.
// - |∇W|/r, which has no limit as r goes to 0, does not grow below r = h/4. All neighbours of a lattice (3D, h = 2d)
//   add up to 4.6 h of s²/r, with s = h − r, and one neighbour at h/4 adds 2.25 h. Two particles that almost coincide,
//   which happens in spray and under tension, exchange no more than one time step can resolve.

#include <string.h>

#include "fluid/onderik.h"

static fluid_state state_of(const mote_fluid *fluid)
{
    fluid_state state = {.places = fluid->places.data, .motions = fluid->motions.data};
    state.excess = mote_fluid_floats(fluid, FLUID_EXCESS);
    state.density = mote_fluid_floats(fluid, FLUID_DENSITY);
    state.pressure = mote_fluid_floats(fluid, FLUID_PRESSURE);
    state.rate = mote_fluid_floats(fluid, FLUID_RATE);
    for (int k = 0; k < 3; ++k) {
        state.velocity[k] = mote_fluid_floats(fluid, FLUID_VX + k);
        state.acceleration[k] = mote_fluid_floats(fluid, FLUID_AX + k);
        state.bend[k] = mote_fluid_floats(fluid, FLUID_BEND_X + k);
    }
    return state;
}

// The state in the middle of the last step, and q minus its value in water at rest. Densities are extrapolated to
// there with their rate of the step before.
void mote_onderik_make_half_records(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const mote_fluid *fluid = data;
    const fluid_state state = state_of(fluid);
    fluid_middle constants = {.half_step = (float)(fluid->previous_dt / 2)};
    constants.rest_volume = (float)(fluid->mass / fluid->phase.rest_density);
    constants.diffusivity = (float)fluid->diffusivity;
    // Of q: nothing flows where there is no pressure.
    constants.least_excess = fluid->def.negative_pressure ? -1 : 0;
    memcpy(constants.drift, fluid->diffusion_drift, sizeof constants.drift);
    const size_t whole = mote_state_whole(fluid->state_lanes, begin, end);
    fluid->state_lanes->middle(&constants, &state, begin, whole, fluid->half_places.data, fluid->half_motions.data);
    mote_state_lanes_plain.middle(&constants, &state, whole, end, fluid->half_places.data, fluid->half_motions.data);
}

// ρ by summation, with a sum over fluid: the complete eq. 7.
double mote_onderik_density_by_sums(const mote_fluid *fluid, uint32_t i, float sum)
{
    const mote_pair_set walls = mote_onderik_wall_set(fluid);
    const fluid_place *own = (const fluid_place *)fluid->places.data + i;
    float at_walls = 0;
    if (fluid->wall_count)
        at_walls = fluid->lanes->density(&fluid->pair, mote_fluid_row(&fluid->wall_lists, i), &walls, own, true);
    if (mote_onderik_is_near_fields(fluid, own)) at_walls += mote_field_density(fluid, own);
    return mote_onderik_density_of(fluid, i, sum, at_walls);
}

// What densities of particles follow from, among fluid. It waits in the records from which forces are computed, as
// memory may run out before all rows are found: the bend and the rate of density, or the sum that is the density.
void mote_onderik_sum_among_fluid(mote_fluid *fluid, uint32_t first, const fluid_row *rows, uint32_t count)
{
    const size_t own_count = mote_fluid_own_count(fluid);
    fluid_motion *found = (fluid_motion *)fluid->motions.data + first;
    if (fluid->def.density != MOTE_DENSITY_CONTINUITY) {
        const mote_pair_set set = mote_onderik_set(fluid, fluid->places.data, NULL);
        for (uint32_t k = 0; k < count; ++k)
            found[k] = (fluid_motion){.scalar = first + k < own_count
                                                    ? mote_onderik_sum_density(fluid, first + k, rows[k], &set)
                                                    : 0};
        return;
    }
    const mote_pair_set set = mote_onderik_set(fluid, fluid->half_places.data, fluid->half_motions.data);
    const mote_pair_rows of = {rows, set.places + first, set.motions + first, count};
    mote_approach_sums sums[FLUID_ROWS];
    fluid->lanes->approach(&fluid->pair, &of, &set, sums);
    for (uint32_t k = 0; k < count; ++k)
        found[k] = (fluid_motion){sums[k].bend[0], sums[k].bend[1], sums[k].bend[2], sums[k].rate};
    for (uint32_t k = 0; k < count; ++k)  // in a buffer, which nothing changes but hold_buffers
        if (first + k >= own_count) found[k] = (fluid_motion){0};
}

// The sums of particles' rates of density, of fluid and walls.
static void sum_rates(const mote_fluid *fluid, size_t begin, size_t end, double *sums)
{
    const fluid_place *places = fluid->half_places.data;
    const fluid_motion *motions = fluid->motions.data;
    const bool are_known = fluid->near_fields.is_known;
    for (size_t i = begin; i < end; ++i) {
        double sum = (double)motions[i].scalar;
        fluid_row walls = {0};
        if (fluid->wall_count) walls = mote_fluid_row(&fluid->wall_lists, (uint32_t)i);
        if (walls.count || (!are_known && mote_onderik_is_near_fields(fluid, &places[i])))
            sum += mote_onderik_rate_at_walls(fluid, (uint32_t)i, walls);
        sums[i - begin] = sum;
    }
    if (are_known) mote_onderik_add_known_rates(fluid, begin, end, sums);
}

// Densities, pressures and u of consecutive particles of one phase after the last step, by continuity. The records
// hold the bends, which are extrapolated from the middles of the last two steps; this is second order too.
static void advance_densities(const mote_fluid *fluid, size_t begin, size_t end)
{
    const fluid_state state = state_of(fluid);
    const mote_phase_def *phase = &fluid->phases[0].def;
    const onderik_trend trend = mote_onderik_trend_of(fluid);
    const double c_squared = phase->sound_speed * phase->sound_speed;
    fluid_advance constants = {.factor = fluid->rate_factor, .half_step = 0.5 * fluid->previous_dt};
    constants.rest_volume = fluid->phases[0].mass / phase->rest_density;
    constants.rest_density = phase->rest_density;
    constants.moves = fluid->previous_dt > 0;
    constants.is_linear = mote_fluid_is_linear(&fluid->def, phase);
    constants.may_be_negative = fluid->def.negative_pressure;
    MOTE_ASSERT(constants.is_linear || phase->gamma == 7);  // state_lanes.c has no other power (phases.c)
    constants.stiffness = phase->rest_density * c_squared / (constants.is_linear ? 1 : 7);
    constants.trend = trend.half_step, constants.onward = trend.onward;
    constants.kinematic = (float)(fluid->viscosity / fluid->phase.rest_density);
    constants.hyper = (float)(fluid->hyperviscosity * fluid->viscosity_factor);
    for (size_t first = begin; first < end; first += FLUID_ROWS) {
        const size_t last = MOTE_MIN(first + FLUID_ROWS, end);
        const size_t whole = mote_state_whole(fluid->state_lanes, first, last);
        double sums[FLUID_ROWS];
        if (constants.moves)
            sum_rates(fluid, first, last, sums);
        else
            memset(sums, 0, sizeof sums);
        fluid->state_lanes->advance(&constants, &state, first, whole, sums);
        mote_state_lanes_plain.advance(&constants, &state, whole, last, sums + (whole - first));
    }
}

// The same where they are sums. With several phases, viscosities are factors of the sums.
static void find_densities_by_sums(const mote_fluid *fluid, size_t begin, size_t end)
{
    float *density = mote_fluid_floats(fluid, FLUID_DENSITY), *pressure = mote_fluid_floats(fluid, FLUID_PRESSURE);
    float *excess = mote_fluid_floats(fluid, FLUID_EXCESS);
    const float kinematic = fluid->phase_count > 1 ? 1 : (float)(fluid->viscosity / fluid->phase.rest_density);
    const onderik_trend trend = mote_onderik_trend_of(fluid);
    fluid_place *places = fluid->places.data;
    fluid_motion *motions = fluid->motions.data;
    for (size_t i = begin; i < end; ++i) {
        const double rho = mote_onderik_density_by_sums(fluid, (uint32_t)i, motions[i].scalar);
        const fluid_phase *of = mote_fluid_phase_of(fluid, i);
        const double p = mote_fluid_pressure_of(fluid, &of->def, rho), volume = of->mass / rho;
        density[i] = (float)rho;
        excess[i] = (float)(rho / of->def.rest_density - 1);
        pressure[i] = (float)p;
        places[i].volume = (float)volume;
        motions[i] = (fluid_motion){
            kinematic * mote_onderik_velocity(&trend, i, 0), kinematic * mote_onderik_velocity(&trend, i, 1),
            kinematic * mote_onderik_velocity(&trend, i, 2), (float)(volume * p)};
    }
}

// Density and pressure of a block of particles, and the records from which the forces are computed. They hold the sums
// among fluid.
void mote_onderik_find_densities(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const mote_fluid *fluid = data;
    if (fluid->def.density == MOTE_DENSITY_CONTINUITY)
        advance_densities(fluid, begin, end);
    else
        find_densities_by_sums(fluid, begin, end);
}
