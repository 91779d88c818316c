// SPDX-License-Identifier: MIT
/// mote/opening.h: open ends of a fluid, through which it comes in and goes out; and drains, which swallow it.
///
/// An opening is a flat face. Outside of it, as deep as the kernel reaches, lies its buffer: particles like those of
/// the fluid, with ids from the same counter, to which the neighbours in the fluid are as to any other. Forces do not
/// move them. They go along the normal, with a velocity that is prescribed or that of the fluid, and have a pressure
/// that is prescribed or that of the fluid. What the fluid has is that at the mirrored place, as far in the fluid as
/// the particle is outside; pressures are extrapolated linearly from there (Tafuni et al. 2018). Where a pressure alone
/// is prescribed, the fluid's velocity is corrected by what is missing to it over ρc, so that sound leaves. A particle
/// of the buffer that crosses the face belongs to the fluid from then on; one of the fluid that crosses the face
/// belongs to the buffer, and is gone where that ends. At the outer end others follow: where the velocity is
/// prescribed, of the opening's phase and as many as that says, whoever comes back meanwhile; elsewhere one like each
/// that comes in, unless its column is full without it. So the same face takes both directions of flow, and no bit
/// depends on threads.
///
/// Buffers are not seen in views, totals and gauges. Where densities are not by MOTE_DENSITY_CONTINUITY, openings have
/// a prescribed velocity and the fluid's pressure.
#ifndef MOTE_OPENING_H
#define MOTE_OPENING_H

#include "mote/fluid.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MOTE_OPENINGS_MOST = 64 };  ///< of a fluid; and as many drains

/// A flat face: of a rectangle, a disc or a polygon, exactly one of these is set. In 2D it is a segment across the
/// normal: `width` long, or twice the radius.
typedef struct mote_face {
    mote_vec3 center;      ///< [m]
    mote_vec3 normal;      ///< of any length but 0
    double radius;         ///< of a disc [m]; NaN: it is none
    double width, height;  ///< of a rectangle [m]; NaN: it is none. In 2D there is no height
    mote_corners corners;  ///< of a polygon: places in the face, across and up from the center [m]
    mote_vec3 up;          ///< direction of the height; NaN: z, or y where the normal is closer to z than 45 degrees
} mote_face;

/// A number at a place that is r from the middle of the face. Called for many particles concurrently.
typedef double mote_opening_profile(void *user_data, mote_vec3 place, double r);

typedef struct mote_opening {
    mote_face face;      ///< the normal points into the fluid
    uint32_t phase;      ///< of the buffer at the start, and of what follows
    bool sets_velocity;  ///< false: it is that of the fluid
    bool sets_pressure;  ///< false: it is that of the fluid
    bool starts_full;    ///< the buffer; false: only where there is fluid at the mirrored place
    double velocity;     ///< along the normal; below 0 the fluid leaves [m/s]
    double pressure;     ///< [Pa]
    double level;        ///< z of the free surface [m], for sets_pressure: water at rest below it is added to
                         ///< `pressure`, and the buffer starts up to there; NaN: there is none
    mote_opening_profile *velocity_at, *pressure_at;  ///< instead of the numbers; NULL: none
    mote_opening_profile *level_at;                   ///< likewise; NaN: there is no free surface at that place
    void *user_data;
    uint32_t cookie;  ///< set by the default function; tells that it was called
} mote_opening;
/// A velocity of 0 and the fluid's pressure; nothing of the face is set.
MOTE_API mote_opening mote_opening_default(void);

/// Adds an opening, when the fluid has phases and the particles of the start; and fills its buffer. Particles lie
/// behind each other in columns, half of their distance from the face on; this is such that for a uniform velocity as
/// much volume passes as the area says. Wall particles and obstacles in the way of the buffer are the caller's to leave
/// out: movers (mote_fluid_advance) do not see particles in buffers.
/// @param opening  receives its number: 0, 1, …
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (also: the face is too small for a particle, has more than 1e7 cells or lies
/// across a periodic axis), MOTE_ERROR_UNSUPPORTED (it prescribes what the fluid's densities do not take),
/// MOTE_ERROR_OUT_OF_MEMORY; unless MOTE_OK the fluid is as it was
MOTE_API mote_result mote_fluid_add_opening(mote_fluid *fluid, const mote_opening *def, uint32_t *opening,
                                            mote_error *error);

/// Something that swallows: particles that are inside of it after a step are gone. In 2D a ball is a disc, and a disc a
/// segment.
typedef struct mote_drain {
    mote_vec3 min, max;  ///< a box [m]; NaN: not set
    mote_vec3 center;    ///< of a ball or a disc [m]; NaN: not set
    double radius;       ///< [m]
    mote_vec3 normal;    ///< of a disc, which is one spacing thick; NaN: it is a ball
    uint32_t cookie;     ///< set by the default function; tells that it was called
} mote_drain;
MOTE_API mote_drain mote_drain_default(void);
/// @param drain  receives its number: 0, 1, …
/// @return as mote_fluid_add_opening, for any solver
MOTE_API mote_result mote_fluid_add_drain(mote_fluid *fluid, const mote_drain *def, uint32_t *drain, mote_error *error);

/// What has passed since the start.
typedef struct mote_flow_count {
    uint64_t in, out;          ///< particles; those that come back count again
    double mass_in, mass_out;  ///< [kg], in 2D [kg/m]
    size_t buffered;           ///< particles that are in the buffer now
} mote_flow_count;
/// Of an opening; and of a drain, where `in` is 0. All zeros if there is none of this number.
MOTE_API mote_flow_count mote_fluid_opening_count(const mote_fluid *fluid, uint32_t opening);
MOTE_API mote_flow_count mote_fluid_drain_count(const mote_fluid *fluid, uint32_t drain);

// ------------------------------------------------------------------------------------- in simulations (simulation.h)

/// An inlet or an outlet. In a simulation with a tank its face touches one of the tank's sides, and its buffer lies
/// outside: there the tank has no wall. At least one of velocity, flow_rate, pressure and level is set in an inlet.
/// What is not set is that of the fluid. The buffer of an outlet starts where there is fluid in front of it. Texts are
/// expressions (expression.h) of the place x, y, z, the distance r from the center and the time t [s]; flow_rate_text
/// and level_text of t only.
typedef struct mote_open_end {
    const char *name;   ///< not copied, must outlive the simulation
    const char *fluid;  ///< its name among several
    mote_face face;     ///< the normal is the direction of flow, into the fluid at an inlet, out of it at an outlet
    double velocity;    ///< in that direction [m/s]; NaN: not set
    const char *velocity_text;  ///< where not NULL
    double flow_rate;  ///< instead of the velocity, the same all over the face [m³/s], in 2D [m²/s]; NaN: not set
    const char *flow_rate_text;  ///< where not NULL
    double pressure;             ///< [Pa]; NaN: not set
    const char *pressure_text;   ///< where not NULL
    double level;                ///< z of the free surface [m]: the pressure of water at rest below it; NaN: not set
    const char *level_text;      ///< where not NULL
} mote_open_end;
/// Nothing is set.
MOTE_API mote_open_end mote_open_end_default(void);
MOTE_API const mote_field_table *mote_inlet_fields(void);
MOTE_API const mote_field_table *mote_outlet_fields(void);

/// A drain with its name, which is not copied.
typedef struct mote_named_drain {
    const char *name;
    mote_drain drain;
} mote_named_drain;
MOTE_API const mote_field_table *mote_named_drain_fields(void);

#ifdef __cplusplus
}
#endif

#endif
