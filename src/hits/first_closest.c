// The tree over the clusters: boxes around triangles, and what they are from afar (Barill et al. 2018, section 3).
//
// Moments are taken about the centroid of the area, so that those of a node follow from its children's by shifting.

#include "hits/first_closest.h"

enum { ELEMENTS_A_BLOCK = 256 };

// A level in the making.
typedef struct level_build {
    mote_first_hits *first;
    uint32_t level;
} level_build;

// ------------------------------------------------------------------------------------------------------- moments

static void add_shifted(first_moments *sum, const first_moments *part)
{
    const mote_vec3 n = part->normal, by = mote_vec3_sub(part->center, sum->center);
    const double shift[6] = {n.x * by.x, n.y * by.y, n.z * by.z, (n.x * by.y + n.y * by.x) / 2,
                             (n.y * by.z + n.z * by.y) / 2, (n.z * by.x + n.x * by.z) / 2};
    for (int k = 0; k < 6; ++k) sum->first[k] += part->first[k] + shift[k];
    sum->normal = mote_vec3_add(sum->normal, n);
    sum->second += part->second + part->area * mote_vec3_dot(by, by);
}

// The sum of parts, but for its radius.
static first_moments join(const first_moments *parts, size_t count)
{
    first_moments sum = {.center = parts[0].center};
    mote_vec3 center = {0, 0, 0};
    for (size_t i = 0; i < count; ++i) {
        sum.area += parts[i].area;
        center = mote_vec3_add_scaled(center, parts[i].center, parts[i].area);
    }
    // Where there is next to no area, any of the centres serves.
    if (sum.area > 0x1p-900) sum.center = mote_vec3_scale(center, 1 / sum.area);
    for (size_t i = 0; i < count; ++i) add_shifted(&sum, &parts[i]);
    return sum;
}

static first_moments of_triangle(const mote_vec3 corner[3])
{
    const mote_triangle triangle = {corner[0], corner[1], corner[2]};
    const mote_vec3 sum = mote_vec3_add(mote_vec3_add(corner[0], corner[1]), corner[2]);
    first_moments of = {.center = mote_vec3_scale(sum, 1.0 / 3)};
    of.normal = mote_vec3_scale(mote_triangle_cross(triangle), 0.5);
    of.area = mote_vec3_length(of.normal);
    for (int k = 0; k < 3; ++k) {
        const mote_vec3 apart = mote_vec3_sub(corner[k], of.center);
        of.second += of.area / 12 * mote_vec3_dot(apart, apart);
    }
    return of;
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
    mote_first_hits *first = ((level_build *)data)->first;
    struct first_closest *tree = first->closest;
    for (size_t c = begin; c < end; ++c) {
        const size_t from = c * FIRST_LANES, to = MOTE_MIN(from + FIRST_LANES, first->triangle_count);
        first_moments parts[FIRST_LANES];
        tree->solid[c] = 0;
        for (size_t t = from; t < to; ++t) {
            mote_vec3 corner[3];
            mote_first_corners(first, (uint32_t)t, corner);
            parts[t - from] = of_triangle(corner);
            const mote_triangle triangle = {corner[0], corner[1], corner[2]};
            if (!mote_triangle_is_degenerate(triangle)) tree->solid[c] |= (uint8_t)(1 << (t - from));
        }
        tree->moments[c] = join(parts, to - from);
        tree->moments[c].radius = radius_of(first, tree->moments[c].center, from, to);
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
        first_moments *moments = mote_first_moments(first, level, n);
        *moments = join(mote_first_moments(first, level - 1, child), count);
        moments->radius = radius_of(first, moments->center, n * triangles,
                                    MOTE_MIN((n + 1) * triangles, first->triangle_count));
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
    tree->moments = mote_allocate(first->context, (first->cluster_count + nodes) * sizeof *tree->moments);
    tree->solid = mote_allocate(first->context, first->cluster_count);
    return nodes == 0 || (tree->boxes && tree->moments && tree->solid) ? MOTE_OK : MOTE_ERROR_OUT_OF_MEMORY;
}

static mote_vec3 middle_of(const mote_first_hits *first)
{
    mote_box box = mote_box_empty();
    for (size_t v = 0; v < first->vertex_count; ++v) box = mote_box_add_point(box, first->vertices[v]);
    return first->vertex_count ? mote_first_lerp(box.min, box.max, 0.5) : mote_vec3_make(0, 0, 0);
}

mote_result mote_first_closest_build(mote_first_hits *first)
{
    struct first_closest *tree = mote_allocate(first->context, sizeof *tree);
    if (!tree) return MOTE_ERROR_OUT_OF_MEMORY;
    *tree = (struct first_closest){.functions = mote_first_closest_choose(), .origin = middle_of(first)};
    first->closest = tree;
    const mote_mesh mesh = mote_first_mesh(first);
    mote_result result = allocate_tree(first, tree);
    if (result == MOTE_OK) result = mote_features_build(&mesh, &tree->features);
    if (result != MOTE_OK) {
        mote_first_closest_release(first);
        return result;
    }
    level_build build = {first, 0};
    mote_parallel_for(first->context, first->cluster_count, ELEMENTS_A_BLOCK, build_clusters, &build);
    for (build.level = 1; build.level <= tree->level_count; ++build.level)
        mote_parallel_for(first->context, mote_first_elements(first, build.level), ELEMENTS_A_BLOCK, build_nodes,
                          &build);
    return MOTE_OK;
}

void mote_first_closest_release(mote_first_hits *first)
{
    struct first_closest *tree = first->closest;
    if (!tree) return;
    const mote_mesh mesh = mote_first_mesh(first);
    const size_t nodes = tree->level[tree->level_count];
    mote_features_release(&mesh, &tree->features);
    mote_release(first->context, tree->boxes, nodes * sizeof *tree->boxes);
    mote_release(first->context, tree->moments, (first->cluster_count + nodes) * sizeof *tree->moments);
    mote_release(first->context, tree->solid, first->cluster_count);
    mote_buffer_release(first->context, &tree->order);
    mote_release(first->context, tree, sizeof *tree);
    first->closest = NULL;
}

size_t mote_first_closest_bytes(const mote_first_hits *first)
{
    const struct first_closest *tree = first->closest;
    if (!tree) return 0;
    const size_t nodes = tree->level[tree->level_count], c = first->cluster_count;
    size_t bytes = sizeof *tree + nodes * sizeof *tree->boxes + (c + nodes) * sizeof *tree->moments + c;
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
    return MOTE_OK;
}
