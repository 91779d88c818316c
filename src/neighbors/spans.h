// SPDX-License-Identifier: MIT
// neighbors/spans.h: where rows lie, put down later.
//
// A method that finds rows in the order of cells ends those of shuffled points in random order, and two entries of the
// lists' tables, somewhere in memory, cost as much as half a search. So the spans are first appended to piles, one for
// each stretch of rows, and a pile is put into its stretch of the tables while that lies in the cache.
#ifndef MOTE_NEIGHBORS_SPANS_H
#define MOTE_NEIGHBORS_SPANS_H

#include <stdatomic.h>

#include "base/internal.h"

enum {
    SPAN_PILES = 256,  // at most
    SPAN_GRAB = 64     // spans that a worker takes room for at a time
};

// Where a row lies.
typedef struct row_span {
    uint64_t first;
    uint32_t count, row;
} row_span;

// One worker's room in every pile.
typedef struct span_room {
    row_span *at[SPAN_PILES], *end[SPAN_PILES];
} span_room;

typedef struct span_piles {
    uint32_t count, shift;  // pile of a row: row >> shift
    uint32_t room;          // spans in each
    row_span *spans;        // NULL: there are no piles, entries are written at once
    span_room *rooms;       // of the workers
    atomic_uint_least32_t used[SPAN_PILES];
} span_piles;

// Whether rows that end in this order are scattered so that piles are worth their while: by a sample.
bool mote_spans_scattered(const uint32_t *order, size_t count);

// Makes piles for rows below `count`, each of which is appended once at most, in `memory`. Where that cannot grow there
// are none.
void mote_spans_begin(const mote_context *context, span_piles *piles, mote_buffer *memory, size_t count);

// Puts the spans into the tables.
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
