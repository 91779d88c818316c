// SPDX-License-Identifier: MIT
// The phases of a fluid: what it consists of.

#include <math.h>
#include <string.h>

#include "fluid/internal.h"

// Where densities follow from continuity, state_lanes.c finds pressures: it has q^7 by products, and no other power.
static mote_result check_phase(const mote_fluid *fluid, const mote_phase_def *def, mote_error *error)
{
    if (def->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "fluid: the def was not made by mote_phase_default_def");
    const mote_result result = mote_fields_check(mote_phase_fields(), def, error);
    if (result != MOTE_OK) return result;
    const bool is_any = fluid->def.solver == MOTE_SOLVER_WEAK || fluid->def.density != MOTE_DENSITY_CONTINUITY;
    if (!is_any && def->gamma != 7 && def->gamma != 1)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "fluid: gamma is %g, expected 7 or 1 with solver \"onderik\" and density \"continuity\"",
                         def->gamma);
    return MOTE_OK;
}

// Densities further apart than that: a particle of the light phase would need steps a hundred times as short as the
// speed of sound of the heavy one allows, and single precision has too few digits for the forces between them.
static const double most_density_ratio = 1e4;

static mote_result check_among_phases(const mote_fluid *fluid, mote_phase_def *phase, mote_error *error)
{
    if (fluid->phase_count == FLUID_PHASES)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "phase: the fluid has %d already, expected at most as many",
                         FLUID_PHASES);
    for (uint32_t k = 0; k < fluid->phase_count; ++k) {
        const double other = fluid->phases[k].def.rest_density;
        const double ratio = MOTE_MAX(phase->rest_density / other, other / phase->rest_density);
        if (!(ratio <= most_density_ratio))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                             "phase: rest_density is %g beside %g, expected a ratio of at most %g: steps are as short "
                             "as the lightest phase needs, and single precision has no more digits",
                             phase->rest_density, other, most_density_ratio);
    }
    if (!isnan(phase->sound_speed)) return MOTE_OK;
    if (fluid->phase_count == 0)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "fluid: sound_speed is not set, expected a number above 0 [m/s]");
    const mote_phase_def *first = &fluid->phases[0].def;
    phase->sound_speed = first->sound_speed * sqrt(first->rest_density / phase->rest_density);
    return MOTE_OK;
}

// Derives everything anew, as masses, viscosities and pressures depend on the material.
static mote_result resolve_again(mote_fluid *fluid, mote_error *error)
{
    const mote_vec3 gravity = fluid->def.gravity;  // may have been set since
    fluid->def = fluid->given;
    fluid->def.gravity = gravity;
    mote_fluid_resolve_background(fluid);
    return fluid->solver->resolve(fluid, error);
}

mote_result mote_fluid_add_phase(mote_fluid *fluid, const mote_phase_def *def, uint32_t *phase, mote_error *error)
{
    if (!fluid || !def || !phase) return mote_fail_null(error, "fluid", fluid ? "an argument" : "the object");
    mote_result result = check_phase(fluid, def, error);
    if (result != MOTE_OK) return result;
    if (fluid->particles.count || fluid->wall_count)
        return mote_fail(error, MOTE_ERROR_STATE, 0, "phase: the fluid has particles or walls already");
    mote_phase_def wanted = *def;
    result = check_among_phases(fluid, &wanted, error);
    if (result != MOTE_OK) return result;
    const uint32_t number = fluid->phase_count++;
    const fluid_phase before = fluid->phases[number];
    fluid->phases[number].given = wanted;
    result = resolve_again(fluid, error);
    if (result != MOTE_OK) {
        fluid->phases[number] = before;
        fluid->phase_count = number;
        resolve_again(fluid, NULL);  // which it has done before
        return result;
    }
    *phase = number;
    return MOTE_OK;
}

mote_phase_def mote_fluid_resolved_phase(const mote_fluid *fluid, uint32_t phase)
{
    if (!fluid || phase >= fluid->phase_count) return (mote_phase_def){0};
    return fluid->phases[phase].def;
}

uint32_t mote_fluid_phase_count(const mote_fluid *fluid)
{
    return fluid ? fluid->phase_count : 0;
}

double mote_fluid_phase_mass(const mote_fluid *fluid, uint32_t phase)
{
    return fluid && phase < fluid->phase_count ? fluid->phases[phase].mass : 0;
}

double mote_fluid_most_sound_speed(const mote_fluid *fluid)
{
    double most = fluid->phases[0].def.sound_speed;
    for (uint32_t k = 1; k < fluid->phase_count; ++k) most = MOTE_MAX(most, fluid->phases[k].def.sound_speed);
    return most;
}

// ------------------------------------------------------------------------------------------- neighbours of a phase

uint8_t mote_fluid_phase_of_record(const mote_fluid *fluid, uint32_t j)
{
    const size_t count = fluid->particles.count;
    const weak_image *images = fluid->weak.images.data;
    return mote_fluid_phase_numbers(fluid)[j < count ? j : images[j - count].source];
}

// A byte for each record. Those of images follow a copy of the particles'; where there are none, no copy is needed.
static const uint8_t *phases_of_records(const mote_fluid *fluid)
{
    return fluid->weak.image_count > 0 ? fluid->record_phases.data : mote_fluid_phase_numbers(fluid);
}

mote_result mote_fluid_number_records(mote_fluid *fluid)
{
    if (fluid->phase_count < 2 && fluid->tension_count == 0) return MOTE_OK;
    const size_t count = fluid->particles.count, image_count = fluid->weak.image_count;
    if (image_count == 0) return MOTE_OK;
    const weak_image *images = fluid->weak.images.data;
    const size_t bytes = count + image_count + PARTICLE_BEYOND;
    const mote_result result = mote_buffer_reserve(fluid->context, &fluid->record_phases, bytes, 0);
    if (result != MOTE_OK) return result;
    const uint8_t *phases = mote_fluid_phase_numbers(fluid);
    uint8_t *numbers = fluid->record_phases.data;
    if (count) memcpy(numbers, phases, count);
    for (size_t k = 0; k < image_count; ++k) numbers[count + k] = phases[images[k].source];
    memset(numbers + count + image_count, 0, PARTICLE_BEYOND);
    return MOTE_OK;
}

uint32_t mote_fluid_phases_in(const mote_fluid *fluid, fluid_row row)
{
    const uint8_t *numbers = phases_of_records(fluid);
    if (row.count == 0) return 0;
    const uint8_t first = numbers[row.indices[0]];
    if (fluid->state_lanes->all_of(numbers, row, first)) return 1u << first;
    if (fluid->phase_count == 2) return 3;
    uint32_t present = 0;
    for (uint32_t k = 0; k < row.count; ++k) present |= 1u << numbers[row.indices[k]];
    return present;
}

fluid_row mote_fluid_next_of_phase(const mote_fluid *fluid, fluid_row row, uint32_t phase, uint32_t *at,
                                   uint32_t *chunk)
{
    const uint32_t count = fluid->state_lanes->choose(phases_of_records(fluid), row, phase, at, FLUID_CHUNK, chunk);
    return (fluid_row){chunk, count};
}

fluid_row mote_fluid_next_part(const mote_fluid *fluid, fluid_row row, uint32_t present, uint32_t phase, uint32_t *at,
                               uint32_t *chunk)
{
    if (!(present >> phase & 1)) return (fluid_row){chunk, 0};
    if (present != 1u << phase || row.count > FLUID_CHUNK)
        return mote_fluid_next_of_phase(fluid, row, phase, at, chunk);
    const fluid_row rest = {row.indices + *at, row.count - *at};
    *at = row.count;
    return rest;
}
