// SPDX-License-Identifier: MIT
// SPHERIC's test 2: a dam breaks onto a box, beside pressures and heights that Kleefsman et al. 2005 measured.

#include <math.h>
#include <stdlib.h>

#include "validate.h"

// Where the measured pressure first exceeds 500 Pa, and where gauges stand in the tank [m].
static const double arrival_pressure = 500;
static const double gauge_p1[3] = {2.3955, 0.4745, 0.021}, gauge_h2_x = 2.228, gauge_h4_x = 0.582, gauge_y = 0.5;
static const double interval = 0.005, p1_reach = 0.05, end = 2.05;
enum { SAMPLES = 410, TIMES = 4 };
static const double times[TIMES] = {0.5, 1, 1.5, 2};

enum { ARRIVAL, P1, H4 = P1 + TIMES, H2 = H4 + TIMES, CHECK_COUNT = H2 + TIMES };
#define P1_CHECK(number, words, tolerance)                                                                    \
    [P1 + number] = {.quantity = "P1, mean over 0.1 s, t = " words " s [Pa]", .kind = VALIDATE_RELATIVE,     \
                     .quick = NAN, .full = tolerance, .source = "Kleefsman et al. 2005"}
#define H4_CHECK(number, words)                                                                               \
    [H4 + number] = {.quantity = "H4, t = " words " s [m]", .kind = VALIDATE_ABSOLUTE, .quick = 0.03,        \
                     .full = 0.02, .source = "Kleefsman et al. 2005"}
#define H2_CHECK(number, words, tolerance)                                                                    \
    [H2 + number] = {.quantity = "H2, t = " words " s [m]", .kind = VALIDATE_ABSOLUTE, .quick = NAN,         \
                     .full = tolerance, .source = "Kleefsman et al. 2005"}
static const validate_check checks[CHECK_COUNT] = {
    [ARRIVAL] = {.quantity = "P1 first above 500 Pa [s]", .kind = VALIDATE_ABSOLUTE, .quick = 0.05, .full = 0.03,
                 .finest = 0.02, .source = "Kleefsman et al. 2005"},
    P1_CHECK(0, "0.5", 0.3), P1_CHECK(1, "1", 0.2), P1_CHECK(2, "1.5", 0.2), P1_CHECK(3, "2", 0.2),
    H4_CHECK(0, "0.5"), H4_CHECK(1, "1"), H4_CHECK(2, "1.5"), H4_CHECK(3, "2"),
    H2_CHECK(0, "0.5", 0.03), H2_CHECK(1, "1", 0.03), H2_CHECK(2, "1.5", 0.06), H2_CHECK(3, "2", 0.03),
};
// The mean pressure of the fluid within two spacings of the gauge, 0 while none is there.
static double pressure_at(const mote_fluid_view *view, const double place[3], double spacing)
{
    double sum = 0, weights = 0;
    for (size_t i = 0; i < view->count; ++i) {
        const double dx = view->x[i] - place[0], dy = view->y[i] - place[1], dz = view->z[i] - place[2];
        const double near = 1 - (dx * dx + dy * dy + dz * dz) / (4 * spacing * spacing);
        if (!(near > 0)) continue;
        sum += near * (double)view->pressure[i];
        weights += near;
    }
    return weights > 0 ? sum / weights : 0;
}

// Signals: time [s], P1 [Pa], H2 and H4 [m].
typedef struct signals {
    double *rows;
    size_t count;
} signals;
enum { COLUMNS = 4 };

// When P1 first exceeds 500 Pa [s].
static double find_arrival(const signals *of)
{
    for (size_t k = 0; k < of->count; ++k)
        if (of->rows[COLUMNS * k + 1] > arrival_pressure) return of->rows[COLUMNS * k];
    return HUGE_VAL;
}

// The mean of a column around a time.
static double mean_of(const signals *of, int column, double time, double reach)
{
    double sum = 0, count = 0;
    for (size_t k = 0; k < of->count; ++k)
        if (fabs(of->rows[COLUMNS * k] - time) <= reach) sum += of->rows[COLUMNS * k + (size_t)column], count += 1;
    return sum / count;
}

static bool watch(validate_run *run, signals *seen)
{
    for (seen->count = 0; seen->count < SAMPLES; ++seen->count) {
        mote_fluid_view view;
        double *row = seen->rows + COLUMNS * seen->count;
        row[0] = interval * (double)(seen->count + 1);
        if (!validate_advance(run, row[0]) || !validate_view(run, &view)) return false;
        row[1] = pressure_at(&view, gauge_p1, run->spacing);
        row[2] = validate_height(&view, 3, gauge_h2_x, gauge_y, run->spacing);
        row[3] = validate_height(&view, 3, gauge_h4_x, gauge_y, run->spacing);
        validate_point(run, COLUMNS, row);
    }
    return true;
}

static void compare_signals(validate_run *run, const signals *seen, const signals *measured)
{
    validate_report(run, ARRIVAL, find_arrival(seen), find_arrival(measured));
    for (size_t m = 0; m < TIMES; ++m) {
        const double t = times[m];
        validate_report(run, P1 + m, mean_of(seen, 1, t, p1_reach), mean_of(measured, 1, t, p1_reach));
        validate_report(run, H2 + m, mean_of(seen, 2, t, interval), mean_of(measured, 2, t, interval));
        validate_report(run, H4 + m, mean_of(seen, 3, t, interval), mean_of(measured, 3, t, interval));
    }
}

static bool measure(validate_run *run)
{
    static double rows[COLUMNS * SAMPLES];
    signals seen = {rows, 0}, measured;
    run->end = end;
    measured.rows = validate_table_read(run, "kleefsman2005.dat", COLUMNS, &measured.count);
    if (!measured.rows) return false;
    validate_curve(run, "time,P1,H2,H4");
    const bool is_watched = watch(run, &seen);
    if (is_watched) compare_signals(run, &seen, &measured);
    free(measured.rows);
    return is_watched;
}

static const validate_scene scene = {
    "spheric2", 0.55, 0, {{15, true, VALIDATE_QUICK}, {30, false, VALIDATE_FULL}, {45, false, VALIDATE_FINEST}}, checks,
    CHECK_COUNT};

const validate_case validate_spheric2 = {
    .name = "spheric2",
    .meaning = "a dam breaks onto a box, SPHERIC's test 2",
    .scenes = &scene,
    .scene_count = 1,
    .measure = measure,
};
