// SPDX-License-Identifier: MIT
// The formats of meshes, one line each.

#include <math.h>

#include "output/internal.h"

static mote_result write_obj(mote_context *context, const char *path, const mote_mesh_data *data, mote_error *error)
{
    return mote_obj_write_lines(context, path, data->mesh, data->lines, data->line_count, error);
}

static mote_result write_stl(mote_context *context, const char *path, const mote_mesh_data *data, mote_error *error)
{
    return mote_stl_write(context, path, data->mesh, error);
}

static mote_result fail_arrays(size_t count, mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "no memory for a list of %zu arrays", count);
}

// Normals and colours are two more arrays.
static mote_result write_vtp(mote_context *context, const char *path, const mote_mesh_data *data, mote_error *error)
{
    const mote_mesh *mesh = data->mesh;
    static const mote_vec3 origin = {0, 0, 0};
    const mote_vec3 *first = mesh->vertex_count ? mesh->vertices : &origin;
    mote_buffer buffer = {0};
    if (mote_buffer_reserve(context, &buffer, mote_bytes(data->array_count + 2, sizeof(mote_array)), 0) != MOTE_OK)
        return fail_arrays(data->array_count, error);
    mote_array *arrays = buffer.data;
    size_t count = 0;
    for (; count < data->array_count; ++count) arrays[count] = data->arrays[count];
    if (data->normals) arrays[count++] = mote_array_tuples("Normals", MOTE_ARRAY_F64, data->normals, 3);
    if (data->colors) arrays[count++] = mote_array_tuples("Colors", MOTE_ARRAY_U8, data->colors, 3);
    static const uint32_t none[3] = {0};
    const mote_vtp file = {
        .points = {{&first->x, &first->y, &first->z}, sizeof *first, mesh->vertex_count, MOTE_F64, 3},
        .arrays = arrays,
        .array_count = count,
        .triangles = mesh->triangle_count ? mesh->triangles : none,
        .triangle_count = mesh->triangle_count,
        .lines = data->line_count ? data->lines : NULL,
        .line_count = data->line_count,
        .time = data->time};
    const mote_result result = mote_vtp_write(context, path, &file, error);
    mote_buffer_release(context, &buffer);
    return result;
}

static const mote_mesh_format formats[] = {
    {".ply", "PLY, binary", true, true, false, false, mote_ply_write_data},
    {".obj", "Wavefront OBJ", false, false, false, false, write_obj},
    {".stl", "STL, binary: triangles alone", false, false, false, false, write_stl},
    {".vtp", "VTK PolyData, for ParaView", true, true, true, true, write_vtp},
    {".glb", "binary glTF 2.0, for browsers, Blender and Windows", true, true, false, false, mote_glb_write},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

const mote_mesh_format *mote_mesh_format_at(size_t index)
{
    return index < FORMATS ? &formats[index] : NULL;
}

const mote_mesh_format *mote_mesh_format_of(const char *path)
{
    for (size_t i = 0; path && i < FORMATS; ++i)
        if (mote_path_ends_with(path, formats[i].ending)) return &formats[i];
    return NULL;
}

bool mote_output_knows_mesh(const char *path)
{
    return mote_mesh_format_of(path) != NULL;
}

mote_mesh_data mote_mesh_data_default(void)
{
    return (mote_mesh_data){.time = NAN};
}

mote_result mote_mesh_data_write(mote_context *context, const char *path, const mote_mesh_data *data,
                                 mote_error *error)
{
    if (!path || !data || !data->mesh) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "path or mesh is NULL");
    const mote_mesh_format *format = mote_mesh_format_of(path);
    if (format) return format->write(context, path, data, error);
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                     "%s: unknown kind of mesh, expected .ply, .obj, .stl, .vtp or .glb", path);
}

mote_result mote_mesh_write(mote_context *context, const char *path, const mote_mesh *mesh, mote_error *error)
{
    mote_mesh_data data = mote_mesh_data_default();
    data.mesh = mesh;
    return mote_mesh_data_write(context, path, &data, error);
}
