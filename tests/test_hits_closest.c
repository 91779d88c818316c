// SPDX-License-Identifier: MIT
// The closest point at any distance, with its sign: against all triangles and against winding numbers by brute force.

#include "hits/tested.h"
#include "mesh/tested.h"
#include "support/closest.h"
#include "support/shapes.h"
#include "support/test.h"

// -------------------------------------------------------------------------------------------------------- meshes

static mote_mesh *make_soup(mote_context *context)
{
    return shape_soup(context, SANITIZED ? 200 : 1000);
}

static mote_mesh *make_cube(mote_context *context)
{
    return shape_cube(context, 1);
}

static mote_mesh *make_fine_cube(mote_context *context)
{
    return shape_cube(context, 8);
}

static mote_mesh *make_sphere(mote_context *context)
{
    return shape_sphere(context, SANITIZED ? 3 : 4);
}

static mote_mesh *cut(mote_mesh *mesh)
{
    CHECK_OK(mote_mesh_cut(mesh, mote_vec3_make(0.1, 0.2, 0.3), mote_vec3_make(1, 0.5, 2), NULL));
    return mesh;
}

static mote_mesh *make_bowl(mote_context *context)
{
    return cut(make_sphere(context));
}

static mote_mesh *make_broken_star(mote_context *context)
{
    return cut(shape_star(context));
}

// Small, and far from the origin.
static mote_mesh *make_far_bowl(mote_context *context)
{
    mote_mesh *mesh = make_bowl(context);
    const mote_placement placement = {0x1p-10, {20, 30, 40}, {1e3, -2e3, 3e3}};
    mote_mesh_place(mesh, &placement);
    return mesh;
}

// One mesh of two, which are released; the second turned inside out if asked for.
static mote_mesh *join(mote_context *context, mote_mesh *a, mote_mesh *b, bool turned)
{
    const size_t v = a->vertex_count + b->vertex_count, t = a->triangle_count + b->triangle_count;
    mote_vec3 *vertices = malloc(v * sizeof *vertices);
    uint32_t *triangles = malloc(3 * t * sizeof *triangles), *more = triangles + 3 * a->triangle_count;
    memcpy(vertices, a->vertices, a->vertex_count * sizeof *vertices);
    memcpy(vertices + a->vertex_count, b->vertices, b->vertex_count * sizeof *vertices);
    memcpy(triangles, a->triangles, 3 * a->triangle_count * sizeof *triangles);
    for (size_t i = 0; i < 3 * b->triangle_count; ++i)
        more[i] = (uint32_t)a->vertex_count + b->triangles[turned ? 3 * (i / 3) + 2 - i % 3 : i];
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(context, vertices, v, triangles, t, &mesh, NULL));
    free(vertices);
    free(triangles);
    mote_mesh_destroy(a);
    mote_mesh_destroy(b);
    return mesh;
}

static mote_mesh *placed(mote_mesh *mesh, double scale, double by)
{
    const mote_placement placement = {scale, {10, 20, 30}, {by, by, by}};
    mote_mesh_place(mesh, &placement);
    return mesh;
}

// A ball in a ball: inside twice.
static mote_mesh *make_nested(mote_context *context)
{
    return join(context, make_sphere(context), placed(shape_sphere(context, 2), 0.5, 0.1), false);
}

// The same, but the inner one is a hole.
static mote_mesh *make_hollow(mote_context *context)
{
    return join(context, make_sphere(context), placed(shape_sphere(context, 2), 0.5, 0.1), true);
}

static mote_mesh *make_crossing(mote_context *context)
{
    return join(context, make_fine_cube(context), placed(make_fine_cube(context), 0.7, 0.4), false);
}

typedef struct shape_case {
    const char *name;
    mote_mesh *(*make)(mote_context *context);
    bool closed;
    int points;
} shape_case;

static const shape_case shapes[] = {
    {"soup", make_soup, false, SANITIZED ? 240 : 900},
    {"cube", make_cube, true, SANITIZED ? 600 : 6000},
    {"fine cube", make_fine_cube, true, SANITIZED ? 120 : 1200},
    {"sphere", make_sphere, true, SANITIZED ? 120 : 600},
    {"star", shape_star, true, SANITIZED ? 600 : 6000},
    {"spike", shape_spike, true, SANITIZED ? 600 : 6000},
    {"bowl", make_bowl, false, SANITIZED ? 120 : 900},
    {"broken star", make_broken_star, false, SANITIZED ? 600 : 6000},
    {"far bowl", make_far_bowl, false, SANITIZED ? 120 : 900},
    {"nested", make_nested, false, SANITIZED ? 120 : 900},
    {"hollow", make_hollow, true, SANITIZED ? 120 : 900},
    {"crossing", make_crossing, false, SANITIZED ? 120 : 900},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

// -------------------------------------------------------------------------------------------------------- points

enum { KINDS = 6 };

// In the mesh's box; near its surface; exactly on a corner, an edge and a face; from 2 to 2^60 times as far as it is
// large.
static mote_vec3 probe(mote_random *random, const mote_mesh *mesh, int kind)
{
    const mote_box box = mote_mesh_box(mesh);
    const mote_vec3 middle = mote_hits_lerp(box.min, box.max, 0.5), extent = mote_vec3_sub(box.max, box.min);
    const double size = MOTE_MAX(extent.x, MOTE_MAX(extent.y, extent.z));
    const mote_triangle t = mote_mesh_triangle(mesh, mote_random_below(random, (uint32_t)mesh->triangle_count));
    const mote_vec3 half = mote_hits_lerp(t.a, t.b, mote_random_unit(random));
    switch (kind) {
    case 0: return mote_vec3_add(middle, shape_random_point(random, 1.5 * size));
    case 1:
        return mote_vec3_add(mote_hits_lerp(half, t.c, mote_random_unit(random)),
                             shape_random_point(random, size * ldexp(1, -(int)mote_random_below(random, 30))));
    case 2: return t.b;
    case 3: return mote_hits_lerp(t.a, t.b, 0.5);
    case 4: return mote_hits_lerp(half, t.c, 0.5);
    default:
        return mote_vec3_add(middle, shape_random_point(random, ldexp(size, 2 + (int)mote_random_below(random, 60))));
    }
}

// By each triangle on its own: the least distance², and the lowest triangle that has it.
static double brute_closest(const mote_mesh *mesh, mote_vec3 point, uint32_t *triangle)
{
    double best = HUGE_VAL;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        if (mote_triangle_is_degenerate(mote_mesh_triangle(mesh, t))) continue;
        const mote_triangle corners = mote_mesh_triangle(mesh, t);
        mote_foot foot = mote_triangle_is_sliver(corners) ? mote_triangle_foot_precise(corners, point)
                                                           : mote_triangle_foot(corners, point);
        mote_triangle_settle_foot(corners, point, &foot);
        const double distance2 = foot.distance2;
        if (distance2 < best) best = distance2, *triangle = (uint32_t)t;
    }
    return best;
}

static mote_hits *prepare(mote_context *context, const mote_mesh *mesh)
{
    mote_hits *hits;
    mote_error error;
    CHECK_OK(mote_hits_create(context, NULL, mesh, &hits, NULL));
    CHECK_OK(mote_hits_prepare_closest(hits, NULL));
    CHECK(mote_hits_validate(hits, &error) == MOTE_OK, "%s", error.text);
    return hits;
}

static void check_point(const shape_case *shape, const mote_mesh *mesh, const mote_closest *closest, mote_vec3 p, int i)
{
    const mote_triangle t = mote_mesh_triangle(mesh, closest->triangle);
    const double size = sqrt(mote_triangle_longest2(t)) + mote_vec3_length(t.a);
    mote_vec3 q = mote_vec3_scale(t.a, closest->barycentric[0]);
    q = mote_vec3_add_scaled(q, t.b, closest->barycentric[1]);
    q = mote_vec3_add_scaled(q, t.c, closest->barycentric[2]);
    q = mote_vec3_sub(q, closest->point);
    const double far = mote_vec3_length(mote_vec3_sub(p, closest->point));
    CHECK(mote_vec3_length(q) < 1e-10 * size + 1e-14 * far, "%s, point %d: barycentrics off by %g", shape->name, i,
          mote_vec3_length(q));
    CHECK(fabs(far - fabs(closest->distance)) <= 1e-10 * size + 1e-14 * far, "%s, point %d: %g away, not %g",
          shape->name, i, far, closest->distance);
    CHECK(fabs(mote_vec3_length(closest->normal) - 1) < 1e-12, "%s, point %d: normal", shape->name, i);
    q = mote_vec3_sub(mote_vec3_add_scaled(closest->point, closest->normal, closest->distance), p);
    if (fabs(closest->distance) > 1e-6 * size)
        CHECK(mote_vec3_length(q) < 1e-6 * far, "%s, point %d: the normal is off by %g", shape->name, i,
              mote_vec3_length(q));
}

static void check_shape(const shape_case *shape)
{
    mote_mesh *mesh = shape->make(NULL);
    mote_hits *hits = prepare(NULL, mesh);
    mote_random random = {6};
    int inside = 0;
    for (int i = 0; i < shape->points; ++i) {
        const mote_vec3 p = probe(&random, mesh, i % KINDS);
        uint32_t triangle = UINT32_MAX;
        const double best = sqrt(brute_closest(mesh, p, &triangle));
        mote_closest by_normal, by_winding;
        CHECK(test_closest(hits, p, MOTE_SIGN_NORMAL, &by_normal), "%s, point %d", shape->name, i);
        CHECK(test_closest(hits, p, MOTE_SIGN_WINDING, &by_winding), "%s, point %d", shape->name, i);
        CHECK(fabs(by_normal.distance) == best && by_normal.triangle == triangle,
              "%s, point %d: triangle %u at %.17g, brute force %u at %.17g", shape->name, i, by_normal.triangle,
              by_normal.distance, triangle, best);
        CHECK(fabs(by_winding.distance) == best && by_winding.triangle == triangle, "%s, point %d", shape->name, i);
        check_point(shape, mesh, &by_normal, p, i);
        check_point(shape, mesh, &by_winding, p, i);
        const double winding = mote_mesh_winding_number(mesh, p);
        inside += by_winding.distance < 0;
        if (best > 1e-9 * (1 + mote_vec3_length(p)) && fabs(winding - 0.5) > 1e-9) {
            CHECK((by_winding.distance < 0) == (winding > 0.5), "%s, point %d: %g, winding number %g", shape->name, i,
                  by_winding.distance, winding);
            CHECK(mote_hits_winding_is_inside(hits, mote_vec3_scale(p, hits->scale)) == (winding > 0.5),
                  "%s, point %d: winding number %g", shape->name, i, winding);
            // From very far away rounding decides between neighbours.
            if (shape->closed && best < 1e9)
                CHECK(by_normal.distance == by_winding.distance, "%s, point %d: %g, winding number %g", shape->name, i,
                      by_normal.distance, winding);
        }
    }
    if (strcmp(shape->name, "spike") != 0)
        CHECK(inside > shape->points / 50, "%s: only %d inside", shape->name, inside);
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

static void closest_points_agree_with_brute_force(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; ++i) check_shape(&shapes[i]);
}

// The bound holds, whatever the accuracy, and without moments next to nothing is left.
static void winding_numbers_keep_their_bound(void **state)
{
    (void)state;
    const double accuracies[] = {1, 2, 4, HUGE_VAL}, most[] = {2, 0.05, 0.01, 1e-10};
    for (int s = 0; s < SHAPES; ++s) {
        mote_mesh *mesh = shapes[s].make(NULL);
        mote_hits *hits = prepare(NULL, mesh);
        mote_random random = {12};
        double largest[4] = {0};
        for (int i = 0; i < shapes[s].points / 4; ++i) {
            const mote_vec3 p = probe(&random, mesh, i % 2 ? 0 : 5);
            const double winding = mote_mesh_winding_number(mesh, p);
            for (int k = 0; k < 4; ++k) {
                double found, bound;
                CHECK_OK(mote_hits_winding_number(hits, p, accuracies[k], &found, &bound, NULL));
                const double off = fabs(found - winding);
                largest[k] = MOTE_MAX(largest[k], off);
                CHECK(off <= bound + 1e-10, "%s, point %d, accuracy %g: off by %g, bound %g", shapes[s].name, i,
                      accuracies[k], off, bound);
                if (k == 3) assert_true(bound == 0);
            }
        }
        for (int k = 0; k < 4; ++k)
            CHECK(largest[k] <= most[k], "%s, accuracy %g: off by %g", shapes[s].name, accuracies[k], largest[k]);
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
}

// Between a point above a half and one below it, signs change where the sum over all triangles does.
static void signs_hold_near_a_half(void **state)
{
    (void)state;
    int narrow = 0;
    for (int s = 0; s < SHAPES; ++s) {
        mote_mesh *mesh = shapes[s].make(NULL);
        mote_hits *hits = prepare(NULL, mesh);
        mote_random random = {99};
        for (int i = 0; i < (SANITIZED ? 100 : 200); ++i) {
            mote_vec3 low = probe(&random, mesh, i % 2), high = probe(&random, mesh, i % 2);
            const bool is_up = mote_mesh_winding_number(mesh, high) > 0.5;
            if (is_up == (mote_mesh_winding_number(mesh, low) > 0.5)) continue;
            for (int k = 0; k < 36; ++k) {
                const mote_vec3 middle = mote_hits_lerp(low, high, 0.5);
                const double winding = mote_mesh_winding_number(mesh, middle);
                mote_closest closest;
                CHECK(test_closest(hits, middle, MOTE_SIGN_WINDING, &closest), "%s", shapes[s].name);
                if ((winding > 0.5) == is_up) high = middle;
                else low = middle;
                if (fabs(closest.distance) < 1e-9 || fabs(winding - 0.5) < 1e-9) continue;
                CHECK((closest.distance < 0) == (winding > 0.5), "%s, pair %d, step %d: %g, winding number %.17g",
                      shapes[s].name, i, k, closest.distance, winding);
                narrow += fabs(winding - 0.5) < 1e-6;
            }
        }
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
    CHECK(narrow > (SANITIZED ? 10 : 100), "only %d points were close to a half", narrow);
}

static hits_side side_by_grid(const mote_hits *hits, mote_vec3 p, mote_closest closest)
{
    closest.distance *= hits->scale;
    closest.point = mote_vec3_scale(closest.point, hits->scale);
    return mote_hits_winding_side(hits, mote_vec3_scale(p, hits->scale), &closest);
}

// What the grid says of points by its closed meshes; it says it of nearly all.
static void sides_by_the_grid_are_those_of_winding_numbers(void **state)
{
    (void)state;
    const int kinds[4] = {0, 1, 0, 5};
    mote_mesh *(*const closed[])(mote_context *) = {make_fine_cube, make_sphere,   shape_star,   shape_spike,
                                                    make_nested,    make_crossing, make_hollow};
    for (size_t s = 0; s < sizeof closed / sizeof *closed; ++s) {
        mote_mesh *mesh = closed[s](NULL);
        mote_hits *hits = prepare(NULL, mesh);
        assert_true(hits->closest->sides != NULL);
        mote_random random = {41};
        int told = 0, asked = 0;
        for (int i = 0; i < (SANITIZED ? 200 : 2000); ++i) {
            const mote_vec3 p = probe(&random, mesh, kinds[i % 4]);
            mote_closest closest;
            CHECK(test_closest(hits, p, MOTE_SIGN_NORMAL, &closest), "mesh %zu", s);
            if (fabs(closest.distance) < 1e-12) continue;
            const hits_side side = side_by_grid(hits, p, closest);
            const double winding = mote_mesh_winding_number(mesh, p);
            ++asked;
            told += side != HITS_SIDE_UNKNOWN;
            CHECK(side == HITS_SIDE_UNKNOWN || (side == HITS_SIDE_INSIDE) == (winding > 0.5),
                  "mesh %zu, point %d: side %d, winding number %g", s, i, (int)side, winding);
        }
        CHECK(told > asked * 3 / 4, "mesh %zu: of %d points the grid knows %d", s, asked, told);
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
}

// -------------------------------------------------------------------------------------------------------- batches

enum { BATCH = SANITIZED ? 600 : 4000 };

static void fill_points(const mote_mesh *mesh, double *xyz, float *narrow)
{
    mote_random random = {77};
    for (size_t i = 0; i < BATCH; ++i) {
        const mote_vec3 p = probe(&random, mesh, (int)(i % KINDS));
        const double three[3] = {p.x, p.y, p.z};
        for (size_t k = 0; k < 3; ++k) narrow[3 * i + k] = (float)three[k];
        memcpy(xyz + 3 * i, three, sizeof three);
    }
    xyz[3 * 17] = (double)NAN;
    xyz[3 * 18 + 1] = HUGE_VAL;
    xyz[3 * 19 + 2] = -1e300;
}

static void check_batch(const mote_hits *hits, const mote_points *points, mote_sign_rule rule,
                        const mote_closest *closest)
{
    for (size_t i = 0; i < points->count; ++i) {
        mote_closest one;
        memset(&one, 0, sizeof one);
        const mote_vec3 p = {mote_points_get(points, i, 0), mote_points_get(points, i, 1),
                             mote_points_get(points, i, 2)};
        if (!test_closest(hits, p, rule, &one)) one.distance = HUGE_VAL, one.triangle = UINT32_MAX;
        CHECK(memcmp(&one, &closest[i], sizeof one) == 0, "point %zu: triangle %u at %.17g, alone %u at %.17g", i,
              closest[i].triangle, closest[i].distance, one.triangle, one.distance);
    }
}

static void batches_are_the_same_for_any_threads(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 2, 5};
    double *xyz = malloc(3 * BATCH * sizeof *xyz);
    float *narrow = malloc(3 * BATCH * sizeof *narrow);
    mote_closest *closest = malloc(BATCH * sizeof *closest);
    for (int i = 0; i < 3; ++i) {
        mote_context *context = test_context_with_threads(threads[i]);
        mote_mesh *mesh = make_bowl(context);
        fill_points(mesh, xyz, narrow);
        mote_hits *hits;
        CHECK_OK(mote_hits_create(context, NULL, mesh, &hits, NULL));
        const mote_points both[2] = {mote_points_xyz_f64(xyz, BATCH), mote_points_xyz(narrow, BATCH)};
        for (int k = 0; k < 4; ++k) {
            const mote_sign_rule rule = k / 2 ? MOTE_SIGN_WINDING : MOTE_SIGN_NORMAL;
            memset(closest, 0xFF, BATCH * sizeof *closest);
            CHECK_OK(mote_hits_closest_all(hits, &both[k % 2], HUGE_VAL, rule, closest, NULL));
            check_batch(hits, &both[k % 2], rule, closest);
            for (size_t odd = 17; k % 2 == 0 && odd < 20; ++odd) assert_true(closest[odd].triangle == UINT32_MAX);
        }
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
        mote_context_destroy(context);
    }
    free(closest);
    free(narrow);
    free(xyz);
}

static void scalar_form_finds_the_same(void **state)
{
    (void)state;
    mote_mesh *mesh = make_soup(NULL);
    mote_hits *fast = prepare(NULL, mesh), *plain = prepare(NULL, mesh);
    plain->closest->lanes = &mote_hits_closest_plain;
    mote_random random = {31};
    for (int i = 0; i < (SANITIZED ? 1000 : 20000); ++i) {
        const mote_vec3 p = probe(&random, mesh, i % KINDS);
        mote_closest a, b;
        memset(&a, 0, sizeof a);
        memset(&b, 0, sizeof b);
        CHECK(test_closest(fast, p, MOTE_SIGN_NORMAL, &a), "point %d", i);
        CHECK(test_closest(plain, p, MOTE_SIGN_NORMAL, &b), "point %d", i);
        CHECK(memcmp(&a, &b, sizeof a) == 0, "point %d: triangles %u and %u", i, a.triangle, b.triangle);
        const double accuracy = i % 8 ? 1 + i % 5 : HUGE_VAL;
        double windings[2], bounds[2];
        CHECK_OK(mote_hits_winding_number(fast, p, accuracy, &windings[0], &bounds[0], NULL));
        CHECK_OK(mote_hits_winding_number(plain, p, accuracy, &windings[1], &bounds[1], NULL));
        CHECK(windings[0] == windings[1] && bounds[0] == bounds[1], "point %d: winding numbers %.17g and %.17g", i,
              windings[0], windings[1]);
    }
    mote_hits_destroy(fast);
    mote_hits_destroy(plain);
    mote_mesh_destroy(mesh);
}

// ---------------------------------------------------------------------------------------------------------- edges

static void vertices_that_move_are_followed(void **state)
{
    (void)state;
    mote_mesh *mesh = make_fine_cube(NULL);
    mote_hits *hits = prepare(NULL, mesh);
    const mote_placement placement = {3, {10, 20, 30}, {5, 6, 7}};
    mote_mesh_place(mesh, &placement);
    for (int k = 0; k < 2; ++k) {
        if (k == 0)
            CHECK_OK(mote_hits_update(hits, mesh->vertices, NULL));
        else
            CHECK_OK(mote_hits_update_moving(hits, mesh->vertices, mesh->vertices, NULL));
        CHECK_OK(mote_hits_validate(hits, NULL));
        mote_random random = {8};
        for (int i = 0; i < 300; ++i) {
            const mote_vec3 p = probe(&random, mesh, i % KINDS);
            uint32_t triangle = 0;
            const double best = sqrt(brute_closest(mesh, p, &triangle));
            mote_closest closest;
            CHECK(test_closest(hits, p, MOTE_SIGN_WINDING, &closest), "point %d", i);
            CHECK(fabs(closest.distance) == best && closest.triangle == triangle, "point %d: %.17g, brute force %.17g",
                  i, closest.distance, best);
        }
    }
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

static void meshes_without_anything_near(void **state)
{
    (void)state;
    const mote_vec3 line[3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, spot[3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    const uint32_t corners[3] = {0, 1, 2};
    for (int k = 0; k < 3; ++k) {
        mote_mesh *mesh;
        CHECK_OK(mote_mesh_create(NULL, k == 2 ? spot : line, k ? 3 : 0, corners, k ? 1 : 0, &mesh, NULL));
        mote_hits *hits = prepare(NULL, mesh);
        mote_closest closest;
        const mote_vec3 points[2] = {{1, 1, 0}, {1e9, 1, 0}};
        for (int i = 0; i < 2; ++i) {
            CHECK(!test_closest(hits, points[i], MOTE_SIGN_WINDING, &closest), "mesh %d", k);
            double winding;
            CHECK_OK(mote_hits_winding_number(hits, points[i], 2, &winding, NULL, NULL));
            CHECK(fabs(winding) < 1e-9, "mesh %d", k);
        }
        const mote_points all = mote_points_xyz_f64(&points[0].x, 1);
        CHECK_OK(mote_hits_closest_all(hits, &all, HUGE_VAL, MOTE_SIGN_NORMAL, &closest, NULL));
        assert_true(closest.triangle == UINT32_MAX && closest.distance > 1e300);
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    mote_mesh *mesh = make_cube(NULL);
    mote_hits *hits;
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    mote_closest closest;
    mote_error error;
    const mote_vec3 p = {2, 0.5, 0.25};
    CHECK(!test_closest(hits, p, MOTE_SIGN_NORMAL, &closest), "not prepared");
    float xyz[3] = {0, 0, 0};
    mote_points points = mote_points_xy(xyz, 1);
    assert_int_equal(mote_hits_closest_all(hits, &points, HUGE_VAL, MOTE_SIGN_NORMAL, &closest, &error),
                     MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_hits_closest_all(hits, NULL, HUGE_VAL, MOTE_SIGN_NORMAL, &closest, &error),
                     MOTE_ERROR_ARGUMENT);
    points = mote_points_xyz(xyz, 1);
    assert_int_equal(mote_hits_closest_all(hits, &points, HUGE_VAL, (mote_sign_rule)7, &closest, &error),
                     MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_hits_prepare_closest(NULL, &error), MOTE_ERROR_ARGUMENT);
    const size_t bytes = mote_hits_byte_count(hits);
    CHECK_OK(mote_hits_prepare_closest(hits, &error));
    assert_true(mote_hits_byte_count(hits) > bytes);
    CHECK(test_closest(hits, p, MOTE_SIGN_NORMAL, &closest) && closest.distance == 1, "prepared");
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

static mote_result build_and_ask(mote_context *context, void *data)
{
    (void)data;
    const mote_vec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, far = {-5, 0.25, 0.25};
    const uint32_t triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    mote_mesh *mesh;
    mote_result result = mote_mesh_create(context, vertices, 4, triangles, 4, &mesh, NULL);
    if (result != MOTE_OK) return result;
    mote_hits *hits;
    result = mote_hits_create(context, NULL, mesh, &hits, NULL);
    if (result == MOTE_OK) {
        mote_closest closest;
        result = mote_hits_prepare_closest(hits, NULL);
        const bool prepared = result == MOTE_OK;
        const mote_points points = mote_points_xyz_f64(&far.x, 1);
        if (result == MOTE_OK)
            result = mote_hits_closest_all(hits, &points, HUGE_VAL, MOTE_SIGN_NORMAL, &closest, NULL);
        if (result == MOTE_OK) result = mote_hits_update(hits, vertices, NULL);
        if (result == MOTE_OK) result = mote_hits_update_moving(hits, vertices, vertices, NULL);
        assert_true(mote_hits_validate(hits, NULL) == MOTE_OK);
        assert_true(test_closest(hits, far, MOTE_SIGN_WINDING, &closest) == prepared);
        assert_true(!prepared || (closest.distance == 5 && closest.triangle == 2));
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closest_points_agree_with_brute_force),
        cmocka_unit_test(winding_numbers_keep_their_bound),
        cmocka_unit_test(signs_hold_near_a_half),
        cmocka_unit_test(sides_by_the_grid_are_those_of_winding_numbers),
        cmocka_unit_test(batches_are_the_same_for_any_threads),
        cmocka_unit_test(scalar_form_finds_the_same),
        cmocka_unit_test(vertices_that_move_are_followed),
        cmocka_unit_test(meshes_without_anything_near),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(failing_allocations),
    };
    RUN_TESTS(tests, argc, argv);
}
