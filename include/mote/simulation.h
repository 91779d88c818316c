// SPDX-License-Identifier: MIT
/// mote/simulation.h: where fluids, tanks and solid meshes meet.
///
/// A simulation is filled from plain def structs (by hand, or from a scene file: scene.h), then stepped. It owns its
/// fluid, spreads wall particles over tank sides and meshes, removes fluid that a solid overlaps at the start, and
/// sees to it that no particle ever ends inside a solid or beyond a wall. Grains, which feel the solids and the tank
/// alone, may come instead of a fluid or beside it.
///
/// SI units; z is up. In 2D everything lies in the plane y = 0.
#ifndef MOTE_SIMULATION_H
#define MOTE_SIMULATION_H

#include "mote/fluid.h"
#include "mote/grains.h"
#include "mote/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mote_simulation mote_simulation;

/// A box of six walls, seen from inside; each may be missing.
typedef struct mote_tank_def {
    mote_vec3 min, max;  ///< [m]; y is not looked at in 2D
    bool open_x_min, open_x_max, open_y_min, open_y_max, open_z_min, open_z_max;
    double restitution;  ///< of the normal velocity of a particle that reaches a wall, 0 … 1
    double friction;     ///< Coulomb's coefficient for its tangential velocity
} mote_tank_def;

/// A box of fluid on a lattice, at the start: of the spacing, but stretched to fit where the box reaches from one side
/// of the tank to the other, and along the other axes so that a particle keeps its volume.
typedef struct mote_block_def {
    mote_vec3 min, max;  ///< [m]; particles lie half a spacing inside
    mote_vec3 velocity;  ///< [m/s]
} mote_block_def;

/// A solid that does not move. The simulation reads `mesh`; where that comes from, a file or spheres (mesh.h), is for
/// whoever makes it.
typedef struct mote_solid_def {
    const char *name;
    const char *mesh_file;     ///< NULL or "": there is none
    double weld;               ///< for whoever makes it: within which distance vertices are merged, once the mesh is
                               ///< scaled; 0: at the same place (mote_mesh_weld_within); NaN: none are [m]
    mote_spheres_def spheres;  ///< a count of 0: there are none. Wall particles then lie on the spheres themselves
    const mote_mesh *mesh;     ///< placed; closed, if there is fluid; not owned, must outlive the simulation
    mote_placement placement;  ///< for whoever makes it
    mote_vec3 cut_point, cut_normal;  ///< for whoever makes it: see mote_mesh_cut; a normal of 0: it is not cut
    double restitution, friction;
    mote_look_def look;  ///< for whoever draws it; the simulation does not look at it
} mote_solid_def;

typedef struct mote_simulation_def {
    mote_fluid_def fluid;
    bool has_tank;
    mote_tank_def tank;
    const mote_block_def *blocks;
    size_t block_count;
    const mote_solid_def *solids;
    size_t solid_count;
    bool has_grains;
    mote_grains_def grains;  ///< gravity and seed are the simulation's
    uint64_t seed;  ///< of the points spread over meshes, and of grains
    uint32_t cookie;  ///< set by the default function; tells that it was called
} mote_simulation_def;

MOTE_API mote_simulation_def mote_simulation_default_def(void);

/// A part of the def: a struct in it, or a list of structs that it points to. Whoever reads, prints or stores a def
/// loops over its parts.
typedef struct mote_simulation_part {
    const char *name;  ///< "fluid", "tank", "blocks", "solids", "grains": its key in scenes
    const mote_field_table *(*fields)(void);
    size_t size;          ///< bytes of a struct
    size_t offset;        ///< in the def: of the struct, or of the pointer to the list
    size_t count_offset;  ///< in the def: of the size_t that counts a list; 0: it is no list
    size_t has_offset;    ///< in the def: of the bool that says whether it is there; 0: it always is
    bool is_required;     ///< unless a part is there that stands alone
    bool stands_alone;    ///< needs no other part
} mote_simulation_part;

/// The parts by index from 0; NULL beyond the last.
MOTE_API const mote_simulation_part *mote_simulation_part_at(size_t index);
/// The structs of a part in a def, one behind the other.
/// @param count    receives their number, 0 where the part is not there
MOTE_API const void *mote_simulation_part_structs(const mote_simulation_def *def, const mote_simulation_part *part,
                                                  size_t *count);

/// What stands for the fluid's spacing [m]: fluid.spacing, or where that is open (NaN) and there are grains alone, the
/// grains' size.
MOTE_API double mote_simulation_resolve_spacing(const mote_simulation_def *def);

/// Its parts, whose default functions leave what has no default NaN or NULL.
MOTE_API mote_tank_def mote_tank_default_def(void);
MOTE_API mote_block_def mote_block_default_def(void);
MOTE_API mote_solid_def mote_solid_default_def(void);
MOTE_API const mote_field_table *mote_tank_fields(void);
MOTE_API const mote_field_table *mote_block_fields(void);
MOTE_API const mote_field_table *mote_solid_fields(void);

MOTE_API mote_result mote_simulation_create(mote_context *context, const mote_simulation_def *def,
                                            mote_simulation **simulation, mote_error *error);
MOTE_API void mote_simulation_destroy(mote_simulation *simulation);

/// One step, at most max_dt long.
/// @param dt   receives its length [s]; may be NULL
MOTE_API mote_result mote_simulation_step(mote_simulation *simulation, double max_dt, double *dt, mote_error *error);

/// Steps until `time` exactly: what remains is cut into equal steps. Returns early, with MOTE_OK, once `stop` (may be
/// NULL) answers true; it is asked after every step.
typedef bool mote_simulation_stop(void *user_data, const mote_simulation *simulation);
MOTE_API mote_result mote_simulation_run_until(mote_simulation *simulation, double time, mote_simulation_stop *stop,
                                               void *user_data, mote_error *error);

MOTE_API double mote_simulation_time(const mote_simulation *simulation);
/// H: how far the blocks reach against gravity at the start, from the tank's floor if that is lower [m]; 0 without
/// gravity. sqrt(g H) is the speed that others are measured by.
MOTE_API double mote_simulation_depth(const mote_simulation *simulation);
/// The fluid inside, to look at: without particles where there are no blocks.
MOTE_API mote_fluid *mote_simulation_fluid(mote_simulation *simulation);
/// The grains inside; NULL: there are none.
MOTE_API const mote_grains *mote_simulation_grains(const mote_simulation *simulation);

/// What a simulation is made of, one after the other: its tank, its solids, its fluid, its grains.
MOTE_API size_t mote_simulation_object_count(const mote_simulation *simulation);

enum { MOTE_OBJECT_ARRAYS = 8 };  ///< of a view, at most

/// An object as it is now.
typedef struct mote_object_view {
    const char *kind;      ///< "fluid", "tank", "solid", "grains"
    const char *name;      ///< that its files begin with: "particles", "grains", a solid's own
    size_t count;          ///< of its particles, which may differ from view to view
    double particle_size;  ///< diameter as drawn [m]; 0: it has no particles
    size_t array_count;    ///< of its particles, `count` long; the first is "position" [m]; those with an "id" may
                           ///< change their order, which then tells who is who
    mote_array arrays[MOTE_OBJECT_ARRAYS];
    const mote_mesh *mesh;  ///< of a solid; NULL: it has none
} mote_object_view;

/// Valid until the next call that steps the simulation.
/// @param object   below the number of objects
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, or why the fluid cannot be evaluated
MOTE_API mote_result mote_simulation_get_object(mote_simulation *simulation, size_t object, mote_object_view *view,
                                                mote_error *error);

/// A number that an object tells of itself: a count, a total, an extreme.
typedef struct mote_quantity {
    const char *name;  ///< "kinetic_energy", "grains_removed": the same for every object of a kind
    const char *unit;  ///< "" for a pure number; NULL: it is a count, a whole number
    double value[3];
    int components;  ///< 1 or 3
    bool is_fixed;   ///< told of the start: it never changes
} mote_quantity;

enum { MOTE_OBJECT_QUANTITIES = 16 };  ///< of an object, at most

/// What an object tells of itself now. Costs a pass over its particles.
/// @param count    receives how many quantities were written
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, or why the fluid cannot be evaluated
MOTE_API mote_result mote_simulation_get_quantities(mote_simulation *simulation, size_t object,
                                                    mote_quantity quantities[MOTE_OBJECT_QUANTITIES], size_t *count,
                                                    mote_error *error);

/// Work done so far by all objects.
typedef struct mote_simulation_counters {
    uint64_t steps;           ///< of the simulation
    uint64_t particle_steps;  ///< of all objects
    double search_seconds;    ///< spent in neighbour search
    double total_seconds;     ///< spent in steps
} mote_simulation_counters;
MOTE_API mote_simulation_counters mote_simulation_get_counters(const mote_simulation *simulation);

/// Checks every invariant of all objects. MOTE_OK, or MOTE_ERROR_STATE with the broken one in the error.
MOTE_API mote_result mote_simulation_validate(mote_simulation *simulation, mote_error *error);
/// Bytes of all objects.
MOTE_API size_t mote_simulation_byte_count(const mote_simulation *simulation);

/// Particles that were removed at the start because a solid overlapped them.
MOTE_API size_t mote_simulation_removed_count(const mote_simulation *simulation);
/// Particles that are inside a solid (mote_hits_is_inside), and those and grains beyond a wall now: 0 and 0, unless
/// something is wrong. Costs a fraction of a step.
MOTE_API mote_result mote_simulation_count_escaped(mote_simulation *simulation, size_t *inside, size_t *beyond,
                                                   mote_error *error);

#ifdef __cplusplus
}
#endif

#endif
