// SPDX-License-Identifier: MIT
// Particles that bounce, slide, stick, stop and vanish, and that never get through.

#include <float.h>

#include "base/tested.h"
#include "mote/hits.h"
#include "support/shapes.h"
#include "support/test.h"

enum { STEPS = SANITIZED ? 20 : 200, SCALED = 40 };

static size_t particles(void)
{
    return SANITIZED ? 300 : getenv("MOTE_LONG_TESTS") ? 10000 : 3000;
}

typedef struct cloud {
    double *positions, *velocities, *radii;
    uint8_t *dead;
    mote_particles view;
} cloud;

static cloud make_cloud(const mote_mesh *mesh, bool inside, size_t count, double speed)
{
    cloud c = {malloc(3 * count * sizeof(double)), malloc(3 * count * sizeof(double)), NULL, calloc(count, 1), {0}};
    const mote_box box = mote_mesh_box(mesh);
    mote_random random = {6};
    for (size_t i = 0; i < count; ++i) {
        mote_vec3 p;
        do {
            const double x = mote_random_unit(&random), y = mote_random_unit(&random), z = mote_random_unit(&random);
            p = mote_vec3_make(box.min.x + x * (box.max.x - box.min.x), box.min.y + y * (box.max.y - box.min.y),
                               box.min.z + z * (box.max.z - box.min.z));
        } while ((mote_mesh_winding_number(mesh, p) > 0.5) != inside);
        const double xyz[3] = {p.x, p.y, p.z};
        memcpy(c.positions + 3 * i, xyz, sizeof xyz);
        for (size_t k = 0; k < 3; ++k) c.velocities[3 * i + k] = speed * (2 * mote_random_unit(&random) - 1);
    }
    c.view = (mote_particles){.positions = c.positions, .velocities = c.velocities, .count = count};
    return c;
}

static void free_cloud(cloud *c)
{
    free(c->positions);
    free(c->velocities);
    free(c->radii);
    free(c->dead);
}

static void pull_down(cloud *c, double by)
{
    for (size_t i = 0; i < c->view.count; ++i) c->velocities[3 * i + 2] -= by;
}

static mote_vec3 position_at(const double xyz[3])
{
    return mote_vec3_make(xyz[0], xyz[1], xyz[2]);
}

static mote_vec3 position_of(const cloud *c, size_t i)
{
    return position_at(c->positions + 3 * i);
}

static void check_inside(const char *name, const mote_mesh *mesh, const cloud *c, bool inside, size_t every)
{
    for (size_t i = 0; i < c->view.count; i += every)
        CHECK((mote_mesh_winding_number(mesh, position_of(c, i)) > 0.5) == inside, "%s: particle %zu escaped", name, i);
}

static void run_case(const char *name, mote_mesh *mesh, mote_response response, double speed, double gravity,
                     size_t count)
{
    mote_hits *hits;
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    cloud c = make_cloud(mesh, true, count, speed);
    uint64_t all = 0;
    for (int step = 0; step < STEPS; ++step) {
        uint64_t hit_count;
        pull_down(&c, gravity * 0.01);
        CHECK_OK(mote_hits_advance(hits, &response, &c.view, 0.01, &hit_count, NULL));
        all += hit_count;
    }
    CHECK(all > count / 10, "%s: only %llu hits", name, (unsigned long long)all);
    check_inside(name, mesh, &c, true, mesh->triangle_count > 500 ? 20 : 1);
    free_cloud(&c);
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

static void none_gets_out_of_a_star(void **state)
{
    (void)state;
    mote_response response = mote_response_default();
    for (int k = 0; k < 2; ++k) {
        response.restitution = 0.5 * k;
        run_case("star", shape_star(NULL), response, 2, 10, particles() / 10);
    }
}

static void none_gets_out_of_a_sphere(void **state)
{
    (void)state;
    mote_response response = mote_response_default();
    response.restitution = 1;
    run_case("sphere", shape_sphere(NULL, 4), response, 20, 0, particles());
}

static void none_slides_out_of_a_spike(void **state)
{
    (void)state;
    mote_response response = mote_response_default();
    response.kind = MOTE_RESPONSE_SLIDE;
    response.friction = 0.1;
    run_case("spike", shape_spike(NULL), response, 0.1, 1, particles() / 4);
}

static void none_sticks_outside(void **state)
{
    (void)state;
    mote_response response = mote_response_default();
    response.kind = MOTE_RESPONSE_STICK;
    run_case("sphere", shape_sphere(NULL, 3), response, 2, 1, particles());
}

// A star that turns and swells, with particles inside.
static void none_gets_out_of_a_moving_star(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_star(NULL), *next = shape_star(NULL);
    const mote_mesh *shape = shape_star(NULL);
    mote_hits *hits;
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    cloud c = make_cloud(mesh, true, SANITIZED ? 50 : 1000, 1);
    mote_response response = mote_response_default();
    uint64_t all = 0;
    for (int step = 1; step <= (SANITIZED ? 10 : 60); ++step) {
        const double swell = 1 + 0.2 * (step % 20 < 10 ? step % 10 : 10 - step % 10) / 10;
        mote_placement placement = {swell, {3.0 * step, 2.0 * step, 0}, {0, 0.02 * step, 0}};
        for (size_t v = 0; v < mesh->vertex_count; ++v) {
            mesh->vertices[v] = next->vertices[v];
            next->vertices[v] = shape->vertices[v];
        }
        mote_mesh_place(next, &placement);
        CHECK_OK(mote_hits_update_moving(hits, mesh->vertices, next->vertices, NULL));
        uint64_t hit_count;
        pull_down(&c, 0.02);
        CHECK_OK(mote_hits_advance(hits, &response, &c.view, 0.01, &hit_count, NULL));
        all += hit_count;
        check_inside("moving star", next, &c, true, 1);
    }
    CHECK(all > (SANITIZED ? 5 : 100), "only %llu hits", (unsigned long long)all);
    free_cloud(&c);
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
    mote_mesh_destroy(next);
    mote_mesh_destroy((mote_mesh *)shape);
}

// One particle that falls upon a cube.
static mote_vec3 drop(mote_response response, double *velocity, double radius, uint8_t *dead)
{
    mote_mesh *mesh = shape_cube(NULL, 2);
    mote_hits *hits;
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    double position[3] = {0.3, 0.4, 1.5};
    const double down[3] = {1, 0, -4};
    memcpy(velocity, down, sizeof down);
    const mote_particles one = {position, velocity, radius > 0 ? &radius : NULL, dead, 1};
    uint64_t hit_count;
    CHECK_OK(mote_hits_advance(hits, &response, &one, 0.25, &hit_count, NULL));
    assert_int_equal(hit_count, 1);
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
    return mote_vec3_make(position[0], position[1], position[2]);
}

static void responses_do_as_they_say(void **state)
{
    (void)state;
    double v[3];
    uint8_t dead = 0;
    mote_response response = mote_response_default();
    response.friction = 0.1;
    // Meets z = 1 after half of the step; comes back with 2, and friction takes 0.1 · 6 of the velocity along.
    mote_vec3 p = drop(response, v, 0, NULL);
    CHECK(fabs(v[2] - 2) < 1e-9 && fabs(v[0] - 0.4) < 1e-9, "bounce: velocity (%g, %g, %g)", v[0], v[1], v[2]);
    CHECK(fabs(p.z - 1.25) < 1e-8 && fabs(p.x - 0.475) < 1e-8, "bounce: at (%g, %g, %g)", p.x, p.y, p.z);
    p = drop(response, v, 0.25, NULL);
    CHECK(fabs(p.z - 1.625) < 1e-5 && fabs(v[2] - 2) < 1e-6, "sphere: at (%g, %g, %g)", p.x, p.y, p.z);
    response.kind = MOTE_RESPONSE_SLIDE;
    p = drop(response, v, 0, NULL);
    CHECK(fabs(v[2]) < 1e-9 && fabs(v[0] - 0.6) < 1e-9 && fabs(p.z - 1) < 1e-8 && p.z > 1, "slide: z %g", p.z);
    response.kind = MOTE_RESPONSE_STICK;
    p = drop(response, v, 0, NULL);
    CHECK(v[0] == 0 && v[2] == 0 && fabs(p.x - 0.425) < 1e-8 && p.z > 1, "stick: at (%g, %g, %g)", p.x, p.y, p.z);
    response.kind = MOTE_RESPONSE_KILL;
    drop(response, v, 0, &dead);
    assert_int_equal(dead, 1);
}

static void bad_responses_are_refused(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_cube(NULL, 1);
    mote_hits *hits;
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    double xyz[3] = {0}, v[3] = {0};
    const mote_particles one = {xyz, v, NULL, NULL, 1};
    mote_error error;
    for (int k = 0; k < 7; ++k) {
        mote_response response = mote_response_default();
        if (k == 0) response.restitution = 1.5;
        if (k == 1) response.friction = -1;
        if (k == 2) response.most_hits = 0;
        if (k == 3) response.kind = MOTE_RESPONSE_KILL;
        if (k == 4) response.cookie = 1;
        if (k == 6) response.kind = (mote_response_kind)9;
        assert_int_equal(mote_hits_advance(hits, &response, &one, k == 5 ? 0 : 1, NULL, &error), MOTE_ERROR_ARGUMENT);
    }
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

static void bad_particles_are_refused(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_cube(NULL, 1);
    mote_hits *hits;
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    double xyz[6] = {0}, v[6] = {0};
    double radii[2] = {0.1, 0};
    const double bad_radii[] = {-1, NAN, INFINITY};
    const mote_response response = mote_response_default();
    mote_error error;
    for (int k = 0; k < 5; ++k) {
        const mote_particles two = {k == 3 ? NULL : xyz, k == 4 ? NULL : v, radii, NULL, 2};
        radii[1] = k < 3 ? bad_radii[k] : 0;
        assert_int_equal(mote_hits_advance(hits, &response, &two, 1, NULL, &error), MOTE_ERROR_ARGUMENT);
        assert_int_equal(error.index, k < 3 ? 1 : 0);
    }
    const mote_particles none = {NULL, NULL, NULL, NULL, 0};
    CHECK_OK(mote_hits_advance(hits, &response, &none, 1, NULL, NULL));
    assert_int_equal(mote_hits_update(hits, NULL, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_hits_update_moving(hits, mesh->vertices, NULL, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_hits_update_moving(hits, NULL, mesh->vertices, &error), MOTE_ERROR_ARGUMENT);
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

// From inside of a cube: where no hit can be looked for, no particle goes.
static void motions_without_an_end_stay_inside(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_cube(NULL, 1);
    mote_hits *hits;
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    const mote_response response = mote_response_default();
    const double speeds[] = {NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, 1e200, 0x1p249, 0x1p200, 1e30};
    for (size_t k = 0; k < sizeof speeds / sizeof *speeds; ++k)
        for (int axis = 0; axis < 3; ++axis) {
            double xyz[6] = {0.1, 0.2, 0.3, 0.1, 0.2, 0.3}, v[6] = {0, 0, 0, 0, 0, 1};
            v[axis] = speeds[k];
            const mote_particles two = {xyz, v, NULL, NULL, 2};
            CHECK_OK(mote_hits_advance(hits, &response, &two, 2, NULL, NULL));
            for (int i = 0; i < 6; ++i) CHECK(fabs(xyz[i]) <= 1, "speed %g: coordinate %d is %g", speeds[k], i, xyz[i]);
            CHECK(fabs(v[5]) == 0.5, "speed %g: the other one has velocity %g", speeds[k], v[5]);
        }
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

// However large: a sphere that touches all of a cube stays in it.
static void large_spheres_stay_inside(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_cube(NULL, 1);
    const mote_box box = mote_mesh_box(mesh);
    mote_hits *hits;
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    const mote_response response = mote_response_default();
    for (int exponent = 0; exponent <= 1020; exponent += 20)
        for (int moves = 0; moves < 2; ++moves) {
            const double radius = ldexp(1, exponent), along = 0.4 * box.min.x + 0.6 * box.max.x;
            double xyz[3] = {along, along, along}, v[3] = {1, 0.1, 0.2};
            const mote_particles one = {xyz, v, &radius, NULL, 1};
            if (moves)
                CHECK_OK(mote_hits_update_moving(hits, mesh->vertices, mesh->vertices, NULL));
            else
                CHECK_OK(mote_hits_update(hits, mesh->vertices, NULL));
            CHECK_OK(mote_hits_advance(hits, &response, &one, 10, NULL, NULL));
            CHECK(mote_box_contains(box, position_at(xyz)), "radius 2^%d is at %g %g %g", exponent, xyz[0], xyz[1],
                  xyz[2]);
        }
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

// Where particles come to in a cube of that size, in its sizes, with time steps so long.
static void run_scaled(int exponent, double time_step, double friction, bool moves, double xyz[3 * SCALED])
{
    const double size = ldexp(1, exponent);
    mote_mesh *mesh = shape_cube(NULL, 1);
    double velocities[3 * SCALED], radii[SCALED];
    mote_random random = {9};
    mote_hits *hits;
    mote_response response = mote_response_default();
    response.friction = friction;
    for (size_t v = 0; v < mesh->vertex_count; ++v) mesh->vertices[v] = mote_vec3_scale(mesh->vertices[v], size);
    const mote_box box = mote_mesh_box(mesh);
    mote_vec3 *end = malloc(mesh->vertex_count * sizeof *end);
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        end[v] = mesh->vertices[v];
        end[v].z *= 0.75;
    }
    for (size_t i = 0; i < SCALED; ++i) radii[i] = i % 2 ? 0 : 0.125 * mote_random_unit(&random) * size;
    for (size_t i = 0; i < 3 * SCALED; ++i) {
        xyz[i] = box.min.x + (0.25 + 0.5 * mote_random_unit(&random)) * (box.max.x - box.min.x);
        velocities[i] = (8 * mote_random_unit(&random) - 4) * size / time_step;
    }
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    if (moves) CHECK_OK(mote_hits_update_moving(hits, mesh->vertices, end, NULL));
    const mote_particles all = {xyz, velocities, radii, NULL, SCALED};
    CHECK_OK(mote_hits_advance(hits, &response, &all, time_step, NULL, NULL));
    for (size_t i = 0; i < 3 * SCALED; ++i) xyz[i] /= size;
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
    free(end);
}

// A power of two in all lengths shows in no bit, from one end of the number range to the other. Nor does the shortest
// step.
static void scales_do_not_matter(void **state)
{
    (void)state;
    static const int exponents[] = {-900, -520, -30, 300, 520, 900};
    double expected[3 * SCALED], xyz[3 * SCALED];
    for (int k = 0; k < 4; ++k) {
        run_scaled(0, 1, 0.25 * (k % 2), k / 2, expected);
        for (size_t e = 0; e < sizeof exponents / sizeof *exponents; ++e) {
            run_scaled(exponents[e], 1, 0.25 * (k % 2), k / 2, xyz);
            CHECK(memcmp(xyz, expected, sizeof xyz) == 0, "2^%d, case %d", exponents[e], k);
        }
        run_scaled(-40, 0x1p-1030, 0.25 * (k % 2), k / 2, xyz);
        // Parts of so short a step are rounded.
        for (size_t i = 0; i < 3 * SCALED; ++i)
            CHECK(fabs(xyz[i] - expected[i]) < 1e-9, "case %d: %g, expected %g", k, xyz[i], expected[i]);
    }
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 2, 5};
    double *expected = NULL;
    size_t bytes = 0;
    for (int k = 0; k < 3; ++k) {
        mote_context *context = test_context_with_threads(threads[k]);
        mote_mesh *mesh = shape_sphere(context, 2);
        mote_hits *hits;
        CHECK_OK(mote_hits_create(context, NULL, mesh, &hits, NULL));
        cloud c = make_cloud(mesh, true, 3000, 5);
        const mote_response response = mote_response_default();
        for (int step = 0; step < 10; ++step) CHECK_OK(mote_hits_advance(hits, &response, &c.view, 0.05, NULL, NULL));
        bytes = 3 * c.view.count * sizeof(double);
        if (!expected) expected = memcpy(malloc(bytes), c.positions, bytes);
        assert_memory_equal(c.positions, expected, bytes);
        free_cloud(&c);
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
        mote_context_destroy(context);
    }
    free(expected);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_gets_out_of_a_star),
        cmocka_unit_test(none_gets_out_of_a_sphere),
        cmocka_unit_test(none_slides_out_of_a_spike),
        cmocka_unit_test(none_sticks_outside),
        cmocka_unit_test(none_gets_out_of_a_moving_star),
        cmocka_unit_test(responses_do_as_they_say),
        cmocka_unit_test(bad_responses_are_refused),
        cmocka_unit_test(bad_particles_are_refused),
        cmocka_unit_test(motions_without_an_end_stay_inside),
        cmocka_unit_test(large_spheres_stay_inside),
        cmocka_unit_test(scales_do_not_matter),
        cmocka_unit_test(threads_do_not_matter),
    };
    RUN_TESTS(tests, argc, argv);
}
