// SPDX-License-Identifier: MIT
// Parallel loops, run by the host's tasks or by the context's pool.

#include "base/context.h"

// The pool for calls without a context: the only global object in libmote. Its threads are never joined: at exit
// they sleep and hold nothing.
enum { MOST_THREADS = 255 };
static mote_thread default_threads[MOST_THREADS];
static mote_pool default_pool = {.threads = default_threads};

// The number of workers is fixed at the first call, because objects have memory for that many.
static mote_pool *pool_of(const mote_context *context)
{
    if (context) return (mote_pool *)&context->pool;  // only threads and counters change
    if (atomic_load_explicit(&default_pool.worker_count, memory_order_relaxed) == 0) {
        uint32_t nobody = 0, processors = mote_processor_count();
        atomic_compare_exchange_strong(&default_pool.worker_count, &nobody, MOTE_MIN(processors, MOST_THREADS + 1));
    }
    return &default_pool;
}

uint32_t mote_context_worker_count(const mote_context *context)
{
    if (context && context->tasks.run) return context->tasks.worker_count;
    return atomic_load_explicit(&pool_of(context)->worker_count, memory_order_relaxed);
}

// Warns the host, once, if the system did not start all the threads that were asked for.
static void tell_threads(const mote_context *context)
{
    uint32_t missing;
    if (atomic_load_explicit(&context->warned, memory_order_relaxed) & MOTE_WARNING_THREADS) return;
    if (!mote_pool_count_missing(&context->pool, &missing)) return;
    if (!mote_log_is_first(context, MOTE_WARNING_THREADS) || missing == 0) return;
    mote_log_message(context, "threads: the system gave %u fewer than the %u that were asked for", missing,
                     mote_context_worker_count(context));
}

void mote_run_blocks(const mote_context *context, uint32_t block_count, mote_task *task, void *task_data)
{
    if (!task) return;
    if (context && context->tasks.run) {
        if (block_count) context->tasks.run(context->tasks.user_data, block_count, task, task_data);
        return;
    }
    mote_pool_run(pool_of(context), block_count, task, task_data);
    if (context && context->log.message && block_count > 1) tell_threads(context);
}

typedef struct range_loop {
    mote_range_task *task;
    void *data;
    size_t count, block_size;
} range_loop;

static void run_range(void *data, uint32_t block, uint32_t worker)
{
    const range_loop *loop = data;
    size_t begin = block * loop->block_size;
    loop->task(loop->data, begin, MOTE_MIN(begin + loop->block_size, loop->count), worker);
}

void mote_parallel_for(const mote_context *context, size_t count, size_t block_size, mote_range_task *task, void *data)
{
    MOTE_ASSERT(block_size > 0 && count / block_size < UINT32_MAX);
    range_loop loop = {task, data, count, block_size};
    mote_run_blocks(context, mote_block_count(count, block_size), run_range, &loop);
}
