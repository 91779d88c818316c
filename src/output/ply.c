// SPDX-License-Identifier: MIT
// PLY, binary little-endian, whatever the machine's own byte order.

#include "output/page.h"

static void write_header(mote_file *file, const mote_mesh_data *data)
{
    mote_file_print(file, "ply\nformat binary_little_endian 1.0\nelement vertex %zu\n", data->mesh->vertex_count);
    mote_file_text(file, "property double x\nproperty double y\nproperty double z\n");
    if (data->normals) mote_file_text(file, "property float nx\nproperty float ny\nproperty float nz\n");
    if (data->colors) mote_file_text(file, "property uchar red\nproperty uchar green\nproperty uchar blue\n");
    mote_file_print(file, "element face %zu\nproperty list uchar uint vertex_indices\nend_header\n",
                    data->mesh->triangle_count);
}

static void put_vertex(mote_page *out, const mote_mesh_data *data, size_t v)
{
    const mote_vec3 at = data->mesh->vertices[v];
    mote_page_put_f64(out, at.x);
    mote_page_put_f64(out, at.y);
    mote_page_put_f64(out, at.z);
    if (data->normals) {
        mote_page_put_f32(out, data->normals[v].x);
        mote_page_put_f32(out, data->normals[v].y);
        mote_page_put_f32(out, data->normals[v].z);
    }
    for (size_t k = 0; data->colors && k < 3; ++k) mote_page_put(out, data->colors[3 * v + k], 1);
}

mote_result mote_ply_write_data(mote_context *context, const char *path, const mote_mesh_data *data,
                                mote_error *error)
{
    const mote_mesh *mesh = data->mesh;
    mote_file file;
    mote_result result = mote_file_create(context, path, &file, error);
    if (result != MOTE_OK) return result;
    write_header(&file, data);

    mote_page out = {.file = &file};
    for (size_t v = 0; v < mesh->vertex_count; ++v) put_vertex(&out, data, v);
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        mote_page_put(&out, 3, 1);
        for (size_t k = 0; k < 3; ++k) mote_page_put(&out, mesh->triangles[3 * t + k], sizeof(uint32_t));
    }
    mote_page_flush(&out);
    return mote_file_finish(&file, MOTE_OK, error);
}

mote_result mote_ply_write(mote_context *context, const char *path, const mote_mesh *mesh, const mote_vec3 *normals,
                           mote_error *error)
{
    if (!path || !mesh) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "path or mesh is NULL");
    mote_mesh_data data = mote_mesh_data_default();
    data.mesh = mesh;
    data.normals = normals;
    return mote_ply_write_data(context, path, &data, error);
}
