// SPDX-License-Identifier: MIT
// Memory for results, and errors of refused calls.

#include "broadphase/internal.h"

enum { ROOM_AT_FIRST = 1024 };  // pairs per worker

// ----------------------------------------------------------------------------------------------------- refusals

mote_result mote_broadphase_refuse_null(mote_broadphase *broad, const char *name, mote_error *error)
{
    return mote_fail_null(error, "broadphase", broad ? name : "the object");
}

mote_result mote_broadphase_refuse_state(mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_STATE, 0, "broadphase: objects have changed, expected an update before");
}

mote_result mote_broadphase_out_of_memory(const char *what, mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "broadphase: no memory for %s", what);
}

// -------------------------------------------------------------------------------------------------------- pairs

void mote_pair_add_key(pair_writer *writer, uint64_t key)
{
    if (writer->count == writer->list.memory.bytes / sizeof *writer->keys) {
        if (!mote_pair_list_grow(&writer->list, &writer->count, ROOM_AT_FIRST)) {
            writer->has_ended = true;
            return;
        }
        writer->keys = writer->list.memory.data;
    }
    writer->keys[writer->count++] = key;
}

void mote_pair_add(pair_writer *writer, uint32_t a, uint32_t b)
{
    mote_pair_add_key(writer, (uint64_t)MOTE_MIN(a, b) << 32 | MOTE_MAX(a, b));
}

void mote_pairs_release(mote_broadphase *broad)
{
    pair_store *store = &broad->pairs;
    pair_writer *writers = store->writers.data;
    for (size_t w = 0; w < store->writers.bytes / sizeof *writers; ++w)
        mote_buffer_release(broad->context, &writers[w].list.memory);
    mote_buffer *buffers[] = {&store->writers, &store->keys,  &store->spare,  &store->pairs,
                              &store->before,  &store->begun, &store->stayed, &store->ended};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) mote_buffer_release(broad->context, buffers[k]);
}

size_t mote_pairs_byte_count(const mote_broadphase *broad)
{
    const pair_store *store = &broad->pairs;
    const pair_writer *writers = store->writers.data;
    size_t bytes = store->writers.bytes + store->keys.bytes + store->spare.bytes + store->pairs.bytes +
                   store->before.bytes + store->begun.bytes + store->stayed.bytes + store->ended.bytes;
    for (size_t w = 0; w < store->writers.bytes / sizeof *writers; ++w) bytes += writers[w].list.memory.bytes;
    return bytes;
}

// --------------------------------------------------------------------------------------------------------- rows

void mote_id_rows_release(mote_broadphase *broad)
{
    id_row_store *store = &broad->rows;
    row_worker *workers = store->workers.data;
    for (size_t w = 0; w < store->workers.bytes / sizeof *workers; ++w)
        mote_buffer_release(broad->context, &workers[w].memory);
    mote_buffer *buffers[] = {&store->first,   &store->counts, &store->sources,
                              &store->starts, &store->workers, &store->ids, &store->boxes};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) mote_buffer_release(broad->context, buffers[k]);
    mote_query_order_release(broad->context, &store->order);
}

size_t mote_id_rows_byte_count(const mote_broadphase *broad)
{
    const id_row_store *store = &broad->rows;
    const row_worker *workers = store->workers.data;
    size_t bytes = store->first.bytes + store->counts.bytes + store->sources.bytes + store->starts.bytes +
                   store->workers.bytes + store->ids.bytes + store->boxes.bytes +
                   mote_query_order_byte_count(&store->order);
    for (size_t w = 0; w < store->workers.bytes / sizeof *workers; ++w) bytes += workers[w].memory.bytes;
    return bytes;
}
