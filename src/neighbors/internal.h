// neighbors/internal.h: what the search methods share: the object, the method table's entry, and rows on their way to
// lists or to a visitor.
#ifndef MOTE_NEIGHBORS_INTERNAL_H
#define MOTE_NEIGHBORS_INTERNAL_H

#include <stdatomic.h>

#include "base/internal.h"
#include "mote/neighbors.h"

// ------------------------------------------------------------------------------------------------ rows (rows.c)

// Where rows go: into lists, or to a visitor. Workers write rows in place into chunks of one shared buffer; when that
// is used up they only count, the buffer grows to what is needed, and all rows are found again. Warm, it is one pass.
typedef struct row_sink {
    const mote_context *context;
    mote_neighbors_visitor *visitor;  // NULL: rows are stored
    void *user_data;

    size_t row_count;
    uint64_t *first;
    uint32_t *counts;
    uint32_t *indices;
    uint64_t capacity;  // of indices
    atomic_uint_least64_t used;
    atomic_bool overflowed;
    atomic_bool out_of_memory;
    bool ascending;
} row_sink;

// One worker's end of the sink, on a cache line of its own.
typedef struct row_writer {
    row_sink *sink;
    uint32_t worker;
    bool in_scratch;
    uint32_t *cursor, *end;  // what is left of the worker's chunk
    mote_buffer scratch;     // rows that may not fit the chunk, and all rows of a visitor
    uint64_t candidates, hits;
    char pad[56];
} row_writer;

// Room for a row of up to `room` indices, or NULL when memory ran out (the sink knows).
uint32_t *mote_row_grow_scratch(row_writer *writer, size_t room);
static inline uint32_t *mote_row_begin(row_writer *writer, size_t room)
{
    room += room == 0;
    writer->in_scratch = (size_t)(writer->end - writer->cursor) < room;
    if (!writer->in_scratch) return writer->cursor;
    if (writer->scratch.bytes >= room * sizeof(uint32_t)) return writer->scratch.data;
    return mote_row_grow_scratch(writer, room);
}

// Ends the row that mote_row_begin started: `count` indices stand in `row`.
void mote_row_end_slow(row_writer *writer, uint32_t index, uint32_t *row, uint32_t count);
static inline void mote_row_end(row_writer *writer, uint32_t index, uint32_t *row, uint32_t count)
{
    writer->hits += count;
    row_sink *sink = writer->sink;
    if (writer->in_scratch || sink->ascending) {
        mote_row_end_slow(writer, index, row, count);
        return;
    }
    sink->first[index] = (uint64_t)(row - sink->indices);
    sink->counts[index] = count;
    writer->cursor = row + count;
}

// Tells the processor that the row of `index` will be written soon.
static inline void mote_row_prefetch(const row_writer *writer, uint32_t index)
{
#if defined(__GNUC__) || defined(__clang__)
    const row_sink *sink = writer->sink;
    if (sink->visitor) return;
    __builtin_prefetch(sink->first + index, 1);
    __builtin_prefetch(sink->counts + index, 1);
#else
    (void)writer, (void)index;
#endif
}

// Room for what each worker keeps from call to call, `size` bytes for every one of them, zeroed at first. Without a
// context the number of workers is that of the processors that the calling thread may use: it may have grown.
mote_result mote_workers_reserve(const mote_context *context, mote_buffer *buffer, size_t size);

// What a list call leaves with its owner.
typedef struct row_store {
    mote_buffer first, counts, indices, writers;
} row_store;

// ------------------------------------------------------------------------------------------------------ methods

typedef struct neighbors_method {
    mote_neighbors_method_info info;
    size_t state_bytes;  // of the method's own state, zeroed on creation

    // Takes in points (checked struct, unchecked coordinates). On failure the state must be fit for release or
    // another build.
    mote_result (*build)(mote_neighbors *search, const mote_points *points);

    // Writes every row of the set into itself (queries NULL), or of `queries` into the set, through the writers: one
    // for each worker. Failures for want of memory are left in the sink.
    void (*find_rows)(mote_neighbors *search, const mote_points *queries, row_writer *writers);

    void (*release)(mote_neighbors *search);
    size_t (*byte_count)(const mote_neighbors *search);
    uint64_t (*cell_count)(const mote_neighbors *search);         // NULL: no cells
    mote_result (*validate)(mote_neighbors *search);
    const uint32_t *(*permutation)(const mote_neighbors *search);  // NULL: not offered
} neighbors_method;

struct mote_neighbors {
    const mote_context *context;
    const neighbors_method *method;
    mote_neighbors_def def;
    mote_error error;
    void *state;
    float radius_squared;  // in the points' precision: float(radius)²
    bool has_points;
    int dimensions;
    size_t count;
    row_store store;
    mote_neighbors_counters counters;
};

// The table (methods.c): a new method is one file and one line there.
extern const neighbors_method *const mote_neighbors_method_table[];
extern const size_t mote_neighbors_method_count;
extern const neighbors_method mote_neighbors_all_pairs;
extern const neighbors_method mote_neighbors_cell_grid;

// Runs the method over all rows and hands them to the lists or to the visitor.
mote_result mote_rows_store(mote_neighbors *search, const mote_points *queries, mote_lists *lists);
mote_result mote_rows_visit(mote_neighbors *search, mote_neighbors_visitor *visitor, void *user_data);
void mote_rows_release(mote_neighbors *search);
size_t mote_rows_byte_count(const mote_neighbors *search);

// The distance test that defines neighbours (see neighbors.h), for float points.
MOTE_INLINE bool mote_within(float dx, float dy, float dz, float radius_squared)
{
    return (dx * dx + dy * dy) + dz * dz <= radius_squared;
}

#endif
