// SPDX-License-Identifier: MIT
// The signs of a row of a caller's grid, many at a time.

#include <math.h>

#include "base/wide.h"
#include "surface/internal.h"

uint32_t WIDE_NAME(mote_surface_find_signs)(const float *values, size_t count, float least, bool *has_bad)
{
    uint32_t signs = 0;
    for (size_t x = 0; x < count; x += WIDE) {
        float last[WIDE];
        const float *from = values + x;
        if (count - x < WIDE) {
            for (size_t l = 0; l < WIDE; ++l) last[l] = -INFINITY;
            memcpy(last, from, (count - x) * sizeof *last);
            from = last;
        }
        const wide_f32 value = wide_load(from);
        signs |= wide_bits(wide_at_most(wide_all(least), value)) << x;
        *has_bad |= wide_any(wide_not(wide_equal(value, value)));
    }
    return signs;
}
