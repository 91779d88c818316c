// SPDX-License-Identifier: MIT
// The background pressure, unless it is given: what tensions need where there is no free surface, which it would blow
// apart: in boxes that are periodic along all axes and full, and in closed tanks that are full.

#include <math.h>

#include "fluid/tension.h"

// A stress pulls along the interface by σ |∇C|, which is up to 1.5 σ/support on a flat one. Under a lower pressure
// particles of the interface attract each other along it, and do not stay in order. By the curvature models a drop that
// swings (mote validate swing) does not keep its order with less either: not without pressure at 10 and 20 spacings a
// radius, and not with 0.5 σ/support at 40. Too much pressure makes lattices stiff. Models have the better one of 2 and
// 3 σ/support for drops that swing; errors of the frequency with a radius of 10, 20 and 40 spacings in 2D, 12 in 3D:
//
//                        2 σ/support, 2D     in 3D      3 σ/support, 2D     in 3D
//     stress             −9.6, −5.1, −3.7 %             −5.1, −2.1, −3.7 %  +11.5 %
//     plain_curvature    −4.7, −3.6, −4.2 %  +5.2 %     −1.3, −2.5, −6.8 %   +8.0 %

static const double full = 0.95;  // share of a periodic box that particles take; with less there may be voids

void mote_fluid_set_confined(mote_fluid *fluid)
{
    fluid->is_confined = true;
    mote_fluid_resolve_background(fluid);
}

void mote_fluid_resolve_background(mote_fluid *fluid)
{
    double needed = 0;
    if (!isnan(fluid->given.background_pressure)) return;
    for (uint32_t k = 0; k < fluid->tension_count; ++k) {
        const tension_model *model = fluid->tensions[k].model;
        const double pressure = fluid->def.dimensions == 2 ? model->pressure_2d : model->pressure_3d;
        needed = MOTE_MAX(needed, pressure * fluid->tensions[k].sigma / fluid->def.support);
    }
    const bool is_full = needed > 0 && (fluid->is_confined || mote_fluid_filling(fluid) >= full);
    fluid->def.background_pressure = is_full ? needed : 0;
}
