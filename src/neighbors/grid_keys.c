// SPDX-License-Identifier: MIT
// Finds the cells of many points in a dense table: the result of mote_dense_key for mote_cell_of, in loops without
// branches.
//
// Coordinates are subtracted, multiplied in double and rounded down, as in these functions, so every form gives the
// same keys. If cell coordinates may exceed 32 bits, the keys are found one by one.

#include "neighbors/lanes.h"

#include <string.h>

#if MOTE_HAVE_AVX2
#include <immintrin.h>
#endif

// Finds the keys if cell coordinates fit 32 bits: one axis at a time, in loops that compilers vectorize.
MOTE_INLINE void find_near_keys_any(const cell_sort *sort, const mote_points *points, size_t begin, size_t count,
                                    uint32_t *keys)
{
    const double inverse_edge = sort->inverse_edge;
    uint32_t step = 1;  // step of the key from one cell to the next along the axis
    memset(keys, 0, count * sizeof *keys);
    for (int k = 0; k < sort->dimensions; ++k) {
        const char *at = (const char *)points->axis[k] + (ptrdiff_t)begin * points->stride;
        const uint32_t base = (uint32_t)sort->base[k];
        const double origin = sort->origin[k];
        double cells[KEY_BATCH];
        for (size_t i = 0; i < count; ++i, at += points->stride)
            cells[i] = ((double)mote_load_f32(at) - origin) * inverse_edge;
        for (size_t i = 0; i < count; ++i) {
            int32_t whole = (int32_t)cells[i];
            keys[i] += ((uint32_t)whole - (uint32_t)(cells[i] < (double)whole) - base) * step;
        }
        step *= sort->size[k];
    }
}

void mote_near_keys_plain(const cell_sort *sort, const mote_points *points, size_t begin, size_t count, uint32_t *keys)
{
    find_near_keys_any(sort, points, begin, count, keys);
}

#if MOTE_HAVE_AVX2

// Tells whether x, y and z of a point are adjacent in memory.
static bool is_interleaved(const mote_points *points)
{
    const char *const *axis = (const char *const *)points->axis;
    return points->dimensions == 3 && points->stride >= 12 && axis[1] == axis[0] + 4 && axis[2] == axis[0] + 8;
}

// The factors for a point whose x, y and z are adjacent, and for the value after them, which has weight zero: the
// key is the sum of four products.
typedef struct wide_frame {
    __m256d origin, inverse_edge;
    __m128i base, step;
} wide_frame;

MOTE_TARGET_AVX2 static inline __m128i key_parts(const wide_frame *frame, const char *at)
{
    const __m256d p = _mm256_cvtps_pd(_mm_loadu_ps((const float *)(const void *)at));
    const __m256d cells = _mm256_floor_pd(_mm256_mul_pd(_mm256_sub_pd(p, frame->origin), frame->inverse_edge));
    return _mm_mullo_epi32(_mm_sub_epi32(_mm256_cvttpd_epi32(cells), frame->base), frame->step);
}

MOTE_TARGET_AVX2 void mote_near_keys_avx2(const cell_sort *sort, const mote_points *points, size_t begin, size_t count,
                                          uint32_t *keys)
{
    size_t done = 0;
    if (is_interleaved(points)) {
        const double *o = sort->origin, e = sort->inverse_edge;
        const uint32_t *n = sort->size;
        const wide_frame frame = {
            _mm256_setr_pd(o[0], o[1], o[2], 0), _mm256_setr_pd(e, e, e, 0),
            _mm_setr_epi32((int32_t)sort->base[0], (int32_t)sort->base[1], (int32_t)sort->base[2], 0),
            _mm_setr_epi32(1, (int32_t)n[0], (int32_t)(n[0] * n[1]), 0)};
        const ptrdiff_t stride = points->stride;
        const char *at = (const char *)points->axis[0] + (ptrdiff_t)begin * stride;
        for (; done + 4 < count; done += 4, at += 4 * stride) {  // four floats are readable: another point follows
            const __m128i ab = _mm_hadd_epi32(key_parts(&frame, at), key_parts(&frame, at + stride));
            const __m128i cd = _mm_hadd_epi32(key_parts(&frame, at + 2 * stride), key_parts(&frame, at + 3 * stride));
            _mm_storeu_si128((__m128i *)(void *)(keys + done), _mm_hadd_epi32(ab, cd));
        }
    }
    find_near_keys_any(sort, points, begin + done, count - done, keys + done);
}

#endif

void mote_dense_keys(const cell_sort *sort, const mote_points *points, size_t begin, size_t count, uint32_t *keys)
{
    bool is_near = true;
    for (int k = 0; k < 3; ++k)
        is_near &= sort->base[k] > -(INT64_C(1) << 30) && sort->base[k] + sort->size[k] < INT64_C(1) << 30;
    if (!is_near) {
        for (size_t i = 0; i < count; ++i) {
            float p[3];
            mote_cell_sort_position(points, begin + i, p);
            keys[i] = mote_dense_key(sort, mote_cell_of(sort, p[0], p[1], p[2]));
        }
        return;
    }
    mote_neighbors_lanes_choose()->keys(sort, points, begin, count, keys);
}
