// SPDX-License-Identifier: MIT
// fluid/solver.h: solvers, each a const table of functions. A fluid keeps particles, walls and the clock; its solver
// says what particles carry and what accelerates them. The time step (step.c) is the same for all.
#ifndef MOTE_FLUID_SOLVER_H
#define MOTE_FLUID_SOLVER_H

#include "mote/fluid.h"
#include "particles/store.h"

typedef struct fluid_solver {
    mote_fluid_choice about;
    // The arrays of its particles; those up to FLUID_EXCESS are the same for all solvers.
    const particle_field *fields;
    size_t field_count;
    // Names of those fields of mote_fluid_def that it reads and another solver does not; NULL at the end.
    const char *const *own_settings;
    // Refuses a def that it cannot serve, and fills in what the def leaves open.
    mote_result (*resolve)(mote_fluid *fluid, mote_error *error);
    // Makes its searches and chooses its loops; once, after resolve.
    mote_result (*create)(mote_fluid *fluid, mote_error *error);
    void (*destroy)(mote_fluid *fluid);
    // Densities, pressures, accelerations and limits at the present positions, and velocities of the same instant.
    mote_result (*evaluate)(mote_fluid *fluid, mote_error *error);
    // Finds the forces on walls, which someone wants, of an evaluation that has been made.
    mote_result (*find_reactions)(mote_fluid *fluid);
    // Adds the forces of a particle on wall particles, pair by pair (mote_fluid_add_reaction).
    void (*add_reactions)(const mote_fluid *fluid, uint32_t i, double *sums);
    // The density of each particle by summation over positions [kg/m³].
    mote_result (*sum_densities)(mote_fluid *fluid, float *densities, mote_error *error);
    // The longest stable step from here [s].
    double (*time_step)(const mote_fluid *fluid);
    // Gives a particle in a buffer what its opening says, and its records with it (open_state.c).
    void (*hold)(mote_fluid *fluid, size_t i, mote_vec3 velocity, double pressure);
    // Walls have changed; those that move have moved (NULL: it has no walls that move).
    void (*forget_walls)(mote_fluid *fluid);
    void (*walls_moved)(mote_fluid *fluid);
    size_t (*byte_count)(const mote_fluid *fluid);
    mote_result (*validate)(mote_fluid *fluid, mote_error *error);
    // What it keeps of the last evaluation besides the particles' arrays; only with individual steps.
    mote_result (*restore_records)(mote_fluid *fluid, mote_error *error);
    size_t level_field_count;  // arrays with individual steps; 0: it has none
    size_t eddy_field_count;   // arrays with eddy viscosity; 0: it has none
    int shift;  // the first of three arrays of velocities that move particles besides their own; 0: none
} fluid_solver;

extern const fluid_solver mote_solver_onderik, mote_solver_weak;

// tables.c: the solver of a number; NULL beyond the last.
const fluid_solver *mote_fluid_solver_of(size_t number);

#endif
