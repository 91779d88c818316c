// SPDX-License-Identifier: MIT
// The tree over the clusters: its shape comes from the surface area heuristic, from the root down; its boxes are
// computed from the leaves up.
//
// A node begins as one range of clusters. The range whose box has the largest area is split in two, again and again,
// until there are eight (Wald, Benthin & Boulos 2008).

#include "hits/structure_tree.h"

#include "hits/structure_split.h"

enum { NODES_A_BLOCK = 64, CLUSTERS_A_BLOCK = 256 };

// ---------------------------------------------------------------------------------------------------------- form

typedef struct tree_build {
    const mote_hits *hits;
    struct hits_tree *tree;
    hits_split_box *boxes;  // per cluster
    mote_buffer nodes;
    size_t node_count;
    mote_result result;
} tree_build;

typedef struct tree_range {
    size_t begin, end;
    uint32_t depth;
    hits_split_box box;
} tree_range;

static void bound_cluster(const mote_hits *hits, size_t cluster, mote_box *box)
{
    const size_t begin = cluster * HITS_LANES, end = MOTE_MIN(begin + HITS_LANES, hits->triangle_count);
    *box = mote_box_empty();
    for (size_t i = 3 * begin; i < 3 * end; ++i) {
        *box = mote_box_add_point(*box, hits->vertices[hits->triangles[i]]);
        if (hits->ends) *box = mote_box_add_point(*box, hits->ends[hits->triangles[i]]);
    }
}

// Rounds a box outwards, relative to the origin.
static void round_out(const mote_box *box, const double origin[3], float low[3], float high[3])
{
    const double least[3] = {box->min.x, box->min.y, box->min.z}, most[3] = {box->max.x, box->max.y, box->max.z};
    for (int k = 0; k < 3; ++k) {
        const float a = (float)(least[k] - origin[k]), b = (float)(most[k] - origin[k]);
        low[k] = a - (fabsf(a) * 0x1p-22f + 0x1p-100f);
        high[k] = b + (fabsf(b) * 0x1p-22f + 0x1p-100f);
    }
}

static void bound_clusters(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const tree_build *build = data;
    for (size_t c = begin; c < end; ++c) {
        mote_box box;
        bound_cluster(build->hits, c, &box);
        float high[3];
        hits_split_box *made = &build->boxes[c];
        round_out(&box, build->tree->origin, made->low, high);
        for (int k = 0; k < 3; ++k) made->minus_high[k] = -high[k];
        made->number = (uint32_t)c;
        made->rest = 0;
    }
}

static tree_range make_range(const tree_build *build, size_t begin, size_t end, uint32_t depth)
{
    tree_range range = {begin, end, depth, mote_hits_split_empty()};
    mote_hits_split_bound(build->boxes + begin, end - begin, &range.box);
    return range;
}

// Splits the range with the largest box; false if all are single clusters.
static bool part_largest(const tree_build *build, tree_range ranges[HITS_TREE_FAN], uint32_t count)
{
    uint32_t at = count;
    for (uint32_t i = 0; i < count; ++i) {
        if (ranges[i].end - ranges[i].begin < 2) continue;
        if (at == count || mote_hits_split_area(&ranges[i].box) > mote_hits_split_area(&ranges[at].box)) at = i;
    }
    if (at == count) return false;
    const tree_range of = ranges[at];
    const size_t before = mote_hits_split(build->boxes + of.begin, of.end - of.begin, 1, of.depth >= HITS_TREE_EVENLY);
    ranges[at] = make_range(build, of.begin, of.begin + before, of.depth + 1);
    ranges[count] = make_range(build, of.begin + before, of.end, of.depth + 1);
    return true;
}

static uint32_t lowest_of_cluster(const mote_hits *hits, size_t cluster)
{
    const size_t begin = cluster * HITS_LANES, end = MOTE_MIN(begin + HITS_LANES, hits->triangle_count);
    uint32_t lowest = UINT32_MAX;
    for (size_t t = begin; t < end; ++t) lowest = MOTE_MIN(lowest, hits->original[t]);
    return lowest;
}

// Chooses slots for a node's children. Bit k of a slot's number is set if its child lies towards higher coordinates
// of axis k than others, as far as this is possible for all. So slots in the order of number ^ octant are nearly in
// the order of distance for motions of that octant. The child that lies farthest out in a slot's direction is placed
// first.
static void choose_slots(const tree_range ranges[HITS_TREE_FAN], uint32_t count, uint32_t slot[HITS_TREE_FAN])
{
    hits_split_box all = ranges[0].box;
    for (uint32_t i = 1; i < count; ++i) mote_hits_split_join(&all, &ranges[i].box);
    uint32_t placed = 0, taken = 0;
    for (uint32_t turn = 0; turn < count; ++turn) {
        uint32_t best = 0, to = 0;
        float most = -HUGE_VALF;
        for (uint32_t at = 0; at < HITS_TREE_FAN * count; ++at) {
            const uint32_t i = at / HITS_TREE_FAN, s = at % HITS_TREE_FAN;
            float out = 0;
            for (uint32_t k = 0; k < 3; ++k) {
                const float middle = ranges[i].box.low[k] - ranges[i].box.minus_high[k];
                const float off = middle - (all.low[k] - all.minus_high[k]);
                out += s >> k & 1 ? off : -off;
            }
            if (placed >> i & 1 || taken >> s & 1 || !(out > most)) continue;
            most = out;
            best = i;
            to = s;
        }
        slot[best] = to;
        placed |= 1u << best;
        taken |= 1u << to;
    }
}

// Appends a node. Returns the lowest triangle below it.
static uint32_t build_node(tree_build *build, tree_range all)
{
    tree_range ranges[HITS_TREE_FAN] = {all};
    uint32_t count = 1, lowest = UINT32_MAX, slot[HITS_TREE_FAN];
    while (count < HITS_TREE_FAN && part_largest(build, ranges, count)) ++count;
    const size_t at = build->node_count++, held = at * sizeof(hits_tree_node);
    if (build->result == MOTE_OK)
        build->result = mote_buffer_reserve(build->hits->context, &build->nodes, held + sizeof(hits_tree_node), held);
    hits_tree_node node;
    choose_slots(ranges, count, slot);
    for (uint32_t i = 0; i < HITS_TREE_FAN; ++i) node.child[i] = node.lowest[i] = UINT32_MAX;
    for (uint32_t i = 0; i < count && build->result == MOTE_OK; ++i) {
        const uint32_t cluster = build->boxes[ranges[i].begin].number;
        const bool is_cluster = ranges[i].end - ranges[i].begin == 1;
        const uint32_t s = slot[i];
        node.child[s] = is_cluster ? cluster : (uint32_t)build->node_count | HITS_TREE_NODE;
        node.lowest[s] = is_cluster ? lowest_of_cluster(build->hits, cluster) : build_node(build, ranges[i]);
        lowest = MOTE_MIN(lowest, node.lowest[s]);
    }
    if (build->result == MOTE_OK) ((hits_tree_node *)build->nodes.data)[at] = node;
    return lowest;
}

// --------------------------------------------------------------------------------------------------------- boxes

static void set_origin(const mote_hits *hits, struct hits_tree *tree)
{
    mote_box box = mote_box_empty();
    for (size_t v = 0; v < hits->vertex_count; ++v) {
        box = mote_box_add_point(box, hits->vertices[v]);
        if (hits->ends) box = mote_box_add_point(box, hits->ends[v]);
    }
    const mote_vec3 middle = mote_hits_lerp(box.min, box.max, 0.5);
    tree->origin[0] = middle.x;
    tree->origin[1] = middle.y;
    tree->origin[2] = middle.z;
}

static void set_planes(hits_tree_node *node, uint32_t child, const float low[3], const float high[3])
{
    for (int k = 0; k < 3; ++k) {
        node->plane[k][child] = low[k];
        node->plane[k + 3][child] = high[k];
    }
}

// Sets the boxes of clusters, and empty boxes in all other slots.
static void fit_clusters(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    static const float nowhere[3] = {HUGE_VALF, HUGE_VALF, HUGE_VALF};
    static const float before[3] = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};
    const mote_hits *hits = data;
    for (size_t n = begin; n < end; ++n) {
        hits_tree_node *node = &hits->tree->nodes[n];
        for (uint32_t i = 0; i < HITS_TREE_FAN; ++i) {
            float low[3], high[3];
            set_planes(node, i, nowhere, before);
            if (node->child[i] & HITS_TREE_NODE) continue;
            mote_box box;
            bound_cluster(hits, node->child[i], &box);
            round_out(&box, hits->tree->origin, low, high);
            set_planes(node, i, low, high);
        }
    }
}

// Lanes after a last cluster's triangles repeat the last one.
static void fit_faces(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const mote_hits *hits = data;
    const double *from = hits->tree->origin;
    for (size_t c = begin; c < end; ++c) {
        hits_faces *faces = &hits->tree->faces[c];
        *faces = (hits_faces){.longest = 0};
        for (size_t lane = 0; lane < HITS_LANES; ++lane) {
            mote_vec3 corner[3];
            mote_hits_corners(hits, (uint32_t)MOTE_MIN(c * HITS_LANES + lane, hits->triangle_count - 1), corner);
            const mote_vec3 e = mote_vec3_sub(corner[1], corner[0]), f = mote_vec3_sub(corner[2], corner[0]);
            const double at[3] = {corner[0].x, corner[0].y, corner[0].z}, ab[3] = {e.x, e.y, e.z},
                         ac[3] = {f.x, f.y, f.z};
            for (int k = 0; k < 3; ++k) {
                faces->corner[k][lane] = (float)(at[k] - from[k]);
                faces->along[k][lane] = (float)ab[k];
                faces->beside[k][lane] = (float)ac[k];
            }
            const float longest = (float)(MOTE_MAX(mote_hits_largest(e), mote_hits_largest(f)) * (1 + 0x1p-20));
            faces->longest = MOTE_MAX(faces->longest, longest);
        }
    }
}

static void bound_node(const hits_tree_node *node, float low[3], float high[3])
{
    for (int k = 0; k < 3; ++k) {
        low[k] = HUGE_VALF;
        high[k] = -HUGE_VALF;
        for (uint32_t i = 0; i < HITS_TREE_FAN; ++i) {
            low[k] = MOTE_MIN(low[k], node->plane[k][i]);
            high[k] = MOTE_MAX(high[k], node->plane[k + 3][i]);
        }
    }
}

static bool is_there(uint32_t child)
{
    return child != UINT32_MAX;
}

static void fit(mote_hits *hits)
{
    struct hits_tree *tree = hits->tree;
    float low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    mote_parallel_for(hits->context, tree->node_count, NODES_A_BLOCK, fit_clusters, hits);
    mote_parallel_for(hits->context, tree->face_count, CLUSTERS_A_BLOCK, fit_faces, hits);
    for (size_t n = tree->node_count; n-- > 0;) {
        hits_tree_node *node = &tree->nodes[n];
        for (uint32_t i = 0; i < HITS_TREE_FAN; ++i) {
            if (!is_there(node->child[i]) || !(node->child[i] & HITS_TREE_NODE)) continue;
            bound_node(&tree->nodes[node->child[i] & ~HITS_TREE_NODE], low, high);
            set_planes(node, i, low, high);
        }
    }
    if (tree->node_count) bound_node(&tree->nodes[0], low, high);
    for (int k = 0; k < 3; ++k) tree->half[k] = MOTE_MAX(-(double)low[k], (double)high[k]);
}

// Allocates a new tree with room for so many nodes.
static mote_result allocate(mote_hits *hits, size_t nodes)
{
    struct hits_tree *tree = mote_allocate(hits->context, sizeof *tree);
    if (!tree) return MOTE_ERROR_OUT_OF_MEMORY;
    *tree = (struct hits_tree){.node_count = nodes, .face_count = hits->ends ? 0 : hits->cluster_count};
    if (nodes) tree->nodes = mote_allocate(hits->context, nodes * sizeof *tree->nodes);
    if (tree->face_count) tree->faces = mote_allocate(hits->context, tree->face_count * sizeof *tree->faces);
    hits->tree = tree;
    if ((tree->nodes || !nodes) && (tree->faces || !tree->face_count)) return MOTE_OK;
    mote_hits_tree_free(hits->context, tree);
    hits->tree = NULL;
    return MOTE_ERROR_OUT_OF_MEMORY;
}

mote_result mote_hits_tree_build(mote_hits *hits)
{
    struct hits_tree frame = {.node_count = 0};
    set_origin(hits, &frame);
    tree_build build = {.hits = hits, .tree = &frame};
    mote_buffer memory = {0};
    build.result = mote_buffer_reserve(hits->context, &memory, mote_bytes(hits->cluster_count, sizeof *build.boxes), 0);
    if (build.result == MOTE_OK && hits->cluster_count) {
        build.boxes = memory.data;
        mote_parallel_for(hits->context, hits->cluster_count, CLUSTERS_A_BLOCK, bound_clusters, &build);
        build_node(&build, make_range(&build, 0, hits->cluster_count, 0));
    }
    mote_buffer_release(hits->context, &memory);
    if (build.result == MOTE_OK) build.result = allocate(hits, build.node_count);
    if (build.result == MOTE_OK) {
        for (int k = 0; k < 3; ++k) hits->tree->origin[k] = frame.origin[k];
        if (build.node_count) memcpy(hits->tree->nodes, build.nodes.data, build.node_count * sizeof(hits_tree_node));
        fit(hits);
    }
    mote_buffer_release(hits->context, &build.nodes);
    return build.result;
}

mote_result mote_hits_tree_refit(const struct hits_tree *tree, mote_hits *made)
{
    mote_result result = allocate(made, tree->node_count);
    if (result != MOTE_OK) return result;
    if (tree->node_count) memcpy(made->tree->nodes, tree->nodes, tree->node_count * sizeof *tree->nodes);
    set_origin(made, made->tree);
    fit(made);
    return MOTE_OK;
}

void mote_hits_tree_free(const mote_context *context, struct hits_tree *tree)
{
    if (!tree) return;
    if (tree->nodes) mote_release(context, tree->nodes, tree->node_count * sizeof *tree->nodes);
    if (tree->faces) mote_release(context, tree->faces, tree->face_count * sizeof *tree->faces);
    mote_release(context, tree, sizeof *tree);
}

size_t mote_hits_tree_bytes(const struct hits_tree *tree)
{
    return tree ? sizeof *tree + tree->node_count * sizeof *tree->nodes + tree->face_count * sizeof *tree->faces : 0;
}

// --------------------------------------------------------------------------------------------------------- check

static bool box_holds(const hits_tree_node *node, uint32_t child, const float low[3], const float high[3])
{
    bool holds = true;
    for (int k = 0; k < 3; ++k) holds &= node->plane[k][child] <= low[k] && node->plane[k + 3][child] >= high[k];
    return holds;
}

static mote_result validate_child(const mote_hits *hits, size_t n, uint32_t i, mote_error *error)
{
    const hits_tree_node *node = &hits->tree->nodes[n];
    const uint32_t child = node->child[i], below = child & ~HITS_TREE_NODE;
    uint32_t lowest = UINT32_MAX;
    float low[3], high[3];
    if (child & HITS_TREE_NODE) {
        if (below <= n || below >= hits->tree->node_count)
            return mote_fail(error, MOTE_ERROR_STATE, n, "hits: tree node %zu names node %u of %zu", n, below,
                             hits->tree->node_count);
        for (uint32_t k = 0; k < HITS_TREE_FAN; ++k) lowest = MOTE_MIN(lowest, hits->tree->nodes[below].lowest[k]);
        bound_node(&hits->tree->nodes[below], low, high);
    } else {
        if (below >= hits->cluster_count)
            return mote_fail(error, MOTE_ERROR_STATE, n, "hits: tree node %zu names cluster %u of %zu", n, below,
                             hits->cluster_count);
        mote_box box;
        lowest = lowest_of_cluster(hits, below);
        bound_cluster(hits, below, &box);
        round_out(&box, hits->tree->origin, low, high);
    }
    if (lowest != node->lowest[i] || !box_holds(node, i, low, high))
        return mote_fail(error, MOTE_ERROR_STATE, n, "hits: child %u of tree node %zu does not fit", i, n);
    return MOTE_OK;
}

mote_result mote_hits_tree_validate(const mote_hits *hits, mote_error *error)
{
    size_t clusters = 0, nodes = hits->cluster_count > 0;
    mote_result result = MOTE_OK;
    for (size_t n = 0; n < hits->tree->node_count; ++n)
        for (uint32_t i = 0; i < HITS_TREE_FAN && result == MOTE_OK; ++i) {
            const uint32_t child = hits->tree->nodes[n].child[i];
            if (!is_there(child)) continue;
            if (child & HITS_TREE_NODE)
                ++nodes;
            else ++clusters;
            result = validate_child(hits, n, i, error);
        }
    if (result == MOTE_OK && (nodes != hits->tree->node_count || clusters != hits->cluster_count))
        return mote_fail(error, MOTE_ERROR_STATE, 0, "hits: the tree holds %zu clusters, expected %zu", clusters,
                         hits->cluster_count);
    return result;
}
