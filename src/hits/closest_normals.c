// SPDX-License-Identifier: MIT
// Normals of faces, edges and vertices, such that the sign of (p − c)·n shows on which side of the surface p lies if
// c is its closest point. The normal of an edge is the sum of its triangles' unit normals; that of a vertex is their
// sum weighted by the angles at it (Bærentzen & Aanæs 2005).

#include "hits/closest_normals.h"

static mote_result allocate_all(const mote_mesh *mesh, mote_features *features)
{
    const size_t n = mesh->triangle_count, v = mesh->vertex_count;
    features->faces = mote_allocate(mesh->context, n * sizeof(mote_vec3));
    features->edge_of = mote_allocate(mesh->context, 3 * n * sizeof(uint32_t));
    features->vertices = mote_allocate(mesh->context, v * sizeof(mote_vec3));
    if ((n && (!features->faces || !features->edge_of)) || (v && !features->vertices)) return MOTE_ERROR_OUT_OF_MEMORY;
    return MOTE_OK;
}

// Numbers the edges, which are runs of equal keys.
static uint32_t number_edges(const mote_mesh *mesh, const mote_mesh_edges *edges, uint32_t *edge_of)
{
    // Triangles that use a vertex twice have no edges here, and no edge of theirs is ever asked for.
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i) edge_of[i] = UINT32_MAX;
    uint32_t count = 0;
    for (size_t i = 0; i < edges->count; ++i) {
        if (i > 0 && edges->keys[i] != edges->keys[i - 1]) ++count;
        edge_of[edges->numbers[i]] = count;
    }
    return edges->count ? count + 1 : 0;
}

static mote_result add_edge_normals(const mote_mesh *mesh, mote_features *features)
{
    mote_mesh_edges edges;
    mote_result result = mote_mesh_edges_build(mesh, &edges);
    if (result != MOTE_OK) return result;
    uint32_t count = number_edges(mesh, &edges, features->edge_of);
    features->edges = mote_allocate(mesh->context, count * sizeof(mote_vec3));
    if (features->edges || count == 0) {
        features->edge_count = count;
        for (size_t i = 0; i < count; ++i) features->edges[i] = mote_vec3_make(0, 0, 0);
        for (size_t i = 0; i < edges.count; ++i) {
            mote_vec3 *sum = &features->edges[features->edge_of[edges.numbers[i]]];
            *sum = mote_vec3_add(*sum, features->faces[edges.numbers[i] / 3]);
        }
    } else {
        result = MOTE_ERROR_OUT_OF_MEMORY;
    }
    mote_mesh_edges_release(mesh, &edges);
    return result;
}

mote_result mote_features_build(const mote_mesh *mesh, mote_features *features)
{
    mote_mesh_report report;
    mote_result result = mote_mesh_examine(mesh, &report, NULL);
    if (result == MOTE_OK) result = allocate_all(mesh, features);
    if (result != MOTE_OK) return result;
    features->closed = report.closed;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        features->faces[t] = mote_triangle_normal(mote_mesh_triangle(mesh, t));
    }
    mote_mesh_vertex_normals(mesh, features->vertices);
    return add_edge_normals(mesh, features);
}

void mote_features_release(const mote_mesh *mesh, mote_features *features)
{
    mote_release(mesh->context, features->faces, mesh->triangle_count * sizeof(mote_vec3));
    mote_release(mesh->context, features->edge_of, 3 * mesh->triangle_count * sizeof(uint32_t));
    mote_release(mesh->context, features->vertices, mesh->vertex_count * sizeof(mote_vec3));
    mote_release(mesh->context, features->edges, features->edge_count * sizeof(mote_vec3));
    *features = (mote_features){0};
}

// ------------------------------------------------------------------------------------------------------ signs

// Where faces lie back to back their normals cancel up to rounding. Then the result is 0.
static mote_vec3 pseudonormal(const mote_features *features, const uint32_t *triangles, uint32_t triangle,
                              const mote_foot *foot)
{
    const size_t corner = 3 * (size_t)triangle + (size_t)foot->number;
    mote_vec3 normal = features->faces[triangle];
    if (foot->feature == MOTE_FEATURE_EDGE) normal = features->edges[features->edge_of[corner]];
    if (foot->feature == MOTE_FEATURE_VERTEX) normal = features->vertices[triangles[corner]];
    return mote_vec3_dot(normal, normal) > 0x1p-80 ? normal : mote_vec3_make(0, 0, 0);
}

static bool is_zero(mote_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

void mote_features_fill_closest(const mote_features *features, const uint32_t *triangles, mote_vec3 point,
                                uint32_t triangle, const mote_foot *foot, double tiny, mote_closest *closest)
{
    mote_vec3 normal = pseudonormal(features, triangles, triangle, foot);
    mote_vec3 apart = mote_vec3_sub(point, foot->point);
    double distance = sqrt(foot->distance2), sign = mote_vec3_dot(apart, normal) < 0 ? -1 : 1;
    if (foot->feature == MOTE_FEATURE_FACE) sign = foot->side;
    closest->distance = sign * distance;
    closest->point = foot->point;
    bool clear = foot->feature != MOTE_FEATURE_FACE && distance > tiny;
    if (is_zero(normal)) normal = features->faces[triangle];
    closest->normal = mote_vec3_unit(clear ? mote_vec3_scale(apart, sign) : normal);
    closest->triangle = triangle;
    closest->mesh = 0;
    for (int k = 0; k < 3; ++k) closest->barycentric[k] = foot->barycentric[k];
    closest->feature = foot->feature;
}
