// SPDX-License-Identifier: MIT
// Neighbours at or near the radius itself: closed and open balls, double points that floats cannot decide, queries that
// lie anywhere, and a radius that changes, of every method against a plain loop.

#include <math.h>

#include "mote/neighbors.h"
#include "support/points.h"
#include "support/test.h"

typedef struct border_set {
    bool f64, open;
    int dimensions;
    uint32_t count;
    double radius;
    double *xyz;  // three numbers a point
    float *f32;
} border_set;

static void free_set(border_set *set)
{
    free(set->xyz);
    free(set->f32);
}

static mote_points view(border_set *set)
{
    const size_t n = 3 * (size_t)set->count;
    mote_points points = mote_points_xyz_f64(set->xyz, set->count);
    if (!set->f64) {
        free(set->f32);
        set->f32 = malloc((n + 1) * sizeof *set->f32);
        for (size_t k = 0; k < n; ++k) set->f32[k] = (float)set->xyz[k];
        points = mote_points_xyz(set->f32, set->count);
    }
    points.dimensions = set->dimensions;
    return points;
}

// The test as neighbors.h defines it.
static bool are_near(const border_set *set, const double *a, const double *b)
{
    if (set->f64) {
        double d[3] = {0, 0, 0};
        for (int k = 0; k < set->dimensions; ++k) d[k] = b[k] - a[k];
        const double squared = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2], limit = set->radius * set->radius;
        return set->open ? squared < limit : squared <= limit;
    }
    float d[3] = {0, 0, 0};
    for (int k = 0; k < set->dimensions; ++k) d[k] = (float)b[k] - (float)a[k];
    const float squared = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    const float limit = (float)set->radius * (float)set->radius;
    return set->open ? squared < limit : squared <= limit;
}

// Compares a row, in any order, with a loop over all points.
static void check_row(const border_set *set, const double *at, uint32_t self, mote_row row, const char *what)
{
    uint32_t expected = 0, found = 0;
    for (uint32_t j = 0; j < set->count; ++j) expected += j != self && are_near(set, at, set->xyz + 3 * (size_t)j);
    for (uint32_t k = 0; k < row.count; ++k) {
        const uint32_t j = row.indices[k];
        CHECK(j < set->count && j != self && are_near(set, at, set->xyz + 3 * (size_t)j), "%s: %u in row %u", what, j,
              row.index);
        for (uint32_t m = 0; m < k; ++m) CHECK(row.indices[m] != j, "%s: %u twice in row %u", what, j, row.index);
        found += 1;
    }
    CHECK(found == expected, "%s: row %u has %u neighbours, expected %u", what, row.index, found, expected);
}

static mote_neighbors *make_search(const border_set *set, const mote_neighbors_method_info *info, uint32_t features)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = set->radius;
    def.method = info->name;
    def.open_ball = set->open;
    def.skin = set->radius / 8;
    def.features = features | (set->f64 ? (uint32_t)MOTE_NEIGHBORS_F64 : 0);
    if ((info->features & def.features) != def.features) return NULL;
    mote_neighbors *search;
    CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
    return search;
}

// All rows, rows of some points, and rows of queries, which are the points in another order and some far away.
static uint64_t check_search(border_set *set, mote_neighbors *search, uint32_t features, const char *name)
{
    mote_lists lists;
    CHECK_OK(mote_neighbors_update(search, view(set), NULL));
    CHECK_OK(mote_neighbors_validate(search, NULL));
    CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
    const uint64_t total = lists.total;
    for (uint32_t i = 0; i < set->count; ++i)
        check_row(set, set->xyz + 3 * (size_t)i, i, mote_lists_row(&lists, i), name);
    if (features & MOTE_NEIGHBORS_SUBSET) {
        uint32_t *wanted = malloc((2 * (size_t)set->count + 1) * sizeof *wanted), count = 0;
        for (uint32_t i = set->count; i-- > 0;)
            for (uint32_t k = 0; k < i % 3; ++k) wanted[count++] = i;  // none, one, or the same twice
        CHECK_OK(mote_neighbors_subset(search, wanted, count, &lists, NULL));
        for (uint32_t k = 0; k < count; ++k)
            check_row(set, set->xyz + 3 * (size_t)wanted[k], wanted[k], mote_lists_row(&lists, k), name);
        free(wanted);
    }
    if (!(features & MOTE_NEIGHBORS_QUERY)) return total;
    border_set queries = *set;
    queries.f32 = NULL;
    queries.xyz = malloc((3 * (size_t)set->count + 1) * sizeof *queries.xyz);
    for (size_t i = 0; i < set->count; ++i) {
        const double far = i % 7 == 3 ? set->radius * ldexp(1, (int)(i % 60)) : 0;
        for (size_t k = 0; k < 3; ++k) queries.xyz[3 * i + k] = set->xyz[3 * (set->count - 1 - i) + k] + far;
        if (!set->f64)
            for (size_t k = 0; k < 3; ++k) queries.xyz[3 * i + k] = (double)(float)queries.xyz[3 * i + k];
    }
    CHECK_OK(mote_neighbors_query(search, view(&queries), &lists, NULL));
    for (uint32_t i = 0; i < set->count; ++i)
        check_row(set, queries.xyz + 3 * (size_t)i, UINT32_MAX, mote_lists_row(&lists, i), name);
    free_set(&queries);
    return total;
}

// Of every method that offers these features; the totals of all.
static uint64_t check_methods(border_set *set, uint32_t features)
{
    const mote_neighbors_method_info *info;
    uint64_t total = 0;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
        mote_neighbors *search = info->exact ? make_search(set, info, features) : NULL;
        if (search) total = check_search(set, search, features, info->name);
        mote_neighbors_destroy(search);
    }
    return total;
}

// A lattice whose spacing is the radius.
static border_set make_lattice(int dimensions, int side, double radius, bool f64)
{
    border_set set = {.f64 = f64, .dimensions = dimensions, .radius = radius, .count = 1};
    for (int k = 0; k < dimensions; ++k) set.count *= (uint32_t)side;
    set.xyz = malloc(3 * (size_t)set.count * sizeof *set.xyz);
    for (int i = 0; i < (int)set.count; ++i) {
        const int at[3] = {i % side, i / side % side, i / side / side};
        for (int k = 0; k < 3; ++k) set.xyz[3 * i + k] = k < dimensions ? at[k] * radius : 0;
    }
    return set;
}

static void open_and_closed_balls(void **state)
{
    (void)state;
    static const double radii[] = {1, 0.1, 0.75, 0x1p-40, 3e18};
    static const uint32_t features[] = {0,
                                        MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_SUBSET,
                                        MOTE_NEIGHBORS_DISTANCES,
                                        MOTE_NEIGHBORS_DIFFERENCES | MOTE_NEIGHBORS_SUBSET | MOTE_NEIGHBORS_QUERY,
                                        MOTE_NEIGHBORS_SKIN | MOTE_NEIGHBORS_SUBSET | MOTE_NEIGHBORS_QUERY};
    for (size_t f = 0; f < sizeof features / sizeof *features; ++f)
        for (size_t r = 0; r < sizeof radii / sizeof *radii; r += SEEKS_RACES ? 4 : SANITIZED ? 2 : 1)
            for (int dimensions = 1; dimensions <= 3; dimensions += SEEKS_RACES ? 2 : 1)
                for (int f64 = 0; f64 < 2; ++f64) {
                    const double radius = f64 ? radii[r] : (double)(float)radii[r];
                    border_set set = make_lattice(dimensions, dimensions == 3 ? 5 : 11, radius, f64);
                    const uint64_t closed = check_methods(&set, features[f]);
                    set.open = true;
                    const uint64_t open = check_methods(&set, features[f]);
                    CHECK(open < closed, "radius %g: %llu and %llu", radius, (unsigned long long)open,
                          (unsigned long long)closed);
                    free_set(&set);
                }
}

// Points in pairs whose distance is the radius but for a few of the last bits of a double, far apart from each other.
static border_set make_pairs(mote_random *random, double radius, double extent, uint32_t pairs)
{
    border_set set = {.f64 = true, .dimensions = 3, .radius = radius, .count = 2 * pairs};
    set.xyz = malloc(6 * (size_t)pairs * sizeof *set.xyz);
    for (size_t p = 0; p < pairs; ++p) {
        double *a = set.xyz + 6 * p, *b = a + 3, d[3], length = 0;
        for (int k = 0; k < 3; ++k) {
            a[k] = extent * radius * (mote_random_unit(random) - 0.5);
            d[k] = mote_random_unit(random) - 0.5;
            length += d[k] * d[k];
        }
        const double off = ldexp(mote_random_unit(random) - 0.5, -(int)mote_random_below(random, 54));
        for (int k = 0; k < 3; ++k) b[k] = a[k] + d[k] / sqrt(length) * radius * (1 + off);
        if (p % 5 == 0) b[0] = a[0] + radius, b[1] = a[1], b[2] = a[2];
    }
    return set;
}

static void doubles_that_floats_cannot_decide(void **state)
{
    (void)state;
    mote_random random = {12};
    static const uint32_t features[] = {0, MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_SUBSET | MOTE_NEIGHBORS_DISTANCES,
                                        MOTE_NEIGHBORS_ASCENDING | MOTE_NEIGHBORS_QUERY};
    for (int power = 0; power <= 40; power += SEEKS_RACES ? 40 : SANITIZED ? 6 : 2)  // from 16 on no longer as floats
        for (size_t f = 0; f < sizeof features / sizeof *features; ++f) {
            const double radius = ldexp(1 + mote_random_unit(&random), (int)mote_random_below(&random, 900) - 450);
            border_set set = make_pairs(&random, radius, ldexp(1, power), 150);
            set.open = power % 4 == 0;
            const uint64_t total = check_methods(&set, features[f]);
            CHECK(total > 0, "extent 2^%d: no pairs", power);
            free_set(&set);
        }
}

static void radius_that_changes(void **state)
{
    (void)state;
    const mote_neighbors_method_info *info;
    static const uint32_t kinds[] = {0, MOTE_NEIGHBORS_F64, MOTE_NEIGHBORS_SKIN | MOTE_NEIGHBORS_QUERY};
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m)
        for (size_t f = 0; f < sizeof kinds / sizeof *kinds; ++f) {
            mote_error error;
            border_set set = make_lattice(3, 6, 1, kinds[f] & MOTE_NEIGHBORS_F64);
            mote_neighbors *search = info->exact ? make_search(&set, info, kinds[f]) : NULL;
            if (search) {
                mote_lists lists;
                check_search(&set, search, kinds[f], info->name);
                set.radius = 1.5;
                CHECK_OK(mote_neighbors_set_radius(search, set.radius, NULL));
                assert_int_equal(mote_neighbors_lists(search, &lists, &error), MOTE_ERROR_STATE);
                check_search(&set, search, kinds[f], info->name);
                assert_int_equal(mote_neighbors_set_radius(search, -1, &error), MOTE_ERROR_ARGUMENT);
                assert_non_null(strstr(error.text, "radius is -1"));
                check_search(&set, search, kinds[f], info->name);
            }
            mote_neighbors_destroy(search);
            free_set(&set);
        }
    mote_neighbors_def def = mote_neighbors_default_def();
    mote_neighbors *search;
    mote_error error;
    def.features = MOTE_NEIGHBORS_RADII;
    CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
    assert_int_equal(mote_neighbors_set_radius(search, 1, &error), MOTE_ERROR_UNSUPPORTED);
    mote_neighbors_destroy(search);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_and_closed_balls),
        cmocka_unit_test(doubles_that_floats_cannot_decide),
        cmocka_unit_test(radius_that_changes),
    };
    RUN_TESTS(tests, argc, argv);
}
