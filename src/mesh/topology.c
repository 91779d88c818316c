// SPDX-License-Identifier: MIT
// Finds the defects of a mesh from its edges and triangles, sorted in flat arrays.
//
// Edges are counted into buckets by their lower vertex, in a few blocks of triangles that do not depend on threads.
// Then only the few edges of each vertex remain to be sorted.
//
// In a closed, consistently oriented surface each edge is used once in each direction.

#include "base/union_find.h"
#include "mesh/internal.h"

enum { TRIANGLES_A_BLOCK = 16384, BLOCKS_MOST = 4, VERTICES_A_BLOCK = 8192, FEW_EDGES = 64 };

// A triangle that uses a vertex twice has no inside and no outside: its neighbours meet as if it did not exist.
static bool uses_vertex_twice(const uint32_t *corner)
{
    return corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0];
}

// Edges while they are sorted into buckets by their lower vertex: for each block of triangles a row of counts, which
// become places.
typedef struct edge_sort {
    const mote_mesh *mesh;
    size_t block;      // triangles per block
    uint32_t *places;  // per block and vertex
    uint64_t *keys;
    uint32_t *numbers;
} edge_sort;

static uint64_t edge_key(const uint32_t *corner, uint32_t k)
{
    const uint64_t from = corner[k], to = corner[(k + 1) % 3];
    return MOTE_MIN(from, to) << 32 | MOTE_MAX(from, to);
}

static void count_edges(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const edge_sort *sort = data;
    uint32_t *counts = sort->places + begin / sort->block * sort->mesh->vertex_count;
    for (size_t t = begin; t < end; ++t) {
        const uint32_t *corner = sort->mesh->triangles + 3 * t;
        if (uses_vertex_twice(corner)) continue;
        for (uint32_t k = 0; k < 3; ++k) counts[edge_key(corner, k) >> 32]++;
    }
}

static void place_edges(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const edge_sort *sort = data;
    uint32_t *places = sort->places + begin / sort->block * sort->mesh->vertex_count;
    for (size_t t = begin; t < end; ++t) {
        const uint32_t *corner = sort->mesh->triangles + 3 * t;
        if (uses_vertex_twice(corner)) continue;
        for (uint32_t k = 0; k < 3; ++k) {
            const uint64_t key = edge_key(corner, k);
            const uint32_t at = places[key >> 32]++;
            sort->keys[at] = key;
            sort->numbers[at] = (uint32_t)(3 * t) + k;
        }
    }
}

// How many edges the fullest bucket has. The last block's places are now the ends of the buckets.
static uint32_t fullest_bucket(const uint32_t *ends, size_t vertices)
{
    uint32_t fullest = 0;
    for (size_t v = 0; v < vertices; ++v) fullest = MOTE_MAX(fullest, ends[v] - (v ? ends[v - 1] : 0));
    return fullest;
}

// Sorts buckets, stably, by upper vertices. The last block's places are now the ends of the buckets.
static void sort_buckets(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const edge_sort *sort = data;
    const uint32_t *ends =
        sort->places + (mote_block_count(sort->mesh->triangle_count, sort->block) - 1) * sort->mesh->vertex_count;
    for (size_t v = begin; v < end; ++v) {
        const size_t first = v ? ends[v - 1] : 0;
        for (size_t i = first + 1; i < ends[v]; ++i) {
            const uint64_t key = sort->keys[i];
            const uint32_t number = sort->numbers[i];
            size_t at = i;
            for (; at > first && sort->keys[at - 1] > key; --at) {
                sort->keys[at] = sort->keys[at - 1];
                sort->numbers[at] = sort->numbers[at - 1];
            }
            sort->keys[at] = key;
            sort->numbers[at] = number;
        }
    }
}

// Sorts all edges at once, if a vertex has many.
static mote_result sort_as_a_whole(const mote_mesh *mesh, mote_mesh_edges *edges)
{
    mote_buffer spare = {0};
    mote_result result = mote_buffer_reserve(mesh->context, &spare, mote_bytes(edges->count, 12), 0);
    uint64_t *keys = spare.data;
    if (result == MOTE_OK)
        result = mote_sort_u64(mesh->context, edges->keys, edges->numbers, keys, (uint32_t *)(keys + edges->count),
                               edges->count);
    mote_buffer_release(mesh->context, &spare);
    return result;
}

mote_result mote_mesh_edges_build(const mote_mesh *mesh, mote_mesh_edges *edges)
{
    const size_t n = mesh->triangle_count;
    *edges = (mote_mesh_edges){0};
    if (n == 0) return MOTE_OK;
    edge_sort sort = {.mesh = mesh, .block = MOTE_MAX((n + BLOCKS_MOST - 1) / BLOCKS_MOST, TRIANGLES_A_BLOCK)};
    const size_t blocks = mote_block_count(n, sort.block), row = mote_bytes(mesh->vertex_count, sizeof(uint32_t));
    mote_buffer places = {0};
    mote_result result = mote_buffer_reserve(mesh->context, &places, mote_bytes(blocks, row), 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(mesh->context, &edges->memory, mote_bytes(n, 36), 0);
    if (result == MOTE_OK) {
        sort.places = memset(places.data, 0, blocks * row);
        sort.keys = edges->keys = edges->memory.data;
        sort.numbers = edges->numbers = (uint32_t *)(edges->keys + 3 * n);
        mote_parallel_for(mesh->context, n, sort.block, count_edges, &sort);
        edges->count = (size_t)mote_prefix_sum_rows(sort.places, blocks, mesh->vertex_count);
        mote_parallel_for(mesh->context, n, sort.block, place_edges, &sort);
        const uint32_t *ends = sort.places + (blocks - 1) * mesh->vertex_count;
        if (fullest_bucket(ends, mesh->vertex_count) > FEW_EDGES) result = sort_as_a_whole(mesh, edges);
        else mote_parallel_for(mesh->context, mesh->vertex_count, VERTICES_A_BLOCK, sort_buckets, &sort);
    }
    mote_buffer_release(mesh->context, &places);
    if (result != MOTE_OK) mote_mesh_edges_release(mesh, edges);
    return result;
}

void mote_mesh_edges_release(const mote_mesh *mesh, mote_mesh_edges *edges)
{
    mote_buffer_release(mesh->context, &edges->memory);
    *edges = (mote_mesh_edges){0};
}

// The corner of a triangle's edge at the edge's lower or upper vertex.
static uint32_t corner_at(const mote_mesh *mesh, uint32_t edge, bool is_upper)
{
    const uint32_t next = edge - edge % 3 + (edge % 3 + 1) % 3;
    return mote_mesh_edge_is_ascending(mesh, edge) == is_upper ? next : edge;
}

// Corners of triangles at a vertex belong to one fan if they are connected by edges from that vertex. A vertex with
// several fans is not manifold.
static mote_result examine_fans(const mote_mesh *mesh, const mote_mesh_edges *edges, mote_mesh_report *report)
{
    const size_t corners = 3 * mesh->triangle_count;
    mote_buffer memory = {0};
    const mote_result result = mote_buffer_reserve(
        mesh->context, &memory, mote_bytes(corners + mesh->vertex_count + 1, sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return result;
    uint32_t *parent = memory.data, *fans = parent + corners;
    for (size_t i = 0; i < corners; ++i) parent[i] = (uint32_t)i;
    memset(fans, 0, mesh->vertex_count * sizeof *fans);
    for (size_t i = 1; i < edges->count; ++i) {
        if (edges->keys[i] != edges->keys[i - 1]) continue;
        for (int is_upper = 0; is_upper < 2; ++is_upper)
            mote_unite(parent, corner_at(mesh, edges->numbers[i - 1], is_upper),
                  corner_at(mesh, edges->numbers[i], is_upper));
    }
    for (size_t i = 0; i < corners; ++i) {
        if (parent[i] != i || uses_vertex_twice(mesh->triangles + i - i % 3)) continue;
        report->non_manifold_vertices += ++fans[mesh->triangles[i]] == 2;
    }
    mote_buffer_release(mesh->context, &memory);
    return MOTE_OK;
}

static mote_result examine_edges(const mote_mesh *mesh, mote_mesh_report *report)
{
    mote_mesh_edges edges;
    mote_result result = mote_mesh_edges_build(mesh, &edges);
    if (result != MOTE_OK) return result;
    for (size_t begin = 0, end; begin < edges.count; begin = end) {
        for (end = begin + 1; end < edges.count && edges.keys[end] == edges.keys[begin];) ++end;
        if (end - begin == 1)
            ++report->open_edges;
        else if (end - begin > 2)
            ++report->non_manifold_edges;
        else if (mote_mesh_edge_is_ascending(mesh, edges.numbers[begin]) ==
                 mote_mesh_edge_is_ascending(mesh, edges.numbers[begin + 1]))
            ++report->flipped_edges;
    }
    report->closed = edges.count > 0 && !report->open_edges && !report->non_manifold_edges && !report->flipped_edges;
    result = examine_fans(mesh, &edges, report);
    mote_mesh_edges_release(mesh, &edges);
    return result;
}

// The vertices of a triangle, ascending.
static void sort_corners(const uint32_t *corner, uint32_t sorted[3])
{
    uint32_t low = MOTE_MIN(corner[0], corner[1]), high = MOTE_MAX(corner[0], corner[1]), last = corner[2];
    sorted[0] = MOTE_MIN(low, last);
    sorted[2] = MOTE_MAX(high, last);
    sorted[1] = last < low ? low : last > high ? high : last;
}

// Sorts the triangles by their sorted vertices: stably by the largest, then by the other two.
static mote_result examine_duplicates(const mote_mesh *mesh, mote_mesh_report *report)
{
    const size_t n = mesh->triangle_count;
    mote_buffer memory = {0};
    mote_result result = mote_buffer_reserve(mesh->context, &memory, mote_bytes(n, 24), 0);
    if (result != MOTE_OK) return result;
    uint64_t *keys = memory.data;
    uint32_t *order = (uint32_t *)(keys + 2 * n), sorted[3], previous[3];

    for (size_t t = 0; t < n; ++t) {
        sort_corners(mesh->triangles + 3 * t, sorted);
        keys[t] = sorted[2];
        order[t] = (uint32_t)t;
    }
    result = mote_sort_u64(mesh->context, keys, order, keys + n, order + n, n);
    for (size_t i = 0; i < n && result == MOTE_OK; ++i) {
        sort_corners(mesh->triangles + 3 * (size_t)order[i], sorted);
        keys[i] = (uint64_t)sorted[0] << 32 | sorted[1];
    }
    if (result == MOTE_OK) result = mote_sort_u64(mesh->context, keys, order, keys + n, order + n, n);
    for (size_t i = 1; i < n && result == MOTE_OK; ++i) {
        sort_corners(mesh->triangles + 3 * (size_t)order[i], sorted);
        sort_corners(mesh->triangles + 3 * (size_t)order[i - 1], previous);
        report->duplicates += keys[i] == keys[i - 1] && sorted[2] == previous[2];
    }
    mote_buffer_release(mesh->context, &memory);
    return result;
}

// Union-find over the vertices (Tarjan & van Leeuwen 1984, path halving); the lower root stays.
static mote_result examine_components(const mote_mesh *mesh, mote_mesh_report *report)
{
    const uint32_t unused = UINT32_MAX;
    mote_buffer memory = {0};
    mote_result result =
        mote_buffer_reserve(mesh->context, &memory, mote_bytes(mesh->vertex_count, sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return result;
    uint32_t *parent = memory.data;
    for (size_t i = 0; i < mesh->vertex_count; ++i) parent[i] = unused;
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i) parent[mesh->triangles[i]] = mesh->triangles[i];
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t *corner = mesh->triangles + 3 * t;
        for (int k = 1; k < 3; ++k) mote_unite(parent, corner[0], corner[k]);
    }
    for (size_t i = 0; i < mesh->vertex_count; ++i) report->components += parent[i] == i;
    mote_buffer_release(mesh->context, &memory);
    return MOTE_OK;
}

mote_result mote_mesh_examine(const mote_mesh *mesh, mote_mesh_report *report, mote_error *error)
{
    if (!mote_mesh_is_sound(mesh)) return mote_fail_null(error, "mesh", "the mesh");
    if (!report) return mote_fail_null(error, "mesh", "the report");
    mote_mesh_report found = {0};
    for (size_t t = 0; t < mesh->triangle_count; ++t)
        found.degenerate += mote_triangle_is_degenerate(mote_mesh_triangle(mesh, t));
    mote_result result = examine_edges(mesh, &found);
    if (result == MOTE_OK) result = examine_duplicates(mesh, &found);
    if (result == MOTE_OK) result = examine_components(mesh, &found);
    if (result == MOTE_OK) *report = found;
    return mote_pass_memory(error, result, "mesh: examining it");
}
