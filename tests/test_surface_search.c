// SPDX-License-Identifier: MIT
// Surfaces of particles that a neighbour search holds: taken from its cells they have the same mesh, to the bit.

#include "support/surface.h"
#include "support/test.h"

static const double zero[3] = {0, 0, 0};

typedef struct searched_cloud {
    float *xyz, *heat;
    uint8_t *phases;
    size_t count, own;  // the particles behind `own` are of a wall
} searched_cloud;

// A ball without any order, some particles in the same place.
static searched_cloud make_cloud(void)
{
    searched_cloud cloud = {0};
    cloud.count = surface_ball(SLOW_BUILD ? 4 : 7, 0.3, zero, &cloud.xyz);
    cloud.own = cloud.count - cloud.count / 8;
    mote_random random = {5};
    for (size_t i = cloud.count; i-- > 1;) {
        const size_t j = mote_random_below(&random, (uint32_t)i + 1);
        float moved[3];
        memcpy(moved, cloud.xyz + 3 * i, sizeof moved);
        memcpy(cloud.xyz + 3 * i, cloud.xyz + 3 * j, sizeof moved);
        memcpy(cloud.xyz + 3 * j, moved, sizeof moved);
    }
    for (size_t i = 0; i < 9; ++i) memcpy(cloud.xyz + 3 * i, cloud.xyz + 3 * (i + 20), sizeof(float[3]));
    cloud.heat = malloc(cloud.count * sizeof *cloud.heat);
    cloud.phases = malloc(cloud.count);
    for (size_t i = 0; i < cloud.count; ++i) {
        cloud.heat[i] = (float)mote_random_unit(&random);
        cloud.phases[i] = (uint8_t)mote_random_below(&random, 2);
    }
    return cloud;
}

static void release_cloud(searched_cloud *cloud)
{
    free(cloud->xyz);
    free(cloud->heat);
    free(cloud->phases);
}

// A search of the particles: alone, or, with `walls`, as the first of two sets.
static mote_neighbors *search_of(const searched_cloud *cloud, const char *method, double radius, uint32_t features,
                                 bool walls)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = radius;
    def.method = method;
    def.features = features;
    def.skin = features & MOTE_NEIGHBORS_SKIN ? 0.1 : def.skin;
    mote_neighbors *search;
    CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
    const mote_points sets[2] = {mote_points_xyz(cloud->xyz, cloud->own),
                                 mote_points_xyz(cloud->xyz + 3 * cloud->own, cloud->count - cloud->own)};
    CHECK_OK(walls ? mote_neighbors_update_sets(search, sets, 2, NULL, NULL)
                   : mote_neighbors_update(search, sets[0], NULL));
    return search;
}

enum { PARTS = 2 };

// Checksums of both fluids' meshes, and of what is carried to them.
static void sum_up(const searched_cloud *own, const mote_surface_def *def, uint32_t threads, bool has_walls,
                   const mote_neighbors *search, uint64_t sums[PARTS])
{
    mote_context_def context_def = mote_context_default_def();
    context_def.thread_count = threads;
    mote_context *context;
    CHECK_OK(mote_context_create(&context_def, &context, NULL));
    mote_surface *surface;
    CHECK_OK(mote_surface_create(context, def, &surface, NULL));
    mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(own->xyz, own->own));
    const mote_array heat = mote_array_scalars("heat", MOTE_ARRAY_F32, own->heat);
    cloud.arrays = &heat;
    cloud.array_count = 1;
    cloud.phases = mote_array_scalars("phase", MOTE_ARRAY_U8, own->phases);
    if (has_walls) cloud.fill = mote_points_xyz(own->xyz + 3 * own->own, own->count - own->own);
    cloud.search = search;
    mote_error error;
    const mote_result result = mote_surface_update(surface, &cloud, &error);
    CHECK(result == MOTE_OK, "%s", error.text);
    for (int32_t k = 0; k < PARTS; ++k) {
        const mote_surface_view view = mote_surface_get_phase_view(surface, k);
        assert_true(view.triangle_count > 100 && view.array_count == 1);
        sums[k] = surface_checksum(&view);
        for (size_t v = 0; v < view.vertex_count; ++v) {
            uint32_t bits;
            memcpy(&bits, (const float *)view.arrays[0].component[0] + v, sizeof bits);
            sums[k] = sums[k] * 0x9e3779b97f4a7c15u + bits;
        }
    }
    mote_surface_destroy(surface);
    mote_context_destroy(context);
}

static void a_search_changes_no_bit(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double radius;
        uint32_t features;
        bool walls;
    } searches[] = {{"cell_grid", 2, 0, false},  {"cell_grid", 0.3, 0, true},
                    {"cell_grid", 40, 0, false}, {"cell_grid", 2, MOTE_NEIGHBORS_SKIN, false},
                    {"auto", 2, 0, true},        {"kd_tree", 2, 0, false},
                    {"all_pairs", 2, 0, false},  {"cell_grid", 2, MOTE_NEIGHBORS_SUBSET, true}};
    static const double cells[] = {0.75, 0.5, 0.25};
    searched_cloud cloud = make_cloud();
    for (int walls = 0; walls < 2; ++walls)
        for (int c = 0; c < (test_is_long() ? 3 : 2); ++c) {
            mote_surface_def def = surface_def();
            def.cell = cells[c];
            uint64_t right[PARTS], sums[PARTS];
            sum_up(&cloud, &def, 1, walls, NULL, right);
            for (size_t s = 0; s < sizeof searches / sizeof *searches; ++s) {
                if (searches[s].walls != walls && s % 3 != 0) continue;
                mote_neighbors *search =
                    search_of(&cloud, searches[s].method, searches[s].radius, searches[s].features, searches[s].walls);
                sum_up(&cloud, &def, s % 2 ? 5 : 1, walls, search, sums);
                CHECK(memcmp(sums, right, sizeof sums) == 0, "search %zu, cell %g, walls %d", s, cells[c], walls);
                mote_neighbors_destroy(search);
            }
        }
    release_cloud(&cloud);
}

// Keys are sorted where particles are far apart, else chunks are counted: the ball has the same mesh.
static void both_sorts_have_the_same_mesh(void **state)
{
    (void)state;
    searched_cloud cloud = make_cloud();
    float *last = cloud.xyz + 3 * (cloud.own - 1);
    const mote_surface_def def = surface_def();
    mote_surface *near = surface_of(NULL, &def, cloud.xyz, cloud.own - 1);
    for (int k = 0; k < 3; ++k) last[k] = 1e6f;
    mote_surface *both = surface_of(NULL, &def, cloud.xyz, cloud.own);
    mote_neighbors *search = search_of(&cloud, "cell_grid", 2, 0, false);
    mote_surface_cloud searched = mote_surface_cloud_points(mote_points_xyz(cloud.xyz, cloud.own));
    searched.search = search;
    const mote_surface_view a = mote_surface_get_view(near), b = mote_surface_get_view(both);
    const uint64_t right = surface_checksum(&b);
    assert_true(a.vertex_count > 100 && a.vertex_count < b.vertex_count);
    assert_memory_equal(a.vertices, b.vertices, a.vertex_count * sizeof *a.vertices);
    assert_memory_equal(a.triangles, b.triangles, 3 * a.triangle_count * sizeof *a.triangles);
    CHECK_OK(mote_surface_update(both, &searched, NULL));
    const mote_surface_view again = mote_surface_get_view(both);
    assert_true(surface_checksum(&again) == right);
    mote_surface_destroy(near);
    mote_surface_destroy(both);
    mote_neighbors_destroy(search);
    release_cloud(&cloud);
}

// Points in double are not those of the search, which are rounded.
static void a_search_changes_no_bit_of_doubles(void **state)
{
    (void)state;
    searched_cloud cloud = make_cloud();
    mote_neighbors *search = search_of(&cloud, "cell_grid", 2, 0, false);
    const mote_surface_def def = surface_def();
    mote_surface *surface = surface_of(NULL, &def, cloud.xyz, cloud.own);
    mote_surface_view view = mote_surface_get_view(surface);
    const uint64_t rounded = surface_checksum(&view);
    double *fine = malloc(3 * cloud.own * sizeof *fine);
    for (size_t i = 0; i < 3 * cloud.own; ++i) fine[i] = (double)cloud.xyz[i] * (1 + 0x1p-26);  // a quarter of a bit
    mote_surface_cloud doubles = mote_surface_cloud_points(mote_points_xyz_f64(fine, cloud.own));
    CHECK_OK(mote_surface_update(surface, &doubles, NULL));
    view = mote_surface_get_view(surface);
    const uint64_t right = surface_checksum(&view);
    assert_true(right != rounded);
    doubles.search = search;
    CHECK_OK(mote_surface_update(surface, &doubles, NULL));
    view = mote_surface_get_view(surface);
    assert_true(surface_checksum(&view) == right);
    free(fine);
    mote_neighbors_destroy(search);
    mote_surface_destroy(surface);
    release_cloud(&cloud);
}

static void other_searches_are_refused(void **state)
{
    (void)state;
    searched_cloud cloud = make_cloud();
    mote_neighbors *search = search_of(&cloud, "cell_grid", 2, 0, false);
    const mote_surface_def def = surface_def();
    mote_surface *surface = surface_of(NULL, &def, NULL, 0);
    mote_surface_cloud searched = mote_surface_cloud_points(mote_points_xyz(cloud.xyz, cloud.own - 1));
    searched.search = search;
    mote_error error;
    assert_int_equal(mote_surface_update(surface, &searched, &error), MOTE_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "the search holds"));
    searched.points.count = cloud.own;
    CHECK_OK(mote_surface_update(surface, &searched, NULL));
    for (size_t i = 0; i < 3 * cloud.own; i += 40) {  // a single coordinate of a single point
        const float kept = cloud.xyz[i];
        cloud.xyz[i] += 0.001f;
        assert_int_equal(mote_surface_update(surface, &searched, &error), MOTE_ERROR_ARGUMENT);
        assert_non_null(strstr(error.text, "expected the cloud's"));
        assert_int_equal(error.index, i / 3);
        if (i + 40 < 3 * cloud.own) cloud.xyz[i] = kept;
    }
    CHECK_OK(mote_neighbors_update(search, searched.points, NULL));
    CHECK_OK(mote_surface_update(surface, &searched, NULL));
    mote_neighbors_destroy(search);
    // One that holds nothing yet tells nothing.
    mote_neighbors_def empty = mote_neighbors_default_def();
    empty.radius = 2;
    CHECK_OK(mote_neighbors_create(NULL, &empty, &search, NULL));
    searched.search = search;
    CHECK_OK(mote_surface_update(surface, &searched, NULL));
    mote_neighbors_destroy(search);
    mote_surface_destroy(surface);
    release_cloud(&cloud);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_changes_no_bit),
        cmocka_unit_test(a_search_changes_no_bit_of_doubles),
        cmocka_unit_test(both_sorts_have_the_same_mesh),
        cmocka_unit_test(other_searches_are_refused),
    };
    RUN_TESTS(tests, argc, argv);
}
