// SPDX-License-Identifier: MIT
// hits/structure_parts.h: which parts of the grid's cells the triangles of a cluster touch.
#ifndef MOTE_HITS_STRUCTURE_PARTS_H
#define MOTE_HITS_STRUCTURE_PARTS_H

#include "hits/internal.h"

enum { HITS_WINDOW = 4 };

// A block of cells, at most HITS_WINDOW along each axis, and the parts of them that are touched. Cell (x, y, z) of
// the block has number x + 4y + 16z.
typedef struct hits_window {
    double low[3];     // corner of the block, in cells of the grid
    double edge;       // edge of its cells, in cells of the grid: 1, or less where a cell is split
    uint32_t size[3];  // number of cells
    uint64_t masks[HITS_WINDOW * HITS_WINDOW * HITS_WINDOW];  // per cell: parts that any triangle touches
    uint8_t lanes[HITS_WINDOW * HITS_WINDOW * HITS_WINDOW];   // per cell: the cluster's triangles that touch it
} hits_window;

// A triangle in cells of the grid. For a moving triangle only the box around its path is used.
typedef struct hits_shape {
    mote_triangle triangle;
    double low[3], high[3];
    bool is_box;
} hits_shape;

// Loads the cluster's triangles. Returns how many there are.
uint32_t mote_hits_cluster_shapes(const mote_hits *hits, const hits_grid *grid, size_t cluster,
                                  hits_shape shapes[HITS_LANES]);

// Whether the shape touches the closed box, enlarged by HITS_MARGIN.
bool mote_hits_shape_touches(const hits_shape *shape, const double low[3], const double high[3]);

// Sets low, edge and size of a window, and marks its cells as empty.
void mote_hits_window_open(hits_window *window, const double low[3], double edge, const uint32_t size[3]);

// Marks the closed parts, enlarged by HITS_MARGIN, that the shape touches, and the shape's lane in cells it touches.
void mote_hits_window_mark(hits_window *window, const hits_shape *shape, uint32_t lane);

static inline void mote_hits_to_cells(const hits_grid *grid, mote_vec3 p, double at[3])
{
    at[0] = (p.x - grid->origin[0]) * grid->per_edge;
    at[1] = (p.y - grid->origin[1]) * grid->per_edge;
    at[2] = (p.z - grid->origin[2]) * grid->per_edge;
}

#endif
