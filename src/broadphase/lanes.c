// SPDX-License-Identifier: MIT
// Chooses the plain or the AVX2 form of this module's loops, depending on the context.

#include "broadphase/lanes.h"

const broadphase_lanes mote_broadphase_lanes_plain = {&mote_box_lanes_plain, mote_bvh_visit_plain, mote_bvh_meet_plain};

#if MOTE_HAVE_AVX2
static const broadphase_lanes lanes_avx2 = {&mote_box_lanes_avx2, mote_bvh_visit_avx2, mote_bvh_meet_avx2};
#endif

const broadphase_lanes *mote_broadphase_lanes_choose(const mote_context *context)
{
#if MOTE_HAVE_AVX2
    if (mote_context_simd(context) != MOTE_SIMD_PLAIN) return &lanes_avx2;
#endif
    (void)context;
    return &mote_broadphase_lanes_plain;
}
