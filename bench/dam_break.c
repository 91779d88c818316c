// SPDX-License-Identifier: MIT
// What a step of a breaking dam costs, by preset: water of 0.4 × 0.67 × 0.3 m in a tank of 1.6 × 0.67 m, particles
// 8.5 mm apart (about 130,000; with --full 10^4 to 2·10^6).
//
//     fast                  28 neighbours
//     engineering           support of 3 spacings
//     engineering 3.46 d    a support that is common elsewhere, and speed of sound 34 m/s
//     … field               the same without wall particles: the tank's boundary is a field
//     fast field no lists   and without kept lists of neighbours
//
// `build_ms` is the search, as far as it is not part of the loops (no lists are kept of many neighbours), `query_ms`
// the rest. The floor is the time in which a step's bytes move at the bandwidth that this machine shows here: state is
// read and written once, records and kept lists are written once and read twice.

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "mote/neighbors.h"
#include "mote/walls.h"

enum { WARM_STEPS = 20, STEPS = 5, STATE_BYTES = 100, RECORD_BYTES = 64 };

typedef struct dam_row {
    const char *name;
    int32_t preset;
    double support;      // in spacings; NaN: the preset's
    double sound_speed;  // [m/s]; NaN: the simulation's own
    bool keeps_lists;    // of neighbours, within a step
    bool has_field;      // instead of wall particles
} dam_row;

static const dam_row dam_rows[] = {
    {"fast", MOTE_PRESET_FAST, NAN, NAN, true, false},
    {"fast field", MOTE_PRESET_FAST, NAN, NAN, true, true},
    {"fast field no lists", MOTE_PRESET_FAST, NAN, NAN, false, true},
    {"engineering", MOTE_PRESET_ENGINEERING, NAN, NAN, false, false},
    {"engineering field", MOTE_PRESET_ENGINEERING, NAN, NAN, false, true},
    {"engineering 3.46 d", MOTE_PRESET_ENGINEERING, 3.46, 34, false, false},
    {"engineering 3.46 d field", MOTE_PRESET_ENGINEERING, 3.46, 34, false, true},
};

static const double tank[3] = {1.6, 0.67, 0.6};

static mote_result make_dam(mote_context *context, const dam_row *of, double spacing, mote_simulation **simulation)
{
    mote_simulation_def def = mote_simulation_default_def();
    mote_error error;
    mote_result result = mote_fluid_choose_preset(&def.fluid, of->preset, &error);
    def.fluid.spacing = spacing;
    def.fluid.neighbor_lists = of->keeps_lists ? MOTE_LISTS_KEPT : MOTE_LISTS_NONE;
    if (!isnan(of->support)) def.fluid.support = of->support * spacing;
    if (!isnan(of->sound_speed)) def.phase.sound_speed = of->sound_speed;
    def.has_tank = true;
    def.tank.max = (mote_vec3){tank[0], tank[1], tank[2]};
    def.tank.min = (mote_vec3){0, 0, 0};
    def.tank.open_z_max = true;
    if (of->has_field) def.tank.boundary = MOTE_BOUNDARY_FIELD;
    const mote_block_def block = {.max = {0.4, 0.67, 0.3}};
    def.blocks = &block;
    def.block_count = 1;
    if (result == MOTE_OK) result = mote_simulation_create(context, &def, simulation, &error);
    if (result != MOTE_OK) fprintf(stderr, "mote bench: %s\n", error.text);
    return result;
}

// ------------------------------------------------------------------------------------------------------ bandwidth

enum { TRIAD_COUNT = 1 << 23, TRIAD_ROUNDS = 5, MOST_THREADS = 64 };

typedef struct triad {
    double *a;
    const double *b, *c;
    size_t count;
} triad;

static void *add_part(void *data)
{
    const triad *of = data;
    for (size_t i = 0; i < of->count; ++i) of->a[i] = of->b[i] + 3 * of->c[i];
    return NULL;
}

// Bytes a second that so many threads read and write together, by the triad of STREAM (McCalpin 1995); the best of
// some rounds; 0 if it cannot be measured.
static double measure_bandwidth(uint32_t threads)
{
    const size_t workers = threads < MOST_THREADS ? threads : MOST_THREADS, part = TRIAD_COUNT / workers;
    double *memory = malloc(3 * (size_t)TRIAD_COUNT * sizeof *memory), best = 0;
    if (!memory) return 0;
    for (size_t i = 0; i < 3 * (size_t)TRIAD_COUNT; ++i) memory[i] = 1;
    for (int round = 0; round < TRIAD_ROUNDS; ++round) {
        triad parts[MOST_THREADS];
        pthread_t started[MOST_THREADS];
        size_t running = 0;
        const double start = bench_seconds();
        for (size_t w = 0; w < workers; ++w) {
            double *at = memory + w * part;
            parts[w] = (triad){at, at + TRIAD_COUNT, at + 2 * (size_t)TRIAD_COUNT, part};
            if (pthread_create(&started[running], NULL, add_part, &parts[w]) == 0) ++running;
        }
        for (size_t w = 0; w < running; ++w) pthread_join(started[w], NULL);
        const double moved = 3.0 * (double)(running * part) * sizeof *memory;
        best = fmax(best, moved / (bench_seconds() - start));
    }
    free(memory);
    return best;
}

// ------------------------------------------------------------------------------------------------------ neighbours

typedef struct count_task {
    size_t fluid;  // points that are fluid, the first ones
    uint64_t *counts;  // of each worker, on cache lines of their own
} count_task;

enum { COUNT_STRIDE = 8 };

static void count_row(void *data, mote_row row, uint32_t worker)
{
    const count_task *task = data;
    if (row.index < task->fluid) task->counts[(size_t)worker * COUNT_STRIDE] += row.count;
}

// The neighbours of a fluid particle, in fluid and walls, in the mean; 0 if memory ran out.
static double count_neighbors(mote_context *context, mote_fluid *fluid)
{
    mote_fluid_view view;
    const double *walls;
    size_t wall_count;
    if (mote_fluid_get_view(fluid, &view, NULL) != MOTE_OK) return 0;
    mote_fluid_get_walls(fluid, &walls, NULL, &wall_count);
    const size_t all = view.count + wall_count, workers = mote_context_worker_count(context);
    float *at = malloc((3 * all + 1) * sizeof *at);
    uint64_t *counts = calloc(workers * COUNT_STRIDE, sizeof *counts), total = 0;
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = mote_fluid_resolved_def(fluid).support;
    mote_neighbors *search = NULL;
    bool done = at && counts && mote_neighbors_create(context, &def, &search, NULL) == MOTE_OK;
    if (done) {
        for (size_t i = 0; i < view.count; ++i) {
            at[3 * i] = (float)view.x[i];
            at[3 * i + 1] = (float)view.y[i];
            at[3 * i + 2] = (float)view.z[i];
        }
        for (size_t k = 0; k < 3 * wall_count; ++k) at[3 * view.count + k] = (float)walls[k];
        count_task task = {view.count, counts};
        done = mote_neighbors_update(search, mote_points_xyz(at, all), NULL) == MOTE_OK &&
               mote_neighbors_visit(search, count_row, &task, NULL) == MOTE_OK;
    }
    for (size_t w = 0; w < workers && done; ++w) total += counts[w * COUNT_STRIDE];
    mote_neighbors_destroy(search);
    free(counts);
    free(at);
    return done && view.count ? (double)total / (double)view.count : 0;
}

// -------------------------------------------------------------------------------------------------------- measuring

static bool measure(const bench_options *options, const dam_row *of, mote_context *context,
                    mote_simulation *simulation, bench_row *row)
{
    mote_fluid *fluid = mote_simulation_fluid(simulation);
    mote_fluid_view view;
    if (!bench_take_steps(simulation, WARM_STEPS) || mote_fluid_get_view(fluid, &view, NULL) != MOTE_OK) return false;
    row->count = row->queries = (size_t)(row->result = view.count);
    const double h = mote_fluid_resolved_def(fluid).support;
    const bench_space inside = {{h, h, h}, {tank[0] - h, tank[1] - h, HUGE_VAL}};
    row->verified = bench_fluid_is_right(fluid, of->has_field ? &inside : NULL);
    row->neighbors = count_neighbors(context, fluid);
    bench_samples samples = {.count = 0};
    const uint32_t repeat = options->repeat ? options->repeat : 5;
    double simulated = 0, spent = 0;
    const mote_fluid_counters first = mote_fluid_get_counters(fluid);
    for (uint32_t r = 0; r < repeat; ++r) {
        bench_progress(options, "%s, %zu particles, %u threads: %s, repetition %u", row->workload, row->count,
                       row->threads, row->name, r + 1);
        const mote_fluid_counters before = mote_fluid_get_counters(fluid);
        const double start = bench_seconds(), from = mote_simulation_time(simulation);
        if (!bench_take_steps(simulation, STEPS)) return false;
        const double total = bench_seconds() - start;
        const double search = mote_fluid_get_counters(fluid).search_seconds - before.search_seconds;
        bench_samples_add(&samples, search / STEPS, (total - search) / STEPS);
        simulated += mote_simulation_time(simulation) - from;
        spent += total;
    }
    bench_samples_finish(&samples, row);
    row->bytes = mote_fluid_byte_count(fluid);
    size_t walls;
    mote_fluid_get_walls(fluid, NULL, NULL, &walls);
    row->bytes_each = (double)row->bytes / (double)row->count;
    row->bytes_of_all = (double)row->bytes / (double)(row->count + walls);
    const mote_fluid_counters last = mote_fluid_get_counters(fluid);
    row->shares[0] = (last.search_seconds - first.search_seconds) / spent;
    row->shares[1] = (last.density_seconds - first.density_seconds) / spent;
    row->shares[2] = (last.force_seconds - first.force_seconds) / spent;
    row->simulated = simulated > 0 ? spent / simulated : 0;
    const double lists = of->keeps_lists ? 3 * sizeof(uint32_t) * row->neighbors : 0;
    row->moved = (double)row->count * (2 * STATE_BYTES + 3 * RECORD_BYTES + lists);
    row->bandwidth = measure_bandwidth(row->threads);
    return true;
}

static int measure_row(const bench_options *options, const dam_row *of, double spacing, uint32_t threads,
                       bench_report *report)
{
    mote_context_def context_def = bench_context_def(threads);
    mote_context *context;
    mote_simulation *simulation = NULL;
    if (mote_context_create(&context_def, &context, NULL) != MOTE_OK) return 1;
    bench_row row = {.bench = "fluid", .workload = "dam_break", .threads = threads};
    snprintf(row.name, sizeof row.name, "%s", of->name);
    int status = 1;
    if (make_dam(context, of, spacing, &simulation) == MOTE_OK &&
        measure(options, of, context, simulation, &row))
        status = row.verified ? 0 : 1;
    if (status) fprintf(stderr, "mote bench: %s failed on dam_break\n", of->name);
    bench_report_add(report, row);
    mote_simulation_destroy(simulation);
    mote_context_destroy(context);
    return status;
}

int bench_dam_break(const bench_options *options, bench_report *report)
{
    static const double spacings[] = {0.0200, 0.0085, 0.0043, 0.0034};  // 10^4, 1.3·10^5, 10^6 and 2·10^6 particles
    const double volume = 0.4 * 0.67 * 0.3;
    const size_t sizes = options->full && !options->count ? sizeof spacings / sizeof *spacings : 1;
    const uint32_t all = mote_context_worker_count(NULL);
    int status = 0;
    for (size_t s = 0; s < sizes; ++s) {
        double spacing = options->full ? spacings[s] : spacings[1];
        if (options->count) spacing = cbrt(volume / (double)options->count);
        for (uint32_t threads = options->threads ? options->threads : 1;; threads = all) {
            for (size_t r = 0; r < sizeof dam_rows / sizeof *dam_rows; ++r)
                if (bench_wants_row(options->methods, dam_rows[r].name))
                    status |= measure_row(options, &dam_rows[r], spacing, threads, report);
            if (options->threads || threads == all) break;
        }
    }
    return status;
}
