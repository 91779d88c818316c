// SPDX-License-Identifier: MIT
// The front of a breaking dam over a dry bed, beside Martin & Moyce 1952. With Z = front/a and T = t sqrt(2g/a), as
// they have it for a column twice as high as wide, a curve is summed up by its least-squares line Z(T) over 2 ≤ Z ≤ 6.

#include <math.h>
#include <stdlib.h>

#include "validate.h"

static const double gravity = 9.81, width = 0.05715;  // a = 2.25 in
static const double interval = 0.025, first_z = 2, last_z = 6, mark_z = 3;
enum { MOST_SAMPLES = 400, COLUMNS = 2 };

enum { SLOPE, LEAD, CHANGE, CHECK_COUNT };
static const validate_check checks[CHECK_COUNT] = {
    [SLOPE] = {.quantity = "slope dZ/dT of the front", .kind = VALIDATE_BETWEEN, .low = 1.36, .high = 1.53,
               .source = "Martin & Moyce 1952: their slower column, to 7 % above the faster"},
    [LEAD] = {.quantity = "lead at Z = 3 [sqrt(H/g)]", .kind = VALIDATE_AT_MOST, .quick = 0.19, .full = 0.19,
              .source = "Martin & Moyce 1952, a = 2.25 in; gate and bed friction are in it"},
    [CHANGE] = {.quantity = "change of the slope, last refinement", .kind = VALIDATE_AT_MOST, .quick = 0.02,
                .full = 0.02, .is_across = true, .source = "convergence"},
};

// A curve's points within first_z ... last_z.
typedef struct curve {
    size_t count;
    double t[MOST_SAMPLES], z[MOST_SAMPLES];
} curve;

static void add_point(curve *points, double t, double z)
{
    if (z < first_z || z > last_z || points->count == MOST_SAMPLES) return;
    points->t[points->count] = t;
    points->z[points->count++] = z;
}

// When the line of a curve is at mark_z, and its slope.
static double mark_time(const curve *points, double *slope)
{
    const validate_line line = validate_fit_line(points->t, points->z, points->count);
    *slope = line.slope;
    return (mark_z - line.offset) / line.slope;
}

static bool follow(validate_run *run, curve *points)
{
    const double unit = sqrt(width / (2 * gravity));  // of T [s]
    double z = 0;
    run->end = 4.5 * unit;
    for (int k = 0; k < MOST_SAMPLES && z < last_z; ++k) {
        mote_fluid_view view;
        if ((k && !validate_advance(run, interval * k * unit)) || !validate_view(run, &view)) return false;
        z = validate_front(&view, 3 * run->spacing, run->spacing) / width;
        add_point(points, interval * k, z);
        validate_point(run, 2, (double[]){interval * k, z});
    }
    return true;
}

static bool measure(validate_run *run)
{
    curve found = {0}, measured = {0};
    double slope, measured_slope;
    size_t rows;
    double *table = validate_table_read(run, "martin_moyce_1952_a2.25in.dat", COLUMNS, &rows);
    if (!table) return false;
    for (size_t k = 0; k < rows; ++k) add_point(&measured, table[COLUMNS * k], table[COLUMNS * k + 1]);
    free(table);
    validate_curve(run, "T,Z");
    if (!follow(run, &found)) return false;
    const double mark = mark_time(&found, &slope);
    validate_report(run, SLOPE, slope, NAN);
    validate_report(run, LEAD, (mark_time(&measured, &measured_slope) - mark) / 2, NAN);  // T = 2 t sqrt(g/H)
    return true;
}

static void compare(validate_run *last, const validate_found *found, size_t count)
{
    validate_report(last, CHANGE, fabs(found[count - 1].values[SLOPE] / found[count - 2].values[SLOPE] - 1), NAN);
}

static const validate_scene scene = {
    "dam-break", 0.05715, 0, {{20, true, VALIDATE_QUICK}, {40, true, VALIDATE_QUICK}, {80, false, VALIDATE_FULL}},
    checks, CHECK_COUNT};

const validate_case validate_dam_break = {
    .name = "dam-break",
    .meaning = "the front of a breaking dam over a dry bed",
    .scenes = &scene,
    .scene_count = 1,
    .measure = measure,
    .compare = compare,
};
