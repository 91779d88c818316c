// SPDX-License-Identifier: MIT
// The hashing broad phases as their document has them: the tables of Pouchol et al. 2009, figures 2 and 3, cell by
// cell; sizes that rounding makes treacherous; objects that change class; and the work that outliers cause.

#include "support/test.h"

#include "mote/broadphase.h"

static mote_broadphase *make(const char *method, int dimensions, double finest, int32_t classes)
{
    mote_broadphase_def def = mote_broadphase_default_def();
    def.method = method;
    def.dimensions = dimensions;
    def.finest = finest;
    def.classes = classes;
    mote_broadphase *broad;
    CHECK_OK(mote_broadphase_create(NULL, &def, &broad, NULL));
    return broad;
}

static uint32_t add(mote_broadphase *broad, float x0, float y0, float x1, float y1)
{
    mote_bounds box = {{x0, y0, 0}, {x1, y1, 0}};
    uint32_t id;
    CHECK_OK(mote_broadphase_add(broad, &box, MOTE_OBJECT_MOVING, mote_filter_all(), &id, NULL));
    return id;
}

static void move(mote_broadphase *broad, uint32_t id, float x0, float y0, float x1, float y1)
{
    mote_bounds box = {{x0, y0, 0}, {x1, y1, 0}};
    CHECK_OK(mote_broadphase_move(broad, id, &box, NULL));
}

// ------------------------------------------------------------------------------------------------------ figures

// A row of a table: h^class(x, y), how many objects, and the flag.
typedef struct table_row {
    int class_number, x, y;
    uint32_t objects;
    bool has_children;
} table_row;

typedef struct table_check {
    const char *name;
    const table_row *rows;
    uint32_t count, met;
} table_check;

static void check_row(void *user_data, const mote_broadphase_cell *cell)
{
    table_check *check = user_data;
    for (uint32_t k = 0; k < check->count; ++k) {
        const table_row *row = &check->rows[k];
        if (cell->class_number != row->class_number || cell->min[0] != row->x || cell->min[1] != row->y) continue;
        double size = ldexp(1, row->class_number);
        CHECK(cell->max[0] == row->x + size && cell->max[1] == row->y + size, "%s, row %u: size", check->name, k);
        CHECK(cell->objects == row->objects, "%s, row %u: %u objects", check->name, k, cell->objects);
        CHECK(cell->has_children == row->has_children, "%s, row %u: flag %d", check->name, k, cell->has_children);
        check->met += 1;
        return;
    }
    FAIL("%s: the table has no h%d(%g, %g)", check->name, cell->class_number, cell->min[0], cell->min[1]);
}

static void check_table(mote_broadphase *broad, const char *name, const table_row *rows, uint32_t count)
{
    table_check check = {name, rows, count, 0};
    CHECK_OK(mote_broadphase_update(broad, NULL));
    CHECK_OK(mote_broadphase_cells(broad, check_row, &check, NULL));
    CHECK(check.met == count, "%s: %u cells, the table has %u", name, check.met, count);
}
#define CHECK_TABLE(broad, name, rows) check_table(broad, name, rows, sizeof rows / sizeof *rows)

// Ids of a cell are not shown: that they are A's, B's, C's and D's follows from a look at a point of it.
typedef struct letters {
    char text[8];
} letters;

static bool note_letter(void *user_data, uint32_t id)
{
    letters *seen = user_data;
    size_t place = strlen(seen->text);  // in the order of the alphabet, whatever that of the visits
    for (; place > 0 && seen->text[place - 1] > (char)('A' + id); --place) seen->text[place] = seen->text[place - 1];
    seen->text[place] = (char)('A' + id);
    return true;
}

// Objects whose box a point meets, as letters.
static void check_point(mote_broadphase *broad, float x, float y, const char *expected)
{
    letters seen = {{0}};
    const float at[3] = {x, y, 0};
    CHECK_OK(mote_broadphase_query_point(broad, at, mote_filter_all(), note_letter, &seen, NULL));
    CHECK(strcmp(seen.text, expected) == 0, "(%g, %g) meets %s, expected %s", (double)x, (double)y, seen.text,
          expected);
}

static void add_figure_2(mote_broadphase *broad)
{
    add(broad, 2.5f, 2.5f, 5.5f, 5.5f);   // A, class 2
    add(broad, 3.2f, 3.2f, 3.8f, 3.8f);   // B, class 0
    add(broad, 3.2f, 0.4f, 4.7f, 1.2f);   // C, class 1
    add(broad, 5.6f, 0.3f, 6.3f, 0.9f);   // D, class 0
}

static void figure_2_multilevel(void **state)
{
    (void)state;
    static const table_row rows[] = {{2, 0, 0, 1, false}, {1, 2, 0, 1, false}, {2, 4, 0, 1, false},
                                     {2, 0, 4, 1, false}, {1, 4, 0, 1, false}, {2, 4, 4, 1, false},
                                     {0, 3, 3, 1, false}, {0, 5, 0, 1, false}, {0, 6, 0, 1, false}};
    const double finest[] = {1, 0.5};  // classes as given, and found in the preprocessing pass
    const int32_t classes[] = {3, 0};
    for (int k = 0; k < 2; ++k) {
        mote_broadphase *broad = make("multilevel_hash", 2, finest[k], classes[k]);
        add_figure_2(broad);
        CHECK_TABLE(broad, "figure 2, multilevel", rows);
        check_point(broad, 3.5f, 3.5f, "AB");
        check_point(broad, 4, 1, "C");
        check_point(broad, 6, 0.5f, "D");
        mote_broadphase_destroy(broad);
    }
}

static void figure_2_hierarchical(void **state)
{
    (void)state;
    static const table_row rows[] = {{2, 0, 0, 1, true},  {1, 2, 0, 1, false}, {2, 4, 0, 1, true},
                                     {2, 0, 4, 1, false}, {1, 2, 2, 0, true},  {2, 4, 4, 1, false},
                                     {1, 4, 0, 1, true},  {1, 6, 0, 0, true},  {0, 3, 3, 1, false},
                                     {0, 5, 0, 1, false}, {0, 6, 0, 1, false}};
    const double finest[] = {1, 0.5};
    const int32_t classes[] = {3, 0};
    for (int k = 0; k < 2; ++k) {
        mote_broadphase *broad = make("hierarchical_hash", 2, finest[k], classes[k]);
        add_figure_2(broad);
        CHECK_TABLE(broad, "figure 2, hierarchical", rows);
        mote_broadphase_destroy(broad);
    }
}

// Flags become false again: without D there is nothing below (4, 0), without B nothing below (0, 0).
static void figure_2_without_children(void **state)
{
    (void)state;
    static const table_row without_d[] = {{2, 0, 0, 1, true},  {1, 2, 0, 1, false}, {2, 4, 0, 1, true},
                                          {2, 0, 4, 1, false}, {1, 2, 2, 0, true},  {2, 4, 4, 1, false},
                                          {1, 4, 0, 1, false}, {0, 3, 3, 1, false}};
    static const table_row with_a_alone[] = {
        {2, 0, 0, 1, false}, {2, 4, 0, 1, false}, {2, 0, 4, 1, false}, {2, 4, 4, 1, false}};
    mote_broadphase *broad = make("hierarchical_hash", 2, 1, 3);
    add_figure_2(broad);
    CHECK_OK(mote_broadphase_update(broad, NULL));
    CHECK_OK(mote_broadphase_remove(broad, 3, NULL));
    CHECK_TABLE(broad, "without D", without_d);
    CHECK_OK(mote_broadphase_remove(broad, 1, NULL));
    CHECK_OK(mote_broadphase_remove(broad, 2, NULL));
    CHECK_TABLE(broad, "A alone", with_a_alone);
    mote_broadphase_destroy(broad);
}

// B moves: the box of its whole way is what goes in. P looks at three cells on its way down and finds A and B as
// candidates, Q at one, which has no child.
static void figure_3(void **state)
{
    (void)state;
    static const table_row rows[] = {{2, 0, 0, 1, false}, {2, 4, 0, 1, true},  {2, 0, 4, 1, false},
                                     {2, 4, 4, 1, false}, {1, 4, 0, 0, true},  {1, 6, 0, 0, true},
                                     {0, 5, 1, 1, false}, {0, 5, 0, 1, false}, {0, 6, 1, 1, false},
                                     {0, 6, 0, 1, false}};
    mote_broadphase *broad = make("hierarchical_hash", 2, 1, 3);
    add(broad, 2.5f, 2.5f, 5.5f, 5.5f);  // A
    add(broad, 5.6f, 0.7f, 6.4f, 1.3f);  // B, from its box at the start to that at the end
    CHECK_TABLE(broad, "figure 3", rows);
    static const struct {
        float x, y;
        uint64_t lookups, candidates;
        const char *name;
    } points[] = {{5.3f, 0.5f, 3, 2, "P"}, {1.5f, 5.5f, 1, 1, "Q"}};
    for (int k = 0; k < 2; ++k) {
        const float at[2] = {points[k].x, points[k].y};
        mote_id_rows found;
        CHECK_OK(mote_broadphase_query_points(broad, mote_points_xy(at, 1), mote_filter_all(), &found, NULL));
        mote_broadphase_counters counters = mote_broadphase_get_counters(broad);
        CHECK(counters.lookups == points[k].lookups && counters.candidates == points[k].candidates,
              "%s: %d look-ups, %d candidates", points[k].name, (int)counters.lookups, (int)counters.candidates);
    }
    mote_broadphase_destroy(broad);
}

// -------------------------------------------------------------------------------------------------------- traps

static const char *const hashes[] = {"multilevel_hash", "hierarchical_hash"};

// An edge of exactly 1 in float, and three cells of size 1: eight corners would miss the one in the middle.
static void box_over_three_cells(void **state)
{
    (void)state;
    for (int m = 0; m < 2; ++m) {
        mote_broadphase *broad = make(hashes[m], 3, 1, 4);
        mote_bounds box = {{0.99999994f, 0.99999994f, 0.99999994f}, {2, 2, 2}};
        CHECK(box.max[0] - box.min[0] == 1.0f, "not the box that was meant");
        uint32_t id;
        CHECK_OK(mote_broadphase_add(broad, &box, MOTE_OBJECT_MOVING, mote_filter_all(), &id, NULL));
        CHECK_OK(mote_broadphase_update(broad, NULL));
        CHECK_OK(mote_broadphase_validate(broad, NULL));
        mote_broadphase_counters counters = mote_broadphase_get_counters(broad);
        CHECK(counters.entries <= 8, "%s: %d entries", hashes[m], (int)counters.entries);
        const float at[3] = {1.5f, 1.5f, 1.5f};
        letters seen = {{0}};
        CHECK_OK(mote_broadphase_query_point(broad, at, mote_filter_all(), note_letter, &seen, NULL));
        CHECK(strcmp(seen.text, "A") == 0, "%s: found \"%s\"", hashes[m], seen.text);
        mote_broadphase_destroy(broad);
    }
}

// No object lies in more than eight cells, four in 2D, whatever its size and place; none gets lost.
static void few_cells_an_object(void **state)
{
    (void)state;
    for (int m = 0; m < 2; ++m)
        for (int dimensions = 2; dimensions <= 3; ++dimensions) {
            mote_broadphase *broad = make(hashes[m], dimensions, 0, 0);
            mote_random random = {3};
            for (uint32_t k = 0; k < (SEEKS_RACES ? 700 : SANITIZED ? 1200 : 2000); ++k) {
                mote_bounds box = {{0}, {0}};
                double size = ldexp(1, -(int)mote_random_below(&random, 20));
                for (int a = 0; a < dimensions; ++a) {
                    box.min[a] = (float)(8 * mote_random_unit(&random) - 4);
                    box.max[a] = box.min[a] + (float)(size * mote_random_unit(&random));
                }
                uint32_t id;
                CHECK_OK(mote_broadphase_add(broad, &box, MOTE_OBJECT_MOVING, mote_filter_all(), &id, NULL));
                CHECK_OK(mote_broadphase_update(broad, NULL));
                mote_broadphase_counters counters = mote_broadphase_get_counters(broad);
                CHECK(counters.entries <= (uint64_t)(1 << dimensions) * (k + 1), "%s: %d entries of %u objects",
                      hashes[m], (int)counters.entries, k + 1);
            }
            CHECK_OK(mote_broadphase_validate(broad, NULL));
            mote_broadphase_destroy(broad);
        }
}

// A deformable object goes through all classes and beyond them, and never out of sight.
static void objects_change_class(void **state)
{
    mote_error error = {0};
    (void)state;
    for (int m = 0; m < 2; ++m)
        for (int32_t classes = 0; classes < 4; classes += 3) {
            mote_broadphase *broad = make(hashes[m], 2, 1, classes);
            uint32_t a = add(broad, 0, 0, 1, 1);
            add(broad, 100, 100, 104, 104);
            for (int exponent = -4; exponent < 40; ++exponent) {
                float size = ldexpf(1, exponent);
                move(broad, a, 0.25f, 0.25f, 0.25f + size, 0.25f + size);
                CHECK_OK(mote_broadphase_update(broad, &error));
                CHECK(mote_broadphase_validate(broad, &error) == MOTE_OK, "2^%d: %s", exponent, error.text);
                check_point(broad, 0.25f + size / 2, 0.25f, "A");
                check_point(broad, 0.25f + size, 0.25f + size, "A");
            }
            mote_broadphase_destroy(broad);
        }
}

// ----------------------------------------------------------------------------------------------------------- work

// An outlier, an object over everything and a query over everything cost no more than what there is.
static void outliers_cost_little(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    for (size_t m = 0; mote_broadphase_method_at(m); ++m) {
        mote_broadphase_def def = mote_broadphase_default_def();
        def.method = mote_broadphase_method_at(m)->name;
        mote_broadphase *broad;
        CHECK_OK(mote_broadphase_create(NULL, &def, &broad, NULL));
        mote_random random = {9};
        for (uint32_t k = 0; k < COUNT; ++k) {
            mote_bounds box;
            for (int a = 0; a < 3; ++a) {
                box.min[a] = (float)(10 * mote_random_unit(&random));
                box.max[a] = box.min[a] + 0.3f;
                if (k == 5) box.min[a] = box.max[a] = 1e30f;
                if (k == 6) box.min[a] = -3e38f, box.max[a] = 3e38f;
            }
            uint32_t id;
            CHECK_OK(mote_broadphase_add(broad, &box, MOTE_OBJECT_MOVING, mote_filter_all(), &id, NULL));
        }
        mote_bounds world = {{-3e38f, -3e38f, -3e38f}, {3e38f, 3e38f, 3e38f}};
        mote_id_rows rows;
        CHECK_OK(mote_broadphase_query_boxes(broad, mote_boxes_bounds(&world, 1, 3), mote_filter_all(), &rows, NULL));
        CHECK(rows.total == COUNT, "%s: %d", def.method, (int)rows.total);
        mote_broadphase_counters counters = mote_broadphase_get_counters(broad);
        CHECK(counters.lookups <= counters.cells + 64, "%s: %d look-ups of %d cells", def.method,
              (int)counters.lookups, (int)counters.cells);
        CHECK(counters.entries <= 30 * COUNT, "%s: %d entries", def.method, (int)counters.entries);
        size_t bytes = mote_broadphase_byte_count(broad, NULL);
        CHECK(bytes < 6000000, "%s: %d bytes", def.method, (int)bytes);
        mote_broadphase_destroy(broad);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_2_multilevel),
        cmocka_unit_test(figure_2_hierarchical),
        cmocka_unit_test(figure_2_without_children),
        cmocka_unit_test(figure_3),
        cmocka_unit_test(box_over_three_cells),
        cmocka_unit_test(few_cells_an_object),  // one thread
        cmocka_unit_test(objects_change_class),
        cmocka_unit_test(outliers_cost_little),
    };
    RUN_TESTS(tests, argc, argv);
}
