// SPDX-License-Identifier: MIT
// Cuts a mesh by a plane: the part above it is removed, and triangles across it are clipped (Sutherland & Hodgman
// 1974).
//
// The point where an edge meets the plane is computed from its lower vertex to its higher one, so that both adjacent
// triangles get the same bits, and welding joins them again.

#include <string.h>

#include "mesh/internal.h"

typedef struct cut {
    const mote_mesh *mesh;
    double *heights;  // of the vertices above the plane; above 0: cut off
    mote_vec3 *vertices;
    uint32_t *triangles;
    size_t vertex_count, triangle_count;
} cut;

// The vertex where the edge between two vertices on different sides meets the plane.
static uint32_t add_crossing(cut *self, uint32_t a, uint32_t b)
{
    const uint32_t low = MOTE_MIN(a, b), high = MOTE_MAX(a, b);
    const mote_vec3 from = self->mesh->vertices[low], to = self->mesh->vertices[high];
    const double share = self->heights[low] / (self->heights[low] - self->heights[high]);
    self->vertices[self->vertex_count] = mote_vec3_add_scaled(from, mote_vec3_sub(to, from), share);
    return (uint32_t)self->vertex_count++;
}

static void clip(cut *self, const uint32_t *corner)
{
    uint32_t kept[4], count = 0;
    for (int k = 0; k < 3; ++k) {
        const uint32_t a = corner[k], b = corner[(k + 1) % 3];
        const bool stays = self->heights[a] <= 0, next_stays = self->heights[b] <= 0;
        if (stays) kept[count++] = a;
        if (stays != next_stays) kept[count++] = add_crossing(self, a, b);
    }
    for (uint32_t k = 2; k < count; ++k) {
        uint32_t *to = self->triangles + 3 * self->triangle_count++;
        to[0] = kept[0], to[1] = kept[k - 1], to[2] = kept[k];
    }
}

mote_result mote_mesh_cut(mote_mesh *mesh, mote_vec3 point, mote_vec3 normal, mote_error *error)
{
    if (!mote_mesh_is_sound(mesh)) return mote_fail_null(error, "mesh", "the mesh");
    const double length = mote_vec3_length(normal);
    if (!(length > 0) || !(length - length == 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "mesh: a normal of length %g to cut by, expected one above 0",
                         length);
    const size_t n = mesh->vertex_count, t = mesh->triangle_count, most = n + 2 * t;
    const size_t heights = mote_bytes(n, sizeof(double)), vertices = mote_bytes(most, sizeof(mote_vec3));
    const size_t triangles = mote_bytes(2 * t, 3 * sizeof(uint32_t));
    if (most > UINT32_MAX || vertices > SIZE_MAX / 4 || triangles > SIZE_MAX / 4)
        return mote_pass_memory(error, MOTE_ERROR_OUT_OF_MEMORY, "mesh: cutting it");
    mote_buffer memory = {0};
    mote_result result = mote_buffer_reserve(mesh->context, &memory, vertices + heights + triangles, 0);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "mesh: cutting it");
    cut self = {.mesh = mesh, .vertices = memory.data, .vertex_count = n};
    self.heights = (double *)(void *)(self.vertices + most);
    self.triangles = (uint32_t *)(void *)(self.heights + n);
    if (n) memcpy(self.vertices, mesh->vertices, n * sizeof *mesh->vertices);
    for (size_t k = 0; k < n; ++k) self.heights[k] = mote_vec3_dot(mote_vec3_sub(mesh->vertices[k], point), normal);
    for (size_t k = 0; k < t; ++k) clip(&self, mesh->triangles + 3 * k);

    mote_mesh *made;
    result = mote_mesh_create(mesh->context, self.vertices, self.vertex_count, self.triangles, self.triangle_count,
                              &made, error);
    mote_buffer_release(mesh->context, &memory);
    if (result != MOTE_OK) return result;
    result = mote_mesh_weld(made, error);
    if (result == MOTE_OK) {
        const mote_mesh old = *mesh;
        *mesh = *made;
        *made = old;
    }
    mote_mesh_destroy(made);
    return result;
}
