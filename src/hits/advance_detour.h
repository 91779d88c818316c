// SPDX-License-Identifier: MIT
// hits/advance_detour.h: the shortest motion that keeps a distance from all triangles near a particle.
#ifndef MOTE_HITS_ADVANCE_DETOUR_H
#define MOTE_HITS_ADVANCE_DETOUR_H

#include "hits/sphere_sweep.h"

// Finds the motion nearest to `wish` that ends `room` away from all contacts, taken as planes that move for `rest`
// of a step.
// @return false if there is none
bool mote_hits_find_detour(const hits_near_triangles *contacts, double room, double rest, mote_vec3 wish,
                           mote_vec3 *way);

#endif
