// SPDX-License-Identifier: MIT
// base/pool.h: a small pool of threads that share blocks of work; the built-in scheduler of a context.
//
// The caller works too, and waits only for blocks that a helper has begun: a helper that the system has not woken, or
// does not let run, delays nobody. How it works is told in pool.c.
#ifndef MOTE_BASE_POOL_H
#define MOTE_BASE_POOL_H

#include <stdatomic.h>

#include "base/platform.h"

// Jobs that can be shared at a time. Whoever comes when there are as many runs its blocks alone.
enum { MOTE_POOL_JOBS = 8 };

// A job: the blocks of one call. Its place is used again for later jobs, but is never released while the pool lives:
// helpers may look at `left` of a job that has long ended.
typedef struct mote_pool_job {
    _Alignas(64) _Atomic uint32_t left;  // blocks that nobody has begun; 0 where there is no job
    _Atomic uint32_t unfinished;         // blocks that have not ended
    _Atomic uint32_t joined;             // worker ids given out
    atomic_bool is_taken;                // by a caller
    atomic_bool is_awaited;              // its caller sleeps on `done`
    mote_condition done;

    // Written by the caller before there are blocks to claim, read by those who have claimed one.
    mote_task *task;
    void *data;
    uint32_t block_count;
    uint64_t number;  // of the job, from 1
} mote_pool_job;

// What happened so far. Read them when nothing runs.
typedef struct mote_pool_counters {
    _Atomic uint64_t shared;  // jobs that helpers could join
    _Atomic uint64_t alone;   // jobs of several blocks that their caller ran by itself
    _Atomic uint64_t helped;  // blocks that helpers ran
    _Atomic uint64_t wakes;   // sleeping helpers that were woken
    _Atomic uint64_t waits;   // times a caller waited for blocks that helpers had begun
    _Atomic uint64_t sleeps;  // those of them that took so long that it slept
} mote_pool_counters;

typedef struct mote_pool {
    _Atomic uint64_t state;         // process id and phase: pool.c
    _Atomic uint32_t worker_count;  // the caller and its helpers, at most
    mote_thread *threads;           // worker_count − 1, of which `started` run
    uint32_t started;

    mote_lock lock;            // of falling asleep and of waking
    mote_condition work;       // what sleeping helpers wait for
    _Atomic uint32_t sleepers;  // helpers that sleep and that nobody has called
    uint32_t calls;             // calls that no helper has heard yet
    bool must_end;

    _Alignas(64) _Atomic uint64_t posts;  // jobs so far: what idle helpers watch
    mote_pool_job jobs[MOTE_POOL_JOBS];
    mote_pool_counters counters;
} mote_pool;

// Makes a pool whose threads start with its first shared job. Nothing is allocated.
// @param threads   room for worker_count − 1, in use until mote_pool_end
void mote_pool_init(mote_pool *pool, uint32_t worker_count, mote_thread *threads);

// Ends and joins the threads. In a forked child, which has none of them, it only forgets them.
// How many of its threads the system has not given.
uint32_t mote_pool_missing(const mote_pool *pool);
void mote_pool_end(mote_pool *pool);

// mote_run_blocks by this pool. May be called from several threads at once, and from inside a task.
void mote_pool_run(mote_pool *pool, uint32_t block_count, mote_task *task, void *data);

#endif
