// SPDX-License-Identifier: MIT
// raster/tested.h: the only header of this module's insides that tests may include. The comment behind
// each header says what is tested of it, and by which program in tests/.
#ifndef MOTE_RASTER_TESTED_H
#define MOTE_RASTER_TESTED_H

#include "raster/internal.h"  // the frame of cells, distances that decide pairs: test_raster_cells

#endif
