// SPDX-License-Identifier: MIT
// A bubble that rises in a box (Hysing et al. 2009, case 1): its greatest speed, and where it has come to. Quick
// tolerances are so narrow that twice the viscosity fails. Case 2, whose bubble falls apart, is told: the speed that is
// compared there is that of the first of two maxima.

#include <math.h>

#include "validate.h"

// Of group 3, in the tables of Hysing et al. 2009.
static const struct {
    double greatest_rise, time_of_it, center;
} references[2] = {{0.2417, 0.9213, 1.0813}, {0.2502, 0.7317, 1.1376}};
static const double end = 3, first_maximum = 1.5;  // within that time [s]
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

static const validate_check told[CHECK_COUNT] = {
    [RISE] = {.quantity = "greatest rise until 1.5 s [m/s]", .kind = VALIDATE_RELATIVE, .quick = NAN, .full = NAN,
              .source = "Hysing et al. 2009, case 2, group 3"},
    [TIME] = {.quantity = "time of the greatest rise [s]", .kind = VALIDATE_ABSOLUTE, .quick = NAN, .full = NAN,
              .source = "Hysing et al. 2009"},
    [CENTER] = {.quantity = "height of the centre at t = 3 s [m]", .kind = VALIDATE_RELATIVE, .quick = NAN,
                .full = NAN, .source = "Hysing et al. 2009"},
};

static bool measure(validate_run *run)
{
    const int number = (int)run->scene->number - 1;
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
        if (rise > greatest && (number == 0 || time < first_maximum)) greatest = rise, when = time;
        validate_point(run, 3, (double[]){time, height, rise});
        if (time > 1.5) validate_report(run, RISE, greatest, references[number].greatest_rise);
        if (time > 1.5) validate_report(run, TIME, when, references[number].time_of_it);
    }
    validate_report(run, CENTER, height, references[number].center);
    return true;
}

static const validate_scene scenes[] = {  // and the number of the case
    {"bubble", 1, 1, {{32, true, VALIDATE_QUICK}, {64, false, VALIDATE_FULL}, {128, false, VALIDATE_FULL}}, checks,
     CHECK_COUNT},
    {"bubble-2", 1, 2, {{32, false, VALIDATE_TOLD}, {64, false, VALIDATE_TOLD}}, told, CHECK_COUNT},
};

const validate_case validate_bubble = {
    .name = "bubble",
    .meaning = "a bubble rises in a box",
    .scenes = scenes,
    .scene_count = sizeof scenes / sizeof *scenes,
    .measure = measure,
};
