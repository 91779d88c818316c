// SPDX-License-Identifier: MIT
// Boxes as one mesh: sides of a tank that move, for pictures.

#include "simulation/internal.h"

enum { CORNERS = 8, TRIANGLES = 12 };

// Corner k has the higher x, y, z where bits 0, 1, 2 of k are set; triangles are counter-clockwise from outside.
static const uint32_t faces[TRIANGLES][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                             {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

mote_result mote_boxes_mesh(mote_context *context, size_t count, mote_mesh **mesh, mote_error *error)
{
    mote_vec3 corners[MOTE_BOXES_MOST * CORNERS] = {{0, 0, 0}};
    uint32_t triangles[MOTE_BOXES_MOST * TRIANGLES][3];
    MOTE_ASSERT(count <= MOTE_BOXES_MOST);
    for (size_t k = 0; k < count * TRIANGLES; ++k)
        for (int corner = 0; corner < 3; ++corner)
            triangles[k][corner] = (uint32_t)(k / TRIANGLES * CORNERS) + faces[k % TRIANGLES][corner];
    return mote_mesh_create(context, corners, count * CORNERS, triangles[0], count * TRIANGLES, mesh, error);
}

void mote_boxes_place(mote_mesh *mesh, size_t number, mote_box box)
{
    for (uint32_t k = 0; k < CORNERS; ++k)
        mesh->vertices[CORNERS * number + k] = mote_vec3_make(k & 1 ? box.max.x : box.min.x,
                                                              k & 2 ? box.max.y : box.min.y,
                                                              k & 4 ? box.max.z : box.min.z);
}
