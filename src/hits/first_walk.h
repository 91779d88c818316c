// hits/first_walk.h: from a motion to the triangles that it may meet.
#ifndef MOTE_HITS_FIRST_WALK_H
#define MOTE_HITS_FIRST_WALK_H

#include "hits/first_lanes.h"

typedef struct first_walk {
    const mote_first_hits *first;
    first_counters *counters;
} first_walk;

// Prepares a ray; false if it meets nothing whatever comes.
bool mote_first_begin(const mote_first_hits *first, mote_vec3 from, mote_vec3 to, double radius, int32_t side,
                      uint32_t particle, first_ray *ray);
// Meets the ray with all that it may meet.
void mote_first_walk(const first_walk *walk, first_ray *ray);
// The triangles of a cluster that the ray may meet, a bit each; and to meet one of them.
uint32_t mote_first_candidates(const first_walk *walk, const first_ray *ray, uint32_t cluster);
void mote_first_try(const first_walk *walk, first_ray *ray, uint32_t triangle);

#endif
