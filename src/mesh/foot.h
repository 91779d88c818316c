// SPDX-License-Identifier: MIT
// mesh/foot.h: the point of a triangle that is closest to a given point.
#ifndef MOTE_MESH_FOOT_H
#define MOTE_MESH_FOOT_H

#include "mesh/internal.h"
#include "mote/mesh.h"

typedef struct mote_foot {
    mote_vec3 point;
    double distance2;
    double barycentric[3];
    mote_feature feature;
    int number;  // of the edge (0: from a to b) or vertex
    int side;    // of a face: 1 on the side of the normal, or -1
} mote_foot;

// Computed in doubles: correct within rounding unless the triangle is a sliver.
mote_foot mote_triangle_foot(mote_triangle triangle, mote_vec3 point);
// The closest point on the edges.
mote_foot mote_triangle_foot_on_edges(mote_triangle triangle, mote_vec3 point);
// The closest point on one edge, computed from its corner `from`.
mote_foot mote_edge_foot(const mote_vec3 corners[3], int from, int to, mote_vec3 point);

// Whether the angle at the first corner is so small, below 1/16 or next to a half turn, that doubles lose more than
// four bits of the normal.
bool mote_triangle_is_sliver(mote_triangle triangle);
// Computed in twice the precision: as exact for slivers as doubles are for other triangles.
mote_foot mote_triangle_foot_precise(mote_triangle triangle, mote_vec3 point);
// Makes a foot that may be the closest one comparable with those of other triangles, and determines its side
// reliably: triangles that share an edge get the same distance from it to the last bit.
void mote_triangle_settle_foot(mote_triangle triangle, mote_vec3 point, mote_foot *foot);

#endif
