// SPDX-License-Identifier: MIT
// cells/internal.h: from coordinates to cells of a uniform grid.
//
// A point with coordinate x lies in cell floor((x − o)/edge) of an axis, where o is the anchor of the grid. All
// grids follow one rule: two points that the distance test of neighbors.h calls neighbours are at most one cell
// apart, for any rounding. Therefore the edge exceeds the radius by a margin, which is larger than the rounding
// errors of the cell coordinates of both. Grids number their cells in two ways:
//
// - MOTE_MARGIN_EXACT, 64-bit coordinates, anchored at 0: the error of x/edge is 2^-52 of x/edge itself. Below 2^30
//   cells that is far less than the margin; above, adjacent floats are many cells apart, so that neighbours have the
//   same coordinate and hence the same cell. The same margin serves a grid anchored elsewhere as long as its rows
//   are short (2^24 cells), for any size of x.
// - MOTE_MARGIN_CLAMPED, 32-bit coordinates, clamped to ±2^30 and anchored near the points (cells/frame.h): up to
//   this limit the error is 2^-22 of a cell for each of the two points.
//
// The first kind sorts points by cells. The second kind hashes cells; there, half the bytes and any anchor are worth
// more than coordinates that are always distinct. One margin for both would change the cells of points close to a
// face, and with them the order of rows and of every sum over them.
#ifndef MOTE_CELLS_INTERNAL_H
#define MOTE_CELLS_INTERNAL_H

#include <math.h>
#include <string.h>

#include "base/internal.h"

#define MOTE_MARGIN_EXACT 0x1p-20
#define MOTE_MARGIN_CLAMPED 0x1p-18

// Returns the cell edge that keeps neighbours within `radius` at most one cell apart.
static inline double mote_cell_edge(double radius, double margin)
{
    return radius * (1 + margin);
}

// Returns floor(v) as an integer. Beyond ±2^53, where cells are finer than any float, the doubles are counted on
// from there, which is monotone, so that far points stay in different cells and nothing overflows.
static inline int64_t mote_cell_floor(double v)
{
    const double limit = 0x1p53;
    if (v > -limit && v < limit) {
        int64_t whole = (int64_t)v;
        return whole - (v < (double)whole);
    }
    double magnitude = fabs(v);
    uint64_t bits, limit_bits;
    memcpy(&bits, &magnitude, sizeof bits);
    memcpy(&limit_bits, &limit, sizeof limit_bits);
    int64_t beyond = (int64_t)(bits - limit_bits) + ((int64_t)1 << 53);
    return v < 0 ? -beyond : beyond;
}

static inline int64_t mote_cell_coordinate(double x, double inverse_edge)
{
    return mote_cell_floor(x * inverse_edge);
}

// Computes the box around all points, in parallel. Rejects coordinates that are not finite: the error's index is
// that of the first bad point, and its text begins with `what`, which describes the points. An empty set gives an
// empty box.
mote_result mote_points_bounds(const mote_context *context, const mote_points *points, const char *what, mote_box *box,
                               mote_error *error);

#endif
