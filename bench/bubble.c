// SPDX-License-Identifier: MIT
// What individual time steps save: a bubble of a thousandth of the density rises in a box of 1 × 2 m (Hysing et al.
// 2009, case 1, with a lighter gas), d = 1/32 m (with --count as many particles as that allows). A tenth of the
// particles need steps 32 times shorter than the others.
//
// The row `global` has one step for all, `individual` its own for each. Times are those of 10 ms of the simulation, and
// `result` is the particle-steps that it took. Both start from the same state and are verified by the densities of
// sampled particles, and by each other: the bubble is at the same place at the end, to a thousandth of a spacing.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

static const double warm_time = 0.01, time_of_row = 0.01;  // [s]

static mote_result make_bubble(mote_context *context, int32_t steps, size_t count, mote_simulation **simulation)
{
    mote_simulation_def def = mote_simulation_default_def();
    mote_error error;
    mote_result result = mote_fluid_choose_preset(&def.fluid, MOTE_PRESET_ENGINEERING, &error);
    def.fluid.dimensions = 2;
    def.fluid.spacing = 1 / floor(sqrt((double)count / 2) + 1e-9);
    def.fluid.steps = steps;
    def.fluid.viscosity_model = MOTE_VISCOSITY_LAPLACIAN;
    def.fluid.shifting = MOTE_SHIFTING_FREE_SURFACE;
    def.fluid.gravity = (mote_vec3){0, 0, -0.98};
    mote_named_phase fluids[2] = {{.name = "liquid", .phase = mote_phase_default_def()},
                                  {.name = "gas", .phase = mote_phase_default_def()}};
    fluids[0].phase.rest_density = 1000, fluids[0].phase.viscosity = 10;
    fluids[1].phase.rest_density = 1, fluids[1].phase.viscosity = 0.01;
    mote_named_tension tension = {.between = {"liquid", "gas"}, .tension = mote_tension_default_def()};
    tension.tension.sigma = 24.5;
    def.fluids = fluids, def.fluid_count = 2;
    def.tensions = &tension, def.tension_count = 1;
    def.has_tank = true;
    def.tank.min = (mote_vec3){0, 0, 0};
    def.tank.max = (mote_vec3){1, 0, 2};
    def.tank.slip_x_min = def.tank.slip_x_max = true;
    const mote_block_def blocks[2] = {{.fluid = "liquid", .max = {1, 0, 2}},
                                      {.fluid = "gas", .shape = MOTE_SHAPE_BALL, .center = {0.5, 0, 0.5},
                                       .radius = 0.25}};
    def.blocks = blocks, def.block_count = 2;
    if (result == MOTE_OK) result = mote_simulation_create(context, &def, simulation, &error);
    if (result != MOTE_OK) fprintf(stderr, "mote bench: %s\n", error.text);
    return result;
}

// The height of the gas's middle.
static double height_of(mote_fluid *fluid)
{
    mote_fluid_view view;
    double sum = 0, count = 0;
    if (mote_fluid_get_view(fluid, &view, NULL) != MOTE_OK) return NAN;
    for (size_t i = 0; i < view.count; ++i)
        if (view.phase[i] == 1) sum += view.z[i], count += 1;
    return sum / count;
}

static bool measure(const bench_options *options, mote_simulation *simulation, bench_row *row, double *height)
{
    mote_fluid *fluid = mote_simulation_fluid(simulation);
    const uint32_t repeat = options->repeat ? options->repeat : 5;
    bench_samples samples = {.count = 0};
    uint64_t steps = 0;
    double time = warm_time;
    if (mote_simulation_run_until(simulation, time, NULL, NULL, NULL) != MOTE_OK) return false;
    row->verified = bench_fluid_is_right(fluid, NULL);
    for (uint32_t r = 0; r < repeat; ++r) {
        bench_progress(options, "%s, %zu particles, %u threads: %s, repetition %u", row->workload, row->count,
                       row->threads, row->name, r + 1);
        const mote_fluid_counters before = mote_fluid_get_counters(fluid);
        const double start = bench_seconds();
        time += time_of_row;
        if (mote_simulation_run_until(simulation, time, NULL, NULL, NULL) != MOTE_OK) return false;
        const double total = bench_seconds() - start;
        const mote_fluid_counters after = mote_fluid_get_counters(fluid);
        const double search = after.search_seconds - before.search_seconds;
        steps += after.particle_steps - before.particle_steps;
        bench_samples_add(&samples, search, total - search);
    }
    bench_samples_finish(&samples, row);
    row->bytes = mote_fluid_byte_count(fluid);
    row->result = steps / repeat;
    *height = height_of(fluid);
    return true;
}

static int measure_steps(const bench_options *options, int32_t steps, uint32_t threads, double *height, bench_row *row)
{
    mote_context_def context_def = bench_context_def(threads);
    mote_context *context;
    mote_simulation *simulation = NULL;
    int status = 1;
    if (mote_context_create(&context_def, &context, NULL) != MOTE_OK) return 1;
    if (make_bubble(context, steps, options->count ? options->count : 2048, &simulation) == MOTE_OK) {
        mote_fluid_view view;
        if (mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL) == MOTE_OK)
            row->count = row->queries = view.count;
        if (measure(options, simulation, row, height)) status = row->verified ? 0 : 1;
    }
    mote_simulation_destroy(simulation);
    mote_context_destroy(context);
    return status;
}

int bench_bubble(const bench_options *options, bench_report *report)
{
    static const char *const names[] = {"global", "individual"};
    const uint32_t all = mote_context_worker_count(NULL);
    int status = 0;
    for (uint32_t threads = options->threads ? options->threads : 1;; threads = all) {
        double heights[2] = {NAN, NAN};
        for (int k = 0; k < 2; ++k) {
            if (options->methods && !bench_wants(options->methods, names[k])) continue;
            bench_row row = {.bench = "fluid", .workload = "bubble", .threads = threads};
            snprintf(row.name, sizeof row.name, "%s", names[k]);
            const int32_t steps = k ? MOTE_STEPS_INDIVIDUAL : MOTE_STEPS_GLOBAL;
            int failed = measure_steps(options, steps, threads, &heights[k], &row);
            const bool differ = fabs(heights[1] - heights[0]) > 1e-3 / sqrt((double)row.count / 2);
            if (k == 1 && differ) row.verified = false, failed = 1;
            if (failed) fprintf(stderr, "mote bench: %s failed on bubble\n", names[k]);
            status |= failed;
            bench_report_add(report, row);
        }
        if (options->threads || threads == all) return status;
    }
}
