// SPDX-License-Identifier: MIT
// The table for moving the lanes of a mask to the front: for each 8-bit mask the positions of its set bits, one byte
// each, lowest first.

#include "base/wide_compress.h"

#if MOTE_HAVE_AVX2

#define PLACE(mask, bit) (((mask) >> (bit)) & 1)
#define BEFORE(mask, bit, by, other) (((other) ^ (by)) < ((bit) ^ (by)) ? PLACE(mask, other) : 0)
#define RANK(mask, bit, by)                                                                                 \
    (BEFORE(mask, bit, by, 0) + BEFORE(mask, bit, by, 1) + BEFORE(mask, bit, by, 2) + BEFORE(mask, bit, by, 3) + \
     BEFORE(mask, bit, by, 4) + BEFORE(mask, bit, by, 5) + BEFORE(mask, bit, by, 6) + BEFORE(mask, bit, by, 7))
#define PUT(mask, bit, by) (PLACE(mask, bit) ? (uint64_t)(bit) << (8 * RANK(mask, bit, by)) : 0)
#define ROW1(mask, by)                                                                                      \
    (PUT(mask, 0, by) | PUT(mask, 1, by) | PUT(mask, 2, by) | PUT(mask, 3, by) | PUT(mask, 4, by) | PUT(mask, 5, by) | \
     PUT(mask, 6, by) | PUT(mask, 7, by))
#define ROW4(mask, by) ROW1(mask, by), ROW1((mask) + 1, by), ROW1((mask) + 2, by), ROW1((mask) + 3, by)
#define ROW16(mask, by) ROW4(mask, by), ROW4((mask) + 4, by), ROW4((mask) + 8, by), ROW4((mask) + 12, by)
#define ROW64(mask, by) ROW16(mask, by), ROW16((mask) + 16, by), ROW16((mask) + 32, by), ROW16((mask) + 48, by)
#define ROWS(by) {ROW64(0, by), ROW64(64, by), ROW64(128, by), ROW64(192, by)}
const uint64_t mote_compress_places[8][256] = {ROWS(0), ROWS(1), ROWS(2), ROWS(3), ROWS(4), ROWS(5), ROWS(6), ROWS(7)};

#else

typedef int mote_no_compress;  // a C file must contain a declaration

#endif
