// SPDX-License-Identifier: MIT
// Chooses the plain or the AVX2 form of this module's loops, depending on the processor.

#include "broadphase/lanes.h"

const broadphase_lanes mote_broadphase_lanes_plain = {&mote_box_lanes_plain, mote_bvh_visit_plain, mote_bvh_meet_plain};

#if MOTE_HAVE_AVX2
static const broadphase_lanes lanes_avx2 = {&mote_box_lanes_avx2, mote_bvh_visit_avx2, mote_bvh_meet_avx2};
#endif

const broadphase_lanes *mote_broadphase_lanes_choose(void)
{
#if MOTE_HAVE_AVX2
    if (mote_cpu_has_avx2()) return &lanes_avx2;
#endif
    return &mote_broadphase_lanes_plain;
}
