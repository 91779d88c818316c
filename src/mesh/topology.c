// What is wrong with a mesh, from its edges and triangles sorted: O(n log n), flat arrays.
//
// An edge of a closed, consistently oriented surface is run through once in each direction.

#include "mesh/internal.h"

// A triangle that uses a vertex twice has no inside and no outside: its neighbours meet as if it were not there.
static bool uses_vertex_twice(const uint32_t *corner)
{
    return corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0];
}

mote_result mote_mesh_edges_build(const mote_mesh *mesh, mote_mesh_edges *edges)
{
    const size_t most = 3 * mesh->triangle_count;
    *edges = (mote_mesh_edges){0};
    mote_result result = mote_buffer_reserve(mesh->context, &edges->memory, mote_bytes(most, 24), 0);
    if (result != MOTE_OK || most == 0) return result;
    edges->keys = edges->memory.data;
    edges->numbers = (uint32_t *)(edges->keys + 2 * most);

    size_t count = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t *corner = mesh->triangles + 3 * t;
        if (uses_vertex_twice(corner)) continue;
        for (uint32_t k = 0; k < 3; ++k) {
            uint64_t from = corner[k], to = corner[(k + 1) % 3];
            edges->keys[count] = MOTE_MIN(from, to) << 32 | MOTE_MAX(from, to);
            edges->numbers[count++] = (uint32_t)(3 * t) + k;
        }
    }
    edges->count = count;
    result =
        mote_sort_u64(mesh->context, edges->keys, edges->numbers, edges->keys + most, edges->numbers + most, count);
    if (result != MOTE_OK) mote_mesh_edges_release(mesh, edges);
    return result;
}

void mote_mesh_edges_release(const mote_mesh *mesh, mote_mesh_edges *edges)
{
    mote_buffer_release(mesh->context, &edges->memory);
    *edges = (mote_mesh_edges){0};
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
    mote_mesh_edges_release(mesh, &edges);
    return MOTE_OK;
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

static uint32_t find_root(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
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
        for (int k = 1; k < 3; ++k) {
            uint32_t a = find_root(parent, corner[0]), b = find_root(parent, corner[k]);
            parent[MOTE_MAX(a, b)] = MOTE_MIN(a, b);
        }
    }
    for (size_t i = 0; i < mesh->vertex_count; ++i) report->components += parent[i] == i;
    mote_buffer_release(mesh->context, &memory);
    return MOTE_OK;
}

mote_result mote_mesh_examine(const mote_mesh *mesh, mote_mesh_report *report)
{
    mote_mesh_report found = {0};
    for (size_t t = 0; t < mesh->triangle_count; ++t)
        found.degenerate += mote_triangle_is_degenerate(mote_mesh_triangle(mesh, t));
    mote_result result = examine_edges(mesh, &found);
    if (result == MOTE_OK) result = examine_duplicates(mesh, &found);
    if (result == MOTE_OK) result = examine_components(mesh, &found);
    if (result == MOTE_OK) *report = found;
    return result;
}
