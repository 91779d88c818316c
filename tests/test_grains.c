// SPDX-License-Identifier: MIT
// Grains: poured and moved among meshes, exactly and by proxy; none gets through.

#include "mote/grains.h"
#include "support/test.h"

// A cube of edge 2 about the origin, its walls facing outwards; without its bottom if `open`.
static mote_mesh *make_cube(mote_context *context, bool open)
{
    static const uint32_t triangles[] = {4, 5, 7, 4, 7, 6, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5,
                                         0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1};
    mote_vec3 vertices[8];
    for (int k = 0; k < 8; ++k) vertices[k] = (mote_vec3){k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1};
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(context, vertices, 8, triangles, open ? 10 : 12, &mesh, NULL));
    return mesh;
}

static mote_grains_def make_def(int32_t collision)
{
    mote_grains_def def = mote_grains_default_def();
    def.count = 400;
    def.collision = collision;
    def.proxy_depth = 5;
    def.time_step = 0.01;
    def.start_inside = true;  // closed cubes are containers here
    def.min = def.max = (mote_vec3){0, 0, 0};
    return def;
}

// Grains in a cube of that half edge.
static size_t count_inside(const mote_grains *grains, double half)
{
    const mote_grains_view view = mote_grains_get_view(grains);
    size_t inside = 0;
    for (size_t i = 0; i < view.count; ++i) {
        const double *at = view.positions + 3 * i;
        inside += fabs(at[0]) < half && fabs(at[1]) < half && fabs(at[2]) < half;
    }
    return inside;
}

static mote_grains *start(mote_context *context, const mote_grains_def *def, const mote_mesh *mesh)
{
    mote_grains *grains;
    mote_error error;
    mote_result result = mote_grains_create(context, def, mesh ? &mesh : NULL, mesh != NULL, &grains, &error);
    CHECK(result == MOTE_OK, "%s", error.text);
    return grains;
}

static void free_grains_fall(void **state)
{
    (void)state;
    mote_grains_def def = make_def(MOTE_GRAINS_EXACT);
    def.velocity.x = 3;
    mote_grains *grains = start(NULL, &def, NULL);
    CHECK_OK(mote_grains_advance(grains, 1, NULL, NULL, NULL));
    const mote_grains_view view = mote_grains_get_view(grains);
    CHECK(view.count == 400, "%zu", view.count);
    for (size_t i = 0; i < view.count; ++i) {
        CHECK(fabs(view.velocities[3 * i + 2] + 9.81) < 1e-9, "%g", view.velocities[3 * i + 2]);
        CHECK(fabs(view.positions[3 * i] - 3) < 1e-9, "%g", view.positions[3 * i]);
        CHECK(fabs(view.positions[3 * i + 2] + 9.81 / 2 * (1 + def.time_step)) < 1e-9, "%g", view.positions[3 * i + 2]);
    }
    mote_grains_destroy(grains);
}

static void grains_are_poured_evenly(void **state)
{
    (void)state;
    mote_grains_def def = make_def(MOTE_GRAINS_EXACT);
    def.duration = 2;
    mote_grains *grains = start(NULL, &def, NULL);
    CHECK(mote_grains_get_view(grains).count == 0, "some came early");
    for (int k = 1; k <= 10; ++k) {
        CHECK_OK(mote_grains_advance(grains, 0.25, NULL, NULL, NULL));
        const size_t count = mote_grains_get_view(grains).count, due = k < 8 ? (size_t)(50 * k) : 400;
        CHECK(count + 1 >= due && count <= due + 1, "%zu came, %zu were due", count, due);
    }
    mote_grains_destroy(grains);
}

// Inside a closed cube for good, with and without bounces, and outside of it likewise: a proxy may be off by a leaf.
static void none_gets_through(void **state)
{
    (void)state;
    mote_mesh *cube = make_cube(NULL, false);
    for (int c = 0; c < 2; ++c)
        for (int outside = 0; outside < 2; ++outside)
            for (int r = 0; r < 3; ++r) {
                mote_grains_def def = make_def(c);
                def.min = outside ? (mote_vec3){-1.2, -1.2, 1.3} : (mote_vec3){-0.8, -0.8, -0.8};
                def.max = outside ? (mote_vec3){1.2, 1.2, 1.5} : (mote_vec3){0.8, 0.8, 0.8};
                def.velocity = (mote_vec3){5, 3, outside ? -7 : 7};
                def.restitution = 0.45 * r;
                mote_grains *grains = start(NULL, &def, cube);
                const double leaf = c == MOTE_GRAINS_PROXY ? 2.2 / 32 : 0, half = outside ? 1 - leaf : 1 + leaf;
                for (int k = 0; k < 20; ++k) {
                    CHECK_OK(mote_grains_advance(grains, 0.05, NULL, NULL, NULL));
                    const size_t inside = count_inside(grains, half), expected = outside ? 0 : 400;
                    CHECK(inside == expected, "collision %d, restitution %g: %zu inside, expected %zu", c,
                          def.restitution, inside, expected);
                }
                CHECK(mote_grains_get_counters(grains).bounces > 0, "nothing was hit");
                mote_grains_destroy(grains);
            }
    mote_mesh_destroy(cube);
}

static void grains_fall_out_of_a_hole(void **state)
{
    (void)state;
    mote_mesh *cube = make_cube(NULL, true);
    for (int c = 0; c < 2; ++c) {
        mote_grains_def def = make_def(c);
        def.min = (mote_vec3){-0.7, -0.7, -0.7}, def.max = (mote_vec3){0.7, 0.7, 0.7};
        mote_grains *grains = start(NULL, &def, cube);
        CHECK_OK(mote_grains_advance(grains, 2, NULL, NULL, NULL));
        CHECK(count_inside(grains, 1) == 0, "collision %d: %zu are still inside", c, count_inside(grains, 1));
        mote_grains_destroy(grains);
    }
    mote_mesh_destroy(cube);
}

static bool stay_above(void *user_data, mote_vec3 to, mote_vec3 *velocity)
{
    const double floor = *(const double *)user_data;
    if (to.z >= floor) return true;
    if (velocity->z < 0) velocity->z *= -0.5;
    return false;
}

// A cube with walls: a cavity of that half edge within.
static mote_mesh *make_hollow_cube(double half)
{
    mote_mesh *outer = make_cube(NULL, false), *mesh;
    mote_vec3 vertices[16];
    uint32_t triangles[72];
    for (int k = 0; k < 8; ++k) {
        const mote_vec3 v = outer->vertices[k];
        vertices[k] = v;
        vertices[8 + k] = (mote_vec3){half * v.x, half * v.y, half * v.z};
    }
    for (int t = 0; t < 36; t += 3) {
        for (int c = 0; c < 3; ++c) triangles[t + c] = outer->triangles[t + c];
        for (int c = 0; c < 3; ++c) triangles[36 + t + c] = 8 + outer->triangles[t + 2 - c];  // it faces the cavity
    }
    CHECK_OK(mote_mesh_create(NULL, vertices, 16, triangles, 24, &mesh, NULL));
    mote_mesh_destroy(outer);
    return mesh;
}

static bool is_in_wall(const double *at, double half)
{
    const double farthest = fmax(fabs(at[0]), fmax(fabs(at[1]), fabs(at[2])));
    return farthest < 1 && farthest > half;
}

static void none_starts_in_a_wall(void **state)
{
    (void)state;
    mote_mesh *mesh = make_hollow_cube(0.8);
    for (int k = SEEKS_RACES ? 3 : 0; k < 4; ++k) {
        mote_grains_def def = make_def(k & 1 ? MOTE_GRAINS_PROXY : MOTE_GRAINS_EXACT);
        def.count = 70000;  // more than a batch
        def.duration = k & 2 ? 0.1 : 0;
        def.min = (mote_vec3){-1.5, -1.5, -1.5}, def.max = (mote_vec3){1.5, 1.5, 1.5};
        def.gravity.z = 0;
        mote_grains *all = start(NULL, &def, mesh);
        def.start_inside = false;
        mote_grains *grains = start(NULL, &def, mesh);
        CHECK_OK(mote_grains_advance(all, 0.2, NULL, NULL, NULL));
        CHECK_OK(mote_grains_advance(grains, 0.2, NULL, NULL, NULL));
        const mote_grains_view before = mote_grains_get_view(all), after = mote_grains_get_view(grains);
        CHECK(before.count == 70000, "%zu", before.count);
        size_t kept = 0;
        for (size_t i = 0; i < before.count; ++i) {
            const double *at = before.positions + 3 * i;
            if (is_in_wall(at, 0.8)) continue;
            CHECK(kept < after.count && memcmp(at, after.positions + 3 * kept, 3 * sizeof *at) == 0, "grain %zu", i);
            ++kept;
        }
        const uint64_t removed = mote_grains_get_counters(grains).removed;
        CHECK(kept == after.count && kept + removed == 70000 && removed > 8000, "%zu, %llu removed", kept,
              (unsigned long long)removed);
        mote_grains_destroy(grains);
        mote_grains_destroy(all);
    }
    mote_grains_def def = make_def(MOTE_GRAINS_EXACT);
    def.start_inside = false;
    def.min = def.max = (mote_vec3){0.9, 0, 0};
    mote_grains *grains;
    mote_error error;
    const mote_mesh *meshes[] = {mesh};
    CHECK(mote_grains_create(NULL, &def, meshes, 1, &grains, &error) == MOTE_ERROR_ARGUMENT, "all are in the wall");
    CHECK(strstr(error.text, "\"start_inside\": true"), "%s", error.text);
    mote_mesh_destroy(mesh);
}

static void a_keeper_is_obeyed(void **state)
{
    (void)state;
    double floor = -0.3;
    mote_grains_def def = make_def(MOTE_GRAINS_EXACT);
    mote_grains *grains = start(NULL, &def, NULL);
    CHECK_OK(mote_grains_advance(grains, 3, stay_above, &floor, NULL));
    const mote_grains_view view = mote_grains_get_view(grains);
    for (size_t i = 0; i < view.count; ++i) CHECK(view.positions[3 * i + 2] >= floor, "%g", view.positions[3 * i + 2]);
    mote_grains_destroy(grains);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    mote_mesh *cube = make_cube(NULL, true);
    for (int c = 0; c < 2; ++c) {
        mote_grains *grains[2];
        mote_context *contexts[2];
        for (int t = 0; t < 2; ++t) {
            contexts[t] = test_context_with_threads(t ? 5 : 1);
            mote_grains_def def = make_def(c);
            def.count = 3000;
            def.duration = 0.3;
            def.min = (mote_vec3){-1.5, -1.5, -0.5}, def.max = (mote_vec3){1.5, 1.5, 1.5};
            def.velocity = (mote_vec3){1, 2, 3};
            grains[t] = start(contexts[t], &def, cube);
            CHECK_OK(mote_grains_advance(grains[t], 0.5, NULL, NULL, NULL));
        }
        const mote_grains_view a = mote_grains_get_view(grains[0]), b = mote_grains_get_view(grains[1]);
        CHECK(a.count == b.count && a.count == 3000, "%zu and %zu", a.count, b.count);
        assert_memory_equal(a.positions, b.positions, 3 * a.count * sizeof *a.positions);
        assert_memory_equal(a.velocities, b.velocities, 3 * a.count * sizeof *a.velocities);
        for (int t = 0; t < 2; ++t) {
            mote_grains_destroy(grains[t]);
            mote_context_destroy(contexts[t]);
        }
    }
    mote_mesh_destroy(cube);
}

// A proxy that is lent does what one of its own does, and is still there afterwards.
static void proxies_may_be_lent(void **state)
{
    (void)state;
    mote_mesh *cube = make_cube(NULL, true);
    mote_grains_def def = make_def(MOTE_GRAINS_PROXY);
    def.min = (mote_vec3){-1.5, -1.5, -0.5}, def.max = (mote_vec3){1.5, 1.5, 1.5};
    const mote_proxy_def of = mote_grains_proxy_def(&def);
    mote_proxy *proxy;
    CHECK_OK(mote_proxy_create(NULL, &of, (const mote_mesh *const *)&cube, 1, &proxy, NULL));
    mote_grains *own = start(NULL, &def, cube);
    def.proxy = proxy;
    mote_grains *lent = start(NULL, &def, cube);
    CHECK_OK(mote_grains_advance(own, 0.5, NULL, NULL, NULL));
    CHECK_OK(mote_grains_advance(lent, 0.5, NULL, NULL, NULL));
    const mote_grains_view a = mote_grains_get_view(own), b = mote_grains_get_view(lent);
    assert_memory_equal(a.positions, b.positions, 3 * a.count * sizeof *a.positions);
    assert_memory_equal(a.velocities, b.velocities, 3 * a.count * sizeof *a.velocities);
    const size_t bytes = mote_grains_get_counters(lent).collider_bytes;
    CHECK(bytes == mote_proxy_byte_count(proxy), "%zu bytes", bytes);
    CHECK(mote_grains_byte_count(own) - mote_grains_byte_count(lent) == bytes, "what is lent is counted");
    mote_grains_destroy(own);
    mote_grains_destroy(lent);
    CHECK_OK(mote_proxy_validate(proxy, NULL));
    mote_proxy_destroy(proxy);
    mote_mesh_destroy(cube);
}

static void bad_defs_are_refused(void **state)
{
    (void)state;
    mote_grains *grains;
    mote_error error;
    mote_grains_def def = mote_grains_default_def();
    CHECK(mote_grains_create(NULL, &def, NULL, 0, &grains, &error) == MOTE_ERROR_ARGUMENT, "no count");
    def = make_def(MOTE_GRAINS_EXACT);
    def.min.x = 1;
    CHECK(mote_grains_create(NULL, &def, NULL, 0, &grains, &error) == MOTE_ERROR_ARGUMENT, "min above max");
    CHECK(strcmp(error.text, "grains: min is above max, expected a box") == 0, "%s", error.text);
    def = make_def(MOTE_GRAINS_PROXY);
    def.proxy_depth = 99;
    CHECK(mote_grains_create(NULL, &def, NULL, 0, &grains, &error) == MOTE_ERROR_ARGUMENT, "depth");
    CHECK(strstr(error.text, "proxy_depth") != NULL, "%s", error.text);
}

static mote_result attempt(mote_context *context, void *data)
{
    mote_grains_def def = make_def(*(int32_t *)data);
    def.count = 20;
    def.proxy_depth = 3;
    mote_mesh *cube = make_cube(NULL, false);
    const mote_mesh *meshes[] = {cube, cube};
    mote_grains *grains;
    mote_result result = mote_grains_create(context, &def, meshes, 2, &grains, NULL);
    if (result == MOTE_OK) {
        result = mote_grains_advance(grains, 0.03, NULL, NULL, NULL);
        mote_grains_destroy(grains);
    }
    mote_mesh_destroy(cube);
    return result;
}

static void memory_runs_out(void **state)
{
    (void)state;
    for (int32_t c = 0; c < 2; ++c) test_failing_allocations(attempt, &c);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_grains_fall),
        cmocka_unit_test(grains_are_poured_evenly),
        cmocka_unit_test(none_gets_through),
        cmocka_unit_test(grains_fall_out_of_a_hole),
        cmocka_unit_test(none_starts_in_a_wall),
        cmocka_unit_test(a_keeper_is_obeyed),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(proxies_may_be_lent),
        cmocka_unit_test(bad_defs_are_refused),
        cmocka_unit_test(memory_runs_out),
    };
    RUN_TESTS(tests, argc, argv);
}
