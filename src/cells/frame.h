// SPDX-License-Identifier: MIT
// cells/frame.h: a uniform grid without bounds: its position, and the 32-bit coordinates of its cells.
//
// A coordinate is floor((x − anchor)/edge) of an axis, computed in double and clamped to ±2^30 before the
// conversion. Clamping is monotone and never increases the distance of two cells, so that no neighbour is lost and a
// far outlier costs nothing; points beyond 2^30 cells share the outermost cells. The anchor is near most of the
// points, so this is rare.
//
// A result must not depend on rounding. The anchor may be any double: it is the same for all points, and the error
// of x − anchor is relative to that difference. For coordinates below 2^30, the error of (x − anchor)/edge is at
// most 2^-22 of a cell, 2^-21 for a pair; two points that the distance test calls neighbours are at most radius (1 +
// 2^-22) apart. Therefore mote_frame_reach slightly enlarges a ball, in units of cells, and the edge exceeds
// radius/subdivision by 2^-18 of it (cells/internal.h), so that even then the ball of that radius reaches less than
// `subdivision` cells.
#ifndef MOTE_CELLS_FRAME_H
#define MOTE_CELLS_FRAME_H

#include "base/internal.h"

enum { MOTE_CELL_LIMIT = 1 << 30 };

typedef struct grid_cell {
    int32_t at[3];  // 0 beyond the points' dimensions
} grid_cell;

// A range of cells, inclusive.
typedef struct grid_range {
    grid_cell low, high;
} grid_range;

typedef struct cell_frame {
    int dimensions;
    double anchor[3];
    double edge, inverse_edge;
} cell_frame;

// Makes a frame for points (which must be finite) and balls of `radius`, divided into `subdivision` cells. The
// anchor is a multiple of 2^29 edges, the one nearest to the median of a sample of the points: it rarely moves when
// they do. Cost O(1).
cell_frame mote_frame_make(const mote_points *points, double radius, int subdivision);

// Anchors the frame just below the corner of the points' box instead, if the box spans less than 2^30 cells: the
// cells of a lattice whose spacing divides the edge then hold whole layers, while cells anchored elsewhere may cut
// through them. The anchor moves with the points.
void mote_frame_anchor(cell_frame *frame, const double low[3], const double high[3]);

static inline bool mote_frames_are_equal(const cell_frame *a, const cell_frame *b)
{
    bool equal = a->dimensions == b->dimensions && a->edge == b->edge;
    for (int k = 0; k < 3; ++k) equal &= a->anchor[k] == b->anchor[k];
    return equal;
}

MOTE_INLINE int32_t mote_frame_coordinate(const cell_frame *frame, int axis, double x)
{
    const double limit = MOTE_CELL_LIMIT;
    double v = (x - frame->anchor[axis]) * frame->inverse_edge;
    v = v < limit ? v : limit;
    v = v > -limit ? v : -limit;
    int32_t whole = (int32_t)v;
    return whole - (v < (double)whole);
}

MOTE_INLINE grid_cell mote_frame_cell(const cell_frame *frame, const double at[3])
{
    grid_cell cell = {{0, 0, 0}};
    for (int k = 0; k < frame->dimensions; ++k) cell.at[k] = mote_frame_coordinate(frame, k, at[k]);
    return cell;
}

MOTE_INLINE bool mote_cells_are_equal(grid_cell a, grid_cell b)
{
    return a.at[0] == b.at[0] && a.at[1] == b.at[1] && a.at[2] == b.at[2];
}

// Orders cells by z, then y, then x.
MOTE_INLINE bool mote_cell_is_less(grid_cell a, grid_cell b)
{
    if (a.at[2] != b.at[2]) return a.at[2] < b.at[2];
    if (a.at[1] != b.at[1]) return a.at[1] < b.at[1];
    return a.at[0] < b.at[0];
}

// Returns the reach of a ball of `radius` in cells, with a margin for all rounding: a point in the ball that is s
// cells away has ‖max(|s| − 1, 0)‖ at most that.
static inline double mote_frame_reach(const cell_frame *frame, double radius)
{
    return radius * frame->inverse_edge * (1 + 0x1p-20) + 0x1p-20;
}

// Returns the cells in `bounds` (for example those of the occupied cells) that may hold points within `radius` of a
// point in cell `center`. If there are none, the range is empty, with low above high.
static inline grid_range mote_frame_range(const cell_frame *frame, grid_cell center, double radius,
                                          const grid_range *bounds)
{
    const double reach = mote_frame_reach(frame, radius);
    const int64_t steps = reach < 0x1p32 ? (int64_t)reach + 1 : (int64_t)1 << 33;
    grid_range range = *bounds;
    for (int k = 0; k < frame->dimensions; ++k) {
        int64_t low = center.at[k] - steps, high = center.at[k] + steps;
        if (low > range.low.at[k]) range.low.at[k] = (int32_t)MOTE_MIN(low, (int64_t)MOTE_CELL_LIMIT + 1);
        if (high < range.high.at[k]) range.high.at[k] = (int32_t)MOTE_MAX(high, -(int64_t)MOTE_CELL_LIMIT - 1);
    }
    return range;
}

// Returns the number of cells; it is a double because there may be 2^93.
static inline double mote_range_cells(const grid_range *range)
{
    double cells = 1;
    for (int k = 0; k < 3; ++k) {
        double size = (double)range->high.at[k] - (double)range->low.at[k] + 1;
        cells *= MOTE_MAX(size, 0.0);
    }
    return cells;
}

#endif
