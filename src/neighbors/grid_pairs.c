// SPDX-License-Identifier: MIT
// Writes pairs from rows of codes (pair_codes.h).
//
// Vectors of pairs are written whole: what lies behind the end of a row is overwritten by the next one. Only where a
// vector would reach beyond the pairs of the block, it is written to a spare place, and copied from there.

#include <string.h>

#include "base/wide.h"
#include "neighbors/pair_codes.h"

enum {
    RECORDS_AHEAD = 2,      // rows by which prefetching of records is ahead,
    MANY_RECORDS = 1 << 16  // if there are so many points that the records do not fit the second-level cache
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

// Room for the last pairs of a block, of which not all are wanted.
typedef struct few_pairs {
    int64_t i[WIDE_F64], j[WIDE_F64], shifts_64[3 * WIDE_F64];
    double distances[WIDE_F64], squared[WIDE_F64], differences[3 * WIDE_F64];
    int32_t shifts[3 * WIDE_F64];
    mote_pair_arrays to;
} few_pairs;

MOTE_RARE static void begin_few(few_pairs *few, bool is_64)
{
    few->to = (mote_pair_arrays){few->i, few->j, few->distances, few->squared, few->differences, few->shifts,
                                 few->shifts_64, .is_64 = is_64};
}

static void copy_some(void *to, const void *from, uint64_t at, size_t count, size_t bytes)
{
    if (to) memcpy((char *)to + (size_t)at * bytes, from, count * bytes);
}

// Writes the first `count` of them to the places from `at` on.
MOTE_RARE static void copy_few(const mote_pair_arrays *to, const few_pairs *few, uint64_t at, size_t count)
{
    const size_t index = to->is_64 ? sizeof(int64_t) : sizeof(uint32_t);
    copy_some(to->i, few->i, at, count, index);
    copy_some(to->j, few->j, at, count, index);
    copy_some(to->distances, few->distances, at, count, sizeof *few->distances);
    copy_some(to->squared, few->squared, at, count, sizeof *few->squared);
    copy_some(to->differences, few->differences, at, count, 3 * sizeof *few->differences);
    copy_some(to->shifts, few->shifts, at, count, 3 * sizeof *few->shifts);
    copy_some(to->shifts_64, few->shifts_64, at, count, 3 * sizeof *few->shifts_64);
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
    few_pairs few;
    begin_few(&few, to.is_64);
    for (size_t i = begin; i < end; ++i) {
        mote_prefetch(rows->codes + rows->first[MOTE_MIN(i + PAIRS_AHEAD, end - 1)]);
        if (rows->count >= MANY_RECORDS && i + RECORDS_AHEAD < end) prefetch_records(rows, i + RECORDS_AHEAD);
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
            const bool is_whole = at + n + WIDE_F64 <= at_end;
            put_pairs(rows, is_whole ? &to : &few.to, is_whole ? (size_t)at + n : 0, (uint32_t)i, &pairs);
            if (!is_whole) copy_few(&to, &few, at + n, MOTE_MIN(left, (size_t)WIDE_F64));
        }
        at += count;
    }
}

coded_lanes WIDE_NAME(mote_put_coded);
void WIDE_NAME(mote_put_coded)(const coded_rows *rows, size_t begin, size_t end, uint64_t at, uint64_t at_end)
{
    put_rows(rows, begin, end, at, at_end);
}
