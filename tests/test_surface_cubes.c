// SPDX-License-Identifier: MIT
// Marching cubes on grids and functions: every pattern of signs around an edge, equal values, convergence; and what
// surfaces refuse, and memory that runs out.

#include <float.h>

#include "support/surface.h"
#include "support/test.h"

static mote_isosurface *isosurface_of(const float *values, int x, int y, int z)
{
    mote_isosurface_def def = mote_isosurface_default_def();
    def.size[0] = x, def.size[1] = y, def.size[2] = z;
    def.values = values;
    mote_isosurface *isosurface = NULL;
    mote_error error = {0};
    CHECK(mote_isosurface_create(NULL, &def, &isosurface, &error) == MOTE_OK, "%s", error.text);
    return isosurface;
}

static bool is_long(void)
{
    return getenv("MOTE_LONG_TESTS") != NULL;
}

// The four cubes around an edge have 3 × 3 × 2 nodes.
static void all_signs_around_an_edge(void **state)
{
    (void)state;
    const uint32_t step = is_long() ? 1 : SLOW_BUILD ? 2003 : 97;
    for (int axis = 0; axis < 3; ++axis)
        for (uint32_t signs = 0; signs < 1u << 18; signs += step) {
            float values[18];
            for (int k = 0; k < 18; ++k) values[k] = signs >> k & 1 ? 1 : -1;
            mote_isosurface *isosurface =
                isosurface_of(values, axis == 0 ? 2 : 3, axis == 1 ? 2 : 3, axis == 2 ? 2 : 3);
            const mote_surface_view view = mote_isosurface_get_view(isosurface);
            char what[64];
            snprintf(what, sizeof what, "axis %d, signs %x", axis, signs);
            surface_check_manifold(&view, what);
            mote_isosurface_destroy(isosurface);
        }
}

// Each pattern of signs with vertices anywhere on the edges, most of them near their ends.
static void no_triangles_of_a_cube_cross(void **state)
{
    (void)state;
    const int count = is_long() ? 5000 : SLOW_BUILD ? 10 : 50;
    mote_random random = {17};
    for (int signs = 1; signs < 255; ++signs)
        for (int n = 0; n < count; ++n) {
            float values[8];
            for (int k = 0; k < 8; ++k) {
                const float value = (float)exp(16 * (mote_random_unit(&random) - 0.5));
                values[k] = signs >> k & 1 ? value : -value;
            }
            mote_isosurface *isosurface = isosurface_of(values, 2, 2, 2);
            const mote_surface_view view = mote_isosurface_get_view(isosurface);
            const uint64_t crossings = surface_count_crossings(&view);
            CHECK(crossings == 0, "signs %x, field %d: %llu pairs of triangles cross", signs, n,
                  (unsigned long long)crossings);
            mote_isosurface_destroy(isosurface);
        }
}

static void fields_of_few_values(void **state)
{
    (void)state;
    const int count = is_long() ? 1000000 : SLOW_BUILD ? 100 : 4000;
    mote_random random = {5};
    for (int n = 0; n < count; ++n) {
        float values[64];
        const float few[4] = {-1, 0, 1, (float)(mote_random_unit(&random) - 0.5)};
        for (int k = 0; k < 64; ++k) values[k] = few[mote_random_below(&random, n % 2 ? 3 : 4)];
        mote_isosurface *isosurface = isosurface_of(values, 4, 4, 4);
        const mote_surface_view view = mote_isosurface_get_view(isosurface);
        char what[32];
        snprintf(what, sizeof what, "field %d", n);
        surface_check_manifold(&view, what);
        mote_isosurface_destroy(isosurface);
    }
}

// ------------------------------------------------------------------------------------------------------ convergence

static double ball(void *user_data, mote_vec3 at)
{
    (void)user_data;
    return 0.7 - sqrt((at.x * at.x + at.y * at.y) + at.z * at.z);
}

// Schoen's gyroid, of which half of every period is inside.
static double gyroid(void *user_data, mote_vec3 at)
{
    (void)user_data;
    const double turn = 2 * 3.14159265358979323846, x = turn * at.x, y = turn * at.y, z = turn * at.z;
    return sin(x) * cos(y) + sin(y) * cos(z) + sin(z) * cos(x);
}

static double torus(void *user_data, mote_vec3 at)
{
    (void)user_data;
    const double ring = sqrt(at.x * at.x + at.y * at.y) - 0.6;
    return 0.25 - sqrt(ring * ring + at.z * at.z);
}

typedef struct solid {
    const char *name;
    mote_isosurface_function *function;
    double volume, area;
} solid;

static void errors_fall_by_four(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    const solid solids[2] = {{"ball", ball, 4 * pi / 3 * 0.343, 4 * pi * 0.49},
                             {"torus", torus, 2 * pi * pi * 0.6 * 0.0625, 4 * pi * pi * 0.6 * 0.25}};
    const int finest = is_long() ? 128 : SLOW_BUILD ? 32 : 64;
    for (int s = 0; s < 2; ++s) {
        double volume = 0, area = 0;
        for (int n = 16; n <= finest; n *= 2) {
            mote_isosurface_def def = mote_isosurface_default_def();
            def.cell = 1.0 / n;
            // Off the nodes of symmetry, so that errors are those of any place.
            def.origin = (mote_vec3){-1 + 0.013, -1 + 0.007, -1 - 0.011};
            for (int k = 0; k < 3; ++k) def.size[k] = 2 * n + 1;
            def.function = solids[s].function;
            mote_isosurface *isosurface;
            CHECK_OK(mote_isosurface_create(NULL, &def, &isosurface, NULL));
            const mote_surface_view view = mote_isosurface_get_view(isosurface);
            surface_check_manifold(&view, solids[s].name);
            const double new_volume = fabs(view.stats.volume - solids[s].volume);
            const double new_area = fabs(view.stats.area - solids[s].area);
            if (n > 16) {
                CHECK(volume / new_volume > 3.5 && volume / new_volume < 4.5, "%s: volume's error falls by %g at 1/%d",
                      solids[s].name, volume / new_volume, n);
                CHECK(area / new_area > 3.5 && area / new_area < 4.5, "%s: area's error falls by %g at 1/%d",
                      solids[s].name, area / new_area, n);
            }
            volume = new_volume;
            area = new_area;
            mote_isosurface_destroy(isosurface);
        }
    }
}

// The area of a period of the gyroid, whose exact value is not known in closed form: differences between areas at cells
// halved fall by four.
static void areas_of_a_gyroid_converge(void **state)
{
    (void)state;
    const int finest = is_long() ? 128 : SLOW_BUILD ? 32 : 64;
    double last = 0, difference = 0;
    for (int n = 8; n <= finest; n *= 2) {
        mote_isosurface_def def = mote_isosurface_default_def();
        def.cell = 1.0 / n;
        for (int k = 0; k < 3; ++k) def.size[k] = n + 1;
        def.origin = (mote_vec3){0.013, 0.007, -0.011};
        def.function = gyroid;
        def.open_border = true;
        mote_isosurface *isosurface;
        CHECK_OK(mote_isosurface_create(NULL, &def, &isosurface, NULL));
        const mote_surface_stats stats = mote_isosurface_get_stats(isosurface);
        CHECK_OK(mote_isosurface_validate(isosurface, NULL));
        const double new_difference = fabs(stats.area - last);
        if (n > 16)
            CHECK(difference / new_difference > 3.5 && difference / new_difference < 4.5,
                  "area's error falls by %g at 1/%d", difference / new_difference, n);
        last = stats.area;
        difference = new_difference;
        mote_isosurface_destroy(isosurface);
    }
    CHECK(fabs(last - 3.0915) < 0.01, "area %g, that of the minimal surface is 3.0915", last);
}

static void borders_are_closed_or_open(void **state)
{
    (void)state;
    float values[5 * 5 * 5];
    for (int k = 0; k < 125; ++k) values[k] = k % 5 < 3 ? 1 : -1;
    mote_isosurface_def def = mote_isosurface_default_def();
    for (int k = 0; k < 3; ++k) def.size[k] = 5;
    def.values = values;
    mote_isosurface *isosurface;
    CHECK_OK(mote_isosurface_create(NULL, &def, &isosurface, NULL));
    mote_surface_view view = mote_isosurface_get_view(isosurface);
    surface_check_manifold(&view, "closed border");
    CHECK(fabs(view.stats.volume - 2.5 * 16) < 0.1, "volume %g", view.stats.volume);
    CHECK(mote_isosurface_byte_count(isosurface) > 0, "no bytes");
    mote_isosurface_destroy(isosurface);
    def.open_border = true;
    CHECK_OK(mote_isosurface_create(NULL, &def, &isosurface, NULL));
    view = mote_isosurface_get_view(isosurface);
    CHECK_OK(mote_isosurface_validate(isosurface, NULL));
    assert_int_equal(view.vertex_count, 25);
    assert_int_equal(view.triangle_count, 32);
    CHECK(fabs(view.stats.area - 16) < 1e-6, "area %g", view.stats.area);
    mote_isosurface_destroy(isosurface);
    values[17] = NAN;
    mote_error error;
    assert_int_equal(mote_isosurface_create(NULL, &def, &isosurface, &error), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(error.index, 17);
}

static double value_there(void *user_data, mote_vec3 at)
{
    const mote_isosurface_def *def = user_data;
    return (double)def->values[((size_t)at.z * (size_t)def->size[1] + (size_t)at.y) * (size_t)def->size[0] +
                               (size_t)at.x];
}

// Values stay in the caller's grid, and their signs are found many at a time; a function is asked node by node.
static void values_and_a_function_have_the_same_mesh(void **state)
{
    (void)state;
    static const int32_t sizes[4][3] = {{37, 5, 19}, {15, 16, 17}, {1, 33, 2}, {48, 14, 3}};
    static const double isovalues[2] = {0, 1.0 / 3};
    mote_random random = {29};
    for (int s = 0; s < 4; ++s)
        for (int simd = MOTE_SIMD_PLAIN; simd <= MOTE_SIMD_128; ++simd) {
            mote_context_def context_def = mote_context_default_def();
            context_def.simd = (mote_simd)simd;
            mote_context *context;
            if (mote_context_create(&context_def, &context, NULL) != MOTE_OK) continue;
            mote_isosurface_def def = mote_isosurface_default_def(), asked = def;
            memcpy(def.size, sizes[s], sizeof def.size);
            const size_t count = (size_t)def.size[0] * (size_t)def.size[1] * (size_t)def.size[2];
            const float rare[6] = {INFINITY, -INFINITY, 0, -0.0f, FLT_MIN * 0x1p-23f, 1.0f / 3};
            float *values = malloc(count * sizeof *values);
            for (size_t i = 0; i < count; ++i) {
                const uint32_t kind = mote_random_below(&random, 30);
                values[i] = kind < 6 ? rare[kind] : (float)mote_random_unit(&random) - 0.4f;
            }
            def.values = values;
            def.isovalue = isovalues[s % 2];
            asked = def;
            asked.values = NULL;
            asked.function = value_there;
            asked.user_data = &def;
            mote_isosurface *a, *b;
            CHECK_OK(mote_isosurface_create(context, &def, &a, NULL));
            CHECK_OK(mote_isosurface_create(context, &asked, &b, NULL));
            const mote_surface_view own = mote_isosurface_get_view(a), other = mote_isosurface_get_view(b);
            assert_true(own.triangle_count > 100);
            CHECK(surface_checksum(&own) == surface_checksum(&other), "grid %d, %s", s,
                  mote_simd_name(context_def.simd));
            mote_isosurface_destroy(a);
            mote_isosurface_destroy(b);
            free(values);
            mote_context_destroy(context);
        }
}

// ---------------------------------------------------------------------------------------------------------- refusals

static void refuse(const mote_surface_def *def, const char *text)
{
    mote_surface *surface;
    mote_error error = {0};
    assert_int_equal(mote_surface_create(NULL, def, &surface, &error), MOTE_ERROR_ARGUMENT);
    CHECK(strstr(error.text, text), "\"%s\" does not say \"%s\"", error.text, text);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    mote_surface_def def = mote_surface_default_def();
    refuse(&def, "spacing");
    def.spacing = -1;
    refuse(&def, "spacing");
    def = surface_def();
    def.cell = 0.01;
    refuse(&def, "spacing/64");
    def = surface_def();
    def.cell = 0;
    refuse(&def, "cell");
    def = surface_def();
    def.support = 0.9;
    refuse(&def, "no two neighbours would meet");
    def = surface_def();
    def.block = 5;
    refuse(&def, "block is 5");
    def = surface_def();
    const float bad[6] = {0, 0, 0, 0, NAN, 0};
    mote_surface *surface = surface_of(NULL, &def, NULL, 0);
    mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(bad, 2));
    mote_error error;
    assert_int_equal(mote_surface_update(surface, &cloud, &error), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(error.index, 1);
    cloud = mote_surface_cloud_points(mote_points_xy(bad, 1));
    assert_int_equal(mote_surface_update(surface, &cloud, &error), MOTE_ERROR_UNSUPPORTED);
    const float far[6] = {0, 0, 0, 1e30f, 0, 0};
    cloud = mote_surface_cloud_points(mote_points_xyz(far, 2));
    assert_int_equal(mote_surface_update(surface, &cloud, &error), MOTE_ERROR_ARGUMENT);
    cloud = mote_surface_cloud_points(mote_points_xyz(bad, 0));
    CHECK_OK(mote_surface_update(surface, &cloud, &error));
    assert_int_equal(mote_surface_get_view(surface).triangle_count, 0);
    mote_surface_destroy(surface);
}

// A budget that holds the particles and the grid, but not the mesh: its size and the cell that would do are told.
static void a_budget_refuses_a_mesh(void **state)
{
    (void)state;
    mote_error error = {0};
    bool is_told = false;
    for (size_t budget = 1 << 20; !is_told && budget < 1 << 26; budget += budget / 8) {
        mote_context_def context_def = mote_context_default_def();
        context_def.thread_count = 1;
        context_def.max_bytes = budget;
        mote_context *context;
        CHECK_OK(mote_context_create(&context_def, &context, NULL));
        mote_isosurface_def def = mote_isosurface_default_def();
        for (int k = 0; k < 3; ++k) def.size[k] = 65;
        def.cell = 1.0 / 32;
        def.origin = (mote_vec3){-1, -1, -1};
        def.function = gyroid;
        mote_isosurface *isosurface;
        const mote_result result = mote_isosurface_create(context, &def, &isosurface, &error);
        if (result != MOTE_OK) assert_int_equal(result, MOTE_ERROR_OUT_OF_MEMORY);
        is_told = result != MOTE_OK && strstr(error.text, "of the byte budget; a cell of");
        if (result == MOTE_OK) budget = SIZE_MAX / 2;
        mote_isosurface_destroy(result == MOTE_OK ? isosurface : NULL);
        mote_context_destroy(context);
    }
    CHECK(is_told, "%s", error.text);
}

static mote_result make_both(mote_context *context, void *data)
{
    (void)data;
    float *xyz;
    const size_t count = surface_ball(3, 0.2, (const double[3]){0, 0, 0}, &xyz);
    const float values[8] = {1, -1, 1, 1, -1, 1, 1, 1};
    mote_surface_def def = surface_def();
    def.smooth = 2;
    def.weighted = true;
    def.normals = MOTE_SURFACE_NORMALS_FIELD;
    def.min_particles = 2;
    def.smooth_normals = 1;
    def.cleanup = true;
    mote_surface *surface;
    mote_result result = mote_surface_create(context, &def, &surface, NULL);
    const mote_array array = mote_array_tuples("at", MOTE_ARRAY_F32, xyz, 3);
    mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(xyz, count));
    cloud.arrays = &array;
    cloud.array_count = 1;
    if (result == MOTE_OK) {
        result = mote_surface_update(surface, &cloud, NULL);
        if (result == MOTE_OK) {
            result = mote_surface_update(surface, &cloud, NULL);  // now all threads have what one of them needed
            const uint64_t allocations = mote_context_allocation_count(context);
            if (result == MOTE_OK) result = mote_surface_update(surface, &cloud, NULL);
            CHECK(result != MOTE_OK || mote_context_allocation_count(context) == allocations, "allocates once warm");
        }
        mote_surface_destroy(surface);
    }
    free(xyz);
    mote_isosurface_def grid = mote_isosurface_default_def();
    for (int k = 0; k < 3; ++k) grid.size[k] = 2;
    grid.values = values;
    mote_isosurface *isosurface;
    if (result == MOTE_OK) {
        result = mote_isosurface_create(context, &grid, &isosurface, NULL);
        mote_isosurface_destroy(result == MOTE_OK ? isosurface : NULL);
    }
    return result;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    test_failing_allocations(make_both, NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_signs_around_an_edge),
        cmocka_unit_test(no_triangles_of_a_cube_cross),
        cmocka_unit_test(fields_of_few_values),
        cmocka_unit_test(errors_fall_by_four),
        cmocka_unit_test(areas_of_a_gyroid_converge),
        cmocka_unit_test(borders_are_closed_or_open),
        cmocka_unit_test(values_and_a_function_have_the_same_mesh),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(a_budget_refuses_a_mesh),
        cmocka_unit_test(memory_may_run_out),
    };
    RUN_TESTS(tests, argc, argv);
}
