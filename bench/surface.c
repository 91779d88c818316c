// SPDX-License-Identifier: MIT
// mote bench surface: the surface of a million particles, for three sizes of cells, and with smoothing and normals.
//
// A row's mesh is examined and its volume compared with that of the particles before its time counts. What one thread
// takes is measured in time of the processor, so that others on the machine count less. `bytes`: beyond input and mesh.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "mote/surface.h"

enum { WAVES_SIDE = 125, MOST_DROP = 8, REPEAT = 3 };

static double triangle_wave(double x)
{
    return 1 - fabs(2 * (x - floor(x)) - 1);
}

// A jittered lattice under waves, 125 × 125 wide and 48 to 80 high, and drops of up to eight particles above it.
static float *make_waves(size_t wanted, size_t *count)
{
    const int side = wanted ? (int)fmax(4, sqrt((double)wanted / 64)) : WAVES_SIDE;
    const int drops = 2000 * side / WAVES_SIDE * side / WAVES_SIDE;
    const size_t most = (size_t)side * (size_t)side * 80 + (size_t)drops * MOST_DROP;
    float *xyz = malloc(3 * most * sizeof *xyz);
    if (!xyz) return NULL;
    mote_random random = {61};
    size_t n = 0;
    for (int i = 0; i < side; ++i)
        for (int j = 0; j < side; ++j) {
            const int high = 48 + (int)(16 * triangle_wave(3.0 * i / side) + 16 * triangle_wave(2.0 * j / side));
            for (int k = 0; k < high; ++k, ++n) {
                const int at[3] = {i, j, k};
                for (int a = 0; a < 3; ++a)
                    xyz[3 * n + (size_t)a] = (float)(at[a] + 0.5 + 0.4 * mote_random_unit(&random) - 0.2);
            }
        }
    for (int d = 0; d < drops; ++d) {
        double center[3];
        for (int a = 0; a < 2; ++a) center[a] = side * mote_random_unit(&random);
        center[2] = 90 + 30 * mote_random_unit(&random);
        const uint32_t own = 1 + mote_random_below(&random, MOST_DROP);
        for (uint32_t k = 0; k < own; ++k, ++n)
            for (int a = 0; a < 3; ++a) xyz[3 * n + (size_t)a] = (float)(center[a] + 2 * mote_random_unit(&random) - 1);
    }
    *count = n;
    return xyz;
}

typedef struct surface_form {
    const char *name;
    double cell;
    int32_t smooth;
} surface_form;

static const surface_form forms[] = {{"cell 0.75", 0.75, 0},
                                     {"cell 0.5", 0.5, 0},
                                     {"cell 0.25", 0.25, 0},
                                     {"cell 0.75 smooth 15", 0.75, 15},
                                     {"cell 0.5 smooth 15", 0.5, 15}};
enum { FORMS = sizeof forms / sizeof *forms };

// Whether the mesh is closed and its volume is that of the particles.
static bool is_right(const mote_surface_view *view, size_t count)
{
    mote_mesh *mesh = NULL;
    mote_mesh_report report = {0};
    const bool done = mote_mesh_create(NULL, view->vertices, view->vertex_count, view->triangles, view->triangle_count,
                                       &mesh, NULL) == MOTE_OK &&
                      mote_mesh_examine(mesh, &report, NULL) == MOTE_OK;
    mote_mesh_destroy(mesh);
    return done && report.closed && fabs(view->stats.volume / (double)count - 1) < 0.02;
}

static bool measure_form(const bench_options *options, const surface_form *form, const float *xyz, size_t count,
                         uint32_t threads, bench_row *row)
{
    mote_context_def context_def = mote_context_default_def();
    context_def.thread_count = threads;
    mote_context *context;
    mote_surface *surface = NULL;
    mote_surface_def def = mote_surface_default_def();
    def.spacing = 1;
    def.cell = form->cell;
    def.smooth = form->smooth;
    def.weighted = form->smooth > 0;
    def.normals = form->smooth > 0 ? MOTE_SURFACE_NORMALS_ANGLE : MOTE_SURFACE_NORMALS_NONE;
    if (mote_context_create(&context_def, &context, NULL) != MOTE_OK) return false;
    const mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(xyz, count));
    bool done = mote_surface_create(context, &def, &surface, NULL) == MOTE_OK;
    bench_samples samples = {0};
    const uint32_t repeat = options->repeat ? options->repeat : REPEAT;
    for (uint32_t turn = 0; turn <= repeat && done; ++turn) {  // the first one warms up
        const double start = threads == 1 ? bench_cpu_seconds() : bench_seconds();
        done = mote_surface_update(surface, &cloud, NULL) == MOTE_OK;
        const double took = (threads == 1 ? bench_cpu_seconds() : bench_seconds()) - start;
        if (turn > 0) bench_samples_add(&samples, took, 0);
    }
    const mote_surface_view view = mote_surface_get_view(surface);
    row->result = view.triangle_count;
    row->bytes = (size_t)view.stats.bytes;
    row->verified = done && is_right(&view, count);
    bench_samples_finish(&samples, row);
    mote_surface_destroy(surface);
    mote_context_destroy(context);
    return done;
}

static const char *workload_name(size_t number)
{
    return number == 0 ? "waves" : NULL;
}

int bench_surface(const bench_options *options, bench_report *report)
{
    if (!bench_knows_workloads(options->workloads, workload_name)) return 2;
    size_t count = 0;
    int status = 0;
    float *xyz = make_waves(options->count, &count);
    const uint32_t processors = mote_context_worker_count(NULL);
    const uint32_t threads[2] = {options->threads ? options->threads : 1, processors};
    for (int t = 0; xyz && t < (options->threads || processors == 1 ? 1 : 2); ++t)
        for (int f = 0; f < FORMS; ++f) {
            bench_row row = {.bench = "surface", .workload = "waves", .count = count, .threads = threads[t]};
            snprintf(row.name, sizeof row.name, "%s", forms[f].name);
            if (!bench_wants(options->methods, row.name)) continue;
            bench_progress(options, "waves: %s, %u threads", row.name, threads[t]);
            if (measure_form(options, &forms[f], xyz, count, threads[t], &row))
                bench_report_add(report, row);
            else
                status = 1;
            status |= !row.verified;
        }
    if (!xyz || status) fprintf(stderr, "mote bench: surface: no memory, or a mesh that is not right\n");
    free(xyz);
    return !xyz || status;
}
