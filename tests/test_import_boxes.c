// SPDX-License-Identifier: MIT
// Boxes from files: what is read, and what is refused and how.

#include <stdlib.h>

#include "mote/import.h"
#include "support/test.h"

typedef mote_result reader(mote_context *context, const char *name, const void *data, size_t size,
                           mote_box_data *boxes, mote_error *error);

static void expect_boxes(reader *read, const char *text, int dimensions, size_t count, const float *corners)
{
    mote_box_data boxes;
    mote_error error = {0};
    mote_result result = read(NULL, "file", text, strlen(text), &boxes, &error);
    CHECK(result == MOTE_OK, "%s\n%s", error.text, text);
    CHECK(boxes.count == count && boxes.dimensions == dimensions, "%zu boxes in %dD of\n%s", boxes.count,
          boxes.dimensions, text);
    for (size_t i = 0; i < 2 * (size_t)dimensions * count; ++i)
        CHECK(boxes.corners[i] == corners[i], "number %zu of\n%s", i, text);
    mote_box_data_release(&boxes);
    assert_null(boxes.corners);
}

typedef struct bad_text {
    const char *text, *error;
} bad_text;

static void expect_errors(reader *read, const bad_text *cases, size_t count)
{
    for (size_t k = 0; k < count; ++k) {
        mote_box_data boxes;
        mote_error error = {0};
        mote_result result = read(NULL, "file", cases[k].text, strlen(cases[k].text), &boxes, &error);
        CHECK(result == MOTE_ERROR_FORMAT, "%s instead of: %s", mote_result_name(result), cases[k].error);
        CHECK(strcmp(error.text, cases[k].error) == 0, "\n  %s\ninstead of\n  %s", error.text, cases[k].error);
        assert_null(boxes.corners);
    }
}

static const float solid[] = {1, 2, 3, 4, 5, 6, -1, -2, -3, 0.5F, -2, 1e3F};
static const float flat[] = {1, 2, 4, 5, -1, -2, 0.5F, -2};

static void csv_with_and_without_names(void **state)
{
    (void)state;
    reader *read = mote_import_boxes_csv;
    expect_boxes(read, "1,2,3,4,5,6\n-1,-2,-3,.5,-2,1e3\n", 3, 2, solid);
    expect_boxes(read, "min_x,min_y,min_z,max_x,max_y,max_z\n1,2,3,4,5,6\n-1,-2,-3,.5,-2,1e3\n", 3, 2, solid);
    expect_boxes(read, "id;Max X;xmin;\"max y\";max.y0;ymin\r\n7;4;1;5;0;2\r\n\r\n# no\r\n8;.5;-1;-2;0;-2", 2, 2, flat);
    expect_boxes(read, "left\tbottom\tright\ttop\n1\t2\t4\t5\n-1\t-2\t0.5\t-2\n", 2, 2, flat);
    expect_boxes(read, "\xEF\xBB\xBF# 2D\n1, 2, 4, 5\n-1, -2, 0.5, -2\n", 2, 2, flat);
    expect_boxes(read, "", 3, 0, NULL);
    expect_boxes(read, "xmin,ymin,xmax,ymax\n", 2, 0, NULL);
}

static void csv_faults_are_named(void **state)
{
    (void)state;
    const bad_text cases[] = {
        {"1,2,3\n", "file:1: 3 columns of boxes, expected 4 (min x, y, max x, y) or 6 (min x, y, z, max x, y, z)"},
        {"min_x,min_y,max_x,max_z\n", "file:1: no column max y, expected min and max of x and y, or of x, y and z"},
        {"xmin,ymin,min x,ymax\n",
         "file:1: column is \"min x\", expected each of min x, y, z and max x, y, z only once"},
        {"0,0,1,1\n0,0,1\n", "file:2: 3 fields, expected 4 as in the first line"},
        {"0,0,1,1\n0,nan,1,1\n", "file:2: box 1: min y is \"nan\", expected a finite number"},
        {"0,0,1,1\n\n2,0,1,1\n", "file:3: box 1: min x is 2, expected at most max x, which is 1"},
        {"0,0,0,1,1,1e39\n", "file:1: box 0: max z is 1e+39, beyond what floats hold, expected at most 3.4e38"},
    };
    expect_errors(mote_import_boxes_csv, cases, sizeof cases / sizeof *cases);
}

static void json_of_both_kinds(void **state)
{
    (void)state;
    reader *read = mote_import_boxes_json;
    expect_boxes(read, "[[1,2,3,4,5,6],[-1,-2,-3,0.5,-2,1e3]]", 3, 2, solid);
    expect_boxes(read,
                 "[\n{\"min\": [1, 2, 3], \"max\": [4, 5, 6]},\r\n\t{\"max\":[0.5,-2,1E+3] , \"min\":[-1,-2,-3]}\n]\n",
                 3, 2, solid);
    expect_boxes(read, "[[1, 2, 4, 5], {\"min\": [-1, -2], \"max\": [0.5, -2]}]", 2, 2, flat);
    expect_boxes(read, " [ ] ", 3, 0, NULL);
}

static void json_faults_are_named(void **state)
{
    (void)state;
    const bad_text cases[] = {
        {"", "file:1: file is end of file, expected [, an array of boxes"},
        {"{}", "file:1: file is \"{\", expected [, an array of boxes"},
        {"[3]", "file:1: box 0 is \"3\", expected [ and 4 or 6 numbers, or {\"min\": [...], \"max\": [...]}"},
        {"[[0,0,1]]", "file:1: box 0: 3 numbers, expected 4 or 6"},
        {"[[1,2,3,4,5,6,7]]", "file:1: box 0: 7 numbers, expected 4 or 6"},
        {"[[0,0,1,1],\n[0,0,0,1,1,1]]", "file:2: box 1: 6 numbers, expected 4 as before"},
        {"[[0,0,01,1]]", "file:1: box 0: number 3 is \"01\", expected a finite number"},
        {"[[0,+1,1,1]]", "file:1: box 0: number 2 is \"+1\", expected a finite number"},
        {"[[0,1.,1,1]]", "file:1: box 0: number 2 is \"1.\", expected a finite number"},
        {"[[0,0,1,1]\n[", "file:2: behind a box is \"[\", expected a comma or ]"},
        {"[[0,0 1,1]]", "file:1: box 0 is \"1\", expected a comma or ]"},
        {"[[0,0,1,1],]", "file:1: box 1 is \"]\", expected [ and 4 or 6 numbers, or {\"min\": [...], \"max\": [...]}"},
        {"[[0,0,1,1]] x", "file:1: behind the last box is \"x\", expected end of file"},
        {"[\n[0,2,1,1]]", "file:2: box 0: min y is 2, expected at most max y, which is 1"},
        {"[{\"min\": [0, \"a\"]}]", "file:1: box 0: min: number 2 is \"a\", expected a finite number"},
        {"[{\"min\": [0, 0], \"mix\": [1, 1]}]", "file:1: box 0 is \"mix\", expected \"min\" and \"max\", each once"},
        {"[{\"min\": [0, 0], \"min\": [1, 1]}]", "file:1: box 0 is \"min\", expected \"min\" and \"max\", each once"},
        {"[{\"min\": [0, 0], \"max\": [1, 1, 1]}]", "file:1: box 0: max: 3 numbers, expected 2 as before"},
        {"[{\"min\": [0, 0], \"max\": [1, 1]", "file:1: box 0 is end of file, expected } behind \"min\" and \"max\""},
        {"[{\"min\": 0, \"max\": 1}]", "file:1: box 0: min is \"0\", expected an array of numbers"},
        {"[{\"min", "file:1: box 0 is \"\"min\", expected \"min\" and \"max\", each once"},
    };
    expect_errors(mote_import_boxes_json, cases, sizeof cases / sizeof *cases);
}

// Whatever is cut off anywhere is refused, and read nowhere beyond its end.
static void cut_json_is_refused(void **state)
{
    (void)state;
    const char *text = "[{\"min\": [1, 2], \"max\": [4, 5]}, [0, 1, \"\\\"\", 3]]";
    for (size_t length = 0; length <= strlen(text); ++length) {
        char *copy = malloc(length + 1);
        memcpy(copy, text, length);
        mote_box_data boxes;
        assert_int_equal(mote_import_boxes_json(NULL, "file", copy, length, &boxes, NULL), MOTE_ERROR_FORMAT);
        free(copy);
    }
}

static mote_result read_many(mote_context *context, void *text)
{
    mote_box_data boxes;
    mote_result result = mote_import_boxes_csv(context, "file", text, strlen(text), &boxes, NULL);
    mote_box_data_release(&boxes);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    char *text = malloc(8 * COUNT + 1);
    for (int i = 0; i < COUNT; ++i) memcpy(text + 8 * i, "0,0,1,1\n", 9);
    test_failing_allocations(read_many, text);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_with_and_without_names),
        cmocka_unit_test(csv_faults_are_named),
        cmocka_unit_test(json_of_both_kinds),
        cmocka_unit_test(json_faults_are_named),
        cmocka_unit_test(cut_json_is_refused),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
