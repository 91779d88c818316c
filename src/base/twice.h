// SPDX-License-Identifier: MIT
// base/twice.h: sums of two doubles that do not overlap: about 106 bits (Dekker 1971; Shewchuk 1997). For the rare
// places where doubles cancel. Operands must be neither too large nor too small for their products to be split.
#ifndef MOTE_BASE_TWICE_H
#define MOTE_BASE_TWICE_H

#include "base/vector.h"

typedef struct mote_twice {
    double high, low;
} mote_twice;

static inline mote_twice mote_twice_sum(double a, double b)
{
    const double sum = a + b, virtual_b = sum - a, virtual_a = sum - virtual_b;
    return (mote_twice){sum, (a - virtual_a) + (b - virtual_b)};
}

static inline mote_twice mote_twice_product(double a, double b)
{
    const double splitter = 0x1p27 + 1, product = a * b;
    const double ca = splitter * a, cb = splitter * b;
    const double high_a = ca - (ca - a), low_a = a - high_a, high_b = cb - (cb - b), low_b = b - high_b;
    const double error = ((product - high_a * high_b) - low_a * high_b) - high_a * low_b;
    return (mote_twice){product, low_a * low_b - error};
}

static inline mote_twice mote_twice_add(mote_twice a, mote_twice b)
{
    const mote_twice high = mote_twice_sum(a.high, b.high), low = mote_twice_sum(a.low, b.low);
    const mote_twice sum = mote_twice_sum(high.high, high.low + low.high);
    return mote_twice_sum(sum.high, sum.low + low.low);
}

static inline mote_twice mote_twice_multiply(mote_twice a, mote_twice b)
{
    const mote_twice product = mote_twice_product(a.high, b.high);
    return mote_twice_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

static inline mote_twice mote_twice_negative(mote_twice a)
{
    return (mote_twice){-a.high, -a.low};
}

// The quotient to about 100 bits.
static inline mote_twice mote_twice_divide(mote_twice a, mote_twice b)
{
    const double first = a.high / b.high;
    const mote_twice once = {first, 0};
    const mote_twice rest = mote_twice_add(a, mote_twice_negative(mote_twice_multiply(once, b)));
    return mote_twice_sum(first, rest.high / b.high);
}

// ------------------------------------------------------------------------------------------------------- vectors

typedef struct mote_twice_vec3 {
    mote_twice x, y, z;
} mote_twice_vec3;

// a − b, exact.
static inline mote_twice_vec3 mote_twice_apart(mote_vec3 a, mote_vec3 b)
{
    return (mote_twice_vec3){mote_twice_sum(a.x, -b.x), mote_twice_sum(a.y, -b.y), mote_twice_sum(a.z, -b.z)};
}

static inline mote_twice mote_twice_dot(mote_twice_vec3 a, mote_twice_vec3 b)
{
    return mote_twice_add(mote_twice_add(mote_twice_multiply(a.x, b.x), mote_twice_multiply(a.y, b.y)),
                          mote_twice_multiply(a.z, b.z));
}

static inline mote_twice mote_twice_cross_component(mote_twice a, mote_twice b, mote_twice c, mote_twice d)
{
    return mote_twice_add(mote_twice_multiply(a, b), mote_twice_negative(mote_twice_multiply(c, d)));
}

static inline mote_twice_vec3 mote_twice_cross(mote_twice_vec3 a, mote_twice_vec3 b)
{
    return (mote_twice_vec3){mote_twice_cross_component(a.y, b.z, a.z, b.y),
                             mote_twice_cross_component(a.z, b.x, a.x, b.z),
                             mote_twice_cross_component(a.x, b.y, a.y, b.x)};
}

#endif
