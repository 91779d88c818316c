// SPDX-License-Identifier: MIT
// mesh/triangle_box.h: whether a triangle and a box meet, by separating axes (Akenine-Möller 2001).
//
// Two convex bodies are separate if and only if their projections on one of these axes are: the box's three axes,
// the triangle's normal, and the nine cross products of the box's axes with the triangle's edges. Both bodies are
// closed: touching counts as meeting.
//
// Rounding never separates bodies that meet. Corners are taken relative to the box's centre, with errors of 2^-53 of
// the largest coordinate M there; edges are taken from the corners as given, with relative errors of 2^-53. A
// projection on an axis is then wrong by less than 2^-50 · M · |axis|, and an axis separates the two only with a gap
// larger than MOTE_TRIANGLE_BOX_MARGIN · M · |axis|, sixteen times that. Bodies nearer than 2^-45 · M may count as
// meeting. Numbers that are not finite, or products that overflow, count as meeting.
#ifndef MOTE_MESH_TRIANGLE_BOX_H
#define MOTE_MESH_TRIANGLE_BOX_H

#include "base/vector.h"
#include "mesh/internal.h"

#define MOTE_TRIANGLE_BOX_MARGIN 0x1p-46

static inline double mote_least_of_three(double a, double b, double c)
{
    double least = a < b ? a : b;
    return least < c ? least : c;
}

static inline double mote_most_of_three(double a, double b, double c)
{
    double most = a > b ? a : b;
    return most > c ? most : c;
}

// The box's axis k times an edge: the edge rotated by a right angle in the plane of the axes i and j.
static inline bool mote_edge_axis_parts(double corner[3][3], const double edge[3], const double half[3], int i, int j,
                                        double margin)
{
    const double a = edge[i] * corner[0][j] - edge[j] * corner[0][i];
    const double b = edge[i] * corner[1][j] - edge[j] * corner[1][i];
    const double c = edge[i] * corner[2][j] - edge[j] * corner[2][i];
    const double ei = fabs(edge[i]), ej = fabs(edge[j]), reach = half[j] * ei + half[i] * ej + margin * (ei + ej);
    return mote_least_of_three(a, b, c) > reach || mote_most_of_three(a, b, c) < -reach;
}

static inline bool mote_normal_parts(const double corner[3], const double e[3], const double f[3], const double half[3],
                                     double margin)
{
    double distance = 0, reach = 0;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double n = e[i] * f[j] - e[j] * f[i];
        distance += n * corner[k];
        reach += fabs(n) * half[k];
    }
    const double e1 = fabs(e[0]) + fabs(e[1]) + fabs(e[2]), f1 = fabs(f[0]) + fabs(f[1]) + fabs(f[2]);
    return fabs(distance) > reach + margin * (e1 * f1);
}

// True if the closed triangle meets the closed box around `center` with half edges `half` (0 or more).
static inline bool mote_triangle_meets_box(mote_triangle triangle, mote_vec3 center, mote_vec3 half)
{
    const double c[3] = {center.x, center.y, center.z}, h[3] = {half.x, half.y, half.z};
    const double at[3][3] = {{triangle.a.x, triangle.a.y, triangle.a.z},
                             {triangle.b.x, triangle.b.y, triangle.b.z},
                             {triangle.c.x, triangle.c.y, triangle.c.z}};
    double corner[3][3], edge[3][3], most = 0;
    for (int k = 0; k < 3; ++k)
        for (int axis = 0; axis < 3; ++axis) {
            corner[k][axis] = at[k][axis] - c[axis];
            edge[k][axis] = at[(k + 1) % 3][axis] - at[k][axis];
            most = MOTE_MAX(most, fabs(corner[k][axis]));
            most = MOTE_MAX(most, h[axis]);
        }
    const double margin = MOTE_TRIANGLE_BOX_MARGIN * most;
    for (int axis = 0; axis < 3; ++axis) {
        const double x = corner[0][axis], y = corner[1][axis], z = corner[2][axis], reach = h[axis] + margin;
        if (mote_least_of_three(x, y, z) > reach || mote_most_of_three(x, y, z) < -reach) return false;
    }
    if (mote_normal_parts(corner[0], edge[0], edge[1], h, margin)) return false;
    for (int k = 0; k < 3; ++k)
        for (int axis = 0; axis < 3; ++axis)
            if (mote_edge_axis_parts(corner, edge[k], h, (axis + 1) % 3, (axis + 2) % 3, margin)) return false;
    return true;
}

#endif
