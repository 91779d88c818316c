// broadphase/box_pairs.h: which boxes of a tree meet each other.
#ifndef MOTE_BROADPHASE_BOX_PAIRS_H
#define MOTE_BROADPHASE_BOX_PAIRS_H

#include "broadphase/box_gather.h"

// What is kept from call to call. Zeroed, it is empty.
typedef struct box_pairs {
    mote_buffer workers, keys, spare;
    uint64_t tested;  // vectors of eight boxes, by the last call
} box_pairs;

// Finds all pairs of boxes that meet, each once, as smaller index << 32 | larger one, ascending. They stay until the
// next call.
// MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY
mote_result mote_box_pairs_find(const mote_context *context, box_pairs *pairs, const box_tree *tree,
                                const uint64_t **keys, size_t *count);
void mote_box_pairs_release(const mote_context *context, box_pairs *pairs);
size_t mote_box_pairs_byte_count(const box_pairs *pairs);

#endif
