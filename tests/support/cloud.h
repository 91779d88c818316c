// SPDX-License-Identifier: MIT
// support/cloud.h: random point sets with radii and periodic boxes, and their neighbours by brute force: double loops
// over plain arithmetic, written without the library.
#ifndef MOTE_TEST_CLOUD_H
#define MOTE_TEST_CLOUD_H

#include "mote/neighbors.h"

// Points of any scalar and dimensions. `xyz` holds what the scalar holds, widened; unused axes are 0.
typedef struct cloud {
    mote_scalar scalar;
    size_t count;
    double *xyz;    // 3 a point
    double *radii;  // one a point
    void *coordinates, *own_radii;  // the same in the scalar, as the library is given them
    mote_points points;
} cloud;

// Makes the library's view of xyz and radii, which are taken over; they are rounded to the scalar.
cloud cloud_make(mote_scalar scalar, int dimensions, size_t count, double *xyz, double *radii);
void cloud_free(cloud *points);
// After a change of xyz or radii.
void cloud_refresh(cloud *points);
ptrdiff_t cloud_radius_stride(const cloud *points);

// Points of a kind that the seed picks (uniform, clustered, lattice, coincident, with an outlier, far away) in about
// the unit cube, with radii of about `radius`.
cloud cloud_random(mote_random *random, mote_scalar scalar, int dimensions, size_t count, double radius);

// Edges of a random box: each axis periodic or open, at right angles or slanted.
void cloud_random_box(mote_random *random, int dimensions, mote_vec3 period[3]);

// A neighbour with all that is known of it.
typedef struct brute_hit {
    uint32_t index;
    int32_t shift[3];
    double d[3], squared;
} brute_hit;

typedef struct brute_row {
    brute_hit *hits;
    size_t count, room;
} brute_row;

// All neighbours in `set` of a point with a radius, ascending by index and shift. `self`: the point of the set that it
// is, or UINT32_MAX. `nearest` 0: by the def's radius and rule; else so many of the nearest, those first.
// @param reach  of a periodic box all images as near as that are looked at
void brute_find(const mote_neighbors_def *def, const cloud *set, const double at[3], double radius, uint32_t self,
                uint32_t nearest, double reach, brute_row *row);

// By index, then shift: for qsort.
int brute_compare(const void *a, const void *b);

#endif
