// SPDX-License-Identifier: MIT
// Bodies that overlap, as two boxes in whose inner edge water stands: a place that is in both belongs to the one that
// was made first. Otherwise it would have the walls of both, and these would press water out of the edge. Samples have
// walls at their surface only, and leave it to bodies that are filled, whichever was made first.
//
// Bodies that move leave the place again. As long as they are there, those of their wall particles that are in a body
// at rest, or in an earlier one that moves, do not count: its own hold the fluid. A field is always whole, so that what
// a moving one covers gives way to it. Two fields cannot give way to each other: one that moves is made of layers if it
// may come to overlap another one (solids.c).

#include <math.h>

#include "base/vector.h"
#include "fluid/peek.h"
#include "simulation/internal.h"

static const double least_overlap = 1e-6;  // in spacings: boxes that touch do not overlap by rounding

static bool is_in_the_way(const earlier_bodies *earlier, const simulation_object *object)
{
    mote_box box;
    if (!object->kind->is_filled || !object->kind->is_filled(object->state, &box)) return false;
    return earlier->period || mote_box_overlaps(earlier->box, box, earlier->margin);
}

earlier_bodies mote_earlier_bodies(const mote_simulation *simulation, const simulation_object *object, double spacing,
                                   const mote_period_def *period)
{
    earlier_bodies earlier = {.simulation = simulation, .box = mote_mesh_box(object->kind->mesh(object->state)),
                              .margin = least_overlap * spacing, .period = period};
    mote_boundary_motion motion;
    if (object->kind->motion_of(object->state, 0, &motion)) return earlier;
    for (size_t k = 0; &simulation->objects[k] != object; ++k)
        if (is_in_the_way(&earlier, &simulation->objects[k])) earlier.count = k + 1;
    return earlier;
}

bool mote_bodies_may_overlap(mote_box a, mote_box b, const mote_period_def *period, double spacing)
{
    const bool is_periodic[3] = {period && period->x, period && period->y, period && period->z};
    for (int k = 0; k < 3; ++k)
        if (is_periodic[k]) (&a.min.x)[k] = -HUGE_VAL, (&a.max.x)[k] = HUGE_VAL;  // images of it
    return mote_box_overlaps(a, b, least_overlap * spacing);
}

bool mote_body_may_leave_tank(const mote_tank_def *tank, int dimensions, mote_box swept, double spacing)
{
    const double beyond = MOTE_MAX(mote_tank_distance_beyond(tank, dimensions, swept.min),
                                   mote_tank_distance_beyond(tank, dimensions, swept.max));
    return beyond > least_overlap * spacing;
}

double mote_overlap_share(double distance, double spacing)
{
    return MOTE_MIN(MOTE_MAX(0.5 + distance / spacing, 0.0), 1.0);
}

double mote_earlier_distance(const earlier_bodies *earlier, mote_vec3 place, double reach)
{
    double nearest = HUGE_VAL;
    for (size_t k = 0; k < earlier->count; ++k) {
        const simulation_object *object = &earlier->simulation->objects[k];
        double distance;
        mote_vec3 normal;
        if (!is_in_the_way(earlier, object)) continue;
        object->kind->distance(object->state, place, reach, &distance, &normal);
        nearest = MOTE_MIN(nearest, distance);
    }
    return nearest;
}

// ----------------------------------------------------------------------------------------------- bodies that move

static bool moves(const simulation_object *object)
{
    mote_boundary_motion unused;
    return object->kind->motion_of && object->kind->motion_of(object->state, 0, &unused);
}

static bool is_moving_field(const simulation_object *object)
{
    return object->kind->is_field && object->kind->is_field(object->state) && moves(object);
}

// The object that a boundary of the fluid belongs to: those of its parts follow the first.
static const simulation_object *owner_of(const mote_simulation *simulation, uint32_t boundary)
{
    const simulation_object *found = NULL;
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (object->boundary == 0 || object->boundary > boundary) continue;
        if (!found || object->boundary > found->boundary) found = object;
    }
    return found;
}

// Whether an object's walls leave what another body fills to that one.
static bool gives_way(const simulation_object *object, const simulation_object *other)
{
    if (other == object || !other->kind->distance || other->boundary == 0) return false;
    if (is_moving_field(other)) return true;
    return object->kind->distance && moves(object) && (!moves(other) || other < object);
}

static double share_of(const void *data, uint32_t boundary, mote_vec3 place)
{
    const wall_shares *shares = data;
    const mote_simulation *simulation = shares->simulation;
    const simulation_object *object = owner_of(simulation, boundary);
    double nearest = HUGE_VAL;
    if (!object || !(shares->has_moving_field || (object->kind->distance && moves(object)))) return 1;
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const simulation_object *other = &simulation->objects[k];
        double distance;
        mote_vec3 normal;
        if (!gives_way(object, other)) continue;
        other->kind->distance(other->state, place, shares->spacing, &distance, &normal);
        nearest = MOTE_MIN(nearest, distance);
    }
    if (shares->has_tank && object->kind->distance)
        nearest = MOTE_MIN(nearest, -mote_tank_distance_beyond(&shares->tank, shares->dimensions, place));
    return mote_overlap_share(nearest, shares->spacing);
}

mote_result mote_simulation_share_walls(const mote_simulation *simulation, mote_fluid *fluid,
                                        const mote_simulation_def *def, wall_shares *shares, mote_error *error)
{
    bool any = false;
    *shares = (wall_shares){.simulation = simulation, .tank = def->tank, .dimensions = def->fluid.dimensions,
                            .spacing = def->fluid.spacing};
    shares->has_tank = def->has_tank && def->tank.boundary != MOTE_BOUNDARY_PLANES;
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (!object->kind->distance) {
            for (uint32_t part = 0; object->kind->motion_of && part < MOTE_WALL_PARTS; ++part) {
                mote_boundary_motion unused;
                if (object->kind->motion_of(object->state, part, &unused)) shares->has_tank = false;
            }
            continue;
        }
        any = any || moves(object);
        shares->has_moving_field = shares->has_moving_field || is_moving_field(object);
    }
    return any ? mote_fluid_share_walls(fluid, share_of, shares, error) : MOTE_OK;
}
