// SPDX-License-Identifier: MIT
// base/wide_128.h: four floats in a register of NEON (arm64) or of WebAssembly's SIMD128. wide_plain.h says what each
// operation means.
//
// Most of it is the compilers' own arithmetic on vectors; WIDE_BY chooses between the two sets where that ends.
#ifndef MOTE_BASE_WIDE_128_H
#define MOTE_BASE_WIDE_128_H

#include <string.h>

#if !defined(__clang__)
// arm64 has fused multiply-adds, which GCC would use unless its command line forbids that.
#pragma GCC optimize("fp-contract=off")
#endif

#if defined(__aarch64__)
#include <arm_neon.h>
#define WIDE_BY(neon, simd128) neon
#else
#include <wasm_simd128.h>
#define WIDE_BY(neon, simd128) simd128
#endif

enum { WIDE_BYTES = 16 };
#include "base/wide_vector_masks.h"

// Half a vector, in whose lanes doubles' lanes are made.
typedef float wide_half_f32 __attribute__((vector_size(8)));
typedef int32_t wide_half_i32 __attribute__((vector_size(8)));

#define WIDE_LOW(v) __builtin_shufflevector(v, v, 0, 1)
#define WIDE_HIGH(v) __builtin_shufflevector(v, v, 2, 3)
#define WIDE_JOIN(low, high) __builtin_shufflevector(low, high, 0, 1, 2, 3)

// clang-format off

// ---- numbers made, and masks; the first of these, as the rest needs them

MOTE_INLINE wide_f32 wide_all(float x) { return (wide_f32){x, x, x, x}; }
MOTE_INLINE wide_f64 wide_all_f64(double x) { return (wide_f64){x, x}; }
MOTE_INLINE wide_i32 wide_all_i32(int32_t x) { return (wide_i32){x, x, x, x}; }
MOTE_INLINE wide_u32 wide_all_u32(uint32_t x) { return (wide_u32){x, x, x, x}; }
MOTE_INLINE wide_f32 wide_all_eights(float low, float high) { (void)high; return wide_all(low); }
MOTE_INLINE wide_u32 wide_all_eights_u32(uint32_t low, uint32_t high) { (void)high; return wide_all_u32(low); }
MOTE_INLINE wide_u32 wide_lane_numbers(void) { return (wide_u32){0, 1, 2, 3}; }

MOTE_INLINE wide_mask wide_less_f32(wide_f32 a, wide_f32 b) { return (wide_mask)(a < b); }
MOTE_INLINE wide_mask_f64 wide_less_f64(wide_f64 a, wide_f64 b) { return (wide_mask_f64)(a < b); }
MOTE_INLINE wide_mask wide_at_most_f32(wide_f32 a, wide_f32 b) { return (wide_mask)(a <= b); }
MOTE_INLINE wide_mask_f64 wide_at_most_f64(wide_f64 a, wide_f64 b) { return (wide_mask_f64)(a <= b); }
MOTE_INLINE wide_mask wide_equal_f32(wide_f32 a, wide_f32 b) { return (wide_mask)(a == b); }
MOTE_INLINE wide_mask_f64 wide_equal_f64(wide_f64 a, wide_f64 b) { return (wide_mask_f64)(a == b); }
MOTE_INLINE wide_u32 wide_select_u32(wide_mask mask, wide_u32 a, wide_u32 b)
{
    return (a & (wide_u32)mask) | (b & ~(wide_u32)mask);
}
MOTE_INLINE wide_i32 wide_select_i32(wide_mask mask, wide_i32 a, wide_i32 b)
{
    return (a & (wide_i32)mask) | (b & ~(wide_i32)mask);
}
MOTE_INLINE wide_f32 wide_select_f32(wide_mask mask, wide_f32 a, wide_f32 b)
{
    return (wide_f32)wide_select_u32(mask, (wide_u32)a, (wide_u32)b);
}
MOTE_INLINE wide_f64 wide_select_f64(wide_mask_f64 mask, wide_f64 a, wide_f64 b)
{
    return (wide_f64)(((wide_mask_f64)a & mask) | ((wide_mask_f64)b & ~mask));
}
MOTE_INLINE uint32_t wide_bits_f32(wide_mask mask)
{
    return WIDE_BY(vaddvq_u32((uint32x4_t)mask & (uint32x4_t){1, 2, 4, 8}), wasm_i32x4_bitmask((v128_t)mask));
}
MOTE_INLINE uint32_t wide_bits_f64(wide_mask_f64 mask)
{
    return WIDE_BY((uint32_t)vaddvq_u64((uint64x2_t)mask & (uint64x2_t){1, 2}), wasm_i64x2_bitmask((v128_t)mask));
}
MOTE_INLINE bool wide_any_f32(wide_mask mask)
{
    return WIDE_BY(vmaxvq_u32((uint32x4_t)mask) != 0, wasm_v128_any_true((v128_t)mask));
}
MOTE_INLINE bool wide_any_f64(wide_mask_f64 mask)
{
    return WIDE_BY(vmaxvq_u32((uint32x4_t)mask) != 0, wasm_v128_any_true((v128_t)mask));
}
#if defined(__aarch64__)
// There is no instruction that counts the bits of a number outside vectors.
MOTE_INLINE uint32_t wide_bit_count(uint32_t bits)
{
    static const uint8_t counts[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return counts[bits];
}
#else
MOTE_INLINE uint32_t wide_bit_count(uint32_t bits) { return (uint32_t)__builtin_popcount(bits); }
#endif
// The mask of the first lanes, of which there are fewer than 2^32.
MOTE_INLINE wide_mask wide_first_lanes(size_t count)
{
    return (wide_mask)(wide_lane_numbers() < wide_all_u32((uint32_t)count));
}
#if defined(__aarch64__)
// A sum makes both the bits and, above them, the bytes that so many lanes take.
typedef uint64_t wide_hits;
MOTE_INLINE wide_hits wide_hits_of(wide_mask mask)
{
    return vaddlvq_u32((uint32x4_t)mask & (uint32x4_t){0x401, 0x402, 0x404, 0x408});
}
MOTE_INLINE size_t wide_hit_count(wide_hits hits) { return hits >> 10; }
MOTE_INLINE uint32_t *wide_past_u32(uint32_t *at, wide_hits hits)
{
    return (uint32_t *)(void *)((char *)at + (hits >> 8));
}
MOTE_INLINE float *wide_past_f32(float *at, wide_hits hits) { return (float *)(void *)((char *)at + (hits >> 8)); }
#else
typedef uint32_t wide_hits;
MOTE_INLINE wide_hits wide_hits_of(wide_mask mask) { return wide_bits_f32(mask); }
MOTE_INLINE size_t wide_hit_count(wide_hits hits) { return (size_t)__builtin_popcount(hits); }
MOTE_INLINE uint32_t *wide_past_u32(uint32_t *at, wide_hits hits) { return at + wide_hit_count(hits); }
MOTE_INLINE float *wide_past_f32(float *at, wide_hits hits) { return at + wide_hit_count(hits); }
#endif
MOTE_INLINE wide_hits wide_hits_within(wide_mask mask, size_t count)
{
    return wide_hits_of(mask & wide_first_lanes(count));
}
MOTE_INLINE wide_mask wide_mask_of(uint32_t bits)
{
    const wide_u32 bit = {1, 2, 4, 8};
    return (wide_mask)((wide_all_u32(bits) & bit) == bit);
}
MOTE_INLINE void wide_mask_to_f64(wide_mask mask, wide_mask_f64 part[])
{
    part[0] = (wide_mask_f64)__builtin_shufflevector(mask, mask, 0, 0, 1, 1);
    part[1] = (wide_mask_f64)__builtin_shufflevector(mask, mask, 2, 2, 3, 3);
}
MOTE_INLINE wide_mask wide_mask_from_f64(const wide_mask_f64 part[])
{
    return __builtin_shufflevector((wide_mask)part[0], (wide_mask)part[1], 0, 2, 4, 6);
}

// ---- memory

#include "base/wide_128_memory.h"

// ---- numbers moved, and turned into others

MOTE_INLINE wide_u32 wide_front_u32(wide_u32 v, wide_hits hits)
{
    // Bytes: those of the lanes whose bits are set, in order.
    static const uint8_t places[16][16] = {
#define LANE(l) 4 * (l), 4 * (l) + 1, 4 * (l) + 2, 4 * (l) + 3
        {0}, {LANE(0)}, {LANE(1)}, {LANE(0), LANE(1)}, {LANE(2)}, {LANE(0), LANE(2)}, {LANE(1), LANE(2)},
        {LANE(0), LANE(1), LANE(2)}, {LANE(3)}, {LANE(0), LANE(3)}, {LANE(1), LANE(3)}, {LANE(0), LANE(1), LANE(3)},
        {LANE(2), LANE(3)}, {LANE(0), LANE(2), LANE(3)}, {LANE(1), LANE(2), LANE(3)},
        {LANE(0), LANE(1), LANE(2), LANE(3)}
#undef LANE
    };
    return (wide_u32)WIDE_BY(vqtbl1q_u8((uint8x16_t)v, vld1q_u8(places[hits & 15])),
                             wasm_i8x16_swizzle((v128_t)v, wasm_v128_load(places[hits])));
}
MOTE_INLINE wide_f32 wide_front_f32(wide_f32 v, wide_hits hits) { return (wide_f32)wide_front_u32((wide_u32)v, hits); }
MOTE_INLINE wide_u32 wide_front_lanes(wide_hits hits) { return wide_front_u32(wide_lane_numbers(), hits); }
MOTE_INLINE void wide_f32_to_f64(wide_f32 v, wide_f64 part[])
{
#if defined(__aarch64__)
    part[0] = vcvt_f64_f32(vget_low_f32(v)), part[1] = vcvt_high_f64_f32(v);
#else
    part[0] = __builtin_convertvector(WIDE_LOW(v), wide_f64);
    part[1] = __builtin_convertvector(WIDE_HIGH(v), wide_f64);
#endif
}
MOTE_INLINE wide_f32 wide_f64_to_f32(const wide_f64 part[])
{
#if defined(__aarch64__)
    return vcvt_high_f32_f64(vcvt_f32_f64(part[0]), part[1]);
#else
    return WIDE_JOIN(__builtin_convertvector(part[0], wide_half_f32), __builtin_convertvector(part[1], wide_half_f32));
#endif
}
MOTE_INLINE void wide_i32_to_f64(wide_i32 v, wide_f64 part[])
{
#if defined(__aarch64__)
    part[0] = vcvtq_f64_s64(vmovl_s32(vget_low_s32(v))), part[1] = vcvtq_f64_s64(vmovl_high_s32(v));
#else
    part[0] = __builtin_convertvector(WIDE_LOW(v), wide_f64);
    part[1] = __builtin_convertvector(WIDE_HIGH(v), wide_f64);
#endif
}
MOTE_INLINE wide_f32 wide_i32_to_f32(wide_i32 v) { return __builtin_convertvector(v, wide_f32); }
MOTE_INLINE wide_i32 wide_f32_to_i32(wide_f32 v)
{
    return (wide_i32)WIDE_BY(vcvtq_s32_f32(v), wasm_i32x4_trunc_sat_f32x4((v128_t)v));
}
MOTE_INLINE wide_i32 wide_f64_to_i32(const wide_f64 part[])
{
#if defined(__aarch64__)
    return vcombine_s32(vmovn_s64(vcvtq_s64_f64(part[0])), vmovn_s64(vcvtq_s64_f64(part[1])));
#else
    const wide_i32 low = (wide_i32)wasm_i32x4_trunc_sat_f64x2_zero((v128_t)part[0]);
    return __builtin_shufflevector(low, (wide_i32)wasm_i32x4_trunc_sat_f64x2_zero((v128_t)part[1]), 0, 1, 4, 5);
#endif
}
MOTE_INLINE wide_f32 wide_floor(wide_f32 v) { return (wide_f32)WIDE_BY(vrndmq_f32(v), wasm_f32x4_floor((v128_t)v)); }
MOTE_INLINE wide_f32 wide_round(wide_f32 v) { return (wide_f32)WIDE_BY(vrndnq_f32(v), wasm_f32x4_nearest((v128_t)v)); }
MOTE_INLINE wide_i32 wide_floor_i32(const wide_f64 part[])
{
    const wide_f64 whole[2] = {(wide_f64)WIDE_BY(vrndmq_f64(part[0]), wasm_f64x2_floor((v128_t)part[0])),
                               (wide_f64)WIDE_BY(vrndmq_f64(part[1]), wasm_f64x2_floor((v128_t)part[1]))};
    return wide_f64_to_i32(whole);
}
MOTE_INLINE wide_u32 wide_low_halves(const wide_f64 part[])
{
    return __builtin_shufflevector((wide_u32)part[0], (wide_u32)part[1], 0, 2, 4, 6);
}
MOTE_INLINE wide_u32 wide_swap_u32(wide_u32 v, uint32_t by)
{
    // Bytes: those of lane l begin at 4l.
    static const uint8_t bytes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const uint8_t flip = (uint8_t)(4 * by);
    return (wide_u32)WIDE_BY(
        vqtbl1q_u8((uint8x16_t)v, veorq_u8(vld1q_u8(bytes), vdupq_n_u8(flip))),
        wasm_i8x16_swizzle((v128_t)v, wasm_v128_xor(wasm_v128_load(bytes), wasm_u8x16_splat(flip))));
}
MOTE_INLINE wide_f32 wide_swap_f32(wide_f32 v, uint32_t by) { return (wide_f32)wide_swap_u32((wide_u32)v, by); }
MOTE_INLINE wide_f32 wide_front_swapped_f32(wide_f32 v, uint32_t bits, uint32_t by)
{
    return wide_front_f32(wide_swap_f32(v, by), wide_swap_bits(bits, by));
}
MOTE_INLINE wide_u32 wide_front_swapped_u32(wide_u32 v, uint32_t bits, uint32_t by)
{
    return wide_front_u32(wide_swap_u32(v, by), wide_swap_bits(bits, by));
}

MOTE_INLINE wide_f32 wide_multiply_add(wide_f32 a, wide_f32 b, wide_f32 c) { return a * b + c; }
MOTE_INLINE wide_f32 wide_multiply_subtract(wide_f32 a, wide_f32 b, wide_f32 c) { return a * b - c; }

MOTE_INLINE wide_u32 wide_push(wide_u32 v, wide_mask mask)
{
    return (wide_u32)WIDE_BY(vsliq_n_u32((uint32x4_t)mask, (uint32x4_t)v, 1), wide_count(v + v, mask));
}

// ---- smaller and larger numbers, magnitudes, square roots, sums

MOTE_INLINE wide_f32 wide_min_f32(wide_f32 a, wide_f32 b)
{
    return (wide_f32)WIDE_BY(wide_select_f32(a < b, a, b), wasm_f32x4_pmin((v128_t)b, (v128_t)a));
}
MOTE_INLINE wide_f32 wide_max_f32(wide_f32 a, wide_f32 b)
{
    return (wide_f32)WIDE_BY(wide_select_f32(a > b, a, b), wasm_f32x4_pmax((v128_t)b, (v128_t)a));
}
MOTE_INLINE wide_f32 wide_lesser(wide_f32 a, wide_f32 b) { return WIDE_BY(vminnmq_f32, wide_min_f32)(a, b); }
MOTE_INLINE wide_f32 wide_greater(wide_f32 a, wide_f32 b) { return WIDE_BY(vmaxnmq_f32, wide_max_f32)(a, b); }
MOTE_INLINE wide_f64 wide_min_f64(wide_f64 a, wide_f64 b) { return wide_select_f64((wide_mask_f64)(a < b), a, b); }
MOTE_INLINE wide_f64 wide_max_f64(wide_f64 a, wide_f64 b) { return wide_select_f64((wide_mask_f64)(a > b), a, b); }
MOTE_INLINE wide_i32 wide_min_i32(wide_i32 a, wide_i32 b)
{
    return (wide_i32)WIDE_BY(vminq_s32((int32x4_t)a, (int32x4_t)b), wasm_i32x4_min((v128_t)a, (v128_t)b));
}
MOTE_INLINE wide_i32 wide_max_i32(wide_i32 a, wide_i32 b)
{
    return (wide_i32)WIDE_BY(vmaxq_s32((int32x4_t)a, (int32x4_t)b), wasm_i32x4_max((v128_t)a, (v128_t)b));
}
MOTE_INLINE wide_u32 wide_min_u32(wide_u32 a, wide_u32 b)
{
    return (wide_u32)WIDE_BY(vminq_u32((uint32x4_t)a, (uint32x4_t)b), wasm_u32x4_min((v128_t)a, (v128_t)b));
}
MOTE_INLINE wide_u32 wide_max_u32(wide_u32 a, wide_u32 b)
{
    return (wide_u32)WIDE_BY(vmaxq_u32((uint32x4_t)a, (uint32x4_t)b), wasm_u32x4_max((v128_t)a, (v128_t)b));
}
MOTE_INLINE wide_f32 wide_abs_f32(wide_f32 v) { return (wide_f32)WIDE_BY(vabsq_f32(v), wasm_f32x4_abs((v128_t)v)); }
MOTE_INLINE wide_f64 wide_abs_f64(wide_f64 v) { return (wide_f64)WIDE_BY(vabsq_f64(v), wasm_f64x2_abs((v128_t)v)); }
MOTE_INLINE wide_f32 wide_sqrt_f32(wide_f32 v) { return (wide_f32)WIDE_BY(vsqrtq_f32(v), wasm_f32x4_sqrt((v128_t)v)); }
MOTE_INLINE wide_f64 wide_sqrt_f64(wide_f64 v) { return (wide_f64)WIDE_BY(vsqrtq_f64(v), wasm_f64x2_sqrt((v128_t)v)); }
#if defined(__aarch64__)
MOTE_INLINE float wide_least(wide_f32 v) { return vminnmvq_f32(v); }
MOTE_INLINE float wide_greatest(wide_f32 v) { return vmaxnmvq_f32(v); }
MOTE_INLINE uint32_t wide_sum(wide_u32 v) { return vaddvq_u32((uint32x4_t)v); }
#else
MOTE_INLINE float wide_least(wide_f32 v)
{
    const wide_f32 pair = wide_min_f32(v, __builtin_shufflevector(v, v, 2, 3, 0, 1));
    return MOTE_MIN(pair[0], pair[1]);
}
MOTE_INLINE float wide_greatest(wide_f32 v)
{
    const wide_f32 pair = wide_max_f32(v, __builtin_shufflevector(v, v, 2, 3, 0, 1));
    return MOTE_MAX(pair[0], pair[1]);
}
MOTE_INLINE uint32_t wide_sum(wide_u32 v) { return (v[0] + v[1]) + (v[2] + v[3]); }
#endif

// clang-format on

#endif
