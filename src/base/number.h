// SPDX-License-Identifier: MIT
// base/number.h: numbers in texts, the same whatever setlocale was called with.
#ifndef MOTE_BASE_NUMBER_H
#define MOTE_BASE_NUMBER_H

#include "base/internal.h"

// Reads all of text[0 … length) as a decimal number (sign, digits, point, exponent), rounded to the nearest double,
// ties to even. False for any other text, including "inf", "nan" and numbers that overflow to infinity.
MOTE_FOR_IO bool mote_number_parse(const char *text, size_t length, double *value);

// The same for an integer within min … max.
MOTE_FOR_IO bool mote_integer_parse(const char *text, size_t length, int64_t min, int64_t max, int64_t *value);

#endif
