// SPDX-License-Identifier: MIT
// A mesh as it is read: vertices and triangles in growing arrays, polygons cut into fans.

#include <math.h>
#include <string.h>

#include "import/internal.h"

static mote_result append(mote_mesh_builder *builder, mote_buffer *buffer, size_t count, const void *item, size_t size)
{
    // Twice the room each time: the buffer's own growth is for arrays that change little.
    size_t bytes = (count + 1) * size;
    if (bytes > buffer->bytes) {
        mote_result result = mote_buffer_reserve(builder->context, buffer, MOTE_MAX(2 * bytes, 4096), count * size);
        if (result != MOTE_OK) {
            mote_fail(builder->source->error, result, 0, "%s: no memory for its mesh", builder->source->name);
            return result;
        }
    }
    memcpy((char *)buffer->data + count * size, item, size);
    return MOTE_OK;
}

mote_result mote_builder_expect(mote_mesh_builder *builder, uint64_t count)
{
    const size_t used = builder->vertex_count * sizeof(mote_vec3);
    if (count > SIZE_MAX / sizeof(mote_vec3) - builder->vertex_count) count = SIZE_MAX;  // refused as any such amount
    const size_t bytes = mote_bytes((size_t)count, sizeof(mote_vec3));
    mote_result result = mote_buffer_reserve(builder->context, &builder->vertices,
                                             bytes > SIZE_MAX - used ? SIZE_MAX : used + bytes, used);
    if (result != MOTE_OK)
        mote_fail(builder->source->error, result, 0, "%s: no memory for its %llu points", builder->source->name,
                  (unsigned long long)count);
    return result;
}

mote_result mote_builder_vertex(mote_mesh_builder *builder, mote_vec3 vertex)
{
    mote_result result = append(builder, &builder->vertices, builder->vertex_count, &vertex, sizeof vertex);
    if (!builder->has_wide && (isinf((float)vertex.x) || isinf((float)vertex.y) || isinf((float)vertex.z))) {
        builder->has_wide = true;
        builder->wide = builder->vertex_count;
        builder->wide_line = builder->line;
    }
    builder->vertex_count += result == MOTE_OK;
    return result;
}

mote_result mote_builder_corner(mote_mesh_builder *builder, uint64_t k, uint32_t vertex)
{
    mote_result result = MOTE_OK;
    if (k == 0) {
        builder->corners[0] = vertex;
    } else if (k > 1) {
        const uint32_t triangle[3] = {builder->corners[0], builder->corners[1], vertex};
        result = append(builder, &builder->triangles, builder->triangle_count, triangle, sizeof triangle);
        builder->triangle_count += result == MOTE_OK;
    }
    builder->corners[1] = vertex;
    return result;
}

mote_result mote_builder_finish(mote_mesh_builder *builder, mote_result result, mote_mesh **mesh)
{
    const mote_source *source = builder->source;
    if (result == MOTE_OK && builder->triangle_count == 0)
        result = mote_source_fail(source, 0, 0, "there is no triangle in it, expected at least one");
    if (result == MOTE_OK)
        result = mote_mesh_create(builder->context, builder->vertices.data, builder->vertex_count,
                                  builder->triangles.data, builder->triangle_count, mesh, source->error);
    mote_buffer_release(builder->context, &builder->vertices);
    mote_buffer_release(builder->context, &builder->triangles);
    return result;
}
