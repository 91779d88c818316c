// SPDX-License-Identifier: MIT
// mote bench surface: the surface of a million particles, for three sizes of cells, and with smoothing and normals.
//
// A row's mesh is examined and its volume compared with that of the particles before its time counts. `bytes`: beyond
// input and mesh. Rows of a grid are triangles alone: 27 balls, given by values at the nodes of a dense grid.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "mote/surface.h"

enum { WAVES_SIDE = 125, MOST_DROP = 8, REPEAT = 3, GRID_SIDE = 256, BALLS = 3 };
static const double most_off = 0.02;  // of volumes

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

// Says of a mesh whether it is closed, and how far its volume is off. False if memory ran out.
static bool examine(const bench_surface_mesh *made, double volume, bench_row *row)
{
    mote_mesh *mesh = NULL;
    mote_mesh_report report = {0};
    const bool done = mote_mesh_create(NULL, made->vertices, made->vertex_count, made->triangles, made->triangle_count,
                                       &mesh, NULL) == MOTE_OK &&
                      mote_mesh_examine(mesh, &report, NULL) == MOTE_OK;
    row->is_mesh = true;
    row->is_closed = report.closed;
    row->result = made->triangle_count;
    if (done) row->volume_error = fabs(mote_mesh_volume(mesh)) / volume - 1;  // some meshes are turned inside out
    mote_mesh_destroy(mesh);
    return done;
}

static bool examine_view(const mote_surface_view *view, double volume, bench_row *row)
{
    // Neither is written to.
    const bench_surface_mesh mesh = {(mote_vec3 *)(uintptr_t)view->vertices, (uint32_t *)(uintptr_t)view->triangles,
                                     view->vertex_count, view->triangle_count};
    return examine(&mesh, volume, row);
}

// What one thread takes is measured in time of the processor, so that others on the machine count less.
static double now(uint32_t threads)
{
    return threads == 1 ? bench_cpu_seconds() : bench_seconds();
}

static bool measure_form(const bench_options *options, const surface_form *form, const float *xyz, size_t count,
                         uint32_t threads, bench_row *row)
{
    mote_context_def context_def = bench_context_def(threads);
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
        const double start = now(threads);
        done = mote_surface_update(surface, &cloud, NULL) == MOTE_OK;
        const double took = now(threads) - start;
        if (turn > 0) bench_samples_add(&samples, took, 0);
    }
    const mote_surface_view view = mote_surface_get_view(surface);
    row->bytes = (size_t)view.stats.bytes;
    row->verified =
        done && examine_view(&view, (double)count, row) && row->is_closed && fabs(row->volume_error) < most_off;
    bench_samples_finish(&samples, row);
    mote_surface_destroy(surface);
    mote_context_destroy(context);
    return done;
}

static bool measure_peer(const bench_options *options, const bench_surface_peer *peer, const float *data, size_t count,
                         double cell, double volume, bench_row *row)
{
    bench_samples samples = {0};
    bench_surface_mesh mesh = {0};
    const uint32_t repeat = options->repeat ? options->repeat : REPEAT;
    bool done = true;
    for (uint32_t turn = 0; turn <= repeat && done; ++turn) {  // the first one warms up
        const double start = now(row->threads);
        void *made = peer->of_grid ? peer->of_grid(data, (int)count, row->threads)
                                   : peer->of_particles(data, count, cell, row->threads);
        if (turn > 0) bench_samples_add(&samples, now(row->threads) - start, 0);
        done = made && (turn < repeat || (peer->take(made, &mesh) && examine(&mesh, volume, row)));
        if (made) peer->release(made);
    }
    free(mesh.vertices);
    free(mesh.triangles);
    row->is_peer = row->verified = true;  // whatever it is: the row says it
    bench_samples_finish(&samples, row);
    return done;
}

// Distances inside balls of a lattice, less than 0 outside. `volume`: of the balls.
static float *make_grid(double *volume)
{
    const double pi = 3.14159265358979323846, apart = (GRID_SIDE - 1.0) / BALLS, radius = 0.47 * apart;
    float *values = malloc(sizeof *values * GRID_SIDE * GRID_SIDE * GRID_SIDE);
    if (!values) return NULL;
    size_t n = 0;
    for (int z = 0; z < GRID_SIDE; ++z)
        for (int y = 0; y < GRID_SIDE; ++y)
            for (int x = 0; x < GRID_SIDE; ++x) {
                const double at[3] = {x, y, z};
                double squared = 0;
                for (int k = 0; k < 3; ++k) {
                    const double away = at[k] - apart * (fmin(floor(at[k] / apart), BALLS - 1) + 0.5);
                    squared += away * away;
                }
                values[n++] = (float)(radius - sqrt(squared));
            }
    *volume = BALLS * BALLS * BALLS * (4.0 / 3 * pi) * (radius * radius * radius);
    return values;
}

static bool measure_grid(const bench_options *options, const float *values, double volume, bench_row *row)
{
    mote_context_def context_def = bench_context_def(row->threads);
    mote_context *context;
    if (mote_context_create(&context_def, &context, NULL) != MOTE_OK) return false;
    mote_isosurface_def def = mote_isosurface_default_def();
    def.cell = 1;
    for (int k = 0; k < 3; ++k) def.size[k] = GRID_SIDE;
    def.values = values;
    def.isovalue = 0;
    bench_samples samples = {0};
    const uint32_t repeat = options->repeat ? options->repeat : REPEAT;
    bool done = true;
    for (uint32_t turn = 0; turn <= repeat && done; ++turn) {
        mote_isosurface *made = NULL;
        const double start = now(row->threads);
        done = mote_isosurface_create(context, &def, &made, NULL) == MOTE_OK;
        if (turn > 0) bench_samples_add(&samples, now(row->threads) - start, 0);
        const mote_surface_view view = mote_isosurface_get_view(made);
        if (done && turn == repeat) {
            row->verified = examine_view(&view, volume, row) && row->is_closed && fabs(row->volume_error) < most_off;
            row->bytes = mote_isosurface_byte_count(made);
        }
        mote_isosurface_destroy(made);
    }
    bench_samples_finish(&samples, row);
    mote_context_destroy(context);
    return done;
}

static int add_row(const bench_row *row, bool done, bench_report *report)
{
    if (done) bench_report_add(report, *row);
    return !done || !row->verified;
}

static int measure_grids(const bench_options *options, uint32_t threads, bench_report *report)
{
    const bench_surface_peer *const *peers;
    const size_t peer_count = bench_surface_peers(&peers);
    double volume;
    float *values = make_grid(&volume);
    bench_row row = {.bench = "surface", .workload = "grid", .count = GRID_SIDE, .threads = threads};
    int status = !values;
    snprintf(row.name, sizeof row.name, "isosurface");
    if (values && bench_wants(options->methods, row.name))
        status |= add_row(&row, measure_grid(options, values, volume, &row), report);
    for (size_t p = 0; values && p < peer_count; ++p) {
        bench_row own = {.bench = "surface", .workload = "grid", .count = GRID_SIDE, .threads = threads};
        snprintf(own.name, sizeof own.name, "%s", peers[p]->name);
        if (!peers[p]->of_grid || !bench_wants(options->methods, own.name)) continue;
        status |= add_row(&own, measure_peer(options, peers[p], values, GRID_SIDE, 1, volume, &own), report);
    }
    free(values);
    return status;
}

static int measure_waves(const bench_options *options, const float *xyz, size_t count, uint32_t threads,
                         bench_report *report)
{
    const bench_surface_peer *const *peers;
    const size_t peer_count = bench_surface_peers(&peers);
    int status = 0;
    for (int f = 0; f < FORMS; ++f) {
        bench_row row = {.bench = "surface", .workload = "waves", .count = count, .threads = threads};
        snprintf(row.name, sizeof row.name, "%s", forms[f].name);
        if (!bench_wants(options->methods, row.name)) continue;
        bench_progress(options, "waves: %s, %u threads", row.name, threads);
        status |= add_row(&row, measure_form(options, &forms[f], xyz, count, threads, &row), report);
    }
    for (size_t p = 0; p < peer_count; ++p) {
        bench_row row = {.bench = "surface", .workload = "waves", .count = count, .threads = threads};
        snprintf(row.name, sizeof row.name, "%s cell 0.5 (spheres, not SPH)", peers[p]->name);
        if (!peers[p]->of_particles || !bench_wants_row(options->methods, row.name)) continue;
        bench_progress(options, "waves: %s, %u threads", row.name, threads);
        status |= add_row(&row, measure_peer(options, peers[p], xyz, count, 0.5, (double)count, &row), report);
    }
    return status;
}

static const char *workload_name(size_t number)
{
    static const char *const names[] = {"waves", "grid"};
    return number < sizeof names / sizeof *names ? names[number] : NULL;
}

int bench_surface(const bench_options *options, bench_report *report)
{
    if (!bench_knows_workloads(options->workloads, workload_name)) return 2;
    size_t count = 0;
    int status = 0;
    float *xyz = make_waves(options->count, &count);
    const uint32_t processors = mote_context_worker_count(NULL);
    const uint32_t threads[2] = {options->threads ? options->threads : 1, processors};
    for (int t = 0; xyz && t < (options->threads || processors == 1 ? 1 : 2); ++t) {
        if (bench_wants_workload(options->workloads, "waves"))
            status |= measure_waves(options, xyz, count, threads[t], report);
        if (bench_wants_workload(options->workloads, "grid")) status |= measure_grids(options, threads[t], report);
    }
    if (!xyz || status) fprintf(stderr, "mote bench: surface: no memory, or a mesh that is not right\n");
    free(xyz);
    return !xyz || status;
}
