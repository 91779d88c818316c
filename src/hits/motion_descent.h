// SPDX-License-Identifier: MIT
// hits/motion_descent.h: walks motions down the tree over the clusters.
#ifndef MOTE_HITS_MOTION_DESCENT_H
#define MOTE_HITS_MOTION_DESCENT_H

#include "hits/structure_tree.h"
#include "hits/motion_walk.h"

// Boxes are enlarged by this much, for the errors of floats.
#define HITS_CAST_MARGIN 0x1p-19

// Finds the first hit of any motion.
void mote_hits_tree_descend(const hits_walk *walk, hits_ray *ray);

#endif
