// SPDX-License-Identifier: MIT
// Writes pairs from rows of codes (pair_codes.h).
//
// Vectors of pairs are written whole: what lies behind the end of a row is overwritten by the next one. Only where a
// vector would reach beyond the pairs of the block, it is written to a spare place, and copied from there.

#include <string.h>

#include "base/wide.h"
#include "neighbors/pair_codes.h"

enum {
    AHEAD = 6,        // rows by which prefetching of codes is ahead,
    LINE = 16,        // indices in a cache line
    AHEAD_FEW = 2,    // and that of records,
    MANY = 1 << 16    // if there are so many points that the records do not fit the second-level cache
};

// Pairs side by side.
typedef struct some_pairs {
    wide_f64 d[3], lengths, index;
    uint32_t place[WIDE_F64], shift[WIDE_F64];
} some_pairs;

// Computes pairs as the test that defines neighbours does (mote_difference).
static inline void measure_pairs(const coded_rows *of, const uint32_t codes[WIDE_F64], const wide_f64 at[3],
                                 some_pairs *pairs)
{
    uint32_t others = 0;
    for (size_t l = 0; l < WIDE_F64; ++l) {
        pairs->place[l] = codes[l] & ((1u << CODE_PLACE_BITS) - 1);
        pairs->shift[l] = codes[l] >> CODE_PLACE_BITS;
        others |= pairs->shift[l] ^ pairs->shift[0];
    }
    wide_f64 record[4], vector[4];
    wide_load_columns_f64(of->records, pairs->place, record);
    for (int k = 0; k < 3; ++k) pairs->d[k] = record[k] - at[k];
    if (of->is_periodic) {
        if (others)
            wide_load_columns_f64(of->vectors[0], pairs->shift, vector);
        else
            for (int k = 0; k < 3; ++k) vector[k] = wide_all_f64(of->vectors[pairs->shift[0]][k]);
        for (int k = 0; k < 3; ++k) pairs->d[k] = pairs->d[k] + vector[k];
    }
    pairs->lengths = (pairs->d[0] * pairs->d[0] + pairs->d[1] * pairs->d[1]) + pairs->d[2] * pairs->d[2];
    pairs->index = record[3];
}

// Writes WIDE_F64 pairs of point i to the places from p on.
static inline void put_pairs(const coded_rows *of, const mote_pair_arrays *to, size_t p, uint32_t i,
                             const some_pairs *pairs)
{
    if (to->is_64) {
        const int64_t wide_i = i;
        double bits;
        memcpy(&bits, &wide_i, sizeof bits);
        if (to->i) wide_store((double *)to->i + p, wide_all_f64(bits));
        if (to->j) wide_store((double *)to->j + p, pairs->index);
    } else {
        for (size_t l = 0; l < WIDE_F64; ++l) {
            int64_t j;
            memcpy(&j, of->records + 4 * (size_t)pairs->place[l] + 3, sizeof j);
            if (to->i) ((uint32_t *)to->i)[p + l] = i;
            if (to->j) ((uint32_t *)to->j)[p + l] = (uint32_t)j;
        }
    }
    if (to->distances) wide_store((double *)to->distances + p, wide_sqrt(pairs->lengths));
    if (to->squared) wide_store((double *)to->squared + p, pairs->lengths);
    if (to->differences) wide_store_xyz_f64((double *)to->differences + 3 * p, pairs->d);
    for (size_t l = 0; l < WIDE_F64 && to->shifts; ++l)
        memcpy(to->shifts + 3 * (p + l), of->shifts[pairs->shift[l]], 3 * sizeof *to->shifts);
    for (size_t l = 0; l < WIDE_F64 && to->shifts_64; ++l)
        memcpy(to->shifts_64 + 3 * (p + l), of->shifts_64[pairs->shift[l]], 3 * sizeof *to->shifts_64);
}

static void copy_some(void *to, const void *from, uint64_t at, size_t count, size_t bytes)
{
    if (to) memcpy((char *)to + (size_t)at * bytes, from, count * bytes);
}

// Writes the first `count` of the pairs, and nothing behind them.
static void put_few(const coded_rows *of, uint64_t at, size_t count, uint32_t i, const some_pairs *pairs)
{
    const mote_pair_arrays *to = &of->to;
    int64_t few_i[WIDE_F64], few_j[WIDE_F64], shifts_64[3 * WIDE_F64];
    double distances[WIDE_F64], squared[WIDE_F64], differences[3 * WIDE_F64];
    int32_t shifts[3 * WIDE_F64];
    const mote_pair_arrays few = {few_i, few_j, distances, squared, differences, shifts, shifts_64,
                                  .is_64 = to->is_64};
    const size_t index = to->is_64 ? sizeof(int64_t) : sizeof(uint32_t);
    put_pairs(of, &few, 0, i, pairs);
    copy_some(to->i, few_i, at, count, index);
    copy_some(to->j, few_j, at, count, index);
    copy_some(to->distances, distances, at, count, sizeof *distances);
    copy_some(to->squared, squared, at, count, sizeof *squared);
    copy_some(to->differences, differences, at, count, 3 * sizeof *differences);
    copy_some(to->shifts, shifts, at, count, 3 * sizeof *shifts);
    copy_some(to->shifts_64, shifts_64, at, count, 3 * sizeof *shifts_64);
}

// Rows of points in random order lie anywhere, and so do their neighbours.
static inline void prefetch_records(const coded_rows *rows, size_t i)
{
    const uint32_t *codes = rows->codes + rows->first[i];
    for (uint32_t n = 0; n < rows->counts[i]; ++n)
        mote_prefetch(rows->records + 4 * (size_t)(codes[n] & ((1u << CODE_PLACE_BITS) - 1)));
}

static void put_rows(const coded_rows *rows, size_t begin, size_t end, uint64_t at, uint64_t at_end)
{
    const mote_pair_arrays to = rows->to;
    for (size_t i = begin; i < end; ++i) {
        mote_prefetch(rows->codes + rows->first[MOTE_MIN(i + AHEAD, end - 1)]);
        if (rows->count >= MANY && i + AHEAD_FEW < end) prefetch_records(rows, i + AHEAD_FEW);
        const uint32_t *codes = rows->codes + rows->first[i];
        const size_t count = rows->counts[i];
        const wide_f64 here[3] = {wide_all_f64(rows->at[0][i]), wide_all_f64(rows->at[1][i]),
                                  wide_all_f64(rows->at[2][i])};
        for (size_t n = 0; n < count; n += WIDE_F64) {
            some_pairs pairs;
            uint32_t last[WIDE_F64];
            const uint32_t *some = codes + n;
            const size_t left = count - n;
            if (left < WIDE_F64) {
                for (size_t l = 0; l < WIDE_F64; ++l) last[l] = some[MOTE_MIN(l, left - 1)];
                some = last;
            }
            measure_pairs(rows, some, here, &pairs);
            if (at + n + WIDE_F64 <= at_end)
                put_pairs(rows, &to, at + n, (uint32_t)i, &pairs);
            else
                put_few(rows, at + n, MOTE_MIN(left, (size_t)WIDE_F64), (uint32_t)i, &pairs);
        }
        at += count;
    }
}

// Writes WIDE indices to the places from p on.
MOTE_INLINE void put_index(void *to, size_t p, wide_u32 index, const bool is_64)
{
    if (is_64)
        wide_store_u64((uint64_t *)to + p, wide_all_u32(0), index);
    else
        wide_store((uint32_t *)to + p, index);
}

// Compiled for each of its cases.
MOTE_INLINE void put_index_rows(const mote_lists *lists, const mote_pair_arrays *to, size_t begin, size_t end,
                                uint64_t at, uint64_t at_end, const bool is_64, const bool ordered)
{
    const mote_lists from = *lists;
    void *const to_i = to->i, *const to_j = to->j;
    const uint32_t *const points = to->points;
    for (size_t r = begin; r < end; ++r) {
        const uint32_t *row = from.indices + from.first[r], point = points ? points[r] : (uint32_t)r;
        const uint32_t *ahead = from.indices + from.first[MOTE_MIN(r + AHEAD, end - 1)];
        const size_t count = from.counts[r];
        mote_prefetch(ahead);
        mote_prefetch(ahead + LINE);
        const wide_u32 own = wide_all_u32(point);
        size_t n = 0;
        for (; n < count && at + n + WIDE <= at_end; n += WIDE) {
            const wide_u32 other = wide_load_first_u32(row + n, count - n);
            put_index(to_i, at + n, ordered ? wide_min(own, other) : own, is_64);
            put_index(to_j, at + n, ordered ? wide_max(own, other) : other, is_64);
        }
        for (; n < count; ++n) {
            const uint32_t i = ordered ? MOTE_MIN(point, row[n]) : point, j = ordered ? MOTE_MAX(point, row[n]) : row[n];
            if (is_64)
                ((int64_t *)to_i)[at + n] = i, ((int64_t *)to_j)[at + n] = j;
            else
                ((uint32_t *)to_i)[at + n] = i, ((uint32_t *)to_j)[at + n] = j;
        }
        at += count;
    }
}

index_lanes WIDE_NAME(mote_put_indices);
void WIDE_NAME(mote_put_indices)(const mote_lists *lists, const mote_pair_arrays *to, size_t begin, size_t end,
                                 uint64_t at, uint64_t at_end)
{
    if (to->is_64 && to->ordered)
        put_index_rows(lists, to, begin, end, at, at_end, true, true);
    else if (to->is_64)
        put_index_rows(lists, to, begin, end, at, at_end, true, false);
    else if (to->ordered)
        put_index_rows(lists, to, begin, end, at, at_end, false, true);
    else
        put_index_rows(lists, to, begin, end, at, at_end, false, false);
}

coded_lanes WIDE_NAME(mote_put_coded);
void WIDE_NAME(mote_put_coded)(const coded_rows *rows, size_t begin, size_t end, uint64_t at, uint64_t at_end)
{
    put_rows(rows, begin, end, at, at_end);
}
