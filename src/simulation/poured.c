// Grains in a simulation: they meet its solids, and its tank, whose walls they bounce off.

#include "base/vector.h"
#include "simulation/internal.h"

mote_result mote_poured_create(mote_simulation *simulation, const mote_simulation_def *def, mote_error *error)
{
    mote_grains_def grains = def->grains;
    grains.gravity = def->fluid.gravity;
    grains.seed = def->seed;
    if (def->fluid.dimensions != 3)
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "grains: in 2D, expected 3 dimensions");
    if (def->has_tank &&
        !(mote_tank_contains(&def->tank, 3, grains.min) && mote_tank_contains(&def->tank, 3, grains.max)))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "grains: from (%g, %g, %g) to (%g, %g, %g), expected a box inside the tank", grains.min.x,
                         grains.min.y, grains.min.z, grains.max.x, grains.max.y, grains.max.z);
    const size_t bytes = mote_bytes(def->solid_count, sizeof(const mote_mesh *));
    const mote_mesh **meshes = mote_allocate(simulation->context, bytes);
    if (!meshes && bytes) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "grains: no memory");
    for (size_t k = 0; k < def->solid_count; ++k) meshes[k] = def->solids[k].mesh;
    mote_result result = mote_grains_create(simulation->context, &grains, meshes, def->solid_count,
                                            &simulation->grains, error);
    mote_release(simulation->context, meshes, bytes);
    simulation->grains_time_step = grains.time_step;
    return result;
}

// Beyond a wall nobody gets: the motion is taken back, and the velocity bounces.
static bool keep_in_tank(void *user_data, mote_vec3 to, mote_vec3 *velocity)
{
    const mote_simulation *simulation = user_data;
    if (mote_tank_contains(&simulation->tank, simulation->dimensions, to)) return true;
    mote_tank_keep_inside(&simulation->tank, simulation->dimensions, &to, velocity);
    return false;
}

mote_result mote_poured_advance(mote_simulation *simulation, double dt)
{
    if (!simulation->grains) return MOTE_OK;
    mote_result result =
        mote_grains_advance(simulation->grains, dt, simulation->has_tank ? keep_in_tank : NULL, simulation);
    if (result == MOTE_OK) return result;
    return mote_fail(&simulation->error, result, 0, "simulation: grains cannot move by %g s: %s", dt,
                     mote_result_text(result));
}

size_t mote_poured_count_beyond(const mote_simulation *simulation)
{
    if (!simulation->grains || !simulation->has_tank) return 0;
    const mote_grains_view view = mote_grains_get_view(simulation->grains);
    size_t beyond = 0;
    for (size_t i = 0; i < view.count; ++i) {
        const double *p = view.positions + 3 * i;
        beyond += !mote_tank_contains(&simulation->tank, 3, mote_vec3_make(p[0], p[1], p[2]));
    }
    return beyond;
}
