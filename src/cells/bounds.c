// SPDX-License-Identifier: MIT
// The box around a point set, and its first coordinate that is not finite.

#include <string.h>

#include "base/vector.h"
#include "cells/internal.h"

enum { BLOCK = 16384, PARTS = 64 };

// The result for one part of the points. The parts are few and have fixed bounds, so that no memory is needed.
typedef struct part_bounds {
    mote_box box;
    size_t first_bad;  // SIZE_MAX: none
} part_bounds;

typedef struct bounds_task {
    const mote_points *points;
    part_bounds parts[PARTS];
    size_t part_size;
} bounds_task;

// Computes the bounds of points begin … end − 1 along one axis; returns the first that is not finite, or SIZE_MAX.
#define DEFINE_AXIS_BOUNDS(name, type, load)                                                                         \
    static size_t name(const mote_points *points, int axis, size_t begin, size_t end, double *min, double *max)      \
    {                                                                                                                \
        const char *at = (const char *)points->axis[axis] + (ptrdiff_t)begin * points->stride;                       \
        type low = load(at), high = low, zero = 0; /* zero stays 0 while all are finite */                           \
        for (size_t i = begin; i < end; ++i, at += points->stride) {                                                 \
            type x = load(at);                                                                                       \
            zero += x - x;                                                                                           \
            low = x < low ? x : low;                                                                                 \
            high = x > high ? x : high;                                                                              \
        }                                                                                                            \
        *min = (double)low;                                                                                          \
        *max = (double)high;                                                                                         \
        for (size_t i = begin; i < end && !(zero == 0); ++i) {                                                       \
            double x = mote_points_get(points, i, axis);                                                             \
            if (!(x - x == 0)) return i;                                                                             \
        }                                                                                                            \
        return SIZE_MAX;                                                                                             \
    }
DEFINE_AXIS_BOUNDS(axis_bounds_f32, float, mote_load_f32)
DEFINE_AXIS_BOUNDS(axis_bounds_f64, double, mote_load_f64)

// The bounds of numbers in lanes, of which each `period`-th belongs to the same axis; the fourth is none.
typedef struct lane_bounds {
    double low[24], high[24];
    size_t count;
    bool finite[24];
} lane_bounds;

static bool join_lanes(const lane_bounds *lanes, size_t period, double *min, double *max)
{
    bool finite = true;
    for (size_t k = 0; k < lanes->count; ++k) {
        const size_t axis = k % period;
        if (axis == 3) continue;
        finite &= lanes->finite[k];
        min[axis] = k < period || lanes->low[k] < min[axis] ? lanes->low[k] : min[axis];
        max[axis] = k < period || lanes->high[k] > max[axis] ? lanes->high[k] : max[axis];
    }
    return finite;
}

// The same for numbers one behind the other, of which each `period`-th, 1, 3 or 4, belongs to the same axis: LANES
// numbers at a time, which compilers vectorize; the last ones are looked at twice. Returns false if the numbers are
// fewer, or if any of them is not finite; the bounds are then undefined.
#define DEFINE_DENSE_BOUNDS(name, type, LANES)                                                 \
    static bool name(const char *at, size_t count, size_t period, double *min, double *max)    \
    {                                                                                          \
        type low[LANES], high[LANES], x[LANES], zero[LANES] = {0};                             \
        if (count < LANES) return false;                                                       \
        memcpy(low, at, sizeof low);                                                           \
        memcpy(high, at, sizeof high);                                                         \
        for (size_t i = 0; i < count; i += LANES) {                                            \
            memcpy(x, at + sizeof(type) * MOTE_MIN(i, count - LANES), sizeof x);               \
            for (size_t k = 0; k < LANES; ++k) {                                               \
                zero[k] += x[k] - x[k];                                                        \
                low[k] = x[k] < low[k] ? x[k] : low[k];                                        \
                high[k] = x[k] > high[k] ? x[k] : high[k];                                     \
            }                                                                                  \
        }                                                                                      \
        lane_bounds lanes = {.count = LANES};                                                  \
        for (size_t k = 0; k < LANES; ++k) {                                                   \
            lanes.finite[k] = zero[k] == 0;                                                    \
            lanes.low[k] = (double)low[k], lanes.high[k] = (double)high[k];                    \
        }                                                                                      \
        return join_lanes(&lanes, period, min, max);                                           \
    }
DEFINE_DENSE_BOUNDS(dense_bounds_f32, float, 24)
DEFINE_DENSE_BOUNDS(dense_bounds_f64, double, 6)

// Widens bounds by a point. Returns false if it is not finite.
static bool add_point(const mote_points *points, size_t i, double min[3], double max[3])
{
    bool finite = true;
    for (int k = 0; k < 3; ++k) {
        const double x = mote_points_get(points, i, k);
        finite &= x - x == 0;
        min[k] = MOTE_MIN(x, min[k]), max[k] = MOTE_MAX(x, max[k]);
    }
    return finite;
}

// Computes the bounds of points that lie side by side: x, y, z, x, …, or records of four floats that begin with x, y
// and z, or each axis for itself. Returns false if they do not, or if any number is not finite. What follows the z of
// the last point is not read.
static bool dense_bounds(const mote_points *points, size_t begin, size_t count, double min[3], double max[3])
{
    const bool is_f32 = points->scalar == MOTE_F32;
    const ptrdiff_t size = is_f32 ? (ptrdiff_t)sizeof(float) : (ptrdiff_t)sizeof(double);
    const char *first = points->axis[0];
    const bool is_packed =
        points->dimensions == 3 && points->axis[1] == first + size && points->axis[2] == first + 2 * size;
    const bool is_four = is_packed && is_f32 && points->stride == 4 * size;
    const size_t period = is_four ? 4 : is_packed && points->stride == 3 * size ? 3 : 1;
    if (period == 1 && points->stride != size) return false;
    if (is_four) count -= 1;
    for (int k = 0; k < (period > 1 ? 1 : points->dimensions); ++k) {
        const char *at = (const char *)points->axis[k] + (ptrdiff_t)begin * points->stride;
        if (!(is_f32 ? dense_bounds_f32 : dense_bounds_f64)(at, period * count, period, min + k, max + k)) return false;
    }
    return !is_four || add_point(points, begin + count, min, max);
}

static void find_part(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    bounds_task *task = data;
    const mote_points *points = task->points;
    double min[3] = {0}, max[3] = {0};
    part_bounds *part = task->parts + begin / task->part_size;
    part->first_bad = SIZE_MAX;
    const bool done = dense_bounds(points, begin, end - begin, min, max);
    for (int k = 0; k < points->dimensions && !done; ++k) {
        size_t bad = points->scalar == MOTE_F32 ? axis_bounds_f32(points, k, begin, end, min + k, max + k)
                                                : axis_bounds_f64(points, k, begin, end, min + k, max + k);
        part->first_bad = MOTE_MIN(part->first_bad, bad);
    }
    part->box.min = mote_vec3_make(min[0], min[1], min[2]);
    part->box.max = mote_vec3_make(max[0], max[1], max[2]);
}

mote_result mote_points_bounds(const mote_context *context, const mote_points *points, const char *what, mote_box *box,
                               mote_error *error)
{
    bounds_task task = {.points = points};
    task.part_size = MOTE_MAX((points->count + PARTS - 1) / PARTS, (size_t)BLOCK);
    mote_parallel_for(context, points->count, task.part_size, find_part, &task);

    *box = mote_box_empty();
    for (size_t p = 0; p < mote_block_count(points->count, task.part_size); ++p) {
        size_t bad = task.parts[p].first_bad;
        if (bad != SIZE_MAX) {
            double value = 0;
            int axis = 0;
            for (; axis < points->dimensions; ++axis) {
                value = mote_points_get(points, bad, axis);
                if (!(value - value == 0)) break;
            }
            return mote_fail(error, MOTE_ERROR_NOT_FINITE, bad,
                             "%s: coordinate %c of point %llu is %s, expected a finite number", what, "xyz"[axis],
                             (unsigned long long)bad, value != value ? "nan" : value > 0 ? "inf" : "-inf");
        }
        *box = mote_box_union(*box, task.parts[p].box);
    }
    return MOTE_OK;
}
