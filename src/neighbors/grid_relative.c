// SPDX-License-Identifier: MIT
// Double points as floats relative to the middle of their box.

#include "neighbors/grid_relative.h"

#include <math.h>

enum { BLOCK = 16384 };

static const double WIDEST = 0x1p15;  // half the box, in radii: a hundredth of the radius is then rounded away

bool mote_relative_frame_make(const mote_box *box, double radius, relative_frame *frame)
{
    const double low[3] = {box->min.x, box->min.y, box->min.z}, high[3] = {box->max.x, box->max.y, box->max.z};
    double half = 0;
    frame->scale = ldexp(1, -ilogb(radius));
    for (int k = 0; k < 3; ++k) {
        frame->middle[k] = 0.5 * low[k] + 0.5 * high[k];
        half = MOTE_MAX(half, (0.5 * high[k] - 0.5 * low[k]) * frame->scale);
    }
    const double unit = radius * frame->scale;
    if (!(half <= WIDEST * unit)) return false;
    // Each coordinate of a point, or of a query at most two units outside the box, is rounded by at most 2^-25 times
    // the next power of two. Two of them per axis, and three axes, make less than 4 · 2^-24 · (half + 4). The squared
    // distance itself is rounded by less than 2^-21 of itself.
    const double error = 0x1p-22 * (half + 4);
    const double far = unit + error, near = unit - error;
    frame->radius_squared = (float)(far * far * (1 + 0x1p-20));
    frame->sure_squared = (float)(near * near * (1 - 0x1p-20));
    frame->radius = far * (1 + 0x1p-20);
    return true;
}

mote_box mote_relative_box(const relative_frame *frame, const mote_box *box)
{
    const double from[2][3] = {{box->min.x, box->min.y, box->min.z}, {box->max.x, box->max.y, box->max.z}};
    double to[2][3];
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < 3; ++k) to[end][k] = (double)mote_relative(frame, from[end][k], k);
    return (mote_box){{to[0][0], to[0][1], to[0][2]}, {to[1][0], to[1][1], to[1][2]}};
}

typedef struct relative_task {
    const relative_frame *frame;
    const mote_points *points;
    bool are_inside;
    float *to[3];
} relative_task;

// The same as mote_relative for numbers one behind the other that are not far away: compilers vectorize this.
static void convert_packed(const double *restrict from, size_t count, double middle, double scale, float *restrict to)
{
    for (size_t i = 0; i < count; ++i) to[i] = (float)((from[i] - middle) * scale);
}

static void convert(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const relative_task *task = data;
    const mote_points *points = task->points;
    for (int k = 0; k < points->dimensions; ++k) {
        const char *from = (const char *)points->axis[k] + (ptrdiff_t)begin * points->stride;
        float *to = task->to[k];
        if (task->are_inside && points->stride == sizeof(double)) {
            const relative_frame *frame = task->frame;
            convert_packed((const double *)(const void *)from, end - begin, frame->middle[k], frame->scale, to + begin);
            continue;
        }
        for (size_t i = begin; i < end; ++i, from += points->stride)
            to[i] = mote_relative(task->frame, mote_load_f64(from), k);
    }
}

mote_result mote_relative_points(const mote_context *context, const relative_frame *frame, const mote_points *points,
                                 bool are_inside, mote_buffer *memory, mote_points *relative)
{
    const size_t count = points->count, room = count + 1;
    mote_result result = mote_buffer_reserve(context, memory, mote_bytes(room, 3 * sizeof(float)), 0);
    if (result != MOTE_OK) return result;
    relative_task task = {.frame = frame, .points = points, .are_inside = are_inside};
    *relative = *points;
    relative->scalar = MOTE_F32;
    relative->stride = sizeof(float);
    for (int k = 0; k < points->dimensions; ++k)
        relative->axis[k] = task.to[k] = (float *)memory->data + (size_t)k * room;
    mote_parallel_for(context, count, BLOCK, convert, &task);
    return MOTE_OK;
}
