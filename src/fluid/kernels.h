// SPDX-License-Identifier: MIT
// fluid/kernels.h: smoothing kernels, their slopes and Laplacians, in 2D and 3D.
//
// They are in double precision and take one distance at a time, for the solvers' constants, calibration and the tests.
// The loops over neighbours have the same formulas in float: pair_sums.c for the solver onderik, kernel_lanes.h for the
// solver weak, which can use any kernel that is finite and has a slope.
#ifndef MOTE_FLUID_KERNELS_H
#define MOTE_FLUID_KERNELS_H

// Nearer than that share of h, slopes that do not vanish at 0 are cut down.
#define KERNEL_LEAST_DISTANCE (1 / 1024.0f)

typedef struct mote_kernel {
    const char *name;
    double (*value)(int dimensions, double h, double r);  // W [1/m^D]
    double (*slope)(int dimensions, double h, double r);  // dW/dr; the gradient is slope · (ri − rj)/r, 0 at r = 0
    double (*laplacian)(int dimensions, double h, double r);  // ∇²W
    // The same by s = 1 − r/h, as the lanes have it: W = W(0) shape(s) and −W'/r = W(0) steepness/h² lean(s).
    // NULL: it does not do for all sums.
    double (*shape)(double s);
    double (*lean)(double s);
    double steepness;
} mote_kernel;

// Kernels by number: the order of mote_fluid_kernel_at.
typedef enum mote_kernel_id {
    KERNEL_POLY6,
    KERNEL_SPIKY,
    KERNEL_VISCOSITY,
    KERNEL_CUBIC,
    KERNEL_QUINTIC,
    KERNEL_WENDLAND_C2,
    KERNEL_WENDLAND_C4,
    KERNEL_COUNT,
    KERNEL_SAMPLES = KERNEL_COUNT  // of the solver weak's samples of a surface, which is in no table (samples.c)
} mote_kernel_id;
extern const mote_kernel *const mote_kernels[KERNEL_COUNT];

extern const mote_kernel mote_kernel_poly6;      // density
extern const mote_kernel mote_kernel_spiky;      // pressure
extern const mote_kernel mote_kernel_viscosity;  // viscosity: its Laplacian is never negative

// W(0) [1/m^D].
double mote_kernel_peak(const mote_kernel *kernel, int dimensions, double h);

// Sums over the square or cubic lattice of edge `spacing`, and the densest one, which calibration needs.
typedef struct mote_lattice_sums {
    double full;           // S = d^D ΣW_poly6 over the whole lattice, including the point itself
    double gradient;       // −d^D/D Σ r dW_spiky/dr: the lattice sum's value for a gradient of 1
    double dense_gradient; // the same of the densest lattice with as many points (hexagonal, face-centred cubic)
    double sample_volume;  // of a sample in such a layer, in cells
    double surface_gamma;  // γ: with V = γ/ΣW_poly6, a flat one-layer lattice of samples replaces a full half space
} mote_lattice_sums;

mote_lattice_sums mote_kernel_lattice_sums(int dimensions, double h, double spacing);
// How much volume a sample of a flat one-layer lattice has, in cells, if that layer has the gradient of a full half
// space by this kernel, at half a spacing from the surface and the layer half a spacing behind it.
double mote_kernel_sample_volume(const mote_kernel *kernel, int dimensions, double h, double spacing);
// Another γ, by which such a lattice has the gradient of a full half space by this kernel, instead of the density.
double mote_kernel_surface_gamma(const mote_kernel *kernel, int dimensions, double h, double spacing);

// The kernel of samples (samples.c): −K'/r less the factor of the fluid's kernel, Σ c_k s^(3 + k) with s = 1 − r/h. By
// it a flat layer of a sample of volume 1 per cell, half a spacing behind a surface, pushes as layers of a lattice do.
enum { MOTE_SAMPLE_TERMS = 4 };
void mote_sample_terms(const mote_kernel *kernel, int dimensions, double support, double spacing,
                       double terms[MOTE_SAMPLE_TERMS]);
double mote_sample_lean(const double terms[MOTE_SAMPLE_TERMS], double s);

#endif
