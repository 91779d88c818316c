// SPDX-License-Identifier: MIT
// A bubble that rises in a box (Hysing et al. 2009, case 1): its greatest speed, and where it has come to. Quick
// tolerances are so narrow that twice the viscosity fails.

#include <math.h>

#include "validate.h"

static const double end = 3, greatest_rise = 0.2417, time_of_it = 0.9213, center = 1.0813;
enum { SAMPLES = 60, GAS = 1 };

enum { RISE, TIME, CENTER, CHECK_COUNT };
static const validate_check checks[CHECK_COUNT] = {
    [RISE] = {.quantity = "greatest rise [m/s]", .kind = VALIDATE_RELATIVE, .quick = 0.04, .full = 0.05,
              .source = "Hysing et al. 2009, case 1, group 3"},
    [TIME] = {.quantity = "time of the greatest rise [s]", .kind = VALIDATE_ABSOLUTE, .quick = 0.1, .full = 0.1,
              .source = "Hysing et al. 2009"},
    [CENTER] = {.quantity = "height of the centre at t = 3 s [m]", .kind = VALIDATE_RELATIVE, .quick = 0.005,
                .full = 0.02, .source = "Hysing et al. 2009"},
};

static bool measure(validate_run *run)
{
    run->end = end;
    validate_curve(run, "time,center,rise");
    double greatest = -HUGE_VAL, when = 0, height = 0;
    for (int k = 1; k <= SAMPLES; ++k) {
        mote_fluid_view view;
        double rise = 0, count = 0;
        const double time = end * k / SAMPLES;
        if (!validate_advance(run, time) || !validate_view(run, &view)) return false;
        height = 0;
        for (size_t i = 0; i < view.count; ++i) {
            if (view.phase[i] != GAS) continue;
            height += view.z[i], rise += (double)view.vz[i], ++count;
        }
        height /= count, rise /= count;
        if (rise > greatest) greatest = rise, when = time;
        validate_point(run, 3, (double[]){time, height, rise});
        if (time > 1.5) validate_report(run, RISE, greatest, greatest_rise);
        if (time > 1.5) validate_report(run, TIME, when, time_of_it);
    }
    validate_report(run, CENTER, height, center);
    return true;
}

static const validate_scene scene = {
    "bubble", 1, 0, {{32, true, VALIDATE_QUICK}, {64, false, VALIDATE_FULL}, {128, false, VALIDATE_FULL}}, checks,
    CHECK_COUNT};

const validate_case validate_bubble = {
    .name = "bubble",
    .meaning = "a bubble rises in a box",
    .scenes = &scene,
    .scene_count = 1,
    .measure = measure,
};
