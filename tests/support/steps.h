// SPDX-License-Identifier: MIT
// support/steps.h: a step of a simulation, for test_failing_allocations.
#ifndef MOTE_TEST_STEPS_H
#define MOTE_TEST_STEPS_H

#include "mote/simulation.h"

// Makes what the def describes and takes one step. @param data  a mote_simulation_def
static inline mote_result test_create_and_step(mote_context *context, void *data)
{
    mote_simulation *simulation;
    mote_result result = mote_simulation_create(context, data, &simulation, NULL);
    if (result != MOTE_OK) return result;
    result = mote_simulation_step(simulation, 1, NULL, NULL);
    mote_simulation_destroy(simulation);
    return result;
}

#endif
