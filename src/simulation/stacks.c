// SPDX-License-Identifier: MIT
// Boxes of water at rest that lie on each other, along any axis: the columns of each go on through the others, so that
// the lower one knows of the weight of the upper one, and the upper one stands where compression lowers it to. A box
// that covers another one in part is above those of its columns that it covers.

#include <math.h>

#include "base/vector.h"
#include "simulation/blocks.h"

// In spacings. Lattices end less than a spacing before boxes do: what is between them falls shut at once.
static const double widest_gap = 1, widest_slit = 0.5;

// Boxes with a gap between them, or none, are near each other.
static mote_result find_near(block_stacks *stacks, mote_error *error)
{
    mote_broadphase_def def = mote_broadphase_default_def();
    def.dimensions = 3;  // blocks of a plane are a spacing thick
    const size_t bytes = mote_bytes(stacks->count, sizeof(mote_bounds));
    mote_bounds *bounds = mote_allocate(stacks->context, bytes);
    if (!bounds) return MOTE_ERROR_OUT_OF_MEMORY;
    for (size_t k = 0; k < stacks->count; ++k)
        bounds[k] = mote_block_bounds(mote_box_grow(stacks->columns[k].extent, widest_gap * stacks->spacing));
    const mote_boxes boxes = mote_boxes_bounds(bounds, stacks->count, 3);
    mote_result result = mote_broadphase_create(stacks->context, &def, &stacks->broad, error);
    if (result == MOTE_OK)
        result = mote_broadphase_add_many(stacks->broad, boxes, MOTE_OBJECT_STATIC, mote_filter_all(), NULL, error);
    if (result == MOTE_OK) result = mote_broadphase_update(stacks->broad, error);
    if (result == MOTE_OK)
        result = mote_broadphase_query_boxes(stacks->broad, boxes, mote_filter_all(), &stacks->near, error);
    mote_release(stacks->context, bounds, bytes);
    return result;
}

mote_result mote_stacks_create(mote_context *context, const mote_simulation_def *def, const mote_phase_def *water,
                               block_stacks *stacks, mote_error *error)
{
    mote_result result = MOTE_OK;
    size_t still = 0;
    *stacks = (block_stacks){.context = context, .count = def->block_count, .spacing = def->fluid.spacing};
    if (stacks->count == 0) return MOTE_OK;
    stacks->columns = mote_allocate(context, mote_bytes(stacks->count, sizeof *stacks->columns));
    if (!stacks->columns) result = MOTE_ERROR_OUT_OF_MEMORY;
    for (size_t k = 0; k < stacks->count && result == MOTE_OK; ++k) {
        stacks->columns[k] = mote_block_columns(def, k, water);
        still += stacks->columns[k].is_still;
    }
    if (result == MOTE_OK && still > 1) result = find_near(stacks, error);
    if (result == MOTE_OK) return MOTE_OK;
    mote_stacks_destroy(stacks);
    if (result != MOTE_ERROR_OUT_OF_MEMORY) return result;  // the broad phase has said why
    return mote_fail(error, result, 0, "simulation: no memory for the columns of %zu blocks", def->block_count);
}

void mote_stacks_destroy(block_stacks *stacks)
{
    mote_broadphase_destroy(stacks->broad);
    if (stacks->columns)
        mote_release(stacks->context, stacks->columns, mote_bytes(stacks->count, sizeof *stacks->columns));
    *stacks = (block_stacks){.count = 0};
}

// How far a column along an axis through a place passes beside a box; below 0 if it goes through it.
static double distance_beside(const mote_box *box, int axis, const double at[3])
{
    const double *low = &box->min.x, *high = &box->max.x;
    double beside = -HUGE_VAL;
    for (int c = 0; c < 3; ++c)
        if (c != axis) beside = MOTE_MAX(beside, MOTE_MAX(low[c] - at[c], at[c] - high[c]));
    return beside;
}

// The box above or below one in its column through a place; SIZE_MAX: there is none.
static size_t next_box(const block_stacks *stacks, size_t k, int axis, bool is_above, const double at[3])
{
    const double d = stacks->spacing, slack = block_slack * d;
    const block_axis *own = &stacks->columns[k].axes[axis];
    const uint32_t *ids = stacks->near.ids + stacks->near.first[k];
    double least = widest_slit * d - slack;
    size_t found = SIZE_MAX;
    for (uint32_t n = 0; n < stacks->near.counts[k]; ++n) {
        const block_columns *other = &stacks->columns[ids[n]];
        const block_axis *of = &other->axes[axis];
        if (ids[n] == k || !other->is_still) continue;
        const double gap = is_above ? own->up * (of->bottom - own->bottom) - own->length
                                    : own->up * (own->bottom - of->bottom) - of->length;
        const double beside = distance_beside(&other->extent, axis, at);
        if (gap < -slack || gap > widest_gap * d - slack || !(beside < least)) continue;
        found = ids[n], least = beside;
    }
    return found;
}

block_columns mote_stacks_columns(const block_stacks *stacks, size_t k, mote_vec3 place)
{
    const double at[3] = {place.x, place.y, place.z};
    block_columns columns = stacks->columns[k];
    for (int a = 0; a < 3 && stacks->broad && columns.is_still; ++a) {
        block_axis *of = &columns.axes[a];
        if (!(of->gravity > 0)) continue;
        double below = 0;
        for (size_t j = next_box(stacks, k, a, false, at); j != SIZE_MAX; j = next_box(stacks, j, a, false, at))
            below += stacks->columns[j].axes[a].length;
        for (size_t j = next_box(stacks, k, a, true, at); j != SIZE_MAX; j = next_box(stacks, j, a, true, at)) {
            of->length += stacks->columns[j].axes[a].length;
            of->is_under_lid = stacks->columns[j].axes[a].is_under_lid;
        }
        of->bottom -= of->up * below, of->length += below;
    }
    return columns;
}

double mote_stacks_pressure(const block_stacks *stacks, size_t k, mote_vec3 place)
{
    block_columns columns = mote_stacks_columns(stacks, k, place);
    // Columns are those of the even lattice. Where gravity is slanted compression moves particles across them.
    int slants = 0;
    for (int a = 0; a < 3; ++a) slants += columns.axes[a].gravity > 0;
    for (int round = 0; round < 3 && slants > 1 && stacks->broad; ++round)
        columns = mote_stacks_columns(stacks, k, mote_columns_even_place(&columns, place));
    return mote_columns_pressure(&columns, place);
}
