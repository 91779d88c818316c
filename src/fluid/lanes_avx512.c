// SPDX-License-Identifier: MIT
// The module's loops for AVX-512: those over particles for themselves. Its registers hold more than the eight lanes of
// a sum over neighbours.

#define MOTE_WIDE_AVX512
#include "base/wide.h"

#if MOTE_HAVE_AVX2
#include "fluid/field_lanes.c"
#endif

#include "base/wide_end.h"
