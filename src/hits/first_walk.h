// hits/first_walk.h: from a motion to the triangles that it may meet.
#ifndef MOTE_HITS_FIRST_WALK_H
#define MOTE_HITS_FIRST_WALK_H

#include "hits/first_lanes.h"

typedef struct first_walk {
    const mote_first_hits *first;
    first_counters *counters;
} first_walk;

// Prepares a ray, all lengths ours; false if it meets nothing whatever comes.
bool mote_first_set_out(const mote_first_hits *first, mote_vec3 from, mote_vec3 to, double radius, first_ray *ray);
// The same from the caller's lengths.
bool mote_first_begin(const mote_first_hits *first, mote_vec3 from, mote_vec3 to, double radius, int32_t side,
                      uint32_t particle, first_ray *ray);
// Meets the ray with all that it may meet.
void mote_first_walk(const first_walk *walk, first_ray *ray);
// Meets it with what it may meet in a cell.
void mote_first_walk_cell(const first_walk *walk, first_ray *ray, const int16_t cell[3]);
// What clusters see of the ray between two shares of it.
void mote_first_see(const first_ray *ray, double begin, double end, first_sight *sight);
void mote_first_try(const first_walk *walk, first_ray *ray, uint32_t triangle);

#endif
