// hits/first_split.h: boxes parted into two halves by the surface area heuristic.
#ifndef MOTE_HITS_FIRST_SPLIT_H
#define MOTE_HITS_FIRST_SPLIT_H

#include "base/internal.h"

typedef struct first_split_box {
    float low[3];
    uint32_t number;
    float high[3];
    uint32_t unused;
} first_split_box;

// Reorders `count` boxes, more than `unit` of them, so that those before the answer are one half and the rest the
// other. The answer is a multiple of `unit`. The order depends on the boxes and their numbers alone, which must all be
// different.
// @param evenly   halves have the same number of units, or one more
size_t mote_first_split(first_split_box *boxes, size_t count, size_t unit, bool evenly);

// The box around some boxes: `made` has no number.
void mote_first_split_bound(const first_split_box *boxes, size_t count, first_split_box *made);

static inline float mote_first_split_area(const first_split_box *box)
{
    const float x = box->high[0] - box->low[0], y = box->high[1] - box->low[1], z = box->high[2] - box->low[2];
    return x * y + y * z + z * x;
}

#endif
