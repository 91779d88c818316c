// SPDX-License-Identifier: MIT
// Flows between two plates: Poiseuille's and Couette's as Morris et al. 1997 have them, from rest; and Poiseuille's at
// Re 10 until it is steady, where particles travel far.

#include <math.h>
#include <stdlib.h>

#include "validate.h"
#include "validate_exact.h"

// Morris et al. 1997: both in SI units.
static const double gap = 1e-3, viscosity = 1e-6, force = 1e-4, plate_speed = 1.25e-5;
enum { TIMES = 5 };
static const double times[TIMES] = {0.0225, 0.045, 0.1125, 0.225, 1};

typedef double exact_profile(double y, double t);

// The error of the particles' velocities in the L2 norm, relative to that of the exact ones.
static double profile_error(const mote_fluid_view *view, exact_profile *exact, double t)
{
    double wrong = 0, all = 0;
    for (size_t i = 0; i < view->count; ++i) {
        const double u = exact(view->z[i], t), du = (double)view->vx[i] - u, w = (double)view->vz[i];
        wrong += du * du + w * w;
        all += u * u;
    }
    return sqrt(wrong / all);
}

static void write_profile(validate_run *run, const mote_fluid_view *view, exact_profile *exact, double t)
{
    for (size_t i = 0; i < view->count; ++i)
        validate_point(run, 4, (double[]){t, view->z[i], (double)view->vx[i], exact(view->z[i], t)});
}

// ---------------------------------------------------------------------------------------------------- from rest

#define LATER(number, words)                                                                           \
    [number] = {.quantity = "velocity L2 error, t = " words " s", .kind = VALIDATE_AT_MOST, .quick = 0.007, \
                .full = 0.007, .source = "Morris et al. 1997, series"}
enum { ORDER = TIMES, CHECK_COUNT };
static const validate_check poiseuille_checks[CHECK_COUNT] = {
    LATER(0, "0.0225"), LATER(1, "0.045"), LATER(2, "0.1125"), LATER(3, "0.225"), LATER(4, "1"),
    [ORDER] = {.quantity = "order of the error from 20 to 40", .kind = VALIDATE_AT_LEAST, .quick = 1.5,
               .full = 1.5, .is_across = true, .source = "2 in smooth flow; errors as their RMS over the times"},
};

static bool measure_profiles(validate_run *run, exact_profile *exact)
{
    run->end = times[TIMES - 1];
    validate_curve(run, "time,z,velocity,exact");
    for (int k = 0; k < TIMES; ++k) {
        mote_fluid_view view;
        if (!validate_advance(run, times[k]) || !validate_view(run, &view)) return false;
        validate_report(run, (size_t)k, profile_error(&view, exact, times[k]), NAN);
        write_profile(run, &view, exact, times[k]);
    }
    return true;
}

static double mean_error(const validate_found *found)
{
    double squares = 0;
    for (int k = 0; k < TIMES; ++k) squares += found->values[k] * found->values[k];
    return sqrt(squares / TIMES);
}

// The order between the first two resolutions.
static void compare_orders(validate_run *last, const validate_found *found, size_t count)
{
    (void)count;
    const double ratio = mean_error(&found[0]) / mean_error(&found[1]);
    validate_report(last, ORDER, log(ratio) / log((double)found[1].cells / found[0].cells), NAN);
}

static double poiseuille(double y, double t)
{
    return exact_poiseuille(y, t, gap, viscosity, force);
}

static double couette(double y, double t)
{
    return exact_couette(y, t, gap, viscosity, plate_speed);
}

static bool measure_poiseuille(validate_run *run)
{
    return measure_profiles(run, poiseuille);
}

static bool measure_couette(validate_run *run)
{
    return measure_profiles(run, couette);
}

#define RESOLUTIONS {{20, true, VALIDATE_TOLD}, {40, true, VALIDATE_QUICK}, {80, false, VALIDATE_FULL}}

static const validate_scene poiseuille_scene = {"poiseuille", 1e-3, 0, RESOLUTIONS, poiseuille_checks, CHECK_COUNT};
const validate_case validate_poiseuille = {
    .name = "poiseuille",
    .meaning = "flow between plates that a force drives from rest, Re 0.0125",
    .scenes = &poiseuille_scene,
    .scene_count = 1,
    .measure = measure_poiseuille,
    .compare = compare_orders,
};

static const validate_scene couette_scene = {"couette", 1e-3, 0, RESOLUTIONS, poiseuille_checks, TIMES};
const validate_case validate_couette = {
    .name = "couette",
    .meaning = "flow between plates that the upper one drives from rest, Re 0.0125",
    .scenes = &couette_scene,
    .scene_count = 1,
    .measure = measure_couette,
};

// --------------------------------------------------------------------------------------------------------- Re 10

enum { STEADY, FILLING, STEADY_CHECK_COUNT };
static const validate_check steady_checks[STEADY_CHECK_COUNT] = {
    [STEADY] = {.quantity = "velocity L2 error, steady", .kind = VALIDATE_AT_MOST, .quick = 0.02, .full = 0.02,
                .source = "the parabola, after 15 L/U"},
    [FILLING] = {.quantity = "least sum of V W", .kind = VALIDATE_AT_LEAST, .quick = 0.9, .full = 0.9,
                 .source = "1 where no voids are"},
};

// A plate distance of 1 m, 1 m/s in the middle.
static double steady_parabola(double y, double t)
{
    (void)t;
    return 4 * y * (1 - y);
}

// The least density by summation over positions, in rest densities: it is lower at the rim of a void.
static bool find_filling(validate_run *run, size_t count, double *least)
{
    float *densities = malloc((count + 1) * sizeof *densities);
    const bool is_found = densities && mote_fluid_sum_densities(run->fluid, densities, &run->error) == MOTE_OK;
    *least = HUGE_VAL;
    for (size_t i = 0; is_found && i < count; ++i)
        *least = fmin(*least, (double)densities[i] / mote_fluid_resolved_phase(run->fluid, 0).rest_density);
    free(densities);
    return is_found;
}

static bool measure_steady(validate_run *run)
{
    mote_fluid_view view;
    double least;
    run->end = 15;
    validate_curve(run, "time,z,velocity,exact");
    if (!validate_advance(run, run->end) || !validate_view(run, &view)) return false;
    validate_report(run, STEADY, profile_error(&view, steady_parabola, run->end), NAN);
    write_profile(run, &view, steady_parabola, run->end);
    if (!find_filling(run, view.count, &least)) return false;
    validate_report(run, FILLING, least, NAN);
    return true;
}

static const validate_scene steady_scene = {
    "poiseuille-re10", 1, 10, {{20, false, VALIDATE_TOLD}, {40, true, VALIDATE_QUICK}, {80, false, VALIDATE_FULL}},
    steady_checks, STEADY_CHECK_COUNT};
const validate_case validate_poiseuille_re10 = {
    .name = "poiseuille-re10",
    .meaning = "flow between plates at Re 10, until it is steady",
    .scenes = &steady_scene,
    .scene_count = 1,
    .measure = measure_steady,
};
