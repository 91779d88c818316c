// mote_first_hits as a whole: made, brought up to date, measured, checked, released.

#include "hits/first_closest.h"
#include "hits/first_lanes.h"
#include "hits/first_tree.h"

enum { VERTICES_A_BLOCK = 8192 };

mote_first_hits_def mote_first_hits_default_def(void)
{
    mote_first_hits_def def = {.most_cells = 1 << 21, .leaf_clusters = 64, .cookie = MOTE_COOKIE};
    return def;
}

// Sets the scale, the power of two that brings the vertices' extent to between 1/2 and 1, and what follows from it.
// False where that cannot be.
static bool set_frame(mote_first_hits *first, const mote_vec3 *a, const mote_vec3 *b)
{
    mote_box box = mote_box_empty();
    for (size_t v = 0; v < first->vertex_count; ++v) {
        box = mote_box_add_point(box, a[v]);
        if (b) box = mote_box_add_point(box, b[v]);
    }
    if (first->vertex_count == 0) box = (mote_box){{0, 0, 0}, {1, 1, 1}};
    const double low[3] = {box.min.x, box.min.y, box.min.z}, high[3] = {box.max.x, box.max.y, box.max.z};
    double longest = 0, origin[3], farthest = 0;
    for (int k = 0; k < 3; ++k) longest = MOTE_MAX(longest, high[k] - low[k]);
    if (!(longest > 0)) longest = 1;
    int exponent;
    frexp(longest, &exponent);
    if (!isfinite(longest) || exponent <= -1000 || exponent >= 1000) return false;
    first->scale = ldexp(1, -exponent);
    for (int k = 0; k < 3; ++k) {
        // Numbers within a factor of two of the origin lose no bit by it (Sterbenz 1974).
        const double middle = first->scale * low[k] * 0.5 + first->scale * high[k] * 0.5;
        origin[k] = fabs(middle) > 1.5 ? middle : 0;
        farthest = MOTE_MAX(farthest, MOTE_MAX(fabs(low[k]), fabs(high[k])));
    }
    first->origin = mote_vec3_make(origin[0], origin[1], origin[2]);
    first->grain = 0x1p-52 * farthest * first->scale;
    return isfinite(first->grain);
}

static mote_result check_vertices(const mote_vec3 *vertices, size_t count, mote_error *error)
{
    for (size_t v = 0; v < count; ++v)
        if (!isfinite(vertices[v].x) || !isfinite(vertices[v].y) || !isfinite(vertices[v].z))
            return mote_fail(error, MOTE_ERROR_NOT_FINITE, v, "first hits: vertex %zu is not finite", v);
    return MOTE_OK;
}

typedef struct vertex_task {
    const mote_first_hits *first;
    const mote_vec3 *from;
    mote_vec3 *to;
} vertex_task;

static void scale_vertices(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const vertex_task *task = data;
    for (size_t v = begin; v < end; ++v)
        task->to[v] = mote_vec3_scale(task->from[task->first->vertex_order[v]], task->first->scale);
}

static void take_vertices(const mote_first_hits *first, const mote_vec3 *from, mote_vec3 *to)
{
    vertex_task task = {first, from, to};
    mote_parallel_for(first->context, first->vertex_count, VERTICES_A_BLOCK, scale_vertices, &task);
}

static mote_result check_def(const mote_first_hits_def *def, mote_error *error)
{
    if (def->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "first hits: the def was not made by its default function");
    if (def->most_cells < 64 || def->most_cells > 1u << 30)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "first hits: most_cells is %u, expected 64 to 2^30",
                         def->most_cells);
    if (def->leaf_clusters < 1)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "first hits: leaf_clusters is 0, expected at least 1");
    return MOTE_OK;
}

static mote_result allocate_all(mote_first_hits *first)
{
    const size_t v = first->vertex_count, t = first->triangle_count, c = first->cluster_count;
    first->vertices = mote_allocate(first->context, v * sizeof *first->vertices);
    first->vertex_order = mote_allocate(first->context, v * sizeof *first->vertex_order);
    first->triangles = mote_allocate(first->context, 3 * t * sizeof *first->triangles);
    first->original = mote_allocate(first->context, t * sizeof *first->original);
    first->clusters = mote_allocate(first->context, c * sizeof *first->clusters);
    const bool has_vertices = v == 0 || (first->vertices && first->vertex_order);
    const bool has_triangles = t == 0 || (first->triangles && first->original && first->clusters);
    return has_vertices && has_triangles ? MOTE_OK : MOTE_ERROR_OUT_OF_MEMORY;
}

static mote_result build(mote_first_hits *first, const mote_mesh *mesh)
{
    mote_result result = allocate_all(first);
    if (result == MOTE_OK) result = mote_first_sort(first, mesh);
    if (result != MOTE_OK) return result;
    take_vertices(first, mesh->vertices, first->vertices);
    mote_first_make_clusters(first);
    result = mote_first_grid_build(first, &first->grid);
    return result == MOTE_OK ? mote_first_tree_build(first) : result;
}

mote_result mote_first_hits_create(mote_context *context, const mote_first_hits_def *def, const mote_mesh *mesh,
                                   mote_first_hits **first, mote_error *error)
{
    if (!mesh || !first)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "first hits: no mesh, or nowhere to put the result");
    mote_first_hits made = {.context = context, .def = def ? *def : mote_first_hits_default_def()};
    mote_result result = check_def(&made.def, error);
    if (result == MOTE_OK) result = check_vertices(mesh->vertices, mesh->vertex_count, error);
    if (result == MOTE_OK)
        result = mote_mesh_check_triangles(mesh->triangles, mesh->triangle_count, mesh->vertex_count, error);
    if (result != MOTE_OK) return result;
    made.vertex_count = mesh->vertex_count;
    if (!set_frame(&made, mesh->vertices, NULL))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "first hits: the mesh is as large as numbers go, or as small");
    made.functions = mote_first_functions_choose();
    made.near = mote_first_closest_choose();
    made.triangle_count = mesh->triangle_count;
    made.cluster_count = (mesh->triangle_count + FIRST_LANES - 1) / FIRST_LANES;
    mote_first_hits *object = mote_allocate(context, sizeof *object);
    if (!object) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "first hits: no memory");
    *object = made;
    result = build(object, mesh);
    if (result != MOTE_OK) {
        mote_first_hits_destroy(object);
        return mote_fail(error, result, 0, "first hits: no memory for %zu triangles", mesh->triangle_count);
    }
    MOTE_VALIDATE(mote_first_hits_validate(object, NULL) == MOTE_OK);
    *first = object;
    return MOTE_OK;
}

void mote_first_hits_destroy(mote_first_hits *first)
{
    if (!first) return;
    mote_context *context = first->context;
    mote_first_closest_release(first);
    mote_first_tree_release(first);
    mote_release(context, first->vertices, first->vertex_count * sizeof *first->vertices);
    mote_release(context, first->ends, first->vertex_count * sizeof *first->ends);
    mote_release(context, first->vertex_order, first->vertex_count * sizeof *first->vertex_order);
    mote_release(context, first->triangles, 3 * first->triangle_count * sizeof *first->triangles);
    mote_release(context, first->mesh_starts, first->mesh_count * sizeof *first->mesh_starts);
    mote_release(context, first->original, first->triangle_count * sizeof *first->original);
    mote_release(context, first->clusters, first->cluster_count * sizeof *first->clusters);
    mote_first_grid_release(context, &first->grid);
    first_worker *workers = first->workers.data;
    for (uint32_t w = 0; w < first->worker_count; ++w) {
        mote_buffer_release(context, &workers[w].scratch);
        mote_buffer_release(context, &workers[w].hits);
        mote_buffer_release(context, &workers[w].notes.memory);
    }
    mote_buffer_release(context, &first->workers);
    mote_buffer_release(context, &first->lists);
    mote_buffer_release(context, &first->order);
    mote_buffer_release(context, &first->sorted);
    mote_buffer_release(context, &first->hits);
    mote_buffer_release(context, &first->targets);
    mote_buffer_release(context, &first->answers);
    mote_buffer_release(context, &first->contact_memory);
    mote_release(context, first, sizeof *first);
}

// ------------------------------------------------------------------------------------------------------- updates

// A copy with other vertices, made apart, so that the object is as it was when that fails.
static mote_result rebuild(mote_first_hits *first, const mote_vec3 *start, const mote_vec3 *end, mote_error *error)
{
    mote_first_hits made = *first;
    const size_t v = first->vertex_count;
    if (!set_frame(&made, start, end))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "first hits: the mesh is as large as numbers go, or as small");
    made.grid = (first_grid){0};
    made.closest = NULL;
    made.tree = NULL;
    made.vertices = mote_allocate(first->context, v * sizeof *made.vertices);
    made.ends = end ? mote_allocate(first->context, v * sizeof *made.ends) : NULL;
    made.clusters = mote_allocate(first->context, first->cluster_count * sizeof *made.clusters);
    mote_result result = MOTE_ERROR_OUT_OF_MEMORY;
    if ((!v || (made.vertices && (!end || made.ends))) && (!first->cluster_count || made.clusters)) {
        take_vertices(&made, start, made.vertices);
        if (end) take_vertices(&made, end, made.ends);
        mote_first_make_clusters(&made);
        result = mote_first_grid_build(&made, &made.grid);
        if (result == MOTE_OK) result = mote_first_tree_refit(first->tree, &made);
        if (result == MOTE_OK && first->closest) result = mote_first_closest_build(&made);
    }
    mote_first_hits *old = result == MOTE_OK ? first : &made;  // whose parts are let go
    mote_first_closest_release(old);
    mote_first_tree_release(old);
    mote_release(first->context, old->vertices, v * sizeof *made.vertices);
    mote_release(first->context, old->ends, v * sizeof *made.ends);
    mote_release(first->context, old->clusters, first->cluster_count * sizeof *made.clusters);
    mote_first_grid_release(first->context, &old->grid);
    if (result != MOTE_OK)
        return mote_fail(error, result, 0, "first hits: no memory for %zu triangles", first->triangle_count);
    *first = made;
    MOTE_VALIDATE(mote_first_hits_validate(first, NULL) == MOTE_OK);
    return MOTE_OK;
}

mote_result mote_first_hits_update(mote_first_hits *first, const mote_vec3 *vertices, mote_error *error)
{
    if (!first || (!vertices && first->vertex_count))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "first hits: no object or no vertices");
    mote_result result = check_vertices(vertices, first->vertex_count, error);
    return result == MOTE_OK ? rebuild(first, vertices, NULL, error) : result;
}

mote_result mote_first_hits_move(mote_first_hits *first, const mote_vec3 *start, const mote_vec3 *end,
                                 mote_error *error)
{
    if (!first || (first->vertex_count && (!start || !end)))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "first hits: no object or no vertices");
    mote_result result = check_vertices(start, first->vertex_count, error);
    if (result == MOTE_OK) result = check_vertices(end, first->vertex_count, error);
    return result == MOTE_OK ? rebuild(first, start, end, error) : result;
}

// -------------------------------------------------------------------------------------------------------- sizes

static uint64_t longest_list(const first_grid *grid)
{
    uint32_t longest = 0;
    for (size_t n = 0; n < grid->node_count; ++n) longest = MOTE_MAX(longest, grid->nodes[n].count);
    return longest;
}

mote_first_hits_stats mote_first_hits_get_stats(const mote_first_hits *first)
{
    if (!first) return (mote_first_hits_stats){0};
    const first_grid *grid = &first->grid;
    mote_first_hits_stats stats = {.cells = grid->cell_count,
                                   .occupied_cells = grid->top_count,
                                   .nodes = grid->node_count,
                                   .references = grid->reference_count,
                                   .longest_list = longest_list(grid),
                                   .cell_edge = grid->edge / first->scale,
                                   .tree_nodes = first->tree->node_count,
                                   .nodes_tested = first->counters.nodes,
                                   .motions = first->counters.motions,
                                   .near = first->counters.near,
                                   .clusters_tested = first->counters.clusters,
                                   .triangles_tested = first->counters.triangles,
                                   .hits = first->counters.hits};
    return stats;
}

size_t mote_first_hits_byte_count(const mote_first_hits *first)
{
    if (!first) return 0;
    size_t bytes = sizeof *first + first->vertex_count * (sizeof(mote_vec3) + sizeof(uint32_t));
    if (first->ends) bytes += first->vertex_count * sizeof(mote_vec3);
    bytes += first->mesh_count * sizeof(uint32_t);
    bytes += first->triangle_count * 4 * sizeof(uint32_t) + first->cluster_count * sizeof(first_cluster);
    for (int k = 0; k < FIRST_GRID_BUFFERS; ++k) bytes += first->grid.memory[k].bytes;
    return bytes + mote_first_tree_bytes(first) + mote_first_closest_bytes(first);
}

static mote_result validate_node(const mote_first_hits *first, size_t n, mote_error *error)
{
    const first_grid *grid = &first->grid;
    const first_node *node = &grid->nodes[n];
    if (node->count == 0) {
        const size_t children = mote_count_bits(node->mask);
        if (children && (node->first <= n || node->first + children > grid->node_count))
            return mote_fail(error, MOTE_ERROR_STATE, n, "first hits: node %zu has children from %u, of %zu nodes", n,
                             node->first, grid->node_count);
        return MOTE_OK;
    }
    uint64_t mask = 0;
    if ((size_t)node->first + node->count > grid->reference_count)
        return mote_fail(error, MOTE_ERROR_STATE, n, "first hits: node %zu lists references beyond %zu", n,
                         grid->reference_count);
    for (uint32_t r = node->first; r < node->first + node->count; ++r) {
        if (grid->clusters[r] >= first->cluster_count)
            return mote_fail(error, MOTE_ERROR_STATE, n, "first hits: node %zu names cluster %u, expected below %zu", n,
                             grid->clusters[r], first->cluster_count);
        mask |= grid->masks[r];
    }
    if (mask != node->mask)
        return mote_fail(error, MOTE_ERROR_STATE, n, "first hits: node %zu has another mask than its references", n);
    return MOTE_OK;
}

mote_result mote_first_hits_validate(const mote_first_hits *first, mote_error *error)
{
    if (!first) return mote_fail_null(error, "first hits", "the object");
    const first_grid *grid = &first->grid;
    uint64_t occupied = 0;
    for (size_t w = 0; w < grid->word_count; ++w) {
        if (grid->words[w].rank != occupied)
            return mote_fail(error, MOTE_ERROR_STATE, w, "first hits: word %zu has rank %u, expected %llu", w,
                             grid->words[w].rank, (unsigned long long)occupied);
        occupied += mote_count_bits(grid->words[w].bits);
    }
    if (occupied != grid->top_count)
        return mote_fail(error, MOTE_ERROR_STATE, 0, "first hits: %llu cells are occupied, expected %zu",
                         (unsigned long long)occupied, grid->top_count);
    for (size_t i = 0; i < 3 * first->triangle_count; ++i)
        if (first->triangles[i] >= first->vertex_count)
            return mote_fail(error, MOTE_ERROR_STATE, i / 3, "first hits: a triangle names vertex %u of %zu",
                             first->triangles[i], first->vertex_count);
    mote_result result = MOTE_OK;
    for (size_t n = 0; n < grid->node_count && result == MOTE_OK; ++n) result = validate_node(first, n, error);
    if (result == MOTE_OK) result = mote_first_tree_validate(first, error);
    if (result == MOTE_OK && first->closest) result = mote_first_closest_validate(first, error);
    return result;
}
