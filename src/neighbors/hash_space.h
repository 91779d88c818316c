// SPDX-License-Identifier: MIT
// neighbors/hash_space.h: what the hashing methods share: the cells of the points, and the cells that a row visits.
//
// The H-mask of a row (Onderik & Ďurikovič 2008, section 4.1, corrected) consists, for cells of edge a, of the cells
// at offsets s from the row's own cell for which a·‖max(|s| − 1, 0)‖ does not exceed the row's reach. They are at
// most H = floor(reach/a) + 1 cells away. With a = radius/H (a little more, see cells/frame.h) these are 27, 125,
// 311 and 613 cells for H = 1 … 4 in 3D. Rows of larger or smaller reach have larger or smaller masks over the same
// cells.
#ifndef MOTE_NEIGHBORS_HASH_SPACE_H
#define MOTE_NEIGHBORS_HASH_SPACE_H

#include "cells/frame.h"
#include "cells/hash.h"
#include "neighbors/collect.h"

enum {
    MOTE_HASHED_FEATURES = MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_SUBSET | MOTE_NEIGHBORS_HALF |
                           MOTE_NEIGHBORS_ASCENDING | MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES |
                           MOTE_NEIGHBORS_RADII
};

typedef struct hashed_space {
    cell_frame frame;
    cell_hasher hasher;
    grid_range occupied;  // range of the cells of the set's points
} hashed_space;

// Makes the space for a search's points, which it keeps and which must not be empty. The cell size follows the
// radius. With one radius per point it follows their greatest reach, or, for MOTE_RADIUS_MINE, where a large radius
// affects only its own point, the median of a sample.
hashed_space mote_hashed_space_make(const mote_neighbors *search, const mote_points *points);

static inline grid_cell mote_hashed_cell_of(const mote_neighbors *search, const cell_frame *frame, uint32_t i)
{
    double at[3];
    mote_point_store_get(&search->points, i, at);
    return mote_frame_cell(frame, at);
}

// Finds the cell of every point, in parallel.
void mote_hashed_find_cells(const mote_neighbors *search, const cell_frame *frame, grid_cell *cells);

// ------------------------------------------------------------------------------------------------------- H-mask

typedef struct hash_mask {
    grid_range range;  // a box around the mask, clipped to the occupied cells
    grid_cell center;
    double reach_squared;  // [cells²]
} hash_mask;

static inline hash_mask mote_mask_make(const mote_neighbors *search, const hashed_space *space, const row_query *query)
{
    const double reach = mote_query_reach(search, query, search->points.max_radius);
    hash_mask mask = {.center = mote_frame_cell(&space->frame, query->at)};
    mask.range = mote_frame_range(&space->frame, mask.center, reach, &space->occupied);
    mask.reach_squared = mote_frame_reach(&space->frame, reach);
    mask.reach_squared *= mask.reach_squared;
    return mask;
}

// (|a − b| − 1)², or 0: for the least distance along an axis between points of two cells.
MOTE_INLINE double mote_gap_squared(int32_t a, int32_t b)
{
    double gap = (double)a - (double)b;
    gap = (gap < 0 ? -gap : gap) - 1;
    return gap > 0 ? gap * gap : 0;
}

// Calls visit(data, cell) for every cell of the mask, by z, then y, then x.
MOTE_INLINE void mote_mask_visit(const hash_mask *mask, void (*visit)(void *data, grid_cell cell), void *data)
{
    const grid_cell low = mask->range.low, high = mask->range.high;
    grid_cell cell;
    for (cell.at[2] = low.at[2]; cell.at[2] <= high.at[2]; ++cell.at[2]) {
        double rest_z = mask->reach_squared - mote_gap_squared(cell.at[2], mask->center.at[2]);
        for (cell.at[1] = low.at[1]; cell.at[1] <= high.at[1]; ++cell.at[1]) {
            double rest = rest_z - mote_gap_squared(cell.at[1], mask->center.at[1]);
            for (cell.at[0] = low.at[0]; cell.at[0] <= high.at[0]; ++cell.at[0])
                if (mote_gap_squared(cell.at[0], mask->center.at[0]) <= rest) visit(data, cell);
        }
    }
}

// Collects every point, by index: for rows whose mask has more cells than there are points.
void mote_collect_every(const mote_neighbors *search, row_collector *collector);

// Calls visit(data, cell) for every cell of the row's mask, or collects every point if that is less work.
MOTE_INLINE void mote_mask_walk(const mote_neighbors *search, const hashed_space *space, row_collector *collector,
                                void (*visit)(void *data, grid_cell cell), void *data)
{
    hash_mask mask = mote_mask_make(search, space, &collector->query);
    const double cells = mote_range_cells(&mask.range);
    if (cells > (double)search->count)
        mote_collect_every(search, collector);
    else if (cells > 0)
        mote_mask_visit(&mask, visit, data);
}

#endif
