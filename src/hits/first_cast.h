// hits/first_cast.h: motions down the tree over the clusters.
#ifndef MOTE_HITS_FIRST_CAST_H
#define MOTE_HITS_FIRST_CAST_H

#include "hits/first_tree.h"
#include "hits/first_walk.h"

// Boxes are larger by this than they are, for the errors of floats.
#define FIRST_CAST_MARGIN 0x1p-19

// Meets the motion of a point, between two shares of it, with all of a mesh at rest that it may meet there first. The
// piece lies in the tree's box, or hardly beyond.
// @param margin   FIRST_CAST_MARGIN, and how far a place on the motion may be off
void mote_first_cast_plain(const first_walk *walk, first_ray *ray, double begin, double end, double margin);
#if MOTE_HAVE_AVX2
void mote_first_cast_avx2(const first_walk *walk, first_ray *ray, double begin, double end, double margin);
#endif

// Meets any motion with all that it may meet first.
void mote_first_descend(const first_walk *walk, first_ray *ray);

#endif
