// SPDX-License-Identifier: MIT
// Boxes as one mesh: sides of a tank that move, for pictures.

#include "mesh/box.h"
#include "simulation/internal.h"

enum { CORNERS = MOTE_BOX_CORNERS, TRIANGLES = MOTE_BOX_TRIANGLES };

mote_result mote_boxes_mesh(mote_context *context, size_t count, mote_mesh **mesh, mote_error *error)
{
    mote_vec3 corners[MOTE_BOXES_MOST * CORNERS] = {{0, 0, 0}};
    uint32_t triangles[MOTE_BOXES_MOST * TRIANGLES][3];
    MOTE_ASSERT(count <= MOTE_BOXES_MOST);
    for (size_t k = 0; k < count * TRIANGLES; ++k)
        for (int corner = 0; corner < 3; ++corner)
            triangles[k][corner] = (uint32_t)(k / TRIANGLES * CORNERS) + mote_box_triangles[k % TRIANGLES][corner];
    return mote_mesh_create(context, corners, count * CORNERS, triangles[0], count * TRIANGLES, mesh, error);
}

void mote_boxes_place(mote_mesh *mesh, size_t number, mote_box box)
{
    for (uint32_t k = 0; k < CORNERS; ++k) mesh->vertices[CORNERS * number + k] = mote_box_corner(box, k);
}
