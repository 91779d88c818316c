// SPDX-License-Identifier: MIT
// hits/structure_split.h: splits boxes into two halves by the surface area heuristic.
#ifndef MOTE_HITS_STRUCTURE_SPLIT_H
#define MOTE_HITS_STRUCTURE_SPLIT_H

#include <math.h>

#include "base/internal.h"

// A box. Its upper corner is negated, so that one minimum over all lanes joins two boxes. In a joined box, number
// and rest have no meaning.
typedef union hits_split_box {
    struct {
        float low[3];
        uint32_t number;
        float minus_high[3];
        uint32_t rest;
    };
    float lane[8];
} hits_split_box;

// Reorders `count` boxes, more than `unit` of them: those before the returned index are one half, the rest the
// other. The index is a multiple of `unit`. The order depends only on the boxes and their numbers, which must all be
// different.
// @param evenly   the halves have the same number of units, or differ by one
size_t mote_hits_split(hits_split_box *boxes, size_t count, size_t unit, bool evenly);

// The bounding box of some boxes.
void mote_hits_split_bound(const hits_split_box *boxes, size_t count, hits_split_box *made);

static inline float mote_hits_split_area(const hits_split_box *box)
{
    const float x = -box->minus_high[0] - box->low[0], y = -box->minus_high[1] - box->low[1],
                z = -box->minus_high[2] - box->low[2];
    return x * y + y * z + z * x;
}

// The bounding box of no boxes.
static inline hits_split_box mote_hits_split_empty(void)
{
    hits_split_box box;
    for (int k = 0; k < 8; ++k) box.lane[k] = HUGE_VALF;
    return box;
}

static inline void mote_hits_split_join(hits_split_box *to, const hits_split_box *box)
{
    for (int k = 0; k < 8; ++k) to->lane[k] = box->lane[k] < to->lane[k] ? box->lane[k] : to->lane[k];
}

#endif
