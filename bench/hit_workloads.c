// SPDX-License-Identifier: MIT
// What the benchmark of first hits works on: meshes, short motions beside them, and brute force to check by.

#include "hits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "vectors.h"

#if BENCH_IMPORT
#include "mesh_file.h"
#include "mote/import.h"
#endif

enum { SAMPLES = 1000 };

static const double pi = 3.14159265358979323846;

const bench_hit_workload bench_hit_workloads[] = {
    {"box", "start anywhere in the unit cube", false, 1234, 0.005},
    {"surface", "start within 0.02 of the surface", true, 1235, 0.005},
    {"box_long", "as box, of length 0.05", false, 1234, 0.05},
    {"surface_long", "as surface, of length 0.05", true, 1235, 0.05},
    {"box_far", "as box, of length 0.5", false, 1234, 0.5},
    {"surface_far", "as surface, of length 0.5", true, 1235, 0.5},
};
const size_t bench_hit_workload_count = sizeof bench_hit_workloads / sizeof *bench_hit_workloads;

// -------------------------------------------------------------------------------------------------------- meshes

enum { USUAL_SIDE = 187 };  // about as many triangles as the bunny has

// A sphere with bumps: a net of `side` by `side` squares, cut in two; at the poles one of the two has no area and is
// left out.
static mote_mesh *make_bumps(uint32_t side)
{
    mote_vec3 *vertices = malloc(sizeof *vertices * (side + 1) * side);
    uint32_t *triangles = malloc(sizeof *triangles * 6 * side * side), *at = triangles;
    mote_mesh *mesh = NULL;
    for (uint32_t r = 0; vertices && triangles && r <= side; ++r)
        for (uint32_t c = 0; c < side; ++c) {
            const double a = pi * r / side, b = 2 * pi * c / side, size = 1 + 0.1 * sin(5 * a) * sin(a) * cos(4 * b);
            const double around = r % side ? size * sin(a) : 0;
            vertices[r * side + c] = (mote_vec3){around * cos(b), around * sin(b), size * cos(a)};
            if (r == side) continue;
            const uint32_t here = r * side + c, beside = r * side + (c + 1) % side;
            const uint32_t upper[3] = {here, here + side, beside}, lower[3] = {beside, here + side, beside + side};
            if (r > 0) memcpy(at, upper, sizeof upper), at += 3;
            if (r < side - 1) memcpy(at, lower, sizeof lower), at += 3;
        }
    if (vertices && triangles)
        (void)mote_mesh_create(NULL, vertices, (size_t)(side + 1) * side, triangles, (size_t)(at - triangles) / 3,
                               &mesh, NULL);
    free(vertices);
    free(triangles);
    return mesh;
}

mote_mesh *bench_subdivide(mote_mesh *mesh)
{
    const size_t n = mesh->triangle_count;
    mote_vec3 *vertices = malloc(6 * n * sizeof *vertices + 1);
    uint32_t *triangles = malloc(12 * n * sizeof *triangles + 1);
    mote_mesh *made = NULL;
    for (size_t t = 0; vertices && triangles && t < n; ++t) {
        mote_vec3 c[3];
        bench_corners(mesh, t, c);
        for (size_t k = 0; k < 3; ++k) {
            const mote_vec3 a = c[k], b = c[(k + 1) % 3];
            vertices[6 * t + k] = a;
            vertices[6 * t + 3 + k] = (mote_vec3){(a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2};
        }
        static const uint32_t parts[12] = {0, 3, 5, 3, 1, 4, 5, 4, 2, 3, 4, 5};
        for (size_t k = 0; k < 12; ++k) triangles[12 * t + k] = (uint32_t)(6 * t) + parts[k];
    }
    if (vertices && triangles && mote_mesh_create(NULL, vertices, 6 * n, triangles, 4 * n, &made, NULL) == MOTE_OK &&
        mote_mesh_weld(made, NULL) != MOTE_OK) {
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
        app_mesh_read(NULL, path, NULL, &mesh, &error) == MOTE_OK)
        return mesh;
    if (options->mesh) fprintf(stderr, "mote bench: %s\n", error.text);
#else
    if (options->mesh) fprintf(stderr, "mote bench: %s: built without readers of meshes\n", options->mesh);
#endif
    return options->mesh ? NULL : make_bumps(USUAL_SIDE);
}

// The longest side 0.9, centred on (0.5, 0.5, 0.5).
static mote_mesh *scale_mesh(mote_mesh *mesh)
{
    if (!mesh || mote_mesh_weld(mesh, NULL) != MOTE_OK) return mesh;
    const mote_box box = mote_mesh_box(mesh);
    const mote_vec3 size = bench_sub(box.max, box.min);
    const double scale = 0.9 / fmax(size.x, fmax(size.y, size.z));
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        mote_vec3 *p = &mesh->vertices[v];
        p->x = (p->x - (box.min.x + box.max.x) / 2) * scale + 0.5;
        p->y = (p->y - (box.min.y + box.max.y) / 2) * scale + 0.5;
        p->z = (p->z - (box.min.z + box.max.z) / 2) * scale + 0.5;
    }
    return mesh;
}

mote_mesh *bench_hit_mesh(const bench_options *options)
{
    mote_mesh *mesh = scale_mesh(read_mesh(options));
    for (uint32_t k = 0; mesh && k < options->subdivide; ++k) mesh = bench_subdivide(mesh);
    return mesh;
}

mote_mesh *bench_bumps(size_t triangles)
{
    return scale_mesh(make_bumps((uint32_t)sqrt((double)triangles / 2)));
}

// ------------------------------------------------------------------------------------------------------- motions

// Sums of the triangles' areas.
static double *sum_areas(const mote_mesh *mesh)
{
    double *sums = malloc((mesh->triangle_count + 1) * sizeof *sums), sum = 0;
    for (size_t t = 0; sums && t < mesh->triangle_count; ++t) {
        mote_vec3 c[3];
        bench_corners(mesh, t, c);
        const mote_vec3 n = bench_cross(bench_sub(c[1], c[0]), bench_sub(c[2], c[0]));
        sums[t] = sum += sqrt(bench_dot(n, n)) / 2;
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
    bench_corners(mesh, low, c);
    double u = mote_random_unit(random), v = mote_random_unit(random);
    if (u + v > 1) u = 1 - u, v = 1 - v;
    const mote_vec3 a = bench_sub(c[1], c[0]), b = bench_sub(c[2], c[0]), n = bench_cross(a, b);
    const double length = sqrt(bench_dot(n, n));
    const double height = (0.04 * mote_random_unit(random) - 0.02) / (length > 0 ? length : 1);
    p[0] = c[0].x + u * a.x + v * b.x + height * n.x;
    p[1] = c[0].y + u * a.y + v * b.y + height * n.y;
    p[2] = c[0].z + u * a.z + v * b.z + height * n.z;
}

bool bench_motions_make(const mote_mesh *mesh, const bench_hit_workload *workload, size_t count, bench_motions *made)
{
    double *sums = sum_areas(mesh);
    *made = (bench_motions){malloc(3 * count * sizeof(float)), malloc(3 * count * sizeof(float)), count};
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
            made->to[3 * i + k] = (float)(p[k] + workload->length * way[k]);
        }
    }
    free(sums);
    return done;
}

void bench_motions_release(bench_motions *motions)
{
    free(motions->from);
    free(motions->to);
}

// ------------------------------------------------------------------------------------------------------- sorting

bool bench_sorted_allocate(size_t count, bench_sorted *sorted)
{
    const size_t bytes = 3 * count * sizeof(float);
    *sorted = (bench_sorted){{malloc(bytes), malloc(bytes), count}, malloc(count * 8), malloc(count * 8)};
    return sorted->motions.from && sorted->motions.to && sorted->keys && sorted->swapped;
}

void bench_sorted_release(bench_sorted *sorted)
{
    bench_motions_release(&sorted->motions);
    free(sorted->keys);
    free(sorted->swapped);
}

// Bits 0 to 9 of a number, two free ones between any two.
static uint64_t spread(float x)
{
    uint32_t bits = x > 0 ? x < 1 ? (uint32_t)(1024 * x) : 1023 : 0;
    bits = (bits | bits << 16) & 0x030000FF;
    bits = (bits | bits << 8) & 0x0300F00F;
    bits = (bits | bits << 4) & 0x030C30C3;
    return (bits | bits << 2) & 0x09249249;
}

void bench_sort_motions(const bench_motions *motions, bench_sorted *sorted)
{
    enum { DIGIT = 10, VALUES = 1 << DIGIT };
    const float *from = motions->from;
    for (size_t i = 0; i < motions->count; ++i) {
        const uint64_t key = spread(from[3 * i]) | spread(from[3 * i + 1]) << 1 | spread(from[3 * i + 2]) << 2;
        sorted->keys[i] = key << 32 | i;
    }
    for (int shift = 32; shift < 62; shift += DIGIT) {
        size_t starts[VALUES + 1] = {0};
        for (size_t i = 0; i < motions->count; ++i) ++starts[(sorted->keys[i] >> shift & (VALUES - 1)) + 1];
        for (size_t v = 0; v < VALUES; ++v) starts[v + 1] += starts[v];
        for (size_t i = 0; i < motions->count; ++i)
            sorted->swapped[starts[sorted->keys[i] >> shift & (VALUES - 1)]++] = sorted->keys[i];
        uint64_t *other = sorted->keys;
        sorted->keys = sorted->swapped;
        sorted->swapped = other;
    }
    for (size_t i = 0; i < motions->count; ++i) {
        const size_t k = 3 * (size_t)(uint32_t)sorted->keys[i];
        memcpy(sorted->motions.from + 3 * i, motions->from + k, 3 * sizeof(float));
        memcpy(sorted->motions.to + 3 * i, motions->to + k, 3 * sizeof(float));
    }
}

// -------------------------------------------------------------------------------------------------------- checks

static mote_vec3 point_of(const float *xyz, size_t i)
{
    return (mote_vec3){(double)xyz[3 * i], (double)xyz[3 * i + 1], (double)xyz[3 * i + 2]};
}

// Whether boxes lie apart: of a triangle and of a motion.
static bool is_apart(const mote_vec3 c[3], mote_vec3 from, mote_vec3 to, double doubt)
{
    const mote_vec3 low = {fmin(from.x, to.x) - doubt, fmin(from.y, to.y) - doubt, fmin(from.z, to.z) - doubt};
    const mote_vec3 high = {fmax(from.x, to.x) + doubt, fmax(from.y, to.y) + doubt, fmax(from.z, to.z) + doubt};
    return (c[0].x > high.x && c[1].x > high.x && c[2].x > high.x) ||
           (c[0].x < low.x && c[1].x < low.x && c[2].x < low.x) ||
           (c[0].y > high.y && c[1].y > high.y && c[2].y > high.y) ||
           (c[0].y < low.y && c[1].y < low.y && c[2].y < low.y) ||
           (c[0].z > high.z && c[1].z > high.z && c[2].z > high.z) ||
           (c[0].z < low.z && c[1].z < low.z && c[2].z < low.z);
}

// The first triangle by brute force (Möller & Trumbore 1997); `doubtful` where rounding may decide.
static uint32_t brute_first(const mote_mesh *mesh, mote_vec3 from, mote_vec3 to, bool *doubtful)
{
    const double doubt = 1e-7;
    uint32_t first = UINT32_MAX;
    double best = 2;
    const mote_vec3 way = bench_sub(to, from);
    *doubtful = false;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        mote_vec3 c[3];
        bench_corners(mesh, t, c);
        if (is_apart(c, from, to, doubt)) continue;
        const mote_vec3 a = bench_sub(c[1], c[0]), b = bench_sub(c[2], c[0]), s = bench_sub(from, c[0]);
        const mote_vec3 p = bench_cross(way, b), q = bench_cross(s, a);
        const double det = bench_dot(a, p), time = bench_dot(b, q) / det;
        const double u = bench_dot(s, p) / det, v = bench_dot(way, q) / det;
        const double least = fmin(fmin(u, v), fmin(1 - u - v, fmin(time, 1 - time)));
        if (det == 0 || !(least > -doubt)) continue;  // fmin takes no notice of what is not a number
        *doubtful |= least < doubt;
        if (least < 0 || time > best) continue;
        *doubtful |= best - time < doubt;
        best = time;
        first = (uint32_t)t;
    }
    return first;
}

bool bench_hit_samples_are_right(const mote_mesh *mesh, const bench_motions *motions, const uint32_t *triangles,
                                 const uint32_t *hits, size_t hit_count)
{
    mote_random random = {99};
    for (uint32_t s = 0; s < SAMPLES; ++s) {
        size_t i = mote_random_below(&random, (uint32_t)motions->count);
        if (s % 2 && hit_count) i = hits[mote_random_below(&random, (uint32_t)hit_count)];
        bool doubtful;
        const uint32_t first = brute_first(mesh, point_of(motions->from, i), point_of(motions->to, i), &doubtful);
        if (!doubtful && first != triangles[i]) return false;
    }
    return true;
}
