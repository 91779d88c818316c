// SPDX-License-Identifier: MIT
// Hits: the closest point and its sign against brute force and winding numbers; particles that slide along solids.

#include "mesh/tested.h"
#include "mote/import.h"
#include "support/closest.h"
#include "support/shapes.h"
#include "support/test.h"

typedef struct shape_case {
    const char *name;
    mote_mesh *(*make)(mote_context *context);
    double reach;
    int points;  // to try
} shape_case;

static mote_mesh *make_coarse_cube(mote_context *context)
{
    return shape_cube(context, 1);
}

static mote_mesh *make_fine_cube(mote_context *context)
{
    return shape_cube(context, 16);
}

static mote_mesh *make_sphere(mote_context *context)
{
    return shape_sphere(context, 4);
}

static mote_mesh *make_bunny(mote_context *context)
{
    char path[1024];
    if (mote_import_find("bunny.obj", NULL, path, sizeof path, NULL) != MOTE_OK) {
        print_message("bunny.obj is not there (Debian's package glmark2-data has it): skipped\n");
        skip();
    }
    mote_mesh *mesh;
    CHECK_OK(mote_import_mesh(context, path, &mesh, NULL));
    return mesh;
}

static const shape_case shapes[] = {
    {"cube of 12 triangles", make_coarse_cube, 0.1, SANITIZED ? 1000 : 5000},
    {"cube of 3072 triangles", make_fine_cube, 0.1, SANITIZED ? 300 : 3000},
    {"sphere", make_sphere, 0.3, SANITIZED ? 300 : 3000},
    {"spike", shape_spike, 0.05, SANITIZED ? 1000 : 5000},
    {"star", shape_star, 0.2, SANITIZED ? 1000 : 5000},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

// The closest point of a triangle by regions of the plane (Ericson 2005, 5.1.5): another way than the library's.
static double brute_distance(mote_triangle t, mote_vec3 p)
{
    mote_vec3 ab = mote_vec3_sub(t.b, t.a), ac = mote_vec3_sub(t.c, t.a), ap = mote_vec3_sub(p, t.a);
    double d1 = mote_vec3_dot(ab, ap), d2 = mote_vec3_dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) return mote_vec3_length(ap);
    mote_vec3 bp = mote_vec3_sub(p, t.b);
    double d3 = mote_vec3_dot(ab, bp), d4 = mote_vec3_dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) return mote_vec3_length(bp);
    double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return mote_vec3_length(mote_vec3_add_scaled(ap, ab, -d1 / (d1 - d3)));
    mote_vec3 cp = mote_vec3_sub(p, t.c);
    double d5 = mote_vec3_dot(ab, cp), d6 = mote_vec3_dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) return mote_vec3_length(cp);
    double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return mote_vec3_length(mote_vec3_add_scaled(ap, ac, -d2 / (d2 - d6)));
    double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        return mote_vec3_length(
            mote_vec3_add_scaled(bp, mote_vec3_sub(t.c, t.b), -(d4 - d3) / ((d4 - d3) + (d5 - d6))));
    return fabs(mote_vec3_dot(ap, mote_vec3_unit(mote_triangle_cross(t))));
}

static mote_vec3 random_point(mote_random *random, mote_box box)
{
    double x = mote_random_unit(random), y = mote_random_unit(random), z = mote_random_unit(random);
    return mote_vec3_make(box.min.x + x * (box.max.x - box.min.x), box.min.y + y * (box.max.y - box.min.y),
                          box.min.z + z * (box.max.z - box.min.z));
}

// Half of the points anywhere, the others near the surface.
static mote_vec3 probe(mote_random *random, const mote_mesh *mesh, double reach)
{
    mote_box box = mote_box_grow(mote_mesh_box(mesh), 1.5 * reach);
    if (mote_random_unit(random) < 0.5) return random_point(random, box);
    uint32_t vertex = mote_random_below(random, (uint32_t)mesh->vertex_count);
    mote_box near = {mesh->vertices[vertex], mesh->vertices[vertex]};
    return random_point(random, mote_box_grow(near, 0.3 * reach));
}

static void compare_with_brute_force(const shape_case *shape, const mote_mesh *mesh, const mote_hits *hits)
{
    mote_random random = {7};
    int found = 0, inside = 0;
    for (int i = 0; i < shape->points; ++i) {
        mote_vec3 p = probe(&random, mesh, shape->reach);
        double best = HUGE_VAL;
        for (size_t t = 0; t < mesh->triangle_count; ++t)
            best = MOTE_MIN(best, brute_distance(mote_mesh_triangle(mesh, t), p));
        mote_closest closest;
        bool near = test_closest_within(hits, p, shape->reach, &closest);
        if (fabs(best - shape->reach) > 1e-9)
            CHECK(near == (best < shape->reach), "%s, point %d: distance %g", shape->name, i, best);
        bool is_inside = mote_mesh_winding_number(mesh, p) > 0.5;
        inside += is_inside;
        if (best > 1e-9) CHECK(test_is_inside(hits, p) == is_inside, "%s, point %d", shape->name, i);
        if (!near) continue;
        ++found;
        CHECK(fabs(fabs(closest.distance) - best) < 1e-10, "%s, point %d: %.17g, brute force %.17g", shape->name, i,
              closest.distance, best);
        if (best > 1e-9)
            CHECK((closest.distance < 0) == is_inside, "%s, point %d: %g, but inside is %d", shape->name, i,
                  closest.distance, is_inside);
        mote_triangle t = mote_mesh_triangle(mesh, closest.triangle);
        mote_vec3 q = mote_vec3_scale(t.a, closest.barycentric[0]);
        q = mote_vec3_add_scaled(q, t.b, closest.barycentric[1]);
        q = mote_vec3_add_scaled(q, t.c, closest.barycentric[2]);
        q = mote_vec3_sub(q, closest.point);
        CHECK(mote_vec3_length(q) < 1e-10, "%s, point %d: barycentrics are off by %g", shape->name, i,
              mote_vec3_length(q));
        mote_vec3 ahead = mote_vec3_add_scaled(closest.point, closest.normal, closest.distance);
        CHECK(mote_vec3_length(mote_vec3_sub(ahead, p)) < 1e-8, "%s, point %d: normal is off", shape->name, i);
    }
    CHECK(found > shape->points / 4, "%s: only %d points near", shape->name, found);
    if (strcmp(shape->name, "spike") != 0)
        CHECK(inside > shape->points / 20, "%s: only %d inside", shape->name, inside);
}

static void check_shape(const shape_case *shape)
{
    mote_context *context = test_context_with_threads(2);
    mote_mesh *mesh = shape->make(context);
    mote_hits *hits = test_hits(context, mesh);
    CHECK_OK(mote_hits_validate(hits, NULL));
    compare_with_brute_force(shape, mesh, hits);
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
    mote_context_destroy(context);
}

static void shapes_agree_with_brute_force(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; ++i) check_shape(&shapes[i]);
}

static void bunny_agrees_with_brute_force(void **state)
{
    (void)state;
    shape_case bunny = {"bunny", make_bunny, 0.05, SANITIZED ? 20 : 150};
    check_shape(&bunny);
}

static void reach_of_any_size_is_served(void **state)
{
    (void)state;
    const double reaches[] = {1e-4, 3, 1e6};
    for (int i = 0; i < 3; ++i) {
        shape_case star = {"star", shape_star, reaches[i], SANITIZED ? 50 : 500};
        mote_mesh *mesh = shape_star(NULL);
        mote_hits *hits = test_hits(NULL, mesh);
        mote_random random = {11};
        for (int k = 0; k < star.points; ++k) {
            mote_vec3 p = probe(&random, mesh, 0.2);
            double best = HUGE_VAL;
            for (size_t t = 0; t < mesh->triangle_count; ++t)
                best = MOTE_MIN(best, brute_distance(mote_mesh_triangle(mesh, t), p));
            mote_closest closest;
            bool near = test_closest_within(hits, p, reaches[i], &closest);
            if (fabs(best - reaches[i]) > 1e-9)
                CHECK(near == (best < reaches[i]), "reach %g, distance %g", reaches[i], best);
        }
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
}

// The grid is laid over a mesh that is far larger than the reach, and far from the origin.
static void far_from_the_origin(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_cube(NULL, 1);
    mote_placement placement = {1, {0, 0, 0}, {1e6, -1e6, 1e6}};
    mote_mesh_place(mesh, &placement);
    mote_hits *hits = test_hits(NULL, mesh);
    mote_random random = {3};
    for (int i = 0; i < 1000; ++i) {
        double z = 1e6 + 1 + 0.1 * (mote_random_unit(&random) - 0.5);
        mote_vec3 p = {1e6 + 0.1 + 0.8 * mote_random_unit(&random), -1e6 + 0.5, z};
        mote_closest closest;
        double height = z - (1e6 + 1);
        bool near = test_closest_within(hits, p, 0.05, &closest);
        if (fabs(fabs(height) - 0.05) > 1e-6) CHECK(near == (fabs(height) < 0.05), "height %g", height);
        if (near) CHECK(fabs(closest.distance - height) < 1e-8, "height %g, found %g", height, closest.distance);
    }
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_cube(NULL, 1);
    mote_hits *hits = test_hits(NULL, mesh), *made, *unprepared;
    const mote_response response = mote_response_default();
    const mote_vec3 origin = {0, 0, 0};
    mote_vec3 position = origin, velocity = origin;
    mote_closest closest;
    mote_error error;
    bool inside;
    const double reaches[] = {-1, (double)NAN, -HUGE_VAL}, margins[] = {0, -1, (double)NAN, HUGE_VAL};
    for (int i = 0; i < 3; ++i)
        assert_int_equal(mote_hits_closest(hits, origin, reaches[i], MOTE_SIGN_NORMAL, &closest, &error),
                         MOTE_ERROR_ARGUMENT);
    for (int i = 0; i < 4; ++i)
        assert_int_equal(mote_hits_slide(hits, margins[i], &response, origin, &position, &velocity, &error),
                         MOTE_ERROR_ARGUMENT);
    mote_hits_destroy(hits);
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &unprepared, NULL));
    assert_int_equal(mote_hits_closest(unprepared, origin, 1, MOTE_SIGN_NORMAL, &closest, &error), MOTE_ERROR_STATE);
    assert_int_equal(mote_hits_is_inside(unprepared, origin, &inside, &error), MOTE_ERROR_STATE);
    assert_int_equal(mote_hits_slide(unprepared, 1, &response, origin, &position, &velocity, &error), MOTE_ERROR_STATE);
    mote_hits_destroy(unprepared);
    mesh->vertices[3].y = (double)NAN;
    assert_int_equal(mote_hits_create(NULL, NULL, mesh, &made, &error), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(error.index, 3);
    mesh->vertices[3].y = 1;
    mesh->triangles[4] = 8;
    assert_int_equal(mote_hits_create(NULL, NULL, mesh, &made, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(error.index, 1);
    mote_mesh_destroy(mesh);
}

// A cube four units in the last place wide, and a reach that is lost when it is added to a coordinate.
static void inside_where_steps_are_lost(void **state)
{
    (void)state;
    const double unit = 0x1p-40, offset = 0x1p12;
    mote_mesh *mesh = shape_cube(NULL, 1);
    mote_placement placement = {4 * unit, {0, 0, 0}, {offset, 0, 0}};
    mote_mesh_place(mesh, &placement);
    mote_hits *hits = test_hits(NULL, mesh);
    for (int k = -1; k <= 5; ++k) {
        mote_vec3 p = {offset + k * unit, 2 * unit, 2.1 * unit};
        if (k != 0 && k != 4) CHECK(test_is_inside(hits, p) == (k > 0 && k < 4), "%d units from the face", k);
    }
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

static void empty_mesh_hits_nothing(void **state)
{
    (void)state;
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(NULL, NULL, 0, NULL, 0, &mesh, NULL));
    mote_hits *hits = test_hits(NULL, mesh);
    mote_closest closest;
    mote_vec3 origin = {0, 0, 0}, nowhere = {(double)NAN, 0, 0};
    assert_false(test_closest_within(hits, origin, 1, &closest));
    assert_false(test_closest_within(hits, nowhere, 1, &closest));
    assert_false(test_is_inside(hits, origin));
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 2, 5};
    double sums[3] = {0};
    for (int k = 0; k < 3; ++k) {
        mote_context *context = test_context_with_threads(threads[k]);
        mote_mesh *mesh = shape_sphere(context, 4);
        mote_hits *hits = test_hits(context, mesh);
        mote_random random = {1};
        for (int i = 0; i < 2000; ++i) {
            mote_closest closest;
            if (test_closest_within(hits, probe(&random, mesh, 0.2), 0.2, &closest))
                sums[k] += closest.distance + closest.triangle;
        }
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
        mote_context_destroy(context);
    }
    for (int k = 1; k < 3; ++k) assert_memory_equal(&sums[k], &sums[0], sizeof sums[0]);
}

static mote_result build_and_ask(mote_context *context, void *data)
{
    (void)data;
    const mote_vec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const uint32_t triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    mote_mesh *mesh;
    mote_result result = mote_mesh_create(context, vertices, 4, triangles, 4, &mesh, NULL);
    if (result != MOTE_OK) return result;
    mote_hits *hits;
    result = mote_hits_create(context, NULL, mesh, &hits, NULL);
    if (result == MOTE_OK) {
        mote_closest closest;
        result = mote_hits_prepare_closest(hits, NULL);
        if (result != MOTE_OK) {
            mote_hits_destroy(hits);
            mote_mesh_destroy(mesh);
            return result;
        }
        assert_true(test_closest_within(hits, mote_vec3_make(0.2, 0.2, -0.1), 0.2, &closest));
        mote_hits_destroy(hits);
    }
    mote_mesh_destroy(mesh);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    test_failing_allocations(build_and_ask, NULL);
}

// ------------------------------------------------------------------------------------------------------- slide

typedef struct slide_case {
    double margin, restitution, friction;
} slide_case;

static void slide_past(const mote_hits *hits, const slide_case *slide, mote_vec3 from, mote_vec3 *position,
                       mote_vec3 *velocity)
{
    const mote_response response = mote_response_bounce(slide->restitution, slide->friction);
    CHECK_OK(mote_hits_slide(hits, slide->margin, &response, from, position, velocity, NULL));
}

// Drops `particles` from around the mesh and lets them fall, bounce and slide for some steps each.
// None may ever be inside, nor nearer than it started or than the margin.
static void drop_particles(const mote_mesh *mesh, const slide_case *slide, int particles, int steps, int winding_every)
{
    mote_hits *hits = test_hits(NULL, mesh);
    mote_box around = mote_box_grow(mote_mesh_box(mesh), 4 * slide->margin);
    mote_random random = {99};
    long motions = 0, touched = 0, checked = 0;
    for (int i = 0; i < particles; ++i) {
        mote_vec3 p = random_point(&random, around), v = {0, 0, 0};
        mote_closest closest;
        if (test_is_inside(hits, p)) continue;
        if (test_closest_within(hits, p, slide->margin, &closest) && closest.distance < slide->margin) continue;
        for (int step = 0; step < steps; ++step, ++motions) {
            double kick = slide->margin * 4;
            v.x += kick * mote_random_gauss(&random);
            v.y += kick * mote_random_gauss(&random);
            v.z += kick * mote_random_gauss(&random) - kick;
            mote_vec3 from = p;
            p = mote_vec3_add(p, v);
            slide_past(hits, slide, from, &p, &v);
            bool near = test_closest_within(hits, p, 1.5 * slide->margin, &closest);
            if (near)
                CHECK(closest.distance >= slide->margin * (1 - 1e-6), "particle %d, step %d: at %g of a margin of %g",
                      i, step, closest.distance, slide->margin);
            if (!near || motions % winding_every) continue;
            ++touched;
            ++checked;
            double winding = mote_mesh_winding_number(mesh, p);
            CHECK(winding < 0.5, "particle %d, step %d: winding number %g", i, step, winding);
        }
        double winding = mesh->triangle_count < 5000 ? mote_mesh_winding_number(mesh, p) : 0;
        CHECK(winding < 0.5, "particle %d at the end: winding number %g", i, winding);
    }
    CHECK(checked > 0 && touched > 0, "%ld motions, none of them near", motions);
    mote_hits_destroy(hits);
}

static void no_particle_enters_a_star(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_star(NULL);
    slide_case slides[] = {{0.02, 0, 0}, {0.05, 1, 0}, {0.02, 0.5, 0.5}};
    for (int k = 0; k < 3; ++k) drop_particles(mesh, &slides[k], SANITIZED ? 200 : 2000, 25, 1);
    mote_mesh_destroy(mesh);
}

static void no_particle_enters_a_spike(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_spike(NULL);
    slide_case slide = {0.01, 0.2, 0.1};
    drop_particles(mesh, &slide, SANITIZED ? 200 : 4000, 25, 1);
    mote_mesh_destroy(mesh);
}

static void no_particle_enters_the_bunny(void **state)
{
    (void)state;
    mote_mesh *mesh = make_bunny(NULL);
    slide_case slide = {0.03, 0, 0};
    drop_particles(mesh, &slide, SANITIZED ? 200 : 5000, 25, SANITIZED ? 100 : 300);
    mote_mesh_destroy(mesh);
}

static void particle_on_a_floor_slides(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_cube(NULL, 4);
    mote_hits *hits = test_hits(NULL, mesh);
    mote_vec3 from = {0.5, 0.5, 1.06}, to = {0.7, 0.5, 0.96}, velocity = {2, 0, -1};
    slide_case slide = {0.05, 0.5, 0.25};
    slide_past(hits, &slide, from, &to, &velocity);
    // Half the normal velocity comes back; friction takes 0.25 · 1.5 of the tangential.
    CHECK(fabs(velocity.z - 0.5) < 1e-9 && fabs(velocity.x - 1.625) < 1e-9, "velocity (%g, %g, %g)", velocity.x,
          velocity.y, velocity.z);
    CHECK(to.z >= 1.05 - 1e-9 && to.z < 1.15 && to.x > 0.6 && to.x < 0.7, "position (%g, %g, %g)", to.x, to.y, to.z);

    // Without anything near nothing changes, to the bit.
    mote_vec3 far = {0.5, 0.5, 3}, there = {0.51, 0.5, 2.95}, before = there, speed = {1, 2, 3};
    slide_past(hits, &slide, far, &there, &speed);
    assert_memory_equal(&there, &before, sizeof there);
    assert_true(speed.x == 1 && speed.y == 2 && speed.z == 3);
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

static void fast_particle_does_not_tunnel(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_spike(NULL);
    mote_hits *hits = test_hits(NULL, mesh);
    mote_vec3 from = {-5, 0.0001, 0.3}, to = {5, 0.0001, 0.3}, velocity = {1000, 0, 0};
    slide_case slide = {0.01, 0, 0};
    slide_past(hits, &slide, from, &to, &velocity);
    CHECK(!test_is_inside(hits, to), "inside");
    // It had to go round: a straight way would have left y as it was.
    CHECK(fabs(to.y) > 0.005 || to.x < 0, "position (%g, %g, %g)", to.x, to.y, to.z);
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

static void particle_that_starts_too_near_is_pushed_away(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_cube(NULL, 2);
    mote_hits *hits = test_hits(NULL, mesh);
    slide_case slide = {0.05, 0, 0};
    const double heights[] = {1.01, 0.99};  // outside, and inside
    for (int k = 0; k < 2; ++k) {
        mote_vec3 from = {0.4, 0.4, heights[k]}, to = from, velocity = {0, 0, -1};
        slide_past(hits, &slide, from, &to, &velocity);
        CHECK(fabs(to.z - 1.05) < 1e-9 && velocity.z == 0, "from %g to %g", heights[k], to.z);
    }
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_agree_with_brute_force),
        cmocka_unit_test(bunny_agrees_with_brute_force),
        cmocka_unit_test(reach_of_any_size_is_served),
        cmocka_unit_test(far_from_the_origin),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(empty_mesh_hits_nothing),
        cmocka_unit_test(inside_where_steps_are_lost),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(no_particle_enters_a_star),
        cmocka_unit_test(no_particle_enters_a_spike),
        cmocka_unit_test(no_particle_enters_the_bunny),
        cmocka_unit_test(particle_on_a_floor_slides),
        cmocka_unit_test(fast_particle_does_not_tunnel),
        cmocka_unit_test(particle_that_starts_too_near_is_pushed_away),
    };
    RUN_TESTS(tests, argc, argv);
}
