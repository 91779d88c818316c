// SPDX-License-Identifier: MIT
// OBJ: one line for each vertex, then one for each triangle and each line, with corners numbered from 1.

#include "output/internal.h"

static void write_vertex(mote_file *file, mote_vec3 vertex)
{
    const double at[3] = {vertex.x, vertex.y, vertex.z};
    mote_file_text(file, "v");
    for (int k = 0; k < 3; ++k) {
        mote_file_text(file, " ");
        mote_file_number(file, at[k]);
    }
    mote_file_text(file, "\n");
}

mote_result mote_obj_write_lines(mote_context *context, const char *path, const mote_mesh *mesh, const uint32_t *lines,
                                 size_t line_count, mote_error *error)
{
    if (!path || !mesh) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "path or mesh is NULL");
    mote_file file;
    mote_result result = mote_file_create(context, path, &file, error);
    if (result != MOTE_OK) return result;
    for (size_t v = 0; v < mesh->vertex_count; ++v) write_vertex(&file, mesh->vertices[v]);
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t *corners = mesh->triangles + 3 * t;
        mote_file_print(&file, "f %llu %llu %llu\n", corners[0] + 1ull, corners[1] + 1ull, corners[2] + 1ull);
    }
    for (size_t k = 0; k < line_count; ++k)
        mote_file_print(&file, "l %llu %llu\n", lines[2 * k] + 1ull, lines[2 * k + 1] + 1ull);
    return mote_file_finish(&file, MOTE_OK, error);
}

mote_result mote_obj_write(mote_context *context, const char *path, const mote_mesh *mesh, mote_error *error)
{
    return mote_obj_write_lines(context, path, mesh, NULL, 0, error);
}
