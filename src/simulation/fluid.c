// SPDX-License-Identifier: MIT
// The fluid in a simulation: filled from blocks, kept out of solids and in the tank. Its wall particles are an object
// of their own to those who look, named "boundary".

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/peek.h"
#include "fluid/section.h"
#include "simulation/internal.h"

static const double small_compression = 0.01;
static const double surface_filling = 0.8;  // of a support: less is a free surface

// What is known about the particles, and kept with them.
typedef struct fluid_record {
    uint64_t start_count, removed;  // at the start; removed before it, as solids overlapped them
    double fastest;                 // particle ever reported [m/s]
    fluid_peaks peaks;              // of all steps
    mote_vec3 momentum, given;      // momentum at the start; what gravity has given it since then [kg m/s]
} fluid_record;

typedef struct fluid_object {
    mote_fluid *fluid;
    bool has_blocks;         // without blocks there is never any fluid in the simulation
    double depth;            // of the blocks at the start, down to the tank's floor [m]
    double reference_speed;  // sqrt(|g| H), with the gravity of the start [m/s]
    fluid_record record;
    wall_shares shares;  // where bodies move
    char remark[384];  // settings that do nothing, or not what they say; "": none
} fluid_object;

typedef struct boundary_object {
    const mote_fluid *fluid;
} boundary_object;

static const object_kind kind_boundary;

bool mote_simulation_has_fluid(const mote_simulation_def *def)
{
    return def->block_count > 0 || def->inlet_count > 0 || !def->has_grains;
}

double mote_simulation_resolve_spacing(const mote_simulation_def *def)
{
    if (!def) return 0;
    return isnan(def->fluid.spacing) && !mote_simulation_has_fluid(def) ? def->grains.size : def->fluid.spacing;
}

static mote_result check(mote_context *context, const mote_simulation_def *def, mote_error *error)
{
    mote_result result = mote_fields_check(mote_fluid_section_fields(), &def->fluid, error);
    if (result == MOTE_OK) result = mote_mixture_check(def, error);
    if (result == MOTE_OK && def->has_periodic && !(def->periodic.x || def->periodic.y || def->periodic.z))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "periodic: none of x, y and z is true, expected the axes along which the fluid repeats "
                         "itself");
    return result == MOTE_OK ? mote_blocks_check(context, def, error) : result;
}

// ------------------------------------------------------------------------------------------------------- creation

// Ten times the highest speed that the fluid will reach: density then varies by about one percent.
static mote_result derive_sound_speed(mote_context *context, const mote_simulation_def *def, double depth,
                                      double *sound_speed, mote_error *error)
{
    double fastest = sqrt(mote_vec3_length(def->fluid.gravity) * depth), start;
    if (!mote_simulation_has_fluid(def)) fastest = 1;  // any value works
    const mote_result result = mote_blocks_find_speed(context, def, &start, error);
    if (result != MOTE_OK) return result;
    fastest = MOTE_MAX(fastest, start);
    const mote_result found = mote_openings_find_speed(context, def, &start, error);
    if (found != MOTE_OK) return found;
    fastest = MOTE_MAX(fastest, start);
    if (!(fastest > 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "fluid: sound_speed is not set, and cannot be derived as nothing sets the fluid in motion "
                         "(gravity, velocities of blocks or inlets), expected a number above 0 [m/s]");
    *sound_speed = 10 * fastest;
    const double most = mote_fields_find(mote_phase_fields(), "sound_speed")->max;
    if (*sound_speed <= most) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                     "fluid: sound_speed is not set, and ten times the highest speed of blocks, inlets and falling "
                     "water is %.4g, expected at most %.4g [m/s]",
                     *sound_speed, most);
}

// Names the fields that the solver does not read and that are not what the preset has.
static void note_unread(const mote_fluid_def *def, char *remark, size_t size)
{
    const char *solver = mote_fluid_solver_at((size_t)def->solver)->name;
    const mote_field_table *table = mote_fluid_fields();
    mote_fluid_def usual = mote_fluid_default_def();
    if (mote_fluid_choose_preset(&usual, def->preset, NULL) != MOTE_OK) return;
    for (size_t k = 0; k < table->count; ++k) {
        const mote_field *field = &table->fields[k];
        if (mote_fluid_solver_reads((size_t)def->solver, field->name)) continue;
        char own[64], other[64];
        mote_field_value_text(field, def, own, sizeof own);
        mote_field_value_text(field, &usual, other, sizeof other);
        const size_t length = strlen(remark);
        if (strcmp(own, other) == 0) continue;
        if (length == 0) snprintf(remark, size, "without effect with solver \"%s\": fluid.%s", solver, field->name);
        else snprintf(remark + length, size - length, ", fluid.%s", field->name);
    }
}

// Says if lists are kept that are not wanted.
static void note_lists(const fluid_object *object, const mote_fluid_def *def, char *remark, size_t size)
{
    if (!object->has_blocks || def->neighbor_lists != MOTE_LISTS_NONE || !mote_fluid_keeps_lists(object->fluid)) return;
    const size_t length = strlen(remark);
    snprintf(remark + length, size - length,
             "%sfluid.neighbor_lists is none, but lists are kept, as summed densities, xsph, smagorinsky and gradients "
             "need them",
             length > 0 ? "; " : "");
}

// Whether a block fills a closed tank in which no gravity pulls and whose sides nothing passes: there is no free
// surface.
static bool is_confined(const mote_simulation_def *def)
{
    const mote_tank_def *tank = &def->tank;
    const mote_fluid_def *fluid = &def->fluid;
    const char *const *text = fluid->gravity_text;
    const bool is_flat = fluid->dimensions == 2;
    const bool has_gravity = mote_vec3_length(fluid->gravity) != 0 || text[0] || text[1] || text[2];
    const bool is_open = tank->open_x_min || tank->open_x_max || tank->open_z_min || tank->open_z_max ||
                         (!is_flat && (tank->open_y_min || tank->open_y_max));
    if (!def->has_tank || is_open || has_gravity || def->inlet_count || def->outlet_count || def->drain_count)
        return false;
    for (size_t k = 0; k < def->block_count; ++k) {
        const mote_box block = mote_box_grow(mote_block_box(&def->blocks[k], fluid->dimensions), fluid->spacing);
        const mote_vec3 low = {tank->min.x, is_flat ? 0 : tank->min.y, tank->min.z};
        const mote_vec3 high = {tank->max.x, is_flat ? 0 : tank->max.y, tank->max.z};
        if (def->blocks[k].shape == MOTE_SHAPE_BOX && mote_box_contains(block, low) && mote_box_contains(block, high))
            return true;
    }
    return false;
}

static mote_result create(mote_simulation *simulation, const mote_simulation_def *def, mote_error *error)
{
    double sound_speed = mote_mixture_phase(def, mote_mixture_reference(def)).sound_speed;
    mote_result result = MOTE_OK;
    const double depth = mote_blocks_depth(def);
    if (isnan(sound_speed)) result = derive_sound_speed(simulation->context, def, depth, &sound_speed, error);
    if (result != MOTE_OK) return result;
    fluid_object *object = mote_simulation_add(simulation, &mote_kind_fluid, "particles", error);
    if (!object) return MOTE_ERROR_OUT_OF_MEMORY;
    object->has_blocks = mote_simulation_has_fluid(def);
    object->depth = depth;
    object->reference_speed = sqrt(mote_vec3_length(def->fluid.gravity) * depth);
    result = mote_fluid_create(simulation->context, &def->fluid, &object->fluid, error);
    if (result == MOTE_OK && object->has_blocks) note_unread(&def->fluid, object->remark, sizeof object->remark);
    if (result == MOTE_OK && is_confined(def)) mote_fluid_set_confined(object->fluid);
    if (result == MOTE_OK) result = mote_mixture_add(object->fluid, def, sound_speed, error);
    if (result == MOTE_OK) mote_mixture_tell_step(simulation->context, object->fluid);
    if (result == MOTE_OK) note_lists(object, &def->fluid, object->remark, sizeof object->remark);
    if (result == MOTE_OK && def->has_periodic) result = mote_fluid_set_period(object->fluid, &def->periodic, error);
    if (result == MOTE_OK) result = mote_blocks_fill(simulation->context, object->fluid, def, error);
    if (result != MOTE_OK || !object->has_blocks) return result;
    boundary_object *boundary = mote_simulation_add(simulation, &kind_boundary, "boundary", error);
    if (!boundary) return MOTE_ERROR_OUT_OF_MEMORY;
    boundary->fluid = object->fluid;
    return MOTE_OK;
}

static void release_points(mote_context *context, point_list *points)
{
    mote_buffer_release(context, &points->positions);
    mote_buffer_release(context, &points->volumes);
    mote_buffer_release(context, &points->samples);
    mote_buffer_release(context, &points->parts);
}

// Makes parts of a wall that has one.
static mote_result reserve_parts(mote_context *context, point_list *walls, mote_error *error)
{
    if (walls->part_count != 1) return MOTE_OK;
    const size_t bytes = mote_bytes(walls->count, sizeof(uint32_t));
    const mote_result result = mote_buffer_reserve(context, &walls->parts, bytes, 0);
    if (result == MOTE_OK && bytes > 0) memset(walls->parts.data, 0, bytes);
    return mote_pass_memory(error, result, "simulation: wall particles");
}

void mote_body_in_tank_distance(const void *data, mote_vec3 place, double reach, double *distance, mote_vec3 *normal)
{
    const body_in_tank *own = data;
    *distance = own->object->kind->distance_alone(own->object->state, place, reach, normal);
    if (own->earlier.count > 0)
        *distance = MOTE_MAX(*distance, -mote_earlier_distance(&own->earlier, place, reach));
    if (own->has_tank) *distance = MOTE_MAX(*distance, mote_tank_distance_beyond(&own->tank, own->dimensions, place));
}

// Adds the parts of a wall as boundaries, and its points to them.
// @param first   receives the first of these boundaries
static mote_result add_wall(mote_fluid *fluid, const body_in_tank *body, const mote_wall_field_store *store,
                            point_list *walls, uint32_t *first, mote_error *error)
{
    uint32_t boundaries[MOTE_WALL_PARTS] = {0}, *parts = walls->parts.data;
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < walls->part_count && result == MOTE_OK; ++k)
        result = mote_fluid_add_boundary(fluid, &walls->of_parts[k], &boundaries[k], error);
    for (size_t i = 0; i < walls->count && parts; ++i) parts[i] = boundaries[parts[i]];
    if (result != MOTE_OK) return result;
    *first = boundaries[0];
    if (walls->are_slabs) return mote_tank_add_fields(fluid, boundaries, walls, error);
    if (walls->is_field)
        return mote_field_add_body(fluid, *first, walls->box, body, store, error);
    if (walls->samples.data)
        return mote_fluid_add_samples(fluid, walls->positions.data, walls->samples.data, parts, walls->count, error);
    return mote_fluid_add_boundary_walls(fluid, walls->positions.data, walls->is_surface ? NULL : walls->volumes.data,
                                         parts, walls->count, error);
}

// Adds the walls of an obstacle, as wall particles with pressure, or as a field.
// @param waits   receives whether it waits for others, and is to be asked again
static mote_result add_walls_of(mote_simulation *simulation, mote_fluid *fluid, const mote_simulation_def *scene,
                                const wall_request *request, size_t k, bool *waits, mote_error *error)
{
    simulation_object *object = &simulation->objects[k];
    point_list walls = {0};
    mote_result result = object->kind->make_walls(simulation, object->state, request, &walls, error);
    *waits = walls.waits;
    if (result == MOTE_OK && !walls.waits) {
        mote_openings_cut(simulation, &walls);
        result = reserve_parts(simulation->context, &walls, error);
        body_in_tank body = {object, scene->has_tank, mote_tank_open_along(&scene->tank, walls.through),
                             request->dimensions, {.count = 0}};
        if (walls.is_field)
            body.earlier = mote_earlier_bodies(simulation, object, request->spacing,
                                               scene->has_periodic ? &scene->periodic : NULL);
        if (result == MOTE_OK)
            result = add_wall(fluid, &body, scene->field_store, &walls, &object->boundary, error);
    }
    release_points(simulation->context, &walls);
    return result;
}

// Adds the walls of all obstacles.
static mote_result add_walls(mote_simulation *simulation, mote_fluid *fluid, const mote_simulation_def *scene,
                             mote_error *error)
{
    const mote_fluid_def def = mote_fluid_resolved_def(fluid);
    wall_request request = {def.spacing, def.support, def.dimensions, scene->seed, (mote_fluid_solver)def.solver,
                            scene->has_tank ? &scene->tank : NULL, false, NULL, false};
    const size_t bytes = mote_bytes(simulation->object_count, sizeof(bool));
    bool *asked = mote_allocate(simulation->context, bytes);
    if (!asked && bytes) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "simulation: no memory for walls");
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < simulation->object_count; ++k) asked[k] = simulation->objects[k].kind->make_walls;
    for (int round = 0; round < 2; ++round, request.is_last = true)
        for (size_t k = 0; k < simulation->object_count && result == MOTE_OK; ++k)
            if (asked[k]) result = add_walls_of(simulation, fluid, scene, &request, k, &asked[k], error);
    mote_release(simulation->context, asked, bytes);
    return result;
}

// ------------------------------------------------------------------------------------------------- at the start

// Shifting by a background pressure drives particles out of a free surface. Around those that have one, particles and
// walls fill half of the kernel's support.
static mote_result check_surface(mote_simulation *simulation, mote_fluid *fluid, mote_error *error)
{
    const mote_fluid_def def = mote_fluid_resolved_def(fluid);
    if (def.solver != MOTE_SOLVER_WEAK || def.shifting != MOTE_SHIFTING_TRANSPORT) return MOTE_OK;
    mote_fluid_view view;
    mote_result result = mote_fluid_get_view(fluid, &view, error);
    if (result != MOTE_OK || view.count == 0) return result;
    float *density = mote_allocate(simulation->context, view.count * sizeof *density);
    if (!density) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "fluid: no memory to look for a free surface");
    result = mote_fluid_sum_densities(fluid, density, error);
    size_t least = 0;
    for (size_t i = 1; i < view.count && result == MOTE_OK; ++i) {
        const bool is_lower = density[i] == density[least] && view.id[i] < view.id[least];
        if (density[i] < density[least] || is_lower) least = i;
    }
    const double filled = (double)density[least] / mote_fluid_resolved_phase(fluid, 0).rest_density;
    mote_release(simulation->context, density, view.count * sizeof *density);
    if (result != MOTE_OK || filled > surface_filling) return result;
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                     "fluid.shifting is \"transport\", expected \"free_surface\" or \"none\" where there is a free "
                     "surface: around the particle at (%.4g, %.4g, %.4g) %.0f %% are filled",
                     view.x[least], view.y[least], view.z[least], 100 * filled);
}

// The particles of a breaking dam are about twice as fast as the reference speed.
static double usual_step(const void *state)
{
    const fluid_object *object = state;
    return object->has_blocks ? mote_courant_step(object->fluid, 2 * object->reference_speed) : HUGE_VAL;
}

// Refuses fluid that obstacles do not take.
static mote_result check_obstacles(mote_simulation *simulation, const fluid_object *own, mote_error *error)
{
    const mote_fluid_view view = mote_fluid_peek(own->fluid);
    const double step = usual_step(own);
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < simulation->object_count && result == MOTE_OK; ++k) {
        const object_kind *kind = simulation->objects[k].kind;
        if (kind->check_start)
            result = kind->check_start(simulation, simulation->objects[k].state, &view, step, error);
    }
    return result;
}

// Adds the walls, where they are at the start, and makes room for bodies in the fluid.
static mote_result place_walls(mote_simulation *simulation, fluid_object *own, const mote_simulation_def *def,
                               size_t *removed, mote_error *error)
{
    mote_fluid *fluid = own->fluid;
    mote_result result = add_walls(simulation, fluid, def, error);
    if (result == MOTE_OK) result = mote_simulation_share_walls(simulation, fluid, def, &own->shares, error);
    if (result == MOTE_OK) result = mote_simulation_move_walls(simulation, 0, 0, error);
    if (result == MOTE_OK) result = mote_simulation_tell_motions(simulation, fluid, true, error);
    if (result == MOTE_OK && (mote_obstacles_have_bodies(simulation) || mote_simulation_has_motions(simulation)))
        result = mote_simulation_fit_fluid(simulation, fluid, removed, error);
    return result;
}

static mote_result connect(mote_simulation *simulation, simulation_object *object, const mote_simulation_def *def,
                           mote_error *error)
{
    fluid_object *state = object->state;
    size_t removed = 0;
    if (!state->has_blocks) return MOTE_OK;
    mote_result result = place_walls(simulation, state, def, &removed, error);
    if (result == MOTE_OK && removed && mote_fluid_peek(state->fluid).count == 0 && !mote_openings_exist(simulation))
        result = mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                           "blocks: all %zu particles of fluid are inside solids, expected some outside", removed);
    if (result == MOTE_OK) result = check_obstacles(simulation, state, error);
    state->record.removed = removed;
    // Once more, as particles have moved.
    if (result == MOTE_OK) result = mote_blocks_set_pressures(simulation->context, state->fluid, def, true, error);
    if (result == MOTE_OK) result = mote_openings_open(simulation, state->fluid, def, error);
    mote_fluid_view view;
    if (result == MOTE_OK) result = mote_fluid_get_view(state->fluid, &view, error);
    if (result == MOTE_OK) state->record.start_count = view.count;
    mote_fluid_totals totals;
    if (result == MOTE_OK) result = mote_fluid_get_totals(state->fluid, &totals, error);
    if (result == MOTE_OK) state->record.momentum = totals.momentum;
    if (mote_openings_exist(simulation)) state->record.momentum.x = NAN;  // what passes takes some along
    return result == MOTE_OK ? check_surface(simulation, state->fluid, error) : result;
}

static void destroy(mote_simulation *simulation, void *state)
{
    (void)simulation;
    mote_fluid_destroy(((fluid_object *)state)->fluid);
}

// --------------------------------------------------------------------------------------------------------- stepping

static watched_fluid watched(const mote_simulation *simulation, const fluid_object *object)
{
    return (watched_fluid){object->fluid, simulation->time, object->record.fastest, simulation->counters.steps,
                           object->reference_speed};
}

static mote_result stable_step(mote_simulation *simulation, void *state, double *dt, mote_error *error)
{
    fluid_object *object = state;
    *dt = HUGE_VAL;
    if (!object->has_blocks) return MOTE_OK;
    mote_fluid_totals totals;
    if (simulation->counters.steps == 0 && mote_fluid_get_totals(object->fluid, &totals, NULL) == MOTE_OK)
        object->record.fastest = MOTE_MAX(object->record.fastest, totals.max_speed);
    const watched_fluid fluid = watched(simulation, object);
    const mote_result result = mote_watch_fluid(simulation->context, &fluid, dt, &object->record.peaks,
                                                &simulation->failure, error);
    simulation->has_failed = result == MOTE_ERROR_UNSTABLE;
    return result;
}

// What guards the particles of a step.
typedef struct fluid_guards {
    const mote_simulation *simulation;
    const mote_fluid *fluid;
    mote_fluid *told;  // of impulses; NULL: nobody asks for them
    bool damps;        // something slows particles
    mote_simulation *moved;  // whose walls move; NULL: none do
    double dt;               // of the step [s]
} fluid_guards;

// Walls go where they are while particles move that take this part of a step.
static mote_result move_walls(void *user_data, double begin, double end, mote_error *error)
{
    const fluid_guards *guards = user_data;
    const double time = guards->moved->time;
    return mote_simulation_move_walls(guards->moved, time + begin * guards->dt, time + end * guards->dt, error);
}

static void keep_out(void *user_data, mote_vec3 from, mote_vec3 *position, mote_vec3 *velocity)
{
    const fluid_guards *guards = user_data;
    mote_obstacles_keep_out(guards->simulation, guards->told, from, position, velocity);
    if (guards->damps && !mote_fluid_is_divided(guards->fluid))
        mote_dampers_slow(guards->simulation, *position, velocity);
}

static void keep_out_and_show(void *user_data, mote_vec3 from, mote_vec3 *position, mote_vec3 *velocity)
{
    const fluid_guards *guards = user_data;
    keep_out(user_data, from, position, velocity);
    mote_watchers_see(guards->simulation, from, *position);
}

static void slow(const void *user_data, mote_vec3 place, mote_vec3 *velocity)
{
    mote_dampers_slow(user_data, place, velocity);
}

// What gravity gives the fluid in a step.
static void add_gravity(fluid_object *object, double dt)
{
    const mote_fluid_view view = mote_fluid_peek(object->fluid);
    double mass = mote_fluid_particle_mass(object->fluid) * (double)view.count;
    if (mote_fluid_phase_count(object->fluid) > 1) mass = 0;
    for (size_t i = 0; mote_fluid_phase_count(object->fluid) > 1 && i < view.count; ++i)
        mass += mote_fluid_phase_mass(object->fluid, view.phase[i]);
    const mote_vec3 gravity = mote_fluid_resolved_def(object->fluid).gravity;
    object->record.given = mote_vec3_add_scaled(object->record.given, gravity, mass * dt);
}

// Global steps see gravity at their ends only.
static mote_result tell_gravity(const mote_simulation *simulation, mote_fluid *fluid, double time, mote_error *error)
{
    mote_vec3 gravity;
    if (!simulation->gravity.varies || mote_fluid_resolved_def(fluid).steps == MOTE_STEPS_GLOBAL) return MOTE_OK;
    const mote_result result = mote_gravity_at(&simulation->gravity, time, &gravity, error);
    if (result == MOTE_OK) mote_fluid_tell_gravity(fluid, gravity);
    return result;
}

static mote_result move(mote_simulation *simulation, void *state, double dt, mote_error *error)
{
    fluid_object *object = state;
    if (!object->has_blocks) return MOTE_OK;
    mote_fluid_mover *mover = mote_watchers_exist(simulation) ? keep_out_and_show : keep_out;
    fluid_guards guards = {simulation, object->fluid, mote_fluid_wants_impulses(object->fluid) ? object->fluid : NULL,
                           mote_dampers_exist(simulation), NULL, dt};
    mote_error own = {0};
    mote_result result = mote_simulation_tell_motions(simulation, object->fluid, false, error);
    if (result == MOTE_OK) result = tell_gravity(simulation, object->fluid, simulation->time + dt, error);
    if (result != MOTE_OK) return result;
    if (mote_simulation_has_motions(simulation)) guards.moved = simulation;
    if (mover == keep_out && !guards.damps && !guards.moved)
        mote_obstacles_tell_free_ways(simulation, object->fluid);
    if (guards.moved) mote_fluid_announce(object->fluid, move_walls);
    result = mote_fluid_advance(object->fluid, dt, mover, &guards, error ? error : &own);
    if (result == MOTE_OK && guards.moved && mote_fluid_is_divided(object->fluid))
        result = move_walls(&guards, 0, 1, error);
    if (result == MOTE_OK && guards.damps && mote_fluid_is_divided(object->fluid))
        mote_fluid_change_velocities(object->fluid, slow, simulation);
    if (result == MOTE_OK) add_gravity(object, dt);
    mote_watchers_settle(simulation, result == MOTE_OK || result == MOTE_ERROR_UNSTABLE);
    if (result != MOTE_ERROR_UNSTABLE && result != MOTE_ERROR_NOT_FINITE) return result;
    const watched_fluid fluid = watched(simulation, object);
    simulation->has_failed = true;
    return mote_watch_lost(&fluid, error ? error->index : own.index, dt, &simulation->failure, error);
}

// ---------------------------------------------------------------------------------------------------- looking at it

static mote_result look(mote_simulation *simulation, void *state, mote_object_view *view, mote_error *error)
{
    (void)simulation;
    const fluid_object *object = state;
    mote_fluid_view fluid;
    mote_result result = mote_fluid_get_view(object->fluid, &fluid, error);
    if (result != MOTE_OK) return result;
    if (!object->has_blocks) return MOTE_OK;
    view->count = view->expected = fluid.count;
    view->particle_size = mote_fluid_resolved_def(object->fluid).spacing;
    view->role = MOTE_PARTICLES_LIQUID;
    view->color = mote_fluid_resolved_phase(object->fluid, 0).color;
    _Static_assert((int)MOTE_PHASES_MOST <= (int)MOTE_OBJECT_GROUPS, "a group for each phase");
    if (mote_fluid_phase_count(object->fluid) > 1) {
        view->group_count = mote_fluid_phase_count(object->fluid);
        view->groups = fluid.phase;
        for (uint32_t k = 0; k < view->group_count; ++k)
            view->group_colors[k] = mote_fluid_resolved_phase(object->fluid, k).color;
    }
    const mote_array arrays[] = {
        mote_array_axes("position", MOTE_ARRAY_F64, fluid.x, fluid.y, fluid.z),
        mote_array_scalars("id", MOTE_ARRAY_U64, fluid.id),
        mote_array_axes("velocity", MOTE_ARRAY_F32, fluid.vx, fluid.vy, fluid.vz),
        mote_array_scalars("density", MOTE_ARRAY_F32, fluid.density),
        mote_array_scalars("pressure", MOTE_ARRAY_F32, fluid.pressure),
        mote_array_scalars("phase", MOTE_ARRAY_U8, fluid.phase),  // of several
    };
    static const char *const units[] = {"m", "", "m/s", "kg/m^3", "Pa", ""};
    view->array_count = sizeof arrays / sizeof *arrays - (mote_fluid_phase_count(object->fluid) < 2);
    for (size_t a = 0; a < view->array_count; ++a) {
        view->arrays[a] = arrays[a];
        view->arrays[a].unit = units[a];
    }
    return MOTE_OK;
}

static mote_result get_array(void *state, const char *name, mote_array *array, mote_error *error)
{
    return mote_fluid_get_array(((fluid_object *)state)->fluid, name, array, error);
}

// The speed of sound that keeps compression under 1 %. The pressure of water that hits something is ρ c u, so that its
// compression u/c falls as 1/c; that of depth and of a steady flow falls as 1/c², and less is enough.
static double needed_sound_speed(double c, const fluid_peaks *peaks)
{
    return c * peaks->compression / small_compression;
}

static mote_result tell(mote_simulation *simulation, void *state, mote_quantity quantities[MOTE_OBJECT_QUANTITIES],
                        size_t *count, mote_error *error)
{
    (void)simulation;
    fluid_object *object = state;
    if (!object->has_blocks) return MOTE_OK;
    mote_fluid_totals totals;
    mote_fluid_view view;
    mote_result result = mote_fluid_get_totals(object->fluid, &totals, error);
    if (result == MOTE_OK) result = mote_fluid_get_view(object->fluid, &view, error);
    if (result != MOTE_OK) return result;
    const double *positions, *volumes;
    size_t walls;
    mote_fluid_get_walls(object->fluid, &positions, &volumes, &walls);
    const mote_vec3 momentum = totals.momentum;
    const mote_vec3 drift =
        mote_vec3_sub(mote_vec3_sub(momentum, object->record.momentum), object->record.given);
    const double reference = object->reference_speed;
    fluid_record *record = &object->record;
    record->fastest = MOTE_MAX(record->fastest, totals.max_speed);
    const double c = mote_fluid_resolved_phase(object->fluid, 0).sound_speed;
    // In 2D, all is that of a metre along y.
    const bool is_flat = mote_fluid_resolved_def(object->fluid).dimensions == 2;
    const char *const mass = is_flat ? "kg/m" : "kg", *const energy = is_flat ? "J/m" : "J";
    const char *const impulse = is_flat ? "kg/s" : "kg m/s";
    const mote_quantity all[] = {
        mote_quantity_fixed("particles", NULL, (double)record->start_count),
        mote_quantity_fixed("wall_particles", NULL, (double)walls),
        mote_quantity_fixed("removed", NULL, (double)record->removed),
        mote_quantity_fixed("particle_mass", mass, mote_fluid_particle_mass(object->fluid)),
        mote_quantity_make("particles", NULL, (double)view.count),
        mote_quantity_make("max_speed", "m/s", totals.max_speed),
        mote_quantity_vital("mean_compression", "", totals.mean_compression),
        mote_quantity_make("max_compression", "", totals.max_compression),
        mote_quantity_make("kinetic_energy", energy, totals.kinetic_energy),
        mote_quantity_make("potential_energy", energy, totals.potential_energy),
        {.name = "momentum", .unit = impulse, .value = {momentum.x, momentum.y, momentum.z}, .components = 3},
        mote_quantity_make("peak_mach", "", record->peaks.speed / c),
        mote_quantity_make("peak_compression", "", record->peaks.compression),
        mote_quantity_make("needed_sound_speed", "m/s", needed_sound_speed(c, &record->peaks)),
    };
    _Static_assert(sizeof all / sizeof *all + 2 <= MOTE_OBJECT_QUANTITIES, "room for all");
    memcpy(quantities, all, sizeof all);
    *count = sizeof all / sizeof *all;
    if (reference > 0)
        quantities[(*count)++] = mote_quantity_vital("max_speed_ratio", "sqrt(gH)", totals.max_speed / reference);
    if (walls == 0 && mote_fluid_field_count(object->fluid) == 0 && !isnan(drift.x))  // what walls take is no drift
        quantities[(*count)++] =
            (mote_quantity){"momentum_drift", impulse, {drift.x, drift.y, drift.z}, 3, false, false, NULL};
    return MOTE_OK;
}

static void count(const void *state, mote_simulation_counters *counters)
{
    const fluid_object *object = state;
    if (!object->has_blocks) return;
    const mote_fluid_counters fluid = mote_fluid_get_counters(object->fluid);
    counters->particle_steps += fluid.particle_steps;
    counters->search_seconds += fluid.search_seconds;
    counters->total_seconds += fluid.total_seconds;
}

static mote_result count_escaped(mote_simulation *simulation, void *state, size_t *inside, size_t *beyond,
                                 mote_error *error)
{
    const fluid_object *object = state;
    mote_fluid_view view;
    size_t within = 0;
    mote_result result = mote_fluid_get_view(object->fluid, &view, error);
    if (result != MOTE_OK) return result;
    result = mote_obstacles_count_inside(simulation, &view, &within);
    *inside += within;
    for (size_t i = 0; i < view.count; ++i)
        *beyond += !mote_obstacles_contain(simulation, mote_vec3_make(view.x[i], view.y[i], view.z[i]));
    return mote_pass_memory(error, result, "simulation: counting escaped particles");
}

static mote_result write(const void *state, mote_sink *sink, void *user_data, mote_error *error)
{
    const fluid_object *object = state;
    if (!sink(user_data, &object->record, sizeof object->record))
        return mote_fail(error, MOTE_ERROR_FILE, 0, "fluid: the bytes were not taken");
    return mote_fluid_write(object->fluid, sink, user_data, error);
}

static mote_result refuse_cut(mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: cut short");
}

static mote_result read(void *state, const void *bytes, size_t length, mote_error *error)
{
    fluid_object *object = state;
    const size_t head = sizeof object->record;
    if (length < head) return refuse_cut(error);
    const mote_result result = mote_fluid_read(object->fluid, (const char *)bytes + head, length - head, error);
    if (result == MOTE_OK) memcpy(&object->record, bytes, head);
    return result;
}

// Of the other fluid's record nothing is true here.
static mote_result read_start(void *state, const void *bytes, size_t length, mote_simulation_origin *origin,
                              mote_error *error)
{
    fluid_object *object = state;
    const size_t head = sizeof object->record;
    if (length < head) return refuse_cut(error);
    if (!object->has_blocks) return MOTE_OK;  // there is no place for particles
    mote_result result =
        mote_fluid_take(object->fluid, (const char *)bytes + head, length - head, &origin->sound_speed, error);
    if (result != MOTE_OK) return result;
    origin->particles = mote_fluid_peek(object->fluid).count;
    object->record = (fluid_record){.start_count = origin->particles, .momentum = {NAN, NAN, NAN}};
    return MOTE_OK;
}

static mote_result set_gravity(void *state, mote_vec3 gravity, mote_error *error)
{
    return mote_fluid_set_gravity(((fluid_object *)state)->fluid, gravity, error);
}

static void resolve(const void *state, mote_simulation_def *def)
{
    const mote_fluid_def own = def->fluid;
    def->fluid = mote_fluid_resolved_def(((const fluid_object *)state)->fluid);
    def->phase = mote_fluid_resolved_phase(((const fluid_object *)state)->fluid, 0);
    def->fluid.gravity = own.gravity;  // not that of the present time
    memcpy(def->fluid.gravity_text, own.gravity_text, sizeof own.gravity_text);
}

static mote_result validate(mote_simulation *simulation, void *state, mote_error *error)
{
    (void)simulation;
    return mote_fluid_validate(((fluid_object *)state)->fluid, error);
}

static size_t byte_count(const void *state)
{
    return mote_fluid_byte_count(((const fluid_object *)state)->fluid);
}

const object_kind mote_kind_fluid = {
    .name = "fluid",
    .state_bytes = sizeof(fluid_object),
    .remark = offsetof(fluid_object, remark),
    .check = check,
    .create = create,
    .connect = connect,
    .destroy = destroy,
    .stable_step = stable_step,
    .usual_step = usual_step,
    .move = move,
    .set_gravity = set_gravity,
    .resolve = resolve,
    .look = look,
    .get_array = get_array,
    .tell = tell,
    .count = count,
    .count_escaped = count_escaped,
    .write = write,
    .read = read,
    .read_start = read_start,
    .validate = validate,
    .byte_count = byte_count,
};

// ----------------------------------------------------------------------------------------------------- its boundary

static mote_result look_at_boundary(mote_simulation *simulation, void *state, mote_object_view *view, mote_error *error)
{
    (void)error;
    const double *positions, *volumes;
    mote_fluid_get_walls(((const boundary_object *)state)->fluid, &positions, &volumes, &view->count);
    view->is_fixed = !mote_simulation_has_motions(simulation);
    view->role = MOTE_PARTICLES_WALL;
    view->array_count = 2;
    view->arrays[0] = mote_array_tuples("position", MOTE_ARRAY_F64, positions, 3);
    view->arrays[0].unit = "m";
    view->arrays[1] = mote_array_scalars("volume", MOTE_ARRAY_F64, volumes);
    return MOTE_OK;
}

static const object_kind kind_boundary = {
    .name = "boundary",
    .state_bytes = sizeof(boundary_object),
    .look = look_at_boundary,
};

// ----------------------------------------------------------------------------------------------- the simulation's own

static const fluid_object *find(const mote_simulation *simulation)
{
    return simulation ? mote_simulation_find(simulation, &mote_kind_fluid) : NULL;
}

mote_fluid *mote_simulation_fluid(mote_simulation *simulation)
{
    const fluid_object *object = find(simulation);
    return object ? object->fluid : NULL;
}

double mote_simulation_depth(const mote_simulation *simulation)
{
    const fluid_object *object = find(simulation);
    return object ? object->depth : 0;
}

double mote_simulation_reference_speed(const mote_simulation *simulation)
{
    const fluid_object *object = find(simulation);
    return object ? object->reference_speed : 0;
}

size_t mote_simulation_removed_count(const mote_simulation *simulation)
{
    const fluid_object *object = find(simulation);
    return object ? (size_t)object->record.removed : 0;
}
