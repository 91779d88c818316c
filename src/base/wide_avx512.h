// SPDX-License-Identifier: MIT
// base/wide_avx512.h: sixteen floats in a register of AVX-512. wide_plain.h says what each operation means.
//
// Lanes are moved to the front in a register and stored whole: a store that does both takes more than a hundred clocks
// on Zen 4.
#ifndef MOTE_BASE_WIDE_AVX512_H
#define MOTE_BASE_WIDE_AVX512_H

#if defined(__clang__)
#pragma clang attribute push(                                                                                  \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
#else
// AVX-512 has fused multiply-adds, which GCC would use unless its command line forbids that.
#pragma GCC optimize("fp-contract=off")
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi,bmi2,popcnt,lzcnt")
#endif

#include <immintrin.h>

enum { WIDE_BYTES = 64 };
#include "base/wide_vectors.h"

typedef __mmask16 wide_mask;
typedef __mmask8 wide_mask_f64;
typedef uint32_t wide_hits;

// clang-format off

// ---- memory

MOTE_INLINE wide_f32 wide_load_f32(const float *at) { return _mm512_loadu_ps(at); }
MOTE_INLINE wide_f64 wide_load_f64(const double *at) { return _mm512_loadu_pd(at); }
MOTE_INLINE wide_u32 wide_load_u32(const uint32_t *at) { return (wide_u32)_mm512_loadu_si512(at); }
MOTE_INLINE wide_f32 wide_load_eights(const float *low, const float *high)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(low)), _mm256_loadu_ps(high), 1);
}
MOTE_INLINE wide_f32 wide_load_i16(const int16_t *at)
{
    return _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)at)));
}
MOTE_INLINE wide_u32 wide_load_u8(const uint8_t *at)
{
    return (wide_u32)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)at));
}
MOTE_INLINE __mmask16 wide_first_lanes(size_t count)
{
    return (__mmask16)_bzhi_u32(0xFFFF, (uint32_t)MOTE_MIN(count, (size_t)WIDE));
}
MOTE_INLINE wide_f32 wide_load_first(const float *at, size_t count, float rest)
{
    return _mm512_mask_loadu_ps(_mm512_set1_ps(rest), wide_first_lanes(count), at);
}
MOTE_INLINE wide_u32 wide_load_first_u32(const uint32_t *at, size_t count)
{
    return (wide_u32)_mm512_maskz_loadu_epi32(wide_first_lanes(count), at);
}

// Four records side by side, as their quarters are in the columns.
MOTE_INLINE __m512 wide_load_four(const float *at, const uint32_t record[])
{
    const __m256 low = _mm256_loadu2_m128(at + 4 * (size_t)record[4], at + 4 * (size_t)record[0]);
    const __m256 high = _mm256_loadu2_m128(at + 4 * (size_t)record[12], at + 4 * (size_t)record[8]);
    return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}

// Rows of four numbers in each 128 bits become columns, and the other way round.
MOTE_INLINE void wide_transpose(__m512 a, __m512 b, __m512 c, __m512 d, __m512 columns[4])
{
    const __m512 ab_low = _mm512_unpacklo_ps(a, b), cd_low = _mm512_unpacklo_ps(c, d);
    const __m512 ab_high = _mm512_unpackhi_ps(a, b), cd_high = _mm512_unpackhi_ps(c, d);
    columns[0] = _mm512_shuffle_ps(ab_low, cd_low, 0x44);
    columns[1] = _mm512_shuffle_ps(ab_low, cd_low, 0xEE);
    columns[2] = _mm512_shuffle_ps(ab_high, cd_high, 0x44);
    columns[3] = _mm512_shuffle_ps(ab_high, cd_high, 0xEE);
}

MOTE_INLINE void wide_load_columns(const float *at, const uint32_t record[WIDE], wide_f32 columns[4])
{
    const __m512 a = wide_load_four(at, record), b = wide_load_four(at, record + 1);
    const __m512 c = wide_load_four(at, record + 2), d = wide_load_four(at, record + 3);
    wide_transpose(a, b, c, d, columns);
}

MOTE_INLINE __m512d wide_load_two_f64(const double *low, const double *high)
{
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(low)), _mm256_loadu_pd(high), 1);
}

MOTE_INLINE void wide_load_rows_f64(const double *const row[WIDE_F64], wide_f64 columns[4])
{
    const __m512d a = wide_load_two_f64(row[0], row[4]), b = wide_load_two_f64(row[1], row[5]);
    const __m512d c = wide_load_two_f64(row[2], row[6]), d = wide_load_two_f64(row[3], row[7]);
    const __m512d ab_low = _mm512_unpacklo_pd(a, b), cd_low = _mm512_unpacklo_pd(c, d);
    const __m512d ab_high = _mm512_unpackhi_pd(a, b), cd_high = _mm512_unpackhi_pd(c, d);
    const __m512i even = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i odd = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    columns[0] = _mm512_permutex2var_pd(ab_low, even, cd_low);
    columns[1] = _mm512_permutex2var_pd(ab_high, even, cd_high);
    columns[2] = _mm512_permutex2var_pd(ab_low, odd, cd_low);
    columns[3] = _mm512_permutex2var_pd(ab_high, odd, cd_high);
}

// Every other row, of pairs of columns.
MOTE_INLINE void wide_join_pairs(const __m512d pair[4], wide_f64 *rows)
{
    const __m512d a = _mm512_shuffle_f64x2(pair[0], pair[1], 0x88), b = _mm512_shuffle_f64x2(pair[2], pair[3], 0x88);
    const __m512d c = _mm512_shuffle_f64x2(pair[0], pair[1], 0xDD), d = _mm512_shuffle_f64x2(pair[2], pair[3], 0xDD);
    rows[0] = _mm512_shuffle_f64x2(a, b, 0x88);
    rows[4] = _mm512_shuffle_f64x2(a, b, 0xDD);
    rows[2] = _mm512_shuffle_f64x2(c, d, 0x88);
    rows[6] = _mm512_shuffle_f64x2(c, d, 0xDD);
}

MOTE_INLINE void wide_transpose_f64(const wide_f64 columns[WIDE_F64], wide_f64 rows[WIDE_F64])
{
    __m512d even[4], odd[4];
    for (int k = 0; k < 4; ++k) {
        even[k] = _mm512_unpacklo_pd(columns[2 * k], columns[2 * k + 1]);
        odd[k] = _mm512_unpackhi_pd(columns[2 * k], columns[2 * k + 1]);
    }
    wide_join_pairs(even, rows);
    wide_join_pairs(odd, rows + 1);
}

MOTE_INLINE void wide_load_xyz(const float *at, wide_f32 columns[3])
{
    const __m512 a = _mm512_loadu_ps(at), b = _mm512_loadu_ps(at + 16), c = _mm512_loadu_ps(at + 32);
    // Of each column first what the first two vectors have, then what the third has.
    const __m512i x = _mm512_setr_epi32(0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 0, 0, 0, 0, 0);
    const __m512i y = _mm512_setr_epi32(1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 0, 0, 0, 0, 0);
    const __m512i z = _mm512_setr_epi32(2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 0, 0, 0, 0, 0, 0);
    const __m512i x_end = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 20, 23, 26, 29);
    const __m512i y_end = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 18, 21, 24, 27, 30);
    const __m512i z_end = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 19, 22, 25, 28, 31);
    columns[0] = _mm512_permutex2var_ps(_mm512_permutex2var_ps(a, x, b), x_end, c);
    columns[1] = _mm512_permutex2var_ps(_mm512_permutex2var_ps(a, y, b), y_end, c);
    columns[2] = _mm512_permutex2var_ps(_mm512_permutex2var_ps(a, z, b), z_end, c);
}

MOTE_INLINE wide_u32 wide_gather_u32(const uint32_t *at, wide_u32 index)
{
    return (wide_u32)_mm512_i32gather_epi32((__m512i)index, at, 4);
}
MOTE_INLINE wide_u32 wide_gather_bytes(const void *at, wide_u32 offset)
{
    return (wide_u32)_mm512_i32gather_epi32((__m512i)offset, at, 1);
}
MOTE_INLINE void wide_gather_pairs(const uint32_t *at, wide_u32 record, wide_u32 columns[2])
{
    const __m512i low = _mm512_i32gather_epi64(_mm512_castsi512_si256((__m512i)record), at, 8);
    const __m512i high = _mm512_i32gather_epi64(_mm512_extracti32x8_epi32((__m512i)record, 1), at, 8);
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    columns[0] = (wide_u32)_mm512_permutex2var_epi32(low, even, high);
    columns[1] = (wide_u32)_mm512_permutex2var_epi32(low, _mm512_add_epi32(even, _mm512_set1_epi32(1)), high);
}

MOTE_INLINE void wide_store_f64(double *at, wide_f64 v) { _mm512_storeu_pd(at, v); }
MOTE_INLINE void wide_stream(double *at, wide_f64 v) { _mm512_stream_pd(at, v); }
MOTE_INLINE void wide_end_stream(void) { _mm_sfence(); }
MOTE_INLINE void wide_store_u8(uint8_t *at, wide_u32 v)
{
    _mm_storeu_si128((__m128i *)(void *)at, _mm512_cvtepi32_epi8((__m512i)v));
}
MOTE_INLINE void wide_store_rows(float *at, size_t stride, const wide_f32 columns[4])
{
    __m512 rows[4];
    wide_transpose(columns[0], columns[1], columns[2], columns[3], rows);
    for (size_t m = 0; m < 4; ++m) {
        _mm_storeu_ps(at + m * stride, _mm512_castps512_ps128(rows[m]));
        _mm_storeu_ps(at + (4 + m) * stride, _mm512_extractf32x4_ps(rows[m], 1));
        _mm_storeu_ps(at + (8 + m) * stride, _mm512_extractf32x4_ps(rows[m], 2));
        _mm_storeu_ps(at + (12 + m) * stride, _mm512_extractf32x4_ps(rows[m], 3));
    }
}
MOTE_INLINE void wide_store_f32(float *at, wide_f32 v) { _mm512_storeu_ps(at, v); }
MOTE_INLINE void wide_store_u32(uint32_t *at, wide_u32 v) { _mm512_storeu_si512(at, (__m512i)v); }

MOTE_INLINE void wide_store_u64(uint64_t *at, wide_u32 upper, wide_u32 lower)
{
    const __m512i first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(8));
    _mm512_storeu_si512(at, _mm512_permutex2var_epi32((__m512i)lower, first, (__m512i)upper));
    _mm512_storeu_si512(at + 8, _mm512_permutex2var_epi32((__m512i)lower, second, (__m512i)upper));
}
MOTE_INLINE void wide_store_xyz(float *at, const wide_f32 columns[3])
{
    // Of each vector first what x and y have, then what z has.
    const __m512i a = _mm512_setr_epi32(0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5);
    const __m512i b = _mm512_setr_epi32(21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26);
    const __m512i c = _mm512_setr_epi32(0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0);
    const __m512i a_end = _mm512_setr_epi32(0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15);
    const __m512i b_end = _mm512_setr_epi32(0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15);
    const __m512i c_end = _mm512_setr_epi32(26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31);
    const __m512 x = columns[0], y = columns[1], z = columns[2];
    _mm512_storeu_ps(at, _mm512_permutex2var_ps(_mm512_permutex2var_ps(x, a, y), a_end, z));
    _mm512_storeu_ps(at + 16, _mm512_permutex2var_ps(_mm512_permutex2var_ps(x, b, y), b_end, z));
    _mm512_storeu_ps(at + 32, _mm512_permutex2var_ps(_mm512_permutex2var_ps(x, c, y), c_end, z));
}
MOTE_INLINE void wide_store_xyz_f64(double *at, const wide_f64 columns[3])
{
    const __m512i a = _mm512_setr_epi64(0, 8, 0, 1, 9, 0, 2, 10), a_end = _mm512_setr_epi64(0, 1, 8, 3, 4, 9, 6, 7);
    const __m512i b = _mm512_setr_epi64(0, 3, 11, 0, 4, 12, 0, 5), b_end = _mm512_setr_epi64(10, 1, 2, 11, 4, 5, 12, 7);
    const __m512i c = _mm512_setr_epi64(13, 0, 6, 14, 0, 7, 15, 0);
    const __m512i c_end = _mm512_setr_epi64(0, 13, 2, 3, 14, 5, 6, 15);
    const __m512d x = columns[0], y = columns[1], z = columns[2];
    _mm512_storeu_pd(at, _mm512_permutex2var_pd(_mm512_permutex2var_pd(x, a, y), a_end, z));
    _mm512_storeu_pd(at + 8, _mm512_permutex2var_pd(_mm512_permutex2var_pd(x, b, y), b_end, z));
    _mm512_storeu_pd(at + 16, _mm512_permutex2var_pd(_mm512_permutex2var_pd(x, c, y), c_end, z));
}

// ---- numbers made, and turned into others

MOTE_INLINE wide_f32 wide_all(float x) { return _mm512_set1_ps(x); }
MOTE_INLINE wide_f64 wide_all_f64(double x) { return _mm512_set1_pd(x); }
MOTE_INLINE wide_i32 wide_all_i32(int32_t x) { return (wide_i32)_mm512_set1_epi32(x); }
MOTE_INLINE wide_u32 wide_all_u32(uint32_t x) { return (wide_u32)_mm512_set1_epi32((int32_t)x); }
MOTE_INLINE wide_f32 wide_all_eights(float low, float high)
{
    return _mm512_mask_broadcastss_ps(_mm512_set1_ps(low), 0xFF00, _mm_set_ss(high));
}
MOTE_INLINE wide_u32 wide_all_eights_u32(uint32_t low, uint32_t high)
{
    return (wide_u32)_mm512_mask_set1_epi32(_mm512_set1_epi32((int32_t)low), 0xFF00, (int32_t)high);
}
MOTE_INLINE wide_u32 wide_lane_numbers(void)
{
    return (wide_u32){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
}
MOTE_INLINE wide_f32 wide_front_f32(wide_f32 v, wide_hits bits)
{
    return _mm512_maskz_compress_ps((__mmask16)bits, v);
}
MOTE_INLINE wide_u32 wide_front_u32(wide_u32 v, wide_hits bits)
{
    return (wide_u32)_mm512_maskz_compress_epi32((__mmask16)bits, (__m512i)v);
}
MOTE_INLINE wide_u32 wide_front_lanes(wide_hits bits) { return wide_front_u32(wide_lane_numbers(), bits); }
MOTE_INLINE void wide_f32_to_f64(wide_f32 v, wide_f64 part[])
{
    part[0] = _mm512_cvtps_pd(_mm512_castps512_ps256(v)), part[1] = _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1));
}
MOTE_INLINE wide_f32 wide_f64_to_f32(const wide_f64 part[])
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(part[0])), _mm512_cvtpd_ps(part[1]), 1);
}
MOTE_INLINE void wide_i32_to_f64(wide_i32 v, wide_f64 part[])
{
    part[0] = _mm512_cvtepi32_pd(_mm512_castsi512_si256((__m512i)v));
    part[1] = _mm512_cvtepi32_pd(_mm512_extracti32x8_epi32((__m512i)v, 1));
}
MOTE_INLINE wide_f32 wide_i32_to_f32(wide_i32 v) { return _mm512_cvtepi32_ps((__m512i)v); }
MOTE_INLINE wide_i32 wide_f32_to_i32(wide_f32 v) { return (wide_i32)_mm512_cvttps_epi32(v); }
MOTE_INLINE wide_i32 wide_f64_to_i32(const wide_f64 part[])
{
    const __m512i low = _mm512_castsi256_si512(_mm512_cvttpd_epi32(part[0]));
    return (wide_i32)_mm512_inserti32x8(low, _mm512_cvttpd_epi32(part[1]), 1);
}
MOTE_INLINE wide_f32 wide_floor(wide_f32 v) { return _mm512_floor_ps(v); }
MOTE_INLINE wide_f32 wide_round(wide_f32 v)
{
    return _mm512_roundscale_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
MOTE_INLINE wide_i32 wide_floor_i32(const wide_f64 part[])
{
    const __m512i low = _mm512_castsi256_si512(_mm512_cvttpd_epi32(_mm512_floor_pd(part[0])));
    return (wide_i32)_mm512_inserti32x8(low, _mm512_cvttpd_epi32(_mm512_floor_pd(part[1])), 1);
}
MOTE_INLINE wide_u32 wide_low_halves(const wide_f64 part[])
{
    const __m512i low = _mm512_castsi256_si512(_mm512_cvtepi64_epi32((__m512i)part[0]));
    return (wide_u32)_mm512_inserti32x8(low, _mm512_cvtepi64_epi32((__m512i)part[1]), 1);
}
MOTE_INLINE wide_f32 wide_swap_f32(wide_f32 v, uint32_t by)
{
    return _mm512_permutexvar_ps((__m512i)(wide_lane_numbers() ^ by), v);
}
MOTE_INLINE wide_u32 wide_swap_u32(wide_u32 v, uint32_t by)
{
    return (wide_u32)_mm512_permutexvar_epi32((__m512i)(wide_lane_numbers() ^ by), (__m512i)v);
}
MOTE_INLINE wide_f32 wide_front_swapped_f32(wide_f32 v, uint32_t bits, uint32_t by)
{
    return wide_front_f32(wide_swap_f32(v, by), wide_swap_bits(bits, by));
}
MOTE_INLINE wide_u32 wide_front_swapped_u32(wide_u32 v, uint32_t bits, uint32_t by)
{
    return wide_front_u32(wide_swap_u32(v, by), wide_swap_bits(bits, by));
}

// ---- products and sums

MOTE_INLINE wide_f32 wide_multiply_add(wide_f32 a, wide_f32 b, wide_f32 c) { return _mm512_fmadd_ps(a, b, c); }
MOTE_INLINE wide_f32 wide_multiply_subtract(wide_f32 a, wide_f32 b, wide_f32 c) { return _mm512_fmsub_ps(a, b, c); }

// ---- smaller and larger numbers, magnitudes

MOTE_INLINE wide_f32 wide_min_f32(wide_f32 a, wide_f32 b) { return _mm512_min_ps(a, b); }
MOTE_INLINE wide_f32 wide_max_f32(wide_f32 a, wide_f32 b) { return _mm512_max_ps(a, b); }
MOTE_INLINE wide_f32 wide_lesser(wide_f32 a, wide_f32 b) { return _mm512_min_ps(a, b); }
MOTE_INLINE wide_f32 wide_greater(wide_f32 a, wide_f32 b) { return _mm512_max_ps(a, b); }
MOTE_INLINE wide_f64 wide_min_f64(wide_f64 a, wide_f64 b) { return _mm512_min_pd(a, b); }
MOTE_INLINE wide_f64 wide_max_f64(wide_f64 a, wide_f64 b) { return _mm512_max_pd(a, b); }
MOTE_INLINE wide_i32 wide_min_i32(wide_i32 a, wide_i32 b) { return (wide_i32)_mm512_min_epi32((__m512i)a, (__m512i)b); }
MOTE_INLINE wide_i32 wide_max_i32(wide_i32 a, wide_i32 b) { return (wide_i32)_mm512_max_epi32((__m512i)a, (__m512i)b); }
MOTE_INLINE wide_u32 wide_min_u32(wide_u32 a, wide_u32 b) { return (wide_u32)_mm512_min_epu32((__m512i)a, (__m512i)b); }
MOTE_INLINE wide_u32 wide_max_u32(wide_u32 a, wide_u32 b) { return (wide_u32)_mm512_max_epu32((__m512i)a, (__m512i)b); }
MOTE_INLINE wide_f32 wide_abs_f32(wide_f32 v) { return _mm512_abs_ps(v); }
MOTE_INLINE wide_f64 wide_abs_f64(wide_f64 v) { return _mm512_abs_pd(v); }
MOTE_INLINE wide_f32 wide_sqrt_f32(wide_f32 v) { return _mm512_sqrt_ps(v); }
MOTE_INLINE wide_f64 wide_sqrt_f64(wide_f64 v) { return _mm512_sqrt_pd(v); }
MOTE_INLINE uint32_t wide_sum(wide_u32 v)  // GCC's own reduction ends in sums of signed numbers
{
    const __m256i high = _mm512_extracti64x4_epi64((__m512i)v, 1);
    const __m256i eight = _mm256_add_epi32(_mm512_castsi512_si256((__m512i)v), high);
    const __m128i four = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
    const __m128i two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
    return (uint32_t)_mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 1)));
}
MOTE_INLINE float wide_least(wide_f32 v) { return _mm512_reduce_min_ps(v); }
MOTE_INLINE float wide_greatest(wide_f32 v) { return _mm512_reduce_max_ps(v); }

// ---- comparisons and masks

MOTE_INLINE wide_mask wide_less_f32(wide_f32 a, wide_f32 b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
MOTE_INLINE wide_mask_f64 wide_less_f64(wide_f64 a, wide_f64 b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
MOTE_INLINE wide_mask wide_less_i32(wide_i32 a, wide_i32 b) { return _mm512_cmplt_epi32_mask((__m512i)a, (__m512i)b); }
MOTE_INLINE wide_mask wide_less_u32(wide_u32 a, wide_u32 b) { return _mm512_cmplt_epu32_mask((__m512i)a, (__m512i)b); }
MOTE_INLINE wide_mask wide_at_most_f32(wide_f32 a, wide_f32 b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
MOTE_INLINE wide_mask_f64 wide_at_most_f64(wide_f64 a, wide_f64 b) { return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ); }
MOTE_INLINE wide_mask wide_equal_f32(wide_f32 a, wide_f32 b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
MOTE_INLINE wide_mask wide_equal_u32(wide_u32 a, wide_u32 b) { return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b); }
MOTE_INLINE wide_mask wide_equal_i32(wide_i32 a, wide_i32 b) { return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b); }
MOTE_INLINE wide_mask_f64 wide_equal_f64(wide_f64 a, wide_f64 b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
MOTE_INLINE wide_mask wide_none(void) { return 0; }
MOTE_INLINE wide_mask wide_both_f32(wide_mask a, wide_mask b) { return a & b; }
MOTE_INLINE wide_mask wide_either_f32(wide_mask a, wide_mask b) { return a | b; }
MOTE_INLINE wide_mask wide_except_f32(wide_mask a, wide_mask b) { return (wide_mask)(a & ~(uint32_t)b); }
MOTE_INLINE wide_mask wide_not_f32(wide_mask mask) { return (wide_mask)~(uint32_t)mask; }
MOTE_INLINE wide_mask_f64 wide_both_f64(wide_mask_f64 a, wide_mask_f64 b) { return a & b; }
MOTE_INLINE wide_mask_f64 wide_either_f64(wide_mask_f64 a, wide_mask_f64 b) { return a | b; }
MOTE_INLINE wide_mask_f64 wide_except_f64(wide_mask_f64 a, wide_mask_f64 b)
{
    return (wide_mask_f64)(a & ~(uint32_t)b);
}
MOTE_INLINE wide_mask_f64 wide_not_f64(wide_mask_f64 mask) { return (wide_mask_f64)~(uint32_t)mask; }
MOTE_INLINE wide_f64 wide_select_f64(wide_mask_f64 mask, wide_f64 a, wide_f64 b)
{
    return _mm512_mask_blend_pd(mask, b, a);
}
MOTE_INLINE wide_i32 wide_select_i32(wide_mask mask, wide_i32 a, wide_i32 b)
{
    return (wide_i32)_mm512_mask_blend_epi32(mask, (__m512i)b, (__m512i)a);
}
MOTE_INLINE wide_u32 wide_select_u32(wide_mask mask, wide_u32 a, wide_u32 b)
{
    return (wide_u32)_mm512_mask_blend_epi32(mask, (__m512i)b, (__m512i)a);
}
MOTE_INLINE wide_f32 wide_select_f32(wide_mask mask, wide_f32 a, wide_f32 b)
{
    return _mm512_mask_blend_ps(mask, b, a);
}
MOTE_INLINE uint32_t wide_bits_f32(wide_mask mask) { return mask; }
MOTE_INLINE uint32_t wide_bits_f64(wide_mask_f64 mask) { return mask; }
MOTE_INLINE uint32_t wide_bit_count(uint32_t bits) { return (uint32_t)_mm_popcnt_u32(bits); }
MOTE_INLINE bool wide_any_f32(wide_mask mask) { return wide_bits_f32(mask) != 0; }
MOTE_INLINE bool wide_any_f64(wide_mask_f64 mask) { return wide_bits_f64(mask) != 0; }
MOTE_INLINE wide_hits wide_hits_of(wide_mask mask) { return wide_bits_f32(mask); }
MOTE_INLINE wide_hits wide_hits_within(wide_mask mask, size_t count) { return wide_first(wide_bits_f32(mask), count); }
MOTE_INLINE size_t wide_hit_count(wide_hits hits) { return wide_bit_count(hits); }
MOTE_INLINE uint32_t *wide_past_u32(uint32_t *at, wide_hits hits) { return at + wide_hit_count(hits); }
MOTE_INLINE float *wide_past_f32(float *at, wide_hits hits) { return at + wide_hit_count(hits); }
MOTE_INLINE wide_mask wide_mask_of(uint32_t bits) { return (wide_mask)bits; }
MOTE_INLINE void wide_mask_to_f64(wide_mask mask, wide_mask_f64 part[])
{
    part[0] = (wide_mask_f64)mask, part[1] = (wide_mask_f64)(mask >> 8);
}
MOTE_INLINE wide_mask wide_mask_from_f64(const wide_mask_f64 part[])
{
    return (wide_mask)(part[0] | (uint32_t)part[1] << 8);
}
MOTE_INLINE wide_u32 wide_count(wide_u32 v, wide_mask mask)
{
    return (wide_u32)_mm512_mask_add_epi32((__m512i)v, mask, (__m512i)v, _mm512_set1_epi32(1));
}
MOTE_INLINE wide_u32 wide_push(wide_u32 v, wide_mask mask) { return wide_count(v + v, mask); }

// clang-format on

#endif
