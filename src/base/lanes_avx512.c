// SPDX-License-Identifier: MIT
// The module's loops for AVX-512.

#define MOTE_WIDE_AVX512
#include "base/wide.h"

#if MOTE_HAVE_AVX2
#include "base/ranks.c"
#endif

#include "base/wide_end.h"
