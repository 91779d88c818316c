// SPDX-License-Identifier: MIT
// Densities, pressures by the equation of state (Tait or ideal gas) and accelerations at the present positions (Onderik
// & Ďurikovič 2008, algorithm 1).
//
// The paper prints one loop; here there are three: density of all particles, then pressure of all, then forces on
// all, since forces need the pressures of all neighbours. In the paper's symbols
//
//     ρi = Σj mj W_poly(rij), j = i included                                                        (eq. 7)
//     Pi = ρ0 c²/γ ((ρi/ρ0)^γ − 1), or c² (ρi − ρ0); not below 0 unless the def allows it            (eq. 7)
//     fi = − Σj Vi Vj (Pi + Pj) ∇W_press + Σj Vi Vj ρ0 (uj − ui) ∇²W_visco + mi g                    (eq. 8)
//
// Onderik & Ďurikovič 2008, like Müller et al. 2003, take the mean (Pi + Pj)/2 of the pressures. That gives half the
// gradient: over a full neighbourhood Σ Vj ∇W = 0 and Σ Vj Pj ∇W = ∇P, so the sum of the pressures is needed. With
// the mean, a column at rest has twice the pressure ρ g z, and sound has the speed c/√2.
//
// Densities by summation cannot keep water at rest. The density responds to a small displacement wave of wave number
// k with the transform of poly6, which in D dimensions is J_{D/2+3}(kh)/(kh)^{D/2+3}; the force responds with the
// transform of the spiky kernel. The first turns negative at kh = 7.59 (2D) and 8.18 (3D), the second never does.
// Shorter waves therefore grow at any viscosity, and a lattice has waves up to kh = 9.4 (2D, h = 3d). By default
// densities follow from the continuity equation, with the same gradient as the forces:
//
//     dρi/dt = ρi Σj Vj ((vi − vj)·∇W_press + ψij),  ψij = δ h c (qj − qi − g·(xj − xi)/c²) |∇W_press|/r
//
// Forces and densities are then exact counterparts: compression returns what pressure takes from the motion. ψ
// diffuses q = ρ/ρ0 − 1 (Molteni & Colagrossi 2009; δ h c is their 2 δ h c, because h is the radius of the kernel
// here), except for the part that belongs to water at rest (Fourtakas et al. 2019), so that a surface does not rise.
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
//
// In eq. 8 u = μ v/ρ0. With continuity there is also hyperviscosity, −η ∇⁴v with η = κ c d³:
//
//     ui = (μ/ρ0) vi − η Σj Vj (vj − vi) ∇²W_visco
//
// A lattice under pressure is not the packing of least energy: for a long time a few particles slip past their
// neighbours, and they are then by far the fastest in water that is otherwise at rest (1 to 4 % of sqrt(gH) at α =
// 0.1). Viscosity that stops them slows the water too; hyperviscosity acts only on waves of a few spacings. Its two
// sums have the same symmetric weights: momentum is conserved, and every motion loses energy. The inner sum is
// computed in the loop of dρ/dt and extrapolated from the middles of the last two steps.
//
// Wall particles exert drag with their share of μ and vj = 0, and push with a pressure P_b. With continuity P_b is
// the pressure of the fluid continued hydrostatically, P_b = P_i + ρ0 g·(x_b − x_i) (Adami et al. 2012). Plain
// mirroring, which is used where there is no gravity or P_i is small, lacks half of the pressure gradient along an
// upright wall: water sinks there and never comes to rest. With summation wall particles add to the density, and P_b
// is the mean pressure over i and its neighbours, weighted by h − r: a wall with the pressure P_i alone would do
// work on the difference between the kernels.

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/vector.h"
#include "fluid/field_near.h"
#include "fluid/internal.h"
#include "fluid/wall_field.h"

// ------------------------------------------------------------------------------------------- from the def on

// @param filling   of a full lattice: the sum of poly6 times the volume of a cell
static void resolve_phase(const mote_fluid *fluid, fluid_phase *phase, double filling)
{
    const mote_fluid_def *def = &fluid->def;
    const double h = def->support;
    phase->def = phase->given;
    if (isnan(phase->def.viscosity))
        phase->def.viscosity = phase->def.rest_density * def->viscosity_alpha * phase->def.sound_speed * (h / 2) /
                               (2 * (def->dimensions + 2));
    phase->mass = phase->def.rest_density * fluid->cell_volume / filling;
    phase->diffusivity = def->density_diffusion * h * phase->def.sound_speed;
}

// Fills in the values that the def leaves open, and the constants of the sums.
static mote_result resolve(mote_fluid *fluid, mote_error *error)
{
    mote_fluid_def *def = &fluid->def;
    int dimensions = def->dimensions;
    double d = def->spacing;
    const double h = def->support = mote_fluid_support_of(def);
    if (h < 1.2 * d || h > 6 * d)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "fluid: support is %g, expected 1.2 to 6 spacings of %g", h, d);
    if (fluid->phase_count > 1 && def->density == MOTE_DENSITY_CONTINUITY)
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0,
                         "phase: %u phases with density \"continuity\", expected no other unless the solver is "
                         "\"weak\", or density is \"summation\" or \"number\"",
                         (unsigned)fluid->phase_count);
    if (mote_steps_are_used(def))
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0,
                         "fluid.steps is \"individual\", expected \"global\" unless the solver is \"weak\" (preset "
                         "engineering): densities of the solver onderik belong to a single instant");
    if (isnan(def->viscosity_alpha)) def->viscosity_alpha = 0.1;
    const mote_lattice_sums lattice = mote_kernel_lattice_sums(dimensions, h, d);
    fluid->cell_volume = dimensions == 3 ? d * d * d : d * d;
    for (uint32_t k = 0; k < MOTE_MAX(fluid->phase_count, 1u); ++k)
        resolve_phase(fluid, &fluid->phases[k], lattice.full);
    fluid->phase = fluid->phases[0].def;
    fluid->viscosity = fluid->phase.viscosity;
    if (def->density == MOTE_DENSITY_CONTINUITY)
        fluid->hyperviscosity = def->hyperviscosity * fluid->phase.sound_speed * d * d * d;
    fluid->diffusivity = fluid->phases[0].diffusivity;
    double per_gravity = fluid->diffusivity / (fluid->phase.sound_speed * fluid->phase.sound_speed);
    fluid->diffusion_drift[0] = (float)(per_gravity * def->gravity.x);
    fluid->diffusion_drift[1] = (float)(per_gravity * def->gravity.y);
    fluid->diffusion_drift[2] = (float)(per_gravity * def->gravity.z);
    fluid->support_pressure = fluid->phase.rest_density * mote_vec3_length(def->gravity) * h;

    fluid->mass = fluid->phases[0].mass;
    fluid->surface_gamma = lattice.surface_gamma;
    fluid->density_factor = fluid->mass * mote_kernel_poly6.value(dimensions, h, 0);
    fluid->pressure_factor = -mote_kernel_spiky.slope(dimensions, h, 0) / (h * h);
    if (lattice.gradient > 0) fluid->pressure_factor /= lattice.gradient;
    fluid->viscosity_factor = mote_kernel_viscosity.laplacian(dimensions, h, 0) / h;
    fluid->pair.h = (float)h;
    fluid->pair.inverse_h_squared = (float)(1 / (h * h));
    double rest_volume = fluid->mass / fluid->phase.rest_density;
    fluid->pair.largest_volume = def->negative_pressure ? FLT_MAX : (float)rest_volume;
    fluid->pair.flow_limit = (float)(2 * fluid->diffusivity / rest_volume);  // dq ≈ −dV/rest_volume
    fluid->pair.tiny_squared = (float)(1e-24 * h * h);
    return MOTE_OK;
}

static mote_result create(mote_fluid *fluid, mote_error *error)
{
    fluid->lanes = mote_pair_lanes_of(mote_context_simd(fluid->context));
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = fluid->def.support;
    def.method = fluid->def.neighbors;
    def.features = MOTE_NEIGHBORS_QUERY;
    const mote_result result = mote_neighbors_create(fluid->context, &def, &fluid->search, NULL);
    if (result == MOTE_ERROR_OUT_OF_MEMORY) return mote_fail(error, result, 0, "fluid: no memory for neighbour search");
    if (result != MOTE_OK)
        return mote_fail(error, result, 0,
                         "fluid: neighbors is \"%s\", support %g: expected a method that answers "
                         "queries, and a support that it can search",
                         def.method ? def.method : "", def.radius);
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------- evaluation

static void make_point_records(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const mote_fluid *fluid = data;
    const double *x = mote_fluid_doubles(fluid, FLUID_X), *y = mote_fluid_doubles(fluid, FLUID_Y);
    const double *z = mote_fluid_doubles(fluid, FLUID_Z);
    fluid_place *records = fluid->places.data;
    for (size_t i = begin; i < end; ++i) records[i] = mote_fluid_make_record(fluid, x[i], y[i], z[i], 1);
}

static fluid_state state_of(const mote_fluid *fluid)
{
    fluid_state state = {.places = fluid->places.data, .motions = fluid->motions.data};
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
static void make_half_records(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const mote_fluid *fluid = data;
    const fluid_state state = state_of(fluid);
    fluid_middle constants = {.half_step = (float)(fluid->previous_dt / 2), .mass = (float)fluid->mass};
    constants.rest_density = (float)fluid->phase.rest_density;
    constants.diffusivity = (float)fluid->diffusivity;
    // Of q: nothing flows where there is no pressure.
    constants.least_excess = fluid->def.negative_pressure ? -1 : 0;
    memcpy(constants.drift, fluid->diffusion_drift, sizeof constants.drift);
    const size_t whole = mote_state_whole(fluid->state_lanes, begin, end);
    fluid->state_lanes->middle(&constants, &state, begin, whole, fluid->half_places.data, fluid->half_motions.data);
    mote_state_lanes_plain.middle(&constants, &state, whole, end, fluid->half_places.data, fluid->half_motions.data);
}

static mote_pair_set set_of(const mote_fluid *fluid, const fluid_place *places,
                            const fluid_motion *motions)
{
    return (mote_pair_set){places, motions, (uint32_t)fluid->particles.count};
}

static mote_pair_set set_of_walls(const mote_fluid *fluid)
{
    return (mote_pair_set){fluid->wall_records.data, NULL, (uint32_t)fluid->wall_count};
}

// Asked for each particle, where most fluids have no fields.
static inline bool is_near_fields(const mote_fluid *fluid, const fluid_place *own)
{
    return fluid->field_count > 0 && mote_field_reaches(fluid, own);
}

// The same of particle i, at one of its places in this evaluation, in loops over particles.
typedef struct field_question {
    const mote_fluid *fluid;
    const uint16_t *known;
    bool has_fields;
} field_question;

static field_question question_of(const mote_fluid *fluid)
{
    const fluid_near_fields *near = &fluid->near_fields;
    return (field_question){fluid, near->is_known ? near->numbers.data : NULL, fluid->field_count > 0};
}

static inline bool may_fields_act(const field_question *of, size_t i, const fluid_place *own)
{
    if (!of->has_fields) return false;
    return of->known ? of->known[i] != FIELD_ACTS_NOT : mote_field_reaches(of->fluid, own);
}

// The sums of particle i over all walls, those that are fields included, at one of its places.
static mote_wall_sums sum_walls(const mote_fluid *fluid, uint32_t i, fluid_row walls, const fluid_place *own,
                                int place, const mote_wall_pressure *pressure)
{
    const mote_pair_set set = set_of_walls(fluid);
    mote_wall_sums sums = {{0, 0, 0}, 0};
    if (walls.count) sums = fluid->lanes->walls(&fluid->pair, walls, &set, own, pressure);
    if (fluid->field_count == 0 || !mote_field_may_act(fluid, i)) return sums;
    const mote_wall_sums of_fields = mote_field_walls(fluid, own, mote_field_known(fluid, i, place), pressure);
    for (int c = 0; c < 3; ++c) sums.pressure[c] += of_fields.pressure[c];
    sums.drag += of_fields.drag;
    return sums;
}

// ρ by summation, with a sum over fluid: the complete eq. 7.
static double density_by_sums(const mote_fluid *fluid, uint32_t i, float sum)
{
    const mote_pair_set walls = set_of_walls(fluid);
    const fluid_place *own = (const fluid_place *)fluid->places.data + i;
    float at_walls = 0;
    if (fluid->wall_count)
        at_walls = fluid->lanes->density(&fluid->pair, mote_fluid_row(&fluid->wall_lists, i), &walls, own, true);
    if (is_near_fields(fluid, own)) at_walls += mote_field_density(fluid, own);
    return mote_onderik_density_of(fluid, i, sum, at_walls);
}

// What densities of particles follow from, among fluid. It waits in the records from which forces are computed, as
// memory may run out before all rows are found: the bend and the rate of density, or the sum that is the density.
static void sum_densities_among_fluid(mote_fluid *fluid, uint32_t first, const fluid_row *rows, uint32_t count)
{
    const size_t own_count = mote_fluid_own_count(fluid);
    fluid_motion *found = (fluid_motion *)fluid->motions.data + first;
    if (fluid->def.density != MOTE_DENSITY_CONTINUITY) {
        const mote_pair_set set = set_of(fluid, fluid->places.data, NULL);
        for (uint32_t k = 0; k < count; ++k)
            found[k] = (fluid_motion){.scalar = first + k < own_count
                                                    ? mote_onderik_sum_density(fluid, first + k, rows[k], &set)
                                                    : 0};
        return;
    }
    const mote_pair_set set = set_of(fluid, fluid->half_places.data, fluid->half_motions.data);
    const mote_pair_rows of = {rows, set.places + first, set.motions + first, count};
    mote_approach_sums sums[FLUID_ROWS];
    fluid->lanes->approach(&fluid->pair, &of, &set, sums);
    for (uint32_t k = 0; k < count; ++k)
        found[k] = (fluid_motion){sums[k].bend[0], sums[k].bend[1], sums[k].bend[2], sums[k].rate};
    for (uint32_t k = 0; k < count; ++k)  // in a buffer, which nothing changes but hold_buffers
        if (first + k >= own_count) found[k] = (fluid_motion){0};
}

// What all fields near a particle, at least one, add to sums in the middle of the last step, where that was looked up:
// their pressure is Σ s²/r dx if both is 1.
static inline void sum_known_fields(const float *known, uint32_t field_count, float sums[3])
{
    for (int c = 0; c < 3; ++c) sums[c] = 0 + known[c];
    for (uint32_t k = 1; k < field_count; ++k)
        for (int c = 0; c < 3; ++c) sums[c] += known[k * FIELD_STRIDE + (uint32_t)c];
}

// What walls add to the sum of a particle's rate of density in the middle of the last step, by Σ s²/r dx over them. A
// wall particle mirrors the motion, vb = −vi, and takes no part in diffusion.
// @param factor  2 m/ρ0
static inline double rate_by_walls(double factor, const fluid_motion *motion, const float pressure[3])
{
    const double along = (double)(pressure[0] * motion->x + pressure[1] * motion->y + pressure[2] * motion->z);
    return factor * along;
}

static double rate_at_walls(const mote_fluid *fluid, uint32_t i, fluid_row walls)
{
    const fluid_place *own = (const fluid_place *)fluid->half_places.data + i;
    const mote_wall_pressure unit = {.both = 1};
    mote_wall_sums sums = {{0, 0, 0}, 0};
    if (!fluid->near_fields.is_known) {
        sums = sum_walls(fluid, i, walls, own, FIELD_MIDDLE, &unit);
    } else {
        const mote_pair_set set = set_of_walls(fluid);
        sums = fluid->lanes->walls(&fluid->pair, walls, &set, own, &unit);
        if (mote_field_may_act(fluid, i)) {
            float of_fields[3];
            sum_known_fields(mote_field_known(fluid, i, FIELD_MIDDLE), fluid->field_count, of_fields);
            for (int c = 0; c < 3; ++c) sums.pressure[c] += of_fields[c];
        }
    }
    const fluid_motion *motion = (const fluid_motion *)fluid->half_motions.data + i;
    return rate_by_walls(2 * fluid->mass / fluid->phase.rest_density, motion, sums.pressure);
}

// Adds what fields do to the rates of particles that have no other walls, where that was looked up. Values lie in the
// order of marks.
static void add_known_rates(const mote_fluid *fluid, size_t begin, size_t end, double *sums)
{
    const fluid_near_fields *near = &fluid->near_fields;
    const fluid_motion *motions = fluid->half_motions.data;
    const uint32_t *marks = near->marks.data, *wall_counts = fluid->wall_count ? fluid->wall_lists.counts : NULL;
    const uint32_t fields = fluid->field_count;
    const double factor = 2 * fluid->mass / fluid->phase.rest_density;
    const float *known = NULL;
    MOTE_ASSERT(begin % 32 == 0);
    for (size_t w = begin / 32; w < (end + 31) / 32; ++w)
        for (uint32_t bits = marks[w]; bits != 0; bits &= bits - 1) {
            const size_t i = 32 * w + mote_lowest_bit(bits);
            known = known ? known + mote_field_stride(fluid) : mote_field_known(fluid, i, FIELD_MIDDLE);
            if (wall_counts && wall_counts[i] != 0) continue;
            float pressure[3];
            sum_known_fields(known, fields, pressure);
            sums[i - begin] += rate_by_walls(factor, &motions[i], pressure);
        }
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
        if (walls.count || (!are_known && is_near_fields(fluid, &places[i])))
            sum += rate_at_walls(fluid, (uint32_t)i, walls);
        sums[i - begin] = sum;
    }
    if (are_known) add_known_rates(fluid, begin, end, sums);
}

// The factors that extrapolate velocities and bends to the present instant.
typedef struct fluid_trend {
    const float *velocity[3], *acceleration[3];
    float half_step, onward;
} fluid_trend;

static fluid_trend trend_of(const mote_fluid *fluid)
{
    fluid_trend trend = {.half_step = (float)(fluid->previous_dt / 2)};
    for (int k = 0; k < 3; ++k) {
        trend.velocity[k] = mote_fluid_floats(fluid, FLUID_VX + k);
        trend.acceleration[k] = mote_fluid_floats(fluid, FLUID_AX + k);
    }
    if (fluid->previous_dt > 0)
        trend.onward = (float)(fluid->previous_dt / (fluid->previous_dt + fluid->earlier_dt));
    return trend;
}

// v(t) ≈ v(t − ½dt) + ½dt·a(t − dt). This is second order, and a(t) cannot be used: it depends on v(t) by viscosity.
static float predicted_velocity(const fluid_trend *trend, size_t i, int k)
{
    return trend->velocity[k][i] + trend->half_step * trend->acceleration[k][i];
}

// Densities, pressures and u of consecutive particles of one phase after the last step, by continuity. The records
// hold the bends, which are extrapolated from the middles of the last two steps; this is second order too.
static void advance_densities(const mote_fluid *fluid, size_t begin, size_t end)
{
    const fluid_state state = state_of(fluid);
    const mote_phase_def *phase = &fluid->phases[0].def;
    const fluid_trend trend = trend_of(fluid);
    const double c_squared = phase->sound_speed * phase->sound_speed;
    fluid_advance constants = {.factor = fluid->pressure_factor, .half_step = 0.5 * fluid->previous_dt};
    constants.mass = fluid->phases[0].mass;
    constants.rest_density = phase->rest_density;
    constants.moves = fluid->previous_dt > 0;
    constants.is_linear = mote_fluid_is_linear(fluid, phase);
    constants.may_be_negative = fluid->def.negative_pressure;
    constants.stiffness = constants.is_linear ? c_squared : phase->rest_density * c_squared / 7;
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
    const float kinematic = fluid->phase_count > 1 ? 1 : (float)(fluid->viscosity / fluid->phase.rest_density);
    const fluid_trend trend = trend_of(fluid);
    fluid_place *places = fluid->places.data;
    fluid_motion *motions = fluid->motions.data;
    for (size_t i = begin; i < end; ++i) {
        const double rho = density_by_sums(fluid, (uint32_t)i, motions[i].scalar);
        const fluid_phase *of = mote_fluid_phase_of(fluid, i);
        const double p = mote_fluid_pressure_of(fluid, &of->def, rho), volume = of->mass / rho;
        density[i] = (float)rho;
        pressure[i] = (float)p;
        places[i].volume = (float)volume;
        motions[i] = (fluid_motion){
            kinematic * predicted_velocity(&trend, i, 0), kinematic * predicted_velocity(&trend, i, 1),
            kinematic * predicted_velocity(&trend, i, 2), (float)(volume * p)};
    }
}

// Density and pressure of a block of particles, and the records from which the forces are computed. They hold the sums
// among fluid.
static void find_densities(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const mote_fluid *fluid = data;
    if (fluid->def.density == MOTE_DENSITY_CONTINUITY)
        advance_densities(fluid, begin, end);
    else
        find_densities_by_sums(fluid, begin, end);
}

// The pressure of particle i plus that of the wall particles near it: P_b = P_i + ρ0 g·(x_b − x_i) if densities are
// by continuity; the mean pressure around i if they are by summation.
static mote_wall_pressure wall_pressure(const mote_fluid *fluid, uint32_t i)
{
    const mote_fluid_def *def = &fluid->def;
    const float inside = mote_fluid_floats(fluid, FLUID_PRESSURE)[i];
    if (def->density != MOTE_DENSITY_CONTINUITY) {
        const mote_pair_set set = set_of(fluid, fluid->places.data, fluid->motions.data);
        const mote_pressure_sums mean =
            fluid->lanes->pressures(&fluid->pair, mote_fluid_row(&fluid->lists, i), &set, &set.places[i]);
        const float h = fluid->pair.h;
        const float beyond =
            (h * set.motions[i].scalar + mean.weighted_pressure) / (h * set.places[i].volume + mean.weight);
        return (mote_wall_pressure){inside + beyond, {0}};
    }
    // In full from a support of water above the particle on: nothing holds up a drop at a dry wall, and no P_b is
    // below 0.
    double share = (double)inside < fluid->support_pressure ? (double)inside / fluid->support_pressure : 1;
    float rise = (float)(fluid->phase.rest_density * share);
    return (mote_wall_pressure){
        2 * inside, {rise * (float)def->gravity.x, rise * (float)def->gravity.y, rise * (float)def->gravity.z}};
}

// The factors of a particle's sums over walls: of pressure and of drag.
static void wall_factors(const mote_fluid *fluid, double viscosity, double density, double *push, double *drag)
{
    const double volume = fluid->mass / fluid->phase.rest_density;  // of a wall particle of weight 1
    *push = -fluid->pressure_factor * volume / density;
    *drag = viscosity * fluid->viscosity_factor / density * volume * fluid->def.wall_viscosity;
}

// The forces of particle i on walls that are fields, which act along the line to it.
static void add_field_reactions(const mote_fluid *fluid, uint32_t i, double *sums)
{
    const fluid_place *me = (const fluid_place *)fluid->places.data + i;
    const mote_wall_pressure wall = wall_pressure(fluid, i);
    const fluid_trend trend = trend_of(fluid);
    const double at[3] = {mote_fluid_doubles(fluid, FLUID_X)[i], mote_fluid_doubles(fluid, FLUID_Y)[i],
                          mote_fluid_doubles(fluid, FLUID_Z)[i]};
    const fluid_phase *of = mote_fluid_phase_of(fluid, i);
    double push, drag, force[3];
    wall_factors(fluid, of->def.viscosity, (double)mote_fluid_floats(fluid, FLUID_DENSITY)[i], &push, &drag);
    for (uint32_t k = 0; k < fluid->field_count; ++k) {
        const mote_wall_sums found = mote_field_sums_of(fluid, k, me, &wall);
        for (int c = 0; c < 3; ++c)
            force[c] = -of->mass * (push * (double)found.pressure[c] -
                                    drag * (double)found.drag * (double)predicted_velocity(&trend, i, c));
        mote_fluid_add_reaction_at(((const wall_field *)fluid->fields.data)[k].boundary, at, force, sums);
    }
}

// The forces of particle i on walls: what its acceleration has of each of them, with the other sign.
static void add_reactions(const mote_fluid *fluid, uint32_t i, double *sums)
{
    if (is_near_fields(fluid, (const fluid_place *)fluid->places.data + i)) add_field_reactions(fluid, i, sums);
    if (fluid->wall_count == 0) return;
    const fluid_row row = mote_fluid_row(&fluid->wall_lists, i);
    if (row.count == 0) return;
    const fluid_place *me = (const fluid_place *)fluid->places.data + i;
    const fluid_place *walls = fluid->wall_records.data;
    const mote_wall_pressure wall = wall_pressure(fluid, i);
    const fluid_trend trend = trend_of(fluid);
    const double h = (double)fluid->pair.h;
    double push, drag;
    const fluid_phase *of = mote_fluid_phase_of(fluid, i);
    wall_factors(fluid, of->def.viscosity, (double)mote_fluid_floats(fluid, FLUID_DENSITY)[i], &push, &drag);
    for (uint32_t k = 0; k < row.count; ++k) {
        const fluid_place *other = &walls[row.indices[k]];
        const double d[3] = {(double)(other->x - me->x), (double)(other->y - me->y), (double)(other->z - me->z)};
        const double squared = MOTE_MAX(d[0] * d[0] + d[1] * d[1] + d[2] * d[2], (double)fluid->pair.tiny_squared);
        const double r = sqrt(squared), s = MOTE_MAX(h - r, 0), weight = (double)other->volume;
        const double pressure = (double)wall.both + (double)wall.slope[0] * d[0] + (double)wall.slope[1] * d[1] +
                                (double)wall.slope[2] * d[2];
        double force[3];
        for (int c = 0; c < 3; ++c)
            force[c] = -of->mass * weight *
                       (push * pressure * s * s / r * d[c] - drag * s * (double)predicted_velocity(&trend, i, c));
        mote_fluid_add_reaction(fluid, row.indices[k], force, sums);
    }
}

// The same of all particles on which only fields act, in lanes: all operations are those of add_walls.
static void push_near_fields(mote_fluid *fluid)
{
    const field_curves *curves = fluid->field_curves.data;
    const fluid_trend trend = trend_of(fluid);
    const mote_vec3 g = fluid->def.gravity;
    const double volume = fluid->mass / fluid->phase.rest_density, viscosity = fluid->phases[0].def.viscosity;
    if (!fluid->near_fields.is_known) return;
    MOTE_ASSERT(fluid->def.density == MOTE_DENSITY_CONTINUITY && fluid->phase_count <= 1);
    field_push of = {.across = curves->across, .along = curves->along, .drag = curves->drag,
                     .density = mote_fluid_floats(fluid, FLUID_DENSITY),
                     .pressure = mote_fluid_floats(fluid, FLUID_PRESSURE),
                     .full = (float)curves->full, .half_step = trend.half_step,
                     .g = {(float)g.x, (float)g.y, (float)g.z},
                     .wall_drag = (float)(volume * fluid->def.wall_viscosity),
                     .rest_density = fluid->phase.rest_density, .support_pressure = fluid->support_pressure,
                     .push = -fluid->pressure_factor * volume, .viscous = viscosity * fluid->viscosity_factor,
                     .field_count = fluid->field_count};
    for (int k = 0; k < 3; ++k) of.velocity[k] = trend.velocity[k], of.acceleration[k] = trend.acceleration[k];
    mote_field_push_near(fluid, &of);
}

// Adds what walls do to the acceleration of particle i.
static void add_walls(const mote_fluid *fluid, uint32_t i, fluid_row walls, float a[3])
{
    const fluid_place *own = (const fluid_place *)fluid->places.data + i;
    const double density = (double)mote_fluid_floats(fluid, FLUID_DENSITY)[i];
    const double viscosity = mote_fluid_phase_of(fluid, i)->def.viscosity;
    mote_wall_pressure wall = wall_pressure(fluid, i);
    const mote_wall_sums at_walls = sum_walls(fluid, i, walls, own, FIELD_NOW, &wall);
    double volume = fluid->mass / fluid->phase.rest_density;  // of a wall particle of weight 1
    float wall_push = (float)(-fluid->pressure_factor * volume / density);
    float wall_drag = (float)(viscosity * fluid->viscosity_factor / density) *
                      (float)(volume * fluid->def.wall_viscosity) * at_walls.drag;
    const fluid_trend trend = trend_of(fluid);
    for (int k = 0; k < 3; ++k) a[k] += wall_push * at_walls.pressure[k] - wall_drag * predicted_velocity(&trend, i, k);
}

// Accelerations of particles. They wait in the records of the middle of the step.
static void find_accelerations(mote_fluid *fluid, uint32_t first, const fluid_row *rows, uint32_t count)
{
    const mote_pair_set set = set_of(fluid, fluid->places.data, fluid->motions.data);
    const size_t own_count = mote_fluid_own_count(fluid);
    const float g[3] = {(float)fluid->def.gravity.x, (float)fluid->def.gravity.y, (float)fluid->def.gravity.z};
    fluid_motion *found = (fluid_motion *)fluid->half_motions.data + first;
    const field_question fields = question_of(fluid);
    const float *pushes = NULL;  // of push_near_fields
    if (fields.known) pushes = mote_field_known_of_block(fluid, first / FLUID_BLOCK, FIELD_MIDDLE);
    MOTE_ASSERT(count == 0 || first / FLUID_BLOCK == (first + count - 1) / FLUID_BLOCK);
    mote_onderik_accelerate(fluid, first, rows, count, &set, found);
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t i = first + k;
        if (i >= own_count) {
            found[k] = (fluid_motion){0};
            continue;
        }
        float a[3] = {found[k].x, found[k].y, found[k].z};
        if (fluid->tension_count > 0) mote_fluid_add_tension(fluid, i, rows[k], a);
        fluid_row walls = {0};
        if (fluid->wall_count) walls = mote_fluid_row(&fluid->wall_lists, i);
        if (walls.count || !fields.known) {
            if (walls.count || may_fields_act(&fields, i, &set.places[i])) add_walls(fluid, i, walls, a);
        } else if (fields.known[i] != FIELD_ACTS_NOT) {
            const float *push = pushes + fields.known[i] * mote_field_stride(fluid);
            for (int c = 0; c < 3; ++c) a[c] += push[c];
        }
        found[k] = (fluid_motion){a[0] + g[0], a[1] + g[1], a[2] + g[2], 0};
    }
}

static mote_result reserve_scratch(mote_fluid *fluid)
{
    mote_context *context = fluid->context;
    size_t n = fluid->particles.count, blocks = mote_block_count(n, FLUID_BLOCK);
    const size_t places = mote_bytes(n + 1, sizeof(fluid_place));
    const size_t motions = mote_bytes(n + 1, sizeof(fluid_motion));
    mote_result result = mote_buffer_reserve(context, &fluid->places, places, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &fluid->motions, motions, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &fluid->half_motions, motions, 0);
    if (result == MOTE_OK && fluid->def.density == MOTE_DENSITY_CONTINUITY)
        result = mote_buffer_reserve(context, &fluid->half_places, places, 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &fluid->partial, mote_bytes(blocks, sizeof(fluid_limits)),
                                     fluid->partial.bytes);  // kept if it cannot grow: a step may need it
    return result;
}

// Rows of fluid neighbours and of wall neighbours.
static mote_result find_neighbors(mote_fluid *fluid, mote_error *error)
{
    mote_result result = mote_fluid_prepare_walls(fluid, error);
    if (result != MOTE_OK) return result;
    enum { FLUID, WALLS, MIRRORS, SETS };
    const size_t mirrors = mote_fluid_mirror_count(fluid);
    const mote_points sets[SETS] = {
        [FLUID] = mote_fluid_record_points(fluid, fluid->places.data, fluid->particles.count),
        [WALLS] = mote_fluid_record_points(fluid, fluid->wall_records.data, fluid->wall_count),
        [MIRRORS] = mote_fluid_record_points(fluid, fluid->open.mirrors.data, mirrors)};
    const bool changed[SETS] = {true, !fluid->walls_ready, true};
    const bool active[SETS * SETS] = {
        [FLUID] = mote_fluid_keeps_lists(fluid), [WALLS] = fluid->wall_count > 0, [SETS * MIRRORS] = mirrors > 0};
    mote_lists found[SETS * SETS];
    result = mote_neighbors_update_sets(fluid->search, sets, SETS, changed, error);
    fluid->walls_ready = result == MOTE_OK;
    if (result == MOTE_OK) result = mote_neighbors_lists_of_sets(fluid->search, active, SETS * SETS, found, error);
    if (result != MOTE_OK) return result;
    fluid->lists = found[FLUID];
    fluid->wall_lists = found[WALLS];
    fluid->mirror_lists = found[SETS * MIRRORS];
    return MOTE_OK;
}

static void set_fillers(mote_fluid *fluid)
{
    const fluid_place far_away = {MOTE_FAR_AWAY, MOTE_FAR_AWAY, MOTE_FAR_AWAY, 0};
    const fluid_motion still = {0};
    const size_t n = fluid->particles.count;
    ((fluid_place *)fluid->places.data)[n] = far_away;
    ((fluid_motion *)fluid->motions.data)[n] = still;
    if (fluid->half_places.data) ((fluid_place *)fluid->half_places.data)[n] = far_away;
    if (fluid->half_motions.data) ((fluid_motion *)fluid->half_motions.data)[n] = still;
}

// Records, rows and densities at the present positions.
static mote_result find_reactions(mote_fluid *fluid)
{
    mote_fluid_find_reactions(fluid);
    return MOTE_OK;
}

static mote_result evaluate_densities(mote_fluid *fluid, mote_error *error)
{
    const size_t n = fluid->particles.count;
    fluid->has_rows = false;
    mote_result result = reserve_scratch(fluid);
    if (result == MOTE_OK) result = mote_fluid_put_in_order(fluid);
    if (result == MOTE_OK) result = mote_fluid_place_mirrors(fluid);
    if (result != MOTE_OK) return mote_fluid_out_of_memory(fluid, "a step", error);

    mote_parallel_for(fluid->context, n, FLUID_COPY_BLOCK, make_point_records, fluid);
    if (fluid->half_places.data) mote_parallel_for(fluid->context, n, FLUID_COPY_BLOCK, make_half_records, fluid);
    set_fillers(fluid);
    fluid->near_fields.is_known = false;
    if (fluid->half_places.data) result = mote_field_look_up(fluid, fluid->places.data, fluid->half_places.data);
    if (result != MOTE_OK) return mote_fluid_out_of_memory(fluid, "fields", error);

    const double start = mote_clock_seconds();
    result = find_neighbors(fluid, error);
    fluid->counters.search_seconds += mote_clock_seconds() - start;
    if (result == MOTE_OK)
        result = mote_fluid_each_row(fluid, fluid->search, &fluid->lists, sum_densities_among_fluid,
                                     &fluid->counters.density_seconds, error);
    if (result != MOTE_OK) return result;
    fluid->has_rows = true;
    mote_parallel_for(fluid->context, n, FLUID_BLOCK, find_densities, fluid);
    mote_fluid_hold_buffers(fluid, &fluid->mirror_lists, fluid->places.data);
    mote_fluid_find_reactions(fluid);
    return MOTE_OK;
}

static mote_result evaluate(mote_fluid *fluid, mote_error *error)
{
    mote_result result = fluid->has_densities ? MOTE_OK : evaluate_densities(fluid, error);
    if (result != MOTE_OK) return result;
    fluid->has_densities = fluid->previous_dt > 0;
    push_near_fields(fluid);
    result = mote_fluid_each_row(fluid, fluid->search, &fluid->lists, find_accelerations,
                                 &fluid->counters.force_seconds, error);
    if (result != MOTE_OK) return result;
    mote_fluid_take_accelerations(fluid, fluid->half_motions.data);
    fluid->evaluated = true;
    fluid->has_densities = false;
    return MOTE_OK;
}

// Records and lists of particles whose forces were read.
static mote_result find_rows(mote_fluid *fluid, mote_error *error)
{
    mote_result result = reserve_scratch(fluid);
    if (result == MOTE_OK) result = mote_fluid_place_mirrors(fluid);
    if (result != MOTE_OK) return mote_fluid_out_of_memory(fluid, "densities", error);
    mote_parallel_for(fluid->context, fluid->particles.count, FLUID_COPY_BLOCK, make_point_records, fluid);
    set_fillers(fluid);
    result = find_neighbors(fluid, error);
    fluid->has_rows = result == MOTE_OK;
    return result;
}

static void sum_density(void *data, mote_row row, uint32_t worker)
{
    (void)worker;
    const fluid_density_task *task = data;
    const mote_fluid *fluid = task->fluid;
    if (row.index >= mote_fluid_own_count(fluid)) return;
    const mote_pair_set set = set_of(fluid, fluid->places.data, NULL);
    const float sum = mote_onderik_sum_density(fluid, row.index, (fluid_row){row.indices, row.count}, &set);
    task->densities[row.index] = (float)density_by_sums(fluid, row.index, sum);
}

static mote_result sum_densities(mote_fluid *fluid, float *densities, mote_error *error)
{
    const mote_result result = fluid->has_rows ? MOTE_OK : find_rows(fluid, error);
    fluid_density_task task = {fluid, densities};
    if (result != MOTE_OK) return result;
    return mote_neighbors_visit_sets(fluid->search, 0, 0, sum_density, &task, error);
}

// ---------------------------------------------------------------------------------------------------- the solver

static void set_pressures(mote_fluid *fluid, const double *pressures)
{
    for (size_t i = 0; i < mote_fluid_own_count(fluid); ++i)
        mote_fluid_floats(fluid, FLUID_DENSITY)[i] = (float)mote_fluid_density_at(fluid, pressures[i]);  // of one phase
}

static void hold(mote_fluid *fluid, size_t i, mote_vec3 velocity, double pressure)
{
    const fluid_phase *of = mote_fluid_phase_of(fluid, i);
    const double density = of->def.rest_density * (1 + mote_fluid_excess_at(fluid, &of->def, pressure));
    const double volume = of->mass / density;
    const double kinematic = fluid->phase_count > 1 ? 1 : fluid->viscosity / fluid->phase.rest_density;
    mote_fluid_floats(fluid, FLUID_DENSITY)[i] = (float)density;
    for (int k = 0; k < 3; ++k) mote_fluid_floats(fluid, FLUID_BEND_X + k)[i] = 0;
    ((fluid_place *)fluid->places.data)[i].volume = (float)volume;
    ((fluid_motion *)fluid->motions.data)[i] =
        (fluid_motion){(float)(kinematic * velocity.x), (float)(kinematic * velocity.y),
                       (float)(kinematic * velocity.z), (float)(volume * pressure)};
}

// −h² times the factor by which the sums replace ∇² for the steepest waves of a lattice: 15 in 2D (h = 3d), 16 in 3D
// (h = 2d).
static const double steepest_wave = 16;

// Viscosity uses the predicted velocity v(t−½dt) + ½dt·a(t−dt). For a wave that it damps at the rate r this is
// stable while dt r < 1; the steepest waves of a lattice have r = 16 ν/h².
static double time_step(const mote_fluid *fluid)
{
    const double h = fluid->def.support;
    const double kinematic = mote_onderik_most_viscous(fluid);
    const double step = mote_fluid_step_limit(fluid, kinematic + steepest_wave * fluid->hyperviscosity / (h * h));
    return MOTE_MIN(step, mote_fluid_tension_step(fluid));
}

static void forget_walls(mote_fluid *fluid)
{
    fluid->walls_ready = false;
}

enum { BUFFERS = 4 };

static void own_buffers(mote_fluid *fluid, mote_buffer *buffers[BUFFERS])
{
    mote_buffer *all[BUFFERS] = {&fluid->places, &fluid->motions, &fluid->half_places, &fluid->half_motions};
    memcpy(buffers, all, sizeof all);
}

static void destroy(mote_fluid *fluid)
{
    mote_neighbors_destroy(fluid->search);
    mote_buffer *buffers[BUFFERS];
    own_buffers(fluid, buffers);
    for (int k = 0; k < BUFFERS; ++k) mote_buffer_release(fluid->context, buffers[k]);
}

static size_t byte_count(const mote_fluid *fluid)
{
    size_t lists = 0, bytes = mote_neighbors_byte_count(fluid->search, &lists);
    mote_buffer *buffers[BUFFERS];
    own_buffers((mote_fluid *)fluid, buffers);
    for (int k = 0; k < BUFFERS; ++k) bytes += buffers[k]->bytes;
    return bytes + lists;
}

static mote_result validate(mote_fluid *fluid, mote_error *error)
{
    return mote_neighbors_validate(fluid->search, error);
}

const fluid_solver mote_solver_onderik = {
    .about = {"onderik", "Onderik & Ďurikovič 2008",
              "kernels and forces of the paper, densities by summation or by continuity"},
    .fields = mote_fluid_particle_fields,
    .field_count = FLUID_ARRAY_COUNT,
    .resolve = resolve,
    .create = create,
    .destroy = destroy,
    .evaluate = evaluate,
    .find_reactions = find_reactions,
    .add_reactions = add_reactions,
    .sum_densities = sum_densities,
    .time_step = time_step,
    .set_pressures = set_pressures,
    .hold = hold,
    .forget_walls = forget_walls,
    .byte_count = byte_count,
    .validate = validate,
};
