// SPDX-License-Identifier: MIT
// The module's loops for AVX-512.

#define MOTE_WIDE_AVX512
#include "base/wide.h"

#if MOTE_HAVE_AVX2
#include "neighbors/grid_filter.c"
#include "neighbors/grid_keys.c"
#include "neighbors/grid_scan.c"
#include "neighbors/grid_sieve.c"
#include "neighbors/tree_nearest_group.c"
#endif

#include "base/wide_end.h"
