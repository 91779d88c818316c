// SPDX-License-Identifier: MIT
// The law of collisions: what each kind of response makes of a velocity, and that proxies apply it to their particles.

#include "mote/proxy.h"
#include "mote/response.h"
#include "support/shapes.h"
#include "support/test.h"

static mote_vec3 vec(double x, double y, double z)
{
    const mote_vec3 v = {x, y, z};
    return v;
}

static mote_vec3 apply(mote_response_kind kind, double restitution, double friction, mote_vec3 v, mote_vec3 surface)
{
    mote_response response = mote_response_bounce(restitution, friction);
    response.kind = kind;
    return mote_response_apply(&response, v, surface, vec(0, 0, 1));
}

static void expect(mote_vec3 found, mote_vec3 wanted)
{
    CHECK(fabs(found.x - wanted.x) < 1e-15 && fabs(found.y - wanted.y) < 1e-15 && fabs(found.z - wanted.z) < 1e-15,
          "(%g, %g, %g), expected (%g, %g, %g)", found.x, found.y, found.z, wanted.x, wanted.y, wanted.z);
}

// A velocity 3 along and 4 into a surface whose normal is z.
static void surfaces_at_rest(void **state)
{
    (void)state;
    const mote_vec3 v = vec(3, 0, -4), rest = vec(0, 0, 0);
    expect(apply(MOTE_RESPONSE_BOUNCE, 0.5, 0, v, rest), vec(3, 0, 2));
    expect(apply(MOTE_RESPONSE_BOUNCE, 0.5, 0.25, v, rest), vec(1.5, 0, 2));  // loses 0.25 · 1.5 · 4
    expect(apply(MOTE_RESPONSE_BOUNCE, 1, 10, v, rest), vec(0, 0, 4));        // never turned back
    expect(apply(MOTE_RESPONSE_SLIDE, 0.5, 0, v, rest), vec(3, 0, 0));
    expect(apply(MOTE_RESPONSE_SLIDE, 0.5, 0.25, v, rest), vec(2, 0, 0));  // without restitution: 0.25 · 4
    expect(apply(MOTE_RESPONSE_STICK, 0.5, 0.25, v, rest), rest);
    expect(apply(MOTE_RESPONSE_STOP, 0.5, 0.25, v, rest), rest);
    expect(apply(MOTE_RESPONSE_KILL, 0.5, 0.25, v, rest), rest);
    expect(apply(MOTE_RESPONSE_BOUNCE, 0.5, 0.25, vec(3, 0, 4), rest), vec(3, 0, 4));
    expect(apply(MOTE_RESPONSE_BOUNCE, 0, 0.25, vec(3, 0, 0), rest), vec(3, 0, 0));
}

static void surfaces_that_move(void **state)
{
    (void)state;
    const mote_vec3 v = vec(3, 0, -4), surface = vec(1, 0, 2);
    expect(apply(MOTE_RESPONSE_BOUNCE, 0.5, 0, v, surface), vec(3, 0, 5));
    expect(apply(MOTE_RESPONSE_SLIDE, 0.5, 100, v, surface), surface);
    expect(apply(MOTE_RESPONSE_STICK, 0.5, 0, v, surface), surface);
    expect(apply(MOTE_RESPONSE_STOP, 0.5, 0, v, surface), vec(0, 0, 0));
    expect(apply(MOTE_RESPONSE_BOUNCE, 0.5, 0, v, vec(0, 0, -5)), v);  // the surface goes away faster
}

// Powers of two change no bit, however far from 1 they are: nothing overflows on the way.
static void no_size_is_special(void **state)
{
    (void)state;
    const mote_vec3 once = apply(MOTE_RESPONSE_BOUNCE, 0.3, 0.2, vec(3, 1, -4), vec(0, 0, 0));
    for (int e = -1000; e <= 1000; e += 50) {
        const mote_vec3 found = apply(MOTE_RESPONSE_BOUNCE, 0.3, 0.2, vec(ldexp(3, e), ldexp(1, e), ldexp(-4, e)),
                                      vec(0, 0, 0));
        CHECK(found.x == ldexp(once.x, e) && found.y == ldexp(once.y, e) && found.z == ldexp(once.z, e), "2^%d", e);
    }
}

static void values_are_checked(void **state)
{
    (void)state;
    mote_error error;
    mote_response wrong[7];
    for (int k = 0; k < 7; ++k) wrong[k] = mote_response_default();
    CHECK_OK(mote_response_check(&wrong[0], &error));
    wrong[0].cookie = 0;
    wrong[1].kind = (mote_response_kind)5;
    wrong[2].restitution = 1.5;
    wrong[3].restitution = (double)NAN;
    wrong[4].friction = -1;
    wrong[5].friction = (double)NAN;
    wrong[6].most_hits = 0;
    for (int k = 0; k < 7; ++k)
        CHECK(mote_response_check(&wrong[k], &error) == MOTE_ERROR_ARGUMENT && !strncmp(error.text, "response: ", 10),
              "response %d: %s", k, error.text);
    assert_int_equal(mote_response_check(NULL, &error), MOTE_ERROR_ARGUMENT);
}

// Particles thrown at the inside of a cube: those that stick or stop rest after their first collision, in single steps
// and eight at a time; those that slide keep to the wall; nobody can be killed.
static void proxies_have_all_kinds(void **state)
{
    (void)state;
    enum { COUNT = 64 };
    mote_mesh *mesh = shape_cube(NULL, 1);
    const mote_mesh *const meshes[] = {mesh};
    mote_proxy *proxy;
    CHECK_OK(mote_proxy_create(NULL, NULL, meshes, 1, &proxy, NULL));
    const mote_box box = mote_mesh_box(mesh);
    for (int kind = MOTE_RESPONSE_BOUNCE; kind <= MOTE_RESPONSE_KILL; ++kind) {
        float x[3 * COUNT], v[3 * COUNT];
        uint8_t labels[COUNT];
        mote_random random = {1};
        mote_response response = mote_response_bounce(1, 0);
        response.kind = (mote_response_kind)kind;
        for (int i = 0; i < 3 * COUNT; ++i) {
            const double low = i % 3 == 0 ? box.min.x : i % 3 == 1 ? box.min.y : box.min.z;
            const double high = i % 3 == 0 ? box.max.x : i % 3 == 1 ? box.max.y : box.max.z;
            x[i] = (float)(low + (high - low) * (0.3 + 0.4 * mote_random_unit(&random)));
            v[i] = i % 3 == 2 ? -10 : 0.5F;
        }
        const mote_proxy_particles particles = mote_proxy_particles_xyz(x, v, labels, COUNT);
        mote_proxy_counters counters = {0};
        CHECK_OK(mote_proxy_stamp(proxy, &particles, NULL));
        const mote_result result = mote_proxy_advance(proxy, &particles, 0.2, &response, &counters, NULL);
        assert_int_equal(result, kind == MOTE_RESPONSE_KILL ? MOTE_ERROR_ARGUMENT : MOTE_OK);
        for (int i = 0; result == MOTE_OK && i < COUNT; ++i) {
            const float *now = v + 3 * (size_t)i;
            if (kind == MOTE_RESPONSE_BOUNCE) CHECK(fabsf(now[2]) > 9, "%d: %g", i, (double)now[2]);
            if (kind == MOTE_RESPONSE_SLIDE) CHECK(fabsf(now[2]) < 0.1F && now[0] > 0.4F, "%d: %g", i, (double)now[2]);
            if (kind == MOTE_RESPONSE_STICK || kind == MOTE_RESPONSE_STOP)
                CHECK(now[0] == 0 && now[1] == 0 && now[2] == 0, "%d: %g", i, (double)now[2]);
        }
        if (kind == MOTE_RESPONSE_STICK) assert_int_equal(counters.bounces, COUNT);
        if (result == MOTE_OK) assert_int_equal(counters.collided, COUNT);
    }
    mote_proxy_destroy(proxy);
    mote_mesh_destroy(mesh);
}

// After most_hits collisions the rest of the step is dropped.
static void proxies_count_hits(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_cube(NULL, 1);
    const mote_mesh *const meshes[] = {mesh};
    mote_proxy *proxy;
    CHECK_OK(mote_proxy_create(NULL, NULL, meshes, 1, &proxy, NULL));
    const mote_box box = mote_mesh_box(mesh);
    const float start[3] = {(float)(box.min.x + box.max.x) / 2, (float)(box.min.y + box.max.y) / 2,
                            (float)(box.min.z + box.max.z) / 2};
    for (uint32_t most = 1; most <= 40; most += 13) {
        float x[30], v[30];  // one by one, and eight at a time
        uint8_t labels[10];
        mote_response response = mote_response_bounce(1, 0);
        mote_proxy_counters counters = {0};
        response.most_hits = most;
        for (int i = 0; i < 30; ++i) x[i] = start[i % 3] + (float)i * 1e-3F, v[i] = i % 3 == 2 ? -1000 : 0;
        const mote_proxy_particles particles = mote_proxy_particles_xyz(x, v, labels, 10);
        CHECK_OK(mote_proxy_stamp(proxy, &particles, NULL));
        CHECK_OK(mote_proxy_advance(proxy, &particles, 1, &response, &counters, NULL));
        assert_int_equal(counters.bounces, 10 * most);
        assert_int_equal(counters.dropped, 10);
    }
    mote_proxy_destroy(proxy);
    mote_mesh_destroy(mesh);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_at_rest),
        cmocka_unit_test(surfaces_that_move),
        cmocka_unit_test(no_size_is_special),
        cmocka_unit_test(values_are_checked),
        cmocka_unit_test(proxies_have_all_kinds),
        cmocka_unit_test(proxies_count_hits),
    };
    RUN_TESTS(tests, argc, argv);
}
