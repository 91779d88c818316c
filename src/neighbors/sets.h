// SPDX-License-Identifier: MIT
// neighbors/sets.h: several sets of points in one search. What the calls for a single set ask of them; all do nothing
// in a search that never had sets.
#ifndef MOTE_NEIGHBORS_SETS_H
#define MOTE_NEIGHBORS_SETS_H

#include "neighbors/internal.h"

// Tells whether the search holds sets now, instead of points.
bool mote_sets_are_held(const mote_neighbors *search);

// Forgets the sets, but keeps their memory: the next update builds all structures.
void mote_sets_forget(mote_neighbors *search);
void mote_sets_destroy(mote_neighbors *search);

// Called after search->def got another period.
mote_result mote_sets_set_period(mote_neighbors *search, mote_error *error);

// MOTE_ERROR_STATE: a call for points, made while the search holds sets.
mote_result mote_sets_refuse(const mote_neighbors *search, mote_error *error);

// Fills and returns search->explanation.
const char *mote_sets_explain(mote_neighbors *search);
// Adds what the structures of the sets count.
void mote_sets_count(const mote_neighbors *search, mote_neighbors_counters *counters);
// Returns the bytes of the structures, and adds those of the lists to `list_bytes`, which may be NULL.
size_t mote_sets_byte_count(const mote_neighbors *search, size_t *list_bytes);
mote_result mote_sets_validate(mote_neighbors *search, mote_error *error);

#endif
