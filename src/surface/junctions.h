// SPDX-License-Identifier: MIT
// surface/junctions.h: cubes in which three regions meet, two phases and the air or three phases.
//
// Marching cubes sees one phase and what it is not, and would leave a gap of no phase along the line where three
// regions meet. Here a face whose corners are of three regions has a vertex where the three meet, its junction, and a
// cube with such faces joins what its faces have to a vertex in its middle: the meshes of all phases have these alike.
#ifndef MOTE_SURFACE_JUNCTIONS_H
#define MOTE_SURFACE_JUNCTIONS_H

#include <stdbool.h>

#include "surface/cubes.h"

// Vertices of a cube: 0 to 11 on its edges, then the junctions of its six faces, then the centres of loops.
enum { FIRST_JUNCTION = CUBE_EDGES, FIRST_CENTER = CUBE_EDGES + CUBE_FACES, MOST_CENTERS = 4, MOST_CORNERS = 18 };

// The triangles of a phase in a cube.
typedef struct surface_junction {
    int8_t labels[8];  // of the cube
    int triangle_count, center_count;
    uint8_t corners[3 * MOST_CORNERS];  // of triangles, counter-clockwise seen from outside the phase
    uint32_t used;                      // vertices on edges and junctions, a bit each
    uint32_t around[MOST_CENTERS];      // the vertices whose mean each centre is
    uint32_t at_air, on_rim;            // centres at the air of one phase, or of more, a bit each
} surface_junction;

// Whether this cube needs more than marching cubes. Labels are phases, −1 outside, of the corners of cubes.h.
bool mote_surface_has_junction(const int8_t labels[8]);
void mote_surface_make_junction(const int8_t labels[8], int8_t phase, surface_junction *to);

// Where a junction of a face lies among the cut edges around it. `between` are the two that end at the air, −1 where
// all corners are of phases; `others` are the rest.
typedef struct junction_edges {
    int between[2], others[4], other_count;
} junction_edges;
// @return whether the face has a junction
bool mote_surface_junction_edges(const int8_t labels[8], int face, junction_edges *edges);

#endif
