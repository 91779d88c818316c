// SPDX-License-Identifier: MIT
// A square cavity whose lid moves, beside the velocities on both centrelines that Ghia, Ghia & Shin 1982 tabulate.

#include <math.h>
#include <stdlib.h>

#include "validate.h"

enum { SAMPLES = 50, COLUMNS = 4, MOST_POINTS = 32 };
static const double watched = 5;  // the mean is taken over the last of the time, in L/U

enum { VERTICAL, HORIZONTAL, CHECK_COUNT };
#define CHECKS(quick_set, full_set)                                                                            \
    {                                                                                                          \
        [VERTICAL] = {.quantity = "greatest error of u, vertical line [U]", .kind = VALIDATE_AT_MOST,          \
                      .quick = quick_set, .full = full_set, .source = "Ghia, Ghia & Shin 1982, table I"},      \
        [HORIZONTAL] = {.quantity = "greatest error of v, horizontal line [U]", .kind = VALIDATE_AT_MOST,      \
                        .quick = quick_set, .full = full_set, .source = "Ghia, Ghia & Shin 1982, table II"},   \
    }
static const validate_check checks_re100[CHECK_COUNT] = CHECKS(0.04, 0.02);
static const validate_check checks_re1000[CHECK_COUNT] = CHECKS(NAN, 0.04);

// A centreline: the tabulated places and velocities, and the means that the run has there.
typedef struct centreline {
    double *table;
    size_t count;
    double mean[MOST_POINTS];
} centreline;

// The columns are the place, and the velocity at Re 100, 400, 1000.
static double tabulated(const centreline *line, size_t k, double reynolds)
{
    return line->table[COLUMNS * k + (reynolds > 500 ? 3 : 1)];
}

static void add_sample(const validate_run *run, const mote_fluid_view *view, centreline *line, bool is_vertical)
{
    for (size_t k = 0; k < line->count && k < MOST_POINTS; ++k) {
        const double at = line->table[COLUMNS * k], place[3] = {is_vertical ? 0.5 : at, 0, is_vertical ? at : 0.5};
        const float *field = is_vertical ? view->vx : view->vz;
        line->mean[k] += validate_fit(view, field, 2, place, 2.5 * run->spacing) / SAMPLES;
    }
}

// The walls' own points are left out: they are given, not found.
static double greatest_error(validate_run *run, const centreline *line, double number)
{
    double worst = 0;
    for (size_t k = 0; k < line->count && k < MOST_POINTS; ++k) {
        const double at = line->table[COLUMNS * k], exact = tabulated(line, k, run->scene->number);
        validate_point(run, 4, (double[]){number, at, line->mean[k], exact});
        if (at > 0 && at < 1) worst = fmax(worst, fabs(line->mean[k] - exact));
    }
    return worst;
}

static bool watch(validate_run *run, centreline *vertical, centreline *horizontal)
{
    for (int k = 1; k <= SAMPLES; ++k) {
        mote_fluid_view view;
        const double time = run->end - watched + watched * k / SAMPLES;
        if (!validate_advance(run, time) || !validate_view(run, &view)) return false;
        add_sample(run, &view, vertical, true);
        add_sample(run, &view, horizontal, false);
    }
    return true;
}

static bool measure(validate_run *run)
{
    centreline vertical = {0}, horizontal = {0};
    run->end = run->scene->number > 500 ? 60 : 30;
    validate_curve(run, "line,place,velocity,ghia");
    vertical.table = validate_table_read(run, "ghia1982_u_vertical_centreline.dat", COLUMNS, &vertical.count);
    horizontal.table = validate_table_read(run, "ghia1982_v_horizontal_centreline.dat", COLUMNS, &horizontal.count);
    const bool is_done = vertical.table && horizontal.table && watch(run, &vertical, &horizontal);
    if (is_done) {
        validate_report(run, VERTICAL, greatest_error(run, &vertical, 0), NAN);
        validate_report(run, HORIZONTAL, greatest_error(run, &horizontal, 1), NAN);
    }
    free(vertical.table);
    free(horizontal.table);
    return is_done;
}

static const validate_scene scenes[] = {
    {"cavity-re100", 1, 100, {{25, false, VALIDATE_TOLD}, {50, true, VALIDATE_QUICK}, {100, false, VALIDATE_FULL}},
     checks_re100, CHECK_COUNT},
    {"cavity-re1000", 1, 1000, {{50, false, VALIDATE_TOLD}, {100, false, VALIDATE_TOLD}, {200, false, VALIDATE_FULL}},
     checks_re1000, CHECK_COUNT},
};

const validate_case validate_cavity = {
    .name = "cavity",
    .meaning = "a square cavity whose lid moves, Re 100 and 1000",
    .scenes = scenes,
    .scene_count = sizeof scenes / sizeof *scenes,
    .measure = measure,
};
