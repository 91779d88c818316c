// SPDX-License-Identifier: MIT
// A round patch of fluid that becomes an ellipse (Monaghan 1994), without walls and without gravity.

#include <math.h>

#include "validate.h"
#include "validate_exact.h"

static const double rate = 100, end = 0.0076;
enum { SAMPLES = 19 };

enum { AXIS_X, AXIS_Z, CHECK_COUNT };
static const validate_check checks[CHECK_COUNT] = {
    [AXIS_X] = {.quantity = "semi-axis along x [m]", .kind = VALIDATE_RELATIVE, .quick = 0.01, .full = 0.01,
                .source = "Monaghan 1994, integrated; 2 sqrt(mean x^2)"},
    [AXIS_Z] = {.quantity = "semi-axis along z [m]", .kind = VALIDATE_RELATIVE, .quick = 0.01, .full = 0.01,
                .source = "Monaghan 1994, integrated; 2 sqrt(mean z^2)"},
};

static bool measure(validate_run *run)
{
    run->end = end;
    validate_curve(run, "time,axis_x,axis_z,exact_x,exact_z");
    for (int k = 1; k <= SAMPLES; ++k) {
        mote_fluid_view view;
        double xx = 0, zz = 0, axes[2];
        const double time = end * k / SAMPLES;
        if (!validate_advance(run, time) || !validate_view(run, &view)) return false;
        for (size_t i = 0; i < view.count; ++i) {
            xx += view.x[i] * view.x[i] / (double)view.count;
            zz += view.z[i] * view.z[i] / (double)view.count;
        }
        exact_drop(rate, time, axes);
        validate_report(run, AXIS_X, 2 * sqrt(xx), axes[0]);
        validate_report(run, AXIS_Z, 2 * sqrt(zz), axes[1]);
        validate_point(run, 5, (double[]){time, 2 * sqrt(xx), 2 * sqrt(zz), axes[0], axes[1]});
    }
    return true;
}

static const validate_scene scene = {
    "drop", 1, 0, {{25, false, VALIDATE_TOLD}, {50, true, VALIDATE_QUICK}, {100, false, VALIDATE_FULL}}, checks,
    CHECK_COUNT};

const validate_case validate_drop = {
    .name = "drop",
    .meaning = "a round patch of fluid becomes an ellipse",
    .scenes = &scene,
    .scene_count = 1,
    .measure = measure,
};
