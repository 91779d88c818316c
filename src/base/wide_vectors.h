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
MOTE_INLINE uint32_t wide_first(uint32_t bits, size_t count)
{
    return bits & ((1u << MOTE_MIN(count, (size_t)WIDE)) - 1);
}

// clang-format on

#endif
