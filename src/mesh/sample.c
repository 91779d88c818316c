// SPDX-License-Identifier: MIT
// Points spread evenly over a surface: a maximal Poisson-disk set.
//
// Darts are thrown (Cook 1986) at a finite set of candidates, so that the set is maximal when all have been tried.
// There are about CANDIDATES of them per spacing² of area, and each triangle's share is placed in it by a
// low-discrepancy sequence (Roberts 2018). They are tried in pseudo-random order, first with a larger disk and then
// with smaller ones (McCool & Fiume 1992), which spreads the points more evenly than one radius does. The last
// radius is chosen so that the density is one point per spacing²; the sample's test measures it. Slivers that are so
// thin that their area gives them too few candidates get more along their longest edge.
//
// No candidate is stored: its position is computed from its number, and a permutation of the numbers gives the
// order.

#include <string.h>

#include "mesh/internal.h"

enum { CANDIDATES = 40 };

// Disk radii in units of the spacing.
static const double radii[] = {0.94, 0.88, 0.82, 0.774};
#define RADIUS_COUNT (sizeof radii / sizeof radii[0])

// The largest number of points with 32-bit indices.
#define MAX_POINTS (UINT32_MAX - 1)

// The set so far, and its hash table of cells, whose edge is the first radius: `heads` by hash, then chains.
typedef struct disk_set {
    mote_context *context;
    mote_buffer points, triangles, next, heads;
    size_t count, table_size;
    mote_vec3 origin;
    double cell;
} disk_set;

static void release_set(disk_set *set)
{
    mote_buffer_release(set->context, &set->points);
    mote_buffer_release(set->context, &set->triangles);
    mote_buffer_release(set->context, &set->next);
    mote_buffer_release(set->context, &set->heads);
}

static size_t hash_cell(const disk_set *set, const int64_t cell[3])
{
    uint64_t h = (uint64_t)cell[0] * 0x9E3779B97F4A7C15u ^ (uint64_t)cell[1] * 0xC2B2AE3D27D4EB4Fu ^
                 (uint64_t)cell[2] * 0x165667B19E3779F9u;
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93u;
    return (size_t)(h >> 32 ^ h) & (set->table_size - 1);
}

// Points lie at or above the origin. Clamping does not increase the distance between two cells.
static int64_t cell_coordinate(const disk_set *set, double from_origin)
{
    return (int64_t)MOTE_MIN(from_origin / set->cell, 0x1p60);
}

static void cell_of(const disk_set *set, mote_vec3 p, int64_t cell[3])
{
    cell[0] = cell_coordinate(set, p.x - set->origin.x);
    cell[1] = cell_coordinate(set, p.y - set->origin.y);
    cell[2] = cell_coordinate(set, p.z - set->origin.z);
}

static mote_vec3 point_at(const disk_set *set, uint32_t i)
{
    const double *p = (const double *)set->points.data + 3 * (size_t)i;
    return mote_vec3_make(p[0], p[1], p[2]);
}

static void link_point(disk_set *set, uint32_t i)
{
    int64_t cell[3];
    cell_of(set, point_at(set, i), cell);
    uint32_t *head = (uint32_t *)set->heads.data + hash_cell(set, cell);
    ((uint32_t *)set->next.data)[i] = *head;
    *head = i;
}

static mote_result resize_table(disk_set *set, size_t size)
{
    mote_result result = mote_buffer_reserve(set->context, &set->heads, mote_bytes(size, sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return result;
    set->table_size = size;
    memset(set->heads.data, 0xFF, size * sizeof(uint32_t));
    for (size_t i = 0; i < set->count; ++i) link_point(set, (uint32_t)i);
    return MOTE_OK;
}

// True if a point of the set is nearer than `radius`, which is at most a cell's edge.
static bool is_covered(const disk_set *set, mote_vec3 p, double radius)
{
    int64_t at[3], cell[3];
    cell_of(set, p, at);
    for (cell[2] = at[2] - 1; cell[2] <= at[2] + 1; ++cell[2])
        for (cell[1] = at[1] - 1; cell[1] <= at[1] + 1; ++cell[1])
            for (cell[0] = at[0] - 1; cell[0] <= at[0] + 1; ++cell[0]) {
                uint32_t i = ((const uint32_t *)set->heads.data)[hash_cell(set, cell)];
                for (; i != UINT32_MAX; i = ((const uint32_t *)set->next.data)[i]) {
                    mote_vec3 apart = mote_vec3_sub(point_at(set, i), p);
                    if (mote_vec3_dot(apart, apart) < radius * radius) return true;
                }
            }
    return false;
}

static mote_result add_point(disk_set *set, mote_vec3 p, uint32_t triangle)
{
    const size_t n = set->count;
    if (n == MAX_POINTS) return MOTE_ERROR_ARGUMENT;
    mote_result result = mote_buffer_reserve(set->context, &set->points, (n + 1) * 24, n * 24);
    if (result == MOTE_OK) result = mote_buffer_reserve(set->context, &set->triangles, (n + 1) * 4, n * 4);
    if (result == MOTE_OK) result = mote_buffer_reserve(set->context, &set->next, (n + 1) * 4, n * 4);
    if (result != MOTE_OK) return result;
    memcpy((double *)set->points.data + 3 * n, (double[]){p.x, p.y, p.z}, 24);
    ((uint32_t *)set->triangles.data)[n] = triangle;
    ++set->count;
    if (n >= set->table_size) return resize_table(set, 2 * set->table_size);
    link_point(set, (uint32_t)n);
    return MOTE_OK;
}

static mote_result try_point(disk_set *set, mote_vec3 p, uint32_t triangle, double radius)
{
    return is_covered(set, p, radius) ? MOTE_OK : add_point(set, p, triangle);
}

// -------------------------------------------------------------------------------------------------- candidates

// first[t] is the number of the first candidate of triangle t; first[triangle_count] is the number of candidates.
static uint64_t number_candidates(const mote_mesh *mesh, double spacing, uint64_t seed, uint64_t *first)
{
    mote_random random = {seed};
    double rest = mote_random_unit(&random);  // the remainder of one triangle is passed on to the next
    uint64_t count = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        first[t] = count;
        double area = mote_vec3_length(mote_triangle_cross(mote_mesh_triangle(mesh, t))) / 2;
        rest += area / spacing / spacing * CANDIDATES;
        double whole = floor(rest);
        count += (uint64_t)whole;
        rest -= whole;
    }
    first[mesh->triangle_count] = count;
    return count;
}

static uint32_t triangle_of(const uint64_t *first, size_t triangle_count, uint64_t candidate)
{
    size_t low = 0, high = triangle_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (first[middle] <= candidate)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static mote_vec3 point_in(mote_triangle triangle, double u, double v)
{
    if (u + v > 1) u = 1 - u, v = 1 - v;
    mote_vec3 p = mote_vec3_add_scaled(triangle.a, mote_vec3_sub(triangle.b, triangle.a), u);
    return mote_vec3_add_scaled(p, mote_vec3_sub(triangle.c, triangle.a), v);
}

// The k-th point of a triangle's sequence, whose start depends on the triangle.
static mote_vec3 place_candidate(const mote_mesh *mesh, uint32_t t, uint64_t k, uint64_t seed)
{
    mote_random random = {seed ^ (uint64_t)t * 0x9E3779B97F4A7C15u};
    double u = mote_random_unit(&random) + (double)k * 0.7548776662466927;
    double v = mote_random_unit(&random) + (double)k * 0.5698402909980532;
    return point_in(mote_mesh_triangle(mesh, t), u - floor(u), v - floor(v));
}

// A permutation of 0 … 4^half_bits − 1: a Feistel network of four rounds.
static uint64_t permute(uint64_t number, int half_bits, uint64_t seed)
{
    const uint64_t mask = (UINT64_C(1) << half_bits) - 1;
    uint64_t left = number >> half_bits, right = number & mask;
    for (uint64_t round = 0; round < 4; ++round) {
        mote_random random = {seed + (round << 60) + right};
        uint64_t mixed = left ^ (mote_random_next(&random) & mask);
        left = right;
        right = mixed;
    }
    return left << half_bits | right;
}

static mote_result throw_by_area(const mote_mesh *mesh, const uint64_t *first, uint64_t seed, double radius,
                                 disk_set *set)
{
    const uint64_t count = first[mesh->triangle_count];
    int half_bits = 1;
    while (half_bits < 31 && UINT64_C(1) << 2 * half_bits < count) ++half_bits;
    for (uint64_t i = 0; i < UINT64_C(1) << 2 * half_bits; ++i) {
        uint64_t candidate = permute(i, half_bits, seed);
        if (candidate >= count) continue;
        uint32_t t = triangle_of(first, mesh->triangle_count, candidate);
        mote_vec3 p = place_candidate(mesh, t, candidate - first[t], seed);
        mote_result result = try_point(set, p, t, radius);
        if (result != MOTE_OK) return result;
    }
    return MOTE_OK;
}

// The number of the corner where the longest edge starts.
static int longest_edge(const mote_vec3 corners[3])
{
    int longest = 0;
    double longest2 = 0;
    for (int k = 0; k < 3; ++k) {
        mote_vec3 edge = mote_vec3_sub(corners[(k + 1) % 3], corners[k]);
        double length2 = mote_vec3_dot(edge, edge);
        if (length2 <= longest2) continue;
        longest2 = length2;
        longest = k;
    }
    return longest;
}

// For slivers, with a height of a fifth of the spacing or less: places candidates along the longest edge, a tenth of
// the spacing apart.
static mote_result throw_along_slivers(const mote_mesh *mesh, double spacing, double radius, disk_set *set)
{
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        mote_triangle triangle = mote_mesh_triangle(mesh, t);
        double longest = sqrt(mote_triangle_longest2(triangle));
        if (!(mote_vec3_length(mote_triangle_cross(triangle)) <= 0.2 * spacing * longest)) continue;
        mote_vec3 corners[3] = {triangle.a, triangle.b, triangle.c};
        int start = longest_edge(corners);
        mote_vec3 from = corners[start], along = mote_vec3_sub(corners[(start + 1) % 3], from);
        double pieces = floor(10 * longest / spacing) + 1;
        for (double k = 0; k < pieces; ++k) {
            mote_vec3 p = mote_vec3_add_scaled(from, along, (k + 0.5) / pieces);
            mote_result result = try_point(set, p, (uint32_t)t, radius);
            if (result != MOTE_OK) return result;
        }
    }
    return MOTE_OK;
}

// True if 32 bits can number the points: some for each spacing² of area and for each spacing of edge length.
static bool can_be_numbered(const mote_mesh *mesh, double spacing)
{
    double length = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t)
        length += sqrt(mote_triangle_longest2(mote_mesh_triangle(mesh, t)));
    return mote_mesh_area(mesh) / spacing / spacing + length / spacing < MAX_POINTS;
}

static mote_result throw_all(const mote_mesh *mesh, double spacing, uint64_t seed, uint64_t *first, disk_set *set)
{
    uint64_t count = number_candidates(mesh, spacing, seed, first);
    size_t table_size = 64;
    while (table_size < count / CANDIDATES) table_size *= 2;
    mote_result result = resize_table(set, table_size);
    for (size_t k = 0; k < RADIUS_COUNT && result == MOTE_OK; ++k)
        result = throw_by_area(mesh, first, seed + k, radii[k] * spacing, set);
    return result == MOTE_OK ? throw_along_slivers(mesh, spacing, radii[RADIUS_COUNT - 1] * spacing, set) : result;
}

// Copies the points into arrays of their exact size.
static mote_result hand_over(const disk_set *set, mote_mesh_samples *samples)
{
    const size_t n = set->count;
    mote_mesh_samples made = {mote_allocate(set->context, n * 3 * sizeof(double)),
                              mote_allocate(set->context, n * sizeof(uint32_t)), n, set->context};
    if (n && (!made.points || !made.triangles)) {
        mote_mesh_samples_release(&made);
        return MOTE_ERROR_OUT_OF_MEMORY;
    }
    if (n) {
        memcpy(made.points, set->points.data, n * 3 * sizeof(double));
        memcpy(made.triangles, set->triangles.data, n * sizeof(uint32_t));
    }
    *samples = made;
    return MOTE_OK;
}

mote_result mote_mesh_sample(const mote_mesh *mesh, double spacing, uint64_t seed, mote_mesh_samples *samples,
                             mote_error *error)
{
    if (!mote_mesh_is_sound(mesh) || !samples)
        return mote_fail_null(error, "mesh", samples ? "the mesh" : "the samples");
    if (!(spacing > 0) || isinf(spacing) || !can_be_numbered(mesh, spacing))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "mesh: samples %g m apart, expected a number above 0 and no more "
                         "cells along an axis than can be numbered",
                         spacing);
    mote_context *context = mesh->context;
    *samples = (mote_mesh_samples){NULL, NULL, 0, context};
    if (mesh->triangle_count == 0) return MOTE_OK;

    size_t first_bytes = (mesh->triangle_count + 1) * sizeof(uint64_t);
    uint64_t *first = mote_allocate(context, first_bytes);
    if (!first) return mote_pass_memory(error, MOTE_ERROR_OUT_OF_MEMORY, "mesh: sampling it");
    disk_set set = {.context = context, .origin = mote_mesh_box(mesh).min, .cell = radii[0] * spacing};
    mote_result result = throw_all(mesh, spacing, seed, first, &set);
    if (result == MOTE_OK) result = hand_over(&set, samples);
    release_set(&set);
    mote_release(context, first, first_bytes);
    if (result == MOTE_ERROR_ARGUMENT)
        return mote_fail(error, result, 0, "mesh: samples %g m apart are too many to be numbered", spacing);
    return mote_pass_memory(error, result, "mesh: sampling it");
}

void mote_mesh_samples_release(mote_mesh_samples *samples)
{
    if (!samples) return;
    mote_release(samples->context, samples->points, samples->count * 3 * sizeof(double));
    mote_release(samples->context, samples->triangles, samples->count * sizeof(uint32_t));
    *samples = (mote_mesh_samples){NULL, NULL, 0, samples->context};
}
