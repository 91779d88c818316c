// SPDX-License-Identifier: MIT
// The field of particles in the plane: max(c, g) as in space, with areas in place of volumes.
//
// Particles are sorted by bins of the support's size, then by coordinates, and every node sums over them in this order:
// its value depends neither on the order of the input nor on the number of threads. Only blocks of 16² nodes that
// particles reach have values.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "cells/internal.h"
#include "surface/outline.h"

enum { RANGE = 1024, SAMPLES = 64, MOST_LAYERS = 10 };
static const double inner = 0.45;        // spacings from a particle to where g has the isovalue
static const double most_fill = 8;       // c is at most so many times that of the particles alone
static const double most_cells = 0x1p30;  // from the origin

static double row_sum(double support, double x, double height)
{
    const int reach = (int)ceil(support) + 1;
    double sum = 0;
    for (int i = -reach; i <= reach; ++i)
        sum += mote_surface_shape(sqrt((i - x) * (i - x) + height * height) / support);
    return sum;
}

double mote_plane_derive_isovalue(double support)
{
    const int layers = (int)ceil(support) + 1;
    double area[MOST_LAYERS], own[MOST_LAYERS], mean = 0;
    MOTE_ASSERT(layers <= MOST_LAYERS);
    for (int k = 0; k < layers; ++k) own[k] = row_sum(support, 0, k);
    for (int k = 0; k < layers; ++k) {
        double sum = 0;
        for (int other = 0; other < k + layers; ++other) sum += own[other > k ? other - k : k - other];
        area[k] = 1 / sum;
    }
    for (int a = 0; a < SAMPLES; ++a)
        for (int k = 0; k < layers; ++k) mean += area[k] * row_sum(support, (a + 0.5) / SAMPLES, k + 0.5);
    return mean / SAMPLES;
}

// ------------------------------------------------------------------------------------------------------- particles

static uint64_t bin_of(const plane_field *field, double x, double y)
{
    return mote_plane_key((int64_t)floor(x / field->support), (int64_t)floor(y / field->support));
}

// The particles of a bin are ordered by coordinates, those at the same place by their numbers.
static bool is_before(const plane_field *field, uint32_t a, uint32_t b)
{
    if (field->y[a] != field->y[b]) return field->y[a] < field->y[b];
    return field->x[a] != field->x[b] ? field->x[a] < field->x[b] : a < b;
}

#define SORT_TYPE uint32_t
#define SORT_BEFORE(data, a, b) is_before(data, a, b)
#define SORT_NAME(verb) bin_##verb
#include "base/sorts.inl"

// Puts the numbers of particles, which are in their own order, into that of the index; `spare` takes as many.
static void gather(const plane_field *field, double *values, double *spare)
{
    for (size_t i = 0; i < field->count; ++i) spare[i] = values[field->index[i]];
    if (field->count > 0) memcpy(values, spare, field->count * sizeof *values);
}

static mote_result check_extent(const plane_field *field, const mote_points *points, const char *what,
                                mote_error *error)
{
    mote_box box;
    if (points->count == 0) return MOTE_OK;
    const mote_result result = mote_points_bounds(field->context, points, what, &box, error);
    if (result != MOTE_OK) return result;
    const double far = MOTE_MAX(MOTE_MAX(fabs(box.min.x), fabs(box.max.x)), MOTE_MAX(fabs(box.min.y), fabs(box.max.y)));
    if (far < most_cells * MOTE_MIN(field->cell, field->support * field->cell)) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "outline: %s are %g cells from the origin, expected fewer than %g",
                     what, far / field->cell, most_cells);
}

static mote_result sort_particles(plane_field *field, const mote_surface_cloud *cloud, mote_error *error)
{
    const size_t own = cloud->points.count, n = own + cloud->fill.count;
    mote_result result = mote_buffer_reserve(field->context, &field->memory[0], mote_bytes(n, 3 * sizeof(double)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(field->context, &field->memory[1],
                                     mote_bytes(n, 2 * sizeof(uint64_t) + 2 * sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "outline");
    field->count = n;
    field->own_count = (uint32_t)own;
    field->x = field->memory[0].data, field->y = field->x + n, field->volumes = field->y + n;
    field->bins = field->memory[1].data;
    field->index = (uint32_t *)(void *)(field->bins + 2 * n);
    const double scale = 1 / field->cell;
    for (size_t i = 0; i < n; ++i) {
        const mote_points *points = i < own ? &cloud->points : &cloud->fill;
        const size_t k = i < own ? i : i - own;
        field->x[i] = mote_points_get(points, k, 0) * scale;
        field->y[i] = mote_points_get(points, k, 1) * scale;
        field->bins[i] = bin_of(field, field->x[i], field->y[i]);
        field->index[i] = (uint32_t)i;
    }
    result = mote_sort_u64(field->context, field->bins, field->index, field->bins + n, field->index + n, n);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "outline");
    for (size_t begin = 0, end = 0; begin < n; begin = end) {
        while (end < n && field->bins[end] == field->bins[begin]) ++end;
        bin_sort(field, field->index + begin, end - begin);
    }
    gather(field, field->x, field->volumes);
    gather(field, field->y, field->volumes);
    return MOTE_OK;
}

// The first particle whose bin is not before this one.
static size_t first_of(const plane_field *field, uint64_t bin)
{
    size_t low = 0, high = field->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (field->bins[middle] < bin) low = middle + 1;
        else high = middle;
    }
    return low;
}

// V = 1/ΣW of each particle, with W(0) = 1.
static void find_volumes(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    plane_field *field = data;
    for (size_t i = begin; i < end; ++i) {
        const int64_t x = mote_plane_block_at(field->bins[i], 0), y = mote_plane_block_at(field->bins[i], 1);
        double sum = 0;
        for (int64_t row = y - 1; row <= y + 1; ++row) {
            const size_t last = first_of(field, mote_plane_key(x + 2, row));
            for (size_t j = first_of(field, mote_plane_key(x - 1, row)); j < last; ++j) {
                const double dx = field->x[j] - field->x[i], dy = field->y[j] - field->y[i];
                sum += mote_surface_shape(sqrt(dx * dx + dy * dy) / field->support);
            }
        }
        field->volumes[i] = 1 / sum;
    }
}

// Replaces V = 1/ΣW by the caller's areas, times W(0).
static void take_volumes(plane_field *field, const mote_surface_cloud *cloud)
{
    static const double pi = 3.14159265358979323846;
    const double h = field->support * field->cell, center = 40 / (7 * pi * h * h);
    for (size_t i = 0; i < field->count && cloud->volumes.components > 0; ++i)
        if (field->index[i] < field->own_count)
            field->volumes[i] = center * mote_surface_array_value(&cloud->volumes, field->index[i], 0);
}

// ---------------------------------------------------------------------------------------------------------- blocks

// Blocks that a particle reaches, with two cells to spare: what is beyond them is outside, and no edge there is cut.
static size_t list_reached(const plane_field *field, size_t i, uint64_t *keys)
{
    const double reach = field->support + 2;
    const int64_t x0 = (int64_t)floor((field->x[i] - reach) / PLANE_BLOCK),
                  x1 = (int64_t)floor((field->x[i] + reach) / PLANE_BLOCK);
    const int64_t y0 = (int64_t)floor((field->y[i] - reach) / PLANE_BLOCK),
                  y1 = (int64_t)floor((field->y[i] + reach) / PLANE_BLOCK);
    size_t count = 0;
    for (int64_t y = y0; y <= y1; ++y)
        for (int64_t x = x0; x <= x1; ++x, ++count)
            if (keys) keys[count] = mote_plane_key(x, y);
    return count;
}

static mote_result list_blocks(plane_field *field)
{
    size_t all = 0, count = 0;
    for (size_t i = 0; i < field->count; ++i) all += list_reached(field, i, NULL);
    mote_result result =
        mote_buffer_reserve(field->context, &field->memory[2], mote_bytes(all, 2 * sizeof(uint64_t)), 0);
    if (result != MOTE_OK) return result;
    uint64_t *keys = field->keys = field->memory[2].data;
    for (size_t i = 0; i < field->count; ++i) count += list_reached(field, i, keys + count);
    result = mote_sort_u64(field->context, keys, NULL, keys + all, NULL, all);
    if (result != MOTE_OK) return result;
    field->block_count = 0;
    for (size_t k = 0; k < all; ++k)
        if (k == 0 || keys[k] != keys[k - 1]) keys[field->block_count++] = keys[k];
    result = mote_buffer_reserve(field->context, &field->memory[3],
                                 mote_bytes(field->block_count, sizeof(float[PLANE_NODES])), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(field->context, &field->memory[4],
                                     mote_bytes(field->block_count, sizeof *field->rows), 0);
    field->values = field->memory[3].data;
    field->rows = field->memory[4].data;
    return result;
}

typedef struct node_sums {
    double own[PLANE_NODES], all[PLANE_NODES], g[PLANE_NODES];
} node_sums;

static void add_particle(const plane_field *field, size_t j, double x0, double y0, node_sums *sums)
{
    const double x = field->x[j] - x0, y = field->y[j] - y0, h = field->support;
    const bool is_own = field->index[j] < field->own_count;
    for (int b = 0; b < PLANE_BLOCK; ++b) {
        const double dy = b - y;
        if (fabs(dy) >= h) continue;
        for (int a = (int)fmax(0, ceil(x - h)); a < PLANE_BLOCK && a - x < h; ++a) {
            const double square = (a - x) * (a - x) + dy * dy;
            const double part = field->volumes[j] * mote_surface_shape(sqrt(square) / h);
            const int node = b * PLANE_BLOCK + a;
            sums->all[node] += part;
            if (!is_own) continue;
            sums->own[node] += part;
            sums->g[node] = MOTE_MAX(sums->g[node], 1 - field->slope * square);
        }
    }
}

static bool is_cut_off(const plane_field *field, double x, double y)
{
    const surface_cut *cut = field->cut;
    for (size_t k = 0; cut && k < cut->plane_count + (cut->distance != NULL); ++k)
        if (!(mote_surface_cut_distance(cut, k, mote_vec3_make(x * field->cell, y * field->cell, 0)) >= 0)) return true;
    return false;
}

static void evaluate_blocks(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    plane_field *field = data;
    for (size_t b = begin; b < end; ++b) {
        const double x0 = (double)mote_plane_block_at(field->keys[b], 0) * PLANE_BLOCK;
        const double y0 = (double)mote_plane_block_at(field->keys[b], 1) * PLANE_BLOCK;
        node_sums sums;
        memset(&sums, 0, sizeof sums);
        const int64_t left = (int64_t)floor(x0 / field->support) - 1,
                      right = (int64_t)floor((x0 + PLANE_BLOCK) / field->support) + 1;
        const int64_t low = (int64_t)floor(y0 / field->support) - 1,
                      high = (int64_t)floor((y0 + PLANE_BLOCK) / field->support) + 1;
        for (int64_t row = low; row <= high; ++row) {
            const size_t last = first_of(field, mote_plane_key(right + 1, row));
            for (size_t j = first_of(field, mote_plane_key(left, row)); j < last; ++j)
                add_particle(field, j, x0, y0, &sums);
        }
        for (int y = 0; y < PLANE_BLOCK; ++y) {
            field->rows[b][y] = 0;
            for (int x = 0; x < PLANE_BLOCK; ++x) {
                const int node = y * PLANE_BLOCK + x;
                const double c = MOTE_MIN(sums.all[node], most_fill * sums.own[node]);
                const float value = (float)(MOTE_MAX(c, sums.g[node]) - field->isovalue);
                field->values[b * PLANE_NODES + (size_t)node] = value;
                if (value >= 0 && !is_cut_off(field, x0 + x, y0 + y)) field->rows[b][y] |= (uint16_t)(1u << x);
            }
        }
    }
}

mote_result mote_plane_field_make(plane_field *field, const mote_surface_cloud *cloud, mote_error *error)
{
    mote_result result = check_extent(field, &cloud->points, "points", error);
    if (result == MOTE_OK) result = check_extent(field, &cloud->fill, "fill points", error);
    if (result == MOTE_OK) result = sort_particles(field, cloud, error);
    if (result != MOTE_OK) return result;
    const double reach = inner * field->spacing / field->cell;
    field->slope = (1 - field->isovalue) / (reach * reach);
    mote_parallel_for(field->context, field->count, RANGE, find_volumes, field);
    take_volumes(field, cloud);
    result = list_blocks(field);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "outline");
    mote_parallel_for(field->context, field->block_count, 4, evaluate_blocks, field);
    return MOTE_OK;
}

void mote_plane_field_release(plane_field *field)
{
    for (size_t k = 0; k < sizeof field->memory / sizeof *field->memory; ++k)
        mote_buffer_release(field->context, &field->memory[k]);
}
