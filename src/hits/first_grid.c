// The octree of first hits: a grid of cells on top, and under each cell that holds triangles nodes of 4 x 4 x 4 parts,
// which are two levels of an octree at a time. A node's mask tells its parts that hold something; a leaf lists
// clusters, each with a mask of the parts that it lies in, so that a motion's own mask tells which of them it may meet.
// Cells and children are found by counting bits.
//
// Which parts a triangle touches is found by halving boxes of cells as long as one of the cluster's triangles overlaps
// them: by separating axes (Akenine-Möller 2001), with boxes grown by a margin that covers all rounding.
//
// Beside its parts a cell has a slab that its triangles lie in. Near a smooth surface most motions stay on one side.

#include "hits/first.h"

enum { CLUSTERS_A_BLOCK = 16, WORDS_A_BLOCK = 64, CELLS_MIN = 64, CELLS_A_TRIANGLE = 8, REFERENCES_A_TRIANGLE = 4 };

// A triangle in cells: what separates it from boxes. Of a moving one its box alone.
typedef struct shape {
    double low[3], high[3];
    double corner[3][3], edge[3][3], normal[3];
    double plane_error, longest;
    bool is_box;
} shape;

// Pairs of a cell and a cluster on the way to lists.
typedef struct pair_list {
    const mote_first_hits *first;
    first_grid *grid;
    uint64_t *starts;  // per cluster: number of pairs, then its first
    uint64_t *keys;    // cell << 32 | cluster
    uint64_t *masks;
} pair_list;

// One cluster's shapes, and where its pairs go.
typedef struct cluster_visit {
    const first_grid *grid;
    shape shapes[FIRST_LANES];
    uint32_t count;
    uint64_t cluster, pairs;
    uint64_t *keys, *masks;  // NULL: count only
} cluster_visit;

// ----------------------------------------------------------------------------------------------- triangle and box

static void to_cells(const first_grid *grid, mote_vec3 p, double at[3])
{
    at[0] = (p.x - grid->origin[0]) * grid->per_edge;
    at[1] = (p.y - grid->origin[1]) * grid->per_edge;
    at[2] = (p.z - grid->origin[2]) * grid->per_edge;
}

static void bound(shape *s, const double at[3])
{
    for (int k = 0; k < 3; ++k) {
        s->low[k] = MOTE_MIN(s->low[k], at[k]);
        s->high[k] = MOTE_MAX(s->high[k], at[k]);
    }
}

static shape make_shape(const mote_first_hits *first, const first_grid *grid, size_t triangle)
{
    shape s = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, .is_box = first->ends != NULL};
    const uint32_t *vertex = first->triangles + 3 * triangle;
    for (int v = 0; v < 3; ++v) {
        to_cells(grid, first->vertices[vertex[v]], s.corner[v]);
        bound(&s, s.corner[v]);
        double end[3];
        if (first->ends) to_cells(grid, first->ends[vertex[v]], end), bound(&s, end);
    }
    for (int v = 0; v < 3; ++v)
        for (int k = 0; k < 3; ++k) {
            s.edge[v][k] = s.corner[(v + 1) % 3][k] - s.corner[v][k];
            s.longest = MOTE_MAX(s.longest, fabs(s.edge[v][k]));
        }
    for (int k = 0; k < 3; ++k) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        s.normal[k] = s.edge[0][l] * s.edge[1][m] - s.edge[0][m] * s.edge[1][l];
    }
    s.plane_error = 0x1p-46 * s.longest * s.longest;
    return s;
}

// Closed triangle, box of that centre and half edges.
static bool overlaps(const shape *s, const double center[3], const double half[3])
{
    for (int k = 0; k < 3; ++k)
        if (s->low[k] > center[k] + half[k] || s->high[k] < center[k] - half[k]) return false;
    if (s->is_box) return true;
    double v[3][3];
    for (int c = 0; c < 3; ++c)
        for (int k = 0; k < 3; ++k) v[c][k] = s->corner[c][k] - center[k];
    double distance = 0, radius = s->plane_error, size = 1;
    for (int k = 0; k < 3; ++k) {
        distance += s->normal[k] * v[0][k];
        radius += fabs(s->normal[k]) * half[k];
        size += fabs(v[0][k]);
    }
    if (fabs(distance) > radius + s->plane_error * size) return false;
    for (int e = 0; e < 3; ++e)
        for (int k = 0; k < 3; ++k) {
            int l = (k + 1) % 3, m = (k + 2) % 3;
            // Of the axis (unit vector k) × edge; both ends of the edge have the same place on it.
            double at = s->edge[e][l] * v[e][m] - s->edge[e][m] * v[e][l];
            int o = (e + 2) % 3;
            double other = s->edge[e][l] * v[o][m] - s->edge[e][m] * v[o][l];
            double reach = fabs(s->edge[e][l]) * half[m] + fabs(s->edge[e][m]) * half[l];
            reach += 0x1p-48 * s->longest * size;
            if (MOTE_MIN(at, other) > reach || MOTE_MAX(at, other) < -reach) return false;
        }
    return true;
}

// Those of `live` that overlap the box from `low`, `edge` large.
static uint32_t overlapping(const cluster_visit *visit, uint32_t live, const double low[3], const double edge[3])
{
    double center[3], half[3];
    for (int k = 0; k < 3; ++k) {
        center[k] = low[k] + edge[k] * 0.5;
        half[k] = edge[k] * 0.5 + FIRST_MARGIN;
    }
    uint32_t found = 0;
    for (uint32_t i = 0; i < visit->count; ++i)
        if (live >> i & 1 && overlaps(&visit->shapes[i], center, half)) found |= 1u << i;
    return found;
}

// The parts of a cell that the live triangles touch: octants, then their own.
static uint64_t part_mask(const cluster_visit *visit, uint32_t live, const double low[3], double edge)
{
    uint64_t mask = 0;
    for (uint32_t octant = 0; octant < 8; ++octant) {
        double corner[3], size[3] = {edge / 2, edge / 2, edge / 2};
        for (int k = 0; k < 3; ++k) corner[k] = low[k] + edge / 2 * (octant >> k & 1);
        const uint32_t in_octant = overlapping(visit, live, corner, size);
        for (uint32_t part = 0; in_octant && part < 8; ++part) {
            double at[3], quarter[3] = {edge / 4, edge / 4, edge / 4};
            uint32_t bit = 0;
            for (int k = 0; k < 3; ++k) {
                at[k] = corner[k] + edge / 4 * (part >> k & 1);
                bit |= (2 * (octant >> k & 1) + (part >> k & 1)) << (2 * k);
            }
            if (overlapping(visit, in_octant, at, quarter)) mask |= UINT64_C(1) << bit;
        }
    }
    return mask;
}

static cluster_visit begin_visit(const mote_first_hits *first, const first_grid *grid, size_t cluster)
{
    cluster_visit visit = {.grid = grid, .cluster = cluster};
    const size_t begin = cluster * FIRST_LANES, end = MOTE_MIN(begin + FIRST_LANES, first->triangle_count);
    visit.count = (uint32_t)(end - begin);
    for (size_t t = begin; t < end; ++t) visit.shapes[t - begin] = make_shape(first, grid, t);
    return visit;
}

// -------------------------------------------------------------------------------------------------------- pairs

// Cells low … high, both included.
static void visit_cells(cluster_visit *visit, uint32_t live, const uint32_t low[3], const uint32_t high[3])
{
    double corner[3], size[3];
    int axis = 0;
    for (int k = 0; k < 3; ++k) {
        corner[k] = low[k];
        size[k] = (double)(high[k] - low[k] + 1);
        if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
    }
    live = overlapping(visit, live, corner, size);
    if (!live) return;
    if (high[axis] > low[axis]) {
        uint32_t middle[3] = {high[0], high[1], high[2]}, next[3] = {low[0], low[1], low[2]};
        middle[axis] = low[axis] + (high[axis] - low[axis]) / 2;
        next[axis] = middle[axis] + 1;
        visit_cells(visit, live, low, middle);
        visit_cells(visit, live, next, high);
        return;
    }
    if (visit->keys) {
        const first_grid *grid = visit->grid;
        const uint64_t cell = ((uint64_t)low[2] * grid->size[1] + low[1]) * grid->size[0] + low[0];
        visit->keys[visit->pairs] = cell << 32 | visit->cluster;
        visit->masks[visit->pairs] = part_mask(visit, live, corner, 1);
    }
    visit->pairs++;
}

static uint64_t visit_cluster(const pair_list *list, size_t cluster, uint64_t *keys, uint64_t *masks)
{
    cluster_visit visit = begin_visit(list->first, list->grid, cluster);
    visit.keys = keys;
    visit.masks = masks;
    uint32_t low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        double least = HUGE_VAL, most = -HUGE_VAL, last = (double)list->grid->size[k] - 1;
        for (uint32_t i = 0; i < visit.count; ++i) {
            least = MOTE_MIN(least, visit.shapes[i].low[k]);
            most = MOTE_MAX(most, visit.shapes[i].high[k]);
        }
        low[k] = (uint32_t)MOTE_MIN(MOTE_MAX(least - FIRST_MARGIN, 0), last);
        high[k] = (uint32_t)MOTE_MIN(MOTE_MAX(most + FIRST_MARGIN, 0), last);
    }
    visit_cells(&visit, (1u << visit.count) - 1, low, high);
    return visit.pairs;
}

static void count_pairs(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    pair_list *list = data;
    for (size_t c = begin; c < end; ++c) list->starts[c] = visit_cluster(list, c, NULL, NULL);
}

static void write_pairs(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    pair_list *list = data;
    for (size_t c = begin; c < end; ++c)
        visit_cluster(list, c, list->keys + list->starts[c], list->masks + list->starts[c]);
}

// -------------------------------------------------------------------------------------------------------- nodes

enum { BUFFER_DISTANCE, BUFFER_WORDS, BUFFER_NODES, BUFFER_MASKS, BUFFER_CLUSTERS };

static mote_result reserve(const mote_first_hits *first, first_grid *grid, int which, size_t bytes, size_t keep)
{
    return mote_buffer_reserve(first->context, &grid->memory[which], bytes, keep);
}

static void take_memory(first_grid *grid)
{
    grid->distance = grid->memory[BUFFER_DISTANCE].data;
    grid->words = grid->memory[BUFFER_WORDS].data;
    grid->nodes = grid->memory[BUFFER_NODES].data;
    grid->masks = grid->memory[BUFFER_MASKS].data;
    grid->clusters = grid->memory[BUFFER_CLUSTERS].data;
}

// Counting sort of the pairs by cell: bits of occupied cells, their ranks, nodes, references in order of clusters.
static mote_result fill_leaves(const mote_first_hits *first, first_grid *grid, const pair_list *list, size_t pairs)
{
    for (size_t i = 0; i < pairs; ++i) {
        const uint64_t cell = list->keys[i] >> 32;
        grid->words[cell / 64].bits |= UINT64_C(1) << cell % 64;
    }
    uint32_t nodes = 0;
    for (size_t w = 0; w < grid->word_count; ++w) {
        grid->words[w].rank = nodes;
        nodes += mote_count_bits(grid->words[w].bits);
    }
    grid->top_count = grid->node_count = nodes;
    grid->reference_count = pairs;
    mote_result result = reserve(first, grid, BUFFER_NODES, mote_bytes(nodes, sizeof(first_node)), 0);
    if (result == MOTE_OK) result = reserve(first, grid, BUFFER_MASKS, mote_bytes(pairs, sizeof(uint64_t)), 0);
    if (result == MOTE_OK) result = reserve(first, grid, BUFFER_CLUSTERS, mote_bytes(pairs, sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return result;
    take_memory(grid);
    for (uint32_t n = 0; n < nodes; ++n) grid->nodes[n] = (first_node){0};
    for (size_t i = 0; i < pairs; ++i) grid->nodes[mote_first_rank(grid, list->keys[i] >> 32)].count++;
    uint32_t next = 0;
    for (uint32_t n = 0; n < nodes; ++n) grid->nodes[n].first = next, next += grid->nodes[n].count;
    for (size_t i = 0; i < pairs; ++i) {
        first_node *node = &grid->nodes[mote_first_rank(grid, list->keys[i] >> 32)];
        grid->masks[node->first] = list->masks[i];
        grid->clusters[node->first++] = (uint32_t)list->keys[i];
        node->mask |= list->masks[i];
    }
    for (uint32_t n = 0; n < nodes; ++n) grid->nodes[n].first -= grid->nodes[n].count;
    return MOTE_OK;
}

// ---------------------------------------------------------------------------------------------------- splitting

static mote_result add_references(const mote_first_hits *first, first_grid *grid, size_t count)
{
    const size_t kept = grid->reference_count, all = kept + count;
    if (all > UINT32_MAX) return MOTE_ERROR_OUT_OF_MEMORY;
    mote_result result = reserve(first, grid, BUFFER_MASKS, all * sizeof(uint64_t), kept * sizeof(uint64_t));
    if (result == MOTE_OK)
        result = reserve(first, grid, BUFFER_CLUSTERS, all * sizeof(uint32_t), kept * sizeof(uint32_t));
    take_memory(grid);
    return result;
}

// Whether the children's lists would be less than half as long.
static bool is_worth_splitting(const mote_first_hits *first, const first_grid *grid, const first_node *node)
{
    if (node->count <= first->def.leaf_clusters) return false;
    uint64_t entries = 0;
    for (uint32_t r = 0; r < node->count; ++r) entries += mote_count_bits(grid->masks[node->first + r]);
    return 2 * entries <= (uint64_t)node->count * mote_count_bits(node->mask);
}

static mote_result split(const mote_first_hits *first, first_grid *grid, size_t at, const double low[3], double edge,
                         int level);

// Gives a child of a node the clusters that lie in its part.
static mote_result fill_child(const mote_first_hits *first, first_grid *grid, const first_node *parent, uint32_t part,
                              size_t child, const double low[3], double edge)
{
    mote_result result = add_references(first, grid, parent->count);
    if (result != MOTE_OK) return result;
    first_node made = {.first = (uint32_t)grid->reference_count};
    for (uint32_t r = 0; r < parent->count; ++r) {
        if (!(grid->masks[parent->first + r] >> part & 1)) continue;
        const uint32_t cluster = grid->clusters[parent->first + r];
        cluster_visit visit = begin_visit(first, grid, cluster);
        const uint64_t mask = part_mask(&visit, (1u << visit.count) - 1, low, edge);
        if (!mask) continue;
        grid->masks[made.first + made.count] = mask;
        grid->clusters[made.first + made.count++] = cluster;
        made.mask |= mask;
    }
    grid->reference_count += made.count;
    grid->nodes[child] = made;
    return MOTE_OK;
}

static mote_result split(const mote_first_hits *first, first_grid *grid, size_t at, const double low[3], double edge,
                         int level)
{
    const first_node parent = grid->nodes[at];
    if (level >= FIRST_MOST_LEVELS || !is_worth_splitting(first, grid, &parent)) return MOTE_OK;
    const size_t children = grid->node_count, count = mote_count_bits(parent.mask);
    mote_result result = reserve(first, grid, BUFFER_NODES, (children + count) * sizeof(first_node),
                                 children * sizeof(first_node));
    if (result != MOTE_OK) return result;
    take_memory(grid);
    grid->node_count += count;
    size_t child = children;
    for (uint32_t part = 0; part < 64; ++part) {
        if (!(parent.mask >> part & 1)) continue;
        const double quarter = edge / 4;
        const double corner[3] = {low[0] + quarter * (part & 3), low[1] + quarter * (part >> 2 & 3),
                                  low[2] + quarter * (part >> 4)};
        result = fill_child(first, grid, &parent, part, child, corner, quarter);
        if (result == MOTE_OK) result = split(first, grid, child++, corner, quarter, level + 1);
        if (result != MOTE_OK) return result;
    }
    grid->nodes[at] = (first_node){.mask = parent.mask, .first = (uint32_t)children};
    return MOTE_OK;
}

// The corner of a cell.
static void cell_corner(const first_grid *grid, size_t cell, double low[3])
{
    low[0] = (double)(cell % grid->size[0]);
    low[1] = (double)(cell / grid->size[0] % grid->size[1]);
    low[2] = (double)(cell / grid->size[0] / grid->size[1]);
}

static mote_result split_cells(const mote_first_hits *first, first_grid *grid)
{
    mote_result result = MOTE_OK;
    size_t node = 0;
    for (size_t w = 0; w < grid->word_count; ++w)
        for (uint64_t bits = grid->words[w].bits; bits && result == MOTE_OK; bits &= bits - 1, ++node) {
            double low[3];
            cell_corner(grid, w * 64 + mote_lowest_bit(bits), low);
            result = split(first, grid, node, low, 1, 0);
        }
    return result;
}

// -------------------------------------------------------------------------------------------------------- slabs

// The triangles of a cluster that overlap the cell.
static uint32_t in_cell(const cluster_visit *visit, const double low[3])
{
    const double edge[3] = {1, 1, 1};
    return overlapping(visit, (1u << visit->count) - 1, low, edge);
}

// Across the triangles' mean normal, by area.
static void choose_normal(const double sum[3], int8_t normal[3])
{
    const double most = MOTE_MAX(fabs(sum[0]), MOTE_MAX(fabs(sum[1]), fabs(sum[2])));
    for (int k = 0; k < 3; ++k) normal[k] = (int8_t)(most > 0 ? floor(sum[k] / most * 127 + 0.5) : 0);
}

static int16_t slab_parts(double parts)
{
    return (int16_t)MOTE_MIN(MOTE_MAX(parts, (double)INT16_MIN), (double)INT16_MAX);
}

static void make_slab(const mote_first_hits *first, const first_grid *grid, first_node *node, const double corner[3])
{
    double sum[3] = {0}, low = HUGE_VAL, high = -HUGE_VAL;
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t r = node->first; r < node->first + node->count; ++r) {
            const cluster_visit visit = begin_visit(first, grid, grid->clusters[r]);
            for (uint32_t lanes = in_cell(&visit, corner); lanes; lanes &= lanes - 1) {
                const shape *s = &visit.shapes[mote_lowest_bit(lanes)];
                for (int k = 0; pass == 0 && k < 3; ++k) sum[k] += s->normal[k];
                for (int v = 0; pass == 1 && v < 3; ++v) {
                    double at = 0;
                    for (int k = 0; k < 3; ++k) at += node->normal[k] * (s->corner[v][k] - (corner[k] + 0.5));
                    low = MOTE_MIN(low, at);
                    high = MOTE_MAX(high, at);
                }
            }
        }
        if (pass == 0) choose_normal(sum, node->normal);
    }
    low = floor(low * FIRST_SLAB_PARTS - 0.5);
    high = ceil(high * FIRST_SLAB_PARTS + 0.5);
    node->low = slab_parts(low);
    node->high = slab_parts(high);
    if (node->low != low || node->high != high) memset(node->normal, 0, sizeof node->normal);
}

typedef struct slab_task {
    const mote_first_hits *first;
    first_grid *grid;
} slab_task;

static void make_slabs(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const slab_task *task = data;
    first_grid *grid = task->grid;
    for (size_t w = begin; w < end; ++w) {
        size_t node = grid->words[w].rank;
        for (uint64_t bits = grid->words[w].bits; bits; bits &= bits - 1, ++node) {
            double corner[3];
            cell_corner(grid, w * 64 + mote_lowest_bit(bits), corner);
            if (grid->nodes[node].count) make_slab(task->first, grid, &grid->nodes[node], corner);
        }
    }
}

// --------------------------------------------------------------------------------------------------------- size

static mote_box bounds_of(const mote_first_hits *first)
{
    mote_box box = mote_box_empty();
    for (size_t i = 0; i < 3 * first->triangle_count; ++i) {
        box = mote_box_add_point(box, first->vertices[first->triangles[i]]);
        if (first->ends) box = mote_box_add_point(box, first->ends[first->triangles[i]]);
    }
    return box;
}

// Cells that a flat convex shape overlaps on average: extents over the edge, and projected areas over its square.
static double expected_references(const mote_first_hits *first, double edge)
{
    double sum = 0;
    for (size_t t = 0; t < first->triangle_count; ++t) {
        mote_vec3 c[3];
        mote_first_corners(first, (uint32_t)t, c);
        mote_box box = {mote_vec3_min(c[0], mote_vec3_min(c[1], c[2])), mote_vec3_max(c[0], mote_vec3_max(c[1], c[2]))};
        mote_vec3 e = mote_vec3_sub(box.max, box.min);
        mote_vec3 n = mote_vec3_cross(mote_vec3_sub(c[1], c[0]), mote_vec3_sub(c[2], c[0]));
        sum += 1 + (e.x + e.y + e.z) / edge + (fabs(n.x) + fabs(n.y) + fabs(n.z)) / (2 * edge * edge);
    }
    return sum;
}

static void place_grid(first_grid *grid, mote_box box, double edge)
{
    const double low[3] = {box.min.x, box.min.y, box.min.z}, high[3] = {box.max.x, box.max.y, box.max.z};
    grid->edge = edge;
    grid->per_edge = 1 / edge;
    grid->cell_count = 1;
    for (int k = 0; k < 3; ++k) {
        // A rim of a cell, so that motions outside find a distance.
        grid->origin[k] = low[k] - edge;
        grid->size[k] = (uint32_t)((high[k] - grid->origin[k]) / edge) + 2;
        grid->cell_count *= grid->size[k];
    }
}

// As fine as the number of triangles asks for, as the def allows, and as long as large triangles are in few cells.
static void choose_size(const mote_first_hits *first, first_grid *grid)
{
    mote_box box = bounds_of(first);
    mote_vec3 extent = mote_vec3_sub(box.max, box.min);
    const double longest = MOTE_MAX(extent.x, MOTE_MAX(extent.y, extent.z));
    double wanted = (double)first->triangle_count * CELLS_A_TRIANGLE;
    wanted = MOTE_MIN(MOTE_MAX(wanted, CELLS_MIN), (double)first->def.most_cells);
    double edge = MOTE_MAX(longest / 1024, 0x1p-60);
    for (place_grid(grid, box, edge); (double)grid->cell_count > wanted; place_grid(grid, box, edge)) {
        if (grid->size[0] == 3 && grid->size[1] == 3 && grid->size[2] == 3) break;
        edge *= 1.05;
    }
    const double most = (double)first->triangle_count * REFERENCES_A_TRIANGLE + 4096;
    while (edge < longest && expected_references(first, edge) > most) edge *= 1.25;
    place_grid(grid, box, edge);
}

static mote_result make_pairs(const mote_first_hits *first, first_grid *grid, mote_buffer memory[2])
{
    mote_result result = mote_buffer_reserve(first->context, &memory[0],
                                             mote_bytes(first->cluster_count, sizeof(uint64_t)), 0);
    if (result != MOTE_OK) return result;
    pair_list list = {.first = first, .grid = grid, .starts = memory[0].data};
    mote_parallel_for(first->context, first->cluster_count, CLUSTERS_A_BLOCK, count_pairs, &list);
    const uint64_t pairs = mote_prefix_sum_u64(list.starts, first->cluster_count);
    if (pairs > UINT32_MAX) return MOTE_ERROR_OUT_OF_MEMORY;
    result = mote_buffer_reserve(first->context, &memory[1], mote_bytes((size_t)pairs, 2 * sizeof(uint64_t)), 0);
    if (result != MOTE_OK) return result;
    list.keys = memory[1].data;
    list.masks = list.keys + pairs;
    mote_parallel_for(first->context, first->cluster_count, CLUSTERS_A_BLOCK, write_pairs, &list);
    return fill_leaves(first, grid, &list, (size_t)pairs);
}

mote_result mote_first_grid_build(const mote_first_hits *first, first_grid *made)
{
    first_grid grid = {.edge = 1, .per_edge = 1};
    if (first->triangle_count == 0) {
        *made = grid;
        return MOTE_OK;
    }
    choose_size(first, &grid);
    grid.word_count = (grid.cell_count + 63) / 64;
    mote_result result = reserve(first, &grid, BUFFER_DISTANCE, grid.cell_count + 8, 0);
    if (result == MOTE_OK) result = reserve(first, &grid, BUFFER_WORDS, grid.word_count * sizeof(first_word), 0);
    mote_buffer memory[2] = {{0}};
    if (result == MOTE_OK) {
        take_memory(&grid);
        memset(grid.words, 0, grid.word_count * sizeof *grid.words);
        result = make_pairs(first, &grid, memory);
    }
    if (result == MOTE_OK) result = split_cells(first, &grid);
    for (int k = 0; k < 2; ++k) mote_buffer_release(first->context, &memory[k]);
    if (result == MOTE_OK) {
        slab_task task = {first, &grid};
        // Where vertices move, triangles leave their slabs.
        if (!first->ends) mote_parallel_for(first->context, grid.word_count, WORDS_A_BLOCK, make_slabs, &task);
        mote_first_measure(first, &grid);
    }
    if (result == MOTE_OK) *made = grid;
    else mote_first_grid_release(first->context, &grid);
    return result;
}

void mote_first_grid_release(const mote_context *context, first_grid *grid)
{
    for (int k = 0; k < FIRST_GRID_BUFFERS; ++k) mote_buffer_release(context, &grid->memory[k]);
    *grid = (first_grid){0};
}
