// SPDX-License-Identifier: MIT
// The module's loops for AVX-512: those over many motions.

#define MOTE_WIDE_AVX512
#include "base/wide.h"

#if MOTE_HAVE_AVX2
#include "hits/motion_certain.c"
#include "hits/motion_faces.c"
#include "hits/motion_lanes.c"
#include "hits/motion_march.c"
#include "hits/motion_ways.c"
#endif

#include "base/wide_end.h"
