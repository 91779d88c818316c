// SPDX-License-Identifier: MIT
// broadphase/box_count.h: how many boxes of a tree meet each other.
#ifndef MOTE_BROADPHASE_BOX_COUNT_H
#define MOTE_BROADPHASE_BOX_COUNT_H

#include "broadphase/box_tree.h"
#include "broadphase/pair_list.h"

// Counts the pairs that mote_box_pairs_find finds, in less time where there are very many of them.
// @param most     more are refused; beyond it the number may be left open where counting takes long
// @param outcome  the number of pairs, and whether it is refused
// MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY
mote_result mote_box_pairs_count(const mote_context *context, const box_tree *tree, uint64_t most,
                                 pair_outcome *outcome);

#endif
