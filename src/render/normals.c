// Normals by crease angle: corners of triangles that share a normal, and vertices that are split because they do not.
//
// Two triangles with a common edge are joined there if their normals are at most the crease angle apart, and so are
// their corners at both ends of the edge. Corners that are joined, directly or by way of others around the vertex, get
// one normal: the mean of their triangles', weighted by angle (Thürmer & Wüthrich 1998). Joining goes along edges, so
// that 100,000 triangles around a vertex cost no more than 100,000 elsewhere.
//
// Many small turns may add up to a large one, around the tip of a cone for instance: a corner whose mean is farther
// than the crease angle from its own triangle's normal keeps the latter. So no normal that is drawn is farther off.
//
// A triangle without area has no normal: it takes a neighbour's, so that the surface goes on across it, and adds
// nothing to the mean.

#include <math.h>

#include "mesh/internal.h"
#include "render/internal.h"

// Triangles of one edge are compared with so many others at most, each unlike those before: a surface has two.
enum { MOST_SIDES = 8 };

static const double rounding = 1e-12;  // of a cosine: triangles in one plane are joined at a crease angle of 0

typedef struct splitter {
    const mote_mesh *mesh;
    double cosine;
    mote_vec3 *faces;   // unit normals of the triangles; 0: none
    uint32_t *corners;  // the corner before this one, or itself, that it is joined to; then the vertex that it becomes
} splitter;

static bool is_none(mote_vec3 normal)
{
    return normal.x == 0 && normal.y == 0 && normal.z == 0;
}

// Of a triangle without area, or one so small or large that its area is no number, 0.
static mote_vec3 face_normal(const mote_mesh *mesh, size_t t)
{
    const mote_triangle triangle = mote_mesh_triangle(mesh, t);
    const mote_vec3 cross = mote_triangle_cross(triangle);
    if (mote_triangle_is_degenerate(triangle) || !isnormal(mote_vec3_dot(cross, cross))) return mote_vec3_make(0, 0, 0);
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

// The first corner of those that this one is joined to; shortens the way there.
static uint32_t first_corner(uint32_t *corners, uint32_t c)
{
    while (corners[c] != c) c = corners[c] = corners[corners[c]];
    return c;
}

static void join_corners(uint32_t *corners, uint32_t a, uint32_t b)
{
    a = first_corner(corners, a);
    b = first_corner(corners, b);
    corners[MOTE_MAX(a, b)] = MOTE_MIN(a, b);
}

// Joins triangles with one edge, whose numbers are given.
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
                join_corners(self->corners, corner_at(self, sides[s], lower), corner_at(self, edges[i], lower));
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

static mote_result reserve_vertices(const splitter *self, mote_split_mesh *split, size_t count)
{
    const mote_context *context = self->mesh->context;
    const size_t held = split->count;
    mote_result result = mote_buffer_reserve(context, &split->normal_memory, mote_bytes(count, sizeof(mote_vec3)),
                                             held * sizeof(mote_vec3));
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &split->origin_memory, mote_bytes(count, sizeof(uint32_t)),
                                     held * sizeof(uint32_t));
    split->normals = split->normal_memory.data;
    split->origins = split->origin_memory.data;
    return result;
}

// A vertex for all corners that are joined; corners turn from links, which lead to earlier ones, into its number.
static mote_result number_vertices(const splitter *self, mote_split_mesh *split)
{
    const size_t corner_count = 3 * self->mesh->triangle_count;
    size_t count = 0;
    for (size_t c = 0; c < corner_count; ++c) count += self->corners[c] == c;
    mote_result result = reserve_vertices(self, split, count);
    if (result != MOTE_OK) return result;
    for (size_t c = 0; c < corner_count; ++c) {
        const bool is_first = self->corners[c] == c;
        if (is_first) split->origins[split->count] = self->mesh->triangles[c];
        self->corners[c] = is_first ? (uint32_t)split->count++ : self->corners[self->corners[c]];
    }
    return MOTE_OK;
}

static void average_normals(const splitter *self, mote_split_mesh *split)
{
    for (size_t v = 0; v < split->count; ++v) split->normals[v] = mote_vec3_make(0, 0, 0);
    for (size_t t = 0; t < self->mesh->triangle_count; ++t) {
        const mote_vec3 normal = face_normal(self->mesh, t);  // not a lent one
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

static bool is_too_far(const splitter *self, const mote_split_mesh *split, size_t corner)
{
    const mote_vec3 own = self->faces[corner / 3];
    return !is_none(own) && !is_near(self, split->normals[self->corners[corner]], own);
}

// Corners too far from their mean get a vertex of their own.
static mote_result split_far_corners(const splitter *self, mote_split_mesh *split)
{
    const size_t corner_count = 3 * self->mesh->triangle_count;
    size_t far = 0;
    for (size_t c = 0; c < corner_count; ++c) far += is_too_far(self, split, c);
    mote_result result = far ? reserve_vertices(self, split, split->count + far) : MOTE_OK;
    for (size_t c = 0; far && result == MOTE_OK && c < corner_count; ++c) {
        if (!is_too_far(self, split, c)) continue;
        split->normals[split->count] = self->faces[c / 3];
        split->origins[split->count] = self->mesh->triangles[c];
        self->corners[c] = (uint32_t)split->count++;
    }
    return result;
}

mote_result mote_split_mesh_build(const mote_mesh *mesh, double crease_angle, mote_split_mesh *split)
{
    const size_t n = mesh->triangle_count;
    *split = (mote_split_mesh){0};
    mote_buffer faces = {0};
    mote_result result =
        mote_buffer_reserve(mesh->context, &split->index_memory, mote_bytes(n, 3 * sizeof(uint32_t)), 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(mesh->context, &faces, mote_bytes(n, sizeof(mote_vec3)), 0);
    splitter self = {mesh, cos(crease_angle * 3.14159265358979323846 / 180) - rounding, faces.data,
                     split->index_memory.data};
    if (result == MOTE_OK) result = join_all(&self);
    if (result == MOTE_OK) result = number_vertices(&self, split);
    if (result == MOTE_OK) {
        average_normals(&self, split);
        result = split_far_corners(&self, split);
    }
    split->indices = split->index_memory.data;
    mote_buffer_release(mesh->context, &faces);
    return result;
}

void mote_split_mesh_release(const mote_mesh *mesh, mote_split_mesh *split)
{
    mote_buffer_release(mesh->context, &split->index_memory);
    mote_buffer_release(mesh->context, &split->normal_memory);
    mote_buffer_release(mesh->context, &split->origin_memory);
    *split = (mote_split_mesh){0};
}
