// SPDX-License-Identifier: MIT
// A drop in another fluid swings in mode 2, between two ellipses: its frequency (Lamb 1932, section 275; in the plane
// likewise).

#include <math.h>

#include "validate.h"

static const double radius = 0.5, sigma = 1, outer_density = 1;
enum { SAMPLES = 250, OIL = 1, CROSSINGS = 3 };

enum { FREQUENCY, CHECK_COUNT };
static const validate_check checks[CHECK_COUNT] = {
    [FREQUENCY] = {.quantity = "angular frequency of mode 2 [1/s]",
                   .kind = VALIDATE_RELATIVE,
                   .quick = 0.1,
                   .full = 0.05,
                   .source = "Lamb: sqrt(6 sigma/((rho_i + rho_o) R^3)); from the first to the third passage"},
};
static const validate_check checks_3d[CHECK_COUNT] = {
    [FREQUENCY] = {.quantity = "angular frequency of mode 2 [1/s]",
                   .kind = VALIDATE_RELATIVE,
                   .quick = NAN,
                   .full = 0.08,
                   .source = "Lamb: sqrt(24 sigma/((3 rho_i + 2 rho_o) R^3)); from the first to the third passage"},
};

static double frequency(const validate_run *run)
{
    const double inner_density = run->scene->number, cube = radius * radius * radius;
    if (run->def.dimensions == 3) return sqrt(24 * sigma / ((3 * inner_density + 2 * outer_density) * cube));
    return sqrt(6 * sigma / ((inner_density + outer_density) * cube));
}

// How much longer the drop is than wide, over its size.
static double length_of(const mote_fluid_view *view, int dimensions)
{
    double across = 0, z = 0;
    for (size_t i = 0; i < view->count; ++i) {
        if (view->phase[i] != OIL) continue;
        across += view->x[i] * view->x[i], z += view->z[i] * view->z[i];
        if (dimensions == 3) across += view->y[i] * view->y[i];
    }
    across /= dimensions - 1;
    return (z - across) / (z + across);
}

static bool measure(validate_run *run)
{
    const double pi = 3.14159265358979323846, expected = frequency(run), end = 1.75 * 2 * pi / expected;
    run->end = end;
    validate_curve(run, "time,length");
    double before = 0, passages[CROSSINGS];
    int count = 0;
    for (int k = 1; k <= SAMPLES; ++k) {
        mote_fluid_view view;
        const double step = end / SAMPLES, time = step * k;
        if (!validate_advance(run, time) || !validate_view(run, &view)) return false;
        const double now = length_of(&view, run->def.dimensions);
        if (before * now < 0 && count < CROSSINGS) passages[count++] = time - step * now / (now - before);
        before = now;
        validate_point(run, 2, (double[]){time, now});
    }
    if (count == CROSSINGS) validate_report(run, FREQUENCY, 2 * pi / (passages[CROSSINGS - 1] - passages[0]), expected);
    return true;
}

// The number of a scene is the density of the drop [kg/m³].
static const validate_scene scenes[] = {
    {"swing",
     0.5,
     1,
     {{10, true, VALIDATE_QUICK}, {20, false, VALIDATE_FULL}, {40, false, VALIDATE_FULL}},
     checks,
     CHECK_COUNT},
    // By the default tension.
    {"swing-stress",
     0.5,
     1,
     {{10, true, VALIDATE_QUICK}, {20, false, VALIDATE_FULL}, {40, false, VALIDATE_FULL}},
     checks,
     CHECK_COUNT},
    {"swing-heavy", 0.5, 10, {{10, false, VALIDATE_TOLD}, {20, false, VALIDATE_TOLD}}, checks, CHECK_COUNT},
    {"swing-3d", 0.5, 1, {{8, false, VALIDATE_TOLD}, {12, false, VALIDATE_FULL}}, checks_3d, CHECK_COUNT},
};

const validate_case validate_swing = {
    .name = "swing",
    .meaning = "a drop swings between two ellipses",
    .scenes = scenes,
    .scene_count = sizeof scenes / sizeof *scenes,
    .measure = measure,
};
