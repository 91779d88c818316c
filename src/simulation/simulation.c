// SPDX-License-Identifier: MIT
// The simulation object: created from its def, stepped, inspected.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "simulation/internal.h"

// -------------------------------------------------------------------------------------------------- creation

static mote_result check_def(mote_context *context, const mote_simulation_def *def, mote_error *error)
{
    if (def->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "simulation: the def was not made by mote_simulation_default_def");
    mote_result result = mote_field_check_store(def->field_store, error);
    for (size_t k = 0; k < mote_object_kind_count && result == MOTE_OK; ++k)
        if (mote_object_kinds[k]->check) result = mote_object_kinds[k]->check(context, def, error);
    if (result == MOTE_OK) result = mote_openings_check_names(def, error);
    return result == MOTE_OK ? mote_simulation_forecast(context, def, error) : result;
}

static mote_result fill(mote_simulation *simulation, const mote_simulation_def *def, mote_error *error)
{
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < mote_object_kind_count && result == MOTE_OK; ++k)
        result = mote_object_kinds[k]->create(simulation, def, error);
    for (size_t k = 0; k < simulation->object_count && result == MOTE_OK; ++k) {
        simulation_object *object = &simulation->objects[k];
        if (object->kind->connect) result = object->kind->connect(simulation, object, def, error);
    }
    return result;
}

mote_result mote_simulation_create(mote_context *context, const mote_simulation_def *def, mote_simulation **simulation,
                                   mote_error *error)
{
    if (!def || !simulation)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "simulation: no def, or nowhere to put the simulation");
    mote_simulation_def own = *def;
    own.fluid.spacing = mote_simulation_resolve_spacing(def);
    simulation_gravity gravity;
    mote_result result = mote_gravity_open(context, &def->fluid, &gravity, error);
    if (result != MOTE_OK) return result;
    memset(own.fluid.gravity_text, 0, sizeof own.fluid.gravity_text);
    result = mote_gravity_of_start(&gravity, &own.fluid.gravity, error);
    def = &own;
    if (result == MOTE_OK) result = check_def(context, def, error);
    mote_simulation *made = result == MOTE_OK ? mote_allocate(context, sizeof *made) : NULL;
    if (!made) mote_gravity_close(&gravity);
    if (result != MOTE_OK) return result;
    if (!made) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "simulation: no memory for the simulation itself");
    memset(made, 0, sizeof *made);
    made->context = context;
    made->gravity = gravity;
    result = fill(made, def, error);
    if (result == MOTE_OK) result = mote_simulation_set_time(made, 0, error);
    if (result != MOTE_OK) {
        mote_simulation_destroy(made);
        return result;
    }
    *simulation = made;
    return MOTE_OK;
}

void mote_simulation_destroy(mote_simulation *simulation)
{
    if (!simulation) return;
    for (size_t k = simulation->object_count; k-- > 0;) {
        const simulation_object *object = &simulation->objects[k];
        if (object->kind->destroy) object->kind->destroy(simulation, object->state);
        mote_release(simulation->context, object->state, object->kind->state_bytes);
    }
    mote_gravity_close(&simulation->gravity);
    mote_buffer_release(simulation->context, &simulation->object_memory);
    mote_release(simulation->context, simulation, sizeof *simulation);
}

// --------------------------------------------------------------------------------------------------- stepping

double mote_simulation_usual_step(const mote_simulation *simulation)
{
    double limited = HUGE_VAL, subdivided = HUGE_VAL;
    for (size_t k = 0; simulation && k < simulation->object_count; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (!object->kind->usual_step) continue;
        double *least = object->kind->stable_step ? &limited : &subdivided;
        *least = MOTE_MIN(*least, object->kind->usual_step(object->state));
    }
    if (!simulation) return 0;
    return limited < HUGE_VAL ? limited : subdivided;
}

// The longest step that all objects allow; if none sets a limit, the usual step of the objects that subdivide steps.
static mote_result find_step(mote_simulation *simulation, double *dt, mote_error *error)
{
    double stable = HUGE_VAL;
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const simulation_object *object = &simulation->objects[k];
        double step = HUGE_VAL;
        if (!object->kind->stable_step) continue;
        const mote_result result = object->kind->stable_step(simulation, object->state, &step, error);
        if (result != MOTE_OK) return result;
        stable = MOTE_MIN(stable, step);
    }
    *dt = stable < HUGE_VAL ? stable : mote_simulation_usual_step(simulation);
    return MOTE_OK;
}

mote_result mote_simulation_watch(mote_simulation *simulation, mote_error *error)
{
    double dt;
    if (!simulation) return mote_fail_null(error, "simulation", "the object");
    return find_step(simulation, &dt, error);
}

bool mote_simulation_get_failure(const mote_simulation *simulation, mote_failure *failure)
{
    if (!simulation || !failure || !simulation->has_failed) return false;
    *failure = simulation->failure;
    return true;
}

static mote_result advance(mote_simulation *simulation, double dt, mote_error *error)
{
    mote_result result = mote_simulation_move_walls(simulation, simulation->time, simulation->time + dt, error);
    for (size_t k = 0; k < simulation->object_count && result == MOTE_OK; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (object->kind->move) result = object->kind->move(simulation, object->state, dt, error);
    }
    simulation->counters.steps += result == MOTE_OK;
    return result == MOTE_OK ? mote_simulation_set_time(simulation, simulation->time + dt, error) : result;
}

// Lets objects look at the new state. The forces that they see are those of the next step, and if the fluid has become
// unstable, its own test says so.
static mote_result observe(mote_simulation *simulation, mote_error *error)
{
    mote_result result = MOTE_OK;
    bool is_evaluated = false;
    for (size_t k = 0; k < simulation->object_count && result == MOTE_OK; ++k) {
        const simulation_object *object = &simulation->objects[k];
        double dt;
        if (!object->kind->observe) continue;
        if (!is_evaluated) result = find_step(simulation, &dt, error);
        is_evaluated = true;
        if (result == MOTE_OK) result = object->kind->observe(simulation, object->state, error);
    }
    return result;
}

mote_result mote_simulation_step(mote_simulation *simulation, double max_dt, double *dt, mote_error *error)
{
    if (!simulation) return mote_fail_null(error, "simulation", "the object");
    if (!(max_dt > 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "simulation: max_dt is %g s, expected one above 0", max_dt);
    double step;
    mote_result result = find_step(simulation, &step, error);
    if (result != MOTE_OK) return result;
    step = MOTE_MIN(step, max_dt);
    result = advance(simulation, step, error);
    if (result == MOTE_OK && dt) *dt = step;
    return result == MOTE_OK ? observe(simulation, error) : result;
}

mote_result mote_simulation_run_until(mote_simulation *simulation, double time, mote_simulation_stop *stop,
                                      void *user_data, mote_error *error)
{
    if (!simulation) return mote_fail_null(error, "simulation", "the object");
    if (!(time - time == 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "simulation: time is %g s, expected a finite one", time);
    while (simulation->time < time) {
        double step, rest = time - simulation->time;
        mote_result result = find_step(simulation, &step, error);
        if (result != MOTE_OK) return result;
        double steps = ceil(rest / step);
        result = advance(simulation, rest / steps, error);
        if (result == MOTE_OK && steps <= 1) result = mote_simulation_set_time(simulation, time, error);
        if (result != MOTE_OK) return result;
        result = observe(simulation, error);
        if (result != MOTE_OK) return result;
        if (stop && stop(user_data, simulation)) return MOTE_OK;
    }
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------ looking at it

void mote_simulation_resolve_def(const mote_simulation *simulation, mote_simulation_def *def)
{
    for (size_t k = 0; simulation && def && k < simulation->object_count; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (object->kind->resolve) object->kind->resolve(object->state, def);
    }
}

double mote_simulation_time(const mote_simulation *simulation)
{
    if (!simulation) return 0;
    return simulation->time;
}

mote_result mote_simulation_count_escaped(mote_simulation *simulation, size_t *inside, size_t *beyond,
                                          mote_error *error)
{
    if (!simulation || !inside || !beyond)
        return mote_fail_null(error, "simulation", simulation ? "an argument" : "the object");
    *inside = *beyond = 0;
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < simulation->object_count && result == MOTE_OK; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (object->kind->count_escaped)
            result = object->kind->count_escaped(simulation, object->state, inside, beyond, error);
    }
    return result;
}

size_t mote_simulation_object_count(const mote_simulation *simulation)
{
    return simulation ? simulation->object_count : 0;
}

static mote_result refuse_object(const mote_simulation *simulation, size_t object, mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_ARGUMENT, object, "simulation: object %zu of %zu", object,
                     simulation->object_count);
}

mote_result mote_simulation_get_object(mote_simulation *simulation, size_t object, mote_object_view *view,
                                       mote_error *error)
{
    if (!simulation || !view) return mote_fail_null(error, "simulation", simulation ? "an argument" : "the object");
    if (object >= simulation->object_count) return refuse_object(simulation, object, error);
    const simulation_object *of = &simulation->objects[object];
    mote_object_view seen = {.kind = of->kind->name, .name = of->name, .color = {NAN, NAN, NAN}};
    const char *remark = of->kind->remark ? (const char *)of->state + of->kind->remark : "";
    if (*remark) seen.remark = remark;
    const mote_result result = of->kind->look ? of->kind->look(simulation, of->state, &seen, error) : MOTE_OK;
    if (result == MOTE_OK) *view = seen;
    return result;
}

mote_result mote_simulation_get_array(mote_simulation *simulation, size_t object, const char *name, mote_array *array,
                                      mote_error *error)
{
    if (!simulation || !name || !array)
        return mote_fail_null(error, "simulation", simulation ? "an argument" : "the object");
    if (object >= simulation->object_count) return refuse_object(simulation, object, error);
    const simulation_object *of = &simulation->objects[object];
    if (of->kind->get_array) return of->kind->get_array(of->state, name, array, error);
    return mote_fail(error, MOTE_ERROR_UNSUPPORTED, object, "simulation: a %s has the arrays of its view only",
                     of->kind->name);
}

mote_result mote_simulation_get_quantities(mote_simulation *simulation, size_t object,
                                           mote_quantity quantities[MOTE_OBJECT_QUANTITIES], size_t *count,
                                           mote_error *error)
{
    if (!simulation || !quantities || !count)
        return mote_fail_null(error, "simulation", simulation ? "an argument" : "the object");
    if (object >= simulation->object_count) return refuse_object(simulation, object, error);
    const simulation_object *of = &simulation->objects[object];
    *count = 0;
    return of->kind->tell ? of->kind->tell(simulation, of->state, quantities, count, error) : MOTE_OK;
}

mote_simulation_counters mote_simulation_get_counters(const mote_simulation *simulation)
{
    if (!simulation) return (mote_simulation_counters){0};
    mote_simulation_counters counters = simulation->counters;
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (object->kind->count) object->kind->count(object->state, &counters);
    }
    return counters;
}

mote_result mote_simulation_validate(mote_simulation *simulation, mote_error *error)
{
    if (!simulation) return mote_fail_null(error, "simulation", "the object");
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < simulation->object_count && result == MOTE_OK; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (object->kind->validate) result = object->kind->validate(simulation, object->state, error);
    }
    return result;
}

size_t mote_simulation_byte_count(const mote_simulation *simulation)
{
    if (!simulation) return 0;
    size_t bytes = sizeof *simulation + simulation->object_memory.bytes;
    for (int k = 0; k < 3; ++k) bytes += mote_expression_byte_count(simulation->gravity.expressions[k]);
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const simulation_object *object = &simulation->objects[k];
        bytes += object->kind->state_bytes;
        if (object->kind->byte_count) bytes += object->kind->byte_count(object->state);
    }
    return bytes;
}
