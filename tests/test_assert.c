// SPDX-License-Identifier: MIT
// Asserts as a host has them that builds mote with a handler of its own: it hears of what fails, and nothing else
// happens.

#if !defined(MOTE_DEBUG)
#define MOTE_DEBUG
#endif
#define MOTE_ASSERT_HANDLER note_failure

#include "base/tested.h"
#include "support/test.h"

static int failures;
static char condition_text[64], file_text[256];
static int line_number;

void note_failure(const char *condition, const char *file, int line)
{
    ++failures;
    line_number = line;
    snprintf(condition_text, sizeof condition_text, "%s", condition);
    snprintf(file_text, sizeof file_text, "%s", file);
}

static void handler_hears_of_what_fails(void **state)
{
    (void)state;
    int one = 1;
    MOTE_ASSERT(one == 1);
    MOTE_VALIDATE(one + 1 == 2);
    assert_int_equal(failures, 0);
    MOTE_ASSERT(one == 2);
    assert_int_equal(failures, 1);
    assert_int_equal(line_number, __LINE__ - 2);
    assert_string_equal(condition_text, "one == 2");
    CHECK(strstr(file_text, "test_assert.c"), "%s", file_text);
    MOTE_VALIDATE(one < 0);
    assert_int_equal(failures, 2);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handler_hears_of_what_fails),
    };
    RUN_TESTS(tests, argc, argv);
}
