// SPDX-License-Identifier: MIT
// mote_raster: points, or the middles of pieces of edges, sorted into cells.
//
// There is one stable sort by z, y and x packed into a key, or, if 64 bits are too few, two: by x, then by y and z.
// Coordinates are clamped (frame.h), so that an outlier costs nothing, however far away it is; digits that are the
// same in all keys take no time.

#include "raster/internal.h"

#include "cells/internal.h"

enum { BLOCK = 16384 };

double mote_raster_mean_edge(const mote_mesh *mesh)
{
    if (!mesh) return 0;
    double sum = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const mote_triangle triangle = mote_mesh_triangle(mesh, t);
        sum += mote_vec3_length(mote_vec3_sub(triangle.b, triangle.a)) +
               mote_vec3_length(mote_vec3_sub(triangle.c, triangle.b)) +
               mote_vec3_length(mote_vec3_sub(triangle.a, triangle.c));
    }
    return mesh->triangle_count ? sum / (3 * (double)mesh->triangle_count) : 0;
}

mote_result mote_raster_create(mote_context *context, double edge, mote_raster **raster, mote_error *error)
{
    if (!raster) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "raster: nowhere to put it");
    if (!(edge >= 1 / RASTER_MOST && edge <= RASTER_MOST))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "raster: edge is %g, expected 2^-160 to 2^160", edge);
    mote_raster *made = mote_allocate(context, sizeof *made);
    if (!made) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "raster: no memory");
    *made = (mote_raster){.context = context, .edge = edge};
    *raster = made;
    return MOTE_OK;
}

mote_result mote_raster_create_for_mesh(mote_context *context, const mote_mesh *mesh, mote_raster **raster,
                                        mote_error *error)
{
    if (!mesh) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "raster: no mesh");
    const mote_result result =
        mote_mesh_check_triangles(mesh->triangles, mesh->triangle_count, mesh->vertex_count, error);
    if (result != MOTE_OK) return result;
    const double edge = mote_raster_mean_edge(mesh);
    if (!(edge >= 1 / RASTER_MOST && edge <= RASTER_MOST))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "raster: the mean edge of %zu triangles is %g, expected 2^-160 to 2^160", mesh->triangle_count,
                         edge);
    return mote_raster_create(context, edge, raster, error);
}

static void release_all(mote_raster *raster)
{
    mote_buffer *buffers[] = {&raster->id_memory,        &raster->point_memory,        &raster->cell_memory,
                              &raster->first_memory,     &raster->row_memory,          &raster->slice_memory,
                              &raster->key_memory,       &raster->order_memory,        &raster->edges.end_memory,
                              &raster->edges.vertex_memory, &raster->edges.piece_memory};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) mote_buffer_release(raster->context, buffers[k]);
    mote_table_release(raster->context, &raster->table);
}

void mote_raster_destroy(mote_raster *raster)
{
    if (!raster) return;
    release_all(raster);
    mote_release(raster->context, raster, sizeof *raster);
}

// ---------------------------------------------------------------------------------------------------------- sorting

typedef struct sort_task {
    mote_raster *raster;
    const mote_points *points;
    const uint32_t *owners;  // NULL: every point has its own number
    uint64_t *keys;
    uint32_t *order;
    int32_t *x;
    bool is_packed;  // keys hold z, y and x, counted from `low`
    int32_t low[3];
    int shift[3];
} sort_task;

enum { AHEAD = 24 };  // points are prefetched this far ahead

MOTE_INLINE void prefetch_point(const sort_task *task, size_t i, size_t end)
{
    if (i >= end) return;
    const ptrdiff_t at = (ptrdiff_t)task->order[i] * task->points->stride;
    for (int k = 0; k < task->points->dimensions; ++k) mote_prefetch((const char *)task->points->axis[k] + at);
}

static int32_t coordinate_of(const sort_task *task, size_t point, int axis)
{
    return mote_frame_coordinate(&task->raster->frame, axis, mote_points_get(task->points, point, axis));
}

static void make_packed_keys(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const sort_task *task = data;
    for (size_t i = begin; i < end; ++i) {
        task->keys[i] = 0;
        for (int k = 0; k < 3; ++k) {
            const uint32_t at = (uint32_t)coordinate_of(task, i, k) - (uint32_t)task->low[k];
            task->keys[i] |= (uint64_t)at << task->shift[k];
        }
        task->order[i] = (uint32_t)i;
    }
}

static void make_x_keys(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const sort_task *task = data;
    for (size_t i = begin; i < end; ++i) {
        task->keys[i] = (uint32_t)coordinate_of(task, i, 0) ^ (uint32_t)1 << 31;
        task->order[i] = (uint32_t)i;
    }
}

static void make_row_keys(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const sort_task *task = data;
    for (size_t i = begin; i < end; ++i) {
        prefetch_point(task, i + AHEAD, end);
        const uint32_t point = task->order[i];
        task->keys[i] = mote_raster_row_key(coordinate_of(task, point, 1), coordinate_of(task, point, 2));
    }
}

// The row's key of a packed one.
static uint64_t unpack_row(const sort_task *task, uint64_t key)
{
    const uint64_t z = key >> task->shift[2], y = (key - (z << task->shift[2])) >> task->shift[1];
    return mote_raster_row_key((int32_t)(task->low[1] + (int64_t)y), (int32_t)(task->low[2] + (int64_t)z));
}

static void copy_points(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const sort_task *task = data;
    mote_raster *raster = task->raster;
    for (size_t i = begin; i < end; ++i) {
        prefetch_point(task, i + AHEAD, end);
        const uint32_t point = task->order[i];
        for (int k = 0; k < 3; ++k) raster->at[i][k] = mote_points_get(task->points, point, k);
        raster->ids[i] = task->owners ? task->owners[point] : point;
        task->x[i] = mote_frame_coordinate(&raster->frame, 0, raster->at[i][0]);
        if (task->is_packed) task->keys[i] = unpack_row(task, task->keys[i]);
    }
}

// Assigns bits of a key to z, y and x, if they fit: then a single sort is enough.
static void lay_out(sort_task *task, const mote_box *box)
{
    const double low[3] = {box->min.x, box->min.y, box->min.z}, high[3] = {box->max.x, box->max.y, box->max.z};
    int sum = 0;
    for (int k = 0; k < 3; ++k) {
        task->shift[k] = sum;
        task->low[k] = mote_frame_coordinate(&task->raster->frame, k, low[k]);
        const int32_t last = mote_frame_coordinate(&task->raster->frame, k, high[k]);
        for (uint32_t range = (uint32_t)last - (uint32_t)task->low[k]; range; range >>= 1) ++sum;
    }
    task->is_packed = sum < 64;
}

// Counts the cells, rows and slices of the sorted points.
static void count_cells(mote_raster *raster, const sort_task *task)
{
    raster->cell_count = raster->row_count = raster->slice_count = 0;
    for (uint32_t i = 0; i < raster->count; ++i) {
        const bool is_row = i == 0 || task->keys[i] != task->keys[i - 1];
        raster->slice_count += i == 0 || task->keys[i] >> 32 != task->keys[i - 1] >> 32;
        raster->row_count += is_row;
        raster->cell_count += is_row || task->x[i] != task->x[i - 1];
    }
}

static void fill_cells(mote_raster *raster, const sort_task *task)
{
    uint32_t cell = 0, row = 0, slice = 0;
    for (uint32_t i = 0; i < raster->count; ++i) {
        const uint64_t key = task->keys[i];
        const bool is_row = i == 0 || key != task->keys[i - 1];
        if (i == 0 || key >> 32 != task->keys[i - 1] >> 32)
            raster->slices[slice++] = (raster_slice){mote_raster_row_z(key), row};
        if (is_row) raster->rows[row++] = (raster_row){key, cell, cell};
        if (is_row || task->x[i] != task->x[i - 1]) {
            raster->cell_x[cell] = task->x[i];
            raster->cell_first[cell++] = i;
            raster->rows[row - 1].end = cell;
        }
    }
    raster->cell_first[cell] = raster->count;
    raster->slices[slice] = (raster_slice){INT32_MAX, row};
    MOTE_ASSERT(cell == raster->cell_count && row == raster->row_count && slice == raster->slice_count);
}

static void fill_table(mote_raster *raster)
{
    mote_table_clear(&raster->table);
    for (uint32_t r = 0; r < raster->row_count; ++r)
        mote_table_put(&raster->table, mote_raster_row_hash(raster->rows[r].key), r);
}

static mote_result reserve_cells(mote_raster *raster)
{
    const struct {
        mote_buffer *buffer;
        size_t bytes;
    } needs[] = {{&raster->cell_memory, mote_bytes(raster->cell_count, sizeof *raster->cell_x)},
                 {&raster->first_memory, mote_bytes((size_t)raster->cell_count + 1, sizeof *raster->cell_first)},
                 {&raster->row_memory, mote_bytes(raster->row_count, sizeof *raster->rows)},
                 {&raster->slice_memory, mote_bytes((size_t)raster->slice_count + 1, sizeof *raster->slices)}};
    mote_table_clear(&raster->table);  // so that growing the table moves no entries
    mote_result result = mote_table_reserve(raster->context, &raster->table, raster->row_count);
    for (size_t k = 0; k < sizeof needs / sizeof *needs && result == MOTE_OK; ++k)
        result = mote_buffer_reserve(raster->context, needs[k].buffer, needs[k].bytes, 0);
    raster->cell_x = raster->cell_memory.data;
    raster->cell_first = raster->first_memory.data;
    raster->rows = raster->row_memory.data;
    raster->slices = raster->slice_memory.data;
    return result;
}

static mote_result sort_points(mote_raster *raster, sort_task *task, size_t n)
{
    const mote_context *context = raster->context;
    mote_result result = mote_buffer_reserve(context, &raster->key_memory, mote_bytes(n, 16), 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &raster->order_memory, mote_bytes(n, 8), 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &raster->id_memory, mote_bytes(n, 4), 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &raster->point_memory, mote_bytes(n, 24), 0);
    if (result != MOTE_OK) return result;
    raster->ids = raster->id_memory.data;
    raster->at = raster->point_memory.data;
    task->keys = raster->key_memory.data;
    task->order = raster->order_memory.data;
    task->x = (int32_t *)(void *)(task->order + n);  // after the sorts
    mote_parallel_for(context, n, BLOCK, task->is_packed ? make_packed_keys : make_x_keys, task);
    result = mote_sort_u64(context, task->keys, task->order, task->keys + n, task->order + n, n);
    if (result != MOTE_OK || task->is_packed) return result;
    mote_parallel_for(context, n, BLOCK, make_row_keys, task);
    return mote_sort_u64(context, task->keys, task->order, task->keys + n, task->order + n, n);
}

mote_result mote_raster_sort(mote_raster *raster, const mote_points *points, const mote_box *box,
                             const uint32_t *owners)
{
    sort_task task = {.raster = raster, .points = points, .owners = owners};
    raster->count = raster->cell_count = raster->row_count = raster->slice_count = 0;
    raster->frame = mote_frame_make(points, raster->edge, 1);
    raster->frame.dimensions = 3;
    if (points->count == 0) return MOTE_OK;
    lay_out(&task, box);
    mote_result result = sort_points(raster, &task, points->count);
    if (result != MOTE_OK) return result;
    mote_parallel_for(raster->context, points->count, BLOCK, copy_points, &task);
    raster->count = (uint32_t)points->count;
    count_cells(raster, &task);
    result = reserve_cells(raster);
    if (result != MOTE_OK) {
        raster->count = raster->cell_count = raster->row_count = raster->slice_count = 0;
        return result;
    }
    fill_cells(raster, &task);
    fill_table(raster);
    MOTE_VALIDATE(mote_raster_validate(raster, NULL) == MOTE_OK);
    return MOTE_OK;
}

mote_result mote_raster_update(mote_raster *raster, mote_points points, mote_error *error)
{
    if (!raster) return mote_fail_null(error, "raster", "the object");
    mote_box box;
    mote_result result = mote_points_check(points, "points", error);
    if (result == MOTE_OK) result = mote_points_bounds(raster->context, &points, "points", &box, error);
    if (result != MOTE_OK) return result;
    if (points.count && !(mote_raster_is_legal(box.min) && mote_raster_is_legal(box.max)))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "points: they reach from (%g, %g, %g) to (%g, %g, %g), expected at most 2^160", box.min.x,
                         box.min.y, box.min.z, box.max.x, box.max.y, box.max.z);
    raster->has_edges = false;
    result = mote_raster_sort(raster, &points, &box, NULL);
    if (result == MOTE_OK) return MOTE_OK;
    return mote_fail(error, result, 0, "raster: no memory for %llu points", (unsigned long long)points.count);
}

// ------------------------------------------------------------------------------------------------------- inspection

mote_raster_stats mote_raster_get_stats(const mote_raster *raster)
{
    if (!raster) return (mote_raster_stats){0};
    return (mote_raster_stats){raster->count, raster->row_count, raster->cell_count,
                               mote_cell_edge(raster->edge, MOTE_MARGIN_CLAMPED)};
}

size_t mote_raster_byte_count(const mote_raster *raster)
{
    if (!raster) return 0;
    return sizeof *raster + raster->id_memory.bytes + raster->point_memory.bytes + raster->cell_memory.bytes +
           raster->first_memory.bytes + raster->row_memory.bytes + raster->table.memory.bytes +
           raster->slice_memory.bytes + raster->key_memory.bytes + raster->order_memory.bytes +
           raster->edges.end_memory.bytes + raster->edges.vertex_memory.bytes + raster->edges.piece_memory.bytes;
}

static mote_result validate_cell(const mote_raster *raster, const raster_row *row, uint32_t cell, mote_error *error)
{
    const uint32_t begin = raster->cell_first[cell], end = raster->cell_first[cell + 1];
    const grid_cell expected = {{raster->cell_x[cell], mote_raster_row_y(row->key), mote_raster_row_z(row->key)}};
    if (begin >= end || end > raster->count)
        return mote_fail(error, MOTE_ERROR_STATE, cell, "raster: cell %u has points %u to %u", cell, begin, end);
    if (mote_raster_find_cell(raster, expected) != cell)
        return mote_fail(error, MOTE_ERROR_STATE, cell, "raster: cell %u is not found", cell);
    for (uint32_t i = begin; i < end; ++i) {
        if (!mote_cells_are_equal(mote_frame_cell(&raster->frame, raster->at[i]), expected))
            return mote_fail(error, MOTE_ERROR_STATE, i, "raster: point %u is in a cell that is not its own", i);
        if (i > begin && raster->ids[i] < raster->ids[i - 1])
            return mote_fail(error, MOTE_ERROR_STATE, i, "raster: the points of cell %u do not ascend", cell);
    }
    return MOTE_OK;
}

mote_result mote_raster_validate(const mote_raster *raster, mote_error *error)
{
    if (!raster) return mote_fail_null(error, "raster", "the object");
    uint32_t cells = 0;
    for (uint32_t r = 0; r < raster->row_count; ++r) {
        const raster_row *row = raster->rows + r;
        if (row->begin != cells || row->end <= row->begin || (r && row->key <= raster->rows[r - 1].key))
            return mote_fail(error, MOTE_ERROR_STATE, r, "raster: row %u is out of order", r);
        for (cells = row->begin; cells < row->end; ++cells) {
            if (cells > row->begin && raster->cell_x[cells] <= raster->cell_x[cells - 1])
                return mote_fail(error, MOTE_ERROR_STATE, r, "raster: the cells of row %u do not ascend", r);
            mote_result result = validate_cell(raster, row, cells, error);
            if (result != MOTE_OK) return result;
        }
    }
    if (cells != raster->cell_count || (cells && raster->cell_first[0] != 0))
        return mote_fail(error, MOTE_ERROR_STATE, cells, "raster: %u cells in rows, expected %u", cells,
                         raster->cell_count);
    for (uint32_t s = 0; s < raster->slice_count; ++s) {
        const raster_slice *slice = raster->slices + s;
        for (uint32_t r = slice->first; r < slice[1].first; ++r)
            if (r >= raster->row_count || mote_raster_row_z(raster->rows[r].key) != slice->z)
                return mote_fail(error, MOTE_ERROR_STATE, s, "raster: slice %u holds rows of others", s);
    }
    return MOTE_OK;
}
