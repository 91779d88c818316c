// SPDX-License-Identifier: MIT
// What is wrong with blocks: fields that are missing, points and shapes outside of the tank or without a particle,
// blocks wider than a periodic box, their starts (start.c), and blocks that overlap (overlaps.c).

#include <math.h>

#include "base/vector.h"
#include "simulation/blocks.h"

static const double most_particles = 4294967293;  // 2^32 - 3

// Fields that a shape needs and that have no default.
static mote_result check_given(const mote_block_def *block, size_t k, mote_error *error)
{
    const bool is_box = block->shape == MOTE_SHAPE_BOX, is_long = block->shape == MOTE_SHAPE_CYLINDER;
    const bool is_round = block->shape == MOTE_SHAPE_BALL || is_long;
    const mote_vec3 axis = block->axis;
    const char *missing = NULL;
    if (is_box && isnan(block->min.x)) missing = "min";
    else if (is_box && isnan(block->max.x)) missing = "max";
    else if (is_round && isnan(block->center.x)) missing = "center";
    else if (is_round && !(block->radius > 0)) missing = "radius";
    else if (is_long && !(block->height > 0)) missing = "height";
    else if (is_long && axis.x == 0 && axis.y == 0 && axis.z == 0) missing = "axis";
    else if (block->shape == MOTE_SHAPE_POINTS && !(block->points && block->point_count)) missing = "points";
    if (!missing) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "blocks[%zu].%s is 0 or not set, expected that of a %s", k, missing,
                     is_box ? "box" : is_long ? "cylinder" : is_round ? "ball" : "block of points");
}

static mote_result check_points(const mote_simulation_def *def, size_t k, mote_error *error)
{
    const mote_block_def *block = &def->blocks[k];
    for (size_t i = 0; i < block->point_count; ++i) {
        const double *p = block->points + 3 * i;
        const bool is_finite = p[0] - p[0] == 0 && p[1] - p[1] == 0 && p[2] - p[2] == 0;
        if (!is_finite || (def->has_tank && !mote_tank_contains(&def->tank, def->fluid.dimensions,
                                                                mote_vec3_make(p[0], p[1], p[2]))))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                             "blocks[%zu].points: point %zu is (%g, %g, %g), expected %s", k, i, p[0],
                             p[1], p[2], is_finite ? "a point inside the tank" : "finite numbers");
    }
    return MOTE_OK;
}

// What is wider than a periodic box would fill a part of it twice, with particles at the same places.
static mote_result check_width(const mote_simulation_def *def, size_t k, mote_box box, mote_error *error)
{
    const mote_period_def *period = &def->periodic;
    const bool is_periodic[3] = {period->x, period->y && def->fluid.dimensions == 3, period->z};
    const double widths[3] = {box.max.x - box.min.x, box.max.y - box.min.y, box.max.z - box.min.z};
    const double most[3] = {period->max.x - period->min.x, period->max.y - period->min.y,
                            period->max.z - period->min.z};
    for (int axis = 0; axis < 3 && def->has_periodic; ++axis)
        if (is_periodic[axis] && widths[axis] > most[axis] + block_slack * def->fluid.spacing)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                             "blocks[%zu]: %g wide along %c, expected at most %g, the width of the periodic box", k,
                             widths[axis], "xyz"[axis], most[axis]);
    return MOTE_OK;
}

// Whether a block has room for particles, and is inside the tank.
static mote_result check_place(const mote_simulation_def *def, size_t k, mote_error *error)
{
    const mote_block_def *block = &def->blocks[k];
    const double d = def->fluid.spacing;
    const int dimensions = def->fluid.dimensions;
    if (block->shape == MOTE_SHAPE_POINTS) return check_points(def, k, error);
    const block_lattice made = mote_block_lattice(def, k);
    const bool is_box = block->shape == MOTE_SHAPE_BOX;
    const mote_box box = is_box ? (mote_box){block->min, block->max} : mote_block_box(block, dimensions);
    char what[160];
    mote_print(what, sizeof what, "from (%g, %g, %g) to (%g, %g, %g)", box.min.x, box.min.y, box.min.z, box.max.x,
               box.max.y, box.max.z);
    if (!(made.n[0] >= 1 && made.n[1] >= 1 && made.n[2] >= 1))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                         "blocks[%zu]: %s, expected at least one spacing of %g each way", k, what, d);
    if (!(mote_block_particles(def, k) > 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                         "blocks[%zu]: %s, expected a shape that holds a particle at a spacing of %g", k, what, d);
    const mote_box shrunk = mote_box_grow(is_box ? made.extent : box, -block_slack * d);
    if (def->has_tank && !(mote_tank_contains(&def->tank, dimensions, shrunk.min) &&
                           mote_tank_contains(&def->tank, dimensions, shrunk.max)))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "blocks[%zu]: %s, expected a block inside the tank", k, what);
    return check_width(def, k, box, error);
}

static mote_result check_block(const mote_simulation_def *def, size_t k, mote_error *error)
{
    const mote_block_def *block = &def->blocks[k];
    mote_result result = mote_fields_check(mote_block_fields(), block, error);
    if (result == MOTE_OK) result = check_given(block, k, error);
    if (result == MOTE_OK) result = check_place(def, k, error);
    if (result != MOTE_OK) return result;
    if (def->fluid.dimensions == 2 && block->velocity.y != 0 && !block->velocity_text[1])
        return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "blocks[%zu]: velocity has y = %g in 2D, expected 0", k,
                         block->velocity.y);
    return mote_block_check_start(def, k, error);
}

mote_result mote_blocks_check(mote_context *context, const mote_simulation_def *def, mote_error *error)
{
    for (size_t k = 0; k < def->block_count; ++k) {
        const mote_result result = check_block(def, k, error);
        if (result != MOTE_OK) return result;
    }
    const double total = mote_blocks_count(def);
    if (total > most_particles)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "blocks: %.0f particles, expected at most 2^32 - 2", total);
    return mote_blocks_check_overlaps(context, def, error);
}
