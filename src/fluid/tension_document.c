// SPDX-License-Identifier: MIT
// Surface tension by the Laplacian of the colour (Onderik & Ďurikovič 2008, eq. 9), and by the curvature that it stands
// for:
//
//     fi = −σ ∇²C n,  n = ∇C/|∇C|,  C = Σj Vj cj W
//
// with poly6 as W, j = i included, and the colour c of 1 for the first phase and 0 for all else. Eq. 9 prints a force
// density [N/m³] but adds it to forces: here it is multiplied by Vi. Where |∇C| is small n is noise, and there is no
// force.
//
// ∇²C is not the curvature: it holds the second derivative across the interface, too, which does not cancel between the
// two sides of a curved one. The jump of pressure in a drop is up to 10 times σ/R, and grows with R over the spacing.
// The curvature is κ = −∇·n = −(∇²C − n·∇∇C·n)/|∇C|. With it the jump is still wrong by a factor: second derivatives of
// a smoothed colour do not converge at a fixed support over the spacing. docs/fluid.md has the figures.

#include <math.h>

#include "fluid/tension.h"

// Gradient and second derivatives of the colour; those with y are 0 in 2D.
typedef struct color_sums {
    double gradient[3], second[3][3];
} color_sums;

// Over 1/h (half the support).
static const double least_gradient = 0.05;

static double poly6_factor(const mote_fluid *fluid)
{
    const double h = fluid->def.support;
    return mote_kernel_poly6.value(fluid->def.dimensions, h, 0) / (h * h * h * h * h * h);
}

// W = A q³ with q = h² − r²: ∇W = 6 A q² d towards j, and ∇∇W = −6 A q² I + 24 A q d⊗d.
static void add_color(const mote_fluid *fluid, double factor, const double d[3], color_sums *sums)
{
    const double h = fluid->def.support, r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const double q = MOTE_MAX(h * h - r2, 0), flat = 6 * factor * q * q, steep = 24 * factor * q;
    for (int k = 0; k < 3; ++k) {
        sums->gradient[k] += flat * d[k];
        for (int l = 0; l < 3; ++l) sums->second[k][l] += steep * d[k] * d[l];
        if (k != 1 || fluid->def.dimensions == 3) sums->second[k][k] -= flat;
    }
}

static void find_color(const mote_fluid *fluid, const fluid_tension *tension, uint32_t i, fluid_row row,
                       color_sums *sums)
{
    const fluid_place *places = mote_tension_places(fluid);
    const double factor = poly6_factor(fluid);
    const double here[3] = {0, 0, 0};
    *sums = (color_sums){0};
    if (mote_fluid_phase_numbers(fluid)[i] == tension->phases[0])
        add_color(fluid, factor * (double)places[i].volume, here, sums);
    for (uint32_t k = 0; k < row.count; ++k) {
        const uint32_t j = row.indices[k];
        if (mote_fluid_phase_of_record(fluid, j) != tension->phases[0]) continue;
        const double d[3] = {(double)(places[j].x - places[i].x), (double)(places[j].y - places[i].y),
                             (double)(places[j].z - places[i].z)};
        add_color(fluid, factor * (double)places[j].volume, d, sums);
    }
}

static void accelerate_by(const mote_fluid *fluid, const fluid_tension *tension, uint32_t i, fluid_row row,
                          bool is_curvature, float a[3])
{
    const uint32_t own = mote_fluid_phase_numbers(fluid)[i];
    color_sums sums;
    if (own != tension->phases[0] && own != tension->phases[1]) return;
    find_color(fluid, tension, i, row, &sums);
    const double *g = sums.gradient, length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    if (!(length > least_gradient / (fluid->def.support / 2))) return;
    double laplacian = sums.second[0][0] + sums.second[1][1] + sums.second[2][2];
    for (int k = 0; k < 3 && is_curvature; ++k)
        for (int l = 0; l < 3; ++l) laplacian -= g[k] * sums.second[k][l] * g[l] / (length * length);
    const double density = (double)mote_fluid_floats(fluid, FLUID_DENSITY)[i];
    const double factor = -tension->sigma * laplacian / (length * density);
    for (int k = 0; k < 3; ++k) a[k] += (float)(factor * g[k]);
}

static void accelerate(const mote_fluid *fluid, const fluid_tension *tension, uint32_t i, fluid_row row, float a[3])
{
    accelerate_by(fluid, tension, i, row, false, a);
}

static void accelerate_curved(const mote_fluid *fluid, const fluid_tension *tension, uint32_t i, fluid_row row,
                              float a[3])
{
    accelerate_by(fluid, tension, i, row, true, a);
}

const tension_model mote_tension_document = {
    .about = {"document", "Onderik & Ďurikovič 2008", "by the Laplacian of the colour (eq. 9): too strong by a factor"},
    .solvers = TENSION_ANY,
    .is_of_one = true,
    .accelerate = accelerate,
};

const tension_model mote_tension_document_curvature = {
    .about = {"document_curvature", "Onderik & Ďurikovič 2008",
              "the same less the second derivative across the interface"},
    .solvers = TENSION_ANY,
    .is_of_one = true,
    .accelerate = accelerate_curved,
};
