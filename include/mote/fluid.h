// SPDX-License-Identifier: MIT
/// mote/fluid.h: weakly compressible fluids by smoothed particle hydrodynamics (SPH).
///
/// The scheme is that of Onderik & Ďurikovič 2008 (section 3, algorithm 1) for one phase, in 2D and 3D. Pressure
/// follows from density by Tait's equation or the ideal gas. Pressure forces use the spiky kernel and viscous forces
/// the viscosity kernel; the time integration is leap-frog. Errors of the paper are corrected; src/fluid says which.
/// With the densities of the paper (MOTE_DENSITY_SUMMATION) still water never comes to rest. By default, densities
/// follow from how particles approach each other (MOTE_DENSITY_CONTINUITY). Hyperviscosity, which the paper does not
/// have, keeps single particles from slipping past their neighbours.
///
/// The fluid owns its particles. Walls consist of particles, too, which push (walls.h). They alone do not stop every
/// particle: a function of the caller's may correct each motion. simulation.h does this for tanks and solid meshes.
#ifndef MOTE_FLUID_H
#define MOTE_FLUID_H

#include "mote/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mote_fluid mote_fluid;

typedef enum mote_state_equation {
    MOTE_STATE_TAIT,      ///< P = ρ0 c²/γ ((ρ/ρ0)^γ − 1), γ = 7 or 1
    MOTE_STATE_IDEAL_GAS  ///< P = c² (ρ − ρ0)
} mote_state_equation;

/// Where densities come from.
typedef enum mote_fluid_density {
    MOTE_DENSITY_SUMMATION,  ///< from the positions, by the poly6 kernel (Onderik & Ďurikovič 2008, eq. 7)
    MOTE_DENSITY_CONTINUITY,  ///< from how particles approach, dρ/dt = −ρ ∇·v, by the spiky kernel; the default
    MOTE_DENSITY_NUMBER       ///< ρ = m ΣW, from how many particles there are (Solenthaler & Pajarola 2008); of one
                              ///< phase these are the densities of MOTE_DENSITY_SUMMATION
} mote_fluid_density;

/// The equations of a fluid.
typedef enum mote_fluid_solver {
    MOTE_SOLVER_ONDERIK,  ///< kernels and forces of Onderik & Ďurikovič 2008; densities as the def says
    MOTE_SOLVER_WEAK      ///< weakly compressible, by Wendland's kernel: for engineering (src/fluid/solver_weak.c)
} mote_fluid_solver;

/// How viscosity acts between particles, with MOTE_SOLVER_WEAK.
typedef enum mote_viscosity_model {
    MOTE_VISCOSITY_CENTRAL,   ///< along the line between them (Monaghan & Gingold 1983): right at free surfaces
    MOTE_VISCOSITY_LAPLACIAN  ///< along their relative velocity (Morris et al. 1997): exact for shear between walls
} mote_viscosity_model;

/// How particles are kept evenly spread, with MOTE_SOLVER_WEAK.
typedef enum mote_shifting {
    MOTE_SHIFTING_NONE,
    MOTE_SHIFTING_TRANSPORT,    ///< by a background pressure (Adami et al. 2013): for fluids without a free surface
    MOTE_SHIFTING_FREE_SURFACE  ///< towards sparser places, but not near free surfaces (after Sun et al. 2017)
} mote_shifting;

/// What keeps particles apart where pressure inside a fluid is below 0, with MOTE_SOLVER_WEAK and
/// MOTE_SHIFTING_FREE_SURFACE. Without these nothing does, nor in several fluids: MOTE_TENSILE_SWITCH is refused there.
typedef enum mote_tensile_model {
    MOTE_TENSILE_EXCHANGE,  ///< pushes that neighbours exchange, which keep momentum (src/fluid/weak_stretch.c); the
                            ///< default; with individual steps SWITCH acts instead whenever some particles sleep
    MOTE_TENSILE_SWITCH,    ///< Pj − Pi in place of Pj + Pi (Sun et al. 2018), which changes momentum
    MOTE_TENSILE_NONE       ///< nothing besides shifting
} mote_tensile_model;

/// What the diffusion of density leaves alone, with MOTE_SOLVER_WEAK.
typedef enum mote_diffusion_model {
    MOTE_DIFFUSION_FOURTAKAS,  ///< the densities of water at rest under gravity (Fourtakas et al. 2019); the default
    MOTE_DIFFUSION_MOLTENI,    ///< nothing (Molteni & Colagrossi 2009)
    MOTE_DIFFUSION_ANTUONO     ///< densities that change linearly, by renormalised gradients (Antuono et al. 2012)
} mote_diffusion_model;

/// Whether the neighbours of particles are kept for a step, or found again by each loop that reads them. The results
/// have the same bits.
typedef enum mote_lists_kept {
    MOTE_LISTS_AUTO,
    MOTE_LISTS_KEPT,
    MOTE_LISTS_NONE
} mote_lists_kept;

/// Which particles share a time step: all, or those that need equally short ones, in two forms (src/fluid/levels.c).
typedef enum mote_steps { MOTE_STEPS_GLOBAL, MOTE_STEPS_INDIVIDUAL, MOTE_STEPS_POSITIONS } mote_steps;

/// Sets of defaults.
typedef enum mote_fluid_preset {
    MOTE_PRESET_FAST,        ///< few neighbours: for pictures; the default
    MOTE_PRESET_DOCUMENT,    ///< the scheme of Onderik & Ďurikovič 2008
    MOTE_PRESET_ENGINEERING  ///< for numbers: validated against experiments and exact solutions
} mote_fluid_preset;

/// Something that is chosen by its name.
typedef struct mote_fluid_choice {
    const char *name;
    const char *source;   ///< the publications that it follows
    const char *meaning;  ///< what it is, in one line
} mote_fluid_choice;

/// Presets and solvers by index from 0, in the order of their enums, and the kernels that solvers use; NULL beyond the
/// last.
MOTE_API const mote_fluid_choice *mote_fluid_preset_at(size_t index);
MOTE_API const mote_fluid_choice *mote_fluid_solver_at(size_t index);
MOTE_API const mote_fluid_choice *mote_fluid_kernel_at(size_t index);

/// How a fluid is computed. What it consists of is its phase (mote_phase_def).
typedef struct mote_fluid_def {
    int32_t preset;            ///< the mote_fluid_preset whose defaults these are; see mote_fluid_choose_preset
    int32_t solver;            ///< a mote_fluid_solver
    int32_t viscosity_model;   ///< a mote_viscosity_model
    int32_t shifting;          ///< a mote_shifting
    bool consistent_shifting;  ///< densities and velocities follow what MOTE_SHIFTING_FREE_SURFACE shifts (Sun et al.
                               ///< 2019); false: shifts move particles alone
    int32_t tensile_model;     ///< a mote_tensile_model
    int32_t diffusion_model;   ///< a mote_diffusion_model
    double smagorinsky;        ///< C_s of the eddy viscosity (C_s d)² |S| (Smagorinsky 1963), with MOTE_SOLVER_WEAK; 0:
                               ///< none (src/fluid/weak_eddies.c)
    double xsph;               ///< ε of XSPH (Monaghan 1989), by which particles move closer to the mean velocity of
                               ///< their neighbours, with MOTE_SOLVER_WEAK; 0: none
    int32_t dimensions;        ///< 2 or 3; in 2D everything lies in the plane y = 0, z being up
    double spacing;            ///< initial distance d of the particles [m]
    double support;            ///< radius h of the kernels [m], 1.2 to 6 d; NaN: 2 d in 3D, 3 d in 2D (2.4 d with
                               ///< MOTE_DENSITY_NUMBER; WEAK: 3 d, 4 d)
    const char *kernel;        ///< by name (mote_fluid_kernel_at), one of the solver's; NULL: all that the solver uses
    int32_t density;           ///< a mote_fluid_density
    double density_diffusion;  ///< δ of the density diffusion δ h c [m²/s], with MOTE_DENSITY_CONTINUITY; 0: none
    int32_t state_equation;    ///< a mote_state_equation
    bool negative_pressure;    ///< false: pressure is clamped at 0 from below
    double viscosity_alpha;    ///< α of μ = ρ0 α c (h/2) / (2 (D + 2)); NaN: 0.1, or 0.5 with
                               ///< MOTE_DENSITY_NUMBER. MOTE_SOLVER_WEAK: among fluid only, besides a phase's
                               ///< viscosity; NaN: 0.02, or 0 if it has that; several phases: 0.05
    double hyperviscosity;     ///< κ of the hyperviscosity κ c d³ [m⁴/s], with MOTE_DENSITY_CONTINUITY; 0: none
    double wall_viscosity;     ///< share of μ that acts between fluid and walls: 0 free slip … 1 no slip
    int32_t steps;             ///< a mote_steps; individual ones with MOTE_SOLVER_WEAK
    double courant;            ///< dt ≤ courant · h / (c + |v|)
    double force_limit;        ///< dt ≤ force_limit · sqrt(h / |a|)
    double viscous_limit;      ///< dt ≤ viscous_limit · h² / ν
    double background_pressure;  ///< added to all pressures (WEAK): keeps fluids without a free surface from being torn
                                 ///< [Pa]; NaN: 2 σ/h, of a stress in 2D 3 σ/h, in full boxes and tanks; else 0
    double interface_repulsion;  ///< ε of the repulsion between phases, ε (|Pi| + |Pj|) (Grenier et al. 2009); 0: none
    mote_vec3 gravity;         ///< [m/s²]
    const char *gravity_text[3];  ///< for a simulation: where not NULL, an expression (expression.h) of the time t [s]
                                  ///< for this component; a fluid by itself has `gravity`, see mote_fluid_set_gravity
    const char *neighbors;     ///< search method by name; NULL: the default
    int32_t neighbor_lists;    ///< a mote_lists_kept
    uint32_t cookie;  ///< set by the default function; tells that it was called
} mote_fluid_def;

MOTE_API mote_fluid_def mote_fluid_default_def(void);

/// Replaces what presets differ in by the defaults of a mote_fluid_preset; all other fields stay as they are.
/// @return MOTE_OK, or MOTE_ERROR_ARGUMENT (no such preset), which changes nothing
MOTE_API mote_result mote_fluid_choose_preset(mote_fluid_def *def, int32_t preset, mote_error *error);
/// The fields of mote_fluid_def that a user sets, for scenes, checks and help.
MOTE_API const mote_field_table *mote_fluid_fields(void);

/// @param error    may be NULL; names the field that is out of range
MOTE_API mote_result mote_fluid_create(mote_context *context, const mote_fluid_def *def, mote_fluid **fluid,
                                       mote_error *error);
MOTE_API void mote_fluid_destroy(mote_fluid *fluid);

/// The def with every derived value filled in.
MOTE_API mote_fluid_def mote_fluid_resolved_def(const mote_fluid *fluid);
/// Mass of a particle of the first phase [kg]: such that a full lattice of the spacing has exactly the rest density.
MOTE_API double mote_fluid_particle_mass(const mote_fluid *fluid);

enum { MOTE_PHASES_MOST = 16 };  ///< of a fluid

/// What a fluid consists of.
typedef struct mote_phase_def {
    double rest_density;  ///< ρ0 [kg/m³]
    double viscosity;     ///< dynamic viscosity μ [Pa s]; NaN: from the fluid's viscosity_alpha; MOTE_SOLVER_WEAK: 0
    double sound_speed;   ///< c [m/s]; to be set, but for simulations, which derive it
    double gamma;         ///< Tait's exponent, 1 … 7; with MOTE_SOLVER_ONDERIK and MOTE_DENSITY_CONTINUITY 7 or 1
    mote_vec3 color;      ///< in pictures: red, green, blue, sRGB in 0 … 1; NaN: by speed
    uint32_t cookie;      ///< set by the default function; tells that it was called
} mote_phase_def;
MOTE_API mote_phase_def mote_phase_default_def(void);
MOTE_API const mote_field_table *mote_phase_fields(void);

/// Gives a fluid a material, before particles and walls. It may have several, up to MOTE_PHASES_MOST, whose densities
/// differ by up to 10^4; with MOTE_SOLVER_ONDERIK unless density is MOTE_DENSITY_CONTINUITY
/// (src/fluid/onderik_phases.c). A sound_speed that is NaN gives a further phase the first one's ρ0 c²: phases under
/// the same pressure are then compressed alike. Options that know one phase only: diffusion_model antuono,
/// consistent_shifting, shifting transport, smagorinsky, tensile_model switch. Impulses that movers tell count for
/// particles of the first phase.
/// @param phase    receives its number: 0, 1, …
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (also: sound_speed of the first is not set), MOTE_ERROR_STATE (it has particles
///         or walls) or MOTE_ERROR_UNSUPPORTED (the solver, or an option, is for one phase)
MOTE_API mote_result mote_fluid_add_phase(mote_fluid *fluid, const mote_phase_def *def, uint32_t *phase,
                                          mote_error *error);

/// The phase with every derived value filled in; all zeros if there is none of this number.
MOTE_API mote_phase_def mote_fluid_resolved_phase(const mote_fluid *fluid, uint32_t phase);
/// How many phases a fluid has.
MOTE_API uint32_t mote_fluid_phase_count(const mote_fluid *fluid);
/// Mass of a particle of a phase [kg]; 0 if there is none of this number.
MOTE_API double mote_fluid_phase_mass(const mote_fluid *fluid, uint32_t phase);

/// Adds particles. They get the next ids, in order, starting from 0; ids never change.
/// @param phase       that they are of (mote_fluid_add_phase)
/// @param positions   3 · count [m]
/// @param velocities  3 · count [m/s]; NULL: at rest
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (also: no such phase), MOTE_ERROR_NOT_FINITE or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_fluid_add(mote_fluid *fluid, uint32_t phase, const double *positions,
                                    const double *velocities, size_t count, mote_error *error);

/// Gives every particle the density that belongs to this pressure, instead of the rest density. Only with
/// MOTE_DENSITY_CONTINUITY; otherwise densities follow from positions and the call returns MOTE_ERROR_STATE.
/// @param pressures   one for each particle, 0 or more [Pa], in the order of the view
MOTE_API mote_result mote_fluid_set_pressures(mote_fluid *fluid, const double *pressures, mote_error *error);

/// Replaces gravity, as between two steps in the frame of a tank that is shaken. A state (mote_fluid_write) can be read
/// by a fluid that has the same gravity.
/// @return MOTE_OK, or MOTE_ERROR_ARGUMENT (not finite, or with y in 2D), which changes nothing
MOTE_API mote_result mote_fluid_set_gravity(mote_fluid *fluid, mote_vec3 gravity, mote_error *error);

/// Removes the particles whose mark is true; the others keep their ids and their order.
/// @param marked   one for each particle, in the order of the view
MOTE_API mote_result mote_fluid_remove(mote_fluid *fluid, const bool *marked, mote_error *error);

/// The box in which a fluid repeats itself along some axes.
typedef struct mote_period_def {
    mote_vec3 min, max;  ///< [m]; only along periodic axes
    bool x, y, z;        ///< along which axes
    uint32_t cookie;     ///< set by the default function; tells that it was called
} mote_period_def;
MOTE_API mote_period_def mote_period_default_def(void);
MOTE_API const mote_field_table *mote_period_fields(void);

/// Makes a fluid periodic. It must have no particles or walls yet. Particles that leave the box on one side come in on
/// the other; walls that lie in the box act across its faces, too. Needs MOTE_SOLVER_WEAK.
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (a face has no extent, or the box is narrower than two supports),
///         MOTE_ERROR_STATE, MOTE_ERROR_UNSUPPORTED
MOTE_API mote_result mote_fluid_set_period(mote_fluid *fluid, const mote_period_def *period, mote_error *error);

/// Computes densities, pressures and accelerations at the present positions (algorithm 1, lines 1–15), unless they are
/// up to date.
MOTE_API mote_result mote_fluid_evaluate(mote_fluid *fluid, mote_error *error);

/// Finds the largest stable time step from here [s]; with individual steps that of the slowest particles.
MOTE_API mote_result mote_fluid_time_step(mote_fluid *fluid, double *dt, mote_error *error);

/// Called for each particle that moves from `from` to `position` with `velocity`; may change both. Several calls run
/// concurrently.
typedef void mote_fluid_mover(void *user_data, mote_vec3 from, mote_vec3 *position, mote_vec3 *velocity);

/// Advances by dt: v(t+½dt) = v(t−½dt') + ½(dt' + dt)·a, then positions, then `mover` (NULL: none). The first step of a
/// particle starts with a half step. Evaluates first if necessary.
/// @return MOTE_OK, MOTE_ERROR_OUT_OF_MEMORY, MOTE_ERROR_UNSTABLE (a particle's position is no longer finite; its id in
///         the error's index)
MOTE_API mote_result mote_fluid_advance(mote_fluid *fluid, double dt, mote_fluid_mover *mover, void *user_data,
                                        mote_error *error);

/// The particles as they are now: arrays of `count`, in (cell, id) order. Valid until the next call that changes the
/// fluid. Velocities are those of the same instant as the positions.
typedef struct mote_fluid_view {
    size_t count;
    const uint64_t *id;
    const double *x, *y, *z;    ///< [m]
    const float *vx, *vy, *vz;  ///< [m/s]
    const float *density;       ///< [kg/m³]
    const float *pressure;      ///< [Pa]
    const float *ax, *ay, *az;  ///< [m/s²]
    const uint8_t *phase;       ///< number of its phase
} mote_fluid_view;
/// Evaluates first if necessary, so that densities and pressures belong to the positions.
MOTE_API mote_result mote_fluid_get_view(mote_fluid *fluid, mote_fluid_view *view, mote_error *error);

/// What a particle has.
typedef struct mote_fluid_attribute {
    const char *name;     ///< "pressure"
    const char *unit;     ///< "Pa"; "" for a share of 1 and for ids
    const char *meaning;  ///< what it is, in one line
    mote_array_type type;
    int components;    ///< 1 or 3
    uint32_t solvers;  ///< which have it: 1 << mote_fluid_solver for each
} mote_fluid_attribute;
/// The attributes by index from 0; NULL beyond the last.
MOTE_API const mote_fluid_attribute *mote_fluid_attribute_at(size_t index);
/// An attribute of all particles, in the order of the view; valid until the next call that changes the fluid. Evaluates
/// first if necessary.
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (the solver has no such attribute), or why the fluid cannot be evaluated
MOTE_API mote_result mote_fluid_get_array(mote_fluid *fluid, const char *name, mote_array *array, mote_error *error);

/// Computes densities by summation over the positions, whatever the def uses.
/// @param densities   receives one for each particle, in the order of the view [kg/m³]
MOTE_API mote_result mote_fluid_sum_densities(mote_fluid *fluid, float *densities, mote_error *error);

/// Sums over all particles, in a fixed order.
typedef struct mote_fluid_totals {
    double mass;              ///< [kg]
    double kinetic_energy;    ///< [J]
    double potential_energy;  ///< −m g·x [J]
    mote_vec3 momentum;       ///< [kg m/s]
    double max_speed;         ///< [m/s]
    double mean_compression;  ///< mean of max(ρ/ρ0 − 1, 0)
    double max_compression;
} mote_fluid_totals;
MOTE_API mote_result mote_fluid_get_totals(mote_fluid *fluid, mote_fluid_totals *totals, mote_error *error);

/// Writes the state of the particles, from which a fluid with the same def and walls, added in the same order,
/// continues with the same bits, on any machine with the same order of bytes. Cost O(particles); allocates nothing.
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, or MOTE_ERROR_FILE if the sink returned false
MOTE_API mote_result mote_fluid_write(const mote_fluid *fluid, mote_sink *sink, void *user_data, mote_error *error);
/// Replaces all particles by the state that was written.
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, MOTE_ERROR_FORMAT (damaged, cut short, or of a fluid with another def or
///         another number of wall particles) or MOTE_ERROR_OUT_OF_MEMORY; unless MOTE_OK the fluid is as it was
MOTE_API mote_result mote_fluid_read(mote_fluid *fluid, const void *bytes, size_t length, mote_error *error);

/// Work done so far.
typedef struct mote_fluid_counters {
    uint64_t steps;
    uint64_t particle_steps;  ///< of all particles of the fluid; buffers of openings do not count
    double search_seconds;   ///< in neighbour search; rows that a loop finds for itself are in the next two
    double density_seconds;  ///< in the loop over neighbours that finds rates of density, or densities
    double force_seconds;    ///< in loops over neighbours that find accelerations, walls and tensions included
    double move_seconds;     ///< in moving particles and keeping them out of walls
    double total_seconds;    ///< in all
} mote_fluid_counters;
MOTE_API mote_fluid_counters mote_fluid_get_counters(const mote_fluid *fluid);
MOTE_API size_t mote_fluid_byte_count(const mote_fluid *fluid);
/// Checks every invariant. MOTE_OK, or MOTE_ERROR_STATE with the broken one in the error.
MOTE_API mote_result mote_fluid_validate(mote_fluid *fluid, mote_error *error);

#ifdef __cplusplus
}
#endif

#endif
