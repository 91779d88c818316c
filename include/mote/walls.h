// SPDX-License-Identifier: MIT
/// mote/walls.h: the walls of a fluid, and what they feel.
///
/// Walls are particles that push. They belong to boundaries, which stay or move as they are told; the forces on each
/// can be asked for.
#ifndef MOTE_WALLS_H
#define MOTE_WALLS_H

#include "mote/fluid.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Adds wall particles, which push but do not move.
/// @param volumes     per particle, in units of d^D: 1 for layers on the lattice; NULL: samples of a surface, one
///                    layer, half a spacing behind it. Their volumes are then γ/ΣW over the samples of this call, with
///                    γ such that a flat wall one spacing away gives the rest density, or with MOTE_SOLVER_WEAK the
///                    push of layers
MOTE_API mote_result mote_fluid_add_walls(mote_fluid *fluid, const double *positions, const double *volumes,
                                          size_t count, mote_error *error);

/// γ of walls that are samples of a surface: about 0.62 in 3D with h = 2 d.
MOTE_API double mote_fluid_surface_gamma(const mote_fluid *fluid);

/// Wall particles: positions (3 · count), where they are now, and volumes in units of d^D.
MOTE_API void mote_fluid_get_walls(const mote_fluid *fluid, const double **positions, const double **volumes,
                                   size_t *count);

/// A part of the walls: what they do to the fluid. With MOTE_SOLVER_WEAK; otherwise all walls are alike.
typedef struct mote_boundary_def {
    mote_vec3 velocity;  ///< of the wall along itself, like a belt [m/s]: its particles do not move
    bool slip;           ///< free slip: no viscosity acts between fluid and wall
    uint32_t cookie;     ///< set by the default function; tells that it was called
} mote_boundary_def;

MOTE_API mote_boundary_def mote_boundary_default_def(void);
MOTE_API const mote_field_table *mote_boundary_fields(void);

/// Adds a boundary without particles.
/// @param boundary  receives its number, from 1 on: boundary 0, at rest and without slip, is always there
MOTE_API mote_result mote_fluid_add_boundary(mote_fluid *fluid, const mote_boundary_def *def, uint32_t *boundary,
                                             mote_error *error);

/// Adds wall particles to boundaries.
/// @param volumes     as in mote_fluid_add_walls
/// @param boundaries  the boundary of each particle; NULL: 0
/// @return as mote_fluid_add_walls; MOTE_ERROR_ARGUMENT if there is no such boundary
MOTE_API mote_result mote_fluid_add_boundary_walls(mote_fluid *fluid, const double *positions, const double *volumes,
                                                   const uint32_t *boundaries, size_t count, mote_error *error);

/// How a boundary moves, as a rigid body and like a belt, in addition to the velocity of its def. Accelerations of the
/// body enter the pressure that its wall particles take from the fluid.
typedef struct mote_boundary_motion {
    mote_vec3 place;         ///< how far it is from where its wall particles were added; if it turns, its center [m]
    mote_vec3 velocity;      ///< of the center [m/s]
    mote_vec3 acceleration;  ///< of the center [m/s²]
    mote_vec3 center;        ///< about which it turns, where that was when wall particles were added [m]
    mote_vec3 rotation;      ///< how far it has turned: along the axis, as long as the angle [rad]; in 2D along y
    mote_vec3 spin;          ///< angular velocity [rad/s]
    mote_vec3 spin_rate;     ///< angular acceleration [rad/s²]
    mote_vec3 belt;          ///< velocity of the wall along itself: its particles do not move [m/s]
    bool at_once;            ///< false: this is its state at the end of the next step; true: it is now, as at the start
    uint32_t cookie;         ///< set by the default function; tells that it was called
} mote_boundary_motion;

/// At rest, where it was added, at the end of the next step.
MOTE_API mote_boundary_motion mote_boundary_motion_default(void);

/// Moves a boundary: to be called before each step, when its length is known. A boundary that has moved and is not told
/// again stays where it is, at rest. Its speed limits the time step (mote_fluid_time_step). Wall particles that move
/// are searched anew in every step; the others are not. Motions are part of the state that mote_fluid_write writes.
/// Needs MOTE_SOLVER_WEAK.
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (no such boundary, or out of the plane in 2D), MOTE_ERROR_NOT_FINITE,
///         MOTE_ERROR_UNSUPPORTED (another solver; or it turns in a periodic box), MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_fluid_set_boundary_motion(mote_fluid *fluid, uint32_t boundary,
                                                    const mote_boundary_motion *motion, mote_error *error);

/// The force and the moment of the fluid on a boundary, in the mean over the last step: of all pairs of fluid and wall
/// particles, and of the impulses that movers have told (mote_fluid_add_impulse). Step by step the fluid's momentum
/// changes by what gravity and the forces on all boundaries, with the other sign, give it, up to rounding. It drifts by
/// itself with individual steps, MOTE_SHIFTING_TRANSPORT, consistent_shifting, MOTE_TENSILE_SWITCH, or a tension by
/// curvature. Before the first step they are those of the pairs at this instant. The first call lets the fluid compute
/// forces on walls from then on, with every evaluation.
/// @param boundary  its number (mote_fluid_add_boundary); 0 has all walls without another one
/// @param force     [N], in 2D [N/m]; may be NULL
/// @param moment    about the origin of coordinates [N m], in 2D [N]; may be NULL
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (no such boundary), MOTE_ERROR_OUT_OF_MEMORY, or MOTE_ERROR_STATE if nobody had
///         asked when the state was written that was read last; then they are known after the next step
MOTE_API mote_result mote_fluid_boundary_force(mote_fluid *fluid, uint32_t boundary, mote_vec3 *force,
                                               mote_vec3 *moment, mote_error *error);

/// Tells a fluid, from a mover, that it has changed a particle's velocity on behalf of a boundary, which feels the
/// opposite impulse in mote_fluid_boundary_force. No effect while nobody has asked for that. Several calls may run
/// concurrently, and their order does not change a bit. A velocity that changes by more than 10^6 sound_speed counts as
/// that.
/// @param place   of the particle [m]
/// @param change  the new velocity less the old one [m/s]
MOTE_API void mote_fluid_add_impulse(mote_fluid *fluid, uint32_t boundary, mote_vec3 place, mote_vec3 change);
/// Whether impulses are counted: movers may spare the calls if not.
MOTE_API bool mote_fluid_wants_impulses(const mote_fluid *fluid);

#ifdef __cplusplus
}
#endif

#endif
