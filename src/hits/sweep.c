// Spheres, and meshes whose vertices move: first contact by conservative advancement (Mirtich 1996; along the direction
// between the closest points: Zhang, Lee & Kim 2006).
//
// Across the plane between the sphere's centre and the closest point of the triangle each corner comes nearer at a
// constant rate: until the first of them has come as near as the radius, the two cannot touch. To go on by that time,
// again and again, never comes too far; towards a triangle that does not turn it is Newton's method on a convex
// function. It ends when the sphere is nearer than the tolerance, or where the motion ends.

#include "hits/first.h"
#include "hits/internal.h"

// Beyond so many steps it counts as touching: none of our tests needs a hundred.
enum { MOST_STEPS = 1000 };

// At a share of the ray's motion.
static void corners_at(const mote_first_hits *first, const first_ray *ray, uint32_t triangle, double share,
                       mote_vec3 corner[3])
{
    const double time = ray->begin + share * (1 - ray->begin);
    const uint32_t *vertex = first->triangles + 3 * (size_t)triangle;
    for (int k = 0; k < 3; ++k) {
        corner[k] = first->vertices[vertex[k]];
        if (first->ends) corner[k] = mote_first_lerp(corner[k], first->ends[vertex[k]], time);
    }
}

static mote_foot foot_at(const mote_first_hits *first, const first_ray *ray, uint32_t triangle, double time)
{
    mote_vec3 corner[3];
    corners_at(first, ray, triangle, time, corner);
    mote_triangle t = {corner[0], corner[1], corner[2]};
    return mote_triangle_foot(t, mote_first_lerp(ray->from, ray->to, time));
}

// From the foot to the centre, unit. Close to the surface the difference is rounding for the most part: then what the
// foot lies on tells better.
static mote_vec3 direction(const mote_foot *foot, const mote_vec3 corner[3], mote_vec3 center)
{
    const mote_vec3 apart = mote_vec3_sub(center, foot->point);
    if (foot->feature == MOTE_FEATURE_FACE) {
        const mote_triangle t = {corner[0], corner[1], corner[2]};
        const mote_vec3 normal = mote_vec3_unit(mote_triangle_cross(t));
        return mote_vec3_scale(normal, mote_vec3_dot(apart, normal) < 0 ? -1 : 1);
    }
    if (foot->feature == MOTE_FEATURE_VERTEX) return mote_vec3_unit(apart);
    const mote_vec3 edge = mote_vec3_unit(mote_vec3_sub(corner[(foot->number + 1) % 3], corner[foot->number]));
    const mote_vec3 unit = mote_vec3_unit(apart);
    return mote_vec3_unit(mote_vec3_add_scaled(unit, edge, -mote_vec3_dot(unit, edge)));
}

// How long nothing comes nearer than `limit` across the plane at the foot.
static double time_across(const mote_first_hits *first, const first_ray *ray, uint32_t triangle, double time,
                          const mote_foot *foot, double limit)
{
    const uint32_t *vertex = first->triangles + 3 * (size_t)triangle;
    const mote_vec3 center = mote_first_lerp(ray->from, ray->to, time), way = mote_vec3_sub(ray->to, ray->from);
    mote_vec3 corner[3];
    corners_at(first, ray, triangle, time, corner);
    const mote_vec3 normal = direction(foot, corner, center);
    double least = HUGE_VAL;
    for (int k = 0; k < 3; ++k) {
        mote_vec3 moved = {0, 0, 0};
        if (first->ends) moved = mote_vec3_sub(first->ends[vertex[k]], first->vertices[vertex[k]]);
        const double rate = mote_vec3_dot(normal, mote_vec3_sub(mote_vec3_scale(moved, 1 - ray->begin), way));
        const double gap = mote_vec3_dot(normal, mote_vec3_sub(center, corner[k])) - limit;
        if (rate > 0) least = MOTE_MIN(least, gap / rate);
        else if (gap < 0) least = 0;
    }
    return least;
}

// How fast a corner and the sphere come together at most.
static double relative_speed(const mote_first_hits *first, const first_ray *ray, uint32_t triangle)
{
    const mote_vec3 way = mote_vec3_sub(ray->to, ray->from);
    if (!first->ends) return mote_vec3_length(way);
    const uint32_t *vertex = first->triangles + 3 * (size_t)triangle;
    double fastest = 0;
    for (int k = 0; k < 3; ++k) {
        mote_vec3 moved = mote_vec3_sub(first->ends[vertex[k]], first->vertices[vertex[k]]);
        moved = mote_vec3_scale(moved, 1 - ray->begin);
        fastest = MOTE_MAX(fastest, mote_vec3_length(mote_vec3_sub(way, moved)));
    }
    return fastest;
}

// A point that meets a moving triangle: how long it keeps `limit` away from the triangle's plane. The volume that they
// span is a cubic of time; where the hull of its Bernstein coefficients stays above a bound, so does the volume.
static double time_beside(const mote_first_hits *first, const first_ray *ray, uint32_t triangle, double time,
                          double limit)
{
    mote_vec3 corner[2][3], e[2], f[2], w[2];
    double span = 1 - time;
    corners_at(first, ray, triangle, time, corner[0]);
    for (int halved = 0; halved < 30; ++halved, span *= 0.5) {
        corners_at(first, ray, triangle, time + span, corner[1]);
        for (int k = 0; k < 2; ++k) {
            e[k] = mote_vec3_sub(corner[k][1], corner[k][0]);
            f[k] = mote_vec3_sub(corner[k][2], corner[k][0]);
            w[k] = mote_vec3_sub(mote_first_lerp(ray->from, ray->to, time + k * span), corner[k][0]);
        }
        const mote_vec3 begin = mote_vec3_cross(e[0], f[0]), end = mote_vec3_cross(e[1], f[1]);
        const mote_vec3 mixed = mote_vec3_add(mote_vec3_cross(e[1], f[0]), mote_vec3_cross(e[0], f[1]));
        const double size = mote_vec3_length(begin);
        const double most = MOTE_MAX(MOTE_MAX(size, mote_vec3_length(end)), mote_vec3_length(mixed) * 0.5);
        // So that what is kept differs little from the limit.
        if (most * limit > size * (limit + mote_first_tolerance(ray->radius) / 2)) continue;
        double b[4] = {mote_vec3_dot(w[0], begin), (mote_vec3_dot(w[1], begin) + mote_vec3_dot(w[0], mixed)) / 3,
                       (mote_vec3_dot(w[1], mixed) + mote_vec3_dot(w[0], end)) / 3, mote_vec3_dot(w[1], end)};
        const double sign = b[0] < 0 ? -1 : 1, kept = limit * most;
        double share = 1;
        for (int k = 0; k < 4; ++k) b[k] = sign * b[k] - kept;
        if (b[0] < 0) return 0;
        for (int i = 0; i < 3; ++i)
            for (int k = i + 1; k < 4; ++k)
                if (b[i] >= 0 && b[k] < 0) share = MOTE_MIN(share, (i + (k - i) * b[i] / (b[i] - b[k])) / 3);
        return share < 1 || span < 1 - time ? share * span : HUGE_VAL;
    }
    return 0;
}

// Times are told apart by 2^-40; of equal ones the lowest triangle is kept.
static bool is_first(const mote_first_hits *first, const first_ray *ray, uint32_t triangle, double time)
{
    if (ray->triangle == UINT32_MAX) return true;
    const double a = floor(time * 0x1p40), b = floor(ray->time * 0x1p40);
    return a < b || (a == b && first->original[triangle] < first->original[ray->triangle]);
}

static bool has_no_area(const mote_first_hits *first, const first_ray *ray, uint32_t triangle)
{
    mote_vec3 c[3], end[3];
    corners_at(first, ray, triangle, 0, c);
    corners_at(first, ray, triangle, 1, end);
    const mote_triangle a = {c[0], c[1], c[2]}, b = {end[0], end[1], end[2]};
    return mote_triangle_is_degenerate(a) && mote_triangle_is_degenerate(b);
}

void mote_first_sweep(const mote_first_hits *first, first_ray *ray, uint32_t triangle)
{
    if (triangle == ray->triangle || has_no_area(first, ray, triangle)) return;
    const double near = mote_first_tolerance(ray->radius), speed = relative_speed(first, ray, triangle) * (1 + 0x1p-40);
    if (speed == 0) return;
    mote_foot foot = foot_at(first, ray, triangle, 0);
    double distance = sqrt(foot.distance2), time = 0, limit = ray->radius;
    // Who touches at the start must come nearer.
    if (distance <= limit + 2 * near) {
        limit = MOTE_MAX(distance - 2 * near, 0.0);
        if (time_across(first, ray, triangle, 0, &foot, limit) > 1) return;
        if (ray->radius == FIRST_POINT_RADIUS && time_beside(first, ray, triangle, 0, limit) > 1) return;
    }
    for (int step = 0; distance - limit > near && step < MOST_STEPS; ++step) {
        double free = time_across(first, ray, triangle, time, &foot, limit + near / 2);
        if (ray->radius == FIRST_POINT_RADIUS) free = MOTE_MAX(free, time_beside(first, ray, triangle, time, limit));
        time += MOTE_MAX((distance - limit - near / 2) / speed, free);
        if (time > 1 || (ray->triangle != UINT32_MAX && time > ray->time + 0x1p-40)) return;
        foot = foot_at(first, ray, triangle, time);
        distance = sqrt(foot.distance2);
    }
    if (!is_first(first, ray, triangle, time)) return;
    ray->triangle = triangle;
    ray->time = time;
    ray->time_error = 0x1p-40;
}

void mote_first_finish_sweep(const mote_first_hits *first, const first_ray *ray, mote_first_hit *hit)
{
    const mote_vec3 center = mote_first_lerp(ray->from, ray->to, ray->time);
    const mote_foot foot = foot_at(first, ray, ray->triangle, ray->time);
    mote_vec3 corner[3];
    corners_at(first, ray, ray->triangle, ray->time, corner);
    const mote_triangle t = {corner[0], corner[1], corner[2]};
    const mote_vec3 apart = mote_vec3_sub(center, foot.point), face = mote_vec3_unit(mote_triangle_cross(t));
    const double unscale = 1 / first->scale;
    mote_first_hit made = {.time = ray->time,
                           .point = mote_vec3_scale(foot.point, unscale),
                           .triangle = first->original[ray->triangle],
                           .particle = ray->particle,
                           .feature = foot.feature};
    made.side = mote_vec3_dot(apart, face) < 0 ? -1 : 1;
    made.normal = mote_vec3_scale(face, made.side);
    // Of points the difference is rounding for the most part.
    if (ray->radius > FIRST_POINT_RADIUS && foot.feature != MOTE_FEATURE_FACE) made.normal = mote_vec3_unit(apart);
    const uint32_t *vertex = first->triangles + 3 * (size_t)ray->triangle;
    for (int k = 0; k < 3; ++k) {
        made.barycentric[k] = foot.barycentric[k];
        if (!first->ends) continue;
        const mote_vec3 moved = mote_vec3_sub(first->ends[vertex[k]], first->vertices[vertex[k]]);
        made.velocity = mote_vec3_add_scaled(made.velocity, moved, foot.barycentric[k] * unscale);
    }
    *hit = made;
}
