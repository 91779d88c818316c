// SPDX-License-Identifier: MIT
// The points of a search in the order of its cells, for the levels above.

#include "neighbors/sorted.h"

#include "neighbors/sets_state.h"

bool mote_neighbors_sorted_points(const mote_neighbors *search, mote_points *points, const uint32_t **numbers)
{
    if (search && mote_sets_are_held(search))
        search = search->sets->count > 0 ? mote_set_get(search->sets, 0)->search : NULL;
    return search && search->has_points && search->method && mote_set_get_sorted(search, points, numbers);
}
