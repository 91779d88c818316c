// SPDX-License-Identifier: MIT
// mesh/exact.h: on which side of a plane or a line a point lies, exactly.
//
// Coordinates are doubles of size 2^-200 to 2^200, or 0: their products of three neither overflow nor lose bits.
#ifndef MOTE_MESH_EXACT_H
#define MOTE_MESH_EXACT_H

#include "mote/base.h"

// The sign of the determinant of a − d, b − d, c − d: 1 if d is below the plane of a, b, c, which run
// counter-clockwise seen from above; −1 if above; 0 if in it.
int mote_side_of_plane(mote_vec3 a, mote_vec3 b, mote_vec3 c, mote_vec3 d);

// The same in the plane of two axes: 1 if a, b, c run counter-clockwise, with axis u to the right and v up.
int mote_side_of_line(mote_vec3 a, mote_vec3 b, mote_vec3 c, int u, int v);

#endif
