// SPDX-License-Identifier: MIT
// Meshes of simple shapes: boxes, balls, cylinders, and prisms over polygons and discs, which are bodies in 2D.
//
// What is round consists of flat faces whose corners lie outside of it by so much that its volume is right. Polygons,
// the faces of prisms, are cut into triangles by clipping ears (Meisters 1975), with exact signs.

#include "base/elementary.h"
#include "mesh/box.h"
#include "mesh/exact.h"
#include "mesh/internal.h"

#define PI 3.14159265358979323846

enum { LEAST_SIDES = 24, MOST_SIDES = 4096, X = 0, Z = 2 };

static const double ball_edge = 1.5;  // in spacings: longer than those of a ring, as its faces are many more

// A mesh that is being made, of counts known beforehand.
typedef struct draft {
    mote_vec3 *vertices;
    uint32_t *triangles, *left;  // left: corners of a polygon that are not yet cut off
    size_t vertex_count, triangle_count, bytes;
} draft;

static mote_result begin(mote_context *context, size_t vertices, size_t triangles, draft *made, mote_error *error)
{
    const size_t bytes = mote_bytes(vertices, sizeof(mote_vec3)) + mote_bytes(triangles, 3 * sizeof(uint32_t)) +
                         mote_bytes(vertices, sizeof(uint32_t));
    *made = (draft){.vertices = mote_allocate(context, bytes), .bytes = bytes};
    if (!made->vertices) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "shape: no memory for its mesh");
    made->triangles = (uint32_t *)(made->vertices + vertices);
    made->left = made->triangles + 3 * triangles;
    return MOTE_OK;
}

static mote_result finish(mote_context *context, draft *made, mote_mesh **mesh, mote_error *error)
{
    const mote_result result = mote_mesh_create(context, made->vertices, made->vertex_count, made->triangles,
                                                made->triangle_count, mesh, error);
    mote_release(context, made->vertices, made->bytes);
    return result;
}

static void add_triangle(draft *made, size_t a, size_t b, size_t c)
{
    uint32_t *to = made->triangles + 3 * made->triangle_count++;
    to[0] = (uint32_t)a, to[1] = (uint32_t)b, to[2] = (uint32_t)c;
}

// ----------------------------------------------------------------------------------------------- box and cylinder

static mote_result create_box(mote_context *context, mote_box box, mote_mesh **mesh, mote_error *error)
{
    mote_vec3 corners[MOTE_BOX_CORNERS];
    for (uint32_t k = 0; k < MOTE_BOX_CORNERS; ++k) corners[k] = mote_box_corner(box, k);
    return mote_mesh_create(context, corners, MOTE_BOX_CORNERS, mote_box_triangles[0], MOTE_BOX_TRIANGLES, mesh, error);
}

static size_t sides_of(double radius, double edge)
{
    const double sides = ceil(2 * PI * radius / edge);
    return sides > LEAST_SIDES ? (size_t)MOTE_MIN(sides, (double)MOST_SIDES) : LEAST_SIDES;
}

// The distance of the corners of a regular polygon from its middle if its area is that of a circle.
static double corner_radius(double radius, size_t sides)
{
    const double angle = 2 * PI / (double)sides;
    return radius * sqrt(angle / mote_sin(angle));
}

static mote_result create_cylinder(mote_context *context, const mote_shape *def, double spacing, mote_mesh **mesh,
                                   mote_error *error)
{
    const size_t sides = sides_of(def->radius, spacing), low = 2 * sides, high = low + 1;
    const double radius = corner_radius(def->radius, sides);
    const mote_vec3 axis = mote_vec3_unit(def->axis), half = mote_vec3_scale(axis, def->height / 2);
    const mote_vec3 other = fabs(axis.z) < 0.9 ? mote_vec3_make(0, 0, 1) : mote_vec3_make(1, 0, 0);
    const mote_vec3 u = mote_vec3_unit(mote_vec3_cross(other, axis)), v = mote_vec3_cross(axis, u);
    draft made;
    const mote_result result = begin(context, 2 * sides + 2, 4 * sides, &made, error);
    if (result != MOTE_OK) return result;
    for (size_t k = 0; k < sides; ++k) {
        const double angle = 2 * PI * (double)k / (double)sides;
        const mote_vec3 out =
            mote_vec3_add_scaled(mote_vec3_scale(u, radius * mote_cos(angle)), v, radius * mote_sin(angle));
        made.vertices[k] = mote_vec3_add(mote_vec3_sub(def->center, half), out);
        made.vertices[sides + k] = mote_vec3_add(mote_vec3_add(def->center, half), out);
        const size_t next = (k + 1) % sides;
        add_triangle(&made, k, next, sides + next);
        add_triangle(&made, k, sides + next, sides + k);
        add_triangle(&made, low, next, k);
        add_triangle(&made, high, sides + k, sides + next);
    }
    made.vertices[low] = mote_vec3_sub(def->center, half);
    made.vertices[high] = mote_vec3_add(def->center, half);
    made.vertex_count = 2 * sides + 2;
    return finish(context, &made, mesh, error);
}

// --------------------------------------------------------------------------------------------------------- prisms

static mote_vec3 corner_at(const mote_shape *def, size_t k)
{
    return mote_vec3_make(def->corners.xz[2 * k], 0, def->corners.xz[2 * k + 1]);
}

static bool is_between(mote_vec3 a, mote_vec3 b, mote_vec3 place)
{
    return place.x >= MOTE_MIN(a.x, b.x) && place.x <= MOTE_MAX(a.x, b.x) && place.z >= MOTE_MIN(a.z, b.z) &&
           place.z <= MOTE_MAX(a.z, b.z);
}

// Whether two edges have a point in common.
static bool edges_meet(mote_vec3 a, mote_vec3 b, mote_vec3 c, mote_vec3 d)
{
    const int side_c = mote_side_of_line(a, b, c, X, Z), side_d = mote_side_of_line(a, b, d, X, Z);
    const int side_a = mote_side_of_line(c, d, a, X, Z), side_b = mote_side_of_line(c, d, b, X, Z);
    if (side_c * side_d < 0 && side_a * side_b < 0) return true;
    return (side_c == 0 && is_between(a, b, c)) || (side_d == 0 && is_between(a, b, d)) ||
           (side_a == 0 && is_between(c, d, a)) || (side_b == 0 && is_between(c, d, b));
}

static mote_result check_corners(const mote_shape *def, mote_error *error)
{
    const size_t n = def->corners.count;
    if (!def->corners.xz || n < 3 || n > UINT32_MAX / 8)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, n, "corners: %zu of them, expected at least 3", n);
    for (size_t k = 0; k < 2 * n; ++k)
        if (!(fabs(def->corners.xz[k]) <= 1e6))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, k / 2,
                             "corners: number %zu is [%g, %g], expected numbers from -1000000 to 1000000", k / 2,
                             def->corners.xz[k & ~(size_t)1], def->corners.xz[k | 1]);
    for (size_t i = 0; i < n; ++i) {
        const mote_vec3 a = corner_at(def, i), b = corner_at(def, (i + 1) % n), c = corner_at(def, (i + 2) % n);
        if (mote_same_place(a, b))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, i,
                             "corners: numbers %zu and %zu are both [%g, %g], expected different ones", i, (i + 1) % n,
                             a.x, a.z);
        if (mote_side_of_line(a, b, c, X, Z) == 0 && mote_vec3_dot(mote_vec3_sub(b, a), mote_vec3_sub(c, b)) < 0)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, (i + 1) % n,
                             "corners: at number %zu, [%g, %g], the outline runs back along itself", (i + 1) % n, b.x,
                             b.z);
        for (size_t j = i + 2; j < n; ++j)
            if ((j + 1) % n != i && edges_meet(a, b, corner_at(def, j), corner_at(def, (j + 1) % n)))
                return mote_fail(error, MOTE_ERROR_ARGUMENT, i,
                                 "corners: the edges behind numbers %zu and %zu meet, expected an outline that does "
                                 "not cross or touch itself",
                                 i, j);
    }
    return MOTE_OK;
}

static double signed_area(const mote_shape *def)
{
    double sum = 0;
    const mote_vec3 first = corner_at(def, 0);
    for (size_t k = 1; k + 1 < def->corners.count; ++k) {
        const mote_vec3 a = mote_vec3_sub(corner_at(def, k), first), b = mote_vec3_sub(corner_at(def, k + 1), first);
        sum += (a.x * b.z - a.z * b.x) / 2;
    }
    return sum;
}

// Whether the corner in the middle of three can be cut off: the triangle is inside, and no other corner is in it.
static bool is_ear(const draft *made, size_t left, size_t at, bool may_be_flat)
{
    const mote_vec3 *v = made->vertices;
    const uint32_t ia = made->left[(at + left - 1) % left], ib = made->left[at], ic = made->left[(at + 1) % left];
    const mote_vec3 a = v[ia], b = v[ib], c = v[ic];
    const int turn = mote_side_of_line(a, b, c, X, Z);
    if (turn <= 0) return turn == 0 && may_be_flat;
    for (size_t k = 0; k < left; ++k) {
        const uint32_t i = made->left[k];
        if (i == ia || i == ib || i == ic) continue;
        if (mote_side_of_line(a, b, v[i], X, Z) >= 0 && mote_side_of_line(b, c, v[i], X, Z) >= 0 &&
            mote_side_of_line(c, a, v[i], X, Z) >= 0)
            return false;
    }
    return true;
}

// Covers the face in front, and the one behind it, whose corners follow.
static void cover_faces(draft *made, size_t n)
{
    for (size_t k = 0; k < n; ++k) made->left[k] = (uint32_t)k;
    for (size_t left = n; left > 2; --left) {
        size_t ear = 0;
        while (ear < left && !is_ear(made, left, ear, false)) ++ear;
        if (ear == left)
            for (ear = 0; ear + 1 < left && !is_ear(made, left, ear, true);) ++ear;
        const size_t a = made->left[(ear + left - 1) % left], b = made->left[ear], c = made->left[(ear + 1) % left];
        add_triangle(made, a, b, c);
        add_triangle(made, n + a, n + c, n + b);
        for (size_t k = ear; k + 1 < left; ++k) made->left[k] = made->left[k + 1];
    }
}

static mote_result create_prism(mote_context *context, const mote_shape *def, double depth, mote_mesh **mesh,
                                mote_error *error)
{
    const size_t n = def->corners.count;
    draft made;
    const mote_result result = begin(context, 2 * n, 4 * n, &made, error);
    if (result != MOTE_OK) return result;
    const bool runs_back = signed_area(def) < 0;
    for (size_t k = 0; k < n; ++k) {
        const mote_vec3 at = corner_at(def, runs_back ? n - 1 - k : k);
        made.vertices[k] = mote_vec3_make(at.x, -depth / 2, at.z);
        made.vertices[n + k] = mote_vec3_make(at.x, depth / 2, at.z);
    }
    made.vertex_count = 2 * n;
    for (size_t k = 0; k < n; ++k) {
        const size_t next = (k + 1) % n;
        add_triangle(&made, k, n + k, n + next);
        add_triangle(&made, k, n + next, next);
    }
    cover_faces(&made, n);
    return finish(context, &made, mesh, error);
}

static mote_result create_ball(mote_context *context, const mote_shape *def, double edge, mote_mesh **mesh,
                               mote_error *error)
{
    const mote_sphere ball = {{0, 0, 0}, def->radius};
    const mote_result result = mote_mesh_create_spheres(context, &ball, 1, edge, mesh, error);
    if (result != MOTE_OK) return result;
    const double volume = 4 * PI / 3 * def->radius * def->radius * def->radius;
    const mote_placement place = {.scale = mote_pow(volume / mote_mesh_volume(*mesh), 1.0 / 3),
                                  .translate = def->center};
    mote_mesh_place(*mesh, &place);
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------------------ all

// What a kind has, and in which dimensions it is there.
typedef struct shape_needs {
    const char *name;
    bool in_2d, in_3d, has_box, has_center, has_radius, has_height, has_corners;
} shape_needs;

static const shape_needs all_needs[] = {
    [MOTE_SOLID_OF_MESH] = {"mesh", .in_2d = true, .in_3d = true},
    [MOTE_SOLID_BOX] = {"box", .in_2d = true, .in_3d = true, .has_box = true},
    [MOTE_SOLID_BALL] = {"ball", .in_3d = true, .has_center = true, .has_radius = true},
    [MOTE_SOLID_CYLINDER] = {"cylinder", .in_3d = true, .has_center = true, .has_radius = true, .has_height = true},
    [MOTE_SOLID_POLYGON] = {"polygon", .in_2d = true, .has_corners = true},
    [MOTE_SOLID_DISC] = {"disc", .in_2d = true, .has_center = true, .has_radius = true},
};

// Whether all is set that a kind has, and nothing else.
static mote_result check_set(const mote_shape *def, const shape_needs *needs, mote_error *error)
{
    const bool is_cylinder = def->kind == MOTE_SOLID_CYLINDER, has_axis = !isnan(def->axis.x);
    const struct {
        const char *name;
        bool is_needed, is_set;
    } fields[] = {
        {"min", needs->has_box, !isnan(def->box.min.x)},
        {"max", needs->has_box, !isnan(def->box.max.x)},
        {"center", needs->has_center, !isnan(def->center.x)},
        {"radius", needs->has_radius, !isnan(def->radius)},
        {"axis", is_cylinder && has_axis, has_axis},
        {"height", needs->has_height, !isnan(def->height)},
        {"corners", needs->has_corners, def->corners.count > 0},
    };
    for (size_t k = 0; k < sizeof fields / sizeof *fields; ++k) {
        if (fields[k].is_set == fields[k].is_needed) continue;
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s: %s \"%s\"", fields[k].name,
                         fields[k].is_set ? "set, expected none with shape" : "not set, expected that of shape",
                         needs->name);
    }
    return MOTE_OK;
}

static mote_result check_sizes(const mote_shape *def, const shape_needs *needs, int dimensions, mote_error *error)
{
    const mote_vec3 low = def->box.min, high = def->box.max, axis = def->axis;
    if (needs->has_box && !(high.x > low.x && high.z > low.z && (high.y > low.y || dimensions == 2)))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "max: [%g, %g, %g], expected more than min along each axis",
                         high.x, high.y, high.z);
    if (needs->has_radius && !(def->radius > 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "radius: %g, expected a number above 0", def->radius);
    if (needs->has_height && !(def->height > 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "height: %g, expected a number above 0", def->height);
    if (axis.x == 0 && axis.y == 0 && axis.z == 0)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "axis: [0, 0, 0], expected a direction");
    return MOTE_OK;
}

mote_result mote_mesh_check_shape(const mote_shape *shape, int dimensions, mote_error *error)
{
    if (!shape) return mote_fail_null(error, "shape", "it");
    if (shape->kind < 0 || (size_t)shape->kind >= sizeof all_needs / sizeof *all_needs)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "shape: %d, expected one of mote_shape_kind", shape->kind);
    const shape_needs *needs = &all_needs[shape->kind];
    mote_result result = check_set(shape, needs, error);
    if (result == MOTE_OK && !(dimensions == 2 ? needs->in_2d : needs->in_3d))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "shape: \"%s\", expected %s", needs->name,
                         dimensions == 2 ? "\"box\", \"disc\" or \"polygon\" in 2D"
                                         : "\"box\", \"ball\", \"cylinder\" or a mesh in 3D");
    if (result == MOTE_OK) result = check_sizes(shape, needs, dimensions, error);
    if (result == MOTE_OK && needs->has_corners) result = check_corners(shape, error);
    return result;
}

mote_result mote_mesh_create_shape(mote_context *context, const mote_shape *shape, int dimensions, double spacing,
                                   mote_mesh **mesh, mote_error *error)
{
    if (!mesh) return mote_fail_null(error, "shape", "the mesh");
    const mote_result result = mote_mesh_check_shape(shape, dimensions, error);
    if (result != MOTE_OK) return result;
    if (!(spacing > 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "spacing: %g, expected a number above 0", spacing);
    mote_shape def = *shape;
    if (isnan(def.axis.x)) def.axis = mote_vec3_make(0, 0, 1);
    if (dimensions == 2) {
        def.box.min.y = -spacing / 2, def.box.max.y = spacing / 2;
        def.axis = mote_vec3_make(0, 1, 0), def.height = spacing, def.center.y = 0;
    }
    switch ((mote_shape_kind)def.kind) {
    case MOTE_SOLID_BOX: return create_box(context, def.box, mesh, error);
    case MOTE_SOLID_BALL: return create_ball(context, &def, ball_edge * spacing, mesh, error);
    case MOTE_SOLID_CYLINDER:
    case MOTE_SOLID_DISC: return create_cylinder(context, &def, spacing, mesh, error);
    case MOTE_SOLID_POLYGON: return create_prism(context, &def, spacing, mesh, error);
    case MOTE_SOLID_OF_MESH: break;
    }
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "shape: none, expected one of which a mesh can be made");
}
