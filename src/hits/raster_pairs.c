// Pairs of a raster's query: blocks of shapes in parallel, each worker's pairs in memory of its own; then counts, their
// sums, and copies to where the blocks' order puts them. Nothing depends on which worker took a block.

#include "base/ascend.h"
#include "hits/raster.h"

enum { BLOCK = 256, COPIED_BLOCKS = 16, FEW = 32 };

typedef struct raster_block {
    size_t offset, count;  // in the worker's pairs
    uint64_t first;        // among all
    uint32_t worker;
    uint32_t bad;  // the shape at which it failed
    mote_result result;
} raster_block;

struct raster_memory {
    mote_context *context;
    mote_buffer workers, blocks, pairs;
    uint32_t worker_count;
};

mote_raster_query mote_raster_default_query(void)
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
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "raster: the query was not made by mote_raster_default_query");
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
    if (count <= FEW) {
        for (uint32_t k = 1; k < count; ++k) {
            const uint32_t number = numbers[k];
            uint32_t place = k;
            for (; place > 0 && numbers[place - 1] > number; --place) numbers[place] = numbers[place - 1];
            numbers[place] = number;
        }
    } else {
        mote_row_heap_sort(numbers, count, NULL);
    }
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; ++k)
        if (k == 0 || numbers[k] != numbers[k - 1]) numbers[kept++] = numbers[k];
    return kept;
}

// ---------------------------------------------------------------------------------------------------------- workers

// Room for one more element of a worker's; doubles what there is.
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

static void write_pairs(raster_worker *worker, uint32_t shape)
{
    const uint32_t *numbers = worker->found.data;
    const uint32_t count = mote_raster_order(worker->found.data, worker->found_count);
    if (!make_room(worker, &worker->pairs, worker->pair_count * sizeof(mote_raster_pair),
                   mote_bytes(count, sizeof(mote_raster_pair))))
        return;
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
        if (worker->found_count) write_pairs(worker, (uint32_t)shape);
        if (worker->out_of_memory) block->result = MOTE_ERROR_OUT_OF_MEMORY;
    }
    worker->counters.shapes += end - begin;
    block->count = worker->pair_count - block->offset;
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

// Memory of the raster's context, with a worker for each of its ids.
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
    const uint32_t count = MOTE_MAX(mote_context_worker_count(context), memory->worker_count);
    const size_t known = memory->worker_count * sizeof(raster_worker);
    mote_result result = mote_buffer_reserve(context, &memory->workers, count * sizeof(raster_worker), known);
    if (result != MOTE_OK) return result;
    memset((char *)memory->workers.data + known, 0, count * sizeof(raster_worker) - known);
    memory->worker_count = count;
    raster_worker *workers = memory->workers.data;
    for (uint32_t w = 0; w < count; ++w) {
        workers[w].context = context;
        workers[w].pair_count = 0;
        workers[w].out_of_memory = false;
        workers[w].counters = (mote_raster_counters){0};
    }
    return mote_buffer_reserve(context, &memory->blocks, mote_bytes(block_count, sizeof(raster_block)), 0);
}

static mote_result gather(raster_task *task, size_t block_count, mote_raster_pairs *pairs)
{
    struct raster_memory *memory = pairs->memory;
    uint64_t total = 0;
    for (size_t b = 0; b < block_count; ++b) {
        task->blocks[b].first = total;
        total += task->blocks[b].count;
    }
    mote_result result =
        mote_buffer_reserve(memory->context, &memory->pairs, mote_bytes((size_t)total, sizeof(mote_raster_pair)), 0);
    if (result != MOTE_OK) return result;
    task->pairs = memory->pairs.data;
    mote_parallel_for(memory->context, block_count, COPIED_BLOCKS, copy_blocks, task);
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

mote_result mote_raster_run(raster_task *task, size_t shape_count, mote_raster_pairs *pairs, mote_error *error)
{
    const size_t block_count = mote_block_count(shape_count, BLOCK);
    mote_result result = make_ready(task->raster->context, pairs, block_count);
    if (result == MOTE_OK) {
        task->workers = pairs->memory->workers.data;
        task->blocks = pairs->memory->blocks.data;
        mote_parallel_for(task->raster->context, shape_count, BLOCK, find_block, task);
        for (size_t b = 0; b < block_count; ++b) {
            const raster_block *block = task->blocks + b;
            if (block->result == MOTE_ERROR_OUT_OF_MEMORY)
                result = block->result;
            else if (block->result != MOTE_OK)
                return task->fail(task, block->bad, block->result, error);
        }
    }
    if (result == MOTE_OK) result = gather(task, block_count, pairs);
    if (result == MOTE_OK) return MOTE_OK;
    return mote_fail(error, result, 0, "raster: no memory for the pairs");
}
