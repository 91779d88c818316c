// SPDX-License-Identifier: MIT
// Water in a tank that sways, beside the elevation at its wall that Faltinsen et al. 2000 measured (fig. 7), and beside
// potential flow for the motion that the scene has: an error of both is one of the motion.

#include <math.h>
#include <stdlib.h>

#include "validate.h"
#include "validate_exact.h"

static const double depth = 0.6, period = 1.3, wall = 0.05, interval = 0.01, end = 8.5;
static const double least_crest = 0.02;  // lower ones are ripples [m]
enum { CRESTS = 5, SAMPLES = 850, COLUMNS = 2 };

enum { HEIGHT, TIME, IDEAL_HEIGHT, IDEAL_TIME, IDEAL_ERROR_HEIGHT, IDEAL_ERROR_TIME, CHECK_COUNT };
static const validate_check checks[CHECK_COUNT] = {
    [HEIGHT] = {.quantity = "greatest error of five crests' heights", .kind = VALIDATE_AT_MOST, .quick = NAN,
                .full = 0.15, .source = "Faltinsen et al. 2000, fig. 7; relative"},
    [TIME] = {.quantity = "greatest error of their times [period]", .kind = VALIDATE_AT_MOST, .quick = NAN,
              .full = 0.03, .source = "Faltinsen et al. 2000, fig. 7"},
    [IDEAL_HEIGHT] = {.quantity = "heights beside potential flow", .kind = VALIDATE_AT_MOST, .quick = NAN, .full = 0.15,
                      .source = "potential flow for the scene's own motion; relative"},
    [IDEAL_TIME] = {.quantity = "times beside potential flow [period]", .kind = VALIDATE_AT_MOST, .quick = NAN,
                    .full = 0.03, .source = "potential flow for the scene's own motion"},
    [IDEAL_ERROR_HEIGHT] = {.quantity = "potential flow's own error of heights", .kind = VALIDATE_AT_MOST, .quick = NAN,
                            .full = NAN, .source = "Faltinsen et al. 2000, fig. 7; relative"},
    [IDEAL_ERROR_TIME] = {.quantity = "potential flow's own error of times", .kind = VALIDATE_AT_MOST, .quick = NAN,
                          .full = NAN, .source = "Faltinsen et al. 2000, fig. 7"},
};

typedef struct crest {
    double time, height;
} crest;

// The first crests of a curve: the highest points above the water's level at rest, each between two crossings of it.
static size_t find_crests(const double *time, const double *height, size_t count, crest crests[CRESTS])
{
    size_t found = 0;
    crest highest = {0, 0};
    for (size_t k = 0; k < count && found < CRESTS; ++k) {
        if (height[k] > highest.height) highest = (crest){time[k], height[k]};
        if (height[k] > 0) continue;
        if (highest.height > least_crest) crests[found++] = highest;
        highest.height = 0;
    }
    return found;
}

static bool read_crests(validate_run *run, crest crests[CRESTS])
{
    size_t rows;
    double *table = validate_table_read(run, "faltinsen2000_fig7.dat", COLUMNS, &rows);
    double *columns = table ? malloc(2 * rows * sizeof *columns) : NULL;
    for (size_t k = 0; columns && k < rows; ++k) columns[k] = table[2 * k], columns[rows + k] = table[2 * k + 1];
    const bool is_read = columns && find_crests(columns, columns + rows, rows, crests) == CRESTS;
    if (table && !is_read) snprintf(run->error.text, sizeof run->error.text, "the measured curve has no five crests");
    free(table);
    free(columns);
    return is_read;
}

// Reports how far crests are from others, at most.
static void report_errors(validate_run *run, const crest found[CRESTS], const crest wanted[CRESTS], size_t height_check,
                          size_t time_check)
{
    double worst_height = 0, worst_time = 0;
    for (int k = 0; k < CRESTS; ++k) {
        worst_height = fmax(worst_height, fabs(found[k].height / wanted[k].height - 1));
        worst_time = fmax(worst_time, fabs(found[k].time - wanted[k].time) / period);
    }
    validate_report(run, height_check, worst_height, NAN);
    validate_report(run, time_check, worst_time, NAN);
}

static bool measure(validate_run *run)
{
    static const exact_sway tank = {1.73, 0.6, 9.81, 0.032, 1.3};
    static double time[SAMPLES], height[SAMPLES], ideal[SAMPLES];
    crest measured[CRESTS], found[CRESTS], expected[CRESTS];
    run->end = end;
    if (!read_crests(run, measured)) return false;
    exact_sway_elevation(&tank, wall, interval, SAMPLES, ideal);
    validate_curve(run, "time,elevation,potential_flow");
    for (int k = 0; k < SAMPLES; ++k) {
        mote_fluid_view view;
        time[k] = interval * (k + 1);
        if (!validate_advance(run, time[k]) || !validate_view(run, &view)) return false;
        height[k] = validate_height(&view, 2, wall, 0, run->spacing) - depth;
        validate_point(run, 3, (double[]){time[k], height[k], ideal[k]});
    }
    if (find_crests(time, height, SAMPLES, found) < CRESTS || find_crests(time, ideal, SAMPLES, expected) < CRESTS) {
        snprintf(run->error.text, sizeof run->error.text, "there are no five crests in %g s", end);
        return false;
    }
    report_errors(run, found, measured, HEIGHT, TIME);
    report_errors(run, found, expected, IDEAL_HEIGHT, IDEAL_TIME);
    report_errors(run, expected, measured, IDEAL_ERROR_HEIGHT, IDEAL_ERROR_TIME);
    return true;
}

static const validate_scene scene = {
    "sloshing", 0.6, 0, {{20, false, VALIDATE_TOLD}, {40, false, VALIDATE_TOLD}, {60, false, VALIDATE_FULL}}, checks,
    CHECK_COUNT};

const validate_case validate_sloshing = {
    .name = "sloshing",
    .meaning = "water in a tank that sways near resonance",
    .scenes = &scene,
    .scene_count = 1,
    .measure = measure,
};
