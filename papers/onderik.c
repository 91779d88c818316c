// SPDX-License-Identifier: MIT
// The column and the tank of papers/onderik.h.

#include "onderik.h"

#include <math.h>

double dam_spacing(void)
{
    return cbrt(dam_mass / dam_density);
}

dam_tank dam_tank_of_column(void)
{
    return (dam_tank){3 * DAM_COLUMN_X * dam_spacing(), DAM_COLUMN_Y * dam_spacing()};
}

// One wall: back to it, without the speed towards it.
static void stop_at(double wall, double side, double *at, double *speed, double *along, double *across)
{
    if ((*at - wall) * side >= 0) return;
    *at = wall;
    if (*speed * side < 0) *speed = 0;
    *along *= 1 - dam_wall_loss;
    *across *= 1 - dam_wall_loss;
}

void dam_stay_inside(void *tank, mote_vec3 from, mote_vec3 *at, mote_vec3 *v)
{
    (void)from;
    const dam_tank *box = tank;
    stop_at(0, 1, &at->x, &v->x, &v->y, &v->z);
    stop_at(box->high_x, -1, &at->x, &v->x, &v->y, &v->z);
    stop_at(0, 1, &at->y, &v->y, &v->x, &v->z);
    stop_at(box->high_y, -1, &at->y, &v->y, &v->x, &v->z);
    stop_at(0, 1, &at->z, &v->z, &v->x, &v->y);
}

mote_result dam_create(mote_context *context, const mote_fluid_def *def, double stiffness, double tension,
                       mote_fluid **fluid, mote_error *error)
{
    double positions[3 * DAM_PARTICLES];
    mote_phase_def liquid = mote_phase_default_def();
    mote_tension_def surface = mote_tension_default_def();
    uint32_t phase;
    liquid.rest_density = dam_density, liquid.sound_speed = sqrt(stiffness), liquid.viscosity = dam_viscosity;
    surface.sigma = tension, surface.model = MOTE_TENSION_DOCUMENT;
    mote_result result = mote_fluid_create(context, def, fluid, error);
    if (result == MOTE_OK) result = mote_fluid_add_phase(*fluid, &liquid, &phase, error);
    if (result == MOTE_OK) result = mote_fluid_set_tension(*fluid, 0, 0, &surface, error);
    if (result != MOTE_OK) return result;
    for (int i = 0; i < DAM_PARTICLES; ++i) {
        positions[3 * i] = (0.5 + i % DAM_COLUMN_X) * def->spacing;
        positions[3 * i + 1] = (0.5 + i / DAM_COLUMN_X % DAM_COLUMN_Y) * def->spacing;
        positions[3 * i + 2] = (0.5 + i / (DAM_COLUMN_X * DAM_COLUMN_Y)) * def->spacing;
    }
    return mote_fluid_add(*fluid, 0, positions, NULL, DAM_PARTICLES, error);
}
