// SPDX-License-Identifier: MIT
// Differences, periods and radii at the ends of what numbers can be.

#include <float.h>
#include <math.h>

#include "neighbors_range/cases.h"
#include "support/cloud.h"
#include "support/test.h"
#include "support/wide_number.h"

// A box of boxes: both gaps to it are infinite, and a query lies inside.
void differences_that_overflow(void **state)
{
    (void)state;
    const float x[3] = {1e37f, 1e37f, -FLT_MAX};
    const double x_f64[3] = {1e307, 1e307, -DBL_MAX};
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
        mote_neighbors_def def = mote_neighbors_default_def();
        def.radius = 1;
        CHECK(count_pairs(info->name, &def, mote_points_axes(x, NULL, NULL, 3)) == 2, "%s", info->name);
        def.features = MOTE_NEIGHBORS_F64;
        if (!(info->features & MOTE_NEIGHBORS_F64)) continue;
        CHECK(count_pairs(info->name, &def, mote_points_axes_f64(x_f64, NULL, NULL, 3)) == 2, "%s, double", info->name);
    }
}

// The same in periodic boxes, where shifts overflow, too: a sum of both that is not a number is no distance. Of those
// that are infinite the least shifts come first.
void differences_that_overflow_in_boxes(void **state)
{
    (void)state;
    static const double ends[] = {(double)FLT_MAX, 1e308, 1e308}, periods[] = {1e30, 1e308, 1e300};
    for (int kind = 0; kind < 3; ++kind)
        for (int axes = 1; axes <= 3; axes += 2)
            for (int m = 0; m < 2; ++m) {
                const double point[3] = {ends[kind], 0, 0}, query[3] = {-ends[kind], 0, 0}, period = periods[kind];
                const float point_f32[3] = {FLT_MAX, 0, 0}, query_f32[3] = {-FLT_MAX, 0, 0};
                const bool f64 = kind > 0;
                mote_neighbors_def def = mote_neighbors_default_def();
                def.method = m ? "cell_grid" : "all_pairs";
                def.radius = 1;
                def.features = MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_NEAREST | MOTE_NEIGHBORS_QUERY;
                if (f64) def.features |= MOTE_NEIGHBORS_F64;
                def.period[0].x = period;
                if (axes == 3) def.period[1].y = def.period[2].z = period;
                mote_neighbors *search;
                mote_lists lists;
                CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
                CHECK_OK(mote_neighbors_update(
                    search, f64 ? mote_points_xyz_f64(point, 1) : mote_points_xyz(point_f32, 1), NULL));
                const mote_points queries = f64 ? mote_points_xyz_f64(query, 1) : mote_points_xyz(query_f32, 1);
                CHECK_OK(mote_neighbors_query(search, queries, &lists, NULL));
                CHECK(lists.total == 0, "%s: %d within 1", def.method, (int)lists.total);
                CHECK_OK(mote_neighbors_nearest(search, &queries, 2, &lists, NULL));
                const mote_row row = mote_lists_row(&lists, 0);
                CHECK(row.count == 2, "%s, kind %d: %u nearest", def.method, kind, row.count);
                const int last = axes - 1;  // the shift that differs between the two
                CHECK(row.shifts[3 + last] == row.shifts[last] + 1, "%d", row.shifts[3 + last]);
                for (int before = 0; before < 2; ++before) {  // of the first, and of the one before it
                    const double x = (row.shifts[0] - before) * period;
                    const bool is_finite = f64 ? x > -HUGE_VAL : (float)x > -HUGE_VALF;
                    CHECK(is_finite == !before, "%s, kind %d: shift %d", def.method, kind, row.shifts[0]);
                }
                mote_neighbors_destroy(search);
            }
}

// Squares of differences beyond all doubles, across ten periods.
void periods_of_great_doubles(void **state)
{
    (void)state;
    static const double lengths[] = {2e153, 2e-100, 0x1p-470};
    const mote_neighbors_method_info *info;
    for (int l = 0; l < 3; ++l) {
        const double x[2] = {0, 10.25 * lengths[l]};
        mote_neighbors_def def = mote_neighbors_default_def();
        def.radius = 0.5 * lengths[l];
        def.features = MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_PERIODIC;
        def.period[0].x = lengths[l];
        for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m)
            if (info->features & MOTE_NEIGHBORS_PERIODIC)
                CHECK(count_pairs(info->name, &def, mote_points_axes_f64(x, NULL, NULL, 2)) == 2, "%s, %g", info->name,
                      lengths[l]);
    }
    mote_neighbors_def def = mote_neighbors_default_def();  // edges whose squares overflow, and underflow
    mote_neighbors *search;
    for (int l = 0; l < 2; ++l) {
        def.radius = l ? 1e-140 : 1e150;
        def.features = MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_PERIODIC;
        def.period[0].x = def.period[1].y = def.period[2].z = l ? 1e-145 : 1e200;
        CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
        mote_neighbors_destroy(search);
    }
}

// Radii as large as may be, and a skin that brings them beyond.
void great_radii_and_a_skin(void **state)
{
    (void)state;
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m)
        for (int rule = 0; rule < 3; ++rule)
            for (int large = 0; large < 2; ++large) {
                if (!(info->features & MOTE_NEIGHBORS_SKIN)) continue;
                const float radius = large ? 0x1p62f : 0x1p-50f;
                float x[4] = {0, 0.75f * radius, 1.75f * radius, 8 * radius};
                float radii[4] = {radius, radius, radius, radius};
                mote_neighbors_def def = mote_neighbors_default_def();
                def.method = info->name;
                def.features = MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_SKIN | MOTE_NEIGHBORS_QUERY;
                def.radius_rule = (mote_radius_rule)rule;
                def.skin = (double)radius;
                mote_neighbors *search;
                mote_lists lists;
                const mote_points points = mote_points_axes(x, NULL, NULL, 4);
                const uint64_t expected = rule == MOTE_RADIUS_SUM ? 6 : 4;
                CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
                CHECK_OK(mote_neighbors_update_radii(search, points, radii, sizeof *radii, NULL));
                CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
                CHECK(lists.total == expected, "%s: %d neighbours", info->name, (int)lists.total);
                CHECK_OK(mote_neighbors_query_radii(search, points, radii, sizeof *radii, &lists, NULL));
                CHECK(lists.total == expected + 4, "%s: %d neighbours of queries", info->name, (int)lists.total);
                mote_neighbors_destroy(search);
            }
}

// Radii that are not legal: `auto` looks at them before anybody else does.
void radii_without_an_exponent(void **state)
{
    mote_error error = {0};
    (void)state;
    static const float bad[] = {0, INFINITY, -1};
    float xyz[3 * MOST_POINTS] = {0}, radii[MOST_POINTS];
    for (int i = 0; i < MOST_POINTS; ++i) xyz[3 * i] = (float)i;
    for (int b = 0; b < 4; ++b) {
        for (int i = 0; i < MOST_POINTS; ++i) radii[i] = 1;
        radii[7] = b < 3 ? bad[b] : NAN;
        mote_neighbors_def def = mote_neighbors_default_def();
        def.features = MOTE_NEIGHBORS_RADII;
        mote_neighbors *search;
        CHECK_OK(mote_neighbors_create(NULL, &def, &search, &error));
        CHECK(mote_neighbors_update_radii(search, mote_points_xyz(xyz, MOST_POINTS), radii, sizeof *radii, &error) ==
                      MOTE_ERROR_ARGUMENT &&
                  error.index == 7,
              "radius %g", (double)radii[7]);
        mote_neighbors_destroy(search);
    }
}

// As many of the nearest as nobody has: the lists take what there are.
void more_nearest_than_points(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    float xyz[3 * COUNT];
    mote_random random = {3};
    for (int k = 0; k < 3 * COUNT; ++k) xyz[k] = (float)mote_random_unit(&random);
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m)
        for (uint32_t k = 1000000; k <= 100000000 && (info->features & MOTE_NEIGHBORS_NEAREST); k *= 100) {
            mote_context_def context_def = mote_context_default_def();
            context_def.max_bytes = 4 << 20;
            mote_context *context;
            CHECK_OK(mote_context_create(&context_def, &context, NULL));
            mote_neighbors_def def = mote_neighbors_default_def();
            def.method = info->name;
            def.radius = 1;
            def.features = MOTE_NEIGHBORS_NEAREST | MOTE_NEIGHBORS_QUERY |
                           (MOTE_NEIGHBORS_PERIODIC & info->features);  // every axis open
            mote_neighbors *search;
            mote_lists lists;
            const mote_points points = mote_points_xyz(xyz, COUNT), one = mote_points_xyz(xyz, 1);
            CHECK_OK(mote_neighbors_create(context, &def, &search, NULL));
            CHECK_OK(mote_neighbors_update(search, points, NULL));
            CHECK_OK(mote_neighbors_nearest(search, NULL, k, &lists, NULL));
            CHECK(lists.total == COUNT * (COUNT - 1), "%s: %d", info->name, (int)lists.total);
            CHECK_OK(mote_neighbors_nearest(search, &points, k, &lists, NULL));
            CHECK(lists.total == COUNT * COUNT, "%s: %d", info->name, (int)lists.total);
            CHECK_OK(mote_neighbors_update(search, one, NULL));
            CHECK_OK(mote_neighbors_nearest(search, NULL, k, &lists, NULL));
            CHECK(lists.total == 0, "%s: %d", info->name, (int)lists.total);
            CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, 0), NULL));
            CHECK_OK(mote_neighbors_nearest(search, &points, k, &lists, NULL));
            CHECK(lists.total == 0, "%s: %d", info->name, (int)lists.total);
            mote_neighbors_destroy(search);
            mote_context_destroy(context);
        }
}

// The whole sum of periods, rounded once: the differences of a lone point's images are their shifts.
void shifts_are_rounded_once(void **state)
{
    (void)state;
    mote_random random = {12};
    const mote_neighbors_method_info *info;
    for (int round = 0; round < 60; ++round) {
        mote_neighbors_def def = mote_neighbors_default_def();
        const bool f64 = round % 2;
        def.radius = 2.6;
        def.features = MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_DIFFERENCES | (f64 ? MOTE_NEIGHBORS_F64 : 0u);
        double *edges = &def.period[0].x;
        for (int e = 0; e < 9; ++e) edges[e] = (e % 4 ? 0.3 : 1) * (mote_random_unit(&random) + (e % 4 ? -0.5 : 1));
        const float origin[3] = {0, 0, 0};
        const double origin_f64[3] = {0, 0, 0};
        for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
            if (!(info->features & MOTE_NEIGHBORS_PERIODIC)) continue;
            def.method = info->name;
            mote_neighbors *search;
            mote_lists lists;
            CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
            const mote_points one = f64 ? mote_points_xyz_f64(origin_f64, 1) : mote_points_xyz(origin, 1);
            CHECK_OK(mote_neighbors_update(search, one, NULL));
            CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
            const mote_row row = mote_lists_row(&lists, 0);
            CHECK(row.count > 6, "%u images", row.count);
            for (size_t k = 0; k < row.count; ++k)
                for (size_t x = 0; x < 3; ++x) {
                    wide_number sum = 0;
                    for (size_t a = 0; a < 3; ++a) sum += (wide_number)row.shifts[3 * k + a] * edges[3 * a + x];
                    const double expected = f64 ? (double)sum : (double)(float)sum;
                    const double found = f64 ? row.differences_f64[3 * k + x] : (double)row.differences[3 * k + x];
                    CHECK(found == expected, "%s: %.17g, expected %.17g", info->name, found, expected);
                }
            mote_neighbors_destroy(search);
        }
    }
}

// A period so small beside another one that it only decides which way the sum of both is rounded: 3 (2^52 + 1) is half
// way between two doubles.
void a_small_period_decides(void **state)
{
    (void)state;
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m)
        for (int exponent = 948; exponent <= 969 && (info->features & MOTE_NEIGHBORS_PERIODIC); exponent += 21)
            for (int side = -1; side <= 1; side += 2) {
                mote_neighbors_def def = mote_neighbors_default_def();
                def.method = info->name;
                def.radius = 2;
                def.features = MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_F64;
                def.period[0].x = ldexp(0x1p52 + 1, exponent);
                def.period[1] = (mote_vec3){0x1p-1060, 1, 0};
                const double sum = 3 * 0x1p52 + (3 + side);
                const double xyz[6] = {0, 0, 0, -ldexp(sum, exponent), 0, 0};
                mote_neighbors *search;
                mote_lists lists;
                CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
                CHECK_OK(mote_neighbors_update(search, mote_points_xyz_f64(xyz, 2), NULL));
                CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
                const mote_row row = mote_lists_row(&lists, 0);
                bool has_it = false;
                for (size_t k = 0; k < row.count; ++k)
                    has_it |= row.indices[k] == 1 && row.shifts[3 * k] == 3 && row.shifts[3 * k + 1] == side;
                CHECK(has_it, "%s, 2^%d: no shift (3, %d) among %u", info->name, exponent, side, row.count);
                mote_neighbors_destroy(search);
            }
}

// A point within a few periods of the box, whose difference to the box's origin overflows.
void an_origin_that_overflows(void **state)
{
    (void)state;
    mote_neighbors_def def = mote_neighbors_default_def();
    def.features = MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_F64;
    def.radius = 1;
    def.period[0].x = 0x1p1022;
    const double xyz[3] = {0x1.8p1023, 0, 0};
    for (int far = 0; far < 2; ++far) {
        def.period_origin.x = far ? -0x1p1023 : 0;
        mote_neighbors *search;
        mote_error error;
        CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
        const mote_result result = mote_neighbors_update(search, mote_points_xyz_f64(xyz, 1), &error);
        CHECK(result == (far ? MOTE_ERROR_ARGUMENT : MOTE_OK), "%d", result);
        CHECK(!far || strstr(error.text, "overflows"), "%s", error.text);
        mote_neighbors_destroy(search);
    }
}
