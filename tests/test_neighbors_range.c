// SPDX-License-Identifier: MIT
// Neighbours at the ends of the number range: coordinates, radii and periods of any size, by every method, against an
// oracle that goes through all images in numbers so wide that nothing overflows, underflows or rounds on the way. What
// it counts are the pairs that the definition's own test, in the points' precision, finds.

#include <float.h>
#include <math.h>

#include "mote/neighbors.h"
#include "neighbors_range/cases.h"
#include "support/cloud.h"
#include "support/test.h"
#include "support/wide_number.h"

enum { QUERIES = 6, SEEDS = SANITIZED ? 36 : 120 };

typedef struct setting {
    uint64_t seed;
    mote_neighbors_def def;
    mote_neighbors *search;
    cloud set, queries;
    brute_row brute;
} setting;

static bool has(const setting *s, uint32_t feature)
{
    return (s->def.features & feature) != 0;
}

static bool is_f64(const setting *s)
{
    return has(s, MOTE_NEIGHBORS_F64);
}

// -------------------------------------------------------------------------------------------------------- the oracle

static double round_to(const setting *s, wide_number x)
{
    return is_f64(s) ? (double)x : (double)(float)x;
}

// The definition's difference and squared distance.
static double test_difference(const setting *s, const double *xi, const double *xj, const double shift[3], double d[3])
{
    if (is_f64(s)) {
        for (int k = 0; k < 3; ++k) d[k] = (xj[k] - xi[k]) + shift[k];
        return (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    }
    volatile float f[3];
    for (int k = 0; k < 3; ++k) {
        f[k] = (float)xj[k] - (float)xi[k];
        f[k] = f[k] + (float)shift[k];
        d[k] = (double)f[k];
    }
    const float xx = f[0] * f[0], yy = f[1] * f[1], zz = f[2] * f[2], sum = xx + yy;
    return (double)(sum + zz);
}

static double reach_of(const setting *s, double mine, double other)
{
    if (!has(s, MOTE_NEIGHBORS_RADII) || s->def.radius_rule == MOTE_RADIUS_MINE) return mine;
    if (s->def.radius_rule == MOTE_RADIUS_LARGER) return mine > other ? mine : other;
    return is_f64(s) ? mine + other : (double)((float)mine + (float)other);
}

static wide_number wide_size(wide_number x)
{
    return x < 0 ? -x : x;
}

static wide_number dot(const wide_number a[3], const wide_number b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

// All images of d that can be within `reach`: the periods along each edge by the edge's part that no other edge has.
static void find_images(const setting *s, const wide_number d[3], double reach, int32_t low[3], int32_t high[3])
{
    const double *edges = &s->def.period[0].x;
    for (int a = 0; a < 3; ++a) {
        wide_number normal[3], first[3] = {0}, margin = 0;
        low[a] = high[a] = 0;
        for (int k = 0; k < 3; ++k) normal[k] = edges[3 * a + k];
        if (!has(s, MOTE_NEIGHBORS_PERIODIC) || !(dot(normal, normal) > 0)) continue;
        for (int b = a + 1; b < a + 3; ++b) {  // less what lies along the others, of the second less the first
            wide_number other[3];
            for (int k = 0; k < 3; ++k) other[k] = edges[3 * (b % 3) + k];
            if (!(dot(other, other) > 0)) continue;
            if (dot(first, first) > 0) {
                const wide_number share = dot(other, first) / dot(first, first);
                for (int k = 0; k < 3; ++k) other[k] -= share * first[k];
            }
            const wide_number share = dot(normal, other) / dot(other, other);
            for (int k = 0; k < 3; ++k) normal[k] -= share * other[k], first[k] = other[k];
        }
        wide_number edge[3];
        for (int k = 0; k < 3; ++k) {
            edge[k] = edges[3 * a + k];
            margin += edge[k] != 0 || edges[k] != 0 || edges[3 + k] != 0 || edges[6 + k] != 0 ? wide_size(d[k]) : 0;
        }
        const wide_number along = dot(edge, normal), middle = -dot(d, normal) / along;
        double size[3], largest = 0;  // the normal's, which is the height as well
        for (int k = 0; k < 3; ++k) largest = fmax(largest, fabs((double)normal[k]));
        for (int k = 0; k < 3; ++k) size[k] = (double)normal[k] / largest;
        const wide_number height =
            (wide_number)largest * sqrt((size[0] * size[0] + size[1] * size[1]) + size[2] * size[2]);
        const wide_number span = ((wide_number)reach + margin * (is_f64(s) ? 0x1p-50 : 0x1p-21)) / height * 1.1 + 1;
        CHECK(span < 1000 && wide_size(middle) < 0x1p30, "seed %d: too many images", (int)s->seed);
        low[a] = (int32_t)(middle - span) - 1;
        high[a] = (int32_t)(middle + span) + 1;
    }
}

static void add_hit(brute_row *row, brute_hit hit)
{
    if (row->count == row->room) {
        row->room = 2 * row->room + 64;
        row->hits = realloc(row->hits, row->room * sizeof *row->hits);
    }
    row->hits[row->count++] = hit;
}

static void find_row(setting *s, const double at[3], double radius, uint32_t self)
{
    const double *edges = &s->def.period[0].x;
    s->brute.count = 0;
    for (uint32_t j = 0; j < s->set.count; ++j) {
        const double *xj = s->set.xyz + 3 * (size_t)j, reach = reach_of(s, radius, s->set.radii[j]);
        const double limit = is_f64(s) ? reach * reach : (double)((float)reach * (float)reach);
        wide_number d[3];
        int32_t low[3], high[3], k[3];
        for (int a = 0; a < 3; ++a) d[a] = (wide_number)xj[a] - at[a];
        find_images(s, d, reach, low, high);
        for (k[0] = low[0]; k[0] <= high[0]; ++k[0])
            for (k[1] = low[1]; k[1] <= high[1]; ++k[1])
                for (k[2] = low[2]; k[2] <= high[2]; ++k[2]) {
                    brute_hit hit = {.index = j, .shift = {k[0], k[1], k[2]}};
                    double shift[3];
                    for (int n = 0; n < 3; ++n)
                        shift[n] = round_to(s, ((wide_number)k[0] * edges[n] + (wide_number)k[1] * edges[3 + n]) +
                                                   (wide_number)k[2] * edges[6 + n]);
                    hit.squared = test_difference(s, at, xj, shift, hit.d);
                    const bool is_self = j == self && k[0] == 0 && k[1] == 0 && k[2] == 0;
                    if (hit.squared <= limit && !is_self) add_hit(&s->brute, hit);
                }
    }
}

// -------------------------------------------------------------------------------------------------------- comparing

static void check_row(const setting *s, mote_row row, const char *what)
{
    CHECK(row.count == s->brute.count, "%s, seed %d: %s: row %u has %u neighbours, expected %zu", s->def.method,
          (int)s->seed, what, row.index, row.count, s->brute.count);
    for (size_t k = 0; k < row.count; ++k) {
        const brute_hit *hit = &s->brute.hits[k];
        bool same = row.indices[k] == hit->index;
        for (size_t a = 0; a < 3; ++a) {
            same &= !row.shifts || row.shifts[3 * k + a] == hit->shift[a];
            same &= !row.differences || (double)row.differences[3 * k + a] == hit->d[a];
            same &= !row.differences_f64 || row.differences_f64[3 * k + a] == hit->d[a];
        }
        CHECK(same, "%s, seed %d: %s: row %u differs at %zu", s->def.method, (int)s->seed, what, row.index, k);
    }
}

static void update(setting *s)
{
    if (has(s, MOTE_NEIGHBORS_RADII))
        CHECK_OK(mote_neighbors_update_radii(s->search, s->set.points, s->set.own_radii, cloud_radius_stride(&s->set),
                                             NULL));
    else
        CHECK_OK(mote_neighbors_update(s->search, s->set.points, NULL));
    CHECK_OK(mote_neighbors_validate(s->search, NULL));
}

static double radius_of(const setting *s, const cloud *from, uint32_t i)
{
    return has(s, MOTE_NEIGHBORS_RADII) ? from->radii[i] : s->def.radius;
}

static void check_rows(setting *s)
{
    mote_lists lists;
    uint32_t subset[MOST_POINTS];
    CHECK_OK(mote_neighbors_lists(s->search, &lists, NULL));
    for (uint32_t i = 0; i < s->set.count; ++i) {
        find_row(s, s->set.xyz + 3 * (size_t)i, radius_of(s, &s->set, i), i);
        check_row(s, mote_lists_row(&lists, i), "lists");
        subset[i] = i;
    }
    if (has(s, MOTE_NEIGHBORS_SUBSET)) {
        CHECK_OK(mote_neighbors_subset(s->search, subset, s->set.count, &lists, NULL));
        for (uint32_t i = 0; i < s->set.count; i += 3) {
            find_row(s, s->set.xyz + 3 * (size_t)i, radius_of(s, &s->set, i), i);
            check_row(s, mote_lists_row(&lists, i), "subset");
        }
    }
    if (!has(s, MOTE_NEIGHBORS_QUERY)) return;
    if (has(s, MOTE_NEIGHBORS_RADII))
        CHECK_OK(mote_neighbors_query_radii(s->search, s->queries.points, s->queries.own_radii,
                                            cloud_radius_stride(&s->queries), &lists, NULL));
    else
        CHECK_OK(mote_neighbors_query(s->search, s->queries.points, &lists, NULL));
    for (uint32_t i = 0; i < QUERIES; ++i) {
        find_row(s, s->queries.xyz + 3 * (size_t)i, radius_of(s, &s->queries, i), UINT32_MAX);
        check_row(s, mote_lists_row(&lists, i), "query");
    }
}

// The k nearest of all methods that have them, to the last bit and shift, with all_pairs'.
static void check_nearest(setting *s)
{
    if (!has(s, MOTE_NEIGHBORS_NEAREST)) return;
    static const uint32_t counts[] = {1, 4, 30};
    mote_neighbors_def def = s->def;
    mote_neighbors *oracle;
    def.method = "all_pairs";
    CHECK_OK(mote_neighbors_create(NULL, &def, &oracle, NULL));
    if (has(s, MOTE_NEIGHBORS_RADII))
        CHECK_OK(
            mote_neighbors_update_radii(oracle, s->set.points, s->set.own_radii, cloud_radius_stride(&s->set), NULL));
    else
        CHECK_OK(mote_neighbors_update(oracle, s->set.points, NULL));
    for (int n = 0; n < 6; ++n) {
        const mote_points *queries = n < 3 || !has(s, MOTE_NEIGHBORS_QUERY) ? NULL : &s->queries.points;
        mote_lists expected, found;
        CHECK_OK(mote_neighbors_nearest(oracle, queries, counts[n % 3], &expected, NULL));
        CHECK_OK(mote_neighbors_nearest(s->search, queries, counts[n % 3], &found, NULL));
        CHECK(expected.total == found.total, "%s, seed %d: %d nearest, expected %d", s->def.method, (int)s->seed,
              (int)found.total, (int)expected.total);
        for (uint32_t i = 0; i < expected.count; ++i) {
            const mote_row a = mote_lists_row(&expected, i), b = mote_lists_row(&found, i);
            bool same = a.count == b.count && memcmp(a.indices, b.indices, a.count * sizeof *a.indices) == 0;
            same &= !a.shifts || memcmp(a.shifts, b.shifts, 3 * a.count * sizeof *a.shifts) == 0;
            CHECK(same, "%s, seed %d: %u nearest: row %u", s->def.method, (int)s->seed, counts[n % 3], i);
        }
    }
    mote_neighbors_destroy(oracle);
}

// ----------------------------------------------------------------------------------------------------------- points

// A number of any size that the scalar has: 0, the greatest, powers of two between.
static double any_number(mote_random *random, bool f64)
{
    const double sign = mote_random_below(random, 2) ? -1 : 1;
    if (mote_random_below(random, 8) == 0) return 0;
    if (mote_random_below(random, 8) == 0) return sign * (f64 ? DBL_MAX : (double)FLT_MAX);
    const int low = f64 ? -1074 : -149, high = f64 ? 1023 : 127;
    return sign * ldexp(1 + mote_random_unit(random), low + (int)mote_random_below(random, (uint32_t)(high - low)));
}

// A legal radius of any size.
static double any_radius(mote_random *random, bool f64, int room)
{
    const int low = f64 ? -480 : -50, high = (f64 ? 510 : 62) - room;
    if (mote_random_below(random, 6) == 0) return ldexp(1, mote_random_below(random, 2) ? low : high);
    return ldexp(1 + 0.9 * mote_random_unit(random), low + (int)mote_random_below(random, (uint32_t)(high - low)));
}

// Points of any size, many of them about a radius away from another one.
static cloud make_cloud(const setting *s, mote_random *random, size_t count, const cloud *beside)
{
    double *xyz = malloc((3 * count + 1) * sizeof *xyz), *radii = malloc((count + 1) * sizeof *radii);
    const double *edges = &s->def.period[0].x;
    for (size_t i = 0; i < count; ++i) {
        const bool is_near = mote_random_below(random, 3) > 0 && (i > 0 || beside);
        const double *from = is_near && beside ? beside->xyz + 3 * mote_random_below(random, (uint32_t)beside->count)
                             : is_near         ? xyz + 3 * mote_random_below(random, (uint32_t)i)
                                               : NULL;
        radii[i] = mote_random_below(random, 2) ? s->def.radius : s->def.radius * ldexp(1, -(int)(i % 5));
        for (int k = 0; k < 3; ++k) {
            double x = any_number(random, is_f64(s));
            if (from) x = from[k] + s->def.radius * (2 * mote_random_unit(random) - 1);
            if (from && mote_random_below(random, 4) == 0) x = from[k];
            const double period = fmax(fabs(edges[k]), fmax(fabs(edges[3 + k]), fabs(edges[6 + k])));
            if (period > 0 && !from) x = 40 * period * (mote_random_unit(random) - 0.5);
            if (mote_random_below(random, 50) == 0 && period > 0) x += 1e5 * period;
            xyz[3 * i + (size_t)k] =
                is_f64(s) ? fmax(fmin(x, DBL_MAX), -DBL_MAX) : fmax(fmin(x, (double)FLT_MAX), -(double)FLT_MAX);
        }
    }
    return cloud_make(is_f64(s) ? MOTE_F64 : MOTE_F32, s->set.points.dimensions, count, xyz, radii);
}

// Edges about as long as the radius: along the axes, or slanted, with one axis or two or none left open.
static void make_box(setting *s, mote_random *random, int dimensions)
{
    const double length = s->def.radius * ldexp(0.5 + mote_random_unit(random), (int)mote_random_below(random, 6));
    const bool slanted = mote_random_below(random, 2);
    double *edges = &s->def.period[0].x;
    const int open = (int)mote_random_below(random, 4);
    for (int a = 0; a < dimensions; ++a) {
        if (a == open) continue;
        for (int k = 0; k < dimensions; ++k) {
            const bool is_flat = k == open && mote_random_below(random, 3) > 0;
            const double lean = slanted && !is_flat ? 0.6 * (mote_random_unit(random) - 0.5) : 0;
            edges[3 * a + k] = length * (k == a ? 1 + 0.3 * mote_random_unit(random) : lean);
        }
    }
}

static void check_seed(const mote_neighbors_method_info *info, uint64_t seed, uint32_t always)
{
    mote_error error = {0};
    const uint32_t choice = MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_SKIN | MOTE_NEIGHBORS_QUERY |
                            MOTE_NEIGHBORS_SUBSET | MOTE_NEIGHBORS_NEAREST;
    mote_random random = {seed};
    setting s = {.seed = seed, .def = mote_neighbors_default_def()};
    s.def.method = info->name;
    s.def.features = ((uint32_t)mote_random_next(&random) & choice & info->features) | always;
    s.def.features |= MOTE_NEIGHBORS_ASCENDING | MOTE_NEIGHBORS_DIFFERENCES;
    s.def.radius_rule = (mote_radius_rule)mote_random_below(&random, 3);
    s.def.radius = any_radius(&random, is_f64(&s), 2);
    if (has(&s, MOTE_NEIGHBORS_RADII)) s.def.radius = fmax(s.def.radius, ldexp(1, is_f64(&s) ? -470 : -40));
    if (!is_f64(&s)) s.def.radius = (double)(float)s.def.radius;
    s.def.skin = s.def.radius;
    const int dimensions = 1 + (int)mote_random_below(&random, 3);
    if (always & MOTE_NEIGHBORS_PERIODIC) make_box(&s, &random, dimensions);
    s.set.points.dimensions = dimensions;
    s.set = make_cloud(&s, &random, 1 + mote_random_below(&random, MOST_POINTS - 1), NULL);
    s.queries = make_cloud(&s, &random, QUERIES, &s.set);
    CHECK_OK(mote_neighbors_create(NULL, &s.def, &s.search, &error));
    mote_result result =
        has(&s, MOTE_NEIGHBORS_RADII)
            ? mote_neighbors_update_radii(s.search, s.set.points, s.set.own_radii, cloud_radius_stride(&s.set), &error)
            : mote_neighbors_update(s.search, s.set.points, &error);
    // Slanted edges may bring a point that is far off along an open coordinate too many periods away.
    if (result == MOTE_OK && has(&s, MOTE_NEIGHBORS_QUERY) && (always & MOTE_NEIGHBORS_PERIODIC)) {
        mote_lists lists;
        if (has(&s, MOTE_NEIGHBORS_NEAREST))
            result = mote_neighbors_nearest(s.search, &s.queries.points, 1, &lists, &error);
        if (result == MOTE_ERROR_UNSUPPORTED) result = MOTE_OK;
        if (!has(&s, MOTE_NEIGHBORS_NEAREST)) s.def.features &= ~(uint32_t)MOTE_NEIGHBORS_QUERY;
    }
    CHECK(result == MOTE_OK || (result == MOTE_ERROR_ARGUMENT && (always & MOTE_NEIGHBORS_PERIODIC)), "%s, seed %d: %s",
          info->name, (int)seed, error.text);
    for (int step = 0; step < 2 && result == MOTE_OK; ++step) {
        update(&s);
        check_rows(&s);
        check_nearest(&s);
        if (!has(&s, MOTE_NEIGHBORS_SKIN)) break;
        for (size_t i = 0; i < s.set.count; ++i) s.set.xyz[3 * i] += 0.2 * s.def.skin;
        for (size_t k = 0; k < 3 * s.set.count; ++k)
            s.set.xyz[k] = fmax(fmin(s.set.xyz[k], is_f64(&s) ? DBL_MAX : (double)FLT_MAX), -DBL_MAX);
        cloud_refresh(&s.set);
    }
    mote_neighbors_destroy(s.search);
    cloud_free(&s.set);
    cloud_free(&s.queries);
    free(s.brute.hits);
}

static int seeds(void)
{
    return test_is_long() ? 100 * SEEDS : SEEDS;
}

static void check_methods(uint32_t always, int seed_count)
{
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m)
        for (int seed = 1; seed <= seed_count && info->exact && (info->features & always) == always; ++seed)
            check_seed(info, (uint64_t)seed, always);
}

static void points_of_any_size(void **state)
{
    (void)state;
    check_methods(0, seeds());
}

static void points_of_any_size_in_boxes(void **state)
{
    (void)state;
    check_methods(MOTE_NEIGHBORS_PERIODIC, seeds() / 6);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_of_any_size),
        cmocka_unit_test(points_of_any_size_in_boxes),
        cmocka_unit_test(a_point_far_along_an_open_axis),
        cmocka_unit_test(images_that_tie_far_off),
        cmocka_unit_test(an_outlier_costs_no_others_anything),
        cmocka_unit_test(an_outlier_periods_away_costs_no_others_anything),
        cmocka_unit_test(points_millions_of_periods_apart),
        cmocka_unit_test(differences_that_overflow),
        cmocka_unit_test(differences_that_overflow_in_boxes),
        cmocka_unit_test(periods_of_great_doubles),
        cmocka_unit_test(great_radii_and_a_skin),
        cmocka_unit_test(radii_without_an_exponent),
        cmocka_unit_test(more_nearest_than_points),
        cmocka_unit_test(shifts_are_rounded_once),
        cmocka_unit_test(a_small_period_decides),
        cmocka_unit_test(an_origin_that_overflows),
    };
    RUN_TESTS(tests, argc, argv);
}
