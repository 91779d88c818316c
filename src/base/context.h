// base/context.h: what a context holds; only base itself looks inside.
#ifndef MOTE_BASE_CONTEXT_H
#define MOTE_BASE_CONTEXT_H

#include <stdatomic.h>

#include "base/internal.h"

struct mote_context {
    mote_allocator allocator;
    mote_log log;
    mote_tasks tasks;
    uint32_t thread_count;
    size_t max_bytes;
    atomic_size_t bytes;
    _Atomic uint64_t allocations;
};

uint32_t mote_processor_count(void);

#endif
