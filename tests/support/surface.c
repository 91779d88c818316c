// SPDX-License-Identifier: MIT
#include "support/surface.h"

#include "mesh/tested.h"
#include "mote/mesh.h"
#include "support/test.h"

// The edges out of a vertex: where they end, and their triangles.
typedef struct half_edge {
    uint32_t to, triangle;
} half_edge;

typedef struct half_edges {
    const mote_surface_view *view;
    const char *what;
    size_t *first;  // of each vertex, and the end
    half_edge *edges;
} half_edges;

// Sorts the edges by the vertex at which they begin, by counting.
static half_edges list_edges(const mote_surface_view *view, const char *what)
{
    const size_t count = 3 * view->triangle_count;
    half_edges list = {view, what, calloc(view->vertex_count + 2, sizeof *list.first),
                       malloc((count + 1) * sizeof *list.edges)};
    assert_non_null(list.first);
    assert_non_null(list.edges);
    for (size_t k = 0; k < count; ++k) {
        const uint32_t from = view->triangles[k];
        CHECK(from < view->vertex_count, "%s: vertex %u of %zu", what, from, view->vertex_count);
        ++list.first[from + 2];
    }
    for (size_t v = 2; v < view->vertex_count + 2; ++v) list.first[v] += list.first[v - 1];
    for (size_t k = 0; k < count; ++k)
        list.edges[list.first[view->triangles[k] + 1]++] =
            (half_edge){view->triangles[k % 3 == 2 ? k - 2 : k + 1], (uint32_t)(k / 3)};
    return list;
}

// The edge's number; SIZE_MAX: there is none.
static size_t find(const half_edges *list, uint32_t from, uint32_t to)
{
    for (size_t k = list->first[from]; k < list->first[from + 1]; ++k)
        if (list->edges[k].to == to) return k;
    return SIZE_MAX;
}

// Around a vertex: from the edge to the next one of the ring, until it is closed; then all have been seen.
static void check_ring(const half_edges *list, uint32_t v)
{
    const size_t begin = list->first[v], end = list->first[v + 1];
    size_t ring = 0, at = begin;
    CHECK(begin < end, "%s: vertex %u is not used", list->what, v);
    do {
        const uint32_t *corner = list->view->triangles + 3 * (size_t)list->edges[at].triangle;
        const uint32_t last = corner[0] == v ? corner[2] : corner[1] == v ? corner[0] : corner[1];
        at = find(list, v, last);
        ++ring;
    } while (at != begin && ring <= end - begin);
    CHECK(ring == end - begin, "%s: %zu of %zu triangles around vertex %u are one ring", list->what, ring, end - begin,
          v);
}

void surface_check_manifold(const mote_surface_view *view, const char *what)
{
    const half_edges list = list_edges(view, what);
    for (uint32_t v = 0; v < view->vertex_count; ++v)
        for (size_t k = list.first[v]; k < list.first[v + 1]; ++k) {
            const uint32_t to = list.edges[k].to;
            CHECK(to != v, "%s: a triangle has vertex %u twice", what, v);
            CHECK(find(&list, v, to) == k, "%s: edge %u-%u is there twice", what, v, to);
            CHECK(find(&list, to, v) != SIZE_MAX, "%s: edge %u-%u is open", what, v, to);
        }
    for (uint32_t v = 0; v < view->vertex_count; ++v) check_ring(&list, v);
    for (size_t t = 0; t < view->triangle_count; ++t) {
        const mote_vec3 a = view->vertices[view->triangles[3 * t]], b = view->vertices[view->triangles[3 * t + 1]];
        const mote_vec3 c = view->vertices[view->triangles[3 * t + 2]];
        const double x = (b.y - a.y) * (c.z - a.z) - (b.z - a.z) * (c.y - a.y);
        const double y = (b.z - a.z) * (c.x - a.x) - (b.x - a.x) * (c.z - a.z);
        const double z = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        CHECK(x * x + y * y + z * z > 0, "%s: triangle %zu has no area", what, t);
    }
    free(list.first);
    free(list.edges);
}

static uint64_t add_bytes(uint64_t sum, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    for (size_t k = 0; k < length; ++k) sum = (sum ^ at[k]) * UINT64_C(0x100000001B3);
    return sum;
}

uint64_t surface_checksum(const mote_surface_view *view)
{
    uint64_t sum = UINT64_C(0xCBF29CE484222325);
    sum = add_bytes(sum, view->vertices, view->vertex_count * sizeof *view->vertices);
    if (view->normals) sum = add_bytes(sum, view->normals, view->vertex_count * sizeof *view->normals);
    return add_bytes(sum, view->triangles, 3 * view->triangle_count * sizeof *view->triangles);
}

size_t surface_ball(double radius, double jitter, const double center[3], float **xyz)
{
    const int reach = (int)radius + 1;
    const size_t side = 2 * (size_t)reach + 1;
    float *points = malloc(3 * side * side * side * sizeof *points);
    assert_non_null(points);
    mote_random random = {7};
    size_t count = 0;
    for (int z = -reach; z <= reach; ++z)
        for (int y = -reach; y <= reach; ++y)
            for (int x = -reach; x <= reach; ++x) {
                const double at[3] = {x + 0.5, y + 0.5, z + 0.5};
                if (at[0] * at[0] + at[1] * at[1] + at[2] * at[2] > radius * radius) continue;
                for (int k = 0; k < 3; ++k)
                    points[3 * count + (size_t)k] =
                        (float)(center[k] + at[k] + jitter * (2 * mote_random_unit(&random) - 1));
                ++count;
            }
    *xyz = points;
    return count;
}

mote_surface_def surface_def(void)
{
    mote_surface_def def = mote_surface_default_def();
    def.spacing = 1;
    return def;
}

mote_surface *surface_of(mote_context *context, const mote_surface_def *def, const float *xyz, size_t count)
{
    mote_surface *surface = NULL;
    mote_error error = {0};
    CHECK(mote_surface_create(context, def, &surface, &error) == MOTE_OK, "%s", error.text);
    const mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(xyz, count));
    CHECK(mote_surface_update(surface, &cloud, &error) == MOTE_OK, "%s", error.text);
    CHECK(mote_surface_validate(surface, &error) == MOTE_OK, "%s", error.text);
    return surface;
}

uint64_t surface_checksum_with(uint32_t threads, mote_simd simd, const mote_surface_def *def, const float *xyz,
                               size_t count)
{
    mote_context_def context_def = mote_context_default_def();
    context_def.thread_count = threads;
    context_def.simd = simd;
    mote_context *context;
    if (mote_context_create(&context_def, &context, NULL) != MOTE_OK) return 0;
    mote_surface *surface = surface_of(context, def, xyz, count);
    const mote_surface_view view = mote_surface_get_view(surface);
    const uint64_t sum = surface_checksum(&view);
    mote_surface_destroy(surface);
    mote_context_destroy(context);
    return sum;
}

void surface_check_ball(const mote_surface_def *def, double radius, double jitter, double most)
{
    static const double zero[3] = {0, 0, 0};
    float *xyz;
    const size_t count = surface_ball(radius, jitter, zero, &xyz);
    mote_surface_def counted = *def;
    counted.min_particles = 1;
    mote_surface *surface = surface_of(NULL, &counted, xyz, count);
    const mote_surface_view view = mote_surface_get_view(surface);
    const double excess = view.stats.volume / (double)count - 1;
    CHECK(fabs(excess) < most, "radius %g, jitter %g, centering %g: volume %+g %% off", radius, jitter, def->centering,
          100 * excess);
    assert_int_equal(view.stats.outside, 0);
    surface_check_manifold(&view, "ball");
    mote_surface_destroy(surface);
    free(xyz);
}

uint64_t surface_count_crossings(const mote_surface_view *view)
{
    mote_mesh *mesh;
    mote_mesh_crossings crossings;
    CHECK_OK(mote_mesh_create(NULL, view->vertices, view->vertex_count, view->triangles, view->triangle_count, &mesh,
                              NULL));
    CHECK_OK(mote_mesh_find_crossings(mesh, &crossings, NULL));
    mote_mesh_destroy(mesh);
    return crossings.count;
}

// The cube of marching cubes that a triangle is in.
typedef struct cube {
    int64_t at[3];
} cube;

static double along(mote_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static mote_triangle triangle_of(const mote_surface_view *view, size_t t)
{
    const uint32_t *corner = view->triangles + 3 * t;
    return (mote_triangle){view->vertices[corner[0]], view->vertices[corner[1]], view->vertices[corner[2]]};
}

static cube cube_of(const mote_surface_view *view, size_t t, double cell, const char *what)
{
    const mote_triangle own = triangle_of(view, t);
    const double rounding = 1e-7;  // of a cell, a million cells from the origin
    cube made;
    for (int k = 0; k < 3; ++k) {
        const double a = along(own.a, k) / cell, b = along(own.b, k) / cell, c = along(own.c, k) / cell;
        const double middle = (a + b + c) / 3, low = floor(middle);
        made.at[k] = (int64_t)low;
        CHECK(fmin(fmin(a, b), c) > low - rounding && fmax(fmax(a, b), c) < low + 1 + rounding &&
                  middle - low > rounding && low + 1 - middle > rounding,
              "%s: triangle %zu is in no cube, or in a face of it", what, t);
    }
    return made;
}

// The order of cubes in meshes: by chunk and within it, each by z, y, x.
static int compare_cubes(cube a, cube b)
{
    for (int within = 0; within < 2; ++within)
        for (int k = 2; k >= 0; --k) {
            const int64_t x = within ? a.at[k] : a.at[k] >> 4, y = within ? b.at[k] : b.at[k] >> 4;
            if (x != y) return x < y ? -1 : 1;
        }
    return 0;
}

void surface_check_cubes(const mote_surface_view *view, double cell, const char *what)
{
    cube own = {{0, 0, 0}};
    for (size_t t = 0, first = 0; t < view->triangle_count; ++t) {
        const cube next = cube_of(view, t, cell, what);
        const int order = t == 0 ? 0 : compare_cubes(own, next);
        CHECK(order <= 0, "%s: triangle %zu stands behind those of later cubes", what, t);
        if (order < 0) first = t;
        own = next;
        const mote_triangle mine = triangle_of(view, t);
        for (size_t other = first; other < t; ++other) {
            const mote_triangle its = triangle_of(view, other);
            CHECK(!mote_triangles_cross(&mine, &its), "%s: triangles %zu and %zu cut through each other", what, other,
                  t);
        }
    }
}
