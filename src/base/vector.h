// SPDX-License-Identifier: MIT
// base/vector.h: arithmetic on mote_vec3 and mote_box. It is not in the public header because users compile with
// their own floating-point flags.
#ifndef MOTE_BASE_VECTOR_H
#define MOTE_BASE_VECTOR_H

#include <math.h>

#include "mote/base.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

static inline mote_vec3 mote_vec3_make(double x, double y, double z)
{
    mote_vec3 v = {x, y, z};
    return v;
}

static inline mote_vec3 mote_vec3_add(mote_vec3 a, mote_vec3 b)
{
    return mote_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline mote_vec3 mote_vec3_sub(mote_vec3 a, mote_vec3 b)
{
    return mote_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline mote_vec3 mote_vec3_scale(mote_vec3 a, double s)
{
    return mote_vec3_make(a.x * s, a.y * s, a.z * s);
}

// a + s·b
static inline mote_vec3 mote_vec3_add_scaled(mote_vec3 a, mote_vec3 b, double s)
{
    return mote_vec3_make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline double mote_vec3_dot(mote_vec3 a, mote_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline mote_vec3 mote_vec3_cross(mote_vec3 a, mote_vec3 b)
{
    return mote_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double mote_vec3_length(mote_vec3 a)
{
    return sqrt(mote_vec3_dot(a, a));
}

// a/|a|, or 0 where |a| is 0.
static inline mote_vec3 mote_vec3_unit(mote_vec3 a)
{
    double length = mote_vec3_length(a);
    return length > 0 ? mote_vec3_scale(a, 1 / length) : a;
}

// The length, correct also for vectors whose squares overflow or underflow.
static inline double mote_vec3_length_of_any(mote_vec3 a)
{
    const double length = mote_vec3_length(a);
    if (length > 0x1p-400 && length < 0x1p400) return length;
    const double largest = fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
    if (!(largest > 0) || isinf(largest)) return largest;
    int exponent;
    frexp(largest, &exponent);
    const mote_vec3 near_one = {ldexp(a.x, -exponent), ldexp(a.y, -exponent), ldexp(a.z, -exponent)};
    return ldexp(mote_vec3_length(near_one), exponent);
}

static inline mote_vec3 mote_vec3_min(mote_vec3 a, mote_vec3 b)
{
    return mote_vec3_make(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}

static inline mote_vec3 mote_vec3_max(mote_vec3 a, mote_vec3 b)
{
    return mote_vec3_make(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

// The empty box: adding any point to it makes it that point.
static inline mote_box mote_box_empty(void)
{
    mote_box box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    return box;
}

static inline mote_box mote_box_add_point(mote_box box, mote_vec3 point)
{
    mote_box sum = {mote_vec3_min(box.min, point), mote_vec3_max(box.max, point)};
    return sum;
}

static inline mote_box mote_box_union(mote_box a, mote_box b)
{
    mote_box sum = {mote_vec3_min(a.min, b.min), mote_vec3_max(a.max, b.max)};
    return sum;
}

static inline mote_box mote_box_grow(mote_box box, double by)
{
    mote_vec3 margin = {by, by, by};
    mote_box grown = {mote_vec3_sub(box.min, margin), mote_vec3_add(box.max, margin)};
    return grown;
}

// Whether two boxes share more than a margin at their faces.
static inline bool mote_box_overlaps(mote_box a, mote_box b, double margin)
{
    return a.min.x < b.max.x - margin && b.min.x < a.max.x - margin && a.min.y < b.max.y - margin &&
           b.min.y < a.max.y - margin && a.min.z < b.max.z - margin && b.min.z < a.max.z - margin;
}

static inline bool mote_box_contains(mote_box box, mote_vec3 p)
{
    return p.x >= box.min.x && p.x <= box.max.x && p.y >= box.min.y && p.y <= box.max.y && p.z >= box.min.z &&
           p.z <= box.max.z;
}

#endif
