// SPDX-License-Identifier: MIT
// The ranks of the numbers in a short row, each compared with all others.

#include "base/ranks.h"
#include "base/wide.h"

void WIDE_NAME(mote_ranks)(const uint32_t *values, uint32_t count, uint32_t *ranks)
{
    for (uint32_t k = 0; k < count; k += WIDE) {
        const wide_i32 here = wide_signed(wide_load(values + k));
        wide_u32 rank = wide_all_u32(0);
        for (uint32_t other = 0; other < count; ++other)
            rank = wide_count(rank, wide_less(wide_all_i32((int32_t)values[other]), here));
        wide_store(ranks + k, rank);
    }
}
