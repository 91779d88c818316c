// cells/internal.h: from coordinates to cells of a uniform grid.
//
// A point with coordinate x lies in cell floor(x/edge) of an axis. For two points that the distance test of
// neighbors.h calls neighbours to lie at most one cell apart, whatever the rounding, the edge exceeds the radius by
// 2^-20 of it, and grids are anchored at 0: then the error of x/edge is 2^-52 of x/edge itself. Below 2^30 cells that
// is far less than the margin; above, neighbouring floats are many cells apart, so that neighbours have the same
// coordinate and hence the same cell. A grid anchored at a coordinate o has floor((x - o)/edge), whose error is 2^-52
// of (x - o)/edge: far less than the margin, too, as long as rows are short (2^24 cells), whatever the size of x.
#ifndef MOTE_CELLS_INTERNAL_H
#define MOTE_CELLS_INTERNAL_H

#include <math.h>
#include <string.h>

#include "base/internal.h"

// The smallest cell edge that keeps neighbours within `radius` at most one cell apart.
static inline double mote_cell_edge(double radius)
{
    return radius * (1 + 0x1p-20);
}

// floor(v) as an integer. Beyond ±2^53, where cells are finer than any float, a monotone count of doubles goes on
// from there, so that far points keep apart and nothing overflows.
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

// The box around all points, found in parallel. Refuses coordinates that are not finite: the error's index is the first
// bad point's, and its text begins with `what` the points are. An empty set gives an empty box.
mote_result mote_points_bounds(const mote_context *context, const mote_points *points, const char *what, mote_box *box,
                               mote_error *error);

#endif
