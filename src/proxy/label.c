// SPDX-License-Identifier: MIT
// Finds the side of the surface on which an empty leaf lies: the view-visible method (Fan et al. 2013, section 3.2,
// figure 2).
//
// A point is chosen that an empty leaf shares with a leaf with triangles. A line of sight goes from it to a point of
// the surface in the latter; the first triangle on the line shows its front or its back. The line stays in the leaf,
// so only the leaf's own triangles can be met. A line that passes an edge between triangles that face opposite ways
// has no result, and the next line is tried.
//
// Fan et al. 2013 look for neighbours of a leaf's own size or larger and leave the rest to smaller leaves, which
// need not exist. Here all empty leaves that touch are found, of any size. Those that share a face are labelled
// first; leaves that only touch an edge or a corner of a leaf with triangles are labelled after them, if they have
// no label yet.
//
// Where the surface ends, or two sheets face the same way, an empty leaf may see both sides. The leaf with triangles
// then stores for each of its faces which side is seen through it; if both are seen through one face, that leaf is a
// rim.

#include "proxy/internal.h"

enum { LEAVES_A_BLOCK = 256, ANCHORS = 3, SAMPLES_AT_RIM = 5, CORNERS_MOST = 16 };

// A point this near to a plane, as a share of the leaf, is on no clear side of it.
static const double NEAR_PLANE = 1e-6;

// -------------------------------------------------------------------------------------------------------- views

bool mote_view_anchor(const mote_leaf_view *view, uint32_t triangle, mote_vec3 *anchor)
{
    const mote_triangle t = view->triangles[triangle];
    double at[2][CORNERS_MOST][3] = {{{t.a.x, t.a.y, t.a.z}, {t.b.x, t.b.y, t.b.z}, {t.c.x, t.c.y, t.c.z}}};
    int count = 3, from = 0;
    for (int plane = 0; plane < 6 && count; ++plane, from = !from) {
        const int axis = plane / 2;
        const double sign = plane % 2 ? 1 : -1, bound = view->low[axis] + (plane % 2 ? view->size : 0);
        int kept = 0;
        for (int i = 0; i < count; ++i) {
            const double *p = at[from][i], *q = at[from][(i + 1) % count];
            const double dp = sign * (p[axis] - bound), dq = sign * (q[axis] - bound);
            if (dp <= 0) memcpy(at[!from][kept++], p, sizeof at[0][0]);
            if ((dp < 0 && dq > 0) || (dp > 0 && dq < 0)) {
                double *r = at[!from][kept++];
                for (int k = 0; k < 3; ++k) r[k] = p[k] + (q[k] - p[k]) * (dp / (dp - dq));
                r[axis] = bound;
            }
        }
        count = kept;
    }
    // Irregular weights: lines to the centroids of a regular mesh's triangles would pass through its edges.
    double sum[3] = {0, 0, 0}, weights = 0;
    for (int i = 0; i < count; ++i) {
        const double weight = 1 + 0.6180339887 * i * i;
        for (int k = 0; k < 3; ++k) sum[k] += weight * at[from][i][k];
        weights += weight;
    }
    if (count == 0) return false;
    *anchor = mote_vec3_make(sum[0] / weights, sum[1] / weights, sum[2] / weights);
    return true;
}

// The point where a line of sight meets a triangle.
typedef struct sight {
    double time;    // 0 … 1
    double facing;  // above 0: the front is seen
} sight;

// 1: the line meets the triangle, 0: it does not, −1: it runs in the triangle's plane.
static int look_at(mote_triangle triangle, mote_vec3 point, mote_vec3 way, sight *seen)
{
    const mote_vec3 e = mote_vec3_sub(triangle.b, triangle.a), f = mote_vec3_sub(triangle.c, triangle.a);
    const mote_vec3 cross = mote_vec3_cross(e, f), from = mote_vec3_sub(triangle.a, point);
    const double along = mote_vec3_dot(cross, way), height = mote_vec3_dot(cross, from);
    const double size2 = mote_vec3_dot(cross, cross);
    const double flat = MOTE_VIEW_NEAR_EDGE * MOTE_VIEW_NEAR_EDGE * size2 * mote_vec3_dot(way, way);
    if (along * along <= flat) return height * height <= flat ? -1 : 0;
    const double time = height / along;
    if (!(time >= -MOTE_VIEW_NEAR_TIE && time <= 1 + MOTE_VIEW_NEAR_TIE)) return 0;
    // Shares of the corners b and c at the point where the line meets the plane.
    const mote_vec3 met = mote_vec3_sub(mote_vec3_scale(way, time), from);
    const double b = mote_vec3_dot(mote_vec3_cross(met, f), cross);
    const double c = mote_vec3_dot(mote_vec3_cross(e, met), cross);
    const double least = -MOTE_VIEW_NEAR_EDGE * size2;
    if (b < least || c < least || size2 - b - c < least) return 0;
    *seen = (sight){time, -along};
    return 1;
}

uint8_t mote_view_along(const mote_leaf_view *view, mote_vec3 point, mote_vec3 anchor)
{
    const mote_vec3 way = mote_vec3_sub(anchor, point);
    mote_gaze gaze = {.nearest = HUGE_VAL};
    for (size_t i = 0; i < view->count; ++i) {
        sight seen = {0, 0};  // initialised because not every compiler recognises that look_at fills it
        const int met = look_at(view->triangles[view->list[i]], point, way, &seen);
        if (met < 0) return MOTE_PROXY_UNKNOWN;
        if (met > 0) mote_gaze_meet(&gaze, seen.time, seen.facing);
    }
    return mote_gaze_side(&gaze);
}

uint8_t mote_view_side(const mote_leaf_view *view, mote_vec3 point)
{
    for (size_t i = 0; i < view->count; ++i) {
        mote_vec3 anchor;
        if (!mote_view_anchor(view, view->list[i], &anchor)) continue;
        const uint8_t side = mote_view_along(view, point, anchor);
        if (side != MOTE_PROXY_UNKNOWN) return side;
    }
    return MOTE_PROXY_UNKNOWN;
}

// ------------------------------------------------------------------------------------------------------- labels

// An empty leaf, as an octant of its parent, and labels for it.
typedef struct label_record {
    uint32_t node;
    uint8_t octant, label;
} label_record;

// A triangle's plane: normal·x = offset, with a unit normal.
typedef struct label_plane {
    mote_vec3 normal;
    double offset;
} label_plane;

typedef struct label_block {
    mote_buffer memory;
    size_t count;
    mote_buffer planes;  // of the leaf whose neighbours are labelled
    mote_result result;
} label_block;

typedef enum label_phase { THROUGH_FACES, PAST_EDGES, RIMS } label_phase;

typedef struct label_pass {
    mote_octree *tree;
    const bool *open_edge;
    label_phase phase;
    label_block *blocks;
    bool any_both;
} label_pass;

// The leaf with triangles whose empty neighbours are labelled.
typedef struct looker {
    const label_pass *pass;
    label_block *block;
    const mote_octree_leaf *leaf;
    mote_leaf_view view;
    mote_vec3 anchors[ANCHORS];
    int anchor_count;
    bool has_anchors, has_planes;  // they are computed when needed
    bool has_open_edge;
    uint32_t faces;  // two bits each
    bool is_rim;
} looker;

static void record(looker *by, uint32_t node, uint32_t octant, uint8_t label)
{
    label_block *block = by->block;
    if (block->result != MOTE_OK) return;
    const size_t bytes = (block->count + 1) * sizeof(label_record);
    if (bytes > block->memory.bytes)
        block->result = mote_buffer_reserve(by->pass->tree->context, &block->memory,
                                            MOTE_MAX(bytes, 2 * block->memory.bytes), block->memory.bytes);
    if (block->result != MOTE_OK) return;
    ((label_record *)block->memory.data)[block->count++] = (label_record){node, (uint8_t)octant, label};
}

// The point at these shares of the intersection of two boxes.
static mote_vec3 shared_point(const mote_octree_leaf *leaf, const uint32_t low[3], uint32_t size, const double share[3])
{
    double at[3];
    for (int k = 0; k < 3; ++k) {
        const double from = MOTE_MAX(leaf->low[k], low[k]), to = MOTE_MIN(leaf->low[k] + leaf->size, low[k] + size);
        at[k] = from + (to - from) * share[k];
    }
    return mote_vec3_make(at[0], at[1], at[2]);
}

static void choose_anchors(looker *by)
{
    const size_t count = by->view.count;
    for (size_t i = 0; i < count && by->anchor_count < ANCHORS; ++i) {
        // Spread over the list first, then any.
        const size_t place = i < ANCHORS ? i * count / ANCHORS : i - ANCHORS;
        by->anchor_count += mote_view_anchor(&by->view, by->view.list[place], by->anchors + by->anchor_count);
    }
    by->has_anchors = true;
}

static bool make_planes(looker *by)
{
    label_block *block = by->block;
    const size_t bytes = by->view.count * sizeof(label_plane);
    if (block->result == MOTE_OK)
        block->result = mote_buffer_reserve(by->pass->tree->context, &block->planes, bytes, 0);
    if (block->result != MOTE_OK) return false;
    label_plane *planes = block->planes.data;
    for (size_t i = 0; i < by->view.count; ++i) {
        const mote_triangle triangle = by->view.triangles[by->view.list[i]];
        const mote_vec3 normal = mote_vec3_unit(mote_triangle_cross(triangle));
        planes[i] = (label_plane){normal, mote_vec3_dot(normal, triangle.a)};
    }
    by->has_planes = true;
    return true;
}

// A point clearly in front of all planes, or behind all of them, sees that side along every line: most points do.
static uint8_t side_of_planes(looker *by, mote_vec3 point)
{
    if (!by->has_planes && !make_planes(by)) return MOTE_PROXY_UNKNOWN;
    const label_plane *planes = by->block->planes.data;
    const double clear = NEAR_PLANE * by->view.size;
    bool front = true, back = true;
    for (size_t i = 0; i < by->view.count && (front || back); ++i) {
        const double height = mote_vec3_dot(planes[i].normal, point) - planes[i].offset;
        front &= height > clear;
        back &= height < -clear;
    }
    return front ? MOTE_PROXY_FRONT : back ? MOTE_PROXY_BACK : MOTE_PROXY_UNKNOWN;
}

static uint8_t look_from(looker *by, mote_vec3 point)
{
    uint8_t label = side_of_planes(by, point);
    if (label != MOTE_PROXY_UNKNOWN) return label;
    if (!by->has_anchors) choose_anchors(by);
    const int enough = by->pass->phase == PAST_EDGES ? 1 : ANCHORS;
    for (int i = 0, seen = 0; i < by->anchor_count && seen < enough; ++i) {
        const uint8_t side = mote_view_along(&by->view, point, by->anchors[i]);
        label |= side;
        seen += side != MOTE_PROXY_UNKNOWN;
    }
    return label;
}

// The labels of the empty box, as seen from one point of what it shares with the leaf, or near an end of the surface
// from several of the face that they share.
static uint8_t labels_of(looker *by, const uint32_t low[3], uint32_t size, int face)
{
    const double middle[3] = {0.47, 0.53, 0.56};
    uint8_t label = look_from(by, shared_point(by->leaf, low, size, middle));
    if (by->has_open_edge && face >= 0) {
        const int n = SAMPLES_AT_RIM;
        for (int i = 0; i < n * n && label != 3; ++i) {
            double share[3] = {0, 0, 0};
            share[(face / 2 + 1) % 3] = (i % n + 0.47) / n;
            share[(face / 2 + 2) % 3] = (i / n + 0.53) / n;
            label |= look_from(by, shared_point(by->leaf, low, size, share));
        }
    }
    if (label) return label;
    for (int i = 0; i < 8 && !label; ++i) {
        const double share[3] = {i & 1 ? 0.21 : 0.83, i & 2 ? 0.17 : 0.71, i & 4 ? 0.29 : 0.77};
        label = mote_view_side(&by->view, shared_point(by->leaf, low, size, share));
    }
    if (label) return label;
    // If no line of sight has a result, the mean normal decides.
    const mote_vec3 normal = mote_normal_unpack(by->pass->tree->nodes[by->leaf->node].first);
    if (!by->has_anchors) choose_anchors(by);
    const mote_vec3 from = by->anchor_count ? by->anchors[0] : by->view.triangles[by->view.list[0]].a;
    const mote_vec3 to = shared_point(by->leaf, low, size, middle);
    return mote_vec3_dot(mote_vec3_sub(to, from), normal) >= 0 ? MOTE_PROXY_FRONT : MOTE_PROXY_BACK;
}

// An empty leaf that touches.
static void meet_empty(looker *by, uint32_t node, uint32_t octant, const uint32_t low[3], uint32_t size)
{
    int face = -1, planes = 0;
    for (int k = 0; k < 3; ++k) {
        if (low[k] + size == by->leaf->low[k]) face = 2 * k, ++planes;
        if (by->leaf->low[k] + by->leaf->size == low[k]) face = 2 * k + 1, ++planes;
    }
    const uint32_t bits = by->pass->tree->nodes[node].bits >> octant, known = (bits >> 16 & 1) | (bits >> 23 & 2);
    switch (by->pass->phase) {
    case THROUGH_FACES: {
        if (planes != 1) return;
        const uint8_t label = labels_of(by, low, size, face);
        by->faces |= (uint32_t)label << 2 * face;
        record(by, node, octant, label);
        return;
    }
    case PAST_EDGES:
        if (planes == 1 || known) return;
        record(by, node, octant, labels_of(by, low, size, -1));
        return;
    case RIMS:
        if (planes == 1 && known == 3 && (by->faces >> 2 * face & 3) == 3) by->is_rim = true;
        return;
    }
}

// The octants of a node, whose closed box touches the leaf's, that do so too.
static uint32_t octants_beside(const mote_octree_leaf *leaf, const uint32_t low[3], uint32_t half)
{
    static const uint32_t upper[3] = {0xAA, 0xCC, 0xF0};
    uint32_t mask = 0xFF;
    for (int k = 0; k < 3; ++k) {
        if (low[k] + half < leaf->low[k]) mask &= upper[k];
        if (low[k] + half > leaf->low[k] + leaf->size) mask &= ~upper[k];
    }
    return mask;
}

// Finds all empty leaves below a node that touch the leaf.
static void meet_below(looker *by, uint32_t number, const uint32_t low[3], uint32_t size)
{
    const mote_proxy_node node = by->pass->tree->nodes[number];
    const uint32_t half = size / 2, leaves = node.bits & ~(node.bits >> 8);
    uint32_t mask = octants_beside(by->leaf, low, half) & ~leaves;
    for (uint32_t octant = 0; mask; ++octant, mask >>= 1) {
        if (!(mask & 1)) continue;
        const uint32_t at[3] = {low[0] + (octant & 1) * half, low[1] + (octant >> 1 & 1) * half,
                                low[2] + (octant >> 2) * half};
        if (node.bits >> octant & 1) meet_below(by, mote_octree_child(&node, octant), at, half);
        else meet_empty(by, number, octant, at, half);
    }
}

static void look_around(looker *by)
{
    const uint32_t corner[3] = {0, 0, 0};
    meet_below(by, 0, corner, 1u << by->pass->tree->def.max_depth);
}

static void label_leaves(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const label_pass *pass = data;
    mote_octree *tree = pass->tree;
    for (size_t i = begin; i < end; ++i) {
        const mote_octree_leaf *leaf = tree->leaves + i;
        uint32_t *bits = &tree->nodes[leaf->node].bits;
        looker by = {.pass = pass,
                     .block = pass->blocks + begin / LEAVES_A_BLOCK,
                     .leaf = leaf,
                     .faces = *bits & 0xFFF,
                     .view = {tree->triangles,
                              tree->references + leaf->first,
                              leaf->count,
                              {leaf->low[0], leaf->low[1], leaf->low[2]},
                              leaf->size}};
        for (size_t t = 0; pass->phase == THROUGH_FACES && t < by.view.count && !by.has_open_edge; ++t)
            by.has_open_edge = pass->open_edge[by.view.list[t]];
        look_around(&by);
        *bits |= by.faces | (by.is_rim ? MOTE_PROXY_RIM : 0);
    }
}

// Writes the recorded labels into the parents of the empty leaves, and clears the records.
static mote_result apply(label_pass *pass, size_t block_count)
{
    for (size_t b = 0; b < block_count; ++b) {
        label_block *block = pass->blocks + b;
        if (block->result != MOTE_OK) return block->result;
        const label_record *records = block->memory.data;
        for (size_t i = 0; i < block->count; ++i) {
            uint32_t *bits = &pass->tree->nodes[records[i].node].bits;
            *bits |= (uint32_t)(records[i].label & 1) << (16 + records[i].octant);
            *bits |= (uint32_t)(records[i].label >> 1) << (24 + records[i].octant);
            const uint32_t both = *bits >> 16 & *bits >> 24 & 0xFF;
            if (both >> records[i].octant & 1) pass->any_both = true;
        }
        block->count = 0;
    }
    return MOTE_OK;
}

// Empty leaves with both labels, as octants of their parents, and their positions.
typedef struct ambiguous {
    uint32_t node, octant, low[3], size;
} ambiguous;

typedef struct winding_pass {
    const mote_proxy *proxy;
    const mote_mesh *mesh;
    mote_octree *tree;
    ambiguous *found;  // NULL while they are counted
    size_t count;
} winding_pass;

static void find_ambiguous(winding_pass *pass, uint32_t number, const uint32_t low[3], uint32_t size)
{
    const mote_proxy_node node = pass->tree->nodes[number];
    const uint32_t half = size / 2;
    for (uint32_t octant = 0; octant < 8; ++octant) {
        const uint32_t at[3] = {low[0] + (octant & 1) * half, low[1] + (octant >> 1 & 1) * half,
                                low[2] + (octant >> 2) * half};
        const uint32_t bits = node.bits >> octant;
        if (bits & 1) {
            if (bits >> 8 & 1) find_ambiguous(pass, mote_octree_child(&node, octant), at, half);
        } else if (bits >> 16 & bits >> 24 & 1) {
            const ambiguous leaf = {number, octant, {at[0], at[1], at[2]}, half};
            if (pass->found) pass->found[pass->count] = leaf;
            ++pass->count;
        }
    }
}

static void decide(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const winding_pass *pass = data;
    for (size_t i = begin; i < end; ++i) {
        ambiguous *leaf = pass->found + i;
        const double half = leaf->size / 2.0;
        const mote_vec3 middle = {leaf->low[0] + half, leaf->low[1] + half, leaf->low[2] + half};
        const bool inside = mote_mesh_winding_number(
                                pass->mesh, mote_vec3_add_scaled(pass->proxy->origin, middle, pass->proxy->leaf)) > 0.5;
        leaf->size = inside ? MOTE_PROXY_BACK : MOTE_PROXY_FRONT;
    }
}

// A closed mesh that cuts through itself shows its front inside. There winding numbers decide the side.
static mote_result decide_by_winding(const mote_proxy *proxy, mote_octree *tree, const mote_mesh *mesh)
{
    winding_pass pass = {proxy, mesh, tree, NULL, 0};
    const uint32_t corner[3] = {0, 0, 0}, across = 1u << tree->def.max_depth;
    find_ambiguous(&pass, 0, corner, across);
    const size_t bytes = pass.count * sizeof *pass.found;
    pass.found = mote_allocate(tree->context, bytes);
    if (!pass.found) return MOTE_ERROR_OUT_OF_MEMORY;
    pass.count = 0;
    find_ambiguous(&pass, 0, corner, across);
    mote_parallel_for(tree->context, pass.count, 1, decide, &pass);
    for (size_t i = 0; i < pass.count; ++i) {
        const ambiguous *leaf = pass.found + i;
        const uint32_t other = leaf->size == MOTE_PROXY_BACK ? 16 : 24;
        tree->nodes[leaf->node].bits &= ~(1u << (other + leaf->octant));
    }
    mote_release(tree->context, pass.found, bytes);
    return MOTE_OK;
}

mote_result mote_proxy_label(const mote_proxy *proxy, mote_octree *tree, const bool *open_edge, const mote_mesh *closed)
{
    const size_t n = tree->leaf_count, block_count = mote_block_count(n, LEAVES_A_BLOCK);
    if (n == 0) return MOTE_OK;
    label_pass pass = {tree, open_edge, THROUGH_FACES, NULL, false};
    pass.blocks = mote_allocate(tree->context, block_count * sizeof *pass.blocks);
    if (!pass.blocks) return MOTE_ERROR_OUT_OF_MEMORY;
    memset(pass.blocks, 0, block_count * sizeof *pass.blocks);
    mote_result result = MOTE_OK;
    for (label_phase phase = THROUGH_FACES; phase <= RIMS && result == MOTE_OK; ++phase) {
        pass.phase = phase;
        if (phase == RIMS && (!pass.any_both || closed)) break;
        mote_parallel_for(tree->context, n, LEAVES_A_BLOCK, label_leaves, &pass);
        result = apply(&pass, block_count);
    }
    if (result == MOTE_OK && pass.any_both && closed) result = decide_by_winding(proxy, tree, closed);
    for (size_t b = 0; b < block_count; ++b) {
        mote_buffer_release(tree->context, &pass.blocks[b].memory);
        mote_buffer_release(tree->context, &pass.blocks[b].planes);
    }
    mote_release(tree->context, pass.blocks, block_count * sizeof *pass.blocks);
    return result;
}
