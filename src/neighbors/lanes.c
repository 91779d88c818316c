// SPDX-License-Identifier: MIT
// Chooses the plain or the AVX2 form of this module's loops, depending on the processor.

#include "neighbors/lanes.h"

static const neighbors_lanes lanes_plain = {mote_near_keys_plain, &mote_scan_plain, &mote_sieve_plain,
                                            mote_filter_plain};

#if MOTE_HAVE_AVX2
static const neighbors_lanes lanes_avx2 = {mote_near_keys_avx2, &mote_scan_avx2, &mote_sieve_avx2, mote_filter_avx2};
#endif

const neighbors_lanes *mote_neighbors_lanes_choose(void)
{
#if MOTE_HAVE_AVX2
    if (mote_cpu_has_avx2()) return &lanes_avx2;
#endif
    return &lanes_plain;
}
