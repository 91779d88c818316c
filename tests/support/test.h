// SPDX-License-Identifier: MIT
// support/test.h: what every test program shares: cmocka, one case run by name, points, and a failing allocator.
#ifndef MOTE_TEST_H
#define MOTE_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mote/base.h"

// Runs the case named on the command line, or all of them: the body of main.
#define RUN_TESTS(tests, argc, argv)                              \
    do {                                                          \
        if ((argc) > 1) cmocka_set_test_filter((argv)[1]);        \
        return cmocka_run_group_tests((tests), NULL, NULL);       \
    } while (0)

// Fails the test with a message in printf's form, with file and line.
#define FAIL(...)                                                 \
    do {                                                          \
        print_error("%s:%d: ", __FILE__, __LINE__);               \
        print_error(__VA_ARGS__);                                 \
        print_error("\n");                                        \
        fail();                                                   \
    } while (0)

#define CHECK(condition, ...)                                     \
    do {                                                          \
        if (!(condition)) FAIL(#condition ": " __VA_ARGS__);      \
    } while (0)

#define CHECK_OK(call)                                                                              \
    do {                                                                                            \
        mote_result check_ok = (call);                                                              \
        if (check_ok != MOTE_OK) FAIL("%s gave %s", #call, mote_result_name(check_ok));             \
    } while (0)

// Sanitizers slow things down: sizes are cut by the tests that would take too long.
#if defined(MOTE_SANITIZED)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

// ThreadSanitizer, the slowest, looks at how threads work together. Repetitions that other builds need, such as every
// place where memory can run out, prove nothing more there: a few are run.
#if defined(__SANITIZE_THREAD__)
#define SEEKS_RACES 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SEEKS_RACES 1
#endif
#endif
#ifndef SEEKS_RACES
#define SEEKS_RACES 0
#endif

// Whether the library is not optimised, either: what takes a minute elsewhere takes a quarter of an hour.
#if defined(MOTE_SANITIZED) || defined(MOTE_DEBUG)
#define SLOW_BUILD 1
#else
#define SLOW_BUILD 0
#endif

// Whether MOTE_LONG_TESTS is set, for cases that have longer forms; these are not run in builds that are slow.
bool test_is_long(void);

// Tests every place where memory can run out. `attempt` does something with the context that it is given, cleans up
// whatever happens, and returns the result. It is called with an allocator whose n-th allocation fails, n = 1, 2, 3, …
// (1, 6, 11, … where races are sought), until it answers MOTE_OK. Every failure must be MOTE_ERROR_OUT_OF_MEMORY and
// leave no byte behind.
typedef mote_result test_attempt(mote_context *context, void *data);
void test_failing_allocations(test_attempt *attempt, void *data);

// A context with that many threads (0: all). Destroy with mote_context_destroy.
mote_context *test_context_with_threads(uint32_t threads);

// Whether this machine and this build have that form of the loops.
bool test_has_form(mote_simd form);

#endif
