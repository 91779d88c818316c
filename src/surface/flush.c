// SPDX-License-Identifier: MIT
// Vertices that lie on planes that cut, and moves that keep them there: smoothing must not pull water off the walls.

#include "surface/finish.h"

#include <math.h>

#include "base/vector.h"

// What a vertex lies on: a bit for each plane, and the last one for all from that number on.
uint64_t mote_surface_planes_at(const surface_cut *cut, double cell, mote_vec3 at)
{
    uint64_t planes = 0;
    for (size_t k = 0; k < cut->plane_count; ++k)
        if (fabs(mote_surface_cut_distance(cut, k, at)) < SURFACE_ON_PLANE * cell)
            planes |= UINT64_C(1) << MOTE_MIN(k, (size_t)SURFACE_LAST_PLANE);
    return planes;
}

// The move without what leads off the planes: their normals are made orthogonal one after the other (Gram & Schmidt).
// A vertex on three of them, or on planes that are not told apart, does not move.
mote_vec3 mote_surface_move_along(const surface_cut *cut, uint64_t planes, mote_vec3 move)
{
    mote_vec3 normals[3];
    int count = 0;
    if (planes >> SURFACE_LAST_PLANE) return (mote_vec3){0, 0, 0};
    for (uint64_t left = planes; left; left &= left - 1) {
        mote_vec3 n = cut->planes[mote_lowest_bit(left)].normal;
        for (int k = 0; k < count; ++k)
            n = mote_vec3_sub(n, mote_vec3_scale(normals[k], mote_vec3_dot(n, normals[k])));
        const double length = mote_vec3_length(n);
        if (length < 1e-3) continue;  // parallel to those before
        if (count == 2) return (mote_vec3){0, 0, 0};
        n = normals[count++] = mote_vec3_scale(n, 1 / length);
        move = mote_vec3_sub(move, mote_vec3_scale(n, mote_vec3_dot(move, n)));
    }
    return move;
}
