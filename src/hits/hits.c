// SPDX-License-Identifier: MIT
// The mote_hits object: creation, updates, sizes, validation.

#include "hits/lanes.h"
#include "hits/structure_tree.h"

enum { VERTICES_A_BLOCK = 8192 };

#define COUNT_FIELD(member, least, most, usual, text)                                                                 \
    {                                                                                                                 \
        .name = #member, .type = MOTE_FIELD_INT, .unit = "", .offset = offsetof(mote_hits_def, member), .min = least, \
        .max = most, .initial = {usual}, .meaning = text                                                              \
    }

static const mote_field fields[] = {
    COUNT_FIELD(most_cells, 64, 1 << 30, 1 << 21, "cells of the grid on top, at most"),
    COUNT_FIELD(leaf_clusters, 1, INT32_MAX, 64, "clusters of eight triangles above which a leaf is split"),
};

static const mote_field_table table = {"hits", "exact hits of particles on triangles", fields,
                                       sizeof fields / sizeof *fields};

const mote_field_table *mote_hits_fields(void)
{
    return &table;
}

mote_hits_def mote_hits_default_def(void)
{
    mote_hits_def def = {0};
    mote_fields_set_defaults(&table, &def);
    def.cookie = MOTE_COOKIE;
    return def;
}

// Sets the scale, the power of two that brings the vertices' extent to between 1/2 and 1, and everything that
// depends on it. False if that is impossible.
static bool set_frame(mote_hits *hits, const mote_vec3 *a, const mote_vec3 *b)
{
    mote_box box = mote_box_empty();
    for (size_t v = 0; v < hits->vertex_count; ++v) {
        box = mote_box_add_point(box, a[v]);
        if (b) box = mote_box_add_point(box, b[v]);
    }
    if (hits->vertex_count == 0) box = (mote_box){{0, 0, 0}, {1, 1, 1}};
    const double low[3] = {box.min.x, box.min.y, box.min.z}, high[3] = {box.max.x, box.max.y, box.max.z};
    double longest = 0, origin[3], farthest = 0;
    for (int k = 0; k < 3; ++k) longest = MOTE_MAX(longest, high[k] - low[k]);
    if (!(longest > 0)) longest = 1;
    int exponent;
    frexp(longest, &exponent);
    if (!isfinite(longest) || exponent <= -1000 || exponent >= 1000) return false;
    hits->scale = ldexp(1, -exponent);
    for (int k = 0; k < 3; ++k) {
        // Subtracting the origin from numbers within a factor of two of it loses no bit (Sterbenz 1974).
        const double middle = hits->scale * low[k] * 0.5 + hits->scale * high[k] * 0.5;
        origin[k] = fabs(middle) > 1.5 ? middle : 0;
        farthest = MOTE_MAX(farthest, MOTE_MAX(fabs(low[k]), fabs(high[k])));
    }
    hits->origin = mote_vec3_make(origin[0], origin[1], origin[2]);
    hits->grain = 0x1p-52 * farthest * hits->scale;
    return isfinite(hits->grain);
}

static mote_result check_vertices(const mote_vec3 *vertices, size_t count, mote_error *error)
{
    for (size_t v = 0; v < count; ++v)
        if (!isfinite(vertices[v].x) || !isfinite(vertices[v].y) || !isfinite(vertices[v].z))
            return mote_fail(error, MOTE_ERROR_NOT_FINITE, v, "hits: vertex %zu is not finite", v);
    return MOTE_OK;
}

typedef struct vertex_task {
    const mote_hits *hits;
    const mote_vec3 *from;
    mote_vec3 *to;
} vertex_task;

static void scale_vertices(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const vertex_task *task = data;
    for (size_t v = begin; v < end; ++v)
        task->to[v] = mote_vec3_scale(task->from[task->hits->vertex_order[v]], task->hits->scale);
}

static void take_vertices(const mote_hits *hits, const mote_vec3 *from, mote_vec3 *to)
{
    vertex_task task = {hits, from, to};
    mote_parallel_for(hits->context, hits->vertex_count, VERTICES_A_BLOCK, scale_vertices, &task);
}

static mote_result check_def(const mote_hits_def *def, mote_error *error)
{
    if (def->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "hits: the def was not made by its default function");
    return mote_fields_check(&table, def, error);
}

// Vertices are read as records of four doubles.
static size_t vertex_bytes(size_t count)
{
    return count * sizeof(mote_vec3) + sizeof(double);
}

static mote_result allocate_all(mote_hits *hits)
{
    const size_t v = hits->vertex_count, t = hits->triangle_count, c = hits->cluster_count;
    hits->vertices = mote_allocate(hits->context, vertex_bytes(v));
    hits->vertex_order = mote_allocate(hits->context, v * sizeof *hits->vertex_order);
    hits->triangles = mote_allocate(hits->context, 3 * t * sizeof *hits->triangles);
    hits->original = mote_allocate(hits->context, t * sizeof *hits->original);
    hits->clusters = mote_allocate(hits->context, c * sizeof *hits->clusters);
    const bool has_vertices = v == 0 || (hits->vertices && hits->vertex_order);
    const bool has_triangles = t == 0 || (hits->triangles && hits->original && hits->clusters);
    return has_vertices && has_triangles ? MOTE_OK : MOTE_ERROR_OUT_OF_MEMORY;
}

static mote_result build(mote_hits *hits, const mote_mesh *mesh)
{
    mote_result result = allocate_all(hits);
    if (result == MOTE_OK) result = mote_hits_clusters_sort(hits, mesh);
    if (result != MOTE_OK) return result;
    take_vertices(hits, mesh->vertices, hits->vertices);
    mote_hits_clusters_make(hits);
    result = mote_hits_grid_build(hits, &hits->grid);
    return result == MOTE_OK ? mote_hits_tree_build(hits) : result;
}

mote_result mote_hits_create(mote_context *context, const mote_hits_def *def, const mote_mesh *mesh, mote_hits **hits,
                             mote_error *error)
{
    if (!mesh || !hits) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "hits: no mesh, or nowhere to put the result");
    mote_hits made = {.context = context, .def = def ? *def : mote_hits_default_def()};
    mote_result result = check_def(&made.def, error);
    if (result == MOTE_OK) result = check_vertices(mesh->vertices, mesh->vertex_count, error);
    if (result == MOTE_OK)
        result = mote_mesh_check_triangles(mesh->triangles, mesh->triangle_count, mesh->vertex_count, error);
    if (result != MOTE_OK) return result;
    made.vertex_count = mesh->vertex_count;
    if (!set_frame(&made, mesh->vertices, NULL))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "hits: the mesh is as large as numbers go, or as small");
    made.motion_lanes = mote_hits_lanes_choose(made.context)->motion;
    made.closest_lanes = mote_hits_lanes_choose(made.context)->closest;
    made.triangle_count = mesh->triangle_count;
    made.cluster_count = (mesh->triangle_count + HITS_LANES - 1) / HITS_LANES;
    mote_hits *object = mote_allocate(context, sizeof *object);
    if (!object) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "hits: no memory");
    *object = made;
    result = build(object, mesh);
    if (result != MOTE_OK) {
        mote_hits_destroy(object);
        return mote_fail(error, result, 0, "hits: no memory for %zu triangles", mesh->triangle_count);
    }
    MOTE_VALIDATE(mote_hits_validate(object, NULL) == MOTE_OK);
    *hits = object;
    return MOTE_OK;
}

mote_result mote_hits_create_many(mote_context *context, const mote_hits_def *def, const mote_mesh *const *meshes,
                                  size_t mesh_count, mote_hits **hits, mote_error *error)
{
    if (!hits) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "hits: nowhere to put the result");
    if (mesh_count > UINT32_MAX)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "hits: %zu meshes, expected at most 2^32 - 1", mesh_count);
    mote_mesh *joined;
    mote_hits *made = NULL;
    mote_result result = mote_mesh_join(context, meshes, mesh_count, &joined, error);
    if (result != MOTE_OK) return result;
    result = mote_hits_create(context, def, joined, &made, error);
    mote_mesh_destroy(joined);
    if (result != MOTE_OK) return result;
    made->mesh_starts = mote_allocate(context, mote_bytes(mesh_count, sizeof *made->mesh_starts));
    if (!made->mesh_starts && mesh_count) {
        mote_hits_destroy(made);
        return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "hits: no memory for %zu meshes", mesh_count);
    }
    made->mesh_count = mesh_count;
    uint32_t start = 0;
    for (size_t m = 0; m < mesh_count; ++m) {
        made->mesh_starts[m] = start;
        start += (uint32_t)meshes[m]->triangle_count;
    }
    *hits = made;
    return MOTE_OK;
}

void mote_hits_destroy(mote_hits *hits)
{
    if (!hits) return;
    mote_context *context = hits->context;
    mote_hits_closest_release(hits);
    mote_hits_tree_free(hits->context, hits->tree);
    mote_release(context, hits->vertices, vertex_bytes(hits->vertex_count));
    mote_release(context, hits->ends, hits->vertex_count * sizeof *hits->ends);
    mote_release(context, hits->vertex_order, hits->vertex_count * sizeof *hits->vertex_order);
    mote_release(context, hits->triangles, 3 * hits->triangle_count * sizeof *hits->triangles);
    mote_release(context, hits->mesh_starts, hits->mesh_count * sizeof *hits->mesh_starts);
    mote_release(context, hits->original, hits->triangle_count * sizeof *hits->original);
    mote_release(context, hits->clusters, hits->cluster_count * sizeof *hits->clusters);
    mote_hits_grid_release(context, &hits->grid);
    hits_worker *workers = hits->workers.data;
    for (uint32_t w = 0; w < hits->worker_count; ++w) {
        mote_buffer_release(context, &workers[w].scratch);
        mote_buffer_release(context, &workers[w].hits);
        mote_buffer_release(context, &workers[w].notes.memory);
    }
    mote_buffer_release(context, &hits->workers);
    mote_buffer_release(context, &hits->lists);
    mote_buffer_release(context, &hits->order);
    mote_buffer_release(context, &hits->sorted);
    mote_buffer_release(context, &hits->found);
    mote_buffer_release(context, &hits->targets);
    mote_buffer_release(context, &hits->answers);
    mote_buffer_release(context, &hits->contact_memory);
    mote_release(context, hits, sizeof *hits);
}

// ------------------------------------------------------------------------------------------------------- updates

// Builds a copy with other vertices, so that the object is unchanged if that fails.
static mote_result rebuild(mote_hits *hits, const mote_vec3 *start, const mote_vec3 *end, mote_error *error)
{
    mote_hits made = *hits;
    const size_t v = hits->vertex_count;
    if (!set_frame(&made, start, end))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "hits: the mesh is as large as numbers go, or as small");
    made.grid = (hits_grid){0};
    made.closest = NULL;
    made.tree = NULL;
    made.vertices = mote_allocate(hits->context, vertex_bytes(v));
    made.ends = end ? mote_allocate(hits->context, v * sizeof *made.ends) : NULL;
    made.clusters = mote_allocate(hits->context, hits->cluster_count * sizeof *made.clusters);
    mote_result result = MOTE_ERROR_OUT_OF_MEMORY;
    if ((!v || (made.vertices && (!end || made.ends))) && (!hits->cluster_count || made.clusters)) {
        take_vertices(&made, start, made.vertices);
        if (end) take_vertices(&made, end, made.ends);
        mote_hits_clusters_make(&made);
        result = mote_hits_grid_build(&made, &made.grid);
        if (result == MOTE_OK) result = mote_hits_tree_refit(hits->tree, &made);
        if (result == MOTE_OK && hits->closest) result = mote_hits_closest_build(&made);
    }
    mote_hits *old = result == MOTE_OK ? hits : &made;  // its arrays are released
    mote_hits_closest_release(old);
    mote_hits_tree_free(hits->context, old->tree);
    mote_release(hits->context, old->vertices, vertex_bytes(v));
    mote_release(hits->context, old->ends, v * sizeof *made.ends);
    mote_release(hits->context, old->clusters, hits->cluster_count * sizeof *made.clusters);
    mote_hits_grid_release(hits->context, &old->grid);
    if (result != MOTE_OK)
        return mote_fail(error, result, 0, "hits: no memory for %zu triangles", hits->triangle_count);
    *hits = made;
    MOTE_VALIDATE(mote_hits_validate(hits, NULL) == MOTE_OK);
    return MOTE_OK;
}

mote_result mote_hits_update(mote_hits *hits, const mote_vec3 *vertices, mote_error *error)
{
    if (!hits || (!vertices && hits->vertex_count))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "hits: no object or no vertices");
    mote_result result = check_vertices(vertices, hits->vertex_count, error);
    return result == MOTE_OK ? rebuild(hits, vertices, NULL, error) : result;
}

mote_result mote_hits_update_moving(mote_hits *hits, const mote_vec3 *start, const mote_vec3 *end, mote_error *error)
{
    if (!hits || (hits->vertex_count && (!start || !end)))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "hits: no object or no vertices");
    mote_result result = check_vertices(start, hits->vertex_count, error);
    if (result == MOTE_OK) result = check_vertices(end, hits->vertex_count, error);
    return result == MOTE_OK ? rebuild(hits, start, end, error) : result;
}

// -------------------------------------------------------------------------------------------------------- sizes

static uint64_t longest_list(const hits_grid *grid)
{
    uint32_t longest = 0;
    for (size_t n = 0; n < grid->node_count; ++n) longest = MOTE_MAX(longest, grid->nodes[n].count);
    return longest;
}

mote_hits_stats mote_hits_get_stats(const mote_hits *hits)
{
    if (!hits) return (mote_hits_stats){0};
    const hits_grid *grid = &hits->grid;
    mote_hits_stats stats = {.cells = grid->cell_count,
                             .occupied_cells = grid->top_count,
                             .nodes = grid->node_count,
                             .references = grid->reference_count,
                             .longest_list = longest_list(grid),
                             .cell_edge = grid->edge / hits->scale,
                             .tree_nodes = hits->tree->node_count,
                             .nodes_tested = hits->counters.nodes,
                             .motions = hits->counters.motions,
                             .near = hits->counters.near,
                             .clusters_tested = hits->counters.clusters,
                             .triangles_tested = hits->counters.triangles,
                             .hits = hits->counters.hits};
    return stats;
}

size_t mote_hits_byte_count(const mote_hits *hits)
{
    if (!hits) return 0;
    size_t bytes = sizeof *hits + hits->vertex_count * (sizeof(mote_vec3) + sizeof(uint32_t));
    if (hits->ends) bytes += hits->vertex_count * sizeof(mote_vec3);
    bytes += hits->mesh_count * sizeof(uint32_t);
    bytes += hits->triangle_count * 4 * sizeof(uint32_t) + hits->cluster_count * sizeof(hits_cluster);
    for (int k = 0; k < HITS_GRID_BUFFERS; ++k) bytes += hits->grid.memory[k].bytes;
    return bytes + mote_hits_tree_bytes(hits->tree) + mote_hits_closest_bytes(hits);
}

static mote_result validate_node(const mote_hits *hits, size_t n, mote_error *error)
{
    const hits_grid *grid = &hits->grid;
    const hits_node *node = &grid->nodes[n];
    if (node->count == 0) {
        const size_t children = mote_count_bits(node->mask);
        if (children && (node->first <= n || node->first + children > grid->node_count))
            return mote_fail(error, MOTE_ERROR_STATE, n, "hits: node %zu has children from %u, of %zu nodes", n,
                             node->first, grid->node_count);
        return MOTE_OK;
    }
    uint64_t mask = 0;
    if ((size_t)node->first + node->count > grid->reference_count)
        return mote_fail(error, MOTE_ERROR_STATE, n, "hits: node %zu lists references beyond %zu", n,
                         grid->reference_count);
    for (uint32_t r = node->first; r < node->first + node->count; ++r) {
        if (grid->clusters[r] >= hits->cluster_count)
            return mote_fail(error, MOTE_ERROR_STATE, n, "hits: node %zu names cluster %u, expected below %zu", n,
                             grid->clusters[r], hits->cluster_count);
        mask |= grid->masks[r];
    }
    if (mask != node->mask)
        return mote_fail(error, MOTE_ERROR_STATE, n, "hits: node %zu has another mask than its references", n);
    return MOTE_OK;
}

mote_result mote_hits_validate(const mote_hits *hits, mote_error *error)
{
    if (!hits) return mote_fail_null(error, "hits", "the object");
    const hits_grid *grid = &hits->grid;
    uint64_t occupied = 0;
    for (size_t w = 0; w < grid->word_count; ++w) {
        if (grid->words[w].rank != occupied)
            return mote_fail(error, MOTE_ERROR_STATE, w, "hits: word %zu has rank %u, expected %llu", w,
                             grid->words[w].rank, (unsigned long long)occupied);
        occupied += mote_count_bits(grid->words[w].bits);
    }
    if (occupied != grid->top_count)
        return mote_fail(error, MOTE_ERROR_STATE, 0, "hits: %llu cells are occupied, expected %zu",
                         (unsigned long long)occupied, grid->top_count);
    for (size_t i = 0; i < 3 * hits->triangle_count; ++i)
        if (hits->triangles[i] >= hits->vertex_count)
            return mote_fail(error, MOTE_ERROR_STATE, i / 3, "hits: a triangle names vertex %u of %zu",
                             hits->triangles[i], hits->vertex_count);
    mote_result result = MOTE_OK;
    for (size_t n = 0; n < grid->node_count && result == MOTE_OK; ++n) result = validate_node(hits, n, error);
    if (result == MOTE_OK) result = mote_hits_tree_validate(hits, error);
    if (result == MOTE_OK && hits->closest) result = mote_hits_closest_validate(hits, error);
    return result;
}
