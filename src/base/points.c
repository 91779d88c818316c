// SPDX-License-Identifier: MIT
// Point sets: the usual layouts, the checks that do not read the coordinates, and a checksum.

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

// The next state of a chain. Its maps are one-to-one, both for a given word and for a given state. Words are mixed by
// themselves first, so that what their high bits change, as signs are, is not undone by those of the next word.
static inline uint64_t chain(uint64_t state, uint64_t word)
{
    word *= UINT64_C(0xD6E8FEB86659FD93);
    state = (state ^ word ^ word >> 32) * UINT64_C(0x9E3779B97F4A7C15);
    return state ^ state >> 29;
}

// Word k of a point: a double, or two floats.
MOTE_INLINE uint64_t word_of(mote_points points, mote_scalar scalar, int dimensions, int k, size_t i)
{
    const ptrdiff_t at = (ptrdiff_t)i * points.stride;
    uint64_t word;
    uint32_t half[2] = {0, 0};
    if (scalar == MOTE_F64) {
        memcpy(&word, (const char *)points.axis[k] + at, sizeof word);
        return word;
    }
    memcpy(half, (const char *)points.axis[2 * k] + at, sizeof *half);
    if (2 * k + 1 < dimensions) memcpy(half + 1, (const char *)points.axis[2 * k + 1] + at, sizeof *half);
    return half[0] | (uint64_t)half[1] << 32;
}

// A chain for each word of even points, and one for each of odd points: they do not wait for each other.
MOTE_INLINE uint64_t checksum_of(mote_points points, mote_scalar scalar, int dimensions)
{
    const int words = scalar == MOTE_F64 ? dimensions : (dimensions + 1) / 2;
    uint64_t even[3] = {1, 2, 3}, odd[3] = {4, 5, 6};
    for (size_t i = 0; i + 1 < points.count; i += 2)
        for (int k = 0; k < words; ++k) {
            even[k] = chain(even[k], word_of(points, scalar, dimensions, k, i));
            odd[k] = chain(odd[k], word_of(points, scalar, dimensions, k, i + 1));
        }
    if (points.count % 2)
        for (int k = 0; k < words; ++k)
            even[k] = chain(even[k], word_of(points, scalar, dimensions, k, points.count - 1));
    uint64_t sum = chain(chain(points.count, (uint64_t)scalar), (uint64_t)dimensions);
    for (int k = 0; k < words; ++k) sum = chain(chain(sum, even[k]), odd[k]);
    return sum;
}

uint64_t mote_points_checksum(mote_points points)
{
    if (mote_points_check(points, "points", NULL) != MOTE_OK) return 0;
    if (points.dimensions < 3) return checksum_of(points, points.scalar, points.dimensions);
    return points.scalar == MOTE_F64 ? checksum_of(points, MOTE_F64, 3) : checksum_of(points, MOTE_F32, 3);
}
