// SPDX-License-Identifier: MIT
// Walls of the solver onderik: wall particles, and bodies that act by fields (wall_field.c).
//
// Wall particles exert drag with their share of μ and vj = 0, and push with a pressure P_b. With continuity P_b is
// the pressure of the fluid continued hydrostatically, P_b = P_i + ρ0 g·(x_b − x_i) (Adami et al. 2012). Plain
// mirroring, which is used where there is no gravity or P_i is small, lacks half of the pressure gradient along an
// upright wall: water sinks there and never comes to rest. With summation wall particles add to the density, and P_b
// is the mean pressure over i and its neighbours, weighted by h − r: a wall with the pressure P_i alone would do
// work on the difference between the kernels.

#include <math.h>

#include "fluid/onderik.h"

// The sums of particle i over all walls, those that are fields included, at one of its places.
static mote_wall_sums sum_walls(const mote_fluid *fluid, uint32_t i, fluid_row walls, const fluid_place *own,
                                int place, const mote_wall_pressure *pressure)
{
    const mote_pair_set set = mote_onderik_wall_set(fluid);
    mote_wall_sums sums = {{0, 0, 0}, 0};
    if (walls.count) sums = fluid->lanes->walls(&fluid->pair, walls, &set, own, pressure);
    if (fluid->field_count == 0 || !mote_field_may_act(fluid, i)) return sums;
    const mote_wall_sums of_fields = mote_field_walls(fluid, own, mote_field_known(fluid, i, place), pressure);
    for (int c = 0; c < 3; ++c) sums.pressure[c] += of_fields.pressure[c];
    sums.drag += of_fields.drag;
    return sums;
}

// What all fields near a particle, at least one, add to sums in the middle of the last step, where that was looked up:
// their pressure is Σ s²/r dx if both is 1.
static inline void sum_known_fields(const float *known, uint32_t field_count, float sums[3])
{
    for (int c = 0; c < 3; ++c) sums[c] = 0 + known[c];  // sums begin with +0, and −0 is not left
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

double mote_onderik_rate_at_walls(const mote_fluid *fluid, uint32_t i, fluid_row walls)
{
    const fluid_place *own = (const fluid_place *)fluid->half_places.data + i;
    const mote_wall_pressure unit = {.both = 1};
    mote_wall_sums sums = {{0, 0, 0}, 0};
    if (!fluid->near_fields.is_known) {
        sums = sum_walls(fluid, i, walls, own, FIELD_MIDDLE, &unit);
    } else {
        const mote_pair_set set = mote_onderik_wall_set(fluid);
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
void mote_onderik_add_known_rates(const mote_fluid *fluid, size_t begin, size_t end, double *sums)
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

// The pressure of particle i plus that of the wall particles near it: P_b = P_i + ρ0 g·(x_b − x_i) if densities are
// by continuity; the mean pressure around i if they are by summation.
static mote_wall_pressure wall_pressure(const mote_fluid *fluid, uint32_t i)
{
    const mote_fluid_def *def = &fluid->def;
    const float inside = mote_fluid_floats(fluid, FLUID_PRESSURE)[i];
    if (def->density != MOTE_DENSITY_CONTINUITY) {
        const mote_pair_set set = mote_onderik_set(fluid, fluid->places.data, fluid->motions.data);
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
    const onderik_trend trend = mote_onderik_trend_of(fluid);
    const double at[3] = {mote_fluid_doubles(fluid, FLUID_X)[i], mote_fluid_doubles(fluid, FLUID_Y)[i],
                          mote_fluid_doubles(fluid, FLUID_Z)[i]};
    const fluid_phase *of = mote_fluid_phase_of(fluid, i);
    double push, drag, force[3];
    wall_factors(fluid, of->def.viscosity, (double)mote_fluid_floats(fluid, FLUID_DENSITY)[i], &push, &drag);
    for (uint32_t k = 0; k < fluid->field_count; ++k) {
        const mote_wall_sums found = mote_field_sums_of(fluid, k, me, &wall);
        for (int c = 0; c < 3; ++c)
            force[c] = -of->mass * (push * (double)found.pressure[c] -
                                    drag * (double)found.drag * (double)mote_onderik_velocity(&trend, i, c));
        mote_fluid_add_reaction_at(((const wall_field *)fluid->fields.data)[k].boundary, at, force, sums);
    }
}

// The forces of particle i on walls: what its acceleration has of each of them, with the other sign.
void mote_onderik_add_reactions(const mote_fluid *fluid, uint32_t i, double *sums)
{
    const fluid_place *me = (const fluid_place *)fluid->places.data + i;
    if (mote_onderik_is_near_fields(fluid, me)) add_field_reactions(fluid, i, sums);
    if (fluid->wall_count == 0) return;
    const fluid_row row = mote_fluid_row(&fluid->wall_lists, i);
    if (row.count == 0) return;
    const fluid_place *walls = fluid->wall_records.data;
    const mote_wall_pressure wall = wall_pressure(fluid, i);
    const onderik_trend trend = mote_onderik_trend_of(fluid);
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
                       (push * pressure * s * s / r * d[c] - drag * s * (double)mote_onderik_velocity(&trend, i, c));
        mote_fluid_add_reaction(fluid, row.indices[k], force, sums);
    }
}

// Accelerations by walls of all particles on which only fields act, in lanes: all operations are those of
// mote_onderik_add_walls.
void mote_onderik_push_near_fields(mote_fluid *fluid)
{
    const field_curves *curves = fluid->field_curves.data;
    const onderik_trend trend = mote_onderik_trend_of(fluid);
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
void mote_onderik_add_walls(const mote_fluid *fluid, uint32_t i, fluid_row walls, float a[3])
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
    const onderik_trend trend = mote_onderik_trend_of(fluid);
    for (int k = 0; k < 3; ++k)
        a[k] += wall_push * at_walls.pressure[k] - wall_drag * mote_onderik_velocity(&trend, i, k);
}
