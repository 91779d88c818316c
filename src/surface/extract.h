// SPDX-License-Identifier: MIT
// surface/extract.h: what the makers of a mesh share: extract.c and, where three regions meet, extract_junctions.c.
#ifndef MOTE_SURFACE_EXTRACT_H
#define MOTE_SURFACE_EXTRACT_H

#include "surface/junctions.h"
#include "surface/phases.h"

typedef struct extract_task {
    surface_grid *grid;
    const cube_table *table;
    const surface_place *place;
    const surface_cut *cut;
    surface_phases *phases;
    surface_mesh *mesh;
} extract_task;

// The chunks at +x, +y, … of a chunk, itself first: bit k of the number is one step along axis k. NULL: there is none.
void mote_surface_find_next(const surface_grid *grid, const surface_chunk *chunk, const surface_chunk *next[8]);
// The vertex on the edge that begins at a node; `is_outer`: not between two phases.
mote_vec3 mote_surface_edge_vertex(const extract_task *task, const surface_cut *cut,
                                   const surface_chunk *const next[8], int axis, const int at[3], bool *is_outer);

// The triangles of the chosen phase in the cube at a node, if they are not those of marching cubes.
bool mote_surface_take_junction(const extract_task *task, const surface_chunk *const next[8], const int at[3],
                                surface_junction *to);
// How many vertices this cube adds to its chunk: the junctions of its faces at the node, and centres.
uint32_t mote_surface_junction_vertices(const surface_junction *junction);
// Adds these to the mesh, and their keys to the chunk's.
// @param number  how many the chunk has already; receives how many there are now
void mote_surface_fill_junction(const extract_task *task, const surface_cut *cut, const surface_chunk *const next[8],
                                const int at[3], const surface_junction *junction, uint32_t *number);
// The number of a junction (FIRST_JUNCTION + face) or a centre (FIRST_CENTER + k) of the cube at a node.
uint32_t mote_surface_junction_number(const extract_task *task, const surface_chunk *const next[8], const int at[3],
                                      int vertex);

#endif
