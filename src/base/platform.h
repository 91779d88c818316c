// SPDX-License-Identifier: MIT
// base/platform.h: the services of the system that libmote uses besides memory: threads, locks, processors, the
// clock.
//
// platform.c is the only file with separate code for POSIX and Windows. Without threads (MOTE_NO_THREADS, or a
// browser that has none) none can be started, the process has one processor, and locks do nothing.
#ifndef MOTE_BASE_PLATFORM_H
#define MOTE_BASE_PLATFORM_H

#include "base/internal.h"

#if defined(MOTE_NO_THREADS) || defined(__wasi__) || (defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__))
#define MOTE_HAVE_THREADS 0
#else
#define MOTE_HAVE_THREADS 1
#endif

// Room for the system's own types, which libmote's headers must not name.
typedef struct mote_lock {
    _Alignas(16) unsigned char system[64];
} mote_lock;

// A condition that threads sleep on until they are woken.
typedef struct mote_condition {
    _Alignas(16) unsigned char system[64];
} mote_condition;

typedef struct mote_thread {
    void (*run)(void *data);
    void *data;
    _Alignas(16) unsigned char system[16];
} mote_thread;

// Processors that this process may run on (its affinity), at least 1.
uint32_t mote_processor_count(void);

// Tells whether this processor and this build have the loops of a form; false for MOTE_SIMD_BEST.
bool mote_cpu_has(mote_simd form);

// A number for this process, above 0: a forked child has another number.
uint32_t mote_process_id(void);

// Calls run(data) on a new thread, which receives no signals. `thread` must not move until mote_thread_join.
// @return false if no thread could be started
bool mote_thread_start(mote_thread *thread, void (*run)(void *data), void *data);
void mote_thread_join(mote_thread *thread);

bool mote_lock_init(mote_lock *lock);
void mote_lock_destroy(mote_lock *lock);
void mote_lock_take(mote_lock *lock);
void mote_lock_give(mote_lock *lock);

// `wait` releases the lock while it sleeps; it may return without a wake-up.
bool mote_condition_init(mote_condition *condition);
void mote_condition_destroy(mote_condition *condition);
void mote_condition_wait(mote_condition *condition, mote_lock *lock);
void mote_condition_wake_one(mote_condition *condition);
void mote_condition_wake_all(mote_condition *condition);

// Tells the processor that this loop waits for another thread.
static inline void mote_spin_pause(void)
{
#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))
    __builtin_ia32_pause();
#elif defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
    __asm__ volatile("isb" ::: "memory");
#endif
}

#endif
