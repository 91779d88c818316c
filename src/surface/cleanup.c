// SPDX-License-Identifier: MIT
// Slivers: vertices near the same node of the grid become one (Moore & Warren 1992, Compact Isocontours from Sampled
// Data, Graphics Gems III).
//
// They merge all vertices of a node at once, which may join parts of a surface that only touch. Here edges are
// collapsed one after the other, in the order of their vertices, each only if
// - its ends have two neighbours in common and are not those of a tetrahedron, so that a closed manifold stays one
//   (Dey et al. 1999, the link condition);
// - no triangle around turns over or becomes a sliver.
// The vertex that is left lies at the mean of all that it stands for, moved along the normal until the volume is what
// it was. Vertices on a plane that cuts the body stay on it.

#include <math.h>

#include "base/vector.h"
#include "surface/finish.h"

static const double on_solid = 0.02;        // vertices as near as that lie on what cuts [cells]
static const double farthest_shift = 0.25;  // for the sake of volume [cells]
static const double sliver = 0.1;          // height by length, below which a triangle is one
static const double most_turn = 0.3;        // cosine of the angle by which a triangle may turn

typedef struct cleanup {
    surface_mesh *mesh;
    surface_finish *finish;
    const surface_cut *cut;
    double cell;
    uint32_t *head, *tail;  // of the list of corners at each vertex
    uint32_t *next;         // corner of the list; UINT32_MAX ends it
    uint32_t *node;         // a number of the node that a vertex is near; nodes near each other have different ones
    uint32_t *number;       // UINT32_MAX: merged into another vertex
    uint8_t *count;         // of vertices that this one stands for
    uint64_t *masks;        // of planes that a vertex lies on; NULL: nothing cuts
} cleanup;

static uint32_t node_of(double cell, mote_vec3 at)
{
    const int64_t x = (int64_t)floor(at.x / cell + 0.5), y = (int64_t)floor(at.y / cell + 0.5),
                  z = (int64_t)floor(at.z / cell + 0.5);
    return (uint32_t)((uint64_t)x + ((uint64_t)y << 10) + ((uint64_t)z << 20));
}

// The planes that a vertex lies on; the last bit also for solids.
static uint64_t mask_of(const surface_cut *cut, double cell, mote_vec3 at)
{
    const bool is_on_solid =
        cut->distance && fabs(mote_surface_cut_distance(cut, cut->plane_count, at)) < on_solid * cell;
    return mote_surface_planes_at(cut, cell, at) | (is_on_solid ? UINT64_C(1) << SURFACE_LAST_PLANE : 0);
}

// ------------------------------------------------------------------------------------------------- rings of triangles

static bool is_alive(const cleanup *self, uint32_t corner)
{
    return self->number[self->mesh->triangles[corner - corner % 3]] != UINT32_MAX;
}

// The vertex that follows a corner in its triangle by so many steps.
static uint32_t around(const cleanup *self, uint32_t corner, uint32_t steps)
{
    return self->mesh->triangles[corner - corner % 3 + (corner + steps) % 3];
}

// Triangles are dead if their first corner is; dead ones leave the list.
static void drop_dead(cleanup *self, uint32_t v)
{
    uint32_t *link = &self->head[v], last = UINT32_MAX;
    while (*link != UINT32_MAX) {
        if (is_alive(self, *link)) {
            last = *link;
            link = &self->next[*link];
        } else {
            *link = self->next[*link];
        }
    }
    self->tail[v] = last;
}

static bool has_neighbor(const cleanup *self, uint32_t v, uint32_t w)
{
    for (uint32_t c = self->head[v]; c != UINT32_MAX; c = self->next[c])
        if (around(self, c, 1) == w) return true;
    return false;
}

static uint32_t count_ring(const cleanup *self, uint32_t v)
{
    uint32_t count = 0;
    for (uint32_t c = self->head[v]; c != UINT32_MAX; c = self->next[c]) ++count;
    return count;
}

// Whether the mesh stays a closed manifold without the edge.
static bool may_collapse(const cleanup *self, uint32_t u, uint32_t w)
{
    uint32_t common = 0;
    for (uint32_t c = self->head[u]; c != UINT32_MAX; c = self->next[c])
        common += has_neighbor(self, w, around(self, c, 1));
    return common == 2 && (count_ring(self, u) > 3 || count_ring(self, w) > 3);
}

// ---------------------------------------------------------------------------------------------------------- shape

static mote_vec3 cross_of(mote_vec3 a, mote_vec3 b, mote_vec3 c)
{
    return mote_vec3_cross(mote_vec3_sub(b, a), mote_vec3_sub(c, a));
}

// Height by the longest edge's length.
static double quality(mote_vec3 a, mote_vec3 b, mote_vec3 c)
{
    const double ab = mote_vec3_length(mote_vec3_sub(b, a)), bc = mote_vec3_length(mote_vec3_sub(c, b));
    const double longest = MOTE_MAX(MOTE_MAX(ab, bc), mote_vec3_length(mote_vec3_sub(a, c)));
    return longest > 0 ? mote_vec3_length(cross_of(a, b, c)) / (longest * longest) : 0;
}

// The sum of the normals of the triangles around both vertices, by area.
static mote_vec3 facing(const cleanup *self, uint32_t u, uint32_t w)
{
    const mote_vec3 *at = self->mesh->vertices;
    mote_vec3 sum = {0, 0, 0};
    for (int k = 0; k < 2; ++k)
        for (uint32_t c = self->head[k ? w : u]; c != UINT32_MAX; c = self->next[c]) {
            const uint32_t a = around(self, c, 0), b = around(self, c, 1), d = around(self, c, 2);
            if (k == 1 && (b == u || d == u)) continue;
            sum = mote_vec3_add(sum, cross_of(at[a], at[b], at[d]));
        }
    return sum;
}

static double cosine(mote_vec3 a, mote_vec3 b)
{
    const double length = mote_vec3_length(a) * mote_vec3_length(b);
    return length > 0 ? mote_vec3_dot(a, b) / length : -1;
}

// Whether the triangles of u that w has no part in keep their side with u at another place.
static bool keeps_shape(const cleanup *self, uint32_t u, uint32_t w, mote_vec3 to, mote_vec3 face)
{
    const mote_vec3 *at = self->mesh->vertices;
    for (uint32_t c = self->head[u]; c != UINT32_MAX; c = self->next[c]) {
        const uint32_t b = around(self, c, 1), d = around(self, c, 2);
        if (b == w || d == w) continue;
        const double before = quality(at[u], at[b], at[d]), after = quality(to, at[b], at[d]);
        const mote_vec3 old = cross_of(at[u], at[b], at[d]), new = cross_of(to, at[b], at[d]);
        const uint32_t n = self->node[u], n_b = self->node[b], n_d = self->node[d];
        const bool will_go = n_b == n || n_d == n || n_b == n_d;
        if (!(after >= sliver || after > before || will_go)) return false;  // of vertices of one node, all but one go
        const bool was_sliver = before < sliver;
        if (!(cosine(new, was_sliver ? face : old) > most_turn)) return false;
    }
    return true;
}

// Six times the volume between the origin `o` and the triangles around both, and the sum of vectors a × b of the ring's
// edges: six times the volume with both at p is p · ring plus what does not change.
static double volume_around(const cleanup *self, uint32_t u, uint32_t w, mote_vec3 o, mote_vec3 *ring)
{
    const mote_vec3 *at = self->mesh->vertices;
    double six = 0;
    *ring = (mote_vec3){0, 0, 0};
    for (int k = 0; k < 2; ++k) {
        const uint32_t own = k ? w : u, other = k ? u : w;
        for (uint32_t c = self->head[own]; c != UINT32_MAX; c = self->next[c]) {
            const uint32_t b = around(self, c, 1), d = around(self, c, 2);
            const bool has_both = b == other || d == other;
            const mote_vec3 x = mote_vec3_sub(at[b], o), y = mote_vec3_sub(at[d], o), cross = mote_vec3_cross(x, y);
            if (!has_both || k == 0) six += mote_vec3_dot(mote_vec3_sub(at[own], o), cross);
            if (!has_both) *ring = mote_vec3_add(*ring, cross);
        }
    }
    return six;
}

// Where u and w become one; false where they may not.
static bool find_place(const cleanup *self, uint32_t u, uint32_t w, mote_vec3 *to)
{
    const mote_vec3 a = self->mesh->vertices[u], b = self->mesh->vertices[w];
    const uint64_t on_u = self->masks ? self->masks[u] : 0, on_w = self->masks ? self->masks[w] : 0;
    if ((on_u | on_w) != on_u && (on_u | on_w) != on_w) return false;
    const double part = (double)self->count[w] / (self->count[u] + self->count[w]);
    *to = mote_vec3_add_scaled(a, mote_vec3_sub(b, a), part);
    if (on_u != on_w || on_u >> SURFACE_LAST_PLANE) {
        *to = (on_u | on_w) == on_u ? a : b;
    } else if (on_u == 0) {
        mote_vec3 ring;
        const double six = volume_around(self, u, w, a, &ring), length = mote_vec3_length(ring);
        const double shift = length > 0 ? (six - mote_vec3_dot(mote_vec3_sub(*to, a), ring)) / length : 0;
        if (!(fabs(shift) <= farthest_shift * self->cell)) return false;
        if (length > 0) *to = mote_vec3_add_scaled(*to, ring, shift / length);
    }
    return true;
}

// --------------------------------------------------------------------------------------------------------- collapse

static float mean(float a, float b, double part)
{
    return (float)((double)a + part * ((double)b - (double)a));
}

// What belongs to w is brought to u by the number of vertices that each stands for.
static void merge_values(cleanup *self, uint32_t u, uint32_t w)
{
    surface_finish *finish = self->finish;
    const double part = (double)self->count[w] / (self->count[u] + self->count[w]);
    if (finish->weights) finish->weights[u] = mean(finish->weights[u], finish->weights[w], part);
    if (finish->normals) {
        const mote_vec3 a = finish->normals[u], b = finish->normals[w];
        const mote_vec3 sum = mote_vec3_add_scaled(a, mote_vec3_sub(b, a), part);
        if (mote_vec3_length(sum) > 0) finish->normals[u] = mote_vec3_unit(sum);
    }
    size_t before = 0;
    for (size_t a = 0; a < finish->array_count; ++a) {
        const size_t components = (size_t)finish->arrays[a].components;
        float *values = finish->values + before * self->mesh->vertex_count;
        for (size_t k = 0; k < components; ++k)
            values[u * components + k] = mean(values[u * components + k], values[w * components + k], part);
        before += components;
    }
}

// Replaces w by u.
static void collapse(cleanup *self, uint32_t u, uint32_t w, mote_vec3 to)
{
    merge_values(self, u, w);
    self->mesh->vertices[u] = to;
    self->count[u] = (uint8_t)(self->count[u] + self->count[w]);
    if (self->masks) self->masks[u] |= self->masks[w];
    uint32_t ring[2], count = 0;
    self->number[w] = UINT32_MAX;
    for (uint32_t c = self->head[w]; c != UINT32_MAX; c = self->next[c]) {
        uint32_t *corner = self->mesh->triangles + (c - c % 3);
        const uint32_t b = around(self, c, 1), d = around(self, c, 2);
        if (b == u || d == u) {
            ring[count++] = b == u ? d : b;
            corner[0] = w;  // no longer alive
        } else {
            corner[c % 3] = u;
        }
    }
    self->next[self->tail[u]] = self->head[w];
    drop_dead(self, u);
    for (uint32_t k = 0; k < count; ++k) drop_dead(self, ring[k]);
}

// Merges neighbours of u into it; false if there is none to merge.
static bool merge_one(cleanup *self, uint32_t u)
{
    for (uint32_t c = self->head[u]; c != UINT32_MAX; c = self->next[c]) {
        const uint32_t w = around(self, c, 1);
        mote_vec3 to;
        if (w < u || self->node[w] != self->node[u] || !may_collapse(self, u, w) || !find_place(self, u, w, &to))
            continue;
        const mote_vec3 face = facing(self, u, w);
        if (!keeps_shape(self, u, w, to, face) || !keeps_shape(self, w, u, to, face)) continue;
        collapse(self, u, w, to);
        return true;
    }
    return false;
}

// ------------------------------------------------------------------------------------------------------------- all

static mote_result reserve(const mote_context *context, cleanup *self)
{
    const size_t v = self->mesh->vertex_count, corners = 3 * self->mesh->triangle_count;
    const size_t masks = self->cut ? v : 0;
    const mote_result result = mote_buffer_reserve(
        context, &self->finish->cleanup_memory,
        mote_bytes(masks, sizeof *self->masks) + mote_bytes(4 * v + corners, sizeof(uint32_t)) + v, 0);
    if (result != MOTE_OK) return result;
    uint64_t *all = self->finish->cleanup_memory.data;
    self->masks = self->cut ? all : NULL;
    self->head = (uint32_t *)(void *)(all + masks);
    self->tail = self->head + v;
    self->node = self->tail + v;
    self->number = self->node + v;
    self->next = self->number + v;
    self->count = (uint8_t *)(void *)(self->next + corners);
    return MOTE_OK;
}

static void list_corners(cleanup *self)
{
    for (size_t v = 0; v < self->mesh->vertex_count; ++v) {
        const mote_vec3 at = self->mesh->vertices[v];
        self->head[v] = self->tail[v] = UINT32_MAX;
        self->node[v] = node_of(self->cell, at);
        self->number[v] = 0;
        self->count[v] = 1;
        if (self->masks) self->masks[v] = mask_of(self->cut, self->cell, at);
    }
    for (size_t c = 3 * self->mesh->triangle_count; c-- > 0;) {
        const uint32_t v = self->mesh->triangles[c];
        self->next[c] = self->head[v];
        if (self->head[v] == UINT32_MAX) self->tail[v] = (uint32_t)c;
        self->head[v] = (uint32_t)c;
    }
}

mote_result mote_surface_clean_up(const surface_job *job, surface_mesh *mesh, surface_finish *finish)
{
    cleanup self = {.mesh = mesh, .finish = finish, .cut = job->cut, .cell = job->scale->cell};
    const mote_result result = reserve(job->context, &self);
    if (result != MOTE_OK || mesh->vertex_count == 0) return result;
    list_corners(&self);
    for (size_t v = 0; v < mesh->vertex_count; ++v)
        while (self.number[v] == 0 && merge_one(&self, (uint32_t)v)) continue;
    mote_surface_compact(mesh, finish, self.number);
    return MOTE_OK;
}
