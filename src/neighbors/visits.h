// SPDX-License-Identifier: MIT
// neighbors/visits.h: for the levels above: visits that leave out rows which nobody asks for.
#ifndef MOTE_NEIGHBORS_VISITS_H
#define MOTE_NEIGHBORS_VISITS_H

#include "mote/neighbors.h"

// Passes rows of a set in itself to `visitor`, as mote_neighbors_visit_sets does, of its first `count` points only.
// Rows of others may be passed as well: cell_grid leaves out cells with none of these points, other methods nothing.
// @param wanted  a flag for each of the `count` points: rows of those with 0 may be left out, too; NULL: all are wanted
mote_result mote_neighbors_visit_some(mote_neighbors *search, uint32_t set, const uint8_t *wanted, size_t count,
                                      mote_neighbors_visitor *visitor, void *user_data, mote_error *error);

#endif
