// SPDX-License-Identifier: MIT
// hits/motion_descent.h: walks motions down the tree over the clusters.
#ifndef MOTE_HITS_MOTION_DESCENT_H
#define MOTE_HITS_MOTION_DESCENT_H

#include "hits/structure_tree.h"
#include "hits/motion_walk.h"

// Boxes are enlarged by this much, for the errors of floats.
#define HITS_CAST_MARGIN 0x1p-19

// Finds the first hit of a point's motion, between two shares of it, with a mesh at rest. That piece lies in the
// tree's box, or hardly beyond it.
// @param margin   HITS_CAST_MARGIN plus the error of a position on the motion
void mote_hits_tree_cast_plain(const hits_walk *walk, hits_ray *ray, double begin, double end, double margin);
#if MOTE_HAVE_AVX2
void mote_hits_tree_cast_avx2(const hits_walk *walk, hits_ray *ray, double begin, double end, double margin);
#endif

// Finds the first hit of any motion.
void mote_hits_tree_descend(const hits_walk *walk, hits_ray *ray);

#endif
