// SPDX-License-Identifier: MIT
// mesh/internal.h: the triangles of a mesh by number, and its edges sorted, for the modules that use meshes.
#ifndef MOTE_MESH_INTERNAL_H
#define MOTE_MESH_INTERNAL_H

#include <string.h>

#include "base/internal.h"
#include "base/vector.h"
#include "mote/mesh.h"

typedef struct mote_triangle {
    mote_vec3 a, b, c;
} mote_triangle;

static inline mote_triangle mote_mesh_triangle(const mote_mesh *mesh, size_t t)
{
    const uint32_t *corner = mesh->triangles + 3 * t;
    mote_triangle triangle = {mesh->vertices[corner[0]], mesh->vertices[corner[1]], mesh->vertices[corner[2]]};
    return triangle;
}

static inline bool mote_same_place(mote_vec3 a, mote_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// The bits of a position, well mixed (Steele, Lea & Flood 2014); -0 and 0 are the same.
static inline uint32_t mote_place_hash(mote_vec3 v)
{
    const double at[3] = {v.x + 0.0, v.y + 0.0, v.z + 0.0};
    uint64_t hash = 0;
    for (int k = 0; k < 3; ++k) {
        uint64_t bits;
        memcpy(&bits, &at[k], sizeof bits);
        hash = (hash ^ bits) + UINT64_C(0x9E3779B97F4A7C15);
        hash = (hash ^ hash >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
        hash = (hash ^ hash >> 27) * UINT64_C(0x94D049BB133111EB);
        hash ^= hash >> 31;
    }
    return (uint32_t)(hash >> 32);
}

// MOTE_ERROR_ARGUMENT if a triangle names a vertex that does not exist. The owner of a mesh may change its arrays,
// so code that builds something from them checks their present contents.
mote_result mote_mesh_check_triangles(const uint32_t *triangles, size_t triangle_count, size_t vertex_count,
                                      mote_error *error);

// Whether the mesh exists and its triangles name only existing vertices.
static inline bool mote_mesh_is_sound(const mote_mesh *mesh)
{
    return mesh &&
           mote_mesh_check_triangles(mesh->triangles, mesh->triangle_count, mesh->vertex_count, NULL) == MOTE_OK;
}

// The normal; its length is twice the area.
static inline mote_vec3 mote_triangle_cross(mote_triangle triangle)
{
    return mote_vec3_cross(mote_vec3_sub(triangle.b, triangle.a), mote_vec3_sub(triangle.c, triangle.a));
}

// The unit normal, as exact for slivers as for other triangles; 0 for a triangle without area.
mote_vec3 mote_triangle_normal(mote_triangle triangle);

// Length of the longest edge, squared.
double mote_triangle_longest2(mote_triangle triangle);

// True for a triangle without area, as far as twice the precision of doubles tells.
bool mote_triangle_is_degenerate(mote_triangle triangle);
// True also if the height is below 2^-36 of the longest edge, so that rounding decides the normal in doubles.
bool mote_triangle_is_flat(mote_triangle triangle);

// True if all points of the triangle lie on a line, as far as can be computed.
static inline bool mote_triangle_is_line(mote_triangle triangle)
{
    const mote_vec3 cross = mote_triangle_cross(triangle);
    return cross.x == 0 && cross.y == 0 && cross.z == 0;
}

// Angles at a, b and c [rad].
void mote_triangle_angles(mote_triangle triangle, double angles[3]);

// A winding number while it is summed up: the product of the triangles' half solid angles as complex numbers, and
// the full turns counted separately.
typedef struct mote_winding {
    double re, im, turns;
} mote_winding;

static inline mote_winding mote_winding_none(void)
{
    mote_winding none = {1, 0, 0};
    return none;
}
void mote_winding_add(mote_winding *winding, mote_triangle triangle, mote_vec3 point);
void mote_winding_join(mote_winding *winding, const mote_winding *other);
double mote_winding_number(const mote_winding *winding);

// Edge k of triangle t runs from its corner k to corner (k + 1) mod 3 and has number 3t + k.
// An edge's key is the same from both sides: smaller vertex · 2^32 + larger vertex.
typedef struct mote_mesh_edges {
    uint64_t *keys;     // ascending
    uint32_t *numbers;  // 3t + k of each key; ascending among equal keys
    size_t count;       // without the edges of triangles that use a vertex twice
    mote_buffer memory;
} mote_mesh_edges;

// Sorts all edges, so that those with the same vertices are adjacent. Released with mote_mesh_edges_release.
mote_result mote_mesh_edges_build(const mote_mesh *mesh, mote_mesh_edges *edges);
void mote_mesh_edges_release(const mote_mesh *mesh, mote_mesh_edges *edges);

// True if an edge runs from its smaller to its larger vertex.
static inline bool mote_mesh_edge_is_ascending(const mote_mesh *mesh, uint32_t number)
{
    uint32_t corner = number % 3, first = number - corner;
    return mesh->triangles[number] < mesh->triangles[first + (corner + 1) % 3];
}

#endif
