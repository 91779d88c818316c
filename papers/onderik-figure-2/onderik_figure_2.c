// SPDX-License-Identifier: MIT
// Figure 2 of Onderik & Ďurikovič 2008: three dam breaks (papers/onderik.h), by their scheme (the preset document:
// densities by eq. 7, forces by eq. 8, tension by eq. 9 as a force density) in fixed steps.
//
// Lines of CSV on standard output, one for each run and time: the root of the mean square of compression, groups of
// particles (linked where they are closer than 1.5 spacings) and the mean curvature of the free surface. With --out DIR
// the particles of the three cases are written to DIR/particles.csv, as seen obliquely from above.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onderik.h"

enum { TIMES = 4 };
static const double times[TIMES] = {0.1, 0.2, 0.4, 1};
static const double own_limit = 0.3, pi = 3.14159265358979323846;
static const double absurd_speed = 100;  // 60 times what falling through the column gives [m/s]
static const double most_compression = 0.1;  // of a run that holds

typedef struct dam_run {
    const char *what;
    double stiffness, tension, step;
    bool is_printed;  // eq. 9 as a force, not a force density
    bool must_hold;   // to the end, with all particles
} dam_run;

// --------------------------------------------------------------------------------------------------- what is measured

// Root of the mean square of max(ρ/ρ0 − 1, 0).
static double compression_of(const mote_fluid_view *view)
{
    double sum = 0;
    for (size_t i = 0; i < view->count; ++i) {
        const double more = fmax((double)view->density[i] / dam_density - 1, 0);
        sum += more * more;
    }
    return sqrt(sum / (double)view->count);
}

static double square(double a)
{
    return a * a;
}

static double distance_squared(const mote_fluid_view *view, size_t i, size_t j)
{
    return square(view->x[i] - view->x[j]) + square(view->y[i] - view->y[j]) + square(view->z[i] - view->z[j]);
}

// Groups of particles that are connected by links shorter than 1.5 spacings.
static int count_groups(const mote_fluid_view *view)
{
    static int group[DAM_PARTICLES];
    static size_t queue[DAM_PARTICLES];
    const double reach = square(1.5 * dam_spacing());
    int count = 0;
    memset(group, 0, sizeof group);
    for (size_t first = 0; first < view->count; ++first) {
        if (group[first]) continue;
        size_t end = 0;
        group[queue[end++] = first] = ++count;
        for (size_t at = 0; at < end; ++at)
            for (size_t j = 0; j < view->count; ++j)
                if (!group[j] && distance_squared(view, queue[at], j) < reach) group[queue[end++] = j] = count;
    }
    return count;
}

// The curvature −(∇²C − n·∇∇C·n)/|∇C| of the colour C = Σ Vj W by poly6, W = A q³ with q = h² − r², at a particle; NaN
// where the gradient is too small for a surface.
static double curvature_at(const mote_fluid_view *view, size_t i)
{
    const double h = dam_support, factor = 315 / (64 * pi * pow(h, 9));
    double g[3] = {0}, second[3][3] = {{0}};
    for (size_t j = 0; j < view->count; ++j) {
        const double d[3] = {view->x[j] - view->x[i], view->y[j] - view->y[i], view->z[j] - view->z[i]};
        const double q = h * h - (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (!(q > 0)) continue;
        const double weight = factor * dam_mass / (double)view->density[j];
        for (int k = 0; k < 3; ++k) {
            g[k] += 6 * weight * q * q * d[k];
            for (int l = 0; l < 3; ++l) second[k][l] += 24 * weight * q * d[k] * d[l];
            second[k][k] -= 6 * weight * q * q;
        }
    }
    const double length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    if (!(length > 0.3 / h)) return NAN;
    double curvature = second[0][0] + second[1][1] + second[2][2];
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l) curvature -= g[k] * second[k][l] * g[l] / (length * length);
    return -curvature / length;
}

// In the mean over particles at the surface, half a support away from floor and sides.
static double mean_curvature(const mote_fluid_view *view, const dam_tank *tank)
{
    const double margin = dam_support / 2;
    double sum = 0, count = 0;
    for (size_t i = 0; i < view->count; ++i) {
        if (view->x[i] < margin || view->x[i] > tank->high_x - margin || view->y[i] < margin ||
            view->y[i] > tank->high_y - margin || view->z[i] < margin)
            continue;
        const double curvature = curvature_at(view, i);
        if (!isnan(curvature)) sum += curvature, count += 1;
    }
    return count > 0 ? sum / count : (double)NAN;
}

// ----------------------------------------------------------------------------------------------------------- pictures

typedef struct dot {
    double depth, across, up, speed;
} dot;

static int farther(const void *a, const void *b)
{
    const double first = ((const dot *)a)->depth, second = ((const dot *)b)->depth;
    return (first < second) - (first > second);
}

// The particles from behind to the front, as seen from before, above and the right.
static void write_dots(FILE *stream, const dam_run *run, double time, const mote_fluid_view *view)
{
    static dot dots[DAM_PARTICLES];
    for (size_t i = 0; i < view->count; ++i) {
        const double speed =
            sqrt(square((double)view->vx[i]) + square((double)view->vy[i]) + square((double)view->vz[i]));
        dots[i] = (dot){view->y[i] - 0.4 * view->x[i] - 0.5 * view->z[i], view->x[i] + 0.45 * view->y[i],
                        view->z[i] + 0.35 * view->y[i], speed};
    }
    qsort(dots, view->count, sizeof *dots, farther);
    for (size_t i = 0; i < view->count; ++i)
        fprintf(stream, "%g,%g,%.5f,%.5f,%.4f\n", run->stiffness, time, dots[i].across, dots[i].up, dots[i].speed);
}

// --------------------------------------------------------------------------------------------------------------- runs

static void print_row(const dam_run *run, double time, uint64_t steps, const char *end, const mote_fluid_view *view)
{
    const dam_tank tank = dam_tank_of_column();
    double fastest = 0;
    printf("%s,%g,%g,%.3g,%.4g,%llu,%s", run->what, run->stiffness, run->tension, 1e3 * run->step, time,
           (unsigned long long)steps, end);
    if (!view) {
        puts(",,,,");
        return;
    }
    for (size_t i = 0; i < view->count; ++i)
        fastest = fmax(fastest,
                       sqrt(square((double)view->vx[i]) + square((double)view->vy[i]) + square((double)view->vz[i])));
    printf(",%.4f,%d,%.2f,%.4g\n", compression_of(view), count_groups(view), mean_curvature(view, &tank), fastest);
    fflush(stdout);
}

// Whether a particle is faster than anything that falls here.
static bool is_absurd(const mote_fluid_totals *totals)
{
    return !(totals->max_speed < absurd_speed);
}

// Advances to a time, or until that is no use. @return NULL, or why it ended
static const char *advance_to(mote_fluid *fluid, const dam_run *run, double end, double *time, uint64_t *steps)
{
    dam_tank tank = dam_tank_of_column();
    while (*time < end - run->step / 2) {
        mote_fluid_totals totals;
        if (mote_fluid_advance(fluid, run->step, dam_stay_inside, &tank, NULL) != MOTE_OK) return "not finite";
        *time += run->step, *steps += 1;
        if (mote_fluid_get_totals(fluid, &totals, NULL) != MOTE_OK) return "not finite";
        if (is_absurd(&totals)) return "over 100 m/s";
    }
    return NULL;
}

// Whether a run is what it must be; says what is not.
static bool holds(const dam_run *run, double time, const char *ended, const mote_fluid_view *view)
{
    if (!run->must_hold) return true;
    const double compression = view ? compression_of(view) : NAN;
    if (!ended && view && view->count == DAM_PARTICLES && compression < most_compression) return true;
    fprintf(stderr, "onderik_figure_2: %s, k = %g at %g s: %s, %zu particles, compression %g; expected %d, below %g\n",
            run->what, run->stiffness, time, ended ? ended : "not ended", view ? view->count : 0, compression,
            DAM_PARTICLES, most_compression);
    return false;
}

// @param dots   receives the particles; NULL: they are not wanted
static bool run_dam(const dam_run *run, double longest, FILE *dots)
{
    mote_fluid_def def = mote_fluid_default_def();
    mote_fluid *fluid = NULL;
    mote_error error;
    double time = 0;
    uint64_t steps = 0;
    const char *ended = NULL;
    bool is_held = true;
    mote_result result = mote_fluid_choose_preset(&def, MOTE_PRESET_DOCUMENT, &error);
    def.dimensions = 3, def.spacing = dam_spacing(), def.support = dam_support;
    def.state_equation = MOTE_STATE_IDEAL_GAS;
    // A force of σ on a particle is a force density of σ/V.
    const double tension = run->tension * (run->is_printed ? dam_density / dam_mass : 1);
    if (result == MOTE_OK) result = dam_create(NULL, &def, run->stiffness, tension, &fluid, &error);
    for (int k = 0; k < TIMES && result == MOTE_OK && !ended && time < longest - run->step; ++k) {
        mote_fluid_view view;
        ended = advance_to(fluid, run, fmin(times[k], longest), &time, &steps);
        const bool is_seen = mote_fluid_get_view(fluid, &view, NULL) == MOTE_OK;
        print_row(run, time, steps, ended ? ended : "", is_seen ? &view : NULL);
        is_held &= holds(run, time, ended, is_seen ? &view : NULL);
        if (dots && is_seen) write_dots(dots, run, times[k], &view);
    }
    if (result != MOTE_OK) fprintf(stderr, "onderik_figure_2: %s\n", error.text);
    mote_fluid_destroy(fluid);
    return result == MOTE_OK && is_held;
}

static bool run_all(double longest, FILE *dots)
{
    static const double all_tensions[] = {0, 0.6, 1.4, 2.2}, printed[] = {0.6, 0.006, 6e-5, 6e-6, 6e-7};
    bool is_done = true;
    puts("what,k,sigma,step_ms,time,steps,end,compression,groups,curvature,speed");
    for (int k = 0; k < DAM_CASES; ++k) {
        const dam_run of = {"figure", dam_stiffnesses[k], dam_tensions[k], dam_step, false, true};
        is_done &= run_dam(&of, longest, dots);
    }
    const double limit = own_limit * dam_support / sqrt(dam_stiffnesses[2]);
    is_done &= run_dam(&(dam_run){"own limit", dam_stiffnesses[2], dam_tensions[2], limit, false, true}, longest, NULL);
    for (size_t k = 0; k < sizeof printed / sizeof *printed; ++k) {
        const dam_run of = {"as printed", dam_stiffnesses[0], printed[k], dam_step, true, false};
        is_done &= run_dam(&of, longest, NULL);
    }
    for (int k = 0; k < DAM_CASES; ++k)
        for (size_t s = 0; s < sizeof all_tensions / sizeof *all_tensions; ++s) {
            const dam_run of = {"each", dam_stiffnesses[k], all_tensions[s], limit, false, false};
            is_done &= run_dam(&of, longest, NULL);
        }
    return is_done;
}

int main(int argc, char **argv)
{
    double longest = times[TIMES - 1];
    FILE *dots = NULL;
    for (int k = 1; k < argc; ++k) {
        char path[1024];
        if (strcmp(argv[k], "--short") == 0)
            longest = 5 * dam_step;
        else if (strcmp(argv[k], "--out") == 0 && k + 1 < argc) {
            snprintf(path, sizeof path, "%s/particles.csv", argv[++k]);
            if (!(dots = fopen(path, "w"))) return fprintf(stderr, "onderik_figure_2: %s cannot be written\n", path), 1;
            fputs("k,time,across,up,speed\n", dots);
        } else
            return fputs("usage: onderik_figure_2 [--short] [--out DIR]\n", stderr), 2;
    }
    const bool is_done = run_all(longest, dots);
    if (dots && fclose(dots) != 0) return 1;
    return is_done ? 0 : 1;
}
