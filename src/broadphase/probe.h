// SPDX-License-Identifier: MIT
// broadphase/probe.h: the shapes of queries, and the tests that define what they find (broadphase.h).
//
// Every shape has a reach, a box that everything it finds overlaps: methods need to know no other shape. If a test
// is in double, the reach is rounded outwards, so that rounding never makes the two disagree.
#ifndef MOTE_BROADPHASE_PROBE_H
#define MOTE_BROADPHASE_PROBE_H

#include <math.h>

#include "base/internal.h"
#include "mote/broadphase.h"

typedef enum probe_shape { PROBE_BOX, PROBE_SPHERE, PROBE_SWEEP } probe_shape;

typedef struct broadphase_probe {
    mote_bounds reach;
    probe_shape shape;
    double center[3], limit;   // sphere: its centre, and its squared radius
    double low[3], high[3];    // sweep: the range that the moving box covers on each axis
    double middle[3], size[3]; // twice its centre at half of the path, and its edges
    double motion[3];
} broadphase_probe;

// Fill a probe; axes beyond the dimensions are 0. Return false if a number is not finite, a box has min > max or a
// radius is below 0.
bool mote_probe_box(broadphase_probe *probe, int dimensions, const mote_bounds *box);
bool mote_probe_point(broadphase_probe *probe, int dimensions, const float point[3]);
bool mote_probe_sphere(broadphase_probe *probe, int dimensions, const float center[3], float radius);
bool mote_probe_segment(broadphase_probe *probe, int dimensions, const float a[3], const float b[3]);
bool mote_probe_sweep(broadphase_probe *probe, int dimensions, const mote_bounds *box, const float motion[3]);

MOTE_INLINE bool mote_bounds_overlap(const mote_bounds *a, const mote_bounds *b)
{
    bool meet = true;
    for (int k = 0; k < 3; ++k) meet &= (a->min[k] <= b->max[k]) & (b->min[k] <= a->max[k]);
    return meet;
}

// Squared distance of a point from a box, 0 inside.
static inline double mote_bounds_squared_distance(const mote_bounds *box, const double at[3])
{
    double d[3];
    for (int k = 0; k < 3; ++k) {
        double below = (double)box->min[k] - at[k], above = at[k] - (double)box->max[k];
        double outside = below > above ? below : above;
        d[k] = outside > 0 ? outside : 0;
    }
    return (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
}

// The shape's own test of a box that overlaps the reach.
bool mote_probe_meets(const broadphase_probe *probe, const mote_bounds *box);

// Cells of one size in which a moving box is searched.
typedef struct probed_cells {
    double inverse_edge;
    uint32_t count;  // number of existing cells
} probed_cells;

// The number of pieces to cut a moving box into so that searching each piece in its own reach visits the fewest
// cells: the reach of a long slanted motion contains mostly cells that the box never comes near. 1 for all other
// shapes.
uint32_t mote_probe_cut(const broadphase_probe *probe, const probed_cells *cells, size_t classes);

// The reach of piece `at` of `count`. A box that the shape's test accepts overlaps the reaches of some consecutive
// pieces, if none of its coordinates is beyond `largest`.
mote_bounds mote_probe_piece(const broadphase_probe *probe, uint32_t at, uint32_t count, double largest);

static inline bool mote_filters_meet(mote_filter a, mote_filter b)
{
    return (a.category & b.mask) && (b.category & a.mask);
}

#endif
