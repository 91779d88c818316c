// The simulation as an object: put together from its def, stepped, looked at.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "simulation/internal.h"

// A step this much shorter than the Courant condition allows at rest means that forces have run away.
static const double collapse = 1e-5;

// ----------------------------------------------------------------------------------------------- sound speed

// Extent of the blocks, and how deep below them the tank reaches, along the direction against gravity.
static double fluid_depth(const mote_simulation_def *def)
{
    double g = mote_vec3_length(def->fluid.gravity);
    if (!(g > 0) || def->block_count == 0) return 0;
    mote_vec3 up = mote_vec3_scale(def->fluid.gravity, -1 / g);
    double top = -HUGE_VAL, bottom = HUGE_VAL;
    for (size_t k = 0; k < def->block_count; ++k)
        for (int corner = 0; corner < 8; ++corner) {
            const mote_block_def *block = &def->blocks[k];
            mote_vec3 p = {corner & 1 ? block->max.x : block->min.x, corner & 2 ? block->max.y : block->min.y,
                           corner & 4 ? block->max.z : block->min.z};
            if (def->fluid.dimensions == 2) p.y = 0;
            top = MOTE_MAX(top, mote_vec3_dot(p, up));
            bottom = MOTE_MIN(bottom, mote_vec3_dot(p, up));
        }
    // Of the tank the floor counts, when gravity is along an axis and there is a wall on that side.
    const mote_tank_def *tank = &def->tank;
    if (def->has_tank) {
        if (up.z == 1 && !tank->open_z_min) bottom = MOTE_MIN(bottom, tank->min.z);
        if (up.z == -1 && !tank->open_z_max) bottom = MOTE_MIN(bottom, -tank->max.z);
        if (up.x == 1 && !tank->open_x_min) bottom = MOTE_MIN(bottom, tank->min.x);
        if (up.x == -1 && !tank->open_x_max) bottom = MOTE_MIN(bottom, -tank->max.x);
        if (up.y == 1 && !tank->open_y_min) bottom = MOTE_MIN(bottom, tank->min.y);
        if (up.y == -1 && !tank->open_y_max) bottom = MOTE_MIN(bottom, -tank->max.y);
    }
    return MOTE_MAX(top - bottom, 0);
}

// There are grains, and no fluid.
static bool is_dry(const mote_simulation_def *def)
{
    return def->block_count == 0 && def->has_grains;
}

double mote_simulation_resolve_spacing(const mote_simulation_def *def)
{
    if (!def) return 0;
    return is_dry(def) && isnan(def->fluid.spacing) ? def->grains.size : def->fluid.spacing;
}

// Ten times the fastest that the fluid will be: density then varies by about a hundredth.
static mote_result derive_sound_speed(const mote_simulation_def *def, double depth, double *sound_speed,
                                      mote_error *error)
{
    double fastest = sqrt(mote_vec3_length(def->fluid.gravity) * depth);
    if (is_dry(def)) fastest = 1;  // any will do
    for (size_t k = 0; k < def->block_count; ++k)
        fastest = MOTE_MAX(fastest, mote_vec3_length(def->blocks[k].velocity));
    if (!(fastest > 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "fluid: sound_speed cannot be derived without gravity, moving or "
                         "deep blocks, expected a number above 0 [m/s]");
    *sound_speed = 10 * fastest;
    return MOTE_OK;
}

// -------------------------------------------------------------------------------------------------- creation

static mote_result check_def(mote_context *context, const mote_simulation_def *def, mote_error *error)
{
    if (def->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "simulation: the def was not made by mote_simulation_default_def");
    mote_result result = mote_fields_check(mote_fluid_fields(), &def->fluid, error);
    if (result == MOTE_OK && def->has_tank) result = mote_tank_check(&def->tank, def->fluid.dimensions, error);
    if (result == MOTE_OK) result = mote_blocks_check(context, def, error);
    if (result == MOTE_OK) result = mote_solids_check(def, error);
    if (result == MOTE_OK) result = mote_simulation_forecast(context, def, is_dry(def), error);
    return result;
}

static mote_result add_tank_walls(mote_simulation *simulation, mote_error *error)
{
    point_list walls = {0};
    mote_result result = mote_tank_make_walls(simulation, &walls);
    if (result != MOTE_OK) mote_fail(error, result, 0, "simulation: no memory for the tank's wall particles");
    if (result == MOTE_OK) {
        result = mote_fluid_add_walls(simulation->fluid, walls.positions.data, walls.weights.data, walls.count);
        if (result != MOTE_OK && error) *error = *mote_fluid_error(simulation->fluid);
    }
    mote_buffer_release(simulation->context, &walls.positions);
    mote_buffer_release(simulation->context, &walls.weights);
    return result;
}

static mote_result fill(mote_simulation *simulation, const mote_simulation_def *def, mote_error *error)
{
    mote_fluid_def fluid = def->fluid;
    mote_result result = MOTE_OK;
    simulation->depth = fluid_depth(def);
    if (isnan(fluid.sound_speed)) result = derive_sound_speed(def, simulation->depth, &fluid.sound_speed, error);
    if (result == MOTE_OK) result = mote_fluid_create(simulation->context, &fluid, &simulation->fluid, error);
    if (result != MOTE_OK) return result;
    fluid = mote_fluid_resolved_def(simulation->fluid);
    simulation->spacing = fluid.spacing;
    simulation->support = fluid.support;
    simulation->dimensions = fluid.dimensions;
    simulation->has_tank = def->has_tank;
    simulation->tank = def->tank;
    simulation->is_dry = is_dry(def);
    result = mote_blocks_fill(simulation, def, error);
    const bool has_fluid = !simulation->is_dry;
    if (result == MOTE_OK && def->has_tank && has_fluid) result = add_tank_walls(simulation, error);
    if (result == MOTE_OK && def->solid_count && has_fluid) result = mote_solids_add(simulation, def, error);
    if (result == MOTE_OK && def->solid_count && has_fluid) result = mote_solids_clear(simulation, error);
    if (result == MOTE_OK && def->has_grains) result = mote_poured_create(simulation, def, error);
    if (result == MOTE_OK && fluid.density == MOTE_DENSITY_CONTINUITY)
        result = mote_blocks_set_pressures(simulation, def, error);
    return result;
}

mote_result mote_simulation_create(mote_context *context, const mote_simulation_def *def, mote_simulation **simulation,
                                   mote_error *error)
{
    if (!def || !simulation)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "simulation: no def, or nowhere to put the simulation");
    mote_simulation_def own = *def;
    own.fluid.spacing = mote_simulation_resolve_spacing(def);
    def = &own;
    mote_result result = check_def(context, def, error);
    if (result != MOTE_OK) return result;
    mote_simulation *made = mote_allocate(context, sizeof *made);
    if (!made) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "simulation: no memory for the simulation itself");
    memset(made, 0, sizeof *made);
    made->context = context;
    result = fill(made, def, error);
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
    mote_fluid_destroy(simulation->fluid);
    mote_solids_release(simulation);
    mote_grains_destroy(simulation->grains);
    mote_release(simulation->context, simulation, sizeof *simulation);
}

const mote_error *mote_simulation_error(const mote_simulation *simulation)
{
    return simulation ? &simulation->error : &mote_error_of_null;
}

// --------------------------------------------------------------------------------------------------- stepping

static void keep_out(void *user_data, mote_vec3 from, mote_vec3 *position, mote_vec3 *velocity)
{
    mote_simulation_lead(user_data, from, position, velocity);
}

static mote_result fluid_failed(mote_simulation *simulation, mote_result result)
{
    simulation->error = *mote_fluid_error(simulation->fluid);
    return result;
}

// The largest stable step, or MOTE_ERROR_UNSTABLE when there is none worth taking.
static mote_result stable_step(mote_simulation *simulation, double *dt)
{
    if (simulation->is_dry) {
        *dt = simulation->grains_time_step;
        return MOTE_OK;
    }
    mote_result result = mote_fluid_time_step(simulation->fluid, dt);
    if (result == MOTE_ERROR_NOT_FINITE)
        return mote_fail(&simulation->error, MOTE_ERROR_UNSTABLE, 0,
                         "simulation: a particle has left all bounds at t = %g s", simulation->time);
    if (result != MOTE_OK) return fluid_failed(simulation, result);
    mote_fluid_def def = mote_fluid_resolved_def(simulation->fluid);
    double at_rest = def.courant * def.support / def.sound_speed;
    double viscous = def.viscous_limit * def.support * def.support * def.rest_density / def.viscosity;
    if (!(*dt > collapse * at_rest) && !(def.viscosity > 0 && 2 * *dt >= viscous))
        return mote_fail(&simulation->error, MOTE_ERROR_UNSTABLE, 0,
                         "simulation: the stable step fell to %g s at t = %g s, %g at rest", *dt, simulation->time,
                         at_rest);
    return MOTE_OK;
}

static mote_result advance(mote_simulation *simulation, double dt)
{
    mote_result result = MOTE_OK;
    if (!simulation->is_dry) result = mote_fluid_advance(simulation->fluid, dt, keep_out, simulation);
    if (result != MOTE_OK) return fluid_failed(simulation, result);
    result = mote_poured_advance(simulation, dt);
    if (result == MOTE_OK) simulation->time += dt;
    return result;
}

mote_result mote_simulation_step(mote_simulation *simulation, double max_dt, double *dt)
{
    if (!simulation) return MOTE_ERROR_ARGUMENT;
    if (!(max_dt > 0))
        return mote_fail(&simulation->error, MOTE_ERROR_ARGUMENT, 0, "simulation: max_dt is %g s, expected one above 0",
                         max_dt);
    double step;
    mote_result result = stable_step(simulation, &step);
    if (result != MOTE_OK) return result;
    step = MOTE_MIN(step, max_dt);
    result = advance(simulation, step);
    if (result == MOTE_OK && dt) *dt = step;
    return result;
}

mote_result mote_simulation_run_until(mote_simulation *simulation, double time, mote_simulation_stop *stop,
                                      void *user_data)
{
    if (!simulation) return MOTE_ERROR_ARGUMENT;
    if (!(time - time == 0))
        return mote_fail(&simulation->error, MOTE_ERROR_ARGUMENT, 0, "simulation: time is %g s, expected a finite one",
                         time);
    while (simulation->time < time) {
        double step, rest = time - simulation->time;
        mote_result result = stable_step(simulation, &step);
        if (result != MOTE_OK) return result;
        double steps = ceil(rest / step);
        result = advance(simulation, rest / steps);
        if (result != MOTE_OK) return result;
        if (steps <= 1) simulation->time = time;
        if (stop && stop(user_data, simulation)) return MOTE_OK;
    }
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------ looking at it

double mote_simulation_depth(const mote_simulation *simulation)
{
    if (!simulation) return 0;
    return simulation->depth;
}

double mote_simulation_time(const mote_simulation *simulation)
{
    if (!simulation) return 0;
    return simulation->time;
}

mote_fluid *mote_simulation_fluid(mote_simulation *simulation)
{
    if (!simulation) return NULL;
    return simulation->fluid;
}

const mote_grains *mote_simulation_grains(const mote_simulation *simulation)
{
    if (!simulation) return NULL;
    return simulation->grains;
}

size_t mote_simulation_removed_count(const mote_simulation *simulation)
{
    if (!simulation) return 0;
    return simulation->removed;
}

mote_result mote_simulation_count_escaped(mote_simulation *simulation, size_t *inside, size_t *beyond)
{
    if (!simulation || !inside || !beyond) return MOTE_ERROR_ARGUMENT;
    mote_fluid_view view;
    mote_result result = mote_fluid_get_view(simulation->fluid, &view);
    if (result != MOTE_OK) return fluid_failed(simulation, result);
    result = mote_solids_count_inside(simulation, &view, inside);
    if (result != MOTE_OK) return result;
    *beyond = mote_poured_count_beyond(simulation);
    for (size_t i = 0; i < view.count; ++i) {
        mote_vec3 p = {view.x[i], view.y[i], view.z[i]};
        if (simulation->has_tank && !mote_tank_contains(&simulation->tank, simulation->dimensions, p)) ++*beyond;
    }
    return MOTE_OK;
}
