// SPDX-License-Identifier: MIT
// Smoothing of the meshes of several phases as one: where two of them touch, they have the same vertices, which stay
// the same. Vertices at the air follow those at the air alone: what is between phases does not pull at its rim, and the
// surface of the body stays as smooth as without phases. The rim follows itself: triangles beside it are narrow and
// wide as nodes happen to lie, and would make it ragged.

#include "surface/finish.h"
#include "surface/phases.h"

static bool is_at(const void *owner, uint32_t number, const void *key)
{
    return memcmp((const mote_vec3 *)owner + number, key, sizeof(mote_vec3)) == 0;
}

static uint32_t hash_of(const mote_vec3 *at)
{
    uint32_t words[6];
    memcpy(words, at, sizeof words);
    return mote_table_hash(words[0] ^ words[1] * 3, words[2] ^ words[3] * 5, words[4] ^ words[5] * 7);
}

// Makes room for all meshes in one.
static mote_result reserve_together(const mote_context *context, surface_phases *phases, const surface_part *parts,
                                    size_t count, surface_part *together)
{
    size_t vertices = 0, triangles = 0;
    for (size_t k = 0; k < count; ++k)
        vertices += parts[k].mesh.vertex_count, triangles += parts[k].mesh.triangle_count;
    if (vertices > UINT32_MAX / 2 || triangles > UINT32_MAX / 3) return MOTE_ERROR_OUT_OF_MEMORY;
    surface_mesh *mesh = &together->mesh;
    mote_result result =
        mote_buffer_reserve(context, &mesh->vertex_memory, mote_bytes(vertices, sizeof *mesh->vertices), 0);
    if (result == MOTE_OK)
        result =
            mote_buffer_reserve(context, &mesh->triangle_memory, mote_bytes(triangles, 3 * sizeof *mesh->triangles), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &phases->number_memory, mote_bytes(vertices, sizeof(uint32_t)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &together->finish.weight_memory, mote_bytes(vertices, sizeof(float)), 0);
    mote_table_clear(&phases->vertices);
    if (result == MOTE_OK) result = mote_table_reserve(context, &phases->vertices, vertices);
    mesh->vertices = mesh->vertex_memory.data;
    mesh->triangles = mesh->triangle_memory.data;
    mesh->vertex_count = mesh->triangle_count = 0;
    bool has_weights = false;  // meshes without vertices have none
    for (size_t k = 0; k < count; ++k) has_weights |= parts[k].finish.weights != NULL;
    together->finish.weights = has_weights ? together->finish.weight_memory.data : NULL;
    return result;
}

// Adds the vertices of a mesh of one kind. `numbers` receives where they are.
static void add_vertices(surface_phases *phases, const surface_part *part, surface_vertex_kind kind, uint32_t *numbers,
                         surface_part *together)
{
    const surface_mesh *from = &part->mesh;
    surface_mesh *to = &together->mesh;
    for (size_t v = 0; v < from->vertex_count; ++v) {
        if (from->kinds[v] != kind) continue;
        const uint32_t hash = hash_of(from->vertices + v);
        numbers[v] = mote_table_find(&phases->vertices, hash, is_at, to->vertices, from->vertices + v);
        if (numbers[v] != MOTE_TABLE_NONE) continue;
        numbers[v] = (uint32_t)to->vertex_count;
        if (together->finish.weights) together->finish.weights[to->vertex_count] = part->finish.weights[v];
        to->vertices[to->vertex_count++] = from->vertices[v];
        mote_table_put(&phases->vertices, hash, numbers[v]);
    }
}

// A triangle between two phases has a vertex that is not at the air.
static void add_triangles(const surface_mesh *from, bool outer, const uint32_t *numbers, surface_mesh *to)
{
    for (size_t t = 0; t < from->triangle_count; ++t) {
        const uint32_t *corner = from->triangles + 3 * t;
        bool is_outer = true;
        for (int k = 0; k < 3; ++k) is_outer &= from->kinds[corner[k]] != VERTEX_INSIDE;
        if (is_outer != outer) continue;
        for (size_t k = 0; k < 3; ++k) to->triangles[3 * to->triangle_count + k] = numbers[corner[k]];
        ++to->triangle_count;
    }
}

mote_result mote_surface_smooth_phases(surface_job *job, int32_t rounds, surface_part *parts, size_t count,
                                       surface_part *together)
{
    surface_phases *phases = job->phases;
    surface_mesh *mesh = &together->mesh;
    mote_result result = reserve_together(job->context, phases, parts, count, together);
    if (result != MOTE_OK) return result;
    uint32_t *numbers = phases->number_memory.data, *own;
    for (surface_vertex_kind kind = VERTEX_ON_RIM; kind <= VERTEX_INSIDE; ++kind) {
        own = numbers;
        for (size_t k = 0; k < count; own += parts[k++].mesh.vertex_count)
            add_vertices(phases, parts + k, kind, own, together);
        if (kind == VERTEX_ON_RIM) mesh->rim_vertices = mesh->vertex_count;
        if (kind == VERTEX_AT_AIR) mesh->outer_vertices = mesh->vertex_count;
    }
    for (int inner = 0; inner < 2; ++inner) {
        own = numbers;
        for (size_t k = 0; k < count; own += parts[k++].mesh.vertex_count)
            add_triangles(&parts[k].mesh, !inner, own, mesh);
        if (!inner) mesh->outer_triangles = mesh->triangle_count;
    }
    result = mote_surface_smooth(job, rounds, mesh, &together->finish);
    own = numbers;
    for (size_t k = 0; k < count && result == MOTE_OK; own += parts[k++].mesh.vertex_count)
        for (size_t v = 0; v < parts[k].mesh.vertex_count; ++v) parts[k].mesh.vertices[v] = mesh->vertices[own[v]];
    return result;
}
