// SPDX-License-Identifier: MIT
// broadphase/tested.h: the only header of this module's insides that tests may include. The comment behind
// each header says what is tested of it, and by which program in tests/.
#ifndef MOTE_BROADPHASE_TESTED_H
#define MOTE_BROADPHASE_TESTED_H

#include "broadphase/box_count.h"   // the number of pairs, and numbers that are refused: test_box_tree
#include "broadphase/box_lanes.h"   // the loops of every form: test_box_tree
#include "broadphase/box_pairs.h"   // pairs against brute force: test_box_tree
#include "broadphase/box_search.h"  // rows of queries against brute force: test_box_tree
#include "broadphase/box_tree.h"    // building, updates, visits, validation: test_box_tree
#include "broadphase/lanes.h"       // the loops that this processor runs: test_box_tree
#include "broadphase/probe.h"       // pieces of the path of a moving box: test_broadphase_work

#endif
