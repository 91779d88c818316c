// SPDX-License-Identifier: MIT
// neighbors/row_writer.h: where a worker writes its rows, for lists and for visitors.
#ifndef MOTE_NEIGHBORS_ROW_WRITER_H
#define MOTE_NEIGHBORS_ROW_WRITER_H

#include <stdatomic.h>
#include <string.h>

#include "neighbors/internal.h"
#include "neighbors/spans.h"

// The destination of rows: lists, or a visitor. Workers write rows in place into chunks of one shared buffer. When
// that is used up, they only count; then the buffer grows to the required size, and all rows are found again. Later
// calls, for which the buffer is large enough, take one pass.
typedef struct row_sink {
    const mote_context *context;
    mote_simd form;                   // of the loops
    mote_neighbors_visitor *visitor;  // NULL: rows are stored
    void *user_data;

    size_t row_count;
    uint64_t *first;
    uint32_t *counts;
    span_piles piles;  // spans to be written to these two
    uint32_t *indices;
    void *squared, *differences;  // in the points' scalar type; NULL if not requested
    int32_t *shifts;
    uint64_t capacity;  // indices for which there is room, and neighbours in the other columns
    uint64_t chunk;     // the share of it that a worker takes at a time
    atomic_uint_least64_t used;
    atomic_bool overflowed;
    atomic_bool out_of_memory;
    bool ascending;
    bool wants_squared, wants_differences, wants_shifts, is_f64;
} row_sink;

// One worker's part of the sink, on a cache line of its own.
struct row_writer {
    row_sink *sink;
    uint32_t worker;
    bool in_scratch;
    uint32_t *cursor, *end;  // the rest of the worker's chunk
    mote_buffer scratch;     // rows that may not fit the chunk, and all rows of a visitor
    mote_buffer hits;        // the hits of a collector
    mote_buffer columns;     // columns of a visitor's row, and squared distances of the rows in `scratch`
    mote_buffer keys;        // keys of the nearest points
    size_t largest_room;     // the most room that a row has requested: later calls may need as much scratch memory
    uint64_t candidates, hit_count;
    char pad[40];
};

// A neighbour with all the values that may be requested.
typedef struct row_hit {
    uint32_t index;
    int32_t shift[3];
    double d[3];     // xj − xi + shift, in the points' precision
    double squared;  // its squared length, in that precision
} row_hit;

// Returns the worker's own room for this many numbers, or NULL when memory ran out (the sink has recorded this).
uint32_t *mote_row_grow_scratch(row_writer *writer, size_t room);
// Reserves the same room for squared distances.
bool mote_row_grow_columns(row_writer *writer);
static inline uint32_t *mote_row_reserve(row_writer *writer, size_t room)
{
    if (room > writer->largest_room) writer->largest_room = room;
    if (writer->scratch.bytes >= room * sizeof(uint32_t)) return writer->scratch.data;
    return mote_row_grow_scratch(writer, room);
}

// For rows that consist only of indices and, if the sink wants them, squared distances of floats: returns room for a
// row of up to `room` neighbours, or NULL when memory ran out.
static inline uint32_t *mote_row_begin(row_writer *writer, size_t room)
{
    room += room == 0;
    writer->in_scratch = (size_t)(writer->end - writer->cursor) < room;
    if (writer->in_scratch) return mote_row_reserve(writer, room);
    if (room > writer->largest_room) writer->largest_room = room;
    return writer->cursor;
}

// Returns the place of the squared distances of such a row, which begins anywhere in the room from mote_row_begin.
static inline float *mote_row_squared(const row_writer *writer, const uint32_t *row)
{
    const row_sink *sink = writer->sink;
    if (writer->in_scratch) return (float *)writer->columns.data + (row - (uint32_t *)writer->scratch.data);
    return (float *)sink->squared + (row - sink->indices);
}

// Like mote_row_begin, with squared distances if the sink wants them.
static inline bool mote_row_begin_columns(row_writer *writer, size_t room, uint32_t **indices, float **squared)
{
    *indices = mote_row_begin(writer, room);
    *squared = NULL;
    if (!*indices) return false;
    if (!writer->sink->wants_squared) return true;
    if (writer->in_scratch && writer->columns.bytes < writer->scratch.bytes && !mote_row_grow_columns(writer))
        return false;
    *squared = mote_row_squared(writer, *indices);
    return true;
}

// Records where a row is stored.
static inline void mote_row_put(row_writer *writer, uint32_t index, uint64_t first, uint32_t count)
{
    row_sink *sink = writer->sink;
    if (sink->piles.spans) {
        mote_span_append(&sink->piles, writer->worker, (row_span){first, count, index});
        return;
    }
    sink->first[index] = first;
    sink->counts[index] = count;
}

// Ends the row that mote_row_begin started: `count` indices are in `row`, and the squared distances in the parallel
// array.
void mote_row_end_slow(row_writer *writer, uint32_t index, uint32_t *row, uint32_t count);
static inline void mote_row_end(row_writer *writer, uint32_t index, uint32_t *row, uint32_t count)
{
    writer->hit_count += count;
    row_sink *sink = writer->sink;
    if (writer->in_scratch || sink->ascending) {
        mote_row_end_slow(writer, index, row, count);
        return;
    }
    mote_row_put(writer, index, (uint64_t)(row - sink->indices), count);
    writer->cursor = row + count;
}

// Ends the rows `numbers`, which are stored one after the other from `row` on.
static inline void mote_rows_end(row_writer *writer, const uint32_t *numbers, const uint32_t *lengths, size_t count,
                                 uint32_t *row)
{
    const row_sink *sink = writer->sink;
    if (writer->in_scratch || sink->ascending) {
        for (size_t k = 0; k < count; row += lengths[k++]) mote_row_end(writer, numbers[k], row, lengths[k]);
        return;
    }
    uint64_t first = (uint64_t)(row - sink->indices);
    const uint64_t begin = first;
    if (sink->piles.spans) {
        for (size_t k = 0; k < count; first += lengths[k++]) mote_row_put(writer, numbers[k], first, lengths[k]);
    } else {
        uint64_t *const firsts = sink->first;
        uint32_t *const counts = sink->counts;
        for (size_t k = 0; k < count; first += lengths[k++]) {
            firsts[numbers[k]] = first;
            counts[numbers[k]] = lengths[k];
        }
    }
    writer->hit_count += first - begin;
    writer->cursor = sink->indices + first;
}

// The columns to which a row is written: those that the sink wants; the others are NULL.
typedef struct row_columns {
    uint32_t *indices;
    void *squared, *differences;  // in the points' scalar type
    int32_t *shifts;
} row_columns;

// Provides columns for a row of exactly `count` neighbours. False if nothing can be written: neighbours are only
// counted in this pass, or memory ran out.
bool mote_row_open(row_writer *writer, size_t count, row_columns *columns);
// Passes on the row whose columns mote_row_open provided.
void mote_row_close(row_writer *writer, uint32_t index, const row_columns *columns, size_t count);

// Sorts hits by index and shift.
void mote_row_sort_hits(row_hit *hits, size_t count);
// Writes hits to an open row's columns, from its neighbour number `first` on.
void mote_row_fill(const row_sink *sink, const row_columns *columns, size_t first, const row_hit *hits, size_t count);

// Writes a whole row with everything that the sink wants. Sorts the hits by index and shift if rows must ascend. If
// `nearest` is not 0, sorts them by squared distance, index and shift, and keeps that many of them.
void mote_row_write_hits(row_writer *writer, uint32_t index, row_hit *hits, size_t count, uint32_t nearest);

static inline bool mote_shift_is_less(const int32_t a[3], const int32_t b[3])
{
    for (int k = 0; k < 3; ++k)
        if (a[k] != b[k]) return a[k] < b[k];
    return false;
}

static inline bool mote_hit_is_nearer(const row_hit *a, const row_hit *b)
{
    if (a->squared != b->squared) return a->squared < b->squared;
    if (a->index != b->index) return a->index < b->index;
    return mote_shift_is_less(a->shift, b->shift);
}

// Makes all rows empty, for a method that ends only those which have neighbours: a visitor does not receive the others.
static inline void mote_rows_clear(row_sink *sink)
{
    if (sink->visitor) return;
    memset(sink->first, 0, sink->row_count * sizeof *sink->first);
    memset(sink->counts, 0, sink->row_count * sizeof *sink->counts);
}

// Prefetches the entry where the place of row `index` will be recorded.
MOTE_INLINE void mote_row_prefetch(const row_writer *writer, uint32_t index)
{
    const row_sink *sink = writer->sink;
    if (sink->visitor) return;
    mote_prefetch(sink->first + index);
    mote_prefetch(sink->counts + index);
}

// Must be called before rows are ended in the order of `order`, each of them once: see spans.h.
void mote_rows_end_in_order(mote_neighbors *search, row_writer *writers, const uint32_t *order, size_t count);

#endif
