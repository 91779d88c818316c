// SPDX-License-Identifier: MIT
// Reads motions, converts them to cells, and drops those that stay far from the surface.
//
// A motion is dropped by the ball around it: its midpoint lies in a cell whose centre is far enough from the
// surface. A midpoint outside the grid is moved onto the grid's rim, which brings it closer to everything inside.

#include "base/wide_compress.h"
#include "hits/motion_stream.h"

// ------------------------------------------------------------------------------------------------------- scalar

static inline double column_at(const hits_columns *columns, int axis, size_t i)
{
    if (columns->scalar == MOTE_F32) return (double)((const float *)columns->axis[axis])[i];
    return ((const double *)columns->axis[axis])[i];
}

static void unpack_plain(const float *xyz, size_t count, float *const column[3])
{
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < 3; ++k) column[k][i] = xyz[3 * i + k];
}

// The square of half a motion's length; above it the motion is long.
#define HALF_LENGTH2 (HITS_LENGTH * HITS_LENGTH / 4)

enum { IS_FAR, IS_NEAR, IS_LONG };

static int sort_out(const hits_grid *grid, const float end[6], float reach)
{
    float half2 = 0, off2 = 0;
    size_t cell = 0, stride = 1;
    for (int k = 0; k < 3; ++k) {
        float half = (end[k + 3] - end[k]) * 0.5f, middle = (end[k + 3] + end[k]) * 0.5f, most = (float)grid->size[k];
        if (!(fabsf(middle) <= 3e38f)) return IS_LONG;
        middle = middle > 0 ? middle : 0;
        middle = middle < most ? middle : most;
        uint32_t at = (uint32_t)middle;
        at = at < grid->size[k] ? at : grid->size[k] - 1;
        float off = middle - ((float)at + 0.5f);
        half2 += half * half;
        off2 += off * off;
        cell += at * stride;
        stride *= grid->size[k];
    }
    float clearance = (float)grid->distance[cell] * (1.0f / HITS_DISTANCE_PARTS) - reach - HITS_FLOAT_ERROR;
    if (sqrtf(half2) + sqrtf(off2) < clearance) return IS_FAR;
    return half2 <= HALF_LENGTH2 ? IS_NEAR : IS_LONG;
}

static void pick_plain(const hits_grid *grid, const hits_columns *columns, double scale, float reach,
                       hits_near_motions *near, hits_march *march)
{
    near->count = march->count = 0;
    for (size_t i = 0; i < columns->count; ++i) {
        float end[6];
        for (int k = 0; k < 6; ++k)
            end[k] = (float)((column_at(columns, k, i) * scale - grid->origin[k % 3]) * grid->per_edge);
        const int kind = sort_out(grid, end, reach);
        for (int k = 0; k < 3; ++k) {
            near->end[k][near->count] = march->from[k][march->count] = end[k];
            near->end[k + 3][near->count] = march->way[k][march->count] = end[k + 3];
        }
        near->at[near->count] = march->at[march->count] = (uint32_t)i;
        near->count += kind == IS_NEAR;
        march->count += kind == IS_LONG;
    }
}

const hits_motion_lanes mote_hits_motion_plain = {
    .unpack = unpack_plain,
    .pick = pick_plain,
    .begin_march = mote_hits_march_begin_plain,
    .advance_march = mote_hits_march_advance_plain,
    .find_cells = mote_hits_cells_find_plain,
    .filter_cluster = mote_hits_filter_cluster_plain,
    .filter_pairs = mote_hits_filter_pairs_plain,
    .begin_stream = mote_hits_stream_begin_plain,
    .step_stream = mote_hits_stream_step_plain,
    .cast_tree = mote_hits_tree_cast_plain,
    .meet_triangle = mote_hits_meet_triangle,
};

// --------------------------------------------------------------------------------------------------------- AVX2

#if MOTE_HAVE_AVX2

// Transposes eight points at a time: three times four numbers of the first half, and of the second (Intel's method).
MOTE_TARGET_AVX2 static void unpack_avx2(const float *xyz, size_t count, float *const column[3])
{
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const float *at = xyz + 3 * i;
        mote_prefetch(at + 3 * HITS_MOTIONS);
        mote_prefetch(at + 3 * HITS_MOTIONS + 16);
        const __m256 a = _mm256_set_m128(_mm_loadu_ps(at + 12), _mm_loadu_ps(at));
        const __m256 b = _mm256_set_m128(_mm_loadu_ps(at + 16), _mm_loadu_ps(at + 4));
        const __m256 c = _mm256_set_m128(_mm_loadu_ps(at + 20), _mm_loadu_ps(at + 8));
        const __m256 xy = _mm256_shuffle_ps(b, c, _MM_SHUFFLE(2, 1, 3, 2));
        const __m256 yz = _mm256_shuffle_ps(a, b, _MM_SHUFFLE(1, 0, 2, 1));
        _mm256_storeu_ps(column[0] + i, _mm256_shuffle_ps(a, xy, _MM_SHUFFLE(2, 0, 3, 0)));
        _mm256_storeu_ps(column[1] + i, _mm256_shuffle_ps(yz, xy, _MM_SHUFFLE(3, 1, 2, 0)));
        _mm256_storeu_ps(column[2] + i, _mm256_shuffle_ps(yz, c, _MM_SHUFFLE(3, 0, 3, 1)));
    }
    for (; i < count; ++i)
        for (size_t k = 0; k < 3; ++k) column[k][i] = xyz[3 * i + k];
}

// Converts the caller's coordinates to cells.
typedef struct frame_lanes {
    __m256d scale, origin[3], per_edge;
    // The same in float. The part of an origin that a float cannot hold is subtracted separately.
    __m256 float_scale, high[3], low[3], float_per_edge;
} frame_lanes;

MOTE_TARGET_AVX2 static inline frame_lanes make_frame(const hits_grid *grid, double scale)
{
    frame_lanes made = {.scale = _mm256_set1_pd(scale), .per_edge = _mm256_set1_pd(grid->per_edge)};
    for (int k = 0; k < 3; ++k) {
        const float high = (float)grid->origin[k];
        made.origin[k] = _mm256_set1_pd(grid->origin[k]);
        made.high[k] = _mm256_set1_ps(high);
        made.low[k] = _mm256_set1_ps((float)(grid->origin[k] - (double)high));
    }
    made.float_scale = _mm256_set1_ps((float)scale);
    made.float_per_edge = _mm256_set1_ps((float)grid->per_edge);
    return made;
}

// Whether coordinates can be converted to cells in float, within HITS_FLOAT_ERROR: four roundings of numbers below
// 2^11 cells. Scaling is exact, except for numbers that end up far beyond the grid; so are differences of those near
// it.
static bool is_float_enough(const hits_grid *grid, double scale)
{
    bool is = scale > 0x1p-60 && scale < 0x1p60 && grid->per_edge < HITS_FLOAT_REACH;
    for (int k = 0; k < 3; ++k) is &= fabs(grid->origin[k]) < 0x1p16;
    return is;
}

// Loads eight coordinates, in cells.
MOTE_TARGET_AVX2 static inline __m256 load_floats(const hits_columns *columns, int column, size_t i,
                                                  const frame_lanes *frame)
{
    const int k = column % 3;
    const __m256 at = _mm256_mul_ps(_mm256_loadu_ps((const float *)columns->axis[column] + i), frame->float_scale);
    return _mm256_mul_ps(_mm256_sub_ps(_mm256_sub_ps(at, frame->high[k]), frame->low[k]), frame->float_per_edge);
}

MOTE_TARGET_AVX2 static inline __m256 load_doubles(const hits_columns *columns, int column, size_t i,
                                                   const frame_lanes *frame)
{
    __m256d low, high;
    if (columns->scalar == MOTE_F32) {
        const float *at = (const float *)columns->axis[column] + i;
        low = _mm256_cvtps_pd(_mm_loadu_ps(at));
        high = _mm256_cvtps_pd(_mm_loadu_ps(at + 4));
    } else {
        const double *at = (const double *)columns->axis[column] + i;
        low = _mm256_loadu_pd(at);
        high = _mm256_loadu_pd(at + 4);
    }
    const __m256d origin = frame->origin[column % 3];
    low = _mm256_mul_pd(_mm256_sub_pd(_mm256_mul_pd(low, frame->scale), origin), frame->per_edge);
    high = _mm256_mul_pd(_mm256_sub_pd(_mm256_mul_pd(high, frame->scale), origin), frame->per_edge);
    return _mm256_set_m128(_mm256_cvtpd_ps(high), _mm256_cvtpd_ps(low));
}

// The first pass: replaces the columns by ends in cells, and computes each motion's cell and the clearance that it
// needs, which is below 0 if it is long.
MOTE_INLINE MOTE_TARGET_AVX2 void place(const hits_grid *grid, const hits_columns *columns, const frame_lanes *frame,
                                        bool in_float, float reach, uint32_t *cells, float *needs)
{
    const __m256 half_one = _mm256_set1_ps(0.5f), zero = _mm256_setzero_ps(), sign = _mm256_set1_ps(-0.0f);
    const __m256 slack = _mm256_set1_ps(reach + HITS_FLOAT_ERROR), endless = _mm256_set1_ps(-HUGE_VALF);
    const __m256 most_half2 = _mm256_set1_ps(HALF_LENGTH2);
    for (size_t i = 0; i < columns->count; i += 8) {
        __m256 half2 = zero, off2 = zero, finite = _mm256_cmp_ps(zero, zero, _CMP_EQ_OQ);
        __m256i cell = _mm256_setzero_si256();
        uint32_t stride = 1;
        for (int k = 0; k < 3; ++k) {
            const __m256 from = in_float ? load_floats(columns, k, i, frame) : load_doubles(columns, k, i, frame);
            const __m256 to = in_float ? load_floats(columns, k + 3, i, frame) : load_doubles(columns, k + 3, i, frame);
            _mm256_storeu_ps((float *)columns->axis[k] + i, from);
            _mm256_storeu_ps((float *)columns->axis[k + 3] + i, to);
            __m256 half = _mm256_mul_ps(_mm256_sub_ps(to, from), half_one);
            __m256 middle = _mm256_mul_ps(_mm256_add_ps(to, from), half_one), size = _mm256_andnot_ps(sign, middle);
            finite = _mm256_and_ps(finite, _mm256_cmp_ps(size, _mm256_set1_ps(3e38f), _CMP_LE_OQ));
            middle = _mm256_min_ps(_mm256_max_ps(middle, zero), _mm256_set1_ps((float)grid->size[k]));
            __m256i at = _mm256_min_epi32(_mm256_cvttps_epi32(middle), _mm256_set1_epi32((int)grid->size[k] - 1));
            __m256 off = _mm256_sub_ps(middle, _mm256_add_ps(_mm256_cvtepi32_ps(at), half_one));
            half2 = _mm256_add_ps(half2, _mm256_mul_ps(half, half));
            off2 = _mm256_add_ps(off2, _mm256_mul_ps(off, off));
            cell = _mm256_add_epi32(cell, _mm256_mullo_epi32(at, _mm256_set1_epi32((int)stride)));
            stride *= grid->size[k];
        }
        __m256 needed = _mm256_add_ps(_mm256_add_ps(_mm256_sqrt_ps(half2), _mm256_sqrt_ps(off2)), slack);
        needed = _mm256_or_ps(needed, _mm256_and_ps(sign, _mm256_cmp_ps(half2, most_half2, _CMP_NLE_UQ)));
        _mm256_storeu_ps(needs + i, _mm256_blendv_ps(endless, needed, finite));
        _mm256_storeu_si256((__m256i *)(void *)(cells + i), cell);
        for (size_t k = i; k < i + 8; ++k) mote_prefetch(grid->distance + cells[k]);
    }
}

// Stores the numbers and ends of those of eight motions from i on that are in the mask. Overwrites what follows
// them.
MOTE_TARGET_AVX2 static inline void store_motions(const hits_columns *columns, size_t i, uint32_t mask, uint32_t *at,
                                                  float *const end[6])
{
    const __m256i order = mote_compress_lanes(mask);
    const __m256i numbers = _mm256_add_epi32(_mm256_set1_epi32((int)i), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    _mm256_storeu_si256((__m256i *)(void *)at, _mm256_permutevar8x32_epi32(numbers, order));
    for (int k = 0; k < 6; ++k) {
        const __m256 lanes = _mm256_loadu_ps((const float *)columns->axis[k] + i);
        _mm256_storeu_ps(end[k], _mm256_permutevar8x32_ps(lanes, order));
    }
}

MOTE_TARGET_AVX2 static void pick_avx2(const hits_grid *grid, const hits_columns *columns, double scale, float reach,
                                       hits_near_motions *near, hits_march *march)
{
    uint32_t cells[HITS_ROOM];
    float needs[HITS_ROOM];
    const frame_lanes frame = make_frame(grid, scale);
    if (columns->scalar == MOTE_F32 && is_float_enough(grid, scale))
        place(grid, columns, &frame, true, reach, cells, needs);
    else place(grid, columns, &frame, false, reach, cells, needs);
    const __m256 part = _mm256_set1_ps(1.0f / HITS_DISTANCE_PARTS), sign = _mm256_set1_ps(-0.0f);
    size_t short_count = 0, long_count = 0;
    for (size_t i = 0; i < columns->count; i += 8) {
        // The gather reads three bytes beyond the last cell's.
        const __m256i cell = _mm256_loadu_si256((const __m256i *)(const void *)(cells + i));
        const __m256i bytes = _mm256_i32gather_epi32((const int *)(const void *)grid->distance, cell, 1);
        const __m256 distance = _mm256_cvtepi32_ps(_mm256_and_si256(bytes, _mm256_set1_epi32(0xFF)));
        const __m256 need = _mm256_loadu_ps(needs + i), size = _mm256_andnot_ps(sign, need);
        const __m256 is_free = _mm256_cmp_ps(size, _mm256_mul_ps(distance, part), _CMP_LT_OQ);
        uint32_t mask = ~(uint32_t)_mm256_movemask_ps(is_free) & 0xFF;
        if (i + 8 > columns->count) mask &= (1u << (columns->count - i)) - 1;
        const uint32_t longs = mask & (uint32_t)_mm256_movemask_ps(need), shorts = mask & ~longs;
        if (shorts) {
            float *const end[6] = {near->end[0] + short_count, near->end[1] + short_count, near->end[2] + short_count,
                                   near->end[3] + short_count, near->end[4] + short_count, near->end[5] + short_count};
            store_motions(columns, i, shorts, near->at + short_count, end);
            short_count += mote_count_bits(shorts);
        }
        if (longs) {
            float *const end[6] = {march->from[0] + long_count, march->from[1] + long_count,
                                   march->from[2] + long_count, march->way[0] + long_count,
                                   march->way[1] + long_count,  march->way[2] + long_count};
            store_motions(columns, i, longs, march->at + long_count, end);
            long_count += mote_count_bits(longs);
        }
    }
    near->count = short_count;
    march->count = long_count;
}

const hits_motion_lanes mote_hits_motion_avx2 = {
    .unpack = unpack_avx2,
    .pick = pick_avx2,
    .begin_march = mote_hits_march_begin_avx2,
    .advance_march = mote_hits_march_advance_avx2,
    .find_cells = mote_hits_cells_find_avx2,
    .filter_cluster = mote_hits_filter_cluster_avx2,
    .filter_pairs = mote_hits_filter_pairs_avx2,
    .begin_stream = mote_hits_stream_begin_avx2,
    .step_stream = mote_hits_stream_step_avx2,
    .cast_tree = mote_hits_tree_cast_avx2,
    .meet_triangle = mote_hits_meet_triangle_avx2,
};

#endif
