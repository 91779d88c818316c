// SPDX-License-Identifier: MIT
// The table for moving the lanes of a mask to the front: for each 8-bit mask the positions of its set bits, one byte
// each, lowest first.

#include "base/wide_compress.h"

#if MOTE_HAVE_AVX2

// Whether the lane that is number n in the order of `by` is in the mask: lane n ^ by. And how many before it are.
#define IN(mask, n, by) ((mask) >> ((n) ^ (by)) & 1)
#define RANK1(mask, by) IN(mask, 0, by)
#define RANK2(mask, by) (RANK1(mask, by) + IN(mask, 1, by))
#define RANK3(mask, by) (RANK2(mask, by) + IN(mask, 2, by))
#define RANK4(mask, by) (RANK3(mask, by) + IN(mask, 3, by))
#define RANK5(mask, by) (RANK4(mask, by) + IN(mask, 4, by))
#define RANK6(mask, by) (RANK5(mask, by) + IN(mask, 5, by))
#define RANK7(mask, by) (RANK6(mask, by) + IN(mask, 6, by))
#define PUT(mask, n, by, rank) ((uint64_t)(IN(mask, n, by) * ((n) ^ (by))) << (8 * (rank)))
#define ROW1(mask, by)                                                                               \
    (PUT(mask, 0, by, 0) | PUT(mask, 1, by, RANK1(mask, by)) | PUT(mask, 2, by, RANK2(mask, by)) |   \
     PUT(mask, 3, by, RANK3(mask, by)) | PUT(mask, 4, by, RANK4(mask, by)) |                         \
     PUT(mask, 5, by, RANK5(mask, by)) | PUT(mask, 6, by, RANK6(mask, by)) | PUT(mask, 7, by, RANK7(mask, by)))
#define ROW4(mask, by) ROW1(mask, by), ROW1((mask) + 1, by), ROW1((mask) + 2, by), ROW1((mask) + 3, by)
#define ROW16(mask, by) ROW4(mask, by), ROW4((mask) + 4, by), ROW4((mask) + 8, by), ROW4((mask) + 12, by)
#define ROW64(mask, by) ROW16(mask, by), ROW16((mask) + 16, by), ROW16((mask) + 32, by), ROW16((mask) + 48, by)
#define ROWS(by) {ROW64(0, by), ROW64(64, by), ROW64(128, by), ROW64(192, by)}
const uint64_t mote_compress_places[8][256] = {ROWS(0), ROWS(1), ROWS(2), ROWS(3), ROWS(4), ROWS(5), ROWS(6), ROWS(7)};

#else

typedef int mote_no_compress;  // a C file must contain a declaration

#endif
