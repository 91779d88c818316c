// SPDX-License-Identifier: MIT
// The list of objects.

#include <string.h>

#include "simulation/internal.h"

void *mote_simulation_add(mote_simulation *simulation, const object_kind *kind, const char *name, mote_error *error)
{
    const size_t count = simulation->object_count, size = sizeof *simulation->objects;
    void *state = mote_allocate(simulation->context, kind->state_bytes);
    if (!state || mote_buffer_reserve(simulation->context, &simulation->object_memory, (count + 1) * size,
                                      count * size) != MOTE_OK) {
        mote_release(simulation->context, state, kind->state_bytes);
        mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "simulation: no memory for a %s", kind->name);
        return NULL;
    }
    memset(state, 0, kind->state_bytes);
    simulation->objects = simulation->object_memory.data;
    simulation->objects[simulation->object_count++] = (simulation_object){.kind = kind, .name = name, .state = state};
    return state;
}

void *mote_simulation_find(const mote_simulation *simulation, const object_kind *kind)
{
    for (size_t k = 0; k < simulation->object_count; ++k)
        if (simulation->objects[k].kind == kind) return simulation->objects[k].state;
    return NULL;
}
