// SPDX-License-Identifier: MIT
// Estimates what a simulation will need from its def, before anything is made. A mistake in a length or a scale that
// asks for more particles than can be numbered or more memory than there is, is refused at once with these numbers.

#include <math.h>
#include <stdio.h>

#include "fluid/peek.h"
#include "simulation/internal.h"

static const double most_particles = 4294967294.0;  // 2^32 − 2

// The least bytes per particle, including the search; measured were 259 (no lists, no wall particles) and 110.
static const double particle_bytes = 240, wall_bytes = 80, grain_bytes = 48;

static mote_result refuse_walls(const mote_simulation_def *def, const char *what, size_t k, double count,
                                mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                     "%s: about %.3g wall particles at a spacing of %g m, expected at most 2^32 - 2", what, count,
                     def->fluid.spacing);
}

static mote_result count_walls(const mote_simulation_def *def, double *walls, mote_error *error)
{
    const double d = def->fluid.spacing;
    const double support = mote_fluid_support_of(&def->fluid);
    *walls = 0;
    if (def->has_tank) {
        // While fields are made, about as much for each square spacing as for a wall particle.
        mote_tank_def tank = def->tank;
        if (tank.boundary == MOTE_BOUNDARY_FIELD) tank.boundary = MOTE_BOUNDARY_SAMPLES;
        const double count = mote_tank_wall_count(&tank, def->fluid.dimensions, d, support);
        if (!(count <= most_particles)) return refuse_walls(def, "tank", 0, count, error);
        *walls += count;
    }
    for (size_t k = 0; k < def->solid_count; ++k) {
        const mote_mesh *mesh = def->solids[k].mesh;
        const bool is_flat = def->fluid.dimensions == 2;
        double count = is_flat ? mote_solid_outline_length(mesh) / d : mote_mesh_area(mesh) / d / d;
        const mote_boundary_kind kind =
            mote_boundary_resolve(def->solids[k].boundary, (mote_fluid_solver)def->fluid.solver, false);
        // Layers of it, at most as many as fill the body. A field has them while the start settles.
        if (kind == MOTE_BOUNDARY_LAYERS || kind == MOTE_BOUNDARY_FIELD)
            count = is_flat ? count * ceil(support / d)
                            : MOTE_MAX(count, MOTE_MIN(count * 3, mote_mesh_volume(mesh) / (d * d * d)));
        if (!mote_boundary_pushes(kind)) count = 0;
        char what[96];
        snprintf(what, sizeof what, "solids[%zu] (%.60s)", k, def->solids[k].name ? def->solids[k].name : "");
        *walls += count;
        if (!(*walls <= most_particles)) return refuse_walls(def, what, k, count, error);
    }
    return MOTE_OK;
}

mote_result mote_simulation_forecast(const mote_context *context, const mote_simulation_def *def, mote_error *error)
{
    const bool has_fluid = mote_simulation_has_fluid(def);
    const double fluid = has_fluid ? mote_blocks_count(def) : 0;
    const double grains = def->has_grains ? (double)def->grains.count : 0;
    double walls = 0;
    const mote_result result = has_fluid ? count_walls(def, &walls, error) : MOTE_OK;
    if (result != MOTE_OK) return result;
    const double bytes = fluid * particle_bytes + walls * wall_bytes + grains * grain_bytes;
    const double left = (double)mote_budget_left(context);
    if (bytes <= left) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0,
                     "%s: about %.3g particles and %.3g wall particles need at least %.3g GB of memory, expected "
                     "at most %.3g",
                     has_fluid ? "fluid.spacing" : "grains.count", fluid + grains, walls, 1e-9 * bytes, 1e-9 * left);
}
