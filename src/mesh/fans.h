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

// From so many triangles on a place or an edge gets a fan. With fewer all pairs are looked at, at most 32 for each
// triangle at a corner; meshes of bodies have some six triangles at a place, and need no fans.
enum { MESH_FAN_LEAST = 64 };

// How many corners lie at places with the same part of their hashes: at least as many as at each of these places,
// counted up to MESH_FAN_LEAST.
typedef struct mesh_corner_counts {
    mote_buffer memory;  // a byte each
    size_t count;        // a power of 2
    bool is_any_full;    // only then there may be fans
} mesh_corner_counts;

// Prepares for the corners of so many triangles. Release the memory in any case.
mote_result mote_mesh_corner_counts_begin(mote_context *context, size_t triangle_count, mesh_corner_counts *counts);

static inline void mote_mesh_corner_counts_add(mesh_corner_counts *counts, uint32_t place_hash)
{
    uint8_t *count = (uint8_t *)counts->memory.data + (place_hash & (counts->count - 1));
    if (*count < MESH_FAN_LEAST && ++*count == MESH_FAN_LEAST) counts->is_any_full = true;
}

// Finds them among triangles with area, no two of which have the same corners. A triangle is in one at most, in that
// of an edge if there is a choice. Release the list in any case.
// @param counts  of all their corners, or of more
// @param of      receives the fan of each triangle
mote_result mote_mesh_fans_find(mote_context *context, const mote_triangle *triangles, size_t count,
                                const mesh_corner_counts *counts, uint32_t *of, mesh_fans *fans);

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
