// SPDX-License-Identifier: MIT
// Openings and drains of a fluid: they are added, their buffers filled and counted.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/internal.h"

// Of a mirrored place from the next particle, in spacings, where there is fluid: in a lattice it is 0.87 at most.
static const double next_to = 0.9;

mote_opening mote_opening_default(void)
{
    return (mote_opening){
        .face = {.normal = {NAN, NAN, NAN}, .radius = NAN, .width = NAN, .height = NAN, .up = {NAN, NAN, NAN}},
        .sets_velocity = true,
        .starts_full = true,
        .level = NAN,
        .cookie = MOTE_COOKIE};
}

mote_drain mote_drain_default(void)
{
    const mote_vec3 unset = {NAN, NAN, NAN};
    return (mote_drain){unset, unset, unset, NAN, unset, MOTE_COOKIE};
}

// ------------------------------------------------------------------------------------------------------- their buffers

// Marks the places of a buffer, layer by layer in each cell, whose mirrored place is next to a particle. Those are in
// the cells of places around the particle half a spacing apart: cells are two thirds of one wide at least.
static void mark_around(const open_end *end, double spacing, mote_vec3 particle, uint8_t *marks)
{
    const double reach = next_to * spacing;
    const open_place own = mote_open_face_place(&end->face, particle);
    if (own.in < 0 || own.in > end->depth + reach) return;
    const size_t first = (size_t)MOTE_MAX((own.in - reach) / end->pitch - 0.5, 0);
    const int rows = end->face.dimensions == 2 ? 0 : 2;
    for (int row = -rows; row <= rows; ++row)
        for (int k = -2; k <= 2; ++k) {
            const open_place around = {0, own.across + k * spacing / 2, own.up + row * spacing / 2};
            const size_t cell = mote_open_face_cell(&end->face, spacing, &around);
            mote_vec3 foot;
            if (!mote_open_face_column(&end->face, spacing, cell, &foot)) continue;
            for (size_t layer = first; layer < end->layers; ++layer) {
                const double in = ((double)layer + 0.5) * end->pitch;
                if (in > own.in + reach) break;
                const mote_vec3 way = mote_vec3_sub(mote_vec3_add_scaled(foot, end->face.normal, in), particle);
                if (mote_vec3_dot(way, way) < reach * reach) marks[cell * end->layers + layer] = 1;
            }
        }
}

static void mark_mirrored(const mote_fluid *fluid, const open_end *end, uint8_t *marks)
{
    memset(marks, 0, end->column_count * end->layers);
    for (size_t i = 0; i < mote_fluid_own_count(fluid); ++i)
        mark_around(end, fluid->def.spacing,
                    mote_vec3_make(mote_fluid_doubles(fluid, FLUID_X)[i], mote_fluid_doubles(fluid, FLUID_Y)[i],
                                   mote_fluid_doubles(fluid, FLUID_Z)[i]),
                    marks);
}

// Adds the particles of a buffer: the layers of each column up to the level, and where its mirrored places are in the
// fluid if it has to wait for that.
static mote_result fill(mote_fluid *fluid, uint32_t number)
{
    const open_end *end = fluid->open.ends[number];
    const size_t old = fluid->particles.count, places = end->column_count * end->layers;
    const size_t bytes = end->def.starts_full ? 0 : mote_bytes(end->column_count, end->layers);
    uint8_t *marks = bytes > 0 ? mote_allocate(fluid->context, bytes) : NULL;
    mote_result result = marks || bytes == 0 ? MOTE_OK : MOTE_ERROR_OUT_OF_MEMORY;
    if (result == MOTE_OK)
        result = mote_particles_reserve(&fluid->particles,
                                        old + mote_open_face_columns(&end->face, fluid->def.spacing) * end->layers);
    if (result == MOTE_OK && marks) mark_mirrored(fluid, end, marks);
    for (size_t k = 0; k < places && result == MOTE_OK; ++k) {
        mote_vec3 foot;
        if ((marks && !marks[k]) || !mote_open_face_column(&end->face, fluid->def.spacing, k / end->layers, &foot))
            continue;
        const double way = ((double)(k % end->layers) + 0.5) * end->pitch;
        const mote_vec3 at = mote_vec3_add_scaled(foot, end->face.normal, -way);
        const double r = mote_vec3_length(mote_vec3_sub(foot, end->face.center));
        if (at.z > mote_opening_level(&end->def, at, r)) continue;
        mote_particles_add(&fluid->particles, 1);  // there is room
        mote_fluid_place_in_buffer(fluid, number, fluid->particles.count - 1, at);
    }
    mote_release(fluid->context, marks, bytes);
    if (result == MOTE_OK) fluid->open.held += fluid->particles.count - old;
    fluid->evaluated = fluid->ordered = false;
    return result;
}

static void empty_buffers(mote_fluid *fluid)
{
    fluid->particles.count -= fluid->open.held;
    fluid->open.held = 0;
}

mote_result mote_fluid_refill_openings(mote_fluid *fluid, mote_error *error)
{
    empty_buffers(fluid);
    for (uint32_t k = 0; k < fluid->open.end_count; ++k) {
        memset(fluid->open.ends[k]->in, 0, sizeof fluid->open.ends[k]->in);
        memset(fluid->open.ends[k]->out, 0, sizeof fluid->open.ends[k]->out);
        if (fill(fluid, k) != MOTE_OK) return mote_fluid_out_of_memory(fluid, "buffers", error);
    }
    for (uint32_t k = 0; k < fluid->open.drain_count; ++k)
        memset(fluid->open.drains[k]->out, 0, sizeof fluid->open.drains[k]->out);
    return MOTE_OK;
}

// ---------------------------------------------------------------------------------------------------- adding openings

static mote_result check_opening(const mote_fluid *fluid, const mote_opening *def, mote_error *error)
{
    if (def->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "opening: the def was not made by mote_opening_default");
    const bool has_sums = fluid->def.density != MOTE_DENSITY_CONTINUITY;
    if (has_sums && (!def->sets_velocity || def->sets_pressure))
        return mote_fail(
            error, MOTE_ERROR_UNSUPPORTED, 0,
            "opening: %s, expected a velocity and nothing else, or density \"continuity\": densities by other means "
            "are noisy, and the noise would move the fluid",
            def->sets_velocity ? "a pressure" : "no velocity");
    if (mote_steps_have_middles(&fluid->def))
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0,
                         "opening: the fluid has steps \"individual_positions\", expected \"global\" or "
                         "\"individual\"");
    if (def->phase >= fluid->phase_count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "opening: no phase %u, expected one of mote_fluid_add_phase",
                         (unsigned)def->phase);
    if (fluid->open.end_count == MOTE_OPENINGS_MOST)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "opening: the fluid has %d already, expected at most as many",
                         MOTE_OPENINGS_MOST);
    if (!(def->velocity - def->velocity == 0) || !(def->pressure - def->pressure == 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "opening: velocity %g, pressure %g, expected finite numbers",
                         def->velocity, def->pressure);
    return MOTE_OK;
}

static void release_end(mote_fluid *fluid, open_end *end)
{
    mote_open_face_release(fluid->context, &end->face);
    mote_release(fluid->context, end->columns, end->column_count * sizeof *end->columns);
    mote_release(fluid->context, end, sizeof *end);
}

mote_result mote_fluid_add_opening(mote_fluid *fluid, const mote_opening *def, uint32_t *opening, mote_error *error)
{
    if (!fluid || !def || !opening) return mote_fail_null(error, "opening", fluid ? "an argument" : "the fluid");
    mote_result result = check_opening(fluid, def, error);
    if (result == MOTE_OK) result = mote_fluid_synchronise(fluid, error);
    if (result != MOTE_OK) return result;
    open_face face;
    result = mote_open_face_create(fluid->context, &def->face, fluid->def.dimensions, "opening", &face, error);
    if (result != MOTE_OK) return result;
    result = mote_open_face_check(&face, fluid->def.spacing, "opening", error);
    const mote_period_def *period = &fluid->period;
    if (result == MOTE_OK &&
        ((period->x && face.normal.x != 0) || (period->y && face.normal.y != 0) || (period->z && face.normal.z != 0)))
        result = mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                           "opening: normal is (%g, %g, %g), expected none along a periodic axis", def->face.normal.x,
                           def->face.normal.y, def->face.normal.z);
    if (result != MOTE_OK) {
        mote_open_face_release(fluid->context, &face);
        return result;
    }
    open_end *end = mote_allocate(fluid->context, sizeof *end);
    if (!end) {
        mote_open_face_release(fluid->context, &face);
        return mote_fluid_out_of_memory(fluid, "an opening beside those", error);
    }
    *end = (open_end){.def = *def, .face = face, .pitch = mote_open_face_pitch(&face, fluid->def.spacing)};
    end->layers = mote_open_face_layers(&face, fluid->def.spacing, fluid->def.support);
    end->depth = end->pitch * (double)end->layers;
    end->def.face.corners = (mote_corners){NULL, 0};
    end->column_count = mote_open_face_grid(&face, fluid->def.spacing);
    end->columns = mote_allocate(fluid->context, mote_bytes(end->column_count, sizeof *end->columns));
    if (!end->columns) {
        end->column_count = 0;
        release_end(fluid, end);
        return mote_fluid_out_of_memory(fluid, "the columns of an opening", error);
    }
    const uint32_t number = fluid->open.end_count++;
    fluid->open.ends[number] = end;
    result = fill(fluid, number);
    if (result != MOTE_OK) {
        fluid->open.ends[--fluid->open.end_count] = NULL;
        release_end(fluid, end);
        return mote_fluid_out_of_memory(fluid, "a buffer beside those", error);
    }
    if (fluid->open.end_count == 1 && mote_fluid_own_count(fluid) == 0 && fluid->wall_count == 0)
        fluid->origin = end->face.center;
    *opening = number;
    return MOTE_OK;
}

mote_result mote_fluid_add_drain(mote_fluid *fluid, const mote_drain *def, uint32_t *drain, mote_error *error)
{
    if (!fluid || !def || !drain) return mote_fail_null(error, "drain", fluid ? "an argument" : "the fluid");
    const bool is_box = !isnan(def->min.x), is_round = !isnan(def->center.x);
    if (def->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "drain: the def was not made by mote_drain_default");
    if (is_box == is_round)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "drain: min and center are %s set, expected one of them",
                         is_box ? "both" : "not");
    if (is_round && !(def->radius > 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "drain: radius is %g, expected a number above 0", def->radius);
    const bool is_flat = fluid->def.dimensions == 2;
    if (is_box && !(def->max.x > def->min.x && def->max.z > def->min.z && (is_flat || def->max.y > def->min.y)))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "drain: max is (%g, %g, %g), expected more than min, (%g, %g, %g)", def->max.x, def->max.y,
                         def->max.z, def->min.x, def->min.y, def->min.z);
    if (is_round && !isnan(def->normal.x) && !(mote_vec3_length_of_any(def->normal) > 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "drain: normal has the length 0, expected more");
    if (fluid->open.drain_count == MOTE_OPENINGS_MOST)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "drain: the fluid has %d already, expected at most as many",
                         MOTE_OPENINGS_MOST);
    open_drain *made = mote_allocate(fluid->context, sizeof *made);
    if (!made) return mote_fluid_out_of_memory(fluid, "a drain beside those", error);
    *made = (open_drain){.def = *def};
    if (!isnan(def->normal.x)) made->def.normal = mote_vec3_unit(def->normal);
    *drain = fluid->open.drain_count++;
    fluid->open.drains[*drain] = made;
    return MOTE_OK;
}

void mote_fluid_release_openings(mote_fluid *fluid)
{
    for (uint32_t k = 0; k < fluid->open.end_count; ++k) release_end(fluid, fluid->open.ends[k]);
    for (uint32_t k = 0; k < fluid->open.drain_count; ++k)
        mote_release(fluid->context, fluid->open.drains[k], sizeof(open_drain));
    mote_buffer_release(fluid->context, &fluid->open.mirrors);
    mote_buffer_release(fluid->context, &fluid->open.marks);
}

size_t mote_fluid_opening_bytes(const mote_fluid *fluid)
{
    const open_ends *open = &fluid->open;
    size_t bytes = open->mirrors.bytes + open->marks.bytes + open->drain_count * sizeof(open_drain);
    for (uint32_t k = 0; k < open->end_count; ++k)
        bytes += sizeof(open_end) + open->ends[k]->face.corner_count * 2 * sizeof(double) +
                 open->ends[k]->column_count * sizeof(open_column);
    return bytes;
}

// ---------------------------------------------------------------------------------------------------- as bytes, counts

enum { OF_PHASES = MOTE_PHASES_MOST * sizeof(uint64_t) };

size_t mote_fluid_opening_state_bytes(size_t ends, size_t drains)
{
    return (2 * ends + drains) * OF_PHASES;
}

bool mote_fluid_write_openings(const mote_fluid *fluid, mote_sink *sink, void *user_data, uint64_t *sum)
{
    const open_ends *open = &fluid->open;
    bool is_taken = true;
    for (size_t k = 0; k < 2 * (size_t)open->end_count + open->drain_count && is_taken; ++k) {
        const open_end *end = k < 2 * (size_t)open->end_count ? open->ends[k / 2] : NULL;
        const uint64_t *counts = !end ? open->drains[k - 2 * (size_t)open->end_count]->out : k % 2 ? end->out : end->in;
        *sum = mote_checksum(*sum, counts, OF_PHASES);
        is_taken = sink(user_data, counts, OF_PHASES);
    }
    return is_taken;
}

// Particles of other openings than there are cannot come from mote_fluid_write; they must not lead astray.
void mote_fluid_read_openings(mote_fluid *fluid, const char *bytes, size_t held)
{
    open_ends *open = &fluid->open;
    uint8_t *openings = mote_fluid_opening_numbers(fluid);
    open->held = open->end_count > 0 ? MOTE_MIN(held, fluid->particles.count) : 0;
    const size_t own = mote_fluid_own_count(fluid);
    for (size_t i = 0; i < own; ++i) openings[i] = 0;
    for (size_t i = own; i < fluid->particles.count; ++i)
        if (openings[i] == 0 || openings[i] > open->end_count) openings[i] = 1;
    for (uint32_t k = 0; k < open->end_count; ++k, bytes += 2 * OF_PHASES) {
        memcpy(open->ends[k]->in, bytes, OF_PHASES);
        memcpy(open->ends[k]->out, bytes + OF_PHASES, OF_PHASES);
    }
    for (uint32_t k = 0; k < open->drain_count; ++k, bytes += OF_PHASES) memcpy(open->drains[k]->out, bytes, OF_PHASES);
}

// Particles of another fluid's buffers are left out.
mote_result mote_fluid_take_openings(mote_fluid *fluid, size_t held, mote_error *error)
{
    fluid->particles.count -= MOTE_MIN(held, fluid->particles.count);
    fluid->open.held = 0;
    const size_t count = fluid->particles.count;
    if (count > 0) memset(mote_fluid_opening_numbers(fluid), 0, count);
    return mote_fluid_refill_openings(fluid, error);
}

mote_flow_count mote_fluid_opening_count(const mote_fluid *fluid, uint32_t opening)
{
    mote_flow_count count = {0};
    if (!fluid || opening >= fluid->open.end_count) return count;
    const open_end *end = fluid->open.ends[opening];
    for (uint32_t k = 0; k < fluid->phase_count; ++k) {
        count.in += end->in[k], count.out += end->out[k];
        count.mass_in += fluid->phases[k].mass * (double)end->in[k];
        count.mass_out += fluid->phases[k].mass * (double)end->out[k];
    }
    for (size_t i = mote_fluid_own_count(fluid); i < fluid->particles.count; ++i)
        count.buffered += mote_fluid_opening_numbers(fluid)[i] == opening + 1;
    return count;
}

mote_flow_count mote_fluid_drain_count(const mote_fluid *fluid, uint32_t drain)
{
    mote_flow_count count = {0};
    if (!fluid || drain >= fluid->open.drain_count) return count;
    for (uint32_t k = 0; k < fluid->phase_count; ++k) {
        count.out += fluid->open.drains[drain]->out[k];
        count.mass_out += fluid->phases[k].mass * (double)fluid->open.drains[drain]->out[k];
    }
    return count;
}
