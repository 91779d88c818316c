// SPDX-License-Identifier: MIT
// Writes the two indices of pairs from rows of indices.
//
// Vectors are written whole: what lies behind the end of a row is overwritten by the next one. Only where a vector
// would reach beyond the pairs of the block, it is written to a spare place, and copied from there.

#include <string.h>

#include "base/wide.h"
#include "neighbors/pair_codes.h"

static inline void put_index(void *to, wide_u32 index, bool is_64)
{
    if (is_64)
        wide_store_u64(to, wide_all_u32(0), index);
    else
        wide_store((uint32_t *)to, index);
}

// The pairs of a row with 64 bits for each index, which is what numpy's users want.
MOTE_INLINE void put_row_64(const uint32_t *row, size_t count, wide_u32 own, uint64_t *i, uint64_t *j,
                            const bool ordered)
{
    for (size_t n = 0; n < count; n += WIDE) {
        const wide_u32 other = wide_load_first_u32(row + n, count - n);
        wide_store_u64(i + n, wide_all_u32(0), ordered ? wide_min(own, other) : own);
        wide_store_u64(j + n, wide_all_u32(0), ordered ? wide_max(own, other) : other);
    }
}

#ifdef MOTE_WIDE_PLAIN
MOTE_RARE  // the plain form serves old processors alone: it is kept small
#endif
index_lanes WIDE_NAME(mote_put_indices);
void WIDE_NAME(mote_put_indices)(const mote_lists *lists, const mote_pair_arrays *to, size_t begin, size_t end,
                                 uint64_t at, uint64_t at_end)
{
    const mote_lists from = *lists;
    void *const to_i = to->i, *const to_j = to->j;
    const bool is_64 = to->is_64, ordered = to->ordered;
    const uint32_t *const points = to->points;
    const size_t bytes = is_64 ? sizeof(uint64_t) : sizeof(uint32_t);
    uint64_t few[2][WIDE];
    for (size_t r = begin; r < end; ++r) {
        const uint32_t *row = from.indices + from.first[r];
        const uint32_t *ahead = from.indices + from.first[MOTE_MIN(r + PAIRS_AHEAD, end - 1)];
        const size_t count = from.counts[r];
        mote_prefetch(ahead);
        mote_prefetch(ahead + PAIRS_LINE);
        const wide_u32 own = wide_all_u32(points ? points[r] : (uint32_t)r);
        if (is_64 && at + count + WIDE <= at_end) {
            if (ordered)
                put_row_64(row, count, own, (uint64_t *)to_i + at, (uint64_t *)to_j + at, true);
            else
                put_row_64(row, count, own, (uint64_t *)to_i + at, (uint64_t *)to_j + at, false);
            at += count;
            continue;
        }
        for (size_t n = 0; n < count; n += WIDE) {
            const size_t left = count - n;
            const wide_u32 other = wide_load_first_u32(row + n, left);
            const bool is_whole = at + n + WIDE <= at_end;
            char *const i = (char *)to_i + (at + n) * bytes, *const j = (char *)to_j + (at + n) * bytes;
            put_index(is_whole ? (void *)i : few[0], ordered ? wide_min(own, other) : own, is_64);
            put_index(is_whole ? (void *)j : few[1], ordered ? wide_max(own, other) : other, is_64);
            if (is_whole) continue;
            memcpy(i, few[0], MOTE_MIN(left, (size_t)WIDE) * bytes);
            memcpy(j, few[1], MOTE_MIN(left, (size_t)WIDE) * bytes);
        }
        at += count;
    }
}
