// Several meshes in one object: joined, with where the triangles of each begin.

#include "hits/first.h"

void mote_first_name_triangle(const mote_first_hits *first, uint32_t number, uint32_t *mesh, uint32_t *triangle)
{
    // The last mesh that begins no later; those without triangles begin where the next one does.
    size_t low = 0, high = first->mesh_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (first->mesh_starts[middle] <= number) low = middle;
        else high = middle;
    }
    *mesh = (uint32_t)low;
    *triangle = number - (first->mesh_count ? first->mesh_starts[low] : 0);
}

mote_result mote_first_hits_create_many(mote_context *context, const mote_first_hits_def *def,
                                        const mote_mesh *const *meshes, size_t mesh_count, mote_first_hits **first,
                                        mote_error *error)
{
    if (!first) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "first hits: nowhere to put the result");
    if (mesh_count > UINT32_MAX)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "first hits: %zu meshes, expected at most 2^32 - 1",
                         mesh_count);
    mote_mesh *joined;
    mote_first_hits *made = NULL;
    mote_result result = mote_mesh_join(context, meshes, mesh_count, &joined, error);
    if (result != MOTE_OK) return result;
    result = mote_first_hits_create(context, def, joined, &made, error);
    mote_mesh_destroy(joined);
    if (result != MOTE_OK) return result;
    made->mesh_starts = mote_allocate(context, mote_bytes(mesh_count, sizeof *made->mesh_starts));
    if (!made->mesh_starts && mesh_count) {
        mote_first_hits_destroy(made);
        return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "first hits: no memory for %zu meshes", mesh_count);
    }
    made->mesh_count = mesh_count;
    uint32_t start = 0;
    for (size_t m = 0; m < mesh_count; ++m) {
        made->mesh_starts[m] = start;
        start += (uint32_t)meshes[m]->triangle_count;
    }
    *first = made;
    return MOTE_OK;
}
