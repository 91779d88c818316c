// SPDX-License-Identifier: MIT
// fluid/section.h: what scenes call "fluid": how it is computed and what it consists of, in one table of fields.
#ifndef MOTE_FLUID_SECTION_H
#define MOTE_FLUID_SECTION_H

#include "mote/fluid.h"

// A simulation's def has both, one behind the other.
typedef struct fluid_section {
    mote_fluid_def fluid;
    mote_phase_def phase;
} fluid_section;

const mote_field_table *mote_fluid_section_fields(void);

#endif
