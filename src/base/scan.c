// SPDX-License-Identifier: MIT
// Exclusive prefix sums, which turn counts into the places where elements start.
//
// Serial: two loads and a store per element run at the speed of memory, and the arrays (one element per cell or
// block) are short compared with the data that they count.

#include "base/internal.h"

uint64_t mote_prefix_sum_u32(uint32_t *counts, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        uint32_t own = counts[i];
        counts[i] = (uint32_t)sum;
        sum += own;
    }
    return sum;
}

uint64_t mote_prefix_sum_u64(uint64_t *counts, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        uint64_t own = counts[i];
        counts[i] = sum;
        sum += own;
    }
    return sum;
}

uint64_t mote_prefix_sum_rows(uint32_t *counts, size_t blocks, size_t bins)
{
    uint64_t sum = 0;
    for (size_t bin = 0; bin < bins; ++bin)
        for (size_t block = 0; block < blocks; ++block) {
            uint32_t own = counts[block * bins + bin];
            counts[block * bins + bin] = (uint32_t)sum;
            sum += own;
        }
    return sum;
}
