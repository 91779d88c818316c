// SPDX-License-Identifier: MIT
// hits/motion_certain.h: the results of motions whose first triangles are certain.
#ifndef MOTE_HITS_MOTION_CERTAIN_H
#define MOTE_HITS_MOTION_CERTAIN_H

#include "hits/motion_lanes.h"

enum { HITS_CERTAIN = 64, HITS_CERTAIN_RECORDS = 6 };

// Error of a volume, as a share of the product of the largest its factors can be: 6 products, 8·2^-53 of each.
#define HITS_VOLUME_ERROR 0x1p-47
// If the relative error of the sum of a triangle's volumes is larger, they are computed again.
#define HITS_TOLERABLE_ERROR 0x1p-30
// The error that times and barycentrics may have.
#define HITS_PLACE_ERROR 0x1p-40
// Error of a product with the triangle's edges and normal, as a share of the largest it can be, with room.
#define HITS_PLANE_ERROR 0x1p-49
// A place near a triangle at which a motion crosses its plane, seen from the triangle: what rounding its coordinates
// does to them, and what computing them from a distance does, of which about 2^-100 is left; and of a correction below
// HITS_PLACE_ERROR of the motion 2^-53.
#define HITS_PLACE_ROUNDING 0x1p-51
#define HITS_FAR_ROUNDING 0x1p-90

// A motion of a point, internal, and the triangle at rest that it hits first.
typedef struct hits_certain {
    double point[5][4];  // from, to and the triangle's corners; records for wide_load_columns
    uint32_t triangle, particle;
    size_t place;  // that of its hit among those found
    uint64_t unused[2];
} hits_certain;
_Static_assert(sizeof(hits_certain) == HITS_CERTAIN_RECORDS * 4 * sizeof(double), "records of wide_load_columns");

// One of them, exactly where that is needed.
void mote_hits_certain_alone(const mote_hits *hits, const hits_certain *of, mote_hit *hit);

#endif
