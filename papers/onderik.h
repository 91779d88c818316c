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

#include "mote/tension.h"

enum { DAM_COLUMN_X = 10, DAM_COLUMN_Y = 10, DAM_COLUMN_Z = 16, DAM_CASES = 3 };
enum { DAM_PARTICLES = DAM_COLUMN_X * DAM_COLUMN_Y * DAM_COLUMN_Z };

static const double dam_stiffnesses[DAM_CASES] = {20, 40, 70};  // k [J/kg]
static const double dam_tensions[DAM_CASES] = {0.6, 1.4, 2.2};  // σ [N/m]
static const double dam_mass = 0.0012, dam_density = 1000;      // [kg], [kg/m³]
static const double dam_viscosity = 50;                         // [Pa s]
static const double dam_step = 0.002;                           // [s]
static const double dam_support = 0.05;                         // [m]
static const double dam_wall_loss = 0.5;                        // of the velocity along a wall

// The tank, as the mover sees it.
typedef struct dam_tank {
    double high_x, high_y;  // [m]; its floor and other sides are at 0
} dam_tank;

double dam_spacing(void);
dam_tank dam_tank_of_column(void);
// A mote_fluid_mover: `tank` is a dam_tank.
void dam_stay_inside(void *tank, mote_vec3 from, mote_vec3 *at, mote_vec3 *v);
// A fluid of this def with one phase, and a column of it. A tension of 0: none.
mote_result dam_create(mote_context *context, const mote_fluid_def *def, double stiffness, double tension,
                       mote_fluid **fluid, mote_error *error);

#endif
