// SPDX-License-Identifier: MIT
// What a program that uses libmote-io starts with: a mesh written and read again.
#include <stdio.h>

#include "mote/import.h"
#include "mote/output.h"

int main(int count, char **arguments)
{
    const mote_vec3 vertices[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    mote_mesh *mesh = NULL, *read = NULL;
    mote_error error;
    if (count != 2) return 2;
    const bool done = mote_mesh_create(NULL, vertices, 4, triangles, 4, &mesh, &error) == MOTE_OK &&
                      mote_mesh_write(NULL, arguments[1], mesh, &error) == MOTE_OK &&
                      mote_import_mesh(NULL, arguments[1], &read, &error) == MOTE_OK;
    if (done) printf("mote-io %s, %zu triangles\n", mote_version(), read->triangle_count);
    else fprintf(stderr, "%s\n", error.text);
    mote_mesh_destroy(mesh);
    mote_mesh_destroy(read);
    return done ? 0 : 1;
}
