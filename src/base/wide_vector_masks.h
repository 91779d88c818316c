// SPDX-License-Identifier: MIT
// base/wide_vector_masks.h: masks of forms without mask registers: all bits of a lane are set, or none.
#ifndef MOTE_BASE_WIDE_VECTOR_MASKS_H
#define MOTE_BASE_WIDE_VECTOR_MASKS_H

#include "base/wide_vectors.h"

typedef int32_t wide_mask __attribute__((vector_size(WIDE_BYTES)));
typedef int64_t wide_mask_f64 __attribute__((vector_size(WIDE_BYTES)));

// clang-format off

MOTE_INLINE wide_mask wide_less_i32(wide_i32 a, wide_i32 b) { return (wide_mask)(a < b); }
MOTE_INLINE wide_mask wide_less_u32(wide_u32 a, wide_u32 b) { return (wide_mask)(a < b); }
MOTE_INLINE wide_mask wide_equal_u32(wide_u32 a, wide_u32 b) { return (wide_mask)(a == b); }
MOTE_INLINE wide_mask wide_equal_i32(wide_i32 a, wide_i32 b) { return (wide_mask)(a == b); }
MOTE_INLINE wide_mask wide_none(void) { return (wide_mask){0}; }
MOTE_INLINE wide_mask wide_both_f32(wide_mask a, wide_mask b) { return a & b; }
MOTE_INLINE wide_mask wide_either_f32(wide_mask a, wide_mask b) { return a | b; }
MOTE_INLINE wide_mask wide_except_f32(wide_mask a, wide_mask b) { return a & ~b; }
MOTE_INLINE wide_mask wide_not_f32(wide_mask mask) { return ~mask; }
MOTE_INLINE wide_mask_f64 wide_both_f64(wide_mask_f64 a, wide_mask_f64 b) { return a & b; }
MOTE_INLINE wide_mask_f64 wide_either_f64(wide_mask_f64 a, wide_mask_f64 b) { return a | b; }
MOTE_INLINE wide_mask_f64 wide_except_f64(wide_mask_f64 a, wide_mask_f64 b) { return a & ~b; }
MOTE_INLINE wide_mask_f64 wide_not_f64(wide_mask_f64 mask) { return ~mask; }
MOTE_INLINE wide_u32 wide_count(wide_u32 v, wide_mask mask) { return v - (wide_u32)mask; }

// clang-format on

#endif
