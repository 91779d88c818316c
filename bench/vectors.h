// SPDX-License-Identifier: MIT
// vectors.h: the little geometry that benchmarks of meshes need; public headers have types alone.
#ifndef MOTE_BENCH_VECTORS_H
#define MOTE_BENCH_VECTORS_H

#include "mote/mesh.h"

static inline mote_vec3 bench_sub(mote_vec3 a, mote_vec3 b)
{
    return (mote_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline mote_vec3 bench_cross(mote_vec3 a, mote_vec3 b)
{
    return (mote_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double bench_dot(mote_vec3 a, mote_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline void bench_corners(const mote_mesh *mesh, size_t t, mote_vec3 corner[3])
{
    for (size_t k = 0; k < 3; ++k) corner[k] = mesh->vertices[mesh->triangles[3 * t + k]];
}

#endif
