// SPDX-License-Identifier: MIT
// The table of this module's loops for each instruction set. Blocks and nodes have eight boxes: half a vector of
// AVX-512, which therefore runs the loops for AVX2.

#include "broadphase/lanes.h"

extern const box_lanes mote_box_lanes_plain, mote_box_lanes_avx2, mote_box_lanes_128;
bvh_visit mote_bvh_visit_plain, mote_bvh_visit_avx2, mote_bvh_visit_128;
bvh_meet_within mote_bvh_meet_within_plain, mote_bvh_meet_within_avx2, mote_bvh_meet_within_128;

static const broadphase_lanes plain = {&mote_box_lanes_plain, mote_bvh_visit_plain, mote_bvh_meet_within_plain};
#if MOTE_HAVE_AVX2
static const broadphase_lanes avx2 = {&mote_box_lanes_avx2, mote_bvh_visit_avx2, mote_bvh_meet_within_avx2};
#endif
#if MOTE_HAVE_SIMD128
static const broadphase_lanes simd128 = {&mote_box_lanes_128, mote_bvh_visit_128, mote_bvh_meet_within_128};
#endif

const broadphase_lanes *mote_broadphase_lanes(mote_simd form)
{
    switch (form) {
    case MOTE_SIMD_PLAIN: return &plain;
#if MOTE_HAVE_AVX2
    case MOTE_SIMD_AVX2:
    case MOTE_SIMD_AVX512: return &avx2;
#endif
#if MOTE_HAVE_SIMD128
    case MOTE_SIMD_128: return &simd128;
#endif
    default: return NULL;
    }
}

const broadphase_lanes *mote_broadphase_lanes_choose(const mote_context *context)
{
    return mote_broadphase_lanes(mote_context_simd(context));
}
