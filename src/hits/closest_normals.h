// SPDX-License-Identifier: MIT
// hits/closest_normals.h: pseudonormals of a mesh's faces, edges and vertices, and the closest points they sign.
#ifndef MOTE_HITS_CLOSEST_NORMALS_H
#define MOTE_HITS_CLOSEST_NORMALS_H

#include "base/internal.h"
#include "base/vector.h"
#include "mesh/foot.h"
#include "mesh/internal.h"
#include "mote/hits.h"

// Normals that decide which points are inside. They need not have length 1.
typedef struct mote_features {
    mote_vec3 *faces;     // triangle_count; 0 for a triangle without area
    mote_vec3 *edges;     // edge_count
    mote_vec3 *vertices;  // vertex_count
    uint32_t *edge_of;    // 3 · triangle_count: the edge from corner k to the next
    uint32_t edge_count;
    bool closed;
} mote_features;

// Computes normals of faces, edges and vertices. After a failure, mote_features_release frees what was made.
mote_result mote_features_build(const mote_mesh *mesh, mote_features *features);
void mote_features_release(const mote_mesh *mesh, mote_features *features);

// Fills in a query's result from the foot on a triangle, with the sign of its feature's normal.
// @param triangles    three vertices each
// @param tiny         below this distance the difference of point and foot is all rounding error
void mote_features_fill_closest(const mote_features *features, const uint32_t *triangles, mote_vec3 point,
                                uint32_t triangle, const mote_foot *foot, double tiny, mote_closest *closest);

#endif
