// SPDX-License-Identifier: MIT
// base/wide4.h: four floats at a time, in every form of the library.
//
// These are vectors of 128 bits, which both x86-64 and arm64 have in their baseline. So there is no choice at run
// time, and results are the same to the bit everywhere, because every operation is one IEEE operation per lane.
// They serve what has at most four numbers to work on, and the fluid: eight-wide forms of its loops over neighbours
// were measured and not adopted, as those are limited by loading records and by the square root and division.
#ifndef MOTE_BASE_WIDE4_H
#define MOTE_BASE_WIDE4_H

#include <math.h>
#include <string.h>

#include "base/internal.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#if defined(__GNUC__) || defined(__clang__)

typedef float mote_f4 __attribute__((vector_size(16)));

MOTE_INLINE mote_f4 f4_set(float a)
{
    return (mote_f4){a, a, a, a};
}

MOTE_INLINE mote_f4 f4_add(mote_f4 a, mote_f4 b)
{
    return a + b;
}

MOTE_INLINE mote_f4 f4_sub(mote_f4 a, mote_f4 b)
{
    return a - b;
}

MOTE_INLINE mote_f4 f4_mul(mote_f4 a, mote_f4 b)
{
    return a * b;
}

MOTE_INLINE mote_f4 f4_div(mote_f4 a, mote_f4 b)
{
    return a / b;
}

MOTE_INLINE mote_f4 f4_load(const float *at)
{
    mote_f4 a;
    memcpy(&a, at, sizeof a);
    return a;
}

MOTE_INLINE void f4_store(float *at, mote_f4 a)
{
    memcpy(at, &a, sizeof a);
}

// Loads four records of four floats each and transposes them into four columns.
MOTE_INLINE void f4_load_columns(const float *a, const float *b, const float *c, const float *d, mote_f4 columns[4])
{
    mote_f4 p, q, r, s;
    memcpy(&p, a, sizeof p);
    memcpy(&q, b, sizeof q);
    memcpy(&r, c, sizeof r);
    memcpy(&s, d, sizeof s);
    mote_f4 pq_low = __builtin_shufflevector(p, q, 0, 4, 1, 5);
    mote_f4 pq_high = __builtin_shufflevector(p, q, 2, 6, 3, 7);
    mote_f4 rs_low = __builtin_shufflevector(r, s, 0, 4, 1, 5);
    mote_f4 rs_high = __builtin_shufflevector(r, s, 2, 6, 3, 7);
    columns[0] = __builtin_shufflevector(pq_low, rs_low, 0, 1, 4, 5);
    columns[1] = __builtin_shufflevector(pq_low, rs_low, 2, 3, 6, 7);
    columns[2] = __builtin_shufflevector(pq_high, rs_high, 0, 1, 4, 5);
    columns[3] = __builtin_shufflevector(pq_high, rs_high, 2, 3, 6, 7);
}

// Lanes 1, 2, 3, 0.
MOTE_INLINE mote_f4 f4_rotate(mote_f4 a)
{
    return __builtin_shufflevector(a, a, 1, 2, 3, 0);
}

MOTE_INLINE float f4_lane(mote_f4 a, int lane)
{
    return a[lane];
}

typedef int32_t mote_i4 __attribute__((vector_size(16)));

// A lane's number towards 0, which fits.
MOTE_INLINE int32_t f4_whole(mote_f4 a, int lane)
{
    return __builtin_convertvector(a, mote_i4)[lane];
}

// Lane 3 receives these bits.
MOTE_INLINE mote_f4 f4_with_last(mote_f4 a, uint32_t bits)
{
    mote_i4 made = (mote_i4)a;
    made[3] = (int32_t)bits;
    return (mote_f4)made;
}

#else

typedef struct mote_f4 {
    float lane[4];
} mote_f4;

#define MOTE_F4_EACH(expression)                                 \
    do {                                                         \
        mote_f4 each;                                            \
        for (int l = 0; l < 4; ++l) each.lane[l] = (expression); \
        return each;                                             \
    } while (0)

MOTE_INLINE mote_f4 f4_set(float a)
{
    MOTE_F4_EACH(a);
}

MOTE_INLINE mote_f4 f4_add(mote_f4 a, mote_f4 b)
{
    MOTE_F4_EACH(a.lane[l] + b.lane[l]);
}

MOTE_INLINE mote_f4 f4_sub(mote_f4 a, mote_f4 b)
{
    MOTE_F4_EACH(a.lane[l] - b.lane[l]);
}

MOTE_INLINE mote_f4 f4_mul(mote_f4 a, mote_f4 b)
{
    MOTE_F4_EACH(a.lane[l] * b.lane[l]);
}

MOTE_INLINE mote_f4 f4_div(mote_f4 a, mote_f4 b)
{
    MOTE_F4_EACH(a.lane[l] / b.lane[l]);
}

MOTE_INLINE void f4_load_columns(const float *a, const float *b, const float *c, const float *d, mote_f4 columns[4])
{
    const float *records[4] = {a, b, c, d};
    for (int k = 0; k < 4; ++k)
        for (int l = 0; l < 4; ++l) columns[k].lane[l] = records[l][k];
}

MOTE_INLINE mote_f4 f4_load(const float *at)
{
    MOTE_F4_EACH(at[l]);
}

MOTE_INLINE void f4_store(float *at, mote_f4 a)
{
    for (int l = 0; l < 4; ++l) at[l] = a.lane[l];
}

MOTE_INLINE mote_f4 f4_rotate(mote_f4 a)
{
    MOTE_F4_EACH(a.lane[(l + 1) % 4]);
}

MOTE_INLINE float f4_lane(mote_f4 a, int lane)
{
    return a.lane[lane];
}

MOTE_INLINE int32_t f4_whole(mote_f4 a, int lane)
{
    return (int32_t)a.lane[lane];
}

MOTE_INLINE mote_f4 f4_with_last(mote_f4 a, uint32_t bits)
{
    memcpy(&a.lane[3], &bits, sizeof bits);
    return a;
}

#endif

#if defined(__SSE2__)
MOTE_INLINE mote_f4 f4_min(mote_f4 a, mote_f4 b)
{
    return _mm_min_ps(a, b);
}

MOTE_INLINE mote_f4 f4_max(mote_f4 a, mote_f4 b)
{
    return _mm_max_ps(a, b);
}

MOTE_INLINE mote_f4 f4_sqrt(mote_f4 a)
{
    return _mm_sqrt_ps(a);
}

MOTE_INLINE uint32_t f4_at_most(mote_f4 a, mote_f4 b)
{
    return (uint32_t)_mm_movemask_ps(_mm_cmple_ps(a, b));
}
#else
// a < b ? a : b and a > b ? a : b, as the SSE2 instructions define them.
#if defined(__GNUC__) || defined(__clang__)
MOTE_INLINE mote_f4 f4_select(mote_i4 mask, mote_f4 a, mote_f4 b)
{
    return (mote_f4)(((mote_i4)a & mask) | ((mote_i4)b & ~mask));
}

MOTE_INLINE mote_f4 f4_min(mote_f4 a, mote_f4 b)
{
    return f4_select(a < b, a, b);
}

MOTE_INLINE mote_f4 f4_max(mote_f4 a, mote_f4 b)
{
    return f4_select(a > b, a, b);
}
#else
MOTE_INLINE mote_f4 f4_min(mote_f4 a, mote_f4 b)
{
    MOTE_F4_EACH(a.lane[l] < b.lane[l] ? a.lane[l] : b.lane[l]);
}

MOTE_INLINE mote_f4 f4_max(mote_f4 a, mote_f4 b)
{
    MOTE_F4_EACH(a.lane[l] > b.lane[l] ? a.lane[l] : b.lane[l]);
}
#endif

MOTE_INLINE mote_f4 f4_sqrt(mote_f4 a)
{
#if defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
    return vsqrtq_f32(a);
#elif defined(__wasm_simd128__)
    return (mote_f4)wasm_f32x4_sqrt((v128_t)a);
#else
    float lanes[4];
    for (int l = 0; l < 4; ++l) lanes[l] = sqrtf(f4_lane(a, l));
    mote_f4 result;
    memcpy(&result, lanes, sizeof result);
    return result;
#endif
}

// One bit for each lane of a that is not above b's.
MOTE_INLINE uint32_t f4_at_most(mote_f4 a, mote_f4 b)
{
#if defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
    return vaddvq_u32((uint32x4_t)(a <= b) & (uint32x4_t){1, 2, 4, 8});
#elif defined(__wasm_simd128__)
    return wasm_i32x4_bitmask((v128_t)(a <= b));
#else
    uint32_t bits = 0;
    for (int l = 0; l < 4; ++l) bits |= (uint32_t)(f4_lane(a, l) <= f4_lane(b, l)) << l;
    return bits;
#endif
}
#endif

// Adds lanes 0 and 2, and 1 and 3, then these two sums: the last additions of all sums over neighbours.
MOTE_INLINE float f4_sum(mote_f4 a)
{
    return (f4_lane(a, 0) + f4_lane(a, 2)) + (f4_lane(a, 1) + f4_lane(a, 3));
}

#endif
