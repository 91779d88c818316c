// SPDX-License-Identifier: MIT
// Context: memory, its budget, and blocks of parallel work.

#include "base/tested.h"
#include "support/test.h"

static void budget_is_kept(void **state)
{
    (void)state;
    mote_context_def def = mote_context_default_def();
    def.max_bytes = 1 << 16;
    mote_context *context;
    CHECK_OK(mote_context_create(&def, &context, NULL));
    size_t empty = mote_context_byte_count(context);
    void *half = mote_allocate(context, 1 << 15);
    assert_non_null(half);
    assert_null(mote_allocate(context, 1 << 15));
    assert_null(mote_allocate(context, SIZE_MAX - 3));
    mote_release(context, half, 1 << 15);
    assert_int_equal(mote_context_byte_count(context), empty);
    mote_context_destroy(context);
}

// What a host's log was told last, and how often.
typedef struct told {
    char text[512];
    int count;
} told;

static void note(void *user_data, const char *text)
{
    told *so_far = user_data;
    snprintf(so_far->text, sizeof so_far->text, "%s", text);
    so_far->count += 1;
}

static void a_budget_nearly_spent_is_told_once(void **state)
{
    (void)state;
    told so_far = {"", 0};
    mote_context_def def = mote_context_default_def();
    def.max_bytes = 1 << 20;
    def.thread_count = 1;
    def.log = (mote_log){note, &so_far};
    mote_context *context;
    CHECK_OK(mote_context_create(&def, &context, NULL));
    void *most = mote_allocate(context, 900000), *more[2];
    CHECK(so_far.count == 0, "told too early: %s", so_far.text);
    for (int k = 0; k < 2; ++k) more[k] = mote_allocate(context, 50000);
    CHECK(so_far.count == 1 && strstr(so_far.text, "of the 1.0 MB"), "told %d times: %s", so_far.count, so_far.text);
    mote_release(context, most, 900000);
    for (int k = 0; k < 2; ++k) mote_release(context, more[k], 50000);
    mote_context_destroy(context);
}

static void instruction_sets_can_be_chosen(void **state)
{
    (void)state;
    mote_context_def def = mote_context_default_def();
    mote_context *context;
    for (mote_simd simd = MOTE_SIMD_PLAIN; simd <= MOTE_SIMD_128; ++simd) {
        mote_error error;
        def.simd = simd;
        const mote_result result = mote_context_create(&def, &context, &error);
        if (mote_cpu_has(simd)) {
            CHECK(result == MOTE_OK && mote_context_simd(context) == simd, "%s", mote_simd_name(simd));
            mote_context_destroy(context);
        } else {
            CHECK(result == MOTE_ERROR_UNSUPPORTED && strstr(error.text, mote_simd_name(simd)), "%s", error.text);
        }
    }
    def.simd = (mote_simd)99;
    assert_int_equal(mote_context_create(&def, &context, NULL), MOTE_ERROR_UNSUPPORTED);
    assert_string_equal(mote_simd_name(def.simd), "unknown simd");
    def.simd = MOTE_SIMD_BEST;
    CHECK_OK(mote_context_create(&def, &context, NULL));
    CHECK(mote_cpu_has(mote_context_simd(context)) && mote_context_simd(context) == mote_context_simd(NULL), "%s",
          mote_simd_name(mote_context_simd(context)));
    mote_context_destroy(context);
}

static void def_without_cookie_is_refused(void **state)
{
    (void)state;
    mote_context_def def = {0};
    mote_context *context;
    assert_int_equal(mote_context_create(&def, &context, NULL), MOTE_ERROR_ARGUMENT);
}

static mote_result create_only(mote_context *context, void *data)
{
    (void)data;
    void *memory = mote_allocate(context, 100);
    if (!memory) return MOTE_ERROR_OUT_OF_MEMORY;
    mote_release(context, memory, 100);
    return MOTE_OK;
}

static void failing_allocations(void **state)
{
    (void)state;
    test_failing_allocations(create_only, NULL);
}

static void count_blocks(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    ((unsigned char *)data)[block] += 1;
}

static void every_block_runs_once(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 5; ++threads) {
        mote_context *context = test_context_with_threads(threads);
        unsigned char seen[1000] = {0};
        mote_run_blocks(context, 1000, count_blocks, seen);
        for (int b = 0; b < 1000; ++b) CHECK(seen[b] == 1, "block %d ran %d times", b, seen[b]);
        mote_context_destroy(context);
    }
}

static void note_worker(void *data, uint32_t block, uint32_t worker)
{
    ((uint32_t *)data)[block] = worker;
}

// Threads that would find nothing to do are not woken.
static void few_blocks_take_few_workers(void **state)
{
    (void)state;
    mote_context *context = test_context_with_threads(16);
    uint32_t workers[3];
    for (int times = 0; times < 2000; ++times)
        for (uint32_t blocks = 0; blocks <= 3; ++blocks) {
            mote_run_blocks(context, blocks, note_worker, workers);
            for (uint32_t b = 0; b < blocks; ++b)
                CHECK(workers[b] < blocks, "worker %u for %u blocks", workers[b], blocks);
        }
    mote_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budget_is_kept),
        cmocka_unit_test(a_budget_nearly_spent_is_told_once),
        cmocka_unit_test(instruction_sets_can_be_chosen),
        cmocka_unit_test(def_without_cookie_is_refused),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(every_block_runs_once),
        cmocka_unit_test(few_blocks_take_few_workers),
    };
    RUN_TESTS(tests, argc, argv);
}
