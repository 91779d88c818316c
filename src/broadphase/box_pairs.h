// SPDX-License-Identifier: MIT
// broadphase/box_pairs.h: finds which boxes of a tree meet each other.
#ifndef MOTE_BROADPHASE_BOX_PAIRS_H
#define MOTE_BROADPHASE_BOX_PAIRS_H

#include "broadphase/box_gather.h"
#include "broadphase/pair_list.h"

// The memory kept from call to call. Zeroed, it is empty.
typedef struct box_pairs {
    mote_buffer workers, keys, spare;
    pair_tally tally;
    uint64_t tested;  // vectors of eight boxes that the last call tested
} box_pairs;

// Finds all pairs of boxes that meet, each once, as smaller index << 32 | larger one, ascending. They stay valid
// until the next call.
// @param held  bytes of buffers that the caller fills with the result
// @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY; in both cases the outcome's count is the number of pairs
mote_result mote_box_pairs_find(const mote_context *context, box_pairs *pairs, const box_tree *tree, size_t held,
                                const uint64_t **keys, pair_outcome *outcome);
void mote_box_pairs_release(const mote_context *context, box_pairs *pairs);
size_t mote_box_pairs_byte_count(const box_pairs *pairs);

#endif
