// SPDX-License-Identifier: MIT
// support/winding.h: how often a closed mesh winds around a point, by nothing of the library's.
#ifndef TEST_WINDING_H
#define TEST_WINDING_H

#include "mote/mesh.h"

enum { WINDING_ON_SURFACE = 1000 };

// Counts the triangles that a line of sight goes through, by their sides, in arithmetic of 113 bits where doubles leave
// a sign open. WINDING_ON_SURFACE where even these cannot tell on which side of a triangle the point lies.
int winding_exact(const mote_mesh *mesh, const mote_vec3 *vertices, mote_vec3 point);

#endif
