// SPDX-License-Identifier: MIT
// fluid/internal.h: declarations that the files of the fluid share.
#ifndef MOTE_FLUID_INTERNAL_H
#define MOTE_FLUID_INTERNAL_H

#include <stdatomic.h>

#include "base/internal.h"
#include "fluid/field_lanes.h"
#include "fluid/kernels.h"
#include "fluid/levels.h"
#include "fluid/open.h"
#include "fluid/pair_sums.h"
#include "fluid/peek.h"
#include "fluid/rigid.h"
#include "fluid/solver.h"
#include "fluid/state_lanes.h"
#include "fluid/weak.h"
#include "mote/neighbors.h"
#include "mote/tension.h"
#include "mote/walls.h"
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
    FLUID_PHASE,   // the number of its phase: a byte
    FLUID_OPENING,  // that of the opening whose buffer it is in, from 1 on; 0: none (open.h)
    FLUID_RATE,    // dρ/dt/ρ of the last step [1/s]; by continuity
    FLUID_EXCESS,  // δ = ρ/ρ0 − 1, integrated by continuity, as ρ itself has too few bits; by sums it follows from ρ
    FLUID_BEND_X,  // Σ Vj s (vj − vi) in the middle of the last step; by continuity
    FLUID_BEND_Y,
    FLUID_BEND_Z,
    FLUID_ARRAY_COUNT
} fluid_array_id;

// Of the weakly compressible solver, behind FLUID_EXCESS.
enum {
    FLUID_SHIFT_X = FLUID_EXCESS + 1,  // shifting velocity [m/s]
    FLUID_SHIFT_Y,
    FLUID_SHIFT_Z,
    FLUID_SURFACE,  // smallest eigenvalue of Σ V ∇W⊗(xj − xi): 1 in the inside, about 0.5 at a free surface
    FLUID_WEAK_ARRAY_COUNT,
    // With individual steps, besides:
    FLUID_SPAN = FLUID_WEAK_ARRAY_COUNT,  // the length of its last step [s]
    FLUID_LIMIT,                          // how long its next one may be [s]
    FLUID_LEVELS_ARRAY_COUNT,
    // With eddy viscosity, besides these, which are not used then:
    FLUID_EDDY = FLUID_LEVELS_ARRAY_COUNT,  // ν_t [m²/s]
    FLUID_EDDIES_ARRAY_COUNT
};

// A line of a table of arrays; and the lines that the tables of all solvers have in common.
#define FLUID_FIELD(field_name, field_unit, field_type)                                                \
    {                                                                                            \
        .name = field_name, .unit = field_unit, .type = MOTE_ARRAY_##field_type, .components = 1 \
    }
#define FLUID_SHARED_FIELDS \
    [FLUID_ID] = FLUID_FIELD("id", "", U64), \
    [FLUID_X] = FLUID_FIELD("x", "m", F64), \
    [FLUID_Y] = FLUID_FIELD("y", "m", F64), \
    [FLUID_Z] = FLUID_FIELD("z", "m", F64), \
    [FLUID_VX] = FLUID_FIELD("vx", "m/s", F32), \
    [FLUID_VY] = FLUID_FIELD("vy", "m/s", F32), \
    [FLUID_VZ] = FLUID_FIELD("vz", "m/s", F32), \
    [FLUID_AX] = FLUID_FIELD("ax", "m/s^2", F32), \
    [FLUID_AY] = FLUID_FIELD("ay", "m/s^2", F32), \
    [FLUID_AZ] = FLUID_FIELD("az", "m/s^2", F32), \
    [FLUID_DENSITY] = FLUID_FIELD("density", "kg/m^3", F32), \
    [FLUID_PRESSURE] = FLUID_FIELD("pressure", "Pa", F32), \
    [FLUID_PHASE] = FLUID_FIELD("phase", "", U8), \
    [FLUID_OPENING] = FLUID_FIELD("opening", "", U8), \
    [FLUID_RATE] = FLUID_FIELD("rate", "1/s", F32), \
    [FLUID_EXCESS] = FLUID_FIELD("excess", "", F32),

extern const particle_field mote_fluid_particle_fields[FLUID_ARRAY_COUNT];

// What the weakly compressible solver keeps: records of particles, of their images across periodic faces behind them,
// and of walls.
typedef struct weak_walls {
    size_t count, image_count;
    mote_buffer places, motions, states;  // fluid_place; fluid_motion of the wall itself, and as the fluid feels it
    mote_buffer half_places, half_motions;  // in the middle of the last step, of walls that move
    mote_buffer positions, images;          // 3 doubles of each that is no image; weak_image
    mote_buffer sources;                  // uint32_t: the number among all walls of each that is no image
    mote_buffer owners;                   // uint32_t: the record that each is, or is an image of
} weak_walls;

// Sets of walls: number 1 of each pair has free slip; the second pair of each four moves; the second four are samples
// of a surface, which have a kernel of their own. Walls that do not move are sorted once. The last set are the mirrored
// places of buffers.
enum { WEAK_WALLS = 8, WEAK_MIRRORS = 1 + WEAK_WALLS, WEAK_SETS };
static inline bool mote_weak_is_slip(int set)
{
    return set & 1;
}
static inline bool mote_weak_is_moving(int set)
{
    return set >> 1 & 1;
}
static inline bool mote_weak_is_samples(int set)
{
    return set >> 2;
}

// A copy of a record, moved by whole periods [m].
typedef struct weak_image {
    uint32_t source;
    double offset[3];
} weak_image;

// A tension between two phases, or of one that is there twice (tension.c).
typedef struct fluid_tension {
    uint32_t phases[2];
    double sigma, adhesion;           // σ, and the work of adhesion to walls [N/m]
    double strength, wall_strength;   // of the model cohesion: of a pair of particles, and with a wall particle [N]
    const struct tension_model *model;
    mote_buffer gradients;  // fluid_motion: ∇C, and the inverse of its length
} fluid_tension;

enum { FLUID_TENSIONS = MOTE_PHASES_MOST * (MOTE_PHASES_MOST + 1) / 2 };

typedef struct weak_memory {
    const weak_lanes *lanes;
    weak_kernel kernel, sample_kernel;  // the second is of samples (samples.c)
    double sample_terms[MOTE_SAMPLE_TERMS];  // its terms, exactly
    mote_neighbors *search;  // sets: the fluid, its walls
    mote_lists lists[WEAK_SETS * WEAK_SETS];
    mote_buffer places, motions;  // at the present positions; until densities are known, rates wait there
    // In the middle of the last step. When rates are known, what is found for each particle waits there: the excess of
    // its shift in half_places (weak_surface.c), its acceleration in half_motions.
    mote_buffer half_places, half_motions;
    mote_buffer shifts;     // fluid_motion: shifting velocities where they cause a stress, or e/V (weak_stretch.c); as
                            // scalar the eddy viscosity
    mote_buffer gradients;  // fluid_motion: ∇δ, if the diffusion needs them
    mote_buffer carried;    // fluid_motion: shifts of the last step, if shifting is consistent
    mote_buffer images;  // weak_image
    mote_buffer near_surface;    // a byte for each particle: whether it reaches one of a free surface
    mote_buffer near_stretched;  // likewise, one under negative pressure, if neighbours may exchange (weak_stretch.c)
    size_t image_count;
    weak_walls walls[WEAK_WALLS];
    bool walls_ready, moving_ready;  // records and search of walls that do not move, and of those that do
    mote_buffer mixed;               // a byte for each particle: whether it reaches one of another phase; with several
} weak_memory;

// A phase, and what follows from it.
enum { FLUID_PHASES = MOTE_PHASES_MOST };
typedef struct fluid_phase {
    mote_phase_def given, def;  // as it was given; resolved
    double mass;                // of a particle [kg] (2D: kg/m)
    double diffusivity;         // of density: δ h c [m²/s]
    // Of the solver weak:
    double central, artificial;  // ν times 2(D + 2): between fluid and walls, and what is added among fluid [m²/s]
    double drag;                 // 2 ν of the Laplacian model [m²/s]
} fluid_phase;

// Force and moment [N, N m], and their impulses, of a boundary's wall particles: x, y, z of each.
typedef struct fluid_reaction {
    double force[6];    // of pairs, at the present positions
    double impulse[6];  // of the last step, guards included
} fluid_reaction;

// The same of guards during a step, as whole numbers.
typedef struct fluid_guard {
    _Atomic int64_t sums[6];
} fluid_guard;

// What a particle did to a boundary when it was evaluated last; with individual steps (reactions_individual.c).
typedef struct fluid_share {
    uint32_t boundary;
    double sums[6];
} fluid_share;

// The same as bytes of a state.
typedef struct fluid_share_bytes {
    uint64_t particle, boundary;
    double sums[6];
} fluid_share_bytes;

typedef struct fluid_reaction_clock {
    bool are_known, is_stepping;
    double at_end, step;
} fluid_reaction_clock;

// Sums over particles are joined from so many blocks of them.
enum { MOTE_REACTION_BLOCKS = 64 };

// How a boundary moves (boundary_motion.c).
typedef struct fluid_boundary_motion {
    mote_boundary_motion now, next;   // at the present positions; at the end of the next step
    rigid_pose pose, before;          // now, and before the last step
    double step;                      // length of the last step [s]; 0: it was placed at once
    double reach;                     // of its wall particles from the center, if it turns [m]
    bool moves, has_next;             // it has ever been told to move; `next` has been told
    mote_boundary_motion first, last; // at the two ends of the last step of the fluid
    double length;                    // of that [s]; 0: it was placed at once
    mote_vec3 belt_before;            // its velocity like a belt, before the last step
} fluid_boundary_motion;

// What the fluid does to its walls (reactions.c).
typedef struct fluid_reactions {
    bool are_wanted;   // someone has asked
    bool are_known;    // the forces are those of the latest evaluation
    bool is_stepping;  // the impulse at the end of the step is still to come
    double at_end;     // the time for which the forces at the end of the step act [s]
    double step;       // the last step [s]; 0: there was none since someone asked
    size_t boundary_count;
    mote_buffer of_boundaries, guards, partial;  // fluid_reaction, fluid_guard, double
    // With individual steps:
    size_t share_room, saved_room;             // shares that there is room for, of each particle
    mote_buffer shares, share_counts;          // fluid_share; uint32_t of each particle
    mote_buffer counted;                       // double: for how long the shares have been counted in the step [s]
    mote_buffer saved;                         // forces, counts and shares before the fluid's step
    fluid_reaction_clock before;
} fluid_reactions;

// What fields do to the particles near them in this evaluation (field_near.c).
typedef struct fluid_near_fields {
    mote_buffer marks;    // uint32_t: a bit of each particle: it may be near; once values are known: a field acts on it
    mote_buffer firsts;   // uint32_t: how many of the values are before each block of particles
    mote_buffer numbers;  // uint16_t: of each particle, how many of these are before it in its block, if a field acts
    mote_buffer values;   // float[FIELD_VALUES]: of each of these, of each field, at each of two places
    bool is_known;        // else places are looked up one by one
} fluid_near_fields;

struct mote_fluid {
    mote_context *context;
    const fluid_solver *solver;
    mote_period_def period;
    mote_fluid_def def;    // resolved; `neighbors` points to the method's own name
    mote_fluid_def given;  // as it was given, for the phase that comes later
    fluid_phase phases[FLUID_PHASES];  // of a fluid that has none yet, the first is the default
    uint32_t phase_count;
    mote_phase_def phase;  // the first, resolved
    fluid_tension tensions[FLUID_TENSIONS];
    uint32_t tension_count;
    mote_kernel_id kernel;  // of all sums; the solver onderik does not look at it

    // Values derived from the def.
    double mass;               // of a particle of the first phase [kg] (2D: kg/m)
    double surface_gamma;      // of walls that are samples of a surface
    double sample_volume;      // of a sample in a flat layer [d^D]
    double cell_volume;        // d^D
    double viscosity;          // μ [Pa s]
    double hyperviscosity;     // η = κ c d³ [m⁴/s]; 0 unless by continuity
    double diffusivity;        // of density: δ h c, of the first phase [m²/s]
    float diffusion_drift[3];  // diffusivity · g/c² [m/s]: density differences of water at rest
    double support_pressure;   // of water at rest, one kernel support deep: ρ0 |g| h [Pa]
    mote_pair_constants pair;
    double density_factor;    // ρ = factor · (1 + Σ (1 − r²/h²)³)
    double rate_factor;       // |∇W_spiky| = factor · (h − r)², divided by the cubic lattice's sum for a gradient of 1
    double pressure_factor;   // the same of forces: with continuity, for water that has left the lattice
    double viscosity_factor;  // ∇²W_viscosity = factor · (h − r)

    // Particles. Velocities are those at the half step until the forces are evaluated; from then on they are those
    // at the instant of the positions.
    particle_store particles;
    mote_vec3 origin;    // of the float view: the middle of the first particles or walls that were added
    double previous_dt;  // the last step; 0: the next one starts with a half step
    double earlier_dt;   // the step before that; 0: the step previous_dt started with a half step
    bool evaluated;
    bool ordered;     // sorted by (cell, id) since the last step
    bool has_rows;    // records, structures and lists are those of the present positions
    bool has_densities;  // those of the present positions were found, but memory ran out before the forces were
    fluid_limits limits;
    mote_box free_box;   // places where the mover has nothing to do in the next step, far from these bodies,
    mote_box bodies[FLUID_BODIES];
    int body_count;
    bool has_free_box;   // if someone has told
    bool is_confined;    // the fluid fills a closed tank: mote_fluid_set_confined

    // Walls.
    size_t wall_count;
    mote_buffer wall_positions, wall_volumes;  // 3 doubles; in units of d^D
    mote_buffer wall_boundaries;               // uint32_t
    mote_buffer wall_samples;                  // uint8_t: whether each is a sample of a surface
    mote_buffer wall_full_volumes;             // of which those of the first shared_count have shares
    mote_wall_share *share;
    const void *share_data;
    size_t shared_count;
    mote_buffer boundaries;                    // mote_boundary_def
    mote_buffer boundary_motions;              // fluid_boundary_motion
    mote_buffer wall_homes;                    // where wall particles were added; 3 doubles
    bool has_homes;                            // there are, as a boundary moves
    uint32_t boundary_count;
    mote_buffer wall_records;                  // fluid_place, with the filling record last
    mote_buffer fields, field_curves;          // wall_field, field_curves: walls without particles
    fluid_near_fields near_fields;
    const field_lanes *field_lanes;
    uint32_t field_count;
    bool walls_ready;                          // records and the structure of walls are up to date

    mote_neighbors *search;  // sets: the fluid, its walls
    mote_lists lists, wall_lists, mirror_lists;
    const mote_pair_lanes *lanes;
    const fluid_state_lanes *state_lanes;
    mote_buffer places, motions, partial;  // fluid_place, fluid_motion
    mote_buffer half_motions;              // in the middle of the last step; then the accelerations that were found
    mote_buffer half_places;               // only with MOTE_DENSITY_CONTINUITY
    mote_buffer record_phases;             // a byte for each record, if there are several phases and images (phases.c)

    fluid_reactions reactions;
    open_ends open;
    weak_memory weak;  // only of that solver
    fluid_levels levels;  // of individual steps

    mote_fluid_counters counters;
};

static inline uint64_t *mote_fluid_ids(const mote_fluid *fluid)
{
    return fluid->particles.arrays[FLUID_ID].data;
}
static inline double *mote_fluid_doubles(const mote_fluid *fluid, int id)
{
    return fluid->particles.arrays[id].data;
}
static inline float *mote_fluid_floats(const mote_fluid *fluid, int id)
{
    return fluid->particles.arrays[id].data;
}
static inline uint8_t *mote_fluid_phase_numbers(const mote_fluid *fluid)
{
    return fluid->particles.arrays[FLUID_PHASE].data;
}
static inline uint8_t *mote_fluid_opening_numbers(const mote_fluid *fluid)
{
    return fluid->particles.arrays[FLUID_OPENING].data;
}
// The number of particles that are the fluid's own: those in buffers are behind them.
static inline size_t mote_fluid_own_count(const mote_fluid *fluid)
{
    return fluid->particles.count - fluid->open.held;
}
static inline const fluid_phase *mote_fluid_phase_of(const mote_fluid *fluid, size_t i)
{
    return &fluid->phases[mote_fluid_phase_numbers(fluid)[i]];
}

// rows.c: makes a solver's search, by the def's method.
mote_result mote_fluid_create_search(const mote_fluid *fluid, mote_neighbors **search, mote_error *error);
// tables.c: finds the def's kernel, or the solver's own if it names none, or refuses it.
mote_result mote_fluid_find_kernel(mote_fluid *fluid, mote_error *error);
// Fills error and returns MOTE_ERROR_OUT_OF_MEMORY.
mote_result mote_fluid_out_of_memory(mote_fluid *fluid, const char *what, mote_error *error);

// Sets the origin if nothing has been added yet.
void mote_fluid_set_origin(mote_fluid *fluid, const double *positions, size_t count);

// Brings velocities to the instant of the positions, so that the next step starts with a half step.
mote_result mote_fluid_synchronise(mote_fluid *fluid, mote_error *error);

// The records as a point set with the fluid's dimensions; and the record of a position.
mote_points mote_fluid_record_points(const mote_fluid *fluid, const fluid_place *records, size_t count);
static inline fluid_place mote_fluid_make_record(const mote_fluid *fluid, double x, double y, double z, double weight)
{
    return (fluid_place){(float)(x - fluid->origin.x), (float)(y - fluid->origin.y), (float)(z - fluid->origin.z),
                         (float)weight};
}

// The least pressure that particles can be given [Pa].
static inline double mote_fluid_least_pressure(const mote_fluid *fluid, const mote_phase_def *phase)
{
    // Tait's equation has no density below −ρ0 c²/γ, and 7 is the greatest γ.
    return fluid->def.negative_pressure ? -0.1 * phase->rest_density * phase->sound_speed * phase->sound_speed : 0;
}

// reactions.c: makes room for so many boundaries.
mote_result mote_fluid_reserve_reactions(mote_fluid *fluid, size_t boundaries);
void mote_fluid_release_reactions(mote_fluid *fluid);
size_t mote_fluid_reaction_bytes(const mote_fluid *fluid);
// Finds the forces on walls, if someone wants them: to be called by solvers when densities, pressures and wall states
// are known, but velocities are still those of the half step.
void mote_fluid_find_reactions(mote_fluid *fluid);
// Adds the force of a pair on a wall particle to the sums of its boundary: 6 for each boundary.
void mote_fluid_add_reaction(const mote_fluid *fluid, uint32_t wall, const double force[3], double *sums);
void mote_fluid_add_reaction_at(uint32_t boundary, const double at[3], const double force[3], double *sums);
// Around the motion of a step: its impulses begin; those of guards are added.
void mote_fluid_start_reactions(mote_fluid *fluid, double dt);
void mote_fluid_count_guards(mote_fluid *fluid, double mass);  // of particles of so many kg

// reactions_individual.c: the same with individual steps. Room for shares, when rows among walls are known; forces of
// those that are awake; at the beginning of the fluid's step; whenever steps of particles have begun; and the state
// before a step that is undone.
mote_result mote_steps_prepare_reactions(mote_fluid *fluid);
void mote_steps_find_reactions(mote_fluid *fluid);
void mote_steps_start_reactions(mote_fluid *fluid, double dt);
void mote_steps_count_leads(mote_fluid *fluid);
mote_result mote_steps_save_reactions(mote_fluid *fluid);
void mote_steps_undo_reactions(mote_fluid *fluid);
// Shares are part of a state, if the fluid was evaluated. Reading fails without memory, and for what cannot be.
size_t mote_steps_share_count(const mote_fluid *fluid);
bool mote_steps_write_shares(const mote_fluid *fluid, mote_sink *sink, void *user_data, uint64_t *sum);
bool mote_steps_read_shares(mote_fluid *fluid, const char *bytes, size_t count);

// rows.c: a loop over rows among fluid, in any order and on all threads. `work` gets those of consecutive particles
// from `first` on, 1 to FLUID_ROWS, in one block of FLUID_BLOCK. It may write records of these, but nothing that would
// be missed if memory ran out before all rows were found.
// @param search  holds the fluid as set 0
// @param lists   the rows if they are kept
// @param wanted  a byte for each particle: rows of those with 0 may be left out; NULL: all are wanted
// @param seconds a counter that the time is added to
enum { FLUID_ROWS = 64 };
typedef void fluid_row_work(mote_fluid *fluid, uint32_t first, const fluid_row *rows, uint32_t count);
mote_result mote_fluid_each_row(mote_fluid *fluid, mote_neighbors *search, const mote_lists *lists,
                                const uint8_t *wanted, fluid_row_work *work, double *seconds, mote_error *error);

// boundary_motion.c: how boundaries move. Positions at the start are kept from the first motion on.
const fluid_boundary_motion *mote_fluid_motion_of(const mote_fluid *fluid, uint32_t boundary);
bool mote_fluid_has_moving_walls(const mote_fluid *fluid);
double mote_fluid_wall_speed(const mote_fluid *fluid);                             // of the fastest that moves [m/s]
// Of a wall particle, as its boundary moves: velocity, with that of the boundary's def [m/s], and acceleration [m/s²].
mote_vec3 mote_fluid_wall_velocity(const mote_fluid *fluid, uint32_t wall);
mote_vec3 mote_fluid_wall_acceleration(const mote_fluid *fluid, uint32_t wall);
// Of a boundary, its velocity like a belt in the middle of the last step [m/s].
mote_vec3 mote_fluid_middle_belt(const fluid_boundary_motion *motion);
// From its place to that in the middle of the last step [m], and its velocity there [m/s].
void mote_fluid_wall_middle(const mote_fluid *fluid, uint32_t wall, mote_vec3 *back, mote_vec3 *velocity);
mote_result mote_fluid_keep_homes(mote_fluid *fluid, size_t room);
void mote_fluid_move_walls(mote_fluid *fluid, double dt);  // to the end of a step
// With individual steps, whose evaluations see walls within the fluid's step: it begins; walls go to a share of it; and
// to its end. Sums of the middle of steps of a length see how far walls went in the last `span` until that share [s].
void mote_fluid_begin_motions(mote_fluid *fluid, double dt);
void mote_fluid_place_motions(mote_fluid *fluid, double share);
void mote_fluid_end_motions(mote_fluid *fluid);
void mote_fluid_choose_span(mote_fluid *fluid, double share, double span);
void mote_fluid_restore_motions(mote_fluid *fluid, const void *motions);

// Whose densities a solver sums, row by row, and where they go.
typedef struct fluid_density_task {
    const mote_fluid *fluid;
    float *densities;
} fluid_density_task;

// evaluate.c: puts particles in order when it is time; takes the accelerations of all particles, which brings their
// velocities to the instant of the positions, and finds what limits the step.
mote_result mote_fluid_put_in_order(mote_fluid *fluid);
void mote_fluid_take_accelerations(mote_fluid *fluid, const fluid_motion *accelerations);
void mote_fluid_join_limits(mote_fluid *fluid);  // what limits the step, from the blocks' fluid_limits

// phases.c: the highest speed of sound of all phases [m/s].
double mote_fluid_most_sound_speed(const mote_fluid *fluid);
// The phase of a particle or an image; the phases of a row, a bit each; and the next neighbours of a phase from *at on,
// at most FLUID_CHUNK of them, which `chunk` has room for. None: there are no more. Rows are read through the phases of
// all records, which are numbered as soon as images are found, if there are any. The next part is the same where the
// phases of the row are known: a row of one phase is not copied.
enum { FLUID_CHUNK = 256 };
mote_result mote_fluid_number_records(mote_fluid *fluid);
uint8_t mote_fluid_phase_of_record(const mote_fluid *fluid, uint32_t j);
uint32_t mote_fluid_phases_in(const mote_fluid *fluid, fluid_row row);
fluid_row mote_fluid_next_of_phase(const mote_fluid *fluid, fluid_row row, uint32_t phase, uint32_t *at,
                                   uint32_t *chunk);
fluid_row mote_fluid_next_part(const mote_fluid *fluid, fluid_row row, uint32_t present, uint32_t phase, uint32_t *at,
                               uint32_t *chunk);

// step.c: the longest step by speed, acceleration and viscosity ν [m²/s]. At the end of a step of length dt: the clock
// goes on, and a particle whose position is no longer finite, or UINT32_MAX, is told.
mote_result mote_fluid_end_step(mote_fluid *fluid, double dt, uint32_t bad, mote_error *error);
double mote_fluid_step_limit(const mote_fluid *fluid, double kinematic);

// walls.c: makes boundary 0.
mote_result mote_fluid_create_boundaries(mote_fluid *fluid, mote_error *error);

// period.c: puts particles that have left the box into it again.
void mote_fluid_wrap(mote_fluid *fluid);
bool mote_fluid_is_periodic(const mote_fluid *fluid);
// The share of a box that is periodic along all axes which particles take at their rest densities; 0 if it is not.
double mote_fluid_filling(const mote_fluid *fluid);

// Coordinates of which images are made: number `stride` · i of each axis.
typedef struct image_sources {
    const double *axis[3];
    size_t stride, count;
} image_sources;

// Finds the images within a support of the box.
// @param images   weak_image; grows
mote_result mote_fluid_find_images(mote_fluid *fluid, const image_sources *sources, mote_buffer *images, size_t *count);

// weak_walls.c: records of walls; their pressures and velocities as the fluid feels them, from the rows of lists.
mote_result mote_weak_prepare_walls(mote_fluid *fluid, mote_error *error);
void mote_weak_find_sample_kernel(mote_fluid *fluid);  // samples.c
// By what the volume of a sample is multiplied, which is 1 unless its body is a thin plate.
double mote_fluid_sample_share(const mote_fluid *fluid, const fluid_sample *sample);
// Corrects the volumes of samples for the shape of their body: above each the push is then that of the half spaces that
// are in front of it.
// @param positions  3 · count
mote_result mote_weak_shape_samples(mote_fluid *fluid, const double *positions, const fluid_sample *samples,
                                    size_t count, double *volumes);
static inline const weak_kernel *mote_weak_kernel_of(const weak_memory *weak, int set)
{
    return mote_weak_is_samples(set) ? &weak->sample_kernel : &weak->kernel;
}
void mote_weak_find_wall_states(mote_fluid *fluid);
// Whether walls of a set have the particle's own pressure, continued hydrostatically, instead of one of their own.
bool mote_weak_is_mirror(const mote_fluid *fluid, int set);
// What a particle of this pressure adds to that of a wall particle of a set, in the sum of both.
float mote_weak_pressure_at(const mote_fluid *fluid, const weak_self *self, float pressure, int set);
void mote_weak_find_middle_walls(mote_fluid *fluid);  // records of walls that move, in the middle of a step
// The forces of a particle on walls, pair by pair.
void mote_weak_add_reactions(const mote_fluid *fluid, uint32_t i, double *sums);

// What a body that is a field does at a place.
typedef struct weak_field_point {
    mote_vec3 at;                  // the place
    mote_vec3 velocity;            // of the wall, there
    uint32_t boundary;
    bool slip;
    float lean[3], filling;        // L, F (weak_field.c)
    float normal[3], size, share;  // L/|L|, |L|, F over that at a flat wall
} weak_field_point;

// What the bodies near a place do there, looked up once; those from `next` on were not looked at. A particle is rarely
// near more than two bodies, as in the gap between them: those behind are looked up where they are needed, twice.
enum { WEAK_FIELDS_AT_ONCE = 2 };
typedef struct weak_fields_here {
    weak_field_point of[WEAK_FIELDS_AT_ONCE];
    uint32_t count, next;
} weak_fields_here;

// weak_field.c: what walls that are fields add to rates in the middle of the last step, to Σ V ∇W, to the acceleration
// of a particle, and to the forces on walls; and Σ V W/α.
void mote_weak_add_field_rates(const mote_fluid *fluid, uint32_t i, const weak_self *self, weak_detail detail,
                               weak_rates *sums);
// What fields do at a place; to particle i, on which one may act.
void mote_weak_find_fields_at(const mote_fluid *fluid, const fluid_place *own, weak_fields_here *here);
void mote_weak_find_fields(const mote_fluid *fluid, uint32_t i, weak_fields_here *here);
void mote_weak_add_field_gradients(const mote_fluid *fluid, const weak_self *self, weak_gradients *sums);
void mote_weak_add_field_lean(const mote_fluid *fluid, uint32_t number, const fluid_place *own, float lean[3]);
void mote_weak_add_field_leans(const mote_fluid *fluid, const fluid_place *own, const weak_fields_here *here,
                               float lean[3]);
void mote_weak_add_field_forces(const mote_fluid *fluid, uint32_t i, const weak_self *self,
                                const weak_fields_here *here, float a[3]);
void mote_weak_add_field_reactions(const mote_fluid *fluid, uint32_t i, const weak_self *self, double *sums);
float mote_weak_field_filling(const mote_fluid *fluid, const fluid_place *own);

// solver_weak.c: what a particle brings to the sums of forces.
weak_self mote_weak_self(const mote_fluid *fluid, uint32_t i);
// The parts of an evaluation, for weak_levels.c: records at the present positions, and how many there are with those of
// images; g/c² of a phase; with a row, the rate of density of a particle, which waits in the records of forces; density
// and pressure at the end of its step, and its records, `rest` after the time of its velocity; with a row, its
// acceleration, which waits in half_motions.
mote_result mote_weak_prepare_records(mote_fluid *fluid, mote_error *error);
size_t mote_weak_record_count(const mote_fluid *fluid);
void mote_weak_find_drift(const mote_fluid *fluid, const fluid_phase *of, float drift[3]);
void mote_weak_find_rates(mote_fluid *fluid, uint32_t i, fluid_row row);
void mote_weak_advance_density(const mote_fluid *fluid, size_t i, float half_step, float rest);
void mote_weak_find_acceleration(mote_fluid *fluid, uint32_t i, fluid_row row);
// Copies records to the images, and sets the filling record behind them. Motions may be NULL.
void mote_weak_refresh_images(mote_fluid *fluid, fluid_place *places, fluid_motion *motions);

// weak_phases.c: several phases. Sums over a row whose particles may be of several, of which only equals exchange
// density; whether a particle reaches one of another phase; its acceleration by all particles of its row, then.
void mote_weak_sum_rates(const mote_fluid *fluid, uint32_t i, fluid_row row, const weak_set *around,
                         const weak_self *self, weak_detail detail, weak_rates *sums);
bool mote_weak_is_mixed(const mote_fluid *fluid, uint32_t i);
void mote_weak_accelerate_mixed(const mote_fluid *fluid, uint32_t i, fluid_row row, const weak_set *around,
                                const weak_self *self, float a[3]);
// Σ V ∇W over particles of a phase; and over all phases but its own, the normal of the interface.
void mote_weak_sum_normal(const mote_fluid *fluid, fluid_row row, uint32_t i, uint32_t phase, float n[3]);
void mote_weak_find_interface_normal(const mote_fluid *fluid, fluid_row row, uint32_t i, float n[3]);
// Whether a particle or one that it reaches is mixed.
bool mote_weak_is_near_interface(const mote_fluid *fluid, uint32_t i, fluid_row row);
// Sums over the fluid around a wall particle.
void mote_weak_average(const mote_fluid *fluid, const weak_set *around, fluid_row row, const weak_self *self,
                       weak_averages *sums);
// The greatest kinematic viscosity, of phases and between them; that of a phase and between it and others [m²/s].
double mote_weak_most_viscous(const mote_fluid *fluid);
double mote_weak_viscous_phase(const mote_fluid *fluid, uint32_t phase);

// background.c: derives the background pressure from tensions, the period and the number of particles, unless it is
// given.
void mote_fluid_resolve_background(mote_fluid *fluid);

// tension.c: gradients of colour, for forces; the acceleration of a particle by all tensions; and the longest step
// that they allow [s]. Where some particles sleep there are lists, and theirs stay as they are.
mote_result mote_fluid_reserve_tensions(mote_fluid *fluid, size_t bytes);
void mote_fluid_release_tensions(mote_fluid *fluid);
size_t mote_fluid_tension_bytes(const mote_fluid *fluid);
mote_result mote_weak_find_colors(mote_fluid *fluid, mote_error *error);
void mote_weak_find_colors_awake(mote_fluid *fluid);
// Whether a tension between two phases pulls at both with the same force density, whatever their densities.
bool mote_fluid_is_pulled_alike(const mote_fluid *fluid, const fluid_phase *first, const fluid_phase *second);
double mote_fluid_tension_step_of(const mote_fluid *fluid, uint32_t phase);  // HUGE_VAL: the phase has no tension
void mote_fluid_add_tension(const mote_fluid *fluid, uint32_t i, fluid_row row, float a[3]);
// tension_cohesion.c: the forces of a particle on walls by adhesion.
void mote_weak_add_adhesion_reactions(const mote_fluid *fluid, uint32_t i, double *sums);

// weak_eddies.c: eddy viscosity of all particles, which needs lists; what the sums of forces of a particle need of it.
void mote_weak_find_eddies(mote_fluid *fluid);
void mote_weak_see_eddies(const mote_fluid *fluid, uint32_t i, weak_set *around, weak_self *self);

static inline bool mote_weak_has_eddies(const mote_fluid *fluid)
{
    return fluid->def.solver == MOTE_SOLVER_WEAK && fluid->def.smagorinsky > 0;
}

// ν times 2(D + 2) between a particle and walls [m²/s].
static inline double mote_weak_central_at_walls(const mote_fluid *fluid, uint32_t i)
{
    const double central = mote_fluid_phase_of(fluid, i)->central;
    if (!mote_weak_has_eddies(fluid)) return central;
    return central + 2 * (fluid->def.dimensions + 2) * (double)mote_fluid_floats(fluid, FLUID_EDDY)[i];
}

// weak_terms.c: solves M x = b for a symmetric M: xx, yy, zz, yz, xz, xy. False if M is nearly singular.
bool mote_weak_solve(const float m[6], const float b[3], int dimensions, double x[3]);
// Copies records to images, and sets the filling record behind them.
void mote_weak_spread_to_images(const mote_fluid *fluid, fluid_motion *records);
// Gradients of the excess δ and what linear changes give to its diffusion, if they are to be left alone;
// XSPH, which is added to the shifting velocity.
bool mote_weak_has_gradients(const mote_fluid *fluid);
void mote_weak_find_gradients(mote_fluid *fluid);
float mote_weak_linear_flow(const mote_fluid *fluid, uint32_t i);
void mote_weak_smooth_motion(mote_fluid *fluid);
// Consistent shifting: the shifts of the last step are kept; what they carry into densities, as a share of them [1/s],
// and into velocities.
bool mote_weak_carries(const mote_fluid *fluid);
void mote_weak_keep_shifts(mote_fluid *fluid);
double mote_weak_carried_density(const mote_fluid *fluid, fluid_row row, uint32_t i);
void mote_weak_carry_velocity(const mote_fluid *fluid, fluid_row row, uint32_t i, float a[3]);

// weak_surface.c: the smallest eigenvalue of Σ V ∇W⊗(xj − xi), and the velocity that spreads particles evenly.
// For particles of drops, whatever walls are near, minus the trace instead; and the pressure with which particles push,
// which is not that of their density in drops.
float mote_weak_surface(const mote_fluid *fluid, const weak_rates *sums, fluid_row row);
double mote_weak_least_eigenvalue(const float spread[6]);  // of xx, yy, zz, yz, xz, xy
float mote_weak_push(const mote_fluid *fluid, const fluid_phase *of, float surface, float rate, float pressure);
void mote_weak_shift(const mote_fluid *fluid, const fluid_phase *of, const weak_rates *sums, float surface,
                     float shift[3]);
// Shifts of MOTE_SHIFTING_FREE_SURFACE lose their excess: near free surfaces all of a shift, near interfaces and walls
// what is along their normal. With a row of densities, a particle of the surface marks all that it reaches; with a row
// of forces, the excess of a particle's shift is found; in the end it is taken from all shifts.
void mote_weak_unmark_surface(mote_fluid *fluid);
void mote_weak_mark_surface(mote_fluid *fluid, fluid_row row, uint32_t i, float surface);
void mote_weak_mark_row(const mote_fluid *fluid, fluid_row row, uint32_t i, atomic_uchar *marks);
bool mote_weak_has_surface(const mote_fluid *fluid);  // whether there are any particles of one
void mote_weak_look_for_surface(mote_fluid *fluid, fluid_row row, uint32_t i);  // marks the particle alone
void mote_weak_find_excess_shift(mote_fluid *fluid, fluid_row row, uint32_t i, const weak_fields_here *here);
void mote_weak_take_excess_shifts(mote_fluid *fluid);

#define MOTE_WEAK_INSIDE 0.75f  // the smallest eigenvalue above which a particle is inside of the fluid

// weak_stretch.c: where pressure is below 0 inside the fluid. Whether neighbours ever exchange what keeps them apart;
// whether they do in this evaluation, or a particle takes its pressure with the other sign; κ. With a row of densities,
// e/V of a particle, which marks all that it reaches; what the sums of forces of a particle that is marked need.
bool mote_weak_may_exchange(const mote_fluid *fluid);
bool mote_weak_exchanges(const mote_fluid *fluid);
bool mote_weak_is_switched(const mote_fluid *fluid, float pressure, float surface);
float mote_weak_stretch_share(const mote_kernel *kernel, int dimensions, double support, double peak);
void mote_weak_unmark_stretched(mote_fluid *fluid);
void mote_weak_find_stretch(mote_fluid *fluid, fluid_row row, uint32_t i, float surface, const float crowding[3]);
void mote_weak_see_stretched(const mote_fluid *fluid, uint32_t i, weak_set *around, weak_self *self);

// state_equation.c: q^e − 1. Of the exponent 7 by products.
double mote_fluid_power_less_one(double ratio, double exponent);

// The pressure of a phase at a density (Onderik & Ďurikovič 2008, eq. 7).
static inline double mote_fluid_pressure_of(const mote_fluid *fluid, const mote_phase_def *phase, double density)
{
    double c_squared = phase->sound_speed * phase->sound_speed, pressure;
    if (mote_fluid_is_linear(&fluid->def, phase)) {
        pressure = c_squared * (density - phase->rest_density);
    } else {
        pressure = mote_fluid_power_less_one(density / phase->rest_density, phase->gamma);
        pressure *= phase->rest_density * c_squared / phase->gamma;
    }
    return pressure > 0 || fluid->def.negative_pressure ? pressure : 0;
}

// state_equation.c: the pressure of a phase at an excess of density δ, and the other way round.
double mote_fluid_pressure_at(const mote_fluid *fluid, const mote_phase_def *phase, double excess);
double mote_fluid_excess_at(const mote_fluid *fluid, const mote_phase_def *phase, double pressure);

// The enthalpy ∫ dp/ρ over c² at an excess. In water at rest it grows by g/c² with depth, whatever the equation.
double mote_fluid_enthalpy_at(const mote_fluid *fluid, const mote_phase_def *phase, double excess);

// Gives particle i a density, as its excess.
void mote_fluid_set_excess(mote_fluid *fluid, size_t i, double excess);

// walls.c: brings wall records and their search up to date.
mote_result mote_fluid_prepare_walls(mote_fluid *fluid, mote_error *error);

#endif
