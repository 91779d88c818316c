// SPDX-License-Identifier: MIT
// Grains in a simulation: they collide with the meshes of its solids, and bounce off its walls.

#include "base/vector.h"
#include "simulation/internal.h"

typedef struct grains_object {
    const mote_simulation *simulation;
    mote_grains *grains;
    double time_step, size;
    uint64_t wanted;  // number of grains asked for; some of them may have been removed
    double seconds;   // spent in steps
} grains_object;

static mote_result check(mote_context *context, const mote_simulation_def *def, mote_error *error)
{
    (void)context;
    if (def->has_grains && def->fluid.dimensions != 3)
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "grains: in 2D, expected 3 dimensions");
    return MOTE_OK;
}

static mote_result create(mote_simulation *simulation, const mote_simulation_def *def, mote_error *error)
{
    if (!def->has_grains) return MOTE_OK;
    grains_object *object = mote_simulation_add(simulation, &mote_kind_grains, "grains", error);
    if (!object) return MOTE_ERROR_OUT_OF_MEMORY;
    *object =
        (grains_object){simulation, NULL, def->grains.time_step, def->grains.size, (uint64_t)def->grains.count, 0};
    return MOTE_OK;
}

// The meshes of all objects that have one.
static size_t find_meshes(const mote_simulation *simulation, const mote_mesh **meshes)
{
    size_t count = 0;
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (object->kind->mesh) meshes[count++] = object->kind->mesh(object->state);
    }
    return count;
}

static mote_result connect(mote_simulation *simulation, simulation_object *object, const mote_simulation_def *def,
                           mote_error *error)
{
    grains_object *state = object->state;
    mote_grains_def grains = def->grains;
    grains.gravity = def->fluid.gravity;
    grains.seed = def->seed;
    if (!(mote_obstacles_contain(simulation, grains.min) && mote_obstacles_contain(simulation, grains.max)))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "grains: from (%g, %g, %g) to (%g, %g, %g), expected a box inside the tank", grains.min.x,
                         grains.min.y, grains.min.z, grains.max.x, grains.max.y, grains.max.z);
    const size_t bytes = mote_bytes(simulation->object_count, sizeof(const mote_mesh *));
    const mote_mesh **meshes = mote_allocate(simulation->context, bytes);
    if (!meshes) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "grains: no memory");
    const size_t count = find_meshes(simulation, meshes);
    const mote_result result = mote_grains_create(simulation->context, &grains, meshes, count, &state->grains, error);
    mote_release(simulation->context, meshes, bytes);
    return result;
}

static void destroy(mote_simulation *simulation, void *state)
{
    (void)simulation;
    mote_grains_destroy(((grains_object *)state)->grains);
}

static double usual_step(const void *state)
{
    return ((const grains_object *)state)->time_step;
}

// No grain passes a wall: the motion is undone, and the velocity is reflected.
static bool keep_contained(void *user_data, mote_vec3 to, mote_vec3 *velocity)
{
    const mote_simulation *simulation = user_data;
    bool is_kept = true;
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (!object->kind->contains || object->kind->contains(object->state, to)) continue;
        mote_vec3 place = to;
        object->kind->keep_out(object->state, to, &place, velocity, NULL);
        is_kept = false;
    }
    return is_kept;
}

static bool has_walls(const mote_simulation *simulation)
{
    for (size_t k = 0; k < simulation->object_count; ++k)
        if (simulation->objects[k].kind->contains) return true;
    return false;
}

static mote_result move(mote_simulation *simulation, void *state, double dt, mote_error *error)
{
    grains_object *object = state;
    const double start = mote_clock_seconds();
    mote_result result =
        mote_grains_advance(object->grains, dt, has_walls(simulation) ? keep_contained : NULL, simulation, error);
    object->seconds += mote_clock_seconds() - start;
    if (result == MOTE_OK) return result;
    return mote_fail(error, result, 0, "simulation: grains cannot move by %g s: %s", dt, mote_result_text(result));
}

static mote_result set_gravity(void *state, mote_vec3 gravity, mote_error *error)
{
    return mote_grains_set_gravity(((grains_object *)state)->grains, gravity, error);
}

static mote_result look(mote_simulation *simulation, void *state, mote_object_view *view, mote_error *error)
{
    (void)error;
    (void)simulation;
    const grains_object *object = state;
    const mote_grains_view grains = mote_grains_get_view(object->grains);
    view->count = grains.count;
    view->expected = (size_t)(object->wanted - mote_grains_get_counters(object->grains).removed);
    if (view->expected > 1) view->remark = "grains meet walls and solids, and pass through each other";
    view->particle_size = object->size;
    view->array_count = 2;
    view->arrays[0] = mote_array_tuples("position", MOTE_ARRAY_F64, grains.positions, 3);
    view->arrays[0].unit = "m";
    view->arrays[1] = mote_array_tuples("velocity", MOTE_ARRAY_F64, grains.velocities, 3);
    view->arrays[1].unit = "m/s";
    return MOTE_OK;
}

static mote_result tell(mote_simulation *simulation, void *state, mote_quantity quantities[MOTE_OBJECT_QUANTITIES],
                        size_t *count, mote_error *error)
{
    (void)simulation;
    (void)error;
    const grains_object *object = state;
    const mote_grains_counters counters = mote_grains_get_counters(object->grains);
    *count = 0;
    quantities[(*count)++] = mote_quantity_fixed("grains", NULL, (double)(object->wanted - counters.removed));
    quantities[(*count)++] = mote_quantity_fixed("grains_removed", NULL, (double)counters.removed);
    quantities[(*count)++] = mote_quantity_fixed("collider_bytes", "byte", (double)counters.collider_bytes);
    quantities[(*count)++] = mote_quantity_vital("grains", NULL, (double)mote_grains_get_view(object->grains).count);
    quantities[(*count)++] = mote_quantity_make("grain_bounces", NULL, (double)counters.bounces);
    return MOTE_OK;
}

static void count(const void *state, mote_simulation_counters *counters)
{
    const grains_object *object = state;
    counters->particle_steps += mote_grains_get_counters(object->grains).grain_steps;
    counters->total_seconds += object->seconds;
}

static mote_result count_escaped(mote_simulation *simulation, void *state, size_t *inside, size_t *beyond,
                                 mote_error *error)
{
    (void)error;
    (void)inside;
    const mote_grains_view view = mote_grains_get_view(((grains_object *)state)->grains);
    for (size_t i = 0; i < view.count; ++i) {
        const double *p = view.positions + 3 * i;
        *beyond += !mote_obstacles_contain(simulation, mote_vec3_make(p[0], p[1], p[2]));
    }
    return MOTE_OK;
}

static size_t byte_count(const void *state)
{
    return mote_grains_byte_count(((const grains_object *)state)->grains);
}

static mote_result write(const void *state, mote_sink *sink, void *user_data, mote_error *error)
{
    return mote_grains_write(((const grains_object *)state)->grains, sink, user_data, error);
}

static mote_result read(void *state, const void *bytes, size_t length, mote_error *error)
{
    return mote_grains_read(((grains_object *)state)->grains, bytes, length, error);
}

static mote_result read_start(void *state, const void *bytes, size_t length, mote_simulation_origin *origin,
                              mote_error *error)
{
    const mote_result result = read(state, bytes, length, error);
    if (result == MOTE_OK) origin->grains = mote_grains_get_view(((grains_object *)state)->grains).count;
    return result;
}

static mote_result validate(mote_simulation *simulation, void *state, mote_error *error)
{
    (void)simulation;
    return mote_grains_validate(((const grains_object *)state)->grains, error);
}

const object_kind mote_kind_grains = {
    .name = "grains",
    .state_bytes = sizeof(grains_object),
    .check = check,
    .create = create,
    .connect = connect,
    .destroy = destroy,
    .usual_step = usual_step,
    .move = move,
    .set_gravity = set_gravity,
    .look = look,
    .tell = tell,
    .count = count,
    .count_escaped = count_escaped,
    .write = write,
    .read = read,
    .read_start = read_start,
    .validate = validate,
    .byte_count = byte_count,
};

const mote_grains *mote_simulation_grains(const mote_simulation *simulation)
{
    const grains_object *object = simulation ? mote_simulation_find(simulation, &mote_kind_grains) : NULL;
    return object ? object->grains : NULL;
}
