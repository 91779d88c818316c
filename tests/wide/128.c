// SPDX-License-Identifier: MIT
// Every operation of base/wide.h in the form for 128-bit vectors.

#define MOTE_WIDE_128
#include "base/tested.h"

#if MOTE_HAVE_SIMD128
#include "wide/cases.inl"
#else
typedef int wide_no_128;  // a C file must contain a declaration
#endif
