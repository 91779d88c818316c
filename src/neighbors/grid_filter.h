// SPDX-License-Identifier: MIT
// neighbors/grid_filter.h: the exact test of a point against a list of other points, anywhere in memory.
#ifndef MOTE_NEIGHBORS_GRID_FILTER_H
#define MOTE_NEIGHBORS_GRID_FILTER_H

#include "neighbors/collect.h"

// Like placed_point, for double points.
typedef struct placed_point_f64 {
    double at[3];
    uint64_t index;
} placed_point_f64;

// The points in the order in which lists number them, in one of the two precisions.
typedef struct placed_points {
    placed_point *f32;
    placed_point_f64 *f64;
} placed_points;

// A point and the places of the points that may be near it.
typedef struct filter_list {
    placed_points points;
    const uint32_t *places;
    uint32_t count;
    double at[3];
    double limit;  // squared, in the points' precision
} filter_list;

// Writes the indices of the neighbours, or their places, to `row`, which has room for the whole list and MOTE_WIDE_MOST
// more. Returns their number.
typedef size_t filter_lanes(const filter_list *list, bool wants_places, uint32_t *row);

#endif
