// SPDX-License-Identifier: MIT
// simulation/internal.h: objects, their kinds, and declarations that the files of the simulation share.
//
// A simulation is a list of objects. The differences between a fluid, its walls, a tank, a solid and grains are in
// kinds, each a const table of functions (kinds.c): code that steps, inspects or counts loops over objects and does
// not depend on their kinds. The kinds do not depend on each other either: collisions of a particle are found by
// calling all objects (obstacles.c).
#ifndef MOTE_SIMULATION_INTERNAL_H
#define MOTE_SIMULATION_INTERNAL_H

#include "base/internal.h"
#include "fluid/rigid.h"
#include "mote/expression.h"
#include "mote/hits.h"
#include "mote/response.h"
#include "mote/simulation.h"
#include "simulation/motion_table.h"

// The most parts that the walls of an object have: the sides of a tank.
enum { MOTE_WALL_PARTS = 6 };

// Points that are to be added to a fluid.
typedef struct point_list {
    mote_buffer positions, volumes;  // 3 doubles; in units of spacing^D
    mote_buffer samples;             // fluid_sample; empty: they are no samples, or whole ones of a tank
    mote_buffer parts;               // uint32_t: the part of the wall that each belongs to; empty: there is one part
    mote_boundary_def of_parts[MOTE_WALL_PARTS];  // what each part does to the fluid
    size_t part_count;               // 0: one part, at rest
    size_t count;
    bool is_surface;  // samples of a surface: the fluid computes their volumes
    bool waits;       // they are to be made when all bodies that are filled have theirs
    bool is_field;    // there are none: a body in this box acts by a field
    bool are_slabs;   // likewise, of the sides of a tank with this box
    mote_box inside;  // of that tank, endless where it is open
    mote_box slabs[MOTE_WALL_PARTS];  // what is behind each side; empty: nothing
    bool through[3];  // the body may move along this axis: what is beyond the tank's sides across it may come in
    mote_box box;
} point_list;

// The bodies that were made before one, and the box around it. What such a body fills with walls of its own the other
// one leaves to it: where both had walls, these would push twice.
typedef struct earlier_bodies {
    const mote_simulation *simulation;
    size_t count;    // of objects, the first ones; 0: none of them has anything to do with the body
    mote_box box;
    double margin;    // boxes that share less than this do not overlap [m]
    const mote_period_def *period;  // of images of the body, so that it is not in the box alone; NULL: there are none
} earlier_bodies;

// A request for wall particles, by a fluid of this spacing and kernel support [m].
typedef struct wall_request {
    double spacing, support;
    int dimensions;
    uint64_t seed;
    mote_fluid_solver solver;
    const mote_tank_def *tank;  // NULL: there is none
    bool only_thickness;        // no layers are made, it is only found out whether the body is thick enough for them
    const earlier_bodies *earlier;  // NULL: there are none
    bool is_last;                   // of bodies that waited
} wall_request;

typedef struct object_kind object_kind;

// An object: its name in files, its kind, and its own state.
typedef struct simulation_object {
    const object_kind *kind;
    const char *name;  // stays valid as long as the texts of the def
    void *state;
    uint32_t boundary;  // of the fluid, that its walls belong to: that of their first part, the others follow
} simulation_object;

// The functions of a kind of objects. Any may be NULL: no effect, or no limit. Only kinds in the table need `create`.
struct object_kind {
    const char *name;
    size_t state_bytes;
    // Where in its state there is a text that its view shows as a remark, if it is not empty. 0: there is none.
    size_t remark;

    // Checks the def for errors, before anything is made.
    mote_result (*check)(mote_context *context, const mote_simulation_def *def, mote_error *error);
    // Adds the objects of this kind that the def asks for: none, one or many.
    mote_result (*create)(mote_simulation *simulation, const mote_simulation_def *def, mote_error *error);
    // Called after all objects are made: connects an object with others that it needs.
    mote_result (*connect)(mote_simulation *simulation, simulation_object *object, const mote_simulation_def *def,
                           mote_error *error);
    void (*destroy)(mote_simulation *simulation, void *state);

    // The longest stable step from here [s].
    mote_result (*stable_step)(mote_simulation *simulation, void *state, double *dt, mote_error *error);
    // About how long steps will be [s]. An object without stable_step subdivides longer ones itself; its usual step is
    // taken if no other object limits the step.
    double (*usual_step)(const void *state);
    mote_result (*move)(mote_simulation *simulation, void *state, double dt, mote_error *error);

    // Looks at the new state after each step. The fluid's forces are up to date.
    mote_result (*observe)(mote_simulation *simulation, void *state, mote_error *error);
    // Sees a particle of the fluid that has moved, after it was kept out of obstacles. Called for many particles
    // concurrently.
    void (*watch)(void *state, mote_vec3 from, mote_vec3 to);
    // After the particles of a step: whether it holds, or has been undone with what was seen.
    void (*settle)(void *state, bool holds);

    // Slows a particle of the fluid that has moved, after it was kept out of obstacles. Called for many particles
    // concurrently.
    void (*damp)(const void *state, mote_vec3 place, mote_vec3 *velocity);

    // Keeps a particle that moves from `from` to `position` out of the obstacle, and adds to `changes` by how much each
    // part of its walls changes the velocity (NULL: nobody asks). Called for many particles concurrently.
    void (*keep_out)(const void *state, mote_vec3 from, mote_vec3 *position, mote_vec3 *velocity,
                     mote_vec3 changes[MOTE_WALL_PARTS]);
    // A box: keep_out leaves particles as they are that go to a place in it, wherever they come from. NULL: there is
    // none.
    mote_box (*free_box)(const void *state);
    // Instead, a box around a body that rests: keep_out leaves particles as they are whose ways are all beyond one of
    // its sides.
    mote_box (*body_box)(const void *state);
    // Whether a place is on the side of all walls where particles are allowed.
    bool (*contains)(const void *state, mote_vec3 place);
    // Whether a place is inside a body; and whether fluid may start there.
    bool (*is_inside)(const void *state, mote_vec3 place);
    bool (*is_clear)(const void *state, mote_vec3 place);
    // Whether a particle that is carried from one place to another by a step goes through the surface of a body.
    bool (*is_crossed)(const void *state, mote_vec3 from, mote_vec3 to);
    // How far a place is from a body, below 0 inside, and the direction in which that grows; if it is farther than the
    // reach, HUGE_VAL or -HUGE_VAL.
    void (*distance)(const void *state, mote_vec3 place, double reach, double *distance, mote_vec3 *normal);
    // The same of the body alone, without its images in a periodic box.
    double (*distance_alone)(const void *state, mote_vec3 place, double reach, mote_vec3 *normal);
    // Adds walls for a fluid: points behind planes or on surfaces. Called at most once, before particles are kept
    // out.
    mote_result (*make_walls)(mote_simulation *simulation, void *state, const wall_request *request, point_list *walls,
                              mote_error *error);
    // Refuses particles of the start that can never leave a body (they are already out of its material), and motions
    // that are too fast for steps of the usual length [s].
    mote_result (*check_start)(mote_simulation *simulation, const void *state, const mote_fluid_view *view,
                               double usual_step, mote_error *error);
    const mote_mesh *(*mesh)(const void *state);
    // Whether it is at rest and acts by all of its volume: by layers, or a field. If so, `box` receives its box.
    bool (*is_filled)(const void *state, mote_box *box);
    // Whether it acts by a field; whether it has wall particles.
    bool (*is_field)(const void *state);
    bool (*has_wall_particles)(const void *state);

    // Moves walls, from where they are at one time to where they are at another [s].
    mote_result (*move_walls)(void *state, double from, double to, mote_error *error);
    // How a part of the walls moves; false: it does not.
    bool (*motion_of)(const void *state, uint32_t part, mote_boundary_motion *motion);
    // How fast a part of the walls runs along itself [m/s]; false: always by the velocity of its def.
    bool (*belt_of)(const void *state, uint32_t part, mote_vec3 *velocity);

    // Takes over a gravity that changes with time.
    mote_result (*set_gravity)(void *state, mote_vec3 gravity, mote_error *error);

    // Whether fluid flows through here, so that there are no walls.
    bool (*is_open)(const void *state, mote_vec3 place);
    // Opens the fluid, when its particles have their places.
    mote_result (*open)(mote_simulation *simulation, void *state, mote_fluid *fluid, const mote_simulation_def *def,
                        mote_error *error);

    // Fills in the object's derived values in the def that it was made from.
    void (*resolve)(const void *state, mote_simulation_def *def);
    // Fills in the view, whose name and kind are already set.
    mote_result (*look)(mote_simulation *simulation, void *state, mote_object_view *view, mote_error *error);
    // An array of its particles by name, besides those of the view; NULL: it has no others.
    mote_result (*get_array)(void *state, const char *name, mote_array *array, mote_error *error);
    // Writes the quantities that the object reports; returns how many these are.
    mote_result (*tell)(mote_simulation *simulation, void *state, mote_quantity quantities[MOTE_OBJECT_QUANTITIES],
                        size_t *count, mote_error *error);
    // Adds particle steps, and seconds spent in steps and in neighbour search.
    void (*count)(const void *state, mote_simulation_counters *counters);
    // Adds the number of particles that are at places where none are allowed.
    mote_result (*count_escaped)(mote_simulation *simulation, void *state, size_t *inside, size_t *beyond,
                                 mote_error *error);
    // Writes and reads what changes while the simulation runs.
    mote_result (*write)(const void *state, mote_sink *sink, void *user_data, mote_error *error);
    mote_result (*read)(void *state, const void *bytes, size_t length, mote_error *error);
    // Reads the bytes that an object of another simulation wrote, as the start of this one.
    mote_result (*read_start)(void *state, const void *bytes, size_t length, mote_simulation_origin *origin,
                              mote_error *error);
    // Forgets what was seen so far, after the start of others has changed.
    mote_result (*restart)(mote_simulation *simulation, void *state, mote_error *error);
    mote_result (*validate)(mote_simulation *simulation, void *state, mote_error *error);
    size_t (*byte_count)(const void *state);
};

// The table (kinds.c): a new kind is one file and one line there.
extern const object_kind *const mote_object_kinds[];
extern const size_t mote_object_kind_count;
extern const object_kind mote_kind_fluid, mote_kind_tank, mote_kind_solid, mote_kind_damping, mote_kind_grains,
    mote_kind_gauge, mote_kind_opening, mote_kind_drain;

// gravity.c: gravity at any time.
typedef struct simulation_gravity {
    mote_expression *expressions[3];  // of t; NULL: the number
    double numbers[3];
    bool varies;  // there are expressions
} simulation_gravity;
// Compiles the def's expressions. Close it if that succeeds.
mote_result mote_gravity_open(mote_context *context, const mote_fluid_def *def, simulation_gravity *gravity,
                              mote_error *error);
void mote_gravity_close(simulation_gravity *gravity);
mote_result mote_gravity_at(const simulation_gravity *gravity, double time, mote_vec3 *value, mote_error *error);
// That of water at rest before time 0: of a gravity that varies, the greatest component.
mote_result mote_gravity_of_start(const simulation_gravity *gravity, mote_vec3 *value, mote_error *error);
// Sets the time of a simulation, and the gravity that its objects have then.
mote_result mote_simulation_set_time(mote_simulation *simulation, double time, mote_error *error);

// motion.c: a motion described by expressions or a table, and where that is at the present time.
typedef struct simulation_motion {
    mote_expression *expressions[4];  // of t: x, y, z of the shift, and the angle; NULL: the number
    double numbers[4];
    motion_table *table;              // instead of these; NULL: none
    double spacing, reach;            // of the fluid; of the body from the center [m]
    mote_vec3 center, axis;           // axis: of length 1
    const char *owner;                // "solids", "tank": for messages
    size_t number;                    // of the owner, in a list
    bool moves, is_in_list;
    mote_boundary_motion now;
    rigid_pose pose, before;          // now, and at the beginning of a step
} simulation_motion;
// Refuses walls that move where nothing can follow them, and names the field that says so.
mote_result mote_motion_check_allowed(const mote_simulation_def *def, const char *field, mote_error *error);
// Refuses a motion that cannot be, before anything is made.
mote_result mote_motion_check(const mote_simulation_def *def, const mote_motion *motion, const char *owner,
                              mote_error *error);
// Compiles the expressions. `motion` is all zeros before, and has its owner; close it in any case.
mote_result mote_motion_open(mote_context *context, const mote_motion *def, simulation_motion *motion,
                             mote_error *error);
void mote_motion_close(simulation_motion *motion);
// Whether a motion may change a body's coordinates along each axis.
void mote_motion_find_axes(const mote_motion *motion, bool axes[3]);
// A box that a body in this one never leaves. How far expressions shift it is not known: along such axes it is endless.
mote_box mote_motion_sweep(mote_box box, const mote_motion *motion);
// Places it between two times [s]: `before` and `pose`. Refuses one that goes farther than a spacing.
mote_result mote_motion_place(simulation_motion *motion, double from, double to, mote_error *error);
size_t mote_motion_byte_count(const simulation_motion *motion);
// Value and first two derivatives of an expression of t, or of a number; and refuses what is not finite.
mote_result mote_motion_derive(const mote_expression *expression, double number, double time, const char *field,
                               double results[3], mote_error *error);
mote_result mote_motion_compile(mote_context *context, const char *text, const char *field,
                                mote_expression **expression, mote_error *error);
// How far a body in this box reaches from the axis of its turns.
double mote_motion_reach(mote_box box, const mote_motion *motion);
// Refuses ways of more than a spacing within a step; and tables that will have them, by the usual length of steps [s].
mote_result mote_motion_check_way(double way, double spacing, double from, double to, const char *field,
                                  mote_error *error);
mote_result mote_motion_check_jumps(const simulation_motion *motion, double step, mote_error *error);
// Moves all walls between two times [s], and tells a fluid of it.
mote_result mote_simulation_move_walls(mote_simulation *simulation, double from, double to, mote_error *error);
mote_result mote_simulation_tell_motions(const mote_simulation *simulation, mote_fluid *fluid, bool at_once,
                                         mote_error *error);
bool mote_simulation_has_motions(const mote_simulation *simulation);

// boundary.c: refuses a kind of boundary that a solver does not take, or that is not for tanks, or solids.
// @param field     its name in scenes: "tank.boundary"
mote_result mote_boundary_check(int32_t kind, mote_fluid_solver solver, bool is_tank, const char *field,
                                mote_error *error);
// Refuses a field with tensions that stick to walls. `index`: of the error.
mote_result mote_boundary_check_adhesion(const mote_simulation_def *def, const char *field, size_t index,
                                         mote_error *error);
// The kind that a def chooses.
mote_boundary_kind mote_boundary_resolve(int32_t kind, mote_fluid_solver solver, bool is_tank);
// The layers of wall particles that a kind has behind a plane.
size_t mote_boundary_layers(mote_boundary_kind kind, double spacing, double support);
// Whether it has wall particles, or a field, which push the fluid.
bool mote_boundary_pushes(mote_boundary_kind kind);

// box_mesh.c: a mesh of boxes, which are to be placed.
enum { MOTE_BOXES_MOST = 12 };
mote_result mote_boxes_mesh(mote_context *context, size_t count, mote_mesh **mesh, mote_error *error);
void mote_boxes_place(mote_mesh *mesh, size_t number, mote_box box);

// expression.c: the error of an expression behind the name of its field; the place in its text is kept.
mote_result mote_expression_refuse(const char *field, const mote_error *found, mote_error *error);

struct mote_simulation {
    mote_context *context;
    mote_buffer object_memory;
    simulation_object *objects;
    size_t object_count;
    double time;
    simulation_gravity gravity;
    mote_simulation_counters counters;
    bool has_failed;
    mote_failure failure;  // if so
};

static inline mote_quantity mote_quantity_make(const char *name, const char *unit, double value)
{
    return (mote_quantity){.name = name, .unit = unit, .value = {value, 0, 0}, .components = 1};
}

static inline mote_quantity mote_quantity_vital(const char *name, const char *unit, double value)
{
    return (mote_quantity){.name = name, .unit = unit, .value = {value, 0, 0}, .components = 1, .is_vital = true};
}

static inline mote_quantity mote_quantity_fixed(const char *name, const char *unit, double value)
{
    return (mote_quantity){.name = name, .unit = unit, .value = {value, 0, 0}, .components = 1, .is_fixed = true};
}

// objects.c: adds an object whose state is all zeros. NULL if there is not enough memory; then `error` is filled in.
void *mote_simulation_add(mote_simulation *simulation, const object_kind *kind, const char *name, mote_error *error);
// The state of the first object of a kind; NULL if there is none.
void *mote_simulation_find(const mote_simulation *simulation, const object_kind *kind);

// ---------------------------------------------------------------------------------------------------- obstacles.c

// Leads a particle around all obstacles; if that fails, leaves it where it was, at rest. Tells the fluid which
// boundaries have changed its velocity.
// @param told   the fluid; NULL: nobody asks for that
void mote_obstacles_keep_out(const mote_simulation *simulation, mote_fluid *told, mote_vec3 from, mote_vec3 *position,
                             mote_vec3 *velocity);
// Tells a fluid, before a step in which no obstacle moves, which particles all of them leave as they are.
void mote_obstacles_tell_free_ways(const mote_simulation *simulation, mote_fluid *fluid);
// Shows a particle that has moved to all objects that watch; and whether there are any.
void mote_watchers_see(const mote_simulation *simulation, mote_vec3 from, mote_vec3 to);
bool mote_watchers_exist(const mote_simulation *simulation);
void mote_watchers_settle(const mote_simulation *simulation, bool holds);  // a step
// Slows a particle that has moved; and whether anything does.
void mote_dampers_slow(const mote_simulation *simulation, mote_vec3 place, mote_vec3 *velocity);
bool mote_dampers_exist(const mote_simulation *simulation);
bool mote_obstacles_contain(const mote_simulation *simulation, mote_vec3 place);
bool mote_obstacles_are_clear(const mote_simulation *simulation, mote_vec3 place);
bool mote_obstacles_have_bodies(const mote_simulation *simulation);
// Counts how many of many places are inside a body, separately for each body.
mote_result mote_obstacles_count_inside(const mote_simulation *simulation, const mote_fluid_view *view, size_t *inside);

// ---------------------------------------------------------------------------------------------------- the fluid's

// forecast.c: refuses a def that needs more particles than can be numbered or held in memory, before anything is
// made.
mote_result mote_simulation_forecast(const mote_context *context, const mote_simulation_def *def, mote_error *error);
// Whether the def asks for anything besides grains.
bool mote_simulation_has_fluid(const mote_simulation_def *def);

// block_checks.c: checks blocks against each other and the tank. blocks.c: their numbers of particles.
mote_result mote_blocks_check(mote_context *context, const mote_simulation_def *def, mote_error *error);
double mote_blocks_count(const mote_simulation_def *def);
// Their extent at the start against the direction of gravity, down to the tank's floor [m].
double mote_blocks_depth(const mote_simulation_def *def);
// mixture.c: checks fluids and tensions, and adds them; what a fluid consists of, and the fluid whose speed of sound is
// that of the simulation.
mote_result mote_mixture_check(const mote_simulation_def *def, mote_error *error);
mote_phase_def mote_mixture_phase(const mote_simulation_def *def, size_t fluid);
size_t mote_mixture_reference(const mote_simulation_def *def);
size_t mote_mixture_find(const mote_simulation_def *def, const char *name);  // SIZE_MAX: none
mote_result mote_mixture_add(mote_fluid *fluid, const mote_simulation_def *def, double sound_speed, mote_error *error);
// Tells the log if tension sets the time step.
void mote_mixture_tell_step(const mote_context *context, const mote_fluid *fluid);
// start.c: adds their particles, and gives them the pressures of the start if they carry their densities.
mote_result mote_blocks_fill(mote_context *context, mote_fluid *fluid, const mote_simulation_def *def,
                             mote_error *error);
// @param takes_own  pressures that blocks have of their own are taken; else particles of such blocks have none
mote_result mote_blocks_set_pressures(mote_context *context, mote_fluid *fluid, const mote_simulation_def *def,
                                      bool takes_own, mote_error *error);
// The speed of their fastest particle at the start [m/s].
mote_result mote_blocks_find_speed(mote_context *context, const mote_simulation_def *def, double *speed,
                                   mote_error *error);

// watch.c: the blow-up watch of a fluid.
typedef struct watched_fluid {
    mote_fluid *fluid;
    double time, fastest;  // fastest: of all particles in frames before [m/s]
    uint64_t steps;        // made so far
    double reference_speed;  // sqrt(|g| H) of the start [m/s]
} watched_fluid;

// The extremes of a fluid that was found sound.
typedef struct fluid_peaks {
    double speed;        // [m/s]
    double compression;  // ρ/ρ0 − 1; not below 0
} fluid_peaks;

// The stable step [s], after the fluid was evaluated and is found sound.
// @param peaks    are raised to the greatest values of the present state
// @param failure  receives the particle if MOTE_ERROR_UNSTABLE is returned
mote_result mote_watch_fluid(const mote_context *context, const watched_fluid *watched, double *dt, fluid_peaks *peaks,
                             mote_failure *failure, mote_error *error);
// The same for a particle that the last step, of dt, moved to no finite position. Returns MOTE_ERROR_UNSTABLE.
mote_result mote_watch_lost(const watched_fluid *watched, uint64_t id, double dt, mote_failure *failure,
                            mote_error *error);
// The step that the Courant condition allows a fluid with particles of this speed [s].
double mote_courant_step(const mote_fluid *fluid, double speed);

// openings.c: the greatest speed that inlets and outlets prescribe at the start, or that sqrt(|g| H) adds to it where
// water can fall by H from there [m/s].
mote_result mote_openings_find_speed(mote_context *context, const mote_simulation_def *def, double *speed,
                                     mote_error *error);
// openings_all.c: refuses a def in which two openings have the same name; all of them have one.
mote_result mote_openings_check_names(const mote_simulation_def *def, mote_error *error);
// Takes wall points away where there are openings; and opens the fluid.
void mote_openings_cut(const mote_simulation *simulation, point_list *walls);
mote_result mote_openings_open(mote_simulation *simulation, mote_fluid *fluid, const mote_simulation_def *def,
                               mote_error *error);
bool mote_openings_exist(const mote_simulation *simulation);

// solid_overlaps.c: the bodies to which one leaves what they fill.
earlier_bodies mote_earlier_bodies(const mote_simulation *simulation, const simulation_object *object, double spacing,
                                   const mote_period_def *period);
// Whether two bodies, which are in these boxes as long as the simulation runs, may come to overlap.
bool mote_bodies_may_overlap(mote_box a, mote_box b, const mote_period_def *period, double spacing);
// Likewise, whether one may come to be beyond closed sides of a tank.
bool mote_body_may_leave_tank(const mote_tank_def *tank, int dimensions, mote_box swept, double spacing);
// How much of a wall particle a body leaves free at this distance from its middle, from 0 to 1.
double mote_overlap_share(double distance, double spacing);
// Where bodies move, lets wall particles count as far as no other body fills their place.
typedef struct wall_shares {
    const mote_simulation *simulation;
    bool has_moving_field;
    bool has_tank;  // at rest, with walls of its own
    mote_tank_def tank;
    int dimensions;
    double spacing;
} wall_shares;
mote_result mote_simulation_share_walls(const mote_simulation *simulation, mote_fluid *fluid,
                                        const mote_simulation_def *def, wall_shares *shares, mote_error *error);
// The distance from them; below 0 inside of one, HUGE_VAL or −HUGE_VAL where it is beyond the reach.
double mote_earlier_distance(const earlier_bodies *earlier, mote_vec3 place, double reach);

// solid_layers.c: the layers of wall particles of a body in this box.
// @param walls     receives their places and volumes
// @param is_thick  whether layers do: otherwise the body needs samples of its surface
// Whether walls of a body may be at a place, where the body is at home: not beyond sides that have walls themselves,
// but for those through which the body may move.
bool mote_solid_may_have_walls(const mote_simulation *simulation, const wall_request *request, const point_list *walls,
                               mote_vec3 place);
mote_result mote_solid_make_layers(mote_simulation *simulation, const mote_hits *hits, mote_box box,
                                   const wall_request *request, point_list *walls, bool *is_thick);

// solid_flat.c: solids in 2D. Whether a mesh is a prism whose vertices are all as far from the plane y = 0.
bool mote_solid_is_flat(const mote_mesh *mesh);
// The same prism, so deep that its ends are farther away than the reach [m].
mote_result mote_solid_deepen(mote_context *context, const mote_mesh *mesh, double reach, mote_mesh **deep,
                              mote_error *error);
double mote_solid_outline_length(const mote_mesh *mesh);
// Points along the outline, evenly spread [m].
mote_result mote_solid_sample_outline(mote_context *context, const mote_mesh *mesh, double spacing,
                                      mote_buffer *positions, size_t *count);

// solid_cavities.c: counts the particles in cavities of a mesh.
// @param pose   of the body, whose mesh is at home; NULL: it has not moved
mote_result mote_solid_count_sealed(mote_context *context, const mote_mesh *mesh, const rigid_pose *pose,
                                    const mote_fluid_view *view, size_t *sealed);

// solid_images.c: the images of a body in a periodic box that may be near a place: whoever adds a shift to a place sees
// the body as it is seen from there.
typedef struct body_images {
    double first[3], width[3];  // the shifts along each axis: first, and so much more for each further one [m]
    size_t along[3], count;     // how many, and their product
} body_images;
// @param reach   beyond the ball of this radius around the center [m]
body_images mote_body_images_near(const mote_period_def *period, mote_vec3 center, double reach, mote_vec3 place);
mote_vec3 mote_body_image_shift(const body_images *images, size_t k);

// cube_share.c: the part of a cube, in 2D of a square, that lies in a body, and the centre of mass of that part.
// @param distance  as object_kind's, without the direction
// @param center    may be NULL; left alone where the part is 0
typedef double cube_distance(const void *body, mote_vec3 place, double reach);
double mote_cube_share(cube_distance *distance, const void *body, mote_vec3 middle, double edge, int dimensions,
                       mote_vec3 *center);

// fit.c: makes room for bodies in the fluid at the start.
// @param removed  receives how many particles these displace
mote_result mote_simulation_fit_fluid(mote_simulation *simulation, mote_fluid *fluid, size_t *removed,
                                      mote_error *error);

// A body that acts by a field, as far as it is in the tank, or may come there: what is beyond other sides is theirs.
typedef struct body_in_tank {
    const simulation_object *object;
    bool has_tank;
    mote_tank_def tank;  // without sides through which the body may move
    int dimensions;
    earlier_bodies earlier;
} body_in_tank;
// fluid.c: how far a place is from that.
void mote_body_in_tank_distance(const void *body, mote_vec3 place, double reach, double *distance, mote_vec3 *normal);
// field_store.c: whether a store is whole; adds the body's field, from the store if that has it.
// @param store   NULL: there is none
mote_result mote_field_check_store(const mote_wall_field_store *store, mote_error *error);
mote_result mote_field_add_body(mote_fluid *fluid, uint32_t boundary, mote_box box, const body_in_tank *body,
                                const mote_wall_field_store *store, mote_error *error);

// tank.c: the number of wall particles of a tank; 0 for one that is open on all sides, or whose kind has none.
double mote_tank_wall_count(const mote_tank_def *tank, int dimensions, double spacing, double support);
bool mote_tank_contains(const mote_tank_def *tank, int dimensions, mote_vec3 position);
bool mote_tank_is_open(const mote_tank_def *tank, int side);
// tank_field.c: the bodies behind closed sides; adds them to a fluid, each to the boundary of its side.
void mote_tank_make_slabs(const mote_tank_def *tank, const wall_request *request, const bool moves[MOTE_WALL_PARTS],
                          point_list *walls);
mote_result mote_tank_add_fields(mote_fluid *fluid, const uint32_t boundaries[MOTE_WALL_PARTS],
                                 const point_list *walls, mote_error *error);
// The same without the sides across some axes.
mote_tank_def mote_tank_open_along(const mote_tank_def *tank, const bool axes[3]);
// How far a place is beyond the closed sides of a tank; below 0 inside.
double mote_tank_distance_beyond(const mote_tank_def *tank, int dimensions, mote_vec3 position);
// Whether there is a tank, at rest, and a box wholly beside it.
bool mote_tank_is_apart(const mote_simulation_def *def, mote_vec3 min, mote_vec3 max);

#endif
