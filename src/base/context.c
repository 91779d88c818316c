// SPDX-License-Identifier: MIT
// The context: where memory comes from and how much of it there may be, where messages go and who runs parallel
// work.
//
// The threads of its pool are stored behind the context in the same block, so that starting them later cannot fail
// because libmote has no memory.
//
// A context counts the memory of its objects, so that a byte budget limits their sum. A NULL context has no
// counters: it uses the C library's memory without a budget.

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"

enum { ALIGNMENT = 64 };

static size_t round_up(size_t bytes)
{
    return bytes > SIZE_MAX - (ALIGNMENT - 1) ? SIZE_MAX : (bytes + (ALIGNMENT - 1)) & ~(size_t)(ALIGNMENT - 1);
}

// Over-allocates and stores the address of the C library's block just below the aligned address, because MSVC and
// mingw-w64 have no aligned_alloc. Large blocks ask for large pages: fresh ones cost a fault for every 2 MiB instead
// of one for every 4 KiB, and rows scattered over them do not miss the processor's address cache (TLB).
static void *default_allocate(void *user_data, size_t bytes, size_t alignment)
{
    (void)user_data;
    const bool is_large = bytes >= 2 * (size_t)MOTE_LARGE_PAGE;
    if (is_large) alignment = MOTE_LARGE_PAGE;
    if (bytes > SIZE_MAX - alignment - sizeof(void *)) return NULL;
    char *block = malloc(bytes + alignment + sizeof(void *));
    if (!block) return NULL;
    uintptr_t first = (uintptr_t)block + sizeof(void *);
    char *aligned = block + ((first + alignment - 1) / alignment * alignment - (uintptr_t)block);
    memcpy(aligned - sizeof(void *), &block, sizeof block);
    if (is_large) mote_prefer_large_pages(aligned, bytes);
    return aligned;
}

static void default_release(void *user_data, void *memory, size_t bytes)
{
    (void)user_data, (void)bytes;
    void *block;
    memcpy(&block, (char *)memory - sizeof(void *), sizeof block);
    free(block);
}

mote_context_def mote_context_default_def(void)
{
    mote_context_def def = {0};
    def.max_bytes = SIZE_MAX;
    def.cookie = MOTE_COOKIE;
    return def;
}

static mote_result out_of_memory(mote_error *error, uint32_t workers)
{
    return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0,
                     "context: no memory, or too small a byte budget, for one of %u workers", workers);
}

mote_result mote_context_create(const mote_context_def *def, mote_context **context, mote_error *error)
{
    if (!def || !context) return mote_fail_null(error, "context", def ? "the place for it" : "the def");
    if (def->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "context: the def was not made by mote_context_default_def");
    if (!def->allocator.allocate != !def->allocator.release)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "context: an allocator needs both allocate and release");
    if (def->tasks.run && def->tasks.worker_count == 0)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "context: tasks of 0 workers, expected 1 or more");

    if (def->simd != MOTE_SIMD_BEST && !mote_cpu_has(def->simd))
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0,
                         "context: simd is %d (%s), which this processor or this build of mote does not have",
                         (int)def->simd, mote_simd_name(def->simd));
    mote_allocator allocator = def->allocator;
    if (!allocator.allocate) {
        allocator.allocate = default_allocate;
        allocator.release = default_release;
    }
    uint32_t workers = def->thread_count ? def->thread_count : mote_processor_count();
    if (def->tasks.run || !MOTE_HAVE_THREADS) workers = 1;
    const size_t head = round_up(sizeof(mote_context)), threads = mote_bytes(workers - 1, sizeof(mote_thread));
    if (threads > SIZE_MAX / 2) return out_of_memory(error, workers);
    const size_t bytes = head + round_up(threads);
    if (bytes > def->max_bytes) return out_of_memory(error, workers);
    mote_context *made = allocator.allocate(allocator.user_data, bytes, ALIGNMENT);
    if (!made) return out_of_memory(error, workers);

    made->allocator = allocator;
    made->log = def->log;
    made->tasks = def->tasks;
    made->simd = def->simd == MOTE_SIMD_BEST ? mote_context_simd(NULL) : def->simd;
    made->max_bytes = def->max_bytes;
    made->own_bytes = bytes;
    mote_pool_init(&made->pool, workers, (mote_thread *)(void *)((char *)made + head));
    atomic_init(&made->bytes, bytes);
    atomic_init(&made->allocations, 1);
    atomic_init(&made->warned, 0);
    *context = made;
    return MOTE_OK;
}

void mote_context_destroy(mote_context *context)
{
    if (!context) return;
    mote_pool_end(&context->pool);
    mote_allocator allocator = context->allocator;
    allocator.release(allocator.user_data, context, context->own_bytes);
}

size_t mote_context_byte_count(const mote_context *context)
{
    return context ? atomic_load(&context->bytes) : 0;
}

uint64_t mote_context_allocation_count(const mote_context *context)
{
    return context ? atomic_load(&context->allocations) : 0;
}

mote_simd mote_context_simd(const mote_context *context)
{
    if (context) return context->simd;
    mote_simd best = MOTE_SIMD_128;
    while (!mote_cpu_has(best)) best = (mote_simd)(best - 1);
    return best;
}

size_t mote_budget(const mote_context *context)
{
    return context ? context->max_bytes : SIZE_MAX;
}

size_t mote_budget_left(const mote_context *context)
{
    const size_t budget = mote_budget(context);
    return budget == SIZE_MAX ? SIZE_MAX : budget - MOTE_MIN(mote_context_byte_count(context), budget);
}

// Warns the host, once, when more than nine tenths of the budget are used.
static void tell_budget(const mote_context *context, size_t held)
{
    if (context->max_bytes == SIZE_MAX || held <= context->max_bytes / 10 * 9) return;
    if (!mote_log_is_first(context, MOTE_WARNING_BUDGET)) return;
    const bool is_small = context->max_bytes < 1000000;
    const double unit = is_small ? 1e3 : 1e6;
    mote_log_message(context, "memory: %.1f of the %.1f %s that the byte budget allows are in use", (double)held / unit,
                     (double)context->max_bytes / unit, is_small ? "kB" : "MB");
}

void *mote_allocate(const mote_context *context, size_t bytes)
{
    bytes = round_up(bytes);
    if (bytes == 0 || bytes == SIZE_MAX) return NULL;
    if (!context) return default_allocate(NULL, bytes, ALIGNMENT);

    mote_context *counted = (mote_context *)context;  // only the counters change
    atomic_fetch_add(&counted->allocations, 1);
    size_t held = atomic_load(&counted->bytes);
    do {
        if (bytes > counted->max_bytes || held > counted->max_bytes - bytes) return NULL;
    } while (!atomic_compare_exchange_weak(&counted->bytes, &held, held + bytes));

    void *memory = counted->allocator.allocate(counted->allocator.user_data, bytes, ALIGNMENT);
    if (!memory) atomic_fetch_sub(&counted->bytes, bytes);
    else tell_budget(counted, held + bytes);
    return memory;
}

void mote_release(const mote_context *context, void *memory, size_t bytes)
{
    if (!memory) return;
    bytes = round_up(bytes);
    if (!context) {
        default_release(NULL, memory, bytes);
        return;
    }
    mote_context *counted = (mote_context *)context;
    MOTE_ASSERT(atomic_load(&counted->bytes) >= bytes);
    counted->allocator.release(counted->allocator.user_data, memory, bytes);
    atomic_fetch_sub(&counted->bytes, bytes);
}

mote_result mote_buffer_reserve(const mote_context *context, mote_buffer *buffer, size_t bytes, size_t keep)
{
    MOTE_ASSERT(keep <= buffer->bytes && (buffer->data || buffer->bytes == 0));
    if (bytes <= buffer->bytes) return MOTE_OK;
    if (bytes > SIZE_MAX / 2) return MOTE_ERROR_OUT_OF_MEMORY;
    size_t roomy = round_up(buffer->bytes ? bytes + bytes / 4 : bytes);
    if (keep == 0) mote_buffer_release(context, buffer);

    void *data = mote_allocate(context, roomy);
    if (!data && roomy > round_up(bytes)) {  // spare room is optional
        roomy = round_up(bytes);
        data = mote_allocate(context, roomy);
    }
    if (!data) return MOTE_ERROR_OUT_OF_MEMORY;
    if (keep) {
        memcpy(data, buffer->data, keep);
        mote_buffer_release(context, buffer);
    }
    buffer->data = data;
    buffer->bytes = roomy;
    return MOTE_OK;
}

mote_result mote_buffer_reserve_workers(const mote_context *context, mote_buffer *buffer, size_t size)
{
    const size_t old = buffer->bytes, bytes = mote_bytes(mote_context_worker_count(context), size);
    mote_result result = mote_buffer_reserve(context, buffer, bytes, old);
    if (result == MOTE_OK && buffer->bytes > old) memset((char *)buffer->data + old, 0, buffer->bytes - old);
    return result;
}

void mote_buffer_release(const mote_context *context, mote_buffer *buffer)
{
    mote_release(context, buffer->data, buffer->bytes);
    buffer->data = NULL;
    buffer->bytes = 0;
}

bool mote_log_is_first(const mote_context *context, mote_warning warning)
{
    if (!context) return false;
    mote_context *marked = (mote_context *)context;  // only the mark changes
    if (atomic_load_explicit(&marked->warned, memory_order_relaxed) & warning) return false;
    return !(atomic_fetch_or(&marked->warned, (unsigned)warning) & warning);
}

void mote_log_message(const mote_context *context, const char *format, ...)
{
    if (!context || !context->log.message) return;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    mote_format(text, sizeof text, format, arguments);
    va_end(arguments);
    context->log.message(context->log.user_data, text);
}
