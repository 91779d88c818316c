// SPDX-License-Identifier: MIT
// Batches and pairs, for methods (box_join) that find them all at once, in order. What remains to be done is to
// remove the results that filters and kinds exclude.

#include "broadphase/internal.h"

enum { ROWS = 2048, PAIRS = 32768 };  // rows, or pairs, in a block of work

// --------------------------------------------------------------------------------------------------------- rows

typedef struct filter_rows_task {
    const object_store *store;
    const object_store *askers;  // the store whose objects the queries are, or NULL
    mote_filter filter;
    box_rows rows;
    uint64_t *kept;  // number kept, for each block
} filter_rows_task;

static void filter_rows(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const filter_rows_task *task = data;
    const object_store *store = task->store, *askers = task->askers;
    uint64_t sum = 0;
    for (size_t i = begin; i < end; ++i) {
        const mote_filter filter = askers ? askers->filters[i] : task->filter;
        const bool skips_static = askers && mote_store_is_static(askers, (uint32_t)i);
        uint32_t *ids = task->rows.ids + task->rows.first[i], kept = 0;
        for (uint32_t k = 0; k < task->rows.counts[i]; ++k) {
            const uint32_t id = ids[k];
            ids[kept] = id;
            kept += mote_filters_meet(filter, store->filters[id]) && !(skips_static && mote_store_is_static(store, id));
        }
        task->rows.counts[i] = kept;
        sum += kept;
    }
    task->kept[begin / ROWS] = sum;
}

// Whether every object passes the filter.
static bool meets_all(const object_store *store, mote_filter filter)
{
    return !store->is_mixed && mote_filters_meet(filter, mote_filter_all());
}

static mote_result filter_all_rows(mote_broadphase *broad, filter_rows_task *task)
{
    const uint32_t blocks = mote_block_count(task->rows.count, ROWS);
    mote_buffer *memory = &broad->rows.starts;
    mote_result result = mote_buffer_reserve(broad->context, memory, (blocks + (size_t)1) * sizeof *task->kept, 0);
    if (result != MOTE_OK) return result;
    task->kept = memory->data;
    mote_parallel_for(broad->context, task->rows.count, ROWS, filter_rows, task);
    task->rows.total = 0;
    for (uint32_t b = 0; b < blocks; ++b) task->rows.total += task->kept[b];
    return MOTE_OK;
}

// Gets the boxes as a contiguous array: the caller's own if it is one, else a copy. Checks them, too.
static mote_result straighten(mote_broadphase *broad, const mote_boxes *boxes, const mote_bounds **straight,
                              mote_error *error)
{
    static const char what[] = "broadphase: queries";
    const char *first = boxes->min[0];
    bool is_straight = boxes->dimensions == 3 && boxes->stride == (ptrdiff_t)sizeof(mote_bounds) &&
                       (uintptr_t)first % _Alignof(mote_bounds) == 0;
    for (size_t k = 0; k < 3 && is_straight; ++k)
        is_straight = boxes->min[k] == first + k * sizeof(float) && boxes->max[k] == first + (k + 3) * sizeof(float);
    *straight = boxes->min[0];
    if (is_straight) return mote_boxes_take(broad->context, boxes, broad->def.dimensions, what, NULL, error);
    mote_buffer *memory = &broad->rows.boxes;
    mote_result result =
        mote_buffer_reserve(broad->context, memory, mote_bytes(boxes->count + 1, sizeof(mote_bounds)), 0);
    if (result != MOTE_OK) return mote_broadphase_out_of_memory("queries", error);
    *straight = memory->data;
    return mote_boxes_take(broad->context, boxes, broad->def.dimensions, what, memory->data, error);
}

mote_result mote_joined_rows(mote_broadphase *broad, const mote_boxes *boxes, mote_filter filter, mote_id_rows *rows,
                             mote_error *error)
{
    memset(rows, 0, sizeof *rows);
    const mote_bounds *straight;
    filter_rows_task task = {.store = &broad->store, .filter = filter};
    mote_result result = straighten(broad, boxes, &straight, error);
    if (result != MOTE_OK) return result;
    result = broad->method->box_rows(broad, straight, boxes->count, true, &task.rows);
    if (result == MOTE_OK && !meets_all(&broad->store, filter)) result = filter_all_rows(broad, &task);
    if (result != MOTE_OK) return mote_broadphase_out_of_memory("rows", error);
    broad->counters.hits = task.rows.total;
    *rows = (mote_id_rows){task.rows.count, task.rows.first, task.rows.counts, task.rows.ids, task.rows.total};
    return MOTE_OK;
}

// -------------------------------------------------------------------------------------------------------- pairs

typedef struct pairs_task {
    const object_store *store;  // NULL: all pairs are allowed
    const uint64_t *keys;
    uint64_t *starts;  // for each block
    mote_pair *pairs;
} pairs_task;

static bool may_meet(const pairs_task *task, uint64_t key)
{
    return !task->store || mote_pair_may_meet(task->store, (uint32_t)(key >> 32), (uint32_t)key);
}

static void count_pairs(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const pairs_task *task = data;
    uint64_t count = 0;
    for (size_t k = begin; k < end; ++k) count += may_meet(task, task->keys[k]);
    task->starts[begin / PAIRS] = count;
}

static void put_pairs(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const pairs_task *task = data;
    mote_pair *to = task->pairs + (task->store ? task->starts[begin / PAIRS] : begin);
    for (size_t k = begin; k < end; ++k)
        if (may_meet(task, task->keys[k]))
            *to++ = (mote_pair){(uint32_t)(task->keys[k] >> 32), (uint32_t)task->keys[k]};
    MOTE_ASSERT((size_t)(to - task->pairs) == (task->store ? task->starts[begin / PAIRS + 1] : end));
}

mote_result mote_joined_pairs(mote_broadphase *broad, mote_pairs *pairs, mote_error *error)
{
    pair_store *store = &broad->pairs;
    pairs_task task = {.store = broad->store.is_mixed ? &broad->store : NULL};
    pair_outcome outcome;
    uint64_t count = 0;
    mote_result result = broad->method->sorted_pairs(broad, store->spare.bytes + store->pairs.bytes, &task.keys,
                                                     &outcome);
    const size_t found = (size_t)outcome.count;
    const uint32_t blocks = mote_block_count(found, PAIRS);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(broad->context, &store->spare, (blocks + (size_t)1) * sizeof *task.starts, 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(broad->context, &store->pairs, mote_bytes(found + 1, sizeof *task.pairs), 0);
    if (result != MOTE_OK) return mote_pairs_refuse(broad->context, error, &outcome);
    task.starts = store->spare.data;
    task.pairs = store->pairs.data;
    if (task.store) {
        mote_parallel_for(broad->context, found, PAIRS, count_pairs, &task);
        count = mote_prefix_sum_u64(task.starts, blocks);
        task.starts[blocks] = count;
    } else {
        count = found;
    }
    mote_parallel_for(broad->context, found, PAIRS, put_pairs, &task);
    broad->counters.hits = count;
    *pairs = (mote_pairs){task.pairs, (size_t)count};
    return MOTE_OK;
}

mote_result mote_joined_pairs_between(mote_broadphase *broad, mote_broadphase *other, mote_pairs *pairs,
                                      mote_error *error)
{
    filter_rows_task task = {.store = &other->store, .askers = &broad->store};
    mote_result result = other->method->box_rows(other, broad->store.boxes, broad->store.end, false, &task.rows);
    const bool is_plain = !broad->store.is_mixed && !other->store.is_mixed;
    if (result == MOTE_OK && !is_plain) result = filter_all_rows(broad, &task);
    if (result != MOTE_OK) return mote_broadphase_out_of_memory("pairs", error);
    mote_buffer *memory = &broad->pairs.pairs;
    const pair_outcome outcome = {.count = task.rows.total};
    const size_t bytes = mote_bytes((size_t)task.rows.total + 1, sizeof(mote_pair));
    if (mote_buffer_reserve(broad->context, memory, bytes, 0) != MOTE_OK)
        return mote_pairs_refuse(broad->context, error, &outcome);
    mote_pair *to = memory->data;
    for (size_t i = 0; i < task.rows.count; ++i)
        for (uint32_t k = 0; k < task.rows.counts[i]; ++k)
            *to++ = (mote_pair){(uint32_t)i, task.rows.ids[task.rows.first[i] + k]};
    MOTE_ASSERT((uint64_t)(to - (mote_pair *)memory->data) == task.rows.total);
    broad->counters.lookups = other->counters.lookups;
    broad->counters.candidates = other->counters.candidates;
    broad->counters.hits = task.rows.total;
    *pairs = (mote_pairs){memory->data, (size_t)task.rows.total};
    return MOTE_OK;
}
