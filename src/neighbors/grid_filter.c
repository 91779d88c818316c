// SPDX-License-Identifier: MIT
// The exact test of a point against a list of others.
//
// The position and the index of a listed point are in one record, which is read at once. The vector form turns eight
// records (four of doubles) into columns by shuffles, which is cheaper than gathering each column from memory.

#include "neighbors/grid_filter.h"

#include "base/compress.h"

static inline bool is_near_f32(const filter_list *list, uint32_t place)
{
    const float *at = list->points.f32[place].at;
    return mote_within(at[0] - (float)list->at[0], at[1] - (float)list->at[1], at[2] - (float)list->at[2],
                       (float)list->limit);
}

static inline bool is_near_f64(const filter_list *list, uint32_t place)
{
    const double *at = list->points.f64[place].at;
    double dx = at[0] - list->at[0], dy = at[1] - list->at[1], dz = at[2] - list->at[2];
    return (dx * dx + dy * dy) + dz * dz <= list->limit;
}

size_t mote_filter_plain(const filter_list *list, bool wants_places, uint32_t *row)
{
    const placed_points points = list->points;
    size_t count = 0;
    for (uint32_t n = 0; n < list->count; ++n) {
        const uint32_t place = list->places[n];
        const uint32_t index = points.f64 ? (uint32_t)points.f64[place].index : points.f32[place].index;
        row[count] = wants_places ? place : index;
        count += points.f64 ? is_near_f64(list, place) : is_near_f32(list, place);
    }
    return count;
}

#if MOTE_HAVE_AVX2

enum { LANES = 8, LANES_F64 = 4 };

// Loads the places from n on, with place 0 after the last.
MOTE_TARGET_AVX2 static inline __m256i load_places(const filter_list *list, uint32_t n, uint32_t lanes[LANES])
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i is_inside = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)MOTE_MIN(list->count - n, LANES)), lane);
    __m256i places = _mm256_maskload_epi32((const int *)(const void *)(list->places + n), is_inside);
    _mm256_store_si256((__m256i *)(void *)lanes, places);
    return places;
}

MOTE_TARGET_AVX2 static inline uint32_t *put_hits(__m256i tags, uint32_t hits, uint32_t *out)
{
    __m128i order = _mm_loadl_epi64((const __m128i *)(const void *)(mote_compress_places + hits));
    _mm256_storeu_si256((__m256i *)(void *)out, _mm256_permutevar8x32_epi32(tags, _mm256_cvtepu8_epi32(order)));
    return out + _mm_popcnt_u32(hits);
}

// Loads the records of two places side by side.
MOTE_TARGET_AVX2 static inline __m256 load_two(const placed_point *points, uint32_t a, uint32_t b)
{
    __m256 low = _mm256_castps128_ps256(_mm_loadu_ps(points[a].at));
    return _mm256_insertf128_ps(low, _mm_loadu_ps(points[b].at), 1);
}

MOTE_TARGET_AVX2 static size_t filter_f32(const filter_list *list, bool wants_places, uint32_t *row)
{
    const placed_point *points = list->points.f32;
    const __m256 x = _mm256_set1_ps((float)list->at[0]), y = _mm256_set1_ps((float)list->at[1]);
    const __m256 z = _mm256_set1_ps((float)list->at[2]), limit = _mm256_set1_ps((float)list->limit);
    uint32_t *out = row;
    for (uint32_t n = 0; n < list->count; n += LANES) {
        _Alignas(32) uint32_t p[LANES];
        const __m256i places = load_places(list, n, p);
        const __m256 a = load_two(points, p[0], p[4]), b = load_two(points, p[1], p[5]);
        const __m256 c = load_two(points, p[2], p[6]), d = load_two(points, p[3], p[7]);
        const __m256 ab = _mm256_unpacklo_ps(a, b), cd = _mm256_unpacklo_ps(c, d);
        const __m256 ab_high = _mm256_unpackhi_ps(a, b), cd_high = _mm256_unpackhi_ps(c, d);
        const __m256 dx = _mm256_sub_ps(_mm256_shuffle_ps(ab, cd, 0x44), x);
        const __m256 dy = _mm256_sub_ps(_mm256_shuffle_ps(ab, cd, 0xEE), y);
        const __m256 dz = _mm256_sub_ps(_mm256_shuffle_ps(ab_high, cd_high, 0x44), z);
        const __m256i index = _mm256_castps_si256(_mm256_shuffle_ps(ab_high, cd_high, 0xEE));
        const __m256 squared = _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy)),
                                             _mm256_mul_ps(dz, dz));
        uint32_t hits = (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(squared, limit, _CMP_LE_OQ));
        hits = _bzhi_u32(hits, MOTE_MIN(list->count - n, (uint32_t)LANES));
        out = put_hits(wants_places ? places : index, hits, out);
    }
    return (size_t)(out - row);
}

// Tests four of eight places at a time and combines the low halves of their indices.
MOTE_TARGET_AVX2 static inline uint32_t hits_f64(const filter_list *list, const uint32_t p[LANES_F64], __m128i *index)
{
    const placed_point_f64 *points = list->points.f64;
    const __m256d a = _mm256_loadu_pd(points[p[0]].at), b = _mm256_loadu_pd(points[p[1]].at);
    const __m256d c = _mm256_loadu_pd(points[p[2]].at), d = _mm256_loadu_pd(points[p[3]].at);
    const __m256d xz_ab = _mm256_unpacklo_pd(a, b), xz_cd = _mm256_unpacklo_pd(c, d);
    const __m256d yi_ab = _mm256_unpackhi_pd(a, b), yi_cd = _mm256_unpackhi_pd(c, d);
    const __m256d dx = _mm256_sub_pd(_mm256_permute2f128_pd(xz_ab, xz_cd, 0x20), _mm256_set1_pd(list->at[0]));
    const __m256d dy = _mm256_sub_pd(_mm256_permute2f128_pd(yi_ab, yi_cd, 0x20), _mm256_set1_pd(list->at[1]));
    const __m256d dz = _mm256_sub_pd(_mm256_permute2f128_pd(xz_ab, xz_cd, 0x31), _mm256_set1_pd(list->at[2]));
    const __m256i wide = _mm256_castpd_si256(_mm256_permute2f128_pd(yi_ab, yi_cd, 0x31));
    const __m256i halves = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    *index = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(wide, halves));
    const __m256d squared = _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(dx, dx), _mm256_mul_pd(dy, dy)),
                                          _mm256_mul_pd(dz, dz));
    return (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(squared, _mm256_set1_pd(list->limit), _CMP_LE_OQ));
}

MOTE_TARGET_AVX2 static size_t filter_f64(const filter_list *list, bool wants_places, uint32_t *row)
{
    uint32_t *out = row;
    for (uint32_t n = 0; n < list->count; n += LANES) {
        _Alignas(32) uint32_t p[LANES];
        const __m256i places = load_places(list, n, p);
        __m128i low, high;
        uint32_t hits = hits_f64(list, p, &low);
        hits |= hits_f64(list, p + LANES_F64, &high) << LANES_F64;
        hits = _bzhi_u32(hits, MOTE_MIN(list->count - n, (uint32_t)LANES));
        out = put_hits(wants_places ? places : _mm256_set_m128i(high, low), hits, out);
    }
    return (size_t)(out - row);
}

size_t mote_filter_avx2(const filter_list *list, bool wants_places, uint32_t *row)
{
    return (list->points.f64 ? filter_f64 : filter_f32)(list, wants_places, row);
}

#endif
