// SPDX-License-Identifier: MIT
// Who met what, several meshes in one object, and what rest, load and squeezing leave of a sphere's distance.

#include <float.h>

#include "base/tested.h"
#include "mote/hits.h"
#include "support/closest.h"
#include "support/shapes.h"
#include "support/test.h"

static void move_mesh(mote_mesh *mesh, mote_vec3 by)
{
    for (size_t v = 0; v < mesh->vertex_count; ++v) mesh->vertices[v] = mote_vec3_add(mesh->vertices[v], by);
}

// ------------------------------------------------------------------------------------------------- several meshes

// Three cubes in a row, and one mesh without triangles between them.
static mote_hits *make_row(mote_context *context)
{
    mote_mesh *cubes[4];
    mote_hits *hits;
    for (int m = 0; m < 4; ++m) {
        cubes[m] = shape_cube(context, 1);
        move_mesh(cubes[m], mote_vec3_make(2 * m, 0, 0));
    }
    cubes[1]->triangle_count = 0;
    CHECK_OK(mote_hits_create_many(context, NULL, (const mote_mesh *const *)cubes, 4, &hits, NULL));
    cubes[1]->triangle_count = cubes[0]->triangle_count;
    for (int m = 0; m < 4; ++m) mote_mesh_destroy(cubes[m]);
    return hits;
}

static void several_meshes_are_told_apart(void **state)
{
    (void)state;
    mote_hits *hits = make_row(NULL);
    mote_mesh *cube = shape_cube(NULL, 1);
    mote_hits *alone;
    CHECK_OK(mote_hits_create(NULL, NULL, cube, &alone, NULL));
    CHECK_OK(mote_hits_prepare_closest(hits, NULL));
    for (uint32_t m = 0; m < 4; ++m) {
        const mote_vec3 from = {2 * m + 0.3, 0.6, 2}, to = {2 * m + 0.3, 0.6, 0.5};
        const mote_vec3 own[2] = {{0.3, 0.6, 2}, {0.3, 0.6, 0.5}};
        mote_hit hit, expected;
        assert_int_equal(mote_hits_segment(hits, from, to, 0, &hit), m != 1);
        if (m == 1) continue;
        CHECK(mote_hits_segment(alone, own[0], own[1], 0, &expected), "the cube alone is missed");
        CHECK(hit.mesh == m && hit.triangle == expected.triangle, "cube %u: mesh %u, triangle %u, expected %u", m,
              hit.mesh, hit.triangle, expected.triangle);
        CHECK(expected.mesh == 0, "a mesh alone has number %u", expected.mesh);
        CHECK(mote_hits_sphere(hits, from, to, 0.1, &hit) && hit.mesh == m, "sphere: mesh %u", hit.mesh);
        mote_closest closest;
        CHECK(test_closest(hits, from, MOTE_SIGN_NORMAL, &closest), "nothing is closest");
        CHECK(closest.mesh == m && closest.triangle == expected.triangle, "closest: mesh %u, triangle %u", closest.mesh,
              closest.triangle);
    }
    mote_hits_destroy(alone);
    mote_hits_destroy(hits);
    mote_mesh_destroy(cube);
}

static void many_meshes_are_refused_or_none(void **state)
{
    (void)state;
    mote_hits *hits;
    mote_error error;
    const mote_mesh *none[2] = {NULL, NULL};
    assert_int_equal(mote_hits_create_many(NULL, NULL, none, 2, &hits, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_hits_create_many(NULL, NULL, NULL, 2, &hits, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_hits_create_many(NULL, NULL, NULL, 0, NULL, &error), MOTE_ERROR_ARGUMENT);
    CHECK_OK(mote_hits_create_many(NULL, NULL, NULL, 0, &hits, &error));
    mote_hit hit;
    assert_false(mote_hits_segment(hits, mote_vec3_make(0, 0, 0), mote_vec3_make(1, 1, 1), 0, &hit));
    mote_hits_destroy(hits);
}

// ------------------------------------------------------------------------------------------------------- contacts

enum { BALLS = 3000 };

typedef struct rain {
    double positions[3 * BALLS], velocities[3 * BALLS], radii[BALLS];
    mote_particles view;
} rain;

static void make_rain(rain *r, bool balls)
{
    mote_random random = {3};
    for (size_t i = 0; i < BALLS; ++i) {
        for (size_t k = 0; k < 3; ++k) r->velocities[3 * i + k] = 4 * (mote_random_unit(&random) - 0.5);
        r->positions[3 * i] = 8 * mote_random_unit(&random) - 0.5;
        r->positions[3 * i + 1] = mote_random_unit(&random);
        r->positions[3 * i + 2] = 1.5 + mote_random_unit(&random);
        r->velocities[3 * i + 2] = -4;
        r->radii[i] = 0.05 * mote_random_unit(&random);
    }
    r->view = (mote_particles){r->positions, r->velocities, balls ? r->radii : NULL, NULL, BALLS};
}

// Every hit is listed, in order, lies on the mesh that it names, and a step's own order is that of time.
static void check_list(const mote_contact_list *list, uint64_t hit_count)
{
    assert_int_equal(list->count, hit_count);
    for (size_t k = 0; k < list->count; ++k) {
        const mote_contact *c = &list->contacts[k], *before = c - 1;
        CHECK(c->kind == MOTE_CONTACT_HIT && c->mesh < 4 && c->mesh != 1, "contact %zu: mesh %u", k, c->mesh);
        CHECK(c->time >= 0 && c->time <= 1, "contact %zu: time %g", k, c->time);
        CHECK(c->point.x >= 2 * c->mesh - 1e-12 && c->point.x <= 2 * c->mesh + 1 + 1e-12, "contact %zu: x %g, mesh %u",
              k, c->point.x, c->mesh);
        if (k == 0) continue;
        CHECK(before->particle <= c->particle, "contact %zu is out of order", k);
        CHECK(before->particle < c->particle || before->time <= c->time, "contact %zu comes too late", k);
    }
}

static void hits_are_listed_on_request(void **state)
{
    (void)state;
    static rain r;
    static mote_contact expected[20 * BALLS];
    for (int balls = 0; balls < 2; ++balls) {
        size_t count = 0;
        for (uint32_t threads = 1; threads <= 5; threads += 2) {
            mote_context *context = test_context_with_threads(threads);
            mote_hits *hits = make_row(context);
            mote_response response = mote_response_default();
            uint64_t hit_count;
            make_rain(&r, balls == 1);
            CHECK_OK(mote_hits_advance(hits, &response, &r.view, 0.5, &hit_count, NULL));
            assert_int_equal(mote_hits_get_contacts(hits).count, 0);
            make_rain(&r, balls == 1);
            response.lists_hits = true;
            CHECK_OK(mote_hits_advance(hits, &response, &r.view, 0.5, &hit_count, NULL));
            const mote_contact_list list = mote_hits_get_contacts(hits);
            CHECK(hit_count > BALLS / 4 && hit_count < 20 * BALLS, "%llu hits", (unsigned long long)hit_count);
            check_list(&list, hit_count);
            if (threads == 1) memcpy(expected, list.contacts, list.count * sizeof *expected), count = list.count;
            assert_int_equal(list.count, count);
            assert_memory_equal(list.contacts, expected, count * sizeof *expected);
            mote_hits_destroy(hits);
            mote_context_destroy(context);
        }
    }
}

static mote_result advance_in(mote_context *context, void *data)
{
    static rain r;
    (void)data;
    mote_mesh *cube = NULL;
    mote_hits *hits = NULL;
    mote_response response = mote_response_default();
    response.lists_hits = true;
    make_rain(&r, true);
    const double before = r.positions[0];
    mote_result result = mote_mesh_create(context, (const mote_vec3[]){{-9, -9, 1}, {9, -9, 1}, {0, 9, 1}}, 3,
                                          (const uint32_t[]){0, 1, 2}, 1, &cube, NULL);
    const mote_mesh *const meshes[2] = {cube, cube};
    if (result == MOTE_OK) result = mote_hits_create_many(context, NULL, meshes, 2, &hits, NULL);
    if (result == MOTE_OK) result = mote_hits_advance(hits, &response, &r.view, 0.5, NULL, NULL);
    if (result != MOTE_OK) CHECK(r.positions[0] == before, "particles have moved");
    if (hits && result != MOTE_OK) assert_int_equal(mote_hits_get_contacts(hits).count, 0);
    mote_hits_destroy(hits);
    mote_mesh_destroy(cube);
    return result;
}

static void failing_allocations_move_nothing(void **state)
{
    (void)state;
    test_failing_allocations(advance_in, NULL);
}

// --------------------------------------------------------------------------------------------------- rest and room

// How deep a ball lies in the floor of a cube [radii], after so many steps of falling upon it.
static double depth_after(mote_hits *hits, mote_response_kind kind, double offset, double radius, int steps)
{
    mote_response response = mote_response_default();
    response.kind = kind;
    response.restitution = 0;
    double at[3] = {offset + 0.43, offset + 0.41, offset + 0.3}, velocity[3] = {0, 0, 0};
    const mote_particles one = {at, velocity, &radius, NULL, 1};
    for (int s = 0; s < steps; ++s) {
        velocity[0] = velocity[1] = 0;
        velocity[2] = -0.1;
        CHECK_OK(mote_hits_advance(hits, &response, &one, 1, NULL, NULL));
    }
    return radius - (at[2] - offset);
}

static void balls_at_rest_do_not_sink(void **state)
{
    (void)state;
    const double offsets[] = {0, 1e6};
    for (int o = 0; o < 2; ++o) {
        mote_mesh *mesh = shape_cube(NULL, 1);
        move_mesh(mesh, mote_vec3_make(offsets[o], offsets[o], offsets[o]));
        mote_hits *hits;
        CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
        for (int kind = MOTE_RESPONSE_BOUNCE; kind <= MOTE_RESPONSE_STOP; ++kind)
            for (double radius = 0.1; radius > 1e-5; radius *= 0.1) {
                const int steps = SLOW_BUILD ? 1000 : getenv("MOTE_LONG_TESTS") ? 1000000 : 10000;
                const double early = depth_after(hits, (mote_response_kind)kind, offsets[o], radius, 100);
                const double late = depth_after(hits, (mote_response_kind)kind, offsets[o], radius, steps);
                CHECK(early <= 0 && late <= 0, "radius %g, response %d: %g deep, later %g", radius, kind, early, late);
                CHECK(late >= -fmax(1e-5 * radius, 1e-8), "radius %g, response %d: hovers at %g", radius, kind, -late);
            }
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
}

// A ball between a floor at rest and a lid that comes down upon it, and goes up again.
static void what_is_squeezed_is_named_and_let_go(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_cube(NULL, 1);
    mote_vec3 *start = malloc(mesh->vertex_count * sizeof *start), *end = malloc(mesh->vertex_count * sizeof *end);
    mote_hits *hits;
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    const double heights[] = {1, 0.5, 0.1, 0.01, 1e-6, 0.01, 0.1, 0.5, 1};
    double at[3] = {0.4, 0.45, 0.3}, velocity[3] = {0, 0, 0};
    const double radius = 0.1;
    const mote_particles one = {at, velocity, &radius, NULL, 1};
    const mote_response response = mote_response_default();
    memcpy(end, mesh->vertices, mesh->vertex_count * sizeof *end);
    for (int s = 1; s < 9; ++s) {
        memcpy(start, end, mesh->vertex_count * sizeof *end);
        for (size_t v = 0; v < mesh->vertex_count; ++v) end[v].z = mesh->vertices[v].z * heights[s];
        CHECK_OK(mote_hits_update_moving(hits, start, end, NULL));
        CHECK_OK(mote_hits_advance(hits, &response, &one, 1, NULL, NULL));
        const mote_contact_list list = mote_hits_get_contacts(hits);
        CHECK(at[2] > 0 && at[2] < heights[s], "height %g: at %g", heights[s], at[2]);
        const bool has_room = heights[s] > 2 * radius;
        CHECK((list.squeezed == 1) == (heights[s] < heights[s - 1] && !has_room), "height %g: %llu squeezed",
              heights[s], (unsigned long long)list.squeezed);
        CHECK(list.crushed == 0 && list.count == list.squeezed, "height %g: %zu contacts", heights[s], list.count);
    }
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
    free(start);
    free(end);
}

// The lid goes through the floor.
static void what_is_crushed_is_named(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_cube(NULL, 1);
    mote_vec3 *end = malloc(mesh->vertex_count * sizeof *end);
    mote_hits *hits;
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        end[v] = mesh->vertices[v];
        if (end[v].z > 0) end[v].z = -0.5;
    }
    CHECK_OK(mote_hits_update_moving(hits, mesh->vertices, end, NULL));
    for (int balls = 0; balls < 2; ++balls) {
        double at[6] = {0.4, 0.45, 0.3, 5, 5, 5}, velocity[6] = {0, 0, 0, 0, 0, 1};
        const double radii[2] = {0.1, 0.1};
        const mote_particles two = {at, velocity, balls ? radii : NULL, NULL, 2};
        const mote_response response = mote_response_default();
        CHECK_OK(mote_hits_advance(hits, &response, &two, 1, NULL, NULL));
        const mote_contact_list list = mote_hits_get_contacts(hits);
        CHECK(list.crushed == 1 && list.squeezed == (balls ? 1 : 0), "%llu crushed", (unsigned long long)list.crushed);
        const mote_contact *last = &list.contacts[list.count - 1];
        CHECK(last->kind == MOTE_CONTACT_CRUSHED && last->particle == 0, "kind %d", (int)last->kind);
        CHECK(last->time > 0.5 && last->time < 0.75, "crushed at %g, expected near 2/3", last->time);
        CHECK(at[5] == 6, "the other one is at %g", at[5]);
    }
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
    free(end);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_meshes_are_told_apart),
        cmocka_unit_test(many_meshes_are_refused_or_none),
        cmocka_unit_test(hits_are_listed_on_request),
        cmocka_unit_test(failing_allocations_move_nothing),
        cmocka_unit_test(balls_at_rest_do_not_sink),
        cmocka_unit_test(what_is_squeezed_is_named_and_let_go),
        cmocka_unit_test(what_is_crushed_is_named),
    };
    RUN_TESTS(tests, argc, argv);
}
