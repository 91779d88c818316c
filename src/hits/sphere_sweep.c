// SPDX-License-Identifier: MIT
// Spheres, and meshes whose vertices move: first contact by conservative advancement (Mirtich 1996).
//
// The sphere advances as far as it is proven to stay away from the triangle (sphere_separation.c), then a new proof
// starts from there. This ends when a proof leads no farther, which happens near the surface, or when the motion
// ends. So no contact is found too late, and at every contact the sphere's centre is farther away than the limit.
//
// Coordinates are relative to the sphere's centre, and are computed from coordinates relative to the mesh's own
// origin: these are exact, however far the mesh is from the caller's origin. Only the part of a long motion near the
// mesh is used.

#include "hits/motion_lanes.h"
#include "hits/sphere_sweep.h"

// After so many steps the sphere counts as touching. Grazing motions alone need more than a hundred.
enum { MOST_STEPS = 1000 };

// A sphere beside the surface goes on if a proof covers this share of the rest of its motion.
#define PROVEN 0x1p-5

// ---------------------------------------------------------------------------------------------------------- rays

static double largest(mote_vec3 v)
{
    return MOTE_MAX(fabs(v.x), MOTE_MAX(fabs(v.y), fabs(v.z)));
}

double mote_hits_rounding(const mote_hits *hits, mote_vec3 from, mote_vec3 to)
{
    return MOTE_MAX(hits->grain, 0x1p-52 * MOTE_MAX(largest(from), largest(to)));
}

double mote_hits_sweep_radius(const mote_hits *hits, mote_vec3 from, mote_vec3 to, double radius)
{
    const double finest = MOTE_MAX(HITS_POINT_RADIUS, 128 * mote_hits_rounding(hits, from, to));
    if (radius >= finest) return MOTE_MIN(radius, HITS_LARGEST_RADIUS);
    return hits->ends ? finest : 0;
}

// The share of the motion that lies in a ball around the mesh's origin; false if none does.
static bool clip(const mote_vec3 local[2], double ball, double share[2])
{
    const mote_vec3 way = mote_vec3_sub(local[1], local[0]);
    const double length = mote_vec3_length(way);
    if (!(length > 0)) return mote_vec3_length(local[0]) <= ball;
    const double middle = -mote_vec3_dot(local[0], mote_vec3_scale(way, 1 / length)) / length;
    const double apart = mote_vec3_length(mote_vec3_add_scaled(local[0], way, middle));
    if (!(apart <= ball)) return false;
    const double half = sqrt((ball - apart) * (ball + apart)) / length;
    share[0] = MOTE_MAX(0.0, middle - half);
    share[1] = MOTE_MIN(1.0, middle + half);
    return share[0] <= share[1];
}

// Of the triangles that are touched at the same time the lowest is returned, even if it is touched a little later
// than another. In that time the sphere moves only a small part of the distance at which it stops, so it touches the
// triangle that is returned.
static double time_parts_of(const mote_hits *hits, const hits_ray *ray)
{
    const double of_mesh = hits->ends ? 4 : 0;
    const double way = mote_vec3_length(mote_vec3_sub(ray->to, ray->from)) + of_mesh;
    return MOTE_MIN(MOTE_MAX(0x1p40, 16 * way / ray->near), 0x1p52);
}

bool mote_hits_sweep_begin(const mote_hits *hits, hits_ray *ray)
{
    const mote_vec3 ends[2] = {ray->from, ray->to};
    mote_vec3 local[2];
    for (int i = 0; i < 2; ++i) local[i] = mote_vec3_sub(ends[i], hits->origin);
    ray->share[0] = 0;
    ray->share[1] = 1;
    // The mesh lies within 2√3 of its origin.
    const double ball = 8 + 2 * ray->radius;
    const bool is_far = largest(local[0]) > ball || largest(local[1]) > ball;
    if (is_far && !clip(local, ball, ray->share)) return false;
    for (int i = 0; i < 2; ++i)
        ray->local[i] = !is_far || ray->share[i] == i ? local[i] : mote_hits_lerp(local[0], local[1], ray->share[i]);
    const double reach = MOTE_MAX(largest(ray->local[0]), largest(ray->local[1]));
    ray->error = 0x1p-50 * (2 + reach) + (ray->share[0] > 0 ? 0x1p-51 * largest(local[0]) : 0);
    const double grain = mote_hits_rounding(hits, ray->from, ray->to);
    const double coarse = MOTE_MAX(16 * (grain + ray->error), 0x1p-46);
    ray->near = MOTE_MAX(ray->radius * 0x1p-20, MOTE_MIN(coarse, ray->radius / 4));
    ray->time_parts = time_parts_of(hits, ray);
    return true;
}

// The time in the step at a share of the examined part of the motion.
static double moment(const hits_ray *ray, double share)
{
    const double of_motion = ray->share[0] + share * (ray->share[1] - ray->share[0]);
    return ray->begin + of_motion * (1 - ray->begin);
}

static mote_vec3 vertex_at(const mote_hits *hits, uint32_t vertex, double time)
{
    const mote_vec3 start = mote_vec3_sub(hits->vertices[vertex], hits->origin);
    return hits->ends ? mote_hits_lerp(start, mote_vec3_sub(hits->ends[vertex], hits->origin), time) : start;
}

static hits_approach see(const mote_hits *hits, const hits_ray *ray, uint32_t triangle)
{
    hits_approach made = {.error = ray->error, .turns = hits->ends != NULL};
    const uint32_t *vertex = hits->triangles + 3 * (size_t)triangle;
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 3; ++k)
            made.corner[i][k] = mote_vec3_sub(vertex_at(hits, vertex[k], moment(ray, i)), ray->local[i]);
    for (int k = 0; k < 3; ++k)
        made.speed = MOTE_MAX(made.speed, mote_vec3_length(mote_vec3_sub(made.corner[1][k], made.corner[0][k])));
    return made;
}

// --------------------------------------------------------------------------------------------------------- sweep

// Times in the same part of the motion count as equal: of the triangles hit in that part the lowest is returned, but
// with the time of the first. Within such a part of a long motion a small sphere could pass through another
// triangle.
static void keep_first(const mote_hits *hits, hits_ray *ray, uint32_t triangle, double time)
{
    const bool is_only = ray->triangle == UINT32_MAX;
    const double part = floor(time * ray->time_parts);
    const double first_part = is_only ? HUGE_VAL : floor(ray->time * ray->time_parts);
    if (part > first_part) return;
    if (part < first_part || hits->original[triangle] < hits->original[ray->triangle]) ray->triangle = triangle;
    ray->time = is_only ? time : MOTE_MIN(time, ray->time);
    ray->time_error = 0x1p-40;
}

// Whether the box around the triangle's motion is farther from the centre than `reach`.
static bool is_far(const hits_approach *approach, int ends, double reach)
{
    const mote_vec3 *a = approach->corner[0], *b = approach->corner[ends - 1];
    mote_vec3 low = a[0], high = a[0];
    for (int k = 0; k < 3; ++k) {
        low = mote_vec3_min(low, mote_vec3_min(a[k], b[k]));
        high = mote_vec3_max(high, mote_vec3_max(a[k], b[k]));
    }
    return low.x > reach || low.y > reach || low.z > reach || high.x < -reach || high.y < -reach || high.z < -reach;
}

static bool has_no_area(const mote_hits *hits, uint32_t triangle)
{
    const uint32_t *vertex = hits->triangles + 3 * (size_t)triangle;
    for (int i = 0; i < (hits->ends ? 2 : 1); ++i) {
        const mote_vec3 *at = i ? hits->ends : hits->vertices;
        const mote_triangle corners = {at[vertex[0]], at[vertex[1]], at[vertex[2]]};
        if (!mote_triangle_is_flat(corners)) return false;
    }
    return true;
}

// The distance that the sphere keeps: its radius, or less if it is already nearer at the start.
static double limit_of(const hits_ray *ray, double gap)
{
    return MOTE_MIN(ray->radius, gap - 4 * ray->error);
}

// The share at which the sphere touches, or 2 if that is not before `latest`, which affects nothing else. A sphere
// that is near enough to count as touching may go on if a proof covers a good part of its motion.
static double share_of_contact(const hits_ray *ray, const hits_approach *approach, hits_separation look, double latest)
{
    const double limit = limit_of(ray, look.gap), near = ray->near;
    for (int step = 0; step < MOST_STEPS; ++step) {
        const bool is_near = look.gap < limit + near / 2;
        const double keep = is_near ? MOTE_MAX(limit, (limit + look.gap) / 2) : limit + near / 4;
        const double least = is_near ? PROVEN * (1 - look.share) : 0, enough = MOTE_MAX(latest - look.share, least);
        const double free = mote_hits_separation_free_share(approach, &look, keep + approach->error, least, enough);
        if (look.share + free >= 1) return 2;
        if (look.share + free == look.share || free < least) break;
        if (look.share + free > latest) return 2;
        look = mote_hits_separation_at(approach, look.share + free);
    }
    return look.share;
}

// For a sphere that is deep in a triangle at rest: decides exactly whether its centre goes through.
static bool crosses(const mote_hits *hits, const hits_ray *ray, uint32_t triangle)
{
    hits_ray point = *ray;
    point.triangle = point.goes = point.stays = UINT32_MAX;
    point.side = 0;
    point.zero = 0;
    mote_hits_meet_triangle(hits, &point, triangle);
    return point.triangle != UINT32_MAX;
}

void mote_hits_sweep_triangle(const mote_hits *hits, hits_ray *ray, uint32_t triangle)
{
    if (triangle == ray->triangle) return;
    const hits_approach approach = see(hits, ray, triangle);
    const double reach = ray->contacts ? ray->contacts->reach : ray->radius + ray->near;
    if (is_far(&approach, ray->contacts ? 1 : 2, reach + ray->error) || has_no_area(hits, triangle)) return;
    const hits_separation look = mote_hits_separation_at(&approach, 0);
    if (ray->contacts) {
        mote_hits_sweep_add_near(hits, ray, triangle, &look);
        return;
    }
    if (approach.speed == 0) return;
    const double span = ray->share[1] - ray->share[0];
    const double latest = ray->triangle == UINT32_MAX ? 1 : (ray->time + 0x1p-39 - ray->share[0]) / span;
    double share = share_of_contact(ray, &approach, look, latest);
    const bool is_deep = !hits->ends && look.gap < ray->radius / 2;
    if (is_deep && share > 0 && crosses(hits, ray, triangle)) share = 0;
    if (share > 1) return;
    keep_first(hits, ray, triangle, ray->share[0] + share * span);
}

// ------------------------------------------------------------------------------------------------------- answers

// How far the point of contact moves in the whole step [internal].
static mote_vec3 velocity_at(const mote_hits *hits, uint32_t triangle, const mote_foot *foot)
{
    mote_vec3 velocity = {0, 0, 0};
    const uint32_t *vertex = hits->triangles + 3 * (size_t)triangle;
    for (int k = 0; k < 3 && hits->ends; ++k) {
        const mote_vec3 moved = mote_vec3_sub(hits->ends[vertex[k]], hits->vertices[vertex[k]]);
        velocity = mote_vec3_add_scaled(velocity, moved, foot->barycentric[k]);
    }
    return velocity;
}

void mote_hits_sweep_result(const mote_hits *hits, const hits_ray *ray, mote_hit *hit)
{
    const hits_approach approach = see(hits, ray, ray->triangle);
    const double span = ray->share[1] - ray->share[0];
    const double share = span > 0 ? MOTE_MIN(MOTE_MAX((ray->time - ray->share[0]) / span, 0.0), 1.0) : 0;
    const hits_separation look = mote_hits_separation_at(&approach, share);
    const mote_vec3 center = mote_vec3_add(mote_hits_lerp(ray->local[0], ray->local[1], share), hits->origin);
    const double unscale = 1 / hits->scale;
    mote_hit made = {.time = ray->time, .particle = ray->particle, .feature = look.foot.feature};
    made.point = mote_vec3_scale(mote_vec3_add(center, look.foot.point), unscale);
    made.side = mote_vec3_dot(look.foot.point, look.normal) > 0 ? -1 : 1;
    made.normal = mote_vec3_scale(look.towards, -1);
    made.velocity = mote_vec3_scale(velocity_at(hits, ray->triangle, &look.foot), unscale);
    memcpy(made.barycentric, look.foot.barycentric, sizeof made.barycentric);
    mote_hits_name_triangle(hits, hits->original[ray->triangle], &made.mesh, &made.triangle);
    *hit = made;
}

// ------------------------------------------------------------------------------------------------------ contacts

void mote_hits_sweep_add_near(const mote_hits *hits, const hits_ray *ray, uint32_t triangle,
                              const hits_separation *look)
{
    hits_near_triangles *list = ray->contacts;
    if (look->gap > list->reach) return;
    hits_near_triangle made = {.normal = mote_vec3_scale(look->direction, -1), .gap = look->gap, .triangle = triangle};
    made.velocity = velocity_at(hits, triangle, &look->foot);
    made.original = hits->original[triangle];
    // Triangles in one plane that move alike are one contact.
    for (uint32_t i = 0; i < list->count; ++i) {
        hits_near_triangle *other = &list->contact[i];
        const mote_vec3 turned = mote_vec3_sub(made.normal, other->normal);
        const mote_vec3 faster = mote_vec3_sub(made.velocity, other->velocity);
        if (largest(turned) > 0x1p-20 || largest(faster) > 0x1p-20 * ray->radius) continue;
        if (mote_hits_is_nearer(&made, other)) *other = made;
        return;
    }
    if (list->count == HITS_CONTACTS) {
        // The farthest contact is replaced.
        uint32_t farthest = 0;
        for (uint32_t i = 1; i < list->count; ++i)
            if (mote_hits_is_nearer(&list->contact[farthest], &list->contact[i])) farthest = i;
        if (mote_hits_is_nearer(&made, &list->contact[farthest])) list->contact[farthest] = made;
        return;
    }
    list->contact[list->count++] = made;
}
