// SPDX-License-Identifier: MIT
// fluid/tension.h: models of surface tension, each a const table of functions and a file of its own. They have the
// gradients of colours in common (tension.c).
#ifndef MOTE_FLUID_TENSION_H
#define MOTE_FLUID_TENSION_H

#include "fluid/internal.h"

typedef struct tension_model {
    mote_fluid_choice about;
    uint32_t solvers;         // that it serves: 1 << mote_fluid_solver for each
    bool is_of_one;           // it also acts at the free surface of a single phase
    bool has_gradients;       // it reads those of the colour, of all neighbours
    bool is_weighted;         // the gradient is, by densities: it is then that of the heavier phase's side
    double least_gradient;    // of a normal that counts, over 1/h (half the support)
    double least_support_2d;  // in 2D [spacings]
    bool is_of_one_alone;     // it does not act between two phases
    // The background pressure that keeps particles of the interface in order where there is no free surface, in 2D and
    // in 3D [σ/support].
    double pressure_2d, pressure_3d;
    // Refuses fluids that it does not serve; NULL: it serves all.
    mote_result (*check)(const mote_fluid *fluid, mote_error *error);
    // Derives what the tension keeps; NULL: nothing.
    void (*prepare)(const mote_fluid *fluid, fluid_tension *tension);
    // Adds the acceleration of a particle.
    void (*accelerate)(const mote_fluid *fluid, const fluid_tension *tension, uint32_t i, fluid_row row, float a[3]);
} tension_model;

enum { TENSION_WEAK = 1 << MOTE_SOLVER_WEAK, TENSION_ANY = TENSION_WEAK | 1 << MOTE_SOLVER_ONDERIK };

extern const tension_model mote_tension_stress, mote_tension_curvature, mote_tension_weighted_stress;
extern const tension_model mote_tension_cohesion, mote_tension_document, mote_tension_document_curvature;
extern const tension_model mote_tension_plain_curvature;

// The places of particles that sums read.
static inline const fluid_place *mote_tension_places(const mote_fluid *fluid)
{
    return fluid->def.solver == MOTE_SOLVER_WEAK ? fluid->weak.places.data : fluid->places.data;
}

#endif
