// SPDX-License-Identifier: MIT
// simulation/blocks.h: blocks of fluid at the start: their shapes (shapes.c), the lattices of their particles
// (blocks.c), whether they overlap (overlaps.c), how water at rest lies in them (columns.c, stacks.c), and their
// velocities and pressures (start.c).
#ifndef MOTE_SIMULATION_BLOCKS_H
#define MOTE_SIMULATION_BLOCKS_H

#include "mote/broadphase.h"
#include "simulation/internal.h"

static const double block_slack = 1e-6;  // of a spacing: what rounding may add to or take from a block's edge

// Where a block's particles may be. Those of a box are at all of these places, those of a ball or a cylinder at the
// places inside of it; points have no lattice, but an extent.
typedef struct block_lattice {
    mote_vec3 first;
    double n[3];      // places along each axis
    double pitch[3];  // distance from one place to the next
    mote_box extent;  // the cells of all places; of a box, the volume that it really fills
} block_lattice;

block_lattice mote_block_lattice(const mote_simulation_def *def, size_t k);

// The places along x of a row of the lattice that have a particle: begin … end − 1.
typedef struct block_row {
    size_t begin, end;
} block_row;
block_row mote_block_row(const mote_simulation_def *def, size_t k, const block_lattice *lattice, size_t iy, size_t iz);

// The number of a block's particles, and their positions, 3 · count.
double mote_block_particles(const mote_simulation_def *def, size_t k);
void mote_block_fill(const mote_simulation_def *def, size_t k, double *positions);

// Where a line along x at (y, z) runs inside a ball or a cylinder that is larger by `margin` all around.
// @return false if it does not
bool mote_shape_span(const mote_block_def *block, int dimensions, double margin, double y, double z, double span[2]);

// The distance that a block reaches from the origin in a direction of length 1.
double mote_shape_reach(const mote_block_def *block, int dimensions, mote_vec3 direction);

// How far it is from a place inside a ball or a cylinder to its surface, in a direction of length 1.
double mote_shape_way_out(const mote_block_def *block, int dimensions, mote_vec3 place, mote_vec3 direction);

// The float bounds around a box of doubles.
mote_bounds mote_block_bounds(mote_box box);
// Checks that blocks do not overlap; they may touch.
mote_result mote_blocks_check_overlaps(mote_context *context, const mote_simulation_def *def, mote_error *error);

// mixture.c: several fluids. Which one a block is of, 0 where there is one; whether a place is in a block that is no
// list of points; whether a later block of another fluid takes the place of this one.
size_t mote_block_fluid(const mote_simulation_def *def, size_t k);
bool mote_block_holds(const mote_simulation_def *def, size_t k, mote_vec3 p);
bool mote_block_is_replaced(const mote_simulation_def *def, size_t k, mote_vec3 p);
// The mass above a place, against gravity [kg/m²].
double mote_mixture_weight_above(const mote_simulation_def *def, mote_vec3 p, mote_vec3 up);

// Gravity along axes that are not periodic: along those it drives a flow, and presses no column of water down.
mote_vec3 mote_gravity_at_rest(const mote_simulation_def *def);

// The columns of a box along each axis, which gravity presses together.
typedef struct block_axis {
    double gravity, rate;  // along the axis [m/s²]; over c² [1/m], or 0 where water is not at rest
    double bottom, up;     // the face towards which gravity acts; 1, or −1 where that is the upper one
    double length;         // of the even lattice
    bool is_under_lid;     // the top is to stay where it is
} block_axis;
typedef struct block_columns {
    block_axis axes[3];
    mote_box extent;  // of the even lattice
    double gamma;
    bool is_linear;
    bool is_still;  // the block is a box of water at rest
} block_columns;
// Those of a box alone.
block_columns mote_block_columns(const mote_simulation_def *def, size_t k, const mote_phase_def *water);
// Moves a particle of the even lattice to where it is at rest; where it was; and the pressure of the water above a
// place, over the density of rest [m²/s²].
void mote_columns_compress(const block_columns *columns, double position[3]);
mote_vec3 mote_columns_even_place(const block_columns *columns, mote_vec3 p);
double mote_columns_pressure(const block_columns *columns, mote_vec3 p);

// stacks.c: the columns of all blocks, and which of these are near each other.
typedef struct block_stacks {
    mote_context *context;
    size_t count;
    double spacing;
    block_columns *columns;  // of each block alone
    mote_broadphase *broad;  // NULL: no two are at rest
    mote_id_rows near;       // its own
} block_stacks;
// Fills in `stacks`. Destroy it if that succeeds.
mote_result mote_stacks_create(mote_context *context, const mote_simulation_def *def, const mote_phase_def *water,
                               block_stacks *stacks, mote_error *error);
void mote_stacks_destroy(block_stacks *stacks);
// The columns through a place of a block's even lattice, from the lowest to the highest of the boxes that lie on each
// other there; and mote_columns_pressure of these at a place.
block_columns mote_stacks_columns(const block_stacks *stacks, size_t k, mote_vec3 place);
double mote_stacks_pressure(const block_stacks *stacks, size_t k, mote_vec3 place);

// The expression of a block's pressure; NULL: it is that of the water above.
const char *mote_block_pressure_text(const mote_block_def *block);

// Checks that the expressions of a block can be compiled, and whether it may have a pressure at all.
mote_result mote_block_check_start(const mote_simulation_def *def, size_t k, mote_error *error);

#endif
