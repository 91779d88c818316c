// SPDX-License-Identifier: MIT
// The tables of this module's loops for each instruction set.

#include "fluid/field_lanes.h"
#include "fluid/pair_sums.h"
#include "fluid/state_lanes.h"
#include "fluid/weak.h"

const weak_lanes *mote_weak_lanes(mote_simd form)
{
    switch (form) {
#if MOTE_HAVE_AVX2
    case MOTE_SIMD_AVX2:
    case MOTE_SIMD_AVX512: return &mote_weak_avx2;
#endif
#if MOTE_HAVE_SIMD128
    case MOTE_SIMD_128: return &mote_weak_128;
#endif
    default: return &mote_weak_plain;
    }
}

const mote_pair_lanes *mote_pair_lanes_of(mote_simd form)
{
    switch (form) {
#if MOTE_HAVE_AVX2
    case MOTE_SIMD_AVX2:
    case MOTE_SIMD_AVX512: return &mote_pair_lanes_avx2;
#endif
#if MOTE_HAVE_SIMD128
    case MOTE_SIMD_128: return &mote_pair_lanes_128;
#endif
    default: return &mote_pair_lanes_plain;
    }
}

const fluid_state_lanes *mote_state_lanes_of(mote_simd form)
{
    switch (form) {
#if MOTE_HAVE_AVX2
    case MOTE_SIMD_AVX2:
    case MOTE_SIMD_AVX512: return &mote_state_lanes_avx2;
#endif
#if MOTE_HAVE_SIMD128
    case MOTE_SIMD_128: return &mote_state_lanes_128;
#endif
    default: return &mote_state_lanes_plain;
    }
}

const field_lanes *mote_field_lanes_of(mote_simd form)
{
    switch (form) {
#if MOTE_HAVE_AVX2
    case MOTE_SIMD_AVX2: return &mote_field_lanes_avx2;
    case MOTE_SIMD_AVX512: return &mote_field_lanes_avx512;
#endif
#if MOTE_HAVE_SIMD128
    case MOTE_SIMD_128: return &mote_field_lanes_128;
#endif
    default: return &mote_field_lanes_plain;
    }
}
