// SPDX-License-Identifier: MIT
// What inlets, outlets (openings.c) and drains (drains.c) have in common: names that differ, as quantities tell what
// passes each by its name; holes in the walls of others; and the moment at which they open the fluid.

#include <string.h>

#include "fluid/peek.h"
#include "simulation/internal.h"

// The name of an opening by one number for inlets, then outlets, then drains; NULL beyond the last.
static const char *opening_name(const mote_simulation_def *def, size_t k, const char **part, size_t *element)
{
    *part = "inlets", *element = k;
    if (k < def->inlet_count) return def->inlets[k].name;
    *part = "outlets", *element = k -= def->inlet_count;
    if (k < def->outlet_count) return def->outlets[k].name;
    *part = "drains", *element = k -= def->outlet_count;
    return k < def->drain_count ? def->drains[k].name : NULL;
}

mote_result mote_openings_check_names(const mote_simulation_def *def, mote_error *error)
{
    const char *name, *part, *other_name, *other_part;
    size_t element, other;
    for (size_t k = 1; (name = opening_name(def, k, &part, &element)) != NULL; ++k)
        for (size_t j = 0; j < k; ++j) {
            other_name = opening_name(def, j, &other_part, &other);
            if (strcmp(name, other_name) != 0) continue;
            return mote_fail(error, MOTE_ERROR_ARGUMENT, element,
                             "%s[%zu].name is \"%.64s\", expected another name than that of %s[%zu]", part, element,
                             name, other_part, other);
        }
    return MOTE_OK;
}

bool mote_openings_exist(const mote_simulation *simulation)
{
    for (size_t k = 0; k < simulation->object_count; ++k)
        if (simulation->objects[k].kind->open) return true;
    return false;
}

static bool is_open_at(const mote_simulation *simulation, mote_vec3 place)
{
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (object->kind->is_open && object->kind->is_open(object->state, place)) return true;
    }
    return false;
}

void mote_openings_cut(const mote_simulation *simulation, point_list *walls)
{
    double *at = walls->positions.data, *volumes = walls->volumes.data;
    fluid_sample *samples = walls->samples.data;
    uint32_t *parts = walls->parts.data;
    size_t kept = 0;
    if (!mote_openings_exist(simulation)) return;
    for (size_t i = 0; i < walls->count; ++i) {
        if (is_open_at(simulation, mote_vec3_make(at[3 * i], at[3 * i + 1], at[3 * i + 2]))) continue;
        memmove(at + 3 * kept, at + 3 * i, 3 * sizeof *at);
        if (volumes) volumes[kept] = volumes[i];
        if (samples) samples[kept] = samples[i];
        if (parts) parts[kept] = parts[i];
        ++kept;
    }
    walls->count = kept;
}

mote_result mote_openings_open(mote_simulation *simulation, mote_fluid *fluid, const mote_simulation_def *def,
                               mote_error *error)
{
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < simulation->object_count && result == MOTE_OK; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (object->kind->open) result = object->kind->open(simulation, object->state, fluid, def, error);
    }
    return result;
}
