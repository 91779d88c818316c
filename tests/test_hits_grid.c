// SPDX-License-Identifier: MIT
// The grid of first hits: which parts of its cells triangles touch, and how far cells are from the surface.

#include "hits/tested.h"
#include "mesh/tested.h"
#include "support/shapes.h"
#include "support/test.h"

// -------------------------------------------------------------------------------------------------------- meshes

// Triangles of all sizes anywhere: some without area, some slivers, some along the axes, some no larger than a point.
static mote_mesh *make_soup(uint32_t count)
{
    mote_random random = {count};
    mote_vec3 *vertices = malloc(3 * count * sizeof *vertices);
    uint32_t *triangles = malloc(3 * count * sizeof *triangles);
    for (uint32_t t = 0; t < count; ++t) {
        mote_vec3 *v = vertices + 3 * t;
        const double size = ldexp(1, -(int)mote_random_below(&random, 10));
        const mote_vec3 center = shape_random_point(&random, 2);
        for (uint32_t k = 0; k < 3; ++k) {
            triangles[3 * t + k] = 3 * t + k;
            v[k] = mote_vec3_add(center, shape_random_point(&random, size));
        }
        if (t % 17 == 3) v[2] = v[0];
        if (t % 17 == 5) v[2] = mote_vec3_add_scaled(v[0], mote_vec3_sub(v[1], v[0]), 0.3 + 1e-9);
        if (t % 17 == 7) v[0].x = v[1].x = v[2].x;
        if (t % 17 == 9) v[0].z = v[1].z = v[2].z, v[0].y = v[1].y;
        if (t % 17 == 11) v[1] = v[2] = v[0];
        for (int k = 1; t % 17 == 13 && k < 3; ++k) v[k] = mote_vec3_add_scaled(v[0], v[k], 0x1p-45);
    }
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(NULL, vertices, 3 * count, triangles, count, &mesh, NULL));
    free(vertices);
    free(triangles);
    return mesh;
}

static mote_mesh *make_shape(int which)
{
    switch (which) {
    case 0: return make_soup(40);
    case 1: return make_soup(SANITIZED ? 60 : 200);
    case 2: return shape_cube(NULL, 3);
    case 3: return shape_star(NULL);
    case 4: return shape_spike(NULL);
    case 5: return shape_sphere(NULL, SANITIZED ? 1 : 3);
    default: return NULL;
    }
}

// A grid of about so many cells; leaves are split as soon as that helps, or never.
static mote_hits *make_first(const mote_mesh *mesh, int32_t cells, bool splits)
{
    mote_hits_def def = mote_hits_default_def();
    def.most_cells = cells;
    def.leaf_clusters = splits ? 4 : INT32_MAX;
    mote_hits *hits;
    CHECK_OK(mote_hits_create(NULL, &def, mesh, &hits, NULL));
    return hits;
}

// --------------------------------------------------------------------------------------------------------- parts

// In cells.
static mote_triangle triangle_in_cells(const mote_hits *hits, size_t t)
{
    const hits_grid *grid = &hits->grid;
    mote_vec3 at[3];
    mote_hits_corners(hits, (uint32_t)t, at);
    for (int k = 0; k < 3; ++k)
        at[k] =
            mote_vec3_make((at[k].x - grid->origin[0]) * grid->per_edge, (at[k].y - grid->origin[1]) * grid->per_edge,
                           (at[k].z - grid->origin[2]) * grid->per_edge);
    return (mote_triangle){at[0], at[1], at[2]};
}

// The parts of a box, of that edge, that the cluster touches, all made larger by `by`.
static uint64_t brute_parts(const mote_hits *hits, size_t cluster, const double low[3], double edge, double by)
{
    const size_t begin = cluster * HITS_LANES, end = MOTE_MIN(begin + HITS_LANES, hits->triangle_count);
    uint64_t mask = 0;
    for (size_t t = begin; t < end; ++t) {
        const mote_triangle triangle = triangle_in_cells(hits, t);
        const double half = edge / 2 + by, eighth = edge / 8 + by;
        const mote_vec3 middle = {low[0] + edge / 2, low[1] + edge / 2, low[2] + edge / 2};
        if (!mote_triangle_meets_box(triangle, middle, mote_vec3_make(half, half, half))) continue;
        for (uint32_t part = 0; part < 64; ++part) {
            const mote_vec3 center = {low[0] + edge * ((part & 3) + 0.5) / 4,
                                      low[1] + edge * ((part >> 2 & 3) + 0.5) / 4,
                                      low[2] + edge * ((part >> 4) + 0.5) / 4};
            if (mote_triangle_meets_box(triangle, center, mote_vec3_make(eighth, eighth, eighth)))
                mask |= UINT64_C(1) << part;
        }
    }
    return mask;
}

static uint64_t listed_parts(const hits_grid *grid, const hits_node *node, size_t cluster)
{
    for (uint32_t r = node->first; r < node->first + node->count; ++r)
        if (grid->clusters[r] == cluster) return grid->masks[r];
    return 0;
}

static void check_node(const mote_hits *hits, const hits_node *node, const double low[3], double edge, int shape)
{
    const hits_grid *grid = &hits->grid;
    if (node && node->count == 0) {
        uint32_t child = node->first;
        for (uint32_t part = 0; part < 64; ++part) {
            if (!(node->mask >> part & 1)) continue;
            const double corner[3] = {low[0] + edge / 4 * (part & 3), low[1] + edge / 4 * (part >> 2 & 3),
                                      low[2] + edge / 4 * (part >> 4)};
            check_node(hits, &grid->nodes[child++], corner, edge / 4, shape);
        }
        return;
    }
    for (size_t cluster = 0; cluster < hits->cluster_count; ++cluster) {
        const uint64_t listed = node ? listed_parts(grid, node, cluster) : 0;
        const uint64_t least = brute_parts(hits, cluster, low, edge, 0);
        const uint64_t most = brute_parts(hits, cluster, low, edge, 2 * HITS_MARGIN);
        CHECK((listed & least) == least && (listed & ~most) == 0,
              "shape %d, cell at %g %g %g, edge %g, cluster %zu: parts %016llx, expected %016llx", shape, low[0],
              low[1], low[2], edge, cluster, (unsigned long long)listed, (unsigned long long)least);
    }
}

static void clusters_are_listed_where_they_lie(void **state)
{
    (void)state;
    for (int shape = 0; shape <= 5; ++shape)
        for (int splits = 0; splits < 2; ++splits) {
            mote_mesh *mesh = make_shape(shape);
            mote_hits *hits = make_first(mesh, SANITIZED ? 100 : splits ? 64 : 600, splits);
            const hits_grid *grid = &hits->grid;
            for (size_t cell = 0; cell < grid->cell_count; ++cell) {
                const double low[3] = {(double)(cell % grid->size[0]), (double)(cell / grid->size[0] % grid->size[1]),
                                       (double)(cell / grid->size[0] / grid->size[1])};
                const hits_node *node = NULL;
                if (mote_hits_grid_is_occupied(grid, cell)) node = &grid->nodes[mote_hits_grid_rank(grid, cell)];
                check_node(hits, node, low, 1, shape);
            }
            mote_hits_destroy(hits);
            mote_mesh_destroy(mesh);
        }
}

// ----------------------------------------------------------------------------------------------------- distances

static mote_vec3 center_of(const hits_grid *grid, size_t cell)
{
    return mote_vec3_make(
        grid->origin[0] + ((double)(cell % grid->size[0]) + 0.5) * grid->edge,
        grid->origin[1] + ((double)(cell / grid->size[0] % grid->size[1]) + 0.5) * grid->edge,
        grid->origin[2] + ((double)(cell / grid->size[0] / grid->size[1]) + 0.5) * grid->edge);
}

// The distance of all triangles at that time of their motion [parts].
static double brute_distance(const mote_hits *hits, mote_vec3 point, double time)
{
    double least2 = HUGE_VAL;
    for (size_t t = 0; t < hits->triangle_count; ++t) {
        mote_vec3 at[3];
        for (size_t k = 0; k < 3; ++k) {
            const uint32_t v = hits->triangles[3 * t + k];
            at[k] = hits->vertices[v];
            if (hits->ends) at[k] = mote_hits_lerp(at[k], hits->ends[v], time);
        }
        const double distance2 = mote_triangle_foot((mote_triangle){at[0], at[1], at[2]}, point).distance2;
        least2 = MOTE_MIN(least2, distance2);
    }
    return sqrt(least2) * hits->grid.per_edge * HITS_DISTANCE_PARTS;
}

// Gaps between a cell and the nearest occupied one [parts].
static double brute_gap(const hits_grid *grid, size_t cell)
{
    double least2 = HUGE_VAL;
    for (size_t other = 0; other < grid->cell_count; ++other) {
        if (!mote_hits_grid_is_occupied(grid, other)) continue;
        const mote_vec3 apart = mote_vec3_sub(center_of(grid, other), center_of(grid, cell));
        const double axis[3] = {fabs(apart.x), fabs(apart.y), fabs(apart.z)};
        double gap2 = 0;
        for (int k = 0; k < 3; ++k) {
            const double gap = MOTE_MAX(floor(axis[k] * grid->per_edge + 0.25) - 0.5, 0);
            gap2 += gap * gap;
        }
        least2 = MOTE_MIN(least2, gap2);
    }
    return sqrt(least2) * HITS_DISTANCE_PARTS;
}

static void distances_are_never_too_far(void **state)
{
    (void)state;
    for (int shape = 0; shape <= 5; ++shape)
        for (int splits = 0; splits < 2; ++splits) {
            mote_mesh *mesh = make_shape(shape);
            mote_hits *hits = make_first(mesh, SANITIZED ? 200 : 1500, splits);
            const hits_grid *grid = &hits->grid;
            for (size_t cell = 0; cell < grid->cell_count; ++cell) {
                const double kept = grid->distance[cell], gap = brute_gap(grid, cell);
                const double distance = brute_distance(hits, center_of(grid, cell), 0);
                CHECK(kept <= distance, "shape %d, cell %zu: %g parts, expected at most %g", shape, cell, kept,
                      distance);
                // What is rounded down to parts is less by one of them, and by what corners of the largest cluster are
                // rounded by. Where a cell was split, its parts are what is known.
                const double near = MOTE_MIN(distance, 1.5 * HITS_DISTANCE_PARTS);
                const double blur = splits ? HITS_DISTANCE_PARTS * 0.45 : 0.1;
                if (gap < HITS_DISTANCE_PARTS)
                    CHECK(kept > near - 1 - blur, "shape %d, cell %zu: %g parts, expected %g", shape, cell, kept, near);
                else
                    CHECK(kept == floor(MOTE_MIN(gap - 0x1p-10, 255)), "shape %d, cell %zu: %g parts, expected %g",
                          shape, cell, kept, gap);
            }
            mote_hits_destroy(hits);
            mote_mesh_destroy(mesh);
        }
}

static void distances_hold_while_vertices_move(void **state)
{
    (void)state;
    for (int shape = 0; shape <= 5; ++shape) {
        mote_mesh *mesh = make_shape(shape);
        mote_hits *hits = make_first(mesh, SANITIZED ? 200 : 2000, false);
        mote_vec3 *ends = malloc(mesh->vertex_count * sizeof *ends);
        mote_random random = {5};
        for (size_t v = 0; v < mesh->vertex_count; ++v)
            ends[v] = mote_vec3_add(mesh->vertices[v], shape_random_point(&random, 0.2));
        CHECK_OK(mote_hits_update_moving(hits, mesh->vertices, ends, NULL));
        for (size_t cell = 0; cell < hits->grid.cell_count; ++cell)
            for (int k = 0; k <= 4; ++k) {
                const double distance = brute_distance(hits, center_of(&hits->grid, cell), k / 4.0);
                CHECK(hits->grid.distance[cell] <= distance,
                      "shape %d, cell %zu, time %g: %d parts, expected at most %g", shape, cell, k / 4.0,
                      hits->grid.distance[cell], distance);
            }
        free(ends);
        mote_hits_destroy(hits);
        mote_mesh_destroy(mesh);
    }
}

// Grids of one thread and of more, bit by bit.
static void threads_do_not_matter(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_sphere(NULL, SANITIZED ? 3 : 5);
    mote_hits *made[2];
    mote_context *contexts[2] = {test_context_with_threads(1), test_context_with_threads(5)};
    for (int k = 0; k < 2; ++k) CHECK_OK(mote_hits_create(contexts[k], NULL, mesh, &made[k], NULL));
    const hits_grid *a = &made[0]->grid, *b = &made[1]->grid;
    assert_int_equal(a->cell_count, b->cell_count);
    assert_int_equal(a->reference_count, b->reference_count);
    assert_int_equal(a->node_count, b->node_count);
    assert_memory_equal(a->distance, b->distance, a->cell_count);
    assert_memory_equal(a->masks, b->masks, a->reference_count * sizeof *a->masks);
    assert_memory_equal(a->clusters, b->clusters, a->reference_count * sizeof *a->clusters);
    for (size_t n = 0; n < a->node_count; ++n) {
        const hits_node *x = &a->nodes[n], *y = &b->nodes[n];
        CHECK(x->mask == y->mask && x->first == y->first && x->low == y->low && x->high == y->high, "node %zu", n);
    }
    for (int k = 0; k < 2; ++k) {
        mote_hits_destroy(made[k]);
        mote_context_destroy(contexts[k]);
    }
    mote_mesh_destroy(mesh);
}

static void scalar_and_vector_bounds_are_the_same(void **state)
{
    (void)state;
    mote_random random = {11};
    const hits_closest_lanes *chosen = mote_hits_lanes_choose(NULL)->closest;
    for (int i = 0; i < 20000; ++i) {
        hits_cluster cluster = {.per_length = 1};
        float at[3], plain[HITS_FAN], vector[HITS_FAN];
        const uint32_t spread = 1 + (i % 5 == 0 ? 3 : i % 5 == 1 ? 0 : 65533);
        for (int k = 0; k < 9; ++k)
            for (int lane = 0; lane < HITS_LANES; ++lane)
                cluster.corner[k][lane] =
                    (int16_t)((int32_t)mote_random_below(&random, spread) - (int32_t)(spread / 2));
        const double reach = i % 3 ? 1e5 : i % 2 ? 4 : 1e12;
        for (int k = 0; k < 3; ++k) at[k] = (float)((mote_random_unit(&random) - 0.5) * reach);
        if (i % 7 == 0) at[0] = cluster.corner[0][3], at[1] = cluster.corner[1][3], at[2] = cluster.corner[2][3];
        const float bound = i % 2 ? HUGE_VALF : 1e9f;
        const uint32_t some = mote_hits_closest_plain.near_triangles(&cluster, at, bound, plain);
        assert_int_equal(some, chosen->near_triangles(&cluster, at, bound, vector));
        for (int lane = 0; lane < HITS_LANES; ++lane)
            CHECK(plain[lane] == vector[lane], "cluster %d, lane %d: %.9g and %.9g", i, lane, (double)plain[lane],
                  (double)vector[lane]);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_are_listed_where_they_lie),
        cmocka_unit_test(distances_are_never_too_far),
        cmocka_unit_test(distances_hold_while_vertices_move),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(scalar_and_vector_bounds_are_the_same),
    };
    RUN_TESTS(tests, argc, argv);
}
