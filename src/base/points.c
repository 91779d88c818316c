// SPDX-License-Identifier: MIT
// Point sets: the usual layouts, and the checks that do not read the coordinates.

#include "base/internal.h"

static mote_points interleaved(const void *first, size_t size, size_t count, mote_scalar scalar, int dimensions)
{
    mote_points points = {{NULL, NULL, NULL}, (ptrdiff_t)size * dimensions, count, scalar, dimensions};
    for (int k = 0; k < dimensions && first; ++k) points.axis[k] = (const char *)first + size * (size_t)k;
    return points;
}

mote_points mote_points_xyz(const float *xyz, size_t count)
{
    return interleaved(xyz, sizeof(float), count, MOTE_F32, 3);
}

mote_points mote_points_xyz_f64(const double *xyz, size_t count)
{
    return interleaved(xyz, sizeof(double), count, MOTE_F64, 3);
}

mote_points mote_points_xy(const float *xy, size_t count)
{
    return interleaved(xy, sizeof(float), count, MOTE_F32, 2);
}

mote_points mote_points_xy_f64(const double *xy, size_t count)
{
    return interleaved(xy, sizeof(double), count, MOTE_F64, 2);
}

mote_points mote_points_axes(const float *x, const float *y, const float *z, size_t count)
{
    mote_points points = {{x, y, z}, sizeof(float), count, MOTE_F32, z ? 3 : y ? 2 : 1};
    return points;
}

mote_points mote_points_axes_f64(const double *x, const double *y, const double *z, size_t count)
{
    mote_points points = {{x, y, z}, sizeof(double), count, MOTE_F64, z ? 3 : y ? 2 : 1};
    return points;
}

mote_result mote_points_check(mote_points points, const char *what, mote_error *error)
{
    if (points.dimensions < 1 || points.dimensions > 3)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s: dimensions is %d, expected 1, 2 or 3", what,
                         points.dimensions);
    if (points.scalar != MOTE_F32 && points.scalar != MOTE_F64)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s: scalar is %d, expected MOTE_F32 or MOTE_F64", what,
                         (int)points.scalar);
    if (points.count > UINT32_MAX - 1u)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s: %llu points, expected at most 2^32 - 2", what,
                         (unsigned long long)points.count);
    for (int k = 0; k < points.dimensions && points.count; ++k)
        if (!points.axis[k])
            return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s: axis[%d] is NULL, expected an array", what, k);
    return MOTE_OK;
}
