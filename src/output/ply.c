// SPDX-License-Identifier: MIT
// PLY, binary little-endian, whatever the machine's own byte order.

#include "output/page.h"

static void write_header(mote_file *file, const mote_mesh *mesh, bool normals)
{
    mote_file_print(file, "ply\nformat binary_little_endian 1.0\nelement vertex %zu\n", mesh->vertex_count);
    mote_file_text(file, "property double x\nproperty double y\nproperty double z\n");
    if (normals) mote_file_text(file, "property float nx\nproperty float ny\nproperty float nz\n");
    mote_file_print(file, "element face %zu\nproperty list uchar uint vertex_indices\nend_header\n",
                    mesh->triangle_count);
}

mote_result mote_ply_write(mote_context *context, const char *path, const mote_mesh *mesh, const mote_vec3 *normals,
                           mote_error *error)
{
    if (!path || !mesh) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "path or mesh is NULL");
    mote_file file;
    mote_result result = mote_file_create(context, path, &file, error);
    if (result != MOTE_OK) return result;
    write_header(&file, mesh, normals != NULL);

    mote_page out = {.file = &file};
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        mote_page_put_f64(&out, mesh->vertices[v].x);
        mote_page_put_f64(&out, mesh->vertices[v].y);
        mote_page_put_f64(&out, mesh->vertices[v].z);
        if (!normals) continue;
        mote_page_put_f32(&out, normals[v].x);
        mote_page_put_f32(&out, normals[v].y);
        mote_page_put_f32(&out, normals[v].z);
    }
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        mote_page_put(&out, 3, 1);
        for (size_t k = 0; k < 3; ++k) mote_page_put(&out, mesh->triangles[3 * t + k], sizeof(uint32_t));
    }
    mote_page_flush(&out);
    return mote_file_finish(&file, MOTE_OK, error);
}
