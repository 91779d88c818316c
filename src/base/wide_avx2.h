// SPDX-License-Identifier: MIT
// base/wide_avx2.h: eight floats in a register of AVX2. wide_plain.h says what each operation means.
#ifndef MOTE_BASE_WIDE_AVX2_H
#define MOTE_BASE_WIDE_AVX2_H

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
#else
// GCC would use fused multiply-adds for what is written as products and sums, unless its command line forbids that.
#pragma GCC optimize("fp-contract=off")
#pragma GCC target("avx2,fma,bmi,bmi2,popcnt,lzcnt")
#endif

#include <immintrin.h>

#include "base/wide_compress.h"

enum { WIDE_BYTES = 32 };
#include "base/wide_vector_masks.h"

typedef uint32_t wide_hits;


// clang-format off

// ---- memory

MOTE_INLINE wide_f32 wide_load_f32(const float *at) { return _mm256_loadu_ps(at); }
MOTE_INLINE wide_f64 wide_load_f64(const double *at) { return _mm256_loadu_pd(at); }
MOTE_INLINE wide_u32 wide_load_u32(const uint32_t *at)
{
    return (wide_u32)_mm256_loadu_si256((const __m256i *)(const void *)at);
}
MOTE_INLINE wide_f32 wide_load_eights(const float *low, const float *high) { (void)high; return wide_load_f32(low); }
MOTE_INLINE wide_f32 wide_load_i16(const int16_t *at)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)at)));
}

MOTE_INLINE wide_u32 wide_load_u8(const uint8_t *at)
{
    return (wide_u32)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)at));
}

// All ones in the first lanes.
MOTE_INLINE __m256i wide_first_lanes(size_t count)
{
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)MOTE_MIN(count, (size_t)WIDE)), lanes);
}

MOTE_INLINE wide_f32 wide_load_first(const float *at, size_t count, float rest)
{
    return _mm256_blendv_ps(_mm256_set1_ps(rest), _mm256_loadu_ps(at), _mm256_castsi256_ps(wide_first_lanes(count)));
}
MOTE_INLINE wide_u32 wide_load_first_u32(const uint32_t *at, size_t count)
{
    return (wide_u32)_mm256_maskload_epi32((const int *)(const void *)at, wide_first_lanes(count));
}

// Four numbers from each of two addresses.
MOTE_INLINE __m256 wide_load_two(const float *low, const float *high) { return _mm256_loadu2_m128(high, low); }

// Rows of four numbers in each 128 bits become columns, and the other way round.
MOTE_INLINE void wide_transpose(__m256 a, __m256 b, __m256 c, __m256 d, __m256 columns[4])
{
    const __m256 ab_low = _mm256_unpacklo_ps(a, b), cd_low = _mm256_unpacklo_ps(c, d);
    const __m256 ab_high = _mm256_unpackhi_ps(a, b), cd_high = _mm256_unpackhi_ps(c, d);
    columns[0] = _mm256_shuffle_ps(ab_low, cd_low, 0x44);
    columns[1] = _mm256_shuffle_ps(ab_low, cd_low, 0xEE);
    columns[2] = _mm256_shuffle_ps(ab_high, cd_high, 0x44);
    columns[3] = _mm256_shuffle_ps(ab_high, cd_high, 0xEE);
}

MOTE_INLINE void wide_load_columns(const float *at, const uint32_t record[WIDE], wide_f32 columns[4])
{
    const float *from[WIDE];
    for (int l = 0; l < WIDE; ++l) from[l] = at + 4 * (size_t)record[l];
    const __m256 a = wide_load_two(from[0], from[4]), b = wide_load_two(from[1], from[5]);
    const __m256 c = wide_load_two(from[2], from[6]), d = wide_load_two(from[3], from[7]);
    wide_transpose(a, b, c, d, columns);
}

MOTE_INLINE void wide_transpose_f64(const wide_f64 columns[WIDE_F64], wide_f64 rows[WIDE_F64])
{
    const __m256d a = columns[0], b = columns[1], c = columns[2], d = columns[3];
    const __m256d ab_low = _mm256_unpacklo_pd(a, b), cd_low = _mm256_unpacklo_pd(c, d);
    const __m256d ab_high = _mm256_unpackhi_pd(a, b), cd_high = _mm256_unpackhi_pd(c, d);
    rows[0] = _mm256_permute2f128_pd(ab_low, cd_low, 0x20);
    rows[1] = _mm256_permute2f128_pd(ab_high, cd_high, 0x20);
    rows[2] = _mm256_permute2f128_pd(ab_low, cd_low, 0x31);
    rows[3] = _mm256_permute2f128_pd(ab_high, cd_high, 0x31);
}

MOTE_INLINE void wide_load_rows_f64(const double *const row[WIDE_F64], wide_f64 columns[4])
{
    wide_f64 rows[WIDE_F64];
    for (int l = 0; l < WIDE_F64; ++l) rows[l] = _mm256_loadu_pd(row[l]);
    wide_transpose_f64(rows, columns);
}

MOTE_INLINE void wide_load_xyz(const float *at, wide_f32 columns[3])
{
    const __m256 a = wide_load_two(at, at + 12);      // x0 y0 z0 x1, x4 y4 z4 x5
    const __m256 b = wide_load_two(at + 4, at + 16);  // y1 z1 x2 y2, …
    const __m256 c = wide_load_two(at + 8, at + 20);  // z2 x3 y3 z3, …
    const __m256 xy = _mm256_shuffle_ps(b, c, _MM_SHUFFLE(2, 1, 3, 2));  // x2 y2 x3 y3
    const __m256 yz = _mm256_shuffle_ps(a, b, _MM_SHUFFLE(1, 0, 2, 1));  // y0 z0 y1 z1
    columns[0] = _mm256_shuffle_ps(a, xy, _MM_SHUFFLE(2, 0, 3, 0));
    columns[1] = _mm256_shuffle_ps(yz, xy, _MM_SHUFFLE(3, 1, 2, 0));
    columns[2] = _mm256_shuffle_ps(yz, c, _MM_SHUFFLE(3, 0, 3, 1));
}

MOTE_INLINE wide_u32 wide_gather_u32(const uint32_t *at, wide_u32 index)
{
    return (wide_u32)_mm256_i32gather_epi32((const int *)(const void *)at, (__m256i)index, 4);
}
MOTE_INLINE wide_u32 wide_gather_bytes(const void *at, wide_u32 offset)
{
    return (wide_u32)_mm256_i32gather_epi32((const int *)at, (__m256i)offset, 1);
}
MOTE_INLINE void wide_gather_pairs(const uint32_t *at, wide_u32 record, wide_u32 columns[2])
{
    const long long *from = (const long long *)(const void *)at;
    const __m256 low = (__m256)_mm256_i32gather_epi64(from, _mm256_castsi256_si128((__m256i)record), 8);
    const __m256 high = (__m256)_mm256_i32gather_epi64(from, _mm256_extracti128_si256((__m256i)record, 1), 8);
    const __m256 even = _mm256_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0));
    const __m256 odd = _mm256_shuffle_ps(low, high, _MM_SHUFFLE(3, 1, 3, 1));
    columns[0] = (wide_u32)_mm256_permute4x64_epi64((__m256i)even, _MM_SHUFFLE(3, 1, 2, 0));
    columns[1] = (wide_u32)_mm256_permute4x64_epi64((__m256i)odd, _MM_SHUFFLE(3, 1, 2, 0));
}

MOTE_INLINE void wide_store_f64(double *at, wide_f64 v) { _mm256_storeu_pd(at, v); }
MOTE_INLINE void wide_stream(double *at, wide_f64 v) { _mm256_stream_pd(at, v); }
MOTE_INLINE void wide_end_stream(void) { _mm_sfence(); }
MOTE_INLINE void wide_store_u8(uint8_t *at, wide_u32 v)
{
    const __m128i words = _mm_packus_epi32(_mm256_castsi256_si128((__m256i)v), _mm256_extracti128_si256((__m256i)v, 1));
    _mm_storel_epi64((__m128i *)(void *)at, _mm_packus_epi16(words, words));
}
MOTE_INLINE void wide_store_rows(float *at, size_t stride, const wide_f32 columns[4])
{
    __m256 rows[4];
    wide_transpose(columns[0], columns[1], columns[2], columns[3], rows);
    for (size_t m = 0; m < 4; ++m) {
        _mm_storeu_ps(at + m * stride, _mm256_castps256_ps128(rows[m]));
        _mm_storeu_ps(at + (4 + m) * stride, _mm256_extractf128_ps(rows[m], 1));
    }
}
MOTE_INLINE void wide_store_f32(float *at, wide_f32 v) { _mm256_storeu_ps(at, v); }
MOTE_INLINE void wide_store_u32(uint32_t *at, wide_u32 v) { _mm256_storeu_si256((__m256i *)(void *)at, (__m256i)v); }

MOTE_INLINE void wide_store_u64(uint64_t *at, wide_u32 upper, wide_u32 lower)
{
    const __m256i even = _mm256_unpacklo_epi32((__m256i)lower, (__m256i)upper);
    const __m256i odd = _mm256_unpackhi_epi32((__m256i)lower, (__m256i)upper);
    _mm256_storeu_si256((__m256i *)(void *)at, _mm256_permute2x128_si256(even, odd, 0x20));
    _mm256_storeu_si256((__m256i *)(void *)(at + 4), _mm256_permute2x128_si256(even, odd, 0x31));
}
MOTE_INLINE void wide_store_xyz(float *at, const wide_f32 columns[3])
{
    const __m256 xy = _mm256_shuffle_ps(columns[0], columns[1], _MM_SHUFFLE(2, 0, 2, 0));  // x0 x2 y0 y2, x4 …
    const __m256 yz = _mm256_shuffle_ps(columns[1], columns[2], _MM_SHUFFLE(3, 1, 3, 1));  // y1 y3 z1 z3
    const __m256 zx = _mm256_shuffle_ps(columns[2], columns[0], _MM_SHUFFLE(3, 1, 2, 0));  // z0 z2 x1 x3
    const __m256 a = _mm256_shuffle_ps(xy, zx, _MM_SHUFFLE(2, 0, 2, 0));                   // x0 y0 z0 x1
    const __m256 b = _mm256_shuffle_ps(yz, xy, _MM_SHUFFLE(3, 1, 2, 0));                   // y1 z1 x2 y2
    const __m256 c = _mm256_shuffle_ps(zx, yz, _MM_SHUFFLE(3, 1, 3, 1));                   // z2 x3 y3 z3
    _mm_storeu_ps(at, _mm256_castps256_ps128(a));
    _mm_storeu_ps(at + 4, _mm256_castps256_ps128(b));
    _mm_storeu_ps(at + 8, _mm256_castps256_ps128(c));
    _mm_storeu_ps(at + 12, _mm256_extractf128_ps(a, 1));
    _mm_storeu_ps(at + 16, _mm256_extractf128_ps(b, 1));
    _mm_storeu_ps(at + 20, _mm256_extractf128_ps(c, 1));
}
MOTE_INLINE void wide_store_xyz_f64(double *at, const wide_f64 columns[3])
{
    const __m256d xy = _mm256_unpacklo_pd(columns[0], columns[1]);      // x0 y0 x2 y2
    const __m256d yz = _mm256_unpackhi_pd(columns[1], columns[2]);      // y1 z1 y3 z3
    const __m256d zx = _mm256_shuffle_pd(columns[2], columns[0], 0xA);  // z0 x1 z2 x3
    _mm256_storeu_pd(at, _mm256_permute2f128_pd(xy, zx, 0x20));         // x0 y0 z0 x1
    _mm256_storeu_pd(at + 4, _mm256_permute2f128_pd(yz, xy, 0x30));     // y1 z1 x2 y2
    _mm256_storeu_pd(at + 8, _mm256_permute2f128_pd(zx, yz, 0x31));     // z2 x3 y3 z3
}

// ---- numbers made, and turned into others

MOTE_INLINE wide_f32 wide_all(float x) { return _mm256_set1_ps(x); }
MOTE_INLINE wide_f64 wide_all_f64(double x) { return _mm256_set1_pd(x); }
MOTE_INLINE wide_i32 wide_all_i32(int32_t x) { return (wide_i32)_mm256_set1_epi32(x); }
MOTE_INLINE wide_u32 wide_all_u32(uint32_t x) { return (wide_u32)_mm256_set1_epi32((int32_t)x); }
MOTE_INLINE wide_f32 wide_all_eights(float low, float high) { (void)high; return wide_all(low); }
MOTE_INLINE wide_u32 wide_all_eights_u32(uint32_t low, uint32_t high) { (void)high; return wide_all_u32(low); }
MOTE_INLINE wide_u32 wide_lane_numbers(void) { return (wide_u32){0, 1, 2, 3, 4, 5, 6, 7}; }
MOTE_INLINE wide_f32 wide_front_f32(wide_f32 v, wide_hits bits)
{
    return _mm256_permutevar8x32_ps(v, mote_compress_lanes(bits));
}
MOTE_INLINE wide_u32 wide_front_u32(wide_u32 v, wide_hits bits)
{
    return (wide_u32)_mm256_permutevar8x32_epi32((__m256i)v, mote_compress_lanes(bits));
}
MOTE_INLINE wide_f32 wide_front_swapped_f32(wide_f32 v, uint32_t bits, uint32_t by)
{
    return _mm256_permutevar8x32_ps(v, mote_compress_swapped(bits, by));
}
MOTE_INLINE wide_u32 wide_front_swapped_u32(wide_u32 v, uint32_t bits, uint32_t by)
{
    return (wide_u32)_mm256_permutevar8x32_epi32((__m256i)v, mote_compress_swapped(bits, by));
}
MOTE_INLINE wide_u32 wide_front_lanes(wide_hits bits) { return (wide_u32)mote_compress_lanes(bits); }
MOTE_INLINE void wide_f32_to_f64(wide_f32 v, wide_f64 part[])
{
    part[0] = _mm256_cvtps_pd(_mm256_castps256_ps128(v)), part[1] = _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1));
}
MOTE_INLINE wide_f32 wide_f64_to_f32(const wide_f64 part[])
{
    return _mm256_set_m128(_mm256_cvtpd_ps(part[1]), _mm256_cvtpd_ps(part[0]));
}
MOTE_INLINE void wide_i32_to_f64(wide_i32 v, wide_f64 part[])
{
    part[0] = _mm256_cvtepi32_pd(_mm256_castsi256_si128((__m256i)v));
    part[1] = _mm256_cvtepi32_pd(_mm256_extracti128_si256((__m256i)v, 1));
}
MOTE_INLINE wide_f32 wide_i32_to_f32(wide_i32 v) { return _mm256_cvtepi32_ps((__m256i)v); }
MOTE_INLINE wide_i32 wide_f32_to_i32(wide_f32 v) { return (wide_i32)_mm256_cvttps_epi32(v); }
MOTE_INLINE wide_i32 wide_f64_to_i32(const wide_f64 part[])
{
    return (wide_i32)_mm256_set_m128i(_mm256_cvttpd_epi32(part[1]), _mm256_cvttpd_epi32(part[0]));
}
MOTE_INLINE wide_f32 wide_floor(wide_f32 v) { return _mm256_floor_ps(v); }
MOTE_INLINE wide_f32 wide_round(wide_f32 v)
{
    return _mm256_round_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
MOTE_INLINE wide_i32 wide_floor_i32(const wide_f64 part[])
{
    const __m128i low = _mm256_cvttpd_epi32(_mm256_floor_pd(part[0]));
    return (wide_i32)_mm256_set_m128i(_mm256_cvttpd_epi32(_mm256_floor_pd(part[1])), low);
}
MOTE_INLINE wide_u32 wide_low_halves(const wide_f64 part[])
{
    const __m256 low = _mm256_shuffle_ps(_mm256_castpd_ps(part[0]), _mm256_castpd_ps(part[1]), _MM_SHUFFLE(2, 0, 2, 0));
    return (wide_u32)_mm256_permute4x64_epi64(_mm256_castps_si256(low), _MM_SHUFFLE(3, 1, 2, 0));
}
MOTE_INLINE wide_f32 wide_swap_f32(wide_f32 v, uint32_t by)
{
    return _mm256_permutevar8x32_ps(v, (__m256i)(wide_lane_numbers() ^ by));
}
MOTE_INLINE wide_u32 wide_swap_u32(wide_u32 v, uint32_t by)
{
    return (wide_u32)_mm256_permutevar8x32_epi32((__m256i)v, (__m256i)(wide_lane_numbers() ^ by));
}

MOTE_INLINE wide_u32 wide_push(wide_u32 v, wide_mask mask) { return wide_count(v + v, mask); }

// ---- products and sums

MOTE_INLINE wide_f32 wide_multiply_add(wide_f32 a, wide_f32 b, wide_f32 c) { return _mm256_fmadd_ps(a, b, c); }
MOTE_INLINE wide_f32 wide_multiply_subtract(wide_f32 a, wide_f32 b, wide_f32 c) { return _mm256_fmsub_ps(a, b, c); }

// ---- smaller and larger numbers, magnitudes

MOTE_INLINE wide_f32 wide_min_f32(wide_f32 a, wide_f32 b) { return _mm256_min_ps(a, b); }
MOTE_INLINE wide_f32 wide_max_f32(wide_f32 a, wide_f32 b) { return _mm256_max_ps(a, b); }
MOTE_INLINE wide_f32 wide_lesser(wide_f32 a, wide_f32 b) { return _mm256_min_ps(a, b); }
MOTE_INLINE wide_f32 wide_greater(wide_f32 a, wide_f32 b) { return _mm256_max_ps(a, b); }
MOTE_INLINE wide_f64 wide_min_f64(wide_f64 a, wide_f64 b) { return _mm256_min_pd(a, b); }
MOTE_INLINE wide_f64 wide_max_f64(wide_f64 a, wide_f64 b) { return _mm256_max_pd(a, b); }
MOTE_INLINE wide_i32 wide_min_i32(wide_i32 a, wide_i32 b) { return (wide_i32)_mm256_min_epi32((__m256i)a, (__m256i)b); }
MOTE_INLINE wide_i32 wide_max_i32(wide_i32 a, wide_i32 b) { return (wide_i32)_mm256_max_epi32((__m256i)a, (__m256i)b); }
MOTE_INLINE wide_u32 wide_min_u32(wide_u32 a, wide_u32 b) { return (wide_u32)_mm256_min_epu32((__m256i)a, (__m256i)b); }
MOTE_INLINE wide_u32 wide_max_u32(wide_u32 a, wide_u32 b) { return (wide_u32)_mm256_max_epu32((__m256i)a, (__m256i)b); }
MOTE_INLINE wide_f32 wide_abs_f32(wide_f32 v) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v); }

MOTE_INLINE wide_f64 wide_abs_f64(wide_f64 v) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), v); }
MOTE_INLINE wide_f32 wide_sqrt_f32(wide_f32 v) { return _mm256_sqrt_ps(v); }
MOTE_INLINE wide_f64 wide_sqrt_f64(wide_f64 v) { return _mm256_sqrt_pd(v); }
MOTE_INLINE uint32_t wide_sum(wide_u32 v)
{
    const __m128i half = _mm_add_epi32(_mm256_castsi256_si128((__m256i)v), _mm256_extracti128_si256((__m256i)v, 1));
    const __m128i pair = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4E));
    return (uint32_t)_mm_cvtsi128_si32(_mm_add_epi32(pair, _mm_shuffle_epi32(pair, 0xB1)));
}

MOTE_INLINE float wide_least(wide_f32 v)
{
    const __m128 half = _mm_min_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    const __m128 pair = _mm_min_ps(half, _mm_permute_ps(half, 0x4E));
    return _mm_cvtss_f32(_mm_min_ps(pair, _mm_permute_ps(pair, 0xB1)));
}

MOTE_INLINE float wide_greatest(wide_f32 v)
{
    const __m128 half = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    const __m128 pair = _mm_max_ps(half, _mm_permute_ps(half, 0x4E));
    return _mm_cvtss_f32(_mm_max_ps(pair, _mm_permute_ps(pair, 0xB1)));
}

// ---- comparisons and masks

MOTE_INLINE wide_mask wide_less_f32(wide_f32 a, wide_f32 b) { return (wide_mask)_mm256_cmp_ps(a, b, _CMP_LT_OQ); }
MOTE_INLINE wide_mask_f64 wide_less_f64(wide_f64 a, wide_f64 b)
{
    return (wide_mask_f64)_mm256_cmp_pd(a, b, _CMP_LT_OQ);
}
MOTE_INLINE wide_mask wide_at_most_f32(wide_f32 a, wide_f32 b) { return (wide_mask)_mm256_cmp_ps(a, b, _CMP_LE_OQ); }
MOTE_INLINE wide_mask_f64 wide_at_most_f64(wide_f64 a, wide_f64 b)
{
    return (wide_mask_f64)_mm256_cmp_pd(a, b, _CMP_LE_OQ);
}
MOTE_INLINE wide_mask wide_equal_f32(wide_f32 a, wide_f32 b) { return (wide_mask)_mm256_cmp_ps(a, b, _CMP_EQ_OQ); }
MOTE_INLINE wide_mask_f64 wide_equal_f64(wide_f64 a, wide_f64 b)
{
    return (wide_mask_f64)_mm256_cmp_pd(a, b, _CMP_EQ_OQ);
}
MOTE_INLINE wide_f64 wide_select_f64(wide_mask_f64 mask, wide_f64 a, wide_f64 b)
{
    return _mm256_blendv_pd(b, a, (__m256d)mask);
}
MOTE_INLINE wide_i32 wide_select_i32(wide_mask mask, wide_i32 a, wide_i32 b)
{
    return (wide_i32)_mm256_blendv_epi8((__m256i)b, (__m256i)a, (__m256i)mask);
}
MOTE_INLINE wide_u32 wide_select_u32(wide_mask mask, wide_u32 a, wide_u32 b)
{
    return (wide_u32)_mm256_blendv_epi8((__m256i)b, (__m256i)a, (__m256i)mask);
}
MOTE_INLINE wide_f32 wide_select_f32(wide_mask mask, wide_f32 a, wide_f32 b)
{
    return _mm256_blendv_ps(b, a, (__m256)mask);
}
MOTE_INLINE uint32_t wide_bits_f32(wide_mask mask) { return (uint32_t)_mm256_movemask_ps((__m256)mask); }
MOTE_INLINE uint32_t wide_bits_f64(wide_mask_f64 mask) { return (uint32_t)_mm256_movemask_pd((__m256d)mask); }
MOTE_INLINE uint32_t wide_bit_count(uint32_t bits) { return (uint32_t)_mm_popcnt_u32(bits); }
MOTE_INLINE bool wide_any_f32(wide_mask mask) { return wide_bits_f32(mask) != 0; }
MOTE_INLINE bool wide_any_f64(wide_mask_f64 mask) { return wide_bits_f64(mask) != 0; }
MOTE_INLINE wide_hits wide_hits_of(wide_mask mask) { return wide_bits_f32(mask); }
MOTE_INLINE wide_hits wide_hits_within(wide_mask mask, size_t count) { return wide_first(wide_bits_f32(mask), count); }
MOTE_INLINE size_t wide_hit_count(wide_hits hits) { return wide_bit_count(hits); }
MOTE_INLINE uint32_t *wide_past_u32(uint32_t *at, wide_hits hits) { return at + wide_hit_count(hits); }
MOTE_INLINE float *wide_past_f32(float *at, wide_hits hits) { return at + wide_hit_count(hits); }
MOTE_INLINE wide_mask wide_mask_of(uint32_t bits)
{
    const wide_u32 bit = {1, 2, 4, 8, 16, 32, 64, 128};
    return (wide_mask)((wide_all_u32(bits) & bit) == bit);
}
MOTE_INLINE void wide_mask_to_f64(wide_mask mask, wide_mask_f64 part[])
{
    part[0] = (wide_mask_f64)_mm256_cvtepi32_epi64(_mm256_castsi256_si128((__m256i)mask));
    part[1] = (wide_mask_f64)_mm256_cvtepi32_epi64(_mm256_extracti128_si256((__m256i)mask, 1));
}
MOTE_INLINE wide_mask wide_mask_from_f64(const wide_mask_f64 part[])
{
    const __m256 low = _mm256_shuffle_ps((__m256)part[0], (__m256)part[1], _MM_SHUFFLE(2, 0, 2, 0));
    return (wide_mask)_mm256_permute4x64_epi64((__m256i)low, _MM_SHUFFLE(3, 1, 2, 0));
}

// clang-format on

#endif
