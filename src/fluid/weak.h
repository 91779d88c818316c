// SPDX-License-Identifier: MIT
// fluid/weak.h: what the files of the weakly compressible solver (solver_weak.c) share: its sums over neighbours.
//
// The scalar of records is the enthalpy over c², less that of water at rest, in sums of rates; the pressure in sums of
// forces.
#ifndef MOTE_FLUID_WEAK_H
#define MOTE_FLUID_WEAK_H

#include "base/internal.h"
#include "fluid/kernels.h"
#include "fluid/row.h"
#include "mote/neighbors.h"

// The kernel, of support H: with s = 1 − r/H, W = α shape(s) and ∇W = g lean(s) (xj − xi) (kernel_lanes.h). For
// Wendland's C2, shape is s⁴ (1 + 4 r/H), lean is s³ and g is 20 α/H².
typedef struct weak_kernel {
    mote_kernel_id id;
    float inverse_support;  // 1/H
    float value;            // α
    float gradient;         // g
    float tiny;             // added to r² where it divides: 0.0001 H²
    float lattice_value;    // 1/shape at the spacing of the particles
    float stretch_share;    // κ of weak_stretch.c
    // Of KERNEL_SAMPLES (samples.c): lean is s³ Σ lean_k s^k, and shape is s⁴ Σ shape_k s^k.
    float lean_terms[MOTE_SAMPLE_TERMS], shape_terms[MOTE_SAMPLE_TERMS + 1];
} weak_kernel;

// A set of particles whose rows are summed.
typedef struct weak_set {
    const fluid_place *places;
    const fluid_motion *motions;
    const fluid_motion *shifts;  // shifting velocities, for the stress that they cause, or e/V; NULL: none; and as
                                 // scalar the eddy viscosity
    uint32_t filler;             // the number of the filling record
} weak_set;

// Sums that give rates of density, and where free surfaces are. With dx = xj − xi, dv = vj − vi and G = g lean(s):
typedef struct weak_rates {
    float compression;  // −Σ V G dx·dv
    float diffusion;    // Σ V G (scalar_j − scalar_i)
    float lean[3];      // Σ V G dx = Σ V ∇W: points from a surface into the fluid
    float filling;      // Σ V W/α, the particle itself left out
    float spread[6];    // Σ V G dx⊗dx: xx, yy, zz, yz, xz, xy; the unit matrix in the inside
    float crowding[3];  // Σ V G (1 + 0.2 (W/W(d))⁴) dx (Monaghan 2000, Sun et al. 2017)
} weak_rates;

// Sums that give accelerations.
typedef struct weak_forces {
    float push[3];  // Σ V G (own + scalar_j − K dx·dv/r² − κ dx·(ei/Vi − ej/Vj)/r²) dx: weak_stretch.c has the last one
    float drag[3];  // Σ V G dv
    float stress[3];  // Σ V G (vi (ui·dx) + vj (uj·dx)), u shifting velocities
} weak_forces;

// Sums over the fluid around a wall particle: Σ V W f.
typedef struct weak_averages {
    float weight, scalar;       // f = 1; the pressure
    float offset[3];            // ρ dx
    float velocity[3];
} weak_averages;

// Sums that give the gradient of the velocity.
typedef struct weak_gradients {
    float velocity[9];  // Σ V G dv⊗dx: du/dx, du/dy, du/dz, dv/dx, …
    float spread[6];    // Σ V G dx⊗dx: xx, yy, zz, yz, xz, xy
} weak_gradients;

// What the sums are to contain: chosen once per call, so that each choice is a loop of its own.
typedef enum weak_detail {
    WEAK_PLAIN,    // rates: compression and diffusion; the others are 0
    WEAK_LEAN,     // also lean and filling
    WEAK_SURFACE,  // also spread and crowding, but neither lean nor filling
} weak_detail;

typedef struct weak_self {
    fluid_place place;
    fluid_motion motion, shift;
    float central;   // K of weak_forces; 0: none
    float eddies;    // (D + 2) ρ0: times the sum of both eddy viscosities it is added to K; 0: none
    float exchange;  // κ of weak_forces; 0: none, and shifts cause a stress if the set has any
} weak_self;

// What acts between a particle and neighbours of another phase (weak_phases.c).
typedef struct weak_across {
    float mass, other_mass;  // of the particle, and of a neighbour [kg]
    float central, drag;     // 2 (D + 2) μ and 2 μ of the mean viscosity between them [Pa s]
    float repulsion;         // ε
    float mean;              // 1: the pressure between them is the plain mean; 0: weighted by density
} weak_across;

typedef struct weak_lanes {
    void (*rates)(const weak_kernel *kernel, const weak_set *set, fluid_row row, const weak_self *self,
                  weak_detail detail, weak_rates *sums);
    void (*forces)(const weak_kernel *kernel, const weak_set *set, fluid_row row, const weak_self *self, bool has_drag,
                   weak_forces *sums);
    void (*averages)(const weak_kernel *kernel, const weak_set *set, fluid_row row, const weak_self *self, float mass,
                     weak_averages *sums);
    // Forces between phases [N]: push is Σ G ((Vi² + Vj²) Pij − Vi Vj central dx·dv/r²) dx, and drag is
    // Σ G Vi Vj drag dv; there is no stress.
    void (*across)(const weak_kernel *kernel, const weak_set *set, fluid_row row, const weak_self *self,
                   const weak_across *pair, weak_forces *sums);
    // Σ V G (Πi + Πj) dx with Π = |c| I − c⊗c/|c|: motions have c, and as scalar the inverse of its length.
    void (*stress)(const weak_kernel *kernel, const weak_set *set, fluid_row row, const weak_self *self,
                   float sums[3]);
    // What a cell of a body adds to nodes begin … end (field_build.c): Σ V G dx, Σ V W/α. Registers are filled with the
    // nodes behind, which get what is theirs as well: 0 beyond the support.
    void (*nodes)(const weak_kernel *kernel, const fluid_place *cell, const float *const places[3], int begin, int end,
                  float *const sums[4]);
    void (*gradients)(const weak_kernel *kernel, const weak_set *set, fluid_row row, const weak_self *self,
                      weak_gradients *sums);
} weak_lanes;

extern const weak_lanes mote_weak_plain, mote_weak_avx2, mote_weak_128;
const weak_lanes *mote_weak_lanes(mote_simd form);

#endif
