// SPDX-License-Identifier: MIT
// fluid/field_lanes.h: which particles are near bodies that are fields, and what the fields' nodes say where they are,
// many particles at a time.
#ifndef MOTE_FLUID_FIELD_LANES_H
#define MOTE_FLUID_FIELD_LANES_H

#include "base/internal.h"
#include "fluid/row.h"

// Steps between nodes along a block's edge; nodes along it, and in a block.
enum { FIELD_STEPS = 4, FIELD_SIDE = FIELD_STEPS + 1, FIELD_NODES = FIELD_SIDE * FIELD_SIDE * FIELD_SIDE };
enum { FIELD_VALUES = 4 };  // of a place; the last one is not defined where nodes have three numbers

// A field that rests and has a grid of its blocks (wall_field.h), for records of places relative to an origin.
typedef struct field_still {
    double origin[3], corner[3], per_edge;
    double low[3], high[3];            // it is 0 outside
    float near_low[3], near_high[3];   // around that, relative to the origin
    uint32_t size[3];
    const uint32_t *grid;
    const float *nodes;  // with room for one number behind
    size_t width, of_block;  // numbers of a node, and of a block's nodes
    bool is_flat;
} field_still;

// One table for each instruction set; all forms have the bits of mote_field_find.
typedef struct field_lanes {
    size_t width;
    // Sets the bits of records whose places are in blocks that have nodes, and perhaps of others; bits are numbered
    // from the first record on, 32 a word. `count` is a multiple of `width`.
    void (*mark)(const field_still *field, const fluid_place *places, size_t count, uint32_t *marks);
    // What is at the places of these records; 0 where nothing is. Values of the k-th one begin at k·stride. `count` is
    // a multiple of `width`.
    void (*look)(const field_still *field, const fluid_place *places, const uint32_t *numbers, size_t count,
                 float *values, size_t stride);
} field_lanes;

extern const field_lanes mote_field_lanes_plain, mote_field_lanes_avx2, mote_field_lanes_128;
const field_lanes *mote_field_lanes_of(mote_simd form);

#endif
