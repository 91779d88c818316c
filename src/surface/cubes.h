// SPDX-License-Identifier: MIT
// surface/cubes.h: the triangles of a cube for each of the 256 ways in which its corners are inside or outside.
//
// Corner k has x from bit 0 of k, y from bit 1 and z from bit 2. Edge 4·axis + m begins at the m-th corner whose bit
// of that axis is 0.
#ifndef MOTE_SURFACE_CUBES_H
#define MOTE_SURFACE_CUBES_H

#include <stdint.h>

enum { CUBE_EDGES = 12, CUBE_FACES = 6, CUBE_TRIANGLES = 5, CUBE_NO_VERTEX = 255 };

typedef struct cube_case {
    uint8_t count;                      // triangles
    uint8_t edges[3 * CUBE_TRIANGLES];  // of their vertices, counter-clockwise seen from outside
} cube_case;

typedef struct cube_table {
    uint8_t corner[CUBE_EDGES];  // where an edge begins
    cube_case cases[256];        // by the corners that are inside, one bit each
} cube_table;

void mote_cube_table_make(cube_table *table);

// The edge between two corners that differ by one bit, and the corner where an edge begins.
int mote_cube_edge(int a, int b);
int mote_cube_corner(int edge);
// Takes the loop that a vertex is on out of `next`, where next[v] follows v, CUBE_NO_VERTEX if it is on none.
// @return how many vertices it has
int mote_cube_take_loop(uint8_t *next, int first, uint8_t *loop);
// The corners of face 2·axis + side, counter-clockwise seen from outside.
void mote_cube_face(int face, int corners[4]);

#endif
