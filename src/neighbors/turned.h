// SPDX-License-Identifier: MIT
// neighbors/turned.h: rows the other way round. If points have found the rows of their neighbours in another set, the
// other set's rows among these points hold the same pairs.
#ifndef MOTE_NEIGHBORS_TURNED_H
#define MOTE_NEIGHBORS_TURNED_H

#include "neighbors/internal.h"

// Makes the rows of `count` points from the rows in which they are found. Of these, only the indices are turned round.
// @param from     fewer than 2^32 neighbours in all
// @param order    the order of the rows in `from`, in which neighbours of the new rows follow each other; NULL: theirs
// @param room     neighbours for which there is to be room at least
// @param scratch  used during the call
// @param memory   of the new rows
mote_result mote_rows_turn(const mote_context *context, const mote_lists *from, const uint32_t *order, size_t count,
                           uint64_t room, mote_buffer *scratch, list_memory *memory, mote_lists *lists);

#endif
