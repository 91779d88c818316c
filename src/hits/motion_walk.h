// hits/motion_walk.h: from a motion to the triangles that it may meet.
#ifndef MOTE_HITS_MOTION_WALK_H
#define MOTE_HITS_MOTION_WALK_H

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
// Meets the ray with all that it may meet.
void mote_hits_walk(const hits_walk *walk, hits_ray *ray);
// Meets it with what it may meet in a cell.
void mote_hits_walk_cell(const hits_walk *walk, hits_ray *ray, const int16_t cell[3]);
// What clusters see of the ray between two shares of it.
void mote_hits_ray_shear(const hits_ray *ray, double begin, double end, hits_sheared_ray *sheared);
void mote_hits_test_triangle(const hits_walk *walk, hits_ray *ray, uint32_t triangle);

#endif
