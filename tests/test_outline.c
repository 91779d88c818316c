// SPDX-License-Identifier: MIT
// Outlines in the plane: areas, closed loops for every pattern of nodes, the same bits, planes that cut, bad input.

#include "mote/surface.h"
#include "support/test.h"

static mote_outline *outline_of(mote_context *context, const mote_surface_def *def, const mote_surface_cloud *cloud)
{
    mote_outline *outline = NULL;
    mote_error error = {0};
    CHECK(mote_outline_create(context, def, cloud, &outline, &error) == MOTE_OK, "%s", error.text);
    CHECK(mote_outline_validate(outline, &error) == MOTE_OK, "%s", error.text);
    return outline;
}

static mote_surface_def outline_def(void)
{
    mote_surface_def def = mote_surface_default_def();
    def.spacing = 1;
    return def;
}

// Loops, found by going from segment to segment.
static size_t count_loops(const mote_outline_view *view)
{
    bool *seen = calloc(view->segment_count + 1, sizeof *seen);
    size_t count = 0;
    for (uint32_t first = 0; first < view->segment_count; ++first) {
        if (seen[first]) continue;
        ++count;
        for (uint32_t v = first; !seen[v]; v = view->segments[2 * v + 1]) seen[v] = true;
    }
    free(seen);
    return count;
}

// A disc of a square lattice, its particles moved by at most `jitter`; without those nearer to the centre than `hole`.
static size_t disc(double radius, double hole, double jitter, float x0, float y0, float **xy)
{
    const int reach = (int)radius + 1;
    float *points = malloc(sizeof(float[2]) * (size_t)((2 * reach + 1) * (2 * reach + 1)));
    mote_random random = {17};
    size_t count = 0;
    for (int y = -reach; y <= reach; ++y)
        for (int x = -reach; x <= reach; ++x) {
            const double r = sqrt((x + 0.5) * (x + 0.5) + (y + 0.5) * (y + 0.5));
            if (r > radius || r < hole) continue;
            points[2 * count] = x0 + (float)(x + 0.5 + jitter * (2 * mote_random_unit(&random) - 1));
            points[2 * count + 1] = y0 + (float)(y + 0.5 + jitter * (2 * mote_random_unit(&random) - 1));
            ++count;
        }
    *xy = points;
    return count;
}

static void discs_have_the_area_of_their_particles(void **state)
{
    (void)state;
    const double radii[3] = {5, 10, 40}, most[3] = {0.03, 0.015, 0.005}, jitters[2] = {0, 0.3};
    for (int r = 0; r < 3; ++r)
        for (int j = 0; j < 2; ++j) {
            float *xy;
            const size_t count = disc(radii[r], 0, jitters[j], -7, 13, &xy);
            const mote_surface_def def = outline_def();
            const mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xy(xy, count));
            mote_outline *outline = outline_of(NULL, &def, &cloud);
            const mote_outline_view view = mote_outline_get_view(outline);
            const double excess = view.stats.area / (double)count - 1;
            CHECK(fabs(excess) < most[r], "radius %g, jitter %g: area %+g %% off", radii[r], jitters[j], 100 * excess);
            if (j == 0) assert_int_equal(count_loops(&view), 1);
            if (j == 0)
                CHECK(view.stats.length > 0.97 * 6.28319 * radii[r] && view.stats.length < 1.08 * 6.28319 * radii[r],
                      "radius %g: length %g", radii[r], view.stats.length);
            mote_outline_destroy(outline);
            free(xy);
        }
}

static void holes_have_outlines(void **state)
{
    (void)state;
    float *xy;
    const size_t count = disc(12, 6, 0.1, 100, -3, &xy);
    const mote_surface_def def = outline_def();
    const mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xy(xy, count));
    mote_outline *outline = outline_of(NULL, &def, &cloud);
    const mote_outline_view view = mote_outline_get_view(outline);
    assert_int_equal(count_loops(&view), 2);
    assert_true(mote_outline_get_stats(outline).area == view.stats.area);
    CHECK(mote_outline_byte_count(outline) > 0, "no bytes");
    CHECK(fabs(view.stats.area / (double)count - 1) < 0.03, "area %g of %zu particles", view.stats.area, count);
    mote_outline_destroy(outline);
    free(xy);
}

// Particles on nodes whose kernels end at the next node: each pattern of 3 x 3 nodes, which has four squares, the
// ambiguous ones among them. Corners that touch only diagonally are cut off by themselves.
static void all_patterns_are_closed(void **state)
{
    (void)state;
    static const int corners[3][2] = {{3, 5}, {14, 14}, {-1, -2}};  // also where four blocks meet
    mote_surface_def def = outline_def();
    def.cell = def.support = 1;
    def.isovalue = 0.5;
    for (int c = 0; c < 3; ++c)
        for (unsigned pattern = 1; pattern < 512; ++pattern) {
            float xy[18];
            size_t count = 0, parts = 0;
            int part[9];
            for (int k = 0; k < 9; ++k) {
                part[k] = k;
                if (!(pattern >> k & 1)) continue;
                xy[2 * count] = (float)(corners[c][0] + k % 3);
                xy[2 * count++ + 1] = (float)(corners[c][1] + k / 3);
            }
            for (int round = 0; round < 9; ++round)
                for (int k = 0; k < 9; ++k)
                    for (int step = 1; step <= 3; step += 2) {
                        const int other = k + step;
                        if (other > 8 || (step == 1 && k % 3 == 2) || !(pattern >> k & pattern >> other & 1)) continue;
                        part[k] = part[other] = part[k] < part[other] ? part[k] : part[other];
                    }
            for (int k = 0; k < 9; ++k) parts += (pattern >> k & 1) && part[k] == k;
            const mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xy(xy, count));
            mote_outline *outline = outline_of(NULL, &def, &cloud);
            const mote_outline_view view = mote_outline_get_view(outline);
            const bool has_hole = pattern == 0x1EF;  // all but the middle
            const size_t loops = count_loops(&view);
            CHECK(loops == parts + has_hole, "pattern %x: %zu loops of %zu parts",
                  pattern, loops, parts);
            CHECK(view.vertex_count == view.segment_count + count, "pattern %x: %zu vertices", pattern,
                  view.vertex_count);
            mote_outline_destroy(outline);
        }
}

static uint64_t add_bytes(uint64_t sum, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    for (size_t k = 0; k < length; ++k) sum = (sum ^ at[k]) * UINT64_C(0x100000001B3);
    return sum;
}

static uint64_t checksum(uint32_t threads, const float *xy, size_t count)
{
    mote_context_def context_def = mote_context_default_def();
    context_def.thread_count = threads;
    mote_context *context;
    CHECK_OK(mote_context_create(&context_def, &context, NULL));
    const mote_surface_def def = outline_def();
    const mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xy(xy, count));
    mote_outline *outline = outline_of(context, &def, &cloud);
    const mote_outline_view view = mote_outline_get_view(outline);
    uint64_t sum = add_bytes(UINT64_C(0xCBF29CE484222325), view.vertices, view.vertex_count * sizeof *view.vertices);
    sum = add_bytes(sum, view.segments, 2 * view.segment_count * sizeof *view.segments);
    sum = add_bytes(sum, view.triangles, 3 * view.triangle_count * sizeof *view.triangles);
    mote_outline_destroy(outline);
    mote_context_destroy(context);
    return sum;
}

// Random particles, some of them in the same place, drops and a far one.
static void an_outline_has_the_same_bits(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    float *xy = malloc(sizeof(float[2]) * COUNT);
    mote_random random = {9};
    for (size_t i = 0; i < 2 * COUNT; ++i) xy[i] = (float)(80 * mote_random_unit(&random) - 40);
    memcpy(xy + COUNT, xy, sizeof(float[200]));
    xy[7] = 2e6f;
    const uint64_t right = checksum(1, xy, COUNT);
    CHECK(checksum(2, xy, COUNT) == right, "two threads");
    CHECK(checksum(5, xy, COUNT) == right, "five threads");
    for (size_t i = COUNT; i-- > 1;) {
        const size_t j = mote_random_below(&random, (uint32_t)i + 1);
        for (size_t k = 0; k < 2; ++k) {
            const float moved = xy[2 * i + k];
            xy[2 * i + k] = xy[2 * j + k];
            xy[2 * j + k] = moved;
        }
    }
    CHECK(checksum(2, xy, COUNT) == right, "shuffled");
    free(xy);
}

// A square of water in a tank, whose wall particles fill the field.
static void water_is_flush_with_a_tank(void **state)
{
    (void)state;
    enum { SIDE = 20, WALL = 4 };
    float xy[2 * (SIDE + 2 * WALL) * (SIDE + WALL)];
    size_t count = 0, own = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int y = -WALL; y < SIDE; ++y)
            for (int x = -WALL; x < SIDE + WALL; ++x) {
                if ((x >= 0 && y >= 0 && x < SIDE) != (pass == 0)) continue;
                xy[2 * count] = (float)x + 0.7f;
                xy[2 * count++ + 1] = (float)y + 0.7f;
            }
        if (pass == 0) own = count;
    }
    const mote_surface_plane planes[3] = {{{0.2, 0, 0}, {1, 0, 0}}, {{SIDE + 0.2, 0, 0}, {-2, 0, 0}},
                                          {{0, 0.2, 0}, {0, 1, 0}}};
    const mote_surface_def def = outline_def();
    mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xy(xy, own));
    cloud.fill = mote_points_xy(xy + 2 * own, count - own);
    cloud.planes = planes;
    cloud.plane_count = 3;
    mote_outline *outline = outline_of(NULL, &def, &cloud);
    const mote_outline_view view = mote_outline_get_view(outline);
    CHECK(fabs(view.stats.area / (SIDE * SIDE) - 1) < 0.005, "area %g", view.stats.area);
    for (size_t v = 0; v < view.segment_count; ++v) {
        const mote_vec3 at = view.vertices[v];
        const double wall = fmin(fmin(at.x - 0.2, SIDE + 0.2 - at.x), at.y - 0.2);
        CHECK(fabs(wall) < 1e-6 || at.y > SIDE - 1, "a vertex near a wall is %g off", wall);
    }
    mote_outline_destroy(outline);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    const float xy[4] = {0, 0, 1, NAN};
    mote_surface_def def = outline_def();
    mote_outline *outline;
    mote_error error;
    mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xy(xy, 2));
    assert_int_equal(mote_outline_create(NULL, &def, &cloud, &outline, &error), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(error.index, 1);
    cloud = mote_surface_cloud_points(mote_points_xyz(xy, 1));
    assert_int_equal(mote_outline_create(NULL, &def, &cloud, &outline, &error), MOTE_ERROR_UNSUPPORTED);
    const float far[2] = {1e30f, 0};
    cloud = mote_surface_cloud_points(mote_points_xy(far, 1));
    assert_int_equal(mote_outline_create(NULL, &def, &cloud, &outline, &error), MOTE_ERROR_ARGUMENT);
    cloud = mote_surface_cloud_points(mote_points_xy(xy, 0));
    CHECK_OK(mote_outline_create(NULL, &def, &cloud, &outline, &error));
    assert_int_equal(mote_outline_get_view(outline).segment_count, 0);
    mote_outline_destroy(outline);
    double volumes[2] = {1, NAN};
    const float two[4] = {0, 0, 1, 0};
    cloud = mote_surface_cloud_points(mote_points_xy(two, 2));
    cloud.volumes = mote_array_tuples("area", MOTE_ARRAY_F64, volumes, 1);
    assert_int_equal(mote_outline_create(NULL, &def, &cloud, &outline, &error), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(error.index, 1);
    volumes[1] = -1;
    assert_int_equal(mote_outline_create(NULL, &def, &cloud, &outline, &error), MOTE_ERROR_ARGUMENT);
    cloud.volumes.component[0] = NULL;
    assert_int_equal(mote_outline_create(NULL, &def, &cloud, &outline, &error), MOTE_ERROR_ARGUMENT);
    cloud.volumes = (mote_array){0};
    def.isovalue = 1e-50;
    assert_int_equal(mote_outline_create(NULL, &def, &cloud, &outline, &error), MOTE_ERROR_ARGUMENT);
    def = outline_def();
    def.spacing = 0;
    assert_int_equal(mote_outline_create(NULL, &def, &cloud, &outline, &error), MOTE_ERROR_ARGUMENT);
}

static void drops_far_apart_keep_their_area(void **state)
{
    (void)state;
    const mote_surface_def def = outline_def();
    const double xy[4] = {0.125, 0.25, 1e8 + 0.125, 0.7e8 + 0.25};
    mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xy_f64(xy, 1));
    mote_outline *outline;
    CHECK_OK(mote_outline_create(NULL, &def, &cloud, &outline, NULL));
    const double one = mote_outline_get_stats(outline).area;
    mote_outline_destroy(outline);
    cloud.points.count = 2;
    CHECK_OK(mote_outline_create(NULL, &def, &cloud, &outline, NULL));
    CHECK_OK(mote_outline_validate(outline, NULL));
    const double two = mote_outline_get_stats(outline).area;
    CHECK(fabs(two - 2 * one) < 1e-6 * one, "areas of %g and %g", one, two);
    mote_outline_destroy(outline);
}

static mote_result make(mote_context *context, void *data)
{
    (void)data;
    float *xy;
    const size_t count = disc(4, 0, 0.2, 0, 0, &xy);
    const mote_surface_def def = outline_def();
    mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xy(xy, count));
    const mote_surface_plane plane = {{0, 0, 0}, {1, 0, 0}};
    cloud.planes = &plane;
    cloud.plane_count = 1;
    mote_outline *outline;
    mote_result result = mote_outline_create(context, &def, &cloud, &outline, NULL);
    if (result == MOTE_OK) result = mote_outline_validate(outline, NULL);
    mote_outline_destroy(outline);
    free(xy);
    return result;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    test_failing_allocations(make, NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(discs_have_the_area_of_their_particles),
        cmocka_unit_test(holes_have_outlines),
        cmocka_unit_test(all_patterns_are_closed),
        cmocka_unit_test(an_outline_has_the_same_bits),
        cmocka_unit_test(water_is_flush_with_a_tank),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(drops_far_apart_keep_their_area),
        cmocka_unit_test(memory_may_run_out),
    };
    RUN_TESTS(tests, argc, argv);
}
