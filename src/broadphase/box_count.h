// SPDX-License-Identifier: MIT
// broadphase/box_count.h: counts how many pairs of boxes of a tree meet.
#ifndef MOTE_BROADPHASE_BOX_COUNT_H
#define MOTE_BROADPHASE_BOX_COUNT_H

#include "broadphase/box_tree.h"
#include "broadphase/pair_list.h"

// Counts the pairs that mote_box_pairs_find finds, in less time if there are very many of them.
// @param most     a larger number is refused; the count may then be incomplete if counting takes long
// @param outcome  the number of pairs, and whether it is refused
// @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY
mote_result mote_box_pairs_count(const mote_context *context, const box_tree *tree, uint64_t most,
                                 pair_outcome *outcome);

#endif
