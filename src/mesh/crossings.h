// SPDX-License-Identifier: MIT
// mesh/crossings.h: whether two triangles cut through each other.
#ifndef MOTE_MESH_CROSSINGS_H
#define MOTE_MESH_CROSSINGS_H

#include "mesh/internal.h"

// Whether two triangles have a point in common besides corners and edges that both have, exactly. Corners are the same
// if they are at the same place. Triangles without area, all of whose points lie on a line, have none.
bool mote_triangles_cross(const mote_triangle *one, const mote_triangle *other);

// mote_mesh_find_crossings for a mesh with triangles, and how many exact questions were asked.
mote_result mote_mesh_count_crossings(const mote_mesh *mesh, mote_mesh_crossings *crossings, uint64_t *examined);

#endif
