// SPDX-License-Identifier: MIT
// Texts with numbers in them: as the C library writes them, but the same in every locale.

#include <locale.h>

#include "base/tested.h"
#include "support/test.h"

static size_t format(char *text, size_t size, const char *how, ...) MOTE_PRINTF(3, 4);
static size_t format(char *text, size_t size, const char *how, ...)
{
    va_list arguments;
    va_start(arguments, how);
    size_t length = mote_format(text, size, how, arguments);
    va_end(arguments);
    return length;
}

// The same conversion by both; the C locale is the one that all tests run in.
#define CHECK_SAME(...)                                                                                      \
    do {                                                                                                     \
        char ours[700], theirs[700];                                                                         \
        size_t length = (size_t)snprintf(theirs, sizeof theirs, __VA_ARGS__);                                \
        size_t our_length = format(ours, sizeof ours, __VA_ARGS__);                                          \
        assert_string_equal(ours, theirs);                                                                   \
        assert_int_equal(our_length, length);                                                                \
    } while (0)

static void conversions_are_those_of_printf(void **state)
{
    (void)state;
    CHECK_SAME("plain, 100 %%");
    CHECK_SAME("%d|%5d|%-5d|%05d|%.3d|%d", 0, -42, -42, -42, 7, INT32_MIN);
    CHECK_SAME("%u|%zu|%lu|%llu", 0u, (size_t)SIZE_MAX, 5ul, (unsigned long long)UINT64_MAX);
    CHECK_SAME("%ld|%lld|%zd", -5l, (long long)INT64_MIN, (ptrdiff_t)-3);
    CHECK_SAME("%x|%04x|%llx|%08llx", 0xBEEFu, 0x1Fu, 0xFEDCBA9876543210ull, 0x1Full);
    CHECK_SAME("%c%c|%3c|%-3c|", 'a', '%', 'b', 'c');
    CHECK_SAME("%s|%.3s|%8s|%-8s|%.*s|%*s", "", "cutting", "right", "left", 2, "some", 6, "wide");
    CHECK_SAME("…%s…", "Säule");
    const double values[] = {0.0, -0.0, 1, -1.5, 0.1, 1.0 / 3, 1e-7, 123456789, 1e22, 2e18, -2.5e-300, 5e-324, 1.7e308};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
        CHECK_SAME("%g|%.3g|%.17g|%12g|%-12g|", values[i], values[i], values[i], values[i], values[i]);
        CHECK_SAME("%f|%.0f|%.2f|%e|%.3e", values[i], values[i], values[i], values[i], values[i]);
    }
    CHECK_SAME("%g %g", (double)INFINITY, -(double)INFINITY);
}

static void what_does_not_fit_is_cut(void **state)
{
    (void)state;
    for (size_t size = 0; size < 12; ++size) {
        char text[16] = "###############";
        assert_int_equal(format(text, size, "%d and %g", 12, 0.5), 10);
        CHECK(strncmp(text, "12 and 0.5", size ? MOTE_MIN(size - 1, 10) : 0) == 0, "\"%s\" in %zu", text, size);
        if (size) CHECK(text[MOTE_MIN(size - 1, 10)] == '\0', "no end in %zu", size);
        CHECK(text[size] == '#', "written beyond %zu", size);
    }
    assert_int_equal(format(NULL, 0, "%s", "counted"), 7);
}

// Where the machine has no locale with a comma, the test of it is left out.
static void numbers_in_errors_do_not_know_the_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; ++i) found = setlocale(LC_ALL, names[i]) != NULL;
    mote_error error;
    mote_fail(&error, MOTE_ERROR_ARGUMENT, 0, "%g, %.2f and %.1e at %s", 0.5, 1.25, 1e-3, "here");
    setlocale(LC_ALL, "C");
    if (!found) print_message("no locale with a comma here\n");
    assert_string_equal(error.text, "0.5, 1.25 and 1.0e-03 at here");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversions_are_those_of_printf),
        cmocka_unit_test(what_does_not_fit_is_cut),
        cmocka_unit_test(numbers_in_errors_do_not_know_the_locale),
    };
    RUN_TESTS(tests, argc, argv);
}
