// SPDX-License-Identifier: MIT
// support/graveyard.h: memory that runs out in the middle of an object's life. The n-th allocation fails, for every n;
// what was released is filled with a pattern and kept, as nobody may write there.
#ifndef MOTE_TEST_GRAVEYARD_H
#define MOTE_TEST_GRAVEYARD_H

#include "mote/base.h"

// A life of objects, whose calls are repeated where they fail: with the memory that they then have they must succeed.
// @param sums     of what each call finds. Without a failure (n = 0) they are written; later they must be the same
// @param n        the number of the allocation that fails
typedef void grave_life(mote_context *context, void *data, uint64_t *sums, long n);

// Lives once without a failure, and then once for each allocation that can fail, with one and two threads by turns.
// @param sums     room for what `life` writes
void grave_fail_everywhere(grave_life *life, void *data, const char *what, uint64_t *sums);

// Mixes a value into a sum.
static inline uint64_t grave_mix(uint64_t sum, uint64_t value)
{
    return (sum ^ value) * 0x9E3779B97F4A7C15u + (sum >> 29);
}

#endif
