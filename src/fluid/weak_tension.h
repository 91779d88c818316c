// SPDX-License-Identifier: MIT
// fluid/weak_tension.h: models of surface tension, each a const table of functions and a file of its own. They have the
// gradients of colours in common (weak_tension.c).
#ifndef MOTE_FLUID_WEAK_TENSION_H
#define MOTE_FLUID_WEAK_TENSION_H

#include "fluid/internal.h"

typedef struct tension_model {
    mote_fluid_choice about;
    bool is_weighted;        // the gradient is, by densities: it is then that of the heavier phase's side
    double least_gradient;   // of a normal that counts, over 1/h (half the support)
    double least_support_2d;  // in 2D [spacings]
    // Adds the acceleration of a particle; the gradients of all its neighbours are known.
    void (*accelerate)(const mote_fluid *fluid, const fluid_tension *tension, uint32_t i, fluid_row row, float a[3]);
} tension_model;

extern const tension_model mote_tension_stress, mote_tension_curvature;

#endif
