// SPDX-License-Identifier: MIT
// The octree proxy: labels against winding numbers and against what is seen; particles that never change sides; the
// same bits for any number of threads; memory that runs out.

#include "mesh/tested.h"
#include "mote/import.h"
#include "proxy/tested.h"
#include "support/shapes.h"
#include "support/test.h"

// -------------------------------------------------------------------------------------------------------- meshes

// Leaves out the triangles whose middle is above `height` (z).
static mote_mesh *cut_above(mote_mesh *mesh, double height)
{
    size_t kept = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const mote_triangle triangle = mote_mesh_triangle(mesh, t);
        if (triangle.a.z + triangle.b.z + triangle.c.z > 3 * height) continue;
        memmove(mesh->triangles + 3 * kept++, mesh->triangles + 3 * t, 3 * sizeof *mesh->triangles);
    }
    mote_mesh *cut;
    CHECK_OK(mote_mesh_create(mesh->context, mesh->vertices, mesh->vertex_count, mesh->triangles, kept, &cut, NULL));
    mote_mesh_destroy(mesh);
    return cut;
}

static mote_mesh *make_coarse_cube(mote_context *context)
{
    return shape_cube(context, 1);
}

static mote_mesh *make_sphere(mote_context *context)
{
    return shape_sphere(context, 4);
}

static mote_mesh *make_bowl(mote_context *context)
{
    return cut_above(shape_sphere(context, 4), 0.3);
}

static mote_mesh *make_open_star(mote_context *context)
{
    return cut_above(shape_star(context), 0.45);
}

// A square sheet that faces up, tilted, so that its rim lies in leaves at every angle.
static mote_mesh *make_sheet(mote_context *context)
{
    const mote_vec3 vertices[] = {{0, 0, 0}, {1, 0.1, 0.13}, {1.1, 1.2, 0.31}, {0.05, 1, 0.11}};
    const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(context, vertices, 4, triangles, 2, &mesh, NULL));
    return mesh;
}

static mote_mesh *make_bunny(mote_context *context)
{
    char path[1024];
    mote_mesh *mesh;
    if (mote_import_find("bunny.obj", NULL, path, sizeof path, NULL) != MOTE_OK) {
        print_message("bunny.obj is not there (Debian's package glmark2-data has it): skipped\n");
        skip();
    }
    CHECK_OK(mote_import_mesh(context, path, &mesh, NULL));
    return mesh;
}

static mote_mesh *make_cut_bunny(mote_context *context)
{
    mote_mesh *mesh = make_bunny(context);
    const mote_placement up = {1, {90, 0, 0}, {0, 0, 0}};
    mote_mesh_place(mesh, &up);
    const mote_box box = mote_mesh_box(mesh);
    return cut_above(mesh, box.min.z + 0.7 * (box.max.z - box.min.z));
}

typedef struct proxy_case {
    const char *name;
    mote_mesh *(*make)(mote_context *context);
    int min_depth, max_depth;
} proxy_case;

static mote_proxy *make_proxy(mote_context *context, const mote_mesh *mesh, const proxy_case *with)
{
    mote_proxy_def def = mote_proxy_default_def();
    def.min_depth = with->min_depth;
    def.max_depth = with->max_depth;
    mote_proxy *proxy;
    mote_error error;
    if (mote_proxy_create(context, &def, &mesh, 1, &proxy, &error) != MOTE_OK) FAIL("%s: %s", with->name, error.text);
    if (mote_proxy_validate(proxy, &error) != MOTE_OK) FAIL("%s: %s", with->name, error.text);
    return proxy;
}

// -------------------------------------------------------------------------------------------------------- labels

static const proxy_case closed_cases[] = {
    {"cube of 12 triangles", make_coarse_cube, 2, 5},
    {"sphere", make_sphere, 3, 5},
    {"sphere, deep", make_sphere, 1, 6},
    {"spike", shape_spike, 2, 7},
    {"star", shape_star, 2, 5},
    {"star, deep", shape_star, 0, 7},
};

// Calls a function for every empty leaf that has a label.
typedef void empty_visit(void *data, const uint32_t low[3], uint32_t size, uint32_t label);

static void each_labelled(const mote_proxy *proxy, uint32_t number, const uint32_t low[3], uint32_t size,
                          empty_visit *visit, void *data)
{
    const mote_proxy_node *node = proxy->nodes + number;
    const uint32_t half = size / 2;
    for (uint32_t k = 0; k < 8; ++k) {
        const uint32_t at[3] = {low[0] + (k & 1) * half, low[1] + (k >> 1 & 1) * half, low[2] + (k >> 2) * half};
        const uint32_t bits = node->bits >> k, label = (bits >> 16 & 1) | (bits >> 23 & 2);
        if (bits & 1 && bits >> 8 & 1)
            each_labelled(proxy, mote_octree_child(node, k), at, half, visit, data);
        else if (!(bits & 1) && label)
            visit(data, at, half, label);
    }
}

static mote_vec3 in_metres(const mote_proxy *proxy, double x, double y, double z)
{
    return mote_vec3_add_scaled(proxy->origin, mote_vec3_make(x, y, z), proxy->leaf);
}

typedef struct winding_check {
    const proxy_case *of;
    const mote_proxy *proxy;
    const mote_mesh *mesh;
    int seen, step;
} winding_check;

static void compare_with_winding(void *data, const uint32_t low[3], uint32_t size, uint32_t label)
{
    winding_check *check = data;
    if (check->seen++ % check->step) return;
    const double half = size / 2.0;
    const mote_vec3 middle = in_metres(check->proxy, low[0] + half, low[1] + half, low[2] + half);
    const bool inside = mote_mesh_winding_number(check->mesh, middle) > 0.5;
    CHECK(label == (inside ? MOTE_PROXY_BACK : MOTE_PROXY_FRONT), "%s: leaf %u %u %u of size %u has label %u",
          check->of->name, low[0], low[1], low[2], size, label);
}

static void check_closed(const proxy_case *of, int step)
{
    mote_context *context = test_context_with_threads(1);
    mote_mesh *mesh = of->make(context);
    mote_proxy *proxy = make_proxy(context, mesh, of);
    winding_check check = {of, proxy, mesh, 0, step};
    const uint32_t corner[3] = {0, 0, 0};
    each_labelled(proxy, 0, corner, 1u << of->max_depth, compare_with_winding, &check);
    CHECK(check.seen > 50, "%s: %d labels", of->name, check.seen);
    const mote_proxy_stats stats = mote_proxy_get_stats(proxy);
    CHECK(stats.both == 0 && stats.rims == 0, "%s: a closed mesh with %d rims, %d both of %d", of->name,
          (int)stats.rims, (int)stats.both, (int)stats.front);
    mote_proxy_destroy(proxy);
    mote_mesh_destroy(mesh);
    mote_context_destroy(context);
}

static void labels_of_closed_meshes_are_winding_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof closed_cases / sizeof closed_cases[0]; ++i)
        check_closed(closed_cases + i, SANITIZED ? 41 : 3);
}

static void labels_of_the_bunny_are_winding_numbers(void **state)
{
    (void)state;
    const proxy_case bunny = {"bunny", make_bunny, 4, 7};
    check_closed(&bunny, SANITIZED ? 2000 : 50);
}

// Every empty leaf whose closed box touches a leaf with triangles has a label, and no other has.
typedef struct touch_check {
    const mote_proxy *proxy;
    const bool *has_triangles;  // per finest cell
    bool *labelled;
} touch_check;

static void mark_labelled(void *data, const uint32_t low[3], uint32_t size, uint32_t label)
{
    touch_check *check = data;
    const uint32_t n = 1u << check->proxy->def.max_depth;
    bool touches = false;
    (void)label;
    for (uint32_t z = low[2] - (low[2] > 0); z <= MOTE_MIN(low[2] + size, n - 1); ++z)
        for (uint32_t y = low[1] - (low[1] > 0); y <= MOTE_MIN(low[1] + size, n - 1); ++y)
            for (uint32_t x = low[0] - (low[0] > 0); x <= MOTE_MIN(low[0] + size, n - 1); ++x)
                touches |= check->has_triangles[(z * n + y) * n + x];
    CHECK(touches, "leaf %u %u %u of size %u has a label, but touches nothing", low[0], low[1], low[2], size);
    for (uint32_t z = low[2]; z < low[2] + size; ++z)
        for (uint32_t y = low[1]; y < low[1] + size; ++y)
            for (uint32_t x = low[0]; x < low[0] + size; ++x) check->labelled[(z * n + y) * n + x] = true;
}

static void all_that_touch_are_labelled(void **state)
{
    (void)state;
    const proxy_case cases[] = {{"star", shape_star, 0, 5}, {"sheet", make_sheet, 1, 5}, {"bowl", make_bowl, 2, 5}};
    for (int c = 0; c < 3; ++c) {
        mote_context *context = test_context_with_threads(1);
        mote_mesh *mesh = cases[c].make(context);
        mote_proxy *proxy = make_proxy(context, mesh, cases + c);
        enum { N = 32 };
        bool *has_triangles = calloc(N * N * N, 1), *labelled = calloc(N * N * N, 1);
        for (uint32_t i = 0; i < N * N * N; ++i) {
            const uint32_t cell[3] = {i % N, i / N % N, i / (N * N)};
            has_triangles[i] = mote_proxy_find(proxy, cell).kind == MOTE_PROXY_LEAF;
        }
        touch_check check = {proxy, has_triangles, labelled};
        const uint32_t corner[3] = {0, 0, 0};
        each_labelled(proxy, 0, corner, N, mark_labelled, &check);
        for (uint32_t i = 0; i < N * N * N; ++i)
            for (uint32_t k = 0; k < 27 && has_triangles[i]; ++k) {
                const uint32_t x = i % N + k % 3 - 1, y = i / N % N + k / 3 % 3 - 1, z = i / (N * N) + k / 9 - 1;
                const uint32_t near = (z * N + y) * N + x;
                CHECK(has_triangles[near] || labelled[near], "%s: cell %u beside %u has no label", cases[c].name, near,
                      i);
            }
        free(has_triangles);
        free(labelled);
        mote_proxy_destroy(proxy);
        mote_mesh_destroy(mesh);
        mote_context_destroy(context);
    }
}

// --------------------------------------------------------------------------------------------------- what is seen

// The first triangle of all on the way from one point to another: 1 its front, 2 its back, 0 none.
static uint8_t first_seen(const mote_mesh *mesh, mote_vec3 from, mote_vec3 to)
{
    const mote_vec3 way = mote_vec3_sub(to, from);
    double nearest = 1 + 1e-9;
    uint8_t side = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const mote_triangle triangle = mote_mesh_triangle(mesh, t);
        const mote_vec3 normal = mote_triangle_cross(triangle);
        const double along = mote_vec3_dot(normal, way);
        const double time = mote_vec3_dot(normal, mote_vec3_sub(triangle.a, from)) / along;
        if (along == 0 || !(time >= 0 && time < nearest)) continue;
        const mote_vec3 p = mote_vec3_add_scaled(from, way, time);
        const mote_vec3 corner[3] = {triangle.a, triangle.b, triangle.c};
        bool within = true;
        for (int k = 0; k < 3; ++k) {
            const mote_vec3 edge = mote_vec3_sub(corner[(k + 1) % 3], corner[k]);
            within &= mote_vec3_dot(mote_vec3_cross(edge, mote_vec3_sub(p, corner[k])), normal) >= 0;
        }
        if (!within) continue;
        nearest = time;
        side = along < 0 ? MOTE_PROXY_FRONT : MOTE_PROXY_BACK;
    }
    return side;
}

// Looks from points of the faces of leaves with triangles at points of the surface in these leaves: through a face with
// one label nothing else may be seen.
static void check_open(const proxy_case *of, int tries)
{
    mote_context *context = test_context_with_threads(1);
    mote_mesh *mesh = of->make(context);
    mote_proxy *proxy = make_proxy(context, mesh, of);
    const uint32_t n = 1u << of->max_depth;
    mote_random random = {3};
    int seen = 0, wrong = 0;
    for (int i = 0; i < tries; ++i) {
        const uint32_t t = mote_random_below(&random, (uint32_t)mesh->triangle_count);
        double u = mote_random_unit(&random), v = mote_random_unit(&random);
        if (u + v > 1) u = 1 - u, v = 1 - v;
        const mote_triangle triangle = mote_mesh_triangle(mesh, t);
        mote_vec3 on = mote_vec3_add_scaled(triangle.a, mote_vec3_sub(triangle.b, triangle.a), u);
        on = mote_vec3_add_scaled(on, mote_vec3_sub(triangle.c, triangle.a), v);
        uint32_t cell[3];
        assert_true(mote_proxy_cell(proxy, on, cell));
        const mote_spot leaf = mote_proxy_find(proxy, cell);
        assert_int_equal(leaf.kind, MOTE_PROXY_LEAF);
        const uint32_t face = mote_random_below(&random, 6), axis = face / 2;
        double at[3];
        for (uint32_t k = 0; k < 3; ++k) {
            at[k] = leaf.low[k] + leaf.size * mote_random_unit(&random);
            cell[k] = (uint32_t)at[k];
        }
        at[axis] = face % 2 ? leaf.low[axis] + leaf.size : leaf.low[axis];
        cell[axis] = face % 2 ? leaf.low[axis] + leaf.size : leaf.low[axis] - 1;
        assert_true(cell[axis] < n);
        const mote_spot empty = mote_proxy_find(proxy, cell);
        if (empty.kind == MOTE_PROXY_LEAF) continue;
        uint32_t label = empty.kind;
        if (label == 3) label = proxy->nodes[leaf.node].bits >> 2 * face & 3;
        if (label == 3) {
            // Told apart where a particle passes.
            mote_leaf_view view;
            CHECK(mote_proxy_view(proxy, leaf.node, leaf.low, leaf.size, &view), "%s: a rim without triangles",
                  of->name);
            label = mote_view_side(&view, mote_vec3_make(at[0], at[1], at[2]));
            CHECK(label == 1 || label == 2, "%s: nothing seen at a rim", of->name);
            continue;
        }
        const uint8_t side = first_seen(mesh, in_metres(proxy, at[0], at[1], at[2]), on);
        if (!side) continue;
        ++seen;
        wrong += side != label;
    }
    const mote_proxy_stats stats = mote_proxy_get_stats(proxy);
    if (wrong) print_message("%s: %d of %d, %d rims\n", of->name, wrong, seen, (int)stats.rims);
    CHECK(seen > tries / 20, "%s: only %d of %d saw anything", of->name, seen, tries);
    CHECK(wrong * 1000 <= seen, "%s: %d of %d looks showed the other side", of->name, wrong, seen);
    mote_proxy_destroy(proxy);
    mote_mesh_destroy(mesh);
    mote_context_destroy(context);
}

static void labels_of_open_meshes_are_what_is_seen(void **state)
{
    (void)state;
    const proxy_case cases[] = {{"sheet", make_sheet, 2, 5},
                                {"sheet, deep", make_sheet, 0, 7},
                                {"bowl", make_bowl, 3, 5},
                                {"bowl, deep", make_bowl, 1, 6},
                                {"star", make_open_star, 2, 6}};
    for (int i = 0; i < 5; ++i) check_open(cases + i, SANITIZED ? 1000 : 20000);
}

// ------------------------------------------------------------------------------------------------------- escapes

typedef struct crowd {
    size_t count;
    float *x, *v;
    uint8_t *labels, *sides;  // the second: at the start
    mote_proxy_particles particles;
} crowd;

static crowd make_crowd(size_t count)
{
    crowd c = {count,
               calloc(3 * count, sizeof(float)),
               calloc(3 * count, sizeof(float)),
               calloc(count, 1),
               calloc(count, 1),
               {.count = 0}};
    c.particles = mote_proxy_particles_xyz(c.x, c.v, c.labels, count);
    return c;
}

static mote_vec3 random_vector_in(mote_random *random, double size)
{
    double x = mote_random_unit(random), y = mote_random_unit(random), z = mote_random_unit(random);
    return mote_vec3_make(size * (2 * x - 1), size * (2 * y - 1), size * (2 * z - 1));
}

static void free_crowd(crowd *c)
{
    free(c->x);
    free(c->v);
    free(c->labels);
    free(c->sides);
}

// Half of them anywhere in the box, half near the surface, at speeds up to `speed`.
static void scatter(crowd *c, const mote_mesh *mesh, double near, double speed)
{
    mote_random random = {31};
    const mote_box box = mote_mesh_box(mesh);
    for (size_t i = 0; i < c->count; ++i) {
        const mote_vec3 size = mote_vec3_sub(box.max, box.min);
        mote_vec3 p = {box.min.x + size.x * mote_random_unit(&random), box.min.y + size.y * mote_random_unit(&random),
                       box.min.z + size.z * mote_random_unit(&random)};
        if (i % 2) p = mesh->vertices[mote_random_below(&random, (uint32_t)mesh->vertex_count)];
        const double at[3] = {p.x, p.y, p.z};
        for (size_t k = 0; k < 3; ++k) {
            c->x[3 * i + k] = (float)(at[k] + (double)(i % 2) * near * (2 * mote_random_unit(&random) - 1));
            c->v[3 * i + k] = (float)(speed * (2 * mote_random_unit(&random) - 1));
        }
    }
}

static mote_vec3 position_of(const crowd *c, size_t i)
{
    return mote_vec3_make((double)c->x[3 * i], (double)c->x[3 * i + 1], (double)c->x[3 * i + 2]);
}

// With MOTE_LONG_TESTS set, a million particles take a thousand steps each, on three of the meshes.
static size_t particle_count(void)
{
    return test_is_long() ? 1000000 : SANITIZED ? 300 : 10000;
}

static int step_count(void)
{
    return test_is_long() ? 1000 : SANITIZED ? 20 : 200;
}

typedef struct escape_run {
    size_t particles;
    int steps;
    double dt, gravity, speed;
    mote_response response;
} escape_run;

static void step(const mote_proxy *proxy, crowd *c, const escape_run *run, mote_proxy_counters *counters)
{
    for (size_t i = 0; i < c->count; ++i) c->v[3 * i + 2] -= (float)(run->gravity * run->dt);
    CHECK_OK(mote_proxy_advance(proxy, &c->particles, run->dt, &run->response, counters, NULL));
}

// Particles in empty leaves of the other side, all labels of empty leaves being winding numbers. Who starts far from
// the surface has no side before the first of them.
static size_t count_escapes(const mote_proxy *proxy, const crowd *c)
{
    size_t escapes = 0;
    for (size_t i = 0; i < c->count; ++i) {
        uint32_t cell[3];
        if (!mote_proxy_cell(proxy, position_of(c, i), cell)) {
            escapes += c->sides[i] == MOTE_PROXY_BACK;
            continue;
        }
        const mote_spot spot = mote_proxy_find(proxy, cell);
        if (spot.kind != MOTE_PROXY_FRONT && spot.kind != MOTE_PROXY_BACK) continue;
        if (c->sides[i] == MOTE_PROXY_UNKNOWN) c->sides[i] = (uint8_t)spot.kind;
        escapes += spot.kind != c->sides[i] || c->labels[i] != c->sides[i];
    }
    return escapes;
}

static void check_escapes_closed(const proxy_case *of, const escape_run *run, int check_every)
{
    mote_context *context = test_context_with_threads(1);
    mote_mesh *mesh = of->make(context);
    mote_proxy *proxy = make_proxy(context, mesh, of);
    crowd c = make_crowd(run->particles);
    scatter(&c, mesh, 3 * proxy->leaf, run->speed);
    CHECK_OK(mote_proxy_stamp(proxy, &c.particles, NULL));
    for (size_t i = 0; i < c.count; ++i) {
        c.sides[i] = c.labels[i];
        if (i % (mesh->triangle_count > 10000 ? 500 : 50)) continue;
        const bool inside = mote_mesh_winding_number(mesh, position_of(&c, i)) > 0.5;
        c.sides[i] = inside ? MOTE_PROXY_BACK : MOTE_PROXY_FRONT;
        if (c.labels[i] != MOTE_PROXY_UNKNOWN)
            CHECK(c.labels[i] == c.sides[i], "%s: particle %zu is stamped %d", of->name, i, c.labels[i]);
    }
    mote_proxy_counters counters = {0};
    size_t escapes = 0;
    for (int k = 1; k <= run->steps; ++k) {
        step(proxy, &c, run, &counters);
        if (k % check_every == 0 || k == run->steps) escapes += count_escapes(proxy, &c);
    }
    CHECK(escapes == 0, "%s, restitution %g: %zu escapes", of->name, run->response.restitution, escapes);
    CHECK(counters.collided > run->particles / 4, "%s: %d collisions", of->name, (int)counters.collided);
    free_crowd(&c);
    mote_proxy_destroy(proxy);
    mote_mesh_destroy(mesh);
    mote_context_destroy(context);
}

static const double restitutions[] = {0, 0.5};

static void no_particle_leaves_its_side(void **state)
{
    (void)state;
    const int count = (int)(sizeof closed_cases / sizeof closed_cases[0]);
    for (int i = test_is_long() ? count - 1 : 0; i < count; ++i)
        for (int k = 0; k < 2; ++k) {
            const escape_run run = {
                particle_count(), step_count(), 0.01, 9.81, 3,
                mote_response_bounce(restitutions[k], (double)(i % 3) / 10)};
            check_escapes_closed(closed_cases + i, &run, 5);
        }
}

static void no_particle_leaves_its_side_of_the_bunny(void **state)
{
    (void)state;
    const proxy_case bunny = {"bunny", make_bunny, 4, 7};
    for (int k = 0; k < 2; ++k) {
        const escape_run run = {particle_count(), step_count(), 0.01, 1, 1, mote_response_bounce(restitutions[k], 0)};
        check_escapes_closed(&bunny, &run, 5);
    }
}

// The mesh's open edges: middles, and the largest half length.
typedef struct rim {
    mote_vec3 *at;
    size_t count;
    double half;
} rim;

static rim find_rim(const mote_mesh *mesh)
{
    rim found = {calloc(3 * mesh->triangle_count, sizeof *found.at), 0, 0};
    mote_mesh_edges edges;
    CHECK_OK(mote_mesh_edges_build(mesh, &edges));
    for (size_t i = 0; i < edges.count; ++i) {
        if ((i && edges.keys[i] == edges.keys[i - 1]) || (i + 1 < edges.count && edges.keys[i] == edges.keys[i + 1]))
            continue;
        const uint32_t number = edges.numbers[i], first = number - number % 3;
        const mote_vec3 a = mesh->vertices[mesh->triangles[number]],
                        b = mesh->vertices[mesh->triangles[first + (number % 3 + 1) % 3]];
        found.at[found.count++] = mote_vec3_scale(mote_vec3_add(a, b), 0.5);
        found.half = MOTE_MAX(found.half, mote_vec3_length(mote_vec3_sub(a, b)) / 2);
    }
    mote_mesh_edges_release(mesh, &edges);
    return found;
}

static double distance_from_rim(const rim *from, mote_vec3 p)
{
    double least = HUGE_VAL;
    for (size_t i = 0; i < from->count; ++i) least = MOTE_MIN(least, mote_vec3_length(mote_vec3_sub(p, from->at[i])));
    return least - from->half;
}

// Labels of an open mesh change only on the way around a rim: since a particle was last in an empty leaf of the other
// label, it has gone as far as to the rim, or it is in a leaf as large as that.
static void check_escapes_open(const proxy_case *of, const escape_run *run)
{
    mote_context *context = test_context_with_threads(1);
    mote_mesh *mesh = of->make(context);
    mote_proxy *proxy = make_proxy(context, mesh, of);
    const rim edge = find_rim(mesh);
    crowd c = make_crowd(run->particles);
    scatter(&c, mesh, 3 * proxy->leaf, run->speed);
    CHECK_OK(mote_proxy_stamp(proxy, &c.particles, NULL));
    double *walked = calloc(c.count, sizeof *walked);
    mote_proxy_counters counters = {0};
    int turns = 0;
    for (int k = 0; k < run->steps; ++k) {
        float *before = malloc(3 * c.count * sizeof *before);
        memcpy(before, c.x, 3 * c.count * sizeof *before);
        step(proxy, &c, run, &counters);
        for (size_t i = 0; i < c.count; ++i) {
            const mote_vec3 from = {(double)before[3 * i], (double)before[3 * i + 1], (double)before[3 * i + 2]};
            const mote_vec3 now = position_of(&c, i);
            walked[i] += mote_vec3_length(mote_vec3_sub(now, from));
            uint32_t cell[3];
            if (!mote_proxy_cell(proxy, now, cell)) continue;
            const mote_spot spot = mote_proxy_find(proxy, cell);
            if (spot.kind != MOTE_PROXY_FRONT && spot.kind != MOTE_PROXY_BACK) continue;
            CHECK(c.labels[i] == spot.kind, "%s: particle %zu has label %d in a leaf of %u", of->name, i, c.labels[i],
                  spot.kind);
            if (c.sides[i] && spot.kind != c.sides[i]) {
                ++turns;
                const double away = distance_from_rim(&edge, now);
                CHECK(away < walked[i] + (3 + 2 * spot.size) * proxy->leaf,
                      "%s, e %g: particle %zu changed sides %g from the rim, after %g", of->name,
                      run->response.restitution, i, away, walked[i]);
            }
            c.sides[i] = (uint8_t)spot.kind;
            walked[i] = 0;
        }
        free(before);
    }
    CHECK(turns > 0 || SANITIZED, "%s: no particle has gone around the rim", of->name);
    CHECK(counters.collided > run->particles / 4, "%s: %d collisions", of->name, (int)counters.collided);
    free(walked);
    free(edge.at);
    free_crowd(&c);
    mote_proxy_destroy(proxy);
    mote_mesh_destroy(mesh);
    mote_context_destroy(context);
}

static void sides_of_open_meshes_change_only_at_rims(void **state)
{
    (void)state;
    const proxy_case cases[] = {{"bowl", make_bowl, 3, 6}, {"open star", make_open_star, 2, 6}};
    for (int i = 0; i < 4; ++i) {
        const escape_run run = {SANITIZED ? 300 : 10000,   SANITIZED ? 40 : 200, 0.01, 9.81, 3,
                                mote_response_bounce(restitutions[i % 2], 0.1)};
        check_escapes_open(cases + i / 2, &run);
    }
}

static void sides_of_a_cut_bunny_change_only_at_its_rim(void **state)
{
    (void)state;
    const proxy_case bunny = {"cut bunny", make_cut_bunny, 4, 7};
    for (int k = 0; k < 2; ++k) {
        const escape_run run = {particle_count(), step_count(), 0.01, 1, 0.7, mote_response_bounce(restitutions[k], 0)};
        check_escapes_open(&bunny, &run);
    }
}

// A bowl holds what lies in it, and what is pressed against it from outside stays there.
static void bowl_holds_particles(void **state)
{
    (void)state;
    const proxy_case bowl = {"bowl", make_bowl, 3, 6};
    mote_context *context = test_context_with_threads(1);
    mote_mesh *mesh = make_bowl(context);
    mote_proxy *proxy = make_proxy(context, mesh, &bowl);
    for (int k = 0; k < 4; ++k) {
        const bool outside = k / 2;
        const escape_run run = {SANITIZED ? 300 : 10000, SANITIZED ? 50 : 300, 0.01, outside ? -9.81 : 9.81, 1,
                                mote_response_bounce(restitutions[k % 2], 0)};
        crowd c = make_crowd(run.particles);
        mote_random random = {8};
        for (size_t i = 0; i < c.count;) {
            const mote_vec3 p = random_vector_in(&random, outside ? 1.3 : 1);
            const double radius = mote_vec3_length(p);
            if (p.z > -0.1 || (outside ? radius < 1 : radius > 0.99)) continue;
            c.x[3 * i] = (float)p.x, c.x[3 * i + 1] = (float)p.y, c.x[3 * i + 2] = (float)p.z;
            for (size_t a = 0; a < 3; ++a) c.v[3 * i + a] = (float)(2 * mote_random_unit(&random) - 1);
            ++i;
        }
        CHECK_OK(mote_proxy_stamp(proxy, &c.particles, NULL));
        for (int s = 0; s < run.steps; ++s) step(proxy, &c, &run, NULL);
        size_t lost = 0;
        for (size_t i = 0; i < c.count; ++i) {
            const mote_vec3 p = position_of(&c, i);
            const double radius = mote_vec3_length(p);
            lost += outside ? radius < 1 - 2 * proxy->leaf && p.z < 0.2 : !(radius < 1 + 2 * proxy->leaf);
        }
        CHECK(lost == 0, "%zu particles went through the bowl (%s, restitution %g)", lost, outside ? "in" : "out",
              run.response.restitution);
        free_crowd(&c);
    }
    mote_proxy_destroy(proxy);
    mote_mesh_destroy(mesh);
    mote_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_of_closed_meshes_are_winding_numbers),
        cmocka_unit_test(labels_of_the_bunny_are_winding_numbers),
        cmocka_unit_test(all_that_touch_are_labelled),
        cmocka_unit_test(labels_of_open_meshes_are_what_is_seen),
        cmocka_unit_test(no_particle_leaves_its_side),
        cmocka_unit_test(no_particle_leaves_its_side_of_the_bunny),
        cmocka_unit_test(sides_of_open_meshes_change_only_at_rims),
        cmocka_unit_test(sides_of_a_cut_bunny_change_only_at_its_rim),
        cmocka_unit_test(bowl_holds_particles),
    };
    RUN_TESTS(tests, argc, argv);
}
