// SPDX-License-Identifier: MIT
// hits/motion_tree.h: motions down the tree over the clusters.
#ifndef MOTE_HITS_MOTION_TREE_H
#define MOTE_HITS_MOTION_TREE_H

#include "hits/structure_tree.h"
#include "hits/motion_walk.h"

// Boxes are larger by this than they are, for the errors of floats.
#define HITS_CAST_MARGIN 0x1p-19

// Meets the motion of a point, between two shares of it, with all of a mesh at rest that it may meet there first. The
// piece lies in the tree's box, or hardly beyond.
// @param margin   HITS_CAST_MARGIN, and how far a place on the motion may be off
void mote_hits_tree_cast_plain(const hits_walk *walk, hits_ray *ray, double begin, double end, double margin);
#if MOTE_HAVE_AVX2
void mote_hits_tree_cast_avx2(const hits_walk *walk, hits_ray *ray, double begin, double end, double margin);
#endif

// Meets any motion with all that it may meet first.
void mote_hits_tree_descend(const hits_walk *walk, hits_ray *ray);

#endif
