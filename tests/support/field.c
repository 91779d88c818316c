// SPDX-License-Identifier: MIT
#include "support/field.h"

#include "support/test.h"

void field_distance_from_box(const void *body, mote_vec3 p, double reach, double *distance, mote_vec3 *normal)
{
    const mote_box *box = body;
    const double out[3] = {fmax(box->min.x - p.x, p.x - box->max.x), fmax(box->min.y - p.y, p.y - box->max.y),
                           fmax(box->min.z - p.z, p.z - box->max.z)};
    const double inside = fmax(out[0], fmax(out[1], out[2]));
    const double outside = sqrt(pow(fmax(out[0], 0), 2) + pow(fmax(out[1], 0), 2) + pow(fmax(out[2], 0), 2));
    *distance = inside > 0 ? outside : inside;
    *normal = (mote_vec3){0, 0, 0};
    if (fabs(*distance) > reach) *distance = copysign(HUGE_VAL, *distance);
}

mote_fluid *field_fluid(mote_context *context, int32_t solver, int dimensions, mote_box *box, const char *kernel,
                        const mote_period_def *period)
{
    mote_fluid_def def = mote_fluid_default_def();
    mote_phase_def phase = mote_phase_default_def();
    mote_fluid *fluid;
    uint32_t number;
    if (solver == MOTE_SOLVER_WEAK) mote_fluid_choose_preset(&def, MOTE_PRESET_ENGINEERING, NULL);
    def.dimensions = dimensions, def.spacing = FIELD_SPACING, def.kernel = kernel;
    phase.sound_speed = 20;
    if (solver == MOTE_SOLVER_WEAK) phase.viscosity = 50;
    if (dimensions == 2) box->min.y = -10, box->max.y = 10;
    CHECK_OK(mote_fluid_create(context, &def, &fluid, NULL));
    CHECK_OK(mote_fluid_add_phase(fluid, &phase, &number, NULL));
    if (period) CHECK_OK(mote_fluid_set_period(fluid, period, NULL));
    CHECK_OK(mote_fluid_add_field(fluid, 0, *box, field_distance_from_box, box, NULL, NULL));
    return fluid;
}

void field_boxes_fill(field_boxes *made, mote_box block)
{
    memset(made, 0, sizeof *made);
    made->def = mote_simulation_default_def();
    mote_fluid_choose_preset(&made->def.fluid, MOTE_PRESET_ENGINEERING, NULL);
    made->def.fluid.dimensions = 2, made->def.fluid.spacing = FIELD_SPACING;
    made->block = mote_block_default_def();
    made->block.min = block.min, made->block.max = block.max;
    made->def.blocks = &made->block, made->def.block_count = 1;
    made->def.solids = made->solids;
}

mote_solid_def *field_boxes_add(field_boxes *made, mote_box box)
{
    const size_t k = made->def.solid_count++;
    mote_solid_def *solid = &made->solids[k];
    *solid = mote_solid_default_def();
    solid->name = k ? "upper" : "lower", solid->shape.kind = MOTE_SOLID_BOX, solid->boundary = MOTE_BOUNDARY_FIELD;
    solid->shape.box = box;
    CHECK_OK(mote_mesh_create_shape(NULL, &solid->shape, 2, FIELD_SPACING, &made->meshes[k], NULL));
    solid->mesh = made->meshes[k];
    return solid;
}

mote_simulation *field_boxes_make(const field_boxes *made)
{
    mote_simulation *simulation;
    mote_error error = {0};
    CHECK(mote_simulation_create(NULL, &made->def, &simulation, &error) == MOTE_OK, "%s", error.text);
    return simulation;
}

void field_boxes_release(field_boxes *made, mote_simulation *simulation)
{
    mote_simulation_destroy(simulation);
    for (int k = 0; k < 2; ++k) mote_mesh_destroy(made->meshes[k]);
}
