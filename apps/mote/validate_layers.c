// SPDX-License-Identifier: MIT
// A light fluid on a heavy one stays at rest: pressure, where the interface is, and speed.

#include <math.h>

#include "validate.h"

enum { SAMPLES = 10 };
static const double height = 2, interface = 1, gravity = 9.81;
enum { WATER = 0 };

enum { PRESSURE, INTERFACE, SPEED, CHECK_COUNT };
static const validate_check checks[CHECK_COUNT] = {
    [PRESSURE] = {.quantity = "rms error of pressure over that at the floor",
                  .kind = VALIDATE_AT_MOST, .quick = 0.03, .full = 0.03, .source = "hydrostatics"},
    [INTERFACE] = {.quantity = "error of the interface's height [spacings]", .kind = VALIDATE_AT_MOST, .quick = 0.2,
                   .full = 0.2, .source = "hydrostatics; twice the mean height of the water"},
    [SPEED] = {.quantity = "largest speed over sqrt(gH)", .kind = VALIDATE_AT_MOST, .quick = 0.02, .full = 0.02,
               .source = "rest"},
};

static bool measure(validate_run *run)
{
    const double end = run->scene->number > 100 ? 3 : 1;
    run->end = end;
    mote_fluid_view view;
    mote_fluid_totals totals;
    validate_curve(run, "time,speed");
    for (int k = 1; k <= SAMPLES; ++k) {
        const double time = end * k / SAMPLES;
        if (!validate_advance(run, time)) return false;
        if (mote_fluid_get_totals(run->fluid, &totals, &run->error) != MOTE_OK) return false;
        validate_point(run, 2, (double[]){time, totals.max_speed / sqrt(gravity * height)});
    }
    if (!validate_view(run, &view)) return false;
    const double heavy = mote_fluid_resolved_phase(run->fluid, WATER).rest_density;
    const double light = mote_fluid_resolved_phase(run->fluid, !WATER).rest_density;
    const double floor_pressure = gravity * (light * (height - interface) + heavy * interface);
    double squares = 0, sum = 0, count = 0;
    for (size_t i = 0; i < view.count; ++i) {
        const double z = view.z[i], above = gravity * light * (height - (z > interface ? z : interface));
        const double exact = above + gravity * heavy * (z < interface ? interface - z : 0);
        const double off = ((double)view.pressure[i] - exact) / floor_pressure;
        squares += off * off / (double)view.count;
        if (view.phase[i] == WATER) sum += view.z[i], ++count;
    }
    validate_report(run, PRESSURE, sqrt(squares), NAN);
    validate_report(run, INTERFACE, fabs(2 * sum / count - interface) / run->spacing, NAN);
    validate_report(run, SPEED, totals.max_speed / sqrt(gravity * height), NAN);
    return true;
}

static const validate_scene scenes[] = {  // and how much lighter the upper fluid is
    {"layers", 1, 100, {{20, true, VALIDATE_QUICK}, {40, false, VALIDATE_FULL}}, checks, CHECK_COUNT},
    {"layers-1000", 1, 1000, {{20, false, VALIDATE_FULL}}, checks, CHECK_COUNT},
};

const validate_case validate_layers = {
    .name = "layers",
    .meaning = "a light fluid on a heavy one stays at rest",
    .scenes = scenes,
    .scene_count = sizeof scenes / sizeof *scenes,
    .measure = measure,
};
