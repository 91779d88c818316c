// SPDX-License-Identifier: MIT
// mote bench raster: all pairs of a triangle and a point within a thickness of it: triangles rasterised into the cells
// of the points, beside a neighbour search around each triangle's middle, brute force, and Ahmad's scan line.
//
// What one thread takes is measured in time of the processor, so that others on the machine count less.

#include "raster.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hits.h"
#include "mote/neighbors.h"
#include "mote/raster.h"
#include "vectors.h"

enum { SAMPLES = 1000, BLOCK = 256 };

static const double brute_force_limit = 2e9;  // pairs looked at, some ten seconds

typedef struct found {
    uint64_t pairs, checksum;
} found;

typedef struct raster_job {
    const bench_options *options;
    const bench_raster_workload *workload;
    mote_mesh *mesh;
    float *xyz, *middles;  // of points and of triangles
    size_t count;
    double thickness, reach;  // from a triangle's middle to its corners, at most
    uint32_t threads;
    found *samples;  // by brute force: of every `part`-th triangle
    size_t part;
    found right;  // what the first exact row found, once there is one
    bool is_known;
} raster_job;

typedef struct contender {
    const struct method *method;
    mote_context *context;
    mote_raster *raster;
    mote_raster_pairs pairs;
    mote_neighbors *search;
    bench_samples samples;
    bench_row row;
} contender;

// One way to find the pairs: takes in the points where they are now, then finds.
typedef struct method {
    const char *name;
    bool is_approx;
    bool (*open)(const raster_job *job, contender *entry);
    bool (*update)(const raster_job *job, contender *entry);
    bool (*query)(const raster_job *job, contender *entry, bool check, found *all);
} method;

static double seconds_now(const raster_job *job)
{
    return job->threads == 1 ? bench_cpu_seconds() : bench_seconds();
}

// ----------------------------------------------------------------------------------------------------- geometry

static mote_vec3 point_of(const float *xyz, size_t i)
{
    return (mote_vec3){(double)xyz[3 * i], (double)xyz[3 * i + 1], (double)xyz[3 * i + 2]};
}

static double to_segment2(mote_vec3 p, mote_vec3 a, mote_vec3 b)
{
    const mote_vec3 ab = bench_sub(b, a), ap = bench_sub(p, a);
    const double along = bench_dot(ap, ab) / bench_dot(ab, ab), t = along < 0 ? 0 : along > 1 ? 1 : along;
    const mote_vec3 d = {ap.x - t * ab.x, ap.y - t * ab.y, ap.z - t * ab.z};
    return bench_dot(d, d);
}

// Whether a point is within the thickness: by the plane above the triangle's inside, else by its edges.
static bool is_within(mote_vec3 p, const mote_vec3 corner[3], double thickness)
{
    const mote_vec3 n = bench_cross(bench_sub(corner[1], corner[0]), bench_sub(corner[2], corner[0]));
    const double height = bench_dot(bench_sub(p, corner[0]), n);
    if (height * height > thickness * thickness * bench_dot(n, n)) return false;
    bool inside = true;
    for (int k = 0; k < 3 && inside; ++k)
        inside = bench_dot(bench_cross(bench_sub(corner[(k + 1) % 3], corner[k]), bench_sub(p, corner[k])), n) >= 0;
    for (int k = 0; k < 3 && !inside; ++k)
        inside = to_segment2(p, corner[k], corner[(k + 1) % 3]) <= thickness * thickness;
    return inside;
}

// From a triangle's middle to its farthest corner.
static double reach_of(mote_vec3 middle, const mote_vec3 corner[3])
{
    double reach = 0;
    for (int k = 0; k < 3; ++k) {
        const mote_vec3 way = bench_sub(corner[k], middle);
        reach = fmax(reach, sqrt(bench_dot(way, way)));
    }
    return reach;
}

// Tests points, by number or (indices NULL) all of them; those far from the triangle's middle are soon done with.
static void test_points(const raster_job *job, size_t t, const uint32_t *indices, size_t count, found *all)
{
    mote_vec3 corner[3];
    bench_corners(job->mesh, t, corner);
    const mote_vec3 middle = point_of(job->middles, t);
    const double reach = (reach_of(middle, corner) + job->thickness) * (1 + 1e-6);
    for (size_t k = 0; k < count; ++k) {
        const uint32_t i = indices ? indices[k] : (uint32_t)k;
        const mote_vec3 p = point_of(job->xyz, i), way = bench_sub(p, middle);
        if (bench_dot(way, way) > reach * reach || !is_within(p, corner, job->thickness)) continue;
        ++all->pairs;
        all->checksum += bench_pair_hash((uint32_t)t, i);
    }
}

// ------------------------------------------------------------------------------------------------------- methods

static mote_points points_of(const raster_job *job)
{
    return mote_points_xyz(job->xyz, job->count);
}

static bool open_raster(const raster_job *job, contender *entry)
{
    const double edge = mote_raster_mean_edge(job->mesh);
    return mote_raster_create(entry->context, edge, &entry->raster, NULL) == MOTE_OK;
}

static bool update_raster(const raster_job *job, contender *entry)
{
    const bool done = mote_raster_update(entry->raster, points_of(job), NULL) == MOTE_OK;
    entry->row.bytes = mote_raster_byte_count(entry->raster);
    return done;
}

static bool ask_raster(const raster_job *job, contender *entry, bool scan_line, bool check, found *all)
{
    mote_raster_query query = mote_raster_query_default();
    query.thickness = job->thickness;
    query.scan_line = scan_line;
    if (mote_raster_triangles(entry->raster, job->mesh, &query, &entry->pairs, NULL) != MOTE_OK) return false;
    all->pairs = entry->pairs.count;
    for (size_t k = 0; check && k < entry->pairs.count; ++k)
        all->checksum += bench_pair_hash(entry->pairs.pairs[k].first, entry->pairs.pairs[k].second);
    return true;
}

static bool query_raster(const raster_job *job, contender *entry, bool check, found *all)
{
    return ask_raster(job, entry, false, check, all);
}

static bool query_scan_line(const raster_job *job, contender *entry, bool check, found *all)
{
    return ask_raster(job, entry, true, check, all);
}

static bool open_search(const raster_job *job, contender *entry)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = (job->reach + job->thickness) * (1 + 1e-6);
    def.features = MOTE_NEIGHBORS_QUERY;
    return mote_neighbors_create(entry->context, &def, &entry->search, NULL) == MOTE_OK;
}

static bool update_search(const raster_job *job, contender *entry)
{
    const bool done = mote_neighbors_update(entry->search, points_of(job), NULL) == MOTE_OK;
    entry->row.bytes = mote_neighbors_byte_count(entry->search, NULL);
    return done;
}

// A part of all triangles: tested against their rows, or (lists NULL) against every point.
typedef struct test_task {
    const raster_job *job;
    const mote_lists *lists;
    found *found;  // per block
} test_task;

static void test_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const test_task *task = data;
    const raster_job *job = task->job;
    size_t end = ((size_t)block + 1) * BLOCK;
    if (end > job->mesh->triangle_count) end = job->mesh->triangle_count;
    for (size_t t = (size_t)block * BLOCK; t < end; ++t) {
        mote_row row = {.count = 0};
        if (task->lists) row = mote_lists_row(task->lists, (uint32_t)t);
        test_points(job, t, task->lists ? row.indices : NULL, task->lists ? row.count : job->count,
                    &task->found[block]);
    }
}

static bool test_all(const raster_job *job, const contender *entry, const mote_lists *lists, found *all)
{
    const size_t blocks = (job->mesh->triangle_count + BLOCK - 1) / BLOCK;
    const test_task task = {job, lists, calloc(blocks, sizeof(found))};
    if (!task.found) return false;
    mote_run_blocks(entry->context, (uint32_t)blocks, test_block, (void *)&task);
    for (size_t b = 0; b < blocks; ++b) {
        all->pairs += task.found[b].pairs;
        all->checksum += task.found[b].checksum;
    }
    free(task.found);
    return true;
}

static bool query_search(const raster_job *job, contender *entry, bool check, found *all)
{
    (void)check;
    mote_lists lists;
    const mote_points middles = mote_points_xyz(job->middles, job->mesh->triangle_count);
    return mote_neighbors_query(entry->search, middles, &lists, NULL) == MOTE_OK && test_all(job, entry, &lists, all);
}

static bool do_nothing(const raster_job *job, contender *entry)
{
    (void)job;
    (void)entry;
    return true;
}

static bool query_brute_force(const raster_job *job, contender *entry, bool check, found *all)
{
    (void)check;
    return test_all(job, entry, NULL, all);
}

static const method methods[] = {
    {"raster", false, open_raster, update_raster, query_raster},
    {"neighbors (of the triangles' middles)", false, open_search, update_search, query_search},
    {"brute_force", false, do_nothing, do_nothing, query_brute_force},
    {"scan_line (approx)", true, open_raster, update_raster, query_scan_line},
};
enum { METHODS = sizeof methods / sizeof *methods };

// ------------------------------------------------------------------------------------------------------ checks

// What brute force finds of some triangles.
static bool find_samples(raster_job *job)
{
    const size_t n = job->mesh->triangle_count;
    job->part = n / SAMPLES + 1;
    job->samples = calloc(n / job->part + 1, sizeof *job->samples);
    for (size_t t = 0; job->samples && t < n; t += job->part)
        test_points(job, t, NULL, job->count, &job->samples[t / job->part]);
    return job->samples != NULL;
}

static bool is_pair(const raster_job *job, mote_raster_pair pair)
{
    mote_vec3 corner[3];
    bench_corners(job->mesh, pair.first, corner);
    return is_within(point_of(job->xyz, pair.second), corner, job->thickness);
}

// The pairs of those triangles, of the raster; other methods are held against it by the checksum of all. The scan line
// may lose pairs, but finds none that there are not.
static bool samples_are_right(const raster_job *job, const contender *entry)
{
    const size_t n = job->mesh->triangle_count;
    found *some = calloc(n / job->part + 1, sizeof *some);
    bool right = some != NULL;
    for (size_t k = 0; right && k < entry->pairs.count; ++k) {
        const mote_raster_pair pair = entry->pairs.pairs[k];
        if (pair.first % job->part) continue;
        right = !entry->method->is_approx || is_pair(job, pair);
        ++some[pair.first / job->part].pairs;
        some[pair.first / job->part].checksum += bench_pair_hash(pair.first, pair.second);
    }
    for (size_t k = 0; right && k * job->part < n; ++k) {
        const found *all = &job->samples[k];
        right = entry->method->is_approx ? some[k].pairs <= all->pairs
                                         : some[k].pairs == all->pairs && some[k].checksum == all->checksum;
    }
    free(some);
    return right;
}

static bool is_right(raster_job *job, const contender *entry, found all)
{
    if (entry->method->is_approx) return samples_are_right(job, entry);
    const bool is_first = !job->is_known;
    if (is_first) job->right = all;
    job->is_known = true;
    const bool agrees = all.pairs == job->right.pairs && all.checksum == job->right.checksum;
    return agrees && (!entry->raster || samples_are_right(job, entry));
}

// ---------------------------------------------------------------------------------------------------------- rows

static bool wants_method(const raster_job *job, const method *of)
{
    if (job->options->methods) return bench_wants_row(job->options->methods, of->name);
    const double pairs = (double)job->mesh->triangle_count * (double)job->count;
    return of->query != query_brute_force || pairs <= brute_force_limit;
}

static bool measure(raster_job *job, contender *entry, bool check)
{
    found all = {0, 0};
    const double start = seconds_now(job);
    bool done = entry->method->update(job, entry);
    const double updated = seconds_now(job);
    done = done && entry->method->query(job, entry, check, &all);
    const double end = seconds_now(job);
    entry->row.result = all.pairs;
    if (check) entry->row.verified = done && is_right(job, entry, all);
    else bench_samples_add(&entry->samples, updated - start, end - updated);
    return done;
}

static bool open_contender(const raster_job *job, const method *of, contender *entry)
{
    mote_context_def def = bench_context_def(job->threads);
    *entry = (contender){.method = of};
    entry->row = (bench_row){.bench = "raster", .workload = job->workload->name, .count = job->count,
                             .queries = job->mesh->triangle_count, .threads = job->threads};
    snprintf(entry->row.name, sizeof entry->row.name, "%s", of->name);
    return mote_context_create(&def, &entry->context, NULL) == MOTE_OK && of->open(job, entry);
}

static void close_contender(contender *entry)
{
    mote_raster_pairs_release(&entry->pairs);
    mote_raster_destroy(entry->raster);
    mote_neighbors_destroy(entry->search);
    mote_context_destroy(entry->context);
}

// In turn, so that a drift of the machine's speed meets all alike.
static int measure_all(raster_job *job, bench_report *report)
{
    contender entries[METHODS];
    size_t count = 0;
    bool done = true;
    for (size_t m = 0; done && m < METHODS; ++m)
        if (wants_method(job, &methods[m])) done = open_contender(job, &methods[m], &entries[count++]);
    const uint32_t repeat = job->options->repeat ? job->options->repeat : 7;
    for (uint32_t turn = 0; done && turn <= repeat; ++turn)
        for (size_t e = 0; done && e < count; ++e) {
            bench_progress(job->options, "%s: %s, repetition %u", job->workload->name, entries[e].row.name, turn);
            done = measure(job, &entries[e], turn == 0);
        }
    int status = !done;
    if (!done) fprintf(stderr, "mote bench: raster, %s: no memory\n", job->workload->name);
    for (size_t e = 0; e < count; ++e) {
        contender *entry = &entries[e];
        if (entry->method->is_approx && job->is_known && job->right.pairs > 0)
            entry->row.reports = (double)entry->row.result / (double)job->right.pairs;
        bench_samples_finish(&entry->samples, &entry->row);
        if (done) bench_report_add(report, entry->row);
        status |= !entry->row.verified;
        close_contender(entry);
    }
    return status;
}

// ----------------------------------------------------------------------------------------------------- workloads

// A sphere with bumps, and points within 0.02 of it: triangles alike, about as small as the cells.
static bool make_bumps(size_t count, mote_mesh **mesh, float **xyz)
{
    const bench_hit_workload near_surface = {.near = true, .seed = 41};
    bench_motions motions = {0};
    *mesh = bench_bumps(200000);
    const bool done = *mesh && bench_motions_make(*mesh, &near_surface, count, &motions);
    free(motions.to);
    *xyz = motions.from;
    return done;
}

// Triangles of three sizes, 1 : 8 : 32, in the unit cube, and points anywhere in it.
static bool make_mixed(size_t count, mote_mesh **mesh, float **xyz)
{
    enum { TRIANGLES = 20000 };
    mote_vec3 *vertices = malloc(3 * TRIANGLES * sizeof *vertices);
    uint32_t *triangles = malloc(3 * TRIANGLES * sizeof *triangles);
    *xyz = malloc(3 * count * sizeof **xyz);
    bool done = vertices && triangles && *xyz;
    mote_random random = {42};
    for (uint32_t t = 0; done && t < TRIANGLES; ++t) {
        const double kind = mote_random_unit(&random), size = (kind < 0.8 ? 1 : kind < 0.99 ? 8 : 32) / 800.0;
        double middle[3];
        for (int a = 0; a < 3; ++a) middle[a] = mote_random_unit(&random);
        for (uint32_t k = 3 * t; k < 3 * t + 3; ++k) {
            double corner[3];
            for (int a = 0; a < 3; ++a) corner[a] = middle[a] + size * (2 * mote_random_unit(&random) - 1);
            vertices[k] = (mote_vec3){corner[0], corner[1], corner[2]};
            triangles[k] = k;
        }
    }
    for (size_t k = 0; done && k < 3 * count; ++k) (*xyz)[k] = (float)mote_random_unit(&random);
    done = done && mote_mesh_create(NULL, vertices, 3 * TRIANGLES, triangles, TRIANGLES, mesh, NULL) == MOTE_OK;
    free(vertices);
    free(triangles);
    return done;
}

const bench_raster_workload bench_raster_workloads[] = {
    {"bumps", "200,000 triangles alike, a million points near them", make_bumps, 0.25},
    {"mixed", "20,000 triangles of three sizes, 1 : 8 : 32, among a million points", make_mixed, 1},
};
const size_t bench_raster_workload_count = sizeof bench_raster_workloads / sizeof *bench_raster_workloads;

static bool find_middles(raster_job *job)
{
    const size_t n = job->mesh->triangle_count;
    job->middles = malloc(3 * n * sizeof *job->middles);
    for (size_t t = 0; job->middles && t < n; ++t) {
        mote_vec3 corner[3];
        bench_corners(job->mesh, t, corner);
        float *middle = job->middles + 3 * t;
        middle[0] = (float)((corner[0].x + corner[1].x + corner[2].x) / 3);
        middle[1] = (float)((corner[0].y + corner[1].y + corner[2].y) / 3);
        middle[2] = (float)((corner[0].z + corner[1].z + corner[2].z) / 3);
        job->reach = fmax(job->reach, reach_of(point_of(job->middles, t), corner));
    }
    return job->middles != NULL;
}

static int measure_workload(const bench_options *options, const bench_raster_workload *workload,
                            bench_report *report)
{
    raster_job job = {.options = options, .workload = workload, .count = options->count ? options->count : 1000000};
    const uint32_t processors = mote_context_worker_count(NULL);
    int status = 1;
    bench_progress(options, "%s: made, and looked at by brute force", workload->name);
    bool made = workload->make(job.count, &job.mesh, &job.xyz);
    if (made) job.thickness = workload->thickness * mote_raster_mean_edge(job.mesh);
    made = made && find_middles(&job) && find_samples(&job);
    if (made) {
        job.threads = options->threads ? options->threads : 1;
        status = measure_all(&job, report);
        job.threads = processors;
        if (!options->threads && processors > 1) status |= measure_all(&job, report);
    } else {
        fprintf(stderr, "mote bench: no memory for %zu points\n", job.count);
    }
    mote_mesh_destroy(job.mesh);
    free(job.xyz);
    free(job.middles);
    free(job.samples);
    return status;
}

static const char *workload_name(size_t number)
{
    return number < bench_raster_workload_count ? bench_raster_workloads[number].name : NULL;
}

int bench_raster(const bench_options *options, bench_report *report)
{
    if (!bench_knows_workloads(options->workloads, workload_name)) return 2;
    int status = 0;
    for (size_t w = 0; w < bench_raster_workload_count; ++w)
        if (bench_wants(options->workloads, bench_raster_workloads[w].name))
            status |= measure_workload(options, &bench_raster_workloads[w], report);
    return status;
}
