// SPDX-License-Identifier: MIT
// The closest point of the surface and the sign of its distance, at any distance or within a reach. The search goes
// down the tree of boxes (structure_tree.h), nearest children first. The sign is that of pseudonormals
// (closest_normals.c) or of the winding number, which closed meshes have stored for their cells (closest_sides.c) and
// others have computed at each point (winding.c).
//
// Boxes in float rule out what cannot be closer; triangles are decided in double. The result is the least squared
// distance as computed, and the lowest triangle that has it, so it does not depend on the order of the search.

#include <float.h>

#include "hits/closest.h"

enum { POINTS_A_BLOCK = 256 };

// A part of the tree that is still to be searched.
typedef struct tree_entry {
    float key;       // lower bound of its distance, as in `bound` below
    uint32_t child;  // as in hits_tree_node
} tree_entry;

// Squares of larger distances overflow in float, or nearly do.
static const double MOST_QUANTA = 0x1p60;

// Coordinates are internal. For points that are far away, float coordinates would be too coarse to resolve the mesh:
// then boxes are measured in double, and keys are distances minus that of the root's box.
typedef struct nearest_search {
    const mote_hits *hits;
    const hits_closest_lanes *lanes;
    const hits_tree_node *nodes;
    mote_vec3 point;
    double from_origin[3];
    float at[3];
    bool far;
    double margin;       // bound of the rounding error of a distance from a box
    double root;         // far points: distance of the root's box
    double slack;        // bound of the rounding error of a distance from a triangle, with room
    mote_foot best;
    double most2;        // a foot with a larger squared distance cannot be the closest
    uint32_t triangle;   // UINT32_MAX: none yet
    uint32_t original;   // the caller's number of that triangle
    float bound;         // entries with a larger key are skipped
} nearest_search;

// ---------------------------------------------------------------------------------------------------------- keys

static void set_bound(nearest_search *search)
{
    const double best = sqrt(search->best.distance2), limit = best + search->margin;
    search->most2 = (best + search->slack) * (best + search->slack);
    const double bound = search->far ? limit - search->root : limit * limit;
    search->bound = (float)MOTE_MIN(bound * (1 + 0x1p-20), (double)FLT_MAX);
}

static double far_distance(const hits_tree_node *node, size_t child, const double at[3])
{
    double squared = 0;
    for (int k = 0; k < 3; ++k) {
        const double below = (double)node->plane[k][child] - at[k], above = at[k] - (double)node->plane[k + 3][child];
        const double apart = MOTE_MAX(MOTE_MAX(below, above), 0);
        squared += apart * apart;
    }
    return sqrt(squared);
}

// Bits of the node's children that may contain something closer, and their keys.
static uint32_t child_keys(const nearest_search *search, const hits_tree_node *node, float keys[HITS_FAN])
{
    if (!search->far) return search->lanes->near_boxes(node, search->at, search->bound, keys);
    uint32_t bits = 0;
    for (uint32_t i = 0; i < HITS_FAN; ++i) {
        keys[i] = (float)(far_distance(node, i, search->from_origin) - search->root);
        bits |= (uint32_t)(keys[i] <= search->bound) << i;
    }
    return bits;
}

// -------------------------------------------------------------------------------------------------------- search

static void look_at_triangle(nearest_search *search, uint32_t triangle)
{
    mote_vec3 corner[3];
    mote_hits_corners(search->hits, triangle, corner);
    const mote_triangle corners = {corner[0], corner[1], corner[2]};
    const uint32_t original = search->hits->original[triangle];
    const uint8_t slivers = search->hits->closest->slivers[triangle / HITS_LANES];
    const bool is_sliver = slivers >> triangle % HITS_LANES & 1;
    mote_foot foot = is_sliver ? mote_triangle_foot_precise(corners, search->point)
                               : mote_triangle_foot(corners, search->point);
    if (foot.distance2 > search->most2) return;
    mote_triangle_settle_foot(corners, search->point, &foot);
    if (foot.distance2 > search->best.distance2) return;
    if (foot.distance2 == search->best.distance2 && original > search->original) return;
    search->best = foot;
    search->triangle = triangle;
    search->original = original;
    set_bound(search);
}

// Bits of the cluster's triangles that may be closer, by their rounded corners; and the triangle to begin with.
static uint32_t near_triangles(const nearest_search *search, uint32_t cluster, uint32_t *begin)
{
    const hits_cluster *c = &search->hits->clusters[cluster];
    const double per_length = (double)c->per_length;
    const double from[3] = {(search->point.x - c->origin[0]) * per_length,
                            (search->point.y - c->origin[1]) * per_length,
                            (search->point.z - c->origin[2]) * per_length};
    const float at[3] = {(float)from[0], (float)from[1], (float)from[2]};
    double limit = (sqrt(search->best.distance2) + search->margin) * per_length * (1 + 0x1p-18) + 1;
    for (int k = 0; k < 3; ++k) limit += fabs(from[k]) * 0x1p-20;
    const uint32_t solid = search->hits->closest->solid[cluster];
    float squared[HITS_FAN], least = HUGE_VALF;
    const double most = MOTE_MIN(limit, MOST_QUANTA);
    uint32_t bits = search->lanes->near_triangles(c, at, (float)(most * most), squared) & solid;
    for (uint32_t left = bits; left; left &= left - 1) {
        const uint32_t lane = mote_lowest_bit(left);
        if (squared[lane] < least) least = squared[lane], *begin = lane;
    }
    return limit < MOST_QUANTA ? bits : solid;
}

static void look_into_cluster(nearest_search *search, uint32_t cluster)
{
    const uint32_t solid = search->hits->closest->solid[cluster];
    if (!solid) return;
    uint32_t begin = mote_lowest_bit(solid), bits = solid;
    if (!search->far) bits = near_triangles(search, cluster, &begin);
    if (!bits) return;
    const float bound = search->bound;
    look_at_triangle(search, cluster * HITS_LANES + begin);
    bits &= ~(UINT32_C(1) << begin);
    if (bits && !search->far && search->bound < bound) bits &= near_triangles(search, cluster, &begin);
    for (; bits; bits &= bits - 1) look_at_triangle(search, cluster * HITS_LANES + mote_lowest_bit(bits));
}

// Pushes the node's children onto the stack, the nearest on top.
static size_t open_node(const nearest_search *search, uint32_t number, tree_entry *stack, size_t count)
{
    const hits_tree_node *node = &search->nodes[number & ~HITS_TREE_NODE];
    const size_t bottom = count;
    float keys[HITS_FAN];
    for (uint32_t bits = child_keys(search, node, keys); bits; bits &= bits - 1) {
        const uint32_t child = mote_lowest_bit(bits);
        const tree_entry place = {keys[child], node->child[child]};
        size_t i = count++;
        for (; i > bottom && stack[i - 1].key < place.key; --i) stack[i] = stack[i - 1];
        stack[i] = place;
    }
    return count;
}

static void search_tree(nearest_search *search)
{
    tree_entry stack[HITS_TREE_STACK];
    size_t count = 1;
    stack[0] = (tree_entry){.key = -FLT_MAX, .child = HITS_TREE_NODE};
    while (count > 0) {
        const tree_entry place = stack[--count];
        if (place.key > search->bound) continue;
        if (place.child & HITS_TREE_NODE) count = open_node(search, place.child, stack, count);
        else look_into_cluster(search, place.child);
    }
}

bool mote_hits_is_out_of_range(const mote_hits *hits, mote_vec3 point)
{
    const mote_vec3 from = mote_vec3_sub(point, hits->closest->origin);
    return !(mote_hits_largest(from) <= 0x1p200) || isnan(from.x + from.y + from.z);
}

// False if the point is not finite, or too far away. Internal lengths.
static bool begin_search(const mote_hits *hits, mote_vec3 point, double reach, nearest_search *search)
{
    const struct hits_closest *tree = hits->closest;
    if (!tree || tree->level_count == 0) return false;
    search->hits = hits;
    search->lanes = tree->lanes;
    search->point = point;
    if (mote_hits_is_out_of_range(hits, point)) return false;
    const struct hits_tree *boxes = tree->resting ? tree->resting : hits->tree;
    const double *origin = boxes->origin;
    const mote_vec3 from = mote_vec3_sub(point, mote_vec3_make(origin[0], origin[1], origin[2]));
    const double most = mote_hits_largest(from);
    search->far = most > 64;
    search->margin = most * (search->far ? 0x1p-46 : 0x1p-22);
    search->slack = 0x1p-46 * (1 + most);
    const double at[3] = {from.x, from.y, from.z};
    for (int k = 0; k < 3; ++k) search->from_origin[k] = at[k], search->at[k] = (float)at[k];
    search->root = HUGE_VAL;
    search->nodes = boxes->nodes;
    for (size_t i = 0; search->far && i < HITS_FAN; ++i)
        search->root = MOTE_MIN(search->root, far_distance(boxes->nodes, i, at));
    search->triangle = search->original = UINT32_MAX;
    search->best.distance2 = search->most2 = HUGE_VAL;
    search->bound = FLT_MAX;
    if (!(reach * reach < HUGE_VAL)) return true;
    search->best.distance2 = reach * reach;
    set_bound(search);
    return reach >= 0;
}

// --------------------------------------------------------------------------------------------------------- answer

static void set_sign(const mote_hits *hits, mote_vec3 point, mote_closest *closest)
{
    if (closest->distance == 0) return;
    const hits_side side = mote_hits_winding_side(hits, point, closest);
    const bool inside = side == HITS_SIDE_UNKNOWN ? mote_hits_winding_is_inside(hits, point) : side == HITS_SIDE_INSIDE;
    if ((closest->distance < 0) == inside) return;
    closest->distance = -closest->distance;
    closest->normal = mote_vec3_scale(closest->normal, -1);
}

static void answer(const nearest_search *search, mote_sign_rule rule, mote_closest *closest)
{
    const mote_hits *hits = search->hits;
    mote_features_fill_closest(&hits->closest->features, hits->triangles, search->point, search->triangle,
                               &search->best, 0x1p-30, closest);
    if (rule == MOTE_SIGN_WINDING) set_sign(hits, search->point, closest);
    mote_hits_name_triangle(hits, search->original, &closest->mesh, &closest->triangle);
}

// Internal lengths. If a triangle that may be close is known it is tested first, which changes only the running
// time.
static bool find_near(const mote_hits *hits, mote_vec3 point, double reach, mote_sign_rule rule, uint32_t *near,
                      mote_closest *closest)
{
    nearest_search search;
    if (!begin_search(hits, point, reach, &search)) return false;
    if (reach < HUGE_VAL && mote_hits_clearance(hits, point) * (1 - 0x1p-40) > reach) return false;
    if (*near != UINT32_MAX) look_at_triangle(&search, *near);
    search_tree(&search);
    if (search.triangle == UINT32_MAX) return false;
    *near = search.triangle;
    answer(&search, rule, closest);
    return true;
}

bool mote_hits_find_closest(const mote_hits *hits, mote_vec3 point, double reach, mote_closest *closest)
{
    uint32_t near = UINT32_MAX;
    return find_near(hits, point, reach, MOTE_SIGN_NORMAL, &near, closest);
}

// The same in the caller's lengths.
static void find_closest(const mote_hits *hits, mote_vec3 point, double reach, mote_sign_rule rule, uint32_t *near,
                         mote_closest *closest)
{
    memset(closest, 0, sizeof *closest);
    const mote_vec3 ours = mote_vec3_scale(point, hits->scale);
    if (find_near(hits, ours, reach * hits->scale, rule, near, closest)) {
        closest->distance /= hits->scale;
        closest->point = mote_vec3_scale(closest->point, 1 / hits->scale);
    } else {
        closest->distance = HUGE_VAL;
        closest->triangle = UINT32_MAX;
    }
}

mote_result mote_hits_prepare_closest(mote_hits *hits, mote_error *error)
{
    if (!hits) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "hits: no object");
    if (hits->closest) return MOTE_OK;
    mote_result result = mote_hits_closest_build(hits);
    if (result != MOTE_OK)
        return mote_fail(error, result, 0, "hits: no memory for a tree of %zu triangles", hits->triangle_count);
    MOTE_VALIDATE(mote_hits_closest_validate(hits, NULL) == MOTE_OK);
    return MOTE_OK;
}

static mote_result check_query(const mote_hits *hits, double reach, mote_sign_rule rule, mote_error *error)
{
    if (!hits) return mote_fail_null(error, "hits", "the object");
    if (rule != MOTE_SIGN_NORMAL && rule != MOTE_SIGN_WINDING)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "hits: the rule is %d, expected a mote_sign_rule", (int)rule);
    if (!(reach >= 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "hits: reach is %g, expected 0 or more", reach);
    return MOTE_OK;
}

static mote_result not_prepared(mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_STATE, 0, "hits: closest points were not prepared for");
}

mote_result mote_hits_closest(const mote_hits *hits, mote_vec3 point, double reach, mote_sign_rule rule,
                              mote_closest *closest, mote_error *error)
{
    uint32_t near = UINT32_MAX;
    mote_result result = check_query(hits, reach, rule, error);
    if (result != MOTE_OK) return result;
    if (!closest) return mote_fail_null(error, "hits", "the place for the closest point");
    if (!hits->closest) return not_prepared(error);
    find_closest(hits, point, reach, rule, &near, closest);
    return MOTE_OK;
}

mote_result mote_hits_is_inside(const mote_hits *hits, mote_vec3 point, bool *inside, mote_error *error)
{
    if (!hits) return mote_fail_null(error, "hits", "the object");
    if (!inside) return mote_fail_null(error, "hits", "the place for the answer");
    if (!hits->closest) return not_prepared(error);
    const mote_vec3 ours = mote_vec3_scale(point, hits->scale);
    *inside = false;
    if (!hits->closest->features.closed || !mote_box_contains(hits->closest->box, ours)) return MOTE_OK;
    const hits_side side = mote_hits_cell_side(hits, ours);
    mote_closest closest;
    if (side != HITS_SIDE_UNKNOWN)
        *inside = side == HITS_SIDE_INSIDE;
    else if (mote_hits_find_closest(hits, ours, HUGE_VAL, &closest))
        *inside = closest.distance < 0;
    return MOTE_OK;
}

mote_result mote_hits_winding_number(const mote_hits *hits, mote_vec3 point, double accuracy, double *winding,
                                     double *bound, mote_error *error)
{
    if (!hits) return mote_fail_null(error, "hits", "the object");
    if (!winding) return mote_fail_null(error, "hits", "the place for the winding number");
    if (!hits->closest) return not_prepared(error);
    nearest_search search;
    double most = 0;
    const hits_winding_reach reach = {(float)accuracy, 0};
    *winding = 0;
    if (begin_search(hits, mote_vec3_scale(point, hits->scale), HUGE_VAL, &search))
        *winding = mote_hits_winding_about(hits, search.point, reach, &most);
    if (bound) *bound = most;
    return MOTE_OK;
}

// ---------------------------------------------------------------------------------------------------------- batch

typedef struct closest_batch {
    const mote_hits *hits;
    const mote_points *points;
    double reach;
    mote_sign_rule rule;
    mote_closest *closest;
    uint64_t *keys;
    uint32_t *order;
} closest_batch;

static mote_vec3 point_at(const mote_points *points, size_t i)
{
    return mote_vec3_make(mote_points_get(points, i, 0), mote_points_get(points, i, 1), mote_points_get(points, i, 2));
}

// Keys along a Morton curve over a box twice as large as the mesh.
static void make_keys(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const closest_batch *all = data;
    const mote_vec3 low = mote_vec3_sub(all->hits->closest->origin, mote_vec3_make(1, 1, 1));
    for (size_t i = begin; i < end; ++i) {
        const mote_vec3 p = mote_vec3_sub(mote_vec3_scale(point_at(all->points, i), all->hits->scale), low);
        all->keys[i] = mote_hits_morton(p.x, 2) | mote_hits_morton(p.y, 2) << 1 | mote_hits_morton(p.z, 2) << 2;
        all->order[i] = (uint32_t)i;
    }
}

static void find_all(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const closest_batch *all = data;
    uint32_t near = UINT32_MAX;
    for (size_t i = begin; i < end; ++i)
        find_closest(all->hits, point_at(all->points, all->order[i]), all->reach, all->rule, &near,
                     &all->closest[all->order[i]]);
}

static mote_result run(closest_batch *all)
{
    const mote_hits *hits = all->hits;
    const size_t n = all->points->count;
    mote_buffer *memory = &hits->closest->order;
    mote_result result = mote_buffer_reserve(hits->context, memory, mote_bytes(n, 24), 0);
    if (result != MOTE_OK) return result;
    all->keys = memory->data;  // n keys, and room for n more
    all->order = (uint32_t *)(all->keys + 2 * n);
    mote_parallel_for(hits->context, n, 4096, make_keys, all);
    result = mote_sort_u64(hits->context, all->keys, all->order, all->keys + n, all->order + n, n);
    if (result == MOTE_OK) mote_parallel_for(hits->context, n, POINTS_A_BLOCK, find_all, all);
    return result;
}

mote_result mote_hits_closest_all(mote_hits *hits, const mote_points *points, double reach, mote_sign_rule rule,
                                  mote_closest *closest, mote_error *error)
{
    mote_result result = check_query(hits, reach, rule, error);
    if (result != MOTE_OK) return result;
    if (!points || (!closest && points->count))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "hits: no points, or no place for the closest ones");
    result = mote_points_check(*points, "hits: points", error);
    if (result != MOTE_OK) return result;
    if (points->dimensions != 3)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "hits: points have %d dimensions, expected 3",
                         points->dimensions);
    result = mote_hits_prepare_closest(hits, error);
    if (result != MOTE_OK || points->count == 0) return result;
    closest_batch all = {.hits = hits, .points = points, .reach = reach, .rule = rule, .closest = closest};
    result = run(&all);
    return result == MOTE_OK ? MOTE_OK : mote_fail(error, result, 0, "hits: no memory for so many points");
}
