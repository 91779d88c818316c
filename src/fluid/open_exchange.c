// SPDX-License-Identifier: MIT
// Who crosses a face in a step: particles of buffers come into the fluid, those of the fluid go into buffers, and some
// are gone, at the outer end of a buffer or in a drain.
//
// Where the velocity is prescribed, a column gets another particle, of the opening's phase, whenever the last one has
// gone a pitch from the outer end: what came back from the fluid goes back into it, and leads to no more. Elsewhere a
// particle that comes in is followed by one like it, but of the opening's phase, as far behind it as its column is
// long, if the next in its column is behind it and the column is not full without: behind a spray that comes back there
// is none.
//
// All of this goes through the particles one by one in their order, so that threads change nothing; they only look who
// is concerned.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/internal.h"

static const double next_in_column = 1.5;  // spacings or pitches, whichever is more
static const double same_place = 1e-6;     // pitches: rounding

static mote_vec3 place_of(const mote_fluid *fluid, size_t i)
{
    return mote_vec3_make(mote_fluid_doubles(fluid, FLUID_X)[i], mote_fluid_doubles(fluid, FLUID_Y)[i],
                          mote_fluid_doubles(fluid, FLUID_Z)[i]);
}

// The opening whose buffer a place is in, from 1 on; 0: none.
static uint8_t opening_at(const mote_fluid *fluid, mote_vec3 at)
{
    for (uint32_t k = 0; k < fluid->open.end_count; ++k) {
        const open_end *end = fluid->open.ends[k];
        const open_place place = mote_open_face_place(&end->face, at);
        if (place.in < 0 && place.in >= -end->depth && mote_open_face_covers(&end->face, &place))
            return (uint8_t)(k + 1);
    }
    return 0;
}

bool mote_fluid_is_guarded(const mote_fluid *fluid, size_t i, const double to[3])
{
    if (fluid->open.end_count == 0) return true;
    return i < mote_fluid_own_count(fluid) && opening_at(fluid, mote_vec3_make(to[0], to[1], to[2])) == 0;
}

static bool drains(const mote_fluid *fluid, const mote_drain *drain, mote_vec3 at)
{
    const bool is_flat = fluid->def.dimensions == 2;
    if (isnan(drain->center.x))
        return at.x >= drain->min.x && at.x <= drain->max.x && at.z >= drain->min.z && at.z <= drain->max.z &&
               (is_flat || (at.y >= drain->min.y && at.y <= drain->max.y));
    mote_vec3 way = mote_vec3_sub(at, drain->center);
    if (is_flat) way.y = 0;
    if (!isnan(drain->normal.x)) {
        const double along = mote_vec3_dot(way, drain->normal);
        if (fabs(along) > fluid->def.spacing / 2) return false;
        way = mote_vec3_add_scaled(way, drain->normal, -along);
    }
    return mote_vec3_dot(way, way) <= drain->radius * drain->radius;
}

static void mark_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    uint8_t *marks = fluid->open.marks.data;
    for (size_t i = begin; i < end; ++i) marks[i] = opening_at(fluid, place_of(fluid, i));
}

mote_result mote_fluid_reserve_exchange(mote_fluid *fluid, mote_error *error)
{
    open_ends *open = &fluid->open;
    size_t most = fluid->particles.count + open->held;
    if (open->end_count + open->drain_count == 0) return MOTE_OK;
    for (uint32_t k = 0; k < open->end_count; ++k) most += open->ends[k]->column_count;
    if (most > UINT32_MAX - 2) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "fluid: more than 2^32 - 2 particles");
    mote_result result = mote_buffer_reserve(fluid->context, &open->marks, most, 0);
    if (result == MOTE_OK) result = mote_particles_reserve(&fluid->particles, most);
    return result == MOTE_OK ? MOTE_OK : mote_fluid_out_of_memory(fluid, "what comes in", error);
}

static void note_in_column(open_end *end, size_t cell, double in, size_t i)
{
    open_column *column = &end->columns[cell];
    if (column->count == 0 || in > column->first) column->first = in;
    if (column->count == 0 || in < column->last) column->last = in, column->outer = (uint32_t)i;
    column->count += 1;
}

// Of all columns, those that are behind their face.
static void count_columns(mote_fluid *fluid)
{
    for (uint32_t k = 0; k < fluid->open.end_count; ++k)
        memset(fluid->open.ends[k]->columns, 0, fluid->open.ends[k]->column_count * sizeof(open_column));
    for (size_t i = mote_fluid_own_count(fluid); i < fluid->particles.count; ++i) {
        open_end *end = fluid->open.ends[mote_fluid_opening_numbers(fluid)[i] - 1];
        const open_place place = mote_open_face_place(&end->face, place_of(fluid, i));
        if (place.in < 0) note_in_column(end, mote_open_face_cell(&end->face, fluid->def.spacing, &place), place.in, i);
    }
}

void mote_fluid_place_in_buffer(mote_fluid *fluid, uint32_t number, size_t i, mote_vec3 at)
{
    mote_fluid_doubles(fluid, FLUID_X)[i] = at.x;
    mote_fluid_doubles(fluid, FLUID_Y)[i] = at.y;
    mote_fluid_doubles(fluid, FLUID_Z)[i] = at.z;
    // Buffers make the fluid's steps: with the span of the last one, steps that were alike still are (levels.c).
    if (mote_steps_are_used(&fluid->def)) mote_fluid_doubles(fluid, FLUID_SPAN)[i] = fluid->previous_dt;
    mote_fluid_phase_numbers(fluid)[i] = (uint8_t)fluid->open.ends[number]->def.phase;
    mote_fluid_set_excess(fluid, i, (double)mote_fluid_floats(fluid, FLUID_EXCESS)[i]);  // of the one that it is like
    mote_fluid_opening_numbers(fluid)[i] = (uint8_t)(number + 1);
}

// Adds a particle like another one to a buffer: there is room (mote_fluid_reserve_exchange).
static size_t add_like(mote_fluid *fluid, size_t i, mote_vec3 at)
{
    particle_store *store = &fluid->particles;
    mote_particles_add(store, 1);
    const size_t added = store->count - 1;
    for (size_t a = 1; a < store->field_count; ++a) {
        const size_t bytes = mote_particle_bytes(&store->fields[a]);
        char *array = store->arrays[a].data;
        memcpy(array + added * bytes, array + i * bytes, bytes);
    }
    mote_fluid_doubles(fluid, FLUID_X)[added] = at.x;
    mote_fluid_doubles(fluid, FLUID_Y)[added] = at.y;
    mote_fluid_doubles(fluid, FLUID_Z)[added] = at.z;
    fluid->open.held += 1;
    return added;
}

// Adds the particle that follows one that has come in.
static void follow(mote_fluid *fluid, size_t i)
{
    open_end *end = fluid->open.ends[mote_fluid_opening_numbers(fluid)[i] - 1];
    if (end->def.sets_velocity) return;  // feed
    const open_place place = mote_open_face_place(&end->face, place_of(fluid, i));
    const size_t cell = mote_open_face_cell(&end->face, fluid->def.spacing, &place);
    const open_column *column = &end->columns[cell];
    const double reach = next_in_column * MOTE_MAX(fluid->def.spacing, end->pitch);
    if (column->count == 0 || column->count >= end->layers || place.in - column->first >= reach) return;
    const uint32_t number = (uint32_t)(mote_fluid_opening_numbers(fluid)[i] - 1);
    const mote_vec3 at = mote_vec3_add_scaled(place_of(fluid, i), end->face.normal, -end->depth);
    const size_t added = add_like(fluid, i, at);
    if (mote_fluid_phase_numbers(fluid)[i] != end->def.phase) mote_fluid_place_in_buffer(fluid, number, added, at);
    note_in_column(end, cell, place.in - end->depth, added);
}

static double speed_along(const mote_fluid *fluid, const open_end *end, size_t i)
{
    const mote_vec3 v = {(double)mote_fluid_floats(fluid, FLUID_VX)[i], (double)mote_fluid_floats(fluid, FLUID_VY)[i],
                         (double)mote_fluid_floats(fluid, FLUID_VZ)[i]};
    return mote_vec3_dot(v, end->face.normal);
}

// Whether a column without particles begins anew, at the outer end: the fluid had left through it.
static bool begins(const open_end *end, mote_vec3 foot, mote_vec3 *at)
{
    const double r = mote_vec3_length(mote_vec3_sub(foot, end->face.center));
    if (!end->def.starts_full || foot.z > mote_opening_level(&end->def, foot, r)) return false;
    *at = mote_vec3_add_scaled(foot, end->face.normal, -end->depth);
    return (end->def.velocity_at ? end->def.velocity_at(end->def.user_data, *at, r) : end->def.velocity) > 0;
}

// Adds particles at the outer ends of a buffer whose velocity is prescribed, at most one to each column.
static void feed(mote_fluid *fluid, uint32_t number)
{
    const open_end *end = fluid->open.ends[number];
    for (size_t cell = 0; cell < end->column_count; ++cell) {
        const open_column *column = &end->columns[cell];
        mote_vec3 foot, at;
        if (!mote_open_face_column(&end->face, fluid->def.spacing, cell, &foot)) continue;
        if (column->count == 0) {
            if (!begins(end, foot, &at)) continue;
            mote_particles_add(&fluid->particles, 1);
            fluid->open.held += 1;
            mote_fluid_place_in_buffer(fluid, number, fluid->particles.count - 1, at);
            continue;
        }
        const bool has_room = column->last - end->pitch >= -end->depth - same_place * end->pitch;
        if (!has_room || !(speed_along(fluid, end, column->outer) > 0)) continue;
        at = mote_vec3_add_scaled(place_of(fluid, column->outer), end->face.normal, -end->pitch);
        mote_fluid_place_in_buffer(fluid, number, add_like(fluid, column->outer, at), at);
    }
}

// Those of the fluid, from the last one on: whoever takes the place of one has been seen.
static void take_leaving(mote_fluid *fluid, size_t own)
{
    const uint8_t *marks = fluid->open.marks.data;
    for (size_t i = own; i-- > 0;) {
        if (marks[i] == 0) continue;
        fluid->open.ends[marks[i] - 1]->out[mote_fluid_phase_numbers(fluid)[i]] += 1;
        mote_fluid_opening_numbers(fluid)[i] = marks[i];
        mote_fluid_swap_particles(fluid, i, mote_fluid_own_count(fluid) - 1);
        fluid->open.held += 1;
    }
}

// Those of buffers, `first` to `last` − 1 as they are before any of them comes in.
static void take_coming(mote_fluid *fluid, size_t first, size_t last)
{
    for (size_t i = first; i < last; ++i) {
        open_end *end = fluid->open.ends[mote_fluid_opening_numbers(fluid)[i] - 1];
        if (!(mote_open_face_place(&end->face, place_of(fluid, i)).in >= 0)) continue;
        follow(fluid, i);
        end->in[mote_fluid_phase_numbers(fluid)[i]] += 1;
        mote_fluid_opening_numbers(fluid)[i] = 0;
        mote_fluid_swap_particles(fluid, i, mote_fluid_own_count(fluid));
        fluid->open.held -= 1;
    }
}

mote_result mote_fluid_remove_own(mote_fluid *fluid, const bool *marked)
{
    const size_t own = mote_fluid_own_count(fluid), all = fluid->particles.count;
    if (own == all) {
        mote_particles_remove(&fluid->particles, marked);
        return MOTE_OK;
    }
    const mote_result result = mote_buffer_reserve(fluid->context, &fluid->open.marks, all, 0);
    if (result != MOTE_OK) return result;
    bool *marks = fluid->open.marks.data;
    if (own > 0) memcpy(marks, marked, own);
    memset(marks + own, 0, all - own);
    mote_particles_remove(&fluid->particles, marks);
    return MOTE_OK;
}

// Marks who is gone; true if anyone is.
static bool mark_gone(mote_fluid *fluid, bool *gone)
{
    const size_t own = mote_fluid_own_count(fluid);
    bool any = false;
    if (own > 0) memset(gone, 0, own);
    for (size_t i = 0; i < own && fluid->open.drain_count > 0; ++i) {
        const mote_vec3 at = place_of(fluid, i);
        for (uint32_t k = 0; k < fluid->open.drain_count && !gone[i]; ++k) {
            gone[i] = drains(fluid, &fluid->open.drains[k]->def, at);
            fluid->open.drains[k]->out[mote_fluid_phase_numbers(fluid)[i]] += gone[i];
        }
        any = any || gone[i];
    }
    for (size_t i = own; i < fluid->particles.count; ++i) {
        const open_end *end = fluid->open.ends[mote_fluid_opening_numbers(fluid)[i] - 1];
        gone[i] = mote_open_face_place(&end->face, place_of(fluid, i)).in < -end->depth - same_place * end->pitch;
        any = any || gone[i];
    }
    return any;
}

static void remove_gone(mote_fluid *fluid)
{
    bool *gone = fluid->open.marks.data;
    _Static_assert(sizeof(bool) == 1, "a byte for each mark");
    if (!mark_gone(fluid, gone)) return;
    size_t held = 0;
    for (size_t i = mote_fluid_own_count(fluid); i < fluid->particles.count; ++i) held += !gone[i];
    mote_particles_remove(&fluid->particles, gone);
    fluid->open.held = held;
}

void mote_fluid_exchange(mote_fluid *fluid)
{
    open_ends *open = &fluid->open;
    if (open->end_count + open->drain_count == 0) return;
    const size_t own = mote_fluid_own_count(fluid), all = fluid->particles.count;
    mote_parallel_for(fluid->context, own, FLUID_COPY_BLOCK, mark_block, fluid);
    count_columns(fluid);
    take_coming(fluid, own, all);
    take_leaving(fluid, own);
    remove_gone(fluid);
    count_columns(fluid);
    for (uint32_t k = 0; k < open->end_count; ++k)
        if (open->ends[k]->def.sets_velocity) feed(fluid, k);
}
