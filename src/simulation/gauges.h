// SPDX-License-Identifier: MIT
// simulation/gauges.h: gauges. gauges.c keeps their rows, gauge_kinds.c measures, gauge_check.c refuses defs.
#ifndef MOTE_SIMULATION_GAUGES_H
#define MOTE_SIMULATION_GAUGES_H

#include <stdatomic.h>

#include "fluid/gauge.h"
#include "simulation/internal.h"

// What a rectangle has seen pass: particles in its direction minus those against it. Counts are exact in any order.
typedef struct gauge_passes {
    int axis;         // that the rectangle is normal to
    double plane;     // its place on that axis
    mote_vec3 min, max;
    double period[3];  // 0 along axes that are not periodic
    _Atomic int64_t in_step;  // of the step that is being made
    int64_t count;
    int64_t at_row;   // the count at the latest row
} gauge_passes;

// What a force has given since the latest row: as many forces times steps, and the same of moments about the origin.
typedef struct gauge_load {
    mote_vec3 force, moment;  // in the mean over the latest step
    mote_vec3 impulse, turn;
    double time;  // until which they are summed
} gauge_load;

typedef struct gauge_object {
    mote_gauge_def def;   // with the place of the latest row
    size_t number;        // in the def's list
    mote_expression *place[3];  // of t; NULL: the number
    bool moves;           // there are expressions
    int dimensions;
    double spacing;       // of the fluid [m]
    mote_box box;         // where it looks; without ends if the def says nothing
    mote_vec3 direction;  // of length 1
    double limit;         // of a front: where the tank ends in that direction; HUGE_VAL where it is open [m]
    mote_box column;      // of a height, cut off at the sides of the tank
    mote_box sides;       // these; without ends where the tank is open
    double floor;         // z of the tank's floor; NaN: there is none
    int side;             // of a force: 0 … 5 are x_min, x_max, y_min … z_max of the tank, 6 + k is solid k
    gauge_passes passes;
    gauge_load load;
    gauge_scratch scratch;

    uint64_t row_count;
    uint64_t next;  // the next row is due at this multiple of `every`
    double time;    // of the latest row
    double values[MOTE_GAUGE_VALUES];
} gauge_object;

// Measures: fills in the values, which are NaN before.
typedef mote_result gauge_measure(mote_simulation *simulation, gauge_object *gauge, double *values,
                                  mote_error *error);

// gauge_kinds.c: the function of a kind.
gauge_measure *mote_gauge_measure_of(int32_t kind);
// Takes part in every step, whether a row is due or not, for the kinds that sum up: forces and moments.
mote_result mote_gauge_follow(mote_simulation *simulation, gauge_object *gauge, mote_error *error);
// The number of wall particles that a gauge takes the mean of, for the kind that does.
mote_result mote_gauge_count_walls(mote_simulation *simulation, gauge_object *gauge, size_t *walls,
                                   mote_error *error);
// Whether a gauge is within 1.5 spacings of a body without wall particles whose pressure it could tell: it would tell
// that of others, as of the floor below, or 0.
// @param solid  receives the body's number in the def, if so
bool mote_gauge_is_beside_bare_solid(const mote_simulation *simulation, const gauge_object *gauge, size_t *solid);

// gauge_check.c: checks all gauges of a def; fills in what a gauge derives from the def.
mote_result mote_gauges_check(mote_context *context, const mote_simulation_def *def, mote_error *error);
void mote_gauge_prepare(gauge_object *gauge, const mote_simulation_def *def);
// Compiles the expressions of its place, which the def has under this number. Close it in any case.
mote_result mote_gauge_open_place(mote_context *context, gauge_object *gauge, size_t number, mote_error *error);
void mote_gauge_close_place(gauge_object *gauge);
// Where it is at a time, in its def; and its column.
mote_result mote_gauge_move(gauge_object *gauge, double time, mote_error *error);

#endif
