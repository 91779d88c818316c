// SPDX-License-Identifier: MIT
// Smoothing kernels of Onderik & Ďurikovič 2008 (eq. 10 and 18; after Müller et al. 2003), and their sums over a
// lattice; and the kernels that engineers use: cubic and quintic splines (Monaghan & Lattanzio 1985; Morris et al.
// 1997) and Wendland's C2 and C4 (Wendland 1995; factors of Dehnen & Aly 2012). All have their support at h.
//
// Onderik & Ďurikovič 2008 print ∇²W_poly with a sixth of its factor and W_visco with h⁻⁶ in place of h⁻³; here all
// kernels integrate to 1, and slopes and Laplacians are their true derivatives. The 2D forms have the same shapes,
// except for viscosity: the Laplacian of the 3D shape diverges in 2D, so the 2D form is the radial solution of ∇²W =
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

static double poly6_shape(double s)
{
    const double q = s * (2 - s);  // 1 − r²/h²
    return q * q * q;
}

static double poly6_lean(double s)
{
    const double q = s * (2 - s);
    return q * q;
}

const mote_kernel mote_kernel_poly6 = {"poly6", poly6_value, poly6_slope, poly6_laplacian, poly6_shape, poly6_lean, 6};

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

static double spiky_shape(double s)
{
    return s * s * s;
}

static double spiky_lean(double s)
{
    return s * s / fmax(1 - s, (double)KERNEL_LEAST_DISTANCE);
}

const mote_kernel mote_kernel_spiky = {"spiky", spiky_value, spiky_slope, spiky_laplacian, spiky_shape, spiky_lean, 3};

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

const mote_kernel mote_kernel_viscosity = {
    "viscosity", viscosity_value, viscosity_slope, viscosity_laplacian, NULL, NULL, 0};

// ------------------------------------------------------------------------------------------------------- smooth

// A kernel α w(q), q = r/h, that is smooth at 0: w, w' and w''.
typedef struct profile {
    double w, slope, bend;
} profile;

static double smooth_slope(double factor, double h, const profile *at)
{
    return factor / h * at->slope;
}

// w'' + (D − 1) w'/q, which is D w'' at 0.
static double smooth_laplacian(int dimensions, double factor, double h, double q, const profile *at)
{
    const double across = q > 0 ? at->slope / q : at->bend;
    return factor / (h * h) * (at->bend + (dimensions - 1) * across);
}

// Σ of the truncated powers (k − q)^n, the sums of splines and their derivatives.
static double above(double knot, double q, int exponent)
{
    return q < knot ? power(knot - q, exponent) : 0;
}

// ------------------------------------------------------------------------------------------------------- cubic

static double cubic_factor(int dimensions, double h)
{
    return dimensions == 3 ? 8 / (pi * power(h, 3)) : 40 / (7 * pi * power(h, 2));
}

static profile cubic_profile(double q)
{
    return (profile){2 * above(1, q, 3) - 8 * above(0.5, q, 3), -6 * above(1, q, 2) + 24 * above(0.5, q, 2),
                     12 * above(1, q, 1) - 48 * above(0.5, q, 1)};
}

static double cubic_value(int dimensions, double h, double r)
{
    return r < h ? cubic_factor(dimensions, h) * cubic_profile(r / h).w : 0;
}

static double cubic_slope(int dimensions, double h, double r)
{
    const profile at = cubic_profile(r / h);
    return smooth_slope(cubic_factor(dimensions, h), h, &at);
}

static double cubic_laplacian(int dimensions, double h, double r)
{
    const profile at = cubic_profile(r / h);
    return smooth_laplacian(dimensions, cubic_factor(dimensions, h), h, r / h, &at);
}

static double cubic_shape(double s)
{
    const double half = fmax(s - 0.5, 0);
    return 2 * (s * s * s) - 8 * (half * half * half);
}

static double cubic_lean(double s)
{
    return s > 0.5 ? 18 * s - 6 : 6 * (s * s) / (1 - s);
}

static const mote_kernel kernel_cubic = {
    "cubic_spline", cubic_value, cubic_slope, cubic_laplacian, cubic_shape, cubic_lean, 1};

// ----------------------------------------------------------------------------------------------------- quintic

static double quintic_factor(int dimensions, double h)
{
    return dimensions == 3 ? 2187 / (40 * pi * power(h, 3)) : 15309 / (478 * pi * power(h, 2));
}

static double quintic_sum(double q, int exponent)
{
    return above(1, q, exponent) - 6 * above(2.0 / 3, q, exponent) + 15 * above(1.0 / 3, q, exponent);
}

static profile quintic_profile(double q)
{
    return (profile){quintic_sum(q, 5), -5 * quintic_sum(q, 4), 20 * quintic_sum(q, 3)};
}

static double quintic_value(int dimensions, double h, double r)
{
    return r < h ? quintic_factor(dimensions, h) * quintic_profile(r / h).w : 0;
}

static double quintic_slope(int dimensions, double h, double r)
{
    const profile at = quintic_profile(r / h);
    return smooth_slope(quintic_factor(dimensions, h), h, &at);
}

static double quintic_laplacian(int dimensions, double h, double r)
{
    const profile at = quintic_profile(r / h);
    return smooth_laplacian(dimensions, quintic_factor(dimensions, h), h, r / h, &at);
}

static double quintic_shape(double s)
{
    return 81.0 / 22 * quintic_sum(1 - s, 5);
}

static double quintic_lean(double s)
{
    const double q = 1 - s;
    return 3 * q < 1 ? 8.0 / 9 - q * q * (8 - 10 * q) : quintic_sum(q, 4) / q;
}

static const mote_kernel kernel_quintic = {
    "quintic_spline", quintic_value, quintic_slope, quintic_laplacian, quintic_shape, quintic_lean, 405.0 / 22};

// -------------------------------------------------------------------------------------------------- Wendland C2

static double wendland_c2_factor(int dimensions, double h)
{
    return dimensions == 3 ? 21 / (2 * pi * h * h * h) : 7 / (pi * h * h);
}

static profile wendland_c2_profile(double q)
{
    const double s = q < 1 ? 1 - q : 0;
    return (profile){power(s, 4) * (1 + 4 * q), -20 * q * power(s, 3), -20 * power(s, 2) * (1 - 4 * q)};
}

static double wendland_c2_value(int dimensions, double h, double r)
{
    return wendland_c2_factor(dimensions, h) * wendland_c2_profile(r / h).w;
}

static double wendland_c2_slope(int dimensions, double h, double r)
{
    const profile at = wendland_c2_profile(r / h);
    return smooth_slope(wendland_c2_factor(dimensions, h), h, &at);
}

static double wendland_c2_laplacian(int dimensions, double h, double r)
{
    const profile at = wendland_c2_profile(r / h);
    return smooth_laplacian(dimensions, wendland_c2_factor(dimensions, h), h, r / h, &at);
}

static double wendland_c2_shape(double s)
{
    return s * s * s * s * (5 - 4 * s);
}

static double wendland_c2_lean(double s)
{
    return s * s * s;
}

static const mote_kernel kernel_wendland_c2 = {
    "wendland_c2",     wendland_c2_value, wendland_c2_slope, wendland_c2_laplacian,
    wendland_c2_shape, wendland_c2_lean,  20};

// -------------------------------------------------------------------------------------------------- Wendland C4

static double wendland_c4_factor(int dimensions, double h)
{
    return dimensions == 3 ? 495 / (32 * pi * power(h, 3)) : 9 / (pi * power(h, 2));
}

static profile wendland_c4_profile(double q)
{
    const double s = q < 1 ? 1 - q : 0, third = 56.0 / 3;
    return (profile){power(s, 6) * (1 + 6 * q + 35 * q * q / 3), -third * q * (1 + 5 * q) * power(s, 5),
                     -third * power(s, 4) * (1 + 4 * q - 35 * q * q)};
}

static double wendland_c4_value(int dimensions, double h, double r)
{
    return wendland_c4_factor(dimensions, h) * wendland_c4_profile(r / h).w;
}

static double wendland_c4_slope(int dimensions, double h, double r)
{
    const profile at = wendland_c4_profile(r / h);
    return smooth_slope(wendland_c4_factor(dimensions, h), h, &at);
}

static double wendland_c4_laplacian(int dimensions, double h, double r)
{
    const profile at = wendland_c4_profile(r / h);
    return smooth_laplacian(dimensions, wendland_c4_factor(dimensions, h), h, r / h, &at);
}

static double wendland_c4_shape(double s)
{
    return power(s, 6) * (56 - s * (88 - 35 * s)) / 3;
}

static double wendland_c4_lean(double s)
{
    return power(s, 5) * (6 - 5 * s);
}

static const mote_kernel kernel_wendland_c4 = {
    "wendland_c4",     wendland_c4_value, wendland_c4_slope, wendland_c4_laplacian,
    wendland_c4_shape, wendland_c4_lean,  56.0 / 3};

const mote_kernel *const mote_kernels[KERNEL_COUNT] = {
    [KERNEL_POLY6] = &mote_kernel_poly6,         [KERNEL_SPIKY] = &mote_kernel_spiky,
    [KERNEL_VISCOSITY] = &mote_kernel_viscosity, [KERNEL_CUBIC] = &kernel_cubic,
    [KERNEL_QUINTIC] = &kernel_quintic,          [KERNEL_WENDLAND_C2] = &kernel_wendland_c2,
    [KERNEL_WENDLAND_C4] = &kernel_wendland_c4,
};

double mote_kernel_peak(const mote_kernel *kernel, int dimensions, double h)
{
    return kernel->value(dimensions, h, 0);
}

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

// Σ of a term over the hexagonal lattice in 2D, the face-centred cubic one in 3D, with a point for each spacing^D.
static double dense_sum(double (*term)(int, double, double), int dimensions, double h, double spacing)
{
    const int reach = (int)ceil(1.1 * h / spacing), reach_k = dimensions == 3 ? reach : 0;
    const double edge_squared = spacing * spacing * (dimensions == 3 ? mote_cbrt(2) : 2 / sqrt(3));
    double sum = 0;
    for (int k = -reach_k; k <= reach_k; ++k)
        for (int j = -reach; j <= reach; ++j)
            for (int i = -reach; i <= reach; ++i)  // nearest neighbours are at 60 degrees to each other
                sum += term(dimensions, h, sqrt(edge_squared * (i * i + j * j + k * k + i * j + j * k + k * i)));
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
    mote_lattice_sums sums = {.full = cell * (own + 2 * below), .gradient = cell * gradient,
                              .dense_gradient = cell * dense_sum(gradient_term, dimensions, h, spacing),
                              .sample_volume = nearest > 0 ? below / nearest : 1};
    // With a support of one spacing or less, lattice points have no neighbours, and there is nothing to correct.
    sums.surface_gamma = cell * own * (nearest > 0 ? below / nearest : 1);
    return sums;
}

double mote_kernel_sample_volume(const mote_kernel *kernel, int dimensions, double h, double spacing)
{
    const int reach = (int)ceil(h / spacing), reach_y = dimensions == 3 ? reach : 0;
    double below = 0, nearest = 0;
    for (int k = reach; k >= 1; --k) {
        nearest = 0;
        for (int j = -reach_y; j <= reach_y; ++j)
            for (int i = -reach; i <= reach; ++i) {
                const double s = 1 - spacing * sqrt((double)(i * i + j * j + k * k)) / h;
                nearest += s > 0 ? kernel->lean(s) * k : 0;
            }
        below += nearest;
    }
    return nearest > 0 ? below / nearest : 1;
}

double mote_kernel_surface_gamma(const mote_kernel *kernel, int dimensions, double h, double spacing)
{
    const double own = plane_sum(poly6_value, dimensions, h, spacing, 0);
    return power(spacing, dimensions) * own * mote_kernel_sample_volume(kernel, dimensions, h, spacing);
}
