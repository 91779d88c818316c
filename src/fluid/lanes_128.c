// SPDX-License-Identifier: MIT
// The module's loops for 128-bit vectors.

#define MOTE_WIDE_128
#include "base/wide.h"

#if MOTE_HAVE_SIMD128
#include "fluid/field_lanes.c"
#include "fluid/pair_sums.c"
#include "fluid/state_lanes.c"
#include "fluid/weak_pairs.c"
#endif

#include "base/wide_end.h"
