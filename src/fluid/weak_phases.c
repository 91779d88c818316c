// SPDX-License-Identifier: MIT
// Several phases with the weakly compressible solver.
//
// Volumes V = m/ρ, not masses, stand in the continuity equation: what a neighbour of another density adds does not
// depend on its density (solver_weak.c has the sums). Densities diffuse among equals only, as they jump at an
// interface. Pairs of two phases push each other by (Hu & Adams 2006, 2007)
//
//     mi dvi/dt = −Σ (Vi² + Vj²) (ρj Pi + ρi Pj)/(ρi + ρj) ∇W
//
// The pressure between them is weighted so that both sides of an interface have the same ∇P/ρ: the plain mean would
// accelerate the lighter one by half the jump of ∇P over its own density. For equals it is the term of solver_weak.c,
// up to the difference of two volumes squared.
//
// That is what gravity needs. A tension that pulls at both sides alike, whatever their densities (stress), asks for the
// same ∇P instead. The weights then give a pair the pressure of its lighter particle: around a heavy drop this is too
// low by half of what the tension adds from one to the other, nothing holds the two apart, and the interface boils.
// Where such a tension acts and there is no gravity, pairs have the plain mean (Pi + Pj)/2, with which forces and rates
// of density are exact counterparts: a heavy drop then comes to rest. With gravity the weights are kept.
//
// Viscosity between phases has the harmonic mean 2 μi μj/(μi + μj), which makes the shear stress continuous. An
// interface repulsion against mixing (Grenier et al. 2009) adds ε (|Pi| + |Pj|) to the pressure between phases. All of
// these terms are antisymmetric, so that momentum is conserved to rounding.
//
// A row is split into the neighbours of each phase, and each part is summed by the loops of weak_pairs.c. Most rows
// have one phase only and are summed as they are.

#include <string.h>

#include "fluid/internal.h"

// -------------------------------------------------------------------------------------------------------- rates

static void add_rates(weak_rates *to, const weak_rates *more, bool is_equal)
{
    to->compression += more->compression;
    if (is_equal) to->diffusion += more->diffusion;
    to->filling += more->filling;
    for (int k = 0; k < 3; ++k) to->lean[k] += more->lean[k], to->crowding[k] += more->crowding[k];
    for (int k = 0; k < 6; ++k) to->spread[k] += more->spread[k];
}

void mote_weak_sum_rates(const mote_fluid *fluid, uint32_t i, fluid_row row, const weak_set *around,
                         const weak_self *self, weak_detail detail, weak_rates *sums)
{
    const weak_memory *weak = &fluid->weak;
    const uint8_t own = mote_fluid_phase_numbers(fluid)[i];
    const uint32_t present = fluid->phase_count > 1 ? mote_fluid_phases_in(fluid, row) : 0;
    const bool is_mixed = present & ~(1u << own);
    if (fluid->phase_count > 1) ((uint8_t *)weak->mixed.data)[i] = is_mixed;
    if (!is_mixed) {
        weak->lanes->rates(&weak->kernel, around, row, self, detail, sums);
        return;
    }
    memset(sums, 0, sizeof *sums);
    for (uint32_t phase = 0; phase < fluid->phase_count; ++phase) {
        uint32_t chunk[FLUID_CHUNK];
        fluid_row part;
        uint32_t at = 0;
        while ((part = mote_fluid_next_part(fluid, row, present, phase, &at, chunk)).count > 0) {
            weak_rates more;
            weak->lanes->rates(&weak->kernel, around, part, self, detail, &more);
            add_rates(sums, &more, phase == own);
        }
    }
}

bool mote_weak_is_mixed(const mote_fluid *fluid, uint32_t i)
{
    return fluid->phase_count > 1 && ((const uint8_t *)fluid->weak.mixed.data)[i];
}

bool mote_weak_is_near_interface(const mote_fluid *fluid, uint32_t i, fluid_row row)
{
    const size_t count = fluid->particles.count;
    const weak_image *images = fluid->weak.images.data;
    const uint8_t *mixed = fluid->weak.mixed.data;
    bool is_near = mixed[i];
    for (uint32_t k = 0; k < row.count && !is_near; ++k) {
        const uint32_t j = row.indices[k];
        is_near = mixed[j < count ? j : images[j - count].source];
    }
    return is_near;
}

void mote_weak_sum_normal(const mote_fluid *fluid, fluid_row row, uint32_t i, uint32_t phase, float n[3])
{
    const weak_memory *weak = &fluid->weak;
    const weak_set set = {weak->places.data, weak->motions.data, NULL,
                          (uint32_t)(fluid->particles.count + weak->image_count)};
    const weak_self self = {.place = set.places[i]};
    uint32_t chunk[FLUID_CHUNK], at = 0;
    fluid_row part;
    n[0] = n[1] = n[2] = 0;
    while ((part = mote_fluid_next_of_phase(fluid, row, phase, &at, chunk)).count > 0) {
        weak_rates sums;
        weak->lanes->rates(&weak->kernel, &set, part, &self, WEAK_LEAN, &sums);
        for (int k = 0; k < 3; ++k) n[k] += sums.lean[k];
    }
}

void mote_weak_find_interface_normal(const mote_fluid *fluid, fluid_row row, uint32_t i, float n[3])
{
    n[0] = n[1] = n[2] = 0;
    for (uint32_t phase = 0; phase < fluid->phase_count; ++phase) {
        float more[3];
        if (phase == mote_fluid_phase_numbers(fluid)[i]) continue;
        mote_weak_sum_normal(fluid, row, i, phase, more);
        for (int k = 0; k < 3; ++k) n[k] += more[k];
    }
}

// ------------------------------------------------------------------------------------------------------- forces

static double harmonic_mean(double a, double b)
{
    return a + b > 0 ? 2 * a * b / (a + b) : 0;
}

// What acts between a particle of one phase and its neighbours of another.
static weak_across between(const mote_fluid *fluid, const fluid_phase *a, const fluid_phase *b)
{
    const double rest[2] = {a->def.rest_density, b->def.rest_density};
    const double along[2] = {a->central + a->artificial, b->central + b->artificial};
    const double central = harmonic_mean(rest[0] * along[0], rest[1] * along[1]);
    const mote_vec3 g = fluid->def.gravity;
    const bool has_gravity = g.x != 0 || g.y != 0 || g.z != 0;
    return (weak_across){.mass = (float)a->mass,
                         .other_mass = (float)b->mass,
                         .central = (float)central,
                         .drag = (float)harmonic_mean(rest[0] * a->drag, rest[1] * b->drag),
                         .repulsion = (float)fluid->def.interface_repulsion,
                         .mean = !has_gravity && mote_fluid_is_pulled_alike(fluid, a, b) ? 1 : 0};
}

static void add_equals(const mote_fluid *fluid, const fluid_phase *of, fluid_row row, const weak_set *around,
                       const weak_self *self, float density, float a[3])
{
    const float push = -1 / density, drag = (float)(of->drag * of->def.rest_density / (double)density);
    weak_forces sums;
    fluid->weak.lanes->forces(&fluid->weak.kernel, around, row, self, of->drag > 0, &sums);
    for (int k = 0; k < 3; ++k) a[k] += push * sums.push[k] + drag * sums.drag[k] + sums.stress[k];
}

void mote_weak_accelerate_mixed(const mote_fluid *fluid, uint32_t i, fluid_row row, const weak_set *around,
                                const weak_self *self, float a[3])
{
    const weak_memory *weak = &fluid->weak;
    const fluid_phase *of = mote_fluid_phase_of(fluid, i);
    const float density = mote_fluid_floats(fluid, FLUID_DENSITY)[i], lightness = (float)(1 / of->mass);
    const weak_self plain = {.place = around->places[i], .motion = around->motions[i]};
    a[0] = a[1] = a[2] = 0;
    for (uint32_t phase = 0; phase < fluid->phase_count; ++phase) {
        const fluid_phase *other = &fluid->phases[phase];
        const weak_across pair = between(fluid, of, other);
        uint32_t chunk[FLUID_CHUNK], at = 0;
        fluid_row part;
        while ((part = mote_fluid_next_of_phase(fluid, row, phase, &at, chunk)).count > 0) {
            weak_forces sums;
            if (other == of) {
                add_equals(fluid, of, part, around, self, density, a);
                continue;
            }
            weak->lanes->across(&weak->kernel, around, part, &plain, &pair, &sums);
            for (int k = 0; k < 3; ++k) a[k] += lightness * (sums.drag[k] - sums.push[k]);
        }
    }
}

double mote_weak_viscous_phase(const mote_fluid *fluid, uint32_t phase)
{
    const double central = 2 * (fluid->def.dimensions + 2);
    const fluid_phase *of = &fluid->phases[phase];
    double most = (of->central + of->artificial) / central + of->drag / 2;
    for (uint32_t other = 0; other < fluid->phase_count; ++other) {
        if (other == phase) continue;
        const weak_across pair = between(fluid, of, &fluid->phases[other]);
        most = MOTE_MAX(most, ((double)pair.central / central + (double)pair.drag / 2) / of->def.rest_density);
    }
    return most;
}

static double most_eddies(const mote_fluid *fluid)
{
    float most = 0;
    if (!mote_weak_has_eddies(fluid)) return 0;
    const float *eddies = mote_fluid_floats(fluid, FLUID_EDDY);
    for (size_t i = 0; i < fluid->particles.count; ++i) most = MOTE_MAX(most, eddies[i]);
    return (double)most;
}

double mote_weak_most_viscous(const mote_fluid *fluid)
{
    double most = 0;
    for (uint32_t k = 0; k < MOTE_MAX(fluid->phase_count, 1u); ++k)
        most = MOTE_MAX(most, mote_weak_viscous_phase(fluid, k));
    return most + most_eddies(fluid);
}

// -------------------------------------------------------------------------------------------------------- walls

void mote_weak_average(const mote_fluid *fluid, const weak_set *around, fluid_row row, const weak_self *self,
                       weak_averages *sums)
{
    const weak_memory *weak = &fluid->weak;
    if (fluid->phase_count < 2) {
        weak->lanes->averages(&weak->kernel, around, row, self, (float)fluid->mass, sums);
        return;
    }
    const uint32_t present = mote_fluid_phases_in(fluid, row);
    memset(sums, 0, sizeof *sums);
    for (uint32_t phase = 0; phase < fluid->phase_count; ++phase) {
        uint32_t chunk[FLUID_CHUNK], at = 0;
        fluid_row part;
        while ((part = mote_fluid_next_part(fluid, row, present, phase, &at, chunk)).count > 0) {
            weak_averages more;
            weak->lanes->averages(&weak->kernel, around, part, self, (float)fluid->phases[phase].mass, &more);
            sums->weight += more.weight, sums->scalar += more.scalar;
            for (int k = 0; k < 3; ++k) sums->offset[k] += more.offset[k], sums->velocity[k] += more.velocity[k];
        }
    }
}
