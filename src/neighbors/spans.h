// SPDX-License-Identifier: MIT
// neighbors/spans.h: the places of rows, written to the tables later.
//
// A method that finds rows in the order of cells ends the rows of shuffled points in random order, and writing two
// entries of the lists' tables at random places in memory costs as much as half a search. So the spans are first
// appended to piles, one for each stretch of rows; later each pile is written to its stretch of the tables while
// that is in the cache.
#ifndef MOTE_NEIGHBORS_SPANS_H
#define MOTE_NEIGHBORS_SPANS_H

#include <stdatomic.h>

#include "base/internal.h"

enum {
    SPAN_PILES = 256,     // most piles
    SPAN_GRAB = 64,       // spans for which a worker takes room at a time
    SPAN_ROWS = 1 << 16,  // rows from which on piles may pay off: smaller tables fit the cache anyway
    SPAN_WINDOWS = 32,    // number of windows that are looked at,
    SPAN_WINDOW = 64      // and rows in each
};

// The place of a row.
typedef struct row_span {
    uint64_t first;
    uint32_t count, row;
} row_span;

// The room that one worker has in every pile.
typedef struct span_room {
    row_span *at[SPAN_PILES], *end[SPAN_PILES];
} span_room;

typedef struct span_piles {
    uint32_t count, shift;  // pile of a row: row >> shift
    uint32_t room;          // spans in each pile
    row_span *spans;        // NULL: there are no piles, entries are written at once
    span_room *rooms;       // one for each worker
    atomic_uint_least32_t used[SPAN_PILES];
} span_piles;

// Tells whether rows that end in this order are so scattered that piles pay off, from a sample. All of them may be one.
bool mote_spans_scattered(const uint32_t *order, size_t count);

// Makes piles in `memory` for rows below `count`, each of which is appended at most once. If the memory cannot grow,
// there are no piles.
void mote_spans_begin(const mote_context *context, span_piles *piles, mote_buffer *memory, size_t count);

// Writes the spans to the tables.
void mote_spans_end(const mote_context *context, span_piles *piles, uint64_t *first, uint32_t *counts);

void mote_span_grab(span_piles *piles, span_room *room, uint32_t pile);
static inline void mote_span_append(span_piles *piles, uint32_t worker, row_span span)
{
    span_room *room = piles->rooms + worker;
    const uint32_t pile = span.row >> piles->shift;
    if (room->at[pile] == room->end[pile]) mote_span_grab(piles, room, pile);
    *room->at[pile]++ = span;
}

#endif
