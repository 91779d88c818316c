// SPDX-License-Identifier: MIT
// Everything that differs between platforms: threads, locks, processors, the clock, the processor's instruction
// sets, and large pages. No other file of libmote depends on the operating system.

#if defined(__linux__)
#define _GNU_SOURCE  // sched_getaffinity, madvise
#include <sched.h>
#include <sys/mman.h>
#elif defined(__wasi__) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L  // clock_gettime
#endif

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <time.h>
#include <unistd.h>
#endif

#include "base/platform.h"

#if MOTE_HAVE_THREADS && !defined(_WIN32)
#include <pthread.h>
#include <signal.h>
#endif

double mote_clock_seconds(void)
{
#if defined(_WIN32)
    LARGE_INTEGER frequency, count;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&count);
    return (double)count.QuadPart / (double)frequency.QuadPart;
#else
    struct timespec now;
#if defined(CLOCK_MONOTONIC)
    clock_gettime(CLOCK_MONOTONIC, &now);
#else
    timespec_get(&now, TIME_UTC);
#endif
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}

bool mote_cpu_has(mote_simd form)
{
    switch (form) {
    case MOTE_SIMD_PLAIN: return true;
#if MOTE_HAVE_AVX2
    case MOTE_SIMD_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
               __builtin_cpu_supports("popcnt");
    case MOTE_SIMD_AVX512:
        return mote_cpu_has(MOTE_SIMD_AVX2) && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
#endif
#if MOTE_HAVE_SIMD128
    case MOTE_SIMD_128: return true;
#endif
    default: return false;
    }
}

void mote_prefer_large_pages(void *memory, size_t bytes)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    (void)madvise(memory, bytes / MOTE_LARGE_PAGE * MOTE_LARGE_PAGE, MADV_HUGEPAGE);  // advice: it may be ignored
#else
    (void)memory, (void)bytes;
#endif
}

// -------------------------------------------------------------------------------------------------- processors

uint32_t mote_processor_count(void)
{
#if !MOTE_HAVE_THREADS
    return 1;
#elif defined(_WIN32)
    DWORD_PTR of_process = 0, of_system = 0;
    uint32_t count = 0;
    if (GetProcessAffinityMask(GetCurrentProcess(), &of_process, &of_system))
        for (; of_process; of_process &= of_process - 1) ++count;
    if (count == 0) {  // more than one group of 64 processors
        SYSTEM_INFO system;
        GetSystemInfo(&system);
        count = (uint32_t)system.dwNumberOfProcessors;
    }
    return count ? count : 1;
#else
#if defined(__linux__)
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
        return (uint32_t)CPU_COUNT(&allowed);
    // A system with more than 1,024 processors does not fit into the set.
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
#endif
}

uint32_t mote_process_id(void)
{
#if !MOTE_HAVE_THREADS
    return 1;
#elif defined(_WIN32)
    return (uint32_t)GetCurrentProcessId();
#else
    return (uint32_t)getpid();
#endif
}

// ----------------------------------------------------------------------------------------------------- threads

#if !MOTE_HAVE_THREADS

bool mote_thread_start(mote_thread *thread, void (*run)(void *data), void *data)
{
    (void)thread, (void)run, (void)data;
    return false;
}

void mote_thread_join(mote_thread *thread)
{
    (void)thread;
}

bool mote_lock_init(mote_lock *lock)
{
    (void)lock;
    return true;
}

void mote_lock_destroy(mote_lock *lock)
{
    (void)lock;
}

void mote_lock_take(mote_lock *lock)
{
    (void)lock;
}

void mote_lock_give(mote_lock *lock)
{
    (void)lock;
}

bool mote_condition_init(mote_condition *condition)
{
    (void)condition;
    return true;
}

void mote_condition_destroy(mote_condition *condition)
{
    (void)condition;
}

void mote_condition_wait(mote_condition *condition, mote_lock *lock)
{
    (void)condition, (void)lock;
}

void mote_condition_wake_one(mote_condition *condition)
{
    (void)condition;
}

void mote_condition_wake_all(mote_condition *condition)
{
    (void)condition;
}

#elif defined(_WIN32)

_Static_assert(sizeof(SRWLOCK) <= sizeof(mote_lock), "room for the system's lock");
_Static_assert(sizeof(CONDITION_VARIABLE) <= sizeof(mote_condition), "room for the system's condition");
_Static_assert(sizeof(HANDLE) <= sizeof((mote_thread){0}.system), "room for the system's thread");

static DWORD WINAPI enter(void *data)
{
    const mote_thread *thread = data;
    thread->run(thread->data);
    return 0;
}

bool mote_thread_start(mote_thread *thread, void (*run)(void *data), void *data)
{
    thread->run = run;
    thread->data = data;
    const HANDLE handle = CreateThread(NULL, 0, enter, thread, 0, NULL);
    memcpy(thread->system, &handle, sizeof handle);
    return handle != NULL;
}

void mote_thread_join(mote_thread *thread)
{
    HANDLE handle;
    memcpy(&handle, thread->system, sizeof handle);
    WaitForSingleObject(handle, INFINITE);
    CloseHandle(handle);
}

bool mote_lock_init(mote_lock *lock)
{
    InitializeSRWLock((SRWLOCK *)(void *)lock->system);
    return true;
}

void mote_lock_destroy(mote_lock *lock)
{
    (void)lock;
}

void mote_lock_take(mote_lock *lock)
{
    AcquireSRWLockExclusive((SRWLOCK *)(void *)lock->system);
}

void mote_lock_give(mote_lock *lock)
{
    ReleaseSRWLockExclusive((SRWLOCK *)(void *)lock->system);
}

bool mote_condition_init(mote_condition *condition)
{
    InitializeConditionVariable((CONDITION_VARIABLE *)(void *)condition->system);
    return true;
}

void mote_condition_destroy(mote_condition *condition)
{
    (void)condition;
}

void mote_condition_wait(mote_condition *condition, mote_lock *lock)
{
    SleepConditionVariableSRW((CONDITION_VARIABLE *)(void *)condition->system, (SRWLOCK *)(void *)lock->system,
                              INFINITE, 0);
}

void mote_condition_wake_one(mote_condition *condition)
{
    WakeConditionVariable((CONDITION_VARIABLE *)(void *)condition->system);
}

void mote_condition_wake_all(mote_condition *condition)
{
    WakeAllConditionVariable((CONDITION_VARIABLE *)(void *)condition->system);
}

#else

_Static_assert(sizeof(pthread_mutex_t) <= sizeof(mote_lock), "room for the system's lock");
_Static_assert(sizeof(pthread_cond_t) <= sizeof(mote_condition), "room for the system's condition");
_Static_assert(sizeof(pthread_t) <= sizeof((mote_thread){0}.system), "room for the system's thread");

static void *enter(void *data)
{
    const mote_thread *thread = data;
    thread->run(thread->data);
    return NULL;
}

// A thread inherits the signal mask of the thread that starts it: the host's signals are for the host's own threads.
bool mote_thread_start(mote_thread *thread, void (*run)(void *data), void *data)
{
    thread->run = run;
    thread->data = data;
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
    pthread_t handle;
    const bool started = pthread_create(&handle, NULL, enter, thread) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started) memcpy(thread->system, &handle, sizeof handle);
    return started;
}

void mote_thread_join(mote_thread *thread)
{
    pthread_t handle;
    memcpy(&handle, thread->system, sizeof handle);
    pthread_join(handle, NULL);
}

bool mote_lock_init(mote_lock *lock)
{
    return pthread_mutex_init((pthread_mutex_t *)(void *)lock->system, NULL) == 0;
}

void mote_lock_destroy(mote_lock *lock)
{
    pthread_mutex_destroy((pthread_mutex_t *)(void *)lock->system);
}

void mote_lock_take(mote_lock *lock)
{
    pthread_mutex_lock((pthread_mutex_t *)(void *)lock->system);
}

void mote_lock_give(mote_lock *lock)
{
    pthread_mutex_unlock((pthread_mutex_t *)(void *)lock->system);
}

bool mote_condition_init(mote_condition *condition)
{
    return pthread_cond_init((pthread_cond_t *)(void *)condition->system, NULL) == 0;
}

void mote_condition_destroy(mote_condition *condition)
{
    pthread_cond_destroy((pthread_cond_t *)(void *)condition->system);
}

void mote_condition_wait(mote_condition *condition, mote_lock *lock)
{
    pthread_cond_wait((pthread_cond_t *)(void *)condition->system, (pthread_mutex_t *)(void *)lock->system);
}

void mote_condition_wake_one(mote_condition *condition)
{
    pthread_cond_signal((pthread_cond_t *)(void *)condition->system);
}

void mote_condition_wake_all(mote_condition *condition)
{
    pthread_cond_broadcast((pthread_cond_t *)(void *)condition->system);
}

#endif
