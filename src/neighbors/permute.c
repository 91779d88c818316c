// SPDX-License-Identifier: MIT
// Orders of points: by cell, without a search; and arrays that are brought into an order.

#include <string.h>

#include "cells/internal.h"
#include "neighbors/internal.h"

enum { BLOCK = 16384, BITS = 64 };

// ------------------------------------------------------------------------------------------------------- by cell

typedef struct cells_task {
    const mote_points *points;
    const uint32_t *order;
    double low[3], inverse_edge;
    int axis;
    uint64_t *keys;
} cells_task;

// Cell coordinates grow with the coordinate, from 0 at the corner of the box on.
static uint64_t cell_at(const cells_task *task, size_t i, int axis)
{
    const double x = 0.5 * mote_points_get(task->points, i, axis), low = 0.5 * task->low[axis];
    return (uint64_t)mote_cell_coordinate(x - low, 2 * task->inverse_edge);
}

static void find_keys(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const cells_task *task = data;
    for (size_t k = begin; k < end; ++k) task->keys[k] = cell_at(task, task->order[k], task->axis);
}

mote_result mote_points_order_by_cell(mote_context *context, mote_points points, double edge, uint32_t *order,
                                      mote_error *error)
{
    mote_box box;
    if (!order && points.count) return mote_fail_null(error, "order", "order");
    if (!(edge >= 0x1p-1000 && edge <= 0x1p1000))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "order: edge is %g, expected 2^-1000 to 2^1000", edge);
    mote_result result = mote_points_check(points, "order", error);
    if (result == MOTE_OK) result = mote_points_bounds(context, &points, "order", &box, error);
    if (result != MOTE_OK) return result;
    const size_t count = points.count, bytes = mote_bytes(count + 1, 2 * sizeof(uint64_t) + sizeof(uint32_t));
    uint64_t *keys = mote_allocate(context, bytes);
    if (!keys) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "order: no memory for the points' cells");
    uint64_t *spare = keys + count + 1;
    uint32_t *order_spare = (uint32_t *)(void *)(spare + count + 1);
    cells_task task = {&points, order, {box.min.x, box.min.y, box.min.z}, 1 / edge, 0, keys};
    for (size_t i = 0; i < count; ++i) order[i] = (uint32_t)i;
    for (task.axis = 0; task.axis < points.dimensions && result == MOTE_OK; ++task.axis) {  // each sort is stable
        mote_parallel_for(context, count, BLOCK, find_keys, &task);
        result = mote_sort_u64(context, keys, order, spare, order_spare, count);
    }
    mote_release(context, keys, bytes);
    if (result != MOTE_OK) return mote_fail(error, result, 0, "order: no memory to sort the points");
    return MOTE_OK;
}

// -------------------------------------------------------------------------------------------------------- permute

typedef struct permute_task {
    const uint32_t *order;
    char *data, *copy;
    size_t size;
} permute_task;

static void gather(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const permute_task *task = data;
    const uint32_t *order = task->order;
    const size_t size = task->size;
    switch (size) {  // copies of a known size are one or two instructions
    case 4:
        for (size_t k = begin; k < end; ++k) memcpy(task->copy + 4 * k, task->data + 4 * (size_t)order[k], 4);
        break;
    case 8:
        for (size_t k = begin; k < end; ++k) memcpy(task->copy + 8 * k, task->data + 8 * (size_t)order[k], 8);
        break;
    case 12:
        for (size_t k = begin; k < end; ++k) memcpy(task->copy + 12 * k, task->data + 12 * (size_t)order[k], 12);
        break;
    case 24:
        for (size_t k = begin; k < end; ++k) memcpy(task->copy + 24 * k, task->data + 24 * (size_t)order[k], 24);
        break;
    default:
        for (size_t k = begin; k < end; ++k) memcpy(task->copy + size * k, task->data + size * order[k], size);
    }
}

static void copy_back(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const permute_task *task = data;
    memcpy(task->data + begin * task->size, task->copy + begin * task->size, (end - begin) * task->size);
}

// Every element must be named once. `seen` has a bit for each, all 0.
static mote_result check_order(const uint32_t *order, size_t count, uint64_t *seen, mote_error *error)
{
    for (size_t k = 0; k < count; ++k) {
        const uint32_t i = order[k];
        if (i >= count)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "order: element %u at place %llu, expected one below %llu",
                             i, (unsigned long long)k, (unsigned long long)count);
        if (seen[i / BITS] >> i % BITS & 1)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "order: element %u at place %llu for the second time", i,
                             (unsigned long long)k);
        seen[i / BITS] |= UINT64_C(1) << i % BITS;
    }
    return MOTE_OK;
}

mote_result mote_permute(mote_context *context, const uint32_t *order, size_t count, void *data, size_t element_bytes,
                         mote_error *error)
{
    if (count && (!order || !data)) return mote_fail_null(error, "permute", order ? "data" : "order");
    if (count > UINT32_MAX) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "permute: %llu elements, expected less "
                                             "than 2^32", (unsigned long long)count);
    if (!count || !element_bytes) return MOTE_OK;
    const size_t words = count / BITS + 1, moved = mote_bytes(count, element_bytes);
    const size_t bytes = moved > SIZE_MAX - 8 * words ? SIZE_MAX : moved + 8 * words;
    uint64_t *seen = bytes == SIZE_MAX ? NULL : mote_allocate(context, bytes);
    if (!seen)
        return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "permute: no memory for a copy of %llu elements",
                         (unsigned long long)count);
    memset(seen, 0, words * sizeof *seen);
    const mote_result result = check_order(order, count, seen, error);
    permute_task task = {order, data, (char *)(seen + words), element_bytes};
    if (result == MOTE_OK) {
        mote_parallel_for(context, count, BLOCK, gather, &task);
        mote_parallel_for(context, count, BLOCK, copy_back, &task);
    }
    mote_release(context, seen, bytes);
    return result;
}
