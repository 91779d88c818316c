// SPDX-License-Identifier: MIT
// The module's loops for 128-bit vectors.

#define MOTE_WIDE_128
#include "base/wide.h"

#if MOTE_HAVE_SIMD128
#include "surface/corner_weights.c"
#include "surface/field.c"
#include "surface/gather_rows.c"
#include "surface/locate.c"
#include "surface/row_signs.c"
#endif

#include "base/wide_end.h"
