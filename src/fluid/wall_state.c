// SPDX-License-Identifier: MIT
// The state of wall particles as the fluid has it: pressures extrapolated from the fluid to the walls (Adami et al.
// 2012, eq. 27),
//
//     P_w = Σ_f (P_f + ρ_f g·(x_w − x_f)) W_wf / Σ_f W_wf
//
// for walls at rest. Where the fluid has no negative pressures, nor have its walls.

#include <math.h>

#include "base/vector.h"
#include "fluid/gauge.h"

static mote_vec3 wall_at(const double *positions, uint32_t wall)
{
    return mote_vec3_make(positions[3 * (size_t)wall], positions[3 * (size_t)wall + 1], positions[3 * (size_t)wall + 2]);
}

static double extrapolate(const mote_fluid_def *def, const mote_fluid_view *view, const uint32_t *near, size_t count,
                          mote_vec3 wall)
{
    double sum = 0, weights = 0;
    for (size_t k = 0; k < count; ++k) {
        const uint32_t i = near[k];
        const mote_vec3 away = mote_vec3_sub(wall, mote_vec3_make(view->x[i], view->y[i], view->z[i]));
        const double weight = mote_gauge_kernel(mote_vec3_dot(away, away), def->support);
        if (!(weight > 0)) continue;
        sum += ((double)view->pressure[i] + (double)view->density[i] * mote_vec3_dot(def->gravity, away)) * weight;
        weights += weight;
    }
    if (!(weights > 0)) return NAN;
    return sum > 0 || def->negative_pressure ? sum / weights : 0;
}

mote_result mote_fluid_wall_pressures(const mote_context *context, mote_fluid *fluid, const uint32_t *walls,
                                      size_t count, gauge_scratch *scratch, double *pressures, mote_error *error)
{
    const mote_fluid_def def = mote_fluid_resolved_def(fluid);
    const double *positions, *volumes;
    size_t wall_count;
    mote_fluid_get_walls(fluid, &positions, &volumes, &wall_count);
    mote_fluid_view view;
    mote_result result = mote_fluid_get_view(fluid, &view, error);
    if (result != MOTE_OK || count == 0) return result;
    mote_box box = mote_box_empty();
    for (size_t k = 0; k < count; ++k) box = mote_box_add_point(box, wall_at(positions, walls[k]));
    const gauge_region region = mote_gauge_region_of(mote_box_grow(box, def.support));
    size_t near;
    result = mote_gauge_find(context, mote_gauge_points(&view), &region, scratch, &near, error);
    for (size_t k = 0; k < count && result == MOTE_OK; ++k)
        pressures[k] = extrapolate(&def, &view, scratch->found.data, near, wall_at(positions, walls[k]));
    return result;
}
