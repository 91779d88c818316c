// SPDX-License-Identifier: MIT
// hits/motion_ray.h: the ray, a motion in the form that all stages share.
#ifndef MOTE_HITS_MOTION_RAY_H
#define MOTE_HITS_MOTION_RAY_H

#include "hits/motion_lanes.h"

typedef struct hits_walk {
    const mote_hits *hits;
    hits_counters *counters;
} hits_walk;

// Prepares a ray from internal lengths; false if it cannot hit anything.
bool mote_hits_ray_make(const mote_hits *hits, mote_vec3 from, mote_vec3 to, double radius, hits_ray *ray);
// The same from the caller's lengths.
bool mote_hits_ray_make_scaled(const mote_hits *hits, mote_vec3 from, mote_vec3 to, double radius, int32_t side,
                               uint32_t particle, hits_ray *ray);
// Makes the form of the ray that cluster tests use, between two shares of it.
void mote_hits_ray_shear(const hits_ray *ray, double begin, double end, hits_sheared_ray *sheared);
// Tests the ray against a triangle, and keeps the hit if it is the first.
void mote_hits_test_triangle(const hits_walk *walk, hits_ray *ray, uint32_t triangle);
// Makes the mote_hit of a ray that has hit a triangle, in the caller's lengths.
void mote_hits_ray_result(const mote_hits *hits, const hits_ray *ray, mote_hit *hit);

#endif
