// SPDX-License-Identifier: MIT
// papers/onderik.h: the dam breaks of Onderik & Ďurikovič 2008: 1,600 particles of 1.2 g at 1000 kg/m³ (10.6 mm apart),
// viscosity 50 Pa s, support 50 mm (4.7 spacings, 436 neighbours inside), ideal gas with k = 20, 40 and 70 J/kg, that
// is speeds of sound of 4.5, 6.3 and 8.4 m/s, tension of 0.6, 1.4 and 2.2 N/m, steps of 2 ms.
//
// The column is 10 × 10 particles wide and 16 high; the tank, which the paper does not give, is three times as long as
// the column and open at the top. Walls are planes, as theirs: particles are put back and lose the speed towards the
// wall and half of that along it.
#ifndef PAPERS_ONDERIK_H
#define PAPERS_ONDERIK_H

#include <math.h>

#include "mote/tension.h"

enum { COLUMN_X = 10, COLUMN_Y = 10, COLUMN_Z = 16, PARTICLES = COLUMN_X * COLUMN_Y * COLUMN_Z, CASES = 3 };

static const double dam_stiffnesses[CASES] = {20, 40, 70};  // k [J/kg]
static const double dam_tensions[CASES] = {0.6, 1.4, 2.2};  // σ [N/m]
static const double dam_mass = 0.0012, dam_density = 1000;  // [kg], [kg/m³]
static const double dam_viscosity = 50;                     // [Pa s]
static const double dam_step = 0.002;                       // [s]
static const double dam_support = 0.05;                     // [m]
static const double dam_wall_loss = 0.5;                    // of the velocity along a wall

// The tank, as the mover sees it.
typedef struct dam_tank {
    double high_x, high_y;  // [m]; its floor and other sides are at 0
} dam_tank;

static inline double dam_spacing(void)
{
    return cbrt(dam_mass / dam_density);
}

static inline dam_tank dam_tank_of_column(void)
{
    return (dam_tank){3 * COLUMN_X * dam_spacing(), COLUMN_Y * dam_spacing()};
}

// One wall: back to it, without the speed towards it.
static inline void dam_stop_at(double wall, double side, double *at, double *speed, double *along, double *across)
{
    if ((*at - wall) * side >= 0) return;
    *at = wall;
    if (*speed * side < 0) *speed = 0;
    *along *= 1 - dam_wall_loss;
    *across *= 1 - dam_wall_loss;
}

// A mote_fluid_mover: `tank` is a dam_tank.
static inline void dam_stay_inside(void *tank, mote_vec3 from, mote_vec3 *at, mote_vec3 *v)
{
    (void)from;
    const dam_tank *box = tank;
    dam_stop_at(0, 1, &at->x, &v->x, &v->y, &v->z);
    dam_stop_at(box->high_x, -1, &at->x, &v->x, &v->y, &v->z);
    dam_stop_at(0, 1, &at->y, &v->y, &v->x, &v->z);
    dam_stop_at(box->high_y, -1, &at->y, &v->y, &v->x, &v->z);
    dam_stop_at(0, 1, &at->z, &v->z, &v->x, &v->y);
}

// A fluid of this def with one phase, and a column of it. A tension of 0: none.
static inline mote_result dam_create(mote_context *context, const mote_fluid_def *def, double stiffness, double tension,
                                     mote_fluid **fluid, mote_error *error)
{
    static double positions[3 * PARTICLES];
    mote_phase_def liquid = mote_phase_default_def();
    mote_tension_def surface = mote_tension_default_def();
    uint32_t phase;
    liquid.rest_density = dam_density, liquid.sound_speed = sqrt(stiffness), liquid.viscosity = dam_viscosity;
    surface.sigma = tension, surface.model = MOTE_TENSION_DOCUMENT;
    mote_result result = mote_fluid_create(context, def, fluid, error);
    if (result == MOTE_OK) result = mote_fluid_add_phase(*fluid, &liquid, &phase, error);
    if (result == MOTE_OK) result = mote_fluid_set_tension(*fluid, 0, 0, &surface, error);
    if (result != MOTE_OK) return result;
    for (int i = 0; i < PARTICLES; ++i) {
        positions[3 * i] = (0.5 + i % COLUMN_X) * def->spacing;
        positions[3 * i + 1] = (0.5 + i / COLUMN_X % COLUMN_Y) * def->spacing;
        positions[3 * i + 2] = (0.5 + i / (COLUMN_X * COLUMN_Y)) * def->spacing;
    }
    return mote_fluid_add(*fluid, 0, positions, NULL, PARTICLES, error);
}

#endif
