// SPDX-License-Identifier: MIT
// hits/motion_ray.h: a motion as all stages know it.
#ifndef MOTE_HITS_MOTION_RAY_H
#define MOTE_HITS_MOTION_RAY_H

#include "hits/motion_lanes.h"

typedef struct hits_walk {
    const mote_hits *hits;
    hits_counters *counters;
} hits_walk;

// Prepares a ray, all lengths ours; false if it meets nothing whatever comes.
bool mote_hits_ray_make(const mote_hits *hits, mote_vec3 from, mote_vec3 to, double radius, hits_ray *ray);
// The same from the caller's lengths.
bool mote_hits_ray_make_scaled(const mote_hits *hits, mote_vec3 from, mote_vec3 to, double radius, int32_t side,
                               uint32_t particle, hits_ray *ray);
// What clusters see of the ray between two shares of it.
void mote_hits_ray_shear(const hits_ray *ray, double begin, double end, hits_sheared_ray *sheared);
// Meets the ray with a triangle, and keeps it if it is the first.
void mote_hits_test_triangle(const hits_walk *walk, hits_ray *ray, uint32_t triangle);
// The hit of a ray that has met a triangle, in the caller's lengths.
void mote_hits_ray_result(const mote_hits *hits, const hits_ray *ray, mote_hit *hit);

#endif
