// SPDX-License-Identifier: MIT
/// mote/boundary.h: what walls of a simulation are to a fluid, and how they move. Tanks and solids (simulation.h) have
/// both.
#ifndef MOTE_BOUNDARY_H
#define MOTE_BOUNDARY_H

#include "mote/walls.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a side of a tank or a solid holds a fluid back.
typedef enum mote_boundary_kind {
    MOTE_BOUNDARY_AUTO,    ///< the default of the solver, by mote_boundary_kind_of
    MOTE_BOUNDARY_PLANES,  ///< no wall particles: whoever passes a side of a tank, or comes near a solid, is put back,
                           ///< with restitution and friction
    MOTE_BOUNDARY_LAYERS,  ///< wall particles behind the surface, as deep as the kernel's support
    MOTE_BOUNDARY_SAMPLES,  ///< a single layer of wall particles, with corrected volumes
    MOTE_BOUNDARY_FIELD,    ///< no wall particles: what they would do, as a function of the place that is computed once
    MOTE_BOUNDARY_PROXY,    ///< pressure by samples; particles are stopped by an octree (proxy.h) instead of the mesh
    MOTE_BOUNDARY_PROXY_PLANES  ///< the same octree without wall particles, as with planes
} mote_boundary_kind;

/// What a kind of boundaries is, and who takes it.
typedef struct mote_boundary_kind_info {
    mote_fluid_choice about;   ///< its name in scenes, source and meaning
    bool for_tank, for_solid;
    uint32_t solvers;          ///< which take it: 1 << mote_fluid_solver for each
} mote_boundary_kind_info;

/// The kinds by index from 0, in the order of the enum; NULL beyond the last.
MOTE_API const mote_boundary_kind_info *mote_boundary_kind_at(size_t index);
/// The kind that MOTE_BOUNDARY_AUTO stands for. Solids that are too thin for layers have samples all the same.
/// @param solver   a mote_fluid_solver
MOTE_API mote_boundary_kind mote_boundary_kind_of(mote_fluid_solver solver, bool is_tank);

/// Writes a field: calls the sink for its bytes, one part behind the other. False if that returned false.
typedef bool mote_wall_field_writer(const void *field, mote_sink *sink, void *user_data);

/// Where the fields of bodies (MOTE_BOUNDARY_FIELD), which take seconds to compute, are kept from one simulation to the
/// next, in files or elsewhere. No result depends on it: bytes that are damaged, or of another body, are not used, and
/// the field is computed and kept again. Called by the thread that creates a simulation.
typedef struct mote_wall_field_store {
    /// Opens what is kept under a key of 32 hexadecimal digits, and says how many bytes that is; NULL: nothing is.
    void *(*open)(void *user_data, const char *key, uint64_t *length);
    bool (*read)(void *opened, void *bytes, size_t length);  ///< the next bytes; false if there are not so many
    void (*close)(void *opened);
    /// Keeps a field under a key, by one call of `write`. What becomes of it is the store's affair.
    void (*keep)(void *user_data, const char *key, mote_wall_field_writer *write, const void *field);
    void *user_data;
} mote_wall_field_store;

enum { MOTE_MOTION_COLUMNS = 5 };  ///< of a table of a motion

/// A motion that expressions (expression.h) of the time t [s] or a table describe. A text counts where it is not NULL,
/// a number otherwise. First the body turns about `center`, then it shifts. All zeros: at rest. Only with the solver
/// "weak". A row of a table has five numbers: the time [s], which rises from row to row, the shift [m], the angle
/// [degree]. Between rows all follow natural cubic splines; before the first and behind the last the body rests.
typedef struct mote_motion {
    mote_vec3 shift;            ///< [m]
    const char *shift_text[3];
    double turn;                ///< angle [degree]
    const char *turn_text;
    mote_vec3 center;           ///< at the start [m]
    mote_vec3 axis;             ///< of any length but 0; in 2D along y
    const char *table_file;     ///< for the caller: the file with the table; NULL or "": there is none
    const double *table;        ///< instead of shift and turn: 5 · table_count, read while a simulation is created
    size_t table_count;         ///< rows
} mote_motion;
/// Whether it moves anything. NULL: no.
MOTE_API bool mote_motion_is_set(const mote_motion *motion);

/// How far a side of a tank has moved into it, by an expression of the time; never outwards.
typedef struct mote_piston {
    double way;        ///< [m]
    const char *text;  ///< where not NULL
} mote_piston;

/// How fast a side of a tank runs along itself, like a belt: 0 across it, and with the solver "weak" only. Components
/// may be expressions of the time, unless the tank moves as a whole.
typedef struct mote_belt {
    mote_vec3 velocity;   ///< [m/s]
    const char *text[3];  ///< where not NULL
} mote_belt;

/// A box that absorbs waves: velocities in it decay, the faster the deeper they are in it, from 0 at those of its
/// upright sides that lie inside the tank (without a tank, at all).
typedef struct mote_damping_def {
    mote_vec3 min, max;  ///< [m]; y is not used in 2D
    double strength;     ///< of the decay at its end [1/s]; NaN: 12 sqrt(gH) over its length
} mote_damping_def;
MOTE_API mote_damping_def mote_damping_default_def(void);
MOTE_API const mote_field_table *mote_damping_fields(void);

#ifdef __cplusplus
}
#endif

#endif
