// SPDX-License-Identifier: MIT
// What becomes of a surface after marching cubes: slivers merged, vertices and normals smoothed, velocities carried.

#include <fenv.h>

#include "mote/mesh.h"
#include "support/surface.h"
#include "support/test.h"

static const double zero[3] = {0, 0, 0}, pi = 3.14159265358979323846;

static mote_vec3 minus(mote_vec3 a, mote_vec3 b)
{
    return (mote_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(mote_vec3 a, mote_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static mote_vec3 cross(mote_vec3 a, mote_vec3 b)
{
    return (mote_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double length(mote_vec3 a)
{
    return sqrt(dot(a, a));
}

// --------------------------------------------------------------------------------------------------------- slivers

// Of the least angles of all triangles: their mean [degrees], and the part of those below 10 degrees.
static double least_angle(const mote_surface_view *view, double *narrow)
{
    double sum = 0;
    size_t below = 0;
    for (size_t t = 0; t < view->triangle_count; ++t) {
        double least = 180;
        for (size_t k = 0; k < 3; ++k) {
            const mote_vec3 at = view->vertices[view->triangles[3 * t + k]];
            const mote_vec3 a = minus(view->vertices[view->triangles[3 * t + (k + 1) % 3]], at);
            const mote_vec3 b = minus(view->vertices[view->triangles[3 * t + (k + 2) % 3]], at);
            least = fmin(least, atan2(length(cross(a, b)), dot(a, b)) * 180 / pi);
        }
        sum += least;
        below += least < 10;
    }
    *narrow = (double)below / (double)view->triangle_count;
    return sum / (double)view->triangle_count;
}

// The mesh of a cloud with slivers and without, each examined.
static void compare_cleaned(const mote_surface_cloud *cloud, const char *what, double most_left, double least_gain)
{
    mote_surface_def def = surface_def();
    mote_surface *plain, *clean;
    CHECK_OK(mote_surface_create(NULL, &def, &plain, NULL));
    CHECK_OK(mote_surface_update(plain, cloud, NULL));
    def.cleanup = true;
    CHECK_OK(mote_surface_create(NULL, &def, &clean, NULL));
    CHECK_OK(mote_surface_update(clean, cloud, NULL));
    CHECK_OK(mote_surface_validate(clean, NULL));
    const mote_surface_view a = mote_surface_get_view(plain), b = mote_surface_get_view(clean);
    surface_check_manifold(&b, what);
    double narrow_a, narrow_b;
    const double angle_a = least_angle(&a, &narrow_a), angle_b = least_angle(&b, &narrow_b);
    const double change = b.stats.volume / a.stats.volume - 1;
    const double left = (double)b.triangle_count / (double)a.triangle_count;
    const uint64_t crossings = surface_count_crossings(&b);
    CHECK(fabs(change) < 0.002, "%s: volume %+g %%", what, 100 * change);
    CHECK(left < most_left, "%s: %g of the triangles are left", what, left);
    CHECK(angle_b > least_gain * angle_a, "%s: least angles of %g degrees in the mean, from %g", what, angle_b,
          angle_a);
    CHECK(narrow_b < 0.1 * narrow_a, "%s: %g of triangles are narrow, of %g", what, narrow_b, narrow_a);
    CHECK(crossings == 0, "%s: %llu pairs of triangles cut through each other", what, (unsigned long long)crossings);
    mote_surface_destroy(plain);
    mote_surface_destroy(clean);
}

static void slivers_are_merged(void **state)
{
    (void)state;
    float *xyz;
    const size_t count = surface_ball(SLOW_BUILD ? 5 : 9, 0.3, (const double[3]){-3.3, 20.1, 0.4}, &xyz);
    mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(xyz, count));
    compare_cleaned(&cloud, "ball", 0.6, 1.3);
    const mote_surface_plane planes[2] = {{{-4.1, 0, 0}, {1, 0, 0}}, {{0, 0, -1.3}, {0, 0, 1}}};
    cloud.planes = planes;
    cloud.plane_count = 2;
    compare_cleaned(&cloud, "ball cut by planes", 0.8, 1.15);  // the planes have few slivers
    free(xyz);
}

static void vertices_stay_on_planes(void **state)
{
    (void)state;
    float *xyz;
    const size_t count = surface_ball(6, 0.3, zero, &xyz);
    const mote_surface_plane planes[2] = {{{-1.1, 0, 0}, {1, 0, 0}}, {{0, 0, -1.3}, {0, 0, 1}}};
    mote_surface_def def = surface_def();
    def.cleanup = true;
    mote_surface *surface;
    CHECK_OK(mote_surface_create(NULL, &def, &surface, NULL));
    mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(xyz, count));
    cloud.planes = planes;
    cloud.plane_count = 2;
    CHECK_OK(mote_surface_update(surface, &cloud, NULL));
    const mote_surface_view view = mote_surface_get_view(surface);
    size_t on_x = 0, on_z = 0;
    for (size_t v = 0; v < view.vertex_count; ++v) {
        const double x = view.vertices[v].x + 1.1, z = view.vertices[v].z + 1.3;
        CHECK(x > -1e-6 && z > -1e-6, "vertex %zu is %g beyond a plane", v, fmin(x, z));
        on_x += x < 1e-6;
        on_z += z < 1e-6;
    }
    CHECK(on_x > 100 && on_z > 100, "%zu and %zu vertices are on the planes", on_x, on_z);
    mote_surface_destroy(surface);
    free(xyz);
}

// Random particles, among them some at the same place: sheets, drops and bridges of one particle.
static void cleaned_clouds_stay_closed(void **state)
{
    (void)state;
    const bool is_long = getenv("MOTE_LONG_TESTS") != NULL;
    const size_t count = is_long ? 30000 : SLOW_BUILD ? 300 : 3000;
    float *xyz = malloc(3 * count * sizeof *xyz);
    for (uint64_t seed = 0; seed < (is_long ? 6 : 3); ++seed) {
        mote_random random = {seed + 40};
        const float size = (float)((seed % 3 == 0 ? 1.2 : 2) * cbrt((double)count));
        for (size_t i = 0; i < 3 * count; ++i) xyz[i] = size * (float)mote_random_unit(&random);
        if (seed % 3 == 2)
            for (size_t i = 0; i < count / 2; ++i) memcpy(xyz + 3 * (count - 1 - i), xyz + 3 * i, 3 * sizeof *xyz);
        mote_surface_def def = surface_def();
        def.cleanup = true;
        def.cell = seed % 2 ? 0.5 : 0.7;
        uint64_t sums[2];
        for (uint32_t k = 0; k < 2; ++k) {
            mote_context_def context_def = mote_context_default_def();
            context_def.thread_count = k ? 5 : 1;
            mote_context *context;
            CHECK_OK(mote_context_create(&context_def, &context, NULL));
            mote_surface *surface = surface_of(context, &def, xyz, count);
            const mote_surface_view view = mote_surface_get_view(surface);
            if (k == 0) surface_check_manifold(&view, "random cloud");
            sums[k] = surface_checksum(&view);
            mote_surface_destroy(surface);
            mote_context_destroy(context);
        }
        CHECK(sums[0] == sums[1], "seed %llu: other bits with five threads", (unsigned long long)seed);
    }
    free(xyz);
}

// -------------------------------------------------------------------------------------------------------- smoothing

// A slab of jittered particles.
static size_t fill_slab(int width, int height, float **xyz)
{
    float *points = malloc(sizeof(float[3]) * (size_t)(width * width * height));
    mote_random random = {11};
    size_t count = 0;
    for (int z = 0; z < height; ++z)
        for (int y = 0; y < width; ++y)
            for (int x = 0; x < width; ++x, ++count) {
                const int at[3] = {x, y, z};
                for (int k = 0; k < 3; ++k)
                    points[3 * count + (size_t)k] = (float)(at[k] + 0.3 * (2 * mote_random_unit(&random) - 1));
            }
    *xyz = points;
    return count;
}

// The root mean square of the mean curvature of the upper side, a margin away from its rim: of each edge the length
// times the angle between its triangles, shared by its ends.
static double curvature_of(const mote_surface_view *view, double low, double high, double least_z)
{
    const size_t v = view->vertex_count, t = view->triangle_count;
    double *bend = calloc(v, sizeof *bend), *area = calloc(v, sizeof *area);
    // Each half-edge finds its other half by the vertex that it begins at.
    uint32_t *head = malloc(v * sizeof *head), *next = malloc(3 * t * sizeof *next);
    for (size_t k = 0; k < v; ++k) head[k] = UINT32_MAX;
    for (uint32_t k = 0; k < 3 * t; ++k) next[k] = head[view->triangles[k]], head[view->triangles[k]] = k;
    for (uint32_t k = 0; k < 3 * t; ++k) {
        const uint32_t *own = view->triangles + k / 3 * 3, from = own[k % 3], to = own[(k + 1) % 3];
        const mote_vec3 a = view->vertices[own[0]], b = view->vertices[own[1]], c = view->vertices[own[2]];
        const mote_vec3 n = cross(minus(b, a), minus(c, a));
        area[from] += length(n) / 6;
        if (from > to) continue;
        uint32_t other = head[to];
        while (view->triangles[other / 3 * 3 + (other + 1) % 3] != from) other = next[other];
        const uint32_t *far = view->triangles + other / 3 * 3;
        const mote_vec3 d = view->vertices[far[0]], e = view->vertices[far[1]], f = view->vertices[far[2]];
        const mote_vec3 m = cross(minus(e, d), minus(f, d)), edge = minus(view->vertices[to], view->vertices[from]);
        const double angle = atan2(dot(cross(n, m), edge) / length(edge), dot(n, m));
        bend[from] += angle * length(edge) / 4;
        bend[to] += angle * length(edge) / 4;
    }
    double sum = 0, all = 0;
    for (size_t k = 0; k < v; ++k) {
        const mote_vec3 at = view->vertices[k];
        if (at.z < least_z || at.x < low || at.x > high || at.y < low || at.y > high) continue;
        sum += bend[k] * bend[k] / area[k];
        all += area[k];
    }
    free(bend), free(area), free(head), free(next);
    return sqrt(sum / all);
}

// The mean distance of the upper side from the lower one, a margin away from the rim.
static double thickness_of(const mote_surface_view *view, double low, double high)
{
    double sum[2] = {0, 0}, area[2] = {0, 0};
    for (size_t t = 0; t < view->triangle_count; ++t) {
        const mote_vec3 a = view->vertices[view->triangles[3 * t]], b = view->vertices[view->triangles[3 * t + 1]];
        const mote_vec3 c = view->vertices[view->triangles[3 * t + 2]];
        const double x = (a.x + b.x + c.x) / 3, y = (a.y + b.y + c.y) / 3, part = cross(minus(b, a), minus(c, a)).z;
        if (x < low || x > high || y < low || y > high) continue;
        sum[part > 0] += part * (a.z + b.z + c.z) / 3;
        area[part > 0] += part;
    }
    return sum[1] / area[1] - sum[0] / area[0];
}

// A slab without its rim stands for a surface without end, whose volume is its thickness.
static void smoothing_flattens_waves(void **state)
{
    (void)state;
    enum { WIDTH = SLOW_BUILD ? 16 : 40, HEIGHT = SLOW_BUILD ? 8 : 12 };
    float *xyz;
    const size_t count = fill_slab(WIDTH, HEIGHT, &xyz);
    mote_surface_def def = surface_def();
    mote_surface *rough = surface_of(NULL, &def, xyz, count);
    def.smooth = 25;
    def.weighted = true;
    mote_surface *smooth = surface_of(NULL, &def, xyz, count);
    const mote_surface_view a = mote_surface_get_view(rough), b = mote_surface_get_view(smooth);
    const double change = thickness_of(&b, 3, WIDTH - 4) / thickness_of(&a, 3, WIDTH - 4) - 1;
    const double before = curvature_of(&a, 3, WIDTH - 4, HEIGHT - 3);
    const double after = curvature_of(&b, 3, WIDTH - 4, HEIGHT - 3);
    CHECK(fabs(change) < 0.005, "volume changes by %g %%", 100 * change);
    CHECK(after < before / 3, "mean curvature %g after %g", after, before);
    mote_surface_destroy(rough);
    mote_surface_destroy(smooth);
    free(xyz);
}

static void smoothing_spares_drops(void **state)
{
    (void)state;
    mote_surface_def def = surface_def();
    mote_surface *rough = surface_of(NULL, &def, NULL, 0);
    def.smooth = 25;
    def.weighted = true;
    mote_surface *smooth = surface_of(NULL, &def, NULL, 0);
    mote_random random = {8};
    for (int n = 0; n < 20; ++n) {
        float one[3];
        for (int k = 0; k < 3; ++k) one[k] = (float)(10 * mote_random_unit(&random));
        const mote_surface_cloud drop = mote_surface_cloud_points(mote_points_xyz(one, 1));
        CHECK_OK(mote_surface_update(rough, &drop, NULL));
        CHECK_OK(mote_surface_update(smooth, &drop, NULL));
        const double kept = mote_surface_get_view(smooth).stats.volume / mote_surface_get_view(rough).stats.volume;
        CHECK(fabs(kept - 1) < 0.05, "drop %d keeps %g of its volume", n, kept);
    }
    mote_surface_destroy(rough);
    mote_surface_destroy(smooth);
}

// The mean angle between normals and the directions from the centre of a ball.
static double angle_of_normals(const mote_surface_view *view)
{
    double sum = 0;
    for (size_t v = 0; v < view->vertex_count; ++v) {
        const mote_vec3 n = view->normals[v], at = view->vertices[v];
        CHECK(fabs(length(n) - 1) < 1e-12, "normal %zu has length %g", v, length(n));
        sum += acos(fmin(dot(n, at) / length(at), 1));
    }
    return sum / (double)view->vertex_count;
}

static void normals_are_smoothed(void **state)
{
    (void)state;
    float *xyz;
    const size_t count = surface_ball(8, 0.2, zero, &xyz);
    for (int32_t kind = MOTE_SURFACE_NORMALS_ANGLE; kind <= MOTE_SURFACE_NORMALS_FIELD; ++kind)
        for (int cleanup = 0; cleanup < 2; ++cleanup) {
            mote_surface_def def = surface_def();
            def.normals = kind;
            def.cleanup = cleanup;
            mote_surface *rough = surface_of(NULL, &def, xyz, count);
            def.smooth_normals = 10;
            mote_surface *smooth = surface_of(NULL, &def, xyz, count);
            const mote_surface_view a = mote_surface_get_view(rough), b = mote_surface_get_view(smooth);
            mote_surface_view bare[2] = {a, b};
            bare[0].normals = bare[1].normals = NULL;
            assert_true(surface_checksum(&bare[0]) == surface_checksum(&bare[1]));
            const double before = angle_of_normals(&a), after = angle_of_normals(&b);
            CHECK(after < 0.6 * before, "normals of kind %d: %g rad off, after smoothing %g", kind, before, after);
            mote_surface_destroy(rough);
            mote_surface_destroy(smooth);
        }
    free(xyz);
}

// A host that traps them must not die of places in the last batch of triangles that no triangle fills.
static void normals_raise_no_exceptions(void **state)
{
    (void)state;
#if defined(FE_INVALID) && defined(FE_DIVBYZERO)  // WebAssembly has none
    for (mote_simd simd = MOTE_SIMD_PLAIN; simd <= MOTE_SIMD_128; ++simd) {
        mote_context_def context_def = mote_context_default_def();
        context_def.thread_count = 1;
        context_def.simd = simd;
        mote_context *context;
        if (mote_context_create(&context_def, &context, NULL) != MOTE_OK) continue;
        mote_surface_def def = surface_def();
        def.cell = def.spacing;
        def.normals = MOTE_SURFACE_NORMALS_ANGLE;
        const float xyz[3] = {0, 0, 0};
        feclearexcept(FE_ALL_EXCEPT);
        mote_surface *surface = surface_of(context, &def, xyz, 1);
        const int raised = fetestexcept(FE_INVALID | FE_DIVBYZERO);
        CHECK(raised == 0, "%s: %s%s", mote_simd_name(simd), raised & FE_INVALID ? "invalid " : "",
              raised & FE_DIVBYZERO ? "division by zero" : "");
        assert_true(mote_surface_get_view(surface).triangle_count > 0);
        mote_surface_destroy(surface);
        mote_context_destroy(context);
    }
#endif
}

// ----------------------------------------------------------------------------------------------------------- arrays

// A ball turns about an axis through a far point, so that the mean of the velocities near a vertex may be off by half
// a spacing's part of them.
static void a_rotation_is_carried_over(void **state)
{
    (void)state;
    const mote_vec3 omega = {0.3, -0.2, 1.1};
    const double center[3] = {120, -40, 30};
    float *xyz;
    const size_t count = surface_ball(SLOW_BUILD ? 5 : 10, 0.2, center, &xyz);
    float *velocity = malloc(3 * count * sizeof *velocity);
    for (size_t i = 0; i < count; ++i) {
        const mote_vec3 at = {(double)xyz[3 * i], (double)xyz[3 * i + 1], (double)xyz[3 * i + 2]};
        const mote_vec3 v = cross(omega, at);
        velocity[3 * i] = (float)v.x, velocity[3 * i + 1] = (float)v.y, velocity[3 * i + 2] = (float)v.z;
    }
    const mote_array array = mote_array_tuples("velocity", MOTE_ARRAY_F32, velocity, 3);
    const mote_surface_def def = surface_def();
    mote_surface *surface;
    CHECK_OK(mote_surface_create(NULL, &def, &surface, NULL));
    mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(xyz, count));
    cloud.arrays = &array;
    cloud.array_count = 1;
    CHECK_OK(mote_surface_update(surface, &cloud, NULL));
    const mote_surface_view view = mote_surface_get_view(surface);
    const float *carried = view.arrays[0].component[0];
    double most = 0;
    for (size_t v = 0; v < view.vertex_count; ++v) {
        const mote_vec3 right = cross(omega, view.vertices[v]);
        const mote_vec3 got = {(double)carried[3 * v], (double)carried[3 * v + 1], (double)carried[3 * v + 2]};
        most = fmax(most, length(minus(got, right)) / length(right));
    }
    CHECK(most < 0.01, "a velocity is %g %% off", 100 * most);
    mote_surface_destroy(surface);
    free(velocity);
    free(xyz);
}

// Particles at the same place that differ: the mesh and its arrays do not depend on which one comes first.
static void coincident_particles_may_be_swapped(void **state)
{
    (void)state;
    enum { COUNT = 40, TWICE = 2 * COUNT };
    float xyz[TWICE][3], heat[2][TWICE];
    double volumes[2][TWICE];
    uint8_t phases[2][TWICE];
    mote_random random = {11};
    for (size_t i = 0; i < TWICE; ++i) {
        const size_t other = (i + COUNT) % TWICE;
        for (int k = 0; k < 3; ++k) xyz[i][k] = i < COUNT ? (float)mote_random_below(&random, 4) : xyz[other][k];
        heat[0][i] = heat[1][other] = (float)mote_random_unit(&random);
        volumes[0][i] = volumes[1][other] = mote_random_unit(&random);
        phases[0][i] = phases[1][other] = i < COUNT;
    }
    for (int kind = 0; kind < 4; ++kind) {
        mote_surface_def def = surface_def();
        def.kernel = kind % 2;
        mote_surface *surfaces[2];
        for (int k = 0; k < 2; ++k) {
            mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(&xyz[0][0], TWICE));
            const mote_array array = mote_array_scalars("heat", MOTE_ARRAY_F32, heat[k]);
            cloud.volumes = mote_array_scalars("volume", MOTE_ARRAY_F64, volumes[k]);
            if (kind > 1) cloud.phases = mote_array_scalars("phase", MOTE_ARRAY_U8, phases[k]);
            cloud.arrays = &array;
            cloud.array_count = 1;
            CHECK_OK(mote_surface_create(NULL, &def, &surfaces[k], NULL));
            CHECK_OK(mote_surface_update(surfaces[k], &cloud, NULL));
        }
        const mote_surface_view one = mote_surface_get_view(surfaces[0]), other = mote_surface_get_view(surfaces[1]);
        CHECK(surface_checksum(&one) == surface_checksum(&other), "meshes differ: %d", kind);
        const size_t bytes = one.vertex_count * sizeof(float);
        CHECK(memcmp(one.arrays[0].component[0], other.arrays[0].component[0], bytes) == 0, "arrays differ: %d", kind);
        for (int k = 0; k < 2; ++k) mote_surface_destroy(surfaces[k]);
    }
}

// Vertices beyond the support of all particles, and of particles without a volume, have the values of the nearest one.
static void no_vertex_lacks_values(void **state)
{
    (void)state;
    const float xyz[6] = {0.1f, 0, 0, 0, 40, 0}, heat[2] = {7, 3};
    const double volumes[2] = {0, 1};
    const mote_array array = mote_array_scalars("heat", MOTE_ARRAY_F32, heat);
    mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(xyz, 2));
    cloud.arrays = &array;
    cloud.array_count = 1;
    for (int k = 0; k < 2; ++k) {
        mote_surface_def def = surface_def();
        if (k == 0) def.cell = 4, def.support = 1;  // the second particle lies on a node, too
        if (k == 1) cloud.volumes = mote_array_scalars("volume", MOTE_ARRAY_F64, volumes);
        mote_surface *surface;
        CHECK_OK(mote_surface_create(NULL, &def, &surface, NULL));
        CHECK_OK(mote_surface_update(surface, &cloud, NULL));
        const mote_surface_view view = mote_surface_get_view(surface);
        const float *at = view.arrays[0].component[0];
        CHECK(view.vertex_count > 0, "no mesh");
        for (size_t v = 0; v < view.vertex_count; ++v)
            CHECK(at[v] == (view.vertices[v].y < 20 ? 7 : 3), "vertex %zu has %g", v, (double)at[v]);
        mote_surface_destroy(surface);
    }
}

// A volume that no float holds counts as a large one.
static void huge_volumes_stay_finite(void **state)
{
    (void)state;
    const float xyz[6] = {0.3f, 0.4f, 0.1f, 1.2f, 0.4f, 0.1f};
    const double volumes[2] = {1e300, 1};
    mote_surface_def def = surface_def();
    def.normals = MOTE_SURFACE_NORMALS_FIELD;
    mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(xyz, 2));
    cloud.volumes = mote_array_scalars("volume", MOTE_ARRAY_F64, volumes);
    mote_surface *surface;
    CHECK_OK(mote_surface_create(NULL, &def, &surface, NULL));
    CHECK_OK(mote_surface_update(surface, &cloud, NULL));
    const mote_surface_view view = mote_surface_get_view(surface);
    CHECK(view.vertex_count > 0, "no mesh");
    for (size_t v = 0; v < view.vertex_count; ++v)
        CHECK(fabs(length(view.normals[v]) - 1) < 1e-12, "normal %zu has length %g", v, length(view.normals[v]));
    mote_surface_destroy(surface);
}

// A plane cuts off the only particle of a drop, not all of the drop. 1 counts what is left, and keeps it.
static void counting_parts_leaves_none_out(void **state)
{
    (void)state;
    const float xyz[3] = {0.2f, 0.1f, 0};
    mote_surface_def def = surface_def();
    def.cell = 0.1;
    const mote_surface_plane plane = {{0.35, 0, 0}, {1, 0, 0}};
    mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(xyz, 1));
    cloud.planes = &plane;
    cloud.plane_count = 1;
    for (def.min_particles = 1; def.min_particles < 3; ++def.min_particles) {
        mote_surface *surface;
        CHECK_OK(mote_surface_create(NULL, &def, &surface, NULL));
        CHECK_OK(mote_surface_update(surface, &cloud, NULL));
        const mote_surface_view view = mote_surface_get_view(surface);
        assert_int_equal(view.stats.parts, 1);
        assert_int_equal(view.stats.outside, 1);
        assert_int_equal(view.stats.left_out_parts, def.min_particles > 1);
        assert_int_equal(view.triangle_count == 0, def.min_particles > 1);
        mote_surface_destroy(surface);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slivers_are_merged),
        cmocka_unit_test(vertices_stay_on_planes),
        cmocka_unit_test(cleaned_clouds_stay_closed),
        cmocka_unit_test(smoothing_flattens_waves),
        cmocka_unit_test(smoothing_spares_drops),
        cmocka_unit_test(normals_are_smoothed),
        cmocka_unit_test(normals_raise_no_exceptions),
        cmocka_unit_test(a_rotation_is_carried_over),
        cmocka_unit_test(coincident_particles_may_be_swapped),
        cmocka_unit_test(no_vertex_lacks_values),
        cmocka_unit_test(huge_volumes_stay_finite),
        cmocka_unit_test(counting_parts_leaves_none_out),
    };
    RUN_TESTS(tests, argc, argv);
}
