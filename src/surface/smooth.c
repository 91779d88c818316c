// SPDX-License-Identifier: MIT
// Laplacian smoothing: every vertex moves to the mean of its neighbours, or by its weight towards it (Löschner et al.
// 2023, Weighted Laplacian Smoothing for Surface Reconstruction of Particle-based Fluids).
//
// Vertices on planes that cut stay on these, and those at an edge between two planes stay there: water is not pulled
// off the walls.
//
// In a closed mesh each neighbour of a vertex follows it in one triangle, so that the triangles name the neighbours.
// Where phases are smoothed together, vertices at the air follow those at the air alone, and those where two phases
// meet there follow the line of them.

#include "base/vector.h"
#include "surface/finish.h"

enum {
    BLOCK = 4096,
    FEW = 1024,  // vertices that are ordered by the number of their neighbours
    COUNTS = 10  // numbers that are told apart: the last one stands for more, too
};

typedef struct smooth_task {
    const uint32_t *first, *neighbors;
    size_t rim;  // vertices on rims come first
    const mote_vec3 *from;
    mote_vec3 *to;
    const float *weights;
    const surface_cut *cut;
    double cell;
    uint64_t *on;      // planes that each vertex lies on
    uint64_t *planes;  // that each vertex keeps to; NULL: there are none
} smooth_task;

// Moves a vertex that has so many neighbours.
MOTE_INLINE void move_vertex(const smooth_task *task, size_t v, uint32_t count)
{
    const uint32_t *neighbors = task->neighbors + task->first[v];
    const mote_vec3 at = task->from[v];
    mote_vec3 sum = {0, 0, 0};
    for (uint32_t k = 0; k < count; ++k) {
        const mote_vec3 neighbor = task->from[neighbors[k]];
        sum.x += neighbor.x - at.x;
        sum.y += neighbor.y - at.y;
        sum.z += neighbor.z - at.z;
    }
    const double part = (task->weights ? (double)task->weights[v] : 1) / (count ? count : 1);
    if (task->planes && task->planes[v]) sum = mote_surface_move_along(task->cut, task->planes[v], sum);
    task->to[v] = (mote_vec3){at.x + part * sum.x, at.y + part * sum.y, at.z + part * sum.z};
}

// Those with as many neighbours are moved one after the other: where a loop over neighbours ends is then no surprise to
// the processor.
static void smooth_few(const smooth_task *task, size_t first, size_t count)
{
    uint16_t order[FEW];
    uint32_t ends[COUNTS + 1] = {0}, own[FEW];
    for (size_t k = 0; k < count; ++k) {
        own[k] = task->first[first + k + 1] - task->first[first + k];
        ++ends[MOTE_MIN(own[k], (uint32_t)COUNTS - 1) + 1];
    }
    for (int n = 0; n < COUNTS; ++n) ends[n + 1] += ends[n];
    for (size_t k = 0; k < count; ++k) order[ends[MOTE_MIN(own[k], (uint32_t)COUNTS - 1)]++] = (uint16_t)k;
    for (uint32_t n = 0, k = 0; n < COUNTS; ++n)
        for (; k < ends[n]; ++k) {
            const size_t v = first + order[k];
            if (v < task->rim && n < 2)  // where a part beside the rim was left out
                task->to[v] = task->from[v];
            else
                move_vertex(task, v, n < COUNTS - 1 ? n : own[order[k]]);
        }
}

static void smooth_range(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    for (size_t first = begin; first < end; first += FEW) smooth_few(data, first, MOTE_MIN(end - first, (size_t)FEW));
}

static void smooth_normal_range(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const smooth_task *task = data;
    for (size_t v = begin; v < end; ++v) {
        mote_vec3 sum = task->from[v];
        for (uint32_t k = task->first[v]; k < task->first[v + 1]; ++k)
            sum = mote_vec3_add(sum, task->from[task->neighbors[k]]);
        const double length = mote_vec3_length(sum);
        task->to[v] = length > 0 ? mote_vec3_scale(sum, 1 / length) : task->from[v];
    }
}

// Whether a corner of a triangle follows the next one.
static bool follows(const surface_mesh *mesh, size_t t, int k)
{
    const uint32_t own = mesh->triangles[3 * t + (size_t)k], next = mesh->triangles[3 * t + (size_t)(k + 1) % 3];
    if ((t < mesh->outer_triangles) != (own < mesh->outer_vertices)) return false;
    return own >= mesh->rim_vertices || next < mesh->rim_vertices;
}

// Lists the neighbours of each vertex.
static mote_result list_neighbors(const mote_context *context, const surface_mesh *mesh, surface_finish *finish,
                                  smooth_task *task)
{
    const size_t vertices = mesh->vertex_count, edges = 3 * mesh->triangle_count;
    const mote_result result =
        mote_buffer_reserve(context, &finish->ring_memory, mote_bytes(vertices + 2 + edges, sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return result;
    uint32_t *first = finish->ring_memory.data, *neighbors = first + vertices + 2;
    memset(first, 0, (vertices + 2) * sizeof *first);
    for (size_t t = 0; t < mesh->triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
            if (follows(mesh, t, k)) ++first[mesh->triangles[3 * t + (size_t)k] + 2];
    for (size_t v = 2; v < vertices + 2; ++v) first[v] += first[v - 1];
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t *corner = mesh->triangles + 3 * t;
        for (int k = 0; k < 3; ++k)
            if (follows(mesh, t, k))
                neighbors[first[corner[k] + 1]++] = corner[(k + 1) % 3];
    }
    task->first = first;
    task->neighbors = neighbors;
    task->rim = mesh->rim_vertices;
    return MOTE_OK;
}

// Rounds of smoothing go to and fro between two arrays.
static mote_result run_rounds(const mote_context *context, int32_t rounds, size_t count, mote_range_task *range,
                              mote_vec3 *own, surface_finish *finish, smooth_task *task)
{
    const mote_result result =
        mote_buffer_reserve(context, &finish->moved_memory, mote_bytes(count, sizeof *own), 0);
    if (result != MOTE_OK) return result;
    mote_vec3 *other = finish->moved_memory.data;
    for (int32_t round = 0; round < rounds; ++round) {
        const bool is_even = round % 2 == 0;
        task->from = is_even ? own : other;
        task->to = is_even ? other : own;
        mote_parallel_for(context, count, BLOCK, range, task);
    }
    if (rounds % 2 == 1 && count) memcpy(own, other, count * sizeof *own);
    return MOTE_OK;
}

static void find_planes(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const smooth_task *task = data;
    for (size_t v = begin; v < end; ++v)
        task->on[v] = mote_surface_planes_at(task->cut, task->cell, task->from[v]);
}

// Marching cubes has no vertex on the edge between two planes, but pairs of neighbours on one each.
static void add_planes_of_neighbors(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const smooth_task *task = data;
    for (size_t v = begin; v < end; ++v) {
        uint64_t planes = task->on[v];
        for (uint32_t k = task->first[v]; planes && k < task->first[v + 1]; ++k) planes |= task->on[task->neighbors[k]];
        task->planes[v] = planes;
    }
}

static mote_result list_planes(const surface_job *job, size_t count, surface_finish *finish, smooth_task *task)
{
    const mote_result result =
        mote_buffer_reserve(job->context, &finish->plane_memory, mote_bytes(count, 2 * sizeof *task->on), 0);
    if (result != MOTE_OK) return result;
    task->on = finish->plane_memory.data;
    task->planes = task->on + count;
    mote_parallel_for(job->context, count, BLOCK, find_planes, task);
    mote_parallel_for(job->context, count, BLOCK, add_planes_of_neighbors, task);
    return MOTE_OK;
}

mote_result mote_surface_smooth(const surface_job *job, int32_t rounds, surface_mesh *mesh, surface_finish *finish)
{
    smooth_task task = {.weights = finish->weights, .cut = job->cut, .cell = job->scale->cell, .from = mesh->vertices};
    mote_result result = list_neighbors(job->context, mesh, finish, &task);
    if (result == MOTE_OK && task.cut && task.cut->plane_count > 0)
        result = list_planes(job, mesh->vertex_count, finish, &task);
    if (result == MOTE_OK)
        result = run_rounds(job->context, rounds, mesh->vertex_count, smooth_range, mesh->vertices, finish, &task);
    return result;
}

mote_result mote_surface_smooth_normals(const mote_context *context, int32_t rounds, const surface_mesh *mesh,
                                        surface_finish *finish)
{
    smooth_task task = {0};
    mote_result result = list_neighbors(context, mesh, finish, &task);
    if (result == MOTE_OK)
        result = run_rounds(context, rounds, mesh->vertex_count, smooth_normal_range, finish->normals, finish, &task);
    return result;
}
