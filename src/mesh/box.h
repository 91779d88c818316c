// SPDX-License-Identifier: MIT
// mesh/box.h: the corners and triangles of a box.
#ifndef MOTE_MESH_BOX_H
#define MOTE_MESH_BOX_H

#include "base/vector.h"

enum { MOTE_BOX_CORNERS = 8, MOTE_BOX_TRIANGLES = 12 };

// Corner k has the higher x, y, z where bits 0, 1, 2 of k are set; triangles are counter-clockwise from outside.
static const uint32_t mote_box_triangles[MOTE_BOX_TRIANGLES][3] = {
    {0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static inline mote_vec3 mote_box_corner(mote_box box, uint32_t k)
{
    return mote_vec3_make(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z);
}

#endif
