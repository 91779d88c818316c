// SPDX-License-Identifier: MIT
#include "support/test.h"

typedef struct failing_allocator {
    long calls, fail_at;
    long blocks;
    size_t bytes;
} failing_allocator;

static void *failing_allocate(void *user_data, size_t bytes, size_t alignment)
{
    failing_allocator *state = user_data;
    void *memory = NULL;
    long call = __atomic_add_fetch(&state->calls, 1, __ATOMIC_SEQ_CST);
    if (call == state->fail_at) return NULL;
    if (posix_memalign(&memory, alignment, bytes) != 0) return NULL;
    memset(memory, 0xA5, bytes < 1 << 20 ? bytes : 1 << 20);  // memory is not clean: nobody may count on it
    __atomic_add_fetch(&state->blocks, 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&state->bytes, bytes, __ATOMIC_SEQ_CST);
    return memory;
}

static void failing_release(void *user_data, void *memory, size_t bytes)
{
    failing_allocator *state = user_data;
    __atomic_sub_fetch(&state->blocks, 1, __ATOMIC_SEQ_CST);
    __atomic_sub_fetch(&state->bytes, bytes, __ATOMIC_SEQ_CST);
    free(memory);
}

void test_failing_allocations(test_attempt *attempt, void *data)
{
    for (long n = 1; n < 100000; n += SEEKS_RACES ? 5 : 1) {
        failing_allocator state = {0, n, 0, 0};
        mote_context_def def = mote_context_default_def();
        def.allocator = (mote_allocator){failing_allocate, failing_release, &state};
        def.thread_count = 2;
        mote_context *context = NULL;
        mote_result result = mote_context_create(&def, &context, NULL);
        if (result == MOTE_OK) {
            result = attempt(context, data);
            mote_context_destroy(context);
        }
        CHECK(state.blocks == 0, "%ld blocks left behind when allocation %ld fails", state.blocks, n);
        CHECK(state.bytes == 0, "%zu bytes wrongly counted when allocation %ld fails", state.bytes, n);
        if (result == MOTE_OK) {
            // A failure that was survived (a wish for spare room) does not end the search for others.
            if (state.calls < n) return;
            continue;
        }
        CHECK(result == MOTE_ERROR_OUT_OF_MEMORY, "allocation %ld fails: %s", n, mote_result_name(result));
    }
    FAIL("no end of allocations");
}

mote_context *test_context_with_threads(uint32_t threads)
{
    mote_context_def def = mote_context_default_def();
    def.thread_count = threads;
    mote_context *context;
    CHECK_OK(mote_context_create(&def, &context, NULL));
    return context;
}

bool test_has_form(mote_simd form)
{
    mote_context_def def = mote_context_default_def();
    mote_context *context;
    def.simd = form;
    if (mote_context_create(&def, &context, NULL) != MOTE_OK) return false;
    mote_context_destroy(context);
    return true;
}

bool test_is_long(void)
{
    return !SLOW_BUILD && getenv("MOTE_LONG_TESTS");
}
