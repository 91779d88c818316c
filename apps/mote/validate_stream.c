// SPDX-License-Identifier: MIT
// A stream through a box, from an inlet to an outlet: Poiseuille's parabola comes in and has to go through unchanged.

#include <math.h>

#include "mote/opening.h"
#include "validate.h"

// A plate distance and a length of 1 m, 1 m/s in the middle, 1000 kg/m³, μ 100 Pa s.
static const double viscosity = 100, density = 1000, mean_speed = 2.0 / 3, begin = 1, finish = 10;
enum { SAMPLES = 9 };

enum { SPEED, PROFILE, BALANCE, FLOW, NOISE, CHECKS };
static const validate_check checks[CHECKS] = {
    [SPEED] = {.quantity = "mean speed / U", .kind = VALIDATE_RELATIVE, .quick = 0.005, .full = 0.005,
               .source = "2/3, of the parabola"},
    [PROFILE] = {.quantity = "velocity L2 error", .kind = VALIDATE_AT_MOST, .quick = 0.02, .full = 0.02,
                 .source = "the parabola"},
    [BALANCE] = {.quantity = "(mass in - out) / in", .kind = VALIDATE_AT_MOST, .quick = 0.005, .full = 0.005,
                 .source = "water does not gather"},
    [FLOW] = {.quantity = "mass in", .kind = VALIDATE_RELATIVE, .quick = 0.01, .full = 0.01,
              .source = "2/3 U L t, of the parabola"},
    [NOISE] = {.quantity = "pressure RMS / (rho U^2)", .kind = VALIDATE_AT_MOST, .quick = 0.02, .full = 0.02,
               .source = "8 mu U (L - x)/L^2, but for a constant"},
};

static double parabola(double z)
{
    return 4 * z * (1 - z);
}

// Sums over instants.
typedef struct stream_sums {
    double speed, wrong, all, noise;
    int count;
} stream_sums;

// The mean of p less what it should be, and the root of the mean square around that.
static double pressure_noise(const mote_fluid_view *view)
{
    double sum = 0, squares = 0;
    const double n = (double)view->count;
    for (size_t i = 0; i < view->count; ++i) {
        const double off = (double)view->pressure[i] - 8 * viscosity * (1 - view->x[i]);
        sum += off;
        squares += off * off;
    }
    return sqrt(fmax(squares / n - sum / n * (sum / n), 0)) / density;
}

static void add(stream_sums *sums, const mote_fluid_view *view)
{
    double speed = 0, exact = 0;
    for (size_t i = 0; i < view->count; ++i) {
        const double u = parabola(view->z[i]), du = (double)view->vx[i] - u, w = (double)view->vz[i];
        speed += (double)view->vx[i];
        exact += u;
        sums->wrong += du * du + w * w;
        sums->all += u * u;
    }
    sums->speed += mean_speed * speed / exact;  // where the particles are
    sums->noise += pressure_noise(view);
    sums->count += 1;
}

static bool measure(validate_run *run)
{
    stream_sums sums = {0};
    mote_fluid_view view;
    double in = 0, out = 0;
    run->end = finish;
    validate_curve(run, "time,z,velocity,exact,x,pressure");
    for (int k = 0; k <= SAMPLES; ++k) {
        const double time = begin + (finish - begin) * k / SAMPLES;
        if (!validate_advance(run, time) || !validate_view(run, &view)) return false;
        const mote_flow_count inlet = mote_fluid_opening_count(run->fluid, 0);
        const mote_flow_count outlet = mote_fluid_opening_count(run->fluid, 1);
        const double sign = k == 0 ? -1 : k == SAMPLES ? 1 : 0;
        in += sign * (inlet.mass_in - inlet.mass_out), out += sign * (outlet.mass_out - outlet.mass_in);
        if (k > 0) add(&sums, &view);
    }
    for (size_t i = 0; i < view.count; ++i)
        validate_point(run, 6, (double[]){finish, view.z[i], (double)view.vx[i], parabola(view.z[i]), view.x[i],
                                          (double)view.pressure[i]});
    validate_report(run, SPEED, sums.speed / sums.count, mean_speed);
    validate_report(run, PROFILE, sqrt(sums.wrong / sums.all), NAN);
    validate_report(run, BALANCE, fabs(in - out) / in, NAN);
    validate_report(run, FLOW, in, density * mean_speed * (finish - begin));
    validate_report(run, NOISE, sums.noise / sums.count, NAN);
    return true;
}

static const validate_scene scene = {"stream", 1, 10, {{20, true, VALIDATE_QUICK}, {40, false, VALIDATE_FULL}}, checks,
                                     CHECKS};
const validate_case validate_stream = {
    .name = "stream",
    .meaning = "a stream at Re 10 from an inlet to an outlet, ten times its length",
    .scenes = &scene,
    .scene_count = 1,
    .measure = measure,
};
