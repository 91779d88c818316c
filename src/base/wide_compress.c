// SPDX-License-Identifier: MIT
// The table for moving the lanes of a mask to the front: for each 8-bit mask the positions of its set bits, one byte
// each, lowest first.

#include "base/wide_compress.h"

#if MOTE_HAVE_AVX2

#define PLACE(mask, bit) (((mask) >> (bit)) & 1)
#define RANK(mask, bit)                                                                                     \
    (((bit) > 0 ? PLACE(mask, 0) : 0) + ((bit) > 1 ? PLACE(mask, 1) : 0) + ((bit) > 2 ? PLACE(mask, 2) : 0) + \
     ((bit) > 3 ? PLACE(mask, 3) : 0) + ((bit) > 4 ? PLACE(mask, 4) : 0) + ((bit) > 5 ? PLACE(mask, 5) : 0) + \
     ((bit) > 6 ? PLACE(mask, 6) : 0))
#define PUT(mask, bit) (PLACE(mask, bit) ? (uint64_t)(bit) << (8 * RANK(mask, bit)) : 0)
#define ROW1(mask)                                                                                        \
    (PUT(mask, 0) | PUT(mask, 1) | PUT(mask, 2) | PUT(mask, 3) | PUT(mask, 4) | PUT(mask, 5) | PUT(mask, 6) | \
     PUT(mask, 7))
#define ROW4(mask) ROW1(mask), ROW1((mask) + 1), ROW1((mask) + 2), ROW1((mask) + 3)
#define ROW16(mask) ROW4(mask), ROW4((mask) + 4), ROW4((mask) + 8), ROW4((mask) + 12)
#define ROW64(mask) ROW16(mask), ROW16((mask) + 16), ROW16((mask) + 32), ROW16((mask) + 48)
const uint64_t mote_compress_places[256] = {ROW64(0), ROW64(64), ROW64(128), ROW64(192)};

#else

typedef int mote_no_compress;  // a C file must contain a declaration

#endif
