// SPDX-License-Identifier: MIT
// A drop in another fluid swings in mode 2, between two ellipses: its frequency (Lamb 1932, section 275, in the plane).

#include <math.h>

#include "validate.h"

static const double end = 3.5, radius = 0.5, sigma = 1, densities = 2;
enum { SAMPLES = 350, OIL = 1, CROSSINGS = 3 };

enum { FREQUENCY, CHECK_COUNT };
static const validate_check checks[CHECK_COUNT] = {
    [FREQUENCY] = {.quantity = "angular frequency of mode 2 [1/s]", .kind = VALIDATE_RELATIVE, .quick = 0.1,
                   .full = 0.05,
                   .source = "Lamb: sqrt(6 sigma/((rho_i + rho_o) R^3)); from the first to the third passage"},
};

// How much longer the drop is than wide, over its size.
static double length_of(const mote_fluid_view *view)
{
    double x = 0, z = 0;
    for (size_t i = 0; i < view->count; ++i)
        if (view->phase[i] == OIL) x += view->x[i] * view->x[i], z += view->z[i] * view->z[i];
    return (z - x) / (z + x);
}

static bool measure(validate_run *run)
{
    run->end = end;
    validate_curve(run, "time,length");
    double before = 0, passages[CROSSINGS];
    int count = 0;
    for (int k = 1; k <= SAMPLES; ++k) {
        mote_fluid_view view;
        const double step = end / SAMPLES, time = step * k;
        if (!validate_advance(run, time) || !validate_view(run, &view)) return false;
        const double now = length_of(&view);
        if (before * now < 0 && count < CROSSINGS) passages[count++] = time - step * now / (now - before);
        before = now;
        validate_point(run, 2, (double[]){time, now});
    }
    if (count == CROSSINGS) {
        const double period = passages[CROSSINGS - 1] - passages[0], pi = 3.14159265358979323846;
        validate_report(run, FREQUENCY, 2 * pi / period, sqrt(6 * sigma / (densities * radius * radius * radius)));
    }
    return true;
}

static const validate_scene scene = {
    "swing", 0.5, 0, {{10, true, VALIDATE_QUICK}, {20, false, VALIDATE_FULL}}, checks, CHECK_COUNT};

const validate_case validate_swing = {
    .name = "swing",
    .meaning = "a drop swings between two ellipses",
    .scenes = &scene,
    .scene_count = 1,
    .measure = measure,
};
