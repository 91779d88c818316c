// SPDX-License-Identifier: MIT
// base/series.h: a power series, in an order that is the same everywhere (Horner 1819).
#ifndef MOTE_BASE_SERIES_H
#define MOTE_BASE_SERIES_H

// The sum of coefficients[i]·x^i, i < count.
static inline double mote_sum_series(const double *coefficients, int count, double x)
{
    double sum = coefficients[count - 1];
    for (int i = count - 2; i >= 0; --i) sum = sum * x + coefficients[i];
    return sum;
}

#endif
