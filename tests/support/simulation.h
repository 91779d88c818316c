// SPDX-License-Identifier: MIT
// support/simulation.h: simulations of tests.
#ifndef MOTE_TEST_SIMULATION_H
#define MOTE_TEST_SIMULATION_H

#include "mote/simulation.h"
#include "support/test.h"

// Fails the test if that fails.
static inline mote_simulation *make_simulation(mote_context *context, const mote_simulation_def *def)
{
    mote_simulation *simulation;
    mote_error error = {0};
    const mote_result result = mote_simulation_create(context, def, &simulation, &error);
    CHECK(result == MOTE_OK, "%s", error.text);
    return simulation;
}

#endif
