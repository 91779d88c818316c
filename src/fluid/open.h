// SPDX-License-Identifier: MIT
// fluid/open.h: what the files of openings and drains share, and what the simulation needs of them: open_face.c
// (geometry), open_ends.c (openings, drains and their buffers), open_state.c (velocity and pressure in buffers),
// open_exchange.c (who crosses a face).
//
// Particles of buffers are the last ones of the store, `held` of them; those before them are the fluid's own.
// FLUID_OPENING is the number of a particle's opening, from 1 on, or 0.
#ifndef MOTE_FLUID_OPEN_H
#define MOTE_FLUID_OPEN_H

#include "base/internal.h"
#include "fluid/row.h"
#include "mote/opening.h"

// A face with its axes: lengths of 1, at right angles.
typedef struct open_face {
    mote_vec3 center, normal, across, up;
    double radius, half_width, half_height;  // NaN or of another shape: not used
    double *corners;                         // 2 · corner_count, owned
    size_t corner_count;
    double low[2], high[2];  // the rectangle around it, across and up
    double area;             // [m²]; in 2D its length [m]
    int dimensions;
} open_face;

// A place as a face sees it: how far into the fluid, across and up from the center.
typedef struct open_place {
    double in, across, up;
} open_place;

// Refuses a face that is none; `who` begins the error's text. Release it if that succeeds.
mote_result mote_open_face_create(mote_context *context, const mote_face *def, int dimensions, const char *who,
                                  open_face *face, mote_error *error);
void mote_open_face_release(mote_context *context, open_face *face);
open_place mote_open_face_place(const open_face *face, mote_vec3 at);
// Whether a place is straight before or behind the face.
bool mote_open_face_covers(const open_face *face, const open_place *place);
// The columns of particles behind a face: how many, and number `index` of the grid around it, which may be none.
size_t mote_open_face_grid(const open_face *face, double spacing);
bool mote_open_face_column(const open_face *face, double spacing, size_t index, mote_vec3 *foot);
size_t mote_open_face_columns(const open_face *face, double spacing);
// The cell of the grid that a place straight before or behind the face is in; the nearest one of others.
size_t mote_open_face_cell(const open_face *face, double spacing, const open_place *place);
// Refuses faces that are too small or too large for columns; before anything goes through them.
mote_result mote_open_face_check(const open_face *face, double spacing, const char *who, mote_error *error);
// The distance of particles in a column, and how many a buffer has behind each other. 0 columns: 0.
double mote_open_face_pitch(const open_face *face, double spacing);
size_t mote_open_face_layers(const open_face *face, double spacing, double support);

// The particles of a buffer that are in the cell of one column, as they were counted last (open_exchange.c).
typedef struct open_column {
    double first, last;  // how far in, below 0, the first and the last are
    uint32_t count;
    uint32_t outer;  // the index of the last
} open_column;

// Of the free surface, seen at a place that is r from the middle of the face; NaN: there is none.
static inline double mote_opening_level(const mote_opening *def, mote_vec3 at, double r)
{
    return def->level_at ? def->level_at(def->user_data, at, r) : def->level;
}

typedef struct open_end {
    mote_opening def;
    open_face face;
    open_column *columns;  // of each cell of the face's grid, owned
    size_t column_count, layers;
    double pitch, depth;
    uint64_t in[MOTE_PHASES_MOST], out[MOTE_PHASES_MOST];
} open_end;

typedef struct open_drain {
    mote_drain def;
    uint64_t out[MOTE_PHASES_MOST];
} open_drain;

typedef struct open_ends {
    open_end *ends[MOTE_OPENINGS_MOST];  // NULL behind the last
    open_drain *drains[MOTE_OPENINGS_MOST];
    uint32_t end_count, drain_count;
    size_t held;
    mote_buffer mirrors;  // fluid_place: of each particle in a buffer
    mote_buffer marks;    // a byte for each particle, of those that change hands
} open_ends;

void mote_fluid_release_openings(mote_fluid *fluid);
size_t mote_fluid_opening_bytes(const mote_fluid *fluid);
// Fills all buffers anew, when the fluid's particles are others.
mote_result mote_fluid_refill_openings(mote_fluid *fluid, mote_error *error);
// The state as bytes: so many for these numbers of openings and drains; they are written, read behind the particles, of
// which `held` are in buffers, and made anew when the particles are those of another fluid.
size_t mote_fluid_opening_state_bytes(size_t ends, size_t drains);
bool mote_fluid_write_openings(const mote_fluid *fluid, mote_sink *sink, void *user_data, uint64_t *sum);
void mote_fluid_read_openings(mote_fluid *fluid, const char *bytes, size_t held);
mote_result mote_fluid_take_openings(mote_fluid *fluid, size_t held, mote_error *error);
// store.c: changes places of two particles; moves those that were added behind the buffers to the fluid's own.
void mote_fluid_swap_particles(mote_fluid *fluid, size_t i, size_t j);
void mote_fluid_adopt_added(mote_fluid *fluid, size_t added);

// Makes particle i one of a buffer, of the opening's phase, at rest density until the buffers are held.
void mote_fluid_place_in_buffer(mote_fluid *fluid, uint32_t number, size_t i, mote_vec3 at);

// Removes the fluid's own particles whose mark is true.
mote_result mote_fluid_remove_own(mote_fluid *fluid, const bool *marked);

// open_exchange.c: whether a mover has to do with a particle that goes to a place: it is not in a buffer, nor on the
// way into one. Before a step, makes room for what it may add; behind it, lets particles change hands.
bool mote_fluid_is_guarded(const mote_fluid *fluid, size_t i, const double to[3]);
mote_result mote_fluid_reserve_exchange(mote_fluid *fluid, mote_error *error);
void mote_fluid_exchange(mote_fluid *fluid);

// open_state.c: mirrored places, for the search; then what particles in buffers have, from the rows of those places.
mote_result mote_fluid_place_mirrors(mote_fluid *fluid);
size_t mote_fluid_mirror_count(const mote_fluid *fluid);
// @param places  the records of all particles, which have their volumes
void mote_fluid_hold_buffers(mote_fluid *fluid, const mote_lists *of_mirrors, const fluid_place *places);

#endif
