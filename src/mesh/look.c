// SPDX-License-Identifier: MIT
// How a mesh is drawn: defaults and fields.

#include "base/internal.h"
#include "mesh/look.h"
#include "mote/mesh.h"

static const mote_field fields[] = {MOTE_LOOK_FIELDS(mote_look_def, )};
static const mote_field_table table = {"look", "how a mesh is drawn", fields, sizeof fields / sizeof fields[0]};

const mote_field_table *mote_look_fields(void)
{
    return &table;
}

mote_look_def mote_look_default_def(void)
{
    mote_look_def def = {0};
    mote_fields_set_defaults(&table, &def);
    return def;
}
