// SPDX-License-Identifier: MIT
// Delivers rows to lists or to a visitor.
//
// A row's length is known only once it has been found, so rows are written in place, one after the other, into
// chunks that workers take from one shared buffer with an atomic add. So the place of a row depends on the threads,
// but its contents do not. A row that may not fit the rest of its chunk is found in the worker's scratch memory and
// copied. When the buffer is used up, the pass only counts from then on; the buffer then grows once to the required
// size, and the pass is repeated. Its memory is kept from call to call: fresh pages cost more than the search itself.

#include <string.h>

#include "base/order.h"
#include "neighbors/collect.h"
#include "neighbors/skin.h"

enum {
    CHUNK = 16384,     // indices
    FIRST_GUESS = 32   // neighbours per point for which the first call makes room
};

// ------------------------------------------------------------------------------------------------------- passes

// Gives all workers as much scratch memory as the one with the most: the schedule decides which worker gets a dense
// place, and a call must not allocate once the buffers are large enough, whichever worker that is.
static mote_result level_scratch(const mote_context *context, const row_sink *sink, row_writer *writers,
                                 uint32_t count)
{
    size_t most[4] = {0, 0, 0, 0};
    for (uint32_t w = 0; w < count; ++w) {
        most[0] = MOTE_MAX(most[0], mote_bytes(writers[w].largest_room, sizeof(uint32_t)));
        most[1] = MOTE_MAX(most[1], writers[w].hits.bytes);
        most[2] = MOTE_MAX(most[2], writers[w].columns.bytes);
        most[3] = MOTE_MAX(most[3], writers[w].keys.bytes);
    }
    if (sink->wants_squared) most[2] = MOTE_MAX(most[2], most[0]);  // parallel to the rows in the scratch memory
    mote_result result = MOTE_OK;
    for (uint32_t w = 0; w < count && result == MOTE_OK; ++w) {
        result = mote_buffer_level(context, &writers[w].scratch, most[0]);
        if (result == MOTE_OK) result = mote_buffer_level(context, &writers[w].hits, most[1]);
        if (result == MOTE_OK) result = mote_buffer_level(context, &writers[w].columns, most[2]);
        if (result == MOTE_OK) result = mote_buffer_level(context, &writers[w].keys, most[3]);
    }
    return result;
}

// Gives every worker a fresh part of the sink; scratch memory is kept from earlier calls.
static mote_result attach_writers(mote_neighbors *search, row_sink *sink, row_writer **writers, uint32_t *count)
{
    mote_buffer *buffer = &search->rows.writers;
    *count = mote_context_worker_count(search->context);
    mote_result result = mote_buffer_reserve_workers(search->context, buffer, sizeof(row_writer));
    if (result != MOTE_OK) return result;
    *writers = buffer->data;
    result = level_scratch(search->context, sink, *writers, *count);
    if (result != MOTE_OK) return result;
    for (uint32_t w = 0; w < *count; ++w) {
        row_writer *writer = *writers + w;
        writer->sink = sink;
        writer->worker = w;
        writer->cursor = writer->end = sink->indices ? sink->indices : buffer->data;
        writer->candidates = writer->hit_count = 0;
    }
    return MOTE_OK;
}

row_sink mote_row_sink_make(const mote_neighbors *search, const row_request *request)
{
    row_sink sink = {.context = search->context, .form = mote_context_simd(search->context)};
    sink.row_count = request->count;
    sink.ascending = mote_search_has(search, MOTE_NEIGHBORS_ASCENDING);
    sink.wants_squared = mote_search_has(search, MOTE_NEIGHBORS_DISTANCES);
    sink.wants_differences = mote_search_has(search, MOTE_NEIGHBORS_DIFFERENCES);
    sink.wants_shifts = mote_search_has(search, MOTE_NEIGHBORS_PERIODIC);
    sink.is_f64 = search->scalar == MOTE_F64;
    if (request->codes) sink.wants_squared = sink.wants_differences = sink.wants_shifts = false;
    return sink;
}

// Makes one pass over all rows and adds up the work done.
static mote_result make_pass(mote_neighbors *search, const row_request *request, row_sink *sink, mote_error *error)
{
    row_writer *writers;
    uint32_t worker_count;
    mote_result result = attach_writers(search, sink, &writers, &worker_count);
    if (result != MOTE_OK) return result;
    const neighbors_method *method = search->method;
    if (request->nearest)
        method->find_nearest(search, request, writers);
    else if (search->skin)
        mote_skin_find_rows(search, request, writers, error);
    else if (method->find_rows)
        method->find_rows(search, request, writers);
    else
        mote_rows_by_candidates(search, request, writers);
    if (sink->piles.spans) mote_spans_end(search->context, &sink->piles, sink->first, sink->counts);
    search->counters.candidates = search->counters.hits = 0;
    for (uint32_t w = 0; w < worker_count; ++w) {
        search->counters.candidates += writers[w].candidates;
        search->counters.hits += writers[w].hit_count;
    }
    return atomic_load(&sink->out_of_memory) ? MOTE_ERROR_OUT_OF_MEMORY : MOTE_OK;
}

mote_result mote_rows_visit(mote_neighbors *search, const row_request *request, mote_neighbors_visitor *visitor,
                            void *user_data, mote_error *error)
{
    row_sink sink = mote_row_sink_make(search, request);
    sink.visitor = visitor;
    sink.user_data = user_data;
    return make_pass(search, request, &sink, error);
}

// Reserves room for `wanted` neighbours in all columns, and for the rows.
static mote_result reserve_columns(row_sink *sink, list_memory *memory, uint64_t wanted)
{
    const mote_context *context = sink->context;
    size_t rows = MOTE_MAX(sink->row_count, (size_t)1), scalar = sink->is_f64 ? sizeof(double) : sizeof(float);
    if (wanted > SIZE_MAX / (3 * sizeof(double))) return MOTE_ERROR_OUT_OF_MEMORY;
    size_t room = (size_t)wanted;
    mote_result result = mote_buffer_reserve(context, &memory->first, mote_bytes(rows, sizeof(uint64_t)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &memory->counts, mote_bytes(rows, sizeof(uint32_t)), 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &memory->indices, room * sizeof(uint32_t), 0);
    if (result == MOTE_OK) room = memory->indices.bytes / sizeof(uint32_t);
    if (result == MOTE_OK && sink->wants_squared)
        result = mote_buffer_reserve(context, &memory->squared, mote_bytes(room, scalar), 0);
    if (result == MOTE_OK && sink->wants_differences)
        result = mote_buffer_reserve(context, &memory->differences, mote_bytes(room, 3 * scalar), 0);
    if (result == MOTE_OK && sink->wants_shifts)
        result = mote_buffer_reserve(context, &memory->shifts, mote_bytes(room, 3 * sizeof(int32_t)), 0);
    sink->first = memory->first.data;
    sink->counts = memory->counts.data;
    sink->indices = memory->indices.data;
    sink->squared = memory->squared.data;
    sink->differences = memory->differences.data;
    sink->shifts = memory->shifts.data;
    sink->capacity = room;
    return result;
}

// The size of one chunk that each worker has begun, and of one more.
static uint64_t chunk_slack(const mote_neighbors *search)
{
    return (uint64_t)(mote_context_worker_count(search->context) + 1) * CHUNK;
}

uint64_t mote_rows_first_room(const mote_neighbors *search, size_t rows, uint32_t each)
{
    return (uint64_t)rows * each + 1 + chunk_slack(search);
}

size_t mote_neighbor_bytes(const mote_neighbors *search)
{
    size_t scalar = search->scalar == MOTE_F64 ? sizeof(double) : sizeof(float), each = sizeof(uint32_t);
    if (mote_search_has(search, MOTE_NEIGHBORS_DISTANCES)) each += scalar;
    if (mote_search_has(search, MOTE_NEIGHBORS_DIFFERENCES)) each += 3 * scalar;
    if (mote_search_has(search, MOTE_NEIGHBORS_PERIODIC)) each += 3 * sizeof(int32_t);
    return each;
}

// @param is_counted  whether the lists' neighbours are known
static mote_result refuse_lists(const mote_neighbors *search, list_memory *memory, const row_request *request,
                                bool is_counted, mote_error *error)
{
    const size_t rows = request->count, each = request->codes ? sizeof(uint32_t) : mote_neighbor_bytes(search);
    const mote_result result = MOTE_ERROR_OUT_OF_MEMORY;
    memory->wanted = 0;  // later lists may be shorter
    if (!is_counted) return mote_fail(error, result, 0, "neighbors: no memory for the lists");
    const double giga = 1e9, bytes = (double)search->counters.hits * (double)each;
    const unsigned long long hits = search->counters.hits;
    const size_t budget = mote_budget(search->context);
    if (budget == SIZE_MAX)
        return mote_fail(error, result, 0,
                         "neighbors: no memory for the lists: %zu rows have %llu neighbours, which take %.3g GB", rows,
                         hits, bytes / giga);
    return mote_fail(error, result, 0,
                     "neighbors: no memory for the lists: %zu rows have %llu neighbours, which take %.3g GB; the byte "
                     "budget is %.3g GB",
                     rows, hits, bytes / giga, (double)budget / giga);
}

mote_result mote_rows_store(mote_neighbors *search, const row_request *request, list_memory *memory, mote_lists *lists,
                            mote_error *error)
{
    row_sink sink = mote_row_sink_make(search, request);
    sink.chunk = request->most ? MOTE_MIN(request->most / 32 + 1, (uint64_t)CHUNK) : CHUNK;
    const uint32_t each = request->nearest ? request->nearest : request->guess ? request->guess : FIRST_GUESS;
    uint64_t wanted = MOTE_MAX(mote_rows_first_room(search, request->count, each), memory->wanted);
    wanted = MOTE_MAX(wanted, memory->indices.bytes / sizeof(uint32_t));
    if (request->most) wanted = MOTE_MIN(wanted, request->most);
    for (bool is_counted = false;; is_counted = true) {
        mote_result result = reserve_columns(&sink, memory, wanted);
        if (result != MOTE_OK) return refuse_lists(search, memory, request, is_counted, error);
        if (request->most) sink.capacity = MOTE_MIN(sink.capacity, request->most);
        atomic_init(&sink.used, 0);
        atomic_init(&sink.overflowed, false);
        result = make_pass(search, request, &sink, error);
        if (result != MOTE_OK) return refuse_lists(search, memory, request, false, error);
        // Room for all rows and for the unused ends of chunks: enough for any schedule.
        uint64_t need = search->counters.hits + search->counters.hits / 8 + chunk_slack(search);
        memory->wanted = need;
        if (!atomic_load(&sink.overflowed)) break;
        wanted = MOTE_MAX(need, sink.capacity + sink.capacity / 4);
        if (request->most && wanted > request->most) return refuse_lists(search, memory, request, true, error);
    }
    mote_lists found = {.count = sink.row_count, .first = sink.first, .counts = sink.counts, .indices = sink.indices};
    if (sink.wants_squared && sink.is_f64) found.squared_f64 = sink.squared;
    if (sink.wants_squared && !sink.is_f64) found.squared = sink.squared;
    if (sink.wants_differences && sink.is_f64) found.differences_f64 = sink.differences;
    if (sink.wants_differences && !sink.is_f64) found.differences = sink.differences;
    if (sink.wants_shifts) found.shifts = sink.shifts;
    found.total = search->counters.hits;
    *lists = found;
    return MOTE_OK;
}

void mote_row_writer_release(const mote_context *context, row_writer *writer)
{
    mote_buffer_release(context, &writer->scratch);
    mote_buffer_release(context, &writer->hits);
    mote_buffer_release(context, &writer->columns);
    mote_buffer_release(context, &writer->keys);
}

void mote_rows_release(mote_neighbors *search)
{
    row_writer *writers = search->rows.writers.data;
    for (size_t w = 0; w < search->rows.writers.bytes / sizeof *writers; ++w)
        mote_row_writer_release(search->context, writers + w);
    mote_buffer_release(search->context, &search->rows.writers);
    mote_buffer_release(search->context, &search->rows.spans);
    mote_list_memory_release(search->context, &search->lists);
}

size_t mote_rows_byte_count(const mote_neighbors *search)
{
    size_t bytes = mote_list_memory_byte_count(&search->lists) + search->rows.writers.bytes + search->rows.spans.bytes;
    const row_writer *writers = search->rows.writers.data;
    for (size_t w = 0; w < search->rows.writers.bytes / sizeof *writers; ++w)
        bytes += writers[w].scratch.bytes + writers[w].hits.bytes + writers[w].columns.bytes + writers[w].keys.bytes;
    return bytes;
}

void mote_lists_to_csr(const mote_lists *lists, uint64_t *offsets, uint32_t *indices)
{
    if (!lists || !offsets || (!indices && lists->total)) return;
    uint64_t at = 0;
    for (size_t i = 0; i < lists->count; ++i) {
        offsets[i] = at;
        if (lists->counts[i])
            memcpy(indices + at, lists->indices + lists->first[i], lists->counts[i] * sizeof *indices);
        at += lists->counts[i];
    }
    offsets[lists->count] = at;
}
