// hits/first_ways.h: the shortest way that leaves room to all triangles near a particle.
#ifndef MOTE_HITS_FIRST_WAYS_H
#define MOTE_HITS_FIRST_WAYS_H

#include "hits/first_sweep.h"

// Finds the way nearest to `wish` that ends `room` away from all contacts, as planes that move for `rest` of a step.
// @return false if there is none
bool mote_first_find_way(const first_contacts *contacts, double room, double rest, mote_vec3 wish, mote_vec3 *way);

#endif
