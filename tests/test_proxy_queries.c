// SPDX-License-Identifier: MIT
// The octree proxy's calls: the same bits for any threads and tables; hits; the general octree against brute force;
// particles from outside and at any speed; plates thinner than a leaf; bad input; memory that runs out.

#include "mesh/tested.h"
#include "proxy/tested.h"
#include "support/shapes.h"
#include "support/test.h"

static mote_proxy *make_proxy(mote_context *context, const mote_mesh *mesh, int min_depth, int max_depth, int table)
{
    mote_proxy_def def = mote_proxy_default_def();
    def.min_depth = min_depth;
    def.max_depth = max_depth;
    def.table_depth = table;
    mote_proxy *proxy;
    mote_error error;
    if (mote_proxy_create(context, &def, &mesh, 1, &proxy, &error) != MOTE_OK) FAIL("%s", error.text);
    return proxy;
}

enum { COUNT = SANITIZED ? 2000 : 20000 };

typedef struct cloud {
    float x[3 * COUNT], v[3 * COUNT];
    uint8_t labels[COUNT];
} cloud;

// In and around the unit ball; velocities up to `speed`.
static cloud *make_cloud(uint64_t seed, double speed)
{
    cloud *c = calloc(1, sizeof *c);
    mote_random random = {seed};
    for (int i = 0; i < 3 * COUNT; ++i) {
        c->x[i] = (float)(2.6 * mote_random_unit(&random) - 1.3);
        c->v[i] = (float)(speed * (2 * mote_random_unit(&random) - 1));
    }
    return c;
}

static mote_proxy_particles all_of(cloud *c)
{
    return mote_proxy_particles_xyz(c->x, c->v, c->labels, COUNT);
}

static const mote_response half_bounce = {.restitution = 0.5, .friction = 0.2, .most_hits = 16, .cookie = MOTE_COOKIE};

// Some steps, and what they leave.
static void run(const mote_proxy *proxy, cloud *c, mote_proxy_counters *counters)
{
    const mote_proxy_particles particles = all_of(c);
    CHECK_OK(mote_proxy_stamp(proxy, &particles, NULL));
    for (int k = 0; k < 20; ++k) CHECK_OK(mote_proxy_advance(proxy, &particles, 0.02, &half_bounce, counters, NULL));
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 2, 5};
    cloud *first = NULL;
    mote_proxy_node *nodes = NULL;
    mote_proxy_counters counts[3] = {{0}};
    for (int k = 0; k < 3; ++k) {
        mote_context *context = test_context_with_threads(threads[k]);
        mote_mesh *mesh = shape_sphere(context, 5);
        mote_proxy *proxy = make_proxy(context, mesh, 3, 6, 5);
        const mote_proxy_arrays arrays = mote_proxy_get_arrays(proxy);
        const size_t bytes = arrays.node_count * sizeof *nodes;
        cloud *c = make_cloud(1, 2);
        run(proxy, c, &counts[k]);
        if (k == 0) {
            first = c;
            nodes = malloc(bytes);
            memcpy(nodes, arrays.nodes, bytes);
        } else {
            assert_memory_equal(nodes, arrays.nodes, bytes);
            assert_memory_equal(first, c, sizeof *c);
            assert_memory_equal(&counts[0], &counts[k], sizeof counts[0]);
            free(c);
        }
        mote_proxy_destroy(proxy);
        mote_mesh_destroy(mesh);
        mote_context_destroy(context);
    }
    free(first);
    free(nodes);
}

// The table's depth changes what is counted as clear, but no particle.
static void tables_do_not_matter(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_star(NULL);
    cloud *first = NULL;
    for (int table = 0; table <= 6; table += 2) {
        mote_proxy *proxy = make_proxy(NULL, mesh, 0, 6, table);
        cloud *c = make_cloud(3, 3);
        run(proxy, c, NULL);
        if (!first)
            first = c;
        else {
            assert_memory_equal(first, c, sizeof *c);
            free(c);
        }
        mote_proxy_destroy(proxy);
    }
    free(first);
    mote_mesh_destroy(mesh);
}

// How far cells of the table are from the first that is not an empty leaf (with the same labels), by trying all.
static void rings_are_chebyshev_distances(void **state)
{
    (void)state;
    enum { TABLE = 4, N = 1 << TABLE };
    mote_mesh *mesh = shape_star(NULL);
    mesh->triangle_count -= 5;
    mote_proxy *proxy = make_proxy(NULL, mesh, 0, 6, TABLE);
    const uint32_t *table = mote_proxy_get_arrays(proxy).table;
    for (int i = 0; i < N * N * N; ++i) {
        if ((table[i] & 7) >= MOTE_PROXY_LEAF) continue;
        int same = N, clear = N;
        for (int j = 0; j < N * N * N; ++j) {
            const int x = abs(i % N - j % N), y = abs(i / N % N - j / N % N), z = abs(i / (N * N) - j / (N * N));
            const int distance = MOTE_MAX(x, MOTE_MAX(y, z));
            if ((table[j] & 7) >= MOTE_PROXY_LEAF) clear = MOTE_MIN(clear, distance);
            if ((table[j] & 7) != (table[i] & 7)) same = MOTE_MIN(same, distance);
        }
        CHECK((int)(table[i] >> MOTE_PROXY_SAME_SHIFT & MOTE_PROXY_RINGS) == same - 1 &&
                  (int)(table[i] >> MOTE_PROXY_CLEAR_SHIFT) == clear - 1,
              "cell %d holds %08x, expected %d and %d rings", i, table[i], same - 1, clear - 1);
    }
    mote_proxy_destroy(proxy);
    mote_mesh_destroy(mesh);
}

// In double, with dt 0, and with numbers that are none.
static void doubles_and_odd_numbers(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_cube(NULL, 2);
    mote_proxy *proxy = make_proxy(NULL, mesh, 2, 6, 5);
    double x[4][3] = {{0.5, 0.5, 1.5}, {0.5, 0.5, 0.5}, {(double)NAN, 0.5, 0.5}, {0.5, 0.5, 3}};
    double v[4][3] = {{0, 0, -1}, {0, 0, 0.125}, {0, 0, 1}, {0, HUGE_VAL, 0}};
    uint8_t labels[4];
    mote_proxy_particles particles = {.position_stride = sizeof x[0],
                                      .velocity_stride = sizeof v[0],
                                      .labels = labels,
                                      .count = 4,
                                      .scalar = MOTE_F64};
    for (int k = 0; k < 3; ++k) {
        particles.position[k] = &x[0][k];
        particles.velocity[k] = &v[0][k];
    }
    mote_error error;
    assert_int_equal(mote_proxy_stamp(proxy, &particles, &error), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(error.index, 2);
    const mote_response response = mote_response_bounce(1, 0);
    assert_int_equal(mote_proxy_advance(proxy, &particles, 0, &response, NULL, NULL), MOTE_ERROR_NOT_FINITE);
    CHECK(x[0][2] == 1.5 && x[1][2] == 0.5, "moved in no time");
    assert_int_equal(mote_proxy_advance(proxy, &particles, 1, &response, NULL, &error), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(error.index, 2);
    assert_string_equal(error.text,
                        "proxy: particle 2 at (nan, 0.5, 0.5) with velocity (0, 0, 1), expected a finite motion");
    // It met the leaf above the face z = 1, which is up to a leaf away, and flew back.
    const double leaf = mote_proxy_get_arrays(proxy).leaf;
    CHECK(x[0][2] > 1.5 - 1e-9 && x[0][2] < 1.5 + 2 * leaf && v[0][2] > 0.999, "z %g, velocity %g", x[0][2], v[0][2]);
    CHECK(labels[0] == MOTE_PROXY_FRONT, "label %d", labels[0]);
    CHECK(x[1][2] == 0.625 && v[1][2] == 0.125, "a free particle is at %.17g", x[1][2]);
    CHECK(isnan(x[2][0]) && x[2][2] == 0.5 && x[3][2] == 3 && x[3][1] == 0.5, "what is not finite was moved");
    mote_proxy_destroy(proxy);
    mote_mesh_destroy(mesh);
}

// Motions of many leaves and of many roots: from outside on the cube and away, from inside without a way out.
static void fast_particles_do_not_tunnel(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_cube(NULL, 4);
    mote_proxy *proxy = make_proxy(NULL, mesh, 2, 6, 5);
    mote_random random = {5};
    cloud *c = make_cloud(6, 0);
    for (int i = 0; i < COUNT; ++i)
        for (int k = 0; k < 3; ++k) {
            const double toward = mote_random_unit(&random), own = mote_random_unit(&random);
            c->x[3 * i + k] = (float)(i % 2 ? 0.05 + 0.9 * own : 40 * own - 20);
            c->v[3 * i + k] = (float)(1000 * (toward - (i % 2 ? 0.5 : (double)c->x[3 * i + k])));
        }
    const mote_proxy_particles particles = all_of(c);
    CHECK_OK(mote_proxy_stamp(proxy, &particles, NULL));
    mote_proxy_counters counters = {0};
    const mote_response response = mote_response_bounce(1, 0);
    for (int k = 0; k < 3; ++k) CHECK_OK(mote_proxy_advance(proxy, &particles, 0.01, &response, &counters, NULL));
    for (int i = 0; i < COUNT; ++i) {
        const float *x = c->x + 3 * i;
        const double margin = 2 * mote_proxy_get_arrays(proxy).leaf;
        bool inside = true, near = true;
        for (int k = 0; k < 3; ++k) {
            inside &= (double)x[k] > margin && (double)x[k] < 1 - margin;
            near &= (double)x[k] > -margin && (double)x[k] < 1 + margin;
        }
        const bool started_inside = i % 2, stayed = started_inside ? near : !inside;
        CHECK(stayed, "particle %d is at %g %g %g", i, (double)x[0], (double)x[1], (double)x[2]);
    }
    CHECK(counters.bounces > COUNT, "%d bounces", (int)counters.bounces);
    free(c);
    mote_proxy_destroy(proxy);
    mote_mesh_destroy(mesh);
}

// A tilted plate of a tenth of a leaf: its leaves are two-sided, and nothing passes from one side to the other.
// A particle's label by itself, leaf by leaf.
static uint8_t side_seen(const mote_proxy *proxy, const mote_proxy_particles *particles, size_t i)
{
    double at[3];
    for (int k = 0; k < 3; ++k) {
        const char *place = (const char *)particles->position[k] + (ptrdiff_t)i * particles->position_stride;
        at[k] = particles->scalar == MOTE_F32 ? (double)mote_load_f32(place) : mote_load_f64(place);
    }
    const mote_vec3 point = {at[0], at[1], at[2]};
    uint32_t cell[3];
    if (!mote_proxy_cell(proxy, point, cell)) return MOTE_PROXY_UNKNOWN;
    const mote_spot spot = mote_proxy_find(proxy, cell);
    if (spot.kind == MOTE_PROXY_FRONT || spot.kind == MOTE_PROXY_BACK) return (uint8_t)spot.kind;
    mote_leaf_view view;
    if (spot.kind != MOTE_PROXY_LEAF || !mote_proxy_view(proxy, spot.node, spot.low, spot.size, &view))
        return MOTE_PROXY_UNKNOWN;
    return mote_view_side(&view, mote_vec3_scale(mote_vec3_sub(point, proxy->origin), proxy->scale));
}

// Whole leaves of particles are stamped as each by itself, in leaves of few triangles and of many, also where lines of
// sight run in the planes of triangles.
static void stamps_are_sides_seen(void **state)
{
    (void)state;
    mote_mesh *meshes[] = {shape_sphere(NULL, SANITIZED ? 4 : 5), shape_cube(NULL, 9), shape_star(NULL),
                           shape_sphere(NULL, 3)};
    CHECK_OK(mote_mesh_cut(meshes[3], mote_vec3_make(0.1, 0.2, 0.3), mote_vec3_make(1, 0.5, 2), NULL));
    double *wide = malloc(3 * COUNT * sizeof *wide);
    for (size_t m = 0; m < sizeof meshes / sizeof *meshes; ++m)
        for (int depth = 2; depth <= 6; depth += 2) {
            mote_proxy *proxy = make_proxy(NULL, meshes[m], depth / 2, depth, 2);
            cloud *c = make_cloud(m + 7, 1);
            // Some exactly on what the cube's triangles lie in.
            for (int i = 0; i < COUNT; i += 11) c->x[3 * i + i % 3] = (float)(i % 4) / 3;
            for (int i = 0; i < 3 * COUNT; ++i) wide[i] = (double)c->x[i] + (i % 5 ? 1e-9 * i / COUNT : 0);
            mote_proxy_particles particles = all_of(c);
            for (int k = 0; k < 2; ++k) {
                CHECK_OK(mote_proxy_stamp(proxy, &particles, NULL));
                for (size_t i = 0; i < COUNT; ++i) {
                    const uint8_t side = side_seen(proxy, &particles, i);
                    CHECK(c->labels[i] == side, "mesh %zu, depth %d: particle %zu is stamped %d, sees %d", m, depth, i,
                          c->labels[i], side);
                }
                particles.scalar = MOTE_F64;
                particles.position_stride = 3 * sizeof *wide;
                for (int axis = 0; axis < 3; ++axis) particles.position[axis] = wide + axis;
            }
            free(c);
            mote_proxy_destroy(proxy);
        }
    free(wide);
    for (size_t m = 0; m < sizeof meshes / sizeof *meshes; ++m) mote_mesh_destroy(meshes[m]);
}

static void thin_plates_are_two_sided(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_cube(NULL, 8);
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        mote_vec3 *at = mesh->vertices + i;
        at->z = 0.003 * at->z + 0.37 * at->x;
    }
    mote_proxy *proxy = make_proxy(NULL, mesh, 2, 5, 5);
    const mote_proxy_stats stats = mote_proxy_get_stats(proxy);
    uint64_t leaves = 0;
    for (int d = 0; d <= 5; ++d) leaves += stats.leaves[d];
    CHECK(stats.two_sided > leaves / 2, "%d of %d leaves", (int)stats.two_sided, (int)leaves);
    cloud *c = make_cloud(9, 1);
    for (int i = 0; i < COUNT; ++i) {
        float *x = c->x + 3 * i, *v = c->v + 3 * i;
        x[0] = 0.5F + 0.2F * x[0];
        x[1] = 0.5F + 0.2F * x[1];
        x[2] = 0.37F * x[0] + (i % 2 ? 0.2F : -0.2F) + 0.05F * x[2];
        v[0] = v[1] = 0;
    }
    const mote_proxy_particles particles = all_of(c);
    CHECK_OK(mote_proxy_stamp(proxy, &particles, NULL));
    for (int s = 0; s < 100; ++s) {
        for (int i = 0; i < COUNT; ++i) c->v[3 * i + 2] += i % 2 ? -0.05F : 0.05F;
        CHECK_OK(mote_proxy_advance(proxy, &particles, 0.02, &half_bounce, NULL, NULL));
    }
    int passed = 0;
    for (int i = 0; i < COUNT; ++i) {
        const float *x = c->x + 3 * i;
        const bool above = x[2] > 0.37F * x[0] + 0.0015F, on_plate = x[0] > 0 && x[0] < 1 && x[1] > 0 && x[1] < 1;
        passed += on_plate && above != (i % 2 == 1);
    }
    CHECK(passed == 0, "%d particles passed", passed);
    free(c);
    mote_proxy_destroy(proxy);
    mote_mesh_destroy(mesh);
}

// One proxy of several meshes; the document's sum; triangles dropped.
static void several_meshes_in_one_proxy(void **state)
{
    (void)state;
    mote_mesh *meshes[3] = {shape_sphere(NULL, 3), shape_cube(NULL, 2), NULL};
    CHECK_OK(mote_mesh_create(NULL, NULL, 0, NULL, 0, &meshes[2], NULL));
    const mote_placement aside = {1, {0, 0, 30}, {2, 0, 0}};
    mote_mesh_place(meshes[1], &aside);
    mote_proxy_def def = mote_proxy_default_def();
    def.variation = MOTE_PROXY_SUM;
    mote_proxy *proxy;
    CHECK_OK(mote_proxy_create(NULL, &def, (const mote_mesh *const *)meshes, 3, &proxy, NULL));
    mote_error error;
    if (mote_proxy_validate(proxy, &error) != MOTE_OK) FAIL("%s", error.text);
    float x[] = {0, 0, 0, 2, 0.5F, 0.5F, 1.5F, 0, 0, 0.99F, 0, 0, 1.01F, 0, 0}, v[15] = {0};
    uint8_t labels[5];
    const uint8_t expected[] = {MOTE_PROXY_UNKNOWN, MOTE_PROXY_UNKNOWN, MOTE_PROXY_UNKNOWN, MOTE_PROXY_BACK,
                                MOTE_PROXY_FRONT};
    const mote_proxy_particles particles = mote_proxy_particles_xyz(x, v, labels, 5);
    CHECK_OK(mote_proxy_stamp(proxy, &particles, &error));
    for (int i = 0; i < 5; ++i)
        if (expected[i]) CHECK(labels[i] == expected[i], "particle %d has label %d", i, labels[i]);
    const size_t before = mote_proxy_byte_count(proxy);
    mote_proxy_drop_triangles(proxy);
    CHECK(mote_proxy_get_stats(proxy).triangle_bytes == 0 && mote_proxy_byte_count(proxy) < before, "nothing dropped");
    assert_int_equal(mote_proxy_stamp(proxy, &particles, &error), MOTE_ERROR_STATE);
    CHECK(error.index >= 3, "index %d", (int)error.index);
    for (int m = 0; m < 3; ++m) mote_mesh_destroy(meshes[m]);
    mote_proxy_destroy(proxy);
}

static void nothing_to_hit(void **state)
{
    (void)state;
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(NULL, NULL, 0, NULL, 0, &mesh, NULL));
    mote_proxy *proxies[2];
    CHECK_OK(mote_proxy_create(NULL, NULL, NULL, 0, &proxies[0], NULL));
    CHECK_OK(mote_proxy_create(NULL, NULL, (const mote_mesh *const *)&mesh, 1, &proxies[1], NULL));
    for (int k = 0; k < 2; ++k) {
        float x[] = {0, 0, 0}, v[] = {1, 2, 3};
        uint8_t label = 2;
        const mote_proxy_particles particles = mote_proxy_particles_xyz(x, v, &label, 1);
        CHECK_OK(mote_proxy_validate(proxies[k], NULL));
        CHECK_OK(mote_proxy_stamp(proxies[k], &particles, NULL));
        CHECK_OK(mote_proxy_advance(proxies[k], &particles, 1, &half_bounce, NULL, NULL));
        CHECK(x[0] == 1 && x[1] == 2 && x[2] == 3 && label == MOTE_PROXY_UNKNOWN, "%g %g %g, label %d", (double)x[0],
              (double)x[1], (double)x[2], label);
        mote_proxy_triangle_hit hit;
        CHECK_OK(mote_proxy_first_triangles(proxies[k], &particles, 1, &hit, NULL));
        CHECK(hit.time == 2, "a hit at %g", hit.time);
        mote_proxy_destroy(proxies[k]);
    }
    mote_mesh_destroy(mesh);
}

// -------------------------------------------------------------------------------------------------- general octree

static double brute_time(mote_triangle t, mote_vec3 from, mote_vec3 way)
{
    const mote_vec3 normal = mote_triangle_cross(t);
    const double along = mote_vec3_dot(normal, way), time = mote_vec3_dot(normal, mote_vec3_sub(t.a, from)) / along;
    if (along == 0 || !(time >= 0 && time <= 1)) return 2;
    const mote_vec3 p = mote_vec3_add_scaled(from, way, time), corner[3] = {t.a, t.b, t.c};
    for (int k = 0; k < 3; ++k) {
        const mote_vec3 edge = mote_vec3_sub(corner[(k + 1) % 3], corner[k]);
        if (mote_vec3_dot(mote_vec3_cross(edge, mote_vec3_sub(p, corner[k])), normal) < 0) return 2;
    }
    return time;
}

static void first_triangles_agree_with_brute_force(void **state)
{
    (void)state;
    mote_mesh *meshes[] = {shape_sphere(NULL, 4), shape_star(NULL)};
    for (int m = 0; m < 2; ++m) {
        mote_proxy *proxy = make_proxy(NULL, meshes[m], 1, 6, 4);
        cloud *c = make_cloud(4, 1);
        mote_proxy_triangle_hit *hits = calloc(COUNT, sizeof *hits);
        const mote_proxy_particles particles = all_of(c);
        CHECK_OK(mote_proxy_first_triangles(proxy, &particles, 0.5, hits, NULL));
        int found = 0;
        for (int i = 0; i < COUNT / 10; ++i) {
            const float *x = c->x + 3 * i, *v = c->v + 3 * i;
            const mote_vec3 from = {(double)x[0], (double)x[1], (double)x[2]};
            const mote_vec3 way = {(double)v[0] * 0.5, (double)v[1] * 0.5, (double)v[2] * 0.5};
            double best = 2;
            for (size_t t = 0; t < meshes[m]->triangle_count; ++t)
                best = MOTE_MIN(best, brute_time(mote_mesh_triangle(meshes[m], t), from, way));
            CHECK(fabs(best - hits[i].time) < 1e-9, "segment %d: %.17g, brute force %.17g", i, hits[i].time, best);
            found += best < 2;
        }
        CHECK(found > COUNT / 200, "%d hits", found);
        mote_proxy_drop_triangles(proxy);
        assert_int_equal(mote_proxy_first_triangles(proxy, &particles, 0.5, hits, NULL), MOTE_ERROR_STATE);
        free(hits);
        free(c);
        mote_proxy_destroy(proxy);
        mote_mesh_destroy(meshes[m]);
    }
}

// --------------------------------------------------------------------------------------------------------- errors

// A smaller max_depth alone brings the other depths along; what is given is kept.
static void depths_follow_the_largest(void **state)
{
    (void)state;
    const int expected[][3] = {{2, 1, 2}, {4, 3, 4}, {5, 4, 5}, {8, 4, 5}};
    mote_mesh *mesh = shape_cube(NULL, 1);
    const mote_mesh *meshes[] = {mesh};
    for (int k = 0; k < 4; ++k) {
        mote_proxy_def def = mote_proxy_default_def();
        def.max_depth = expected[k][0];
        mote_proxy *proxy;
        CHECK_OK(mote_proxy_create(NULL, &def, meshes, 1, &proxy, NULL));
        const mote_proxy_def made = mote_proxy_resolved_def(proxy);
        CHECK(made.max_depth == expected[k][0] && made.min_depth == expected[k][1] &&
                  made.table_depth == expected[k][2],
              "depths %d %d %d", made.max_depth, made.min_depth, made.table_depth);
        char key[33], key_of_made[33];
        mote_proxy_key(meshes, 1, &def, key);
        mote_proxy_key(meshes, 1, &made, key_of_made);
        assert_string_equal(key, key_of_made);
        mote_proxy_destroy(proxy);
    }
    mote_mesh_destroy(mesh);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_cube(NULL, 1);
    const mote_mesh *const meshes[] = {mesh, NULL};
    mote_proxy *proxy;
    mote_error error;
    mote_proxy_def defs[7];
    for (int i = 0; i < 7; ++i) defs[i] = mote_proxy_default_def();
    defs[0].cookie = 0;
    defs[1].max_depth = MOTE_PROXY_DEEPEST + 1;
    defs[2].min_depth = 6;
    defs[3].min_depth = -2;
    defs[4].table_depth = 7;
    defs[5].tolerance = (double)NAN;
    defs[6].variation = (mote_proxy_variation)2;
    for (int i = 0; i < 7; ++i)
        CHECK(mote_proxy_create(NULL, &defs[i], meshes, 1, &proxy, &error) == MOTE_ERROR_ARGUMENT, "def %d", i);
    assert_int_equal(mote_proxy_create(NULL, NULL, meshes, 2, &proxy, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(error.index, 1);
    mesh->vertices[5].z = HUGE_VAL;
    assert_int_equal(mote_proxy_create(NULL, NULL, meshes, 1, &proxy, &error), MOTE_ERROR_NOT_FINITE);
    mesh->vertices[5].z = 0;
    const mote_placement far = {1e-6, {0, 0, 0}, {1e9, 0, 0}};
    mote_mesh_place(mesh, &far);
    assert_int_equal(mote_proxy_create(NULL, NULL, meshes, 1, &proxy, &error), MOTE_ERROR_ARGUMENT);
    mote_mesh_destroy(mesh);

    mesh = shape_cube(NULL, 1);
    proxy = make_proxy(NULL, mesh, 2, 4, 4);
    float x[3] = {0}, v[3] = {0};
    uint8_t label = 0;
    mote_proxy_particles particles = mote_proxy_particles_xyz(x, v, &label, 1);
    const mote_response wild = mote_response_bounce(1.5, 0);
    assert_int_equal(mote_proxy_advance(proxy, &particles, -1, &half_bounce, NULL, NULL), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_proxy_advance(proxy, &particles, 1, &wild, NULL, NULL), MOTE_ERROR_ARGUMENT);
    particles.labels = NULL;
    assert_int_equal(mote_proxy_advance(proxy, &particles, 1, &half_bounce, NULL, NULL), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_proxy_hits(proxy, &particles, 1, NULL, NULL), MOTE_ERROR_ARGUMENT);
    mote_proxy_destroy(proxy);
    mote_mesh_destroy(mesh);
}

static mote_result build_and_move(mote_context *context, void *data)
{
    const mote_mesh *mesh = data;
    mote_proxy_def def = mote_proxy_default_def();
    def.min_depth = 1;
    def.max_depth = 3;
    def.table_depth = 2;
    mote_proxy *proxy;
    mote_result result = mote_proxy_create(context, &def, &mesh, 1, &proxy, NULL);
    if (result != MOTE_OK) return result;
    float x[3] = {0.1F, 0.2F, 1.2F}, v[3] = {0, 0, -3};
    uint8_t label = MOTE_PROXY_FRONT;
    const mote_proxy_particles particles = mote_proxy_particles_xyz(x, v, &label, 1);
    mote_proxy_counters counters = {0};
    result = mote_proxy_advance(proxy, &particles, 0.1, &half_bounce, &counters, NULL);
    if (result != MOTE_OK) CHECK(x[2] == 1.2F, "moved, and out of memory");
    // Without memory to sort in, particles are stamped one by one.
    float places[6] = {0.3F, 0.4F, 0.01F, 0.02F, 0.3F, 0.4F};
    uint8_t sides[2];
    const mote_proxy_particles near = mote_proxy_particles_xyz(places, NULL, sides, 2);
    CHECK_OK(mote_proxy_stamp(proxy, &near, NULL));
    for (size_t i = 0; i < 2; ++i) {
        CHECK(sides[i] != MOTE_PROXY_UNKNOWN, "particle %zu is not in a leaf with triangles", i);
        CHECK(sides[i] == side_seen(proxy, &near, i), "particle %zu is stamped %d", i, sides[i]);
    }
    mote_proxy_destroy(proxy);
    return result;
}

// An open mesh, so that rims are kept.
static void failing_allocations(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_cube(NULL, 2);
    mesh->triangle_count -= 3;
    test_failing_allocations(build_and_move, mesh);
    mote_mesh_destroy(mesh);
}

// What a host saw: its warnings, and whether it still has memory to give.
typedef struct poor_host {
    int warnings;
    bool is_poor;
} poor_host;

static void *allocate_or_not(void *user_data, size_t bytes, size_t alignment)
{
    return ((const poor_host *)user_data)->is_poor ? NULL : aligned_alloc(alignment, bytes);
}

static void release_aligned(void *user_data, void *memory, size_t bytes)
{
    (void)user_data;
    (void)bytes;
    free(memory);
}

static void note_warning(void *user_data, const char *text)
{
    CHECK(strncmp(text, "proxy: no memory to sort ", 25) == 0, "%s", text);
    ++((poor_host *)user_data)->warnings;
}

// However often there is no memory to sort in, the host is told once, and the labels are those of better times.
static void stamping_without_memory_is_told_once(void **state)
{
    (void)state;
    poor_host host = {0, false};
    mote_context_def def = mote_context_default_def();
    def.thread_count = 1;
    def.allocator = (mote_allocator){allocate_or_not, release_aligned, &host};
    def.log = (mote_log){note_warning, &host};
    mote_context *context;
    CHECK_OK(mote_context_create(&def, &context, NULL));
    mote_mesh *mesh = shape_cube(NULL, 2);
    const mote_mesh *meshes[] = {mesh};
    mote_proxy *proxy;
    CHECK_OK(mote_proxy_create(context, NULL, meshes, 1, &proxy, NULL));
    float places[6] = {0.3F, 0.4F, 0.01F, 0.02F, 0.3F, 0.4F};
    uint8_t rich[2], poor[2];
    const mote_proxy_particles before = mote_proxy_particles_xyz(places, NULL, rich, 2);
    const mote_proxy_particles after = mote_proxy_particles_xyz(places, NULL, poor, 2);
    CHECK_OK(mote_proxy_stamp(proxy, &before, NULL));
    assert_int_equal(host.warnings, 0);
    host.is_poor = true;
    for (int turn = 0; turn < 3; ++turn) {
        CHECK_OK(mote_proxy_stamp(proxy, &after, NULL));
        assert_memory_equal(rich, poor, sizeof rich);
        assert_int_equal(host.warnings, 1);
    }
    mote_proxy_destroy(proxy);
    mote_mesh_destroy(mesh);
    mote_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(tables_do_not_matter),
        cmocka_unit_test(rings_are_chebyshev_distances),
        cmocka_unit_test(doubles_and_odd_numbers),
        cmocka_unit_test(fast_particles_do_not_tunnel),
        cmocka_unit_test(stamps_are_sides_seen),
        cmocka_unit_test(thin_plates_are_two_sided),
        cmocka_unit_test(several_meshes_in_one_proxy),
        cmocka_unit_test(nothing_to_hit),
        cmocka_unit_test(first_triangles_agree_with_brute_force),
        cmocka_unit_test(depths_follow_the_largest),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(stamping_without_memory_is_told_once),
        cmocka_unit_test(failing_allocations),
    };
    RUN_TESTS(tests, argc, argv);
}
