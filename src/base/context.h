// SPDX-License-Identifier: MIT
// base/context.h: the contents of a context; only base itself accesses them.
#ifndef MOTE_BASE_CONTEXT_H
#define MOTE_BASE_CONTEXT_H

#include "base/pool.h"

struct mote_context {
    mote_allocator allocator;
    mote_log log;
    mote_tasks tasks;
    mote_simd simd;  // never MOTE_SIMD_BEST
    size_t max_bytes;
    atomic_size_t bytes;
    _Atomic uint64_t allocations;
    size_t own_bytes;    // of this struct and the pool's threads behind it
    atomic_uint warned;  // bits of mote_warning
    mote_pool pool;      // unused where the host runs the tasks
};

#endif
