// SPDX-License-Identifier: MIT
// Who crosses a face in a step: particles of buffers come into the fluid, those of the fluid go into buffers, and some
// are gone, at the outer end of a buffer or in a drain.
//
// A particle that comes in is followed by another one as far behind it as its column is long. In a column that is not
// full, as behind a spray that comes back, there is none to follow it unless the velocity is prescribed. All of this
// goes through the particles one by one in their order, so that threads change nothing; they only look who is
// concerned.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/internal.h"

static const double next_in_column = 1.5;  // spacings

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
    const size_t most = fluid->particles.count + open->held;
    if (open->end_count + open->drain_count == 0) return MOTE_OK;
    if (most > UINT32_MAX - 2) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "fluid: more than 2^32 - 2 particles");
    mote_result result = mote_buffer_reserve(fluid->context, &open->marks, most, 0);
    if (result == MOTE_OK) result = mote_particles_reserve(&fluid->particles, most);
    return result == MOTE_OK ? MOTE_OK : mote_fluid_out_of_memory(fluid, "what comes in", error);
}

static bool has_next_in_column(const mote_fluid *fluid, const open_end *end, mote_vec3 at, size_t itself)
{
    const double reach = next_in_column * fluid->def.spacing;
    for (size_t j = mote_fluid_own_count(fluid); j < fluid->particles.count; ++j) {
        const mote_vec3 way = mote_vec3_sub(place_of(fluid, j), at);
        if (j != itself && mote_vec3_dot(way, way) < reach * reach && mote_vec3_dot(way, end->face.normal) > 0)
            return true;
    }
    return false;
}

// Adds the particle that follows one that has come in.
static void follow(mote_fluid *fluid, size_t i)
{
    particle_store *store = &fluid->particles;
    const open_end *end = fluid->open.ends[mote_fluid_opening_numbers(fluid)[i] - 1];
    const mote_vec3 at = mote_vec3_add_scaled(place_of(fluid, i), end->face.normal, -end->depth);
    if (!end->def.sets_velocity && !has_next_in_column(fluid, end, at, i)) return;
    mote_particles_add(store, 1);  // there is room: mote_fluid_reserve_exchange
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
    memset(gone, 0, own);
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
        gone[i] = mote_open_face_place(&end->face, place_of(fluid, i)).in < -end->depth - 1e-6 * end->pitch;
        any = any || gone[i];
    }
    return any;
}

void mote_fluid_exchange(mote_fluid *fluid)
{
    open_ends *open = &fluid->open;
    if (open->end_count + open->drain_count == 0) return;
    const size_t own = mote_fluid_own_count(fluid), all = fluid->particles.count;
    mote_parallel_for(fluid->context, own, FLUID_COPY_BLOCK, mark_block, fluid);
    take_coming(fluid, own, all);
    take_leaving(fluid, own);
    bool *gone = open->marks.data;
    _Static_assert(sizeof(bool) == 1, "a byte for each mark");
    if (!mark_gone(fluid, gone)) return;
    size_t held = 0;
    for (size_t i = mote_fluid_own_count(fluid); i < fluid->particles.count; ++i) held += !gone[i];
    mote_particles_remove(&fluid->particles, gone);
    open->held = held;
}
