// Several meshes in one object: joined, with where the triangles of each begin.

#include "hits/internal.h"

void mote_hits_name_triangle(const mote_hits *hits, uint32_t number, uint32_t *mesh, uint32_t *triangle)
{
    // The last mesh that begins no later; those without triangles begin where the next one does.
    size_t low = 0, high = hits->mesh_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (hits->mesh_starts[middle] <= number)
            low = middle;
        else high = middle;
    }
    *mesh = (uint32_t)low;
    *triangle = number - (hits->mesh_count ? hits->mesh_starts[low] : 0);
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
