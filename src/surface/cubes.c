// SPDX-License-Identifier: MIT
// Marching cubes (Lorensen & Cline 1987), its table made from two rules.
//
// The surface cuts the edges between a corner inside and a corner outside. Every face of the cube joins its cut edges
// by segments, each of which runs around a corner inside. A face with four cut edges is
// ambiguous (Nielson & Hamann 1991): there each inside corner is cut off by itself. As that is read from the face
// alone, both cubes at a face have the same segments, and meshes have no holes. The segments form loops, and a loop
// becomes triangles.
//
// A triangle's edge that is not a segment must not lie in a face: the cube behind the face could have the same edge,
// which then has four triangles. Every loop can be divided without such edges, and the first division that has none is
// taken; of loops of seven edges the first whose triangles have one vertex in common, as others can cut through
// themselves. Without an ambiguous face, a cube with inside and outside exchanged has the same triangles, turned
// around: where two bodies touch, their meshes have the same triangles.

#include "surface/cubes.h"

#include <stdbool.h>
#include <string.h>

#include "base/internal.h"

enum { LONGEST_LOOP = 7 };

int mote_cube_corner(int edge)
{
    const int axis = edge / 4, m = edge % 4, low = (1 << axis) - 1;
    return (m & ~low) << 1 | (m & low);
}

int mote_cube_edge(int a, int b)
{
    const int from = a & b, bit = a ^ b, axis = bit >> 1;  // bits 1, 2, 4 are axes 0, 1, 2
    const int low = bit - 1;
    return 4 * axis + ((from >> 1 & ~low) | (from & low));
}

void mote_cube_face(int face, int corners[4])
{
    const int axis = face / 2, side = face % 2;
    const int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, base = side << axis;
    const int around[4] = {base, base | u, base | u | v, base | v};
    for (int k = 0; k < 4; ++k) corners[k] = around[side ? k : 3 - k];
}

static bool share_face(int a, int b)
{
    for (int face = 0; face < CUBE_FACES; ++face) {
        const int axis = face / 2, side = face % 2;
        const bool has_a = a / 4 != axis && (mote_cube_corner(a) >> axis & 1) == side;
        const bool has_b = b / 4 != axis && (mote_cube_corner(b) >> axis & 1) == side;
        if (has_a && has_b) return true;
    }
    return false;
}

// Joins the cut edges of a face: next[e] follows edge e on its loop. Around the face, each run of inside corners is
// entered through one edge and left through the next one.
static void join_face(int inside, int face, uint8_t next[CUBE_EDGES])
{
    int ring[4], cut[4], count = 0;
    bool leaves[4];
    mote_cube_face(face, ring);
    for (int k = 0; k < 4; ++k) {
        const int a = ring[k], b = ring[(k + 1) % 4];
        if ((inside >> a & 1) == (inside >> b & 1)) continue;
        leaves[count] = inside >> a & 1;
        cut[count++] = mote_cube_edge(a, b);
    }
    for (int k = 0; k < count; ++k)
        if (leaves[k]) next[cut[(k + count - 1) % count]] = (uint8_t)cut[k];
}

int mote_cube_take_loop(uint8_t *next, int first, uint8_t *loop)
{
    int count = 0;
    for (int vertex = first; next[vertex] != CUBE_NO_VERTEX;) {
        const int following = next[vertex];
        loop[count++] = (uint8_t)vertex;
        next[vertex] = CUBE_NO_VERTEX;
        vertex = following;
    }
    return count;
}

static bool may_join(const uint8_t *loop, int count, int i, int j)
{
    return j - i == 1 || (i == 0 && j == count - 1) || !share_face(loop[i], loop[j]);
}

// Divides the part i … j of a loop, whose edge i–j is allowed, into triangles; false if that is impossible.
static bool divide(const uint8_t *loop, int count, int i, int j, cube_case *to)
{
    if (j - i < 2) return true;
    const uint8_t before = to->count;
    for (int k = i + 1; k < j; ++k) {
        if (!may_join(loop, count, i, k) || !may_join(loop, count, k, j)) continue;
        uint8_t *corner = to->edges + 3 * to->count++;
        corner[0] = loop[i], corner[1] = loop[k], corner[2] = loop[j];
        if (divide(loop, count, i, k, to) && divide(loop, count, k, j, to)) return true;
        to->count = before;
    }
    return false;
}

// Divides a loop into triangles with one vertex in common; false if no vertex may be joined to all others.
static bool divide_as_fan(const uint8_t *loop, int count, cube_case *to)
{
    for (int apex = 0; apex < count; ++apex) {
        uint8_t turned[CUBE_EDGES];
        bool may = true;
        for (int k = 0; k < count; ++k) turned[k] = loop[(apex + k) % count];
        for (int k = 1; k < count; ++k) may &= may_join(turned, count, 0, k);
        if (!may) continue;
        for (int k = 1; k + 1 < count; ++k) {
            uint8_t *corner = to->edges + 3 * to->count++;
            corner[0] = turned[0], corner[1] = turned[k], corner[2] = turned[k + 1];
        }
        return true;
    }
    return false;
}

static void make_case(int inside, cube_case *to)
{
    uint8_t next[CUBE_EDGES];
    memset(next, CUBE_NO_VERTEX, sizeof next);
    memset(to, 0, sizeof *to);
    for (int face = 0; face < CUBE_FACES; ++face) join_face(inside, face, next);
    for (int first = 0; first < CUBE_EDGES; ++first) {
        uint8_t loop[CUBE_EDGES];
        const int count = mote_cube_take_loop(next, first, loop);
        if (count == 0) continue;
        MOTE_ASSERT(count <= LONGEST_LOOP);
        const bool is_divided =
            count == LONGEST_LOOP ? divide_as_fan(loop, count, to) : divide(loop, count, 0, count - 1, to);
        MOTE_ASSERT(is_divided);
        (void)is_divided;
    }
}

static bool has_ambiguous_face(int inside)
{
    for (int face = 0; face < CUBE_FACES; ++face) {
        int ring[4], changes = 0;
        mote_cube_face(face, ring);
        for (int k = 0; k < 4; ++k) changes += (inside >> ring[k] & 1) != (inside >> ring[(k + 1) % 4] & 1);
        if (changes == 4) return true;
    }
    return false;
}

static cube_case turn_around(const cube_case *from)
{
    cube_case to = *from;
    for (int k = 0; k < 3 * from->count; k += 3) {
        to.edges[k + 1] = from->edges[k + 2];
        to.edges[k + 2] = from->edges[k + 1];
    }
    return to;
}

void mote_cube_table_make(cube_table *table)
{
    for (int edge = 0; edge < CUBE_EDGES; ++edge) table->corner[edge] = (uint8_t)mote_cube_corner(edge);
    for (int inside = 0; inside < 256; ++inside)
        if (inside < 128 || has_ambiguous_face(inside))
            make_case(inside, &table->cases[inside]);
        else
            table->cases[inside] = turn_around(&table->cases[255 - inside]);
}
