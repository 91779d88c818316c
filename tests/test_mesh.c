// SPDX-License-Identifier: MIT
// Meshes: measures, placement, what is wrong with them, welding, winding numbers, and points spread over a surface.

#include "mesh/tested.h"
#include "support/shapes.h"
#include "support/test.h"

#define PI 3.14159265358979323846

static void measures_are_exact(void **state)
{
    (void)state;
    mote_mesh *cube = shape_cube(NULL, 3);
    CHECK(fabs(mote_mesh_area(cube) - 6) < 1e-12, "area %.17g", mote_mesh_area(cube));
    CHECK(fabs(mote_mesh_volume(cube) - 1) < 1e-12, "volume %.17g", mote_mesh_volume(cube));
    mote_box box = mote_mesh_box(cube);
    assert_true(box.min.x == 0 && box.min.y == 0 && box.min.z == 0 && box.max.x == 1 && box.max.y == 1 &&
                box.max.z == 1);
    mote_mesh_destroy(cube);

    mote_mesh *sphere = shape_sphere(NULL, 5);
    CHECK(fabs(mote_mesh_area(sphere) / (4 * PI) - 1) < 2e-3, "area %g", mote_mesh_area(sphere));
    CHECK(fabs(mote_mesh_volume(sphere) / (4 * PI / 3) - 1) < 2e-3, "volume %g", mote_mesh_volume(sphere));
    mote_mesh_destroy(sphere);
}

static void placement_scales_then_rotates_then_translates(void **state)
{
    (void)state;
    const mote_vec3 vertices[] = {{1, 2, 3}};
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(NULL, vertices, 1, NULL, 0, &mesh, NULL));
    mote_placement quarter_turns = {2, {90, 90, 90}, {10, 20, 30}};
    mote_mesh_place(mesh, &quarter_turns);
    // (2, 4, 6) about x: (2, -6, 4); about y: (4, -6, -2); about z: (6, 4, -2). Exact, to the bit.
    assert_true(mesh->vertices[0].x == 16 && mesh->vertices[0].y == 24 && mesh->vertices[0].z == 28);

    mesh->vertices[0] = vertices[0];
    mote_placement turn = {1, {-30, 405, 720}, {0, 0, 0}};
    mote_mesh_place(mesh, &turn);
    mote_vec3 p = {1, 2 * sqrt(0.75) + 1.5, 3 * sqrt(0.75) - 1};
    mote_vec3 expected = {(p.x + p.z) * sqrt(0.5), p.y, (p.z - p.x) * sqrt(0.5)};
    double off = mote_vec3_length(mote_vec3_sub(expected, mesh->vertices[0]));
    CHECK(off < 1e-14, "off by %g", off);
    mote_mesh_destroy(mesh);
}

static void vertex_normals_do_not_depend_on_tessellation(void **state)
{
    (void)state;
    mote_mesh *cube = shape_cube(NULL, 2), *sphere = shape_sphere(NULL, 3);
    mote_vec3 *normals = calloc(sphere->vertex_count, sizeof *normals);
    mote_mesh_vertex_normals(cube, normals);
    for (size_t i = 0; i < cube->vertex_count; ++i) {
        mote_vec3 p = cube->vertices[i];
        // Faces meet at the vertex that are those of the coordinates 0 and 1.
        mote_vec3 sum = {(p.x == 1) - (p.x == 0), (p.y == 1) - (p.y == 0), (p.z == 1) - (p.z == 0)};
        double off = mote_vec3_length(mote_vec3_sub(mote_vec3_unit(sum), normals[i]));
        CHECK(off < 1e-14, "vertex %zu of the cube: off by %g", i, off);
    }
    mote_mesh_vertex_normals(sphere, normals);
    for (size_t i = 0; i < sphere->vertex_count; ++i)
        CHECK(mote_vec3_dot(normals[i], sphere->vertices[i]) > 0.998, "vertex %zu of the sphere", i);
    free(normals);
    mote_mesh_destroy(cube);
    mote_mesh_destroy(sphere);
}

static void bad_arrays_are_refused(void **state)
{
    (void)state;
    mote_vec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    uint32_t triangles[] = {0, 1, 2, 2, 1, 3};
    mote_mesh *mesh;
    mote_error error;
    assert_int_equal(mote_mesh_create(NULL, vertices, 3, triangles, 2, &mesh, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(error.index, 1);
    assert_string_equal(error.text, "mesh: triangle 1 has vertex 3, expected below 3");
    vertices[2].y = (double)INFINITY;
    assert_int_equal(mote_mesh_create(NULL, vertices, 3, triangles, 1, &mesh, &error), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(error.index, 2);
    assert_int_equal(mote_mesh_create(NULL, vertices, SIZE_MAX, triangles, 1, &mesh, NULL), MOTE_ERROR_ARGUMENT);
}

// ---------------------------------------------------------------------------------------------------- topology

static mote_mesh_report examine(const mote_vec3 *vertices, size_t vertex_count, const uint32_t *triangles,
                                size_t triangle_count)
{
    mote_mesh *mesh;
    mote_mesh_report report;
    CHECK_OK(mote_mesh_create(NULL, vertices, vertex_count, triangles, triangle_count, &mesh, NULL));
    CHECK_OK(mote_mesh_examine(mesh, &report, NULL));
    mote_mesh_destroy(mesh);
    return report;
}

static const mote_vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {2, 0, 0}};

static void faults_are_counted(void **state)
{
    (void)state;
    const uint32_t closed[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    mote_mesh_report report = examine(corners, 4, closed, 4);
    assert_true(report.closed);
    assert_int_equal(report.components, 1);
    assert_int_equal(report.open_edges + report.non_manifold_edges + report.flipped_edges, 0);

    report = examine(corners, 4, closed, 3);
    assert_false(report.closed);
    assert_int_equal(report.open_edges, 3);

    const uint32_t flipped[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 3, 2};
    report = examine(corners, 4, flipped, 4);
    assert_false(report.closed);
    assert_int_equal(report.flipped_edges, 3);

    const uint32_t fin[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 0, 1, 4};
    report = examine(corners, 5, fin, 5);
    assert_false(report.closed);
    assert_int_equal(report.non_manifold_edges, 1);
    assert_int_equal(report.open_edges, 2);

    const uint32_t twice[] = {0, 1, 2, 0, 1, 3, 2, 0, 1, 0, 2, 1};
    report = examine(corners, 4, twice, 4);
    assert_int_equal(report.duplicates, 2);

    // A corner used twice, and three corners in a line: the first is as if it were not there.
    const uint32_t flat[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 1, 1, 2};
    report = examine(corners, 4, flat, 5);
    assert_true(report.closed);
    assert_int_equal(report.degenerate, 1);
    const uint32_t line[] = {0, 1, 5};
    report = examine(corners, 6, line, 1);
    assert_int_equal(report.degenerate, 1);

    report = examine(NULL, 0, NULL, 0);
    assert_false(report.closed);
    assert_int_equal(report.components, 0);
}

// All edges but those of triangles that use a vertex twice, ascending by key, then by number.
static void check_edges(const mote_mesh *mesh)
{
    mote_mesh_edges edges;
    CHECK_OK(mote_mesh_edges_build(mesh, &edges));
    size_t expected = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t *v = mesh->triangles + 3 * t;
        if (v[0] != v[1] && v[1] != v[2] && v[2] != v[0]) expected += 3;
    }
    CHECK(edges.count == expected, "%zu edges, expected %zu", edges.count, expected);
    for (size_t i = 0; i < edges.count; ++i) {
        const uint32_t number = edges.numbers[i], *v = mesh->triangles + number / 3 * 3;
        const uint64_t from = v[number % 3], to = v[(number + 1) % 3], low = from < to ? from : to;
        CHECK(edges.keys[i] == (low << 32 | (from + to - low)), "edge %zu, number %u", i, number);
        CHECK(i == 0 || edges.keys[i - 1] < edges.keys[i] ||
                  (edges.keys[i - 1] == edges.keys[i] && edges.numbers[i - 1] < number),
              "edges %zu and %zu", i - 1, i);
    }
    mote_mesh_edges_release(mesh, &edges);
}

// Of a sphere, whose vertices have few edges; of one with a vertex that every third triangle uses; of any triangles.
static void edges_stand_in_order(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 3; ++threads) {
        mote_context *context = test_context_with_threads(threads);
        for (int kind = 0; kind < 3; ++kind) {
            mote_mesh *mesh = shape_sphere(context, SANITIZED || kind ? 4 : 6);
            mote_random random = {7};
            for (size_t i = 0; i < 3 * mesh->triangle_count; ++i) {
                if (kind == 1 && i % 9 == 0) mesh->triangles[i] = 5;
                if (kind == 2) mesh->triangles[i] = mote_random_below(&random, (uint32_t)mesh->vertex_count / 8);
            }
            check_edges(mesh);
            mote_mesh_destroy(mesh);
        }
        mote_context_destroy(context);
    }
}

static void shapes_are_closed(void **state)
{
    (void)state;
    mote_mesh *shapes[] = {shape_cube(NULL, 1), shape_cube(NULL, 7), shape_sphere(NULL, 4), shape_spike(NULL),
                           shape_star(NULL)};
    for (int i = 0; i < 5; ++i) {
        mote_mesh_report report;
        CHECK_OK(mote_mesh_examine(shapes[i], &report, NULL));
        CHECK(report.closed && report.components == 1 && !report.degenerate && !report.duplicates, "shape %d", i);
        CHECK(mote_mesh_volume(shapes[i]) > 0, "shape %d", i);
        mote_mesh_destroy(shapes[i]);
    }
}

static void weld_joins_a_soup(void **state)
{
    (void)state;
    // Two triangles of a square, 0 written as −0 once, and a vertex that nobody uses.
    const mote_vec3 soup[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {5, 5, 5}, {-0.0, 0, -0.0}, {1, 1, 0}, {0, 1, 0}};
    const uint32_t triangles[] = {0, 1, 2, 4, 5, 6};
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(NULL, soup, 7, triangles, 2, &mesh, NULL));
    CHECK_OK(mote_mesh_weld(mesh, NULL));
    const uint32_t expected[] = {0, 1, 2, 0, 2, 3};
    assert_int_equal(mesh->vertex_count, 4);
    assert_memory_equal(mesh->triangles, expected, sizeof expected);
    assert_true(mesh->vertices[3].x == 0 && mesh->vertices[3].y == 1);
    mote_mesh_destroy(mesh);
}

// Each vertex joins the first one that was kept and is near; chains stay.
static void weld_within_a_tolerance(void **state)
{
    (void)state;
    const mote_vec3 vertices[] = {{9, 9, 9.0625}, {0, 0, 0}, {0.75, 0, 0}, {1.5, 0, 0}, {2.25, 0, 0},
                                  {0, 5, 0},      {9, 9, 9}, {0, 6, 0},    {-1, 0, 0}};
    const uint32_t triangles[] = {1, 3, 5, 2, 4, 5, 1, 2, 5, 4, 6, 8, 5, 7, 6};
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(NULL, vertices, 9, triangles, 5, &mesh, NULL));
    assert_int_equal(mote_mesh_weld_within(mesh, -1, NULL), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_mesh_weld_within(mesh, (double)NAN, NULL), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_mesh_weld_within(mesh, (double)INFINITY, NULL), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mesh->vertex_count, 9);
    CHECK_OK(mote_mesh_weld_within(mesh, 1, NULL));
    // 0.75 and -1 join 0, which is near; 2.25 joins 1.5; 6 joins 5; the first vertex, which nothing uses, takes none.
    const mote_vec3 kept[] = {{0, 0, 0}, {1.5, 0, 0}, {0, 5, 0}, {9, 9, 9}};
    const uint32_t left[] = {0, 1, 2, 0, 1, 2, 1, 3, 0};
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(mesh->triangle_count, 3);
    assert_memory_equal(mesh->vertices, kept, sizeof kept);
    assert_memory_equal(mesh->triangles, left, sizeof left);
    CHECK_OK(mote_mesh_weld_within(mesh, 100, NULL));
    assert_int_equal(mesh->vertex_count, 0);
    assert_int_equal(mesh->triangle_count, 0);
    CHECK_OK(mote_mesh_weld_within(mesh, 100, NULL));
    mote_mesh_destroy(mesh);
}

static double distance_between(mote_vec3 a, mote_vec3 b)
{
    return mote_vec3_length(mote_vec3_sub(b, a));
}

// Brute force: the first kept vertex within the tolerance, for coordinates and tolerances of all sizes.
static void weld_within_is_as_brute_force_has_it(void **state)
{
    (void)state;
    enum { COUNT = 600 };
    static const double sizes[][2] = {{1, 0.1}, {1, 1e-3}, {1e9, 1e-9}, {1e-200, 1e-201}, {1e200, 1e-200}, {1e90, 1e89},
                                      {3e-320, 5e-324}};
    mote_random random = {7};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        mote_vec3 vertices[COUNT], kept[COUNT];
        uint32_t triangles[COUNT];
        size_t kept_count = 0;
        for (uint32_t i = 0; i < COUNT; ++i) {
            double at[3];
            for (int k = 0; k < 3; ++k) {  // some on a lattice, so that many are at the same place
                const double share = mote_random_unit(&random) - 0.5;
                at[k] = sizes[s][0] * (i % 2 ? share : floor(4 * share) / 4);
            }
            vertices[i] = mote_vec3_make(at[0], at[1], at[2]);
            triangles[i] = i;
            size_t k = 0;
            while (k < kept_count && !(distance_between(mote_vec3_scale(kept[k], 1 / sizes[s][1]),
                                                        mote_vec3_scale(vertices[i], 1 / sizes[s][1])) <= 1) &&
                   !(distance_between(kept[k], vertices[i]) == 0))
                ++k;
            if (k == kept_count) kept[kept_count++] = vertices[i];
        }
        mote_mesh *mesh;
        CHECK_OK(mote_mesh_create(NULL, vertices, COUNT, triangles, COUNT / 3, &mesh, NULL));
        CHECK_OK(mote_mesh_weld_within(mesh, sizes[s][1], NULL));
        if (mesh->triangle_count == COUNT / 3) {  // else some of the kept ones are gone with theirs
            CHECK(mesh->vertex_count == kept_count, "%zu kept of size %g, expected %zu", mesh->vertex_count,
                  sizes[s][0], kept_count);
            for (size_t v = 0; v < kept_count; ++v)
                CHECK(distance_between(mesh->vertices[v], kept[v]) == 0, "vertex %zu of size %g", v, sizes[s][0]);
        }
        for (size_t v = 0; v < mesh->vertex_count; ++v)
            for (size_t w = 0; w < v; ++w)
                CHECK(distance_between(mesh->vertices[v], mesh->vertices[w]) > 0.999999 * sizes[s][1] ||
                      sizes[s][0] < 1e-100, "%zu and %zu of size %g", v, w, sizes[s][0]);
        mote_mesh_destroy(mesh);
    }
}

static mote_result weld_soup(mote_context *context, void *data)
{
    const mote_vec3 soup[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0.01, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 1.01, 0}};
    const uint32_t triangles[] = {0, 1, 2, 3, 4, 5, 4, 5, 6};
    mote_mesh *mesh;
    mote_result result = mote_mesh_create(context, soup, 7, triangles, 3, &mesh, NULL);
    if (result != MOTE_OK) return result;
    result = mote_mesh_weld_within(mesh, *(double *)data, NULL);
    CHECK(result == MOTE_OK || (mesh->vertex_count == 7 && mesh->triangle_count == 3), "half a mesh");
    mote_mesh_destroy(mesh);
    return result;
}

static void weld_survives_failing_allocations(void **state)
{
    (void)state;
    double tolerances[] = {0, 0.1};
    for (int k = 0; k < 2; ++k) test_failing_allocations(weld_soup, &tolerances[k]);
}

// ----------------------------------------------------------------------------------------------------- winding

static void winding_number_tells_inside(void **state)
{
    (void)state;
    mote_mesh *shapes[] = {shape_cube(NULL, 4), shape_sphere(NULL, 3), shape_star(NULL)};
    mote_random random = {2};
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 500; ++i) {
            double x = 3 * mote_random_unit(&random) - 1.5, y = 3 * mote_random_unit(&random) - 1.5,
                   z = 3 * mote_random_unit(&random) - 1.5;
            double winding = mote_mesh_winding_number(shapes[k], mote_vec3_make(x, y, z));
            CHECK(fabs(winding - round(winding)) < 1e-10, "shape %d at (%g, %g, %g): %.17g", k, x, y, z, winding);
            bool inside = fmin(fmin(x, y), z) > 0 && fmax(fmax(x, y), z) < 1;
            if (k == 0) CHECK((winding > 0.5) == inside, "cube at (%g, %g, %g): %g", x, y, z, winding);
            double radius = sqrt(x * x + y * y + z * z);
            if (k == 1 && fabs(radius - 1) > 0.02)
                CHECK((winding > 0.5) == (radius < 1), "sphere, radius %g: %g", radius, winding);
        }
        mote_mesh_destroy(shapes[k]);
    }
}

static void winding_number_is_that_of_solid_angles(void **state)
{
    (void)state;
    // From the centre of a cube each of its faces fills a sixth of the view, each triangle a twelfth.
    mote_mesh *cube = shape_cube(NULL, 1);
    cube->triangle_count = 1;
    double winding = mote_mesh_winding_number(cube, mote_vec3_make(0.5, 0.5, 0.5));
    cube->triangle_count = 12;
    CHECK(fabs(winding - 1.0 / 12) < 1e-14, "%.17g", winding);
    // Twice the same surface, then one of them inside out.
    mote_mesh *both;
    uint32_t triangles[72];
    memcpy(triangles, cube->triangles, 36 * sizeof(uint32_t));
    memcpy(triangles + 36, cube->triangles, 36 * sizeof(uint32_t));
    CHECK_OK(mote_mesh_create(NULL, cube->vertices, cube->vertex_count, triangles, 24, &both, NULL));
    winding = mote_mesh_winding_number(both, mote_vec3_make(0.3, 0.4, 0.8));
    CHECK(fabs(winding - 2) < 1e-13, "%.17g", winding);
    for (size_t t = 12; t < 24; ++t) {
        uint32_t swap = both->triangles[3 * t];
        both->triangles[3 * t] = both->triangles[3 * t + 1];
        both->triangles[3 * t + 1] = swap;
    }
    winding = mote_mesh_winding_number(both, mote_vec3_make(0.3, 0.4, 0.8));
    CHECK(fabs(winding) < 1e-13, "%.17g", winding);
    mote_mesh_destroy(both);
    mote_mesh_destroy(cube);
}

// ------------------------------------------------------------------------------------------------------ sample

static mote_vec3 sample_point(const mote_mesh_samples *samples, size_t i)
{
    return mote_vec3_make(samples->points[3 * i], samples->points[3 * i + 1], samples->points[3 * i + 2]);
}

static double nearest_sample(const mote_mesh_samples *samples, mote_vec3 p, size_t but)
{
    double nearest2 = HUGE_VAL;
    for (size_t i = 0; i < samples->count; ++i) {
        mote_vec3 apart = mote_vec3_sub(sample_point(samples, i), p);
        if (i != but) nearest2 = MOTE_MIN(nearest2, mote_vec3_dot(apart, apart));
    }
    return sqrt(nearest2);
}

static double distance_from_plane(const mote_mesh *mesh, uint32_t t, mote_vec3 p)
{
    mote_triangle triangle = mote_mesh_triangle(mesh, t);
    return fabs(mote_vec3_dot(mote_vec3_sub(p, triangle.a), mote_vec3_unit(mote_triangle_cross(triangle))));
}

// Density, least and mean distance between neighbours, the largest hole: all in units of the spacing.
static void check_samples(const char *name, mote_mesh *mesh, double spacing, double max_density_error)
{
    mote_mesh_samples samples;
    CHECK_OK(mote_mesh_sample(mesh, spacing, 1, &samples, NULL));
    double density = (double)samples.count * spacing * spacing / mote_mesh_area(mesh), least = HUGE_VAL, sum = 0,
           hole = 0;
    for (size_t i = 0; i < samples.count; ++i) {
        double nearest = nearest_sample(&samples, sample_point(&samples, i), i) / spacing;
        least = MOTE_MIN(least, nearest);
        sum += nearest;
        CHECK(distance_from_plane(mesh, samples.triangles[i], sample_point(&samples, i)) < 1e-12,
              "%s: sample %zu is not on its triangle", name, i);
    }
    mote_random random = {4};
    for (int i = 0; i < (SANITIZED ? 500 : 5000) && mesh->triangle_count; ++i) {
        mote_triangle triangle = mote_mesh_triangle(mesh, mote_random_below(&random, (uint32_t)mesh->triangle_count));
        double u = mote_random_unit(&random), v = mote_random_unit(&random) * (1 - u);
        mote_vec3 p = mote_vec3_add_scaled(triangle.a, mote_vec3_sub(triangle.b, triangle.a), u);
        p = mote_vec3_add_scaled(p, mote_vec3_sub(triangle.c, triangle.a), v);
        hole = MOTE_MAX(hole, nearest_sample(&samples, p, SIZE_MAX) / spacing);
    }
    print_message("%s: %zu samples, density %.3f, nearest neighbours from %.3f, mean %.3f, largest hole %.3f\n", name,
                  samples.count, density, least, sum / (double)samples.count, hole);
    CHECK(fabs(density - 1) < max_density_error, "%s: density %g", name, density);
    CHECK(least >= 0.7, "%s: two samples %g apart", name, least);
    CHECK(hole <= 1, "%s: a point %g from all samples", name, hole);
    mote_mesh_samples_release(&samples);
}

static void samples_are_even(void **state)
{
    (void)state;
    mote_mesh *sphere = shape_sphere(NULL, 5), *coarse = shape_cube(NULL, 1), *fine = shape_cube(NULL, 60);
    check_samples("sphere, fine triangles", sphere, 0.09, 0.03);
    check_samples("cube of 12 triangles", coarse, 0.05, 0.04);
    check_samples("cube of 43200 triangles", fine, 0.05, 0.04);
    mote_mesh_destroy(sphere);
    mote_mesh_destroy(coarse);
    mote_mesh_destroy(fine);
}

static void samples_miss_no_small_part(void **state)
{
    (void)state;
    mote_mesh *spike = shape_spike(NULL), *dot = shape_sphere(NULL, 1);
    check_samples("spike, much thinner than the spacing", spike, 0.05, HUGE_VAL);
    mote_placement small = {0.001, {0, 0, 0}, {0, 0, 0}};
    mote_mesh_place(dot, &small);
    check_samples("sphere, much smaller than the spacing", dot, 1, HUGE_VAL);
    mote_mesh_destroy(spike);
    mote_mesh_destroy(dot);
}

static void samples_depend_on_the_seed_alone(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 2, 5};
    mote_mesh_samples first, other;
    mote_mesh *mesh = shape_star(NULL);
    CHECK_OK(mote_mesh_sample(mesh, 0.1, 5, &first, NULL));
    for (int k = 0; k < 3; ++k) {
        mote_context *context = test_context_with_threads(threads[k]);
        mote_mesh *same = shape_star(context);
        CHECK_OK(mote_mesh_sample(same, 0.1, 5, &other, NULL));
        assert_int_equal(other.count, first.count);
        assert_memory_equal(other.points, first.points, 3 * first.count * sizeof(double));
        assert_memory_equal(other.triangles, first.triangles, first.count * sizeof(uint32_t));
        mote_mesh_samples_release(&other);
        mote_mesh_destroy(same);
        mote_context_destroy(context);
    }
    CHECK_OK(mote_mesh_sample(mesh, 0.1, 6, &other, NULL));
    assert_true(other.count != first.count ||
                memcmp(other.points, first.points, 3 * first.count * sizeof(double)) != 0);
    mote_mesh_samples_release(&other);
    mote_mesh_samples_release(&first);

    const double spacings[] = {0, -1, (double)NAN, HUGE_VAL, 1e-12};
    for (int k = 0; k < 5; ++k)
        assert_int_equal(mote_mesh_sample(mesh, spacings[k], 1, &other, NULL), MOTE_ERROR_ARGUMENT);
    mote_mesh_destroy(mesh);
}

static mote_result make_everything(mote_context *context, void *data)
{
    (void)data;
    const mote_vec3 soup[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const uint32_t triangles[] = {0, 1, 2, 3, 4, 5};
    mote_mesh *mesh;
    mote_result result = mote_mesh_create(context, soup, 6, triangles, 2, &mesh, NULL);
    if (result != MOTE_OK) return result;
    mote_mesh_report report;
    mote_mesh_samples samples = {0};
    result = mote_mesh_examine(mesh, &report, NULL);
    if (result == MOTE_OK) result = mote_mesh_weld(mesh, NULL);
    if (result == MOTE_OK) result = mote_mesh_sample(mesh, 0.05, 1, &samples, NULL);
    if (result == MOTE_OK) mote_mesh_samples_release(&samples);
    mote_mesh_destroy(mesh);
    return result;
}

// Of many sizes, in a crowded box that starts anywhere: all inside, none nearer to another than the gap.
static void spheres_keep_apart(void **state)
{
    (void)state;
    enum { COUNT = 400 };
    mote_spheres_def def = {COUNT, 0.03, 0.12, {{-3, 5, 0}, {-1.5, 6.5, 1.5}}, 0.01, 7};
    mote_sphere spheres[COUNT], again[COUNT];
    mote_error error;
    CHECK_OK(mote_spheres_arrange(NULL, &def, spheres, &error));
    CHECK_OK(mote_spheres_arrange(NULL, &def, again, &error));
    assert_memory_equal(spheres, again, sizeof spheres);
    for (int i = 0; i < COUNT; ++i) {
        const mote_sphere *s = &spheres[i];
        CHECK(s->radius >= 0.03 && s->radius <= 0.12 && (i == 0 || s->radius <= s[-1].radius), "radius %d: %g", i,
              s->radius);
        const double low[3] = {s->center.x + 3, s->center.y - 5, s->center.z};
        for (int k = 0; k < 3; ++k)
            CHECK(low[k] >= s->radius - 1e-12 && low[k] <= 1.5 - s->radius + 1e-12, "sphere %d leaves the box", i);
        for (int j = 0; j < i; ++j) {
            const double apart = mote_vec3_length(mote_vec3_sub(s->center, spheres[j].center));
            CHECK(apart >= s->radius + spheres[j].radius + 0.01 - 1e-12, "spheres %d and %d: %g apart", i, j, apart);
        }
    }
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create_spheres(NULL, spheres, COUNT, 0.036, &mesh, &error));
    mote_mesh_report report;
    CHECK_OK(mote_mesh_examine(mesh, &report, &error));
    CHECK(report.closed && report.components == COUNT, "%zu parts", report.components);
    CHECK(mesh->triangle_count > 160 * COUNT && mesh->triangle_count < 320 * COUNT, "%zu triangles",
          mesh->triangle_count);
    double expected = 0;
    for (int i = 0; i < COUNT; ++i) expected += 4 * PI / 3 * pow(spheres[i].radius, 3);
    const double share = mote_mesh_volume(mesh) / expected;
    CHECK(share > 0.93 && share < 1, "%g of the volume", share);
    double longest = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t)
        longest = fmax(longest, sqrt(mote_triangle_longest2(mote_mesh_triangle(mesh, t))));
    CHECK(longest <= 0.036, "an edge of %g", longest);
    mote_mesh_destroy(mesh);
}

// As many points as the area asks for, all on their sphere, none much nearer to another than a hexagonal lattice has
// them; and moved as a mesh is.
static void spheres_are_sampled_evenly(void **state)
{
    (void)state;
    mote_sphere spheres[2] = {{{1, 2, 3}, 0.5}, {{-1, 0, 0}, 0.004}};
    const mote_placement placement = {2, {0, 0, 90}, {0, 0, 1}};
    mote_spheres_place(spheres, 2, &placement);
    CHECK(spheres[0].center.x == -4 && spheres[0].center.y == 2 && spheres[0].center.z == 7 && spheres[0].radius == 1,
          "moved to %g, %g, %g", spheres[0].center.x, spheres[0].center.y, spheres[0].center.z);
    mote_mesh_samples samples;
    CHECK_OK(mote_spheres_sample(NULL, spheres, 2, 0.1, &samples, NULL));
    CHECK(samples.count == 1257 + 1 && samples.triangles[1256] == 0 && samples.triangles[1257] == 1, "%zu samples",
          samples.count);
    double nearest = INFINITY;
    for (size_t i = 0; i < samples.count; ++i) {
        const double *p = samples.points + 3 * i;
        const mote_sphere *s = &spheres[samples.triangles[i]];
        const mote_vec3 at = {p[0], p[1], p[2]};
        const double off = mote_vec3_length(mote_vec3_sub(at, s->center)) - s->radius;
        CHECK(fabs(off) < 1e-14, "sample %zu is %g off", i, off);
        for (size_t j = 0; j < i; ++j) {
            const double *q = samples.points + 3 * j;
            nearest = fmin(nearest, mote_vec3_length(mote_vec3_sub(at, mote_vec3_make(q[0], q[1], q[2]))));
        }
    }
    CHECK(nearest > 0.07, "two samples are %g apart", nearest);
    mote_mesh_samples_release(&samples);
}

static void spheres_that_do_not_fit(void **state)
{
    (void)state;
    const mote_spheres_def good = {20, 0.1, 0.2, {{0, 0, 0}, {1, 1, 1}}, 0, 1};
    mote_spheres_def bad[] = {good, good, good, good, good};
    bad[0].count = 1000;
    bad[1].box.max.y = 0.3;
    bad[2].radius_min = 0;
    bad[3].radius_max = 0.05;
    bad[4].gap = -1;
    static const char *const parts[] = {"no place for number", "along y", "radii from 0 ", "to 0.05 m", "a gap of -1"};
    mote_sphere spheres[1000];
    for (int k = 0; k < 5; ++k) {
        mote_error error = {0};
        CHECK(mote_spheres_arrange(NULL, &bad[k], spheres, &error) == MOTE_ERROR_ARGUMENT, "case %d", k);
        CHECK(strstr(error.text, parts[k]), "case %d: %s", k, error.text);
    }
    mote_mesh *mesh;
    assert_int_equal(mote_mesh_create_spheres(NULL, spheres, 1, 0, &mesh, NULL), MOTE_ERROR_ARGUMENT);
}

static mote_result make_spheres(mote_context *context, void *data)
{
    (void)data;
    const mote_spheres_def def = {5, 0.1, 0.2, {{0, 0, 0}, {1, 1, 1}}, 0, 1};
    mote_sphere spheres[5];
    mote_mesh *mesh = NULL;
    mote_result result = mote_spheres_arrange(context, &def, spheres, NULL);
    if (result == MOTE_OK) result = mote_mesh_create_spheres(context, spheres, 5, 0.1, &mesh, NULL);
    mote_mesh_samples samples;
    if (result == MOTE_OK) result = mote_spheres_sample(context, spheres, 5, 0.1, &samples, NULL);
    if (result == MOTE_OK) mote_mesh_samples_release(&samples);
    mote_mesh_destroy(mesh);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    test_failing_allocations(make_everything, NULL);
    test_failing_allocations(make_spheres, NULL);
}

static mote_result cut_a_box(mote_context *context, void *data)
{
    mote_mesh *cube = shape_cube(NULL, 1), *mesh = NULL;
    mote_result result = mote_mesh_create(context, cube->vertices, cube->vertex_count, cube->triangles,
                                          cube->triangle_count, &mesh, NULL);
    mote_mesh_destroy(cube);
    if (result != MOTE_OK) return result;
    result = mote_mesh_cut(mesh, (mote_vec3){0, 0, 0.25}, (mote_vec3){0, 0, *(const double *)data}, NULL);
    mote_mesh_report report;
    if (result == MOTE_OK) result = mote_mesh_examine(mesh, &report, NULL);
    if (result == MOTE_OK) {
        const double high = *(const double *)data > 0 ? 0.25 : 0.75;  // of what is left of a unit cube
        CHECK(fabs(mote_mesh_area(mesh) - (1 + 4 * high)) < 1e-12, "area %g", mote_mesh_area(mesh));
        CHECK(!report.closed && report.open_edges == 8 && report.components == 1 && report.degenerate == 0,
              "%zu open edges, %zu parts, %zu without area", report.open_edges, report.components, report.degenerate);
    }
    mote_mesh_destroy(mesh);
    return result;
}

static void cuts_leave_an_open_rim(void **state)
{
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        double normal = 3.0 * side;
        CHECK_OK(cut_a_box(NULL, &normal));
        test_failing_allocations(cut_a_box, &normal);
    }
    mote_mesh *mesh = shape_cube(NULL, 1);
    CHECK(mote_mesh_cut(mesh, (mote_vec3){0, 0, 0}, (mote_vec3){0, 0, 0}, NULL) == MOTE_ERROR_ARGUMENT, "no plane");
    CHECK_OK(mote_mesh_cut(mesh, (mote_vec3){0, 0, 1}, (mote_vec3){0, 0, 1}, NULL));
    CHECK(mesh->triangle_count == 12, "a plane that touches cuts nothing: %zu", mesh->triangle_count);
    CHECK_OK(mote_mesh_cut(mesh, (mote_vec3){0, 0, 5}, (mote_vec3){0, 0, -1}, NULL));
    CHECK(mesh->triangle_count == 0, "all is cut off: %zu", mesh->triangle_count);
    mote_mesh_destroy(mesh);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_are_exact),
        cmocka_unit_test(placement_scales_then_rotates_then_translates),
        cmocka_unit_test(vertex_normals_do_not_depend_on_tessellation),
        cmocka_unit_test(bad_arrays_are_refused),
        cmocka_unit_test(faults_are_counted),
        cmocka_unit_test(edges_stand_in_order),
        cmocka_unit_test(shapes_are_closed),
        cmocka_unit_test(weld_joins_a_soup),
        cmocka_unit_test(weld_within_a_tolerance),
        cmocka_unit_test(weld_within_is_as_brute_force_has_it),
        cmocka_unit_test(weld_survives_failing_allocations),
        cmocka_unit_test(winding_number_tells_inside),
        cmocka_unit_test(winding_number_is_that_of_solid_angles),
        cmocka_unit_test(samples_are_even),
        cmocka_unit_test(samples_miss_no_small_part),
        cmocka_unit_test(samples_depend_on_the_seed_alone),
        cmocka_unit_test(spheres_keep_apart),
        cmocka_unit_test(spheres_are_sampled_evenly),
        cmocka_unit_test(spheres_that_do_not_fit),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(cuts_leave_an_open_rim),
    };
    RUN_TESTS(tests, argc, argv);
}
