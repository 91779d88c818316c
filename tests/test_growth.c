// SPDX-License-Identifier: MIT
// Hits and rasters whose results grow from call to call, so that every buffer has to grow while it is in use: whichever
// allocation fails, nothing is written to what was released, and the same call finds what it should as soon as there is
// memory. For searches: test_neighbors_memory; for boxes: test_broadphase_memory.

#include "hits/tested.h"
#include "mote/raster.h"
#include "support/graveyard.h"
#include "support/shapes.h"
#include "support/test.h"

// More motions than a block has, so that blocks grow in number, too.
enum { STEPS = 3, MOST = SLOW_BUILD ? 200 : HITS_MOTIONS + 76, MOST_MOVED = 150, CALLS = 8 };

// Calls once more what ran out of memory.
#define AGAIN(call)                                             \
    do {                                                        \
        mote_result again = (call);                             \
        if (again == MOTE_ERROR_OUT_OF_MEMORY) again = (call);  \
        CHECK(again == MOTE_OK, "%s", mote_result_name(again)); \
    } while (0)

typedef struct growing {
    mote_mesh *mesh;
    mote_vec3 *moved;  // its vertices at the end of a step
    double from[3 * MOST], to[3 * MOST], radii[MOST];
} growing;

static void open_growing(growing *g)
{
    mote_random random = {11};
    g->mesh = shape_sphere(NULL, 2);
    g->moved = malloc(g->mesh->vertex_count * sizeof *g->moved);
    for (size_t v = 0; v < g->mesh->vertex_count; ++v) {
        g->moved[v] = g->mesh->vertices[v];
        g->moved[v].x += 0.01;
    }
    for (size_t i = 0; i < MOST; ++i) {
        const double length = i % 2 ? 1.5 : 0.02;
        for (size_t k = 0; k < 3; ++k) {
            g->from[3 * i + k] = 2.4 * mote_random_unit(&random) - 1.2;
            g->to[3 * i + k] = g->from[3 * i + k] + length * (2 * mote_random_unit(&random) - 1);
        }
        g->radii[i] = i % 3 ? 0.01 : 0;
    }
}

static void close_growing(growing *g)
{
    mote_mesh_destroy(g->mesh);
    free(g->moved);
}

static size_t count_of(int step)
{
    return step == 0 ? 10 : step == 1 ? MOST / 10 : MOST;
}

static uint64_t sum_double(uint64_t sum, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return grave_mix(sum, bits);
}

// Writes the sum of what a call found, or compares it.
static void note(uint64_t *sums, int step, int call, uint64_t sum, long n)
{
    uint64_t *at = &sums[step * CALLS + call];
    if (n == 0) *at = sum;
    CHECK(sum == *at, "allocation %ld fails: call %d of step %d finds something else", n, call, step);
}

// ---------------------------------------------------------------------------------------------------------- hits

static uint64_t sum_query(const growing *g, mote_hits *hits, int step, bool are_spheres, hits_sorting sorting)
{
    const mote_motions motions = {.from = mote_points_xyz_f64(g->from, count_of(step)),
                                  .to = mote_points_xyz_f64(g->to, count_of(step)),
                                  .radii = are_spheres ? g->radii : NULL};
    mote_hit_list list;
    uint64_t sum = 0;
    hits->sorting = sorting;
    AGAIN(mote_hits_query(hits, &motions, &list, NULL));
    for (size_t h = 0; h < list.count; ++h) {
        sum = grave_mix(sum, (uint64_t)list.hits[h].particle << 32 | list.hits[h].triangle);
        sum = sum_double(sum, list.hits[h].time);
    }
    CHECK_OK(mote_hits_validate(hits, NULL));
    return sum;
}

static uint64_t sum_advance(const growing *g, mote_hits *hits, int step)
{
    const size_t count = MOTE_MIN(count_of(step), (size_t)MOST_MOVED), bytes = 3 * count * sizeof(double);
    double *at = malloc(2 * bytes), *velocities = at + 3 * count;
    memcpy(at, g->from, bytes);
    for (size_t k = 0; k < 3 * count; ++k) velocities[k] = g->to[k] - g->from[k];
    const mote_particles particles = {.positions = at, .velocities = velocities, .radii = g->radii, .count = count};
    mote_response response = mote_response_bounce(0.5, 0.1);
    response.lists_hits = true;
    mote_result result = mote_hits_advance(hits, &response, &particles, 1, NULL, NULL);
    if (result == MOTE_ERROR_OUT_OF_MEMORY) {
        CHECK(memcmp(at, g->from, bytes) == 0, "particles moved, though memory was missing");
        CHECK(mote_hits_get_contacts(hits).count == 0, "contacts of an advance that failed");
        result = mote_hits_advance(hits, &response, &particles, 1, NULL, NULL);
    }
    CHECK_OK(result);
    const mote_contact_list list = mote_hits_get_contacts(hits);
    uint64_t sum = list.count;
    for (size_t c = 0; c < list.count; ++c)
        sum = grave_mix(sum, (uint64_t)list.contacts[c].particle << 32 | list.contacts[c].triangle);
    for (size_t k = 0; k < 6 * count; ++k) sum = sum_double(sum, at[k]);
    free(at);
    return sum;
}

static uint64_t sum_closest(const growing *g, mote_hits *hits, int step)
{
    const mote_points points = mote_points_xyz_f64(g->from, MOTE_MIN(count_of(step), (size_t)MOST_MOVED));
    mote_closest *closest = calloc(points.count, sizeof *closest);
    uint64_t sum = 0;
    AGAIN(
        mote_hits_closest_all(hits, &points, HUGE_VAL, step % 2 ? MOTE_SIGN_NORMAL : MOTE_SIGN_WINDING, closest, NULL));
    for (size_t i = 0; i < points.count; ++i) sum = sum_double(sum, closest[i].distance);
    free(closest);
    return sum;
}

static void live_with_hits(mote_context *context, void *data, uint64_t *sums, long n)
{
    const growing *g = data;
    const mote_vec3 *vertices = g->mesh->vertices;
    mote_hits *hits = NULL;
    AGAIN(mote_hits_create(context, NULL, g->mesh, &hits, NULL));
    for (int step = 0; step < STEPS; ++step) {
        note(sums, step, 0, sum_query(g, hits, step, false, HITS_SORT_NEVER), n);
        note(sums, step, 1, sum_query(g, hits, step, false, HITS_SORT_ALWAYS), n);
        note(sums, step, 2, sum_query(g, hits, step, true, HITS_SORT_ALWAYS), n);
        note(sums, step, 3, sum_advance(g, hits, step), n);
        note(sums, step, 4, sum_closest(g, hits, step), n);
        AGAIN(mote_hits_update_moving(hits, vertices, g->moved, NULL));
        note(sums, step, 5, sum_query(g, hits, step, true, HITS_SORT_NEVER), n);
        note(sums, step, 6, sum_advance(g, hits, step), n);
        AGAIN(mote_hits_update(hits, step % 2 ? vertices : g->moved, NULL));
    }
    mote_hits_destroy(hits);
}

static void hits_grow(void **state)
{
    (void)state;
    growing g;
    uint64_t sums[STEPS * CALLS];
    open_growing(&g);
    grave_fail_everywhere(live_with_hits, &g, "hits", sums);
    close_growing(&g);
}

// -------------------------------------------------------------------------------------------------------- rasters

static uint64_t sum_pairs(const mote_raster_pairs *pairs)
{
    uint64_t sum = pairs->count;
    for (size_t k = 0; k < pairs->count; ++k)
        sum = grave_mix(sum, (uint64_t)pairs->pairs[k].first << 32 | pairs->pairs[k].second);
    return sum;
}

static void live_with_rasters(mote_context *context, void *data, uint64_t *sums, long n)
{
    const growing *g = data;
    mote_mesh mesh = *g->mesh;
    mesh.context = context;
    mote_raster *raster = NULL;
    mote_raster_pairs pairs = {0};
    mote_raster_edge_list list = {0};
    mote_raster_query query = mote_raster_query_default();
    AGAIN(mote_raster_create(context, 0.2, &raster, NULL));
    AGAIN(mote_raster_list_edges(&mesh, &list, NULL));
    for (int step = 0; step < STEPS; ++step) {
        const size_t edges = step == 0 ? 3 : step == 1 ? list.count / 10 : list.count;
        const mote_raster_edge_set set = {mesh.vertices, mesh.vertex_count, list.edges, edges};
        query.thickness = 0.05 * (1 + step);
        AGAIN(mote_raster_update(raster, mote_points_xyz_f64(g->from, count_of(step)), NULL));
        AGAIN(mote_raster_triangles(raster, &mesh, &query, &pairs, NULL));
        note(sums, step, 0, sum_pairs(&pairs), n);
        AGAIN(mote_raster_update_edges(raster, &set, NULL));
        AGAIN(mote_raster_edges(raster, &set, &query, &pairs, NULL));
        note(sums, step, 1, sum_pairs(&pairs), n);
        CHECK_OK(mote_raster_validate(raster, NULL));
    }
    mote_raster_pairs_release(&pairs);
    mote_raster_edge_list_release(&list);
    mote_raster_destroy(raster);
}

static void rasters_grow(void **state)
{
    (void)state;
    growing g;
    uint64_t sums[STEPS * CALLS];
    open_growing(&g);
    grave_fail_everywhere(live_with_rasters, &g, "raster", sums);
    close_growing(&g);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_grow),
        cmocka_unit_test(rasters_grow),
    };
    RUN_TESTS(tests, argc, argv);
}
