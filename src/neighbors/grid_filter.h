// SPDX-License-Identifier: MIT
// neighbors/grid_filter.h: the exact test of a point against a list of others, wherever these stand in memory.
#ifndef MOTE_NEIGHBORS_GRID_FILTER_H
#define MOTE_NEIGHBORS_GRID_FILTER_H

#include "neighbors/collect.h"

// As placed_point, of double points.
typedef struct placed_point_f64 {
    double at[3];
    uint64_t index;
} placed_point_f64;

// Points in the order in which lists number them: one of the two.
typedef struct placed_points {
    placed_point *f32;
    placed_point_f64 *f64;
} placed_points;

// A point and the places of those that may be near it.
typedef struct filter_list {
    placed_points points;
    const uint32_t *places;
    uint32_t count;
    double at[3];
    double limit;  // squared, in the points' precision
} filter_list;

// Writes the indices of the neighbours, or their places, to `row`, which has room for all of the list and eight more.
// Answers their number.
typedef size_t filter_lanes(const filter_list *list, bool wants_places, uint32_t *row);

// Both have the same results.
filter_lanes mote_filter_plain, mote_filter_avx2;

#endif
