// SPDX-License-Identifier: MIT
// The particles of the fluid and its walls near a place, copied: what people look at to see why a run failed.

#include <string.h>

#include "base/vector.h"
#include "fluid/peek.h"
#include "simulation/internal.h"

// The arrays of the copy, one behind the other in one block of memory.
typedef struct near_arrays {
    double *position, *volume;
    uint64_t *id;
    float *velocity, *acceleration, *density, *pressure;
    uint8_t *wall;
} near_arrays;

static bool is_near(mote_vec3 a, mote_vec3 place, double reach)
{
    const mote_vec3 apart = mote_vec3_sub(a, place);
    return mote_vec3_dot(apart, apart) <= reach * reach;
}

// Room for `count` particles, the wider numbers first. With `memory` NULL only the bytes are counted.
static size_t place_arrays(char *memory, size_t count, near_arrays *to)
{
    enum { WIDE = 3 + 1 + 1, NARROW = 3 + 3 + 1 + 1 };
    const size_t wide = WIDE * count * sizeof(double), narrow = NARROW * count * sizeof(float);
    if (memory) {
        to->position = (double *)memory;
        to->volume = to->position + 3 * count;
        to->id = (uint64_t *)(to->volume + count);
        to->velocity = (float *)(memory + wide);
        to->acceleration = to->velocity + 3 * count;
        to->density = to->acceleration + 3 * count;
        to->pressure = to->density + count;
        to->wall = (uint8_t *)(memory + wide + narrow);
    }
    return wide + narrow + count;
}

static void copy_particle(const mote_fluid_view *view, size_t i, double volume, near_arrays *to, size_t at)
{
    const double position[3] = {view->x[i], view->y[i], view->z[i]};
    const float velocity[3] = {view->vx[i], view->vy[i], view->vz[i]};
    const float acceleration[3] = {view->ax[i], view->ay[i], view->az[i]};
    memcpy(to->position + 3 * at, position, sizeof position);
    memcpy(to->velocity + 3 * at, velocity, sizeof velocity);
    memcpy(to->acceleration + 3 * at, acceleration, sizeof acceleration);
    to->id[at] = view->id[i];
    to->volume[at] = volume;
    to->density[at] = view->density[i];
    to->pressure[at] = view->pressure[i];
    to->wall[at] = 0;
}

// Copies the particles that are near, or only counts them if `to` is NULL.
static size_t copy_near(const mote_fluid *fluid, mote_vec3 place, double reach, near_arrays *to)
{
    const mote_fluid_view view = mote_fluid_peek(fluid);
    const double *walls, *volumes;
    size_t wall_count, count = 0;
    for (size_t i = 0; i < view.count; ++i) {
        if (!is_near(mote_vec3_make(view.x[i], view.y[i], view.z[i]), place, reach)) continue;
        if (to) copy_particle(&view, i, 1, to, count);
        ++count;
    }
    mote_fluid_get_walls(fluid, &walls, &volumes, &wall_count);
    for (size_t i = 0; i < wall_count; ++i) {
        const double *at = walls + 3 * i;
        if (!is_near(mote_vec3_make(at[0], at[1], at[2]), place, reach)) continue;
        if (to) {
            memcpy(to->position + 3 * count, at, 3 * sizeof *at);
            to->id[count] = i;
            to->volume[count] = volumes[i];
            to->wall[count] = 1;
        }
        ++count;
    }
    return count;
}

mote_result mote_simulation_get_surroundings(const mote_simulation *simulation, mote_vec3 place, double reach,
                                             mote_surroundings *surroundings, mote_error *error)
{
    if (!simulation || !surroundings)
        return mote_fail_null(error, "simulation", simulation ? "an argument" : "the object");
    *surroundings = (mote_surroundings){.context = simulation->context};
    const mote_fluid *fluid = mote_simulation_fluid((mote_simulation *)simulation);
    const size_t count = fluid ? copy_near(fluid, place, reach, NULL) : 0, bytes = place_arrays(NULL, count, NULL);
    if (count == 0) return MOTE_OK;
    near_arrays to;
    char *memory = mote_allocate(simulation->context, bytes);
    if (!memory) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "simulation: no memory for %zu particles", count);
    memset(memory, 0, bytes);
    place_arrays(memory, count, &to);
    copy_near(fluid, place, reach, &to);
    surroundings->count = count;
    surroundings->memory = memory, surroundings->bytes = bytes;
    mote_array arrays[] = {
        mote_array_tuples("position", MOTE_ARRAY_F64, to.position, 3),
        mote_array_scalars("id", MOTE_ARRAY_U64, to.id),
        mote_array_tuples("velocity", MOTE_ARRAY_F32, to.velocity, 3),
        mote_array_tuples("acceleration", MOTE_ARRAY_F32, to.acceleration, 3),
        mote_array_scalars("density", MOTE_ARRAY_F32, to.density),
        mote_array_scalars("pressure", MOTE_ARRAY_F32, to.pressure),
        mote_array_scalars("volume", MOTE_ARRAY_F64, to.volume),
        mote_array_scalars("wall", MOTE_ARRAY_U8, to.wall),
    };
    _Static_assert(sizeof arrays / sizeof *arrays <= MOTE_OBJECT_ARRAYS, "room for all");
    static const char *const units[] = {"m", "", "m/s", "m/s^2", "kg/m^3", "Pa", "", ""};
    surroundings->array_count = sizeof arrays / sizeof *arrays;
    for (size_t a = 0; a < surroundings->array_count; ++a) {
        arrays[a].unit = units[a];
        surroundings->arrays[a] = arrays[a];
    }
    return MOTE_OK;
}

void mote_surroundings_release(mote_surroundings *surroundings)
{
    if (!surroundings) return;
    mote_release(surroundings->context, surroundings->memory, surroundings->bytes);
    *surroundings = (mote_surroundings){0};
}
