// SPDX-License-Identifier: MIT
// Triangles and edges rasterised into the cells of points: pairs against brute force in long double, over inputs that
// are meant to break it.

#include "base/tested.h"
#include "mote/raster.h"
#include "support/shapes.h"
#include "support/test.h"

typedef long double real;
typedef struct real3 {
    real x, y, z;
} real3;

static real3 real_of(mote_vec3 v)
{
    return (real3){(real)v.x, (real)v.y, (real)v.z};
}

static real3 minus(real3 a, real3 b)
{
    return (real3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static real3 along(real3 a, real3 b, real t)
{
    return (real3){a.x + t * b.x, a.y + t * b.y, a.z + t * b.z};
}

static real dot(real3 a, real3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static real3 cross(real3 a, real3 b)
{
    return (real3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static real to_segment(real3 p, real3 a, real3 b)
{
    const real3 ab = minus(b, a);
    const real length2 = dot(ab, ab);
    real t = length2 > 0 ? dot(minus(p, a), ab) / length2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    const real3 apart = minus(p, along(a, ab, t));
    return sqrtl(dot(apart, apart));
}

static real lesser(real a, real b)
{
    return a < b ? a : b;
}

static real to_triangle(real3 p, const real3 corner[3])
{
    real3 n = cross(minus(corner[1], corner[0]), minus(corner[2], corner[0]));
    real best = lesser(to_segment(p, corner[0], corner[1]),
                       lesser(to_segment(p, corner[1], corner[2]), to_segment(p, corner[2], corner[0])));
    const real length = sqrtl(dot(n, n));
    if (!(length > 0)) return best;
    for (int k = 0; k < 3; ++k)
        if (dot(cross(minus(corner[(k + 1) % 3], corner[k]), minus(p, corner[k])), n) < 0) return best;
    return lesser(best, fabsl(dot(minus(p, corner[0]), n)) / length);
}

static real between_segments(real3 p, real3 q, real3 r, real3 s)
{
    real best =
        lesser(lesser(to_segment(p, r, s), to_segment(q, r, s)), lesser(to_segment(r, p, q), to_segment(s, p, q)));
    const real3 u = minus(q, p), v = minus(s, r), w = minus(p, r);
    const real uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), uw = dot(u, w), vw = dot(v, w), d = uu * vv - uv * uv;
    if (!(d > 0)) return best;
    const real a = (uv * vw - vv * uw) / d, b = (uu * vw - uv * uw) / d;
    if (a < 0 || a > 1 || b < 0 || b > 1) return best;
    const real3 apart = minus(along(p, u, a), along(r, v, b));
    return lesser(best, sqrtl(dot(apart, apart)));
}

// ---------------------------------------------------------------------------------------------------------- scenes

enum { POINTS = SLOW_BUILD ? 120 : 400, TRIANGLES = SLOW_BUILD ? 60 : 200 };

typedef struct scene_kind {
    const char *name;
    double extent, size;  // points in a cube of that edge around the origin, triangles as large as that
    double edge, thickness;
    void (*change)(mote_random *random, double (*points)[3], mote_vec3 *vertices);
} scene_kind;

static double between(mote_random *random, double size)
{
    return (mote_random_unit(random) - 0.5) * size;
}

static void move_off(mote_random *random, double (*points)[3], mote_vec3 *vertices)
{
    (void)random;
    for (size_t i = 0; i < POINTS; ++i) points[i][0] += 1e6, points[i][1] -= 3e6;
    for (size_t i = 0; i < 3 * TRIANGLES; ++i) vertices[i].x += 1e6, vertices[i].y -= 3e6;
}

static double rounded(double x)
{
    return floor(4 * x + 0.5) / 4;
}

static void put_on_faces(mote_random *random, double (*points)[3], mote_vec3 *vertices)
{
    (void)random;
    for (size_t i = 0; i < POINTS; ++i)
        for (int k = 0; k < 3; ++k) points[i][k] = rounded(points[i][k]);
    for (size_t i = 0; i < 3 * TRIANGLES; ++i)
        vertices[i] = mote_vec3_make(rounded(vertices[i].x), rounded(vertices[i].y), rounded(vertices[i].z));
}

static void put_together(mote_random *random, double (*points)[3], mote_vec3 *vertices)
{
    (void)random, (void)vertices;
    for (size_t i = 1; i < POINTS; ++i) memcpy(points[i], points[0], sizeof points[0]);
}

static void flatten(mote_random *random, double (*points)[3], mote_vec3 *vertices)
{
    for (size_t t = 0; t < TRIANGLES; ++t) {
        mote_vec3 *corner = vertices + 3 * t;
        if (t % 4 == 0) corner[1] = corner[0];
        if (t % 4 == 1) corner[1] = corner[2] = corner[0];
        if (t % 4 == 2) corner[2] = mote_vec3_add_scaled(corner[0], mote_vec3_sub(corner[1], corner[0]), 0.3);
        for (int k = 0; k < 3; ++k)
            points[t][k] = (k == 0 ? corner[0].x : k == 1 ? corner[0].y : corner[0].z) + between(random, 0.3);
    }
}

static void make_slivers(mote_random *random, double (*points)[3], mote_vec3 *vertices)
{
    for (size_t t = 0; t < TRIANGLES; ++t) {
        mote_vec3 *corner = vertices + 3 * t;
        const double height = ldexp(1, -(int)mote_random_below(random, 40));
        corner[2] = mote_vec3_add_scaled(corner[0], mote_vec3_sub(corner[1], corner[0]), mote_random_unit(random));
        corner[2].z += height;
        const mote_vec3 at = mote_vec3_add_scaled(corner[0], mote_vec3_sub(corner[2], corner[0]), 0.9);
        points[t][0] = at.x + between(random, 0.2), points[t][1] = at.y + between(random, 0.2), points[t][2] = at.z;
    }
}

static void add_outliers(mote_random *random, double (*points)[3], mote_vec3 *vertices)
{
    for (size_t i = 0; i < 20; ++i) {
        points[i][i % 3] = ldexp(between(random, 4), (int)mote_random_below(random, 120));
        vertices[3 * i + i % 3].y = ldexp(between(random, 4), (int)mote_random_below(random, 120));
    }
    for (size_t i = 20; i < 32; ++i) {  // far off on every side, each a corner of a triangle
        for (size_t k = 0; k < 3; ++k) points[i][k] = k == i % 3 ? ldexp(i % 2 ? 1 : -1, 100) : rounded(points[i][k]);
        vertices[3 * i] = mote_vec3_make(points[i][0], points[i][1], points[i][2]);
        vertices[3 * i + 1] = mote_vec3_add(vertices[3 * i], mote_vec3_make(between(random, 0.1), 0.1, 0));
        vertices[3 * i + 2] = mote_vec3_add(vertices[3 * i], mote_vec3_make(0, between(random, 0.1), 0.1));
    }
}

// Through the points, however far the corners are.
static void aim_at_points(mote_random *random, double (*points)[3], mote_vec3 *vertices)
{
    for (size_t t = 0; t < TRIANGLES; ++t) {
        mote_vec3 *corner = vertices + 3 * t, middle = mote_vec3_add(corner[0], mote_vec3_add(corner[1], corner[2]));
        middle = mote_vec3_scale(middle, 1. / 3);
        middle = mote_vec3_sub(middle, mote_vec3_make(points[t][0], points[t][1], between(random, 2)));
        for (int k = 0; k < 3; ++k) corner[k] = mote_vec3_sub(corner[k], middle);
    }
}

static void shrink_to_nothing(mote_random *random, double (*points)[3], mote_vec3 *vertices)
{
    (void)random, (void)points;
    for (size_t i = 0; i < 3 * TRIANGLES; ++i) vertices[i] = mote_vec3_scale(vertices[i], 0x1p-128);
}

static void mix_sizes(mote_random *random, double (*points)[3], mote_vec3 *vertices)
{
    (void)points;
    for (size_t t = 0; t < TRIANGLES; ++t) {
        const double scale = ldexp(1, (int)mote_random_below(random, 30) - 15);
        for (int k = 1; k < 3; ++k)
            vertices[3 * t + (size_t)k] = mote_vec3_add_scaled(
                vertices[3 * t], mote_vec3_sub(vertices[3 * t + (size_t)k], vertices[3 * t]), scale);
    }
}

static const scene_kind scenes[] = {
    {"even", 4, 1, 0.5, 0.1, NULL},
    {"fine cells", 4, 1, 0.01, 0.1, NULL},
    {"coarse cells", 4, 1, 100, 0.1, NULL},
    {"thin", 1, 1, 0.2, 0, NULL},
    {"thick", 4, 1, 0.3, 2, NULL},
    {"thicker than all", 4, 1, 0.3, 1e10, NULL},
    {"far off", 4, 1, 0.5, 0.2, move_off},
    {"on cells' faces", 4, 2, 0.5 / (1 + 0x1p-18), 0.25, put_on_faces},
    {"one place", 1, 1, 0.1, 0.3, put_together},
    {"degenerate", 4, 1, 0.5, 0.2, flatten},
    {"slivers", 4, 3, 0.3, 0.05, make_slivers},
    {"huge triangles", 2, 1e9, 0.1, 0.3, aim_at_points},
    {"tiny triangles", 2, 1e-9, 0.1, 0.3, NULL},
    {"all sizes", 2, 1, 0.1, 0.1, mix_sizes},
    {"outliers", 4, 1, 0.3, 0.2, add_outliers},
    {"large numbers", 4e30, 1e30, 4e29, 1e29, NULL},
    {"small numbers", 4e-25, 1e-25, 4e-26, 1e-26, NULL},
    {"least numbers", 4e-40, 1e-40, 1e-41, 1e-40, shrink_to_nothing},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

typedef struct made_scene {
    double points[POINTS][3];
    float points_f32[POINTS][4];
    mote_vec3 vertices[3 * TRIANGLES];
    uint32_t triangles[3 * TRIANGLES];
    mote_mesh mesh;
} made_scene;

// Points are floats, so that both types of them are the same set.
static made_scene *make_scene(const scene_kind *scene, uint64_t seed)
{
    made_scene *made = calloc(1, sizeof *made);
    assert_non_null(made);
    mote_random random = {seed};
    for (size_t i = 0; i < POINTS; ++i)
        for (int k = 0; k < 3; ++k) made->points[i][k] = between(&random, scene->extent);
    for (size_t t = 0; t < TRIANGLES; ++t) {
        const mote_vec3 at = {between(&random, scene->extent), between(&random, scene->extent),
                              between(&random, scene->extent)};
        for (size_t k = 0; k < 3; ++k)
            made->vertices[3 * t + k] =
                mote_vec3_add(at, mote_vec3_make(between(&random, scene->size), between(&random, scene->size),
                                                 between(&random, scene->size)));
    }
    if (scene->change) scene->change(&random, made->points, made->vertices);
    for (size_t i = 0; i < POINTS; ++i)
        for (int k = 0; k < 3; ++k) made->points[i][k] = made->points_f32[i][k] = (float)made->points[i][k];
    for (uint32_t i = 0; i < 3 * TRIANGLES; ++i) made->triangles[i] = i;
    made->mesh = (mote_mesh){made->vertices, made->triangles, 3 * TRIANGLES, TRIANGLES, NULL};
    return made;
}

static mote_points points_of(const made_scene *made, mote_scalar scalar)
{
    if (scalar == MOTE_F64) return mote_points_xyz_f64(&made->points[0][0], POINTS);
    mote_points points = mote_points_xyz(&made->points_f32[0][0], POINTS);
    points.stride = sizeof made->points_f32[0];
    return points;
}

static mote_raster *make_raster(mote_context *context, double edge)
{
    mote_raster *raster = NULL;
    mote_error error = {0};
    CHECK(mote_raster_create(context, edge, &raster, &error) == MOTE_OK, "%s", error.text);
    return raster;
}

static bool has_pair(const mote_raster_pairs *pairs, uint32_t first, uint32_t second)
{
    size_t low = 0, high = pairs->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const mote_raster_pair pair = pairs->pairs[middle];
        if (pair.first < first || (pair.first == first && pair.second < second))
            low = middle + 1;
        else
            high = middle;
    }
    return low < pairs->count && pairs->pairs[low].first == first && pairs->pairs[low].second == second;
}

static void check_ascending(const char *name, const mote_raster_pairs *pairs)
{
    for (size_t k = 1; k < pairs->count; ++k) {
        const mote_raster_pair a = pairs->pairs[k - 1], b = pairs->pairs[k];
        CHECK(a.first < b.first || (a.first == b.first && a.second < b.second), "%s: pair %zu", name, k);
    }
}

static void check_same(const char *name, const mote_raster_pairs *a, const mote_raster_pairs *b)
{
    CHECK(a->count == b->count, "%s: %zu and %zu pairs", name, a->count, b->count);
    for (size_t k = 0; k < a->count; ++k)
        CHECK(a->pairs[k].first == b->pairs[k].first && a->pairs[k].second == b->pairs[k].second,
              "%s: pair %zu is %u %u and %u %u", name, k, a->pairs[k].first, a->pairs[k].second, b->pairs[k].first,
              b->pairs[k].second);
}

// How far the distance in double may be off: not at all at a corner.
static real tolerance_of(real3 p, const real3 corner[3])
{
    for (int k = 0; k < 3; ++k)
        if (p.x == corner[k].x && p.y == corner[k].y && p.z == corner[k].z) return 0;
    real most = fabsl(p.x) + fabsl(p.y) + fabsl(p.z), longest = 0;
    for (int k = 0; k < 3; ++k) {
        const real3 side = minus(corner[(k + 1) % 3], corner[k]);
        longest = dot(side, side) > longest ? dot(side, side) : longest;
        most += fabsl(corner[k].x) + fabsl(corner[k].y) + fabsl(corner[k].z);
    }
    const real3 n = cross(minus(corner[1], corner[0]), minus(corner[2], corner[0]));
    const real area = sqrtl(dot(n, n)), thin = area > 0 ? lesser(longest / area, 0x1p37L) : 1;
    return most * 0x1p-48L * (1 + thin);
}

static void check_triangles(const scene_kind *scene, const made_scene *made, const mote_raster_pairs *pairs)
{
    size_t within = 0;
    for (uint32_t t = 0; t < TRIANGLES; ++t) {
        const real3 corner[3] = {real_of(made->vertices[3 * t]), real_of(made->vertices[3 * t + 1]),
                                 real_of(made->vertices[3 * t + 2])};
        for (uint32_t i = 0; i < POINTS; ++i) {
            const real3 p = {(real)made->points[i][0], (real)made->points[i][1], (real)made->points[i][2]};
            const real distance = to_triangle(p, corner), tolerance = tolerance_of(p, corner);
            const bool is_pair = has_pair(pairs, t, i);
            within += is_pair;
            if (distance < (real)scene->thickness - tolerance)
                CHECK(is_pair, "%s: point %u is %Lg from triangle %u", scene->name, i, distance, t);
            if (distance > (real)scene->thickness + tolerance)
                CHECK(!is_pair, "%s: point %u is %Lg from triangle %u", scene->name, i, distance, t);
        }
    }
    CHECK(within == pairs->count, "%s: %zu of %zu pairs", scene->name, within, pairs->count);
    if (scene->thickness > 0) CHECK(within > 0, "%s: no pairs", scene->name);
}

static void triangles_meet_what_is_near(void **state)
{
    (void)state;
    for (size_t s = 0; s < 2 * SCENES; ++s) {
        const scene_kind *scene = scenes + s / 2;
        made_scene *made = make_scene(scene, 100 + s);
        mote_raster *raster = make_raster(NULL, scene->edge);
        mote_raster_query query = mote_raster_query_default();
        query.thickness = scene->thickness;
        mote_raster_pairs pairs = {0}, more = {0};
        CHECK_OK(mote_raster_update(raster, points_of(made, s % 2 ? MOTE_F64 : MOTE_F32), NULL));
        CHECK_OK(mote_raster_validate(raster, NULL));
        CHECK_OK(mote_raster_triangles(raster, &made->mesh, &query, &pairs, NULL));
        check_ascending(scene->name, &pairs);
        check_triangles(scene, made, &pairs);
        query.candidates = true;
        CHECK_OK(mote_raster_triangles(raster, &made->mesh, &query, &more, NULL));
        check_ascending(scene->name, &more);
        for (size_t k = 0; k < pairs.count; ++k)
            CHECK(has_pair(&more, pairs.pairs[k].first, pairs.pairs[k].second), "%s: %zu", scene->name, k);
        mote_raster_pairs_release(&pairs);
        mote_raster_pairs_release(&more);
        mote_raster_destroy(raster);
        free(made);
    }
}

static void cells_change_no_pair(void **state)
{
    (void)state;
    for (size_t s = 0; s < SCENES; ++s) {
        made_scene *made = make_scene(scenes + s, 200 + s);
        mote_raster_query query = mote_raster_query_default();
        query.thickness = scenes[s].thickness;
        mote_raster_pairs first = {0}, pairs = {0};
        for (int e = -12; e <= 12; e += 3) {
            mote_raster *raster = make_raster(NULL, ldexp(scenes[s].edge, e));
            CHECK_OK(mote_raster_update(raster, points_of(made, MOTE_F64), NULL));
            CHECK_OK(mote_raster_triangles(raster, &made->mesh, &query, e == -12 ? &first : &pairs, NULL));
            if (e > -12) check_same(scenes[s].name, &first, &pairs);
            mote_raster_destroy(raster);
        }
        mote_raster_pairs_release(&first);
        mote_raster_pairs_release(&pairs);
        free(made);
    }
}

// The scan line may skip pairs, but finds none that there are not, and no triangle leads it out of its memory: those
// far off, whose corners rounding moves by a share of a cell, neither.
static void the_scan_line_finds_no_other_pair(void **state)
{
    (void)state;
    uint64_t found = 0;
    for (size_t s = 0; s < SCENES + 20; ++s) {
        const bool is_far = s >= SCENES;
        made_scene *made = make_scene(is_far ? scenes : scenes + s, 500 + s);
        const double off = is_far ? ldexp(1, 32 + (int)(s - SCENES)) : 0;
        for (size_t i = 0; i < POINTS; ++i) made->points[i][0] += off, made->points[i][2] += off;
        for (size_t i = 0; i < 3 * TRIANGLES; ++i) made->vertices[i].x += off, made->vertices[i].z += off;
        mote_raster_query query = mote_raster_query_default();
        query.thickness = is_far ? scenes[0].thickness : scenes[s].thickness;
        mote_raster_pairs all = {0}, pairs = {0};
        mote_raster *raster = make_raster(NULL, is_far ? scenes[0].edge : scenes[s].edge);
        CHECK_OK(mote_raster_update(raster, points_of(made, MOTE_F64), NULL));
        CHECK_OK(mote_raster_triangles(raster, &made->mesh, &query, &all, NULL));
        query.scan_line = true;
        const mote_result result = mote_raster_triangles(raster, &made->mesh, &query, &pairs, NULL);
        CHECK(result == MOTE_OK || result == MOTE_ERROR_UNSUPPORTED, "%s", mote_result_name(result));
        found += pairs.count;
        for (size_t k = 0; k < pairs.count; ++k)
            CHECK(has_pair(&all, pairs.pairs[k].first, pairs.pairs[k].second), "scene %zu, pair %zu", s, k);
        mote_raster_pairs_release(&all);
        mote_raster_pairs_release(&pairs);
        mote_raster_destroy(raster);
        free(made);
    }
    CHECK(found > (SLOW_BUILD ? 100 : 1000), "only %llu pairs", (unsigned long long)found);
}

// ---------------------------------------------------------------------------------------------------------- bounds

// Points put within the thickness of a triangle each, most of them just so.
static void no_point_within_the_thickness_is_missed(void **state)
{
    (void)state;
    enum { COUNT = SLOW_BUILD ? 20000 : 1000000 };
    double *points = malloc(3 * COUNT * sizeof *points);
    mote_vec3 *vertices = malloc(3 * COUNT * sizeof *vertices);
    uint32_t *triangles = malloc(3 * COUNT * sizeof *triangles);
    assert_true(points && vertices && triangles);
    mote_random random = {3};
    const double thickness = 0.05;
    for (uint32_t t = 0; t < COUNT; ++t) {
        mote_vec3 *corner = vertices + 3 * (size_t)t;
        const mote_vec3 at = {between(&random, 200), between(&random, 200), between(&random, 200)};
        for (int k = 0; k < 3; ++k)
            corner[k] =
                mote_vec3_add(at, mote_vec3_make(between(&random, 2), between(&random, 2), between(&random, 2)));
        double u = mote_random_unit(&random), v = (1 - u) * mote_random_unit(&random);
        if (t % 4 == 0) v = 0;  // on an edge
        if (t % 8 == 0) u = 0;  // on a corner
        mote_vec3 p = mote_vec3_add_scaled(corner[0], mote_vec3_sub(corner[1], corner[0]), u);
        p = mote_vec3_add_scaled(p, mote_vec3_sub(corner[2], corner[0]), v);
        const mote_vec3 way =
            mote_vec3_unit(mote_vec3_make(between(&random, 1), between(&random, 1), between(&random, 1)));
        p = mote_vec3_add_scaled(p, way, thickness * (t % 3 ? 1 - 1e-9 : mote_random_unit(&random)));
        points[3 * t] = p.x, points[3 * t + 1] = p.y, points[3 * t + 2] = p.z;
        for (uint32_t k = 0; k < 3; ++k) triangles[3 * t + k] = 3 * t + k;
    }
    const mote_mesh mesh = {vertices, triangles, 3 * COUNT, COUNT, NULL};
    mote_raster *raster = make_raster(NULL, mote_raster_mean_edge(&mesh));
    CHECK_OK(mote_raster_update(raster, mote_points_xyz_f64(points, COUNT), NULL));
    mote_raster_query query = mote_raster_query_default();
    query.thickness = thickness;
    mote_raster_pairs pairs = {0};
    CHECK_OK(mote_raster_triangles(raster, &mesh, &query, &pairs, NULL));
    for (uint32_t t = 0; t < COUNT; ++t) CHECK(has_pair(&pairs, t, t), "point %u", t);
    mote_raster_pairs_release(&pairs);
    mote_raster_destroy(raster);
    free(points), free(vertices), free(triangles);
}

// Every point in a cell of its own, and triangles through all of them.
static void huge_triangles_cost_the_occupied_cells(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    float *points = malloc(3 * COUNT * sizeof *points);
    assert_non_null(points);
    mote_random random = {5};
    for (size_t i = 0; i < 3 * COUNT; ++i) points[i] = (float)between(&random, 1000);
    mote_vec3 vertices[] = {{-1e15, -1e15, 3}, {1e15, 2e14, -2}, {-3e14, 1e15, 1}};
    uint32_t triangles[] = {0, 1, 2};
    const mote_mesh mesh = {vertices, triangles, 3, 1, NULL};
    mote_raster *raster = make_raster(NULL, 1e-4);
    CHECK_OK(mote_raster_update(raster, mote_points_xyz(points, COUNT), NULL));
    const mote_raster_stats stats = mote_raster_get_stats(raster);
    mote_raster_query query = mote_raster_query_default();
    mote_raster_pairs pairs = {0};
    for (query.thickness = 0; query.thickness < 1e20; query.thickness = query.thickness * 1000 + 1) {
        CHECK_OK(mote_raster_triangles(raster, &mesh, &query, &pairs, NULL));
        CHECK(pairs.counters.cells <= stats.cells && pairs.counters.rows <= stats.rows, "%llu rows, %llu cells",
              (unsigned long long)pairs.counters.rows, (unsigned long long)pairs.counters.cells);
    }
    CHECK(pairs.count == COUNT, "%zu", pairs.count);
    mote_raster_destroy(raster);
    raster = make_raster(NULL, 10);  // a hundred rows in each slice
    CHECK_OK(mote_raster_update(raster, mote_points_xyz(points, COUNT), NULL));
    for (int k = 0; k < 3; ++k) vertices[k] = mote_vec3_scale(vertices[k], 1e-15);
    query.thickness = 1;
    CHECK_OK(mote_raster_triangles(raster, &mesh, &query, &pairs, NULL));
    CHECK(pairs.counters.rows > 0 && pairs.counters.rows <= 9, "%llu rows for a small one",
          (unsigned long long)pairs.counters.rows);
    mote_raster_pairs_release(&pairs);
    mote_raster_destroy(raster);
    free(points);
}

// ---------------------------------------------------------------------------------------------------------- one mesh

static void a_vertex_never_meets_its_own_triangles(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_sphere(NULL, 3);
    assert_non_null(mesh);
    for (size_t i = 0; i < mesh->vertex_count; ++i) mesh->vertices[i].z *= 0.02;  // both sides are near each other
    const mote_points vertices = {{&mesh->vertices[0].x, &mesh->vertices[0].y, &mesh->vertices[0].z},
                                  sizeof *mesh->vertices,
                                  mesh->vertex_count,
                                  MOTE_F64,
                                  3};
    mote_raster *raster = make_raster(NULL, mote_raster_mean_edge(mesh));
    mote_raster_query query = mote_raster_query_default();
    query.thickness = 0.1;
    mote_raster_pairs all = {0}, pairs = {0};
    CHECK_OK(mote_raster_update(raster, vertices, NULL));
    CHECK_OK(mote_raster_triangles(raster, mesh, &query, &all, NULL));
    query.own = true;
    CHECK_OK(mote_raster_triangles(raster, mesh, &query, &pairs, NULL));
    size_t own = 0;
    for (size_t k = 0; k < all.count; ++k) {
        const uint32_t *corner = mesh->triangles + 3 * (size_t)all.pairs[k].first, v = all.pairs[k].second;
        const bool is_own = v == corner[0] || v == corner[1] || v == corner[2];
        own += is_own;
        CHECK(has_pair(&pairs, all.pairs[k].first, v) == !is_own, "%u %u", all.pairs[k].first, v);
    }
    CHECK(own == 3 * mesh->triangle_count && pairs.count + own == all.count && pairs.count > 1000, "%zu", own);
    mote_raster_pairs_release(&all);
    mote_raster_pairs_release(&pairs);
    mote_raster_destroy(raster);
    mote_mesh_destroy(mesh);
}

// ------------------------------------------------------------------------------------------------------------- edges

// Sides 3t and 3t + 1 of the scene's triangles as edges, in all four directions of the two.
static void make_edges(const made_scene *made, mote_raster_edge_set *set, uint32_t *edges)
{
    for (uint32_t t = 0; t < TRIANGLES; ++t)
        for (uint32_t k = 0; k < 2; ++k) {
            const uint32_t turned = t >> k & 1;
            edges[4 * t + 2 * k + turned] = 3 * t + k;
            edges[4 * t + 2 * k + 1 - turned] = 3 * t + k + 1;
        }
    *set = (mote_raster_edge_set){made->vertices, 3 * TRIANGLES, edges, 2 * TRIANGLES};
}

static void check_edges(const scene_kind *scene, const mote_raster_edge_set *a, const mote_raster_edge_set *b, bool own,
                        const mote_raster_pairs *pairs)
{
    size_t within = 0;
    for (uint32_t e = 0; e < a->edge_count; ++e)
        for (uint32_t f = 0; f < b->edge_count; ++f) {
            const uint32_t *v = a->edges + 2 * e, *w = b->edges + 2 * f;
            const real3 p = real_of(a->vertices[v[0]]), q = real_of(a->vertices[v[1]]);
            const real3 r = real_of(b->vertices[w[0]]), s = real_of(b->vertices[w[1]]);
            const bool shares = own && (f <= e || v[0] == w[0] || v[0] == w[1] || v[1] == w[0] || v[1] == w[1]);
            const bool is_pair = has_pair(pairs, e, f);
            const real distance = between_segments(p, q, r, s);
            const real most = fabsl(p.x) + fabsl(p.y) + fabsl(p.z) + fabsl(q.x) + fabsl(q.y) + fabsl(q.z) + fabsl(r.x) +
                              fabsl(r.y) + fabsl(r.z) + fabsl(s.x) + fabsl(s.y) + fabsl(s.z);
            within += is_pair;
            CHECK(!shares || !is_pair, "%s: edges %u, %u", scene->name, e, f);
            if (!shares && distance < (real)scene->thickness - 0x1p-40L * most)
                CHECK(is_pair, "%s: edges %u and %u are %Lg apart", scene->name, e, f, distance);
            if (distance > (real)scene->thickness + 0x1p-40L * most)
                CHECK(!is_pair, "%s: edges %u and %u are %Lg apart", scene->name, e, f, distance);
        }
    CHECK(within == pairs->count, "%s: %zu of %zu pairs", scene->name, within, pairs->count);
}

static void edges_meet_what_is_near(void **state)
{
    (void)state;
    static uint32_t edges[4 * TRIANGLES], others[4 * TRIANGLES];
    for (size_t s = 0; s < SCENES; ++s) {
        made_scene *made = make_scene(scenes + s, 300 + s), *other = make_scene(scenes + s, 400 + s);
        mote_raster_edge_set set, second;
        make_edges(made, &set, edges);
        make_edges(other, &second, others);
        mote_raster *raster = make_raster(NULL, scenes[s].edge);
        mote_raster_query query = mote_raster_query_default();
        query.thickness = scenes[s].thickness;
        mote_raster_pairs pairs = {0}, coarse = {0};
        CHECK_OK(mote_raster_update_edges(raster, &set, NULL));
        CHECK_OK(mote_raster_validate(raster, NULL));
        CHECK(mote_raster_get_stats(raster).points <= 2 * set.edge_count, "%s: too many pieces", scenes[s].name);
        CHECK_OK(mote_raster_edges(raster, &second, &query, &pairs, NULL));
        check_ascending(scenes[s].name, &pairs);
        check_edges(scenes + s, &second, &set, false, &pairs);
        query.own = true;
        CHECK_OK(mote_raster_edges(raster, &set, &query, &pairs, NULL));
        check_ascending(scenes[s].name, &pairs);
        check_edges(scenes + s, &set, &set, true, &pairs);
        mote_raster_destroy(raster);
        raster = make_raster(NULL, 30 * scenes[s].edge);
        CHECK_OK(mote_raster_update_edges(raster, &set, NULL));
        CHECK_OK(mote_raster_edges(raster, &set, &query, &coarse, NULL));
        check_same(scenes[s].name, &pairs, &coarse);
        query.candidates = true;
        CHECK_OK(mote_raster_edges(raster, &set, &query, &coarse, NULL));
        for (size_t k = 0; k < pairs.count; ++k)
            CHECK(has_pair(&coarse, pairs.pairs[k].first, pairs.pairs[k].second), "%s: %zu", scenes[s].name, k);
        mote_raster_pairs_release(&pairs);
        mote_raster_pairs_release(&coarse);
        mote_raster_destroy(raster);
        free(made), free(other);
    }
}

static void edges_as_far_as_the_thickness_are_pairs(void **state)
{
    (void)state;
    const mote_vec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {0.5, -1, 1}, {0.5, 1, 1}, {0.5, -1, 0}, {0.5, 1, 0}};
    const uint32_t along_x[] = {0, 1}, across[] = {2, 3, 4, 5};
    const mote_raster_edge_set one = {vertices, 6, along_x, 1}, two = {vertices, 6, across, 2};
    mote_raster *raster = make_raster(NULL, 0.25);
    mote_raster_pairs pairs = {0};
    mote_raster_query query = mote_raster_query_default();
    CHECK_OK(mote_raster_update_edges(raster, &two, NULL));
    const double thicknesses[] = {0, 1 - 0x1p-53, 1};
    for (size_t k = 0; k < 3; ++k) {
        query.thickness = thicknesses[k];
        CHECK_OK(mote_raster_edges(raster, &one, &query, &pairs, NULL));
        CHECK(pairs.count == (k == 2 ? 2 : 1), "%zu within %a", pairs.count, query.thickness);
        CHECK(has_pair(&pairs, 0, 1) && has_pair(&pairs, 0, 0) == (k == 2), "within %a", query.thickness);
    }
    mote_raster_pairs_release(&pairs);
    mote_raster_destroy(raster);
}

static void edges_of_a_mesh_are_listed_once_and_measured(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_sphere(NULL, 2);
    assert_non_null(mesh);
    mote_raster_edge_list list;
    CHECK_OK(mote_raster_list_edges(mesh, &list, NULL));
    CHECK(list.count == mesh->triangle_count * 3 / 2, "%zu edges", list.count);
    for (size_t e = 0; e < list.count; ++e) {
        const uint32_t *v = list.edges + 2 * e;
        CHECK(v[0] < v[1] && v[1] < mesh->vertex_count, "edge %zu", e);
        CHECK(e == 0 || v[-2] < v[0] || (v[-2] == v[0] && v[-1] < v[1]), "edge %zu is out of order", e);
    }
    mote_raster_edge_list_release(&list);
    mote_mesh_destroy(mesh);
    mote_mesh *cube = shape_cube(NULL, 1);
    const double mean = (2 + sqrt(2)) / 3;
    CHECK(fabs(mote_raster_mean_edge(cube) - mean) < 1e-15, "%g", mote_raster_mean_edge(cube));
    mote_raster *raster;
    CHECK_OK(mote_raster_create_for_mesh(NULL, cube, &raster, NULL));
    const double edge = mote_raster_get_stats(raster).edge;
    CHECK(edge >= mean && edge < 1.001 * mean, "cells of %g, edges of %g", edge, mean);
    mote_raster_destroy(raster);
    mote_mesh_destroy(cube);
}

// ------------------------------------------------------------------------------------------------------- all the rest

static void same_pairs_for_any_threads(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 2, 5};
    mote_mesh *mesh = shape_sphere(NULL, SLOW_BUILD ? 4 : 6);
    assert_non_null(mesh);
    enum { COUNT = SLOW_BUILD ? 5000 : 50000 };
    float *points = malloc(3 * COUNT * sizeof *points);
    assert_non_null(points);
    mote_random random = {8};
    for (size_t i = 0; i < 3 * COUNT; ++i) points[i] = (float)between(&random, 2.2);
    mote_raster_edge_list list;
    CHECK_OK(mote_raster_list_edges(mesh, &list, NULL));
    const mote_raster_edge_set edges = {mesh->vertices, mesh->vertex_count, list.edges, list.count};
    mote_raster_pairs first[2] = {{0}, {0}}, pairs[2] = {{0}, {0}};
    mote_raster_query query = mote_raster_query_default();
    query.thickness = SLOW_BUILD ? 0.2 : 0.05;  // a coarse sphere has longer edges
    for (int k = 0; k < 3; ++k) {
        mote_context *context = test_context_with_threads(threads[k]);
        mote_raster *raster = make_raster(context, mote_raster_mean_edge(mesh));
        mote_raster_pairs *into = k ? pairs : first;
        CHECK_OK(mote_raster_update(raster, mote_points_xyz(points, COUNT), NULL));
        CHECK_OK(mote_raster_triangles(raster, mesh, &query, into, NULL));
        CHECK_OK(mote_raster_update_edges(raster, &edges, NULL));
        query.own = true;
        CHECK_OK(mote_raster_edges(raster, &edges, &query, into + 1, NULL));
        query.own = false;
        for (int q = 0; q < 2; ++q) {
            CHECK(into[q].count > 100, "%zu", into[q].count);
            mote_raster_pair *copy = malloc(into[q].count * sizeof *copy);
            if (k) check_same(q ? "edges" : "triangles", first + q, pairs + q);
            if (k) CHECK(memcmp(&first[q].counters, &pairs[q].counters, sizeof first[q].counters) == 0, "counters");
            memcpy(copy, into[q].pairs, into[q].count * sizeof *copy);
            const mote_raster_pairs kept = {copy, into[q].count, into[q].counters, NULL};
            mote_raster_pairs_release(into + q);  // goes with its context
            if (k)
                free(copy);
            else
                first[q] = kept;
        }
        mote_raster_destroy(raster);
        mote_context_destroy(context);
    }
    for (int q = 0; q < 2; ++q) free((void *)(uintptr_t)first[q].pairs);
    mote_raster_edge_list_release(&list);
    mote_mesh_destroy(mesh);
    free(points);
}

static void points_may_move_and_number(void **state)
{
    (void)state;
    mote_random random = {9};
    mote_raster *raster = make_raster(NULL, 0.25);
    static double points[3 * POINTS];
    for (int step = 0; step < 60; ++step) {
        const size_t count = mote_random_below(&random, POINTS);
        const double size = ldexp(1, (int)mote_random_below(&random, 30) - 10);
        for (size_t i = 0; i < 3 * count; ++i) points[i] = between(&random, size) + 100;
        mote_points set = mote_points_xyz_f64(points, count);
        set.dimensions = 1 + step % 3;
        CHECK_OK(mote_raster_update(raster, set, NULL));
        mote_error error = {0};
        CHECK(mote_raster_validate(raster, &error) == MOTE_OK, "%s", error.text);
        CHECK(mote_raster_get_stats(raster).points == count, "%zu", count);
    }
    mote_raster_destroy(raster);
}

static void flat_sets_lie_at_zero(void **state)
{
    (void)state;
    const float xy[] = {0, 0, 1, 1, 5, 5};
    mote_vec3 vertices[] = {{-1, -1, 0.1}, {3, -1, 0.1}, {-1, 3, -0.1}};
    uint32_t triangles[] = {0, 1, 2};
    const mote_mesh mesh = {vertices, triangles, 3, 1, NULL};
    mote_raster *raster = make_raster(NULL, 1);
    mote_raster_query query = mote_raster_query_default();
    query.thickness = 0.2;
    mote_raster_pairs pairs = {0};
    CHECK_OK(mote_raster_update(raster, mote_points_xy(xy, 3), NULL));
    CHECK_OK(mote_raster_triangles(raster, &mesh, &query, &pairs, NULL));
    CHECK(pairs.count == 2 && pairs.pairs[0].second == 0 && pairs.pairs[1].second == 1, "%zu", pairs.count);
    mote_raster_pairs_release(&pairs);
    mote_raster_destroy(raster);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_meet_what_is_near),  // one thread
        cmocka_unit_test(cells_change_no_pair),
        cmocka_unit_test(the_scan_line_finds_no_other_pair),
        cmocka_unit_test(no_point_within_the_thickness_is_missed),
        cmocka_unit_test(huge_triangles_cost_the_occupied_cells),
        cmocka_unit_test(a_vertex_never_meets_its_own_triangles),
        cmocka_unit_test(edges_meet_what_is_near),
        cmocka_unit_test(edges_as_far_as_the_thickness_are_pairs),
        cmocka_unit_test(edges_of_a_mesh_are_listed_once_and_measured),
        cmocka_unit_test(same_pairs_for_any_threads),
        cmocka_unit_test(points_may_move_and_number),
        cmocka_unit_test(flat_sets_lie_at_zero),
    };
    RUN_TESTS(tests, argc, argv);
}
