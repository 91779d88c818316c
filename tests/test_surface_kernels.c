// SPDX-License-Identifier: MIT
// Anisotropic kernels of surfaces: isovalues, volumes, inner particles, drops, the same bits, eigenvalues.

#include "support/surface.h"
#include "support/test.h"

static const double zero[3] = {0, 0, 0};

static mote_surface_def anisotropic(double centering)
{
    mote_surface_def def = surface_def();
    def.kernel = MOTE_SURFACE_KERNEL_ANISOTROPIC;
    def.centering = centering;
    return def;
}

static void the_isovalue_is_that_of_moved_kernels(void **state)
{
    (void)state;
    const double centering[4] = {0, 0.3, 0.5, 0.9}, expected[4] = {0.586, 0.48, 0.41, 0.28};
    for (int k = 0; k < 4; ++k) {
        const mote_surface_def def = anisotropic(centering[k]);
        mote_surface *surface = surface_of(NULL, &def, NULL, 0);
        const double isovalue = mote_surface_get_view(surface).stats.isovalue;
        CHECK(fabs(isovalue - expected[k]) < 5e-3, "%g for %g, expected %g", isovalue, centering[k], expected[k]);
        mote_surface_destroy(surface);
    }
}

static void balls_have_the_volume_of_their_particles(void **state)
{
    (void)state;
    const double radii[3] = {5, 10, 20}, most[3] = {0.05, 0.025, 0.015};
    for (int r = 0; r < (SLOW_BUILD ? 2 : 3); ++r)
        for (int jittered = 0; jittered < 2; ++jittered)
            for (int k = 0; k < 3; ++k) {
                const double centering[3] = {0.5, 0.3, 0.9};
                if (k > 0 && r == 2) continue;
                const mote_surface_def def = anisotropic(centering[k]);
                surface_check_ball(&def, radii[r], jittered ? 0.3 : 0, most[r]);
            }
}

// A cube of lattice, cut down to its inside. c of a lattice lies between its values at the particles and between them:
// at an isovalue among these there is a surface all through the inside, which tells one kernel from another.
static void inner_particles_have_isotropic_kernels(void **state)
{
    (void)state;
    enum { SIDE = 12 };
    static float xyz[3 * SIDE * SIDE * SIDE];
    size_t count = 0;
    for (int k = 0; k < SIDE * SIDE * SIDE; ++k, ++count) {
        xyz[3 * count] = (float)(k % SIDE);
        xyz[3 * count + 1] = (float)(k / SIDE % SIDE);
        xyz[3 * count + 2] = (float)(k / (SIDE * SIDE));
    }
    double volume[2];
    const mote_surface_plane planes[6] = {{{4, 0, 0}, {1, 0, 0}},  {{7, 0, 0}, {-1, 0, 0}}, {{0, 4, 0}, {0, 1, 0}},
                                          {{0, 7, 0}, {0, -1, 0}}, {{0, 0, 4}, {0, 0, 1}},  {{0, 0, 7}, {0, 0, -1}}};
    for (int kernel = 0; kernel < 2; ++kernel) {
        mote_surface_def def = anisotropic(0.5);
        def.kernel = kernel;
        def.isovalue = 0.9999;
        def.cell = 0.125;
        mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(xyz, count));
        cloud.planes = planes;
        cloud.plane_count = 6;
        mote_surface *surface = NULL;
        CHECK_OK(mote_surface_create(NULL, &def, &surface, NULL));
        CHECK_OK(mote_surface_update(surface, &cloud, NULL));
        volume[kernel] = mote_surface_get_view(surface).stats.volume;
        mote_surface_destroy(surface);
    }
    CHECK(volume[0] > 3 && volume[0] < 26, "the inside has volume %g of 27", volume[0]);
    CHECK(fabs(volume[1] / volume[0] - 1) < 1e-3, "volume %g, expected %g", volume[1], volume[0]);
}

static void drops_keep_their_volume(void **state)
{
    (void)state;
    const float two[6] = {0.3f, 0.2f, -0.7f, 4.1f, 0.2f, -0.7f};
    const double centering[3] = {0, 0.5, 0.9};
    for (int k = 0; k < 3; ++k) {
        mote_surface_def def = anisotropic(centering[k]);
        def.cell = 0.25;
        mote_surface *surface = surface_of(NULL, &def, two, 2);
        const mote_surface_view view = mote_surface_get_view(surface);
        surface_check_manifold(&view, "two drops");
        CHECK(fabs(view.stats.volume / 2 - 1) < 0.25, "volume %g of a drop", view.stats.volume / 2);
        mote_surface_destroy(surface);
    }
}

static void random_clouds_have_closed_surfaces(void **state)
{
    (void)state;
    const size_t count = SLOW_BUILD ? 200 : 1000;
    float *xyz = malloc(3 * count * sizeof *xyz);
    for (int form = 0; form < 4; ++form) {
        mote_random random = {(uint64_t)form + 7};
        const float size = (float)(1.5 * cbrt((double)count));
        for (size_t i = 0; i < 3 * count; ++i) xyz[i] = size * (float)mote_random_unit(&random);
        for (size_t i = 0; i < count; ++i) {
            if (form == 1) xyz[3 * i + 2] = 0;               // in a plane
            if (form == 2) xyz[3 * i] = xyz[3 * i + 1] = 2;  // on a line
            if (form == 3) memcpy(xyz + 3 * i, xyz + 3 * (i % 10), 3 * sizeof *xyz);
        }
        mote_surface_def def = anisotropic(0.9);
        def.min_particles = 1;
        def.smooth = form == 0 ? 2 : 0;
        def.weighted = true;
        mote_surface *surface = surface_of(NULL, &def, xyz, count);
        const mote_surface_view view = mote_surface_get_view(surface);
        if (form > 0) surface_check_manifold(&view, "cloud");
        CHECK_OK(mote_surface_validate(surface, NULL));
        CHECK(view.stats.volume > 0, "cloud %d: volume %g", form, view.stats.volume);
        mote_surface_destroy(surface);
    }
    free(xyz);
}

static uint64_t checksum_of(uint32_t threads, mote_simd simd, int32_t block, bool full, const float *xyz, size_t count)
{
    mote_surface_def def = anisotropic(0.5);
    def.block = block;
    def.full = full;
    return surface_checksum_with(threads, simd, &def, xyz, count);
}

static void a_mesh_has_the_same_bits(void **state)
{
    (void)state;
    float *xyz;
    const size_t count = surface_ball(SLOW_BUILD ? 4 : 7, 0.4, (const double[3]){1.3, -20.1, 4}, &xyz);
    const uint64_t right = checksum_of(1, MOTE_SIMD_BEST, 4, false, xyz, count);
    CHECK(checksum_of(5, MOTE_SIMD_BEST, 16, false, xyz, count) == right, "5 threads, blocks of 16");
    CHECK(checksum_of(2, MOTE_SIMD_BEST, 8, true, xyz, count) == right, "all nodes");
    for (mote_simd simd = MOTE_SIMD_PLAIN; simd <= MOTE_SIMD_128; ++simd) {
        const uint64_t sum = checksum_of(2, simd, 4, false, xyz, count);
        CHECK(sum == 0 || sum == right, "%s", mote_simd_name(simd));
    }
    for (size_t i = 0, j = count - 1; i < j; ++i, --j)
        for (int k = 0; k < 3; ++k) {
            const float moved = xyz[3 * i + (size_t)k];
            xyz[3 * i + (size_t)k] = xyz[3 * j + (size_t)k];
            xyz[3 * j + (size_t)k] = moved;
        }
    CHECK(checksum_of(2, MOTE_SIMD_BEST, 4, false, xyz, count) == right, "in reverse");
    free(xyz);
}

static mote_result make_one(mote_context *context, void *data)
{
    (void)data;
    float *xyz;
    const size_t count = surface_ball(2, 0.2, zero, &xyz);
    mote_surface_def def = anisotropic(0.5);
    def.smooth = 1;
    def.weighted = true;
    mote_surface *surface;
    mote_result result = mote_surface_create(context, &def, &surface, NULL);
    const mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(xyz, count));
    if (result == MOTE_OK) {
        result = mote_surface_update(surface, &cloud, NULL);
        if (result == MOTE_OK) {
            result = mote_surface_update(surface, &cloud, NULL);
            const uint64_t allocations = mote_context_allocation_count(context);
            if (result == MOTE_OK) result = mote_surface_update(surface, &cloud, NULL);
            if (result == MOTE_OK) assert_int_equal(mote_context_allocation_count(context), allocations);
        }
        mote_surface_destroy(surface);
    }
    free(xyz);
    return result;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    test_failing_allocations(make_one, NULL);
}

static void normals_of_the_field_are_refused(void **state)
{
    (void)state;
    mote_surface_def def = anisotropic(0.5);
    def.normals = MOTE_SURFACE_NORMALS_FIELD;
    mote_surface *surface = NULL;
    mote_error error = {0};
    CHECK(mote_surface_create(NULL, &def, &surface, &error) == MOTE_ERROR_ARGUMENT && strstr(error.text, "normals"),
          "%s", error.text);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_isovalue_is_that_of_moved_kernels),
        cmocka_unit_test(balls_have_the_volume_of_their_particles),
        cmocka_unit_test(inner_particles_have_isotropic_kernels),
        cmocka_unit_test(drops_keep_their_volume),
        cmocka_unit_test(random_clouds_have_closed_surfaces),
        cmocka_unit_test(a_mesh_has_the_same_bits),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(normals_of_the_field_are_refused),
    };
    RUN_TESTS(tests, argc, argv);
}
