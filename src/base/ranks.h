// SPDX-License-Identifier: MIT
// base/ranks.h: how many numbers of a row are less than each of them.
#ifndef MOTE_BASE_RANKS_H
#define MOTE_BASE_RANKS_H

#include "base/internal.h"

// Numbers are compared as if they were signed. Both arrays have room for MOTE_WIDE_MOST more; that of `values` is
// initialised.
typedef void rank_function(const uint32_t *values, uint32_t count, uint32_t *ranks);
rank_function mote_ranks_plain, mote_ranks_avx2, mote_ranks_avx512, mote_ranks_128;

#endif
