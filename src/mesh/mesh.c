// SPDX-License-Identifier: MIT
// Triangle meshes: creation from arrays, placement, and measures.

#include <string.h>

#include "base/elementary.h"
#include "base/twice.h"
#include "mesh/internal.h"

#define PI 3.14159265358979323846

// Edges are numbered with 32 bits, and each triangle has three.
#define MAX_TRIANGLES (UINT32_MAX / 3)

mote_result mote_mesh_check_triangles(const uint32_t *triangles, size_t triangle_count, size_t vertex_count,
                                      mote_error *error)
{
    for (size_t i = 0; i < 3 * triangle_count; ++i)
        if (triangles[i] >= vertex_count)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, i / 3, "mesh: triangle %zu has vertex %u, expected below %zu",
                             i / 3, triangles[i], vertex_count);
    return MOTE_OK;
}

static mote_result check_arrays(const mote_vec3 *vertices, size_t vertex_count, const uint32_t *triangles,
                                size_t triangle_count, mote_error *error)
{
    if (vertex_count >= UINT32_MAX)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "mesh: %zu vertices, expected at most 2^32 - 2", vertex_count);
    if (triangle_count > MAX_TRIANGLES)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "mesh: %zu triangles, expected at most %u", triangle_count,
                         MAX_TRIANGLES);
    if ((vertex_count && !vertices) || (triangle_count && !triangles))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "mesh: an array is NULL");
    for (size_t i = 0; i < vertex_count; ++i)
        if (!isfinite(vertices[i].x) || !isfinite(vertices[i].y) || !isfinite(vertices[i].z))
            return mote_fail(error, MOTE_ERROR_NOT_FINITE, i,
                             "mesh: vertex %zu is (%g, %g, %g), expected finite numbers", i, vertices[i].x,
                             vertices[i].y, vertices[i].z);
    return mote_mesh_check_triangles(triangles, triangle_count, vertex_count, error);
}

mote_result mote_mesh_create(mote_context *context, const mote_vec3 *vertices, size_t vertex_count,
                             const uint32_t *triangles, size_t triangle_count, mote_mesh **mesh, mote_error *error)
{
    if (!mesh) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "mesh: nowhere to put it");
    mote_result result = check_arrays(vertices, vertex_count, triangles, triangle_count, error);
    if (result != MOTE_OK) return result;

    size_t vertex_bytes = mote_bytes(vertex_count, sizeof(mote_vec3));
    size_t triangle_bytes = mote_bytes(triangle_count, 3 * sizeof(uint32_t));
    mote_mesh *made = mote_allocate(context, sizeof *made);
    if (made) {
        *made = (mote_mesh){mote_allocate(context, vertex_bytes), mote_allocate(context, triangle_bytes), vertex_count,
                            triangle_count, context};
    }
    if (!made || (!made->vertices && vertex_bytes) || (!made->triangles && triangle_bytes)) {
        mote_mesh_destroy(made);
        return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "mesh: no memory for %zu vertices and %zu triangles",
                         vertex_count, triangle_count);
    }
    if (vertex_bytes) memcpy(made->vertices, vertices, vertex_bytes);
    if (triangle_bytes) memcpy(made->triangles, triangles, triangle_bytes);
    *mesh = made;
    return MOTE_OK;
}

void mote_mesh_destroy(mote_mesh *mesh)
{
    if (!mesh) return;
    mote_context *context = mesh->context;
    mote_release(context, mesh->vertices, mesh->vertex_count * sizeof(mote_vec3));
    mote_release(context, mesh->triangles, mesh->triangle_count * 3 * sizeof(uint32_t));
    mote_release(context, mesh, sizeof *mesh);
}

// --------------------------------------------------------------------------------------------------- placement

// Sine and cosine, exact at the multiples of 90 degrees.
static void sine_cosine(double degrees, double *sine, double *cosine)
{
    double turn = fmod(degrees, 360);
    if (turn < 0) turn += 360;
    if (fmod(turn, 90) == 0) {
        static const double sines[] = {0, 1, 0, -1, 0, 1};
        int quarter = (int)(turn / 90);
        *sine = sines[quarter];
        *cosine = sines[quarter + 1];
        return;
    }
    *sine = mote_sin(turn * (PI / 180));
    *cosine = mote_cos(turn * (PI / 180));
}

void mote_mesh_place(mote_mesh *mesh, const mote_placement *placement)
{
    if (!mesh || !placement) return;
    double sx, cx, sy, cy, sz, cz;
    sine_cosine(placement->rotate.x, &sx, &cx);
    sine_cosine(placement->rotate.y, &sy, &cy);
    sine_cosine(placement->rotate.z, &sz, &cz);
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        mote_vec3 p = mote_vec3_scale(mesh->vertices[i], placement->scale);
        p = mote_vec3_make(p.x, cx * p.y - sx * p.z, sx * p.y + cx * p.z);
        p = mote_vec3_make(cy * p.x + sy * p.z, p.y, cy * p.z - sy * p.x);
        p = mote_vec3_make(cz * p.x - sz * p.y, sz * p.x + cz * p.y, p.z);
        mesh->vertices[i] = mote_vec3_add(p, placement->translate);
    }
}

// ---------------------------------------------------------------------------------------------------- measures

double mote_triangle_longest2(mote_triangle triangle)
{
    mote_vec3 ab = mote_vec3_sub(triangle.b, triangle.a), bc = mote_vec3_sub(triangle.c, triangle.b),
              ca = mote_vec3_sub(triangle.a, triangle.c);
    double longest = MOTE_MAX(mote_vec3_dot(ab, ab), mote_vec3_dot(bc, bc));
    return MOTE_MAX(longest, mote_vec3_dot(ca, ca));
}

static mote_vec3 precise_cross(mote_triangle triangle)
{
    const mote_twice_vec3 precise =
        mote_twice_cross(mote_twice_apart(triangle.b, triangle.a), mote_twice_apart(triangle.c, triangle.a));
    return mote_vec3_make(precise.x.high, precise.y.high, precise.z.high);
}

// |cross| = height · longest edge.
bool mote_triangle_is_flat(mote_triangle triangle)
{
    return !(mote_vec3_length(mote_triangle_cross(triangle)) > 0x1p-36 * mote_triangle_longest2(triangle));
}

// Of three points on a line, rounding in twice the precision leaves 2^-100.
bool mote_triangle_is_degenerate(mote_triangle triangle)
{
    if (!mote_triangle_is_flat(triangle)) return false;
    return !(mote_vec3_length(precise_cross(triangle)) > 0x1p-90 * mote_triangle_longest2(triangle));
}

mote_vec3 mote_triangle_normal(mote_triangle triangle)
{
    const mote_vec3 ab = mote_vec3_sub(triangle.b, triangle.a), ac = mote_vec3_sub(triangle.c, triangle.a);
    mote_vec3 cross = mote_vec3_cross(ab, ac);
    if (mote_triangle_is_degenerate(triangle)) return mote_vec3_make(0, 0, 0);
    if (mote_vec3_dot(cross, cross) < 0x1p-20 * (mote_vec3_dot(ab, ab) * mote_vec3_dot(ac, ac)))
        cross = precise_cross(triangle);
    return mote_vec3_unit(cross);
}

static double angle_between(mote_vec3 u, mote_vec3 v)
{
    return mote_atan2(mote_vec3_length(mote_vec3_cross(u, v)), mote_vec3_dot(u, v));
}

void mote_triangle_angles(mote_triangle triangle, double angles[3])
{
    mote_vec3 ab = mote_vec3_sub(triangle.b, triangle.a), bc = mote_vec3_sub(triangle.c, triangle.b),
              ca = mote_vec3_sub(triangle.a, triangle.c);
    angles[0] = angle_between(ab, mote_vec3_scale(ca, -1));
    angles[1] = angle_between(bc, mote_vec3_scale(ab, -1));
    angles[2] = angle_between(ca, mote_vec3_scale(bc, -1));
}

size_t mote_mesh_byte_count(const mote_mesh *mesh)
{
    if (!mesh) return 0;
    return sizeof *mesh + mesh->vertex_count * sizeof *mesh->vertices +
           mesh->triangle_count * 3 * sizeof *mesh->triangles;
}

mote_box mote_mesh_box(const mote_mesh *mesh)
{
    if (!mesh) return (mote_box){0};
    mote_box box = mote_box_empty();
    for (size_t i = 0; i < mesh->vertex_count; ++i) box = mote_box_add_point(box, mesh->vertices[i]);
    return box;
}

double mote_mesh_area(const mote_mesh *mesh)
{
    if (!mesh) return 0;
    double twice = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t)
        twice += mote_vec3_length(mote_triangle_cross(mote_mesh_triangle(mesh, t)));
    return twice / 2;
}

double mote_mesh_volume(const mote_mesh *mesh)
{
    if (!mesh) return 0;
    if (mesh->vertex_count == 0) return 0;
    mote_vec3 origin = mesh->vertices[0];  // near the mesh, so that little cancels
    double sixfold = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        mote_triangle triangle = mote_mesh_triangle(mesh, t);
        mote_vec3 a = mote_vec3_sub(triangle.a, origin), b = mote_vec3_sub(triangle.b, origin),
                  c = mote_vec3_sub(triangle.c, origin);
        sixfold += mote_vec3_dot(a, mote_vec3_cross(b, c));
    }
    return sixfold / 6;
}

void mote_mesh_vertex_normals(const mote_mesh *mesh, mote_vec3 *normals)
{
    if (!mesh || !normals) return;
    for (size_t i = 0; i < mesh->vertex_count; ++i) normals[i] = mote_vec3_make(0, 0, 0);
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        mote_triangle triangle = mote_mesh_triangle(mesh, t);
        if (mote_triangle_is_degenerate(triangle)) continue;
        mote_vec3 normal = mote_triangle_normal(triangle);
        double angles[3];
        mote_triangle_angles(triangle, angles);
        for (int k = 0; k < 3; ++k) {
            mote_vec3 *sum = &normals[mesh->triangles[3 * t + (size_t)k]];
            *sum = mote_vec3_add_scaled(*sum, normal, angles[k]);
        }
    }
    for (size_t i = 0; i < mesh->vertex_count; ++i) normals[i] = mote_vec3_unit(normals[i]);
}
