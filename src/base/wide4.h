// SPDX-License-Identifier: MIT
// base/wide4.h: four floats at a time, in every form of the library.
//
// These are vectors of 128 bits, which both x86-64 and arm64 have in their baseline. So there is no choice at run
// time, and results are the same to the bit everywhere, because every operation is one IEEE operation per lane.
// They serve what has at most four numbers to work on: the corners of a box, the values at a node of a field, the
// points of a leaf of a k-d tree. Loops over many numbers are written over base/wide.h.
//
// Operations that compilers' vectors have as an operator are written with it, below, and once more for compilers
// without such vectors. f4_min, f4_max and f4_at_most take instructions where there are some. test_wide
// compares all with one number at a time.
#ifndef MOTE_BASE_WIDE4_H
#define MOTE_BASE_WIDE4_H

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

// a in all lanes.
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

// Addresses need no alignment beyond a float's.
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

// A lane's smaller and larger number, b if one of them is NaN: a < b ? a : b and a > b ? a : b, as SSE2 has them. And
// a bit for each lane of a that is at most b's, lane 0 lowest.
#if defined(__SSE2__)
MOTE_INLINE mote_f4 f4_min(mote_f4 a, mote_f4 b)
{
    return _mm_min_ps(a, b);
}

MOTE_INLINE mote_f4 f4_max(mote_f4 a, mote_f4 b)
{
    return _mm_max_ps(a, b);
}

MOTE_INLINE uint32_t f4_at_most(mote_f4 a, mote_f4 b)
{
    return (uint32_t)_mm_movemask_ps(_mm_cmple_ps(a, b));
}
#else
#if defined(__GNUC__) || defined(__clang__)
MOTE_INLINE mote_f4 f4_min(mote_f4 a, mote_f4 b)
{
    const mote_i4 less = a < b;
    return (mote_f4)(((mote_i4)a & less) | ((mote_i4)b & ~less));
}

MOTE_INLINE mote_f4 f4_max(mote_f4 a, mote_f4 b)
{
    const mote_i4 greater = a > b;
    return (mote_f4)(((mote_i4)a & greater) | ((mote_i4)b & ~greater));
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

#endif
