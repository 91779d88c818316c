// SPDX-License-Identifier: MIT
// The first hit of a single motion.

#include "hits/motion_walk.h"

bool mote_hits_find_one(const mote_hits *hits, mote_vec3 from, mote_vec3 to, double radius, int side, double begin,
                        mote_hit *hit)
{
    hits_counters counters = {0};
    const hits_walk walk = {hits, &counters};
    hits_ray ray;
    if (!mote_hits_ray_make_scaled(hits, from, to, radius, side, 0, &ray)) return false;
    ray.begin = begin;
    mote_hits_walk(&walk, &ray);
    mote_hits_ray_settle(hits, &ray);
    if (ray.triangle == UINT32_MAX) return false;
    mote_hits_ray_result(hits, &ray, hit);
    return true;
}

bool mote_hits_segment(const mote_hits *hits, mote_vec3 from, mote_vec3 to, int side, mote_hit *hit)
{
    return hits && hit && mote_hits_find_one(hits, from, to, 0, side, 0, hit);
}

bool mote_hits_sphere(const mote_hits *hits, mote_vec3 from, mote_vec3 to, double radius, mote_hit *hit)
{
    return hits && hit && mote_hits_find_one(hits, from, to, radius, 0, 0, hit);
}
