// SPDX-License-Identifier: MIT
// simulation/internal.h: objects, their kinds, and what the files of the simulation share.
//
// A simulation is a list of objects. What differs between a fluid, a tank, a solid and grains is in their kinds, a
// const table of functions each (kinds.c): whoever steps, looks or counts loops over objects and knows no kind. And no
// kind knows another: what a particle meets is asked of all objects at once (obstacles.c).
#ifndef MOTE_SIMULATION_INTERNAL_H
#define MOTE_SIMULATION_INTERNAL_H

#include "base/internal.h"
#include "mote/hits.h"
#include "mote/response.h"
#include "mote/simulation.h"

// Points on their way into a fluid.
typedef struct point_list {
    mote_buffer positions, volumes;  // 3 doubles; in units of spacing^D
    size_t count;
    bool is_surface;  // samples of a surface: their volumes are the fluid's to find
} point_list;

// Who asks for walls that press on him: a fluid of this spacing and kernel support [m].
typedef struct wall_request {
    double spacing, support;
    int dimensions;
    uint64_t seed;
} wall_request;

typedef struct object_kind object_kind;

// How an object is called in files, what it is, and its own state.
typedef struct simulation_object {
    const object_kind *kind;
    const char *name;  // lasts as long as the def's texts
    void *state;
} simulation_object;

// What a kind of objects can do. All but name, create and destroy may be NULL: nothing, or no limit.
struct object_kind {
    const char *name;
    size_t state_bytes;

    // Refuses what is wrong in the def, before anything is made.
    mote_result (*check)(mote_context *context, const mote_simulation_def *def, mote_error *error);
    // Adds the objects of this kind that the def asks for: none, one or many.
    mote_result (*create)(mote_simulation *simulation, const mote_simulation_def *def, mote_error *error);
    // Once all objects are there: what they need of each other.
    mote_result (*connect)(mote_simulation *simulation, simulation_object *object, const mote_simulation_def *def,
                           mote_error *error);
    void (*destroy)(mote_simulation *simulation, void *state);

    // The longest stable step from here [s].
    mote_result (*stable_step)(mote_simulation *simulation, void *state, double *dt, mote_error *error);
    // The step of an object that cuts longer ones itself: taken where no other sets one [s].
    double (*usual_step)(const void *state);
    mote_result (*move)(mote_simulation *simulation, void *state, double dt, mote_error *error);

    // An obstacle keeps a particle that moves from `from` to `position` out. For many particles concurrently.
    void (*keep_out)(const void *state, mote_vec3 from, mote_vec3 *position, mote_vec3 *velocity);
    // Whether a place is on the side of all walls where particles may be.
    bool (*contains)(const void *state, mote_vec3 place);
    // Whether a place is inside of a body; and whether fluid may start there.
    bool (*is_inside)(const void *state, mote_vec3 place);
    bool (*is_clear)(const void *state, mote_vec3 place);
    // Walls for a fluid: points behind planes or on surfaces. Called once at most, before particles are kept out.
    mote_result (*make_walls)(mote_simulation *simulation, void *state, const wall_request *request, point_list *walls,
                              mote_error *error);
    const mote_mesh *(*mesh)(const void *state);

    // Fills the view, whose name and kind are there.
    mote_result (*look)(mote_simulation *simulation, void *state, mote_object_view *view, mote_error *error);
    // Writes what the object tells of itself; answers how many quantities these are.
    mote_result (*tell)(mote_simulation *simulation, void *state, mote_quantity quantities[MOTE_OBJECT_QUANTITIES],
                        size_t *count, mote_error *error);
    // Adds particle steps, and seconds spent in steps and in neighbour search.
    void (*count)(const void *state, mote_simulation_counters *counters);
    // Adds the particles that are where none may be.
    mote_result (*count_escaped)(mote_simulation *simulation, void *state, size_t *inside, size_t *beyond,
                                 mote_error *error);
    mote_result (*validate)(mote_simulation *simulation, void *state, mote_error *error);
    size_t (*byte_count)(const void *state);
};

// The table (kinds.c): a new kind is one file and one line there.
extern const object_kind *const mote_object_kinds[];
extern const size_t mote_object_kind_count;
extern const object_kind mote_kind_fluid, mote_kind_tank, mote_kind_solid, mote_kind_grains;

struct mote_simulation {
    mote_context *context;
    mote_buffer object_memory;
    simulation_object *objects;
    size_t object_count;
    double time;
    mote_simulation_counters counters;
    double depth;    // of the blocks at the start, down to the tank's floor [m]
    size_t removed;  // particles, at the start
};

static inline mote_quantity mote_quantity_make(const char *name, const char *unit, double value)
{
    return (mote_quantity){.name = name, .unit = unit, .value = {value, 0, 0}, .components = 1};
}

static inline mote_quantity mote_quantity_fixed(const char *name, const char *unit, double value)
{
    return (mote_quantity){.name = name, .unit = unit, .value = {value, 0, 0}, .components = 1, .is_fixed = true};
}

// objects.c: adds an object with a state of zeros. NULL where there is no memory, which the error says.
void *mote_simulation_add(mote_simulation *simulation, const object_kind *kind, const char *name, mote_error *error);
// The state of the first object of a kind; NULL if there is none.
void *mote_simulation_find(const mote_simulation *simulation, const object_kind *kind);

// ---------------------------------------------------------------------------------------------------- obstacles.c

// Leads a particle around all obstacles, or, where that fails, leaves it where it was, at rest.
void mote_obstacles_keep_out(const mote_simulation *simulation, mote_vec3 from, mote_vec3 *position,
                             mote_vec3 *velocity);
bool mote_obstacles_contain(const mote_simulation *simulation, mote_vec3 place);
bool mote_obstacles_are_clear(const mote_simulation *simulation, mote_vec3 place);
bool mote_obstacles_have_bodies(const mote_simulation *simulation);
// Of many places: how many are inside of a body, each body for itself.
mote_result mote_obstacles_count_inside(const mote_simulation *simulation, const mote_fluid_view *view, size_t *inside);

// ---------------------------------------------------------------------------------------------------- the fluid's

// forecast.c: refuses what nobody could number or hold, before anything is made.
mote_result mote_simulation_forecast(const mote_context *context, const mote_simulation_def *def, mote_error *error);
// Whether anything but grains is asked for.
bool mote_simulation_has_fluid(const mote_simulation_def *def);

// blocks.c: checks blocks against each other and the tank, and fills them with particles on their lattices.
mote_result mote_blocks_check(mote_context *context, const mote_simulation_def *def, mote_error *error);
double mote_blocks_count(const mote_simulation_def *def);  // particles
mote_result mote_blocks_fill(mote_context *context, mote_fluid *fluid, const mote_simulation_def *def,
                             mote_error *error);
mote_result mote_blocks_set_pressures(mote_context *context, mote_fluid *fluid, const mote_simulation_def *def,
                                      mote_error *error);

// tank.c: wall particles that a tank comes to, 0 for one that is open all round.
double mote_tank_wall_count(const mote_tank_def *tank, int dimensions, double spacing, double support);
bool mote_tank_contains(const mote_tank_def *tank, int dimensions, mote_vec3 position);

#endif
