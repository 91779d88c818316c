// SPDX-License-Identifier: MIT
/// mote/simulation.h: where fluids, tanks and solid meshes meet.
///
/// A simulation is made from plain def structs, which the caller fills or a scene file describes (scene.h), and is then
/// advanced step by step. It covers the walls of the tank and the solids with wall particles, removes fluid particles
/// that a solid overlaps at the start, and makes sure that no particle ever ends inside a solid or beyond a wall. There
/// may be a fluid, grains, or both. Grains collide with the solids and the tank only.
///
/// SI units; z is up. In 2D everything lies in the plane y = 0. examples/simulation.c is a whole program.
#ifndef MOTE_SIMULATION_H
#define MOTE_SIMULATION_H

#include "mote/boundary.h"
#include "mote/grains.h"
#include "mote/mesh.h"
#include "mote/opening.h"
#include "mote/tension.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mote_simulation mote_simulation;

enum { MOTE_OBJECT_ARRAYS = 16, MOTE_OBJECT_GROUPS = 16 };  ///< of a view of particles, at most

/// A box with up to six walls.
typedef struct mote_tank_def {
    mote_vec3 min, max;  ///< [m]; y is not used in 2D
    bool open_x_min, open_x_max, open_y_min, open_y_max, open_z_min, open_z_max;
    double restitution;  ///< of the normal velocity of a particle that reaches a wall, 0 … 1
    double friction;     ///< Coulomb's coefficient for its tangential velocity
    bool slip, slip_x_min, slip_x_max, slip_y_min, slip_y_max, slip_z_min, slip_z_max;  ///< no viscosity there
    mote_belt belts[6];      ///< its sides, in the order above
    mote_motion motion;      ///< of the tank as a whole
    mote_piston pistons[6];  ///< of its sides, in the order above; the sides beside one that moves go on behind it
    int32_t boundary;        ///< a mote_boundary_kind
} mote_tank_def;

/// What a block is.
typedef enum mote_block_shape {
    MOTE_SHAPE_BOX,       ///< from `min` to `max`
    MOTE_SHAPE_BALL,      ///< `radius` around `center`; in 2D a disc
    MOTE_SHAPE_CYLINDER,  ///< `radius` around a line along `axis` through `center`, `height` long; in 2D cut by y = 0
    MOTE_SHAPE_POINTS     ///< particles at `points`
} mote_block_shape;

/// Fluid at the start. Its particles form a lattice with the fluid's spacing, unless they are given. In a box they lie
/// half a spacing inside. Where the box reaches from one wall of the tank to the other, the lattice is stretched to
/// fit, and along the other axes so that particles keep their volume. The lattice of a ball or a cylinder has the
/// shape's middle; its particles are those that lie inside.
/// Where a block of another fluid overlaps earlier ones, it takes their place.
/// A text of `velocity_text` or `pressure` is an expression (expression.h) in x, y, z, the position of a particle.
/// A block of zeros is a box at rest with the pressure of water at rest.
typedef struct mote_block_def {
    mote_vec3 min, max;  ///< [m] of a box
    mote_vec3 velocity;  ///< [m/s]
    const char *velocity_text[3];  ///< where not NULL, this component's expression
    int32_t shape;       ///< a mote_block_shape
    mote_vec3 center;    ///< [m] of a ball or a cylinder; y is not used in 2D
    double radius;       ///< [m] of a ball or a cylinder
    mote_vec3 axis;      ///< of a cylinder; of any length but 0
    double height;       ///< [m] of a cylinder
    const char *points_file;  ///< for the caller: the file with the points
    const double *points;     ///< 3 · point_count [m]; not owned, read while a simulation is created
    size_t point_count;
    const char *pressure;  ///< [Pa], an expression; "hydrostatic" or NULL: that of the water above in the block, which
                           ///< compresses a box of the only fluid; only with MOTE_DENSITY_CONTINUITY
    const char *fluid;     ///< its name among several
} mote_block_def;

/// A solid, which stays or moves as it is told. The simulation uses `mesh`. The caller makes it, from a file, from
/// spheres or from its shape (mesh.h); the fields that describe how are for the caller. In 2D the mesh is a prism along
/// y whose vertices are all as far from the plane y = 0, which cuts the solid out of it.
typedef struct mote_solid_def {
    const char *name;
    const char *mesh_file;     ///< for the caller; NULL or "": there is none
    double weld;               ///< for the caller: vertices of the scaled mesh within this distance are to be merged;
                               ///< 0: those at the same place (mote_mesh_weld_within); NaN: none [m]
    mote_spheres_def spheres;  ///< if the count is not 0, the solid consists of spheres; wall particles lie on them
    mote_shape shape;          ///< for the caller; NaN where not set
    const mote_mesh *mesh;     ///< placed; must be closed if there is fluid; not owned, must outlive the simulation
    mote_placement placement;  ///< for the caller
    mote_vec3 cut_point, cut_normal;  ///< for the caller: see mote_mesh_cut; a normal of 0: no cut
    double restitution, friction;
    mote_motion motion;  ///< from its placement on
    int32_t boundary;    ///< a mote_boundary_kind
    mote_look_def look;      ///< for pictures; the simulation does not use it
} mote_solid_def;

/// What a gauge measures.
typedef enum mote_gauge_kind {
    MOTE_GAUGE_PRESSURE,       ///< mean pressure of the fluid around a place
    MOTE_GAUGE_WALL_PRESSURE,  ///< mean pressure on the wall around a place; NaN where one that moves has left walls
    MOTE_GAUGE_VELOCITY,       ///< mean velocity of the fluid around a place
    MOTE_GAUGE_HEIGHT,         ///< z of the surface on a vertical line
    MOTE_GAUGE_FRONT,          ///< how far the fluid has come along a direction
    MOTE_GAUGE_FLOW,           ///< volume that passes a rectangle
    MOTE_GAUGE_ENERGY,         ///< kinetic, potential and elastic energy
    MOTE_GAUGE_EXTREMES,       ///< highest speed and Mach number, density variation
    MOTE_GAUGE_FORCE,          ///< on a side of the tank or a solid
    MOTE_GAUGE_MOMENT          ///< of that force
} mote_gauge_kind;

/// A gauge measures the fluid while the simulation runs: at the start, and then after each step or every so many
/// seconds, after the first step that ends then or later. Each measurement is a row of values
/// (mote_simulation_get_gauge). What a kind needs besides its name says mote_gauge_kind_at; anything else stays unset.
typedef struct mote_gauge_def {
    const char *name;     ///< not copied, must outlive the simulation
    int32_t kind;         ///< a mote_gauge_kind
    double every;         ///< from one row to the next [s]; 0: after each step
    mote_vec3 at;         ///< a place [m]; NaN: not set. Its y is ignored in 2D
    const char *at_text[3];  ///< where not NULL, this component's expression (expression.h) of the time t [s] of a row
    mote_vec3 min, max;   ///< a box or a rectangle [m]; NaN: not set
    mote_vec3 direction;  ///< NaN: not set
    const char *of;       ///< "x_min" … "z_max", or the name of a solid; NULL: not set
} mote_gauge_def;

typedef struct mote_simulation_def {
    mote_fluid_def fluid;
    mote_phase_def phase;  ///< sound_speed NaN: derived from depth and the fastest block
    const mote_named_phase *fluids;  ///< instead of `phase`; a sound_speed NaN: that of the others' ρ0 c²
    const mote_named_tension *tensions;
    size_t fluid_count, tension_count;
    bool has_tank;
    mote_tank_def tank;
    bool has_periodic;
    mote_period_def periodic;  ///< needs the fluid's solver "weak"
    const mote_block_def *blocks;
    size_t block_count;
    const mote_solid_def *solids;
    size_t solid_count;
    const mote_damping_def *damping;
    const mote_open_end *inlets, *outlets;  // opening.h
    const mote_named_drain *drains;
    size_t damping_count, inlet_count, outlet_count, drain_count;
    bool has_grains;
    mote_grains_def grains;  ///< gravity and seed are the simulation's
    const mote_gauge_def *gauges;
    size_t gauge_count;
    const mote_wall_field_store *field_store;  ///< boundary.h; NULL: fields are computed each time
    uint64_t seed;  ///< of the points spread over meshes, and of grains
    uint32_t cookie;  ///< set by the default function; tells that it was called
} mote_simulation_def;

MOTE_API mote_simulation_def mote_simulation_default_def(void);

/// A part of the def: a struct in it, or a list of structs that it points to. Code that reads, prints or stores a def
/// loops over its parts.
typedef struct mote_simulation_part {
    const char *name;  ///< "fluid", "tank", "blocks", "solids", "grains", "gauges": its key in scenes
    const mote_field_table *(*fields)(void);
    size_t size;          ///< bytes of a struct
    size_t offset;        ///< in the def: of the struct, or of the pointer to the list
    size_t count_offset;  ///< in the def: of the size_t that counts a list; 0: it is no list
    size_t has_offset;    ///< in the def: of the bool that says whether it is there; 0: it always is
    bool is_required;     ///< unless a part is there that stands alone
    bool stands_alone;    ///< needs no other part
    const char *instead;  ///< the name of a part beside which it is not required; NULL: there is none
    void (*use_presets)(void *part);  ///< gives fields the defaults of the presets that are set; NULL: has none
} mote_simulation_part;

/// The parts by index from 0; NULL beyond the last.
MOTE_API const mote_simulation_part *mote_simulation_part_at(size_t index);
/// The structs of a part in a def, one behind the other.
/// @param count    receives their number, 0 where the part is not there
MOTE_API const void *mote_simulation_part_structs(const mote_simulation_def *def, const mote_simulation_part *part,
                                                  size_t *count);

/// The spacing that a simulation uses [m]: fluid.spacing, or if that is NaN and there are only grains, their size.
MOTE_API double mote_simulation_resolve_spacing(const mote_simulation_def *def);

/// Its parts, whose default functions leave what has no default NaN or NULL.
MOTE_API mote_tank_def mote_tank_default_def(void);
MOTE_API mote_block_def mote_block_default_def(void);
/// The smallest box around a block; in 2 dimensions a ball or a cylinder is cut by the plane y = 0.
MOTE_API mote_box mote_block_box(const mote_block_def *block, int dimensions);
MOTE_API mote_solid_def mote_solid_default_def(void);
MOTE_API mote_gauge_def mote_gauge_default_def(void);
MOTE_API const mote_field_table *mote_tank_fields(void);
MOTE_API const mote_field_table *mote_block_fields(void);
MOTE_API const mote_field_table *mote_solid_fields(void);
MOTE_API const mote_field_table *mote_gauge_fields(void);

MOTE_API mote_result mote_simulation_create(mote_context *context, const mote_simulation_def *def,
                                            mote_simulation **simulation, mote_error *error);
MOTE_API void mote_simulation_destroy(mote_simulation *simulation);

/// Fills in what a simulation derived from other values, in a copy of the def that it was made from: the spacing, the
/// speed of sound, the support.
MOTE_API void mote_simulation_resolve_def(const mote_simulation *simulation, mote_simulation_def *def);

/// Makes one step of the largest stable length, but at most max_dt.
/// @param dt   receives its length [s]; may be NULL
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, MOTE_ERROR_UNSTABLE (mote_simulation_watch), MOTE_ERROR_OUT_OF_MEMORY or what
///         else keeps objects from moving. Some of them may have moved then, without the others: destroy the
///         simulation, or let it read a state (mote_simulation_read)
MOTE_API mote_result mote_simulation_step(mote_simulation *simulation, double max_dt, double *dt, mote_error *error);

/// Makes steps until exactly `time`. Calls `stop` (may be NULL) after every step, and returns early with MOTE_OK if it
/// returns true. Fails as mote_simulation_step does.
typedef bool mote_simulation_stop(void *user_data, const mote_simulation *simulation);
MOTE_API mote_result mote_simulation_run_until(mote_simulation *simulation, double time, mote_simulation_stop *stop,
                                               void *user_data, mote_error *error);

/// Evaluates the present state and says whether it is sound, as every step does before it moves anything: all numbers
/// finite, no particle of the fluid faster than half its speed of sound or compressed by more than 20 %, and a stable
/// step that has not collapsed. Costs nothing else, as the next step needs the same evaluation.
/// @return MOTE_OK, MOTE_ERROR_UNSTABLE (the error's index is the particle's id), or why it cannot be evaluated
MOTE_API mote_result mote_simulation_watch(mote_simulation *simulation, mote_error *error);

/// The particle for which a simulation ended with MOTE_ERROR_UNSTABLE.
typedef struct mote_failure {
    uint64_t id;
    mote_vec3 position;     ///< [m]; NaN, as speed and density: it was in the buffer of an opening
    double speed, density;  ///< [m/s], [kg/m³]
    double time;         ///< of the simulation [s]
    double reach;        ///< distance from it within which to look for the cause: a few kernel supports [m]
} mote_failure;
/// @return false if no call has ended so
MOTE_API bool mote_simulation_get_failure(const mote_simulation *simulation, mote_failure *failure);

/// The particles of a fluid and its walls near a place: arrays of `count`, the first of which is "position". Where
/// "wall" is 1 it is a wall particle, "id" its number, and only "position" and "volume" mean something.
typedef struct mote_surroundings {
    size_t count, array_count;
    mote_array arrays[MOTE_OBJECT_ARRAYS];
    void *memory;  ///< of the arrays
    size_t bytes;
    mote_context *context;
} mote_surroundings;
/// Finds the particles within `reach` [m] of a place, as they are, also after MOTE_ERROR_UNSTABLE. Release them in any
/// case. @return MOTE_OK, MOTE_ERROR_ARGUMENT or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_simulation_get_surroundings(const mote_simulation *simulation, mote_vec3 place, double reach,
                                                      mote_surroundings *surroundings, mote_error *error);
MOTE_API void mote_surroundings_release(mote_surroundings *surroundings);

MOTE_API double mote_simulation_time(const mote_simulation *simulation);
/// H: the height of the blocks at the start, from the floor of the tank if there is one [m]; 0 without gravity.
MOTE_API double mote_simulation_depth(const mote_simulation *simulation);
/// sqrt(|g| H), about the speed of what falls by H [m/s]; 0 without blocks or gravity.
MOTE_API double mote_simulation_reference_speed(const mote_simulation *simulation);
/// About how long a step will be [s], as an estimate for the whole run.
MOTE_API double mote_simulation_usual_step(const mote_simulation *simulation);
/// The fluid, for inspection. It has no particles if there are no blocks.
MOTE_API mote_fluid *mote_simulation_fluid(mote_simulation *simulation);
/// The grains; NULL if there are none.
MOTE_API const mote_grains *mote_simulation_grains(const mote_simulation *simulation);

/// The number of objects in a simulation: tank, solids, fluid and its wall particles, grains, gauges.
MOTE_API size_t mote_simulation_object_count(const mote_simulation *simulation);

/// What the particles of an object are: each a thing of its own; a liquid with a surface; what fills walls.
typedef enum mote_particle_role { MOTE_PARTICLES_APART, MOTE_PARTICLES_LIQUID, MOTE_PARTICLES_WALL } mote_particle_role;

/// The present state of an object.
typedef struct mote_object_view {
    const char *kind;      ///< "fluid", "boundary", "tank", "solid", "damping", "grains", "gauge"
    const char *name;      ///< for its files: "particles", "boundary", "grains", the name of a solid
    size_t count;          ///< number of particles, which may change
    size_t expected;       ///< number of moving particles, including those that are still to come
    double particle_size;  ///< diameter for pictures [m]; 0: they are not drawn
    mote_particle_role role;
    mote_vec3 color;       ///< of particles in pictures: red, green, blue, sRGB in 0 … 1; NaN: by speed
    size_t group_count;    ///< of particles that pictures tell apart, as the phases of a fluid; 0: they do not
    const uint8_t *groups;  ///< of each particle the number of its group
    mote_vec3 group_colors[MOTE_OBJECT_GROUPS];  ///< like `color`; NaN: the picture chooses
    bool is_fixed;         ///< count and arrays never change
    size_t array_count;    ///< number of arrays, which have a tuple for each particle. The first is "position" [m]. The
                           ///< order of particles may change if there is an "id", which then identifies them
    mote_array arrays[MOTE_OBJECT_ARRAYS];
    const mote_mesh *mesh;      ///< of a solid, or of sides of the tank that move, where it is now; NULL: none
    bool mesh_moves;            ///< with time
    const mote_look_def *look;  ///< of the mesh, for pictures
    const char *boundary;       ///< the kind of boundary by which it holds the fluid back; NULL: none
    const char *remark;         ///< what people who look at results should know, without a full stop; NULL: nothing
} mote_object_view;

/// Gives a view of an object, which is valid until the next call that advances the simulation.
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, or why the fluid cannot be evaluated
MOTE_API mote_result mote_simulation_get_object(mote_simulation *simulation, size_t object, mote_object_view *view,
                                                mote_error *error);

/// Gives an array of an object's particles by name, whether the view has it or not (mote_fluid_attribute_at). It has
/// the order of the view, and is valid as long as it.
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (it has no such array), MOTE_ERROR_UNSUPPORTED (an object of this kind has only
///         those of its view), or why the fluid cannot be evaluated
MOTE_API mote_result mote_simulation_get_array(mote_simulation *simulation, size_t object, const char *name,
                                               mote_array *array, mote_error *error);

/// A number that describes an object: a count, a total or an extreme value.
typedef struct mote_quantity {
    const char *name;  ///< "kinetic_energy", "grains_removed": the same for every object of a kind
    const char *unit;  ///< "" for a share of 1; NULL: it is a count, a whole number
    double value[3];
    int components;  ///< 1 or 3
    bool is_fixed;   ///< describes the start and never changes
    bool is_vital;   ///< shows how a run is going, and is worth printing for every frame
    const char *of;  ///< name of the inlet, outlet or drain, of which there may be several; NULL: not of one of these
} mote_quantity;

enum { MOTE_OBJECT_QUANTITIES = 16 };  ///< of an object, at most

/// Finds the quantities of an object as it is now. Costs a pass over its particles.
/// @param count    receives how many quantities were written
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, or why the fluid cannot be evaluated
MOTE_API mote_result mote_simulation_get_quantities(mote_simulation *simulation, size_t object,
                                                    mote_quantity quantities[MOTE_OBJECT_QUANTITIES], size_t *count,
                                                    mote_error *error);

enum { MOTE_GAUGE_VALUES = 4, MOTE_GAUGE_NEEDS = 4 };  ///< of a kind of gauges, at most

/// A value in the rows of a gauge.
typedef struct mote_gauge_value {
    const char *name;      ///< "x", "kinetic"; "" if the gauge has no other
    const char *quantity;  ///< "pressure": equal for values that can be compared
    const char *unit;      ///< "" for a share of 1
    const char *unit_2d;   ///< in 2D, where volumes, energies and forces are those of a metre along y
} mote_gauge_value;

/// A kind of gauges.
typedef struct mote_gauge_kind_info {
    const char *name, *meaning;
    const char *needs[MOTE_GAUGE_NEEDS];  ///< fields of mote_gauge_def that have to be set; ends with NULL
    const char *takes[MOTE_GAUGE_NEEDS];  ///< fields that may be set; ends with NULL
    size_t value_count;
    mote_gauge_value values[MOTE_GAUGE_VALUES];
} mote_gauge_kind_info;
/// The kinds in the order of mote_gauge_kind; NULL beyond the last.
MOTE_API const mote_gauge_kind_info *mote_gauge_kind_at(size_t index);

/// The latest row of a gauge.
typedef struct mote_gauge_view {
    const char *name;
    const mote_gauge_kind_info *kind;  ///< whose values these are
    double values[MOTE_GAUGE_VALUES];  ///< NaN: there was nothing to measure
    double time;                       ///< of the row [s]
    uint64_t row_count;                ///< rows so far: the gauge has a new row if it is larger than before
    int dimensions;                    ///< 2: units are those of 2D
} mote_gauge_view;
MOTE_API size_t mote_simulation_gauge_count(const mote_simulation *simulation);
/// @param gauge   its index in the def. @return MOTE_OK or MOTE_ERROR_ARGUMENT
MOTE_API mote_result mote_simulation_get_gauge(const mote_simulation *simulation, size_t gauge, mote_gauge_view *view,
                                               mote_error *error);

/// Work done so far by all objects.
typedef struct mote_simulation_counters {
    uint64_t steps, particle_steps;        ///< of the simulation; of all objects
    double search_seconds, total_seconds;  ///< spent in neighbour search; in steps
} mote_simulation_counters;
MOTE_API mote_simulation_counters mote_simulation_get_counters(const mote_simulation *simulation);

/// Writes the state of all objects, from which a simulation of the same def continues with the same bits, with any
/// number of threads. Machines with the same order of bytes can read it. Cost O(particles); allocates nothing.
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, or MOTE_ERROR_FILE if the sink returned false
MOTE_API mote_result mote_simulation_write(const mote_simulation *simulation, mote_sink *sink, void *user_data,
                                           mote_error *error);
/// Replaces the state of all objects by the one that was written. Needs memory for a copy of the present state.
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, MOTE_ERROR_FORMAT (damaged, cut short, or of a simulation with other objects
///         or another def of the fluid or the grains) or MOTE_ERROR_OUT_OF_MEMORY, which leave it as it was
MOTE_API mote_result mote_simulation_read(mote_simulation *simulation, const void *bytes, size_t length,
                                          mote_error *error);

/// The state that a simulation began with, instead of what its def describes.
typedef struct mote_simulation_origin {
    double time;               ///< of the other simulation [s]
    uint64_t steps;            ///< that it had made
    size_t particles, grains;  ///< that were taken over
    double sound_speed;        ///< of the other fluid [m/s]; 0: nothing was taken from it
} mote_simulation_origin;
/// Lets a simulation begin with the particles and grains of a state that another one wrote, whose walls, solids,
/// gravity and so on may have been others. All else, the time too, is what it was: call this before the first step.
/// Fluids need the same dimensions, solver, kind of steps, spacing, phases and rest densities; grains the same def.
/// Gauges begin again.
/// @param origin  receives what was taken over; may be NULL
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, MOTE_ERROR_FORMAT (damaged, cut short, of other particles, or with particles
///         inside a solid or beyond a wall) or MOTE_ERROR_OUT_OF_MEMORY; unless MOTE_OK the simulation is as it was
MOTE_API mote_result mote_simulation_read_start(mote_simulation *simulation, const void *bytes, size_t length,
                                                mote_simulation_origin *origin, mote_error *error);

/// Checks every invariant of all objects. MOTE_OK, or MOTE_ERROR_STATE with the broken one in the error.
MOTE_API mote_result mote_simulation_validate(mote_simulation *simulation, mote_error *error);
/// Bytes of all objects.
MOTE_API size_t mote_simulation_byte_count(const mote_simulation *simulation);
/// The number of particles that were removed at the start because a solid overlapped them.
MOTE_API size_t mote_simulation_removed_count(const mote_simulation *simulation);
/// Counts the particles inside a solid (mote_hits_is_inside), and the particles and grains beyond a wall. Both are 0
/// unless something is wrong. Costs a fraction of a step.
MOTE_API mote_result mote_simulation_count_escaped(mote_simulation *simulation, size_t *inside, size_t *beyond,
                                                   mote_error *error);

#ifdef __cplusplus
}
#endif

#endif
