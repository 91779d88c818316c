// SPDX-License-Identifier: MIT
// fluid/field_lanes.h: which particles are near bodies that are fields, and what the fields' nodes say where they are,
// many particles at a time.
#ifndef MOTE_FLUID_FIELD_LANES_H
#define MOTE_FLUID_FIELD_LANES_H

#include "base/internal.h"
#include "fluid/row.h"

// Steps between nodes along a block's edge; nodes along it, and in a block.
enum { FIELD_STEP_BITS = 2, FIELD_STEPS = 1 << FIELD_STEP_BITS, FIELD_SIDE = FIELD_STEPS + 1 };
enum { FIELD_NODES = FIELD_SIDE * FIELD_SIDE * FIELD_SIDE };
#define FIELD_MOST_BLOCKS (UINT32_MAX / FIELD_NODES / FIELD_NUMBERS)  // numbers of nodes are found with 32 bits
// Bits of a block's cells, x fastest, in words.
enum { FIELD_CELL_WORDS = 2, FIELD_OCTANTS_BEHIND = 3 };  // that many bytes are read behind the last block
_Static_assert(FIELD_STEPS * FIELD_STEPS * FIELD_STEPS == 32 * FIELD_CELL_WORDS, "a bit for each cell of a block");
enum { FIELD_CURVE = 64 };  // steps of a curve of flat walls
enum { FIELD_VALUES = 4 };  // of a place; the last one is not defined where nodes have three numbers

// A field that rests and has a grid of its blocks (wall_field.h), for records of places relative to an origin.
typedef struct field_still {
    double origin[3], corner[3], per_edge;
    double low[3], high[3];            // it is 0 outside
    float near_low[3], near_high[3];   // around that, relative to the origin
    uint32_t size[3];
    const uint32_t *grid, *cells;
    const uint8_t *octants;
    float near_corner[3], octants_per_edge, last_octant[3];  // of the grid of octants, relative to the origin
    // How far apart a particle's two places may be along each axis for octants to tell where something may be; of
    // records, of which the fourth numbers do not matter.
    float farthest[4 * MOTE_WIDE_MOST];
    const float *nodes;  // with room for one number behind
    size_t width;        // numbers of a node
    bool is_flat;
} field_still;

// From which accelerations by fields follow, with the solver onderik: curves of flat walls; arrays of the particles;
// and constants that those of fields and those of layers have in common (onderik_walls.c).
typedef struct field_push {
    const float *across, *along, *drag, *density, *pressure, *velocity[3], *acceleration[3];
    float full, half_step, g[3], wall_drag;
    double rest_density, support_pressure, push, viscous;
    uint32_t field_count;
} field_push;

// Places of a particle: where it was in the middle of the last step, and where it is.
enum { FIELD_MIDDLE, FIELD_NOW, FIELD_PLACES, FIELD_STRIDE = FIELD_PLACES * FIELD_VALUES };

// One table for each instruction set; all forms have the bits of mote_field_find.
typedef struct field_lanes {
    size_t width;
    // Sets the bits of records one of whose two places is in a cell where something is, and of some others; bits are
    // numbered from the first record on, 32 a word. `count` is a multiple of `width`.
    void (*mark)(const field_still *field, const fluid_place *places, const fluid_place *others, size_t count,
                 uint32_t *marks);
    // What is at the places of these records; 0 where nothing is. Values of the k-th one begin at k·stride; bit k of
    // `acts` is set if it is in a cell where something is. `count` is a multiple of `width`.
    void (*look)(const field_still *field, const fluid_place *places, const uint32_t *numbers, size_t count,
                 float *values, size_t stride, uint32_t *acts);
    // The accelerations of these particles by all fields, whose values are as `look` wrote them, from k·stride on, one
    // field FIELD_STRIDE numbers behind the other; `found` receives four numbers of the k-th one from k·stride on.
    void (*push)(const field_push *of, const uint32_t *numbers, size_t count, const float *values, size_t stride,
                 float *found);
} field_lanes;

extern const field_lanes mote_field_lanes_plain, mote_field_lanes_avx2, mote_field_lanes_avx512, mote_field_lanes_128;
const field_lanes *mote_field_lanes_of(mote_simd form);

#endif
