// SPDX-License-Identifier: MIT
// neighbors/tested.h: the only header of this module's insides that tests may include. The comment behind
// each header says what is tested of it, and by which program in tests/.
#ifndef MOTE_NEIGHBORS_TESTED_H
#define MOTE_NEIGHBORS_TESTED_H

#include "neighbors/grid_classes.h"  // runs of cells, sizes of cells: test_class_sort
#include "neighbors/grid_filter.h"   // plain and AVX2 loops: test_filter
#include "neighbors/grid_scan.h"     // plain and AVX2 loops: test_scan
#include "neighbors/grid_sieve.h"    // plain and AVX2 loops, tiny reaches: test_sieve
#include "neighbors/grid_sort.h"     // has no test of its own: test_scan sorts points with it
#include "neighbors/hash_order.h"    // has no test of its own: test_hierarchical_hash asks for the order of points
#include "neighbors/hash_space.h"    // how many cells a mask has: test_hashes
#include "neighbors/internal.h"      // descriptors of methods: test_auto, test_kd_tree
#include "neighbors/lanes.h"         // this processor's loops: test_filter, test_kd_tree, test_scan, test_sieve
#include "neighbors/spatial_hash.h"  // stamps that wrap round: test_hashes
#include "neighbors/tree.h"          // broken trees are found: test_kd_tree
#include "neighbors/tree_nearest.h"  // nearest points of a search without a tree: test_kd_tree
#include "neighbors/tree_nearest_group.h"  // plain and AVX2 loops: test_kd_tree
#include "neighbors/visits.h"        // visits of some rows: test_neighbors_sets

#endif
