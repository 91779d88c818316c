// SPDX-License-Identifier: MIT
// base/wide.h: as many numbers side by side as a register of the processor holds.
//
// A loop that should run fast is written once, over wide_f32 and its kin, and compiled once for each form: plain,
// AVX2, AVX-512, and 128 bits (NEON or WebAssembly's SIMD128). A file that includes this header is compiled for one
// form; the baseline, unless the file that includes it chose another one:
//
//     #define MOTE_WIDE_AVX2            // neighbors/lanes_avx2.c: the module's loops once more, for AVX2
//     #include "base/wide.h"
//     #include "neighbors/grid_scan.c"
//
// In the plain form WIDE, the number of lanes, is 1, and wide_f32 is float: the loop is the scalar algorithm, which
// every C17 compiler takes. Where that algorithm is written apart, #ifndef MOTE_WIDE_PLAIN leaves the loop to the
// other forms. Vectors are as wide as registers and not wider, because GCC keeps wider ones in memory.
//
// Arithmetic is written with + - * /, between vectors or a vector and a number: one IEEE operation a lane, so all
// forms have the same bits. What operators cannot say is a function; wide_plain.h defines and explains each of them
// for one lane. A comparison makes a wide_mask; wide_bits turns it into the bits of a uint32_t, lane 0 lowest,
// and wide_hits_of into what wide_front needs to move these lanes to the front.
#ifndef MOTE_BASE_WIDE_H
#define MOTE_BASE_WIDE_H

#include "base/internal.h"

#if MOTE_HAVE_AVX2 && defined(MOTE_WIDE_AVX2)
#include "base/wide_avx2.h"
#define WIDE_NAME(name) name##_avx2
#elif MOTE_HAVE_AVX2 && defined(MOTE_WIDE_AVX512)
#include "base/wide_avx512.h"
#define WIDE_NAME(name) name##_avx512
#elif MOTE_HAVE_SIMD128 && defined(MOTE_WIDE_128)
#include "base/wide_128.h"
#define WIDE_NAME(name) name##_128
#else
#define MOTE_WIDE_PLAIN
#include "base/wide_plain.h"
#define WIDE_NAME(name) name##_plain
#endif

// Vectors of doubles have WIDE_F64 lanes, so it takes WIDE_PARTS of them for the lanes of one vector of floats.
enum { WIDE_PARTS = WIDE / WIDE_F64 };
_Static_assert((int)WIDE <= (int)MOTE_WIDE_MOST, "room at the end of arrays is for the widest form");

// One name for vectors of all numbers, and for masks of both.
#define WIDE_NUMBERS(name, v) \
    _Generic((v), wide_f32: name##_f32, wide_f64: name##_f64, wide_i32: name##_i32, wide_u32: name##_u32)
#define WIDE_FLOATS(name, v) _Generic((v), wide_f32: name##_f32, wide_f64: name##_f64)
#define WIDE_MASKS(name, mask) _Generic((mask), wide_mask: name##_f32, wide_mask_f64: name##_f64)

#define wide_load(at)                                                                                         \
    _Generic((at), float *: wide_load_f32, const float *: wide_load_f32, uint32_t *: wide_load_u32,           \
             const uint32_t *: wide_load_u32, double *: wide_load_f64, const double *: wide_load_f64)(at)
#define wide_store(at, v) \
    _Generic((at), float *: wide_store_f32, uint32_t *: wide_store_u32, double *: wide_store_f64)(at, v)
#define wide_front(v, hits) _Generic((v), wide_f32: wide_front_f32, wide_u32: wide_front_u32)(v, hits)
// Stores the lanes that are hits, or whose bits are set, side by side. What follows them, WIDE places in all, is
// overwritten.
#define wide_store_front(at, v, hits) wide_store(at, wide_front(v, hits))
#define wide_past(at, hits) _Generic((at), float *: wide_past_f32, uint32_t *: wide_past_u32)(at, hits)
#define wide_min(a, b) WIDE_NUMBERS(wide_min, a)(a, b)
#define wide_max(a, b) WIDE_NUMBERS(wide_max, a)(a, b)
#define wide_abs(v) WIDE_FLOATS(wide_abs, v)(v)
#define wide_sqrt(v) WIDE_FLOATS(wide_sqrt, v)(v)
#define wide_less(a, b) WIDE_NUMBERS(wide_less, a)(a, b)
#define wide_at_most(a, b) WIDE_FLOATS(wide_at_most, a)(a, b)
#define wide_equal(a, b) WIDE_NUMBERS(wide_equal, a)(a, b)
#define wide_select(mask, a, b) WIDE_NUMBERS(wide_select, a)(mask, a, b)
#define wide_both(a, b) WIDE_MASKS(wide_both, a)(a, b)
#define wide_either(a, b) WIDE_MASKS(wide_either, a)(a, b)
#define wide_except(a, b) WIDE_MASKS(wide_except, a)(a, b)
#define wide_not(mask) WIDE_MASKS(wide_not, mask)(mask)
#define wide_bits(mask) WIDE_MASKS(wide_bits, mask)(mask)
#define wide_any(mask) WIDE_MASKS(wide_any, mask)(mask)
#define wide_front_swapped(v, bits, by) \
    _Generic((v), wide_f32: wide_front_swapped_f32, wide_u32: wide_front_swapped_u32)(v, bits, by)
#define wide_swap(v, by) _Generic((v), wide_f32: wide_swap_f32, wide_u32: wide_swap_u32)(v, by)

// Each lane's record of four doubles, which begins at 4·record: column k receives number k of it.
MOTE_INLINE void wide_load_columns_f64(const double *at, const uint32_t record[WIDE_F64], wide_f64 columns[4])
{
    const double *row[WIDE_F64];
    for (int l = 0; l < WIDE_F64; ++l) row[l] = at + 4 * (size_t)record[l];
    wide_load_rows_f64(row, columns);
}

// As many doubles as a vector of floats has lanes.
typedef struct wide_doubles {
    wide_f64 part[WIDE_PARTS];
} wide_doubles;

// The lanes x, y, z of points, vectors or corners.
typedef struct wide_vec {
    wide_f32 x, y, z;
} wide_vec;

// (x·x + y·y) + z·z
MOTE_INLINE wide_f32 wide_length_squared(wide_f32 x, wide_f32 y, wide_f32 z)
{
    return (x * x + y * y) + z * z;
}

// (a.x·b.x + a.y·b.y) + a.z·b.z
MOTE_INLINE wide_f32 wide_dot(wide_vec a, wide_vec b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

MOTE_INLINE wide_vec wide_cross(wide_vec a, wide_vec b)
{
    return (wide_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// The same, rounded as is quicker: see wide_multiply_add.
MOTE_INLINE wide_f32 wide_rough_dot(wide_vec a, wide_vec b)
{
    return wide_multiply_add(a.z, b.z, wide_multiply_add(a.y, b.y, a.x * b.x));
}

MOTE_INLINE wide_vec wide_rough_cross(wide_vec a, wide_vec b)
{
    return (wide_vec){wide_multiply_subtract(a.y, b.z, a.z * b.y), wide_multiply_subtract(a.z, b.x, a.x * b.z),
                      wide_multiply_subtract(a.x, b.y, a.y * b.x)};
}

#endif
