// SPDX-License-Identifier: MIT
#include "support/surface.h"

#include "mote/mesh.h"
#include "support/test.h"

typedef struct half_edge {
    uint32_t from, to, triangle;
} half_edge;

static int compare(const void *a, const void *b)
{
    const half_edge *p = a, *q = b;
    if (p->from != q->from) return p->from < q->from ? -1 : 1;
    return p->to < q->to ? -1 : p->to > q->to;
}

static const half_edge *find(const half_edge *edges, size_t count, uint32_t from, uint32_t to)
{
    const half_edge key = {from, to, 0};
    return bsearch(&key, edges, count, sizeof *edges, compare);
}

void surface_check_manifold(const mote_surface_view *view, const char *what)
{
    const size_t count = 3 * view->triangle_count;
    half_edge *edges = malloc((count + 1) * sizeof *edges);
    assert_non_null(edges);
    for (size_t k = 0; k < count; ++k)
        edges[k] = (half_edge){view->triangles[k], view->triangles[k % 3 == 2 ? k - 2 : k + 1], (uint32_t)(k / 3)};
    qsort(edges, count, sizeof *edges, compare);
    for (size_t k = 0; k < count; ++k) {
        CHECK(edges[k].from < view->vertex_count, "%s: vertex %u of %zu", what, edges[k].from, view->vertex_count);
        CHECK(edges[k].from != edges[k].to, "%s: a triangle has vertex %u twice", what, edges[k].from);
        CHECK(k == 0 || compare(edges + k - 1, edges + k) != 0, "%s: edge %u-%u is there twice", what, edges[k].from,
              edges[k].to);
        CHECK(find(edges, count, edges[k].to, edges[k].from), "%s: edge %u-%u is open", what, edges[k].from,
              edges[k].to);
    }
    // Around a vertex: from the edge to the next one of the ring, until it is closed; then all have been seen.
    size_t used = 0;
    for (size_t k = 0; k < count;) {
        size_t ring = 0, next = k;
        while (next < count && edges[next].from == edges[k].from) ++next;
        const half_edge *at = edges + k;
        do {
            const uint32_t *corner = view->triangles + 3 * (size_t)at->triangle;
            const uint32_t last = corner[0] == at->from ? corner[2] : corner[1] == at->from ? corner[0] : corner[1];
            at = find(edges, count, at->from, last);
            ++ring;
        } while (at != edges + k && ring <= next - k);
        CHECK(ring == next - k, "%s: %zu of %zu triangles around vertex %u are one ring", what, ring, next - k,
              edges[k].from);
        ++used;
        k = next;
    }
    CHECK(used == view->vertex_count, "%s: %zu of %zu vertices are used", what, used, view->vertex_count);
    for (size_t t = 0; t < view->triangle_count; ++t) {
        const mote_vec3 a = view->vertices[view->triangles[3 * t]], b = view->vertices[view->triangles[3 * t + 1]];
        const mote_vec3 c = view->vertices[view->triangles[3 * t + 2]];
        const double x = (b.y - a.y) * (c.z - a.z) - (b.z - a.z) * (c.y - a.y);
        const double y = (b.z - a.z) * (c.x - a.x) - (b.x - a.x) * (c.z - a.z);
        const double z = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        CHECK(x * x + y * y + z * z > 0, "%s: triangle %zu has no area", what, t);
    }
    free(edges);
}

static uint64_t add_bytes(uint64_t sum, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    for (size_t k = 0; k < length; ++k) sum = (sum ^ at[k]) * UINT64_C(0x100000001B3);
    return sum;
}

uint64_t surface_checksum(const mote_surface_view *view)
{
    const uint64_t sum =
        add_bytes(UINT64_C(0xCBF29CE484222325), view->vertices, view->vertex_count * sizeof *view->vertices);
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
