// SPDX-License-Identifier: MIT
// Points sorted by radius class and cell: look-ups find the same runs by each kind of table, and cells are as large as
// their points are apart.

#include "cells/tested.h"
#include "neighbors/tested.h"
#include "support/points.h"
#include "support/test.h"

enum { POINTS = 400, BOXES = 200 };

// A sort of its own of points with radii (NULL: 0.1 for all).
static mote_neighbors *sort_points(const double *xyz, const double *radii, class_sort *sort)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.features = MOTE_NEIGHBORS_F64 | (radii ? MOTE_NEIGHBORS_RADII : 0);
    def.radius_rule = MOTE_RADIUS_LARGER;
    def.radius = 0.1;
    def.method = "cell_grid";
    mote_neighbors *search;
    CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
    mote_points points = mote_points_xyz_f64(xyz, POINTS);
    if (radii)
        CHECK_OK(mote_neighbors_update_radii(search, points, radii, sizeof *radii, NULL));
    else
        CHECK_OK(mote_neighbors_update(search, points, NULL));
    *sort = (class_sort){.count = 0};
    CHECK_OK(mote_class_sort_build(search, sort));
    CHECK_OK(mote_class_sort_validate(sort, NULL));
    return search;
}

// Looks a box up, and compares with all points whose cells it touches.
static void check_box(const class_sort *sort, const double low[3], const double high[3], uint32_t *hint)
{
    const radius_class *class = &sort->classes[0];
    mote_buffer runs = {0};
    size_t run_count = 0;
    CHECK(mote_class_sort_runs(NULL, sort, class, low, high, hint, &runs, &run_count), "no memory");
    const sorted_run *run = runs.data;
    grid_cell from = mote_frame_cell(&class->frame, low), to = mote_frame_cell(&class->frame, high);
    size_t r = 0;
    for (uint32_t p = 0; p < sort->count; ++p) {
        double at[3];
        mote_sorted_get(&sort->at, p, at);
        grid_cell cell = mote_frame_cell(&class->frame, at);
        bool inside = true;
        for (int k = 0; k < 3; ++k) inside &= cell.at[k] >= from.at[k] && cell.at[k] <= to.at[k];
        while (r < run_count && run[r].end <= p) ++r;
        bool found = r < run_count && run[r].begin <= p;
        CHECK(found == inside, "point %u is %s the box, but %s found", p, inside ? "in" : "out of", found ? "" : "not");
    }
    for (r = 1; r < run_count; ++r) CHECK(run[r - 1].end <= run[r].begin, "run %zu is out of order", r);
    mote_buffer_release(NULL, &runs);
}

// Points that fill a box of these edges.
static void check_set(const double size[3], bool has_starts, bool has_rows)
{
    mote_random random = {7};
    double xyz[3 * POINTS], low[3], high[3];
    for (int i = 0; i < 3 * POINTS; ++i) xyz[i] = mote_random_unit(&random) * size[i % 3];
    class_sort sort;
    mote_neighbors *search = sort_points(xyz, NULL, &sort);
    CHECK((sort.classes[0].starts != NULL) == has_starts, "the table of starts");
    CHECK((sort.classes[0].rows != NULL) == has_rows, "the table of rows");
    uint32_t hint[CLASS_HINTS] = {0};
    for (int b = 0; b < BOXES; ++b) {
        for (int k = 0; k < 3; ++k) {
            low[k] = size[k] * (1.2 * mote_random_unit(&random) - 0.1);
            high[k] = low[k] + 0.5 * mote_random_unit(&random);
        }
        check_box(&sort, low, high, hint);
    }
    mote_class_sort_release(NULL, &sort);
    mote_neighbors_destroy(search);
}

static void runs_by_starts(void **state)
{
    (void)state;
    check_set((double[3]){0.8, 0.8, 0.8}, true, false);
}

static void runs_by_rows(void **state)
{
    (void)state;
    check_set((double[3]){300, 1.5, 1.5}, false, true);
}

static void runs_by_search(void **state)
{
    (void)state;
    check_set((double[3]){5, 6, 7}, false, false);
}

// Few points with small radii beside large ones: cells as wide as those reach would nearly all be empty.
static void cells_of_few_points_grow(void **state)
{
    (void)state;
    mote_random random = {8};
    double xyz[3 * POINTS], radii[POINTS];
    for (int i = 0; i < 3 * POINTS; ++i) xyz[i] = mote_random_unit(&random);
    for (int i = 0; i < POINTS; ++i) radii[i] = i % 10 ? 0.001 : 0.2;
    class_sort sort;
    mote_neighbors *search = sort_points(xyz, radii, &sort);
    CHECK(sort.class_count == 2, "%u classes", sort.class_count);
    double small = sort.classes[0].frame.edge, large = sort.classes[1].frame.edge;
    CHECK(small > 0.05 && small <= 0.4 && large < 0.21, "cells of %g and %g", small, large);
    mote_class_sort_release(NULL, &sort);
    mote_neighbors_destroy(search);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_by_starts),
        cmocka_unit_test(runs_by_rows),
        cmocka_unit_test(runs_by_search),
        cmocka_unit_test(cells_of_few_points_grow),
    };
    RUN_TESTS(tests, argc, argv);
}
