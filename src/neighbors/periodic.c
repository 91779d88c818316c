// SPDX-License-Identifier: MIT
// Periodic boxes, computed with fractions of their edges.
//
// A difference d has the fractions f = E⁻¹ d. Its image k is within `reach` of 0 only if every |f + k| is at most
// reach / height: the height of an axis is the distance between the two faces of the box that this axis connects, so
// a ball of that radius spans this fraction of the axis, in slanted boxes too.

#include "neighbors/periodic.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vector.h"

static bool is_finite(mote_vec3 v)
{
    return v.x - v.x == 0 && v.y - v.y == 0 && v.z - v.z == 0;
}

// Returns a vector of length 1 in the same direction, for any length: no intermediate value overflows or underflows.
static mote_vec3 direction_of(mote_vec3 v)
{
    const double largest = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
    if (!(largest > 0)) return v;
    const int exponent = -ilogb(largest);
    return mote_vec3_unit(mote_vec3_make(ldexp(v.x, exponent), ldexp(v.y, exponent), ldexp(v.z, exponent)));
}

// Gives open axes unit vectors at right angles to the periodic ones.
static void complete(mote_vec3 edge[3], const bool periodic[3], int periodic_count)
{
    static const mote_vec3 units[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (periodic_count == 0) {
        for (int a = 0; a < 3; ++a) edge[a] = units[a];
    } else if (periodic_count == 1) {
        int along = periodic[0] ? 0 : periodic[1] ? 1 : 2;
        mote_vec3 unit = direction_of(edge[along]);
        int least = 0;  // the unit vector with the smallest component along it
        for (int k = 1; k < 3; ++k)
            if (fabs(mote_vec3_dot(unit, units[k])) < fabs(mote_vec3_dot(unit, units[least]))) least = k;
        edge[(along + 1) % 3] = mote_vec3_unit(mote_vec3_cross(unit, units[least]));
        edge[(along + 2) % 3] = mote_vec3_cross(unit, edge[(along + 1) % 3]);
    } else if (periodic_count == 2) {
        int open = !periodic[0] ? 0 : !periodic[1] ? 1 : 2;
        edge[open] =
            mote_vec3_unit(mote_vec3_cross(direction_of(edge[(open + 1) % 3]), direction_of(edge[(open + 2) % 3])));
    }
}

// The leading 22 bits of a number.
static double leading_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= ~((UINT64_C(1) << 31) - 1);
    memcpy(&x, &bits, sizeof bits);
    return x;
}

// Copies the edges of the periodic axes, from which shifts are summed.
static void keep_edges(const mote_vec3 edge[3], periodic_box *box)
{
    for (int k = 0; k < 3; ++k) box->is_shifted[k] = false;
    for (int a = 0; a < 3; ++a) {
        const double e[3] = {edge[a].x, edge[a].y, edge[a].z};
        for (int k = 0; k < 3; ++k) {
            double rest = box->edge[a][k] = box->periodic[a] ? e[k] : 0;  // an open axis shifts nothing
            for (int p = 0; p < EDGE_PARTS; ++p)
                rest -= box->part[p][a][k] = p < EDGE_PARTS - 1 ? leading_bits(rest) : rest;
            box->is_shifted[k] |= box->edge[a][k] != 0;
        }
    }
}

mote_result mote_periodic_box_make(const mote_vec3 period[3], mote_vec3 origin, periodic_box *box, mote_error *error)
{
    mote_vec3 edge[3] = {period[0], period[1], period[2]};
    int count = 0;
    for (int a = 0; a < 3; ++a) {
        if (!is_finite(edge[a]) || !is_finite(origin))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, (uint64_t)a, "period: edge %d or the origin is not finite", a);
        box->periodic[a] = edge[a].x != 0 || edge[a].y != 0 || edge[a].z != 0;
        count += box->periodic[a];
    }
    complete(edge, box->periodic, count);
    const mote_vec3 unit[3] = {direction_of(edge[0]), direction_of(edge[1]), direction_of(edge[2])};
    double volume = mote_vec3_dot(mote_vec3_cross(unit[0], unit[1]), unit[2]);
    if (!(fabs(volume) > 1e-6))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "period: edges (%g, %g, %g), (%g, %g, %g) and (%g, %g, %g) span no volume, "
                         "expected independent ones",
                         period[0].x, period[0].y, period[0].z, period[1].x, period[1].y, period[1].z, period[2].x,
                         period[2].y, period[2].z);
    box->roundoff = 0x1p-48 / fabs(volume);
    keep_edges(edge, box);
    for (int a = 0; a < 3; ++a) {
        // The row of E⁻¹: normal to the two other edges, with 1 along its own.
        mote_vec3 normal = mote_vec3_cross(unit[(a + 1) % 3], unit[(a + 2) % 3]);
        double along = mote_vec3_dot(normal, edge[a]);
        const double row[3] = {normal.x / along, normal.y / along, normal.z / along};
        box->height[a] = fabs(along) / mote_vec3_length(normal);
        for (int k = 0; k < 3; ++k) box->inverse[a][k] = box->is_shifted[k] || !box->periodic[a] ? row[k] : 0;
        if (!(box->height[a] > 0 && box->height[a] - box->height[a] == 0))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, (uint64_t)a, "period: edge %d is out of range", a);
    }
    const double corner[3] = {origin.x, origin.y, origin.z};
    for (int k = 0; k < 3; ++k) box->origin[k] = box->is_shifted[k] ? corner[k] : 0;
    return MOTE_OK;
}

mote_result mote_periodic_box_check(const periodic_box *box, int dimensions, const mote_box *bounds, const char *what,
                                    mote_error *error)
{
    for (int a = 0; a < 3; ++a)
        for (int k = dimensions; k < 3; ++k)
            if (box->periodic[a] && box->edge[a][k] != 0)
                return mote_fail(error, MOTE_ERROR_ARGUMENT, (uint64_t)a,
                                 "period: edge %d leaves the space of the points, which have %d dimensions", a,
                                 dimensions);
    if (!(bounds->min.x <= bounds->max.x)) return MOTE_OK;
    for (int corner = 0; corner < 8; ++corner) {
        double at[3] = {corner & 1 ? bounds->max.x : bounds->min.x, corner & 2 ? bounds->max.y : bounds->min.y,
                        corner & 4 ? bounds->max.z : bounds->min.z};
        double fraction[3];
        for (int k = 0; k < 3; ++k) {
            at[k] -= box->origin[k];
            if (box->is_shifted[k] && !(fabs(at[k]) <= DBL_MAX))
                return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                                 "%s: the difference of coordinate %d and the box's origin, %g, overflows", what, k,
                                 box->origin[k]);
        }
        mote_periodic_fractions(box, at, fraction);
        for (int a = 0; a < 3; ++a)
            if (box->periodic[a] && !(fabs(fraction[a]) < 0x1p29))
                return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                                 "%s: %g periods away from the box along edge %d, expected fewer than 2^29", what,
                                 fabs(fraction[a]), a);
    }
    return MOTE_OK;
}

mote_result mote_periodic_reach_check(const periodic_box *box, double reach, mote_error *error)
{
    for (int a = 0; a < 3; ++a)
        if (box->periodic[a] && !(reach / box->height[a] < 0x1p29))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, (uint64_t)a,
                             "radius: a reach of %g is %g periods of the box along edge %d, expected fewer than 2^29",
                             reach, reach / box->height[a], a);
    return MOTE_OK;
}

// -------------------------------------------------------------------------------------------------- shift vectors

// Adds a number to others whose sum is exact: each of them is smaller than the last place of the next (Shewchuk
// 1997). Returns the new number of parts.
static int add_exactly(double *parts, int count, double x)
{
    int kept = 0;
    for (int k = 0; k < count; ++k) {
        const double sum = x + parts[k], other = sum - x, lost = (x - (sum - other)) + (parts[k] - other);
        if (lost != 0) parts[kept++] = lost;
        x = sum;
    }
    parts[kept++] = x;
    return kept;
}

static double next_to(double x, bool is_larger)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = is_larger ? bits + 1 : bits - 1;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

// Returns the number of the scalar type nearest to an exact sum, and the even one of two that are equally near.
static double round_sum(const double *parts, int count, mote_scalar scalar)
{
    double sum = parts[--count], lost = 0;
    while (count > 0 && lost == 0) {
        const double before = sum, part = parts[--count];
        sum = before + part;
        lost = part - (sum - before);
    }
    if (lost == 0) return scalar == MOTE_F32 ? mote_as_f32(sum) : sum;
    if (scalar == MOTE_F64) {  // `sum` is nearest to the two parts: if they are exactly half way, the rest decides
        const bool goes_on = count > 0 && (lost < 0) == (parts[count - 1] < 0);
        const double twice = 2 * lost, other = sum + twice;
        return goes_on && other - sum == twice ? other : sum;
    }
    // Of the two doubles around the exact sum, take the odd one: rounded to float, it gives the same as the sum itself.
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return mote_as_f32(bits & 1 ? sum : next_to(sum, (lost > 0) == (sum > 0)));
}

// Returns x · 2^-exponent, or the smallest number of its sign: beside products that may overflow, the rest of a sum can
// only decide which way to round.
static double scale_down(double x, int exponent)
{
    const double scaled = exponent ? ldexp(x, -exponent) : x;
    return scaled != 0 || x == 0 ? scaled : copysign(0x1p-1074, x);
}

// Returns the sum, in parts that are small enough not to overflow, times 2^exponent.
static double add_products(const periodic_box *box, const int32_t shift[3], int k, mote_scalar scalar, int exponent)
{
    double parts[3 * EDGE_PARTS] = {0};
    int count = 0;
    for (int a = 0; a < 3; ++a)
        for (int p = 0; p < EDGE_PARTS; ++p) {
            const double part = scale_down(box->part[p][a][k], exponent);
            if (shift[a] != 0 && part != 0) count = add_exactly(parts, count, (double)shift[a] * part);
        }
    if (!exponent) return count ? round_sum(parts, count, scalar) : 0;
    const double sum = ldexp(count ? round_sum(parts, count, MOTE_F64) : 0, exponent);
    return scalar == MOTE_F32 ? mote_as_f32(sum) : sum;  // beyond all floats, for any rounding
}

double mote_periodic_shift(const periodic_box *box, const int32_t shift[3], int k, mote_scalar scalar)
{
    double sum = 0, size = 0;
    int count = 0;
    for (int a = 0; a < 3; ++a) {
        const double product = (double)shift[a] * box->edge[a][k];
        sum += product;
        size += fabs(product);
        count += product != 0;
    }
    const double most = 0x1p1021;  // no sum of products overflows
    if (!(size < most)) return add_products(box, shift, k, scalar, 64);
    if (scalar == MOTE_F64) return count < 2 ? sum : add_products(box, shift, k, scalar, 0);
    // The error of the two roundings seldom matters.
    const double error = 0x1p-50 * size, low = mote_as_f32(sum - error), high = mote_as_f32(sum + error);
    return low == high ? low : add_products(box, shift, k, scalar, 0);
}
