// SPDX-License-Identifier: MIT
// Water at rest in a tank: nothing is to move, and pressure is to be ρ g (H − z).

#include <math.h>

#include "validate.h"

static const double gravity = 9.81, density = 1000;
static const double end = 16, watched = 2;  // in sqrt(H/g): when it is looked at, and how long before that
enum { SAMPLES = 20 };

enum { PRESSURE, VOLUME, SPEED, FORCE, FLOOR, CHECK_COUNT };
static const validate_check checks[CHECK_COUNT] = {
    [PRESSURE] = {.quantity = "pressure RMS error / (rho g H)", .kind = VALIDATE_AT_MOST, .quick = 0.02, .full = 0.02,
                  .source = "rho g (H - z), beyond a support from walls and surface"},
    [VOLUME] = {.quantity = "volume lost", .kind = VALIDATE_AT_MOST, .quick = 0.01, .full = 0.01,
                .source = "none is; from the height of the centre of mass"},
    [SPEED] = {.quantity = "greatest speed / sqrt(gH)", .kind = VALIDATE_AT_MOST, .quick = 0.01, .full = 0.01,
               .source = "rest; the greatest over the last 2 sqrt(H/g)"},
    [FORCE] = {.quantity = "force of the walls / weight", .kind = VALIDATE_ABSOLUTE, .quick = 0.01, .full = 0.01,
               .source = "1: the walls carry the water; from the reactions of all pairs, mean over 2 sqrt(H/g)"},
    [FLOOR] = {.quantity = "pressure at the floor [Pa]", .kind = VALIDATE_RELATIVE, .quick = NAN, .full = NAN,
               .source = "the weight of the water over its area"},
};

// Sums over the samples.
typedef struct watch {
    double squares, counted, fastest, height, floor, carried;
    double height_at_start;
} watch;

static double mean_height(const mote_fluid_view *view)
{
    double sum = 0;
    for (size_t i = 0; i < view->count; ++i) sum += view->z[i];
    return sum / (double)view->count;
}

static bool is_inside(const validate_run *run, const mote_fluid_view *view, size_t i, double depth)
{
    const mote_tank_def *tank = &run->file.settings->simulation.tank;
    const double h = run->def.support, x = view->x[i], y = view->y[i], z = view->z[i];
    if (x < tank->min.x + h || x > tank->max.x - h || z < h || z > depth - h) return false;
    return run->def.dimensions == 2 || (y >= tank->min.y + h && y <= tank->max.y - h);
}

// The mean of the pressure extrapolated to the middle of the floor.
static double floor_pressure(const validate_run *run, const mote_fluid_view *view)
{
    const mote_tank_def *tank = &run->file.settings->simulation.tank;
    const double d = run->spacing, width = tank->max.x - tank->min.x;
    const int count = (int)(width / d / 2);
    double sum = 0;
    for (int k = 0; k < count; ++k) {
        const double x = tank->min.x + width / 4 + width / 2 * (k + 0.5) / count;
        const double place[3] = {x, (tank->min.y + tank->max.y) / 2, 0};
        sum += validate_fit(view, view->pressure, run->def.dimensions, place, 2.5 * d);
    }
    return sum / count;
}

// The force of the water on all walls, downwards.
static double carried(const validate_run *run)
{
    double sum = 0;
    mote_vec3 force;
    for (uint32_t b = 0; mote_fluid_boundary_force(run->fluid, b, &force, NULL, NULL) == MOTE_OK; ++b) sum -= force.z;
    return sum;
}

static void sample(validate_run *run, const mote_fluid_view *view, double depth, watch *seen)
{
    for (size_t i = 0; i < view->count; ++i) {
        const double vx = (double)view->vx[i], vy = (double)view->vy[i], vz = (double)view->vz[i];
        seen->fastest = fmax(seen->fastest, sqrt(vx * vx + vy * vy + vz * vz));
        if (!is_inside(run, view, i, depth)) continue;
        const double wrong = (double)view->pressure[i] - density * gravity * (depth - view->z[i]);
        seen->squares += wrong * wrong;
        seen->counted += 1;
    }
    seen->carried += carried(run) / SAMPLES;
    seen->height += mean_height(view) / SAMPLES;
    seen->floor += floor_pressure(run, view) / SAMPLES;
}

// The depth of the water: as many whole layers of particles as its block has room for.
static double find_depth(const validate_run *run, size_t count)
{
    const mote_tank_def *tank = &run->file.settings->simulation.tank;
    const double width = tank->max.x - tank->min.x, length = tank->max.y - tank->min.y;
    const double d = run->spacing, square = d * d / width;
    return (double)count * (run->def.dimensions == 2 ? square : square * d / length);
}

static bool measure(validate_run *run)
{
    mote_fluid_view view;
    watch seen = {0};
    validate_curve(run, "z,pressure,exact");
    if (!validate_view(run, &view)) return false;
    const double depth = find_depth(run, view.count), unit = sqrt(depth / gravity);
    run->end = end * unit;
    seen.height_at_start = mean_height(&view);
    for (int k = 1; k <= SAMPLES; ++k) {
        const double time = (end - watched + watched * k / SAMPLES) * unit;
        if (!validate_advance(run, time) || !validate_view(run, &view)) return false;
        sample(run, &view, depth, &seen);
    }
    for (size_t i = 0; i < view.count; ++i) {
        const double z = view.z[i];
        validate_point(run, 3, (double[]){z, (double)view.pressure[i], density * gravity * (depth - z)});
    }
    validate_report(run, PRESSURE, sqrt(seen.squares / seen.counted) / (density * gravity * depth), NAN);
    validate_report(run, VOLUME, 1 - seen.height / seen.height_at_start, NAN);
    validate_report(run, SPEED, seen.fastest / sqrt(gravity * depth), NAN);
    const double weight = (double)view.count * mote_fluid_particle_mass(run->fluid) * gravity;
    validate_report(run, FORCE, seen.carried / weight, 1);
    validate_report(run, FLOOR, seen.floor, density * gravity * depth);
    return true;
}

#define RESOLUTIONS_2D {{20, true, VALIDATE_QUICK}, {40, false, VALIDATE_FULL}, {80, false, VALIDATE_FULL}}
#define RESOLUTIONS_3D {{12, true, VALIDATE_QUICK}, {16, false, VALIDATE_FULL}, {20, false, VALIDATE_FULL}}

static const validate_scene scenes[] = {
    {"hydrostatic-2d", 1, 0, RESOLUTIONS_2D, checks, CHECK_COUNT},
    {"hydrostatic-2d-uneven", 1, 0, RESOLUTIONS_2D, checks, CHECK_COUNT},
    {"hydrostatic-3d", 1, 0, RESOLUTIONS_3D, checks, CHECK_COUNT},
    {"hydrostatic-3d-uneven", 1, 0, RESOLUTIONS_3D, checks, CHECK_COUNT},
};

const validate_case validate_hydrostatic = {
    .name = "hydrostatic",
    .meaning = "water at rest in a tank",
    .scenes = scenes,
    .scene_count = sizeof scenes / sizeof *scenes,
    .measure = measure,
};
