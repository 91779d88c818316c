// SPDX-License-Identifier: MIT
// The proxy's octree (Fan et al. 2013, section 3.1): subdivision, mean normals, and flat nodes.
//
// First, triangles are assigned to the nodes of one depth: pairs of node and triangle, sorted by node. Below each of
// these nodes a subtree is built independently, in parallel; finally the subtrees are stored one after the other,
// and the nodes above are made from them. The blocks of subtrees do not depend on threads, so the node numbers do
// not either.
//
// Eq. 2 of Fan et al. 2013 prints the mean normal as a scalar; it is Σ aᵢ·nᵢ / ‖Σ aᵢ·nᵢ‖. If it is not significant,
// because the triangles face opposite ways, the leaf is two-sided: it is split as far as the depth allows.

#include <stdatomic.h>

#include "proxy/octree.h"

enum { TRIANGLES_A_BLOCK = 4096, RUNS_A_BLOCK = 16, DEAL_DEPTH_MOST = 5 };

// A leaf is two-sided if its mean normal is this short, or this share of its area faces away from it.
static const double SHORTEST_MEAN = 0.125, LARGEST_SHARE_AWAY = 0.0625;

// A block of subtrees. Numbers of children and of references count from the block's first.
typedef struct subtrees {
    mote_buffer node_memory, leaf_memory, reference_memory;
    mote_buffer list_memory, mask_memory;  // triangles of the nodes from a subtree's root to the current node
    size_t node_count, leaf_count, reference_count, list_count;
    mote_result result;
} subtrees;

typedef struct build {
    mote_octree *tree;
    uint32_t depth;   // at which triangles are assigned to nodes
    double cell;      // edge of a node of that depth
    uint64_t *first;  // per triangle: its number of pairs, then the number of its first
    uint64_t *keys;   // the pair's node, as a Morton number; as many again as scratch
    uint32_t *values;
    size_t pair_count;
    uint64_t most_pairs;  // that fit into the byte budget
    atomic_uint_least64_t counted_pairs;
    uint64_t *runs;  // first pair of each node, and the end
    size_t run_count;
    mote_proxy_node *roots;  // of subtrees
    bool *root_is_inner;
    subtrees *blocks;
    size_t block_count;
} build;

// ------------------------------------------------------------------------------------------------------ normals

uint32_t mote_normal_pack(mote_vec3 normal)
{
    const double component[3] = {normal.x, normal.y, normal.z};
    uint32_t packed = 0;
    for (int k = 0; k < 3; ++k) packed |= ((uint32_t)(int32_t)floor(component[k] * 511 + 0.5) & 0x3FF) << 10 * k;
    return packed;
}

// The mean normal and its quality for the triangles of a leaf.
typedef struct patch {
    mote_vec3 normal;
    double variation;
    bool two_sided;
} patch;

// The area of triangles that face away from the normal.
static double area_away(const mote_octree *tree, const uint32_t *list, size_t count, mote_vec3 normal)
{
    double away = 0;
    for (size_t i = 0; i < count; ++i) {
        const mote_vec3 cross = mote_triangle_cross(tree->triangles[list[i]]);
        if (mote_vec3_dot(cross, normal) < 0) away += mote_vec3_length(cross);
    }
    return away;
}

// With weights w that add up to 1 and unit vectors n and N, Σ w·|n − N|² is 2 − 2·N·Σ w·n. For weights by area and the
// mean N itself that is 2 − 2·‖Σ aᵢ·nᵢ‖ / Σ aᵢ; without weights (eq. 1), 2·count − 2·N·Σ n.
static patch measure(const mote_octree *tree, const uint32_t *list, size_t count)
{
    mote_vec3 sum = {0, 0, 0}, units = {0, 0, 0};
    double area = 0;
    const bool by_area = tree->def.variation == MOTE_PROXY_MEAN;
    for (size_t i = 0; i < count; ++i) {
        const mote_vec3 cross = mote_triangle_cross(tree->triangles[list[i]]);
        const double own = mote_vec3_length(cross);
        sum = mote_vec3_add(sum, cross);
        area += own;
        if (!by_area) units = mote_vec3_add_scaled(units, cross, 1 / own);
    }
    const double length = mote_vec3_length(sum);
    patch of = {{0, 0, 1}, HUGE_VAL, true};
    if (!(length > SHORTEST_MEAN * area)) return of;
    of.normal = mote_vec3_scale(sum, 1 / length);
    const double variation =
        by_area ? 2 - 2 * length / area : 2 * (double)count - 2 * mote_vec3_dot(units, of.normal);
    of.variation = MOTE_MAX(variation, 0);
    // Triangles that face away add nothing to the mean's length: a long mean leaves little room for them.
    const double share = LARGEST_SHARE_AWAY * area;
    of.two_sided = area - length > share * (1 - 0x1p-20) && area_away(tree, list, count, of.normal) > share;
    return of;
}

// ----------------------------------------------------------------------------------------------------- dealing out

// A block of nodes: low … high, both included.
typedef struct node_block {
    uint32_t low[3], high[3];
} node_block;

static uint64_t morton(const uint32_t cell[3])
{
    return mote_spread_bits(cell[0]) | mote_spread_bits(cell[1]) << 1 | mote_spread_bits(cell[2]) << 2;
}

static uint32_t gather_bits(uint64_t key, int axis, uint32_t depth)
{
    uint32_t bits = 0;
    for (uint32_t k = 0; k < depth; ++k) bits |= (uint32_t)(key >> (3 * k + (uint32_t)axis) & 1) << k;
    return bits;
}

// Counts the nodes of the block that the triangle meets, and writes them if `keys` is given: halves the block while
// the triangle meets it.
static uint64_t visit_block(const build *b, mote_triangle triangle, const node_block *block, uint64_t *keys)
{
    mote_vec3 center, half;
    double *c[3] = {&center.x, &center.y, &center.z}, *h[3] = {&half.x, &half.y, &half.z};
    int axis = 0;
    for (int k = 0; k < 3; ++k) {
        *c[k] = (block->low[k] + block->high[k] + 1.0) * b->cell / 2;
        *h[k] = (block->high[k] - block->low[k] + 1.0) * b->cell / 2;
        if (block->high[k] - block->low[k] > block->high[axis] - block->low[axis]) axis = k;
    }
    if (!mote_triangle_meets_box(triangle, center, half)) return 0;
    if (block->high[axis] == block->low[axis]) {
        if (keys) *keys = morton(block->low);
        return 1;
    }
    node_block lower = *block, upper = *block;
    lower.high[axis] = block->low[axis] + (block->high[axis] - block->low[axis]) / 2;
    upper.low[axis] = lower.high[axis] + 1;
    const uint64_t count = visit_block(b, triangle, &lower, keys);
    return count + visit_block(b, triangle, &upper, keys ? keys + count : NULL);
}

// The closed node of depth b->depth below or above a coordinate: a whole number belongs to two nodes.
static uint32_t node_below(const build *b, double x)
{
    const double most = (double)(1u << b->depth) - 1, at = ceil(x / b->cell) - 1;
    return (uint32_t)(at < 0 ? 0 : MOTE_MIN(at, most));
}

static uint32_t node_above(const build *b, double x)
{
    const double most = (double)(1u << b->depth) - 1, at = floor(x / b->cell);
    return (uint32_t)(at < 0 ? 0 : MOTE_MIN(at, most));
}

static uint64_t visit_triangle(const build *b, mote_triangle triangle, uint64_t *keys)
{
    const mote_vec3 min = mote_vec3_min(triangle.a, mote_vec3_min(triangle.b, triangle.c)),
                    max = mote_vec3_max(triangle.a, mote_vec3_max(triangle.b, triangle.c));
    const node_block block = {{node_below(b, min.x), node_below(b, min.y), node_below(b, min.z)},
                              {node_above(b, max.x), node_above(b, max.y), node_above(b, max.z)}};
    if (block.low[0] == block.high[0] && block.low[1] == block.high[1] && block.low[2] == block.high[2]) {
        if (keys) *keys = morton(block.low);
        return 1;
    }
    return visit_block(b, triangle, &block, keys);
}

// Stops early if there are too many pairs.
static void count_pairs(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    build *b = data;
    if (atomic_load(&b->counted_pairs) > b->most_pairs) return;
    uint64_t count = 0;
    for (size_t t = begin; t < end; ++t) {
        const mote_triangle triangle = b->tree->triangles[t];
        b->first[t] = mote_triangle_is_flat(triangle) ? 0 : visit_triangle(b, triangle, NULL);
        count += b->first[t];
    }
    atomic_fetch_add(&b->counted_pairs, count);
}

static void fill_pairs(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const build *b = data;
    for (size_t t = begin; t < end; ++t) {
        const uint64_t first = b->first[t], next = t + 1 < b->tree->triangle_count ? b->first[t + 1] : b->pair_count;
        const uint64_t found = next > first ? visit_triangle(b, b->tree->triangles[t], b->keys + first) : 0;
        MOTE_ASSERT(found == next - first);
        for (uint64_t i = first; i < next; ++i) b->values[i] = (uint32_t)t;
    }
}

static mote_result deal_out(build *b)
{
    mote_context *context = b->tree->context;
    const size_t n = b->tree->triangle_count;
    b->first = mote_allocate(context, mote_bytes(n, sizeof *b->first));
    if (!b->first && n) return MOTE_ERROR_OUT_OF_MEMORY;
    b->most_pairs = mote_budget_left(context) / (2 * sizeof *b->keys + 2 * sizeof *b->values);
    mote_parallel_for(context, n, TRIANGLES_A_BLOCK, count_pairs, b);
    if (atomic_load(&b->counted_pairs) > b->most_pairs) return MOTE_ERROR_OUT_OF_MEMORY;
    const size_t count = b->pair_count = (size_t)mote_prefix_sum_u64(b->first, n);
    if (count == 0) return MOTE_OK;
    b->keys = mote_allocate(context, mote_bytes(count, 2 * sizeof *b->keys));
    b->values = mote_allocate(context, mote_bytes(count, 2 * sizeof *b->values));
    if (!b->keys || !b->values) return MOTE_ERROR_OUT_OF_MEMORY;
    mote_parallel_for(context, n, TRIANGLES_A_BLOCK, fill_pairs, b);
    return mote_sort_u64(context, b->keys, b->values, b->keys + count, b->values + count, count);
}

// ------------------------------------------------------------------------------------------------------ subtrees

// A node whose `count` triangles are in the list from `begin` on.
typedef struct work {
    uint32_t low[3], size, depth;
    size_t begin, count;
} work;

static bool reserve(const build *b, subtrees *s, mote_buffer *buffer, size_t bytes)
{
    if (bytes > buffer->bytes)
        s->result = mote_buffer_reserve(b->tree->context, buffer, MOTE_MAX(bytes, 2 * buffer->bytes), buffer->bytes);
    return s->result == MOTE_OK;
}

static bool add_leaf(const build *b, subtrees *s, const work *at, const patch *of, uint32_t number,
                     mote_proxy_node *node)
{
    if (!reserve(b, s, &s->leaf_memory, (s->leaf_count + 1) * sizeof(mote_octree_leaf))) return false;
    if (!reserve(b, s, &s->reference_memory, (s->reference_count + at->count) * sizeof(uint32_t))) return false;
    mote_octree_leaf leaf = {
        .node = number, .size = at->size, .count = (uint32_t)at->count, .first = s->reference_count};
    memcpy(leaf.low, at->low, sizeof leaf.low);
    ((mote_octree_leaf *)s->leaf_memory.data)[s->leaf_count++] = leaf;
    memcpy((uint32_t *)s->reference_memory.data + s->reference_count, (const uint32_t *)s->list_memory.data + at->begin,
           at->count * sizeof(uint32_t));
    s->reference_count += at->count;
    node->first = mote_normal_pack(of->normal);
    node->bits = (of->two_sided ? MOTE_PROXY_TWO_SIDED : 0) | at->depth << MOTE_PROXY_LEAF_DEPTH;
    return true;
}

// The octants that a triangle of the node meets. If its bounds lie in one octant, they decide alone.
static uint8_t octants_met(mote_triangle triangle, const work *at)
{
    const double half = at->size / 2.0, quarter = at->size / 4.0;
    const mote_vec3 min = mote_vec3_min(triangle.a, mote_vec3_min(triangle.b, triangle.c)),
                    max = mote_vec3_max(triangle.a, mote_vec3_max(triangle.b, triangle.c));
    const double middle[3] = {at->low[0] + half, at->low[1] + half, at->low[2] + half};
    uint32_t mask = 0xFF;
    if (min.x > middle[0]) mask &= 0xAA;
    if (max.x < middle[0]) mask &= 0x55;
    if (min.y > middle[1]) mask &= 0xCC;
    if (max.y < middle[1]) mask &= 0x33;
    if (min.z > middle[2]) mask &= 0xF0;
    if (max.z < middle[2]) mask &= 0x0F;
    if ((mask & (mask - 1)) == 0) return (uint8_t)mask;
    for (uint32_t k = 0; k < 8; ++k) {
        if (!(mask >> k & 1)) continue;
        const mote_vec3 center = {middle[0] + (k & 1 ? quarter : -quarter), middle[1] + (k & 2 ? quarter : -quarter),
                                  middle[2] + (k & 4 ? quarter : -quarter)};
        if (!mote_triangle_meets_box(triangle, center, mote_vec3_make(quarter, quarter, quarter))) mask &= ~(1u << k);
    }
    return (uint8_t)mask;
}

static uint32_t mark_octants(const mote_octree *tree, subtrees *s, const work *at)
{
    const uint32_t *list = (const uint32_t *)s->list_memory.data + at->begin;
    uint8_t *masks = (uint8_t *)s->mask_memory.data + at->begin;
    uint32_t all = 0;
    for (size_t i = 0; i < at->count; ++i) {
        masks[i] = octants_met(tree->triangles[list[i]], at);
        all |= masks[i];
    }
    return all;
}

// Appends the triangles of an octant to the list.
static size_t push_octant(subtrees *s, const work *at, uint32_t octant)
{
    uint32_t *list = s->list_memory.data;
    const uint8_t *masks = s->mask_memory.data;
    size_t end = s->list_count;
    for (size_t i = at->begin; i < at->begin + at->count; ++i) {
        list[end] = list[i];
        end += masks[i] >> octant & 1;
    }
    const size_t count = end - s->list_count;
    s->list_count = end;
    return count;
}

// Leaves with triangles must have empty leaves around them, so nodes that reach the root's faces are split. Finest
// leaves never reach them.
static bool is_at_border(const mote_octree *tree, const work *at)
{
    const uint32_t across = 1u << tree->def.max_depth;
    for (int k = 0; k < 3; ++k)
        if (at->low[k] == 0 || at->low[k] + at->size == across) return true;
    return false;
}

// Makes the node with this number, and all nodes below it. False if memory ran out.
static bool make_node(const build *b, subtrees *s, const work *at, uint32_t number, mote_proxy_node *node, bool *inner)
{
    const mote_octree *tree = b->tree;
    const mote_proxy_def *def = &tree->def;
    *inner = false;
    if ((int)at->depth > def->min_depth) {
        const patch of = measure(tree, (const uint32_t *)s->list_memory.data + at->begin, at->count);
        if ((int)at->depth == def->max_depth ||
            (of.variation < def->tolerance && !of.two_sided && !is_at_border(tree, at)))
            return add_leaf(b, s, at, &of, number, node);
    }
    *inner = true;
    // Room for the octant with the most triangles, and for one more write.
    if (!reserve(b, s, &s->list_memory, (s->list_count + at->count + 1) * sizeof(uint32_t))) return false;
    if (!reserve(b, s, &s->mask_memory, s->list_count + at->count + 1)) return false;
    const uint32_t mask = mark_octants(tree, s, at), children = mote_octants_below(mask, 8);
    const size_t first = s->node_count;
    if (!reserve(b, s, &s->node_memory, (first + children) * sizeof(mote_proxy_node))) return false;
    s->node_count += children;

    uint32_t inner_mask = 0, done = 0;
    for (uint32_t octant = 0; octant < 8; ++octant) {
        if (!(mask >> octant & 1)) continue;
        const size_t below = s->list_count;
        if (!reserve(b, s, &s->list_memory, (below + at->count + 1) * sizeof(uint32_t))) return false;
        const uint32_t half = at->size / 2;
        work child = {.low = {at->low[0] + (octant & 1) * half, at->low[1] + (octant >> 1 & 1) * half,
                              at->low[2] + (octant >> 2) * half},
                      .size = half,
                      .depth = at->depth + 1,
                      .begin = below,
                      .count = push_octant(s, at, octant)};
        mote_proxy_node made;
        bool is_inner;
        if (!make_node(b, s, &child, (uint32_t)(first + done), &made, &is_inner)) return false;
        ((mote_proxy_node *)s->node_memory.data)[first + done++] = made;
        inner_mask |= (uint32_t)is_inner << octant;
        s->list_count = below;
    }
    node->first = (uint32_t)first;
    node->bits = mask | inner_mask << 8;
    return true;
}

static void make_subtrees(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const build *b = data;
    subtrees *s = b->blocks + begin / RUNS_A_BLOCK;
    for (size_t run = begin; run < end && s->result == MOTE_OK; ++run) {
        const size_t count = (size_t)(b->runs[run + 1] - b->runs[run]);
        if (!reserve(b, s, &s->list_memory, count * sizeof(uint32_t))) return;
        if (count) memcpy(s->list_memory.data, b->values + b->runs[run], count * sizeof(uint32_t));
        s->list_count = count;
        work root = {.size = 1u << ((uint32_t)b->tree->def.max_depth - b->depth), .depth = b->depth, .count = count};
        for (int k = 0; k < 3; ++k) root.low[k] = gather_bits(b->keys[b->runs[run]], k, b->depth) * root.size;
        // Roots of subtrees are numbered through all blocks; others from their block's first.
        make_node(b, s, &root, (uint32_t)run, b->roots + run, b->root_is_inner + run);
    }
    mote_buffer_release(b->tree->context, &s->list_memory);
    mote_buffer_release(b->tree->context, &s->mask_memory);
}

static mote_result find_runs(build *b)
{
    size_t count = 0;
    for (size_t i = 0; i < b->pair_count; ++i) count += i == 0 || b->keys[i] != b->keys[i - 1];
    mote_context *context = b->tree->context;
    b->run_count = count;
    b->block_count = mote_block_count(count, RUNS_A_BLOCK);
    b->runs = mote_allocate(context, (count + 1) * sizeof *b->runs);
    b->roots = mote_allocate(context, count * sizeof *b->roots);
    b->root_is_inner = mote_allocate(context, count * sizeof *b->root_is_inner);
    b->blocks = mote_allocate(context, b->block_count * sizeof *b->blocks);
    if (b->blocks) memset(b->blocks, 0, b->block_count * sizeof *b->blocks);
    if (!b->runs || !b->roots || !b->root_is_inner || !b->blocks) return MOTE_ERROR_OUT_OF_MEMORY;
    count = 0;
    for (size_t i = 0; i < b->pair_count; ++i)
        if (i == 0 || b->keys[i] != b->keys[i - 1]) b->runs[count++] = i;
    b->runs[count] = b->pair_count;
    mote_parallel_for(context, b->run_count, RUNS_A_BLOCK, make_subtrees, b);
    for (size_t i = 0; i < b->block_count; ++i)
        if (b->blocks[i].result != MOTE_OK) return b->blocks[i].result;
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------------ assembly

static mote_result reserve_result(const build *b, size_t nodes, size_t leaves, size_t references)
{
    mote_octree *tree = b->tree;
    if (nodes >= UINT32_MAX >> 3) return MOTE_ERROR_OUT_OF_MEMORY;  // numbers have 29 bits
    mote_result result = mote_buffer_level(tree->context, &tree->node_memory, mote_bytes(nodes, sizeof *tree->nodes));
    if (result == MOTE_OK)
        result = mote_buffer_level(tree->context, &tree->leaf_memory, mote_bytes(leaves, sizeof *tree->leaves));
    if (result == MOTE_OK)
        result = mote_buffer_level(tree->context, &tree->reference_memory, mote_bytes(references, sizeof(uint32_t)));
    tree->nodes = tree->node_memory.data;
    tree->leaves = tree->leaf_memory.data;
    tree->references = tree->reference_memory.data;
    tree->node_count = nodes;
    tree->leaf_count = leaves;
    tree->reference_count = references;
    return result;
}

// Appends a block after the previous ones, whose totals are given.
static void append_block(const build *b, size_t block, size_t first_root, size_t nodes, size_t leaves,
                         size_t references)
{
    mote_octree *tree = b->tree;
    const subtrees *s = b->blocks + block;
    const mote_proxy_node *from = s->node_memory.data;
    const size_t first_run = block * RUNS_A_BLOCK, end_run = MOTE_MIN(first_run + RUNS_A_BLOCK, b->run_count);
    for (size_t run = first_run; run < end_run; ++run) {
        mote_proxy_node node = b->roots[run];
        if (b->root_is_inner[run]) node.first += (uint32_t)nodes;
        tree->nodes[first_root + run] = node;
    }
    // Which of the block's nodes are inner is already known: leaves are listed, and keep their content.
    for (size_t i = 0; i < s->node_count; ++i) {
        tree->nodes[nodes + i] = from[i];
        tree->nodes[nodes + i].first += (uint32_t)nodes;
    }
    const mote_octree_leaf *leaf = s->leaf_memory.data;
    for (size_t i = 0; i < s->leaf_count; ++i) {
        mote_octree_leaf moved = leaf[i];
        if (moved.size << b->depth == 1u << tree->def.max_depth) {
            moved.node += (uint32_t)first_root;
        } else {
            moved.node += (uint32_t)nodes;
            tree->nodes[moved.node].first -= (uint32_t)nodes;
        }
        moved.first += references;
        tree->leaves[leaves + i] = moved;
    }
    if (s->reference_count)
        memcpy(tree->references + references, s->reference_memory.data, s->reference_count * sizeof(uint32_t));
}

// Makes the nodes above the subtrees: level by level, each stored after the level above it.
static void make_upper_levels(const build *b, const size_t *level_first)
{
    mote_proxy_node *nodes = b->tree->nodes;
    for (uint32_t level = 0; level < b->depth; ++level) {
        const uint32_t shift = 3 * (b->depth - level);
        size_t node = level_first[level], child = level_first[level + 1];
        for (size_t run = 0; run < b->run_count; ++run) {
            const uint64_t key = b->keys[b->runs[run]], before = run ? b->keys[b->runs[run - 1]] : 0;
            const bool is_new = run == 0 || key >> shift != before >> shift;
            if (is_new && run) ++node;
            if (is_new) nodes[node] = (mote_proxy_node){(uint32_t)child, 0};
            if (run && key >> (shift - 3) == before >> (shift - 3)) continue;
            const uint32_t octant = (uint32_t)(key >> (shift - 3) & 7);
            const bool inner = level + 1 < b->depth || b->root_is_inner[run];
            nodes[node].bits |= 1u << octant | (uint32_t)inner << (8 + octant);
            ++child;
        }
    }
}

static mote_result assemble(const build *b)
{
    size_t level_first[DEAL_DEPTH_MOST + 2] = {0}, leaves = 0, references = 0;
    for (uint32_t level = 0; level <= b->depth; ++level) {
        const uint32_t shift = 3 * (b->depth - level);
        size_t count = 0;
        for (size_t run = 0; run < b->run_count; ++run)
            count += run == 0 || b->keys[b->runs[run]] >> shift != b->keys[b->runs[run - 1]] >> shift;
        level_first[level + 1] = level_first[level] + count;
    }
    size_t nodes = level_first[b->depth + 1];
    for (size_t i = 0; i < b->block_count; ++i) {
        nodes += b->blocks[i].node_count;
        leaves += b->blocks[i].leaf_count;
        references += b->blocks[i].reference_count;
    }
    mote_result result = reserve_result(b, MOTE_MAX(nodes, 1), leaves, references);
    if (result != MOTE_OK) return result;
    b->tree->nodes[0] = (mote_proxy_node){1, 0};  // without triangles: a root of eight empty leaves
    nodes = level_first[b->depth + 1];
    leaves = references = 0;
    for (size_t i = 0; i < b->block_count; ++i) {
        append_block(b, i, level_first[b->depth], nodes, leaves, references);
        nodes += b->blocks[i].node_count;
        leaves += b->blocks[i].leaf_count;
        references += b->blocks[i].reference_count;
    }
    make_upper_levels(b, level_first);
    return MOTE_OK;
}

static void release_build(build *b)
{
    mote_context *context = b->tree->context;
    mote_release(context, b->first, b->tree->triangle_count * sizeof *b->first);
    mote_release(context, b->keys, b->pair_count * 2 * sizeof *b->keys);
    mote_release(context, b->values, b->pair_count * 2 * sizeof *b->values);
    mote_release(context, b->runs, (b->run_count + 1) * sizeof *b->runs);
    mote_release(context, b->roots, b->run_count * sizeof *b->roots);
    mote_release(context, b->root_is_inner, b->run_count * sizeof *b->root_is_inner);
    for (size_t i = 0; b->blocks && i < b->block_count; ++i) {
        mote_buffer *buffers[] = {&b->blocks[i].node_memory, &b->blocks[i].leaf_memory, &b->blocks[i].reference_memory,
                                  &b->blocks[i].list_memory, &b->blocks[i].mask_memory};
        for (int k = 0; k < 5; ++k) mote_buffer_release(context, buffers[k]);
    }
    mote_release(context, b->blocks, b->block_count * sizeof *b->blocks);
}

mote_result mote_octree_build(mote_octree *tree)
{
    build b = {.tree = tree};
    b.depth = (uint32_t)MOTE_MAX(1, MOTE_MIN(tree->def.min_depth, DEAL_DEPTH_MOST));
    b.cell = (double)(1u << ((uint32_t)tree->def.max_depth - b.depth));
    mote_result result = deal_out(&b);
    if (result == MOTE_OK && b.pair_count) result = find_runs(&b);
    if (result == MOTE_OK) result = assemble(&b);
    release_build(&b);
    return result;
}

void mote_octree_release(mote_octree *tree)
{
    mote_buffer_release(tree->context, &tree->node_memory);
    mote_buffer_release(tree->context, &tree->leaf_memory);
    mote_buffer_release(tree->context, &tree->reference_memory);
}
