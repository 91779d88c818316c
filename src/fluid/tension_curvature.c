// SPDX-License-Identifier: MIT
// Surface tension by the curvature of the interface (Adami et al. 2010):
//
//     dvi/dt = −σ κi ∇Ci/ρi,  κi = D Σ Vj (nj − ni)·∇W / Σ Vj (xj − xi)·∇W
//
// with the gradient weighted by densities, and sums over neighbours that have a normal, of which those of the other
// phase point the other way. Seen from inside a drop n points outwards, and κ is 1/R in 2D.
//
// Dividing by the second sum (the reproducing divergence) makes up for neighbours that have no normal if those that
// have one lie on all sides alike. They lie along the interface, though, where the normals turn, and κ is 10 % too
// large. plain_curvature has the matrices
//
//     A = Σ wj (nj − ni)⊗(xj − xi),  B = Σ wj (xj − xi)⊗(xj − xi),  κ = trace(A B⁻¹),  wj = Vj |∇Cj|² s,
//
// with ∇W = s (xj − xi), instead, which is exact for linear n wherever the neighbours lie, and gradients without
// weights of density, so that it is the same at every ratio of densities with either fluid inside. Short gradients, at
// the rim, have the directions of few particles. If the errors of all gradients are of one size, those of directions
// are as 1/|∇Cj|, and a fit by least squares weighs normals by |∇Cj|². Where normals count alike the force feeds noise
// at the interface if there is little viscosity: it grew to 1 m/s around a drop of R = 40 d, which then did not swing.
//
// Momentum is not conserved: the force is one of single particles. It also needs wide supports, as only those with a
// normal are in the sums. What it does not have is the noise of stress (tension_stress.c), where unevenly spread
// neighbours leave a part of σ/d² in each particle's force: a drop swings on for as long as its viscosity lets it.

#include <math.h>

#include "fluid/tension.h"

typedef struct curvature_sums {
    double turn[3][3], spread[3][3];  // A and B
} curvature_sums;

static curvature_sums sums_at(const mote_fluid *fluid, const fluid_tension *tension, uint32_t i, fluid_row row,
                              bool is_fitted)
{
    const weak_memory *weak = &fluid->weak;
    const mote_kernel *kernel = mote_kernels[weak->kernel.id];
    const fluid_place *places = weak->places.data;
    const fluid_motion *gradients = tension->gradients.data, own = gradients[i];
    const uint8_t phase = mote_fluid_phase_numbers(fluid)[i];
    const double n[3] = {(double)(own.x * own.scalar), (double)(own.y * own.scalar), (double)(own.z * own.scalar)};
    curvature_sums sums = {0};
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
        double slope = (double)places[j].volume * kernel->lean(s);
        if (is_fitted) slope /= (double)other.scalar * (double)other.scalar;
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) {
                sums.turn[a][b] += slope * (sign * m[a] - n[a]) * d[b];
                sums.spread[a][b] += slope * d[a] * d[b];
            }
    }
    return sums;
}

static double trace(double m[3][3])
{
    return m[0][0] + m[1][1] + m[2][2];
}

static double isotropic_curvature(const mote_fluid *fluid, curvature_sums *sums)
{
    const double spread = trace(sums->spread);
    return spread > 0 ? fluid->def.dimensions * trace(sums->turn) / spread : 0;
}

// trace(A B⁻¹), by the adjugate of B; 0 where the neighbours lie on a line, in 3D in a plane.
static double linear_curvature(const mote_fluid *fluid, curvature_sums *sums)
{
    const double size = trace(sums->spread);
    double(*b)[3] = sums->spread;
    if (fluid->def.dimensions == 2) b[1][1] = size;  // y is not there
    double determinant = 0, product = 0;
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l) {
            const int k1 = (k + 1) % 3, k2 = (k + 2) % 3, l1 = (l + 1) % 3, l2 = (l + 2) % 3;
            const double cofactor = b[k1][l1] * b[k2][l2] - b[k1][l2] * b[k2][l1];
            if (k == 0) determinant += b[0][l] * cofactor;
            product += sums->turn[k][l] * cofactor;
        }
    return determinant > 1e-6 * size * size * size ? product / determinant : 0;
}

static void add_force(const mote_fluid *fluid, const fluid_tension *tension, uint32_t i, double curvature, float a[3])
{
    const fluid_motion own = ((const fluid_motion *)tension->gradients.data)[i];
    const double density = (double)mote_fluid_floats(fluid, FLUID_DENSITY)[i];
    const float factor = (float)(-tension->sigma * curvature / density);
    a[0] += factor * own.x, a[1] += factor * own.y, a[2] += factor * own.z;
}

static bool has_normal(const fluid_tension *tension, uint32_t i)
{
    return ((const fluid_motion *)tension->gradients.data)[i].scalar != 0;
}

static void accelerate(const mote_fluid *fluid, const fluid_tension *tension, uint32_t i, fluid_row row, float a[3])
{
    if (!has_normal(tension, i)) return;
    curvature_sums sums = sums_at(fluid, tension, i, row, false);
    add_force(fluid, tension, i, isotropic_curvature(fluid, &sums), a);
}

static void accelerate_plainly(const mote_fluid *fluid, const fluid_tension *tension, uint32_t i, fluid_row row,
                               float a[3])
{
    if (!has_normal(tension, i)) return;
    curvature_sums sums = sums_at(fluid, tension, i, row, true);
    add_force(fluid, tension, i, linear_curvature(fluid, &sums), a);
}

const tension_model mote_tension_curvature = {
    .about = {"curvature", "Adami et al. 2010", "by the curvature of the interface; gradients weighted by density"},
    .solvers = TENSION_WEAK,
    .has_gradients = true,
    .pressure_2d = 2,
    .pressure_3d = 2,
    .is_weighted = true,
    .least_gradient = 0.05,
    .least_support_2d = 3.5,
    .accelerate = accelerate,
};

const tension_model mote_tension_plain_curvature = {
    .about = {"plain_curvature", "Adami et al. 2010, corrected",
              "by the curvature of the interface, without weights: little noise, the same at every ratio of densities"},
    .solvers = TENSION_WEAK,
    .has_gradients = true,
    .pressure_2d = 2,
    .pressure_3d = 2,
    .least_gradient = 0.05,
    .least_support_2d = 3.5,
    .accelerate = accelerate_plainly,
};
