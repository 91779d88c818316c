// The closest point of the surface: of one triangle, then of all that the point's cell lists.
//
// Distances to the triangles' balls decide which few are looked at exactly: the centroids are points of the surface, so
// the nearest of them bounds the distance from above.

#include "hits/internal.h"

static mote_foot foot_on_edge(const mote_vec3 corners[3], int from, mote_vec3 point)
{
    int to = (from + 1) % 3;
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

// On the face where the point's projection is inside of all edges, else on the nearest edge: which holds up for slivers
// too, where the choice among regions by products of differences does not.
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
                          .feature = MOTE_FEATURE_FACE};
        return foot;
    }
    mote_foot best = foot_on_edge(corners, 0, point);
    for (int k = 1; k < 3; ++k) {
        mote_foot foot = foot_on_edge(corners, k, point);
        if (foot.distance2 < best.distance2) best = foot;
    }
    return best;
}

static double distance2_to_ball_center(const mote_hits *hits, uint32_t triangle, mote_vec3 point)
{
    mote_vec3 apart = mote_vec3_sub(point, hits->balls[triangle].center);
    return mote_vec3_dot(apart, apart);
}

static mote_vec3 pseudonormal(const mote_hits *hits, uint32_t triangle, const mote_foot *foot)
{
    const size_t corner = 3 * (size_t)triangle + (size_t)foot->number;
    switch (foot->feature) {
    case MOTE_FEATURE_EDGE: return hits->features.edges[hits->features.edge_of[corner]];
    case MOTE_FEATURE_VERTEX: return hits->features.vertices[hits->mesh->triangles[corner]];
    case MOTE_FEATURE_FACE: break;
    }
    return hits->features.faces[triangle];
}

static void fill_closest(const mote_hits *hits, mote_vec3 point, uint32_t triangle, const mote_foot *foot,
                         mote_closest *closest)
{
    mote_vec3 normal = pseudonormal(hits, triangle, foot);
    mote_vec3 apart = mote_vec3_sub(point, foot->point);
    double distance = sqrt(foot->distance2), sign = mote_vec3_dot(apart, normal) < 0 ? -1 : 1;
    closest->distance = sign * distance;
    closest->point = foot->point;
    // Very near the surface the difference is all rounding.
    bool clear = foot->feature != MOTE_FEATURE_FACE && distance > 0x1p-30 * hits->reach;
    closest->normal = mote_vec3_unit(clear ? mote_vec3_scale(apart, sign) : normal);
    closest->triangle = triangle;
    for (int k = 0; k < 3; ++k) closest->barycentric[k] = foot->barycentric[k];
    closest->feature = foot->feature;
}

bool mote_hits_closest(const mote_hits *hits, mote_vec3 point, double reach, mote_closest *closest)
{
    const uint32_t *list;
    size_t count;
    if (!mote_hits_grid_list(&hits->grid, point, &list, &count)) return false;
    reach = MOTE_MIN(reach, hits->reach);

    double limit2 = reach * reach;
    for (size_t i = 0; i < count; ++i) {
        double distance2 = distance2_to_ball_center(hits, list[i], point);
        limit2 = MOTE_MIN(limit2, distance2);
    }
    const double limit = sqrt(limit2) * (1 + 0x1p-40);
    mote_foot best = {.distance2 = HUGE_VAL};
    uint32_t triangle = UINT32_MAX;
    for (size_t i = 0; i < count; ++i) {
        double far = limit + hits->balls[list[i]].radius;
        if (distance2_to_ball_center(hits, list[i], point) > far * far) continue;
        mote_foot foot = mote_triangle_foot(mote_mesh_triangle(hits->mesh, list[i]), point);
        if (foot.distance2 >= best.distance2) continue;
        best = foot;
        triangle = list[i];
    }
    if (!(best.distance2 <= reach * reach)) return false;
    fill_closest(hits, point, triangle, &best, closest);
    return true;
}

bool mote_hits_is_inside(const mote_hits *hits, mote_vec3 point)
{
    if (!hits->features.closed) return false;
    // Where nothing is within reach, the side does not change over a step that is shorter.
    for (; mote_box_contains(hits->box, point); point.x += 0.999 * hits->reach) {
        mote_closest closest;
        if (mote_hits_closest(hits, point, hits->reach, &closest)) return closest.distance < 0;
    }
    return false;
}
