// SPDX-License-Identifier: MIT
// support/water.h: fluids of tests: of a phase, or of water with a speed of sound [m/s] where the material does not
// matter.
#ifndef MOTE_TEST_WATER_H
#define MOTE_TEST_WATER_H

#include "mote/fluid.h"
#include "support/test.h"

static inline mote_result add_water(mote_fluid *fluid, double sound_speed, mote_error *error)
{
    mote_phase_def water = mote_phase_default_def();
    uint32_t phase;
    water.sound_speed = sound_speed;
    return mote_fluid_add_phase(fluid, &water, &phase, error);
}

// Fails the test if that fails.
static inline mote_fluid *fluid_of_phase(mote_context *context, const mote_fluid_def *def,
                                         const mote_phase_def *material)
{
    mote_fluid *fluid;
    mote_error error;
    uint32_t phase;
    mote_result result = mote_fluid_create(context, def, &fluid, &error);
    if (result == MOTE_OK) result = mote_fluid_add_phase(fluid, material, &phase, &error);
    CHECK(result == MOTE_OK, "%s", error.text);
    return fluid;
}

// How many particles inside the fluid have a pressure below 0.
static inline size_t count_stretched(mote_fluid *fluid)
{
    mote_array surface;
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    CHECK_OK(mote_fluid_get_array(fluid, "surface", &surface, NULL));
    const float *inside = surface.component[0];
    size_t count = 0;
    for (size_t i = 0; i < view.count; ++i) count += inside[i] > 0.75f && view.pressure[i] < 0;
    return count;
}

#endif
