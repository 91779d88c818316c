// SPDX-License-Identifier: MIT
// Motions from tables of text: columns by name and in order, and what is wrong is named with its line.

#include "mote/import.h"
#include "support/test.h"

static void expect_rows(const char *text, size_t count, const double *rows)
{
    mote_motion_data motion;
    mote_error error = {0};
    CHECK(mote_import_motion_csv(NULL, "file", text, strlen(text), &motion, &error) == MOTE_OK, "%s", error.text);
    CHECK(motion.count == count, "%zu rows, expected %zu", motion.count, count);
    for (size_t k = 0; k < MOTE_MOTION_NUMBERS * count; ++k)
        CHECK(motion.rows[k] == rows[k], "number %zu is %g, expected %g", k, motion.rows[k], rows[k]);
    mote_motion_data_release(&motion);
}

static void columns_have_names_or_an_order(void **state)
{
    (void)state;
    const double shifts[] = {0, 1, 0, 0, 0, 0.5, 2, 0, 0, 0}, turns[] = {-1, 0, 0, 3, 45, 0, 0, 0, 4, 90};
    expect_rows("0,1\n0.5,2\n", 2, shifts);
    expect_rows("# a paddle\nt;x\n0;1\r\n\r\n0.5;2", 2, shifts);
    expect_rows("turn z t\n45 3 -1\n90 4 0\n", 2, turns);
    expect_rows("-1,0,0,3,45\n0,0,0,4,90\n", 2, turns);
}

static void faults_are_named(void **state)
{
    (void)state;
    const char *const cases[][2] = {
        {"", "file: no rows, expected at least one"},
        {"t,x\n", "file: no rows, expected at least one"},
        {"0\n", "file:1: 1 columns, expected t, and x, y, z or turn beside it"},
        {"x,y\n", "file:1: 2 columns, expected t, and x, y, z or turn beside it"},
        {"0,1,2,3,4,5\n", "file:1: 6 columns, expected t, and x, y, z or turn beside it"},
        {"t,speed\n", "file:1: column is \"speed\", expected t, x, y, z or turn"},
        {"t,x,x\n", "file:1: column is \"x\", expected each of t, x, y, z and turn only once"},
        {"0,1\n1\n", "file:2: 1 field, expected 2 as in the first line"},
        {"0,1\n1,nan\n", "file:2: x is \"nan\", expected a finite number"},
        {"t,x\n0,1\n\n0,2\n", "file:4: t is 0, expected more than 0, the time of the row before"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        mote_motion_data motion;
        mote_error error = {0};
        CHECK(mote_import_motion_csv(NULL, "file", cases[k][0], strlen(cases[k][0]), &motion, &error) ==
                  MOTE_ERROR_FORMAT,
              "case %zu was taken", k);
        assert_string_equal(error.text, cases[k][1]);
    }
}

static mote_result read_many(mote_context *context, void *text)
{
    mote_motion_data motion;
    const mote_result result = mote_import_motion_csv(context, "file", text, strlen(text), &motion, NULL);
    mote_motion_data_release(&motion);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    char text[] = "0,1\n1,2\n";
    test_failing_allocations(read_many, text);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_have_names_or_an_order),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(failing_allocations),
    };
    RUN_TESTS(tests, argc, argv);
}
