// SPDX-License-Identifier: MIT
// STL, binary: a head of 80 bytes, the number of triangles, and for each its normal and three corners in floats.

#include <math.h>

#include "base/vector.h"
#include "output/page.h"

enum { HEAD = 80 };

// This keeps the file from beginning with "solid", as texts do.
static const char head[HEAD] = "binary STL by mote";

static void put_vector(mote_page *page, mote_vec3 v)
{
    mote_page_put_f32(page, v.x);
    mote_page_put_f32(page, v.y);
    mote_page_put_f32(page, v.z);
}

// Rounded to the nearest float it would be infinite.
static bool is_wide(double value)
{
    return isinf((float)value);
}

static mote_result check(const char *path, const mote_mesh *mesh, mote_error *error)
{
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        const mote_vec3 at = mesh->vertices[v];
        if (is_wide(at.x) || is_wide(at.y) || is_wide(at.z))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, v, "%s: vertex %zu is (%g, %g, %g), beyond what the floats of "
                             "STL hold, expected at most 3.4e38; PLY and OBJ hold it", path, v, at.x, at.y, at.z);
    }
    return MOTE_OK;
}

mote_result mote_stl_write(mote_context *context, const char *path, const mote_mesh *mesh, mote_error *error)
{
    if (!path || !mesh) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "path or mesh is NULL");
    mote_result result = check(path, mesh, error);
    if (result != MOTE_OK) return result;
    mote_file file;
    result = mote_file_create(context, path, &file, error);
    if (result != MOTE_OK) return result;
    mote_file_write(&file, head, sizeof head);

    mote_page page = {.file = &file};
    mote_page_put(&page, mesh->triangle_count, sizeof(uint32_t));
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t *corners = mesh->triangles + 3 * t;
        const mote_vec3 a = mesh->vertices[corners[0]], b = mesh->vertices[corners[1]], c = mesh->vertices[corners[2]];
        const mote_vec3 normal = mote_vec3_unit(mote_vec3_cross(mote_vec3_sub(b, a), mote_vec3_sub(c, a)));
        put_vector(&page, mote_vec3_add(normal, (mote_vec3){0, 0, 0}));  // -0 becomes 0
        put_vector(&page, a);
        put_vector(&page, b);
        put_vector(&page, c);
        mote_page_put(&page, 0, sizeof(uint16_t));
    }
    mote_page_flush(&page);
    return mote_file_finish(&file, MOTE_OK, error);
}
