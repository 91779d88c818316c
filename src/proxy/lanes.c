// SPDX-License-Identifier: MIT
// The table of this module's loops for each instruction set.

#include "proxy/lanes.h"

mote_range_task mote_move_plain, mote_move_avx2, mote_move_128;
mote_range_task mote_move_hits_plain, mote_move_hits_avx2, mote_move_hits_128;
extern const sight_lanes mote_sight_plain, mote_sight_avx2, mote_sight_128;

#define TABLE(form) {mote_move_##form, mote_move_hits_##form, &mote_sight_##form}

static const proxy_lanes plain = TABLE(plain);
#if MOTE_HAVE_AVX2
static const proxy_lanes avx2 = TABLE(avx2);
#endif
#if MOTE_HAVE_SIMD128
static const proxy_lanes simd128 = TABLE(128);
#endif

const proxy_lanes *mote_proxy_lanes_choose(const mote_context *context)
{
    switch (mote_context_simd(context)) {
#if MOTE_HAVE_AVX2
    case MOTE_SIMD_AVX2:
    case MOTE_SIMD_AVX512: return &avx2;
#endif
#if MOTE_HAVE_SIMD128
    case MOTE_SIMD_128: return &simd128;
#endif
    default: return &plain;
    }
}
