// SPDX-License-Identifier: MIT
// brute_force: tests every object against every other. All other methods are tested against it, and it is the
// fastest for a few objects.

#include "broadphase/internal.h"

static mote_result update(mote_broadphase *broad, bool rebuild, mote_error *error)
{
    (void)error;
    (void)broad, (void)rebuild;
    return MOTE_OK;
}

static void candidates(const mote_broadphase *broad, candidate_sink *sink)
{
    sink->lookups += 1;
    for (uint32_t id = 0; id < broad->store.end; ++id)  // ids without an object have an empty box
        if (!mote_sink_offer(sink, id)) return;
}

static void release(mote_broadphase *broad)
{
    (void)broad;
}

static size_t byte_count(const mote_broadphase *broad)
{
    (void)broad;
    return 0;
}

static mote_result validate(mote_broadphase *broad, mote_error *error)
{
    (void)error;
    (void)broad;
    return MOTE_OK;
}

const broadphase_method mote_broadphase_brute_force = {
    .info = {"brute_force", "none", "every object against every other: the reference for tests"},
    .state_bytes = 1,
    .update = update,
    .candidates = candidates,
    .release = release,
    .byte_count = byte_count,
    .validate = validate,
};
