// SPDX-License-Identifier: MIT
// fluid/wall_field.h: walls without particles. What a body does to a fluid particle is a function of the place, which
// is computed once (Onderik & Ďurikovič 2008, section 3.3) on a sparse grid near the surface.
#ifndef MOTE_FLUID_WALL_FIELD_H
#define MOTE_FLUID_WALL_FIELD_H

#include "base/table.h"
#include "fluid/field_lanes.h"
#include "fluid/peek.h"
#include "fluid/pair_sums.h"

enum { FIELD_NUMBERS = 4 };  // the most that a node has
enum { FIELD_LANES = 8 };    // room behind nodes, for registers
enum { FIELD_BLOCK = 2 };    // edge of a block in spacings: nodes are half a one apart
enum { FIELD_MOST_AROUND = 125 };  // 5³ blocks: supports are at most two blocks wide in 3D, and three in 2D
enum { FIELD_MOST_PLACES = 1 << 22 };  // of a grid of numbers, 16 MiB; larger bodies have a table alone

// The sums over a flat wall as functions of the first of them, from 0 to its value at the wall (Harada et al. 2007 have
// functions of the distance). With s = h − r and layers that continue the lattice:
typedef struct field_curves {
    double full;    // Σ s²/r dz at the wall, where dz is across it
    double middle;  // half a spacing from it
    // Of shares k/FIELD_CURVE of that:
    float across[FIELD_CURVE + 1], along[FIELD_CURVE + 1];  // Σ s²/r dz², Σ s²/r dx²
    float drag[FIELD_CURVE + 1], density[FIELD_CURVE + 1];  // Σ s, Σ (1 − r²/h²)³
} field_curves;

// A curve at a share of the sum, linear in between; from 1 on its last value.
MOTE_INLINE float field_on_curve(const float curve[FIELD_CURVE + 1], float share)
{
    if (share >= 1) return curve[FIELD_CURVE];
    const float at = share * FIELD_CURVE;
    const int k = (int)at;
    return curve[k] + (at - (float)k) * (curve[k + 1] - curve[k]);
}

// field_curves.c
void mote_field_find_curves(int dimensions, double h, double spacing, field_curves *curves);
// Σ s²/r dz over a half space, half a spacing from it, in units of d^D.
double mote_field_half_space(int dimensions, double h, double spacing);

// The same for the solver weak, of shares k/FIELD_CURVE of Σ V W/α at the wall, which grows evenly towards it.
typedef enum weak_field_curve {
    WEAK_ACROSS, WEAK_ALONG,          // Σ V G dz², Σ V G dx²
    WEAK_STIFF_ACROSS, WEAK_STIFF_ALONG,  // Σ V G dz³/r², Σ V G dz dx²/r²
    WEAK_CROWDING,                    // Σ V G (1 + 0.2 (W/W(d))⁴) dz over Σ V G dz
    WEAK_DISTANCE,                    // from the wall [m]
    WEAK_FIELD_CURVES
} weak_field_curve;
typedef struct weak_field_curves {
    double full;                       // Σ V W/α at the wall
    double lean_scale, filling_scale;  // of sums over a continuous wall, in units of d^D
    float at[WEAK_FIELD_CURVES][FIELD_CURVE + 1];
} weak_field_curves;
// field_curves.c. A field has f + smoothing · f'' instead of f [m²].
void mote_weak_find_curves(const mote_fluid *fluid, double smoothing, weak_field_curves *curves);

typedef struct field_block {
    int32_t key[3];
    uint32_t nodes;  // the number of its nodes' array; UINT32_MAX, only while the field is built: it has none
    float distance;  // of its middle from the body [m]; only while the field is built
    bool is_whole;   // all its cells are within the body; only while the field is built
} field_block;

// The field of a body. Blocks of the grid that the surface passes, or comes near, have nodes.
typedef struct wall_field {
    uint32_t boundary;
    mote_box box, reached;  // of the body; the field is 0 outside the second one
    mote_vec3 corner;   // of block (0, 0, 0)
    double edge, per_edge;  // of a block [m], and its reciprocal
    mote_table table;   // of blocks, if there is no grid
    mote_buffer grid;   // uint32_t: all blocks' nodes at once, x fastest, if there are not too many; else empty
    uint32_t size[3];   // of that: blocks along each axis; 0 without a grid
    uint32_t most[3];   // blocks that the second box reaches, along each axis
    mote_buffer blocks;  // field_block: those that have nodes, their own or shared ones
    // With a grid: the bits of the cells of each block where something is, uint32_t[FIELD_CELL_WORDS]; and, of all
    // blocks of the grid, uint8_t with the bits of octants that have such a cell no more than a cell's edge away.
    mote_buffer cells, octants;
    mote_buffer nodes;   // of the nodes of blocks: Σ s²/r dx; with the solver weak L and F (weak_field.c)
    uint32_t numbers;    // of each node: 3 or 4
    uint32_t block_count, node_blocks;  // the second one: arrays of nodes; fewer, where blocks share them
    uint64_t checksum;  // of all that
    bool is_flat;
} wall_field;

// field_grid.c: where blocks and nodes of a field are. The field of a body in this box, without blocks; and what
// follows from its blocks and nodes: those without nodes are dropped.
wall_field mote_field_empty(const mote_fluid *fluid, uint32_t boundary, mote_box box);
mote_result mote_field_finish(mote_context *context, wall_field *field);
// Room for the nodes of so many blocks, whose numbers are not set. @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY
mote_result mote_field_reserve_nodes(mote_context *context, wall_field *field, uint32_t blocks);
mote_result mote_field_put_block(mote_context *context, wall_field *field, const field_block *block);
const field_block *mote_field_find_block(const wall_field *field, const int32_t key[3]);
int mote_field_nodes_of_block(const wall_field *field);
int32_t mote_field_width(const wall_field *field);  // in blocks, a power of two
// The blocks from one to `range` blocks to all sides of it, itself among them: how many; how far away the k-th is.
int mote_field_blocks_around(const wall_field *field, int range);
void mote_field_block_around(const wall_field *field, int range, int k, int32_t away[3]);
// field_alike.c: gives blocks that are surrounded alike, as far as a kernel reaches, the same nodes' number.
// @param filling  of the cells of each block
// @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY
mote_result mote_field_share_nodes(mote_context *context, wall_field *field, const float *filling, size_t cells,
                                   int range);
void mote_field_release(mote_context *context, wall_field *field);
double mote_field_box_width(mote_box box, bool is_flat);
// field_build.c: adds an empty field, after a check of the body, with the curves that it needs.
mote_result mote_field_begin(mote_fluid *fluid, uint32_t boundary, mote_box box, wall_field **field, mote_error *error);
// field_grid.c: goes on with a checksum, over all fields; a fluid without fields leaves `sum` as it is.
uint64_t mote_field_checksum(const mote_fluid *fluid, uint64_t sum);
// Whether any field may act at a place at all; the sums of all of them, as mote_pair_lanes have them over
// wall particles; and what one of them adds (wall_field.c). `known`: what mote_field_known says of the place,
// FIELD_STRIDE numbers from one field to the next; NULL: places are looked up.
bool mote_field_reaches(const mote_fluid *fluid, const fluid_place *own);
mote_wall_sums mote_field_walls(const mote_fluid *fluid, const fluid_place *own, const float *known,
                                const mote_wall_pressure *pressure);
float mote_field_density(const mote_fluid *fluid, const fluid_place *own);
mote_wall_sums mote_field_sums_of(const mote_fluid *fluid, uint32_t field, const fluid_place *own,
                                  const mote_wall_pressure *pressure);
// field_grid.c: what a body's nodes say at a place, in the frame of the body as it was made; false: nothing is there.
// The place of a record; the length of a vector (wall_field.c).
bool mote_field_find(const wall_field *field, mote_vec3 at, float values[FIELD_NUMBERS]);
mote_vec3 mote_field_place(const mote_fluid *fluid, const fluid_place *own);
float mote_field_length(const float v[3]);
mote_result mote_field_validate(const mote_fluid *fluid, mote_error *error);
void mote_fluid_release_fields(mote_fluid *fluid);
size_t mote_fluid_field_bytes(const mote_fluid *fluid);

#endif
