// SPDX-License-Identifier: MIT
// Every public call of hits, proxy and raster: with NULL for what it needs, and on objects in every state that they can
// be in. checks/called.sh sees that no call is forgotten.

#include "mote/hits.h"
#include "mote/proxy.h"
#include "mote/raster.h"
#include "support/calls.h"

static const float at[3] = {0.1f, 0.1f, 0.1f};
static const mote_vec3 v = {0.1, 0.1, -1}, w = {0.1, 0.1, 1};

// A mesh of no triangles, or the tetrahedron.
static mote_mesh *mesh_of(bool is_empty)
{
    mote_mesh *mesh;
    if (!is_empty) return tetrahedron();
    CHECK_OK(mote_mesh_create(NULL, NULL, 0, NULL, 0, &mesh, NULL));
    return mesh;
}

static void hits_calls(void **state)
{
    (void)state;
    mote_mesh *mesh = tetrahedron();
    mote_hits *hits, *f;
    const mote_points points = mote_points_xyz(at, 1);
    const mote_motions motions = {.from = points, .to = points};
    const mote_response response = mote_response_default();
    mote_response bad = response;
    const mote_particles particles = {.count = 0};
    mote_hit hit;
    mote_hit_list list;
    mote_closest mclosest;
    mote_vec3 position = w, velocity = w;
    bool inside;
    mote_error error;
    bad.kind = (mote_response_kind)9;
    REFUSED(mote_response_check(NULL, &error));
    REFUSED(mote_response_check(&bad, &error));
    (void)mote_response_apply(NULL, v, w, v);
    (void)mote_response_apply(&bad, v, w, v);
    bad = mote_response_bounce(-1, -1);
    REFUSED(mote_response_check(&bad, &error));
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &f, NULL));
    CHECK_OK(mote_hits_prepare_closest(f, NULL));
    REFUSED(mote_hits_create(NULL, NULL, NULL, &hits, &error));
    REFUSED(mote_hits_create(NULL, NULL, mesh, NULL, &error));
    const mote_mesh *const meshes[2] = {mesh, NULL};
    REFUSED(mote_hits_create_many(NULL, NULL, NULL, 1, &hits, &error));
    REFUSED(mote_hits_create_many(NULL, NULL, meshes, 2, &hits, &error));
    REFUSED(mote_hits_create_many(NULL, NULL, meshes, 1, NULL, &error));
    mote_hits_destroy(NULL);
    REFUSED(mote_hits_update(NULL, mesh->vertices, &error));
    REFUSED(mote_hits_update(f, NULL, &error));
    REFUSED(mote_hits_update_moving(NULL, mesh->vertices, mesh->vertices, &error));
    REFUSED(mote_hits_update_moving(f, NULL, NULL, &error));
    (void)mote_hits_segment(f, v, w, 7, &hit);
    ZERO(mote_hits_segment(NULL, v, w, 0, &hit));
    ZERO(mote_hits_segment(f, v, w, 0, NULL));
    ZERO(mote_hits_sphere(NULL, v, w, 0.1, &hit));
    ZERO(mote_hits_sphere(f, v, w, 0.1, NULL));
    ZERO(mote_hits_get_contacts(NULL).count);
    ZERO(mote_hits_get_contacts(f).count);
    (void)mote_hits_sphere(f, v, w, -1, &hit);
    REFUSED(mote_hits_query(NULL, &motions, &list, &error));
    REFUSED(mote_hits_query(f, NULL, &list, &error));
    REFUSED(mote_hits_query(f, &motions, NULL, &error));
    REFUSED(mote_hits_advance(NULL, &response, &particles, 1, NULL, &error));
    REFUSED(mote_hits_advance(f, NULL, &particles, 1, NULL, &error));
    REFUSED(mote_hits_advance(f, &response, NULL, 1, NULL, &error));
    REFUSED(mote_hits_advance(f, &bad, &particles, 1, NULL, &error));
    REFUSED(mote_hits_prepare_closest(NULL, &error));
    REFUSED(mote_hits_closest(NULL, v, 1, 0, &mclosest, &error));
    REFUSED(mote_hits_closest(f, v, 1, 0, NULL, &error));
    REFUSED(mote_hits_closest(f, v, 1, 7, &mclosest, &error));
    REFUSED(mote_hits_closest_all(NULL, &points, 1, 0, &mclosest, &error));
    REFUSED(mote_hits_closest_all(f, NULL, 1, 0, &mclosest, &error));
    REFUSED(mote_hits_closest_all(f, &points, 1, 0, NULL, &error));
    REFUSED(mote_hits_closest_all(f, &points, 1, 7, &mclosest, &error));
    REFUSED(mote_hits_is_inside(NULL, v, &inside, &error));
    REFUSED(mote_hits_is_inside(f, v, NULL, &error));
    REFUSED(mote_hits_slide(NULL, 1, &response, v, &position, &velocity, &error));
    REFUSED(mote_hits_slide(f, 1, NULL, v, &position, &velocity, &error));
    REFUSED(mote_hits_slide(f, 1, &response, v, NULL, &velocity, &error));
    REFUSED(mote_hits_slide(f, 1, &response, v, &position, NULL, &error));
    double winding;
    REFUSED(mote_hits_winding_number(NULL, v, 2, &winding, NULL, &error));
    (void)mote_hits_get_stats(NULL);
    ZERO(mote_hits_byte_count(NULL));
    const mote_hits_def usual = mote_hits_default_def();
    CHECK_OK(mote_fields_check(mote_hits_fields(), &usual, &error));
    REFUSED(mote_hits_validate(NULL, &error));
    mote_hits_destroy(f);
    mote_mesh_destroy(mesh);
}

// Calls on an object that is made, prepared, moved, refused vertices or memory, of a mesh with triangles and without.
static void ask_hits(mote_hits *hits)
{
    mote_error error;
    double positions[3] = {0.1, 0.1, -1}, velocities[3] = {0, 0, 2};
    const mote_points from = mote_points_xyz(at, 1), to = from;
    const mote_motions motions = {.from = from, .to = to};
    const mote_response response = mote_response_default();
    const mote_particles particles = {.positions = positions, .velocities = velocities, .count = 1};
    mote_hit hit;
    mote_hit_list list;
    mote_closest closest;
    mote_vec3 position = w, velocity = w;
    bool inside;
    (void)mote_hits_segment(hits, v, w, 0, &hit);
    (void)mote_hits_sphere(hits, v, w, 0.1, &hit);
    ANSWERS(mote_hits_closest(hits, v, 1, MOTE_SIGN_NORMAL, &closest, &error));
    ANSWERS(mote_hits_is_inside(hits, v, &inside, &error));
    ANSWERS(mote_hits_slide(hits, 0.1, &response, v, &position, &velocity, &error));
    double winding;
    ANSWERS(mote_hits_winding_number(hits, v, 2, &winding, NULL, &error));
    (void)mote_hits_get_stats(hits);
    CHECK(mote_hits_byte_count(hits) > 0, "no bytes");
    CHECK_OK(mote_hits_validate(hits, NULL));
    ANSWERS(mote_hits_query(hits, &motions, &list, &error));
    ANSWERS(mote_hits_advance(hits, &response, &particles, 1, NULL, &error));
    ANSWERS(mote_hits_closest_all(hits, &from, HUGE_VAL, MOTE_SIGN_WINDING, &closest, &error));
    CHECK_OK(mote_hits_validate(hits, NULL));
}

static void hits_states(void **state)
{
    mote_error error;
    (void)state;
    for (int step = 0; step < 12; ++step) {
        scarce_memory memory = {false};
        mote_context *context = scarce_context(&memory);
        mote_mesh *mesh = mesh_of(step & 1);
        mote_hits_def def = mote_hits_default_def();
        mote_hits *hits;
        mote_vec3 bad[4] = {{NAN, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
        CHECK_OK(mote_hits_create(context, &def, mesh, &hits, NULL));
        if (step / 2 == 1) CHECK_OK(mote_hits_prepare_closest(hits, NULL));
        if (step / 2 == 2) CHECK_OK(mote_hits_update(hits, mesh->vertices, NULL));
        if (step / 2 == 3) CHECK_OK(mote_hits_update_moving(hits, mesh->vertices, mesh->vertices, NULL));
        if (step / 2 == 4) ANSWERS(mote_hits_update(hits, bad, &error));
        memory.is_scarce = step / 2 == 5;
        ask_hits(hits);
        memory.is_scarce = false;
        ask_hits(hits);
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
        mote_context_destroy(context);
    }
}

static bool drop_bytes(void *data, const void *bytes, size_t count)
{
    (void)data, (void)bytes, (void)count;
    return true;
}

static void proxies(void **state)
{
    (void)state;
    mote_mesh *mesh = tetrahedron();
    const mote_mesh *meshes[1] = {mesh}, *nomeshes[1] = {NULL};
    const mote_proxy_def pdef = mote_proxy_default_def();
    mote_proxy *proxy, *p;
    mote_proxy_particles pparts = {.count = 0};
    mote_response presponse = mote_response_bounce(0, 0);
    mote_proxy_hit phit;
    mote_proxy_triangle_hit pthit;
    mote_error error;
    char text[33];
    memset(text, 0, sizeof text);
    CHECK_OK(mote_proxy_create(NULL, &pdef, meshes, 1, &p, NULL));
    REFUSED(mote_proxy_create(NULL, &pdef, NULL, 1, &proxy, &error));
    REFUSED(mote_proxy_create(NULL, &pdef, meshes, 1, NULL, &error));
    REFUSED(mote_proxy_create(NULL, &pdef, nomeshes, 1, &proxy, &error));
    mote_proxy_destroy(NULL);
    (void)mote_proxy_resolved_def(NULL);
    mote_proxy_drop_triangles(NULL);
    REFUSED(mote_proxy_write(NULL, drop_bytes, NULL, &error));
    REFUSED(mote_proxy_write(p, NULL, NULL, &error));
    REFUSED(mote_proxy_read(NULL, NULL, 10, &proxy, &error));
    REFUSED(mote_proxy_read(NULL, text, 10, NULL, &error));
    ZERO(mote_proxy_is_of(NULL, 0, meshes, 1, &pdef));
    ZERO(mote_proxy_is_of(text, 10, NULL, 1, &pdef));
    ZERO(mote_proxy_is_of(text, 10, meshes, 1, NULL));
    mote_proxy_key(NULL, 0, &pdef, text);
    mote_proxy_key(meshes, 1, NULL, text);
    mote_proxy_key(meshes, 1, &pdef, NULL);
    (void)mote_proxy_particles_xyz(NULL, NULL, NULL, 0);
    REFUSED(mote_proxy_stamp(NULL, &pparts, &error));
    REFUSED(mote_proxy_stamp(p, NULL, &error));
    REFUSED(mote_proxy_advance(NULL, &pparts, 0.1, &presponse, NULL, &error));
    REFUSED(mote_proxy_advance(p, NULL, 0.1, &presponse, NULL, &error));
    REFUSED(mote_proxy_advance(p, &pparts, 0.1, NULL, NULL, &error));
    REFUSED(mote_proxy_hits(NULL, &pparts, 0.1, &phit, &error));
    REFUSED(mote_proxy_hits(p, NULL, 0.1, &phit, &error));
    REFUSED(mote_proxy_first_triangles(NULL, &pparts, 0.1, &pthit, &error));
    REFUSED(mote_proxy_first_triangles(p, NULL, 0.1, &pthit, &error));
    (void)mote_proxy_get_arrays(NULL);
    (void)mote_proxy_locate(NULL, v);
    (void)mote_proxy_get_stats(NULL);
    ZERO(mote_proxy_byte_count(NULL));
    const mote_proxy_def usual = mote_proxy_default_def();
    CHECK_OK(mote_fields_check(mote_proxy_fields(), &usual, &error));
    REFUSED(mote_proxy_validate(NULL, &error));
    mote_proxy_destroy(p);
    mote_mesh_destroy(mesh);
}

static void ask_proxy(mote_proxy *proxy)
{
    mote_error error;
    float position[3] = {0.1f, 0.1f, -1}, velocity[3] = {0, 0, 1};
    uint8_t label = 0;
    mote_proxy_particles particles = mote_proxy_particles_xyz(position, velocity, &label, 1);
    const mote_response response = mote_response_bounce(0, 0);
    mote_proxy_hit hit;
    mote_proxy_triangle_hit triangle;
    (void)mote_proxy_resolved_def(proxy);
    (void)mote_proxy_get_arrays(proxy);
    (void)mote_proxy_locate(proxy, v);
    (void)mote_proxy_get_stats(proxy);
    CHECK(mote_proxy_byte_count(proxy) > 0, "no bytes");
    CHECK_OK(mote_proxy_validate(proxy, NULL));
    CHECK_OK(mote_proxy_write(proxy, drop_bytes, NULL, NULL));
    ANSWERS(mote_proxy_stamp(proxy, &particles, &error));
    ANSWERS(mote_proxy_advance(proxy, &particles, 0.1, &response, NULL, &error));
    ANSWERS(mote_proxy_hits(proxy, &particles, 0.1, &hit, &error));
    ANSWERS(mote_proxy_first_triangles(proxy, &particles, 0.1, &triangle, &error));
}

static void proxy_states(void **state)
{
    (void)state;
    mote_mesh *mesh = tetrahedron();
    const mote_mesh *meshes[1] = {mesh};
    mote_proxy *proxy;
    CHECK_OK(mote_proxy_create(NULL, NULL, meshes, 1, &proxy, NULL));
    ask_proxy(proxy);
    mote_proxy_drop_triangles(proxy);
    ask_proxy(proxy);
    mote_proxy_destroy(proxy);
    mote_mesh_destroy(mesh);
}

static void rasters(void **state)
{
    (void)state;
    mote_mesh *mesh = tetrahedron();
    mote_raster *raster, *r;
    const mote_points points = mote_points_xyz(at, 1);
    const mote_raster_edge_set eset = {.vertices = mesh->vertices, .vertex_count = 4, .edge_count = 0};
    mote_raster_edge_list elist;
    mote_raster_pairs rpairs = {0};
    mote_error error;
    CHECK_OK(mote_raster_create(NULL, 1, &r, NULL));
    ZERO(mote_raster_mean_edge(NULL));
    REFUSED(mote_raster_create(NULL, 1, NULL, &error));
    REFUSED(mote_raster_create_for_mesh(NULL, NULL, &raster, &error));
    REFUSED(mote_raster_create_for_mesh(NULL, mesh, NULL, &error));
    mote_raster_destroy(NULL);
    REFUSED(mote_raster_update(NULL, points, &error));
    REFUSED(mote_raster_list_edges(NULL, &elist, &error));
    REFUSED(mote_raster_list_edges(mesh, NULL, &error));
    mote_raster_edge_list_release(NULL);
    REFUSED(mote_raster_update_edges(NULL, &eset, &error));
    REFUSED(mote_raster_update_edges(r, NULL, &error));
    mote_raster_pairs_release(NULL);
    REFUSED(mote_raster_triangles(NULL, mesh, NULL, &rpairs, &error));
    REFUSED(mote_raster_triangles(r, NULL, NULL, &rpairs, &error));
    REFUSED(mote_raster_triangles(r, mesh, NULL, NULL, &error));
    REFUSED(mote_raster_edges(NULL, &eset, NULL, &rpairs, &error));
    REFUSED(mote_raster_edges(r, NULL, NULL, &rpairs, &error));
    REFUSED(mote_raster_edges(r, &eset, NULL, NULL, &error));
    (void)mote_raster_get_stats(NULL);
    ZERO(mote_raster_byte_count(NULL));
    REFUSED(mote_raster_validate(NULL, &error));
    mote_raster_destroy(r);
    mote_mesh_destroy(mesh);
}

static void ask_raster(const mote_raster *raster, const mote_mesh *mesh)
{
    mote_error error;
    const mote_raster_query query = mote_raster_query_default();
    mote_raster_pairs pairs = {0};
    mote_raster_edge_list list;
    CHECK_OK(mote_raster_list_edges(mesh, &list, NULL));
    const mote_raster_edge_set edges = {mesh->vertices, mesh->vertex_count, list.edges, list.count};
    ANSWERS(mote_raster_triangles(raster, mesh, &query, &pairs, &error));
    ANSWERS(mote_raster_edges(raster, &edges, &query, &pairs, &error));
    (void)mote_raster_get_stats(raster);
    CHECK(mote_raster_byte_count(raster) > 0, "no bytes");
    CHECK_OK(mote_raster_validate(raster, NULL));
    mote_raster_edge_list_release(&list);
    mote_raster_pairs_release(&pairs);
}

// Made, with points, with edges, refused points or memory, emptied.
static void raster_states(void **state)
{
    mote_error error;
    (void)state;
    mote_mesh *mesh = tetrahedron();
    const float bad[3] = {NAN, 0, 0};
    for (int step = 0; step < 6; ++step) {
        scarce_memory memory = {false};
        mote_context *context = scarce_context(&memory);
        mote_raster *raster;
        mote_raster_edge_list list;
        CHECK(mote_raster_mean_edge(mesh) > 1, "mean edge");
        CHECK_OK(mote_raster_create_for_mesh(context, mesh, &raster, NULL));
        CHECK_OK(mote_raster_list_edges(mesh, &list, NULL));
        const mote_raster_edge_set edges = {mesh->vertices, mesh->vertex_count, list.edges, list.count};
        if (step > 0) CHECK_OK(mote_raster_update(raster, mote_points_xyz(at, 1), NULL));
        if (step == 2) CHECK_OK(mote_raster_update_edges(raster, &edges, NULL));
        if (step == 3) ANSWERS(mote_raster_update(raster, mote_points_xyz(bad, 1), &error));
        memory.is_scarce = step == 4;
        if (step == 4) ANSWERS(mote_raster_update_edges(raster, &edges, &error));
        memory.is_scarce = false;
        if (step == 5) CHECK_OK(mote_raster_update(raster, mote_points_xyz(at, 0), NULL));
        ask_raster(raster, mesh);
        mote_raster_edge_list_release(&list);
        mote_raster_destroy(raster);
        mote_context_destroy(context);
    }
    mote_mesh_destroy(mesh);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_calls),
        cmocka_unit_test(hits_states),
        cmocka_unit_test(proxies),
        cmocka_unit_test(proxy_states),
        cmocka_unit_test(rasters),
        cmocka_unit_test(raster_states),
    };
    RUN_TESTS(tests, argc, argv);
}
