// SPDX-License-Identifier: MIT
// The module's loops for AVX2.

#define MOTE_WIDE_AVX2
#include "base/wide.h"

#if MOTE_HAVE_AVX2
#include "fluid/field_lanes.c"
#include "fluid/pair_sums.c"
#include "fluid/state_lanes.c"
#include "fluid/weak_pairs.c"
#endif

#include "base/wide_end.h"
