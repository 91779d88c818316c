// SPDX-License-Identifier: MIT
// The parts of a simulation's def, in the order of scenes and reports: a new part is one line here.

#include <string.h>

#include "fluid/section.h"
#include "simulation/internal.h"

#define AT(member) offsetof(mote_simulation_def, member)

_Static_assert(AT(phase) == AT(fluid) + offsetof(fluid_section, phase), "the section of scenes is both");

static void use_fluid_preset(void *part)
{
    mote_fluid_def *def = part;
    mote_fluid_choose_preset(def, def->preset, NULL);
}

static const mote_simulation_part parts[] = {
    {"fluid", mote_fluid_section_fields, sizeof(fluid_section), AT(fluid), 0, 0, true, false, NULL, use_fluid_preset},
    {"fluids", mote_named_phase_fields, sizeof(mote_named_phase), AT(fluids), AT(fluid_count), 0, false, false,
     NULL, NULL},
    {"tensions", mote_named_tension_fields, sizeof(mote_named_tension), AT(tensions), AT(tension_count), 0, false,
     false, NULL, NULL},
    {"tank", mote_tank_fields, sizeof(mote_tank_def), AT(tank), 0, AT(has_tank), false, false, NULL, NULL},
    {"periodic", mote_period_fields, sizeof(mote_period_def), AT(periodic), 0, AT(has_periodic), false, false,
     NULL, NULL},
    {"blocks", mote_block_fields, sizeof(mote_block_def), AT(blocks), AT(block_count), 0, true, false, "inlets",
     NULL},
    {"solids", mote_solid_fields, sizeof(mote_solid_def), AT(solids), AT(solid_count), 0, false, false, NULL, NULL},
    {"damping", mote_damping_fields, sizeof(mote_damping_def), AT(damping), AT(damping_count), 0, false, false,
     NULL, NULL},
    {"inlets", mote_inlet_fields, sizeof(mote_open_end), AT(inlets), AT(inlet_count), 0, false, false, NULL, NULL},
    {"outlets", mote_outlet_fields, sizeof(mote_open_end), AT(outlets), AT(outlet_count), 0, false, false, NULL, NULL},
    {"drains", mote_named_drain_fields, sizeof(mote_named_drain), AT(drains), AT(drain_count), 0, false, false,
     NULL, NULL},
    {"grains", mote_grains_fields, sizeof(mote_grains_def), AT(grains), 0, AT(has_grains), false, true, NULL, NULL},
    {"gauges", mote_gauge_fields, sizeof(mote_gauge_def), AT(gauges), AT(gauge_count), 0, false, false, NULL, NULL},
};

const mote_simulation_part *mote_simulation_part_at(size_t index)
{
    return index < sizeof parts / sizeof *parts ? &parts[index] : NULL;
}

const void *mote_simulation_part_structs(const mote_simulation_def *def, const mote_simulation_part *part,
                                         size_t *count)
{
    if (count) *count = 0;
    if (!def || !part || !count) return NULL;
    const char *at = (const char *)def;
    if (part->count_offset) {
        const void *list;
        memcpy(count, at + part->count_offset, sizeof *count);
        memcpy(&list, at + part->offset, sizeof list);
        return list;
    }
    bool has = true;
    if (part->has_offset) memcpy(&has, at + part->has_offset, sizeof has);
    *count = has;
    return at + part->offset;
}
