// SPDX-License-Identifier: MIT
// The tree over the clusters of first hits: long motions, large spheres and meshes that move, held against all
// triangles one after the other, bit for bit; and how much work large spheres are.

#include "hits/tested.h"
#include "support/shapes.h"
#include "support/test.h"

enum { MESHES = 7, KINDS = 8, MOTIONS = SANITIZED ? 60 : 240 };

static mote_mesh *make_mesh(int which)
{
    switch (which) {
    case 0: return shape_cube(NULL, SANITIZED ? 6 : 10);
    case 1: return shape_sphere(NULL, SANITIZED ? 3 : 4);
    case 2: return shape_torus(NULL, 1, 0.3, 24, 12);
    case 3: return shape_spike(NULL);
    case 4: return shape_star(NULL);
    case 5: return shape_soup(NULL, SANITIZED ? 100 : 400);
    default: return shape_cube(NULL, 1);
    }
}

// Deforms a mesh: `start` as it is, or to where it moves.
static mote_vec3 *moved_vertices(const mote_mesh *mesh, double by, uint64_t seed)
{
    mote_random random = {seed};
    mote_vec3 *ends = malloc(mesh->vertex_count * sizeof *ends);
    for (size_t v = 0; v < mesh->vertex_count; ++v)
        ends[v] = mote_vec3_add(mesh->vertices[v], shape_random_point(&random, by));
    return ends;
}

typedef struct motion {
    mote_vec3 from, to;
    double radius;
    int8_t side;
} motion;

static mote_vec3 some_corner(const mote_mesh *mesh, mote_random *random)
{
    return mesh->vertices[mote_random_below(random, (uint32_t)mesh->vertex_count)];
}

// Long motions of all kinds.
static motion make_motion(const mote_mesh *mesh, int kind, mote_random *random)
{
    const uint32_t *t = mesh->triangles + 3 * (size_t)mote_random_below(random, (uint32_t)mesh->triangle_count);
    const mote_vec3 a = mesh->vertices[t[0]], b = mesh->vertices[t[1]], c = mesh->vertices[t[2]];
    const mote_vec3 near = shape_random_point(random, 3), way = shape_random_point(random, 3);
    motion made = {.from = near, .to = mote_vec3_add(near, way), .side = (int8_t)(mote_random_below(random, 3) - 1)};
    switch (kind) {
    case 0: break;
    case 1:  // from far away, and through
        made.from = shape_random_point(random, 2000);
        made.to = mote_hits_lerp(made.from, shape_random_point(random, 2), 1 + mote_random_unit(random));
        break;
    case 2:  // along an axis
        made.to = made.from;
        ((double *)&made.to.x)[mote_random_below(random, 3)] += mote_random_below(random, 2) ? 5 : -5;
        break;
    case 3:  // nowhere
        made.from = made.to = mote_random_below(random, 2) ? a : near;
        break;
    case 4:  // along an edge, and beyond
        made.from = mote_hits_lerp(a, b, -1);
        made.to = mote_hits_lerp(a, b, 2);
        break;
    case 5:  // in a triangle's plane
        made.from = mote_vec3_add(a, mote_vec3_sub(a, mote_hits_lerp(b, c, 0.25)));
        made.to = mote_hits_lerp(b, c, 0.75);
        break;
    case 6:  // from corner to corner
        made.from = some_corner(mesh, random);
        made.to = some_corner(mesh, random);
        break;
    default:  // through a corner, from very far away
        made.from = shape_random_point(random, 0x1p21);
        made.to = mote_hits_lerp(made.from, a, 2);
        break;
    }
    return made;
}

// ---------------------------------------------------------------------------------------------------- brute force

// Whether any triangle is met, and the first; `begin` as of mote_hits_find_one.
static bool brute_hit(const mote_hits *hits, const motion *of, double begin, uint32_t particle, mote_hit *hit)
{
    hits_ray ray;
    if (!mote_hits_ray_make_scaled(hits, of->from, of->to, of->radius, of->side, particle, &ray)) return false;
    ray.begin = begin;
    for (uint32_t t = 0; t < hits->triangle_count; ++t) {
        if (mote_hits_is_swept(hits, &ray))
            mote_hits_sweep_triangle(hits, &ray, t);
        else
            mote_hits_meet_triangle(hits, &ray, t);
    }
    mote_hits_ray_settle(hits, &ray);
    if (ray.triangle == UINT32_MAX) return false;
    mote_hits_ray_result(hits, &ray, hit);
    return true;
}

static void check_same(bool is_hit, const mote_hit *hit, bool expects, const mote_hit *expected, const char *what,
                       size_t number)
{
    CHECK(is_hit == expects, "%s, motion %zu: hit %d, expected %d (triangle %u at %.17g)", what, number, is_hit,
          expects, expects ? expected->triangle : hit->triangle, expects ? expected->time : hit->time);
    if (!is_hit) return;
    CHECK(hit->triangle == expected->triangle && memcmp(&hit->time, &expected->time, sizeof hit->time) == 0 &&
              memcmp(&hit->point, &expected->point, sizeof hit->point) == 0 &&
              memcmp(&hit->normal, &expected->normal, sizeof hit->normal) == 0 &&
              memcmp(hit->barycentric, expected->barycentric, sizeof hit->barycentric) == 0 &&
              hit->mesh == expected->mesh && hit->feature == expected->feature && hit->side == expected->side &&
              hit->particle == expected->particle,
          "%s, motion %zu: triangle %u at %.17g, expected %u at %.17g", what, number, hit->triangle, hit->time,
          expected->triangle, expected->time);
}

// One by one and as a batch, plain and in lanes, as they come and sorted.
static size_t check_motions(mote_hits *hits, const motion *all, size_t count, const char *what)
{
    const hits_motion_lanes *forms[2] = {&mote_hits_motion_plain, hits->motion_lanes};
    mote_hit *expected = malloc(count * sizeof *expected);
    bool *expects = malloc(count * sizeof *expects);
    double *ends = calloc(6 * count, sizeof *ends), *radii = malloc(count * sizeof *radii);
    int8_t *sides = malloc(count);
    size_t hit_count = 0;
    for (size_t i = 0; i < count; ++i) {
        expects[i] = brute_hit(hits, &all[i], 0, (uint32_t)i, &expected[i]);
        hit_count += expects[i];
        memcpy(ends + 6 * i, &all[i].from, 3 * sizeof *ends);
        memcpy(ends + 6 * i + 3, &all[i].to, 3 * sizeof *ends);
        radii[i] = all[i].radius;
        sides[i] = all[i].side;
    }
    mote_motions motions = {.from = mote_points_xyz_f64(ends, count), .to = mote_points_xyz_f64(ends + 3, count)};
    motions.from.stride = motions.to.stride = 6 * sizeof *ends;
    motions.sides = sides;
    if (count && radii[0] > 0) motions.radii = radii;
    for (int form = 0; form < 4; ++form) {
        mote_hit_list list;
        hits->motion_lanes = forms[form % 2];
        hits->sorting = form < 2 ? HITS_SORT_NEVER : HITS_SORT_ALWAYS;
        CHECK_OK(mote_hits_query(hits, &motions, &list, NULL));
        size_t next = 0;
        for (size_t i = 0; i < count; ++i) {
            const bool is_hit = next < list.count && list.hits[next].particle == i;
            check_same(is_hit, &list.hits[next], expects[i], &expected[i], what, i);
            next += is_hit;
        }
        for (size_t i = 0; i < count && form < 2; ++i) {
            mote_hit hit = {.particle = 0};
            const bool is_hit = mote_hits_find_one(hits, all[i].from, all[i].to, all[i].radius, all[i].side, 0, &hit);
            hit.particle = (uint32_t)i;
            check_same(is_hit, &hit, expects[i], &expected[i], what, i);
        }
    }
    free(expected);
    free(expects);
    free(ends);
    free(radii);
    free(sides);
    return hit_count;
}

static mote_hits *make_first(const mote_mesh *mesh)
{
    mote_hits *hits;
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    CHECK_OK(mote_hits_validate(hits, NULL));
    return hits;
}

static void long_motions_are_those_of_brute_force(void **state)
{
    (void)state;
    for (int m = 0; m < MESHES; ++m) {
        mote_mesh *mesh = make_mesh(m);
        mote_hits *hits = make_first(mesh);
        mote_random random = {(uint64_t)m};
        for (int kind = 0; kind < KINDS; ++kind) {
            char what[64];
            motion *all = malloc(MOTIONS * sizeof *all);
            for (size_t i = 0; i < MOTIONS; ++i) all[i] = make_motion(mesh, kind, &random);
            snprintf(what, sizeof what, "mesh %d, motions %d", m, kind);
            check_motions(hits, all, MOTIONS, what);
            free(all);
        }
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
}

// A mesh far from the origin: boxes are kept from amid it.
static void far_meshes_are_those_of_brute_force(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_sphere(NULL, 3);
    for (size_t v = 0; v < mesh->vertex_count; ++v)
        mesh->vertices[v] = mote_vec3_add(mesh->vertices[v], mote_vec3_make(1e6, -2e6, 5e5));
    mote_hits *hits = make_first(mesh);
    mote_random random = {8};
    motion all[MOTIONS];
    for (size_t i = 0; i < MOTIONS; ++i) {
        all[i] = make_motion(mesh, i % 2 ? 6 : 7, &random);
        all[i].radius = 0;
        all[i].to = mote_vec3_add(all[i].to, shape_random_point(&random, 0.1));
    }
    CHECK(check_motions(hits, all, MOTIONS, "far") > MOTIONS / 8, "hardly any hits");
    for (size_t i = 0; i < MOTIONS; ++i) all[i].radius = 0.3, all[i].side = 0;
    check_motions(hits, all, MOTIONS / 4, "far spheres");
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

// ------------------------------------------------------------------------------------------------------- spheres

static const double radii[] = {1e-9, 1e-3, 0.03, 0.3, 2, 20};

static void spheres_are_those_of_brute_force(void **state)
{
    (void)state;
    enum { SOME = SANITIZED ? 8 : 16 };
    for (int m = 0; m < MESHES; ++m) {
        mote_mesh *mesh = make_mesh(m);
        mote_hits *hits = make_first(mesh);
        mote_random random = {(uint64_t)m};
        for (int kind = 0; kind < KINDS - 1; ++kind)
            for (size_t r = 0; r < sizeof radii / sizeof *radii; ++r) {
                char what[64];
                motion all[SOME];
                for (size_t i = 0; i < SOME; ++i) {
                    all[i] = make_motion(mesh, kind, &random);
                    all[i].radius = radii[r];
                    all[i].side = 0;
                    // Half begin where they do not touch.
                    if (i % 2) all[i].from = mote_vec3_scale(all[i].from, 1 + 3 * radii[r]);
                }
                snprintf(what, sizeof what, "mesh %d, spheres %d of radius %g", m, kind, radii[r]);
                check_motions(hits, all, SOME, what);
            }
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
}

static void moving_meshes_are_those_of_brute_force(void **state)
{
    (void)state;
    enum { SOME = SANITIZED ? 6 : 24 };
    for (int m = 0; m < MESHES; ++m) {
        mote_mesh *mesh = make_mesh(m);
        mote_hits *hits = make_first(mesh);
        mote_vec3 *ends = moved_vertices(mesh, 0.2, 3);
        CHECK_OK(mote_hits_update_moving(hits, mesh->vertices, ends, NULL));
        CHECK_OK(mote_hits_validate(hits, NULL));
        mote_random random = {(uint64_t)m};
        for (int i = 0; i < 6 * SOME; ++i) {
            motion of = make_motion(mesh, i % 3, &random);
            const double begin = i % 4 == 0 ? mote_random_unit(&random) : 0;
            mote_hit hit = {.particle = 0}, expected;
            of.side = 0;
            of.radius = i % 2 ? 0 : radii[(size_t)i % (sizeof radii / sizeof *radii)];
            const bool expects = brute_hit(hits, &of, begin, 0, &expected);
            const bool is_hit = mote_hits_find_one(hits, of.from, of.to, of.radius, 0, begin, &hit);
            check_same(is_hit, &hit, expects, &expected, "moving", (size_t)i);
        }
        // At rest again, elsewhere.
        CHECK_OK(mote_hits_update(hits, ends, NULL));
        CHECK_OK(mote_hits_validate(hits, NULL));
        memcpy(mesh->vertices, ends, mesh->vertex_count * sizeof *ends);
        motion all[SOME];
        for (size_t i = 0; i < SOME; ++i) all[i] = make_motion(mesh, (int)i % KINDS, &random);
        check_motions(hits, all, SOME, "updated");
        free(ends);
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
}

// How many triangles a sphere is tried with.
static uint64_t work_of(const mote_hits *hits, mote_vec3 from, mote_vec3 to, double radius, uint64_t *nodes)
{
    hits_counters counters = {0};
    const hits_walk walk = {hits, &counters};
    hits_ray ray;
    if (!mote_hits_ray_make_scaled(hits, from, to, radius, 0, 0, &ray)) return 0;
    mote_hits_walk(&walk, &ray);
    *nodes += counters.nodes + counters.clusters;
    return counters.triangles;
}

// Tries all triangles, which takes seconds where there are ten million.
static void compare_with_all(const mote_hits *hits, const motion *of)
{
    mote_hit hit = {.particle = 0}, expected;
    const bool expects = brute_hit(hits, of, 0, 0, &expected);
    const bool is_hit = mote_hits_find_one(hits, of->from, of->to, of->radius, 0, 0, &hit);
    check_same(is_hit, &hit, expects, &expected, "a large sphere", 0);
}

// A large sphere costs what it touches first, wherever it comes from and however much of the mesh it lies across. With
// MOTE_LONG_TESTS set, the mesh has ten million triangles.
static void large_spheres_are_little_work(void **state)
{
    (void)state;
    mote_mesh *mesh = test_is_long() ? shape_torus(NULL, 1, 0.3, 3200, 1600) : shape_sphere(NULL, SANITIZED ? 5 : 6);
    const mote_box box = mote_mesh_box(mesh);
    const double size = box.max.x - box.min.x, large[] = {0.1 * size, 0.3, 1, 2, 20};
    mote_hits *hits = make_first(mesh);
    // Others are as near as the first triangle, as far as float coordinates tell: of n about sqrt(n), as those along
    // the rim of a hole that the sphere closes.
    const double most = 400 * MOTE_MAX(sqrt((double)hits->triangle_count / 32768), 1);
    mote_random random = {4};
    for (size_t r = 0; r < sizeof large / sizeof *large; ++r)
        for (int from_afar = 0; from_afar < 2; ++from_afar) {
            enum { SPHERES = 30 };
            uint64_t triangles = 0, nodes = 0;
            for (int i = 0; i < SPHERES; ++i) {
                const double reach = from_afar ? 1000 * (size + large[r]) : size;
                const motion of = {shape_random_point(&random, reach), shape_random_point(&random, size), large[r], 0};
                triangles += work_of(hits, of.from, of.to, of.radius, &nodes);
                if (i == 0 && test_is_long()) compare_with_all(hits, &of);
            }
            CHECK((double)triangles < most * SPHERES && (double)nodes < 2 * most * SPHERES,
                  "radius %g, %s: %g triangles and %g boxes of %zu each", large[r], from_afar ? "from afar" : "within",
                  (double)triangles / SPHERES, (double)nodes / SPHERES, hits->triangle_count);
        }
    uint64_t nodes = 0;
    const mote_vec3 far = {1e12, 1e12, 1e12}, farther = {1e12, 2e12, 1e13};
    assert_int_equal(work_of(hits, far, farther, 1e11, &nodes), 0);
    CHECK(nodes <= 1, "%llu boxes for a sphere that is far away", (unsigned long long)nodes);
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

// ---------------------------------------------------------------------------------------------------------- tree

// Triangles that all lie in one place, or one in the other: halves are made equal before they get too deep.
static void crowded_triangles_have_a_tree(void **state)
{
    (void)state;
    enum { CROWD = SANITIZED ? 600 : 3000 };
    for (int nested = 0; nested < 2; ++nested) {
        mote_vec3 *vertices = malloc(3 * CROWD * sizeof *vertices);
        uint32_t *triangles = malloc(3 * CROWD * sizeof *triangles);
        for (uint32_t t = 0; t < CROWD; ++t) {
            const double size = nested ? pow(0.98, t) : 1;
            vertices[3 * t] = mote_vec3_make(0, 0, 0);
            vertices[3 * t + 1] = mote_vec3_make(size, 0, 0);
            vertices[3 * t + 2] = mote_vec3_make(0, size, size);
            for (uint32_t k = 0; k < 3; ++k) triangles[3 * t + k] = 3 * t + k;
        }
        mote_mesh *mesh;
        CHECK_OK(mote_mesh_create(NULL, vertices, 3 * CROWD, triangles, CROWD, &mesh, NULL));
        mote_hits *hits = make_first(mesh);
        const motion through = {.from = {1e-9, 1e-9, 1}, .to = {1e-9, 1e-9, -1}}, along = {.to = {0.3, 0.3, 0.3}};
        const motion all[2] = {through, along};
        check_motions(hits, all, 2, nested ? "nested" : "crowded");
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
        free(vertices);
        free(triangles);
    }
}

// Halves hold all boxes that they were made of, in whole units.
static void halves_are_whole(void **state)
{
    (void)state;
    enum { MOST = 300 };
    mote_random random = {12};
    for (int i = 0; i < 3000; ++i) {
        hits_split_box boxes[MOST];
        const size_t unit = i % 2 ? 8 : 1, count = unit + 1 + mote_random_below(&random, MOST - 9);
        for (size_t b = 0; b < count; ++b) {
            boxes[b] = mote_hits_split_empty();
            boxes[b].number = (uint32_t)b;
            for (int k = 0; k < 3; ++k) {
                const float at = i % 5 == 0 ? 0.5f : (float)mote_random_below(&random, i % 3 ? 1000 : 3);
                boxes[b].low[k] = at;
                boxes[b].minus_high[k] = -at - (float)mote_random_below(&random, 2);
            }
        }
        const size_t before = mote_hits_split(boxes, count, unit, i % 7 == 0);
        const bool is_whole = before % unit == 0;
        CHECK(before > 0 && before < count && is_whole, "%zu of %zu boxes, units of %zu", before, count, unit);
        uint8_t seen[MOST] = {0};
        for (size_t b = 0; b < count; ++b) CHECK(!seen[boxes[b].number]++, "box %u is there twice", boxes[b].number);
    }
}

// A motion that leaves more nodes aside than there is room for drops out, to be looked at alone.
static void full_stacks_drop_out(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_sphere(NULL, 5);
    mote_hits *hits = make_first(mesh);
    const hits_motion_lanes *forms[2] = {&mote_hits_motion_plain, hits->motion_lanes};
    hits_march *march = calloc(1, sizeof *march);
    hits_ways *ways = calloc(1, sizeof *ways);
    hits_stream *stream = calloc(1, sizeof *stream);
    march->count = 3;
    for (size_t n = 0; n < march->count; ++n) march->last[n] = 1;
    for (size_t n = 0; n < march->count; ++n)
        for (int k = 0; k < 3; ++k) {
            march->from[k][n] = 0.5f;
            march->to[k][n] = (float)hits->grid.size[k];
        }
    for (int form = 0; form < 2; ++form) {
        forms[form]->place_stream(hits, march, ways);
        assert_int_equal(ways->first[1], 3);
        mote_hits_stream_begin(march, ways, 0, 3, 0, stream);
        for (uint32_t k = 0; k <= HITS_STREAM_STACK; ++k) stream->motion[1].node[k] = HITS_TREE_NODE;
        for (uint32_t k = 0; k <= HITS_STREAM_STACK; ++k) stream->motion[1].enters[k] = 0;
        stream->motion[1].way.count = HITS_STREAM_STACK + 1;
        forms[form]->step_stream(hits->tree, stream);
        assert_int_equal(stream->active_count, 2);
        assert_int_equal(stream->alone_count, 1);
        assert_int_equal(stream->alone[0], 1);
        assert_int_equal(stream->motion[0].way.count, stream->motion[2].way.count);
    }
    free(ways);
    free(march);
    free(stream);
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

// Puts motions into a march, in cells as motion_lanes.c computes them.
static void load_march(const mote_hits *hits, const motion *all, size_t count, hits_march *march)
{
    const hits_grid *grid = &hits->grid;
    march->count = count;
    for (size_t i = 0; i < count; ++i) {
        const double from[3] = {all[i].from.x, all[i].from.y, all[i].from.z};
        const double to[3] = {all[i].to.x, all[i].to.y, all[i].to.z};
        march->at[i] = (uint32_t)i;
        march->first[i] = 0;
        march->last[i] = 1;
        for (int k = 0; k < 3; ++k) {
            march->from[k][i] = (float)((from[k] * hits->scale - grid->origin[k]) * grid->per_edge);
            march->to[k][i] = (float)((to[k] * hits->scale - grid->origin[k]) * grid->per_edge);
        }
    }
}

// What shortening leaves of motions holds every hit, in plain C and in lanes to the same bits; and it is less than
// there was.
static void shortened_motions_keep_their_hits(void **state)
{
    (void)state;
    hits_march *march[2] = {calloc(1, sizeof **march), calloc(1, sizeof **march)};
    double left = 0;
    for (int m = 0; m < MESHES; ++m) {
        mote_mesh *mesh = make_mesh(m);
        mote_hits *hits = make_first(mesh);
        const hits_motion_lanes *forms[2] = {&mote_hits_motion_plain, hits->motion_lanes};
        mote_random random = {(uint64_t)m + 40};
        motion all[MOTIONS];
        for (size_t i = 0; i < MOTIONS; ++i) all[i] = make_motion(mesh, (int)i % KINDS, &random);
        for (int form = 0; form < 2; ++form) {
            load_march(hits, all, MOTIONS, march[form]);
            forms[form]->shorten_march(&hits->grid, march[form]);
        }
        const size_t kept = march[0]->count;
        assert_int_equal(march[1]->count, kept);
        assert_memory_equal(march[0]->at, march[1]->at, kept * sizeof *march[0]->at);
        assert_memory_equal(march[0]->first, march[1]->first, kept * sizeof *march[0]->first);
        assert_memory_equal(march[0]->last, march[1]->last, kept * sizeof *march[0]->last);
        size_t next = 0;
        for (size_t i = 0; i < MOTIONS; ++i) {
            mote_hit hit;
            const bool is_kept = next < kept && march[0]->at[next] == i;
            const bool is_hit = brute_hit(hits, &all[i], 0, (uint32_t)i, &hit);
            CHECK(is_kept || !is_hit, "mesh %d: motion %zu hits at %.17g and was dropped", m, i, hit.time);
            if (!is_kept) continue;
            const double first = (double)march[0]->first[next], last = (double)march[0]->last[next];
            CHECK(!is_hit || (first <= hit.time && hit.time <= last),
                  "mesh %d: motion %zu hits at %.17g, not between %.9g and %.9g", m, i, hit.time, first, last);
            left += last - first;
            ++next;
        }
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
    CHECK(left < 0.9 * MESHES * MOTIONS, "%g of %d motions are left", left, MESHES * MOTIONS);
    free(march[0]);
    free(march[1]);
}

// Makes a line as motion_long.c does.
static hits_line make_line(const mote_hits *hits, const hits_ray *ray)
{
    const double from[3] = {ray->from.x, ray->from.y, ray->from.z}, to[3] = {ray->to.x, ray->to.y, ray->to.z};
    hits_line line = {.farthest = 0};
    for (int k = 0; k < 3; ++k) {
        line.from[k] = (float)(from[k] - hits->tree->origin[k]);
        line.way[k] = (float)(to[k] - from[k]);
        line.farthest = MOTE_MAX(line.farthest, fabsf(line.from[k]) + (float)(hits->tree->half[k] * (1 + 0x1p-20)));
        line.longest = MOTE_MAX(line.longest, fabsf(line.way[k]));
    }
    return line;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Lists the clusters that a stream's motions but one reach, as motion << 32 | cluster, in ascending order. Returns how
// many, at most MOST_REACHED.
enum { MOST_REACHED = 1 << 18 };
static size_t reach_clusters(const mote_hits *hits, const hits_motion_lanes *form, const hits_root *root,
                             hits_stream *stream, uint32_t left_out, uint64_t *reached)
{
    size_t count = 0;
    if (root) form->enter_stream(root, stream);
    while (stream->active_count > 0 || stream->leaf_count > 0) {
        CHECK(count + stream->leaf_count <= MOST_REACHED, "more than %zu clusters", count);
        for (size_t n = 0; n < stream->leaf_count; ++n)
            if (stream->motion[stream->leaf_of[n]].way.number != left_out)
                reached[count++] = (uint64_t)stream->leaf_of[n] << 32 | stream->leaf[n];
        form->step_stream(hits->tree, stream);
    }
    assert_int_equal(stream->alone_count, 0);
    qsort(reached, count, sizeof *reached, by_number);
    return count;
}

// What roots are tested with.
typedef struct root_test {
    hits_march march;
    hits_ways ways;
    hits_stream stream;
    hits_root roots[2][HITS_OCTANTS];
    uint32_t tested[2][HITS_OCTANTS];
    uint64_t reached[2][MOST_REACHED];
} root_test;

// From roots of their own, the march's motions reach the same clusters as from the tree's. Roots have the same bits in
// plain C and in lanes, which test as many nodes. Returns how many clusters all of them reach.
static size_t compare_roots(const mote_hits *hits, uint32_t left_out, root_test *test)
{
    const hits_motion_lanes *forms[2] = {&mote_hits_motion_plain, hits->motion_lanes};
    size_t total = 0;
    for (int form = 0; form < 2; ++form) {
        forms[form]->place_stream(hits, &test->march, &test->ways);
        for (uint32_t octant = 0; octant < HITS_OCTANTS; ++octant) {
            const hits_box around = mote_hits_ways_box(&test->ways, octant);
            const size_t begin = test->ways.first[octant], count = test->ways.first[octant + 1] - begin;
            hits_root *root = &test->roots[form][octant];
            size_t counts[2];
            test->tested[form][octant] = forms[form]->make_root(hits->tree, &around, octant, root);
            assert_int_equal(test->tested[form][octant], test->tested[0][octant]);
            if (form == 1) assert_memory_equal(&test->roots[0][octant], root, sizeof *root);
            for (int own = 0; own < 2; ++own) {
                mote_hits_stream_begin(&test->march, &test->ways, begin, count, octant, &test->stream);
                counts[own] = reach_clusters(hits, forms[form], own ? root : NULL, &test->stream, left_out,
                                             test->reached[own]);
            }
            assert_int_equal(counts[0], counts[1]);
            assert_memory_equal(test->reached[0], test->reached[1], counts[0] * sizeof **test->reached);
            total += counts[0];
        }
    }
    return total;
}

// Motions near one another and far apart.
static void roots_lead_to_the_same_clusters(void **state)
{
    (void)state;
    root_test *test = calloc(1, sizeof *test);
    size_t total = 0;
    for (int turn = 0; turn < 4 * MESHES; ++turn) {
        mote_mesh *mesh = make_mesh(turn % MESHES);
        mote_hits *hits = make_first(mesh);
        mote_random random = {(uint64_t)turn + 90};
        motion all[HITS_STREAM];
        const double apart = turn / MESHES % 2 ? 1 : 0.05, longest = turn / MESHES / 2 ? 1 : 0.1;
        const mote_box box = mote_mesh_box(mesh);
        const mote_vec3 size = mote_vec3_sub(box.max, box.min);
        for (size_t i = 0; i < HITS_STREAM; ++i) {
            const double at[3] = {mote_random_unit(&random), mote_random_unit(&random), mote_random_unit(&random)};
            const double way[3] = {mote_random_unit(&random), mote_random_unit(&random), mote_random_unit(&random)};
            all[i].from = mote_vec3_make(box.min.x + (0.4 + apart * (at[0] - 0.4)) * size.x,
                                         box.min.y + (0.1 + apart * (at[1] - 0.1)) * size.y,
                                         box.min.z + (0.5 + apart * (at[2] - 0.5)) * size.z);
            all[i].to = mote_vec3_make(all[i].from.x + longest * (way[0] - 0.5) * size.x,
                                       all[i].from.y + longest * (way[1] - 0.5) * size.y,
                                       all[i].from.z + longest * (i % 3 ? way[2] - 0.5 : 0) * size.z);
        }
        load_march(hits, all, HITS_STREAM, &test->march);
        for (int k = 0; k < 3; ++k)  // which spoils no others
            if (turn % 4 == 3 || k == turn % 3) test->march.from[k][60 - turn] = turn % 2 ? (float)NAN : HUGE_VALF;
        total += compare_roots(hits, 60 - (uint32_t)turn, test);
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
    CHECK(total > 1000, "%zu clusters", total);
    free(test);
}

// How many nodes a batch of so many times the same motion tests.
static uint64_t count_nodes(mote_hits *hits, const motion *of, size_t count)
{
    double ends[2 * HITS_STREAM][6];
    for (size_t i = 0; i < count; ++i) {
        memcpy(ends[i], &of->from, 3 * sizeof *ends[i]);
        memcpy(ends[i] + 3, &of->to, 3 * sizeof *ends[i]);
    }
    mote_motions motions = {.from = mote_points_xyz_f64(ends[0], count), .to = mote_points_xyz_f64(ends[0] + 3, count)};
    motions.from.stride = motions.to.stride = sizeof *ends;
    mote_hit_list list;
    const uint64_t before = mote_hits_get_stats(hits).nodes_tested;
    CHECK_OK(mote_hits_query(hits, &motions, &list, NULL));
    return mote_hits_get_stats(hits).nodes_tested - before;
}

// How many nodes are tested to make a root for one motion; 0 if it does not get as far as the tree.
static uint32_t count_for_root(const mote_hits *hits, const motion *of, root_test *test)
{
    load_march(hits, of, 1, &test->march);
    hits->motion_lanes->shorten_march(&hits->grid, &test->march);
    hits->motion_lanes->place_stream(hits, &test->march, &test->ways);
    for (uint32_t octant = 0; octant < HITS_OCTANTS; ++octant) {
        const hits_box around = mote_hits_ways_box(&test->ways, octant);
        if (test->ways.first[octant] < test->ways.first[octant + 1])
            return hits->motion_lanes->make_root(hits->tree, &around, octant, &test->roots[0][0]);
    }
    return 0;
}

// Streams of the same motion over and over share a root, which is the only difference between two and twice one: its
// making counts once, and the root once for each motion, which is spared the tree's.
static void nodes_of_roots_are_counted(void **state)
{
    (void)state;
    enum { SOME = MOTIONS / 6 };
    root_test *test = calloc(1, sizeof *test);
    size_t seen = 0;
    for (int m = 0; m < MESHES; ++m) {
        mote_mesh *mesh = make_mesh(m);
        mote_hits *hits = make_first(mesh);
        const hits_motion_lanes *forms[2] = {&mote_hits_motion_plain, hits->motion_lanes};
        mote_random random = {(uint64_t)m + 170};
        hits->sorting = HITS_SORT_NEVER;
        for (int i = 0; i < SOME; ++i) {
            // From within the grid to within: count_for_root does not cut what is beyond.
            motion of = make_motion(mesh, 6, &random);
            of.from = mote_hits_lerp(of.from, some_corner(mesh, &random), mote_random_unit(&random));
            uint64_t plain = 0;
            for (int form = 0; form < 2; ++form) {
                hits->motion_lanes = forms[form];
                const uint64_t one = count_nodes(hits, &of, 1), stream = count_nodes(hits, &of, HITS_STREAM);
                const uint64_t root = 2 * stream - count_nodes(hits, &of, 2 * HITS_STREAM);
                const uint64_t expected = one > 0 ? count_for_root(hits, &of, test) : 0;  // 0: too short for the tree
                const uint64_t each = (stream - root) / HITS_STREAM;
                if (form == 0) plain = stream;
                CHECK(root == expected && stream == plain && stream == root + HITS_STREAM * each,
                      "mesh %d, motion %d: %d nodes for a root, expected %d", m, i, (int)root, (int)expected);
                CHECK(root > 0 ? each > 0 && each <= one : each == one,
                      "mesh %d, motion %d: %d nodes, %d without a root", m, i, (int)each, (int)one);
                seen += root > 1;
            }
        }
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
    CHECK(seen > 4 * SOME, "%zu roots", seen);
    free(test);
}

// A face of a cluster's box, seen from the tree's origin.
typedef struct box_face {
    double low[3], high[3];  // of the box
    int axis;
    bool is_high;
} box_face;

static box_face some_face(const mote_hits *hits, mote_random *random)
{
    const struct hits_tree *tree = hits->tree;
    box_face face = {.axis = (int)mote_random_below(random, 3), .is_high = mote_random_below(random, 2)};
    const hits_tree_node *node;
    uint32_t slot;
    do {
        node = &tree->nodes[mote_random_below(random, (uint32_t)tree->node_count)];
        slot = mote_random_below(random, HITS_TREE_FAN);
    } while (node->child[slot] & HITS_TREE_NODE || !(node->plane[0][slot] <= node->plane[3][slot]));
    for (int k = 0; k < 3; ++k) face.low[k] = (double)node->plane[k][slot];
    for (int k = 0; k < 3; ++k) face.high[k] = (double)node->plane[k + 3][slot];
    return face;
}

// A motion that begins on the face, or `off` outside of it, and stays there, goes away from it, or along an axis.
static motion graze(const mote_hits *hits, const box_face *face, double off, mote_random *random)
{
    const double outwards = face->is_high ? 1 : -1, length = 0.1 * mote_random_unit(random);
    const uint32_t kind = mote_random_below(random, 3), along = mote_random_below(random, 3);
    double from[3], to[3];
    for (int k = 0; k < 3; ++k) {
        from[k] = face->low[k] + mote_random_unit(random) * (face->high[k] - face->low[k]);
        if (k == face->axis) from[k] = face->is_high ? face->high[k] + off : face->low[k] - off;
        const double way = length * (k == face->axis ? outwards : 2 * mote_random_unit(random) - 1);
        const bool stays = kind == 0 ? k == face->axis : kind == 1 ? k != (int)along : false;
        to[k] = from[k] + (stays ? 0 : way);
        from[k] = (from[k] + hits->tree->origin[k]) / hits->scale;
        to[k] = (to[k] + hits->tree->origin[k]) / hits->scale;
    }
    return (motion){.from = {from[0], from[1], from[2]}, .to = {to[0], to[1], to[2]}};
}

// Motions that all lie on a face of a cluster's box, an ulp beside it, or outside of it by less than what boxes are
// enlarged by: each of them reaches the cluster from the tree's root, so no root may leave it out.
static void roots_keep_boxes_that_are_grazed(void **state)
{
    (void)state;
    enum { TURNS = SANITIZED ? 20 : 100 };
    root_test *test = calloc(1, sizeof *test);
    for (int m = 0; m < MESHES; ++m) {
        mote_mesh *mesh = make_mesh(m);
        mote_hits *hits = make_first(mesh);
        const double margin = 0x1p-19 + 2 * (double)HITS_FLOAT_ERROR * hits->grid.edge;
        mote_random random = {(uint64_t)m + 130};
        for (int turn = 0; turn < TURNS; ++turn) {
            const box_face face = some_face(hits, &random);
            const double at = face.is_high ? face.high[face.axis] : face.low[face.axis];
            const double offs[5] = {0, ldexp(fabs(at), -23), -ldexp(fabs(at), -23), 0.5 * margin, 0.9 * margin};
            motion all[HITS_STREAM];
            for (size_t i = 0; i < HITS_STREAM; ++i) all[i] = graze(hits, &face, offs[turn % 5], &random);
            load_march(hits, all, HITS_STREAM, &test->march);
            const size_t total = compare_roots(hits, HITS_STREAM, test);
            CHECK(total >= 2 * HITS_STREAM, "mesh %d, face %d: %zu clusters by %d motions in two forms", m, turn, total,
                  HITS_STREAM);
        }
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
    free(test);
}

// Records of motions, as they are sorted, against the same motions one by one.
static void lines_are_those_of_records(void **state)
{
    (void)state;
    mote_mesh *mesh = make_mesh(0);
    mote_hits *hits = make_first(mesh);
    const hits_motion_lanes *forms[2] = {&mote_hits_motion_plain, hits->motion_lanes};
    hits_stream *stream = calloc(1, sizeof *stream);
    float records[HITS_STREAM][8];
    mote_random random = {77};
    for (size_t i = 0; i < HITS_STREAM; ++i)
        for (size_t k = 0; k < 8; ++k) records[i][k] = (float)(mote_random_unit(&random) - 0.5) * (float)(1 + i);
    for (size_t count = 1; count <= HITS_STREAM; count += 9)
        for (int form = 0; form < 2; ++form) {
            stream->count = count;
            for (size_t i = 0; i < count; ++i) stream->motion[i].way.number = (uint16_t)((5 * i + 3) % HITS_STREAM);
            forms[form]->make_lines(hits, records[0], stream);
            for (size_t i = 0; i < count; ++i) {
                const float *of = records[stream->motion[i].way.number];
                const double s = hits->scale;
                const hits_ray ray = {.from = {of[0] * s, of[1] * s, of[2] * s},
                                      .to = {of[3] * s, of[4] * s, of[5] * s}};
                const hits_line line = make_line(hits, &ray);
                CHECK(memcmp(&line, &stream->line[i], sizeof line) == 0, "line %zu of %zu", i, count);
            }
        }
    free(stream);
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

// Nodes behind a first hit are dropped, the others keep their order.
static void stacks_are_cut(void **state)
{
    (void)state;
    const hits_motion_lanes *forms[2] = {&mote_hits_motion_plain, mote_hits_lanes_choose(NULL)->motion};
    hits_stream *stream = calloc(1, sizeof *stream);
    mote_random random = {78};
    for (uint32_t count = 0; count <= HITS_STREAM_STACK; ++count)
        for (int form = 0; form < 2; ++form) {
            const size_t i = count % HITS_STREAM;
            hits_stream_motion *one = &stream->motion[i];
            uint32_t kept[HITS_STREAM_STACK], left = 0;
            one->way.most = 0.5f;
            one->way.count = count;
            for (uint32_t k = 0; k < count; ++k) {
                one->node[k] = HITS_TREE_NODE | k;
                one->enters[k] = (float)mote_random_below(&random, 5) / 4;
                if (one->enters[k] <= 0.5f) kept[left++] = one->node[k];
            }
            stream->cut = UINT64_C(1) << i;
            forms[form]->cut_stream(stream);
            assert_int_equal(stream->cut, 0);
            assert_int_equal(one->way.count, left);
            assert_memory_equal(one->node, kept, left * sizeof *kept);
        }
    free(stream);
}

// A motion that passes, starts or ends within 2^-10 to 2^-45 of an edge, a corner or a point inside of a triangle.
static motion aim_at(const mote_hits *hits, uint32_t triangle, mote_random *random)
{
    mote_vec3 corner[3];
    mote_hits_corners(hits, triangle, corner);
    const double u = mote_random_below(random, 3) ? mote_random_unit(random) : 0;
    const double v = mote_random_below(random, 2) ? mote_random_unit(random) * (1 - u) : 0;
    mote_vec3 at = mote_hits_lerp(mote_hits_lerp(corner[0], corner[1], u), corner[2], v);
    at = mote_vec3_add(at, shape_random_point(random, ldexp(1, -10 - (int)mote_random_below(random, 36))));
    const mote_vec3 way = shape_random_point(random, ldexp(1, -(int)mote_random_below(random, 10)));
    const double before = (double)mote_random_below(random, 3) / 2;
    return (motion){.from = mote_vec3_add_scaled(at, way, -before), .to = mote_vec3_add_scaled(at, way, 1 - before)};
}

// What the float test of a cluster says of each triangle, against the exact test: the certain ones are hit between the
// shares, and those left out are missed.
static size_t check_cluster(const mote_hits *hits, const hits_motion_lanes *lanes, const motion *of, uint32_t leaf,
                            hits_stream *stream, hits_stream_candidates *found)
{
    hits_ray ray;
    if (!mote_hits_ray_make(hits, of->from, of->to, 0, &ray)) return 0;
    stream->last[0] = HUGE_VALF;
    stream->line[0] = make_line(hits, &ray);
    for (size_t k = 0; k <= HITS_STREAM_AFTER; ++k) stream->leaf[k] = leaf, stream->leaf_of[k] = 0;
    const size_t count = lanes->filter_leaves(hits, stream, 0, 1, found);
    size_t sure = 0, next = 0;
    for (uint32_t t = 8 * leaf; t < MOTE_MIN(8 * leaf + 8, (uint32_t)hits->triangle_count); ++t) {
        hits_ray alone = ray;
        mote_hits_meet_triangle(hits, &alone, t);
        const uint32_t lane = t - 8 * leaf;
        const bool is_hit = alone.triangle == t, is_listed = next < count && found->lane[next] == lane;
        CHECK(is_listed || !is_hit, "triangle %u is hit at %.17g and not listed", t, alone.time);
        if (is_listed && isfinite(found->last[lane])) {
            CHECK(is_hit, "triangle %u is missed, but said to be hit by %.9g", t, (double)found->last[lane]);
            CHECK((double)found->least[lane] <= alone.time && alone.time <= (double)found->last[lane],
                  "triangle %u is hit at %.17g, not between %.9g and %.9g", t, alone.time, (double)found->least[lane],
                  (double)found->last[lane]);
            ++sure;
        }
        next += is_listed;
    }
    CHECK(next == count, "cluster %u: %zu triangles listed, %zu of them its own", leaf, count, next);
    return sure;
}

static void float_tests_keep_their_bounds(void **state)
{
    (void)state;
    hits_stream_candidates *found = malloc(sizeof *found);
    hits_stream *stream = malloc(sizeof *stream);
    for (int m = 0; m < MESHES; ++m) {
        mote_mesh *mesh = make_mesh(m);
        mote_hits *hits = make_first(mesh);
        const hits_motion_lanes *forms[2] = {&mote_hits_motion_plain, hits->motion_lanes};
        mote_random random = {(uint64_t)m + 20};
        size_t sure = 0;
        for (int i = 0; i < 50 * MOTIONS; ++i) {
            const uint32_t triangle = mote_random_below(&random, (uint32_t)hits->triangle_count);
            const motion of = aim_at(hits, triangle, &random);
            for (int form = 0; form < 2; ++form)
                sure += check_cluster(hits, forms[form], &of, triangle / 8, stream, found);
        }
        CHECK(m == 3 || sure > MOTIONS, "mesh %d: only %zu certain hits", m, sure);
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
    free(stream);
    free(found);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_motions_are_those_of_brute_force),
        cmocka_unit_test(far_meshes_are_those_of_brute_force),
        cmocka_unit_test(spheres_are_those_of_brute_force),
        cmocka_unit_test(moving_meshes_are_those_of_brute_force),
        cmocka_unit_test(large_spheres_are_little_work),
        cmocka_unit_test(crowded_triangles_have_a_tree),
        cmocka_unit_test(halves_are_whole),
        cmocka_unit_test(full_stacks_drop_out),
        cmocka_unit_test(shortened_motions_keep_their_hits),
        cmocka_unit_test(lines_are_those_of_records),
        cmocka_unit_test(roots_lead_to_the_same_clusters),
        cmocka_unit_test(nodes_of_roots_are_counted),
        cmocka_unit_test(roots_keep_boxes_that_are_grazed),
        cmocka_unit_test(stacks_are_cut),
        cmocka_unit_test(float_tests_keep_their_bounds),
    };
    RUN_TESTS(tests, argc, argv);
}
