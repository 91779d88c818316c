// Triangles in groups of neighbours: sorted along a Morton curve (Morton 1966) by their centroids, eight by eight.
//
// The grid lists clusters, and a query looks into the few that its bounds leave. A cluster's ball is centred at one of
// its triangles' centroids, so that the distance from the centre bounds the distance from the surface from above, as a
// triangle's own ball does.

#include <string.h>

#include "hits/internal.h"

static mote_vec3 centroid(mote_triangle triangle)
{
    return mote_vec3_scale(mote_vec3_add(mote_vec3_add(triangle.a, triangle.b), triangle.c), 1.0 / 3);
}

static mote_result sort_triangles(mote_hits *hits)
{
    mote_mesh *mesh = hits->mesh;
    const size_t n = mesh->triangle_count;
    mote_buffer memory = {0};
    mote_result result = mote_buffer_reserve(hits->context, &memory, mote_bytes(n, 32), 0);
    hits->original = mote_allocate(hits->context, n * sizeof *hits->original);
    if (!hits->original) result = MOTE_ERROR_OUT_OF_MEMORY;
    if (result == MOTE_OK) {
        uint64_t *keys = memory.data;  // n and as many to spare
        uint32_t *spare = (uint32_t *)(keys + 2 * n), *triangles = spare + n;
        mote_vec3 extent = mote_vec3_sub(hits->box.max, hits->box.min);
        double longest = MOTE_MAX(extent.x, MOTE_MAX(extent.y, extent.z));
        for (size_t t = 0; t < n; ++t) {
            mote_vec3 p = mote_vec3_sub(centroid(mote_mesh_triangle(mesh, t)), hits->box.min);
            keys[t] = mote_hits_morton(p.x, longest) | mote_hits_morton(p.y, longest) << 1 |
                      mote_hits_morton(p.z, longest) << 2;
            hits->original[t] = (uint32_t)t;
        }
        result = mote_sort_u64(hits->context, keys, hits->original, keys + n, spare, n);
        memcpy(triangles, mesh->triangles, n * 3 * sizeof *triangles);
        for (size_t t = 0; t < n && result == MOTE_OK; ++t)
            memcpy(mesh->triangles + 3 * t, triangles + 3 * (size_t)hits->original[t], 3 * sizeof *triangles);
    }
    mote_buffer_release(hits->context, &memory);
    return result;
}

// The ball around a centre through the farthest of the corners, roomy enough for rounding.
static double radius_about(mote_vec3 center, mote_triangle triangle, double radius)
{
    const mote_vec3 corners[3] = {triangle.a, triangle.b, triangle.c};
    for (int k = 0; k < 3; ++k) {
        double distance = mote_vec3_length(mote_vec3_sub(corners[k], center)) * (1 + 0x1p-40);
        radius = MOTE_MAX(radius, distance);
    }
    return radius;
}

// A triangle without area is infinitely far away.
static mote_ball triangle_ball(mote_triangle triangle)
{
    mote_ball nowhere = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, 0};
    if (mote_triangle_is_degenerate(triangle)) return nowhere;
    mote_ball ball = {centroid(triangle), 0};
    ball.radius = radius_about(ball.center, triangle, 0);
    return ball;
}

// Centred at the centroid, of those of the triangles, that is nearest to their mean.
static mote_ball cluster_ball(const mote_hits *hits, size_t begin, size_t end)
{
    mote_ball ball = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, 0};
    mote_vec3 sum = {0, 0, 0};
    double count = 0, nearest2 = HUGE_VAL;
    for (size_t t = begin; t < end; ++t) {
        if (!isfinite(hits->balls[t].center.x)) continue;
        sum = mote_vec3_add(sum, hits->balls[t].center);
        ++count;
    }
    for (size_t t = begin; t < end && count > 0; ++t) {
        mote_vec3 apart = mote_vec3_sub(hits->balls[t].center, mote_vec3_scale(sum, 1 / count));
        if (!(mote_vec3_dot(apart, apart) < nearest2)) continue;
        nearest2 = mote_vec3_dot(apart, apart);
        ball.center = hits->balls[t].center;
    }
    for (size_t t = begin; t < end && count > 0; ++t)
        if (isfinite(hits->balls[t].center.x))
            ball.radius = radius_about(ball.center, mote_mesh_triangle(hits->mesh, t), ball.radius);
    return ball;
}

mote_result mote_hits_make_clusters(mote_hits *hits)
{
    const size_t n = hits->mesh->triangle_count;
    if (n == 0) return MOTE_OK;
    mote_result result = sort_triangles(hits);
    if (result != MOTE_OK) return result;
    hits->cluster_count = (n + MOTE_CLUSTER - 1) / MOTE_CLUSTER;
    hits->balls = mote_allocate(hits->context, n * sizeof *hits->balls);
    hits->clusters = mote_allocate(hits->context, hits->cluster_count * sizeof *hits->clusters);
    if (!hits->balls || !hits->clusters) return MOTE_ERROR_OUT_OF_MEMORY;
    for (size_t t = 0; t < n; ++t) hits->balls[t] = triangle_ball(mote_mesh_triangle(hits->mesh, t));
    for (size_t c = 0; c < hits->cluster_count; ++c)
        hits->clusters[c] = cluster_ball(hits, c * MOTE_CLUSTER, MOTE_MIN((c + 1) * MOTE_CLUSTER, n));
    return MOTE_OK;
}
