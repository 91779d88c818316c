// SPDX-License-Identifier: MIT
// support/water.h: a phase for fluids of tests whose material does not matter: water with a speed of sound [m/s].
#ifndef MOTE_TEST_WATER_H
#define MOTE_TEST_WATER_H

#include "mote/fluid.h"

static inline mote_result add_water(mote_fluid *fluid, double sound_speed, mote_error *error)
{
    mote_phase_def water = mote_phase_default_def();
    uint32_t phase;
    water.sound_speed = sound_speed;
    return mote_fluid_add_phase(fluid, &water, &phase, error);
}

#endif
