// SPDX-License-Identifier: MIT
// response/internal.h: the law of a collision in its parts, for those who apply it many at a time.
#ifndef MOTE_RESPONSE_INTERNAL_H
#define MOTE_RESPONSE_INTERNAL_H

#include "base/internal.h"
#include "base/vector.h"
#include "mote/response.h"

// Every kind as restitution and friction: who sticks or stops has no bounce and endless friction.
typedef struct response_law {
    double restitution, friction;
} response_law;

static inline response_law mote_response_law(const mote_response *response)
{
    switch (response->kind) {
    case MOTE_RESPONSE_BOUNCE: return (response_law){response->restitution, response->friction};
    case MOTE_RESPONSE_SLIDE: return (response_law){0, response->friction};
    default: return (response_law){0, HUGE_VAL};
    }
}

// The share of the velocity `along` a surface that Coulomb's friction leaves: of a collision whose impulse turns the
// velocity across it, `inward` (below 0), into -restitution * inward.
static inline double mote_response_keeps(mote_vec3 along, double inward, response_law law)
{
    if (!(law.friction > 0)) return 1;
    const double speed = mote_vec3_length_of_any(along), loss = law.friction * (1 + law.restitution) * -inward;
    return speed > loss ? 1 - loss / speed : 0;
}

// A velocity, or a motion, after such a collision: of its part along the surface `keeps` is left.
// @param inward   its part against the normal, below 0
static inline mote_vec3 mote_response_turn(mote_vec3 velocity, mote_vec3 normal, double inward, double restitution,
                                           double keeps)
{
    const mote_vec3 along = mote_vec3_add_scaled(velocity, normal, -inward);
    return mote_vec3_add_scaled(mote_vec3_scale(along, keeps), normal, -restitution * inward);
}

// The velocity after a collision with a surface at rest.
static inline mote_vec3 mote_response_collide(response_law law, mote_vec3 velocity, mote_vec3 normal, double inward)
{
    const mote_vec3 along = mote_vec3_add_scaled(velocity, normal, -inward);
    return mote_response_turn(velocity, normal, inward, law.restitution, mote_response_keeps(along, inward, law));
}

#endif
