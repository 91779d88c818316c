// SPDX-License-Identifier: MIT
// Periodic boxes: particles that leave on one side come in on the other, and images stand for what lies beyond a face.
//
// An image is a copy of a record, moved by whole periods. Images are appended to the records after the particles, so
// that the loops over neighbours know nothing of periods, and are refreshed whenever records change. Along each
// periodic axis in turn, everything within reach of a face (images of earlier axes included) gets an image beyond the
// opposite one.

#include <math.h>

#include "fluid/internal.h"

// The period of an axis; 0: it is not periodic.
typedef struct period_axis {
    double min, length;
} period_axis;

static period_axis axis_of(const mote_period_def *period, int k)
{
    const bool is_periodic[3] = {period->x, period->y, period->z};
    const double min[3] = {period->min.x, period->min.y, period->min.z};
    const double max[3] = {period->max.x, period->max.y, period->max.z};
    return is_periodic[k] ? (period_axis){min[k], max[k] - min[k]} : (period_axis){0, 0};
}

mote_result mote_fluid_set_period(mote_fluid *fluid, const mote_period_def *period, mote_error *error)
{
    if (!fluid || !period) return mote_fail_null(error, "fluid", fluid ? "an argument" : "the object");
    if (period->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "fluid: the def was not made by mote_period_default_def");
    const mote_result result = mote_fields_check(mote_period_fields(), period, error);
    if (result != MOTE_OK) return result;
    if (fluid->def.solver != MOTE_SOLVER_WEAK)
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "periodic: needs the solver \"weak\" (preset engineering)");
    if (fluid->particles.count || fluid->wall_count)
        return mote_fail(error, MOTE_ERROR_STATE, 0, "periodic: the fluid has particles or walls already");
    for (int k = 0; k < 3; ++k) {
        const period_axis axis = axis_of(period, k);
        if (k == 1 && fluid->def.dimensions == 2 && period->y)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "periodic: y is true in 2D, expected x or z");
        if (axis.length != 0 && !(axis.length >= 2 * fluid->def.support))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                             "periodic: the box is %g wide along %c, expected at least two supports of %g", axis.length,
                             "xyz"[k], fluid->def.support);
    }
    fluid->period = *period;
    return MOTE_OK;
}

bool mote_fluid_is_periodic(const mote_fluid *fluid)
{
    return fluid->period.x || fluid->period.y || fluid->period.z;
}

double mote_fluid_filling(const mote_fluid *fluid)
{
    double filling = (double)fluid->particles.count * fluid->cell_volume;
    for (int k = 0; k < 3; ++k) {
        const double length = axis_of(&fluid->period, k).length;
        if (k == 1 && fluid->def.dimensions == 2) continue;
        if (!(length > 0)) return 0;
        filling /= length;
    }
    return filling;
}

void mote_fluid_wrap_place(const mote_fluid *fluid, double place[3])
{
    for (int k = 0; k < 3; ++k) {
        const period_axis axis = axis_of(&fluid->period, k);
        const double periods = axis.length > 0 ? floor((place[k] - axis.min) / axis.length) : 0;
        if (periods != 0) place[k] -= periods * axis.length;
    }
}

static void wrap_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    for (int k = 0; k < 3; ++k) {
        const period_axis axis = axis_of(&fluid->period, k);
        double *at = mote_fluid_doubles(fluid, FLUID_X + k);
        for (size_t i = begin; axis.length > 0 && i < end; ++i) {
            const double periods = floor((at[i] - axis.min) / axis.length);
            if (periods != 0) at[i] -= periods * axis.length;
        }
    }
}

void mote_fluid_wrap(mote_fluid *fluid)
{
    if (mote_fluid_is_periodic(fluid))
        mote_parallel_for(fluid->context, fluid->particles.count, FLUID_COPY_BLOCK, wrap_block, fluid);
}

// Appends an image of record `source`, which may be an image itself.
static mote_result add_image(mote_fluid *fluid, mote_buffer *images, size_t *count, weak_image image)
{
    const size_t used = *count * sizeof image;
    if (used + sizeof image > images->bytes) {
        const size_t more = MOTE_MAX(2 * used, (size_t)4096);
        if (mote_buffer_reserve(fluid->context, images, more, used) != MOTE_OK) return MOTE_ERROR_OUT_OF_MEMORY;
    }
    ((weak_image *)images->data)[(*count)++] = image;
    return MOTE_OK;
}

// The coordinate k of record i: of the first `count`, or of an image.
static double coordinate(const image_sources *sources, const weak_image *images, size_t i, int k)
{
    if (i < sources->count) return sources->axis[k][sources->stride * i];
    const weak_image *image = &images[i - sources->count];
    return sources->axis[k][sources->stride * image->source] + image->offset[k];
}

mote_result mote_fluid_find_images(mote_fluid *fluid, const image_sources *sources, mote_buffer *images, size_t *count)
{
    *count = 0;
    const double reach = fluid->def.support * (1 + 0x1p-10);
    for (int k = 0; k < 3; ++k) {
        const period_axis axis = axis_of(&fluid->period, k);
        if (axis.length == 0) continue;
        const size_t before = sources->count + *count;
        for (size_t i = 0; i < before; ++i) {
            const weak_image *all = images->data;
            const double at = coordinate(sources, all, i, k) - axis.min;
            weak_image image = {.source = (uint32_t)i};
            if (i >= sources->count) image = all[i - sources->count];
            const double offset = image.offset[k];
            mote_result result = MOTE_OK;
            if (at < reach) {
                image.offset[k] = offset + axis.length;
                result = add_image(fluid, images, count, image);
            }
            if (result == MOTE_OK && at >= axis.length - reach) {
                image.offset[k] = offset - axis.length;
                result = add_image(fluid, images, count, image);
            }
            if (result != MOTE_OK) return result;
        }
    }
    return MOTE_OK;
}
