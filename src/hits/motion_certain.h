// SPDX-License-Identifier: MIT
// hits/motion_certain.h: the results of motions whose first triangles are certain.
#ifndef MOTE_HITS_MOTION_CERTAIN_H
#define MOTE_HITS_MOTION_CERTAIN_H

#include "hits/motion_lanes.h"

enum { HITS_CERTAIN = 64, HITS_CERTAIN_NAMES = 4 };

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

// A motion of a point, and the triangle at rest that it hits first.
typedef struct hits_certain {
    uint32_t triangle, particle;
    uint32_t place;  // that of its hit among those found
    uint32_t at;     // that of its ends
} hits_certain;

// What is known of a block of sorted motions, and of the places of hits: bits of the particles that have one, and how
// many have one before each word of them.
typedef struct hits_listing {
    const uint32_t *firsts;  // the triangle that each motion is certain to hit first, or UINT32_MAX
    size_t count;
    const char *numbers;  // the number of each one's particle,
    size_t stride;        // so many bytes after the one before
    const uint64_t *bits;
    const uint32_t *ranks;
} hits_listing;

// Where motions begin and end, in records of eight numbers; and where their hits are stored.
typedef struct hits_ends {
    const float *records;      // of sorted motions: the caller's coordinates, x, y, z, x, y, z; or NULL
    double (*points)[8];       // internal coordinates: x, y, z, any number, x, y, z, any number
    mote_hit *found;
    bool past_caches;  // they are so many that caches do not keep them: memory is written past the caches
} hits_ends;

// Names hits, by pairs of numbers that take the place of doubles in a mote_hit: the triangle and the mesh; the particle
// and a side of 1; the particle and a side of -1; the feature, which is a face, and 0.
// @param lanes    of each kind; those behind `count` are set to something
void mote_hits_name_certain(const mote_hits *hits, const hits_certain *of, size_t count, size_t lanes,
                            uint32_t *pairs);
// One of them, exactly where that is needed.
void mote_hits_certain_alone(const mote_hits *hits, const hits_certain *of, mote_vec3 from, mote_vec3 to,
                             mote_hit *hit);

#endif
