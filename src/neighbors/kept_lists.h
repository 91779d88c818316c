// SPDX-License-Identifier: MIT
// neighbors/kept_lists.h: the lists of the latest call, and memory of lists that was taken and given back.
#ifndef MOTE_NEIGHBORS_KEPT_LISTS_H
#define MOTE_NEIGHBORS_KEPT_LISTS_H

#include "neighbors/rows.h"

// Finds the rows of a request as the search's own lists, which can then be taken. Uses the largest memory that the
// search has: that of the previous lists, or one that was given back.
mote_result mote_latest_lists_store(mote_neighbors *search, const row_request *request, mote_lists *lists,
                                    mote_error *error);

// From now on there are no lists to take.
void mote_latest_lists_forget(mote_neighbors *search);

// Frees what was given back. Lists that are still kept stay valid.
void mote_kept_memory_release(mote_neighbors *search);
size_t mote_kept_memory_byte_count(const mote_neighbors *search);

#endif
