// SPDX-License-Identifier: MIT
// Bodies that overlap, as two boxes in whose inner edge water stands: a place that is in both belongs to the one that
// was made first. Otherwise it would have the walls of both, and these would press water out of the edge.
//
// Only bodies at rest are looked at: those that move leave the place again.

#include <math.h>

#include "base/vector.h"
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
