// SPDX-License-Identifier: MIT
// Pairs of a raster's query: blocks of shapes in parallel, with each worker's pairs in its own memory; then counts,
// their sums, and copies into the order of the blocks. The result does not depend on which worker took a block.

#include <stdatomic.h>

#include "base/order.h"
#include "raster/internal.h"

enum { BLOCK = 256, COPIED_BLOCKS = 16 };

typedef struct raster_block {
    size_t offset, count;  // in the worker's pairs
    uint64_t first;        // among the pairs of all workers
    uint32_t worker;
    uint32_t bad;  // the shape at which it failed
    mote_result result;
} raster_block;

// A pair is stored in its worker's list, and in the joined list.
enum { BYTES_OF_A_PAIR = 2 * sizeof(mote_raster_pair) };

// Pairs beyond the byte budget are only counted, so that the error can say how many there are.
struct raster_tally {
    uint64_t most;
    atomic_uint_least64_t found;
};

struct raster_memory {
    mote_context *context;
    mote_buffer workers, blocks, pairs;
    uint32_t worker_count;
};

mote_raster_query mote_raster_query_default(void)
{
    mote_raster_query query = {.cookie = MOTE_COOKIE};
    return query;
}

mote_result mote_raster_begin_query(const mote_raster_query *query, mote_raster_pairs *pairs, mote_error *error)
{
    pairs->pairs = NULL;
    pairs->count = 0;
    pairs->counters = (mote_raster_counters){0};
    if (query->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "raster: the query was not made by mote_raster_query_default");
    if (!(query->thickness >= 0 && query->thickness <= RASTER_MOST))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "raster: thickness is %g, expected 0 to 2^160",
                         query->thickness);
    return MOTE_OK;
}

mote_result mote_raster_fail_vertex(mote_error *error, const char *what, size_t index, uint32_t vertex, mote_vec3 at)
{
    const bool is_finite = isfinite(at.x) && isfinite(at.y) && isfinite(at.z);
    return mote_fail(error, is_finite ? MOTE_ERROR_ARGUMENT : MOTE_ERROR_NOT_FINITE, index,
                     "%s %zu: its vertex %u is (%g, %g, %g), expected finite numbers up to 2^160", what, index, vertex,
                     at.x, at.y, at.z);
}

// ------------------------------------------------------------------------------------------------------------ order

uint32_t mote_raster_order(uint32_t *numbers, uint32_t count)
{
    mote_sort_numbers(numbers, count);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; ++k)
        if (k == 0 || numbers[k] != numbers[k - 1]) numbers[kept++] = numbers[k];
    return kept;
}

// ---------------------------------------------------------------------------------------------------------- workers

// Makes room for one more element of a worker's buffer; doubles its size.
static bool make_room(raster_worker *worker, mote_buffer *buffer, size_t used, size_t bytes)
{
    if (worker->out_of_memory) return false;
    if (used + bytes <= buffer->bytes) return true;
    const size_t needed = MOTE_MAX(2 * used, used + bytes);
    worker->out_of_memory = mote_buffer_reserve(worker->context, buffer, MOTE_MAX(needed, 4096), used) != MOTE_OK;
    return !worker->out_of_memory;
}

void mote_raster_take(raster_worker *worker, uint32_t number)
{
    uint32_t *numbers = worker->found.data;
    const size_t used = worker->found_count * sizeof number;
    if (used + sizeof number > worker->found.bytes || worker->out_of_memory) {
        if (!make_room(worker, &worker->found, used, sizeof number)) return;
        numbers = worker->found.data;
    }
    numbers[worker->found_count++] = number;
}

// Makes room for `count` more pairs. False if pairs are only counted: the worker's list is then released.
static bool keeps_pairs(const raster_task *task, raster_worker *worker, uint32_t count)
{
    const size_t used = worker->pair_count * sizeof(mote_raster_pair), more = count * sizeof(mote_raster_pair);
    const uint64_t found = atomic_fetch_add(&task->tally->found, count) + count;
    if (worker->is_counting) return false;
    if (found <= task->tally->most) {
        const size_t needed = MOTE_MAX(used + more, MOTE_MAX(2 * used, (size_t)4096));
        if (used + more <= worker->pairs.bytes ||
            mote_buffer_reserve(worker->context, &worker->pairs, needed, used) == MOTE_OK)
            return true;
    }
    worker->is_counting = true;
    worker->left_out = worker->pair_count;
    worker->pair_count = 0;
    mote_buffer_release(worker->context, &worker->pairs);
    return false;
}

static void write_pairs(const raster_task *task, raster_worker *worker, uint32_t shape)
{
    const uint32_t *numbers = worker->found.data;
    const uint32_t count = mote_raster_order(worker->found.data, worker->found_count);
    if (!keeps_pairs(task, worker, count)) {
        worker->left_out += count;
        return;
    }
    mote_raster_pair *pairs = (mote_raster_pair *)worker->pairs.data + worker->pair_count;
    for (uint32_t k = 0; k < count; ++k) pairs[k] = (mote_raster_pair){shape, numbers[k]};
    worker->pair_count += count;
}

static void find_block(void *data, size_t begin, size_t end, uint32_t number)
{
    const raster_task *task = data;
    raster_worker *worker = task->workers + number;
    raster_block *block = task->blocks + begin / BLOCK;
    *block = (raster_block){.offset = worker->pair_count, .worker = number};
    for (size_t shape = begin; shape < end && block->result == MOTE_OK; ++shape) {
        worker->found_count = 0;
        block->result = task->meet(task, (uint32_t)shape, worker);
        block->bad = (uint32_t)shape;
        if (worker->found_count) write_pairs(task, worker, (uint32_t)shape);
        if (worker->out_of_memory) block->result = MOTE_ERROR_OUT_OF_MEMORY;
    }
    worker->counters.shapes += end - begin;
    block->count = worker->is_counting ? 0 : worker->pair_count - block->offset;
}

static void copy_blocks(void *data, size_t begin, size_t end, uint32_t number)
{
    (void)number;
    const raster_task *task = data;
    for (size_t b = begin; b < end; ++b) {
        const raster_block *block = task->blocks + b;
        const mote_raster_pair *from = task->workers[block->worker].pairs.data;
        if (block->count) memcpy(task->pairs + block->first, from + block->offset, block->count * sizeof *from);
    }
}

// -------------------------------------------------------------------------------------------------------------- runs

void mote_raster_pairs_release(mote_raster_pairs *pairs)
{
    struct raster_memory *memory = pairs ? pairs->memory : NULL;
    if (memory) {
        mote_context *context = memory->context;
        raster_worker *workers = memory->workers.data;
        for (uint32_t w = 0; w < memory->worker_count; ++w) {
            mote_buffer_release(context, &workers[w].found);
            mote_buffer_release(context, &workers[w].pairs);
            mote_buffer_release(context, &workers[w].scratch);
        }
        mote_buffer_release(context, &memory->workers);
        mote_buffer_release(context, &memory->blocks);
        mote_buffer_release(context, &memory->pairs);
        mote_release(context, memory, sizeof *memory);
    }
    if (pairs) *pairs = (mote_raster_pairs){0};
}

// Takes the memory of the raster's context, and prepares a worker for each worker id.
static mote_result make_ready(mote_context *context, mote_raster_pairs *pairs, size_t block_count)
{
    if (pairs->memory && pairs->memory->context != context) mote_raster_pairs_release(pairs);
    struct raster_memory *memory = pairs->memory;
    if (!memory) {
        memory = mote_allocate(context, sizeof *memory);
        if (!memory) return MOTE_ERROR_OUT_OF_MEMORY;
        *memory = (struct raster_memory){.context = context};
        pairs->memory = memory;
    }
    mote_result result = mote_buffer_reserve_workers(context, &memory->workers, sizeof(raster_worker));
    if (result != MOTE_OK) return result;
    const uint32_t count = MOTE_MAX(mote_context_worker_count(context), memory->worker_count);
    memory->worker_count = count;
    raster_worker *workers = memory->workers.data;
    for (uint32_t w = 0; w < count; ++w) {
        workers[w].context = context;
        workers[w].pair_count = 0;
        workers[w].left_out = 0;
        workers[w].is_counting = workers[w].out_of_memory = false;
        workers[w].counters = (mote_raster_counters){0};
    }
    return mote_buffer_reserve(context, &memory->blocks, mote_bytes(block_count, sizeof(raster_block)), 0);
}

// Copies the blocks' pairs into their order; if one worker has found them all, they are in order already.
static mote_result join_blocks(raster_task *task, size_t block_count, uint64_t *total)
{
    struct raster_memory *memory = task->memory;
    bool is_joined = true;
    *total = 0;
    for (size_t b = 0; b < block_count; ++b) {
        raster_block *block = task->blocks + b;
        is_joined &= block->worker == task->blocks->worker && block->offset == *total;
        block->first = *total;
        *total += block->count;
    }
    task->pairs = block_count ? task->workers[task->blocks->worker].pairs.data : NULL;
    if (is_joined) return MOTE_OK;
    mote_result result =
        mote_buffer_reserve(memory->context, &memory->pairs, mote_bytes((size_t)*total, sizeof(mote_raster_pair)), 0);
    if (result != MOTE_OK) return result;
    task->pairs = memory->pairs.data;
    mote_parallel_for(memory->context, block_count, COPIED_BLOCKS, copy_blocks, task);
    return MOTE_OK;
}

static mote_result gather(raster_task *task, size_t block_count, mote_raster_pairs *pairs)
{
    struct raster_memory *memory = task->memory;
    uint64_t total;
    mote_result result = join_blocks(task, block_count, &total);
    if (result != MOTE_OK) return result;
    pairs->pairs = task->pairs;
    pairs->count = (size_t)total;
    for (uint32_t w = 0; w < memory->worker_count; ++w) {
        const mote_raster_counters *counters = &task->workers[w].counters;
        pairs->counters.shapes += counters->shapes;
        pairs->counters.rows += counters->rows;
        pairs->counters.cells += counters->cells;
        pairs->counters.candidates += counters->candidates;
    }
    return MOTE_OK;
}

// Bytes of buffers that a query fills again, and which the budget has already counted.
static size_t held_bytes(const struct raster_memory *memory)
{
    const raster_worker *workers = memory->workers.data;
    size_t bytes = memory->pairs.bytes;
    for (uint32_t w = 0; w < memory->worker_count; ++w) bytes += workers[w].pairs.bytes;
    return bytes;
}

// Fills in the error; it says how many pairs there are, if all were counted.
static mote_result refuse(const raster_task *task, bool is_counted, mote_error *error)
{
    if (!is_counted) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "raster: no memory for the pairs");
    const double giga = 1e9, count = (double)atomic_load(&task->tally->found);
    const size_t budget = mote_budget(task->raster->context);
    if (budget == SIZE_MAX)
        return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "raster: no memory for %.0f pairs, which take %.3g GB",
                         count, count * BYTES_OF_A_PAIR / giga);
    return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0,
                     "raster: no memory for %.0f pairs, which take %.3g GB; the byte budget is %.3g GB", count,
                     count * BYTES_OF_A_PAIR / giga, (double)budget / giga);
}

// Runs the query, whose blocks and workers have been prepared.
// @return MOTE_OK, or the reason of the first block that failed; blocks that lack memory come after all others
static mote_result find_pairs(raster_task *task, size_t shape_count, uint32_t *bad)
{
    mote_result result = MOTE_OK;
    mote_parallel_for(task->raster->context, shape_count, BLOCK, find_block, task);
    for (size_t b = mote_block_count(shape_count, BLOCK); b-- > 0;) {
        const raster_block *block = task->blocks + b;
        if (block->result == MOTE_OK || (block->result == MOTE_ERROR_OUT_OF_MEMORY && result != MOTE_OK)) continue;
        result = block->result;
        *bad = block->bad;
    }
    return result;
}

// The workers' pairs may have taken the memory that a shape's numbers need: without pairs, they can still be counted.
static mote_result count_pairs(raster_task *task, size_t shape_count, uint32_t *bad)
{
    for (uint32_t w = 0; w < task->memory->worker_count; ++w) {
        raster_worker *worker = task->workers + w;
        mote_buffer_release(worker->context, &worker->pairs);
        worker->is_counting = true;
        worker->out_of_memory = false;
        worker->pair_count = 0;
    }
    atomic_store(&task->tally->found, 0);
    return find_pairs(task, shape_count, bad);
}

mote_result mote_raster_run(raster_task *task, size_t shape_count, mote_raster_pairs *pairs, mote_error *error)
{
    const size_t block_count = mote_block_count(shape_count, BLOCK);
    struct raster_tally tally = {.most = UINT64_MAX};
    uint32_t bad = 0;
    task->tally = &tally;
    mote_result result = make_ready(task->raster->context, pairs, block_count);
    if (result != MOTE_OK) return refuse(task, false, error);
    task->memory = pairs->memory;
    task->workers = task->memory->workers.data;
    task->blocks = task->memory->blocks.data;
    const size_t left = mote_budget_left(task->raster->context), held = held_bytes(task->memory);
    tally.most = (left > SIZE_MAX - held ? SIZE_MAX : left + held) / BYTES_OF_A_PAIR;
    result = find_pairs(task, shape_count, &bad);
    if (result == MOTE_ERROR_OUT_OF_MEMORY) result = count_pairs(task, shape_count, &bad);
    if (result == MOTE_ERROR_OUT_OF_MEMORY) return refuse(task, false, error);
    if (result != MOTE_OK) return task->fail(task, bad, result, error);
    for (uint32_t w = 0; w < task->memory->worker_count; ++w)
        if (task->workers[w].is_counting) return refuse(task, true, error);
    result = gather(task, block_count, pairs);
    return result == MOTE_OK ? result : refuse(task, true, error);
}
