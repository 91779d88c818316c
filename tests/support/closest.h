// SPDX-License-Identifier: MIT
// support/closest.h: short forms of questions to first hits, for tests that know that they are answered.
#ifndef MOTE_TEST_CLOSEST_H
#define MOTE_TEST_CLOSEST_H

#include "mote/hits.h"
#include "support/test.h"

// Of a mesh, ready for closest points.
static inline mote_hits *test_hits(mote_context *context, const mote_mesh *mesh)
{
    mote_hits *hits;
    CHECK_OK(mote_hits_create(context, NULL, mesh, &hits, NULL));
    CHECK_OK(mote_hits_prepare_closest(hits, NULL));
    return hits;
}

// Whether there is one within reach.
static inline bool test_closest_within(const mote_hits *hits, mote_vec3 point, double reach, mote_closest *closest)
{
    CHECK_OK(mote_hits_closest(hits, point, reach, MOTE_SIGN_NORMAL, closest, NULL));
    CHECK((closest->triangle == UINT32_MAX) == (closest->distance == HUGE_VAL), "triangle %u", closest->triangle);
    return closest->triangle != UINT32_MAX;
}

// Whether there is one at all; no object, or one that is not prepared, has none.
static inline bool test_closest(const mote_hits *hits, mote_vec3 point, mote_sign_rule rule, mote_closest *closest)
{
    return mote_hits_closest(hits, point, HUGE_VAL, rule, closest, NULL) == MOTE_OK && closest->triangle != UINT32_MAX;
}

static inline bool test_is_inside(const mote_hits *hits, mote_vec3 point)
{
    bool inside = false;
    CHECK_OK(mote_hits_is_inside(hits, point, &inside, NULL));
    return inside;
}

#endif
