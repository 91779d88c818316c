// SPDX-License-Identifier: MIT
// The built-in pool of threads: busy machines, forks, nested and concurrent calls, ends. No test looks at a clock; one
// that hangs is ended by an alarm.

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tested.h"
#include "mote/neighbors.h"
#include "support/test.h"

enum { THREADS = 4, PATIENCE = 120 };  // seconds until a test counts as hanging

#if defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#endif
#endif

// A child of a program with threads may start threads of its own: that is what is tested here.
#if defined(UNDER_TSAN)
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}
#endif

static mote_context *make_context(uint32_t threads)
{
    alarm(PATIENCE);
    mote_context *context = test_context_with_threads(threads);
    if (mote_context_worker_count(context) < threads) {  // built without threads
        mote_context_destroy(context);
        skip();
    }
    return context;
}

// ------------------------------------------------------------------------------------------------------ work

// Blocks that count themselves, and who works on them.
typedef struct tally {
    _Atomic uint32_t blocks[1000];
    atomic_bool is_working[THREADS];
    atomic_bool was_shared_id;  // two threads worked under one worker id at a time
    _Atomic uint32_t most_worker;
} tally;

static void count_block(void *data, uint32_t block, uint32_t worker)
{
    tally *all = data;
    if (atomic_exchange(&all->is_working[worker], true)) atomic_store(&all->was_shared_id, true);
    atomic_fetch_add(&all->blocks[block], 1);
    if (worker > atomic_load(&all->most_worker)) atomic_store(&all->most_worker, worker);
    atomic_store(&all->is_working[worker], false);
}

static void expect_each_once(tally *all, uint32_t blocks)
{
    for (uint32_t b = 0; b < blocks; ++b) {
        const uint32_t times = atomic_load(&all->blocks[b]);
        CHECK(times == 1, "block %u of %u ran %u times", b, blocks, times);
    }
    CHECK(!atomic_load(&all->was_shared_id), "two at a time were the same worker");
}

// A gate that threads wait at.
typedef struct gate {
    _Atomic uint32_t waiting;
    atomic_bool is_open;
    mote_context *context;
    uint32_t blocks;
} gate;

static void wait_at_gate(void *data, uint32_t block, uint32_t worker)
{
    (void)block, (void)worker;
    gate *at = data;
    atomic_fetch_add(&at->waiting, 1);
    while (!atomic_load(&at->is_open)) sched_yield();
}

static void *hold_workers(void *data)
{
    gate *at = data;
    mote_run_blocks(at->context, at->blocks, wait_at_gate, at);
    return NULL;
}

// Another thread runs a job of so many blocks, each of which waits at the gate: returns when all have come.
static pthread_t hold(gate *at, mote_context *context, uint32_t blocks)
{
    pthread_t other;
    *at = (gate){.context = context, .blocks = blocks};
    assert_int_equal(pthread_create(&other, NULL, hold_workers, at), 0);
    while (atomic_load(&at->waiting) < blocks) sched_yield();
    return other;
}

static void let_go(gate *at, pthread_t other)
{
    atomic_store(&at->is_open, true);
    pthread_join(other, NULL);
}

static uint64_t value_of(const _Atomic uint64_t *counter)
{
    return atomic_load(counter);
}

// ------------------------------------------------------------------------------------------------------ tests

// Every helper is stuck in another caller's job, as one is that the system does not let run: jobs end all the same, and
// their caller never waits.
static void a_job_ends_while_every_other_worker_is_held_back(void **state)
{
    (void)state;
    mote_context *context = make_context(THREADS);
    gate at;
    const pthread_t other = hold(&at, context, THREADS);

    const uint64_t waits = value_of(&context->pool.counters.waits), helped = value_of(&context->pool.counters.helped);
    for (int job = 0; job < 100; ++job) {
        static tally all;
        all = (tally){0};
        mote_run_blocks(context, 1000, count_block, &all);
        expect_each_once(&all, 1000);
        assert_int_equal(atomic_load(&all.most_worker), 0);
    }
    assert_int_equal(value_of(&context->pool.counters.waits), waits);
    assert_int_equal(value_of(&context->pool.counters.helped), helped);
    let_go(&at, other);
    assert_int_equal(value_of(&context->pool.counters.helped), helped + THREADS - 1);
    mote_context_destroy(context);
}

// A caller whose helpers have blocks of its job waits for just these.
static void a_caller_waits_for_blocks_that_were_begun(void **state)
{
    (void)state;
    mote_context *context = make_context(2);
    gate at;
    const pthread_t other = hold(&at, context, 2);
    let_go(&at, other);
    assert_int_equal(value_of(&context->pool.counters.helped), 1);
    CHECK(value_of(&context->pool.counters.waits) <= 1, "waited more than once for one job");
    mote_context_destroy(context);
}

// The sum over blocks of what each is worth, added atomically.
typedef struct sum_task {
    mote_context *context;
    _Atomic uint64_t sum;
    uint32_t inner;
} sum_task;

static void add_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    atomic_fetch_add(&((sum_task *)data)->sum, block + 1);
}

static void ten_thousand_tiny_jobs(void **state)
{
    (void)state;
    for (int own = 0; own < 2; ++own) {
        mote_context *context = make_context(THREADS);
        for (uint32_t job = 0; job < 10000; ++job) {
            const uint32_t blocks = 1 + job % 8;
            sum_task task = {.context = context};
            mote_run_blocks(own ? context : NULL, blocks, add_block, &task);
            CHECK(atomic_load(&task.sum) == blocks * (blocks + 1) / 2, "job %u", job);
        }
        mote_context_destroy(context);
    }
}

static void run_inner(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    sum_task *outer = data;
    sum_task inner = {.context = outer->context, .inner = outer->inner - 1};
    if (outer->inner == 0) add_block(&inner, block, 0);
    else mote_run_blocks(outer->context, 5, run_inner, &inner);
    atomic_fetch_add(&outer->sum, atomic_load(&inner.sum));
}

// Tasks whose blocks run tasks, four deep: 5^4 leaves, worth 1 + … + 5 in every five.
static void tasks_may_run_tasks(void **state)
{
    (void)state;
    mote_context *context = make_context(THREADS);
    for (int k = 0; k < 20; ++k) {
        sum_task task = {.context = context, .inner = 3};
        mote_run_blocks(context, 5, run_inner, &task);
        assert_int_equal(atomic_load(&task.sum), 125 * 15);
    }
    mote_context_destroy(context);
}

static void *run_many_jobs(void *data)
{
    mote_context *context = data;
    tally *all = malloc(sizeof *all);
    for (uint32_t job = 0; all && job < 200; ++job) {
        const uint32_t blocks = 1 + job * 37 % 1000;
        memset(all, 0, sizeof *all);
        mote_run_blocks(context, blocks, count_block, all);
        for (uint32_t b = 0; b < blocks; ++b)
            if (atomic_load(&all->blocks[b]) != 1) atomic_store(&all->was_shared_id, true);
        if (atomic_load(&all->was_shared_id)) break;
    }
    const bool good = all && !atomic_load(&all->was_shared_id);
    free(all);
    return good ? data : NULL;
}

// More callers at a time than a pool shares jobs of.
static void many_threads_may_call_at_once(void **state)
{
    (void)state;
    enum { CALLERS = MOTE_POOL_JOBS + 4 };
    mote_context *context = make_context(THREADS);
    pthread_t callers[CALLERS];
    for (int c = 0; c < CALLERS; ++c)
        assert_int_equal(pthread_create(&callers[c], NULL, run_many_jobs, context), 0);
    for (int c = 0; c < CALLERS; ++c) {
        void *good;
        pthread_join(callers[c], &good);
        assert_non_null(good);
    }
    mote_context_destroy(context);
}

// Helpers that have nothing to do sleep, and a pool whose helpers sleep still shares its jobs.
static void idle_helpers_sleep_and_wake(void **state)
{
    (void)state;
    mote_context *context = make_context(THREADS);
    for (int round = 0; round < 5; ++round) {
        gate at;
        const pthread_t other = hold(&at, context, THREADS);  // all have come, so all were woken
        let_go(&at, other);
        while (atomic_load(&context->pool.sleepers) < THREADS - 1) sched_yield();
    }
    CHECK(value_of(&context->pool.counters.wakes) >= 4 * (THREADS - 1), "%llu wakes",
          (unsigned long long)value_of(&context->pool.counters.wakes));
    mote_context_destroy(context);
}

// ------------------------------------------------------------------------------------------------------ forks

static uint64_t checksum_of_rows(mote_context *context)
{
    enum { COUNT = 20000 };
    float *xyz = malloc(3 * COUNT * sizeof *xyz);
    assert_non_null(xyz);
    mote_random random = {11};
    for (int k = 0; k < 3 * COUNT; ++k) xyz[k] = (float)mote_random_unit(&random);
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = 0.05;
    mote_neighbors *search;
    mote_lists lists;
    CHECK_OK(mote_neighbors_create(context, &def, &search, NULL));
    CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, COUNT), NULL));
    CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
    uint64_t sum = 0;
    for (uint32_t i = 0; i < COUNT; ++i) {
        const mote_row row = mote_lists_row(&lists, i);
        for (uint32_t k = 0; k < row.count; ++k) sum = sum * 31 + row.indices[k];
    }
    mote_neighbors_destroy(search);
    free(xyz);
    return sum;
}

// Ends the process with 0 if `generations` children, each the former's, find what the first process found.
static void go_on_in_children(mote_context *context, uint64_t expected, int generations)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(PATIENCE);
        if (checksum_of_rows(context) != expected || checksum_of_rows(NULL) != expected) _exit(1);
        if (generations > 1) go_on_in_children(context, expected, generations - 1);
        mote_context_destroy(context);
        mote_context *another = test_context_with_threads(3);
        if (checksum_of_rows(another) != expected) _exit(2);
        mote_context_destroy(another);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with status %d", status);
}

static void a_forked_child_has_threads_of_its_own(void **state)
{
    (void)state;
    mote_context *context = make_context(THREADS);
    const uint64_t expected = checksum_of_rows(context);
    assert_int_equal(checksum_of_rows(NULL), expected);
    go_on_in_children(context, expected, 2);
    assert_int_equal(checksum_of_rows(context), expected);
    mote_context_destroy(context);
}

// A fork while other threads are in the middle of jobs.
static void a_fork_may_come_at_any_time(void **state)
{
    (void)state;
    mote_context *context = make_context(THREADS);
    gate at;
    const pthread_t other = hold(&at, context, THREADS);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(PATIENCE);
        static tally all;
        mote_run_blocks(context, 1000, count_block, &all);
        for (int b = 0; b < 1000; ++b)
            if (atomic_load(&all.blocks[b]) != 1) _exit(1);
        if (context->pool.started != THREADS - 1) _exit(2);
        mote_context_destroy(context);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with status %d", status);
    let_go(&at, other);
    mote_context_destroy(context);
}

static void leave(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    if (block == *(uint32_t *)data) exit(7);
}

// The process may end while helpers sleep, and from inside a task, whoever runs it.
static void a_process_may_exit_at_any_time(void **state)
{
    (void)state;
    mote_context *context = make_context(THREADS);
    const uint32_t times = SANITIZED ? 8 : 40;  // ThreadSanitizer may take a second to exit
    for (uint32_t at = 0; at < times; ++at) {
        fflush(NULL);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            alarm(PATIENCE);
            static tally all;
            mote_run_blocks(at % 2 ? context : NULL, 1000, count_block, &all);
            if (at >= 4) mote_run_blocks(at % 2 ? context : NULL, 40, leave, &at);
            exit(7);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7, "left at block %u: status %d", at, status);
    }
    mote_context_destroy(context);
}

// ------------------------------------------------------------------------------------------------ the system

// No address space is left for a thread's stack; unless the C library keeps some from tests before, in this process.
enum { STACKS_LEFT = 77 };
static void without_threads_the_caller_does_the_work(void **state)
{
    (void)state;
    if (SANITIZED) skip();  // sanitizers need address space themselves
    mote_context *context = make_context(THREADS);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(PATIENCE);
        const struct rlimit none = {1, 1};
        if (setrlimit(RLIMIT_AS, &none) != 0) _exit(3);
        static tally all;
        mote_run_blocks(context, 1000, count_block, &all);
        for (int b = 0; b < 1000; ++b)
            if (atomic_load(&all.blocks[b]) != 1) _exit(1);
        if (context->pool.started != 0) _exit(STACKS_LEFT);
        if (value_of(&context->pool.counters.alone) != 1) _exit(2);
        mote_context_destroy(context);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == STACKS_LEFT) skip();
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with status %d", status);
    mote_context_destroy(context);
}

static uint32_t default_workers(void)
{
    mote_context_def def = mote_context_default_def();
    mote_context *context;
    CHECK_OK(mote_context_create(&def, &context, NULL));
    const uint32_t count = mote_context_worker_count(context);
    mote_context_destroy(context);
    return count;
}

// By default there is a worker for each processor that the process may run on, whatever is said to OpenMP.
static void workers_are_the_processors_of_the_process(void **state)
{
    (void)state;
    mote_context_destroy(make_context(2));
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) != 0) skip();
    if (!getenv("OMP_NUM_THREADS")) {  // once more, in a process that has had it from its start
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            char name[] = "test_pool", own_case[] = "workers_are_the_processors_of_the_process";
            setenv("OMP_NUM_THREADS", "7", 1);
            execv("/proc/self/exe", (char *[]){name, own_case, NULL});
            _exit(127);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "with OMP_NUM_THREADS it ended with status %d", status);
        return;
    }
    assert_int_equal(default_workers(), CPU_COUNT(&all));
    assert_int_equal(mote_context_worker_count(NULL), CPU_COUNT(&all));
    CPU_ZERO(&one);
    for (size_t cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
        if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(default_workers(), 1);
    assert_int_equal(mote_context_worker_count(NULL), CPU_COUNT(&all));  // objects have memory for these
}

// The host's signals stay with the host's threads: one that these have blocked is not taken by a helper.
static void helpers_take_no_signals(void **state)
{
    (void)state;
    mote_context *context = make_context(THREADS);
    static tally all;
    mote_run_blocks(context, 1000, count_block, &all);
    assert_int_equal(context->pool.started, THREADS - 1);
    sigset_t user, pending;
    sigemptyset(&user);
    sigaddset(&user, SIGUSR1);  // would end the process
    assert_int_equal(pthread_sigmask(SIG_BLOCK, &user, NULL), 0);
    kill(getpid(), SIGUSR1);
    mote_run_blocks(context, 1000, count_block, &all);
    assert_int_equal(sigpending(&pending), 0);
    assert_true(sigismember(&pending, SIGUSR1));
    mote_context_destroy(context);
    int number;
    assert_int_equal(sigwait(&user, &number), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_ends_while_every_other_worker_is_held_back),
        cmocka_unit_test(a_caller_waits_for_blocks_that_were_begun),
        cmocka_unit_test(ten_thousand_tiny_jobs),
        cmocka_unit_test(tasks_may_run_tasks),
        cmocka_unit_test(many_threads_may_call_at_once),
        cmocka_unit_test(idle_helpers_sleep_and_wake),
        cmocka_unit_test(a_forked_child_has_threads_of_its_own),
        cmocka_unit_test(a_fork_may_come_at_any_time),
        cmocka_unit_test(a_process_may_exit_at_any_time),
        cmocka_unit_test(without_threads_the_caller_does_the_work),
        cmocka_unit_test(workers_are_the_processors_of_the_process),
        cmocka_unit_test(helpers_take_no_signals),
    };
    RUN_TESTS(tests, argc, argv);
}
