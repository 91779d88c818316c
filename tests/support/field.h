// SPDX-License-Identifier: MIT
// support/field.h: boxes that are fields (MOTE_BOUNDARY_FIELD), to test with.
#ifndef MOTE_TEST_FIELD_H
#define MOTE_TEST_FIELD_H

#include "fluid/tested.h"
#include "mote/simulation.h"

#define FIELD_SPACING 0.05  // of all particles [m]

// The distance from a mote_box; infinite beyond `reach`.
void field_distance_from_box(const void *body, mote_vec3 p, double reach, double *distance, mote_vec3 *normal);

// A fluid without particles beside a box, which has to stay until the fluid is destroyed.
// @param solver  a mote_fluid_solver
// @param kernel  by name; NULL: the solver's
// @param period  NULL: there is none
mote_fluid *field_fluid(mote_context *context, int32_t solver, int dimensions, mote_box *box, const char *kernel,
                        const mote_period_def *period);

// A simulation in 2D with the preset engineering, of one block and up to two boxes that are fields.
typedef struct field_boxes {
    mote_block_def block;
    mote_solid_def solids[2];
    mote_mesh *meshes[2];
    mote_simulation_def def;
} field_boxes;

void field_boxes_fill(field_boxes *made, mote_box block);
mote_solid_def *field_boxes_add(field_boxes *made, mote_box box);
mote_simulation *field_boxes_make(const field_boxes *made);
// @param simulation  may be NULL
void field_boxes_release(field_boxes *made, mote_simulation *simulation);

#endif
