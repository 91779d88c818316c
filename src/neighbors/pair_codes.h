// SPDX-License-Identifier: MIT
// neighbors/pair_codes.h: rows whose neighbours are codes of 32 bits, from which pairs are written.
//
// A code holds the place of the neighbour among the sorted points and the number of its shift. Differences, distances
// and the rest follow from both, so rows of codes take a tenth of the memory that rows with all columns take, and pairs
// are written without reading those columns. Searches whose shifts or places do not fit take ordinary lists instead.
#ifndef MOTE_NEIGHBORS_PAIR_CODES_H
#define MOTE_NEIGHBORS_PAIR_CODES_H

#include <stdatomic.h>

#include "neighbors/internal.h"

enum {
    CODE_PLACE_BITS = 25,                   // places below 2^25,
    CODE_MOST_SHIFT = 2,                    // up to so many periods along an axis, in both directions:
    CODE_SIDE = 2 * CODE_MOST_SHIFT + 1,    // so many along an axis,
    CODE_SHIFTS = CODE_SIDE * CODE_SIDE * CODE_SIDE,  // and altogether
    CODE_NO_SHIFT = CODE_SHIFTS / 2
};
_Static_assert(CODE_SHIFTS <= 1 << (32 - CODE_PLACE_BITS), "a place and a shift fit 32 bits");

enum {
    PAIRS_AHEAD = 6,  // rows by which prefetching of rows is ahead
    PAIRS_LINE = 16   // indices or codes in a cache line
};

// Functions that run at most once in a call: compilers make them small.
#if defined(__GNUC__)
#define MOTE_RARE __attribute__((cold))
#else
#define MOTE_RARE
#endif

// What a search for rows of codes finds besides.
struct row_codes {
    atomic_bool is_unfit;            // there is a neighbour without a code; the rows are useless
    atomic_uint_least64_t shifts[2]; // bits of the shifts that neighbours may have
};

// The sum of the numbers of two shifts' codes is that of their sum, apart from CODE_NO_SHIFT.
static inline uint32_t mote_shift_step(const int32_t shift[3])
{
    return ((uint32_t)shift[0] * CODE_SIDE + (uint32_t)shift[1]) * CODE_SIDE + (uint32_t)shift[2];
}

// Rows of codes, and what pairs are computed from.
typedef struct coded_rows {
    size_t count;
    const uint64_t *first;
    const uint32_t *counts, *codes;
    const double *records;  // of the sorted points: x, y, z and the bits of the index as a 64-bit number
    const double *at[3];    // coordinates of the points
    bool is_periodic;
    double vectors[CODE_SHIFTS][4];  // of the shifts that occur; the last number does not matter
    int32_t shifts[CODE_SHIFTS][4];
    int64_t shifts_64[CODE_SHIFTS][4];
    mote_pair_arrays to;
} coded_rows;

// Writes the pairs of the rows `begin` … end − 1 to the places from `at` to `at_end` − 1.
typedef void coded_lanes(const coded_rows *rows, size_t begin, size_t end, uint64_t at, uint64_t at_end);

// Writes both indices of all pairs of those rows, and nothing else.
typedef void index_lanes(const mote_lists *lists, const mote_pair_arrays *to, size_t begin, size_t end, uint64_t at,
                         uint64_t at_end);

// Pairs of two indices that are written while their rows are found: one worker that finds rows in order knows where
// the next pairs go. Writing waits for memory, finding for the processor, so both together take less than one after
// the other.
struct row_pairs {
    const mote_pair_arrays *to;
    index_lanes *put;
    uint64_t count;
    size_t next;    // the row whose pairs come next
    bool is_whole;  // the pairs of all rows before it were written
};

#endif
