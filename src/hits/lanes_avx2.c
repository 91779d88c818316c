// SPDX-License-Identifier: MIT
// The module's loops for AVX2.

#define MOTE_WIDE_AVX2
#include "base/wide.h"

#if MOTE_HAVE_AVX2
#include "hits/closest_lanes.c"
#include "hits/motion_cell_lanes.c"
#include "hits/motion_certain.c"
#include "hits/motion_descent.c"
#include "hits/motion_faces.c"
#include "hits/motion_filter.c"
#include "hits/motion_lanes.c"
#include "hits/motion_march.c"
#include "hits/motion_root.c"
#include "hits/motion_stream.c"
#include "hits/motion_triangle.c"
#include "hits/motion_ways.c"
#include "hits/structure_lower.c"
#include "hits/winding_lanes.c"
#endif

#include "base/wide_end.h"
