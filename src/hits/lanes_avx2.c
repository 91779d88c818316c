// SPDX-License-Identifier: MIT
// Loops of this module for AVX2; others have forms of their own.

#define MOTE_WIDE_AVX2
#include "base/wide.h"

#if MOTE_HAVE_AVX2
#include "hits/closest_lanes.c"
#include "hits/structure_lower.c"
#include "hits/winding_lanes.c"
#endif

#include "base/wide_end.h"
