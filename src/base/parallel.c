// Parallel loops: the host's tasks, or OpenMP where the build found it, or one thread after the other.

#include "base/context.h"

#if defined(_OPENMP)
#include <omp.h>
#endif

uint32_t mote_processor_count(void)
{
#if defined(_OPENMP)
    int count = omp_get_max_threads();
    return count > 0 ? (uint32_t)count : 1;
#else
    return 1;
#endif
}

uint32_t mote_context_worker_count(const mote_context *context)
{
    if (context && context->tasks.run) return context->tasks.worker_count;
#if defined(_OPENMP)
    return context ? context->thread_count : mote_processor_count();
#else
    return 1;
#endif
}

void mote_run_blocks(const mote_context *context, uint32_t block_count, mote_task *task, void *task_data)
{
    if (context && context->tasks.run) {
        if (block_count) context->tasks.run(context->tasks.user_data, block_count, task, task_data);
        return;
    }
#if defined(_OPENMP)
    uint32_t workers = mote_context_worker_count(context);
    if (workers > block_count) workers = block_count;
    if (workers > 1) {
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)workers)
        for (int64_t block = 0; block < (int64_t)block_count; ++block)
            task(task_data, (uint32_t)block, (uint32_t)omp_get_thread_num());
        return;
    }
#endif
    for (uint32_t block = 0; block < block_count; ++block) task(task_data, block, 0);
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
