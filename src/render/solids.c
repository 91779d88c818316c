// SPDX-License-Identifier: MIT
// Solids and the floor: indexed triangles with a normal at each vertex.

#include "render/internal.h"

typedef struct vertex {
    float position[3], normal[3];
} vertex;

static void set_vertex(vertex *at, mote_vec3 position, mote_vec3 normal)
{
    *at = (vertex){{(float)position.x, (float)position.y, (float)position.z},
                   {(float)normal.x, (float)normal.y, (float)normal.z}};
}

static void upload(mote_solid *solid, const vertex *vertices, size_t vertex_count, const uint32_t *indices,
                   size_t index_count)
{
    if (!solid->array) {
        glGenVertexArrays(1, &solid->array);
        glGenBuffers(1, &solid->vertices);
        glGenBuffers(1, &solid->indices);
    }
    glBindVertexArray(solid->array);
    glBindBuffer(GL_ARRAY_BUFFER, solid->vertices);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(vertex_count * sizeof(vertex)), vertices, GL_STATIC_DRAW);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(vertex), (const void *)offsetof(vertex, position));
    glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, sizeof(vertex), (const void *)offsetof(vertex, normal));
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, solid->indices);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(index_count * sizeof(uint32_t)), indices, GL_STATIC_DRAW);
    glBindVertexArray(0);
    solid->index_count = index_count;
}

static mote_result upload_split(mote_solid *solid, mote_vec3 origin, const mote_mesh *mesh,
                                const mote_mesh_normals *split, mote_error *error)
{
    const size_t bytes = mote_bytes(split->count, sizeof(vertex));
    vertex *vertices = mote_allocate(mesh->context, bytes);
    if (!vertices && bytes) return MOTE_ERROR_OUT_OF_MEMORY;
    for (size_t v = 0; v < split->count; ++v)
        set_vertex(&vertices[v], mote_vec3_sub(mesh->vertices[split->origins[v]], origin), split->normals[v]);
    upload(solid, vertices, split->count, split->triangles, 3 * mesh->triangle_count);
    mote_release(mesh->context, vertices, bytes);
    return mote_gl_check("memory for a mesh", error);
}

// From here on, triangles that touch at a place share it, whether they shared a vertex before or not: they meet at
// an edge in both cases.
mote_result mote_solid_upload(mote_solid *solid, mote_context *context, mote_vec3 origin, const mote_mesh *mesh,
                              mote_error *error)
{
    mote_mesh *copy = NULL;
    mote_mesh_normals split = {0};
    if (error) error->text[0] = '\0';
    mote_result result = mote_mesh_create(context, mesh->vertices, mesh->vertex_count, mesh->triangles,
                                          mesh->triangle_count, &copy, error);
    if (result == MOTE_OK) result = mote_mesh_weld(copy, NULL);
    if (result == MOTE_OK) result = mote_mesh_split(copy, solid->look.crease_angle, &split, NULL);
    if (result == MOTE_OK) result = upload_split(solid, origin, copy, &split, error);
    if (result == MOTE_OK) {
        const mote_box box = mote_mesh_box(copy);
        solid->box = (mote_box){mote_vec3_sub(box.min, origin), mote_vec3_sub(box.max, origin)};
    }
    mote_mesh_normals_release(&split);
    mote_mesh_destroy(copy);
    if (result == MOTE_ERROR_OUT_OF_MEMORY && error && !error->text[0])
        mote_fail(error, result, 0, "no memory to copy a mesh");
    return result;
}

void mote_solid_upload_floor(mote_solid *solid, double height, double half_edge)
{
    vertex vertices[4];
    for (int k = 0; k < 4; ++k)
        set_vertex(&vertices[k], mote_vec3_make(k & 1 ? half_edge : -half_edge, k & 2 ? half_edge : -half_edge, height),
                   mote_vec3_make(0, 0, 1));
    const uint32_t indices[] = {0, 1, 2, 2, 1, 3};
    upload(solid, vertices, 4, indices, 6);
}

void mote_solid_draw(const mote_solid *solid)
{
    glBindVertexArray(solid->array);
    glDrawElements(GL_TRIANGLES, (GLsizei)solid->index_count, GL_UNSIGNED_INT, NULL);
    glBindVertexArray(0);
}

void mote_solid_destroy(mote_solid *solid)
{
    glDeleteVertexArrays(1, &solid->array);
    glDeleteBuffers(1, &solid->vertices);
    glDeleteBuffers(1, &solid->indices);
}
