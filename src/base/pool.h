// SPDX-License-Identifier: MIT
// base/pool.h: a small pool of threads that share blocks of work; the built-in scheduler of a context.
//
// The caller works too, and waits only for blocks that a helper has begun: a helper that the system has not woken,
// or does not schedule, delays nobody. pool.c describes how it works.
#ifndef MOTE_BASE_POOL_H
#define MOTE_BASE_POOL_H

#include <stdatomic.h>

#include "base/platform.h"

// Most jobs that can be shared at a time. With so many in progress, a further caller runs its blocks alone.
enum { MOTE_POOL_JOBS = 8 };

// A job: the blocks of one call. Its slot is reused for later jobs, but is never released while the pool exists:
// helpers may read `left` of a job that ended long ago.
typedef struct mote_pool_job {
    _Alignas(64) _Atomic uint32_t left;  // blocks not yet begun; 0 if there is no job
    _Atomic uint32_t unfinished;         // blocks that have not ended
    _Atomic uint32_t joined;             // number of worker ids given out
    atomic_bool is_taken;                // in use by a caller
    atomic_bool is_awaited;              // its caller sleeps on `done`
    mote_condition done;

    // Written by the caller before there are blocks to claim; read by threads that have claimed one.
    mote_task *task;
    void *data;
    uint32_t block_count;
    uint64_t number;  // of the job, from 1
} mote_pool_job;

// Counts of what has happened so far. Read them when nothing runs.
typedef struct mote_pool_counters {
    _Atomic uint64_t shared;  // jobs that helpers could join
    _Atomic uint64_t alone;   // jobs of several blocks that their caller ran alone
    _Atomic uint64_t helped;  // blocks that helpers ran
    _Atomic uint64_t wakes;   // sleeping helpers that were woken
    _Atomic uint64_t waits;   // times a caller waited for blocks that helpers had begun
    _Atomic uint64_t sleeps;  // the waits that took so long that the caller slept
} mote_pool_counters;

typedef struct mote_pool {
    _Atomic uint64_t state;         // process id and phase: pool.c
    _Atomic uint32_t worker_count;  // most workers: the caller and its helpers
    mote_thread *threads;           // worker_count − 1, of which `started` are running
    uint32_t started;

    mote_lock lock;            // protects falling asleep and waking
    mote_condition work;       // what sleeping helpers wait for
    _Atomic uint32_t sleepers;  // helpers that sleep and have not been called
    uint32_t calls;             // calls that no helper has received yet
    bool must_end;

    _Alignas(64) _Atomic uint64_t posts;  // jobs so far, watched by idle helpers
    mote_pool_job jobs[MOTE_POOL_JOBS];
    mote_pool_counters counters;
} mote_pool;

// Makes a pool whose threads start with its first shared job. Nothing is allocated.
// @param threads   room for worker_count − 1, in use until mote_pool_end
void mote_pool_init(mote_pool *pool, uint32_t worker_count, mote_thread *threads);

// Ends and joins the threads. In a forked child, which has none of them, it only discards their records.
void mote_pool_end(mote_pool *pool);

// Counts the threads that the system did not start. False while the pool has not yet started any.
bool mote_pool_count_missing(const mote_pool *pool, uint32_t *missing);

// Runs mote_run_blocks with this pool. May be called from several threads at once, and from inside a task.
void mote_pool_run(mote_pool *pool, uint32_t block_count, mote_task *task, void *data);

#endif
