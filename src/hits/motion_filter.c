// SPDX-License-Identifier: MIT
// Finds which triangles of a cluster a motion may hit: eight at a time, in float.
//
// Corners are sheared along the motion's longest axis, so that its line becomes that axis (Woop, Benthin & Wald
// 2013). Then the signs of three areas show on which sides of a triangle's edges the line passes. The sum of the
// corners' z, weighted by these areas, shows where it crosses the triangle. Corners are rounded to quanta, so signs
// count only if they exceed an error bound. The bound is the same for all clusters, because lines beyond a cluster's
// reach are ruled out first.

#include "base/wide_compress.h"
#include "hits/motion_lanes.h"

// No sheared corner is farther from the cluster's origin than 2·HITS_QUANTA plus rounding errors; a line that is
// farther away misses the cluster. So corners are at most twice as far from the line: FARTHEST.
#define PASSES_BY 66000.0
#define FARTHEST 131600.0
// A sheared corner is wrong by at most slightly more than a quantum along each axis, and each of an area's two
// products by twice that times FARTHEST.
#define AREA_ERROR (4.5 * FARTHEST)
// The same if the start is wrong by a quantum.
#define BLUR_ERROR (9 * FARTHEST)
// Crossings are compared as z times area. The bound is the areas' errors times the sum of z of the corners and of
// the ends, and the same again where the sign of the areas' sum is uncertain.
#define CROSSING_ERROR 0x1p19f
// No corner has a larger |z|; ends are clipped to slightly more.
#define HEIGHT 32800.0
#define MOST_HEIGHT 40000.0
// Beyond this distance [quanta] doubles do not resolve parts of quanta. A larger blur makes the test useless.
#define TOO_FAR 0x1p40
#define TOO_BLURRED 16.0

enum { PASSED_BY, LOOKED_AT, NOT_TOLD };

// A motion relative to a cluster, in its quanta.
typedef struct look {
    float shear[2], offset[2];
    float low, high;  // range of its z
    float error;
} look;

// The result also tells whether the motion passes by the cluster, or cannot be tested.
MOTE_INLINE int look_at(const hits_cluster *cluster, const hits_sheared_ray *sheared, look *made)
{
    const double per_length = (double)cluster->per_length, blur = sheared->blur * per_length;
    const double x = (sheared->from[0] - cluster->origin[sheared->axis[0]]) * per_length;
    const double y = (sheared->from[1] - cluster->origin[sheared->axis[1]]) * per_length;
    const double z = (sheared->from[2] - cluster->origin[sheared->axis[2]]) * per_length;
    const double end = z + sheared->way * per_length;
    if (!((fabs(x) + fabs(y)) + fabs(z) < TOO_FAR) || !(blur < TOO_BLURRED)) return NOT_TOLD;
    const double across[2] = {x - sheared->shear[0] * z, y - sheared->shear[1] * z};
    double low = MOTE_MIN(z, end), high = MOTE_MAX(z, end);
    if ((MOTE_MAX(fabs(across[0]), fabs(across[1])) > PASSES_BY) | (low > HEIGHT) | (high < -HEIGHT)) return PASSED_BY;
    for (int k = 0; k < 2; ++k) {
        made->shear[k] = (float)sheared->shear[k];
        made->offset[k] = (float)across[k];
    }
    low = MOTE_MAX(low, -MOST_HEIGHT) - 1 - blur;
    high = MOTE_MIN(high, MOST_HEIGHT) + 1 + blur;
    made->low = (float)low;
    made->high = (float)high;
    made->error = (float)(AREA_ERROR * 1.1 + BLUR_ERROR * blur);
    return LOOKED_AT;
}

// ------------------------------------------------------------------------------------------------------- scalar

static bool misses(const float x[3], const float y[3], const float z[3], const look *from)
{
    const float u = x[2] * y[1] - y[2] * x[1], v = x[0] * y[2] - y[0] * x[2], w = x[1] * y[0] - y[1] * x[0];
    float area = (u + v) + w, height = (u * z[0] + v * z[1]) + w * z[2];
    const float least = fminf(u, fminf(v, w)), most = fmaxf(u, fmaxf(v, w)), error = from->error * CROSSING_ERROR;
    if (area < 0) area = -area, height = -height;
    return (-least > from->error && most > from->error) || height < area * from->low - error ||
           height > area * from->high + error;
}

uint32_t mote_hits_filter_cluster_plain(const hits_cluster *cluster, const hits_sheared_ray *sheared)
{
    look from;
    const int known = look_at(cluster, sheared, &from);
    if (known != LOOKED_AT) return known == PASSED_BY ? 0 : 0xFF;
    uint32_t mask = 0;
    for (uint32_t lane = 0; lane < HITS_LANES; ++lane) {
        float x[3], y[3], z[3];
        for (int v = 0; v < 3; ++v) {
            z[v] = (float)cluster->corner[3 * v + sheared->axis[2]][lane];
            x[v] = ((float)cluster->corner[3 * v + sheared->axis[0]][lane] - from.shear[0] * z[v]) - from.offset[0];
            y[v] = ((float)cluster->corner[3 * v + sheared->axis[1]][lane] - from.shear[1] * z[v]) - from.offset[1];
        }
        mask |= (uint32_t)!misses(x, y, z, &from) << lane;
    }
    return mask;
}

typedef uint32_t filter_function(const hits_cluster *cluster, const hits_sheared_ray *sheared);

MOTE_INLINE size_t filter(const mote_hits *hits, const hits_sheared_ray *rays, const uint64_t *pairs, size_t count,
                          filter_function *filter_one, uint64_t *triangles)
{
    enum { AHEAD = 8 };
    size_t found = 0;
    for (size_t i = 0; i < count; ++i) {
        if (i + AHEAD < count) {
            const hits_cluster *ahead = &hits->clusters[(uint32_t)pairs[i + AHEAD]];
            mote_prefetch(ahead);
            mote_prefetch((const char *)ahead + 64);
            mote_prefetch((const char *)ahead + 128);
            mote_prefetch((const char *)(ahead + 1) - 1);
        }
        const uint32_t cluster = (uint32_t)pairs[i];
        const hits_sheared_ray *sheared = &rays[pairs[i] >> 32];
        const uint64_t number = (uint64_t)sheared->ray << 32 | cluster * HITS_LANES;
        uint32_t lanes = filter_one(&hits->clusters[cluster], sheared) & mote_hits_cluster_lanes(hits, cluster);
        for (; lanes; lanes &= lanes - 1)
            triangles[found++] = number | mote_lowest_bit(lanes);
    }
    return found;
}

size_t mote_hits_filter_pairs_plain(const mote_hits *hits, const hits_sheared_ray *rays, const uint64_t *pairs,
                                    size_t count, uint64_t *triangles)
{
    return filter(hits, rays, pairs, count, mote_hits_filter_cluster_plain, triangles);
}

// --------------------------------------------------------------------------------------------------------- AVX2

#if MOTE_HAVE_AVX2

typedef struct lanes3 {
    __m256 x, y, z;
} lanes3;

MOTE_TARGET_AVX2 static inline __m256 row_lanes(const int16_t row[HITS_LANES])
{
    return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)row)));
}

MOTE_TARGET_AVX2 static inline lanes3 sheared_corner(const int16_t (*corner)[HITS_LANES], const uint8_t axis[3],
                                                     const look *from)
{
    const __m256 x = row_lanes(corner[axis[0]]), y = row_lanes(corner[axis[1]]), z = row_lanes(corner[axis[2]]);
    const __m256 x_shift = _mm256_mul_ps(_mm256_set1_ps(from->shear[0]), z);
    const __m256 y_shift = _mm256_mul_ps(_mm256_set1_ps(from->shear[1]), z);
    const lanes3 made = {_mm256_sub_ps(_mm256_sub_ps(x, x_shift), _mm256_set1_ps(from->offset[0])),
                         _mm256_sub_ps(_mm256_sub_ps(y, y_shift), _mm256_set1_ps(from->offset[1])), z};
    return made;
}

// Twice the area of the triangle between the line and an edge.
MOTE_TARGET_AVX2 static inline __m256 area_lanes(lanes3 a, lanes3 b)
{
    return _mm256_sub_ps(_mm256_mul_ps(a.x, b.y), _mm256_mul_ps(a.y, b.x));
}

MOTE_TARGET_AVX2 static inline uint32_t may_meet_avx2(const hits_cluster *cluster, const hits_sheared_ray *sheared)
{
    look from;
    const int known = look_at(cluster, sheared, &from);
    if (known != LOOKED_AT) return known == PASSED_BY ? 0 : 0xFF;
    const lanes3 a = sheared_corner(cluster->corner, sheared->axis, &from);
    const lanes3 b = sheared_corner(cluster->corner + 3, sheared->axis, &from);
    const lanes3 c = sheared_corner(cluster->corner + 6, sheared->axis, &from);
    const __m256 u = area_lanes(c, b), v = area_lanes(a, c), w = area_lanes(b, a);
    const __m256 minus = _mm256_set1_ps(-0.0f), error = _mm256_set1_ps(from.error);
    const __m256 least = _mm256_min_ps(u, _mm256_min_ps(v, w)), most = _mm256_max_ps(u, _mm256_max_ps(v, w));
    __m256 area = _mm256_add_ps(_mm256_add_ps(u, v), w), height = _mm256_mul_ps(u, a.z);
    height = _mm256_add_ps(_mm256_add_ps(height, _mm256_mul_ps(v, b.z)), _mm256_mul_ps(w, c.z));
    const __m256 sign = _mm256_and_ps(area, minus), slack = _mm256_set1_ps(from.error * CROSSING_ERROR);
    area = _mm256_xor_ps(area, sign);
    height = _mm256_xor_ps(height, sign);
    const __m256 low = _mm256_sub_ps(_mm256_mul_ps(area, _mm256_set1_ps(from.low)), slack);
    const __m256 high = _mm256_add_ps(_mm256_mul_ps(area, _mm256_set1_ps(from.high)), slack);
    __m256 misses = _mm256_cmp_ps(_mm256_min_ps(_mm256_xor_ps(least, minus), most), error, _CMP_GT_OQ);
    misses = _mm256_or_ps(misses, _mm256_cmp_ps(height, low, _CMP_LT_OQ));
    misses = _mm256_or_ps(misses, _mm256_cmp_ps(height, high, _CMP_GT_OQ));
    return ~(uint32_t)_mm256_movemask_ps(misses) & 0xFF;
}

MOTE_TARGET_AVX2 uint32_t mote_hits_filter_cluster_avx2(const hits_cluster *cluster, const hits_sheared_ray *sheared)
{
    return may_meet_avx2(cluster, sheared);
}

MOTE_TARGET_AVX2 size_t mote_hits_filter_pairs_avx2(const mote_hits *hits, const hits_sheared_ray *rays,
                                                    const uint64_t *pairs, size_t count, uint64_t *triangles)
{
    return filter(hits, rays, pairs, count, may_meet_avx2, triangles);
}

#endif
