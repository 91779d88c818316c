// SPDX-License-Identifier: MIT
// The innermost loops of the closest point: distances of eight boxes, or of eight triangles, from one point.

#include "hits/closest.h"

// ----------------------------------------------------------------------------------------------------- plain form

static float apart_squared(float low, float high, float at)
{
    const float below = low - at, above = at - high, apart = below > above ? below : above;
    return apart > 0 ? apart * apart : 0;
}

static uint32_t bits_within(const float squared[HITS_FAN], float bound)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < HITS_FAN; ++i) bits |= (uint32_t)(squared[i] <= bound) << i;
    return bits;
}

static uint32_t near_boxes_plain(const hits_tree_node *node, const float at[3], float bound, float squared[HITS_FAN])
{
    for (int i = 0; i < HITS_FAN; ++i)
        squared[i] = apart_squared(node->plane[0][i], node->plane[3][i], at[0]) +
                     apart_squared(node->plane[1][i], node->plane[4][i], at[1]) +
                     apart_squared(node->plane[2][i], node->plane[5][i], at[2]);
    return bits_within(squared, bound);
}

typedef struct lane3 {
    float x, y, z;
} lane3;

static inline lane3 corner_plain(const hits_cluster *cluster, int v, int lane, const float from[3])
{
    const int16_t(*corner)[HITS_LANES] = cluster->corner + 3 * v;
    const lane3 at = {(float)corner[0][lane] - from[0], (float)corner[1][lane] - from[1],
                      (float)corner[2][lane] - from[2]};
    return at;
}

static inline lane3 between_plain(lane3 a, lane3 b)
{
    const lane3 d = {b.x - a.x, b.y - a.y, b.z - a.z};
    return d;
}

static inline lane3 cross_plain(lane3 a, lane3 b)
{
    const lane3 c = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return c;
}

static inline float dot_plain(lane3 a, lane3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline float least_plain(float a, float b, float c)
{
    const float least = b < c ? b : c;
    return a < least ? a : least;
}

static inline lane3 foot_plain(lane3 a, lane3 b)
{
    const lane3 way = between_plain(a, b);
    float t = dot_plain(a, way) / dot_plain(way, way);
    t = t < 0 ? t : 0;
    t = t > -1 ? t : -1;
    const lane3 foot = {a.x - t * way.x, a.y - t * way.y, a.z - t * way.z};
    return foot;
}

// The same as the vector form below, to the last bit.
static float bound_plain(lane3 a, lane3 b, lane3 c)
{
    lane3 way = foot_plain(a, b), foot = foot_plain(b, c);
    if (dot_plain(foot, foot) < dot_plain(way, way)) way = foot;
    foot = foot_plain(c, a);
    if (dot_plain(foot, foot) < dot_plain(way, way)) way = foot;
    float along = least_plain(dot_plain(way, a), dot_plain(way, b), dot_plain(way, c));
    along = along > 0 ? along : 0;
    float squared = along * (along / dot_plain(way, way));
    squared = squared > 0 ? squared : 0;
    const lane3 normal = cross_plain(between_plain(a, b), between_plain(a, c));
    const float at_a = dot_plain(normal, a), at_b = dot_plain(normal, b), at_c = dot_plain(normal, c);
    const float above = least_plain(at_a, at_b, at_c), below = least_plain(-at_a, -at_b, -at_c);
    float height = above > below ? above : below;
    height = height > 0 ? height : 0;
    const float from_plane = height * (height / dot_plain(normal, normal));
    return from_plane > squared ? from_plane : squared;
}

static uint32_t near_triangles_plain(const hits_cluster *cluster, const float at[3], float bound,
                                     float squared[HITS_FAN])
{
    for (int i = 0; i < HITS_FAN; ++i)
        squared[i] = bound_plain(corner_plain(cluster, 0, i, at), corner_plain(cluster, 1, i, at),
                                 corner_plain(cluster, 2, i, at));
    return bits_within(squared, bound);
}

const hits_closest_lanes mote_hits_closest_plain = {near_boxes_plain, near_triangles_plain,
                                                    mote_hits_winding_add_far_plain, mote_hits_winding_add_near_plain};

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

MOTE_TARGET_AVX2 static uint32_t near_boxes_avx2(const hits_tree_node *node, const float at[3], float bound,
                                                 float squared[HITS_FAN])
{
    __m256 sum = _mm256_setzero_ps();
    for (int k = 0; k < 3; ++k) {
        const __m256 low = _mm256_loadu_ps(node->plane[k]), high = _mm256_loadu_ps(node->plane[k + 3]);
        sum = _mm256_add_ps(sum, apart_lanes(low, high, at[k]));
    }
    _mm256_storeu_ps(squared, sum);
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(sum, _mm256_set1_ps(bound), _CMP_LE_OQ));
}

typedef struct lanes3 {
    __m256 x, y, z;
} lanes3;

MOTE_TARGET_AVX2 static inline __m256 coordinate(const int16_t corner[HITS_LANES], float from)
{
    const __m256i whole = _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)corner));
    return _mm256_sub_ps(_mm256_cvtepi32_ps(whole), _mm256_set1_ps(from));
}

MOTE_TARGET_AVX2 static inline lanes3 corner_lanes(const hits_cluster *cluster, int v, const float from[3])
{
    const int16_t(*corner)[HITS_LANES] = cluster->corner + 3 * v;
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

MOTE_TARGET_AVX2 static inline __m256 least_of(__m256 a, __m256 b, __m256 c)
{
    return _mm256_min_ps(a, _mm256_min_ps(b, c));
}

// Along any direction no point of the triangle is nearer than the nearest corner, which gives a lower bound. The
// distance is the larger of two such bounds: that along the plane's normal if the closest point lies inside,
// otherwise that towards the closest point of the edges. The latter also holds where rounding spoils a sliver's
// normal. NaN becomes 0.
MOTE_TARGET_AVX2 static uint32_t near_triangles_avx2(const hits_cluster *cluster, const float at[3], float bound,
                                                     float squared[HITS_FAN])
{
    const lanes3 a = corner_lanes(cluster, 0, at), b = corner_lanes(cluster, 1, at), c = corner_lanes(cluster, 2, at);
    const __m256 zero = _mm256_setzero_ps(), sign = _mm256_set1_ps(-0.0f);
    lanes3 way = foot_on(a, b), foot = foot_on(b, c);
    way = choose(way, foot, _mm256_cmp_ps(dot(foot, foot), dot(way, way), _CMP_LT_OQ));
    foot = foot_on(c, a);
    way = choose(way, foot, _mm256_cmp_ps(dot(foot, foot), dot(way, way), _CMP_LT_OQ));
    const __m256 along = _mm256_max_ps(least_of(dot(way, a), dot(way, b), dot(way, c)), zero);
    const __m256 edges = _mm256_max_ps(_mm256_mul_ps(along, _mm256_div_ps(along, dot(way, way))), zero);
    const lanes3 normal = cross(between(a, b), between(a, c));
    const __m256 at_a = dot(normal, a), at_b = dot(normal, b), at_c = dot(normal, c);
    const __m256 above = least_of(at_a, at_b, at_c);
    const __m256 below = least_of(_mm256_xor_ps(at_a, sign), _mm256_xor_ps(at_b, sign), _mm256_xor_ps(at_c, sign));
    const __m256 height = _mm256_max_ps(_mm256_max_ps(above, below), zero);
    const __m256 plane = _mm256_mul_ps(height, _mm256_div_ps(height, dot(normal, normal)));
    const __m256 sum = _mm256_max_ps(plane, edges);
    _mm256_storeu_ps(squared, sum);
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(sum, _mm256_set1_ps(bound), _CMP_LE_OQ));
}

const hits_closest_lanes mote_hits_closest_avx2 = {near_boxes_avx2, near_triangles_avx2, mote_hits_winding_add_far_avx2,
                                                   mote_hits_winding_add_near_avx2};

#endif
