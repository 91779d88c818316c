// SPDX-License-Identifier: MIT
// The result of a point's motion, after it was tested against all triangles at rest: which of the triangles that it
// touches at the start it goes through, and where it hits.

#include "base/twice.h"
#include "hits/motion_certain.h"
#include "hits/motion_orientation.h"
#include "hits/motion_ray.h"

// Whether the surface at an edge turns away from the particle's side. Then the particle can go behind either
// triangle's plane without going through the surface.
static bool turns_away(const mote_hits *hits, const hits_ray *ray)
{
    mote_vec3 plane[3], other[3];
    mote_hits_corners(hits, ray->stays, plane);
    mote_hits_corners(hits, ray->goes, other);
    for (int k = 0; k < 3; ++k) {
        int sign = mote_hits_orient(plane[0], plane[1], plane[2], other[k]).sign;
        if (sign != 0) return sign == ray->side;
    }
    return false;
}

void mote_hits_ray_settle(const mote_hits *hits, hits_ray *ray)
{
    if (ray->goes == UINT32_MAX) return;
    // Two triangles that share only a vertex do not form an edge.
    if (ray->touch_count == 2 && !ray->at_vertex && ray->stays != UINT32_MAX && turns_away(hits, ray)) return;
    const int32_t side = ray->side;
    ray->side = 0;
    mote_hits_meet_triangle(hits, ray, ray->goes);
    ray->side = side;
}

// The component of a place on the motion, seen from a corner: (to - from)·time - (corner - from) in about 100 bits,
// rounded once.
static double component_from_corner(double from, double to, double corner, double time)
{
    const mote_twice way = mote_twice_sum(to, -from), apart = mote_twice_sum(corner, -from);
    const mote_twice gone = mote_twice_product(way.high, time);
    return (gone.high - apart.high) + ((gone.low - apart.low) + way.low * time);
}

// Time and barycentrics computed relative to the triangle, which is accurate unless the triangle is a sliver or the
// motion grazes it. Returns a bound of their errors. The height above the plane that remains at the first time
// corrects it: then the error of the position is the rounding of its coordinates as seen from the triangle, however
// long the motion is.
static double place_by_plane(const hits_ray *ray, const mote_vec3 corner[3], double *time, double barycentric[3])
{
    const mote_vec3 way = mote_vec3_sub(ray->to, ray->from), apart = mote_vec3_sub(corner[0], ray->from);
    const mote_vec3 e = mote_vec3_sub(corner[1], corner[0]), f = mote_vec3_sub(corner[2], corner[0]);
    const mote_vec3 normal = mote_vec3_cross(e, f);
    const double under = mote_vec3_dot(way, normal), area2 = mote_vec3_dot(normal, normal);
    const double size = MOTE_MAX(mote_hits_largest(e), mote_hits_largest(f)), product = HITS_PLANE_ERROR * size * size;
    const double length = mote_hits_largest(way), distance = mote_hits_largest(apart);
    const double first = mote_vec3_dot(apart, normal) / under;
    mote_vec3 at = {component_from_corner(ray->from.x, ray->to.x, corner[0].x, first),
                    component_from_corner(ray->from.y, ray->to.y, corner[0].y, first),
                    component_from_corner(ray->from.z, ray->to.z, corner[0].z, first)};
    const double left = mote_vec3_dot(at, normal) / under;
    at = mote_vec3_add_scaled(at, way, -left);
    *time = first - left;
    barycentric[1] = mote_vec3_dot(normal, mote_vec3_cross(at, f)) / area2;
    barycentric[2] = mote_vec3_dot(normal, mote_vec3_cross(e, at)) / area2;
    barycentric[0] = 1 - barycentric[1] - barycentric[2];
    const double steep = product * length / fabs(under);
    const double at_error = HITS_PLACE_ROUNDING * size + HITS_FAR_ROUNDING * (distance + length) + steep * size;
    return steep * (distance / length + 1) + 3 * (at_error * size / sqrt(area2) + product * size * size / area2);
}

// Time and barycentrics, with an error of at most HITS_PLACE_ERROR.
static double place_of(const hits_ray *ray, const mote_vec3 corner[3], double barycentric[3])
{
    double time = ray->time;
    for (int k = 0; k < 3; ++k) barycentric[k] = ray->weight[k] / ray->under;
    // If the hit is at an end of the motion the time is exact, but the position is not.
    double error = ray->time_error > 0 ? ray->time_error : HITS_PLACE_ERROR;
    if (!(error <= HITS_PLACE_ERROR / 2)) error = place_by_plane(ray, corner, &time, barycentric);
    if (!(error <= HITS_PLACE_ERROR)) time = mote_hits_exact_crossing(ray->from, ray->to, corner, barycentric);
    return ray->time_error > 0 ? MOTE_MIN(MOTE_MAX(time, 0.0), 1.0) : ray->time;
}

// Sets the weights that are known to be 0, and counts them. The largest of the others makes up for it: if their sum
// were not 1, the point would be off by that part of its coordinates, however small the triangle is.
static int name_zeros(int zero, double barycentric[3])
{
    int zeros = 0, largest = 0;
    for (int k = 0; k < 3; ++k) {
        if (zero >> k & 1) barycentric[k] = 0;
        zeros += zero >> k & 1;
        if (barycentric[k] > barycentric[largest]) largest = k;
    }
    if (zeros > 0) barycentric[largest] = 1 - (barycentric[(largest + 1) % 3] + barycentric[(largest + 2) % 3]);
    return zeros;
}

void mote_hits_meet_result(const mote_hits *hits, const hits_ray *ray, mote_hit *hit)
{
    mote_vec3 corner[3];
    mote_hits_corners(hits, ray->triangle, corner);
    double barycentric[3];
    mote_hit made = {.time = place_of(ray, corner, barycentric), .particle = ray->particle};
    mote_hits_name_triangle(hits, hits->original[ray->triangle], &made.mesh, &made.triangle);
    const double unscale = 1 / hits->scale;
    const int zeros = name_zeros(ray->zero, barycentric);
    mote_vec3 point = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        made.barycentric[k] = barycentric[k];
        point = mote_vec3_add_scaled(point, corner[k], barycentric[k]);
    }
    made.point = mote_vec3_scale(point, unscale);
    made.feature = zeros == 0 ? MOTE_FEATURE_FACE : zeros == 1 ? MOTE_FEATURE_EDGE : MOTE_FEATURE_VERTEX;
    made.side = ray->from_side;
    mote_vec3 normal = mote_vec3_cross(mote_vec3_sub(corner[1], corner[0]), mote_vec3_sub(corner[2], corner[0]));
    // Squares of the sides of small triangles must not underflow.
    normal = mote_vec3_unit(mote_vec3_scale(normal, 1 / MOTE_MAX(mote_hits_largest(normal), 0x1p-1000)));
    made.normal = mote_vec3_scale(normal, made.side);
    *hit = made;
}

void mote_hits_name_certain(const mote_hits *hits, const hits_certain *of, size_t count, size_t lanes, uint32_t *pairs)
{
    const size_t kind = 2 * lanes;
    for (size_t l = 0; l < lanes; ++l, pairs += 2) {
        const hits_certain *motion = &of[MOTE_MIN(l, count - 1)];
        pairs[0] = hits->original[motion->triangle];
        pairs[1] = 0;
        if (hits->mesh_count > 0) mote_hits_name_triangle(hits, pairs[0], &pairs[1], &pairs[0]);
        pairs[kind] = pairs[2 * kind] = motion->particle;
        pairs[kind + 1] = 1;
        pairs[2 * kind + 1] = UINT32_MAX;
        pairs[3 * kind] = MOTE_FEATURE_FACE;
        pairs[3 * kind + 1] = 0;
    }
}

void mote_hits_certain_alone(const mote_hits *hits, const hits_certain *of, mote_vec3 from, mote_vec3 to, mote_hit *hit)
{
    hits_ray ray;
    mote_hits_ray_make(hits, from, to, 0, &ray);
    ray.particle = of->particle;
    mote_hits_meet_triangle(hits, &ray, of->triangle);
    MOTE_ASSERT(ray.triangle == of->triangle);
    mote_hits_meet_result(hits, &ray, hit);
}
