// SPDX-License-Identifier: MIT
// Chooses the plain or the AVX2 form of this module's loops, depending on the context.

#include "hits/lanes.h"

const hits_lanes mote_hits_lanes_plain = {&mote_hits_motion_plain, &mote_hits_closest_plain, mote_hits_lower_plain};

#if MOTE_HAVE_AVX2
static const hits_lanes lanes_avx2 = {&mote_hits_motion_avx2, &mote_hits_closest_avx2, mote_hits_lower_avx2};
#endif

const hits_lanes *mote_hits_lanes_choose(const mote_context *context)
{
#if MOTE_HAVE_AVX2
    if (mote_context_simd(context) != MOTE_SIMD_PLAIN) return &lanes_avx2;
#endif
    (void)context;
    return &mote_hits_lanes_plain;
}
