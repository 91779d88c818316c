// SPDX-License-Identifier: MIT
// Rows the other way round.
//
// A counting sort of all pairs by the row that they go to, the most significant digits first, as in grid_sort.c. The
// given rows, in the order that the new ones are to have, are divided into blocks, and the new rows into stretches. The
// pairs of each block are counted by stretch, prefix sums give every block its place in each stretch, and the pairs are
// put there: so the pairs of a stretch keep their order, whatever the threads do. Then each stretch, whose tables fit
// the cache, gives its rows their places and fills them.

#include "neighbors/turned.h"

enum {
    BLOCK = 4096,        // given rows in a block
    STRETCH_SHIFT = 14,  // new rows in a stretch, as a power of two, unless there are too many of them
    MOST_STRETCHES = 256
};

// A neighbour of a new row.
typedef struct turned_pair {
    uint32_t row, index;
} turned_pair;

typedef struct turn_task {
    const mote_lists *from;
    const uint32_t *order;
    size_t count;      // new rows
    unsigned shift;    // stretch of a new row: row >> shift
    uint32_t stretch_count, block_count;
    uint32_t *begins;  // [stretch][block]: the number of pairs, then where they begin
    turned_pair *pairs;
    uint64_t *first;
    uint32_t *counts, *indices;
} turn_task;

static inline uint32_t row_number(const turn_task *task, size_t k)
{
    return task->order ? task->order[k] : (uint32_t)k;
}

static void count_pairs(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const turn_task *task = data;
    const mote_lists from = *task->from;
    const unsigned shift = task->shift;
    uint32_t counts[MOST_STRETCHES] = {0};
    for (size_t k = begin; k < end; ++k) {
        const uint32_t i = row_number(task, k), count = from.counts[i];
        const uint32_t *row = from.indices + from.first[i];
        for (uint32_t n = 0; n < count; ++n) counts[row[n] >> shift] += 1;
    }
    for (uint32_t s = 0; s < task->stretch_count; ++s)
        task->begins[s * task->block_count + begin / BLOCK] = counts[s];
}

static void spread_pairs(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const turn_task *task = data;
    const mote_lists from = *task->from;
    const unsigned shift = task->shift;
    turned_pair *const pairs = task->pairs;
    uint32_t at[MOST_STRETCHES];
    for (uint32_t s = 0; s < task->stretch_count; ++s) at[s] = task->begins[s * task->block_count + begin / BLOCK];
    for (size_t k = begin; k < end; ++k) {
        const uint32_t i = row_number(task, k), count = from.counts[i];
        const uint32_t *row = from.indices + from.first[i];
        for (uint32_t n = 0; n < count; ++n) pairs[at[row[n] >> shift]++] = (turned_pair){row[n], i};
    }
}

// Writes the rows of a stretch. Each begins where it ends until its neighbours are put there, the last one first.
static void fill_stretch(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const turn_task *task = data;
    const size_t first_row = begin << task->shift, end_row = MOTE_MIN(end << task->shift, task->count);
    const uint32_t *begins = task->begins + begin * task->block_count;
    const bool is_last = end == task->stretch_count;
    const uint32_t first_pair = begins[0];
    const uint32_t end_pair = is_last ? (uint32_t)task->from->total : begins[task->block_count];
    uint64_t *const first = task->first;
    uint32_t *const counts = task->counts, *const indices = task->indices;
    const turned_pair *const pairs = task->pairs;
    memset(counts + first_row, 0, (end_row - first_row) * sizeof *counts);
    for (uint32_t k = first_pair; k < end_pair; ++k) counts[pairs[k].row] += 1;
    uint64_t sum = first_pair;
    for (size_t i = first_row; i < end_row; ++i) {
        sum += counts[i];
        first[i] = sum & (0 - (uint64_t)(counts[i] > 0));  // 0 for rows without neighbours, and no branch
    }
    MOTE_ASSERT(sum == end_pair);
    for (uint32_t k = end_pair; k > first_pair; --k) indices[--first[pairs[k - 1].row]] = pairs[k - 1].index;
}

// Reserves everything, and divides the rows.
static mote_result prepare(const mote_context *context, uint64_t room, mote_buffer *scratch, list_memory *memory,
                           turn_task *task)
{
    const size_t total = (size_t)task->from->total, rows = MOTE_MAX(task->count, (size_t)1);
    if (room > SIZE_MAX / 8) return MOTE_ERROR_OUT_OF_MEMORY;
    task->shift = STRETCH_SHIFT;
    while ((rows - 1) >> task->shift >= MOST_STRETCHES) task->shift += 1;
    task->stretch_count = (uint32_t)((rows - 1) >> task->shift) + 1;
    task->block_count = MOTE_MAX(mote_block_count(task->from->count, BLOCK), (uint32_t)1);
    const size_t entries = (size_t)task->stretch_count * task->block_count;
    const size_t table = mote_bytes(entries, sizeof(uint32_t)), pairs = mote_bytes(total, sizeof(turned_pair));
    if (table > SIZE_MAX / 4 || pairs > SIZE_MAX / 4) return MOTE_ERROR_OUT_OF_MEMORY;
    mote_result result = mote_buffer_reserve(context, scratch, table + pairs, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &memory->first, mote_bytes(rows, sizeof(uint64_t)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &memory->counts, mote_bytes(rows, sizeof(uint32_t)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &memory->indices, (size_t)room * sizeof(uint32_t), 0);
    if (result != MOTE_OK) return result;
    task->pairs = scratch->data;
    task->begins = (uint32_t *)(void *)(task->pairs + total);
    memset(task->begins, 0, table);  // if there are no given rows, no block counts
    task->first = memory->first.data;
    task->counts = memory->counts.data;
    task->indices = memory->indices.data;
    return MOTE_OK;
}

mote_result mote_rows_turn(const mote_context *context, const mote_lists *from, const uint32_t *order, size_t count,
                           uint64_t room, mote_buffer *scratch, list_memory *memory, mote_lists *lists)
{
    turn_task task = {.from = from, .order = order, .count = count};
    MOTE_ASSERT(from->total < UINT32_MAX);
    const uint64_t roomy = MOTE_MAX(room, from->total + from->total / 8 + 1);
    const mote_result result = prepare(context, roomy, scratch, memory, &task);
    if (result != MOTE_OK) return result;
    mote_parallel_for(context, from->count, BLOCK, count_pairs, &task);
    const uint64_t sum = mote_prefix_sum_u32(task.begins, (size_t)task.stretch_count * task.block_count);
    MOTE_ASSERT(sum == from->total);
    (void)sum;
    mote_parallel_for(context, from->count, BLOCK, spread_pairs, &task);
    mote_parallel_for(context, task.stretch_count, 1, fill_stretch, &task);
    *lists = (mote_lists){.count = count, .first = task.first, .counts = task.counts, .indices = task.indices};
    lists->total = from->total;
    return MOTE_OK;
}
