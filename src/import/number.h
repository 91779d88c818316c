// SPDX-License-Identifier: MIT
// import/number.h: numbers in text files, the same whatever setlocale was called with.
#ifndef MOTE_IMPORT_NUMBER_H
#define MOTE_IMPORT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Reads all of text[0 … length) as a decimal number (sign, digits, point, exponent), rounded to the nearest double,
// ties to even. False for any other text, including "inf", "nan" and numbers that overflow to infinity.
bool mote_number_parse(const char *text, size_t length, double *value);

// The same for an integer within min … max.
bool mote_integer_parse(const char *text, size_t length, int64_t min, int64_t max, int64_t *value);

#endif
