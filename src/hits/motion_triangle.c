// SPDX-License-Identifier: MIT
// The exact test of a point's motion against a triangle at rest.
//
// Everything is relative to the motion's start P, with D = Q − P, and corners A, B, C. The signs of D·(B×C),
// D·(C×A), D·(A×B) show on which sides of the triangle's edges the motion's line passes; these are also the
// barycentrics of the point where it crosses the plane, times their sum N. The time is A·(B×C)/N. Volumes are
// computed with an error bound; signs that it leaves open are computed exactly. Both triangles at an edge get the
// same sign.
//
// There are no vectors here, but AVX2 has shorter code for doubles, too.

#include "base/wide.h"
#include "hits/motion_certain.h"
#include "hits/motion_orientation.h"

typedef struct crossing {
    first_volume weight[3], start, end;  // start, end: above 0 behind the triangle
    double under;
    uint8_t zero;
} crossing;

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
static inline bool pass_edges(const mote_hits *hits, const hits_ray *ray, uint32_t triangle, const mote_vec3 normal[3],
                              mote_vec3 way, const double error[3], crossing *at)
{
    bool above = false, below = false, is_clear = true;
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        const double value = mote_vec3_dot(way, normal[k]);
        const bool is_above = value > error[k], is_below = value < -error[k];
        at->weight[k] = (first_volume){value, error[k], (int)is_above - (int)is_below};
        above |= is_above;
        below |= is_below;
        is_clear &= is_above | is_below;
        sum += value;
    }
    if (above & below) return false;
    const bool is_poor = !(error[0] + error[1] + error[2] <= HITS_TOLERABLE_ERROR * fabs(sum));
    if (is_clear & !is_poor) return true;
    mote_vec3 corner[3];
    mote_hits_corners(hits, triangle, corner);
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
static inline bool pass_plane(const mote_hits *hits, const hits_ray *ray, uint32_t triangle, double start,
                              double start_error, crossing *at)
{
    measure_ends(at, start, start_error);
    if (at->start.sign * at->end.sign != 0) return at->start.sign != at->end.sign;
    mote_vec3 corner[3];
    mote_hits_corners(hits, triangle, corner);
    if (is_open(&at->start)) at->start = mote_hits_orient(corner[0], corner[1], corner[2], ray->from);
    if (is_open(&at->end)) at->end = mote_hits_orient(corner[0], corner[1], corner[2], ray->to);
    return at->start.sign * at->end.sign <= 0 && at->start.sign != at->end.sign;
}

static bool is_before(const mote_hits *hits, const hits_ray *ray, uint32_t triangle, double time, double error)
{
    if (ray->triangle == UINT32_MAX || time + error < ray->time - ray->time_error) return true;
    if (time - error > ray->time + ray->time_error) return false;
    mote_vec3 corner[3], other[3];
    mote_hits_corners(hits, triangle, corner);
    mote_hits_corners(hits, ray->triangle, other);
    const int sign = mote_hits_compare_times(ray->from, ray->to, corner, other);
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
static void take(const mote_hits *hits, hits_ray *ray, uint32_t triangle, const crossing *at)
{
    double time = at->start.value / at->under, time_error = at->start.error;
    for (int k = 0; k < 3; ++k) time_error += at->weight[k].error;
    time_error = 2 * time_error / fabs(at->under) + 0x1p-50;
    if (is_open(&at->start)) time = time_error = 0;
    if (is_open(&at->end)) time = 1, time_error = 0;
    time = MOTE_MIN(MOTE_MAX(time, 0.0), 1.0);
    if (is_open(&at->start) && !starts_through(hits, ray, triangle, at)) return;
    if (is_before(hits, ray, triangle, time, time_error)) keep(ray, triangle, at, time, time_error);
}

void WIDE_NAME(mote_hits_meet_triangle)(const mote_hits *hits, hits_ray *ray, uint32_t triangle)
{
    if (triangle == ray->triangle) return;
    const uint32_t *vertex = hits->triangles + 3 * (size_t)triangle;
    const mote_vec3 way = mote_vec3_sub(ray->to, ray->from);
    const double way_error = HITS_VOLUME_ERROR * mote_hits_largest(way);
    mote_vec3 apart[3], normal[3];
    double size[3], error[3];
    crossing at;
    at.zero = 0;
    for (int k = 0; k < 3; ++k) {
        apart[k] = mote_vec3_sub(hits->vertices[vertex[k]], ray->from);
        size[k] = mote_hits_largest(apart[k]);
    }
    for (int k = 0; k < 3; ++k) {
        normal[k] = mote_vec3_cross(apart[(k + 1) % 3], apart[(k + 2) % 3]);
        error[k] = way_error * size[(k + 1) % 3] * size[(k + 2) % 3];
    }
    if (!pass_edges(hits, ray, triangle, normal, way, error, &at)) return;
    const double start = mote_vec3_dot(apart[0], normal[0]);
    const double start_error = HITS_VOLUME_ERROR * size[0] * size[1] * size[2];
    if (pass_plane(hits, ray, triangle, start, start_error, &at)) take(hits, ray, triangle, &at);
}
