// The closest point of the surface: of one triangle, then of all that the point's cell lists.
//
// A triangle whose centroid is near bounds the distance from above; bounds from below, by balls around clusters and
// triangles and by discs, leave few others to be looked at exactly.

#include "hits/internal.h"

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
                          .feature = MOTE_FEATURE_FACE,
                          .side = height < 0 ? -1 : 1};
        return foot;
    }
    return foot_on_edges(corners, point);
}

static double distance2_between(mote_vec3 p, mote_vec3 q)
{
    mote_vec3 apart = mote_vec3_sub(p, q);
    return mote_vec3_dot(apart, apart);
}

// Where faces lie back to back their normals cancel, but for rounding: then none has a share.
static mote_vec3 pseudonormal(const mote_features *features, const uint32_t *triangles, uint32_t triangle,
                              const mote_foot *foot)
{
    const size_t corner = 3 * (size_t)triangle + (size_t)foot->number;
    mote_vec3 normal = features->faces[triangle];
    if (foot->feature == MOTE_FEATURE_EDGE) normal = features->edges[features->edge_of[corner]];
    if (foot->feature == MOTE_FEATURE_VERTEX) normal = features->vertices[triangles[corner]];
    return mote_vec3_dot(normal, normal) > 0x1p-80 ? normal : mote_vec3_make(0, 0, 0);
}

static bool is_zero(mote_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

void mote_hits_fill_closest(const mote_features *features, const uint32_t *triangles, mote_vec3 point,
                            uint32_t triangle, const mote_foot *foot, double tiny, mote_closest *closest)
{
    mote_vec3 normal = pseudonormal(features, triangles, triangle, foot);
    mote_vec3 apart = mote_vec3_sub(point, foot->point);
    double distance = sqrt(foot->distance2), sign = mote_vec3_dot(apart, normal) < 0 ? -1 : 1;
    if (foot->feature == MOTE_FEATURE_FACE) sign = foot->side;
    closest->distance = sign * distance;
    closest->point = foot->point;
    bool clear = foot->feature != MOTE_FEATURE_FACE && distance > tiny;
    if (is_zero(normal)) normal = features->faces[triangle];
    closest->normal = mote_vec3_unit(clear ? mote_vec3_scale(apart, sign) : normal);
    closest->triangle = triangle;
    closest->mesh = 0;
    for (int k = 0; k < 3; ++k) closest->barycentric[k] = foot->barycentric[k];
    closest->feature = foot->feature;
}

// The triangle lies in the disc around its centroid that its ball cuts out of its plane: a lower bound for the square
// of its distance, which for points well above a finely tessellated surface is much better than the ball's. A sliver's
// normal may be off by 2^-16 (see mote_triangle_is_degenerate), and the height with it.
static double distance2_to_disc(const mote_hits *hits, uint32_t triangle, mote_vec3 point)
{
    mote_vec3 apart = mote_vec3_sub(point, hits->balls[triangle].center);
    double height = mote_vec3_dot(apart, hits->features.faces[triangle]);
    mote_vec3 in_plane = mote_vec3_add_scaled(apart, hits->features.faces[triangle], -height);
    double beyond = mote_vec3_length(in_plane) - hits->balls[triangle].radius;
    double bound = height * height + (beyond > 0 ? beyond * beyond : 0);
    return bound - 0x1p-14 * mote_vec3_dot(apart, apart);
}

// Of some balls, the one whose centre is nearest: their numbers are list[i], or first + i without a list.
static uint32_t nearest_center(const mote_ball *balls, const uint32_t *list, uint32_t first, size_t count,
                               mote_vec3 point)
{
    uint32_t nearest = list ? list[0] : first;
    double nearest2 = HUGE_VAL;
    for (size_t i = 0; i < count; ++i) {
        uint32_t number = list ? list[i] : first + (uint32_t)i;
        double distance2 = distance2_between(point, balls[number].center);
        if (distance2 >= nearest2) continue;
        nearest2 = distance2;
        nearest = number;
    }
    return nearest;
}

// The closest point so far.
typedef struct closest_search {
    const mote_hits *hits;
    mote_vec3 point;
    double reach, limit;  // triangles beyond the limit need not be looked at
    mote_foot best;
    uint32_t triangle;
} closest_search;

static void look_at_triangle(closest_search *search, uint32_t triangle)
{
    const uint32_t *original = search->hits->original;
    mote_foot foot = mote_triangle_foot(mote_mesh_triangle(search->hits->mesh, triangle), search->point);
    bool tie = foot.distance2 == search->best.distance2 && original[triangle] < original[search->triangle];
    if (foot.distance2 > search->best.distance2 || (foot.distance2 == search->best.distance2 && !tie)) return;
    search->best = foot;
    search->triangle = triangle;
    search->limit = MOTE_MIN(sqrt(foot.distance2), search->reach) * (1 + 0x1p-30);  // rounding of the bounds
}

static void look_into_cluster(closest_search *search, uint32_t cluster)
{
    const mote_hits *hits = search->hits;
    const uint32_t first = cluster * MOTE_CLUSTER;
    const size_t end = MOTE_MIN((size_t)first + MOTE_CLUSTER, hits->mesh->triangle_count);
    for (uint32_t t = first; t < end; ++t) {
        double far = search->limit + hits->balls[t].radius;
        if (distance2_between(search->point, hits->balls[t].center) > far * far) continue;
        if (distance2_to_disc(hits, t, search->point) > search->limit * search->limit) continue;
        look_at_triangle(search, t);
    }
}

bool mote_hits_find_closest(const mote_hits *hits, mote_vec3 point, double reach, mote_closest *closest)
{
    const uint32_t *list;
    size_t count;
    if (!mote_hits_grid_list(&hits->grid, point, &list, &count)) return false;
    closest_search search = {.hits = hits, .point = point, .reach = MOTE_MIN(reach, hits->reach)};
    search.best.distance2 = HUGE_VAL;

    // The first one looked at is close to the closest: it leaves little to do.
    uint32_t cluster = nearest_center(hits->clusters, list, 0, count, point), first = cluster * MOTE_CLUSTER;
    size_t members = MOTE_MIN(hits->mesh->triangle_count - first, MOTE_CLUSTER);
    look_at_triangle(&search, nearest_center(hits->balls, NULL, first, members, point));
    for (size_t i = 0; i < count; ++i) {
        double far = search.limit + hits->clusters[list[i]].radius;
        if (distance2_between(point, hits->clusters[list[i]].center) <= far * far) look_into_cluster(&search, list[i]);
    }
    if (!(search.best.distance2 <= search.reach * search.reach)) return false;
    mote_hits_fill_closest(&hits->features, hits->mesh->triangles, point, search.triangle, &search.best,
                           0x1p-30 * hits->reach, closest);
    closest->triangle = hits->original[search.triangle];
    return true;
}

bool mote_hits_closest(const mote_hits *hits, mote_vec3 point, double reach, mote_closest *closest)
{
    if (!hits || !closest) return false;
    if (!mote_hits_find_closest(hits, mote_vec3_scale(point, hits->scale), reach * hits->scale, closest)) return false;
    closest->distance /= hits->scale;
    closest->point = mote_vec3_scale(closest->point, 1 / hits->scale);
    return true;
}

bool mote_hits_is_inside(const mote_hits *hits, mote_vec3 point)
{
    if (!hits) return false;
    point = mote_vec3_scale(point, hits->scale);
    if (!hits->features.closed || !mote_box_contains(hits->box, point)) return false;
    const double low = hits->box.min.x, high = hits->box.max.x, step = 0.999 * hits->reach;
    // A walk of a million steps, or of steps that are lost in rounding, is none.
    if (step < 0x1p-20 * (high - low) || step < 0x1p-40 * MOTE_MAX(fabs(low), fabs(high)))
        return mote_mesh_winding_number(hits->mesh, point) > 0.5;
    // Where nothing is within reach, the side does not change over a step that is shorter.
    for (; mote_box_contains(hits->box, point); point.x += step) {
        mote_closest closest;
        if (mote_hits_find_closest(hits, point, hits->reach, &closest)) return closest.distance < 0;
    }
    return false;
}
