// SPDX-License-Identifier: MIT
// Triangles that cut through each other: signs of determinants against wide integers, pairs against separating axes in
// integers, meshes against all pairs; and vertices where several fans meet.

#include <math.h>
#include <stdlib.h>

#include "mesh/tested.h"
#include "mote/mesh.h"
#include "support/test.h"

typedef struct whole {
    int64_t x, y, z;
} whole;

static mote_vec3 to_double(whole a)
{
    return (mote_vec3){(double)a.x, (double)a.y, (double)a.z};
}

static whole minus(whole a, whole b)
{
    return (whole){a.x - b.x, a.y - b.y, a.z - b.z};
}

static whole across(whole a, whole b)
{
    return (whole){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static bool is_nothing(whole a)
{
    return a.x == 0 && a.y == 0 && a.z == 0;
}

// ------------------------------------------------------------------------------------------------------------- signs

__extension__ typedef __int128 wide;

static int wide_side(whole a, whole b, whole c, whole d)
{
    const whole p = minus(a, d), q = minus(b, d), r = minus(c, d);
    const wide minor[3] = {(wide)q.x * r.y - (wide)q.y * r.x, (wide)r.x * p.y - (wide)r.y * p.x,
                           (wide)p.x * q.y - (wide)p.y * q.x};
    const wide sum = minor[0] * p.z + minor[1] * q.z + minor[2] * r.z;
    return (sum > 0) - (sum < 0);
}

static int64_t below(mote_random *random, int64_t n)
{
    return (int64_t)(mote_random_next(random) % (uint64_t)n);
}

// Points in a plane, or a unit beside it, far from the origin: doubles alone get most of these signs wrong.
static void signs_are_exact(void **state)
{
    (void)state;
    mote_random random = {5};
    size_t zeros = 0;
    for (int round = 0; round < 50000; ++round) {
        const int64_t size = (int64_t)1 << (3 + round % 30);
        whole p[4];
        for (int k = 0; k < 3; ++k)
            p[k] = (whole){below(&random, size) + size, below(&random, size), below(&random, size) - size};
        const whole u = minus(p[1], p[0]), v = minus(p[2], p[0]);
        const int64_t s = below(&random, 5) - 2, t = below(&random, 5) - 2, off = below(&random, 3) - 1;
        p[3] = (whole){p[0].x + s * u.x + t * v.x, p[0].y + s * u.y + t * v.y, p[0].z + s * u.z + t * v.z + off};
        const int expected = wide_side(p[0], p[1], p[2], p[3]);
        const int side = mote_side_of_plane(to_double(p[0]), to_double(p[1]), to_double(p[2]), to_double(p[3]));
        CHECK(side == expected, "round %d: side %d, expected %d", round, side, expected);
        zeros += expected == 0;
        const wide area = (wide)(p[0].x - p[3].x) * (p[1].y - p[3].y) - (wide)(p[0].y - p[3].y) * (p[1].x - p[3].x);
        const int turn = mote_side_of_line(to_double(p[0]), to_double(p[1]), to_double(p[3]), 0, 1);
        CHECK(turn == (area > 0) - (area < 0), "round %d: turn %d", round, turn);
    }
    CHECK(zeros > 10000, "%zu zeros", zeros);
    const mote_vec3 tiny[4] = {{1, 0, 0x1p-60}, {0, 1, -0x1p-60}, {-1, -1, 0x1p-180}, {0, 0, 0}};
    assert_int_equal(mote_side_of_plane(tiny[0], tiny[1], tiny[2], tiny[3]), 1);
}

// ------------------------------------------------------------------------------------------------------------- pairs

static int64_t dot(whole a, whole b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static bool separates(whole axis, const whole *a, int a_count, const whole *b, int b_count)
{
    if (is_nothing(axis)) return false;
    int64_t a_low = INT64_MAX, a_high = INT64_MIN, b_low = INT64_MAX, b_high = INT64_MIN;
    for (int k = 0; k < a_count; ++k) {
        const int64_t at = dot(axis, a[k]);
        a_low = at < a_low ? at : a_low, a_high = at > a_high ? at : a_high;
    }
    for (int k = 0; k < b_count; ++k) {
        const int64_t at = dot(axis, b[k]);
        b_low = at < b_low ? at : b_low, b_high = at > b_high ? at : b_high;
    }
    return a_high < b_low || b_high < a_low;
}

// Whether a segment or a triangle and a triangle meet: no plane lies between them that a face or two edges give.
static bool meet(const whole *a, int a_count, const whole b[3])
{
    const whole b_normal = across(minus(b[1], b[0]), minus(b[2], b[0]));
    const whole a_normal = a_count == 3 ? across(minus(a[1], a[0]), minus(a[2], a[0])) : (whole){0, 0, 0};
    if (separates(b_normal, a, a_count, b, 3) || separates(a_normal, a, a_count, b, 3)) return false;
    for (int i = 0; i < a_count; ++i) {
        const whole a_edge = minus(a[(i + 1) % a_count], a[i]);
        if (separates(across(b_normal, a_edge), a, a_count, b, 3)) return false;
        for (int k = 0; k < 3; ++k) {
            const whole b_edge = minus(b[(k + 1) % 3], b[k]);
            if (separates(across(a_edge, b_edge), a, a_count, b, 3)) return false;
            if (separates(across(b_normal, b_edge), a, a_count, b, 3)) return false;
        }
    }
    return true;
}

// By definition: beyond what both have, in integers.
static bool cross_by_axes(const whole one[3], const whole other[3])
{
    whole a[3], b[3];
    memcpy(a, one, sizeof a);
    memcpy(b, other, sizeof b);
    const whole a_normal = across(minus(a[1], a[0]), minus(a[2], a[0]));
    const whole b_normal = across(minus(b[1], b[0]), minus(b[2], b[0]));
    if (is_nothing(a_normal) || is_nothing(b_normal)) return false;
    int common = 0;
    for (int i = 0; i < 3; ++i)
        for (int k = common; k < 3; ++k)
            if (is_nothing(minus(a[i], b[k]))) {
                const whole mine = a[i], its = b[k];
                a[i] = a[common], b[k] = b[common], a[common] = mine, b[common] = its;
                ++common;
                break;
            }
    if (common == 3) return false;
    if (common == 2) {
        const whole turn = across(minus(b[1], b[0]), minus(b[2], b[0]));
        const whole mine = across(minus(a[1], a[0]), minus(a[2], a[0]));
        const bool is_swapped = !is_nothing(minus(a[0], b[0]));
        return is_nothing(across(turn, mine)) && (dot(turn, mine) > 0) != is_swapped;
    }
    if (common == 1) return meet(a + 1, 2, b) || meet(b + 1, 2, a);
    return meet(a, 3, b);
}

static void random_triangle(mote_random *random, int64_t size, whole corners[3])
{
    for (int k = 0; k < 3; ++k)
        corners[k] = (whole){below(random, size), below(random, size), below(random, size)};
}

static mote_triangle to_triangle(const whole corners[3])
{
    return (mote_triangle){to_double(corners[0]), to_double(corners[1]), to_double(corners[2])};
}

// On a grid so small that triangles touch, share corners and edges, and lie in a plane all the time.
static void pairs_as_by_separating_axes(void **state)
{
    (void)state;
    mote_random random = {8};
    size_t crossing = 0;
    const int rounds = getenv("MOTE_LONG_TESTS") ? 5000000 : 200000;
    for (int round = 0; round < rounds; ++round) {
        whole one[3], other[3];
        const int64_t size = 2 + round % 5;
        random_triangle(&random, size, one);
        random_triangle(&random, size, other);
        const bool expected = cross_by_axes(one, other);
        const mote_triangle a = to_triangle(one), b = to_triangle(other);
        CHECK(mote_triangles_cross(&a, &b) == expected && mote_triangles_cross(&b, &a) == expected,
              "round %d: expected %d", round, expected);
        crossing += expected;
    }
    CHECK(crossing > (size_t)rounds / 10 && crossing < (size_t)rounds * 9 / 10, "%zu of %d", crossing, rounds);
}

// ------------------------------------------------------------------------------------------------------------ meshes

static mote_mesh *make_soup(mote_context *context, size_t count, int64_t size, double scale, whole *corners)
{
    mote_random random = {count};
    mote_vec3 *vertices = malloc(3 * count * sizeof *vertices);
    uint32_t *triangles = malloc(3 * count * sizeof *triangles);
    for (size_t t = 0; t < count; ++t) {
        const whole at = {below(&random, size), below(&random, size), below(&random, size)};
        for (size_t k = 0; k < 3; ++k) {
            whole *corner = &corners[3 * t + k];
            *corner = (whole){at.x + below(&random, 4), at.y + below(&random, 4), at.z + below(&random, 4)};
            vertices[3 * t + k] = mote_vec3_scale(to_double(*corner), scale);
            triangles[3 * t + k] = (uint32_t)(3 * t + k);
        }
    }
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(context, vertices, 3 * count, triangles, count, &mesh, NULL));
    free(vertices), free(triangles);
    return mesh;
}

static void meshes_as_by_all_pairs(void **state)
{
    (void)state;
    static const double scales[] = {1, 0x1p-900, 0x1p600};
    const size_t counts[] = {1, 2, 5, 200, 300, SANITIZED ? 1200 : 3000};  // on few places many have the same corners
    for (int k = 0; k < 6; ++k)
        for (int s = SEEKS_RACES; s < 3; ++s) {  // s = 0 is one thread
            const size_t count = counts[k];
            whole *corners = malloc(3 * count * sizeof *corners);
            mote_context *context = test_context_with_threads(s == 1 ? 2 : s == 2 ? 5 : 1);
            mote_mesh *mesh = make_soup(context, count, k < 4 ? 2 : 16, scales[s], corners);
            mote_mesh_crossings expected = {0}, found;
            for (uint32_t i = 0; i < count; ++i)
                for (uint32_t j = i + 1; j < count; ++j)
                    if (cross_by_axes(corners + 3 * i, corners + 3 * j) && expected.count++ == 0)
                        expected.first[0] = i, expected.first[1] = j;
            CHECK_OK(mote_mesh_find_crossings(mesh, &found, NULL));
            CHECK(found.count == expected.count && found.first[0] == expected.first[0] &&
                      found.first[1] == expected.first[1],
                  "%zu triangles: %llu crossings, expected %llu", count, (unsigned long long)found.count,
                  (unsigned long long)expected.count);
            mote_mesh_destroy(mesh);
            mote_context_destroy(context);
            free(corners);
        }
}

static mote_mesh *make_from_corners(mote_context *context, const whole *corners, size_t count)
{
    mote_vec3 *vertices = malloc(3 * count * sizeof *vertices);
    uint32_t *triangles = malloc(3 * count * sizeof *triangles);
    for (size_t k = 0; k < 3 * count; ++k) vertices[k] = to_double(corners[k]), triangles[k] = (uint32_t)k;
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(context, vertices, 3 * count, triangles, count, &mesh, NULL));
    free(vertices), free(triangles);
    return mesh;
}

// Most triangles have an edge or a corner in common, some two such edges, and many lie on each other.
static void crowds_as_by_all_pairs(void **state)
{
    (void)state;
    enum { COUNT = SANITIZED ? 300 : 700 };
    const whole ends[4] = {{3, 3, 3}, {3, 4, 5}, {6, 0, 3}, {0, 2, 1}};
    mote_context *context = test_context_with_threads(2);
    whole *corners = malloc(3 * COUNT * sizeof *corners);
    for (int kind = 0; kind < 6; ++kind) {
        mote_random random = {(uint64_t)kind};
        mote_mesh_crossings expected = {0}, found;
        for (size_t t = 0; t < COUNT; ++t) {
            whole *own = corners + 3 * t;
            random_triangle(&random, kind % 2 ? 7 : 5, own);
            const size_t turn = t % 3;
            if (kind < 4 || t % 2) own[turn] = ends[0];                         // all, or half of them, have a corner
            if (kind < 2 || (kind == 4 && t % 4 == 1)) own[(turn + 1) % 3] = ends[1];  // … and an edge
            if (kind == 3 && t % 5 < 3) own[(turn + 2) % 3] = ends[1 + t % 3];   // three edges at a place
        }
        for (uint32_t i = 0; i < COUNT; ++i)
            for (uint32_t j = i + 1; j < COUNT; ++j)
                if (cross_by_axes(corners + 3 * i, corners + 3 * j) && expected.count++ == 0)
                    expected.first[0] = i, expected.first[1] = j;
        mote_mesh *mesh = make_from_corners(context, corners, COUNT);
        CHECK_OK(mote_mesh_find_crossings(mesh, &found, NULL));
        CHECK(found.count == expected.count && found.first[0] == expected.first[0] &&
                  found.first[1] == expected.first[1],
              "kind %d: %llu crossings from %u, %u on, expected %llu from %u, %u on", kind,
              (unsigned long long)found.count, found.first[0], found.first[1], (unsigned long long)expected.count,
              expected.first[0], expected.first[1]);
        CHECK(found.count > 100, "kind %d: %llu crossings", kind, (unsigned long long)found.count);
        mote_mesh_destroy(mesh);
    }
    free(corners);
    mote_context_destroy(context);
}

// Thousands around an edge, around a place, and around both: few pairs are looked at for each triangle. Around both,
// long triangles of the edge are seen in the directions of many at the place, a fiftieth of all: that share is not
// avoided (120 a triangle among 6,000).
static void crowds_are_not_looked_at_in_pairs(void **state)
{
    (void)state;
    enum { COUNT = SANITIZED ? 2000 : 6000 };
    const int64_t far = 1 << 20;
    whole *corners = malloc(3 * COUNT * sizeof *corners);
    for (int kind = 0; kind < 3; ++kind) {
        mote_random random = {(uint64_t)kind + 1};
        for (size_t t = 0; t < COUNT; ++t) {
            whole at = {below(&random, 2 * far), below(&random, 2 * far), below(&random, 2 * far)};
            at = minus(at, (whole){far, far, far});
            whole *own = corners + 3 * t;
            own[0] = (whole){1, 2, 3}, own[1] = at, own[2] = (whole){-far, -far, 7};
            if (kind > 0) own[2] = (whole){at.x + below(&random, 999), at.y + below(&random, 999), at.z + 9};
            if (kind == 2 && t % 2) own[2] = (whole){far, 5, far};  // both
        }
        mote_mesh *mesh = make_from_corners(NULL, corners, COUNT);
        mote_mesh_crossings found;
        uint64_t examined;
        CHECK_OK(mote_mesh_count_crossings(mesh, &found, &examined));
        const uint64_t most = (kind < 2 ? 80 : 200) * (uint64_t)COUNT;
        CHECK(examined < most, "kind %d: %llu questions for %d triangles", kind,
              (unsigned long long)examined, COUNT);
        mote_mesh_destroy(mesh);
    }
    free(corners);
}

static mote_mesh *make_balls(const mote_sphere *balls, size_t count)
{
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create_spheres(NULL, balls, count, 0.1, &mesh, NULL));
    return mesh;
}

static void balls_apart_and_within_each_other(void **state)
{
    (void)state;
    const mote_sphere apart[2] = {{{0, 0, 0}, 1}, {{0.1, 0, 0}, 0.5}}, meeting[2] = {{{0, 0, 0}, 1}, {{1, 0, 0}, 1}};
    mote_mesh *mesh = make_balls(apart, 2);
    mote_mesh_crossings found;
    CHECK_OK(mote_mesh_find_crossings(mesh, &found, NULL));
    assert_int_equal(found.count, 0);
    mote_mesh_destroy(mesh);
    mesh = make_balls(meeting, 2);
    CHECK_OK(mote_mesh_find_crossings(mesh, &found, NULL));
    CHECK(found.count > 50, "%llu crossings", (unsigned long long)found.count);
    assert_true(found.first[0] < mesh->triangle_count / 2 && found.first[1] >= mesh->triangle_count / 2);
    mote_mesh_destroy(mesh);
}

// Two tetrahedra with one vertex in common, and with one edge.
static void fans_are_counted(void **state)
{
    (void)state;
    const mote_vec3 vertices[7] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    uint32_t triangles[24] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 0, 4, 5, 0, 5, 6, 0, 6, 4, 4, 6, 5};
    mote_mesh *mesh;
    mote_mesh_report report;
    mote_mesh_crossings found;
    CHECK_OK(mote_mesh_create(NULL, vertices, 7, triangles, 8, &mesh, NULL));
    CHECK_OK(mote_mesh_examine(mesh, &report, NULL));
    assert_int_equal(report.non_manifold_vertices, 1);
    assert_true(report.closed);
    CHECK_OK(mote_mesh_find_crossings(mesh, &found, NULL));
    assert_int_equal(found.count, 0);
    mesh->triangle_count = 4;
    CHECK_OK(mote_mesh_examine(mesh, &report, NULL));
    assert_int_equal(report.non_manifold_vertices, 0);
    mesh->triangle_count = 2;  // an open fan of two
    CHECK_OK(mote_mesh_examine(mesh, &report, NULL));
    assert_int_equal(report.non_manifold_vertices, 0);
    mesh->triangle_count = 8;
    for (int i = 12; i < 24; ++i) mesh->triangles[i] = mesh->triangles[i] == 4 ? 1 : mesh->triangles[i];
    CHECK_OK(mote_mesh_examine(mesh, &report, NULL));
    assert_int_equal(report.non_manifold_edges, 1);
    assert_int_equal(report.non_manifold_vertices, 0);
    mote_mesh_destroy(mesh);
}

// A mesh in which memory can run out anywhere; also one with fans.
static mote_result find_in_balls(mote_context *context, void *data)
{
    const mote_mesh *shape = data;
    mote_mesh *mesh = NULL;
    mote_mesh_crossings found;
    mote_mesh_report report;
    mote_result result = mote_mesh_create(context, shape->vertices, shape->vertex_count, shape->triangles,
                                          shape->triangle_count, &mesh, NULL);
    if (result == MOTE_OK) result = mote_mesh_find_crossings(mesh, &found, NULL);
    if (result == MOTE_OK) result = mote_mesh_examine(mesh, &report, NULL);
    mote_mesh_destroy(mesh);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    const mote_sphere ball = {{0, 0, 0}, 1};
    mote_mesh *mesh = make_balls(&ball, 1);
    test_failing_allocations(find_in_balls, mesh);
    mote_mesh_destroy(mesh);
    whole corners[3 * 200];
    for (int t = 0; t < 200; ++t) {
        corners[3 * t] = (whole){1, 1, 1}, corners[3 * t + 1] = (whole){9, t < 100 ? 0 : t, 0};
        corners[3 * t + 2] = (whole){0, t, 50};
    }
    mesh = make_from_corners(NULL, corners, 200);
    test_failing_allocations(find_in_balls, mesh);
    mote_mesh_destroy(mesh);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_are_exact),
        cmocka_unit_test(pairs_as_by_separating_axes),  // one thread
        cmocka_unit_test(meshes_as_by_all_pairs),
        cmocka_unit_test(crowds_as_by_all_pairs),
        cmocka_unit_test(crowds_are_not_looked_at_in_pairs),
        cmocka_unit_test(balls_apart_and_within_each_other),
        cmocka_unit_test(fans_are_counted),
        cmocka_unit_test(failing_allocations),
    };
    RUN_TESTS(tests, argc, argv);
}
