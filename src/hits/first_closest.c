// The tree over the clusters: boxes around triangles, and what they are from afar.

#include "hits/first_closest.h"

enum { ELEMENTS_A_BLOCK = 256 };

// A level in the making.
typedef struct level_build {
    mote_first_hits *first;
    uint32_t level;
    first_moments *moments;  // per cluster, then per node
} level_build;

static first_moments *moments_of(const level_build *build, uint32_t level)
{
    const mote_first_hits *first = build->first;
    return build->moments + (level ? first->cluster_count + first->closest->level[level - 1] : 0);
}

static double radius_of(const mote_first_hits *first, mote_vec3 center, size_t begin, size_t end)
{
    double most2 = 0;
    for (size_t i = 3 * begin; i < 3 * end; ++i) {
        const mote_vec3 apart = mote_vec3_sub(first->vertices[first->triangles[i]], center);
        most2 = MOTE_MAX(most2, mote_vec3_dot(apart, apart));
    }
    return sqrt(most2) * (1 + 0x1p-40);
}

// --------------------------------------------------------------------------------------------------------- boxes

static void clear_boxes(first_boxes *boxes)
{
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < FIRST_FAN; ++i) boxes->low[k][i] = HUGE_VALF, boxes->high[k][i] = -HUGE_VALF;
}

// Rounded outwards.
static void set_box(first_boxes *boxes, size_t child, mote_box box, mote_vec3 origin)
{
    const double low[3] = {box.min.x - origin.x, box.min.y - origin.y, box.min.z - origin.z};
    const double high[3] = {box.max.x - origin.x, box.max.y - origin.y, box.max.z - origin.z};
    for (int k = 0; k < 3; ++k) {
        boxes->low[k][child] = (float)low[k] - (fabsf((float)low[k]) * 0x1p-23f + 0x1p-100f);
        boxes->high[k][child] = (float)high[k] + (fabsf((float)high[k]) * 0x1p-23f + 0x1p-100f);
    }
}

static mote_box cluster_box(const mote_first_hits *first, size_t cluster)
{
    mote_box box = mote_box_empty();
    for (uint32_t lane = 0; lane < FIRST_LANES; ++lane) {
        if (!(first->closest->solid[cluster] >> lane & 1)) continue;
        mote_vec3 corner[3];
        mote_first_corners(first, (uint32_t)(cluster * FIRST_LANES + lane), corner);
        for (int k = 0; k < 3; ++k) box = mote_box_add_point(box, corner[k]);
    }
    return box;
}

// The box around a node becomes one of its parent's.
static void lift_box(const first_boxes *from, first_boxes *to, size_t child)
{
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < FIRST_FAN; ++i) {
            to->low[k][child] = MOTE_MIN(to->low[k][child], from->low[k][i]);
            to->high[k][child] = MOTE_MAX(to->high[k][child], from->high[k][i]);
        }
}

// ---------------------------------------------------------------------------------------------------------- tree

static void build_clusters(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const level_build *build = data;
    const mote_first_hits *first = build->first;
    struct first_closest *tree = first->closest;
    for (size_t c = begin; c < end; ++c) {
        const size_t from = c * FIRST_LANES, to = MOTE_MIN(from + FIRST_LANES, first->triangle_count);
        first_moments parts[FIRST_LANES];
        tree->solid[c] = tree->slivers[c] = 0;
        for (size_t t = from; t < to; ++t) {
            mote_vec3 corner[3];
            mote_first_corners(first, (uint32_t)t, corner);
            parts[t - from] = mote_first_triangle_moments(corner);
            const mote_triangle triangle = {corner[0], corner[1], corner[2]};
            if (!mote_triangle_is_degenerate(triangle)) tree->solid[c] |= (uint8_t)(1 << (t - from));
            if (mote_triangle_is_sliver(triangle)) tree->slivers[c] |= (uint8_t)(1 << (t - from));
        }
        build->moments[c] = mote_first_join(parts, to - from);
        build->moments[c].radius = radius_of(first, build->moments[c].center, from, to);
    }
}

static void build_nodes(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const level_build *build = data;
    mote_first_hits *first = build->first;
    struct first_closest *tree = first->closest;
    const uint32_t level = build->level;
    const size_t below = mote_first_elements(first, level - 1);
    const size_t triangles = (size_t)FIRST_LANES << 3 * level;  // of a node
    for (size_t n = begin; n < end; ++n) {
        const size_t child = n * FIRST_FAN, count = MOTE_MIN(below - child, FIRST_FAN);
        first_boxes *boxes = &tree->boxes[tree->level[level - 1] + n];
        clear_boxes(boxes);
        for (size_t i = 0; i < count; ++i) {
            if (level > 1) lift_box(&tree->boxes[tree->level[level - 2] + child + i], boxes, i);
            else if (tree->solid[child + i]) set_box(boxes, i, cluster_box(first, child + i), tree->origin);
        }
        const first_moments *parts = moments_of(build, level - 1) + child;
        first_moments *moments = moments_of(build, level) + n;
        *moments = mote_first_join(parts, count);
        moments->radius = radius_of(first, moments->center, n * triangles,
                                    MOTE_MIN((n + 1) * triangles, first->triangle_count));
        mote_first_set_far(&tree->far[tree->level[level - 1] + n], moments, parts, count);
    }
}

static mote_result allocate_tree(const mote_first_hits *first, struct first_closest *tree)
{
    size_t nodes = 0;
    for (size_t below = first->cluster_count; below > 0 && (tree->level_count == 0 || below > 1);) {
        below = (below + FIRST_FAN - 1) / FIRST_FAN;
        tree->level[tree->level_count++] = nodes;
        nodes += below;
    }
    tree->level[tree->level_count] = nodes;
    tree->boxes = mote_allocate(first->context, nodes * sizeof *tree->boxes);
    tree->far = mote_allocate(first->context, nodes * sizeof *tree->far);
    tree->solid = mote_allocate(first->context, 2 * first->cluster_count);
    tree->slivers = tree->solid ? tree->solid + first->cluster_count : NULL;
    return nodes == 0 || (tree->boxes && tree->far && tree->solid) ? MOTE_OK : MOTE_ERROR_OUT_OF_MEMORY;
}

static mote_box box_of(const mote_first_hits *first)
{
    mote_box box = mote_box_empty();
    for (size_t v = 0; v < first->vertex_count; ++v) box = mote_box_add_point(box, first->vertices[v]);
    return box;
}

static mote_result build_tree(mote_first_hits *first)
{
    struct first_closest *tree = first->closest;
    mote_buffer memory = {0};
    const size_t elements = first->cluster_count + tree->level[tree->level_count];
    mote_result result =
        mote_buffer_reserve(first->context, &memory, mote_bytes(elements, sizeof(first_moments)), 0);
    if (result != MOTE_OK) return result;
    level_build build = {first, 0, memory.data};
    mote_parallel_for(first->context, first->cluster_count, ELEMENTS_A_BLOCK, build_clusters, &build);
    for (build.level = 1; build.level <= tree->level_count; ++build.level)
        mote_parallel_for(first->context, mote_first_elements(first, build.level), ELEMENTS_A_BLOCK, build_nodes,
                          &build);
    if (elements) {
        tree->area = build.moments[elements - 1].area;
        tree->radius = build.moments[elements - 1].radius;
    }
    mote_buffer_release(first->context, &memory);
    return MOTE_OK;
}

mote_result mote_first_closest_build(mote_first_hits *first)
{
    struct first_closest *tree = mote_allocate(first->context, sizeof *tree);
    if (!tree) return MOTE_ERROR_OUT_OF_MEMORY;
    *tree = (struct first_closest){.functions = mote_first_closest_choose(), .box = box_of(first)};
    if (first->vertex_count) tree->origin = mote_first_lerp(tree->box.min, tree->box.max, 0.5);
    first->closest = tree;
    const mote_mesh mesh = mote_first_mesh(first);
    mote_result result = allocate_tree(first, tree);
    if (result == MOTE_OK) result = build_tree(first);
    if (result == MOTE_OK) result = mote_features_build(&mesh, &tree->features);
    if (result == MOTE_OK) result = mote_first_sides_build(first);
    if (result != MOTE_OK) mote_first_closest_release(first);
    return result;
}

void mote_first_closest_release(mote_first_hits *first)
{
    struct first_closest *tree = first->closest;
    if (!tree) return;
    const mote_mesh mesh = mote_first_mesh(first);
    const size_t nodes = tree->level[tree->level_count];
    mote_features_release(&mesh, &tree->features);
    mote_release(first->context, tree->boxes, nodes * sizeof *tree->boxes);
    mote_release(first->context, tree->far, nodes * sizeof *tree->far);
    mote_release(first->context, tree->solid, 2 * first->cluster_count);
    mote_release(first->context, tree->sides, mote_first_sides_bytes(first));
    mote_buffer_release(first->context, &tree->order);
    mote_release(first->context, tree, sizeof *tree);
    first->closest = NULL;
}

size_t mote_first_closest_bytes(const mote_first_hits *first)
{
    const struct first_closest *tree = first->closest;
    if (!tree) return 0;
    const size_t nodes = tree->level[tree->level_count], c = first->cluster_count;
    size_t bytes = sizeof *tree + nodes * (sizeof *tree->boxes + sizeof *tree->far) + 2 * c;
    bytes += mote_first_sides_bytes(first);
    bytes += first->triangle_count * (sizeof(mote_vec3) + 3 * sizeof(uint32_t));
    return bytes + (first->vertex_count + tree->features.edge_count) * sizeof(mote_vec3);
}

// ---------------------------------------------------------------------------------------------------------- check

static bool box_holds(const first_boxes *boxes, size_t child, const float low[3], const float high[3])
{
    bool holds = true;
    for (int k = 0; k < 3; ++k) holds &= boxes->low[k][child] <= low[k] && boxes->high[k][child] >= high[k];
    return holds;
}

mote_result mote_first_closest_validate(const mote_first_hits *first, mote_error *error)
{
    const struct first_closest *tree = first->closest;
    for (size_t t = 0; t < first->triangle_count; ++t) {
        const size_t cluster = t / FIRST_LANES;
        mote_vec3 corner[3];
        mote_first_corners(first, (uint32_t)t, corner);
        for (int k = 0; k < 3 && tree->solid[cluster] >> t % FIRST_LANES & 1; ++k) {
            const mote_vec3 p = mote_vec3_sub(corner[k], tree->origin);
            const float at[3] = {(float)p.x, (float)p.y, (float)p.z};
            if (!box_holds(&tree->boxes[cluster / FIRST_FAN], cluster % FIRST_FAN, at, at))
                return mote_fail(error, MOTE_ERROR_STATE, t, "first hits: triangle %zu is outside of its box", t);
        }
    }
    for (uint32_t level = 1; level < tree->level_count; ++level)
        for (size_t n = 0; n < mote_first_elements(first, level) * FIRST_FAN; ++n) {
            const first_boxes *own = &tree->boxes[tree->level[level - 1] + n / FIRST_FAN];
            const first_boxes *parent = &tree->boxes[tree->level[level] + n / FIRST_FAN / FIRST_FAN];
            const size_t i = n % FIRST_FAN;
            const float low[3] = {own->low[0][i], own->low[1][i], own->low[2][i]};
            const float high[3] = {own->high[0][i], own->high[1][i], own->high[2][i]};
            if (low[0] <= high[0] && !box_holds(parent, n / FIRST_FAN % FIRST_FAN, low, high))
                return mote_fail(error, MOTE_ERROR_STATE, n, "first hits: a box of level %u is outside of its parent's",
                                 level);
        }
    return mote_first_sides_validate(first, error);
}
