// SPDX-License-Identifier: MIT
// The point of a triangle that is closest to another point. Doubles are sufficient except for slivers, for which
// they do not give the normal, and for points so near the plane that rounding decides their side; these cases are
// computed in twice the precision (base/twice.h).

#include "mesh/foot.h"

// ------------------------------------------------------------------------------------------------------ in doubles

MOTE_INLINE mote_foot foot_on_edge(const mote_vec3 corners[3], int from, int to, mote_vec3 point)
{
    mote_vec3 along = mote_vec3_sub(corners[to], corners[from]);
    double length2 = mote_vec3_dot(along, along);
    double t = length2 > 0 ? mote_vec3_dot(mote_vec3_sub(point, corners[from]), along) / length2 : 0;
    mote_foot foot = {.feature = MOTE_FEATURE_EDGE, .number = from};
    if (t > 0 && t < 1) {
        foot.point = mote_vec3_add_scaled(corners[from], along, t);
        foot.barycentric[from] = 1 - t;
        foot.barycentric[to] = t;
    } else {
        foot.feature = MOTE_FEATURE_VERTEX;
        foot.number = t > 0 ? to : from;
        foot.point = corners[foot.number];
        foot.barycentric[foot.number] = 1;
    }
    mote_vec3 apart = mote_vec3_sub(point, foot.point);
    foot.distance2 = mote_vec3_dot(apart, apart);
    return foot;
}

mote_foot mote_edge_foot(const mote_vec3 corners[3], int from, int to, mote_vec3 point)
{
    return foot_on_edge(corners, from, to, point);
}

MOTE_INLINE mote_foot foot_on_edges(const mote_vec3 corners[3], mote_vec3 point)
{
    mote_foot best = foot_on_edge(corners, 0, 1, point);
    for (int k = 1; k < 3; ++k) {
        mote_foot foot = foot_on_edge(corners, k, (k + 1) % 3, point);
        if (foot.distance2 < best.distance2) best = foot;
    }
    return best;
}

mote_foot mote_triangle_foot_on_edges(mote_triangle triangle, mote_vec3 point)
{
    const mote_vec3 corners[3] = {triangle.a, triangle.b, triangle.c};
    return foot_on_edges(corners, point);
}

// On the face if the point's projection is inside of all edges, else on the nearest edge. This is correct for
// slivers too, unlike the choice among regions by products of differences.
mote_foot mote_triangle_foot(mote_triangle triangle, mote_vec3 point)
{
    const mote_vec3 corners[3] = {triangle.a, triangle.b, triangle.c};
    mote_vec3 normal = mote_triangle_cross(triangle);
    double weights[3], sum = 0;
    bool inside = true;
    for (int k = 0; k < 3; ++k) {
        int from = (k + 1) % 3, to = (k + 2) % 3;  // the edge opposite to corner k
        mote_vec3 edge = mote_vec3_sub(corners[to], corners[from]);
        mote_vec3 area = mote_vec3_cross(edge, mote_vec3_sub(point, corners[from]));
        weights[k] = mote_vec3_dot(area, normal);
        inside = inside && weights[k] > 0;
        sum += weights[k];
    }
    if (inside) {
        double height = mote_vec3_dot(mote_vec3_sub(point, triangle.a), normal);
        double normal2 = mote_vec3_dot(normal, normal);
        mote_foot foot = {.point = mote_vec3_add_scaled(point, normal, -height / normal2),
                          .distance2 = height * height / normal2,
                          .barycentric = {weights[0] / sum, weights[1] / sum, weights[2] / sum},
                          .feature = MOTE_FEATURE_FACE,
                          .side = height < 0 ? -1 : 1};
        return foot;
    }
    return foot_on_edges(corners, point);
}

// -------------------------------------------------------------------------------------------- in twice the precision

#include "base/twice.h"

// Limit of the height above the plane relative to the distance from a corner: below it doubles do not give the sign
// reliably.
#define HARDLY_ABOVE 0x1p-40

bool mote_triangle_is_sliver(mote_triangle triangle)
{
    const mote_vec3 ab = mote_vec3_sub(triangle.b, triangle.a), ac = mote_vec3_sub(triangle.c, triangle.a);
    const mote_vec3 cross = mote_vec3_cross(ab, ac);
    return mote_vec3_dot(cross, cross) < 0x1p-8 * (mote_vec3_dot(ab, ab) * mote_vec3_dot(ac, ac));
}

mote_foot mote_triangle_foot_precise(mote_triangle triangle, mote_vec3 point)
{
    const mote_vec3 corners[3] = {triangle.a, triangle.b, triangle.c};
    const mote_twice_vec3 normal =
        mote_twice_cross(mote_twice_apart(triangle.b, triangle.a), mote_twice_apart(triangle.c, triangle.a));
    const mote_twice normal2 = mote_twice_dot(normal, normal);
    mote_twice weights[3], sum = {0, 0};
    bool inside = normal2.high > 0;
    for (int k = 0; k < 3; ++k) {
        const int from = (k + 1) % 3, to = (k + 2) % 3;  // the edge opposite to corner k
        const mote_twice_vec3 area = mote_twice_cross(mote_twice_apart(corners[to], corners[from]),
                                                 mote_twice_apart(point, corners[from]));
        weights[k] = mote_twice_dot(area, normal);
        inside = inside && weights[k].high > 0;
        sum = mote_twice_add(sum, weights[k]);
    }
    if (!inside) return mote_triangle_foot_on_edges(triangle, point);
    const mote_twice height = mote_twice_dot(mote_twice_apart(point, triangle.a), normal);
    const mote_twice share = mote_twice_negative(mote_twice_divide(height, normal2));
    const mote_twice x = mote_twice_add((mote_twice){point.x, 0}, mote_twice_multiply(normal.x, share));
    const mote_twice y = mote_twice_add((mote_twice){point.y, 0}, mote_twice_multiply(normal.y, share));
    const mote_twice z = mote_twice_add((mote_twice){point.z, 0}, mote_twice_multiply(normal.z, share));
    mote_foot foot = {.point = {x.high, y.high, z.high}, .feature = MOTE_FEATURE_FACE};
    foot.distance2 = mote_twice_divide(mote_twice_multiply(height, height), normal2).high;
    foot.side = height.high < 0 ? -1 : 1;
    for (int k = 0; k < 3; ++k) foot.barycentric[k] = mote_twice_divide(weights[k], sum).high;
    return foot;
}

// Both triangles of an edge start at the same corner of it, so that both get the same distance.
static void turn_edge(mote_triangle triangle, mote_vec3 point, mote_foot *foot)
{
    const mote_vec3 corners[3] = {triangle.a, triangle.b, triangle.c};
    const int from = foot->number, to = (from + 1) % 3;
    const mote_vec3 a = corners[from], b = corners[to];
    const bool is_first = a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
    if (is_first) return;
    const mote_foot turned = mote_edge_foot(corners, to, from, point);
    if (turned.feature != MOTE_FEATURE_EDGE) return;
    *foot = turned;
    foot->number = from;
}

void mote_triangle_settle_foot(mote_triangle triangle, mote_vec3 point, mote_foot *foot)
{
    if (foot->feature == MOTE_FEATURE_EDGE) turn_edge(triangle, point, foot);
    if (foot->feature != MOTE_FEATURE_FACE) return;
    const mote_vec3 apart = mote_vec3_sub(point, triangle.a);
    const double most = HARDLY_ABOVE * HARDLY_ABOVE * mote_vec3_dot(apart, apart);
    if (foot->distance2 <= most) *foot = mote_triangle_foot_precise(triangle, point);
}
