// SPDX-License-Identifier: MIT
// Mean, frequency and amplitude of a series that oscillates, by a window that begins and ends at 0 (Hann): what a whole
// number of periods would give is found without knowing the period.

#include "validate_oscillation.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static double weight_of(size_t k, size_t count)
{
    return 1 - cos(2 * pi * ((double)k + 0.5) / (double)count);
}

double validate_windowed_mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; ++k) sum += weight_of(k, count) * values[k];
    return sum / (double)count;
}

// The amplitude of what oscillates with a frequency, around the mean.
static double amplitude_of(const double *values, size_t count, double mean, double radians)
{
    double real = 0, imaginary = 0;
    for (size_t k = 0; k < count; ++k) {
        const double part = weight_of(k, count) * (values[k] - mean), angle = radians * (double)k;
        real += part * cos(angle), imaginary += part * sin(angle);
    }
    return 2 * hypot(real, imaginary) / (double)count;
}

validate_oscillation validate_find_oscillation(const double *values, size_t count, double interval, double lowest,
                                               double highest, double step)
{
    validate_oscillation found = {validate_windowed_mean(values, count), NAN, 0};
    for (double frequency = lowest; frequency <= highest; frequency += step) {
        const double amplitude = amplitude_of(values, count, found.mean, 2 * pi * frequency * interval);
        if (amplitude > found.amplitude) found.amplitude = amplitude, found.frequency = frequency;
    }
    return found;
}
