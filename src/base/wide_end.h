// SPDX-License-Identifier: MIT
// base/wide_end.h: ends the code for the form that base/wide.h began: the last line of a file that chose one.
#if MOTE_HAVE_AVX2 && (defined(MOTE_WIDE_AVX2) || defined(MOTE_WIDE_AVX512)) && defined(__clang__)
#pragma clang attribute pop
#endif
