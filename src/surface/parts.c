// SPDX-License-Identifier: MIT
// Connected parts of a mesh, and those with too few particles.
//
// Triangles connect vertices. The surfaces of a body and of the bubbles in it belong together: a run of nodes inside
// along x joins the vertices at its ends. A particle belongs to the body whose run of nodes is next to it.

#include "base/union_find.h"
#include "surface/finish.h"
#include "surface/phases.h"

static bool is_node_inside(const surface_grid *grid, const surface_chunk *chunk, const int at[3])
{
    if (chunk->signs < 0) return chunk->signs == ALL_INSIDE;
    return grid->signs[chunk->signs].rows[at[2]][at[1]] >> at[0] & 1;
}

// The vertex where the run of nodes inside that this one belongs to ends, along −x or +x.
static uint32_t end_of_run(const surface_grid *grid, const surface_chunk *chunk, const int node[3], int step)
{
    int at[3] = {node[0], node[1], node[2]};
    for (;;) {
        int next[3] = {at[0] + step, at[1], at[2]};
        const surface_chunk *other = chunk;
        if (next[0] < 0 || next[0] >= CHUNK) {
            const int32_t to[3] = {chunk->at[0] + step, chunk->at[1], chunk->at[2]};
            const uint32_t number = mote_surface_find_chunk(grid, to);
            other = number == MOTE_TABLE_NONE ? NULL : grid->chunks + number;
            next[0] = step < 0 ? CHUNK - 1 : 0;
        }
        if (other && is_node_inside(grid, other, next)) {
            chunk = other;
            at[0] = next[0];
            continue;
        }
        MOTE_ASSERT(other || step > 0);
        return step > 0 ? mote_surface_vertex_number(grid, chunk, at, 0)
                        : mote_surface_vertex_number(grid, other, next, 0);
    }
}

// Joins the ends of all runs of nodes inside.
static void join_runs(const surface_grid *grid, uint32_t *parent)
{
    for (uint32_t c = 0; c < grid->chunk_count; ++c) {
        const surface_chunk *chunk = grid->chunks + c;
        if (chunk->cuts == NONE) continue;
        for (int z = 0; z < CHUNK; ++z)
            for (int y = 0; y < CHUNK; ++y)
                for (uint32_t left = mote_surface_cuts_along_x(grid, chunk, z, y); left; left &= left - 1) {
                    const int at[3] = {(int)mote_lowest_bit(left), y, z};
                    if (!is_node_inside(grid, chunk, at)) continue;
                    const uint32_t here = mote_surface_vertex_number(grid, chunk, at, 0);
                    mote_unite(parent, here, end_of_run(grid, chunk, at, -1));
                }
    }
}

// The vertex of a run next to a particle, or UINT32_MAX if no node around it is inside.
static uint32_t vertex_of(const surface_job *job, const surface_chunk *own, size_t i)
{
    const surface_grid *grid = job->grid;
    for (int corner = 0; corner < 8; ++corner) {
        int at[3];
        int32_t to[3];
        for (int k = 0; k < 3; ++k) {
            const int node = (int)job->sort->at[k][i], far = job->sort->at[k][i] - (float)node >= 0.5f;
            const int n = node + (far ^ (corner >> k & 1));
            at[k] = n % CHUNK;
            to[k] = own->at[k] + n / CHUNK;
        }
        const uint32_t number = mote_surface_find_chunk(grid, to);
        if (number == MOTE_TABLE_NONE || !is_node_inside(grid, grid->chunks + number, at)) continue;
        return end_of_run(grid, grid->chunks + number, at, -1);
    }
    return UINT32_MAX;
}

static void count_particles(const surface_job *job, uint32_t *parent, uint32_t *counts, mote_surface_stats *stats)
{
    for (uint32_t c = 0; c < job->grid->chunk_count; ++c) {
        const surface_chunk *chunk = job->grid->chunks + c;
        for (size_t i = chunk->begin; i < chunk->end; ++i) {
            const uint32_t particle = job->sort->index[i];
            if (particle >= job->own_count || !mote_surface_has_phase(job->phases, particle)) continue;
            const uint32_t v = vertex_of(job, chunk, i);
            if (v == UINT32_MAX)
                ++stats->outside;
            else
                ++counts[mote_find_root(parent, v)];
        }
    }
}

void mote_surface_compact(surface_mesh *mesh, surface_finish *finish, uint32_t *number)
{
    const size_t old = mesh->vertex_count;
    uint32_t count = 0;
    for (size_t v = 0; v < old; ++v)
        if (number[v] != UINT32_MAX) number[v] = count++;
    for (size_t v = 0; v < old; ++v) {
        if (number[v] == UINT32_MAX) continue;
        mesh->vertices[number[v]] = mesh->vertices[v];
        if (mesh->kinds) mesh->kinds[number[v]] = mesh->kinds[v];
        if (finish->normals) finish->normals[number[v]] = finish->normals[v];
        if (finish->weights) finish->weights[number[v]] = finish->weights[v];
    }
    size_t before = 0;
    for (size_t a = 0; a < finish->array_count; ++a) {
        const size_t components = (size_t)finish->arrays[a].components;
        for (size_t v = 0; v < old; ++v)
            if (number[v] != UINT32_MAX)
                memmove(finish->values + before * count + number[v] * components,
                        finish->values + before * old + v * components, components * sizeof(float));
        before += components;
    }
    size_t kept = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t *corner = mesh->triangles + 3 * t;
        if (number[corner[0]] == UINT32_MAX) continue;
        for (size_t k = 0; k < 3; ++k) mesh->triangles[3 * kept + k] = number[corner[k]];
        ++kept;
    }
    mesh->vertex_count = count;
    mesh->triangle_count = kept;
}

mote_result mote_surface_part(const surface_job *job, int32_t min_particles, surface_mesh *mesh, surface_finish *finish,
                              mote_surface_stats *stats)
{
    const size_t vertices = mesh->vertex_count;
    // 1 only counts parts: what planes leave of a body whose particles they cut off has none, and stays.
    const uint32_t least = min_particles > 1 ? (uint32_t)min_particles : 0;
    const mote_result result =
        mote_buffer_reserve(job->context, &finish->part_memory, mote_bytes(vertices, 2 * sizeof(uint32_t)), 0);
    if (result != MOTE_OK || vertices == 0) return result;
    uint32_t *parent = finish->part_memory.data, *counts = parent + vertices;
    for (size_t v = 0; v < vertices; ++v) parent[v] = (uint32_t)v, counts[v] = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        mote_unite(parent, mesh->triangles[3 * t], mesh->triangles[3 * t + 1]);
        mote_unite(parent, mesh->triangles[3 * t], mesh->triangles[3 * t + 2]);
    }
    for (size_t v = 0; v < vertices; ++v) stats->parts += mote_find_root(parent, (uint32_t)v) == v;
    join_runs(job->grid, parent);
    count_particles(job, parent, counts, stats);
    for (size_t v = 0; v < vertices; ++v) {
        const uint32_t root = mote_find_root(parent, (uint32_t)v);
        if (root != v || counts[v] >= least) continue;
        ++stats->left_out_parts;
        stats->left_out_particles += counts[v];
    }
    if (stats->left_out_parts == 0) return MOTE_OK;
    // A parent is never the larger number: from the last vertex on, the roots of the others stay what they are.
    for (size_t v = vertices; v-- > 0;)
        if (counts[mote_find_root(parent, (uint32_t)v)] < least) parent[v] = UINT32_MAX;
    mote_surface_compact(mesh, finish, parent);
    return MOTE_OK;
}
