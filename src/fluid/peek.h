// SPDX-License-Identifier: MIT
// fluid/peek.h: what the simulation needs of a fluid besides mote/fluid.h: its particles without an evaluation, for
// those who find out why it cannot be evaluated; and a start with the particles of another fluid.
#ifndef MOTE_FLUID_PEEK_H
#define MOTE_FLUID_PEEK_H

#include "mote/fluid.h"

// The arrays as they are. After an evaluation they are those of mote_fluid_get_view; else densities, pressures and
// accelerations are older than positions, and velocities are those of half a step ago.
mote_fluid_view mote_fluid_peek(const mote_fluid *fluid);

// background.c: says that the fluid fills a closed tank, so that it has no free surface.
void mote_fluid_set_confined(mote_fluid *fluid);

// rows.c: whether lists of neighbours are kept.
bool mote_fluid_keeps_lists(const mote_fluid *fluid);

// fields.c: the support of a def, or what its solver takes if that is left open [m].
double mote_fluid_support_of(const mote_fluid_def *def);

// Tait's equation with γ = 1 is the same as the ideal gas. It is taken as that near to 1 as well, where energies, which
// are divided by γ − 1, would be lost to rounding.
static inline bool mote_fluid_is_linear(const mote_fluid_def *def, const mote_phase_def *phase)
{
    return def->state_equation == MOTE_STATE_IDEAL_GAS || phase->gamma < 1.0001;
}

// tables.c: whether a solver, by its number, reads a field of the def.
bool mote_fluid_solver_reads(size_t number, const char *field);

// Replaces all particles by those of a state that another fluid wrote, as if they had been added here: the clock, the
// def and the walls remain. The fluids need the same dimensions, solver, steps, spacing and masses of a particle.
// @param sound_speed  receives that of the other fluid [m/s]
// @return as mote_fluid_read
mote_result mote_fluid_take(mote_fluid *fluid, const void *bytes, size_t length, double *sound_speed,
                            mote_error *error);

// step_individual.c: whether the step that is being made, or else the last one, is more than one step of some particle.
// The mover is called at the end of each of these: what acts for the whole step is for mote_fluid_change_velocities.
bool mote_fluid_is_divided(const mote_fluid *fluid);
// levels.c: the shortest of the steps that particles may take by themselves [s], as found last; with global steps `dt`.
double mote_fluid_shortest_step(const mote_fluid *fluid, double dt);
// step.c: in the next step the mover has nothing to do with particles that go to a place in this box, which is finite,
// if their ways are all beyond one side of the box of each body that is told of afterwards.
void mote_fluid_leave_alone(mote_fluid *fluid, mote_box box);
void mote_fluid_leave_alone_beside(mote_fluid *fluid, mote_box body);
// In a step that is divided a particle moves from a share of it to another one, between 0 and 1: tells these before the
// mover is called for particles that do so. Holds for the next step.
typedef mote_result mote_fluid_announcer(void *user_data, double begin, double end, mote_error *error);
void mote_fluid_announce(mote_fluid *fluid, mote_fluid_announcer *announcer);
// Changes the velocities of all particles. They are those of half a step ago unless the fluid is evaluated.
// @param changer  called concurrently
typedef void mote_fluid_changer(const void *user_data, mote_vec3 place, mote_vec3 *velocity);
void mote_fluid_change_velocities(mote_fluid *fluid, mote_fluid_changer *changer, const void *user_data);

// gravity.c: what gravity will be at the end of the next step; individual steps within it see it change until then.
// mote_fluid_set_gravity still has to say it at that end.
void mote_fluid_tell_gravity(mote_fluid *fluid, mote_vec3 at_end);

// tension.c: the longest step that tensions allow [s]; HUGE_VAL: there are none.
double mote_fluid_tension_step(const mote_fluid *fluid);
// The longest step in which walls go no farther than a fifth of a spacing.
double mote_fluid_wall_step(const mote_fluid *fluid);

// walls.c: adds samples of a surface, as mote_fluid_add_boundary_walls does without volumes.
typedef struct fluid_sample {
    double depth;  // how deep it is behind the surface, in spacings: half a one, or less in thin bodies
    double thickness;  // of a plate there, in spacings; HUGE_VAL: two spacings or more, or the body is no plate
    double share;  // how much of its part of the surface is there; 0: it only counts as a neighbour of others, by which
                   // their volumes are found, as where a surface goes on
    mote_vec3 place, normal;  // on the surface, and out of the body there
} fluid_sample;
// samples.c: the usual depth, in spacings.
double mote_sample_depth(int32_t solver);
mote_result mote_fluid_add_samples(mote_fluid *fluid, const double *positions, const fluid_sample *samples,
                                   const uint32_t *boundaries, size_t count, mote_error *error);

// boundary_motion.c: lets a function say how much of each wall particle counts where it is, from 0 to 1, whenever walls
// have moved: bodies that move may cover others. Those that are added later count in full.
// @param share  called concurrently
typedef double mote_wall_share(const void *user_data, uint32_t boundary, mote_vec3 place);
mote_result mote_fluid_share_walls(mote_fluid *fluid, mote_wall_share *share, const void *user_data, mote_error *error);

// settle.c, for bodies at the start. How a pressure that is the same everywhere would push each particle, in units of
// its push at a flat free surface, where it points out of the fluid. Only of particles that are near a body, and by
// those; of others 0.
// @param left_out  boundaries of bodies
// @param slopes    receives it without bodies
// @param pushes    receives what bodies add
mote_result mote_fluid_find_slopes(mote_fluid *fluid, const bool *is_near, const bool *left_out, mote_vec3 *slopes,
                                   mote_vec3 *pushes);
// The slope of a particle that is so far from a flat free surface, in spacings: 1 half a spacing below it.
double mote_fluid_flat_slope(const mote_fluid *fluid, double distance);
// Moves particles until pressure drives none of them, by the solver's own sums over those that are near and the walls.
// @param moves    which of those that are near may move
// @param normals  of the free surface, along which its particles move; of others 0
// @param mover    keeps them out of obstacles; called concurrently
mote_result mote_fluid_settle(mote_fluid *fluid, const bool *is_near, const bool *moves, const mote_vec3 *normals,
                              mote_fluid_mover *mover, void *user_data);

// field_build.c: how far a place is from a body, as object_kind's distance in the simulation says it; and a body that
// acts on the fluid by a field. It must lie in the box, or go on straight as far as the support beyond it, where it is
// at home, and is not needed later.
typedef void mote_body_distance(const void *body, mote_vec3 place, double reach, double *distance, mote_vec3 *normal);
// @param lattice  NULL: a body of any shape. Else it consists of cubes of one spacing, from the box's lower corner less
//                 the support on, as a side of a tank does: it acts as layers would. Parts of its field that are alike
//                 share their numbers, as nearly all do, and there are none farther than a spacing outside of this box,
//                 where no particle comes. Such a field has no file
mote_result mote_fluid_add_field(mote_fluid *fluid, uint32_t boundary, mote_box box, mote_body_distance *distance,
                                 const void *body, const mote_box *lattice, mote_error *error);
// field_file.c: the key of a body's field, for this fluid; the field as bytes, and bytes instead of a field that is to
// be built, with the same bits. Bytes of another field, or damaged ones, are refused, and nothing has changed.
typedef bool mote_field_source(void *user_data, void *bytes, size_t length);  // the next bytes; false: there are none
void mote_field_make_key(const mote_fluid *fluid, const uint64_t body[2], uint64_t key[2]);
bool mote_field_write(const mote_fluid *fluid, uint32_t number, const uint64_t key[2], mote_sink *sink,
                      void *user_data);
mote_result mote_fluid_read_field(mote_fluid *fluid, uint32_t boundary, mote_box box, const uint64_t key[2],
                                  mote_field_source *source, void *user_data, uint64_t length, mote_error *error);
uint32_t mote_fluid_field_count(const mote_fluid *fluid);
void mote_fluid_place_particle(mote_fluid *fluid, size_t i, mote_vec3 place);

// period.c: puts a place that has left the box into it again.
void mote_fluid_wrap_place(const mote_fluid *fluid, double place[3]);

#endif
