// SPDX-License-Identifier: MIT
// Threads benchmark: four jobs of every size by one thread and by several, in turns, each a context of its own. With
// --busy another process keeps every processor busy meanwhile, as a browser or a compiler does: then several threads
// have to be about as fast as one at least, and that is what is looked at.
//
// The scheduler hands a busy processor out in slices of some milliseconds, so a sample repeats its job until it has
// taken a good many of those. All threads have to find the same bits, or the row is not verified.

#define _DEFAULT_SOURCE
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "hits.h"
#include "mote/broadphase.h"
#include "mote/hits.h"
#include "mote/neighbors.h"

enum { SAMPLES = 15, WARM_UP = 3, MOST_BUSY = 1024 };
static const double sample_seconds = 0.1;

// What a job works on, and one thread count's objects.
typedef struct job_data {
    size_t count;
    bench_points points;
    const bench_box_workload *boxes;
    mote_mesh *mesh;
    bench_motions motions;
} job_data;

typedef struct contestant {
    uint32_t threads;
    mote_context *context;
    mote_neighbors *search;
    mote_broadphase *broad;
    bench_boxes objects;
    float *velocities;
    mote_hits *hits;
    mote_simulation *simulation;
    uint64_t result, checksum;
    bench_samples samples;
    bench_row row;
} contestant;

typedef struct thread_job {
    const char *name;
    bool (*make)(job_data *data);
    bool (*start)(const job_data *data, contestant *of);
    bool (*run)(const job_data *data, contestant *of, bool check);  // once; with `check` its result is noted, too
} thread_job;

// ----------------------------------------------------------------------------------------------------- the jobs

static bool make_points(job_data *data)
{
    for (size_t w = 0; w < bench_point_workload_count; ++w)
        if (strcmp(bench_point_workloads[w].name, "lattice") == 0)
            return bench_point_workloads[w].make(data->count, &data->points);
    return false;
}

static bool start_neighbors(const job_data *data, contestant *of)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = (double)data->points.radius;
    return mote_neighbors_create(of->context, &def, &of->search, NULL) == MOTE_OK;
}

static bool run_neighbors(const job_data *data, contestant *of, bool check)
{
    mote_lists lists;
    if (mote_neighbors_update(of->search, mote_points_xyz(data->points.xyz, data->count), NULL) != MOTE_OK ||
        mote_neighbors_lists(of->search, &lists, NULL) != MOTE_OK)
        return false;
    of->result = lists.total;
    for (size_t i = 0; check && i < data->count; ++i) {
        const mote_row row = mote_lists_row(&lists, (uint32_t)i);
        for (uint32_t k = 0; k < row.count; ++k) of->checksum = of->checksum * 31 + row.indices[k];
    }
    return true;
}

static bool make_boxes(job_data *data)
{
    for (size_t w = 0; w < bench_box_workload_count; ++w)
        if (bench_box_workloads[w].move) data->boxes = &bench_box_workloads[w];
    return data->boxes != NULL;
}

static mote_boxes view_of(const bench_boxes *boxes)
{
    mote_boxes all = mote_boxes_corners(boxes->corners, boxes->count, 3);
    all.dimensions = boxes->dimensions;
    return all;
}

static bool start_broadphase(const job_data *data, contestant *of)
{
    mote_broadphase_def def = mote_broadphase_default_def();
    of->velocities = malloc((3 * data->count + 1) * sizeof *of->velocities);
    if (!of->velocities || !data->boxes->make(data->count, &of->objects)) return false;
    data->boxes->make_velocities(&of->objects, of->velocities);
    return mote_broadphase_create(of->context, &def, &of->broad, NULL) == MOTE_OK &&
           mote_broadphase_add_many(of->broad, view_of(&of->objects), MOTE_OBJECT_MOVING, mote_filter_all(), NULL,
                                    NULL) == MOTE_OK;
}

static bool run_broadphase(const job_data *data, contestant *of, bool check)
{
    mote_pairs pairs;
    data->boxes->move(&of->objects, of->velocities);
    if (mote_broadphase_move_many(of->broad, NULL, view_of(&of->objects), NULL) != MOTE_OK ||
        mote_broadphase_pairs(of->broad, &pairs, NULL) != MOTE_OK)
        return false;
    of->result = pairs.count;
    for (size_t k = 0; check && k < pairs.count; ++k)
        of->checksum = of->checksum * 31 + bench_pair_hash(pairs.pairs[k].a, pairs.pairs[k].b);
    return true;
}

static bool make_motions(job_data *data)
{
    data->mesh = bench_bumps(70000);
    for (size_t w = 0; data->mesh && w < bench_hit_workload_count; ++w)
        if (strcmp(bench_hit_workloads[w].name, "surface") == 0)
            return bench_motions_make(data->mesh, &bench_hit_workloads[w], data->count, &data->motions);
    return false;
}

static bool start_hits(const job_data *data, contestant *of)
{
    return mote_hits_create(of->context, NULL, data->mesh, &of->hits, NULL) == MOTE_OK;
}

static bool run_hits(const job_data *data, contestant *of, bool check)
{
    const mote_motions view = {.from = mote_points_xyz(data->motions.from, data->count),
                               .to = mote_points_xyz(data->motions.to, data->count)};
    mote_hit_list list;
    if (mote_hits_query(of->hits, &view, &list, NULL) != MOTE_OK) return false;
    of->result = list.count;
    for (size_t h = 0; check && h < list.count; ++h)
        of->checksum = of->checksum * 31 + bench_pair_hash(list.hits[h].particle, list.hits[h].triangle);
    return true;
}

static bool make_nothing(job_data *data)
{
    (void)data;
    return true;
}

static bool start_fluid(const job_data *data, contestant *of)
{
    return bench_make_dam(of->context, NULL, data->count, &of->simulation) == MOTE_OK;
}

static bool run_fluid(const job_data *data, contestant *of, bool check)
{
    (void)data;
    if (mote_simulation_step(of->simulation, HUGE_VAL, NULL, NULL) != MOTE_OK) return false;
    if (!check) return true;
    mote_fluid_view view;
    if (mote_fluid_get_view(mote_simulation_fluid(of->simulation), &view, NULL) != MOTE_OK) return false;
    of->result = view.count;
    for (size_t i = 0; i < view.count; ++i) {
        uint64_t bits[3];
        memcpy(bits, &view.x[i], 8), memcpy(bits + 1, &view.y[i], 8), memcpy(bits + 2, &view.z[i], 8);
        of->checksum = of->checksum * 31 + (bits[0] ^ bits[1] * 3 ^ bits[2] * 5);
    }
    return true;
}

static const thread_job jobs[] = {
    {"neighbors", make_points, start_neighbors, run_neighbors},
    {"broadphase", make_boxes, start_broadphase, run_broadphase},
    {"hits", make_motions, start_hits, run_hits},
    {"fluid", make_nothing, start_fluid, run_fluid},
};
enum { JOBS = sizeof jobs / sizeof *jobs };

static const char *job_name(size_t number)
{
    return number < JOBS ? jobs[number].name : NULL;
}

// ------------------------------------------------------------------------------------------------- busy neighbours

// One process for each processor that does nothing but keep it busy.
static size_t keep_busy(pid_t *children)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = 0;
    fflush(NULL);
    while (count < (size_t)(processors > 0 ? processors : 1) && count < MOST_BUSY) {
        const pid_t child = fork();
        if (child < 0) break;
        if (child > 0) {
            children[count++] = child;
            continue;
        }
        prctl(PR_SET_PDEATHSIG, SIGKILL);  // must not outlive the benchmark, however that ends
        if (getppid() == 1) _exit(0);
        for (volatile uint64_t turns = 0;;) ++turns;
    }
    return count;
}

static void stop_busy(const pid_t *children, size_t count)
{
    for (size_t c = 0; c < count; ++c) kill(children[c], SIGKILL);
    for (size_t c = 0; c < count; ++c) waitpid(children[c], NULL, 0);
}

// ---------------------------------------------------------------------------------------------------- measuring

static void stop(contestant *of)
{
    mote_neighbors_destroy(of->search);
    mote_broadphase_destroy(of->broad);
    mote_hits_destroy(of->hits);
    mote_simulation_destroy(of->simulation);
    mote_context_destroy(of->context);
    free(of->objects.corners);
    free(of->velocities);
}

static bool start(const thread_job *job, const job_data *data, contestant *of, uint32_t threads)
{
    mote_context_def def = bench_context_def(threads);
    *of = (contestant){.threads = threads};
    return mote_context_create(&def, &of->context, NULL) == MOTE_OK && job->start(data, of);
}

static bool run(const thread_job *job, const job_data *data, contestant *of, uint32_t times, double *seconds)
{
    const double begin = bench_seconds();
    for (uint32_t k = 0; k < times; ++k)
        if (!job->run(data, of, false)) return false;
    *seconds = (bench_seconds() - begin) / times;
    return true;
}

// Both do the same work in the same order, so that what moves ends in the same place.
static bool measure_pair(const bench_options *options, const thread_job *job, const job_data *data, contestant pair[2])
{
    double seconds;
    for (int k = 0; k < 2; ++k)
        if (!run(job, data, &pair[k], WARM_UP, &seconds)) return false;
    if (!run(job, data, &pair[0], 1, &seconds) || !run(job, data, &pair[1], 1, &seconds)) return false;
    const uint32_t times = (uint32_t)fmin(1000, ceil(sample_seconds / seconds));
    const uint32_t samples = options->repeat ? options->repeat : SAMPLES;
    for (uint32_t s = 0; s < samples; ++s)
        for (uint32_t turn = 0; turn < 2; ++turn) {
            const uint32_t k = (s + turn) % 2;  // nobody is always first
            bench_progress(options, "%s of %zu, %u threads, repetition %u", job->name, data->count, pair[k].threads,
                           s + 1);
            if (!run(job, data, &pair[k], times, &seconds)) return false;
            bench_samples_add(&pair[k].samples, 0, seconds);
        }
    if (!job->run(data, &pair[0], true) || !job->run(data, &pair[1], true)) return false;
    for (int k = 0; k < 2; ++k) {
        bench_row *row = &pair[k].row;
        *row = (bench_row){.bench = "threads", .workload = job->name, .name = "auto", .count = data->count,
                           .queries = data->count, .threads = pair[k].threads, .result = pair[k].result};
        row->verified = pair[0].result == pair[1].result && pair[0].checksum == pair[1].checksum;
        if (options->busy) snprintf(row->name, sizeof row->name, "auto (busy)");
        bench_samples_finish(&pair[k].samples, row);
    }
    return true;
}

static int measure_job(const bench_options *options, const thread_job *job, size_t count, uint32_t threads,
                       bench_report *report)
{
    job_data data = {.count = count};
    contestant pair[2] = {{0}, {0}};
    const bool done = job->make(&data) && start(job, &data, &pair[0], 1) && start(job, &data, &pair[1], threads) &&
                      measure_pair(options, job, &data, pair);
    if (!done) fprintf(stderr, "mote bench: %s of %zu failed\n", job->name, count);
    int status = done && pair[0].row.verified ? 0 : 1;
    for (int k = 0; k < 2; ++k) {
        if (done) bench_report_add(report, pair[k].row);
        stop(&pair[k]);
    }
    free(data.points.xyz);
    bench_motions_release(&data.motions);
    mote_mesh_destroy(data.mesh);
    return status;
}

int bench_threads(const bench_options *options, bench_report *report)
{
    static pid_t children[MOST_BUSY];
    static const size_t counts[] = {10000, 100000, 1000000};
    if (!bench_knows_workloads(options->workloads, job_name)) return 2;
    const uint32_t all = mote_context_worker_count(NULL);
    const uint32_t threads = options->threads > 1 ? options->threads : all > 1 ? all : 2;
    const size_t busy = options->busy ? keep_busy(children) : 0;
    int status = 0;
    for (int j = 0; j < JOBS && status == 0; ++j)
        for (int c = 0; c < 3 && status == 0; ++c) {
            if (!bench_wants_workload(options->workloads, jobs[j].name)) continue;
            if (options->count && c > 0) continue;
            status = measure_job(options, &jobs[j], options->count ? options->count : counts[c], threads, report);
        }
    stop_busy(children, busy);
    return status;
}
