// SPDX-License-Identifier: MIT
// Normals by crease angle: what shares one and what is split, on meshes of any kind, and at vertices with any number of
// triangles.

#include "base/tested.h"
#include "mote/mesh.h"
#include "support/shapes.h"
#include "support/test.h"

static mote_mesh_normals split_mesh(const mote_mesh *mesh, double angle)
{
    mote_mesh_normals split;
    CHECK_OK(mote_mesh_split(mesh, angle, &split, NULL));
    for (size_t c = 0; c < 3 * mesh->triangle_count; ++c) {
        CHECK(split.triangles[c] < split.count, "corner %zu has vertex %u of %zu", c, split.triangles[c], split.count);
        CHECK(split.origins[split.triangles[c]] == mesh->triangles[c], "corner %zu has moved", c);
    }
    return split;
}

static mote_vec3 face_normal(const mote_mesh *mesh, size_t t)
{
    const mote_vec3 *v = mesh->vertices;
    const uint32_t *corner = mesh->triangles + 3 * t;
    return mote_vec3_unit(mote_vec3_cross(mote_vec3_sub(v[corner[1]], v[corner[0]]),
                                          mote_vec3_sub(v[corner[2]], v[corner[0]])));
}

static mote_vec3 corner_normal(const mote_mesh_normals *split, size_t corner)
{
    return split->normals[split->triangles[corner]];
}

static mote_mesh *make_mesh(const mote_vec3 *vertices, size_t vertex_count, const uint32_t *triangles,
                            size_t triangle_count)
{
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(NULL, vertices, vertex_count, triangles, triangle_count, &mesh, NULL));
    return mesh;
}

static void check_finite(const mote_mesh_normals *split)
{
    for (size_t v = 0; v < split->count; ++v) {
        const double length = mote_vec3_length(split->normals[v]);
        CHECK(length == 0 || fabs(length - 1) < 1e-9, "normal %zu is %g long", v, length);
    }
}

// ------------------------------------------------------------------------------------------------------ shapes

static void a_box_has_flat_faces(void **state)
{
    (void)state;
    for (uint32_t n = 1; n < 4; ++n) {
        mote_mesh *cube = shape_cube(NULL, n);
        mote_mesh_normals split = split_mesh(cube, 30);
        CHECK(split.count == 6 * (n + 1) * (n + 1), "%zu vertices of a cube of %u squares a side", split.count, n);
        for (size_t c = 0; c < 3 * cube->triangle_count; ++c) {
            const double cosine = mote_vec3_dot(corner_normal(&split, c), face_normal(cube, c / 3));
            CHECK(cosine > 1 - 1e-12, "corner %zu is off by %g", c, acos(cosine));
        }
        mote_mesh_normals_release(&split);
        split = split_mesh(cube, 180);
        CHECK(split.count == cube->vertex_count, "a smooth cube has %zu vertices", split.count);
        mote_mesh_normals_release(&split);
        mote_mesh_destroy(cube);
    }
}

static void a_ball_is_smooth(void **state)
{
    (void)state;
    mote_mesh *ball = shape_sphere(NULL, 4);
    mote_mesh_normals split = split_mesh(ball, 30);
    assert_int_equal(split.count, ball->vertex_count);
    for (size_t v = 0; v < split.count; ++v) {
        const double cosine = mote_vec3_dot(split.normals[v], mote_vec3_unit(ball->vertices[split.origins[v]]));
        CHECK(cosine > 0.999, "vertex %zu is off by %g", v, acos(cosine));
    }
    mote_mesh_normals_release(&split);
    split = split_mesh(ball, 0);
    CHECK(split.count == 3 * ball->triangle_count, "%zu vertices of flat triangles", split.count);
    mote_mesh_normals_release(&split);
    mote_mesh_destroy(ball);
}

// Two triangles that turn by just less and just more than the angle at their common edge.
static void the_angle_decides(void **state)
{
    (void)state;
    const double angles[] = {0, 1, 30, 89, 91, 150, 179};
    for (size_t i = 0; i < sizeof angles / sizeof angles[0]; ++i)
        for (int more = 0; more < 2; ++more) {
            const double turn = (angles[i] + (more ? 0.01 : angles[i] > 0 ? -0.01 : 0)) * 3.14159265358979 / 180;
            const mote_vec3 vertices[] = {{0, 0, 0}, {0, 1, 0}, {-1, 0.5, 0}, {cos(turn), 0.5, -sin(turn)}};
            const uint32_t triangles[] = {0, 1, 2, 1, 0, 3};
            mote_mesh *roof = make_mesh(vertices, 4, triangles, 2);
            mote_mesh_normals split = split_mesh(roof, angles[i]);
            CHECK(split.count == (more ? 6 : 4), "%zu vertices at %g degrees", split.count, angles[i]);
            mote_mesh_normals_release(&split);
            mote_mesh_destroy(roof);
        }
}

enum { CONE_SIDES = 60 };

// A steep cone without its base, the tip first. NULL: no memory.
static mote_mesh *make_cone(mote_context *context)
{
    mote_vec3 vertices[CONE_SIDES + 1] = {{0, 0, 3}};
    uint32_t triangles[3 * CONE_SIDES];
    for (uint32_t k = 0; k < CONE_SIDES; ++k) {
        const double a = 2 * 3.14159265358979 * k / CONE_SIDES;
        vertices[k + 1] = (mote_vec3){cos(a), sin(a), 0};
        triangles[3 * k] = 0, triangles[3 * k + 1] = k + 1, triangles[3 * k + 2] = (k + 1) % CONE_SIDES + 1;
    }
    mote_mesh *cone = NULL;
    mote_mesh_create(context, vertices, CONE_SIDES + 1, triangles, CONE_SIDES, &cone, NULL);
    return cone;
}

// Its sides turn by less than the crease angle each, and by much more from one side of the tip to the other.
static void a_tip_leads_no_normal_astray(void **state)
{
    (void)state;
    mote_mesh *cone = make_cone(NULL);
    mote_mesh_normals split = split_mesh(cone, 30);
    for (size_t c = 0; c < 3 * CONE_SIDES; ++c) {
        const double cosine = mote_vec3_dot(corner_normal(&split, c), face_normal(cone, c / 3));
        CHECK(cosine >= cos(30 * 3.14159265358979 / 180) - 1e-9, "corner %zu is off by %g", c, acos(cosine));
    }
    for (uint32_t k = 0; k < CONE_SIDES; ++k) {
        const uint32_t next = (k + 1) % CONE_SIDES;
        CHECK(split.triangles[3 * k + 2] == split.triangles[3 * next + 1], "the cone has an edge at %u", k);
    }
    mote_mesh_normals_release(&split);
    mote_mesh_destroy(cone);
}

// ------------------------------------------------------------------------------------------- meshes of any kind

// Triangles without area, twice, with a flipped neighbour, three at an edge, and touching at a vertex alone.
static void no_mesh_gives_bad_normals(void **state)
{
    (void)state;
    const mote_vec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.5, 0, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0},
                                  {1e-300, 0, 0}, {0, 1e-300, 0}, {1e200, 0, 0}, {0, 1e200, 0}};
    const uint32_t triangles[] = {0, 1, 2, 0, 3, 1, 1, 1, 1, 0, 0, 2, 0, 2, 1, 0, 1, 4, 1, 0, 4, 0, 1, 6,
                                  0, 5, 6, 0, 7, 8, 0, 9, 10, 3, 3, 3, 0, 1, 2};
    mote_mesh *mesh = make_mesh(vertices, 11, triangles, sizeof triangles / sizeof triangles[0] / 3);
    const double angles[] = {0, 30, 90, 180};
    for (size_t i = 0; i < 4; ++i) {
        mote_mesh_normals split = split_mesh(mesh, angles[i]);
        check_finite(&split);
        mote_mesh_normals_release(&split);
    }
    mote_mesh_destroy(mesh);
    mesh = shape_soup(NULL, 2000);
    mote_mesh_normals split = split_mesh(mesh, 30);
    check_finite(&split);
    mote_mesh_normals_release(&split);
    mote_mesh_destroy(mesh);
    mesh = make_mesh(NULL, 0, NULL, 0);
    split = split_mesh(mesh, 30);
    assert_int_equal(split.count, 0);
    mote_mesh_normals_release(&split);
    mote_mesh_destroy(mesh);
}

// Two halves of a plane whose common edge has a vertex more on one side, where a triangle without area closes the gap.
static void no_area_makes_no_edge(void **state)
{
    (void)state;
    const mote_vec3 vertices[] = {{0, 0, 0}, {2, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, -1, 0}};
    const uint32_t triangles[] = {1, 0, 4, 0, 1, 2, 0, 2, 3, 2, 1, 3};
    mote_mesh *plane = make_mesh(vertices, 5, triangles, 4);
    mote_mesh_normals split = split_mesh(plane, 30);
    CHECK(split.count == 5, "%zu vertices of a plane", split.count);
    mote_mesh_normals_release(&split);
    plane->vertices[4].z = -1;  // now it has an edge
    split = split_mesh(plane, 30);
    CHECK(split.count > 5, "an edge of 45 degrees is smooth");
    for (size_t c = 0; c < 3; ++c)
        CHECK(mote_vec3_dot(corner_normal(&split, c), face_normal(plane, 0)) > 1 - 1e-9, "corner %zu", c);
    mote_mesh_normals_release(&split);
    mote_mesh_destroy(plane);
}

// A surface with every triangle twice, once from each side, is as smooth from either.
static void both_sides_of_a_sheet_are_smooth(void **state)
{
    (void)state;
    mote_mesh *ball = shape_sphere(NULL, 3);
    const size_t n = ball->triangle_count;
    uint32_t *triangles = malloc(6 * n * sizeof *triangles);
    memcpy(triangles, ball->triangles, 3 * n * sizeof *triangles);
    for (size_t t = 0; t < n; ++t) {
        const uint32_t *corner = ball->triangles + 3 * t;
        triangles[3 * (n + t)] = corner[0], triangles[3 * (n + t) + 1] = corner[2];
        triangles[3 * (n + t) + 2] = corner[1];
    }
    mote_mesh *sheet = make_mesh(ball->vertices, ball->vertex_count, triangles, 2 * n);
    mote_mesh_normals split = split_mesh(sheet, 30);
    CHECK(split.count == 2 * ball->vertex_count, "%zu vertices of %zu", split.count, ball->vertex_count);
    mote_mesh_normals_release(&split);
    free(triangles);
    mote_mesh_destroy(sheet), mote_mesh_destroy(ball);
}

// --------------------------------------------------------------------------------------------------- many triangles

// All triangles of a disc meet in its middle; all of a book in its back. Work that grew with the square of their
// number would not end within the time that a test has.
static void many_triangles_may_meet(void **state)
{
    (void)state;
    const uint32_t count = SANITIZED ? 20000 : 200000;
    mote_vec3 *vertices = malloc((count + 2) * sizeof *vertices);
    uint32_t *triangles = malloc(3 * count * sizeof *triangles);
    vertices[0] = (mote_vec3){0, 0, 0};
    for (uint32_t k = 0; k < count; ++k) {
        const double a = 2 * 3.14159265358979 * k / count;
        vertices[k + 1] = (mote_vec3){cos(a), sin(a), 0};
        triangles[3 * k] = 0, triangles[3 * k + 1] = k + 1, triangles[3 * k + 2] = (k + 1) % count + 1;
    }
    mote_mesh *disc = make_mesh(vertices, count + 1, triangles, count);
    mote_mesh_normals split = split_mesh(disc, 30);
    CHECK(split.count == count + 1, "%zu vertices of a disc", split.count);
    mote_mesh_normals_release(&split);
    mote_mesh_destroy(disc);

    vertices[1] = (mote_vec3){0, 0, 1};
    for (uint32_t k = 0; k < count; ++k) {
        const double a = 2 * 3.14159265358979 * k / count;
        vertices[k + 2] = (mote_vec3){cos(a), sin(a), 0};
        triangles[3 * k] = 0, triangles[3 * k + 1] = 1, triangles[3 * k + 2] = k + 2;
    }
    mote_mesh *book = make_mesh(vertices, count + 2, triangles, count);
    split = split_mesh(book, 1);
    check_finite(&split);
    mote_mesh_normals_release(&split);
    mote_mesh_destroy(book);
    free(vertices), free(triangles);
}

static void angles_that_are_none_are_refused(void **state)
{
    (void)state;
    mote_mesh *cube = shape_cube(NULL, 1);
    mote_mesh_normals split;
    const double angles[] = {-1, 181, NAN, INFINITY};
    for (size_t i = 0; i < 4; ++i)
        assert_int_equal(mote_mesh_split(cube, angles[i], &split, NULL), MOTE_ERROR_ARGUMENT);
    mote_mesh_destroy(cube);
}

static mote_result split_in(mote_context *context, void *data)
{
    (void)data;
    mote_mesh *cone = make_cone(context);
    if (!cone) return MOTE_ERROR_OUT_OF_MEMORY;
    mote_mesh_normals split = {0};
    mote_result result = mote_mesh_split(cone, 30, &split, NULL);
    mote_mesh_normals_release(&split);
    mote_mesh_destroy(cone);
    return result;
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    test_failing_allocations(split_in, NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_has_flat_faces),
        cmocka_unit_test(a_ball_is_smooth),
        cmocka_unit_test(the_angle_decides),
        cmocka_unit_test(a_tip_leads_no_normal_astray),
        cmocka_unit_test(no_mesh_gives_bad_normals),
        cmocka_unit_test(no_area_makes_no_edge),
        cmocka_unit_test(both_sides_of_a_sheet_are_smooth),
        cmocka_unit_test(many_triangles_may_meet),
        cmocka_unit_test(angles_that_are_none_are_refused),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    RUN_TESTS(tests, argc, argv);
}
