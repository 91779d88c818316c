// Rows on their way to lists or to a visitor.
//
// A row's length is known only once it has been found, so rows are written in place, one behind the other, into chunks
// that workers take from one shared buffer with an atomic add. Where a row lies thus depends on the threads; what it
// holds does not. A row that may not fit the rest of its chunk is found in the worker's scratch and copied. When the
// buffer is used up the pass goes on counting only; the buffer then grows to what is needed, once, and the pass is
// made again. Its memory is kept from call to call: fresh pages cost more than the search itself.

#include <string.h>

#include "neighbors/internal.h"

enum { CHUNK = 16384, FIRST_GUESS = 32 };  // indices a chunk; neighbours a point that the first call makes room for

uint32_t *mote_row_grow_scratch(row_writer *writer, size_t room)
{
    row_sink *sink = writer->sink;
    if (mote_buffer_reserve(sink->context, &writer->scratch, mote_bytes(room, sizeof(uint32_t)), 0) == MOTE_OK)
        return writer->scratch.data;
    atomic_store(&sink->out_of_memory, true);
    return NULL;
}

// Heap sort: in place, O(n log n) whatever the row holds. Rows of a few dozen go the short way.
static void sort_ascending(uint32_t *row, uint32_t count)
{
    if (count <= 48) {
        for (uint32_t i = 1; i < count; ++i) {
            uint32_t value = row[i], k = i;
            for (; k > 0 && row[k - 1] > value; --k) row[k] = row[k - 1];
            row[k] = value;
        }
        return;
    }
    for (uint32_t heap = count / 2, end = count; end > 1;) {
        uint32_t value;
        if (heap > 0) {
            value = row[--heap];
        } else {
            value = row[--end];
            row[end] = row[0];
        }
        size_t hole = heap, child;
        while ((child = 2 * hole + 1) < end) {
            child += child + 1 < end && row[child + 1] > row[child];
            if (row[child] <= value) break;
            row[hole] = row[child];
            hole = child;
        }
        row[hole] = value;
    }
}

// A chunk with room for `count` indices at least; false when the shared buffer is used up.
static bool take_chunk(row_writer *writer, uint32_t count)
{
    row_sink *sink = writer->sink;
    uint64_t size = MOTE_MAX(count, (uint32_t)CHUNK);
    uint64_t start = atomic_fetch_add(&sink->used, size);
    if (start > sink->capacity || size > sink->capacity - start) {
        atomic_store(&sink->overflowed, true);
        return false;
    }
    writer->cursor = sink->indices + start;
    writer->end = writer->cursor + size;
    return true;
}

void mote_row_end_slow(row_writer *writer, uint32_t index, uint32_t *row, uint32_t count)
{
    row_sink *sink = writer->sink;
    if (sink->ascending) sort_ascending(row, count);
    if (sink->visitor) {
        mote_row handed = {.index = index, .count = count, .indices = row};
        sink->visitor(sink->user_data, handed, writer->worker);
        return;
    }
    if (writer->in_scratch) {
        if ((size_t)(writer->end - writer->cursor) < count && !take_chunk(writer, count)) return;
        if (count) memcpy(writer->cursor, row, count * sizeof *row);
        row = writer->cursor;
    }
    sink->first[index] = count ? (uint64_t)(row - sink->indices) : 0;
    sink->counts[index] = count;
    writer->cursor += count;
}

mote_result mote_workers_reserve(const mote_context *context, mote_buffer *buffer, size_t size)
{
    size_t old = buffer->bytes, bytes = mote_bytes(mote_context_worker_count(context), size);
    mote_result result = mote_buffer_reserve(context, buffer, bytes, old);
    if (result == MOTE_OK && buffer->bytes > old) memset((char *)buffer->data + old, 0, buffer->bytes - old);
    return result;
}

// Gives every worker a fresh end of the sink; scratch memory stays from earlier calls.
static mote_result attach_writers(mote_neighbors *search, row_sink *sink, row_writer **writers, uint32_t *count)
{
    mote_buffer *buffer = &search->store.writers;
    *count = mote_context_worker_count(search->context);
    mote_result result = mote_workers_reserve(search->context, buffer, sizeof(row_writer));
    if (result != MOTE_OK) return result;
    *writers = buffer->data;
    for (uint32_t w = 0; w < *count; ++w) {
        row_writer *writer = *writers + w;
        writer->sink = sink;
        writer->worker = w;
        writer->cursor = writer->end = NULL;
        writer->candidates = writer->hits = 0;
    }
    return MOTE_OK;
}

// One pass over all rows; adds up the work done.
static mote_result make_pass(mote_neighbors *search, const mote_points *queries, row_sink *sink)
{
    row_writer *writers;
    uint32_t worker_count;
    mote_result result = attach_writers(search, sink, &writers, &worker_count);
    if (result != MOTE_OK) return result;
    search->method->find_rows(search, queries, writers);
    search->counters.candidates = search->counters.hits = 0;
    for (uint32_t w = 0; w < worker_count; ++w) {
        search->counters.candidates += writers[w].candidates;
        search->counters.hits += writers[w].hits;
    }
    return atomic_load(&sink->out_of_memory) ? MOTE_ERROR_OUT_OF_MEMORY : MOTE_OK;
}

mote_result mote_rows_visit(mote_neighbors *search, mote_neighbors_visitor *visitor, void *user_data)
{
    row_sink sink = {.context = search->context, .visitor = visitor, .user_data = user_data};
    sink.row_count = search->count;
    sink.ascending = (search->def.features & MOTE_NEIGHBORS_ASCENDING) != 0;
    return make_pass(search, NULL, &sink);
}

mote_result mote_rows_store(mote_neighbors *search, const mote_points *queries, mote_lists *lists)
{
    row_store *store = &search->store;
    row_sink sink = {.context = search->context};
    sink.row_count = queries ? queries->count : search->count;
    sink.ascending = (search->def.features & MOTE_NEIGHBORS_ASCENDING) != 0;

    size_t rows = MOTE_MAX(sink.row_count, (size_t)1);
    uint64_t wanted = MOTE_MAX((uint64_t)rows * FIRST_GUESS, store->indices.bytes / sizeof(uint32_t));
    for (;;) {
        mote_result result = mote_buffer_reserve(search->context, &store->first, mote_bytes(rows, sizeof(uint64_t)), 0);
        if (result == MOTE_OK)
            result = mote_buffer_reserve(search->context, &store->counts, mote_bytes(rows, sizeof(uint32_t)), 0);
        if (result == MOTE_OK && wanted > SIZE_MAX / sizeof(uint32_t)) result = MOTE_ERROR_OUT_OF_MEMORY;
        if (result == MOTE_OK)
            result = mote_buffer_reserve(search->context, &store->indices, (size_t)wanted * sizeof(uint32_t), 0);
        if (result != MOTE_OK) return result;

        sink.first = store->first.data;
        sink.counts = store->counts.data;
        sink.indices = store->indices.data;
        sink.capacity = store->indices.bytes / sizeof(uint32_t);
        atomic_init(&sink.used, 0);
        atomic_init(&sink.overflowed, false);
        result = make_pass(search, queries, &sink);
        if (result != MOTE_OK) return result;
        if (!atomic_load(&sink.overflowed)) break;

        // Room for all rows, for what is lost at the ends of chunks, and for a chunk that each worker has begun.
        uint64_t need = search->counters.hits + search->counters.hits / 8;
        need += (uint64_t)(mote_context_worker_count(search->context) + 1) * CHUNK;
        wanted = MOTE_MAX(need, sink.capacity + sink.capacity / 4);
    }
    mote_lists found = {.count = sink.row_count, .first = sink.first, .counts = sink.counts, .indices = sink.indices};
    found.total = search->counters.hits;
    *lists = found;
    return MOTE_OK;
}

void mote_rows_release(mote_neighbors *search)
{
    row_store *store = &search->store;
    row_writer *writers = store->writers.data;
    for (size_t w = 0; w < store->writers.bytes / sizeof *writers; ++w)
        mote_buffer_release(search->context, &writers[w].scratch);
    mote_buffer_release(search->context, &store->writers);
    mote_buffer_release(search->context, &store->first);
    mote_buffer_release(search->context, &store->counts);
    mote_buffer_release(search->context, &store->indices);
}

size_t mote_rows_byte_count(const mote_neighbors *search)
{
    const row_store *store = &search->store;
    size_t bytes = store->first.bytes + store->counts.bytes + store->indices.bytes + store->writers.bytes;
    const row_writer *writers = store->writers.data;
    for (size_t w = 0; w < store->writers.bytes / sizeof *writers; ++w)
        bytes += writers[w].scratch.bytes;
    return bytes;
}

void mote_lists_to_csr(const mote_lists *lists, uint64_t *offsets, uint32_t *indices)
{
    uint64_t at = 0;
    for (size_t i = 0; i < lists->count; ++i) {
        offsets[i] = at;
        if (lists->counts[i])
            memcpy(indices + at, lists->indices + lists->first[i], lists->counts[i] * sizeof *indices);
        at += lists->counts[i];
    }
    offsets[lists->count] = at;
}
