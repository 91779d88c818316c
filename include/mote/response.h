// SPDX-License-Identifier: MIT
/// mote/response.h: what becomes of the velocity of a particle that meets a surface.
///
/// One type serves everything that particles meet: meshes (hits.h), their proxies (proxy.h), the sides of a tank
/// (simulation.h). The law is that of a collision with restitution and Coulomb's friction: the velocity relative to the
/// surface is taken apart into the part across it, of which −restitution times comes back, and the part along it,
/// which friction shortens by friction · (1 + restitution) · (the speed across), but no further than to 0.
#ifndef MOTE_RESPONSE_H
#define MOTE_RESPONSE_H

#include "mote/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a particle does that meets a surface.
typedef enum mote_response_kind {
    MOTE_RESPONSE_BOUNCE,  ///< comes back with `restitution` of its velocity across the surface, and goes on
    MOTE_RESPONSE_SLIDE,   ///< loses its velocity across the surface, and goes on along it
    MOTE_RESPONSE_STICK,   ///< takes the surface's velocity, and goes no farther in this step
    MOTE_RESPONSE_STOP,    ///< has velocity 0, and goes no farther in this step
    MOTE_RESPONSE_KILL     ///< stays where it met the surface, and is not moved any more
} mote_response_kind;

typedef struct mote_response {
    mote_response_kind kind;
    double restitution;  ///< of a bounce, 0 to 1
    double friction;     ///< Coulomb's coefficient, 0 or more: of bounces and slides
    uint32_t most_hits;  ///< of a particle in a step, at least 1; then the rest of its motion is dropped
    bool lists_hits;     ///< whether every hit is listed, where there is a list of contacts
    uint32_t cookie;  ///< set by the default function; tells that it was called
} mote_response;

/// Bounces with restitution 0.5 and without friction, at most 16 times a step.
MOTE_API mote_response mote_response_default(void);
/// The same with a restitution and a friction of the caller's.
MOTE_API mote_response mote_response_bounce(double restitution, double friction);

/// @param error    may be NULL
/// @return MOTE_OK, or MOTE_ERROR_ARGUMENT, which names the value that is out of range
MOTE_API mote_result mote_response_check(const mote_response *response, mote_error *error);

/// The velocity after the surface was met. A particle that moves away from the surface keeps its own.
/// @param surface  the surface's velocity there
/// @param normal   unit, towards the particle
MOTE_API mote_vec3 mote_response_apply(const mote_response *response, mote_vec3 velocity, mote_vec3 surface,
                                       mote_vec3 normal);

#ifdef __cplusplus
}
#endif

#endif
