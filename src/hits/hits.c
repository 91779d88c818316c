// mote_hits as a whole: made, measured, checked, released.

#include "hits/internal.h"

// A power of two that brings coordinates far out of the usual range near 1.
static double choose_scale(mote_box box)
{
    enum { USUAL = 100, MOST = 1022 };
    const mote_vec3 far = mote_vec3_max(mote_vec3_scale(box.min, -1), box.max);
    const double largest = MOTE_MAX(far.x, MOTE_MAX(far.y, far.z));
    int exponent = 0;
    if (largest > 0 && isfinite(largest)) frexp(largest, &exponent);
    if (exponent >= -USUAL && exponent <= USUAL) return 1;
    return ldexp(1, MOTE_MAX(-MOST, MOTE_MIN(-exponent, MOST)));
}

// A reach that is served: entries are fewer the longer cells are, by about the square. The object is given up.
static double larger_reach(mote_hits *hits, double references, double most)
{
    enum { TRIES = 32 };
    double reach = hits->grid.cell;
    for (int k = 0; k < TRIES && !(references <= 0.9 * most); ++k) {
        reach *= 1.1 * MOTE_MAX(1.0, sqrt(references / most));
        hits->reach = reach;
        references = mote_hits_grid_references(hits, &most);
    }
    return reach / hits->scale;
}

static mote_result refuse_cells(mote_hits *hits, double references, double most, mote_error *error)
{
    const mote_vec3 extent = mote_vec3_scale(mote_vec3_sub(hits->box.max, hits->box.min), 1 / hits->scale);
    const double reach = hits->reach / hits->scale;
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                     "hits: reach is %g, for which %zu triangles over %.4g x %.4g x %.4g take %.3g entries in cells, "
                     "expected at most %.3g: a reach of %.3g or so", reach, hits->mesh->triangle_count, extent.x,
                     extent.y, extent.z, references, most, larger_reach(hits, references, most));
}

static mote_result build(mote_hits *hits, mote_error *error)
{
    mote_result result = mote_hits_make_clusters(hits);
    if (result == MOTE_OK) {
        double most;
        const double references = mote_hits_grid_references(hits, &most);
        if (!(references <= most)) return refuse_cells(hits, references, most, error);
        result = mote_features_build(hits->mesh, &hits->features);
    }
    if (result == MOTE_OK) result = mote_hits_grid_build(hits);
    if (result == MOTE_OK) return MOTE_OK;
    return mote_fail(error, result, 0, "hits: no memory for the grid of a mesh of %zu triangles with reach %g",
                     hits->mesh->triangle_count, hits->reach / hits->scale);
}

mote_result mote_hits_create(mote_context *context, const mote_mesh *mesh, double reach, mote_hits **hits,
                             mote_error *error)
{
    static const double most = 0x1p400;  // whose squares, and theirs, are numbers
    if (!mesh || !hits) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "hits: no mesh, or nowhere to put the result");
    mote_mesh *copy;
    mote_result result = mote_mesh_create(context, mesh->vertices, mesh->vertex_count, mesh->triangles,
                                          mesh->triangle_count, &copy, error);
    if (result != MOTE_OK) return result;
    const double scale = choose_scale(mote_mesh_box(copy));
    mote_hits *made = mote_allocate(context, sizeof *made);
    if (!made || !(reach > 0) || !(reach * scale <= most)) {
        mote_release(context, made, sizeof *made);
        mote_mesh_destroy(copy);
        if (!made) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "hits: no memory");
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "hits: reach is %g, expected a number above 0 up to %.3g",
                         reach, most / scale);
    }
    for (size_t v = 0; v < copy->vertex_count; ++v) copy->vertices[v] = mote_vec3_scale(copy->vertices[v], scale);
    *made = (mote_hits){.context = context, .scale = scale, .mesh = copy, .box = mote_mesh_box(copy),
                        .reach = reach * scale};
    result = build(made, error);
    if (result != MOTE_OK) {
        mote_hits_destroy(made);
        return result;
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
    mote_hits_stats stats = {
        .closed = hits->features.closed, .cells = grid->list_count, .cell_edge = grid->cell / hits->scale};
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
