// SPDX-License-Identifier: MIT
// The module's loops for AVX2.

#define MOTE_WIDE_AVX2
#include "base/wide.h"

#if MOTE_HAVE_AVX2
#include "surface/corner_weights.c"
#include "surface/field.c"
#include "surface/gather_rows.c"
#include "surface/locate.c"
#include "surface/row_signs.c"
#endif

#include "base/wide_end.h"
