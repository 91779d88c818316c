// SPDX-License-Identifier: MIT
// Boundaries that move: pistons, lids, solids. A boundary moves as a whole, without turning; where its wall particles
// are follows from where they were added and its present place, so that nothing adds up over many steps.
//
// A motion that is set between two steps holds at the end of the next one. Densities advance by the rate in the middle
// of a step (solver_weak.c), where a boundary is half way and has the velocity that its two places say.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/internal.h"

mote_boundary_motion mote_boundary_motion_default(void)
{
    return (mote_boundary_motion){.cookie = MOTE_COOKIE};
}

const fluid_boundary_motion *mote_fluid_motion_of(const mote_fluid *fluid, uint32_t boundary)
{
    return (const fluid_boundary_motion *)fluid->boundary_motions.data + boundary;
}

bool mote_fluid_has_moving_walls(const mote_fluid *fluid)
{
    for (uint32_t b = 0; b < fluid->boundary_count; ++b)
        if (mote_fluid_motion_of(fluid, b)->moves) return true;
    return false;
}

double mote_fluid_wall_speed(const mote_fluid *fluid)
{
    double greatest = 0;
    for (uint32_t b = 0; b < fluid->boundary_count; ++b) {
        const fluid_boundary_motion *motion = mote_fluid_motion_of(fluid, b);
        if (motion->moves) greatest = MOTE_MAX(greatest, mote_vec3_length(motion->now.velocity));
        if (motion->has_next) greatest = MOTE_MAX(greatest, mote_vec3_length(motion->next.velocity));
    }
    return greatest;
}

mote_result mote_fluid_keep_homes(mote_fluid *fluid, size_t room)
{
    const size_t bytes = mote_bytes(room, 3 * sizeof(double));
    const size_t used = fluid->has_homes ? fluid->wall_count * 3 * sizeof(double) : 0;
    const mote_result result = mote_buffer_reserve(fluid->context, &fluid->wall_homes, bytes, used);
    if (result != MOTE_OK || fluid->has_homes) return result;
    if (fluid->wall_count > 0)
        memcpy(fluid->wall_homes.data, fluid->wall_positions.data, fluid->wall_count * 3 * sizeof(double));
    fluid->has_homes = true;
    return MOTE_OK;
}

// Puts the wall particles of all boundaries that move where they belong.
static void place_walls(mote_fluid *fluid)
{
    const uint32_t *boundaries = fluid->wall_boundaries.data;
    const double *homes = fluid->wall_homes.data;
    double *positions = fluid->wall_positions.data;
    for (size_t i = 0; i < fluid->wall_count; ++i) {
        const fluid_boundary_motion *motion = mote_fluid_motion_of(fluid, boundaries[i]);
        if (!motion->moves) continue;
        positions[3 * i] = homes[3 * i] + motion->now.place.x;
        positions[3 * i + 1] = homes[3 * i + 1] + motion->now.place.y;
        positions[3 * i + 2] = homes[3 * i + 2] + motion->now.place.z;
        mote_fluid_wrap_place(fluid, positions + 3 * i);
    }
    fluid->solver->walls_moved(fluid);
}

void mote_fluid_move_walls(mote_fluid *fluid, double dt)
{
    bool any = false;
    for (uint32_t b = 0; b < fluid->boundary_count; ++b) {
        fluid_boundary_motion *motion = (fluid_boundary_motion *)fluid->boundary_motions.data + b;
        if (!motion->moves) continue;
        any = true;
        if (!motion->has_next) {
            motion->next = mote_boundary_motion_default();
            motion->next.place = motion->now.place;
        }
        const mote_vec3 way = mote_vec3_sub(motion->next.place, motion->now.place);
        motion->back = mote_vec3_scale(way, -0.5);
        motion->middle_velocity = mote_vec3_scale(way, 1 / dt);
        motion->now = motion->next;
        motion->has_next = false;
    }
    if (any) place_walls(fluid);
}

static bool is_finite(mote_vec3 v)
{
    return v.x - v.x == 0 && v.y - v.y == 0 && v.z - v.z == 0;
}

static mote_result check_motion(const mote_fluid *fluid, uint32_t boundary, const mote_boundary_motion *motion,
                                mote_error *error)
{
    if (motion->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "fluid: the motion was not made by "
                         "mote_boundary_motion_default");
    if (boundary >= fluid->boundary_count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, boundary, "fluid: boundary %u, expected one below %u", boundary,
                         fluid->boundary_count);
    if (!fluid->solver->walls_moved)
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, boundary,
                         "fluid: walls that move need the solver \"weak\" (preset engineering)");
    const mote_vec3 values[3] = {motion->place, motion->velocity, motion->acceleration};
    const char *const names[3] = {"place", "velocity", "acceleration"};
    for (int k = 0; k < 3; ++k) {
        const mote_vec3 v = values[k];
        if (!is_finite(v))
            return mote_fail(error, MOTE_ERROR_NOT_FINITE, boundary,
                             "fluid: the %s of boundary %u is (%g, %g, %g), expected finite numbers", names[k],
                             boundary, v.x, v.y, v.z);
        if (fluid->def.dimensions == 2 && v.y != 0)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, boundary,
                             "fluid: the %s of boundary %u has y = %g in 2D, expected 0", names[k], boundary, v.y);
    }
    return MOTE_OK;
}

mote_result mote_fluid_set_boundary_motion(mote_fluid *fluid, uint32_t boundary, const mote_boundary_motion *motion,
                                           mote_error *error)
{
    if (!fluid || !motion) return mote_fail_null(error, "fluid", fluid ? "an argument" : "the object");
    mote_result result = check_motion(fluid, boundary, motion, error);
    if (result == MOTE_OK && motion->at_once) result = mote_fluid_synchronise(fluid, error);
    if (result != MOTE_OK) return result;
    if (mote_fluid_keep_homes(fluid, fluid->wall_count) != MOTE_OK)
        return mote_fluid_out_of_memory(fluid, "walls that move", error);
    fluid_boundary_motion *own = (fluid_boundary_motion *)fluid->boundary_motions.data + boundary;
    if (!own->moves) fluid->solver->forget_walls(fluid);  // they change to the set of those that move
    own->moves = true;
    own->next = *motion;
    own->has_next = !motion->at_once;
    if (own->has_next) return MOTE_OK;
    own->now = *motion;
    own->back = own->middle_velocity = mote_vec3_make(0, 0, 0);
    place_walls(fluid);
    fluid->evaluated = false;
    return MOTE_OK;
}

mote_vec3 mote_fluid_wall_velocity(const mote_fluid *fluid, uint32_t boundary)
{
    const mote_boundary_def *def = (const mote_boundary_def *)fluid->boundaries.data + boundary;
    return mote_vec3_add(def->velocity, mote_fluid_motion_of(fluid, boundary)->now.velocity);
}

void mote_fluid_restore_motions(mote_fluid *fluid, const void *motions)
{
    memcpy(fluid->boundary_motions.data, motions, fluid->boundary_count * sizeof(fluid_boundary_motion));
    place_walls(fluid);
}
