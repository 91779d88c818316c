// SPDX-License-Identifier: MIT
// validate_oscillation.h: mean, frequency and amplitude of a series that oscillates.
#ifndef MOTE_VALIDATE_OSCILLATION_H
#define MOTE_VALIDATE_OSCILLATION_H

#include <stddef.h>

typedef struct validate_oscillation {
    double mean, frequency, amplitude;  // the frequency is NaN where nothing oscillates
} validate_oscillation;

// A mean that hardly depends on how many periods the values have, whole or not.
double validate_windowed_mean(const double *values, size_t count);
// Looks through frequencies from the lowest to the highest for that of the largest amplitude.
// @param values    at equal intervals of time
validate_oscillation validate_find_oscillation(const double *values, size_t count, double interval, double lowest,
                                               double highest, double step);

#endif
