// SPDX-License-Identifier: MIT
// How accurate times, places and distances of first hits are: at the bounds that the header states, far from the
// origin, on long and on grazing motions.

#include "base/tested.h"
#include "mesh/tested.h"
#include "mote/hits.h"
#include "support/shapes.h"
#include "support/test.h"

// Whole numbers below 2^127: coordinates are multiples of 2^-12, and differences of them below 2^37.
__extension__ typedef __int128 whole;

#define STEP 0x1p-12
#define TIME_ERROR 0x1p-40

typedef struct whole3 {
    int64_t x, y, z;
} whole3;

static mote_vec3 snapped(mote_vec3 p)
{
    return mote_vec3_make(round(p.x / STEP) * STEP, round(p.y / STEP) * STEP, round(p.z / STEP) * STEP);
}

static whole3 apart(mote_vec3 a, mote_vec3 b)
{
    const whole3 made = {(int64_t)(a.x / STEP) - (int64_t)(b.x / STEP), (int64_t)(a.y / STEP) - (int64_t)(b.y / STEP),
                         (int64_t)(a.z / STEP) - (int64_t)(b.z / STEP)};
    return made;
}

static whole det(whole3 a, whole3 b, whole3 c)
{
    return (whole)a.x * ((whole)b.y * c.z - (whole)b.z * c.y) + (whole)a.y * ((whole)b.z * c.x - (whole)b.x * c.z) +
           (whole)a.z * ((whole)b.x * c.y - (whole)b.y * c.x);
}

// The mesh, moved by `away`, on the grid of coordinates.
static mote_mesh *make_mesh(mote_vec3 away)
{
    mote_mesh *mesh = shape_torus(NULL, 1, 0.3, 24, 12);
    for (size_t v = 0; v < mesh->vertex_count; ++v) mesh->vertices[v] = snapped(mote_vec3_add(mesh->vertices[v], away));
    return mesh;
}

// A motion of that length through a point of a triangle, at a slope against its plane.
static void aim(mote_random *random, const mote_mesh *mesh, double length, double slope, mote_vec3 *from, mote_vec3 *to)
{
    const mote_triangle t = mote_mesh_triangle(mesh, mote_random_below(random, (uint32_t)mesh->triangle_count));
    const double a = mote_random_unit(random), b = (1 - a) * mote_random_unit(random);
    const mote_vec3 e = mote_vec3_sub(t.b, t.a), f = mote_vec3_sub(t.c, t.a);
    const mote_vec3 at = mote_vec3_add_scaled(mote_vec3_add_scaled(t.a, e, a), f, b);
    mote_vec3 way = mote_vec3_add_scaled(mote_vec3_scale(e, mote_random_unit(random) - 0.5), f,
                                         mote_random_unit(random) - 0.5);
    way = mote_vec3_add_scaled(mote_vec3_unit(way), mote_vec3_unit(mote_vec3_cross(e, f)), slope);
    const double share = mote_random_unit(random);
    *from = snapped(mote_vec3_add_scaled(at, way, -share * length));
    *to = snapped(mote_vec3_add_scaled(at, way, (1 - share) * length));
}

// How far time and place of a hit are off.
static void check_place(const mote_mesh *mesh, mote_vec3 from, mote_vec3 to, const mote_hit *hit, const char *what)
{
    const mote_triangle t = mote_mesh_triangle(mesh, hit->triangle);
    const whole3 a = apart(t.a, from), b = apart(t.b, from), c = apart(t.c, from), way = apart(to, from);
    const whole over = det(a, b, c);
    const whole w[3] = {det(way, b, c), det(way, c, a), det(way, a, b)}, under = w[0] + w[1] + w[2];
    const long double time = (long double)over / (long double)under;
    CHECK(fabsl((long double)hit->time - time) <= TIME_ERROR, "%s: time %.17g, expected %.17Lg", what, hit->time, time);
    mote_vec3 at = {0, 0, 0};
    const mote_vec3 corner[3] = {t.a, t.b, t.c};
    double size = 0;
    for (int k = 0; k < 3; ++k) {
        const double weight = (double)((long double)w[k] / (long double)under);
        CHECK(fabs(hit->barycentric[k] - weight) <= TIME_ERROR, "%s: weight %.17g, expected %.17g", what,
              hit->barycentric[k], weight);
        // From the first corner: coordinates may be large.
        at = mote_vec3_add_scaled(at, mote_vec3_sub(corner[k], t.a), weight);
        size = fmax(size, mote_vec3_length(mote_vec3_sub(corner[k], t.a)));
    }
    const double off = mote_vec3_length(mote_vec3_sub(mote_vec3_sub(hit->point, t.a), at));
    const double rounding = 0x1p-51 * (fabs(t.a.x) + fabs(t.a.y) + fabs(t.a.z));
    CHECK(off <= 2 * TIME_ERROR * size + rounding, "%s: the place is off by %g", what, off);
}

static void times_are_exact_to_the_bound(void **state)
{
    (void)state;
    const double lengths[] = {0.01, 1, 1e3, 1e6}, slopes[] = {1, 1e-2, 1e-4, 1e-6};
    const mote_vec3 aways[] = {{0, 0, 0}, {1e6, -7e5, 3e6}};
    for (int o = 0; o < 2; ++o) {
        mote_mesh *mesh = make_mesh(aways[o]);
        mote_hits *hits;
        CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
        mote_random random = {1};
        int met = 0;
        for (int i = 0; i < (SLOW_BUILD ? 2000 : 40000); ++i) {
            char what[100];
            mote_vec3 from, to;
            mote_hit hit;
            const double length = lengths[i % 4], slope = slopes[i / 4 % 4];
            aim(&random, mesh, length, slope, &from, &to);
            if (!mote_hits_segment(hits, from, to, 0, &hit)) continue;
            ++met;
            snprintf(what, sizeof what, "motion %d, %g long, slope %g, at %g", i, length, slope, aways[o].x);
            check_place(mesh, from, to, &hit, what);
        }
        CHECK(met > (SLOW_BUILD ? 1000 : 20000), "only %d hits", met);
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
}

// Whole numbers of steps.
static mote_vec3 random_steps(mote_random *random, double range, double step)
{
    const mote_vec3 p = shape_random_point(random, 2 * range);
    return mote_vec3_make(trunc(p.x) * step, trunc(p.y) * step, trunc(p.z) * step);
}

// Thin triangles a million sizes away, hit at a corner or in the middle of a side: weights that do not add up to 1
// would put the point off by that part of its coordinates.
static void places_on_edges_are_exact_far_away(void **state)
{
    (void)state;
    static const uint32_t corners[] = {0, 1, 2};
    const double away = 0x1.8p21, step = 0x1p-20;
    mote_random random = {6};
    int met = 0;
    for (int i = 0; i < (SLOW_BUILD ? 100 : 1500); ++i) {
        mote_vec3 v[3];
        for (int k = 0; k < 3; ++k)
            v[k] = mote_vec3_add(mote_vec3_make(away, -away, away), random_steps(&random, 0x1p19, step));
        const mote_vec3 e = mote_vec3_sub(v[1], v[0]), f = mote_vec3_sub(v[2], v[0]);
        const double share = mote_random_unit(&random);
        const mote_vec3 on = mote_vec3_scale(e, share / step), beside = {round(on.x), round(on.y), round(on.z)};
        if (i % 2) v[2] = mote_vec3_add_scaled(v[0], beside, step);
        mote_mesh *mesh;
        mote_hits *hits;
        CHECK_OK(mote_mesh_create(NULL, v, 3, corners, 1, &mesh, NULL));
        CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
        for (int n = 0; n < 100; ++n) {
            const mote_vec3 *a = &v[n % 3], *b = n % 2 ? a : &v[(n + 1) % 3];
            const mote_vec3 at = mote_vec3_scale(mote_vec3_add(*a, *b), 0.5);
            const mote_vec3 along = random_steps(&random, 9, ldexp(1, n % 20));
            mote_vec3 way = mote_vec3_add(mote_vec3_scale(e, along.x), mote_vec3_scale(f, along.y));
            way = mote_vec3_add(way, random_steps(&random, 3, ldexp(step, n / 5)));
            mote_hit hit;
            const mote_vec3 from = mote_vec3_sub(at, way), to = mote_vec3_add_scaled(at, way, 3);
            if (!mote_hits_segment(hits, from, to, 0, &hit)) continue;
            ++met;
            const mote_vec3 off = mote_vec3_sub(hit.point, at);
            const double sum = hit.barycentric[0] + hit.barycentric[1] + hit.barycentric[2];
            CHECK(fabs(hit.time - 0.25) <= TIME_ERROR, "triangle %d, motion %d: time %.17g", i, n, hit.time);
            CHECK(fabs(sum - 1) <= 0x1p-51, "triangle %d, motion %d: weights add up to 1%+g", i, n, sum - 1);
            CHECK(mote_vec3_length(off) <= 0x1p-50 * away, "triangle %d, motion %d: the place is off by %g", i, n,
                  mote_vec3_length(off));
        }
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
    CHECK(met > (SLOW_BUILD ? 5000 : 75000), "only %d hits", met);
}

// Two triangles that have nothing but a vertex in common: a way through one of them is no way around an edge.
static void starts_on_a_vertex_are_no_edges(void **state)
{
    (void)state;
    const mote_vec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 1}, {-1, 1, 0}};
    const uint32_t triangles[] = {0, 1, 2, 0, 3, 4};
    mote_mesh *mesh;
    mote_hits *hits;
    mote_hit hit;
    CHECK_OK(mote_mesh_create(NULL, vertices, 5, triangles, 2, &mesh, NULL));
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    const mote_vec3 to = {0.2, 0.2, -1};
    CHECK(mote_hits_segment(hits, vertices[0], to, 1, &hit) && hit.time == 0 && hit.triangle == 0, "missed");
    CHECK(hit.feature == MOTE_FEATURE_VERTEX, "feature %d", (int)hit.feature);
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

// ------------------------------------------------------------------------------------------------------ distances

static double distance_from(const mote_mesh *mesh, const mote_vec3 *at, mote_vec3 point)
{
    double least = HUGE_VAL;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        mote_vec3 c[3];
        for (size_t k = 0; k < 3; ++k) c[k] = mote_vec3_sub(at[mesh->triangles[3 * t + k]], point);
        const mote_triangle seen = {c[0], c[1], c[2]};
        least = MOTE_MIN(least, sqrt(mote_triangle_foot(seen, mote_vec3_make(0, 0, 0)).distance2));
    }
    return least;
}

// Where a sphere touches a mesh at rest or one that moves: no nearer than its radius, and hardly farther.
static void check_touch(mote_hits *hits, const mote_mesh *mesh, const mote_vec3 *end, mote_vec3 from, mote_vec3 to,
                        double radius, double rounding, int *met)
{
    mote_hit hit;
    if (distance_from(mesh, mesh->vertices, from) < radius * 1.001 + 64 * rounding) return;
    if (!mote_hits_sphere(hits, from, to, radius, &hit)) return;
    ++*met;
    mote_vec3 *at = malloc(mesh->vertex_count * sizeof *at);
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        const mote_vec3 a = mesh->vertices[v], by = mote_vec3_sub(end[v], a);
        at[v] = mote_vec3_add_scaled(a, by, hit.time);
    }
    const mote_vec3 center = mote_vec3_add_scaled(from, mote_vec3_sub(to, from), hit.time);
    const double gap = distance_from(mesh, at, center), near = fmax(radius * 0x1p-20, 16 * rounding);
    CHECK(gap >= radius - rounding, "radius %g: %g too near", radius, radius - gap);
    CHECK(gap <= radius + near, "radius %g: %g too far", radius, gap - radius);
    free(at);
}

static void spheres_touch_at_their_radius(void **state)
{
    (void)state;
    const double aways[] = {0, 1, 1e3, 1e6}, radii[] = {1e-7, 1e-4, 1e-2, 0.2};
    for (int o = 0; o < 4; ++o) {
        const mote_vec3 away = {aways[o], -0.7 * aways[o], 0.3 * aways[o]};
        mote_mesh *mesh = make_mesh(away);
        mote_vec3 *end = malloc(mesh->vertex_count * sizeof *end);
        mote_random random = {2};
        int met = 0;
        for (int moves = 0; moves < 2; ++moves) {
            mote_hits *hits;
            CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
            for (size_t v = 0; v < mesh->vertex_count; ++v)
                end[v] = moves ? mote_vec3_add(mesh->vertices[v], shape_random_point(&random, 0.3)) : mesh->vertices[v];
            if (moves) CHECK_OK(mote_hits_update_moving(hits, mesh->vertices, end, NULL));
            // The extent is rounded up to 4; coordinates are below aways + 2 and round to 2^-52 of themselves.
            const double rounding = fmax(0x1p-48 * 4, 0x1p-52 * (aways[o] + 2));
            for (int i = 0; i < (SLOW_BUILD ? 60 : 600); ++i) {
                const mote_vec3 from = mote_vec3_add(away, shape_random_point(&random, 3));
                const mote_vec3 to = mote_vec3_add(away, shape_random_point(&random, 3));
                check_touch(hits, mesh, end, from, to, radii[i % 4], rounding, &met);
            }
            mote_hits_destroy(hits);
        }
        CHECK(met > (SLOW_BUILD ? 20 : 200), "%g away: only %d touch", aways[o], met);
        mote_mesh_destroy(mesh);
        free(end);
    }
}

// Of two sheets close behind each other the front one is met, also on the longest way and though it has the higher
// number: a sphere that stops is before both.
static void spheres_stop_before_the_first_sheet(void **state)
{
    (void)state;
    static const uint32_t triangles[] = {0, 1, 2, 3, 4, 5};
    const mote_response stop = {.kind = MOTE_RESPONSE_STOP, .most_hits = 1, .cookie = mote_response_default().cookie};
    mote_random random = {4};
    for (int exponent = 8; exponent <= 40; exponent += 4) {
        const double length = ldexp(1, exponent), radius = ldexp(1, exponent - 44), behind = 3 * radius;
        const mote_vec3 vertices[] = {{behind, -0.5, -0.5}, {behind, 0.5, -0.5}, {behind, 0, 0.5},
                                      {0, -0.5, -0.5},      {0, 0.5, -0.5},      {0, 0, 0.5}};
        mote_mesh *mesh;
        mote_hits *hits;
        CHECK_OK(mote_mesh_create(NULL, vertices, 6, triangles, 2, &mesh, NULL));
        CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
        for (int i = 0; i < 100; ++i) {
            const double from = -length * (1 + mote_random_unit(&random));
            double position[3] = {from, 0, -0.1}, velocity[3] = {length - from, 0, 0};
            const mote_particles one = {position, velocity, &radius, NULL, 1};
            CHECK_OK(mote_hits_advance(hits, &stop, &one, 1, NULL, NULL));
            CHECK(position[0] <= -radius * (1 - 0x1p-6), "length 2^%d: stops at %g radii", exponent,
                  position[0] / radius);
        }
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_exact_to_the_bound),
        cmocka_unit_test(places_on_edges_are_exact_far_away),
        cmocka_unit_test(starts_on_a_vertex_are_no_edges),
        cmocka_unit_test(spheres_touch_at_their_radius),
        cmocka_unit_test(spheres_stop_before_the_first_sheet),
    };
    RUN_TESTS(tests, argc, argv);
}
