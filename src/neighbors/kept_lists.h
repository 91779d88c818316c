// SPDX-License-Identifier: MIT
// neighbors/kept_lists.h: the lists of the latest call, and memory of lists that was taken and given back.
#ifndef MOTE_NEIGHBORS_KEPT_LISTS_H
#define MOTE_NEIGHBORS_KEPT_LISTS_H

#include "neighbors/list_memory.h"

// Lets the search's next lists use the largest memory that it has: that of the previous lists, or one that was given
// back.
void mote_kept_memory_use(mote_neighbors *search);
// Frees the memory that was given back. Returns whether there was any.
bool mote_kept_memory_drop(mote_neighbors *search);

// Lists in the search's own memory, which can be taken from now on.
void mote_latest_lists_note(mote_neighbors *search, const mote_lists *lists);
// From now on there are no lists to take, and no rows from which pairs can be written.
void mote_latest_lists_forget(mote_neighbors *search);

// Frees what was given back. Lists that are still kept stay valid.
void mote_kept_memory_release(mote_neighbors *search);
size_t mote_kept_memory_byte_count(const mote_neighbors *search);

#endif
