// SPDX-License-Identifier: MIT
// support/wide_number.h: floating point of 113 bits, for oracles: a product of two doubles is exact.
#ifndef MOTE_TEST_WIDE_NUMBER_H
#define MOTE_TEST_WIDE_NUMBER_H

#include <float.h>

#if LDBL_MANT_DIG >= 113
typedef long double wide_number;
#else
__extension__ typedef __float128 wide_number;
#endif

#endif
