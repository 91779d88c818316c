// SPDX-License-Identifier: MIT
// wide/cases.h: every operation of base/wide.h on the same numbers, in one form.
#ifndef MOTE_TEST_WIDE_CASES_H
#define MOTE_TEST_WIDE_CASES_H

#include <stdint.h>

enum { WIDE_CASES = 1 << 20 };  // a multiple of the lanes of any form

typedef struct wide_input {
    float a[WIDE_CASES + 64], b[WIDE_CASES + 64];
    float small_floats[WIDE_CASES + 64];  // no NaN
    double c[WIDE_CASES + 64], d[WIDE_CASES + 64], small[WIDE_CASES + 64];  // small: fits 32 bits
    int32_t i[WIDE_CASES + 64];
    int16_t shorts[WIDE_CASES + 64];
    uint32_t u[WIDE_CASES + 64], v[WIDE_CASES + 64], record[WIDE_CASES + 64];  // record: below WIDE_CASES / 4
    uint16_t bits[WIDE_CASES / 16];  // for sixteen numbers each
} wide_input;

// A row for each operation: its name, the bytes of a result, the results.
typedef struct wide_row {
    const char *name;
    enum { WIDE_ROW_F32, WIDE_ROW_F64, WIDE_ROW_U32, WIDE_ROW_U64 } type;
    void *results;
} wide_row;

enum { WIDE_ROWS = 160 };

typedef struct wide_output {
    wide_row rows[WIDE_ROWS];
    int row_count;
} wide_output;

// Appends the form's rows, whose results the caller frees.
typedef void wide_cases(const wide_input *in, wide_output *out);
wide_cases wide_cases_plain, wide_cases_avx2, wide_cases_avx512, wide_cases_128;

// Compares a form with the plain one, and prints which operations differ. Returns how many do; -1 without memory.
int wide_compare(wide_cases *cases);

// Compares base/wide4.h with one number at a time, on the same numbers. Returns as wide_compare does.
int wide_compare_four(void);

#endif
