// SPDX-License-Identifier: MIT
// A tank with the boundary "field": what is behind each closed side is a body of its own, a slab that goes on for ever,
// and acts by a field (fluid/wall_field.c). Where sides meet, a slab belongs to one of them, as wall particles do
// (tank.c): sides that move leave it to those that do not, and otherwise that across x has it, then that across y.

#include <math.h>

#include "fluid/peek.h"
#include "simulation/internal.h"

static bool has_edge(const bool moves[MOTE_WALL_PARTS], int side, int other)
{
    return moves[side] == moves[other] ? side < other : moves[other];
}

static mote_box slab_behind(const mote_tank_def *tank, int dimensions, const bool moves[MOTE_WALL_PARTS], int side)
{
    mote_box slab = {tank->min, tank->max};
    double *const low = &slab.min.x, *const high = &slab.max.x;
    for (int k = 0; k < 3; ++k) {
        const double min = low[k], max = high[k];
        const bool is_flat = dimensions == 2 && k == 1, is_across = k == side / 2;
        if (is_flat || (is_across && side % 2 == 0)) low[k] = -HUGE_VAL;
        if (is_flat || (is_across && side % 2 == 1)) high[k] = HUGE_VAL;
        if (is_across && side % 2 == 0) high[k] = min;
        if (is_across && side % 2 == 1) low[k] = max;
        if (is_flat || is_across) continue;
        if (!mote_tank_is_open(tank, 2 * k) && has_edge(moves, side, 2 * k)) low[k] = -HUGE_VAL;
        if (!mote_tank_is_open(tank, 2 * k + 1) && has_edge(moves, side, 2 * k + 1)) high[k] = HUGE_VAL;
    }
    return slab;
}

void mote_tank_make_slabs(const mote_tank_def *tank, const wall_request *request, const bool moves[MOTE_WALL_PARTS],
                          point_list *walls)
{
    walls->are_slabs = true;
    walls->box = walls->inside = (mote_box){tank->min, tank->max};
    if (request->dimensions == 2) walls->box.min.y = walls->box.max.y = 0;
    for (int side = 0; side < MOTE_WALL_PARTS; ++side) {
        const bool is_flat = request->dimensions == 2 && side / 2 == 1;
        double *const ends = side % 2 ? &walls->inside.max.x : &walls->inside.min.x;
        if (is_flat || mote_tank_is_open(tank, side)) ends[side / 2] = side % 2 ? HUGE_VAL : -HUGE_VAL;
    }
    for (int side = 0; side < MOTE_WALL_PARTS; ++side) {
        const bool is_none = mote_tank_is_open(tank, side) || (request->dimensions == 2 && side / 2 == 1);
        walls->slabs[side] = is_none ? mote_box_empty() : slab_behind(tank, request->dimensions, moves, side);
    }
}

// How far a place is beyond the farthest face, or how deep within the slab. At edges that is less than the distance,
// never more, which is all that fields ask for; nor do they ask for the direction.
static void find_distance(const void *body, mote_vec3 place, double reach, double *distance, mote_vec3 *normal)
{
    const mote_box *slab = body;
    const double x = MOTE_MAX(slab->min.x - place.x, place.x - slab->max.x);
    const double y = MOTE_MAX(slab->min.y - place.y, place.y - slab->max.y);
    const double z = MOTE_MAX(slab->min.z - place.z, place.z - slab->max.z);
    *distance = MOTE_MAX(x, MOTE_MAX(y, z));
    *normal = (mote_vec3){0, 0, 0};
    if (fabs(*distance) > reach) *distance = copysign(HUGE_VAL, *distance);
}

// What of a slab is near the tank. Its grid begins a support before that, a whole number of spacings before the side.
static mote_box part_near(const mote_box *slab, const mote_box *tank, double spacing, double support)
{
    const double whole = ceil(support / spacing - 1e-9) * spacing;
    mote_box near = *slab;
    for (int k = 0; k < 3; ++k) {
        double *const low = &near.min.x + k, *const high = &near.max.x + k;
        *low = isinf(*low) ? (&tank->min.x)[k] + support - 2 * whole : *low + support - whole;
        if (isinf(*high)) *high = (&tank->max.x)[k] + support;
    }
    return near;
}

mote_result mote_tank_add_fields(mote_fluid *fluid, const uint32_t boundaries[MOTE_WALL_PARTS],
                                 const point_list *walls, mote_error *error)
{
    const mote_fluid_def def = mote_fluid_resolved_def(fluid);
    mote_result result = MOTE_OK;
    for (int side = 0; side < MOTE_WALL_PARTS && result == MOTE_OK; ++side) {
        const mote_box *slab = &walls->slabs[side];
        if (slab->min.x > slab->max.x) continue;
        const mote_box near = part_near(slab, &walls->box, def.spacing, def.support);
        result = mote_fluid_add_field(fluid, boundaries[side], near, find_distance, slab, &walls->inside, error);
    }
    return result;
}
