// SPDX-License-Identifier: MIT
// Pairs of edges. The cells hold the middles of edges, or of pieces of long edges; an edge that searches for others
// is thickened by half a piece more. So no edge is missed, and no edge, however long, takes too many cells.

#include "raster/internal.h"

#include "cells/internal.h"

// ------------------------------------------------------------------------------------------------------- distances

static double distance2(mote_vec3 p, mote_vec3 q)
{
    const mote_vec3 apart = mote_vec3_sub(p, q);
    return mote_vec3_dot(apart, apart);
}

double mote_raster_point_segment2(mote_vec3 point, mote_vec3 p, mote_vec3 q)
{
    const mote_vec3 along = mote_vec3_sub(q, p);
    const double length2 = mote_vec3_dot(along, along);
    const double t = length2 > 0 ? mote_vec3_dot(mote_vec3_sub(point, p), along) / length2 : 0;
    if (!(t > 0)) return distance2(point, p);
    return t < 1 ? distance2(point, mote_vec3_add_scaled(p, along, t)) : distance2(point, q);
}

// Either an end is one of the two closest points, or these are where the common normal meets both lines, if it meets
// both segments. All candidates are distances between points of the segments: where the lines are nearly parallel,
// and their normal is inexact, an end is as close.
double mote_raster_segments2(mote_vec3 p, mote_vec3 q, mote_vec3 r, mote_vec3 s)
{
    const double at_p = mote_raster_point_segment2(p, r, s), at_q = mote_raster_point_segment2(q, r, s);
    const double at_r = mote_raster_point_segment2(r, p, q), at_s = mote_raster_point_segment2(s, p, q);
    const double ends = MOTE_MIN(MOTE_MIN(at_p, at_q), MOTE_MIN(at_r, at_s));
    const mote_vec3 u = mote_vec3_sub(q, p), v = mote_vec3_sub(s, r), w = mote_vec3_sub(p, r);
    const double uu = mote_vec3_dot(u, u), uv = mote_vec3_dot(u, v), vv = mote_vec3_dot(v, v);
    const double uw = mote_vec3_dot(u, w), vw = mote_vec3_dot(v, w), determinant = uu * vv - uv * uv;
    if (!(determinant > 0)) return ends;
    const double a = (uv * vw - vv * uw) / determinant, b = (uu * vw - uv * uw) / determinant;
    if (!(a > 0 && a < 1 && b > 0 && b < 1)) return ends;
    const double inside = distance2(mote_vec3_add_scaled(p, u, a), mote_vec3_add_scaled(r, v, b));
    return MOTE_MIN(ends, inside);
}

// ------------------------------------------------------------------------------------------------------------- lists

void mote_raster_edge_list_release(mote_raster_edge_list *list)
{
    if (!list) return;
    mote_release(list->context, list->edges, 2 * list->count * sizeof *list->edges);
    *list = (mote_raster_edge_list){0};
}

mote_result mote_raster_list_edges(const mote_mesh *mesh, mote_raster_edge_list *list, mote_error *error)
{
    if (!mote_mesh_is_sound(mesh) || !list)
        return mote_fail_null(error, "raster", list ? "the mesh" : "the list of edges");
    mote_mesh_edges sorted;
    mote_result result = mote_mesh_edges_build(mesh, &sorted);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "raster: listing edges");
    size_t count = 0;
    for (size_t k = 0; k < sorted.count; ++k) count += k == 0 || sorted.keys[k] != sorted.keys[k - 1];
    uint32_t *edges = mote_allocate(mesh->context, 2 * count * sizeof *edges);
    if (edges || count == 0)
        *list = (mote_raster_edge_list){edges, count, mesh->context};
    else
        result = MOTE_ERROR_OUT_OF_MEMORY;
    for (size_t k = 0, e = 0; k < sorted.count && result == MOTE_OK; ++k) {
        if (k && sorted.keys[k] == sorted.keys[k - 1]) continue;
        edges[e++] = (uint32_t)(sorted.keys[k] >> 32);
        edges[e++] = (uint32_t)sorted.keys[k];
    }
    mote_mesh_edges_release(mesh, &sorted);
    return mote_pass_memory(error, result, "raster: listing edges");
}

// -------------------------------------------------------------------------------------------------------- into cells

static mote_result check_edge(const mote_raster_edge_set *edges, size_t e)
{
    const uint32_t *vertex = edges->edges + 2 * e;
    if (vertex[0] >= edges->vertex_count || vertex[1] >= edges->vertex_count) return MOTE_ERROR_ARGUMENT;
    return mote_raster_is_legal(edges->vertices[vertex[0]]) && mote_raster_is_legal(edges->vertices[vertex[1]])
               ? MOTE_OK
               : MOTE_ERROR_NOT_FINITE;
}

static mote_result fail_at_edge(const mote_raster_edge_set *edges, size_t e, mote_error *error)
{
    const uint32_t *vertex = edges->edges + 2 * e;
    for (int k = 0; k < 2; ++k)
        if (vertex[k] >= edges->vertex_count)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, e, "edge %zu: its vertex is %u, expected below %zu", e,
                             vertex[k], edges->vertex_count);
    const uint32_t bad = mote_raster_is_legal(edges->vertices[vertex[0]]) ? vertex[1] : vertex[0];
    return mote_raster_fail_vertex(error, "edge", e, bad, edges->vertices[bad]);
}

static mote_result check_set(const mote_raster_edge_set *edges, mote_error *error)
{
    if (!edges || (edges->edge_count && (!edges->edges || !edges->vertices)))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "edges: an array is NULL");
    if (edges->edge_count > INT32_MAX - 1)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "edges: there are %zu, expected at most 2^31 - 2",
                         edges->edge_count);
    return MOTE_OK;
}

// The points are the middles of pieces, numbered by edge and then along the edge.
typedef struct pieces {
    double longest;  // of a piece
    double most;     // largest magnitude of a coordinate
    size_t count;
    double (*middles)[3];
    uint32_t *owners;
} pieces;

static size_t count_pieces(const mote_vec3 ends[2], double longest)
{
    const double length = mote_vec3_length(mote_vec3_sub(ends[1], ends[0]));
    return length > longest ? (size_t)ceil(length / longest) : 1;
}

// Pieces are as long as a cell's edge, or as the mean edge: then there are at most twice as many pieces as edges.
static void measure_edges(const mote_raster *raster, pieces *all)
{
    const raster_edge_store *store = &raster->edges;
    double sum = 0;
    for (uint32_t e = 0; e < store->count; ++e) {
        const mote_vec3 *ends = store->ends[e];
        sum += mote_vec3_length(mote_vec3_sub(ends[1], ends[0]));
        for (int k = 0; k < 2; ++k) {
            all->most = MOTE_MAX(all->most, fabs(ends[k].x));
            all->most = MOTE_MAX(all->most, fabs(ends[k].y));
            all->most = MOTE_MAX(all->most, fabs(ends[k].z));
        }
    }
    all->longest = MOTE_MAX(raster->edge, store->count ? sum / store->count * (1 + 0x1p-20) : 0);
    for (uint32_t e = 0; e < store->count; ++e) all->count += count_pieces(store->ends[e], all->longest);
}

static void cut_edges(const raster_edge_store *store, const pieces *all)
{
    size_t piece = 0;
    for (uint32_t e = 0; e < store->count; ++e) {
        const mote_vec3 *ends = store->ends[e], along = mote_vec3_sub(ends[1], ends[0]);
        const size_t count = count_pieces(ends, all->longest);
        for (size_t k = 0; k < count; ++k, ++piece) {
            const mote_vec3 at = mote_vec3_add_scaled(ends[0], along, ((double)k + 0.5) / (double)count);
            all->middles[piece][0] = at.x, all->middles[piece][1] = at.y, all->middles[piece][2] = at.z;
            all->owners[piece] = e;
        }
    }
}

static mote_result store_edges(mote_raster *raster, const mote_raster_edge_set *edges)
{
    raster_edge_store *store = &raster->edges;
    const size_t n = edges->edge_count;
    mote_result result = mote_buffer_reserve(raster->context, &store->end_memory, n * sizeof *store->ends, 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(raster->context, &store->vertex_memory, n * sizeof *store->vertices, 0);
    if (result != MOTE_OK) return result;
    store->ends = store->end_memory.data;
    store->vertices = store->vertex_memory.data;
    store->count = (uint32_t)n;
    for (size_t e = 0; e < n; ++e)
        for (size_t k = 0; k < 2; ++k) {
            store->vertices[e][k] = edges->edges[2 * e + k];
            store->ends[e][k] = edges->vertices[edges->edges[2 * e + k]];
        }
    return MOTE_OK;
}

mote_result mote_raster_update_edges(mote_raster *raster, const mote_raster_edge_set *edges, mote_error *error)
{
    if (!raster || !edges) return mote_fail_null(error, "raster", "the object, or the edges");
    mote_result result = check_set(edges, error);
    if (result != MOTE_OK) return result;
    for (size_t e = 0; e < edges->edge_count; ++e)
        if (check_edge(edges, e) != MOTE_OK) return fail_at_edge(edges, e, error);
    mote_buffer *memory = &raster->edges.piece_memory;
    pieces all = {0};
    raster->has_edges = true;
    raster->count = raster->cell_count = raster->row_count = raster->slice_count = raster->edges.count = 0;
    result = store_edges(raster, edges);
    if (result == MOTE_OK) {
        measure_edges(raster, &all);
        result = mote_buffer_reserve(raster->context, memory, mote_bytes(all.count, 28), 0);
    }
    if (result == MOTE_OK && all.count) {
        all.middles = memory->data;
        all.owners = (uint32_t *)(void *)(all.middles + all.count);
        cut_edges(&raster->edges, &all);
    }
    if (result == MOTE_OK) {
        const mote_points middles = mote_points_xyz_f64(memory->data, all.count);
        raster->edges.half = 0.5 * all.longest * (1 + 0x1p-18) + 0x1p-48 * all.most;
        mote_box box;
        result = mote_points_bounds(raster->context, &middles, "edges", &box, NULL);
        if (result == MOTE_OK) result = mote_raster_sort(raster, &middles, &box, all.owners);
    }
    if (result == MOTE_OK) return MOTE_OK;
    raster->edges.count = 0;
    return mote_fail(error, result, 0, "raster: no memory for %zu edges", edges->edge_count);
}

// ----------------------------------------------------------------------------------------------------------- queries

typedef struct meeting {
    const raster_task *task;
    raster_worker *worker;
    uint32_t edge;
    uint32_t vertex[2];
    mote_vec3 ends[2];
    double low[3], high[3];  // the box that contains the pieces whose edges may be near
} meeting;

static bool shares_vertex(const meeting *self, const uint32_t other[2])
{
    return other[0] == self->vertex[0] || other[0] == self->vertex[1] || other[1] == self->vertex[0] ||
           other[1] == self->vertex[1];
}

static void take_edges(void *data, uint32_t begin, uint32_t end)
{
    const meeting *self = data;
    const mote_raster *raster = self->task->raster;
    const raster_edge_store *store = &raster->edges;
    const mote_raster_query *query = self->task->query;
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t other = raster->ids[i];
        if (query->own && (other <= self->edge || shares_vertex(self, store->vertices[other]))) continue;
        bool is_near = true;
        for (int k = 0; k < 3; ++k) is_near &= raster->at[i][k] >= self->low[k] && raster->at[i][k] <= self->high[k];
        if (query->candidates ||
            (is_near && mote_raster_segments2(self->ends[0], self->ends[1], store->ends[other][0],
                                              store->ends[other][1]) <= query->thickness * query->thickness))
            mote_raster_take(self->worker, other);
    }
}

static mote_result meet(const raster_task *task, uint32_t e, raster_worker *worker)
{
    mote_result result = check_edge(task->edges, e);
    if (result != MOTE_OK) return result;
    const uint32_t *vertex = task->edges->edges + 2 * (size_t)e;
    const mote_vec3 a = task->edges->vertices[vertex[0]], b = task->edges->vertices[vertex[1]];
    meeting self = {.task = task, .worker = worker, .edge = e, .vertex = {vertex[0], vertex[1]}, .ends = {a, b}};
    const raster_shape shape = {
        {{a.x, a.y, a.z}, {b.x, b.y, b.z}, {0, 0, 0}}, 2, task->query->thickness + task->raster->edges.half};
    const double reach = shape.reach + mote_raster_margin(task->raster, &shape);
    for (int k = 0; k < 3; ++k) {
        self.low[k] = MOTE_MIN(shape.corner[0][k], shape.corner[1][k]) - reach;
        self.high[k] = MOTE_MAX(shape.corner[0][k], shape.corner[1][k]) + reach;
    }
    mote_raster_walk(task->raster, &shape, take_edges, &self, &worker->counters);
    return MOTE_OK;
}

static mote_result fail_edge(const raster_task *task, uint32_t e, mote_result result, mote_error *error)
{
    (void)result;
    return fail_at_edge(task->edges, e, error);
}

mote_result mote_raster_edges(const mote_raster *raster, const mote_raster_edge_set *edges,
                              const mote_raster_query *query, mote_raster_pairs *pairs, mote_error *error)
{
    if (!raster || !pairs) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "raster: no raster or pairs were given");
    const mote_raster_query plain = mote_raster_query_default();
    raster_task task = {
        .raster = raster, .query = query ? query : &plain, .edges = edges, .meet = meet, .fail = fail_edge};
    mote_result result = mote_raster_begin_query(task.query, pairs, error);
    if (result == MOTE_OK) result = check_set(edges, error);
    if (result != MOTE_OK) return result;
    if (task.query->scan_line)
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "raster: the scan line is for triangles, not for edges");
    if (raster->count && !raster->has_edges)
        return mote_fail(error, MOTE_ERROR_STATE, 0, "raster: points are in the cells, expected edges");
    if (task.query->own && raster->edges.count != edges->edge_count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "raster: %u edges are in the cells, expected the %zu that are asked for", raster->edges.count,
                         edges->edge_count);
    return mote_raster_run(&task, edges->edge_count, pairs, error);
}
