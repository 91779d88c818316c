// SPDX-License-Identifier: MIT
// Smoothing kernels of Onderik & Ďurikovič 2008 (eq. 10 and 18; after Müller et al. 2003), and their sums over a
// lattice.
//
// The paper prints ∇²W_poly with a sixth of its factor and W_visco with h⁻⁶ in place of h⁻³; here all kernels
// integrate to 1, and slopes and Laplacians are their true derivatives. The 2D forms have the same shapes, except
// for viscosity: the Laplacian of the 3D shape diverges in 2D, so the 2D form is the radial solution of ∇²W =
// 40/(πh⁵)·(h − r) with W = W' = 0 at r = h, which contains a logarithm.

#include <math.h>

#include "fluid/kernels.h"
#include "base/elementary.h"

static const double pi = 3.14159265358979323846;

static double power(double base, int exponent)
{
    double product = 1;
    for (int k = 0; k < exponent; ++k) product *= base;
    return product;
}

// ------------------------------------------------------------------------------------------------------- poly6

static double poly6_factor(int dimensions, double h)
{
    return dimensions == 3 ? 315 / (64 * pi * power(h, 9)) : 4 / (pi * power(h, 8));
}

static double poly6_value(int dimensions, double h, double r)
{
    return r < h ? poly6_factor(dimensions, h) * power(h * h - r * r, 3) : 0;
}

static double poly6_slope(int dimensions, double h, double r)
{
    return r < h ? -6 * poly6_factor(dimensions, h) * r * power(h * h - r * r, 2) : 0;
}

// ∇² f(r²) of f = (h² − r²)³: 6 (h² − r²) (4r² − D (h² − r²)).
static double poly6_laplacian(int dimensions, double h, double r)
{
    if (r >= h) return 0;
    double q = h * h - r * r;
    return 6 * poly6_factor(dimensions, h) * q * (4 * r * r - dimensions * q);
}

const mote_kernel mote_kernel_poly6 = {"poly6", poly6_value, poly6_slope, poly6_laplacian};

// ------------------------------------------------------------------------------------------------------- spiky

static double spiky_factor(int dimensions, double h)
{
    return dimensions == 3 ? 15 / (pi * power(h, 6)) : 10 / (pi * power(h, 5));
}

static double spiky_value(int dimensions, double h, double r)
{
    return r < h ? spiky_factor(dimensions, h) * power(h - r, 3) : 0;
}

static double spiky_slope(int dimensions, double h, double r)
{
    return r < h ? -3 * spiky_factor(dimensions, h) * power(h - r, 2) : 0;
}

// W'' + (D − 1)/r W', which diverges at r = 0.
static double spiky_laplacian(int dimensions, double h, double r)
{
    if (r >= h) return 0;
    return spiky_factor(dimensions, h) * (h - r) * (6 - 3 * (dimensions - 1) * (h - r) / r);
}

const mote_kernel mote_kernel_spiky = {"spiky", spiky_value, spiky_slope, spiky_laplacian};

// --------------------------------------------------------------------------------------------------- viscosity

// Diverges at r = 0, as 1/r in 3D and as −ln r in 2D; the solver needs only the Laplacian.
static double viscosity_value(int dimensions, double h, double r)
{
    if (r >= h) return 0;
    if (dimensions == 3) {
        double q = r / h;
        return 15 / (2 * pi * power(h, 3)) * (-q * q * q / 2 + q * q + 1 / (2 * q) - 1);
    }
    double shape = h * r * r / 4 - r * r * r / 9 - power(h, 3) / 6 * mote_ln(r / h) - 5 * power(h, 3) / 36;
    return 40 / (pi * power(h, 5)) * shape;
}

static double viscosity_slope(int dimensions, double h, double r)
{
    if (r >= h) return 0;
    if (dimensions == 3)
        return 15 / (2 * pi * power(h, 3)) * (-3 * r * r / (2 * power(h, 3)) + 2 * r / (h * h) - h / (2 * r * r));
    return 40 / (pi * power(h, 5)) * (h * r / 2 - r * r / 3 - power(h, 3) / (6 * r));
}

static double viscosity_laplacian(int dimensions, double h, double r)
{
    if (r >= h) return 0;
    return (dimensions == 3 ? 45 / (pi * power(h, 6)) : 40 / (pi * power(h, 5))) * (h - r);
}

const mote_kernel mote_kernel_viscosity = {"viscosity", viscosity_value, viscosity_slope, viscosity_laplacian};

// ----------------------------------------------------------------------------------------------------- lattice

static double gradient_term(int dimensions, double h, double r)
{
    return -r * spiky_slope(dimensions, h, r) / dimensions;
}

// Σ of a term over one plane (in 2D: line) of the lattice at height k spacings above a lattice point.
static double plane_sum(double (*term)(int, double, double), int dimensions, double h, double spacing, int k)
{
    int reach = (int)ceil(h / spacing);
    int reach_y = dimensions == 3 ? reach : 0;
    double sum = 0;
    for (int j = -reach_y; j <= reach_y; ++j)
        for (int i = -reach; i <= reach; ++i)
            sum += term(dimensions, h, spacing * sqrt((double)(i * i + j * j + k * k)));
    return sum;
}

// One lattice plane of wall samples, each of volume V, lies one spacing below the lowest plane of a fluid. It must
// add to that plane's density as much as all lattice planes below would: V ΣW(plane 1) = d^D (ΣW(plane 1) + ΣW(plane
// 2) + …).
mote_lattice_sums mote_kernel_lattice_sums(int dimensions, double h, double spacing)
{
    int reach = (int)ceil(h / spacing);
    double below = 0, gradient = plane_sum(gradient_term, dimensions, h, spacing, 0);
    for (int k = reach; k >= 1; --k) {
        below += plane_sum(poly6_value, dimensions, h, spacing, k);
        gradient += 2 * plane_sum(gradient_term, dimensions, h, spacing, k);
    }
    double own = plane_sum(poly6_value, dimensions, h, spacing, 0);
    double nearest = plane_sum(poly6_value, dimensions, h, spacing, 1);
    double cell = power(spacing, dimensions);
    mote_lattice_sums sums = {cell * (own + 2 * below), cell * gradient, 0};
    // With a support of one spacing or less, lattice points have no neighbours, and there is nothing to correct.
    sums.surface_gamma = cell * own * (nearest > 0 ? below / nearest : 1);
    return sums;
}
