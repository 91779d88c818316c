// SPDX-License-Identifier: MIT
// hits/motion_walk.h: finds the triangles that a motion may hit, and tests them.
#ifndef MOTE_HITS_MOTION_WALK_H
#define MOTE_HITS_MOTION_WALK_H

#include "hits/motion_ray.h"

// Tests the ray against everything that it may hit.
void mote_hits_walk(const hits_walk *walk, hits_ray *ray);
// Tests it against everything that it may hit in one cell.
void mote_hits_walk_cell(const hits_walk *walk, hits_ray *ray, const int16_t cell[3]);

#endif
