// SPDX-License-Identifier: MIT

#include "support/graveyard.h"

#include <stdatomic.h>

#include "support/test.h"

enum { RELEASED = 1 << 14, PATTERN = 0xDD };

// What was released, as it was.
typedef struct graveyard {
    struct grave {
        unsigned char *memory;
        size_t bytes;
    } at[RELEASED];
    atomic_size_t count;
    atomic_long calls;
    long fail_at;  // 0: never
    atomic_long failed;
} graveyard;

static void *bury_allocate(void *user_data, size_t bytes, size_t alignment)
{
    graveyard *yard = user_data;
    void *memory = NULL;
    if (atomic_fetch_add(&yard->calls, 1) + 1 == yard->fail_at) {
        atomic_fetch_add(&yard->failed, 1);
        return NULL;
    }
    if (posix_memalign(&memory, alignment, bytes) != 0) return NULL;
    memset(memory, 0xA5, bytes < 1 << 16 ? bytes : 1 << 16);
    return memory;
}

static void bury_release(void *user_data, void *memory, size_t bytes)
{
    graveyard *yard = user_data;
    const size_t place = atomic_fetch_add(&yard->count, 1);
    memset(memory, PATTERN, bytes);
    if (place < RELEASED)
        yard->at[place] = (struct grave){memory, bytes};
    else
        free(memory);
}

static void empty_graveyard(graveyard *yard, const char *what, long n)
{
    const size_t count = atomic_load(&yard->count);
    CHECK(count <= RELEASED, "%zu blocks", count);
    for (size_t k = 0; k < count; ++k) {
        const struct grave *grave = &yard->at[k];
        // Each byte is the next one's, as is quickly seen; where that is not so, which one is it?
        const bool is_even = grave->bytes && memcmp(grave->memory, grave->memory + 1, grave->bytes - 1) == 0;
        for (size_t b = 0; b < (is_even ? 1 : grave->bytes); ++b)
            CHECK(grave->memory[b] == PATTERN, "%s: allocation %ld fails: byte %zu of %zu is written to when released",
                  what, n, b, grave->bytes);
        free(grave->memory);
    }
}

void grave_fail_everywhere(grave_life *life, void *data, const char *what, uint64_t *sums)
{
    for (long n = 0;; n += n && SEEKS_RACES ? 5 : 1) {
        graveyard *yard = calloc(1, sizeof *yard);
        yard->fail_at = n;
        mote_context_def def = mote_context_default_def();
        def.allocator = (mote_allocator){bury_allocate, bury_release, yard};
        def.thread_count = 1 + (uint32_t)(n % 2);
        mote_context *context = NULL;
        mote_result result = mote_context_create(&def, &context, NULL);
        if (result == MOTE_OK) {
            life(context, data, sums, n);
            mote_context_destroy(context);
        }
        const bool is_last = n > 0 && atomic_load(&yard->failed) == 0;
        empty_graveyard(yard, what, n);
        free(yard);
        if (is_last) return;
    }
}
