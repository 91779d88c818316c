// SPDX-License-Identifier: MIT
// The ray, a motion in the form that all stages share: it is made from the caller's numbers, transformed for
// clusters, tested against a triangle, and converted to a hit. Hits of points on meshes at rest are decided in
// motion_triangle.c, all others in sphere_sweep.c.

#include "hits/motion_ray.h"
#include "hits/sphere_sweep.h"

static bool is_near_enough(mote_vec3 p)
{
    return fabs(p.x) < 0x1p250 && fabs(p.y) < 0x1p250 && fabs(p.z) < 0x1p250;
}

bool mote_hits_ray_make(const mote_hits *hits, mote_vec3 from, mote_vec3 to, double radius, hits_ray *ray)
{
    ray->from = from;
    ray->to = to;
    if (!is_near_enough(from) || !is_near_enough(to) || hits->triangle_count == 0) return false;
    ray->radius = radius;
    ray->reach = radius > 0 ? radius * hits->grid.per_edge * (1 + 0x1p-20) + 0x1p-20 : 0;
    ray->begin = 0;
    ray->particle = 0;
    ray->side = 0;
    ray->triangle = ray->goes = ray->stays = UINT32_MAX;
    ray->touch_count = 0;
    ray->at_vertex = false;
    ray->zero = 0;
    ray->contacts = NULL;
    return !mote_hits_is_swept(hits, ray) || mote_hits_sweep_begin(hits, ray);
}

bool mote_hits_ray_make_scaled(const mote_hits *hits, mote_vec3 from, mote_vec3 to, double radius, int32_t side,
                               uint32_t particle, hits_ray *ray)
{
    from = mote_vec3_scale(from, hits->scale);
    to = mote_vec3_scale(to, hits->scale);
    radius *= hits->scale;
    if (!(radius >= 0) || !isfinite(radius)) return false;
    if (hits->ends || radius > 0) radius = mote_hits_sweep_radius(hits, from, to, radius);
    if (!mote_hits_ray_make(hits, from, to, radius, ray)) return false;
    ray->particle = particle;
    ray->side = side;
    return true;
}

void mote_hits_ray_shear(const hits_ray *ray, double begin, double end, hits_sheared_ray *sheared)
{
    const mote_vec3 step = mote_vec3_sub(ray->to, ray->from);
    const double from[3] = {ray->from.x, ray->from.y, ray->from.z}, way[3] = {step.x, step.y, step.z};
    int last = fabs(way[0]) > fabs(way[1]) ? 0 : 1;
    last = fabs(way[last]) > fabs(way[2]) ? last : 2;
    const double per_way = way[last] != 0 ? 1 / way[last] : 0;
    double size = 0;
    for (int k = 0; k < 3; ++k) {
        const int axis = last + 1 + k < 3 ? last + 1 + k : last - 2 + k;
        sheared->axis[k] = (uint8_t)axis;
        sheared->from[k] = from[axis] + begin * way[axis];
        size += fabs(from[axis]) + fabs(way[axis]);
        if (k < 2) sheared->shear[k] = way[axis] * per_way;
    }
    sheared->way = (end - begin) * way[last];
    sheared->blur = begin > 0 ? 0x1p-50 * size : 0;
}

void mote_hits_test_triangle(const hits_walk *walk, hits_ray *ray, uint32_t triangle)
{
    walk->counters->triangles++;
    if (mote_hits_is_swept(walk->hits, ray))
        mote_hits_sweep_triangle(walk->hits, ray, triangle);
    else
        mote_hits_meet_triangle(walk->hits, ray, triangle);
}

void mote_hits_ray_result(const mote_hits *hits, const hits_ray *ray, mote_hit *hit)
{
    if (mote_hits_is_swept(hits, ray))
        mote_hits_sweep_result(hits, ray, hit);
    else
        mote_hits_meet_result(hits, ray, hit);
}
