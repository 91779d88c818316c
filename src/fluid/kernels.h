// SPDX-License-Identifier: MIT
// fluid/kernels.h: smoothing kernels, their slopes and Laplacians, in 2D and 3D.
//
// They are in double precision and take one distance at a time, for the solver's constants, its calibration and the
// tests. The solver's loops over neighbours use the same formulas in float (pair_sums.c).
#ifndef MOTE_FLUID_KERNELS_H
#define MOTE_FLUID_KERNELS_H

typedef struct mote_kernel {
    const char *name;
    double (*value)(int dimensions, double h, double r);  // W [1/m^D]
    double (*slope)(int dimensions, double h, double r);  // dW/dr; the gradient is slope · (ri − rj)/r, 0 at r = 0
    double (*laplacian)(int dimensions, double h, double r);  // ∇²W
} mote_kernel;

extern const mote_kernel mote_kernel_poly6;      // density
extern const mote_kernel mote_kernel_spiky;      // pressure
extern const mote_kernel mote_kernel_viscosity;  // viscosity: its Laplacian is never negative

// Sums over the square or cubic lattice of edge `spacing`, which calibration needs.
typedef struct mote_lattice_sums {
    double full;           // S = d^D ΣW_poly6 over the whole lattice, including the point itself
    double gradient;       // −d^D/D Σ r dW_spiky/dr: the lattice sum's value for a gradient of 1
    double surface_gamma;  // γ: with V = γ/ΣW_poly6, a flat one-layer lattice of samples replaces a full half space
} mote_lattice_sums;

mote_lattice_sums mote_kernel_lattice_sums(int dimensions, double h, double spacing);

#endif
