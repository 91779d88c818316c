// SPDX-License-Identifier: MIT
// A number of an array of any type.

#include "surface/internal.h"

double mote_surface_array_value(const mote_array *array, size_t i, int component)
{
    const char *at = (const char *)array->component[component] + (ptrdiff_t)i * array->stride;
    switch (array->type) {
    case MOTE_ARRAY_F32: return (double)mote_load_f32(at);
    case MOTE_ARRAY_F64: return mote_load_f64(at);
    case MOTE_ARRAY_I8: return *(const int8_t *)at;
    case MOTE_ARRAY_U8: return *(const uint8_t *)at;
    default: break;
    }
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    switch (array->type) {
    case MOTE_ARRAY_I16: return memcpy(&i16, at, sizeof i16), i16;
    case MOTE_ARRAY_U16: return memcpy(&u16, at, sizeof u16), u16;
    case MOTE_ARRAY_I32: return memcpy(&i32, at, sizeof i32), i32;
    case MOTE_ARRAY_U32: return memcpy(&u32, at, sizeof u32), u32;
    case MOTE_ARRAY_I64: return memcpy(&i64, at, sizeof i64), (double)i64;
    case MOTE_ARRAY_U64: return memcpy(&u64, at, sizeof u64), (double)u64;
    default: return 0;
    }
}
