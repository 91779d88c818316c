// SPDX-License-Identifier: MIT
// response/internal.h: the law of a collision, restitution and Coulomb friction. It is inline, for code that applies it
// to many particles: hits (advance_*), proxy (walk.h, move.h), walls of tanks.
#ifndef MOTE_RESPONSE_INTERNAL_H
#define MOTE_RESPONSE_INTERNAL_H

#include "base/internal.h"
#include "base/vector.h"
#include "mote/response.h"

// All kinds of response, as restitution and friction: sticking and stopping have no bounce and infinite friction.
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

// The share of the tangential velocity `along` that Coulomb friction leaves in a collision whose impulse changes the
// normal velocity `inward` (below 0) to -restitution * inward.
static inline double mote_response_keeps(mote_vec3 along, double inward, response_law law)
{
    if (!(law.friction > 0)) return 1;
    const double speed = mote_vec3_length_of_any(along), loss = law.friction * (1 + law.restitution) * -inward;
    return speed > loss ? 1 - loss / speed : 0;
}

// The velocity, or motion, after such a collision; `keeps` is the share of the tangential part that is left.
// @param inward   the normal component, below 0
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
