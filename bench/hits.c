// mote bench hits: first hits of a million short motions with a mesh, and other libraries' ray casts beside them.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "mote/first_hits.h"
#if BENCH_IMPORT
#include "mote/import.h"
#endif

enum { SAMPLES = 1000 };

// Motions, packed: x, y, z of each.
typedef struct motions {
    float *from, *to;
    size_t count;
} motions;

typedef struct hit_workload {
    const char *name;
    bool near;  // starts near the surface; else anywhere in the unit cube
    uint64_t seed;
} hit_workload;

static const hit_workload workloads[] = {{"box", false, 1234}, {"surface", true, 1235}};
enum { WORKLOADS = sizeof workloads / sizeof *workloads };

// -------------------------------------------------------------------------------------------------------- meshes

static mote_vec3 vec_sub(mote_vec3 a, mote_vec3 b)
{
    return (mote_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static mote_vec3 vec_cross(mote_vec3 a, mote_vec3 b)
{
    return (mote_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double vec_dot(mote_vec3 a, mote_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static void corners_of(const mote_mesh *mesh, size_t t, mote_vec3 c[3])
{
    for (size_t k = 0; k < 3; ++k) c[k] = mesh->vertices[mesh->triangles[3 * t + k]];
}

// A sphere with bumps, of about as many triangles as the bunny, where there is no bunny.
static mote_mesh *make_bumps(void)
{
    enum { ROWS = 187, COLUMNS = 187 };
    const double pi = 3.14159265358979323846;
    mote_vec3 *vertices = malloc(sizeof *vertices * (ROWS + 1) * COLUMNS);
    uint32_t *triangles = malloc(sizeof *triangles * 6 * ROWS * COLUMNS);
    mote_mesh *mesh = NULL;
    for (uint32_t r = 0; vertices && triangles && r <= ROWS; ++r)
        for (uint32_t c = 0; c < COLUMNS; ++c) {
            const double a = pi * r / ROWS, b = 2 * pi * c / COLUMNS, size = 1 + 0.1 * sin(5 * a) * sin(a) * cos(4 * b);
            vertices[r * COLUMNS + c] = (mote_vec3){size * sin(a) * cos(b), size * sin(a) * sin(b), size * cos(a)};
            if (r == ROWS) continue;
            const uint32_t here = r * COLUMNS + c, beside = r * COLUMNS + (c + 1) % COLUMNS;
            const uint32_t both[6] = {here, here + COLUMNS, beside, beside, here + COLUMNS, beside + COLUMNS};
            memcpy(triangles + 6 * (size_t)here, both, sizeof both);
        }
    if (vertices && triangles)
        (void)mote_mesh_create(NULL, vertices, (ROWS + 1) * COLUMNS, triangles, 2 * ROWS * COLUMNS, &mesh, NULL);
    free(vertices);
    free(triangles);
    return mesh;
}

// Every triangle cut into four by its edges' middles.
static mote_mesh *subdivide(mote_mesh *mesh)
{
    const size_t n = mesh->triangle_count;
    mote_vec3 *vertices = malloc(6 * n * sizeof *vertices + 1);
    uint32_t *triangles = malloc(12 * n * sizeof *triangles + 1);
    mote_mesh *made = NULL;
    for (size_t t = 0; vertices && triangles && t < n; ++t) {
        mote_vec3 c[3];
        corners_of(mesh, t, c);
        for (size_t k = 0; k < 3; ++k) {
            const mote_vec3 a = c[k], b = c[(k + 1) % 3];
            vertices[6 * t + k] = a;
            vertices[6 * t + 3 + k] = (mote_vec3){(a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2};
        }
        static const uint32_t parts[12] = {0, 3, 5, 3, 1, 4, 5, 4, 2, 3, 4, 5};
        for (size_t k = 0; k < 12; ++k) triangles[12 * t + k] = (uint32_t)(6 * t) + parts[k];
    }
    if (vertices && triangles && mote_mesh_create(NULL, vertices, 6 * n, triangles, 4 * n, &made, NULL) == MOTE_OK &&
        mote_mesh_weld(made) != MOTE_OK) {
        mote_mesh_destroy(made);
        made = NULL;
    }
    free(vertices);
    free(triangles);
    mote_mesh_destroy(mesh);
    return made;
}

static mote_mesh *read_mesh(const bench_options *options)
{
#if BENCH_IMPORT
    char path[4096];
    mote_error error;
    mote_mesh *mesh;
    const char *name = options->mesh ? options->mesh : "bunny.obj";
    if (mote_import_find(name, NULL, path, sizeof path, &error) == MOTE_OK &&
        mote_import_mesh(NULL, path, &mesh, &error) == MOTE_OK)
        return mesh;
    if (options->mesh) fprintf(stderr, "mote bench: %s\n", error.text);
#else
    if (options->mesh) fprintf(stderr, "mote bench: %s: built without readers of meshes\n", options->mesh);
#endif
    return options->mesh ? NULL : make_bumps();
}

// The longest side 0.9, centred on (0.5, 0.5, 0.5).
static mote_mesh *make_mesh(const bench_options *options)
{
    mote_mesh *mesh = read_mesh(options);
    if (!mesh || mote_mesh_weld(mesh) != MOTE_OK) return mesh;
    const mote_box box = mote_mesh_box(mesh);
    const mote_vec3 size = vec_sub(box.max, box.min);
    const double scale = 0.9 / fmax(size.x, fmax(size.y, size.z));
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        mote_vec3 *p = &mesh->vertices[v];
        p->x = (p->x - (box.min.x + box.max.x) / 2) * scale + 0.5;
        p->y = (p->y - (box.min.y + box.max.y) / 2) * scale + 0.5;
        p->z = (p->z - (box.min.z + box.max.z) / 2) * scale + 0.5;
    }
    for (uint32_t k = 0; mesh && k < options->subdivide; ++k) mesh = subdivide(mesh);
    return mesh;
}

// ------------------------------------------------------------------------------------------------------- motions

// Sums of the triangles' areas.
static double *sum_areas(const mote_mesh *mesh)
{
    double *sums = malloc((mesh->triangle_count + 1) * sizeof *sums), sum = 0;
    for (size_t t = 0; sums && t < mesh->triangle_count; ++t) {
        mote_vec3 c[3];
        corners_of(mesh, t, c);
        const mote_vec3 n = vec_cross(vec_sub(c[1], c[0]), vec_sub(c[2], c[0]));
        sums[t] = sum += sqrt(vec_dot(n, n)) / 2;
    }
    return sums;
}

static void near_surface(const mote_mesh *mesh, const double *sums, mote_random *random, double p[3])
{
    const double at = mote_random_unit(random) * sums[mesh->triangle_count - 1];
    size_t low = 0, high = mesh->triangle_count - 1;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (sums[middle] < at) low = middle + 1;
        else high = middle;
    }
    mote_vec3 c[3];
    corners_of(mesh, low, c);
    double u = mote_random_unit(random), v = mote_random_unit(random);
    if (u + v > 1) u = 1 - u, v = 1 - v;
    const mote_vec3 a = vec_sub(c[1], c[0]), b = vec_sub(c[2], c[0]), n = vec_cross(a, b);
    const double length = sqrt(vec_dot(n, n));
    const double height = (0.04 * mote_random_unit(random) - 0.02) / (length > 0 ? length : 1);
    p[0] = c[0].x + u * a.x + v * b.x + height * n.x;
    p[1] = c[0].y + u * a.y + v * b.y + height * n.y;
    p[2] = c[0].z + u * a.z + v * b.z + height * n.z;
}

static bool make_motions(const mote_mesh *mesh, const hit_workload *workload, size_t count, motions *made)
{
    const double length = 0.005, pi = 3.14159265358979323846;
    double *sums = sum_areas(mesh);
    *made = (motions){malloc(3 * count * sizeof(float)), malloc(3 * count * sizeof(float)), count};
    const bool done = sums && made->from && made->to;
    mote_random random = {workload->seed};
    for (size_t i = 0; done && i < count; ++i) {
        double p[3];
        if (workload->near) near_surface(mesh, sums, &random, p);
        for (int k = 0; !workload->near && k < 3; ++k) p[k] = mote_random_unit(&random);
        const double z = 2 * mote_random_unit(&random) - 1, a = 2 * pi * mote_random_unit(&random), r = sqrt(1 - z * z);
        const double way[3] = {r * cos(a), r * sin(a), z};
        for (size_t k = 0; k < 3; ++k) {
            made->from[3 * i + k] = (float)p[k];
            made->to[3 * i + k] = (float)(p[k] + length * way[k]);
        }
    }
    free(sums);
    return done;
}

// -------------------------------------------------------------------------------------------------------- checks

static mote_vec3 point_of(const float *xyz, size_t i)
{
    return (mote_vec3){(double)xyz[3 * i], (double)xyz[3 * i + 1], (double)xyz[3 * i + 2]};
}

// The first triangle by brute force (Möller & Trumbore 1997); `doubtful` where rounding may decide.
static uint32_t brute_first(const mote_mesh *mesh, mote_vec3 from, mote_vec3 to, bool *doubtful)
{
    const double doubt = 1e-7;
    uint32_t first = UINT32_MAX;
    double best = 2;
    const mote_vec3 way = vec_sub(to, from);
    *doubtful = false;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        mote_vec3 c[3];
        corners_of(mesh, t, c);
        const mote_vec3 a = vec_sub(c[1], c[0]), b = vec_sub(c[2], c[0]), s = vec_sub(from, c[0]);
        const mote_vec3 p = vec_cross(way, b), q = vec_cross(s, a);
        const double det = vec_dot(a, p), time = vec_dot(b, q) / det;
        const double u = vec_dot(s, p) / det, v = vec_dot(way, q) / det;
        const double least = fmin(fmin(u, v), fmin(1 - u - v, fmin(time, 1 - time)));
        if (!(least > -doubt)) continue;
        *doubtful |= least < doubt;
        if (least < 0 || time > best) continue;
        *doubtful |= best - time < doubt;
        best = time;
        first = (uint32_t)t;
    }
    return first;
}

static bool check_samples(const mote_mesh *mesh, const motions *all, const mote_first_hit_list *list)
{
    uint32_t *found = malloc(all->count * sizeof *found);
    bool right = found != NULL;
    for (size_t i = 0; found && i < all->count; ++i) found[i] = UINT32_MAX;
    for (size_t h = 0; found && h < list->count; ++h) found[list->hits[h].particle] = list->hits[h].triangle;
    mote_random random = {99};
    for (uint32_t s = 0; right && s < SAMPLES; ++s) {
        // Half of the samples are hits.
        size_t i = mote_random_below(&random, (uint32_t)all->count);
        if (s % 2 && list->count) i = list->hits[mote_random_below(&random, (uint32_t)list->count)].particle;
        bool doubtful;
        const uint32_t first = brute_first(mesh, point_of(all->from, i), point_of(all->to, i), &doubtful);
        right = doubtful || first == found[i];
    }
    free(found);
    return right;
}

// --------------------------------------------------------------------------------------------------------- rows

static bool measure_mote(const bench_options *options, const mote_mesh *mesh, const motions *all, uint32_t threads,
                         bench_row *row)
{
    mote_context_def def = mote_context_default_def();
    def.thread_count = threads;
    mote_context *context;
    mote_first_hits *first = NULL;
    if (mote_context_create(&def, &context) != MOTE_OK) return false;
    const double start = bench_seconds();
    bool done = mote_first_hits_create(context, NULL, mesh, &first, NULL) == MOTE_OK;
    const double built = bench_seconds() - start;
    const mote_motions view = {.from = mote_points_xyz(all->from, all->count),
                               .to = mote_points_xyz(all->to, all->count)};
    mote_first_hit_list list = {0};
    bench_samples samples = {.count = 0};
    done = done && mote_first_hits_query(first, &view, &list, NULL) == MOTE_OK;
    row->verified = done && check_samples(mesh, all, &list);
    for (uint32_t k = 0; done && k < (options->repeat ? options->repeat : 7); ++k) {
        const double before = bench_seconds();
        done = mote_first_hits_query(first, &view, &list, NULL) == MOTE_OK;
        bench_samples_add(&samples, built, bench_seconds() - before);
    }
    row->result = list.count;
    row->bytes = first ? mote_first_hits_byte_count(first) : 0;
    row->threads = threads;
    if (done) bench_samples_finish(&samples, row);
    mote_first_hits_destroy(first);
    mote_context_destroy(context);
    return done;
}

// A peer's count of hits may differ where rounding decides.
static bool measure_peer(const bench_options *options, const bench_hit_peer *peer, const mote_mesh *mesh,
                         const motions *all, uint64_t expected, bench_row *row)
{
    const double start = bench_seconds();
    void *structure = peer->build(mesh);
    const double built = bench_seconds() - start;
    if (!structure) return false;
    bench_samples samples = {.count = 0};
    for (uint32_t k = 0; k < (options->repeat ? options->repeat : 7); ++k) {
        const double before = bench_seconds();
        row->result = peer->query(structure, all->from, all->to, all->count);
        bench_samples_add(&samples, built, bench_seconds() - before);
    }
    const uint64_t apart = row->result > expected ? row->result - expected : expected - row->result;
    row->verified = apart * 10000 <= expected + 10000;
    row->threads = 1;
    row->is_peer = true;
    bench_samples_finish(&samples, row);
    peer->release(structure);
    return true;
}

static int measure_workload(const bench_options *options, const mote_mesh *mesh, const hit_workload *workload,
                            bench_report *report)
{
    motions all;
    const bench_hit_peer *const *peers;
    const size_t count = options->count ? options->count : 1000000, peer_count = bench_hit_peers(&peers);
    bool done = make_motions(mesh, workload, count, &all), verified = true;
    bench_row blank = {.bench = "hits", .workload = workload->name, .count = mesh->triangle_count, .queries = count};
    uint64_t hits = 0;
    const uint32_t processors = mote_context_worker_count(NULL), first = options->threads ? options->threads : 1;
    for (uint32_t threads = first; done && bench_wants(options->methods, "first_hits"); threads = processors) {
        bench_row row = blank;
        snprintf(row.name, sizeof row.name, "first_hits");
        bench_progress(options, "%s: first_hits, %u threads", workload->name, threads);
        done = measure_mote(options, mesh, &all, threads, &row);
        hits = row.result;
        verified &= row.verified;
        if (done) bench_report_add(report, row);
        if (options->threads || threads >= processors) break;
    }
    for (size_t p = 0; done && p < peer_count; ++p) {
        if (!bench_wants(options->methods, peers[p]->name)) continue;
        bench_row row = blank;
        snprintf(row.name, sizeof row.name, "%s", peers[p]->name);
        bench_progress(options, "%s: %s", workload->name, peers[p]->name);
        done = measure_peer(options, peers[p], mesh, &all, hits, &row);
        if (done) bench_report_add(report, row);
    }
    free(all.from);
    free(all.to);
    if (!done) fprintf(stderr, "mote bench: hits, %s: no memory\n", workload->name);
    return done && verified ? 0 : 1;
}

int bench_hits(const bench_options *options, bench_report *report)
{
    mote_mesh *mesh = make_mesh(options);
    if (!mesh) return 2;
    int status = 0;
    for (int w = 0; w < WORKLOADS; ++w)
        if (bench_wants(options->workloads, workloads[w].name))
            status |= measure_workload(options, mesh, &workloads[w], report);
    mote_mesh_destroy(mesh);
    return status;
}
