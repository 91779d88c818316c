// Clusters of triangles in the cells of a uniform grid: each in all cells that it is within reach of, and then, cell by
// cell, only those that can hold the closest triangle to a point in it.
//
// Cells are found by halving a block of them as long as its bounding ball is within reach, so that a cluster costs
// about as much as it has cells, however large it is. Count, prefix sum, fill; then pairs of cell and cluster are
// sorted by cell. The distance is 1-Lipschitz: with half diagonal d and centre c, a cluster whose distance from c is
// above that of the nearest by more than 2d is nowhere in the cell the closest.

#include <float.h>
#include <string.h>

#include "hits/internal.h"

enum { MAX_CELLS_AN_AXIS = 1 << 20, CLUSTERS_A_BLOCK = 64, CELLS_A_BLOCK = 64 };

// Pairs of cell and cluster, while the grid is built.
typedef struct pair_list {
    mote_hits *hits;
    double slack;     // covers what rounding does to distances and cell bounds [m]
    uint64_t *first;  // per cluster: its number of pairs, then the number of its first
    uint64_t *keys;   // count, and as many to spare
    uint32_t *values;
    size_t count;
    uint64_t *starts;  // per list: its first pair, and how many of its pairs stay
    uint64_t *kept;
} pair_list;

// A block of cells: low … high, both included.
typedef struct cell_block {
    uint64_t low[3], high[3];
} cell_block;

static uint64_t cell_coordinate(double from_min, double cell, uint64_t size)
{
    double coordinate = from_min / cell;
    if (!(coordinate > 0)) return 0;
    return coordinate < (double)(size - 1) ? (uint64_t)coordinate : size - 1;
}

static void cell_of(const mote_hits_grid *grid, mote_vec3 p, uint64_t cell[3])
{
    cell[0] = cell_coordinate(p.x - grid->box.min.x, grid->cell, grid->size[0]);
    cell[1] = cell_coordinate(p.y - grid->box.min.y, grid->cell, grid->size[1]);
    cell[2] = cell_coordinate(p.z - grid->box.min.z, grid->cell, grid->size[2]);
}

static uint64_t key_of(const mote_hits_grid *grid, const uint64_t cell[3])
{
    return (cell[2] * grid->size[1] + cell[1]) * grid->size[0] + cell[0];
}

static size_t slot_of(const mote_hits_grid *grid, uint64_t key)
{
    uint64_t h = key * 0x9E3779B97F4A7C15u;
    return (size_t)(h ^ h >> 32) & (grid->table_size - 1);
}

bool mote_hits_grid_list(const mote_hits_grid *grid, mote_vec3 point, const uint32_t **list, size_t *count)
{
    if (!mote_box_contains(grid->box, point) || grid->table_size == 0) return false;
    uint64_t cell[3];
    cell_of(grid, point, cell);
    uint64_t key = key_of(grid, cell);
    for (size_t slot = slot_of(grid, key);; slot = (slot + 1) & (grid->table_size - 1)) {
        const struct mote_hits_slot *found = &grid->table[slot];
        if (found->key == UINT64_MAX) return false;
        if (found->key != key) continue;
        *list = grid->references + grid->first[found->list];
        *count = (size_t)(grid->first[found->list + 1] - grid->first[found->list]);
        return true;
    }
}

// ------------------------------------------------------------------------------------------------------- pairs

static mote_vec3 block_center(const mote_hits_grid *grid, const cell_block *block, double *half_diagonal)
{
    mote_vec3 middle = {(double)(block->low[0] + block->high[0] + 1) / 2,
                        (double)(block->low[1] + block->high[1] + 1) / 2,
                        (double)(block->low[2] + block->high[2] + 1) / 2};
    mote_vec3 edge = {(double)(block->high[0] - block->low[0] + 1), (double)(block->high[1] - block->low[1] + 1),
                      (double)(block->high[2] - block->low[2] + 1)};
    *half_diagonal = mote_vec3_length(edge) * grid->cell / 2;
    return mote_vec3_add_scaled(grid->box.min, middle, grid->cell);
}

// The lower of `nearest` and the distance from the cluster's triangles.
static double distance_to_cluster(const mote_hits *hits, size_t cluster, mote_vec3 point, double nearest)
{
    const size_t end = MOTE_MIN((cluster + 1) * MOTE_CLUSTER, hits->mesh->triangle_count);
    for (size_t t = cluster * MOTE_CLUSTER; t < end; ++t) {
        const mote_ball *ball = &hits->balls[t];
        if (mote_vec3_length(mote_vec3_sub(point, ball->center)) - ball->radius >= nearest) continue;
        double distance = sqrt(mote_triangle_foot(mote_mesh_triangle(hits->mesh, t), point).distance2);
        nearest = MOTE_MIN(nearest, distance);
    }
    return nearest;
}

// True if a triangle of the cluster is within `limit` of the point. Its ball decides most cases.
static bool is_within(const mote_hits *hits, size_t cluster, mote_vec3 point, double limit)
{
    const mote_ball *ball = &hits->clusters[cluster];
    double to_center = mote_vec3_length(mote_vec3_sub(point, ball->center));
    if (to_center <= limit) return true;
    if (to_center - ball->radius > limit) return false;
    const double beyond = limit * (1 + 0x1p-40);
    return distance_to_cluster(hits, cluster, point, beyond) < beyond;
}

// Counts, and if `keys` is given writes, the keys of all cells of the block that are within reach of the cluster.
static uint64_t visit_block(const pair_list *pairs, size_t cluster, cell_block block, uint64_t *keys)
{
    const mote_hits_grid *grid = &pairs->hits->grid;
    double half_diagonal;
    mote_vec3 center = block_center(grid, &block, &half_diagonal);
    if (!is_within(pairs->hits, cluster, center, pairs->hits->reach + half_diagonal + pairs->slack)) return 0;

    int axis = 0;
    for (int k = 1; k < 3; ++k)
        if (block.high[k] - block.low[k] > block.high[axis] - block.low[axis]) axis = k;
    if (block.high[axis] == block.low[axis]) {
        if (keys) *keys = key_of(grid, block.low);
        return 1;
    }
    cell_block lower = block, upper = block;
    lower.high[axis] = block.low[axis] + (block.high[axis] - block.low[axis]) / 2;
    upper.low[axis] = lower.high[axis] + 1;
    uint64_t count = visit_block(pairs, cluster, lower, keys);
    return count + visit_block(pairs, cluster, upper, keys ? keys + count : NULL);
}

static uint64_t visit_cluster(const pair_list *pairs, size_t cluster, uint64_t *keys)
{
    const mote_hits *hits = pairs->hits;
    const mote_ball *ball = &hits->clusters[cluster];
    if (!isfinite(ball->center.x)) return 0;
    mote_box box = mote_box_grow((mote_box){ball->center, ball->center}, ball->radius + hits->reach + pairs->slack);
    cell_block block;
    cell_of(&hits->grid, box.min, block.low);
    cell_of(&hits->grid, box.max, block.high);
    return visit_block(pairs, cluster, block, keys);
}

static void count_pairs(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const pair_list *pairs = data;
    for (size_t c = begin; c < end; ++c) pairs->first[c] = visit_cluster(pairs, c, NULL);
}

static void fill_pairs(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const pair_list *pairs = data;
    for (size_t c = begin; c < end; ++c) {
        uint64_t *keys = pairs->keys + pairs->first[c];
        uint64_t count = visit_cluster(pairs, c, keys);
        MOTE_ASSERT(pairs->first[c] + count <= pairs->count);
        for (uint64_t i = 0; i < count; ++i) pairs->values[pairs->first[c] + i] = (uint32_t)c;
    }
}

static mote_result make_pairs(pair_list *pairs)
{
    mote_context *context = pairs->hits->context;
    const size_t n = pairs->hits->cluster_count;
    pairs->first = mote_allocate(context, n * sizeof *pairs->first);
    if (!pairs->first) return MOTE_ERROR_OUT_OF_MEMORY;
    mote_parallel_for(context, n, CLUSTERS_A_BLOCK, count_pairs, pairs);
    size_t count = (size_t)mote_prefix_sum_u64(pairs->first, n);
    pairs->count = count;
    if (count == 0) return MOTE_OK;
    pairs->keys = mote_allocate(context, mote_bytes(count, 2 * sizeof *pairs->keys));
    pairs->values = mote_allocate(context, mote_bytes(count, 2 * sizeof *pairs->values));
    if (!pairs->keys || !pairs->values) return MOTE_ERROR_OUT_OF_MEMORY;
    mote_parallel_for(context, n, CLUSTERS_A_BLOCK, fill_pairs, pairs);
    return mote_sort_u64(context, pairs->keys, pairs->values, pairs->keys + count, pairs->values + count, count);
}

static void release_pairs(pair_list *pairs)
{
    mote_context *context = pairs->hits->context;
    const size_t lists = pairs->hits->grid.list_count;
    mote_release(context, pairs->first, pairs->hits->cluster_count * sizeof *pairs->first);
    mote_release(context, pairs->keys, pairs->count * 2 * sizeof *pairs->keys);
    mote_release(context, pairs->values, pairs->count * 2 * sizeof *pairs->values);
    mote_release(context, pairs->starts, (lists + 1) * sizeof *pairs->starts);
    mote_release(context, pairs->kept, lists * sizeof *pairs->kept);
}

// ------------------------------------------------------------------------------------------------------- lists

// Moves the clusters that can be the closest somewhere in the cell to the front of its pairs; returns their number.
static uint64_t keep_possible(const pair_list *pairs, uint64_t key, uint32_t *list, uint64_t count)
{
    const mote_hits *hits = pairs->hits;
    uint64_t x = key % hits->grid.size[0], rest = key / hits->grid.size[0];
    uint64_t y = rest % hits->grid.size[1], z = rest / hits->grid.size[1];
    cell_block cell = {{x, y, z}, {x, y, z}};
    double half_diagonal, nearest = HUGE_VAL;
    mote_vec3 center = block_center(&hits->grid, &cell, &half_diagonal);
    for (uint64_t i = 0; i < count; ++i) {
        const mote_ball *ball = &hits->clusters[list[i]];
        if (mote_vec3_length(mote_vec3_sub(center, ball->center)) - ball->radius < nearest)
            nearest = distance_to_cluster(hits, list[i], center, nearest);
    }
    uint64_t kept = 0;
    const double limit = nearest + 2 * half_diagonal + pairs->slack;
    for (uint64_t i = 0; i < count; ++i)
        if (is_within(hits, list[i], center, limit)) list[kept++] = list[i];
    return kept;
}

static void prune_lists(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const pair_list *pairs = data;
    for (size_t i = begin; i < end; ++i) {
        uint64_t start = pairs->starts[i], count = pairs->starts[i + 1] - start;
        pairs->kept[i] = keep_possible(pairs, pairs->keys[start], pairs->values + start, count);
    }
}

static mote_result find_lists(pair_list *pairs)
{
    mote_hits_grid *grid = &pairs->hits->grid;
    mote_context *context = pairs->hits->context;
    size_t lists = 0;
    for (size_t i = 0; i < pairs->count; ++i) lists += i == 0 || pairs->keys[i] != pairs->keys[i - 1];
    pairs->starts = mote_allocate(context, (lists + 1) * sizeof *pairs->starts);
    pairs->kept = mote_allocate(context, lists * sizeof *pairs->kept);
    grid->first = mote_allocate(context, (lists + 1) * sizeof *grid->first);
    grid->list_count = lists;
    if (!pairs->starts || !pairs->kept || !grid->first) return MOTE_ERROR_OUT_OF_MEMORY;

    lists = 0;
    for (size_t i = 0; i < pairs->count; ++i)
        if (i == 0 || pairs->keys[i] != pairs->keys[i - 1]) pairs->starts[lists++] = i;
    pairs->starts[lists] = pairs->count;
    mote_parallel_for(context, lists, CELLS_A_BLOCK, prune_lists, pairs);
    memcpy(grid->first, pairs->kept, lists * sizeof *grid->first);
    grid->first[lists] = mote_prefix_sum_u64(grid->first, lists);
    return MOTE_OK;
}

static mote_result store_lists(pair_list *pairs)
{
    mote_hits_grid *grid = &pairs->hits->grid;
    mote_context *context = pairs->hits->context;
    const size_t lists = grid->list_count;
    size_t table_size = 2;
    while (table_size < 2 * lists) table_size *= 2;
    grid->references = mote_allocate(context, (size_t)grid->first[lists] * sizeof *grid->references);
    grid->table = mote_allocate(context, mote_bytes(table_size, sizeof *grid->table));
    if (grid->table) grid->table_size = table_size;
    if (!grid->references || !grid->table) return MOTE_ERROR_OUT_OF_MEMORY;

    memset(grid->table, 0xFF, table_size * sizeof *grid->table);
    for (size_t i = 0; i < lists; ++i) {
        memcpy(grid->references + grid->first[i], pairs->values + pairs->starts[i],
               (size_t)pairs->kept[i] * sizeof *grid->references);
        uint64_t key = pairs->keys[pairs->starts[i]];
        size_t slot = slot_of(grid, key);
        while (grid->table[slot].key != UINT64_MAX) slot = (slot + 1) & (table_size - 1);
        grid->table[slot] = (struct mote_hits_slot){key, i};
    }
    return MOTE_OK;
}

// Lays the grid's cells over the mesh and its reach.
static double lay_cells(mote_hits *hits)
{
    mote_hits_grid *grid = &hits->grid;
    mote_vec3 low = hits->box.min, high = hits->box.max;
    double largest = MOTE_MAX(MOTE_MAX(fabs(low.x), fabs(high.x)), MOTE_MAX(fabs(low.y), fabs(high.y)));
    largest = MOTE_MAX(largest, MOTE_MAX(fabs(low.z), fabs(high.z)));
    double slack = 0x1p-30 * hits->reach + 32 * DBL_EPSILON * (largest + hits->reach);

    grid->box = mote_box_grow(hits->box, hits->reach + slack);
    mote_vec3 extent = mote_vec3_sub(grid->box.max, grid->box.min);
    double longest = MOTE_MAX(extent.x, MOTE_MAX(extent.y, extent.z));
    grid->cell = MOTE_MAX(hits->reach, longest / MAX_CELLS_AN_AXIS);
    grid->size[0] = (uint64_t)(extent.x / grid->cell) + 1;
    grid->size[1] = (uint64_t)(extent.y / grid->cell) + 1;
    grid->size[2] = (uint64_t)(extent.z / grid->cell) + 1;
    return slack;
}

// Each cluster lies in the cells that its surface, made thicker by the reach and about a cell, takes up.
double mote_hits_grid_references(mote_hits *hits, double *most)
{
    static const double always = 0x1p22, per_cluster = 256, pi = 3.14159265358979;
    if (hits->mesh->triangle_count) lay_cells(hits);
    const double cell = hits->grid.cell, thick = hits->reach / cell + 0.75;
    double sum = 0;
    for (size_t c = 0; c < hits->cluster_count; ++c) {
        if (!isfinite(hits->clusters[c].center.x)) continue;
        const size_t end = MOTE_MIN((c + 1) * MOTE_CLUSTER, hits->mesh->triangle_count);
        double twice = 0;
        for (size_t t = c * MOTE_CLUSTER; t < end; ++t)
            twice += mote_vec3_length(mote_triangle_cross(mote_mesh_triangle(hits->mesh, t)));
        const double area = twice / 2 / cell / cell, rim = 2 * pi * hits->clusters[c].radius / cell;
        sum += (area + rim * thick + pi * thick * thick) * 2 * thick;
    }
    *most = always + per_cluster * (double)hits->cluster_count;
    return sum;
}

mote_result mote_hits_grid_build(mote_hits *hits)
{
    if (hits->mesh->triangle_count == 0) return MOTE_OK;
    pair_list pairs = {.hits = hits};
    pairs.slack = lay_cells(hits);
    mote_result result = make_pairs(&pairs);
    if (result == MOTE_OK && pairs.count) result = find_lists(&pairs);
    if (result == MOTE_OK && pairs.count) result = store_lists(&pairs);
    release_pairs(&pairs);
    return result;
}

void mote_hits_grid_release(mote_hits *hits)
{
    mote_hits_grid *grid = &hits->grid;
    size_t references = grid->references ? (size_t)grid->first[grid->list_count] : 0;
    mote_release(hits->context, grid->references, references * sizeof *grid->references);
    mote_release(hits->context, grid->first, (grid->list_count + 1) * sizeof *grid->first);
    mote_release(hits->context, grid->table, grid->table_size * sizeof *grid->table);
    *grid = (mote_hits_grid){0};
}
