// SPDX-License-Identifier: MIT
// The innermost loops of the closest point: distances of eight boxes, or of eight triangles, from one point.

#include "base/wide.h"
#include "hits/closest.h"

_Static_assert(HITS_FAN % WIDE == 0 && HITS_LANES % WIDE == 0, "nodes and clusters are read in whole vectors");

// --------------------------------------------------------------------------------------------------------- boxes

// The squared distance along an axis; 0 inside, and where it is NaN.
static inline wide_f32 apart_squared(wide_f32 low, wide_f32 high, float at)
{
    const wide_f32 beyond = wide_max(wide_max(low - at, at - high), wide_all(0));
    return beyond * beyond;
}

static uint32_t near_boxes(const hits_tree_node *node, const float at[3], float bound, float squared[HITS_FAN])
{
    uint32_t near = 0;
    for (uint32_t i = 0; i < HITS_FAN; i += WIDE) {
        wide_f32 sum = apart_squared(wide_load(node->plane[0] + i), wide_load(node->plane[3] + i), at[0]);
        for (int k = 1; k < 3; ++k)
            sum += apart_squared(wide_load(node->plane[k] + i), wide_load(node->plane[k + 3] + i), at[k]);
        wide_store(squared + i, sum);
        near |= wide_bits(wide_at_most(sum, wide_all(bound))) << i;
    }
    return near;
}

// ----------------------------------------------------------------------------------------------------- triangles

static inline wide_vec corner_of(const int16_t (*corner)[HITS_LANES], uint32_t lane, const float from[3])
{
    return (wide_vec){wide_load_i16(corner[0] + lane) - from[0], wide_load_i16(corner[1] + lane) - from[1],
                      wide_load_i16(corner[2] + lane) - from[2]};
}

static inline wide_vec between(wide_vec a, wide_vec b)
{
    return (wide_vec){b.x - a.x, b.y - a.y, b.z - a.z};
}

static inline wide_f32 least_of(wide_f32 a, wide_f32 b, wide_f32 c)
{
    return wide_min(a, wide_min(b, c));
}

// The point of an edge that is closest to 0.
static inline wide_vec foot_on(wide_vec a, wide_vec b)
{
    const wide_vec way = between(a, b);
    const wide_f32 t = wide_max(wide_min(wide_dot(a, way) / wide_dot(way, way), wide_all(0)), wide_all(-1));
    return (wide_vec){a.x - t * way.x, a.y - t * way.y, a.z - t * way.z};
}

// The one that is closer to 0; a if both are as close.
static inline wide_vec closer(wide_vec a, wide_vec b)
{
    const wide_mask is_b = wide_less(wide_dot(b, b), wide_dot(a, a));
    return (wide_vec){wide_select(is_b, b.x, a.x), wide_select(is_b, b.y, a.y), wide_select(is_b, b.z, a.z)};
}

// Along any direction no point of the triangle is nearer than the nearest corner, which gives a lower bound. The
// distance is the larger of two such bounds: that along the plane's normal if the closest point lies inside,
// otherwise that towards the closest point of the edges. The latter also holds where rounding spoils a sliver's
// normal. NaN becomes 0.
static inline wide_f32 distance_squared(wide_vec a, wide_vec b, wide_vec c)
{
    const wide_f32 zero = wide_all(0);
    const wide_vec way = closer(closer(foot_on(a, b), foot_on(b, c)), foot_on(c, a));
    const wide_f32 along = wide_max(least_of(wide_dot(way, a), wide_dot(way, b), wide_dot(way, c)), zero);
    const wide_f32 edges = wide_max(along * (along / wide_dot(way, way)), zero);
    const wide_vec normal = wide_cross(between(a, b), between(a, c));
    const wide_f32 at_a = wide_dot(normal, a), at_b = wide_dot(normal, b), at_c = wide_dot(normal, c);
    const wide_f32 height = wide_max(wide_max(least_of(at_a, at_b, at_c), least_of(-at_a, -at_b, -at_c)), zero);
    return wide_max(height * (height / wide_dot(normal, normal)), edges);
}

static uint32_t near_triangles(const hits_cluster *cluster, const float at[3], float bound, float squared[HITS_FAN])
{
    uint32_t near = 0;
    for (uint32_t i = 0; i < HITS_LANES; i += WIDE) {
        const wide_f32 sum =
            distance_squared(corner_of(cluster->corner, i, at), corner_of(cluster->corner + 3, i, at),
                             corner_of(cluster->corner + 6, i, at));
        wide_store(squared + i, sum);
        near |= wide_bits(wide_at_most(sum, wide_all(bound))) << i;
    }
    return near;
}

const hits_closest_lanes WIDE_NAME(mote_hits_closest) = {near_boxes, near_triangles,
                                                         WIDE_NAME(mote_hits_winding_add_far),
                                                         WIDE_NAME(mote_hits_winding_add_near)};
