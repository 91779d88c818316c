// SPDX-License-Identifier: MIT
// Surfaces of liquids on the device: they change from picture to picture, so that they are copied as they come, with
// normals averaged over the triangles around each vertex unless the caller has better ones.

#include <float.h>
#include <math.h>
#include <string.h>

#include "render/internal.h"

typedef struct vertex {
    float position[3], normal[3];
    uint8_t colour[4];
} vertex;

static mote_result check(const mote_liquid *liquid, size_t k, mote_error *error)
{
    mote_result result = mote_points_check(liquid->vertices, "vertices", error);
    if (result != MOTE_OK) return result;
    const size_t count = liquid->vertices.count;
    if (!liquid->triangles && liquid->triangle_count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "picture: liquid %zu: triangles is NULL", k);
    for (size_t i = 0; i < 3 * liquid->triangle_count; ++i)
        if (liquid->triangles[i] >= count)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, i / 3, "picture: liquid %zu: triangle %zu has vertex %u, "
                             "expected below %zu", k, i / 3, liquid->triangles[i], count);
    for (size_t v = 0; v < count; ++v)
        for (int axis = 0; axis < liquid->vertices.dimensions; ++axis)
            if (!(fabs(mote_points_get(&liquid->vertices, v, axis)) <= FLT_MAX))
                return mote_fail(error, MOTE_ERROR_NOT_FINITE, v, "picture: liquid %zu: vertex %zu is not finite", k,
                                 v);
    if (!liquid->is_clear) return MOTE_OK;
    if (liquid->cloudiness < 0 || liquid->cloudiness > 1)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "picture: liquid %zu: cloudiness is %g, expected 0 to 1", k,
                         liquid->cloudiness);
    if (!(liquid->refraction >= 1 && liquid->refraction <= 3))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "picture: liquid %zu: refraction is %g, expected 1 to 3", k,
                         liquid->refraction);
    const mote_vec3 a = liquid->absorption;
    if (isnan(a.x) || (a.x >= 0 && a.y >= 0 && a.z >= 0 && isfinite(a.x + a.y + a.z))) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "picture: liquid %zu: absorption is (%g, %g, %g), expected three "
                     "numbers of at least 0", k, a.x, a.y, a.z);
}

mote_result mote_liquids_check(const mote_picture *picture, mote_error *error)
{
    if (!picture->liquids && picture->liquid_count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "picture: the liquids are NULL");
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < picture->liquid_count && result == MOTE_OK; ++k)
        result = check(&picture->liquids[k], k, error);
    return result;
}

static void create(mote_liquid_mesh *mesh)
{
    *mesh = (mote_liquid_mesh){0};
    glGenVertexArrays(1, &mesh->array);
    glGenBuffers(1, &mesh->vertices);
    glGenBuffers(1, &mesh->indices);
    glBindVertexArray(mesh->array);
    glBindBuffer(GL_ARRAY_BUFFER, mesh->vertices);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->indices);
    for (GLuint k = 0; k < 3; ++k) glEnableVertexAttribArray(k);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(vertex), (const void *)offsetof(vertex, position));
    glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, sizeof(vertex), (const void *)offsetof(vertex, normal));
    glVertexAttribPointer(2, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(vertex), (const void *)offsetof(vertex, colour));
    glBindVertexArray(0);
}

// Each triangle counts by its area.
static void average_normals(vertex *vertices, const mote_liquid *liquid)
{
    for (size_t t = 0; t < liquid->triangle_count; ++t) {
        const uint32_t *corners = liquid->triangles + 3 * t;
        const float *p = vertices[corners[0]].position, *q = vertices[corners[1]].position;
        const float *r = vertices[corners[2]].position;
        const float a[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, b[3] = {r[0] - p[0], r[1] - p[1], r[2] - p[2]};
        const float n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
        for (int k = 0; k < 3; ++k)
            for (int axis = 0; axis < 3; ++axis) vertices[corners[k]].normal[axis] += n[axis];
    }
    for (size_t v = 0; v < liquid->vertices.count; ++v) {
        float *n = vertices[v].normal;
        const float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int axis = 0; axis < 3 && length > 0; ++axis) n[axis] /= length;
    }
}

static void fill(vertex *vertices, const mote_camera *camera, const mote_render_def *def, const mote_liquid *liquid)
{
    const double origin[3] = {camera->origin.x, camera->origin.y, camera->origin.z};
    uint8_t shades[MOTE_SHADES + 1][4], plain[4];
    mote_shades_fill(shades);
    mote_set_colour(plain, liquid->color);
    for (size_t v = 0; v < liquid->vertices.count; ++v) {
        vertex *out = &vertices[v];
        *out = (vertex){{0}, {0}, {0}};
        for (int axis = 0; axis < 3; ++axis) {
            const double at = axis < liquid->vertices.dimensions ? mote_points_get(&liquid->vertices, v, axis) : 0;
            out->position[axis] = (float)(at - origin[axis]);
        }
        if (liquid->normals) {
            const mote_vec3 n = liquid->normals[v];
            out->normal[0] = (float)n.x, out->normal[1] = (float)n.y, out->normal[2] = (float)n.z;
        }
        float value = 0;
        const char *at = (const char *)liquid->scalars;
        if (at) memcpy(&value, at + (ptrdiff_t)v * liquid->scalar_stride, sizeof value);
        memcpy(out->colour, at ? shades[mote_shade_of(def, value)] : plain, sizeof out->colour);
    }
    if (!liquid->normals) average_normals(vertices, liquid);
}

// Copies to a buffer that keeps its room from picture to picture.
static void put(GLenum target, size_t *room, const void *data, size_t bytes)
{
    if (*room < bytes) {
        *room = bytes + bytes / 8;
        glBufferData(target, (GLsizeiptr)*room, NULL, GL_DYNAMIC_DRAW);
    }
    if (bytes) glBufferSubData(target, 0, (GLsizeiptr)bytes, data);
}

static const double usual_cloudiness = 0.4;

// Absorption such that the largest way through the def's box leaves little red, and most of the blue.
static mote_vec3 usual_absorption(const mote_render_def *def)
{
    const double way = mote_vec3_length(mote_vec3_sub(def->box.max, def->box.min));
    return mote_vec3_scale(mote_vec3_make(6.5, 1.7, 0.75), 1 / way);
}

static mote_result upload(mote_liquid_mesh *mesh, const mote_context *context, const mote_camera *camera,
                          const mote_render_def *def, const mote_liquid *liquid, mote_error *error)
{
    const size_t bytes = mote_bytes(liquid->vertices.count, sizeof(vertex));
    vertex *vertices = mote_allocate(context, bytes + 1);
    if (!vertices) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "no memory to copy a liquid");
    fill(vertices, camera, def, liquid);
    glBindVertexArray(mesh->array);
    glBindBuffer(GL_ARRAY_BUFFER, mesh->vertices);
    put(GL_ARRAY_BUFFER, &mesh->vertex_room, vertices, bytes);
    put(GL_ELEMENT_ARRAY_BUFFER, &mesh->index_room, liquid->triangles, 3 * sizeof(uint32_t) * liquid->triangle_count);
    glBindVertexArray(0);
    mote_release(context, vertices, bytes + 1);
    mesh->index_count = 3 * liquid->triangle_count;
    mesh->is_clear = liquid->is_clear;
    mesh->absorption = isnan(liquid->absorption.x) ? usual_absorption(def) : liquid->absorption;
    mesh->refraction = liquid->refraction;
    mesh->cloudiness = !isnan(liquid->cloudiness)     ? liquid->cloudiness
                       : isnan(liquid->absorption.x) ? usual_cloudiness
                                                     : 0;
    return mote_gl_check("memory for a liquid", error);
}

mote_result mote_liquids_upload(mote_liquids *liquids, const mote_context *context, const mote_camera *camera,
                                const mote_render_def *def, const mote_picture *picture, mote_error *error)
{
    liquids->count = 0;
    const size_t held = liquids->made * sizeof(mote_liquid_mesh);
    const size_t bytes = mote_bytes(MOTE_MAX(picture->liquid_count, liquids->made), sizeof(mote_liquid_mesh));
    if (mote_buffer_reserve(context, &liquids->meshes, bytes, held) != MOTE_OK)
        return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "no memory for %zu liquids", picture->liquid_count);
    mote_liquid_mesh *meshes = liquids->meshes.data;
    while (liquids->made < picture->liquid_count) create(&meshes[liquids->made++]);
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < picture->liquid_count && result == MOTE_OK; ++k)
        result = upload(&meshes[k], context, camera, def, &picture->liquids[k], error);
    if (result == MOTE_OK) liquids->count = picture->liquid_count;
    return result;
}

bool mote_liquids_any(const mote_liquids *liquids, bool is_clear)
{
    const mote_liquid_mesh *meshes = liquids->meshes.data;
    for (size_t k = 0; k < liquids->count; ++k)
        if (meshes[k].is_clear == is_clear && meshes[k].index_count) return true;
    return false;
}

void mote_liquid_draw(const mote_liquid_mesh *mesh)
{
    glBindVertexArray(mesh->array);
    glDrawElements(GL_TRIANGLES, (GLsizei)mesh->index_count, GL_UNSIGNED_INT, NULL);
    glBindVertexArray(0);
}

void mote_liquids_destroy(mote_liquids *liquids, const mote_context *context)
{
    mote_liquid_mesh *meshes = liquids->meshes.data;
    for (size_t k = 0; k < liquids->made; ++k) {
        glDeleteVertexArrays(1, &meshes[k].array);
        glDeleteBuffers(1, &meshes[k].vertices);
        glDeleteBuffers(1, &meshes[k].indices);
    }
    mote_buffer_release(context, &liquids->meshes);
}
