// SPDX-License-Identifier: MIT
// The arrays of the fluid's particles, and the origin of their float coordinates.

#include <string.h>

#include "base/vector.h"
#include "fluid/internal.h"

const particle_field mote_fluid_particle_fields[FLUID_ARRAY_COUNT] = {
    FLUID_SHARED_FIELDS
    [FLUID_BEND_X] = FLUID_FIELD("bend_x", "1/s", F32),
    [FLUID_BEND_Y] = FLUID_FIELD("bend_y", "1/s", F32),
    [FLUID_BEND_Z] = FLUID_FIELD("bend_z", "1/s", F32),
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

void mote_fluid_swap_particles(mote_fluid *fluid, size_t i, size_t j)
{
    particle_store *store = &fluid->particles;
    char kept[64];
    if (i == j) return;
    for (size_t a = 0; a < store->field_count; ++a) {
        const size_t bytes = mote_particle_bytes(&store->fields[a]);
        char *first = (char *)store->arrays[a].data + i * bytes, *second = (char *)store->arrays[a].data + j * bytes;
        MOTE_ASSERT(bytes <= sizeof kept);
        memcpy(kept, first, bytes);
        memcpy(first, second, bytes);
        memcpy(second, kept, bytes);
    }
}

// Whichever of the two parts is shorter goes to the other's end.
void mote_fluid_adopt_added(mote_fluid *fluid, size_t added)
{
    const size_t count = fluid->particles.count, held = fluid->open.held, first = count - added - held;
    for (size_t k = 0; k < MOTE_MIN(added, held); ++k) mote_fluid_swap_particles(fluid, first + k, count - 1 - k);
}
