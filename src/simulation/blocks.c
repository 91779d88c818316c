// SPDX-License-Identifier: MIT
// Blocks of fluid: particles on a lattice with the spacing of the fluid. In a box the first one is half a spacing
// inside the lowest corner, and between two sides of the tank the lattice is stretched to fit; it then has the number
// of layers that is nearest to the block's volume. In a ball or a cylinder the middle of the lattice is that of the
// shape.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "simulation/blocks.h"

static const double most_rows = 0x1p28;  // that are looked through, in a ball or a cylinder

// Whether a block reaches from one closed side of the tank to the other.
static bool spans(const mote_block_def *block, const mote_tank_def *tank, int axis, double margin)
{
    const double low[3] = {block->min.x - tank->min.x, block->min.y - tank->min.y, block->min.z - tank->min.z};
    const double high[3] = {tank->max.x - block->max.x, tank->max.y - block->max.y, tank->max.z - block->max.z};
    const bool open[3] = {tank->open_x_min || tank->open_x_max, tank->open_y_min || tank->open_y_max,
                          tank->open_z_min || tank->open_z_max};
    return !open[axis] && fabs(low[axis]) <= margin && fabs(high[axis]) <= margin;
}

// Between two sides of the tank the pitch is that of the wall particles: a gap at a side would be filled at once,
// and would keep the water moving for a long time. The pitch along the other axes compensates for it, so that a cell
// has the volume d^D; if there is no other axis, nothing is stretched. @return whether it is
static bool find_pitches(const mote_simulation_def *def, const mote_block_def *block, const double size[3],
                         bool free[3], block_lattice *made)
{
    const double d = def->fluid.spacing;
    const bool flat = def->fluid.dimensions == 2;
    int free_count = 0;
    for (int k = 0; k < 3; ++k) {
        made->pitch[k] = d;
        made->n[k] = floor(size[k] / d + block_slack);
        free[k] = !(flat && k == 1) && !(def->has_tank && spans(block, &def->tank, k, block_slack * d));
        free_count += free[k];
    }
    double volume = 1;  // of a cell, in units of d^D, after stretching between sides
    for (int k = 0; k < 3 && free_count > 0; ++k) {
        if (free[k] || !(made->n[k] >= 1) || fabs(made->n[k] * d - size[k]) <= block_slack * d) continue;
        made->n[k] = floor(size[k] / d + 0.5);
        made->pitch[k] = size[k] / made->n[k];
        volume *= made->pitch[k] / d;
    }
    for (int k = 0; k < 3 && volume != 1; ++k) {
        free[k] = free[k] && made->n[k] >= 1;
        if (!free[k]) continue;
        made->pitch[k] = MOTE_MIN(d / (free_count == 1 ? volume : sqrt(volume)), size[k]);
        made->n[k] = floor(size[k] / made->pitch[k] + block_slack);
    }
    return volume != 1;
}

static mote_box extent_of(const mote_simulation_def *def, const mote_block_def *block, const block_lattice *made)
{
    const double *n = made->n, *pitch = made->pitch;
    mote_box extent = {.min = block->min};
    if (def->fluid.dimensions == 2) extent.min.y = -0.5 * def->fluid.spacing;
    extent.max = mote_vec3_add(extent.min, mote_vec3_make(n[0] * pitch[0], n[1] * pitch[1], n[2] * pitch[2]));
    return extent;
}

// Whether a block may reach as far as this: it stays within the tank and the periodic box, and leaves room for half a
// spacing by which others may grow as well.
static bool has_room(const mote_simulation_def *def, const mote_block_def *block, mote_box extent)
{
    const double d = def->fluid.spacing, margin = block_slack * d;
    const int dimensions = def->fluid.dimensions;
    const mote_box shrunk = mote_box_grow(extent, -margin);
    if (def->has_tank && !mote_tank_contains(&def->tank, dimensions, shrunk.max)) return false;
    const mote_vec3 far = def->periodic.max;
    if (def->has_periodic && ((def->periodic.x && shrunk.max.x > far.x) || (def->periodic.y && shrunk.max.y > far.y) ||
                              (def->periodic.z && shrunk.max.z > far.z)))
        return false;
    for (size_t k = 0; k < def->block_count; ++k) {
        const mote_block_def *other = &def->blocks[k];
        if (other == block || (other->shape == MOTE_SHAPE_POINTS && !other->points)) continue;
        if (mote_block_fluid(def, k) != mote_block_fluid(def, (size_t)(block - def->blocks))) continue;
        mote_box taken = mote_block_box(other, dimensions);
        taken.max = mote_vec3_add(taken.max, mote_vec3_make(d / 2, d / 2, d / 2));
        if (dimensions == 2) taken.min.y = extent.min.y, taken.max.y = extent.max.y;
        if (mote_box_overlaps(extent, taken, margin)) return false;
    }
    return true;
}

// A stretched block has the nearest whole number of layers, as it has the nearest volume then; where there is no room
// for the last one, as many as fit.
static void round_layers(const mote_simulation_def *def, const mote_block_def *block, const double size[3],
                         const bool free[3], block_lattice *made)
{
    block_lattice more = *made;
    for (int k = 0; k < 3; ++k)
        if (free[k]) more.n[k] = floor(size[k] / made->pitch[k] + 0.5);
    if (has_room(def, block, extent_of(def, block, &more))) *made = more;
}

static block_lattice lattice_of_box(const mote_simulation_def *def, const mote_block_def *block)
{
    const bool flat = def->fluid.dimensions == 2;
    const double size[3] = {block->max.x - block->min.x, flat ? def->fluid.spacing : block->max.y - block->min.y,
                            block->max.z - block->min.z};
    block_lattice made;
    bool free[3];
    if (find_pitches(def, block, size, free, &made)) round_layers(def, block, size, free, &made);
    const double *pitch = made.pitch;
    made.extent = extent_of(def, block, &made);
    made.first = mote_vec3_add(made.extent.min, mote_vec3_make(0.5 * pitch[0], 0.5 * pitch[1], 0.5 * pitch[2]));
    return made;
}

// Around the middle of a ball or a cylinder, as many places as fit into the box around it.
static block_lattice lattice_around(const mote_simulation_def *def, const mote_block_def *block)
{
    const double d = def->fluid.spacing;
    const bool flat = def->fluid.dimensions == 2;
    const mote_box box = mote_block_box(block, def->fluid.dimensions);
    const mote_vec3 middle = mote_vec3_scale(mote_vec3_add(box.min, box.max), 0.5);
    const double size[3] = {box.max.x - box.min.x, flat ? d : box.max.y - box.min.y, box.max.z - box.min.z};
    block_lattice made = {.pitch = {d, d, d}};
    for (int k = 0; k < 3; ++k) made.n[k] = floor(size[k] / d + block_slack);
    const mote_vec3 half = mote_vec3_scale(mote_vec3_make(made.n[0], made.n[1], made.n[2]), 0.5 * d);
    made.extent = (mote_box){mote_vec3_sub(middle, half), mote_vec3_add(middle, half)};
    made.first = mote_vec3_add(made.extent.min, mote_vec3_make(0.5 * d, 0.5 * d, 0.5 * d));
    if (flat) made.first.y = 0;
    return made;
}

block_lattice mote_block_lattice(const mote_simulation_def *def, size_t k)
{
    const mote_block_def *block = &def->blocks[k];
    if (block->shape == MOTE_SHAPE_BOX) return lattice_of_box(def, block);
    if (block->shape != MOTE_SHAPE_POINTS) return lattice_around(def, block);
    block_lattice made = {.extent = mote_block_box(block, def->fluid.dimensions)};
    return made;
}

// -------------------------------------------------------------------------------------------------------- particles

block_row mote_block_row(const mote_simulation_def *def, size_t k, const block_lattice *lattice, size_t iy, size_t iz)
{
    const mote_block_def *block = &def->blocks[k];
    block_row row = {0, (size_t)lattice->n[0]};
    if (block->shape == MOTE_SHAPE_BOX) return row;
    const double y = lattice->first.y + (double)iy * lattice->pitch[1];
    const double z = lattice->first.z + (double)iz * lattice->pitch[2];
    const double margin = block_slack * def->fluid.spacing;
    double span[2];
    if (!mote_shape_span(block, def->fluid.dimensions, margin, y, z, span)) return (block_row){0, 0};
    const double begin = ceil((span[0] - lattice->first.x) / lattice->pitch[0]);
    const double last = floor((span[1] - lattice->first.x) / lattice->pitch[0]);
    if (!(last >= begin && last >= 0 && begin < lattice->n[0])) return (block_row){0, 0};
    if (begin > 0) row.begin = (size_t)begin;
    if (last + 1 < lattice->n[0]) row.end = (size_t)last + 1;
    return row;
}

double mote_block_particles(const mote_simulation_def *def, size_t k)
{
    const mote_block_def *block = &def->blocks[k];
    if (block->shape == MOTE_SHAPE_POINTS) return (double)block->point_count;
    const block_lattice made = mote_block_lattice(def, k);
    const double *n = made.n;
    // One whose rows are too many to look through has more particles than there may be.
    if (block->shape == MOTE_SHAPE_BOX || !(n[0] >= 1) || n[1] * n[2] > most_rows) return n[0] * n[1] * n[2];
    double count = 0;
    for (size_t iz = 0; iz < (size_t)n[2]; ++iz)
        for (size_t iy = 0; iy < (size_t)n[1]; ++iy) {
            const block_row row = mote_block_row(def, k, &made, iy, iz);
            count += (double)(row.end - row.begin);
        }
    return count;
}

void mote_block_fill(const mote_simulation_def *def, size_t k, double *positions)
{
    const mote_block_def *block = &def->blocks[k];
    if (block->shape == MOTE_SHAPE_POINTS) {
        if (block->point_count > 0) memcpy(positions, block->points, block->point_count * 3 * sizeof *positions);
        for (size_t i = 0; i < block->point_count && def->fluid.dimensions == 2; ++i) positions[3 * i + 1] = 0;
        return;
    }
    const block_lattice made = mote_block_lattice(def, k);
    const size_t ny = (size_t)made.n[1], nz = (size_t)made.n[2];
    for (size_t iz = 0; iz < nz; ++iz)
        for (size_t iy = 0; iy < ny; ++iy) {
            const block_row row = mote_block_row(def, k, &made, iy, iz);
            for (size_t ix = row.begin; ix < row.end; ++ix, positions += 3) {
                positions[0] = made.first.x + (double)ix * made.pitch[0];
                positions[1] = made.first.y + (double)iy * made.pitch[1];
                positions[2] = made.first.z + (double)iz * made.pitch[2];
            }
        }
}

double mote_blocks_count(const mote_simulation_def *def)
{
    double total = 0;
    for (size_t k = 0; k < def->block_count; ++k) total += mote_block_particles(def, k);
    return total;
}

double mote_blocks_depth(const mote_simulation_def *def)
{
    double g = mote_vec3_length(def->fluid.gravity);
    if (!(g > 0) || def->block_count == 0) return 0;
    mote_vec3 up = mote_vec3_scale(def->fluid.gravity, -1 / g);
    double top = -HUGE_VAL, bottom = HUGE_VAL;
    for (size_t k = 0; k < def->block_count; ++k) {
        const mote_block_def *block = &def->blocks[k];
        top = MOTE_MAX(top, mote_shape_reach(block, def->fluid.dimensions, up));
        bottom = MOTE_MIN(bottom, -mote_shape_reach(block, def->fluid.dimensions, mote_vec3_scale(up, -1)));
    }
    // The tank's floor counts if gravity is along an axis and there is a wall on that side.
    const mote_tank_def *tank = &def->tank;
    if (def->has_tank) {
        if (up.z == 1 && !tank->open_z_min) bottom = MOTE_MIN(bottom, tank->min.z);
        if (up.z == -1 && !tank->open_z_max) bottom = MOTE_MIN(bottom, -tank->max.z);
        if (up.x == 1 && !tank->open_x_min) bottom = MOTE_MIN(bottom, tank->min.x);
        if (up.x == -1 && !tank->open_x_max) bottom = MOTE_MIN(bottom, -tank->max.x);
        if (up.y == 1 && !tank->open_y_min) bottom = MOTE_MIN(bottom, tank->min.y);
        if (up.y == -1 && !tank->open_y_max) bottom = MOTE_MIN(bottom, -tank->max.y);
    }
    return MOTE_MAX(top - bottom, 0);
}
