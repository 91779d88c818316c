// SPDX-License-Identifier: MIT
// First hits of motions with triangle meshes: against brute force in whole numbers, at edges and vertices, in batches.

#include "hits/tested.h"
#include "mesh/tested.h"
#include "support/shapes.h"
#include "support/test.h"

// -------------------------------------------------------------------------------------------------------- oracle

// Whole numbers of any size that these tests need: coordinates are multiples of 2^-20 below 2^6, so that volumes fit
// 128 bits.
__extension__ typedef __int128 wide;

typedef struct whole3 {
    int64_t x, y, z;
} whole3;

static whole3 whole(mote_vec3 p)
{
    whole3 w = {(int64_t)(p.x * 0x1p20), (int64_t)(p.y * 0x1p20), (int64_t)(p.z * 0x1p20)};
    return w;
}

static wide volume(whole3 a, whole3 b, whole3 c, whole3 d)
{
    wide ax = a.x - d.x, ay = a.y - d.y, az = a.z - d.z, bx = b.x - d.x, by = b.y - d.y, bz = b.z - d.z;
    wide cx = c.x - d.x, cy = c.y - d.y, cz = c.z - d.z;
    return ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
}

static int sign_of(wide v)
{
    return (v > 0) - (v < 0);
}

// Whether the closed segment meets the closed triangle, and the time as over/under.
static bool brute_meets(mote_triangle t, mote_vec3 p, mote_vec3 q, wide *over, wide *under)
{
    whole3 a = whole(t.a), b = whole(t.b), c = whole(t.c), from = whole(p), to = whole(q);
    wide start = volume(a, b, c, from), end = volume(a, b, c, to);
    if (sign_of(start) * sign_of(end) > 0 || (start == 0 && end == 0)) return false;
    int u = sign_of(volume(to, b, c, from)), v = sign_of(volume(to, c, a, from)), w = sign_of(volume(to, a, b, from));
    if ((u > 0 || v > 0 || w > 0) && (u < 0 || v < 0 || w < 0)) return false;
    *over = start < 0 ? -start : start;
    *under = *over + (end < 0 ? -end : end);
    return true;
}

// Below 0 if a/b < c/d: by continued fractions, for the products overflow.
static int compare_shares(wide a, wide b, wide c, wide d)
{
    for (int sign = 1;; sign = -sign) {
        wide whole_a = a / b, whole_c = c / d;
        if (whole_a != whole_c) return whole_a < whole_c ? -sign : sign;
        a -= whole_a * b;
        c -= whole_c * d;
        if (a == 0 || c == 0) return a == 0 && c == 0 ? 0 : a == 0 ? -sign : sign;
        wide t = a;
        a = b, b = t;
        t = c;
        c = d, d = t;
    }
}

static bool brute_first(const mote_mesh *mesh, mote_vec3 p, mote_vec3 q, uint32_t *triangle, double *time)
{
    bool found = false;
    wide best_over = 0, best_under = 1;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        wide over, under;
        if (!brute_meets(mote_mesh_triangle(mesh, t), p, q, &over, &under)) continue;
        if (found && compare_shares(over, under, best_over, best_under) >= 0) continue;
        found = true;
        best_over = over, best_under = under;
        *triangle = (uint32_t)t;
    }
    *time = (double)best_over / (double)best_under;
    return found;
}

// -------------------------------------------------------------------------------------------------------- meshes

static double snapped(double x)
{
    return floor(x * 0x1p20 + 0.5) * 0x1p-20;
}

static mote_vec3 snap(mote_vec3 p)
{
    return mote_vec3_make(snapped(p.x), snapped(p.y), snapped(p.z));
}

static void snap_mesh(mote_mesh *mesh)
{
    for (size_t v = 0; v < mesh->vertex_count; ++v) mesh->vertices[v] = snap(mesh->vertices[v]);
}

static mote_mesh *make_small_soup(mote_context *context)
{
    return shape_soup(context, 60);
}

static mote_mesh *make_large_soup(mote_context *context)
{
    return shape_soup(context, SANITIZED ? 300 : 1500);
}

static mote_mesh *make_cube(mote_context *context)
{
    return shape_cube(context, 1);
}

static mote_mesh *make_fine_cube(mote_context *context)
{
    return shape_cube(context, 8);
}

static mote_mesh *make_sphere(mote_context *context)
{
    return shape_sphere(context, 4);
}

// A sphere of radius 1, and one of 2^-12 beside it: parts of parts.
static mote_mesh *make_uneven(mote_context *context)
{
    mote_mesh *sphere = shape_sphere(context, 3), *mesh;
    const size_t v = sphere->vertex_count, t = sphere->triangle_count;
    mote_vec3 *vertices = malloc(2 * v * sizeof *vertices);
    uint32_t *triangles = malloc(6 * t * sizeof *triangles);
    for (size_t i = 0; i < v; ++i) {
        vertices[i] = sphere->vertices[i];
        vertices[v + i] = mote_vec3_add_scaled(mote_vec3_make(1.25, 0, 0), sphere->vertices[i], 0x1p-10);
    }
    for (size_t i = 0; i < 3 * t; ++i) {
        triangles[i] = sphere->triangles[i];
        triangles[3 * t + i] = sphere->triangles[i] + (uint32_t)v;
    }
    CHECK_OK(mote_mesh_create(context, vertices, 2 * v, triangles, 2 * t, &mesh, NULL));
    free(vertices);
    free(triangles);
    mote_mesh_destroy(sphere);
    return mesh;
}

typedef struct shape_case {
    const char *name;
    mote_mesh *(*make)(mote_context *context);
    int motions;
} shape_case;

static const shape_case shapes[] = {
    {"cube", make_cube, SANITIZED ? 2000 : 30000},           {"fine cube", make_fine_cube, SANITIZED ? 500 : 5000},
    {"sphere", make_sphere, SANITIZED ? 200 : 2500},         {"star", shape_star, SANITIZED ? 2000 : 30000},
    {"spike", shape_spike, SANITIZED ? 2000 : 30000},        {"small soup", make_small_soup, SANITIZED ? 1000 : 20000},
    {"large soup", make_large_soup, SANITIZED ? 300 : 3000}, {"uneven", make_uneven, SANITIZED ? 200 : 2500},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

// Motions of all lengths: anywhere, from vertex to vertex, in the plane of a triangle, along an axis, none at all.
static void random_motion(mote_random *random, const mote_mesh *mesh, mote_vec3 *from, mote_vec3 *to)
{
    const double length = ldexp(2, -(int)mote_random_below(random, 12));
    const uint32_t t = mote_random_below(random, (uint32_t)mesh->triangle_count), kind = mote_random_below(random, 8);
    const mote_triangle triangle = mote_mesh_triangle(mesh, t);
    const uint32_t other = mote_random_below(random, (uint32_t)mesh->vertex_count);
    *from = shape_random_point(random, 3);
    if (kind >= 2) *from = mote_vec3_add(triangle.a, shape_random_point(random, length));
    if (kind == 2) *from = triangle.a;
    if (kind == 3) *from = mote_hits_lerp(triangle.a, triangle.b, 0.5);
    *from = snap(*from);
    *to = mote_vec3_add(*from, shape_random_point(random, 2 * length));
    if (kind == 4) *to = triangle.b;
    if (kind == 5) *to = mesh->vertices[other];
    if (kind == 6) *to = mote_vec3_make(from->x, from->y, from->z + length);
    if (kind == 7) *to = mote_vec3_add(*from, mote_vec3_sub(triangle.c, triangle.b));
    if (mote_random_below(random, 50) == 0) *to = *from;
    *to = snap(*to);
}

// -------------------------------------------------------------------------------------------------- against oracle

static void check_hit(const shape_case *shape, const mote_mesh *mesh, int i, mote_vec3 from, mote_vec3 to,
                      const mote_hit *hit, double time)
{
    CHECK(fabs(hit->time - time) < 1e-9, "%s, motion %d: time %.17g, brute force %.17g", shape->name, i, hit->time,
          time);
    mote_triangle t = mote_mesh_triangle(mesh, hit->triangle);
    mote_vec3 q = mote_vec3_scale(t.a, hit->barycentric[0]);
    q = mote_vec3_add_scaled(q, t.b, hit->barycentric[1]);
    q = mote_vec3_add_scaled(q, t.c, hit->barycentric[2]);
    CHECK(mote_vec3_length(mote_vec3_sub(q, hit->point)) < 1e-12, "%s, motion %d: barycentrics", shape->name, i);
    q = mote_vec3_sub(mote_hits_lerp(from, to, hit->time), hit->point);
    CHECK(mote_vec3_length(q) < 1e-7, "%s, motion %d: the point is off by %g", shape->name, i, mote_vec3_length(q));
    CHECK(fabs(mote_vec3_length(hit->normal) - 1) < 1e-12, "%s, motion %d: normal", shape->name, i);
    const double along = mote_vec3_dot(hit->normal, mote_vec3_sub(to, from));
    CHECK(along <= 1e-12, "%s, motion %d: the normal looks away", shape->name, i);
}

static void check_shape(const shape_case *shape)
{
    mote_mesh *mesh = shape->make(NULL);
    snap_mesh(mesh);
    mote_hits *hits;
    mote_error error;
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    CHECK(mote_hits_validate(hits, &error) == MOTE_OK, "%s: %s", shape->name, error.text);
    mote_random random = {5};
    int met = 0;
    for (int i = 0; i < shape->motions; ++i) {
        mote_vec3 from, to;
        random_motion(&random, mesh, &from, &to);
        uint32_t triangle = 0;
        double time;
        mote_hit hit;
        const bool meets = brute_first(mesh, from, to, &triangle, &time);
        CHECK(mote_hits_segment(hits, from, to, 0, &hit) == meets, "%s, motion %d: brute force %d, triangle %u",
              shape->name, i, meets, triangle);
        if (!meets) continue;
        ++met;
        CHECK(hit.triangle == triangle, "%s, motion %d: triangle %u at %.17g, brute force %u at %.17g", shape->name, i,
              hit.triangle, hit.time, triangle, time);
        check_hit(shape, mesh, i, from, to, &hit, time);
    }
    CHECK(met > shape->motions / 20, "%s: only %d hits", shape->name, met);
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

static void motions_agree_with_brute_force(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; ++i) check_shape(&shapes[i]);
}

static void small_grids_and_leaves_change_nothing(void **state)
{
    (void)state;
    mote_mesh *mesh = make_uneven(NULL);
    mote_hits_def def = mote_hits_default_def();
    mote_hits *fine, *coarse;
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &fine, NULL));
    def.most_cells = 64;
    def.leaf_clusters = 1;
    CHECK_OK(mote_hits_create(NULL, &def, mesh, &coarse, NULL));
    CHECK_OK(mote_hits_validate(coarse, NULL));
    const mote_hits_stats stats = mote_hits_get_stats(coarse);
    CHECK(stats.nodes > stats.occupied_cells, "nothing was split");
    mote_random random = {9};
    for (int i = 0; i < (SANITIZED ? 2000 : 50000); ++i) {
        mote_vec3 from, to;
        mote_hit a, b;
        memset(&a, 0, sizeof a);
        memset(&b, 0, sizeof b);
        random_motion(&random, mesh, &from, &to);
        const bool meets = mote_hits_segment(fine, from, to, 0, &a);
        CHECK(mote_hits_segment(coarse, from, to, 0, &b) == meets, "motion %d", i);
        CHECK(a.triangle == b.triangle && a.time == b.time, "motion %d: triangle %u and %u", i, a.triangle, b.triangle);
    }
    mote_hits_destroy(fine);
    mote_hits_destroy(coarse);
    mote_mesh_destroy(mesh);
}

// ------------------------------------------------------------------------------------------------------------ leaks

// From the middle through edges and vertices to far outside: all must meet the mesh, also by batches and long motions.
static void closed_meshes_do_not_leak(void **state)
{
    (void)state;
    const uint32_t count = SANITIZED ? 20000 : getenv("MOTE_LONG_TESTS") ? 1000000 : 150000;
    mote_mesh *mesh = shape_sphere(NULL, 5);
    mote_hits *hits;
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    double *ends = malloc(6 * (size_t)count * sizeof *ends);
    mote_random random = {3};
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t edge = mote_random_below(&random, 3 * (uint32_t)mesh->triangle_count), corner = edge % 3;
        const mote_vec3 a = mesh->vertices[mesh->triangles[edge]];
        const mote_vec3 b = mesh->vertices[mesh->triangles[edge - corner + (corner + 1) % 3]];
        const double at = i % 3 == 0 ? 0 : i % 3 == 1 ? 0.5 : mote_random_unit(&random);
        const mote_vec3 aim = mote_hits_lerp(a, b, at);
        // Half of them are short.
        const mote_vec3 from = mote_vec3_scale(aim, i % 2 ? 0.99 : mote_random_unit(&random) * 0.5);
        const mote_vec3 to = mote_vec3_add_scaled(aim, mote_vec3_sub(aim, from), i % 2 ? 1 : 3);
        const double six[6] = {from.x, from.y, from.z, to.x, to.y, to.z};
        memcpy(ends + 6 * (size_t)i, six, sizeof six);
    }
    mote_motions motions = {.from = mote_points_xyz_f64(ends, count), .to = mote_points_xyz_f64(ends + 3, count)};
    motions.from.stride = motions.to.stride = 6 * sizeof *ends;
    mote_hit_list list;
    CHECK_OK(mote_hits_query(hits, &motions, &list, NULL));
    for (size_t i = 0; i < list.count; ++i) CHECK(list.hits[i].particle == i, "motion %zu leaks", i);
    assert_int_equal(list.count, count);
    free(ends);
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

// ---------------------------------------------------------------------------------------------- starts on the surface

static void starts_on_the_surface(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_cube(NULL, 2);
    mote_hits *hits;
    mote_hit hit;
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    const mote_vec3 face = {0.3, 0.4, 1}, in = {0.3, 0.4, 0.9}, out = {0.3, 0.4, 1.1}, along = {0.4, 0.4, 1};
    CHECK(!mote_hits_segment(hits, face, out, 1, &hit), "leaves outwards");
    CHECK(mote_hits_segment(hits, face, in, 1, &hit) && hit.time == 0 && hit.side == 1, "goes through, inwards");
    CHECK(!mote_hits_segment(hits, face, in, -1, &hit), "leaves inwards");
    CHECK(mote_hits_segment(hits, face, out, -1, &hit) && hit.time == 0 && hit.side == -1, "through, outwards");
    CHECK(mote_hits_segment(hits, face, out, 0, &hit) && hit.time == 0, "touches");
    CHECK(!mote_hits_segment(hits, face, along, 1, &hit), "slides");
    // On a sharp edge: over the other face's plane the way is free for who is outside, not for who is inside.
    const mote_vec3 edge = {0.3, 1, 1}, over = {0.3, 1.2, 0.9}, inside = {0.3, 0.9, 0.8}, aside = {0.3, 1.5, 1.5};
    CHECK(!mote_hits_segment(hits, edge, over, 1, &hit), "around the edge");
    CHECK(!mote_hits_segment(hits, edge, aside, 1, &hit), "away from the edge");
    CHECK(mote_hits_segment(hits, edge, inside, 1, &hit) && hit.time == 0, "into the edge");
    CHECK(hit.feature == MOTE_FEATURE_EDGE, "feature %d", (int)hit.feature);
    CHECK(!mote_hits_segment(hits, edge, inside, -1, &hit), "from the edge inwards");
    CHECK(mote_hits_segment(hits, edge, over, -1, &hit) && hit.time == 0, "out through a face at the edge");
    // At a corner the planes of all its triangles count.
    const mote_vec3 corner = {1, 1, 1}, beside = {1.2, 1.1, 0.9}, within = {0.9, 0.8, 0.9}, off = {1.1, 1, 1.2};
    CHECK(mote_hits_segment(hits, corner, within, 1, &hit) && hit.time == 0, "into the corner");
    CHECK(hit.feature == MOTE_FEATURE_VERTEX, "feature %d", (int)hit.feature);
    CHECK(mote_hits_segment(hits, corner, beside, 1, &hit) && hit.time == 0, "around the corner");
    CHECK(!mote_hits_segment(hits, corner, off, 1, &hit), "away from the corner");
    CHECK(!mote_hits_segment(hits, corner, within, -1, &hit), "from the corner inwards");
    CHECK(mote_hits_segment(hits, corner, beside, -1, &hit) && hit.time == 0, "out through a face at the corner");
    // Ends on the surface.
    CHECK(mote_hits_segment(hits, out, face, 1, &hit) && hit.time == 1 && hit.side == 1, "arrives");
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

// ---------------------------------------------------------------------------------------------------------- batches

enum { BATCH = SANITIZED ? 5003 : 60007 };  // ends within vectors of any width

typedef struct batch_input {
    double *ends;  // from x, y, z, to x, y, z
    float *floats;
} batch_input;

static batch_input make_batch(const mote_mesh *mesh, uint64_t seed)
{
    batch_input input = {malloc(6 * BATCH * sizeof(double)), malloc(6 * BATCH * sizeof(float))};
    mote_random random = {seed};
    for (size_t i = 0; i < BATCH; ++i) {
        mote_vec3 from, to;
        random_motion(&random, mesh, &from, &to);
        if (i % 3) to = mote_hits_lerp(from, to, 0.01);
        const double six[6] = {from.x, from.y, from.z, to.x, to.y, to.z};
        for (size_t k = 0; k < 6; ++k) {
            volatile float rounded = (float)six[k];
            input.floats[6 * i + k] = rounded;
            input.ends[6 * i + k] = (double)rounded;
        }
    }
    return input;
}

static mote_motions view_batch(const batch_input *input, bool as_floats)
{
    mote_motions motions = {.from = mote_points_xyz_f64(input->ends, BATCH),
                            .to = mote_points_xyz_f64(input->ends + 3, BATCH)};
    if (as_floats) {
        motions.from = mote_points_xyz(input->floats, BATCH);
        motions.to = mote_points_xyz(input->floats + 3, BATCH);
    }
    motions.from.stride = motions.to.stride = as_floats ? 6 * sizeof(float) : 6 * sizeof(double);
    return motions;
}

static void check_equal(const mote_hit *a, const mote_hit *b)
{
    CHECK(a->particle == b->particle && a->triangle == b->triangle && a->time == b->time && a->side == b->side &&
              a->feature == b->feature,
          "particle %u: triangle %u at %.17g, expected particle %u, triangle %u at %.17g", a->particle, a->triangle,
          a->time, b->particle, b->triangle, b->time);
    assert_memory_equal(&a->point, &b->point, sizeof a->point);
    assert_memory_equal(&a->normal, &b->normal, sizeof a->normal);
    assert_memory_equal(a->barycentric, b->barycentric, sizeof a->barycentric);
}

// Threads, scalars and layouts change nothing, and one by one is the same.
static void batches_are_the_same_as_one_by_one(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 2, 5};
    mote_mesh *mesh = make_uneven(NULL);
    batch_input input = make_batch(mesh, 4);
    for (int k = 0; k < 3; ++k) {
        mote_context *context = test_context_with_threads(threads[k]);
        mote_hits *hits;
        CHECK_OK(mote_hits_create(context, NULL, mesh, &hits, NULL));
        for (int form = 0; form < 2; ++form) {
            const mote_motions motions = view_batch(&input, form == 1);
            mote_hit_list list;
            CHECK_OK(mote_hits_query(hits, &motions, &list, NULL));
            size_t at = 0;
            for (size_t i = 0; i < BATCH; ++i) {
                const double *e = input.ends + 6 * i;
                mote_hit hit;
                const mote_vec3 from = {e[0], e[1], e[2]}, to = {e[3], e[4], e[5]};
                if (!mote_hits_segment(hits, from, to, 0, &hit)) continue;
                hit.particle = (uint32_t)i;
                CHECK(at < list.count, "particle %zu is missing", i);
                check_equal(&list.hits[at++], &hit);
            }
            assert_int_equal(at, list.count);
            CHECK(at > BATCH / 20, "only %zu hits", at);
        }
        const uint64_t before = mote_context_allocation_count(context);
        const mote_motions motions = view_batch(&input, false);
        mote_hit_list list;
        for (int again = 0; again < 3; ++again) CHECK_OK(mote_hits_query(hits, &motions, &list, NULL));
        if (threads[k] == 1) assert_int_equal(mote_context_allocation_count(context), before);
        mote_hits_destroy(hits);
        mote_context_destroy(context);
    }
    free(input.ends);
    free(input.floats);
    mote_mesh_destroy(mesh);
}

// As they come and sorted, doubles and floats.
static void all_forms_find_the_same(void **state)
{
    (void)state;
    mote_mesh *mesh = make_sphere(NULL);
    mote_hits *plain;
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &plain, NULL));
    plain->motion_lanes = &mote_hits_motion_plain;
    for (mote_simd form = MOTE_SIMD_AVX2; form <= MOTE_SIMD_128; ++form) {
        if (!test_has_form(form)) continue;
        mote_context_def def = mote_context_default_def();
        def.simd = form;
        mote_context *context;
        mote_hits *vector;
        CHECK_OK(mote_context_create(&def, &context, NULL));
        CHECK_OK(mote_hits_create(context, NULL, mesh, &vector, NULL));
        for (uint64_t seed = 1; seed < 4; ++seed) {
            batch_input input = make_batch(mesh, seed);
            const mote_motions motions = view_batch(&input, seed > 1);
            vector->sorting = seed == 3 ? HITS_SORT_ALWAYS : HITS_SORT_NEVER;
            mote_hit_list a, b;
            CHECK_OK(mote_hits_query(vector, &motions, &a, NULL));
            CHECK_OK(mote_hits_query(plain, &motions, &b, NULL));
            assert_int_equal(a.count, b.count);
            for (size_t i = 0; i < a.count; ++i) check_equal(&a.hits[i], &b.hits[i]);
            const size_t few[] = {1, 7, 9, 15, 17, 1023};
            for (size_t k = 0, next = 0; k < sizeof few / sizeof *few; ++k, next = 0) {
                mote_motions first = motions;
                first.from.count = first.to.count = few[k];
                CHECK_OK(mote_hits_query(vector, &first, &a, NULL));
                while (next < b.count && b.hits[next].particle < few[k]) ++next;
                CHECK(a.count == next, "%zu motions: %zu hits, expected %zu", few[k], a.count, next);
                for (size_t i = 0; i < next; ++i) check_equal(&a.hits[i], &b.hits[i]);
            }
            free(input.ends);
            free(input.floats);
        }
        mote_hits_destroy(vector);
        mote_context_destroy(context);
    }
    mote_hits_destroy(plain);
    mote_mesh_destroy(mesh);
}

// --------------------------------------------------------------------------------------------------- any length

enum { LENGTHS = 6, OF_EACH = SANITIZED ? 60 : 500 };

// Motions from about the mesh, 10^first times as long as it and on in tenfold steps; a few from vertex to vertex.
static double *make_lengths(const mote_mesh *mesh, int first, uint64_t seed)
{
    double *ends = malloc(6 * (size_t)LENGTHS * OF_EACH * sizeof *ends);
    mote_random random = {seed};
    for (uint32_t i = 0; i < LENGTHS * OF_EACH; ++i) {
        const double length = pow(10, first + (int)(i % LENGTHS));
        const uint32_t t = mote_random_below(&random, (uint32_t)mesh->triangle_count);
        const mote_triangle triangle = mote_mesh_triangle(mesh, t);
        const mote_vec3 near = mote_hits_lerp(triangle.a, triangle.b, mote_random_unit(&random));
        const mote_vec3 way = mote_vec3_scale(mote_vec3_unit(shape_random_point(&random, 2)), length);
        mote_vec3 from = mote_vec3_add(near, shape_random_point(&random, MOTE_MIN(length, 3)));
        if (i % 7 == 0) from = triangle.c;
        if (i % 7 == 1) from = mote_vec3_add_scaled(near, way, -0.5);
        mote_vec3 to = mote_vec3_add(from, way);
        if (i % 11 == 0) to = mesh->vertices[mote_random_below(&random, (uint32_t)mesh->vertex_count)];
        if (i % 13 == 0) to.x = from.x, to.y = from.y;
        from = snap(from);
        to = snap(to);
        const double six[6] = {from.x, from.y, from.z, to.x, to.y, to.z};
        memcpy(ends + 6 * (size_t)i, six, sizeof six);
    }
    return ends;
}

static mote_hit_list ask_lengths(mote_hits *hits, const double *ends, const int8_t *sides)
{
    const size_t count = (size_t)LENGTHS * OF_EACH;
    mote_motions motions = {
        .from = mote_points_xyz_f64(ends, count), .to = mote_points_xyz_f64(ends + 3, count), .sides = sides};
    motions.from.stride = motions.to.stride = 6 * sizeof *ends;
    mote_hit_list list;
    CHECK_OK(mote_hits_query(hits, &motions, &list, NULL));
    return list;
}

static void check_lengths(const char *name, const mote_mesh *mesh, const mote_hits_def *def, bool plain)
{
    mote_hits *hits;
    CHECK_OK(mote_hits_create(NULL, def, mesh, &hits, NULL));
    if (plain) hits->motion_lanes = &mote_hits_motion_plain;
    double *ends = make_lengths(mesh, -4, 21);
    const mote_hit_list list = ask_lengths(hits, ends, NULL);
    size_t at = 0, met[LENGTHS] = {0};
    for (uint32_t i = 0; i < LENGTHS * OF_EACH; ++i) {
        const double *e = ends + 6 * (size_t)i;
        uint32_t triangle = 0;
        double time;
        if (!brute_first(mesh, mote_vec3_make(e[0], e[1], e[2]), mote_vec3_make(e[3], e[4], e[5]), &triangle, &time))
            continue;
        CHECK(at < list.count && list.hits[at].particle == i, "%s, motion %u: brute force meets %u", name, i, triangle);
        CHECK(list.hits[at].triangle == triangle && fabs(list.hits[at].time - time) < 1e-9,
              "%s, motion %u: triangle %u at %.17g, brute force %u at %.17g", name, i, list.hits[at].triangle,
              list.hits[at].time, triangle, time);
        ++at;
        ++met[i % LENGTHS];
    }
    CHECK(at == list.count, "%s: %zu hits, brute force %zu", name, list.count, at);
    for (int k = 0; k < LENGTHS; ++k) CHECK(met[k] > OF_EACH / 20, "%s, length %d: only %zu hits", name, k, met[k]);
    free(ends);
    mote_hits_destroy(hits);
}

// From 10^-4 of the mesh to 10 times as long, in both forms; also where cells have children.
static void motions_of_any_length_agree_with_brute_force(void **state)
{
    (void)state;
    mote_hits_def coarse = mote_hits_default_def();
    coarse.most_cells = 64;
    coarse.leaf_clusters = 1;
    for (int i = 0; i < SHAPES; ++i) {
        mote_mesh *mesh = shapes[i].make(NULL);
        snap_mesh(mesh);
        for (int form = 0; form < 2; ++form) check_lengths(shapes[i].name, mesh, NULL, form == 1);
        check_lengths(shapes[i].name, mesh, &coarse, false);
        mote_mesh_destroy(mesh);
    }
}

// The same bits as one by one, which goes another way: up to 10^7 times as long, with stored sides and without.
static void long_batches_are_the_same_as_one_by_one(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; ++i) {
        mote_mesh *mesh = shapes[i].make(NULL);
        snap_mesh(mesh);
        mote_hits *hits;
        CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
        int8_t sides[LENGTHS * OF_EACH];
        for (uint32_t k = 0; k < LENGTHS * OF_EACH; ++k) sides[k] = (int8_t)((int)(k / LENGTHS % 3) - 1);
        for (int k = 0; k < 4; ++k) {
            double *ends = make_lengths(mesh, k < 2 ? -3 : 2, (uint64_t)k);
            const mote_hit_list list = ask_lengths(hits, ends, k % 2 ? sides : NULL);
            size_t at = 0;
            for (uint32_t n = 0; n < LENGTHS * OF_EACH; ++n) {
                const double *e = ends + 6 * (size_t)n;
                const mote_vec3 from = {e[0], e[1], e[2]}, to = {e[3], e[4], e[5]};
                mote_hit hit;
                if (!mote_hits_segment(hits, from, to, k % 2 ? sides[n] : 0, &hit)) continue;
                hit.particle = n;
                CHECK(at < list.count, "%s: particle %u is missing", shapes[i].name, n);
                check_equal(&list.hits[at++], &hit);
            }
            assert_int_equal(at, list.count);
            free(ends);
        }
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
}

// ------------------------------------------------------------------------------------------------- odd coordinates

// A cube of any size, anywhere: motions through its faces meet them, those beside it do not.
static void cubes_of_any_size_anywhere(void **state)
{
    (void)state;
    const double sizes[] = {1, 0x1p-100, 0x1p100, 0x1p-3, 1e-20, 1e30}, offsets[] = {0, 1, 1e6};
    for (int s = 0; s < 6; ++s)
        for (int o = 0; o < 3; ++o) {
            mote_mesh *mesh = shape_cube(NULL, 4);
            mote_placement placement = {sizes[s], {0, 0, 0}, {offsets[o] * sizes[s], -offsets[o] * sizes[s], 0}};
            mote_mesh_place(mesh, &placement);
            mote_hits *hits;
            CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
            mote_random random = {2};
            for (int i = 0; i < 500; ++i) {
                mote_vec3 from = {mote_random_unit(&random), mote_random_unit(&random), 0.5}, to = from;
                // From inside to far outside; the farthest are beyond what the grid can tell apart.
                to.z = i % 3 == 0 ? 1.01 : i % 3 == 1 ? -40 : 1e12;
                from = mote_vec3_scale(mote_vec3_add(from, mote_vec3_make(offsets[o], -offsets[o], 0)), sizes[s]);
                to = mote_vec3_scale(mote_vec3_add(to, mote_vec3_make(offsets[o], -offsets[o], 0)), sizes[s]);
                mote_hit hit;
                CHECK(mote_hits_segment(hits, from, to, 0, &hit), "size %g, offset %g, motion %d", sizes[s], offsets[o],
                      i);
                CHECK(hit.side == -1, "size %g, offset %g, motion %d: from outside", sizes[s], offsets[o], i);
                CHECK(mote_hits_segment(hits, to, from, 0, &hit) && hit.side == 1, "back: motion %d", i);
                from.x += 2 * sizes[s];
                to.x += 2 * sizes[s];
                CHECK(!mote_hits_segment(hits, from, to, 0, &hit), "beside: motion %d", i);
            }
            mote_hits_destroy(hits);
            mote_mesh_destroy(mesh);
        }
}

static void what_is_not_finite_meets_nothing(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_cube(NULL, 2);
    mote_hits *hits;
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    const double odd[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, 1e300};
    double ends[6 * 12];
    for (size_t i = 0; i < 12; ++i) {
        const double six[6] = {0.5, 0.5, 0.5, 0.5, 0.6, 2};
        memcpy(ends + 6 * i, six, sizeof six);
        if (i > 0) ends[6 * i + i % 6] = odd[i % 4];
    }
    mote_motions motions = {.from = mote_points_xyz_f64(ends, 12), .to = mote_points_xyz_f64(ends + 3, 12)};
    motions.from.stride = motions.to.stride = 6 * sizeof *ends;
    mote_hit_list list;
    CHECK_OK(mote_hits_query(hits, &motions, &list, NULL));
    assert_int_equal(list.count, 1);
    assert_int_equal(list.hits[0].particle, 0);
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

static void meshes_without_anything_to_hit(void **state)
{
    (void)state;
    const mote_vec3 line[3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, spot[3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    const uint32_t corners[3] = {0, 1, 2};
    for (int k = 0; k < 3; ++k) {
        mote_mesh *mesh;
        CHECK_OK(mote_mesh_create(NULL, k == 2 ? spot : line, k ? 3 : 0, corners, k ? 1 : 0, &mesh, NULL));
        mote_hits *hits;
        CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
        CHECK_OK(mote_hits_validate(hits, NULL));
        mote_hit hit;
        CHECK(!mote_hits_segment(hits, mote_vec3_make(1, 1, 0), mote_vec3_make(1, 1, 3), 0, &hit), "mesh %d", k);
        const double ends[6] = {1, 1, 0, 1, 1, 3};
        const mote_motions motions = {.from = mote_points_xyz_f64(ends, 1), .to = mote_points_xyz_f64(ends + 3, 1)};
        mote_hit_list list;
        CHECK_OK(mote_hits_query(hits, &motions, &list, NULL));
        assert_int_equal(list.count, 0);
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_cube(NULL, 1);
    mote_hits *hits;
    mote_error error;
    mote_hits_def def = mote_hits_default_def();
    def.most_cells = 1;
    assert_int_equal(mote_hits_create(NULL, &def, mesh, &hits, &error), MOTE_ERROR_ARGUMENT);
    def = mote_hits_default_def();
    def.leaf_clusters = 0;
    assert_int_equal(mote_hits_create(NULL, &def, mesh, &hits, &error), MOTE_ERROR_ARGUMENT);
    def.cookie = 0;
    assert_int_equal(mote_hits_create(NULL, &def, mesh, &hits, &error), MOTE_ERROR_ARGUMENT);
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, &error));
    float ends[12] = {0};
    mote_hit_list list;
    mote_motions motions = {.from = mote_points_xyz(ends, 2), .to = mote_points_xyz(ends, 1)};
    assert_int_equal(mote_hits_query(hits, &motions, &list, &error), MOTE_ERROR_ARGUMENT);
    motions.to = mote_points_xy(ends, 2);
    assert_int_equal(mote_hits_query(hits, &motions, &list, &error), MOTE_ERROR_ARGUMENT);
    motions.to = motions.from;
    double radii[2] = {0, -1};
    motions.radii = radii;
    assert_int_equal(mote_hits_query(hits, &motions, &list, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(error.index, 1);
    radii[1] = (double)NAN;
    assert_int_equal(mote_hits_query(hits, &motions, &list, &error), MOTE_ERROR_ARGUMENT);
    mesh->vertices[3].y = (double)NAN;
    assert_int_equal(mote_hits_update(hits, mesh->vertices, &error), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(error.index, 3);
    mote_hits *none;
    assert_int_equal(mote_hits_create(NULL, NULL, mesh, &none, &error), MOTE_ERROR_NOT_FINITE);
    CHECK_OK(mote_hits_validate(hits, &error));
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

static mote_result build_and_ask(mote_context *context, void *data)
{
    (void)data;
    const mote_vec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, far = {5, 5, 5};
    const uint32_t triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    mote_mesh *mesh;
    mote_result result = mote_mesh_create(context, vertices, 4, triangles, 4, &mesh, NULL);
    if (result != MOTE_OK) return result;
    mote_hits *hits;
    result = mote_hits_create(context, NULL, mesh, &hits, NULL);
    if (result == MOTE_OK) {
        const double ends[6] = {0.1, 0.1, 0.1, 5, 5, 5};
        const mote_motions motions = {.from = mote_points_xyz_f64(ends, 1), .to = mote_points_xyz_f64(ends + 3, 1)};
        mote_hit_list list;
        mote_hit hit;
        result = mote_hits_query(hits, &motions, &list, NULL);
        if (result == MOTE_OK) result = mote_hits_update(hits, vertices, NULL);
        if (result == MOTE_OK) result = mote_hits_update_moving(hits, vertices, vertices, NULL);
        assert_true(mote_hits_validate(hits, NULL) == MOTE_OK);
        assert_true(mote_hits_segment(hits, mote_vec3_make(0.1, 0.1, 0.1), far, 0, &hit));
        mote_hits_destroy(hits);
    }
    mote_mesh_destroy(mesh);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    test_failing_allocations(build_and_ask, NULL);
}

// ------------------------------------------------------------------------------------------- spheres, moving meshes

static double brute_distance(const mote_mesh *mesh, const mote_vec3 *moved, double time, mote_vec3 p)
{
    double best = HUGE_VAL;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        mote_vec3 c[3];
        for (size_t k = 0; k < 3; ++k) {
            const uint32_t v = mesh->triangles[3 * t + k];
            c[k] = mote_hits_lerp(mesh->vertices[v], moved[v], time);
        }
        const mote_triangle triangle = {c[0], c[1], c[2]};
        best = MOTE_MIN(best, sqrt(mote_triangle_foot(triangle, p).distance2));
    }
    return best;
}

// Up to the hit the sphere is clear of the surface, and there it touches.
static void check_sphere(const mote_hits *hits, const mote_mesh *mesh, const mote_vec3 *moved, mote_vec3 from,
                         mote_vec3 to, double radius, int i, int *met)
{
    enum { SAMPLES = 24 };
    mote_hit hit;
    if (brute_distance(mesh, moved, 0, from) < radius * 1.0001 + 1e-9) return;
    const bool meets = mote_hits_sphere(hits, from, to, radius, &hit);
    const double end = meets ? hit.time : 1;
    for (int k = 0; k <= SAMPLES; ++k) {
        const double time = end * k / SAMPLES;
        const double apart = brute_distance(mesh, moved, time, mote_hits_lerp(from, to, time));
        CHECK(apart >= radius * (1 - 1e-9), "motion %d, radius %g, time %g: %g away", i, radius, time, apart);
    }
    if (!meets) return;
    ++*met;
    const mote_vec3 center = mote_hits_lerp(from, to, hit.time);
    const double apart = brute_distance(mesh, moved, hit.time, center);
    CHECK(apart <= radius * (1 + 1e-5) + 1e-10, "motion %d, radius %g: still %g away", i, radius, apart);
    CHECK(fabs(mote_vec3_length(mote_vec3_sub(center, hit.point)) - apart) < 1e-9, "motion %d: point", i);
}

static void spheres_stop_where_they_touch(void **state)
{
    (void)state;
    const double radii[] = {0.3, 0.05, 0.001};
    mote_mesh *meshes[2] = {shape_star(NULL), shape_sphere(NULL, 3)};
    const int counts[2] = {SANITIZED ? 300 : 6000, SANITIZED ? 60 : 600};
    for (int m = 0; m < 2; ++m) {
        mote_hits *hits;
        CHECK_OK(mote_hits_create(NULL, NULL, meshes[m], &hits, NULL));
        mote_random random = {8};
        int met = 0;
        for (int i = 0; i < counts[m]; ++i) {
            mote_vec3 from, to;
            random_motion(&random, meshes[m], &from, &to);
            check_sphere(hits, meshes[m], meshes[m]->vertices, from, to, radii[i % 3], i, &met);
        }
        CHECK(met > counts[m] / 60, "mesh %d: only %d hits", m, met);
        mote_hits_destroy(hits);
        mote_mesh_destroy(meshes[m]);
    }
}

static void moving_meshes_are_met_on_their_way(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_star(NULL);
    mote_vec3 *moved = malloc(mesh->vertex_count * sizeof *moved);
    mote_random random = {4};
    int met = 0;
    for (int k = 0; k < 5; ++k) {
        const mote_vec3 way = shape_random_point(&random, 2);
        for (size_t v = 0; v < mesh->vertex_count; ++v)
            moved[v] = mote_vec3_add(mote_vec3_add(mesh->vertices[v], way), shape_random_point(&random, 0.3));
        mote_hits *hits;
        CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
        CHECK_OK(mote_hits_update_moving(hits, mesh->vertices, moved, NULL));
        for (int i = 0; i < (SANITIZED ? 50 : 1000); ++i) {
            mote_vec3 from, to;
            random_motion(&random, mesh, &from, &to);
            check_sphere(hits, mesh, moved, from, to, i % 2 ? 0.05 : 0, i, &met);
        }
        mote_hits_destroy(hits);
    }
    CHECK(met > (SANITIZED ? 10 : 50), "only %d hits", met);
    free(moved);
    mote_mesh_destroy(mesh);
}

// A wall that runs over a particle at rest.
static void hits_tell_the_surface_velocity(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_cube(NULL, 1);
    mote_vec3 moved[8];
    assert_int_equal(mesh->vertex_count, 8);
    for (int v = 0; v < 8; ++v) moved[v] = mote_vec3_add(mesh->vertices[v], mote_vec3_make(0, 0, 2));
    mote_hits *hits;
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    CHECK_OK(mote_hits_update_moving(hits, mesh->vertices, moved, NULL));
    const mote_vec3 rest = {0.25, 0.5, 2};
    mote_hit hit;
    CHECK(mote_hits_segment(hits, rest, rest, 0, &hit), "the wall passes");
    CHECK(fabs(hit.time - 0.5) < 1e-9 && hit.side == 1, "time %g, side %d", hit.time, hit.side);
    CHECK(fabs(hit.velocity.z - 2) < 1e-12 && fabs(hit.normal.z - 1) < 1e-9, "velocity %g", hit.velocity.z);
    CHECK_OK(mote_hits_update(hits, mesh->vertices, NULL));
    CHECK(!mote_hits_segment(hits, rest, rest, 0, &hit), "the wall stands");
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions_agree_with_brute_force),
        cmocka_unit_test(small_grids_and_leaves_change_nothing),
        cmocka_unit_test(closed_meshes_do_not_leak),
        cmocka_unit_test(starts_on_the_surface),
        cmocka_unit_test(batches_are_the_same_as_one_by_one),
        cmocka_unit_test(all_forms_find_the_same),
        cmocka_unit_test(motions_of_any_length_agree_with_brute_force),
        cmocka_unit_test(long_batches_are_the_same_as_one_by_one),
        cmocka_unit_test(cubes_of_any_size_anywhere),
        cmocka_unit_test(what_is_not_finite_meets_nothing),
        cmocka_unit_test(meshes_without_anything_to_hit),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(spheres_stop_where_they_touch),
        cmocka_unit_test(moving_meshes_are_met_on_their_way),
        cmocka_unit_test(hits_tell_the_surface_velocity),
    };
    RUN_TESTS(tests, argc, argv);
}
