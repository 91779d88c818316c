// SPDX-License-Identifier: MIT
// hits/tested.h: the only header of this module's insides that tests may include. The comment behind
// each header says what is tested of it, and by which program in tests/.
#ifndef MOTE_HITS_TESTED_H
#define MOTE_HITS_TESTED_H

#include "hits/closest.h"     // sides by winding numbers: test_hits_closest; the plain loops: also test_hits_grid
#include "hits/internal.h"         // grid and clusters: test_hits_grid; sorting of motions: test_hits_order; first hits
                                   // of single motions: test_hits_tree
#include "hits/lanes.h"            // the loops that this processor runs: test_hits_grid
#include "hits/motion_batch.h"     // what sorted motions are picked into: test_hits_order
#include "hits/motion_lanes.h"     // the plain loops: test_hits, test_hits_order, test_hits_tree
#include "hits/motion_ray.h"       // has no test of its own: brute force in test_hits_tree uses it
#include "hits/motion_stream.h"    // full stacks, shortening, bounds of float tests: test_hits_tree
#include "hits/motion_walk.h"      // the work for large spheres: test_hits_tree
#include "hits/structure_split.h"  // halves hold all boxes: test_hits_tree

#endif
