// SPDX-License-Identifier: MIT
// hits/motion_walk.h: from a motion to the triangles that it may meet.
#ifndef MOTE_HITS_MOTION_WALK_H
#define MOTE_HITS_MOTION_WALK_H

#include "hits/motion_ray.h"

// Meets the ray with all that it may meet.
void mote_hits_walk(const hits_walk *walk, hits_ray *ray);
// Meets it with what it may meet in a cell.
void mote_hits_walk_cell(const hits_walk *walk, hits_ray *ray, const int16_t cell[3]);

#endif
