// SPDX-License-Identifier: MIT
// mesh/fans.h: triangles around a place or an edge that so many share that not all pairs of them can be looked at.
#ifndef MOTE_MESH_FANS_H
#define MOTE_MESH_FANS_H

#include "mesh/internal.h"

// A fan is at a place; or, if it has an edge, at both of its ends. Fan 0 is that of triangles without one.
typedef struct mesh_fan {
    mote_vec3 at, end;
    bool has_edge;
} mesh_fan;

typedef struct mesh_fans {
    mote_buffer list;  // mesh_fan
    uint32_t count;    // with fan 0; 1: there are none
} mesh_fans;

// Finds them among triangles with area, no two of which have the same corners. A triangle is in one at most, in that
// of an edge if there is a choice. Release the list in any case.
// @param of   receives the fan of each triangle
mote_result mote_mesh_fans_find(mote_context *context, const mote_triangle *triangles, size_t count, uint32_t *of,
                                mesh_fans *fans);

// Whether a triangle has a corner at a place.
static inline bool mote_mesh_has_corner(const mote_triangle *triangle, mote_vec3 at)
{
    return mote_same_place(triangle->a, at) || mote_same_place(triangle->b, at) || mote_same_place(triangle->c, at);
}

// A box around the directions from one of its corners, `at`, to the rest of a triangle: in coordinates the sum of
// whose sizes is 1. Two triangles meet beyond a corner that they have in common only if these boxes do.
mote_box mote_mesh_directions(const mote_triangle *triangle, mote_vec3 at);

// What has been found of the pairs of triangles that cross.
typedef struct crossing_sums {
    uint64_t count, first;  // each as often as the weights say; the least of lower index · 2^32 + other
    uint64_t examined;      // exact questions asked: of two triangles, or of a sign
} crossing_sums;

// Adds the pairs of a fan with an edge that overlap: triangles are sorted by angle, and those at the same angle lie on
// each other. Cost O(n log n).
// @param triangles  n triangles of the fan; their indices, and how many each of them stands for
// @param by_angle   n numbers, as scratch
void mote_mesh_overlaps_add(const mesh_fan *fan, const mote_triangle *triangles, const uint32_t *indices,
                            const uint32_t *weights, uint32_t n, uint32_t *by_angle, crossing_sums *sums);

#endif
