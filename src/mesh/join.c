// SPDX-License-Identifier: MIT
// Joins several meshes into one: vertices and triangles one mesh after another.

#include "mesh/internal.h"

mote_result mote_mesh_join(mote_context *context, const mote_mesh *const *meshes, size_t mesh_count, mote_mesh **joined,
                           mote_error *error)
{
    if (!joined || (!meshes && mesh_count))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "mesh: no meshes, or nowhere to put the joined one");
    size_t vertices = 0, triangles = 0;
    for (size_t m = 0; m < mesh_count; ++m) {
        if (!meshes[m]) return mote_fail(error, MOTE_ERROR_ARGUMENT, m, "mesh: mesh %zu of %zu is NULL", m, mesh_count);
        const mote_result sound = mote_mesh_check_triangles(meshes[m]->triangles, meshes[m]->triangle_count,
                                                            meshes[m]->vertex_count, error);
        if (sound != MOTE_OK) return sound;
        vertices += meshes[m]->vertex_count;
        triangles += meshes[m]->triangle_count;
    }
    mote_buffer memory = {0};
    const size_t bytes = mote_bytes(vertices, sizeof(mote_vec3)), more = mote_bytes(triangles, 3 * sizeof(uint32_t));
    mote_result result = vertices > UINT32_MAX || bytes > SIZE_MAX - more ? MOTE_ERROR_OUT_OF_MEMORY : MOTE_OK;
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &memory, bytes + more, 0);
    if (result != MOTE_OK)
        return mote_fail(error, result, 0, "mesh: no memory to join %zu meshes of %zu vertices", mesh_count, vertices);
    mote_vec3 *vertex = memory.data;
    uint32_t *corner = (uint32_t *)(void *)(vertex + vertices), first = 0;
    for (size_t m = 0; m < mesh_count; ++m) {
        const mote_mesh *mesh = meshes[m];
        for (size_t k = 0; k < mesh->vertex_count; ++k) *vertex++ = mesh->vertices[k];
        for (size_t k = 0; k < 3 * mesh->triangle_count; ++k) *corner++ = first + mesh->triangles[k];
        first += (uint32_t)mesh->vertex_count;
    }
    vertex -= vertices, corner -= 3 * triangles;
    result = mote_mesh_create(context, vertex, vertices, corner, triangles, joined, error);
    mote_buffer_release(context, &memory);
    return result;
}
