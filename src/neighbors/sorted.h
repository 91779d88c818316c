// SPDX-License-Identifier: MIT
// neighbors/sorted.h: for the levels above: the points of a search in the order of its cells, in which those that are
// near each other follow each other. A finer order than that of cells is left to whoever needs it.
#ifndef MOTE_NEIGHBORS_SORTED_H
#define MOTE_NEIGHBORS_SORTED_H

#include "mote/neighbors.h"

// The points of the latest update (of sets: of the first one), by the z, y and x of their cells, then by number.
// @param search        may be NULL
// @param[out] points   floats, the search's until its next update
// @param[out] numbers  the caller's number of each
// @return              false, and nothing written, if the search has no points, or not in this order as floats: other
//                      methods than cell_grid, doubles, radii, periods and skins
bool mote_neighbors_sorted_points(const mote_neighbors *search, mote_points *points, const uint32_t **numbers);

#endif
