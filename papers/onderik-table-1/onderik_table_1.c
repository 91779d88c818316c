// SPDX-License-Identifier: MIT
// Table I of Onderik & Ďurikovič 2008: what a step of a small dam break costs, by search method.
//
// Their three cases: 1,600 particles of 1.2 g at 1000 kg/m³ (10.6 mm apart), viscosity 50 Pa s, steps of 2 ms, support
// 50 mm (4.7 spacings, 436 neighbours inside), ideal gas with k = 20, 40 and 70 J/kg, that is speeds of sound of 4.5,
// 6.3 and 8.4 m/s; no surface tension here. Then the same at twice the spacing, as fluids usually are. The column is
// 10 × 10 particles wide and 16 high; the tank, which the document does not give, is three times as long as the column
// and open at the top. Walls are planes, as theirs: particles are put back and lose the speed towards the wall and half
// of that along it. The fluid keeps its particles sorted by cell, for every method alike.
//
// One line of CSV for each case and method: milliseconds of a step in search and in everything else.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mote/fluid.h"
#include "mote/neighbors.h"

enum { COLUMN_X = 10, COLUMN_Y = 10, COLUMN_Z = 16, PARTICLES = COLUMN_X * COLUMN_Y * COLUMN_Z };

static const char *const methods[] = {"all_pairs", "spatial_hash", "cell_index"};
static const double stiffnesses[] = {20, 40, 70};      // k [J/kg]
static const double mass = 0.0012, rest_density = 1000;  // [kg], [kg/m³]
static const double longest_step = 0.002;              // [s]
static const double document_support = 0.05;           // [m]
static const double wall_loss = 0.5;                   // of the velocity along a wall

// The tank, as the mover sees it.
typedef struct tank {
    double high_x, high_y;  // [m]; its floor and other sides are at 0
} tank;

// One wall: back to it, without the speed towards it.
static void stop_at(double wall, double side, double *at, double *speed, double *along, double *across)
{
    if ((*at - wall) * side >= 0) return;
    *at = wall;
    if (*speed * side < 0) *speed = 0;
    *along *= 1 - wall_loss;
    *across *= 1 - wall_loss;
}

static void stay_inside(void *user_data, mote_vec3 from, mote_vec3 *at, mote_vec3 *v)
{
    (void)from;
    const tank *box = user_data;
    stop_at(0, 1, &at->x, &v->x, &v->y, &v->z);
    stop_at(box->high_x, -1, &at->x, &v->x, &v->y, &v->z);
    stop_at(0, 1, &at->y, &v->y, &v->x, &v->z);
    stop_at(box->high_y, -1, &at->y, &v->y, &v->x, &v->z);
    stop_at(0, 1, &at->z, &v->z, &v->x, &v->y);
}

static bool is_known(const char *name)
{
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m)
        if (strcmp(info->name, name) == 0) return true;
    return false;
}

// Directed pairs per particle, now.
static double neighbors_per_particle(mote_fluid *fluid, double support)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.method = "all_pairs";
    def.features = MOTE_NEIGHBORS_F64;
    def.radius = support;
    mote_fluid_view view;
    mote_neighbors *search;
    mote_lists lists;
    if (mote_fluid_get_view(fluid, &view, NULL) != MOTE_OK) return NAN;
    if (mote_neighbors_create(NULL, &def, &search, NULL) != MOTE_OK) return NAN;
    mote_points points = {{view.x, view.y, view.z}, sizeof(double), view.count, MOTE_F64, 3};
    bool found =
        mote_neighbors_update(search, points, NULL) == MOTE_OK && mote_neighbors_lists(search, &lists, NULL) == MOTE_OK;
    double mean = found ? (double)lists.total / (double)view.count : (double)NAN;
    mote_neighbors_destroy(search);
    return mean;
}

static mote_result make_fluid(mote_context *context, double stiffness, double support, const char *method,
                              mote_fluid **fluid, tank *box)
{
    mote_fluid_def def = mote_fluid_default_def();
    def.dimensions = 3;
    def.spacing = cbrt(mass / rest_density);
    def.support = support;
    def.state_equation = MOTE_STATE_IDEAL_GAS;
    def.neighbors = method;
    mote_error error;
    mote_phase_def liquid = mote_phase_default_def();
    liquid.rest_density = rest_density;
    liquid.sound_speed = sqrt(stiffness);
    liquid.viscosity = 50;
    uint32_t phase;
    mote_result result = mote_fluid_create(context, &def, fluid, &error);
    if (result == MOTE_OK) result = mote_fluid_add_phase(*fluid, &liquid, &phase, &error);
    if (result != MOTE_OK) {
        fprintf(stderr, "onderik_table_1: %s\n", error.text);
        return result;
    }
    static double positions[3 * PARTICLES];
    for (int i = 0; i < PARTICLES; ++i) {
        positions[3 * i] = (0.5 + i % COLUMN_X) * def.spacing;
        positions[3 * i + 1] = (0.5 + i / COLUMN_X % COLUMN_Y) * def.spacing;
        positions[3 * i + 2] = (0.5 + i / (COLUMN_X * COLUMN_Y)) * def.spacing;
    }
    *box = (tank){3 * COLUMN_X * def.spacing, COLUMN_Y * def.spacing};
    return mote_fluid_add(*fluid, 0, positions, NULL, PARTICLES, &error);
}

// Runs a case; prints its line. False when something failed or particles were lost.
static bool run_case(mote_context *context, int number, double support, const char *method, int steps)
{
    mote_fluid *fluid = NULL;
    tank box;
    mote_result result = make_fluid(context, stiffnesses[number], support, method, &fluid, &box);
    double start_neighbors = result == MOTE_OK ? neighbors_per_particle(fluid, support) : 0, dt = 0, time = 0;
    for (int s = 0; s < steps && result == MOTE_OK; ++s) {
        result = mote_fluid_time_step(fluid, &dt, NULL);
        if (dt > longest_step) dt = longest_step;
        if (result == MOTE_OK) result = mote_fluid_advance(fluid, dt, stay_inside, &box, NULL);
        time += dt;
    }
    if (result != MOTE_OK) {
        fprintf(stderr, "onderik_table_1: case %d, %s: %s\n", number + 1, method, mote_result_name(result));
        mote_fluid_destroy(fluid);
        return false;
    }
    mote_fluid_counters counters = mote_fluid_get_counters(fluid);
    double search = 1e3 * counters.search_seconds / (double)counters.steps;
    double total = 1e3 * counters.total_seconds / (double)counters.steps;
    printf("%d,%g,%.4f,%s,%.4f,%.4f,%.1f,%.1f,%.3f\n", number + 1, stiffnesses[number], support, method, search,
           total - search, start_neighbors, neighbors_per_particle(fluid, support), time);
    mote_fluid_destroy(fluid);
    return true;
}

int main(int argc, char **argv)
{
    int steps = argc == 3 && strcmp(argv[1], "--steps") == 0 ? atoi(argv[2]) : argc == 1 ? 300 : 0;
    if (steps < 1) {
        fprintf(stderr, "usage: onderik_table_1 [--steps N]\n");
        return 2;
    }
    mote_context_def context_def = mote_context_default_def();
    context_def.thread_count = 1;
    mote_context *context;
    if (mote_context_create(&context_def, &context, NULL) != MOTE_OK) return 1;
    bool done = true;
    printf("case,k,support,method,search_ms,dynamics_ms,neighbors_first,neighbors_last,simulated_s\n");
    for (int wide = 1; wide >= 0; --wide)
        for (int number = 0; number < 3; ++number)
            for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
                double support = wide ? document_support : 2 * cbrt(mass / rest_density);
                if (is_known(methods[m])) done &= run_case(context, number, support, methods[m], steps);
            }
    mote_context_destroy(context);
    return done ? 0 : 1;
}
