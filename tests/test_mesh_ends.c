// Meshes at the ends of what is a mesh: triangles that are lines, faces back to back, indices that were edited, lengths
// at the ends of the number range, and reaches that no grid can serve.

#include "mote/first_hits.h"
#include "mote/proxy.h"
#include "mote/raster.h"
#include "support/calls.h"

static mote_mesh *make_mesh(const mote_vec3 *vertices, size_t vertex_count, const uint32_t *triangles, size_t count)
{
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(NULL, vertices, vertex_count, triangles, count, &mesh, NULL));
    return mesh;
}

static mote_first_hits *make_first(const mote_mesh *mesh)
{
    mote_first_hits *first;
    CHECK_OK(mote_first_hits_create(NULL, NULL, mesh, &first, NULL));
    CHECK_OK(mote_first_hits_prepare_closest(first, NULL));
    return first;
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
        mote_first_hits *first = make_first(mesh);
        for (int q = 0; q < 100; ++q) {
            const double t = q / 80.0 - 0.1, off = q % 3 ? 0 : 1e-3 * mote_random_unit(&random);
            const mote_vec3 at = {t, t + off, t};
            const double winding = mote_mesh_winding_number(mesh, at);
            CHECK(fabs(winding) < 1e-9, "line %zu from %g: %g", k, t, winding);
            CHECK(fabs(mote_first_hits_winding_number(first, at, 2, NULL)) < 1e-6, "first hits, line %zu from %g", k, t);
        }
        mote_first_hits_destroy(first);
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
    mote_first_hits *first = make_first(mesh);
    for (int q = 1; q < 32; ++q) {
        const double t = 0.1 + q / 160.0;
        const mote_vec3 at = {t, t, t};
        CHECK(fabs(mote_mesh_winding_number(mesh, at) - 1) < 1e-9, "at %g", t);
        CHECK(fabs(mote_first_hits_winding_number(first, at, 2, NULL) - 1) < 1e-6, "first hits, at %g", t);
        mote_closest closest;
        CHECK(mote_first_hits_closest(first, at, MOTE_SIGN_WINDING, &closest) && closest.distance < 0, "at %g", t);
    }
    mote_first_hits_destroy(first);
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
    mote_first_hits *first = make_first(mesh);
    mote_hits *hits;
    CHECK_OK(mote_hits_create(NULL, mesh, 0.3, &hits, NULL));
    for (int k = 0; k < 3; ++k)
        for (int s = 0; s < 5; ++s) {
            const mote_vec3 a = vertices[k], b = vertices[(k + 1) % 3];
            const double t = s / 4.0;
            const mote_vec3 at = {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
            mote_closest closest;
            CHECK(mote_first_hits_closest(first, at, MOTE_SIGN_NORMAL, &closest), "found");
            check_normal(&closest, "first hits");
            CHECK(closest.feature == MOTE_FEATURE_FACE || closest.distance >= 0, "distance %g", closest.distance);
            CHECK(mote_hits_closest(hits, at, 0.3, &closest), "found");
            check_normal(&closest, "hits");
        }
    mote_hits_destroy(hits);
    mote_first_hits_destroy(first);
    mote_mesh_destroy(mesh);
}

// ------------------------------------------------------------------------------------------------------- indices

static void edited_indices_are_refused(void **state)
{
    (void)state;
    mote_mesh *mesh = tetrahedron();
    const mote_mesh *meshes[1] = {mesh};
    const float at[3] = {0, 0, 0};
    mote_first_hits *first;
    mote_raster *raster, *made;
    mote_hits *hits;
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
    REFUSED(mote_first_hits_create(NULL, NULL, mesh, &first, &error));
    CHECK(error.index == 2 && strstr(error.text, "triangle 2 has vertex 4, expected below 4"), "%s", error.text);
    REFUSED(mote_raster_triangles(raster, mesh, NULL, &pairs, &error));
    CHECK(error.index == 2 && strstr(error.text, "triangle 2 has vertex 4, expected below 4"), "%s", error.text);
    REFUSED(mote_raster_create_for_mesh(NULL, mesh, &made, &error));
    REFUSED(mote_raster_list_edges(mesh, &list));
    REFUSED(mote_hits_create(NULL, mesh, 1, &hits, &error));
    REFUSED(mote_proxy_create(NULL, meshes, 1, NULL, &proxy, &error));
    REFUSED(mote_mesh_examine(mesh, &report));
    REFUSED(mote_mesh_weld(mesh));
    REFUSED(mote_mesh_weld_within(mesh, 0.1));
    REFUSED(mote_mesh_cut(mesh, (mote_vec3){0, 0, 0}, (mote_vec3){0, 0, 1}));
    REFUSED(mote_mesh_sample(mesh, 0.5, 1, &samples));
    REFUSED(mote_mesh_split(mesh, 30, &normals));
    mesh->triangles[7] = UINT32_MAX;
    REFUSED(mote_first_hits_create(NULL, NULL, mesh, &first, &error));
    mote_raster_pairs_release(&pairs);
    mote_raster_destroy(raster);
    mote_mesh_destroy(mesh);
}

// -------------------------------------------------------------------------------------------------------- scales

// Inside, outside, closest points and winding numbers from the smallest to the largest coordinates.
static void every_scale_has_an_inside(void **state)
{
    (void)state;
    for (int exponent = -1060; exponent <= 1020; exponent += 52) {
        const double s = ldexp(1, exponent);
        const mote_placement placement = {s, {0, 0, 0}, {0, 0, 0}};
        mote_mesh *mesh = tetrahedron();
        mote_hits *hits;
        mote_error error = {0};
        mote_closest closest;
        mote_mesh_place(mesh, &placement);
        CHECK(mote_hits_create(NULL, mesh, s / 8, &hits, &error) == MOTE_OK, "2^%d: %s", exponent, error.text);
        const mote_vec3 in = {s / 4, s / 8, s / 4}, out = {s / 2, s / 2, s / 2}, above = {s / 4, s / 4, -s / 16};
        CHECK(mote_hits_is_inside(hits, in) && !mote_hits_is_inside(hits, out), "2^%d", exponent);
        CHECK(mote_hits_closest(hits, above, s / 8, &closest) && closest.distance == s / 16, "2^%d: %g", exponent,
              closest.distance);
        CHECK(closest.point.x == s / 4 && closest.point.z == 0 && closest.normal.z == -1, "2^%d", exponent);
        CHECK(fabs(mote_mesh_winding_number(mesh, in) - 1) < 1e-9, "2^%d", exponent);
        CHECK(fabs(mote_mesh_winding_number(mesh, out)) < 1e-9, "2^%d", exponent);
        const mote_slide slide = {.margin = s / 16};
        mote_vec3 position = {s / 4, s / 4, s / 32}, velocity = {0, 0, 1};
        mote_hits_slide(hits, &slide, (mote_vec3){s / 4, s / 4, -s / 4}, &position, &velocity);
        CHECK(fabs(position.z / s + 1.0 / 16) < 1e-6, "2^%d: slides to %g", exponent, position.z / s);
        CHECK(mote_hits_get_stats(hits).cell_edge == s / 8, "2^%d", exponent);
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
}

// What no grid can serve is refused at once, and the reach that the error names is served.
static void reaches_beyond_a_grid_are_refused(void **state)
{
    (void)state;
    static const double reaches[] = {1e308, 1e200, 5e-324, 1e-300, 1e-9, 1e-4};
    mote_sphere sphere = {{0, 0, 0}, 0.5};
    mote_mesh *mesh;
    mote_hits *hits;
    mote_error error;
    CHECK_OK(mote_mesh_create_spheres(NULL, &sphere, 1, 0.1, &mesh, NULL));
    for (size_t k = 0; k < sizeof reaches / sizeof *reaches; ++k) {
        REFUSED(mote_hits_create(NULL, mesh, reaches[k], &hits, &error));
        CHECK(strstr(error.text, "hits: reach is ") && strstr(error.text, "expected "), "%s", error.text);
    }
    const char *named = strstr(error.text, "a reach of ");
    CHECK(named, "%s", error.text);
    if (getenv("MOTE_LONG_TESTS")) {
        CHECK_OK(mote_hits_create(NULL, mesh, atof(named + strlen("a reach of ")), &hits, NULL));
        mote_hits_destroy(hits);
    }
    for (double reach = 0.01; reach < 1e100; reach *= 1e3) {
        mote_closest closest;
        CHECK_OK(mote_hits_create(NULL, mesh, reach, &hits, NULL));
        CHECK(mote_hits_closest(hits, (mote_vec3){0, 0, 0.505}, reach, &closest), "reach %g", reach);
        CHECK(fabs(closest.distance - 0.005) < 1e-3, "reach %g: %g", reach, closest.distance);
        mote_hits_destroy(hits);
    }
    mote_mesh_destroy(mesh);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_do_not_wind),
        cmocka_unit_test(lines_inside_change_nothing),
        cmocka_unit_test(back_to_back_faces_have_normals),
        cmocka_unit_test(edited_indices_are_refused),
        cmocka_unit_test(every_scale_has_an_inside),
        cmocka_unit_test(reaches_beyond_a_grid_are_refused),
    };
    RUN_TESTS(tests, argc, argv);
}
