// SPDX-License-Identifier: MIT
// The fluid object: values derived from its def, its particles, and views of them.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/internal.h"
#include "fluid/wall_field.h"
#include "fluid/peek.h"

// ------------------------------------------------------------------------------------------- from the def on

static mote_result check_def(const mote_fluid_def *def, mote_error *error)
{
    if (def->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "fluid: the def was not made by mote_fluid_default_def");
    mote_result result = mote_fields_check(mote_fluid_fields(), def, error);
    if (result != MOTE_OK) return result;
    if (def->dimensions == 2 && def->gravity.y != 0)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "fluid: gravity has y = %g in 2D, expected 0", def->gravity.y);
    return MOTE_OK;
}

// The method's own name, which stays valid as long as the library; the name in the def may not.
static const char *lasting_name(const char *name)
{
    const mote_neighbors_method_info *info;
    for (size_t k = 0; name && (info = mote_neighbors_method_at(k)) != NULL; ++k)
        if (strcmp(info->name, name) == 0) return info->name;
    return name ? NULL : mote_neighbors_method_at(0)->name;
}

// Refuses a search method that there is not, and offers the nearest name.
static mote_result check_neighbors(const char *name, mote_error *error)
{
    enum { MOST = 32 };
    const char *names[MOST + 1] = {NULL};
    const mote_neighbors_method_info *info;
    for (size_t k = 0; k < MOST && (info = mote_neighbors_method_at(k)) != NULL; ++k) names[k] = info->name;
    if (!name || lasting_name(name)) return MOTE_OK;
    const char *nearest = mote_nearest_word(name, names);
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "fluid.neighbors is \"%.64s\", expected the name of a method%s%s%s",
                     name, nearest ? "; did you mean \"" : ", as \"", nearest ? nearest : names[0],
                     nearest ? "\"?" : "\"");
}

mote_result mote_fluid_create(mote_context *context, const mote_fluid_def *def, mote_fluid **fluid, mote_error *error)
{
    if (!def || !fluid) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "fluid: no def, or nowhere to put the fluid");
    mote_result result = check_def(def, error);
    if (result == MOTE_OK) result = check_neighbors(def->neighbors, error);
    if (result != MOTE_OK) return result;
    mote_fluid *made = mote_allocate(context, sizeof *made);
    if (!made) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "fluid: no memory for the fluid itself");
    memset(made, 0, sizeof *made);
    made->context = context;
    made->def = made->given = *def;
    made->phases[0].given = mote_phase_default_def();
    made->phases[0].given.sound_speed = 1;  // until there is a phase
    made->solver = mote_fluid_solver_of((size_t)def->solver);
    size_t fields = mote_steps_are_used(def) ? made->solver->level_field_count : made->solver->field_count;
    if (def->smagorinsky > 0) fields = MOTE_MAX(fields, made->solver->eddy_field_count);
    mote_particles_init(&made->particles, context, made->solver->fields, MOTE_MAX(fields, made->solver->field_count));
    result = mote_fluid_find_kernel(made, error);
    if (result == MOTE_OK) result = made->solver->resolve(made, error);
    mote_fluid_resolve_background(made);
    if (result == MOTE_OK) result = mote_fluid_create_boundaries(made, error);
    made->state_lanes = mote_state_lanes_of(mote_context_simd(context));
    made->field_lanes = mote_field_lanes_of(mote_context_simd(context));
    if (result == MOTE_OK) result = made->solver->create(made, error);
    if (result != MOTE_OK) {
        mote_fluid_destroy(made);
        return result;
    }
    made->def.neighbors = made->given.neighbors = lasting_name(def->neighbors);
    *fluid = made;
    return MOTE_OK;
}

// The buffers that all solvers use, besides particle arrays.
enum { COMMON_BUFFERS = 11 };

static void common_buffers(mote_fluid *fluid, mote_buffer *buffers[COMMON_BUFFERS])
{
    mote_buffer *all[COMMON_BUFFERS] = {
        &fluid->wall_positions, &fluid->wall_volumes, &fluid->wall_boundaries,
        &fluid->wall_records,   &fluid->boundaries,   &fluid->partial,
        &fluid->wall_homes,     &fluid->boundary_motions, &fluid->wall_samples,
        &fluid->wall_full_volumes, &fluid->record_phases,
    };
    memcpy(buffers, all, sizeof all);
}

void mote_fluid_destroy(mote_fluid *fluid)
{
    if (!fluid) return;
    fluid->solver->destroy(fluid);
    mote_buffer *buffers[COMMON_BUFFERS];
    common_buffers(fluid, buffers);
    for (int k = 0; k < COMMON_BUFFERS; ++k) mote_buffer_release(fluid->context, buffers[k]);
    mote_fluid_release_fields(fluid);
    mote_fluid_release_openings(fluid);
    mote_fluid_release_reactions(fluid);
    mote_steps_release(fluid);
    mote_particles_release(&fluid->particles);
    mote_release(fluid->context, fluid, sizeof *fluid);
}

mote_fluid_def mote_fluid_resolved_def(const mote_fluid *fluid)
{
    if (!fluid) return (mote_fluid_def){0};
    return fluid->def;
}

double mote_fluid_particle_mass(const mote_fluid *fluid)
{
    if (!fluid) return 0;
    return fluid->mass;
}

double mote_fluid_surface_gamma(const mote_fluid *fluid)
{
    if (!fluid) return 0;
    return fluid->surface_gamma;
}

// ------------------------------------------------------------------------------------------------- particles

static mote_result check_particles(mote_fluid *fluid, const double *values, const char *what, size_t count,
                                   mote_error *error)
{
    for (size_t i = 0; values && i < count; ++i) {
        const double *v = values + 3 * i;
        if (!(v[0] - v[0] == 0 && v[1] - v[1] == 0 && v[2] - v[2] == 0))
            return mote_fail(error, MOTE_ERROR_NOT_FINITE, i, "fluid: %s %zu is (%g, %g, %g), expected finite numbers",
                             what, i, v[0], v[1], v[2]);
    }
    if (count > UINT32_MAX - 2 - fluid->particles.count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "fluid: more than 2^32 - 2 particles");
    return MOTE_OK;
}

mote_result mote_fluid_add(mote_fluid *fluid, uint32_t phase, const double *positions, const double *velocities,
                           size_t count, mote_error *error)
{
    if (!fluid || (!positions && count)) return mote_fail_null(error, "fluid", fluid ? "an argument" : "the object");
    if (phase >= fluid->phase_count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "fluid: no phase %u, expected one of mote_fluid_add_phase",
                         (unsigned)phase);
    if (count == 0) return MOTE_OK;
    mote_result result = check_particles(fluid, positions, "position", count, error);
    if (result == MOTE_OK) result = check_particles(fluid, velocities, "velocity", count, error);
    if (result == MOTE_OK) result = mote_fluid_synchronise(fluid, error);
    if (result != MOTE_OK) return result;
    const size_t old = fluid->particles.count;
    if (mote_particles_reserve(&fluid->particles, old + count) != MOTE_OK)
        return mote_fluid_out_of_memory(fluid, "particle arrays", error);
    mote_fluid_set_origin(fluid, positions, count);
    mote_particles_add(&fluid->particles, count);  // there is room for them

    bool flat = fluid->def.dimensions == 2;
    for (size_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            bool zero = flat && k == 1;
            double speed = velocities ? velocities[3 * i + (size_t)k] : 0;
            mote_fluid_doubles(fluid, FLUID_X + k)[old + i] = zero ? 0 : positions[3 * i + (size_t)k];
            mote_fluid_floats(fluid, FLUID_VX + k)[old + i] = zero ? 0 : (float)speed;
        }
        mote_fluid_phase_numbers(fluid)[old + i] = (uint8_t)phase;
        mote_fluid_set_excess(fluid, old + i, 0);
    }
    mote_fluid_adopt_added(fluid, count);
    mote_fluid_resolve_background(fluid);
    fluid->evaluated = fluid->ordered = false;
    MOTE_VALIDATE(mote_fluid_validate(fluid, NULL) == MOTE_OK);
    return MOTE_OK;
}

mote_result mote_fluid_remove(mote_fluid *fluid, const bool *marked, mote_error *error)
{
    if (!fluid || (!marked && mote_fluid_own_count(fluid)))
        return mote_fail_null(error, "fluid", fluid ? "an argument" : "the object");
    mote_result result = mote_fluid_synchronise(fluid, error);
    if (result != MOTE_OK) return result;
    result = mote_fluid_remove_own(fluid, marked);
    if (result != MOTE_OK) return mote_fluid_out_of_memory(fluid, "the marks", error);
    fluid->evaluated = false;
    MOTE_VALIDATE(mote_fluid_validate(fluid, NULL) == MOTE_OK);
    return MOTE_OK;
}

mote_result mote_fluid_set_pressures(mote_fluid *fluid, const double *pressures, mote_error *error)
{
    if (!fluid || (!pressures && mote_fluid_own_count(fluid)))
        return mote_fail_null(error, "fluid", fluid ? "an argument" : "the object");
    if (fluid->def.density != MOTE_DENSITY_CONTINUITY)
        return mote_fail(error, MOTE_ERROR_STATE, 0,
                         "fluid: pressures follow from positions, expected density \"continuity\"");
    for (size_t i = 0; i < mote_fluid_own_count(fluid); ++i) {
        const double least = mote_fluid_least_pressure(fluid, &mote_fluid_phase_of(fluid, i)->def);
        if (!(pressures[i] >= least && pressures[i] < 1e30))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, i, "fluid: pressure %zu is %g, expected %g or more [Pa]", i,
                             pressures[i], least);
    }
    mote_result result = mote_fluid_synchronise(fluid, error);
    if (result != MOTE_OK) return result;
    for (size_t i = 0; i < mote_fluid_own_count(fluid); ++i)
        mote_fluid_set_excess(fluid, i, mote_fluid_excess_at(fluid, &mote_fluid_phase_of(fluid, i)->def, pressures[i]));
    fluid->evaluated = false;
    return MOTE_OK;
}

mote_fluid_view mote_fluid_peek(const mote_fluid *fluid)
{
    return (mote_fluid_view){
        .count = mote_fluid_own_count(fluid),
        .id = mote_fluid_ids(fluid),
        .x = mote_fluid_doubles(fluid, FLUID_X),
        .y = mote_fluid_doubles(fluid, FLUID_Y),
        .z = mote_fluid_doubles(fluid, FLUID_Z),
        .vx = mote_fluid_floats(fluid, FLUID_VX),
        .vy = mote_fluid_floats(fluid, FLUID_VY),
        .vz = mote_fluid_floats(fluid, FLUID_VZ),
        .density = mote_fluid_floats(fluid, FLUID_DENSITY),
        .pressure = mote_fluid_floats(fluid, FLUID_PRESSURE),
        .ax = mote_fluid_floats(fluid, FLUID_AX),
        .ay = mote_fluid_floats(fluid, FLUID_AY),
        .az = mote_fluid_floats(fluid, FLUID_AZ),
        .phase = mote_fluid_phase_numbers(fluid),
    };
}

mote_result mote_fluid_get_view(mote_fluid *fluid, mote_fluid_view *view, mote_error *error)
{
    if (!fluid || !view) return mote_fail_null(error, "fluid", fluid ? "an argument" : "the object");
    const mote_result result = mote_fluid_evaluate(fluid, error);
    if (result == MOTE_OK) *view = mote_fluid_peek(fluid);
    return result;
}

// ---------------------------------------------------------------------------------------------------- totals

mote_result mote_fluid_get_totals(mote_fluid *fluid, mote_fluid_totals *totals, mote_error *error)
{
    if (!fluid || !totals) return mote_fail_null(error, "fluid", fluid ? "an argument" : "the object");
    mote_fluid_view view;
    mote_result result = mote_fluid_get_view(fluid, &view, error);
    if (result != MOTE_OK) return result;
    mote_fluid_totals sum = {0};
    size_t counts[FLUID_PHASES] = {0};
    mote_vec3 g = fluid->def.gravity;
    for (size_t i = 0; i < view.count; ++i) {
        const fluid_phase *of = &fluid->phases[view.phase[i]];
        const double m = of->mass;
        mote_vec3 v = {(double)view.vx[i], (double)view.vy[i], (double)view.vz[i]};
        double speed_squared = mote_vec3_dot(v, v);
        double compression = (double)view.density[i] / of->def.rest_density - 1;
        counts[view.phase[i]] += 1;
        sum.kinetic_energy += 0.5 * m * speed_squared;
        sum.potential_energy -= m * mote_vec3_dot(g, mote_vec3_make(view.x[i], view.y[i], view.z[i]));
        sum.momentum = mote_vec3_add_scaled(sum.momentum, v, m);
        sum.max_speed = MOTE_MAX(sum.max_speed, speed_squared);
        sum.mean_compression += MOTE_MAX(compression, 0);
        sum.max_compression = MOTE_MAX(sum.max_compression, compression);
    }
    for (uint32_t k = 0; k < fluid->phase_count; ++k) sum.mass += fluid->phases[k].mass * (double)counts[k];
    sum.max_speed = sqrt(sum.max_speed);
    if (view.count) sum.mean_compression /= (double)view.count;
    *totals = sum;
    return MOTE_OK;
}

mote_fluid_counters mote_fluid_get_counters(const mote_fluid *fluid)
{
    if (!fluid) return (mote_fluid_counters){0};
    return fluid->counters;
}

size_t mote_fluid_byte_count(const mote_fluid *fluid)
{
    if (!fluid) return 0;
    size_t bytes = sizeof *fluid + fluid->solver->byte_count(fluid) + mote_fluid_reaction_bytes(fluid);
    mote_buffer *buffers[COMMON_BUFFERS];
    common_buffers((mote_fluid *)fluid, buffers);
    for (int k = 0; k < COMMON_BUFFERS; ++k) bytes += buffers[k]->bytes;
    bytes += mote_steps_byte_count(fluid) + mote_fluid_field_bytes(fluid) + mote_fluid_opening_bytes(fluid);
    return bytes + mote_particles_byte_count(&fluid->particles);
}

mote_result mote_fluid_validate(mote_fluid *fluid, mote_error *error)
{
    if (!fluid) return mote_fail_null(error, "fluid", "the object");
    mote_result result = mote_particles_validate(&fluid->particles, "fluid", error);
    const float *density = mote_fluid_floats(fluid, FLUID_DENSITY), *excess = mote_fluid_floats(fluid, FLUID_EXCESS);
    for (size_t i = 0; i < fluid->particles.count && result == MOTE_OK; ++i)
        if (!(density[i] > 0 && excess[i] > -1))
            return mote_fail(error, MOTE_ERROR_STATE, i, "fluid: particle %zu has density %g, which is %g times that "
                             "at rest", i, (double)density[i], 1 + (double)excess[i]);
    const uint8_t *phase = mote_fluid_phase_numbers(fluid);
    for (size_t i = 0; i < fluid->particles.count && result == MOTE_OK; ++i)
        if (phase[i] >= fluid->phase_count)
            return mote_fail(error, MOTE_ERROR_STATE, i, "fluid: particle %zu is of phase %u", i, (unsigned)phase[i]);
    if (result == MOTE_OK) result = mote_field_validate(fluid, error);
    if (result != MOTE_OK || !fluid->evaluated) return result;
    return fluid->solver->validate(fluid, error);
}
