// SPDX-License-Identifier: MIT
// All pairs: collects the keys a << 32 | b of all workers and sorts them.

#include "broadphase/internal.h"

enum { OBJECTS = 64 };  // objects in a block of work

// An object whose partners are searched.
typedef struct asker {
    pair_writer *writer;
    uint32_t id;
} asker;

// A pair that both objects would find belongs to the one with the lower id; static objects do not search.
static bool take_partner(candidate_sink *sink, uint32_t id)
{
    const asker *self = sink->data;
    if (id > self->id || mote_store_is_static(&sink->broad->store, id)) mote_pair_add(self->writer, self->id, id);
    return !self->writer->has_ended;
}

static void query_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    const mote_broadphase *broad = data;
    const object_store *store = &broad->store;
    pair_writer *writer = (pair_writer *)broad->pairs.writers.data + worker;
    broadphase_probe probe;
    asker self = {.writer = writer};
    candidate_sink sink = {.broad = broad, .probe = &probe, .take = take_partner, .data = &self};
    for (self.id = (uint32_t)begin; self.id < end && !writer->has_ended; ++self.id) {
        if (!mote_store_has(store, self.id) || mote_store_is_static(store, self.id)) continue;
        mote_probe_box(&probe, broad->def.dimensions, store->boxes + self.id);
        sink.filter = store->filters[self.id];
        mote_broadphase_offer(broad, &sink);
    }
    writer->lookups += sink.lookups;
    writer->candidates += sink.candidates;
}

static mote_result make_writers(mote_broadphase *broad)
{
    mote_buffer *memory = &broad->pairs.writers;
    mote_result result = mote_buffer_reserve_workers(broad->context, memory, sizeof(pair_writer));
    pair_writer *writers = memory->data;
    pair_tally *tally = &broad->pairs.tally;
    mote_pair_tally_begin(tally, broad->context, mote_pairs_byte_count(broad));
    for (uint32_t w = 0; result == MOTE_OK && w < mote_context_worker_count(broad->context); ++w) {
        mote_pair_list_begin(&writers[w].list, broad->context, tally);
        writers[w].store = &broad->store;
        writers[w].count = 0;
        writers[w].lookups = writers[w].candidates = 0;
        writers[w].has_ended = false;
    }
    return result;
}

typedef struct unpack_task {
    const uint64_t *keys;
    mote_pair *pairs;
} unpack_task;

static void unpack_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const unpack_task *task = data;
    for (size_t k = begin; k < end; ++k)
        task->pairs[k] = (mote_pair){(uint32_t)(task->keys[k] >> 32), (uint32_t)task->keys[k]};
}

// Adds up the results of the writers.
static pair_outcome sum_up(mote_broadphase *broad)
{
    const pair_writer *writers = broad->pairs.writers.data;
    const uint32_t worker_count = mote_context_worker_count(broad->context);
    mote_broadphase_counters *counters = &broad->counters;
    pair_outcome outcome = {0};
    counters->lookups = counters->candidates = 0;
    for (uint32_t w = 0; w < worker_count; ++w) {
        mote_pair_outcome_add(&outcome, &writers[w].list, writers[w].count);
        counters->lookups += writers[w].lookups;
        counters->candidates += writers[w].candidates;
    }
    mote_pair_outcome_end(&outcome, &broad->pairs.tally);
    counters->hits = outcome.count;
    return outcome;
}

// Copies the keys of all writers into one list, ascending.
static mote_result collect(mote_broadphase *broad, size_t count, mote_pairs *pairs)
{
    pair_store *store = &broad->pairs;
    const pair_writer *writers = store->writers.data;
    const uint32_t worker_count = mote_context_worker_count(broad->context);
    const size_t bytes = mote_bytes(count, sizeof(uint64_t));
    mote_result result = mote_buffer_reserve(broad->context, &store->keys, bytes, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(broad->context, &store->spare, bytes, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(broad->context, &store->pairs, bytes, 0);
    if (result != MOTE_OK) return result;
    uint64_t *keys = store->keys.data;
    count = 0;
    for (uint32_t w = 0; w < worker_count; ++w) {
        if (writers[w].count) memcpy(keys + count, writers[w].keys, writers[w].count * sizeof *keys);
        count += writers[w].count;
    }
    result = mote_sort_u64(broad->context, keys, NULL, store->spare.data, NULL, count);
    if (result != MOTE_OK) return result;
    unpack_task task = {keys, store->pairs.data};
    mote_parallel_for(broad->context, count, 65536, unpack_block, &task);
    *pairs = (mote_pairs){task.pairs, count};
    return MOTE_OK;
}

// Makes the result from the writers' pairs. If there are too many, reports that and releases the writers' memory.
static mote_result finish(mote_broadphase *broad, mote_pairs *pairs, mote_error *error)
{
    const pair_outcome outcome = sum_up(broad);
    if (!outcome.refused && collect(broad, (size_t)outcome.count, pairs) == MOTE_OK) return MOTE_OK;
    pair_writer *writers = broad->pairs.writers.data;
    for (uint32_t w = 0; w < mote_context_worker_count(broad->context); ++w)
        mote_buffer_release(broad->context, &writers[w].list.memory);
    return mote_pairs_refuse(broad->context, error, &outcome);
}

mote_result mote_pairs_find(mote_broadphase *broad, mote_pairs *pairs, mote_error *error)
{
    mote_result result = mote_broadphase_update(broad, error);
    if (result != MOTE_OK) return result;
    if (broad->method->sorted_pairs) return mote_joined_pairs(broad, pairs, error);
    if (make_writers(broad) != MOTE_OK) return mote_broadphase_out_of_memory("pairs", error);
    if (!broad->method->pairs)
        mote_parallel_for(broad->context, broad->store.end, OBJECTS, query_block, broad);
    else if (broad->store.alive)
        broad->method->pairs(broad, broad->pairs.writers.data);
    return finish(broad, pairs, error);
}

mote_result mote_broadphase_pairs(mote_broadphase *broad, mote_pairs *pairs, mote_error *error)
{
    if (!broad || !pairs) return mote_broadphase_refuse_null(broad, "pairs", error);
    memset(pairs, 0, sizeof *pairs);
    return mote_pairs_find(broad, pairs, error);
}

// ------------------------------------------------------------------------------------------------ set against set

typedef struct between_task {
    const mote_broadphase *broad, *other;
} between_task;

static bool take_other(candidate_sink *sink, uint32_t id)
{
    const asker *self = sink->data;
    mote_pair_add_key(self->writer, (uint64_t)self->id << 32 | id);
    return !self->writer->has_ended;
}

static void between_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    const between_task *task = data;
    const object_store *store = &task->broad->store;
    pair_writer *writer = (pair_writer *)task->broad->pairs.writers.data + worker;
    broadphase_probe probe;
    asker self = {.writer = writer};
    candidate_sink sink = {.broad = task->other, .probe = &probe, .take = take_other, .data = &self};
    for (self.id = (uint32_t)begin; self.id < end && !writer->has_ended; ++self.id) {
        if (!mote_store_has(store, self.id)) continue;
        mote_probe_box(&probe, task->other->def.dimensions, store->boxes + self.id);
        sink.filter = store->filters[self.id];
        sink.skips_static = mote_store_is_static(store, self.id);
        sink.stopped = false;
        mote_broadphase_offer(task->other, &sink);
    }
    writer->lookups += sink.lookups;
    writer->candidates += sink.candidates;
}

mote_result mote_broadphase_pairs_between(mote_broadphase *broad, mote_broadphase *other, mote_pairs *pairs,
                                          mote_error *error)
{
    if (!broad || !other || !pairs) return mote_broadphase_refuse_null(broad, pairs ? "other" : "pairs", error);
    memset(pairs, 0, sizeof *pairs);
    if (broad->def.dimensions != other->def.dimensions)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "broadphase: sets of %d and %d dimensions",
                         (int)broad->def.dimensions, (int)other->def.dimensions);
    mote_result result = mote_broadphase_update(other, error);
    if (result == MOTE_OK && other->method->box_rows) return mote_joined_pairs_between(broad, other, pairs, error);
    if (result != MOTE_OK || make_writers(broad) != MOTE_OK) return mote_broadphase_out_of_memory("pairs", error);
    between_task task = {broad, other};
    mote_parallel_for(broad->context, broad->store.end, OBJECTS, between_block, &task);
    return finish(broad, pairs, error);
}
