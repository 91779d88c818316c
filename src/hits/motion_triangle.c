// SPDX-License-Identifier: MIT
// The exact test of a point's motion against a triangle at rest.
//
// Everything is relative to the motion's start P, with D = Q − P, and corners A, B, C. The signs of D·(B×C),
// D·(C×A), D·(A×B) show on which sides of the triangle's edges the motion's line passes; these are also the
// barycentrics of the point where it crosses the plane, times their sum N. The time is A·(B×C)/N. Volumes are
// computed with an error bound; signs that it leaves open are computed exactly. Both triangles at an edge get the
// same sign.

#include "hits/motion_lanes.h"
#include "hits/motion_orientation.h"

// If N's relative error is larger, volumes are computed again.
#define TOLERABLE_ERROR 0x1p-30
// Error of a volume, as a share of the product of the largest its factors can be: 6 products, 8·2^-53 of each.
#define VOLUME_ERROR 0x1p-47

// The same for products with the triangle's edges and normal, with room.
#define PLANE_ERROR 0x1p-49
// The error that times and barycentrics may have.
#define PLACE_ERROR 0x1p-40

typedef struct crossing {
    first_volume weight[3], start, end;  // start, end: above 0 behind the triangle
    double under;
    uint8_t zero;
} crossing;

static double largest(mote_vec3 v)
{
    return MOTE_MAX(fabs(v.x), MOTE_MAX(fabs(v.y), fabs(v.z)));
}

static first_volume filtered(double value, double error)
{
    first_volume volume = {value, error, fabs(value) > error ? (value > 0) - (value < 0) : 0};
    return volume;
}

static bool is_open(const first_volume *volume)
{
    return volume->sign == 0;
}

// Computes the volumes of the edges. Returns whether a hit is still possible.
static bool pass_edges(const hits_ray *ray, const mote_vec3 corner[3], const mote_vec3 normal[3], mote_vec3 way,
                       const double error[3], crossing *at)
{
    bool above = false, below = false;
    for (int k = 0; k < 3; ++k) {
        at->weight[k] = filtered(mote_vec3_dot(way, normal[k]), error[k]);
        above |= at->weight[k].sign > 0;
        below |= at->weight[k].sign < 0;
    }
    if (above && below) return false;
    const double sum = fabs(at->weight[0].value + at->weight[1].value + at->weight[2].value);
    const bool is_poor = !(error[0] + error[1] + error[2] <= TOLERABLE_ERROR * sum);
    for (int k = 0; k < 3; ++k) {
        if (is_open(&at->weight[k]) || is_poor)
            at->weight[k] = mote_hits_orient(ray->to, corner[(k + 1) % 3], corner[(k + 2) % 3], ray->from);
        above |= at->weight[k].sign > 0;
        below |= at->weight[k].sign < 0;
        if (is_open(&at->weight[k])) at->zero |= (uint8_t)(1u << k);
    }
    return above != below;
}

// Computes the volumes of the ends from those of the edges.
static inline void measure_ends(crossing *at, double start, double start_error)
{
    double error = start_error;
    at->under = 0;
    for (int k = 0; k < 3; ++k) {
        at->under += at->weight[k].value;
        error += at->weight[k].error;
    }
    at->start = filtered(start, start_error);
    at->end = filtered(start - at->under, error + 0x1p-51 * (fabs(start) + fabs(at->under)));
}

// Finds on which sides the ends lie; false if the motion does not cross the plane.
static bool pass_plane(const hits_ray *ray, const mote_vec3 corner[3], crossing *at, double start, double start_error)
{
    measure_ends(at, start, start_error);
    if (at->start.sign * at->end.sign > 0) return false;
    if (is_open(&at->start)) at->start = mote_hits_orient(corner[0], corner[1], corner[2], ray->from);
    if (is_open(&at->end)) at->end = mote_hits_orient(corner[0], corner[1], corner[2], ray->to);
    return at->start.sign * at->end.sign <= 0 && at->start.sign != at->end.sign;
}

static bool is_before(const mote_hits *hits, const hits_ray *ray, uint32_t triangle, const mote_vec3 corner[3],
                      double time, double error)
{
    if (ray->triangle == UINT32_MAX || time + error < ray->time - ray->time_error) return true;
    if (time - error > ray->time + ray->time_error) return false;
    mote_vec3 other[3];
    mote_hits_corners(hits, ray->triangle, other);
    int sign = mote_hits_compare_times(ray->from, ray->to, corner, other);
    return sign < 0 || (sign == 0 && hits->original[triangle] < hits->original[ray->triangle]);
}

static void keep(hits_ray *ray, uint32_t triangle, const crossing *at, double time, double error)
{
    ray->triangle = triangle;
    ray->time = time;
    ray->time_error = error;
    for (int k = 0; k < 3; ++k) ray->weight[k] = at->weight[k].value;
    ray->under = at->under;
    ray->zero = at->zero;
    ray->from_side = at->start.sign != 0 ? -at->start.sign : at->end.sign;
}

static bool is_vertex(uint8_t zero)
{
    return (zero & (zero - 1)) != 0;
}

// Handles a triangle on which the point lies at the start: returns whether it is hit. Triangles that are touched at
// an edge or vertex are only recorded here; they are decided when all of them are known.
static bool starts_through(const mote_hits *hits, hits_ray *ray, uint32_t triangle, const crossing *at)
{
    const bool through = at->end.sign == ray->side;
    if (ray->side == 0 || at->zero == 0) return ray->side == 0 || through;
    for (uint32_t k = 0; k < MOTE_MIN(ray->touch_count, 2u); ++k)
        if (ray->touch[k] == triangle) return false;
    if (ray->touch_count < 2) ray->touch[ray->touch_count] = triangle;
    ray->touch_count++;
    ray->at_vertex = is_vertex(at->zero);
    if (!through) ray->stays = triangle;
    else if (ray->goes == UINT32_MAX || hits->original[triangle] < hits->original[ray->goes])
        ray->goes = triangle;
    return false;
}

// A triangle that the motion hits: computes the time, and keeps the hit if it is the first.
static void take(const mote_hits *hits, hits_ray *ray, uint32_t triangle, const mote_vec3 corner[3], const crossing *at)
{
    double time = at->start.value / at->under, time_error = at->start.error;
    for (int k = 0; k < 3; ++k) time_error += at->weight[k].error;
    time_error = 2 * time_error / fabs(at->under) + 0x1p-50;
    if (is_open(&at->start)) time = time_error = 0;
    if (is_open(&at->end)) time = 1, time_error = 0;
    time = MOTE_MIN(MOTE_MAX(time, 0.0), 1.0);
    if (is_open(&at->start) && !starts_through(hits, ray, triangle, at)) return;
    if (is_before(hits, ray, triangle, corner, time, time_error)) keep(ray, triangle, at, time, time_error);
}

void mote_hits_meet_triangle(const mote_hits *hits, hits_ray *ray, uint32_t triangle)
{
    if (triangle == ray->triangle) return;
    mote_vec3 corner[3], apart[3], normal[3];
    double size[3], error[3];
    const mote_vec3 way = mote_vec3_sub(ray->to, ray->from);
    const double way_error = VOLUME_ERROR * largest(way);
    mote_hits_corners(hits, triangle, corner);
    for (int k = 0; k < 3; ++k) {
        apart[k] = mote_vec3_sub(corner[k], ray->from);
        size[k] = largest(apart[k]);
    }
    for (int k = 0; k < 3; ++k) {
        normal[k] = mote_vec3_cross(apart[(k + 1) % 3], apart[(k + 2) % 3]);
        error[k] = way_error * size[(k + 1) % 3] * size[(k + 2) % 3];
    }
    crossing at = {.zero = 0};
    if (!pass_edges(ray, corner, normal, way, error, &at)) return;
    const double start_error = VOLUME_ERROR * size[0] * size[1] * size[2];
    if (!pass_plane(ray, corner, &at, mote_vec3_dot(apart[0], normal[0]), start_error)) return;
    take(hits, ray, triangle, corner, &at);
}

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

// Time and barycentrics computed relative to the triangle, which is accurate unless the triangle is a sliver or the
// motion grazes it. Returns a bound of their errors. The height above the plane that remains at the first time
// corrects it: then the error of the position is only the rounding of its coordinates.
static double place_by_plane(const hits_ray *ray, const mote_vec3 corner[3], double *time, double barycentric[3])
{
    const mote_vec3 way = mote_vec3_sub(ray->to, ray->from), apart = mote_vec3_sub(corner[0], ray->from);
    const mote_vec3 e = mote_vec3_sub(corner[1], corner[0]), f = mote_vec3_sub(corner[2], corner[0]);
    const mote_vec3 normal = mote_vec3_cross(e, f);
    const double under = mote_vec3_dot(way, normal), area2 = mote_vec3_dot(normal, normal);
    const double size = MOTE_MAX(largest(e), largest(f)), length = largest(way), product = PLANE_ERROR * size * size;
    const double first = mote_vec3_dot(apart, normal) / under;
    mote_vec3 at = mote_vec3_sub(mote_vec3_scale(way, first), apart);
    const double left = mote_vec3_dot(at, normal) / under;
    at = mote_vec3_add_scaled(at, way, -left);
    *time = first - left;
    barycentric[1] = mote_vec3_dot(normal, mote_vec3_cross(at, f)) / area2;
    barycentric[2] = mote_vec3_dot(normal, mote_vec3_cross(e, at)) / area2;
    barycentric[0] = 1 - barycentric[1] - barycentric[2];
    const double steep = product * length / fabs(under), at_error = 0x1p-51 * (largest(apart) + length) + steep * size;
    return steep * (largest(apart) / length + 1) + 3 * (at_error * size / sqrt(area2) + product * size * size / area2);
}

// Time and barycentrics, with an error of at most PLACE_ERROR.
static double place_of(const hits_ray *ray, const mote_vec3 corner[3], double barycentric[3])
{
    double time = ray->time;
    for (int k = 0; k < 3; ++k) barycentric[k] = ray->weight[k] / ray->under;
    // If the hit is at an end of the motion the time is exact, but the position is not.
    double error = ray->time_error > 0 ? ray->time_error : PLACE_ERROR;
    if (!(error <= PLACE_ERROR / 2)) error = place_by_plane(ray, corner, &time, barycentric);
    if (!(error <= PLACE_ERROR)) time = mote_hits_exact_crossing(ray->from, ray->to, corner, barycentric);
    return ray->time_error > 0 ? MOTE_MIN(MOTE_MAX(time, 0.0), 1.0) : ray->time;
}

void mote_hits_meet_result(const mote_hits *hits, const hits_ray *ray, mote_hit *hit)
{
    mote_vec3 corner[3];
    mote_hits_corners(hits, ray->triangle, corner);
    double barycentric[3];
    mote_hit made = {.time = place_of(ray, corner, barycentric), .particle = ray->particle};
    mote_hits_name_triangle(hits, hits->original[ray->triangle], &made.mesh, &made.triangle);
    const double unscale = 1 / hits->scale;
    int zeros = 0;
    mote_vec3 point = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        made.barycentric[k] = ray->zero >> k & 1 ? 0 : barycentric[k];
        zeros += ray->zero >> k & 1;
        point = mote_vec3_add_scaled(point, corner[k], made.barycentric[k]);
    }
    made.point = mote_vec3_scale(point, unscale);
    made.feature = zeros == 0 ? MOTE_FEATURE_FACE : zeros == 1 ? MOTE_FEATURE_EDGE : MOTE_FEATURE_VERTEX;
    made.side = ray->from_side;
    mote_vec3 normal = mote_vec3_cross(mote_vec3_sub(corner[1], corner[0]), mote_vec3_sub(corner[2], corner[0]));
    // Squares of the sides of small triangles must not underflow.
    normal = mote_vec3_unit(mote_vec3_scale(normal, 1 / MOTE_MAX(largest(normal), 0x1p-1000)));
    made.normal = mote_vec3_scale(normal, made.side);
    *hit = made;
}
