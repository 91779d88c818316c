// simulation/internal.h: what the files of the simulation share.
#ifndef MOTE_SIMULATION_INTERNAL_H
#define MOTE_SIMULATION_INTERNAL_H

#include "base/internal.h"
#include "mote/hits.h"
#include "mote/response.h"
#include "mote/simulation.h"

// A solid as the simulation keeps it.
typedef struct simulation_solid {
    const mote_mesh *mesh;  // not owned
    mote_hits *hits;
    double margin;  // that fluid keeps from it [m]
    mote_response response;
} simulation_solid;

struct mote_simulation {
    mote_context *context;
    mote_error error;
    mote_fluid *fluid;
    double spacing, support;
    double depth;  // of the blocks at the start, down to the tank's floor [m]
    int dimensions;
    bool has_tank;
    mote_tank_def tank;
    simulation_solid *solids;
    size_t solid_count, solid_room;
    bool is_dry;              // there is no fluid, and never will be
    mote_grains *grains;      // NULL: none
    double grains_time_step;
    double time;
    size_t removed;
};

// Positions (3 · count doubles) on their way into the fluid.
typedef struct point_list {
    mote_buffer positions, weights;
    size_t count;
} point_list;

// tank.c: checks a tank, spreads wall particles behind its sides, keeps particles in it.
mote_result mote_tank_check(const mote_tank_def *tank, int dimensions, mote_error *error);
mote_result mote_tank_make_walls(const mote_simulation *simulation, point_list *walls);
// Wall particles that a tank comes to, 0 for one that is open all round.
double mote_tank_wall_count(const mote_tank_def *tank, int dimensions, double spacing, double support);
void mote_tank_keep_inside(const mote_tank_def *tank, int dimensions, mote_vec3 *position, mote_vec3 *velocity);
bool mote_tank_contains(const mote_tank_def *tank, int dimensions, mote_vec3 position);

// forecast.c: refuses what nobody could number or hold, before anything is made.
mote_result mote_simulation_forecast(const mote_context *context, const mote_simulation_def *def, bool is_dry,
                                     mote_error *error);

// blocks.c: checks blocks against each other and the tank, and fills them with particles on their lattices.
mote_result mote_blocks_check(mote_context *context, const mote_simulation_def *def, mote_error *error);
double mote_blocks_count(const mote_simulation_def *def);  // particles
mote_result mote_blocks_fill(const mote_simulation *simulation, const mote_simulation_def *def, mote_error *error);

mote_result mote_blocks_set_pressures(const mote_simulation *simulation, const mote_simulation_def *def,
                                      mote_error *error);

// solids.c: wall particles on solids, fluid removed where they are, and motion around them.
mote_result mote_solids_check(const mote_simulation_def *def, mote_error *error);
mote_result mote_solids_add(mote_simulation *simulation, const mote_simulation_def *def, mote_error *error);
mote_result mote_solids_clear(mote_simulation *simulation, mote_error *error);
void mote_solids_release(mote_simulation *simulation);
// Leads a particle around all solids and back into the tank, or, where that fails, leaves it where it was.
void mote_simulation_lead(const mote_simulation *simulation, mote_vec3 from, mote_vec3 *position, mote_vec3 *velocity);
mote_result mote_solids_count_inside(const mote_simulation *simulation, const mote_fluid_view *view, size_t *inside);

// poured.c: grains among the solids and in the tank.
mote_result mote_poured_create(mote_simulation *simulation, const mote_simulation_def *def, mote_error *error);
mote_result mote_poured_advance(mote_simulation *simulation, double dt);
size_t mote_poured_count_beyond(const mote_simulation *simulation);

#endif
