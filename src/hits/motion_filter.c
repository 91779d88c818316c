// SPDX-License-Identifier: MIT
// Finds which triangles of a cluster a motion may hit: WIDE at a time, in float.
//
// Corners are sheared along the motion's longest axis, so that its line becomes that axis (Woop, Benthin & Wald
// 2013). Then the signs of three areas show on which sides of a triangle's edges the line passes. The sum of the
// corners' z, weighted by these areas, shows where it crosses the triangle. Corners are rounded to quanta, so signs
// count only if they exceed an error bound. The bound is the same for all clusters, because lines beyond a cluster's
// reach are ruled out first.

#include "base/wide.h"
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
static inline int look_at(const hits_cluster *cluster, const hits_sheared_ray *sheared, look *made)
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

// ----------------------------------------------------------------------------------------------------- triangles

// Corners in the axes of the motion, whose line is the third axis.
static inline wide_vec sheared_corners(const int16_t (*corner)[HITS_LANES], uint32_t lane, const uint8_t axis[3],
                                       const look *from)
{
    const wide_f32 z = wide_load_i16(corner[axis[2]] + lane);
    return (wide_vec){(wide_load_i16(corner[axis[0]] + lane) - from->shear[0] * z) - from->offset[0],
                      (wide_load_i16(corner[axis[1]] + lane) - from->shear[1] * z) - from->offset[1], z};
}

// Twice the areas of the triangles between the line and an edge.
static inline wide_f32 areas_beside(wide_vec a, wide_vec b)
{
    return a.x * b.y - a.y * b.x;
}

static inline wide_mask misses(wide_vec a, wide_vec b, wide_vec c, const look *from)
{
    const wide_f32 u = areas_beside(c, b), v = areas_beside(a, c), w = areas_beside(b, a);
    const wide_f32 least = wide_lesser(u, wide_lesser(v, w)), most = wide_greater(u, wide_greater(v, w));
    const wide_f32 sum = (u + v) + w;
    const wide_f32 along = (u * a.z + v * b.z) + w * c.z, area = wide_abs(sum);
    const wide_f32 height = wide_select(wide_less(sum, wide_all(0)), -along, along);
    const float slack = from->error * CROSSING_ERROR;
    const wide_mask is_beside = wide_less(wide_all(from->error), wide_lesser(-least, most));
    return wide_either(is_beside, wide_either(wide_less(height, area * from->low - slack),
                                              wide_less(area * from->high + slack, height)));
}

static inline uint32_t filter_triangles(const hits_cluster *cluster, const hits_sheared_ray *sheared)
{
    look from;
    const int known = look_at(cluster, sheared, &from);
    if (known != LOOKED_AT) return known == PASSED_BY ? 0 : 0xFF;
    uint32_t missed = 0;
    for (uint32_t i = 0; i < HITS_LANES; i += WIDE) {
        const wide_vec a = sheared_corners(cluster->corner, i, sheared->axis, &from);
        const wide_vec b = sheared_corners(cluster->corner + 3, i, sheared->axis, &from);
        const wide_vec c = sheared_corners(cluster->corner + 6, i, sheared->axis, &from);
        missed |= wide_bits(misses(a, b, c, &from)) << i;
    }
    return ~missed & 0xFF;
}

uint32_t WIDE_NAME(mote_hits_filter_cluster)(const hits_cluster *cluster, const hits_sheared_ray *sheared)
{
    return filter_triangles(cluster, sheared);
}

size_t WIDE_NAME(mote_hits_filter_pairs)(const mote_hits *hits, const hits_sheared_ray *rays, const uint64_t *pairs,
                                         size_t count, uint64_t *triangles)
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
        uint32_t lanes = filter_triangles(&hits->clusters[cluster], sheared) & mote_hits_cluster_lanes(hits, cluster);
        for (; lanes; lanes &= lanes - 1)
            triangles[found++] = number | mote_lowest_bit(lanes);
    }
    return found;
}
