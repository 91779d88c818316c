// SPDX-License-Identifier: MIT
// The table of this module's loops for each instruction set.

#include "neighbors/lanes.h"

dense_keys mote_near_keys_plain, mote_near_keys_avx2, mote_near_keys_avx512, mote_near_keys_128;
dense_keys mote_guest_keys_plain, mote_guest_keys_avx2, mote_guest_keys_avx512, mote_guest_keys_128;
extern const scan_lanes mote_scan_plain, mote_scan_avx2, mote_scan_avx512, mote_scan_128;
extern const sieve_lanes mote_sieve_plain, mote_sieve_avx2, mote_sieve_avx512, mote_sieve_128;
filter_lanes mote_filter_plain, mote_filter_avx2, mote_filter_avx512, mote_filter_128;
nearest_lanes mote_nearest_group_plain, mote_nearest_group_avx2, mote_nearest_group_avx512, mote_nearest_group_128;
coded_lanes mote_put_coded_plain, mote_put_coded_avx2, mote_put_coded_128;
index_lanes mote_put_indices_plain, mote_put_indices_avx2, mote_put_indices_128;

#define TABLE(form, pairs) \
    {mote_near_keys_##form, mote_guest_keys_##form, &mote_scan_##form, &mote_sieve_##form, mote_filter_##form, \
     mote_nearest_group_##form, mote_put_coded_##pairs, mote_put_indices_##pairs}

static const neighbors_lanes plain = TABLE(plain, plain);
#if MOTE_HAVE_AVX2
static const neighbors_lanes avx2 = TABLE(avx2, avx2), avx512 = TABLE(avx512, avx2);
#endif
#if MOTE_HAVE_SIMD128
static const neighbors_lanes simd128 = TABLE(128, 128);
#endif

const neighbors_lanes *mote_neighbors_lanes(mote_simd form)
{
    switch (form) {
    case MOTE_SIMD_PLAIN: return &plain;
#if MOTE_HAVE_AVX2
    case MOTE_SIMD_AVX2: return &avx2;
    case MOTE_SIMD_AVX512: return &avx512;
#endif
#if MOTE_HAVE_SIMD128
    case MOTE_SIMD_128: return &simd128;
#endif
    default: return NULL;
    }
}

const neighbors_lanes *mote_neighbors_lanes_choose(const mote_context *context)
{
    return mote_neighbors_lanes(mote_context_simd(context));
}
