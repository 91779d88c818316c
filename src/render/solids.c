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

mote_result mote_solid_upload(mote_solid *solid, const mote_context *context, mote_vec3 origin, const mote_mesh *mesh,
                              mote_error *error)
{
    size_t count = mesh->vertex_count;
    size_t normal_bytes = mote_bytes(count, sizeof(mote_vec3)), vertex_bytes = mote_bytes(count, sizeof(vertex));
    mote_vec3 *normals = mote_allocate(context, normal_bytes);
    vertex *vertices = mote_allocate(context, vertex_bytes);
    mote_result result = MOTE_OK;
    if (count && (!normals || !vertices)) {
        result = mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "no memory to copy a mesh");
    } else {
        mote_mesh_vertex_normals(mesh, normals);
        for (size_t v = 0; v < count; ++v)
            set_vertex(&vertices[v], mote_vec3_sub(mesh->vertices[v], origin), normals[v]);
        upload(solid, vertices, count, mesh->triangles, 3 * mesh->triangle_count);
        result = mote_gl_check("memory for a mesh", error);
    }
    mote_release(context, normals, normal_bytes);
    mote_release(context, vertices, vertex_bytes);
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
