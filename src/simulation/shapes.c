// SPDX-License-Identifier: MIT
// The shapes of blocks. Balls and cylinders are described by the part of a line along x that runs inside of them: a
// place is inside if it is on that part, so that counting, filling and comparing cannot disagree.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "simulation/blocks.h"

// In 2D shapes are cut by the plane y = 0, and their centre lies in it.
static mote_vec3 center_of(const mote_block_def *block, int dimensions)
{
    mote_vec3 center = block->center;
    if (dimensions == 2) center.y = 0;
    return center;
}

// Of length 1; along z by default.
static mote_vec3 axis_of(const mote_block_def *block)
{
    const mote_vec3 axis = block->axis;
    if (isnan(axis.x) && isnan(axis.y) && isnan(axis.z)) return mote_vec3_make(0, 0, 1);
    const double most = fmax(fabs(axis.x), fmax(fabs(axis.y), fabs(axis.z)));
    const mote_vec3 scaled = mote_vec3_scale(axis, 1 / most);  // no square overflows
    return mote_vec3_scale(scaled, 1 / mote_vec3_length(scaled));
}

// Cuts the span off where low <= a + b x <= high does not hold.
static void cut_by_planes(double a, double b, double low, double high, double span[2])
{
    if (b == 0) {
        if (!(a >= low && a <= high)) span[1] = -HUGE_VAL;
        return;
    }
    const double first = (low - a) / b, second = (high - a) / b;
    span[0] = fmax(span[0], fmin(first, second));
    span[1] = fmin(span[1], fmax(first, second));
}

// Cuts the span off where a x² + 2 b x + c <= 0 does not hold; a >= 0, and b is 0 if a is.
static void cut_by_square(double a, double b, double c, double span[2])
{
    const double discriminant = b * b - a * c;
    if (a == 0) {
        if (!(c <= 0)) span[1] = -HUGE_VAL;
        return;
    }
    if (!(discriminant >= 0)) {
        span[1] = -HUGE_VAL;
        return;
    }
    const double root = sqrt(discriminant);
    span[0] = fmax(span[0], (-b - root) / a);
    span[1] = fmin(span[1], (-b + root) / a);
}

// The part of the line place + s · direction, direction of length 1, that is inside; s from span[0] to span[1].
static bool cut_line(const mote_block_def *block, int dimensions, double margin, mote_vec3 place, mote_vec3 direction,
                     double span[2])
{
    const mote_vec3 from = mote_vec3_sub(place, center_of(block, dimensions));
    const double radius = block->radius + margin;
    span[0] = -HUGE_VAL, span[1] = HUGE_VAL;
    if (block->shape == MOTE_SHAPE_BALL) {
        cut_by_square(1, mote_vec3_dot(from, direction), mote_vec3_dot(from, from) - radius * radius, span);
        return span[0] <= span[1];
    }
    // Along the axis, and square to it.
    const mote_vec3 axis = axis_of(block);
    const double half = block->height / 2 + margin;
    const double along = mote_vec3_dot(from, axis), turn = mote_vec3_dot(direction, axis);
    const mote_vec3 off = mote_vec3_add_scaled(from, axis, -along);
    const mote_vec3 slope = mote_vec3_add_scaled(direction, axis, -turn);
    double steep = mote_vec3_dot(slope, slope);
    if (steep < 1e-24) steep = 0;  // the line is parallel to the axis
    cut_by_planes(along, turn, -half, half, span);
    cut_by_square(steep, steep > 0 ? mote_vec3_dot(off, slope) : 0, mote_vec3_dot(off, off) - radius * radius, span);
    return span[0] <= span[1];
}

bool mote_shape_span(const mote_block_def *block, int dimensions, double margin, double y, double z, double span[2])
{
    return cut_line(block, dimensions, margin, mote_vec3_make(0, y, z), mote_vec3_make(1, 0, 0), span);
}

double mote_shape_way_out(const mote_block_def *block, int dimensions, mote_vec3 place, mote_vec3 direction)
{
    double span[2];
    return cut_line(block, dimensions, 0, place, direction, span) ? MOTE_MAX(span[1], 0) : 0;
}

static double reach_of_points(const mote_block_def *block, int dimensions, mote_vec3 direction)
{
    double most = -HUGE_VAL;
    for (size_t i = 0; i < block->point_count; ++i) {
        const double *p = block->points + 3 * i;
        most = MOTE_MAX(most, mote_vec3_dot(mote_vec3_make(p[0], dimensions == 2 ? 0 : p[1], p[2]), direction));
    }
    return most;
}

double mote_shape_reach(const mote_block_def *block, int dimensions, mote_vec3 direction)
{
    if (block->shape == MOTE_SHAPE_POINTS) return reach_of_points(block, dimensions, direction);
    if (block->shape == MOTE_SHAPE_BOX) {
        const double x = direction.x > 0 ? block->max.x : block->min.x;
        const double y = dimensions == 2 ? 0 : direction.y > 0 ? block->max.y : block->min.y;
        return mote_vec3_dot(mote_vec3_make(x, y, direction.z > 0 ? block->max.z : block->min.z), direction);
    }
    const double middle = mote_vec3_dot(center_of(block, dimensions), direction);
    if (block->shape == MOTE_SHAPE_BALL) return middle + block->radius;
    const mote_vec3 axis = axis_of(block);
    const double turn = mote_vec3_dot(direction, axis);
    return middle + fabs(turn) * block->height / 2 + sqrt(MOTE_MAX(1 - turn * turn, 0)) * block->radius;
}

mote_box mote_block_box(const mote_block_def *block, int dimensions)
{
    mote_box box = {{0, 0, 0}, {0, 0, 0}};
    if (!block) return box;
    if (block->shape == MOTE_SHAPE_BOX) return (mote_box){block->min, block->max};
    double *low[3] = {&box.min.x, &box.min.y, &box.min.z}, *high[3] = {&box.max.x, &box.max.y, &box.max.z};
    for (int k = 0; k < 3; ++k) {
        if (k == 1 && dimensions == 2) continue;
        const mote_vec3 up = {k == 0, k == 1, k == 2};
        *low[k] = -mote_shape_reach(block, dimensions, mote_vec3_scale(up, -1));
        *high[k] = mote_shape_reach(block, dimensions, up);
    }
    return box;
}

// Doubles are rounded to nearest, which may cut off half a float's step.
mote_bounds mote_block_bounds(mote_box box)
{
    const double low[3] = {box.min.x, box.min.y, box.min.z}, high[3] = {box.max.x, box.max.y, box.max.z};
    mote_bounds bounds;
    for (int k = 0; k < 3; ++k) {
        bounds.min[k] = nextafterf((float)fmax(low[k], -1e38), -INFINITY);
        bounds.max[k] = nextafterf((float)fmin(high[k], 1e38), INFINITY);
    }
    return bounds;
}

const char *mote_block_pressure_text(const mote_block_def *block)
{
    return block->pressure && strcmp(block->pressure, "hydrostatic") != 0 ? block->pressure : NULL;
}
