// SPDX-License-Identifier: MIT
// The search's own copy of its points.

#include "neighbors/points.h"

#include "base/order.h"
#include "cells/internal.h"

enum { BLOCK = 16384, SAMPLE = 255 };

typedef struct copy_task {
    const mote_points *points;
    point_radii radii;
    float *f32[4];  // x, y, z, radius
    double *f64[4];
} copy_task;

static void copy_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const copy_task *task = data;
    const mote_points *points = task->points;
    for (int k = 0; k < 4; ++k) {
        float *f32 = task->f32[k];
        double *f64 = task->f64[k];
        const bool has_values = k < points->dimensions || k == 3;
        const ptrdiff_t stride = k < 3 ? points->stride : task->radii.stride;
        const char *from = k < 3 ? points->axis[k] : task->radii.first;
        if (k == 3 && !from) break;
        for (size_t i = begin; i < end && f32; ++i)
            f32[i] = has_values ? mote_load_f32(from + (ptrdiff_t)i * stride) : 0;
        for (size_t i = begin; i < end && f64; ++i)
            f64[i] = has_values ? mote_load_f64(from + (ptrdiff_t)i * stride) : 0;
    }
}

mote_result mote_radii_check(point_radii radii, size_t count, mote_scalar scalar, const char *what, mote_error *error)
{
    for (size_t i = 0; i < count; ++i) {
        double radius = mote_radii_get(radii, i, scalar);
        if (!mote_radius_is_legal(radius, scalar, true))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, i, "%s: radius of point %llu is %g, expected %s", what,
                             (unsigned long long)i, radius,
                             scalar == MOTE_F32 ? "2^-50 to 2^62" : "2^-480 to 2^510");
    }
    return MOTE_OK;
}

mote_result mote_point_store_fill(const mote_context *context, point_store *store, const mote_points *points,
                                  point_radii radii, mote_error *error)
{
    size_t n = points->count, size = points->scalar == MOTE_F32 ? sizeof(float) : sizeof(double);
    size_t columns = radii.first ? 4 : 3;
    store->count = 0;
    mote_result result = mote_points_bounds(context, points, "points", &store->bounds, error);
    if (result == MOTE_OK && radii.first && !radii.is_enlarged)
        result = mote_radii_check(radii, n, points->scalar, "radii", error);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &store->memory, mote_bytes(n + 1, columns * size), 0);
    if (result != MOTE_OK) return result;

    copy_task task = {.points = points, .radii = radii};
    for (size_t k = 0; k < columns; ++k) {
        void *column = (char *)store->memory.data + k * (n + 1) * size;
        if (points->scalar == MOTE_F32)
            task.f32[k] = column;
        else
            task.f64[k] = column;
    }
    mote_parallel_for(context, n, BLOCK, copy_block, &task);
    store->scalar = points->scalar;
    store->dimensions = points->dimensions;
    store->count = (uint32_t)n;
    for (int k = 0; k < 3; ++k) store->f32[k] = task.f32[k], store->f64[k] = task.f64[k];
    store->radii_f32 = task.f32[3];
    store->radii_f64 = task.f64[3];
    store->max_radius = 0;
    for (size_t i = 0; radii.first && i < n; ++i)
        store->max_radius = MOTE_MAX(store->max_radius, mote_point_store_radius(store, (uint32_t)i));
    return MOTE_OK;
}

mote_points mote_point_store_view(const point_store *store)
{
    mote_points points = {.count = store->count, .scalar = store->scalar, .dimensions = store->dimensions};
    bool f64 = store->scalar == MOTE_F64;
    for (int k = 0; k < 3; ++k) points.axis[k] = f64 ? (const void *)store->f64[k] : (const void *)store->f32[k];
    points.stride = f64 ? sizeof(double) : sizeof(float);
    return points;
}

point_radii mote_point_store_radii(const point_store *store)
{
    if (store->radii_f64) return (point_radii){store->radii_f64, sizeof(double), false};
    return (point_radii){store->radii_f32, sizeof(float), false};
}

double mote_point_store_radius_quantile(const point_store *store, double share)
{
    double sample[SAMPLE];
    const uint32_t count = MOTE_MIN(store->count, (uint32_t)SAMPLE), each = store->count / count;
    for (uint32_t s = 0; s < count; ++s) sample[s] = mote_point_store_radius(store, s * each);
    mote_sort_doubles(sample, count);
    return sample[MOTE_MIN((uint32_t)(share * count), count - 1)];
}

void mote_point_store_release(const mote_context *context, point_store *store)
{
    mote_buffer_release(context, &store->memory);
}
