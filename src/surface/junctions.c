// SPDX-License-Identifier: MIT
// The triangles of a phase in a cube where more than two regions meet.
//
// A face is read from its labels alone, so that both cubes at it and the meshes of all phases agree:
//  - two regions, or three of which one has two corners across from each other: the latter is one piece, and cuts off
//    the others by themselves; of two regions that both lie so, the air is one piece, or the phase of lower number;
//  - otherwise three or four regions: all of them meet in the junction.
// Segments form loops around the phase. All triangles of a loop have its centre as a corner: those with a junction have
// the middle of the cube's junctions, so that what lies between two phases is the same seen from either of them.

#include "surface/junctions.h"

#include <string.h>

#include "base/internal.h"

enum { OUTSIDE = -1 };

typedef struct face_labels {
    int corners[4];  // counter-clockwise seen from outside the cube
    int8_t labels[4];
    int changes;       // edges between different labels
    bool is_split[2];  // corners 0 and 2, 1 and 3 have different labels
} face_labels;

static face_labels read_face(const int8_t labels[8], int face)
{
    face_labels read = {.changes = 0};
    mote_cube_face(face, read.corners);
    for (int k = 0; k < 4; ++k) read.labels[k] = labels[read.corners[k]];
    for (int k = 0; k < 4; ++k) read.changes += read.labels[k] != read.labels[(k + 1) % 4];
    for (int k = 0; k < 2; ++k) read.is_split[k] = read.labels[k] != read.labels[k + 2];
    return read;
}

static bool has_center(const face_labels *face)
{
    return face->changes == 3 || (face->changes == 4 && face->is_split[0] && face->is_split[1]);
}

// The label of the corners that are one piece across the middle, of a face with four changes and no junction.
static int8_t piece_across(const face_labels *face)
{
    if (face->is_split[0]) return face->labels[1];
    if (face->is_split[1]) return face->labels[0];
    return MOTE_MIN(face->labels[0], face->labels[1]);
}

bool mote_surface_has_junction(const int8_t labels[8])
{
    int8_t other = labels[0];
    for (int k = 1; k < 8; ++k) {
        if (labels[k] == labels[0] || labels[k] == other) continue;
        if (other != labels[0]) return true;
        other = labels[k];
    }
    for (int k = 0; k < CUBE_FACES; ++k) {
        const face_labels face = read_face(labels, k);
        if (has_center(&face) || (face.changes == 4 && piece_across(&face) != OUTSIDE)) return true;
    }
    return false;
}

bool mote_surface_junction_edges(const int8_t labels[8], int face, junction_edges *edges)
{
    const face_labels read = read_face(labels, face);
    int to_air = 0;
    edges->between[0] = edges->between[1] = -1;
    edges->other_count = 0;
    if (!has_center(&read)) return false;
    for (int k = 0; k < 4; ++k) {
        const int8_t a = read.labels[k], b = read.labels[(k + 1) % 4];
        if (a == b) continue;
        const int edge = mote_cube_edge(read.corners[k], read.corners[(k + 1) % 4]);
        if (a == OUTSIDE || b == OUTSIDE)
            edges->between[to_air++] = edge;
        else
            edges->others[edges->other_count++] = edge;
    }
    return true;
}

// Joins the cut edges of a face around the corners of the phase: next[v] follows vertex v on its loop.
static void join_face(const int8_t labels[8], int number, int8_t phase, uint8_t next[FIRST_CENTER])
{
    const face_labels face = read_face(labels, number);
    int cut[4], count = 0;
    bool leaves[4];
    for (int k = 0; k < 4; ++k) {
        const int8_t a = face.labels[k], b = face.labels[(k + 1) % 4];
        if ((a == phase) == (b == phase)) continue;
        leaves[count] = a == phase;
        cut[count++] = mote_cube_edge(face.corners[k], face.corners[(k + 1) % 4]);
    }
    const bool across = count == 4 && piece_across(&face) == phase;
    for (int k = 0; k < count; ++k) {
        const int before = cut[(k + count - 1) % count];
        if (leaves[k] && has_center(&face)) {
            next[before] = (uint8_t)(FIRST_JUNCTION + number);
            next[FIRST_JUNCTION + number] = (uint8_t)cut[k];
        } else if (leaves[k] && !across)
            next[before] = (uint8_t)cut[k];
        else if (!leaves[k] && across)
            next[cut[k]] = (uint8_t)before;
    }
}

// The junctions of a cube: all, and those with air. The mean of the latter stays on what cuts the body.
static void find_junctions(const int8_t labels[8], uint32_t junctions[2])
{
    junction_edges edges;
    junctions[0] = junctions[1] = 0;
    for (int face = 0; face < CUBE_FACES; ++face) {
        if (!mote_surface_junction_edges(labels, face, &edges)) continue;
        junctions[0] |= 1u << (FIRST_JUNCTION + face);
        if (edges.between[0] >= 0) junctions[1] |= 1u << (FIRST_JUNCTION + face);
    }
}

static void add_triangle(surface_junction *to, int a, int b, int c)
{
    MOTE_ASSERT(to->triangle_count < MOST_CORNERS);
    uint8_t *corner = to->corners + 3 * to->triangle_count++;
    corner[0] = (uint8_t)a, corner[1] = (uint8_t)b, corner[2] = (uint8_t)c;
}

// Whether a loop between edges alone, of the phase and one other region, lies at the air.
static bool is_at_air(const int8_t labels[8], int edge)
{
    const int a = mote_cube_corner(edge), b = a | 1 << edge / 4;
    return labels[a] == OUTSIDE || labels[b] == OUTSIDE;
}

static void add_loop(const int8_t labels[8], const uint8_t *loop, int count, const uint32_t junctions[2],
                     surface_junction *to)
{
    uint32_t on_it = 0;
    for (int k = 0; k < count; ++k) on_it |= 1u << loop[k];
    to->used |= on_it;
    if (count == 3) {
        add_triangle(to, loop[0], loop[1], loop[2]);
        return;
    }
    MOTE_ASSERT(to->center_count < MOST_CENTERS);
    const int center = to->center_count++;
    const bool has_junctions = on_it >> FIRST_JUNCTION;
    to->around[center] = !has_junctions ? on_it : junctions[1] ? junctions[1] : junctions[0];
    if (on_it & junctions[1])
        to->on_rim |= 1u << center;
    else if (!has_junctions && is_at_air(labels, loop[0]))
        to->at_air |= 1u << center;
    for (int k = 0; k < count; ++k) add_triangle(to, loop[k], loop[(k + 1) % count], FIRST_CENTER + center);
}

void mote_surface_make_junction(const int8_t labels[8], int8_t phase, surface_junction *to)
{
    uint8_t next[FIRST_CENTER];
    memset(next, CUBE_NO_VERTEX, sizeof next);
    memset(to, 0, sizeof *to);
    memcpy(to->labels, labels, sizeof to->labels);
    for (int face = 0; face < CUBE_FACES; ++face) join_face(labels, face, phase, next);
    uint32_t junctions[2];
    find_junctions(labels, junctions);
    for (int first = 0; first < FIRST_CENTER; ++first) {
        uint8_t loop[FIRST_CENTER];
        const int count = mote_cube_take_loop(next, first, loop);
        if (count) add_loop(labels, loop, count, junctions, to);
    }
}
