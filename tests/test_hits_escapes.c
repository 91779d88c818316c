// SPDX-License-Identifier: MIT
// Exact collisions for a long time: particles inside and outside of closed meshes, and of such that were cut open,
// under gravity, never change sides but through the opening.
//
// A particle's side is stored and held, every so many steps and at the end, against the whole mesh, before it was cut:
// the sign of the distance of the closest point; for some the winding number by brute force, too. Particles that lie in
// a corner may be nearer to a plane than rounding lets a distance tell: of those that are that near, the first triangle
// seen along any line tells the side, exactly. Beyond the plane of the cut there is no side; who comes back from there
// gets one anew.
//
// With MOTE_LONG_TESTS=1 a hundred thousand particles take a thousand steps each, with MOTE_LONG_TESTS=10 a million,
// which takes half an hour or so of processor time a test.

#include <stdlib.h>

#include "base/tested.h"
#include "mote/hits.h"
#include "support/closest.h"
#include "support/shapes.h"
#include "support/test.h"

static const double time_step = 0.01, near_share = 1e-9;  // the second: of the mesh's size
enum { BETWEEN_CHECKS = SLOW_BUILD ? 10 : 100, SAMPLES = 200 };

// In hundreds of thousands of particles; 0: it is a short one.
static size_t length_of_test(void)
{
    const char *text = SLOW_BUILD ? NULL : getenv("MOTE_LONG_TESTS");
    const long length = text ? strtol(text, NULL, 10) : 0;
    return length > 0 ? (size_t)length : 0;
}

static bool is_long(void)
{
    return length_of_test() > 0;
}

typedef enum opening { CLOSED, CUT_ABOVE, CUT_BELOW } opening;

typedef struct escape_run {
    const char *name;
    mote_mesh *(*make)(void);
    opening open;
    double restitution, friction;
} escape_run;

typedef struct crowd {
    const escape_run *run;
    mote_mesh *whole;
    mote_hits *oracle, *hits;  // of the whole mesh, and of what the particles meet
    mote_box box;
    double size, cut;  // the box's longest side; z of the plane
    size_t count;
    double *positions, *velocities;
    int8_t *sides;  // 1 outside, −1 inside, 0: beyond the cut
    mote_closest *closest;
    mote_random random;
    uint64_t hit_count, turns;  // turns: sides got anew
} crowd;

static mote_vec3 position_of(const crowd *c, size_t i)
{
    return mote_vec3_make(c->positions[3 * i], c->positions[3 * i + 1], c->positions[3 * i + 2]);
}

static void put_at(crowd *c, size_t i, mote_vec3 p)
{
    const double xyz[3] = {p.x, p.y, p.z};
    memcpy(c->positions + 3 * i, xyz, sizeof xyz);
}

static double between(crowd *c, double low, double high)
{
    return low + (high - low) * mote_random_unit(&c->random);
}

static bool is_beyond_cut(const crowd *c, double z)
{
    if (c->run->open == CUT_ABOVE) return z > c->cut - near_share * c->size;
    return c->run->open == CUT_BELOW && z < c->cut + near_share * c->size;
}

// The side of a point that is near: that of the first triangle that a line of sheared meets inside of it.
static int8_t side_seen(crowd *c, mote_vec3 p)
{
    mote_hit hit = {.feature = MOTE_FEATURE_EDGE};
    while (hit.feature != MOTE_FEATURE_FACE) {
        const mote_vec3 way = {between(c, -4, 4) * c->size, between(c, -4, 4) * c->size, between(c, -4, 4) * c->size};
        const bool is_long_enough = mote_vec3_length(way) > 2 * c->size;
        if (is_long_enough && !mote_hits_segment(c->oracle, p, mote_vec3_add(p, way), 0, &hit)) return 1;
    }
    return (int8_t)hit.side;
}

// On which side of the whole mesh a point lies whose closest point of it is known.
static int8_t side_by(crowd *c, mote_vec3 p, const mote_closest *closest)
{
    if (fabs(closest->distance) < near_share * c->size) return side_seen(c, p);
    return closest->distance < 0 ? -1 : 1;
}

static int8_t side_of(crowd *c, mote_vec3 p)
{
    mote_closest closest;
    CHECK(test_closest(c->oracle, p, MOTE_SIGN_NORMAL, &closest), "nothing is closest");
    return side_by(c, p, &closest);
}

// Half of them anywhere in the box and around it, half near the surface.
static void scatter(crowd *c)
{
    const mote_box *box = &c->box;
    const double around = 0.1 * c->size, near = 0.02 * c->size, speed = 2 * c->size;
    for (size_t i = 0; i < c->count; ++i) {
        mote_vec3 p;
        mote_closest closest = {.distance = 0};
        while (fabs(closest.distance) < near_share * c->size) {
            p = (mote_vec3){between(c, box->min.x - around, box->max.x + around),
                            between(c, box->min.y - around, box->max.y + around),
                            between(c, box->min.z - around, box->max.z + around)};
            if (i % 2) {
                p = c->whole->vertices[mote_random_below(&c->random, (uint32_t)c->whole->vertex_count)];
                p = mote_vec3_add(p, mote_vec3_make(between(c, -near, near), between(c, -near, near),
                                                    between(c, -near, near)));
            }
            CHECK(test_closest(c->oracle, p, MOTE_SIGN_NORMAL, &closest), "nothing is closest");
        }
        put_at(c, i, p);
        c->sides[i] = is_beyond_cut(c, p.z) ? 0 : closest.distance < 0 ? -1 : 1;
        for (size_t k = 0; k < 3; ++k) c->velocities[3 * i + k] = between(c, -speed, speed);
    }
}

// What fell past the mesh or flew away falls again, from above.
static bool put_back(crowd *c, size_t i)
{
    const mote_vec3 p = position_of(c, i), middle = mote_vec3_scale(mote_vec3_add(c->box.min, c->box.max), 0.5);
    if (mote_vec3_length(mote_vec3_sub(p, middle)) < 1.5 * c->size) return false;
    put_at(c, i, mote_vec3_make(between(c, c->box.min.x, c->box.max.x), between(c, c->box.min.y, c->box.max.y),
                                c->box.max.z + between(c, 0.05, 0.3) * c->size));
    for (size_t k = 0; k < 3; ++k) c->velocities[3 * i + k] = 0;
    c->sides[i] = c->run->open == CUT_ABOVE ? 0 : 1;
    return true;
}

static void step(crowd *c, const mote_response *response)
{
    const mote_particles view = {.positions = c->positions, .velocities = c->velocities, .count = c->count};
    for (size_t i = 0; i < c->count; ++i) c->velocities[3 * i + 2] -= 10 * c->size * time_step;
    uint64_t hit_count;
    CHECK_OK(mote_hits_advance(c->hits, response, &view, time_step, &hit_count, NULL));
    c->hit_count += hit_count;
    for (size_t i = 0; i < c->count; ++i) {
        if (put_back(c, i)) continue;
        if (is_beyond_cut(c, c->positions[3 * i + 2])) c->sides[i] = 0;
        else if (c->sides[i] == 0) c->sides[i] = side_of(c, position_of(c, i)), ++c->turns;
    }
}

static size_t count_escapes(crowd *c)
{
    const mote_points points = mote_points_xyz_f64(c->positions, c->count);
    CHECK_OK(mote_hits_closest_all(c->oracle, &points, HUGE_VAL, MOTE_SIGN_NORMAL, c->closest, NULL));
    size_t escapes = 0;
    for (size_t i = 0; i < c->count; ++i)
        escapes += c->sides[i] != 0 && side_by(c, position_of(c, i), &c->closest[i]) != c->sides[i];
    for (size_t k = 0; k < SAMPLES; ++k) {
        const size_t i = mote_random_below(&c->random, (uint32_t)c->count);
        if (fabs(c->closest[i].distance) < near_share * c->size) continue;
        const bool inside = mote_mesh_winding_number(c->whole, position_of(c, i)) > 0.5;
        escapes += c->sides[i] != 0 && inside != (c->sides[i] < 0);
    }
    return escapes;
}

static void open_crowd(crowd *c, const escape_run *run)
{
    const size_t count = is_long() ? 100000 * length_of_test() : SANITIZED ? 200 : 2500;
    mote_mesh *mesh = run->make();
    *c = (crowd){.run = run, .whole = run->make(), .count = count, .random = {17},
                 .positions = malloc(3 * count * sizeof(double)), .velocities = malloc(3 * count * sizeof(double)),
                 .sides = calloc(count, 1), .closest = malloc(count * sizeof(mote_closest))};
    c->box = mote_mesh_box(c->whole);
    const mote_vec3 size = mote_vec3_sub(c->box.max, c->box.min);
    c->size = fmax(size.x, fmax(size.y, size.z));
    c->cut = c->box.min.z + (run->open == CUT_ABOVE ? 0.7 : 0.3) * size.z;
    const mote_vec3 point = {0, 0, c->cut}, normal = {0, 0, run->open == CUT_ABOVE ? 1 : -1};
    if (run->open != CLOSED) CHECK_OK(mote_mesh_cut(mesh, point, normal, NULL));
    CHECK_OK(mote_hits_create(NULL, NULL, c->whole, &c->oracle, NULL));
    CHECK_OK(mote_hits_prepare_closest(c->oracle, NULL));
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &c->hits, NULL));
    mote_mesh_destroy(mesh);
}

static void close_crowd(crowd *c)
{
    mote_hits_destroy(c->hits);
    mote_hits_destroy(c->oracle);
    mote_mesh_destroy(c->whole);
    free(c->positions);
    free(c->velocities);
    free(c->sides);
    free(c->closest);
}

static void check_run(const escape_run *run)
{
    crowd c;
    mote_response response = mote_response_default();
    response.restitution = run->restitution;
    response.friction = run->friction;
    open_crowd(&c, run);
    scatter(&c);
    const int steps = is_long() ? 1000 : SLOW_BUILD ? 30 : 200;
    size_t escapes = 0;
    for (int k = 1; k <= steps; ++k) {
        step(&c, &response);
        if (k % BETWEEN_CHECKS == 0 || k == steps) escapes += count_escapes(&c);
    }
    CHECK(escapes == 0, "%s, restitution %g: %zu escapes", run->name, run->restitution, escapes);
    CHECK(c.hit_count > c.count / 4, "%s: only %llu hits", run->name, (unsigned long long)c.hit_count);
    CHECK((c.turns > 0) == (run->open != CLOSED), "%s: %llu particles through the opening", run->name,
          (unsigned long long)c.turns);
    close_crowd(&c);
}

static mote_mesh *make_star(void)
{
    return shape_star(NULL);
}

static mote_mesh *make_sphere(void)
{
    return shape_sphere(NULL, 4);
}

static void check_runs(opening open)
{
    for (int k = 0; k < 2; ++k) {
        const escape_run star = {"star", make_star, open, 0.5 * k, 0.1};
        const escape_run sphere = {"sphere", make_sphere, open, 0.5 * k, 0};
        check_run(&star);
        if (!is_long()) check_run(&sphere);
    }
}

static void none_gets_through_a_closed_mesh(void **state)
{
    (void)state;
    check_runs(CLOSED);
}

static void none_gets_through_a_bowl(void **state)
{
    (void)state;
    check_runs(CUT_ABOVE);
}

static void sides_change_through_a_hole_alone(void **state)
{
    (void)state;
    check_runs(CUT_BELOW);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_gets_through_a_closed_mesh),
        cmocka_unit_test(none_gets_through_a_bowl),
        cmocka_unit_test(sides_change_through_a_hole_alone),
    };
    RUN_TESTS(tests, argc, argv);
}
