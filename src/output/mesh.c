// SPDX-License-Identifier: MIT
// Writes meshes in the format given by the file name's ending.

#include "output/internal.h"

typedef mote_result write_function(mote_context *context, const char *path, const mote_mesh *mesh, mote_error *error);

static mote_result write_ply(mote_context *context, const char *path, const mote_mesh *mesh, mote_error *error)
{
    return mote_ply_write(context, path, mesh, NULL, error);
}

static const struct {
    const char *ending;
    write_function *write;
} formats[] = {{".ply", write_ply}, {".obj", mote_obj_write}, {".stl", mote_stl_write}};

static write_function *writer_of(const char *path)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; ++i)
        if (mote_path_ends_with(path, formats[i].ending)) return formats[i].write;
    return NULL;
}

bool mote_output_knows_mesh(const char *path)
{
    return path && writer_of(path);
}

mote_result mote_mesh_write(mote_context *context, const char *path, const mote_mesh *mesh, mote_error *error)
{
    if (!path || !mesh) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "path or mesh is NULL");
    write_function *write = writer_of(path);
    if (write) return write(context, path, mesh, error);
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s: unknown kind of mesh, expected .ply, .obj or .stl", path);
}
