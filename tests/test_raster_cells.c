// SPDX-License-Identifier: MIT
// The cells that rasterised triangles visit, against clipping in long double; those that Ahmad's scan line skips; and
// pairs that rounding decides, against the distances that decide them.

#include "mesh/tested.h"
#include "raster/tested.h"
#include "support/test.h"

typedef long double real;

static double between(mote_random *random, double size)
{
    return (mote_random_unit(random) - 0.5) * size;
}

static double rounded(double x)
{
    return floor(4 * x + 0.5) / 4;
}

// Whether a triangle meets a closed box, by clipping it with one plane after the other.
static bool meets_box(const mote_vec3 corner[3], const real low[3], const real high[3])
{
    real polygon[12][3];
    for (int i = 0; i < 3; ++i) {
        polygon[i][0] = (real)corner[i].x;
        polygon[i][1] = (real)corner[i].y;
        polygon[i][2] = (real)corner[i].z;
    }
    int count = 3;
    for (int plane = 0; plane < 6 && count; ++plane) {
        const int axis = plane / 2;
        const real sign = plane % 2 ? -1 : 1, at = sign * (plane % 2 ? high[axis] : low[axis]);
        real kept[12][3];
        int kept_count = 0;
        for (int i = 0; i < count; ++i) {
            const real *a = polygon[i], *b = polygon[(i + 1) % count];
            const real da = sign * a[axis] - at, db = sign * b[axis] - at;
            if (da >= 0) memcpy(kept[kept_count++], a, sizeof kept[0]);
            if ((da < 0 && db > 0) || (da > 0 && db < 0)) {
                for (int k = 0; k < 3; ++k) kept[kept_count][k] = a[k] + da / (da - db) * (b[k] - a[k]);
                ++kept_count;
            }
        }
        memcpy(polygon, kept, sizeof polygon);
        count = kept_count;
    }
    return count > 0;
}

enum { SIDE = 10, CELLS = SIDE * SIDE * SIDE };

// A point in the middle of each of the cells 0 … SIDE − 1 of the raster's own frame.
static mote_raster *make_lattice(double (*points)[3])
{
    mote_raster *raster = NULL;
    CHECK_OK(mote_raster_create(NULL, 1, &raster, NULL));
    const double edge = 1 + 0x1p-18;
    for (int i = 0; i < CELLS; ++i) {
        points[i][0] = (i % SIDE + 0.5) * edge;
        points[i][1] = (i / SIDE % SIDE + 0.5) * edge;
        points[i][2] = (i / SIDE / SIDE + 0.5) * edge;
    }
    CHECK_OK(mote_raster_update(raster, mote_points_xyz_f64(&points[0][0], CELLS), NULL));
    CHECK(raster->frame.edge == edge && raster->frame.anchor[0] == 0, "another frame");
    CHECK(mote_raster_get_stats(raster).cells == CELLS, "not a cell each");
    return raster;
}

// Corners anywhere, on a lattice of quarters of cells, or close together.
static void put_triangle(mote_random *random, mote_vec3 corner[3])
{
    const double edge = 1 + 0x1p-18, size = ldexp(SIDE, -(int)mote_random_below(random, 6));
    const bool on_faces = mote_random_below(random, 4) == 0;
    const mote_vec3 at = {mote_random_unit(random) * SIDE, mote_random_unit(random) * SIDE,
                          mote_random_unit(random) * SIDE};
    for (int k = 0; k < 3; ++k) {
        corner[k] =
            mote_vec3_add(at, mote_vec3_make(between(random, size), between(random, size), between(random, size)));
        if (on_faces)
            corner[k] =
                mote_vec3_make(rounded(corner[k].x) * edge, rounded(corner[k].y) * edge, rounded(corner[k].z) * edge);
    }
}

typedef struct cell_tally {
    uint64_t tested, touched, visited, missed, needless;
} cell_tally;

// Cells as they are, or grown by a thickness on all sides.
static void tally_triangle(const mote_vec3 corners[3], double thickness, const bool *visited, cell_tally *tally)
{
    const real edge = 1 + 0x1p-18L, grown = (real)thickness;
    const mote_vec3 least = mote_vec3_min(corners[0], mote_vec3_min(corners[1], corners[2]));
    const mote_vec3 most = mote_vec3_max(corners[0], mote_vec3_max(corners[1], corners[2]));
    for (int i = 0; i < CELLS; ++i) {
        const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        real low[3], high[3];
        for (int k = 0; k < 3; ++k) low[k] = at[k] * edge - grown, high[k] = (at[k] + 1) * edge + grown;
        const bool apart = (real)least.x > high[0] || (real)least.y > high[1] || (real)least.z > high[2] ||
                           (real)most.x < low[0] || (real)most.y < low[1] || (real)most.z < low[2];
        const bool touched = !apart && meets_box(corners, low, high);
        tally->tested += !apart;
        tally->touched += touched;
        tally->visited += visited[i];
        tally->missed += touched && !visited[i];
        tally->needless += !touched && visited[i];
    }
}

// @param thickness  the largest; every triangle has its own, 0 for all if that is 0
static cell_tally tally_cells(bool scan_line, double thickness, size_t count)
{
    static double points[CELLS][3];
    static bool visited[CELLS];
    mote_raster *raster = make_lattice(points);
    mote_vec3 corner[3];
    uint32_t triangle[3] = {0, 1, 2};
    const mote_mesh mesh = {corner, triangle, 3, 1, NULL};
    mote_raster_query query = mote_raster_query_default();
    query.candidates = true;
    query.scan_line = scan_line;
    mote_raster_pairs pairs = {0};
    mote_random random = {7};
    cell_tally tally = {0};
    for (size_t t = 0; t < count; ++t) {
        put_triangle(&random, corner);
        query.thickness = thickness * mote_random_unit(&random);
        CHECK_OK(mote_raster_triangles(raster, &mesh, &query, &pairs, NULL));
        memset(visited, 0, sizeof visited);
        for (size_t k = 0; k < pairs.count; ++k) visited[pairs.pairs[k].second] = true;
        tally_triangle(corner, query.thickness, visited, &tally);
    }
    mote_raster_pairs_release(&pairs);
    mote_raster_destroy(raster);
    return tally;
}

// With MOTE_LONG_TESTS set, fifty times as many.
static size_t triangles_to_try(void)
{
    return SLOW_BUILD ? 1500 : getenv("MOTE_LONG_TESTS") ? 4000000 : 80000;
}

static void check_none_missed(double thickness, size_t count)
{
    const cell_tally tally = tally_cells(false, thickness, count);
    print_message("%llu cells tested, %llu touched, %llu needless\n", (unsigned long long)tally.tested,
                  (unsigned long long)tally.touched, (unsigned long long)tally.needless);
    CHECK(tally.tested > (SLOW_BUILD ? 20000u : 2000000u), "%llu", (unsigned long long)tally.tested);
    CHECK(tally.missed == 0, "%llu of %llu", (unsigned long long)tally.missed, (unsigned long long)tally.touched);
    CHECK(tally.needless <= tally.visited / 1000, "%llu of %llu", (unsigned long long)tally.needless,
          (unsigned long long)tally.visited);
}

static void no_touched_cell_is_missed(void **state)
{
    (void)state;
    check_none_missed(0, triangles_to_try());
}

static void no_cell_within_the_thickness_is_missed(void **state)
{
    (void)state;
    check_none_missed(2, triangles_to_try() / 2);
}

static void the_scan_line_misses_cells(void **state)
{
    (void)state;
    const cell_tally tally = tally_cells(true, 0, SLOW_BUILD ? 500 : 10000);
    print_message("%llu cells touched, %llu missed, %llu visited, %llu needless\n", (unsigned long long)tally.touched,
                  (unsigned long long)tally.missed, (unsigned long long)tally.visited,
                  (unsigned long long)tally.needless);
    CHECK(tally.missed > tally.touched / 3 && tally.missed < tally.touched / 2, "%llu of %llu",
          (unsigned long long)tally.missed, (unsigned long long)tally.touched);
}

// ----------------------------------------------------------------------------------------------------------- rounding

typedef enum thin_kind { WHOLE, SLIVER, FLAT } thin_kind;

// A triangle, and a point that is as far from it as the thickness, but for rounding.
static void put_near(mote_random *random, double size, thin_kind kind, double thickness, mote_vec3 corner[3],
                     double point[3])
{
    for (int k = 0; k < 3; ++k)
        corner[k] = mote_vec3_make(between(random, size), between(random, size), between(random, size));
    const mote_vec3 side = mote_vec3_sub(corner[1], corner[0]);
    const mote_vec3 normal = mote_vec3_unit(mote_vec3_cross(side, mote_vec3_sub(corner[2], corner[0])));
    if (kind != WHOLE) {
        const double height = kind == FLAT ? 0 : ldexp(1, -(int)mote_random_below(random, 46));
        corner[2] = mote_vec3_add_scaled(corner[0], side, mote_random_unit(random));
        corner[2] = mote_vec3_add_scaled(corner[2], mote_vec3_unit(mote_vec3_cross(normal, side)), height);
    }
    const double u = mote_random_unit(random), v = kind == FLAT ? 0 : (1 - u) * mote_random_unit(random);
    // The point stays within the unit cube, however large the triangle is.
    mote_vec3 on = mote_vec3_add_scaled(corner[0], side, u);
    on = mote_vec3_add_scaled(on, mote_vec3_sub(corner[2], corner[0]), v);
    const mote_vec3 off = {on.x - between(random, 1), on.y - between(random, 1), on.z - between(random, 1)};
    for (int k = 0; k < 3; ++k) corner[k] = mote_vec3_sub(corner[k], off);
    on = mote_vec3_add_scaled(mote_vec3_sub(on, off), normal, thickness * (1 - 1e-15));
    point[0] = on.x, point[1] = on.y, point[2] = on.z;
}

// As raster.h defines it.
static bool is_near(mote_triangle triangle, const double point[3], double thickness)
{
    const mote_vec3 p = {point[0], point[1], point[2]};
    double distance2 = mote_triangle_foot(triangle, p).distance2;
    if (mote_triangle_is_flat(triangle)) {
        distance2 = mote_raster_point_segment2(p, triangle.a, triangle.b);
        distance2 = MOTE_MIN(distance2, mote_raster_point_segment2(p, triangle.b, triangle.c));
        distance2 = MOTE_MIN(distance2, mote_raster_point_segment2(p, triangle.c, triangle.a));
    }
    return distance2 <= thickness * thickness;
}

// @return how many pairs there are
static size_t check_rounding(mote_random *random, double size, thin_kind kind, double thickness)
{
    enum { COUNT = 20 };
    double points[COUNT][3];
    mote_vec3 vertices[3 * COUNT];
    uint32_t triangles[3 * COUNT];
    for (size_t t = 0; t < COUNT; ++t) put_near(random, size, kind, thickness, vertices + 3 * t, points[t]);
    for (uint32_t k = 0; k < 3 * COUNT; ++k) triangles[k] = k;
    const mote_mesh mesh = {vertices, triangles, 3 * COUNT, COUNT, NULL};
    mote_raster *raster = NULL;
    CHECK_OK(mote_raster_create(NULL, ldexp(1e-4, (int)mote_random_below(random, 24) - 12), &raster, NULL));
    CHECK_OK(mote_raster_update(raster, mote_points_xyz_f64(&points[0][0], COUNT), NULL));
    mote_raster_query query = mote_raster_query_default();
    query.thickness = thickness;
    mote_raster_pairs pairs = {0};
    CHECK_OK(mote_raster_triangles(raster, &mesh, &query, &pairs, NULL));
    size_t found = 0;
    for (uint32_t t = 0; t < COUNT; ++t)
        for (uint32_t i = 0; i < COUNT; ++i) {
            const bool is_pair =
                found < pairs.count && pairs.pairs[found].first == t && pairs.pairs[found].second == i;
            found += is_pair;
            CHECK(is_pair == is_near(mote_mesh_triangle(&mesh, t), points[i], thickness),
                  "size %g, kind %d, thickness %a: triangle %u, point %u", size, (int)kind, thickness, t, i);
        }
    assert_int_equal(found, pairs.count);
    mote_raster_pairs_release(&pairs);
    mote_raster_destroy(raster);
    return found;
}

static void rounding_loses_no_pair(void **state)
{
    (void)state;
    mote_random random = {11};
    size_t found = 0, most = 0;
    for (int k = 0; k < (SLOW_BUILD ? 600 : 6000); ++k, most += 20) {
        const thin_kind kind = (thin_kind)(k % 3);
        const double size = kind == SLIVER || k % 2 ? 1 : 1e9;
        const double thickness = k % 5 ? ldexp(0.3, -(int)mote_random_below(&random, 30)) : 0;
        found += check_rounding(&random, size, kind, thickness);
    }
    CHECK(found > most / 10, "only %zu pairs", found);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_touched_cell_is_missed),
        cmocka_unit_test(no_cell_within_the_thickness_is_missed),
        cmocka_unit_test(the_scan_line_misses_cells),
        cmocka_unit_test(rounding_loses_no_pair),
    };
    RUN_TESTS(tests, argc, argv);
}
