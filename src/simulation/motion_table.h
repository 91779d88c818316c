// SPDX-License-Identifier: MIT
// simulation/motion_table.h: motions that a table of times and places describes.
#ifndef MOTE_SIMULATION_MOTION_TABLE_H
#define MOTE_SIMULATION_MOTION_TABLE_H

#include "base/internal.h"
#include "mote/boundary.h"

typedef struct motion_table motion_table;

// Refuses rows that are no motion. `field` is the name of the table in messages.
mote_result mote_motion_table_check(const mote_motion *motion, const char *field, mote_error *error);
// Makes one of checked rows, which are copied. Destroy it in any case.
mote_result mote_motion_table_create(mote_context *context, const mote_motion *motion, motion_table **table);
void mote_motion_table_destroy(motion_table *table);
size_t mote_motion_table_byte_count(const motion_table *table);
// Values and first two derivatives of x, y, z [m] and the angle [degree].
void mote_motion_table_derive(const motion_table *table, double time, double curves[MOTE_MOTION_COLUMNS - 1][3]);
// The first row that is more than a spacing from the row before within a step; 0: none.
// @param reach   how far the body's farthest point goes per degree [m]
size_t mote_motion_table_find_jump(const motion_table *table, double spacing, double step, double reach);

#endif
