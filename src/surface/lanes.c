// SPDX-License-Identifier: MIT
// The tables of this module's loops for each instruction set. Clusters have eight nodes, so AVX-512 uses AVX2's form.

#include "surface/field.h"

const surface_lanes *mote_surface_lanes_choose(const mote_context *context)
{
    switch (mote_context_simd(context)) {
#if MOTE_HAVE_AVX2
    case MOTE_SIMD_AVX2:
    case MOTE_SIMD_AVX512: return &mote_surface_lanes_avx2;
#endif
#if MOTE_HAVE_SIMD128
    case MOTE_SIMD_128: return &mote_surface_lanes_128;
#endif
    default: return &mote_surface_lanes_plain;
    }
}
