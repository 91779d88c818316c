// SPDX-License-Identifier: MIT
// Meshes by arithmetic alone.

#include <math.h>
#include <stdlib.h>

#include "golden.h"

enum { PARTS = 16, SIDE = PARTS + 1, SOUP = 500 };

// The number of a place of the lattice, given a vertex when it is asked for first.
static uint32_t vertex_at(const int at[3], uint32_t *numbers, mote_vec3 *vertices, uint32_t *count)
{
    uint32_t *number = &numbers[(at[2] * SIDE + at[1]) * SIDE + at[0]];
    if (*number == UINT32_MAX) {
        const double x = 2.0 * at[0] / PARTS - 1, y = 2.0 * at[1] / PARTS - 1, z = 2.0 * at[2] / PARTS - 1;
        const double per_length = 1 / sqrt(x * x + y * y + z * z);
        vertices[*count] = (mote_vec3){x * per_length, y * per_length, z * per_length};
        *number = (*count)++;
    }
    return *number;
}

// The faces of a cube, cut into squares of two triangles, drawn onto the sphere; closed, facing outwards.
mote_mesh *golden_sphere(void)
{
    static uint32_t numbers[SIDE * SIDE * SIDE], triangles[3 * 12 * PARTS * PARTS];
    static mote_vec3 vertices[SIDE * SIDE * SIDE];
    uint32_t count = 0, filled = 0;
    for (size_t n = 0; n < SIDE * SIDE * SIDE; ++n) numbers[n] = UINT32_MAX;
    for (int face = 0; face < 6; ++face)
        for (int square = 0; square < PARTS * PARTS; ++square) {
            uint32_t corner[4];
            const int axis = face / 2, next = (axis + 1) % 3, after = (axis + 2) % 3;
            for (int c = 0; c < 4; ++c) {
                int at[3];
                at[axis] = face % 2 ? PARTS : 0;
                at[next] = square % PARTS + (c == 1 || c == 2);
                at[after] = square / PARTS + (c >= 2);
                corner[c] = vertex_at(at, numbers, vertices, &count);
            }
            const uint32_t second = face % 2 ? corner[1] : corner[3], fourth = face % 2 ? corner[3] : corner[1];
            const uint32_t six[6] = {corner[0], second, corner[2], corner[0], corner[2], fourth};
            for (int k = 0; k < 6; ++k) triangles[filled++] = six[k];
        }
    mote_mesh *mesh = NULL;
    mote_mesh_create(NULL, vertices, count, triangles, filled / 3, &mesh, NULL);
    return mesh;
}

// Thin, 1 long, closed.
mote_mesh *golden_spike(void)
{
    const mote_vec3 vertices[4] = {{0, 0.001, 0}, {-0.001, -0.0005, 0}, {0.001, -0.0005, 0}, {0, 0, 1}};
    const uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    mote_mesh *mesh = NULL;
    mote_mesh_create(NULL, vertices, 4, triangles, 4, &mesh, NULL);
    return mesh;
}

// Triangles of many sizes anywhere, some without area. Not closed.
mote_mesh *golden_soup(void)
{
    static mote_vec3 vertices[3 * SOUP];
    static uint32_t triangles[3 * SOUP];
    mote_random random = {67};
    for (uint32_t t = 0; t < SOUP; ++t) {
        double at[3], size = 0.5;
        for (uint32_t halvings = mote_random_below(&random, 8); halvings > 0; --halvings) size /= 2;
        for (int k = 0; k < 3; ++k) at[k] = 2 * mote_random_unit(&random) - 1;
        for (uint32_t v = 3 * t; v < 3 * t + 3; ++v) {
            double corner[3];
            for (int k = 0; k < 3; ++k) corner[k] = at[k] + size * (mote_random_unit(&random) - 0.5);
            vertices[v] = (mote_vec3){corner[0], corner[1], corner[2]};
            triangles[v] = v;
        }
        if (t % 40 == 0) triangles[3 * t + 2] = triangles[3 * t + 1];
    }
    mote_mesh *mesh = NULL;
    mote_mesh_create(NULL, vertices, 3 * SOUP, triangles, SOUP, &mesh, NULL);
    return mesh;
}
