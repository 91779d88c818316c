// SPDX-License-Identifier: MIT
// Own allocator, own threads: mote as a guest in an engine that has both.
//
// The engine's allocator counts what it hands out; its pool of threads runs mote's blocks of work. Rows are visited
// without being stored, by all threads at once. What comes out has the same bits as with mote's own threads.
//
// Prints:
//     4 workers; 0 of 20000 counts differ from those of mote's own threads
//     0 bytes are still allocated

#define _POSIX_C_SOURCE 200809L  // pthread

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mote/neighbors.h"

enum { COUNT = 20000, THREADS = 4 };

// ------------------------------------------------------------------------------------------------------ allocator

static void *engine_allocate(void *user_data, size_t bytes, size_t alignment)
{
    void *memory = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory) atomic_fetch_add((atomic_size_t *)user_data, bytes);
    return memory;
}

static void engine_release(void *user_data, void *memory, size_t bytes)
{
    free(memory);
    atomic_fetch_sub((atomic_size_t *)user_data, bytes);
}

// --------------------------------------------------------------------------------------------------------- threads

// A pool that sleeps between jobs. The thread that brings a job takes part as worker 0.
typedef struct pool {
    pthread_mutex_t mutex;
    pthread_cond_t begin, end;
    pthread_t threads[THREADS - 1];
    uint64_t job;      // how many there have been
    uint32_t busy;     // threads that have not yet finished the job
    uint32_t started;  // threads, to give each its id
    bool closing;
    mote_task *task;
    void *task_data;
    uint32_t block_count;
    atomic_uint next_block;
} pool;

static void take_blocks(pool *self, uint32_t worker)
{
    uint32_t block;
    while ((block = atomic_fetch_add(&self->next_block, 1)) < self->block_count)
        self->task(self->task_data, block, worker);
}

static void *work(void *user_data)
{
    pool *self = user_data;
    pthread_mutex_lock(&self->mutex);
    uint32_t worker = ++self->started;
    for (uint64_t seen = 0;; ++seen) {
        while (self->job == seen && !self->closing) pthread_cond_wait(&self->begin, &self->mutex);
        if (self->closing) break;
        pthread_mutex_unlock(&self->mutex);
        take_blocks(self, worker);
        pthread_mutex_lock(&self->mutex);
        if (--self->busy == 0) pthread_cond_signal(&self->end);
    }
    pthread_mutex_unlock(&self->mutex);
    return NULL;
}

// mote_tasks.run: every block once, from any threads; back when all are done.
static void pool_run(void *user_data, uint32_t block_count, mote_task *task, void *task_data)
{
    pool *self = user_data;
    pthread_mutex_lock(&self->mutex);
    self->task = task;
    self->task_data = task_data;
    self->block_count = block_count;
    atomic_store(&self->next_block, 0);
    self->busy = THREADS - 1;
    ++self->job;
    pthread_cond_broadcast(&self->begin);
    pthread_mutex_unlock(&self->mutex);
    take_blocks(self, 0);
    pthread_mutex_lock(&self->mutex);
    while (self->busy > 0) pthread_cond_wait(&self->end, &self->mutex);
    pthread_mutex_unlock(&self->mutex);
}

static bool pool_open(pool *self)
{
    memset(self, 0, sizeof *self);
    pthread_mutex_init(&self->mutex, NULL);
    pthread_cond_init(&self->begin, NULL);
    pthread_cond_init(&self->end, NULL);
    for (int t = 0; t < THREADS - 1; ++t)
        if (pthread_create(&self->threads[t], NULL, work, self) != 0) return false;  // the program ends then
    return true;
}

static void pool_close(pool *self)
{
    pthread_mutex_lock(&self->mutex);
    self->closing = true;
    pthread_cond_broadcast(&self->begin);
    pthread_mutex_unlock(&self->mutex);
    for (int t = 0; t < THREADS - 1; ++t) pthread_join(self->threads[t], NULL);
}

// ------------------------------------------------------------------------------------------------------------- use

// mote_neighbors_visitor. Different points come at the same time, but each only once: no lock is needed.
static void count_neighbors(void *user_data, mote_row row, uint32_t worker)
{
    (void)worker;
    uint32_t *counts = user_data;
    counts[row.index] = row.count;
}

static bool count_all(mote_context *context, const float *positions, uint32_t *counts)
{
    mote_error error = {0};
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = 0.1;
    mote_neighbors *search;
    if (mote_neighbors_create(context, &def, &search, &error) != MOTE_OK) return false;
    bool done = mote_neighbors_update(search, mote_points_xyz(positions, COUNT), &error) == MOTE_OK &&
                mote_neighbors_visit(search, count_neighbors, counts, &error) == MOTE_OK;
    if (!done) fprintf(stderr, "%s\n", error.text);
    mote_neighbors_destroy(search);
    return done;
}

int main(void)
{
    static float positions[3 * COUNT];
    static uint32_t counts[COUNT], own_counts[COUNT];
    mote_random random = {5};
    for (int k = 0; k < 3 * COUNT; ++k) positions[k] = (float)mote_random_unit(&random);

    static pool threads;
    atomic_size_t bytes = 0;
    if (!pool_open(&threads)) return 1;
    mote_context_def def = mote_context_default_def();
    def.allocator = (mote_allocator){engine_allocate, engine_release, &bytes};
    def.tasks = (mote_tasks){pool_run, THREADS, &threads};
    mote_context *context;
    if (mote_context_create(&def, &context, NULL) != MOTE_OK) return 1;

    bool done = count_all(context, positions, counts) && count_all(NULL, positions, own_counts);
    uint32_t differences = 0;
    for (int i = 0; i < COUNT; ++i) differences += counts[i] != own_counts[i];
    printf("%u workers; %u of %d counts differ from those of mote's own threads\n",
           (unsigned)mote_context_worker_count(context), (unsigned)differences, COUNT);
    mote_context_destroy(context);
    pool_close(&threads);
    printf("%zu bytes are still allocated\n", (size_t)bytes);
    return done && differences == 0 && bytes == 0 ? 0 : 1;
}
