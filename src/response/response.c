// SPDX-License-Identifier: MIT
// The public form of the law of a collision (response/internal.h), and its def.

#include "response/internal.h"

mote_response mote_response_default(void)
{
    mote_response response = {.kind = MOTE_RESPONSE_BOUNCE, .restitution = 0.5, .most_hits = 16, .cookie = MOTE_COOKIE};
    return response;
}

mote_response mote_response_bounce(double restitution, double friction)
{
    mote_response response = mote_response_default();
    response.restitution = restitution;
    response.friction = friction;
    return response;
}

mote_result mote_response_check(const mote_response *response, mote_error *error)
{
    if (!response) return mote_fail_null(error, "response", "the response");
    if (response->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "response: it was not made by its default function");
    if ((int)response->kind < MOTE_RESPONSE_BOUNCE || response->kind > MOTE_RESPONSE_KILL)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "response: kind is %d, expected a mote_response_kind",
                         (int)response->kind);
    if (!(response->restitution >= 0 && response->restitution <= 1))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "response: restitution is %g, expected 0 to 1",
                         response->restitution);
    if (!(response->friction >= 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "response: friction is %g, expected 0 or more",
                         response->friction);
    if (response->most_hits == 0)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "response: most_hits is 0, expected at least 1");
    return MOTE_OK;
}

mote_vec3 mote_response_apply(const mote_response *response, mote_vec3 velocity, mote_vec3 surface, mote_vec3 normal)
{
    if (!response) return velocity;
    if (response->kind == MOTE_RESPONSE_STICK) return surface;
    if (response->kind == MOTE_RESPONSE_STOP || response->kind == MOTE_RESPONSE_KILL) return mote_vec3_make(0, 0, 0);
    const mote_vec3 relative = mote_vec3_sub(velocity, surface);
    const double inward = mote_vec3_dot(relative, normal);
    if (!(inward < 0)) return velocity;
    return mote_vec3_add(surface, mote_response_collide(mote_response_law(response), relative, normal, inward));
}
