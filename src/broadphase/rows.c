// SPDX-License-Identifier: MIT
// Batches of queries: a row of ids each, found in parallel, for methods that answer one query at a time.
//
// Queries are taken in the order of a curve through space. Each worker writes its rows one after another into its
// own memory. With one worker the caller gets that memory; otherwise rows are gathered.

#include "base/order.h"
#include "broadphase/internal.h"

enum { QUERIES = 64 };  // queries in a block of work

// The queries of a batch; one of the shapes is used.
typedef struct query_batch {
    mote_broadphase *broad;
    const char *what;  // for messages
    mote_boxes boxes;
    mote_points a, b;
    const char *radii;
    ptrdiff_t radius_stride;
    bool (*probe)(const struct query_batch *batch, size_t k, broadphase_probe *probe);
    size_t count;
    mote_filter filter;
    row_worker *workers;
    const uint32_t *order;  // order in which queries are taken; NULL: as given
    uint64_t *first;    // start of a row in its worker's memory, then its start in the gathered rows
    uint32_t *counts;
    uint32_t *sources;  // the worker of a row
    uint64_t *starts;   // starts of a block's rows in the gathered rows
    uint32_t *ids;
} query_batch;

static bool take_id(candidate_sink *sink, uint32_t id)
{
    row_worker *worker = sink->data;
    if (worker->count == worker->memory.bytes / sizeof id) {
        size_t room = mote_bytes(MOTE_MAX(2 * worker->count, (size_t)1024), sizeof id);
        if (mote_buffer_reserve(worker->context, &worker->memory, room, worker->memory.bytes) != MOTE_OK) {
            worker->out_of_memory = true;
            return false;
        }
        worker->ids = worker->memory.data;
    }
    worker->ids[worker->count++] = id;
    return true;
}

static inline size_t query_at(const query_batch *batch, size_t place)
{
    return batch->order ? batch->order[place] : place;
}

// All queries of a block are read before any is answered, and their results are stored together: both are scattered
// in memory, and so the block waits for memory only once.
static void find_block(void *data, size_t begin, size_t end, uint32_t number)
{
    const query_batch *batch = data;
    row_worker *worker = batch->workers + number;
    const bool ascend = !batch->broad->def.unordered_rows;
    const mote_simd form = mote_context_simd(batch->broad->context);
    broadphase_probe probes[QUERIES];
    uint64_t from[QUERIES + 1];
    bool fit[QUERIES];
    const size_t count = end - begin;
    for (size_t p = 0; p < count; ++p) fit[p] = batch->probe(batch, query_at(batch, begin + p), &probes[p]);
    candidate_sink sink = {.broad = batch->broad, .filter = batch->filter, .take = take_id, .data = worker};
    for (size_t p = 0; p < count && !worker->out_of_memory; ++p) {
        from[p] = worker->count;
        sink.probe = &probes[p];
        if (fit[p])
            mote_broadphase_offer(batch->broad, &sink);
        else
            worker->first_bad = MOTE_MIN(worker->first_bad, query_at(batch, begin + p));
        const size_t found = worker->count - (size_t)from[p];
        if (ascend && found > 1) mote_row_ascend(form, worker->ids + from[p], (uint32_t)found, NULL);
    }
    worker->lookups += sink.lookups;
    worker->candidates += sink.candidates;
    if (worker->out_of_memory) return;
    from[count] = worker->count;
    for (size_t p = 0; p < count; ++p) {
        const size_t k = query_at(batch, begin + p);
        batch->first[k] = from[p];
        batch->counts[k] = (uint32_t)(from[p + 1] - from[p]);
        batch->sources[k] = number;
    }
    batch->starts[begin / QUERIES] = from[count] - from[0];
}

static void gather_block(void *data, size_t begin, size_t end, uint32_t number)
{
    (void)number;
    const query_batch *batch = data;
    uint64_t to = batch->starts[begin / QUERIES];
    for (size_t place = begin; place < end; ++place) {
        const size_t k = query_at(batch, place);
        const uint32_t *ids = batch->workers[batch->sources[k]].ids;
        if (batch->counts[k]) memcpy(batch->ids + to, ids + batch->first[k], batch->counts[k] * sizeof *ids);
        batch->first[k] = to;
        to += batch->counts[k];
    }
}

static bool reach_of(const void *data, size_t k, mote_bounds *reach)
{
    const query_batch *batch = data;
    broadphase_probe probe;
    const bool fit = batch->probe(batch, k, &probe);
    *reach = probe.reach;
    return fit;
}

static mote_result reserve(query_batch *batch, uint32_t *worker_count)
{
    const mote_context *context = batch->broad->context;
    id_row_store *store = &batch->broad->rows;
    const size_t n = batch->count + 1;
    mote_result result = mote_buffer_reserve(context, &store->first, mote_bytes(n, sizeof *batch->first), 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &store->counts, mote_bytes(n, sizeof(uint32_t)), 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &store->sources, mote_bytes(n, sizeof(uint32_t)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &store->starts, (n / QUERIES + 1) * sizeof *batch->starts, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve_workers(context, &store->workers, sizeof(row_worker));
    if (result == MOTE_OK)
        result = mote_query_order_make(context, &store->order, batch->count, batch->broad->def.dimensions, reach_of,
                                       batch, &batch->order);
    batch->first = store->first.data;
    batch->counts = store->counts.data;
    batch->sources = store->sources.data;
    batch->starts = store->starts.data;
    batch->workers = store->workers.data;
    *worker_count = mote_context_worker_count(context);
    for (uint32_t w = 0; result == MOTE_OK && w < *worker_count; ++w) {
        row_worker *worker = batch->workers + w;
        worker->context = context;
        worker->count = 0;
        worker->out_of_memory = false;
        worker->first_bad = SIZE_MAX;
        worker->lookups = worker->candidates = 0;
    }
    return result;
}

// Adds up the results of the workers; returns MOTE_OK if all succeeded.
static mote_result sum_up(query_batch *batch, uint32_t worker_count, mote_id_rows *rows, mote_error *error)
{
    mote_broadphase *broad = batch->broad;
    size_t bad = SIZE_MAX;
    bool out_of_memory = false;
    broad->counters.lookups = broad->counters.candidates = 0;
    for (uint32_t w = 0; w < worker_count; ++w) {
        const row_worker *worker = batch->workers + w;
        bad = MOTE_MIN(bad, worker->first_bad);
        out_of_memory |= worker->out_of_memory;
        rows->total += worker->count;
        broad->counters.lookups += worker->lookups;
        broad->counters.candidates += worker->candidates;
    }
    broad->counters.hits = rows->total;
    if (bad != SIZE_MAX)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, bad,
                         "broadphase: %s %llu: expected finite numbers, the "
                         "lower corner first, no radius below 0",
                         batch->what, (unsigned long long)bad);
    return out_of_memory ? mote_broadphase_out_of_memory("rows", error) : MOTE_OK;
}

static mote_result run(query_batch *batch, mote_id_rows *rows, mote_error *error)
{
    mote_broadphase *broad = batch->broad;
    memset(rows, 0, sizeof *rows);
    mote_result result = mote_broadphase_update(broad, error);
    if (result != MOTE_OK) return result;
    uint32_t worker_count;
    if (reserve(batch, &worker_count) != MOTE_OK) return mote_broadphase_out_of_memory("rows", error);
    mote_parallel_for(broad->context, batch->count, QUERIES, find_block, batch);
    mote_id_rows found = {.count = batch->count};
    result = sum_up(batch, worker_count, &found, error);
    if (result != MOTE_OK) return result;
    batch->ids = batch->workers->ids;
    if (worker_count > 1) {
        mote_buffer *memory = &broad->rows.ids;
        if (mote_buffer_reserve(broad->context, memory, (size_t)found.total * sizeof(uint32_t), 0) != MOTE_OK)
            return mote_broadphase_out_of_memory("rows", error);
        batch->ids = memory->data;
        const uint64_t total = mote_prefix_sum_u64(batch->starts, mote_block_count(batch->count, QUERIES));
        MOTE_ASSERT(total == found.total);
        mote_parallel_for(broad->context, batch->count, QUERIES, gather_block, batch);
    }
    found.first = batch->first;
    found.counts = batch->counts;
    found.ids = batch->ids;
    *rows = found;
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------------- shapes

static void point_at(const mote_points *points, size_t k, float at[3])
{
    for (int axis = 0; axis < 3; ++axis) at[axis] = (float)mote_points_get(points, k, axis);
}

static bool box_probe(const query_batch *batch, size_t k, broadphase_probe *probe)
{
    mote_bounds box = mote_boxes_get(&batch->boxes, k);
    return mote_probe_box(probe, batch->broad->def.dimensions, &box);
}

static bool point_probe(const query_batch *batch, size_t k, broadphase_probe *probe)
{
    float at[3];
    point_at(&batch->a, k, at);
    return mote_probe_point(probe, batch->broad->def.dimensions, at);
}

static bool sphere_probe(const query_batch *batch, size_t k, broadphase_probe *probe)
{
    float at[3];
    point_at(&batch->a, k, at);
    float radius = mote_load_f32(batch->radii + (ptrdiff_t)k * batch->radius_stride);
    return mote_probe_sphere(probe, batch->broad->def.dimensions, at, radius);
}

static bool segment_probe(const query_batch *batch, size_t k, broadphase_probe *probe)
{
    float a[3], b[3];
    point_at(&batch->a, k, a);
    point_at(&batch->b, k, b);
    return mote_probe_segment(probe, batch->broad->def.dimensions, a, b);
}

static bool sweep_probe(const query_batch *batch, size_t k, broadphase_probe *probe)
{
    const mote_bounds box = mote_boxes_get(&batch->boxes, k);
    float motion[3];
    point_at(&batch->a, k, motion);
    return mote_probe_sweep(probe, batch->broad->def.dimensions, &box, motion);
}

static mote_result check_points(mote_broadphase *broad, const mote_points *points, const char *what, mote_error *error)
{
    mote_result result = mote_points_check(*points, what, error);
    if (result != MOTE_OK || (points->scalar == MOTE_F32 && points->dimensions == broad->def.dimensions)) return result;
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                     "broadphase: %s are %s points of %d dimensions, expected "
                     "float ones of %d",
                     what, points->scalar == MOTE_F32 ? "float" : "double", points->dimensions,
                     (int)broad->def.dimensions);
}

mote_result mote_broadphase_query_boxes(mote_broadphase *broad, mote_boxes boxes, mote_filter filter,
                                        mote_id_rows *rows, mote_error *error)
{
    if (!broad || !rows) return mote_broadphase_refuse_null(broad, "rows", error);
    query_batch asked = {.broad = broad, .what = "box", .boxes = boxes, .probe = box_probe, .count = boxes.count,
                   .filter = filter};
    mote_result result = mote_boxes_shape_check(&boxes, broad->def.dimensions, "queries", error);
    if (result == MOTE_OK) result = mote_broadphase_update(broad, error);
    if (result != MOTE_OK) return result;
    return broad->method->box_rows ? mote_joined_rows(broad, &boxes, filter, rows, error) : run(&asked, rows, error);
}

mote_result mote_broadphase_query_points(mote_broadphase *broad, mote_points points, mote_filter filter,
                                         mote_id_rows *rows, mote_error *error)
{
    if (!broad || !rows) return mote_broadphase_refuse_null(broad, "rows", error);
    query_batch asked = {.broad = broad, .what = "point", .a = points, .probe = point_probe, .count = points.count,
                   .filter = filter};
    mote_result result = check_points(broad, &points, "points", error);
    return result == MOTE_OK ? run(&asked, rows, error) : result;
}

mote_result mote_broadphase_query_spheres(mote_broadphase *broad, mote_points centers, const float *radii,
                                          ptrdiff_t stride, mote_filter filter, mote_id_rows *rows, mote_error *error)
{
    if (!broad || !rows || (!radii && centers.count))
        return mote_broadphase_refuse_null(broad, rows ? "radii" : "rows", error);
    query_batch asked = {.broad = broad, .what = "sphere", .a = centers, .radii = (const char *)radii,
                   .radius_stride = stride, .probe = sphere_probe, .count = centers.count, .filter = filter};
    mote_result result = check_points(broad, &centers, "centers", error);
    return result == MOTE_OK ? run(&asked, rows, error) : result;
}

mote_result mote_broadphase_query_segments(mote_broadphase *broad, mote_points a, mote_points b, mote_filter filter,
                                           mote_id_rows *rows, mote_error *error)
{
    if (!broad || !rows) return mote_broadphase_refuse_null(broad, "rows", error);
    query_batch asked = {.broad = broad, .what = "segment", .a = a, .b = b, .probe = segment_probe, .count = a.count,
                   .filter = filter};
    mote_result result = check_points(broad, &a, "starts", error);
    if (result == MOTE_OK) result = check_points(broad, &b, "ends", error);
    if (result == MOTE_OK && a.count != b.count)
        result = mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "broadphase: %llu starts and %llu ends of segments",
                           (unsigned long long)a.count, (unsigned long long)b.count);
    return result == MOTE_OK ? run(&asked, rows, error) : result;
}

mote_result mote_broadphase_query_sweeps(mote_broadphase *broad, mote_boxes boxes, mote_points motions,
                                         mote_filter filter, mote_id_rows *rows, mote_error *error)
{
    if (!broad || !rows) return mote_broadphase_refuse_null(broad, "rows", error);
    query_batch asked = {.broad = broad, .what = "sweep", .boxes = boxes, .a = motions, .probe = sweep_probe,
                   .count = boxes.count, .filter = filter};
    mote_result result = mote_boxes_shape_check(&boxes, broad->def.dimensions, "queries", error);
    if (result == MOTE_OK) result = check_points(broad, &motions, "motions", error);
    if (result == MOTE_OK && boxes.count != motions.count)
        result = mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "broadphase: %llu boxes and %llu motions",
                           (unsigned long long)boxes.count, (unsigned long long)motions.count);
    return result == MOTE_OK ? run(&asked, rows, error) : result;
}
