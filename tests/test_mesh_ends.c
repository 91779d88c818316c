// SPDX-License-Identifier: MIT
// Meshes at the ends of what is a mesh: triangles that are lines, faces back to back, indices that were edited, lengths
// at the ends of the number range, and reaches that no grid can serve.

#include "mote/hits.h"
#include "mote/proxy.h"
#include "mote/raster.h"
#include "support/calls.h"
#include "support/closest.h"

static mote_mesh *make_mesh(const mote_vec3 *vertices, size_t vertex_count, const uint32_t *triangles, size_t count)
{
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(NULL, vertices, vertex_count, triangles, count, &mesh, NULL));
    return mesh;
}

static mote_hits *make_first(const mote_mesh *mesh)
{
    mote_hits *hits;
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    CHECK_OK(mote_hits_prepare_closest(hits, NULL));
    return hits;
}

// ------------------------------------------------------------------------------------------------------- winding

// Lines have no solid angle, from wherever they are seen.
static void lines_do_not_wind(void **state)
{
    (void)state;
    const mote_vec3 vertices[3] = {{0, 0, 0}, {1, 1, 1}, {0.5, 0.5, 0.5}};
    static const uint32_t lines[][3] = {{0, 1, 1}, {0, 0, 1}, {0, 1, 0}, {1, 1, 1}, {0, 2, 1}, {2, 0, 1}};
    mote_random random = {3};
    for (size_t k = 0; k < sizeof lines / sizeof *lines; ++k) {
        mote_mesh *mesh = make_mesh(vertices, 3, lines[k], 1);
        mote_hits *hits = make_first(mesh);
        for (int q = 0; q < 100; ++q) {
            const double t = q / 80.0 - 0.1, off = q % 3 ? 0 : 1e-3 * mote_random_unit(&random);
            const mote_vec3 at = {t, t + off, t};
            const double winding = mote_mesh_winding_number(mesh, at);
            CHECK(fabs(winding) < 1e-9, "line %zu from %g: %g", k, t, winding);
            double tree;
            CHECK_OK(mote_hits_winding_number(hits, at, 2, &tree, NULL, NULL));
            CHECK(fabs(tree) < 1e-6, "hits, line %zu from %g: %g", k, t, tree);
        }
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
}

// A closed mesh with a line inside is as closed as without.
static void lines_inside_change_nothing(void **state)
{
    (void)state;
    const mote_vec3 vertices[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.1, 0.1, 0.1}, {0.3, 0.3, 0.3}};
    const uint32_t triangles[15] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 4, 5, 5};
    mote_mesh *mesh = make_mesh(vertices, 6, triangles, 5);
    mote_hits *hits = make_first(mesh);
    for (int q = 1; q < 32; ++q) {
        const double t = 0.1 + q / 160.0;
        const mote_vec3 at = {t, t, t};
        CHECK(fabs(mote_mesh_winding_number(mesh, at) - 1) < 1e-9, "at %g", t);
        double winding;
        CHECK_OK(mote_hits_winding_number(hits, at, 2, &winding, NULL, NULL));
        CHECK(fabs(winding - 1) < 1e-6, "hits, at %g", t);
        mote_closest closest;
        CHECK(test_closest(hits, at, MOTE_SIGN_WINDING, &closest) && closest.distance < 0, "at %g", t);
    }
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

// ------------------------------------------------------------------------------------------------------- normals

static void check_normal(const mote_closest *closest, const char *what)
{
    const mote_vec3 n = closest->normal;
    CHECK(fabs(n.x * n.x + n.y * n.y + n.z * n.z - 1) < 1e-12, "%s: normal (%g, %g, %g)", what, n.x, n.y, n.z);
}

// Two triangles with the same corners that face away from each other: all edges and vertices have normals that cancel.
static void back_to_back_faces_have_normals(void **state)
{
    (void)state;
    const mote_vec3 vertices[3] = {{0, 0, 0}, {1, 0.1, 0.2}, {0.3, 1, 0.1}};
    const uint32_t triangles[6] = {0, 1, 2, 1, 0, 2};
    mote_mesh *mesh = make_mesh(vertices, 3, triangles, 2);
    mote_hits *hits = make_first(mesh);
    for (int k = 0; k < 3; ++k)
        for (int s = 0; s < 5; ++s) {
            const mote_vec3 a = vertices[k], b = vertices[(k + 1) % 3];
            const double t = s / 4.0;
            const mote_vec3 at = {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
            mote_closest closest;
            CHECK(test_closest(hits, at, MOTE_SIGN_NORMAL, &closest), "found");
            check_normal(&closest, "hits");
            CHECK(closest.feature == MOTE_FEATURE_FACE || closest.distance >= 0, "distance %g", closest.distance);
            CHECK(test_closest_within(hits, at, 0.3, &closest), "found within a reach");
            check_normal(&closest, "within a reach");
        }
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

// ------------------------------------------------------------------------------------------------------- slivers

// Numbers with twice as many bits as doubles, or about: what closest points are held against.
#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 wide;
#else
typedef long double wide;
#endif

typedef struct wide_vec3 {
    wide x, y, z;
} wide_vec3;

static wide_vec3 apart(wide_vec3 a, wide_vec3 b)
{
    return (wide_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static wide dot(wide_vec3 a, wide_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static wide_vec3 cross(wide_vec3 a, wide_vec3 b)
{
    return (wide_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static wide_vec3 along(wide_vec3 a, wide_vec3 direction, wide t)
{
    return (wide_vec3){a.x + direction.x * t, a.y + direction.y * t, a.z + direction.z * t};
}

static wide_vec3 widened(mote_vec3 v)
{
    return (wide_vec3){v.x, v.y, v.z};
}

static wide_vec3 on_segment(wide_vec3 a, wide_vec3 b, wide_vec3 p)
{
    const wide_vec3 edge = apart(b, a);
    wide t = dot(apart(p, a), edge) / dot(edge, edge);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return along(a, edge, t);
}

// The closest point of a triangle; *side is 0 on its edges.
static wide_vec3 on_triangle(const mote_vec3 corners[3], mote_vec3 point, int *side)
{
    const wide_vec3 c[3] = {widened(corners[0]), widened(corners[1]), widened(corners[2])}, p = widened(point);
    const wide_vec3 normal = cross(apart(c[1], c[0]), apart(c[2], c[0]));
    bool is_inside = true;
    wide_vec3 best = c[0];
    *side = 0;
    for (int k = 0; k < 3; ++k) {
        const wide_vec3 from = c[k], to = c[(k + 1) % 3], foot = on_segment(from, to, p);
        is_inside = is_inside && dot(cross(apart(to, from), apart(p, from)), normal) > 0;
        if (dot(apart(p, foot), apart(p, foot)) < dot(apart(p, best), apart(p, best))) best = foot;
    }
    if (!is_inside) return best;
    const wide height = dot(apart(p, c[0]), normal);
    *side = height < 0 ? -1 : 1;
    return along(p, normal, -height / dot(normal, normal));
}

enum { SLIVERS = 120, SLIVER_POINTS = SANITIZED ? 60 : 300 };

// Triangles whose third corner is `thin` of their length off the first edge.
static void make_slivers(mote_random *random, double thin, mote_vec3 *vertices)
{
    for (size_t t = 0; t < SLIVERS; ++t) {
        double a[3], d[3], off[3], share = 0.1 + 0.8 * mote_random_unit(random);
        for (int k = 0; k < 3; ++k) {
            a[k] = mote_random_unit(random);
            d[k] = 2 * mote_random_unit(random) - 1;
            off[k] = thin * (2 * mote_random_unit(random) - 1);
        }
        vertices[3 * t] = (mote_vec3){a[0], a[1], a[2]};
        vertices[3 * t + 1] = (mote_vec3){a[0] + d[0], a[1] + d[1], a[2] + d[2]};
        vertices[3 * t + 2] =
            (mote_vec3){a[0] + share * d[0] + off[0], a[1] + share * d[1] + off[1], a[2] + share * d[2] + off[2]};
    }
}

// Somewhere, or about so far above or below a triangle.
static mote_vec3 point_near(mote_random *random, const mote_vec3 *vertices, double height)
{
    const mote_vec3 *c = vertices + 3 * (size_t)mote_random_below(random, SLIVERS);
    const double u = mote_random_unit(random), w = (1 - u) * mote_random_unit(random);
    const double h = height * (2 * mote_random_unit(random) - 1);
    return (mote_vec3){c[0].x + u * (c[1].x - c[0].x) + w * (c[2].x - c[0].x) + h,
                       c[0].y + u * (c[1].y - c[0].y) + w * (c[2].y - c[0].y) - h,
                       c[0].z + u * (c[1].z - c[0].z) + w * (c[2].z - c[0].z) + h / 2};
}

static void check_sliver(const mote_vec3 *vertices, mote_vec3 p, const mote_closest *closest, double thin)
{
    const double rounding = 1e-14;
    wide best2 = 100, own2 = 100;
    wide_vec3 own = {0, 0, 0};
    int own_side = 0;
    for (size_t t = 0; t < SLIVERS; ++t) {
        int side;
        const wide_vec3 foot = on_triangle(vertices + 3 * t, p, &side), off = apart(widened(p), foot);
        const wide squared = dot(off, off);
        best2 = squared < best2 ? squared : best2;
        if (t == closest->triangle) own2 = squared, own = foot, own_side = side;
    }
    const double least = sqrt((double)best2);
    CHECK(fabs(fabs(closest->distance) - least) < rounding, "1 in %g: distance %.17g, expected %.17g", 1 / thin,
          closest->distance, least);
    CHECK(sqrt((double)own2) - least < rounding, "1 in %g: triangle %u is farther by %g", 1 / thin, closest->triangle,
          sqrt((double)own2) - least);
    const wide_vec3 off = apart(widened(closest->point), own);
    CHECK(sqrt((double)dot(off, off)) < rounding, "1 in %g: the point is off by %g", 1 / thin,
          sqrt((double)dot(off, off)));
    if (closest->feature == MOTE_FEATURE_FACE && own_side)
        CHECK((closest->distance < 0) == (own_side < 0), "1 in %g: wrong side at %g", 1 / thin, closest->distance);
}

// Point, triangle and side are right to rounding, however thin the triangles.
static void slivers_are_exact(void **state)
{
    (void)state;
    mote_vec3 vertices[3 * SLIVERS];
    uint32_t triangles[3 * SLIVERS];
    mote_random random = {21};
    for (uint32_t i = 0; i < 3 * SLIVERS; ++i) triangles[i] = i;
    for (double thin = 1e-2; thin > 1e-15; thin /= 10) {
        make_slivers(&random, thin, vertices);
        mote_mesh *mesh = make_mesh(vertices, 3 * SLIVERS, triangles, SLIVERS);
        mote_hits *hits = make_first(mesh);
        for (int q = 0; q < SLIVER_POINTS; ++q) {
            const mote_vec3 p = point_near(&random, vertices, pow(10, -(q % 13)));
            mote_closest closest;
            CHECK(test_closest(hits, p, MOTE_SIGN_NORMAL, &closest), "found");
            check_sliver(vertices, p, &closest, thin);
        }
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
}

// ------------------------------------------------------------------------------------------------------- indices

static void edited_indices_are_refused(void **state)
{
    (void)state;
    mote_mesh *mesh = tetrahedron();
    const mote_mesh *meshes[1] = {mesh};
    const float at[3] = {0, 0, 0};
    mote_hits *hits;
    mote_raster *raster, *made;
    mote_proxy *proxy;
    mote_raster_edge_list list;
    mote_raster_pairs pairs = {0};
    mote_mesh_report report;
    mote_mesh_samples samples;
    mote_mesh_normals normals;
    mote_error error;
    CHECK_OK(mote_raster_create(NULL, 1, &raster, NULL));
    CHECK_OK(mote_raster_update(raster, mote_points_xyz(at, 1), NULL));
    mesh->triangles[7] = 4;
    REFUSED(mote_hits_create(NULL, NULL, mesh, &hits, &error));
    CHECK(error.index == 2 && strstr(error.text, "triangle 2 has vertex 4, expected below 4"), "%s", error.text);
    REFUSED(mote_raster_triangles(raster, mesh, NULL, &pairs, &error));
    CHECK(error.index == 2 && strstr(error.text, "triangle 2 has vertex 4, expected below 4"), "%s", error.text);
    REFUSED(mote_raster_create_for_mesh(NULL, mesh, &made, &error));
    REFUSED(mote_raster_list_edges(mesh, &list, &error));
    REFUSED(mote_proxy_create(NULL, NULL, meshes, 1, &proxy, &error));
    REFUSED(mote_mesh_examine(mesh, &report, &error));
    REFUSED(mote_mesh_weld(mesh, &error));
    REFUSED(mote_mesh_weld_within(mesh, 0.1, &error));
    REFUSED(mote_mesh_cut(mesh, (mote_vec3){0, 0, 0}, (mote_vec3){0, 0, 1}, &error));
    REFUSED(mote_mesh_sample(mesh, 0.5, 1, &samples, &error));
    REFUSED(mote_mesh_split(mesh, 30, &normals, &error));
    mesh->triangles[7] = UINT32_MAX;
    REFUSED(mote_hits_create(NULL, NULL, mesh, &hits, &error));
    mote_raster_pairs_release(&pairs);
    mote_raster_destroy(raster);
    mote_mesh_destroy(mesh);
}

// -------------------------------------------------------------------------------------------------------- scales

// Inside, outside, closest points and winding numbers from the smallest to the largest meshes that are served.
static void every_scale_has_an_inside(void **state)
{
    (void)state;
    for (int exponent = -988; exponent <= 988; exponent += 52) {
        const double s = ldexp(1, exponent);
        const mote_placement placement = {s, {0, 0, 0}, {0, 0, 0}};
        const mote_response response = mote_response_bounce(0, 0);
        mote_mesh *mesh = tetrahedron();
        mote_closest closest;
        mote_mesh_place(mesh, &placement);
        mote_hits *hits = test_hits(NULL, mesh);
        const mote_vec3 in = {s / 4, s / 8, s / 4}, out = {s / 2, s / 2, s / 2}, above = {s / 4, s / 4, -s / 16};
        CHECK(test_is_inside(hits, in) && !test_is_inside(hits, out), "2^%d", exponent);
        CHECK(test_closest_within(hits, above, s / 8, &closest) && closest.distance == s / 16, "2^%d: %g", exponent,
              closest.distance);
        CHECK(closest.point.x == s / 4 && closest.point.z == 0 && closest.normal.z == -1, "2^%d", exponent);
        CHECK(fabs(mote_mesh_winding_number(mesh, in) - 1) < 1e-9, "2^%d", exponent);
        CHECK(fabs(mote_mesh_winding_number(mesh, out)) < 1e-9, "2^%d", exponent);
        mote_vec3 position = {s / 4, s / 4, s / 32}, velocity = {0, 0, 1};
        CHECK_OK(
            mote_hits_slide(hits, s / 16, &response, (mote_vec3){s / 4, s / 4, -s / 4}, &position, &velocity, NULL));
        CHECK(fabs(position.z / s + 1.0 / 16) < 1e-6, "2^%d: slides to %g", exponent, position.z / s);
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
}

// Larger and smaller ones are refused.
static void sizes_beyond_all_scales_are_refused(void **state)
{
    (void)state;
    static const int exponents[] = {-1060, -1010, 1010, 1022};
    for (int k = 0; k < 4; ++k) {
        const mote_placement placement = {ldexp(1, exponents[k]), {0, 0, 0}, {0, 0, 0}};
        mote_mesh *mesh = tetrahedron();
        mote_hits *hits;
        mote_error error;
        mote_mesh_place(mesh, &placement);
        REFUSED(mote_hits_create(NULL, NULL, mesh, &hits, &error));
        mote_mesh_destroy(mesh);
    }
}

// However small or large: found if and only if it is no farther.
static void reaches_of_any_size_are_served(void **state)
{
    (void)state;
    mote_sphere sphere = {{0, 0, 0}, 0.5};
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create_spheres(NULL, &sphere, 1, 0.1, &mesh, NULL));
    mote_hits *hits = test_hits(NULL, mesh);
    static const double reaches[] = {0, 5e-324, 1e-300, 1e-9, 1e-4, 0.01, 10, 1e100, 1e200, 1e308, HUGE_VAL};
    const mote_vec3 points[] = {{0, 0, 0.505}, {0, 0, 1e6}, {0.1, 0.2, 0.3}, {0, 0, 0}, mesh->vertices[3]};
    for (size_t k = 0; k < sizeof reaches / sizeof *reaches; ++k)
        for (size_t p = 0; p < sizeof points / sizeof *points; ++p) {
            mote_closest any, near;
            CHECK(test_closest_within(hits, points[p], HUGE_VAL, &any), "point %zu", p);
            const bool found = test_closest_within(hits, points[p], reaches[k], &near);
            CHECK(found == (fabs(any.distance) <= reaches[k]), "reach %g, distance %g", reaches[k], any.distance);
            if (found) assert_memory_equal(&near, &any, sizeof near);
        }
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

// A triangle of a joined mesh has vertices of its own mesh.
static void edited_indices_are_not_joined(void **state)
{
    (void)state;
    const mote_vec3 vertices[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const uint32_t corners[3] = {0, 1, 2}, bad[] = {3, UINT32_MAX - 1};
    mote_mesh *mesh = make_mesh(vertices, 3, corners, 1), *edited = make_mesh(vertices, 3, corners, 1), *joined = NULL;
    const mote_mesh *const meshes[3] = {mesh, edited, mesh};
    mote_hits *hits = NULL;
    mote_error error;
    for (int k = 0; k < 2; ++k) {
        edited->triangles[2] = bad[k];
        REFUSED(mote_mesh_join(NULL, meshes, 3, &joined, &error));
        REFUSED(mote_hits_create_many(NULL, NULL, meshes, 3, &hits, &error));
    }
    mote_mesh_destroy(mesh);
    mote_mesh_destroy(edited);
}

// From so far away that the mesh is less than what distances are rounded to.
static void none_slides_into_a_mesh_from_afar(void **state)
{
    (void)state;
    for (int exponent = -1000; exponent <= -60; exponent += 20) {
        const double s = ldexp(1, exponent);
        const mote_placement placement = {s, {0, 0, 0}, {0, 0, 0}};
        const mote_response response = mote_response_bounce(0, 0);
        mote_mesh *mesh = tetrahedron();
        mote_mesh_place(mesh, &placement);
        mote_hits *hits = test_hits(NULL, mesh);
        mote_vec3 position = {s / 4, s / 8, s / 4}, velocity = {1, 0, 0};
        CHECK_OK(mote_hits_slide(hits, s / 16, &response, (mote_vec3){-1, s / 8, s / 4}, &position, &velocity, NULL));
        CHECK(position.x < 0 && !test_is_inside(hits, position), "2^%d: slides to %g", exponent, position.x);
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_do_not_wind),
        cmocka_unit_test(lines_inside_change_nothing),
        cmocka_unit_test(back_to_back_faces_have_normals),
        cmocka_unit_test(slivers_are_exact),
        cmocka_unit_test(edited_indices_are_refused),
        cmocka_unit_test(every_scale_has_an_inside),
        cmocka_unit_test(sizes_beyond_all_scales_are_refused),
        cmocka_unit_test(reaches_of_any_size_are_served),
        cmocka_unit_test(edited_indices_are_not_joined),
        cmocka_unit_test(none_slides_into_a_mesh_from_afar),
    };
    RUN_TESTS(tests, argc, argv);
}
