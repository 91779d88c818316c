// SPDX-License-Identifier: MIT
// Chooses the plain or the AVX2 form of this module's loops, depending on the context.

#include "hits/lanes.h"

MOTE_INLINE void lower_by(int16_t *restrict least, const int16_t *a, const int16_t *b, size_t count, int16_t gap)
{
    for (size_t i = 0; i < count; ++i) {
        const int16_t sum = (int16_t)(MOTE_MIN(a[i], b[i]) + gap);
        least[i] = MOTE_MIN(least[i], sum);
    }
}

static void lower_plain(int16_t *restrict least, const int16_t *a, const int16_t *b, size_t count, int16_t gap)
{
    lower_by(least, a, b, count, gap);
}

#if MOTE_HAVE_AVX2
MOTE_TARGET_AVX2 static void lower_avx2(int16_t *restrict least, const int16_t *a, const int16_t *b, size_t count,
                                        int16_t gap)
{
    lower_by(least, a, b, count, gap);
}
#endif

const hits_lanes mote_hits_lanes_plain = {&mote_hits_motion_plain, &mote_hits_closest_plain, lower_plain};

#if MOTE_HAVE_AVX2
static const hits_lanes lanes_avx2 = {&mote_hits_motion_avx2, &mote_hits_closest_avx2, lower_avx2};
#endif

const hits_lanes *mote_hits_lanes_choose(const mote_context *context)
{
#if MOTE_HAVE_AVX2
    if (mote_context_simd(context) != MOTE_SIMD_PLAIN) return &lanes_avx2;
#endif
    (void)context;
    return &mote_hits_lanes_plain;
}
