// SPDX-License-Identifier: MIT
// fluid/internal.h: declarations that the files of the fluid share.
#ifndef MOTE_FLUID_INTERNAL_H
#define MOTE_FLUID_INTERNAL_H

#include "base/internal.h"
#include "fluid/kernels.h"
#include "fluid/pair_sums.h"
#include "mote/fluid.h"
#include "mote/neighbors.h"
#include "particles/store.h"

// Particles are sorted by (cell, id) again every so many steps.
enum { FLUID_ORDER_INTERVAL = 8 };

// Elements in a block of parallel work. Each block stores its partial results at its number; they are joined in
// order.
enum { FLUID_BLOCK = 512 };

// The same for loops that only copy and have no partial results: the work of a block should take 10 us or more.
enum { FLUID_COPY_BLOCK = 8192 };

// The arrays of the particles: indices into mote_fluid_particle_fields.
typedef enum fluid_array_id {
    FLUID_ID,
    FLUID_X,
    FLUID_Y,
    FLUID_Z,
    FLUID_VX,
    FLUID_VY,
    FLUID_VZ,
    FLUID_AX,
    FLUID_AY,
    FLUID_AZ,
    FLUID_DENSITY,
    FLUID_PRESSURE,
    FLUID_RATE,    // dρ/dt/ρ of the last step [1/s]; by continuity
    FLUID_BEND_X,  // Σ Vj s (vj − vi) in the middle of the last step; by continuity
    FLUID_BEND_Y,
    FLUID_BEND_Z,
    FLUID_ARRAY_COUNT
} fluid_array_id;

extern const particle_field mote_fluid_particle_fields[FLUID_ARRAY_COUNT];

// Results of a block of particles: maxima that limit the time step.
typedef struct fluid_limits {
    float max_speed_squared, max_acceleration_squared;
} fluid_limits;

struct mote_fluid {
    mote_context *context;
    mote_fluid_def def;  // resolved; `neighbors` points to the method's own name

    // Values derived from the def.
    double mass;               // of a particle [kg] (2D: kg/m)
    double surface_gamma;      // of walls that are samples of a surface
    double cell_volume;        // d^D
    double viscosity;          // μ [Pa s]
    double hyperviscosity;     // η = κ c d³ [m⁴/s]; 0 unless by continuity
    double diffusivity;        // of density: δ h c [m²/s]
    float diffusion_drift[3];  // diffusivity · g/c² [m/s]: density differences of water at rest
    double support_pressure;   // of water at rest, one kernel support deep: ρ0 |g| h [Pa]
    mote_pair_constants pair;
    double density_factor;    // ρ = factor · (1 + Σ (1 − r²/h²)³)
    double pressure_factor;   // |∇W_spiky| = factor · (h − r)², divided by the lattice sum for a gradient of 1
    double viscosity_factor;  // ∇²W_viscosity = factor · (h − r)

    // Particles. Velocities are those at the half step until the forces are evaluated; from then on they are those
    // at the instant of the positions.
    particle_store particles;
    mote_vec3 origin;    // of the float view: the middle of the first particles or walls that were added
    double previous_dt;  // the last step; 0: the next one starts with a half step
    double earlier_dt;   // the step before that; 0: the step previous_dt started with a half step
    bool evaluated;
    bool ordered;     // sorted by (cell, id) since the last step
    bool has_rows;    // records and lists are those of the present positions
    fluid_limits limits;

    // Walls.
    size_t wall_count;
    mote_buffer wall_positions, wall_volumes;  // 3 doubles; in units of d^D
    mote_buffer wall_records;                  // mote_point_record, with the filling record last
    bool walls_ready;                          // records and wall_search are up to date

    mote_neighbors *search, *wall_search;
    mote_lists lists, wall_lists;
    mote_buffer point_records, force_records, partial;
    mote_buffer half_records;  // only with MOTE_DENSITY_CONTINUITY

    mote_fluid_counters counters;
};

static inline uint64_t *mote_fluid_ids(const mote_fluid *fluid)
{
    return fluid->particles.arrays[FLUID_ID].data;
}
static inline double *mote_fluid_doubles(const mote_fluid *fluid, fluid_array_id id)
{
    return fluid->particles.arrays[id].data;
}
static inline float *mote_fluid_floats(const mote_fluid *fluid, fluid_array_id id)
{
    return fluid->particles.arrays[id].data;
}

// Fills error and returns MOTE_ERROR_OUT_OF_MEMORY.
mote_result mote_fluid_out_of_memory(mote_fluid *fluid, const char *what, mote_error *error);

// Sets the origin if nothing has been added yet.
void mote_fluid_set_origin(mote_fluid *fluid, const double *positions, size_t count);

// Brings velocities to the instant of the positions, so that the next step starts with a half step.
mote_result mote_fluid_synchronise(mote_fluid *fluid, mote_error *error);

// The records as a point set with the fluid's dimensions; and the record of a position.
mote_points mote_fluid_record_points(const mote_fluid *fluid, const mote_point_record *records, size_t count);
mote_point_record mote_fluid_make_record(const mote_fluid *fluid, double x, double y, double z, double weight);

// The density at a pressure of 0 or more.
double mote_fluid_density_at(const mote_fluid_def *def, double pressure);

// walls.c: brings wall records and their search up to date.
mote_result mote_fluid_prepare_walls(mote_fluid *fluid, mote_error *error);

#endif
