// SPDX-License-Identifier: MIT
// The law of Laplace: surface tension raises the pressure in a drop by σ/R, in 3D by 2 σ/R. A drop at rest stays there.

#include <math.h>

#include "validate.h"

static const double radius = 0.5, sigma = 1;
enum { SAMPLES = 30, OIL = 1 };

// The number of a scene is the density of its heavier fluid [kg/m³].
enum { JUMP, DROP_SPEED, SPEED, CHECK_COUNT };
// Of each scene: tolerances of the jump in the quick and in the full set, and of the speed anywhere (NaN: told).
#define CHECKS(in_quick, in_full, anywhere)                                                                        \
    {                                                                                                              \
        [JUMP] = {.quantity = "jump of pressure [Pa]", .kind = VALIDATE_RELATIVE, .quick = in_quick,               \
                  .full = in_full, .source = "Laplace: sigma/R, in 3D 2 sigma/R; mean of the second half"},        \
        [DROP_SPEED] = {.quantity = "speed of the drop / sqrt(sigma/(rho R))", .kind = VALIDATE_AT_MOST,           \
                        .quick = 0.05, .full = 0.05, .source = "rest; the largest in the drop"},                   \
        [SPEED] = {.quantity = "speed anywhere / sqrt(sigma/(rho R))", .kind = VALIDATE_AT_MOST,                   \
                   .quick = anywhere, .full = anywhere, .source = "rest; the largest in both fluids"},             \
    }
static const validate_check checks[CHECK_COUNT] = CHECKS(0.08, 0.05, 0.05);
// Of balls of two densities: among as few particles across them, with a support of 3 d, less is claimed than of drops.
static const validate_check checks_of_balls[CHECK_COUNT] = CHECKS(0.12, 0.12, 0.05);
// Around the ball of 1000:1 the lighter fluid does not come to rest.
static const validate_check checks_of_the_heaviest[CHECK_COUNT] = CHECKS(0.12, 0.12, NAN);

// The heavier fluid creeps to its pressure the longer.
static double end_of(double heavier)
{
    return heavier > 100 ? 30 : heavier > 1 ? 6 : 3;
}

static bool measure(validate_run *run)
{
    const double end = end_of(run->scene->number);
    run->end = end;
    validate_curve(run, "time,jump,speed,drop_speed");
    double mean = 0;
    for (int k = 1; k <= SAMPLES; ++k) {
        mote_fluid_view view;
        mote_fluid_totals totals;
        double sums[2] = {0, 0}, counts[2] = {0, 0}, drop = 0;
        const double time = end * k / SAMPLES;
        if (!validate_advance(run, time) || !validate_view(run, &view)) return false;
        if (mote_fluid_get_totals(run->fluid, &totals, &run->error) != MOTE_OK) return false;
        for (size_t i = 0; i < view.count; ++i) {
            const double r = hypot(hypot(view.x[i], view.z[i]), run->def.dimensions == 3 ? view.y[i] : 0);
            const double speed = hypot(hypot((double)view.vx[i], (double)view.vy[i]), (double)view.vz[i]);
            if (view.phase[i] == OIL) drop = fmax(drop, speed);
            if (fabs(r - radius) < run->def.support) continue;  // the tension acts here
            sums[r < radius] += (double)view.pressure[i], counts[r < radius] += 1;
        }
        const double jump = sums[1] / counts[1] - sums[0] / counts[0];
        const double unit = sqrt(sigma / (run->scene->number * radius));
        if (k > SAMPLES / 2) mean += jump / (SAMPLES - SAMPLES / 2);
        validate_point(run, 4, (double[]){time, jump, totals.max_speed / unit, drop / unit});
        if (k < SAMPLES) continue;
        validate_report(run, DROP_SPEED, drop / unit, NAN);
        validate_report(run, SPEED, totals.max_speed / unit, NAN);
    }
    validate_report(run, JUMP, mean, (run->def.dimensions - 1) * sigma / radius);
    return true;
}

#define DROP(name, heavier, is_quick, first)                                                                       \
    {                                                                                                              \
        name, 0.5, heavier, {{10, is_quick, first}, {20, false, VALIDATE_FULL}, {40, false, VALIDATE_FULL}}, checks, \
            CHECK_COUNT                                                                                            \
    }
#define OF_1000 {{10, false, VALIDATE_TOLD}, {20, false, VALIDATE_FULL}, {40, false, VALIDATE_FULL}}
#define BALL {{8, false, VALIDATE_TOLD}, {12, false, VALIDATE_FULL}}
static const validate_scene scenes[] = {
    DROP("laplace", 1, true, VALIDATE_QUICK), DROP("laplace-light", 10, false, VALIDATE_TOLD),
    DROP("laplace-heavy", 10, false, VALIDATE_TOLD),
    {"laplace-light-1000", 0.5, 1000, OF_1000, checks, CHECK_COUNT},
    {"laplace-heavy-1000", 0.5, 1000, OF_1000, checks, CHECK_COUNT},
    {"laplace-3d", 0.5, 1, BALL, checks, CHECK_COUNT},
    {"laplace-3d-light", 0.5, 10, BALL, checks_of_balls, CHECK_COUNT},
    {"laplace-3d-heavy", 0.5, 10, BALL, checks_of_balls, CHECK_COUNT},
    {"laplace-3d-light-1000", 0.5, 1000, BALL, checks_of_balls, CHECK_COUNT},
    {"laplace-3d-heavy-1000", 0.5, 1000, BALL, checks_of_the_heaviest, CHECK_COUNT},
};

const validate_case validate_laplace = {
    .name = "laplace",
    .meaning = "a drop at rest has a higher pressure by sigma/R",
    .scenes = scenes,
    .scene_count = sizeof scenes / sizeof *scenes,
    .measure = measure,
};
