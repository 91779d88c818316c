// SPDX-License-Identifier: MIT
// A particle of a fluid that moves near a solid: it keeps a margin from the surface, slides, bounces and is slowed
// by friction.
//
// The motion is divided into pieces that are shorter than the particle's clearance (its distance from the surface),
// so no piece can cross the surface. Where the clearance is larger than the margin, a piece may be as long as the
// difference; otherwise it is half the margin, or half the clearance if that is less. A particle that comes nearer
// than the margin is moved along the gradient of the distance until it is not; in a concave corner that takes
// several corrections. A correction is never longer than the clearance either, so it does not reach another sheet of
// the surface.

#include "hits/closest.h"
#include "response/internal.h"

// Corrections at one place, and pieces of one motion. Beyond these limits the particle stops: it loses its motion,
// not its side.
enum { MAX_CORRECTIONS = 16, MAX_PIECES = 4096 };

// Lengths are internal.
typedef struct slide_walk {
    const mote_hits *hits;
    double margin, reach;
    response_law law;
    mote_vec3 position, velocity;
    mote_vec3 rest;    // remaining motion
    double clearance;  // signed; a lower bound if the surface is out of reach
} slide_walk;

static bool look_around(const slide_walk *walk, mote_vec3 position, double *clearance, mote_closest *closest)
{
    const double at_least = mote_hits_clearance(walk->hits, position);
    if (mote_hits_is_out_of_range(walk->hits, position)) {  // too far for a closest-point query
        *clearance = at_least * (1 - 0x1p-40);
        return false;
    }
    if (mote_hits_find_closest(walk->hits, position, walk->reach, closest)) {
        *clearance = closest->distance;
        return true;
    }
    *clearance = MOTE_MAX(at_least, walk->reach);
    return false;
}

// Removes the normal component from the velocity and the remaining motion, except for the restitution, and slows the
// tangential component by Coulomb's law for the impulse.
static void collide(slide_walk *walk, mote_vec3 normal)
{
    const double inward = mote_vec3_dot(walk->velocity, normal), restitution = walk->law.restitution;
    double keeps = 1;
    if (inward < 0) {
        const mote_vec3 along = mote_vec3_add_scaled(walk->velocity, normal, -inward);
        keeps = mote_response_keeps(along, inward, walk->law);
        walk->velocity = mote_response_turn(walk->velocity, normal, inward, restitution, keeps);
    }
    const double advance = mote_vec3_dot(walk->rest, normal);
    if (advance < 0) walk->rest = mote_response_turn(walk->rest, normal, advance, restitution, keeps);
}

// Moves the particle to `to`, or from there along the gradient until its clearance is `target`. If that fails the
// particle stays where it was.
static bool settle(slide_walk *walk, mote_vec3 to, double target)
{
    const mote_vec3 velocity = walk->velocity, rest = walk->rest;
    const bool from_outside = walk->clearance > 0;
    for (int k = 0; k < MAX_CORRECTIONS; ++k) {
        mote_closest closest;
        double clearance;
        look_around(walk, to, &clearance, &closest);
        if (clearance >= target * (1 - 0x1p-30)) {
            walk->position = to;
            walk->clearance = clearance;
            return true;
        }
        if (from_outside && clearance <= 0) break;
        double push = target - clearance;
        if (from_outside) push = MOTE_MIN(push, clearance);
        collide(walk, closest.normal);
        to = mote_vec3_add_scaled(to, closest.normal, push);
    }
    walk->velocity = velocity;
    walk->rest = rest;
    return false;
}

// Moves the particle by one piece of the motion; false when it cannot go on.
static bool advance(slide_walk *walk)
{
    const double margin = walk->margin, length = mote_vec3_length_of_any(walk->rest);
    double target = MOTE_MIN(walk->clearance, margin), piece = walk->clearance - margin;
    piece = MOTE_MAX(piece, target / 2);
    if (!(piece > 0)) return false;
    double share = piece < length ? piece / length : 1;
    mote_vec3 to = mote_vec3_add_scaled(walk->position, walk->rest, share);
    walk->rest = mote_vec3_scale(walk->rest, 1 - share);
    return settle(walk, to, target);
}

static bool is_finite(mote_vec3 v)
{
    return v.x - v.x == 0 && v.y - v.y == 0 && v.z - v.z == 0;
}

// Whether one look-up proves that the motion ends before the margin. For most particles it does.
static bool is_beyond(const slide_walk *walk)
{
    const double room = mote_hits_clearance(walk->hits, walk->position) - walk->margin;
    return room > 0 && room * room > mote_vec3_dot(walk->rest, walk->rest) * (1 + 0x1p-40);
}

// Returns whether the particle hit anything.
static bool slide_along(slide_walk *walk)
{
    mote_closest closest;
    // Most particles come no nearer than the margin, and one query shows that. The factor covers rounding errors of
    // lengths and clearances. The motion does not get longer on its way, so nothing farther away matters.
    walk->reach = (walk->margin + mote_vec3_length_of_any(walk->rest)) * (1 + 0x1p-40);
    if (!look_around(walk, walk->position, &walk->clearance, &closest) && walk->clearance >= walk->reach) return false;

    if (walk->clearance < walk->margin) settle(walk, walk->position, walk->margin);
    bool moving = walk->clearance > 0;
    for (int piece = 0; moving && mote_vec3_dot(walk->rest, walk->rest) > 0; ++piece)
        moving = piece < MAX_PIECES && advance(walk);
    if (!moving) walk->velocity = mote_vec3_make(0, 0, 0);
    return true;
}

mote_result mote_hits_slide(const mote_hits *hits, double margin, const mote_response *response, mote_vec3 from,
                            mote_vec3 *position, mote_vec3 *velocity, mote_error *error)
{
    if (!hits) return mote_fail_null(error, "hits", "the object");
    if (!position || !velocity) return mote_fail_null(error, "hits", "the position or the velocity");
    if (!hits->closest) return mote_fail(error, MOTE_ERROR_STATE, 0, "hits: closest points were not prepared for");
    mote_result result = mote_response_check(response, error);
    if (result != MOTE_OK) return result;
    if (!(margin > 0) || !isfinite(margin))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "hits: margin is %g, expected a number above 0", margin);
    slide_walk walk = {.hits = hits,
                       .margin = margin * hits->scale,
                       .law = mote_response_law(response),
                       .position = mote_vec3_scale(from, hits->scale),
                       .velocity = *velocity};
    const mote_vec3 wish = mote_vec3_scale(*position, hits->scale);
    if (!is_finite(walk.position) || !is_finite(wish) || !is_finite(*velocity)) return MOTE_OK;
    walk.rest = mote_vec3_sub(wish, walk.position);
    if (is_beyond(&walk) || !slide_along(&walk)) return MOTE_OK;
    *velocity = walk.velocity;
    const mote_vec3 to = walk.position;
    if (to.x != wish.x || to.y != wish.y || to.z != wish.z) *position = mote_vec3_scale(to, 1 / hits->scale);
    return MOTE_OK;
}
