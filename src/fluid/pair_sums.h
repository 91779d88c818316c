// SPDX-License-Identifier: MIT
// fluid/pair_sums.h: sums over a particle's neighbours, the hot loops of the solver.
//
// Neighbour k of a row is added to lane k mod 8; the sum of a row is ((l0+l4) + (l2+l6)) + ((l1+l5) + (l3+l7)).
// Every array of records ends with one filling record that adds exactly 0: it fills rows up to a multiple of eight.
#ifndef MOTE_FLUID_PAIR_SUMS_H
#define MOTE_FLUID_PAIR_SUMS_H

#include "base/internal.h"
#include "fluid/row.h"

// The records of a set of particles.
typedef struct mote_pair_set {
    const fluid_place *places;
    const fluid_motion *motions;  // NULL where they are not needed: of walls, for densities
    uint32_t filler;              // the number of the filling record
} mote_pair_set;

typedef struct mote_pair_constants {
    float h, inverse_h_squared;
    float tiny_squared;    // smaller squared distances are replaced by it: a pair at r = 0 has ∇W = 0, not 0/0
    float largest_volume;  // limit of a particle's volume [m³]; no limit where pressures may have either sign
    float flow_limit;      // largest flow of q per difference of such volumes [1/(m s)]
} mote_pair_constants;

// s²/r does not grow below r = h/4, where it has this value in units of h.
#define MOTE_STEEPEST 2.25f

// With s = h − r and dx = xj − xi. The scalar of records is V·P [J] and their velocity u [m³/s²] for forces; for
// approach they are q [m²/s] and v [m/s].
typedef struct mote_force_sums {
    float pressure[3];   // Σ s²/r (Vj Pi + Vj Pj) dx
    float viscosity[3];  // Σ Vj s (uj − ui)
} mote_force_sums;

// The flow of q is qj − qi where that is between 0 and flow_limit (Vi − Vj), otherwise the nearer of the two bounds.
// Volumes are limited to largest_volume, so that nothing flows between two particles without pressure.
typedef struct mote_approach_sums {
    float rate;  // Σ Vj (s²/r dx·(vi − vj) + min(s²/r, 2.25 h) flow): how fast neighbours approach, and what flows
    float bend[3];  // Σ Vj s (vj − vi)
} mote_approach_sums;

// From which the mean pressure around a particle is computed.
typedef struct mote_pressure_sums {
    float weight, weighted_pressure;  // Σ Vj s; Σ Vj Pj s
} mote_pressure_sums;

// The pressure of a particle plus that of the wall particles near it: the sum at the particle's position, and the
// gradient of the wall pressure with the distance from there.
typedef struct mote_wall_pressure {
    float both, slope[3];  // [Pa], [Pa/m]
} mote_wall_pressure;

// Over wall particles: pressure is Σ weight s²/r (both + slope·dx) dx, drag Σ weight s.
typedef struct mote_wall_sums {
    float pressure[3], drag;
} mote_wall_sums;

// The rows of consecutive particles, with the records of these: of row k, own[k] and motions[k].
typedef struct mote_pair_rows {
    const fluid_row *rows;
    const fluid_place *own;
    const fluid_motion *motions;
    uint32_t count;
} mote_pair_rows;

// The sums of a row, or of several: of particle by particle, what surrounds the loops would take a third of the time.
// One table for each instruction set. All forms have the same bits.
typedef struct mote_pair_lanes {
    // Σ (1 − r²/h²)³, which is poly6 without its factor; with `weighted`, times the records' volumes.
    float (*density)(const mote_pair_constants *constants, fluid_row row, const mote_pair_set *set,
                     const fluid_place *own, bool weighted);
    void (*forces)(const mote_pair_constants *constants, const mote_pair_rows *of, const mote_pair_set *set,
                   const float *pressures, mote_force_sums *sums);
    // The same, but pressure is Σ s²/r (pressure + Vj·Vj Pj) dx: of number densities.
    mote_force_sums (*number_forces)(const mote_pair_constants *constants, fluid_row row, const mote_pair_set *set,
                                     const fluid_place *own, const fluid_motion *motion, float pressure);
    void (*approach)(const mote_pair_constants *constants, const mote_pair_rows *of, const mote_pair_set *set,
                     mote_approach_sums *sums);
    mote_pressure_sums (*pressures)(const mote_pair_constants *constants, fluid_row row, const mote_pair_set *set,
                                    const fluid_place *own);
    mote_wall_sums (*walls)(const mote_pair_constants *constants, fluid_row row, const mote_pair_set *set,
                            const fluid_place *own, const mote_wall_pressure *pressure);
} mote_pair_lanes;

extern const mote_pair_lanes mote_pair_lanes_plain, mote_pair_lanes_avx2, mote_pair_lanes_128;
const mote_pair_lanes *mote_pair_lanes_of(mote_simd form);

#endif
