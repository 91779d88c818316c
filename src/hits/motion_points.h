// SPDX-License-Identifier: MIT
// hits/motion_points.h: how far points are from the surface, by the grid's distances: WIDE points at a time.
#ifndef MOTE_HITS_MOTION_POINTS_H
#define MOTE_HITS_MOTION_POINTS_H

#include "base/wide.h"
#include "hits/internal.h"

// The cells in which points lie, and the squares of their distances from the cells' centres. A point outside the grid
// is moved onto its rim, and so is NaN.
typedef struct hits_point_cells {
    wide_u32 number;
    wide_f32 squared;
} hits_point_cells;

// @param point    x, y, z in cells
static inline hits_point_cells mote_hits_cells_at(const hits_grid *grid, const wide_f32 point[3])
{
    hits_point_cells cells = {wide_all_u32(0), wide_all(0)};
    uint32_t stride = 1;
    for (int k = 0; k < 3; ++k) {
        const wide_f32 at = wide_lesser(wide_greater(point[k], wide_all(0)), wide_all((float)grid->size[k]));
        const wide_i32 cell = wide_min(wide_f32_to_i32(at), wide_all_i32((int32_t)grid->size[k] - 1));
        const wide_f32 off = at - (wide_i32_to_f32(cell) + 0.5f);
        cells.squared += off * off;
        cells.number += wide_unsigned(cell) * stride;
        stride *= grid->size[k];
    }
    return cells;
}

// The distances of cells' centres from the surface [cells]. The gather reads three bytes beyond the last cell's.
static inline wide_f32 mote_hits_distances(const hits_grid *grid, wide_u32 cells)
{
    const wide_u32 parts = wide_gather_bytes(grid->distance, cells) & 0xFF;
    return wide_i32_to_f32(wide_signed(parts)) * (1.0f / HITS_DISTANCE_PARTS);
}

#endif
