// SPDX-License-Identifier: MIT
// The mote_proxy object: built from meshes, measured, checked, released; and its look-up table (Fan et al. 2013,
// section 5).
//
// The root is a cube around all meshes, with at least one more finest leaf on every side, so that a particle that
// comes from outside passes an empty leaf before the surface.

#include "proxy/internal.h"

enum { NODES_A_BLOCK = 4096, LARGEST_TABLE = 9 };

#define DEPTH_FIELD(member, least, most, usual, text)                                                                  \
    {                                                                                                                  \
        .name = #member, .type = MOTE_FIELD_INT, .unit = "", .offset = offsetof(mote_proxy_def, member), .min = least, \
        .max = most, .initial = {usual}, .meaning = text                                                               \
    }

static const char *const variations[] = {"mean", "sum", NULL};
static const mote_field fields[] = {
    DEPTH_FIELD(min_depth, MOTE_PROXY_FOLLOWS, MOTE_PROXY_DEEPEST - 1, MOTE_PROXY_FOLLOWS,
                "leaves with triangles are deeper than this; -1: it follows from max_depth"),
    DEPTH_FIELD(max_depth, 2, MOTE_PROXY_DEEPEST, 6, "the root's edge is 2^max_depth of the smallest leaves"),
    {.name = "tolerance",
     .type = MOTE_FIELD_NUMBER,
     .unit = "",
     .offset = offsetof(mote_proxy_def, tolerance),
     .min = 0,
     .max = HUGE_VAL,
     .initial = {0.01},
     .meaning = "a leaf whose normals vary by less is not split"},
    {.name = "variation",
     .type = MOTE_FIELD_CHOICE,
     .unit = "",
     .offset = offsetof(mote_proxy_def, variation),
     .initial = {MOTE_PROXY_MEAN},
     .choices = variations,
     .meaning = "how the variation of normals is measured"},
    DEPTH_FIELD(table_depth, MOTE_PROXY_FOLLOWS, LARGEST_TABLE, MOTE_PROXY_FOLLOWS,
                "depth of the look-up table; -1: it follows from max_depth"),
    {.name = "keep_triangles",
     .type = MOTE_FIELD_BOOL,
     .unit = "",
     .offset = offsetof(mote_proxy_def, keep_triangles),
     .initial = {1},
     .meaning = "keep the triangles in the leaves"},
};

static const mote_field_table table = {"proxy", "an octree that stands for meshes", fields,
                                       sizeof fields / sizeof *fields};

const mote_field_table *mote_proxy_fields(void)
{
    return &table;
}

mote_proxy_def mote_proxy_default_def(void)
{
    mote_proxy_def def = {0};
    mote_fields_set_defaults(&table, &def);
    def.cookie = MOTE_COOKIE;
    return def;
}

mote_proxy_def mote_proxy_resolve(const mote_proxy_def *def)
{
    enum { USUAL_MIN_DEPTH = 4, USUAL_TABLE_DEPTH = 5 };
    mote_proxy_def resolved = def ? *def : mote_proxy_default_def();
    if (resolved.min_depth == MOTE_PROXY_FOLLOWS)
        resolved.min_depth = MOTE_MIN(USUAL_MIN_DEPTH, resolved.max_depth - 1);
    if (resolved.table_depth == MOTE_PROXY_FOLLOWS)
        resolved.table_depth = MOTE_MIN(USUAL_TABLE_DEPTH, resolved.max_depth);
    return resolved;
}

mote_result mote_proxy_check_def(const mote_proxy_def *def, mote_error *error)
{
    if (def->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "proxy: the def was not made by mote_proxy_default_def");
    if (def->max_depth < 2 || def->max_depth > MOTE_PROXY_DEEPEST)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "proxy: max_depth is %d, expected 2 to %d", def->max_depth,
                         MOTE_PROXY_DEEPEST);
    if (def->min_depth < 0 || def->min_depth >= def->max_depth)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "proxy: min_depth is %d, expected 0 to %d (max_depth - 1)",
                         def->min_depth, def->max_depth - 1);
    if (def->table_depth < 0 || def->table_depth > MOTE_MIN(def->max_depth, LARGEST_TABLE))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "proxy: table_depth is %d, expected 0 to %d", def->table_depth,
                         MOTE_MIN(def->max_depth, LARGEST_TABLE));
    if (!(def->tolerance >= 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "proxy: tolerance is %g, expected 0 or more", def->tolerance);
    if (def->variation != MOTE_PROXY_MEAN && def->variation != MOTE_PROXY_SUM)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "proxy: variation is %d, expected 0 or 1", (int)def->variation);
    return MOTE_OK;
}

// --------------------------------------------------------------------------------------------------------- meshes

// The meshes in the form used while building.
typedef struct scene {
    const mote_mesh *const *meshes;
    size_t mesh_count;
    mote_triangle *triangles;
    bool *open_edge;
    size_t triangle_count;
    bool is_closed;
    mote_box box;
} scene;

static mote_result gather_box(scene *s, mote_error *error)
{
    s->box = mote_box_empty();
    for (size_t m = 0; m < s->mesh_count; ++m) {
        const mote_mesh *mesh = s->meshes[m];
        if (!mesh) return mote_fail(error, MOTE_ERROR_ARGUMENT, m, "proxy: mesh %zu is NULL", m);
        if (mesh->triangle_count > UINT32_MAX - 1 - s->triangle_count)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, m, "proxy: meshes 0 to %zu have more than 2^32 - 2 triangles",
                             m);
        s->triangle_count += mesh->triangle_count;
        const mote_result result =
            mote_mesh_check_triangles(mesh->triangles, mesh->triangle_count, mesh->vertex_count, error);
        if (result != MOTE_OK) return result;
        for (size_t t = 0; t < 3 * mesh->triangle_count; ++t) {
            const mote_vec3 corner = mesh->vertices[mesh->triangles[t]];
            if (!isfinite(corner.x) || !isfinite(corner.y) || !isfinite(corner.z))
                return mote_fail(error, MOTE_ERROR_NOT_FINITE, m, "proxy: mesh %zu, vertex %u is (%g, %g, %g)", m,
                                 mesh->triangles[t], corner.x, corner.y, corner.z);
            s->box = mote_box_add_point(s->box, corner);
        }
    }
    return MOTE_OK;
}

// Places the root: it is 2^max_depth finest leaves wide, and the longest side of the box takes all but two of them.
static mote_result place_root(mote_proxy *proxy, const scene *s, mote_error *error)
{
    mote_box box = s->box;
    if (s->triangle_count == 0) box = (mote_box){{0, 0, 0}, {0, 0, 0}};
    const mote_vec3 extent = mote_vec3_sub(box.max, box.min), middle = mote_vec3_add_scaled(box.min, extent, 0.5);
    double longest = MOTE_MAX(extent.x, MOTE_MAX(extent.y, extent.z));
    const double farthest = MOTE_MAX(mote_vec3_length(box.min), mote_vec3_length(box.max));
    if (!(longest > 0)) longest = MOTE_MAX(1, farthest);
    const double across = (double)(1u << proxy->def.max_depth);
    proxy->leaf = longest * (1 + 0x1p-20) / (across - 2);
    proxy->scale = 1 / proxy->leaf;
    if (!(proxy->leaf > farthest * 0x1p-40) || !isfinite(proxy->leaf * across) || !isfinite(proxy->scale))
        return mote_fail(
            error, MOTE_ERROR_ARGUMENT, 0,
            "proxy: a leaf of %g is lost beside coordinates of %g; move the meshes to the origin, or lower "
            "max_depth",
            proxy->leaf, farthest);
    const double half = proxy->leaf * across / 2;
    proxy->origin = mote_vec3_sub(middle, mote_vec3_make(half, half, half));
    return MOTE_OK;
}

mote_result mote_proxy_place_root(mote_proxy *proxy, const mote_mesh *const *meshes, size_t mesh_count,
                                  mote_error *error)
{
    scene s = {.meshes = meshes, .mesh_count = mesh_count};
    const mote_result result = gather_box(&s, error);
    return result == MOTE_OK ? place_root(proxy, &s, error) : result;
}

typedef struct copy_task {
    const mote_proxy *proxy;
    const mote_mesh *mesh;
    mote_triangle *to;
} copy_task;

static mote_vec3 into_leaves(const mote_proxy *proxy, mote_vec3 p)
{
    return mote_vec3_scale(mote_vec3_sub(p, proxy->origin), proxy->scale);
}

static void copy_triangles(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const copy_task *task = data;
    for (size_t t = begin; t < end; ++t) {
        const mote_triangle from = mote_mesh_triangle(task->mesh, t);
        const mote_triangle to = {into_leaves(task->proxy, from.a), into_leaves(task->proxy, from.b),
                                  into_leaves(task->proxy, from.c)};
        task->to[t] = to;
    }
}

// Marks the triangles with an edge that is not shared by exactly two triangles in opposite directions.
static mote_result mark_open_edges(mote_context *context, const mote_mesh *of, bool *open_edge, bool *all_closed)
{
    // The mesh, but with memory and threads of the proxy's context.
    mote_mesh lent = *of;
    lent.context = context;
    const mote_mesh *mesh = &lent;
    mote_mesh_edges edges;
    mote_result result = mote_mesh_edges_build(mesh, &edges);
    if (result != MOTE_OK) return result;
    for (size_t i = 0; i < edges.count;) {
        size_t end = i + 1;
        while (end < edges.count && edges.keys[end] == edges.keys[i]) ++end;
        const bool is_closed = end == i + 2 && mote_mesh_edge_is_ascending(mesh, edges.numbers[i]) !=
                                                   mote_mesh_edge_is_ascending(mesh, edges.numbers[i + 1]);
        *all_closed &= is_closed;
        for (; i < end; ++i)
            if (!is_closed) open_edge[edges.numbers[i] / 3] = true;
    }
    mote_mesh_edges_release(mesh, &edges);
    return MOTE_OK;
}

static mote_result gather_triangles(const mote_proxy *proxy, scene *s)
{
    const size_t n = s->triangle_count;
    s->triangles = mote_allocate(proxy->context, mote_bytes(n, sizeof *s->triangles));
    s->open_edge = mote_allocate(proxy->context, n);
    if (n && (!s->triangles || !s->open_edge)) return MOTE_ERROR_OUT_OF_MEMORY;
    if (n) memset(s->open_edge, 0, n);
    s->is_closed = true;
    mote_result result = MOTE_OK;
    size_t done = 0;
    for (size_t m = 0; m < s->mesh_count && result == MOTE_OK; ++m) {
        copy_task task = {proxy, s->meshes[m], s->triangles + done};
        mote_parallel_for(proxy->context, task.mesh->triangle_count, NODES_A_BLOCK, copy_triangles, &task);
        if (task.mesh->triangle_count)
            result = mark_open_edges(proxy->context, task.mesh, s->open_edge + done, &s->is_closed);
        done += task.mesh->triangle_count;
    }
    return result;
}

static void release_scene(const mote_proxy *proxy, scene *s)
{
    mote_release(proxy->context, s->triangles, s->triangle_count * sizeof *s->triangles);
    mote_release(proxy->context, s->open_edge, s->triangle_count);
}

// ---------------------------------------------------------------------------------------------------------- lists

static void release_lists(const mote_proxy *proxy, mote_leaf_lists *lists)
{
    mote_context *context = proxy->context;
    if (lists->list_of) mote_release(context, lists->list_of, lists->node_count * sizeof *lists->list_of);
    if (lists->references)
        mote_release(context, lists->references, (size_t)lists->first[lists->count] * sizeof *lists->references);
    if (lists->first) mote_release(context, lists->first, (lists->count + 1) * sizeof *lists->first);
    if (lists->triangles) mote_release(context, lists->triangles, lists->triangle_count * sizeof *lists->triangles);
    *lists = (mote_leaf_lists){0};
}

static size_t list_bytes(const mote_leaf_lists *lists)
{
    if (lists->count == 0) return 0;
    return lists->node_count * sizeof *lists->list_of + (lists->count + 1) * sizeof *lists->first +
           (size_t)lists->first[lists->count] * sizeof *lists->references +
           lists->triangle_count * sizeof *lists->triangles;
}

static bool is_kept(const mote_octree *tree, size_t leaf, bool only_rims)
{
    return !only_rims || (tree->nodes[tree->leaves[leaf].node].bits & MOTE_PROXY_RIM);
}

// Copies the lists of all leaves, or only those of the rims. For rims the triangles of each list are copied; those
// of all leaves are filled in by the caller.
static mote_result keep_lists(const mote_octree *tree, bool only_rims, mote_leaf_lists *lists)
{
    uint64_t references = 0;
    size_t count = 0;
    for (size_t i = 0; i < tree->leaf_count; ++i) {
        if (!is_kept(tree, i, only_rims)) continue;
        ++count;
        references += tree->leaves[i].count;
    }
    if (count == 0) return MOTE_OK;
    lists->first = mote_allocate(tree->context, (count + 1) * sizeof *lists->first);
    if (!lists->first) return MOTE_ERROR_OUT_OF_MEMORY;
    lists->count = count;
    lists->node_count = tree->node_count;
    lists->first[count] = references;
    lists->list_of = mote_allocate(tree->context, tree->node_count * sizeof *lists->list_of);
    lists->references = mote_allocate(tree->context, (size_t)references * sizeof *lists->references);
    lists->triangle_count = only_rims ? (size_t)references : 0;
    lists->triangles = mote_allocate(tree->context, lists->triangle_count * sizeof *lists->triangles);
    if (!lists->list_of || !lists->references || (only_rims && !lists->triangles)) return MOTE_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < tree->node_count; ++i) lists->list_of[i] = MOTE_NO_LIST;
    count = 0;
    references = 0;
    for (size_t i = 0; i < tree->leaf_count; ++i) {
        if (!is_kept(tree, i, only_rims)) continue;
        const uint32_t *from = tree->references + tree->leaves[i].first;
        lists->list_of[tree->leaves[i].node] = (uint32_t)count;
        lists->first[count++] = references;
        for (uint32_t k = 0; k < tree->leaves[i].count; ++k, ++references) {
            lists->references[references] = only_rims ? (uint32_t)references : from[k];
            if (only_rims) lists->triangles[references] = tree->triangles[from[k]];
        }
    }
    return MOTE_OK;
}

// ---------------------------------------------------------------------------------------------------------- table

static size_t table_count(const mote_proxy *proxy)
{
    return (size_t)1 << 3 * proxy->def.table_depth;
}

static uint32_t entry_of(const mote_proxy *proxy, const uint32_t cell[3])
{
    uint32_t number = 0, depth = 0;
    for (uint32_t height = (uint32_t)proxy->def.table_depth; height-- > 0;) {
        const mote_proxy_node *node = proxy->nodes + number;
        const uint32_t octant = (cell[0] >> height & 1) | (cell[1] >> height & 1) << 1 | (cell[2] >> height & 1) << 2;
        const uint32_t bits = node->bits >> octant;
        ++depth;
        if (!(bits & 1)) return ((bits >> 16 & 1) | (bits >> 23 & 2)) | depth << 3;
        number = mote_octree_child(node, octant);
        if (!(bits >> 8 & 1)) return MOTE_PROXY_LEAF | number << 3;
    }
    return MOTE_PROXY_INNER | number << 3;
}

static void fill_table(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const mote_proxy *proxy = data;
    const uint32_t shift = (uint32_t)proxy->def.table_depth, most = (1u << shift) - 1;
    for (size_t i = begin; i < end; ++i) {
        const uint32_t cell[3] = {(uint32_t)i & most, (uint32_t)(i >> shift) & most, (uint32_t)(i >> 2 * shift)};
        proxy->table[i] = entry_of(proxy, cell);
    }
}

// The thirteen neighbours that come before a cell in the table's order, and their distance in it.
typedef struct table_steps {
    int64_t x[13], y[13], z[13], apart[13];
    int64_t across;
} table_steps;

static table_steps make_steps(int64_t shift)
{
    table_steps steps = {.across = (int64_t)1 << shift};
    for (int64_t k = 0; k < 13; ++k) {
        steps.x[k] = k % 3 - 1;
        steps.y[k] = k / 3 % 3 - 1;
        steps.z[k] = k / 9 - 1;
        steps.apart[k] = (steps.z[k] * steps.across + steps.y[k]) * steps.across + steps.x[k];
    }
    return steps;
}

// One of two sweeps, forwards (sign 1) or backwards (−1): counts the rings of empty cells with the cell's own label,
// and of empty cells with any label, from the results of the thirteen cells before it.
static void count_rings(const mote_proxy *proxy, const table_steps *steps, int64_t i, int64_t sign, uint32_t most)
{
    const int64_t shift = proxy->def.table_depth, n = steps->across;
    const int64_t x = i & (n - 1), y = i >> shift & (n - 1), z = i >> 2 * shift;
    const bool is_inner = x > 0 && y > 0 && z > 0 && x + 1 < n && y + 1 < n && z + 1 < n;
    const uint32_t own = proxy->table[i];
    uint32_t same = sign < 0 ? own >> MOTE_PROXY_SAME_SHIFT & MOTE_PROXY_RINGS : most;
    uint32_t clear = sign < 0 ? own >> MOTE_PROXY_CLEAR_SHIFT : most;
    for (int k = 0; k < 13; ++k) {
        const int64_t at[3] = {x + sign * steps->x[k], y + sign * steps->y[k], z + sign * steps->z[k]};
        if (!is_inner && (at[0] < 0 || at[1] < 0 || at[2] < 0 || at[0] >= n || at[1] >= n || at[2] >= n)) continue;
        const uint32_t near = proxy->table[i + sign * steps->apart[k]];
        const bool alike = ((near ^ own) & 7) == 0, empty = (near & 7) < MOTE_PROXY_LEAF;
        same = MOTE_MIN(same, alike ? (near >> MOTE_PROXY_SAME_SHIFT & MOTE_PROXY_RINGS) + 1 : 0);
        clear = MOTE_MIN(clear, empty ? (near >> MOTE_PROXY_CLEAR_SHIFT) + 1 : 0);
    }
    proxy->table[i] = (own & 0xFF) | same << MOTE_PROXY_SAME_SHIFT | clear << MOTE_PROXY_CLEAR_SHIFT;
}

// Counts how many cells around each are empty with its own label, and how many are empty with any label: Chebyshev
// distances by two sweeps (Rosenfeld & Pfaltz 1968).
static void measure_clearance(const mote_proxy *proxy)
{
    const table_steps steps = make_steps(proxy->def.table_depth);
    const int64_t count = (int64_t)table_count(proxy);
    const uint32_t most = (uint32_t)MOTE_MIN(steps.across - 1, MOTE_PROXY_RINGS);
    for (int64_t i = 0; i < count; ++i)
        if ((proxy->table[i] & 7) < MOTE_PROXY_LEAF) count_rings(proxy, &steps, i, 1, most);
    for (int64_t i = count; i-- > 0;)
        if ((proxy->table[i] & 7) < MOTE_PROXY_LEAF) count_rings(proxy, &steps, i, -1, most);
}

mote_result mote_proxy_build_table(mote_proxy *proxy)
{
    proxy->table = mote_allocate(proxy->context, table_count(proxy) * sizeof *proxy->table);
    if (!proxy->table) return MOTE_ERROR_OUT_OF_MEMORY;
    mote_parallel_for(proxy->context, table_count(proxy), NODES_A_BLOCK, fill_table, proxy);
    measure_clearance(proxy);
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------ making, releasing

static void count_below(const mote_proxy *proxy, uint32_t number, mote_proxy_stats *stats)
{
    const mote_proxy_node *node = proxy->nodes + number;
    for (uint32_t octant = 0; octant < 8; ++octant) {
        const uint32_t bits = node->bits >> octant, label = (bits >> 16 & 1) | (bits >> 23 & 2);
        stats->front += label == MOTE_PROXY_FRONT;
        stats->back += label == MOTE_PROXY_BACK;
        stats->both += label == 3;
        if (!(bits & 1)) continue;
        const uint32_t child = mote_octree_child(node, octant), leaf = proxy->nodes[child].bits;
        if (bits >> 8 & 1) {
            count_below(proxy, child, stats);
            continue;
        }
        ++stats->leaves[leaf >> MOTE_PROXY_LEAF_DEPTH];
        stats->two_sided += (leaf & MOTE_PROXY_TWO_SIDED) != 0;
        stats->rims += (leaf & MOTE_PROXY_RIM) != 0;
    }
}

mote_proxy_stats mote_proxy_count(const mote_proxy *proxy, uint64_t references)
{
    mote_proxy_stats stats = {.references = references};
    count_below(proxy, 0, &stats);
    return stats;
}

static mote_result build(mote_proxy *proxy, scene *s)
{
    mote_result result = gather_triangles(proxy, s);
    mote_octree tree = {
        .context = proxy->context, .def = proxy->def, .triangles = s->triangles, .triangle_count = s->triangle_count};
    if (result == MOTE_OK) result = mote_octree_build(&tree);
    if (result == MOTE_OK)
        result = mote_proxy_label(proxy, &tree, s->open_edge, s->mesh_count == 1 && s->is_closed ? s->meshes[0] : NULL);
    if (result == MOTE_OK) result = keep_lists(&tree, true, &proxy->rims);
    if (result == MOTE_OK && proxy->def.keep_triangles) {
        result = keep_lists(&tree, false, &proxy->all);
        if (result == MOTE_OK && proxy->all.count) {
            proxy->all.triangles = s->triangles;
            proxy->all.triangle_count = s->triangle_count;
            s->triangles = NULL;
        }
    }
    if (result == MOTE_OK) {
        proxy->nodes = tree.nodes;
        proxy->node_count = tree.node_count;
        proxy->node_memory = tree.node_memory;
        tree.node_memory = (mote_buffer){NULL, 0};
        proxy->stats = mote_proxy_count(proxy, tree.reference_count);
        result = mote_proxy_build_table(proxy);
    }
    mote_octree_release(&tree);
    return result;
}

mote_result mote_proxy_create(mote_context *context, const mote_proxy_def *wish, const mote_mesh *const *meshes,
                              size_t mesh_count, mote_proxy **proxy, mote_error *error)
{
    if ((!meshes && mesh_count) || !proxy)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "proxy: no meshes, or nowhere to put the result");
    const mote_proxy_def def = mote_proxy_resolve(wish);
    mote_result result = mote_proxy_check_def(&def, error);
    if (result != MOTE_OK) return result;
    scene s = {.meshes = meshes, .mesh_count = mesh_count};
    result = gather_box(&s, error);
    if (result != MOTE_OK) return result;
    mote_proxy *made = mote_allocate(context, sizeof *made);
    if (!made) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "proxy: no memory");
    *made = (mote_proxy){.context = context, .def = def};
    mote_proxy_make_key(meshes, mesh_count, &def, made->key);
    result = place_root(made, &s, error);
    if (result == MOTE_OK) {
        result = build(made, &s);
        if (result != MOTE_OK)
            mote_fail(error, result, 0, "proxy: no memory for %zu triangles at depth %d", s.triangle_count,
                      def.max_depth);
    }
    release_scene(made, &s);
    if (result != MOTE_OK) {
        mote_proxy_destroy(made);
        return result;
    }
    MOTE_VALIDATE(mote_proxy_validate(made, NULL) == MOTE_OK);
    *proxy = made;
    return MOTE_OK;
}

void mote_proxy_destroy(mote_proxy *proxy)
{
    if (!proxy) return;
    release_lists(proxy, &proxy->all);
    release_lists(proxy, &proxy->rims);
    mote_buffer_release(proxy->context, &proxy->node_memory);
    if (proxy->table) mote_release(proxy->context, proxy->table, table_count(proxy) * sizeof *proxy->table);
    mote_release(proxy->context, proxy, sizeof *proxy);
}

void mote_proxy_drop_triangles(mote_proxy *proxy)
{
    if (!proxy) return;
    release_lists(proxy, &proxy->all);
}

// --------------------------------------------------------------------------------------------------------- looking

mote_proxy_def mote_proxy_resolved_def(const mote_proxy *proxy)
{
    if (!proxy) return (mote_proxy_def){0};
    return proxy->def;
}

mote_proxy_arrays mote_proxy_get_arrays(const mote_proxy *proxy)
{
    if (!proxy) return (mote_proxy_arrays){0};
    mote_proxy_arrays arrays = {proxy->nodes,         proxy->node_count, proxy->table, proxy->def.table_depth,
                                proxy->def.max_depth, proxy->origin,     proxy->leaf};
    return arrays;
}

mote_proxy_place mote_proxy_locate(const mote_proxy *proxy, mote_vec3 point)
{
    if (!proxy) return (mote_proxy_place){0};
    mote_proxy_place place = {.depth = -1};
    uint32_t cell[3];
    if (!mote_proxy_cell(proxy, point, cell)) return place;
    const mote_spot spot = mote_proxy_find(proxy, cell);
    const mote_vec3 low = {spot.low[0], spot.low[1], spot.low[2]};
    place.box.min = mote_vec3_add_scaled(proxy->origin, low, proxy->leaf);
    place.box.max = mote_vec3_add_scaled(
        proxy->origin, mote_vec3_add(low, mote_vec3_make(spot.size, spot.size, spot.size)), proxy->leaf);
    place.depth = proxy->def.max_depth;
    for (uint32_t size = spot.size; size > 1; size /= 2) --place.depth;
    place.kind = (int)spot.kind;
    if (spot.kind != MOTE_PROXY_LEAF) return place;
    place.node = spot.node;
    place.two_sided = (proxy->nodes[spot.node].bits & MOTE_PROXY_TWO_SIDED) != 0;
    place.normal = mote_normal_unpack(proxy->nodes[spot.node].first);
    return place;
}

mote_proxy_stats mote_proxy_get_stats(const mote_proxy *proxy)
{
    if (!proxy) return (mote_proxy_stats){0};
    mote_proxy_stats stats = proxy->stats;
    stats.node_bytes = proxy->node_count * sizeof *proxy->nodes;
    stats.table_bytes = table_count(proxy) * sizeof *proxy->table;
    stats.triangle_bytes = list_bytes(&proxy->all) + list_bytes(&proxy->rims);
    return stats;
}

size_t mote_proxy_byte_count(const mote_proxy *proxy)
{
    if (!proxy) return 0;
    const mote_proxy_stats stats = mote_proxy_get_stats(proxy);
    return sizeof *proxy + stats.node_bytes + stats.table_bytes + stats.triangle_bytes;
}

// -------------------------------------------------------------------------------------------------------- checking

// Even for damaged nodes this takes time linear in their number: the nodes that are reached are counted.
static mote_result validate_node(const mote_proxy *proxy, uint32_t number, int depth, size_t *seen, mote_error *error)
{
    const mote_proxy_node *node = proxy->nodes + number;
    if (++*seen > proxy->node_count)
        return mote_fail(error, MOTE_ERROR_STATE, number, "proxy: the root leads to more than %zu nodes",
                         proxy->node_count);
    if (depth >= proxy->def.max_depth)
        return mote_fail(error, MOTE_ERROR_STATE, number, "proxy: inner node %u at depth %d, expected below %d", number,
                         depth, proxy->def.max_depth);
    const uint32_t exists = node->bits & 0xFF, inner = node->bits >> 8 & 0xFF;
    if ((inner | exists) != exists || ((node->bits >> 16 | node->bits >> 24) & exists))
        return mote_fail(error, MOTE_ERROR_STATE, number,
                         "proxy: node %u has masks %08x: inner or labelled octants "
                         "that cannot be",
                         number, node->bits);
    for (uint32_t octant = 0; octant < 8; ++octant) {
        if (!(exists >> octant & 1)) continue;
        const uint32_t child = mote_octree_child(node, octant);
        if (child <= number || child >= proxy->node_count)
            return mote_fail(error, MOTE_ERROR_STATE, number,
                             "proxy: node %u has child %u, expected above it and below "
                             "%zu",
                             number, child, proxy->node_count);
        if (inner >> octant & 1) {
            mote_result result = validate_node(proxy, child, depth + 1, seen, error);
            if (result != MOTE_OK) return result;
            continue;
        }
        ++*seen;
        if ((int)(proxy->nodes[child].bits >> MOTE_PROXY_LEAF_DEPTH) != depth + 1)
            return mote_fail(error, MOTE_ERROR_STATE, child, "proxy: leaf %u is marked with depth %u, but is at %d",
                             child, proxy->nodes[child].bits >> MOTE_PROXY_LEAF_DEPTH, depth + 1);
        if (proxy->all.count && proxy->all.list_of[child] == MOTE_NO_LIST)
            return mote_fail(error, MOTE_ERROR_STATE, child, "proxy: leaf %u has no triangles", child);
    }
    return MOTE_OK;
}

mote_result mote_proxy_validate_nodes(const mote_proxy *proxy, mote_error *error)
{
    size_t seen = 0;
    mote_result result = validate_node(proxy, 0, 0, &seen, error);
    if (result != MOTE_OK || seen == proxy->node_count) return result;
    return mote_fail(error, MOTE_ERROR_STATE, 0, "proxy: the root leads to %zu nodes, expected %zu", seen,
                     proxy->node_count);
}

mote_result mote_proxy_validate_lists(const mote_leaf_lists *lists, mote_error *error)
{
    if (lists->count && lists->first[0] != 0)
        return mote_fail(error, MOTE_ERROR_STATE, 0, "proxy: the first list begins behind other triangles");
    for (size_t i = 0; i < lists->count; ++i) {
        if (lists->first[i] >= lists->first[i + 1] || lists->first[i + 1] > lists->first[lists->count])
            return mote_fail(error, MOTE_ERROR_STATE, i, "proxy: list %zu of %zu is empty, or goes too far", i,
                             lists->count);
        for (uint64_t r = lists->first[i]; r < lists->first[i + 1]; ++r) {
            if (lists->references[r] < lists->triangle_count &&
                (r == lists->first[i] || lists->references[r] > lists->references[r - 1]))
                continue;
            return mote_fail(error, MOTE_ERROR_STATE, i,
                             "proxy: list %zu names triangle %u, expected ascending ones "
                             "below %zu",
                             i, lists->references[r], lists->triangle_count);
        }
    }
    return MOTE_OK;
}

mote_result mote_proxy_validate(const mote_proxy *proxy, mote_error *error)
{
    if (!proxy) return mote_fail_null(error, "proxy", "the object");
    mote_result result = mote_proxy_validate_nodes(proxy, error);
    if (result != MOTE_OK) return result;
    const mote_proxy_stats seen = mote_proxy_count(proxy, proxy->stats.references);
    const mote_proxy_stats *counted = &proxy->stats;
    if (memcmp(seen.leaves, counted->leaves, sizeof seen.leaves) != 0 || seen.front != counted->front ||
        seen.back != counted->back || seen.both != counted->both || seen.two_sided != counted->two_sided ||
        seen.rims != counted->rims)
        return mote_fail(error, MOTE_ERROR_STATE, 0, "proxy: leaves and labels are not as many as were counted");
    const uint32_t shift = (uint32_t)proxy->def.table_depth, most = (1u << shift) - 1;
    for (size_t i = 0; i < table_count(proxy); ++i) {
        const uint32_t cell[3] = {(uint32_t)i & most, (uint32_t)(i >> shift) & most, (uint32_t)(i >> 2 * shift)};
        const uint32_t entry = proxy->table[i], expected = entry_of(proxy, cell);
        const uint32_t bits = (entry & 7) < MOTE_PROXY_LEAF ? 0xFF : UINT32_MAX;
        if ((entry & bits) != expected)
            return mote_fail(error, MOTE_ERROR_STATE, i, "proxy: entry %zu of the table is %08x, expected %08x", i,
                             entry & bits, expected);
    }
    result = mote_proxy_validate_lists(&proxy->all, error);
    return result == MOTE_OK ? mote_proxy_validate_lists(&proxy->rims, error) : result;
}
