// SPDX-License-Identifier: MIT
// Taylor and Green's vortices in a periodic square at Re 100, which keep their shape while they decay.

#include <math.h>

#include "validate.h"
#include "validate_exact.h"

static const double viscosity = 0.01, end = 2;
enum { SAMPLES = 40 };

enum { RATE, SPEED, CHECK_COUNT };
static const validate_check checks[CHECK_COUNT] = {
    [RATE] = {.quantity = "decay rate of the velocity [1/s]", .kind = VALIDATE_RELATIVE, .quick = 0.04, .full = 0.02,
              .source = "-8 pi^2 / Re; half the slope of ln E over 0 ... 2"},
    [SPEED] = {.quantity = "speed L1 error / greatest speed", .kind = VALIDATE_AT_MOST, .quick = 0.05, .full = 0.05,
               .source = "exact solution; the greatest of all times"},
};

// The mean error of speeds, relative to the greatest exact speed at that time; and the kinetic energy per mass.
static double speed_error(const mote_fluid_view *view, double t, double *energy)
{
    double wrong = 0;
    *energy = 0;
    for (size_t i = 0; i < view->count; ++i) {
        double exact[2];
        const double vx = (double)view->vx[i], vz = (double)view->vz[i];
        exact_taylor_green(view->x[i], view->z[i], t, viscosity, exact);
        wrong += fabs(hypot(vx, vz) - hypot(exact[0], exact[1]));
        *energy += (vx * vx + vz * vz) / 2;
    }
    *energy /= (double)view->count;
    return wrong / (double)view->count / exp(exact_taylor_green_rate(viscosity) * t);
}

static bool measure(validate_run *run)
{
    double t[SAMPLES + 1], logarithm[SAMPLES + 1], worst = 0;
    run->end = end;
    validate_curve(run, "time,energy,exact_energy,speed_error");
    for (int k = 0; k <= SAMPLES; ++k) {
        mote_fluid_view view;
        double energy;
        t[k] = end * k / SAMPLES;
        if ((k && !validate_advance(run, t[k])) || !validate_view(run, &view)) return false;
        const double wrong = speed_error(&view, t[k], &energy);
        worst = fmax(worst, wrong);
        logarithm[k] = log(energy);
        const double exact = 0.25 * exp(2 * exact_taylor_green_rate(viscosity) * t[k]);
        validate_point(run, 4, (double[]){t[k], energy, exact, wrong});
    }
    const validate_line line = validate_fit_line(t, logarithm, SAMPLES + 1);
    validate_report(run, RATE, line.slope / 2, exact_taylor_green_rate(viscosity));
    validate_report(run, SPEED, worst, NAN);
    return true;
}

static const validate_scene scene = {
    "taylor-green", 1, 100, {{25, false, VALIDATE_TOLD}, {50, true, VALIDATE_QUICK}, {100, false, VALIDATE_FULL}},
    checks, CHECK_COUNT};

const validate_case validate_taylor_green = {
    .name = "taylor-green",
    .meaning = "vortices that decay in a periodic square, Re 100",
    .scenes = &scene,
    .scene_count = 1,
    .measure = measure,
};
