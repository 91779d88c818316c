// SPDX-License-Identifier: MIT
// A stream around a cylinder at Re 100: how often vortices leave it, and the forces on it.

#include <math.h>
#include <stdlib.h>

#include "validate.h"
#include "validate_oscillation.h"

// Diameter, speed and density are 1: forces over half of ρ U² D are coefficients, a frequency is a Strouhal number.
static const double coefficient = 2, begin = 90, end = 150, interval = 0.05;
static const double lowest = 0.1, highest = 0.3, frequency_step = 1e-4;  // where the frequency is looked for

enum { STROUHAL, DRAG, SYMMETRY, LIFT, CHECK_COUNT };
static const validate_check checks[CHECK_COUNT] = {
    [STROUHAL] = {.quantity = "Strouhal number", .kind = VALIDATE_ABSOLUTE, .quick = NAN, .full = 0.01,
                  .source = "0.165 without sides (Williamson 1989), which add 3 %"},
    [DRAG] = {.quantity = "drag coefficient", .kind = VALIDATE_BETWEEN, .quick = NAN, .full = 1, .low = 1.3,
              .high = 1.5, .source = "about 1.33 without sides, and a tenth of the width is the cylinder's"},
    [SYMMETRY] = {.quantity = "mean lift over its amplitude", .kind = VALIDATE_AT_MOST, .quick = NAN, .full = 0.05,
                  .source = "both sides are alike"},
    [LIFT] = {.quantity = "amplitude of the lift coefficient", .kind = VALIDATE_RELATIVE, .quick = NAN, .full = NAN,
              .source = "0.32 to 0.35 in computations without sides"},
};

// Coefficients at equal intervals of time.
typedef struct load_curve {
    double *drag, *lift;
    size_t count;
} load_curve;

static void report(validate_run *run, const load_curve *curve)
{
    const validate_oscillation lift =
        validate_find_oscillation(curve->lift, curve->count, interval, lowest, highest, frequency_step);
    validate_report(run, STROUHAL, lift.frequency, 0.17);
    validate_report(run, DRAG, validate_windowed_mean(curve->drag, curve->count), NAN);
    validate_report(run, SYMMETRY, fabs(lift.mean) / lift.amplitude, NAN);
    validate_report(run, LIFT, lift.amplitude, NAN);
}

// Coefficients of drag and lift from the scene's first gauge: in the mean since its row before.
static bool find_loads(validate_run *run, double *drag, double *lift)
{
    mote_gauge_view gauge;
    if (mote_simulation_get_gauge(run->simulation, 0, &gauge, &run->error) != MOTE_OK) return false;
    *drag = coefficient * gauge.values[0], *lift = coefficient * gauge.values[2];
    return true;
}

static bool watch(validate_run *run, load_curve *curve)
{
    for (size_t k = 1; k <= (size_t)(end / interval + 0.5); ++k) {
        const double time = interval * (double)k;
        double drag, lift;
        if (!validate_advance(run, time) || !find_loads(run, &drag, &lift)) return false;
        validate_point(run, 3, (double[]){time, drag, lift});
        if (time < begin + interval / 2) continue;
        curve->drag[curve->count] = drag, curve->lift[curve->count] = lift;
        curve->count += 1;
    }
    return true;
}

static bool measure(validate_run *run)
{
    const size_t most = (size_t)((end - begin) / interval) + 2;
    double *memory = malloc(2 * most * sizeof *memory);
    if (!memory) return false;
    load_curve curve = {memory, memory + most, 0};
    run->end = end;
    validate_curve(run, "time,drag,lift");
    const bool is_watched = watch(run, &curve);
    if (is_watched) report(run, &curve);
    free(memory);
    return is_watched;
}

static const validate_scene scene = {
    "cylinder", 1, 100, {{10, false, VALIDATE_TOLD}, {20, false, VALIDATE_FULL}, {30, false, VALIDATE_FULL}}, checks,
    CHECK_COUNT};

const validate_case validate_cylinder = {
    .name = "cylinder",
    .meaning = "vortices behind a cylinder in a stream, Re 100",
    .scenes = &scene,
    .scene_count = 1,
    .measure = measure,
};
