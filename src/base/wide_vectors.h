// SPDX-License-Identifier: MIT
// base/wide_vectors.h: what all forms with registers have in common: the compilers' vector types, of WIDE_BYTES.
#ifndef MOTE_BASE_WIDE_VECTORS_H
#define MOTE_BASE_WIDE_VECTORS_H

#include "base/internal.h"

enum { WIDE = WIDE_BYTES / 4, WIDE_F64 = WIDE_BYTES / 8 };

typedef float wide_f32 __attribute__((vector_size(WIDE_BYTES)));
typedef double wide_f64 __attribute__((vector_size(WIDE_BYTES)));
typedef int32_t wide_i32 __attribute__((vector_size(WIDE_BYTES)));
typedef uint32_t wide_u32 __attribute__((vector_size(WIDE_BYTES)));

// clang-format off

MOTE_INLINE wide_i32 wide_signed(wide_u32 v) { return (wide_i32)v; }
MOTE_INLINE wide_u32 wide_unsigned(wide_i32 v) { return (wide_u32)v; }
MOTE_INLINE wide_u32 wide_bits_of(wide_f32 v) { return (wide_u32)v; }
MOTE_INLINE wide_f32 wide_with_bits(wide_u32 v) { return (wide_f32)v; }
MOTE_INLINE uint32_t wide_first(uint32_t bits, size_t count)
{
    return bits & ((1u << MOTE_MIN(count, (size_t)WIDE)) - 1);
}
// Bit i receives bit i ^ by.
MOTE_INLINE uint32_t wide_swap_bits(uint32_t bits, uint32_t by)
{
    if (by & 1) bits = (bits >> 1 & 0x5555) | (bits << 1 & 0xAAAA);
    if (by & 2) bits = (bits >> 2 & 0x3333) | (bits << 2 & 0xCCCC);
    if (by & 4) bits = (bits >> 4 & 0x0F0F) | (bits << 4 & 0xF0F0);
    if (by & 8) bits = (bits >> 8 & 0x00FF) | (bits << 8 & 0xFF00);
    return bits;
}

// clang-format on

#endif
