// The innermost loops of the closest point: eight boxes, or eight triangles, against one point.

#include "hits/first_closest.h"

// ----------------------------------------------------------------------------------------------------- plain form

static float apart_squared(float low, float high, float at)
{
    const float below = low - at, above = at - high, apart = below > above ? below : above;
    return apart > 0 ? apart * apart : 0;
}

static uint32_t bits_within(const float squared[FIRST_FAN], float bound)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < FIRST_FAN; ++i) bits |= (uint32_t)(squared[i] <= bound) << i;
    return bits;
}

static uint32_t near_boxes_plain(const first_boxes *boxes, const float at[3], float bound, float squared[FIRST_FAN])
{
    for (int i = 0; i < FIRST_FAN; ++i)
        squared[i] = apart_squared(boxes->low[0][i], boxes->high[0][i], at[0]) +
                     apart_squared(boxes->low[1][i], boxes->high[1][i], at[1]) +
                     apart_squared(boxes->low[2][i], boxes->high[2][i], at[2]);
    return bits_within(squared, bound);
}

static uint32_t near_triangles_plain(const first_cluster *cluster, const float at[3], float bound,
                                     float squared[FIRST_FAN])
{
    for (int i = 0; i < FIRST_FAN; ++i) {
        squared[i] = 0;
        for (int k = 0; k < 3; ++k) {
            const int16_t a = cluster->corner[k][i], b = cluster->corner[3 + k][i], c = cluster->corner[6 + k][i];
            const int16_t low = MOTE_MIN(a, MOTE_MIN(b, c)), high = MOTE_MAX(a, MOTE_MAX(b, c));
            squared[i] += apart_squared((float)low, (float)high, at[k]);
        }
    }
    return bits_within(squared, bound);
}

const first_closest_functions mote_first_closest_plain = {near_boxes_plain, near_triangles_plain};

// ------------------------------------------------------------------------------------------------------ AVX2 form

#if MOTE_HAVE_AVX2

#include <immintrin.h>

MOTE_TARGET_AVX2 static inline __m256 apart_lanes(__m256 low, __m256 high, float at)
{
    const __m256 place = _mm256_set1_ps(at);
    const __m256 apart = _mm256_max_ps(_mm256_sub_ps(low, place), _mm256_sub_ps(place, high));
    const __m256 beyond = _mm256_max_ps(apart, _mm256_setzero_ps());
    return _mm256_mul_ps(beyond, beyond);
}

MOTE_TARGET_AVX2 static uint32_t near_boxes_avx2(const first_boxes *boxes, const float at[3], float bound,
                                                 float squared[FIRST_FAN])
{
    __m256 sum = _mm256_setzero_ps();
    for (int k = 0; k < 3; ++k)
        sum = _mm256_add_ps(sum, apart_lanes(_mm256_loadu_ps(boxes->low[k]), _mm256_loadu_ps(boxes->high[k]), at[k]));
    _mm256_storeu_ps(squared, sum);
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(sum, _mm256_set1_ps(bound), _CMP_LE_OQ));
}

MOTE_TARGET_AVX2 static inline __m256 widen(__m128i whole)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(whole));
}

MOTE_TARGET_AVX2 static uint32_t near_triangles_avx2(const first_cluster *cluster, const float at[3], float bound,
                                                     float squared[FIRST_FAN])
{
    __m256 sum = _mm256_setzero_ps();
    for (int k = 0; k < 3; ++k) {
        const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)cluster->corner[k]),
                      b = _mm_loadu_si128((const __m128i *)(const void *)cluster->corner[3 + k]),
                      c = _mm_loadu_si128((const __m128i *)(const void *)cluster->corner[6 + k]);
        const __m256 low = widen(_mm_min_epi16(a, _mm_min_epi16(b, c))),
                     high = widen(_mm_max_epi16(a, _mm_max_epi16(b, c)));
        sum = _mm256_add_ps(sum, apart_lanes(low, high, at[k]));
    }
    _mm256_storeu_ps(squared, sum);
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(sum, _mm256_set1_ps(bound), _CMP_LE_OQ));
}

static const first_closest_functions functions_avx2 = {near_boxes_avx2, near_triangles_avx2};

#endif

const first_closest_functions *mote_first_closest_choose(void)
{
#if MOTE_HAVE_AVX2
    if (mote_cpu_has_avx2()) return &functions_avx2;
#endif
    return &mote_first_closest_plain;
}
