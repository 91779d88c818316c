// SPDX-License-Identifier: MIT
// Several phases with the solver onderik, and its two ways of summing densities.
//
// With masses in the sum (Onderik & Ďurikovič 2008, eq. 7) a particle at an interface takes on a part of the density
// beyond it: where densities differ by 100, one of the lighter phase has thirty times its own, and the pressure that
// follows drives the phases apart. Number densities (Solenthaler & Pajarola 2008) leave the masses of neighbours out:
//
//     ni = Σj W(rij),  ρi = mi ni,  fi = − Σj (Pi/ni² + Pj/nj²) ∇W
//
// so that an interface is as dense as the phases on either side. Viscosity is that of eq. 8 with the mean (μi + μj)/2
// of both. Each term is antisymmetric, and momentum is conserved to rounding. Walls are made of the phase that they
// touch, for either sum.
//
// A row with several phases is split into its phases, as in weak_phases.c.

#include "fluid/onderik.h"

// The mass of a particle of a phase over that of the first phase.
static double share_of(const mote_fluid *fluid, const fluid_phase *of)
{
    return of->mass / fluid->mass;
}

static bool has_numbers(const mote_fluid *fluid)
{
    return fluid->def.density == MOTE_DENSITY_NUMBER;
}

float mote_onderik_sum_density(const mote_fluid *fluid, uint32_t i, fluid_row row, const mote_pair_set *set)
{
    const fluid_place *own = &set->places[i];
    if (fluid->phase_count < 2 || has_numbers(fluid)) return fluid->lanes->density(&fluid->pair, row, set, own, false);
    const uint32_t present = mote_fluid_phases_in(fluid, row);
    double sum = 0;
    for (uint32_t phase = 0; phase < fluid->phase_count; ++phase) {
        const double share = share_of(fluid, &fluid->phases[phase]);
        uint32_t chunk[FLUID_CHUNK], at = 0;
        fluid_row part;
        while ((part = mote_fluid_next_part(fluid, row, present, phase, &at, chunk)).count > 0)
            sum += share * (double)fluid->lanes->density(&fluid->pair, part, set, own, false);
    }
    return (float)sum;
}

double mote_onderik_density_of(const mote_fluid *fluid, uint32_t i, float among_fluid, float among_walls)
{
    const double own = share_of(fluid, mote_fluid_phase_of(fluid, i));
    if (fluid->phase_count < 2 || has_numbers(fluid))
        return fluid->density_factor * own * (1 + (double)(among_fluid + among_walls));
    return fluid->density_factor * (own * (1 + (double)among_walls) + (double)among_fluid);
}

// Adds what neighbours do, whose viscosity with the particle is such that drag · Σ Vj s (uj − ui) is its acceleration.
static void add_part(const mote_fluid *fluid, uint32_t i, fluid_row row, const mote_pair_set *set, float drag,
                     float a[3])
{
    const double density = (double)mote_fluid_floats(fluid, FLUID_DENSITY)[i];
    const float pressure = mote_fluid_floats(fluid, FLUID_PRESSURE)[i];
    const fluid_motion *motion = &set->motions[i];
    const fluid_place *own = &set->places[i];
    const mote_pair_rows of = {&row, own, motion, 1};
    mote_force_sums sums;
    float push;
    if (has_numbers(fluid)) {
        sums = fluid->lanes->number_forces(&fluid->pair, row, set, own, motion, own->volume * motion->scalar);
        push = (float)(-fluid->pressure_factor / mote_fluid_phase_of(fluid, i)->mass);
    } else {
        fluid->lanes->forces(&fluid->pair, &of, set, &pressure, &sums);
        push = (float)(-fluid->pressure_factor / density);
    }
    for (int k = 0; k < 3; ++k) a[k] += push * sums.pressure[k] + drag * sums.viscosity[k];
}

static void accelerate_one(const mote_fluid *fluid, uint32_t i, fluid_row row, const mote_pair_set *set, float a[3])
{
    const double density = (double)mote_fluid_floats(fluid, FLUID_DENSITY)[i];
    const double own = mote_fluid_phase_of(fluid, i)->def.viscosity;
    a[0] = a[1] = a[2] = 0;
    if (fluid->phase_count < 2) {
        add_part(fluid, i, row, set, (float)(fluid->phase.rest_density * fluid->viscosity_factor / density), a);
        return;
    }
    const uint32_t present = mote_fluid_phases_in(fluid, row);
    for (uint32_t phase = 0; phase < fluid->phase_count; ++phase) {
        const double mean = (own + fluid->phases[phase].def.viscosity) / 2;
        const float drag = (float)(mean * fluid->viscosity_factor / density);
        uint32_t chunk[FLUID_CHUNK], at = 0;
        fluid_row part;
        while ((part = mote_fluid_next_part(fluid, row, present, phase, &at, chunk)).count > 0)
            add_part(fluid, i, part, set, drag, a);
    }
}

// The same of one phase without number densities, with all rows in one call.
static void accelerate_alike(const mote_fluid *fluid, const mote_pair_rows *of, uint32_t first,
                             const mote_pair_set *set, fluid_motion *accelerations)
{
    const float *density = mote_fluid_floats(fluid, FLUID_DENSITY) + first;
    const double push_times = -fluid->pressure_factor;
    const double drag_times = fluid->phase.rest_density * fluid->viscosity_factor;
    mote_force_sums sums[FLUID_ROWS];
    fluid->lanes->forces(&fluid->pair, of, set, mote_fluid_floats(fluid, FLUID_PRESSURE) + first, sums);
    for (uint32_t k = 0; k < of->count; ++k) {
        const float push = (float)(push_times / (double)density[k]), drag = (float)(drag_times / (double)density[k]);
        const float *by_pressure = sums[k].pressure, *by_viscosity = sums[k].viscosity;
        accelerations[k] = (fluid_motion){0 + (push * by_pressure[0] + drag * by_viscosity[0]),
                                          0 + (push * by_pressure[1] + drag * by_viscosity[1]),
                                          0 + (push * by_pressure[2] + drag * by_viscosity[2]), 0};
    }
}

void mote_onderik_accelerate(const mote_fluid *fluid, uint32_t first, const fluid_row *rows, uint32_t count,
                             const mote_pair_set *set, fluid_motion *accelerations)
{
    const mote_pair_rows of = {rows, set->places + first, set->motions + first, count};
    if (fluid->phase_count < 2 && !has_numbers(fluid)) {
        accelerate_alike(fluid, &of, first, set, accelerations);
        return;
    }
    for (uint32_t k = 0; k < count; ++k) {
        float a[3];
        accelerate_one(fluid, first + k, rows[k], set, a);
        accelerations[k] = (fluid_motion){a[0], a[1], a[2], 0};
    }
}

double mote_onderik_most_viscous(const mote_fluid *fluid)
{
    double most = 0;
    for (uint32_t k = 0; k < MOTE_MAX(fluid->phase_count, 1u); ++k)
        for (uint32_t other = 0; other <= k; ++other) {
            const mote_phase_def *a = &fluid->phases[k].def, *b = &fluid->phases[other].def;
            const double mean = (a->viscosity + b->viscosity) / 2;
            most = MOTE_MAX(most, mean / MOTE_MIN(a->rest_density, b->rest_density));
        }
    return most;
}
