// hits/first_split.h: boxes parted into two halves by the surface area heuristic.
#ifndef MOTE_HITS_FIRST_SPLIT_H
#define MOTE_HITS_FIRST_SPLIT_H

#include <math.h>

#include "base/internal.h"

// A box. Its upper corner is negated, so that boxes are joined by the least of all lanes at once; the lanes of number
// and rest are without meaning in what was joined.
typedef union first_split_box {
    struct {
        float low[3];
        uint32_t number;
        float minus_high[3];
        uint32_t rest;
    };
    float lane[8];
} first_split_box;

// Reorders `count` boxes, more than `unit` of them, so that those before the answer are one half and the rest the
// other. The answer is a multiple of `unit`. The order depends on the boxes and their numbers alone, which must all be
// different.
// @param evenly   halves have the same number of units, or one more
size_t mote_first_split(first_split_box *boxes, size_t count, size_t unit, bool evenly);

// The box around some boxes.
void mote_first_split_bound(const first_split_box *boxes, size_t count, first_split_box *made);

static inline float mote_first_split_area(const first_split_box *box)
{
    const float x = -box->minus_high[0] - box->low[0], y = -box->minus_high[1] - box->low[1],
                z = -box->minus_high[2] - box->low[2];
    return x * y + y * z + z * x;
}

// Of nothing.
static inline first_split_box mote_first_split_empty(void)
{
    first_split_box box;
    for (int k = 0; k < 8; ++k) box.lane[k] = HUGE_VALF;
    return box;
}

static inline void mote_first_split_join(first_split_box *to, const first_split_box *box)
{
    for (int k = 0; k < 8; ++k) to->lane[k] = box->lane[k] < to->lane[k] ? box->lane[k] : to->lane[k];
}

#endif
