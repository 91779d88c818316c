// SPDX-License-Identifier: MIT
// What a body costs a step of the fluid: water of 0.6 × 0.6 × 0.4 m breaks in a tank of 1.6 × 0.6 m, and the bunny,
// 0.3 m long, is in it (--mesh names another one), particles 20 mm apart.
//
//     fast layers, engineering layers     the body has wall particles (MOTE_BOUNDARY_LAYERS)
//     fast field, engineering field       what it does is a function of the place (MOTE_BOUNDARY_FIELD)
//
// The same particles without the body, `none`, take their steps in turns with them, eight each in a repetition. What
// these take longer with the body, in the median of all repetitions, is what the body costs: `guards` in the loop that
// moves particles and keeps them out of it, `walls` in all the rest. It is a few per cent of a step, so that it says
// nothing on a machine that is busy, and `walls_of_layers` nothing where half of the differences are not above 0.
// `set-up` is the time in which the simulation was made.
//
// `field set-up` makes the field alone, where particles are a hundredth of the body's length apart: `build_ms` is the
// time that this takes, `bytes` the memory of a simulation that has nothing else to speak of, without the mesh itself;
// `result` is the mesh's triangles.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hits.h"

enum { NONE, LAYERS, FIELD, KINDS, WARM_STEPS = 10, TURNS = 60, STEPS = 8 };
static const double water_volume = 0.6 * 0.6 * 0.4, usual_spacing = 0.02, length = 0.3;  // [m³], [m]
static const char *const kind_names[KINDS] = {"none", "layers", "field"};
static const char *const preset_names[] = {[MOTE_PRESET_FAST] = "fast", [MOTE_PRESET_ENGINEERING] = "engineering"};

typedef struct bunny_run {
    mote_simulation *simulation;
    bench_samples samples;
    double setup, search, total;                              // [s], the last two of a repetition so far
    double rest[BENCH_MAX_REPEAT], guards[BENCH_MAX_REPEAT];  // [s] of all steps of a repetition
} bunny_run;

static double fluid_size(mote_simulation *simulation, mote_fluid_view *view)
{
    if (mote_fluid_get_view(mote_simulation_fluid(simulation), view, NULL) != MOTE_OK) return 0;
    return (double)view->count;
}

// With NONE, the particles of a simulation that was made before.
static bool make(mote_context *context, int32_t preset, int kind, const mote_mesh *mesh, double spacing,
                 mote_simulation *before, bunny_run *run)
{
    mote_simulation_def def = mote_simulation_default_def();
    mote_solid_def solid = mote_solid_default_def();
    mote_block_def block = mote_block_default_def();
    mote_fluid_view view = {0};
    mote_error error = {0};
    double *points = NULL;
    mote_fluid_choose_preset(&def.fluid, preset, NULL);
    def.fluid.spacing = spacing;
    def.has_tank = true, def.tank.open_z_max = true;
    def.tank.min = (mote_vec3){0, 0, 0}, def.tank.max = (mote_vec3){1.6, 0.6, 0.8};
    block.min = (mote_vec3){0.7, 0, 0}, block.max = (mote_vec3){1.3, 0.6, 0.4};
    def.blocks = &block, def.block_count = 1;
    solid.name = "body", solid.mesh = mesh;
    solid.boundary = kind == FIELD ? MOTE_BOUNDARY_FIELD : MOTE_BOUNDARY_LAYERS;
    if (kind != NONE) {
        def.solids = &solid, def.solid_count = 1;
    } else {
        if (fluid_size(before, &view) > 0) points = malloc(3 * view.count * sizeof *points);
        if (!points) return false;
        for (size_t i = 0; i < view.count; ++i) {
            points[3 * i] = view.x[i], points[3 * i + 1] = view.y[i], points[3 * i + 2] = view.z[i];
        }
        block.shape = MOTE_SHAPE_POINTS, block.points = points, block.point_count = view.count;
    }
    const double start = bench_seconds();
    const mote_result result = mote_simulation_create(context, &def, &run->simulation, &error);
    run->setup = bench_seconds() - start;
    free(points);
    if (result != MOTE_OK) fprintf(stderr, "mote bench: %s\n", error.text);
    return result == MOTE_OK;
}

static bool take_step(bunny_run *run, uint32_t repetition)
{
    const mote_fluid *fluid = mote_simulation_fluid(run->simulation);
    const mote_fluid_counters before = mote_fluid_get_counters(fluid);
    const double start = bench_seconds();
    if (!bench_take_steps(run->simulation, 1)) return false;
    const double total = bench_seconds() - start;
    const mote_fluid_counters after = mote_fluid_get_counters(fluid);
    const double guards = after.move_seconds - before.move_seconds;
    run->search += after.search_seconds - before.search_seconds, run->total += total;
    run->rest[repetition] += total - guards, run->guards[repetition] += guards;
    return true;
}

// Steps of all kinds in turns, each behind each other one, so that what disturbs the machine disturbs all of them.
static bool take_repetition(bunny_run *runs, uint32_t repetition)
{
    for (int k = 0; k < KINDS; ++k) runs[k].search = runs[k].total = 0;
    for (int s = 0; s < STEPS; ++s)
        for (int k = 0; k < KINDS; ++k)
            if (!take_step(&runs[s % 2 ? k : KINDS - 1 - k], repetition)) return false;
    for (int k = 0; k < KINDS; ++k)
        bench_samples_add(&runs[k].samples, runs[k].search / STEPS, (runs[k].total - runs[k].search) / STEPS);
    return true;
}

// [ms a step]
static double extra(const double *with, const double *without, uint32_t repetitions)
{
    double differences[BENCH_MAX_REPEAT];
    for (uint32_t r = 0; r < repetitions; ++r) differences[r] = 1e3 * (with[r] - without[r]) / STEPS;
    return bench_median(differences, repetitions);
}

static void report_kind(bunny_run *runs, int kind, bench_row row, bench_report *report)
{
    bunny_run *run = &runs[kind];
    mote_fluid_view view;
    // Densities near a field hold what no sum over particles has.
    mote_fluid *fluid = mote_simulation_fluid(run->simulation);
    row.verified = kind == FIELD ? mote_fluid_validate(fluid, NULL) == MOTE_OK : bench_fluid_is_right(fluid, NULL);
    row.count = row.queries = (size_t)(row.result = (uint64_t)fluid_size(run->simulation, &view));
    row.bytes = mote_fluid_byte_count(mote_simulation_fluid(run->simulation));
    bench_samples_finish(&run->samples, &row);
    if (kind != NONE) {
        row.setup_ms = 1e3 * run->setup;
        row.walls_ms = extra(run->rest, runs[NONE].rest, run->samples.count);
        row.guards_ms = extra(run->guards, runs[NONE].guards, run->samples.count);
        const double layers = extra(runs[LAYERS].rest, runs[NONE].rest, run->samples.count);
        if (kind == FIELD && layers > 0) row.walls_of_layers = row.walls_ms / layers;
    }
    bench_report_add(report, row);
}

static int measure_preset(const bench_options *options, int32_t preset, const mote_mesh *mesh, uint32_t threads,
                          bench_report *report)
{
    static const int order[KINDS] = {LAYERS, NONE, FIELD};
    const double spacing = options->count ? cbrt(water_volume / (double)options->count) : usual_spacing;
    const uint32_t repeat = options->repeat ? options->repeat : TURNS;
    mote_context_def context_def = bench_context_def(threads);
    mote_context *context;
    bunny_run runs[KINDS] = {{0}};
    if (mote_context_create(&context_def, &context, NULL) != MOTE_OK) return 1;
    bool done = true;
    for (int k = 0; k < KINDS && done; ++k)
        done = make(context, preset, order[k], mesh, spacing, runs[LAYERS].simulation, &runs[order[k]]);
    for (int k = 0; k < KINDS && done; ++k) done = bench_take_steps(runs[k].simulation, WARM_STEPS);
    for (uint32_t r = 0; r < repeat && done; ++r) {
        bench_progress(options, "bunny, %u threads: %s, repetition %u", threads, preset_names[preset], r + 1);
        done = take_repetition(runs, r);
    }
    if (!done) fprintf(stderr, "mote bench: %s failed on bunny\n", preset_names[preset]);
    int status = !done;
    for (int k = 0; k < KINDS && done; ++k) {
        bench_row row = {.bench = "fluid", .workload = "bunny", .threads = threads};
        snprintf(row.name, sizeof row.name, "%s %s", preset_names[preset], kind_names[k]);
        report_kind(runs, k, row, report);
        status |= !report->rows[report->count - 1].verified;
    }
    for (int k = 0; k < KINDS; ++k) mote_simulation_destroy(runs[k].simulation);
    mote_context_destroy(context);
    return status;
}

// The body in a small cube of water above it.
static int measure_setup(int32_t preset, const mote_mesh *mesh, uint32_t threads, bench_report *report)
{
    mote_simulation_def def = mote_simulation_default_def();
    mote_solid_def solid = mote_solid_default_def();
    mote_block_def block = mote_block_default_def();
    mote_context_def context_def = bench_context_def(threads);
    mote_context *context;
    mote_simulation *simulation = NULL;
    mote_error error = {0};
    mote_fluid_view view;
    mote_fluid_choose_preset(&def.fluid, preset, NULL);
    def.fluid.spacing = length / 100;
    solid.name = "body", solid.mesh = mesh, solid.boundary = MOTE_BOUNDARY_FIELD;
    def.solids = &solid, def.solid_count = 1;
    block.min = (mote_vec3){1, 0.3, 0.5}, block.max = (mote_vec3){1.03, 0.33, 0.53};
    def.blocks = &block, def.block_count = 1;
    if (mote_context_create(&context_def, &context, NULL) != MOTE_OK) return 1;
    bench_row row = {.bench = "fluid", .workload = "bunny", .threads = threads, .spread = 1};
    snprintf(row.name, sizeof row.name, "%s field set-up", preset_names[preset]);
    const double start = bench_seconds();
    row.verified = mote_simulation_create(context, &def, &simulation, &error) == MOTE_OK;
    row.build_ms = row.total_ms = row.setup_ms = 1e3 * (bench_seconds() - start);
    if (row.verified) {
        mote_fluid *fluid = mote_simulation_fluid(simulation);
        row.count = row.queries = (size_t)fluid_size(simulation, &view);
        row.result = mesh->triangle_count, row.bytes = mote_simulation_byte_count(simulation);
        row.verified = mote_fluid_validate(fluid, &error) == MOTE_OK;
    }
    if (!row.verified) fprintf(stderr, "mote bench: %s\n", error.text);
    bench_report_add(report, row);
    mote_simulation_destroy(simulation);
    mote_context_destroy(context);
    return !row.verified;
}

int bench_bunny(const bench_options *options, bench_report *report)
{
    static const int32_t presets[] = {MOTE_PRESET_FAST, MOTE_PRESET_ENGINEERING};
    const uint32_t all = mote_context_worker_count(NULL);
    mote_mesh *mesh = bench_hit_mesh(options);  // 0.9 long, around (0.5, 0.5, 0.5)
    int status = 0;
    if (!mesh) return 1;
    const double scale = length / 0.9, half = scale / 2;
    mote_mesh_place(mesh, &(mote_placement){.scale = scale, .translate = {1 - half, 0.3 - half, 0.16 - half}});
    for (uint32_t threads = options->threads ? options->threads : 1;; threads = all) {
        for (size_t p = 0; p < sizeof presets / sizeof *presets; ++p) {
            if (!bench_wants_row(options->methods, preset_names[presets[p]])) continue;
            status |= measure_preset(options, presets[p], mesh, threads, report);
            status |= measure_setup(presets[p], mesh, threads, report);
        }
        if (options->threads || threads == all) break;
    }
    mote_mesh_destroy(mesh);
    return status;
}
