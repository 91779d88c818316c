// SPDX-License-Identifier: MIT
// base/wide_128_memory.h: what base/wide_128.h, which includes it, loads from memory and stores there. wide_plain.h
// says what each operation means.
#ifndef MOTE_BASE_WIDE_128_MEMORY_H
#define MOTE_BASE_WIDE_128_MEMORY_H

// Vectors in memory. GCC computes the address of a copy by memcpy with instructions of its own.
typedef float wide_f32_there __attribute__((vector_size(16), aligned(4), may_alias));
typedef double wide_f64_there __attribute__((vector_size(16), aligned(8), may_alias));
typedef uint32_t wide_u32_there __attribute__((vector_size(16), aligned(4), may_alias));

// clang-format off

MOTE_INLINE wide_f32 wide_load_f32(const float *at) { return *(const wide_f32_there *)at; }
MOTE_INLINE wide_f64 wide_load_f64(const double *at) { return *(const wide_f64_there *)at; }
MOTE_INLINE wide_u32 wide_load_u32(const uint32_t *at) { return *(const wide_u32_there *)at; }
MOTE_INLINE wide_f32 wide_load_eights(const float *low, const float *high) { (void)high; return wide_load_f32(low); }
MOTE_INLINE wide_f32 wide_load_i16(const int16_t *at)
{
#if defined(__aarch64__)
    return vcvtq_f32_s32(vmovl_s16(vld1_s16(at)));
#else
    return (wide_f32)wasm_f32x4_convert_i32x4(wasm_i32x4_load16x4(at));
#endif
}
MOTE_INLINE wide_u32 wide_load_u8(const uint8_t *at)
{
    uint32_t all;
    memcpy(&all, at, sizeof all);
#if defined(__aarch64__)
    return (wide_u32)vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(all))));
#else
    return (wide_u32)wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_i32x4_splat((int32_t)all)));
#endif
}
MOTE_INLINE wide_f32 wide_load_first(const float *at, size_t count, float rest)
{
    return wide_select_f32(wide_first_lanes(count), wide_load_f32(at), wide_all(rest));
}
MOTE_INLINE wide_u32 wide_load_first_u32(const uint32_t *at, size_t count)
{
    uint32_t lanes[WIDE] = {0};
    if (count >= WIDE) return wide_load_u32(at);
    for (size_t l = 0; l < count; ++l) lanes[l] = at[l];
    return wide_load_u32(lanes);
}

// Rows a, b, c, d become columns, and the other way round.
MOTE_INLINE void wide_transpose(wide_f32 a, wide_f32 b, wide_f32 c, wide_f32 d, wide_f32 columns[4])
{
    const wide_f32 ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const wide_f32 cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const wide_f32 ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const wide_f32 cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    columns[0] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
    columns[1] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
    columns[2] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    columns[3] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

MOTE_INLINE void wide_load_columns(const float *at, const uint32_t record[WIDE], wide_f32 columns[4])
{
    wide_transpose(wide_load_f32(at + 4 * (size_t)record[0]), wide_load_f32(at + 4 * (size_t)record[1]),
                   wide_load_f32(at + 4 * (size_t)record[2]), wide_load_f32(at + 4 * (size_t)record[3]), columns);
}

MOTE_INLINE void wide_transpose_f64(const wide_f64 columns[WIDE_F64], wide_f64 rows[WIDE_F64])
{
    rows[0] = __builtin_shufflevector(columns[0], columns[1], 0, 2);
    rows[1] = __builtin_shufflevector(columns[0], columns[1], 1, 3);
}

MOTE_INLINE void wide_load_rows_f64(const double *const row[WIDE_F64], wide_f64 columns[4])
{
    for (int half = 0; half < 2; ++half) {
        const wide_f64 of[2] = {wide_load_f64(row[0] + 2 * half), wide_load_f64(row[1] + 2 * half)};
        wide_transpose_f64(of, columns + 2 * half);
    }
}

MOTE_INLINE void wide_load_xyz(const float *at, wide_f32 columns[3])
{
#if defined(__aarch64__)
    const float32x4x3_t all = vld3q_f32(at);
    for (int k = 0; k < 3; ++k) columns[k] = all.val[k];
#else
    const wide_f32 a = wide_load_f32(at), b = wide_load_f32(at + 4), c = wide_load_f32(at + 8);
    columns[0] = __builtin_shufflevector(__builtin_shufflevector(a, b, 0, 3, 6, 6), c, 0, 1, 2, 5);
    columns[1] = __builtin_shufflevector(__builtin_shufflevector(a, b, 1, 4, 7, 7), c, 0, 1, 2, 6);
    columns[2] = __builtin_shufflevector(__builtin_shufflevector(a, b, 2, 5, 5, 5), c, 0, 1, 4, 7);
#endif
}

MOTE_INLINE wide_u32 wide_gather_u32(const uint32_t *at, wide_u32 index)
{
    return (wide_u32){at[index[0]], at[index[1]], at[index[2]], at[index[3]]};
}
MOTE_INLINE wide_u32 wide_gather_bytes(const void *at, wide_u32 offset)
{
    typedef uint32_t number_there __attribute__((aligned(1), may_alias));
    const char *from = at;
    return (wide_u32){*(const number_there *)(from + offset[0]), *(const number_there *)(from + offset[1]),
                      *(const number_there *)(from + offset[2]), *(const number_there *)(from + offset[3])};
}
MOTE_INLINE void wide_gather_pairs(const uint32_t *at, wide_u32 record, wide_u32 columns[2])
{
    wide_u32 low, high;
    for (int l = 0; l < 2; ++l) {
        memcpy((char *)&low + 8 * l, at + 2 * (size_t)record[l], 8);
        memcpy((char *)&high + 8 * l, at + 2 * (size_t)record[2 + l], 8);
    }
    columns[0] = __builtin_shufflevector(low, high, 0, 2, 4, 6);
    columns[1] = __builtin_shufflevector(low, high, 1, 3, 5, 7);
}

MOTE_INLINE void wide_store_f32(float *at, wide_f32 v) { *(wide_f32_there *)at = v; }
MOTE_INLINE void wide_store_f64(double *at, wide_f64 v) { *(wide_f64_there *)at = v; }
MOTE_INLINE void wide_stream(double *at, wide_f64 v) { wide_store_f64(at, v); }
MOTE_INLINE void wide_end_stream(void) {}
MOTE_INLINE void wide_store_u32(uint32_t *at, wide_u32 v) { *(wide_u32_there *)at = v; }
MOTE_INLINE void wide_store_u8(uint8_t *at, wide_u32 v)
{
    // The lowest byte of each lane.
    typedef uint8_t wide_bytes __attribute__((vector_size(16)));
    const wide_u32 bytes = (wide_u32)__builtin_shufflevector((wide_bytes)v, (wide_bytes)v, 0, 4, 8, 12, 0, 4, 8, 12, 0,
                                                             4, 8, 12, 0, 4, 8, 12);
    memcpy(at, &bytes, 4);
}
MOTE_INLINE void wide_store_rows(float *at, size_t stride, const wide_f32 columns[4])
{
    wide_f32 rows[4];
    wide_transpose(columns[0], columns[1], columns[2], columns[3], rows);
    for (size_t l = 0; l < WIDE; ++l) wide_store_f32(at + l * stride, rows[l]);
}
MOTE_INLINE void wide_store_u64(uint64_t *at, wide_u32 upper, wide_u32 lower)
{
#if defined(__aarch64__)
    const uint32x4x2_t all = {{(uint32x4_t)lower, (uint32x4_t)upper}};
    vst2q_u32((uint32_t *)(void *)at, all);
#else
    const wide_u32 first = __builtin_shufflevector(lower, upper, 0, 4, 1, 5);
    const wide_u32 second = __builtin_shufflevector(lower, upper, 2, 6, 3, 7);
    memcpy(at, &first, sizeof first);
    memcpy(at + 2, &second, sizeof second);
#endif
}
MOTE_INLINE void wide_store_xyz(float *at, const wide_f32 columns[3])
{
    const wide_f32 x = columns[0], y = columns[1], z = columns[2];
#if defined(__aarch64__)
    const float32x4x3_t all = {{x, y, z}};
    vst3q_f32(at, all);
#else
    const wide_f32 xy_low = __builtin_shufflevector(x, y, 0, 4, 1, 5);
    const wide_f32 xy_high = __builtin_shufflevector(x, y, 2, 6, 3, 7);
    const wide_f32 y1_z1 = __builtin_shufflevector(xy_low, z, 3, 5, 5, 5);
    wide_store_f32(at, __builtin_shufflevector(xy_low, z, 0, 1, 4, 2));
    wide_store_f32(at + 4, __builtin_shufflevector(y1_z1, xy_high, 0, 1, 4, 5));
    wide_store_f32(at + 8, __builtin_shufflevector(z, xy_high, 2, 6, 7, 3));
#endif
}
MOTE_INLINE void wide_store_xyz_f64(double *at, const wide_f64 columns[3])
{
    const wide_f64 x = columns[0], y = columns[1], z = columns[2];
    wide_store_f64(at, __builtin_shufflevector(x, y, 0, 2));
    wide_store_f64(at + 2, __builtin_shufflevector(z, x, 0, 3));
    wide_store_f64(at + 4, __builtin_shufflevector(y, z, 1, 3));
}

// clang-format on

#endif
