// SPDX-License-Identifier: MIT
// broadphase/pair_list.h: lists of pairs before they become the result, as keys a << 32 | b. Each worker has its own
// list.
//
// Many boxes in one place have more pairs than any memory can hold. When there are more than the byte budget has
// room for, workers go on without storing them, so that the error can say how many there are.
#ifndef MOTE_BROADPHASE_PAIR_LIST_H
#define MOTE_BROADPHASE_PAIR_LIST_H

#include <stdatomic.h>

#include "base/internal.h"

// The counts that the workers of a call share.
typedef struct pair_tally {
    uint64_t most;                // pairs that the budget has room for: more are always refused
    uint64_t enough;              // at least `most`: beyond this number the exact count is not needed
    uint64_t pause;               // beyond this number all lists end, and the caller counts by other means
    atomic_uint_least64_t found;  // as far as workers have reported
} pair_tally;

typedef struct pair_list {
    const mote_context *context;
    pair_tally *tally;  // NULL: the only limit is the memory
    mote_buffer memory;
    uint64_t told;      // number of keys in the list that the tally includes
    uint64_t left_out;  // pairs that were counted, but not stored
    bool is_counting;   // stores no more pairs
    bool has_ended;     // takes no more pairs: memory ran out, or enough were counted
} pair_list;

// The result of all lists: `refused` if not all pairs were stored. `count` is their number, 0 if it is not known;
// with `has_more` there are more than that.
typedef struct pair_outcome {
    uint64_t count;
    bool refused, has_more;
} pair_outcome;

// @param held  bytes of buffers that the call fills anew, and that the budget includes already. There is no pause
void mote_pair_tally_begin(pair_tally *tally, const mote_context *context, size_t held);

// Makes a list empty; its memory stays.
void mote_pair_list_begin(pair_list *list, const mote_context *context, pair_tally *tally);

// Makes room for `room` more keys after the first *count, which becomes 0 if they are no longer stored. Returns
// false if the list takes no more.
bool mote_pair_list_grow(pair_list *list, size_t *count, size_t room);

// Adds a list of `count` keys to the outcome, which starts zeroed; call mote_pair_outcome_end last.
void mote_pair_outcome_add(pair_outcome *outcome, const pair_list *list, size_t count);
void mote_pair_outcome_end(pair_outcome *outcome, const pair_tally *tally);

// Returns MOTE_ERROR_OUT_OF_MEMORY, and puts the number of pairs and the memory that they would need into the error.
mote_result mote_pairs_refuse(const mote_context *context, mote_error *error, const pair_outcome *outcome);

#endif
