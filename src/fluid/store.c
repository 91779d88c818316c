// SPDX-License-Identifier: MIT
// The arrays of the fluid's particles, and the origin of their float coordinates.

#include "base/vector.h"
#include "fluid/internal.h"

#define FIELD(field_name, field_unit, field_type)                                                \
    {                                                                                            \
        .name = field_name, .unit = field_unit, .type = MOTE_ARRAY_##field_type, .components = 1 \
    }

const particle_field mote_fluid_particle_fields[FLUID_ARRAY_COUNT] = {
    [FLUID_ID] = FIELD("id", "", U64),
    [FLUID_X] = FIELD("x", "m", F64),
    [FLUID_Y] = FIELD("y", "m", F64),
    [FLUID_Z] = FIELD("z", "m", F64),
    [FLUID_VX] = FIELD("vx", "m/s", F32),
    [FLUID_VY] = FIELD("vy", "m/s", F32),
    [FLUID_VZ] = FIELD("vz", "m/s", F32),
    [FLUID_AX] = FIELD("ax", "m/s^2", F32),
    [FLUID_AY] = FIELD("ay", "m/s^2", F32),
    [FLUID_AZ] = FIELD("az", "m/s^2", F32),
    [FLUID_DENSITY] = FIELD("density", "kg/m^3", F32),
    [FLUID_PRESSURE] = FIELD("pressure", "Pa", F32),
    [FLUID_PHASE] = FIELD("phase", "", U8),
    [FLUID_RATE] = FIELD("rate", "1/s", F32),
    [FLUID_BEND_X] = FIELD("bend_x", "1/s", F32),
    [FLUID_BEND_Y] = FIELD("bend_y", "1/s", F32),
    [FLUID_BEND_Z] = FIELD("bend_z", "1/s", F32),
};

mote_result mote_fluid_out_of_memory(mote_fluid *fluid, const char *what, mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "fluid: no memory for %s of %zu particles", what,
                     fluid->particles.count);
}

void mote_fluid_set_origin(mote_fluid *fluid, const double *positions, size_t count)
{
    if (fluid->particles.count || fluid->wall_count) return;
    mote_box box = mote_box_empty();
    for (size_t i = 0; i < count; ++i)
        box = mote_box_add_point(box, mote_vec3_make(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]));
    fluid->origin = mote_vec3_scale(mote_vec3_add(box.min, box.max), 0.5);
    if (fluid->def.dimensions == 2) fluid->origin.y = 0;
}
