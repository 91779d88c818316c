// SPDX-License-Identifier: MIT
// fluid/pair_sums.h: sums over a particle's neighbours, the hot loops of the solver.
//
// Neighbour k of a row is added to lane k mod 8; the sum of a row is ((l0+l4) + (l2+l6)) + ((l1+l5) + (l3+l7)).
// Every array of records ends with one filling record that adds exactly 0: it fills rows up to a multiple of four.
#ifndef MOTE_FLUID_PAIR_SUMS_H
#define MOTE_FLUID_PAIR_SUMS_H

#include "base/internal.h"
#include "mote/neighbors.h"

// The values of a particle or wall particle that the density sum reads: 16 bytes, four per cache line.
typedef struct mote_point_record {
    float x, y, z;  // relative to the fluid's origin [m]
    float weight;   // of a wall particle: its volume in units of d^D; 1 for a fluid particle
} mote_point_record;

// The values of a particle that the force sums read: half a cache line, read as a whole.
typedef struct mote_force_record {
    float x, y, z;
    float volume;           // V = m/ρ [m³]
    float vx, vy, vz;       // v [m/s] for approach, u [m³/s²] for forces
    float extra;            // another value that the sum needs: V·P [J] for forces, q [m²/s] for approach
} mote_force_record;

// Coordinate of the filling record: so far away that no kernel reaches it, yet its squared distance is still finite.
#define MOTE_FAR_AWAY 1e18f

typedef struct mote_pair_constants {
    float h, inverse_h_squared;
    float tiny_squared;    // smaller squared distances are replaced by it: a pair at r = 0 has ∇W = 0, not 0/0
    float largest_volume;  // limit of a particle's volume [m³]; no limit where pressures may have either sign
    float flow_limit;      // largest flow of q per difference of such volumes [1/(m s)]
} mote_pair_constants;

// Σ (1 − r²/h²)³ over a row, which is poly6 without its factor; and the same sum weighted by the records' weights.
// `filler` is the index of the filling record.
float mote_sum_density(const mote_pair_constants *constants, mote_row row, const mote_point_record *records,
                       uint32_t filler, const mote_point_record *me);
float mote_sum_weighted_density(const mote_pair_constants *constants, mote_row row, const mote_point_record *records,
                                uint32_t filler, const mote_point_record *me);

// With s = h − r and dx = xj − xi: pressure is Σ s²/r (Vj Pi + Vj Pj) dx, viscosity Σ Vj s (uj − ui).
typedef struct mote_force_sums {
    float pressure[3], viscosity[3];
} mote_force_sums;
mote_force_sums mote_sum_forces(const mote_pair_constants *constants, mote_row row, const mote_force_record *records,
                                uint32_t filler, const mote_force_record *me, float pressure);

// rate is Σ Vj (s²/r dx·(vi − vj) + min(s²/r, 2.25 h) flow): how fast the neighbours approach, plus the flow of q
// from them. The flow is qj − qi where that is between 0 and flow_limit (Vi − Vj), otherwise the nearer of the two
// bounds. Volumes are limited to largest_volume, so that nothing flows between two particles without pressure. bend
// is Σ Vj s (vj − vi). The bound of s²/r, reached at r = h/4, is for particles that almost coincide: s²/r alone has
// no limit there.
#define MOTE_STEEPEST 2.25f
typedef struct mote_approach_sums {
    float rate, bend[3];
} mote_approach_sums;
mote_approach_sums mote_sum_approach(const mote_pair_constants *constants, mote_row row,
                                     const mote_force_record *records, uint32_t filler, const mote_force_record *me);

// Σ Vj s and Σ Vj Pj s, from which the mean pressure around a particle is computed.
typedef struct mote_pressure_sums {
    float weight, weighted_pressure;
} mote_pressure_sums;
mote_pressure_sums mote_sum_pressures(const mote_pair_constants *constants, mote_row row,
                                      const mote_force_record *records, uint32_t filler, const mote_force_record *me);

// The pressure of a particle plus that of the wall particles near it: the sum at the particle's position, and the
// gradient of the wall pressure with the distance from there.
typedef struct mote_wall_pressure {
    float both, slope[3];  // [Pa], [Pa/m]
} mote_wall_pressure;

// Over wall particles: pressure is Σ weight s²/r (both + slope·dx) dx, drag Σ weight s.
typedef struct mote_wall_sums {
    float pressure[3], drag;
} mote_wall_sums;
mote_wall_sums mote_sum_walls(const mote_pair_constants *constants, mote_row row, const mote_point_record *records,
                              uint32_t filler, const mote_force_record *me, const mote_wall_pressure *pressure);

#endif
