// SPDX-License-Identifier: MIT
// Points far off, along open axes or many periods away: what is found, and what it costs the others.

#include <float.h>
#include <math.h>

#include "neighbors_range/cases.h"
#include "support/cloud.h"
#include "support/test.h"

uint64_t count_pairs(const char *method, const mote_neighbors_def *box, mote_points points)
{
    mote_neighbors_def def = *box;
    def.method = method;
    mote_neighbors *search;
    mote_lists lists;
    CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
    CHECK_OK(mote_neighbors_update(search, points, NULL));
    CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
    const uint64_t total = lists.total;
    mote_neighbors_destroy(search);
    return total;
}

// Three points that are near each other, and one that is far off where no period brings it back.
void a_point_far_along_an_open_axis(void **state)
{
    (void)state;
    static const double away[] = {1e5, 1e10, 1e12, 1e20, 1e30, 1e300};
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m)
        for (int c = 0; c < 6; ++c)
            for (int slanted = 0; slanted < 2 && (info->features & MOTE_NEIGHBORS_PERIODIC); ++slanted) {
                double xyz[12] = {0, 0, away[c], 0.1, 0.2, 0.5, 0.2, 0.4, 0.5, 0.3, 0.6, 0.5};
                float narrow[12];
                for (int k = 0; k < 12; ++k) narrow[k] = (float)xyz[k];
                mote_neighbors_def def = mote_neighbors_default_def();
                def.radius = 1;
                def.features = MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_NEAREST | MOTE_NEIGHBORS_QUERY;
                def.period[0] = (mote_vec3){5, slanted ? 1 : 0, 0};
                def.period[1] = (mote_vec3){slanted ? -2 : 0, 5, 0};
                for (int f64 = 0; f64 < 2; ++f64) {
                    if (!f64 && away[c] > (double)FLT_MAX) continue;
                    def.features = (def.features & ~(uint32_t)MOTE_NEIGHBORS_F64) | (f64 ? MOTE_NEIGHBORS_F64 : 0u);
                    const mote_points points = f64 ? mote_points_xyz_f64(xyz, 4) : mote_points_xyz(narrow, 4);
                    CHECK(count_pairs(info->name, &def, points) == 6, "%s, %g", info->name, away[c]);
                    def.method = info->name;
                    mote_neighbors *search;
                    mote_lists lists;
                    CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
                    CHECK_OK(mote_neighbors_update(search, points, NULL));
                    CHECK_OK(mote_neighbors_nearest(search, NULL, 3, &lists, NULL));
                    CHECK(lists.total == 12, "%s, %g: %d nearest", info->name, away[c], (int)lists.total);
                    // Seen from there the others' images tie without number: the least index and shifts come first.
                    CHECK_OK(mote_neighbors_nearest(search, &points, 2, &lists, NULL));
                    CHECK(lists.total == 8, "%s, %g: %d nearest queries", info->name, away[c], (int)lists.total);
                    mote_neighbors_destroy(search);
                }
            }
}

// A query far above a slab: all images within the rounding of the distance tie, of which those of the first point with
// the least shifts are the nearest, as brute force has them.
void images_that_tie_far_off(void **state)
{
    (void)state;
    float xyz[6] = {1, 1, 0, 2, 3, 0}, far[3] = {0.5f, 0.5f, 3e5f};
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = 1;
    def.features = MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_NEAREST | MOTE_NEIGHBORS_QUERY;
    def.period[0].x = 4;
    def.period[1].y = 4;
    enum { AROUND = 40 };
    float least = HUGE_VALF;
    int32_t first[2] = {0, 0};
    for (int a = AROUND; a >= -AROUND; --a)
        for (int b = AROUND; b >= -AROUND; --b) {
            const float d[3] = {1 - far[0] + (float)(4 * a), 1 - far[1] + (float)(4 * b), 0 - far[2]};
            const float squared = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
            if (squared <= least) least = squared, first[0] = a, first[1] = b;
        }
    CHECK(first[0] < -10, "%d", (int)first[0]);
    for (int m = 0; m < 2; ++m) {
        def.method = m ? "cell_grid" : "all_pairs";
        {
            const mote_points queries = mote_points_xyz(far, 1);
            mote_neighbors *search;
            mote_lists lists;
            CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
            CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, 2), NULL));
            CHECK_OK(mote_neighbors_nearest(search, &queries, 1, &lists, NULL));
            const mote_row row = mote_lists_row(&lists, 0);
            CHECK(row.indices[0] == 0 && row.shifts[0] == first[0] && row.shifts[1] == first[1], "%s: %u (%d %d)",
                  def.method, row.indices[0], (int)row.shifts[0], (int)row.shifts[1]);
            mote_neighbors_destroy(search);
        }
    }
}

// What a far outlier costs the others: nothing, counted in distances.
void an_outlier_costs_no_others_anything(void **state)
{
    (void)state;
    enum { COUNT = SANITIZED ? 3000 : 10000 };
    static const float away[] = {50, 1e7f, 1e8f, 1e15f, 1e30f};
    float *xyz = malloc(3 * COUNT * sizeof *xyz);
    for (int slanted = 0; slanted < 2; ++slanted)
        for (int nearest = 0; nearest < 2; ++nearest) {
            double usual = 0;
            for (int c = 0; c < 5; ++c) {
                mote_random random = {4};
                const double size = 20 * cbrt(COUNT / 10000.0);
                for (int k = 0; k < 3 * COUNT; ++k) xyz[k] = (float)(size * mote_random_unit(&random));
                xyz[2] = away[c];
                mote_neighbors_def def = mote_neighbors_default_def();
                def.radius = 1;
                def.features = MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_NEAREST;
                def.period[0] = (mote_vec3){size, slanted ? 3 : 0, 0};
                def.period[1].y = size;
                mote_neighbors *search;
                mote_lists lists;
                CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
                CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, COUNT), NULL));
                CHECK_OK(nearest ? mote_neighbors_nearest(search, NULL, 8, &lists, NULL)
                                 : mote_neighbors_lists(search, &lists, NULL));
                const double each = (double)mote_neighbors_get_counters(search).candidates / COUNT;
                if (c == 0) usual = each;
                CHECK(each < 200 && each < 1.1 * usual + 5, "%d, outlier at %g: %g candidates a point, usually %g",
                      slanted, (double)away[c], each, usual);
                mote_neighbors_destroy(search);
            }
        }
    free(xyz);
}

// The same for a point many periods away along a periodic axis, whose place in the box rounding blurs or loses: its own
// row may read all points, the others' rows only this one.
void an_outlier_periods_away_costs_no_others_anything(void **state)
{
    (void)state;
    enum { COUNT = SANITIZED ? 3000 : 10000 };
    static const double away[] = {0, 1e3, 1e5, 3e5, 1e7, 4e8};
    double *xyz = malloc(3 * COUNT * sizeof *xyz);
    float *narrow = malloc(3 * COUNT * sizeof *narrow);
    for (int kind = 0; kind < 8; ++kind) {
        const bool slanted = kind & 1, nearest = kind & 2, f64 = kind & 4;
        double usual = 0;
        for (int c = 0; c < 6; ++c) {
            mote_random random = {4};
            const double size = 20 * cbrt(COUNT / 10000.0);
            for (int k = 0; k < 3 * COUNT; ++k) xyz[k] = size * mote_random_unit(&random);
            xyz[3 * 77] += away[c] * size;
            for (int k = 0; k < 3 * COUNT; ++k) narrow[k] = (float)xyz[k];
            mote_neighbors_def def = mote_neighbors_default_def();
            def.radius = 1;
            def.features = MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_NEAREST | (f64 ? MOTE_NEIGHBORS_F64 : 0u);
            def.period[0] = (mote_vec3){size, 0, 0};
            def.period[1] = (mote_vec3){slanted ? 3 : 0, size, 0};
            def.period[2].z = size;
            mote_neighbors *search;
            mote_lists lists;
            CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
            const mote_points points = f64 ? mote_points_xyz_f64(xyz, COUNT) : mote_points_xyz(narrow, COUNT);
            CHECK_OK(mote_neighbors_update(search, points, NULL));
            CHECK_OK(nearest ? mote_neighbors_nearest(search, NULL, 8, &lists, NULL)
                             : mote_neighbors_lists(search, &lists, NULL));
            const double each = (double)mote_neighbors_get_counters(search).candidates / COUNT;
            if (c == 0) usual = each;
            CHECK(each < 1.1 * usual + 50, "kind %d, %g periods: %g candidates a point, usually %g", kind, away[c],
                  each, usual);
            mote_neighbors_destroy(search);
        }
    }
    free(narrow);
    free(xyz);
}

// Floats a hundred million periods away, where each stands for dozens of periods, and points strewn over a million:
// work stays within some passes over all pairs, and what is found is what all_pairs finds.
void points_millions_of_periods_apart(void **state)
{
    (void)state;
    enum { COUNT = 120 };
    for (int kind = 0; kind < 3; ++kind) {
        float xyz[3 * COUNT];
        mote_random random = {6};
        for (int i = 0; i < 3 * COUNT; ++i) {
            xyz[i] = (float)(5 * mote_random_unit(&random));
            if (kind == 2) xyz[i] += 5 * (float)mote_random_below(&random, 1000000);
        }
        xyz[0] = kind < 2 ? 5 * 0x1p28f : xyz[0];
        xyz[4] = kind == 1 ? 5 * 0x1p25f : xyz[4];
        uint64_t totals[2][2];
        for (int m = 0; m < 2; ++m) {
            mote_neighbors_def def = mote_neighbors_default_def();
            def.method = m ? "cell_grid" : "all_pairs";
            def.radius = 0.9;
            def.features = MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_NEAREST | MOTE_NEIGHBORS_ASCENDING;
            def.period[0].x = def.period[1].y = def.period[2].z = 5;
            mote_neighbors *search;
            mote_lists lists;
            CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
            CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, COUNT), NULL));
            for (int nearest = 0; nearest < 2; ++nearest) {
                CHECK_OK(nearest ? mote_neighbors_nearest(search, NULL, 5, &lists, NULL)
                                 : mote_neighbors_lists(search, &lists, NULL));
                totals[m][nearest] = lists.total;
                for (size_t i = 0; i < lists.count; ++i)
                    for (uint32_t k = 0; k < lists.counts[i]; ++k)
                        totals[m][nearest] = totals[m][nearest] * 31 + lists.indices[lists.first[i] + k] +
                                             (uint64_t)lists.shifts[3 * (lists.first[i] + k)] * 7;
                const uint64_t candidates = mote_neighbors_get_counters(search).candidates;
                CHECK(candidates < 400 * COUNT * COUNT, "%s, kind %d: %llu candidates", def.method, kind,
                      (unsigned long long)candidates);
            }
            mote_neighbors_destroy(search);
        }
        CHECK(totals[0][0] == totals[1][0] && totals[0][1] == totals[1][1], "kind %d", kind);
    }
}
