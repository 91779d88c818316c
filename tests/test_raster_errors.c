// SPDX-License-Identifier: MIT
// Rasterised triangles and edges: nothing at all, bad input, and memory that runs out.

#include "mote/raster.h"
#include "support/shapes.h"
#include "support/test.h"

static mote_raster *make_raster(mote_context *context, double edge)
{
    mote_raster *raster = NULL;
    mote_error error = {0};
    CHECK(mote_raster_create(context, edge, &raster, &error) == MOTE_OK, "%s", error.text);
    return raster;
}

static void nothing_meets_nothing(void **state)
{
    (void)state;
    mote_raster *raster = make_raster(NULL, 1);
    mote_mesh empty = {0}, *mesh = shape_cube(NULL, 1);
    mote_raster_pairs pairs = {0};
    const float point[3] = {0, 0, 0};
    CHECK_OK(mote_raster_triangles(raster, mesh, NULL, &pairs, NULL));
    assert_int_equal(pairs.count, 0);
    mote_raster_query scan = mote_raster_query_default();
    scan.scan_line = true;
    CHECK_OK(mote_raster_triangles(raster, mesh, &scan, &pairs, NULL));
    assert_int_equal(pairs.count, 0);
    CHECK_OK(mote_raster_update(raster, mote_points_xyz(NULL, 0), NULL));
    CHECK_OK(mote_raster_triangles(raster, mesh, NULL, &pairs, NULL));
    assert_int_equal(pairs.count, 0);
    CHECK_OK(mote_raster_update(raster, mote_points_xyz(point, 1), NULL));
    CHECK_OK(mote_raster_triangles(raster, &empty, NULL, &pairs, NULL));
    assert_int_equal(pairs.count, 0);
    CHECK_OK(mote_raster_triangles(raster, mesh, NULL, &pairs, NULL));
    CHECK(pairs.count > 0, "a corner of the cube is a point");
    const mote_raster_edge_set none = {0};
    CHECK_OK(mote_raster_update_edges(raster, &none, NULL));
    CHECK_OK(mote_raster_edges(raster, &none, NULL, &pairs, NULL));
    assert_int_equal(pairs.count, 0);
    assert_true(mote_raster_mean_edge(&empty) == 0);
    mote_raster *made;
    mote_error error;
    assert_int_equal(mote_raster_create_for_mesh(NULL, &empty, &made, &error), MOTE_ERROR_ARGUMENT);
    assert_string_equal(error.text, "raster: the mean edge of 0 triangles is 0, expected 2^-160 to 2^160");
    mote_raster_edge_list list;
    CHECK_OK(mote_raster_list_edges(&empty, &list, &error));
    assert_int_equal(list.count, 0);
    mote_raster_edge_list_release(&list);
    mote_raster_pairs_release(&pairs);
    mote_raster_destroy(raster);
    mote_mesh_destroy(mesh);
}

// A query that fails leaves no pairs.
static mote_result ask(const mote_raster *raster, const mote_mesh *mesh, const mote_raster_edge_set *edges,
                       const mote_raster_query *query, mote_raster_pairs *pairs, mote_error *error)
{
    const mote_result result = edges ? mote_raster_edges(raster, edges, query, pairs, error)
                                     : mote_raster_triangles(raster, mesh, query, pairs, error);
    const bool is_empty = pairs->count == 0 && !pairs->pairs && pairs->counters.shapes == 0;
    CHECK(result == MOTE_OK || is_empty, "%zu pairs are left", pairs->count);
    return result;
}

// After one that is good, with pairs of its own.
static void expect_refusal(const mote_raster *raster, const mote_mesh *mesh, const mote_raster_edge_set *edges,
                           const mote_raster_query *query, mote_result expected, mote_error *error)
{
    mote_raster_pairs pairs = {0};
    mote_mesh *good = shape_cube(NULL, 1);
    CHECK_OK(mote_raster_triangles(raster, good, NULL, &pairs, NULL));
    CHECK(pairs.count > 0, "a corner of the cube is a point");
    assert_int_equal(ask(raster, mesh, edges, query, &pairs, error), expected);
    mote_raster_pairs_release(&pairs);
    mote_mesh_destroy(good);
}

static void bad_points_are_refused(void **state)
{
    (void)state;
    mote_error error = {0};
    mote_raster *raster = NULL;
    const double edges[] = {0, -1, NAN, INFINITY, 1e-60};
    for (size_t k = 0; k < sizeof edges / sizeof *edges; ++k)
        assert_int_equal(mote_raster_create(NULL, edges[k], &raster, &error), MOTE_ERROR_ARGUMENT);
    assert_null(raster);
    raster = make_raster(NULL, 1);
    double points[9] = {0, 0, 0, 0, NAN, 0, 0, 0, 0};
    assert_int_equal(mote_raster_update(raster, mote_points_xyz_f64(points, 3), &error), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(error.index, 1);
    points[4] = 1e60;
    assert_int_equal(mote_raster_update(raster, mote_points_xyz_f64(points, 3), &error), MOTE_ERROR_ARGUMENT);
    mote_raster_destroy(raster);
}

static void bad_queries_are_refused(void **state)
{
    (void)state;
    mote_error error = {0};
    const double points[9] = {0};
    mote_raster *raster = make_raster(NULL, 1);
    CHECK_OK(mote_raster_update(raster, mote_points_xyz_f64(points, 3), NULL));
    mote_mesh *mesh = shape_cube(NULL, 1);
    mote_raster_query query = {0};
    expect_refusal(raster, mesh, NULL, &query, MOTE_ERROR_ARGUMENT, &error);
    query = mote_raster_query_default();
    const double thicknesses[] = {-1, NAN, INFINITY};
    for (size_t k = 0; k < 3; ++k) {
        query.thickness = thicknesses[k];
        expect_refusal(raster, mesh, NULL, &query, MOTE_ERROR_ARGUMENT, &error);
    }
    query = mote_raster_query_default();
    query.own = true;
    expect_refusal(raster, mesh, NULL, &query, MOTE_ERROR_ARGUMENT, &error);
    const mote_raster_edge_set set = {mesh->vertices, mesh->vertex_count, mesh->triangles, 2};
    expect_refusal(raster, NULL, &set, NULL, MOTE_ERROR_STATE, &error);
    query.own = false, query.scan_line = true;
    expect_refusal(raster, NULL, &set, &query, MOTE_ERROR_UNSUPPORTED, &error);
    const mote_raster_edge_set bad = {mesh->vertices, 2, mesh->triangles, 2};
    expect_refusal(raster, NULL, &bad, NULL, MOTE_ERROR_STATE, &error);
    assert_int_equal(mote_raster_update_edges(raster, &bad, &error), MOTE_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "expected below 2"));

    mote_raster_pairs pairs = {0};
    query = mote_raster_query_default();
    query.own = true;
    CHECK_OK(mote_raster_update_edges(raster, &set, NULL));
    assert_int_equal(ask(raster, mesh, NULL, NULL, &pairs, &error), MOTE_ERROR_STATE);
    assert_int_equal(ask(raster, NULL, &bad, NULL, &pairs, &error), MOTE_ERROR_ARGUMENT);
    const mote_raster_edge_set fewer = {mesh->vertices, mesh->vertex_count, mesh->triangles, 1};
    assert_int_equal(ask(raster, NULL, &fewer, &query, &pairs, &error), MOTE_ERROR_ARGUMENT);
    CHECK_OK(mote_raster_update(raster, mote_points_xyz_f64(points, 3), NULL));  // points again
    CHECK_OK(ask(raster, mesh, NULL, NULL, &pairs, NULL));
    mote_raster_pairs_release(&pairs);
    mote_raster_destroy(raster);
    mote_mesh_destroy(mesh);
}

static void errors_name_the_vertex(void **state)
{
    (void)state;
    const float point[3] = {0, 0, 0};
    mote_raster *raster = make_raster(NULL, 1), *edges = make_raster(NULL, 1);
    CHECK_OK(mote_raster_update(raster, mote_points_xyz(point, 1), NULL));
    for (uint32_t bad = 0; bad < 3; ++bad) {
        mote_vec3 vertices[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
        uint32_t triangles[6] = {3, 3, 3, 0, 1, 2};
        const mote_mesh mesh = {vertices, triangles, 4, 2, NULL};
        mote_error error = {0};
        char text[32];
        vertices[bad].z = INFINITY;
        snprintf(text, sizeof text, "triangle 1: its vertex %u is", bad);
        expect_refusal(raster, &mesh, NULL, NULL, MOTE_ERROR_NOT_FINITE, &error);
        CHECK(error.index == 1 && strstr(error.text, text), "%s", error.text);
        if (bad == 2) break;
        const mote_raster_edge_set set = {vertices, 4, triangles + 1, 2};
        snprintf(text, sizeof text, "edge 1: its vertex %u is", bad);
        triangles[4] = 0, triangles[3] = 1;
        triangles[1] = triangles[2] = 3;
        assert_int_equal(mote_raster_update_edges(edges, &set, &error), MOTE_ERROR_NOT_FINITE);
        CHECK(error.index == 1 && strstr(error.text, text), "%s", error.text);
    }
    mote_raster_destroy(raster);
    mote_raster_destroy(edges);
}

static void bad_vertices_are_refused(void **state)
{
    (void)state;
    mote_error error = {0};
    const double points[9] = {0};
    mote_raster *raster = make_raster(NULL, 1);
    CHECK_OK(mote_raster_update(raster, mote_points_xyz_f64(points, 3), NULL));
    mote_mesh *mesh = shape_cube(NULL, 30);
    const uint32_t bad = mesh->triangles[3 * 700 + 1];
    mesh->vertices[bad].y = NAN;
    uint32_t first = 0;
    while (mesh->triangles[first] != bad) ++first;
    expect_refusal(raster, mesh, NULL, NULL, MOTE_ERROR_NOT_FINITE, &error);
    CHECK(error.index == first / 3, "triangle %llu", (unsigned long long)error.index);
    mesh->vertices[bad].y = 1e90;
    expect_refusal(raster, mesh, NULL, NULL, MOTE_ERROR_ARGUMENT, &error);
    mesh->vertices[bad].y = 1e12;
    mote_raster_query query = mote_raster_query_default();
    query.scan_line = true;
    expect_refusal(raster, mesh, NULL, &query, MOTE_ERROR_UNSUPPORTED, &error);
    mote_raster_pairs pairs = {0};
    CHECK_OK(ask(raster, mesh, NULL, NULL, &pairs, NULL));
    mote_raster_pairs_release(&pairs);
    mote_raster_destroy(raster);
    mote_mesh_destroy(mesh);
}

// A mesh, and points that are its vertices.
static mote_points points_of(const mote_mesh *mesh)
{
    const mote_vec3 *v = mesh->vertices;
    return (mote_points){{&v->x, &v->y, &v->z}, sizeof *v, mesh->vertex_count, MOTE_F64, 3};
}

static mote_result use_all(mote_context *context, void *data)
{
    mote_mesh mesh = *(const mote_mesh *)data;
    mesh.context = context;
    mote_raster *raster = NULL;
    mote_raster_pairs pairs = {0};
    mote_raster_edge_list list = {0};
    mote_raster_query query = mote_raster_query_default();
    query.thickness = 1;
    mote_result result = mote_raster_create(context, 0.5, &raster, NULL);
    if (result == MOTE_OK) result = mote_raster_list_edges(&mesh, &list, NULL);
    const mote_raster_edge_set set = {mesh.vertices, mesh.vertex_count, list.edges, list.count};
    if (result == MOTE_OK) result = mote_raster_update(raster, points_of(&mesh), NULL);
    if (result == MOTE_OK) result = ask(raster, &mesh, NULL, &query, &pairs, NULL);
    query.scan_line = true;
    if (result == MOTE_OK) result = ask(raster, &mesh, NULL, &query, &pairs, NULL);
    query.scan_line = false;
    if (result == MOTE_OK) result = mote_raster_update_edges(raster, &set, NULL);
    if (result == MOTE_OK) result = ask(raster, NULL, &set, &query, &pairs, NULL);
    if (raster) CHECK_OK(mote_raster_validate(raster, NULL));
    mote_raster_pairs_release(&pairs);
    mote_raster_edge_list_release(&list);
    mote_raster_destroy(raster);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_sphere(NULL, SLOW_BUILD ? 2 : 3);
    test_failing_allocations(use_all, mesh);
    mote_mesh_destroy(mesh);
}

static void warm_steps_allocate_nothing(void **state)
{
    (void)state;
    mote_context *context = test_context_with_threads(1);
    mote_mesh *mesh = shape_sphere(NULL, 3);
    mote_raster_edge_list list;
    CHECK_OK(mote_raster_list_edges(mesh, &list, NULL));
    const mote_raster_edge_set set = {mesh->vertices, mesh->vertex_count, list.edges, list.count};
    mote_raster *raster = make_raster(context, 0.5), *edges = make_raster(context, 0.5);
    mote_raster_pairs pairs[3] = {{0}};
    mote_raster_query query = mote_raster_query_default(), scan = query;
    query.thickness = 0.1;
    scan.scan_line = true;
    uint64_t before = 0;
    for (int step = 0; step < 3; ++step) {
        CHECK_OK(mote_raster_update(raster, points_of(mesh), NULL));
        CHECK_OK(mote_raster_triangles(raster, mesh, &query, &pairs[0], NULL));
        CHECK_OK(mote_raster_triangles(raster, mesh, &scan, &pairs[1], NULL));
        CHECK_OK(mote_raster_update_edges(edges, &set, NULL));
        CHECK_OK(mote_raster_edges(edges, &set, &query, &pairs[2], NULL));
        const uint64_t now = mote_context_allocation_count(context);
        if (step) CHECK(now == before, "%llu allocations", (unsigned long long)(now - before));
        before = now;
    }
    for (int k = 0; k < 3; ++k) mote_raster_pairs_release(&pairs[k]);
    mote_raster_destroy(raster);
    mote_raster_destroy(edges);
    mote_raster_edge_list_release(&list);
    mote_context_destroy(context);
    mote_mesh_destroy(mesh);
}

// Pairs that the byte budget has no room for are refused by their number; what it has room for is found afterwards.
static void pairs_beyond_the_budget_are_counted(void **state)
{
    (void)state;
    enum { POINTS = 4000, TRIANGLES = 300 };
    static const uint32_t threads[] = {1, 2, 5};
    const mote_vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    uint32_t indices[3 * TRIANGLES];
    float xyz[3 * POINTS];
    mote_random random = {3};
    for (size_t k = 0; k < 3 * TRIANGLES; ++k) indices[k] = (uint32_t)(k % 3);
    for (size_t k = 0; k < 3 * POINTS; ++k) xyz[k] = (float)mote_random_unit(&random);
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(NULL, corners, 3, indices, TRIANGLES, &mesh, NULL));
    for (size_t t = 0; t < sizeof threads / sizeof *threads; ++t) {
        mote_context_def def = mote_context_default_def();
        def.max_bytes = 4 << 20;
        def.thread_count = threads[t];
        mote_context *context;
        mote_raster *raster;
        mote_raster_pairs pairs = {0};
        mote_raster_query query = mote_raster_query_default();
        mote_error error;
        CHECK_OK(mote_context_create(&def, &context, &error));
        CHECK_OK(mote_raster_create(context, 0.5, &raster, NULL));
        CHECK_OK(mote_raster_update(raster, mote_points_xyz(xyz, POINTS), NULL));
        query.thickness = 4;
        CHECK(mote_raster_triangles(raster, mesh, &query, &pairs, &error) == MOTE_ERROR_OUT_OF_MEMORY, "accepted");
        const char *expected = "no memory for 1200000 pairs, which take 0.0192 GB; the byte budget is 0.00419 GB";
        CHECK(strstr(error.text, expected), "%s", error.text);
        CHECK(pairs.count == 0 && pairs.pairs == NULL, "%zu pairs", pairs.count);
        query.thickness = 1e-3;
        CHECK_OK(mote_raster_triangles(raster, mesh, &query, &pairs, &error));
        CHECK(pairs.count < POINTS * TRIANGLES / 100, "%zu pairs", pairs.count);
        mote_raster_pairs_release(&pairs);
        mote_raster_destroy(raster);
        mote_context_destroy(context);
    }
    mote_mesh_destroy(mesh);
}

// Whatever the budget is, pairs are found, or refused by their number: also where what is missing is the memory in
// which the threads' pairs are joined.
static void every_budget_tells_the_number(void **state)
{
    (void)state;
    enum { POINTS = 4000, TRIANGLES = 30 };
    const mote_vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    uint32_t indices[3 * 256 * TRIANGLES];
    float xyz[3 * POINTS];
    mote_random random = {3};
    for (size_t k = 0; k < sizeof indices / sizeof *indices; ++k) indices[k] = (uint32_t)(k % 3);
    for (size_t k = 0; k < 3 * POINTS; ++k) xyz[k] = (float)mote_random_unit(&random);
    for (size_t k = 0; k < POINTS; ++k) xyz[3 * k + 2] += k % 256 ? 10 : 0;
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(NULL, corners, 3, indices, 256 * TRIANGLES, &mesh, NULL));
    for (uint32_t threads = 1; threads <= 4; threads *= 2)
        for (size_t budget = 1 << 20; budget < 6 << 20; budget += SANITIZED ? 1 << 18 : 1 << 16) {
            mote_context_def def = mote_context_default_def();
            def.max_bytes = budget;
            def.thread_count = threads;
            mote_context *context;
            mote_raster *raster;
            mote_raster_pairs pairs = {0};
            mote_raster_query query = mote_raster_query_default();
            mote_error error;
            CHECK_OK(mote_context_create(&def, &context, &error));
            CHECK_OK(mote_raster_create(context, 0.5, &raster, NULL));
            CHECK_OK(mote_raster_update(raster, mote_points_xyz(xyz, POINTS), NULL));
            query.thickness = 4;
            if (mote_raster_triangles(raster, mesh, &query, &pairs, &error) == MOTE_OK)
                CHECK(pairs.count == 16 * 256 * TRIANGLES, "budget %zu: %zu pairs", budget, pairs.count);
            else
                CHECK(strstr(error.text, "no memory for 122880 pairs"), "budget %zu: %s", budget, error.text);
            mote_raster_pairs_release(&pairs);
            mote_raster_destroy(raster);
            mote_context_destroy(context);
        }
    mote_mesh_destroy(mesh);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_meets_nothing),
        cmocka_unit_test(bad_points_are_refused),
        cmocka_unit_test(bad_queries_are_refused),
        cmocka_unit_test(bad_vertices_are_refused),
        cmocka_unit_test(errors_name_the_vertex),
        cmocka_unit_test(pairs_beyond_the_budget_are_counted),
        cmocka_unit_test(every_budget_tells_the_number),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(warm_steps_allocate_nothing),
    };
    RUN_TESTS(tests, argc, argv);
}
