// SPDX-License-Identifier: MIT
// Triangles that cut through each other, or touch where they have no corner in common.
//
// Every pair whose boxes meet is examined exactly (exact.h). The pairs are found by a tree of boxes over the triangles
// in the order of a Morton curve; each triangle looks for those behind it in that order. Boxes of triangles around a
// place all meet there: where there are many, they stand together in that order, and are told apart by the directions
// in which they lie; those around an edge by their angles (fans.h).

#include <math.h>

#include "mesh/crossings.h"
#include "mesh/exact.h"
#include "mesh/fans.h"

// -------------------------------------------------------------------------------------------------------- one pair

// Two axes in whose plane the triangle has an area. @return false: it has none in any
static bool find_axes(const mote_vec3 corners[3], int *u, int *v)
{
    for (int drop = 0; drop < 3; ++drop) {
        *u = (drop + 1) % 3, *v = (drop + 2) % 3;
        if (mote_side_of_line(corners[0], corners[1], corners[2], *u, *v) != 0) return true;
    }
    return false;
}

static double along(mote_vec3 p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static bool is_between(mote_vec3 p, mote_vec3 a, mote_vec3 b, int axis)
{
    return along(p, axis) >= fmin(along(a, axis), along(b, axis)) &&
           along(p, axis) <= fmax(along(a, axis), along(b, axis));
}

// Whether two segments of a plane meet, ends included.
static bool segments_meet(mote_vec3 p, mote_vec3 q, mote_vec3 a, mote_vec3 b, int u, int v)
{
    const int pa = mote_side_of_line(p, q, a, u, v), pb = mote_side_of_line(p, q, b, u, v);
    const int ap = mote_side_of_line(a, b, p, u, v), aq = mote_side_of_line(a, b, q, u, v);
    if (pa * pb < 0 && ap * aq < 0) return true;
    if (pa == 0 && is_between(a, p, q, u) && is_between(a, p, q, v)) return true;
    if (pb == 0 && is_between(b, p, q, u) && is_between(b, p, q, v)) return true;
    if (ap == 0 && is_between(p, a, b, u) && is_between(p, a, b, v)) return true;
    return aq == 0 && is_between(q, a, b, u) && is_between(q, a, b, v);
}

static bool is_in_triangle(mote_vec3 p, const mote_vec3 corners[3], int u, int v)
{
    int below = 0, above = 0;
    for (int k = 0; k < 3; ++k) {
        const int side = mote_side_of_line(corners[k], corners[(k + 1) % 3], p, u, v);
        below += side < 0;
        above += side > 0;
    }
    return !below || !above;
}

// Whether a segment and a triangle meet, borders included.
static bool segment_meets(mote_vec3 p, mote_vec3 q, const mote_vec3 corners[3])
{
    const int from = mote_side_of_plane(corners[0], corners[1], corners[2], p);
    const int to = mote_side_of_plane(corners[0], corners[1], corners[2], q);
    if (from * to > 0) return false;
    if (from == 0 && to == 0) {
        int u, v;
        if (!find_axes(corners, &u, &v)) return false;
        if (is_in_triangle(p, corners, u, v)) return true;
        for (int k = 0; k < 3; ++k)
            if (segments_meet(p, q, corners[k], corners[(k + 1) % 3], u, v)) return true;
        return false;
    }
    int below = 0, above = 0;
    for (int k = 0; k < 3; ++k) {
        const int side = mote_side_of_plane(p, q, corners[k], corners[(k + 1) % 3]);
        below += side < 0;
        above += side > 0;
    }
    return !below || !above;
}

// Triangles that have the corners one[0] and one[1] in common overlap if they lie in a plane, on the same side of that
// edge.
static bool fold_over(const mote_vec3 one[3], mote_vec3 last)
{
    int u, v;
    if (mote_side_of_plane(one[0], one[1], one[2], last) != 0 || !find_axes(one, &u, &v)) return false;
    return mote_side_of_line(one[0], one[1], one[2], u, v) == mote_side_of_line(one[0], one[1], last, u, v);
}

// Brings the common corners of both triangles to the front. @return how many there are
static int pair_corners(mote_vec3 one[3], mote_vec3 other[3])
{
    int common = 0;
    for (int i = 0; i < 3; ++i)
        for (int k = common; k < 3; ++k) {
            if (!mote_same_place(one[i], other[k])) continue;
            const mote_vec3 mine = one[i], its = other[k];
            one[i] = one[common], other[k] = other[common];
            one[common] = mine, other[common] = its;
            ++common;
            break;
        }
    return common;
}

static bool has_area(const mote_triangle *t)
{
    const mote_vec3 corners[3] = {t->a, t->b, t->c};
    int u, v;
    return find_axes(corners, &u, &v);
}

// mote_triangles_cross for triangles with area.
static bool cross(const mote_triangle *a, const mote_triangle *b)
{
    mote_vec3 one[3] = {a->a, a->b, a->c}, other[3] = {b->a, b->b, b->c};
    const int common = pair_corners(one, other);
    if (common == 3) return false;
    if (common == 2) return fold_over(one, other[2]);
    // From a common corner on, an intersection ends at the opposite edge of one of the triangles.
    if (common == 1) return segment_meets(one[1], one[2], other) || segment_meets(other[1], other[2], one);
    for (int k = 0; k < 3; ++k)
        if (segment_meets(one[k], one[(k + 1) % 3], other) || segment_meets(other[k], other[(k + 1) % 3], one))
            return true;
    return false;
}

bool mote_triangles_cross(const mote_triangle *one, const mote_triangle *other)
{
    return has_area(one) && has_area(other) && cross(one, other);
}

// ------------------------------------------------------------------------------------------------------- all pairs

enum { LEAF = 4, DEEPEST = 34, TRIANGLES_A_BLOCK = 2048 };

// Triangles in the order of the curve, fan by fan, with a box for each and the number of those with the same corners,
// and a tree of boxes: node i of a level has the nodes 2i and 2i + 1 below it; those of level 0 have LEAF triangles.
typedef struct tree {
    const mote_mesh *mesh;
    double scale;  // a power of 2 that brings coordinates near 1
    size_t count;
    mote_buffer order, weights, boxes, nodes, counts;
    size_t first[DEEPEST], width[DEEPEST];  // of each level
    int levels;
    mesh_corner_counts corner_counts;
    // If there are fans, else empty: each triangle, its fan and its directions there; for each node the fan that all of
    // its triangles are in, and their directions.
    mesh_fans fans;
    mote_buffer triangles, fan_of, directions, node_fans, node_directions;
} tree;

static mote_triangle triangle_of(const tree *all, uint32_t t)
{
    mote_triangle made = mote_mesh_triangle(all->mesh, t);
    made.a = mote_vec3_scale(made.a, all->scale);
    made.b = mote_vec3_scale(made.b, all->scale);
    made.c = mote_vec3_scale(made.c, all->scale);
    return made;
}

// Triangle i in the order of the curve.
static mote_triangle triangle_at(const tree *all, size_t i)
{
    const mote_triangle *triangles = all->triangles.data;
    return triangles ? triangles[i] : triangle_of(all, ((const uint32_t *)all->order.data)[i]);
}

static mote_box box_of(const mote_triangle *t)
{
    mote_box box = {t->a, t->a};
    box = mote_box_add_point(box, t->b);
    return mote_box_add_point(box, t->c);
}

static bool boxes_meet(const mote_box *a, const mote_box *b)
{
    return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y && b->min.y <= a->max.y &&
           a->min.z <= b->max.z && b->min.z <= a->max.z;
}

static mote_box join(mote_box a, const mote_box *b)
{
    return mote_box_add_point(mote_box_add_point(a, b->min), b->max);
}

// Every third bit, for 21 bits.
static uint64_t spread(uint64_t x)
{
    x = (x | x << 32) & 0x1F00000000FFFF;
    x = (x | x << 16) & 0x1F0000FF0000FF;
    x = (x | x << 8) & 0x100F00F00F00F00F;
    x = (x | x << 4) & 0x10C30C30C30C30C3;
    return (x | x << 2) & 0x1249249249249249;
}

static uint64_t curve_key(const mote_box *all, const mote_box *box)
{
    const double low[3] = {all->min.x, all->min.y, all->min.z}, high[3] = {all->max.x, all->max.y, all->max.z};
    const double at[3] = {(box->min.x + box->max.x) / 2, (box->min.y + box->max.y) / 2, (box->min.z + box->max.z) / 2};
    uint64_t key = 0;
    for (int k = 0; k < 3; ++k) {
        const double share = high[k] > low[k] ? (at[k] - low[k]) / (high[k] - low[k]) : 0;
        key |= spread((uint64_t)(share * 0x1FFFFF)) << k;
    }
    return key;
}

// Equal for triangles with the same corners, in any order. Counts the corners.
static uint64_t corners_key(const mote_triangle *t, mesh_corner_counts *counts)
{
    const mote_vec3 corners[3] = {t->a, t->b, t->c};
    uint64_t sum = 0;
    for (int k = 0; k < 3; ++k) {
        const uint32_t hash = mote_place_hash(corners[k]);
        mote_mesh_corner_counts_add(counts, hash);
        sum += hash;
    }
    return sum;
}

static bool same_corners(const mote_triangle *a, const mote_triangle *b)
{
    mote_vec3 one[3] = {a->a, a->b, a->c}, other[3] = {b->a, b->b, b->c};
    return pair_corners(one, other) == 3;
}

// Keeps one of the triangles with the same corners, the first, and how many there are: they cross the same others.
// Those without area cross none.
static void merge_duplicates(tree *all)
{
    uint32_t *order = all->order.data, *weights = all->weights.data;
    size_t kept = 0;
    for (size_t i = 0; i < all->count; ++i) {
        const mote_triangle triangle = triangle_of(all, order[i]);
        if (!has_area(&triangle)) continue;
        if (kept) {
            const mote_triangle last = triangle_of(all, order[kept - 1]);
            if (same_corners(&triangle, &last)) {
                ++weights[kept - 1];
                continue;
            }
        }
        order[kept] = order[i];
        weights[kept++] = 1;
    }
    all->count = kept;
}

static mote_result sort_triangles(tree *all)
{
    const size_t n = all->count;
    mote_context *context = all->mesh->context;
    mote_buffer memory = {0};
    mote_result result = mote_buffer_reserve(context, &all->order, mote_bytes(n, sizeof(uint32_t)), 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &all->weights, mote_bytes(n, sizeof(uint32_t)), 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &memory, mote_bytes(n, 20), 0);
    if (result == MOTE_OK) result = mote_mesh_corner_counts_begin(context, n, &all->corner_counts);
    if (result == MOTE_OK) {
        uint64_t *keys = memory.data;
        uint32_t *order = all->order.data;
        mote_box around = mote_box_empty();
        for (size_t t = 0; t < n; ++t) {
            const mote_triangle triangle = triangle_of(all, (uint32_t)t);
            const mote_box box = box_of(&triangle);
            around = join(around, &box);
        }
        for (size_t t = 0; t < n; ++t) {
            const mote_triangle triangle = triangle_of(all, (uint32_t)t);
            keys[t] = corners_key(&triangle, &all->corner_counts);
            order[t] = (uint32_t)t;
        }
        result = mote_sort_u64(context, keys, order, keys + n, (uint32_t *)(keys + 2 * n), n);
        for (size_t i = 0; i < n; ++i) {
            const mote_triangle triangle = triangle_of(all, order[i]);
            const mote_box box = box_of(&triangle);
            keys[i] = curve_key(&around, &box);
        }
        if (result == MOTE_OK)
            result = mote_sort_u64(context, keys, order, keys + n, (uint32_t *)(keys + 2 * n), n);
        if (result == MOTE_OK) merge_duplicates(all);
    }
    mote_buffer_release(context, &memory);
    return result;
}

static const mesh_fan *fan_at(const tree *all, uint32_t fan)
{
    return (const mesh_fan *)all->fans.list.data + fan;
}

static void gather_triangles(tree *all)
{
    const uint32_t *order = all->order.data;
    mote_triangle *triangles = all->triangles.data;
    for (size_t i = 0; i < all->count; ++i) triangles[i] = triangle_of(all, order[i]);
}

// Brings triangles of a fan together, those around a place in the order of a curve through directions.
static mote_result sort_fans(tree *all)
{
    const size_t n = all->count;
    mote_context *context = all->mesh->context;
    mote_buffer memory = {0};
    mote_result result = mote_buffer_reserve(context, &memory, mote_bytes(n, 36), 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &all->directions, mote_bytes(n, sizeof(mote_box)), 0);
    if (result == MOTE_OK) {
        const mote_box around = {{-2, -2, -2}, {2, 2, 2}};
        uint64_t *keys = memory.data, *spare = keys + n;
        uint32_t *places = (uint32_t *)(spare + n), *place_spare = places + n, *old = place_spare + n;
        uint32_t *order = all->order.data, *weights = all->weights.data, *fan_of = all->fan_of.data;
        mote_box *directions = all->directions.data;
        for (size_t i = 0; i < n; ++i) {
            const mesh_fan *fan = fan_at(all, fan_of[i]);
            keys[i] = i, places[i] = (uint32_t)i;
            if (fan_of[i] == 0 || fan->has_edge) continue;
            const mote_box box = mote_mesh_directions((const mote_triangle *)all->triangles.data + i, fan->at);
            keys[i] = curve_key(&around, &box);
        }
        result = mote_sort_u64(context, keys, places, spare, place_spare, n);
        for (size_t i = 0; i < n; ++i) keys[i] = fan_of[places[i]];
        if (result == MOTE_OK) result = mote_sort_u64(context, keys, places, spare, place_spare, n);
        for (size_t i = 0; i < n; ++i) fan_of[i] = (uint32_t)keys[i];
        memcpy(old, order, n * sizeof *old);
        for (size_t i = 0; i < n; ++i) order[i] = old[places[i]];
        memcpy(old, weights, n * sizeof *old);
        for (size_t i = 0; i < n; ++i) weights[i] = old[places[i]];
        gather_triangles(all);
        for (size_t i = 0; i < n; ++i)
            if (fan_of[i])
                directions[i] = mote_mesh_directions((const mote_triangle *)all->triangles.data + i,
                                                     fan_at(all, fan_of[i])->at);
    }
    mote_buffer_release(context, &memory);
    return result;
}

static mote_result find_fans(tree *all)
{
    const size_t n = all->count;
    mote_context *context = all->mesh->context;
    if (!all->corner_counts.is_any_full) return MOTE_OK;
    mote_result result = mote_buffer_reserve(context, &all->triangles, mote_bytes(n, sizeof(mote_triangle)), 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &all->fan_of, mote_bytes(n, sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return result;
    gather_triangles(all);
    result = mote_mesh_fans_find(context, all->triangles.data, n, &all->corner_counts, all->fan_of.data, &all->fans);
    if (result == MOTE_OK && all->fans.count > 1) return sort_fans(all);
    mote_buffer_release(context, &all->triangles);
    mote_buffer_release(context, &all->fan_of);
    return result;
}

// The fans and directions of nodes.
static mote_result build_directions(tree *all, size_t nodes)
{
    mote_context *context = all->mesh->context;
    mote_result result = mote_buffer_reserve(context, &all->node_fans, mote_bytes(nodes, sizeof(uint32_t)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &all->node_directions, mote_bytes(nodes, sizeof(mote_box)), 0);
    if (result != MOTE_OK) return result;
    const uint32_t *fan_of = all->fan_of.data;
    const mote_box *directions = all->directions.data;
    uint32_t *fans = all->node_fans.data;
    mote_box *node = all->node_directions.data;
    for (size_t i = 0; i < all->count; ++i) {
        const size_t k = i / LEAF;
        const bool is_first = i % LEAF == 0;
        if (is_first) node[k] = mote_box_empty();
        fans[k] = is_first || fans[k] == fan_of[i] ? fan_of[i] : 0;
        if (fan_of[i]) node[k] = join(node[k], &directions[i]);
    }
    for (int level = 1; level < all->levels; ++level)
        for (size_t i = 0; i < all->width[level]; ++i) {
            const size_t to = all->first[level] + i, from = all->first[level - 1] + 2 * i;
            fans[to] = fans[from], node[to] = node[from];
            if (2 * i + 1 >= all->width[level - 1]) continue;
            if (fans[from + 1] != fans[from]) fans[to] = 0;
            if (fans[to]) node[to] = join(node[to], &node[from + 1]);
        }
    return result;
}

static mote_result build(tree *all)
{
    size_t nodes = 0;
    for (size_t width = (all->count + LEAF - 1) / LEAF;; width = (width + 1) / 2) {
        all->first[all->levels] = nodes;
        all->width[all->levels++] = width;
        nodes += width;
        if (width <= 1) break;
    }
    mote_context *context = all->mesh->context;
    mote_result result = mote_buffer_reserve(context, &all->boxes, mote_bytes(all->count, sizeof(mote_box)), 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &all->nodes, mote_bytes(nodes, sizeof(mote_box)), 0);
    if (result != MOTE_OK) return result;
    mote_box *boxes = all->boxes.data, *node = all->nodes.data;
    for (size_t i = 0; i < all->width[0]; ++i) node[i] = mote_box_empty();
    for (size_t i = 0; i < all->count; ++i) {
        const mote_triangle triangle = triangle_at(all, i);
        boxes[i] = box_of(&triangle);
        node[i / LEAF] = join(node[i / LEAF], &boxes[i]);
    }
    for (int level = 1; level < all->levels; ++level)
        for (size_t i = 0; i < all->width[level]; ++i) {
            const mote_box *below = node + all->first[level - 1];
            mote_box box = below[2 * i];
            if (2 * i + 1 < all->width[level - 1]) box = join(box, &below[2 * i + 1]);
            node[all->first[level] + i] = box;
        }
    return all->fans.count > 1 ? build_directions(all, nodes) : result;
}

// Whether the triangles of a node, or none but pairs that are counted by angle, lie apart from triangle i.
static bool are_apart(const tree *all, size_t i, uint32_t fan_number, const mote_box *directions)
{
    if (fan_number == 0) return false;
    const mesh_fan *fan = fan_at(all, fan_number);
    const mote_triangle *triangle = (const mote_triangle *)all->triangles.data + i;
    if (((const uint32_t *)all->fan_of.data)[i] == fan_number)
        return fan->has_edge || !boxes_meet((const mote_box *)all->directions.data + i, directions);
    if (!mote_mesh_has_corner(triangle, fan->at)) return false;
    const mote_box own = mote_mesh_directions(triangle, fan->at);
    return !boxes_meet(&own, directions);
}

static void examine_leaf(const tree *all, size_t i, const mote_triangle *one, size_t leaf, crossing_sums *out)
{
    const mote_box *boxes = all->boxes.data, *directions = all->directions.data;
    const uint32_t *order = all->order.data, *weights = all->weights.data, *fan_of = all->fan_of.data;
    for (size_t k = MOTE_MAX(i + 1, LEAF * leaf); k < MOTE_MIN(LEAF * (leaf + 1), all->count); ++k) {
        if (!boxes_meet(&boxes[i], &boxes[k])) continue;
        if (fan_of && fan_of[k] && are_apart(all, i, fan_of[k], &directions[k])) continue;
        ++out->examined;
        const mote_triangle other = triangle_at(all, k);
        if (!cross(one, &other)) continue;
        const uint64_t low = MOTE_MIN(order[i], order[k]), high = MOTE_MAX(order[i], order[k]);
        out->first = MOTE_MIN(out->first, low << 32 | high);
        out->count += (uint64_t)weights[i] * weights[k];
    }
}

static void find_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const tree *all = data;
    const mote_box *boxes = all->boxes.data, *nodes = all->nodes.data, *node_directions = all->node_directions.data;
    const uint32_t *node_fans = all->node_fans.data;
    crossing_sums *out = (crossing_sums *)all->counts.data + begin / TRIANGLES_A_BLOCK;
    *out = (crossing_sums){0, UINT64_MAX, 0};
    for (size_t i = begin; i < end; ++i) {
        const mote_triangle triangle = triangle_at(all, i);
        struct { int level; size_t node; } stack[2 * DEEPEST];
        int held = 0;
        stack[held].level = all->levels - 1, stack[held++].node = 0;
        while (held) {
            const int level = stack[--held].level;
            const size_t node = stack[held].node;
            // Triangles before this one have looked for it.
            const size_t at = all->first[level] + node;
            if (((node + 1) << level) * LEAF <= i || !boxes_meet(&boxes[i], &nodes[at])) continue;
            if (node_fans && are_apart(all, i, node_fans[at], &node_directions[at])) continue;
            if (level == 0) {
                examine_leaf(all, i, &triangle, node, out);
                continue;
            }
            for (size_t k = 2; k-- > 0;)
                if (2 * node + k < all->width[level - 1])
                    stack[held].level = level - 1, stack[held++].node = 2 * node + k;
        }
    }
}

// The power of 2 that brings the largest coordinate to 1 … 2.
static double find_scale(const mote_mesh *mesh)
{
    double largest = 0;
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        const mote_vec3 at = mesh->vertices[v];
        largest = fmax(largest, fmax(fabs(at.x), fmax(fabs(at.y), fabs(at.z))));
    }
    int exponent = 0;
    if (largest > 0 && largest <= HUGE_VAL / 2) frexp(largest, &exponent);
    return ldexp(1, MOTE_MAX(-1000, MOTE_MIN(1000, 1 - exponent)));
}

// Adds the pairs at edges that many triangles have.
static mote_result add_overlaps(const tree *all, crossing_sums *out)
{
    mote_buffer by_angle = {0};
    const uint32_t *fan_of = all->fan_of.data, *order = all->order.data, *weights = all->weights.data;
    if (all->fans.count <= 1) return MOTE_OK;
    const mote_result result =
        mote_buffer_reserve(all->mesh->context, &by_angle, mote_bytes(all->count, sizeof(uint32_t)), 0);
    for (size_t begin = 0, end; begin < all->count && result == MOTE_OK; begin = end) {
        for (end = begin; end < all->count && fan_of[end] == fan_of[begin];) ++end;
        const mesh_fan *fan = fan_at(all, fan_of[begin]);
        if (fan_of[begin] && fan->has_edge)
            mote_mesh_overlaps_add(fan, (const mote_triangle *)all->triangles.data + begin, order + begin,
                                   weights + begin, (uint32_t)(end - begin), by_angle.data, out);
    }
    mote_buffer_release(all->mesh->context, &by_angle);
    return result;
}

mote_result mote_mesh_count_crossings(const mote_mesh *mesh, mote_mesh_crossings *crossings, uint64_t *examined)
{
    tree all = {.mesh = mesh, .scale = find_scale(mesh), .count = mesh->triangle_count};
    mote_result result = sort_triangles(&all);
    const size_t blocks = mote_block_count(all.count, TRIANGLES_A_BLOCK);
    *examined = 0;
    const bool is_any = result == MOTE_OK && all.count > 0;
    if (is_any) result = find_fans(&all);
    if (is_any && result == MOTE_OK) result = build(&all);
    if (is_any && result == MOTE_OK)
        result = mote_buffer_reserve(mesh->context, &all.counts, mote_bytes(blocks, sizeof(crossing_sums)), 0);
    if (is_any && result == MOTE_OK) {
        mote_parallel_for(mesh->context, all.count, TRIANGLES_A_BLOCK, find_block, &all);
        crossing_sums sum = {0, UINT64_MAX, 0};
        const crossing_sums *parts = all.counts.data;
        for (size_t b = 0; b < blocks; ++b) {
            sum.count += parts[b].count;
            sum.first = MOTE_MIN(sum.first, parts[b].first);
            sum.examined += parts[b].examined;
        }
        result = add_overlaps(&all, &sum);
        crossings->count = sum.count;
        if (sum.count) crossings->first[0] = (uint32_t)(sum.first >> 32), crossings->first[1] = (uint32_t)sum.first;
        *examined = sum.examined;
    }
    mote_buffer *const buffers[] = {&all.order,          &all.weights, &all.triangles, &all.boxes,
                                    &all.nodes,          &all.counts,  &all.fan_of,    &all.directions,
                                    &all.node_fans,      &all.node_directions,         &all.fans.list,
                                    &all.corner_counts.memory};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) mote_buffer_release(mesh->context, buffers[k]);
    return result;
}

mote_result mote_mesh_find_crossings(const mote_mesh *mesh, mote_mesh_crossings *crossings, mote_error *error)
{
    if (!mote_mesh_is_sound(mesh)) return mote_fail_null(error, "mesh", "the mesh");
    if (!crossings) return mote_fail_null(error, "mesh", "the crossings");
    uint64_t examined;
    mote_mesh_crossings found_all = {0};
    *crossings = found_all;
    if (mesh->triangle_count == 0) return MOTE_OK;
    const mote_result result = mote_mesh_count_crossings(mesh, &found_all, &examined);
    if (result == MOTE_OK) *crossings = found_all;
    return mote_pass_memory(error, result, "mesh: looking for crossings");
}
