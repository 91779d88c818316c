// SPDX-License-Identifier: MIT
// The module's loops for 128-bit vectors.

#define MOTE_WIDE_128
#include "base/wide.h"

#if MOTE_HAVE_SIMD128
#include "neighbors/grid_filter.c"
#include "neighbors/grid_gather.c"
#include "neighbors/grid_keys.c"
#include "neighbors/grid_pairs.c"
#include "neighbors/grid_scan.c"
#include "neighbors/grid_sieve.c"
#include "neighbors/pair_indices.c"
#include "neighbors/tree_nearest_group.c"
#endif

#include "base/wide_end.h"
