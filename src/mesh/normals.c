// SPDX-License-Identifier: MIT
// Normals by crease angle, for pictures: finds the corners of triangles that share a normal, and splits vertices
// whose corners do not.
//
// Two triangles with a common edge are joined there if their normals are at most the crease angle apart, and so are
// their corners at both ends of the edge. Corners that are joined, directly or through others around the vertex, get
// one normal: the mean of their triangles' normals, weighted by angle (Thürmer & Wüthrich 1998). Joining goes along
// edges, so that 100,000 triangles around a vertex cost no more than 100,000 elsewhere.
//
// Many small turns may add up to a large one, for example around the tip of a cone: a corner whose mean is farther
// than the crease angle from its own triangle's normal keeps the latter. So no normal that is drawn is farther off.
//
// A triangle without area has no normal: it takes a neighbour's, so that the surface continues across it, and adds
// nothing to the mean.

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/union_find.h"
#include "mesh/internal.h"

#define PI 3.14159265358979323846

// Each triangle of an edge is compared with at most this many others, all unlike each other: a surface has two.
enum { MOST_SIDES = 8 };

static const double rounding = 1e-12;  // of a cosine, so that triangles in one plane are joined at a crease angle of 0

typedef struct splitter {
    const mote_mesh *mesh;
    double cosine;
    mote_vec3 *faces;   // unit normals of the triangles; 0: none
    uint32_t *corners;  // an earlier corner that it is joined to, or itself; later the number of its vertex
} splitter;

static bool is_none(mote_vec3 normal)
{
    return normal.x == 0 && normal.y == 0 && normal.z == 0;
}

// The normal; 0 for a triangle without area, or one so small or large that its area is not a number.
static mote_vec3 face_normal(const mote_mesh *mesh, size_t t)
{
    const mote_triangle triangle = mote_mesh_triangle(mesh, t);
    const mote_vec3 cross = mote_triangle_cross(triangle);
    if (mote_triangle_is_flat(triangle) || !isnormal(mote_vec3_dot(cross, cross))) return mote_vec3_make(0, 0, 0);
    return mote_vec3_unit(cross);
}

static bool is_near(const splitter *self, mote_vec3 a, mote_vec3 b)
{
    return mote_vec3_dot(a, b) >= self->cosine;
}

// ----------------------------------------------------------------------------------------------------- the edges

// Edge 3t + k runs from corner 3t + k to the next of its triangle.
static uint32_t corner_at(const splitter *self, uint32_t edge, bool lower)
{
    const uint32_t k = edge % 3;
    return mote_mesh_edge_is_ascending(self->mesh, edge) == lower ? edge : edge - k + (k + 1) % 3;
}

// Joins triangles that share an edge; `edges` holds the edge's numbers.
static void join_at_edge(const splitter *self, const uint32_t *edges, size_t count)
{
    uint32_t sides[MOST_SIDES];
    size_t side_count = 0;
    for (size_t i = 0; i < count; ++i) {
        const mote_vec3 normal = self->faces[edges[i] / 3];
        if (is_none(normal)) continue;
        size_t s = 0;
        while (s < side_count && !is_near(self, normal, self->faces[sides[s] / 3])) ++s;
        if (s < side_count)
            for (int lower = 0; lower < 2; ++lower)
                mote_unite(self->corners, corner_at(self, sides[s], lower), corner_at(self, edges[i], lower));
        else if (side_count < MOST_SIDES) sides[side_count++] = edges[i];
    }
}

// Gives triangles without a normal that of the first one with the same edge.
static void lend_at_edge(const splitter *self, const uint32_t *edges, size_t count)
{
    size_t lender = 0;
    while (lender < count && is_none(self->faces[edges[lender] / 3])) ++lender;
    if (lender == count) return;
    for (size_t i = 0; i < count; ++i)
        if (is_none(self->faces[edges[i] / 3])) self->faces[edges[i] / 3] = self->faces[edges[lender] / 3];
}

static void for_each_edge(const splitter *self, const mote_mesh_edges *edges,
                          void visit(const splitter *, const uint32_t *, size_t))
{
    for (size_t first = 0, end; first < edges->count; first = end) {
        for (end = first + 1; end < edges->count && edges->keys[end] == edges->keys[first]; ++end) {}
        visit(self, edges->numbers + first, end - first);
    }
}

static mote_result join_all(const splitter *self)
{
    mote_mesh_edges edges;
    bool lacks_normals = false;
    for (size_t t = 0; t < self->mesh->triangle_count; ++t) {
        self->faces[t] = face_normal(self->mesh, t);
        lacks_normals = lacks_normals || is_none(self->faces[t]);
        for (size_t c = 3 * t; c < 3 * t + 3; ++c) self->corners[c] = (uint32_t)c;
    }
    mote_result result = mote_mesh_edges_build(self->mesh, &edges);
    if (result == MOTE_OK && lacks_normals) for_each_edge(self, &edges, lend_at_edge);
    if (result == MOTE_OK) for_each_edge(self, &edges, join_at_edge);
    mote_mesh_edges_release(self->mesh, &edges);
    return result;
}

// ------------------------------------------------------------------------------------------------ the vertices

// Makes room for exactly `count` vertices, of which `held` already exist.
static mote_result grow(const splitter *self, mote_mesh_normals *split, size_t held, size_t count)
{
    const mote_context *context = self->mesh->context;
    const size_t normal_bytes = mote_bytes(count, sizeof(mote_vec3));
    const size_t origin_bytes = mote_bytes(count, sizeof(uint32_t));
    mote_vec3 *normals = mote_allocate(context, normal_bytes);
    uint32_t *origins = mote_allocate(context, origin_bytes);
    if (count && (!normals || !origins)) {
        mote_release(context, normals, normal_bytes);
        mote_release(context, origins, origin_bytes);
        return MOTE_ERROR_OUT_OF_MEMORY;
    }
    if (held) {
        memcpy(normals, split->normals, held * sizeof *normals);
        memcpy(origins, split->origins, held * sizeof *origins);
    }
    mote_release(context, split->normals, held * sizeof *normals);
    mote_release(context, split->origins, held * sizeof *origins);
    split->normals = normals;
    split->origins = origins;
    return MOTE_OK;
}

// Makes one vertex for all corners that are joined; the links of corners to earlier ones are replaced by its number.
static mote_result number_vertices(const splitter *self, mote_mesh_normals *split)
{
    const size_t corner_count = 3 * self->mesh->triangle_count;
    size_t count = 0;
    for (size_t c = 0; c < corner_count; ++c) count += self->corners[c] == c;
    mote_result result = grow(self, split, 0, count);
    if (result != MOTE_OK) return result;
    for (size_t c = 0; c < corner_count; ++c) {
        const bool is_first = self->corners[c] == c;
        if (is_first) split->origins[split->count] = self->mesh->triangles[c];
        self->corners[c] = is_first ? (uint32_t)split->count++ : self->corners[self->corners[c]];
    }
    return MOTE_OK;
}

static void average_normals(const splitter *self, mote_mesh_normals *split)
{
    for (size_t v = 0; v < split->count; ++v) split->normals[v] = mote_vec3_make(0, 0, 0);
    for (size_t t = 0; t < self->mesh->triangle_count; ++t) {
        const mote_vec3 normal = face_normal(self->mesh, t);  // not one taken from a neighbour
        if (is_none(normal)) continue;
        double angles[3];
        mote_triangle_angles(mote_mesh_triangle(self->mesh, t), angles);
        for (size_t k = 0; k < 3; ++k) {
            mote_vec3 *sum = &split->normals[self->corners[3 * t + k]];
            *sum = mote_vec3_add_scaled(*sum, normal, angles[k]);
        }
    }
    for (size_t v = 0; v < split->count; ++v) split->normals[v] = mote_vec3_unit(split->normals[v]);
}

static bool is_too_far(const splitter *self, const mote_mesh_normals *split, size_t corner)
{
    const mote_vec3 own = self->faces[corner / 3];
    return !is_none(own) && !is_near(self, split->normals[self->corners[corner]], own);
}

// Gives corners that are too far from their mean a vertex of their own.
static mote_result split_far_corners(const splitter *self, mote_mesh_normals *split)
{
    const size_t corner_count = 3 * self->mesh->triangle_count;
    size_t far = 0;
    for (size_t c = 0; c < corner_count; ++c) far += is_too_far(self, split, c);
    mote_result result = far ? grow(self, split, split->count, split->count + far) : MOTE_OK;
    for (size_t c = 0; far && result == MOTE_OK && c < corner_count; ++c) {
        if (!is_too_far(self, split, c)) continue;
        split->normals[split->count] = self->faces[c / 3];
        split->origins[split->count] = self->mesh->triangles[c];
        self->corners[c] = (uint32_t)split->count++;
    }
    return result;
}

static mote_result split_edges(const splitter *self, mote_mesh_normals *split)
{
    mote_result result = join_all(self);
    if (result == MOTE_OK) result = number_vertices(self, split);
    if (result != MOTE_OK) return result;
    average_normals(self, split);
    return split_far_corners(self, split);
}

mote_result mote_mesh_split(const mote_mesh *mesh, double crease_angle, mote_mesh_normals *split, mote_error *error)
{
    if (!mote_mesh_is_sound(mesh) || !split) return mote_fail_null(error, "mesh", split ? "the mesh" : "the normals");
    if (!(crease_angle >= 0 && crease_angle <= 180))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "mesh: a crease of %g degrees, expected 0 to 180",
                         crease_angle);
    const size_t face_bytes = mote_bytes(mesh->triangle_count, sizeof(mote_vec3));
    const size_t corner_bytes = mote_bytes(mesh->triangle_count, 3 * sizeof(uint32_t));
    mote_mesh_normals made = {.triangles = mote_allocate(mesh->context, corner_bytes),
                              .triangle_count = mesh->triangle_count, .context = mesh->context};
    splitter self = {mesh, mote_cos(crease_angle * PI / 180) - rounding, mote_allocate(mesh->context, face_bytes),
                     made.triangles};
    mote_result result = MOTE_OK;
    if (face_bytes && (!self.faces || !made.triangles)) result = MOTE_ERROR_OUT_OF_MEMORY;
    if (result == MOTE_OK) result = split_edges(&self, &made);
    mote_release(mesh->context, self.faces, face_bytes);
    if (result == MOTE_OK) *split = made;
    else mote_mesh_normals_release(&made);
    return mote_pass_memory(error, result, "mesh: splitting it at creases");
}

void mote_mesh_normals_release(mote_mesh_normals *split)
{
    if (!split) return;
    mote_release(split->context, split->triangles, split->triangle_count * 3 * sizeof *split->triangles);
    mote_release(split->context, split->normals, split->count * sizeof *split->normals);
    mote_release(split->context, split->origins, split->count * sizeof *split->origins);
    *split = (mote_mesh_normals){0};
}
