// SPDX-License-Identifier: MIT
// Chooses the plain or the AVX2 form of this module's loops, depending on the context.

#include "proxy/lanes.h"

static const proxy_lanes lanes_plain = {mote_move_plain, mote_move_hits_plain, &mote_sight_plain};

#if MOTE_HAVE_AVX2
static const proxy_lanes lanes_avx2 = {mote_move_avx2, mote_move_hits_avx2, &mote_sight_avx2};
#endif

const proxy_lanes *mote_proxy_lanes_choose(const mote_context *context)
{
#if MOTE_HAVE_AVX2
    if (mote_context_simd(context) != MOTE_SIMD_PLAIN) return &lanes_avx2;
#endif
    (void)context;
    return &lanes_plain;
}
