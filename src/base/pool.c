// SPDX-License-Identifier: MIT
// The pool of threads. Jobs are kept in a few slots; the caller and the helpers claim blocks of them one by one.
//
// `left`, the number of blocks not yet begun, is decremented by compare and exchange, so that claiming a block is
// the only way to join a job. A caller cannot return before every claimed block has ended; a helper without a block
// does not delay it. If a helper looks at a slot while its job ends and another begins, it claims a block of the new
// job: that does no harm, and the helper notices it by the job's number.
//
// Idle helpers watch the number of jobs posted for a while, then sleep. A caller posts its job and, if helpers
// sleep, wakes one; a helper that finds more blocks than its own wakes the next, and so does the caller between its
// own blocks.
//
// A forked child has the memory of the pool but none of its threads. So the pool stores the process in which it
// started: in another process it starts again and overwrites the old state. If several threads try to start it, one
// exchange of `state` decides which one does; the others do not wait, but run their jobs alone.

#include "base/pool.h"

// How long an idle helper, or a waiting caller, keeps checking before it sleeps. Waking a thread takes 2 to 5 us on
// bare machines, 10 to 30 in virtual ones, and most gaps between a solver's loops are shorter than this.
static const double spin_seconds = 60e-6;

enum { SPINS_A_LOOK = 32 };  // pauses, about a microsecond, between two reads of the clock

enum { PHASE_BITS = 2, PHASE_STARTING = 1, PHASE_READY = 2 };

static void count(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

// ---------------------------------------------------------------------------------------------------- a block

static bool claim(mote_pool_job *job, uint32_t *block)
{
    uint32_t left = atomic_load_explicit(&job->left, memory_order_relaxed);
    do {
        if (left == 0) return false;
    } while (!atomic_compare_exchange_weak(&job->left, &left, left - 1));
    *block = job->block_count - left;
    return true;
}

// The worker id of a thread that has claimed its first block of the job: n blocks have ids below n for any number of
// threads.
static uint32_t join(mote_pool_job *job)
{
    return atomic_fetch_add_explicit(&job->joined, 1, memory_order_relaxed);
}

// After this the slot may hold another job.
static void finish(mote_pool *pool, mote_pool_job *job, uint32_t blocks)
{
    if (atomic_fetch_sub(&job->unfinished, blocks) != blocks || !atomic_load(&job->is_awaited)) return;
    mote_lock_take(&pool->lock);
    mote_condition_wake_all(&job->done);
    mote_lock_give(&pool->lock);
}

static void call_helper(mote_pool *pool)
{
    if (atomic_load(&pool->sleepers) == 0) return;
    mote_lock_take(&pool->lock);
    const bool is_called = atomic_load(&pool->sleepers) > 0;
    if (is_called) {
        atomic_fetch_sub(&pool->sleepers, 1);
        ++pool->calls;
    }
    mote_lock_give(&pool->lock);
    if (!is_called) return;
    mote_condition_wake_one(&pool->work);
    count(&pool->counters.wakes);
}

// --------------------------------------------------------------------------------------------------- a helper

// Runs blocks of the job in this slot, until all have begun.
static bool help(mote_pool *pool, mote_pool_job *job)
{
    uint64_t number = 0;
    uint32_t block, worker = 0;
    while (claim(job, &block)) {
        if (job->number != number) {
            number = job->number;
            worker = join(job);
            if (atomic_load_explicit(&job->left, memory_order_relaxed) > 0) call_helper(pool);
        }
        job->task(job->data, block, worker);
        count(&pool->counters.helped);  // before the caller may go on and read it
        finish(pool, job, 1);
    }
    return number != 0;
}

static bool help_anyone(mote_pool *pool)
{
    bool helped = false;
    for (int k = 0; k < MOTE_POOL_JOBS; ++k) helped |= help(pool, &pool->jobs[k]);
    return helped;
}

// Waits for a job after the first `seen` ones. @return false if the pool ends
static bool wait_for_work(mote_pool *pool, uint64_t seen)
{
    const double until = mote_clock_seconds() + spin_seconds;
    do {
        for (int k = 0; k < SPINS_A_LOOK; ++k) {
            if (atomic_load_explicit(&pool->posts, memory_order_relaxed) != seen) return true;
            mote_spin_pause();
        }
    } while (mote_clock_seconds() < until);

    mote_lock_take(&pool->lock);
    atomic_fetch_add(&pool->sleepers, 1);  // before the last check, so that a later post sees a sleeper
    if (atomic_load(&pool->posts) != seen) {
        atomic_fetch_sub(&pool->sleepers, 1);
    } else {
        while (pool->calls == 0 && !pool->must_end) mote_condition_wait(&pool->work, &pool->lock);
        if (pool->calls > 0) --pool->calls;
    }
    const bool goes_on = !pool->must_end;
    mote_lock_give(&pool->lock);
    return goes_on;
}

static void run_helper(void *data)
{
    mote_pool *pool = data;
    uint64_t seen;
    do {
        seen = atomic_load(&pool->posts);
    } while (help_anyone(pool) || wait_for_work(pool, seen));
}

// --------------------------------------------------------------------------------------------- start and end

void mote_pool_init(mote_pool *pool, uint32_t worker_count, mote_thread *threads)
{
    memset(pool, 0, sizeof *pool);
    atomic_init(&pool->worker_count, worker_count);
    pool->threads = threads;
}

// Resets the pool to the state before any thread used it; the old contents belong to another process.
static bool reset(mote_pool *pool)
{
    pool->started = 0;
    pool->calls = 0;
    pool->must_end = false;
    atomic_store(&pool->sleepers, 0);
    bool made = mote_lock_init(&pool->lock) && mote_condition_init(&pool->work);
    for (int k = 0; k < MOTE_POOL_JOBS; ++k) {
        mote_pool_job *job = &pool->jobs[k];
        atomic_store(&job->left, 0);
        atomic_store(&job->unfinished, 0);
        atomic_store(&job->is_taken, false);
        atomic_store(&job->is_awaited, false);
        made = made && mote_condition_init(&job->done);
    }
    return made;
}

// Whether helpers may be woken: starts them in a process that has none. If the system starts no thread, or not all,
// the existing ones do the work.
static bool is_ready(mote_pool *pool)
{
    const uint64_t process = (uint64_t)mote_process_id() << PHASE_BITS;
    uint64_t state = atomic_load_explicit(&pool->state, memory_order_acquire);
    if (state == (process | PHASE_READY)) return pool->started > 0;
    if (state == (process | PHASE_STARTING)) return false;
    if (!atomic_compare_exchange_strong(&pool->state, &state, process | PHASE_STARTING)) return false;

    const uint32_t helpers = atomic_load(&pool->worker_count) - 1;
    if (reset(pool))
        while (pool->started < helpers && mote_thread_start(&pool->threads[pool->started], run_helper, pool))
            ++pool->started;
    atomic_store_explicit(&pool->state, process | PHASE_READY, memory_order_release);
    return pool->started > 0;
}

bool mote_pool_count_missing(const mote_pool *pool, uint32_t *missing)
{
    const uint64_t process = (uint64_t)mote_process_id() << PHASE_BITS;
    if (atomic_load_explicit(&pool->state, memory_order_acquire) != (process | PHASE_READY)) return false;
    *missing = atomic_load(&pool->worker_count) - 1 - pool->started;
    return true;
}

void mote_pool_end(mote_pool *pool)
{
    const uint64_t process = (uint64_t)mote_process_id() << PHASE_BITS;
    if (atomic_load(&pool->state) != (process | PHASE_READY)) return;
    mote_lock_take(&pool->lock);
    pool->must_end = true;
    mote_condition_wake_all(&pool->work);
    mote_lock_give(&pool->lock);
    for (uint32_t k = 0; k < pool->started; ++k) mote_thread_join(&pool->threads[k]);
    for (int k = 0; k < MOTE_POOL_JOBS; ++k) mote_condition_destroy(&pool->jobs[k].done);
    mote_condition_destroy(&pool->work);
    mote_lock_destroy(&pool->lock);
    atomic_store(&pool->state, 0);
}

// --------------------------------------------------------------------------------------------------- a caller

static mote_pool_job *take_place(mote_pool *pool)
{
    for (int k = 0; k < MOTE_POOL_JOBS; ++k) {
        mote_pool_job *job = &pool->jobs[k];
        if (!atomic_load_explicit(&job->is_taken, memory_order_relaxed) && !atomic_exchange(&job->is_taken, true))
            return job;
    }
    return NULL;
}

// Waits for the blocks that helpers have begun.
static void wait_for_helpers(mote_pool *pool, mote_pool_job *job)
{
    if (atomic_load(&job->unfinished) == 0) return;
    count(&pool->counters.waits);
    const double until = mote_clock_seconds() + spin_seconds;
    do {
        for (int k = 0; k < SPINS_A_LOOK; ++k) {
            if (atomic_load(&job->unfinished) == 0) return;
            mote_spin_pause();
        }
    } while (mote_clock_seconds() < until);

    count(&pool->counters.sleeps);
    mote_lock_take(&pool->lock);
    atomic_store(&job->is_awaited, true);  // before the last check, so that a later finish sees it
    while (atomic_load(&job->unfinished) > 0) mote_condition_wait(&job->done, &pool->lock);
    atomic_store(&job->is_awaited, false);
    mote_lock_give(&pool->lock);
}

static void share(mote_pool *pool, mote_pool_job *job, uint32_t block_count, mote_task *task, void *data)
{
    job->task = task;
    job->data = data;
    job->block_count = block_count;
    job->number = atomic_load_explicit(&pool->posts, memory_order_relaxed) + 1;
    atomic_store(&job->joined, 0);
    atomic_store(&job->unfinished, block_count);
    atomic_store(&job->left, block_count);
    atomic_fetch_add(&pool->posts, 1);
    call_helper(pool);

    uint32_t block, done = 0, worker = 0;
    while (claim(job, &block)) {
        if (done++ == 0) worker = join(job);
        task(data, block, worker);
        if (atomic_load_explicit(&job->left, memory_order_relaxed) > 0) call_helper(pool);
    }
    if (done > 0) finish(pool, job, done);
    wait_for_helpers(pool, job);
    atomic_store(&job->is_taken, false);
    count(&pool->counters.shared);
}

void mote_pool_run(mote_pool *pool, uint32_t block_count, mote_task *task, void *data)
{
    const uint32_t workers = atomic_load_explicit(&pool->worker_count, memory_order_relaxed);
    if (block_count > 1 && workers > 1) {
        mote_pool_job *job = is_ready(pool) ? take_place(pool) : NULL;
        if (job) {
            share(pool, job, block_count, task, data);
            return;
        }
        count(&pool->counters.alone);
    }
    for (uint32_t block = 0; block < block_count; ++block) task(data, block, 0);
}
