// SPDX-License-Identifier: MIT
// cells/tested.h: the only header of this module's insides that tests may include. The comment behind
// each header says what is tested of it, and by which program in tests/.
#ifndef MOTE_CELLS_TESTED_H
#define MOTE_CELLS_TESTED_H

#include "cells/frame.h"      // cells of points that are far away: test_hashes
#include "cells/hash.h"       // remainders, hashes of known cells, sizes of tables: test_hashes
#include "cells/hierarchy.h"  // insertions, removals, counts of children: test_hierarchy
#include "cells/mask.h"       // how many cells a mask has: test_cell_index
#include "cells/slabs.h"      // numbers of coordinates keep order and distance: test_cell_index

#endif
