// SPDX-License-Identifier: MIT
// Surfaces of several fluids: each closed, the same vertices where two touch, and the same bits whatever computes them.

#include "mote/mesh.h"
#include "support/surface.h"
#include "support/test.h"

enum { MOST_KINDS = 5 };

static mote_surface_cloud cloud_of(const float *xyz, const uint8_t *phases, size_t count)
{
    mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(xyz, count));
    cloud.phases = mote_array_scalars("phase", MOTE_ARRAY_U8, phases);
    return cloud;
}

static void update(mote_surface *surface, const mote_surface_cloud *cloud)
{
    mote_error error = {0};
    CHECK(mote_surface_update(surface, cloud, &error) == MOTE_OK, "%s", error.text);
    CHECK(mote_surface_validate(surface, &error) == MOTE_OK, "%s", error.text);
}

static mote_surface *create(mote_context *context, const mote_surface_def *def)
{
    mote_surface *surface;
    CHECK_OK(mote_surface_create(context, def, &surface, NULL));
    return surface;
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(mote_vec3));
}

// How many vertices of one mesh are vertices of another, to the bit.
static size_t count_shared(const mote_surface_view *a, const mote_surface_view *b)
{
    mote_vec3 *sorted = malloc((b->vertex_count + 1) * sizeof *sorted);
    memcpy(sorted, b->vertices, b->vertex_count * sizeof *sorted);
    qsort(sorted, b->vertex_count, sizeof *sorted, compare);
    size_t count = 0;
    for (size_t v = 0; v < a->vertex_count; ++v)
        count += bsearch(a->vertices + v, sorted, b->vertex_count, sizeof *sorted, compare) != NULL;
    free(sorted);
    return count;
}

static int compare_corners(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(uint32_t[3]));
}

// All meshes in one, whose vertices at the same place are the same.
static mote_mesh *join(const mote_surface *surface)
{
    mote_mesh *parts[MOST_KINDS], *joined;
    const int count = mote_surface_phase_count(surface);
    for (int p = 0; p < count; ++p) {
        const mote_surface_view view = mote_surface_get_phase_view(surface, p);
        CHECK_OK(mote_mesh_create(NULL, view.vertices, view.vertex_count, view.triangles, view.triangle_count,
                                  parts + p, NULL));
    }
    CHECK_OK(mote_mesh_join(NULL, (const mote_mesh *const *)parts, (size_t)count, &joined, NULL));
    CHECK_OK(mote_mesh_weld(joined, NULL));
    for (int p = 0; p < count; ++p) mote_mesh_destroy(parts[p]);
    return joined;
}

// Fails unless the meshes of all phases fill the body: no two triangles cross, those between two phases are in the
// meshes of both, turned around, and the others have about the area of the body.
static void check_together(const mote_surface *surface, double area, const char *what)
{
    mote_mesh *mesh = join(surface);
    mote_mesh_crossings crossings;
    CHECK_OK(mote_mesh_find_crossings(mesh, &crossings, NULL));
    CHECK(crossings.count == 0, "%s: %llu pairs of triangles cross", what, (unsigned long long)crossings.count);
    const size_t count = mesh->triangle_count;
    uint32_t(*sorted)[3] = malloc((count + 1) * sizeof *sorted);
    for (size_t t = 0; t < count; ++t)  // the least corner first
        for (size_t k = 0; k < 3; ++k) {
            const uint32_t *corner = mesh->triangles + 3 * t;
            size_t first = corner[1] < corner[0];
            if (corner[2] < corner[first]) first = 2;
            sorted[t][k] = corner[(first + k) % 3];
        }
    qsort(sorted, count, sizeof *sorted, compare_corners);
    double outer = 0;
    for (size_t t = 0; t < count; ++t) {
        const uint32_t turned[3] = {sorted[t][0], sorted[t][2], sorted[t][1]};
        CHECK(t == 0 || compare_corners(sorted[t - 1], sorted[t]) != 0, "%s: a triangle is there twice", what);
        if (bsearch(turned, sorted, count, sizeof *sorted, compare_corners)) continue;
        const mote_vec3 *at = mesh->vertices, a = at[sorted[t][0]], b = at[sorted[t][1]], c = at[sorted[t][2]];
        const double u[3] = {b.x - a.x, b.y - a.y, b.z - a.z}, v[3] = {c.x - a.x, c.y - a.y, c.z - a.z};
        const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
        outer += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    }
    CHECK(fabs(outer / area - 1) < 0.02, "%s: an area of %g at the air, the body has %g", what, outer, area);
    free(sorted);
    mote_mesh_destroy(mesh);
}

// A block of two layers of jittered particles.
static size_t fill_layers(int side, double jitter, float **xyz, uint8_t **phases)
{
    const size_t count = (size_t)(side * side * side);
    *xyz = malloc(3 * count * sizeof **xyz);
    *phases = malloc(count);
    mote_random random = {21};
    for (size_t i = 0; i < count; ++i) {
        const int at[3] = {(int)i % side, (int)i / side % side, (int)i / (side * side)};
        for (size_t k = 0; k < 3; ++k)
            (*xyz)[3 * i + k] = (float)(at[k] + 0.37 + jitter * (2 * mote_random_unit(&random) - 1));
        (*phases)[i] = at[2] >= side / 2;
    }
    return count;
}

static void check_layers(double jitter, int32_t smooth)
{
    enum { SIDE = SLOW_BUILD ? 10 : 20 };
    float *xyz;
    uint8_t *phases;
    const size_t count = fill_layers(SIDE, jitter, &xyz, &phases);
    mote_surface_def def = surface_def();
    def.smooth = smooth;
    def.weighted = true;
    mote_surface *surface = create(NULL, &def), *whole = surface_of(NULL, &def, xyz, count);
    const mote_surface_cloud cloud = cloud_of(xyz, phases, count);
    update(surface, &cloud);
    assert_int_equal(mote_surface_phase_count(surface), 2);
    const mote_surface_view low = mote_surface_get_phase_view(surface, 0);
    const mote_surface_view high = mote_surface_get_phase_view(surface, 1);
    surface_check_manifold(&low, "lower layer");
    surface_check_manifold(&high, "upper layer");
    assert_int_equal(low.stats.particles + high.stats.particles, count);
    const double sum = low.stats.volume + high.stats.volume, all = mote_surface_get_stats(whole).volume;
    if (smooth == 0) check_together(surface, mote_surface_get_stats(whole).area, "layers");
    CHECK(fabs(sum / all - 1) < 5e-4, "volumes %g and %g, together %+g %% off", low.stats.volume, high.stats.volume,
          100 * (sum / all - 1));
    CHECK(fabs(low.stats.volume / high.stats.volume - 1) < 0.02, "volumes %g and %g", low.stats.volume,
          high.stats.volume);
    // All vertices well inside the block lie between the two.
    size_t inner = 0;
    for (size_t v = 0; v < low.vertex_count; ++v) {
        const mote_vec3 at = low.vertices[v];
        inner += fmin(fmin(at.x, at.y), at.z) > 2 && fmax(at.x, at.y) < SIDE - 3;
    }
    const size_t shared = count_shared(&low, &high);
    CHECK(inner > (size_t)(2 * (SIDE - 6) * 2 * (SIDE - 6)) && shared > inner,
          "%zu vertices are shared, %zu are inside", shared, inner);
    mote_surface_destroy(surface);
    mote_surface_destroy(whole);
    free(xyz);
    free(phases);
}

static void layers_have_closed_surfaces(void **state)
{
    (void)state;
    check_layers(0, 0);
    check_layers(0.3, 0);
    check_layers(0.3, 10);
}

// ---------------------------------------------------------------------------------------------------- random clouds

static void mix(float *xyz, uint8_t *phases, size_t count, int kinds, int seed, mote_random *random)
{
    const float size = (float)((seed % 2 ? 1 : 1.6) * cbrt((double)count));
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < 3; ++k) xyz[3 * i + k] = size * (float)(mote_random_unit(random) - 0.5);
        phases[i] = (uint8_t)mote_random_below(random, (uint32_t)kinds);
    }
    if (seed % 3 == 1)  // a quarter coincides with others, also of other phases
        for (size_t i = 0; i < count / 4; ++i) memcpy(xyz + 3 * i, xyz + 3 * (count - 1 - i), 3 * sizeof *xyz);
    if (seed % 3 == 2)
        for (size_t i = 0; i < 3 * count; ++i) xyz[i] = floorf(2 * xyz[i]) / 2;
}

static void random_mixtures_have_closed_surfaces(void **state)
{
    (void)state;
    static const double cells[3] = {0.5, 0.37, 0.8};
    const bool is_long = getenv("MOTE_LONG_TESTS") != NULL;
    const size_t count = is_long ? 20000 : SLOW_BUILD ? 200 : 1500;
    float *xyz = malloc(3 * count * sizeof *xyz);
    uint8_t *phases = malloc(count);
    for (int seed = 0; seed < (is_long ? 12 : SLOW_BUILD ? 3 : 6); ++seed) {
        mote_random random = {(uint64_t)seed + 900};
        const int kinds = 2 + seed % 4;
        mix(xyz, phases, count, kinds, seed, &random);
        mote_surface_def def = surface_def();
        def.cell = cells[seed % 3];
        def.min_particles = 1;
        if (seed % 4 == 3) def.kernel = MOTE_SURFACE_KERNEL_ANISOTROPIC;
        mote_surface *surface = create(NULL, &def), *whole = surface_of(NULL, &def, xyz, count);
        const mote_surface_cloud cloud = cloud_of(xyz, phases, count);
        update(surface, &cloud);
        char what[64];
        double sum = 0;
        for (int p = 0; p < kinds; ++p) {
            const mote_surface_view view = mote_surface_get_phase_view(surface, p);
            snprintf(what, sizeof what, "seed %d, phase %d of %d", seed, p, kinds);
            surface_check_manifold(&view, what);
            CHECK(view.stats.volume > 0, "%s: volume %g", what, view.stats.volume);
            sum += view.stats.volume;
        }
        snprintf(what, sizeof what, "seed %d", seed);
        const double all = mote_surface_get_stats(whole).volume;
        check_together(surface, mote_surface_get_stats(whole).area, what);
        CHECK(fabs(sum / all - 1) < 0.02, "seed %d: volumes add up to %g of %g", seed, sum, all);
        mote_surface_destroy(surface);
        mote_surface_destroy(whole);
    }
    free(xyz);
    free(phases);
}

// One phase, whatever its number, has the mesh that particles without phases have.
static void one_phase_has_the_whole_mesh(void **state)
{
    (void)state;
    float *xyz;
    const size_t count = surface_ball(5, 0.3, (const double[3]){1, 2, 3}, &xyz);
    uint8_t *phases = calloc(count, 1);
    const mote_surface_def def = surface_def();
    mote_surface *surface = create(NULL, &def), *whole = surface_of(NULL, &def, xyz, count);
    const mote_surface_view right = mote_surface_get_view(whole);
    const mote_surface_cloud cloud = cloud_of(xyz, phases, count);
    for (int phase = 0; phase < 3; phase += 2) {
        memset(phases, phase, count);
        update(surface, &cloud);
        assert_int_equal(mote_surface_phase_count(surface), phase + 1);
        const mote_surface_view view = mote_surface_get_phase_view(surface, phase);
        assert_true(surface_checksum(&view) == surface_checksum(&right));
        if (phase) assert_int_equal(mote_surface_get_view(surface).triangle_count, 0);
    }
    assert_int_equal(mote_surface_get_phase_view(surface, 3).vertex_count, 0);
    mote_surface_destroy(surface);
    mote_surface_destroy(whole);
    free(xyz);
    free(phases);
}

// Smoothing by weights does not depend on which phases there are, nor on what an object has seen before; where a part
// is left out, what touched it stays closed.
static void smoothing_knows_no_first_phase(void **state)
{
    (void)state;
    enum { SIDE = 8 };
    float *xyz;
    uint8_t *phases;
    const size_t count = fill_layers(SIDE, 0.3, &xyz, &phases);
    mote_surface_def def = surface_def();
    def.smooth = 5;
    def.weighted = true;
    uint64_t sums[3] = {0};
    mote_surface *used = create(NULL, &def);
    for (int k = 0; k < 3; ++k) {  // phases 0 and 1 as given, then 1 and 2 in the same object and in a new one
        if (k == 1)
            for (size_t i = 0; i < count; ++i) ++phases[i];
        mote_surface *surface = k < 2 ? used : create(NULL, &def);
        const mote_surface_cloud cloud = cloud_of(xyz, phases, count);
        update(surface, &cloud);
        for (int p = k > 0; p < 2 + (k > 0); ++p) {
            const mote_surface_view view = mote_surface_get_phase_view(surface, p);
            sums[k] = sums[k] * 31 + surface_checksum(&view);
        }
        if (k == 2) mote_surface_destroy(surface);
    }
    CHECK(sums[0] == sums[1], "other meshes of phases 1 and 2 than of 0 and 1");
    CHECK(sums[1] == sums[2], "a new object makes other meshes than a used one");
    mote_surface_destroy(used);
    // A drop of few particles on the block, of another phase.
    def.min_particles = 9;
    mote_surface *surface = create(NULL, &def);
    for (size_t i = 0; i < count; ++i) phases[i] = xyz[3 * i] < 2 && xyz[3 * i + 1] < 2 && xyz[3 * i + 2] < 2;
    const mote_surface_cloud cloud = cloud_of(xyz, phases, count);
    update(surface, &cloud);
    const mote_surface_view block = mote_surface_get_phase_view(surface, 0);
    assert_int_equal(mote_surface_get_phase_view(surface, 1).triangle_count, 0);
    surface_check_manifold(&block, "a block without a corner");
    mote_surface_destroy(surface);
    free(xyz);
    free(phases);
}

// ------------------------------------------------------------------------------------------------------- same bits

static uint64_t checksum_of(uint32_t threads, mote_simd simd, int32_t block, bool full, const mote_surface_cloud *cloud)
{
    mote_context_def context_def = mote_context_default_def();
    context_def.thread_count = threads;
    context_def.simd = simd;
    mote_context *context;
    if (mote_context_create(&context_def, &context, NULL) != MOTE_OK) return 0;
    mote_surface_def def = surface_def();
    def.block = block;
    def.full = full;
    def.smooth = 2;
    mote_surface *surface = create(context, &def);
    update(surface, cloud);
    uint64_t sum = 0;
    for (int p = 0; p < mote_surface_phase_count(surface); ++p) {
        const mote_surface_view view = mote_surface_get_phase_view(surface, p);
        sum = sum * 31 + surface_checksum(&view);
    }
    mote_surface_destroy(surface);
    mote_context_destroy(context);
    return sum;
}

static void meshes_have_the_same_bits(void **state)
{
    (void)state;
    enum { COUNT = SLOW_BUILD ? 300 : 1500 };
    float *xyz = malloc(sizeof(float[3]) * COUNT);
    uint8_t *phases = malloc(COUNT);
    mote_random random = {77};
    mix(xyz, phases, COUNT, 3, 1, &random);
    const mote_surface_cloud cloud = cloud_of(xyz, phases, COUNT);
    const uint64_t right = checksum_of(1, MOTE_SIMD_BEST, 8, false, &cloud);
    CHECK(checksum_of(2, MOTE_SIMD_BEST, 8, false, &cloud) == right, "two threads");
    CHECK(checksum_of(5, MOTE_SIMD_BEST, 16, false, &cloud) == right, "five threads, blocks of 16");
    CHECK(checksum_of(2, MOTE_SIMD_BEST, 4, true, &cloud) == right, "all nodes");
    for (mote_simd simd = MOTE_SIMD_PLAIN; simd <= MOTE_SIMD_128; ++simd) {
        const uint64_t sum = checksum_of(2, simd, 8, false, &cloud);
        CHECK(sum == 0 || sum == right, "%s", mote_simd_name(simd));
    }
    for (size_t i = COUNT; i-- > 1;) {
        const size_t j = mote_random_below(&random, (uint32_t)i + 1);
        const uint8_t phase = phases[i];
        float moved[3];
        phases[i] = phases[j], phases[j] = phase;
        memcpy(moved, xyz + 3 * i, sizeof moved);
        memcpy(xyz + 3 * i, xyz + 3 * j, sizeof moved);
        memcpy(xyz + 3 * j, moved, sizeof moved);
    }
    CHECK(checksum_of(2, MOTE_SIMD_BEST, 8, false, &cloud) == right, "shuffled");
    free(xyz);
    free(phases);
}

// ---------------------------------------------------------------------------------------------- walls, arrays, faults

// Water and oil in a tank that they fill: arrays are those of each phase, normals of the field point out of it.
static void phases_keep_their_arrays(void **state)
{
    (void)state;
    enum { SIDE = 12 };
    float *xyz;
    uint8_t *phases;
    const size_t count = fill_layers(SIDE, 0.2, &xyz, &phases);
    mote_surface_def def = surface_def();
    def.normals = MOTE_SURFACE_NORMALS_FIELD;
    mote_surface *surface = create(NULL, &def);
    mote_surface_cloud cloud = cloud_of(xyz, phases, count);
    const mote_surface_plane planes[2] = {{{1.1, 0, 0}, {1, 0, 0}}, {{0, 0, 2.2}, {0, 0, 1}}};
    cloud.planes = planes;
    cloud.plane_count = 2;
    cloud.arrays = &cloud.phases;
    cloud.array_count = 1;
    update(surface, &cloud);
    for (int p = 0; p < 2; ++p) {
        const mote_surface_view view = mote_surface_get_phase_view(surface, p);
        const float *carried = view.arrays[0].component[0];
        surface_check_manifold(&view, "layer in a tank");
        for (size_t v = 0; v < view.vertex_count; ++v) {
            const mote_vec3 at = view.vertices[v];
            CHECK(at.x > 1.1 - 1e-6 && at.z > 2.2 - 1e-6, "(%g, %g, %g) is beyond a plane", at.x, at.y, at.z);
            CHECK(carried[v] == (float)p, "phase %d has the array of %g", p, (double)carried[v]);
            const bool is_between = fabs(at.z - SIDE / 2) < 0.5 && fmin(at.x, at.y) > 3 && fmax(at.x, at.y) < SIDE - 3;
            CHECK(!is_between || (p == 0) == (view.normals[v].z > 0), "the normal of vertex %zu points inwards", v);
        }
    }
    mote_surface_destroy(surface);
    free(xyz);
    free(phases);
}

// Also where a phase comes to the air at a point alone, so that all triangles there are between phases.
static void normals_are_unit_vectors(void **state)
{
    (void)state;
    enum { SIDE = 5, COUNT = SIDE * SIDE * SIDE };
    float xyz[COUNT][3];
    uint8_t phases[COUNT];
    mote_random random = {166};
    for (int i = 0; i < COUNT; ++i) {
        const int at[3] = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)};
        for (int k = 0; k < 3; ++k) xyz[i][k] = (float)(at[k] + 0.3 * mote_random_unit(&random));
        phases[i] = (uint8_t)mote_random_below(&random, 7);
    }
    mote_surface_def def = surface_def();
    def.cell = 0.37;
    def.normals = MOTE_SURFACE_NORMALS_ANGLE;
    mote_surface *surface = create(NULL, &def);
    const mote_surface_cloud cloud = cloud_of(&xyz[0][0], phases, COUNT);
    update(surface, &cloud);
    for (int p = 0; p < mote_surface_phase_count(surface); ++p) {
        const mote_surface_view view = mote_surface_get_phase_view(surface, p);
        for (size_t v = 0; v < view.vertex_count; ++v) {
            const mote_vec3 n = view.normals[v];
            const double length = sqrt((n.x * n.x + n.y * n.y) + n.z * n.z);
            CHECK(fabs(length - 1) < 1e-12, "the normal of vertex %zu of phase %d has the length %g", v, p, length);
        }
    }
    mote_surface_destroy(surface);
}

static void bad_phases_are_refused(void **state)
{
    (void)state;
    const float xyz[6] = {0, 0, 0, 1, 0, 0};
    const double wrong[4] = {-1, 32, 0.5, NAN};
    double phases[2] = {1, 0};
    mote_surface_def def = surface_def();
    mote_surface *surface = create(NULL, &def);
    mote_error error;
    mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(xyz, 2));
    cloud.phases = mote_array_scalars("phase", MOTE_ARRAY_F64, phases);
    for (int k = 0; k < 4; ++k) {
        phases[1] = wrong[k];
        assert_int_equal(mote_surface_update(surface, &cloud, &error), MOTE_ERROR_ARGUMENT);
        assert_int_equal(error.index, 1);
        assert_int_equal(mote_surface_phase_count(surface), 1);
    }
    phases[1] = 31;
    update(surface, &cloud);
    assert_int_equal(mote_surface_phase_count(surface), 32);
    update(surface, &cloud);
    const size_t bytes = mote_surface_byte_count(surface);
    update(surface, &cloud);
    assert_int_equal(mote_surface_byte_count(surface), bytes);
    cloud.phases.component[0] = NULL;
    assert_int_equal(mote_surface_update(surface, &cloud, &error), MOTE_ERROR_ARGUMENT);
    mote_surface_destroy(surface);
    cloud.phases.component[0] = phases;
    def.cleanup = true;
    surface = create(NULL, &def);
    assert_int_equal(mote_surface_update(surface, &cloud, &error), MOTE_ERROR_ARGUMENT);
    mote_surface_destroy(surface);
    mote_surface_cloud flat = mote_surface_cloud_points(mote_points_xy(xyz, 2));
    flat.phases = cloud.phases;
    mote_outline *outline;
    assert_int_equal(mote_outline_create(NULL, &def, &flat, &outline, &error), MOTE_ERROR_UNSUPPORTED);
}

static mote_result make_layers(mote_context *context, void *data)
{
    (void)data;
    float *xyz;
    uint8_t *phases;
    const size_t count = fill_layers(4, 0.2, &xyz, &phases);
    mote_surface_def def = surface_def();
    def.smooth = 1;
    def.min_particles = 2;
    def.normals = MOTE_SURFACE_NORMALS_ANGLE;
    mote_surface *surface;
    mote_result result = mote_surface_create(context, &def, &surface, NULL);
    if (result == MOTE_OK) {
        const mote_surface_cloud cloud = cloud_of(xyz, phases, count);
        result = mote_surface_update(surface, &cloud, NULL);
        if (result != MOTE_OK) assert_int_equal(mote_surface_get_view(surface).vertex_count, 0);
        mote_surface_destroy(surface);
    }
    free(xyz);
    free(phases);
    return result;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    test_failing_allocations(make_layers, NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_have_closed_surfaces),
        cmocka_unit_test(random_mixtures_have_closed_surfaces),
        cmocka_unit_test(one_phase_has_the_whole_mesh),
        cmocka_unit_test(smoothing_knows_no_first_phase),
        cmocka_unit_test(meshes_have_the_same_bits),
        cmocka_unit_test(phases_keep_their_arrays),
        cmocka_unit_test(normals_are_unit_vectors),
        cmocka_unit_test(bad_phases_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    RUN_TESTS(tests, argc, argv);
}
