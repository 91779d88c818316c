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

typedef struct lanes3 {
    __m256 x, y, z;
} lanes3;

MOTE_TARGET_AVX2 static inline __m256 coordinate(const int16_t corner[FIRST_LANES], float from)
{
    const __m256i whole = _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)corner));
    return _mm256_sub_ps(_mm256_cvtepi32_ps(whole), _mm256_set1_ps(from));
}

MOTE_TARGET_AVX2 static inline lanes3 corner_lanes(const first_cluster *cluster, int v, const float from[3])
{
    const int16_t(*corner)[FIRST_LANES] = cluster->corner + 3 * v;
    const lanes3 at = {coordinate(corner[0], from[0]), coordinate(corner[1], from[1]), coordinate(corner[2], from[2])};
    return at;
}

MOTE_TARGET_AVX2 static inline lanes3 between(lanes3 a, lanes3 b)
{
    const lanes3 d = {_mm256_sub_ps(b.x, a.x), _mm256_sub_ps(b.y, a.y), _mm256_sub_ps(b.z, a.z)};
    return d;
}

MOTE_TARGET_AVX2 static inline lanes3 cross(lanes3 a, lanes3 b)
{
    const lanes3 c = {_mm256_sub_ps(_mm256_mul_ps(a.y, b.z), _mm256_mul_ps(a.z, b.y)),
                      _mm256_sub_ps(_mm256_mul_ps(a.z, b.x), _mm256_mul_ps(a.x, b.z)),
                      _mm256_sub_ps(_mm256_mul_ps(a.x, b.y), _mm256_mul_ps(a.y, b.x))};
    return c;
}

MOTE_TARGET_AVX2 static inline __m256 dot(lanes3 a, lanes3 b)
{
    return _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(a.x, b.x), _mm256_mul_ps(a.y, b.y)), _mm256_mul_ps(a.z, b.z));
}

MOTE_TARGET_AVX2 static inline lanes3 choose(lanes3 a, lanes3 b, __m256 which)
{
    const lanes3 c = {_mm256_blendv_ps(a.x, b.x, which), _mm256_blendv_ps(a.y, b.y, which),
                      _mm256_blendv_ps(a.z, b.z, which)};
    return c;
}

// The point of an edge that is closest to 0.
MOTE_TARGET_AVX2 static inline lanes3 foot_on(lanes3 a, lanes3 b)
{
    const lanes3 way = between(a, b);
    __m256 t = _mm256_div_ps(dot(a, way), dot(way, way));
    t = _mm256_max_ps(_mm256_min_ps(t, _mm256_setzero_ps()), _mm256_set1_ps(-1));
    const lanes3 foot = {_mm256_sub_ps(a.x, _mm256_mul_ps(t, way.x)), _mm256_sub_ps(a.y, _mm256_mul_ps(t, way.y)),
                         _mm256_sub_ps(a.z, _mm256_mul_ps(t, way.z))};
    return foot;
}

// No corner is nearer along a direction than the nearest of them, nor is what lies between: whatever the direction,
// this is a lower bound. The direction to the closest point makes it the distance; where rounding spoils the direction
// of a sliver, the bound is only less than it could be. What is not a number becomes 0.
MOTE_TARGET_AVX2 static uint32_t near_triangles_avx2(const first_cluster *cluster, const float at[3], float bound,
                                                     float squared[FIRST_FAN])
{
    const lanes3 a = corner_lanes(cluster, 0, at), b = corner_lanes(cluster, 1, at), c = corner_lanes(cluster, 2, at);
    const __m256 zero = _mm256_setzero_ps();
    lanes3 way = foot_on(a, b), foot = foot_on(b, c);
    way = choose(way, foot, _mm256_cmp_ps(dot(foot, foot), dot(way, way), _CMP_LT_OQ));
    foot = foot_on(c, a);
    way = choose(way, foot, _mm256_cmp_ps(dot(foot, foot), dot(way, way), _CMP_LT_OQ));
    const lanes3 normal = cross(between(a, b), between(a, c));
    const __m256 least = _mm256_min_ps(dot(normal, cross(a, b)),
                                       _mm256_min_ps(dot(normal, cross(b, c)), dot(normal, cross(c, a))));
    const __m256 sign = _mm256_and_ps(dot(normal, a), _mm256_set1_ps(-0.0f));
    const lanes3 towards = {_mm256_xor_ps(normal.x, sign), _mm256_xor_ps(normal.y, sign),
                            _mm256_xor_ps(normal.z, sign)};
    way = choose(way, towards, _mm256_cmp_ps(least, zero, _CMP_GT_OQ));
    const __m256 along = _mm256_max_ps(_mm256_min_ps(dot(way, a), _mm256_min_ps(dot(way, b), dot(way, c))), zero);
    const __m256 sum = _mm256_max_ps(_mm256_mul_ps(along, _mm256_div_ps(along, dot(way, way))), zero);
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
