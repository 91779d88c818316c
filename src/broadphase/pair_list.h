// SPDX-License-Identifier: MIT
// broadphase/pair_list.h: pairs on their way to the result, as keys a << 32 | b. Each worker has a list of its own.
//
// Many boxes in one place have more pairs than any memory holds. As soon as there are more than the byte budget can
// take, workers go on without keeping them, so that the error can say how many there are.
#ifndef MOTE_BROADPHASE_PAIR_LIST_H
#define MOTE_BROADPHASE_PAIR_LIST_H

#include <stdatomic.h>

#include "base/internal.h"

// What the workers of a call know together.
typedef struct pair_tally {
    uint64_t most;                // pairs that the budget has room for: more are refused for certain
    uint64_t enough;              // no less: beyond so many nobody waits for the exact number
    uint64_t pause;               // beyond so many all lists end, for somebody else to count
    atomic_uint_least64_t found;  // as far as workers have told
} pair_tally;

typedef struct pair_list {
    const mote_context *context;
    pair_tally *tally;  // NULL: as many as there is memory for
    mote_buffer memory;
    uint64_t told;      // of the keys in the list: how many the tally knows of
    uint64_t left_out;  // pairs that were counted, but not kept
    bool is_counting;   // and keeps none any more
    bool has_ended;     // takes no more: memory ran out, or enough were counted
} pair_list;

// What became of all lists: `refused` if not all pairs were kept. `count` is their number, 0 if it is not known; with
// `has_more` there are more than that.
typedef struct pair_outcome {
    uint64_t count;
    bool refused, has_more;
} pair_outcome;

// @param held  bytes of buffers that the call fills anew, and which the budget has counted already. There is no pause
void mote_pair_tally_begin(pair_tally *tally, const mote_context *context, size_t held);

// An empty list; its memory stays.
void mote_pair_list_begin(pair_list *list, const mote_context *context, pair_tally *tally);

// Makes room for so many more keys behind the first *count, which becomes 0 if they are no longer kept. False if the
// list takes no more.
bool mote_pair_list_grow(pair_list *list, size_t *count, size_t room);

// Adds a list of `count` keys to the outcome, which begins as zero; mote_pair_outcome_end comes last.
void mote_pair_outcome_add(pair_outcome *outcome, const pair_list *list, size_t count);
void mote_pair_outcome_end(pair_outcome *outcome, const pair_tally *tally);

// MOTE_ERROR_OUT_OF_MEMORY, with the number of pairs in the error and the memory that they would take.
mote_result mote_pairs_refuse(const mote_context *context, mote_error *error, const pair_outcome *outcome);

#endif
