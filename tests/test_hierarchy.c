// SPDX-License-Identifier: MIT
// Nested cells: random insertions and removals against a plain list, walks against all of it, memory that runs out.

#include "cells/tested.h"
#include "support/test.h"

enum { MOST = 600, STEPS = SANITIZED ? 3000 : 20000 };

// What is stored, as a plain list.
typedef struct record {
    grid_cell cell;
    uint32_t class_number, node;
} record;

static const uint32_t shift_sets[][6] = {{0, 1, 2, 3, 4, 5}, {0, 2, 3, 7, 12, 20}, {0, 31, 0, 0, 0, 0}, {0}};
static const uint32_t shift_counts[] = {6, 6, 2, 1};
enum { SHIFT_SETS = 4 };

static grid_cell random_cell(mote_random *random, uint32_t size)
{
    grid_cell cell;
    for (int k = 0; k < 3; ++k) cell.at[k] = (int32_t)mote_random_below(random, size) - (int32_t)(size / 2);
    if (mote_random_below(random, 50) == 0) cell.at[1] = MOTE_CELL_LIMIT;
    if (mote_random_below(random, 50) == 0) cell.at[0] = -MOTE_CELL_LIMIT - 1;
    return cell;
}

static uint32_t coordinate(const cell_hierarchy *cells, grid_cell cell, uint32_t class_number, int axis)
{
    return mote_hierarchy_coordinate(cell.at[axis]) >> cells->shift[class_number];
}

typedef struct visits {
    uint32_t count;
    uint32_t of_node[65536];
} visits;

static bool note(void *data, uint32_t node)
{
    visits *seen = data;
    seen->count += 1;
    seen->of_node[node] += 1;
    return true;
}

// A walk meets exactly the cells with elements that meet the range, once each.
static void check_walk(const cell_hierarchy *cells, const record *records, uint32_t count, grid_cell a, grid_cell b)
{
    hierarchy_range ranges[HIERARCHY_CLASSES];
    for (uint32_t c = 0; c < cells->class_count; ++c)
        for (int k = 0; k < 3; ++k) {
            ranges[c].low[k] = mote_hierarchy_coordinate(MOTE_MIN(a.at[k], b.at[k]));
            ranges[c].high[k] = mote_hierarchy_coordinate(MOTE_MAX(a.at[k], b.at[k]));
        }
    visits *seen = calloc(1, sizeof *seen);
    mote_hierarchy_walk(cells, ranges, note, seen);
    for (uint32_t r = 0; r < count; ++r) {
        uint32_t c = records[r].class_number;
        bool meets = true;
        for (int k = 0; k < 3; ++k) {
            uint32_t at = coordinate(cells, records[r].cell, c, k);
            meets &= at >= ranges[c].low[k] >> cells->shift[c] && at <= ranges[c].high[k] >> cells->shift[c];
        }
        CHECK(seen->of_node[records[r].node] == (meets ? 1u : 0u), "record %u of class %u: visited %u times", r, c,
              seen->of_node[records[r].node]);
    }
    for (uint32_t r = 0; r < count; ++r)
        if (seen->of_node[records[r].node]) seen->of_node[records[r].node] = 0, seen->count -= 1;
    CHECK(seen->count == 0, "%u cells visited that hold nothing", seen->count);
    free(seen);
}

static void random_insertions_and_removals(void **state)
{
    (void)state;
    for (int s = 0; s < SHIFT_SETS; ++s) {
        cell_hierarchy cells = {0};
        mote_random random = {(uint64_t)s + 1};
        record *records = malloc(MOST * sizeof *records);
        uint32_t count = 0, size = s == 1 ? 1u << 20 : 12;
        mote_hierarchy_reset(&cells, shift_sets[s], shift_counts[s]);
        for (int step = 0; step < STEPS; ++step) {
            bool grows = step / 2000 % 2 == 0 ? mote_random_below(&random, 4) > 0 : mote_random_below(&random, 4) == 0;
            if (grows && count < MOST) {
                record *made = records + count++;
                made->cell = random_cell(&random, size);
                made->class_number = mote_random_below(&random, shift_counts[s]);
                CHECK_OK(mote_hierarchy_insert(NULL, &cells, made->cell, made->class_number, &made->node));
                CHECK(mote_hierarchy_find(&cells, made->cell, made->class_number) == made->node, "step %d", step);
            } else if (!grows && count) {
                uint32_t r = mote_random_below(&random, count);
                mote_hierarchy_remove(&cells, records[r].node);
                records[r] = records[--count];
            }
            if (step % 97 == 0) {
                mote_error error = {0};
                CHECK(mote_hierarchy_validate(&cells, &error) == MOTE_OK, "step %d: %s", step, error.text);
                for (uint32_t r = 0; r < count; ++r)
                    CHECK(mote_hierarchy_find(&cells, records[r].cell, records[r].class_number) == records[r].node,
                          "step %d: record %u has moved", step, r);
                check_walk(&cells, records, count, random_cell(&random, size), random_cell(&random, size));
            }
        }
        while (count) mote_hierarchy_remove(&cells, records[--count].node);
        CHECK_OK(mote_hierarchy_validate(&cells, NULL));
        for (uint32_t c = 0; c < cells.class_count; ++c) CHECK(cells.class_cells[c] == 0, "class %u", c);
        CHECK(cells.first_top == HIERARCHY_NONE, "%u", cells.first_top);
        mote_hierarchy_release(NULL, &cells);
        free(records);
    }
}

// hasChildren becomes false again: where the fine cells have gone, nothing is left but the coarse one's own element.
static void children_are_counted(void **state)
{
    (void)state;
    static const uint32_t shift[] = {0, 1, 2};
    cell_hierarchy cells = {0};
    mote_hierarchy_reset(&cells, shift, 3);
    uint32_t coarse, fine[2];
    CHECK_OK(mote_hierarchy_insert(NULL, &cells, (grid_cell){{0, 0, 0}}, 2, &coarse));
    CHECK_OK(mote_hierarchy_insert(NULL, &cells, (grid_cell){{3, 3, 0}}, 0, &fine[0]));
    CHECK_OK(mote_hierarchy_insert(NULL, &cells, (grid_cell){{3, 2, 0}}, 0, &fine[1]));
    CHECK(cells.nodes[coarse].children == 1, "%u", cells.nodes[coarse].children);
    CHECK(cells.class_cells[0] == 2 && cells.class_cells[1] == 1 && cells.class_cells[2] == 1, "cells");
    mote_hierarchy_remove(&cells, fine[0]);
    CHECK(cells.nodes[coarse].children == 1, "%u", cells.nodes[coarse].children);
    mote_hierarchy_remove(&cells, fine[1]);
    CHECK(cells.nodes[coarse].children == 0 && cells.nodes[coarse].elements == 1, "%u", cells.nodes[coarse].children);
    CHECK(cells.class_cells[0] == 0 && cells.class_cells[1] == 0, "cells");
    mote_hierarchy_release(NULL, &cells);
}

// Equal coordinates in all classes, those at (0, 0, 0) too, are different cells.
static void classes_do_not_collide(void **state)
{
    (void)state;
    static const uint32_t shift[] = {0, 1, 2, 3};
    cell_hierarchy cells = {0};
    mote_hierarchy_reset(&cells, shift, 4);
    const int32_t zero = -MOTE_CELL_LIMIT - MOTE_CELL_LIMIT;  // coordinate 0 of the hierarchy
    uint32_t nodes[4];
    for (uint32_t c = 0; c < 4; ++c) {
        CHECK_OK(mote_hierarchy_insert(NULL, &cells, (grid_cell){{zero, zero, zero}}, c, &nodes[c]));
        for (uint32_t d = 0; d < c; ++d) CHECK(nodes[c] != nodes[d], "classes %u and %u", c, d);
    }
    for (uint32_t c = 0; c < 4; ++c) CHECK(cells.nodes[nodes[c]].elements == 1, "class %u", c);
    CHECK_OK(mote_hierarchy_validate(&cells, NULL));
    mote_hierarchy_release(NULL, &cells);
}

static mote_result fill(mote_context *context, void *data)
{
    (void)data;
    cell_hierarchy cells = {0};
    mote_random random = {9};
    mote_hierarchy_reset(&cells, shift_sets[1], shift_counts[1]);
    mote_result result = MOTE_OK;
    uint32_t node;
    for (int step = 0; step < 2000 && result == MOTE_OK; ++step)
        result = mote_hierarchy_insert(context, &cells, random_cell(&random, 1000000), 0, &node);
    mote_error error = {0};
    CHECK(mote_hierarchy_validate(&cells, &error) == MOTE_OK, "%s", error.text);
    mote_hierarchy_release(context, &cells);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    test_failing_allocations(fill, NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_insertions_and_removals),
        cmocka_unit_test(children_are_counted),
        cmocka_unit_test(classes_do_not_collide),
        cmocka_unit_test(failing_allocations),
    };
    RUN_TESTS(tests, argc, argv);
}
