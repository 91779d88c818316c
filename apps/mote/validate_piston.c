// SPDX-License-Identifier: MIT
// Waves of a piston in a channel, beside linear theory: a piston that strokes by S makes waves that are
// 2 S (cosh 2kh − 1)/(sinh 2kh + 2kh) high, crest to trough (Dean & Dalrymple 1991, eq. 6.25; S/2 is the piston's
// amplitude). A damping box at the end absorbs them. What it sends back is found from the elevation at two places a
// quarter of a wavelength apart (Goda & Suzuki 1976): at both, a wave that goes and one that comes back add up.

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "validate.h"

static const double pi = 3.14159265358979323846;
static const double depth = 1, stroke = 0.1, omega = 2.7333, wavelength = 6.2832;  // of the scene; kh = 1
static const double interval = 0.02;
// The front reaches the second gauge after 2.6 periods and the end of the box after 4.3; what comes back from there is
// at the second gauge after 6.1, at the first after 6.5.
static const int periods_before = 5, periods_high = 2, periods_back = 2;

enum { HEIGHT, BACK, CHECK_COUNT, GAUGES = 2 };
static const validate_check checks[CHECK_COUNT] = {
    [HEIGHT] = {.quantity = "height of the waves two wavelengths away [m]", .kind = VALIDATE_RELATIVE, .quick = NAN,
                .full = 0.1, .source = "Dean & Dalrymple 1991, eq. 6.25"},
    [BACK] = {.quantity = "share of height that the box sends back", .kind = VALIDATE_AT_MOST,
              .quick = NAN, .full = 0.1, .source = "none should; two gauges as Goda & Suzuki 1976"},
};

// The amplitude of the frequency ω in samples of whole periods.
static double complex amplitude(const double *height, size_t count, double first)
{
    double complex sum = 0;
    for (size_t k = 0; k < count; ++k) sum += height[k] * cexp(I * omega * (first + interval * (double)k));
    return 2 * sum / (double)count;
}

// Crest to trough, in the mean over periods.
static double mean_height(const double *height, size_t count, int periods)
{
    double sum = 0;
    for (int p = 0; p < periods; ++p) {
        const size_t begin = count * (size_t)p / (size_t)periods, end = count * (size_t)(p + 1) / (size_t)periods;
        double low = height[begin], high = height[begin];
        for (size_t k = begin; k < end; ++k) low = fmin(low, height[k]), high = fmax(high, height[k]);
        sum += high - low;
    }
    return sum / periods;
}

static void report(validate_run *run, const double *height[GAUGES], size_t before, size_t high, size_t back)
{
    const double k2 = 2 * depth * 2 * pi / wavelength;
    const double expected = 2 * stroke * (cosh(k2) - 1) / (sinh(k2) + k2);
    validate_report(run, HEIGHT, mean_height(height[1] + before, high, periods_high), expected);
    const size_t begin = before + high;
    double complex at[GAUGES];
    for (int g = 0; g < GAUGES; ++g) at[g] = amplitude(height[g] + begin, back, interval * (double)(begin + 1));
    validate_report(run, BACK, cabs(at[0] + I * at[1]) / cabs(at[0] - I * at[1]), NAN);
}

static size_t samples_of(int periods)
{
    return (size_t)floor(periods * 2 * pi / omega / interval + 0.5);
}

static bool measure(validate_run *run)
{
    const double places[GAUGES] = {1.75 * wavelength, 2 * wavelength};
    const size_t before = samples_of(periods_before), high = samples_of(periods_high);
    const size_t back = samples_of(periods_back), count = before + high + back;
    double *all = malloc(GAUGES * count * sizeof *all);
    if (!all) return false;
    run->end = interval * (double)count;
    validate_curve(run, "time,first,second");
    bool is_done = true;
    for (size_t k = 0; k < count && is_done; ++k) {
        mote_fluid_view view;
        const double time = interval * (double)(k + 1);
        is_done = validate_advance(run, time) && validate_view(run, &view);
        for (int g = 0; g < GAUGES && is_done; ++g)
            all[(size_t)g * count + k] = validate_height(&view, 2, places[g], 0, run->spacing) - depth;
        if (is_done) validate_point(run, 3, (double[]){time, all[k], all[count + k]});
    }
    if (is_done) report(run, (const double *[]){all, all + count}, before, high, back);
    free(all);
    return is_done;
}

static const validate_scene scene = {
    "piston", 1, 0, {{15, false, VALIDATE_TOLD}, {30, false, VALIDATE_FULL}, {60, false, VALIDATE_FULL}}, checks,
    CHECK_COUNT};

const validate_case validate_piston = {
    .name = "piston",
    .meaning = "waves of a piston in a channel, and a box that absorbs them",
    .scenes = &scene,
    .scene_count = 1,
    .measure = measure,
};
