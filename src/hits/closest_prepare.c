// SPDX-License-Identifier: MIT
// What closest points and winding numbers need besides the tree of boxes; above all the moments of triangles, in a tree
// over the clusters.

#include "hits/lanes.h"

enum { ELEMENTS_A_BLOCK = 256 };

// A level while it is built.
typedef struct level_build {
    mote_hits *hits;
    uint32_t level;
    hits_moments *moments;  // per cluster, then per node
} level_build;

static hits_moments *moments_of(const level_build *build, uint32_t level)
{
    const mote_hits *hits = build->hits;
    return build->moments + (level ? hits->cluster_count + hits->closest->level[level - 1] : 0);
}

static double radius_of(const mote_hits *hits, mote_vec3 center, size_t begin, size_t end)
{
    double most2 = 0;
    for (size_t i = 3 * begin; i < 3 * end; ++i) {
        const mote_vec3 apart = mote_vec3_sub(hits->vertices[hits->triangles[i]], center);
        most2 = MOTE_MAX(most2, mote_vec3_dot(apart, apart));
    }
    return sqrt(most2) * (1 + 0x1p-40);
}

// ---------------------------------------------------------------------------------------------------------- tree

static void build_clusters(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const level_build *build = data;
    const mote_hits *hits = build->hits;
    struct hits_closest *tree = hits->closest;
    for (size_t c = begin; c < end; ++c) {
        const size_t from = c * HITS_LANES, to = MOTE_MIN(from + HITS_LANES, hits->triangle_count);
        hits_moments parts[HITS_LANES];
        tree->solid[c] = tree->slivers[c] = 0;
        for (size_t t = from; t < to; ++t) {
            mote_vec3 corner[3];
            mote_hits_corners(hits, (uint32_t)t, corner);
            parts[t - from] = mote_hits_moments_of_triangle(corner);
            const mote_triangle triangle = {corner[0], corner[1], corner[2]};
            if (!mote_triangle_is_degenerate(triangle)) tree->solid[c] |= (uint8_t)(1 << (t - from));
            if (mote_triangle_is_sliver(triangle)) tree->slivers[c] |= (uint8_t)(1 << (t - from));
        }
        build->moments[c] = mote_hits_moments_join(parts, to - from);
        build->moments[c].radius = radius_of(hits, build->moments[c].center, from, to);
    }
}

static void build_nodes(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const level_build *build = data;
    mote_hits *hits = build->hits;
    struct hits_closest *tree = hits->closest;
    const uint32_t level = build->level;
    const size_t below = mote_hits_level_elements(hits, level - 1);
    const size_t triangles = (size_t)HITS_LANES << 3 * level;  // number of triangles in a node
    for (size_t n = begin; n < end; ++n) {
        const size_t child = n * HITS_FAN, count = MOTE_MIN(below - child, HITS_FAN);
        const hits_moments *parts = moments_of(build, level - 1) + child;
        hits_moments *moments = moments_of(build, level) + n;
        *moments = mote_hits_moments_join(parts, count);
        moments->radius =
            radius_of(hits, moments->center, n * triangles, MOTE_MIN((n + 1) * triangles, hits->triangle_count));
        mote_hits_far_children_set(&tree->far[tree->level[level - 1] + n], moments, parts, count);
    }
}

static mote_result allocate_tree(const mote_hits *hits, struct hits_closest *tree)
{
    size_t nodes = 0;
    for (size_t below = hits->cluster_count; below > 0 && (tree->level_count == 0 || below > 1);) {
        below = (below + HITS_FAN - 1) / HITS_FAN;
        tree->level[tree->level_count++] = nodes;
        nodes += below;
    }
    tree->level[tree->level_count] = nodes;
    tree->far = mote_allocate(hits->context, nodes * sizeof *tree->far);
    tree->solid = mote_allocate(hits->context, 2 * hits->cluster_count);
    tree->slivers = tree->solid ? tree->solid + hits->cluster_count : NULL;
    return nodes == 0 || (tree->far && tree->solid) ? MOTE_OK : MOTE_ERROR_OUT_OF_MEMORY;
}

static mote_box box_of(const mote_hits *hits)
{
    mote_box box = mote_box_empty();
    for (size_t v = 0; v < hits->vertex_count; ++v) box = mote_box_add_point(box, hits->vertices[v]);
    return box;
}

static mote_result build_tree(mote_hits *hits)
{
    struct hits_closest *tree = hits->closest;
    mote_buffer memory = {0};
    const size_t elements = hits->cluster_count + tree->level[tree->level_count];
    mote_result result = mote_buffer_reserve(hits->context, &memory, mote_bytes(elements, sizeof(hits_moments)), 0);
    if (result != MOTE_OK) return result;
    level_build build = {hits, 0, memory.data};
    mote_parallel_for(hits->context, hits->cluster_count, ELEMENTS_A_BLOCK, build_clusters, &build);
    for (build.level = 1; build.level <= tree->level_count; ++build.level)
        mote_parallel_for(hits->context, mote_hits_level_elements(hits, build.level), ELEMENTS_A_BLOCK, build_nodes,
                          &build);
    if (elements) {
        tree->area = build.moments[elements - 1].area;
        tree->radius = build.moments[elements - 1].radius;
    }
    mote_buffer_release(hits->context, &memory);
    return MOTE_OK;
}

// If the mesh moves, makes a tree with the boxes at the start of the step: those of hits->tree reach to its end.
static mote_result box_start(mote_hits *hits)
{
    if (!hits->ends) return MOTE_OK;
    mote_hits still = *hits;
    still.ends = NULL;
    const mote_result result = mote_hits_tree_refit(hits->tree, &still);
    hits->closest->resting = result == MOTE_OK ? still.tree : NULL;
    return result;
}

mote_result mote_hits_closest_build(mote_hits *hits)
{
    struct hits_closest *tree = mote_allocate(hits->context, sizeof *tree);
    if (!tree) return MOTE_ERROR_OUT_OF_MEMORY;
    *tree = (struct hits_closest){.lanes = mote_hits_lanes_choose(hits->context)->closest, .box = box_of(hits)};
    if (hits->vertex_count) tree->origin = mote_hits_lerp(tree->box.min, tree->box.max, 0.5);
    hits->closest = tree;
    const mote_mesh mesh = mote_hits_as_mesh(hits);
    mote_result result = allocate_tree(hits, tree);
    if (result == MOTE_OK) result = build_tree(hits);
    if (result == MOTE_OK) result = box_start(hits);
    if (result == MOTE_OK) result = mote_features_build(&mesh, &tree->features);
    if (result == MOTE_OK) result = mote_hits_cell_sides_build(hits);
    if (result != MOTE_OK) mote_hits_closest_release(hits);
    return result;
}

void mote_hits_closest_release(mote_hits *hits)
{
    struct hits_closest *tree = hits->closest;
    if (!tree) return;
    const mote_mesh mesh = mote_hits_as_mesh(hits);
    const size_t nodes = tree->level[tree->level_count];
    mote_features_release(&mesh, &tree->features);
    mote_hits_tree_free(hits->context, tree->resting);
    mote_release(hits->context, tree->far, nodes * sizeof *tree->far);
    mote_release(hits->context, tree->solid, 2 * hits->cluster_count);
    mote_release(hits->context, tree->sides, mote_hits_cell_sides_bytes(hits));
    mote_buffer_release(hits->context, &tree->order);
    mote_release(hits->context, tree, sizeof *tree);
    hits->closest = NULL;
}

size_t mote_hits_closest_bytes(const mote_hits *hits)
{
    const struct hits_closest *tree = hits->closest;
    if (!tree) return 0;
    const size_t nodes = tree->level[tree->level_count], c = hits->cluster_count;
    size_t bytes = sizeof *tree + nodes * sizeof *tree->far + 2 * c;
    bytes += mote_hits_tree_bytes(tree->resting);
    bytes += mote_hits_cell_sides_bytes(hits);
    bytes += hits->triangle_count * (sizeof(mote_vec3) + 3 * sizeof(uint32_t));
    return bytes + (hits->vertex_count + tree->features.edge_count) * sizeof(mote_vec3);
}

// ---------------------------------------------------------------------------------------------------------- check

mote_result mote_hits_closest_validate(const mote_hits *hits, mote_error *error)
{
    mote_hits still = *hits;
    still.ends = NULL;
    still.tree = hits->closest->resting;
    const mote_result result = still.tree ? mote_hits_tree_validate(&still, error) : MOTE_OK;
    return result == MOTE_OK ? mote_hits_cell_sides_validate(hits, error) : result;
}
