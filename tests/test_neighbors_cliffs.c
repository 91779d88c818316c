// SPDX-License-Identifier: MIT
// No cliffs: sets made to break a grid cost about what others do. Counted as distances tested and bytes held, never as
// time; every set is counted for auto and cell_grid, in float and in double.

#include <math.h>

#include "mote/neighbors.h"
#include "support/points.h"
#include "support/test.h"

enum { COUNT = SANITIZED ? 2000 : 20000, LARGE = 100000 };

static const double RADIUS = 0.1;  // of points in a unit cube

// What a search of a set costs.
typedef struct cost {
    double candidates, pairs;  // of a point
    size_t bytes;              // of the structure
} cost;

static cost count_cost(const char *method, mote_points points, double radius, const void *radii, uint32_t features)
{
    mote_context *context = test_context_with_threads(1);
    mote_neighbors_def def = mote_neighbors_default_def();
    def.method = method;
    def.radius = radius;
    def.features = features | (points.scalar == MOTE_F64 ? MOTE_NEIGHBORS_F64 : 0u);
    def.radius_rule = MOTE_RADIUS_LARGER;
    mote_neighbors *search;
    CHECK_OK(mote_neighbors_create(context, &def, &search, NULL));
    const ptrdiff_t size = points.scalar == MOTE_F64 ? sizeof(double) : sizeof(float);
    if (radii)
        CHECK_OK(mote_neighbors_update_radii(search, points, radii, size, NULL));
    else
        CHECK_OK(mote_neighbors_update(search, points, NULL));
    cost found = {.bytes = mote_neighbors_byte_count(search, NULL)};
    mote_lists lists;
    CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
    found.candidates = (double)mote_neighbors_get_counters(search).candidates / (double)points.count;
    found.pairs = (double)lists.total / (double)points.count;
    mote_neighbors_destroy(search);
    mote_context_destroy(context);
    return found;
}

// Calls `check` for both methods and types.
typedef void check_function(const char *method, mote_points points, const void *data);
static void for_methods_and_types(check_function *check, const float *xyz, size_t count, const void *data)
{
    double *wide = malloc(3 * count * sizeof *wide);
    for (size_t k = 0; k < 3 * count; ++k) wide[k] = (double)xyz[k];
    check("auto", mote_points_xyz(xyz, count), data);
    check("cell_grid", mote_points_xyz(xyz, count), data);
    check("auto", mote_points_xyz_f64(wide, count), data);
    check("cell_grid", mote_points_xyz_f64(wide, count), data);
    free(wide);
}

// At most some 7 times the pairs are looked at, as 27 cells around hold, and a few more where there are none.
static void expect_usual_work(const char *method, mote_points points, const void *data)
{
    cost found = count_cost(method, points, RADIUS, NULL, 0);
    CHECK(found.candidates <= 8 * found.pairs + 32, "%s, %s: %s: %g candidates for %g neighbours a point", method,
          points.scalar == MOTE_F64 ? "double" : "float", (const char *)data, found.candidates, found.pairs);
}

static void a_lone_outlier(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(1, COUNT, 3, 1);
    for (int k = 0; k < 3; ++k) xyz[3 * 77 + k] = 1e6f;
    for_methods_and_types(expect_usual_work, xyz, COUNT, "a lone outlier");
    xyz[3 * 77] = -1e30f;
    for_methods_and_types(expect_usual_work, xyz, COUNT, "an outlier that no table of cells reaches");
    free(xyz);
}

// A jittered lattice whose spacing divides the radius: cells begin between its layers wherever it lies. Cells that cut
// through layers hold points from corner to corner, and meet half as many candidates again.
static void a_lattice_that_fits_the_cells(void **state)
{
    (void)state;
    static const float corners[] = {0, 0.1f, -7.77f, 1e3f};
    enum { SIDE = SANITIZED ? 12 : 30 };
    enum { ALL = SIDE * SIDE * SIDE };
    float *jitter = test_points_uniform(8, ALL, 3, 0.2), *xyz = malloc(3 * ALL * sizeof *xyz);
    for (int c = 0; c < 4; ++c) {
        for (int i = 0; i < ALL; ++i) {
            const int whole[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
            for (int k = 0; k < 3; ++k) xyz[3 * i + k] = corners[c] + (float)whole[k] + jitter[3 * i + k];
        }
        cost found = count_cost("cell_grid", mote_points_xyz(xyz, ALL), 2, NULL, 0);
        CHECK(found.candidates < 90, "corner %g: %g candidates a point", (double)corners[c], found.candidates);
    }
    free(jitter);
    free(xyz);
}

static void far_from_the_origin(void **state)
{
    (void)state;
    static const float offsets[] = {-1e3f, 1e4f, 1e6f};
    for (int o = 0; o < 3; ++o) {
        float *xyz = test_points_uniform(2, COUNT, 3, 1);
        for (size_t k = 0; k < 3 * COUNT; ++k) xyz[k] = o == 2 ? offsets[o] + 50 * xyz[k] : offsets[o] + xyz[k];
        for_methods_and_types(expect_usual_work, xyz, COUNT, "far from the origin");
        free(xyz);
    }
}

// Where every pair is a neighbour, nothing else is left to look at.
static void expect_pairs_alone(const char *method, mote_points points, const void *data)
{
    cost found = count_cost(method, points, *(const double *)data, NULL, 0);
    CHECK(found.pairs == (double)points.count - 1, "%s: %g neighbours a point", method, found.pairs);
    CHECK(found.candidates <= (double)points.count, "%s: %g candidates a point", method, found.candidates);
}

static void all_points_in_one_cell(void **state)
{
    (void)state;
    enum { CROWD = 1000 };
    static const double radius = 0.5, huge = 1e6;
    float *xyz = test_points_uniform(3, CROWD, 3, 0.01);
    for (size_t k = 0; k < 3 * CROWD; ++k) xyz[k] += 0.1f;
    for_methods_and_types(expect_pairs_alone, xyz, CROWD, &radius);
    for_methods_and_types(expect_pairs_alone, xyz, CROWD, &huge);  // larger than everything
    free(xyz);
}

// Radii over four decades, the smallest far more often: for the larger of two the pairs are few.
static void expect_mixed_radii_to_be_cheap(const char *method, mote_points points, const void *data)
{
    const double *radii = data;
    float *narrow = malloc(points.count * sizeof *narrow);
    for (size_t i = 0; i < points.count; ++i) narrow[i] = (float)radii[i];
    const void *own = points.scalar == MOTE_F64 ? (const void *)radii : (const void *)narrow;
    cost found = count_cost(method, points, NAN, own, MOTE_NEIGHBORS_RADII);
    const double all = (double)points.count;
    CHECK(found.candidates <= 16 * found.pairs + 64 && found.candidates < all / 4,
          "%s: %g candidates for %g neighbours a point of %g", method, found.candidates, found.pairs, all);
    free(narrow);
}

static void mixed_radii(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(4, COUNT, 3, 1);
    double *radii = malloc(COUNT * sizeof *radii);
    mote_random random = {5};
    for (int i = 0; i < COUNT; ++i) radii[i] = (double)(float)(0.1 * pow(10, -4 * mote_random_unit(&random)));
    for_methods_and_types(expect_mixed_radii_to_be_cheap, xyz, COUNT, radii);
    for (int i = 0; i < COUNT; ++i) radii[i] = i % 1000 == 0 ? (double)0.1f : (double)1e-5f;
    for_methods_and_types(expect_mixed_radii_to_be_cheap, xyz, COUNT, radii);
    free(radii);
    free(xyz);
}

// Float points with one radius: at most 40 bytes a point without the lists; 50 where points are alone, each with about
// a cell of its own in the table, or in a tree.
static void bytes_a_point(void **state)
{
    (void)state;
    static const char *const methods[] = {"auto", "cell_grid"};
    float *uniform = test_points_uniform(6, LARGE, 3, 1), *lattice = malloc(3 * LARGE * sizeof *lattice);
    for (int i = 0; i < LARGE; ++i)
        for (int k = 0; k < 3; ++k)
            lattice[3 * i + k] = (float)((k == 0 ? i % 47 : k == 1 ? i / 47 % 47 : i / 47 / 47) + 0.1 * (i % 3));
    const double close = cbrt(30 / (4.19 * LARGE)), apart = 0.1 * close;
    for (int m = 0; m < 2; ++m)
        for (int outlier = 0; outlier < 2; ++outlier) {
            if (outlier) uniform[5] = lattice[5] = 1e6f;
            const size_t bytes[] = {count_cost(methods[m], mote_points_xyz(lattice, LARGE), 2, NULL, 0).bytes,
                                    count_cost(methods[m], mote_points_xyz(uniform, LARGE), close, NULL, 0).bytes,
                                    count_cost(methods[m], mote_points_xyz(uniform, LARGE), apart, NULL, 0).bytes};
            for (int k = 0; k < 3; ++k)
                CHECK(bytes[k] <= (k < 2 ? 40 : 50) * (size_t)LARGE, "%s, set %d, %d outliers: %.1f bytes a point",
                      methods[m], k, outlier, (double)bytes[k] / LARGE);
            uniform[5] = lattice[5] = 0.5f;
        }
    free(uniform);
    free(lattice);
}

// Distances tested for the k nearest of a point, in the unit cube: open, or periodic along all axes. Up to 32 are found
// in groups.
static double count_nearest(mote_points points, uint32_t k, bool is_periodic)
{
    mote_context *context = test_context_with_threads(1);
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = RADIUS;
    def.features = MOTE_NEIGHBORS_NEAREST | (points.scalar == MOTE_F64 ? MOTE_NEIGHBORS_F64 : 0u);
    if (is_periodic) {
        def.features |= MOTE_NEIGHBORS_PERIODIC;
        def.period[0].x = def.period[1].y = def.period[2].z = 1;
    }
    mote_neighbors *search;
    mote_lists lists;
    CHECK_OK(mote_neighbors_create(context, &def, &search, NULL));
    CHECK_OK(mote_neighbors_update(search, points, NULL));
    CHECK_OK(mote_neighbors_nearest(search, NULL, k, &lists, NULL));
    const double found = (double)mote_neighbors_get_counters(search).candidates / (double)points.count;
    mote_neighbors_destroy(search);
    mote_context_destroy(context);
    return found;
}

static void nearest_in_periodic_boxes(void **state)
{
    (void)state;
    float *xyz = test_points_uniform(5, COUNT, 3, 1);
    double *wide = malloc(3 * COUNT * sizeof *wide);
    for (size_t k = 0; k < 3 * COUNT; ++k) wide[k] = (double)xyz[k];
    const mote_points sets[] = {mote_points_xyz(xyz, COUNT), mote_points_xyz_f64(wide, COUNT)};
    for (int n = 0; n < 4; ++n) {
        const uint32_t k = n / 2 ? 40 : 8;
        const double open = count_nearest(sets[n % 2], k, false), periodic = count_nearest(sets[n % 2], k, true);
        CHECK(periodic <= (SANITIZED ? 2 : 1.5) * open, "scalar %d: %g candidates of %u nearest, in an open space %g",
              n % 2, periodic, k, open);
    }
    free(wide);
    free(xyz);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lone_outlier),
        cmocka_unit_test(a_lattice_that_fits_the_cells),
        cmocka_unit_test(far_from_the_origin),
        cmocka_unit_test(all_points_in_one_cell),
        cmocka_unit_test(mixed_radii),
        cmocka_unit_test(bytes_a_point),
        cmocka_unit_test(nearest_in_periodic_boxes),
    };
    RUN_TESTS(tests, argc, argv);
}
