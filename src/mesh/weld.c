// SPDX-License-Identifier: MIT
// Welding: vertices at the same place, or within a tolerance, become one.
//
// For vertices at the same place, they are sorted by the hash of their place. With a tolerance, they are processed
// one after another: a vertex joins the first earlier one that was kept and is near enough, or is kept itself. So no
// vertex moves farther than the tolerance, and chains of vertices, each near the next, do not collapse into a point.
// Kept vertices are stored in a hashed grid; they are farther apart than the tolerance, so that a cell holds few of
// them.

#include <math.h>
#include <string.h>

#include "mesh/internal.h"

enum { VERTICES_A_BLOCK = 8192 };

// Marks a vertex that is joined to no other, or that no triangle uses.
static const uint32_t none = UINT32_MAX;

// ------------------------------------------------------------------------------------------------ the same place

typedef struct place_task {
    const mote_mesh *mesh;
    uint64_t *keys;
    uint32_t *order;
} place_task;

static void hash_places(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const place_task *task = data;
    for (size_t i = begin; i < end; ++i) {
        task->keys[i] = mote_place_hash(task->mesh->vertices[i]);
        task->order[i] = (uint32_t)i;
    }
}

// Sets first[i] to the lowest vertex at the same place as vertex i, by searching the vertices with the same hash.
// Vertices are ordered by their hashes, then by number; few have the same hash but another place.
static void find_first_at_place(const mote_mesh *mesh, const uint64_t *keys, const uint32_t *order, uint32_t *first)
{
    size_t begin = 0;
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        if (keys[i] != keys[begin]) begin = i;
        size_t at = begin;
        while (at < i && !mote_same_place(mesh->vertices[order[at]], mesh->vertices[order[i]])) ++at;
        first[order[i]] = order[at];
    }
}

// ---------------------------------------------------------------------------------------------- within a tolerance

// Kept vertices, linked by the hash of their cell.
typedef struct weld_grid {
    const mote_mesh *mesh;
    double tolerance, edge;  // of a cell
    uint32_t *heads, *next;
    uint32_t mask;
} weld_grid;

// Cell edge in tolerances: a ball with the tolerance as its radius never extends over three cells, even with
// rounding.
static const double edge_share = 3;

// The number of a cell along an axis. Where the distance between doubles exceeds the width of a cell, and so the
// tolerance, each double is a cell.
static double cell_of(const weld_grid *grid, double at)
{
    const double cell = at / grid->edge;
    return fabs(cell) < 0x1p53 ? floor(cell) : at;
}

// Divides before squaring: the square of a small tolerance might be 0.
static bool is_near(const weld_grid *grid, mote_vec3 a, mote_vec3 b)
{
    const double x = (b.x - a.x) / grid->tolerance, y = (b.y - a.y) / grid->tolerance,
                 z = (b.z - a.z) / grid->tolerance;
    return (x * x + y * y) + z * z <= 1;
}

// The first of the kept vertices of a cell that is near `at`, if it comes before `best`.
static uint32_t search_cell(const weld_grid *grid, mote_vec3 cell, mote_vec3 at, uint32_t best)
{
    for (uint32_t v = grid->heads[mote_place_hash(cell) & grid->mask]; v != none; v = grid->next[v])
        if (v < best && is_near(grid, grid->mesh->vertices[v], at)) best = v;
    return best;
}

static uint32_t find_kept(const weld_grid *grid, mote_vec3 at)
{
    const double t = grid->tolerance;
    const double x[2] = {cell_of(grid, at.x - t), cell_of(grid, at.x + t)};
    const double y[2] = {cell_of(grid, at.y - t), cell_of(grid, at.y + t)};
    const double z[2] = {cell_of(grid, at.z - t), cell_of(grid, at.z + t)};
    uint32_t best = none;
    for (int i = 0; i < 1 + (x[0] != x[1]); ++i)
        for (int j = 0; j < 1 + (y[0] != y[1]); ++j)
            for (int k = 0; k < 1 + (z[0] != z[1]); ++k)
                best = search_cell(grid, (mote_vec3){x[i], y[j], z[k]}, at, best);
    return best;
}

static void keep(const weld_grid *grid, uint32_t v)
{
    const mote_vec3 at = grid->mesh->vertices[v];
    const mote_vec3 cell = {cell_of(grid, at.x), cell_of(grid, at.y), cell_of(grid, at.z)};
    uint32_t *head = &grid->heads[mote_place_hash(cell) & grid->mask];
    grid->next[v] = *head;
    *head = v;
}

// Sets first[i] to the vertex that vertex i joins. No vertex joins one that no triangle uses.
static void find_first_near(const weld_grid *grid, uint32_t *first)
{
    const mote_mesh *mesh = grid->mesh;
    for (size_t i = 0; i <= grid->mask; ++i) grid->heads[i] = none;
    for (size_t i = 0; i < mesh->vertex_count; ++i) first[i] = none;
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i) first[mesh->triangles[i]] = 0;
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        const bool is_used = first[i] != none;
        first[i] = is_used ? find_kept(grid, mesh->vertices[i]) : (uint32_t)i;
        if (!is_used || first[i] != none) continue;
        first[i] = (uint32_t)i;
        keep(grid, (uint32_t)i);
    }
}

// ------------------------------------------------------------------------------------------------------- the mesh

static bool has_collapsed(const uint32_t *corners, const uint32_t *first)
{
    const uint32_t a = first[corners[0]], b = first[corners[1]], c = first[corners[2]];
    return a == b || b == c || c == a;
}

// Replaces every vertex by the one that it joins, and removes those that no triangle uses; with `drops` also removes
// triangles two of whose corners have become one. Either both arrays are replaced, or neither is.
// @param number  room for vertex_count new numbers
static mote_result join(mote_mesh *mesh, const uint32_t *first, uint32_t *number, bool drops)
{
    const size_t n = mesh->vertex_count;
    size_t kept = 0, left = 0;
    for (size_t i = 0; i < n; ++i) number[i] = none;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t *corners = mesh->triangles + 3 * t;
        if (drops && has_collapsed(corners, first)) continue;
        for (int k = 0; k < 3; ++k) number[first[corners[k]]] = 0;
        ++left;
    }
    for (size_t i = 0; i < n; ++i)
        if (number[i] != none) number[i] = (uint32_t)kept++;

    const size_t bytes = mesh->triangle_count * 3 * sizeof(uint32_t), left_bytes = left * 3 * sizeof(uint32_t);
    mote_vec3 *vertices = mote_allocate(mesh->context, kept * sizeof *vertices);
    uint32_t *triangles = left < mesh->triangle_count ? mote_allocate(mesh->context, left_bytes) : mesh->triangles;
    if ((!vertices && kept) || (!triangles && left)) {
        mote_release(mesh->context, vertices, kept * sizeof *vertices);
        if (triangles != mesh->triangles) mote_release(mesh->context, triangles, left_bytes);
        return MOTE_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < n; ++i)
        if (number[i] != none) vertices[number[i]] = mesh->vertices[i];
    size_t to = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t *corners = mesh->triangles + 3 * t;
        if (drops && has_collapsed(corners, first)) continue;
        for (int k = 0; k < 3; ++k) triangles[to++] = number[first[corners[k]]];
    }
    if (triangles != mesh->triangles) mote_release(mesh->context, mesh->triangles, bytes);
    mote_release(mesh->context, mesh->vertices, n * sizeof *vertices);
    mesh->vertices = vertices;
    mesh->vertex_count = kept;
    mesh->triangles = triangles;
    mesh->triangle_count = left;
    return MOTE_OK;
}

mote_result mote_mesh_weld(mote_mesh *mesh, mote_error *error)
{
    if (!mote_mesh_is_sound(mesh)) return mote_fail_null(error, "mesh", "the mesh");
    const size_t n = mesh->vertex_count;
    if (n == 0) return MOTE_OK;
    mote_buffer memory = {0};
    mote_result result = mote_buffer_reserve(mesh->context, &memory, mote_bytes(n, 28), 0);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "mesh: welding it");
    uint64_t *keys = memory.data;  // n keys and room for as many
    uint32_t *order = (uint32_t *)(keys + 2 * n), *first = order + 2 * n;

    place_task task = {mesh, keys, order};
    mote_parallel_for(mesh->context, n, VERTICES_A_BLOCK, hash_places, &task);
    result = mote_sort_u64(mesh->context, keys, order, keys + n, order + n, n);
    if (result == MOTE_OK) {
        find_first_at_place(mesh, keys, order, first);
        result = join(mesh, first, order, false);
    }
    mote_buffer_release(mesh->context, &memory);
    return mote_pass_memory(error, result, "mesh: welding it");
}

mote_result mote_mesh_weld_within(mote_mesh *mesh, double tolerance, mote_error *error)
{
    if (!mote_mesh_is_sound(mesh)) return mote_fail_null(error, "mesh", "the mesh");
    if (!(tolerance >= 0) || isinf(tolerance))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "mesh: a tolerance of %g m to weld within, expected 0 or more",
                         tolerance);
    if (tolerance == 0) return mote_mesh_weld(mesh, error);
    const size_t n = mesh->vertex_count;
    if (n == 0) return MOTE_OK;
    size_t buckets = 1;
    while (buckets < n) buckets *= 2;
    mote_buffer memory = {0};
    mote_result result = mote_buffer_reserve(mesh->context, &memory, mote_bytes(2 * n + buckets, sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "mesh: welding it");
    uint32_t *first = memory.data;
    weld_grid grid = {mesh, tolerance, edge_share * tolerance, first + 2 * n, first + n, (uint32_t)(buckets - 1)};
    find_first_near(&grid, first);
    result = join(mesh, first, grid.next, true);
    mote_buffer_release(mesh->context, &memory);
    return mote_pass_memory(error, result, "mesh: welding it");
}
