// SPDX-License-Identifier: MIT
// Groups triangles into clusters of eight neighbours, with corners rounded to quanta of the cluster's size.
//
// Triangles are sorted along a Morton curve (Morton 1966), and then split by the surface area heuristic, until there
// are clusters: their boxes have less than a third of the area of boxes made along the curve alone. Ranges of at most
// WINDOW triangles are split in parallel. If these were windows of the curve, long motions would meet more clusters: a
// sixth more among 10^5 triangles, two thirds among 1.5 * 10^6.

#include "hits/internal.h"
#include "hits/structure_split.h"

enum { CLUSTERS_A_BLOCK = 512, TRIANGLES_A_BLOCK = 4096, WINDOW = 4096, EVENLY = 24 };

static void add_corners(const mote_hits *hits, const mote_vec3 *vertices, size_t begin, size_t end, mote_box *box)
{
    for (size_t i = 3 * begin; i < 3 * end; ++i) *box = mote_box_add_point(*box, vertices[hits->triangles[i]]);
}

static int16_t quanta(double from_origin, double per_length)
{
    double v = from_origin * per_length;
    v = MOTE_MIN(MOTE_MAX(v, -(double)HITS_QUANTA), (double)HITS_QUANTA);
    return (int16_t)(v < 0 ? v - 0.5 : v + 0.5);
}

static void quantise(const mote_hits *hits, size_t begin, size_t end, hits_cluster *cluster)
{
    for (size_t lane = 0; lane < HITS_LANES; ++lane) {
        mote_vec3 corner[3];
        mote_hits_corners(hits, (uint32_t)MOTE_MIN(begin + lane, end - 1), corner);
        for (int v = 0; v < 3; ++v) {
            const double at[3] = {corner[v].x, corner[v].y, corner[v].z};
            for (int k = 0; k < 3; ++k)
                cluster->corner[3 * v + k][lane] = quanta(at[k] - cluster->origin[k], (double)cluster->per_length);
        }
    }
}

static void make_clusters(void *data, size_t first_index, size_t last, uint32_t worker)
{
    (void)worker;
    mote_hits *hits = data;
    for (size_t c = first_index; c < last; ++c) {
        const size_t begin = c * HITS_LANES, end = MOTE_MIN(begin + HITS_LANES, hits->triangle_count);
        mote_box box = mote_box_empty();
        add_corners(hits, hits->vertices, begin, end, &box);
        const mote_vec3 middle = mote_hits_lerp(box.min, box.max, 0.5), half = mote_vec3_sub(box.max, middle);
        double most = MOTE_MAX(half.x, MOTE_MAX(half.y, half.z));
        hits_cluster *cluster = &hits->clusters[c];
        *cluster = (hits_cluster){.origin = {middle.x, middle.y, middle.z}};
        // Keeps quanta at a sensible size where all corners are one point.
        cluster->per_length = (float)(HITS_QUANTA / MOTE_MAX(most * (1 + 0x1p-20), 0x1p-60));
        quantise(hits, begin, end, cluster);
        cluster->reach = 56756;  // √3 · HITS_QUANTA
    }
}

void mote_hits_clusters_make(mote_hits *hits)
{
    mote_parallel_for(hits->context, hits->cluster_count, CLUSTERS_A_BLOCK, make_clusters, hits);
}

// ---------------------------------------------------------------------------------------------------- the order

typedef struct key_task {
    const mote_mesh *mesh;
    mote_vec3 low;
    double longest;
    uint64_t *keys;
    uint32_t *numbers;
} key_task;

static void make_keys(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const key_task *task = data;
    const double longest = task->longest;
    for (size_t t = begin; t < end; ++t) {
        const mote_triangle of = mote_mesh_triangle(task->mesh, t);
        const mote_vec3 sum = mote_vec3_add(mote_vec3_add(of.a, of.b), of.c);
        const mote_vec3 p = mote_vec3_sub(mote_vec3_scale(sum, 1.0 / 3), task->low);
        task->keys[t] =
            mote_hits_morton(p.x, longest) | mote_hits_morton(p.y, longest) << 1 | mote_hits_morton(p.z, longest) << 2;
        task->numbers[t] = (uint32_t)t;
    }
}

// Triangles in the order of the curve, while they are split into clusters.
typedef struct window_task {
    const mote_mesh *mesh;
    mote_vec3 low;
    double per_length;
    uint32_t *numbers;
    hits_split_box *boxes;
    size_t *starts;  // of the windows, and where the last one ends
    size_t window_count;
} window_task;

static void place_corner(const window_task *task, mote_vec3 corner, hits_split_box *box)
{
    const mote_vec3 p = mote_vec3_scale(mote_vec3_sub(corner, task->low), task->per_length);
    const float at[3] = {(float)p.x, (float)p.y, (float)p.z};
    for (int k = 0; k < 3; ++k) {
        box->low[k] = MOTE_MIN(box->low[k], at[k]);
        box->minus_high[k] = MOTE_MIN(box->minus_high[k], -at[k]);
    }
}

static void part_into_clusters(hits_split_box *boxes, size_t count, uint32_t depth)
{
    while (count > HITS_LANES) {
        const size_t before = mote_hits_split(boxes, count, HITS_LANES, depth >= EVENLY);
        part_into_clusters(boxes, before, ++depth);
        boxes += before;
        count -= before;
    }
}

// Splits triangles into windows.
static void part_into_windows(window_task *task, size_t begin, size_t end, uint32_t depth)
{
    while (end - begin > WINDOW) {
        const size_t before = mote_hits_split(task->boxes + begin, end - begin, HITS_LANES, depth >= EVENLY);
        part_into_windows(task, begin, begin + before, ++depth);
        begin += before;
    }
    task->starts[task->window_count++] = begin;
}

static void place_triangles(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const window_task *task = data;
    for (size_t i = begin; i < end; ++i) {
        const mote_triangle of = mote_mesh_triangle(task->mesh, task->numbers[i]);
        hits_split_box *box = &task->boxes[i];
        *box = mote_hits_split_empty();
        box->rest = 0;
        box->number = task->numbers[i];
        place_corner(task, of.a, box);
        place_corner(task, of.b, box);
        place_corner(task, of.c, box);
    }
}

static void part_windows(void *data, size_t first, size_t last, uint32_t worker)
{
    (void)worker;
    const window_task *task = data;
    for (size_t w = first; w < last; ++w) {
        const size_t begin = task->starts[w], end = task->starts[w + 1];
        part_into_clusters(task->boxes + begin, end - begin, 0);
        for (size_t i = begin; i < end; ++i) task->numbers[i] = task->boxes[i].number;
    }
}

static void group_triangles(const mote_context *context, window_task *task, size_t count)
{
    mote_parallel_for(context, count, TRIANGLES_A_BLOCK, place_triangles, task);
    part_into_windows(task, 0, count, 0);
    task->starts[task->window_count] = count;
    mote_parallel_for(context, task->window_count, 1, part_windows, task);
}

// Sorts vertices in the order in which the sorted triangles use them; unused vertices come last.
static void order_vertices(mote_hits *hits, const mote_mesh *mesh, uint32_t *place)
{
    uint32_t count = 0;
    for (size_t v = 0; v < mesh->vertex_count; ++v) place[v] = UINT32_MAX;
    for (size_t t = 0; t < hits->triangle_count; ++t)
        for (size_t k = 0; k < 3; ++k) {
            const uint32_t vertex = mesh->triangles[3 * (size_t)hits->original[t] + k];
            if (place[vertex] == UINT32_MAX) hits->vertex_order[count] = vertex, place[vertex] = count++;
            hits->triangles[3 * t + k] = place[vertex];
        }
    for (size_t v = 0; v < mesh->vertex_count; ++v)
        if (place[v] == UINT32_MAX) hits->vertex_order[count++] = (uint32_t)v;
}

mote_result mote_hits_clusters_sort(mote_hits *hits, const mote_mesh *mesh)
{
    const size_t n = hits->triangle_count;
    // Windows are at least a cluster long, but for the last.
    const size_t grouping = mote_bytes(n + 2, sizeof(hits_split_box) + sizeof(size_t));
    const size_t bytes = MOTE_MAX(grouping, mote_bytes(mesh->vertex_count, sizeof(uint32_t)));
    mote_buffer memory = {0};
    mote_result result = mote_buffer_reserve(hits->context, &memory, bytes, 0);
    if (result != MOTE_OK) return result;
    uint64_t *keys = memory.data;  // n keys and room for n more, then as many numbers
    const mote_box box = mote_mesh_box(mesh);
    const mote_vec3 extent = mote_vec3_sub(box.max, box.min);
    key_task task = {mesh, box.min, MOTE_MAX(extent.x, MOTE_MAX(extent.y, extent.z)), keys, hits->original};
    mote_parallel_for(hits->context, n, TRIANGLES_A_BLOCK, make_keys, &task);
    result = mote_sort_u64(hits->context, keys, hits->original, keys + n, (uint32_t *)(keys + 2 * n), n);
    if (result == MOTE_OK) {
        window_task windows = {.mesh = mesh, .low = box.min, .numbers = hits->original, .boxes = memory.data};
        windows.per_length = task.longest > 0 ? 1 / task.longest : 0;
        windows.starts = (size_t *)(void *)(windows.boxes + n);
        group_triangles(hits->context, &windows, n);
        order_vertices(hits, mesh, memory.data);
    }
    mote_buffer_release(hits->context, &memory);
    return result;
}

// ------------------------------------------------------------------------------------------------------- numbers

void mote_hits_name_triangle(const mote_hits *hits, uint32_t number, uint32_t *mesh, uint32_t *triangle)
{
    // The last mesh that begins no later. A mesh without triangles begins where the next one does.
    size_t low = 0, high = hits->mesh_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (hits->mesh_starts[middle] <= number)
            low = middle;
        else high = middle;
    }
    *mesh = (uint32_t)low;
    *triangle = number - (hits->mesh_count ? hits->mesh_starts[low] : 0);
}
