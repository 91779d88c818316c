// SPDX-License-Identifier: MIT
// The grid of first hits: cells, and below each occupied cell nodes of 4 x 4 x 4 parts, which are two levels of an
// octree in one. A node's mask marks its non-empty parts. A leaf lists clusters, each with a mask
// of the parts that it lies in, so that a motion's own mask shows which of them it may hit. Cells and children are
// found by counting bits.
//
// The block of cells that a cluster spans is halved as long as one of its triangles touches it; this leaves windows
// of a few cells, whose parts are all found at once.
//
// A cell also has a slab that contains its triangles. Near a smooth surface most motions stay on one side of it.

#include "hits/structure_parts.h"

enum {
    CLUSTERS_A_BLOCK = 64,
    WORDS_A_BLOCK = 64,
    TRIANGLES_A_BLOCK = 4096,
    CELLS_MIN = 64,
    CELLS_A_TRIANGLE = 8,
    REFERENCES_A_TRIANGLE = 4
};

// A cell and a cluster before they are put into lists: the cell's parts that the cluster touches, and the triangles
// that touch it.
typedef struct first_pair {
    uint64_t mask;
    uint32_t cell, cluster;
    uint8_t lanes;
} first_pair;

// The pairs of a block of clusters, in ascending order of clusters.
typedef struct pair_block {
    mote_buffer memory;
    size_t count;
    mote_result result;
} pair_block;

typedef struct pair_task {
    const mote_hits *hits;
    const hits_grid *grid;
    pair_block *blocks;
    size_t block_count;
} pair_task;

typedef struct cluster_visit {
    const pair_task *task;
    pair_block *block;
    uint32_t cluster, count;
    hits_shape shapes[HITS_LANES];
} cluster_visit;

// -------------------------------------------------------------------------------------------------------- pairs

static void add_pairs(const cluster_visit *visit, const hits_window *window, const uint32_t low[3])
{
    pair_block *block = visit->block;
    const uint32_t *size = visit->task->grid->size;
    const size_t most = block->count + HITS_WINDOW * HITS_WINDOW * HITS_WINDOW, bytes = most * sizeof(first_pair);
    if (block->result == MOTE_OK && bytes > block->memory.bytes)
        block->result = mote_buffer_reserve(visit->task->hits->context, &block->memory,
                                            MOTE_MAX(bytes, 2 * block->memory.bytes), block->memory.bytes);
    if (block->result != MOTE_OK) return;
    first_pair *pairs = block->memory.data;
    for (uint32_t z = 0; z < window->size[2]; ++z)
        for (uint32_t y = 0; y < window->size[1]; ++y)
            for (uint32_t x = 0; x < window->size[0]; ++x) {
                const uint32_t at = x + HITS_WINDOW * (y + HITS_WINDOW * z);
                const uint32_t cell = ((low[2] + z) * size[1] + low[1] + y) * size[0] + low[0] + x;
                if (!window->masks[at]) continue;
                pairs[block->count++] = (first_pair){window->masks[at], cell, visit->cluster, window->lanes[at]};
            }
}

// Finds pairs in cells low … high, both included, for the triangles of `live`: in one window, or in two halves.
static void visit_cells(const cluster_visit *visit, uint32_t live, const uint32_t low[3], const uint32_t high[3])
{
    double corner[3], end[3];
    uint32_t size[3];
    int axis = 0;
    for (int k = 0; k < 3; ++k) {
        corner[k] = low[k];
        end[k] = high[k] + 1.0;
        size[k] = high[k] - low[k] + 1;
        if (size[k] > size[axis]) axis = k;
    }
    if (size[axis] <= HITS_WINDOW) {
        hits_window window;
        mote_hits_window_open(&window, corner, 1, size);
        for (uint32_t left = live; left; left &= left - 1)
            mote_hits_window_mark(&window, &visit->shapes[mote_lowest_bit(left)], mote_lowest_bit(left));
        add_pairs(visit, &window, low);
        return;
    }
    uint32_t touching = 0;
    for (uint32_t left = live; left; left &= left - 1)
        if (mote_hits_shape_touches(&visit->shapes[mote_lowest_bit(left)], corner, end)) touching |= left & (0 - left);
    if (!touching) return;
    uint32_t middle[3] = {high[0], high[1], high[2]}, next[3] = {low[0], low[1], low[2]};
    middle[axis] = low[axis] + (size[axis] - 1) / 2;
    next[axis] = middle[axis] + 1;
    visit_cells(visit, touching, low, middle);
    visit_cells(visit, touching, next, high);
}

static void visit_cluster(const pair_task *task, size_t cluster, pair_block *block)
{
    cluster_visit visit = {.task = task, .block = block, .cluster = (uint32_t)cluster};
    visit.count = mote_hits_cluster_shapes(task->hits, task->grid, cluster, visit.shapes);
    uint32_t low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        double least = HUGE_VAL, most = -HUGE_VAL, last = (double)task->grid->size[k] - 1;
        for (uint32_t i = 0; i < visit.count; ++i) {
            least = MOTE_MIN(least, visit.shapes[i].low[k]);
            most = MOTE_MAX(most, visit.shapes[i].high[k]);
        }
        low[k] = (uint32_t)MOTE_MIN(MOTE_MAX(least - HITS_MARGIN, 0), last);
        high[k] = (uint32_t)MOTE_MIN(MOTE_MAX(most + HITS_MARGIN, 0), last);
    }
    visit_cells(&visit, (1u << visit.count) - 1, low, high);
}

static void find_pairs(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const pair_task *task = data;
    for (size_t c = begin; c < end; ++c) visit_cluster(task, c, &task->blocks[begin / CLUSTERS_A_BLOCK]);
}

// -------------------------------------------------------------------------------------------------------- nodes

enum { BUFFER_DISTANCE, BUFFER_WORDS, BUFFER_NODES, BUFFER_MASKS, BUFFER_CLUSTERS };

static mote_result reserve(const mote_hits *hits, hits_grid *grid, int which, size_t bytes, size_t keep)
{
    return mote_buffer_reserve(hits->context, &grid->memory[which], bytes, keep);
}

static void take_memory(hits_grid *grid)
{
    grid->distance = grid->memory[BUFFER_DISTANCE].data;
    grid->words = grid->memory[BUFFER_WORDS].data;
    grid->nodes = grid->memory[BUFFER_NODES].data;
    grid->masks = grid->memory[BUFFER_MASKS].data;
    grid->clusters = grid->memory[BUFFER_CLUSTERS].data;
}

// Makes occupied cells: their bits, their ranks, and nodes with the number of their references.
static mote_result make_leaves(const pair_task *task, hits_grid *grid, size_t pairs)
{
    for (size_t b = 0; b < task->block_count; ++b) {
        const first_pair *pair = task->blocks[b].memory.data;
        for (size_t i = 0; i < task->blocks[b].count; ++i)
            grid->words[pair[i].cell / 64].bits |= UINT64_C(1) << pair[i].cell % 64;
    }
    uint32_t nodes = 0;
    for (size_t w = 0; w < grid->word_count; ++w) {
        grid->words[w].rank = nodes;
        nodes += mote_count_bits(grid->words[w].bits);
    }
    grid->top_count = grid->node_count = nodes;
    grid->reference_count = pairs;
    mote_result result = reserve(task->hits, grid, BUFFER_NODES, mote_bytes(nodes, sizeof(hits_node)), 0);
    if (result == MOTE_OK) result = reserve(task->hits, grid, BUFFER_MASKS, mote_bytes(pairs, sizeof(uint64_t)), 0);
    if (result == MOTE_OK) result = reserve(task->hits, grid, BUFFER_CLUSTERS, mote_bytes(pairs, sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return result;
    take_memory(grid);
    for (uint32_t n = 0; n < nodes; ++n) grid->nodes[n] = (hits_node){0};
    for (size_t b = 0; b < task->block_count; ++b) {
        const first_pair *pair = task->blocks[b].memory.data;
        for (size_t i = 0; i < task->blocks[b].count; ++i) grid->nodes[mote_hits_grid_rank(grid, pair[i].cell)].count++;
    }
    return MOTE_OK;
}

// Counting sort of the pairs by cell, keeping the order of clusters; lanes are written to a separate array.
static void fill_leaves(const pair_task *task, hits_grid *grid, uint8_t *lanes)
{
    uint32_t next = 0;
    for (size_t n = 0; n < grid->top_count; ++n) grid->nodes[n].first = next, next += grid->nodes[n].count;
    for (size_t b = 0; b < task->block_count; ++b) {
        const first_pair *pair = task->blocks[b].memory.data;
        for (size_t i = 0; i < task->blocks[b].count; ++i) {
            hits_node *node = &grid->nodes[mote_hits_grid_rank(grid, pair[i].cell)];
            grid->masks[node->first] = pair[i].mask;
            grid->clusters[node->first] = pair[i].cluster;
            lanes[node->first++] = pair[i].lanes;
            node->mask |= pair[i].mask;
        }
    }
    for (size_t n = 0; n < grid->top_count; ++n) grid->nodes[n].first -= grid->nodes[n].count;
}

// ---------------------------------------------------------------------------------------------------- splitting

static mote_result add_references(const mote_hits *hits, hits_grid *grid, size_t count)
{
    const size_t kept = grid->reference_count, all = kept + count;
    if (all > UINT32_MAX) return MOTE_ERROR_OUT_OF_MEMORY;
    mote_result result = reserve(hits, grid, BUFFER_MASKS, all * sizeof(uint64_t), kept * sizeof(uint64_t));
    if (result == MOTE_OK)
        result = reserve(hits, grid, BUFFER_CLUSTERS, all * sizeof(uint32_t), kept * sizeof(uint32_t));
    take_memory(grid);
    return result;
}

// Whether the children's lists would on average be at most half as long.
static bool is_worth_splitting(const mote_hits *hits, const hits_grid *grid, const hits_node *node)
{
    if (node->count <= (uint32_t)hits->def.leaf_clusters) return false;
    uint64_t entries = 0;
    for (uint32_t r = 0; r < node->count; ++r) entries += mote_count_bits(grid->masks[node->first + r]);
    return 2 * entries <= (uint64_t)node->count * mote_count_bits(node->mask);
}

static mote_result split(const mote_hits *hits, hits_grid *grid, size_t at, const double low[3], double edge,
                         int level);

// The parts of a cell of any size that a cluster touches.
static uint64_t parts_of(const mote_hits *hits, const hits_grid *grid, uint32_t cluster, const double low[3],
                         double edge)
{
    const uint32_t one[3] = {1, 1, 1};
    hits_shape shapes[HITS_LANES];
    hits_window window;
    mote_hits_window_open(&window, low, edge, one);
    const uint32_t count = mote_hits_cluster_shapes(hits, grid, cluster, shapes);
    for (uint32_t i = 0; i < count; ++i) mote_hits_window_mark(&window, &shapes[i], i);
    return window.masks[0];
}

// Fills a child of a node with the clusters that lie in its part.
static mote_result fill_child(const mote_hits *hits, hits_grid *grid, const hits_node *parent, uint32_t part,
                              size_t child, const double low[3], double edge)
{
    mote_result result = add_references(hits, grid, parent->count);
    if (result != MOTE_OK) return result;
    hits_node made = {.first = (uint32_t)grid->reference_count};
    for (uint32_t r = 0; r < parent->count; ++r) {
        if (!(grid->masks[parent->first + r] >> part & 1)) continue;
        const uint32_t cluster = grid->clusters[parent->first + r];
        const uint64_t mask = parts_of(hits, grid, cluster, low, edge);
        if (!mask) continue;
        grid->masks[made.first + made.count] = mask;
        grid->clusters[made.first + made.count++] = cluster;
        made.mask |= mask;
    }
    grid->reference_count += made.count;
    grid->nodes[child] = made;
    return MOTE_OK;
}

static mote_result split(const mote_hits *hits, hits_grid *grid, size_t at, const double low[3], double edge, int level)
{
    const hits_node parent = grid->nodes[at];
    if (level >= HITS_MOST_LEVELS || !is_worth_splitting(hits, grid, &parent)) return MOTE_OK;
    const size_t children = grid->node_count, count = mote_count_bits(parent.mask);
    mote_result result =
        reserve(hits, grid, BUFFER_NODES, (children + count) * sizeof(hits_node), children * sizeof(hits_node));
    if (result != MOTE_OK) return result;
    take_memory(grid);
    grid->node_count += count;
    size_t child = children;
    for (uint32_t part = 0; part < 64; ++part) {
        if (!(parent.mask >> part & 1)) continue;
        const double quarter = edge / 4;
        const double corner[3] = {low[0] + quarter * (part & 3), low[1] + quarter * (part >> 2 & 3),
                                  low[2] + quarter * (part >> 4)};
        result = fill_child(hits, grid, &parent, part, child, corner, quarter);
        if (result == MOTE_OK) result = split(hits, grid, child++, corner, quarter, level + 1);
        if (result != MOTE_OK) return result;
    }
    grid->nodes[at] = (hits_node){.mask = parent.mask, .first = (uint32_t)children};
    return MOTE_OK;
}

// The corner of a cell.
static void cell_corner(const hits_grid *grid, size_t cell, double low[3])
{
    low[0] = (double)(cell % grid->size[0]);
    low[1] = (double)(cell / grid->size[0] % grid->size[1]);
    low[2] = (double)(cell / grid->size[0] / grid->size[1]);
}

static mote_result split_cells(const mote_hits *hits, hits_grid *grid)
{
    mote_result result = MOTE_OK;
    size_t node = 0;
    for (size_t w = 0; w < grid->word_count; ++w)
        for (uint64_t bits = grid->words[w].bits; bits && result == MOTE_OK; bits &= bits - 1, ++node) {
            double low[3];
            cell_corner(grid, w * 64 + mote_lowest_bit(bits), low);
            result = split(hits, grid, node, low, 1, 0);
        }
    return result;
}

// -------------------------------------------------------------------------------------------------------- slabs

// Chooses the mean normal of the triangles, weighted by area.
static void choose_normal(const double sum[3], int8_t normal[3])
{
    const double most = MOTE_MAX(fabs(sum[0]), MOTE_MAX(fabs(sum[1]), fabs(sum[2])));
    for (int k = 0; k < 3; ++k) normal[k] = (int8_t)(most > 0 ? floor(sum[k] / most * 127 + 0.5) : 0);
}

static int16_t slab_parts(double parts)
{
    return (int16_t)MOTE_MIN(MOTE_MAX(parts, (double)INT16_MIN), (double)INT16_MAX);
}

typedef struct slab_task {
    const mote_hits *hits;
    hits_grid *grid;
    const uint8_t *lanes;  // per reference of a cell: the cluster's triangles that touch it
} slab_task;

// Iterates over the triangles of a cell: returns their numbers one by one, then SIZE_MAX.
typedef struct cell_triangles {
    const slab_task *task;
    uint32_t reference, end, lanes;
} cell_triangles;

static cell_triangles begin_triangles(const slab_task *task, const hits_node *node)
{
    const cell_triangles begin = {task, node->first, node->first + node->count, task->lanes[node->first]};
    return begin;
}

static size_t next_triangle(cell_triangles *at)
{
    while (!at->lanes) {
        if (++at->reference == at->end) return SIZE_MAX;
        at->lanes = at->task->lanes[at->reference];
    }
    const uint32_t lane = mote_lowest_bit(at->lanes);
    at->lanes &= at->lanes - 1;
    return (size_t)at->task->grid->clusters[at->reference] * HITS_LANES + lane;
}

static void make_slab(const slab_task *task, hits_node *node, const double corner[3])
{
    mote_vec3 sum = {0, 0, 0}, at[3];
    cell_triangles triangles = begin_triangles(task, node);
    for (size_t t; (t = next_triangle(&triangles)) != SIZE_MAX;) {
        mote_hits_corners(task->hits, (uint32_t)t, at);
        sum = mote_vec3_add(sum, mote_triangle_cross((mote_triangle){at[0], at[1], at[2]}));
    }
    const double normal[3] = {sum.x, sum.y, sum.z};
    choose_normal(normal, node->normal);
    double low = HUGE_VAL, high = -HUGE_VAL;
    triangles = begin_triangles(task, node);
    for (size_t t; (t = next_triangle(&triangles)) != SIZE_MAX;) {
        mote_hits_corners(task->hits, (uint32_t)t, at);
        for (int v = 0; v < 3; ++v) {
            double cells[3], height = 0;
            mote_hits_to_cells(task->grid, at[v], cells);
            for (int k = 0; k < 3; ++k) height += node->normal[k] * (cells[k] - (corner[k] + 0.5));
            low = MOTE_MIN(low, height);
            high = MOTE_MAX(high, height);
        }
    }
    low = floor(low * HITS_SLAB_PARTS - 0.5);
    high = ceil(high * HITS_SLAB_PARTS + 0.5);
    node->low = slab_parts(low);
    node->high = slab_parts(high);
    if (node->low != low || node->high != high) memset(node->normal, 0, sizeof node->normal);
}

static void make_slabs(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const slab_task *task = data;
    const hits_grid *grid = task->grid;
    for (size_t w = begin; w < end; ++w) {
        size_t node = grid->words[w].rank;
        for (uint64_t bits = grid->words[w].bits; bits; bits &= bits - 1, ++node) {
            double corner[3];
            cell_corner(grid, w * 64 + mote_lowest_bit(bits), corner);
            if (grid->nodes[node].count) make_slab(task, &grid->nodes[node], corner);
        }
    }
}

// --------------------------------------------------------------------------------------------------------- size

// Sums over the mesh from which the size of cells is chosen.
typedef struct extents {
    mote_box box;
    double lengths;  // of all sides of the triangles' boxes
    double areas;    // of the triangles' projections along the axes
} extents;

typedef struct extent_task {
    const mote_hits *hits;
    extents *blocks;
} extent_task;

static void measure_extents(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const extent_task *task = data;
    const mote_hits *hits = task->hits;
    extents sum = {mote_box_empty(), 0, 0};
    for (size_t t = begin; t < end; ++t) {
        mote_vec3 c[3];
        mote_hits_corners(hits, (uint32_t)t, c);
        mote_box box = {mote_vec3_min(c[0], mote_vec3_min(c[1], c[2])), mote_vec3_max(c[0], mote_vec3_max(c[1], c[2]))};
        const mote_vec3 e = mote_vec3_sub(box.max, box.min);
        const mote_vec3 n = mote_vec3_cross(mote_vec3_sub(c[1], c[0]), mote_vec3_sub(c[2], c[0]));
        sum.lengths += e.x + e.y + e.z;
        sum.areas += (fabs(n.x) + fabs(n.y) + fabs(n.z)) / 2;
        for (size_t k = 0; hits->ends && k < 3; ++k)
            box = mote_box_add_point(box, hits->ends[hits->triangles[3 * t + k]]);
        sum.box = mote_box_union(sum.box, box);
    }
    task->blocks[begin / TRIANGLES_A_BLOCK] = sum;
}

static mote_result find_extents(const mote_hits *hits, extents *all)
{
    const size_t count = mote_block_count(hits->triangle_count, TRIANGLES_A_BLOCK), bytes = count * sizeof(extents);
    extent_task task = {hits, mote_allocate(hits->context, bytes)};
    if (!task.blocks) return MOTE_ERROR_OUT_OF_MEMORY;
    mote_parallel_for(hits->context, hits->triangle_count, TRIANGLES_A_BLOCK, measure_extents, &task);
    *all = task.blocks[0];
    for (size_t b = 1; b < count; ++b) {
        all->box = mote_box_union(all->box, task.blocks[b].box);
        all->lengths += task.blocks[b].lengths;
        all->areas += task.blocks[b].areas;
    }
    mote_release(hits->context, task.blocks, bytes);
    return MOTE_OK;
}

// Expected number of cells that flat convex shapes overlap: extents over the edge, and projected areas over its
// square.
static double expected_references(const mote_hits *hits, const extents *of, double edge)
{
    return (double)hits->triangle_count + of->lengths / edge + of->areas / (edge * edge);
}

static void place_grid(hits_grid *grid, mote_box box, double edge)
{
    const double low[3] = {box.min.x, box.min.y, box.min.z}, high[3] = {box.max.x, box.max.y, box.max.z};
    grid->edge = edge;
    grid->per_edge = 1 / edge;
    grid->cell_count = 1;
    for (int k = 0; k < 3; ++k) {
        // A rim of one cell, so that motions outside find a distance.
        grid->origin[k] = low[k] - edge;
        grid->size[k] = (uint32_t)((high[k] - grid->origin[k]) / edge) + 2;
        grid->cell_count *= grid->size[k];
    }
}

// Chooses cells as fine as the number of triangles requires, as the def allows, and as keeps large triangles in few
// cells.
static void choose_size(const mote_hits *hits, const extents *of, hits_grid *grid)
{
    const mote_vec3 extent = mote_vec3_sub(of->box.max, of->box.min);
    const double longest = MOTE_MAX(extent.x, MOTE_MAX(extent.y, extent.z));
    double wanted = (double)hits->triangle_count * CELLS_A_TRIANGLE;
    wanted = MOTE_MIN(MOTE_MAX(wanted, CELLS_MIN), (double)hits->def.most_cells);
    double edge = MOTE_MAX(longest / 1024, 0x1p-60);
    for (place_grid(grid, of->box, edge); (double)grid->cell_count > wanted; place_grid(grid, of->box, edge)) {
        if (grid->size[0] == 3 && grid->size[1] == 3 && grid->size[2] == 3) break;
        edge *= 1.05;
    }
    const double most = (double)hits->triangle_count * REFERENCES_A_TRIANGLE + 4096;
    while (edge < longest && expected_references(hits, of, edge) > most) edge *= 1.25;
    place_grid(grid, of->box, edge);
}

// Memory that is used only while building.
typedef struct build_memory {
    mote_buffer blocks, lanes;
} build_memory;

static mote_result make_cells(const mote_hits *hits, hits_grid *grid, build_memory *memory)
{
    pair_task task = {hits, grid, NULL, mote_block_count(hits->cluster_count, CLUSTERS_A_BLOCK)};
    const size_t bytes = task.block_count * sizeof(pair_block);
    mote_result result = mote_buffer_reserve(hits->context, &memory->blocks, bytes, 0);
    if (result != MOTE_OK) return result;
    task.blocks = memset(memory->blocks.data, 0, bytes);
    mote_parallel_for(hits->context, hits->cluster_count, CLUSTERS_A_BLOCK, find_pairs, &task);
    uint64_t pairs = 0;
    for (size_t b = 0; b < task.block_count; ++b) {
        if (task.blocks[b].result != MOTE_OK) result = task.blocks[b].result;
        pairs += task.blocks[b].count;
    }
    if (pairs > UINT32_MAX) result = MOTE_ERROR_OUT_OF_MEMORY;
    if (result == MOTE_OK) result = make_leaves(&task, grid, (size_t)pairs);
    if (result == MOTE_OK) result = mote_buffer_reserve(hits->context, &memory->lanes, (size_t)pairs, 0);
    if (result == MOTE_OK) fill_leaves(&task, grid, memory->lanes.data);
    for (size_t b = 0; b < task.block_count; ++b) mote_buffer_release(hits->context, &task.blocks[b].memory);
    return result;
}

mote_result mote_hits_grid_build(const mote_hits *hits, hits_grid *made)
{
    hits_grid grid = {.edge = 1, .per_edge = 1};
    if (hits->triangle_count == 0) {
        *made = grid;
        return MOTE_OK;
    }
    extents of;
    mote_result result = find_extents(hits, &of);
    if (result != MOTE_OK) return result;
    choose_size(hits, &of, &grid);
    grid.word_count = (grid.cell_count + 63) / 64;
    result = reserve(hits, &grid, BUFFER_DISTANCE, grid.cell_count + 8, 0);
    if (result == MOTE_OK) result = reserve(hits, &grid, BUFFER_WORDS, grid.word_count * sizeof(hits_word), 0);
    build_memory memory = {{0}, {0}};
    if (result == MOTE_OK) {
        take_memory(&grid);
        memset(grid.words, 0, grid.word_count * sizeof *grid.words);
        result = make_cells(hits, &grid, &memory);
    }
    if (result == MOTE_OK) result = split_cells(hits, &grid);
    if (result == MOTE_OK) {
        slab_task task = {hits, &grid, memory.lanes.data};
        // Where vertices move, triangles leave their slabs.
        if (!hits->ends) mote_parallel_for(hits->context, grid.word_count, WORDS_A_BLOCK, make_slabs, &task);
        result = mote_hits_grid_measure(hits, &grid);
    }
    mote_buffer_release(hits->context, &memory.blocks);
    mote_buffer_release(hits->context, &memory.lanes);
    if (result == MOTE_OK) *made = grid;
    else
        mote_hits_grid_release(hits->context, &grid);
    return result;
}

void mote_hits_grid_release(const mote_context *context, hits_grid *grid)
{
    for (int k = 0; k < HITS_GRID_BUFFERS; ++k) mote_buffer_release(context, &grid->memory[k]);
    *grid = (hits_grid){0};
}
