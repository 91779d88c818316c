// SPDX-License-Identifier: MIT
// Every operation of base/wide.h in the form for AVX-512.

#define MOTE_WIDE_AVX512
#include "base/tested.h"

#if MOTE_HAVE_AVX2
#include "wide/cases.inl"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#else
typedef int wide_no_avx512;  // a C file must contain a declaration
#endif
