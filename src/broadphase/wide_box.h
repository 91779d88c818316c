// SPDX-License-Identifier: MIT
// broadphase/wide_box.h: one box against as many as a register holds.
#ifndef MOTE_BROADPHASE_WIDE_BOX_H
#define MOTE_BROADPHASE_WIDE_BOX_H

#include "base/wide.h"

enum { EIGHT = 8 };
_Static_assert((int)EIGHT % (int)WIDE == 0, "eight boxes are read in whole vectors");

// A box, copied to all lanes.
typedef struct wide_box {
    wide_f32 low[3], high[3];
} wide_box;

static inline wide_box mote_widen_box(const float low[3], const float high[3])
{
    return (wide_box){{wide_all(low[0]), wide_all(low[1]), wide_all(low[2])},
                      {wide_all(high[0]), wide_all(high[1]), wide_all(high[2])}};
}

// The boxes from these places on that meet the box along one axis.
static inline wide_mask mote_meets_along(const float *low, const float *high, const wide_box *box, int axis)
{
    return wide_both(wide_at_most(wide_load(low), box->high[axis]), wide_at_most(box->low[axis], wide_load(high)));
}

// Which of WIDE boxes, from place i of these columns on, meet the box.
static inline wide_mask mote_boxes_met(const float *const low[3], const float *const high[3], size_t i,
                                      const wide_box *box)
{
    const wide_mask x = mote_meets_along(low[0] + i, high[0] + i, box, 0);
    const wide_mask y = mote_meets_along(low[1] + i, high[1] + i, box, 1);
    const wide_mask z = mote_meets_along(low[2] + i, high[2] + i, box, 2);
    return wide_both(wide_both(x, y), z);
}

// The bits of those of eight boxes.
static inline uint32_t mote_eight_met(const float low[3][EIGHT], const float high[3][EIGHT], const wide_box *box)
{
    const float *const lows[3] = {low[0], low[1], low[2]}, *const highs[3] = {high[0], high[1], high[2]};
    uint32_t hits = 0;
    for (uint32_t lane = 0; lane < EIGHT; lane += WIDE)
        hits |= wide_bits(mote_boxes_met(lows, highs, lane, box)) << lane;
    return hits;
}

#endif
