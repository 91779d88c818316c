// mote_hits as a whole: made, measured, checked, released.

#include "hits/internal.h"

static mote_result build(mote_hits *hits)
{
    mote_result result = mote_hits_make_clusters(hits);
    if (result == MOTE_OK) result = mote_features_build(hits->mesh, &hits->features);
    if (result == MOTE_OK) result = mote_hits_grid_build(hits);
    return result;
}

mote_result mote_hits_create(mote_context *context, const mote_mesh *mesh, double reach, mote_hits **hits,
                             mote_error *error)
{
    if (!mesh || !hits) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "hits: no mesh, or nowhere to put the result");
    if (!(reach > 0) || !isfinite(reach))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "hits: reach is %g, expected a number above 0", reach);
    mote_box box = mote_mesh_box(mesh);
    mote_vec3 extent = mote_vec3_sub(box.max, box.min);
    if (mesh->vertex_count && mote_vec3_dot(extent, extent) > 0x1p1000)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "hits: the mesh is %g x %g x %g, expected at most 1e150",
                         extent.x, extent.y, extent.z);
    mote_mesh *copy;
    mote_result result = mote_mesh_create(context, mesh->vertices, mesh->vertex_count, mesh->triangles,
                                          mesh->triangle_count, &copy, error);
    if (result != MOTE_OK) return result;
    mote_hits *made = mote_allocate(context, sizeof *made);
    if (!made) {
        mote_mesh_destroy(copy);
        return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "hits: no memory");
    }
    *made = (mote_hits){.context = context, .mesh = copy, .box = box, .reach = reach};
    result = build(made);
    if (result != MOTE_OK) {
        mote_hits_destroy(made);
        return mote_fail(error, result, 0, "hits: no memory for the grid of a mesh of %zu triangles with reach %g",
                         mesh->triangle_count, reach);
    }
    MOTE_VALIDATE(mote_hits_validate(made, NULL) == MOTE_OK);
    *hits = made;
    return MOTE_OK;
}

void mote_hits_destroy(mote_hits *hits)
{
    if (!hits) return;
    mote_hits_grid_release(hits);
    mote_features_release(hits->mesh, &hits->features);
    mote_release(hits->context, hits->balls, hits->mesh->triangle_count * sizeof *hits->balls);
    mote_release(hits->context, hits->clusters, hits->cluster_count * sizeof *hits->clusters);
    mote_release(hits->context, hits->original, hits->mesh->triangle_count * sizeof *hits->original);
    mote_mesh_destroy(hits->mesh);
    mote_release(hits->context, hits, sizeof *hits);
}

mote_hits_stats mote_hits_get_stats(const mote_hits *hits)
{
    if (!hits) return (mote_hits_stats){0};
    const mote_hits_grid *grid = &hits->grid;
    mote_hits_stats stats = {.closed = hits->features.closed, .cells = grid->list_count, .cell_edge = grid->cell};
    for (size_t i = 0; i < grid->list_count; ++i)
        stats.longest_list = MOTE_MAX(stats.longest_list, grid->first[i + 1] - grid->first[i]);
    if (grid->list_count) stats.references = grid->first[grid->list_count];
    return stats;
}

size_t mote_hits_byte_count(const mote_hits *hits)
{
    if (!hits) return 0;
    const size_t v = hits->mesh->vertex_count, t = hits->mesh->triangle_count;
    const mote_hits_grid *grid = &hits->grid;
    size_t bytes = sizeof *hits + sizeof *hits->mesh + 2 * v * sizeof(mote_vec3);
    bytes += t * (7 * sizeof(uint32_t) + sizeof(mote_vec3) + sizeof(mote_ball));
    bytes += hits->cluster_count * sizeof *hits->clusters;
    bytes += hits->features.edge_count * sizeof(mote_vec3);
    bytes += grid->table_size * sizeof *grid->table;
    if (grid->list_count)
        bytes += (grid->list_count + 1) * sizeof *grid->first + grid->first[grid->list_count] * sizeof(uint32_t);
    return bytes;
}

// A cell's list: not empty, of clusters that exist, ascending.
static mote_result validate_list(const mote_hits *hits, size_t i, mote_error *error)
{
    const mote_hits_grid *grid = &hits->grid;
    if (grid->first[i] >= grid->first[i + 1])
        return mote_fail(error, MOTE_ERROR_STATE, i, "hits: list %zu of %zu is empty", i, grid->list_count);
    for (uint64_t r = grid->first[i]; r < grid->first[i + 1]; ++r) {
        uint32_t cluster = grid->references[r];
        if (cluster >= hits->cluster_count)
            return mote_fail(error, MOTE_ERROR_STATE, i, "hits: list %zu names cluster %u, expected below %zu", i,
                             cluster, hits->cluster_count);
        if (r > grid->first[i] && cluster <= grid->references[r - 1])
            return mote_fail(error, MOTE_ERROR_STATE, i, "hits: list %zu has cluster %u behind %u, expected ascending",
                             i, cluster, grid->references[r - 1]);
    }
    return MOTE_OK;
}

mote_result mote_hits_validate(const mote_hits *hits, mote_error *error)
{
    if (!hits) return mote_fail_null(error, "hits", "the object");
    const mote_hits_grid *grid = &hits->grid;
    size_t full = 0;
    for (size_t i = 0; i < grid->table_size; ++i) {
        if (grid->table[i].key == UINT64_MAX) continue;
        if (grid->table[i].list >= grid->list_count)
            return mote_fail(error, MOTE_ERROR_STATE, i, "hits: slot %zu has list %llu, expected below %zu", i,
                             (unsigned long long)grid->table[i].list, grid->list_count);
        ++full;
    }
    if (full != grid->list_count)
        return mote_fail(error, MOTE_ERROR_STATE, 0, "hits: %zu slots are taken, expected one for each of %zu lists",
                         full, grid->list_count);
    mote_result result = MOTE_OK;
    for (size_t i = 0; i < grid->list_count && result == MOTE_OK; ++i) result = validate_list(hits, i, error);
    return result;
}
