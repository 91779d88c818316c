// SPDX-License-Identifier: MIT
// neighbors/row_writer.h: where a worker writes its rows, for lists and for visitors alike.
#ifndef MOTE_NEIGHBORS_ROW_WRITER_H
#define MOTE_NEIGHBORS_ROW_WRITER_H

#include <stdatomic.h>

#include "neighbors/internal.h"
#include "neighbors/spans.h"

// Where rows go: into lists, or to a visitor. Workers write rows in place into chunks of one shared buffer; when that
// is used up they only count, the buffer grows to what is needed, and all rows are found again. Warm, it is one pass.
typedef struct row_sink {
    const mote_context *context;
    mote_neighbors_visitor *visitor;  // NULL: rows are stored
    void *user_data;

    size_t row_count;
    uint64_t *first;
    uint32_t *counts;
    span_piles piles;  // on the way to these two
    uint32_t *indices;
    void *squared, *differences;  // of the points' scalar; NULL unless wanted
    int32_t *shifts;
    uint64_t capacity;  // of indices, and of the others' neighbours
    uint64_t chunk;     // what a worker takes of it at a time
    atomic_uint_least64_t used;
    atomic_bool overflowed;
    atomic_bool out_of_memory;
    bool ascending;
    bool wants_squared, wants_differences, wants_shifts, is_f64;
} row_sink;

// One worker's end of the sink, on a cache line of its own.
struct row_writer {
    row_sink *sink;
    uint32_t worker;
    bool in_scratch;
    uint32_t *cursor, *end;  // what is left of the worker's chunk
    mote_buffer scratch;     // rows that may not fit the chunk, and all rows of a visitor
    mote_buffer hits;        // of a collector
    mote_buffer columns;     // of a visitor's row, and squared distances of those in `scratch`
    mote_buffer keys;        // of the nearest points
    size_t largest_room;     // that a row has asked for: as much scratch as the next calls may need
    uint64_t candidates, hit_count;
    char pad[40];
};

// A neighbour with all that may be wanted of it.
typedef struct row_hit {
    uint32_t index;
    int32_t shift[3];
    double d[3];     // xj − xi + shift, in the points' precision
    double squared;  // its squared length, in that precision
} row_hit;

// The worker's own room for so many numbers, or NULL when memory ran out (the sink knows).
uint32_t *mote_row_grow_scratch(row_writer *writer, size_t room);
// As much for squared distances.
bool mote_row_grow_columns(row_writer *writer);
static inline uint32_t *mote_row_scratch(row_writer *writer, size_t room)
{
    if (room > writer->largest_room) writer->largest_room = room;
    if (writer->scratch.bytes >= room * sizeof(uint32_t)) return writer->scratch.data;
    return mote_row_grow_scratch(writer, room);
}

// Rows of indices, and of squared distances of floats where the sink wants them, but of nothing else: room for a row
// of up to `room` neighbours, or NULL when memory ran out.
static inline uint32_t *mote_row_begin(row_writer *writer, size_t room)
{
    room += room == 0;
    writer->in_scratch = (size_t)(writer->end - writer->cursor) < room;
    if (writer->in_scratch) return mote_row_scratch(writer, room);
    if (room > writer->largest_room) writer->largest_room = room;
    return writer->cursor;
}

// Where squared distances of such a row stand, which begins anywhere in what mote_row_begin gave.
static inline float *mote_row_squared(const row_writer *writer, const uint32_t *row)
{
    const row_sink *sink = writer->sink;
    if (writer->in_scratch) return (float *)writer->columns.data + (row - (uint32_t *)writer->scratch.data);
    return (float *)sink->squared + (row - sink->indices);
}

// As mote_row_begin, with squared distances if the sink wants them.
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

// Puts down where a row lies.
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

// Ends the row that mote_row_begin started: `count` indices stand in `row`, and squared distances beside.
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

// Ends rows that stand one behind the other from `row` on, those of `numbers`.
static inline void mote_rows_end(row_writer *writer, const uint32_t *numbers, const uint32_t *lengths, size_t count,
                                 uint32_t *row)
{
    const row_sink *sink = writer->sink;
    if (writer->in_scratch || sink->ascending) {
        for (size_t k = 0; k < count; row += lengths[k++]) mote_row_end(writer, numbers[k], row, lengths[k]);
        return;
    }
    uint32_t *const begin = row;
    for (size_t k = 0; k < count; row += lengths[k++])
        mote_row_put(writer, numbers[k], (uint64_t)(row - sink->indices), lengths[k]);
    writer->hit_count += (uint64_t)(row - begin);
    writer->cursor = row;
}

// A row's columns where they are to be written: those that the sink wants, the others NULL.
typedef struct row_columns {
    uint32_t *indices;
    void *squared, *differences;  // of the points' scalar
    int32_t *shifts;
} row_columns;

// Columns for a row of exactly `count` neighbours. False when there is nothing to write to: they are only counted in
// this pass, or memory ran out.
bool mote_row_open(row_writer *writer, size_t count, row_columns *columns);
// Hands on the row whose columns mote_row_open gave.
void mote_row_close(row_writer *writer, uint32_t index, const row_columns *columns, size_t count);

// Writes a whole row with all that the sink wants of it. Sorts the hits by index and shift where rows are to ascend;
// if `nearest` is not 0, by squared distance, index and shift, and keeps so many of them.
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

// Fetches where the row of `index` is to be put down.
static inline void mote_row_prefetch(const row_writer *writer, uint32_t index)
{
    const row_sink *sink = writer->sink;
    if (sink->visitor) return;
    mote_prefetch(sink->first + index);
    mote_prefetch(sink->counts + index);
}

// Before rows are ended in the order of `order`, each of them once: see spans.h.
void mote_rows_end_in_order(mote_neighbors *search, row_writer *writers, const uint32_t *order, size_t count);

#endif
