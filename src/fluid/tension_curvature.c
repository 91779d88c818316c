// SPDX-License-Identifier: MIT
// Surface tension by the curvature of the interface (Adami et al. 2010):
//
//     dvi/dt = −σ κi ∇Ci/ρi,  κi = D Σ Vj (nj − ni)·∇W / Σ Vj (xj − xi)·∇W
//
// with the gradient weighted by densities, and sums over neighbours that have a normal, of which those of the other
// phase point the other way. Dividing by the second sum makes κ exact for linear n even where few neighbours have one
// (the reproducing divergence). Seen from inside a drop n points outwards, and κ is 1/R in 2D.
//
// Momentum is not conserved: the force is one of single particles. It also needs wide supports, as only those with a
// normal are in the sums.

#include <math.h>

#include "fluid/tension.h"

static double curvature_at(const mote_fluid *fluid, const fluid_tension *tension, uint32_t i, fluid_row row)
{
    const weak_memory *weak = &fluid->weak;
    const mote_kernel *kernel = mote_kernels[weak->kernel.id];
    const fluid_place *places = weak->places.data;
    const fluid_motion *gradients = tension->gradients.data, own = gradients[i];
    const uint8_t phase = mote_fluid_phase_numbers(fluid)[i];
    const double n[3] = {(double)(own.x * own.scalar), (double)(own.y * own.scalar), (double)(own.z * own.scalar)};
    double divergence = 0, spread = 0;
    for (uint32_t k = 0; k < row.count; ++k) {
        const uint32_t j = row.indices[k];
        const fluid_motion other = gradients[j];
        if (other.scalar == 0) continue;
        const double sign = mote_fluid_phase_of_record(fluid, j) == phase ? 1 : -1;
        const double d[3] = {(double)(places[j].x - places[i].x), (double)(places[j].y - places[i].y),
                             (double)(places[j].z - places[i].z)};
        const double m[3] = {(double)(other.x * other.scalar), (double)(other.y * other.scalar),
                             (double)(other.z * other.scalar)};
        const double squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        const double s = MOTE_MAX(1 - sqrt(squared) * (double)weak->kernel.inverse_support, 0);
        const double slope = (double)places[j].volume * kernel->lean(s);
        for (int c = 0; c < 3; ++c) divergence += slope * (sign * m[c] - n[c]) * d[c];
        spread += slope * squared;
    }
    return spread > 0 ? fluid->def.dimensions * divergence / spread : 0;
}

static void accelerate(const mote_fluid *fluid, const fluid_tension *tension, uint32_t i, fluid_row row, float a[3])
{
    const fluid_motion own = ((const fluid_motion *)tension->gradients.data)[i];
    if (own.scalar == 0) return;
    const double density = (double)mote_fluid_floats(fluid, FLUID_DENSITY)[i];
    const float factor = (float)(-tension->sigma * curvature_at(fluid, tension, i, row) / density);
    a[0] += factor * own.x, a[1] += factor * own.y, a[2] += factor * own.z;
}

const tension_model mote_tension_curvature = {
    .about = {"curvature", "Adami et al. 2010", "by the curvature of the interface; gradients weighted by density"},
    .solvers = TENSION_WEAK,
    .has_gradients = true,
    .is_weighted = true,
    .least_gradient = 0.05,
    .least_support_2d = 3.5,
    .accelerate = accelerate,
};
