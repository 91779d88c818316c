// SPDX-License-Identifier: MIT
// Surfaces of particles: volumes, closed meshes whatever the cloud, the same bits whatever computes them, walls.

#include "support/surface.h"
#include "support/test.h"

static const double zero[3] = {0, 0, 0};

static void the_isovalue_is_that_of_half_a_lattice(void **state)
{
    (void)state;
    const double supports[4] = {2, 2.5, 3, 4}, expected[4] = {0.586, 0.627, 0.646, 0.668};
    for (int k = 0; k < 4; ++k) {
        mote_surface_def def = surface_def();
        def.support = supports[k];
        mote_surface *surface = surface_of(NULL, &def, NULL, 0);
        const double isovalue = mote_surface_get_view(surface).stats.isovalue;
        CHECK(fabs(isovalue - expected[k]) < 1e-3, "%g at a support of %g, expected %g", isovalue, supports[k],
              expected[k]);
        mote_surface_destroy(surface);
    }
}

static void balls_have_the_volume_of_their_particles(void **state)
{
    (void)state;
    const double radii[3] = {5, 10, 20}, most[3] = {0.04, 0.02, 0.01};
    for (int r = 0; r < (SLOW_BUILD ? 2 : 3); ++r)
        for (int jittered = 0; jittered < 2; ++jittered) {
            const mote_surface_def def = surface_def();
            surface_check_ball(&def, radii[r], jittered ? 0.3 : 0, most[r]);
        }
}

// Wherever it lies on the grid, and whatever the support.
static void a_lone_particle_has_its_volume(void **state)
{
    (void)state;
    static const double supports[4] = {2, 2.5, 3, 4};
    mote_random random = {7};
    for (int s = 0; s < 4; ++s) {
        mote_surface_def def = surface_def();
        def.min_particles = 1;
        def.support = supports[s] * def.spacing;
        const float first[3] = {0};
        mote_surface *surface = surface_of(NULL, &def, first, 1);
        for (int place = 0; place < (SLOW_BUILD ? 20 : 200); ++place) {
            float one[3];
            for (int k = 0; k < 3; ++k) one[k] = (float)(mote_random_unit(&random) - 0.5);
            const mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(one, 1));
            CHECK_OK(mote_surface_update(surface, &cloud, NULL));
            const mote_surface_view view = mote_surface_get_view(surface);
            surface_check_manifold(&view, "one particle");
            assert_int_equal(view.stats.parts, 1);
            CHECK(view.stats.volume > 0.7 && view.stats.volume < 1.8, "support %g, place %d: volume %g", supports[s],
                  place, view.stats.volume);
        }
        mote_surface_destroy(surface);
    }
}

static void drops_have_a_surface(void **state)
{
    (void)state;
    mote_surface_def def = surface_def();
    def.min_particles = 1;
    const float one[3] = {0.3f, 0.2f, -0.7f};
    mote_surface *surface = surface_of(NULL, &def, one, 1);
    mote_surface_view view;
    for (int step = 0; step <= 45; ++step) {
        const float two[6] = {0.1f, 0.2f, 0.3f, 0.1f + 0.5f + 0.1f * (float)step, 0.2f, 0.3f};
        const mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(two, 2));
        CHECK_OK(mote_surface_update(surface, &cloud, NULL));
        view = mote_surface_get_view(surface);
        surface_check_manifold(&view, "two particles");
        CHECK(view.stats.parts == 1 || view.stats.parts == 2, "%llu parts", (unsigned long long)view.stats.parts);
        assert_int_equal(view.stats.outside, 0);
    }
    mote_surface_destroy(surface);
}

// ---------------------------------------------------------------------------------------------------- random clouds

typedef void cloud_change(float *xyz, size_t count, mote_random *random);

static void cluster(float *xyz, size_t count, mote_random *random)
{
    for (size_t i = 0; i < 3 * count; ++i) {
        const float u = (float)mote_random_unit(random);
        xyz[i] = 12 * u * u * u;
    }
}

static void coincide(float *xyz, size_t count, mote_random *random)
{
    const size_t places = count / 4 + 1;  // of four particles each in the mean
    for (size_t i = places; i < count; ++i)
        memcpy(xyz + 3 * i, xyz + 3 * mote_random_below(random, (uint32_t)places), 3 * sizeof *xyz);
}

static void move_far(float *xyz, size_t count, mote_random *random)
{
    (void)random;
    for (size_t i = 0; i < 3 * count; ++i) xyz[i] += i % 3 == 1 ? -500000 : 500000;
}

static void put_on_nodes(float *xyz, size_t count, mote_random *random)
{
    for (size_t i = 0; i < 3 * count; ++i) {
        xyz[i] = floorf(2 * xyz[i]) / 2 - 4;
        if (xyz[i] == 0 && mote_random_below(random, 2)) xyz[i] = -0.0f;
    }
}

static void random_clouds_have_closed_surfaces(void **state)
{
    (void)state;
    static cloud_change *const changes[] = {NULL, cluster, coincide, move_far, put_on_nodes};
    static const double cells[3] = {0.5, 0.37, 0.25};
    const bool is_long = getenv("MOTE_LONG_TESTS") != NULL;
    const size_t count = is_long ? 100000 : SLOW_BUILD ? 200 : 1000;
    const int seeds = is_long ? 20 : SLOW_BUILD ? 1 : 3;
    float *xyz = malloc(3 * count * sizeof *xyz);
    for (int seed = 0; seed < seeds; ++seed)
        for (size_t change = 0; change < sizeof changes / sizeof *changes; ++change) {
            mote_random random = {(uint64_t)seed + 100};
            const float size = (float)(2 * cbrt((double)count));
            for (size_t i = 0; i < 3 * count; ++i) xyz[i] = size * (float)mote_random_unit(&random);
            if (changes[change]) changes[change](xyz, count, &random);
            mote_surface_def def = surface_def();
            def.cell = cells[seed % 3];
            def.min_particles = 1;
            mote_surface *surface = surface_of(NULL, &def, xyz, count);
            const mote_surface_view view = mote_surface_get_view(surface);
            char what[64];
            snprintf(what, sizeof what, "seed %d, cloud %zu", seed, change);
            surface_check_manifold(&view, what);
            surface_check_cubes(&view, def.cell, what);
            const uint64_t crossings = seed == 0 ? surface_count_crossings(&view) : 0;
            CHECK(crossings == 0, "%s: %llu pairs of triangles cut through each other", what,
                  (unsigned long long)crossings);
            CHECK(view.stats.outside == 0, "%s: %llu particles are outside", what,
                  (unsigned long long)view.stats.outside);
            CHECK(view.stats.volume > 0, "%s: volume %g", what, view.stats.volume);
            mote_surface_destroy(surface);
        }
    free(xyz);
}

// All particles in one place are a drop. Sums are over all pairs, so there are not many of them.
static void all_particles_may_coincide(void **state)
{
    (void)state;
    enum { COUNT = SLOW_BUILD ? 300 : 3000 };
    float *xyz = malloc(sizeof(float[3]) * COUNT);
    for (size_t i = 0; i < 3 * COUNT; ++i) xyz[i] = i % 3 == 0 ? 0.25f : i % 3 == 1 ? -3 : 7.3f;
    mote_surface_def def = surface_def();
    def.min_particles = 1;
    mote_surface *many = surface_of(NULL, &def, xyz, COUNT), *one = surface_of(NULL, &def, xyz, 1);
    const mote_surface_view a = mote_surface_get_view(many), b = mote_surface_get_view(one);
    surface_check_manifold(&a, "all in one place");
    assert_int_equal(a.stats.outside, 0);
    CHECK(fabs(a.stats.volume / b.stats.volume - 1) < 1e-4, "a volume of %g, of one particle %g", a.stats.volume,
          b.stats.volume);
    mote_surface_destroy(many);
    mote_surface_destroy(one);
    free(xyz);
}

// ------------------------------------------------------------------------------------------------------- same bits

static uint64_t checksum_of(uint32_t threads, mote_simd simd, int32_t block, bool full, const float *xyz, size_t count)
{
    mote_surface_def def = surface_def();
    def.block = block;
    def.full = full;
    return surface_checksum_with(threads, simd, &def, xyz, count);
}

static void a_mesh_has_the_same_bits(void **state)
{
    (void)state;
    float *xyz;
    const size_t count = surface_ball(SLOW_BUILD ? 5 : 9, 0.4, (const double[3]){1.3, -20.1, 4}, &xyz);
    const uint64_t right = checksum_of(1, MOTE_SIMD_BEST, 8, false, xyz, count);
    const uint32_t threads[2] = {2, 5};
    for (int k = 0; k < 2; ++k)
        CHECK(checksum_of(threads[k], MOTE_SIMD_BEST, 8, false, xyz, count) == right, "%u threads", threads[k]);
    for (mote_simd simd = MOTE_SIMD_PLAIN; simd <= MOTE_SIMD_128; ++simd) {
        const uint64_t sum = checksum_of(2, simd, 8, false, xyz, count);
        CHECK(sum == 0 || sum == right, "%s", mote_simd_name(simd));
    }
    CHECK(checksum_of(2, MOTE_SIMD_BEST, 4, false, xyz, count) == right, "blocks of 4");
    CHECK(checksum_of(2, MOTE_SIMD_BEST, 16, false, xyz, count) == right, "blocks of 16");
    CHECK(checksum_of(2, MOTE_SIMD_BEST, 8, true, xyz, count) == right, "all nodes");
    mote_random random = {3};
    for (size_t i = count; i-- > 1;) {
        const size_t j = mote_random_below(&random, (uint32_t)i + 1);
        float moved[3];
        memcpy(moved, xyz + 3 * i, sizeof moved);
        memcpy(xyz + 3 * i, xyz + 3 * j, sizeof moved);
        memcpy(xyz + 3 * j, moved, sizeof moved);
    }
    CHECK(checksum_of(2, MOTE_SIMD_BEST, 8, false, xyz, count) == right, "shuffled");
    free(xyz);
}

static void normals_have_the_same_bits(void **state)
{
    (void)state;
    float *xyz;
    const size_t count = surface_ball(SLOW_BUILD ? 3 : 5, 0.4, (const double[3]){1.3, -20.1, 4}, &xyz);
    mote_surface_def def = surface_def();
    def.normals = MOTE_SURFACE_NORMALS_ANGLE;
    for (int round = 0; round < 2; ++round) {
        def.smooth = def.smooth_normals = 2 * round;
        const uint64_t right = surface_checksum_with(1, MOTE_SIMD_BEST, &def, xyz, count);
        CHECK(surface_checksum_with(5, MOTE_SIMD_BEST, &def, xyz, count) == right, "5 threads");
        for (mote_simd simd = MOTE_SIMD_PLAIN; simd <= MOTE_SIMD_128; ++simd) {
            const uint64_t sum = surface_checksum_with(2, simd, &def, xyz, count);
            CHECK(sum == 0 || sum == right, "%s, %d rounds", mote_simd_name(simd), def.smooth);
        }
    }
    free(xyz);
}

// Foam: points at random leave holes of all sizes, which no bound may call inside.
static void what_is_skipped_changes_no_bit(void **state)
{
    (void)state;
    static const double cells[] = {0.75, 0.5, 1.0 / 3, 0.25, 0.15};
    enum { COUNT = SLOW_BUILD ? 60 : 400, CELLS = sizeof cells / sizeof *cells };
    float xyz[3 * COUNT];
    mote_random random = {23};
    for (int round = 0; round < (SLOW_BUILD ? 1 : 3); ++round)
        for (int c = 0; c < CELLS; ++c) {
            const double edge = cbrt(COUNT) * (0.6 + 0.3 * round);
            for (size_t i = 0; i < 3 * COUNT; ++i) xyz[i] = (float)(edge * mote_random_unit(&random) - 3);
            mote_surface_def def = surface_def();
            def.cell = cells[c] * def.spacing;
            const uint64_t narrow = surface_checksum_with(1, MOTE_SIMD_BEST, &def, xyz, COUNT);
            const uint64_t plain = surface_checksum_with(1, MOTE_SIMD_PLAIN, &def, xyz, COUNT);
            def.full = true;
            const uint64_t all = surface_checksum_with(1, MOTE_SIMD_BEST, &def, xyz, COUNT);
            CHECK(narrow == all && plain == all, "cell %g, edge %g", cells[c], edge);
        }
}

static void a_moved_cloud_has_the_moved_mesh(void **state)
{
    (void)state;
    float *xyz;
    const size_t count = surface_ball(5, 0.3, zero, &xyz);
    // Coordinates that are still the same 500 spacings farther on.
    for (size_t i = 0; i < 3 * count; ++i) xyz[i] = floorf(xyz[i] * 4096) / 4096;
    const mote_surface_def def = surface_def();
    mote_surface *here = surface_of(NULL, &def, xyz, count);
    for (size_t i = 0; i < 3 * count; ++i) xyz[i] += i % 3 == 2 ? -500 : 500;
    mote_surface *there = surface_of(NULL, &def, xyz, count);
    const mote_surface_view a = mote_surface_get_view(here), b = mote_surface_get_view(there);
    assert_int_equal(a.vertex_count, b.vertex_count);
    // Chunks are cut elsewhere, so vertices come in another order: sums over all, exact in units of 2^-40.
    double moved = 0, extent = 0;
    for (size_t v = 0; v < a.vertex_count; ++v) {
        moved += (b.vertices[v].x - 500) + (b.vertices[v].y - 500) + (b.vertices[v].z + 500);
        moved -= a.vertices[v].x + a.vertices[v].y + a.vertices[v].z;
        extent = fmax(extent, fabs(a.vertices[v].x));
    }
    CHECK(fabs(moved) < 1e-7 && extent > 5, "%g", moved);
    CHECK(fabs(a.stats.volume - b.stats.volume) < 1e-7, "%.17g %.17g", a.stats.volume, b.stats.volume);
    mote_surface_destroy(here);
    mote_surface_destroy(there);
    free(xyz);
}

// A drop a million spacings away costs two chunks more, and adds its own volume alone.
static void a_far_drop_adds_its_volume(void **state)
{
    (void)state;
    float *xyz;
    const size_t count = surface_ball(5, 0, zero, &xyz);
    xyz = realloc(xyz, sizeof(float[3]) * (count + 1));
    const mote_surface_def def = surface_def();
    mote_surface *near = surface_of(NULL, &def, xyz, count);
    for (int k = 0; k < 3; ++k) xyz[3 * count + (size_t)k] = k == 1 ? -1e6f : 1e6f;
    mote_surface *both = surface_of(NULL, &def, xyz, count + 1), *drop = surface_of(NULL, &def, xyz + 3 * count, 1);
    const mote_surface_stats a = mote_surface_get_stats(near), b = mote_surface_get_stats(drop);
    const mote_surface_stats all = mote_surface_get_stats(both);
    CHECK(fabs(all.volume - a.volume - b.volume) < 1e-6, "%.17g, expected %.17g", all.volume, a.volume + b.volume);
    assert_int_equal(all.chunks, a.chunks + b.chunks);
    mote_surface_destroy(near);
    mote_surface_destroy(both);
    mote_surface_destroy(drop);
    free(xyz);
}

// A ball and a drop in each direction, so far away that keys of chunks cannot tell how far: as if they were alone.
static mote_result make_far_drops(mote_context *context, void *data)
{
    float *xyz;
    const size_t ball = surface_ball(3, 0, zero, &xyz), drops = 8;
    xyz = realloc(xyz, sizeof(float[3]) * (ball + drops));
    for (size_t i = 0; i < drops; ++i)
        for (size_t k = 0; k < 3; ++k) xyz[3 * (ball + i) + k] = i >> k & 1 ? 3e6f : -2e6f;
    const mote_surface_def def = surface_def();
    mote_surface *surface;
    mote_result result = mote_surface_create(context, &def, &surface, NULL);
    if (result == MOTE_OK) {
        const mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(xyz, ball + drops));
        result = mote_surface_update(surface, &cloud, NULL);
        if (result == MOTE_OK) *(mote_surface_stats *)data = mote_surface_get_stats(surface);
        mote_surface_destroy(surface);
    }
    free(xyz);
    return result;
}

static void drops_any_distance_apart_have_surfaces(void **state)
{
    (void)state;
    mote_surface_stats all;
    CHECK_OK(make_far_drops(NULL, &all));
    float *xyz;
    const size_t count = surface_ball(3, 0, zero, &xyz);
    const mote_surface_def def = surface_def();
    const float place[3] = {3e6f, -2e6f, 3e6f};
    mote_surface *near = surface_of(NULL, &def, xyz, count), *drop = surface_of(NULL, &def, place, 1);
    const mote_surface_stats a = mote_surface_get_stats(near), b = mote_surface_get_stats(drop);
    CHECK(fabs(all.volume - a.volume - 8 * b.volume) < 1e-5, "%.17g, expected %.17g", all.volume,
          a.volume + 8 * b.volume);
    assert_int_equal(all.outside, 0);
    mote_surface_destroy(near);
    mote_surface_destroy(drop);
    free(xyz);
    test_failing_allocations(make_far_drops, &all);
}

// By a whole number of chunks, 992 cells: the same triangles, and vertices as near as doubles are there, below 512.
static void a_cloud_moved_by_chunks_has_the_same_triangles(void **state)
{
    (void)state;
    float *xyz;
    const size_t count = surface_ball(SLOW_BUILD ? 4 : 8, 0.3, zero, &xyz);
    for (size_t i = 0; i < 3 * count; ++i) xyz[i] = floorf(xyz[i] * 4096) / 4096;
    const mote_surface_def def = surface_def();
    const double by[3] = {496, 496, -496};
    mote_surface *here = surface_of(NULL, &def, xyz, count);
    for (size_t i = 0; i < 3 * count; ++i) xyz[i] += (float)by[i % 3];
    mote_surface *there = surface_of(NULL, &def, xyz, count);
    const mote_surface_view a = mote_surface_get_view(here), b = mote_surface_get_view(there);
    assert_int_equal(a.vertex_count, b.vertex_count);
    assert_int_equal(a.triangle_count, b.triangle_count);
    assert_memory_equal(a.triangles, b.triangles, 3 * a.triangle_count * sizeof *a.triangles);
    for (size_t v = 0; v < a.vertex_count; ++v) {
        const double own[3] = {a.vertices[v].x, a.vertices[v].y, a.vertices[v].z};
        const double other[3] = {b.vertices[v].x, b.vertices[v].y, b.vertices[v].z};
        for (int k = 0; k < 3; ++k)
            CHECK(fabs(own[k] + by[k] - other[k]) <= 0x1p-44, "vertex %zu moves from %.17g to %.17g", v, own[k],
                  other[k]);
    }
    mote_surface_destroy(here);
    mote_surface_destroy(there);
    free(xyz);
}

// ---------------------------------------------------------------------------------------------------------- oracle

enum { SIDE = 40 };

static double shape(double q)
{
    if (q >= 1) return 0;
    const double s = 1 - q, t = q < 0.5 ? 0.5 - q : 0;
    return 2 * s * s * s - 8 * t * t * t;
}

static double distance_of(const float *a, double x, double y, double z)
{
    const double dx = (double)a[0] - x, dy = (double)a[1] - y, dz = (double)a[2] - z;
    return sqrt(dx * dx + dy * dy + dz * dz);
}

// max(c, g) at every node, summed over all particles.
static void fill_densely(const float *xyz, size_t count, double isovalue, double low, double cell, float *values)
{
    double *volumes = malloc(count * sizeof *volumes);
    for (size_t i = 0; i < count; ++i) {
        double wide = 0, narrow = 0;  // the two sums of the spline
        for (size_t j = 0; j < count; ++j) {
            const double s =
                1 - distance_of(xyz + 3 * j, (double)xyz[3 * i], (double)xyz[3 * i + 1], (double)xyz[3 * i + 2]) / 2;
            wide += pow(fmax(s, 0), 3);
            narrow += pow(fmax(s - 0.5, 0), 3);
        }
        // A particle that has no others near it gets a ball with a radius of 0.66.
        const double more = (isovalue / shape(0.66 / 2) - 1) * fmax(4 * (8 * narrow / wide) - 3, 0);
        volumes[i] = (1 + more) / (2 * wide - 8 * narrow);
    }
    for (int n = 0; n < SIDE * SIDE * SIDE; ++n) {
        const double x = low + cell * (n % SIDE), y = low + cell * (n / SIDE % SIDE),
                     z = low + cell * (n / (SIDE * SIDE));
        double c = 0, g = 0;
        for (size_t j = 0; j < count; ++j) {
            const double r = distance_of(xyz + 3 * j, x, y, z), part = r / 0.45;
            c += volumes[j] * shape(r / 2);
            g = fmax(g, 1 - (1 - isovalue) * part * part);
        }
        values[n] = (float)fmax(c, g);
    }
    free(volumes);
}

static void the_mesh_is_that_of_a_dense_grid(void **state)
{
    (void)state;
    enum { COUNT = SLOW_BUILD ? 60 : 200 };
    float xyz[3 * COUNT];
    mote_random random = {12};
    for (int i = 0; i < 3 * COUNT; ++i) xyz[i] = (float)(10 * mote_random_unit(&random) - 5);
    mote_surface_def def = surface_def();
    mote_surface *surface = surface_of(NULL, &def, xyz, COUNT);
    const mote_surface_view view = mote_surface_get_view(surface);
    float *values = malloc(sizeof(float[SIDE * SIDE * SIDE]));
    const double low = -10;
    fill_densely(xyz, COUNT, view.stats.isovalue, low, 0.5, values);
    mote_isosurface_def dense = mote_isosurface_default_def();
    dense.origin = (mote_vec3){low, low, low};
    dense.cell = 0.5;
    for (int k = 0; k < 3; ++k) dense.size[k] = SIDE;
    dense.values = values;
    dense.isovalue = view.stats.isovalue;
    mote_isosurface *isosurface;
    CHECK_OK(mote_isosurface_create(NULL, &dense, &isosurface, NULL));
    const mote_surface_view other = mote_isosurface_get_view(isosurface);
    assert_int_equal(view.vertex_count, other.vertex_count);
    assert_int_equal(view.triangle_count, other.triangle_count);
    CHECK(fabs(view.stats.volume - other.stats.volume) < 1e-3, "%g %g", view.stats.volume, other.stats.volume);
    CHECK(fabs(view.stats.area - other.stats.area) < 1e-2, "%g %g", view.stats.area, other.stats.area);
    // Every vertex has its like among the others, which come in another order.
    for (size_t v = 0; v < view.vertex_count; v += 7) {
        double nearest = 1;
        for (size_t o = 0; o < other.vertex_count; ++o) {
            const double dx = view.vertices[v].x - other.vertices[o].x, dy = view.vertices[v].y - other.vertices[o].y;
            const double dz = view.vertices[v].z - other.vertices[o].z;
            nearest = fmin(nearest, sqrt(dx * dx + dy * dy + dz * dz));
        }
        CHECK(nearest < 1e-4, "vertex %zu is %g off", v, nearest);
    }
    mote_isosurface_destroy(isosurface);
    mote_surface_destroy(surface);
    free(values);
}

// ----------------------------------------------------------------------------------------------------------- walls

enum { BLOCK = SLOW_BUILD ? 10 : 20 };

// A block that fills a tank, and its particles mirrored in the floor and the sides.
static size_t fill_tank(double shift, float **xyz, size_t *own)
{
    const size_t most = (size_t)(BLOCK + 8) * (BLOCK + 8) * (BLOCK + 4);
    float *points = malloc(3 * most * sizeof *points);
    size_t count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int z = -4; z < BLOCK; ++z)
            for (int y = -4; y < BLOCK + 4; ++y)
                for (int x = -4; x < BLOCK + 4; ++x) {
                    const bool is_own = x >= 0 && y >= 0 && z >= 0 && x < BLOCK && y < BLOCK;
                    if (is_own != (pass == 0)) continue;
                    const double at[3] = {x + 0.5 + shift, y + 0.5 + shift, z + 0.5 + shift};
                    for (int k = 0; k < 3; ++k) points[3 * count + (size_t)k] = (float)at[k];
                    ++count;
                }
        if (pass == 0) *own = count;
    }
    *xyz = points;
    return count;
}

// Smoothing rounds off the rim of the water at the top, which takes a square spacing of it, but keeps to the walls and
// to their edges.
static void check_tank(int32_t smooth)
{
    for (int step = 0; step < 3; ++step) {
        const double shift = 0.1375 * step, low = shift, high = shift + BLOCK;
        float *xyz;
        size_t own = 0;
        const size_t count = fill_tank(shift, &xyz, &own);
        const mote_surface_plane planes[5] = {{{low, 0, 0}, {1, 0, 0}},
                                              {{high, 0, 0}, {-2, 0, 0}},
                                              {{0, low, 0}, {0, 1, 0}},
                                              {{0, high, 0}, {0, -1, 0}},
                                              {{0, 0, low}, {0, 0, 3}}};
        mote_surface_def def = surface_def();
        def.smooth = smooth;
        mote_surface *surface;
        mote_error error;
        CHECK_OK(mote_surface_create(NULL, &def, &surface, &error));
        mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(xyz, own));
        cloud.fill = mote_points_xyz(xyz + 3 * own, count - own);
        cloud.planes = planes;
        cloud.plane_count = 5;
        CHECK_OK(mote_surface_update(surface, &cloud, &error));
        const mote_surface_view view = mote_surface_get_view(surface);
        surface_check_manifold(&view, "tank");
        const double excess = view.stats.volume / (double)own - 1;
        const double most = smooth ? 4.0 / (BLOCK * BLOCK) : 0.005;
        CHECK(fabs(excess) < most, "shift %g, %d rounds: volume %+g %% off", shift, (int)smooth, 100 * excess);
        size_t on_floor = 0;
        for (size_t v = 0; v < view.vertex_count; ++v) {
            const mote_vec3 at = view.vertices[v];
            CHECK(at.x > low - 1e-6 && at.x < high + 1e-6 && at.y > low - 1e-6 && at.y < high + 1e-6 &&
                      at.z > low - 1e-6,
                  "(%.9g, %.9g, %.9g) is outside of the tank", at.x, at.y, at.z);
            const double side = fmin(fmin(at.x - low, high - at.x), fmin(at.y - low, high - at.y));
            CHECK(fmin(side, at.z - low) < 1e-6 || at.z > high - 1, "a vertex near a wall is %g off",
                  fmin(side, at.z - low));
            on_floor += at.z < low + 1e-6;
        }
        CHECK(on_floor > (size_t)BLOCK * BLOCK, "%zu vertices on the floor", on_floor);
        mote_surface_destroy(surface);
        free(xyz);
    }
}

static void water_is_flush_with_a_tank(void **state)
{
    (void)state;
    check_tank(0);
    check_tank(10);
}

// A block of water on a wide floor: the surface is around the water, not on the floor beside it.
static void dry_walls_have_no_surface(void **state)
{
    (void)state;
    enum { WATER = 8, FLOOR = 24, LAYERS = 2 };
    const size_t own = WATER * WATER * WATER, most = own + FLOOR * FLOOR * LAYERS;
    float *xyz = malloc(3 * most * sizeof *xyz);
    size_t count = 0;
    for (int z = -LAYERS; z < WATER; ++z)
        for (int y = 0; y < (z < 0 ? FLOOR : WATER); ++y)
            for (int x = 0; x < (z < 0 ? FLOOR : WATER); ++x) {
                const double from = z < 0 ? 0 : (FLOOR - WATER) / 2.0;
                const size_t place = 3 * (z < 0 ? own + count : count - FLOOR * FLOOR * LAYERS);
                xyz[place] = (float)(from + x + 0.5);
                xyz[place + 1] = (float)(from + y + 0.5);
                xyz[place + 2] = (float)(z + 0.5);
                ++count;
            }
    const mote_surface_plane floor = {{0, 0, 0}, {0, 0, 1}};
    const mote_surface_def def = surface_def();
    mote_surface *surface;
    CHECK_OK(mote_surface_create(NULL, &def, &surface, NULL));
    mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(xyz, own));
    cloud.fill = mote_points_xyz(xyz + 3 * own, most - own);
    cloud.planes = &floor;
    cloud.plane_count = 1;
    CHECK_OK(mote_surface_update(surface, &cloud, NULL));
    const mote_surface_view view = mote_surface_get_view(surface);
    surface_check_manifold(&view, "water on a floor");
    CHECK(fabs(view.stats.volume / (double)own - 1) < 0.05, "volume %g of %zu particles", view.stats.volume, own);
    for (size_t v = 0; v < view.vertex_count; ++v) {
        const double away = fmax(fabs(view.vertices[v].x - FLOOR / 2.0), fabs(view.vertices[v].y - FLOOR / 2.0));
        CHECK(away < WATER / 2.0 + 0.75, "a vertex on the floor is %g spacings from the water", away - WATER / 2.0);
    }
    mote_surface_destroy(surface);
    free(xyz);
}

static double outside_of_ball(void *user_data, mote_vec3 at)
{
    (void)user_data;
    return sqrt(at.x * at.x + at.y * at.y + at.z * at.z) - 3;
}

static void a_solid_cuts_a_hole(void **state)
{
    (void)state;
    float *xyz;
    const size_t count = surface_ball(7, 0, zero, &xyz);
    const mote_surface_def def = surface_def();
    mote_surface *surface = surface_of(NULL, &def, xyz, count);
    const double whole = mote_surface_get_view(surface).stats.volume;
    mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(xyz, count));
    cloud.distance = outside_of_ball;
    CHECK_OK(mote_surface_update(surface, &cloud, NULL));
    const mote_surface_view view = mote_surface_get_view(surface);
    surface_check_manifold(&view, "hole");
    const double hole = whole - view.stats.volume, right = 4 * 3.14159265358979 / 3 * 27;
    CHECK(fabs(hole / right - 1) < 0.03, "a hole of %g, expected %g", hole, right);
    // Distances at all nodes, instead of those near the solid alone, give the same mesh.
    mote_surface_def full_def = surface_def();
    full_def.full = true;
    full_def.cell = 0.13;
    mote_surface *full = surface_of(NULL, &full_def, xyz, 1), *fine;
    full_def.full = false;
    CHECK_OK(mote_surface_create(NULL, &full_def, &fine, NULL));
    CHECK_OK(mote_surface_update(full, &cloud, NULL));
    CHECK_OK(mote_surface_update(fine, &cloud, NULL));
    const mote_surface_view a = mote_surface_get_view(full), b = mote_surface_get_view(fine);
    assert_true(surface_checksum(&a) == surface_checksum(&b));
    mote_surface_destroy(full);
    mote_surface_destroy(fine);
    mote_surface_destroy(surface);
    free(xyz);
}

// ----------------------------------------------------------------------------------------------------------- after

static void small_parts_are_left_out(void **state)
{
    (void)state;
    float *xyz;
    size_t count = surface_ball(4, 0, zero, &xyz);
    const size_t body = count;
    xyz = realloc(xyz, 3 * (count + 3) * sizeof *xyz);
    const float drops[9] = {12, 0, 0, 12.4f, 0.1f, 0, -11, 3, 2};
    memcpy(xyz + 3 * count, drops, sizeof drops);
    count += 3;
    mote_surface_def def = surface_def();
    def.min_particles = 1;
    mote_surface *all = surface_of(NULL, &def, xyz, count);
    assert_int_equal(mote_surface_get_view(all).stats.parts, 3);
    assert_int_equal(mote_surface_get_view(all).stats.left_out_parts, 0);
    def.min_particles = 3;
    mote_surface *large = surface_of(NULL, &def, xyz, count), *alone = surface_of(NULL, &def, xyz, body);
    const mote_surface_view view = mote_surface_get_view(large), expected = mote_surface_get_view(alone);
    surface_check_manifold(&view, "without drops");
    assert_int_equal(view.stats.left_out_parts, 2);
    assert_int_equal(view.stats.left_out_particles, 3);
    assert_true(surface_checksum(&view) == surface_checksum(&expected));
    mote_surface_destroy(all);
    mote_surface_destroy(large);
    mote_surface_destroy(alone);
    free(xyz);
}

static void smoothing_keeps_volume(void **state)
{
    (void)state;
    float *xyz;
    const size_t count = surface_ball(12, 0.2, zero, &xyz);
    mote_surface_def def = surface_def();
    mote_surface *rough = surface_of(NULL, &def, xyz, count);
    def.smooth = 25;
    def.weighted = true;
    def.normals = MOTE_SURFACE_NORMALS_ANGLE;
    mote_surface *smooth = surface_of(NULL, &def, xyz, count);
    const mote_surface_view a = mote_surface_get_view(rough), b = mote_surface_get_view(smooth);
    assert_int_equal(a.triangle_count, b.triangle_count);
    CHECK(b.stats.area < a.stats.area, "area %g after %g", b.stats.area, a.stats.area);
    CHECK(fabs(b.stats.volume / a.stats.volume - 1) < 0.03, "volume %g after %g", b.stats.volume, a.stats.volume);
    for (size_t v = 0; v < b.vertex_count; ++v) {
        const mote_vec3 n = b.normals[v], at = b.vertices[v];
        const double length = n.x * n.x + n.y * n.y + n.z * n.z;
        CHECK(fabs(length - 1) < 1e-9, "normal %zu has length %g", v, sqrt(length));
        CHECK(n.x * at.x + n.y * at.y + n.z * at.z > 0, "normal %zu points inwards", v);
    }
    const float one[3] = {0.3f, 0.2f, 0.1f};
    const mote_surface_cloud drop = mote_surface_cloud_points(mote_points_xyz(one, 1));
    CHECK_OK(mote_surface_update(rough, &drop, NULL));
    CHECK_OK(mote_surface_update(smooth, &drop, NULL));
    const double lost = 1 - mote_surface_get_view(smooth).stats.volume / mote_surface_get_view(rough).stats.volume;
    CHECK(fabs(lost) < 0.05, "a drop lost %g %%", 100 * lost);
    mote_surface_destroy(rough);
    mote_surface_destroy(smooth);
    free(xyz);
}

static void arrays_are_carried_over(void **state)
{
    (void)state;
    float *xyz;
    const size_t count = surface_ball(SLOW_BUILD ? 6 : 12, 0.2, (const double[3]){5, 0, 0}, &xyz);
    int16_t *seven = malloc(count * sizeof *seven);
    for (size_t i = 0; i < count; ++i) seven[i] = 7;
    const mote_array arrays[2] = {mote_array_tuples("place", MOTE_ARRAY_F32, xyz, 3),
                                  mote_array_scalars("seven", MOTE_ARRAY_I16, seven)};
    mote_surface_def def = surface_def();
    def.normals = MOTE_SURFACE_NORMALS_FIELD;
    mote_surface *surface;
    mote_error error;
    CHECK_OK(mote_surface_create(NULL, &def, &surface, &error));
    mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(xyz, count));
    cloud.arrays = arrays;
    cloud.array_count = 2;
    CHECK_OK(mote_surface_update(surface, &cloud, &error));
    const mote_surface_view view = mote_surface_get_view(surface);
    assert_int_equal(view.array_count, 2);
    assert_string_equal(view.arrays[0].name, "place");
    const float *place = view.arrays[0].component[0], *same = view.arrays[1].component[0];
    for (size_t v = 0; v < view.vertex_count; ++v) {
        const mote_vec3 at = view.vertices[v], n = view.normals[v];
        CHECK(fabsf(same[v] - 7) < 1e-5f, "7 became %g", (double)same[v]);
        const double d[3] = {(double)place[3 * v] - at.x, (double)place[3 * v + 1] - at.y,
                             (double)place[3 * v + 2] - at.z};
        const double off = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        CHECK(off < 1.3, "the mean place of particles near vertex %zu is %g off", v, off);
        CHECK((at.x - 5) * n.x + at.y * n.y + at.z * n.z > 0, "normal %zu points inwards", v);
    }
    mote_surface_destroy(surface);
    free(seven);
    free(xyz);
}

static void volumes_and_isovalues_are_checked(void **state)
{
    (void)state;
    const float xyz[6] = {0, 0, 0, 1, 0, 0};
    float volumes[2] = {1, NAN};
    mote_surface_def def = surface_def();
    mote_surface *surface;
    mote_error error;
    CHECK_OK(mote_surface_create(NULL, &def, &surface, &error));
    mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(xyz, 2));
    cloud.volumes = mote_array_scalars("volume", MOTE_ARRAY_F32, volumes);
    assert_int_equal(mote_surface_update(surface, &cloud, &error), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(error.index, 1);
    volumes[1] = -1;
    assert_int_equal(mote_surface_update(surface, &cloud, &error), MOTE_ERROR_ARGUMENT);
    volumes[1] = 1;
    CHECK_OK(mote_surface_update(surface, &cloud, &error));
    assert_true(mote_surface_get_stats(surface).nodes > 0);
    cloud.volumes.component[0] = NULL;
    assert_int_equal(mote_surface_update(surface, &cloud, &error), MOTE_ERROR_ARGUMENT);
    cloud.points.count = 0;
    CHECK_OK(mote_surface_update(surface, &cloud, &error));
    const mote_surface_stats stats = mote_surface_get_stats(surface);
    assert_true(stats.nodes == 0 && stats.blocks == 0 && stats.chunks == 0);
    mote_surface_destroy(surface);
    const double refused[2] = {1e-50, 1 - 1e-9};
    for (int k = 0; k < 2; ++k) {
        def.isovalue = refused[k];
        assert_int_equal(mote_surface_create(NULL, &def, &surface, &error), MOTE_ERROR_ARGUMENT);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_isovalue_is_that_of_half_a_lattice),
        cmocka_unit_test(balls_have_the_volume_of_their_particles),
        cmocka_unit_test(a_lone_particle_has_its_volume),
        cmocka_unit_test(drops_have_a_surface),
        cmocka_unit_test(random_clouds_have_closed_surfaces),
        cmocka_unit_test(all_particles_may_coincide),
        cmocka_unit_test(a_mesh_has_the_same_bits),
        cmocka_unit_test(normals_have_the_same_bits),
        cmocka_unit_test(what_is_skipped_changes_no_bit),
        cmocka_unit_test(a_moved_cloud_has_the_moved_mesh),
        cmocka_unit_test(a_far_drop_adds_its_volume),
        cmocka_unit_test(drops_any_distance_apart_have_surfaces),
        cmocka_unit_test(a_cloud_moved_by_chunks_has_the_same_triangles),
        cmocka_unit_test(the_mesh_is_that_of_a_dense_grid),
        cmocka_unit_test(water_is_flush_with_a_tank),
        cmocka_unit_test(dry_walls_have_no_surface),
        cmocka_unit_test(a_solid_cuts_a_hole),
        cmocka_unit_test(small_parts_are_left_out),
        cmocka_unit_test(smoothing_keeps_volume),
        cmocka_unit_test(arrays_are_carried_over),
        cmocka_unit_test(volumes_and_isovalues_are_checked),
    };
    RUN_TESTS(tests, argc, argv);
}
