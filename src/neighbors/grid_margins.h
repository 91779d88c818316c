// SPDX-License-Identifier: MIT
// neighbors/grid_margins.h: how far from a group of points in a periodic box its neighbours may have been binned.
#ifndef MOTE_NEIGHBORS_GRID_MARGINS_H
#define MOTE_NEIGHBORS_GRID_MARGINS_H

#include "neighbors/grid_classes.h"

// The points of a group, which are all of one level.
typedef struct group_bounds {
    double low[3], high[3];  // of the binned positions
    image wrap_low, wrap_high;
    uint32_t level;
    uint32_t blurred;  // a bit for each level of points whose places relative to the group are blurred
    double max_reach;
} group_bounds;

// What is known about the neighbours of a group in a level of points.
typedef struct level_margin {
    double slack;     // rounding can matter between reach · (1 ± grow) ± slack
    double along[3];  // along each axis: how far beyond the reach neighbours may have been binned
} level_margin;

// Finds the levels whose points are so many periods away from a point, which `wrap` moves to `at` in the box, that
// rounding blurs their places. `reach` of the point's row is rounded, too. The answer depends on nothing else, so that
// all calls find a row in the same order.
uint32_t mote_margin_blurred(const mote_neighbors *search, const class_sort *sort, const image *wrap,
                             const double at[3], double reach);

// Tells whether all points of the set are in level 0 and mote_margin_blurred is 0 for each of them, at a reach of at
// most this. It may say false where that is so, too.
bool mote_margin_is_sharp(const mote_neighbors *search, const class_sort *sort, double reach);

// The part of the margins that grows with the reach, for all levels.
double mote_margin_grow(const mote_neighbors *search);

// Bounds the rounding errors of the test, of wrapped positions and of the sieve's floats, for the points of a level.
level_margin mote_margin_of_level(const mote_neighbors *search, const class_sort *sort, const group_bounds *group,
                                  uint32_t level);

// Returns the images of the box in which points with fractions of low … high can be within `reach` of the group. The
// margins are added axis by axis: that of a long period would span any number of short ones.
image_range mote_margin_images(const mote_neighbors *search, const group_bounds *group, const level_margin *margin,
                               double reach, const double low[3], const double high[3]);

#endif
