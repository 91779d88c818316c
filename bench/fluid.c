// SPDX-License-Identifier: MIT
// Fluid benchmark: what a step of a breaking dam costs, with every search method that is fast enough.
//
// A cube of water on a lattice collapses in a tank twice as long. A row's times are those of one step: `build_ms` is
// its neighbour search, `query_ms` all the rest. Before it counts, the densities by summation of 1,000 sampled
// particles are compared with sums over all particles, taken here in double: no neighbour is missed.
//
// The workload dam_break compares presets: dam_break.c; bubble kinds of time steps: bubble.c; bunny what a body costs:
// bunny.c.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "mote/neighbors.h"
#include "mote/walls.h"

enum { DEFAULT_COUNT = 100000, BRUTE_FORCE_LIMIT = 20000, SAMPLES = 1000, WARM_STEPS = 20, STEPS = 10 };

static const char *const workload_name = "dam3d";
static const char fast_methods[] = "auto,cell_grid,cell_index,kd_tree";  // unless others are named

mote_result bench_make_dam(mote_context *context, const char *method, size_t count, mote_simulation **simulation)
{
    double side = floor(cbrt((double)count) + 1e-9);
    mote_simulation_def def = mote_simulation_default_def();
    def.fluid.dimensions = 3;
    def.fluid.spacing = 1 / side;
    def.fluid.neighbors = method;
    def.has_tank = true;
    def.tank.min = (mote_vec3){0, 0, 0};
    def.tank.max = (mote_vec3){2, 1, 2};
    def.tank.open_z_max = true;
    mote_block_def block = {.max = {1, 1, 1}};
    def.blocks = &block;
    def.block_count = 1;
    mote_error error;
    mote_result result = mote_simulation_create(context, &def, simulation, &error);
    if (result != MOTE_OK) fprintf(stderr, "mote bench: %s\n", error.text);
    return result;
}

// Kernels without their factors, at r²: poly6 (Müller et al. 2003), and Wendland's C2.
static double poly6(double r_squared, double h)
{
    const double q = h * h - r_squared;
    return q > 0 ? q * q * q : 0;
}

static double wendland(double r_squared, double h)
{
    const double s = 1 - sqrt(r_squared) / h;
    return s > 0 ? s * s * s * s * (5 - 4 * s) : 0;
}

// What the density of a particle is a sum of: its own terms, and those of walls, are those of the others.
typedef struct density_terms {
    double (*kernel)(double r_squared, double h);
    double factor, h;
    double wall;          // of a wall particle, in units of its volume
    const float *density;  // a particle counts with its volume; NULL: all alike
} density_terms;

static density_terms terms_of(mote_fluid *fluid, const mote_fluid_view *view)
{
    const mote_fluid_def def = mote_fluid_resolved_def(fluid);
    const double h = def.support, pi = 3.14159265358979323846, mass = mote_fluid_particle_mass(fluid);
    const bool is_flat = def.dimensions == 2;
    if (def.solver == MOTE_SOLVER_ONDERIK)
        return (density_terms){.kernel = poly6, .h = h, .factor = mass * 315 / (64 * pi * pow(h, 9)), .wall = 1};
    const double cell = def.spacing * def.spacing * (is_flat ? 1 : def.spacing);
    return (density_terms){.kernel = wendland, .h = h,
                           .factor = is_flat ? 7 / (pi * h * h) : 21 / (2 * pi * h * h * h),
                           .wall = cell, .density = view->density};
}

static double square(double x, double y, double z)
{
    return x * x + y * y + z * z;
}

bool bench_fluid_is_right(mote_fluid *fluid, const bench_space *within)
{
    mote_fluid_view view;
    if (mote_fluid_get_view(fluid, &view, NULL) != MOTE_OK || view.count == 0) return false;
    float *densities = malloc((view.count + 1) * sizeof *densities);
    const double *walls, *volumes;
    size_t wall_count;
    bool is_right = densities && mote_fluid_sum_densities(fluid, densities, NULL) == MOTE_OK;
    mote_fluid_get_walls(fluid, &walls, &volumes, &wall_count);
    const density_terms terms = terms_of(fluid, &view);
    mote_random random = {7};
    size_t compared = 0;
    for (int s = 0; s < SAMPLES && is_right; ++s) {
        const size_t i = mote_random_below(&random, (uint32_t)view.count);
        const double x = view.x[i], y = view.y[i], z = view.z[i];
        double sum = 0;
        if (within && !(x >= within->min[0] && x <= within->max[0] && y >= within->min[1] && y <= within->max[1] &&
                        z >= within->min[2] && z <= within->max[2]))
            continue;
        ++compared;
        for (size_t j = 0; j < view.count; ++j) {
            const double kernel = terms.kernel(square(view.x[j] - x, view.y[j] - y, view.z[j] - z), terms.h);
            const bool is_own_volume = terms.density && j != i;
            const double mass = mote_fluid_phase_mass(fluid, view.phase[j]);
            sum += kernel * (is_own_volume ? mass / (double)terms.density[j] : terms.density ? terms.wall : 1);
        }
        for (size_t j = 0; j < wall_count; ++j)
            sum += terms.wall * volumes[j] *
                   terms.kernel(square(walls[3 * j] - x, walls[3 * j + 1] - y, walls[3 * j + 2] - z), terms.h);
        if (terms.density) sum *= mote_fluid_resolved_phase(fluid, view.phase[i]).rest_density;
        is_right = fabs(terms.factor * sum - (double)densities[i]) <= 1e-4 * (double)densities[i];
    }
    free(densities);
    return is_right && compared > 0;
}

bool bench_take_steps(mote_simulation *simulation, int count)
{
    for (int step = 0; step < count; ++step)
        if (mote_simulation_step(simulation, HUGE_VAL, NULL, NULL) != MOTE_OK) return false;
    return true;
}

static bool measure(const bench_options *options, mote_simulation *simulation, bench_row *row)
{
    mote_fluid *fluid = mote_simulation_fluid(simulation);
    if (!bench_take_steps(simulation, WARM_STEPS)) return false;
    row->verified = bench_fluid_is_right(fluid, NULL);
    bench_samples samples = {.count = 0};
    uint32_t repeat = options->repeat ? options->repeat : 5;
    for (uint32_t r = 0; r < repeat; ++r) {
        bench_progress(options, "%s, %zu particles, %u threads: %s, repetition %u", row->workload, row->count,
                       row->threads, row->name, r + 1);
        mote_fluid_counters before = mote_fluid_get_counters(fluid);
        double start = bench_seconds();
        if (!bench_take_steps(simulation, STEPS)) return false;
        double total = bench_seconds() - start;
        double search = mote_fluid_get_counters(fluid).search_seconds - before.search_seconds;
        bench_samples_add(&samples, search / STEPS, (total - search) / STEPS);
    }
    bench_samples_finish(&samples, row);
    row->bytes = mote_fluid_byte_count(fluid);
    return true;
}

static int measure_method(const bench_options *options, const char *method, size_t count, uint32_t threads,
                          bench_report *report)
{
    mote_context_def context_def = bench_context_def(threads);
    mote_context *context;
    mote_simulation *simulation = NULL;
    if (mote_context_create(&context_def, &context, NULL) != MOTE_OK) return 1;
    bench_row row = {.bench = "fluid", .workload = workload_name, .threads = threads};
    snprintf(row.name, sizeof row.name, "%s", method);
    int status = 1;
    if (bench_make_dam(context, method, count, &simulation) == MOTE_OK) {
        mote_fluid_view view;
        if (mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL) == MOTE_OK)
            row.count = row.queries = (size_t)(row.result = view.count);
        if (measure(options, simulation, &row)) status = row.verified ? 0 : 1;
    }
    if (status) fprintf(stderr, "mote bench: %s failed on %s\n", method, workload_name);
    bench_report_add(report, row);
    mote_simulation_destroy(simulation);
    mote_context_destroy(context);
    return status;
}

static const char *name_workload(size_t number)
{
    static const char *const names[] = {"dam3d", "dam_break", "bubble", "bunny"};
    return number < sizeof names / sizeof *names ? names[number] : NULL;
}

int bench_fluid(const bench_options *options, bench_report *report)
{
    if (!bench_knows_workloads(options->workloads, name_workload)) return 2;
    int status = 0;
    if (bench_wants(options->workloads, "dam_break")) status = bench_dam_break(options, report);
    if (bench_wants(options->workloads, "bubble")) status |= bench_bubble(options, report);
    if (bench_wants(options->workloads, "bunny")) status |= bench_bunny(options, report);
    if (!bench_wants(options->workloads, workload_name)) return status;
    size_t count = options->count ? options->count : DEFAULT_COUNT;
    uint32_t all = mote_context_worker_count(NULL);
    const mote_neighbors_method_info *info;
    for (uint32_t threads = options->threads ? options->threads : 1;; threads = all) {
        for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
            bool named = options->methods && bench_wants(options->methods, info->name);
            bool fast = count <= BRUTE_FORCE_LIMIT ? info->exact : bench_wants(fast_methods, info->name);
            if (named || (!options->methods && fast))
                status |= measure_method(options, info->name, count, threads, report);
        }
        if (options->threads || threads == all) return status;
    }
}
