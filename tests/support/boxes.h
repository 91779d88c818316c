// SPDX-License-Identifier: MIT
// support/boxes.h: a plain list of boxes to hold broad phases against: what broadphase.h defines, by double loops,
// written without the library.
#ifndef MOTE_TEST_BOXES_H
#define MOTE_TEST_BOXES_H

#include "mote/broadphase.h"

typedef struct world_object {
    mote_bounds box;
    mote_filter filter;
    bool alive, is_static;
} world_object;

// By id.
typedef struct box_world {
    int dimensions;
    uint32_t count;
    world_object objects[4096];
} box_world;

typedef enum box_kind {
    BOXES_MIXED,       // sizes over six orders
    BOXES_UNIFORM,     // of about one size
    BOXES_GRID,        // corners on cell faces
    BOXES_COINCIDENT,  // a few boxes many times
    BOXES_FLAT,        // edges of 0
    BOXES_FAR,         // far from the origin
    BOXES_OUTLIER,     // one at 1e30, one that covers everything
    BOXES_CLUSTERS,
    BOX_KINDS
} box_kind;

const char *box_kind_name(box_kind kind);
mote_bounds box_random(mote_random *random, box_kind kind, int dimensions);
mote_filter filter_random(mote_random *random);

// Adds an object to the list, at the place of its id.
void world_put(box_world *world, uint32_t id, const mote_bounds *box, mote_filter filter, bool is_static);

bool world_boxes_meet(const mote_bounds *a, const mote_bounds *b, int dimensions);
bool world_filters_meet(mote_filter a, mote_filter b);
double world_squared_distance(const mote_bounds *box, const float at[3], int dimensions);
bool world_sphere_meets(const mote_bounds *box, const float at[3], float radius, int dimensions);
bool world_segment_meets(const mote_bounds *box, const float a[3], const float b[3], int dimensions);
bool world_sweep_meets(const mote_bounds *box, const mote_bounds *moving, const float motion[3], int dimensions);
bool world_pair_meets(const box_world *world, uint32_t a, uint32_t b);

// All pairs, ascending; released with free.
mote_pair *world_pairs(const box_world *world, size_t *count);

#endif
