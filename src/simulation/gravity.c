// SPDX-License-Identifier: MIT
// Gravity that may be an expression of time: that of a tank which is shaken, in the tank's own frame. The objects of a
// simulation have the gravity of its time, always: it is set anew whenever the time changes. So are walls that move.

#include <math.h>

#include "base/vector.h"
#include "simulation/internal.h"

static const double most = 1e6;  // along an axis [m/s²], as for numbers
static const char *const names[] = {"fluid.gravity[0]", "fluid.gravity[1]", "fluid.gravity[2]"};

mote_result mote_gravity_open(mote_context *context, const mote_fluid_def *def, simulation_gravity *gravity,
                              mote_error *error)
{
    static const char *const variables[] = {"t", NULL};
    const double numbers[3] = {def->gravity.x, def->gravity.y, def->gravity.z};
    *gravity = (simulation_gravity){.varies = false};
    for (int k = 0; k < 3; ++k) {
        mote_error found = {0};
        gravity->numbers[k] = numbers[k];
        if (!def->gravity_text[k]) continue;
        gravity->varies = true;
        const mote_result result =
            mote_expression_create(context, def->gravity_text[k], variables, &gravity->expressions[k], &found);
        if (result == MOTE_OK) continue;
        mote_gravity_close(gravity);
        if (result == MOTE_ERROR_OUT_OF_MEMORY) return mote_fail(error, result, 0, "simulation: no memory for gravity");
        return mote_expression_refuse(names[k], &found, error);
    }
    return MOTE_OK;
}

void mote_gravity_close(simulation_gravity *gravity)
{
    for (int k = 0; k < 3; ++k) {
        mote_expression_destroy(gravity->expressions[k]);
        gravity->expressions[k] = NULL;
    }
}

mote_result mote_gravity_at(const simulation_gravity *gravity, double time, mote_vec3 *value, mote_error *error)
{
    double g[3];
    for (int k = 0; k < 3; ++k) {
        g[k] = gravity->expressions[k] ? mote_expression_evaluate(gravity->expressions[k], &time) : gravity->numbers[k];
        if (gravity->expressions[k] && !(fabs(g[k]) <= most))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                             "%s is %g at t = %g s, expected a number from -1000000 to 1000000 [m/s^2]", names[k], g[k],
                             time);
    }
    *value = mote_vec3_make(g[0], g[1], g[2]);
    return MOTE_OK;
}

mote_result mote_gravity_of_start(const simulation_gravity *gravity, mote_vec3 *value, mote_error *error)
{
    const mote_result result = mote_gravity_at(gravity, 0, value, error);
    if (result != MOTE_OK || !gravity->varies) return result;
    const double x = fabs(value->x), y = fabs(value->y), z = fabs(value->z);
    if (z >= x && z >= y) value->x = value->y = 0;
    else if (x >= y) value->y = value->z = 0;
    else value->x = value->z = 0;
    return MOTE_OK;
}

mote_result mote_simulation_set_time(mote_simulation *simulation, double time, mote_error *error)
{
    simulation->time = time;
    mote_result result = mote_simulation_move_walls(simulation, time, time, error);
    if (result != MOTE_OK || !simulation->gravity.varies) return result;
    mote_vec3 gravity;
    result = mote_gravity_at(&simulation->gravity, time, &gravity, error);
    for (size_t k = 0; k < simulation->object_count && result == MOTE_OK; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (object->kind->set_gravity) result = object->kind->set_gravity(object->state, gravity, error);
    }
    return result;
}
