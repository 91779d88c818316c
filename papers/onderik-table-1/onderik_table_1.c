// SPDX-License-Identifier: MIT
// Table I of Onderik & Ďurikovič 2008: what a step of a small dam break costs, by search method.
//
// Their three cases (papers/onderik.h), then the same with a support of twice the spacing, as fluids usually have. The
// fluid keeps its particles sorted by cell, for every method alike. With the search by cell index each case runs with
// its surface tension (eq. 9), too.
//
// One line of CSV for each case and method: milliseconds of a step in search and in everything else.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mote/fluid.h"
#include "mote/neighbors.h"
#include "onderik.h"

static const char *const methods[] = {"all_pairs", "spatial_hash", "cell_index"};

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

static mote_result make_fluid(mote_context *context, double stiffness, double tension, double support,
                              const char *method, mote_fluid **fluid)
{
    mote_fluid_def def = mote_fluid_default_def();
    mote_error error;
    def.dimensions = 3;
    def.spacing = dam_spacing();
    def.support = support;
    def.state_equation = MOTE_STATE_IDEAL_GAS;
    def.neighbors = method;
    def.neighbor_lists = MOTE_LISTS_KEPT;  // so that the search is timed apart from the loops
    const mote_result result = dam_create(context, &def, stiffness, tension, fluid, &error);
    if (result != MOTE_OK) fprintf(stderr, "onderik_table_1: %s\n", error.text);
    return result;
}

// Runs a case; prints its line. False when something failed or particles were lost.
static bool run_case(mote_context *context, int number, double tension, double support, const char *method, int steps)
{
    mote_fluid *fluid = NULL;
    dam_tank box = dam_tank_of_column();
    mote_result result = make_fluid(context, dam_stiffnesses[number], tension, support, method, &fluid);
    double start_neighbors = result == MOTE_OK ? neighbors_per_particle(fluid, support) : 0, dt = 0, time = 0;
    for (int s = 0; s < steps && result == MOTE_OK; ++s) {
        result = mote_fluid_time_step(fluid, &dt, NULL);
        if (dt > dam_step) dt = dam_step;
        if (result == MOTE_OK) result = mote_fluid_advance(fluid, dt, dam_stay_inside, &box, NULL);
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
    printf("%d,%g,%.4f,%s,%.4f,%.4f,%.1f,%.1f,%.3f,%g\n", number + 1, dam_stiffnesses[number], support, method, search,
           total - search, start_neighbors, neighbors_per_particle(fluid, support), time, tension);
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
    printf("case,k,support,method,search_ms,dynamics_ms,neighbors_first,neighbors_last,simulated_s,tension\n");
    for (int wide = 1; wide >= 0; --wide)
        for (int number = 0; number < DAM_CASES; ++number) {
            const double support = wide ? dam_support : 2 * dam_spacing();
            for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m)
                if (is_known(methods[m])) done &= run_case(context, number, 0, support, methods[m], steps);
            done &= run_case(context, number, dam_tensions[number], support, "cell_index", steps);
        }
    mote_context_destroy(context);
    return done ? 0 : 1;
}
