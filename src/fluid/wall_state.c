// SPDX-License-Identifier: MIT
// The state of wall particles as the fluid has it: pressures extrapolated from the fluid to the walls (Adami et al.
// 2012, eq. 27),
//
//     P_w = Σ_f (P_f + ρ_f (g − a_w)·(x_w − x_f)) V_f W_wf / Σ_f V_f W_wf
//
// with the acceleration a_w of the wall. These are the sums of the weakly compressible solver (weak_walls.c), in double
// precision, for the few walls that a gauge looks at; other solvers have no pressures of walls. Samples at rest in one
// fluid act by the pressure of each particle instead (mote_weak_is_mirror), of which this is the mean.

#include <math.h>

#include "base/vector.h"
#include "fluid/gauge.h"
#include "fluid/internal.h"

bool mote_gauge_walls_pull(const mote_fluid_def *def)
{
    return def->solver == MOTE_SOLVER_WEAK ? def->shifting == MOTE_SHIFTING_TRANSPORT : def->negative_pressure;
}

static double extrapolate(const mote_fluid_def *def, mote_vec3 gravity, const mote_fluid_view *view,
                          const gauge_region *region,
                          const uint32_t *near, size_t count, mote_vec3 wall)
{
    double sum = 0, weights = 0;
    for (size_t k = 0; k < count; ++k) {
        const uint32_t i = near[k];
        const mote_vec3 place = {view->x[i], view->y[i], view->z[i]};
        const mote_vec3 away = mote_vec3_sub(wall, mote_gauge_image(region, place));
        const double density = (double)view->density[i];
        const double weight = mote_gauge_kernel(mote_vec3_dot(away, away), def->support) / density;
        if (!(weight > 0)) continue;
        sum += ((double)view->pressure[i] + density * mote_vec3_dot(gravity, away)) * weight;
        weights += weight;
    }
    if (!(weights > 0)) return NAN;
    return sum > 0 || mote_gauge_walls_pull(def) ? sum / weights : 0;
}

mote_result mote_fluid_wall_pressures(const mote_context *context, mote_fluid *fluid, mote_vec3 place,
                                      const uint32_t *walls, size_t count, gauge_scratch *scratch, double *pressures,
                                      mote_error *error)
{
    const mote_fluid_def def = mote_fluid_resolved_def(fluid);
    const gauge_region around = mote_gauge_region_of(fluid, (mote_box){place, place});
    const double *positions, *volumes;
    size_t wall_count;
    mote_fluid_get_walls(fluid, &positions, &volumes, &wall_count);
    mote_fluid_view view;
    mote_result result = mote_fluid_get_view(fluid, &view, error);
    if (result != MOTE_OK || count == 0) return result;
    double reach = 0;
    for (size_t k = 0; k < count; ++k) {
        const double *at = positions + 3 * (size_t)walls[k];
        const mote_vec3 wall = mote_gauge_image(&around, mote_vec3_make(at[0], at[1], at[2]));
        reach = MOTE_MAX(reach, mote_vec3_length(mote_vec3_sub(wall, place)));
    }
    const gauge_region region =
        mote_gauge_region_of(fluid, mote_box_grow((mote_box){place, place}, reach + def.support));
    size_t near;
    result = mote_gauge_find(context, mote_gauge_points(&view), &region, scratch, &near, error);
    for (size_t k = 0; k < count && result == MOTE_OK; ++k) {
        const double *at = positions + 3 * (size_t)walls[k];
        const mote_vec3 wall = mote_gauge_image(&around, mote_vec3_make(at[0], at[1], at[2]));
        const mote_vec3 gravity = mote_vec3_sub(def.gravity, mote_fluid_wall_acceleration(fluid, walls[k]));
        pressures[k] = extrapolate(&def, gravity, &view, &region, scratch->found.data, near, wall);
    }
    return result;
}
