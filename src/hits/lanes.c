// SPDX-License-Identifier: MIT
// The table of this module's loops for each instruction set.

#include "hits/lanes.h"

#define TABLE(form) {&mote_hits_motion_##form, &mote_hits_closest_##form, mote_hits_lower_##form}

const hits_lanes mote_hits_lanes_plain = TABLE(plain);
#if MOTE_HAVE_AVX2
static const hits_lanes avx2 = TABLE(avx2);
#endif
#if MOTE_HAVE_SIMD128
static const hits_lanes simd128 = TABLE(128);
#endif

const hits_lanes *mote_hits_lanes_choose(const mote_context *context)
{
    switch (mote_context_simd(context)) {
#if MOTE_HAVE_AVX2
    case MOTE_SIMD_AVX2:
    case MOTE_SIMD_AVX512: return &avx2;
#endif
#if MOTE_HAVE_SIMD128
    case MOTE_SIMD_128: return &simd128;
#endif
    default: return &mote_hits_lanes_plain;
    }
}
