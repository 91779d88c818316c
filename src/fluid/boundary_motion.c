// SPDX-License-Identifier: MIT
// Boundaries that move: pistons, lids, solids. A boundary moves as a rigid body; where its wall particles are follows
// from where they were added and its present pose, so that nothing adds up over many steps.
//
// A motion that is set between two steps holds at the end of the next one. Densities advance by the rate in the middle
// of a step (solver_weak.c), where a wall particle is half way and has the velocity that its two places say.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/internal.h"
#include "fluid/wall_field.h"

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

static double greatest_speed(const mote_boundary_motion *motion, double reach)
{
    const double speed = mote_vec3_length(motion->velocity), spin = mote_vec3_length(motion->spin);
    return spin > 0 ? speed + spin * reach : speed;
}

double mote_fluid_wall_speed(const mote_fluid *fluid)
{
    double greatest = 0;
    for (uint32_t b = 0; b < fluid->boundary_count; ++b) {
        const fluid_boundary_motion *motion = mote_fluid_motion_of(fluid, b);
        if (motion->moves) greatest = MOTE_MAX(greatest, greatest_speed(&motion->now, motion->reach));
        if (motion->has_next) greatest = MOTE_MAX(greatest, greatest_speed(&motion->next, motion->reach));
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

static mote_vec3 vector_at(const double *at)
{
    return mote_vec3_make(at[0], at[1], at[2]);
}

// How far walls that are fields reach from the centers about which they turn.
static void find_reach_of_fields(mote_fluid *fluid)
{
    for (uint32_t k = 0; k < fluid->field_count; ++k) {
        const wall_field *field = (const wall_field *)fluid->fields.data + k;
        fluid_boundary_motion *motion = (fluid_boundary_motion *)fluid->boundary_motions.data + field->boundary;
        const mote_box box = field->box;
        const mote_vec3 c = motion->pose.center;
        const mote_vec3 arm = {MOTE_MAX(fabs(box.min.x - c.x), fabs(box.max.x - c.x)),
                               field->is_flat ? 0 : MOTE_MAX(fabs(box.min.y - c.y), fabs(box.max.y - c.y)),
                               MOTE_MAX(fabs(box.min.z - c.z), fabs(box.max.z - c.z))};
        if (motion->pose.turns) motion->reach = MOTE_MAX(motion->reach, mote_vec3_length(arm));
    }
}

static void find_shares(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    const uint32_t *boundaries = fluid->wall_boundaries.data;
    const double *positions = fluid->wall_positions.data, *full = fluid->wall_full_volumes.data;
    double *volumes = fluid->wall_volumes.data;
    for (size_t i = begin; i < end; ++i)
        volumes[i] = full[i] * fluid->share(fluid->share_data, boundaries[i], vector_at(positions + 3 * i));
}

mote_result mote_fluid_share_walls(mote_fluid *fluid, mote_wall_share *share, const void *user_data, mote_error *error)
{
    const size_t bytes = mote_bytes(fluid->wall_count, sizeof(double));
    if (mote_buffer_reserve(fluid->context, &fluid->wall_full_volumes, bytes, 0) != MOTE_OK)
        return mote_fluid_out_of_memory(fluid, "walls that move", error);
    if (bytes > 0) memcpy(fluid->wall_full_volumes.data, fluid->wall_volumes.data, bytes);
    fluid->share = share, fluid->share_data = user_data, fluid->shared_count = fluid->wall_count;
    return MOTE_OK;
}

// Puts the wall particles of all boundaries that move where they belong.
static void place_walls(mote_fluid *fluid)
{
    const uint32_t *boundaries = fluid->wall_boundaries.data;
    const double *homes = fluid->wall_homes.data;
    double *positions = fluid->wall_positions.data;
    for (size_t i = 0; i < fluid->wall_count; ++i) {
        fluid_boundary_motion *motion = (fluid_boundary_motion *)fluid->boundary_motions.data + boundaries[i];
        if (!motion->moves) continue;
        const mote_vec3 home = vector_at(homes + 3 * i), at = mote_rigid_from_home(&motion->pose, home);
        positions[3 * i] = at.x;
        positions[3 * i + 1] = at.y;
        positions[3 * i + 2] = at.z;
        if (motion->pose.turns) {
            const double arm = mote_vec3_length(mote_vec3_sub(home, motion->pose.center));
            motion->reach = MOTE_MAX(motion->reach, arm);
        }
        mote_fluid_wrap_place(fluid, positions + 3 * i);
    }
    find_reach_of_fields(fluid);
    if (fluid->share) mote_parallel_for(fluid->context, fluid->shared_count, FLUID_BLOCK, find_shares, fluid);
    fluid->solver->walls_moved(fluid);
}

// Calls a function for each boundary that moves; places walls if there are any.
typedef void motion_change(fluid_boundary_motion *motion, double value);

static void change_motions(mote_fluid *fluid, motion_change *change, double value, bool places)
{
    bool any = false;
    for (uint32_t b = 0; b < fluid->boundary_count; ++b) {
        fluid_boundary_motion *motion = (fluid_boundary_motion *)fluid->boundary_motions.data + b;
        if (motion->moves) change(motion, value);
        any = any || motion->moves;
    }
    if (any && places) place_walls(fluid);
}

// Where it is, at rest.
static mote_boundary_motion rest_of(const mote_boundary_motion *motion)
{
    mote_boundary_motion rest = mote_boundary_motion_default();
    rest.place = motion->place;
    rest.center = motion->center;
    rest.rotation = motion->rotation;
    return rest;
}

static void begin(fluid_boundary_motion *motion, double dt)
{
    if (!motion->has_next) motion->next = rest_of(&motion->now);
    motion->first = motion->has_next ? motion->now : motion->next;
    motion->last = motion->next;
    motion->length = dt;
}

static void end(fluid_boundary_motion *motion, double unused)
{
    (void)unused;
    motion->before = mote_rigid_pose_of(&motion->first);
    motion->belt_before = motion->first.belt;
    motion->now = motion->last;
    motion->pose = mote_rigid_pose_of(&motion->now);
    motion->step = motion->length;
    motion->has_next = false;
}

void mote_fluid_begin_motions(mote_fluid *fluid, double dt)
{
    change_motions(fluid, begin, dt, false);
}

void mote_fluid_end_motions(mote_fluid *fluid)
{
    change_motions(fluid, end, 0, true);
}

void mote_fluid_move_walls(mote_fluid *fluid, double dt)
{
    mote_fluid_begin_motions(fluid, dt);
    mote_fluid_end_motions(fluid);
}

// ------------------------------------------------------------------------------------------------------ within a step

// A vector between two ends with derivatives, by Hermite's cubic in the share s of the step's length.
typedef struct motion_curve {
    double of_first, of_first_rate, of_last, of_last_rate;
} motion_curve;

static mote_vec3 along(const motion_curve *curve, mote_vec3 first, mote_vec3 first_rate, mote_vec3 last,
                       mote_vec3 last_rate)
{
    const mote_vec3 a = mote_vec3_add_scaled(mote_vec3_scale(first, curve->of_first), first_rate, curve->of_first_rate);
    return mote_vec3_add_scaled(mote_vec3_add_scaled(a, last, curve->of_last), last_rate, curve->of_last_rate);
}

static mote_vec3 mix(mote_vec3 first, mote_vec3 last, double s)
{
    return mote_vec3_add_scaled(mote_vec3_scale(first, 1 - s), last, s);
}

// Whether it turns about one axis: only then the spin is the derivative of the rotation.
static bool has_axis(const mote_boundary_motion *first, const mote_boundary_motion *last)
{
    const mote_vec3 all[4] = {first->rotation, first->spin, last->rotation, last->spin};
    for (int k = 0; k < 4; ++k)
        for (int n = 0; n < k; ++n) {
            const double most = mote_vec3_length(all[k]) * mote_vec3_length(all[n]);
            if (mote_vec3_length(mote_vec3_cross(all[k], all[n])) > 1e-6 * most) return false;
        }
    return true;
}

static mote_boundary_motion motion_at(const fluid_boundary_motion *of, double s)
{
    const mote_boundary_motion *a = &of->first, *b = &of->last;
    const double t = 1 - s, dt = of->length;
    if (s <= 0 || !(dt > 0)) return *a;
    if (s >= 1) return *b;
    const motion_curve place = {(1 + 2 * s) * t * t, s * t * t * dt, s * s * (3 - 2 * s), -s * s * t * dt};
    const motion_curve rate = {-6 * s * t / dt, t * (1 - 3 * s), 6 * s * t / dt, s * (3 * s - 2)};
    const bool turns_evenly = has_axis(a, b);
    mote_boundary_motion at = *b;
    at.place = along(&place, a->place, a->velocity, b->place, b->velocity);
    at.velocity = along(&rate, a->place, a->velocity, b->place, b->velocity);
    at.acceleration = mix(a->acceleration, b->acceleration, s);
    at.rotation = turns_evenly ? along(&place, a->rotation, a->spin, b->rotation, b->spin)
                               : mix(a->rotation, b->rotation, s);
    at.spin = turns_evenly ? along(&rate, a->rotation, a->spin, b->rotation, b->spin) : mix(a->spin, b->spin, s);
    at.spin_rate = mix(a->spin_rate, b->spin_rate, s);
    at.belt = mix(a->belt, b->belt, s);
    return at;
}

static void place_at(fluid_boundary_motion *motion, double share)
{
    motion->now = motion_at(motion, share);
    motion->pose = mote_rigid_pose_of(&motion->now);
}

void mote_fluid_place_motions(mote_fluid *fluid, double share)
{
    change_motions(fluid, place_at, share, true);
}

void mote_fluid_choose_span(mote_fluid *fluid, double share, double span)
{
    for (uint32_t b = 0; b < fluid->boundary_count; ++b) {
        fluid_boundary_motion *motion = (fluid_boundary_motion *)fluid->boundary_motions.data + b;
        if (!motion->moves) continue;
        const bool has_gone = motion->length > 0;
        const mote_boundary_motion then = has_gone ? motion_at(motion, share - span / motion->length) : motion->now;
        motion->before = mote_rigid_pose_of(&then);
        motion->belt_before = then.belt;
        motion->step = has_gone ? span : 0;
    }
}

// ------------------------------------------------------------------------------------------------------------- motions

static bool is_finite(mote_vec3 v)
{
    return v.x - v.x == 0 && v.y - v.y == 0 && v.z - v.z == 0;
}

// Refuses a vector of a motion that is not finite or, in 2D, does not keep to the plane: boundaries move along x and
// z, and turn about y.
static mote_result check_vector(uint32_t boundary, const char *name, mote_vec3 v, bool is_shift, bool is_turn,
                                mote_error *error)
{
    if (!is_finite(v))
        return mote_fail(error, MOTE_ERROR_NOT_FINITE, boundary,
                         "fluid: the %s of boundary %u is (%g, %g, %g), expected finite numbers", name, boundary, v.x,
                         v.y, v.z);
    if (is_shift && v.y != 0)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, boundary,
                         "fluid: the %s of boundary %u has y = %g in 2D, expected 0", name, boundary, v.y);
    if (is_turn && (v.x != 0 || v.z != 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, boundary,
                         "fluid: the %s of boundary %u is (%g, %g, %g) in 2D, expected one along y", name, boundary,
                         v.x, v.y, v.z);
    return MOTE_OK;
}

static mote_result check_motion(const mote_fluid *fluid, uint32_t boundary, const mote_boundary_motion *motion,
                                mote_error *error)
{
    if (motion->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "fluid: the motion was not made by "
                         "mote_boundary_motion_default");
    if (boundary >= fluid->boundary_count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, boundary, "fluid: boundary %u, expected one below %u", boundary,
                         fluid->boundary_count);
    if (!fluid->solver->walls_moved)
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, boundary,
                         "fluid: walls that move need the solver \"weak\" (preset engineering)");
    const bool is_flat = fluid->def.dimensions == 2;
    const struct {
        const char *name;
        mote_vec3 value;
        bool is_shift, is_turn;  // the center is neither
    } all[] = {
        {"place", motion->place, true, false},
        {"velocity", motion->velocity, true, false},
        {"acceleration", motion->acceleration, true, false},
        {"center", motion->center, false, false},
        {"rotation", motion->rotation, false, true},
        {"spin", motion->spin, false, true},
        {"spin rate", motion->spin_rate, false, true},
        {"belt", motion->belt, true, false},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        const mote_result result = check_vector(boundary, all[k].name, all[k].value, is_flat && all[k].is_shift,
                                                is_flat && all[k].is_turn, error);
        if (result != MOTE_OK) return result;
    }
    const bool turns = mote_vec3_length(motion->rotation) > 0 || mote_vec3_length(motion->spin) > 0;
    if (turns && (fluid->period.x || fluid->period.y || fluid->period.z))
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, boundary,
                         "fluid: boundary %u turns in a periodic box, expected one that only shifts", boundary);
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
    own->pose = own->before = mote_rigid_pose_of(motion);
    own->belt_before = motion->belt;
    own->step = own->length = 0;
    place_walls(fluid);
    fluid->evaluated = false;
    return MOTE_OK;
}

static uint32_t boundary_of(const mote_fluid *fluid, uint32_t wall)
{
    return ((const uint32_t *)fluid->wall_boundaries.data)[wall];
}

mote_vec3 mote_fluid_wall_velocity(const mote_fluid *fluid, uint32_t wall)
{
    const uint32_t boundary = boundary_of(fluid, wall);
    const mote_boundary_def *def = (const mote_boundary_def *)fluid->boundaries.data + boundary;
    const mote_vec3 at = vector_at((const double *)fluid->wall_positions.data + 3 * (size_t)wall);
    return mote_vec3_add(def->velocity, mote_rigid_velocity(&mote_fluid_motion_of(fluid, boundary)->now, at));
}

mote_vec3 mote_fluid_wall_acceleration(const mote_fluid *fluid, uint32_t wall)
{
    const mote_vec3 at = vector_at((const double *)fluid->wall_positions.data + 3 * (size_t)wall);
    return mote_rigid_acceleration(&mote_fluid_motion_of(fluid, boundary_of(fluid, wall))->now, at);
}

mote_vec3 mote_fluid_middle_belt(const fluid_boundary_motion *motion)
{
    return mote_vec3_scale(mote_vec3_add(motion->belt_before, motion->now.belt), 0.5);
}

void mote_fluid_wall_middle(const mote_fluid *fluid, uint32_t wall, mote_vec3 *back, mote_vec3 *velocity)
{
    const uint32_t boundary = boundary_of(fluid, wall);
    const mote_boundary_def *def = (const mote_boundary_def *)fluid->boundaries.data + boundary;
    const fluid_boundary_motion *motion = mote_fluid_motion_of(fluid, boundary);
    mote_vec3 way = mote_vec3_sub(motion->pose.place, motion->before.place);
    if (motion->pose.turns || motion->before.turns) {
        const mote_vec3 home = vector_at((const double *)fluid->wall_homes.data + 3 * (size_t)wall);
        way = mote_vec3_sub(mote_rigid_from_home(&motion->pose, home), mote_rigid_from_home(&motion->before, home));
    }
    *back = mote_vec3_scale(way, -0.5);
    *velocity = mote_vec3_add(def->velocity, mote_fluid_middle_belt(motion));
    if (motion->step > 0) *velocity = mote_vec3_add_scaled(*velocity, way, 1 / motion->step);
}

void mote_fluid_restore_motions(mote_fluid *fluid, const void *motions)
{
    const size_t bytes = fluid->boundary_count * sizeof(fluid_boundary_motion);
    if (bytes > 0) memcpy(fluid->boundary_motions.data, motions, bytes);
    place_walls(fluid);
}
