// SPDX-License-Identifier: MIT
// The innermost loop of the distance transform (structure_distances.c), which compilers turn into vectors themselves.

#include "base/wide.h"
#include "hits/lanes.h"

void WIDE_NAME(mote_hits_lower)(int16_t *restrict least, const int16_t *a, const int16_t *b, size_t count, int16_t gap)
{
    for (size_t i = 0; i < count; ++i) {
        const int16_t sum = (int16_t)(MOTE_MIN(a[i], b[i]) + gap);
        least[i] = MOTE_MIN(least[i], sum);
    }
}
