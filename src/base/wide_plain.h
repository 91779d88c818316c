// SPDX-License-Identifier: MIT
// base/wide_plain.h: one lane, in plain C: what every operation of base/wide.h means.
//
// The other forms do the same in each lane, and test_wide compares them with this one.
#ifndef MOTE_BASE_WIDE_PLAIN_H
#define MOTE_BASE_WIDE_PLAIN_H

#include <math.h>

#include "base/internal.h"

enum { WIDE = 1, WIDE_F64 = 1 };

typedef float wide_f32;
typedef double wide_f64;
typedef int32_t wide_i32;
typedef uint32_t wide_u32;
// A lane's truth; for lanes of 32 and of 64 bits. They are two types, so that wide.h can tell them apart.
typedef bool wide_mask;
typedef uint8_t wide_mask_f64;
// What wide_front needs to know of a mask; bits will do, too.
typedef uint32_t wide_hits;

// clang-format off

// ---- memory: addresses need no alignment beyond their type's

MOTE_INLINE wide_f32 wide_load_f32(const float *at) { return *at; }
MOTE_INLINE wide_f64 wide_load_f64(const double *at) { return *at; }
MOTE_INLINE wide_u32 wide_load_u32(const uint32_t *at) { return *at; }
MOTE_INLINE wide_f32 wide_load_i16(const int16_t *at) { return *at; }  // as floats
MOTE_INLINE wide_u32 wide_load_u8(const uint8_t *at) { return *at; }   // as 32 bits
// The first `count` of the numbers, and `rest` in the other lanes; WIDE numbers are readable.
MOTE_INLINE wide_f32 wide_load_first(const float *at, size_t count, float rest) { return count > 0 ? *at : rest; }
// The first `count` of the numbers, and 0 in the other lanes; what follows is not read.
MOTE_INLINE wide_u32 wide_load_first_u32(const uint32_t *at, size_t count) { return count > 0 ? *at : 0; }
// The first eight lanes are read from `low` on, the next eight from `high` on; fewer than nine from `low` alone.
MOTE_INLINE wide_f32 wide_load_eights(const float *low, const float *high) { (void)high; return *low; }
// Each lane's record of four numbers, which begins at 4·record: column k receives number k of it.
MOTE_INLINE void wide_load_columns(const float *at, const uint32_t record[WIDE], wide_f32 columns[4])
{
    memcpy(columns, at + 4 * (size_t)record[0], 4 * sizeof *at);
}
// The same of records of doubles, lane l's at row[l].
MOTE_INLINE void wide_load_rows_f64(const double *const row[WIDE_F64], wide_f64 columns[4])
{
    memcpy(columns, row[0], 4 * sizeof **row);
}
// WIDE points x, y, z, x, y, z, …: column 0 receives their x.
MOTE_INLINE void wide_load_xyz(const float *at, wide_f32 columns[3]) { memcpy(columns, at, 3 * sizeof *at); }

// The number at each lane's index.
MOTE_INLINE wide_u32 wide_gather_u32(const uint32_t *at, wide_u32 index) { return at[index]; }
// The four bytes from each lane's offset on, the first one lowest. Offsets are below 2^31.
MOTE_INLINE wide_u32 wide_gather_bytes(const void *at, wide_u32 offset)
{
    const uint8_t *from = (const uint8_t *)at + offset;
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}
// Each lane's record of two numbers, which begins at 2·record.
MOTE_INLINE void wide_gather_pairs(const uint32_t *at, wide_u32 record, wide_u32 columns[2])
{
    memcpy(columns, at + 2 * (size_t)record, 2 * sizeof *at);
}

MOTE_INLINE void wide_store_f32(float *at, wide_f32 v) { *at = v; }
MOTE_INLINE void wide_store_u32(uint32_t *at, wide_u32 v) { *at = v; }
MOTE_INLINE void wide_store_f64(double *at, wide_f64 v) { *at = v; }
// Stores past the caches what fills lines of 64 bytes and is not read again soon; `at` is aligned to a vector. Before
// another thread may read it, the storing thread calls wide_end_stream.
MOTE_INLINE void wide_stream(double *at, wide_f64 v) { memcpy(at, &v, sizeof v); }
MOTE_INLINE void wide_end_stream(void) {}
MOTE_INLINE void wide_store_u8(uint8_t *at, wide_u32 v) { *at = (uint8_t)v; }  // numbers below 256
// Lane l's row of four numbers, one of each column, from at + l·stride on.
MOTE_INLINE void wide_store_rows(float *at, size_t stride, const wide_f32 columns[4])
{
    (void)stride;
    memcpy(at, columns, 4 * sizeof *at);
}
// 64-bit numbers, upper << 32 | lower.
MOTE_INLINE void wide_store_u64(uint64_t *at, wide_u32 upper, wide_u32 lower) { *at = (uint64_t)upper << 32 | lower; }
// WIDE_F64 columns of as many numbers: lane l of column k becomes lane k of row l.
MOTE_INLINE void wide_transpose_f64(const wide_f64 columns[WIDE_F64], wide_f64 rows[WIDE_F64]) { rows[0] = columns[0]; }
// WIDE points x, y, z, x, y, z, …
MOTE_INLINE void wide_store_xyz(float *at, const wide_f32 columns[3]) { memcpy(at, columns, 3 * sizeof *at); }
MOTE_INLINE void wide_store_xyz_f64(double *at, const wide_f64 columns[3]) { memcpy(at, columns, 3 * sizeof *at); }

// ---- numbers made, and turned into others

MOTE_INLINE wide_f32 wide_all(float x) { return x; }           // x in all lanes
MOTE_INLINE wide_f64 wide_all_f64(double x) { return x; }
MOTE_INLINE wide_i32 wide_all_i32(int32_t x) { return x; }
MOTE_INLINE wide_u32 wide_all_u32(uint32_t x) { return x; }
// `low` in the first eight lanes, `high` in the next eight.
MOTE_INLINE wide_f32 wide_all_eights(float low, float high) { (void)high; return low; }
MOTE_INLINE wide_u32 wide_all_eights_u32(uint32_t low, uint32_t high) { (void)high; return low; }
MOTE_INLINE wide_u32 wide_lane_numbers(void) { return 0; }     // 0, 1, 2, …
// The lanes that are hits, or whose bits are set, and their numbers, moved to the front in their order; what lanes
// behind them hold is not defined.
MOTE_INLINE wide_f32 wide_front_f32(wide_f32 v, wide_hits hits) { (void)hits; return v; }
MOTE_INLINE wide_u32 wide_front_u32(wide_u32 v, wide_hits hits) { (void)hits; return v; }
MOTE_INLINE wide_u32 wide_front_lanes(wide_hits hits) { (void)hits; return 0; }
MOTE_INLINE wide_i32 wide_signed(wide_u32 v) { return (wide_i32)v; }    // the same bits
MOTE_INLINE wide_u32 wide_unsigned(wide_i32 v) { return (wide_u32)v; }
MOTE_INLINE wide_u32 wide_bits_of(wide_f32 v) { uint32_t bits; memcpy(&bits, &v, sizeof bits); return bits; }
MOTE_INLINE wide_f32 wide_with_bits(wide_u32 bits) { float v; memcpy(&v, &bits, sizeof v); return v; }
MOTE_INLINE void wide_f32_to_f64(wide_f32 v, wide_f64 part[]) { part[0] = v; }          // exactly
MOTE_INLINE wide_f32 wide_f64_to_f32(const wide_f64 part[]) { return (float)part[0]; }  // rounded to the nearest
MOTE_INLINE void wide_i32_to_f64(wide_i32 v, wide_f64 part[]) { part[0] = v; }
MOTE_INLINE wide_f32 wide_i32_to_f32(wide_i32 v) { return (float)v; }                   // rounded to the nearest
// Towards 0. The whole numbers fit; what those become that do not is not defined.
MOTE_INLINE wide_i32 wide_f32_to_i32(wide_f32 v) { return fabsf(v) < 0x1p31f ? (int32_t)v : INT32_MIN; }
MOTE_INLINE wide_i32 wide_f64_to_i32(const wide_f64 part[])
{
    return fabs(part[0]) < 0x1p31 ? (int32_t)part[0] : INT32_MIN;
}
MOTE_INLINE wide_f32 wide_floor(wide_f32 v) { return floorf(v); }
MOTE_INLINE wide_f32 wide_round(wide_f32 v) { return rintf(v); }  // to the nearest, ties to the even one
// The largest whole numbers that are not above these, which fit.
MOTE_INLINE wide_i32 wide_floor_i32(const wide_f64 part[])
{
    const int32_t whole = (int32_t)part[0];
    return whole - (part[0] < whole);
}
// The lower 32 of each number's 64 bits.
MOTE_INLINE wide_u32 wide_low_halves(const wide_f64 part[])
{
    uint64_t bits;
    memcpy(&bits, part, sizeof bits);
    return (uint32_t)bits;
}
// Lane l receives what lane l ^ by holds; by is below WIDE.
MOTE_INLINE wide_f32 wide_swap_f32(wide_f32 v, uint32_t by) { (void)by; return v; }
MOTE_INLINE wide_u32 wide_swap_u32(wide_u32 v, uint32_t by) { (void)by; return v; }
// The lanes whose bits are set, side by side, in the order of number ^ by; by is below WIDE.
MOTE_INLINE wide_f32 wide_front_swapped_f32(wide_f32 v, uint32_t bits, uint32_t by) { (void)bits, (void)by; return v; }
MOTE_INLINE wide_u32 wide_front_swapped_u32(wide_u32 v, uint32_t bits, uint32_t by) { (void)bits, (void)by; return v; }

// ---- a·b + c and a·b − c, rounded once or twice, as is quicker: only for numbers with a bound of their error, which
// decide what is looked at more closely. Forms differ.

MOTE_INLINE wide_f32 wide_multiply_add(wide_f32 a, wide_f32 b, wide_f32 c) { return a * b + c; }
MOTE_INLINE wide_f32 wide_multiply_subtract(wide_f32 a, wide_f32 b, wide_f32 c) { return a * b - c; }

// ---- a lane's smaller and larger number (b if one of them is NaN), magnitude, square root

MOTE_INLINE wide_f32 wide_min_f32(wide_f32 a, wide_f32 b) { return a < b ? a : b; }
MOTE_INLINE wide_f32 wide_max_f32(wide_f32 a, wide_f32 b) { return a > b ? a : b; }
MOTE_INLINE wide_f64 wide_min_f64(wide_f64 a, wide_f64 b) { return a < b ? a : b; }
MOTE_INLINE wide_f64 wide_max_f64(wide_f64 a, wide_f64 b) { return a > b ? a : b; }
MOTE_INLINE wide_i32 wide_min_i32(wide_i32 a, wide_i32 b) { return a < b ? a : b; }
MOTE_INLINE wide_i32 wide_max_i32(wide_i32 a, wide_i32 b) { return a > b ? a : b; }
MOTE_INLINE wide_u32 wide_min_u32(wide_u32 a, wide_u32 b) { return a < b ? a : b; }
MOTE_INLINE wide_u32 wide_max_u32(wide_u32 a, wide_u32 b) { return a > b ? a : b; }
// The same where b is never NaN, and where it does not matter which sign a 0 has: one instruction on arm64.
MOTE_INLINE wide_f32 wide_lesser(wide_f32 a, wide_f32 b) { return a < b ? a : b; }
MOTE_INLINE wide_f32 wide_greater(wide_f32 a, wide_f32 b) { return a > b ? a : b; }
MOTE_INLINE wide_f32 wide_abs_f32(wide_f32 v) { return fabsf(v); }
MOTE_INLINE wide_f64 wide_abs_f64(wide_f64 v) { return fabs(v); }
MOTE_INLINE wide_f32 wide_sqrt_f32(wide_f32 v) { return sqrtf(v); }
MOTE_INLINE wide_f64 wide_sqrt_f64(wide_f64 v) { return sqrt(v); }
MOTE_INLINE uint32_t wide_sum(wide_u32 v) { return v; }  // of all lanes
// The least and the greatest of all lanes; none is NaN.
MOTE_INLINE float wide_least(wide_f32 v) { return v; }
MOTE_INLINE float wide_greatest(wide_f32 v) { return v; }

// ---- comparisons, false for NaN, and masks

MOTE_INLINE wide_mask wide_less_f32(wide_f32 a, wide_f32 b) { return a < b; }
MOTE_INLINE wide_mask_f64 wide_less_f64(wide_f64 a, wide_f64 b) { return a < b; }
MOTE_INLINE wide_mask wide_less_i32(wide_i32 a, wide_i32 b) { return a < b; }
MOTE_INLINE wide_mask wide_less_u32(wide_u32 a, wide_u32 b) { return a < b; }
MOTE_INLINE wide_mask wide_at_most_f32(wide_f32 a, wide_f32 b) { return a <= b; }
MOTE_INLINE wide_mask_f64 wide_at_most_f64(wide_f64 a, wide_f64 b) { return a <= b; }
MOTE_INLINE wide_mask wide_equal_f32(wide_f32 a, wide_f32 b) { return a == b; }
MOTE_INLINE wide_mask wide_equal_u32(wide_u32 a, wide_u32 b) { return a == b; }
MOTE_INLINE wide_mask wide_equal_i32(wide_i32 a, wide_i32 b) { return a == b; }
MOTE_INLINE wide_mask_f64 wide_equal_f64(wide_f64 a, wide_f64 b) { return a == b; }
MOTE_INLINE wide_mask wide_none(void) { return false; }
MOTE_INLINE wide_mask wide_both_f32(wide_mask a, wide_mask b) { return a && b; }
MOTE_INLINE wide_mask wide_either_f32(wide_mask a, wide_mask b) { return a || b; }
MOTE_INLINE wide_mask wide_except_f32(wide_mask a, wide_mask b) { return a && !b; }  // a and not b
MOTE_INLINE wide_mask wide_not_f32(wide_mask mask) { return !mask; }
MOTE_INLINE wide_mask_f64 wide_both_f64(wide_mask_f64 a, wide_mask_f64 b) { return a && b; }
MOTE_INLINE wide_mask_f64 wide_either_f64(wide_mask_f64 a, wide_mask_f64 b) { return a || b; }
MOTE_INLINE wide_mask_f64 wide_except_f64(wide_mask_f64 a, wide_mask_f64 b) { return a && !b; }
MOTE_INLINE wide_mask_f64 wide_not_f64(wide_mask_f64 mask) { return !mask; }
MOTE_INLINE wide_f64 wide_select_f64(wide_mask_f64 mask, wide_f64 a, wide_f64 b) { return mask ? a : b; }
MOTE_INLINE wide_i32 wide_select_i32(wide_mask mask, wide_i32 a, wide_i32 b) { return mask ? a : b; }
MOTE_INLINE wide_u32 wide_select_u32(wide_mask mask, wide_u32 a, wide_u32 b) { return mask ? a : b; }
MOTE_INLINE wide_f32 wide_select_f32(wide_mask mask, wide_f32 a, wide_f32 b) { return mask ? a : b; }
MOTE_INLINE uint32_t wide_bits_f32(wide_mask mask) { return mask; }                  // one for each lane, lane 0 lowest
MOTE_INLINE uint32_t wide_bits_f64(wide_mask_f64 mask) { return mask; }
MOTE_INLINE bool wide_any_f32(wide_mask mask) { return mask; }                       // whether one is set
MOTE_INLINE bool wide_any_f64(wide_mask_f64 mask) { return mask; }
MOTE_INLINE wide_hits wide_hits_of(wide_mask mask) { return mask; }
// The same of the first `count` lanes only; count is below 2^32.
MOTE_INLINE wide_hits wide_hits_within(wide_mask mask, size_t count) { return mask && count > 0; }
MOTE_INLINE size_t wide_hit_count(wide_hits hits) { return hits; }                   // of wide_hits_of, not of bits
// The place after the hits that wide_store_front has stored there.
MOTE_INLINE uint32_t *wide_past_u32(uint32_t *at, wide_hits hits) { return at + hits; }
MOTE_INLINE float *wide_past_f32(float *at, wide_hits hits) { return at + hits; }
MOTE_INLINE wide_mask wide_mask_of(uint32_t bits) { return bits & 1; }
// The same masks for the lanes of doubles, and back.
MOTE_INLINE void wide_mask_to_f64(wide_mask mask, wide_mask_f64 part[]) { part[0] = mask; }
MOTE_INLINE wide_mask wide_mask_from_f64(const wide_mask_f64 part[]) { return part[0] != 0; }
// How many bits are set, of WIDE.
MOTE_INLINE uint32_t wide_bit_count(uint32_t bits) { return bits; }
// Of the bits those of the first `count` lanes.
MOTE_INLINE uint32_t wide_first(uint32_t bits, size_t count) { return count > 0 ? bits : 0; }
MOTE_INLINE wide_u32 wide_count(wide_u32 v, wide_mask mask) { return v + mask; }  // one more where the mask is set
MOTE_INLINE wide_u32 wide_push(wide_u32 v, wide_mask mask) { return v + v + mask; }  // the mask as another lowest bit

// clang-format on

#endif
