// SPDX-License-Identifier: MIT
// mesh/tested.h: the only header of this module's insides that tests may include. The comment behind
// each header says what is tested of it, and by which program in tests/.
#ifndef MOTE_MESH_TESTED_H
#define MOTE_MESH_TESTED_H

#include "mesh/crossings.h"     // pairs of triangles against separating axes: test_crossings
#include "mesh/exact.h"         // signs against wide integers: test_crossings
#include "mesh/foot.h"          // has no test of its own: brute force in tests of hits and raster uses it
#include "mesh/internal.h"      // edges in their order: test_mesh
#include "mesh/triangle_box.h"  // triangles and boxes against clipping: test_triangle_box

#endif
