// SPDX-License-Identifier: MIT
// Solids in 2D: prisms along y, cut by the plane y = 0.
//
// Hits and closest points are those of a prism so deep that its faces in front and behind are out of reach. Wall
// particles of bodies that are too thin for layers are spread along the outline.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "simulation/internal.h"

static const double slack = 1e-9;  // of the depth: rotations round
static const double depths = 4;    // of the deep prism, in its extents in the plane

bool mote_solid_is_flat(const mote_mesh *mesh)
{
    const double depth = mesh->vertex_count ? fabs(mesh->vertices[0].y) : 0;
    for (size_t k = 0; k < mesh->vertex_count; ++k)
        if (!(fabs(fabs(mesh->vertices[k].y) - depth) <= slack * depth)) return false;
    return depth > 0;
}

mote_result mote_solid_deepen(mote_context *context, const mote_mesh *mesh, double reach, mote_mesh **deep,
                              mote_error *error)
{
    const mote_box box = mote_mesh_box(mesh);
    const double depth = depths * (box.max.x - box.min.x + box.max.z - box.min.z + reach);
    const mote_result result = mote_mesh_create(context, mesh->vertices, mesh->vertex_count, mesh->triangles,
                                                mesh->triangle_count, deep, error);
    for (size_t k = 0; result == MOTE_OK && k < mesh->vertex_count; ++k)
        (*deep)->vertices[k].y = mesh->vertices[k].y > 0 ? depth : -depth;
    return result;
}

// Where a triangle crosses the plane, from one point to the other with the inside on the left. False: nowhere.
static bool cross_plane(const mote_mesh *mesh, size_t t, mote_vec3 ends[2])
{
    int count = 0;
    for (int k = 0; k < 3; ++k) {
        const mote_vec3 a = mesh->vertices[mesh->triangles[3 * t + (size_t)k]];
        const mote_vec3 b = mesh->vertices[mesh->triangles[3 * t + (size_t)(k + 1) % 3]];
        if ((a.y > 0) == (b.y > 0)) continue;
        const mote_vec3 middle = mote_vec3_scale(mote_vec3_add(a, b), 0.5);  // as both are equally far from it
        ends[a.y > 0] = mote_vec3_make(middle.x, 0, middle.z);
        ++count;
    }
    return count == 2;
}

double mote_solid_outline_length(const mote_mesh *mesh)
{
    double length = 0;
    mote_vec3 ends[2];
    for (size_t t = 0; t < mesh->triangle_count; ++t)
        if (cross_plane(mesh, t, ends)) length += mote_vec3_length(mote_vec3_sub(ends[1], ends[0]));
    return length;
}

mote_result mote_solid_sample_outline(mote_context *context, const mote_mesh *mesh, double spacing,
                                      mote_buffer *positions, size_t *count)
{
    const double length = mote_solid_outline_length(mesh), wanted = MOTE_MAX(floor(length / spacing + 0.5), 1.0);
    *count = 0;
    if (wanted >= 4294967295.0) return MOTE_ERROR_ARGUMENT;
    const double step = length / wanted;
    const mote_result result =
        mote_buffer_reserve(context, positions, mote_bytes((size_t)wanted + 1, 3 * sizeof(double)), 0);
    if (result != MOTE_OK) return result;
    double *to = positions->data, next = step / 2;  // from the beginning of a segment to the next sample
    mote_vec3 ends[2];
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        if (!cross_plane(mesh, t, ends)) continue;
        const mote_vec3 along = mote_vec3_sub(ends[1], ends[0]);
        const double own = mote_vec3_length(along);
        for (; next < own && *count <= (size_t)wanted; next += step) {
            const mote_vec3 at = mote_vec3_add_scaled(ends[0], along, next / own);
            double *place = to + 3 * (*count)++;
            place[0] = at.x, place[1] = 0, place[2] = at.z;
        }
        next -= own;
    }
    return MOTE_OK;
}
