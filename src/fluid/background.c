// SPDX-License-Identifier: MIT
// The background pressure, unless it is given: what tensions need where there is no free surface, which it would blow
// apart: in boxes that are periodic along all axes and full, and in closed tanks that are full.

#include <math.h>

#include "fluid/tension.h"

// A stress pulls along the interface by σ |∇C|, which is up to 1.5 σ/support on a flat one. Under a lower pressure
// particles of the interface attract each other along it, and do not stay in order. By the curvature models a drop that
// swings (mote validate swing) does not keep its order with less either: not without pressure at 10 and 20 spacings a
// radius, and not with a quarter of this at 40.
static const double pressure_over_pull = 2;  // [σ/support]

static const double full = 0.95;  // share of a periodic box that particles take; with less there may be voids

void mote_fluid_set_confined(mote_fluid *fluid)
{
    fluid->is_confined = true;
    mote_fluid_resolve_background(fluid);
}

void mote_fluid_resolve_background(mote_fluid *fluid)
{
    double sigma = 0;
    if (!isnan(fluid->given.background_pressure)) return;
    for (uint32_t k = 0; k < fluid->tension_count; ++k)
        if (fluid->tensions[k].model->needs_pressure) sigma = MOTE_MAX(sigma, fluid->tensions[k].sigma);
    const bool is_full = sigma > 0 && (fluid->is_confined || mote_fluid_filling(fluid) >= full);
    fluid->def.background_pressure = is_full ? pressure_over_pull * sigma / fluid->def.support : 0;
}
