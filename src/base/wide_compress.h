// SPDX-License-Identifier: MIT
// base/wide_compress.h: moves lanes of a vector to the front.
#ifndef MOTE_BASE_WIDE_COMPRESS_H
#define MOTE_BASE_WIDE_COMPRESS_H

#include "base/internal.h"

#if MOTE_HAVE_AVX2
#include <immintrin.h>

// For each 8-bit mask the positions of its set bits, one byte each, in the order of position ^ by: lowest first where
// `by` is 0.
extern const uint64_t mote_compress_places[8][256];

// The lanes of `mask`, in order: the argument with which _mm256_permutevar8x32 moves them to the front. The table is
// read as the constant that it is: through a pointer to vectors, compilers would read it again after every store.
MOTE_TARGET_AVX2 static inline __m256i mote_compress_lanes(uint32_t mask)
{
    return _mm256_cvtepu8_epi32(_mm_set_epi64x(0, (long long)mote_compress_places[0][mask]));
}

// The same in the order of position ^ by, which is below 8.
MOTE_TARGET_AVX2 static inline __m256i mote_compress_swapped(uint32_t mask, uint32_t by)
{
    return _mm256_cvtepu8_epi32(_mm_set_epi64x(0, (long long)mote_compress_places[by][mask]));
}
#endif

#endif
