// SPDX-License-Identifier: MIT
// Walks spheres, and all motions against a mesh that moves, down the tree: the child that may be touched first is
// visited first, and children that cannot be touched before the first hit so far are skipped. So the cost of a large
// sphere depends on the triangles that it touches on its way, not on the cells that it covers.
//
// The time at which a sphere touches a box is found by Newton's method on their distance, a convex function of time:
// the centre approaches the plane at the box's closest point at a constant rate, so no step goes too far.
//
// Triangles of a mesh at rest that are touched at the start count only if the centre moves nearer to them: at once,
// or never. So boxes that the centre moves away from entirely are skipped.
//
// Of many triangles that are touched at the same time the lowest is required. Boxes that contain no lower one, and
// are not touched before the hit so far, are skipped.

#include "hits/motion_descent.h"
#include "hits/closest.h"
#include "hits/sphere_sweep.h"

enum { STEPS = 8 };

typedef struct touch_box {
    double low[3], high[3];
} touch_box;

// A motion relative to the tree's origin.
typedef struct touch_way {
    const mote_hits *hits;
    double from[3], way[3], length;
    // Distance that counts as touching: the radius, twice `near`, and the rounding error of distances.
    double reach;
} touch_way;

// Children that may be touched, the first on top.
typedef struct touch_stack {
    double time[HITS_TREE_STACK];
    uint32_t child[HITS_TREE_STACK], lowest[HITS_TREE_STACK];
    size_t count;
} touch_stack;

static touch_way make_way(const mote_hits *hits, const hits_ray *ray)
{
    const double from[3] = {ray->from.x, ray->from.y, ray->from.z}, to[3] = {ray->to.x, ray->to.y, ray->to.z};
    touch_way way = {.hits = hits};
    // Size of the coordinates at the contact. A motion that comes from far away has larger errors than one that goes
    // far.
    double size = 1 + ray->radius, length2 = 0;
    for (int k = 0; k < 3; ++k) {
        way.from[k] = from[k] - hits->tree->origin[k];
        way.way[k] = to[k] - from[k];
        size += fabs(from[k]) + fabs(hits->tree->origin[k]);
        length2 += way.way[k] * way.way[k];
    }
    way.length = sqrt(length2);
    const double rounding = size * 0x1p-46;
    way.reach = (ray->contacts ? ray->contacts->reach : ray->radius + 2 * ray->near) * (1 + 0x1p-40) + rounding;
    return way;
}

// The time of a box that is touched at the start: 0, or above 1 if it never counts, because the angle between the
// motion and the direction to any point of the box is at least a right angle.
static double time_from_start(const touch_way *way, const touch_box *box)
{
    double middle[3], along = 0, radius2 = 0, apart2 = 0;
    if (way->hits->ends || way->length == 0) return 0;
    for (int k = 0; k < 3; ++k) {
        const double half = (box->high[k] - box->low[k]) * 0.5;
        middle[k] = (box->high[k] + box->low[k]) * 0.5 - way->from[k];
        along += middle[k] * way->way[k];
        radius2 += half * half;
        apart2 += middle[k] * middle[k];
    }
    // Sines and cosines of two angles: to the middle of the box's sphere, and from there to the sphere's rim.
    const double apart = sqrt(apart2), sine = sqrt(radius2 / apart2) * (1 + 0x1p-30);
    if (!(sine < 1)) return 0;
    return along / (apart * way->length) < -sine - 0x1p-24 ? 2 : 0;
}

// Whether the motion passes the box, enlarged by the reach, along each axis.
static bool passes_slabs(const touch_way *way, const touch_box *box)
{
    for (int k = 0; k < 3; ++k) {
        const double a = way->from[k], b = a + way->way[k];
        if (MOTE_MIN(a, b) > box->high[k] + way->reach || MOTE_MAX(a, b) < box->low[k] - way->reach) return false;
    }
    return true;
}

// A lower bound for the time at which any part of the box is touched; above 1 if none is.
static double time_of_touch(const touch_way *way, const touch_box *box)
{
    double time = 0;
    if (!passes_slabs(way, box)) return 2;
    for (int step = 0; step < STEPS; ++step) {
        double square = 0, along = 0;
        for (int k = 0; k < 3; ++k) {
            const double at = way->from[k] + time * way->way[k];
            const double nearest = MOTE_MIN(MOTE_MAX(at, box->low[k]), box->high[k]), apart = at - nearest;
            square += apart * apart;
            along += apart * way->way[k];
        }
        const double distance = sqrt(square);
        if (distance <= way->reach) return step ? time : time_from_start(way, box);
        if (along >= 0) return 2;
        time += (distance - way->reach) * distance / -along;
        if (!(time <= 1)) return 2;
    }
    return time;
}

// Whether a box touched at `time`, with `lowest` as its lowest triangle, may contain the first hit or change its
// time. Times count as equal in the same way as in sweeps.
static bool may_be_first(const touch_way *way, const hits_ray *ray, double time, uint32_t lowest)
{
    if (time > 1) return false;
    if (ray->triangle == UINT32_MAX) return true;
    const double early = time * (1 - 0x1p-45);
    const double a = floor(early * ray->time_parts), b = floor(ray->time * ray->time_parts);
    return a < b || (a == b && (early < ray->time || lowest < way->hits->original[ray->triangle]));
}

// ----------------------------------------------------------------------------------------------------- clusters

// Bits of the cluster's triangles, at rest, that the ball around a sphere's motion may touch.
static uint32_t near_sphere(const touch_way *way, const hits_ray *ray, uint32_t cluster)
{
    const mote_hits *hits = way->hits;
    const hits_cluster *of = &hits->clusters[cluster];
    const mote_vec3 middle = mote_hits_lerp(ray->from, ray->to, 0.5);
    const double center[3] = {middle.x, middle.y, middle.z}, per_length = (double)of->per_length;
    // The error of corners is less than a quantum.
    const double touch = way->reach + way->length * (0.5 + 0x1p-40);
    double apart = 0;
    float at[3], squared[HITS_LANES];
    for (int k = 0; k < 3; ++k) {
        const double from = (center[k] - of->origin[k]) * per_length;
        at[k] = (float)from;
        apart += fabs(from);
    }
    const double bound = (touch * per_length + 1 + apart * 0x1p-20) * (1 + 0x1p-17);
    // Otherwise squares would overflow.
    if (!(apart < 0x1p40 && bound < 0x1p40)) return 0xFF;
    return hits->closest_lanes->near_triangles(of, at, (float)(bound * bound), squared);
}

static touch_box box_of_triangle(const mote_hits *hits, uint32_t triangle)
{
    mote_box box = mote_box_empty();
    for (size_t k = 0; k < 3; ++k) {
        const uint32_t vertex = hits->triangles[3 * (size_t)triangle + k];
        box = mote_box_add_point(box, hits->vertices[vertex]);
        if (hits->ends) box = mote_box_add_point(box, hits->ends[vertex]);
    }
    const double *origin = hits->tree->origin;
    const touch_box made = {{box.min.x - origin[0], box.min.y - origin[1], box.min.z - origin[2]},
                            {box.max.x - origin[0], box.max.y - origin[1], box.max.z - origin[2]}};
    return made;
}

static void look_into_cluster(const hits_walk *walk, const touch_way *way, hits_ray *ray, uint32_t cluster)
{
    const mote_hits *hits = walk->hits;
    uint32_t lanes = mote_hits_cluster_lanes(hits, cluster);
    walk->counters->clusters++;
    if (!hits->ends) lanes &= near_sphere(way, ray, cluster);
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t triangle = cluster * HITS_LANES + mote_lowest_bit(lanes);
        const touch_box box = box_of_triangle(hits, triangle);
        if (may_be_first(way, ray, time_of_touch(way, &box), hits->original[triangle]))
            mote_hits_test_triangle(walk, ray, triangle);
    }
}

// -------------------------------------------------------------------------------------------------------- nodes

static void push_child(const hits_tree_node *node, uint32_t i, double time, size_t bottom, touch_stack *stack)
{
    size_t at = stack->count++;
    for (; at > bottom; --at) {
        const bool is_later = stack->time[at - 1] > time;
        if (is_later || (stack->time[at - 1] == time && stack->lowest[at - 1] > node->lowest[i])) break;
        stack->time[at] = stack->time[at - 1];
        stack->child[at] = stack->child[at - 1];
        stack->lowest[at] = stack->lowest[at - 1];
    }
    stack->time[at] = time;
    stack->child[at] = node->child[i];
    stack->lowest[at] = node->lowest[i];
}

static void open_node(const touch_way *way, const hits_ray *ray, const hits_tree_node *node, touch_stack *stack)
{
    const size_t bottom = stack->count;
    for (uint32_t i = 0; i < HITS_TREE_FAN; ++i) {
        if (!(node->plane[0][i] <= node->plane[3][i])) continue;
        touch_box box;
        for (int k = 0; k < 3; ++k) {
            box.low[k] = (double)node->plane[k][i];
            box.high[k] = (double)node->plane[k + 3][i];
        }
        const double time = time_of_touch(way, &box);
        if (may_be_first(way, ray, time, node->lowest[i])) push_child(node, i, time, bottom, stack);
    }
}

static void touch(const hits_walk *walk, hits_ray *ray)
{
    const hits_tree_node *nodes = walk->hits->tree->nodes;
    const touch_way way = make_way(walk->hits, ray);
    touch_stack stack;
    stack.time[0] = 0;
    stack.child[0] = HITS_TREE_NODE;
    stack.lowest[0] = 0;
    stack.count = 1;
    while (stack.count) {
        const size_t top = --stack.count;
        const uint32_t child = stack.child[top];
        if (!may_be_first(&way, ray, stack.time[top], stack.lowest[top])) continue;
        if (child & HITS_TREE_NODE) {
            walk->counters->nodes++;
            open_node(&way, ray, &nodes[child & ~HITS_TREE_NODE], &stack);
        } else {
            look_into_cluster(walk, &way, ray, child);
        }
    }
}

// ------------------------------------------------------------------------------------------------------- points

// Finds the first hit of a point's motion, in the part of it that lies in the tree's box.
static void cast_through(const hits_walk *walk, hits_ray *ray)
{
    const struct hits_tree *tree = walk->hits->tree;
    const double from[3] = {ray->from.x, ray->from.y, ray->from.z}, to[3] = {ray->to.x, ray->to.y, ray->to.z};
    double begin = 0, end = 1, size = 1;
    for (int k = 0; k < 3; ++k) size += fabs(from[k]) + fabs(tree->origin[k]);
    const double margin = HITS_CAST_MARGIN + size * 0x1p-47;
    for (int k = 0; k < 3; ++k) {
        const double at = from[k] - tree->origin[k], step = to[k] - from[k], most = tree->half[k] + 2 * margin;
        if (fabs(step) <= margin) {
            if (fabs(at) > most + margin) return;
            continue;
        }
        const double a = (-most - at) / step, b = (most - at) / step;
        begin = MOTE_MAX(begin, MOTE_MIN(a, b));
        end = MOTE_MIN(end, MOTE_MAX(a, b));
    }
    if (begin <= end) walk->hits->motion_lanes->cast_tree(walk, ray, begin, end, margin);
}

void mote_hits_tree_descend(const hits_walk *walk, hits_ray *ray)
{
    if (mote_hits_is_swept(walk->hits, ray))
        touch(walk, ray);
    else cast_through(walk, ray);
}
