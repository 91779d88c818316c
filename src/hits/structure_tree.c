// SPDX-License-Identifier: MIT
// The tree over the clusters: its boxes are computed from the leaves up, and anew when vertices move. Its form comes
// from structure_form.c.

#include "hits/structure_tree.h"

#include "hits/structure_form.h"

enum { NODES_A_BLOCK = 64, CLUSTERS_A_BLOCK = 256 };

// --------------------------------------------------------------------------------------------------------- boxes

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

typedef struct boxes_task {
    const mote_hits *hits;
    const double *origin;
    hits_split_box *boxes;  // per cluster
} boxes_task;

static void bound_clusters(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const boxes_task *task = data;
    for (size_t c = begin; c < end; ++c) {
        mote_box box;
        bound_cluster(task->hits, c, &box);
        float high[3];
        hits_split_box *made = &task->boxes[c];
        round_out(&box, task->origin, made->low, high);
        for (int k = 0; k < 3; ++k) made->minus_high[k] = -high[k];
        made->number = (uint32_t)c;
        made->rest = 0;
    }
}

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

// A triangle of a cluster, or none behind the mesh's last one.
static void fit_face(const mote_hits *hits, size_t triangle, size_t lane, hits_faces *faces)
{
    const double *from = hits->tree->origin;
    mote_vec3 corner[3];
    mote_hits_corners(hits, (uint32_t)MOTE_MIN(triangle, hits->triangle_count - 1), corner);
    const mote_vec3 e = mote_vec3_sub(corner[1], corner[0]), f = mote_vec3_sub(corner[2], corner[0]);
    const double at[3] = {corner[0].x, corner[0].y, corner[0].z}, ab[3] = {e.x, e.y, e.z}, ac[3] = {f.x, f.y, f.z};
    for (int k = 0; k < 3; ++k) {
        faces->corner[k][lane] = triangle < hits->triangle_count ? (float)(at[k] - from[k]) : NAN;
        faces->along[k][lane] = (float)ab[k];
        faces->beside[k][lane] = (float)ac[k];
    }
    const float longest = (float)(MOTE_MAX(mote_hits_largest(e), mote_hits_largest(f)) * (1 + 0x1p-20));
    faces->longest = MOTE_MAX(faces->longest, longest);
}

static void fit_faces(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const mote_hits *hits = data;
    for (size_t c = begin; c < end; ++c) {
        hits_faces *faces = &hits->tree->faces[c];
        *faces = (hits_faces){.longest = 0};
        for (size_t lane = 0; lane < HITS_LANES; ++lane) fit_face(hits, c * HITS_LANES + lane, lane, faces);
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
    const size_t clusters = hits->cluster_count;
    struct hits_tree frame = {.node_count = 0};
    hits_tree_form form = {.hits = hits};
    mote_buffer memory = {0}, binary = {0};
    set_origin(hits, &frame);
    mote_result result = mote_buffer_reserve(hits->context, &memory, mote_bytes(clusters, sizeof(hits_split_box)), 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(hits->context, &binary, mote_hits_form_bytes(clusters), 0);
    if (result == MOTE_OK && clusters) {
        boxes_task task = {hits, frame.origin, memory.data};
        form.binary = binary.data;
        mote_parallel_for(hits->context, clusters, CLUSTERS_A_BLOCK, bound_clusters, &task);
        mote_hits_form_split(&form, task.boxes, clusters);
    }
    mote_buffer_release(hits->context, &memory);
    if (result == MOTE_OK) result = allocate(hits, form.node_count);
    if (result == MOTE_OK) {
        for (int k = 0; k < 3; ++k) hits->tree->origin[k] = frame.origin[k];
        if (form.node_count) mote_hits_form_nodes(&form, hits->tree->nodes);
        fit(hits);
    }
    mote_buffer_release(hits->context, &binary);
    return result;
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
        lowest = mote_hits_cluster_lowest(hits, below);
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
