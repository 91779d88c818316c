// SPDX-License-Identifier: MIT
// Cavities of solids: parts of a mesh that enclose a volume from inside, so that the mesh's normals point into it.
// Fluid in a cavity is sealed in. No test of what is inside a body notices, as a cavity is outside of it.

#include <string.h>

#include "base/union_find.h"
#include "base/vector.h"
#include "simulation/internal.h"

// The parts of a mesh that hang together. A part's root is its smallest vertex.
typedef struct mesh_parts {
    mote_context *context;
    const mote_mesh *mesh;
    uint32_t *roots;  // of each vertex
    double *volumes;  // of the part with this root: six times that
    uint32_t *triangles;  // room for those of a part: 3 · triangle_count
    void *memory;
    size_t bytes;
} mesh_parts;

static mote_result find_parts(mesh_parts *parts)
{
    const mote_mesh *mesh = parts->mesh;
    const size_t n = mesh->vertex_count, corners = 3 * mesh->triangle_count;
    parts->bytes = mote_bytes(n, sizeof(double) + sizeof(uint32_t)) + mote_bytes(corners, sizeof(uint32_t));
    parts->memory = mote_allocate(parts->context, parts->bytes);
    if (!parts->memory) return MOTE_ERROR_OUT_OF_MEMORY;
    parts->volumes = parts->memory;
    parts->roots = (uint32_t *)(parts->volumes + n);
    parts->triangles = parts->roots + n;
    for (size_t i = 0; i < n; ++i) parts->volumes[i] = 0, parts->roots[i] = (uint32_t)i;
    for (size_t t = 0; t < corners; t += 3) {
        mote_unite(parts->roots, mesh->triangles[t], mesh->triangles[t + 1]);
        mote_unite(parts->roots, mesh->triangles[t], mesh->triangles[t + 2]);
    }
    for (size_t i = 0; i < n; ++i) parts->roots[i] = mote_find_root(parts->roots, (uint32_t)i);
    for (size_t t = 0; t < corners; t += 3) {
        const uint32_t root = parts->roots[mesh->triangles[t]];
        const mote_vec3 origin = mesh->vertices[root];  // near the part, so that little cancels
        mote_vec3 to[3];
        for (size_t k = 0; k < 3; ++k) to[k] = mote_vec3_sub(mesh->vertices[mesh->triangles[t + k]], origin);
        parts->volumes[root] += mote_vec3_dot(to[0], mote_vec3_cross(to[1], to[2]));
    }
    return MOTE_OK;
}

// Makes hits of a part, turned inside out.
static mote_result make_hits(const mesh_parts *parts, uint32_t root, mote_box *box, mote_hits **hits)
{
    const mote_mesh *mesh = parts->mesh;
    size_t count = 0;
    *box = mote_box_empty();
    for (size_t t = 0; t < 3 * mesh->triangle_count; t += 3) {
        const uint32_t *corners = mesh->triangles + t;
        if (parts->roots[corners[0]] != root) continue;
        for (int k = 2; k >= 0; --k) {
            *box = mote_box_add_point(*box, mesh->vertices[corners[k]]);
            parts->triangles[count++] = corners[k];
        }
    }
    mote_mesh *cavity = NULL;
    mote_result result = mote_mesh_create(parts->context, mesh->vertices, mesh->vertex_count, parts->triangles,
                                          count / 3, &cavity, NULL);
    if (result == MOTE_OK) result = mote_hits_create(parts->context, NULL, cavity, hits, NULL);
    if (result == MOTE_OK) result = mote_hits_prepare_closest(*hits, NULL);
    mote_mesh_destroy(cavity);
    return result;
}

mote_result mote_solid_count_sealed(mote_context *context, const mote_mesh *mesh, const rigid_pose *pose,
                                    const mote_fluid_view *view, size_t *sealed)
{
    mesh_parts parts = {.context = context, .mesh = mesh};
    mote_result result = mesh->vertex_count ? find_parts(&parts) : MOTE_OK;
    *sealed = 0;
    for (size_t root = 0; root < mesh->vertex_count && result == MOTE_OK; ++root) {
        if (!(parts.volumes[root] < 0)) continue;
        mote_hits *hits = NULL;
        mote_box box;
        result = make_hits(&parts, (uint32_t)root, &box, &hits);
        for (size_t i = 0; i < view->count && result == MOTE_OK; ++i) {
            mote_vec3 place = mote_vec3_make(view->x[i], view->y[i], view->z[i]);
            if (pose) place = mote_rigid_to_home(pose, place);
            bool is_inside = false;
            if (mote_box_contains(box, place)) result = mote_hits_is_inside(hits, place, &is_inside, NULL);
            *sealed += is_inside;
        }
        mote_hits_destroy(hits);
    }
    mote_release(context, parts.memory, parts.bytes);
    return result;
}
