// SPDX-License-Identifier: MIT
/// mote/response.h: what becomes of the velocity of a particle that meets a surface.
///
/// One type serves everything that particles meet: meshes (hits.h), proxies (proxy.h) and the walls of a tank
/// (simulation.h). The law is a collision with restitution and Coulomb friction. The velocity relative to the surface
/// has a normal and a tangential part. The normal part is multiplied by −restitution; the length of the tangential part
/// is reduced by friction · (1 + restitution) · (the normal speed), but not below 0.
#ifndef MOTE_RESPONSE_H
#define MOTE_RESPONSE_H

#include "mote/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a particle does when it meets a surface.
typedef enum mote_response_kind {
    MOTE_RESPONSE_BOUNCE,  ///< bounces back with `restitution` of its normal velocity, and goes on
    MOTE_RESPONSE_SLIDE,   ///< loses its normal velocity, and goes on along the surface
    MOTE_RESPONSE_STICK,   ///< takes the surface's velocity, and goes no farther in this step
    MOTE_RESPONSE_STOP,    ///< has velocity 0, and goes no farther in this step
    MOTE_RESPONSE_KILL     ///< stays where it met the surface, and is not moved any more
} mote_response_kind;

typedef struct mote_response {
    mote_response_kind kind;
    double restitution;  ///< of a bounce, 0 to 1
    double friction;     ///< Coulomb's coefficient, 0 or more: of bounces and slides
    uint32_t most_hits;  ///< of a particle in one step, at least 1; after that the rest of its motion is dropped
    bool lists_hits;     ///< whether the list of contacts, where there is one, has every hit
    uint32_t cookie;  ///< set by the default function; tells that it was called
} mote_response;

/// Bounces with restitution 0.5 and without friction, at most 16 times a step.
MOTE_API mote_response mote_response_default(void);
/// The same with this restitution and friction.
MOTE_API mote_response mote_response_bounce(double restitution, double friction);

/// @param error    may be NULL
/// @return MOTE_OK, or MOTE_ERROR_ARGUMENT, which names the value that is out of range
MOTE_API mote_result mote_response_check(const mote_response *response, mote_error *error);

/// The velocity after the collision. A particle that moves away from the surface keeps its velocity.
/// @param surface  the surface's velocity there
/// @param normal   unit, towards the particle
MOTE_API mote_vec3 mote_response_apply(const mote_response *response, mote_vec3 velocity, mote_vec3 surface,
                                       mote_vec3 normal);

#ifdef __cplusplus
}
#endif

#endif
