// SPDX-License-Identifier: MIT
// Ahmad's tutorial: the cells that its scan line skips, and what it costs to skip none.
//
// "cells": random triangles of one size among cells that all hold a point, one each: per triangle the cells that it
// touches, the share of them that the scan line skips, the share of its cells that the triangle does not touch, and the
// time of both. Once more with a thickness of a tenth of a cell, and as many points as 20 a cell anywhere: the share of
// pairs of a triangle and a point within the thickness that the scan line loses.
// "scene": a bumpy sphere among random points near its surface; all pairs within a thickness, by the raster, by a
// search for the points around each triangle's middle, and by brute force (of a part of the triangles).
//
// One line of CSV each; exit status 1 if the methods find different pairs.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "mote/neighbors.h"
#include "mote/raster.h"

enum { SIDE = 40, MOST_REPEATS = 101 };

typedef struct settings {
    size_t triangles, points;
    int repeats;
} settings;

static double between(mote_random *random, double size)
{
    return (mote_random_unit(random) - 0.5) * size;
}

// ----------------------------------------------------------------------------------------------------------- cells

// Triangles whose corners lie `size` cells from their middle, any way round, within the block of cells.
static mote_mesh *make_triangles(mote_context *context, size_t count, double size)
{
    mote_vec3 *vertices = allocate(3 * count * sizeof *vertices);
    uint32_t *indices = allocate(3 * count * sizeof *indices);
    mote_random random = {11};
    for (size_t t = 0; t < count; ++t) {
        const double middle[3] = {0.5 * SIDE + between(&random, SIDE - 2 * size - 1),
                                  0.5 * SIDE + between(&random, SIDE - 2 * size - 1),
                                  0.5 * SIDE + between(&random, SIDE - 2 * size - 1)};
        for (size_t k = 0; k < 3; ++k) {
            double way[3], length2;
            do {
                for (int a = 0; a < 3; ++a) way[a] = between(&random, 2);
                length2 = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
            } while (length2 > 1 || length2 < 1e-6);
            const double scale = size / sqrt(length2);
            vertices[3 * t + k] =
                (mote_vec3){middle[0] + scale * way[0], middle[1] + scale * way[1], middle[2] + scale * way[2]};
            indices[3 * t + k] = (uint32_t)(3 * t + k);
        }
    }
    mote_mesh *mesh;
    require(mote_mesh_create(context, vertices, 3 * count, indices, count, &mesh, NULL));
    free(vertices);
    free(indices);
    return mesh;
}

static bool is_less(mote_raster_pair a, mote_raster_pair b)
{
    return a.first < b.first || (a.first == b.first && a.second < b.second);
}

// Pairs of `a` that are not among those of `b`.
static size_t count_missing(const mote_raster_pairs *a, const mote_raster_pairs *b)
{
    size_t missing = 0, at = 0;
    for (size_t k = 0; k < a->count; ++k) {
        while (at < b->count && is_less(b->pairs[at], a->pairs[k])) ++at;
        missing += at == b->count || is_less(a->pairs[k], b->pairs[at]);
    }
    return missing;
}

// Time of a query per triangle [ns], the median of the repetitions.
static double measure(const settings *options, const mote_raster *raster, const mote_mesh *mesh,
                      const mote_raster_query *query, mote_raster_pairs *pairs)
{
    double times[MOST_REPEATS];
    for (int turn = -1; turn < options->repeats; ++turn) {
        const double start = cpu_milliseconds();
        require(mote_raster_triangles(raster, mesh, query, pairs, NULL));
        if (turn >= 0) times[turn] = cpu_milliseconds() - start;
    }
    return 1e6 * median(times, options->repeats) / (double)mesh->triangle_count;
}

static mote_raster *make_raster(mote_context *context, double edge, const float *xyz, size_t count)
{
    mote_raster *raster;
    require(mote_raster_create(context, edge, &raster, NULL));
    require(mote_raster_update(raster, mote_points_xyz(xyz, count), NULL));
    return raster;
}

static void print_cells(const settings *options, mote_context *context, double size, const mote_raster *full,
                        const mote_raster *random_points)
{
    mote_mesh *mesh = make_triangles(context, options->triangles, size);
    mote_raster_query query = mote_raster_query_default();
    mote_raster_pairs touched = {0}, scanned = {0};
    query.candidates = true;
    const double exact_ns = measure(options, full, mesh, &query, &touched);
    query.scan_line = true;
    const double scan_ns = measure(options, full, mesh, &query, &scanned);
    const double skipped = (double)count_missing(&touched, &scanned) / (double)touched.count;
    const double needless = (double)count_missing(&scanned, &touched) / (double)scanned.count;
    const double cells = (double)touched.count / (double)options->triangles;

    query = mote_raster_query_default();
    query.thickness = 0.1;
    require(mote_raster_triangles(random_points, mesh, &query, &touched, NULL));
    query.scan_line = true;
    require(mote_raster_triangles(random_points, mesh, &query, &scanned, NULL));
    const double lost = (double)count_missing(&touched, &scanned) / (double)touched.count;
    printf("cells,%g,%zu,%.3f,%.4f,%.4f,%.4f,%.1f,%.1f\n", size, options->triangles, cells, skipped, needless, lost,
           exact_ns, scan_ns);
    mote_raster_pairs_release(&touched);
    mote_raster_pairs_release(&scanned);
    mote_mesh_destroy(mesh);
}

static void measure_cells(const settings *options, mote_context *context)
{
    enum { CELLS = SIDE * SIDE * SIDE, POINTS = 20 * CELLS };
    float *xyz = allocate(3 * POINTS * sizeof *xyz);
    for (size_t i = 0; i < CELLS; ++i) {
        xyz[3 * i] = (float)(i % SIDE) + 0.5f;
        xyz[3 * i + 1] = (float)(i / SIDE % SIDE) + 0.5f;
        xyz[3 * i + 2] = (float)(i / SIDE / SIDE) + 0.5f;
    }
    mote_raster *full = make_raster(context, 1, xyz, CELLS);
    if (mote_raster_get_stats(full).cells != CELLS) {
        fprintf(stderr, "there are %llu cells\n", (unsigned long long)mote_raster_get_stats(full).cells);
        exit(1);
    }
    mote_random random = {12};
    for (size_t i = 0; i < 3 * POINTS; ++i) xyz[i] = SIDE * (float)mote_random_unit(&random);
    mote_raster *random_points = make_raster(context, 1, xyz, POINTS);
    free(xyz);
    for (double size = 0.125; size < 12; size *= 2) print_cells(options, context, size, full, random_points);
    mote_raster_destroy(full);
    mote_raster_destroy(random_points);
}

// ----------------------------------------------------------------------------------------------------------- scene

static mote_vec3 minus(mote_vec3 a, mote_vec3 b)
{
    return (mote_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(mote_vec3 a, mote_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static double to_segment2(mote_vec3 p, mote_vec3 a, mote_vec3 b)
{
    const mote_vec3 ab = minus(b, a), ap = minus(p, a);
    double t = dot(ap, ab) / dot(ab, ab);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    const mote_vec3 d = {ap.x - t * ab.x, ap.y - t * ab.y, ap.z - t * ab.z};
    return dot(d, d);
}

static mote_vec3 cross(mote_vec3 a, mote_vec3 b)
{
    return (mote_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static bool is_within(mote_vec3 p, const mote_vec3 corner[3], double thickness)
{
    const mote_vec3 n = cross(minus(corner[1], corner[0]), minus(corner[2], corner[0]));
    const double height = dot(minus(p, corner[0]), n);
    if (height * height > thickness * thickness * dot(n, n)) return false;
    bool inside = true;
    for (int k = 0; k < 3; ++k)
        inside &= dot(cross(minus(corner[(k + 1) % 3], corner[k]), minus(p, corner[k])), n) >= 0;
    if (inside) return true;
    for (int k = 0; k < 3; ++k)
        if (to_segment2(p, corner[k], corner[(k + 1) % 3]) <= thickness * thickness) return true;
    return false;
}

typedef struct scene {
    mote_mesh *mesh;
    float *xyz, *middles;
    size_t points;
    double thickness, reach;  // from the middle of a triangle to its corners, at most
} scene;

static mote_vec3 on_sphere(double u, double v)
{
    const double pi = 3.14159265358979323846, a = 2 * pi * u, b = pi * v;
    const double r = 1 + 0.1 * sin(5 * a) * sin(b) * sin(b) * sin(4 * b);
    return (mote_vec3){r * cos(a) * sin(b), r * sin(a) * sin(b), r * cos(b)};
}

// A grid over longitude and latitude, the caps left out; points up to a tenth of the radius off the surface.
static void make_scene(mote_context *context, const settings *options, scene *made)
{
    const uint32_t n = (uint32_t)sqrt((double)options->triangles / 2);
    const size_t vertex_count = (size_t)(n + 1) * (n + 1), count = 2 * (size_t)n * n;
    mote_vec3 *vertices = allocate(vertex_count * sizeof *vertices);
    uint32_t *indices = allocate(3 * count * sizeof *indices), *at = indices;
    for (uint32_t i = 0; i <= n; ++i)
        for (uint32_t j = 0; j <= n; ++j) vertices[i * (n + 1) + j] = on_sphere((double)i / n, 0.2 + 0.6 * j / n);
    for (uint32_t i = 0; i < n; ++i)
        for (uint32_t j = 0; j < n; ++j) {
            const uint32_t v = i * (n + 1) + j, corners[6] = {v, v + 1, v + n + 1, v + 1, v + n + 2, v + n + 1};
            memcpy(at, corners, sizeof corners);
            at += 6;
        }
    require(mote_mesh_create(context, vertices, vertex_count, indices, count, &made->mesh, NULL));
    free(vertices);
    free(indices);
    made->points = options->points;
    made->xyz = allocate(3 * options->points * sizeof *made->xyz);
    mote_random random = {13};
    for (size_t i = 0; i < options->points; ++i) {
        const mote_vec3 p = on_sphere(mote_random_unit(&random), 0.2 + 0.6 * mote_random_unit(&random));
        const double scale = 1 + between(&random, 0.2);
        made->xyz[3 * i] = (float)(p.x * scale);
        made->xyz[3 * i + 1] = (float)(p.y * scale);
        made->xyz[3 * i + 2] = (float)(p.z * scale);
    }
    made->thickness = 0.25 * mote_raster_mean_edge(made->mesh);
}

static void corners_of(const mote_mesh *mesh, size_t t, mote_vec3 corner[3])
{
    for (size_t k = 0; k < 3; ++k) corner[k] = mesh->vertices[mesh->triangles[3 * t + k]];
}

static void find_middles(scene *made)
{
    made->middles = allocate(3 * made->mesh->triangle_count * sizeof *made->middles);
    made->reach = 0;
    for (size_t t = 0; t < made->mesh->triangle_count; ++t) {
        mote_vec3 corner[3];
        corners_of(made->mesh, t, corner);
        float *middle = made->middles + 3 * t;
        middle[0] = (float)((corner[0].x + corner[1].x + corner[2].x) / 3);
        middle[1] = (float)((corner[0].y + corner[1].y + corner[2].y) / 3);
        middle[2] = (float)((corner[0].z + corner[1].z + corner[2].z) / 3);
        for (int k = 0; k < 3; ++k) {
            const mote_vec3 way =
                minus(corner[k], (mote_vec3){(double)middle[0], (double)middle[1], (double)middle[2]});
            made->reach = fmax(made->reach, sqrt(dot(way, way)));
        }
    }
}

static size_t test_row(const scene *made, size_t t, const uint32_t *indices, size_t count)
{
    mote_vec3 corner[3];
    corners_of(made->mesh, t, corner);
    size_t pairs = 0;
    for (size_t k = 0; k < count; ++k) {
        const float *p = made->xyz + 3 * (indices ? indices[k] : k);
        pairs += is_within((mote_vec3){(double)p[0], (double)p[1], (double)p[2]}, corner, made->thickness);
    }
    return pairs;
}

static size_t by_neighbors(mote_neighbors *search, const scene *made)
{
    mote_lists lists;
    size_t pairs = 0;
    require(mote_neighbors_update(search, mote_points_xyz(made->xyz, made->points), NULL));
    require(mote_neighbors_query(search, mote_points_xyz(made->middles, made->mesh->triangle_count), &lists, NULL));
    for (uint32_t t = 0; t < lists.count; ++t) {
        const mote_row row = mote_lists_row(&lists, t);
        pairs += test_row(made, t, row.indices, row.count);
    }
    return pairs;
}

static void print_scene_row(const char *name, const scene *made, double ms, size_t pairs)
{
    printf("scene,%s,%zu,%zu,%.2f,%.1f,%zu\n", name, made->mesh->triangle_count, made->points, ms,
           1e6 * ms / (double)made->mesh->triangle_count, pairs);
}

static bool measure_scene(const settings *options, mote_context *context)
{
    scene made;
    make_scene(context, options, &made);
    double updates[MOST_REPEATS], queries[MOST_REPEATS], searches[MOST_REPEATS];
    mote_raster *raster = make_raster(context, mote_raster_mean_edge(made.mesh), made.xyz, made.points);
    mote_raster_query query = mote_raster_query_default();
    query.thickness = made.thickness;
    mote_raster_pairs pairs = {0};
    find_middles(&made);
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = (made.reach + made.thickness) * (1 + 1e-6);
    def.features = MOTE_NEIGHBORS_QUERY;
    mote_neighbors *search;
    require(mote_neighbors_create(context, &def, &search, NULL));
    size_t found = 0, some = 0;
    for (int turn = -1; turn < options->repeats; ++turn) {
        const double start = cpu_milliseconds();
        require(mote_raster_update(raster, mote_points_xyz(made.xyz, made.points), NULL));
        const double updated = cpu_milliseconds();
        require(mote_raster_triangles(raster, made.mesh, &query, &pairs, NULL));
        const double queried = cpu_milliseconds();
        found = by_neighbors(search, &made);
        if (turn < 0) continue;
        updates[turn] = updated - start;
        queries[turn] = queried - updated;
        searches[turn] = cpu_milliseconds() - queried;
    }
    const size_t count = made.mesh->triangle_count, part = count / 1000 + 1;
    const double start = cpu_milliseconds();
    for (size_t t = 0; t < count; t += part) some += test_row(&made, t, NULL, made.points);
    const double brute_ms = (cpu_milliseconds() - start) * (double)count / (double)((count + part - 1) / part);
    print_scene_row("raster: update", &made, median(updates, options->repeats), pairs.count);
    print_scene_row("raster: triangles", &made, median(queries, options->repeats), pairs.count);
    print_scene_row("neighbors of the middles", &made, median(searches, options->repeats), found);
    print_scene_row("brute force", &made, brute_ms, found);
    size_t same = 0;
    for (size_t k = 0; k < pairs.count; ++k) same += pairs.pairs[k].first % part == 0;
    const bool agree = found == pairs.count && same == some;
    mote_neighbors_destroy(search);
    mote_raster_pairs_release(&pairs);
    mote_raster_destroy(raster);
    mote_mesh_destroy(made.mesh);
    free(made.xyz);
    free(made.middles);
    return agree;
}

int main(int argc, char **argv)
{
    settings options = {200000, 1000000, 7};
    long threads = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        const long value = strtol(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--triangles") == 0 && value >= 8)
            options.triangles = (size_t)value;
        else if (strcmp(argv[i], "--points") == 0 && value >= 1)
            options.points = (size_t)value;
        else if (strcmp(argv[i], "--repeat") == 0 && value >= 1 && value <= MOST_REPEATS)
            options.repeats = (int)value;
        else if (strcmp(argv[i], "--threads") == 0 && value >= 1)
            threads = value;
        else
            argc = 0;
    }
    if (argc % 2 == 0) {
        fprintf(stderr, "usage: ahmad_scan_line [--triangles N] [--points N] [--repeat N] [--threads N]\n");
        return 2;
    }
    mote_context_def def = mote_context_default_def();
    def.thread_count = (uint32_t)threads;
    mote_context *context;
    require(mote_context_create(&def, &context, NULL));
    printf("what,size,triangles,cells,skipped,needless,pairs lost,raster ns,scan line ns\n");
    measure_cells(&options, context);
    const bool agree = measure_scene(&options, context);
    mote_context_destroy(context);
    if (!agree) fprintf(stderr, "the methods find different pairs\n");
    return agree ? 0 : 1;
}
